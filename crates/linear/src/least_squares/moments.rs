//! The normal equations in f64.

mod system;

use ermine_core::{Mat, Result};
use ermine_math::double_double::{Dd, Residuals};
use ermine_math::linalg::{Cholesky, eigen_symmetric, eigenvalues_symmetric};

use super::{LeastSquaresProblem, LeastSquaresSolution, ResidualCheck, SolutionFamily, nonnegative, solution_family};
use ermine_math::scale::ldexp;
pub(super) use system::MomentsInput;
use system::ScaledSystem;

/// Condition number of the scaled normal equations up to which f64 keeps nine digits and more.
const CONDITION: f64 = 1e6;
/// The same for data so small that double-double costs nothing.
const CONDITION_SMALL: f64 = 1e3;
/// Products in data that counts as small.
const SMALL: f64 = 2e6;
/// Condition number up to which corrections with residuals in double-double settle in a few rounds.
const CORRECTABLE: f64 = 1e11;
/// A residual sum of squares below this share of the total is a difference of nearly equal sums.
const NEAR_PERFECT: f64 = 2e-6;
/// The same for small data.
const NEAR_PERFECT_SMALL: f64 = 1e-2;

/// The next action.
pub(super) enum SolveStep {
    Done(Box<LeastSquaresSolution>),
    /// Products in double-double are needed.
    Exact,
    /// These coefficients need their residuals: one row per target, in the units of the moments; and how many times.
    Refine(Vec<Dd>, u32),
}

/// Coefficients, their residuals and the number of rounds still to go.
pub(super) struct RefinementInput<'a> {
    pub coef: &'a [Dd],
    pub residuals: &'a Residuals,
    pub rounds: u32,
}

/// Columns from which singular values are computed together with the solution.
const SIDE_BY_SIDE: usize = 256;

/// Solves in f64, or corrects such a solution. Products in double-double are requested only where `exact` allows it.
pub(super) fn solve(
    problem: &LeastSquaresProblem<'_>,
    given: &MomentsInput<'_>,
    correction: Option<&RefinementInput<'_>>,
    exact: bool,
) -> Result<SolveStep> {
    let system = ScaledSystem::new(problem, given);
    let count = given.moments.x_cols().min(given.moments.rows() as usize);
    let spectrum = || problem.spectrum.then(|| singular_values(&system, count)).transpose();
    let of_system = || solve_system(problem, given, &system, correction, exact);
    // Singular values take as long as all the rest, on one thread; another has time for them.
    let (next, singular) = match system.kept.len() >= SIDE_BY_SIDE {
        true => rayon::join(of_system, spectrum),
        false => {
            let next = of_system();
            let singular = if matches!(next, Ok(SolveStep::Done(_))) { spectrum() } else { Ok(None) };
            (next, singular)
        }
    };
    let mut next = next?;
    if let SolveStep::Done(out) = &mut next {
        out.singular = singular?;
    }
    Ok(next)
}

fn solve_system(
    problem: &LeastSquaresProblem<'_>,
    given: &MomentsInput<'_>,
    system: &ScaledSystem,
    correction: Option<&RefinementInput<'_>>,
    exact: bool,
) -> Result<SolveStep> {
    let m = given.moments;
    let (p, t, kept) = (m.x_cols(), m.y_cols(), system.kept.len());
    let method = if correction.is_some() { "cholesky, corrected" } else { "cholesky" };
    let mut out =
        LeastSquaresSolution::zeros(method, p, m.rows(), given.log_weight, system.y_exponent.clone(), system.yy.clone());
    (out.effective_df, out.rank) = (vec![kept as f64; t], kept);
    let small = exact && m.rows() as f64 * ((p + t) as f64).powi(2) <= SMALL;
    let mut solver = MomentsSolver {
        problem,
        given,
        system,
        correction,
        exact,
        small,
        limit: if small { CONDITION_SMALL } else { CONDITION },
        out,
        errors: Some(Mat::filled(t, p + 1, f64::NAN)),
        coef: vec![Vec::new(); t],
        correlation: vec![0.0; t],
        rounds: 0,
    };
    // Targets of one penalty share a factorization.
    for first in 0..t {
        if !solver.coef[first].is_empty() {
            continue;
        }
        let alpha = problem.penalty_of(first);
        let targets: Vec<usize> = (first..t).filter(|&k| problem.penalty_of(k) == alpha).collect();
        let penalty = system.penalty(alpha);
        let group = PenaltyGroup { alpha, targets, a: system.penalized(&penalty), penalty };
        let solved = if problem.positive { solver.by_active_set(&group)? } else { solver.by_factorization(&group)? };
        if !solved {
            return Ok(SolveStep::Exact);
        }
    }
    match correction.map_or(solver.rounds, |c| c.rounds - 1) {
        0 => solver.finish(),
        rounds => Ok(SolveStep::Refine(solver.coefficients_in_moments(), rounds)),
    }
}

