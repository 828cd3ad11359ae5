//! Isotonic regression against its reference value.

use ermine_math::isotonic::isotonic;
use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");

#[test]
fn old_faithful_has_the_levels_of_the_reference() {
    let book = std::fs::read_to_string(format!("{FIXTURES}/reference/linear_models.json")).unwrap();
    let book: Value = serde_json::from_str(&book).unwrap();
    let case = book["cases"].as_array().unwrap().iter().find(|c| c["id"] == "isotonic_faithful").unwrap();
    let (expected, rel) = (&case["expected"], case["tolerance"]["rel"].as_f64().unwrap());
    let near = |a: f64, b: &Value| (a - b.as_f64().unwrap()).abs() <= rel * b.as_f64().unwrap().abs();

    let table = ermine_data::read_table(format!("{FIXTURES}/data/old_faithful.csv.gz")).unwrap();
    let column = |name: &str| {
        let at = table.schema().names().position(|n| n == name).unwrap();
        table.view().numbers(at).unwrap().to_vec()
    };
    let (x, y) = (column("eruptions"), column("waiting"));
    let fit = isotonic(&x, &y, None);

    let rss: f64 = x.iter().zip(&y).map(|(&x, y)| (y - fit.at(x)).powi(2)).sum();
    assert!(near(rss, &expected["rss"]), "rss {rss}");
    let distinct = 1 + fit.levels.windows(2).filter(|l| l[0] < l[1]).count();
    assert_eq!(distinct as u64, expected["distinct_levels"].as_u64().unwrap());
    for (at, level) in expected["fitted_at"].as_array().unwrap().iter().zip(expected["fitted"].as_array().unwrap()) {
        assert!(near(fit.at(at.as_f64().unwrap()), level), "at {at}: {}", fit.at(at.as_f64().unwrap()));
    }
}
