//! The eigenvectors of a centered kernel matrix.

use ermine_core::parallel::prelude::*;
use ermine_core::*;
use ermine_math::kernel::{Expansion, ExpansionPoints, Points};
use ermine_math::linalg::{eigen_symmetric, largest_eigenvalues};
use ermine_math::tall_skinny;

use super::{EigenSolver, KernelPca, KernelPcaModel, PowerIterations};
use crate::kernel::{AlphaChoice, KernelRidge, resolve};

/// Most rows: the kernel matrix of more would take over 13 GB.
const MOST_ROWS: usize = 40_000;
/// Rows up to which all eigenvalues cost no more than products.
const FEW_ROWS: usize = 200;
/// Extra vectors of a block: for an answer after few products, and for an iteration to convergence, where a wider block
/// saves fewer products than it costs.
const OVERSAMPLES: usize = 10;
const SPARE: usize = 2;
/// Residuals, relative to the largest eigenvalue, that count as exact, and as good enough for `randomized`.
const EXACT: f64 = 1e-11;
const GOOD: f64 = 1e-3;
/// Eigenvalues below this share of the largest are rounding; negative ones beyond the second share are not.
const NOTHING: f64 = 2e-12;
const NEGATIVE: f64 = 1e-5;
/// Rows of the matrix per task.
const STRIP: usize = 48;

/// The matrix D (K - means) D, with D the roots of the weights, whose eigenvalues are computed.
pub(super) struct CenteredKernel {
    pub matrix: Mat<f64>,
    /// The weighted mean of each column of K, and of all of it.
    pub means: Vec<f64>,
    pub mean: f64,
    /// The largest element of K by size.
    size: f64,
}

struct Eigenvectors {
    values: Vec<f64>,
    /// One row each.
    vectors: Mat<f64>,
    certificate: Certificate,
}

impl KernelPca {
    pub(super) fn solve(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<KernelPcaModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        data.x.refuse_non_finite(data.schema)?;
        let stage = |stage| Progress { stage, done: 0, total: None, objective: None };
        cx.check(stage("kernel"))?;
        let rows: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
        let n = rows.len();
        if n > MOST_ROWS {
            return Err(Error::Data(format!(
                "the kernel matrix of {n} rows would hold {:.0} GB, and {MOST_ROWS} rows are the most; put nystroem in front of \
                 pca, or take fewer rows",
                (n as f64).powi(2) * 8.0 / 1e9
            )));
        }
        let weight: Vec<f64> = rows.iter().map(|&i| data.weight_of(i)).collect();
        let kernel = self.kernel.kernel(&self.gamma, self.degree, self.coef0)?;
        let kernel = resolve(&kernel, &data.x, data.weight, Self::SPEC.name)?;
        let points = Points::<f64>::new(&kernel, &data.x, &rows)?;
        let centered = center(points.gram()?, &weight, points.is_symmetric())?;
        drop(points);
        cx.check(stage("eigenvalues"))?;
        let total = (0..n).map(|i| centered.matrix[(i, i)]).sum::<f64>();
        let Eigenvectors { mut values, mut vectors, certificate } = self.eigenvectors(&centered, cx)?;
        clean(&mut values, 8.0 * n as f64 * f64::EPSILON * centered.size)?;
        if self.remove_zero_eig || self.n_components.is_none() {
            let kept = values.iter().filter(|v| **v > 0.0).count();
            values.truncate(kept);
            vectors = vectors.view().row_range(0..kept).to_owned();
        }
        // The sign of a component is that of its largest score; a duplicated row has the score of the row.
        for k in 0..vectors.rows() {
            let row = vectors.row_mut(k);
            let score = |v: f64, i: usize| v / weight[i].sqrt();
            let largest = (0..n).fold(0.0f64, |m, i| if score(row[i], i).abs() > m.abs() { score(row[i], i) } else { m });
            if largest < 0.0 {
                row.iter_mut().for_each(|v| *v = -*v);
            }
        }
        let expansion = Expansion::new(&kernel, ExpansionPoints::take(&kernel, &data.x, &rows)?)?;
        let mut model = KernelPcaModel::new(expansion, values, vectors, weight, centered.means, centered.mean, total)?;
        if self.fit_inverse_transform {
            cx.check(stage("pre-images"))?;
            let owned = data.x.take_rows(&rows);
            let mut scratch = Vec::new();
            let x = match owned.view() {
                Features::Csr(_) => {
                    return Err(Error::Data(
                        "the inverse transform is not learned for sparse rows, since its results are dense; give dense rows or leave out \
                         fit_inverse_transform"
                            .into(),
                    ));
                }
                other => other.f64_rows(&mut scratch, Self::SPEC.name)?,
            };
            let scores = model.training_scores();
            let ridge = KernelRidge { alpha: AlphaChoice::One(self.alpha), kernel: kernel.into(), ..KernelRidge::default() };
            let rows = DatasetRef::new(Features::F64(scores.view())).with_target(Target::Reals(x));
            let weight = model.weight().to_vec();
            model = model.with_pre_image(ridge.fit_with(&rows.with_weight(Some(&weight)), &cx.without_checkpoints())?);
        }
        Ok(model.with_certificate(certificate))
    }