/// Targets of one penalty.
struct PenaltyGroup {
    alpha: f64,
    targets: Vec<usize>,
    /// The penalty on the squares of scaled coefficients.
    penalty: Vec<f64>,
    /// Products of the columns with the penalty on the diagonal.
    a: Mat<f64>,
}

struct MomentsSolver<'a> {
    problem: &'a LeastSquaresProblem<'a>,
    given: &'a MomentsInput<'a>,
    system: &'a ScaledSystem,
    correction: Option<&'a RefinementInput<'a>>,
    exact: bool,
    /// Whether products in double-double cost next to nothing.
    small: bool,
    /// The condition up to which f64 has digits enough.
    limit: f64,
    out: LeastSquaresSolution,
    /// Standard errors for a residual of one scaled unit; none where coefficients are not determined.
    errors: Option<Mat<f64>>,
    /// The scaled coefficients of each target.
    coef: Vec<Vec<Dd>>,
    correlation: Vec<f64>,
    /// Rounds of correction that are needed.
    rounds: u32,
}

impl MomentsSolver<'_> {
    /// Enters the coefficients of a target, and what follows from them.
    fn enter(&mut self, group: &PenaltyGroup, k: usize, coef: Vec<Dd>) -> Result<()> {
        self.correlation[k] = record(self.system, &mut self.out, k, &coef, &group.a, &group.penalty, self.problem.positive)?;
        self.coef[k] = coef;
        Ok(())
    }

    /// Coefficients at or above zero; false when products in double-double are needed.
    fn by_active_set(&mut self, group: &PenaltyGroup) -> Result<bool> {
        for &k in &group.targets {
            let active = nonnegative::solve(&group.a, self.system.c.row(k))?;
            if active.condition > self.limit && self.exact {
                return Ok(false);
            }
            self.out.method = "active set";
            self.out.steps = self.out.steps.max(active.steps);
            self.out.raise_condition(active.condition);
            self.enter(group, k, active.coef.iter().map(|&b| b.into()).collect())?;
        }
        Ok(true)
    }

    /// By the Cholesky factorization, or by eigenvectors where the columns are dependent; false when products in double-double are
    /// needed.
    fn by_factorization(&mut self, group: &PenaltyGroup) -> Result<bool> {
        let (kept, unpenalized) = (self.system.kept.len(), self.problem.penalty.is_empty());
        let factor = Cholesky::new(group.a.view()).ok();
        let condition = factor.as_ref().map_or(f64::INFINITY, |f| 1.0 / f.reciprocal_condition());
        let correctable = condition <= CORRECTABLE;
        // Standard errors cannot be corrected; small data needs no thrift.
        if condition > self.limit && self.exact && kept > 0 && (self.small || unpenalized || !correctable) {
            return Ok(false);
        }
        let Some(factor) = factor.filter(|_| condition < 1e14) else {
            self.by_eigenvectors(group)?;
            return Ok(true);
        };
        self.out.raise_condition(condition);
        if condition > self.limit {
            self.rounds = self.rounds.max(rounds_needed(condition));
            if unpenalized {
                let digits = (15.0 - condition.log10()).max(0.0);
                self.out.notes.push(format!("nearly dependent columns: standard errors to about {digits:.0} digits"));
            }
        }
        let inverse = factor.inverse_diagonal();
        let near_perfect = if self.small { NEAR_PERFECT_SMALL } else { NEAR_PERFECT };
        for &k in &group.targets {
            self.out.effective_df[k] = (0..kept).map(|j| 1.0 - group.penalty[j] * inverse[j]).sum();
            if let Some(errors) = &mut self.errors {
                unit_errors(self.problem, self.system, &factor, &inverse, self.given.moments.weight(), errors.row_mut(k), k);
            }
            if let Some(correction) = self.correction {
                let (coef, rss) = self.corrected(correction, k, &factor, &group.penalty);
                self.enter(group, k, coef)?;
                self.correlation[k] = self.correlation[k] * self.out.rss[k].sqrt() / rss.sqrt();
                self.out.rss[k] = rss;
                continue;
            }
            let mut one: Vec<f64> = (0..kept).map(|j| self.system.c[(k, j)]).collect();
            factor.solve_vec(&mut one);
            self.enter(group, k, one.into_iter().map(Dd::from).collect())?;
            if group.alpha == 0.0 && self.system.yy[k] > 0.0 && self.out.rss[k] < near_perfect * self.out.tss[k] {
                if self.small {
                    return Ok(false);
                }
                self.rounds = self.rounds.max(rounds_needed(condition));
            }
        }
        Ok(true)
    }

    /// The coefficients of least length.
    fn by_eigenvectors(&mut self, group: &PenaltyGroup) -> Result<()> {
        let (p, kept) = (self.given.moments.x_cols(), self.system.kept.len());
        let mut b = Mat::from_fn(kept, group.targets.len(), |j, g| self.system.c[(group.targets[g], j)]);
        let (rank, directions) = pseudo_solve(&group.a, &mut b)?;
        self.out.rank = rank;
        if self.problem.family && self.problem.penalty.is_empty() {
            let row_space = solution_family::basis(&directions, &self.system.kept, &self.system.x_exponent, p)?;
            self.out.family = Some(SolutionFamily { row_space, means: means(self.problem, self.given) });
        }
        self.out.method = "eigen";
        self.out.notes.push(format!(
            "rank {rank} of {p}: beyond {} columns dependence is judged in double precision, and directions below 1e-7 of the \
             largest are left out",
            super::pass::EXACT_COLS
        ));
        self.errors = None;
        for (g, &k) in group.targets.iter().enumerate() {
            self.out.effective_df[k] = rank as f64;
            self.enter(group, k, (0..kept).map(|j| b[(j, g)].into()).collect())?;
        }
        Ok(())
    }

    /// The coefficients in the units of the moments, one row per target.
    fn coefficients_in_moments(&self) -> Vec<Dd> {
        let (p, system) = (self.given.moments.x_cols(), self.system);
        let mut all = vec![Dd::ZERO; p * self.coef.len()];
        for (k, coef) in self.coef.iter().enumerate() {
            for (j, &column) in system.kept.iter().enumerate() {
                let unit = system.x_unit[j] - system.y_unit[k];
                all[k * p + column] = Dd { hi: ldexp(coef[j].hi, unit), lo: ldexp(coef[j].lo, unit) };
            }
        }
        all
    }

    /// The intercepts, the evidence and the notes.
    fn finish(self) -> Result<SolveStep> {
        let Self { problem, given, system, mut out, errors, coef, correlation, .. } = self;
        let (p, t, kept) = (given.moments.x_cols(), coef.len(), system.kept.len());
        if problem.fit_intercept {
            for k in 0..t {
                let fitted: Dd = (0..kept).map(|j| system.x_mean[j] * coef[k][j]).sum();
                out.intercept[k] = ldexp((system.y_mean[k] - fitted).to_f64(), -system.y_exponent[k]);
            }
        }
        if problem.penalty.is_empty() && !problem.positive {
            out.unit_error = errors;
            let mean = |k: usize| residual_mean(system, &out, k, problem.fit_intercept);
            let check = |k: usize| ResidualCheck { mean: mean(k), correlation: correlation[k] };
            out.checks = Some((0..t).map(check).collect());
        }
        if problem.family && problem.penalty.is_empty() && kept < p && out.family.is_none() {
            let axes = Mat::from_fn(kept, kept, |i, j| f64::from(u8::from(i == j)));
            let row_space = solution_family::basis(&axes, &system.kept, &vec![0; kept], p)?;
            out.family = Some(SolutionFamily { row_space, means: means(problem, given) });
        }
        if kept < p {
            out.notes.push(format!("rank {} of {p}: constant columns have the coefficient 0", out.rank));
        }
        Ok(SolveStep::Done(Box::new(out)))
    }

    /// Scaled coefficients of one target, corrected by their residuals, and the sum of squares.
    fn corrected(&self, correction: &RefinementInput<'_>, k: usize, factor: &Cholesky, penalty: &[f64]) -> (Vec<Dd>, f64) {
        let (system, centered, p) = (self.system, self.problem.fit_intercept, self.given.moments.x_cols());
        let kept = system.kept.len();
        let scaled = |v: Dd, e: i32| Dd { hi: ldexp(v.hi, e), lo: ldexp(v.lo, e) };
        let (residuals, y_unit) = (correction.residuals, system.y_unit[k]);
        let old: Vec<Dd> =
            (0..kept).map(|j| scaled(correction.coef[k * p + system.kept[j]], y_unit - system.x_unit[j])).collect();
        let gradient: Vec<Dd> =
            (0..kept).map(|j| scaled(residuals.product(k, system.kept[j], centered), system.x_unit[j] + y_unit)).collect();
        let mut step: Vec<f64> = (0..kept).map(|j| (gradient[j] - old[j] * penalty[j].into()).to_f64()).collect();
        factor.solve_vec(&mut step);
        // |r - X step|² = |r|² - 2 step · Xᵀr + stepᵀ XᵀX step.
        let square = scaled(residuals.square(k, centered), 2 * y_unit);
        let linear: Dd = (0..kept).map(|j| gradient[j] * step[j].into()).sum();
        let quadratic: f64 =
            (0..kept).map(|i| step[i] * system.a.row(i).iter().zip(&step).map(|(a, s)| a * s).sum::<f64>()).sum();
        let rss = ((square - linear.scale(2.0)).to_f64() + quadratic).max(0.0);
        // Residuals no longer than the rounding of what they are differences of say that the fit is exact.
        let rounding = (0..kept).map(|j| (old[j].hi * system.x_noise[j]).powi(2)).sum::<f64>() + system.y_noise[k].powi(2);
        let is_exact = penalty.iter().all(|v| *v == 0.0) && rss <= 16.0 * rounding;
        (old.iter().zip(&step).map(|(&b, &s)| b + s.into()).collect(), if is_exact { 0.0 } else { rss })
    }
}

