//! The factorization of the products of the columns, and the errors of rows left out that follow from it at every penalty.

use ermine_core::{DatasetRef, Features, Mat, Result};
use ermine_math::double_double::Dd;
#[cfg(feature = "fit")]
use ermine_math::linalg::{eigen_symmetric, matmul, product};
use serde::{Deserialize, Serialize};

use super::{AlphaGrid, LEAVE_ONE_OUT, RidgePath, best, enough_rows};
use crate::least_squares::LeastSquaresProblem;
use ermine_math::scale::{ldexp, power};

/// Elements of a chunk of turned rows.
const CHUNK: usize = 1 << 16;
/// The residual degree of freedom of a row (1 - leverage) below which its error has few digits.
const HARDLY_FREE: f64 = 1e-9;

/// The factorization, and what is needed to turn rows to its axes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RidgeSpectrum {
    /// x is multiplied by 2^exponent.
    exponent: i32,
    /// y is multiplied by 2^exponent, one per target.
    pub(super) y_exponent: Vec<i32>,
    mean: Vec<Dd>,
    y_mean: Vec<Dd>,
    weight: f64,
    rows: u64,
    #[serde(rename = "centred")]
    centered: bool,
    /// Eigenvalues, largest first.
    values: Vec<f64>,
    /// Row j is column j of the data on the axes.
    axes: Mat<f64>,
    /// Products of the turned rows and the targets, one row per target.
    pub(super) along: Mat<f64>,
    /// Penalties in the units here.
    penalties: Vec<f64>,
    /// Penalties in the units of the data.
    pub(super) alphas: Vec<f64>,
}

/// Products and means of [X | Y], in f64 or double-double.
pub struct CrossProducts<'a> {
    pub cols: usize,
    pub targets: usize,
    pub rows: u64,
    pub weight: f64,
    /// Columns of [X | Y] were multiplied by 2^exponent; empty for not at all.
    pub exponents: &'a [i32],
    pub product: &'a dyn Fn(usize, usize) -> f64,
    pub mean: &'a dyn Fn(usize) -> Dd,
}

/// Sums of squared errors, and the errors themselves where they are kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LooErrors {
    /// Target after target, one number per penalty.
    pub(super) squares: Vec<f64>,
    pub(super) kept: Vec<f64>,
    /// Rows that hardly anything but themselves determines at the least penalty.
    bound: u64,
}

impl LooErrors {
    pub fn merge(&mut self, other: Self) {
        self.squares.iter_mut().zip(&other.squares).for_each(|(a, b)| *a += b);
        self.kept.extend(other.kept);
        self.bound += other.bound;
    }
}

/// 1 / (value + penalty); 0 along directions that rounding alone made, under a penalty that is rounding too.
fn inverse(value: f64, penalty: f64, least: f64) -> f64 {
    if value > least || penalty > least { 1.0 / (value + penalty) } else { 0.0 }
}

impl RidgeSpectrum {
    #[cfg(feature = "fit")]
    pub fn new(problem: &LeastSquaresProblem<'_>, grid: &AlphaGrid<'_>, given: &CrossProducts<'_>) -> Result<Self> {
        let (p, t) = (given.cols, given.targets);
        enough_rows(given.rows as usize, problem.fit_intercept)?;
        let exponent_of = |j: usize| given.exponents.get(j).copied().unwrap_or(0);
        // One unit for all columns, since one penalty is for all of them.
        let exponent = (0..p).map(exponent_of).min().unwrap_or(0);
        let back: Vec<f64> = (0..p).map(|j| ldexp(1.0, exponent - exponent_of(j))).collect();
        let gram = Mat::from_fn(p, p, |i, j| (given.product)(i, j) * back[i] * back[j]);
        let eigen = eigen_symmetric(gram.view())?;
        let values: Vec<f64> = eigen.values.iter().map(|v| v.max(0.0)).collect();
        let (penalties, alphas) = grid.penalties(values.first().copied().unwrap_or(0.0), exponent)?;
        let cross = Mat::from_fn(t, p, |k, j| (given.product)(j, p + k) * back[j]);
        let mean = |j: usize, back: f64| if problem.fit_intercept { (given.mean)(j).scale(back) } else { Dd::ZERO };
        Ok(Self {
            exponent,
            y_exponent: (p..p + t).map(exponent_of).collect(),
            mean: (0..p).map(|j| mean(j, back[j])).collect(),
            y_mean: (p..p + t).map(|j| mean(j, 1.0)).collect(),
            weight: given.weight,
            rows: given.rows,
            centered: problem.fit_intercept,
            along: product(cross.view(), eigen.vectors.view().t()),
            axes: eigen.vectors.view().t().to_owned(),
            values,
            penalties,
            alphas,
        })
    }

    pub fn empty(&self) -> LooErrors {
        LooErrors { squares: vec![0.0; self.along.rows() * self.alphas.len()], kept: Vec::new(), bound: 0 }
    }

