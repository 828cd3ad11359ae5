//! What mixtures are used for: drawing rows, finding outliers; and the model file.

use ermine_core::*;
use ermine_eval::outlier;
use ermine_mixture::{CovarianceType, Gmm};

use super::{features, fit, groups};

const KINDS: [CovarianceType; 5] =
    [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical, CovarianceType::TiedSpherical];

#[test]
fn rows_that_are_drawn_have_the_moments_of_the_mixture() {
    let x = groups(400, 3, 2, 4.0, 41);
    for kind in KINDS {
        let model = fit(&Gmm { n_components: 2, covariance_type: kind, ..Gmm::default() }, &x).unwrap();
        let n = 60_000;
        let (drawn, labels) = model.mixture().sample(n, 5).unwrap();
        assert_eq!(drawn.rows(), n);
        assert!(labels.windows(2).all(|w| w[0] <= w[1]));
        for c in 0..2u32 {
            let own: Vec<usize> = (0..n).filter(|&i| labels[i] == c).collect();
            let (m, w) = (own.len() as f64, model.weights()[c as usize]);
            // Five standard errors.
            assert!((m / n as f64 - w).abs() < 5.0 * (w * (1.0 - w) / n as f64).sqrt());
            let cov = model.covariances().matrix(c as usize, 3);
            let mean: Vec<f64> = (0..3).map(|j| own.iter().map(|&i| drawn[(i, j)]).sum::<f64>() / m).collect();
            for a in 0..3 {
                assert!((mean[a] - model.means()[(c as usize, a)]).abs() < 5.0 * (cov[(a, a)] / m).sqrt(), "{kind:?}");
                for b in 0..3 {
                    let got = own.iter().map(|&i| (drawn[(i, a)] - mean[a]) * (drawn[(i, b)] - mean[b])).sum::<f64>() / m;
                    let error = ((cov[(a, a)] * cov[(b, b)] + cov[(a, b)].powi(2)) / m).sqrt();
                    assert!((got - cov[(a, b)]).abs() < 5.0 * error, "{kind:?} ({a}, {b}): {got}");
                }
            }
        }
        assert_eq!(model.sample(10, 5).unwrap(), model.sample(10, 5).unwrap());
        assert_ne!(model.sample(10, 5).unwrap(), model.sample(10, 6).unwrap());
        // The mean log density of drawn rows is minus the entropy, and that of training rows is near it.
        let own = model.log_density(&features(&drawn)).unwrap().iter().sum::<f64>() / n as f64;
        if kind == CovarianceType::Full {
            assert!((own - model.log_likelihood() / 400.0).abs() < 0.2);
        }
    }
}

#[test]
fn a_threshold_keeps_its_false_positive_rate_on_new_rows_and_finds_outliers() {
    let x = groups(4000, 2, 2, 6.0, 42);
    let model = fit(&Gmm { n_components: 2, ..Gmm::default() }, &x).unwrap();
    let new = model.mixture().sample(4000, 1).unwrap().0;
    let mut s = RngStream::new(3, "outliers", 0);
    let odd = Mat::from_fn(400, 2, |_, _| 40.0 * (s.uniform() - 0.5));
    let (known, fresh, found) = (
        model.log_density(&features(&x)).unwrap(),
        model.log_density(&features(&new)).unwrap(),
        model.log_density(&features(&odd)).unwrap(),
    );
    let share = |d: &[f64], tau: f64| outlier::flags(d, tau).iter().filter(|f| **f).count() as f64 / d.len() as f64;
    for rate in [0.01, 0.05, 0.2] {
        let tau = outlier::threshold(&known, None, rate).unwrap();
        assert!(share(&known, tau) <= rate && share(&known, tau) > rate - 0.001);
        // Five standard errors on rows that were not seen.
        assert!(
            (share(&fresh, tau) - rate).abs() < 5.0 * (rate * (1.0 - rate) / 4000.0).sqrt() + 0.005,
            "{rate}: {}",
            share(&fresh, tau)
        );
    }
    let all: Vec<f64> = fresh.iter().chain(&found).copied().collect();
    let labels: Vec<bool> = (0..all.len()).map(|i| i >= 4000).collect();
    let curve = outlier::roc_curve(&all, &labels, None).unwrap();
    assert!(
        curve
            .windows(2)
            .all(|w| w[0].false_positive_rate <= w[1].false_positive_rate && w[0].true_positive_rate <= w[1].true_positive_rate)
    );
    let at = curve.iter().rfind(|p| p.false_positive_rate <= 0.05).unwrap();
    assert!(at.true_positive_rate > 0.7, "{at:?}");
    let tau = outlier::threshold(&fresh, None, 0.05).unwrap();
    assert!((share(&found, tau) - at.true_positive_rate).abs() < 0.01);
}

#[test]
fn a_model_that_was_read_says_the_same_and_a_broken_one_is_refused() {
    let x = groups(120, 3, 2, 4.0, 43);
    for kind in KINDS {
        let model = fit(&Gmm { n_components: 2, covariance_type: kind, ..Gmm::default() }, &x).unwrap();
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        let again = Gmm::load(&out.clone().into_reader()).unwrap();
        assert_eq!(again.mixture(), model.mixture());
        assert_eq!(again.posterior(&features(&x)).unwrap(), model.posterior(&features(&x)).unwrap());
        assert_eq!((again.bic(), again.iterations()), (model.bic(), model.iterations()));
        let mut broken = out.clone();
        broken.vec("weights", &[0.7, 0.7]);
        assert!(Gmm::load(&broken.into_reader()).is_err());
        let mut broken = out.clone();
        broken.mat("means", &Mat::from_vec(2, 3, vec![f64::NAN; 6]));
        assert!(Gmm::load(&broken.into_reader()).is_err());
        let (shape, values) = out.clone().into_reader().array::<f64>("covariances").unwrap();
        out.array("covariances", &shape, &values.iter().map(|v| -v).collect::<Vec<_>>());
        assert!(Gmm::load(&out.into_reader()).is_err(), "{kind:?}");
    }
}

#[test]
fn the_report_tells_of_components_and_the_course() {
    let x = groups(120, 2, 2, 4.0, 44);
    let model =
        fit(&Gmm { n_components: 3, choose: Some(ermine_mixture::ComponentCriterion::Bic), ..Gmm::default() }, &x).unwrap();
    let report = model.report(&Schema::numbers(["width", "height"]));
    let titles: Vec<&str> = report
        .sections
        .iter()
        .filter_map(|s| match s {
            Section::Table { title, .. } | Section::Plot { title, .. } => Some(title.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(titles, ["Means", "Standard deviations", "Numbers of components", "Objective by step"]);
}
