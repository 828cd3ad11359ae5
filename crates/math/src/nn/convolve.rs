//! Convolution as a matrix product without im2col: a window of the image is a few runs of memory.
//!
//! Images are stored by pixels, the channels of a pixel side by side. Filters are a matrix in panels: one row per
//! weight of the window (line, then pixel, then channel), one column per filter.

use super::buffer::LINE;
use super::product::{WeightPanels, padded};
use super::tile::{AccumulatorInit, Epilogue, OutputTile, ProductTile, RawEpilogue, TileSweep};
use super::{AlignedBuffer, Float};

/// Channels from which on the input gradient is a convolution with flipped filters; below, most lanes would be idle,
/// and products added in place are faster.
const FLIP_MIN_CHANNELS: usize = 16;

/// Geometry of a convolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convolution {
    input: (usize, usize, usize),
    output: (usize, usize, usize),
    size: (usize, usize),
    stride: usize,
    pad: usize,
    dilation: usize,
    /// Offsets of the runs of a window in the padded image, and their length.
    runs: Vec<usize>,
    run: usize,
    /// Offsets of the lines of windows in the padded image, for sums over all positions.
    lines: Vec<usize>,
    /// The convolution that maps the output gradient to the input gradient.
    back: Option<Box<Convolution>>,
}

/// Buffers of a convolution, for one image at a time.
#[derive(Debug, Clone, Default)]
pub struct Workspace<T: Float> {
    image: AlignedBuffer<T>,
    result: AlignedBuffer<T>,
    products: AlignedBuffer<T>,
}

impl Convolution {
    /// Windows of `size` over an image of (height, width, channels), with `filters` channels in the result. The caller has made
    /// sure that at least one window fits.
    pub fn new(
        input: (usize, usize, usize),
        filters: usize,
        size: (usize, usize),
        stride: usize,
        pad: usize,
        dilation: usize,
    ) -> Self {
        let mut out = Self::forward_impl(input, filters, size, stride, pad, dilation);
        // The padding of the flipped convolution is known when the stride is 1.
        let margin = (dilation * (size.0 - 1)).checked_sub(pad).zip((dilation * (size.1 - 1)).checked_sub(pad));
        if let Some((high, wide)) = margin
            && stride == 1
            && high == wide
            && input.2 >= FLIP_MIN_CHANNELS
        {
            out.back = Some(Box::new(Self::forward_impl(out.output, input.2, size, 1, high, dilation)));
        }
        out
    }

    fn forward_impl(
        input: (usize, usize, usize),
        filters: usize,
        size: (usize, usize),
        stride: usize,
        pad: usize,
        dilation: usize,
    ) -> Self {
        let (h, w, c) = input;
        let places = |n: usize, f: usize| (n + 2 * pad - (dilation * (f - 1) + 1)) / stride + 1;
        let output = (places(h, size.0), places(w, size.1), filters);
        let line = (w + 2 * pad) * c;
        // Without dilation, the pixels of a line of the window are contiguous.
        let (runs, run) = match dilation {
            1 => ((0..size.0).map(|y| y * line).collect(), size.1 * c),
            d => ((0..size.0).flat_map(|y| (0..size.1).map(move |x| y * d * line + x * d * c)).collect(), c),
        };
        let lines = (0..output.0).map(|y| y * stride * line).collect();
        Self { input, output, size, stride, pad, dilation, runs, run, lines, back: None }
    }

    /// Layout of the filters.
    pub fn filters(&self) -> WeightPanels {
        WeightPanels { rows: self.size.0 * self.size.1 * self.input.2, cols: self.output.2 }
    }

    /// Layout of the result of [`Convolution::flip_filters`].
    pub fn flipped_layout(&self) -> WeightPanels {
        match &self.back {
            Some(back) => back.filters(),
            None => WeightPanels { rows: self.filters().cols, cols: self.filters().rows },
        }
    }

    /// Height, width and channels of the result.
    pub fn output(&self) -> (usize, usize, usize) {
        self.output
    }

    fn padded_len(&self) -> usize {
        (self.input.0 + 2 * self.pad) * (self.input.1 + 2 * self.pad) * self.input.2
    }

