//! The normal equations in doubles.

use ermine_core::{Error, Mat, Result};
use ermine_math::double_double::{Dd, Residuals};
use ermine_math::linalg::{Cholesky, eigen_symmetric, eigenvalues_symmetric};
use ermine_math::moments::Moments;

use super::scale::{exponent_of, ldexp, power};
use super::{LeastSquaresProblem, LeastSquaresSolution, ResidualCheck, SolutionFamily, nonnegative, solution_family};

/// Condition number of the scaled normal equations up to which doubles keep nine digits and more.
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

pub(super) struct MomentsInput<'a> {
    pub moments: &'a Moments,
    pub log_weight: f64,
    /// Columns of [X | Y] were multiplied by 2^exponent; empty for not at all.
    pub exponents: &'a [i32],
    /// Relative rounding of the data.
    pub epsilon: f64,
}

/// What follows.
pub(super) enum SolveStep {
    Done(Box<LeastSquaresSolution>),
    /// Products in double-double are needed.
    Exact,
    /// These coefficients need their residuals: a row a target, in the units of the moments; and how many times.
    Refine(Vec<Dd>, u32),
}

/// Coefficients, their residuals and the number of rounds still to go.
pub(super) struct RefinementInput<'a> {
    pub coef: &'a [Dd],
    pub residuals: &'a Residuals,
    pub rounds: u32,
}

/// The system of one fit in scaled units: diagonals between 1 and 4, powers of two, so that scaling rounds nothing.
struct ScaledSystem {
    /// The columns that are not constant.
    kept: Vec<usize>,
    /// Products of the kept columns.
    a: Mat<f64>,
    /// Products of kept columns and targets, a row a target.
    c: Mat<f64>,
    /// Sums of squares of the targets.
    yy: Vec<f64>,
    /// Scaled x is x 2^exponent.
    x_exponent: Vec<i32>,
    /// Scaled y is y 2^exponent.
    y_exponent: Vec<i32>,
    /// What of these exponents is not yet in the moments.
    x_unit: Vec<i32>,
    y_unit: Vec<i32>,
    /// Lengths of the rounding errors of the columns, in scaled units.
    x_noise: Vec<f64>,
    y_noise: Vec<f64>,
    /// Means in scaled units.
    x_mean: Vec<Dd>,
    y_mean: Vec<Dd>,
}

impl ScaledSystem {
    fn new(problem: &LeastSquaresProblem<'_>, given: &MomentsInput<'_>) -> Self {
        let m = given.moments;
        let (p, t, weight) = (m.x_cols(), m.y_cols(), m.weight());
        let scatter = m.scatter();
        let given_exponent = |j: usize| given.exponents.get(j).copied().unwrap_or(0);
        let mean = |j: usize| Dd { hi: m.mean()[j], lo: m.mean_low()[j] };
        // Sum of squares about zero; its rounding is what a column without variation may show.
        let about_zero = |j: usize| scatter[(j, j)] + weight * m.mean()[j].powi(2);
        let product = |i: usize, j: usize| {
            let centred = scatter[(i, j)];
            if problem.fit_intercept { centred } else { centred + weight * m.mean()[i] * m.mean()[j] }
        };
        let varies = |j: usize| {
            if problem.fit_intercept {
                scatter[(j, j)] > (2.0 * given.epsilon).powi(2) * about_zero(j)
            } else {
                about_zero(j) > 0.0
            }
        };
        // Even exponents of the diagonal, halved.
        let half = |v: f64| -(exponent_of(v).div_euclid(2));
        let penalty = problem.penalty.iter().copied().fold(0.0, f64::max);
        // Squares that vanish next to the penalty say nothing about a column that was left tiny for its sake.
        let all = penalty > 0.0 && !given.exponents.is_empty();
        let kept: Vec<usize> = (0..p).filter(|&j| all || varies(j)).collect();
        let unit: Vec<i32> =
            kept.iter().map(|&j| half(product(j, j) + ldexp(penalty, 2 * given_exponent(j)).min(f64::MAX / 4.0))).collect();
        let y_unit: Vec<i32> = (p..p + t).map(|k| if varies(k) { half(product(k, k)) } else { 0 }).collect();
        let a = Mat::from_fn(kept.len(), kept.len(), |i, j| product(kept[i], kept[j]) * power(unit[i]) * power(unit[j]));
        let c = Mat::from_fn(t, kept.len(), |k, j| {
            if varies(p + k) { product(kept[j], p + k) * power(unit[j]) * power(y_unit[k]) } else { 0.0 }
        });
        let yy = (0..t).map(|k| if varies(p + k) { ldexp(product(p + k, p + k), 2 * y_unit[k]) } else { 0.0 }).collect();
        let noise = |j: usize, unit: i32| 0.5 * given.epsilon * about_zero(j).sqrt() * power(unit);
        Self {
            x_noise: kept.iter().zip(&unit).map(|(&j, &u)| noise(j, u)).collect(),
            y_noise: (0..t).map(|k| noise(p + k, y_unit[k])).collect(),
            x_mean: kept.iter().zip(&unit).map(|(&j, &u)| mean(j).scale(power(u))).collect(),
            y_mean: (0..t).map(|k| mean(p + k).scale(power(y_unit[k]))).collect(),
            x_exponent: kept.iter().zip(&unit).map(|(&j, &u)| given_exponent(j) + u).collect(),
            y_exponent: (0..t).map(|k| given_exponent(p + k) + y_unit[k]).collect(),
            x_unit: unit,
            y_unit,
            kept,
            a,
            c,
            yy,
        }
    }

