//! The kernels behind [`super::Centers`]: a portable one, and the choice of a faster one at run time.

use super::{CenterSums, Centers, StridedRows};

/// Number types of the kernels.
pub trait DistanceNumber: Copy + PartialOrd + Send + Sync + 'static {
    /// Numbers in a vector of 256 bits.
    #[doc(hidden)]
    const LANES: usize;
    /// The rounding of a single operation.
    #[doc(hidden)]
    const EPSILON: f64;
    #[doc(hidden)]
    fn from_f64(v: f64) -> Self;
    #[doc(hidden)]
    fn to_f64(self) -> f64;
    /// Buffer for the best score and its center of every lane of `rows` rows.
    #[doc(hidden)]
    fn best(rows: usize) -> Vec<Self>;
    /// The nearest center of each row.
    #[doc(hidden)]
    fn nearest(centers: &Centers<Self>, x: &StridedRows<'_, Self>, best: &mut [Self], labels: &mut [u32])
    where
        Self: super::Real;
    /// The scores of some rows with all centers of a group: those of row i from `out[i * stride]` on.
    #[doc(hidden)]
    fn scores(centers: &Centers<Self>, group: usize, x: &StridedRows<'_, Self>, rows: &[u32], stride: usize, out: &mut [Self])
    where
        Self: super::Real;
    /// The squared distance of each row from the center it belongs to.
    #[doc(hidden)]
    fn own_distances(centers: &Centers<Self>, x: &StridedRows<'_, Self>, labels: &[u32], out: &mut [f64])
    where
        Self: super::Real;
    /// Whether all numbers are finite.
    #[doc(hidden)]
    fn finite(values: &[Self]) -> bool;
    /// Adds rows to the sums of their centers.
    #[doc(hidden)]
    fn sum(
        centers: &Centers<Self>,
        x: &StridedRows<'_, Self>,
        weight: Option<&[f64]>,
        labels: &[u32],
        sums: &mut CenterSums<Self>,
    ) where
        Self: super::Real;
}

macro_rules! kernel {
    ($t:ty, $lanes:literal, $simd:ident) => {
        impl DistanceNumber for $t {
            const LANES: usize = $lanes;
            const EPSILON: f64 = <$t>::EPSILON as f64;

            #[inline]
            fn from_f64(v: f64) -> Self {
                v as Self
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn best(rows: usize) -> Vec<Self> {
                vec![0.0; 2 * rows * $lanes]
            }

            fn nearest(centers: &Centers<Self>, x: &StridedRows<'_, Self>, best: &mut [Self], labels: &mut [u32]) {
                #[cfg(target_arch = "x86_64")]
                // Centers are numbered in the number type itself, so their numbers must be exact in it.
                if centers.k <= 1 << 24 && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the features are there.
                    return unsafe { super::simd::$simd::nearest(centers, x, best, labels) };
                }
                let _ = best;
                portable::nearest(centers, x, labels, |s, x, c| *s += x * c, <$t>::NEG_INFINITY);
            }

            fn scores(
                centers: &Centers<Self>,
                group: usize,
                x: &StridedRows<'_, Self>,
                rows: &[u32],
                stride: usize,
                out: &mut [Self],
            ) {
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the features are there.
                    return unsafe { super::simd::$simd::scores(centers, group, x, rows, stride, out) };
                }
                portable::scores(centers, group, x, rows, stride, out, |s, x, c| *s += x * c);
            }

            fn own_distances(centers: &Centers<Self>, x: &StridedRows<'_, Self>, labels: &[u32], out: &mut [f64]) {
                #[inline(always)]
                fn all(centers: &Centers<$t>, x: &StridedRows<'_, $t>, labels: &[u32], out: &mut [f64]) {
                    let width = centers.width;
                    for (i, (out, &label)) in out.iter_mut().zip(labels).enumerate() {
                        let (row, c) = (x.row(i), label as usize);
                        let center = &centers.rows[c * width..c * width + row.len()];
                        // Two vectors of sums, so that one does not wait for the other.
                        let mut sums = [0.0; 2 * $lanes];
                        let (wide, near) = (row.chunks_exact(2 * $lanes), center.chunks_exact(2 * $lanes));
                        for (l, (a, b)) in wide.remainder().iter().zip(near.remainder()).enumerate() {
                            sums[l] = (a - b) * (a - b);
                        }
                        for (a, b) in wide.zip(near) {
                            for l in 0..2 * $lanes {
                                sums[l] += (a[l] - b[l]) * (a[l] - b[l]);
                            }
                        }
                        *out = sums.iter().map(|&s| f64::from(s)).sum();
                    }
                }
                #[cfg(target_arch = "x86_64")]
                {
                    #[target_feature(enable = "avx2,fma")]
                    fn wide(centers: &Centers<$t>, x: &StridedRows<'_, $t>, labels: &[u32], out: &mut [f64]) {
                        all(centers, x, labels, out);
                    }
                    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                        // SAFETY: the features are there.
                        return unsafe { wide(centers, x, labels, out) };
                    }
                }
                all(centers, x, labels, out);
            }

            fn finite(values: &[Self]) -> bool {
                // Infinity and NaN times 0 are NaN; several sums allow vectorization.
                let mut sums = [0.0; 16];
                let chunks = values.chunks_exact(16);
                let rest = chunks.remainder().iter().fold(0.0, |s, v| s + v * 0.0);
                for chunk in chunks {
                    for l in 0..16 {
                        sums[l] += chunk[l] * 0.0;
                    }
                }
                sums.iter().fold(rest, |s, v| s + v) == 0.0
            }

            fn sum(
                centers: &Centers<Self>,
                x: &StridedRows<'_, Self>,
                weight: Option<&[f64]>,
                labels: &[u32],
                sums: &mut CenterSums<Self>,
            ) {
                #[cfg(target_arch = "x86_64")]
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the features are there.
                    return unsafe { super::simd::$simd::sum(centers, x, weight, labels, sums) };
                }
                let width = centers.width;
                let mut inertia = 0.0;
                for (i, &label) in labels.iter().enumerate() {
                    let c = label as usize;
                    let w = weight.map_or(1.0, |w| w[i]);
                    sums.weight[c] += w;
                    let (mut square, w) = (0.0, w as $t);
                    let center = &centers.rows[c * width..(c + 1) * width];
                    let residual = &mut sums.residuals[c * width..(c + 1) * width];
                    for ((s, &x), &c) in residual.iter_mut().zip(x.row(i)).zip(center) {
                        let d = x - c;
                        *s += w * d;
                        square += d * d;
                    }
                    inertia += f64::from(w * square);
                }
                sums.inertia += inertia;
            }
        }
    };
}
kernel!(f32, 8, single);
kernel!(f64, 4, double);

