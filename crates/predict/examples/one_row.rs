//! Predicts one row: `one_row MODEL COLUMN=VALUE …`.

use ermine_predict::{Result, RowCell};

fn answer(path: &str, cells: &[String]) -> Result<String> {
    let model = ermine_predict::load(path)?;
    let cell = |text: &str| match text.parse::<f64>() {
        Ok(number) => RowCell::Number(number),
        Err(_) if text.is_empty() => RowCell::Missing,
        Err(_) => text.into(),
    };
    let row = model.row(cells.iter().filter_map(|c| c.split_once('=')).map(|(name, text)| (name, cell(text))))?;
    Ok(if !model.classes().is_empty() {
        format!("{} {:?}", model.classify(&row)?[0], model.proba(&row)?.row(0))
    } else if model.model.as_regressor().is_some() {
        format!("{:?}", model.predict(&row)?.row(0))
    } else {
        format!("{:?}", model.transform(&row)?.row(0))
    })
}

fn main() {
    let mut words = std::env::args().skip(1);
    let path = words.next().unwrap_or_default();
    match answer(&path, &words.collect::<Vec<_>>()) {
        Ok(answer) => println!("{answer}"),
        Err(error) => eprintln!("error: {error}"),
    }
}

#[test]
fn a_row_is_predicted_by_name() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/models/ridge-regression-format1.ermine");
    let row = ["depth=-1.4", "height=-2", "width=-1.7"].map(str::to_owned);
    let answer = answer(path, &row).unwrap();
    assert!(answer.starts_with("[-1.927"), "{answer}");
}
