//! Computations on all columns at once, in storage order.

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{CsrRef, MatRef};

use super::kernels::{self, ColumnSumsMut};
use super::{Design, DesignForm};
use crate::moments::Real;

/// Columns of contiguous rows that one task takes: a page of each row, and the sums stay in first-level cache.
const STRIP: usize = 512;
/// Contiguous columns that one task takes, and rows of them that are turned at a time: a square in first-level cache.
const SQUARE: usize = 64;
/// Rows of a task at least, and runs of rows at most: each has sums of its own.
const ROWS: usize = 1024;
const RUNS: usize = 16;
/// Rows that a task over one column after the other takes at a time.
const BLOCK: usize = 4096;
/// f64 numbers of the rows that stay in second-level cache between the residuals and the products.
const HELD: usize = 1 << 15;
/// Stored values of sparse rows, for each column, that are worth sums of their own.
const PER_COLUMN: usize = 8;
/// Tasks over sparse rows at most: each has a sum for every column.
const TASKS: usize = 8;

/// Weighted means and sums of squares of all columns, and their products with a vector.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanScatter {
    /// Σ w x / Σ w.
    pub mean: Vec<f64>,
    /// Σ w (x - mean)².
    pub scatter: Vec<f64>,
    /// Σ w (x - mean) v.
    pub product: Vec<f64>,
}

impl Design<'_> {
    /// `Xᵀ v`.
    ///
    /// # Panics
    /// When `v` or `out` has another length than rows or columns.
    pub fn products(&self, v: &[f64], out: &mut [f64]) {
        assert_eq!((v.len(), out.len()), (self.rows, self.cols), "lengths of vector and result");
        match self.form() {
            DesignForm::Rows64(m) => dense_products(&Rows(m), v, out),
            DesignForm::Rows32(m) => dense_products(&Rows(m), v, out),
            DesignForm::Cols64(c) => dense_products(&Cols(c, self.rows), v, out),
            DesignForm::Cols32(c) => dense_products(&Cols(c, self.rows), v, out),
            DesignForm::Csr(m) => sparse_sums(m, out, |i, _, x| x * v[i]),
        }
    }

    /// `v += X b`, for the columns whose coefficient is not 0.
    ///
    /// # Panics
    /// When `v` or `b` has another length than rows or columns.
    pub fn add_combination(&self, b: &[f64], v: &mut [f64]) {
        assert_eq!((v.len(), b.len()), (self.rows, self.cols), "lengths of vector and coefficients");
        let set: Vec<usize> = (0..self.cols).filter(|&j| b[j] != 0.0).collect();
        match self.form() {
            DesignForm::Rows64(m) => combine_rows(m, &set, b, v),
            DesignForm::Rows32(m) => combine_rows(m, &set, b, v),
            DesignForm::Cols64(c) => combine_cols(c, &set, b, v),
            DesignForm::Cols32(c) => combine_cols(c, &set, b, v),
            DesignForm::Csr(m) => v.par_iter_mut().with_min_len(256).enumerate().for_each(|(i, v)| {
                let (cols, row) = m.row(i);
                *v += cols.iter().zip(row).map(|(&j, x)| b[j as usize] * x).sum::<f64>();
            }),
        }
    }

    /// The residuals `r = u - X b` and their products `Xᵀ (w r)`, weighted by `w` (ones when absent), in one pass over
    /// contiguous rows.
    ///
    /// # Panics
    /// When a vector has another length than rows or columns.
    pub fn residual_products(&self, u: &[f64], b: &[f64], w: Option<&[f64]>, r: &mut [f64], out: &mut [f64]) {
        assert!(u.len() == self.rows && r.len() == self.rows && w.is_none_or(|w| w.len() == self.rows), "lengths of vectors");
        assert!(b.len() == self.cols && out.len() == self.cols, "lengths of coefficients and products");
        r.copy_from_slice(u);
        let minus: Vec<f64> = b.iter().map(|b| -b).collect();
        match self.form() {
            DesignForm::Rows64(m) if row_runs(self.rows) > 1 => fused_products(m, &minus, w, r, out),
            DesignForm::Rows32(m) if row_runs(self.rows) > 1 => fused_products(m, &minus, w, r, out),
            _ => {
                self.add_combination(&minus, r);
                match w {
                    Some(w) => {
                        let weighted: Vec<f64> = r.iter().zip(w).map(|(r, w)| r * w).collect();
                        self.products(&weighted, out);
                    }
                    None => self.products(r, out),
                }
            }
        }
    }

    /// Means, sums of squares about them, and products with `v`, weighted by `w` (ones when absent); one pass over dense
    /// data. Without `center` the means are 0 instead. Means of values that are not finite are not finite.
    ///
    /// # Panics
    /// When a vector has another length than the rows.
    pub fn summary(&self, w: Option<&[f64]>, v: &[f64], center: bool) -> MeanScatter {
        assert!(v.len() == self.rows && w.is_none_or(|w| w.len() == self.rows), "lengths of vectors");
        match self.form() {
            DesignForm::Rows64(m) => dense_summary(&Rows(m), w, v, center),
            DesignForm::Rows32(m) => dense_summary(&Rows(m), w, v, center),
            DesignForm::Cols64(c) => dense_summary(&Cols(c, self.rows), w, v, center),
            DesignForm::Cols32(c) => dense_summary(&Cols(c, self.rows), w, v, center),
            DesignForm::Csr(m) => sparse_summary(m, w, v, center),
        }
    }
}

