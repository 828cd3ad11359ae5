//! Laws of a number given a row, and the parts of a risk.

use ermine_core::{Error, Mat, Result, RngStream};

use super::risk::SimulatedMean;
use crate::linalg::Cholesky;

/// y = f(x) + noise: rows from a sampler, the regression function, the standard deviation of the noise at x.
pub struct RegressionLaw<'a> {
    /// A row.
    pub draw_row: &'a dyn Fn(&mut RngStream) -> Vec<f64>,
    /// E[y|x]: under squared loss no prediction is better.
    pub function: &'a dyn Fn(&[f64]) -> f64,
    /// The standard deviation of y given x.
    pub noise: &'a dyn Fn(&[f64]) -> f64,
}

impl RegressionLaw<'_> {
    /// A row and its target, with Gaussian noise.
    pub fn draw(&self, stream: &mut RngStream) -> (Vec<f64>, f64) {
        let x = (self.draw_row)(stream);
        let y = (self.function)(&x) + (self.noise)(&x) * stream.normal();
        (x, y)
    }

    /// n rows and targets.
    pub fn sample(&self, n: usize, stream: &mut RngStream) -> (Mat<f64>, Vec<f64>) {
        let (mut rows, mut y, mut width) = (Vec::new(), Vec::with_capacity(n), 0);
        for _ in 0..n {
            let (x, target) = self.draw(stream);
            width = x.len();
            rows.extend(x);
            y.push(target);
        }
        (Mat::from_vec(n, width, rows), y)
    }

    /// The least risk, E Var(y|x).
    pub fn bayes_risk(&self, draws: usize, seed: u64) -> SimulatedMean {
        let mut stream = RngStream::new(seed, "regression risk", 0);
        SimulatedMean::of((0..draws).map(|_| (self.noise)(&(self.draw_row)(&mut stream)).powi(2)))
    }

    /// What a prediction loses against the regression function: E(g(x) − f(x))².
    pub fn excess_risk(&self, predict: &mut dyn FnMut(&[f64]) -> f64, draws: usize, seed: u64) -> SimulatedMean {
        let mut stream = RngStream::new(seed, "regression risk", 1);
        SimulatedMean::of((0..draws).map(|_| {
            let x = (self.draw_row)(&mut stream);
            (predict(&x) - (self.function)(&x)).powi(2)
        }))
    }
}

/// The parts of the risk of a linear prediction; they sum to it.
#[derive(Debug, Clone, PartialEq)]
pub struct RiskTerms {
    /// E Var(y|x).
    pub noise: f64,
    /// E(f(x) − w*·x)²: what the best line misses.
    pub approximation: f64,
    /// E((w* − w)·x)²: what the sample did not show.
    pub estimation: f64,
    /// The risk E(y − w·x)², computed on its own.
    pub risk: f64,
    /// The coefficients w* of the best line.
    pub best: Vec<f64>,
}

/// The parts of the risk of the line with coefficients `w` under a law of finitely many rows: their probabilities, the regression function and the
/// variance of the noise at each.
pub fn linear_risk_terms(
    rows: &Mat<f64>,
    probability: &[f64],
    function: &[f64],
    variance: &[f64],
    w: &[f64],
) -> Result<RiskTerms> {
    let (n, p) = (rows.rows(), rows.cols());
    for (what, found) in [("probabilities", probability.len()), ("values of f", function.len()), ("variances", variance.len())] {
        if found != n {
            return Err(Error::Length { what: format!("{what}, one per row"), expected: n, found });
        }
    }
    let gram = Mat::from_fn(p, p, |a, b| (0..n).map(|i| probability[i] * rows[(i, a)] * rows[(i, b)]).sum());
    let mut best: Vec<f64> = (0..p).map(|a| (0..n).map(|i| probability[i] * rows[(i, a)] * function[i]).sum()).collect();
    Cholesky::new(gram.view())?.solve_vec(&mut best);
    let line = |w: &[f64], i: usize| rows.row(i).iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
    let mean = |f: &dyn Fn(usize) -> f64| (0..n).map(|i| probability[i] * f(i)).sum::<f64>();
    Ok(RiskTerms {
        noise: mean(&|i| variance[i]),
        approximation: mean(&|i| (function[i] - line(&best, i)).powi(2)),
        estimation: mean(&|i| (line(&best, i) - line(w, i)).powi(2)),
        risk: mean(&|i| variance[i] + (function[i] - line(w, i)).powi(2)),
        best,
    })
}

/// Squared bias and variance of predictions from independent training sets, averaged over points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BiasVarianceTerms {
    /// Mean squared difference of the mean prediction from the truth.
    pub bias_squared: f64,
    /// Mean variance of the predictions, divisor = number of training sets.
    pub variance: f64,
    /// Mean squared error against the truth, computed on its own; the sum of the other two.
    pub error: f64,
}

/// From predictions (one row per training set, one column per point) and the regression function at the points.
///
/// # Panics
/// When there is no prediction, or another number of points.
pub fn bias_variance_terms(predictions: &Mat<f64>, truth: &[f64]) -> BiasVarianceTerms {
    let (sets, points) = (predictions.rows(), predictions.cols());
    assert!(sets > 0 && points == truth.len() && points > 0, "predictions of every point");
    let mut out = BiasVarianceTerms { bias_squared: 0.0, variance: 0.0, error: 0.0 };
    for (j, truth) in truth.iter().enumerate() {
        let view = predictions.view();
        let column = || view.col_iter(j);
        let mean = column().sum::<f64>() / sets as f64;
        out.bias_squared += (mean - truth).powi(2) / points as f64;
        out.variance += column().map(|v| (v - mean).powi(2)).sum::<f64>() / (sets * points) as f64;
        out.error += column().map(|v| (v - truth).powi(2)).sum::<f64>() / (sets * points) as f64;
    }
    out
}
