//! Files of all learners.

use std::path::PathBuf;

use ermine_predict::{Column, Features, MatRef, Predictor, RowCell, Table, load};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/models"))
}

/// The rows whose predictions lie beside the files.
fn cells() -> Vec<f64> {
    (0..6 * 3).map(|i| f64::from(i) * 0.3 - 2.0).collect()
}

fn answers(p: &Predictor, x: &Features<'_>) -> Vec<f64> {
    let m = &p.model;
    let all = match (m.as_classifier(), m.as_regressor(), m.as_transformer()) {
        (Some(c), ..) => c.proba(x),
        (_, Some(r), _) => r.predict(x),
        (_, _, Some(t)) => t.transform(x),
        _ => panic!("{} answers nothing", p.learner),
    };
    all.unwrap_or_else(|e| panic!("{}: {e}", p.learner)).into_vec()
}

/// Every file opens and predicts what the model predicted when it was trained, by matrix and by the names of the columns.
#[test]
fn every_model_file_predicts_what_it_did() {
    let cells = cells();
    let x = Features::F64(MatRef::row_major(&cells, 6, 3));
    let mut seen = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "ermine") {
            continue;
        }
        let model = load(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let expected = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let expected: Vec<f64> = serde_json::from_str(&expected).unwrap();
        let actual = answers(&model, &x);
        let scale = expected.iter().fold(1e-300f64, |m, v| m.max(v.abs()));
        let far = expected.iter().zip(&actual).map(|(a, b)| (a - b).abs() / scale).fold(0.0, f64::max);
        // Products of kernels and factors of covariances are rounded otherwise than by the library that training uses.
        assert!(expected.len() == actual.len() && far < 1e-9, "{}: predictions moved by {far:e}", path.display());
        let table = by_name(&model, &cells);
        let named = match (model.model.as_classifier(), model.model.as_regressor()) {
            (Some(_), _) => model.proba(&table),
            (_, Some(_)) => model.predict(&table),
            _ => model.transform(&table),
        };
        let named = named.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let far = named.as_slice().iter().zip(&actual).map(|(a, b)| (a - b).abs() / scale).fold(0.0, f64::max);
        assert!(far < 1e-9, "{}: a table by name is {far:e} away", path.display());
        seen += 1;
    }
    assert!(seen > 60, "{seen} files");
}

/// The rows as a table whose columns are in another order, with one that the model does not know.
fn by_name(model: &Predictor, cells: &[f64]) -> Table {
    let column = |j: usize| Column::numbers(cells.chunks(3).map(|row| row[j]).collect());
    let mut columns: Vec<(String, Column)> =
        model.schema.names().enumerate().map(|(j, name)| (name.to_owned(), column(j))).collect();
    columns.reverse();
    columns.insert(1, ("note".to_owned(), Column::numbers(vec![7.0; cells.len() / 3])));
    Table::new(columns).unwrap()
}

#[test]
fn a_row_is_the_row_of_a_table() {
    let model = load(folder().join("pipeline-classification-format1.ermine")).unwrap();
    let cells = cells();
    let table = by_name(&model, &cells);
    let all = model.proba(&table).unwrap();
    let named: Vec<(&str, RowCell)> = model.schema.names().zip(&cells[3..6]).map(|(name, v)| (name, (*v).into())).collect();
    let row = model.row(named.into_iter().rev()).unwrap();
    assert_eq!(model.proba(&row).unwrap().row(0), all.row(1));
    let best = if all[(1, 0)] >= all[(1, 1)] { 0 } else { 1 };
    assert_eq!(model.classify(&row).unwrap(), [model.classes()[best].as_str()]);
    // A missing cell goes through the preparation.
    let row = model.row([("height", RowCell::Missing), ("width", 0.5.into()), ("depth", 1.0.into())]).unwrap();
    assert!(model.proba(&row).unwrap()[(0, 0)].is_finite());
}

#[test]
fn errors_name_the_column_and_what_the_model_can_do() {
    let model = load(folder().join("ridge-regression-format1.ermine")).unwrap();
    let row = model.row([("height", 1.0.into()), ("widht", 2.0.into()), ("depth", 3.0.into())]).unwrap();
    let e = model.predict(&row).unwrap_err().to_string();
    assert!(e.contains("\"width\"") && e.contains("widht"), "{e}");
    let row = model.row([("height", "tall".into()), ("width", 2.0.into()), ("depth", 3.0.into())]).unwrap();
    let e = model.predict(&row).unwrap_err().to_string();
    assert!(e.contains("\"height\"") && e.contains("number"), "{e}");
    let e = model.classify(&row).unwrap_err().to_string();
    assert!(e.contains("ridge") && e.contains("predict numbers"), "{e}");
    let e = model.row([("height", 1.0.into()), ("height", 2.0.into())]).unwrap_err().to_string();
    assert!(e.contains("\"height\" twice"), "{e}");
    let e = load(folder().join("ridge-regression-format1.json")).unwrap_err().to_string();
    assert!(e.contains("ridge-regression-format1.json"), "{e}");
}