    fn eigenvectors(&self, centered: &CenteredKernel, cx: &Context<'_>) -> Result<Eigenvectors> {
        let n = centered.matrix.rows();
        let wanted = self.n_components.unwrap_or(n).min(n);
        let approximate = self.eigen_solver == EigenSolver::Randomized;
        let width = wanted + if approximate { OVERSAMPLES } else { SPARE };
        let few = n > FEW_ROWS && 16 * (wanted + OVERSAMPLES) < n;
        if !few || self.eigen_solver == EigenSolver::Dense {
            let eigen = eigen_symmetric(centered.matrix.view())?;
            let vectors = eigen.vectors.view().row_range(0..wanted).to_owned();
            let certificate =
                Certificate { method: "eigenvalues".into(), iterations: 1, converged: true, ..Certificate::default() };
            return Ok(Eigenvectors { values: eigen.values[..wanted].to_vec(), vectors, certificate });
        }
        let tolerance = match approximate {
            _ if self.tol > 0.0 => self.tol,
            true => GOOD,
            false => EXACT,
        };
        let most = match (approximate, self.iterated_power, self.max_iter) {
            (true, PowerIterations::Count(q), _) => u64::from(q) + 1,
            (true, PowerIterations::Auto(_), _) => 30,
            (false, _, Some(most)) => most,
            // The cost of all eigenvalues.
            (false, _, None) => (9 * n / (2 * width)).max(30) as u64,
        };
        let mut products = 0;
        let ritz = largest_eigenvalues(n, wanted, width, cx.seed, tolerance, most, |block| {
            cx.check(Progress { stage: "products", done: products, total: None, objective: None })?;
            products += 1;
            Ok(times(&centered.matrix, block))
        })?;
        let error = ritz.error();
        if error > tolerance && !approximate && self.max_iter.is_none() {
            // Eigenvalues are so close that computing all of them costs no more.
            return Self { eigen_solver: EigenSolver::Dense, ..self.clone() }.eigenvectors(centered, cx);
        }
        let mut notes = Vec::new();
        if error > EXACT {
            notes.push(format!("approximate: |K v - lambda v| is at most {error:.1e} of the largest eigenvalue"));
        }
        let certificate = Certificate {
            method: "block Lanczos".into(),
            kkt_residual: Some(error),
            iterations: products,
            converged: approximate || error <= tolerance,
            notes,
            ..Certificate::default()
        };
        Ok(Eigenvectors { values: ritz.values, vectors: ritz.vectors, certificate })
    }
}

/// Subtracts the weighted means from a kernel matrix and scales it by the roots of the weights.
pub(super) fn center(mut matrix: Mat<f64>, weight: &[f64], symmetric: bool) -> Result<CenteredKernel> {
    let n = matrix.rows();
    let total: f64 = weight.iter().sum();
    let share: Vec<f64> = weight.iter().map(|w| w / total).collect();
    let weighted: Vec<(f64, f64)> = (matrix.as_slice().par_chunks(n))
        .map(|row| (row.iter().zip(&share).map(|(k, s)| k * s).sum(), row.iter().fold(0.0f64, |m, k| m.max(k.abs()))))
        .collect();
    let row_means: Vec<f64> = weighted.iter().map(|r| r.0).collect();
    let size = weighted.iter().fold(0.0f64, |m, r| m.max(r.1));
    let means =
        if symmetric { row_means.clone() } else { (0..n).map(|j| (0..n).map(|i| share[i] * matrix[(i, j)]).sum()).collect() };
    let mean: f64 = means.iter().zip(&share).map(|(m, s)| m * s).sum();
    if !(mean.is_finite() && size.is_finite()) {
        return Err(Error::Numeric("the values of the kernel are not finite; scale the columns or lower the degree".into()));
    }
    let root: Vec<f64> = weight.iter().map(|w| w.sqrt()).collect();
    matrix.as_mut_slice().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        for j in 0..n {
            row[j] = (row[j] - means[j] - row_means[i] + mean) * root[i] * root[j];
        }
    });
    if !symmetric {
        for i in 0..n {
            for j in 0..i {
                let v = 0.5 * (matrix[(i, j)] + matrix[(j, i)]);
                matrix[(i, j)] = v;
                matrix[(j, i)] = v;
            }
        }
    }
    Ok(CenteredKernel { matrix, means, mean, size })
}

/// The products of a symmetric matrix with the rows of `block`, one row each.
fn times(matrix: &Mat<f64>, block: MatRef<'_, f64>) -> Mat<f64> {
    let (n, count) = (matrix.rows(), block.rows());
    let zeros = vec![0.0; count];
    let strips: Vec<Vec<f64>> = (matrix.as_slice().par_chunks(STRIP * n))
        .map(|strip| {
            let rows = strip.len() / n;
            let mut out = vec![0.0; rows * count];
            tall_skinny::scores(MatRef::row_major(strip, rows, n), block.as_slice(), n, &zeros, &mut out, &[]);
            out
        })
        .collect();
    let mut out = Mat::zeros(count, n);
    for (s, strip) in strips.iter().enumerate() {
        let rows = strip.len() / count;
        for (c, run) in strip.chunks_exact(rows).enumerate() {
            out.row_mut(c)[s * STRIP..s * STRIP + rows].copy_from_slice(run);
        }
    }
    out
}

/// Sets eigenvalues at rounding level to 0; an error for negative ones beyond it.
fn clean(values: &mut [f64], rounding: f64) -> Result<()> {
    let largest = values.iter().fold(0.0f64, |m, v| m.max(*v));
    let least = values.iter().fold(0.0f64, |m, v| m.min(*v));
    let floor = rounding.max(NOTHING * largest);
    if -least > floor.max(NEGATIVE * largest) {
        return Err(Error::Data(format!(
            "There are significant negative eigenvalues ({:.3e} next to the largest, {largest:.3e}): the kernel matrix is not \
             positive semidefinite; take another kernel, or fewer components",
            least
        )));
    }
    values.iter_mut().for_each(|v| *v = if *v > floor { *v } else { 0.0 });
    Ok(())
}
