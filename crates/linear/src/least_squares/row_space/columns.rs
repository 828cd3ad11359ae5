//! The centered, weighted data by column, and the products of its rows.

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{CsrRef, Features, Mat, MatRef, Partial, Result, TableRef};
use ermine_math::double_double::{Dd, DdGram};
use ermine_math::moments::Moments;

use ermine_math::scale::power;

/// Checks for cancellation; receives the number of chunks done.
pub type ProgressFn<'a> = &'a (dyn Fn(usize) -> Result<()> + Sync);

/// Features by column.
pub enum ColumnStore<'a> {
    F64(MatRef<'a, f64>),
    F32(MatRef<'a, f32>),
    Table(TableRef<'a>),
    /// Start of each column, then rows and values.
    Sparse(Vec<usize>, Vec<(u32, f64)>),
}

impl<'a> ColumnStore<'a> {
    pub fn new(x: &Features<'a>) -> Self {
        match x {
            Features::F64(m) => Self::F64(*m),
            Features::F32(m) => Self::F32(*m),
            Features::Table(t) => Self::Table(*t),
            Features::Csr(m) => Self::transposed(m),
        }
    }

    pub fn transposed(m: &CsrRef<'_>) -> Self {
        let mut starts = vec![0; m.cols() + 1];
        (0..m.rows()).for_each(|i| m.row(i).0.iter().for_each(|&j| starts[j as usize + 1] += 1));
        (0..m.cols()).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let mut cells = vec![(0, 0.0); m.stored()];
        for i in 0..m.rows() {
            let (indices, values) = m.row(i);
            for (&j, &v) in indices.iter().zip(values) {
                cells[next[j as usize]] = (i as u32, v);
                next[j as usize] += 1;
            }
        }
        Self::Sparse(starts, cells)
    }

    /// The cells of one column in the rows of `rows`; `scratch` has an element for every row of the data.
    pub fn read(&self, col: usize, rows: &[usize], scratch: &mut [f64], out: &mut [f64]) {
        match self {
            Self::F64(m) => rows.iter().zip(out).for_each(|(&i, o)| *o = *m.at(i, col)),
            Self::F32(m) => rows.iter().zip(out).for_each(|(&i, o)| *o = f64::from(*m.at(i, col))),
            Self::Table(t) => {
                let values = t.numbers(col).unwrap_or(&[]);
                rows.iter().zip(out).for_each(|(&i, o)| *o = values[i]);
            }
            Self::Sparse(starts, cells) => {
                scratch.fill(0.0);
                cells[starts[col]..starts[col + 1]].iter().for_each(|&(i, v)| scratch[i as usize] += v);
                rows.iter().zip(out).for_each(|(&i, o)| *o = scratch[i]);
            }
        }
    }
}

/// The centered, weighted data by column, made a chunk at a time.
pub struct CenteredColumns<'a> {
    pub columns: ColumnStore<'a>,
    /// Rows of the data.
    pub all: usize,
    /// Rows with a weight above 0, and the square roots of their weights.
    pub rows: Vec<usize>,
    pub root: Vec<f64>,
    pub mean: Vec<Dd>,
    /// Z is in units of 2^-exponent.
    pub exponent: i32,
}

impl CenteredColumns<'_> {
    /// Column j of Z in double-double.
    fn column_dd(&self, j: usize, scratch: &mut [f64], raw: &mut [f64], visit: &mut dyn FnMut(usize, Dd)) {
        self.columns.read(j, &self.rows, scratch, raw);
        let unit = power(self.exponent);
        for (i, &v) in raw.iter().enumerate() {
            visit(i, (Dd::from(v) - self.mean[j]).scale(unit) * self.root[i].into());
        }
    }

    /// Columns `range` of Z in f64, one row per column.
    pub fn chunk(&self, range: Range<usize>) -> Mat<f64> {
        let mut z = Mat::zeros(range.len(), self.rows.len());
        let mut scratch = vec![0.0; self.all];
        let unit = power(self.exponent);
        for (row, j) in range.enumerate() {
            let out = z.row_mut(row);
            self.columns.read(j, &self.rows, &mut scratch, out);
            let Dd { hi, lo } = self.mean[j];
            out.iter_mut().zip(&self.root).for_each(|(v, r)| *v = ((*v - hi) - lo) * unit * r);
        }
        z
    }
}

/// Z Zᵀ in f64.
pub fn products(z: &CenteredColumns<'_>, chunks: &[Range<usize>], progress: ProgressFn<'_>) -> Result<Mat<f64>> {
    let m = z.rows.len();
    let total = grouped(
        z,
        chunks,
        progress,
        || Moments::new(m, 0),
        |part, range| part.add(z.chunk(range).view(), None, None),
        |a, b| {
            a.merge(b);
            Ok(())
        },
    )?;
    // Products about the mean over columns, back to products about zero.
    let (scatter, mean) = (total.scatter(), total.mean());
    Ok(Mat::from_fn(m, m, |i, j| scatter[(i, j)] + total.weight() * mean[i] * mean[j]))
}

/// Z Zᵀ in double-double.
pub fn exact_products(z: &CenteredColumns<'_>, chunks: &[Range<usize>], progress: ProgressFn<'_>) -> Result<DdGram> {
    let m = z.rows.len();
    let fill = |part: &mut DdGram, range: Range<usize>| {
        let (mut scratch, mut raw, mut column) = (vec![0.0; z.all], vec![0.0; m], vec![Dd::ZERO; m]);
        for j in range {
            z.column_dd(j, &mut scratch, &mut raw, &mut |i, v| column[i] = v);
            part.add_row(1.0, |i| column[i]);
        }
        part.flush();
    };
    grouped(z, chunks, progress, || DdGram::new(m), fill, |a, b| a.merge(b))
}

/// Sums over chunks of columns, side by side in a number of groups that depends on the shape alone.
fn grouped<P: Send>(
    z: &CenteredColumns<'_>,
    chunks: &[Range<usize>],
    progress: ProgressFn<'_>,
    empty: impl Fn() -> P + Sync,
    add: impl Fn(&mut P, Range<usize>) + Sync,
    merge: impl Fn(&mut P, P) -> Result<()>,
) -> Result<P> {
    let groups = (z.mean.len() / (2 * z.rows.len()).max(1)).clamp(1, 8);
    let parts: Vec<Result<P>> = chunks
        .par_chunks(chunks.len().div_ceil(groups))
        .map(|group| {
            let mut part = empty();
            for (at, range) in group.iter().enumerate() {
                progress(at * groups)?;
                add(&mut part, range.clone());
            }
            Ok(part)
        })
        .collect();
    let mut total: Option<P> = None;
    for part in parts {
        match &mut total {
            None => total = Some(part?),
            Some(total) => merge(total, part?)?,
        }
    }
    Ok(total.unwrap_or_else(empty))
}
