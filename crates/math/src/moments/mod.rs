//! Weighted means and centered cross products of rows, mergeable.
//!
//! One pass over blocks of rows gives everything that least squares, ridge regression, principal components and
//! discriminant analysis need: the total weight, the means and the scatter matrix of the columns of `[X | Y]`.

mod gram;
mod pack;

use ermine_core::{DatasetRef, Error, Mat, MatRef, Result};
use serde::{Deserialize, Serialize};

use crate::simd::Portable;
use gram::{PanelLayout, Prefetch};
use pack::PackInput;

/// Element types of rows; sums are in f64.
pub trait Real: Copy + Send + Sync + sealed::SimdLoad {
    /// The value as f64, exactly.
    fn to_f64(self) -> f64;
}

impl Real for f64 {
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
}

impl Real for f32 {
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

mod sealed {
    use ermine_core::MatRef;

    use super::Moments;
    use crate::class_moments::ClassMoments;
    use crate::gaussians::FullGaussians;
    use crate::simd::Simd;

    /// What is generic over the elements, and large: compiled here, once for each type, and not wherever it is called.
    pub trait SimdLoad: Sized {
        fn fill_moments(m: &mut Moments, x: MatRef<'_, Self>, y: Option<MatRef<'_, f64>>, weight: Option<&[f64]>);
        fn add_to_classes(m: &mut ClassMoments, x: MatRef<'_, Self>, codes: &[u32], weight: Option<&[f64]>);
        fn log_density(g: &FullGaussians, x: MatRef<'_, Self>, out: &mut [f64]);

        /// Four adjacent values as f64.
        /// # Safety
        /// They must be readable at `at`.
        unsafe fn load4<S: Simd>(s: S, at: *const Self) -> S::V;
    }
    impl SimdLoad for f64 {
        fn fill_moments(m: &mut Moments, x: MatRef<'_, Self>, y: Option<MatRef<'_, f64>>, weight: Option<&[f64]>) {
            m.fill(x, y, weight);
        }
        fn add_to_classes(m: &mut ClassMoments, x: MatRef<'_, Self>, codes: &[u32], weight: Option<&[f64]>) {
            m.add_rows(x, codes, weight);
        }
        fn log_density(g: &FullGaussians, x: MatRef<'_, Self>, out: &mut [f64]) {
            g.log_density_of(x, out);
        }
        #[inline(always)]
        unsafe fn load4<S: Simd>(s: S, at: *const f64) -> S::V {
            // SAFETY: the caller's promise.
            unsafe { s.load(at) }
        }
    }
    impl SimdLoad for f32 {
        fn fill_moments(m: &mut Moments, x: MatRef<'_, Self>, y: Option<MatRef<'_, f64>>, weight: Option<&[f64]>) {
            m.fill(x, y, weight);
        }
        fn add_to_classes(m: &mut ClassMoments, x: MatRef<'_, Self>, codes: &[u32], weight: Option<&[f64]>) {
            m.add_rows(x, codes, weight);
        }
        fn log_density(g: &FullGaussians, x: MatRef<'_, Self>, out: &mut [f64]) {
            g.log_density_of(x, out);
        }
        #[inline(always)]
        unsafe fn load4<S: Simd>(s: S, at: *const f32) -> S::V {
            // SAFETY: the caller's promise.
            unsafe { s.load_f32(at) }
        }
    }
}

/// Rows packed at a time; the mean of one such chunk is the origin of a block.
const CHUNK: usize = 192;

/// Panels (of 12 columns) below which their products are not split into tasks.
const PANELS_A_TASK: usize = 16;

/// f64 in a cache line.
const LINE: usize = 8;

/// Rows with one origin. It is the mean of at least one chunk in 32 by weight, so the squared shift that is subtracted
/// at the end is at most 32 variances: a loss of a digit and a half of sixteen, whatever the data.
const SHARED_ORIGIN: usize = 32 * CHUNK;

/// Rows a block of a Gram-type learner should have. A partial (half of `cols²` f64) is then at most an eighth of the
/// block it stands for, so partials stay small next to the data however many are alive, and merging them costs nothing
/// next to the products; and a block of few columns is long enough to be worth a task.
pub fn block_rows(cols: usize) -> usize {
    ((1 << 18) / cols.max(1)).clamp(4096, 1 << 16).max(4 * cols)
}

/// Sums over the rows so far: weight, means and centered cross products of the columns of `[X | Y]`.
///
/// Within a block, products are taken about an origin near the block's mean (the mean of its first rows, so the shift
/// that is corrected afterwards is at most a few standard deviations), and blocks are merged by the formula of Chan,
/// Golub and LeVeque; means carry a second word. Columns with a mean 10¹² times their spread therefore keep the digits
/// that the data have.
///
/// Weight 2 is the row twice, weight 0 the row left out. A cell that is not finite makes [`Moments::is_finite`] false,
/// whatever its weight.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "MomentsRepr")]
pub struct Moments {
    x_cols: usize,
    y_cols: usize,
    rows: u64,
    weight: f64,
    /// The means are `mean + mean_low`, rounded value and rounding error.
    mean: Vec<f64>,
    mean_low: Vec<f64>,
    /// The upper triangle, in the layout of [`PanelLayout`].
    scatter: Vec<f64>,
    finite: bool,
}

/// Upper bound on the columns: no triangle of more fits in memory.
const MOST_COLS: usize = 1 << 24;

/// The serialized form, before it is checked.
#[derive(Deserialize)]
struct MomentsRepr {
    x_cols: usize,
    y_cols: usize,
    rows: u64,
    weight: f64,
    mean: Vec<f64>,
    mean_low: Vec<f64>,
    scatter: Vec<f64>,
    finite: bool,
}

impl TryFrom<MomentsRepr> for Moments {
    type Error = String;
    fn try_from(r: MomentsRepr) -> std::result::Result<Self, String> {
        let cols = r.x_cols.checked_add(r.y_cols).ok_or("too many columns")?;
        if r.mean.len() != cols || r.mean_low.len() != cols || cols > MOST_COLS || PanelLayout::new(cols).len() != r.scatter.len()
        {
            return Err(format!("moments of {cols} columns with arrays of other lengths"));
        }
        let MomentsRepr { x_cols, y_cols, rows, weight, mean, mean_low, scatter, finite } = r;
        Ok(Self { x_cols, y_cols, rows, weight, mean, mean_low, scatter, finite })
    }
}

impl Moments {
    /// The moments of no rows.
    pub fn new(x_cols: usize, y_cols: usize) -> Self {
        let cols = x_cols + y_cols;
        Self {
            x_cols,
            y_cols,
            rows: 0,
            weight: 0.0,
            mean: vec![0.0; cols],
            mean_low: vec![0.0; cols],
            scatter: vec![0.0; PanelLayout::new(cols).len()],
            finite: true,
        }
    }

