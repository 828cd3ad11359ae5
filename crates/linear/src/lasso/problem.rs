//! The problem to be solved: centered columns and targets, weights that add to 1, and the penalty.

use ermine_core::{DatasetRef, Error, Result};
use ermine_math::columns::Design;
use ermine_math::coordinate::elastic_violation;

use ermine_math::scale::{exponent_of, ldexp};

/// `l1 |b|₁ + ½ l2 |b|²`, over b >= 0 when `positive`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LassoPenalty {
    pub l1: f64,
    pub l2: f64,
    pub positive: bool,
}

impl LassoPenalty {
    pub fn new(alpha: f64, l1_ratio: f64, positive: bool) -> Self {
        Self { l1: alpha * l1_ratio, l2: alpha * (1.0 - l1_ratio), positive }
    }

    pub fn value(&self, b: &[f64]) -> f64 {
        b.iter().map(|b| self.l1 * b.abs() + 0.5 * self.l2 * b * b).sum()
    }

    pub fn violation(&self, z: f64, b: f64) -> f64 {
        elastic_violation(z, b, self.l1, self.l2, self.positive)
    }

    /// The part of `z` that counts against the bound l1: its size, or with `positive` its value.
    pub fn bound_use(&self, z: f64) -> f64 {
        if self.positive { z } else { z.abs() }
    }
}

/// Data ready to be solved for any penalty. Sums over rows are divided by the total weight throughout, so that the loss is
/// half the mean of the squared residuals.
pub(super) struct LassoProblem<'a> {
    pub design: Design<'a>,
    /// Weights that add to 1, or none: all equal.
    pub weight: Option<Vec<f64>>,
    /// The divisor of sums over rows.
    pub total: f64,
    /// Means of the columns; zeros without intercept.
    pub mean: Vec<f64>,
    /// Mean squares of the centered columns.
    pub variance: Vec<f64>,
    pub targets: Vec<CenteredTarget>,
    /// Whether means are so large next to spreads that products must be taken of centered columns.
    pub far: bool,
}

/// One target: centered, and scaled by a power of two so that its squares neither overflow nor vanish.
pub(super) struct CenteredTarget {
    pub y: Vec<f64>,
    pub mean: f64,
    pub exponent: i32,
    /// Products of the columns with y.
    pub q: Vec<f64>,
    /// Mean square of y.
    pub yy: f64,
    /// The largest |q|.
    pub largest: f64,
}

impl<'a> LassoProblem<'a> {
    pub fn new(data: &DatasetRef<'a>, fit_intercept: bool, learner: &'static str) -> Result<Self> {
        let design = Design::new(&data.x, learner)?;
        let (rows, cols) = (design.rows(), design.cols());
        let weight = data.weight.map(|w| {
            let largest = w.iter().fold(0.0, |a: f64, &b| a.max(b));
            let total: f64 = w.iter().map(|w| w / largest).sum();
            w.iter().map(|w| w / largest / total).collect::<Vec<f64>>()
        });
        let total = if weight.is_some() { 1.0 } else { rows as f64 };
        let y = data.y.reals()?;
        let mut targets: Vec<CenteredTarget> =
            (0..y.cols()).map(|k| centered(y.col_iter(k).collect(), weight.as_deref(), fit_intercept)).collect();
        let first = design.summary(weight.as_deref(), &targets[0].y, fit_intercept);
        let bad = |v: &[f64]| v.iter().position(|v| !v.is_finite());
        if let Some(j) = bad(&first.mean).or(bad(&first.scatter)).or(bad(&first.product)) {
            data.x.refuse_non_finite(data.schema)?;
            let name = match data.schema.and_then(|s| s.names().nth(j)) {
                Some(name) => format!("\"{name}\""),
                None => j.to_string(),
            };
            return Err(Error::Numeric(format!("column {name}: its squares overflow; scale the column down")));
        }
        let mut variance: Vec<f64> = first.scatter.iter().map(|s| s / total).collect();
        let mut far = false;
        for (v, m) in variance.iter_mut().zip(&first.mean) {
            // The rounding error of a constant column.
            let rounding = 1e-15 * m;
            if *v <= 16.0 * rounding * rounding {
                *v = 0.0;
            }
            far |= *v > 0.0 && m * m > 1e6 * *v;
        }
        for (k, t) in targets.iter_mut().enumerate() {
            t.q = if k == 0 {
                first.product.clone()
            } else {
                let weighted: Vec<f64> = match &weight {
                    Some(w) => w.iter().zip(&t.y).map(|(w, y)| w * y).collect(),
                    None => t.y.clone(),
                };
                let mut q = vec![0.0; cols];
                design.products(&weighted, &mut q);
                let sum: f64 = weighted.iter().sum();
                q.iter_mut().zip(&first.mean).for_each(|(q, m)| *q -= m * sum);
                q
            };
            for (q, v) in t.q.iter_mut().zip(&variance) {
                *q = if *v == 0.0 { 0.0 } else { *q / total };
            }
            t.largest = t.q.iter().fold(0.0, |a, q| a.max(q.abs()));
        }
        Ok(Self { design, weight, total, mean: first.mean, variance, targets, far })
    }

