//! Principal components in passes: the covariance in one, or block iteration on the rows in several.

use std::sync::{Arc, OnceLock};

use ermine_core::*;
use ermine_math::linalg::{BlockLanczos, RitzPairs, eigen_symmetric};
use ermine_math::moments::{self, Moments};
use ermine_math::tall_skinny;
use serde::{Deserialize, Serialize};

use super::held_out::{self, PcaFold};
use super::spectrum::{PcaSpectrum, enough};
use super::{ComponentCount, Pca, PcaModel, PcaSolver, PowerIterations};

/// Products that `auto` and `randomized` are expected to need; the covariance is used when it costs less.
const PRODUCTS_EXACT: usize = 12;
const PRODUCTS_GOOD: usize = 4;

/// Residuals, relative to the largest variance, at which a component counts as exact, and as good enough for `randomized`: a
/// variance is then wrong by about the square of it.
const EXACT: f64 = 1e-11;
const GOOD: f64 = 1e-3;

/// Columns beyond which no covariance is computed where iteration is possible: it would take 3 GB.
const MOST_COVARIANCE: usize = 20_000;

/// State of [`Pca`], broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PcaState {
    cols: usize,
    seed: u64,
    phase: PcaPhase,
    weight: f64,
    mean: Vec<f64>,
    total: f64,
    /// The transposed vectors, for sparse rows; computed once per pass.
    #[serde(skip)]
    turned: Arc<OnceLock<Mat<f64>>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum PcaPhase {
    /// Gathers the covariance, by fold where the number of components is chosen by cross-validation.
    Covariance,
    /// Computes the mean, for an iteration with this many vectors.
    Mean { width: usize },
    /// Multiplies the rows with vectors.
    Products(Box<BlockLanczos>),
}

/// Sums of [`Pca`] in a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum PcaPartial {
    #[doc(hidden)]
    Covariance(Vec<Moments>),
    #[doc(hidden)]
    Mean { weight: f64, sums: Vec<f64> },
    #[doc(hidden)]
    Products(SubspaceProducts),
}

/// Sums over centered rows x with weights w.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SubspaceProducts {
    /// Σ w (v·x) x for each vector v, one row each.
    images: Mat<f64>,
    /// Σ w x: the correction of the mean.
    shift: Vec<f64>,
    /// Σ w x².
    square: f64,
}

#[cfg(feature = "fit")]
impl Partial for PcaPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        match (self, other) {
            (Self::Covariance(a), Self::Covariance(b)) => a.iter_mut().zip(b).for_each(|(a, b)| a.merge(b)),
            (Self::Mean { weight, sums }, Self::Mean { weight: w, sums: s }) => {
                *weight += w;
                add(sums, &s);
            }
            (Self::Products(a), Self::Products(b)) => {
                add(a.images.as_mut_slice(), b.images.as_slice());
                add(&mut a.shift, &b.shift);
                a.square += b.square;
            }
            _ => return Err(Error::Data("partials of different passes".into())),
        }
        Ok(())
    }
}

impl Pca {
    /// Number of vectors of the block iteration; none where the covariance is gathered.
    pub(super) fn width(&self, cols: usize) -> Option<usize> {
        let Some(ComponentCount::Count(wanted @ 1..)) = self.n_components else { return None };
        let products = match self.svd_solver {
            PcaSolver::Auto | PcaSolver::Arpack if cols <= MOST_COVARIANCE => PRODUCTS_EXACT,
            PcaSolver::Auto | PcaSolver::Arpack => 1,
            PcaSolver::Randomized => PRODUCTS_GOOD,
            PcaSolver::Full | PcaSolver::CovarianceEigh => return None,
        };
        let width = wanted.saturating_add(self.n_oversamples as usize);
        (width.saturating_mul(4 * products) <= cols).then_some(width)
    }

