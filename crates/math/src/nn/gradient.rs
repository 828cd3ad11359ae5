//! Gradients of a dense layer: sums over the rows of a batch.

use std::ops::Range;

use super::Float;
use super::buffer::LINE;
use super::product::WeightPanels;
use super::tile::{AccumulatorInit, OutputTile, ProductTile, RawEpilogue, TileSweep};
use super::zero_skip::{MaskedBlock, SparseDot, WORD, ZeroMask};

/// Most blocks of sparse rows that are summed at a time.
const MAX_MASKED_BLOCKS: usize = 4;

/// Rows of a batch: the input of a layer, with its zero mask, and the gradients of its output.
#[derive(Debug, Clone, Copy)]
pub struct GradInput<'a, T> {
    /// Inputs.
    pub x: &'a [T],
    /// Gradients.
    pub d: &'a [T],
    /// How many.
    pub rows: usize,
    /// Mask of the nonzero inputs, transposed.
    pub pattern: &'a ZeroMask,
}

/// Accumulator of a part of a gradient.
struct GradAccumulator<T> {
    x_stride: usize,
    d_stride: usize,
    /// Inputs and outputs.
    rows: usize,
    width: usize,
    to: OutputTile<T>,
    /// Sparse rows are collected here until there are as many as stay in cache while all inputs use their gradients.
    waiting: [MaskedBlock<T>; MAX_MASKED_BLOCKS],
    count: usize,
    held: usize,
}

impl<T: Float> GradAccumulator<T> {
    /// Adds the rows starting at `a` and `b`.
    ///
    /// # Safety
    /// There are as many.
    unsafe fn add(&mut self, a: *const T, b: *const T, length: usize) {
        let tile = ProductTile {
            a,
            a_row: 1,
            a_step: self.x_stride,
            offsets: &0,
            pieces: 1,
            length,
            b,
            b_row: self.d_stride,
            to: self.to,
        };
        T::dispatch(TileSweep { tile, rows: self.rows, units: self.width / LINE });
        self.to.start = AccumulatorInit::Accumulate;
    }

    /// Adds the collected rows.
    ///
    /// # Safety
    /// They are there.
    unsafe fn add_waiting(&mut self) {
        if self.count == 0 {
            return;
        }
        let thin = SparseDot {
            sources: &self.waiting[..self.count],
            a_row: 1,
            a_step: self.x_stride,
            word_row: 1,
            b_row: self.d_stride,
            to: self.to,
            rows: self.rows,
        };
        T::dispatch(thin);
        self.to.start = AccumulatorInit::Accumulate;
        (self.count, self.held) = (0, 0);
    }
}

/// Rows `inputs` of panel `panel` of the gradient Σ xᵀ d over all blocks of rows; `g` is that part of the gradient, and is replaced.
/// Inputs and gradients are `x_stride` and `d_stride` numbers apart from row to row.
///
/// # Panics
/// When a slice is too short, or a pattern is one of other rows.
pub fn dense_gradient<T: Float>(
    blocks: &[GradInput<'_, T>],
    x_stride: usize,
    d_stride: usize,
    layout: WeightPanels,
    panel: usize,
    inputs: Range<usize>,
    g: &mut [T],
) {
    let (_, width) = layout.panel(panel);
    let column = panel * WeightPanels::WIDE;
    assert!(inputs.end <= layout.rows && g.len() >= inputs.len() * width, "a part of {layout:?}");
    if blocks.is_empty() {
        g.fill(T::ZERO);
    }
    let to = OutputTile {
        c: g.as_mut_ptr(),
        c_row: width,
        columns: width,
        start: AccumulatorInit::Zero,
        finish: RawEpilogue::Identity,
    };
    let waiting = [MaskedBlock::NONE; MAX_MASKED_BLOCKS];
    let mut part = GradAccumulator { x_stride, d_stride, rows: inputs.len(), width, to, waiting, count: 0, held: 0 };
    for GradInput { x, d, rows, pattern } in blocks {
        let reach = |stride: usize, width: usize| rows.saturating_sub(1) * stride + width;
        assert!(x.len() >= reach(x_stride, inputs.end) && d.len() >= reach(d_stride, column + width), "{rows} rows");
        // SAFETY: checked above; patterns have one word per column for every 64 rows.
        unsafe {
            let (a, b) = (x.as_ptr().add(inputs.start), d.as_ptr().add(column));
            if !pattern.is_sparse() {
                part.add_waiting();
                part.add(a, b, *rows);
                continue;
            }
            for (k, words) in pattern.column_words(*rows, layout.rows).chunks_exact(layout.rows).enumerate() {
                let first = k * WORD;
                let here = WORD.min(rows - first);
                if part.held + here > WORD || part.count == MAX_MASKED_BLOCKS {
                    part.add_waiting();
                }
                let words = words[inputs.clone()].as_ptr();
                part.waiting[part.count] = MaskedBlock { a: a.add(first * x_stride), b: b.add(first * d_stride), words };
                part.count += 1;
                part.held += here;
            }
        }
    }
    // SAFETY: as above.
    unsafe { part.add_waiting() };
}

/// Sums of the columns of `rows` rows, added to `sums`.
///
/// # Panics
/// When `d` is too short.
pub fn column_sums<T: Float>(d: &[T], stride: usize, rows: usize, sums: &mut [T]) {
    for row in d.chunks(stride).take(rows) {
        for (s, d) in sums.iter_mut().zip(row) {
            *s += *d;
        }
    }
}
