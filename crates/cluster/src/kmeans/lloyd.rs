//! One step of Lloyd's algorithm: the sums of a pass and the new centers.

use std::sync::{Arc, OnceLock};

use ermine_core::{CsrRef, DatasetRef, Error, Features, Mat, MatRef, Result};
use ermine_math::distance::{CenterSums, Centers, Real, StridedRows, squared};
use serde::{Deserialize, Serialize};

use super::init::compare_rows;

/// Centers packed for the kernels, on first use.
#[derive(Debug, Clone, Default)]
pub(super) struct PackedCenters(Arc<PackedCentersInner>);

#[derive(Debug, Default)]
struct PackedCentersInner {
    single: OnceLock<Centers<f32>>,
    double: OnceLock<Centers<f64>>,
    sparse: OnceLock<TransposedCenters>,
}

/// Transposed centers, for sparse rows.
#[derive(Debug)]
struct TransposedCenters {
    /// For each column the values of all centers.
    values: Vec<f64>,
    /// |c|² of each center.
    squares: Vec<f64>,
}

impl PackedCenters {
    fn f32_centers(&self, centers: &Mat<f64>) -> &Centers<f32> {
        self.0.single.get_or_init(|| Centers::new(centers.as_slice(), centers.rows(), centers.cols()))
    }

    fn f64_centers(&self, centers: &Mat<f64>) -> &Centers<f64> {
        self.0.double.get_or_init(|| Centers::new(centers.as_slice(), centers.rows(), centers.cols()))
    }

    fn sparse(&self, centers: &Mat<f64>) -> &TransposedCenters {
        self.0.sparse.get_or_init(|| TransposedCenters {
            values: Mat::from_fn(centers.cols(), centers.rows(), |j, c| centers[(c, j)]).into_vec(),
            squares: (0..centers.rows()).map(|c| centers.row(c).iter().map(|v| v * v).sum()).collect(),
        })
    }

    /// Number of groups of centers with a bound each, for rows of this type.
    pub(super) fn groups(&self, centers: &Mat<f64>, single: bool) -> usize {
        if single { self.f32_centers(centers).groups() } else { self.f64_centers(centers).groups() }
    }

    /// Movement of each group of centers since other centers.
    pub(super) fn center_moves(&self, centers: &Mat<f64>, before: &Self, old: &Mat<f64>, single: bool) -> Vec<f32> {
        match single {
            true => self.f32_centers(centers).center_moves(before.f32_centers(old)),
            false => self.f64_centers(centers).center_moves(before.f64_centers(old)),
        }
    }

    /// The nearest center of each row. Cells that are not finite are an error.
    pub(super) fn nearest(&self, centers: &Mat<f64>, x: &Features<'_>, labels: &mut [u32]) -> Result<()> {
        let finite = match x {
            Features::F32(m) => with_rows(m, |rows| nearest(self.f32_centers(centers), rows, labels)),
            Features::F64(m) => with_rows(m, |rows| nearest(self.f64_centers(centers), rows, labels)),
            Features::Table(t) => {
                let m = t.to_numbers("kmeans")?;
                with_rows(&m.view(), |rows| nearest(self.f64_centers(centers), rows, labels))
            }
            Features::Csr(m) => {
                let ready = self.sparse(centers);
                let mut scores = vec![0.0; centers.rows()];
                let mut sum = 0.0;
                for (i, label) in labels.iter_mut().enumerate() {
                    let (nearest, distance) = ready.nearest(*m, i, &mut scores);
                    *label = nearest;
                    sum += distance;
                }
                sum.is_finite()
            }
        };
        if finite { Ok(()) } else { x.refuse_non_finite(None).and_then(|()| Err(overflow())) }
    }
}

fn overflow() -> Error {
    Error::Numeric("the numbers are so large that their squares overflow; divide them by a power of ten first".into())
}

/// Labels of rows, and whether the rows are finite.
fn nearest<T: Real>(centers: &Centers<T>, rows: StridedRows<'_, T>, labels: &mut [u32]) -> bool {
    centers.nearest(rows, labels);
    rows.all_finite()
}

