//! The normal equations in double-double.

use ermine_core::{Mat, Result};
use ermine_math::double_double::{Dd, DdCholesky, DdGram};
use ermine_math::linalg::svd;

use super::{LeastSquaresProblem, LeastSquaresSolution, ResidualCheck, SolutionFamily, nonnegative, solution_family};
use ermine_math::scale::{exponent_of, ldexp, power};

/// Half an ulp: the rounding error of a number, relative to the largest of its kind.
const ROUNDING: f64 = 0.5;
/// A sum of squares within this many roundings is no sum but rounding.
const ROUNDINGS: f64 = 4.0;
/// With fewer digits than this determined by the data, the certificate has a note.
const FEW_DIGITS: f64 = 1e6;

pub(super) struct ExactInput<'a> {
    pub gram: &'a DdGram,
    /// The shift subtracted from the columns of [X | Y], in scaled units.
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
    centered: bool,
    /// To multiply scaled column j by.
    back: Vec<f64>,
    /// Column j here is the data's times 2^exponent.
    exponent: Vec<i32>,
}

impl ExactSystem<'_> {
    fn product(&self, i: usize, j: usize) -> Dd {
        let gram = self.given.gram;
        let v = if self.centered { gram.centered(i, j) } else { gram.cross(i, j) };
        v.scale(self.back[i]).scale(self.back[j])
    }

    fn mean(&self, j: usize) -> Dd {
        (Dd::from(self.given.shift[j]) + self.given.gram.mean(j)).scale(self.back[j])
    }

    /// The length of the rounding errors in column j.
    fn rounding_norm(&self, j: usize) -> f64 {
        let centered = self.given.gram.centered(j, j).hi * self.back[j].powi(2);
        let about_zero = centered + self.given.gram.weight().hi * self.mean(j).hi.powi(2);
        ROUNDING * self.given.epsilon * about_zero.max(0.0).sqrt()
    }

    fn has_variance(&self, j: usize) -> bool {
        self.product(j, j).hi > (ROUNDINGS * self.rounding_norm(j)).powi(2)
    }
}

/// A factorization with its columns.
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
        centered: problem.fit_intercept,
        back: apart.iter().map(|&a| power(-a)).collect(),
        exponent: (0..p + t).map(|j| given_exponent(j) - apart[j]).collect(),
    };
    let kept: Vec<usize> = (0..p).filter(|&j| system.has_variance(j)).collect();
    let exponent = (p..p + t).map(|k| system.exponent[k]).collect();
    let method = "cholesky in double-double";
    let mut out = LeastSquaresSolution::zeros(method, p, given.rows, given.log_weight, exponent, vec![0.0; t]);
    (out.rank, out.steps) = (kept.len(), 2);
    let mut solver = ExactSolver {
        problem,
        noise: kept.iter().map(|&j| system.rounding_norm(j)).collect(),
        // Every entry takes a division; keep them.
        products: triangle(kept.len(), |i, j| system.product(kept[i], kept[j])),
        system,
        kept,
        out,
        errors: Mat::filled(t, p + 1, f64::NAN),
        checks: vec![ResidualCheck { mean: f64::NAN, correlation: 0.0 }; t],
        clearance: f64::INFINITY,
    };
    let mut last: Option<ExactFactor> = None;
    for k in 0..t {
        let target = solver.target(k);
        let columns = solver.columns(&target)?;
        let factor = match last.take() {
            Some(factor) if factor.alpha == target.alpha && factor.columns == columns => factor,
            _ => solver.factorize(&target, columns),
        };
        let coef = solver.enter(&target, &factor);
        solver.enter_errors(&target, &factor);
        solver.enter_line(&target, &coef)?;
        last = Some(factor);
    }
    match last {
        Some(ExactFactor { factor, .. }) => solver.finish(&factor, common),
        None => Ok(solver.out),
    }
}

/// One target: its penalties on the kept columns, its square and its products with them.
struct ExactTarget {
    k: usize,
    alpha: f64,
    penalty: Vec<f64>,
    yy: Dd,
    c: Vec<Dd>,
}

struct ExactSolver<'a> {
    problem: &'a LeastSquaresProblem<'a>,
    system: ExactSystem<'a>,
    /// The columns that are not constant.
    kept: Vec<usize>,
    /// The lengths of the rounding errors in them.
    noise: Vec<f64>,
    /// Their products, the lower triangle by rows.
    products: Vec<Dd>,
    out: LeastSquaresSolution,
    errors: Mat<f64>,
    checks: Vec<ResidualCheck>,
    /// By how much the least pivot exceeds rounding.
    clearance: f64,
}

