//! Blocks of kernel matrices: a matrix product, then a map of every element.

use std::cell::OnceCell;

use ermine_core::parallel::prelude::*;
use ermine_core::{CsrRef, Error, Mat, MatRef, Result};

use super::number::{GramNumber, horner, power, products};
use super::{Kernel, KernelMap};

/// Rows of a block that one thread computes at a time. The bits of an element do not depend on it.
const BLOCK: usize = 256;

/// Two sets of rows, and what several kernels of one expression share of them.
pub struct GramBlock<'a, T: GramNumber> {
    a: MatRef<'a, T>,
    b: MatRef<'a, T>,
    products: OnceCell<Vec<T>>,
    distances: OnceCell<Vec<T>>,
}

impl Kernel {
    /// The matrix of k(aᵢ, bⱼ), in parallel over blocks of rows of `a`. Rules for γ must have been resolved.
    pub fn gram<T: GramNumber>(&self, a: MatRef<'_, T>, b: MatRef<'_, T>) -> Result<Mat<T>> {
        if a.cols() != b.cols() {
            return Err(Error::Data(format!("kernel {self}: rows of {} and of {} cells", a.cols(), b.cols())));
        }
        self.check(a.cols())?;
        let width = b.rows();
        let mut out = vec![T::default(); a.rows() * width];
        if width > 0 {
            out.par_chunks_mut(BLOCK * width).enumerate().try_for_each(|(k, out)| {
                let first = k * BLOCK;
                self.fill(a.row_range(first..(first + BLOCK).min(a.rows())), b, out)
            })?;
        }
        Ok(Mat::from_vec(a.rows(), width, out))
    }

