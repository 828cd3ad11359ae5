//! Rows in f32, in groups whose cells are stored column by column: the input of the tiles.
//!
//! Rows are centered first, so that products of cells are not much larger than distances. A score in f32 approximates
//!
//! - (|x - y|² - |x|²) / 2 = |y|²/2 - x·y for squares, where x and y are about the center;
//! - Σ |x - y| or max |x - y| as it is.
//!
//! [`PackedRows::error`] bounds the difference of the two. Rounding a cell to f32 changes it by at most u = 2⁻²⁴ of
//! itself. A sum of p products that starts with |y|²/2 has an error of at most p u / (1 - p u) times the sum of the
//! absolute values (Higham: Accuracy and Stability of Numerical Algorithms, section 3.1), which is at most |y|²/2 + |x|
//! |y|; rounded cells add 2 u, the rounded |y|²/2 3 u. The bound has p + 24 in place of p + 5: the excess covers the
//! rounding of the bound itself and, since keys are sums in f64, theirs. Underflow adds the least normal f32 for each
//! cell.

use ermine_core::Mat;
use ermine_core::parallel::prelude::*;

use super::exact::Metric;
use super::tile::{GROUP, ScoreKind};
use crate::moments::Real;

/// Queries with larger cells (rows have cells up to 2) are compared in f64 only, so that no product overflows.
pub(super) const MOST: f64 = 1e15;

const UNIT: f64 = 1.0 / (1u64 << 24) as f64;

/// Rows prepared for the tiles.
#[derive(Debug)]
pub(super) struct PackedRows {
    pub(super) score: ScoreKind,
    pub(super) cols: usize,
    center: Vec<f64>,
    cells: Vec<f32>,
    bias: Vec<[f32; GROUP]>,
    /// The greatest norm of the rows of each group, rounded up.
    pub(super) norms: Vec<f32>,
    factor: f64,
}

/// Norms of a centered query.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QueryNorms {
    /// The norm for the error bound, rounded up.
    pub(super) norm: f64,
    /// The squared Euclidean norm in f64.
    pub(super) squares: f64,
    /// The same of the cells rounded to f32.
    pub(super) rounded_squares: f64,
}

/// How cells are transformed when packed: (cell · scale · row's factor) - center.
pub(super) struct PackTransform<'a, T> {
    pub(super) rows: &'a Mat<T>,
    pub(super) scale: f64,
    /// 1 / |row| for unit rows; 0 for rows of zeros, which stay zeros and are as far as orthogonal rows.
    pub(super) inverse_norms: Option<&'a [f64]>,
}

impl<T: Real> PackTransform<'_, T> {
    /// The mean of evenly spaced rows.
    pub(super) fn center(&self) -> Vec<f64> {
        const SAMPLE: usize = 1024;
        let (n, p) = (self.rows.rows(), self.rows.cols());
        let step = n.div_ceil(SAMPLE).max(1);
        let mut mean = vec![0.0; p];
        let count = n.div_ceil(step) as f64;
        for i in (0..n).step_by(step) {
            let factor = self.factor(i) / count;
            mean.iter_mut().zip(self.rows.row(i)).for_each(|(m, v)| *m += v.to_f64() * factor);
        }
        mean
    }

    #[inline]
    fn factor(&self, row: usize) -> f64 {
        self.inverse_norms.map_or(self.scale, |inverse| self.scale * inverse[row])
    }

    /// A transformed row.
    pub(super) fn write(&self, row: usize, center: &[f64], out: &mut [f32]) {
        let factor = self.factor(row);
        for ((o, v), c) in out.iter_mut().zip(self.rows.row(row)).zip(center) {
            *o = (v.to_f64() * factor - c) as f32;
        }
    }
}