    fn input_len(&self) -> usize {
        self.input.0 * self.input.1 * self.input.2
    }

    fn output_len(&self) -> usize {
        self.output.0 * self.output.1 * self.output.2
    }

    /// Buffers for the computation. The backward pass needs more.
    pub fn workspace<T: Float>(&self, back: bool) -> Workspace<T> {
        let image = if self.pad > 0 || back && self.back.is_none() { self.padded_len() } else { 0 };
        let result = self.back.as_ref().map_or(0, |b| b.padded_len());
        let products = if self.back.is_none() { self.output.1 * padded(self.filters().rows) } else { 0 };
        Workspace {
            image: AlignedBuffer::zeros(image),
            result: AlignedBuffer::zeros(if back { result } else { 0 }),
            products: AlignedBuffer::zeros(if back { products } else { 0 }),
        }
    }

    /// The image with its margins; without margins, the image itself.
    fn pad_image<'a, T: Float>(&self, x: &'a [T], room: &'a mut AlignedBuffer<T>) -> &'a [T] {
        if self.pad == 0 {
            return x;
        }
        let (_, w, c) = self.input;
        let line = (w + 2 * self.pad) * c;
        // The margins are zeros since the buffer was allocated; only the inside is ever written.
        for (x, to) in x.chunks_exact(w * c).zip(room.chunks_exact_mut(line).skip(self.pad)) {
            to[self.pad * c..][..w * c].copy_from_slice(x);
        }
        room
    }

