//! Primal–dual interior point in the homogeneous embedding.
//!
//! The embedding of Goulart and Chen (Clarabel, 2024) for a quadratic objective: find x, y, z ≥ 0, s ≥ 0, τ ≥ 0, κ ≥ 0 with
//! ```text
//! P x + Gᵀz + Aᵀy + q τ = 0      G x + s = h τ      A x = b τ      xᵀP x / τ + qᵀx + hᵀz + bᵀy = −κ
//! ```
//! It always has a solution. Where τ > 0, x/τ is an optimum; where κ > 0, (y, z) proves infeasibility or x unboundedness.

use ermine_core::{Error, Result};

use super::newton_system::{NewtonPoint, NewtonSystem, STEP_PRECISION};
use super::polish::polish;
use super::program::{Multipliers, QpOutcome, QuadraticProgram};
use super::recession::descent_ray;
use super::{add_scaled, dot, max_abs};

/// Steps at most; ten to thirty are usual.
const MAX_STEPS: usize = 200;
/// Residuals, as a share of the sizes of their terms, at which the steps end and the active set is solved.
const TOL: f64 = 1e-10;
/// What a stalled run may have before polishing.
const STALLED_TOL: f64 = 1e-5;
/// Residual of a certificate as a share of its value.
const CERTIFICATE_TOL: f64 = 1e-9;
/// What the answer must have after polishing.
const ANSWER_TOL: f64 = 1e-7;
/// Share of the step to the boundary.
const TO_BOUNDARY: f64 = 0.99;

pub(super) fn solve(program: &QuadraticProgram) -> Result<QpOutcome> {
    // A run that stalls is most often one whose certificate is lost to rounding.
    solve_or_stall(program).or_else(|stalled| Ok(QpOutcome::Unbounded(descent_ray(program)?.ok_or(stalled)?)))
}

/// Without the search for a ray of its own.
pub(super) fn solve_or_stall(program: &QuadraticProgram) -> Result<QpOutcome> {
    let scaling = Scaling::of(program);
    let scaled = scaling.apply(program);
    let mut state = Embedding::start(&scaled)?;
    let mut best = (f64::INFINITY, state.clone());
    for iteration in 0..MAX_STEPS {
        let r = state.residuals(&scaled);
        let error = state.error(&scaled, &r);
        if error < best.0 {
            best = (error, state.clone());
        }
        if error <= TOL {
            return answer(program, &scaling, &state, iteration);
        }
        if let Some(outcome) = state.certificate(program, &scaled, &scaling) {
            return Ok(outcome);
        }
        if !state.step(&scaled, &r)? {
            break;
        }
    }
    if best.0 <= STALLED_TOL {
        return answer(program, &scaling, &best.1, MAX_STEPS);
    }
    Err(Error::Numeric(format!(
        "the interior point stopped at a residual of {:.1e} and has no certificate either; scale the variables to similar sizes, or use the active-set method",
        best.0
    )))
}

fn answer(program: &QuadraticProgram, scaling: &Scaling, state: &Embedding, iterations: usize) -> Result<QpOutcome> {
    let x: Vec<f64> = state.x.iter().map(|v| v / state.tau).collect();
    let (x, multipliers) = polish(program, x, scaling.multipliers(&state.y, &state.z, state.tau));
    let optimum = program.optimum(x, multipliers, iterations);
    let error = optimum.kkt.largest_relative();
    if error > ANSWER_TOL {
        return Err(Error::Numeric(format!(
            "the optimum has a relative residual of {error:.1e}; scale the variables to similar sizes"
        )));
    }
    Ok(QpOutcome::Optimal(optimum))
}

/// Rows of the constraints to a largest entry of 1, and the objective too. Powers of two, so that nothing is rounded.
struct Scaling {
    objective: f64,
    g: Vec<f64>,
    a: Vec<f64>,
}

fn power_of_two(size: f64) -> f64 {
    if size > 0.0 { (-size.log2().round()).exp2() } else { 1.0 }
}

impl Scaling {
    fn of(program: &QuadraticProgram) -> Self {
        let rows = |m: &super::ProgramMatrix| (0..m.rows()).map(|i| power_of_two(m.row_size(i))).collect();
        Self { objective: power_of_two(max_abs(&program.q).max(program.p.size())), g: rows(&program.g), a: rows(&program.a) }
    }

    fn apply(&self, p: &QuadraticProgram) -> QuadraticProgram {
        let times = |v: &[f64], f: &[f64]| v.iter().zip(f).map(|(v, f)| v * f).collect();
        QuadraticProgram {
            p: p.p.scaled_rows(&vec![self.objective; p.dim()]),
            q: p.q.iter().map(|q| q * self.objective).collect(),
            g: p.g.scaled_rows(&self.g),
            h: times(&p.h, &self.g),
            a: p.a.scaled_rows(&self.a),
            b: times(&p.b, &self.a),
        }
    }

