//! Vectors of numbers: one source for kernels, compiled for AVX-512, for AVX2 with FMA, and for any processor.

use super::Float;
use super::buffer::LINE;
use super::tile::{self, ProductTile};

/// Rows and columns of a transpose tile; divides the padding.
pub const TRANSPOSE_TILE: usize = 8;

/// An operation on vectors of the processor's width.
pub trait SimdOp<T: Float> {
    type Out;
    /// # Safety
    /// The pointers that the operation holds are good for what it does, and the processor has the features of `L`.
    unsafe fn run<L: SimdLanes<T>>(self, l: L) -> Self::Out;
}

/// A vector of numbers and its operations. Values of these types prove that the processor has the features.
pub trait SimdLanes<T: Float>: Copy {
    type V: Copy;
    /// Numbers of a vector; divides 16.
    const N: usize;
    /// Columns that a tile may have, in units of 16.
    const UNITS: usize;
    /// Rows of a tile that many units wide.
    fn rows(units: usize) -> usize;
    /// # Safety
    /// As for [`tile::tile_body`], with `rows` up to [`SimdLanes::rows`] and `units` up to [`SimdLanes::UNITS`].
    unsafe fn tile(self, units: usize, rows: usize, t: &ProductTile<T>);

    fn splat(self, v: T) -> Self::V;
    /// # Safety
    /// `N` numbers are readable.
    unsafe fn load(self, at: *const T) -> Self::V;
    /// # Safety
    /// `N` numbers are writable.
    unsafe fn store(self, at: *mut T, v: Self::V);
    /// The first `n` numbers, up to `N`.
    /// # Safety
    /// `n` numbers are writable.
    unsafe fn store_first(self, at: *mut T, v: Self::V, n: usize);
    /// `a b + c`.
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// The greater; `b` where either is NaN.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a` where `of` is above 0, else `b`.
    fn select_positive(self, of: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// One bit per number, the first the lowest, set where it is not 0 (or NaN).
    fn nonzero(self, v: Self::V) -> u32;
    /// The transpose of 8 rows of 8 numbers, whose rows are as far apart as the second and the last number say.
    /// # Safety
    /// All are readable, and writable.
    #[inline(always)]
    unsafe fn transpose(self, from: *const T, from_row: usize, to: *mut T, to_row: usize) {
        for r in 0..TRANSPOSE_TILE {
            for c in 0..TRANSPOSE_TILE {
                // SAFETY: the caller's promise.
                unsafe { *to.add(c * to_row + r) = *from.add(r * from_row + c) };
            }
        }
    }
}

/// Any processor.
#[derive(Clone, Copy)]
pub struct Portable;

const NARROW: usize = 8;

impl<T: Float> SimdLanes<T> for Portable {
    type V = [T; NARROW];
    const N: usize = NARROW;
    const UNITS: usize = 1;
    fn rows(_: usize) -> usize {
        2
    }
    unsafe fn tile(self, _: usize, rows: usize, t: &ProductTile<T>) {
        /// # Safety
        /// As for [`tile::tile_body`].
        #[inline(never)]
        unsafe fn tile_kernel<T: Float, const R: usize>(t: &ProductTile<T>) {
            // SAFETY: the caller's promise.
            unsafe { tile::tile_body::<T, Portable, R, { LINE / NARROW }>(Portable, t) }
        }
        // SAFETY: the caller's promise.
        unsafe {
            match rows {
                1 => tile_kernel::<T, 1>(t),
                2 => tile_kernel::<T, 2>(t),
                _ => unreachable!("no tile has that many rows"),
            }
        }
    }
    #[inline(always)]
    fn splat(self, v: T) -> Self::V {
        [v; NARROW]
    }
    #[inline(always)]
    unsafe fn load(self, at: *const T) -> Self::V {
        // SAFETY: the caller's promise.
        unsafe { at.cast::<[T; NARROW]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut T, v: Self::V) {
        // SAFETY: the caller's promise.
        unsafe { at.cast::<[T; NARROW]>().write_unaligned(v) }
    }
    #[inline(always)]
    unsafe fn store_first(self, at: *mut T, v: Self::V, n: usize) {
        for (k, v) in v.into_iter().enumerate().take(n) {
            // SAFETY: the caller's promise.
            unsafe { at.add(k).write(v) }
        }
    }
    #[inline(always)]
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        std::array::from_fn(|i| a[i].mul_add_native(b[i], c[i]))
    }
    #[inline(always)]
    fn mul(self, a: Self::V, b: Self::V) -> Self::V {
        std::array::from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn max(self, a: Self::V, b: Self::V) -> Self::V {
        std::array::from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn select_positive(self, of: Self::V, a: Self::V, b: Self::V) -> Self::V {
        std::array::from_fn(|i| if of[i] > T::ZERO { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn nonzero(self, v: Self::V) -> u32 {
        v.iter().enumerate().map(|(i, v)| u32::from(*v != T::ZERO) << i).sum()
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{LINE, ProductTile, SimdLanes, TRANSPOSE_TILE, tile};

    /// A processor with AVX2 and FMA. Made only by [`Avx2::find`], so the intrinsics below exist on this machine.
    #[derive(Clone, Copy)]
    pub struct Avx2(());

    /// A processor with AVX-512. Made only by [`Avx512::find`].
    #[derive(Clone, Copy)]
    pub struct Avx512(());

    impl Avx2 {
        #[inline]
        pub(crate) fn find() -> Option<Self> {
            (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
        }
    }

    impl Avx512 {
        #[inline]
        pub(crate) fn find() -> Option<Self> {
            crate::simd::has_avx512().then_some(Self(()))
        }
    }

    /// Tiles of one kind of vector: `units wide: heights`. The heights are such that the accumulators, one row of the
    /// right factor and a number of the left one fit in the registers.
    macro_rules! tiles {
        ($l:ident, $t:ty, $features:literal, $n:literal, $most:literal, $($units:literal => [$($r:literal)*], $high:literal;)*) => {
            const N: usize = $n;
            const UNITS: usize = $most;
            fn rows(units: usize) -> usize {
                match units {
                    $($units => $high,)*
                    _ => 1,
                }
            }
            unsafe fn tile(self, units: usize, rows: usize, t: &ProductTile<$t>) {
                /// # Safety
                /// As for [`tile::tile_body`]; the processor has the features. Not inlined: among many others in one function the sums
                /// would not all stay in registers.
                #[target_feature(enable = $features)]
                #[inline(never)]
                unsafe fn tile_kernel<const R: usize, const V: usize>(l: $l, t: &ProductTile<$t>) {
                    // SAFETY: the caller's promise.
                    unsafe { tile::tile_body::<$t, $l, R, V>(l, t) }
                }
                // SAFETY: `self` proves the features; the rest is the caller's promise.
                unsafe {
                    match units {
                        $($units => match rows {
                            $($r => tile_kernel::<$r, { $units * LINE / $n }>(self, t),)*
                            _ => unreachable!("no tile has that many rows"),
                        },)*
                        _ => unreachable!("no tile is that wide"),
                    }
                }
            }
        };
    }

    /// [`SimdLanes::transpose`] in registers: interleaves numbers of two rows, then pairs of four, then halves of
    /// eight.
    ///
    /// # Safety
    /// As there; the processor has AVX.
    #[inline(always)]
    unsafe fn transpose_f32(from: *const f32, from_row: usize, to: *mut f32, to_row: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let a: [__m256; TRANSPOSE_TILE] = std::array::from_fn(|r| _mm256_loadu_ps(from.add(r * from_row)));
            let mut b = a;
            for r in (0..TRANSPOSE_TILE).step_by(2) {
                b[r] = _mm256_unpacklo_ps(a[r], a[r + 1]);
                b[r + 1] = _mm256_unpackhi_ps(a[r], a[r + 1]);
            }
            let mut c = b;
            for r in [0, 4] {
                c[r] = _mm256_shuffle_ps::<0b01_00_01_00>(b[r], b[r + 2]);
                c[r + 1] = _mm256_shuffle_ps::<0b11_10_11_10>(b[r], b[r + 2]);
                c[r + 2] = _mm256_shuffle_ps::<0b01_00_01_00>(b[r + 1], b[r + 3]);
                c[r + 3] = _mm256_shuffle_ps::<0b11_10_11_10>(b[r + 1], b[r + 3]);
            }
            for r in 0..4 {
                _mm256_storeu_ps(to.add(r * to_row), _mm256_permute2f128_ps::<0x20>(c[r], c[r + 4]));
                _mm256_storeu_ps(to.add((r + 4) * to_row), _mm256_permute2f128_ps::<0x31>(c[r], c[r + 4]));
            }
        }
    }

    // SAFETY of all blocks below: a value of the type proves the features; pointers are the caller's promise.
    macro_rules! lanes {
        (
            $l:ident, $t:ty, $v:ty, { $($tiles:tt)* },
            $splat:ident $load:ident $store:ident $fma:ident $mul:ident $max:ident,
            ($first_at:ident, $first_v:ident, $first_n:ident) $first:block,
            ($of:ident, $a:ident, $b:ident) $positive:block,
            ($of_bits:ident) $nonzero:block
            $(, $transpose:ident)?
        ) => {
            impl SimdLanes<$t> for $l {
                type V = $v;
                tiles!($l, $t, $($tiles)*);
                #[inline(always)]
                fn splat(self, v: $t) -> $v {
                    unsafe { $splat(v) }
                }
                #[inline(always)]
                unsafe fn load(self, at: *const $t) -> $v {
                    unsafe { $load(at) }
                }
                #[inline(always)]
                unsafe fn store(self, at: *mut $t, v: $v) {
                    unsafe { $store(at, v) }
                }
                #[inline(always)]
                unsafe fn store_first(self, $first_at: *mut $t, $first_v: $v, $first_n: usize) {
                    unsafe { $first }
                }
                #[inline(always)]
                fn fma(self, a: $v, b: $v, c: $v) -> $v {
                    unsafe { $fma(a, b, c) }
                }
                #[inline(always)]
                fn mul(self, a: $v, b: $v) -> $v {
                    unsafe { $mul(a, b) }
                }
                #[inline(always)]
                fn max(self, a: $v, b: $v) -> $v {
                    unsafe { $max(a, b) }
                }
                #[inline(always)]
                fn select_positive(self, $of: $v, $a: $v, $b: $v) -> $v {
                    unsafe { $positive }
                }
                #[inline(always)]
                fn nonzero(self, $of_bits: $v) -> u32 {
                    unsafe { $nonzero }
                }
                $(
                    #[inline(always)]
                    unsafe fn transpose(self, from: *const $t, from_row: usize, to: *mut $t, to_row: usize) {
                        unsafe { $transpose(from, from_row, to, to_row) }
                    }
                )?
            }
        };
    }

    lanes!(
        Avx512, f32, __m512,
        { "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma", 16, 4,
          1 => [1 2 3 4 5 6 7 8 9 10 11 12 13 14], 14;
          2 => [1 2 3 4 5 6 7 8 9 10 11 12], 12;
          3 => [1 2 3 4 5 6 7 8], 8;
          4 => [1 2 3 4 5 6 7], 6; },
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_fmadd_ps _mm512_mul_ps _mm512_max_ps,
        (at, v, n) { _mm512_mask_storeu_ps(at, ((1u32 << n) - 1) as __mmask16, v) },
        (of, a, b) { _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_GT_OQ>(of, _mm512_setzero_ps()), b, a) },
        (v) { u32::from(_mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(v, _mm512_setzero_ps())) },
        transpose_f32
    );
    lanes!(
        Avx512, f64, __m512d,
        { "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma", 8, 2,
          1 => [1 2 3 4 5 6 7 8 9 10 11 12], 12;
          2 => [1 2 3 4 5 6], 6; },
        _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_fmadd_pd _mm512_mul_pd _mm512_max_pd,
        (at, v, n) { _mm512_mask_storeu_pd(at, ((1u32 << n) - 1) as __mmask8, v) },
        (of, a, b) { _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_GT_OQ>(of, _mm512_setzero_pd()), b, a) },
        (v) { u32::from(_mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(v, _mm512_setzero_pd())) }
    );
    lanes!(
        Avx2, f32, __m256,
        { "avx2,fma", 8, 1, 1 => [1 2 3 4 5 6], 6; },
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_fmadd_ps _mm256_mul_ps _mm256_max_ps,
        (at, v, n) {
            let lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            _mm256_maskstore_ps(at, _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), lane), v)
        },
        (of, a, b) { _mm256_blendv_ps(b, a, _mm256_cmp_ps::<_CMP_GT_OQ>(of, _mm256_setzero_ps())) },
        (v) { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(v, _mm256_setzero_ps())) as u32 },
        transpose_f32
    );
    lanes!(
        Avx2, f64, __m256d,
        { "avx2,fma", 4, 1, 1 => [1 2], 2; },
        _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_fmadd_pd _mm256_mul_pd _mm256_max_pd,
        (at, v, n) {
            let lane = _mm256_setr_epi64x(0, 1, 2, 3);
            _mm256_maskstore_pd(at, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), lane), v)
        },
        (of, a, b) { _mm256_blendv_pd(b, a, _mm256_cmp_pd::<_CMP_GT_OQ>(of, _mm256_setzero_pd())) },
        (v) { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_NEQ_UQ>(v, _mm256_setzero_pd())) as u32 }
    );
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};
