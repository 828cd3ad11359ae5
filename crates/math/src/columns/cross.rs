//! Products of columns with each other: the Gram matrix of a working set, and its products with all columns.

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{Mat, MatRef};

use super::{Design, DesignForm};
use crate::moments::Real;
use crate::tall_skinny;

/// Rows of a task at least, and tasks over rows at most: each has sums of its own.
const ROWS: usize = 1024;
const TASKS: usize = 16;
/// Columns of a task.
const STRIP: usize = 2048;
/// Vectors that are multiplied with the rows at a time: they stay in first-level cache.
const VECTORS: usize = 24;

impl Design<'_> {
    /// Weighted, centered products `Σ w (x_j - mean_j)(x_k - mean_k)` of the columns k of `set` with all columns j: a row for
    /// each k.
    ///
    /// Rows of f64 are read in place, so the columns j are centered after the product; where means are far
    /// larger than spreads, digits are lost that [`Design::cross_within`] keeps.
    ///
    /// # Panics
    /// When rows are sparse, there is no such column, or a vector has a wrong length.
    pub fn cross_with_all(&self, set: &[usize], mean: &[f64], weight: Option<&[f64]>) -> Mat<f64> {
        self.cross(&CrossJob { left: None, new: set, mean, weight, triangle: None })
    }

    /// Weighted, centered products of the columns of `new` with those of `old` and of `new` itself: a row for each of
    /// `new`, a column for each of `old` and then of `new`. Among the new ones only products with earlier ones and
    /// themselves are computed; the others are 0.
    ///
    /// # Panics
    /// As [`Design::cross_with_all`].
    pub fn cross_within(&self, old: &[usize], new: &[usize], mean: &[f64], weight: Option<&[f64]>) -> Mat<f64> {
        let left: Vec<usize> = old.iter().chain(new).copied().collect();
        let mut out = self.cross(&CrossJob { left: Some(&left), new, mean, weight, triangle: Some(old.len()) });
        for k in 0..new.len() {
            out.row_mut(k)[old.len() + k + 1..].fill(0.0);
        }
        out
    }

    fn cross(&self, work: &CrossJob<'_>) -> Mat<f64> {
        assert!(!self.is_sparse(), "products of sparse columns are not taken by rows");
        assert!(work.mean.len() == self.cols && work.weight.is_none_or(|w| w.len() == self.rows), "lengths of vectors");
        assert!(work.new.iter().chain(work.left.unwrap_or(&[])).all(|&j| j < self.cols), "a column beyond the last");
        match self.form() {
            DesignForm::Rows64(m) => work.run(self.rows, self.cols, &DirectMatrix(m)),
            DesignForm::Rows32(m) => work.run(self.rows, self.cols, &Rows(m)),
            DesignForm::Cols64(c) => work.run(self.rows, self.cols, &Cols(c)),
            DesignForm::Cols32(c) => work.run(self.rows, self.cols, &Cols(c)),
            DesignForm::Csr(_) => Mat::zeros(0, 0),
        }
    }
}

struct CrossJob<'a> {
    /// The columns j; all when absent.
    left: Option<&'a [usize]>,
    /// The columns k.
    new: &'a [usize],
    mean: &'a [f64],
    weight: Option<&'a [f64]>,
    /// Where the new ones start among the columns j, when they are among them.
    triangle: Option<usize>,
}

/// Cells of some rows and columns.
trait BlockSource: Sync {
    /// Writes `x - mean` of the given rows and columns, row after row.
    fn block(&self, rows: Range<usize>, cols: &[usize], mean: &[f64], out: &mut [f64]);
    /// Writes one column of the given rows.
    fn column(&self, rows: Range<usize>, col: usize, out: &mut [f64]);
    /// The rows without a copy, if they can be multiplied in place.
    fn direct(&self) -> Option<MatRef<'_, f64>> {
        None
    }
}

struct Rows<'a, T>(MatRef<'a, T>);
struct DirectMatrix<'a>(MatRef<'a, f64>);
struct Cols<'a, T>(&'a [&'a [T]]);

impl<T: Real> BlockSource for Rows<'_, T> {
    fn block(&self, rows: Range<usize>, cols: &[usize], mean: &[f64], out: &mut [f64]) {
        let (data, stride, width) = (self.0.as_slice(), self.0.row_stride(), self.0.cols());
        for (i, out) in rows.zip(out.chunks_exact_mut(cols.len())) {
            let row = &data[i * stride..i * stride + width];
            for (o, &j) in out.iter_mut().zip(cols) {
                *o = row[j].to_f64() - mean[j];
            }
        }
    }

    fn column(&self, rows: Range<usize>, col: usize, out: &mut [f64]) {
        let (data, stride) = (self.0.as_slice(), self.0.row_stride());
        rows.zip(out).for_each(|(i, o)| *o = data[i * stride + col].to_f64());
    }
}