    /// The matrix of k(aᵢ, bⱼ) of sparse rows. Kernels of inner products and distances never make the rows dense.
    pub fn gram_sparse(&self, a: CsrRef<'_>, b: CsrRef<'_>) -> Result<Mat<f64>> {
        if a.cols() != b.cols() {
            return Err(Error::Data(format!("kernel {self}: rows of {} and of {} cells", a.cols(), b.cols())));
        }
        self.check(a.cols())?;
        let width = b.rows();
        let mut out = vec![0.0; a.rows() * width];
        if width == 0 || a.rows() == 0 {
            return Ok(Mat::from_vec(a.rows(), width, out));
        }
        if !self.of_products() {
            let b = b.to_dense();
            out.par_chunks_mut(BLOCK * width).enumerate().try_for_each(|(k, out)| {
                let first = k * BLOCK;
                let a = a.row_range(first..(first + BLOCK).min(a.rows())).to_dense();
                self.fill(a.view(), b.view(), out)
            })?;
            return Ok(Mat::from_vec(a.rows(), width, out));
        }
        let square = |m: CsrRef<'_>| -> Vec<f64> {
            let mut dense = vec![0.0; m.cols()];
            (0..m.rows()).map(|i| sparse_square(m, i, &mut dense)).collect()
        };
        let squares = square(b);
        out.par_chunks_mut(BLOCK * width).enumerate().try_for_each(|(k, out)| {
            let first = k * BLOCK;
            let a = a.row_range(first..(first + BLOCK).min(a.rows()));
            let mut dense = vec![0.0; a.cols()];
            let mut products = vec![0.0; out.len()];
            for (i, row) in products.chunks_exact_mut(width).enumerate() {
                a.copy_row(i, &mut dense);
                for (j, v) in row.iter_mut().enumerate() {
                    let (places, values) = b.row(j);
                    *v = places.iter().zip(values).map(|(&p, &v)| dense[p as usize] * v).sum();
                }
            }
            let own = square(a);
            let distances = distances_of(&products, &own, &squares);
            // The rows themselves are not read: everything such a kernel needs is filled in.
            let nothing = MatRef::row_major(&[], 0, 0);
            let shared = GramBlock { a: nothing, b: nothing, products: products.into(), distances: distances.into() };
            self.map(&shared, out)
        })?;
        Ok(Mat::from_vec(a.rows(), width, out))
    }

    /// The same on the calling thread, row after row.
    pub(super) fn gram_serial(&self, a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Result<Vec<f64>> {
        let mut out = vec![0.0; a.rows() * b.rows()];
        self.fill(a, b, &mut out)?;
        Ok(out)
    }

    /// k(xᵢ, xᵢ).
    pub fn diagonal(&self, x: MatRef<'_, f64>) -> Result<Vec<f64>> {
        self.check(x.cols())?;
        let mut row = vec![0.0; x.cols()];
        Ok((0..x.rows())
            .map(|i| {
                row.iter_mut().zip(x.t().col_iter(i)).for_each(|(r, v)| *r = v);
                self.value(&row, &row)
            })
            .collect())
    }

    /// Whether the kernel needs only inner products and distances of the rows.
    fn of_products(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Linear | Self::Polynomial { .. } | Self::Gaussian { .. } | Self::Sigmoid { .. } => true,
            Self::Laplacian { .. } | Self::Bilinear(_) | Self::Precomputed | Self::User(_) => false,
            Self::Scaled(..) | Self::After(..) | Self::On(..) => false,
            Self::Sum(a, b) | Self::Product(a, b) => a.of_products() && b.of_products(),
            Self::Times(_, k) | Self::Exp(k) | Self::Series(_, k) => k.of_products(),
        }
    }

    fn fill<T: GramNumber>(&self, a: MatRef<'_, T>, b: MatRef<'_, T>, out: &mut [T]) -> Result<()> {
        self.map(&GramBlock { a, b, products: OnceCell::new(), distances: OnceCell::new() }, out)
    }

    fn map<T: GramNumber>(&self, rows: &GramBlock<'_, T>, out: &mut [T]) -> Result<()> {
        match self {
            Self::Constant(c) => out.fill(T::from_f64(*c)),
            Self::Linear => out.copy_from_slice(rows.products()),
            Self::Polynomial { gamma, coef0, degree } => {
                let gamma = gamma.value();
                map_into(out, rows.products(), |v| power(gamma * v + coef0, *degree));
            }
            Self::Sigmoid { gamma, coef0 } => {
                let gamma = gamma.value();
                map_into(out, rows.products(), |v| (gamma * v + coef0).tanh());
            }
            Self::Gaussian { gamma } => {
                let gamma = gamma.value();
                map_into(out, rows.distances(), |v| -gamma * v);
                T::exp_all(out);
            }
            Self::Laplacian { gamma } => {
                let gamma = gamma.value();
                rows.pairs(out, |x, z| -gamma * x.iter().zip(z).map(|(a, b)| (a - b).abs()).sum::<f64>());
                T::exp_all(out);
            }
            Self::Bilinear(m) => {
                // (A bᵀ) first, then products with the rows of a.
                let right = Mat::from_fn(rows.b.rows(), m.rows(), |j, i| {
                    T::from_f64(m.row(i).iter().zip(rows.b.t().col_iter(j)).map(|(m, z)| m * z.to_f64()).sum())
                });
                products(rows.a, right.view(), out);
            }
            Self::Precomputed => {
                return Err(Error::Data("a precomputed kernel has no rows to compute from: give its matrix".into()));
            }
            Self::Sum(k, l) => {
                k.map(rows, out)?;
                let mut other = vec![T::default(); out.len()];
                l.map(rows, &mut other)?;
                out.iter_mut().zip(other).for_each(|(a, b)| *a = T::from_f64(a.to_f64() + b.to_f64()));
            }
            Self::Product(k, l) => {
                k.map(rows, out)?;
                let mut other = vec![T::default(); out.len()];
                l.map(rows, &mut other)?;
                out.iter_mut().zip(other).for_each(|(a, b)| *a = T::from_f64(a.to_f64() * b.to_f64()));
            }
            Self::Times(c, k) => {
                k.map(rows, out)?;
                out.iter_mut().for_each(|v| *v = T::from_f64(c * v.to_f64()));
            }
            Self::Exp(k) => {
                k.map(rows, out)?;
                T::exp_all(out);
            }
            Self::Series(c, k) => {
                k.map(rows, out)?;
                out.iter_mut().for_each(|v| *v = T::from_f64(horner(c, v.to_f64())));
            }
            Self::Scaled(f, k) => {
                k.map(rows, out)?;
                let of_rows = |m: MatRef<'_, T>| (0..m.rows()).map(|i| f.value(&row_f64(m, i))).collect::<Vec<_>>();
                let (left, right) = (of_rows(rows.a), of_rows(rows.b));
                for (row, l) in out.chunks_exact_mut(right.len()).zip(left) {
                    row.iter_mut().zip(&right).for_each(|(v, r)| *v = T::from_f64(l * v.to_f64() * r));
                }
            }
            Self::After(map, k) => {
                let (a, b) = (mapped(map, rows.a)?, mapped(map, rows.b)?);
                if a.cols() != b.cols() {
                    let (a, b) = (a.cols(), b.cols());
                    return Err(Error::Data(format!("kernel {self}: its map gave {a} columns for some rows and {b} for others")));
                }
                k.check(a.cols())?;
                k.fill(a.view(), b.view(), out)?;
            }
            Self::On(columns, k) => {
                let take = |m: MatRef<'_, T>| Mat::from_fn(m.rows(), columns.len(), |i, j| *m.at(i, columns[j] as usize));
                k.fill(take(rows.a).view(), take(rows.b).view(), out)?;
            }
            Self::User(k) => rows.pairs(out, |x, z| (k.0)(x, z)),
        }
        Ok(())
    }
}

