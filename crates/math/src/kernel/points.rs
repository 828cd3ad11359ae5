//! Rows made ready for whole rows of their Gram matrix: what solvers of kernel machines ask for again and again.
//!
//! Rows of the matrix are computed many at a time, as a product of a few rows with all of them, panel by panel in parallel; a
//! panel is mapped while it is still in cache. A row has the same bits whatever the number of threads.

use std::ops::Range;

use ermine_core::{CsrRef, Error, Features, Mat, MatRef, Result};
use rayon::prelude::*;

use super::number::{Number, power, products};
use super::{Gamma, Kernel};

/// Columns of a panel.
const PANEL: usize = 256;

/// A kernel as these loops know it.
#[derive(Clone, Debug)]
pub(super) enum Form {
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

impl Form {
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
    pub(super) fn map<T: Number>(&self, values: &mut [T], own: T, norms: &[T]) {
        match self {
            Self::Gaussian { gamma } => T::gaussian(values, own, norms, *gamma),
            Self::Polynomial { gamma, coef0, degree } => {
                values.iter_mut().for_each(|v| *v = T::of(power(gamma * v.double() + coef0, *degree)));
            }
            Self::Sigmoid { gamma, coef0 } => {
                values.iter_mut().for_each(|v| *v = T::of((gamma * v.double() + coef0).tanh()));
            }
            Self::Linear | Self::Other(_) => {}
        }
    }
}

#[derive(Clone, Debug)]
enum Rows<T> {
    Dense {
        data: Vec<T>,
        cols: usize,
    },
    Sparse {
        indptr: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<T>,
        cols: usize,
    },
    /// Rows for a kernel that asks for more than inner products.
    Plain(Mat<f64>),
    /// The matrix itself, and which of its rows and columns are meant.
    Given {
        matrix: std::sync::Arc<Mat<T>>,
        places: Vec<u32>,
    },
}

/// Rows made ready for rows of their Gram matrix, in singles or doubles.
#[derive(Clone, Debug)]
pub struct Points<T> {
    form: Form,
    rows: Rows<T>,
    /// ‖x‖² of every row, where the kernel needs it.
    norms: Vec<T>,
    len: usize,
}

impl<T: Number> Points<T> {
    /// Copies the given rows. Rules for γ must have been resolved; a precomputed kernel takes the rows as its matrix.
    pub fn new(kernel: &Kernel, x: &Features<'_>, which: &[usize]) -> Result<Self> {
        let (len, cols) = (which.len(), x.cols());
        kernel.check(cols)?;
        if *kernel == Kernel::Precomputed {
            if x.rows() != cols {
                return Err(Error::Data(format!(
                    "a precomputed kernel is a square matrix of the training rows, and this one is {} x {cols}",
                    x.rows()
                )));
            }
            let mut scratch = Vec::new();
            let m = x.f64_rows(&mut scratch, "a precomputed kernel")?;
            let matrix = Mat::from_fn(len, len, |i, j| T::of(*m.at(which[i], which[j])));
            let places = (0..len as u32).collect();
            let rows = Rows::Given { matrix: std::sync::Arc::new(matrix), places };
            return Ok(Self { form: Form::Other(kernel.clone()), rows, norms: Vec::new(), len });
        }
        let form = Form::of(kernel);
        let owned = x.take(which);
        let view = owned.view();
        let mut out = match (&form, view) {
            (Form::Other(_), _) => {
                let mut scratch = Vec::new();
                let rows = Rows::Plain(view.f64_rows(&mut scratch, "a kernel")?.to_owned());
                Self { form, rows, norms: Vec::new(), len }
            }
            (_, Features::Csr(m)) => Self { rows: sparse(m), form, norms: Vec::new(), len },
            _ => {
                let mut scratch = Vec::new();
                let m = view.f64_rows(&mut scratch, "a kernel")?;
                let mean = match form {
                    Form::Gaussian { .. } => centre(m),
                    _ => vec![0.0; cols],
                };
                let mut data = Vec::with_capacity(len * cols);
                let mut row = vec![0.0; cols];
                for i in 0..len {
                    m.copy_row(i, &mut row);
                    data.extend(row.iter().zip(&mean).map(|(v, c)| T::of(v - c)));
                }
                Self { form, rows: Rows::Dense { data, cols }, norms: Vec::new(), len }
            }
        };
        out.norms = out.squares();
        Ok(out)
    }

    /// Points that are known by the matrix of their kernel alone: some of its rows and columns.
    pub fn of_matrix(matrix: std::sync::Arc<Mat<T>>, places: Vec<u32>) -> Self {
        let len = places.len();
        Self { form: Form::Other(Kernel::Precomputed), rows: Rows::Given { matrix, places }, norms: Vec::new(), len }
    }

