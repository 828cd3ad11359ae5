//! The inner loops over one column, for f64 and f32, dense and sparse.
//!
//! Every function adds in an order that depends on the length alone.

use crate::moments::Real;
use crate::simd::{Portable, Simd};

/// Compiles a kernel once for AVX2 with FMA and once for any processor.
macro_rules! kernel {
    ($(#[$meta:meta])* fn $name:ident<$t:ident>($s:ident, $($arg:ident: $ty:ty),*) $(-> $ret:ty)? $body:block) => {
        $(#[$meta])*
        #[inline]
        pub(super) fn $name<$t: Real>($($arg: $ty),*) $(-> $ret)? {
            #[inline(always)]
            fn body<S: Simd, $t: Real>($s: S, $($arg: $ty),*) $(-> $ret)? $body
            #[cfg(target_arch = "x86_64")]
            {
                use crate::simd::Avx2;
                #[target_feature(enable = "avx2,fma")]
                fn wide<$t: Real>(s: Avx2, $($arg: $ty),*) $(-> $ret)? {
                    body(s, $($arg),*)
                }
                if let Some(s) = Avx2::find() {
                    // SAFETY: the features were found.
                    return unsafe { wide(s, $($arg),*) };
                }
            }
            body(Portable, $($arg),*)
        }
    };
}

/// The four lanes of four vectors, added in pairs.
#[inline(always)]
fn total<S: Simd>(s: S, [a, b, c, d]: [S::V; 4]) -> f64 {
    let mut lanes = [0.0; 4];
    // SAFETY: room for four f64.
    unsafe { s.store(lanes.as_mut_ptr(), s.add(s.add(a, b), s.add(c, d))) };
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

kernel! {
    /// Σ x v.
    fn dot<T>(s, x: &[T], v: &[f64]) -> f64 {
        assert_eq!(x.len(), v.len(), "a column and a vector of other length");
        let (n, x, v) = (x.len(), x.as_ptr(), v.as_ptr());
        let mut sums = [s.splat(0.0); 4];
        let mut i = 0;
        // SAFETY: all places are below n, the length of both.
        unsafe {
            while i + 16 <= n {
                for l in 0..4 {
                    sums[l] = s.fma(T::load4(s, x.add(i + 4 * l)), s.load(v.add(i + 4 * l)), sums[l]);
                }
                i += 16;
            }
            let mut rest = 0.0;
            while i < n {
                rest += (*x.add(i)).to_f64() * *v.add(i);
                i += 1;
            }
            total(s, sums) + rest
        }
    }
}

kernel! {
    /// Σ w x v.
    fn dot_weighted<T>(s, x: &[T], w: &[f64], v: &[f64]) -> f64 {
        assert!(x.len() == v.len() && x.len() == w.len(), "a column and vectors of other lengths");
        let (n, x, w, v) = (x.len(), x.as_ptr(), w.as_ptr(), v.as_ptr());
        let mut sums = [s.splat(0.0); 4];
        let mut i = 0;
        // SAFETY: all places are below n, the length of all three.
        unsafe {
            while i + 16 <= n {
                for l in 0..4 {
                    let at = i + 4 * l;
                    let xw = s.mul(T::load4(s, x.add(at)), s.load(w.add(at)));
                    sums[l] = s.fma(xw, s.load(v.add(at)), sums[l]);
                }
                i += 16;
            }
            let mut rest = 0.0;
            while i < n {
                rest += (*x.add(i)).to_f64() * *w.add(i) * *v.add(i);
                i += 1;
            }
            total(s, sums) + rest
        }
    }
}

kernel! {
    /// Σ w x².
    fn norm_weighted<T>(s, x: &[T], w: &[f64]) -> f64 {
        assert_eq!(x.len(), w.len(), "a column and weights of other length");
        let (n, x, w) = (x.len(), x.as_ptr(), w.as_ptr());
        let mut sums = [s.splat(0.0); 4];
        let mut i = 0;
        // SAFETY: all places are below n, the length of both.
        unsafe {
            while i + 16 <= n {
                for l in 0..4 {
                    let value = T::load4(s, x.add(i + 4 * l));
                    sums[l] = s.fma(s.mul(value, s.load(w.add(i + 4 * l))), value, sums[l]);
                }
                i += 16;
            }
            let mut rest = 0.0;
            while i < n {
                let value = (*x.add(i)).to_f64();
                rest += value * *w.add(i) * value;
                i += 1;
            }
            total(s, sums) + rest
        }
    }
}

kernel! {
    /// Σ x².
    fn norm<T>(s, x: &[T]) -> f64 {
        let (n, x) = (x.len(), x.as_ptr());
        let mut sums = [s.splat(0.0); 4];
        let mut i = 0;
        // SAFETY: all places are below n, the length.
        unsafe {
            while i + 16 <= n {
                for l in 0..4 {
                    let value = T::load4(s, x.add(i + 4 * l));
                    sums[l] = s.fma(value, value, sums[l]);
                }
                i += 16;
            }
            let mut rest = 0.0;
            while i < n {
                let value = (*x.add(i)).to_f64();
                rest += value * value;
                i += 1;
            }
            total(s, sums) + rest
        }
    }
}

kernel! {
    /// v += a x.
    fn axpy<T>(s, a: f64, x: &[T], v: &mut [f64]) {
        assert_eq!(x.len(), v.len(), "a column and a vector of other length");
        let (n, x, v) = (x.len(), x.as_ptr(), v.as_mut_ptr());
        let factor = s.splat(a);
        let mut i = 0;
        // SAFETY: all places are below n, the length of both.
        unsafe {
            while i + 8 <= n {
                for l in [0, 4] {
                    let at = v.add(i + l);
                    s.store(at, s.fma(factor, T::load4(s, x.add(i + l)), s.load(at)));
                }
                i += 8;
            }
            while i < n {
                *v.add(i) += a * (*x.add(i)).to_f64();
                i += 1;
            }
        }
    }
}

kernel! {
    /// Adds four rows, each times its factor, to `g`.
    fn add_four_rows<T>(s, rows: [&[T]; 4], factors: [f64; 4], g: &mut [f64]) {
        let n = g.len();
        assert!(rows.iter().all(|r| r.len() == n), "rows of another width");
        let g = g.as_mut_ptr();
        let wide = [s.splat(factors[0]), s.splat(factors[1]), s.splat(factors[2]), s.splat(factors[3])];
        let mut j = 0;
        // SAFETY: all places are below n, the length of all.
        unsafe {
            while j + 4 <= n {
                let mut sum = s.load(g.add(j));
                for k in 0..4 {
                    sum = s.fma(wide[k], T::load4(s, rows[k].as_ptr().add(j)), sum);
                }
                s.store(g.add(j), sum);
                j += 4;
            }
            while j < n {
                for k in 0..4 {
                    *g.add(j) += factors[k] * rows[k].get_unchecked(j).to_f64();
                }
                j += 1;
            }
        }
    }
}

/// Sums of a group of rows, about an origin: what [`add_summary`] adds to.
pub(super) struct ColumnSumsMut<'a> {
    /// Σ w (x - origin).
    pub first: &'a mut [f64],
    /// Σ w (x - origin)².
    pub second: &'a mut [f64],
    /// Σ (x - origin) v.
    pub product: &'a mut [f64],
}

kernel! {
    /// Adds four rows, with weights `w` and partners `v`, to the sums.
    fn add_summary<T>(s, rows: [&[T]; 4], origin: &[f64], w: [f64; 4], v: [f64; 4], sums: &mut ColumnSumsMut<'_>) {
        let n = origin.len();
        assert!(rows.iter().all(|r| r.len() == n), "rows of another width");
        assert!(sums.first.len() == n && sums.second.len() == n && sums.product.len() == n, "sums of another width");
        let (first, second, product) = (sums.first.as_mut_ptr(), sums.second.as_mut_ptr(), sums.product.as_mut_ptr());
        let (wide, by) = ([s.splat(w[0]), s.splat(w[1]), s.splat(w[2]), s.splat(w[3])],
                          [s.splat(v[0]), s.splat(v[1]), s.splat(v[2]), s.splat(v[3])]);
        let mut j = 0;
        // SAFETY: all places are below n, the length of all.
        unsafe {
            while j + 4 <= n {
                let zero = s.load(origin.as_ptr().add(j));
                let (mut a, mut b, mut c) = (s.load(first.add(j)), s.load(second.add(j)), s.load(product.add(j)));
                for k in 0..4 {
                    let z = s.sub(T::load4(s, rows[k].as_ptr().add(j)), zero);
                    let wz = s.mul(wide[k], z);
                    a = s.add(a, wz);
                    b = s.fma(wz, z, b);
                    c = s.fma(by[k], z, c);
                }
                s.store(first.add(j), a);
                s.store(second.add(j), b);
                s.store(product.add(j), c);
                j += 4;
            }
            while j < n {
                for k in 0..4 {
                    let z = rows[k].get_unchecked(j).to_f64() - origin.get_unchecked(j);
                    *first.add(j) += w[k] * z;
                    *second.add(j) += w[k] * z * z;
                    *product.add(j) += v[k] * z;
                }
                j += 1;
            }
        }
    }
}

/// Σ x v over the stored values of a sparse column.
///
/// # Safety
/// Every index must be below the length of `v`, and there must be as many indices as values.
#[inline]
pub(super) unsafe fn sparse_dot(indices: &[u32], values: &[f64], v: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let whole = indices.len() / 4 * 4;
    // SAFETY: the caller's promise.
    unsafe {
        for at in (0..whole).step_by(4) {
            for l in 0..4 {
                sums[l] += values.get_unchecked(at + l) * v.get_unchecked(*indices.get_unchecked(at + l) as usize);
            }
        }
        for at in whole..indices.len() {
            sums[at - whole] += values.get_unchecked(at) * v.get_unchecked(*indices.get_unchecked(at) as usize);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Σ w x v over the stored values of a sparse column.
///
/// # Safety
/// As [`sparse_dot`], for both vectors.
#[inline]
pub(super) unsafe fn sparse_dot_weighted(indices: &[u32], values: &[f64], w: &[f64], v: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let whole = indices.len() / 4 * 4;
    // SAFETY: the caller's promise.
    unsafe {
        for at in 0..indices.len() {
            let i = *indices.get_unchecked(at) as usize;
            let l = if at < whole { at % 4 } else { at - whole };
            sums[l] += values.get_unchecked(at) * w.get_unchecked(i) * v.get_unchecked(i);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// v += a x over the stored values of a sparse column.
///
/// # Safety
/// As [`sparse_dot`].
#[inline]
pub(super) unsafe fn sparse_axpy(a: f64, indices: &[u32], values: &[f64], v: &mut [f64]) {
    // SAFETY: the caller's promise.
    unsafe {
        for at in 0..indices.len() {
            *v.get_unchecked_mut(*indices.get_unchecked(at) as usize) += a * values.get_unchecked(at);
        }
    }
}
