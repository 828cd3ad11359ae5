//! Newton's method for Huber's regression: sums over a block of rows, and one step from them.
//!
//! With σ the scale and ε the threshold, a row is *near* when |r| <= ε σ. For given near rows the objective is
//! `F = W σ + Σ_near w r² / σ + Σ_far w (2 ε |r| - ε² σ) + alpha |b|²`: smooth, jointly convex in (b, b0, σ), and Newton's step is that
//! of least squares on the near rows with r itself as one more column (its coefficient is the relative change of σ) and a
//! linear term from the far ones.

use ermine_core::{DatasetRef, Mat, Result, Target};
use ermine_math::linalg::{Cholesky, eigen_symmetric};
use ermine_math::moments::Moments;
use ermine_math::scale::{ldexp, power};
use serde::{Deserialize, Serialize};

use super::Huber;
use crate::least_squares::{self, LeastSquaresState};
use crate::linear_function::{LinearFunction, add_products};

/// How the curvature of far rows enters a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HuberStepKind {
    /// Not at all: Newton's step, the fast one.
    Newton,
    /// That of a parabola that touches the loss from above: a shorter step that never raises the objective.
    Majorized,
}

/// Sums over rows, in units in which columns and residuals have squares within the range of f64.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HuberNewtonSums {
    /// Moments of [X | r], weighted by the curvature.
    moments: Moments,
    /// Σ w sign(r) x of far rows.
    gradient: Vec<f64>,
    /// Σ w sign(r) of far rows.
    pull_intercept: f64,
    /// Σ w r² of near rows.
    square: f64,
    /// Σ w |r| of far rows.
    distance: f64,
    /// Σ w of far rows, and of all.
    far: f64,
    weight: f64,
}

impl HuberNewtonSums {
    pub fn new(cols: usize) -> Self {
        Self {
            moments: Moments::new(cols, 1),
            gradient: vec![0.0; cols],
            pull_intercept: 0.0,
            square: 0.0,
            distance: 0.0,
            far: 0.0,
            weight: 0.0,
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.moments.merge(other.moments);
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(a, b)| *a += b);
        self.pull_intercept += other.pull_intercept;
        self.square += other.square;
        self.distance += other.distance;
        self.far += other.far;
        self.weight += other.weight;
    }

    /// Σ w sign(r) and Σ w r² and so on of rows, without what needs their columns; returns signed weights of far rows.
    pub fn add_losses(&mut self, rows: &DatasetRef<'_>, r: &[f64], limit: f64, exponent: i32) -> Vec<f64> {
        let mut signed = vec![0.0; r.len()];
        for (i, &r) in r.iter().enumerate() {
            let (w, scaled) = (rows.weight_of(i), ldexp(r, exponent));
            self.weight += w;
            if scaled.abs() <= limit {
                self.square += w * scaled * scaled;
            } else {
                self.far += w;
                self.distance += w * scaled.abs();
                signed[i] = w * scaled.signum();
                self.pull_intercept += signed[i];
            }
        }
        signed
    }

    /// The objective without penalty, in scaled units.
    pub fn objective(&self, epsilon: f64, scale: f64) -> f64 {
        let near = if scale > 0.0 { self.square / scale } else { 0.0 };
        self.weight * scale + near + self.linear_loss(epsilon, scale)
    }

    /// 2 ε |r| - ε² σ of far rows, which is never negative.
    fn linear_loss(&self, epsilon: f64, scale: f64) -> f64 {
        (2.0 * epsilon * self.distance - epsilon * epsilon * scale * self.far).max(0.0)
    }

    /// The relative change of the scale alone that is best for these near and far rows, to first order.
    pub fn scale_change(&self, epsilon: f64, scale: f64) -> f64 {
        if self.square > 0.0 { -0.5 * self.scale_slope(epsilon, scale) / self.square } else { -0.5 }
    }

    /// σ² ∂F/∂σ: below 0 where a larger scale is better.
    pub fn scale_slope(&self, epsilon: f64, scale: f64) -> f64 {
        (self.weight - epsilon * epsilon * self.far) * scale * scale - self.square
    }
}

/// State of the search. Coefficients are in the units of the data, the scale in those of the residuals times 2^exponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HuberPoint {
    pub line: LinearFunction,
    pub scale: f64,
}