    /// Columns of X.
    pub fn x_cols(&self) -> usize {
        self.x_cols
    }

    /// Columns of Y.
    pub fn y_cols(&self) -> usize {
        self.y_cols
    }

    /// Rows with a weight above 0.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The sum of the weights.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The weighted means of the columns, X then Y; zeros when there are no rows.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The rounding errors of [`Moments::mean`]: the means to twice the digits are `mean + mean_low`.
    pub fn mean_low(&self) -> &[f64] {
        &self.mean_low
    }

    /// The centered, weighted cross products of the columns, X then Y: Σ w (z - mean)(z - mean)ᵀ, both triangles.
    pub fn scatter(&self) -> Mat<f64> {
        let layout = self.layout();
        let mut full = Mat::zeros(layout.cols, layout.cols);
        for j in 0..layout.cols {
            for i in 0..=j {
                let v = self.scatter[layout.at(i, j)];
                full[(i, j)] = v;
                full[(j, i)] = v;
            }
        }
        full
    }

    /// The diagonal of [`Moments::scatter`].
    pub fn scatter_diagonal(&self) -> Vec<f64> {
        (0..self.cols()).map(|j| self.scatter[self.layout().at(j, j)]).collect()
    }

    /// Whether every cell was finite and no sum overflowed.
    pub fn is_finite(&self) -> bool {
        self.finite && self.mean.iter().chain(&self.scatter_diagonal()).all(|v| v.is_finite())
    }

