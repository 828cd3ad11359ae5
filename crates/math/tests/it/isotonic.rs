//! Isotonic regression against its reference value.

use ermine_fixtures::{TextTable, case, near, number};
use ermine_math::isotonic::isotonic;

#[test]
fn old_faithful_has_the_levels_of_the_reference() {
    let case = case("linear_models", "isotonic_faithful");
    let (expected, rel) = (&case["expected"], case["tolerance"]["rel"].as_f64().unwrap());

    let table = TextTable::read("old_faithful");
    let (x, y) = (table.numbers("eruptions"), table.numbers("waiting"));
    let fit = isotonic(&x, &y, None);

    let rss: f64 = x.iter().zip(&y).map(|(&x, y)| (y - fit.at(x)).powi(2)).sum();
    near(rss, &expected["rss"], rel, "rss");
    let distinct = 1 + fit.levels.windows(2).filter(|l| l[0] < l[1]).count();
    assert_eq!(distinct as u64, expected["distinct_levels"].as_u64().unwrap());
    for (at, level) in expected["fitted_at"].as_array().unwrap().iter().zip(expected["fitted"].as_array().unwrap()) {
        near(fit.at(number(at)), level, rel, &format!("at {at}"));
    }
}
