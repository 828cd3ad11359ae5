//! Fewer rows than columns, in memory: the problem in the space of the rows.
//!
//! With Z the centered rows times the square roots of their weights, the coefficients are `b = Zᵀ a` where
//! `(Z Zᵀ + alpha I) a = z_y`: a square system of as many unknowns as rows, and, without penalty, the shortest of all
//! minimizers. No table of columns by columns is ever made.

mod columns;

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, DatasetRef, Error, Mat, Progress, Result};
use ermine_math::double_double::{self, Dd, DdGram};
use ermine_math::linalg::{Cholesky, eigen_symmetric, eigenvalues_symmetric};

use super::loo::RowSpaceProblem;
use super::{LeastSquaresProblem, LeastSquaresSolution, SolutionFamily, solution_family};
pub(super) use columns::ColumnStore;
use columns::{CenteredColumns, ProgressFn, exact_products, products};
use ermine_math::scale::{exponent_of, ldexp, power};

/// Columns up to which the passes are as fast, with the same bits as a stream.
const NARROW: usize = 256;
/// Rows beyond which products in double-double would take too long.
pub(super) const EXACT_ROWS: usize = 1024;
const CONDITION: f64 = 1e6;

/// Whether data has this shape.
pub(crate) fn is_applicable(data: &DatasetRef<'_>) -> bool {
    data.rows() <= data.cols() && data.cols() > NARROW
}

/// Solves in the space of the rows.
pub(crate) fn solve(problem: &LeastSquaresProblem<'_>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LeastSquaresSolution> {
    let (p, t) = (data.cols(), data.y.n_targets());
    problem.check_penalties(t)?;
    let rows: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
    let weights: Vec<f64> = rows.iter().map(|&i| data.weight_of(i)).collect();
    let weight: Dd = weights.iter().map(|&w| Dd::from(w)).sum();
    let width = (1usize << 28).div_ceil(rows.len() * rows.len()).clamp(16, 256);
    let chunks: Vec<Range<usize>> = (0..p).step_by(width).map(|a| a..(a + width).min(p)).collect();
    let progress = |done: usize| {
        cx.check(Progress { stage: "columns", done: done as u64, total: Some(chunks.len() as u64), objective: None })
    };
    let z = centered_columns(problem, data, rows, &weights, &chunks, &progress)?;
    let targets = CenteredTargets::new(problem, data, &z, &weights)?;
    let kernel = products(&z, &chunks, &progress)?;
    let log_weight = weights.iter().map(|w| w.ln()).sum();
    let tss = targets.v.iter().map(|v| v.iter().map(|&d| d * d).sum::<Dd>().to_f64()).collect();
    let exponent = targets.exponent.clone();
    let mut out = LeastSquaresSolution::zeros("cholesky of the rows", p, z.rows.len() as u64, log_weight, exponent, tss);
    let direction = direction(problem, &weights, &weight);
    if let Some(grid) = &problem.grid {
        let rows = RowSpaceProblem {
            kernel: &kernel,
            exponent: z.exponent,
            direction: direction.as_deref(),
            targets: &targets.v,
            y_exponent: &out.exponent,
            rows: &z.rows,
            all: z.all,
            root: &z.root,
            weight: weight.hi,
        };
        out.path = Some(rows.path(grid)?);
    }
    let chosen = out.path.as_ref().map(|p| p.chosen.clone());
    let problem = &LeastSquaresProblem { penalty: chosen.as_deref().unwrap_or(problem.penalty), ..*problem };
    let solver = RowSpaceSolver { problem, progress: &progress, z: &z, chunks: &chunks, kernel: &kernel, direction };
    solver.coefficients(&targets, &mut out)?;
    if problem.spectrum {
        let values = eigenvalues_symmetric(kernel.view())?;
        out.singular = Some(values.into_iter().map(|v| ldexp(v.max(0.0).sqrt(), -z.exponent)).collect());
    }
    if problem.family && problem.penalty.is_empty() && out.rank < p {
        let row_space = row_space(&z, &chunks, &progress, &kernel, out.rank)?;
        out.family = Some(SolutionFamily { row_space, means: z.mean.iter().map(|m| m.hi).collect() });
    }
    if problem.penalty.is_empty() {
        out.notes.push(format!("rank {} of {p}: of all minimizers, the coefficients of least length", out.rank));
    }
    Ok(out)
}

