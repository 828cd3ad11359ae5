//! The reference book, and data whose groups are known.

use ermine_core::*;
use ermine_mixture::{CovarianceType, Covariances, Gmm, GmmInitMethod};
use serde_json::Value;

use super::{fit, fixture, lists, objective};

#[test]
fn the_book_of_mixtures_is_reproduced() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/reference/clustering.json");
    let book: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut seen = 0;
    for case in book["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let Some(kind) = id.strip_prefix("gmm_").and_then(|rest| rest.split('_').next()) else { continue };
        seen += 1;
        let x = fixture(case["data"].as_str().unwrap().rsplit('/').next().unwrap());
        let rows: Vec<usize> =
            case["params"]["initial_means_are_rows"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect();
        let (expected, tolerance) = (&case["expected"], &case["tolerance"]);
        let near = |got: f64, want: &Value, tolerance: &Value, what: &str| {
            let (want, rel) = (want.as_f64().unwrap(), tolerance.as_f64().unwrap());
            assert!((got - want).abs() <= rel * want.abs(), "{id} {what}: {got}, not {want}");
        };
        let mut learner = Gmm {
            n_components: rows.len(),
            init_params: GmmInitMethod::Rows,
            means_init: Some(lists(&x, &rows)),
            reg_covar: 0.0,
            tol: 0.0,
            max_iter: 400,
            ..Gmm::default()
        };
        AnyLearner::set(&mut learner, "covariance_type", kind.into()).unwrap();
        let model = fit(&learner, &x).unwrap();
        let course = objective(&model);
        for (t, want) in expected["loglik_after"].as_object().unwrap() {
            near(course[t.parse::<usize>().unwrap()], want, &tolerance["loglik_rel"], &format!("log likelihood after {t} steps"));
        }
        near(model.log_likelihood(), &expected["loglik_converged"], &tolerance["loglik_rel"], "log likelihood");
        assert_eq!(model.log_likelihood(), *course.last().unwrap());
        for (c, want) in expected["weights"].as_array().unwrap().iter().enumerate() {
            near(model.weights()[c], want, &tolerance["params_rel"], "weight");
        }
        for (c, row) in expected["means"].as_array().unwrap().iter().enumerate() {
            for (j, want) in row.as_array().unwrap().iter().enumerate() {
                near(model.means()[(c, j)], want, &tolerance["params_rel"], "mean");
            }
        }
        if let Some(covariances) = expected["covariances"].as_array() {
            for (c, m) in covariances.iter().enumerate() {
                let got = model.covariances().matrix(c, x.cols());
                for i in 0..x.cols() {
                    for j in 0..x.cols() {
                        near(got[(i, j)], &m[i][j], &tolerance["params_rel"], "covariance");
                    }
                }
            }
        }
        if let Some(bic) = expected.get("bic") {
            near(model.bic(), bic, &tolerance["loglik_rel"], "bic");
        }
    }
    assert_eq!(seen, 5);
}

#[test]
fn soft_em_finds_the_two_regimes_of_old_faithful() {
    // Short eruptions after short waits and long ones after long waits (Azzalini and Bowman 1990): about 2.04 minutes and 54.5, and 4.29 and 80.
    let x = fixture("old_faithful.csv.gz");
    for init in [GmmInitMethod::KMeans, GmmInitMethod::PlusPlus, GmmInitMethod::Rows] {
        for seed in 0..5 {
            let learner = Gmm { n_components: 2, init_params: init, tol: 1e-8, max_iter: 1000, n_init: 3, ..Gmm::default() };
            let model = learner.fit_with(&DatasetRef::new(Features::F64(x.view())), &Context::seeded(seed)).unwrap();
            let (short, long) = if model.means()[(0, 0)] < model.means()[(1, 0)] { (0, 1) } else { (1, 0) };
            let near = |got: f64, want: f64| assert!((got - want).abs() < 0.01 * want, "{init:?} {seed}: {got}, not {want}");
            near(model.means()[(short, 0)], 2.0364);
            near(model.means()[(short, 1)], 54.478);
            near(model.means()[(long, 0)], 4.2897);
            near(model.means()[(long, 1)], 79.968);
            near(model.weights()[long], 0.6441);
            assert!((model.log_likelihood() + 1130.264).abs() < 1e-3);
            let groups = model.assign(&Features::F64(x.view())).unwrap();
            let long_ones = groups.iter().filter(|g| **g as usize == long).count();
            assert!((170..=180).contains(&long_ones), "{long_ones}");
        }
    }
}

#[test]
fn mixtures_of_iris_are_at_least_as_likely_as_those_of_mclust() {
    // mclust's VVV with three components reaches a log likelihood of -180.186 on iris.
    let x = fixture("iris.csv.gz");
    let learner = Gmm { n_components: 3, tol: 1e-9, max_iter: 2000, n_init: 5, ..Gmm::default() };
    let model = fit(&learner, &x).unwrap();
    assert!(model.log_likelihood() >= -180.2, "{}", model.log_likelihood());
    assert!(model.certificate().unwrap().converged);
}

#[test]
fn one_component_is_the_mean_and_the_covariance() {
    let x = fixture("iris.csv.gz");
    let (n, p) = (x.rows(), x.cols());
    let mean: Vec<f64> = (0..p).map(|j| x.view().col_iter(j).sum::<f64>() / n as f64).collect();
    let covariance =
        Mat::from_fn(p, p, |a, b| (0..n).map(|i| (x[(i, a)] - mean[a]) * (x[(i, b)] - mean[b])).sum::<f64>() / n as f64);
    for kind in [
        CovarianceType::Full,
        CovarianceType::Tied,
        CovarianceType::Diag,
        CovarianceType::Spherical,
        CovarianceType::TiedSpherical,
    ] {
        let model = fit(&Gmm { covariance_type: kind, ..Gmm::default() }, &x).unwrap();
        assert_eq!(model.covariances().kind(), kind);
        let got = model.covariances().matrix(0, p);
        let trace = (0..p).map(|j| covariance[(j, j)]).sum::<f64>() / p as f64;
        for a in 0..p {
            assert!((model.means()[(0, a)] - mean[a]).abs() < 1e-13);
            for b in 0..p {
                let want = match (kind, a == b) {
                    (CovarianceType::Full | CovarianceType::Tied, _) | (CovarianceType::Diag, true) => covariance[(a, b)],
                    (CovarianceType::Diag, false) => 0.0,
                    (_, same) => {
                        if same {
                            trace
                        } else {
                            0.0
                        }
                    }
                };
                assert!((got[(a, b)] - want).abs() < 1e-13, "{kind:?} ({a}, {b})");
            }
        }
    }
    assert!(matches!(fit(&Gmm::default(), &x).unwrap().covariances(), Covariances::Full(all) if all.len() == 1));
}