    /// The error when [`Moments::is_finite`] is false: names the cell of `rows` (the rows last added), or says that
    /// sums overflowed.
    pub fn refuse_non_finite(&self, rows: &DatasetRef<'_>) -> Result<()> {
        if self.is_finite() {
            return Ok(());
        }
        rows.x.refuse_non_finite(rows.schema)?;
        Err(Error::Numeric("the squares of the columns overflow; scale the columns down".into()))
    }

    fn cols(&self) -> usize {
        self.x_cols + self.y_cols
    }

    fn layout(&self) -> PanelLayout {
        PanelLayout::new(self.cols())
    }

    /// Adds rows.
    ///
    /// # Panics
    /// When the shapes differ from those of [`Moments::new`], or `y` is missing where there are Y columns.
    pub fn add<T: Real>(&mut self, x: MatRef<'_, T>, y: Option<MatRef<'_, f64>>, weight: Option<&[f64]>) {
        let rows = x.rows();
        assert_eq!(x.cols(), self.x_cols, "columns of X");
        assert_eq!(y.map_or(0, |y| y.cols()), self.y_cols, "columns of Y");
        assert!(y.is_none_or(|y| y.rows() == rows) && weight.is_none_or(|w| w.len() == rows), "rows of Y and weights");
        for first in (0..rows).step_by(SHARED_ORIGIN) {
            let range = first..(first + SHARED_ORIGIN).min(rows);
            let (x, y) = (x.row_range(range.clone()), y.map(|y| y.row_range(range.clone())));
            let weight = weight.map(|w| &w[range]);
            if self.weight == 0.0 && self.finite {
                T::fill_moments(self, x, y, weight);
            } else {
                let mut block = Self::new(self.x_cols, self.y_cols);
                T::fill_moments(&mut block, x, y, weight);
                self.merge(block);
            }
        }
    }

    /// [`Moments::add`] for the first rows.
    fn fill<T: Real>(&mut self, x: MatRef<'_, T>, y: Option<MatRef<'_, f64>>, weight: Option<&[f64]>) {
        let (rows, layout) = (x.rows(), self.layout());
        let roots: Option<Vec<f64>> = weight.map(|w| w.iter().map(|w| w.sqrt()).collect());
        let all = PackInput { x, y, roots: roots.as_deref() };
        let chunk = |first: usize| all.range(first..(first + CHUNK).min(rows));
        let room = rows.next_multiple_of(4).min(CHUNK);
        // On a cache line, so that no vector of a panel straddles two.
        let mut memory = vec![0.0; layout.padded() * room + LINE];
        let aligned = memory.as_ptr().align_offset(LINE * size_of::<f64>()).min(LINE);
        let packed = &mut memory[aligned..];
        // The origin: the mean of the heaviest chunk, itself taken about a row, so that a constant column has exactly
        // its value as mean and exactly 0 as scatter.
        let (first, heaviest) = heaviest_chunk(rows, weight);
        let mut origin = vec![0.0; layout.padded()];
        all.copy_row(first, &mut origin);
        let mut sums = vec![0.0; layout.padded()];
        let start = first / CHUNK * CHUNK;
        pack_rows(layout, &chunk(start), &origin, &mut sums, packed, room);
        if heaviest > 0.0 {
            origin.iter_mut().zip(&sums).for_each(|(o, s)| *o += s / heaviest);
        }
        sums.fill(0.0);
        for first in (0..rows).step_by(CHUNK) {
            let part = chunk(first);
            pack_rows(layout, &part, &origin, &mut sums, packed, room);
            let next = all.prefetch_of(first + CHUNK, CHUNK);
            let height = part.rows().next_multiple_of(4);
            multiply(layout, packed, room, height, &mut self.scatter, (0, layout.panels()), next);
        }
        self.rows = weight.map_or(rows, |w| w.iter().filter(|w| **w > 0.0).count()) as u64;
        self.weight = weight.map_or(rows as f64, |w| w.iter().sum());
        self.take_out_shift(&origin, &mut sums);
    }

