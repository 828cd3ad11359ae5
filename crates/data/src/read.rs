//! Whole tables.

use std::path::Path;

use ermine_core::{Column, Error, Mat, Result, Schema, Table};
use rayon::prelude::*;

use crate::csv::{self, Delimited};
use crate::options::{Format, ReadOptions};
use crate::part::{self, Part, Verdict};
use crate::source::{self, Source};

/// A table and what was found out on the way.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The table.
    pub table: Table,
    /// For each column, why it has its kind.
    pub reasons: Vec<String>,
    /// What a user should know: columns that were renamed.
    pub notes: Vec<String>,
}

/// Reads a table: a file, a glob, `-` for the standard input, or `example:NAME`; everything is found out by looking.
///
/// ```
/// let penguins = ermine_data::read_table("example:penguins")?;
/// assert_eq!(penguins.rows(), 344);
/// # Ok::<(), ermine_core::Error>(())
/// ```
pub fn read_table(spec: impl AsRef<Path>) -> Result<Table> {
    let spec = spec.as_ref();
    let spec = spec
        .to_str()
        .ok_or_else(|| Error::Format { path: spec.display().to_string(), message: "the name of the file is not UTF-8".into() })?;
    Ok(read(spec, &ReadOptions::default())?.table)
}

/// Reads a table as `options` say, with the reason for the kind of each column. Several files (a glob) must have the same
/// columns and become one table, in the order of their names.
pub fn read(spec: &str, options: &ReadOptions) -> Result<Loaded> {
    let sources = source::resolve(spec)?;
    let format = one_format(&sources, options)?;
    match format {
        Format::Csv | Format::Tsv => read_delimited(&Delimited { sources: &sources, options, format }),
        _ => Err(Error::Format { path: spec.to_owned(), message: format!("{format} is not read yet") }),
    }
}

/// Reads a file of nothing but numbers into a row-major matrix: no table in between. Missing cells are NaN; a cell that is
/// no number is an error that names its line and column.
pub fn read_numbers(spec: impl AsRef<Path>, options: &ReadOptions) -> Result<(Mat<f64>, Schema)> {
    let spec = spec.as_ref().to_string_lossy();
    let sources = source::resolve(&spec)?;
    let format = one_format(&sources, options)?;
    match format {
        Format::Csv | Format::Tsv => {
            let (x, names) = csv::read_matrix(&sources, options, format)?;
            Ok((x, Schema::numbers(names)))
        }
        _ => Err(Error::Format { path: spec.into_owned(), message: format!("{format} is not read yet") }),
    }
}

/// The format of all sources, which must be one.
fn one_format(sources: &[Source], options: &ReadOptions) -> Result<Format> {
    let formats = sources.iter().map(|s| s.format(options)).collect::<Result<Vec<_>>>()?;
    let first = formats.first().copied().unwrap_or(Format::Csv);
    match formats.iter().position(|&f| f != first) {
        Some(i) => {
            let message =
                format!("this is {}, and {} is {first}; one table is read from one format", formats[i], sources[0].name);
            Err(Error::Format { path: sources[i].name.clone(), message })
        }
        None => Ok(first),
    }
}

fn read_delimited(files: &Delimited<'_>) -> Result<Loaded> {
    let mut parts: Vec<Vec<Part>> = Vec::new();
    let (layout, profiles, _) = files.settle(&mut |j, part| {
        if parts.len() <= j {
            parts.resize_with(j + 1, Vec::new);
        }
        match part {
            // What was kept of the column is not what it is.
            Part::Contradicted => parts[j].clear(),
            part => parts[j].push(part),
        }
    })?;
    parts.resize_with(layout.names.len(), Vec::new);
    let asked = |name: &String| files.options.types.get(name).copied();
    let verdicts = layout
        .names
        .iter()
        .zip(&profiles)
        .zip(&layout.plans)
        .map(|((name, profile), &plan)| part::verdict(name, plan, profile, asked(name)))
        .collect::<Result<Vec<_>>>()?;
    assemble(verdicts, parts, layout.notes)
}

/// A table from the parts of its columns.
pub(crate) fn assemble(verdicts: Vec<Verdict>, parts: Vec<Vec<Part>>, notes: Vec<String>) -> Result<Loaded> {
    let columns =
        verdicts.par_iter().zip(parts).map(|(v, parts)| part::column(&v.field, parts)).collect::<Result<Vec<Column>>>()?;
    let (fields, reasons) = verdicts.into_iter().map(|v| (v.field, v.reason)).unzip();
    Ok(Loaded { table: Table::with_schema(Schema { fields }, columns)?, reasons, notes })
}
