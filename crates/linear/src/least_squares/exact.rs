//! The normal equations in double-double.

use ermine_core::{Mat, Result};
use ermine_math::double_double::{Dd, DdCholesky, DdGram};
use ermine_math::linalg::svd;

use super::moments::too_large;
use super::scale::{exponent_of, ldexp, power};
use super::{LeastSquaresProblem, LeastSquaresSolution, ResidualCheck, SolutionFamily, nonnegative, solution_family};

/// Half an ulp: how far a number may lie from what it stands for, relative to the largest of its kind.
const ROUNDING: f64 = 0.5;
/// A sum of squares within this many roundings is no sum but rounding.
const ROUNDINGS: f64 = 4.0;
/// With fewer digits than this determined by the data, a person should know.
const FEW_DIGITS: f64 = 1e6;

pub(super) struct ExactInput<'a> {
    pub gram: &'a DdGram,
    /// What was taken from the columns of [X | Y], in scaled units.
    pub shift: &'a [f64],
    pub rows: u64,
    pub log_weight: f64,
    pub exponents: &'a [i32],
    pub epsilon: f64,
    pub cols: usize,
}

/// Products in units of the data times one common power of two, so that the shortest solution is the shortest in the data's
/// own units too.
struct ExactSystem<'a> {
    given: &'a ExactInput<'a>,
    centred: bool,
    /// To multiply scaled column j by.
    back: Vec<f64>,
    /// Column j here is the data's times 2^exponent.
    exponent: Vec<i32>,
}

impl ExactSystem<'_> {
    fn product(&self, i: usize, j: usize) -> Dd {
        let gram = self.given.gram;
        let v = if self.centred { gram.centred(i, j) } else { gram.cross(i, j) };
        v.scale(self.back[i]).scale(self.back[j])
    }

    fn mean(&self, j: usize) -> Dd {
        (Dd::from(self.given.shift[j]) + self.given.gram.mean(j)).scale(self.back[j])
    }

    /// The length of the rounding errors in column j.
    fn rounding_norm(&self, j: usize) -> f64 {
        let centred = self.given.gram.centred(j, j).hi * self.back[j].powi(2);
        let about_zero = centred + self.given.gram.weight().hi * self.mean(j).hi.powi(2);
        ROUNDING * self.given.epsilon * about_zero.max(0.0).sqrt()
    }

    fn has_variance(&self, j: usize) -> bool {
        self.product(j, j).hi > (ROUNDINGS * self.rounding_norm(j)).powi(2)
    }
}

/// A factorisation, with what it belongs to.
struct ExactFactor {
    alpha: f64,
    columns: Vec<usize>,
    factor: DdCholesky,
    inverse: Option<Vec<Dd>>,
}

