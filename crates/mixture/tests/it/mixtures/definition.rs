//! Steps as the definition has them, in plain loops.

use ermine_core::*;
use ermine_math::linalg::Cholesky;
use ermine_mixture::{CovarianceRegularization, CovarianceType, EmAlgorithm, Gmm, GmmModel};
use proptest::prelude::*;
use serde_json::json;

use super::{groups, lists, objective};

struct NaiveMixture {
    weights: Vec<f64>,
    means: Mat<f64>,
    covariances: Vec<Mat<f64>>,
}

fn log_normal(x: &[f64], mean: &[f64], covariance: &Mat<f64>) -> f64 {
    let factor = Cholesky::new(covariance.view()).unwrap();
    let d: Vec<f64> = x.iter().zip(mean).map(|(x, m)| x - m).collect();
    let mut s = d.clone();
    factor.solve_vec(&mut s);
    let square: f64 = d.iter().zip(&s).map(|(a, b)| a * b).sum();
    -0.5 * (square + factor.log_determinant() + x.len() as f64 * std::f64::consts::TAU.ln())
}

impl NaiveMixture {
    /// ln πₖ N of a row.
    fn joint(&self, x: &[f64]) -> Vec<f64> {
        (0..self.weights.len()).map(|c| self.weights[c].ln() + log_normal(x, self.means.row(c), &self.covariances[c])).collect()
    }

    /// One step; the log likelihood (or, of hard steps, its counterpart) before it, and the least share of rows that a component has.
    fn step(&mut self, x: &Mat<f64>, w: &[f64], kind: CovarianceType, hard: bool, equal: bool) -> (f64, f64) {
        let (n, p, k) = (x.rows(), x.cols(), self.weights.len());
        let mut total = 0.0;
        let mut share = Mat::zeros(n, k);
        for i in 0..n {
            let joint = self.joint(x.row(i));
            let most = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if hard {
                share[(i, joint.iter().position(|j| *j == most).unwrap())] = w[i];
                total += w[i] * most;
            } else {
                let sum: f64 = joint.iter().map(|j| (j - most).exp()).sum();
                (0..k).for_each(|c| share[(i, c)] = w[i] * (joint[c] - most).exp() / sum);
                total += w[i] * (most + sum.ln());
            }
        }
        let all: f64 = w.iter().sum();
        let mut scatters = Vec::new();
        let mut sizes = Vec::new();
        for c in 0..k {
            let size: f64 = (0..n).map(|i| share[(i, c)]).sum();
            for j in 0..p {
                self.means[(c, j)] = (0..n).map(|i| share[(i, c)] * x[(i, j)]).sum::<f64>() / size;
            }
            let d = |i: usize, j: usize| x[(i, j)] - self.means[(c, j)];
            scatters.push(Mat::from_fn(p, p, |a, b| (0..n).map(|i| share[(i, c)] * d(i, a) * d(i, b)).sum::<f64>()));
            sizes.push(size);
            self.weights[c] = if equal { 1.0 / k as f64 } else { size / all };
        }
        let pooled = Mat::from_fn(p, p, |a, b| scatters.iter().map(|s| s[(a, b)]).sum::<f64>() / all);
        let sphere = |m: &Mat<f64>, by: f64| {
            let v = (0..p).map(|j| m[(j, j)]).sum::<f64>() / (by * p as f64);
            Mat::from_fn(p, p, |a, b| if a == b { v } else { 0.0 })
        };
        for c in 0..k {
            let s = &scatters[c];
            self.covariances[c] = match kind {
                CovarianceType::Full => Mat::from_fn(p, p, |a, b| s[(a, b)] / sizes[c]),
                CovarianceType::Tied => pooled.clone(),
                CovarianceType::Diag => Mat::from_fn(p, p, |a, b| if a == b { s[(a, a)] / sizes[c] } else { 0.0 }),
                CovarianceType::Spherical => sphere(s, sizes[c]),
                CovarianceType::TiedSpherical => sphere(&pooled, 1.0),
            };
        }
        (total, sizes.iter().copied().fold(f64::INFINITY, f64::min) / all)
    }
}

const KINDS: [CovarianceType; 5] =
    [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical, CovarianceType::TiedSpherical];