impl<T: GramNumber> GramBlock<'_, T> {
    /// x·z of all pairs.
    fn products(&self) -> &[T] {
        self.products.get_or_init(|| {
            let mut out = vec![T::default(); self.a.rows() * self.b.rows()];
            products(self.a, self.b, &mut out);
            out
        })
    }

    /// ‖x - z‖² of all pairs. Rows are taken about the mean of `b` first: distances do not change, but what cancels in
    /// ‖x‖² + ‖z‖² - 2 x·z is then no larger than the rows are apart.
    fn distances(&self) -> &[T] {
        self.distances.get_or_init(|| {
            let (n, p) = (self.b.rows(), self.b.cols());
            let mean: Vec<f64> = (0..p).map(|j| self.b.col_iter(j).map(|v| v.to_f64()).sum::<f64>() / n.max(1) as f64).collect();
            // The mean of numbers near the largest may overflow; then nothing is taken off.
            let mean: Vec<f64> = mean.into_iter().map(|m| if m.is_finite() { m } else { 0.0 }).collect();
            let centered = |m: MatRef<'_, T>| Mat::from_fn(m.rows(), p, |i, j| T::from_f64(m.at(i, j).to_f64() - mean[j]));
            let (a, b) = (centered(self.a), centered(self.b));
            let mut out = vec![T::default(); a.rows() * n];
            products(a.view(), b.view(), &mut out);
            let square = |m: &Mat<T>| -> Vec<f64> {
                (0..m.rows()).map(|i| m.row(i).iter().map(|v| v.to_f64() * v.to_f64()).sum()).collect()
            };
            distances_of(&out, &square(&a), &square(&b))
        })
    }

    /// A function of all pairs of rows, as f64.
    fn pairs(&self, out: &mut [T], k: impl Fn(&[f64], &[f64]) -> f64) {
        let right: Vec<Vec<f64>> = (0..self.b.rows()).map(|j| row_f64(self.b, j)).collect();
        for (i, row) in out.chunks_exact_mut(right.len()).enumerate() {
            let left = row_f64(self.a, i);
            row.iter_mut().zip(&right).for_each(|(v, right)| *v = T::from_f64(k(&left, right)));
        }
    }
}

fn map_into<T: GramNumber>(out: &mut [T], from: &[T], f: impl Fn(f64) -> f64) {
    out.iter_mut().zip(from).for_each(|(out, v)| *out = T::from_f64(f(v.to_f64())));
}

fn row_f64<T: GramNumber>(m: MatRef<'_, T>, i: usize) -> Vec<f64> {
    m.t().col_iter(i).map(|v| v.to_f64()).collect()
}

/// ‖x‖² + ‖z‖² - 2 x·z, never below 0.
fn distances_of<T: GramNumber>(products: &[T], left: &[f64], right: &[f64]) -> Vec<T> {
    let mut out = Vec::with_capacity(products.len());
    for (row, l) in products.chunks_exact(right.len().max(1)).zip(left) {
        out.extend(row.iter().zip(right).map(|(v, r)| T::from_f64((l + r - 2.0 * v.to_f64()).max(0.0))));
    }
    out
}

/// ‖x‖² of a sparse row, whose places may repeat.
pub(super) fn sparse_square(m: CsrRef<'_>, i: usize, dense: &mut [f64]) -> f64 {
    let (places, values) = m.row(i);
    places.iter().zip(values).for_each(|(&p, v)| dense[p as usize] += v);
    let mut sum = 0.0;
    for &p in places {
        sum += dense[p as usize] * dense[p as usize];
        dense[p as usize] = 0.0;
    }
    sum
}

fn mapped<T: GramNumber>(map: &KernelMap, m: MatRef<'_, T>) -> Result<Mat<T>> {
    let rows: Vec<Vec<f64>> = (0..m.rows()).map(|i| map.value(&row_f64(m, i))).collect();
    let width = rows.first().map_or(0, Vec::len);
    if let Some(i) = rows.iter().position(|r| r.len() != width) {
        let other = rows[i].len();
        return Err(Error::Data(format!(
            "the map of a kernel gave {width} columns for the first row and {other} for row {}",
            i + 1
        )));
    }
    Ok(Mat::from_fn(m.rows(), width, |i, j| T::from_f64(rows[i][j])))
}