/// The columns with their means, in units in which the largest cell has a square.
fn centered_columns<'a>(
    problem: &LeastSquaresProblem<'_>,
    data: &DatasetRef<'a>,
    rows: Vec<usize>,
    weights: &[f64],
    chunks: &[Range<usize>],
    progress: ProgressFn<'_>,
) -> Result<CenteredColumns<'a>> {
    let columns = ColumnStore::new(&data.x);
    let weight: Dd = weights.iter().map(|&w| Dd::from(w)).sum();
    let measured: Vec<Result<(Vec<Dd>, f64)>> = chunks
        .par_iter()
        .enumerate()
        .map(|(at, range)| {
            progress(at)?;
            let (mut scratch, mut raw) = (vec![0.0; data.rows()], vec![0.0; rows.len()]);
            let (mut means, mut size) = (Vec::with_capacity(range.len()), 0.0f64);
            for j in range.clone() {
                columns.read(j, &rows, &mut scratch, &mut raw);
                let mean = if problem.fit_intercept {
                    raw.iter().zip(weights).map(|(&v, &w)| Dd::product(v, w)).sum::<Dd>() / weight
                } else {
                    Dd::ZERO
                };
                size = raw.iter().zip(weights).fold(size, |s, (v, w)| s.max((v - mean.hi).abs() * w.sqrt()));
                if !size.is_finite() || !mean.is_finite() || raw.iter().any(|v| !v.is_finite()) {
                    data.x.refuse_non_finite(data.schema)?;
                    return Err(Error::Numeric(format!("the sum of column {j} overflows; scale the columns down")));
                }
                means.push(mean);
            }
            Ok((means, size))
        })
        .collect();
    if weights.len() < data.rows() {
        // Rows without weight are read nowhere else, and must be numbers all the same.
        data.x.refuse_non_finite(data.schema)?;
    }
    let (mut mean, mut size) = (Vec::with_capacity(data.cols()), 0.0f64);
    for part in measured {
        let (means, largest) = part?;
        mean.extend(means);
        size = size.max(largest);
    }
    let mut exponent = unit_exponent(size);
    if let Some(largest) = problem.largest_penalty() {
        exponent = exponent.min((-exponent_of(largest) / 2).max(0));
    }
    let root = weights.iter().map(|w| w.sqrt()).collect();
    Ok(CenteredColumns { columns, all: data.rows(), rows, root, mean, exponent })
}

/// The power of two that numbers up to `size` are multiplied by before they are squared; 0 unless squares could leave the range of f64.
fn unit_exponent(size: f64) -> i32 {
    let exponent = exponent_of(size);
    if exponent.abs() > 200 { (-exponent).clamp(-1000, 1000) } else { 0 }
}

/// The targets, centered, times the square roots of the weights, in units of 2^-exponent.
struct CenteredTargets {
    v: Vec<Vec<Dd>>,
    mean: Vec<Dd>,
    exponent: Vec<i32>,
}