    /// 1 / (λ + alpha), one row per axis.
    fn inverses(&self) -> Mat<f64> {
        let least = self.values.first().map_or(0.0, |v| v * self.values.len() as f64 * f64::EPSILON);
        Mat::from_fn(self.values.len(), self.penalties.len(), |k, a| inverse(self.values[k], self.penalties[a], least))
    }

    /// Adds the errors of a block of rows: of rows that were part of the fit and are left out, or of others.
    #[cfg(feature = "fit")]
    pub fn add(
        &self,
        problem: &LeastSquaresProblem<'_>,
        grid: &AlphaGrid<'_>,
        errors: &mut LooErrors,
        rows: &DatasetRef<'_>,
        were_part: bool,
    ) -> Result<()> {
        let (p, t, count) = (self.values.len(), self.along.rows(), self.alphas.len());
        let y = rows.y.reals()?;
        let inverses = self.inverses();
        let shares = Mat::from_fn(p, t * count, |k, at| self.along[(at / count, k)] * inverses[(k, at % count)]);
        let least = (0..count).min_by(|&a, &b| self.penalties[a].total_cmp(&self.penalties[b])).unwrap_or(0);
        let unit: Vec<f64> = self.y_exponent.iter().map(|&e| power(e)).collect();
        let step = (CHUNK / p.max(t * count)).clamp(16, 4096);
        for first in (0..rows.rows()).step_by(step) {
            let range = first..(first + step).min(rows.rows());
            let mut turned = self.rotate_rows(problem, &rows.x.row_range(range.clone()))?;
            let fitted = product(turned.view(), shares.view());
            turned.as_mut_slice().iter_mut().for_each(|v| *v *= *v);
            let leverage = product(turned.view(), inverses.view());
            for (at, i) in range.enumerate() {
                let w = rows.weight_of(i);
                if w == 0.0 {
                    if grid.keep {
                        errors.kept.resize(errors.kept.len() + t * count, f64::NAN);
                    }
                    continue;
                }
                let apart = if self.centered { w / self.weight } else { 0.0 };
                let free = |a: usize| if were_part { 1.0 - apart - w * leverage[(at, a)] } else { 1.0 };
                errors.bound += u64::from(free(least) < HARDLY_FREE);
                for k in 0..t {
                    let target = (Dd::from(y.at(i, k) * unit[k]) - self.y_mean[k]).to_f64();
                    for a in 0..count {
                        let missed = (target - fitted[(at, k * count + a)]) / free(a).max(f64::EPSILON);
                        errors.squares[k * count + a] += w * missed * missed;
                        if grid.keep {
                            errors.kept.push(ldexp(missed, -self.y_exponent[k]));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Centered rows on the axes.
    #[cfg(feature = "fit")]
    fn rotate_rows(&self, problem: &LeastSquaresProblem<'_>, x: &Features<'_>) -> Result<Mat<f64>> {
        let (n, p, unit) = (x.rows(), self.values.len(), power(self.exponent));
        let mut out = Mat::zeros(n, p);
        if let Features::Csr(x) = x {
            let mean = Mat::from_fn(1, p, |_, j| self.mean[j].hi);
            let middle = product(mean.view(), self.axes.view());
            for i in 0..n {
                let (indices, values) = x.row(i);
                let row = out.row_mut(i);
                row.iter_mut().zip(middle.as_slice()).for_each(|(o, m)| *o = -m);
                for (&j, v) in indices.iter().zip(values) {
                    let v = v * unit;
                    row.iter_mut().zip(self.axes.row(j as usize)).for_each(|(o, a)| *o += v * a);
                }
            }
            return Ok(out);
        }
        let mut scratch = Vec::new();
        let x = x.f64_rows(&mut scratch, problem.learner)?;
        let mut centered = Mat::zeros(n, p);
        for i in 0..n {
            let row = centered.row_mut(i);
            x.copy_row(i, row);
            row.iter_mut().zip(&self.mean).for_each(|(v, m)| *v = (*v * unit - m.hi) - m.lo);
        }
        matmul(1.0, centered.view(), self.axes.view(), 0.0, &mut out);
        Ok(out)
    }

    /// The best penalty.
    pub fn choose(&self, grid: &AlphaGrid<'_>, errors: LooErrors) -> RidgePath {
        let (t, count) = (self.along.rows(), self.alphas.len());
        let inverses = self.inverses();
        let df = |a: usize| (0..self.values.len()).map(|k| self.values[k] * inverses[(k, a)]).sum();
        let mean = Mat::from_fn(t, count, |k, a| errors.squares[k * count + a] / self.weight);
        let residuals = grid.keep.then(|| Mat::from_vec(errors.kept.len() / (t * count), t * count, errors.kept));
        let mut path =
            best(grid, LEAVE_ONE_OUT, self.alphas.clone(), (0..count).map(df).collect(), mean, &self.y_exponent, residuals);
        if errors.bound > 0 {
            path.notes.push(format!(
                "at the least alpha {} of {} rows are fitted nearly exactly whatever they are; the error there has few digits",
                errors.bound, self.rows
            ));
        }
        path
    }
}