    /// The penalty on the squares of scaled coefficients.
    fn penalty(&self, alpha: f64) -> Vec<f64> {
        self.x_exponent.iter().map(|&e| ldexp(alpha, 2 * e)).collect()
    }

    /// Products with the penalty on the diagonal.
    fn penalised(&self, penalty: &[f64]) -> Mat<f64> {
        let mut a = self.a.clone();
        penalty.iter().enumerate().for_each(|(j, v)| a[(j, j)] += v);
        a
    }
}

/// Columns from which singular values are found beside the solution.
const SIDE_BY_SIDE: usize = 256;

/// Solves in doubles, or corrects what was found so. Products in double-double are asked for only where `exact` allows it.
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
    let small = exact && m.rows() as f64 * ((p + t) as f64).powi(2) <= SMALL;
    let limit = if small { CONDITION_SMALL } else { CONDITION };
    let mut out = LeastSquaresSolution {
        coef: Mat::zeros(t, p),
        intercept: vec![0.0; t],
        rss: vec![0.0; t],
        tss: system.yy.clone(),
        penalty: vec![0.0; t],
        exponent: system.y_exponent.clone(),
        unit_error: None,
        effective_df: vec![kept as f64; t],
        singular: None,
        rank: kept,
        rows: m.rows(),
        log_weight: given.log_weight,
        residual: 0.0,
        condition: None,
        method: if correction.is_some() { "cholesky, corrected" } else { "cholesky" },
        steps: 1,
        converged: true,
        notes: Vec::new(),
        path: None,
        family: None,
        checks: None,
    };
    let mut errors = Mat::filled(t, p + 1, f64::NAN);
    let mut coef: Vec<Vec<Dd>> = vec![Vec::new(); t];
    let (mut rounds, mut correlation) = (0, vec![0.0; t]);
    // Targets of one penalty share a factorisation.
    for first in 0..t {
        if !coef[first].is_empty() {
            continue;
        }
        let alpha = problem.penalty_of(first);
        let group: Vec<usize> = (first..t).filter(|&k| problem.penalty_of(k) == alpha).collect();
        let penalty = system.penalty(alpha);
        let a = system.penalised(&penalty);
        if problem.positive {
            for &k in &group {
                let active = nonnegative::solve(&a, system.c.row(k))?;
                if active.condition > limit && exact {
                    return Ok(SolveStep::Exact);
                }
                out.method = "active set";
                out.steps = out.steps.max(active.steps);
                out.condition = Some(out.condition.unwrap_or(1.0).max(active.condition));
                coef[k] = active.coef.iter().map(|&b| b.into()).collect();
                correlation[k] = record(system, &mut out, k, &coef[k], &a, &penalty, true)?;
            }
            continue;
        }
        let factor = Cholesky::new(a.view()).ok();
        let condition = factor.as_ref().map_or(f64::INFINITY, |f| 1.0 / f.reciprocal_condition());
        let correctable = condition <= CORRECTABLE;
        // Standard errors cannot be corrected; small data needs no thrift.
        if condition > limit && exact && kept > 0 && (small || problem.penalty.is_empty() || !correctable) {
            return Ok(SolveStep::Exact);
        }
        let mut b = Mat::from_fn(kept, group.len(), |j, g| system.c[(group[g], j)]);
        let Some(factor) = factor.filter(|_| condition < 1e14) else {
            let (rank, directions) = pseudo_solve(&a, &mut b)?;
            out.rank = rank;
            if problem.family && problem.penalty.is_empty() {
                let row_space = solution_family::basis(&directions, &system.kept, &system.x_exponent, p)?;
                out.family = Some(SolutionFamily { row_space, means: means(problem, given) });
            }
            out.method = "eigen";
            out.notes.push(format!(
                "rank {} of {p}: beyond {} columns dependence is judged in double precision, and directions below 1e-7 of the \
                 largest are left out",
                out.rank,
                super::pass::EXACT_COLS
            ));
            errors = Mat::zeros(0, 0);
            for (g, &k) in group.iter().enumerate() {
                out.effective_df[k] = out.rank as f64;
                coef[k] = (0..kept).map(|j| b[(j, g)].into()).collect();
                correlation[k] = record(system, &mut out, k, &coef[k], &a, &penalty, false)?;
            }
            continue;
        };
        out.condition = Some(out.condition.unwrap_or(1.0).max(condition));
        if condition > limit {
            rounds = rounds.max(rounds_needed(condition));
            if problem.penalty.is_empty() {
                let digits = (15.0 - condition.log10()).max(0.0);
                out.notes.push(format!("nearly dependent columns: standard errors to about {digits:.0} digits"));
            }
        }
        let inverse = factor.inverse_diagonal();
        for (g, &k) in group.iter().enumerate() {
            out.effective_df[k] = (0..kept).map(|j| 1.0 - penalty[j] * inverse[j]).sum();
            unit_errors(problem, system, &factor, &inverse, m.weight(), errors.row_mut(k), k);
            match correction {
                None => {
                    let mut one: Vec<f64> = (0..kept).map(|j| b[(j, g)]).collect();
                    factor.solve_vec(&mut one);
                    coef[k] = one.into_iter().map(Dd::from).collect();
                    correlation[k] = record(system, &mut out, k, &coef[k], &a, &penalty, false)?;
                }
                Some(correction) => {
                    coef[k] = corrected(problem, system, correction, k, &factor, &penalty, &mut out, p);
                    let rss = out.rss[k];
                    let violation = record(system, &mut out, k, &coef[k], &a, &penalty, false)? * out.rss[k].sqrt();
                    out.rss[k] = rss;
                    correlation[k] = violation / rss.sqrt();
                }
            }
            let near_perfect = if small { NEAR_PERFECT_SMALL } else { NEAR_PERFECT };
            if correction.is_none() && alpha == 0.0 && system.yy[k] > 0.0 && out.rss[k] < near_perfect * out.tss[k] {
                if small {
                    return Ok(SolveStep::Exact);
                }
                rounds = rounds.max(rounds_needed(condition));
            }
        }
    }
    let rounds = correction.map_or(rounds, |c| c.rounds - 1);
    if rounds > 0 {
        let mut all = vec![Dd::ZERO; p * t];
        for k in 0..t {
            for (j, &column) in system.kept.iter().enumerate() {
                let unit = system.x_unit[j] - system.y_unit[k];
                all[k * p + column] = Dd { hi: ldexp(coef[k][j].hi, unit), lo: ldexp(coef[k][j].lo, unit) };
            }
        }
        return Ok(SolveStep::Refine(all, rounds));
    }
    if problem.fit_intercept {
        for k in 0..t {
            let fitted: Dd = (0..kept).map(|j| system.x_mean[j] * coef[k][j]).sum();
            out.intercept[k] = ldexp((system.y_mean[k] - fitted).to_f64(), -system.y_exponent[k]);
        }
    }
    if problem.penalty.is_empty() && !problem.positive && errors.rows() == t {
        out.unit_error = Some(errors);
    }
    if problem.family && problem.penalty.is_empty() && kept < p && out.family.is_none() {
        let axes = Mat::from_fn(kept, kept, |i, j| f64::from(u8::from(i == j)));
        let row_space = solution_family::basis(&axes, &system.kept, &vec![0; kept], p)?;
        out.family = Some(SolutionFamily { row_space, means: means(problem, given) });
    }
    if problem.penalty.is_empty() && !problem.positive {
        let mean = |k: usize| residual_mean(system, &out, k, problem.fit_intercept);
        let check = |k: usize| ResidualCheck { mean: mean(k), correlation: correlation[k] };
        out.checks = Some((0..t).map(check).collect());
    }
    if kept < p {
        out.notes.push(format!("rank {} of {p}: constant columns have the coefficient 0", out.rank));
    }
    Ok(SolveStep::Done(Box::new(out)))
}

