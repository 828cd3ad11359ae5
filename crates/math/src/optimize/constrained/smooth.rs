//! Smooth programs: sequential quadratic programming.
//!
//! Each step solves the quadratic program of the linearized constraints and a positive definite model of the Lagrangian's Hessian (Powell's
//! damped BFGS), and searches along it for a decrease of the objective plus a penalty on the violated constraints (Han 1977, Powell 1978).
//! It finds a point that satisfies the conditions of Karush, Kuhn and Tucker; for convex problems that is the minimum.

use ermine_core::{Error, Mat, Result};

use super::kkt::KktReport;
use super::program::{Multipliers, QpMethod, QpOutcome, QuadraticProgram};
use super::slater::ConstraintQualification;
use super::{add_scaled, dot, max_abs};
use crate::linalg::PivotedQr;

/// A smooth program: minimize f subject to g ≤ 0 and h = 0.
pub trait ConstrainedObjective {
    /// f and its gradient.
    fn objective(&self, x: &[f64]) -> (f64, Vec<f64>);
    /// Each gᵢ ≤ 0 and its gradient.
    fn inequalities(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        let _ = x;
        Vec::new()
    }
    /// Each hᵢ = 0 and its gradient.
    fn equalities(&self, x: &[f64]) -> Vec<(f64, Vec<f64>)> {
        let _ = x;
        Vec::new()
    }
}

/// Where the steps ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SmoothOptimum {
    /// The point.
    pub x: Vec<f64>,
    /// f there.
    pub objective: f64,
    /// Multipliers of the constraints.
    pub multipliers: Multipliers,
    /// Residuals of the conditions.
    pub kkt: KktReport,
    /// Whether the residuals fell below the tolerance.
    pub converged: bool,
    /// What makes the conditions necessary at this point.
    pub qualification: ConstraintQualification,
    /// Steps.
    pub iterations: usize,
}

const MAX_STEPS: usize = 300;
/// How much of a contradiction between linearized constraints a step may leave, per unit of penalty.
const ELASTIC: f64 = 1e4;

/// Everything at one point.
struct SmoothPoint {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    inequalities: Vec<(f64, Vec<f64>)>,
    equalities: Vec<(f64, Vec<f64>)>,
}

impl SmoothPoint {
    fn at(problem: &dyn ConstrainedObjective, x: Vec<f64>) -> Self {
        let (value, gradient) = problem.objective(&x);
        let (inequalities, equalities) = (problem.inequalities(&x), problem.equalities(&x));
        Self { x, value, gradient, inequalities, equalities }
    }

    fn is_finite(&self) -> bool {
        let constraints = self.inequalities.iter().chain(&self.equalities);
        self.value.is_finite()
            && max_abs(&self.gradient).is_finite()
            && constraints.fold(0.0, |s, (v, g)| s + v + max_abs(g)).is_finite()
    }

    fn violation(&self) -> f64 {
        self.inequalities.iter().map(|(v, _)| v.max(0.0)).sum::<f64>() + self.equalities.iter().map(|(v, _)| v.abs()).sum::<f64>()
    }

    fn lagrangian_gradient(&self, m: &Multipliers) -> Vec<f64> {
        let mut g = self.gradient.clone();
        self.inequalities.iter().zip(&m.inequality).for_each(|((_, n), m)| add_scaled(&mut g, *m, n));
        self.equalities.iter().zip(&m.equality).for_each(|((_, n), m)| add_scaled(&mut g, *m, n));
        g
    }

    fn kkt(&self, m: &Multipliers) -> KktReport {
        let values = |c: &[(f64, Vec<f64>)]| c.iter().map(|(v, _)| *v).collect::<Vec<_>>();
        let (above, beside) = (values(&self.inequalities), values(&self.equalities));
        KktReport::from_parts((&self.lagrangian_gradient(m), max_abs(&self.gradient)), (&above, &beside, 0.0), &m.inequality)
    }

    /// The step of the linearized problem with the multipliers of its constraints.
    fn step(&self, hessian: &Mat<f64>) -> Result<(Vec<f64>, Multipliers)> {
        let n = self.x.len();
        let rows = |c: &[(f64, Vec<f64>)]| Mat::from_fn(c.len(), n, |i, j| c[i].1[j]);
        let bounds = |c: &[(f64, Vec<f64>)]| c.iter().map(|(v, _)| -v).collect::<Vec<_>>();
        let program = QuadraticProgram::new(hessian.clone(), self.gradient.clone())?
            .with_inequalities(rows(&self.inequalities), bounds(&self.inequalities))?
            .with_equalities(rows(&self.equalities), bounds(&self.equalities))?;
        match program.solve(QpMethod::ActiveSet) {
            Ok(QpOutcome::Optimal(o)) => Ok((o.x, o.multipliers)),
            _ => self.elastic_step(hessian),
        }
    }

