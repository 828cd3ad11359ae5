//! Batch normalization: moments of channels over pixels, and the two sweeps that use them.

use super::Float;
use super::lanes::{SimdLanes, SimdOp};

/// Count, means and sums of squared deviations of the channels of some pixels. Several blocks are merged by the formula
/// of Chan, Golub and LeVeque, in f64.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockMoments {
    /// Points.
    pub count: f64,
    /// One mean per channel.
    pub mean: Vec<f64>,
    /// Σ (x - mean)² of each channel.
    pub squares: Vec<f64>,
}

impl BlockMoments {
    /// The moments of no points.
    pub fn new(channels: usize) -> Self {
        Self { count: 0.0, mean: vec![0.0; channels], squares: vec![0.0; channels] }
    }

    /// Resets to no points.
    pub fn clear(&mut self) {
        self.count = 0.0;
        self.mean.fill(0.0);
        self.squares.fill(0.0);
    }

    /// Adds `rows` rows of `len` numbers, `stride` apart; the channels of a pixel are side by side. Deviations are
    /// taken from a nearby pixel, so that little is lost where means are large. `sums` is a buffer of two numbers per
    /// channel.
    pub fn add<T: Float>(&mut self, x: &[T], stride: usize, rows: usize, len: usize, sums: &mut Vec<T>) {
        let channels = self.mean.len();
        let group = group(len / channels.max(1));
        for start in (0..rows).step_by(group) {
            let rows = group.min(rows - start);
            let x = &x[start * stride..];
            sums.clear();
            sums.resize(2 * channels, T::ZERO);
            T::dispatch(ChannelSumsOp { x, stride, rows, len, channels, sums });
            let (a, b) = (self.count, (rows * len / channels) as f64);
            for j in 0..channels {
                let shift = sums[j].to_f64() / b;
                let squares = (sums[channels + j].to_f64() - sums[j].to_f64() * shift).max(0.0);
                let delta = x[j].to_f64() + shift - self.mean[j];
                self.mean[j] += delta * (b / (a + b));
                self.squares[j] += squares + delta * delta * (a * b / (a + b));
            }
            self.count = a + b;
        }
    }

    /// Takes in the points of another.
    pub fn merge(&mut self, other: &Self) {
        let (a, b) = (self.count, other.count);
        if b == 0.0 {
            return;
        }
        for j in 0..self.mean.len() {
            let delta = other.mean[j] - self.mean[j];
            self.mean[j] += delta * (b / (a + b));
            self.squares[j] += other.squares[j] + delta * delta * (a * b / (a + b));
        }
        self.count = a + b;
    }
}

/// Rows accumulated in f32 before adding to f64: about a thousand pixels.
fn group(points: usize) -> usize {
    (1024 / points.max(1)).max(1)
}

struct ChannelSumsOp<'a, T> {
    x: &'a [T],
    stride: usize,
    rows: usize,
    len: usize,
    channels: usize,
    sums: &'a mut [T],
}

impl<T: Float> SimdOp<T> for ChannelSumsOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        let Self { x, stride, rows, len, channels, sums } = self;
        let first = &x[..channels];
        let (one, two) = sums.split_at_mut(channels);
        for row in 0..rows {
            for point in x[row * stride..][..len].chunks_exact(channels) {
                for j in 0..channels {
                    let d = point[j] - first[j];
                    one[j] += d;
                    two[j] += d * d;
                }
            }
        }
    }
}

struct NormalizeOp<'a, T> {
    x: &'a [T],
    scale: &'a [T],
    shift: &'a [T],
    slope: T,
    y: &'a mut [T],
}

impl<T: Float> SimdOp<T> for NormalizeOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        let Self { x, scale, shift, slope, y } = self;
        let channels = scale.len();
        for (x, y) in x.chunks_exact(channels).zip(y.chunks_exact_mut(channels)) {
            for j in 0..channels {
                let z = x[j] * scale[j] + shift[j];
                y[j] = if z > T::ZERO { z } else { z * slope };
            }
        }
    }
}

/// y = x · scale + shift by channel; negative values times `slope`, which is 1 without activation.
pub fn normalize<T: Float>(x: &[T], scale: &[T], shift: &[T], slope: T, y: &mut [T]) {
    assert!(scale.len() == shift.len() && !scale.is_empty() && y.len() >= x.len());
    T::dispatch(NormalizeOp { x, scale, shift, slope, y });
}

struct NormGradSumsOp<'a, T> {
    x: &'a [T],
    d: &'a [T],
    stride: usize,
    rows: usize,
    len: usize,
    mean: &'a [T],
    sums: &'a mut [T],
}

impl<T: Float> SimdOp<T> for NormGradSumsOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        let Self { x, d, stride, rows, len, mean, sums } = self;
        let channels = mean.len();
        let (one, two) = sums.split_at_mut(channels);
        for row in 0..rows {
            let at = row * stride..row * stride + len;
            for (x, d) in x[at.clone()].chunks_exact(channels).zip(d[at].chunks_exact(channels)) {
                for j in 0..channels {
                    one[j] += d[j];
                    two[j] += d[j] * (x[j] - mean[j]);
                }
            }
        }
    }
}

/// Adds Σ d and Σ d (x - mean) of each channel in f64, over `rows` rows of `len` numbers that are `stride` apart;
/// `sums` is a buffer.
pub fn normalize_sums<T: Float>(
    [x, d]: [&[T]; 2],
    stride: usize,
    rows: usize,
    len: usize,
    mean: &[T],
    sums: &mut Vec<T>,
    total: &mut [f64],
) {
    assert!(!mean.is_empty() && total.len() == 2 * mean.len());
    let group = group(len / mean.len());
    for start in (0..rows).step_by(group) {
        sums.clear();
        sums.resize(total.len(), T::ZERO);
        let (x, d) = (&x[start * stride..], &d[start * stride..]);
        T::dispatch(NormGradSumsOp { x, d, stride, rows: group.min(rows - start), len, mean, sums });
        total.iter_mut().zip(sums.iter()).for_each(|(t, s)| *t += s.to_f64());
    }
}

struct NormGradOp<'a, T> {
    x: &'a [T],
    d: &'a [T],
    coefficients: [&'a [T]; 3],
    dx: &'a mut [T],
}

impl<T: Float> SimdOp<T> for NormGradOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        let Self { x, d, coefficients: [a, b, c], dx } = self;
        let channels = a.len();
        let (b, c) = (&b[..channels], &c[..channels]);
        for ((x, d), dx) in x.chunks_exact(channels).zip(d.chunks_exact(channels)).zip(dx.chunks_exact_mut(channels)) {
            for j in 0..channels {
                dx[j] = a[j] * d[j] + (b[j] * x[j] + c[j]);
            }
        }
    }
}

/// dx = a d + b x + c, channel by channel.
pub fn normalize_gradient<T: Float>(x: &[T], d: &[T], coefficients: [&[T]; 3], dx: &mut [T]) {
    assert!(!coefficients[0].is_empty() && coefficients.iter().all(|c| c.len() == coefficients[0].len()));
    T::dispatch(NormGradOp { x, d, coefficients, dx });
}