    /// Converts products about `origin` to products about the mean; `shift` is the weighted sum of the rows minus
    /// origin.
    fn take_out_shift(&mut self, origin: &[f64], shift: &mut [f64]) {
        let layout = self.layout();
        self.finite = shift.iter().all(|d| d.is_finite());
        if self.weight == 0.0 {
            return;
        }
        shift.iter_mut().for_each(|d| *d /= self.weight);
        rank_one(layout, &mut self.scatter, -self.weight, shift);
        for j in 0..layout.cols {
            // Rounding may leave a constant column slightly below zero; overflowed squares are NaN here, and must stay
            // so.
            let at = layout.at(j, j);
            if self.scatter[at] < 0.0 {
                self.scatter[at] = 0.0;
            }
            (self.mean[j], self.mean_low[j]) = two_sum(origin[j], shift[j]);
        }
    }

    /// Adds `factor` times the outer product of `v` to the cross products; no row and no weight.
    ///
    /// # Panics
    /// When `v` has another length than there are columns.
    pub fn add_products(&mut self, factor: f64, v: &[f64]) {
        let layout = self.layout();
        assert_eq!(v.len(), layout.cols, "one number per column");
        let mut padded = vec![0.0; layout.padded()];
        padded[..v.len()].copy_from_slice(v);
        rank_one(layout, &mut self.scatter, factor, &padded);
    }

