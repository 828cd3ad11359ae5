//! Fewer rows than columns, in memory: the problem in the space of the rows.
//!
//! With Z the centred rows times the square roots of their weights, the coefficients are `b = Zᵀ a` where
//! `(Z Zᵀ + alpha I) a = z_y`: a square system of as many unknowns as rows, and, without penalty, the shortest of all
//! minimisers. No table of columns by columns is ever made.

use ermine_core::Partial;
use ermine_core::{Context, CsrRef, Dataset, Error, Features, Mat, MatRef, Progress, Result, TableRef};
use ermine_math::double_double::{self, Dd, DdGram};
use ermine_math::linalg::{Cholesky, eigen_symmetric, eigenvalues_symmetric};
use ermine_math::moments::Moments;
use rayon::prelude::*;

use super::loo::RowSpaceProblem;
use super::moments::too_large;
use super::scale::{exponent_of, ldexp, power};
use super::{LeastSquaresProblem, LeastSquaresSolution, SolutionFamily, solution_family};

/// Columns up to which the usual way is as quick, and the same bits as a stream.
const NARROW: usize = 256;
/// Rows beyond which products in double-double would take too long.
pub(super) const EXACT_ROWS: usize = 1024;
const CONDITION: f64 = 1e6;

/// Asks whether to go on; told how many chunks are done.
type ProgressFn<'a> = &'a (dyn Fn(usize) -> Result<()> + Sync);

/// Whether data has this shape.
pub(crate) fn is_applicable(data: &Dataset<'_>) -> bool {
    data.rows() <= data.cols() && data.cols() > NARROW
}

/// Features by column.
pub(super) enum ColumnStore<'a> {
    F64(MatRef<'a, f64>),
    F32(MatRef<'a, f32>),
    Table(TableRef<'a>),
    /// Start of each column, then rows and values.
    Sparse(Vec<usize>, Vec<(u32, f64)>),
}

impl<'a> ColumnStore<'a> {
    fn new(x: &Features<'a>) -> Self {
        match x {
            Features::F64(m) => Self::F64(*m),
            Features::F32(m) => Self::F32(*m),
            Features::Table(t) => Self::Table(*t),
            Features::Csr(m) => Self::transposed(m),
        }
    }

    pub(super) fn transposed(m: &CsrRef<'_>) -> Self {
        let mut starts = vec![0; m.cols() + 1];
        (0..m.rows()).for_each(|i| m.row(i).0.iter().for_each(|&j| starts[j as usize + 1] += 1));
        (0..m.cols()).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let mut cells = vec![(0, 0.0); m.stored()];
        for i in 0..m.rows() {
            let (indices, values) = m.row(i);
            for (&j, &v) in indices.iter().zip(values) {
                cells[next[j as usize]] = (i as u32, v);
                next[j as usize] += 1;
            }
        }
        Self::Sparse(starts, cells)
    }

    /// The cells of one column in the rows of `rows`; `scratch` has an element for every row of the data.
    fn read(&self, col: usize, rows: &[usize], scratch: &mut [f64], out: &mut [f64]) {
        match self {
            Self::F64(m) => rows.iter().zip(out).for_each(|(&i, o)| *o = *m.at(i, col)),
            Self::F32(m) => rows.iter().zip(out).for_each(|(&i, o)| *o = f64::from(*m.at(i, col))),
            Self::Table(t) => {
                let values = t.numbers(col).unwrap_or(&[]);
                rows.iter().zip(out).for_each(|(&i, o)| *o = values[i]);
            }
            Self::Sparse(starts, cells) => {
                scratch.fill(0.0);
                cells[starts[col]..starts[col + 1]].iter().for_each(|&(i, v)| scratch[i as usize] += v);
                rows.iter().zip(out).for_each(|(&i, o)| *o = scratch[i]);
            }
        }
    }
}

/// The centred, weighted data by column, made a chunk at a time.
struct CenteredColumns<'a> {
    columns: ColumnStore<'a>,
    all: usize,
    /// Rows with a weight above 0, and the square roots of their weights.
    rows: Vec<usize>,
    root: Vec<f64>,
    mean: Vec<Dd>,
    /// Z is in units of 2^-exponent.
    exponent: i32,
}

impl CenteredColumns<'_> {
    /// Column j of Z in double-double.
    fn column_dd(&self, j: usize, scratch: &mut [f64], raw: &mut [f64], visit: &mut dyn FnMut(usize, Dd)) {
        self.columns.read(j, &self.rows, scratch, raw);
        let unit = power(self.exponent);
        for (i, &v) in raw.iter().enumerate() {
            visit(i, (Dd::from(v) - self.mean[j]).scale(unit) * self.root[i].into());
        }
    }

    /// Columns `range` of Z in doubles, a row a column.
    fn chunk(&self, range: std::ops::Range<usize>) -> Mat<f64> {
        let mut z = Mat::zeros(range.len(), self.rows.len());
        let mut scratch = vec![0.0; self.all];
        let unit = power(self.exponent);
        for (row, j) in range.enumerate() {
            let out = z.row_mut(row);
            self.columns.read(j, &self.rows, &mut scratch, out);
            let Dd { hi, lo } = self.mean[j];
            out.iter_mut().zip(&self.root).for_each(|(v, r)| *v = ((*v - hi) - lo) * unit * r);
        }
        z
    }
}

