//! The trace of a fit, written to a file.

use std::path::Path;

use anyhow::Result;
use ermine::chart::{Chart, Series};
use ermine::core::{Column, Table, Trace, file};
use ermine::data::WriteOptions;
use serde_json::json;

use crate::error::UsageError;

/// An error if the file could not be written, before a long fit.
pub fn check(path: &Path) -> Result<()> {
    let known = ["csv", "tsv", "parquet", "arrow", "json", "svg"];
    let name = path.to_string_lossy();
    let plain = [".gz", ".zst"].iter().find_map(|e| name.strip_suffix(e)).unwrap_or(&name);
    match Path::new(plain).extension().and_then(|e| e.to_str()) {
        Some(extension) if known.contains(&extension) => Ok(()),
        _ => Err(UsageError(format!("--trace {name}: the name must end in one of .{}", known.join(", ."))).into()),
    }
}

/// Writes one line per step; the steps are numbered where the learner has not done so.
pub fn write(path: &Path, trace: &Trace) -> Result<()> {
    let counted = trace.columns.iter().any(|c| c == "iteration");
    let count = (!counted).then(|| ("iteration".to_owned(), (0..trace.rows.len()).map(|k| k as f64).collect::<Vec<f64>>()));
    let from_trace = trace.columns.iter().filter_map(|name| Some((name.clone(), trace.column(name)?)));
    let columns: Vec<(String, Vec<f64>)> = count.into_iter().chain(from_trace).collect();
    match path.extension().and_then(|e| e.to_str()) {
        Some("json") => {
            let names: Vec<&str> = columns.iter().map(|c| c.0.as_str()).collect();
            let rows: Vec<Vec<f64>> = (0..trace.rows.len()).map(|i| columns.iter().map(|c| c.1[i]).collect()).collect();
            file::write_atomic(path, format!("{}\n", json!({"columns": names, "rows": rows})).as_bytes())?;
        }
        Some("svg") => file::write_atomic(path, chart(&columns).to_svg().as_bytes())?,
        _ => {
            let table = Table::new(columns.into_iter().map(|(name, values)| (name, Column::numbers(values))))?;
            ermine::data::write_table(&path.to_string_lossy(), &table, &WriteOptions::default())?;
        }
    }
    Ok(())
}

/// The objective by step; else the first column.
fn chart(columns: &[(String, Vec<f64>)]) -> Chart {
    let at = |name: &str| columns.iter().position(|c| c.0 == name);
    let x = at("iteration").unwrap_or(0);
    let y = at("objective").or_else(|| (0..columns.len()).find(|&j| j != x)).unwrap_or(x);
    let points = columns[x].1.iter().copied().zip(columns[y].1.iter().copied()).collect();
    Chart::new("Convergence of the fit", &columns[x].0, &columns[y].0).with(Series::line(&columns[y].0, points))
}