    /// Merges the rows of another, which come after the rows of this one.
    ///
    /// # Panics
    /// When the numbers of columns differ.
    pub fn merge(&mut self, other: Self) {
        assert_eq!((self.x_cols, self.y_cols), (other.x_cols, other.y_cols), "moments of different columns");
        self.finite &= other.finite;
        if other.weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            let finite = self.finite;
            *self = other;
            self.finite = finite;
            return;
        }
        let layout = self.layout();
        let total = self.weight + other.weight;
        let share = other.weight / total;
        let mut delta = vec![0.0; layout.padded()];
        for j in 0..layout.cols {
            delta[j] = (other.mean[j] - self.mean[j]) + (other.mean_low[j] - self.mean_low[j]);
            (self.mean[j], self.mean_low[j]) = two_sum(self.mean[j], self.mean_low[j] + share * delta[j]);
        }
        self.scatter.iter_mut().zip(&other.scatter).for_each(|(a, b)| *a += b);
        rank_one(layout, &mut self.scatter, self.weight * share, &delta);
        self.weight = total;
        self.rows += other.rows;
    }
}

/// A row with weight of the heaviest chunk, and the weight of that chunk.
fn heaviest_chunk(rows: usize, weight: Option<&[f64]>) -> (usize, f64) {
    let Some(weight) = weight else { return (0, rows.min(CHUNK) as f64) };
    let mut best = (0, 0.0);
    for (i, chunk) in weight.chunks(CHUNK).enumerate() {
        let total: f64 = chunk.iter().sum();
        if total > best.1 {
            best = (i * CHUNK + chunk.iter().position(|w| *w > 0.0).unwrap_or(0), total);
        }
    }
    best
}

/// Adds `factor v vᵀ` to the triangle.
fn rank_one(layout: PanelLayout, c: &mut [f64], factor: f64, v: &[f64]) {
    for panel in 0..layout.panels() {
        let width = layout.width(panel);
        let right = &v[gram::PANEL * panel..][..width];
        let rows = &mut c[layout.start(panel)..][..layout.height(panel) * width];
        for (row, left) in rows.chunks_exact_mut(width).zip(v) {
            let left = factor * left;
            row.iter_mut().zip(right).for_each(|(c, r)| *c += left * r);
        }
    }
}

fn pack_rows<T: Real>(
    layout: PanelLayout,
    rows: &PackInput<'_, T>,
    origin: &[f64],
    sums: &mut [f64],
    out: &mut [f64],
    room: usize,
) {
    #[cfg(target_arch = "x86_64")]
    {
        use crate::simd::Avx2;
        #[target_feature(enable = "avx2,fma")]
        fn pack_avx2<T: Real>(
            s: Avx2,
            layout: PanelLayout,
            rows: &PackInput<'_, T>,
            origin: &[f64],
            sums: &mut [f64],
            out: &mut [f64],
            room: usize,
        ) {
            pack::pack(s, layout, rows, origin, sums, out, room);
        }
        if let Some(s) = Avx2::find() {
            // SAFETY: the features were found.
            return unsafe { pack_avx2(s, layout, rows, origin, sums, out, room) };
        }
    }
    pack::pack(Portable, layout, rows, origin, sums, out, room);
}

/// Adds the products of packed rows to a range of panels. Many panels are split between idle threads; every element is
/// computed by one, so the bits are the same.
fn multiply(
    layout: PanelLayout,
    packed: &[f64],
    room: usize,
    rows: usize,
    c: &mut [f64],
    (from, to): (usize, usize),
    ahead: Prefetch,
) {
    if to - from > PANELS_A_TASK {
        // Panels grow with their number: these two runs have about the same area.
        let mid = (((from * from + to * to) / 2).isqrt()).clamp(from + 1, to - 1);
        let (left, right) = c.split_at_mut(layout.start(mid) - layout.start(from));
        ermine_core::parallel::join(
            || multiply(layout, packed, room, rows, right, (mid, to), ahead),
            || multiply(layout, packed, room, rows, left, (from, mid), Prefetch::none()),
        );
        return;
    }
    #[cfg(target_arch = "x86_64")]
    {
        use crate::simd::Avx2;
        #[target_feature(enable = "avx2,fma")]
        #[allow(clippy::too_many_arguments)] // what `multiply` takes
        fn multiply_avx2(
            s: Avx2,
            layout: PanelLayout,
            packed: &[f64],
            room: usize,
            rows: usize,
            c: &mut [f64],
            panels: (usize, usize),
            ahead: Prefetch,
        ) {
            gram::accumulate(s, layout, packed, room, rows, c, panels, ahead);
        }
        if let Some(s) = Avx2::find() {
            // SAFETY: the features were found.
            return unsafe { multiply_avx2(s, layout, packed, room, rows, c, (from, to), ahead) };
        }
    }
    gram::accumulate(Portable, layout, packed, room, rows, c, (from, to), ahead);
}

/// The rounded sum and its rounding error.
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;

    fn random(rows: usize, cols: usize, mean: f64, sd: f64, seed: u64) -> Mat<f64> {
        let mut rng = RngStream::new(seed, "test", 0);
        Mat::from_fn(rows, cols, |_, _| mean + sd * rng.normal())
    }

    /// The definition, about an origin that makes every subtraction exact.
    fn truth(z: &Mat<f64>, w: Option<&[f64]>, origin: f64) -> (Vec<f64>, Mat<f64>) {
        let (n, p) = (z.rows(), z.cols());
        let w = |i: usize| w.map_or(1.0, |w| w[i]);
        let total: f64 = (0..n).map(w).sum();
        let m: Vec<f64> = (0..p).map(|j| (0..n).map(|i| w(i) * (z[(i, j)] - origin)).sum::<f64>() / total).collect();
        let s = Mat::from_fn(p, p, |a, b| {
            (0..n).map(|i| w(i) * (z[(i, a)] - origin - m[a]) * (z[(i, b)] - origin - m[b])).sum::<f64>()
        });
        (m, s)
    }

