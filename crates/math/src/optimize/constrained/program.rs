//! Quadratic programs and what solving one returns.

use ermine_core::{Error, Mat, Result};

use super::kkt::KktReport;
use super::matrix::ProgramMatrix;
use super::{active_set, interior_point};
use super::{add_scaled, dot, max_abs};
use crate::linalg::{Cholesky, eigen_symmetric, eigenvalues_symmetric};

/// How far below 0, as a share of the size of P, an eigenvalue may be by rounding.
const CONVEXITY_TOL: f64 = 1e-10;

/// `min ½ xᵀP x + qᵀx` subject to `G x ≤ h` and `A x = b`.
#[derive(Debug, Clone)]
pub struct QuadraticProgram {
    pub(super) p: ProgramMatrix,
    pub(super) q: Vec<f64>,
    pub(super) g: ProgramMatrix,
    pub(super) h: Vec<f64>,
    pub(super) a: ProgramMatrix,
    pub(super) b: Vec<f64>,
}

/// The method that solves a quadratic program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QpMethod {
    /// Primal–dual interior point with Mehrotra's corrector, in the homogeneous embedding: some ten to thirty factorizations of the order of
    /// x, whatever is active.
    #[default]
    InteriorPoint,
    /// The dual active-set method of Goldfarb and Idnani, with proximal steps where P is singular: one factorization, then work per
    /// constraint that becomes active.
    ActiveSet,
}

/// Multipliers: prices of the constraints.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Multipliers {
    /// λ ≥ 0 of `G x ≤ h`.
    pub inequality: Vec<f64>,
    /// ν of `A x = b`.
    pub equality: Vec<f64>,
}

/// An optimum with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct QpOptimum {
    /// The point.
    pub x: Vec<f64>,
    /// The objective there.
    pub objective: f64,
    /// The value of the dual at the multipliers: a lower bound of the objective at every feasible point.
    pub dual_objective: f64,
    /// The multipliers.
    pub multipliers: Multipliers,
    /// Residuals of the conditions of Karush, Kuhn and Tucker.
    pub kkt: KktReport,
    /// Steps of the method.
    pub iterations: usize,
}

impl QpOptimum {
    /// Objective less dual objective.
    pub fn gap(&self) -> f64 {
        self.objective - self.dual_objective
    }
}

/// A proof that no point is feasible: λ ≥ 0 with `Gᵀλ + Aᵀν = 0` and `hᵀλ + bᵀν = −1`, so that every x would have `0 ≤ −1`.
#[derive(Debug, Clone, PartialEq)]
pub struct FarkasCertificate {
    /// λ and ν.
    pub multipliers: Multipliers,
    /// The largest absolute value of `Gᵀλ + Aᵀν`.
    pub residual: f64,
}

/// A proof that the objective has no minimum: with any feasible x, `x + t d` is feasible for all t ≥ 0, and the objective falls by t.
/// `P d = 0`, `G d ≤ 0`, `A d = 0`, `qᵀd = −1`.
#[derive(Debug, Clone, PartialEq)]
pub struct DescentRay {
    /// d.
    pub direction: Vec<f64>,
    /// The largest violation of the three conditions.
    pub residual: f64,
}

/// What a quadratic program has.
#[derive(Debug, Clone, PartialEq)]
pub enum QpOutcome {
    /// An optimum.
    Optimal(QpOptimum),
    /// No feasible point.
    Infeasible(FarkasCertificate),
    /// No lower bound, provided that there is a feasible point; where there is none the multipliers have none either.
    Unbounded(DescentRay),
}

impl QpOutcome {
    /// The optimum, if that is what there is.
    pub fn into_optimum(self) -> Option<QpOptimum> {
        match self {
            Self::Optimal(o) => Some(o),
            _ => None,
        }
    }

    /// `optimal`, `infeasible` or `unbounded`.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Optimal(_) => "optimal",
            Self::Infeasible(_) => "infeasible",
            Self::Unbounded(_) => "unbounded",
        }
    }
}

impl QuadraticProgram {
    /// Without constraints. P must be symmetric and positive semidefinite.
    pub fn new(p: impl Into<ProgramMatrix>, q: Vec<f64>) -> Result<Self> {
        let (p, n) = (p.into(), q.len());
        if n == 0 {
            return Err(Error::Data("a program needs at least one variable; q is empty".into()));
        }
        if p.rows() != n {
            return Err(Error::Length { what: "rows of P".into(), expected: n, found: p.rows() });
        }
        p.check("P", n)?;
        finite(&q, "q")?;
        convex(&p)?;
        let none = || ProgramMatrix::Dense(Mat::zeros(0, n));
        Ok(Self { p, q, g: none(), h: Vec::new(), a: none(), b: Vec::new() })
    }

    /// With `G x ≤ h`, in place of earlier ones. An infinite bound is no bound and must be left out.
    pub fn with_inequalities(self, g: impl Into<ProgramMatrix>, h: Vec<f64>) -> Result<Self> {
        let g = g.into();
        rows_of(&g, &h, "G", "h", self.dim())?;
        Ok(Self { g, h, ..self })
    }

    /// With `A x = b`, in place of earlier ones.
    pub fn with_equalities(self, a: impl Into<ProgramMatrix>, b: Vec<f64>) -> Result<Self> {
        let a = a.into();
        rows_of(&a, &b, "A", "b", self.dim())?;
        Ok(Self { a, b, ..self })
    }

    /// Number of variables.
    pub fn dim(&self) -> usize {
        self.q.len()
    }

    /// ½ xᵀP x + qᵀx.
    pub fn objective(&self, x: &[f64]) -> f64 {
        0.5 * dot(&self.p.times(x), x) + dot(&self.q, x)
    }

