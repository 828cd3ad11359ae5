//! EM never goes down: thousands of random problems.

use ermine_core::*;
use ermine_mixture::{CovarianceRegularization, CovarianceType, EmAlgorithm, Gmm, GmmInitMethod};
use proptest::prelude::*;
use serde_json::Value;

use super::{fit, groups};

fn kinds() -> impl Strategy<Value = CovarianceType> {
    prop_oneof![
        Just(CovarianceType::Full),
        Just(CovarianceType::Tied),
        Just(CovarianceType::Diag),
        Just(CovarianceType::Spherical),
        Just(CovarianceType::TiedSpherical),
    ]
}

fn starts() -> impl Strategy<Value = GmmInitMethod> {
    prop_oneof![
        Just(GmmInitMethod::KMeans),
        Just(GmmInitMethod::PlusPlus),
        Just(GmmInitMethod::Rows),
        Just(GmmInitMethod::Shares)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]
    #[test]
    fn the_objective_never_falls(
        (rows, cols, k) in (8usize..60, 1usize..5, 1usize..5),
        kind in kinds(),
        init in starts(),
        (hard, equal, prior, holes) in any::<(bool, bool, bool, bool)>(),
        how in prop_oneof![Just(CovarianceRegularization::Floor), Just(CovarianceRegularization::Add), Just(CovarianceRegularization::Relative)],
        reg in prop_oneof![Just(1e-6), Just(1e-3), Just(0.1)],
        apart in 0.0f64..5.0,
        scale in prop_oneof![Just(1.0), Just(1e-2), Just(1e5)],
        seed in any::<u64>(),
    ) {
        let mut x = groups(rows, cols, k, apart, seed);
        let mut draws = RngStream::new(seed, "holes", 0);
        for v in x.as_mut_slice() {
            *v *= scale;
            if holes && draws.uniform() < 0.15 {
                *v = f64::NAN;
            }
        }
        // A row and a column of their own, so that something is always there.
        (0..cols).for_each(|j| x[(0, j)] = scale);
        let learner = Gmm {
            n_components: k,
            covariance_type: kind,
            algorithm: if hard { EmAlgorithm::Hard } else { EmAlgorithm::Soft },
            equal_weights: equal,
            init_params: init,
            regularize: how,
            // A relative one is in units of the columns already; 1e-10 of them is a matrix whose condition hides a step.
            reg_covar: if matches!(how, CovarianceRegularization::Relative) { reg } else { reg * scale * scale },
            degrees_of_freedom_prior: prior.then_some(cols as f64 + 2.0),
            covariance_prior: if prior { Value::from(scale * scale) } else { Value::Null },
            tol: 1e-9,
            max_iter: 60,
            ..Gmm::default()
        };
        let model = fit(&learner, &x).unwrap();
        let trace = model.trace().unwrap();
        let course = trace.column("objective").unwrap();
        for w in course.windows(2) {
            prop_assert!(w[1] >= w[0] - 1e-10 * w[0].abs().max(rows as f64), "{:?}: {:?}", learner, course);
        }
        // Without penalty and prior, the objective is the log likelihood itself; of hard steps it is that of the assignments.
        if how != CovarianceRegularization::Add && !prior && !hard {
            prop_assert_eq!(trace.column("log_likelihood").unwrap(), course);
        }
        prop_assert!((model.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// With fewer values than clusters, a start of k-means has a cluster without rows: it has neither mean nor variance of its own.
#[test]
fn a_start_with_an_empty_cluster_has_finite_components() {
    for kind in [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical] {
        for regularize in [CovarianceRegularization::Add, CovarianceRegularization::Floor, CovarianceRegularization::Relative] {
            let x = Mat::from_fn(24, 2, |i, j| if j == 1 && i % 5 == 0 { f64::NAN } else { (i % 2) as f64 });
            let learner = Gmm { n_components: 4, covariance_type: kind, regularize, max_iter: 60, ..Gmm::default() };
            let model = fit(&learner, &x).unwrap();
            assert!(model.trace().unwrap().column("objective").unwrap().iter().all(|v| v.is_finite()), "{learner:?}");
            assert!(model.means().as_slice().iter().all(|v| v.is_finite()), "{learner:?}");
            assert!(model.weights().contains(&0.0), "{learner:?}: every cluster had rows");
        }
    }
}
