//! Products of a dense layer, whose weights lie in panels.

use std::ops::Range;

use super::Float;
use super::buffer::LINE;
use super::tile::{End, Finish, Row, Start, Sweep, Tile};

const WIDE: usize = Panels::WIDE;

/// Weights from which on it pays to leave out those that a single row does not need.
const MANY: usize = 1 << 13;

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
    /// Columns of a panel.
    pub const WIDE: usize = 4 * LINE;

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
        self.transpose_by(from, to, |parts| parts.into_iter().for_each(|part| part.write(from)));
    }

    /// The same, where `each` has the panels of the result written, side by side if it likes.
    pub fn transpose_by<'a, T: Float>(self, from: &[T], to: &'a mut [T], each: impl FnOnce(Vec<TurnedPanel<'a, T>>)) {
        let turned = Self { rows: self.cols, cols: self.rows };
        assert!(from.len() >= self.len() && to.len() >= turned.len(), "room for the transpose");
        let size = (WIDE * turned.rows).max(1);
        let panels = to[..turned.len()].chunks_mut(size).enumerate();
        each(panels.map(|(number, to)| TurnedPanel { layout: self, number, to }).collect());
    }
}

/// Rows and columns that a transpose turns at once; divides the padding.
const SQUARE: usize = 8;

/// A panel of a transpose that is yet to be written.
#[derive(Debug)]
pub struct TurnedPanel<'a, T> {
    layout: Panels,
    number: usize,
    to: &'a mut [T],
}

impl<T: Float> TurnedPanel<'_, T> {
    /// Writes it, from the matrix whose transpose it is a part of.
    pub fn write(self, from: &[T]) {
        let Self { layout, number: q, to } = self;
        let (_, wide) = Panels { rows: layout.cols, cols: layout.rows }.panel(q);
        let rows = wide.min(layout.rows - q * WIDE);
        for p in 0..layout.count() {
            let (start, width) = layout.panel(p);
            let cols = width.min(layout.cols - p * WIDE);
            let (from, to) = (&from[start + q * WIDE * width..], &mut to[p * WIDE * wide..]);
            // Squares that fit in registers: read and written in lines.
            for i in (0..rows).step_by(SQUARE) {
                for j in (0..cols).step_by(SQUARE) {
                    let (high, broad) = (SQUARE.min(rows - i), SQUARE.min(cols - j));
                    let mut square = [[T::ZERO; SQUARE]; SQUARE];
                    for (r, line) in square.iter_mut().enumerate().take(high) {
                        // The padding has room for whole lines.
                        line.copy_from_slice(&from[(i + r) * width + j..][..SQUARE]);
                    }
                    for c in 0..broad {
                        let out = &mut to[(j + c) * wide + i..][..SQUARE];
                        for r in 0..SQUARE {
                            out[r] = square[r][c];
                        }
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
    // A single row reads all weights for a product each, so what it need not read is time won: rows that meet a zero, of which
    // there are many behind a ReLU and in pictures.
    let few = match (rows, end) {
        (1, End::Plain | End::Slope(_)) if layout.len() >= MANY => some_places(&x[..layout.rows]),
        _ => None,
    };
    for p in 0..layout.count() {
        let (start, width) = layout.panel(p);
        let column = p * WIDE;
        // SAFETY: rows and columns were checked above; panels lie inside the weights; places are rows of a panel.
        unsafe {
            let tile = Tile {
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
            };
            match &few {
                Some(places) => T::dispatch(Row { tile, places }),
                None => T::dispatch(Sweep { tile, rows, units: width / LINE }),
            }
        }
    }
}

/// Where the numbers of a row are that are not 0, if at least an eighth of them are.
fn some_places<T: Float>(x: &[T]) -> Option<Vec<u32>> {
    let zeros = x.iter().filter(|v| **v == T::ZERO).count();
    if 8 * zeros < x.len() {
        return None;
    }
    let mut places = vec![0; x.len() + 1];
    let mut count = 0;
    for (k, v) in x.iter().enumerate() {
        places[count] = k as u32;
        count += usize::from(*v != T::ZERO);
    }
    places.truncate(count);
    Some(places)
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
