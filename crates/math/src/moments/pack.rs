//! Packs rows into panels: centered, weighted and converted to f64.

use std::ops::Range;

use ermine_core::MatRef;

use super::Real;
use super::gram::{PANEL, PanelLayout, Prefetch};
use crate::simd::Simd;

/// Rows to be packed.
#[derive(Clone, Copy)]
pub(super) struct PackInput<'a, T> {
    pub x: MatRef<'a, T>,
    pub y: Option<MatRef<'a, f64>>,
    /// Square roots of the weights.
    pub roots: Option<&'a [f64]>,
}

impl<T: Real> PackInput<'_, T> {
    pub fn rows(&self) -> usize {
        self.x.rows()
    }

    pub fn range(&self, range: Range<usize>) -> Self {
        Self {
            x: self.x.row_range(range.clone()),
            y: self.y.map(|y| y.row_range(range.clone())),
            roots: self.roots.map(|r| &r[range]),
        }
    }

    /// The addresses of the cells of X of some later rows; beyond the last row, those that follow in memory.
    pub fn prefetch_of(&self, first: usize, rows: usize) -> Prefetch {
        let size = size_of::<T>();
        let (row, col) = (self.x.row_stride() * size, self.x.col_stride() * size);
        let at = self.x.as_slice().as_ptr().cast::<u8>().wrapping_add(first * row);
        if col == size && row == self.x.cols() * size {
            Prefetch::new(at, rows * row, 0, 1)
        } else if col == size {
            Prefetch::new(at, self.x.cols() * size, row, rows)
        } else if row == size && first < self.rows() {
            Prefetch::new(at, rows * size, col, self.x.cols())
        } else {
            Prefetch::none()
        }
    }

    /// The row of `[X | Y]`, padding left as it is.
    pub fn copy_row(&self, row: usize, out: &mut [f64]) {
        for j in 0..out.len() {
            out[j] = self.cell(row, j, out);
        }
    }

    /// The cell of `[X | Y]`; padding holds the origin, so that it packs as 0.
    fn cell(&self, row: usize, col: usize, origin: &[f64]) -> f64 {
        if row >= self.rows() {
            return origin[col];
        }
        if col < self.x.cols() {
            return self.x.at(row, col).to_f64();
        }
        match self.y {
            Some(y) if col - self.x.cols() < y.cols() => *y.at(row, col - self.x.cols()),
            _ => origin[col],
        }
    }
}

/// State of [`pack`]. Methods, not closures: they must be inlined where the processor features are enabled.
struct Packer<'a, S, T, const WEIGHTED: bool> {
    s: S,
    layout: PanelLayout,
    rows: &'a PackInput<'a, T>,
    origin: &'a [f64],
    sums: &'a mut [f64],
    out: &'a mut [f64],
    room: usize,
}

/// Writes √w (z - origin) for every row z of `[X | Y]` and adds the weighted sums of z - origin to `sums`. Rows are
/// padded with zeros to a multiple of 4. The result does not depend on the layout of X, to the last bit.
#[inline(always)]
pub(super) fn pack<S: Simd, T: Real>(
    s: S,
    layout: PanelLayout,
    rows: &PackInput<'_, T>,
    origin: &[f64],
    sums: &mut [f64],
    out: &mut [f64],
    room: usize,
) {
    assert!(room.is_multiple_of(4) && rows.rows() <= room && out.len() >= layout.padded() * room);
    assert!(origin.len() >= layout.padded() && sums.len() >= layout.padded());
    assert!(rows.roots.is_none_or(|r| r.len() == rows.rows()));
    match rows.roots {
        None => Packer::<S, T, false> { s, layout, rows, origin, sums, out, room }.all(),
        Some(_) => Packer::<S, T, true> { s, layout, rows, origin, sums, out, room }.all(),
    }
}

