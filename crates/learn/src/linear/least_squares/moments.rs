//! The normal equations in doubles.

use ermine_core::{Error, Mat, Result};
use ermine_math::dd::Dd;
use ermine_math::linalg::{Cholesky, eigen_symmetric, eigenvalues_symmetric};
use ermine_math::moments::Moments;

use super::scale::{exponent_of, ldexp, power};
use super::{Problem, Solution, nonnegative};

/// Condition number of the scaled normal equations up to which doubles keep nine digits and more.
const CONDITION: f64 = 1e6;
/// The same for data so small that double-double costs nothing.
const CONDITION_SMALL: f64 = 1e3;
/// Products in data that counts as small.
const SMALL: f64 = 2e6;
/// A residual sum of squares below this share of the total is a difference of nearly equal sums.
const NEAR_PERFECT: f64 = 2e-6;

pub(super) struct Given<'a> {
    pub moments: &'a Moments,
    pub log_weight: f64,
    /// Columns of [X | Y] were multiplied by 2^exponent; empty for not at all.
    pub exponents: &'a [i32],
    /// Relative rounding of the data.
    pub epsilon: f64,
}

/// The system of one fit in scaled units: diagonals between 1 and 4, powers of two, so that scaling rounds nothing.
struct System {
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
    /// Means in scaled units.
    x_mean: Vec<Dd>,
    y_mean: Vec<Dd>,
}

