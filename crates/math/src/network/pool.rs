//! Pooling: the largest number or the mean of windows, channel by channel.

use super::Float;
use super::lanes::{Lanes, Op};

/// What a pool says of its window.
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

    /// The result for one image. `places` gets, where it is not empty, the point of the window that each largest number came from.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn forward<T: Float>(&self, x: &[T], y: &mut [T], places: &mut [u32]) {
        T::dispatch(Forward { pool: self, x, y, places });
    }

    /// The gradient of one image.
    ///
    /// # Panics
    /// When a slice is too short.
    pub fn backward<T: Float>(&self, d: &[T], places: &[u32], dx: &mut [T]) {
        let (_, w, c) = self.input;
        let (high, wide, _) = self.output();
        dx[..self.input.0 * w * c].fill(T::ZERO);
        let share = T::ONE / T::of((self.size.0 * self.size.1) as f64);
        for y in 0..high {
            for x in 0..wide {
                let corner = (y * self.stride * w + x * self.stride) * c;
                let point = (y * wide + x) * c;
                match self.kind {
                    PoolKind::Max => {
                        for k in 0..c {
                            let place = places[point + k] as usize;
                            let (dy, dx_) = (place / self.size.1, place % self.size.1);
                            dx[corner + (dy * w + dx_) * c + k] += d[point + k];
                        }
                    }
                    PoolKind::Average => {
                        for dy in 0..self.size.0 {
                            for dx_ in 0..self.size.1 {
                                let to = &mut dx[corner + (dy * w + dx_) * c..][..c];
                                to.iter_mut().zip(&d[point..]).for_each(|(t, d)| *t += *d * share);
                            }
                        }
                    }
                }
            }
        }
    }
}

struct Forward<'a, T> {
    pool: &'a Pool,
    x: &'a [T],
    y: &'a mut [T],
    places: &'a mut [u32],
}

impl<T: Float> Op<T> for Forward<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self, _: L) {
        let Self { pool, x, y, places } = self;
        let (_, w, c) = pool.input;
        let (high, wide, _) = pool.output();
        let share = T::ONE / T::of((pool.size.0 * pool.size.1) as f64);
        for row in 0..high {
            for column in 0..wide {
                let corner = (row * w + column) * pool.stride * c;
                let at = (row * wide + column) * c;
                let out = &mut y[at..at + c];
                out.copy_from_slice(&x[corner..corner + c]);
                let where_ = if places.is_empty() { &mut [][..] } else { &mut places[at..at + c] };
                where_.fill(0);
                for place in 1..pool.size.0 * pool.size.1 {
                    let from = corner + (place / pool.size.1 * w + place % pool.size.1) * c;
                    let from = &x[from..from + c];
                    match (pool.kind, where_.is_empty()) {
                        (PoolKind::Average, _) => out.iter_mut().zip(from).for_each(|(o, x)| *o += *x),
                        // NaN must not be lost, so that it is seen in the loss.
                        (PoolKind::Max, true) => out.iter_mut().zip(from).for_each(|(o, x)| *o = if *o >= *x { *o } else { *x }),
                        (PoolKind::Max, false) => {
                            for ((o, x), p) in out.iter_mut().zip(from).zip(where_.iter_mut()) {
                                let keep = *o >= *x;
                                *p = if keep { *p } else { place as u32 };
                                *o = if keep { *o } else { *x };
                            }
                        }
                    }
                }
                if pool.kind == PoolKind::Average {
                    out.iter_mut().for_each(|o| *o = *o * share);
                }
            }
        }
    }
}