/// Corrections until none would change a digit: each multiplies the error by about the rounding of the system it solves.
fn rounds_needed(condition: f64) -> u32 {
    let factor = (20.0 * f64::EPSILON * condition).min(0.1);
    ((16.0 / -factor.log10()).ceil() as u32).saturating_sub(1).clamp(1, 8)
}

/// Scaled coefficients of one target, corrected by their residuals; enters their sum of squares.
#[allow(clippy::too_many_arguments)]
fn corrected(
    problem: &LeastSquaresProblem<'_>,
    system: &ScaledSystem,
    correction: &RefinementInput<'_>,
    k: usize,
    factor: &Cholesky,
    penalty: &[f64],
    out: &mut LeastSquaresSolution,
    p: usize,
) -> Vec<Dd> {
    let kept = system.kept.len();
    let scaled = |v: Dd, e: i32| Dd { hi: ldexp(v.hi, e), lo: ldexp(v.lo, e) };
    let (residuals, y_unit) = (correction.residuals, system.y_unit[k]);
    let old: Vec<Dd> = (0..kept).map(|j| scaled(correction.coef[k * p + system.kept[j]], y_unit - system.x_unit[j])).collect();
    let gradient: Vec<Dd> = (0..kept)
        .map(|j| scaled(residuals.product(k, system.kept[j], problem.fit_intercept), system.x_unit[j] + y_unit))
        .collect();
    let mut step: Vec<f64> = (0..kept).map(|j| (gradient[j] - old[j] * penalty[j].into()).to_f64()).collect();
    factor.solve_vec(&mut step);
    // |r - X step|² = |r|² - 2 step · Xᵀr + stepᵀ XᵀX step.
    let square = scaled(residuals.square(k, problem.fit_intercept), 2 * y_unit);
    let linear: Dd = (0..kept).map(|j| gradient[j] * step[j].into()).sum();
    let quadratic: f64 = (0..kept).map(|i| step[i] * system.a.row(i).iter().zip(&step).map(|(a, s)| a * s).sum::<f64>()).sum();
    let rss = ((square - linear.scale(2.0)).to_f64() + quadratic).max(0.0);
    // Residuals no longer than the rounding of what they are differences of say that the fit is exact.
    let rounding = (0..kept).map(|j| (old[j].hi * system.x_noise[j]).powi(2)).sum::<f64>() + system.y_noise[k].powi(2);
    out.rss[k] = if penalty.iter().all(|v| *v == 0.0) && rss <= 16.0 * rounding { 0.0 } else { rss };
    old.iter().zip(&step).map(|(&b, &s)| b + s.into()).collect()
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
        let column = system.kept[j];
        out.coef[(k, column)] = ldexp(b, system.x_exponent[j] - system.y_exponent[k]);
        if !out.coef[(k, column)].is_finite() {
            return Err(too_large(column));
        }
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

/// A coefficient beyond the doubles.
pub(super) fn too_large(column: usize) -> Error {
    Error::Numeric(format!(
        "the coefficient of column {column} is too large for a double; scale the column up or the target down"
    ))
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
