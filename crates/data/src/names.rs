//! The distinct strings of a column: exact while they are few, an estimate of their number when they are many.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// Mixes 8 bytes at a time (multiply and fold, as in wyhash).
fn hash(seed: u64, text: &[u8]) -> u64 {
    let fold = |a: u64, b: u64| {
        let wide = u128::from(a) * u128::from(b);
        (wide as u64) ^ (wide >> 64) as u64
    };
    let mut h = seed ^ (text.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (words, rest) = text.as_chunks::<8>();
    for &word in words {
        h = fold(h ^ u64::from_le_bytes(word), 0xA076_1D64_78BD_642F);
    }
    let mut last = [0u8; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(h ^ u64::from_le_bytes(last), 0xE703_7ED1_A0B4_28DB)
}

/// A random seed, so that no file can be written to make all names collide. Only speed depends on it.
fn secret() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| RandomState::new().hash_one(0u8))
}

/// Distinct strings, numbered in order of appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct StringInterner {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Open addressing: code + 1, or 0 where free; a power of two, at most half full.
    slots: Vec<u32>,
}

impl StringInterner {
    /// Number of strings.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Their total length.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The string of a code.
    pub(crate) fn get(&self, code: u32) -> &[u8] {
        let i = code as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    /// All strings, in order of appearance.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|c| self.get(c))
    }

    /// The code of a string, and whether it is new.
    pub(crate) fn code(&mut self, name: &[u8]) -> (u32, bool) {
        if self.slots.len() <= 2 * self.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash(secret(), name) as usize & mask;
        loop {
            match self.slots[at] {
                0 => break,
                code if self.get(code - 1) == name => return (code - 1, false),
                _ => at = (at + 1) & mask,
            }
        }
        let code = self.len() as u32;
        self.slots[at] = code + 1;
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        (code, true)
    }

    fn grow(&mut self) {
        let mut slots = vec![0u32; (4 * self.len()).next_power_of_two().max(16)];
        let mask = slots.len() - 1;
        for code in 0..self.len() as u32 {
            let mut at = hash(secret(), self.get(code)) as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = code + 1;
        }
        self.slots = slots;
    }

    /// The strings in byte order, and for each code its place in that order.
    pub(crate) fn sorted(&self) -> (Vec<String>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.get(a).cmp(self.get(b)));
        let mut rank = vec![0; self.len()];
        order.iter().enumerate().for_each(|(place, &code)| rank[code as usize] = place as u32);
        let names = order.iter().map(|&c| String::from_utf8_lossy(self.get(c)).into_owned()).collect();
        (names, rank)
    }
}

const SKETCH_BITS: u32 = 14;

/// Estimate of the number of distinct strings: HyperLogLog (Flajolet et al. 2007) with 2^14 registers, standard error
/// 0.8 %. It does not depend on the order of the strings or on how they were cut into parts.
#[derive(Debug, Clone)]
pub(crate) struct HyperLogLog {
    registers: Vec<u8>,
}

impl HyperLogLog {
    pub(crate) fn new() -> Self {
        Self { registers: vec![0; 1 << SKETCH_BITS] }
    }

    pub(crate) fn add(&mut self, text: &[u8]) {
        let h = hash(0x1656_67B1_9E37_79F9, text);
        // A second mixing step (the finalizer of MurmurHash3), since the registers need all bits well mixed.
        let h = (h ^ (h >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let h = (h ^ (h >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        let h = h ^ (h >> 33);
        let register = &mut self.registers[(h >> (64 - SKETCH_BITS)) as usize];
        let run = (h << SKETCH_BITS).leading_zeros().min(64 - SKETCH_BITS) + 1;
        *register = (*register).max(run as u8);
    }

    pub(crate) fn estimate(&self) -> f64 {
        let m = self.registers.len() as f64;
        let sum: f64 = self.registers.iter().map(|&r| (-f64::from(r)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / m) * m * m / sum;
        let empty = self.registers.iter().filter(|&&r| r == 0).count();
        // Linear counting, where the raw estimate is biased.
        if raw <= 2.5 * m && empty > 0 { m * (m / empty as f64).ln() } else { raw }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again_and_sorted() {
        let mut names = StringInterner::default();
        for i in 0..5000 {
            assert_eq!(names.code(format!("name {}", i % 1000).as_bytes()), (i % 1000, i < 1000));
        }
        assert_eq!(names.code(b""), (1000, true));
        let (sorted, rank) = names.sorted();
        assert!(sorted.is_sorted());
        assert!((0..1001).all(|c| sorted[rank[c as usize] as usize].as_bytes() == names.get(c)));
    }

    #[test]
    fn the_sketch_is_within_three_percent() {
        for count in [500u32, 20_000, 50_000, 300_000] {
            let mut sketch = HyperLogLog::new();
            (0..2).for_each(|_| (0..count).for_each(|i| sketch.add(format!("row-{i}").as_bytes())));
            let off = sketch.estimate() / f64::from(count) - 1.0;
            assert!(off.abs() < 0.03, "{count}: off by {off}");
        }
    }
}
