//! The symmetric product of packed rows: C += Pᵀ P, upper triangle only.
//!
//! Columns are cut in panels of 12. Packed rows lie panel by panel, within a panel row by row. The triangle lies panel by
//! panel too: panel j holds the rows 0 to the end of its diagonal tile, each as wide as the panel, so every tile is one
//! contiguous piece of memory and the whole takes half of a square. The last panel is narrower, a multiple of 4.

use crate::simd::Simd;

/// Columns of a full panel: three vectors, so that 4 rows of a tile use 12 accumulators of the 16 registers.
pub(super) const PANEL: usize = 12;

/// Panels whose packed rows stay in the second-level cache while all tiles above them are computed.
const PANELS_HELD: usize = 12;

/// Memory layout for a number of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PanelLayout {
    pub cols: usize,
    full: usize,
    last: usize,
}

impl PanelLayout {
    pub fn new(cols: usize) -> Self {
        let padded = cols.next_multiple_of(4);
        Self { cols, full: padded / PANEL, last: padded % PANEL }
    }

    pub fn panels(self) -> usize {
        self.full + usize::from(self.last > 0)
    }

    /// Columns with padding.
    pub fn padded(self) -> usize {
        self.full * PANEL + self.last
    }

    pub fn width(self, panel: usize) -> usize {
        if panel < self.full { PANEL } else { self.last }
    }

    /// Rows of the triangle in a panel.
    pub fn height(self, panel: usize) -> usize {
        panel * PANEL + self.width(panel)
    }

    /// Where a panel of the triangle starts.
    pub fn start(self, panel: usize) -> usize {
        PANEL * PANEL * panel * (panel + 1) / 2
    }

    /// Elements of the triangle.
    pub fn len(self) -> usize {
        self.start(self.full) + self.padded() * self.last
    }

    /// Where the element (row, col), row <= col, of the triangle lies.
    pub fn at(self, row: usize, col: usize) -> usize {
        let panel = col / PANEL;
        self.start(panel) + row * self.width(panel) + col % PANEL
    }
}

/// Addresses to prefetch while the products are computed: `runs` runs of `bytes`, `step` apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prefetch {
    at: *const u8,
    bytes: usize,
    step: usize,
    runs: usize,
    done: usize,
}

// SAFETY: the address is only ever prefetched, never read.
unsafe impl Send for Prefetch {}
// SAFETY: as above.
unsafe impl Sync for Prefetch {}

const LINE: usize = 64;

impl Prefetch {
    pub fn new(at: *const u8, bytes: usize, step: usize, runs: usize) -> Self {
        Self { at, bytes, step, runs, done: 0 }
    }

    /// Nothing to prefetch.
    pub fn none() -> Self {
        Self::new(std::ptr::null(), 0, 0, 0)
    }

    /// Address of the next `lines` cache lines, and the step from one to the next: 0 when there are no more.
    #[inline(always)]
    fn next_lines(&mut self, lines: usize) -> (*const u8, usize) {
        if self.runs == 0 {
            return (self.at, 0);
        }
        let at = self.at.wrapping_add(self.done);
        self.done += lines * LINE;
        // Prefetching a few lines beyond the end of a run is harmless.
        if self.done >= self.bytes {
            self.at = self.at.wrapping_add(self.step);
            self.runs -= 1;
            self.done = 0;
        }
        (at, LINE)
    }
}

/// Adds the products of `rows` packed rows (room for `room` in each panel) to panels `from..to` of the triangle; `c`
/// starts with panel `from`.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // two matrices and their cuts
pub(super) fn accumulate<S: Simd>(
    s: S,
    layout: PanelLayout,
    packed: &[f64],
    room: usize,
    rows: usize,
    c: &mut [f64],
    (from, to): (usize, usize),
    mut ahead: Prefetch,
) {
    assert!(rows <= room && rows.is_multiple_of(4) && packed.len() >= layout.padded() * room && to <= layout.panels());
    assert!(c.len() >= if to == layout.panels() { layout.len() } else { layout.start(to) } - layout.start(from));
    if rows == 0 {
        return;
    }
    let mut first = from;
    while first < to {
        let end = (first + PANELS_HELD).min(to);
        for i in 0..end {
            for j in first.max(i)..end {
                let (a, b) = (packed[i * PANEL * room..].as_ptr(), packed[j * PANEL * room..].as_ptr());
                let width = layout.width(j);
                let c = c[layout.start(j) - layout.start(from) + i * PANEL * width..].as_mut_ptr();
                // SAFETY: panel i holds `rows` rows of 12 (or `width`, when it is panel j itself) f64, panel j rows of
                // `width`; the tile holds 12 (or `width`) rows of `width` f64; both by the assertions above.
                unsafe { tile(s, rows, a, b, c, width, i == j, &mut ahead) };
            }
        }
        first = end;
    }
}

