//! Nearest centers of rows, with the sums for k-means.
//!
//! The nearest of k centers maximizes the score x·c - |c|²/2, so the work is a product of rows and centers. Centers are
//! packed once: groups of a few vectors of centers, feature by feature, so that a tile of rows times centers is summed
//! in registers with one broadcast per row and one load per vector. Rows are not copied.

mod bounds;
mod kernel;
#[cfg(target_arch = "x86_64")]
mod simd;

use kernel::DistanceNumber;

/// Bytes of rows processed together: small enough to stay in the first-level cache.
const TILE_BYTES: usize = 16 << 10;

/// The number types of the kernels: `f32` or `f64`.
pub trait Real: DistanceNumber {}
impl Real for f32 {}
impl Real for f64 {}

/// The squared distance of two rows.
///
/// # Panics
/// When their lengths differ.
pub fn squared(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "rows of different lengths");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature is there.
        return unsafe { squared_wide(a, b) };
    }
    squared_plain(a, b)
}

/// The same sums in wider vectors: the same bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn squared_wide(a: &[f64], b: &[f64]) -> f64 {
    squared_plain(a, b)
}

#[inline(always)]
fn squared_plain(a: &[f64], b: &[f64]) -> f64 {
    // Eight sums, for vectorization.
    let mut sums = [0.0; 8];
    let (wide, narrow) = (a.chunks_exact(8), b.chunks_exact(8));
    let (a_rest, b_rest) = (wide.remainder(), narrow.remainder());
    for (a, b) in wide.zip(narrow) {
        for l in 0..8 {
            let d = a[l] - b[l];
            sums[l] += d * d;
        }
    }
    for (l, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[l] += (a - b) * (a - b);
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

/// Rows of equal length in one slice, each contiguous, `stride` elements apart.
#[derive(Debug, Clone, Copy)]
pub struct StridedRows<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    stride: usize,
}

impl<'a, T: Real> StridedRows<'a, T> {
    /// A checked view, or `None` when a row would reach outside the slice.
    pub fn new(data: &'a [T], rows: usize, cols: usize, stride: usize) -> Option<Self> {
        let fits = rows == 0 || (rows - 1).checked_mul(stride).and_then(|s| s.checked_add(cols)).is_some_and(|s| s <= data.len());
        fits.then_some(Self { data, rows, cols, stride })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// One row.
    #[inline]
    pub fn row(&self, i: usize) -> &'a [T] {
        &self.data[i * self.stride..i * self.stride + self.cols]
    }

    /// Whether all numbers are finite.
    pub fn all_finite(&self) -> bool {
        if self.stride == self.cols {
            return T::finite(&self.data[..self.rows * self.cols]);
        }
        (0..self.rows).all(|i| T::finite(self.row(i)))
    }

    /// `count` rows from `first` on.
    fn part(&self, first: usize, count: usize) -> Self {
        assert!(first + count <= self.rows);
        let data = if count == 0 { &[] } else { &self.data[first * self.stride..(first + count - 1) * self.stride + self.cols] };
        Self { data, rows: count, ..*self }
    }
}

/// Centers, prepared for many rows.
#[derive(Debug, Clone)]
pub struct Centers<T> {
    k: usize,
    cols: usize,
    /// The columns, rounded up to whole vectors.
    width: usize,
    /// Groups of `vectors` vectors of centers: for each feature, the values of these centers.
    groups: Vec<CenterGroup>,
    packed: Vec<T>,
    /// -(m·c + |c|²/2) for centers c about the mean m of the centers; minus infinity in lanes without center.
    bias: Vec<T>,
    /// The centers themselves, in rows of `width`.
    rows: Vec<T>,
    /// Their lengths.
    norms: Vec<f64>,
    rounding: bounds::DistanceError,
}

/// Centers processed together.
#[derive(Debug, Clone, Copy)]
struct CenterGroup {
    /// The first center.
    first: usize,
    /// Vectors of centers: 2, or 1 at the end.
    vectors: usize,
    /// Where the packed values begin.
    start: usize,
}

/// Sums over rows by their nearest center.
#[derive(Debug, Clone)]
pub struct CenterSums<T> {
    /// Row minus center, in rows of the width of the centers.
    residuals: Vec<T>,
    /// Weight of the rows of each center.
    weight: Vec<f64>,
    /// Squared distances of the rows from their centers.
    inertia: f64,
}

impl<T: Real> Centers<T> {
    /// Packs `k` centers of `cols` columns, given row by row.
    ///
    /// # Panics
    /// When the slice has another length than `k * cols`.
    pub fn new(centers: &[f64], k: usize, cols: usize) -> Self {
        assert_eq!(centers.len(), k * cols, "{k} centers of {cols} columns");
        let lanes = T::LANES;
        // Distances are invariant to a common shift of rows and centers. Centered centers keep the scores small where
        // the data are far from 0, and the rows need not be changed.
        let mut mean = vec![0.0; cols];
        for c in centers.chunks_exact(cols.max(1)) {
            mean.iter_mut().zip(c).for_each(|(m, v)| *m += v / k as f64);
        }
        let vectors = k.div_ceil(lanes);
        let mut groups = Vec::new();
        let (mut packed, mut bias) =
            (Vec::with_capacity(vectors * lanes * cols), vec![T::from_f64(f64::NEG_INFINITY); vectors * lanes]);
        let mut done = 0;
        while done < vectors {
            let count = (vectors - done).min(2);
            let first = done * lanes;
            groups.push(CenterGroup { first, vectors: count, start: packed.len() });
            for j in 0..cols {
                for c in first..first + count * lanes {
                    packed.push(T::from_f64(if c < k { centers[c * cols + j] - mean[j] } else { 0.0 }));
                }
            }
            done += count;
        }
        for c in 0..k {
            let mut sum = 0.0;
            for j in 0..cols {
                let v = T::from_f64(centers[c * cols + j] - mean[j]).to_f64();
                sum += v * (mean[j] + 0.5 * v);
            }
            bias[c] = T::from_f64(-sum);
        }
        let width = cols.next_multiple_of(lanes);
        let mut rows = vec![T::from_f64(0.0); k * width];
        for c in 0..k {
            for j in 0..cols {
                rows[c * width + j] = T::from_f64(centers[c * cols + j]);
            }
        }
        let norms = (0..k).map(|c| centers[c * cols..(c + 1) * cols].iter().map(|v| v * v).sum::<f64>().sqrt()).collect();
        let rounding = bounds::DistanceError::default();
        let ready = Self { k, cols, width, groups, packed, bias, rows, norms, rounding };
        let rounding = bounds::DistanceError::of(&ready);
        Self { rounding, ..ready }
    }

    /// Number of centers.
    pub fn len(&self) -> usize {
        self.k
    }

    /// Whether there is no center.
    pub fn is_empty(&self) -> bool {
        self.k == 0
    }

    /// Sums of no rows.
    pub fn sums(&self) -> CenterSums<T> {
        CenterSums { residuals: vec![T::from_f64(0.0); self.k * self.width], weight: vec![0.0; self.k], inertia: 0.0 }
    }

    /// A center rounded to the precision of the kernels.
    pub fn center(&self, c: usize) -> impl Iterator<Item = f64> + '_ {
        self.rows[c * self.width..c * self.width + self.cols].iter().map(|v| v.to_f64())
    }

    fn check(&self, x: &StridedRows<'_, T>, labels: &[u32]) {
        assert!(x.cols == self.cols && labels.len() == x.rows && self.k > 0, "rows, labels and centers that fit together");
    }

    fn tile_rows(&self) -> usize {
        // A multiple of the rows of both tiles.
        (TILE_BYTES / (self.cols.max(1) * size_of::<T>())).clamp(24, 120) / 24 * 24
    }

    /// The nearest center of each row; ties go to the first.
    ///
    /// # Panics
    /// When rows, labels and centers do not fit together, or there is no center.
    pub fn nearest(&self, x: StridedRows<'_, T>, labels: &mut [u32]) {
        self.check(&x, labels);
        let step = self.tile_rows();
        let mut best = T::best(step);
        for first in (0..x.rows).step_by(step) {
            let count = step.min(x.rows - first);
            T::nearest(self, &x.part(first, count), &mut best, &mut labels[first..first + count]);
        }
    }

    /// The nearest center of each row, and the sums of the rows of each center.
    ///
    /// # Panics
    /// When rows, labels, weights, sums and centers do not fit together, or there is no center.
    pub fn nearest_and_sum(&self, x: StridedRows<'_, T>, weight: Option<&[f64]>, labels: &mut [u32], sums: &mut CenterSums<T>) {
        self.check(&x, labels);
        assert!(weight.is_none_or(|w| w.len() == x.rows) && sums.residuals.len() == self.k * self.width);
        let step = self.tile_rows();
        let mut best = T::best(step);
        for first in (0..x.rows).step_by(step) {
            let count = step.min(x.rows - first);
            let part = x.part(first, count);
            let labels = &mut labels[first..first + count];
            T::nearest(self, &part, &mut best, labels);
            // The rows are still in the first cache.
            T::sum(self, &part, weight.map(|w| &w[first..first + count]), labels, sums);
        }
    }
}

impl<T: Real> CenterSums<T> {
    /// The sum of row minus center over the rows of center `c`.
    pub fn residual<'a>(&'a self, centers: &Centers<T>, c: usize) -> impl Iterator<Item = f64> + 'a {
        self.residuals[c * centers.width..c * centers.width + centers.cols].iter().map(|v| v.to_f64())
    }

    /// The weight of the rows of each center.
    pub fn weight(&self) -> &[f64] {
        &self.weight
    }

    /// The weighted sum of the squared distances of the rows from their centers.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }
}

#[cfg(test)]
mod tests;