    fn assert_near(got: &Mat<f64>, want: &Mat<f64>, tol: f64, what: &str) {
        for a in 0..got.rows() {
            for b in 0..got.cols() {
                let scale = (want[(a, a)] * want[(b, b)]).sqrt();
                let err = (got[(a, b)] - want[(a, b)]).abs();
                assert!(err <= tol * scale, "{what}: ({a}, {b}) is {}, not {} ({err:e})", got[(a, b)], want[(a, b)]);
            }
        }
    }

    fn split(z: &Mat<f64>, x_cols: usize, w: Option<&[f64]>, step: usize) -> Moments {
        let mut total = Moments::new(x_cols, z.cols() - x_cols);
        for start in (0..z.rows()).step_by(step) {
            let range = start..(start + step).min(z.rows());
            let block = z.view().row_range(range.clone());
            let y = block.col_range(x_cols..z.cols());
            let mut part = Moments::new(x_cols, z.cols() - x_cols);
            part.add(block.col_range(0..x_cols), (y.cols() > 0).then_some(y), w.map(|w| &w[range]));
            total.merge(part);
        }
        total
    }

    #[test]
    fn sums_follow_the_definition_for_any_width_and_split() {
        for cols in [1, 2, 3, 4, 5, 11, 12, 13, 24, 27, 50, 51, 61] {
            let z = random(333, cols, 3.0, 2.0, cols as u64);
            let (_, want) = truth(&z, None, 3.0);
            for step in [1, 7, 100, 333] {
                for y in 0..2.min(cols) {
                    let m = split(&z, cols - y, None, step);
                    assert_eq!((m.rows(), m.weight()), (333, 333.0));
                    assert_near(&m.scatter(), &want, 1e-13, &format!("{cols} columns, blocks of {step}"));
                }
            }
        }
    }

    #[test]
    fn a_mean_far_from_zero_costs_no_digits() {
        let z = random(3000, 14, 1e9, 1e-3, 1);
        let (mean, want) = truth(&z, None, 1e9);
        for step in [100, 1000, 3000] {
            let m = split(&z, 13, None, step);
            assert_near(&m.scatter(), &want, 1e-12, "shifted");
            for j in 0..14 {
                let rest = (m.mean()[j] - 1e9) + m.mean_low()[j];
                assert!((rest - mean[j]).abs() < 1e-15, "mean {j}: {rest:e} and {:e}", mean[j]);
            }
        }
    }

