//! Data that does not want to be a mixture: right or said.

use ermine_core::*;
use ermine_mixture::{CovarianceType, Gmm, GmmInitMethod};
use serde_json::json;

use super::{features, fit, fixture, groups, lists, objective};

const KINDS: [CovarianceType; 5] =
    [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical, CovarianceType::TiedSpherical];

#[test]
fn fewer_rows_than_components_are_refused_with_the_numbers() {
    let x = groups(4, 2, 2, 3.0, 1);
    let e = fit(&Gmm { n_components: 5, ..Gmm::default() }, &x).unwrap_err().to_string();
    assert!(e.contains("4 rows") && e.contains("5 components") && e.contains("n_components"), "{e}");
    // Rows of weight 0 are no rows.
    let data = DatasetRef::new(features(&x)).with_weight(Some(&[1.0, 0.0, 1.0, 0.0]));
    let e = Gmm { n_components: 3, ..Gmm::default() }.fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("2 rows"), "{e}");
    // As many rows as components: each on its row, and said.
    for kind in KINDS {
        let model = fit(&Gmm { n_components: 4, covariance_type: kind, ..Gmm::default() }, &x).unwrap();
        assert!(model.log_density(&features(&x)).unwrap().iter().all(|d| d.is_finite()), "{kind:?}");
        if !matches!(kind, CovarianceType::Tied | CovarianceType::TiedSpherical) {
            assert!(model.certificate().unwrap().notes.iter().any(|n| n.contains("collapsed")), "{kind:?}");
        }
    }
}

