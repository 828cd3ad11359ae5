//! Products that skip zero inputs, using a bit mask of nonzeros: after a ReLU, and in images, half of the numbers and
//! more are zero.
//!
//! Each element is the same sum in the same order without the zero terms; so finite weights lead to the same bits.

use super::Float;
use super::lanes::{SimdLanes, SimdOp};
use super::tile::OutputTile;

/// Inner indices per word.
pub const WORD: usize = u64::BITS as usize;

/// Columns below which scanning for zeros costs more than it saves.
const MIN_COLUMNS: usize = 32;

/// Bit mask of the nonzero elements of a block of rows, where enough of them are zero for products to skip them.
#[derive(Debug, Clone, Default)]
pub struct ZeroMask {
    sparse: bool,
    rows: usize,
    cols: usize,
    /// Words of 64 columns, row by row.
    by_row: Vec<u64>,
    /// For each group of 64 rows, one word per column.
    by_column: Vec<u64>,
}

impl ZeroMask {
    /// Scans `rows` rows of `cols` numbers, `stride` apart.
    ///
    /// # Panics
    /// When `x` is too short.
    pub fn scan<T: Float>(&mut self, x: &[T], stride: usize, rows: usize, cols: usize) {
        (self.rows, self.cols) = (rows, cols);
        self.sparse = rows > 0 && cols >= MIN_COLUMNS && T::dispatch(ScanZerosOp { pattern: self, x, stride });
    }

    /// Whether skipping zeros saves time.
    pub fn is_sparse(&self) -> bool {
        self.sparse
    }

    /// Transposes the mask too, as sums over rows need it.
    ///
    /// # Panics
    /// When `x` is not the input of [`ZeroMask::scan`].
    pub fn transpose<T: Float>(&mut self, x: &[T], stride: usize) {
        if self.sparse {
            T::dispatch(TransposeMaskOp { pattern: self, x, stride });
        }
    }

    /// Words of a row.
    pub(super) fn words_per_row(&self) -> usize {
        self.cols.div_ceil(WORD)
    }

    /// The words of all rows, row by row, if zeros are to be skipped; the shape is checked.
    pub(super) fn row_words(&self, rows: usize, cols: usize) -> Option<&[u64]> {
        assert!(!self.sparse || (self.rows, self.cols) == (rows, cols), "a pattern of {rows} x {cols}");
        self.sparse.then_some(&self.by_row)
    }

    /// The words of all columns, by groups of 64 rows; the shape is checked.
    pub(super) fn column_words(&self, rows: usize, cols: usize) -> &[u64] {
        let words = rows.div_ceil(WORD) * cols;
        assert!(self.sparse && (self.rows, self.cols) == (rows, cols) && self.by_column.len() == words, "{rows} x {cols}");
        &self.by_column
    }
}

struct ScanZerosOp<'a, T> {
    pattern: &'a mut ZeroMask,
    x: &'a [T],
    stride: usize,
}

impl<T: Float> SimdOp<T> for ScanZerosOp<'_, T> {
    type Out = bool;
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, l: L) -> bool {
        let Self { pattern, x, stride } = self;
        let (rows, cols, words) = (pattern.rows, pattern.cols, pattern.words_per_row());
        pattern.by_row.clear();
        pattern.by_row.resize(rows * words, 0);
        let mut count = 0;
        for (i, to) in pattern.by_row.chunks_exact_mut(words).enumerate() {
            let row = &x[i * stride..][..cols];
            for (to, from) in to.iter_mut().zip(row.chunks(WORD)) {
                let mut word = 0;
                let whole = from.len() / L::N * L::N;
                for k in (0..whole).step_by(L::N) {
                    // SAFETY: the vector is inside.
                    word |= u64::from(l.nonzero(unsafe { l.load(from.as_ptr().add(k)) })) << k;
                }
                for (k, v) in from.iter().enumerate().skip(whole) {
                    word |= u64::from(*v != T::ZERO) << k;
                }
                count += word.count_ones() as usize;
                *to = word;
            }
            // A few rows show whether there is anything to gain.
            if i % 4 == 3 && count * 8 > (i + 1) * cols * 7 {
                return false;
            }
        }
        // For a single row the time goes into reading weights, of which every zero saves some. Many rows share these
        // reads, and a dense product spends less time on each.
        let (part, of) = if rows == 1 { (7, 8) } else { (7, 10) };
        count * of <= rows * cols * part
    }
}