    #[test]
    fn many_columns_are_shared_out_and_many_rows_cut() {
        let z = random(20_000, 3, 5.0, 1.0, 6);
        assert_near(&split(&z, 2, None, 20_000).scatter(), &truth(&z, None, 5.0).1, 1e-12, "many rows");
        let z = random(300, 410, 5.0, 1.0, 7);
        let sums = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| split(&z, 400, None, 300))
        };
        let (one, three) = (sums(1), sums(3));
        assert_eq!(one.scatter(), three.scatter(), "threads");
        assert_near(&one.scatter(), &truth(&z, None, 5.0).1, 1e-13, "many columns");
    }

    #[test]
    fn a_constant_column_has_exactly_no_scatter() {
        for value in [0.1, -1e9 / 3.0, 1e-300, 0.0] {
            let mut z = random(1000, 3, 0.0, 1.0, 8);
            (0..1000).for_each(|i| z[(i, 1)] = value);
            let w: Vec<f64> = (0..1000).map(|i| 0.1 * (i % 7) as f64).collect();
            for w in [None, Some(&w[..])] {
                for step in [1000, 300, 3] {
                    let m = split(&z, 3, w, step);
                    assert_eq!((m.mean()[1], m.mean_low()[1], m.scatter()[(1, 1)]), (value, 0.0, 0.0));
                    assert!(m.scatter()[(0, 1)].abs() <= 1e-300);
                }
            }
        }
    }

    #[test]
    fn weights_count_rows() {
        let z = random(200, 6, -1.0, 3.0, 2);
        let w: Vec<f64> = (0..200).map(|i| (i % 4) as f64).collect();
        let twice: Vec<usize> = (0..200).flat_map(|i| vec![i; i % 4]).collect();
        let a = split(&z, 5, Some(&w), 70);
        let b = split(&z.view().take_rows(&twice), 5, None, 1000);
        assert_eq!(a.rows(), 150);
        assert_eq!(a.weight(), b.weight());
        assert_near(&a.scatter(), &b.scatter(), 1e-13, "weights");
        // Rows without weight do not even move the origin.
        let mut far = z.clone();
        for i in (0..200).step_by(4) {
            far.row_mut(i).fill(1e300);
        }
        assert_near(&split(&far, 5, Some(&w), 70).scatter(), &b.scatter(), 1e-13, "far rows without weight");
    }

    #[test]
    fn layouts_and_f32_agree() {
        for (rows, cols) in [(1, 1), (5, 3), (300, 17), (700, 50)] {
            let z = random(rows, cols, 1.0, 1.0, 3);
            let single = Mat::from_fn(rows, cols, |i, j| z[(i, j)] as f32);
            let double = Mat::from_fn(rows, cols, |i, j| f64::from(single[(i, j)]));
            let columns: Vec<f64> = (0..cols).flat_map(|j| double.view().col_iter(j).collect::<Vec<_>>()).collect();
            let columns32: Vec<f32> = columns.iter().map(|&v| v as f32).collect();
            let w: Vec<f64> = (0..rows).map(|i| 0.5 + (i % 3) as f64).collect();
            for w in [None, Some(&w[..])] {
                let of = |m: &mut Moments| (m.mean().to_vec(), m.scatter());
                let mut base = Moments::new(cols, 0);
                base.add(double.view(), None, w);
                let mut others = vec![Moments::new(cols, 0); 3];
                others[0].add(single.view(), None, w);
                others[1].add(MatRef::col_major(&columns, rows, cols), None, w);
                others[2].add(MatRef::col_major(&columns32, rows, cols), None, w);
                for o in &mut others {
                    assert_eq!(of(o), of(&mut base), "{rows} x {cols}");
                }
            }
        }
    }

    #[test]
    fn cells_that_are_not_finite_are_noticed_whatever_their_weight() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for row in [0, 299, 599] {
                for col in [0, 4] {
                    for weight in [false, true] {
                        let mut z = random(600, 5, 0.0, 1.0, 4);
                        z[(row, col)] = bad;
                        let mut w = vec![1.0; 600];
                        w[row] = 0.0;
                        let m = split(&z, 4, weight.then_some(&w[..]), 200);
                        assert!(!m.is_finite(), "{bad} in row {row}");
                    }
                }
            }
        }
        let mut m = Moments::new(1, 0);
        m.add(Mat::filled(2, 1, f64::NAN).view(), None, Some(&[0.0, 0.0]));
        assert!(!m.is_finite() && m.rows() == 0);
    }

    #[test]
    fn written_and_read_it_is_the_same() {
        let m = split(&random(50, 3, 0.0, 1.0, 5), 2, None, 20);
        let text = serde_json::to_string(&m).unwrap();
        let back: Moments = serde_json::from_str(&text).unwrap();
        assert_eq!((back.mean(), back.scatter()), (m.mean(), m.scatter()));
        assert!(serde_json::from_str::<Moments>(&text.replace("\"x_cols\":2", "\"x_cols\":3")).is_err());
    }
}
