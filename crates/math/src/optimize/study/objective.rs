//! Objectives: the interface of the methods, a quadratic, and losses over data.

use ermine_core::{Mat, Result};

use super::steps::add;
use crate::linalg::eigenvalues_symmetric;
use crate::loss::RowLoss;
use crate::optimize::dot;

/// An objective: a smooth part f, and for proximal methods a simple part g that need not be smooth.
pub trait StudyObjective {
    /// Dimension of a point.
    fn dim(&self) -> usize;

    /// f(x) + g(x).
    fn value(&self, x: &[f64]) -> f64;

    /// The gradient of f.
    fn gradient(&self, x: &[f64], out: &mut [f64]);

    /// A subgradient of f + g, for the subgradient method; the gradient, where there is no g.
    fn subgradient(&self, x: &[f64], out: &mut [f64]) {
        self.gradient(x, out);
    }

    /// The Hessian of f, for Newton's method.
    fn hessian(&self, x: &[f64]) -> Option<Mat<f64>> {
        let _ = x;
        None
    }

    /// Residuals r and their Jacobian, one row per residual, where f is ½ |r|²; for Levenberg–Marquardt.
    fn residuals(&self, x: &[f64]) -> Option<(Vec<f64>, Mat<f64>)> {
        let _ = x;
        None
    }

    /// Number of terms whose mean is f, for mini-batches.
    fn terms(&self) -> usize {
        1
    }

    /// The mean gradient of some of the terms.
    fn batch_gradient(&self, x: &[f64], terms: &[usize], out: &mut [f64]) {
        let _ = terms;
        self.gradient(x, out);
    }

    /// The derivative of f by one coordinate, and a bound on its second derivative there, for coordinate descent.
    fn coordinate(&self, x: &[f64], j: usize) -> Option<(f64, f64)> {
        let _ = (x, j);
        None
    }

    /// The proximal operator of g: replaces x by argmin_u g(u) + |u - x|² / (2 step). The identity without g.
    /// Coordinate descent calls it with one coordinate, `first` being its index.
    fn prox(&self, first: usize, x: &mut [f64], step: f64) {
        let _ = (first, x, step);
    }
}

/// ½ xᵀ A x - bᵀ x.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadratic {
    a: Mat<f64>,
    b: Vec<f64>,
}

impl Quadratic {
    /// With a symmetric matrix and a vector.
    ///
    /// # Panics
    /// When the shapes differ.
    pub fn new(a: Mat<f64>, b: Vec<f64>) -> Self {
        assert!(a.rows() == a.cols() && a.rows() == b.len(), "a square matrix and a vector of its size");
        Self { a, b }
    }

    /// With given eigenvalues along the axes and its minimum at 0.
    pub fn diagonal(values: &[f64]) -> Self {
        let n = values.len();
        Self { a: Mat::from_fn(n, n, |i, j| if i == j { values[i] } else { 0.0 }), b: vec![0.0; n] }
    }
}

impl StudyObjective for Quadratic {
    fn dim(&self) -> usize {
        self.b.len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        (0..x.len()).map(|i| x[i] * (0.5 * dot(self.a.row(i), x) - self.b[i])).sum()
    }

    fn gradient(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, g)| *g = dot(self.a.row(i), x) - self.b[i]);
    }

    fn hessian(&self, _: &[f64]) -> Option<Mat<f64>> {
        Some(self.a.clone())
    }

    fn coordinate(&self, x: &[f64], j: usize) -> Option<(f64, f64)> {
        Some((dot(self.a.row(j), x) - self.b[j], self.a[(j, j)]))
    }
}

/// Losses over rows with penalties: `1/n Σ loss(y_i, x_i · b) + l2 / 2 |b|² + l1 |b|₁`, the last being the part g that need not be smooth.
///
/// With [`RowLoss::Squared`] and `l1` it is the lasso, with `l2` ridge; with [`RowLoss::Logistic`] and targets of ±1 logistic regression. There
/// is no intercept: center the columns, or give one of ones.
#[derive(Debug, Clone, PartialEq)]
pub struct EmpiricalRisk {
    x: Mat<f64>,
    y: Vec<f64>,
    loss: RowLoss,
    l1: f64,
    l2: f64,
    /// Mean squares of the columns.
    square: Vec<f64>,
}

impl EmpiricalRisk {
    /// Of these rows and targets.
    ///
    /// # Panics
    /// When there are no rows, or another number of targets.
    pub fn new(loss: RowLoss, x: Mat<f64>, y: Vec<f64>) -> Self {
        assert!(x.rows() == y.len() && !y.is_empty(), "one target per row");
        let square = (0..x.cols()).map(|j| x.view().col_iter(j).map(|v| v * v).sum::<f64>() / y.len() as f64).collect();
        Self { x, y, loss, l1: 0.0, l2: 0.0, square }
    }