    /// The target residual, and the number of products after which a looser one suffices.
    fn residual_goal(&self, state: &PcaState, width: usize) -> (f64, u64) {
        let approximate = self.svd_solver == PcaSolver::Randomized;
        let tolerance = match approximate {
            _ if self.tol > 0.0 => self.tol,
            true => GOOD,
            false => EXACT,
        };
        if let (true, PowerIterations::Count(n)) = (approximate, self.iterated_power) {
            return (tolerance, u64::from(n) + 1);
        }
        // The cost of the covariance and its eigenvalues.
        let cols = state.cols as f64;
        let direct = (cols + 9.0 * cols * cols / state.weight) / (4.0 * width as f64);
        (tolerance, (direct as u64).clamp(10, 10_000))
    }

    fn by_covariance(&self, folds: Vec<Moments>) -> Result<PcaModel> {
        let held_out = if self.is_cross_validated() { held_out::likelihoods(&folds)? } else { Vec::new() };
        let mut parts = folds.into_iter();
        let mut total = parts.next().ok_or_else(|| Error::Data("a covariance of nothing".into()))?;
        parts.for_each(|part| total.merge(part));
        let rows = enough(total.weight())?;
        let mut covariance = total.scatter();
        covariance.as_mut_slice().iter_mut().for_each(|v| *v /= rows - 1.0);
        let trace = (0..covariance.rows()).map(|j| covariance[(j, j)]).sum();
        let eigen = eigen_symmetric(covariance.view())?;
        let (mean, variances, vectors) = (total.mean().to_vec(), eigen.values, eigen.vectors);
        let certificate = Certificate { method: "covariance".into(), iterations: 1, converged: true, ..Certificate::default() };
        self.model(PcaSpectrum { rows, mean, variances, total: trace, vectors, held_out, certificate })
    }