/// Calls `f` on contiguous rows: those of the matrix, or a copy of the block in another layout.
fn with_rows<T: Real + Default, R>(m: &MatRef<'_, T>, f: impl FnOnce(StridedRows<'_, T>) -> R) -> R {
    let (rows, cols) = (m.rows(), m.cols());
    let direct = (m.col_stride() == 1 || cols <= 1).then(|| StridedRows::new(m.as_slice(), rows, cols, m.row_stride())).flatten();
    match direct {
        Some(view) => f(view),
        None => {
            let mut copy = vec![T::default(); rows * cols];
            for j in 0..cols {
                for i in 0..rows {
                    copy[i * cols + j] = *m.at(i, j);
                }
            }
            f(StridedRows::new(&copy, rows, cols, cols).expect("the copy has exactly these rows"))
        }
    }
}

impl TransposedCenters {
    /// The nearest center of a sparse row and the squared distance from it.
    fn nearest(&self, x: CsrRef<'_>, row: usize, scores: &mut [f64]) -> (u32, f64) {
        let k = scores.len();
        scores.fill(0.0);
        let (indices, values) = x.row(row);
        for (&j, &v) in indices.iter().zip(values) {
            let column = &self.values[j as usize * k..(j as usize + 1) * k];
            scores.iter_mut().zip(column).for_each(|(s, c)| *s += v * c);
        }
        let (mut at, mut least) = (0, f64::INFINITY);
        for c in 0..k {
            let d = self.squares[c] - 2.0 * scores[c];
            if d < least {
                (at, least) = (c, d);
            }
        }
        let square = if indices.windows(2).all(|w| w[0] < w[1]) {
            values.iter().map(|v| v * v).sum::<f64>()
        } else {
            let mut dense = vec![0.0; x.cols()];
            x.copy_row(row, &mut dense);
            dense.iter().map(|v| v * v).sum::<f64>()
        };
        // Rounding may give a small negative difference of large squares; NaN stays NaN.
        let distance = square + least;
        (at as u32, if distance < 0.0 { 0.0 } else { distance })
    }
}

/// Sums of one pass over all rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LloydSums {
    /// Sum of row minus center over the rows of each center.
    residuals: Vec<f64>,
    /// Weight of the rows of each center.
    pub(super) weight: Vec<f64>,
    pub(super) inertia: f64,
    /// A hash of the labels: equal in two passes when every row has the same center in both.
    pub(super) fingerprint: u64,
    /// Rows with weight.
    pub(super) rows: u64,
}

impl LloydSums {
    pub(super) fn new(k: usize, cols: usize) -> Self {
        Self { residuals: vec![0.0; k * cols], weight: vec![0.0; k], inertia: 0.0, fingerprint: 0, rows: 0 }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.residuals.iter_mut().zip(&other.residuals).for_each(|(a, b)| *a += b);
        self.weight.iter_mut().zip(&other.weight).for_each(|(a, b)| *a += b);
        self.inertia += other.inertia;
        // The merge tree is the same in every pass, so the hash may depend on the order of the parts.
        self.fingerprint = self.fingerprint.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ other.fingerprint;
        self.rows += other.rows;
    }

    pub(super) fn add(
        &mut self,
        centers: &Mat<f64>,
        cache: &PackedCenters,
        rows: &DatasetRef<'_>,
        labels: &mut [u32],
    ) -> Result<()> {
        match rows.x {
            Features::F32(m) => with_rows(&m, |x| self.add_dense(centers, cache.f32_centers(centers), x, rows.weight, labels)),
            Features::F64(m) => with_rows(&m, |x| self.add_dense(centers, cache.f64_centers(centers), x, rows.weight, labels)),
            Features::Table(t) => {
                let m = t.to_numbers("kmeans")?;
                with_rows(&m.view(), |x| self.add_dense(centers, cache.f64_centers(centers), x, rows.weight, labels));
            }
            Features::Csr(m) => self.add_sparse(centers, cache.sparse(centers), m, rows.weight, labels),
        }
        self.close(rows, labels)
    }

    /// Checks that sums are finite, and adds the hash of the labels.
    fn close(&mut self, rows: &DatasetRef<'_>, labels: &[u32]) -> Result<()> {
        if !self.inertia.is_finite() {
            rows.x.refuse_non_finite(rows.schema)?;
            return Err(overflow());
        }
        self.fingerprint ^= fingerprint(labels, rows.weight);
        self.rows += rows.weight.map_or(labels.len(), |w| w.iter().filter(|w| **w > 0.0).count()) as u64;
        Ok(())
    }

    fn add_dense<T: Real>(
        &mut self,
        centers: &Mat<f64>,
        ready: &Centers<T>,
        x: StridedRows<'_, T>,
        weight: Option<&[f64]>,
        labels: &mut [u32],
    ) {
        let mut sums = ready.sums();
        ready.nearest_and_sum(x, weight, labels, &mut sums);
        self.add_sums(centers, ready, &sums);
    }

