//! Rows of features as f32, one at a time, from any layout.

use ermine_core::blocks::column_label;
use ermine_core::parallel::prelude::*;
use ermine_core::{CsrRef, Error, Features, Mat, MatRef, Result, Schema};
use ermine_math::row_ops::prefetch;

/// Rows that a thread processes at a time.
const RUN: usize = 256;

/// Whether all are finite: their products with 0 are then 0. Sixteen sums, for vectorization.
fn is_finite_row(row: &[f32]) -> bool {
    let mut sums = [0.0f32; 16];
    let (whole, rest) = row.as_chunks::<16>();
    for chunk in whole {
        for (s, v) in sums.iter_mut().zip(chunk) {
            *s += v * 0.0;
        }
    }
    let rest: f32 = rest.iter().map(|v| v * 0.0).sum();
    sums.iter().sum::<f32>() + rest == 0.0
}

/// Input rows of networks.
pub(crate) enum NetworkInput<'a> {
    F32(MatRef<'a, f32>),
    F64(MatRef<'a, f64>),
    Csr(CsrRef<'a>),
    Owned(Mat<f64>),
}

impl<'a> NetworkInput<'a> {
    /// Borrows the rows; tables must be all numbers.
    pub fn of(x: &Features<'a>, learner: &str) -> Result<Self> {
        Ok(match x {
            Features::F32(m) => Self::F32(*m),
            Features::F64(m) => Self::F64(*m),
            Features::Csr(m) => Self::Csr(*m),
            Features::Table(t) => Self::Owned(t.to_numbers(learner)?),
        })
    }

    /// The rows, checked to be finite, in f32 too.
    pub fn checked(x: &Features<'a>, schema: Option<&Schema>, learner: &str) -> Result<Self> {
        let cells = Self::of(x, learner)?;
        let all_sound = (0..x.rows().div_ceil(RUN)).into_par_iter().try_for_each(|run| {
            let mut row = vec![0.0; x.cols()];
            let unsound = (run * RUN..x.rows().min((run + 1) * RUN)).find_map(|i| {
                let contiguous = if let Self::F32(m) = &cells { m.row(i) } else { None };
                let row = contiguous.unwrap_or_else(|| {
                    cells.copy(i, &mut row);
                    &row
                });
                (!is_finite_row(row)).then(|| (i, row.iter().position(|v| !v.is_finite()).unwrap_or(0)))
            });
            unsound.map_or(Ok(()), Err)
        });
        if let Err((row, j)) = all_sound {
            x.refuse_non_finite(schema)?;
            let column = column_label(schema, j);
            let value = cells.at(row, j);
            let needed = "networks compute in f32, whose largest number is 3.4e38; scale the column".to_owned();
            return Err(Error::OutOfRange { what: format!("column {column}"), row, value, needed });
        }
        Ok(cells)
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::F32(m) => f64::from(*m.at(i, j)),
            Self::F64(m) => *m.at(i, j),
            Self::Owned(m) => m[(i, j)],
            Self::Csr(m) => {
                let mut row = vec![0.0; m.cols()];
                m.copy_row(i, &mut row);
                row[j]
            }
        }
    }

    /// Writes a row.
    pub fn copy(&self, i: usize, out: &mut [f32]) {
        fn to_f32(from: impl IntoIterator<Item = f64>, out: &mut [f32]) {
            out.iter_mut().zip(from).for_each(|(o, v)| *o = v as f32);
        }
        match self {
            Self::F32(m) => m.copy_row(i, out),
            Self::F64(m) => match m.row(i) {
                Some(row) => to_f32(row.iter().copied(), out),
                None => to_f32((0..m.cols()).map(|j| *m.at(i, j)), out),
            },
            Self::Owned(m) => to_f32(m.row(i).iter().copied(), out),
            Self::Csr(m) => {
                out.fill(0.0);
                let (indices, values) = m.row(i);
                indices.iter().zip(values).for_each(|(&j, &v)| out[j as usize] += v as f32);
            }
        }
    }

    /// Prefetches a row that will be copied soon.
    pub fn prefetch(&self, i: usize) {
        match self {
            Self::F32(m) => m.row(i).into_iter().for_each(prefetch),
            Self::F64(m) => m.row(i).into_iter().for_each(prefetch),
            Self::Owned(m) => prefetch(m.row(i)),
            Self::Csr(_) => {}
        }
    }

    /// The weighted mean of each column over some rows, the sum of its squared deviations, and the total weight. Blocks
    /// of rows are computed in parallel and merged in their order.
    pub fn moments(&self, rows: &[u32], columns: usize, weight: &(dyn Fn(usize) -> f64 + Sync)) -> (Vec<f64>, Vec<f64>, f64) {
        let run = |rows: &[u32]| {
            let mut row = vec![0.0f32; columns];
            let (mut mean, mut squares, mut mass) = (vec![0.0f64; columns], vec![0.0f64; columns], 0.0f64);
            for &i in rows {
                self.copy(i as usize, &mut row);
                let w = weight(i as usize);
                mass += w;
                let share = w / mass;
                for ((m, s), v) in mean.iter_mut().zip(&mut squares).zip(&row) {
                    let d = f64::from(*v) - *m;
                    *m += d * share;
                    *s += w * d * (f64::from(*v) - *m);
                }
            }
            (mean, squares, mass)
        };
        let mut runs = rows.par_chunks(RUN).map(run).collect::<Vec<_>>().into_iter();
        let Some((mut mean, mut squares, mut mass)) = runs.next() else {
            return (vec![0.0; columns], vec![0.0; columns], 0.0);
        };
        for (means, more, w) in runs {
            let all = mass + w;
            for j in 0..columns {
                let d = means[j] - mean[j];
                squares[j] += more[j] + d * d * mass * w / all;
                mean[j] += d * w / all;
            }
            mass = all;
        }
        (mean, squares, mass)
    }
}