    /// The least alpha at which all coefficients of a target are 0.
    pub fn largest_alpha(&self, target: usize, l1_ratio: f64, positive: bool) -> f64 {
        let t = &self.targets[target];
        let reach = t.q.iter().fold(0.0, |a: f64, &q| a.max(if positive { q } else { q.abs() }));
        ldexp(reach, t.exponent) / l1_ratio
    }

    /// The penalty in the units of a scaled target: its linear part scales with the target.
    pub fn scaled(&self, target: usize, penalty: LassoPenalty) -> LassoPenalty {
        LassoPenalty { l1: ldexp(penalty.l1, -self.targets[target].exponent), ..penalty }
    }

    /// The mean over rows of a product of two vectors.
    pub fn mean_product(&self, a: &[f64], b: &[f64]) -> f64 {
        let sum: f64 = match &self.weight {
            Some(w) => w.iter().zip(a).zip(b).map(|((w, a), b)| w * a * b).sum(),
            None => a.iter().zip(b).map(|(a, b)| a * b).sum(),
        };
        sum / self.total
    }
}

fn centered(mut y: Vec<f64>, weight: Option<&[f64]>, center: bool) -> CenteredTarget {
    let largest = y.iter().fold(0.0, |a: f64, y| a.max(y.abs()));
    let exponent = exponent_of(largest);
    y.iter_mut().for_each(|y| *y = ldexp(*y, -exponent));
    let rows = y.len() as f64;
    let of = |i: usize| weight.map_or(1.0 / rows, |w| w[i]);
    let mut mean = 0.0;
    if center {
        // About the first row with weight, so that a constant target is centered to exactly 0.
        let origin = (0..y.len()).find(|&i| of(i) > 0.0).map_or(0.0, |i| y[i]);
        mean = origin + (0..y.len()).map(|i| of(i) * (y[i] - origin)).sum::<f64>();
        y.iter_mut().for_each(|v| *v -= mean);
    }
    let yy = (0..y.len()).map(|i| of(i) * y[i] * y[i]).sum();
    CenteredTarget { y, mean, exponent, q: Vec::new(), yy, largest: 0.0 }
}

/// State of a descent.
#[derive(Debug, Clone)]
pub(super) struct LassoPoint {
    /// The coefficients, of the scaled target.
    pub b: Vec<f64>,
    /// The negative gradient of the loss.
    pub z: Vec<f64>,
    /// The mean of the squared residuals.
    pub rr: f64,
}

impl LassoPoint {
    /// All coefficients 0.
    pub fn zero(problem: &LassoProblem<'_>, target: usize) -> Self {
        let t = &problem.targets[target];
        Self { b: vec![0.0; t.q.len()], z: t.q.clone(), rr: t.yy }
    }
}

/// How good a point is.
#[derive(Debug, Clone, Copy)]
pub(super) struct DualityGap {
    pub objective: f64,
    /// Objective minus the dual objective at a feasible point; infinite where the residuals give none.
    pub gap: f64,
    /// The largest violation of the optimality conditions.
    pub violation: f64,
    /// The factor that makes the residuals dual feasible.
    pub feasible: f64,
}

/// The duality gap. The residuals, times a factor that makes them feasible, are a point of the dual problem
/// `max c·y - ½ c²` over |x_jᵀ c| <= l1, columns being extended by √l2 times the unit vectors. With a squared penalty
/// the conjugate of the whole penalty is finite everywhere and the residuals themselves are another; the better counts.
pub(super) fn duality_gap(point: &LassoPoint, target: &CenteredTarget, penalty: LassoPenalty) -> DualityGap {
    let LassoPenalty { l1, l2, .. } = penalty;
    let objective = 0.5 * point.rr + penalty.value(&point.b);
    let (mut violation, mut reach, mut squares, mut excess, mut fit) = (0.0f64, 0.0f64, 0.0, 0.0, 0.0);
    for ((&b, &z), &q) in point.b.iter().zip(&point.z).zip(&target.q) {
        violation = violation.max(penalty.violation(z, b));
        reach = reach.max(penalty.bound_use(z - l2 * b));
        squares += b * b;
        fit += q * b;
        let over = (penalty.bound_use(z) - l1).max(0.0);
        excess += over * over;
    }
    let with_target = target.yy - fit;
    let norm = point.rr + l2 * squares;
    // The best factor between 0 and the first bound; beyond 0 other bounds would count.
    let best = if norm > 0.0 { (with_target / norm).max(0.0) } else { 1.0 };
    let feasible = if reach > 0.0 { best.min(l1 / reach) } else { best };
    let mut dual = feasible * with_target - 0.5 * feasible * feasible * norm;
    if l2 > 0.0 {
        dual = dual.max(with_target - 0.5 * point.rr - 0.5 * excess / l2);
    }
    DualityGap { objective, gap: (objective - dual).max(0.0), violation, feasible }
}
