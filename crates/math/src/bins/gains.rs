//! Gains of the thresholds of a column.

/// The gain of every threshold from packed sums.
///
/// With G and H the sums of gradients and curvatures of a side, `out[k]` is G² / (H + l2) of the bins up to k, plus the
/// same of the rest; both from one division. `before` is added to the sums of the first side, `all` are the sums of
/// both sides, `sums[k]` becomes the packed sum up to bin k. Everything, `l2` too, is in units of the integer grid.
///
/// # Panics
/// When the slices have not the length of `words`.
pub fn threshold_gains(words: &[u64], before: u64, all: (i64, i64), l2: f64, sums: &mut [u64], out: &mut [f64]) {
    assert!(sums.len() == words.len() && out.len() == words.len(), "a sum and one gain per bin");
    let mut sum = before;
    for (s, w) in sums.iter_mut().zip(words) {
        sum = sum.wrapping_add(*w);
        *s = sum;
    }
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the feature.
        return unsafe { gains_avx2(sums, all, l2, out) };
    }
    gains(sums, all, l2, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn gains_avx2(sums: &[u64], all: (i64, i64), l2: f64, out: &mut [f64]) {
    gains(sums, all, l2, out);
}

#[inline(always)]
fn gains(sums: &[u64], all: (i64, i64), l2: f64, out: &mut [f64]) {
    let (g, h) = (all.0 as f64, all.1 as f64);
    for (out, &sum) in out.iter_mut().zip(sums) {
        // The halves of a word as f64, by operations with vector instructions: 2⁵² + h has h as its last bits.
        let left = f64::from((sum >> 32) as i32);
        let heavy = f64::from_bits(0x4330_0000_0000_0000 | (sum & 0xFFFF_FFFF)) - 4_503_599_627_370_496.0;
        *out = split_gain(left, heavy, g, h, l2);
    }
}

/// G² / (H + l2) of the left side plus the same of the rest. All four sums are integers.
#[inline(always)]
pub fn split_gain(g_left: f64, h_left: f64, g: f64, h: f64, l2: f64) -> f64 {
    let (g_right, h_left, h_right) = (g - g_left, h_left + l2, h - h_left + l2);
    (g_left * g_left * h_right + g_right * g_right * h_left) / (h_left * h_right)
}

#[cfg(test)]
mod tests {
    use super::super::{pack, unpack};
    use super::*;
    use ermine_core::RngStream;

    #[test]
    fn gains_are_those_of_the_formula() {
        let mut s = RngStream::new(9, "gains", 0);
        for n in [0usize, 1, 2, 7, 255] {
            let words: Vec<u64> = (0..n).map(|_| pack(s.below(2001) as i32 - 1000, s.below(3_000_000) as u32)).collect();
            let before = pack(-50, 3_000_000_000);
            let all = unpack(words.iter().fold(pack(-7, 90), |a, b| a.wrapping_add(*b)).wrapping_add(before));
            let (mut sums, mut out) = (vec![0; n], vec![0.0; n]);
            threshold_gains(&words, before, all, 0.5, &mut sums, &mut out);
            let mut left = unpack(before);
            for k in 0..n {
                let (g, h) = unpack(words[k]);
                left = (left.0 + g, left.1 + h);
                assert_eq!(unpack(sums[k]), left);
                let side = |g: i64, h: i64| (g * g) as f64 / (h as f64 + 0.5);
                let expected = side(left.0, left.1) + side(all.0 - left.0, all.1 - left.1);
                assert!((out[k] - expected).abs() <= 1e-14 * expected, "{} {expected}", out[k]);
                let same = split_gain(left.0 as f64, left.1 as f64, all.0 as f64, all.1 as f64, 0.5);
                assert_eq!(out[k].to_bits(), same.to_bits());
            }
        }
    }
}