    /// The model of the block iteration so far.
    fn by_products(&self, state: &PcaState, ritz: RitzPairs, products: u64, converged: bool) -> Result<PcaModel> {
        let mut notes = Vec::new();
        let error = ritz.error();
        if error > EXACT {
            notes.push(format!(
                "approximate: |C v - lambda v| is at most {error:.1e} of the largest variance, over {products} products with \
                 the rows"
            ));
        }
        let certificate = Certificate {
            method: "block Lanczos".into(),
            kkt_residual: Some(error),
            iterations: products,
            converged,
            notes,
            ..Certificate::default()
        };
        let (rows, mean, total) = (state.weight, state.mean.clone(), state.total);
        let RitzPairs { values: variances, vectors, .. } = ritz;
        self.model(PcaSpectrum { rows, mean, variances, total, vectors, held_out: Vec::new(), certificate })
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Pca {
    type State = PcaState;
    type Partial = PcaPartial;

    fn block_rows(&self, cols: usize) -> usize {
        // Few enough rows for many threads, enough to outweigh the sums they are reduced to.
        if self.width(cols).is_some() { (cols / 16).clamp(1024, 1 << 16) } else { moments::block_rows(cols) }
    }

    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PcaState> {
        let cols = head.cols();
        let phase = self.width(cols).map_or(PcaPhase::Covariance, |width| PcaPhase::Mean { width });
        Ok(PcaState { cols, seed: cx.seed, phase, weight: 0.0, mean: vec![0.0; cols], total: 0.0, turned: Arc::default() })
    }

    fn empty_partial(&self, state: &PcaState) -> PcaPartial {
        let cols = state.cols;
        match &state.phase {
            PcaPhase::Covariance => {
                let folds = if self.is_cross_validated() { self.folds as usize } else { 1 };
                PcaPartial::Covariance(vec![Moments::new(cols, 0); folds])
            }
            PcaPhase::Mean { .. } => PcaPartial::Mean { weight: 0.0, sums: vec![0.0; cols] },
            PcaPhase::Products(krylov) => {
                let images = Mat::zeros(krylov.block().rows(), cols);
                PcaPartial::Products(SubspaceProducts { images, shift: vec![0.0; cols], square: 0.0 })
            }
        }
    }

    fn add_block(&self, state: &PcaState, part: &mut PcaPartial, rows: &DatasetRef<'_>) -> Result<()> {
        rows.x.expect_cols(state.cols)?;
        match (part, &state.phase) {
            (PcaPartial::Covariance(folds), _) if folds.len() > 1 => PcaFold::new(state.seed).add(folds, rows),
            (PcaPartial::Covariance(folds), _) => add_moments(&mut folds[0], rows),
            (PcaPartial::Mean { weight, sums }, _) => {
                *weight += rows.total_weight();
                add_sums(sums, rows)?;
                if sums.iter().all(|v| v.is_finite()) { Ok(()) } else { refuse(rows) }
            }
            (PcaPartial::Products(part), PcaPhase::Products(krylov)) => {
                match rows.x {
                    Features::Csr(x) => {
                        let turned = state.turned.get_or_init(|| krylov.block().t().to_owned());
                        part.add_sparse(x, rows.weight, &state.mean, turned);
                    }
                    _ => part.add_dense(rows, &state.mean, krylov.block())?,
                }
                if part.square.is_finite() { Ok(()) } else { refuse(rows) }
            }
            _ => Err(Error::Data("a partial of another pass".into())),
        }
    }

    fn finish(&self, mut state: PcaState, total: PcaPartial, cx: &Context<'_>) -> Result<PassStep<PcaState, PcaModel>> {
        let stage = |stage, done| Progress { stage, done, total: None, objective: None };
        match (total, std::mem::replace(&mut state.phase, PcaPhase::Covariance)) {
            (PcaPartial::Covariance(folds), _) => {
                cx.check(stage("eigenvalues", 0))?;
                self.by_covariance(folds).map(PassStep::Done)
            }
            (PcaPartial::Mean { weight, sums }, PcaPhase::Mean { width }) => {
                state.weight = enough(weight)?;
                self.check_against(weight, state.cols)?;
                state.mean = sums.iter().map(|s| s / weight).collect();
                let Some(ComponentCount::Count(wanted)) = self.n_components else {
                    return Err(Error::Data("products without a number of components".into()));
                };
                let width = width.min(weight as usize).max(wanted);
                state.phase = PcaPhase::Products(Box::new(BlockLanczos::new(state.cols, wanted, width, state.seed)?));
                Ok(PassStep::NextPass(state, None))
            }
            (PcaPartial::Products(part), PcaPhase::Products(mut krylov)) => {
                let width = krylov.block().rows();
                krylov.accept(part.into_image(&mut state.mean, &mut state.total, state.weight, krylov.block()))?;
                state.turned = Arc::default();
                let ritz = krylov.ritz()?;
                let (tolerance, most) = self.residual_goal(&state, width);
                let (products, error) = (krylov.products(), ritz.error());
                let done = error <= tolerance || krylov.block().rows() == 0;
                let left = Some(state.total - ritz.values.iter().sum::<f64>());
                if done || cx.deadline_passed() || (products >= most && self.svd_solver == PcaSolver::Randomized) {
                    return self
                        .by_products(&state, ritz, products, done || self.svd_solver == PcaSolver::Randomized)
                        .map(PassStep::Done);
                }
                state.phase = match products >= most {
                    // Variances are so close that the covariance costs no more.
                    true if state.cols <= MOST_COVARIANCE => PcaPhase::Covariance,
                    true => return self.by_products(&state, ritz, products, false).map(PassStep::Done),
                    false => PcaPhase::Products(krylov),
                };
                Ok(PassStep::NextPass(state, left))
            }
            _ => Err(Error::Data("a partial of another pass".into())),
        }
    }

    fn model_so_far(&self, state: &PcaState) -> Option<PcaModel> {
        let PcaPhase::Products(krylov) = &state.phase else { return None };
        if krylov.products() == 0 {
            return None;
        }
        self.by_products(state, krylov.ritz().ok()?, krylov.products(), false).ok()
    }
}

/// The error for a cell that is not finite, or for sums that overflow.
fn refuse(rows: &DatasetRef<'_>) -> Result<()> {
    rows.x.refuse_non_finite(rows.schema)?;
    Err(Error::Numeric("the columns overflow; scale them down".into()))
}

pub(super) fn add_moments(to: &mut Moments, rows: &DatasetRef<'_>) -> Result<()> {
    match rows.x {
        Features::F64(x) => to.add(x, None, rows.weight),
        Features::F32(x) => to.add(x, None, rows.weight),
        // Few rows at a time are made dense.
        _ => {
            let step = ((1 << 20) / rows.cols()).max(256);
            let mut scratch = Vec::new();
            for first in (0..rows.rows()).step_by(step) {
                let piece = rows.row_range(first..(first + step).min(rows.rows()));
                to.add(piece.x.f64_rows(&mut scratch, Pca::SPEC.name)?, None, piece.weight);
            }
        }
    }
    to.refuse_non_finite(rows)
}

/// Adds w x to the sums of the columns.
fn add_sums(sums: &mut [f64], rows: &DatasetRef<'_>) -> Result<()> {
    if let Features::Csr(x) = rows.x {
        for i in 0..x.rows() {
            let (w, (places, values)) = (rows.weight_of(i), x.row(i));
            places.iter().zip(values).for_each(|(&j, v)| sums[j as usize] += w * v);
        }
        return Ok(());
    }
    centered_runs(rows, &vec![0.0; rows.cols()], |x, weight, _| {
        for (i, row) in x.as_slice().chunks_exact(sums.len()).enumerate() {
            match weight {
                None => sums.iter_mut().zip(row).for_each(|(s, v)| *s += v),
                Some(w) => sums.iter_mut().zip(row).for_each(|(s, v)| *s += w[i] * v),
            }
        }
    })
}

/// Calls `take` on dense rows minus `mean`, a few at a time, with their weights and addresses to prefetch.
fn centered_runs(
    rows: &DatasetRef<'_>,
    mean: &[f64],
    mut take: impl FnMut(MatRef<'_, f64>, Option<&[f64]>, &[f64]),
) -> Result<()> {
    let (n, cols) = (rows.rows(), rows.cols());
    let step = tall_skinny::rows_at_once(cols);
    let (mut run, mut scratch) = (vec![0.0; step.min(n) * cols], Vec::new());
    for first in (0..n).step_by(step) {
        let piece = rows.row_range(first..(first + step).min(n));
        let count = piece.rows();
        let run = &mut run[..count * cols];
        let mut ahead: &[f64] = &[];
        match piece.x {
            Features::F64(x) => {
                if let Features::F64(all) = rows.x
                    && let Some(data) = all.as_row_major()
                {
                    ahead = &data[(first + count) * cols..(first + count + step).min(n) * cols];
                }
                center_into(x, mean, run, |v| v);
            }
            Features::F32(x) => center_into(x, mean, run, f64::from),
            other => center_into(other.f64_rows(&mut scratch, Pca::SPEC.name)?, mean, run, |v| v),
        }
        take(MatRef::row_major(run, count, cols), piece.weight, ahead);
    }
    Ok(())
}

fn center_into<T: Copy>(x: MatRef<'_, T>, mean: &[f64], run: &mut [f64], double: impl Fn(T) -> f64) {
    for (i, to) in run.chunks_exact_mut(mean.len()).enumerate() {
        match x.row(i) {
            Some(row) => to.iter_mut().zip(row).zip(mean).for_each(|((t, v), m)| *t = double(*v) - m),
            None => to.iter_mut().zip(mean).enumerate().for_each(|(j, (t, m))| *t = double(*x.at(i, j)) - m),
        }
    }
}

impl SubspaceProducts {
    fn add_dense(&mut self, rows: &DatasetRef<'_>, mean: &[f64], vectors: MatRef<'_, f64>) -> Result<()> {
        let (count, cols) = (vectors.rows(), mean.len());
        let (zeros, mut scores) = (vec![0.0; count], Vec::new());
        let Self { images, shift, square } = self;
        centered_runs(rows, mean, |x, weight, ahead| {
            let n = x.rows();
            for (i, row) in x.as_slice().chunks_exact(cols).enumerate() {
                let w = weight.map_or(1.0, |w| w[i]);
                let mut sums = [0.0; 8];
                for (row, shift) in row.chunks(8).zip(shift.chunks_mut(8)) {
                    for (l, (v, s)) in row.iter().zip(shift).enumerate() {
                        *s += w * v;
                        sums[l] += v * v;
                    }
                }
                *square += w * sums.iter().sum::<f64>();
            }
            scores.clear();
            scores.resize(count * n, 0.0);
            let half = ahead.len() / 2;
            tall_skinny::scores(x, vectors.as_slice(), cols, &zeros, &mut scores, &ahead[..half]);
            if let Some(w) = weight {
                scores.chunks_exact_mut(n).for_each(|run| run.iter_mut().zip(w).for_each(|(s, w)| *s *= w));
            }
            tall_skinny::add_products(x, &scores, count, images.as_mut_slice(), cols, &ahead[half..]);
        })
    }

    /// Sparse rows stay sparse: the sums are corrected for the mean. `turned` has the transposed vectors, one row per
    /// column.
    fn add_sparse(&mut self, x: CsrRef<'_>, weight: Option<&[f64]>, mean: &[f64], turned: &Mat<f64>) {
        let (count, cols) = (turned.cols(), mean.len());
        let mut at_mean = vec![0.0; count];
        for (m, v) in mean.iter().zip(turned.as_slice().chunks_exact(count)) {
            at_mean.iter_mut().zip(v).for_each(|(s, v)| *s += m * v);
        }
        let (mut images, mut sums) = (Mat::zeros(cols, count), vec![0.0; cols]);
        let (mut scores, mut total, mut row) = (vec![0.0; count], 0.0, vec![0.0; cols]);
        let mut all_scores = vec![0.0; count];
        for i in 0..x.rows() {
            let w = weight.map_or(1.0, |w| w[i]);
            let (places, values) = x.row(i);
            scores.iter_mut().zip(&at_mean).for_each(|(s, m)| *s = -m);
            for (&j, v) in places.iter().zip(values) {
                scores.iter_mut().zip(turned.row(j as usize)).for_each(|(s, t)| *s += v * t);
            }
            scores.iter_mut().for_each(|s| *s *= w);
            all_scores.iter_mut().zip(&scores).for_each(|(a, s)| *a += s);
            for (&j, v) in places.iter().zip(values) {
                images.row_mut(j as usize).iter_mut().zip(&scores).for_each(|(z, s)| *z += v * s);
                sums[j as usize] += w * v;
            }
            total += w;
            // A row may have duplicate indices.
            self.square += w * match places.windows(2).all(|p| p[0] < p[1]) {
                true => values.iter().map(|v| v * v).sum::<f64>(),
                false => {
                    x.copy_row(i, &mut row);
                    row.iter().map(|v| v * v).sum()
                }
            };
        }
        for j in 0..cols {
            for c in 0..count {
                self.images[(c, j)] += images[(j, c)] - all_scores[c] * mean[j];
            }
            // Σ w (x - m)² = Σ w x² - m (2 Σ w x - W m).
            self.square -= mean[j] * (2.0 * sums[j] - total * mean[j]);
            self.shift[j] += sums[j] - total * mean[j];
        }
    }

    /// The products of the vectors with the covariance, corrected for the error of the mean.
    fn into_image(self, mean: &mut [f64], total: &mut f64, weight: f64, vectors: MatRef<'_, f64>) -> Mat<f64> {
        let Self { mut images, shift, square } = self;
        let off: Vec<f64> = shift.iter().map(|s| s / weight).collect();
        for c in 0..images.rows() {
            let along: f64 = (0..off.len()).map(|j| off[j] * vectors.at(c, j)).sum();
            let row = images.row_mut(c).iter_mut().zip(&off);
            row.for_each(|(z, o)| *z = (*z - weight * along * o) / (weight - 1.0));
        }
        let square = square - weight * off.iter().map(|o| o * o).sum::<f64>();
        *total = square.max(0.0) / (weight - 1.0);
        mean.iter_mut().zip(&off).for_each(|(m, o)| *m += o);
        images
    }
}