struct TransposeMaskOp<'a, T> {
    pattern: &'a mut ZeroMask,
    x: &'a [T],
    stride: usize,
}

impl<T: Float> SimdOp<T> for TransposeMaskOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        /// Words filled at a time.
        const SIDE: usize = 16;
        let Self { pattern, x, stride } = self;
        let (rows, cols) = (pattern.rows, pattern.cols);
        pattern.by_column.clear();
        pattern.by_column.resize(rows.div_ceil(WORD) * cols, 0);
        for (block, to) in pattern.by_column.chunks_exact_mut(cols).enumerate() {
            let first = block * WORD;
            let here = WORD.min(rows - first);
            let (whole, rest) = to.as_chunks_mut::<SIDE>();
            let done = whole.len() * SIDE;
            for (k, to) in whole.iter_mut().enumerate() {
                let mut words = [0u64; SIDE];
                for i in 0..here {
                    let from: &[T; SIDE] = x[(first + i) * stride + k * SIDE..][..SIDE].try_into().expect("as many");
                    for j in 0..SIDE {
                        words[j] |= if from[j] != T::ZERO { 1 << i } else { 0 };
                    }
                }
                *to = words;
            }
            for (j, to) in rest.iter_mut().enumerate() {
                *to = (0..here).map(|i| u64::from(x[(first + i) * stride + done + j] != T::ZERO) << i).sum();
            }
        }
    }
}

/// Up to 64 inner indices of a product: their offsets in `a` and in `b`, and the word of the first row.
#[derive(Clone, Copy)]
pub struct MaskedBlock<T> {
    pub a: *const T,
    pub b: *const T,
    pub words: *const u64,
}

impl<T> MaskedBlock<T> {
    /// None.
    pub const NONE: Self = Self { a: std::ptr::null(), b: std::ptr::null(), words: std::ptr::null() };
}

/// c\[i, j\] = epilogue(start + Σₖ a\[i, k\] b\[k, j\]) over the k whose bits are set, block by block.
pub struct SparseDot<'a, T> {
    pub sources: &'a [MaskedBlock<T>],
    /// From one row of `a` to the next, and from one inner index to the next.
    pub a_row: usize,
    pub a_step: usize,
    /// From the word of a row to that of the next.
    pub word_row: usize,
    pub b_row: usize,
    pub to: OutputTile<T>,
    pub rows: usize,
}

/// Cost of a term found by its bit, relative to one of two rows that read `b` together; measured.
const COST_ALONE: u32 = 11;
const COST_PAIRED: u32 = 8;

impl<T: Float> SparseDot<'_, T> {
    /// R rows (one or two) and V vectors.
    ///
    /// # Safety
    /// As for [`super::tile::tile_body`], at the indices whose bits are set in any of the rows.
    #[inline(always)]
    unsafe fn rows<L: SimdLanes<T>, const R: usize, const V: usize>(&self, l: L, row: usize, column: usize) {
        // SAFETY: all places below are those that the caller promises.
        unsafe {
            let to = self.to.offset_tile(row, column);
            let mut sums = to.init_accumulators::<L, R, V>(l);
            for source in self.sources {
                let (a, b) = (source.a.add(row * self.a_row), source.b.add(column));
                let words: [u64; R] = std::array::from_fn(|r| *source.words.add((row + r) * self.word_row));
                // Zeros that rows do not share are multiplied where that costs less than reading `b` for each row.
                let any = words.iter().fold(0, |any, w| any | w);
                let alone = words.iter().map(|w| w.count_ones()).sum::<u32>() * COST_ALONE;
                if R > 1 && any.count_ones() * COST_PAIRED * R as u32 <= alone {
                    let mut word = any;
                    while word != 0 {
                        let k = word.trailing_zeros() as usize;
                        word &= word - 1;
                        let (a, b) = (a.add(k * self.a_step), b.add(k * self.b_row));
                        let mut right = [l.splat(T::ZERO); V];
                        for v in 0..V {
                            right[v] = l.load(b.add(v * L::N));
                        }
                        for r in 0..R {
                            let left = l.splat(*a.add(r * self.a_row));
                            for v in 0..V {
                                sums[r][v] = l.fma(left, right[v], sums[r][v]);
                            }
                        }
                    }
                    continue;
                }
                for r in 0..R {
                    let mut word = words[r];
                    while word != 0 {
                        let k = word.trailing_zeros() as usize;
                        word &= word - 1;
                        let left = l.splat(*a.add(r * self.a_row + k * self.a_step));
                        let b = b.add(k * self.b_row);
                        for v in 0..V {
                            sums[r][v] = l.fma(left, l.load(b.add(v * L::N)), sums[r][v]);
                        }
                    }
                }
            }
            to.store(l, sums);
        }
    }

    /// V vectors of all rows, from a column on.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn part<L: SimdLanes<T>, const V: usize>(&self, l: L, column: usize) {
        let pairs = self.rows / 2;
        // SAFETY: the caller's promise.
        unsafe {
            for pair in 0..pairs {
                self.rows::<L, 2, V>(l, 2 * pair, column);
            }
            if self.rows % 2 == 1 {
                self.rows::<L, 1, V>(l, 2 * pairs, column);
            }
        }
    }
}