/// Corrections until none would change a digit: each multiplies the error by about the rounding of the system it solves.
fn rounds_needed(condition: f64) -> u32 {
    let factor = (20.0 * f64::EPSILON * condition).min(0.1);
    ((16.0 / -factor.log10()).ceil() as u32).saturating_sub(1).clamp(1, 8)
}

/// Enters the scaled coefficients of one target: in the units of the data, with the sums they give. Returns the largest correlation of
/// a column and the residuals, which a penalty leaves and nothing else.
fn record(
    system: &ScaledSystem,
    out: &mut LeastSquaresSolution,
    k: usize,
    exact: &[Dd],
    a: &Mat<f64>,
    penalty: &[f64],
    positive: bool,
) -> Result<f64> {
    let coef: &[f64] = &exact.iter().map(|b| b.to_f64()).collect::<Vec<_>>();
    let c = system.c.row(k);
    let products: Vec<f64> = (0..coef.len()).map(|i| a.row(i).iter().zip(coef).map(|(a, b)| a * b).sum()).collect();
    let gradient: Vec<f64> = (0..coef.len()).map(|j| c[j] - products[j]).collect();
    let size = system.yy[k].max(f64::MIN_POSITIVE).sqrt();
    let violation = if positive {
        nonnegative::violation(coef, &gradient, size)
    } else {
        (0..coef.len()).map(|j| gradient[j].abs() / a[(j, j)].sqrt()).fold(0.0, f64::max) / size
    };
    out.residual = out.residual.max(violation);
    out.penalty[k] = (0..coef.len()).map(|j| penalty[j] * coef[j] * coef[j]).sum();
    // yy - 2 bᵀc + bᵀ(A + P)b - bᵀPb, grouped so that what is nearly zero is summed as such.
    let explained: f64 = (0..coef.len()).map(|j| coef[j] * (c[j] + gradient[j])).sum();
    out.rss[k] = (system.yy[k] - explained - out.penalty[k]).max(0.0);
    for (j, &b) in coef.iter().enumerate() {
        out.set_coef(k, system.kept[j], ldexp(b, system.x_exponent[j] - system.y_exponent[k]))?;
    }
    let products = (0..coef.len()).map(|j| gradient[j].abs() / a[(j, j)].sqrt()).fold(0.0, f64::max);
    Ok(products / out.rss[k].sqrt())
}