/// Solves in the space of the rows.
pub(crate) fn solve(problem: &LeastSquaresProblem<'_>, data: &Dataset<'_>, cx: &Context<'_>) -> Result<LeastSquaresSolution> {
    let (p, y) = (data.cols(), data.y.reals()?);
    let t = y.cols();
    if problem.penalty.len() > 1 && problem.penalty.len() != t {
        let what = "penalties (alpha), one a target".into();
        return Err(Error::Length { what, expected: t, found: problem.penalty.len() });
    }
    let rows: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
    let m = rows.len();
    let weights: Vec<f64> = rows.iter().map(|&i| data.weight_of(i)).collect();
    let weight: Dd = weights.iter().map(|&w| Dd::from(w)).sum();
    let columns = ColumnStore::new(&data.x);
    let width = (1usize << 28).div_ceil(m * m).clamp(16, 256);
    let chunks: Vec<std::ops::Range<usize>> = (0..p).step_by(width).map(|a| a..(a + width).min(p)).collect();
    let tell = |done: usize| {
        cx.check(Progress { stage: "columns", done: done as u64, total: Some(chunks.len() as u64), objective: None })
    };

    // Means and the largest magnitude.
    let looked: Vec<Result<(Vec<Dd>, f64)>> = chunks
        .par_iter()
        .enumerate()
        .map(|(at, range)| {
            tell(at)?;
            let (mut scratch, mut raw) = (vec![0.0; data.rows()], vec![0.0; m]);
            let (mut means, mut size) = (Vec::with_capacity(range.len()), 0.0f64);
            for j in range.clone() {
                columns.read(j, &rows, &mut scratch, &mut raw);
                let mean = if problem.fit_intercept {
                    raw.iter().zip(&weights).map(|(&v, &w)| Dd::product(v, w)).sum::<Dd>() / weight
                } else {
                    Dd::ZERO
                };
                size = raw.iter().zip(&weights).fold(size, |s, (v, w)| s.max((v - mean.hi).abs() * w.sqrt()));
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
    let (mut mean, mut size) = (Vec::with_capacity(p), 0.0f64);
    for part in looked {
        let (means, largest) = part?;
        mean.extend(means);
        size = size.max(largest);
    }
    let mut exponent = if exponent_of(size).abs() > 200 { (-exponent_of(size)).clamp(-1000, 1000) } else { 0 };
    if let Some(largest) = problem.largest_penalty() {
        exponent = exponent.min((-exponent_of(largest) / 2).max(0));
    }
    let z = CenteredColumns { columns, all: data.rows(), root: weights.iter().map(|w| w.sqrt()).collect(), rows, mean, exponent };

    // Targets, centred, weighted and scaled.
    let y_mean: Vec<Dd> = (0..t)
        .map(|k| match problem.fit_intercept {
            true => z.rows.iter().zip(&weights).map(|(&i, &w)| Dd::product(*y.at(i, k), w)).sum::<Dd>() / weight,
            false => Dd::ZERO,
        })
        .collect();
    let v: Vec<Vec<Dd>> = (0..t)
        .map(|k| z.rows.iter().zip(&z.root).map(|(&i, &r)| (Dd::from(*y.at(i, k)) - y_mean[k]) * r.into()).collect())
        .collect();
    let y_exponent: Vec<i32> = v
        .iter()
        .map(|v| {
            let e = exponent_of(v.iter().fold(0.0f64, |s, d| s.max(d.hi.abs())));
            if e.abs() > 200 { (-e).clamp(-1000, 1000) } else { 0 }
        })
        .collect();
    let v: Vec<Vec<Dd>> =
        v.into_iter().zip(&y_exponent).map(|(v, &e)| v.into_iter().map(|d| d.scale(power(e))).collect()).collect();

    let kernel = products(&z, &chunks, &tell)?;
    let mut out = LeastSquaresSolution {
        coef: Mat::zeros(t, p),
        intercept: vec![0.0; t],
        rss: vec![0.0; t],
        tss: v.iter().map(|v| v.iter().map(|&d| d * d).sum::<Dd>().to_f64()).collect(),
        penalty: vec![0.0; t],
        exponent: y_exponent,
        unit_error: None,
        effective_df: vec![0.0; t],
        singular: None,
        rank: 0,
        rows: m as u64,
        log_weight: weights.iter().map(|w| w.ln()).sum(),
        residual: 0.0,
        condition: None,
        method: "cholesky of the rows",
        steps: 1,
        converged: true,
        notes: Vec::new(),
        path: None,
        family: None,
        checks: None,
    };
    let direction = direction(problem, &weights, &weight);
    if let Some(grid) = &problem.grid {
        let rows = RowSpaceProblem {
            kernel: &kernel,
            exponent,
            direction: direction.as_deref(),
            targets: &v,
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
    let dual = RowSpaceSolver { problem, tell: &tell, z: &z, chunks: &chunks, kernel: &kernel, direction };
    let mut a = Mat::zeros(t, m);
    let mut exact: Option<DdGram> = None;
    for k in 0..t {
        let alpha = ldexp(problem.penalty_of(k), 2 * exponent);
        dual.solve(k, alpha, &v[k], a.row_mut(k), &mut out, &mut exact)?;
    }
    // b = Zᵀ a.
    let parts: Vec<Result<Mat<f64>>> = chunks
        .par_iter()
        .enumerate()
        .map(|(at, range)| {
            tell(at)?;
            let z = z.chunk(range.clone());
            Ok(Mat::from_fn(t, range.len(), |k, j| z.row(j).iter().zip(a.row(k)).map(|(z, a)| z * a).sum()))
        })
        .collect();
    for (range, part) in chunks.iter().zip(parts) {
        let part = part?;
        for k in 0..t {
            for (j, &b) in range.clone().zip(part.row(k)) {
                out.coef[(k, j)] = ldexp(b, exponent - out.exponent[k]);
                if !out.coef[(k, j)].is_finite() {
                    return Err(too_large(j));
                }
            }
        }
    }
    if problem.fit_intercept {
        for k in 0..t {
            let fitted: Dd = z.mean.iter().zip(out.coef.row(k)).map(|(&m, &b)| m * b.into()).sum();
            out.intercept[k] = (y_mean[k] - fitted).to_f64();
        }
    }
    if problem.spectrum {
        let values = eigenvalues_symmetric(kernel.view())?;
        out.singular = Some(values.into_iter().map(|v| ldexp(v.max(0.0).sqrt(), -exponent)).collect());
    }
    if problem.family && problem.penalty.is_empty() && out.rank < p {
        let row_space = row_space(&z, &chunks, &tell, &kernel, out.rank)?;
        out.family = Some(SolutionFamily { row_space, means: z.mean.iter().map(|m| m.hi).collect() });
    }
    if problem.penalty.is_empty() {
        out.notes.push(format!("rank {} of {p}: of all minimisers, the coefficients of least length", out.rank));
    }
    Ok(out)
}

/// Orthonormal rows that span those of Z: its turned rows `Uᵀ Z`, `Z Zᵀ = U Λ Uᵀ`.
fn row_space(
    z: &CenteredColumns<'_>,
    chunks: &[std::ops::Range<usize>],
    tell: ProgressFn<'_>,
    kernel: &Mat<f64>,
    rank: usize,
) -> Result<Mat<f64>> {
    let p = z.mean.len();
    solution_family::check_size(rank, p)?;
    let eigen = eigen_symmetric(kernel.view())?;
    let mut rows = Mat::zeros(rank, p);
    for (at, range) in chunks.iter().enumerate() {
        tell(at)?;
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

/// The direction that centring takes out of the space of the rows, of length 1.
fn direction(problem: &LeastSquaresProblem<'_>, weights: &[f64], weight: &Dd) -> Option<Vec<f64>> {
    problem.fit_intercept.then(|| weights.iter().map(|w| (w / weight.hi).sqrt()).collect())
}

/// Z Zᵀ in doubles.
fn products(z: &CenteredColumns<'_>, chunks: &[std::ops::Range<usize>], tell: ProgressFn<'_>) -> Result<Mat<f64>> {
    let m = z.rows.len();
    let total = grouped(
        z,
        chunks,
        tell,
        || Moments::new(m, 0),
        |part, range| part.add(z.chunk(range).view(), None, None),
        |a, b| {
            a.merge(b);
            Ok(())
        },
    )?;
    // Products about the mean over columns, back to products about zero.
    let (scatter, mean) = (total.scatter(), total.mean());
    Ok(Mat::from_fn(m, m, |i, j| scatter[(i, j)] + total.weight() * mean[i] * mean[j]))
}

/// Z Zᵀ in double-double.
fn exact_products(z: &CenteredColumns<'_>, chunks: &[std::ops::Range<usize>], tell: ProgressFn<'_>) -> Result<DdGram> {
    let m = z.rows.len();
    let fill = |part: &mut DdGram, range: std::ops::Range<usize>| {
        let (mut scratch, mut raw, mut column) = (vec![0.0; z.all], vec![0.0; m], vec![Dd::ZERO; m]);
        for j in range {
            z.column_dd(j, &mut scratch, &mut raw, &mut |i, v| column[i] = v);
            part.add_row(1.0, |i| column[i]);
        }
        part.flush();
    };
    grouped(z, chunks, tell, || DdGram::new(m), fill, |a, b| a.merge(b))
}

/// Sums over chunks of columns, side by side in a number of groups that depends on the shape alone.
fn grouped<P: Send>(
    z: &CenteredColumns<'_>,
    chunks: &[std::ops::Range<usize>],
    tell: ProgressFn<'_>,
    empty: impl Fn() -> P + Sync,
    add: impl Fn(&mut P, std::ops::Range<usize>) + Sync,
    merge: impl Fn(&mut P, P) -> Result<()>,
) -> Result<P> {
    let groups = (z.mean.len() / (2 * z.rows.len()).max(1)).clamp(1, 8);
    let parts: Vec<Result<P>> = chunks
        .par_chunks(chunks.len().div_ceil(groups))
        .map(|group| {
            let mut part = empty();
            for (at, range) in group.iter().enumerate() {
                tell(at * groups)?;
                add(&mut part, range.clone());
            }
            Ok(part)
        })
        .collect();
    let mut total: Option<P> = None;
    for part in parts {
        match &mut total {
            None => total = Some(part?),
            Some(total) => merge(total, part?)?,
        }
    }
    Ok(total.unwrap_or_else(empty))
}

struct RowSpaceSolver<'a> {
    problem: &'a LeastSquaresProblem<'a>,
    tell: ProgressFn<'a>,
    z: &'a CenteredColumns<'a>,
    chunks: &'a [std::ops::Range<usize>],
    kernel: &'a Mat<f64>,
    /// Z has nothing along this direction.
    direction: Option<Vec<f64>>,
}

impl RowSpaceSolver<'_> {
    /// Solves for one target: multipliers into `a`, sums into `out`.
    fn solve(
        &self,
        k: usize,
        alpha: f64,
        v: &[Dd],
        a: &mut [f64],
        out: &mut LeastSquaresSolution,
        exact: &mut Option<DdGram>,
    ) -> Result<()> {
        let m = v.len();
        let size = v.iter().fold(0.0f64, |s, d| s.max(d.hi.abs()));
        let trace: f64 = (0..m).map(|i| self.kernel[(i, i)]).sum();
        if trace == 0.0 {
            out.rss[k] = out.tss[k];
            return Ok(());
        }
        // What centring made singular is made regular again; the solution has no part along that direction anyway.
        let fill = trace / m as f64;
        let along = |i: usize, j: usize| self.direction.as_ref().map_or(0.0, |u| fill * u[i] * u[j]);
        let full = Mat::from_fn(m, m, |i, j| self.kernel[(i, j)] + along(i, j) + if i == j { alpha } else { 0.0 });
        let unit: Vec<f64> = (0..m).map(|i| power(-(exponent_of(full[(i, i)]).div_euclid(2)))).collect();
        let scaled = Mat::from_fn(m, m, |i, j| full[(i, j)] * unit[i] * unit[j]);
        let factor = Cholesky::new(scaled.view()).ok();
        let condition = factor.as_ref().map_or(f64::INFINITY, |f| 1.0 / f.reciprocal_condition());
        out.condition = Some(out.condition.unwrap_or(1.0).max(condition)).filter(|c| c.is_finite());
        match factor {
            Some(factor) if condition <= CONDITION => {
                let mut b: Vec<f64> = v.iter().zip(&unit).map(|(d, u)| d.to_f64() * u).collect();
                factor.solve_vec(&mut b);
                a.iter_mut().zip(b.iter().zip(&unit)).for_each(|(a, (b, u))| *a = b * u);
                let inverse = factor.inverse_diagonal();
                let taken = self.direction.as_ref().map_or(0.0, |_| fill / (fill + alpha));
                let kept: f64 = (0..m).map(|i| 1.0 - alpha * inverse[i] * unit[i] * unit[i]).sum();
                out.effective_df[k] = kept - taken;
                out.rank = out.rank.max(m - usize::from(self.direction.is_some()));
            }
            _ if m <= EXACT_ROWS => {
                if exact.is_none() {
                    *exact = Some(exact_products(self.z, self.chunks, self.tell)?);
                }
                let Some(gram) = exact.as_ref() else { return Ok(()) };
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
                out.effective_df[k] = match factor.inverse_diagonal() {
                    Some(inverse) if alpha > 0.0 => inverse.iter().map(|v| (Dd::ONE - *v * alpha.into()).to_f64()).sum(),
                    _ => out.rank as f64,
                };
            }
            _ => {
                let eigen = eigen_symmetric(self.kernel.view())?;
                let least = eigen.values[0] * 1e-14;
                let rank = eigen.values.iter().take_while(|&&l| l > least).count();
                a.fill(0.0);
                for (r, &value) in eigen.values[..rank].iter().enumerate() {
                    let vector = eigen.vectors.row(r);
                    let share = vector.iter().zip(v).map(|(e, d)| e * d.hi).sum::<f64>() / (value + alpha);
                    a.iter_mut().zip(vector).for_each(|(a, e)| *a += share * e);
                    out.effective_df[k] += value / (value + alpha);
                }
                out.rank = out.rank.max(rank);
                out.method = "eigen of the rows";
                out.notes.push(format!(
                    "beyond {EXACT_ROWS} rows dependence is judged in double precision: directions below 1e-7 of the largest are left out"
                ));
            }
        }
        // Residual v - K a, which is alpha a at the solution; the penalty is alpha aᵀ K a.
        let mut worst = 0.0f64;
        for i in 0..m {
            let fitted: Dd = self.kernel.row(i).iter().zip(&*a).map(|(&k, &a)| Dd::product(k, a)).sum();
            let residual = (v[i] - fitted).to_f64();
            out.rss[k] += residual * residual;
            out.penalty[k] += alpha * a[i] * fitted.to_f64();
            worst = worst.max((residual - alpha * a[i]).abs());
        }
        // In rank-deficient problems residuals stay; what must vanish is Zᵀ r, so K r.
        if size > 0.0 && self.problem.penalty.is_empty() {
            let r: Vec<f64> =
                (0..m).map(|i| v[i].to_f64() - self.kernel.row(i).iter().zip(&*a).map(|(k, a)| k * a).sum::<f64>()).collect();
            worst = (0..m)
                .map(|i| self.kernel.row(i).iter().zip(&r).map(|(k, r)| k * r).sum::<f64>().abs() / fill)
                .fold(0.0, f64::max);
        }
        if size > 0.0 {
            out.residual = out.residual.max(worst / size);
        }
        Ok(())
    }

    /// The length of row i of what centring took away.
    fn mean_length(&self, i: usize) -> f64 {
        let unit = power(self.z.exponent);
        self.z.root[i] * self.z.mean.iter().map(|m| (m.hi * unit).powi(2)).sum::<f64>().sqrt()
    }
}
