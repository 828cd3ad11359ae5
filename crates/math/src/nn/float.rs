//! f32 and f64 as the kernels of networks use them.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use super::lanes::{Portable, SimdOp};

/// `f32` or `f64`.
pub trait Float:
    Copy
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + std::fmt::Debug
    + std::fmt::Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The distance from 1 to the next number.
    const EPSILON: Self;
    /// From f64, rounded.
    fn from_f64(v: f64) -> Self;
    /// To f64.
    fn to_f64(self) -> f64;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// eˣ within a few units of the last place, without branches, so that loops over it are vectorized.
    fn exp(self) -> Self;
    /// `self` b + c with one rounding where the processor can, else two.
    fn mul_add_native(self, b: Self, c: Self) -> Self;
    /// Whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    #[doc(hidden)]
    fn dispatch<O: SimdOp<Self>>(op: O) -> O::Out;
}

/// Where fused multiplications are part of every processor, they are used without asking.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

macro_rules! float {
    ($t:ty, $exp:path) => {
        impl Float for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: Self = <$t>::EPSILON;
            #[inline(always)]
            fn from_f64(v: f64) -> Self {
                v as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn exp(self) -> Self {
                $exp(self)
            }
            #[inline(always)]
            fn mul_add_native(self, b: Self, c: Self) -> Self {
                if FUSED { self.mul_add(b, c) } else { self * b + c }
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.is_finite()
            }
            #[inline]
            fn dispatch<O: SimdOp<Self>>(op: O) -> O::Out {
                #[cfg(target_arch = "x86_64")]
                {
                    use super::lanes::{Avx2, Avx512};
                    if let Some(wide) = Avx512::find() {
                        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
                        unsafe fn run<O: SimdOp<$t>>(op: O, l: Avx512) -> O::Out {
                            // SAFETY: the caller's promise.
                            unsafe { op.run(l) }
                        }
                        // SAFETY: the processor has the features; the creator of the operation guarantees the pointers.
                        return unsafe { run(op, wide) };
                    }
                    if let Some(wide) = Avx2::find() {
                        #[target_feature(enable = "avx2,fma")]
                        unsafe fn run<O: SimdOp<$t>>(op: O, l: Avx2) -> O::Out {
                            // SAFETY: the caller's promise.
                            unsafe { op.run(l) }
                        }
                        // SAFETY: as above.
                        return unsafe { run(op, wide) };
                    }
                }
                // SAFETY: the creator of the operation guarantees the pointers.
                unsafe { op.run(Portable) }
            }
        }
    };
}
float!(f32, crate::kernel::number::exp);
float!(f64, exp_double);

/// eˣ in f64: x = n ln 2 + r, and a polynomial for e^r.
#[inline(always)]
fn exp_double(x: f64) -> f64 {
    // ln 2 in two parts; the first has so few digits that n times it is exact.
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let y = if x > 710.0 { 710.0 } else { x };
    let y = if y < -746.0 { -746.0 } else { y };
    let n = (y * std::f64::consts::LOG2_E).round_ties_even();
    let r = (y - n * LN_2_HIGH) - n * LN_2_LOW;
    // Taylor coefficients up to 1/13!, below a unit of the last place for |r| up to half of ln 2.
    const C: [f64; 12] = [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
    ];
    let mut p = 1.0 / 6_227_020_800.0;
    for c in C {
        p = p * r + c;
    }
    p = p * r + 1.0;
    // 2^n in two factors, since n may lie outside the exponents of normal numbers.
    let n = n as i64;
    let half = n >> 1;
    let two = |e: i64| f64::from_bits(((e + 1023) as u64) << 52);
    p * two(half) * two(n - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_in_f64_is_within_three_units_of_the_last_place() {
        for i in -74_600..71_000 {
            let x = f64::from(i) * 0.01 + 0.003;
            let (got, want) = (Float::exp(x), f64::exp(x));
            if want.is_finite() {
                let ulp = f64::EPSILON * want.max(f64::MIN_POSITIVE);
                assert!((got - want).abs() <= 3.0 * ulp, "{x}: {got} {want}");
            }
        }
        assert!(Float::exp(f64::NAN).is_nan() && Float::exp(1e9) == f64::INFINITY && Float::exp(-1e9) == 0.0);
    }
}
