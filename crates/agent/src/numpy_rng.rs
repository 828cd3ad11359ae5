//! The random numbers of numpy's `default_rng(seed)`: environments that start from the same seed as Gymnasium's then go
//! through the same states.

use rand_core::Rng;
use rand_pcg::Pcg64;

/// Constants of the hash that spreads a seed over a pool of four words (O'Neill's seed_seq_fe, as in numpy).
const INIT_A: u32 = 0x43B0_D7E5;
const MULT_A: u32 = 0x931E_8875;
const INIT_B: u32 = 0x8B51_F9DD;
const MULT_B: u32 = 0x58F3_8DED;
const MIX_LEFT: u32 = 0xCA01_F9DD;
const MIX_RIGHT: u32 = 0x4973_F715;
const POOL: usize = 4;

/// numpy's `SeedSequence(seed)` for a whole seed of up to 128 bits.
#[derive(Debug, Clone)]
pub struct SeedSequence {
    pool: [u32; POOL],
}

impl SeedSequence {
    /// The sequence of a seed.
    pub fn new(seed: u128) -> Self {
        let mut constant = INIT_A;
        let mut hash = |word: u32| {
            let mut word = word ^ constant;
            constant = constant.wrapping_mul(MULT_A);
            word = word.wrapping_mul(constant);
            word ^ word >> 16
        };
        // Leading zero words and absent words hash alike, so a seed needs no length.
        let mut pool: [u32; POOL] = std::array::from_fn(|i| hash((seed >> (32 * i)) as u32));
        for source in 0..POOL {
            for target in 0..POOL {
                if source != target {
                    let mixed = MIX_LEFT.wrapping_mul(pool[target]).wrapping_sub(MIX_RIGHT.wrapping_mul(hash(pool[source])));
                    pool[target] = mixed ^ mixed >> 16;
                }
            }
        }
        Self { pool }
    }

    /// The first `N` words of `generate_state(N, uint64)`.
    pub fn words<const N: usize>(&self) -> [u64; N] {
        let mut constant = INIT_B;
        let mut at = 0;
        let mut half = || {
            let mut word = self.pool[at % POOL] ^ constant;
            at += 1;
            constant = constant.wrapping_mul(MULT_B);
            word = word.wrapping_mul(constant);
            u64::from(word ^ word >> 16)
        };
        std::array::from_fn(|_| half() | half() << 32)
    }
}

/// numpy's `Generator(PCG64(seed))`.
#[derive(Debug, Clone)]
pub struct NumpyRng {
    bits: Pcg64,
    /// The unused half of a 64-bit draw that served a 32-bit one.
    half: Option<u32>,
}

impl NumpyRng {
    /// `default_rng(seed)`.
    pub fn new(seed: u64) -> Self {
        let [a, b, c, d] = SeedSequence::new(u128::from(seed)).words();
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        Self { bits: Pcg64::new(join(a, b), join(c, d)), half: None }
    }

    /// `random()`: a number in [0, 1) with 53 random bits.
    #[inline]
    pub fn random(&mut self) -> f64 {
        (self.bits.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// `uniform(low, high)`.
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.random()
    }

    /// `integers(0, n)` and the index of `choice` among `n` things, without bias (Lemire 2019). 0 draws nothing.
    pub fn integers(&mut self, n: u32) -> u32 {
        // numpy draws nothing for a range of one value.
        if n <= 1 {
            return 0;
        }
        let mut wide = u64::from(self.next_u32()) * u64::from(n);
        if (wide as u32) < n {
            let threshold = n.wrapping_neg() % n;
            while (wide as u32) < threshold {
                wide = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        (wide >> 32) as u32
    }

    /// The index of a categorical draw as in Gymnasium: the first whose cumulative probability exceeds one uniform
    /// number, 0 where rounding leaves none.
    #[inline]
    pub fn categorical(&mut self, cumulative: &[f64]) -> usize {
        let u = self.random();
        // In a short row, counting is faster than a search with unpredictable branches.
        let at = match cumulative.len() {
            0..=8 => cumulative.iter().map(|&c| usize::from(c <= u)).sum(),
            _ => cumulative.partition_point(|&c| c <= u),
        };
        if at == cumulative.len() { 0 } else { at }
    }

    /// 32 bits: the low half of a 64-bit draw, then its high half.
    fn next_u32(&mut self) -> u32 {
        self.half.take().unwrap_or_else(|| {
            let word = self.bits.next_u64();
            self.half = Some((word >> 32) as u32);
            word as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Frozen from numpy 2.4.6.
    #[test]
    fn seed_sequences_are_numpy_s() {
        let of = |seed| SeedSequence::new(seed).words::<4>();
        assert_eq!(of(0), [0xdb2cd7e7b0f478be, 0xabf4641a2c71ba49, 0x20c6ed6d9d7b8d41, 0x2c4099de223c39d4]);
        assert_eq!(of(123), [0xb1383ed0295844f6, 0xa250632e171d58af, 0x86a7247f7443199d, 0x136de7e3c11fce1d]);
        assert_eq!(of((1 << 40) + 7), [0x0d8672e10e3d1a15, 0x9aef4ada4ecfa161, 0x999c1c3b83dba903, 0x408927dc0dc8a316]);
        assert_eq!(of((1 << 70) + 3), [0x449916e45e0b88e4, 0xa7cf3269996cf1c2, 0x9f822a5f2c111b5e, 0x70f529c350d24d0c]);
    }

    #[test]
    fn draws_are_numpy_s_and_whole_numbers_keep_half_a_draw() {
        let expected = [
            (0u64, [5737240835340368, 2430022687152954, 369056694262205], [0, 0, 2, 10, 8], 5464089307389366, [11, 12]),
            (1, [4610079356560476, 8561015897205333, 1298474356252035], [10, 12, 3, 4, 11], 7455282186206669, [5, 3]),
            (123, [6146079194119805, 484776640444781, 1984825281812285], [3, 2, 4, 2, 4], 8316752378098125, [10, 5]),
        ];
        for (seed, first, whole, then, last) in expected {
            let mut rng = NumpyRng::new(seed);
            let scaled = |u: f64| (u * (1u64 << 53) as f64) as u64;
            assert_eq!(std::array::from_fn(|_| scaled(rng.random())), first, "seed {seed}");
            assert_eq!(std::array::from_fn(|_| rng.integers(13)), whole, "seed {seed}");
            assert_eq!(scaled(rng.random()), then, "seed {seed}");
            assert_eq!(std::array::from_fn(|_| rng.integers(13)), last, "seed {seed}");
        }
    }

    #[test]
    fn the_cart_starts_where_gymnasium_s_does() {
        let mut rng = NumpyRng::new(123);
        let state: [f64; 4] = std::array::from_fn(|_| rng.uniform(-0.05, 0.05));
        for (mine, theirs) in state.iter().zip([0.01823519, -0.0446179, -0.02796401, -0.03156282]) {
            assert!((mine - theirs).abs() < 5e-9);
        }
    }
}
