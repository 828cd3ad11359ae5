//! Gradients of a dense layer: sums over the rows of a batch.

use std::ops::Range;

use super::Float;
use super::buffer::LINE;
use super::product::Panels;
use super::thin::{Pattern, Source, Thin, WORD};
use super::tile::{Finish, Sink, Start, Sweep, Tile};

/// Blocks of thin rows that are summed over at a time, at most.
const SOURCES: usize = 4;

/// Rows of a batch: what went into a layer, with its pattern, and the gradients behind it.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a, T> {
    /// Inputs.
    pub x: &'a [T],
    /// Gradients.
    pub d: &'a [T],
    /// How many.
    pub rows: usize,
    /// Which inputs are not 0, known column by column.
    pub pattern: &'a Pattern,
}

/// A part of a gradient that is being summed.
struct Part<T> {
    x_stride: usize,
    d_stride: usize,
    /// Inputs and outputs.
    rows: usize,
    width: usize,
    to: Sink<T>,
    /// Thin rows wait here until there are as many as stay near while all inputs use their gradients.
    waiting: [Source<T>; SOURCES],
    count: usize,
    held: usize,
}

impl<T: Float> Part<T> {
    /// Adds rows from `a` and `b` on.
    ///
    /// # Safety
    /// There are as many.
    unsafe fn add(&mut self, a: *const T, b: *const T, length: usize) {
        let tile =
            Tile { a, a_row: 1, a_step: self.x_stride, offsets: &0, pieces: 1, length, b, b_row: self.d_stride, to: self.to };
        T::dispatch(Sweep { tile, rows: self.rows, units: self.width / LINE });
        self.to.start = Start::Add;
    }

    /// Adds the rows that wait.
    ///
    /// # Safety
    /// They are there.
    unsafe fn add_waiting(&mut self) {
        if self.count == 0 {
            return;
        }
        let thin = Thin {
            sources: &self.waiting[..self.count],
            a_row: 1,
            a_step: self.x_stride,
            word_row: 1,
            b_row: self.d_stride,
            to: self.to,
            rows: self.rows,
        };
        T::dispatch(thin);
        self.to.start = Start::Add;
        (self.count, self.held) = (0, 0);
    }
}

/// Rows `inputs` of panel `panel` of the gradient Σ xᵀ d over all blocks of rows; `g` is that part of the gradient, and is replaced.
/// Inputs and gradients are `x_stride` and `d_stride` numbers apart from row to row.
///
/// # Panics
/// When a slice is too short, or a pattern is one of other rows.
pub fn dense_gradient<T: Float>(
    blocks: &[Rows<'_, T>],
    x_stride: usize,
    d_stride: usize,
    layout: Panels,
    panel: usize,
    inputs: Range<usize>,
    g: &mut [T],
) {
    let (_, width) = layout.panel(panel);
    let column = panel * Panels::WIDE;
    assert!(inputs.end <= layout.rows && g.len() >= inputs.len() * width, "a part of {layout:?}");
    if blocks.is_empty() {
        g.fill(T::ZERO);
    }
    let to = Sink { c: g.as_mut_ptr(), c_row: width, columns: width, start: Start::Zero, finish: Finish::Plain };
    let waiting = [Source::NONE; SOURCES];
    let mut part = Part { x_stride, d_stride, rows: inputs.len(), width, to, waiting, count: 0, held: 0 };
    for Rows { x, d, rows, pattern } in blocks {
        let reach = |stride: usize, width: usize| rows.saturating_sub(1) * stride + width;
        assert!(x.len() >= reach(x_stride, inputs.end) && d.len() >= reach(d_stride, column + width), "{rows} rows");
        // SAFETY: checked above; patterns have a word a column for every 64 rows.
        unsafe {
            let (a, b) = (x.as_ptr().add(inputs.start), d.as_ptr().add(column));
            if !pattern.is_thin() {
                part.add_waiting();
                part.add(a, b, *rows);
                continue;
            }
            for (k, words) in pattern.of_columns(*rows, layout.rows).chunks_exact(layout.rows).enumerate() {
                let first = k * WORD;
                let here = WORD.min(rows - first);
                if part.held + here > WORD || part.count == SOURCES {
                    part.add_waiting();
                }
                let words = words[inputs.clone()].as_ptr();
                part.waiting[part.count] = Source { a: a.add(first * x_stride), b: b.add(first * d_stride), words };
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
