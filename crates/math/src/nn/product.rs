//! Products of a dense layer, whose weights are stored in panels.

use ermine_core::parallel::prelude::*;

use super::Float;
use super::buffer::LINE;
use super::lanes::{SimdLanes, SimdOp, TRANSPOSE_TILE};
use super::tile::{AccumulatorInit, Epilogue, OutputTile, ProductTile, RawEpilogue, TileSweep};
use super::zero_skip::{MaskedBlock, SparseDot, WORD, ZeroMask};

const WIDE: usize = WeightPanels::WIDE;

/// Words of the mask processed at a time for a single row.
const SOURCES: usize = 16;

/// `n` columns, padded to whole units of 16.
pub fn padded(n: usize) -> usize {
    n.next_multiple_of(LINE)
}

/// Layout of a weight matrix: cut into panels of 64 columns, each row-major by itself, so that a product reads memory
/// sequentially. The columns of the last panel are padded to a multiple of 16 with zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightPanels {
    /// Rows: inputs of a layer.
    pub rows: usize,
    /// Columns: outputs of a layer.
    pub cols: usize,
}

impl WeightPanels {
    /// Columns of a panel.
    pub const WIDE: usize = 4 * LINE;

    /// Elements of the matrix with padding.
    pub fn len(self) -> usize {
        self.rows * padded(self.cols)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Number of panels.
    pub fn count(self) -> usize {
        self.cols.div_ceil(WIDE)
    }

    /// The offset of a panel, and its number of columns with the padding.
    pub fn panel(self, p: usize) -> (usize, usize) {
        (p * WIDE * self.rows, (padded(self.cols) - p * WIDE).min(WIDE))
    }

    /// The offset of an element.
    pub fn at(self, row: usize, col: usize) -> usize {
        let (start, width) = self.panel(col / WIDE);
        start + row * width + col % WIDE
    }

    /// Writes the transpose of a matrix in layout `self`.
    pub fn transpose<T: Float>(self, from: &[T], to: &mut [T]) {
        self.transpose_by(from, to, |parts| parts.into_iter().for_each(|part| part.write(from)));
    }

    /// The same, where `each` writes the panels of the result, possibly in parallel.
    pub fn transpose_by<'a, T: Float>(self, from: &[T], to: &'a mut [T], each: impl FnOnce(Vec<TransposedPanel<'a, T>>)) {
        let turned = Self { rows: self.cols, cols: self.rows };
        assert!(from.len() >= self.len() && to.len() >= turned.len(), "room for the transpose");
        let size = (WIDE * turned.rows).max(1);
        let panels = to[..turned.len()].chunks_mut(size).enumerate();
        each(panels.map(|(number, to)| TransposedPanel { layout: self, number, to }).collect());
    }
}

/// A panel of a transpose to be written.
#[derive(Debug)]
pub struct TransposedPanel<'a, T> {
    layout: WeightPanels,
    number: usize,
    to: &'a mut [T],
}

impl<T: Float> TransposedPanel<'_, T> {
    /// Writes it, from the matrix to be transposed.
    ///
    /// # Panics
    /// When that is too short.
    pub fn write(self, from: &[T]) {
        assert!(from.len() >= self.layout.len(), "a matrix of {:?}", self.layout);
        T::dispatch(TransposeOp { panel: self, from });
    }
}

struct TransposeOp<'a, T> {
    panel: TransposedPanel<'a, T>,
    from: &'a [T],
}

