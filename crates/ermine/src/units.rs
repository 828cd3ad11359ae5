//! Coefficients of prepared columns, said in the units of the original ones.

use std::collections::BTreeMap;

use ermine_core::{Cell, Schema, Section};

/// The name of the constant in tables of coefficients.
const INTERCEPT: &str = "(intercept)";

/// How the numbers below a head change when a column is divided by its scale.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A coefficient: divided by the scale, and part of the intercept.
    Coefficient,
    /// In units of the coefficient: an error, an end of an interval.
    Width,
    /// Free of units: a test, a probability.
    Free,
}

/// What the columns of a table of coefficients are, or `None` for another table: the first is called "column", and one is
/// called "coefficient" (or begins so), or the table is called "weights".
fn kinds(title: &str, columns: &[String]) -> Option<Vec<Kind>> {
    let weights = title.eq_ignore_ascii_case("weights");
    let (first, rest) = columns.split_first()?;
    let kind = |head: &String| match head.as_str() {
        h if h.starts_with("coefficient") => Kind::Coefficient,
        "t" | "z" | "p" | "F" | "chi2" => Kind::Free,
        h if h.contains("error") || h.contains('%') => Kind::Width,
        _ if weights => Kind::Coefficient,
        _ => Kind::Free,
    };
    let kinds: Vec<Kind> = rest.iter().map(kind).collect();
    (first == "column" && kinds.contains(&Kind::Coefficient)).then_some(kinds)
}

/// Whether a section is a table of coefficients.
pub(crate) fn has_coefficients(section: &Section) -> bool {
    matches!(section, Section::Table { title, columns, .. } if kinds(title, columns).is_some())
}

/// A table of coefficients of prepared columns in the units of the columns they were made from. `units` holds, for each
/// prepared column, the shift and the scale: it is (raw - shift) / scale. Exact but for the errors of the intercept, which need
/// the covariances and are left out. `None` where the table is no such table or all units are the original ones.
pub(crate) fn original(section: &Section, schema: &Schema, units: &[(f64, f64)]) -> Option<Section> {
    let Section::Table { title, columns, rows } = section else { return None };
    let kinds = kinds(title, columns)?;
    if units.iter().all(|u| *u == (0.0, 1.0)) {
        return None;
    }
    let at: BTreeMap<&str, usize> = schema.names().enumerate().map(|(j, n)| (n, j)).collect();
    let mut constant: Vec<f64> = vec![0.0; kinds.len()];
    let mut out = Vec::new();
    let mut seen = vec![false; units.len()];
    for row in rows {
        let (Some(Cell::Text(name)), cells) = (row.first(), row.get(1..)?) else { return None };
        let number = |c: usize| if let Some(Cell::Number(v)) = cells.get(c) { Some(*v) } else { None };
        if name == INTERCEPT {
            (0..kinds.len()).filter_map(|c| Some((c, number(c)?))).for_each(|(c, v)| constant[c] += v);
            continue;
        }
        let j = *at.get(name.as_str())?;
        let (shift, scale) = *units.get(j)?;
        seen[j] = true;
        let mut new = vec![Cell::from(name.as_str())];
        for (c, kind) in kinds.iter().enumerate() {
            new.push(match (kind, number(c)) {
                (Kind::Free, _) => cells.get(c).cloned().unwrap_or(Cell::Empty),
                (_, None) => Cell::Empty,
                (kind, Some(v)) => {
                    if *kind == Kind::Coefficient {
                        constant[c] -= v * shift / scale;
                    }
                    (v / scale).into()
                }
            });
        }
        out.push(new);
    }
    // A table that leaves columns out says nothing of their part of the intercept.
    let whole = seen.iter().all(|s| *s);
    let mut first = vec![Cell::from(INTERCEPT)];
    first.extend(
        kinds.iter().zip(&constant).map(|(kind, v)| if whole && *kind == Kind::Coefficient { (*v).into() } else { Cell::Empty }),
    );
    out.insert(0, first);
    Some(Section::Table { title: format!("{title}, in the original units"), columns: columns.clone(), rows: out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;
    use ermine_core::Report;

    fn table<'r>(report: &'r Report, title: &str) -> (&'r [String], &'r [Vec<Cell>]) {
        let found = report.sections.iter().find_map(|s| match s {
            Section::Table { title: t, columns, rows } if t == title => Some((&columns[..], &rows[..])),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("no table {title}: {report:?}"))
    }

    #[test]
    fn coefficients_in_original_units_are_those_of_a_fit_without_scaling() {
        let data = ermine_data::read_table("example:diabetes").unwrap();
        let problem = Problem::from_table(data, &Roles::with_target("progression")).unwrap();
        let plain = Fitted::train(crate::learner("ols").unwrap(), &problem, &Context::default()).unwrap().report();
        let scaled = Fitted::train(prepared(crate::learner("ols").unwrap()), &problem, &Context::default()).unwrap().report();
        let (heads, truth) = table(&plain, "Coefficients");
        let (same, found) = table(&scaled, "Coefficients, in the original units");
        assert_eq!(heads, same);
        for (a, b) in truth.iter().zip(found) {
            assert_eq!(a[0], b[0]);
            for (x, y) in a.iter().zip(b).skip(1) {
                match (x, y) {
                    (Cell::Number(x), Cell::Number(y)) => assert!((x - y).abs() <= 1e-8 * x.abs().max(1e-6), "{a:?} {b:?}"),
                    (_, Cell::Empty) => assert_eq!(a[0], Cell::from(INTERCEPT)),
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(!plain.sections.iter().any(|s| matches!(s, Section::Table { title, .. } if title.contains("original"))));
    }

    #[test]
    fn other_tables_stay_alone() {
        let schema = Schema::numbers(["a"]);
        let other = |columns: &[&str]| Section::Table {
            title: "t".into(),
            columns: columns.iter().map(|c| c.to_string()).collect(),
            rows: vec![vec!["a".into(), 1.0.into()]],
        };
        assert_eq!(original(&other(&["column", "importance"]), &schema, &[(1.0, 2.0)]), None);
        assert_eq!(original(&other(&["column", "coefficient"]), &schema, &[(0.0, 1.0)]), None);
        assert_eq!(original(&other(&["column", "coefficient"]), &Schema::numbers(["b"]), &[(1.0, 2.0)]), None);
        assert!(original(&other(&["column", "coefficient"]), &schema, &[(1.0, 2.0)]).is_some());
    }
}