impl BlockSource for DirectMatrix<'_> {
    fn block(&self, rows: Range<usize>, cols: &[usize], mean: &[f64], out: &mut [f64]) {
        Rows(self.0).block(rows, cols, mean, out);
    }

    fn column(&self, rows: Range<usize>, col: usize, out: &mut [f64]) {
        Rows(self.0).column(rows, col, out);
    }

    fn direct(&self) -> Option<MatRef<'_, f64>> {
        Some(self.0)
    }
}

impl<T: Real> BlockSource for Cols<'_, T> {
    fn block(&self, rows: Range<usize>, cols: &[usize], mean: &[f64], out: &mut [f64]) {
        for (k, &j) in cols.iter().enumerate() {
            for (i, v) in self.0[j][rows.clone()].iter().enumerate() {
                out[i * cols.len() + k] = v.to_f64() - mean[j];
            }
        }
    }

    fn column(&self, rows: Range<usize>, col: usize, out: &mut [f64]) {
        self.0[col][rows].iter().zip(out).for_each(|(v, o)| *o = v.to_f64());
    }
}

impl CrossJob<'_> {
    fn run(&self, rows: usize, cols: usize, cells: &impl BlockSource) -> Mat<f64> {
        let (width, k) = (self.left.map_or(cols, <[usize]>::len), self.new.len());
        let mut out = Mat::zeros(k, width);
        if k == 0 || rows == 0 {
            return out;
        }
        let blocks = rows.div_ceil(ROWS).min(TASKS);
        let strips = if self.left.is_some() { 1 } else { width.div_ceil(STRIP) };
        let cut = |total: usize, parts: usize, at: usize| at * total / parts..(at + 1) * total / parts;
        let pieces: Vec<(Range<usize>, Range<usize>)> = (0..blocks)
            .flat_map(|b| (0..strips).map(move |s| (b, s)))
            .map(|(b, s)| (cut(rows, blocks, b), cut(width, strips, s)))
            .collect();
        let sums: Vec<Vec<f64>> = pieces.par_iter().map(|(rows, cols)| self.piece(rows.clone(), cols.clone(), cells)).collect();
        for ((_, cols), sum) in pieces.iter().zip(&sums) {
            for (k, sum) in sum.chunks_exact(cols.len()).enumerate() {
                out.row_mut(k)[cols.clone()].iter_mut().zip(sum).for_each(|(o, s)| *o += s);
            }
        }
        out
    }

    /// The products over some rows, of some of the columns j.
    fn piece(&self, rows: Range<usize>, cols: Range<usize>, cells: &impl BlockSource) -> Vec<f64> {
        let (width, k) = (cols.len(), self.new.len());
        let all: Vec<usize>;
        let left = match self.left {
            Some(left) => &left[cols.clone()],
            None => {
                all = cols.clone().collect();
                &all
            }
        };
        let direct = if self.left.is_none() { cells.direct() } else { None };
        let step = tall_skinny::rows_at_once(width);
        let mut sums = vec![0.0; k * width];
        let mut totals = vec![0.0; k];
        let (mut block, mut vectors) = (Vec::new(), Vec::new());
        let zeros = if self.left.is_none() && direct.is_none() { vec![0.0; self.mean.len()] } else { Vec::new() };
        for first in rows.clone().step_by(step) {
            let range = first..(first + step).min(rows.end);
            let height = range.len();
            vectors.resize(k * height, 0.0);
            for (c, (&j, vector)) in self.new.iter().zip(vectors.chunks_exact_mut(height)).enumerate() {
                cells.column(range.clone(), j, vector);
                vector.iter_mut().for_each(|v| *v -= self.mean[j]);
                if let Some(w) = self.weight {
                    vector.iter_mut().zip(&w[range.clone()]).for_each(|(v, w)| *v *= w);
                }
                totals[c] += vector.iter().sum::<f64>();
            }
            let (x, ahead) = match direct {
                Some(m) => {
                    let next = (range.end * m.row_stride()).min(m.as_slice().len());
                    let end = (next + height * m.row_stride()).min(m.as_slice().len());
                    (m.row_range(range).col_range(cols.clone()), &m.as_slice()[next..end])
                }
                None => {
                    block.resize(height * width, 0.0);
                    // Products with all columns are centered afterwards, in every layout alike.
                    cells.block(range, left, if self.left.is_some() { self.mean } else { &zeros }, &mut block);
                    (MatRef::row_major(&block, height, width), &[][..])
                }
            };
            for from in (0..k).step_by(VECTORS) {
                let to = (from + VECTORS).min(k);
                let x = match self.triangle {
                    Some(old) => x.col_range(0..old + to),
                    None => x,
                };
                tall_skinny::add_products(
                    x,
                    &vectors[from * height..to * height],
                    to - from,
                    &mut sums[from * width..],
                    width,
                    ahead,
                );
            }
        }
        if self.left.is_none() {
            for (sum, total) in sums.chunks_exact_mut(width).zip(&totals) {
                sum.iter_mut().zip(&self.mean[cols.clone()]).for_each(|(s, m)| *s -= m * total);
            }
        }
        sums
    }
}
