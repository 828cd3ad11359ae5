//! Hard steps with equal spheres are the steps of k-means.

use ermine_cluster::KMeans;
use ermine_core::*;
use ermine_mixture::{CovarianceType, EmAlgorithm, Gmm};
use proptest::prelude::*;
use serde_json::json;

use super::{fit, groups, lists};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]
    #[test]
    fn hard_em_with_equal_spheres_and_weights_is_k_means_step_for_step(
        (rows, cols, k) in (40usize..400, 1usize..6, 1usize..7),
        apart in 0.5f64..6.0,
        seed in any::<u64>(),
    ) {
        let x = groups(rows, cols, k, apart, seed);
        let start = lists(&x, &(0..k).collect::<Vec<_>>());
        for steps in [1, 2, 3, 5, 8, 13, 40] {
            let kmeans = KMeans { n_clusters: k.into(), init: json!(start), tol: 0.0, max_iter: steps, ..KMeans::default() };
            let clusters = kmeans.fit_with(&DatasetRef::new(Features::F64(x.view())), &Context::default()).unwrap();
            // A center without rows moves in k-means; a component without rows stays.
            prop_assume!(clusters.sizes().iter().all(|s| *s > 0.0));
            let learner = Gmm {
                n_components: k,
                covariance_type: CovarianceType::TiedSpherical,
                algorithm: EmAlgorithm::Hard,
                equal_weights: true,
                means_init: Some(start.clone()),
                reg_covar: 0.0,
                tol: 0.0,
                max_iter: clusters.iterations(),
                ..Gmm::default()
            };
            // With one row per group there is no spread left, and no density.
            prop_assume!(clusters.inertia() > 0.0);
            let mixture = fit(&learner, &x).unwrap();
            let labels = mixture.assign(&Features::F64(x.view())).unwrap();
            prop_assert_eq!(&labels, &clusters.assign(&Features::F64(x.view())).unwrap(), "after {} steps", steps);
            for c in 0..k {
                for j in 0..cols {
                    prop_assert!((mixture.means()[(c, j)] - clusters.centers()[(c, j)]).abs() <= 1e-12 * (1.0 + clusters.centers()[(c, j)].abs()));
                }
            }
            // The variance is the inertia of the step before, a cell.
            let inertia = clusters.trace().unwrap().column("objective").unwrap();
            let course = mixture.trace().unwrap().column("objective").unwrap();
            let (n, p) = (rows as f64, cols as f64);
            let v = mixture.covariances().matrix(0, cols)[(0, 0)];
            let now = clusters.inertia();
            let want = -n * (k as f64).ln() - 0.5 * (n * p * (std::f64::consts::TAU * v).ln() + now / v);
            let got = *course.last().unwrap();
            prop_assert!((got - want).abs() <= 1e-9 * want.abs(), "{} {} {:?}", got, want, inertia);
        }
    }
}