/// Dense cells, four rows at a time. Row-major and column-major data give the same numbers in the same order, so sums
/// do not depend on the layout, to the last bit.
trait QuadRows: Sync {
    type Cell: Real;
    const STRIP: usize;
    fn shape(&self) -> (usize, usize);
    fn cell(&self, row: usize, col: usize) -> f64;
    /// Calls with groups of four rows, their numbers, and how many of them are there: what does not fill the last group is
    /// the last row again.
    fn for_quads(&self, rows: &Range<usize>, cols: &Range<usize>, f: impl FnMut([&[Self::Cell]; 4], [usize; 4], usize));
}

struct Rows<'a, T>(MatRef<'a, T>);
/// Columns, and how many rows they have.
struct Cols<'a, T>(&'a [&'a [T]], usize);

/// The numbers of four rows from `first` on, and how many of them are below `end`.
fn four(first: usize, end: usize) -> ([usize; 4], usize) {
    ([first, first + 1, first + 2, first + 3].map(|i| i.min(end - 1)), (end - first).min(4))
}

impl<T: Real> QuadRows for Rows<'_, T> {
    type Cell = T;
    const STRIP: usize = STRIP;

    fn shape(&self) -> (usize, usize) {
        (self.0.rows(), self.0.cols())
    }

    fn cell(&self, row: usize, col: usize) -> f64 {
        self.0.at(row, col).to_f64()
    }

    #[inline(always)]
    fn for_quads(&self, rows: &Range<usize>, cols: &Range<usize>, mut f: impl FnMut([&[T]; 4], [usize; 4], usize)) {
        let row = |i: usize| self.0.row(i).map_or(&[][..], |r| &r[cols.clone()]);
        for first in rows.clone().step_by(4) {
            let (at, there) = four(first, rows.end);
            f(at.map(row), at, there);
        }
    }
}

impl<T: Real> QuadRows for Cols<'_, T> {
    type Cell = f64;
    const STRIP: usize = SQUARE;

    fn shape(&self) -> (usize, usize) {
        (self.1, self.0.len())
    }

    fn cell(&self, row: usize, col: usize) -> f64 {
        self.0[col][row].to_f64()
    }

    #[inline(always)]
    fn for_quads(&self, rows: &Range<usize>, cols: &Range<usize>, mut f: impl FnMut([&[f64]; 4], [usize; 4], usize)) {
        let width = cols.len();
        let mut square = vec![0.0; SQUARE * width];
        for top in rows.clone().step_by(SQUARE) {
            let end = (top + SQUARE).min(rows.end);
            for (k, column) in self.0[cols.clone()].iter().enumerate() {
                for (i, v) in column[top..end].iter().enumerate() {
                    square[i * width + k] = v.to_f64();
                }
            }
            for first in (top..end).step_by(4) {
                let (at, there) = four(first, end);
                f(at.map(|i| &square[(i - top) * width..(i - top + 1) * width]), at, there);
            }
        }
    }
}

/// Runs of rows with sums of their own.
fn row_runs(rows: usize) -> usize {
    (rows / ROWS).clamp(1, RUNS)
}

/// Rows of a run: a multiple of a square, but for the last.
fn run_height(rows: usize) -> usize {
    rows.div_ceil(row_runs(rows)).next_multiple_of(SQUARE)
}

/// Pieces of work: some rows, some columns.
fn work_pieces<F: QuadRows>(x: &F) -> Vec<(Range<usize>, Range<usize>)> {
    let (rows, cols) = x.shape();
    let height = run_height(rows).max(1);
    let mut out = Vec::new();
    for first in (0..rows).step_by(height) {
        for left in (0..cols).step_by(F::STRIP) {
            out.push((first..(first + height).min(rows), left..(left + F::STRIP).min(cols)));
        }
    }
    out
}

