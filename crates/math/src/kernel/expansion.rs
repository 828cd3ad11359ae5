//! Kernel expansions Σⱼ cⱼ k(xⱼ, x): the predictions of every kernel machine.

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{Csr, CsrRef, Error, Features, Mat, MatRef, Result};

use super::Kernel;
use super::gram::sparse_square;
use super::number::GramNumber;
use super::panels::LANES;
use super::points::{KernelForm, mean};

/// Rows predicted together, and centers per panel.
const ROWS: usize = 64;
const PANEL: usize = 256;

/// The rows x₁, x₂, … of an expansion.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpansionPoints {
    /// Dense rows.
    Dense(Mat<f64>),
    /// Sparse rows.
    Sparse(Csr),
    /// Columns of a precomputed kernel matrix, and how many it has.
    Columns(Vec<u32>, usize),
}

impl ExpansionPoints {
    /// The given rows of `x`; their numbers for a precomputed kernel.
    pub fn take(kernel: &Kernel, x: &Features<'_>, rows: &[usize]) -> Result<Self> {
        if *kernel == Kernel::Precomputed {
            return Ok(Self::Columns(rows.iter().map(|&i| i as u32).collect(), x.cols()));
        }
        Ok(match x {
            Features::Csr(m) => Self::Sparse(m.take_rows(rows)),
            Features::F64(m) => Self::Dense(m.take_rows(rows)),
            other => {
                let owned = other.take_rows(rows);
                let mut scratch = Vec::new();
                Self::Dense(owned.view().f64_rows(&mut scratch, "a kernel")?.to_owned())
            }
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Dense(m) => m.rows(),
            Self::Sparse(m) => m.view().rows(),
            Self::Columns(places, _) => places.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Columns of the rows that a prediction takes.
    pub fn cols(&self) -> usize {
        match self {
            Self::Dense(m) => m.cols(),
            Self::Sparse(m) => m.view().cols(),
            Self::Columns(_, cols) => *cols,
        }
    }
}

/// The coefficients of one function, as runs of centers; the coefficients outside the runs are 0.
pub type SparseCoefs = Vec<(Range<usize>, Vec<f64>)>;

/// Centers prepared for prediction.
#[derive(Clone, Debug)]
pub struct Expansion {
    kernel: Kernel,
    form: KernelForm,
    centers: ExpansionPoints,
    /// Subtracted from dense rows for a Gaussian kernel, and the shifted centers, where their mean is large.
    shift: Vec<f64>,
    shifted: Vec<f64>,
    /// ‖x‖² of the centers of a Gaussian kernel.
    norms: Vec<f64>,
}

impl Expansion {
    /// Rules for γ must have been resolved.
    pub fn new(kernel: &Kernel, centers: ExpansionPoints) -> Result<Self> {
        kernel.check(centers.cols())?;
        let form = KernelForm::of(kernel);
        let (mut shift, mut shifted, mut norms) = (Vec::new(), Vec::new(), Vec::new());
        match (&form, &centers) {
            (_, ExpansionPoints::Columns(..)) if *kernel != Kernel::Precomputed => {
                return Err(Error::Data(format!("kernel {kernel} needs rows, not columns of a kernel matrix")));
            }
            (_, ExpansionPoints::Columns(places, cols)) => {
                if let Some(place) = places.iter().find(|p| **p as usize >= *cols) {
                    return Err(Error::Data(format!("column {place} of a kernel matrix of {cols} columns")));
                }
            }
            (KernelForm::Other(Kernel::Precomputed), _) => {
                return Err(Error::Data("a precomputed kernel has no rows".into()));
            }
            (KernelForm::Other(_), _) => {}
            (KernelForm::Gaussian { .. }, ExpansionPoints::Dense(m)) => {
                shift = far_mean(m);
                if !shift.is_empty() {
                    shifted = (0..m.rows()).flat_map(|i| m.row(i).iter().zip(&shift).map(|(v, c)| v - c)).collect();
                }
                let rows = if shift.is_empty() { m.as_slice() } else { &shifted };
                norms = rows.chunks_exact(m.cols().max(1)).map(square).collect();
            }
            (KernelForm::Gaussian { .. }, ExpansionPoints::Sparse(m)) => {
                let mut dense = vec![0.0; m.view().cols()];
                norms = (0..m.view().rows()).map(|i| sparse_square(m.view(), i, &mut dense)).collect();
            }
            (_, ExpansionPoints::Dense(_) | ExpansionPoints::Sparse(_)) => {}
        }
        Ok(Self { kernel: kernel.clone(), form, centers, shift, shifted, norms })
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The centers.
    pub fn centers(&self) -> &ExpansionPoints {
        &self.centers
    }

    /// One column of values per function, one row per row; in parallel over blocks of rows. The bits of a row do not
    /// depend on the rows around it.
    pub fn values(&self, x: &Features<'_>, functions: &[SparseCoefs], learner: &str) -> Result<Mat<f64>> {
        x.expect_cols(self.centers.cols())?;
        // A kernel may be finite, even 0, where a cell is not; reading the cells costs little next to the kernel.
        x.refuse_non_finite(None)?;
        let (rows, width) = (x.rows(), functions.len());
        let mut out = vec![0.0; rows * width];
        if width > 0 {
            out.par_chunks_mut(ROWS * width).enumerate().try_for_each(|(b, out)| {
                let range = b * ROWS..(b * ROWS + ROWS).min(rows);
                let block = x.row_range(range.clone());
                let height = range.len();
                let mut sums = vec![0.0; width * height];
                self.panels(&block, learner, &mut |first, k| {
                    let panel = first..first + k.len() / height.max(1);
                    for (sums, runs) in sums.chunks_exact_mut(height).zip(functions) {
                        for (run, c) in runs {
                            for j in run.start.max(panel.start)..run.end.min(panel.end) {
                                let (c, k) = (c[j - run.start], &k[(j - first) * height..][..height]);
                                sums.iter_mut().zip(k).for_each(|(s, k)| *s += c * k);
                            }
                        }
                    }
                })
                .map_err(|e| e.with_row(|row| row + range.start))?;
                for i in 0..height {
                    (0..width).for_each(|f| out[i * width + f] = sums[f * height + i]);
                }
                Ok::<(), Error>(())
            })?;
        }
        Ok(Mat::from_vec(rows, width, out))
    }

    /// k of all rows and all centers: one row per row.
    pub fn gram(&self, x: &Features<'_>, learner: &str) -> Result<Mat<f64>> {
        x.expect_cols(self.centers.cols())?;
        let width = self.centers.len();
        let mut out = vec![0.0; x.rows() * width];
        if width > 0 {
            out.par_chunks_mut(ROWS * width).enumerate().try_for_each(|(b, out)| {
                let height = out.len() / width;
                self.panels(&x.row_range(b * ROWS..b * ROWS + height), learner, &mut |first, k| {
                    for (j, k) in k.chunks_exact(height).enumerate() {
                        k.iter().enumerate().for_each(|(i, v)| out[i * width + first + j] = *v);
                    }
                })
                .map_err(|e| e.with_row(|row| row + b * ROWS))
            })?;
        }
        Ok(Mat::from_vec(x.rows(), width, out))
    }

    /// Passes on the values of panels of centers, those of a center side by side for all rows of the block.
    fn panels(&self, x: &Features<'_>, learner: &str, take: &mut dyn FnMut(usize, &[f64])) -> Result<()> {
        let (rows, cols) = (x.rows(), x.cols());
        if rows == 0 {
            return Ok(());
        }
        if let (
            ExpansionPoints::Sparse(m),
            KernelForm::Linear | KernelForm::Polynomial { .. } | KernelForm::Gaussian { .. } | KernelForm::Sigmoid { .. },
        ) = (&self.centers, &self.form)
        {
            return self.sparse_panels(m.view(), x, learner, take);
        }
        let mut scratch = Vec::new();
        let view = x.f64_rows(&mut scratch, learner)?;
        let mut block = vec![0.0; rows * cols];
        block.chunks_exact_mut(cols.max(1)).enumerate().for_each(|(i, row)| view.copy_row(i, row));
        let mut k = Vec::new();
        match &self.centers {
            ExpansionPoints::Columns(places, _) => {
                for (p, places) in places.chunks(PANEL).enumerate() {
                    k.clear();
                    places.iter().for_each(|&j| k.extend((0..rows).map(|i| block[i * cols + j as usize])));
                    take(p * PANEL, &k);
                }
            }
            ExpansionPoints::Sparse(m) => {
                for first in (0..m.view().rows()).step_by(PANEL) {
                    let centers = m.view().row_range(first..(first + PANEL).min(m.view().rows())).to_dense();
                    take(first, &self.kernel.gram_serial(centers.view(), MatRef::row_major(&block, rows, cols))?);
                }
            }
            ExpansionPoints::Dense(m) if matches!(self.form, KernelForm::Other(_)) => {
                for first in (0..m.rows()).step_by(PANEL) {
                    let centers = m.view().row_range(first..(first + PANEL).min(m.rows()));
                    take(first, &self.kernel.gram_serial(centers, MatRef::row_major(&block, rows, cols))?);
                }
            }
            ExpansionPoints::Dense(m) => {
                let mut norms = Vec::new();
                if let KernelForm::Gaussian { .. } = self.form {
                    block.chunks_exact_mut(cols).for_each(|row| row.iter_mut().zip(&self.shift).for_each(|(v, c)| *v -= c));
                    norms = block.chunks_exact(cols).map(square).collect();
                }
                let all = if self.shift.is_empty() { m.as_slice() } else { &self.shifted };
                let zeros = [0.0; PANEL];
                for first in (0..m.rows()).step_by(PANEL) {
                    let count = PANEL.min(m.rows() - first);
                    k.clear();
                    k.resize(count * rows, 0.0);
                    let centers = &all[first * cols..(first + count) * cols];
                    crate::tall_skinny::scores(
                        MatRef::row_major(&block, rows, cols),
                        centers,
                        cols,
                        &zeros[..count],
                        &mut k,
                        &[],
                    );
                    for (j, k) in k.chunks_exact_mut(rows).enumerate() {
                        self.form.map(k, self.norms.get(first + j).copied().unwrap_or(0.0), &norms);
                    }
                    take(first, &k);
                }
            }
        }
        Ok(())
    }

    fn sparse_panels(
        &self,
        centers: CsrRef<'_>,
        x: &Features<'_>,
        learner: &str,
        take: &mut dyn FnMut(usize, &[f64]),
    ) -> Result<()> {
        let (rows, cols) = (x.rows(), x.cols());
        // Eight rows side by side, column after column.
        let mut groups = Vec::new();
        let mut row = vec![0.0; cols];
        let mut norms = vec![0.0; rows];
        for g in 0..rows.div_ceil(LANES) {
            let mut wide = vec![0.0; cols * LANES];
            for l in 0..LANES.min(rows - g * LANES) {
                let i = g * LANES + l;
                match x {
                    Features::Csr(m) => m.copy_row(i, &mut row),
                    other => {
                        let mut scratch = Vec::new();
                        other.row_range(i..i + 1).f64_rows(&mut scratch, learner)?.copy_row(0, &mut row);
                    }
                }
                norms[i] = square(&row);
                row.iter().enumerate().for_each(|(j, v)| wide[j * LANES + l] = *v);
            }
            groups.push(wide);
        }
        let mut k = Vec::new();
        for first in (0..centers.rows()).step_by(PANEL) {
            let count = PANEL.min(centers.rows() - first);
            k.clear();
            k.resize(count * rows, 0.0);
            for j in 0..count {
                let (indices, values) = centers.row(first + j);
                let norm = self.norms.get(first + j).copied().unwrap_or(0.0);
                let out = &mut k[j * rows..(j + 1) * rows];
                for (g, wide) in groups.iter().enumerate() {
                    let sums = f64::sparse_products(wide, cols, indices, values);
                    let end = LANES.min(rows - g * LANES);
                    out[g * LANES..g * LANES + end].copy_from_slice(&sums[..end]);
                }
                self.form.map(out, norm, &norms);
            }
            take(first, &k);
        }
        Ok(())
    }
}

/// The mean of rows that are further from the origin than from each other; empty otherwise, since subtracting it would
/// cost another copy of the rows and gain less than a digit of their distances.
fn far_mean(m: &Mat<f64>) -> Vec<f64> {
    let mean = mean(m.cols(), 0..m.rows(), |i, row| row.copy_from_slice(m.row(i)));
    let apart: f64 = (0..m.rows()).map(|i| m.row(i).iter().zip(&mean).map(|(v, c)| (v - c).powi(2)).sum::<f64>()).sum::<f64>()
        / m.rows().max(1) as f64;
    if square(&mean) <= 4.0 * apart { Vec::new() } else { mean }
}

fn square(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum()
}
