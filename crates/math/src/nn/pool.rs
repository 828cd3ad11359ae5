//! Pooling: the largest number or the mean of windows, channel by channel.

use super::Float;
use super::buffer::LINE;
use super::lanes::{SimdLanes, SimdOp};

/// Kinds of pooling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolKind {
    /// The largest number; the first of equals.
    Max,
    /// The mean.
    Average,
}

/// Windows over images of (height, width, channels).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// Which number.
    pub kind: PoolKind,
    /// Of an image.
    pub input: (usize, usize, usize),
    /// Height and width of the window.
    pub size: (usize, usize),
    /// From one window to the next.
    pub stride: usize,
}

impl Pool {
    /// Height, width and channels of the result.
    pub fn output(&self) -> (usize, usize, usize) {
        let (h, w, c) = self.input;
        ((h - self.size.0) / self.stride + 1, (w - self.size.1) / self.stride + 1, c)
    }

    fn input_len(&self) -> usize {
        self.input.0 * self.input.1 * self.input.2
    }

    /// The result for one image.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn forward<T: Float>(&self, x: &[T], y: &mut [T]) {
        let (high, wide, c) = self.output();
        assert!(x.len() >= self.input_len() && y.len() >= high * wide * c, "an image and its result");
        T::dispatch(PoolForwardOp { pool: self, x, y });
    }

    /// The input gradient `dx` of one image `x` with output `y`, from the output gradient `d`. Among equal maxima the
    /// first gets it. With a slope, inputs that are not above 0 get it times the slope: the backward pass through the
    /// preceding activation.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn backward<T: Float>(&self, x: &[T], y: &[T], d: &[T], slope: Option<T>, dx: &mut [T]) {
        let (high, wide, c) = self.output();
        let (from, to) = (self.input_len(), high * wide * c);
        assert!(x.len() >= from && dx.len() >= from && y.len() >= to && d.len() >= to, "an image and its result");
        // Windows that neither skip nor repeat a pixel write every element once.
        let apart = self.stride >= self.size.0 && self.stride >= self.size.1;
        let whole = |n: usize, size: usize| n.is_multiple_of(size) && self.stride == size;
        if !(whole(self.input.0, self.size.0) && whole(self.input.1, self.size.1)) {
            dx[..from].fill(T::ZERO);
        }
        T::dispatch(PoolBackwardOp { pool: self, x, y, d, slope, apart, dx });
    }

    /// Calls `work` with the offset of each window and of its output.
    #[inline(always)]
    fn windows(&self, mut work: impl FnMut(usize, usize)) {
        let (_, w, c) = self.input;
        let (high, wide, _) = self.output();
        for row in 0..high {
            for column in 0..wide {
                work((row * w + column) * self.stride * c, (row * wide + column) * c);
            }
        }
    }

    /// Offsets of the pixels of a window from its beginning.
    #[inline(always)]
    fn window_offsets(&self) -> impl Iterator<Item = usize> + use<> {
        let ((_, w, c), (high, wide)) = (self.input, self.size);
        (0..high).flat_map(move |y| (0..wide).map(move |x| (y * w + x) * c))
    }
}

/// A vector from `at` on, of which `n` elements count; none is read beyond the end.
#[inline(always)]
fn load_first<T: Float, L: SimdLanes<T>>(l: L, from: &[T], at: usize, n: usize) -> L::V {
    // SAFETY: both have room for a vector.
    unsafe {
        if at + L::N <= from.len() {
            return l.load(from.as_ptr().add(at));
        }
        let mut some = [T::ZERO; LINE];
        some[..n].copy_from_slice(&from[at..at + n]);
        l.load(some.as_ptr())
    }
}

/// Stores the first `n` elements of a vector.
#[inline(always)]
fn store_first<T: Float, L: SimdLanes<T>>(l: L, to: &mut [T], at: usize, n: usize, v: L::V) {
    let to = &mut to[at..at + n];
    // SAFETY: there is room for n numbers.
    unsafe {
        match n == L::N {
            true => l.store(to.as_mut_ptr(), v),
            false => l.store_first(to.as_mut_ptr(), v, n),
        }
    }
}

struct PoolForwardOp<'a, T> {
    pool: &'a Pool,
    x: &'a [T],
    y: &'a mut [T],
}

impl<T: Float> SimdOp<T> for PoolForwardOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, l: L) {
        let Self { pool, x, y } = self;
        let c = pool.input.2;
        let (one, share) = (l.splat(T::ONE), l.splat(T::ONE / T::from_f64((pool.size.0 * pool.size.1) as f64)));
        pool.windows(|corner, at| {
            for k in (0..c).step_by(L::N) {
                let n = L::N.min(c - k);
                let mut points = pool.window_offsets();
                points.next();
                let mut largest = load_first(l, x, corner + k, n);
                for point in points {
                    let here = load_first(l, x, corner + point + k, n);
                    largest = match pool.kind {
                        PoolKind::Max => l.max(largest, here),
                        PoolKind::Average => l.fma(one, here, largest),
                    };
                }
                if pool.kind == PoolKind::Average {
                    largest = l.mul(largest, share);
                }
                store_first(l, y, at + k, n, largest);
            }
        });
    }
}

struct PoolBackwardOp<'a, T> {
    pool: &'a Pool,
    x: &'a [T],
    y: &'a [T],
    d: &'a [T],
    slope: Option<T>,
    /// Whether no two windows share a point.
    apart: bool,
    dx: &'a mut [T],
}

impl<T: Float> SimdOp<T> for PoolBackwardOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, l: L) {
        let Self { pool, x, y, d, slope, apart, dx } = self;
        let c = pool.input.2;
        let (zero, one, less) = (l.splat(T::ZERO), l.splat(T::ONE), l.splat(T::ZERO - T::ONE));
        let share = l.splat(T::ONE / T::from_f64((pool.size.0 * pool.size.1) as f64));
        let slope = slope.map(|s| l.splat(s));
        pool.windows(|corner, at| {
            for k in (0..c).step_by(L::N) {
                let n = L::N.min(c - k);
                let largest = load_first(l, y, at + k, n);
                let mut left = load_first(l, d, at + k, n);
                if pool.kind == PoolKind::Average {
                    left = l.mul(left, share);
                }
                for point in pool.window_offsets() {
                    let from = corner + point + k;
                    let here = load_first(l, x, from, n);
                    let mut gradient = left;
                    if pool.kind == PoolKind::Max {
                        // Above 0 where this is not the largest.
                        let behind = l.fma(less, here, largest);
                        gradient = l.select_positive(behind, zero, left);
                        left = l.select_positive(behind, left, zero);
                    }
                    if let Some(slope) = slope {
                        gradient = l.select_positive(here, gradient, l.mul(gradient, slope));
                    }
                    if !apart {
                        gradient = l.fma(one, gradient, load_first(l, dx, from, n));
                    }
                    store_first(l, dx, from, n, gradient);
                }
            }
        });
    }
}
