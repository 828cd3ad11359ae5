//! The inner loop of every product: a few rows times a few columns, the sums in registers.

use super::Float;
use super::buffer::LINE;
use super::lanes::{Lanes, Op};

/// What is done to the numbers of a product before they are put down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End<'a, T> {
    /// Nothing.
    Plain,
    /// z above 0, this times z below: 0 for ReLU.
    Slope(T),
    /// z where the number at the same place here is above 0, this times z elsewhere: the way back through [`End::Slope`]. The rows
    /// of the numbers are as far apart as the second number says.
    Where(&'a [T], usize, T),
}

/// What sums begin with.
#[derive(Clone, Copy)]
pub enum Start<T> {
    Zero,
    /// One number a column.
    Bias(*const T),
    /// What is there already.
    Add,
}

#[derive(Clone, Copy)]
pub enum Finish<T> {
    Plain,
    Slope(T),
    Where(*const T, usize, T),
}

/// c\[i, j\] = finish(start + Σₖ a\[i, k\] b\[k, j\]). The inner index runs over pieces: piece p of `a` begins `offsets[p]` further on.
#[derive(Clone, Copy)]
pub struct Tile<T> {
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
    pub c: *mut T,
    pub c_row: usize,
    /// Columns that are written.
    pub columns: usize,
    pub start: Start<T>,
    pub finish: Finish<T>,
}

/// R rows times V vectors.
///
/// # Safety
/// `a` has R rows and `b` rows of V vectors for all inner indices of all pieces; `c`, and what it starts from and is gated by, has R
/// rows: all V vectors wide, but only `columns` of `c` need to be writable where sums do not begin with it.
#[inline(always)]
pub unsafe fn body<T: Float, L: Lanes<T>, const R: usize, const V: usize>(l: L, t: &Tile<T>) {
    let mut sums = [[l.splat(T::ZERO); V]; R];
    // SAFETY: all places below are those that the caller promises.
    unsafe {
        match t.start {
            Start::Zero => {}
            Start::Bias(bias) => {
                for v in 0..V {
                    let bias = l.load(bias.add(v * L::N));
                    for r in 0..R {
                        sums[r][v] = bias;
                    }
                }
            }
            Start::Add => {
                for r in 0..R {
                    for v in 0..V {
                        sums[r][v] = l.load(t.c.add(r * t.c_row + v * L::N));
                    }
                }
            }
        }
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
        match t.finish {
            Finish::Plain => {}
            Finish::Slope(slope) => {
                let slope = l.splat(slope);
                for r in 0..R {
                    for v in 0..V {
                        // The slope is below 1, so the greater of both is the one that counts.
                        sums[r][v] = l.max(l.mul(sums[r][v], slope), sums[r][v]);
                    }
                }
            }
            Finish::Where(of, row, slope) => {
                let slope = l.splat(slope);
                for r in 0..R {
                    for v in 0..V {
                        let of = l.load(of.add(r * row + v * L::N));
                        sums[r][v] = l.where_positive(of, sums[r][v], l.mul(sums[r][v], slope));
                    }
                }
            }
        }
        if t.columns >= V * L::N {
            for r in 0..R {
                for v in 0..V {
                    l.store(t.c.add(r * t.c_row + v * L::N), sums[r][v]);
                }
            }
        } else {
            for r in 0..R {
                for v in 0..V {
                    let left = t.columns.saturating_sub(v * L::N).min(L::N);
                    if left == L::N {
                        l.store(t.c.add(r * t.c_row + v * L::N), sums[r][v]);
                    } else if left > 0 {
                        l.store_first(t.c.add(r * t.c_row + v * L::N), sums[r][v], left);
                    }
                }
            }
        }
    }
}

/// All tiles of `rows` rows and `units` units of 16 columns, of which those of `tile` are the first.
pub struct Sweep<T> {
    pub tile: Tile<T>,
    pub rows: usize,
    pub units: usize,
}

impl<T: Float> Op<T> for Sweep<T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self, l: L) {
        let Self { tile, rows, units } = self;
        let high = L::rows(units.min(L::UNITS));
        let count = rows.div_ceil(high);
        for g in 0..count {
            // As equal as can be, so that no tile is too low to keep the multipliers busy.
            let (row, next) = (g * rows / count, (g + 1) * rows / count);
            let mut unit = 0;
            while unit < units {
                let wide = (units - unit).min(L::UNITS);
                let column = unit * LINE;
                // SAFETY: the rows and columns of the sweep are the promise of whoever made it.
                unsafe {
                    let part = Tile {
                        a: tile.a.add(row * tile.a_row),
                        b: tile.b.add(column),
                        c: tile.c.add(row * tile.c_row + column),
                        columns: tile.columns.saturating_sub(column),
                        start: match tile.start {
                            Start::Bias(bias) => Start::Bias(bias.add(column)),
                            other => other,
                        },
                        finish: match tile.finish {
                            Finish::Where(of, stride, slope) => Finish::Where(of.add(row * stride + column), stride, slope),
                            other => other,
                        },
                        ..tile
                    };
                    l.tile(wide, next - row, &part);
                }
                unit += wide;
            }
        }
    }
}

/// One row of `a` times `b`, whose rows at `places` alone are read: the others meet a zero of `a`. The columns are whole units, and
/// sums do not begin with `c`.
pub struct Row<'a, T> {
    pub tile: Tile<T>,
    pub places: &'a [u32],
}

impl<T: Float> Row<'_, T> {
    /// V vectors from a column on.
    ///
    /// # Safety
    /// As for [`body`]; every place is an inner index.
    #[inline(always)]
    unsafe fn part<L: Lanes<T>, const V: usize>(&self, l: L, column: usize) {
        let t = &self.tile;
        let mut sums = [l.splat(T::ZERO); V];
        // SAFETY: all places below are those that the caller promises.
        unsafe {
            if let Start::Bias(bias) = t.start {
                for v in 0..V {
                    sums[v] = l.load(bias.add(column + v * L::N));
                }
            }
            for &k in self.places {
                let left = l.splat(*t.a.add(k as usize));
                let b = t.b.add(k as usize * t.b_row + column);
                for v in 0..V {
                    sums[v] = l.fma(left, l.load(b.add(v * L::N)), sums[v]);
                }
            }
            if let Finish::Slope(slope) = t.finish {
                let slope = l.splat(slope);
                for v in 0..V {
                    sums[v] = l.max(l.mul(sums[v], slope), sums[v]);
                }
            }
            for v in 0..V {
                l.store(t.c.add(column + v * L::N), sums[v]);
            }
        }
    }
}

impl<T: Float> Op<T> for Row<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self, l: L) {
        let mut column = 0;
        while column < self.tile.columns {
            let left = (self.tile.columns - column) / L::N;
            // SAFETY: the columns are the promise of whoever made it.
            unsafe {
                column += L::N
                    * match left {
                        0 | 1 => {
                            self.part::<L, 1>(l, column);
                            1
                        }
                        2 | 3 => {
                            self.part::<L, 2>(l, column);
                            2
                        }
                        _ => {
                            self.part::<L, 4>(l, column);
                            4
                        }
                    };
            }
        }
    }
}