fn dense_products<F: QuadRows>(x: &F, v: &[f64], out: &mut [f64]) {
    let pieces = work_pieces(x);
    let sums: Vec<Vec<f64>> = pieces
        .par_iter()
        .map(|(rows, cols)| {
            let mut sum = vec![0.0; cols.len()];
            x.for_quads(rows, cols, |four, at, there| {
                let mut factor = at.map(|i| v[i]);
                factor[there..].fill(0.0);
                kernels::add_four_rows(four, factor, &mut sum);
            });
            sum
        })
        .collect();
    out.fill(0.0);
    for ((_, cols), sum) in pieces.iter().zip(&sums) {
        out[cols.clone()].iter_mut().zip(sum).for_each(|(o, s)| *o += s);
    }
}

/// `v += X b`, then `out = Xᵀ (w v)`, a few rows after the other; the same sums as one after the other.
fn fused_products<T: Real>(x: MatRef<'_, T>, b: &[f64], w: Option<&[f64]>, v: &mut [f64], out: &mut [f64]) {
    let (rows, cols) = (x.rows(), x.cols());
    let set: Vec<usize> = (0..cols).filter(|&j| b[j] != 0.0).collect();
    let height = run_height(rows);
    let step = (HELD / cols.max(1)).clamp(4, 256) & !3;
    let sums: Vec<Vec<f64>> = v
        .par_chunks_mut(height)
        .enumerate()
        .map(|(task, v)| {
            let mut sum = vec![0.0; cols];
            for (part, v) in v.chunks_mut(step).enumerate() {
                let first = task * height + part * step;
                combine(x, &set, b, first, v);
                Rows(x).for_quads(&(first..first + v.len()), &(0..cols), |four, at, there| {
                    let mut factor = at.map(|i| w.map_or(1.0, |w| w[i]) * v[i - first]);
                    factor[there..].fill(0.0);
                    kernels::add_four_rows(four, factor, &mut sum);
                });
            }
            sum
        })
        .collect();
    out.fill(0.0);
    for sum in &sums {
        out.iter_mut().zip(sum).for_each(|(o, s)| *o += s);
    }
}