impl<S: Simd, T: Real, const WEIGHTED: bool> Packer<'_, S, T, WEIGHTED> {
    #[inline(always)]
    fn all(&mut self) {
        let x = self.rows.x;
        let groups = x.rows() / 4;
        if x.col_stride() == 1 {
            for group in 0..groups {
                for panel in 0..self.layout.panels() {
                    self.piece(group, panel, false);
                }
            }
        } else {
            for panel in 0..self.layout.panels() {
                for group in 0..groups {
                    self.piece(group, panel, true);
                }
            }
        }
        if groups * 4 < x.rows() {
            for panel in 0..self.layout.panels() {
                for t in 0..self.layout.width(panel) / 4 {
                    self.last_rows(groups, panel, t);
                }
            }
        }
    }

    /// Four rows of a panel.
    #[inline(always)]
    fn piece(&mut self, group: usize, panel: usize, by_columns: bool) {
        let x = self.rows.x;
        let (row_stride, col_stride) = (x.row_stride(), x.col_stride());
        let at = 4 * group * row_stride + PANEL * panel * col_stride;
        let inner = (x.cols().saturating_sub(PANEL * panel) / 4).min(3);
        for t in 0..self.layout.width(panel) / 4 {
            if t >= inner || (by_columns && row_stride != 1) {
                self.edge(group, panel, t);
            } else if by_columns {
                // SAFETY: these four rows and columns are inside the matrix, whose elements are all inside its slice.
                let values = unsafe { load(self.s, x.as_slice(), at + 4 * t * col_stride, col_stride) };
                self.step(group, panel, t, self.s.transpose(values));
            } else {
                // SAFETY: as above.
                let values = unsafe { load(self.s, x.as_slice(), at + 4 * t, row_stride) };
                self.step(group, panel, t, values);
            }
        }
    }

    /// Four rows of four columns: vector `t` of a panel.
    #[inline(always)]
    fn step(&mut self, group: usize, panel: usize, t: usize, values: [S::V; 4]) {
        let s = self.s;
        let width = self.layout.width(panel);
        let at = panel * PANEL * self.room + 4 * group * width + 4 * t;
        let col = PANEL * panel + 4 * t;
        // SAFETY: `origin` and `sums` have `padded` elements; rows 4 group .. 4 group + 4 of the panel exist, as `room` is
        // a multiple of 4 and not less than the rows, and hold `width` elements.
        unsafe {
            let zero = s.load(self.origin.as_ptr().add(col));
            let mut z = [zero; 4];
            for i in 0..4 {
                z[i] = s.sub(values[i], zero);
            }
            let total = if WEIGHTED {
                let mut root = [zero; 4];
                for i in 0..4 {
                    root[i] = s.splat(self.root(4 * group + i));
                    z[i] = s.mul(z[i], root[i]);
                }
                s.add(s.fma(z[0], root[0], s.mul(z[1], root[1])), s.fma(z[2], root[2], s.mul(z[3], root[3])))
            } else {
                s.add(s.add(z[0], z[1]), s.add(z[2], z[3]))
            };
            for i in 0..4 {
                s.store(self.out.as_mut_ptr().add(at + i * width), z[i]);
            }
            let sum = self.sums.as_mut_ptr().add(col);
            s.store(sum, s.add(s.load(sum), total));
        }
    }

    /// Padding has weight 0.
    #[inline(always)]
    fn root(&self, row: usize) -> f64 {
        self.rows.roots.and_then(|r| r.get(row)).copied().unwrap_or(0.0)
    }

    /// [`Packer::step`] for columns that are not all in X, or not side by side.
    #[inline(always)]
    fn edge(&mut self, group: usize, panel: usize, t: usize) {
        let (x, first, row) = (self.rows.x, PANEL * panel + 4 * t, 4 * group);
        let mut cells = [0.0; 16];
        for j in 0..4 {
            let col = first + j;
            if col < x.cols() {
                for i in 0..4 {
                    cells[4 * i + j] = x.at(row + i, col).to_f64();
                }
            } else if let Some(y) = self.rows.y
                && col < self.layout.cols
            {
                for i in 0..4 {
                    cells[4 * i + j] = *y.at(row + i, col - x.cols());
                }
            }
        }
        // SAFETY: 16 elements from the first on.
        let values = unsafe { load(self.s, &cells, 0, 4) };
        self.step(group, panel, t, values);
    }

    /// [`Packer::step`] for rows that do not fill a group.
    #[inline(always)]
    fn last_rows(&mut self, group: usize, panel: usize, t: usize) {
        let mut cells = [0.0; 16];
        for (k, v) in cells.iter_mut().enumerate() {
            *v = self.rows.cell(4 * group + k / 4, PANEL * panel + 4 * t + k % 4, self.origin);
        }
        // SAFETY: 16 elements from the first on.
        let values = unsafe { load(self.s, &cells, 0, 4) };
        self.step(group, panel, t, values);
    }
}

/// Four vectors at distance `step`, the first at `at`.
/// # Safety
/// They must lie inside `data`.
#[inline(always)]
unsafe fn load<S: Simd, T: Real>(s: S, data: &[T], at: usize, step: usize) -> [S::V; 4] {
    debug_assert!(at + 3 * step + 4 <= data.len());
    let from = data.as_ptr();
    // SAFETY: the caller's promise.
    unsafe {
        [
            T::load4(s, from.add(at)),
            T::load4(s, from.add(at + step)),
            T::load4(s, from.add(at + 2 * step)),
            T::load4(s, from.add(at + 3 * step)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    fn packed<S: Simd>(s: S, weighted: bool) -> (Vec<f64>, Vec<f64>) {
        let (rows, cols) = (23, 18);
        let layout = PanelLayout::new(cols + 1);
        let data: Vec<f64> = (0..rows * cols).map(|i| (i * 7 % 31) as f64).collect();
        let y: Vec<f64> = (0..rows).map(|i| i as f64).collect();
        let roots: Vec<f64> = (0..rows).map(|i| (i % 3) as f64).collect();
        let rows = PackInput {
            x: MatRef::row_major(&data, rows, cols),
            y: Some(MatRef::row_major(&y, rows, 1)),
            roots: weighted.then_some(&roots[..]),
        };
        let mut origin = vec![0.0; layout.padded()];
        origin[..cols + 1].fill(0.5);
        let mut sums = vec![0.0; layout.padded()];
        let mut out = vec![f64::NAN; layout.padded() * 24];
        pack(s, layout, &rows, &origin, &mut sums, &mut out, 24);
        (sums, out)
    }

    #[test]
    fn every_place_of_a_panel_is_written() {
        for weighted in [false, true] {
            let (sums, out) = packed(Portable, weighted);
            let root = |i: usize| if weighted { (i % 3) as f64 } else { 1.0 };
            // Column 0 is the first of the first panel; the target is column 18, the seventh of the second, 8 wide.
            for i in 0..23 {
                assert_eq!(out[12 * i], root(i) * ((i * 18 * 7 % 31) as f64 - 0.5));
                assert_eq!(out[12 * 24 + 8 * i + 6], root(i) * (i as f64 - 0.5));
                assert_eq!(out[12 * 24 + 8 * i + 7], 0.0);
            }
            assert!(out[12 * 23..12 * 24].iter().all(|v| *v == 0.0), "rows of padding");
            assert_eq!(sums[18], (0..23).map(|i| root(i) * root(i) * (i as f64 - 0.5)).sum::<f64>());
            #[cfg(target_arch = "x86_64")]
            if let Some(s) = crate::simd::Avx2::find() {
                assert_eq!(packed(s, weighted), (sums, out));
            }
        }
    }
}