/// One tile: the products of a full panel with a panel of `width` columns, or of that panel with itself.
/// # Safety
/// The panels must hold `rows` rows, a multiple of 4 above 0, the tile 12 rows (`width` on the diagonal) of `width` f64.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn tile<S: Simd>(
    s: S,
    rows: usize,
    a: *const f64,
    b: *const f64,
    c: *mut f64,
    width: usize,
    diagonal: bool,
    ahead: &mut Prefetch,
) {
    // SAFETY: offsets stay within the rows and tiles that the caller promises.
    unsafe {
        match (width, diagonal) {
            (12, false) => {
                for t in [0, 4, 8] {
                    let (line, step) = ahead.next_lines(rows / 4);
                    s.product_4x12(rows, a.add(t), b, c.add(t * 12), line, step);
                }
            }
            (8, false) => {
                for t in [0, 6] {
                    kernel::<S, 6, 2>(s, rows, a.add(t), 12, b, 8, c.add(t * 8), 8);
                }
            }
            (_, false) => kernel::<S, 12, 1>(s, rows, a, 12, b, 4, c, 4),
            (12, true) => {
                let (line, step) = ahead.next_lines(rows / 4);
                s.product_4x12(rows, a, b, c, line, step);
                kernel::<S, 4, 2>(s, rows, a.add(4), 12, b.add(4), 12, c.add(4 * 12 + 4), 12);
                kernel::<S, 4, 1>(s, rows, a.add(8), 12, b.add(8), 12, c.add(8 * 12 + 8), 12);
            }
            (8, true) => {
                kernel::<S, 4, 2>(s, rows, a, 8, b, 8, c, 8);
                kernel::<S, 4, 1>(s, rows, a.add(4), 8, b.add(4), 8, c.add(4 * 8 + 4), 8);
            }
            (_, true) => kernel::<S, 4, 1>(s, rows, a, 4, b, 4, c, 4),
        }
    }
}

/// M rows and 4 N columns of a tile, kept in registers over all packed rows.
/// # Safety
/// `a` must hold `rows` rows of M f64 at distance `a_step`, `b` of 4 N at `b_step`, `c` M of 4 N at `c_step`.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // three strided matrices
unsafe fn kernel<S: Simd, const M: usize, const N: usize>(
    s: S,
    rows: usize,
    mut a: *const f64,
    a_step: usize,
    mut b: *const f64,
    b_step: usize,
    c: *mut f64,
    c_step: usize,
) {
    let mut sums = [[s.splat(0.0); N]; M];
    // SAFETY: the caller's promise.
    unsafe {
        for _ in 0..rows {
            let mut right = [s.splat(0.0); N];
            for n in 0..N {
                right[n] = s.load(b.add(4 * n));
            }
            for m in 0..M {
                let left = s.splat(*a.add(m));
                for n in 0..N {
                    sums[m][n] = s.fma(left, right[n], sums[m][n]);
                }
            }
            a = a.wrapping_add(a_step);
            b = b.wrapping_add(b_step);
        }
        for m in 0..M {
            for n in 0..N {
                let at = c.add(m * c_step + 4 * n);
                s.store(at, s.add(s.load(at), sums[m][n]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangle_has_a_place_for_every_pair_and_no_two_share_one() {
        for cols in 1..80 {
            let l = PanelLayout::new(cols);
            assert!(l.padded() >= cols && l.padded() < cols + 4 && l.padded().is_multiple_of(4), "{cols}");
            let mut seen = vec![false; l.len()];
            for j in 0..cols {
                for i in 0..=j {
                    assert!(!std::mem::replace(&mut seen[l.at(i, j)], true), "{cols}: ({i}, {j})");
                }
            }
            let heights: usize = (0..l.panels()).map(|j| l.height(j) * l.width(j)).sum();
            assert_eq!(heights, l.len());
        }
    }

    fn check<S: Simd>(s: S, name: &str) {
        for cols in [1, 3, 4, 7, 8, 11, 12, 13, 17, 24, 29, 36, 60, 175, 205] {
            let layout = PanelLayout::new(cols);
            let (room, rows) = (16, 12);
            let mut packed = vec![0.0; layout.padded() * room];
            let cell = |k: usize, j: usize| if j < cols { ((k * 31 + j * 17) % 23) as f64 - 11.0 } else { 0.0 };
            for panel in 0..layout.panels() {
                let width = layout.width(panel);
                for k in 0..rows {
                    for j in 0..width {
                        packed[panel * PANEL * room + k * width + j] = cell(k, panel * PANEL + j);
                    }
                }
            }
            let mut c = vec![1.0; layout.len()];
            let mid = layout.panels() / 2;
            let (left, right) = c.split_at_mut(layout.start(mid));
            accumulate(s, layout, &packed, room, rows, left, (0, mid), Prefetch::none());
            let ahead = Prefetch::new(packed.as_ptr().cast(), 200, 300, 4);
            accumulate(s, layout, &packed, room, rows, right, (mid, layout.panels()), ahead);
            for j in 0..cols {
                for i in 0..=j {
                    // Integers: the products are exact.
                    let want: f64 = 1.0 + (0..rows).map(|k| cell(k, i) * cell(k, j)).sum::<f64>();
                    assert_eq!(c[layout.at(i, j)], want, "{name}: {cols} columns, ({i}, {j})");
                }
            }
        }
    }

    #[test]
    fn tiles_follow_the_definition_on_any_processor() {
        check(crate::simd::Portable, "portable");
        #[cfg(target_arch = "x86_64")]
        if let Some(s) = crate::simd::Avx2::find() {
            check(s, "AVX2");
        }
    }
}
