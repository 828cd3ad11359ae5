//! Mean and variance of every column, mergeable, with missing cells left out.

use ermine_core::{CsrRef, Error, MatRef, Partial, Result};
use serde::{Deserialize, Serialize};

/// Weight, mean and centered sum of squares of the cells of each column.
///
/// A block is read twice while it is in the cache: its means first, then the squared deviations, corrected for the
/// rounding of the means. Blocks are merged by the formula of Chan, Golub and LeVeque (1983). No digits are lost when
/// the mean is many orders larger than the standard deviation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnMoments {
    /// Weight of the cells that are present.
    pub weight: Vec<f64>,
    /// Weight of the cells that are missing.
    pub missing: Vec<f64>,
    /// Mean; 0 without cells.
    pub mean: Vec<f64>,
    /// The rounding errors of the means, needed for the differences between the means of blocks.
    pub rest: Vec<f64>,
    /// Weighted sum of squares about the mean.
    pub squares: Vec<f64>,
}

impl ColumnMoments {
    /// The moments of no rows.
    pub fn new(columns: usize) -> Self {
        let zeros = vec![0.0; columns];
        Self { weight: zeros.clone(), missing: zeros.clone(), mean: zeros.clone(), rest: zeros.clone(), squares: zeros }
    }

    /// Adds dense rows; NaN is a missing cell.
    pub fn add(&mut self, x: MatRef<'_, f64>, weight: Option<&[f64]>) {
        let (rows, cols) = (x.rows(), x.cols());
        let mut block = Self::new(cols);
        let mut row = vec![0.0; if x.row(0).is_some() || rows == 0 { 0 } else { cols }];
        let mut each = |f: &mut dyn FnMut(&[f64], f64)| {
            for i in 0..rows {
                let w = weight.map_or(1.0, |w| w[i]);
                if w == 0.0 {
                    continue;
                }
                match x.row(i) {
                    Some(values) => f(values, w),
                    None => {
                        x.copy_row(i, &mut row);
                        f(&row, w);
                    }
                }
            }
        };
        each(&mut |values, w| {
            for j in 0..cols {
                // Selects rather than branches, so that the loop is vectorized.
                let present = !values[j].is_nan();
                block.mean[j] += if present { w * values[j] } else { 0.0 };
                block.weight[j] += if present { w } else { 0.0 };
                block.missing[j] += if present { 0.0 } else { w };
            }
        });
        for j in 0..cols {
            block.mean[j] = if block.weight[j] > 0.0 { block.mean[j] / block.weight[j] } else { 0.0 };
        }
        let mut first = vec![0.0; cols];
        let Self { mean, squares, .. } = &mut block;
        each(&mut |values, w| {
            for j in 0..cols {
                let d = if values[j].is_nan() { 0.0 } else { values[j] - mean[j] };
                first[j] += w * d;
                squares[j] += w * d * d;
            }
        });
        block.correct_mean(&first);
        self.merge_columns(&block);
    }

    /// Adds sparse rows; cells that are not stored are 0.
    pub fn add_sparse(&mut self, x: CsrRef<'_>, weight: Option<&[f64]>) {
        let cols = x.cols();
        let mut block = Self::new(cols);
        let mut stored = vec![0.0; cols];
        let mut total = 0.0;
        let mut row = SparseRowReader::new(cols);
        let mut each = |f: &mut dyn FnMut(usize, f64, f64), rows: &mut dyn FnMut(f64)| {
            for i in 0..x.rows() {
                let w = weight.map_or(1.0, |w| w[i]);
                if w > 0.0 {
                    rows(w);
                    row.each(x, i, &mut |j, v| f(j, v, w));
                }
            }
        };
        each(
            &mut |j, v, w| {
                stored[j] += w;
                if v.is_nan() {
                    block.missing[j] += w;
                } else {
                    block.mean[j] += w * v;
                }
            },
            &mut |w| total += w,
        );
        let mut first = vec![0.0; cols];
        for j in 0..cols {
            block.weight[j] = total - block.missing[j];
            block.mean[j] = if block.weight[j] > 0.0 { block.mean[j] / block.weight[j] } else { 0.0 };
            let zeros = total - stored[j];
            first[j] = -zeros * block.mean[j];
            block.squares[j] = zeros * block.mean[j] * block.mean[j];
        }
        let Self { mean, squares, .. } = &mut block;
        each(
            &mut |j, v, w| {
                let d = if v.is_nan() { 0.0 } else { v - mean[j] };
                first[j] += w * d;
                squares[j] += w * d * d;
            },
            &mut |_| {},
        );
        block.correct_mean(&first);
        self.merge_columns(&block);
    }

    fn correct_mean(&mut self, first: &[f64]) {
        for j in 0..first.len() {
            if self.weight[j] > 0.0 {
                let shift = first[j] / self.weight[j];
                (self.mean[j], self.rest[j]) = two_sum(self.mean[j], shift);
                self.squares[j] = (self.squares[j] - shift * first[j]).max(0.0);
            }
        }
    }

