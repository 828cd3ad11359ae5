//! `ermine describe`: one line per column, and warnings.

use std::collections::HashMap;
use std::time::Instant;

use anyhow::Result;
use ermine::core::{ColumnKind, Field, MISSING_CODE, Schema};
use ermine::data::{LoadedTable, TableSource};
use ermine::prelude::*;
use ermine::summary::{ColumnStats, ValueStats};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{print, print_json, print_notes};
use crate::args::DescribeArgs;
use crate::text::{self, Align};

/// Most columns and notes in the table; `--json` has all.
const SHOWN: usize = 100;
const NOTES: usize = 20;
/// Memory for columns described together; each further run of columns takes one more pass over the file.
const MEMORY: u64 = 1 << 26;

/// Summary of a column.
struct ColumnProfile {
    missing: usize,
    distinct: usize,
    range: String,
    bars: String,
    details: Value,
    leaks_target: bool,
    /// The same for columns of equal cells.
    fingerprint: Option<String>,
}

/// Statistics of a table.
struct TableProfile {
    rows: usize,
    schema: Schema,
    /// For each column, why it has its kind.
    reasons: Vec<String>,
    notes: Vec<String>,
    columns: Vec<ColumnProfile>,
}

pub fn run(args: &DescribeArgs) -> Result<()> {
    let started = Instant::now();
    let source = ermine::data::open_table(&args.data, &args.reading.options()?)?;
    let table = profile_table(source, args.target.as_deref())?;
    let TableProfile { rows: n_rows, schema, .. } = &table;
    let mut warnings = warnings(&table);
    if args.everywhere.json {
        let columns: Vec<Value> = schema
            .fields
            .iter()
            .zip(&table.columns)
            .zip(&table.reasons)
            .map(|((f, s), why)| {
                let mut object =
                    json!({"name": f.name, "type": f.kind, "why": why, "missing": s.missing, "distinct": s.distinct});
                if let (Value::Object(o), Value::Object(d)) = (&mut object, &s.details) {
                    o.extend(d.clone());
                }
                object
            })
            .collect();
        let more = json!({"n_rows": n_rows, "n_columns": schema.len(), "columns": columns, "warnings": warnings});
        return print_json("describe", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    let rows: Vec<Vec<String>> = schema
        .fields
        .iter()
        .zip(&table.columns)
        .take(SHOWN)
        .map(|(f, s)| {
            let missing = if s.missing == 0 { String::new() } else { text::count(s.missing) };
            vec![
                text::truncate(&f.name, 20),
                f.kind.name().to_owned(),
                missing,
                text::count(s.distinct),
                s.bars.clone(),
                s.range.clone(),
            ]
        })
        .collect();
    let align = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Left, Align::Left];
    let head = format!("{} rows, {} columns\n\n", text::count(*n_rows), text::count(schema.len()));
    print(&(head + &text::table(&["column", "type", "missing", "distinct", "shape", "values"], &align, &rows)))?;
    if schema.len() > SHOWN {
        print(&format!("… and {} more columns (--json has all)\n", text::count(schema.len() - SHOWN)))?;
    }
    if !args.everywhere.quiet && !warnings.is_empty() {
        print("\n")?;
    }
    if warnings.len() > NOTES {
        let more = warnings.len() - NOTES;
        warnings.truncate(NOTES);
        warnings.push(format!("{} more notes (--json has all)", text::count(more)));
    }
    print_notes(&args.everywhere, &warnings);
    Ok(())
}

/// Describes all columns, in runs that fit into [`MEMORY`]. The target stays in memory as well.
fn profile_table(source: TableSource, target_name: Option<&str>) -> Result<TableProfile> {
    let profile = |table: &Table, target: Option<&Table>| -> Vec<ColumnProfile> {
        let named = target.zip(target_name).and_then(|(t, name)| Some((name, t.column(name).ok()?)));
        (0..table.columns().len()).into_par_iter().map(|j| profile_column(table, j, named)).collect()
    };
    let mut stream = match source {
        TableSource::Stream(stream) => stream,
        TableSource::Memory(LoadedTable { table, reasons, notes }) => {
            target_name.map(|name| table.column(name)).transpose()?;
            let columns = profile(&table, Some(&table));
            return Ok(TableProfile { rows: table.rows(), schema: (**table.schema()).clone(), reasons, notes, columns });
        }
    };
    let (schema, reasons, notes) = (stream.schema().clone(), stream.reasons(), stream.notes().to_vec());
    let bytes = stream.bytes_in_memory();
    let target = match target_name {
        Some(name) => {
            stream.select(&[name])?;
            Some(stream.read()?)
        }
        None => None,
    };
    let mut columns = Vec::with_capacity(schema.len());
    while columns.len() < schema.len() {
        let first = columns.len();
        let mut room = MEMORY;
        let fit = bytes[first..].iter().take_while(|b| room.checked_sub(**b).inspect(|left| room = *left).is_some());
        let names: Vec<&str> = schema.names().skip(first).take(fit.count().max(1)).collect();
        stream.select(&names)?;
        let table = stream.read()?;
        columns.extend(profile(&table, target.as_ref()));
    }
    Ok(TableProfile { rows: stream.rows(), schema, reasons, notes, columns })
}

/// Warnings about learning from a table.
fn warnings(table: &TableProfile) -> Vec<String> {
    let mut warnings = table.notes.clone();
    let mut first: HashMap<&str, &str> = HashMap::new();
    for (field, s) in table.schema.fields.iter().zip(&table.columns) {
        let name = &field.name;
        if table.rows == s.missing {
            warnings.push(format!("column \"{name}\" is empty"));
        } else if s.distinct == 1 {
            warnings.push(format!("column \"{name}\" is constant"));
        }
        match field.kind {
            ColumnKind::Identifier => {
                warnings.push(format!("column \"{name}\" looks like an identifier and is not learned from"))
            }
            ColumnKind::Text => warnings.push(format!("column \"{name}\" is free text and is not learned from")),
            _ => {}
        }
        if s.leaks_target {
            warnings.push(format!("column \"{name}\" leaks the target"));
        }
        // Of many equal columns each is named once, beside the first.
        match s.fingerprint.as_deref().map(|print| (print, first.get(print))) {
            Some((_, Some(same))) => warnings.push(format!("columns \"{same}\" and \"{name}\" are equal")),
            Some((print, None)) => drop(first.insert(print, name)),
            None => {}
        }
    }
    warnings
}

fn profile_column(table: &Table, at: usize, target: Option<(&str, &Column)>) -> ColumnProfile {
    let (column, field) = (table.column_at(at), &table.schema().fields[at]);
    let summary = ColumnStats::of(column);
    let (mut range, mut details) = (String::new(), json!({}));
    match &summary.values {
        ValueStats::None => {}
        ValueStats::Numbers { low, high, mean, median, histogram } => {
            let show = |v: f64| if field.kind == ColumnKind::Date { ermine::data::format_date(v) } else { text::number(v) };
            range = format!("{} to {}", show(*low), show(*high));
            details = json!({"min": low, "max": high, "mean": mean, "median": median, "histogram": histogram});
        }
        ValueStats::Names(top) => {
            for (i, (name, n)) in top.iter().enumerate() {
                let piece = format!("{}{} {}", if i > 0 { ", " } else { "" }, text::truncate(name, 10), text::count(*n));
                if i > 0 && text::width(&range) + text::width(&piece) > 15 {
                    range += ", …";
                    break;
                }
                range += &piece;
            }
            details = json!({"top": top.iter().map(|(name, n)| json!({"value": name, "count": n})).collect::<Vec<Value>>()});
        }
    }
    ColumnProfile {
        missing: summary.missing,
        distinct: summary.distinct,
        range,
        bars: text::bars(&summary.shape()),
        details,
        leaks_target: target.is_some_and(|(name, target)| name != field.name && leaks_target(column, target)),
        fingerprint: fingerprint(table, at),
    }
}

/// A print that columns of equal cells have in common; `None` for columns that are not compared: text and constants.
fn fingerprint(table: &Table, at: usize) -> Option<String> {
    let column = table.column_at(at);
    let constant = matches!(column, Column::Number { values, .. } if values.iter().all(|v| *v == values[0]));
    if constant || matches!(column, Column::Text(_)) {
        return None;
    }
    let unnamed = Field { name: String::new(), ..table.schema().fields[at].clone() };
    let alone = Table::with_schema(Schema { fields: vec![unnamed] }, vec![table.shared_column(at)]).ok()?;
    Some(DatasetRef::new(Features::Table(alone.view())).fingerprint())
}

/// Whether a column leaks the target: a number column that is the target up to scale and shift, a category column (with
/// repeated values) that maps one to one to the target.
fn leaks_target(column: &Column, target: &Column) -> bool {
    match (column, target) {
        (Column::Number { values: x, .. }, Column::Number { values: y, .. }) => {
            let pairs: Vec<(f64, f64)> =
                x.iter().copied().zip(y.iter().copied()).filter(|(a, b)| !a.is_nan() && !b.is_nan()).collect();
            let n = pairs.len() as f64;
            let (mx, my) = pairs.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
            let (mut sxx, mut sxy, mut syy) = (0.0, 0.0, 0.0);
            for (a, b) in &pairs {
                sxx += (a - mx) * (a - mx);
                sxy += (a - mx) * (b - my);
                syy += (b - my) * (b - my);
            }
            pairs.len() > 2 && sxx > 0.0 && syy > 0.0 && sxy * sxy > (1.0 - 1e-9) * sxx * syy
        }
        (Column::Category { codes, names }, Column::Category { codes: other, names: classes }) => {
            if names.len() < 2 || names.len() * 2 > codes.len() {
                return false;
            }
            let mut forward_map = vec![None; names.len()];
            let mut backward_map = vec![None; classes.len()];
            codes
                .iter()
                .zip(other)
                .filter(|(a, b)| **a != MISSING_CODE && **b != MISSING_CODE)
                .all(|(&a, &b)| *forward_map[a as usize].get_or_insert(b) == b && *backward_map[b as usize].get_or_insert(a) == a)
        }
        _ => false,
    }
}