    /// With penalties on the absolute values and on half the squares of the coefficients.
    pub fn penalized(self, l1: f64, l2: f64) -> Self {
        Self { l1, l2, ..self }
    }

    /// The least and the greatest eigenvalue of the Hessian of f at a point, for [`super::rate`] and step sizes. For
    /// squares they are the same everywhere.
    pub fn curvatures(&self, b: &[f64]) -> Result<(f64, f64)> {
        let values = eigenvalues_symmetric(self.hessian_at(b).view())?;
        Ok((values.last().copied().unwrap_or(0.0), values.first().copied().unwrap_or(0.0)))
    }

    fn score(&self, b: &[f64], i: usize) -> f64 {
        dot(self.x.row(i), b)
    }

    fn hessian_at(&self, b: &[f64]) -> Mat<f64> {
        let (n, p) = (self.y.len(), b.len());
        let mut h = Mat::from_fn(p, p, |i, j| if i == j { self.l2 } else { 0.0 });
        for i in 0..n {
            let c = self.loss.curvature(self.y[i], self.score(b, i)) / n as f64;
            let row = self.x.row(i);
            for (a, &v) in row.iter().enumerate() {
                add(h.row_mut(a), c * v, row);
            }
        }
        h
    }

    /// A bound on the second derivative of the loss, where there is one.
    fn bound(&self) -> Option<f64> {
        match self.loss {
            RowLoss::Squared | RowLoss::Huber { .. } => Some(1.0),
            RowLoss::Expectile { tau } => Some(2.0 * tau.max(1.0 - tau)),
            RowLoss::Logistic => Some(0.25),
            RowLoss::SquaredHinge => Some(2.0),
            _ => None,
        }
    }
}

impl StudyObjective for EmpiricalRisk {
    fn dim(&self) -> usize {
        self.x.cols()
    }

    fn value(&self, b: &[f64]) -> f64 {
        let total: f64 = (0..self.y.len()).map(|i| self.loss.value(self.y[i], self.score(b, i))).sum();
        total / self.y.len() as f64 + 0.5 * self.l2 * dot(b, b) + self.l1 * b.iter().map(|v| v.abs()).sum::<f64>()
    }

    fn gradient(&self, b: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(b).for_each(|(g, b)| *g = self.l2 * b);
        let n = self.y.len() as f64;
        (0..self.y.len()).for_each(|i| add(out, self.loss.gradient(self.y[i], self.score(b, i)) / n, self.x.row(i)));
    }

    fn subgradient(&self, b: &[f64], out: &mut [f64]) {
        self.gradient(b, out);
        // Where a coefficient is 0 the subgradient of least size is taken.
        out.iter_mut().zip(b).for_each(|(g, &b)| *g += if b == 0.0 { -g.clamp(-self.l1, self.l1) } else { self.l1 * b.signum() });
    }

    fn hessian(&self, b: &[f64]) -> Option<Mat<f64>> {
        (self.l1 == 0.0).then(|| self.hessian_at(b))
    }

    fn residuals(&self, b: &[f64]) -> Option<(Vec<f64>, Mat<f64>)> {
        if self.loss != RowLoss::Squared || self.l1 > 0.0 {
            return None;
        }
        // The ridge penalty is one residual per coefficient.
        let (n, p) = (self.y.len(), b.len());
        let (scale, ridge) = (1.0 / (n as f64).sqrt(), self.l2.sqrt());
        let r = (0..n).map(|i| scale * (self.score(b, i) - self.y[i])).chain(b.iter().map(|b| ridge * b)).collect();
        let identity = |i: usize, j: usize| if i == j { ridge } else { 0.0 };
        Some((r, Mat::from_fn(n + p, p, |i, j| if i < n { scale * self.x[(i, j)] } else { identity(i - n, j) })))
    }

    fn terms(&self) -> usize {
        self.y.len()
    }

    fn batch_gradient(&self, b: &[f64], terms: &[usize], out: &mut [f64]) {
        out.iter_mut().zip(b).for_each(|(g, b)| *g = self.l2 * b);
        let n = terms.len() as f64;
        terms.iter().for_each(|&i| add(out, self.loss.gradient(self.y[i], self.score(b, i)) / n, self.x.row(i)));
    }

    fn coordinate(&self, b: &[f64], j: usize) -> Option<(f64, f64)> {
        let bound = self.bound()?;
        let slope: f64 = (0..self.y.len()).map(|i| self.loss.gradient(self.y[i], self.score(b, i)) * self.x[(i, j)]).sum::<f64>();
        Some((slope / self.y.len() as f64 + self.l2 * b[j], bound * self.square[j] + self.l2))
    }

    fn prox(&self, _: usize, b: &mut [f64], step: f64) {
        b.iter_mut().for_each(|v| *v = v.signum() * (v.abs() - step * self.l1).max(0.0));
    }
}
