//! Rows prepared for whole rows of their Gram matrix, which solvers of kernel machines need many times.
//!
//! [`Points::new`] borrows the rows, so that it costs no memory; [`Points::copied_rows`] copies them, for rows that are
//! needed often and in f32. `panels` computes.

use std::sync::Arc;

use ermine_core::parallel::prelude::*;
use ermine_core::{CsrRef, Error, Features, Mat, MatRef, Result};

use super::number::{GramNumber, power};
use super::{Gamma, Kernel};
use crate::memory::mmap_zeros;

/// Rows that one thread copies or measures at a time.
const BLOCK: usize = 256;

/// Kernels with loops of their own.
#[derive(Clone, Debug)]
pub(super) enum KernelForm {
    Linear,
    Polynomial {
        gamma: f64,
        coef0: f64,
        degree: u32,
    },
    Gaussian {
        gamma: f64,
    },
    Sigmoid {
        gamma: f64,
        coef0: f64,
    },
    /// Anything else: by [`Kernel::gram`].
    Other(Kernel),
}

impl KernelForm {
    pub(super) fn of(kernel: &Kernel) -> Self {
        match kernel {
            Kernel::Linear => Self::Linear,
            Kernel::Polynomial { gamma: Gamma::Value(gamma), coef0, degree } => {
                Self::Polynomial { gamma: *gamma, coef0: *coef0, degree: *degree }
            }
            Kernel::Gaussian { gamma: Gamma::Value(gamma) } => Self::Gaussian { gamma: *gamma },
            Kernel::Sigmoid { gamma: Gamma::Value(gamma), coef0 } => Self::Sigmoid { gamma: *gamma, coef0: *coef0 },
            other => Self::Other(other.clone()),
        }
    }

    /// Turns inner products of one point with several into kernel values.
    pub(super) fn map<T: GramNumber>(&self, values: &mut [T], own: T, norms: &[T]) {
        match self {
            Self::Gaussian { gamma } => T::gaussian(values, own, norms, *gamma),
            Self::Polynomial { gamma, coef0, degree } => {
                values.iter_mut().for_each(|v| *v = T::from_f64(power(gamma * v.to_f64() + coef0, *degree)));
            }
            Self::Sigmoid { gamma, coef0 } => {
                values.iter_mut().for_each(|v| *v = T::from_f64((gamma * v.to_f64() + coef0).tanh()));
            }
            Self::Linear | Self::Other(_) => {}
        }
    }
}

