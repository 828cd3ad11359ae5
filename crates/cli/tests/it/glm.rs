//! Counts with an exposure, through the real binary: the preparation leaves the exposure alone, and prediction uses it.

use std::fmt::Write;
use std::path::Path;

use crate::command::{fails, json};

/// Claims that are proportional to the exposure, with a category and a missing age.
fn write_claims(path: &Path, factor: f64) {
    let mut text = String::from("age,region,expo,nclaims\n");
    for i in 0..400 {
        let age = if i == 7 { String::new() } else { format!("{}", 18 + (i * 37) % 60) };
        let expo = 0.1 + f64::from((i * 13) % 90) / 100.0;
        let claims = f64::from((i * 7919) % 100) < 60.0 * expo;
        writeln!(text, "{age},{},{},{}", ["north", "south", "west"][i as usize % 3], factor * expo, u8::from(claims)).unwrap();
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn an_exposure_reaches_the_model_and_its_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (claims, twice, model) = (at("claims.csv"), at("twice.csv"), at("claims.ermine"));
    write_claims(Path::new(&claims), 1.0);
    write_claims(Path::new(&twice), 2.0);
    let fit = ["fit", &claims, "--target", "nclaims", "--task", "regression", "--model", "glm", "--set", "family=poisson"];
    let v = json(&[&fit[..], &["--set", "exposure=expo", "-o", &model]].concat());
    assert_eq!((v["model"].as_str(), v["params"]["exposure"].as_str()), (Some("glm"), Some("expo")));
    assert_eq!(v["certificate"]["converged"], true, "{v}");
    let predictions = |data: &str| -> Vec<f64> {
        json(&["predict", &model, data])["predictions"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect()
    };
    let (once, double) = (predictions(&claims), predictions(&twice));
    assert_eq!(once.len(), 400);
    once.iter().zip(&double).for_each(|(a, b)| assert!((b / a - 2.0).abs() < 1e-12, "{a} {b}"));
    // With an intercept and the canonical link the means add up to the counts.
    let total: f64 = once.iter().sum();
    let counts = (0..400).filter(|i| f64::from((i * 7919) % 100) < 60.0 * (0.1 + f64::from((i * 13) % 90) / 100.0)).count();
    assert!((total - counts as f64).abs() < 1e-6 * total, "{total} {counts}");
    // From a stream it is the same model.
    let streamed = at("streamed.ermine");
    json(&[&fit[..], &["--set", "exposure=expo", "--stream", "-o", &streamed]].concat());
    let again = json(&["predict", &streamed, &claims]);
    for (a, b) in once.iter().zip(again["predictions"].as_array().unwrap()) {
        assert!((a - b.as_f64().unwrap()).abs() <= 1e-9 * a);
    }
}

#[test]
fn an_exposure_that_cannot_be_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let claims = folder.path().join("claims.csv").to_str().unwrap().to_owned();
    write_claims(Path::new(&claims), 1.0);
    let fit = |more: &[&str]| {
        fails(
            &[
                &["fit", &claims, "--target", "nclaims", "--task", "regression", "--model", "glm", "--set", "family=poisson"],
                more,
            ]
            .concat(),
        )
        .1
    };
    let e = fit(&["--set", "exposure=exop"]);
    assert!(e.contains("exop") && e.contains("expo"), "{e}");
    let e = fit(&["--set", "exposure=2"]);
    assert!(e.contains("column number 2") && e.contains("name"), "{e}");
    let e = fit(&["--set", "exposure=region"]);
    assert!(e.contains("\"region\"") && e.contains("category"), "{e}");
    let e = fit(&["--set", "exposure=age"]);
    assert!(e.contains("age") && e.contains("row 8"), "{e}");
    let e = fit(&["--set", "exposure=expo", "--set", "link=identity"]);
    assert!(e.contains("link=log"), "{e}");
    std::fs::write(&claims, "age,n\n1,2\n2,-1\n3,4\n").unwrap();
    let e = fails(&["fit", &claims, "--target", "n", "--task", "regression", "--model", "glm", "--set", "family=poisson"]).1;
    assert!(e.contains("row 2") && e.contains("-1") && e.contains("from 0 up"), "{e}");
}