    /// [`LloydSums::add`] for dense rows with bounds; returns how many pairs of rows and groups of centers were
    /// compared.
    pub(super) fn add_bounded(
        &mut self,
        centers: &Mat<f64>,
        cache: &PackedCenters,
        rows: &DatasetRef<'_>,
        labels: &mut [u32],
        lower: &mut [f32],
        moves: &[f32],
    ) -> Result<usize> {
        let w = rows.weight;
        let compared = match rows.x {
            Features::F32(m) => {
                let ready = cache.f32_centers(centers);
                with_rows(&m, |x| self.add_dense_bounded(centers, ready, x, w, labels, lower, moves))
            }
            _ => {
                let mut scratch = Vec::new();
                let m = rows.x.f64_rows(&mut scratch, "kmeans")?;
                let ready = cache.f64_centers(centers);
                with_rows(&m, |x| self.add_dense_bounded(centers, ready, x, w, labels, lower, moves))
            }
        };
        self.close(rows, labels)?;
        Ok(compared)
    }

    #[expect(clippy::too_many_arguments, reason = "rows with all that is known of them")]
    fn add_dense_bounded<T: Real>(
        &mut self,
        centers: &Mat<f64>,
        ready: &Centers<T>,
        x: StridedRows<'_, T>,
        weight: Option<&[f64]>,
        labels: &mut [u32],
        lower: &mut [f32],
        moves: &[f32],
    ) -> usize {
        let mut sums = ready.sums();
        let compared = ready.bounded_and_sum(x, weight, labels, lower, moves, &mut sums);
        self.add_sums(centers, ready, &sums);
        compared
    }

    fn add_sums<T: Real>(&mut self, centers: &Mat<f64>, ready: &Centers<T>, sums: &CenterSums<T>) {
        let cols = centers.cols();
        for c in 0..centers.rows() {
            let w = sums.weight()[c];
            if w == 0.0 {
                continue;
            }
            self.weight[c] += w;
            let to = &mut self.residuals[c * cols..(c + 1) * cols];
            // The kernel subtracts centers rounded to its own precision; the sums are about the exact centers.
            for (((to, r), near), &exact) in to.iter_mut().zip(sums.residual(ready, c)).zip(ready.center(c)).zip(centers.row(c)) {
                *to += r + w * (near - exact);
            }
        }
        self.inertia += sums.inertia();
    }

    fn add_sparse(
        &mut self,
        centers: &Mat<f64>,
        ready: &TransposedCenters,
        x: CsrRef<'_>,
        weight: Option<&[f64]>,
        labels: &mut [u32],
    ) {
        let (k, cols) = (centers.rows(), centers.cols());
        let mut scores = vec![0.0; k];
        let mut here = vec![0.0; k];
        for (i, label) in labels.iter_mut().enumerate() {
            let w = weight.map_or(1.0, |w| w[i]);
            let (c, distance) = ready.nearest(x, i, &mut scores);
            *label = c;
            let c = c as usize;
            here[c] += w;
            self.inertia += w * distance;
            let (indices, values) = x.row(i);
            for (&j, &v) in indices.iter().zip(values) {
                self.residuals[c * cols + j as usize] += w * v;
            }
        }
        for c in (0..k).filter(|&c| here[c] > 0.0) {
            self.weight[c] += here[c];
            for (to, &center) in self.residuals[c * cols..(c + 1) * cols].iter_mut().zip(centers.row(c)) {
                *to -= here[c] * center;
            }
        }
    }

    pub(super) fn empty_clusters(&self) -> Vec<usize> {
        (0..self.weight.len()).filter(|&c| self.weight[c] == 0.0).collect()
    }

    /// The means of the rows of each center, and the sum of the squared moves; centers without rows stay.
    pub(super) fn means(&self, centers: &Mat<f64>) -> (Mat<f64>, f64) {
        let cols = centers.cols();
        let mut shift = 0.0;
        let mut out = centers.clone();
        for c in (0..centers.rows()).filter(|&c| self.weight[c] > 0.0) {
            for (v, r) in out.row_mut(c).iter_mut().zip(&self.residuals[c * cols..(c + 1) * cols]) {
                let step = r / self.weight[c];
                *v += step;
                shift += step * step;
            }
        }
        (out, shift)
    }