impl Huber {
    /// Adds a block of rows at a point.
    pub(super) fn add_block(
        &self,
        stage: &LeastSquaresState,
        point: &HuberPoint,
        curvature: HuberStepKind,
        sums: &mut HuberNewtonSums,
        rows: &DatasetRef<'_>,
    ) -> Result<()> {
        let r = point.line.residuals(rows, super::NAME)?;
        let (limit, exponent) = (self.epsilon * point.scale, stage.target_exponent());
        let signed = sums.add_losses(rows, &r, limit, exponent);
        let weight: Vec<f64> = (0..r.len())
            .map(|i| match (signed[i] == 0.0, curvature) {
                (true, _) => rows.weight_of(i),
                (false, HuberStepKind::Newton) => 0.0,
                (false, HuberStepKind::Majorized) => rows.weight_of(i) * limit / ldexp(r[i], exponent).abs(),
            })
            .collect();
        let problem = self.problem();
        let with_residuals = DatasetRef { y: Target::Real(&r), weight: Some(&weight), ..*rows };
        least_squares::add_moments(&problem, stage, &mut sums.moments, &with_residuals)?;
        if signed.iter().any(|s| *s != 0.0) {
            let scales: Vec<f64> = (0..rows.cols()).map(|j| power(stage.column_exponent(j))).collect();
            add_products(rows, &signed, &scales, &mut sums.gradient, super::NAME)?;
        }
        Ok(())
    }
}

/// The parts of a step.
pub struct HuberStep {
    /// Change of the coefficients, in units of the data.
    pub coef: Vec<f64>,
    pub intercept: f64,
    /// Relative change of the scale.
    pub scale: f64,
    /// Twice the decrease that the quadratic model promises, in units of the objective.
    pub decrement: f64,
    /// Largest component of the gradient, relative to the scale of the problem.
    pub residual: f64,
    /// Estimated condition of the system.
    pub condition: f64,
}

/// The kind of a step.
pub struct StepRequest {
    pub epsilon: f64,
    pub alpha: f64,
    pub fit_intercept: bool,
    /// Whether the scale moves.
    pub free_scale: bool,
    pub curvature: HuberStepKind,
}

/// Condition beyond which the near rows do not determine a step.
const SINGULAR: f64 = 1e13;
/// The amount added to the diagonal then.
const RAISED: f64 = 1e-12;

/// Newton's step, or the bounded one. `None` when the near rows do not determine Newton's.
pub fn newton_step(
    ask: &StepRequest,
    stage: &LeastSquaresState,
    sums: &HuberNewtonSums,
    point: &HuberPoint,
) -> Result<Option<HuberStep>> {
    let system = HuberSystem::new(ask, stage, sums, point);
    let is_newton = ask.curvature == HuberStepKind::Newton;
    if is_newton && sums.moments.weight() == 0.0 {
        return Ok(None);
    }
    let n = system.len();
    let right = system.right_side();
    let unit: Vec<f64> = (0..n).map(|a| system.entry(a, a).sqrt().recip()).map(|u| if u.is_finite() { u } else { 0.0 }).collect();
    let a = Mat::from_fn(n, n, |i, j| {
        let v = system.entry(i, j) * unit[i] * unit[j];
        if i == j && v == 0.0 { 1.0 } else { v }
    });
    let scaled: Vec<f64> = right.iter().zip(&unit).map(|(r, u)| r * u).collect();
    let total = sums.square + ask.epsilon * point.scale * sums.distance;
    let residual = scaled.iter().map(|g| g.abs()).fold(0.0, f64::max) / total.max(f64::MIN_POSITIVE).sqrt();
    let mut factor = Cholesky::new(a.view()).ok();
    let condition = factor.as_ref().map_or(f64::INFINITY, |f| 1.0 / f.reciprocal_condition());
    if condition >= SINGULAR {
        factor = None;
    }
    if factor.is_none() && is_newton && sums.far > 0.0 {
        // Near rows that lie on one plane exactly: the objective falls along a straight line toward it, as far as the caller lets it.
        let raised = Mat::from_fn(n, n, |i, j| if i == j { 1.0 + RAISED } else { a[(i, j)] });
        factor = Cholesky::new(raised.view()).ok();
        if factor.is_none() {
            return Ok(None);
        }
    }
    let mut step = scaled.clone();
    match factor {
        Some(factor) => factor.solve_vec(&mut step),
        None => pseudo_solve(&a, &mut step)?,
    }
    // In units of the objective: the system is that of the Hessian times σ / 2.
    let decrement = 2.0 * step.iter().zip(&scaled).map(|(s, g)| s * g).sum::<f64>() / point.scale;
    step.iter_mut().zip(&unit).for_each(|(s, u)| *s *= u);
    Ok(Some(system.step(&step, decrement, residual, condition)))
}

/// The system of a step. Its unknowns: the columns that vary, the intercept about the mean, the relative change of the scale.
struct HuberSystem<'a> {
    ask: &'a StepRequest,
    stage: &'a LeastSquaresState,
    sums: &'a HuberNewtonSums,
    point: &'a HuberPoint,
    /// Products of the columns and the residuals, about their means.
    scatter: Mat<f64>,
    /// The penalty on the squares of scaled coefficients, times σ.
    penalty: Vec<f64>,
    kept: Vec<usize>,
    /// Whether the scale is an unknown.
    free: bool,
}