    /// Whether k(x, z) = k(z, x) to the last bit.
    pub fn is_symmetric(&self) -> bool {
        !matches!(self.form, Form::Other(_))
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn squares(&self) -> Vec<T> {
        let square = |v: &[T]| T::of(v.iter().map(|v| v.double() * v.double()).sum());
        match (&self.form, &self.rows) {
            (Form::Gaussian { .. }, Rows::Dense { data, cols }) => data.chunks_exact((*cols).max(1)).map(square).collect(),
            (Form::Gaussian { .. }, Rows::Sparse { indptr, values, .. }) => {
                indptr.windows(2).map(|w| square(&values[w[0]..w[1]])).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The points of the given places, in that order.
    pub fn take(&self, places: &[u32]) -> Self {
        let rows = match &self.rows {
            Rows::Dense { data, cols } => {
                let mut taken = Vec::with_capacity(places.len() * cols);
                places.iter().for_each(|&i| taken.extend_from_slice(&data[i as usize * cols..][..*cols]));
                Rows::Dense { data: taken, cols: *cols }
            }
            Rows::Sparse { indptr, indices, values, cols } => {
                let (mut p, mut j, mut v) = (vec![0], Vec::new(), Vec::new());
                for &i in places {
                    let range = indptr[i as usize]..indptr[i as usize + 1];
                    j.extend_from_slice(&indices[range.clone()]);
                    v.extend_from_slice(&values[range]);
                    p.push(v.len());
                }
                Rows::Sparse { indptr: p, indices: j, values: v, cols: *cols }
            }
            Rows::Plain(m) => {
                let places: Vec<usize> = places.iter().map(|&i| i as usize).collect();
                Rows::Plain(m.view().take_rows(&places))
            }
            Rows::Given { matrix, places: old } => {
                Rows::Given { matrix: matrix.clone(), places: places.iter().map(|&i| old[i as usize]).collect() }
            }
        };
        let norms = if self.norms.is_empty() { Vec::new() } else { places.iter().map(|&i| self.norms[i as usize]).collect() };
        Self { form: self.form.clone(), rows, norms, len: places.len() }
    }

    /// k(xᵢ, xᵢ) of all points.
    pub fn diagonal(&self) -> Vec<f64> {
        let mut one = [T::default()];
        let mapped = |product: f64, norm: T, one: &mut [T; 1]| {
            one[0] = T::of(product);
            self.form.map(one, norm, &[norm]);
            one[0].double()
        };
        (0..self.len)
            .map(|i| match (&self.form, &self.rows) {
                (Form::Gaussian { .. }, _) => 1.0,
                (_, Rows::Dense { data, cols }) => {
                    let row = &data[i * cols..][..*cols];
                    mapped(row.iter().map(|v| v.double() * v.double()).sum(), T::default(), &mut one)
                }
                (_, Rows::Sparse { indptr, values, .. }) => {
                    let row = &values[indptr[i]..indptr[i + 1]];
                    mapped(row.iter().map(|v| v.double() * v.double()).sum(), T::default(), &mut one)
                }
                (Form::Other(kernel), Rows::Plain(m)) => kernel.value(m.row(i), m.row(i)),
                (_, Rows::Plain(_)) => f64::NAN,
                (_, Rows::Given { matrix, places }) => matrix[(places[i] as usize, places[i] as usize)].double(),
            })
            .collect()
    }

    /// Rows of the Gram matrix: `out[k][j]` = k(x of `which[k]`, x of j). In parallel over panels of columns.
    ///
    /// # Panics
    /// When a row of `out` is not as long as there are points.
    pub fn gram_rows(&self, which: &[u32], out: &mut [&mut [T]]) -> Result<()> {
        assert_eq!(which.len(), out.len(), "a row for each place");
        assert!(out.iter().all(|r| r.len() == self.len), "rows as long as there are points");
        if which.is_empty() || self.len == 0 {
            return Ok(());
        }
        let left = self.take(which);
        let mut panels: Vec<Vec<&mut [T]>> = (0..self.len.div_ceil(PANEL)).map(|_| Vec::with_capacity(which.len())).collect();
        for row in out.iter_mut() {
            for (panel, part) in panels.iter_mut().zip(row.chunks_mut(PANEL)) {
                panel.push(part);
            }
        }
        let wide = match &left.rows {
            Rows::Sparse { .. } => left.interleaved(),
            _ => Vec::new(),
        };
        panels.into_par_iter().enumerate().try_for_each_init(Vec::new, |block, (p, mut panel)| {
            let first = p * PANEL;
            let width = panel[0].len();
            self.panel(&left, &wide, which, first..first + width, block)?;
            panel.iter_mut().zip(block.chunks_exact(width)).for_each(|(part, values)| part.copy_from_slice(values));
            Ok(())
        })
    }

    /// Some columns of the rows that belong to the points of `left`, which are those of `which`, one row after the other.
    pub(super) fn panel(
        &self,
        left: &Self,
        wide: &[Vec<T>],
        which: &[u32],
        columns: Range<usize>,
        block: &mut Vec<T>,
    ) -> Result<()> {
        let (first, width) = (columns.start, columns.len());
        block.clear();
        block.resize(which.len() * width, T::default());
        match (&self.rows, &left.rows) {
            (Rows::Dense { data, cols }, Rows::Dense { data: own, .. }) => products(
                MatRef::row_major(own, which.len(), *cols),
                MatRef::row_major(&data[first * cols..(first + width) * cols], width, *cols),
                block,
            ),
            (Rows::Sparse { indptr, indices, values, cols }, _) => {
                for (group, wide) in wide.iter().enumerate() {
                    let rows = LANES.min(which.len() - group * LANES);
                    for j in 0..width {
                        let range = indptr[first + j]..indptr[first + j + 1];
                        let sums = T::sparse_products(wide, *cols, &indices[range.clone()], &values[range]);
                        for l in 0..rows {
                            block[(group * LANES + l) * width + j] = sums[l];
                        }
                    }
                }
            }
            (Rows::Plain(m), Rows::Plain(own)) => {
                let Form::Other(kernel) = &self.form else { return Err(Error::Data("a kernel without a form".into())) };
                let rows = m.view().row_range(first..first + width);
                let values = kernel.gram_here(own.view(), rows)?;
                block.iter_mut().zip(values).for_each(|(b, v)| *b = T::of(v));
            }
            (Rows::Given { matrix, places }, Rows::Given { places: own, .. }) => {
                for (k, &i) in own.iter().enumerate() {
                    let row = matrix.row(i as usize);
                    let places = &places[first..first + width];
                    block[k * width..][..width].iter_mut().zip(places).for_each(|(b, &j)| *b = row[j as usize]);
                }
            }
            _ => return Err(Error::Data("points of two forms".into())),
        }
        for (k, values) in block.chunks_exact_mut(width).enumerate() {
            if !self.norms.is_empty() {
                self.form.map(values, left.norms[k], &self.norms[columns.clone()]);
            } else {
                self.form.map(values, T::default(), &[]);
            }
            // In singles, the distance of a point to itself may come out of rounding as more than 0.
            if let (Form::Gaussian { .. }, own) = (&self.form, which[k] as usize)
                && columns.contains(&own)
            {
                values[own - first] = T::of(1.0);
            }
        }
        Ok(())
    }

    /// Places, values and squared norm of a sparse row; nothing of others.
    pub(super) fn sparse_row(&self, i: usize) -> (&[u32], &[T], T) {
        match &self.rows {
            Rows::Sparse { indptr, indices, values, .. } => {
                let range = indptr[i]..indptr[i + 1];
                (&indices[range.clone()], &values[range], self.norms.get(i).copied().unwrap_or_default())
            }
            _ => (&[], &[], T::default()),
        }
    }

    /// Sparse rows eight side by side, dense: `[group][column * 8 + row]`.
    pub(super) fn interleaved(&self) -> Vec<Vec<T>> {
        let Rows::Sparse { indptr, indices, values, cols } = &self.rows else { return Vec::new() };
        (0..self.len.div_ceil(LANES))
            .map(|g| {
                let mut wide = vec![T::default(); cols * LANES];
                for l in 0..LANES.min(self.len - g * LANES) {
                    let i = g * LANES + l;
                    for k in indptr[i]..indptr[i + 1] {
                        wide[indices[k] as usize * LANES + l] = values[k];
                    }
                }
                wide
            })
            .collect()
    }
}

/// Sparse rows that are multiplied side by side.
pub(super) const LANES: usize = 8;

/// The mean of the columns; 0 where it overflows. Distances do not change when it is taken off, but what cancels in
/// ‖x‖² + ‖z‖² - 2 x·z is then no larger than the rows are apart.
pub(super) fn centre(m: MatRef<'_, f64>) -> Vec<f64> {
    let (mut sums, mut row) = (vec![0.0; m.cols()], vec![0.0; m.cols()]);
    for i in 0..m.rows() {
        m.copy_row(i, &mut row);
        sums.iter_mut().zip(&row).for_each(|(s, v)| *s += v);
    }
    let n = m.rows().max(1) as f64;
    sums.into_iter().map(|s| s / n).map(|v| if v.is_finite() { v } else { 0.0 }).collect()
}

/// Sparse rows with places in order, each once.
fn sparse<T: Number>(m: CsrRef<'_>) -> Rows<T> {
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::<T>::new());
    let mut cells: Vec<(u32, f64)> = Vec::new();
    for i in 0..m.rows() {
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
            values.push(T::of(sum));
        }
        indptr.push(values.len());
    }
    Rows::Sparse { indptr, indices, values, cols: m.cols() }
}