/// The means of the columns in the units of the data; 0 without intercept.
fn means(problem: &LeastSquaresProblem<'_>, given: &MomentsInput<'_>) -> Vec<f64> {
    let mean = |j: usize| ldexp(given.moments.mean()[j], -given.exponents.get(j).copied().unwrap_or(0));
    (0..given.moments.x_cols()).map(|j| if problem.fit_intercept { mean(j) } else { 0.0 }).collect()
}

/// The mean of the residuals of the coefficients as they are given out, over the standard deviation of the residuals.
fn residual_mean(system: &ScaledSystem, out: &LeastSquaresSolution, k: usize, fit_intercept: bool) -> f64 {
    if !fit_intercept {
        return f64::NAN;
    }
    let unit = system.y_exponent[k];
    let coef = |j: usize| ldexp(out.coef[(k, system.kept[j])], unit - system.x_exponent[j]);
    let fitted: Dd = (0..system.kept.len()).map(|j| system.x_mean[j] * coef(j).into()).sum();
    let mean = system.y_mean[k] - fitted - ldexp(out.intercept[k], unit).into();
    mean.to_f64() / (out.rss[k] / out.rows as f64).sqrt()
}

/// Standard errors for a residual of one scaled unit, intercept first.
fn unit_errors(
    problem: &LeastSquaresProblem<'_>,
    system: &ScaledSystem,
    factor: &Cholesky,
    inverse: &[f64],
    weight: f64,
    out: &mut [f64],
    k: usize,
) {
    let kept = system.kept.len();
    for (j, &column) in system.kept.iter().enumerate() {
        out[column + 1] = ldexp(inverse[j].sqrt(), system.x_exponent[j] - system.y_exponent[k]);
    }
    if problem.fit_intercept {
        let mut mean = Mat::from_fn(kept, 1, |j, _| system.x_mean[j].hi);
        factor.solve_lower(&mut mean);
        let spread: f64 = mean.as_slice().iter().map(|v| v * v).sum();
        out[0] = ldexp((1.0 / weight + spread).sqrt(), -system.y_exponent[k]);
    }
}