impl CenteredTargets {
    fn new(problem: &LeastSquaresProblem<'_>, data: &DatasetRef<'_>, z: &CenteredColumns<'_>, weights: &[f64]) -> Result<Self> {
        let y = data.y.reals()?;
        let weight: Dd = weights.iter().map(|&w| Dd::from(w)).sum();
        let mut out = Self { v: Vec::new(), mean: Vec::new(), exponent: Vec::new() };
        for k in 0..y.cols() {
            let mean = match problem.fit_intercept {
                true => z.rows.iter().zip(weights).map(|(&i, &w)| Dd::product(*y.at(i, k), w)).sum::<Dd>() / weight,
                false => Dd::ZERO,
            };
            let v: Vec<Dd> = z.rows.iter().zip(&z.root).map(|(&i, &r)| (Dd::from(*y.at(i, k)) - mean) * r.into()).collect();
            let exponent = unit_exponent(v.iter().fold(0.0f64, |s, d| s.max(d.hi.abs())));
            out.v.push(v.into_iter().map(|d| d.scale(power(exponent))).collect());
            out.mean.push(mean);
            out.exponent.push(exponent);
        }
        Ok(out)
    }
}

/// Orthonormal rows that span those of Z: its turned rows `Uᵀ Z`, `Z Zᵀ = U Λ Uᵀ`.
fn row_space(
    z: &CenteredColumns<'_>,
    chunks: &[Range<usize>],
    progress: ProgressFn<'_>,
    kernel: &Mat<f64>,
    rank: usize,
) -> Result<Mat<f64>> {
    let p = z.mean.len();
    solution_family::check_size(rank, p)?;
    let eigen = eigen_symmetric(kernel.view())?;
    let mut rows = Mat::zeros(rank, p);
    for (at, range) in chunks.iter().enumerate() {
        progress(at)?;
        let part = z.chunk(range.clone());
        for k in 0..rank {
            let unit = eigen.values[k].max(f64::MIN_POSITIVE).sqrt();
            for (j, column) in range.clone().enumerate() {
                rows[(k, column)] = part.row(j).iter().zip(eigen.vectors.row(k)).map(|(z, u)| z * u).sum::<f64>() / unit;
            }
        }
    }
    solution_family::orthonormal(&rows)
}

/// The direction that centering takes out of the space of the rows, of length 1.
fn direction(problem: &LeastSquaresProblem<'_>, weights: &[f64], weight: &Dd) -> Option<Vec<f64>> {
    problem.fit_intercept.then(|| weights.iter().map(|w| (w / weight.hi).sqrt()).collect())
}

struct RowSpaceSolver<'a> {
    problem: &'a LeastSquaresProblem<'a>,
    progress: ProgressFn<'a>,
    z: &'a CenteredColumns<'a>,
    chunks: &'a [Range<usize>],
    kernel: &'a Mat<f64>,
    /// Z has nothing along this direction.
    direction: Option<Vec<f64>>,
}

/// The system of one target, `(Z Zᵀ + alpha I) a = v`.
struct RowSpaceSystem<'a> {
    target: usize,
    alpha: f64,
    v: &'a [Dd],
    /// The amount added along the direction that centering removed.
    fill: f64,
}

