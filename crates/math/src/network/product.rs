//! Products of a dense layer, whose weights lie in panels.

use std::ops::Range;

use super::Float;
use super::buffer::LINE;
use super::tile::{End, Finish, Start, Sweep, Tile};

/// Columns of a panel.
const WIDE: usize = 4 * LINE;

/// `n` columns and what fills them up to whole units of 16.
pub fn padded(n: usize) -> usize {
    n.next_multiple_of(LINE)
}

/// How a matrix of weights lies: cut in panels of 64 columns, each of which is row-major by itself, so that a product reads memory in
/// its order. The columns of the last panel are padded to a multiple of 16 with zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panels {
    /// Rows: inputs of a layer.
    pub rows: usize,
    /// Columns: outputs of a layer.
    pub cols: usize,
}

impl Panels {
    /// Numbers that the matrix takes.
    pub fn len(self) -> usize {
        self.rows * padded(self.cols)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// How many panels there are.
    pub fn count(self) -> usize {
        self.cols.div_ceil(WIDE)
    }

    /// Where a panel begins, and how many columns it has with the padding.
    pub fn panel(self, p: usize) -> (usize, usize) {
        (p * WIDE * self.rows, (padded(self.cols) - p * WIDE).min(WIDE))
    }

    /// Where an element is.
    pub fn at(self, row: usize, col: usize) -> usize {
        let (start, width) = self.panel(col / WIDE);
        start + row * width + col % WIDE
    }

    /// Writes the transpose of a matrix that lies as `self` says: rows become columns.
    pub fn transpose<T: Float>(self, from: &[T], to: &mut [T]) {
        let turned = Self { rows: self.cols, cols: self.rows };
        assert!(from.len() >= self.len() && to.len() >= turned.len(), "room for the transpose");
        for p in 0..self.count() {
            let (start, width) = self.panel(p);
            let cols = width.min(self.cols - p * WIDE);
            for q in 0..turned.count() {
                let (there, wide) = turned.panel(q);
                let rows = wide.min(self.rows - q * WIDE);
                for j in 0..cols {
                    let out = &mut to[there + (p * WIDE + j) * wide..][..rows];
                    let from = &from[start + q * WIDE * width + j..];
                    for (i, o) in out.iter_mut().enumerate() {
                        *o = from[i * width];
                    }
                }
            }
        }
    }
}

/// y = end(bias + x W) for `rows` rows of `x` and `y`, which are `x_stride` and `y_stride` numbers apart. Without a bias sums start
/// at 0. Rows of `y` have room for the padded columns.
///
/// # Panics
/// When a slice is too short.
#[expect(clippy::too_many_arguments, reason = "three matrices with their strides")]
pub fn dense<T: Float>(
    x: &[T],
    x_stride: usize,
    rows: usize,
    w: &[T],
    layout: Panels,
    bias: Option<&[T]>,
    end: End<'_, T>,
    y: &mut [T],
    y_stride: usize,
) {
    let wide = padded(layout.cols);
    let reach = |stride: usize, width: usize| (rows.max(1) - 1) * stride + width;
    assert!(w.len() >= layout.len() && bias.is_none_or(|b| b.len() >= wide), "weights of {layout:?}");
    assert!(x.len() >= reach(x_stride, layout.rows) && y.len() >= reach(y_stride, wide), "{rows} rows");
    if let End::Where(of, stride, _) = end {
        assert!(of.len() >= reach(stride, wide), "{rows} rows of gates");
    }
    if rows == 0 {
        return;
    }
    for p in 0..layout.count() {
        let (start, width) = layout.panel(p);
        let column = p * WIDE;
        // SAFETY: rows and columns were checked above; panels lie inside the weights.
        unsafe {
            T::dispatch(Sweep {
                tile: Tile {
                    a: x.as_ptr(),
                    a_row: x_stride,
                    a_step: 1,
                    offsets: &0,
                    pieces: 1,
                    length: layout.rows,
                    b: w.as_ptr().add(start),
                    b_row: width,
                    c: y.as_mut_ptr().add(column),
                    c_row: y_stride,
                    columns: width,
                    start: bias.map_or(Start::Zero, |b| Start::Bias(b.as_ptr().add(column))),
                    finish: match end {
                        End::Plain => Finish::Plain,
                        End::Slope(slope) => Finish::Slope(slope),
                        End::Where(of, stride, slope) => Finish::Where(of.as_ptr().add(column), stride, slope),
                    },
                },
                rows,
                units: width / LINE,
            });
        }
    }
}

/// Rows `inputs` of panel `panel` of the gradient xᵀ d over `rows` rows; `g` is that part of the gradient. It is replaced, or added to.
///
/// # Panics
/// When a slice is too short.
#[expect(clippy::too_many_arguments, reason = "three matrices with their strides")]
pub fn dense_gradient<T: Float>(
    x: &[T],
    x_stride: usize,
    d: &[T],
    d_stride: usize,
    rows: usize,
    layout: Panels,
    panel: usize,
    inputs: Range<usize>,
    add: bool,
    g: &mut [T],
) {
    let (_, width) = layout.panel(panel);
    let column = panel * WIDE;
    assert!(inputs.end <= layout.rows && g.len() >= inputs.len() * width, "a part of {layout:?}");
    let reach = |stride: usize, width: usize| (rows.max(1) - 1) * stride + width;
    assert!(x.len() >= reach(x_stride, inputs.end) && d.len() >= reach(d_stride, column + width), "{rows} rows");
    // SAFETY: checked above.
    unsafe {
        T::dispatch(Sweep {
            tile: Tile {
                a: x.as_ptr().add(inputs.start),
                a_row: 1,
                a_step: x_stride,
                offsets: &0,
                pieces: 1,
                length: rows,
                b: d.as_ptr().add(column),
                b_row: d_stride,
                c: g.as_mut_ptr(),
                c_row: width,
                columns: width,
                start: if add { Start::Add } else { Start::Zero },
                finish: Finish::Plain,
            },
            rows: inputs.len(),
            units: width / LINE,
        });
    }
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