impl System {
    fn new(problem: &Problem<'_>, given: &Given<'_>) -> Self {
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
        Self {
            x_mean: kept.iter().zip(&unit).map(|(&j, &u)| mean(j).scale(power(u))).collect(),
            y_mean: (0..t).map(|k| mean(p + k).scale(power(y_unit[k]))).collect(),
            x_exponent: kept.iter().zip(&unit).map(|(&j, &u)| given_exponent(j) + u).collect(),
            y_exponent: (0..t).map(|k| given_exponent(p + k) + y_unit[k]).collect(),
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

/// Solves in doubles. `None` asks for a pass in double-double, which is only done where `exact` allows it.
pub(super) fn solve(problem: &Problem<'_>, given: &Given<'_>, exact: bool) -> Result<Option<Solution>> {
    let system = System::new(problem, given);
    let m = given.moments;
    let (p, t, kept) = (m.x_cols(), m.y_cols(), system.kept.len());
    let work = m.rows() as f64 * ((p + t) as f64).powi(2);
    let limit = if work <= SMALL { CONDITION_SMALL } else { CONDITION };
    let mut out = Solution {
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
        method: "cholesky",
        steps: 1,
        notes: Vec::new(),
    };
    let mut errors = Mat::filled(t, p + 1, f64::NAN);
    // Targets of one penalty share a factorisation.
    let mut done = vec![false; t];
    for first in 0..t {
        if done[first] {
            continue;
        }
        let alpha = problem.penalty_of(first);
        let group: Vec<usize> = (first..t).filter(|&k| !done[k] && problem.penalty_of(k) == alpha).collect();
        let penalty = system.penalty(alpha);
        let a = system.penalised(&penalty);
        if problem.positive {
            for &k in &group {
                let active = nonnegative::solve(&a, system.c.row(k))?;
                if active.condition > limit && exact {
                    return Ok(None);
                }
                out.method = "active set";
                out.steps = out.steps.max(active.steps);
                out.condition = Some(out.condition.unwrap_or(1.0).max(active.condition));
                record(&system, &mut out, k, &active.coef, &a, &penalty, true)?;
            }
        } else {
            let factor = Cholesky::new(a.view()).ok();
            let condition = factor.as_ref().map_or(f64::INFINITY, |f| 1.0 / f.reciprocal_condition());
            if condition > limit && exact && kept > 0 {
                return Ok(None);
            }
            let mut b = Mat::from_fn(kept, group.len(), |j, g| system.c[(group[g], j)]);
            match &factor {
                Some(factor) if condition < 1e14 => {
                    factor.solve(&mut b);
                    out.condition = Some(out.condition.unwrap_or(1.0).max(condition));
                    let inverse = factor.inverse();
                    for &k in &group {
                        out.effective_df[k] = (0..kept).map(|j| 1.0 - penalty[j] * inverse[(j, j)]).sum();
                        unit_errors(problem, &system, factor, &inverse, m.weight(), errors.row_mut(k), k);
                    }
                }
                _ => {
                    let rank = pseudo_solve(&a, &mut b)?;
                    out.method = "eigen";
                    out.notes.push(format!(
                        "rank {rank} of {p}: beyond {} columns dependence is judged in double precision, and directions below 1e-7 \
                         of the largest are left out",
                        super::pass::EXACT_COLS
                    ));
                    out.rank = rank;
                    group.iter().for_each(|&k| out.effective_df[k] = rank as f64);
                    errors = Mat::zeros(0, 0);
                }
            }
            for (g, &k) in group.iter().enumerate() {
                let coef: Vec<f64> = (0..kept).map(|j| b[(j, g)]).collect();
                record(&system, &mut out, k, &coef, &a, &penalty, false)?;
                let near_perfect = alpha == 0.0 && system.yy[k] > 0.0 && out.rss[k] < NEAR_PERFECT * out.tss[k];
                if near_perfect && exact {
                    return Ok(None);
                }
            }
        }
        group.iter().for_each(|&k| done[k] = true);
    }
    if problem.fit_intercept {
        for k in 0..t {
            let scaled = |j: usize| ldexp(out.coef[(k, system.kept[j])], system.y_exponent[k] - system.x_exponent[j]);
            let fitted: Dd = (0..kept).map(|j| system.x_mean[j] * scaled(j).into()).sum();
            out.intercept[k] = ldexp((system.y_mean[k] - fitted).to_f64(), -system.y_exponent[k]);
        }
    }
    if problem.penalty.is_empty() && !problem.positive && errors.rows() == t {
        out.unit_error = Some(errors);
    }
    if problem.spectrum {
        out.singular = Some(singular_values(&system, p.min(m.rows() as usize))?);
    }
    if kept < p {
        out.notes.push(format!("rank {} of {p}: constant columns have the coefficient 0", out.rank));
    }
    Ok(Some(out))
}

/// Enters the scaled coefficients of one target: in the units of the data, with the sums they give.
fn record(
    system: &System,
    out: &mut Solution,
    k: usize,
    coef: &[f64],
    a: &Mat<f64>,
    penalty: &[f64],
    positive: bool,
) -> Result<()> {
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
    Ok(())
}

/// A coefficient beyond the doubles.
pub(super) fn too_large(column: usize) -> Error {
    Error::Numeric(format!(
        "the coefficient of column {column} is too large for a double; scale the column up or the target down"
    ))
}

/// Standard errors for a residual of one scaled unit, intercept first.
fn unit_errors(
    problem: &Problem<'_>,
    system: &System,
    factor: &Cholesky,
    inverse: &Mat<f64>,
    weight: f64,
    out: &mut [f64],
    k: usize,
) {
    let kept = system.kept.len();
    for (j, &column) in system.kept.iter().enumerate() {
        out[column + 1] = ldexp(inverse[(j, j)].sqrt(), system.x_exponent[j] - system.y_exponent[k]);
    }
    if problem.fit_intercept {
        let mut mean = Mat::from_fn(kept, 1, |j, _| system.x_mean[j].hi);
        factor.solve_lower(&mut mean);
        let spread: f64 = mean.as_slice().iter().map(|v| v * v).sum();
        out[0] = ldexp((1.0 / weight + spread).sqrt(), -system.y_exponent[k]);
    }
}

/// The solution of least length in scaled units, replacing the columns of `b`; returns the rank.
fn pseudo_solve(a: &Mat<f64>, b: &mut Mat<f64>) -> Result<usize> {
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
    Ok(rank)
}

/// Singular values of the data from its products; those below 1e-8 of the largest are rounding.
fn singular_values(system: &System, count: usize) -> Result<Vec<f64>> {
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