impl RowSpaceSolver<'_> {
    /// The coefficients `b = Zᵀ a` and the intercepts of all targets.
    fn coefficients(&self, targets: &CenteredTargets, out: &mut LeastSquaresSolution) -> Result<()> {
        let (z, t) = (self.z, targets.v.len());
        let mut a = Mat::zeros(t, z.rows.len());
        let mut exact: Option<DdGram> = None;
        for k in 0..t {
            let alpha = ldexp(self.problem.penalty_of(k), 2 * z.exponent);
            self.solve(k, alpha, &targets.v[k], a.row_mut(k), out, &mut exact)?;
        }
        let parts: Vec<Result<Mat<f64>>> = self
            .chunks
            .par_iter()
            .enumerate()
            .map(|(at, range)| {
                (self.progress)(at)?;
                let z = z.chunk(range.clone());
                Ok(Mat::from_fn(t, range.len(), |k, j| z.row(j).iter().zip(a.row(k)).map(|(z, a)| z * a).sum()))
            })
            .collect();
        for (range, part) in self.chunks.iter().zip(parts) {
            let part = part?;
            for k in 0..t {
                for (j, &b) in range.clone().zip(part.row(k)) {
                    out.set_coef(k, j, ldexp(b, z.exponent - out.exponent[k]))?;
                }
            }
        }
        if self.problem.fit_intercept {
            for k in 0..t {
                let fitted: Dd = z.mean.iter().zip(out.coef.row(k)).map(|(&m, &b)| m * b.into()).sum();
                out.intercept[k] = (targets.mean[k] - fitted).to_f64();
            }
        }
        Ok(())
    }

    /// Solves for one target: multipliers into `a`, sums into `out`.
    fn solve(
        &self,
        target: usize,
        alpha: f64,
        v: &[Dd],
        a: &mut [f64],
        out: &mut LeastSquaresSolution,
        exact: &mut Option<DdGram>,
    ) -> Result<()> {
        let m = v.len();
        let trace: f64 = (0..m).map(|i| self.kernel[(i, i)]).sum();
        if trace == 0.0 {
            out.rss[target] = out.tss[target];
            return Ok(());
        }
        // The direction that centering made singular is made regular again; the solution has no part along that direction anyway.
        let system = RowSpaceSystem { target, alpha, v, fill: trace / m as f64 };
        if !self.by_cholesky(&system, a, out) {
            if m <= EXACT_ROWS {
                if exact.is_none() {
                    *exact = Some(exact_products(self.z, self.chunks, self.progress)?);
                }
                if let Some(gram) = exact {
                    self.by_double_double(&system, gram, a, out);
                }
            } else {
                self.by_eigenvalues(&system, a, out)?;
            }
        }
        self.check_residuals(&system, a, out);
        Ok(())
    }

    /// The Cholesky factorization; false where the system is too nearly singular for it.
    fn by_cholesky(&self, system: &RowSpaceSystem<'_>, a: &mut [f64], out: &mut LeastSquaresSolution) -> bool {
        let &RowSpaceSystem { target, alpha, v, fill } = system;
        let m = v.len();
        let along = |i: usize, j: usize| self.direction.as_ref().map_or(0.0, |u| fill * u[i] * u[j]);
        let full = Mat::from_fn(m, m, |i, j| self.kernel[(i, j)] + along(i, j) + if i == j { alpha } else { 0.0 });
        let unit: Vec<f64> = (0..m).map(|i| power(-(exponent_of(full[(i, i)]).div_euclid(2)))).collect();
        let scaled = Mat::from_fn(m, m, |i, j| full[(i, j)] * unit[i] * unit[j]);
        let factor = Cholesky::new(scaled.view()).ok();
        let condition = factor.as_ref().map_or(f64::INFINITY, |f| 1.0 / f.reciprocal_condition());
        out.condition = Some(out.condition.unwrap_or(1.0).max(condition)).filter(|c| c.is_finite());
        let Some(factor) = factor.filter(|_| condition <= CONDITION) else { return false };
        let mut b: Vec<f64> = v.iter().zip(&unit).map(|(d, u)| d.to_f64() * u).collect();
        factor.solve_vec(&mut b);
        a.iter_mut().zip(b.iter().zip(&unit)).for_each(|(a, (b, u))| *a = b * u);
        let inverse = factor.inverse_diagonal();
        let taken = self.direction.as_ref().map_or(0.0, |_| fill / (fill + alpha));
        let kept: f64 = (0..m).map(|i| 1.0 - alpha * inverse[i] * unit[i] * unit[i]).sum();
        out.effective_df[target] = kept - taken;
        out.rank = out.rank.max(m - usize::from(self.direction.is_some()));
        true
    }

    /// The factorization of products in double-double, of as many rows as the data determine.
    fn by_double_double(&self, system: &RowSpaceSystem<'_>, gram: &DdGram, a: &mut [f64], out: &mut LeastSquaresSolution) {
        let &RowSpaceSystem { target, alpha, v, .. } = system;
        let m = v.len();
        let epsilon = if matches!(self.z.columns, ColumnStore::F32(_)) { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let noise: Vec<f64> = match alpha > 0.0 {
            true => vec![0.0; m],
            false => (0..m).map(|i| 0.5 * epsilon * (gram.cross(i, i).hi.sqrt() + self.mean_length(i))).collect(),
        };
        let entry = |i: usize, j: usize| if i == j { gram.cross(i, i) + alpha.into() } else { gram.cross(i, j) };
        let factor = double_double::DdCholesky::new(m, entry, &noise);
        a.iter_mut().zip(factor.pseudo_solve(v)).for_each(|(a, x)| *a = x.to_f64());
        out.rank = out.rank.max(factor.rank().min(m - usize::from(self.direction.is_some())));
        out.method = "cholesky of the rows in double-double";
        out.condition = Some(factor.pivot_spread());
        out.effective_df[target] = match factor.inverse_diagonal() {
            Some(inverse) if alpha > 0.0 => inverse.iter().map(|v| (Dd::ONE - *v * alpha.into()).to_f64()).sum(),
            _ => out.rank as f64,
        };
    }

    /// The eigenvectors, of rows too many for double-double.
    fn by_eigenvalues(&self, system: &RowSpaceSystem<'_>, a: &mut [f64], out: &mut LeastSquaresSolution) -> Result<()> {
        let &RowSpaceSystem { target, alpha, v, .. } = system;
        let eigen = eigen_symmetric(self.kernel.view())?;
        let least = eigen.values[0] * 1e-14;
        let rank = eigen.values.iter().take_while(|&&l| l > least).count();
        a.fill(0.0);
        for (r, &value) in eigen.values[..rank].iter().enumerate() {
            let vector = eigen.vectors.row(r);
            let share = vector.iter().zip(v).map(|(e, d)| e * d.hi).sum::<f64>() / (value + alpha);
            a.iter_mut().zip(vector).for_each(|(a, e)| *a += share * e);
            out.effective_df[target] += value / (value + alpha);
        }
        out.rank = out.rank.max(rank);
        out.method = "eigen of the rows";
        out.notes.push(format!(
            "beyond {EXACT_ROWS} rows dependence is judged in double precision: directions below 1e-7 of the largest are left out"
        ));
        Ok(())
    }

    /// Sums of squares, and how well the optimality conditions hold: the residual `v - K a` is `alpha a` at the solution, the penalty
    /// `alpha aᵀ K a`.
    fn check_residuals(&self, system: &RowSpaceSystem<'_>, a: &[f64], out: &mut LeastSquaresSolution) {
        let &RowSpaceSystem { target, alpha, v, fill } = system;
        let m = v.len();
        let size = v.iter().fold(0.0f64, |s, d| s.max(d.hi.abs()));
        let mut worst = 0.0f64;
        for i in 0..m {
            let fitted: Dd = self.kernel.row(i).iter().zip(a).map(|(&k, &a)| Dd::product(k, a)).sum();
            let residual = (v[i] - fitted).to_f64();
            out.rss[target] += residual * residual;
            out.penalty[target] += alpha * a[i] * fitted.to_f64();
            worst = worst.max((residual - alpha * a[i]).abs());
        }
        // In rank-deficient problems residuals stay; what must vanish is Zᵀ r, so K r.
        if size > 0.0 && self.problem.penalty.is_empty() {
            let r: Vec<f64> =
                (0..m).map(|i| v[i].to_f64() - self.kernel.row(i).iter().zip(a).map(|(k, a)| k * a).sum::<f64>()).collect();
            worst = (0..m)
                .map(|i| self.kernel.row(i).iter().zip(&r).map(|(k, r)| k * r).sum::<f64>().abs() / fill)
                .fold(0.0, f64::max);
        }
        if size > 0.0 {
            out.residual = out.residual.max(worst / size);
        }
    }

    /// The length of row i of what centering took away.
    fn mean_length(&self, i: usize) -> f64 {
        let unit = power(self.z.exponent);
        self.z.root[i] * self.z.mean.iter().map(|m| (m.hi * unit).powi(2)).sum::<f64>().sqrt()
    }
}
