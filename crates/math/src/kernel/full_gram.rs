//! The whole Gram matrix of points, each value computed once.

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{Mat, Result};

use super::number::GramNumber;
use super::pairs::SmoKernels;
use super::panels::PanelScratch;
use super::points::Points;
use crate::row_ops::dot;

/// Rows and columns of a tile.
const TILE: usize = 256;
/// Strips of tiles whose sums are held at a time.
const STRIPS: usize = 16;
/// Rows that are filled from a column side by side: the values lie in one cache line.
const MIRROR: usize = 8;

impl<T: GramNumber> Points<'_, T> {
    /// The Gram matrix. Of a kernel known to be symmetric one triangle is computed, the other is its mirror image.
    pub fn gram(&self) -> Result<Mat<T>> {
        let n = self.len();
        let mut out = Mat::filled(n, n, T::default());
        if n == 0 {
            return Ok(out);
        }
        let half = self.is_symmetric();
        let places: Vec<u32> = (0..n as u32).collect();
        out.as_mut_slice().par_chunks_mut(TILE * n).zip(places.par_chunks(TILE)).enumerate().try_for_each_init(
            PanelScratch::default,
            |scratch, (strip, (rows, which))| -> Result<()> {
                let left = self.left_panel(which);
                for first in (if half { strip * TILE } else { 0 }..n).step_by(TILE) {
                    let columns = first..n.min(first + TILE);
                    self.panel(&left, columns.clone(), scratch)?;
                    for (row, values) in rows.chunks_exact_mut(n).zip(scratch.block.chunks_exact(columns.len())) {
                        row[columns.clone()].copy_from_slice(values);
                    }
                }
                Ok(())
            },
        )?;
        if half {
            mirror(out.as_mut_slice(), n);
        }
        Ok(out)
    }
}

impl Points<'_, f64> {
    /// K c, computing each needed value of K once: points with a coefficient come first, and one of their tiles above
    /// the diagonal serves its rows and its columns. `between` is called regularly and may stop the computation. For
    /// symmetric kernels only.
    ///
    /// # Panics
    /// When there is not one coefficient per point, or the kernel may not be symmetric.
    pub fn multiply(&self, c: &[f64], mut between: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
        assert!(self.is_symmetric(), "the mirror image of a tile stands for it");
        assert_eq!(c.len(), self.len(), "one coefficient per point");
        let n = self.len();
        let (mut order, others): (Vec<u32>, Vec<u32>) = (0..n as u32).partition(|&i| c[i as usize] != 0.0);
        let own = order.len();
        order.extend(others);
        let points = self.take(&order);
        let c: Vec<f64> = order[..own].iter().map(|&i| c[i as usize]).collect();
        let mut total = vec![0.0; n];
        let strips: Vec<usize> = (0..own).step_by(TILE).collect();
        for some in strips.chunks(STRIPS) {
            between()?;
            let parts: Vec<Vec<f64>> =
                some.par_iter().map(|&start| points.times_strip(&c, start..own.min(start + TILE))).collect::<Result<_>>()?;
            // In the order of the strips, so that the sums do not depend on threads.
            parts.iter().for_each(|part| total.iter_mut().zip(part).for_each(|(t, p)| *t += p));
        }
        let mut out = vec![0.0; n];
        order.iter().zip(total).for_each(|(&i, t)| out[i as usize] = t);
        Ok(out)
    }

    /// The contribution of some rows with coefficients: their tile on the diagonal and those right of it.
    fn times_strip(&self, c: &[f64], rows: Range<usize>) -> Result<Vec<f64>> {
        let which: Vec<u32> = (rows.start as u32..rows.end as u32).collect();
        let left = self.left_panel(&which);
        let (mut sums, mut scratch) = (vec![0.0; self.len()], PanelScratch::default());
        let right = (rows.end..self.len()).step_by(TILE).map(|first| first..self.len().min(first + TILE));
        for columns in std::iter::once(rows.clone()).chain(right) {
            self.panel(&left, columns.clone(), &mut scratch)?;
            let width = columns.len();
            if columns.start < c.len() {
                let c = &c[columns.start..c.len().min(columns.end)];
                rows.clone().zip(scratch.block.chunks_exact(width)).for_each(|(i, values)| sums[i] += dot(&values[..c.len()], c));
            }
            if columns.start > rows.start {
                let weighted: Vec<(f64, &[f64])> =
                    c[rows.clone()].iter().copied().zip(scratch.block.chunks_exact(width)).collect();
                f64::add_rows(&mut sums[columns], &weighted);
            }
        }
        Ok(sums)
    }
}