impl<T: Float> SimdOp<T> for SparseDot<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, l: L) {
        let mut column = 0;
        while column < self.to.columns {
            let left = (self.to.columns - column).div_ceil(L::N);
            // SAFETY: the creator guarantees rows and columns.
            unsafe {
                match left {
                    1 => self.part::<L, 1>(l, column),
                    2 => self.part::<L, 2>(l, column),
                    3 => self.part::<L, 3>(l, column),
                    _ => self.part::<L, 4>(l, column),
                }
            }
            column += left.min(4) * L::N;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Portable;
    use super::super::tile::{AccumulatorInit, ProductTile, RawEpilogue, TileSweep};
    use super::*;

    /// 5 rows of 83 numbers, most of them zeros, times 83 x 48, with one vector type: all terms, and only the nonzero
    /// ones.
    fn both<T: Float, L: SimdLanes<T>>(l: L) -> [Vec<T>; 2] {
        let (rows, inner, wide) = (5, 83, 48);
        let number = |i: usize| T::from_f64((i as f64 * 0.737).sin());
        let a: Vec<T> = (0..rows * inner).map(|i| if i % 5 == 2 { number(i) } else { T::ZERO }).collect();
        let b: Vec<T> = (0..inner * wide).map(number).collect();
        let mut pattern = ZeroMask { rows, cols: inner, ..ZeroMask::default() };
        // SAFETY: all slices have the rows and columns that are said.
        unsafe {
            pattern.sparse = ScanZerosOp { pattern: &mut pattern, x: &a, stride: inner }.run(l);
            let words = pattern.row_words(rows, inner).unwrap();
            assert!(
                (0..rows * inner)
                    .all(|i| (words[i / inner * 2 + i % inner / WORD] >> (i % inner % WORD)) & 1 == u64::from(i % 5 == 2))
            );
            [0, 1].map(|thin| {
                let mut c = vec![T::ZERO; rows * wide];
                let to = OutputTile {
                    c: c.as_mut_ptr(),
                    c_row: wide,
                    columns: wide,
                    start: AccumulatorInit::Zero,
                    finish: RawEpilogue::LeakyRelu(T::from_f64(0.5)),
                };
                if thin == 1 {
                    let source = |k: usize| MaskedBlock {
                        a: a.as_ptr().add(k * WORD),
                        b: b.as_ptr().add(k * WORD * wide),
                        words: &words[k],
                    };
                    let sources = &[source(0), source(1)];
                    SparseDot { sources, a_row: inner, a_step: 1, word_row: 2, b_row: wide, to, rows }.run(l);
                } else {
                    let (a, b) = (a.as_ptr(), b.as_ptr());
                    let tile =
                        ProductTile { a, a_row: inner, a_step: 1, offsets: &0, pieces: 1, length: inner, b, b_row: wide, to };
                    TileSweep { tile, rows, units: 3 }.run(l);
                }
                c
            })
        }
    }

    #[test]
    fn vectors_of_every_kind_leave_zeros_out() {
        let [all, some] = both::<f32, _>(Portable);
        assert_eq!(all, some);
        let [all, some] = both::<f64, _>(Portable);
        assert_eq!(all, some);
        #[cfg(target_arch = "x86_64")]
        {
            use super::super::lanes::{Avx2, Avx512};
            if let Some(l) = Avx2::find() {
                let ([all, some], [all_f64, some_f64]) = (both::<f32, _>(l), both::<f64, _>(l));
                assert!(all == some && all_f64 == some_f64);
            }
            if let Some(l) = Avx512::find() {
                let ([all, some], [all_f64, some_f64]) = (both::<f32, _>(l), both::<f64, _>(l));
                assert!(all == some && all_f64 == some_f64);
            }
        }
    }
}