impl<T: Float> SimdOp<T> for TransposeOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, l: L) {
        let Self { panel: TransposedPanel { layout, number: q, to }, from } = self;
        let (_, wide) = WeightPanels { rows: layout.cols, cols: layout.rows }.panel(q);
        let rows = wide.min(layout.rows - q * WIDE);
        for p in 0..layout.count() {
            let (start, width) = layout.panel(p);
            let cols = width.min(layout.cols - p * WIDE);
            let (from, to) = (&from[start + q * WIDE * width..], &mut to[p * WIDE * wide..]);
            for i in (0..rows).step_by(TRANSPOSE_TILE) {
                for j in (0..cols).step_by(TRANSPOSE_TILE) {
                    let (high, broad) = (TRANSPOSE_TILE.min(rows - i), TRANSPOSE_TILE.min(cols - j));
                    if high == TRANSPOSE_TILE && broad == TRANSPOSE_TILE {
                        let (from, to) =
                            (&from[i * width + j..][..(TRANSPOSE_TILE - 1) * width + TRANSPOSE_TILE], &mut to[j * wide + i..]);
                        let to = &mut to[..(TRANSPOSE_TILE - 1) * wide + TRANSPOSE_TILE];
                        // SAFETY: the slices hold whole squares.
                        unsafe { l.transpose(from.as_ptr(), width, to.as_mut_ptr(), wide) };
                        continue;
                    }
                    for r in 0..high {
                        for c in 0..broad {
                            to[(j + c) * wide + i + r] = from[(i + r) * width + j + c];
                        }
                    }
                }
            }
        }
    }
}

/// y = end(bias + x W) for `rows` rows of `x` and `y`, which are `x_stride` and `y_stride` elements apart. Without a
/// bias sums start at 0. Rows of `y` have room for the padded columns. With a sparse mask of `x`, zeros are skipped.
///
/// # Panics
/// When a slice is too short, or the pattern is one of other rows.
#[expect(clippy::too_many_arguments, reason = "three matrices with their strides")]
pub fn dense<T: Float>(
    x: &[T],
    x_stride: usize,
    rows: usize,
    pattern: Option<&ZeroMask>,
    w: &[T],
    layout: WeightPanels,
    bias: Option<&[T]>,
    end: Epilogue<'_, T>,
    y: &mut [T],
    y_stride: usize,
) {
    let wide = padded(layout.cols);
    check(x, x_stride, rows, w, layout, bias, y, y_stride);
    if let Epilogue::ReluMask(of, stride, _) = end {
        assert!(of.len() >= rows.saturating_sub(1) * stride + wide, "{rows} rows of gates");
    }
    let product = DenseProduct { x_stride, w, layout, bias, end, y_stride };
    let words = pattern.and_then(|p| p.row_words(rows, layout.rows));
    for p in 0..layout.count() {
        // SAFETY: checked above.
        unsafe { product.panel(p, x.as_ptr(), rows, words, y.as_mut_ptr()) };
    }
}

/// # Panics
/// When a slice is too short.
#[expect(clippy::too_many_arguments, reason = "three matrices with their strides")]
fn check<T>(x: &[T], x_stride: usize, rows: usize, w: &[T], layout: WeightPanels, bias: Option<&[T]>, y: &[T], y_stride: usize) {
    let wide = padded(layout.cols);
    let reach = |stride: usize, width: usize| rows.saturating_sub(1) * stride + width;
    assert!(w.len() >= layout.len() && bias.is_none_or(|b| b.len() >= wide), "weights of {layout:?}");
    assert!(x.len() >= reach(x_stride, layout.rows) && y.len() >= reach(y_stride, wide), "{rows} rows");
}

/// A block of rows of [`dense_by_panels`]: the input with its zero mask, and the output.
#[derive(Debug)]
pub struct DenseBlock<'a, T> {
    /// Inputs.
    pub x: &'a [T],
    /// Number of rows.
    pub rows: usize,
    /// Mask of the nonzero inputs.
    pub pattern: &'a ZeroMask,
    /// Outputs.
    pub y: &'a mut [T],
}

/// Output of several threads, each of which writes its own columns.
struct Shared<T>(*mut T);
// SAFETY: no two threads write the same places.
unsafe impl<T: Send> Sync for Shared<T> {}

