//! Weighted quantiles of a column from one pass over its values.

use serde::{Deserialize, Serialize};

/// Most distinct values kept exactly; beyond, neighboring values are merged.
const MAX_EXACT: usize = 8192;
/// Entries left after merging.
const COMPRESSED_LEN: usize = 4096;

/// The weighted distribution of the values of a column: exact up to 8192 distinct values, after that a summary in which
/// neighboring values are merged.
///
/// Sketches of parts of the rows are merged by [`QuantileSketch::merge`]. As long as no values had to be merged, the
/// result does not depend on the parts or on the order of rows. Each compression moves a quantile by at most 1/4096 of
/// the weight of the sketch at that time, so the quantiles of n rows that were merged in a binary tree of blocks are
/// off by at most log₂(blocks) / 4096.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QuantileSketch {
    /// Ascending. A merged entry has the greatest of its values.
    values: Vec<f64>,
    weights: Vec<f64>,
    missing: f64,
}

/// Numbers whose order as unsigned integers is that of the f64, with one zero.
#[inline]
fn key(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    bits ^ (((bits as i64 >> 63) as u64) | 1 << 63)
}

#[inline]
fn from_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key ^ (1 << 63) } else { !key })
}

impl QuantileSketch {
    /// The sketch of some values, each of weight 1 or with its own; NaN is missing, weight 0 is a value left out.
    pub fn of(values: &[f64], weights: Option<&[f64]>) -> Self {
        let mut out = Self::default();
        match weights {
            None => {
                let mut keys: Vec<u64> = values.iter().filter(|v| !v.is_nan()).map(|&v| key(v)).collect();
                out.missing = (values.len() - keys.len()) as f64;
                keys.sort_unstable();
                let mut at = 0;
                while at < keys.len() {
                    let end = at + keys[at..].iter().take_while(|k| **k == keys[at]).count();
                    out.values.push(from_key(keys[at]));
                    out.weights.push((end - at) as f64);
                    at = end;
                }
            }
            Some(weights) => {
                let mut pairs: Vec<(u64, f64)> = Vec::with_capacity(values.len());
                for (&v, &w) in values.iter().zip(weights) {
                    if v.is_nan() {
                        out.missing += w;
                    } else if w > 0.0 {
                        pairs.push((key(v), w));
                    }
                }
                pairs.sort_unstable_by_key(|p| p.0);
                for (k, w) in pairs {
                    let v = from_key(k);
                    match out.values.last() {
                        Some(&last) if last == v => *out.weights.last_mut().expect("one weight per value") += w,
                        _ => {
                            out.values.push(v);
                            out.weights.push(w);
                        }
                    }
                }
            }
        }
        out.compress();
        out
    }

    /// Adds the values of another sketch.
    pub fn merge(&mut self, other: Self) {
        self.missing += other.missing;
        if self.values.is_empty() {
            (self.values, self.weights) = (other.values, other.weights);
            return;
        }
        if other.values.is_empty() {
            return;
        }
        let total = self.values.len() + other.values.len();
        let (mut values, mut weights) = (Vec::with_capacity(total), Vec::with_capacity(total));
        let (mut i, mut j) = (0, 0);
        while i < self.values.len() && j < other.values.len() {
            let (a, b) = (self.values[i], other.values[j]);
            values.push(if b < a { b } else { a });
            weights.push(if a <= b { self.weights[i] } else { 0.0 } + if b <= a { other.weights[j] } else { 0.0 });
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        values.extend_from_slice(&self.values[i..]);
        weights.extend_from_slice(&self.weights[i..]);
        values.extend_from_slice(&other.values[j..]);
        weights.extend_from_slice(&other.weights[j..]);
        (self.values, self.weights) = (values, weights);
        self.compress();
    }

    /// Merges neighbors when there are too many values. Groups end where the cumulative weight passes a multiple of a
    /// fixed share, so a value of much weight stays alone.
    fn compress(&mut self) {
        if self.values.len() <= MAX_EXACT {
            return;
        }
        let share = self.weight() / COMPRESSED_LEN as f64;
        let (mut kept, mut group, mut before, mut next) = (0, 0.0, 0.0, share);
        for k in 0..self.values.len() {
            group += self.weights[k];
            let last = k + 1 == self.values.len();
            if last || before + group + 0.5 * self.weights[k + 1] > next {
                self.values[kept] = self.values[k];
                self.weights[kept] = group;
                kept += 1;
                before += group;
                group = 0.0;
                next = ((before / share).floor() + 1.0) * share;
            }
        }
        self.values.truncate(kept);
        self.weights.truncate(kept);
    }

    /// The weight of the values that are not missing.
    pub fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The weight of the missing values.
    pub fn missing(&self) -> f64 {
        self.missing
    }

    /// The values, ascending, each with its weight.
    pub fn entries(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.values.iter().copied().zip(self.weights.iter().copied())
    }

    /// The least value at or below which there is at least the share `q` of the weight; none without values.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let target = q * self.weight();
        let mut sum = 0.0;
        for (v, w) in self.entries() {
            sum += w;
            if sum >= target {
                return Some(v);
            }
        }
        self.values.last().copied()
    }

