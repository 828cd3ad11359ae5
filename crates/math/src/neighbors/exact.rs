//! Distances in f64, by which neighbors are finally ranked.

use serde::{Deserialize, Serialize};

use crate::moments::Real;

/// How far apart two rows are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The root of Σ (x - y)².
    Euclidean,
    /// Σ |x - y|.
    Manhattan,
    /// max |x - y|.
    Chebyshev,
    /// (Σ |x - y|ᵖ)^(1/p), for p above 0. Below 1 it breaks the triangle inequality.
    Minkowski(f64),
    /// 1 - x·y / (|x| |y|); 1 where either row is all zeros.
    Cosine,
}

impl Metric {
    /// Minkowski's metric of order `p`, under its own name where it has one.
    pub fn of_order(p: f64) -> Self {
        match p {
            1.0 => Self::Manhattan,
            2.0 => Self::Euclidean,
            f64::INFINITY => Self::Chebyshev,
            p => Self::Minkowski(p),
        }
    }

    /// A distance from its key, for cells that were multiplied by `scale`.
    pub(super) fn distance(self, key: f64, scale: f64) -> f64 {
        match self {
            Self::Euclidean => key.sqrt() / scale,
            Self::Manhattan | Self::Chebyshev => key / scale,
            Self::Minkowski(p) => key.powf(1.0 / p) / scale,
            Self::Cosine => key,
        }
    }

    /// The key of a distance.
    pub(super) fn distance_key(self, distance: f64, scale: f64) -> f64 {
        match self {
            Self::Euclidean => (distance * scale) * (distance * scale),
            Self::Manhattan | Self::Chebyshev => distance * scale,
            Self::Minkowski(p) => (distance * scale).powf(p),
            Self::Cosine => distance,
        }
    }
}

/// The largest power of two that scales numbers up to `most` to at most 1; 1 for numbers whose squares neither overflow
/// nor underflow, so that ordinary data are not scaled.
pub(super) fn scale_of(most: f64) -> f64 {
    const PLAIN: f64 = 1.0e60;
    if most == 0.0 || (1.0 / PLAIN..PLAIN).contains(&most) {
        return 1.0;
    }
    let exponent = most.log2().ceil().clamp(-1000.0, 1023.0) as i32;
    2f64.powi(-exponent)
}

/// The key of a distance: a monotone function of it that costs less. `x` is already multiplied by `scale`, the row is
/// not. The key of two rows has the same bits wherever it is computed. A sum beyond `above` may stop early.
#[inline]
pub(super) fn distance_key<T: Real>(metric: Metric, x: &[f64], row: &[T], scale: f64, above: f64) -> f64 {
    match metric {
        Metric::Euclidean | Metric::Cosine => {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the feature is there.
                return unsafe { squares_wide(x, row, scale) };
            }
            squares(x, row, scale)
        }
        Metric::Manhattan => sum(x, row, scale, |d| d),
        Metric::Chebyshev => x.iter().zip(row).fold(0.0, |most, (a, b)| f64::max(most, (a - b.to_f64() * scale).abs())),
        Metric::Minkowski(p) => {
            let mut total = 0.0;
            for (a, b) in x.chunks(8).zip(row.chunks(8)) {
                total += a.iter().zip(b).map(|(a, b)| (a - b.to_f64() * scale).abs().powf(p)).sum::<f64>();
                if total > above {
                    break;
                }
            }
            total
        }
    }
}

/// The same sums in wider vectors, to the same bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn squares_wide<T: Real>(x: &[f64], row: &[T], scale: f64) -> f64 {
    squares(x, row, scale)
}

#[inline(always)]
fn squares<T: Real>(x: &[f64], row: &[T], scale: f64) -> f64 {
    sum(x, row, scale, |d| d * d)
}

/// Σ f(|x - y|), in eight sums so that the compiler may use vectors.
#[inline(always)]
fn sum<T: Real>(x: &[f64], row: &[T], scale: f64, f: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let (a, a_rest) = x.as_chunks::<8>();
    let (b, b_rest) = row.as_chunks::<8>();
    for (a, b) in a.iter().zip(b) {
        for l in 0..8 {
            sums[l] += f((a[l] - b[l].to_f64() * scale).abs());
        }
    }
    for (l, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[l] += f((a - b.to_f64() * scale).abs());
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

/// 1 / |x·scale|, or 0 for a row of zeros.
pub(super) fn inverse_norm<T: Real>(row: &[T], scale: f64) -> f64 {
    let most = row.iter().fold(0.0, |m, v| f64::max(m, (v.to_f64() * scale).abs()));
    // Rows of very small numbers are scaled up first, so that their squares do not underflow.
    let lift = scale_of(most);
    let norm = row.iter().map(|v| (v.to_f64() * scale * lift).powi(2)).sum::<f64>().sqrt();
    if norm == 0.0 { 0.0 } else { lift / norm }
}
