//! Sections of a report as blocks of a page.

use ermine_core::{Cell, ColumnMeaning, Section};

use super::{DocBlock, DocTable, Figure, TableCell, TableHead};
use crate::chart::{Chart, TreeChart};
use crate::format;

impl DocBlock {
    /// A section of a report; its figure is called `name`. `None` where there is nothing to draw.
    pub fn of(section: &Section, name: &str) -> Option<Self> {
        Some(match section {
            Section::Text(text) if text.trim().contains('\n') => {
                Self::Code { name: String::new(), text: text.trim_end().to_owned() }
            }
            Section::Text(text) => Self::Text(text.clone()),
            Section::Table { title, columns, meanings, rows } => Self::Table(DocTable::of(title, columns, meanings, rows)),
            Section::Plot { title, .. } => {
                let chart = Chart::of(section)?.sized(560.0, 340.0);
                Self::Figures(vec![Figure::new(name, title, chart).alt_text(format!("{title}, as curves.")).wide()])
            }
            Section::Tree { title, nodes, .. } => {
                let chart = TreeChart::of(section)?;
                let leaves = nodes.iter().filter(|n| n.children.is_empty()).count();
                let alt_text = format!("{title} with {leaves} leaves; the text of the model has the same tree.");
                Self::Figures(vec![Figure::new(name, title, chart).alt_text(alt_text).wide()])
            }
        })
    }
}

impl DocTable {
    /// A table of a report. Columns without words stand at the right, but for the first, which names the rows.
    pub fn of(title: &str, columns: &[String], meanings: &[ColumnMeaning], rows: &[Vec<Cell>]) -> Self {
        let number = |j: usize| rows.iter().all(|r| !matches!(r.get(j), Some(Cell::Text(_))));
        let heads = columns.iter().enumerate().map(|(j, c)| TableHead { text: c.clone(), number: j > 0 && number(j) }).collect();
        let cell = |(j, c): (usize, &Cell)| -> TableCell {
            match (c, meanings.get(j)) {
                (Cell::Text(t), _) => t.as_str().into(),
                (Cell::Number(p), Some(ColumnMeaning::Probability)) if *p < 1e-16 => "<1e-16".into(),
                (Cell::Number(p), Some(ColumnMeaning::Probability)) if *p < 1e-3 => format!("{p:.1e}").into(),
                (Cell::Number(p), Some(ColumnMeaning::Probability)) => format!("{p:.3}").into(),
                (Cell::Number(v), _) => format::number(*v).into(),
                (Cell::Empty, _) => TableCell::default(),
            }
        };
        let rows = rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect();
        Self { caption: format::capital(title), heads, rows, ..Self::default() }
    }
}