#[test]
fn rows_that_are_all_equal_or_few_of_a_kind_are_fitted_and_said() {
    for kind in KINDS {
        for init in [GmmInitMethod::KMeans, GmmInitMethod::PlusPlus, GmmInitMethod::Rows, GmmInitMethod::Shares] {
            let same = Mat::from_fn(30, 3, |_, j| 5.0 + j as f64);
            let learner = Gmm { n_components: 2, covariance_type: kind, init_params: init, ..Gmm::default() };
            let model = fit(&learner, &same).unwrap();
            let density = model.log_density(&features(&same)).unwrap();
            // All mass on one point: the narrowest density that reg_covar allows.
            let want = -1.5 * (std::f64::consts::TAU * 1e-6).ln();
            assert!(density.iter().all(|d| (d - want).abs() < 1e-9), "{kind:?} {init:?}: {} for {want}", density[0]);
            let three = Mat::from_fn(60, 2, |i, j| [[0.0, 0.0], [4.0, 1.0], [9.0, -3.0]][i % 3][j]);
            let model =
                fit(&Gmm { n_components: 5, covariance_type: kind, init_params: init, ..Gmm::default() }, &three).unwrap();
            assert!(model.log_density(&features(&three)).unwrap().iter().all(|d| d.is_finite()), "{kind:?} {init:?}");
            assert!((model.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
    // Without a floor there is no density, and the error says which component and what to do.
    let same = Mat::from_fn(30, 3, |_, j| 5.0 + j as f64);
    let e = fit(&Gmm { n_components: 2, reg_covar: 0.0, ..Gmm::default() }, &same).unwrap_err().to_string();
    assert!(e.contains("component") && e.contains("reg_covar"), "{e}");
}

#[test]
fn a_constant_column_has_the_variance_of_the_floor_and_leaves_the_others_alone() {
    let x = groups(200, 2, 2, 3.0, 7);
    for constant in [0.0, 5.0, -1e-300, 1e12] {
        let wide = Mat::from_fn(200, 3, |i, j| [x[(i, 0)], constant, x[(i, 1)]][j]);
        for kind in [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag] {
            let learner = Gmm { n_components: 2, covariance_type: kind, tol: 1e-8, max_iter: 500, n_init: 8, ..Gmm::default() };
            let (a, b) = (fit(&learner, &x).unwrap(), fit(&learner, &wide).unwrap());
            let more = -0.5 * (std::f64::consts::TAU * 1e-6).ln() * 200.0;
            let (got, want) = (b.log_likelihood(), a.log_likelihood() + more);
            assert!((got - want).abs() <= 1e-6 * want.abs(), "{kind:?} {constant}: {got}, not {want}");
            assert!(b.certificate().unwrap().notes.iter().any(|n| n.contains("narrow")), "{kind:?} {constant}");
        }
    }
}

#[test]
fn a_column_of_another_size_changes_nothing_but_its_unit() {
    let x = groups(400, 3, 3, 4.0, 11);
    let huge = Mat::from_fn(400, 3, |i, j| if j == 1 { x[(i, j)] * 1e12 } else { x[(i, j)] });
    for kind in [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag] {
        for init in [GmmInitMethod::KMeans, GmmInitMethod::PlusPlus] {
            let learner = Gmm {
                n_components: 3,
                covariance_type: kind,
                init_params: init,
                tol: 1e-9,
                max_iter: 2000,
                n_init: 4,
                ..Gmm::default()
            };
            let (a, b) = (fit(&learner, &x).unwrap(), fit(&learner, &huge).unwrap());
            let want = a.log_likelihood() - 400.0 * 1e12f64.ln();
            assert!((b.log_likelihood() - want).abs() <= 1e-8 * want.abs(), "{kind:?} {init:?}: {} {want}", b.log_likelihood());
        }
    }
    // Beside a column that does not vary, which the floor has to hold up.
    let odd = Mat::from_fn(400, 4, |i, j| if j == 3 { 2.5 } else { huge[(i, j)] });
    let learner = Gmm { n_components: 3, tol: 1e-9, max_iter: 2000, n_init: 12, ..Gmm::default() };
    let (a, b) = (fit(&learner, &huge).unwrap(), fit(&learner, &odd).unwrap());
    let want = a.log_likelihood() - 0.5 * (std::f64::consts::TAU * 1e-6).ln() * 400.0;
    assert!((b.log_likelihood() - want).abs() <= 1e-6 * want.abs(), "{} {want}", b.log_likelihood());
}

#[test]
fn numbers_that_overflow_and_cells_that_are_none_are_named() {
    let mut x = groups(50, 2, 2, 3.0, 2);
    x[(17, 1)] = f64::INFINITY;
    let schema = Schema::numbers(["a", "b"]);
    let data = DatasetRef::new(features(&x)).with_schema(Some(&schema));
    let e = Gmm { n_components: 2, ..Gmm::default() }.fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("\"b\"") && e.contains("17"), "{e}");
    x[(17, 1)] = 1e200;
    let e = fit(&Gmm { n_components: 2, ..Gmm::default() }, &x).unwrap_err().to_string();
    assert!(e.contains("overflow") && e.contains("scale"), "{e}");
    // A new row that is far beyond everything belongs to the nearest component, with density 0.
    let y = groups(80, 2, 2, 8.0, 3);
    let model = fit(&Gmm { n_components: 2, ..Gmm::default() }, &y).unwrap();
    for far in [1e160, -1e300, f64::MAX] {
        let row = Mat::from_vec(1, 2, vec![far, 0.0]);
        let p = model.posterior(&features(&row)).unwrap();
        assert!(p.as_slice().iter().all(|v| v.is_finite()) && (p.as_slice().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(model.log_density(&features(&row)).unwrap(), [f64::NEG_INFINITY]);
    }
    let row = Mat::from_vec(1, 2, vec![f64::INFINITY, 0.0]);
    assert!(model.posterior(&features(&row)).is_err() && model.log_density(&features(&row)).is_err());
    assert!(model.assign(&Features::F64(MatRef::row_major(&[1.0], 1, 1))).is_err());
}

#[test]
fn a_column_far_from_zero_costs_no_digits() {
    let x = groups(300, 3, 2, 3.0, 6);
    let moved = Mat::from_fn(300, 3, |i, j| x[(i, j)] + [1e9, -3e7, 0.0][j]);
    for kind in KINDS {
        let learner = Gmm { n_components: 2, covariance_type: kind, tol: 1e-9, max_iter: 500, n_init: 8, ..Gmm::default() };
        let (a, b) = (fit(&learner, &x).unwrap(), fit(&learner, &moved).unwrap());
        // The cells themselves have lost digits: nine of them are gone in the first column.
        assert!((a.log_likelihood() - b.log_likelihood()).abs() < 1e-5 * a.log_likelihood().abs(), "{kind:?}");
    }
}

#[test]
fn a_collapsing_start_is_left_for_another() {
    // Two of the three rows given as means coincide; k-means puts one component on an outlier of two equal rows.
    let mut x = groups(100, 2, 2, 4.0, 12);
    x.row_mut(98).copy_from_slice(&[60.0, 60.0]);
    x.row_mut(99).copy_from_slice(&[60.0, 60.0]);
    let model = fit(
        &Gmm { n_components: 3, init_params: GmmInitMethod::Rows, n_init: 10, tol: 1e-6, max_iter: 500, ..Gmm::default() },
        &x,
    )
    .unwrap();
    // Whatever was found, a component on two rows is said.
    let sizes: Vec<f64> = model.weights().iter().map(|w| w * 100.0).collect();
    let collapsed = sizes.iter().any(|s| *s < 2.9);
    let noted = model.certificate().unwrap().notes.iter().any(|n| n.contains("collapsed"));
    assert_eq!(collapsed, noted, "{sizes:?} {:?}", model.certificate().unwrap().notes);
    assert!(objective(&model).windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()));
}

#[test]
fn parameters_that_do_not_fit_are_refused_by_name() {
    let x = fixture("iris.csv.gz");
    let mut learner = Gmm::default();
    for (name, value) in [
        ("n_components", json!(0)),
        ("covariance_type", json!("round")),
        ("tol", json!(-1.0)),
        ("reg_covar", json!(-1e-3)),
        ("weights_init", json!([0.3])),
        ("weights_init", json!([0.5, 0.5])),
        ("means_init", json!([[1.0], [2.0]])),
        ("means_init", json!([[]])),
        ("precisions_init", json!([[1.0]])),
        ("precisions_init", json!([[[1.0, 2.0], [2.0, 1.0]]])),
        ("covariance_prior", json!(-1.0)),
        ("choose", json!("best")),
        ("folds", json!(1)),
        ("n_init", json!(0)),
    ] {
        let e = learner.set(name, value.clone()).unwrap_err().to_string();
        assert!(e.contains(name) && learner == Gmm::default(), "{name} {value}: {e}");
    }
    for (name, learner) in [
        ("means_init", Gmm { means_init: Some(vec![vec![1.0, 2.0]]), ..Gmm::default() }),
        ("precisions_init", Gmm { precisions_init: json!([[[1.0]]]), ..Gmm::default() }),
        ("degrees_of_freedom_prior", Gmm { degrees_of_freedom_prior: Some(2.0), ..Gmm::default() }),
        ("covariance_prior", Gmm { degrees_of_freedom_prior: Some(9.0), covariance_prior: json!([[1.0]]), ..Gmm::default() }),
        (
            "choose",
            Gmm { choose: Some(ermine_mixture::ComponentCriterion::Bic), means_init: Some(lists(&x, &[0])), ..Gmm::default() },
        ),
    ] {
        let e = fit(&learner, &x).unwrap_err().to_string();
        assert!(e.contains(name), "{name}: {e}");
    }
}
