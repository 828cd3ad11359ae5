//! Rows of the Gram matrix of points, panel by panel.
//!
//! Rows of the matrix are computed many at a time, as a product of a few rows with all of them, panel by panel in parallel; a
//! panel is mapped while it is still in cache. A row has the same bits whatever the number of threads.

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{Error, MatRef, Result};

use super::Kernel;
use super::number::{GramNumber, products};
use super::points::{KernelForm, PointStore, Points};

/// Columns of a panel.
const PANEL: usize = 256;
/// Sparse rows multiplied together.
pub(super) const LANES: usize = 8;

/// Some points prepared for products with all.
pub(super) struct LeftPanel<T> {
    which: Vec<u32>,
    norms: Vec<T>,
    /// Dense rows, one after the other.
    dense: Vec<T>,
    /// Rows for a kernel that needs more than inner products.
    plain: Vec<f64>,
    /// Sparse rows made dense, eight interleaved: `[group][column * 8 + row]`.
    wide: Vec<Vec<T>>,
}

/// Buffers for one panel after the other.
#[derive(Default)]
pub(super) struct PanelScratch<T> {
    /// The values of the panel, one row after the other.
    pub block: Vec<T>,
    rows: Vec<T>,
    plain: Vec<f64>,
}

impl<T: GramNumber> Points<'_, T> {
    /// Rows of the Gram matrix: `out[k][j]` = k(x of `which[k]`, x of j). In parallel over panels of columns.
    ///
    /// # Panics
    /// When a row of `out` is not as long as there are points.
    pub fn gram_rows(&self, which: &[u32], out: &mut [&mut [T]]) -> Result<()> {
        assert_eq!(which.len(), out.len(), "a row for each place");
        assert!(out.iter().all(|r| r.len() == self.len()), "rows as long as there are points");
        if which.is_empty() || self.is_empty() {
            return Ok(());
        }
        let left = self.left_panel(which);
        let mut panels: Vec<Vec<&mut [T]>> = (0..self.len().div_ceil(PANEL)).map(|_| Vec::with_capacity(which.len())).collect();
        for row in out.iter_mut() {
            for (panel, part) in panels.iter_mut().zip(row.chunks_mut(PANEL)) {
                panel.push(part);
            }
        }
        panels.into_par_iter().enumerate().try_for_each_init(PanelScratch::default, |scratch, (p, mut panel)| {
            let first = p * PANEL;
            let width = panel[0].len();
            self.panel(&left, first..first + width, scratch)?;
            panel.iter_mut().zip(scratch.block.chunks_exact(width)).for_each(|(part, values)| part.copy_from_slice(values));
            Ok(())
        })
    }

    /// Copies a row of a precomputed matrix; returns false for other points.
    pub fn precomputed_row(&self, i: usize, out: &mut [T]) -> bool {
        let PointStore::Precomputed { matrix, places } = &self.rows else { return false };
        let row = matrix.row(places[i] as usize);
        out.iter_mut().zip(places).for_each(|(o, &j)| *o = row[j as usize]);
        true
    }

    /// Prepares some points for products with all.
    pub(super) fn left_panel(&self, which: &[u32]) -> LeftPanel<T> {
        let mut left =
            LeftPanel { which: which.to_vec(), norms: Vec::new(), dense: Vec::new(), plain: Vec::new(), wide: Vec::new() };
        if !self.norms.is_empty() {
            left.norms.extend(which.iter().map(|&i| self.norms[i as usize]));
        }
        match (&self.form, &self.rows) {
            (KernelForm::Other(Kernel::Precomputed), _) | (_, PointStore::Precomputed { .. }) => {}
            (KernelForm::Other(_), _) => self.copy_plain(which.iter().map(|&i| i as usize), &mut left.plain),
            (_, PointStore::Dense { data, cols }) => {
                which.iter().for_each(|&i| left.dense.extend_from_slice(&data[i as usize * cols..][..*cols]));
            }
            (_, PointStore::Borrowed { .. }) => self.copy_rows(which.iter().map(|&i| i as usize), &mut left.dense),
            (_, PointStore::Sparse { cols, .. }) => left.wide = self.interleaved(which, *cols),
            (_, PointStore::BorrowedSparse { rows, .. }) => left.wide = self.interleaved(which, rows.cols()),
        }
        left
    }

    fn copy_rows(&self, places: impl ExactSizeIterator<Item = usize>, out: &mut Vec<T>) {
        let PointStore::Borrowed { rows, which, mean } = &self.rows else { return };
        out.resize(places.len() * mean.len(), T::default());
        out.chunks_exact_mut(mean.len().max(1)).zip(places).for_each(|(o, i)| rows.copy(which[i] as usize, mean, o));
    }

    fn copy_plain(&self, places: impl ExactSizeIterator<Item = usize>, out: &mut Vec<f64>) {
        let PointStore::Borrowed { rows, which, mean } = &self.rows else { return };
        out.resize(places.len() * mean.len(), 0.0);
        out.chunks_exact_mut(mean.len().max(1)).zip(places).for_each(|(o, i)| rows.copy(which[i] as usize, mean, o));
    }

    /// Some columns of the rows of the points in `left`, one row after the other in the block of the scratch.
    pub(super) fn panel(&self, left: &LeftPanel<T>, columns: Range<usize>, scratch: &mut PanelScratch<T>) -> Result<()> {
        let (first, width, height) = (columns.start, columns.len(), left.which.len());
        let PanelScratch { block, rows: panel, plain } = scratch;
        // Every value is written below, so the last panel's need not be cleared.
        block.resize(height * width, T::default());
        match (&self.form, &self.rows) {
            (_, PointStore::Precomputed { matrix, places }) => {
                for (values, &i) in block.chunks_exact_mut(width).zip(&left.which) {
                    let row = matrix.row(places[i as usize] as usize);
                    values.iter_mut().zip(&places[columns.clone()]).for_each(|(v, &j)| *v = row[j as usize]);
                }
            }
            (KernelForm::Other(Kernel::Precomputed), PointStore::Borrowed { rows, which, .. }) => {
                for (values, &i) in block.chunks_exact_mut(width).zip(&left.which) {
                    let i = which[i as usize] as usize;
                    values.iter_mut().zip(&which[columns.clone()]).for_each(|(v, &j)| *v = T::from_f64(rows.cell(i, j as usize)));
                }
            }
            (KernelForm::Other(kernel), PointStore::Borrowed { rows, .. }) => {
                self.copy_plain(columns.clone(), plain);
                let (own, others) =
                    (MatRef::row_major(&left.plain, height, rows.cols()), MatRef::row_major(plain, width, rows.cols()));
                let values = kernel.gram_serial(own, others)?;
                block.iter_mut().zip(values).for_each(|(b, v)| *b = T::from_f64(v));
            }
            (KernelForm::Other(_), _) => return Err(Error::Data("points of two forms".into())),
            (_, PointStore::Dense { data, cols }) => {
                let others = &data[first * cols..(first + width) * cols];
                products(MatRef::row_major(&left.dense, height, *cols), MatRef::row_major(others, width, *cols), block);
            }
            (_, PointStore::Borrowed { rows, .. }) => {
                self.copy_rows(columns.clone(), panel);
                let cols = rows.cols();
                products(MatRef::row_major(&left.dense, height, cols), MatRef::row_major(panel, width, cols), block);
            }
            (_, PointStore::Sparse { cols, .. }) => self.sparse_block(&left.wide, *cols, columns.clone(), height, block),
            (_, PointStore::BorrowedSparse { rows, .. }) => {
                self.sparse_block(&left.wide, rows.cols(), columns.clone(), height, block)
            }
        }
        for (k, values) in block.chunks_exact_mut(width).enumerate() {
            if !self.norms.is_empty() {
                self.form.map(values, left.norms[k], &self.norms[columns.clone()]);
            } else {
                self.form.map(values, T::default(), &[]);
            }
            // In f32, the distance of a point to itself may be rounded to more than 0.
            if let (KernelForm::Gaussian { .. }, own) = (&self.form, left.which[k] as usize)
                && columns.contains(&own)
            {
                values[own - first] = T::from_f64(1.0);
            }
        }
        Ok(())
    }

    fn sparse_block(&self, wide: &[Vec<T>], cols: usize, columns: Range<usize>, height: usize, block: &mut [T]) {
        let width = columns.len();
        for (group, wide) in wide.iter().enumerate() {
            let rows = LANES.min(height - group * LANES);
            for (j, column) in columns.clone().enumerate() {
                let (indices, values) = self.sparse_row(column);
                let sums = T::sparse_products(wide, cols, indices, values);
                for l in 0..rows {
                    block[(group * LANES + l) * width + j] = sums[l];
                }
            }
        }
    }

    fn interleaved(&self, which: &[u32], cols: usize) -> Vec<Vec<T>> {
        which
            .chunks(LANES)
            .map(|group| {
                let mut wide = vec![T::default(); cols * LANES];
                for (l, &i) in group.iter().enumerate() {
                    let (indices, values) = self.sparse_row(i as usize);
                    indices.iter().zip(values).for_each(|(&j, &v)| wide[j as usize * LANES + l] = v);
                }
                wide
            })
            .collect()
    }
}

impl Points<'_, f64> {
    /// Adds Σᵢ cᵢ k(xᵢ, ·) of a precomputed matrix; returns false for other points.
    pub fn add_precomputed(&self, c: &[f64], sums: &mut [f64]) -> bool {
        let PointStore::Precomputed { matrix, places } = &self.rows else { return false };
        for (&c, &i) in c.iter().zip(places).filter(|(c, _)| **c != 0.0) {
            let row = matrix.row(i as usize);
            sums.iter_mut().zip(places).for_each(|(s, &j)| *s += c * row[j as usize]);
        }
        true
    }
}