    /// The output for one image: y = end(bias + filters ∗ x). `gate`, where `end` has one, is laid out as `y`.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn forward<T: Float>(
        &self,
        x: &[T],
        w: &[T],
        bias: Option<&[T]>,
        end: Epilogue<'_, T>,
        y: &mut [T],
        room: &mut Workspace<T>,
    ) {
        let x = self.pad_image(&x[..self.input_len()], &mut room.image);
        self.im2col_windows(x, w, bias, end, y);
    }

    fn im2col_windows<T: Float>(&self, x: &[T], w: &[T], bias: Option<&[T]>, end: Epilogue<'_, T>, y: &mut [T]) {
        let layout = self.filters();
        let (_, wide, filters) = self.output;
        assert!(x.len() >= self.padded_len() && y.len() >= self.output_len(), "an image and its result");
        assert!(w.len() >= layout.len() && bias.is_none_or(|b| b.len() >= padded(filters)), "filters of {layout:?}");
        if let Epilogue::ReluMask(of, stride, _) = end {
            assert!(stride == filters && of.len() >= self.output_len() + LINE, "gates of the result");
        }
        for p in 0..layout.count() {
            let (start, width) = layout.panel(p);
            let column = start / layout.rows.max(1);
            for (line, &from) in self.lines.iter().enumerate() {
                let at = line * wide * filters + column;
                // SAFETY: windows lie inside the padded image, places inside the result, panels inside the filters; columns beyond
                // the filters are not written.
                unsafe {
                    T::dispatch(TileSweep {
                        tile: ProductTile {
                            a: x.as_ptr().add(from),
                            a_row: self.stride * self.input.2,
                            a_step: 1,
                            offsets: self.runs.as_ptr(),
                            pieces: self.runs.len(),
                            length: self.run,
                            b: w.as_ptr().add(start),
                            b_row: width,
                            to: OutputTile {
                                c: y.as_mut_ptr().add(at),
                                c_row: filters,
                                columns: filters - column,
                                start: bias.map_or(AccumulatorInit::Zero, |b| AccumulatorInit::Bias(b.as_ptr().add(column))),
                                finish: end.offset(at),
                            },
                        },
                        rows: wide,
                        units: width / LINE,
                    });
                }
            }
        }
    }

    /// Adds one image's contribution to the gradient of the filters (in panels) and of the biases. At least 16 readable
    /// numbers must follow those of `d`.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn add_gradient<T: Float>(&self, x: &[T], d: &[T], g: &mut [T], bias: Option<&mut [T]>, room: &mut Workspace<T>) {
        let layout = self.filters();
        let (_, wide, filters) = self.output;
        let x = self.pad_image(&x[..self.input_len()], &mut room.image);
        assert!(x.len() >= self.padded_len() && d.len() >= self.output_len() + LINE, "an image and its result");
        assert!(g.len() >= layout.len(), "filters of {layout:?}");
        for p in 0..layout.count() {
            let (start, width) = layout.panel(p);
            let column = start / layout.rows.max(1);
            for (k, &run) in self.runs.iter().enumerate() {
                // SAFETY: as for the windows; rows of `d` are read in whole units, behind its end too, and what columns beyond the
                // filters get there goes to the padding of the gradient, which is set back below.
                unsafe {
                    T::dispatch(TileSweep {
                        tile: ProductTile {
                            a: x.as_ptr().add(run),
                            a_row: 1,
                            a_step: self.stride * self.input.2,
                            offsets: self.lines.as_ptr(),
                            pieces: self.lines.len(),
                            length: wide,
                            b: d.as_ptr().add(column),
                            b_row: filters,
                            to: OutputTile {
                                c: g.as_mut_ptr().add(start + k * self.run * width),
                                c_row: width,
                                columns: filters - column,
                                start: AccumulatorInit::Accumulate,
                                finish: RawEpilogue::Identity,
                            },
                        },
                        rows: self.run,
                        units: width / LINE,
                    });
                }
            }
        }
        if let Some(bias) = bias {
            for point in d[..self.output_len()].chunks_exact(filters) {
                bias.iter_mut().zip(point).for_each(|(b, d)| *b += *d);
            }
        }
    }

    /// Writes the filters as the backward pass needs them.
    pub fn flip_filters<T: Float>(&self, w: &[T], to: &mut [T]) {
        let layout = self.filters();
        let Some(back) = &self.back else {
            layout.transpose(w, to);
            return;
        };
        let turned = back.filters();
        let (c, filters, points) = (self.input.2, self.output.2, self.size.0 * self.size.1);
        for point in 0..points {
            for channel in 0..c {
                for f in 0..filters {
                    to[turned.at((points - 1 - point) * filters + f, channel)] = w[layout.at(point * c + channel, f)];
                }
            }
        }
    }

    /// The input gradient of one image: `dx` from `d`, with filters from [`Convolution::flip_filters`]. `end` is only
    /// applied by the convolution with flipped filters; returns whether it was.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn input_gradient<T: Float>(
        &self,
        d: &[T],
        turned: &[T],
        end: Epilogue<'_, T>,
        dx: &mut [T],
        room: &mut Workspace<T>,
    ) -> bool {
        let (_, w, c) = self.input;
        let (_, wide, filters) = self.output;
        if let Some(back) = &self.back {
            let d = back.pad_image(&d[..self.output_len()], &mut room.result);
            back.im2col_windows(d, turned, None, end, dx);
            return true;
        }
        let layout = self.flipped_layout();
        let across = padded(layout.cols);
        let line = (w + 2 * self.pad) * c;
        let image = &mut room.image[..];
        image.fill(T::ZERO);
        for (k, &from) in self.lines.iter().enumerate() {
            let d = &d[k * wide * filters..][..wide * filters];
            super::dense(d, filters, wide, None, turned, layout, None, Epilogue::Identity, &mut room.products, across);
            for x in 0..wide {
                let products = &room.products[x * across..][..layout.cols];
                let at = from + x * self.stride * c;
                for (products, &run) in products.chunks_exact(self.run).zip(&self.runs) {
                    let to = &mut image[at + run..][..self.run];
                    to.iter_mut().zip(products).for_each(|(t, p)| *t += *p);
                }
            }
        }
        // The padded image is also used in the forward pass, whose margins must stay zeros.
        for (to, from) in dx.chunks_exact_mut(w * c).zip(image.chunks_exact(line).skip(self.pad)) {
            to.copy_from_slice(&from[self.pad * c..][..w * c]);
        }
        if self.pad > 0 {
            image.fill(T::ZERO);
        }
        false
    }
}