    /// Mini-batch update: every center is the mean of all rows it was ever given; `counts` are their weights.
    pub(super) fn moved_toward(&self, centers: &Mat<f64>, counts: &mut [f64]) -> Mat<f64> {
        let cols = centers.cols();
        let mut out = centers.clone();
        for c in (0..centers.rows()).filter(|&c| self.weight[c] > 0.0) {
            counts[c] += self.weight[c];
            let residuals = &self.residuals[c * cols..(c + 1) * cols];
            out.row_mut(c).iter_mut().zip(residuals).for_each(|(v, r)| *v += r / counts[c]);
        }
        out
    }

    /// The mean over columns of the variance of the data, which the sums imply: the variance within clusters plus that
    /// of their means.
    pub(super) fn mean_variance(&self, means: &Mat<f64>, centers: &Mat<f64>) -> f64 {
        let total: f64 = self.weight.iter().sum();
        let cols = centers.cols();
        let mut overall = vec![0.0; cols];
        for c in 0..means.rows() {
            overall.iter_mut().zip(means.row(c)).for_each(|(o, m)| *o += self.weight[c] / total * m);
        }
        let mut squares = self.inertia;
        for c in 0..means.rows() {
            squares += self.weight[c] * (squared(means.row(c), &overall) - squared(means.row(c), centers.row(c)));
        }
        squares.max(0.0) / (total * cols as f64)
    }

    /// Assigns the rows farthest from their centers to the clusters without rows, the farthest first.
    pub(super) fn move_to_farthest(&mut self, centers: &Mat<f64>, farthest: &FarthestRows) {
        let cols = centers.cols();
        for (empty, far) in self.empty_clusters().into_iter().zip(&farthest.rows) {
            let old = far.cluster as usize;
            for j in 0..cols {
                self.residuals[old * cols + j] -= far.weight * (far.row[j] - centers[(old, j)]);
                self.residuals[empty * cols + j] = far.weight * (far.row[j] - centers[(empty, j)]);
            }
            self.weight[empty] = far.weight;
            self.weight[old] = (self.weight[old] - far.weight).max(0.0);
        }
    }
}

/// A hash of the labels of the rows with weight.
fn fingerprint(labels: &[u32], weight: Option<&[f64]>) -> u64 {
    // Independent products, for instruction-level parallelism.
    let factor = |i: usize| ((i as u64 + 1).wrapping_mul(0xD134_2543_DE82_EF95) ^ 0x5851_F42D_4C95_7F2D) | 1;
    let term = |(i, &l): (usize, &u32)| (u64::from(l) + 1).wrapping_mul(factor(i)).rotate_left(29).wrapping_mul(factor(i));
    match weight {
        None => labels.iter().enumerate().map(term).fold(0, u64::wrapping_add),
        Some(w) => {
            let counts = |(i, _): &(usize, &u32)| w[*i] > 0.0;
            labels.iter().enumerate().filter(counts).map(term).fold(0, u64::wrapping_add)
        }
    }
}

/// The rows farthest from their centers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FarthestRows {
    wanted: usize,
    /// The farthest first; equal rows are one row with their total weight.
    rows: Vec<FarthestRow>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct FarthestRow {
    distance: f64,
    cluster: u32,
    weight: f64,
    row: Vec<f64>,
}

impl FarthestRows {
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, rows: Vec::new() }
    }

    pub(super) fn add(
        &mut self,
        centers: &Mat<f64>,
        cache: &PackedCenters,
        rows: &DatasetRef<'_>,
        labels: &mut [u32],
    ) -> Result<()> {
        cache.nearest(centers, &rows.x, labels)?;
        super::init::each_row(&rows.x, |i, row| {
            let distance = squared(row, centers.row(labels[i] as usize));
            let weight = rows.weight_of(i);
            let least = self.rows.get(self.wanted.wrapping_sub(1)).map_or(0.0, |f| f.distance);
            // A row at its center is no candidate.
            if weight > 0.0 && distance > 0.0 && distance >= least {
                self.push_far(FarthestRow { distance, cluster: labels[i], weight, row: row.to_vec() });
            }
        })
    }

    fn push_far(&mut self, far: FarthestRow) {
        let order = |a: &FarthestRow| far.distance.total_cmp(&a.distance).then_with(|| compare_rows(&a.row, &far.row));
        match self.rows.binary_search_by(order) {
            Ok(at) => self.rows[at].weight += far.weight,
            Err(at) => {
                self.rows.insert(at, far);
                self.rows.truncate(self.wanted);
            }
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        other.rows.into_iter().for_each(|far| self.push_far(far));
    }
}
