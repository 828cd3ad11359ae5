//! The inner loop of every product: a few rows times a few columns, the accumulators in registers.

use super::Float;
use super::buffer::LINE;
use super::lanes::{SimdLanes, SimdOp};

/// Epilogue applied to each element of a product before the store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Epilogue<'a, T> {
    /// None.
    Identity,
    /// z above 0, this times z below: 0 for ReLU.
    LeakyRelu(T),
    /// z where the element at the same place here is above 0, this times z elsewhere: the backward pass through
    /// [`Epilogue::LeakyRelu`]. The second number is the row stride of the elements.
    ReluMask(&'a [T], usize, T),
}

impl<T: Float> Epilogue<'_, T> {
    /// The same starting at an offset.
    ///
    /// # Safety
    /// The offset is inside.
    pub(super) unsafe fn offset(self, at: usize) -> RawEpilogue<T> {
        match self {
            Epilogue::Identity => RawEpilogue::Identity,
            Epilogue::LeakyRelu(slope) => RawEpilogue::LeakyRelu(slope),
            // SAFETY: the caller's promise.
            Epilogue::ReluMask(of, stride, slope) => RawEpilogue::ReluMask(unsafe { of.as_ptr().add(at) }, stride, slope),
        }
    }
}

/// Initial value of the accumulators.
#[derive(Clone, Copy)]
pub enum AccumulatorInit<T> {
    Zero,
    /// One number per column.
    Bias(*const T),
    /// The present content of the output.
    Accumulate,
}

#[derive(Clone, Copy)]
pub enum RawEpilogue<T> {
    Identity,
    LeakyRelu(T),
    ReluMask(*const T, usize, T),
}

/// The output of a product, the initial accumulators, and the epilogue.
#[derive(Clone, Copy)]
pub struct OutputTile<T> {
    pub c: *mut T,
    pub c_row: usize,
    /// Columns that are written.
    pub columns: usize,
    pub start: AccumulatorInit<T>,
    pub finish: RawEpilogue<T>,
}

impl<T: Float> OutputTile<T> {
    /// The same starting at a row and a column.
    ///
    /// # Safety
    /// Both are inside, or just behind.
    #[inline(always)]
    pub unsafe fn offset_tile(&self, row: usize, column: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                c: self.c.add(row * self.c_row + column),
                c_row: self.c_row,
                columns: self.columns.saturating_sub(column),
                start: match self.start {
                    AccumulatorInit::Bias(bias) => AccumulatorInit::Bias(bias.add(column)),
                    other => other,
                },
                finish: match self.finish {
                    RawEpilogue::ReluMask(of, stride, slope) => {
                        RawEpilogue::ReluMask(of.add(row * stride + column), stride, slope)
                    }
                    other => other,
                },
            }
        }
    }

    /// Initial accumulators of R rows and V vectors.
    ///
    /// # Safety
    /// As for [`tile_body`].
    #[inline(always)]
    pub unsafe fn init_accumulators<L: SimdLanes<T>, const R: usize, const V: usize>(&self, l: L) -> [[L::V; V]; R] {
        let mut sums = [[l.splat(T::ZERO); V]; R];
        // SAFETY: all places below are those that the caller promises.
        unsafe {
            match self.start {
                AccumulatorInit::Zero => {}
                AccumulatorInit::Bias(bias) => {
                    for v in 0..V {
                        let bias = l.load(bias.add(v * L::N));
                        for r in 0..R {
                            sums[r][v] = bias;
                        }
                    }
                }
                AccumulatorInit::Accumulate => {
                    for r in 0..R {
                        for v in 0..V {
                            sums[r][v] = l.load(self.c.add(r * self.c_row + v * L::N));
                        }
                    }
                }
            }
        }
        sums
    }

    /// Stores the accumulators of R rows and V vectors.
    ///
    /// # Safety
    /// As for [`tile_body`].
    #[inline(always)]
    pub unsafe fn store<L: SimdLanes<T>, const R: usize, const V: usize>(&self, l: L, mut sums: [[L::V; V]; R]) {
        // SAFETY: all places below are those that the caller promises.
        unsafe {
            match self.finish {
                RawEpilogue::Identity => {}
                RawEpilogue::LeakyRelu(slope) => {
                    let slope = l.splat(slope);
                    for r in 0..R {
                        for v in 0..V {
                            // The slope is below 1, so the function is the maximum of both.
                            sums[r][v] = l.max(l.mul(sums[r][v], slope), sums[r][v]);
                        }
                    }
                }
                RawEpilogue::ReluMask(of, row, slope) => {
                    let slope = l.splat(slope);
                    for r in 0..R {
                        for v in 0..V {
                            let of = l.load(of.add(r * row + v * L::N));
                            sums[r][v] = l.select_positive(of, sums[r][v], l.mul(sums[r][v], slope));
                        }
                    }
                }
            }
            if self.columns >= V * L::N {
                for r in 0..R {
                    for v in 0..V {
                        l.store(self.c.add(r * self.c_row + v * L::N), sums[r][v]);
                    }
                }
            } else {
                for r in 0..R {
                    for v in 0..V {
                        let left = self.columns.saturating_sub(v * L::N).min(L::N);
                        if left == L::N {
                            l.store(self.c.add(r * self.c_row + v * L::N), sums[r][v]);
                        } else if left > 0 {
                            l.store_first(self.c.add(r * self.c_row + v * L::N), sums[r][v], left);
                        }
                    }
                }
            }
        }
    }
}