impl<'a> HuberSystem<'a> {
    fn new(ask: &'a StepRequest, stage: &'a LeastSquaresState, sums: &'a HuberNewtonSums, point: &'a HuberPoint) -> Self {
        let cols = sums.moments.x_cols();
        let free = ask.free_scale && ask.curvature == HuberStepKind::Newton && sums.square > 0.0;
        let scatter = sums.moments.scatter();
        let mut out = Self { ask, stage, sums, point, scatter, penalty: Vec::new(), kept: Vec::new(), free };
        // A coefficient in scaled units, b 2^(ey - ex), costs alpha 4^(ex - ey) of its square; the objective is in units of 2^ey.
        let ey = stage.target_exponent();
        out.penalty = (0..cols).map(|j| ldexp(ask.alpha, ey - 2 * out.coef_exponent(j)) * point.scale).collect();
        out.kept = (0..cols).filter(|&j| out.product(j, j) + out.penalty[j] > 0.0).collect();
        out
    }

    fn coef_exponent(&self, j: usize) -> i32 {
        self.stage.target_exponent() - self.stage.column_exponent(j)
    }

    /// Products of the columns and the residuals, about the mean where there is an intercept.
    fn product(&self, i: usize, j: usize) -> f64 {
        let m = &self.sums.moments;
        let mean = |j: usize| if self.ask.fit_intercept { 0.0 } else { m.mean()[j] };
        self.scatter[(i, j)] + m.weight() * mean(i) * mean(j)
    }

    fn len(&self) -> usize {
        self.kept.len() + usize::from(self.ask.fit_intercept) + usize::from(self.free)
    }

    fn entry(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (a.min(b), a.max(b));
        let (k, p, m) = (self.kept.len(), self.penalty.len(), &self.sums.moments);
        let at_intercept = if self.ask.fit_intercept { k } else { usize::MAX };
        let at_scale = if self.free { self.len() - 1 } else { usize::MAX };
        match (a, b) {
            (a, b) if b < k => self.product(self.kept[a], self.kept[b]) + if a == b { self.penalty[self.kept[a]] } else { 0.0 },
            (a, b) if b == at_scale && a < k => self.product(self.kept[a], p),
            (a, b) if a == at_intercept && b == at_intercept => m.weight(),
            (a, b) if a == at_intercept && b == at_scale => m.weight() * m.mean()[p],
            (a, b) if a == at_scale && b == at_scale => self.sums.square,
            _ => 0.0,
        }
    }

    /// Half the negative gradient.
    fn right_side(&self) -> Vec<f64> {
        let (sums, m, p, sigma) = (self.sums, &self.sums.moments, self.penalty.len(), self.point.scale);
        // Far rows, less the part that the moments already contain.
        let pull = match self.ask.curvature {
            HuberStepKind::Newton => self.ask.epsilon * sigma,
            HuberStepKind::Majorized => 0.0,
        };
        let center = |j: usize| if self.ask.fit_intercept { m.mean()[j] } else { 0.0 };
        let along = |&j: &usize| {
            let b = ldexp(self.point.line.coef[j], self.coef_exponent(j));
            self.product(j, p) + pull * (sums.gradient[j] - center(j) * sums.pull_intercept) - self.penalty[j] * b
        };
        let mut right: Vec<f64> = self.kept.iter().map(along).collect();
        if self.ask.fit_intercept {
            right.push(m.weight() * m.mean()[p] + pull * sums.pull_intercept);
        }
        if self.free {
            right.push(-0.5 * sums.scale_slope(self.ask.epsilon, sigma));
        }
        right
    }

    /// The solution in the units of the data.
    fn step(&self, solution: &[f64], decrement: f64, residual: f64, condition: f64) -> HuberStep {
        let cols = self.penalty.len();
        let mut out = HuberStep { coef: vec![0.0; cols], intercept: 0.0, scale: 0.0, decrement, residual, condition };
        let mut shift = 0.0;
        for (a, &j) in self.kept.iter().enumerate() {
            out.coef[j] = ldexp(solution[a], -self.coef_exponent(j));
            shift += solution[a] * self.sums.moments.mean()[j];
        }
        if self.ask.fit_intercept {
            out.intercept = ldexp(solution[self.kept.len()] - shift, -self.stage.target_exponent());
        }
        if self.free {
            out.scale = solution[solution.len() - 1];
        }
        out
    }
}

/// The shortest solution where directions are not determined.
fn pseudo_solve(a: &Mat<f64>, b: &mut [f64]) -> Result<()> {
    let eigen = eigen_symmetric(a.view())?;
    let least = eigen.values.first().copied().unwrap_or(0.0) / SINGULAR;
    let mut x = vec![0.0; b.len()];
    for (k, &value) in eigen.values.iter().enumerate().take_while(|v| *v.1 > least) {
        let v = eigen.vectors.row(k);
        let along = v.iter().zip(&*b).map(|(v, b)| v * b).sum::<f64>() / value;
        x.iter_mut().zip(v).for_each(|(x, v)| *x += along * v);
    }
    b.copy_from_slice(&x);
    Ok(())
}
