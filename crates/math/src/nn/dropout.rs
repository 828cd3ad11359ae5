//! Dropout.

use super::Float;
use super::lanes::{SimdLanes, SimdOp};

struct DropoutOp<'a, T> {
    key: u64,
    below: u32,
    scale: T,
    x: &'a [T],
    y: &'a mut [T],
}

/// 32 random bits for an index (the finalizer of MurmurHash3, with both halves of the key).
#[inline(always)]
fn bits(key: u64, place: u32) -> u32 {
    let mut h = place.wrapping_mul(0x9E37_79B9) ^ key as u32;
    h = (h ^ (h >> 16)).wrapping_mul(0x85EB_CA6B);
    h = (h ^ (h >> 13) ^ (key >> 32) as u32).wrapping_mul(0xC2B2_AE35);
    h = (h ^ (h >> 16)).wrapping_mul(0x85EB_CA6B);
    h ^ (h >> 13)
}

impl<T: Float> SimdOp<T> for DropoutOp<'_, T> {
    type Out = ();
    #[inline(always)]
    unsafe fn run<L: SimdLanes<T>>(self, _: L) {
        let Self { key, below, scale, x, y } = self;
        for (i, (x, y)) in x.iter().zip(y.iter_mut()).enumerate() {
            *y = if bits(key, i as u32) >= below { *x * scale } else { T::ZERO };
        }
    }
}

/// y = x / (1 - rate) or 0, the latter with probability `rate`. The same key drops the same elements, so that the
/// backward pass needs no mask: it is the same function of the gradient.
pub fn dropout<T: Float>(key: u64, rate: f64, x: &[T], y: &mut [T]) {
    let below = (rate * 4_294_967_296.0) as u32;
    T::dispatch(DropoutOp { key, below, scale: T::from_f64(1.0 / (1.0 - rate)), x, y });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_left_out_as_asked_for_and_the_mean_stays() {
        let n = 200_000;
        let (x, mut y) = (vec![2.0f32; n], vec![0.0; n]);
        for (key, rate) in [(1u64, 0.5), (99 << 32, 0.1), (7, 0.9), (3, 0.0)] {
            dropout(key, rate, &x, &mut y);
            let zeros = y.iter().filter(|v| **v == 0.0).count() as f64 / n as f64;
            // Five standard errors.
            assert!((zeros - rate).abs() <= 5.0 * (rate * (1.0 - rate) / n as f64).sqrt(), "{rate}: {zeros}");
            assert!(y.iter().all(|v| *v == 0.0 || (f64::from(*v) * (1.0 - rate) - 2.0).abs() < 1e-6));
            let again = y.clone();
            dropout(key, rate, &x, &mut y);
            assert_eq!(again, y);
        }
        // Neighboring elements and other keys are independent.
        let (mut a, mut b) = (vec![0.0f32; n], vec![0.0f32; n]);
        dropout(5, 0.5, &x, &mut a);
        dropout(6, 0.5, &x, &mut b);
        let same = a.iter().zip(&b).filter(|(a, b)| a == b).count() as f64 / n as f64;
        let next = a.windows(2).filter(|w| w[0] == w[1]).count() as f64 / n as f64;
        assert!((same - 0.5).abs() < 0.01 && (next - 0.5).abs() < 0.01, "{same} {next}");
    }
}
