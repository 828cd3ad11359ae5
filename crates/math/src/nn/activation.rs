//! Activations and their derivatives, elementwise, in loops that the compiler vectorizes.

use super::Float;
use super::lanes::{SimdLanes, SimdOp};

/// A function whose derivative follows from its value, or GELU, whose derivative needs the argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ActivationFn<T> {
    /// z.
    Identity,
    /// z above 0, this times z below; 0 is ReLU.
    LeakyRelu(T),
    /// 1 / (1 + e⁻ᶻ).
    Sigmoid,
    /// tanh z.
    Tanh,
    /// z Φ(z).
    Gelu,
}

#[inline(always)]
fn sigmoid<T: Float>(z: T) -> T {
    // The exponential of a negative number never overflows.
    let e = (-z.abs()).exp();
    let of = if z < T::ZERO { e } else { T::ONE };
    of / (T::ONE + e)
}

#[inline(always)]
fn tanh<T: Float>(z: T) -> T {
    // Near 0 the quotient loses digits; an odd polynomial keeps them.
    let a = z.abs();
    let e = (-(a + a)).exp();
    let far = (T::ONE - e) / (T::ONE + e);
    let q = z * z;
    let near = a
        * (T::ONE
            + q * (T::from_f64(-1.0 / 3.0)
                + q * (T::from_f64(2.0 / 15.0)
                    + q * (T::from_f64(-17.0 / 315.0)
                        + q * (T::from_f64(62.0 / 2835.0)
                            + q * (T::from_f64(-1382.0 / 155_925.0)
                                + q * (T::from_f64(21_844.0 / 6_081_075.0) + q * T::from_f64(-929_569.0 / 638_512_875.0))))))));
    let t = if a < T::from_f64(0.125) { near } else { far };
    if z < T::ZERO { -t } else { t }
}

/// The distribution function of the standard normal distribution, from the error function of libm in f64.
fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

fn gelu<T: Float>(z: T) -> T {
    T::from_f64(z.to_f64() * normal_cdf(z.to_f64()))
}

fn gelu_slope<T: Float>(z: T) -> T {
    let z = z.to_f64();
    let density = (-0.5 * z * z).exp() * (0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2);
    T::from_f64(normal_cdf(z) + z * density)
}

struct ActivateOp<'a, T>(ActivationFn<T>, &'a mut [T]);

impl<T: Float> SimdOp<T> for ActivateOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        let Self(curve, values) = self;
        match curve {
            ActivationFn::Identity => {}
            ActivationFn::LeakyRelu(slope) => values.iter_mut().for_each(|v| *v = if *v > T::ZERO { *v } else { *v * slope }),
            ActivationFn::Sigmoid => values.iter_mut().for_each(|v| *v = sigmoid(*v)),
            ActivationFn::Tanh => values.iter_mut().for_each(|v| *v = tanh(*v)),
            ActivationFn::Gelu => values.iter_mut().for_each(|v| *v = gelu(*v)),
        }
    }
}

/// Applies the function to every element in place.
pub fn apply<T: Float>(curve: ActivationFn<T>, values: &mut [T]) {
    T::dispatch(ActivateOp(curve, values));
}

struct ActivationGradOp<'a, T>(ActivationFn<T>, &'a [T], &'a mut [T]);

impl<T: Float> SimdOp<T> for ActivationGradOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        let Self(curve, of, d) = self;
        let each = d.iter_mut().zip(of);
        match curve {
            ActivationFn::Identity => {}
            ActivationFn::LeakyRelu(slope) => each.for_each(|(d, y)| *d = if *y > T::ZERO { *d } else { *d * slope }),
            ActivationFn::Sigmoid => each.for_each(|(d, y)| *d = *d * (*y * (T::ONE - *y))),
            ActivationFn::Tanh => each.for_each(|(d, y)| *d = *d * (T::ONE - *y * *y)),
            ActivationFn::Gelu => each.for_each(|(d, z)| *d = *d * gelu_slope(*z)),
        }
    }
}

/// Multiplies `d` with the derivative, which follows from the values of the function; for GELU, from its arguments.
pub fn apply_derivative<T: Float>(curve: ActivationFn<T>, of: &[T], d: &mut [T]) {
    T::dispatch(ActivationGradOp(curve, of, d));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_those_of_the_library_and_slopes_those_of_differences() {
        for i in -400..=400 {
            let z = f64::from(i) * 0.037 + 0.001;
            let value = |curve: ActivationFn<f64>, z: f64| {
                let mut v = [z];
                apply(curve, &mut v);
                v[0]
            };
            assert!((value(ActivationFn::Tanh, z) - z.tanh()).abs() <= 4e-15 * z.tanh().abs(), "{z}");
            assert!((value(ActivationFn::Sigmoid, z) - 1.0 / (1.0 + (-z).exp())).abs() < 1e-15);
            for curve in [
                ActivationFn::Identity,
                ActivationFn::LeakyRelu(0.0),
                ActivationFn::LeakyRelu(0.3),
                ActivationFn::Sigmoid,
                ActivationFn::Tanh,
                ActivationFn::Gelu,
            ] {
                let h = 1e-5;
                let slope = (value(curve, z + h) - value(curve, z - h)) / (2.0 * h);
                let mut d = [2.0];
                apply_derivative(curve, &[if curve == ActivationFn::Gelu { z } else { value(curve, z) }], &mut d);
                assert!((d[0] - 2.0 * slope).abs() < 1e-9, "{curve:?} {z}: {} {slope}", d[0]);
            }
            let mut single = [z as f32];
            apply(ActivationFn::Tanh, &mut single);
            let want = f64::from(z as f32).tanh();
            assert!((f64::from(single[0]) - want).abs() <= 3e-7 * want.abs(), "{z}");
        }
        let mut far = [1000.0f32, -1000.0, f32::NAN];
        apply(ActivationFn::Sigmoid, &mut far);
        assert!(far[0] == 1.0 && far[1] == 0.0 && far[2].is_nan());
    }
}