/// Borrowed dense rows (f64, f32, or densified).
#[derive(Clone, Debug)]
pub(super) enum BorrowedRows<'a> {
    F64(MatRef<'a, f64>),
    F32(MatRef<'a, f32>),
    /// Copied from columns, or from sparse rows for a kernel that needs all cells.
    Densified(Arc<Mat<f64>>),
}

impl<'a> BorrowedRows<'a> {
    fn new(x: &Features<'a>) -> Result<Self> {
        Ok(match x {
            Features::F64(m) => Self::F64(*m),
            Features::F32(m) => Self::F32(*m),
            other => {
                let mut scratch = Vec::new();
                let (rows, cols) = (other.rows(), other.cols());
                other.f64_rows(&mut scratch, "a kernel")?;
                Self::Densified(Arc::new(Mat::from_vec(rows, cols, scratch)))
            }
        })
    }

    pub(super) fn cols(&self) -> usize {
        match self {
            Self::F64(m) => m.cols(),
            Self::F32(m) => m.cols(),
            Self::Densified(m) => m.cols(),
        }
    }

    pub(super) fn cell(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::F64(m) => *m.at(i, j),
            Self::F32(m) => f64::from(*m.at(i, j)),
            Self::Densified(m) => m[(i, j)],
        }
    }

    /// A row minus the mean.
    pub(super) fn copy<T: GramNumber>(&self, i: usize, mean: &[f64], out: &mut [T]) {
        fn less<S: Copy + Into<f64>, T: GramNumber>(row: &[S], mean: &[f64], out: &mut [T]) {
            out.iter_mut().zip(row).zip(mean).for_each(|((o, &v), m)| *o = T::from_f64(v.into() - m));
        }
        match self {
            Self::F64(m) => match m.row(i) {
                Some(row) => less(row, mean, out),
                None => out.iter_mut().zip(mean).enumerate().for_each(|(j, (o, c))| *o = T::from_f64(m.at(i, j) - c)),
            },
            Self::F32(m) => match m.row(i) {
                Some(row) => less(row, mean, out),
                None => out.iter_mut().zip(mean).enumerate().for_each(|(j, (o, c))| *o = T::from_f64(f64::from(*m.at(i, j)) - c)),
            },
            Self::Densified(m) => less(m.row(i), mean, out),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum PointStore<'a, T> {
    /// Copied, minus the mean.
    Dense { data: Vec<T>, cols: usize },
    /// Borrowed rows, copied a panel at a time; for a precomputed kernel some rows and the same columns.
    Borrowed { rows: BorrowedRows<'a>, which: Vec<u32>, mean: Vec<f64> },
    /// Copied, with sorted unique indices.
    Sparse { indptr: Vec<usize>, indices: Vec<u32>, values: Vec<T>, cols: usize },
    /// Borrowed sparse rows, with sorted unique indices.
    BorrowedSparse { rows: CsrRef<'a>, which: Vec<u32> },
    /// A precomputed matrix, and the selected rows and columns.
    Precomputed { matrix: Arc<Mat<T>>, places: Vec<u32> },
}

/// Rows prepared for rows of their Gram matrix, in f32 or f64.
#[derive(Clone, Debug)]
pub struct Points<'a, T> {
    pub(super) form: KernelForm,
    pub(super) rows: PointStore<'a, T>,
    /// ‖x‖² of every row, where the kernel needs it.
    pub(super) norms: Vec<T>,
    len: usize,
}

impl<'a, T: GramNumber> Points<'a, T> {
    /// The given rows, borrowed. Rules for γ must have been resolved; a precomputed kernel takes the rows as its
    /// matrix.
    pub fn new(kernel: &Kernel, x: &Features<'a>, which: &[usize]) -> Result<Self> {
        Self::build(kernel, x, which, false)
    }

    /// A copy of the given rows, in the type that is computed with; rows stay borrowed where the kernel needs more than
    /// inner products.
    pub fn copied_rows(kernel: &Kernel, x: &Features<'a>, which: &[usize]) -> Result<Self> {
        Self::build(kernel, x, which, true)
    }

    fn build(kernel: &Kernel, x: &Features<'a>, which: &[usize], copy: bool) -> Result<Self> {
        let (len, cols) = (which.len(), x.cols());
        kernel.check(cols)?;
        if *kernel == Kernel::Precomputed && x.rows() != cols {
            return Err(Error::Data(format!(
                "a precomputed kernel is a square matrix of the training rows, and this one is {} x {cols}",
                x.rows()
            )));
        }
        let form = KernelForm::of(kernel);
        let places = || which.iter().map(|&i| i as u32).collect::<Vec<_>>();
        let rows = match (&form, x) {
            (KernelForm::Other(_), _) => {
                PointStore::Borrowed { rows: BorrowedRows::new(x)?, which: places(), mean: vec![0.0; cols] }
            }
            (_, Features::Csr(m)) if T::as_slice_if_f64(&[]).is_some() && !copy && in_order(*m, which) => {
                PointStore::BorrowedSparse { rows: *m, which: places() }
            }
            (_, Features::Csr(m)) => sparse(*m, which),
            _ => {
                let rows = BorrowedRows::new(x)?;
                let mean = match form {
                    KernelForm::Gaussian { .. } => {
                        let nothing = vec![0.0; cols];
                        mean(cols, which.iter().copied(), |i, row| rows.copy(i, &nothing, row))
                    }
                    _ => vec![0.0; cols],
                };
                match copy {
                    false => PointStore::Borrowed { rows, which: places(), mean },
                    true => {
                        let mut data = mmap_zeros(len * cols);
                        data.par_chunks_mut((BLOCK * cols).max(1)).zip(which.par_chunks(BLOCK)).for_each(|(data, which)| {
                            data.chunks_exact_mut(cols.max(1)).zip(which).for_each(|(out, &i)| rows.copy(i, &mean, out));
                        });
                        PointStore::Dense { data, cols }
                    }
                }
            }
        };
        let mut out = Self { form, rows, norms: Vec::new(), len };
        if let KernelForm::Gaussian { .. } = out.form {
            out.norms = out.squares().into_iter().map(T::from_f64).collect();
        }
        Ok(out)
    }

    /// Points known only by their precomputed kernel matrix: some of its rows and columns.
    pub fn from_precomputed(matrix: Arc<Mat<T>>, places: Vec<u32>) -> Self {
        let len = places.len();
        Self {
            form: KernelForm::Other(Kernel::Precomputed),
            rows: PointStore::Precomputed { matrix, places },
            norms: Vec::new(),
            len,
        }
    }

    /// Whether k(x, z) = k(z, x) to the last bit.
    pub fn is_symmetric(&self) -> bool {
        !matches!(self.form, KernelForm::Other(_))
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// ‖x‖² of every point, minus the mean.
    fn squares(&self) -> Vec<f64> {
        let square = |v: &[T]| v.iter().map(|v| v.to_f64() * v.to_f64()).sum::<f64>();
        let mut out = vec![0.0; self.len];
        out.par_chunks_mut(BLOCK).enumerate().for_each_init(Vec::new, |row, (b, out)| {
            for (k, out) in out.iter_mut().enumerate() {
                let i = b * BLOCK + k;
                *out = match &self.rows {
                    PointStore::Dense { data, cols } => square(&data[i * cols..][..*cols]),
                    PointStore::Borrowed { rows, which, mean } => {
                        row.resize(mean.len(), T::default());
                        rows.copy(which[i] as usize, mean, row);
                        square(row)
                    }
                    PointStore::Sparse { .. } | PointStore::BorrowedSparse { .. } => square(self.sparse_row(i).1),
                    PointStore::Precomputed { .. } => f64::NAN,
                };
            }
        });
        out
    }

    /// The points at the given indices, in that order.
    pub fn take(&self, places: &[u32]) -> Self {
        let of = |old: &[u32]| places.iter().map(|&i| old[i as usize]).collect();
        let rows = match &self.rows {
            PointStore::Dense { data, cols } => {
                let mut taken = Vec::with_capacity(places.len() * cols);
                places.iter().for_each(|&i| taken.extend_from_slice(&data[i as usize * cols..][..*cols]));
                PointStore::Dense { data: taken, cols: *cols }
            }
            PointStore::Borrowed { rows, which, mean } => {
                PointStore::Borrowed { rows: rows.clone(), which: of(which), mean: mean.clone() }
            }
            PointStore::Sparse { cols, .. } => {
                let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
                for &i in places {
                    let (j, v) = self.sparse_row(i as usize);
                    indices.extend_from_slice(j);
                    values.extend_from_slice(v);
                    indptr.push(values.len());
                }
                PointStore::Sparse { indptr, indices, values, cols: *cols }
            }
            PointStore::BorrowedSparse { rows, which } => PointStore::BorrowedSparse { rows: *rows, which: of(which) },
            PointStore::Precomputed { matrix, places: old } => {
                PointStore::Precomputed { matrix: matrix.clone(), places: of(old) }
            }
        };
        let norms = if self.norms.is_empty() { Vec::new() } else { places.iter().map(|&i| self.norms[i as usize]).collect() };
        Self { form: self.form.clone(), rows, norms, len: places.len() }
    }

    /// Keeps only the points at the given ascending indices, in place.
    ///
    /// # Panics
    /// When the places do not ascend.
    pub fn retain(&mut self, places: &[u32]) {
        assert!(places.is_sorted_by(|a, b| a < b), "places ascend");
        fn of<V: Copy>(values: &mut Vec<V>, places: &[u32]) {
            places.iter().enumerate().for_each(|(new, &old)| values[new] = values[old as usize]);
            values.truncate(places.len());
        }
        match &mut self.rows {
            PointStore::Dense { data, cols } => {
                let cols = *cols;
                places
                    .iter()
                    .enumerate()
                    .for_each(|(new, &old)| data.copy_within(old as usize * cols..(old as usize + 1) * cols, new * cols));
                data.truncate(places.len() * cols);
            }
            PointStore::Sparse { indptr, indices, values, .. } => {
                let mut end = 0;
                for (new, &old) in places.iter().enumerate() {
                    let range = indptr[old as usize]..indptr[old as usize + 1];
                    indices.copy_within(range.clone(), end);
                    values.copy_within(range.clone(), end);
                    indptr[new] = end;
                    end += range.len();
                }
                indptr[places.len()] = end;
                indptr.truncate(places.len() + 1);
                indices.truncate(end);
                values.truncate(end);
            }
            PointStore::Borrowed { which, .. } | PointStore::BorrowedSparse { which, .. } => of(which, places),
            PointStore::Precomputed { places: old, .. } => of(old, places),
        }
        if !self.norms.is_empty() {
            of(&mut self.norms, places);
        }
        self.len = places.len();
    }

    /// k(xᵢ, xᵢ) of all points.
    pub fn diagonal(&self) -> Vec<f64> {
        match (&self.form, &self.rows) {
            (KernelForm::Gaussian { .. }, _) => vec![1.0; self.len],
            (_, PointStore::Precomputed { matrix, places }) => {
                places.iter().map(|&i| matrix[(i as usize, i as usize)].to_f64()).collect()
            }
            (KernelForm::Other(Kernel::Precomputed), PointStore::Borrowed { rows, which, .. }) => {
                which.iter().map(|&i| rows.cell(i as usize, i as usize)).collect()
            }
            (KernelForm::Other(kernel), PointStore::Borrowed { rows, which, mean }) => {
                let mut row = vec![0.0; rows.cols()];
                let value = |&i: &u32| {
                    rows.copy(i as usize, mean, &mut row);
                    kernel.value(&row, &row)
                };
                which.iter().map(value).collect()
            }
            _ => {
                let mut one = [T::default()];
                let mapped = |square: f64| {
                    one[0] = T::from_f64(square);
                    self.form.map(&mut one, T::default(), &[]);
                    one[0].to_f64()
                };
                self.squares().into_iter().map(mapped).collect()
            }
        }
    }

    /// Indices and values of a sparse row; empty for others.
    pub(super) fn sparse_row(&self, i: usize) -> (&[u32], &[T]) {
        match &self.rows {
            PointStore::Sparse { indptr, indices, values, .. } => {
                let range = indptr[i]..indptr[i + 1];
                (&indices[range.clone()], &values[range])
            }
            PointStore::BorrowedSparse { rows, which } => {
                let (places, values) = rows.row(which[i] as usize);
                (places, T::as_slice_if_f64(values).unwrap_or_default())
            }
            _ => (&[], &[]),
        }
    }
}

/// The mean of the columns; 0 where it overflows. Distances do not change when it is subtracted, but the terms that
/// cancel in ‖x‖² + ‖z‖² - 2 x·z are then no larger than the rows are apart.
pub(super) fn mean(cols: usize, which: impl ExactSizeIterator<Item = usize>, copy: impl Fn(usize, &mut [f64])) -> Vec<f64> {
    let (mut sums, mut row) = (vec![0.0; cols], vec![0.0; cols]);
    let n = which.len().max(1) as f64;
    for i in which {
        copy(i, &mut row);
        sums.iter_mut().zip(&row).for_each(|(s, v)| *s += v);
    }
    sums.into_iter().map(|s| s / n).map(|v| if v.is_finite() { v } else { 0.0 }).collect()
}

/// Whether the sparse rows have sorted unique indices.
fn in_order(m: CsrRef<'_>, which: &[usize]) -> bool {
    which.iter().all(|&i| m.row(i).0.is_sorted_by(|a, b| a < b))
}

/// A copy of sparse rows with sorted unique indices.
fn sparse<'a, T: GramNumber>(m: CsrRef<'_>, which: &[usize]) -> PointStore<'a, T> {
    let stored = which.iter().map(|&i| m.row(i).0.len()).sum();
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::with_capacity(stored), Vec::<T>::with_capacity(stored));
    let mut cells: Vec<(u32, f64)> = Vec::new();
    for &i in which {
        let (places, numbers) = m.row(i);
        cells.clear();
        cells.extend(places.iter().copied().zip(numbers.iter().copied()));
        cells.sort_by_key(|c| c.0);
        let mut k = 0;
        while k < cells.len() {
            let (place, mut sum) = cells[k];
            k += 1;
            while k < cells.len() && cells[k].0 == place {
                sum += cells[k].1;
                k += 1;
            }
            indices.push(place);
            values.push(T::from_f64(sum));
        }
        indptr.push(values.len());
    }
    PointStore::Sparse { indptr, indices, values, cols: m.cols() }
}