    /// The step where the linearized constraints contradict one another: they are relaxed by a common t ≥ 0 at a price.
    fn elastic_step(&self, hessian: &Mat<f64>) -> Result<(Vec<f64>, Multipliers)> {
        let (n, m, e) = (self.x.len(), self.inequalities.len(), self.equalities.len());
        let p = Mat::from_fn(n + 1, n + 1, |i, j| if i < n && j < n { hessian[(i, j)] } else { f64::from(i == j) * 1e-8 });
        let mut q = self.gradient.clone();
        q.push(ELASTIC * (1.0 + max_abs(&self.gradient)));
        let (mut rows, mut bounds) = (Vec::new(), Vec::new());
        let mut push = |sign: f64, (value, normal): &(f64, Vec<f64>)| {
            rows.extend(normal.iter().map(|v| sign * v).chain([-1.0]));
            bounds.push(-sign * value);
        };
        self.inequalities.iter().for_each(|c| push(1.0, c));
        self.equalities.iter().for_each(|c| push(1.0, c));
        self.equalities.iter().for_each(|c| push(-1.0, c));
        rows.extend(std::iter::repeat_n(0.0, n).chain([-1.0]));
        bounds.push(0.0);
        let program = QuadraticProgram::new(p, q)?.with_inequalities(Mat::from_vec(bounds.len(), n + 1, rows), bounds)?;
        let failed = || Error::Numeric("the linearized constraints have no common point, not even when relaxed".into());
        let o = program.solve(QpMethod::InteriorPoint)?.into_optimum().ok_or_else(failed)?;
        let z = &o.multipliers.inequality;
        let equality = (0..e).map(|i| z[m + i] - z[m + e + i]).collect();
        Ok((o.x[..n].to_vec(), Multipliers { inequality: z[..m].to_vec(), equality }))
    }

    fn qualification(&self) -> Result<ConstraintQualification> {
        let near = self.inequalities.iter().filter(|(v, _)| *v > -1e-6);
        let normals: Vec<&[f64]> = near.chain(&self.equalities).map(|(_, g)| g.as_slice()).collect();
        if normals.is_empty() {
            return Ok(ConstraintQualification::IndependentGradients);
        }
        let m = Mat::from_fn(self.x.len(), normals.len(), |i, j| normals[j][i]);
        let full = normals.len() <= self.x.len()
            && normals.iter().all(|g| max_abs(g) > 1e-7)
            && PivotedQr::new(m.view())?.rank(1e-9) == normals.len();
        Ok(if full { ConstraintQualification::IndependentGradients } else { ConstraintQualification::NotFound })
    }
}

/// Minimizes from a start until the largest residual of the conditions is below `tol`.
pub fn solve_smooth(problem: &dyn ConstrainedObjective, start: &[f64], tol: f64) -> Result<SmoothOptimum> {
    let n = start.len();
    let mut hessian = Mat::from_fn(n, n, |i, j| f64::from(i == j));
    let mut here = SmoothPoint::at(problem, start.to_vec());
    if !here.is_finite() {
        return Err(Error::Data("the objective or a constraint is not finite at the start; choose another start".into()));
    }
    let mut multipliers =
        Multipliers { inequality: vec![0.0; here.inequalities.len()], equality: vec![0.0; here.equalities.len()] };
    let (mut penalty, mut iterations, mut converged) = (0.0, 0, false);
    while iterations < MAX_STEPS {
        let (d, m) = here.step(&hessian)?;
        multipliers = m;
        if here.kkt(&multipliers).largest() <= tol {
            converged = true;
            break;
        }
        iterations += 1;
        penalty = max_abs(&multipliers.inequality).max(max_abs(&multipliers.equality)).max(0.5 * penalty) * 1.1;
        let Some(next) = line_search(problem, &here, &d, penalty) else { break };
        let step: Vec<f64> = next.x.iter().zip(&here.x).map(|(a, b)| a - b).collect();
        let (new, old) = (next.lagrangian_gradient(&multipliers), here.lagrangian_gradient(&multipliers));
        update(&mut hessian, &step, &new.iter().zip(&old).map(|(a, b)| a - b).collect::<Vec<_>>());
        here = next;
    }
    let (kkt, qualification) = (here.kkt(&multipliers), here.qualification()?);
    Ok(SmoothOptimum { objective: here.value, x: here.x, multipliers, kkt, converged, qualification, iterations })
}

/// Halves the step until the objective with the penalty has fallen enough; none where rounding is reached.
fn line_search(problem: &dyn ConstrainedObjective, here: &SmoothPoint, d: &[f64], penalty: f64) -> Option<SmoothPoint> {
    let merit = |p: &SmoothPoint| p.value + penalty * p.violation();
    let slope = dot(&here.gradient, d) - penalty * here.violation();
    let rounding = 1e-15 * (1.0 + here.value.abs());
    let mut t = 1.0;
    for _ in 0..50 {
        let x = here.x.iter().zip(d).map(|(x, d)| x + t * d).collect();
        let trial = SmoothPoint::at(problem, x);
        if trial.is_finite() && merit(&trial) <= merit(here) + 1e-4 * t * slope.min(0.0) + rounding {
            return Some(trial);
        }
        t *= 0.5;
    }
    None
}

/// Powell's damped update: the model stays positive definite.
fn update(b: &mut Mat<f64>, s: &[f64], y: &[f64]) {
    let bs: Vec<f64> = (0..s.len()).map(|i| dot(b.row(i), s)).collect();
    let (sbs, sy) = (dot(s, &bs), dot(s, y));
    if sbs.is_nan() || sbs <= 1e-300 {
        return;
    }
    let theta = if sy >= 0.2 * sbs { 1.0 } else { 0.8 * sbs / (sbs - sy) };
    let r: Vec<f64> = y.iter().zip(&bs).map(|(y, v)| theta * y + (1.0 - theta) * v).collect();
    let sr = dot(s, &r);
    for i in 0..s.len() {
        for j in 0..s.len() {
            b[(i, j)] += r[i] * r[j] / sr - bs[i] * bs[j] / sbs;
        }
    }
}
