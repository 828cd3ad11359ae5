//! Reports as plain text.

use std::fmt::{Display, Formatter, Result, Write};

use crate::format::{columns, number};
use crate::{Cell, Model, Report, Schema, Section, TreeNodeReport};

/// Rows of a table and nodes of a tree that are printed.
const MOST_ROWS: usize = 30;

impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Number(v) => f.write_str(&number(*v)),
            Self::Text(t) => f.write_str(t),
            Self::Empty => Ok(()),
        }
    }
}

impl Display for Section {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Text(text) => writeln!(f, "{}", text.trim_end()),
            Self::Table { title, columns: heads, rows, .. } => {
                let shown = rows.iter().take(MOST_ROWS).map(|row| row.iter().map(Cell::to_string).collect());
                let lines: Vec<Vec<String>> = std::iter::once(heads.clone()).chain(shown).collect();
                let numeric = |j: usize| rows.iter().any(|row| matches!(row.get(j), Some(Cell::Number(_))));
                write!(f, "{title}\n{}", columns(&lines, numeric))?;
                more(f, rows.len(), "rows")
            }
            Self::Plot { title, x, y, curves } => {
                writeln!(f, "{title}")?;
                for curve in curves {
                    let (Some(first), Some(last)) = (curve.points.first(), curve.points.last()) else { continue };
                    let point = |p: &(f64, f64)| format!("{} at {x} {}", number(p.1), number(p.0));
                    writeln!(f, "{}: {y} {} to {}, {} points", curve.name, point(first), point(last), curve.points.len())?;
                }
                Ok(())
            }
            Self::Tree { title, nodes, .. } => {
                writeln!(f, "{title}")?;
                tree(f, nodes)?;
                more(f, nodes.len(), "nodes")
            }
        }
    }
}

fn more(f: &mut Formatter<'_>, count: usize, what: &str) -> Result {
    if count > MOST_ROWS { writeln!(f, "… {} more {what}", count - MOST_ROWS) } else { Ok(()) }
}

fn tree(f: &mut Formatter<'_>, nodes: &[TreeNodeReport]) -> Result {
    let mut open = vec![(0, 0)];
    for _ in 0..MOST_ROWS {
        let Some((at, depth)) = open.pop() else { break };
        let Some(node) = nodes.get(at) else { continue };
        let condition = if node.condition.is_empty() { "all rows" } else { &node.condition };
        write!(f, "{:indent$}{condition}: {} rows", "", number(node.rows), indent = 2 * depth)?;
        if node.children.is_empty() {
            write!(f, ", {}", node.prediction)?;
        }
        f.write_char('\n')?;
        open.extend(node.children.iter().rev().map(|&child| (child, depth + 1)));
    }
    Ok(())
}

/// The sections one after the other, with an empty line between them.
impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for (i, section) in self.sections.iter().enumerate() {
            write!(f, "{}{section}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

/// The report on the model, in which columns are called x0, x1, ….
impl Display for dyn Model + '_ {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_report(self, f)
    }
}

/// Writes the report on a model, in which columns are called x0, x1, ….
pub fn write_report(model: &dyn Model, f: &mut Formatter<'_>) -> Result {
    model.report(&Schema::unnamed(model.n_features())).fmt(f)
}

/// `Display` for a model: the report on it, in which columns are called x0, x1, ….
#[macro_export]
macro_rules! display_as_report {
    ([$($generics:tt)*] $model:ty) => {
        impl<$($generics)*> std::fmt::Display for $model {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::format::write_report(self, f)
            }
        }
    };
    ($model:ty) => {
        $crate::display_as_report!([] $model);
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Curve;

    #[test]
    fn a_report_is_printed_as_aligned_text() {
        let mut report = Report::default();
        report.text("A line.").table(
            "Coefficients",
            &["column", "value"],
            vec![
                vec!["area".into(), 1.5.into()],
                vec!["age of the house".into(), (-12.0).into()],
                vec!["rooms".into(), Cell::Empty],
            ],
        );
        let curve = Curve { name: "training".into(), points: vec![(1.0, 0.5), (2.0, 0.25)] };
        report.sections.push(Section::Plot { title: "Loss".into(), x: "round".into(), y: "mse".into(), curves: vec![curve] });
        let leaf = |condition: &str, prediction: &str| TreeNodeReport {
            condition: condition.into(),
            prediction: prediction.into(),
            rows: 2.0,
            ..TreeNodeReport::default()
        };
        let root = TreeNodeReport { rows: 4.0, children: vec![1, 2], ..TreeNodeReport::default() };
        let nodes = vec![root, leaf("x0 < 1", "a"), leaf("x0 >= 1", "b")];
        report.sections.push(Section::Tree { title: "Tree".into(), classes: Vec::new(), nodes });
        let expected = "A line.\n\nCoefficients\ncolumn            value\narea                1.5\nage of the house    -12\nrooms\n\n\
                        Loss\ntraining: mse 0.5 at round 1 to 0.25 at round 2, 2 points\n\n\
                        Tree\nall rows: 4 rows\n  x0 < 1: 2 rows, a\n  x0 >= 1: 2 rows, b\n";
        assert_eq!(report.to_string(), expected);
    }

    #[test]
    fn of_long_tables_the_first_rows_are_printed() {
        let mut report = Report::default();
        report.table("Long", &["n"], (0..40).map(|i| vec![f64::from(i).into()]).collect());
        assert!(report.to_string().ends_with("29\n… 10 more rows\n"));
    }
}