/// Plain loops over the packed centers, in the order of the fast kernels.
pub(super) mod portable {
    use super::super::{Centers, Real, StridedRows};

    pub(in super::super) fn scores<T: Real>(
        centers: &Centers<T>,
        group: usize,
        x: &StridedRows<'_, T>,
        rows: &[u32],
        stride: usize,
        out: &mut [T],
        add: impl Fn(&mut T, T, T),
    ) {
        let group = &centers.groups[group];
        let lanes = group.vectors * T::LANES;
        for &i in rows {
            let out = &mut out[i as usize * stride..i as usize * stride + lanes];
            out.copy_from_slice(&centers.bias[group.first..group.first + lanes]);
            for (j, &x) in x.row(i as usize).iter().enumerate() {
                let values = &centers.packed[group.start + j * lanes..group.start + (j + 1) * lanes];
                out.iter_mut().zip(values).for_each(|(s, &c)| add(s, x, c));
            }
        }
    }

    pub(in super::super) fn nearest<T: Real>(
        centers: &Centers<T>,
        x: &StridedRows<'_, T>,
        labels: &mut [u32],
        add: impl Fn(&mut T, T, T),
        least: T,
    ) {
        let mut scores = vec![least; 2 * T::LANES];
        for (i, label) in labels.iter_mut().enumerate() {
            let (mut at, mut top) = (0, least);
            for group in &centers.groups {
                let lanes = group.vectors * T::LANES;
                let scores = &mut scores[..lanes];
                scores.copy_from_slice(&centers.bias[group.first..group.first + lanes]);
                for (j, &x) in x.row(i).iter().enumerate() {
                    let values = &centers.packed[group.start + j * lanes..group.start + (j + 1) * lanes];
                    scores.iter_mut().zip(values).for_each(|(s, &c)| add(s, x, c));
                }
                for (l, &s) in scores.iter().enumerate() {
                    if s > top {
                        (at, top) = (group.first + l, s);
                    }
                }
            }
            *label = at.min(centers.k - 1) as u32;
        }
    }
}