/// Fills the lower triangle from the upper one.
fn mirror<T: GramNumber>(cells: &mut [T], n: usize) {
    for start in (0..n).step_by(TILE) {
        let (above, rest) = cells.split_at_mut(start * n);
        let strip = &mut rest[..(n - start).min(TILE) * n];
        strip.par_chunks_mut(MIRROR * n).enumerate().for_each(|(group, rows)| {
            let (first, count) = (start + group * MIRROR, rows.len() / n);
            for (c, line) in above.chunks_exact(n).enumerate() {
                for (r, v) in line[first..first + count].iter().enumerate() {
                    rows[r * n + c] = *v;
                }
            }
        });
        // In the tile on the diagonal both triangles were computed, and may differ by rounding.
        for r in 0..strip.len() / n {
            for c in 0..r {
                strip[r * n + start + c] = strip[c * n + start + r];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ermine_core::{Csr, Features, Mat, RngStream};

    use super::super::{Gamma, Kernel};
    use super::*;

    #[test]
    fn both_triangles_are_the_kernel_of_every_pair() {
        let mut draw = RngStream::new(3, "rows", 0);
        let x = Mat::from_fn(530, 7, |i, j| if (i + j) % 3 == 0 { 0.0 } else { draw.normal() });
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..530 {
            let cells = x.row(i).iter().enumerate().filter(|c| *c.1 != 0.0);
            cells.for_each(|(j, v)| {
                indices.push(j as u32);
                values.push(*v);
            });
            indptr.push(values.len());
        }
        let sparse = Csr::new(indptr, indices, values, 7).unwrap();
        let all: Vec<usize> = (0..530).collect();
        let user = Kernel::user(|a, b| a[0] * b[1]);
        let gaussian = Kernel::Gaussian { gamma: Gamma::Value(0.3) };
        let polynomial = Kernel::Polynomial { gamma: Gamma::Value(0.5), coef0: 1.0, degree: 3 };
        for (kernel, features) in [
            (&gaussian, Features::F64(x.view())),
            (&gaussian, Features::Csr(sparse.view())),
            (&polynomial, Features::F64(x.view())),
            (&user, Features::F64(x.view())),
        ] {
            let points = Points::<f64>::new(kernel, &features, &all).unwrap();
            let gram = points.gram().unwrap();
            for i in 0..530 {
                for j in 0..530 {
                    let want = kernel.value(x.row(i), x.row(j));
                    assert!((gram[(i, j)] - want).abs() < 1e-12 * (1.0 + want.abs()), "{kernel} of {i} and {j}");
                    assert!(!points.is_symmetric() || gram[(i, j)] == gram[(j, i)]);
                }
            }
            if points.is_symmetric() {
                // Coefficients of all points, of some, of so few that a tile is not full, of none.
                for every in [1, 2, 100, 1000] {
                    let c: Vec<f64> =
                        (0..530).map(|i| if i % every == every / 2 { (i % 11) as f64 - 4.0 } else { 0.0 }).collect();
                    let product = points.multiply(&c, || Ok(())).unwrap();
                    for (i, p) in product.iter().enumerate() {
                        let want: f64 = gram.row(i).iter().zip(&c).map(|(k, c)| k * c).sum();
                        assert!((p - want).abs() < 1e-11 * (1.0 + want.abs()), "{kernel}: row {i} of the product");
                    }
                }
            }
            // Some of the points by their matrix alone.
            let part = Points::from_precomputed(Arc::new(gram.clone()), vec![500, 3, 77]);
            let small = part.gram().unwrap();
            assert_eq!((small[(0, 2)], small[(2, 0)]), (gram[(500, 77)], gram[(77, 500)]));
            assert_eq!(part.diagonal()[1], gram[(3, 3)]);
        }
    }
}
