//! Random numbers: independent streams derived from (seed, purpose, index), the same in every release.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// A stream of random numbers. The same (seed, purpose, index) gives the same numbers in every release, on every
/// machine and thread; different ones are independent. The samplers are ours, because libraries do not promise to keep
/// theirs.
#[derive(Debug, Clone)]
pub struct RngStream {
    bits: Pcg64,
    spare_normal: Option<f64>,
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014): spreads a counter over all 64 bits.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl RngStream {
    /// The stream of a purpose ("kmeans start", "bootstrap") and an index (a tree, a block, a restart).
    pub fn new(seed: u64, purpose: &str, index: u64) -> Self {
        // FNV-1a of the purpose keeps streams of different purposes apart.
        let hash = purpose.bytes().fold(0xCBF2_9CE4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
        let mut state = seed;
        let mut word = split_mix(&mut state) ^ hash;
        let a = split_mix(&mut word);
        let mut word = word ^ index.wrapping_mul(0xD134_2543_DE82_EF95);
        let (b, c, d) = (split_mix(&mut word), split_mix(&mut word), split_mix(&mut word));
        let join = |hi: u64, lo: u64| u128::from(hi) << 64 | u128::from(lo);
        Self { bits: Pcg64::new(join(a, b), join(c, d)), spare_normal: None }
    }

    /// 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.bits.next_u64()
    }

    /// A number in [0, 1) with 53 random bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A whole number in 0..n without bias (Lemire 2019).
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "a draw from an empty range");
        let n = n as u64;
        let mut wide = u128::from(self.next_u64()) * u128::from(n);
        if (wide as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (wide as u64) < threshold {
                wide = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (wide >> 64) as usize
    }

    /// A standard normal number (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        if let Some(z) = self.spare_normal.take() {
            return z;
        }
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let k = (-2.0 * s.ln() / s).sqrt();
                self.spare_normal = Some(v * k);
                return u * k;
            }
        }
    }

    /// Shuffles the items (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// A random permutation of 0..n.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        self.shuffle(&mut order);
        order
    }

    /// An index drawn with probability proportional to `weights` (not negative, not all zero), by inversion.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let total: f64 = weights.iter().sum();
        let mut left = self.uniform() * total;
        let mut last = 0;
        for (i, &w) in weights.iter().enumerate() {
            if w > 0.0 {
                last = i;
                if left < w {
                    return i;
                }
                left -= w;
            }
        }
        last
    }
}

/// One step of SplitMix64: spreads a number over all 64 bits.
pub fn hash_u64(mut v: u64) -> u64 {
    split_mix(&mut v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_frozen() {
        let mut s = RngStream::new(0, "test", 0);
        let first: Vec<u64> = (0..3).map(|_| s.next_u64()).collect();
        assert_eq!(first, FROZEN);
        assert_ne!(RngStream::new(0, "test", 1).next_u64(), first[0]);
        assert_ne!(RngStream::new(1, "test", 0).next_u64(), first[0]);
        assert_ne!(RngStream::new(0, "tesu", 0).next_u64(), first[0]);
    }

    const FROZEN: [u64; 3] = [6101138090729598181, 11813838081046371366, 7528799736228915802];

    #[test]
    fn samplers_have_the_moments_they_promise() {
        let mut s = RngStream::new(7, "moments", 0);
        let n = 200_000;
        let (mut sum, mut square, mut low) = (0.0, 0.0, 0usize);
        for _ in 0..n {
            let z = s.normal();
            sum += z;
            square += z * z;
            low += usize::from(s.below(10) < 3);
        }
        // Five standard errors.
        let five = 5.0 / (n as f64).sqrt();
        assert!((sum / n as f64).abs() < five);
        assert!((square / n as f64 - 1.0).abs() < five * 2f64.sqrt());
        assert!((low as f64 / n as f64 - 0.3).abs() < five * 0.46);
        let mut order = s.permutation(100);
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(i, &v)| i == v));
        assert_eq!(s.weighted(&[0.0, 0.0, 2.0, 0.0]), 2);
    }
}
