//! A prior and a penalty are one thing: the MAP estimate of the one is the fit with the other.

use ermine_core::{Context, DatasetRef, Features, Learner, Mat, RngStream, Target};
use ermine_linear::{Glm, GlmFamily, Logistic, Ridge};
use ermine_math::prior::{ElasticPrior, GaussianPrior, LaplacePrior};

fn columns(rows: usize, cols: usize) -> Mat<f64> {
    let mut s = RngStream::new(4, "prior test", 0);
    Mat::from_fn(rows, cols, |_, _| s.normal())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The log posterior falls in every direction from here.
fn is_peak(at: &[f64], log_posterior: impl Fn(&[f64]) -> f64) {
    let best = log_posterior(at);
    for j in 0..at.len() {
        for h in [-1e-3, 1e-3] {
            let mut beside = at.to_vec();
            beside[j] += h;
            assert!(log_posterior(&beside) < best, "number {j}, step {h}");
        }
        let h = 1e-5;
        let along = |h: f64| {
            let mut beside = at.to_vec();
            beside[j] += h;
            log_posterior(&beside)
        };
        let slope = (along(h) - along(-h)) / (2.0 * h);
        let curvature = (along(1e-3) + along(-1e-3) - 2.0 * best) / 1e-6;
        assert!(slope.abs() < 1e-4 * curvature.abs(), "number {j}: slope {slope}");
    }
}

#[test]
fn ridge_is_the_map_estimate_of_a_gaussian_prior() {
    let (x, mut s) = (columns(40, 3), RngStream::new(1, "prior noise", 0));
    let (noise, prior) = (0.49, GaussianPrior { variance: 0.2 });
    let y: Vec<f64> = (0..40).map(|i| dot(x.row(i), &[0.5, -0.3, 0.0]) + 0.7 * s.normal()).collect();
    let rows = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let ridge = Ridge { alpha: prior.ridge_alpha(noise).into(), fit_intercept: false, ..Ridge::default() };
    let model = ridge.fit_with(&rows, &Context::default()).unwrap();
    is_peak(model.coef().row(0), |b| {
        let likelihood: f64 = (0..40).map(|i| -0.5 * (y[i] - dot(x.row(i), b)).powi(2) / noise).sum();
        likelihood + prior.log_density(b)
    });
    // The same through the other learner with the same likelihood.
    let glm = Glm { alpha: prior.glm_alpha(noise, 40.0), fit_intercept: false, ..Glm::default() };
    let other = glm.fit_with(&rows, &Context::default()).unwrap();
    (0..3).for_each(|j| assert!((other.coef()[j] - model.coef()[(0, j)]).abs() < 1e-10));
}

#[test]
fn logistic_is_the_map_estimate_of_a_gaussian_prior() {
    let x = columns(60, 2);
    let prior = GaussianPrior { variance: 0.8 };
    let names = ["no".to_owned(), "yes".to_owned()];
    let codes: Vec<u32> = (0..60).map(|i| u32::from((x[(i, 0)] > 0.2) != (i % 5 == 0))).collect();
    let rows = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &codes, names: &names });
    let logistic = Logistic { c: Some(prior.logistic_c()), fit_intercept: false, tol: 1e-8, ..Logistic::default() };
    let model = logistic.fit_with(&rows, &Context::default()).unwrap();
    is_peak(model.coef().row(0), |b| {
        let sign = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
        let likelihood: f64 = (0..60).map(|i| -(-sign(i) * dot(x.row(i), b)).exp().ln_1p()).sum();
        likelihood + prior.log_density(b)
    });
}

#[test]
fn a_penalized_count_model_is_the_map_estimate_of_a_gaussian_prior() {
    let x = columns(80, 2);
    let prior = GaussianPrior { variance: 0.05 };
    let y: Vec<f64> = (0..80).map(|i| (i % 4) as f64).collect();
    let rows = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let alpha = prior.glm_alpha(1.0, 80.0);
    let glm = Glm { family: GlmFamily::Poisson, alpha, fit_intercept: false, tol: 1e-8, ..Glm::default() };
    let model = glm.fit_with(&rows, &Context::default()).unwrap();
    is_peak(model.coef(), |b| {
        let likelihood: f64 = (0..80).map(|i| y[i] * dot(x.row(i), b) - dot(x.row(i), b).exp()).sum();
        likelihood + prior.log_density(b)
    });
}

/// With orthonormal columns the lasso and the elastic net have closed forms, which must be the peaks of the posteriors.
#[test]
fn lasso_and_elastic_net_are_the_map_estimates_of_their_priors() {
    let n = 8.0;
    // Columns of a Hadamard matrix: orthogonal, of squared length n.
    let x = Mat::from_fn(8, 3, |i, j| if (i >> j) & 1 == 0 { 1.0 } else { -1.0 });
    let y: Vec<f64> = (0..8).map(|i| 1.3 * x[(i, 0)] - 0.5 * x[(i, 1)] + 0.02 * x[(i, 2)] + 0.1 * ((i * i) % 5) as f64).collect();
    let noise = 0.9;
    let least_squares: Vec<f64> = (0..3).map(|j| (0..8).map(|i| x[(i, j)] * y[i]).sum::<f64>() / n).collect();
    let soft = |b: f64, t: f64| b.signum() * (b.abs() - t).max(0.0);
    let prior = ElasticPrior { gaussian: GaussianPrior { variance: 0.6 }, laplace: LaplacePrior { scale: 0.7 } };
    let likelihood = |b: &[f64]| -> f64 { (0..8).map(|i| -0.5 * (y[i] - dot(x.row(i), b)).powi(2) / noise).sum() };
    let lower = |at: &[f64], log_posterior: &dyn Fn(&[f64]) -> f64| {
        for j in 0..3 {
            for h in [-1e-4, 1e-4] {
                let mut beside = at.to_vec();
                beside[j] += h;
                assert!(log_posterior(&beside) < log_posterior(at), "number {j}, step {h}");
            }
        }
    };
    let alpha = prior.laplace.lasso_alpha(noise, n);
    let lasso: Vec<f64> = least_squares.iter().map(|&b| soft(b, alpha)).collect();
    assert!(lasso[2] == 0.0 && lasso[0] != 0.0);
    lower(&lasso, &|b| likelihood(b) + prior.laplace.log_density(b));
    let (alpha, ratio) = prior.elastic_net(noise, n);
    let net: Vec<f64> = least_squares.iter().map(|&b| soft(b, alpha * ratio) / (1.0 + alpha * (1.0 - ratio))).collect();
    lower(&net, &|b| likelihood(b) + prior.laplace.log_density(b) + prior.gaussian.log_density(b));
}
