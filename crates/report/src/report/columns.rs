//! Summary of the data: one line per column.

use ermine_core::{ColumnKind, DatasetRef, Features, Target};

use crate::chart::{Chart, Series, spark};
use crate::document::{DocBlock, DocSection, DocTable, Figure, TableCell, TableHead};
use crate::format;
use crate::summary::{ColumnStats, ValueStats};
use ermine_compose::Fitted;

/// Most columns shown; of more the first.
const SHOWN: usize = 120;

pub(super) fn part(fitted: &Fitted, data: &DatasetRef<'_>, notes: &[String]) -> DocSection {
    let mut part = DocSection::new("Data").lead(format!(
        "{} and {} as the model reads them{}.",
        format::counted(data.rows(), "row"),
        format::counted(data.cols(), "column"),
        if data.weight.is_some() { ", with weights" } else { "" }
    ));
    part = part.figures(target(fitted, &data.y).into_iter().collect());
    if let Features::Table(table) = &data.x {
        let heads = ["column", "type", "missing", "distinct", "shape and values"];
        let heads = heads.iter().enumerate().map(|(j, h)| TableHead { text: (*h).into(), number: (2..4).contains(&j) }).collect();
        let range: Vec<usize> = table.range().collect();
        let whole = range.len() == table.table().rows();
        let row = |j: usize| {
            let (field, column) = (&table.schema().fields[j], table.table().column_at(j));
            let summary = if whole { ColumnStats::of(column) } else { ColumnStats::of(&column.take_rows(&range)) };
            let missing = match summary.missing {
                0 => String::new(),
                n => format!("{} ({})", format::count(n), format::percent(n as f64 / data.rows() as f64)),
            };
            let shape = summary.shape();
            let spark = if shape.len() > 1 { spark(&shape) } else { String::new() };
            vec![
                TableCell::from(field.name.clone()),
                field.kind.name().into(),
                missing.into(),
                format::count(summary.distinct).into(),
                TableCell { spark, text: values(&summary.values, field.kind), ..TableCell::default() },
            ]
        };
        let rows = (0..table.cols().min(SHOWN)).map(row).collect();
        let note = match table.cols() > SHOWN {
            true => format!("{} more columns are not shown.", format::count(table.cols() - SHOWN)),
            false => String::new(),
        };
        part = part.with(DocBlock::Table(DocTable { caption: "Columns".into(), heads, rows, note, tight: false }));
    }
    notes.iter().fold(part, |part, note| part.with(DocBlock::Note(format::capital(note))))
}

fn values(values: &ValueStats, kind: ColumnKind) -> String {
    match values {
        ValueStats::None => String::new(),
        ValueStats::Numbers { low, high, median, .. } => {
            let show = |v: f64| if kind == ColumnKind::Date { ermine_core::date::format(v) } else { format::number(v) };
            if low == high { show(*low) } else { format!("{} to {}, median {}", show(*low), show(*high), show(*median)) }
        }
        ValueStats::Names(top) => {
            let shown: Vec<String> =
                top.iter().take(3).map(|(name, n)| format!("{} {}", format::short(name, 24), format::count(*n))).collect();
            format!("{}{}", shown.join(", "), if top.len() > 3 { ", …" } else { "" })
        }
    }
}

/// The distribution of the target.
fn target(fitted: &Fitted, y: &Target<'_>) -> Option<Figure> {
    let name = fitted.target.names.first()?;
    match y {
        Target::Class { codes, names } => {
            let mut counts = vec![0.0f64; names.len()];
            codes.iter().for_each(|&c| counts[c as usize] += 1.0);
            let total = codes.len() as f64;
            let mut order: Vec<usize> = (0..names.len()).collect();
            ermine_core::order::sort_by_number_descending(&mut order, |a| counts[a]);
            order.truncate(20);
            let bar = |&c: &usize| crate::chart::Bar {
                name: names[c].clone(),
                value: counts[c],
                label: format!("{} ({})", format::count(counts[c] as usize), format::percent(counts[c] / total)),
                ..Default::default()
            };
            let rows: Vec<_> = order.iter().map(bar).collect();
            let values: Vec<String> = rows.iter().take(6).map(|b| format!("{}: {}", b.name, b.label)).collect();
            let bars = crate::chart::Bars { title: name.clone(), label: "rows".into(), rows, ..Default::default() };
            Some(
                Figure::new("target", format!("Target: {name}"), bars).alt_text(format!("Rows by class. {}.", values.join("; "))),
            )
        }
        Target::Real(y) => {
            let (edges, counts) = histogram(y, 30)?;
            let chart = Chart::new(name, name, "rows").with(Series::histogram("", &edges, &counts)).sized(400.0, 250.0);
            let alt_text =
                format!("Histogram of {name} from {} to {}.", format::number(edges[0]), format::number(edges[edges.len() - 1]));
            Some(Figure::new("target", format!("Target: {name}"), chart).alt_text(alt_text))
        }
        _ => None,
    }
}

/// Edges and counts of equal bins over the finite values; `None` where they are constant.
pub(super) fn histogram(values: &[f64], bins: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let finite = values.iter().copied().filter(|v| v.is_finite());
    let (low, high) = finite.clone().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let width = (high - low) / bins as f64;
    if !(width > 0.0 && width.is_finite()) {
        return None;
    }
    let mut counts = vec![0.0; bins];
    finite.for_each(|v| counts[(((v - low) / width) as usize).min(bins - 1)] += 1.0);
    Some(((0..=bins).map(|k| low + width * k as f64).collect(), counts))
}