    /// Cut points that leave at most `max_bins` bins: between all neighbors when there are few enough distinct values, else
    /// bins of about the same weight, with values of more than their share of the weight in bins of their own.
    ///
    /// A cut c separates values ≤ c from values > c; cuts ascend.
    pub fn cuts(&self, max_bins: usize) -> Vec<f64> {
        let n = self.values.len();
        if n <= max_bins {
            // Cuts are finite, so minus infinity and the least finite number are not told apart.
            let pairs = self.values.windows(2).filter(|v| v[1] > f64::MIN);
            return pairs.map(|v| midpoint(v[0], v[1])).collect();
        }
        let total = self.weight();
        let heavy: Vec<bool> = self.weights.iter().map(|&w| w * max_bins as f64 >= total).collect();
        let mut free = max_bins - heavy.iter().filter(|h| **h).count();
        let mut rest: f64 = total - self.weights.iter().zip(&heavy).filter(|(_, h)| **h).map(|(w, _)| w).sum::<f64>();
        let mut mean = rest / free.max(1) as f64;
        let (mut cuts, mut bin) = (Vec::with_capacity(max_bins), 0.0);
        for k in 0..n - 1 {
            let w = self.weights[k];
            if !heavy[k] {
                rest -= w;
            }
            bin += w;
            if heavy[k] || bin >= mean || (heavy[k + 1] && bin >= 0.5 * mean) {
                cuts.push(midpoint(self.values[k], self.values[k + 1]));
                if cuts.len() + 1 == max_bins {
                    break;
                }
                if !heavy[k] {
                    free = free.saturating_sub(1);
                    mean = rest / free.max(1) as f64;
                }
                bin = 0.0;
            }
        }
        cuts.dedup();
        cuts
    }
}

/// A number c with a ≤ c < b, in the middle where there is one.
fn midpoint(a: f64, b: f64) -> f64 {
    let a = a.max(f64::MIN);
    let middle = a + (b - a) / 2.0;
    let middle = if middle.is_finite() { middle } else { a / 2.0 + b / 2.0 };
    if middle >= a && middle < b { middle } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;

    #[test]
    fn few_values_are_kept_exactly_whatever_the_parts() {
        let mut s = RngStream::new(1, "sketch", 0);
        let values: Vec<f64> = (0..5000).map(|_| (s.below(300) as f64) * 0.5 - 20.0).collect();
        let whole = QuantileSketch::of(&values, None);
        let mut parts = QuantileSketch::default();
        for part in values.chunks(77).rev() {
            parts.merge(QuantileSketch::of(part, None));
        }
        assert_eq!(whole, parts);
        let ones = vec![1.0; values.len()];
        assert_eq!(QuantileSketch::of(&values, Some(&ones)), whole);
        assert_eq!(whole.cuts(512).len(), 299);
        assert!(whole.cuts(512).windows(2).all(|c| c[1] - c[0] == 0.5));
    }

    #[test]
    fn many_values_give_quantiles_within_the_promise() {
        let mut s = RngStream::new(2, "sketch", 0);
        let values: Vec<f64> = (0..300_000).map(|_| s.normal().exp()).collect();
        let mut sketch = QuantileSketch::default();
        for part in values.chunks(4096) {
            sketch.merge(QuantileSketch::of(part, None));
        }
        let mut sorted = values.clone();
        ermine_core::order::sort_numbers(&mut sorted);
        assert_eq!(sketch.weight(), 300_000.0);
        for k in 1..100 {
            let q = k as f64 / 100.0;
            let quantile = sketch.quantile(q).unwrap();
            let rank = sorted.partition_point(|v| *v <= quantile) as f64 / 300_000.0;
            assert!((rank - q).abs() < 73.0 / 4096.0, "quantile {q} has rank {rank}");
        }
        let cuts = sketch.cuts(255);
        assert_eq!(cuts.len(), 254);
        let mut counts = vec![0usize; 255];
        values.iter().for_each(|v| counts[cuts.partition_point(|c| c < v)] += 1);
        let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(*least > 900 && *most < 1500, "bins of {least} to {most} rows, and 1176 are even");
    }

    #[test]
    fn a_heavy_value_has_its_own_bin() {
        let mut values: Vec<f64> = (0..1000).map(f64::from).collect();
        values.extend([400.5; 3000]);
        let cuts = QuantileSketch::of(&values, None).cuts(10);
        assert!(cuts.len() <= 9);
        assert!(cuts.iter().any(|&c| (400.0..400.5).contains(&c)) && cuts.iter().any(|&c| (400.5..401.0).contains(&c)));
    }

    #[test]
    fn extreme_values_are_separated() {
        let values = [f64::NEG_INFINITY, f64::MIN, -0.0, 0.0, 5e-324, f64::MAX, f64::INFINITY, f64::NAN];
        let sketch = QuantileSketch::of(&values, None);
        assert_eq!(sketch.missing(), 1.0);
        let cuts = sketch.cuts(255);
        let bins: Vec<usize> = values[1..7].iter().map(|v| cuts.partition_point(|c| c < v)).collect();
        assert_eq!(bins, [0, 1, 1, 2, 3, 4].map(|b| b + bins[0]));
        assert!(cuts.iter().all(|c| c.is_finite()));
    }

    #[test]
    fn weight_zero_is_a_value_left_out() {
        let sketch = QuantileSketch::of(&[1.0, 2.0, 3.0], Some(&[1.0, 0.0, 2.0]));
        assert_eq!(sketch.entries().collect::<Vec<_>>(), [(1.0, 1.0), (3.0, 2.0)]);
        assert_eq!(sketch.cuts(255), [2.0]);
    }
}
