//! Gathering of columns from a design.

use ermine_core::parallel::prelude::*;
use ermine_core::{CsrRef, MatRef};

use super::{ColumnStorage, Columns, Design, DesignForm};
use crate::moments::Real;

/// Columns a thread transposes at a time.
const AT_ONCE: usize = 8;
/// Rows whose cells of [`AT_ONCE`] columns are copied before the next: both stay in first-level cache.
const STRIP: usize = 64;
/// Stored values that are worth a task.
const TASK: usize = 1 << 17;
/// Tasks at most: each counts all wanted columns.
const TASKS: usize = 16;

/// Transformation of cells while they are gathered.
#[derive(Debug, Clone, Copy, Default)]
pub struct CellTransform<'a> {
    /// Subtracted from the cells first, one per gathered column. Cells of sparse columns are not centered, since zeros
    /// would fill in; the caller accounts for the shift.
    pub center: Option<&'a [f64]>,
    /// One factor per row: the square root of its weight.
    pub factor: Option<&'a [f64]>,
}

impl Design<'_> {
    /// The given columns, in that order. Contiguous columns are borrowed, all others copied.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn columns(&self, set: &[usize]) -> Columns<'_> {
        let store = match self.form() {
            DesignForm::Cols64(c) => ColumnStorage::Borrowed64(set.iter().map(|&j| c[j]).collect()),
            DesignForm::Cols32(c) => ColumnStorage::Borrowed32(set.iter().map(|&j| c[j]).collect()),
            _ => return self.changed_columns(set, CellTransform::default()),
        };
        Columns { rows: self.rows, store }
    }

    /// All columns.
    pub fn all_columns(&self) -> Columns<'_> {
        self.columns(&(0..self.cols).collect::<Vec<_>>())
    }

    /// A copy of the given columns, in that order, centered and scaled on the way.
    ///
    /// # Panics
    /// When there is no such column, or a change has another length.
    pub fn changed_columns(&self, set: &[usize], change: CellTransform<'_>) -> Columns<'static> {
        assert!(set.iter().all(|&j| j < self.cols), "a column beyond the last");
        assert!(change.center.is_none_or(|c| c.len() == set.len()) && change.factor.is_none_or(|f| f.len() == self.rows));
        let store = match self.form() {
            DesignForm::Csr(m) => sparse(m, set, change.factor),
            DesignForm::Rows64(m) => ColumnStorage::Dense(from_rows(m, set, change).into()),
            DesignForm::Rows32(m) => ColumnStorage::Dense(from_rows(m, set, change).into()),
            DesignForm::Cols64(c) => ColumnStorage::Dense(from_cols(c, self.rows, set, change).into()),
            DesignForm::Cols32(c) => ColumnStorage::Dense(from_cols(c, self.rows, set, change).into()),
        };
        Columns { rows: self.rows, store }
    }
}

/// Centers and scales one column.
fn apply(column: &mut [f64], k: usize, change: CellTransform<'_>) {
    if let Some(center) = change.center {
        column.iter_mut().for_each(|v| *v -= center[k]);
    }
    if let Some(factor) = change.factor {
        column.iter_mut().zip(factor).for_each(|(v, f)| *v *= f);
    }
}

fn from_cols<T: Real>(cols: &[&[T]], rows: usize, set: &[usize], change: CellTransform<'_>) -> Vec<f64> {
    let mut out = vec![0.0; rows * set.len()];
    out.par_chunks_mut(rows.max(1)).zip(set).enumerate().for_each(|(k, (out, &j))| {
        out.iter_mut().zip(cols[j]).for_each(|(o, v)| *o = v.to_f64());
        apply(out, k, change);
    });
    out
}

fn from_rows<T: Real>(x: MatRef<'_, T>, set: &[usize], change: CellTransform<'_>) -> Vec<f64> {
    let (rows, stride, data) = (x.rows(), x.row_stride(), x.as_slice());
    let mut out = vec![0.0; rows * set.len()];
    out.par_chunks_mut(rows.max(1) * AT_ONCE).zip(set.par_chunks(AT_ONCE)).enumerate().for_each(|(group, (out, set))| {
        for first in (0..rows).step_by(STRIP) {
            let end = (first + STRIP).min(rows);
            for (k, &j) in set.iter().enumerate() {
                for (i, o) in (first..end).zip(&mut out[k * rows + first..k * rows + end]) {
                    *o = data[i * stride + j].to_f64();
                }
            }
        }
        for (k, column) in out.chunks_mut(rows.max(1)).enumerate() {
            apply(column, group * AT_ONCE + k, change);
        }
    });
    out
}

/// A pointer that tasks write through, each to places of its own.
struct Places<T>(*mut T);
// SAFETY: tasks write disjoint places and nobody reads until all have ended.
unsafe impl<T: Send> Sync for Places<T> {}

impl<T> Places<T> {
    /// # Safety
    /// `at` must lie inside the allocation and belong to the caller alone.
    unsafe fn write(&self, at: usize, value: T) {
        // SAFETY: the caller's promise.
        unsafe { *self.0.add(at) = value };
    }
}

/// Sparse rows to the wanted sparse columns. Rows are cut in pieces; each counts what it has of every wanted column, then
/// writes it where the pieces before it end.
fn sparse<'a>(m: CsrRef<'_>, set: &[usize], factor: Option<&[f64]>) -> ColumnStorage<'a> {
    const NONE: u32 = u32::MAX;
    let wanted = set.len();
    // A column may be wanted twice: chain the places.
    let mut slot = vec![NONE; m.cols()];
    let mut next = vec![NONE; wanted];
    for (k, &j) in set.iter().enumerate().rev() {
        next[k] = slot[j];
        slot[j] = k as u32;
    }
    let tasks = (m.stored() / TASK).clamp(1, TASKS);
    let cut = |t: usize| t * m.rows() / tasks;
    let mut counts: Vec<Vec<usize>> = (0..tasks)
        .into_par_iter()
        .map(|t| {
            let mut count = vec![0; wanted];
            for i in cut(t)..cut(t + 1) {
                for &j in m.row(i).0 {
                    let mut k = slot[j as usize];
                    while k != NONE {
                        count[k as usize] += 1;
                        k = next[k as usize];
                    }
                }
            }
            count
        })
        .collect();
    let mut starts = Vec::with_capacity(wanted + 1);
    let mut at = 0;
    for k in 0..wanted {
        starts.push(at);
        for count in &mut counts {
            at += std::mem::replace(&mut count[k], at);
        }
    }
    starts.push(at);
    let (mut indices, mut values) = (vec![0u32; at], vec![0.0; at]);
    let (to_index, to_value) = (Places(indices.as_mut_ptr()), Places(values.as_mut_ptr()));
    counts.par_iter_mut().enumerate().for_each(|(t, place)| {
        for i in cut(t)..cut(t + 1) {
            let by = factor.map_or(1.0, |f| f[i]);
            let (cols, row) = m.row(i);
            for (&j, &v) in cols.iter().zip(row) {
                let mut k = slot[j as usize];
                while k != NONE {
                    let at = &mut place[k as usize];
                    // SAFETY: this piece counted exactly these values of column k, and its places start where those of
                    // the pieces before it end.
                    unsafe {
                        to_index.write(*at, i as u32);
                        to_value.write(*at, by * v);
                    }
                    *at += 1;
                    k = next[k as usize];
                }
            }
        }
    });
    ColumnStorage::Sparse { starts, indices, values }
}