/// c\[i, j\] = epilogue(start + Σₖ a\[i, k\] b\[k, j\]). The inner index runs over pieces: piece p of `a` begins at
/// `offsets[p]`.
#[derive(Clone, Copy)]
pub struct ProductTile<T> {
    pub a: *const T,
    /// From one row of `a` to the next, and from one inner index to the next.
    pub a_row: usize,
    pub a_step: usize,
    pub offsets: *const usize,
    pub pieces: usize,
    /// Inner indices of a piece.
    pub length: usize,
    pub b: *const T,
    pub b_row: usize,
    pub to: OutputTile<T>,
}

/// R rows times V vectors.
///
/// # Safety
/// `a` has R rows and `b` rows of V vectors for all inner indices of all pieces; `c`, and its initial values and mask,
/// have R rows: all V vectors wide, but only `columns` of `c` need to be writable where sums do not start from it.
#[inline(always)]
pub unsafe fn tile_body<T: Float, L: SimdLanes<T>, const R: usize, const V: usize>(l: L, t: &ProductTile<T>) {
    // SAFETY: all places below are those that the caller promises.
    unsafe {
        let mut sums = t.to.init_accumulators::<L, R, V>(l);
        let mut b = t.b;
        for p in 0..t.pieces {
            let mut a = t.a.add(*t.offsets.add(p));
            for _ in 0..t.length {
                let mut right = [l.splat(T::ZERO); V];
                for v in 0..V {
                    right[v] = l.load(b.add(v * L::N));
                }
                for r in 0..R {
                    let left = l.splat(*a.add(r * t.a_row));
                    for v in 0..V {
                        sums[r][v] = l.fma(left, right[v], sums[r][v]);
                    }
                }
                a = a.add(t.a_step);
                b = b.add(t.b_row);
            }
        }
        t.to.store(l, sums);
    }
}

/// All tiles of `rows` rows and `units` units of 16 columns, of which those of `tile` are the first.
pub struct TileSweep<T> {
    pub tile: ProductTile<T>,
    pub rows: usize,
    pub units: usize,
}

impl<T: Float> SimdOp<T> for TileSweep<T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, l: L) {
        let Self { tile, rows, units } = self;
        let high = L::rows(units.min(L::UNITS));
        let count = rows.div_ceil(high);
        for g in 0..count {
            // As equal as possible, so that no tile is too low to keep the multipliers busy.
            let (row, next) = (g * rows / count, (g + 1) * rows / count);
            let mut unit = 0;
            while unit < units {
                let wide = (units - unit).min(L::UNITS);
                let column = unit * LINE;
                // SAFETY: the creator of the sweep guarantees its rows and columns.
                unsafe {
                    let (a, b) = (tile.a.add(row * tile.a_row), tile.b.add(column));
                    let part = ProductTile { a, b, to: tile.to.offset_tile(row, column), ..tile };
                    l.tile(wide, next - row, &part);
                }
                unit += wide;
            }
        }
    }
}
