//! Four f64 at a time: one source for kernels, compiled once for AVX2 with FMA and once for any processor.
//!
//! A kernel is a generic function over [`Simd`], marked `#[inline(always)]`, and called through a function that turns the
//! processor features on. The instance for AVX2 exists only after the features were found.

/// Whether the processor has the 512-bit instructions that kernels are compiled for.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
}

/// A vector of four f64 and its operations.
pub trait Simd: Copy {
    type V: Copy;
    fn splat(self, v: f64) -> Self::V;
    /// # Safety
    /// Four f64 must be readable at `at`.
    unsafe fn load(self, at: *const f64) -> Self::V;
    /// # Safety
    /// Four f64 must be writable at `at`.
    unsafe fn store(self, at: *mut f64, v: Self::V);
    /// Four f32, widened.
    /// # Safety
    /// Four f32 must be readable at `at`.
    unsafe fn load_f32(self, at: *const f32) -> Self::V;
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a * b + c`.
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// Transposes 4 x 4.
    fn transpose(self, rows: [Self::V; 4]) -> [Self::V; 4];
    /// The inner loop of a symmetric product: adds Σₖ a[k, i] b[k, j] to c[i, j] for 4 values of i and 12 of j. The
    /// rows of a, b and c are 12 f64 apart. For every 4 rows, the cache line at `ahead` is prefetched and `ahead` moves
    /// by `step` bytes.
    /// # Safety
    /// `a` must hold `rows` rows of 4 f64, `b` of 12, `c` 4 rows of 12; `rows` must be a multiple of 4 above 0. `ahead`
    /// may point anywhere.
    #[inline(always)]
    unsafe fn product_4x12(self, rows: usize, a: *const f64, b: *const f64, c: *mut f64, ahead: *const u8, step: usize) {
        let _ = (ahead, step);
        let mut sums = [[self.splat(0.0); 3]; 4];
        // SAFETY: the caller's promise.
        unsafe {
            for k in 0..rows {
                for n in 0..3 {
                    let right = self.load(b.add(12 * k + 4 * n));
                    for m in 0..4 {
                        sums[m][n] = self.fma(self.splat(*a.add(12 * k + m)), right, sums[m][n]);
                    }
                }
            }
            for m in 0..4 {
                for n in 0..3 {
                    let at = c.add(12 * m + 4 * n);
                    self.store(at, self.add(self.load(at), sums[m][n]));
                }
            }
        }
    }
}

/// Any processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Simd for Portable {
    type V = [f64; 4];
    #[inline(always)]
    fn splat(self, v: f64) -> [f64; 4] {
        [v; 4]
    }
    #[inline(always)]
    unsafe fn load(self, at: *const f64) -> [f64; 4] {
        // SAFETY: the caller's promise.
        unsafe { at.cast::<[f64; 4]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut f64, v: [f64; 4]) {
        // SAFETY: the caller's promise.
        unsafe { at.cast::<[f64; 4]>().write_unaligned(v) }
    }
    #[inline(always)]
    unsafe fn load_f32(self, at: *const f32) -> [f64; 4] {
        // SAFETY: the caller's promise.
        unsafe { at.cast::<[f32; 4]>().read_unaligned() }.map(f64::from)
    }
    #[inline(always)]
    fn add(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn mul(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn fma(self, a: [f64; 4], b: [f64; 4], c: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| a[i] * b[i] + c[i])
    }
    #[inline(always)]
    fn transpose(self, r: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
        std::array::from_fn(|i| std::array::from_fn(|j| r[j][i]))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Simd;
    use std::arch::x86_64::*;

    /// A processor with AVX2 and FMA. Made only by [`Avx2::find`], so the intrinsics below exist on this machine.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(());

    impl Avx2 {
        #[inline]
        pub(crate) fn find() -> Option<Self> {
            (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
        }
    }

    // SAFETY of all blocks: the value of type `Avx2` proves the features; pointers are the caller's promise.
    impl Simd for Avx2 {
        type V = __m256d;
        #[inline(always)]
        fn splat(self, v: f64) -> __m256d {
            // SAFETY: see above.
            unsafe { _mm256_set1_pd(v) }
        }
        #[inline(always)]
        unsafe fn load(self, at: *const f64) -> __m256d {
            // SAFETY: see above.
            unsafe { _mm256_loadu_pd(at) }
        }
        #[inline(always)]
        unsafe fn store(self, at: *mut f64, v: __m256d) {
            // SAFETY: see above.
            unsafe { _mm256_storeu_pd(at, v) }
        }
        #[inline(always)]
        unsafe fn load_f32(self, at: *const f32) -> __m256d {
            // SAFETY: see above.
            unsafe { _mm256_cvtps_pd(_mm_loadu_ps(at)) }
        }
        #[inline(always)]
        fn add(self, a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: see above.
            unsafe { _mm256_add_pd(a, b) }
        }
        #[inline(always)]
        fn sub(self, a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: see above.
            unsafe { _mm256_sub_pd(a, b) }
        }
        #[inline(always)]
        fn mul(self, a: __m256d, b: __m256d) -> __m256d {
            // SAFETY: see above.
            unsafe { _mm256_mul_pd(a, b) }
        }
        #[inline(always)]
        fn fma(self, a: __m256d, b: __m256d, c: __m256d) -> __m256d {
            // SAFETY: see above.
            unsafe { _mm256_fmadd_pd(a, b, c) }
        }
        #[inline(always)]
        fn transpose(self, [a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
            // SAFETY: see above.
            unsafe {
                let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
                let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
                [
                    _mm256_permute2f128_pd::<0x20>(ab_even, cd_even),
                    _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
                    _mm256_permute2f128_pd::<0x31>(ab_even, cd_even),
                    _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
                ]
            }
        }

        #[inline(always)]
        unsafe fn product_4x12(self, rows: usize, a: *const f64, b: *const f64, c: *mut f64, ahead: *const u8, step: usize) {
            // SAFETY: the features are there; the rest is the caller's promise.
            unsafe { product_4x12(self, rows, a, b, c, ahead, step) }
        }
    }

    /// In assembler because the 12 sums, 3 loads and 1 broadcast fill the 16 registers exactly: compilers hold two
    /// broadcasts at a time, keep one sum in memory and lose half the speed.
    ///
    /// # Safety
    /// As for [`Simd::product_4x12`].
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    unsafe fn product_4x12(s: Avx2, rows: usize, a: *const f64, b: *const f64, c: *mut f64, ahead: *const u8, step: usize) {
        let mut sums = [[s.splat(0.0); 3]; 4];
        let [[s00, s01, s02], [s10, s11, s12], [s20, s21, s22], [s30, s31, s32]] = &mut sums;
        macro_rules! row {
            ($k:literal) => {
                concat!(
                    "vmovupd {r0}, [{b} + 96 * ",
                    $k,
                    "]\n",
                    "vmovupd {r1}, [{b} + 96 * ",
                    $k,
                    " + 32]\n",
                    "vmovupd {r2}, [{b} + 96 * ",
                    $k,
                    " + 64]\n",
                    "vbroadcastsd {l}, [{a} + 96 * ",
                    $k,
                    "]\n",
                    "vfmadd231pd {s00}, {l}, {r0}\n",
                    "vfmadd231pd {s01}, {l}, {r1}\n",
                    "vfmadd231pd {s02}, {l}, {r2}\n",
                    "vbroadcastsd {l}, [{a} + 96 * ",
                    $k,
                    " + 8]\n",
                    "vfmadd231pd {s10}, {l}, {r0}\n",
                    "vfmadd231pd {s11}, {l}, {r1}\n",
                    "vfmadd231pd {s12}, {l}, {r2}\n",
                    "vbroadcastsd {l}, [{a} + 96 * ",
                    $k,
                    " + 16]\n",
                    "vfmadd231pd {s20}, {l}, {r0}\n",
                    "vfmadd231pd {s21}, {l}, {r1}\n",
                    "vfmadd231pd {s22}, {l}, {r2}\n",
                    "vbroadcastsd {l}, [{a} + 96 * ",
                    $k,
                    " + 24]\n",
                    "vfmadd231pd {s30}, {l}, {r0}\n",
                    "vfmadd231pd {s31}, {l}, {r1}\n",
                    "vfmadd231pd {s32}, {l}, {r2}\n",
                )
            };
        }
        // SAFETY: reads the rows that the caller promises, four at a time, and writes registers only; a prefetch of a
        // bad address does nothing. The features are there, see above.
        unsafe {
            std::arch::asm!(
                "2:",
                "prefetcht1 [{ahead}]",
                "add {ahead}, {step}",
                row!(0), row!(1), row!(2), row!(3),
                "add {a}, 384",
                "add {b}, 384",
                "sub {rows}, 4",
                "jnz 2b",
                a = inout(reg) a => _, b = inout(reg) b => _, rows = inout(reg) rows => _,
                ahead = inout(reg) ahead => _, step = in(reg) step,
                s00 = inout(ymm_reg) *s00, s01 = inout(ymm_reg) *s01, s02 = inout(ymm_reg) *s02,
                s10 = inout(ymm_reg) *s10, s11 = inout(ymm_reg) *s11, s12 = inout(ymm_reg) *s12,
                s20 = inout(ymm_reg) *s20, s21 = inout(ymm_reg) *s21, s22 = inout(ymm_reg) *s22,
                s30 = inout(ymm_reg) *s30, s31 = inout(ymm_reg) *s31, s32 = inout(ymm_reg) *s32,
                r0 = out(ymm_reg) _, r1 = out(ymm_reg) _, r2 = out(ymm_reg) _, l = out(ymm_reg) _,
                options(nostack, readonly),
            );
            for m in 0..4 {
                for n in 0..3 {
                    let at = c.add(12 * m + 4 * n);
                    s.store(at, s.add(s.load(at), sums[m][n]));
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

#[cfg(test)]
mod tests {
    use super::*;

    fn operations<S: Simd>(s: S) -> Vec<f64> {
        let data: Vec<f64> = (0..16).map(|i| f64::from(i) * 0.5 + 1.0).collect();
        let single: Vec<f32> = data.iter().map(|&v| v as f32).collect();
        let mut out = Vec::new();
        let mut keep = |v: S::V| {
            let mut four = [0.0; 4];
            // SAFETY: `four` has room for four f64.
            unsafe { s.store(four.as_mut_ptr(), v) };
            out.extend(four);
        };
        // SAFETY: the vectors hold 16 elements.
        let rows: [S::V; 4] = std::array::from_fn(|i| unsafe { s.load(data.as_ptr().add(4 * i)) });
        s.transpose(rows).into_iter().for_each(&mut keep);
        keep(s.add(rows[0], rows[1]));
        keep(s.sub(rows[0], s.splat(0.25)));
        keep(s.mul(rows[2], rows[3]));
        keep(s.fma(rows[1], rows[2], rows[3]));
        // SAFETY: as above.
        keep(unsafe { s.load_f32(single.as_ptr().add(12)) });
        out
    }

    #[test]
    fn both_instances_do_the_same() {
        let portable = operations(Portable);
        assert_eq!(portable[..4], [1.0, 3.0, 5.0, 7.0]);
        #[cfg(target_arch = "x86_64")]
        if let Some(s) = Avx2::find() {
            assert_eq!(operations(s), portable);
        }
    }
}