/// The solution of least length in scaled units, replacing the columns of `b`; returns the rank, and the directions that count, a
/// column a direction.
fn pseudo_solve(a: &Mat<f64>, b: &mut Mat<f64>) -> Result<(usize, Mat<f64>)> {
    let eigen = eigen_symmetric(a.view())?;
    let least = eigen.values.first().copied().unwrap_or(0.0) * 1e-14;
    let rank = eigen.values.iter().take_while(|&&v| v > least).count();
    let mut x = Mat::zeros(b.rows(), b.cols());
    for g in 0..b.cols() {
        for k in 0..rank {
            let v = eigen.vectors.row(k);
            let along = (0..b.rows()).map(|j| v[j] * b[(j, g)]).sum::<f64>() / eigen.values[k];
            for j in 0..b.rows() {
                x[(j, g)] += along * v[j];
            }
        }
    }
    *b = x;
    Ok((rank, Mat::from_fn(a.rows(), rank, |j, k| eigen.vectors[(k, j)])))
}

/// Singular values of the data from its products; those below 1e-8 of the largest are rounding.
fn singular_values(system: &ScaledSystem, count: usize) -> Result<Vec<f64>> {
    let kept = system.kept.len();
    let e = &system.x_exponent;
    // Back to the units of the data, up to a common power of two.
    let common = e.iter().copied().min().unwrap_or(0);
    let back = |j: usize| ldexp(1.0, (common - e[j]).max(-500));
    let a = Mat::from_fn(kept, kept, |i, j| system.a[(i, j)] * back(i) * back(j));
    let mut values: Vec<f64> = eigenvalues_symmetric(a.view())?.into_iter().map(|v| ldexp(v.max(0.0).sqrt(), -common)).collect();
    values.resize(count, 0.0);
    Ok(values)
}
