//! Activations and their derivatives, number by number, in loops that become vectors.

use super::Float;
use super::lanes::{Lanes, Op};

/// A function whose derivative follows from its value, or GELU, whose derivative needs the argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Curve<T> {
    /// z.
    Identity,
    /// z above 0, this times z below; 0 is ReLU.
    Slope(T),
    /// 1 / (1 + e⁻ᶻ).
    Sigmoid,
    /// tanh z.
    Tanh,
    /// z Φ(z).
    Gelu,
}

#[inline(always)]
fn sigmoid<T: Float>(z: T) -> T {
    // e to a negative number never overflows.
    let e = (-z.size()).exp();
    let of = if z < T::ZERO { e } else { T::ONE };
    of / (T::ONE + e)
}

#[inline(always)]
fn tanh<T: Float>(z: T) -> T {
    // Near 0 the quotient loses its digits; an odd polynomial keeps them.
    let a = z.size();
    let e = (-(a + a)).exp();
    let far = (T::ONE - e) / (T::ONE + e);
    let q = z * z;
    let near = a
        * (T::ONE
            + q * (T::of(-1.0 / 3.0)
                + q * (T::of(2.0 / 15.0)
                    + q * (T::of(-17.0 / 315.0)
                        + q * (T::of(62.0 / 2835.0)
                            + q * (T::of(-1382.0 / 155_925.0)
                                + q * (T::of(21_844.0 / 6_081_075.0) + q * T::of(-929_569.0 / 638_512_875.0))))))));
    let t = if a < T::of(0.125) { near } else { far };
    if z < T::ZERO { -t } else { t }
}

/// The distribution function of the standard normal distribution, from the error function of libm in doubles.
fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

fn gelu<T: Float>(z: T) -> T {
    T::of(z.double() * normal_cdf(z.double()))
}

fn gelu_slope<T: Float>(z: T) -> T {
    let z = z.double();
    let density = (-0.5 * z * z).exp() * (0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2);
    T::of(normal_cdf(z) + z * density)
}

struct Apply<'a, T>(Curve<T>, &'a mut [T]);

impl<T: Float> Op<T> for Apply<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self, _: L) {
        let Self(curve, values) = self;
        match curve {
            Curve::Identity => {}
            Curve::Slope(slope) => values.iter_mut().for_each(|v| *v = if *v > T::ZERO { *v } else { *v * slope }),
            Curve::Sigmoid => values.iter_mut().for_each(|v| *v = sigmoid(*v)),
            Curve::Tanh => values.iter_mut().for_each(|v| *v = tanh(*v)),
            Curve::Gelu => values.iter_mut().for_each(|v| *v = gelu(*v)),
        }
    }
}

/// Puts the function of every number in its place.
pub fn apply<T: Float>(curve: Curve<T>, values: &mut [T]) {
    T::dispatch(Apply(curve, values));
}

struct Gate<'a, T>(Curve<T>, &'a [T], &'a mut [T]);

impl<T: Float> Op<T> for Gate<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: Lanes<T>>(self, _: L) {
        let Self(curve, of, d) = self;
        let each = d.iter_mut().zip(of);
        match curve {
            Curve::Identity => {}
            Curve::Slope(slope) => each.for_each(|(d, y)| *d = if *y > T::ZERO { *d } else { *d * slope }),
            Curve::Sigmoid => each.for_each(|(d, y)| *d = *d * (*y * (T::ONE - *y))),
            Curve::Tanh => each.for_each(|(d, y)| *d = *d * (T::ONE - *y * *y)),
            Curve::Gelu => each.for_each(|(d, z)| *d = *d * gelu_slope(*z)),
        }
    }
}

/// Multiplies `d` with the derivative, which follows from the values of the function; for GELU, from its arguments.
pub fn gate<T: Float>(curve: Curve<T>, of: &[T], d: &mut [T]) {
    T::dispatch(Gate(curve, of, d));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_those_of_the_library_and_slopes_those_of_differences() {
        for i in -400..=400 {
            let z = f64::from(i) * 0.037 + 0.001;
            let value = |curve: Curve<f64>, z: f64| {
                let mut v = [z];
                apply(curve, &mut v);
                v[0]
            };
            assert!((value(Curve::Tanh, z) - z.tanh()).abs() <= 4e-15 * z.tanh().abs(), "{z}");
            assert!((value(Curve::Sigmoid, z) - 1.0 / (1.0 + (-z).exp())).abs() < 1e-15);
            for curve in [Curve::Identity, Curve::Slope(0.0), Curve::Slope(0.3), Curve::Sigmoid, Curve::Tanh, Curve::Gelu] {
                let h = 1e-5;
                let slope = (value(curve, z + h) - value(curve, z - h)) / (2.0 * h);
                let mut d = [2.0];
                gate(curve, &[if curve == Curve::Gelu { z } else { value(curve, z) }], &mut d);
                assert!((d[0] - 2.0 * slope).abs() < 1e-9, "{curve:?} {z}: {} {slope}", d[0]);
            }
            let mut single = [z as f32];
            apply(Curve::Tanh, &mut single);
            let want = f64::from(z as f32).tanh();
            assert!((f64::from(single[0]) - want).abs() <= 3e-7 * want.abs(), "{z}");
        }
        let mut far = [1000.0f32, -1000.0, f32::NAN];
        apply(Curve::Sigmoid, &mut far);
        assert!(far[0] == 1.0 && far[1] == 0.0 && far[2].is_nan());
    }
}
