//! `ermine describe`: a line a column, and warnings.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Instant;

use anyhow::Result;
use ermine::core::{Column, ColumnKind, MISSING_CODE};
use ermine::summary::{ColumnStats, ValueStats};
use serde_json::{Value, json};

use super::{print, print_json, print_notes};
use crate::args::DescribeArgs;
use crate::text::{self, Align};

/// Columns that the table shows at most, and notes; `--json` has all.
const SHOWN: usize = 100;
const NOTES: usize = 20;

/// What is seen of a column.
struct ColumnProfile {
    missing: usize,
    distinct: usize,
    range: String,
    bars: String,
    details: Value,
}

pub fn run(args: &DescribeArgs) -> Result<()> {
    let started = Instant::now();
    let loaded = args.reading.read(&args.data)?;
    let table = &loaded.table;
    let schema = table.schema().clone();
    let target = args.target.as_ref().map(|t| schema.position(t)).transpose()?;
    let seen: Vec<ColumnProfile> = table.columns().iter().zip(&schema.fields).map(|(c, f)| profile_column(c, f.kind)).collect();
    let mut warnings = loaded.notes.clone();
    let mut unlike: HashMap<u64, Vec<usize>> = HashMap::new();
    for (j, (field, s)) in schema.fields.iter().zip(&seen).enumerate() {
        let name = &field.name;
        let filled = table.rows() - s.missing;
        if filled == 0 {
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
        if let Some(t) = target
            && t != j
            && leaks_target(&table.columns()[j], &table.columns()[t])
        {
            warnings.push(format!("column \"{name}\" gives the target away"));
        }
        // Only columns that are not equal to an earlier one are compared with: of many equal columns each is named once. Equal cells have
        // equal prints, so that of many columns few are compared.
        if let Some(print) = cell_hash(&table.columns()[j]) {
            let alike = unlike.entry(print).or_default();
            match alike.iter().find(|&&k| same_cells(&table.columns()[k], &table.columns()[j])) {
                Some(&k) => warnings.push(format!("columns \"{}\" and \"{name}\" are equal", schema.fields[k].name)),
                None => alike.push(j),
            }
        }
    }
    if args.everywhere.json {
        let columns: Vec<Value> = schema
            .fields
            .iter()
            .zip(&seen)
            .zip(&loaded.reasons)
            .map(|((f, s), why)| {
                let mut object =
                    json!({"name": f.name, "type": f.kind, "why": why, "missing": s.missing, "distinct": s.distinct});
                if let (Value::Object(o), Value::Object(d)) = (&mut object, &s.details) {
                    o.extend(d.clone());
                }
                object
            })
            .collect();
        let more = json!({"n_rows": table.rows(), "n_columns": schema.len(), "columns": columns, "warnings": warnings});
        return print_json("describe", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    let rows: Vec<Vec<String>> = schema
        .fields
        .iter()
        .zip(&seen)
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
    let head = format!("{} rows, {} columns\n\n", text::count(table.rows()), text::count(schema.len()));
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

fn profile_column(column: &Column, kind: ColumnKind) -> ColumnProfile {
    let summary = ColumnStats::of(column);
    let (mut range, mut details) = (String::new(), json!({}));
    match &summary.values {
        ValueStats::None => {}
        ValueStats::Numbers { low, high, mean, median, histogram } => {
            let show = |v: f64| if kind == ColumnKind::Date { ermine::data::format_date(v) } else { text::number(v) };
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
    ColumnProfile { missing: summary.missing, distinct: summary.distinct, range, bars: text::bars(&summary.shape()), details }
}

/// A number that columns of equal cells have in common; `None` for columns that are not compared: text and constants.
fn cell_hash(column: &Column) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    match column {
        Column::Number { values, .. } => {
            if values.iter().all(|v| *v == values[0]) {
                return None;
            }
            // Zeros of either sign are equal, and so are all gaps.
            values.iter().for_each(|v| if v.is_nan() { f64::NAN.to_bits() } else { (v + 0.0).to_bits() }.hash(&mut hasher));
        }
        Column::Category { codes, names } => {
            codes.hash(&mut hasher);
            names.hash(&mut hasher);
        }
        Column::Text(_) => return None,
    }
    Some(hasher.finish())
}

fn same_cells(a: &Column, b: &Column) -> bool {
    match (a, b) {
        (Column::Number { values: x, .. }, Column::Number { values: y, .. }) => {
            let equal = |(u, v): (&f64, &f64)| u == v || (u.is_nan() && v.is_nan());
            x.iter().zip(y).all(equal) && x.iter().any(|v| *v != x[0])
        }
        (Column::Category { .. }, Column::Category { .. }) => a == b,
        _ => false,
    }
}

/// Whether a column says the target: a number column that is it up to scale and shift, a category column (with values that
/// occur again) in which each value has one target value and the other way round.
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
            let mut there = vec![None; names.len()];
            let mut back = vec![None; classes.len()];
            codes
                .iter()
                .zip(other)
                .filter(|(a, b)| **a != MISSING_CODE && **b != MISSING_CODE)
                .all(|(&a, &b)| *there[a as usize].get_or_insert(b) == b && *back[b as usize].get_or_insert(a) == a)
        }
        _ => false,
    }
}