    /// P x + q.
    pub fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let mut g = self.p.times(x);
        add_scaled(&mut g, 1.0, &self.q);
        g
    }

    /// Solves it. An error is a program that neither ends nor has a certificate within the method's steps.
    pub fn solve(&self, method: QpMethod) -> Result<QpOutcome> {
        match method {
            QpMethod::InteriorPoint => interior_point::solve(self),
            QpMethod::ActiveSet => active_set::solve(self),
        }
    }

    /// The residuals of the conditions at any point with any multipliers.
    ///
    /// # Panics
    /// When lengths differ.
    pub fn kkt(&self, x: &[f64], multipliers: &Multipliers) -> KktReport {
        KktReport::of_program(self, x, multipliers)
    }

    /// `min over x of L(x, λ, ν)`, L = f + λᵀ(G x − h) + νᵀ(A x − b): the dual function. Negative infinity where L has no minimum.
    pub fn dual(&self, multipliers: &Multipliers) -> Result<f64> {
        let mut c = self.q.clone();
        self.g.add_transposed_times(&multipliers.inequality, &mut c);
        self.a.add_transposed_times(&multipliers.equality, &mut c);
        let shift = dot(&self.h, &multipliers.inequality) + dot(&self.b, &multipliers.equality);
        let eigen = eigen_symmetric(self.p.to_dense().view())?;
        let cut = 1e-12 * eigen.values.first().copied().unwrap_or(0.0);
        // ½ xᵀP x + cᵀx has its minimum −½ cᵀP⁺c if c is in the range of P.
        let (mut value, mut outside) = (0.0, c.clone());
        for (k, &s) in eigen.values.iter().enumerate().filter(|(_, s)| **s > cut) {
            let u = eigen.vectors.row(k);
            let t = dot(u, &c);
            value -= 0.5 * t * t / s;
            add_scaled(&mut outside, -t, u);
        }
        let bounded = max_abs(&outside) <= 1e-9 * (1.0 + max_abs(&self.q) + max_abs(&c));
        Ok(if bounded { value - shift } else { f64::NEG_INFINITY })
    }

    pub(super) fn optimum(&self, x: Vec<f64>, multipliers: Multipliers, iterations: usize) -> QpOptimum {
        let kkt = self.kkt(&x, &multipliers);
        let (objective, quadratic) = (self.objective(&x), 0.5 * dot(&self.p.times(&x), &x));
        // Where the gradient of the Lagrangian vanishes this is the dual function.
        let dual_objective = -quadratic - dot(&self.h, &multipliers.inequality) - dot(&self.b, &multipliers.equality);
        QpOptimum { x, objective, dual_objective, multipliers, kkt, iterations }
    }

    /// A certificate from multipliers in its direction, scaled.
    pub(super) fn farkas(&self, mut m: Multipliers) -> Option<FarkasCertificate> {
        m.inequality.iter_mut().for_each(|v| *v = v.max(0.0));
        let value = dot(&self.h, &m.inequality) + dot(&self.b, &m.equality);
        if value >= 0.0 || !value.is_finite() {
            return None;
        }
        m.inequality.iter_mut().chain(&mut m.equality).for_each(|v| *v /= -value);
        let mut r = vec![0.0; self.dim()];
        self.g.add_transposed_times(&m.inequality, &mut r);
        self.a.add_transposed_times(&m.equality, &mut r);
        Some(FarkasCertificate { multipliers: m, residual: max_abs(&r) })
    }

    /// A ray from a vector in its direction, scaled.
    pub(super) fn ray(&self, mut direction: Vec<f64>) -> Option<DescentRay> {
        let slope = dot(&self.q, &direction);
        if slope >= 0.0 || !slope.is_finite() {
            return None;
        }
        direction.iter_mut().for_each(|v| *v /= -slope);
        let up = self.g.times(&direction).into_iter().fold(0.0, f64::max);
        let residual = max_abs(&self.p.times(&direction)).max(max_abs(&self.a.times(&direction))).max(up);
        Some(DescentRay { direction, residual })
    }
}

fn finite(v: &[f64], name: &str) -> Result<()> {
    match v.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(Error::Data(format!(
            "entry {i} of {name} is {}, not a finite number; leave constraints without a bound out",
            v[i]
        ))),
        None => Ok(()),
    }
}

fn rows_of(m: &ProgramMatrix, bound: &[f64], name: &str, bound_name: &str, n: usize) -> Result<()> {
    if m.rows() != bound.len() {
        return Err(Error::Length {
            what: format!("entries of {bound_name}, one per row of {name}"),
            expected: m.rows(),
            found: bound.len(),
        });
    }
    m.check(name, n)?;
    finite(bound, bound_name)
}

fn convex(p: &ProgramMatrix) -> Result<()> {
    let (p, size) = (p.to_dense(), p.size());
    let n = p.rows();
    for i in 0..n {
        if let Some(j) = (0..i).find(|&j| (p[(i, j)] - p[(j, i)]).abs() > 1e-9 * size) {
            return Err(Error::Data(format!(
                "P is not symmetric: {} at ({i}, {j}) and {} at ({j}, {i}); give (P + Pᵀ) / 2, which has the same objective",
                p[(i, j)],
                p[(j, i)]
            )));
        }
    }
    let lifted = Mat::from_fn(n, n, |i, j| {
        p[(i, j)] + if i == j { (CONVEXITY_TOL * n as f64 * size).max(f64::MIN_POSITIVE) } else { 0.0 }
    });
    if Cholesky::new(lifted.view()).is_err() {
        let least = eigenvalues_symmetric(p.view())?.last().copied().unwrap_or(0.0);
        return Err(Error::Data(format!(
            "P has the eigenvalue {least:.3e}: the program is not convex; P must be positive semidefinite"
        )));
    }
    Ok(())
}
