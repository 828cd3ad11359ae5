//! Powers of two, which scale numbers without rounding them.

/// 2^exponent, for exponents within the normal range.
#[inline]
pub fn power(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// v 2^exponent, in steps that round only at the end.
pub fn ldexp(mut v: f64, mut exponent: i32) -> f64 {
    while exponent.abs() > 1000 && v != 0.0 && v.is_finite() {
        let step = exponent.signum() * 1000;
        v *= power(step);
        exponent -= step;
    }
    v * power(exponent.clamp(-1000, 1000))
}

/// The exponent e with 2^e <= |v| < 2^(e+1); 0 for zero and what is not finite.
pub fn exponent_of(v: f64) -> i32 {
    if v == 0.0 || !v.is_finite() {
        return 0;
    }
    match ((v.to_bits() >> 52) & 0x7ff) as i32 {
        0 => exponent_of(v * power(64)) - 64,
        biased => biased - 1023,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_exponents() {
        assert_eq!((power(0), power(-3), power(10)), (1.0, 0.125, 1024.0));
        assert_eq!(ldexp(3.0, -2), 0.75);
        assert_eq!(ldexp(ldexp(3.0, 1021), -2000), ldexp(3.0, -979));
        assert_eq!(ldexp(1e-300, 1990), 1e-300 * power(1000) * power(990));
        assert_eq!(ldexp(1.0, 5000), f64::INFINITY);
        assert_eq!(ldexp(1.0, -5000), 0.0);
        assert_eq!([1.0, 1.5, 0.5, -4.0, 5e-324, 0.0].map(exponent_of), [0, 0, -1, 2, -1074, 0]);
        for v in [1e-310, 3.7e-12, 8e200] {
            let e = exponent_of(v);
            assert!((1.0..2.0).contains(&ldexp(v, -e)), "{v}");
        }
    }
}
