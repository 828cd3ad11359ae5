//! Coefficients of prepared columns, converted to the units of the original ones.

use std::collections::BTreeMap;

use ermine_core::{Cell, ColumnMeaning, Schema, Section};

/// The name of the intercept in tables of coefficients.
const INTERCEPT: &str = "(intercept)";

/// Whether a section is a table of coefficients.
pub(crate) fn has_coefficients(section: &Section) -> bool {
    matches!(section, Section::Table { meanings, .. } if meanings.contains(&ColumnMeaning::Coefficient))
}

/// A table of coefficients of prepared columns in the units of the columns they were made from. `units` holds the shift
/// and the scale of each prepared column: it is (raw - shift) / scale. Exact except for the standard errors of the
/// intercept, which need the covariances and are left out. `None` where the table is not of coefficients or all units
/// are the original ones.
pub(crate) fn original_units(section: &Section, schema: &Schema, units: &[(f64, f64)]) -> Option<Section> {
    let Section::Table { title, columns, meanings, rows } = section else { return None };
    if !has_coefficients(section) || units.iter().all(|u| *u == (0.0, 1.0)) {
        return None;
    }
    let meanings = &meanings[1..];
    let at: BTreeMap<&str, usize> = schema.names().enumerate().map(|(j, n)| (n, j)).collect();
    let mut constant: Vec<f64> = vec![0.0; meanings.len()];
    let mut has_constant = false;
    let mut out = Vec::new();
    for row in rows {
        let (Some(Cell::Text(name)), cells) = (row.first(), row.get(1..)?) else { return None };
        let number = |c: usize| if let Some(Cell::Number(v)) = cells.get(c) { Some(*v) } else { None };
        if name == INTERCEPT {
            has_constant = true;
            (0..meanings.len()).filter_map(|c| Some((c, number(c)?))).for_each(|(c, v)| constant[c] += v);
            continue;
        }
        // Terms that are not columns, such as an offset, have no units to convert.
        let Some(&(shift, scale)) = at.get(name.as_str()).and_then(|&j| units.get(j)) else {
            out.push(row.clone());
            continue;
        };
        let mut new = vec![Cell::from(name.as_str())];
        for (c, meaning) in meanings.iter().enumerate() {
            new.push(match (meaning, number(c)) {
                (ColumnMeaning::Plain | ColumnMeaning::Probability, _) => cells.get(c).cloned().unwrap_or(Cell::Empty),
                (_, None) => Cell::Empty,
                (meaning, Some(v)) => {
                    if *meaning == ColumnMeaning::Coefficient {
                        constant[c] -= v * shift / scale;
                    }
                    (v / scale).into()
                }
            });
        }
        out.push(new);
    }
    if has_constant || constant.iter().any(|c| *c != 0.0) {
        let cell =
            |(meaning, v): (&ColumnMeaning, &f64)| if *meaning == ColumnMeaning::Coefficient { (*v).into() } else { Cell::Empty };
        out.insert(0, std::iter::once(Cell::from(INTERCEPT)).chain(meanings.iter().zip(&constant).map(cell)).collect());
    }
    let (columns, meanings) = (columns.clone(), std::iter::once(ColumnMeaning::Plain).chain(meanings.iter().copied()).collect());
    Some(Section::Table { title: format!("{title}, in the original units"), columns, meanings, rows: out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fitted, Problem, prepared};
    use ermine_core::{Context, Report, Roles};

    fn table<'r>(report: &'r Report, title: &str) -> (&'r [String], &'r [Vec<Cell>]) {
        let table = report.sections.iter().find_map(|s| match s {
            Section::Table { title: t, columns, rows, .. } if t == title => Some((&columns[..], &rows[..])),
            _ => None,
        });
        table.unwrap_or_else(|| panic!("no table {title}: {report:?}"))
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
        let table = |meaning: ColumnMeaning| Section::Table {
            title: "t".into(),
            columns: vec!["column".into(), "coefficient".into()],
            meanings: vec![ColumnMeaning::Plain, meaning],
            rows: vec![vec!["a".into(), 1.0.into()]],
        };
        assert_eq!(original_units(&table(ColumnMeaning::Plain), &schema, &[(1.0, 2.0)]), None);
        assert_eq!(original_units(&table(ColumnMeaning::Coefficient), &schema, &[(0.0, 1.0)]), None);
        assert!(original_units(&table(ColumnMeaning::Coefficient), &schema, &[(1.0, 2.0)]).is_some());
    }

    #[test]
    fn the_names_of_classes_and_columns_left_out_change_nothing() {
        let schema = Schema::numbers(["a", "b"]);
        let mut report = Report::default();
        let heads = [("p", ColumnMeaning::Coefficient), ("50% error", ColumnMeaning::Coefficient)];
        let rows = vec![vec![INTERCEPT.into(), 1.0.into(), 2.0.into()], vec!["b".into(), 3.0.into(), (-4.0).into()]];
        report.coefficients("Weights", &heads, rows);
        // a is (raw - 7) / 5 with coefficient 0, b is (raw - 1) / 2.
        let Some(Section::Table { rows, .. }) = original_units(&report.sections[0], &schema, &[(7.0, 5.0), (1.0, 2.0)]) else {
            panic!("a table of coefficients")
        };
        let want: [[Cell; 3]; 2] = [[INTERCEPT.into(), (-0.5).into(), 4.0.into()], ["b".into(), 1.5.into(), (-2.0).into()]];
        assert_eq!(rows, want);
    }
}