    fn multipliers(&self, y: &[f64], z: &[f64], tau: f64) -> Multipliers {
        let back = |v: &[f64], f: &[f64]| v.iter().zip(f).map(|(v, f)| v * f / (tau * self.objective)).collect();
        Multipliers { inequality: back(z, &self.g), equality: back(y, &self.a) }
    }
}

#[derive(Clone)]
struct Embedding {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    s: Vec<f64>,
    tau: f64,
    kappa: f64,
}

/// What the four equations miss, and `P x`.
struct EmbeddingResiduals {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    tau: f64,
    px: Vec<f64>,
}

/// A step of all variables.
struct Direction {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    s: Vec<f64>,
    tau: f64,
    kappa: f64,
}

impl Embedding {
    fn start(p: &QuadraticProgram) -> Result<Self> {
        let m = p.h.len();
        let system = NewtonSystem::new(&p.p, &p.g, &p.a, vec![1.0; m], STEP_PRECISION)?;
        let right = NewtonPoint { x: p.q.iter().map(|q| -q).collect(), y: p.b.clone(), z: p.h.clone() };
        let NewtonPoint { x, y, z } = system.solve(&right);
        let inside = |v: Vec<f64>| -> Vec<f64> {
            let least = v.iter().copied().fold(f64::INFINITY, f64::min);
            let shift = if least > 1e-3 { 0.0 } else { 1.0 - least };
            v.into_iter().map(|v| v + shift).collect()
        };
        let s = inside(z.iter().map(|z| -z).collect());
        let z = inside(z);
        Ok(Self { x, y, z, s, tau: 1.0, kappa: 1.0 })
    }

    fn residuals(&self, p: &QuadraticProgram) -> EmbeddingResiduals {
        let px = p.p.times(&self.x);
        let mut x = px.clone();
        p.g.add_transposed_times(&self.z, &mut x);
        p.a.add_transposed_times(&self.y, &mut x);
        add_scaled(&mut x, self.tau, &p.q);
        x.iter_mut().for_each(|v| *v = -*v);
        let z = (0..p.h.len()).map(|i| self.s[i] + p.g.row_dot(i, &self.x) - p.h[i] * self.tau).collect();
        let y = (0..p.b.len()).map(|i| p.a.row_dot(i, &self.x) - p.b[i] * self.tau).collect();
        let tau = self.kappa + dot(&p.q, &self.x) + dot(&p.h, &self.z) + dot(&p.b, &self.y) + dot(&px, &self.x) / self.tau;
        EmbeddingResiduals { x, y, z, tau, px }
    }

    /// The largest relative error of x/τ as an optimum.
    fn error(&self, p: &QuadraticProgram, r: &EmbeddingResiduals) -> f64 {
        let t = self.tau;
        let primal = max_abs(&r.z).max(max_abs(&r.y)) / t / (1.0 + max_abs(&p.h).max(max_abs(&p.b)).max(max_abs(&self.s) / t));
        let stationarity = max_abs(&r.x) / t / (1.0 + max_abs(&p.q).max(max_abs(&r.px) / t));
        let quadratic = dot(&r.px, &self.x) / (t * t);
        let objective = 0.5 * quadratic + dot(&p.q, &self.x) / t;
        let dual = -0.5 * quadratic - (dot(&p.h, &self.z) + dot(&p.b, &self.y)) / t;
        let gap = (objective - dual).abs() / (1.0 + objective.abs().min(dual.abs()));
        let error = primal.max(stationarity).max(gap);
        if error.is_nan() { f64::INFINITY } else { error }
    }

    fn certificate(&self, program: &QuadraticProgram, scaled: &QuadraticProgram, scaling: &Scaling) -> Option<QpOutcome> {
        let dual_value = -(dot(&scaled.h, &self.z) + dot(&scaled.b, &self.y));
        if dual_value > 0.0 {
            let mut pull = vec![0.0; self.x.len()];
            scaled.g.add_transposed_times(&self.z, &mut pull);
            scaled.a.add_transposed_times(&self.y, &mut pull);
            if max_abs(&pull) <= CERTIFICATE_TOL * dual_value {
                return program.farkas(scaling.multipliers(&self.y, &self.z, 1.0)).map(QpOutcome::Infeasible);
            }
        }
        let slope = -dot(&scaled.q, &self.x);
        if slope > 0.0 {
            let goal = CERTIFICATE_TOL * slope;
            let up = scaled.g.times(&self.x).into_iter().fold(0.0, f64::max);
            if max_abs(&scaled.p.times(&self.x)) <= goal && max_abs(&scaled.a.times(&self.x)) <= goal && up <= goal {
                return program.ray(self.x.clone()).map(QpOutcome::Unbounded);
            }
        }
        None
    }