/// Adds the combination of the columns of `set` to `v`, for the rows from `first` on. Four sums, each of every fourth column
/// of the set.
fn combine<T: Real>(x: MatRef<'_, T>, set: &[usize], b: &[f64], first: usize, v: &mut [f64]) {
    let (stride, data, cols) = (x.row_stride(), x.as_slice(), x.cols());
    for (i, v) in v.iter_mut().enumerate() {
        let row = &data[(first + i) * stride..(first + i) * stride + cols];
        let mut sums = [0.0; 4];
        for four in set.chunks(4) {
            for (l, &j) in four.iter().enumerate() {
                sums[l] += b[j] * row[j].to_f64();
            }
        }
        *v += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

fn combine_rows<T: Real>(x: MatRef<'_, T>, set: &[usize], b: &[f64], v: &mut [f64]) {
    v.par_chunks_mut(64).enumerate().for_each(|(part, v)| combine(x, set, b, 64 * part, v));
}

/// [`combine`] for columns: the same four sums, for all rows of a block at once.
fn combine_cols<T: Real>(cols: &[&[T]], set: &[usize], b: &[f64], v: &mut [f64]) {
    v.par_chunks_mut(BLOCK).enumerate().for_each(|(block, v)| {
        let range = block * BLOCK..block * BLOCK + v.len();
        let mut sums = vec![0.0; 4 * v.len()];
        for four in set.chunks(4) {
            for (&j, sum) in four.iter().zip(sums.chunks_exact_mut(v.len())) {
                sum.iter_mut().zip(&cols[j][range.clone()]).for_each(|(s, x)| *s += b[j] * x.to_f64());
            }
        }
        let n = v.len();
        for (i, v) in v.iter_mut().enumerate() {
            *v += (sums[i] + sums[n + i]) + (sums[2 * n + i] + sums[3 * n + i]);
        }
    });
}

/// Sums of a piece, or of all rows, about an origin.
struct ColumnSums {
    first: Vec<f64>,
    second: Vec<f64>,
    product: Vec<f64>,
}

impl ColumnSums {
    fn new(cols: usize) -> Self {
        Self { first: vec![0.0; cols], second: vec![0.0; cols], product: vec![0.0; cols] }
    }

    /// From sums about `origin` to sums about the mean (or about 0, where the origin is). `v` is the weighted sum of
    /// the partners.
    fn finish(self, origin: Vec<f64>, weight: f64, v: f64, center: bool) -> MeanScatter {
        let Self { mut first, mut second, mut product } = self;
        if !center {
            return MeanScatter { mean: vec![0.0; first.len()], scatter: second, product };
        }
        for j in 0..first.len() {
            let shift = first[j] / weight;
            second[j] -= shift * first[j];
            // Rounding may give slightly negative numbers; overflowed squares are NaN here, and must stay so.
            if second[j] < 0.0 {
                second[j] = 0.0;
            }
            product[j] -= shift * v;
            first[j] = origin[j] + shift;
            if !first[j].is_finite() {
                second[j] = f64::NAN;
            }
        }
        MeanScatter { mean: first, scatter: second, product }
    }
}

/// A row with weight, as f64: an origin within the spread of every column, and exactly a constant one.
fn origin(cols: usize, w: Option<&[f64]>, center: bool, cell: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let row = w.map_or(0, |w| w.iter().position(|w| *w > 0.0).unwrap_or(0));
    (0..cols).map(|j| if center { cell(row, j) } else { 0.0 }).collect()
}

fn totals_of(w: Option<&[f64]>, v: &[f64]) -> (f64, f64) {
    match w {
        Some(w) => (w.iter().sum(), w.iter().zip(v).map(|(w, v)| w * v).sum()),
        None => (v.len() as f64, v.iter().sum()),
    }
}

fn dense_summary<F: QuadRows>(x: &F, w: Option<&[f64]>, v: &[f64], center: bool) -> MeanScatter {
    let (_, cols) = x.shape();
    let origin = origin(cols, w, center, |i, j| x.cell(i, j));
    let pieces = work_pieces(x);
    let sums: Vec<ColumnSums> = pieces
        .par_iter()
        .map(|(rows, cols)| {
            let mut t = ColumnSums::new(cols.len());
            x.for_quads(rows, cols, |four, at, there| {
                let mut weight = at.map(|i| w.map_or(1.0, |w| w[i]));
                weight[there..].fill(0.0);
                let by = std::array::from_fn(|k| weight[k] * v[at[k]]);
                let mut sums = ColumnSumsMut { first: &mut t.first, second: &mut t.second, product: &mut t.product };
                kernels::add_summary(four, &origin[cols.clone()], weight, by, &mut sums);
            });
            t
        })
        .collect();
    let mut all = ColumnSums::new(cols);
    for ((_, cols), sum) in pieces.iter().zip(&sums) {
        for (to, from) in [(&mut all.first, &sum.first), (&mut all.second, &sum.second), (&mut all.product, &sum.product)] {
            to[cols.clone()].iter_mut().zip(from).for_each(|(t, f)| *t += f);
        }
    }
    let (weight, partner) = totals_of(w, v);
    all.finish(origin, weight, partner, center)
}

/// `out[j]` = the sum of `f(row, j, value)` over the stored values of column j.
fn sparse_sums(m: CsrRef<'_>, out: &mut [f64], f: impl Fn(usize, usize, f64) -> f64 + Sync) {
    let tasks = (m.stored() / (PER_COLUMN * m.cols().max(1))).clamp(1, TASKS);
    let add = |t: usize, out: &mut [f64]| {
        for i in t * m.rows() / tasks..(t + 1) * m.rows() / tasks {
            let (cols, row) = m.row(i);
            for (&j, &x) in cols.iter().zip(row) {
                out[j as usize] += f(i, j as usize, x);
            }
        }
    };
    if tasks == 1 {
        out.fill(0.0);
        return add(0, out);
    }
    let sums: Vec<Vec<f64>> = (0..tasks)
        .into_par_iter()
        .map(|t| {
            let mut sum = vec![0.0; m.cols()];
            add(t, &mut sum);
            sum
        })
        .collect();
    out.par_chunks_mut(BLOCK).enumerate().for_each(|(block, out)| {
        for (j, o) in out.iter_mut().enumerate() {
            *o = sums.iter().map(|s| s[block * BLOCK + j]).sum();
        }
    });
}

fn sparse_summary(m: CsrRef<'_>, w: Option<&[f64]>, v: &[f64], center: bool) -> MeanScatter {
    let cols = m.cols();
    let (weight, partner) = totals_of(w, v);
    let of = |i: usize| w.map_or(1.0, |w| w[i]);
    let (mut mean, mut scatter, mut product) = (vec![0.0; cols], vec![0.0; cols], vec![0.0; cols]);
    sparse_sums(m, &mut product, |i, _, x| of(i) * v[i] * x);
    if !center {
        sparse_sums(m, &mut scatter, |i, _, x| of(i) * x * x);
        return MeanScatter { mean, scatter, product };
    }
    sparse_sums(m, &mut mean, |i, _, x| of(i) * x);
    mean.iter_mut().for_each(|m| *m /= weight);
    // About the mean: the stored values, and as much weight of zeros as is left.
    let mut stored = vec![0.0; cols];
    sparse_sums(m, &mut stored, |i, _, _| of(i));
    sparse_sums(m, &mut scatter, |i, j, x| of(i) * (x - mean[j]) * (x - mean[j]));
    for j in 0..cols {
        scatter[j] += (weight - stored[j]).max(0.0) * mean[j] * mean[j];
        product[j] -= mean[j] * partner;
    }
    MeanScatter { mean, scatter, product }
}