impl ExactSolver<'_> {
    fn target(&self, k: usize) -> ExactTarget {
        let (system, at) = (&self.system, self.system.given.cols + k);
        let alpha = self.problem.penalty_of(k);
        let varies = system.has_variance(at);
        let product = |j: usize| if varies { system.product(at, j) } else { Dd::ZERO };
        ExactTarget {
            k,
            alpha,
            penalty: self.kept.iter().map(|&j| ldexp(alpha, 2 * system.exponent[j])).collect(),
            yy: product(at),
            c: self.kept.iter().map(|&j| product(j)).collect(),
        }
    }

    /// A cell of the products with the penalty on their diagonal, `i >= j`.
    fn entry(&self, target: &ExactTarget, i: usize, j: usize) -> Dd {
        let v = self.products[i * (i + 1) / 2 + j];
        if i == j { v + target.penalty[i].into() } else { v }
    }

    /// The columns whose coefficients are not 0, by place among the kept ones.
    fn columns(&self, target: &ExactTarget) -> Result<Vec<usize>> {
        match self.problem.positive {
            true => passive(self.kept.len(), &|i, j| self.entry(target, i, j), &target.c),
            false => Ok((0..self.kept.len()).collect()),
        }
    }

    fn factorize(&self, target: &ExactTarget, columns: Vec<usize>) -> ExactFactor {
        // A penalty makes every column count, so rounding decides nothing.
        let rounding: Vec<f64> = columns.iter().map(|&j| if target.alpha > 0.0 { 0.0 } else { self.noise[j] }).collect();
        let entry = |i: usize, j: usize| self.entry(target, columns[i].max(columns[j]), columns[i].min(columns[j]));
        let factor = DdCholesky::new(columns.len(), entry, &rounding);
        let inverse = if self.problem.positive { None } else { factor.inverse_diagonal() };
        ExactFactor { alpha: target.alpha, columns, factor, inverse }
    }

    /// Solves for a target and enters sums of squares and the violation of the optimality conditions; the scaled coefficients.
    fn enter(&mut self, target: &ExactTarget, factor: &ExactFactor) -> Vec<Dd> {
        let (n, k, c) = (self.kept.len(), target.k, &target.c);
        let ExactFactor { columns, factor, .. } = factor;
        self.clearance = self.clearance.min(factor.clearance());
        let solved = factor.solve(&columns.iter().map(|&j| c[j]).collect::<Vec<_>>());
        let mut coef = vec![Dd::ZERO; n];
        columns.iter().zip(solved).for_each(|(&j, b)| coef[j] = b);
        let entry = |i: usize, j: usize| self.entry(target, i.max(j), i.min(j));
        let gradient: Vec<Dd> = (0..n).map(|i| c[i] - (0..n).map(|j| entry(i, j) * coef[j]).sum()).collect();
        let quadratic: Dd = (0..n).map(|j| coef[j] * coef[j] * target.penalty[j].into()).sum();
        let explained: Dd = (0..n).map(|j| coef[j] * (c[j] + gradient[j])).sum();
        let rss = (target.yy - explained - quadratic).to_f64().max(0.0);
        // Residuals no longer than the rounding of what they are differences of say that the fit is exact.
        let y_noise = self.system.rounding_norm(self.system.given.cols + k);
        let rounding = (0..n).map(|j| (coef[j].hi * self.noise[j]).powi(2)).sum::<f64>() + y_noise.powi(2);
        let rss = if target.alpha == 0.0 && rss <= ROUNDINGS.powi(2) * rounding { 0.0 } else { rss };
        let size = target.yy.hi.sqrt();
        let violation = |j: usize| {
            let g = gradient[j].to_f64() / (entry(j, j).hi.sqrt() * size);
            if self.problem.positive && coef[j].hi == 0.0 { g.max(0.0) } else { g.abs() }
        };
        let residual = match size > 0.0 {
            true => (0..n).map(violation).fold(self.out.residual, f64::max),
            false => self.out.residual,
        };
        let products = (0..n).map(|j| gradient[j].to_f64().abs() / entry(j, j).hi.sqrt()).fold(0.0, f64::max);
        self.checks[k].correlation = products / rss.sqrt();
        self.out.residual = residual;
        (self.out.rss[k], self.out.tss[k], self.out.penalty[k]) = (rss, target.yy.to_f64(), quadratic.to_f64());
        coef
    }

    /// Rank, degrees of freedom and standard errors of a target.
    fn enter_errors(&mut self, target: &ExactTarget, factor: &ExactFactor) {
        let (k, at) = (target.k, self.system.given.cols + target.k);
        let ExactFactor { factor, inverse, .. } = factor;
        if self.problem.positive {
            self.out.method = "active set in double-double";
        } else {
            self.out.rank = factor.rank();
        }
        self.out.effective_df[k] = factor.rank() as f64;
        let Some(inverse) = inverse else { return };
        let exponent = &self.system.exponent;
        self.out.effective_df[k] =
            inverse.iter().zip(&target.penalty).map(|(&v, &penalty)| (Dd::ONE - v * penalty.into()).to_f64()).sum();
        for (v, &column) in inverse.iter().zip(&self.kept) {
            self.errors[(k, column + 1)] = ldexp(v.sqrt().to_f64(), exponent[column] - exponent[at]);
        }
        if self.problem.fit_intercept {
            let means: Vec<Dd> = self.kept.iter().map(|&j| self.system.mean(j)).collect();
            let spread: Dd = factor.forward(&means).into_iter().map(|v| v * v).sum();
            let weight = self.system.given.gram.weight();
            self.errors[(k, 0)] = ldexp((Dd::ONE / weight + spread).sqrt().to_f64(), -exponent[at]);
        }
    }

    /// Coefficients and intercept of a target in the units of the data.
    fn enter_line(&mut self, target: &ExactTarget, coef: &[Dd]) -> Result<()> {
        let (system, kept, k) = (&self.system, &self.kept, target.k);
        let at = system.given.cols + k;
        let unit = system.exponent[at];
        for (&b, &column) in coef.iter().zip(kept) {
            self.out.set_coef(k, column, ldexp(b.to_f64(), system.exponent[column] - unit))?;
        }
        if self.problem.fit_intercept {
            let fitted: Dd = kept.iter().zip(coef).map(|(&column, &b)| system.mean(column) * b).sum();
            self.out.intercept[k] = ldexp((system.mean(at) - fitted).to_f64(), -unit);
            // The same with the coefficients as they are given out.
            let given_out = |column: usize| ldexp(self.out.coef[(k, column)], unit - system.exponent[column]);
            let fitted: Dd = kept.iter().map(|&column| system.mean(column) * given_out(column).into()).sum();
            let mean = system.mean(at) - fitted - ldexp(self.out.intercept[k], unit).into();
            self.checks[k].mean = mean.to_f64() / (self.out.rss[k] / self.out.rows as f64).sqrt();
        }
        Ok(())
    }

    /// The evidence and the notes; `factor` is that of the last target, whose columns are in units of 2^-common.
    fn finish(self, factor: &DdCholesky, common: i32) -> Result<LeastSquaresSolution> {
        let Self { problem, system, kept, mut out, errors, checks, clearance, .. } = self;
        let p = system.given.cols;
        out.condition = Some(factor.pivot_spread());
        if problem.penalty.is_empty() && !problem.positive {
            out.checks = Some(checks);
            if problem.family && out.rank < p {
                let exponent: Vec<i32> = kept.iter().map(|&j| system.exponent[j]).collect();
                let row_space = solution_family::basis(&factor.factor(), &kept, &exponent, p)?;
                let mean =
                    |j: usize| if problem.fit_intercept { ldexp(system.mean(j).to_f64(), -system.exponent[j]) } else { 0.0 };
                out.family = Some(SolutionFamily { row_space, means: (0..p).map(mean).collect() });
            }
            if out.rank == kept.len() {
                out.unit_error = Some(errors);
            }
        }
        if problem.spectrum {
            let l = factor.factor();
            let mut values = if factor.rank() == 0 { Vec::new() } else { svd(l.view())?.values };
            values.iter_mut().for_each(|v| *v = ldexp(*v, -common));
            values.resize(p.min(out.rows as usize), 0.0);
            out.singular = Some(values);
        }
        if kept.len() < p && out.rank == kept.len() {
            out.notes.push(format!("rank {} of {p}: constant columns have the coefficient 0", out.rank));
        } else if out.rank < p && !problem.positive {
            out.notes.push(format!("rank {} of {p}: of all minimizers, the coefficients of least length", out.rank));
        }
        if clearance < FEW_DIGITS {
            let digits = clearance.log10().floor().max(0.0);
            out.notes.push(format!("nearly dependent columns: the data determine about {digits} digits of the coefficients"));
        }
        Ok(out)
    }
}

fn triangle(n: usize, entry: impl Fn(usize, usize) -> Dd) -> Vec<Dd> {
    (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect()
}

/// The columns above zero under the sign constraint, found in f64.
fn passive(n: usize, entry: &impl Fn(usize, usize) -> Dd, c: &[Dd]) -> Result<Vec<usize>> {
    let unit: Vec<f64> = (0..n).map(|j| power(-(exponent_of(entry(j, j).hi).div_euclid(2)))).collect();
    let a = Mat::from_fn(n, n, |i, j| entry(i.max(j), i.min(j)).to_f64() * unit[i] * unit[j]);
    let c: Vec<f64> = c.iter().zip(&unit).map(|(c, u)| c.to_f64() * u).collect();
    Ok(nonnegative::solve(&a, &c)?.passive)
}