impl PackedRows {
    /// Packs rows in the given order, or in their own.
    pub(super) fn new<T: Real>(score: ScoreKind, cells: &PackTransform<'_, T>, center: Vec<f64>, order: Option<&[u32]>) -> Self {
        let (n, p) = (cells.rows.rows(), cells.rows.cols());
        let groups = n.div_ceil(GROUP);
        let mut packed = vec![0f32; groups * p * GROUP];
        let mut bias = vec![[f32::INFINITY; GROUP]; groups];
        let mut norms = vec![0f32; groups];
        let one = |g: usize, out: &mut [f32], bias: &mut [f32; GROUP], most: &mut f32, row: &mut Vec<f32>| {
            row.resize(p, 0.0);
            let mut greatest = 0f64;
            for l in 0..GROUP.min(n - g * GROUP) {
                let at = g * GROUP + l;
                let at = order.map_or(at, |order| order[at] as usize);
                cells.write(at, &center, row);
                for (j, &v) in row.iter().enumerate() {
                    out[j * GROUP + l] = v;
                }
                let norm = norm(score, row);
                greatest = greatest.max(norm);
                let is_zero = cells.inverse_norms.is_some_and(|inverse| inverse[at] == 0.0);
                bias[l] = match score {
                    ScoreKind::Product => (norm * norm / 2.0 + if is_zero { 0.5 } else { 0.0 }) as f32,
                    ScoreKind::Sum | ScoreKind::Max => 0.0,
                };
                if is_zero {
                    // Its bias is not its norm; the error follows the greater of the two.
                    greatest = greatest.max((norm * norm + 1.0).sqrt());
                }
            }
            *most = (greatest * (1.0 + 8.0 * UNIT)) as f32;
        };
        packed
            .par_chunks_mut((p * GROUP).max(1))
            .zip(&mut bias)
            .zip(&mut norms)
            .enumerate()
            .with_min_len(16)
            .for_each_init(Vec::new, |row, (g, ((out, bias), most))| one(g, out, bias, most, row));
        let terms = if score == ScoreKind::Max { 24.0 } else { p as f64 + 24.0 };
        let factor = 1.05 * terms * UNIT / (1.0 - terms * UNIT).max(0.01);
        Self { score, cols: p, center, cells: packed, bias, norms, factor }
    }

    pub(super) fn groups(&self) -> usize {
        self.norms.len()
    }

    pub(super) fn group(&self, g: usize) -> (&[f32], &[f32; GROUP]) {
        let len = self.cols * GROUP;
        (&self.cells[g * len..(g + 1) * len], &self.bias[g])
    }

    /// A bound on the difference of a score in f32 and the exact number, for rows of norms up to `rows`: c₀ + c₁ x + c₂
    /// x² for a query of norm x.
    #[inline]
    pub(super) fn error(&self, rows: f32) -> [f64; 3] {
        let rows = f64::from(rows);
        let least = f64::from(f32::MIN_POSITIVE) * (self.cols as f64 + 1.0);
        // Squares in f64 have errors of some 2⁻⁵³ of |x - y|² per cell; far from all rows that matters.
        let double = (self.cols as f64 + 8.0) * 2.3e-16;
        let [constant, slope] = match self.score {
            ScoreKind::Product => [self.factor * 0.5 * rows * rows, self.factor * rows],
            ScoreKind::Sum | ScoreKind::Max => [self.factor * rows, self.factor],
        };
        [constant + least * (1.0 + rows) + double * rows * rows, slope + least + 2.0 * double * rows, double]
    }

    /// A centered query, in f32, with its norms; `None` when its cells are too large.
    pub(super) fn query(&self, x: &[f64], out: &mut [f32]) -> Option<QueryNorms> {
        let (mut squares, mut most) = (0.0, 0.0);
        for ((o, x), c) in out.iter_mut().zip(x).zip(&self.center) {
            let v = x - c;
            *o = v as f32;
            squares += v * v;
            most = f64::max(most, v.abs());
        }
        if most > MOST {
            return None;
        }
        let rounded_squares = out.iter().map(|&v| f64::from(v) * f64::from(v)).sum();
        Some(QueryNorms { norm: norm(self.score, out) * (1.0 + 8.0 * UNIT), squares, rounded_squares })
    }

    /// A score that no row whose key is at most `key` exceeds.
    pub(super) fn score_of(&self, metric: Metric, key: f64, sizes: &QueryNorms) -> f64 {
        let slack = (self.cols as f64 + 8.0) * 2.3e-16;
        let half = match metric {
            Metric::Euclidean => 0.5 * key,
            _ => key,
        };
        match self.score {
            ScoreKind::Product => half * (1.0 + slack) - 0.5 * sizes.squares * (1.0 - slack),
            ScoreKind::Sum | ScoreKind::Max => half * (1.0 + slack),
        }
    }

    /// Whether the error bound is valid for rows this wide.
    pub(super) fn is_sound(cols: usize) -> bool {
        (cols as f64 + 24.0) * UNIT < 0.5
    }
}

/// The norm for the error bound of a score.
fn norm(score: ScoreKind, row: &[f32]) -> f64 {
    // Eight sums, so that the compiler may use vectors.
    let mut sums = [0f64; 8];
    let term = |v: f32| match score {
        ScoreKind::Product => f64::from(v) * f64::from(v),
        ScoreKind::Sum | ScoreKind::Max => f64::from(v.abs()),
    };
    let (chunks, rest) = row.as_chunks::<8>();
    if score == ScoreKind::Max {
        return row.iter().fold(0.0, |most, &v| f64::max(most, term(v)));
    }
    for chunk in chunks {
        for l in 0..8 {
            sums[l] += term(chunk[l]);
        }
    }
    let total = sums.iter().sum::<f64>() + rest.iter().map(|&v| term(v)).sum::<f64>();
    if score == ScoreKind::Product { total.sqrt() } else { total }
}