    fn merge_columns(&mut self, other: &Self) {
        for j in 0..self.mean.len() {
            self.missing[j] += other.missing[j];
            let (a, b) = (self.weight[j], other.weight[j]);
            if b == 0.0 {
                continue;
            }
            if a == 0.0 {
                (self.weight[j], self.squares[j]) = (b, other.squares[j]);
                (self.mean[j], self.rest[j]) = (other.mean[j], other.rest[j]);
                continue;
            }
            let delta = (other.mean[j] - self.mean[j]) + (other.rest[j] - self.rest[j]);
            let share = b / (a + b);
            self.weight[j] = a + b;
            (self.mean[j], self.rest[j]) = two_sum(self.mean[j], self.rest[j] + delta * share);
            self.squares[j] += other.squares[j] + delta * delta * a * share;
        }
    }

    /// Variance with divisor n; none in a column without cells.
    pub fn variance(&self, column: usize) -> Option<f64> {
        (self.weight[column] > 0.0).then(|| self.squares[column] / self.weight[column])
    }

    /// The first column with an overflowed sum or an infinite cell.
    pub fn first_non_finite_column(&self) -> Option<usize> {
        (0..self.mean.len()).find(|&j| !(self.mean[j].is_finite() && self.squares[j].is_finite()))
    }
}

/// The rounded sum and its rounding error; 0 when the sum overflows.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let t = sum - a;
    let rest = (a - (sum - t)) + (b - t);
    (sum, if rest.is_finite() { rest } else { 0.0 })
}

impl Partial for ColumnMoments {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.mean.len() != other.mean.len() {
            let (expected, found) = (self.mean.len(), other.mean.len());
            return Err(Error::Length { what: "columns of a partial".into(), expected, found });
        }
        self.merge_columns(&other);
        Ok(())
    }
}

/// Iterates over the stored cells of sparse rows, with duplicate indices added up.
pub struct SparseRowReader {
    dense: Vec<f64>,
    touched: Vec<u32>,
}

impl SparseRowReader {
    /// A reader of rows with this many columns.
    pub fn new(cols: usize) -> Self {
        Self { dense: vec![0.0; cols], touched: Vec::new() }
    }

    /// Calls `f` with column and value of each stored cell, in the order of the columns.
    pub fn each(&mut self, x: CsrRef<'_>, row: usize, f: &mut dyn FnMut(usize, f64)) {
        let (indices, values) = x.row(row);
        if indices.windows(2).all(|w| w[0] < w[1]) {
            indices.iter().zip(values).for_each(|(&j, &v)| f(j as usize, v));
            return;
        }
        self.touched.clear();
        self.touched.extend_from_slice(indices);
        self.touched.sort_unstable();
        self.touched.dedup();
        for (&j, &v) in indices.iter().zip(values) {
            self.dense[j as usize] += v;
        }
        for &j in &self.touched {
            f(j as usize, std::mem::take(&mut self.dense[j as usize]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_mean_loses_no_digits_of_the_spread() {
        // 1e9 + {-3, -1, 1, 3} / 1024: every cell is an f64 exactly, the variance is 5 / 1024^2.
        let cells: Vec<f64> = (0..40_000).map(|i| 1e9 + [-3.0, -1.0, 1.0, 3.0][i % 4] / 1024.0).collect();
        let mut m = ColumnMoments::new(1);
        for block in cells.chunks(4096) {
            let mut part = ColumnMoments::new(1);
            part.add(MatRef::row_major(block, block.len(), 1), None);
            m.merge(part).unwrap();
        }
        let variance = 5.0 / 1024.0f64.powi(2);
        assert!((m.variance(0).unwrap() / variance - 1.0).abs() < 1e-12);
        assert_eq!(m.mean[0], 1e9);
    }

    #[test]
    fn sparse_rows_are_dense_rows() {
        let x = ermine_core::Csr::new(vec![0, 2, 2, 5], vec![2, 0, 1, 0, 1], vec![1.0, 2.0, 3.0, 5.0, 4.0], 3).unwrap();
        let weight = [2.0, 1.0, 0.5];
        let (mut a, mut b) = (ColumnMoments::new(3), ColumnMoments::new(3));
        a.add_sparse(x.view(), Some(&weight));
        b.add(x.view().to_dense().view(), Some(&weight));
        for j in 0..3 {
            assert!((a.mean[j] - b.mean[j]).abs() < 1e-14 && (a.squares[j] - b.squares[j]).abs() < 1e-13);
            assert_eq!(a.weight[j], b.weight[j]);
        }
    }

    #[test]
    fn missing_cells_and_rows_without_weight_are_left_out() {
        let x = [1.0, f64::NAN, 3.0, 4.0, 100.0, 100.0];
        let mut m = ColumnMoments::new(2);
        m.add(MatRef::row_major(&x, 3, 2), Some(&[1.0, 2.0, 0.0]));
        assert_eq!((m.weight[0], m.missing[0], m.weight[1], m.missing[1]), (3.0, 0.0, 2.0, 1.0));
        assert!((m.mean[0] - 7.0 / 3.0).abs() < 1e-15 && m.mean[1] == 4.0);
        assert_eq!(m.squares[1], 0.0);
    }
}