/// Solves in double-double.
pub(super) fn solve(problem: &LeastSquaresProblem<'_>, given: &ExactInput<'_>) -> Result<LeastSquaresSolution> {
    let (p, t) = (given.cols, given.gram.cols() - given.cols);
    let given_exponent = |j: usize| given.exponents.get(j).copied().unwrap_or(0);
    let (lowest, highest) = (0..p).map(given_exponent).fold((i32::MAX, i32::MIN), |(lo, hi), e| (lo.min(e), hi.max(e)));
    let common = (lowest + highest) / 2;
    let apart: Vec<i32> = (0..p + t).map(|j| if j < p { (given_exponent(j) - common).clamp(-250, 250) } else { 0 }).collect();
    let system = ExactSystem {
        given,
        centred: problem.fit_intercept,
        back: apart.iter().map(|&a| power(-a)).collect(),
        exponent: (0..p + t).map(|j| given_exponent(j) - apart[j]).collect(),
    };
    let kept: Vec<usize> = (0..p).filter(|&j| system.has_variance(j)).collect();
    let noise: Vec<f64> = kept.iter().map(|&j| system.rounding_norm(j)).collect();
    // Every entry takes a division; keep them.
    let products = triangle(kept.len(), |i, j| system.product(kept[i], kept[j]));
    let weight = given.gram.weight();
    let mut out = LeastSquaresSolution {
        coef: Mat::zeros(t, p),
        intercept: vec![0.0; t],
        rss: vec![0.0; t],
        tss: vec![0.0; t],
        penalty: vec![0.0; t],
        exponent: (p..p + t).map(|k| system.exponent[k]).collect(),
        unit_error: None,
        effective_df: vec![0.0; t],
        singular: None,
        rank: kept.len(),
        rows: given.rows,
        log_weight: given.log_weight,
        residual: 0.0,
        condition: None,
        method: "cholesky in double-double",
        steps: 2,
        converged: true,
        notes: Vec::new(),
        path: None,
        family: None,
        checks: None,
    };
    let mut errors = Mat::filled(t, p + 1, f64::NAN);
    let mut checks = vec![ResidualCheck { mean: f64::NAN, correlation: 0.0 }; t];
    let mut last: Option<ExactFactor> = None;
    let mut clearance = f64::INFINITY;
    for k in 0..t {
        let alpha = problem.penalty_of(k);
        let penalty: Vec<f64> = kept.iter().map(|&j| ldexp(alpha, 2 * system.exponent[j])).collect();
        let y_varies = system.has_variance(p + k);
        let yy = if y_varies { system.product(p + k, p + k) } else { Dd::ZERO };
        let c: Vec<Dd> = kept.iter().map(|&j| if y_varies { system.product(p + k, j) } else { Dd::ZERO }).collect();
        let entry = |i: usize, j: usize| {
            let v = at(&products, i, j);
            if i == j { v + penalty[i].into() } else { v }
        };
        let columns: Vec<usize> = if problem.positive { passive(kept.len(), &entry, &c)? } else { (0..kept.len()).collect() };
        if last.as_ref().is_none_or(|f| f.alpha != alpha || f.columns != columns) {
            // A penalty makes every column count, so rounding decides nothing.
            let rounding: Vec<f64> = columns.iter().map(|&j| if alpha > 0.0 { 0.0 } else { noise[j] }).collect();
            let sub = |i: usize, j: usize| entry(columns[i].max(columns[j]), columns[i].min(columns[j]));
            let factor = DdCholesky::new(columns.len(), sub, &rounding);
            let inverse = if problem.positive { None } else { factor.inverse_diagonal() };
            last = Some(ExactFactor { alpha, columns: columns.clone(), factor, inverse });
        }
        let Some(ExactFactor { factor, inverse, .. }) = &last else { continue };
        clearance = clearance.min(factor.clearance());
        let found = factor.solve(&columns.iter().map(|&j| c[j]).collect::<Vec<_>>());
        let mut coef = vec![Dd::ZERO; kept.len()];
        columns.iter().zip(found).for_each(|(&j, b)| coef[j] = b);
        let gradient: Vec<Dd> =
            (0..kept.len()).map(|i| c[i] - (0..kept.len()).map(|j| entry(i.max(j), i.min(j)) * coef[j]).sum()).collect();
        let quadratic: Dd = (0..kept.len()).map(|j| coef[j] * coef[j] * penalty[j].into()).sum();
        let explained: Dd = (0..kept.len()).map(|j| coef[j] * (c[j] + gradient[j])).sum();
        let rss = (yy - explained - quadratic).to_f64().max(0.0);
        // Residuals no longer than the rounding of what they are differences of say that the fit is exact.
        let rounding =
            (0..kept.len()).map(|j| (coef[j].hi * noise[j]).powi(2)).sum::<f64>() + system.rounding_norm(p + k).powi(2);
        out.rss[k] = if alpha == 0.0 && rss <= ROUNDINGS.powi(2) * rounding { 0.0 } else { rss };
        out.tss[k] = yy.to_f64();
        out.penalty[k] = quadratic.to_f64();
        let size = yy.hi.sqrt();
        let violation = |j: usize| {
            let g = gradient[j].to_f64() / (entry(j, j).hi.sqrt() * size);
            if problem.positive && coef[j].hi == 0.0 { g.max(0.0) } else { g.abs() }
        };
        if size > 0.0 {
            out.residual = (0..kept.len()).map(violation).fold(out.residual, f64::max);
        }
        let products = (0..kept.len()).map(|j| gradient[j].to_f64().abs() / entry(j, j).hi.sqrt()).fold(0.0, f64::max);
        checks[k].correlation = products / out.rss[k].sqrt();
        if problem.positive {
            out.method = "active set in double-double";
        } else {
            out.rank = factor.rank();
        }
        out.effective_df[k] = factor.rank() as f64;
        if let Some(inverse) = inverse {
            out.effective_df[k] = (0..kept.len()).map(|j| (Dd::ONE - inverse[j] * penalty[j].into()).to_f64()).sum();
            for (j, &column) in kept.iter().enumerate() {
                errors[(k, column + 1)] = ldexp(inverse[j].sqrt().to_f64(), system.exponent[column] - system.exponent[p + k]);
            }
            if problem.fit_intercept {
                let means: Vec<Dd> = kept.iter().map(|&j| system.mean(j)).collect();
                let spread: Dd = factor.forward(&means).into_iter().map(|v| v * v).sum();
                errors[(k, 0)] = ldexp((Dd::ONE / weight + spread).sqrt().to_f64(), -system.exponent[p + k]);
            }
        }
        for (j, &column) in kept.iter().enumerate() {
            out.coef[(k, column)] = ldexp(coef[j].to_f64(), system.exponent[column] - system.exponent[p + k]);
            if !out.coef[(k, column)].is_finite() {
                return Err(too_large(column));
            }
        }
        if problem.fit_intercept {
            let fitted: Dd = kept.iter().enumerate().map(|(j, &column)| system.mean(column) * coef[j]).sum();
            out.intercept[k] = ldexp((system.mean(p + k) - fitted).to_f64(), -system.exponent[p + k]);
            // The same with the coefficients as they are given out.
            let unit = system.exponent[p + k];
            let given_out = |j: usize| ldexp(out.coef[(k, kept[j])], unit - system.exponent[kept[j]]);
            let fitted: Dd = kept.iter().enumerate().map(|(j, &column)| system.mean(column) * given_out(j).into()).sum();
            let mean = system.mean(p + k) - fitted - ldexp(out.intercept[k], unit).into();
            checks[k].mean = mean.to_f64() / (out.rss[k] / out.rows as f64).sqrt();
        }
    }
    let Some(ExactFactor { factor, .. }) = &last else { return Ok(out) };
    out.condition = Some(factor.pivot_spread());
    if problem.penalty.is_empty() && !problem.positive {
        out.checks = Some(checks);
        if problem.family && out.rank < p {
            let exponent: Vec<i32> = kept.iter().map(|&j| system.exponent[j]).collect();
            let row_space = solution_family::basis(&factor.factor(), &kept, &exponent, p)?;
            let mean = |j: usize| if problem.fit_intercept { ldexp(system.mean(j).to_f64(), -system.exponent[j]) } else { 0.0 };
            out.family = Some(SolutionFamily { row_space, means: (0..p).map(mean).collect() });
        }
    }
    if problem.penalty.is_empty() && !problem.positive && out.rank == kept.len() {
        out.unit_error = Some(errors);
    }
    if problem.spectrum {
        let l = factor.factor();
        let mut values = if factor.rank() == 0 { Vec::new() } else { svd(l.view())?.values };
        values.iter_mut().for_each(|v| *v = ldexp(*v, -common));
        values.resize(p.min(given.rows as usize), 0.0);
        out.singular = Some(values);
    }
    if kept.len() < p && out.rank == kept.len() {
        out.notes.push(format!("rank {} of {p}: constant columns have the coefficient 0", out.rank));
    } else if out.rank < p && !problem.positive {
        out.notes.push(format!("rank {} of {p}: of all minimisers, the coefficients of least length", out.rank));
    }
    if clearance < FEW_DIGITS {
        let digits = clearance.log10().floor().max(0.0);
        out.notes.push(format!("nearly dependent columns: the data determine about {digits} digits of the coefficients"));
    }
    Ok(out)
}

fn triangle(n: usize, entry: impl Fn(usize, usize) -> Dd) -> Vec<Dd> {
    (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect()
}

fn at(triangle: &[Dd], i: usize, j: usize) -> Dd {
    triangle[i * (i + 1) / 2 + j]
}

/// The columns above zero under the sign constraint, found in doubles.
fn passive(n: usize, entry: &impl Fn(usize, usize) -> Dd, c: &[Dd]) -> Result<Vec<usize>> {
    let unit: Vec<f64> = (0..n).map(|j| power(-(exponent_of(entry(j, j).hi).div_euclid(2)))).collect();
    let a = Mat::from_fn(n, n, |i, j| entry(i.max(j), i.min(j)).to_f64() * unit[i] * unit[j]);
    let c: Vec<f64> = c.iter().zip(&unit).map(|(c, u)| c.to_f64() * u).collect();
    Ok(nonnegative::solve(&a, &c)?.passive)
}