/// [`dense`] for several blocks of rows, panel by panel and in parallel. A processor that keeps working on the panels
/// whose weights it has updated need not fetch them from another one's cache.
///
/// # Panics
/// When a slice is too short, or a pattern is one of other rows, or the end is one of gates.
pub fn dense_by_panels<T: Float>(
    blocks: &mut [DenseBlock<'_, T>],
    x_stride: usize,
    w: &[T],
    layout: WeightPanels,
    bias: Option<&[T]>,
    end: Epilogue<'_, T>,
    y_stride: usize,
) {
    assert!(!matches!(end, Epilogue::ReluMask(..)), "gates belong to rows");
    blocks.iter().for_each(|b| check(b.x, x_stride, b.rows, w, layout, bias, b.y, y_stride));
    let product = DenseProduct { x_stride, w, layout, bias, end, y_stride };
    let shared: Vec<_> =
        blocks.iter_mut().map(|b| (b.x, b.rows, b.pattern.row_words(b.rows, layout.rows), Shared(b.y.as_mut_ptr()))).collect();
    (0..layout.count() * shared.len()).into_par_iter().for_each(|task| {
        let (x, rows, words, y) = &shared[task % shared.len()];
        // SAFETY: checked above; a panel of a block is one task.
        unsafe { product.panel(task / shared.len(), x.as_ptr(), *rows, *words, y.0) };
    });
}

/// The weights of a product, with bias and epilogue.
#[derive(Clone, Copy)]
struct DenseProduct<'a, T> {
    x_stride: usize,
    w: &'a [T],
    layout: WeightPanels,
    bias: Option<&'a [T]>,
    end: Epilogue<'a, T>,
    y_stride: usize,
}

impl<T: Float> DenseProduct<'_, T> {
    /// The columns of one panel.
    ///
    /// # Safety
    /// There are `rows` rows of all, and the panel; nobody else writes its columns of `y`.
    unsafe fn panel(&self, number: usize, x: *const T, rows: usize, words: Option<&[u64]>, y: *mut T) {
        let (start, width) = self.layout.panel(number);
        let column = number * WIDE;
        if rows == 0 {
            return;
        }
        // SAFETY: the caller's promise; panels lie inside the weights.
        unsafe {
            let b = self.w.as_ptr().add(start);
            let to = OutputTile {
                c: y.add(column),
                c_row: self.y_stride,
                columns: width,
                start: self.bias.map_or(AccumulatorInit::Zero, |b| AccumulatorInit::Bias(b.as_ptr().add(column))),
                finish: self.end.offset(column),
            };
            match words {
                Some(words) => self.sparse_panel(x, rows, words, b, width, to),
                None => {
                    let tile = ProductTile {
                        a: x,
                        a_row: self.x_stride,
                        a_step: 1,
                        offsets: &0,
                        pieces: 1,
                        length: self.layout.rows,
                        b,
                        b_row: width,
                        to,
                    };
                    T::dispatch(TileSweep { tile, rows, units: width / LINE });
                }
            }
        }
    }

    /// The same, skipping zeros. Some 128 rows of a panel stay in cache while all rows of `x` use them, so partial sums
    /// are kept in `y`; a single row does not need that.
    ///
    /// # Safety
    /// As above, at the bits that are set.
    unsafe fn sparse_panel(&self, x: *const T, rows: usize, words: &[u64], b: *const T, b_row: usize, to: OutputTile<T>) {
        let count = self.layout.rows.div_ceil(WORD);
        let mut sources = [MaskedBlock::NONE; SOURCES];
        let deep = if rows == 1 { SOURCES } else { 2 };
        for first in (0..count).step_by(deep) {
            let here = deep.min(count - first);
            // SAFETY: the caller's promise.
            unsafe {
                for (k, source) in sources.iter_mut().enumerate().take(here) {
                    let at = (first + k) * WORD;
                    *source = MaskedBlock { a: x.add(at), b: b.add(at * b_row), words: words.as_ptr().add(first + k) };
                }
                let start = if first == 0 { to.start } else { AccumulatorInit::Accumulate };
                let finish = if first + here == count { to.finish } else { RawEpilogue::Identity };
                let (sources, to) = (&sources[..here], OutputTile { start, finish, ..to });
                T::dispatch(SparseDot { sources, a_row: self.x_stride, a_step: 1, word_row: count, b_row, to, rows });
            }
        }
    }
}
