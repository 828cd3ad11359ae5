//! One row against one vector: the two operations of row-by-row learning.
//!
//! Rows are f64 or f32; the vector is always f64. Sums are in sixteen lanes in a fixed order and products are rounded
//! before they are added, so that the bits are the same on every processor; where it has AVX2 the same source is
//! compiled for that.

use crate::moments::Real;

/// Partial sums of a dot product.
const LANES: usize = 16;

/// Compiles a body twice and selects one at run time.
macro_rules! wide {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$t:ident>($($arg:ident: $ty:ty),*) $(-> $out:ty)? $body:block) => {
        $(#[$meta])*
        #[inline]
        $vis fn $name<$t: Real>($($arg: $ty),*) $(-> $out)? {
            #[inline(always)]
            fn body<$t: Real>($($arg: $ty),*) $(-> $out)? $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide<$t: Real>($($arg: $ty),*) $(-> $out)? {
                    body($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor was just asked for the feature that the function is compiled with.
                    return unsafe { wide($($arg),*) };
                }
            }
            body($($arg),*)
        }
    };
}

wide! {
    /// x · w.
    ///
    /// # Panics
    /// When `w` is shorter than `x`.
    pub fn dot<T>(x: &[T], w: &[f64]) -> f64 {
        let w = &w[..x.len()];
        let (x_lanes, w_lanes) = (x.chunks_exact(LANES), w.chunks_exact(LANES));
        let mut rest = 0.0;
        for (x, w) in x_lanes.remainder().iter().zip(w_lanes.remainder()) {
            rest += x.to_f64() * w;
        }
        let mut sums = [0.0; LANES];
        for (x, w) in x_lanes.zip(w_lanes) {
            for l in 0..LANES {
                sums[l] += x[l].to_f64() * w[l];
            }
        }
        let mut width = LANES / 2;
        while width > 0 {
            for l in 0..width {
                sums[l] += sums[l + width];
            }
            width /= 2;
        }
        sums[0] + rest
    }
}

wide! {
    /// x · x.
    pub fn square<T>(x: &[T]) -> f64 {
        let lanes = x.chunks_exact(LANES);
        let mut rest = 0.0;
        for x in lanes.remainder() {
            rest += x.to_f64() * x.to_f64();
        }
        let mut sums = [0.0; LANES];
        for x in lanes {
            for l in 0..LANES {
                sums[l] += x[l].to_f64() * x[l].to_f64();
            }
        }
        sums.iter().sum::<f64>() + rest
    }
}

wide! {
    /// w += c x.
    ///
    /// # Panics
    /// When `w` is shorter than `x`.
    pub fn add_scaled<T>(w: &mut [f64], c: f64, x: &[T]) {
        let w = &mut w[..x.len()];
        for (w, x) in w.iter_mut().zip(x) {
            *w += c * x.to_f64();
        }
    }
}

/// x · w for a sparse row.
///
/// # Panics
/// When an index is beyond `w`.
#[inline]
pub fn sparse_dot(indices: &[u32], values: &[f64], w: &[f64]) -> f64 {
    // Four sums keep four loads under way.
    let mut sums = [0.0; 4];
    let (i4, v4) = (indices.chunks_exact(4), values.chunks_exact(4));
    let mut rest = 0.0;
    for (&j, v) in i4.remainder().iter().zip(v4.remainder()) {
        rest += v * w[j as usize];
    }
    for (j, v) in i4.zip(v4) {
        for l in 0..4 {
            sums[l] += v[l] * w[j[l] as usize];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// w += c x for a sparse row.
///
/// # Panics
/// When an index is beyond `w`.
#[inline]
pub fn sparse_add_scaled(w: &mut [f64], c: f64, indices: &[u32], values: &[f64]) {
    for (&j, v) in indices.iter().zip(values) {
        w[j as usize] += c * v;
    }
}

/// Prefetches the beginning of a slice that will be read soon.
#[inline]
pub fn prefetch<T>(ahead: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let bytes = std::mem::size_of_val(ahead).min(4096);
        for at in (0..bytes).step_by(64) {
            // SAFETY: a prefetch reads nothing that the program can see, and the address lies inside the slice.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead.as_ptr().cast::<i8>().add(at)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = ahead;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_gives_the_definition() {
        for n in [0, 1, 3, 4, 5, 15, 16, 17, 40, 100] {
            let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin()).collect();
            let single: Vec<f32> = x.iter().map(|&v| v as f32).collect();
            let w: Vec<f64> = (0..n).map(|i| (i as f64 * 0.91).cos()).collect();
            let want: f64 = x.iter().zip(&w).map(|(a, b)| a * b).sum();
            assert!((dot(&x, &w) - want).abs() < 1e-13);
            assert!((square(&x) - dot(&x, &x)).abs() < 1e-13);
            let want: f64 = single.iter().zip(&w).map(|(a, b)| f64::from(*a) * b).sum();
            assert!((dot(&single, &w) - want).abs() < 1e-13);
            let indices: Vec<u32> = (0..n as u32).rev().collect();
            let reversed: Vec<f64> = x.iter().rev().copied().collect();
            let want: f64 = x.iter().zip(&w).map(|(a, b)| a * b).sum();
            assert!((sparse_dot(&indices, &reversed, &w) - want).abs() < 1e-13);
            let (mut dense, mut sparse) = (w.clone(), w.clone());
            add_scaled(&mut dense, 0.3, &x);
            sparse_add_scaled(&mut sparse, 0.3, &indices, &reversed);
            for i in 0..n {
                assert!((dense[i] - (w[i] + 0.3 * x[i])).abs() < 1e-15 && (dense[i] - sparse[i]).abs() < 1e-15);
            }
            prefetch(&x);
        }
    }
}