/// Identity precisions in the form that a kind asks for.
fn identities(kind: CovarianceType, k: usize, p: usize) -> serde_json::Value {
    let identity: Vec<Vec<f64>> = (0..p).map(|i| (0..p).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    match kind {
        CovarianceType::Full => json!(vec![identity; k]),
        CovarianceType::Tied => json!(identity),
        CovarianceType::Diag => json!(vec![vec![1.0; p]; k]),
        CovarianceType::Spherical => json!(vec![1.0; k]),
        CovarianceType::TiedSpherical => json!(1.0),
    }
}

fn weighted(learner: &Gmm, x: &Mat<f64>, w: &[f64]) -> GmmModel {
    learner.fit_with(&DatasetRef::new(Features::F64(x.view())).with_weight(Some(w)), &Context::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn steps_are_those_of_the_definition(
        (rows, cols, k) in (60usize..160, 1usize..5, 1usize..4),
        kind in 0usize..5,
        hard in any::<bool>(),
        equal in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let kind = KINDS[kind];
        let x = groups(rows, cols, k, 2.0, seed);
        let w: Vec<f64> = (0..rows).map(|i| 0.5 + (i % 3) as f64).collect();
        let start: Vec<usize> = (0..k).collect();
        let learner = Gmm {
            n_components: k,
            covariance_type: kind,
            algorithm: if hard { EmAlgorithm::Hard } else { EmAlgorithm::Soft },
            equal_weights: equal,
            means_init: Some(lists(&x, &start)),
            precisions_init: identities(kind, k, cols),
            reg_covar: 0.0,
            tol: 0.0,
            max_iter: 4,
            ..Gmm::default()
        };
        let identity = Mat::from_fn(cols, cols, |i, j| f64::from(u8::from(i == j)));
        let mut plain = NaiveMixture { weights: vec![1.0 / k as f64; k], means: x.view().take_rows(&start), covariances: vec![identity; k] };
        let mut course = Vec::new();
        for _ in 0..4 {
            let (objective, least) = plain.step(&x, &w, kind, hard, equal);
            course.push(objective);
            // A component that hardly any row belongs to is another matter, at whatever step.
            prop_assume!(least > 3.0 * (cols + 1) as f64 / rows as f64);
        }
        let model = weighted(&learner, &x, &w);
        for (got, want) in objective(&model).iter().zip(&course) {
            prop_assert!((got - want).abs() <= 1e-9 * (1.0 + want.abs()), "{got} {want}");
        }
        for c in 0..k {
            prop_assert!((model.weights()[c] - plain.weights[c]).abs() < 1e-9);
            let got = model.covariances().matrix(c, cols);
            for a in 0..cols {
                prop_assert!((model.means()[(c, a)] - plain.means[(c, a)]).abs() < 1e-8);
                for b in 0..cols {
                    prop_assert!((got[(a, b)] - plain.covariances[c][(a, b)]).abs() < 1e-8);
                }
            }
        }
        // What the model says of rows is what the parameters say.
        let now = NaiveMixture {
            weights: model.weights().to_vec(),
            means: model.means().clone(),
            covariances: (0..k).map(|c| model.covariances().matrix(c, cols)).collect(),
        };
        let (density, posterior) = (model.log_density(&Features::F64(x.view())).unwrap(), model.posterior(&Features::F64(x.view())).unwrap());
        for i in 0..rows {
            let joint = now.joint(x.row(i));
            let total = ermine_math::loss::log_sum_exp(&joint);
            prop_assert!((density[i] - total).abs() <= 1e-9 * (1.0 + total.abs()));
            (0..k).for_each(|c| assert!((posterior[(i, c)] - (joint[c] - total).exp()).abs() < 1e-9));
        }
    }
}

#[test]
fn a_weight_of_two_is_the_row_twice_and_zero_is_none() {
    let x = groups(200, 3, 2, 2.0, 4);
    let w: Vec<f64> = (0..200).map(|i| (i % 3) as f64).collect();
    let twice: Vec<usize> = (0..200).flat_map(|i| vec![i; i % 3]).collect();
    for kind in KINDS {
        let learner = Gmm { n_components: 2, covariance_type: kind, tol: 1e-10, max_iter: 2000, ..Gmm::default() };
        let a = weighted(&learner, &x, &w);
        let b = super::fit(&learner, &x.view().take_rows(&twice)).unwrap();
        assert!((a.log_likelihood() - b.log_likelihood()).abs() < 1e-8 * b.log_likelihood().abs(), "{kind:?}");
        (0..2).for_each(|c| (0..3).for_each(|j| assert!((a.means()[(c, j)] - b.means()[(c, j)]).abs() < 1e-7)));
    }
}

#[test]
fn what_is_added_is_on_the_diagonal_and_the_floor_only_holds_up() {
    let x = groups(300, 3, 2, 3.0, 9);
    let base = Gmm { n_components: 2, tol: 1e-10, max_iter: 2000, reg_covar: 0.0, ..Gmm::default() };
    let plain = super::fit(&base, &x).unwrap();
    // A floor that nothing touches changes nothing.
    let floored = super::fit(&Gmm { reg_covar: 1e-3, ..base.clone() }, &x).unwrap();
    assert_eq!(floored.covariances(), plain.covariances());
    // A floor above the narrowest direction holds that one up and leaves the others.
    let spectrum =
        |m: &GmmModel, c: usize| ermine_math::linalg::eigenvalues_symmetric(m.covariances().matrix(c, 3).view()).unwrap();
    let least = spectrum(&plain, 0)[2].min(spectrum(&plain, 1)[2]);
    let regularized = super::fit(&Gmm { reg_covar: 2.0 * least, ..base.clone() }, &x).unwrap();
    let values: Vec<f64> = [spectrum(&regularized, 0), spectrum(&regularized, 1)].concat();
    assert!(values.iter().all(|v| *v >= 2.0 * least * (1.0 - 1e-9)), "{values:?}");
    assert!(regularized.certificate().unwrap().notes.iter().any(|n| n.contains("narrow")));
    // One component: the covariance plus what was asked for.
    let one = super::fit(&Gmm { n_components: 1, regularize: CovarianceRegularization::Add, reg_covar: 0.5, ..base.clone() }, &x)
        .unwrap();
    let alone = super::fit(&Gmm { n_components: 1, ..base }, &x).unwrap();
    for a in 0..3 {
        for b in 0..3 {
            let want = alone.covariances().matrix(0, 3)[(a, b)] + if a == b { 0.5 } else { 0.0 };
            assert!((one.covariances().matrix(0, 3)[(a, b)] - want).abs() < 1e-12);
        }
    }
}

#[test]
fn the_prior_counts_as_rows_seen_before() {
    let x = groups(120, 2, 1, 1.0, 3);
    let free = super::fit(&Gmm::default(), &x).unwrap();
    let prior = ermine_math::prior::Wishart::new(7.0, Mat::from_vec(2, 2, vec![2.0, 0.3, 0.3, 1.0])).unwrap();
    let scatter = Mat::from_fn(2, 2, |i, j| 120.0 * free.covariances().matrix(0, 2)[(i, j)]);
    let want = prior.update(120.0, scatter.view()).unwrap().covariance_mode();
    let learner =
        Gmm { degrees_of_freedom_prior: Some(7.0), covariance_prior: json!([[2.0, 0.3], [0.3, 1.0]]), ..Gmm::default() };
    let got = super::fit(&learner, &x).unwrap().covariances().matrix(0, 2);
    (0..2).for_each(|i| (0..2).for_each(|j| assert!((got[(i, j)] - want[(i, j)]).abs() < 1e-12)));
    for kind in KINDS {
        // The default prior keeps two components apart even where one has too few rows, without any floor.
        let mut y = groups(40, 4, 2, 4.0, 5);
        (0..40).for_each(|i| {
            if i >= 3 {
                (0..4).for_each(|j| y[(i, j)] = y[(i, j)] * 0.1 + 20.0)
            }
        });
        let learner = Gmm {
            n_components: 2,
            covariance_type: kind,
            degrees_of_freedom_prior: Some(6.0),
            reg_covar: 0.0,
            max_iter: 500,
            ..Gmm::default()
        };
        let model = super::fit(&learner, &y).unwrap();
        let course = objective(&model);
        assert!(course.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()), "{kind:?} {course:?}");
    }
}