    /// A predictor and a corrector step; false where no step is left.
    fn step(&mut self, p: &QuadraticProgram, r: &EmbeddingResiduals) -> Result<bool> {
        let w = self.z.iter().zip(&self.s).map(|(z, s)| z / s).collect();
        let system = match NewtonSystem::new(&p.p, &p.g, &p.a, w, STEP_PRECISION) {
            Ok(s) => s,
            Err(_) => return Ok(false),
        };
        // The solution for τ alone serves both steps.
        let by_tau = system.solve(&NewtonPoint { x: p.q.iter().map(|q| -q).collect(), y: p.b.clone(), z: p.h.clone() });
        let complementary: Vec<f64> = self.s.clone();
        let affine = self.direction(p, &system, &by_tau, r, 1.0, &complementary, self.kappa * self.tau);
        let alpha = self.longest(&affine).min(1.0);
        let sigma = (1.0 - alpha).powi(3);
        let mu = (dot(&self.s, &self.z) + self.kappa * self.tau) / (self.s.len() + 1) as f64;
        let corrected: Vec<f64> =
            (0..self.s.len()).map(|i| self.s[i] + (affine.s[i] * affine.z[i] - sigma * mu) / self.z[i]).collect();
        let kappa = self.kappa * self.tau + affine.kappa * affine.tau - sigma * mu;
        let d = self.direction(p, &system, &by_tau, r, 1.0 - sigma, &corrected, kappa);
        let alpha = (TO_BOUNDARY * self.longest(&d)).min(1.0);
        if alpha <= 1e-10 || !(alpha + d.tau + d.kappa).is_finite() {
            return Ok(false);
        }
        add_scaled(&mut self.x, alpha, &d.x);
        add_scaled(&mut self.y, alpha, &d.y);
        add_scaled(&mut self.z, alpha, &d.z);
        add_scaled(&mut self.s, alpha, &d.s);
        self.tau += alpha * d.tau;
        self.kappa += alpha * d.kappa;
        self.normalize();
        Ok(true)
    }

    /// The embedding is homogeneous: only ratios matter, and this keeps them away from underflow.
    fn normalize(&mut self) {
        let size = self.tau.max(self.kappa);
        for v in [&mut self.x, &mut self.y, &mut self.z, &mut self.s] {
            v.iter_mut().for_each(|v| *v /= size);
        }
        self.tau /= size;
        self.kappa /= size;
    }

    #[allow(clippy::too_many_arguments)] // The right-hand sides of one linear system.
    fn direction(
        &self,
        p: &QuadraticProgram,
        system: &NewtonSystem<'_>,
        by_tau: &NewtonPoint,
        r: &EmbeddingResiduals,
        share: f64,
        complementary: &[f64],
        complementary_tau: f64,
    ) -> Direction {
        let right = NewtonPoint {
            x: r.x.iter().map(|v| share * v).collect(),
            y: r.y.iter().map(|v| -share * v).collect(),
            z: complementary.iter().zip(&r.z).map(|(c, v)| c - share * v).collect(),
        };
        let first = system.solve(&right);
        let xi: Vec<f64> = self.x.iter().map(|v| v / self.tau).collect();
        let p_xi: Vec<f64> = r.px.iter().map(|v| v / self.tau).collect();
        let value = |d: &NewtonPoint| dot(&p.q, &d.x) + dot(&p.h, &d.z) + dot(&p.b, &d.y);
        let p_by = p.p.times(&by_tau.x);
        let away = dot(&p_by, &by_tau.x) - 2.0 * dot(&p_xi, &by_tau.x) + dot(&p_xi, &xi);
        let below = away - dot(&p_by, &by_tau.x) - value(by_tau) + self.kappa / self.tau;
        let above = share * r.tau - complementary_tau / self.tau + 2.0 * dot(&p_xi, &first.x) + value(&first);
        let tau = above / below;
        let mut d = first;
        add_scaled(&mut d.x, tau, &by_tau.x);
        add_scaled(&mut d.y, tau, &by_tau.y);
        add_scaled(&mut d.z, tau, &by_tau.z);
        let s = (0..self.s.len()).map(|i| -complementary[i] - self.s[i] / self.z[i] * d.z[i]).collect();
        Direction { x: d.x, y: d.y, z: d.z, s, tau, kappa: -(complementary_tau + self.kappa * tau) / self.tau }
    }

    /// The step to the boundary.
    fn longest(&self, d: &Direction) -> f64 {
        let mut alpha = f64::INFINITY;
        let mut limit = |v: f64, d: f64| {
            if d < 0.0 {
                alpha = alpha.min(-v / d);
            }
        };
        self.z.iter().zip(&d.z).for_each(|(v, d)| limit(*v, *d));
        self.s.iter().zip(&d.s).for_each(|(v, d)| limit(*v, *d));
        limit(self.tau, d.tau);
        limit(self.kappa, d.kappa);
        alpha
    }
}
