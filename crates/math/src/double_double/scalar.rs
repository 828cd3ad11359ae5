//! The scalar and its arithmetic.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// `a + b` as rounded sum and exact error.
#[inline(always)]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let v = s - a;
    (s, (a - (s - v)) + (b - v))
}

/// `a + b` as rounded sum and exact error, when |a| >= |b| or a = 0.
#[inline(always)]
pub fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// `a * b` as rounded product and exact error (unless the error underflows).
#[inline(always)]
pub fn two_prod(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}

/// Compiles the body a second time with fused multiply-add and 256-bit vectors and picks that version where the
/// processor has them. Both versions compute the same bits: every fused operation in this module is written as one.
macro_rules! fused {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        $vis fn $name($($arg: $ty),*) {
            #[inline(always)]
            fn body($($arg: $ty),*) $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($arg: $ty),*) {
                    body($($arg),*)
                }
                if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor was just asked for both features the function is compiled with.
                    return unsafe { wide($($arg),*) };
                }
            }
            body($($arg),*)
        }
    };
}
pub(crate) use fused;

/// An unevaluated sum `hi + lo` with |lo| at most half a unit in the last place of `hi`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Dd {
    /// The value rounded to an f64.
    pub hi: f64,
    /// The rounding error.
    pub lo: f64,
}

impl Dd {
    /// Zero.
    pub const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    /// One.
    pub const ONE: Self = Self { hi: 1.0, lo: 0.0 };
    /// Relative precision of a product or quotient, 2^-104.
    pub const EPSILON: f64 = f64::EPSILON * f64::EPSILON;

    /// The sum of two f64 of any size.
    #[inline(always)]
    pub fn sum(a: f64, b: f64) -> Self {
        let (hi, lo) = two_sum(a, b);
        Self { hi, lo }
    }

    /// The product of two f64.
    #[inline(always)]
    pub fn product(a: f64, b: f64) -> Self {
        let (hi, lo) = two_prod(a, b);
        Self { hi, lo }
    }

    /// The nearest f64.
    #[inline(always)]
    pub fn to_f64(self) -> f64 {
        self.hi + self.lo
    }

    /// The square root; NaN below zero.
    pub fn sqrt(self) -> Self {
        if self.hi == 0.0 {
            return Self::ZERO;
        }
        // One Newton step on the double root doubles its digits (Karp and Markstein).
        let root = self.hi.sqrt();
        let rest = self - Self::product(root, root);
        let (hi, lo) = quick_two_sum(root, rest.hi * (0.5 / root));
        Self { hi, lo }
    }

    /// The magnitude.
    pub fn abs(self) -> Self {
        if self.hi < 0.0 || (self.hi == 0.0 && self.lo < 0.0) { -self } else { self }
    }

    /// Multiplies by a power of two: exact unless the result leaves the range of f64.
    #[inline(always)]
    pub fn scale(self, power: f64) -> Self {
        Self { hi: self.hi * power, lo: self.lo * power }
    }

    /// Whether it is neither infinite nor NaN.
    pub fn is_finite(self) -> bool {
        self.hi.is_finite() && self.lo.is_finite()
    }

    /// Order by value; NaN as in [`f64::total_cmp`].
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        self.hi.total_cmp(&other.hi).then(self.lo.total_cmp(&other.lo))
    }
}

impl From<f64> for Dd {
    #[inline(always)]
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl PartialOrd for Dd {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.hi.partial_cmp(&other.hi) {
            Some(Ordering::Equal) => self.lo.partial_cmp(&other.lo),
            unequal => unequal,
        }
    }
}

impl Neg for Dd {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Dd {
    type Output = Self;
    /// Relative error below 2^-104 whatever the signs.
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        let (s, e) = two_sum(self.hi, b.hi);
        let (t, f) = two_sum(self.lo, b.lo);
        let (s, e) = quick_two_sum(s, e + t);
        let (hi, lo) = quick_two_sum(s, e + f);
        Self { hi, lo }
    }
}

impl Sub for Dd {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self + -b
    }
}

impl Mul for Dd {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let (p, e) = two_prod(self.hi, b.hi);
        let e = self.hi.mul_add(b.lo, self.lo.mul_add(b.hi, e));
        let (hi, lo) = quick_two_sum(p, e);
        Self { hi, lo }
    }
}

impl Div for Dd {
    type Output = Self;
    /// Long division: three f64 quotients.
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let q1 = self.hi / b.hi;
        if !q1.is_finite() || !b.hi.is_finite() {
            return q1.into();
        }
        let r = self - b * Self::from(q1);
        let q2 = r.hi / b.hi;
        let r = r - b * Self::from(q2);
        let q3 = r.hi / b.hi;
        let (hi, lo) = quick_two_sum(q1, q2);
        Self { hi, lo } + Self::from(q3)
    }
}

impl AddAssign for Dd {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl SubAssign for Dd {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl std::iter::Sum for Dd {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, |a, b| a + b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An exact integer below 2^106 as a double-double.
    fn exact(v: i128) -> Dd {
        let hi = v as f64;
        Dd { hi, lo: (v - hi as i128) as f64 }
    }

    fn back(v: Dd) -> i128 {
        v.hi as i128 + v.lo as i128
    }

    proptest! {
        #[test]
        fn integers_of_a_hundred_bits_add_exactly(a in -(1i128 << 100)..1i128 << 100, b in -(1i128 << 100)..1i128 << 100) {
            prop_assert_eq!(back(exact(a) + exact(b)), a + b);
            prop_assert_eq!(back(exact(a) - exact(b)), a - b);
        }

        #[test]
        fn integers_of_fifty_bits_multiply_exactly(a in -(1i128 << 52)..1i128 << 52, b in -(1i128 << 52)..1i128 << 52) {
            prop_assert_eq!(back(exact(a) * exact(b)), a * b);
        }

        #[test]
        fn division_and_root_undo_products(a in 1i128..1 << 50, b in 1i128..1 << 50) {
            prop_assert_eq!(exact(a * b) / exact(b), exact(a));
            prop_assert_eq!(exact(a * a).sqrt(), exact(a));
        }

        #[test]
        fn a_quotient_times_its_divisor_is_the_dividend(a in 1e-3f64..1e3, c in -1e-14f64..1e-14, b in 1e-3f64..1e3) {
            let (a, b) = (Dd::sum(a, c), Dd::sum(b, c * 0.3));
            let error = (a / b) * b - a;
            prop_assert!(error.hi.abs() <= 16.0 * Dd::EPSILON * a.hi.abs());
            let error = a.sqrt() * a.sqrt() - a;
            prop_assert!(error.hi.abs() <= 16.0 * Dd::EPSILON * a.hi.abs());
        }
    }

    #[test]
    fn thirty_digits_of_known_constants() {
        // The square root of 2 and a third, split in two f64 by exact decimal arithmetic.
        let root = Dd::from(2.0).sqrt();
        assert_eq!(root.hi, std::f64::consts::SQRT_2);
        assert!((root.lo - -9.667293313452913e-17).abs() < 1e-31);
        let third = Dd::ONE / Dd::from(3.0);
        assert_eq!((third.hi, third.lo), (1.0 / 3.0, 1.850371707708594e-17));
        assert!(Dd::from(-1.0).sqrt().hi.is_nan());
        assert_eq!(Dd::ZERO.sqrt(), Dd::ZERO);
        assert_eq!((Dd::ONE / Dd::ZERO).hi, f64::INFINITY);
    }
}
