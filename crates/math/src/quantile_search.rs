//! Exact weighted quantiles of columns in a few passes and bounded memory.
//!
//! f64 are compared as integers in the same order. A pass counts the weight in 4096 buckets of the bracket of the
//! quantile; its bucket is the next bracket, until it has one value. Six passes are enough for any data; three or four
//! are usual.

use ermine_core::{Error, Partial, Result};
use serde::{Deserialize, Serialize};

const BUCKETS: usize = 4096;

/// Rows per block for learners that search quantiles: the buckets of a column are then smaller than its block.
pub const BLOCK_ROWS: usize = 32768;

/// An integer that orders like the f64; the two zeros are equal.
fn key(v: f64) -> u64 {
    let bits = (v + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn value(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

/// The bracket of the quantile of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum QuantileBracket {
    /// No pass yet.
    Unbounded,
    /// Between two keys; `below` is the weight under `lo`, `above` the least key over `hi`.
    Bracketed { lo: u64, hi: u64, below: f64, above: Option<u64>, level: f64, between: f64 },
    /// The quantile; none in a column without cells.
    Found(Option<f64>),
}

/// The search for one quantile of each column: the state between passes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuantileSearch {
    q: f64,
    places: Vec<QuantileBracket>,
}

impl QuantileSearch {
    /// The `q`-quantile of `columns` columns. With integer weights, which are counts, it is interpolated between order
    /// statistics as in R's type 7; with other weights it is the least value whose cumulative share reaches `q`.
    pub fn new(q: f64, columns: usize) -> Self {
        Self { q, places: vec![QuantileBracket::Unbounded; columns] }
    }

    /// Sums of a block in the current pass.
    pub fn empty(&self) -> QuantilePartial {
        let counts = |p: &QuantileBracket| !matches!(p, QuantileBracket::Found(_));
        QuantilePartial { columns: self.places.iter().map(|p| counts(p).then(KeyHistogram::new)).collect(), whole: true }
    }

    /// Takes in the cells of one column with their weights. NaN is a missing cell.
    pub fn add(&self, part: &mut QuantilePartial, column: usize, cells: impl Iterator<Item = (f64, f64)>) {
        let Some(h) = part.columns[column].as_mut() else { return };
        let (lo, hi) = match self.places[column] {
            QuantileBracket::Unbounded => (0, u64::MAX),
            QuantileBracket::Bracketed { lo, hi, .. } => (lo, hi),
            QuantileBracket::Found(_) => return,
        };
        let shift = shift(lo, hi);
        for (v, w) in cells {
            if v.is_nan() || w == 0.0 {
                continue;
            }
            part.whole &= w.fract() == 0.0;
            let k = key(v);
            if lo <= k && k <= hi {
                let b = ((k - lo) >> shift) as usize;
                h.weight[b] += w;
                h.least[b] = h.least[b].min(k);
                h.most[b] = h.most[b].max(k);
            }
        }
    }

    /// Narrows the brackets; returns whether every quantile is found.
    pub fn refine(&mut self, total: &QuantilePartial) -> bool {
        for (place, histogram) in self.places.iter_mut().zip(&total.columns) {
            let Some(h) = histogram else { continue };
            let (below, above, level, between) = match *place {
                QuantileBracket::Unbounded => {
                    let weight: f64 = h.weight.iter().sum();
                    if total.whole {
                        let at = (weight - 1.0) * self.q;
                        (0.0, None, at.floor() + 1.0, at - at.floor())
                    } else {
                        (0.0, None, self.q * weight, 0.5)
                    }
                }
                QuantileBracket::Bracketed { below, above, level, between, .. } => (below, above, level, between),
                QuantileBracket::Found(_) => continue,
            };
            *place = h.refine(below, above, level, between);
        }
        self.places.iter().all(|p| matches!(p, QuantileBracket::Found(_)))
    }

    /// The quantiles; none for a column without cells.
    pub fn values(&self) -> Vec<Option<f64>> {
        self.places.iter().map(|p| if let QuantileBracket::Found(v) = p { *v } else { None }).collect()
    }
}

/// The least shift that maps the bracket to the buckets.
fn shift(lo: u64, hi: u64) -> u32 {
    let bits = u64::BITS - (hi - lo).leading_zeros();
    bits.saturating_sub(BUCKETS.trailing_zeros())
}

/// The weight in each bucket of a column, with its extreme keys.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeyHistogram {
    weight: Vec<f64>,
    least: Vec<u64>,
    most: Vec<u64>,
}

impl KeyHistogram {
    fn new() -> Self {
        Self { weight: vec![0.0; BUCKETS], least: vec![u64::MAX; BUCKETS], most: vec![0; BUCKETS] }
    }

    fn refine(&self, below: f64, above: Option<u64>, level: f64, between: f64) -> QuantileBracket {
        let mut under = below;
        let mut hit = None;
        for b in (0..BUCKETS).filter(|&b| self.weight[b] > 0.0) {
            match hit {
                None => {
                    // The last bucket with weight is taken when rounding keeps the sum from reaching the level.
                    let after = self.weight[b + 1..].iter().any(|&w| w > 0.0);
                    if under + self.weight[b] >= level || !after {
                        hit = Some((b, above));
                    } else {
                        under += self.weight[b];
                    }
                }
                Some((at, _)) => {
                    hit = Some((at, Some(self.least[b])));
                    break;
                }
            }
        }
        let Some((b, above)) = hit else { return QuantileBracket::Found(None) };
        if self.least[b] < self.most[b] {
            return QuantileBracket::Bracketed { lo: self.least[b], hi: self.most[b], below: under, above, level, between };
        }
        let first = value(self.least[b]);
        let second = if under + self.weight[b] > level { first } else { above.map_or(first, value) };
        QuantileBracket::Found(Some(interpolate(first, second, between)))
    }
}

/// Between two values; exact at both ends and monotone, and free of overflow.
fn interpolate(a: f64, b: f64, t: f64) -> f64 {
    if a == b || t == 0.0 {
        a
    } else if t == 0.5 {
        let sum = a + b;
        if sum.is_finite() { sum / 2.0 } else { a / 2.0 + b / 2.0 }
    } else if t < 0.5 {
        a + (b - a) * t
    } else {
        b - (b - a) * (1.0 - t)
    }
}

/// Sums of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct QuantilePartial {
    columns: Vec<Option<KeyHistogram>>,
    whole: bool,
}

impl Partial for QuantilePartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.columns.len() != other.columns.len() {
            let (expected, found) = (self.columns.len(), other.columns.len());
            return Err(Error::Length { what: "columns of a partial".into(), expected, found });
        }
        self.whole &= other.whole;
        for (a, b) in self.columns.iter_mut().zip(other.columns) {
            if let (Some(a), Some(b)) = (a, b) {
                a.weight.iter_mut().zip(b.weight).for_each(|(a, b)| *a += b);
                a.least.iter_mut().zip(b.least).for_each(|(a, b)| *a = (*a).min(b));
                a.most.iter_mut().zip(b.most).for_each(|(a, b)| *a = (*a).max(b));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quantile(q: f64, cells: &[(f64, f64)]) -> (Option<f64>, usize) {
        let mut search = QuantileSearch::new(q, 1);
        for passes in 1..20 {
            let mut total = search.empty();
            for block in cells.chunks(5) {
                let mut part = search.empty();
                search.add(&mut part, 0, block.iter().copied());
                total.merge(part).unwrap();
            }
            if search.refine(&total) {
                return (search.values()[0], passes);
            }
        }
        panic!("no end");
    }

    /// Type 7 by sorting: position (n - 1) q between order statistics.
    fn by_sorting(q: f64, values: &[f64]) -> f64 {
        let mut v = values.to_vec();
        ermine_core::order::sort_numbers(&mut v);
        let at = (v.len() - 1) as f64 * q;
        let i = at.floor() as usize;
        let j = (i + 1).min(v.len() - 1);
        v[i] + (v[j] - v[i]) * (at - at.floor())
    }

    proptest! {
        #[test]
        fn it_is_what_sorting_says(
            values in prop::collection::vec(prop_oneof![-1e6f64..1e6, Just(0.0), Just(1.0), -1e-3f64..1e-3], 1..60),
            q in prop_oneof![0.0f64..=1.0, Just(0.5), Just(0.0), Just(1.0)],
        ) {
            let cells: Vec<(f64, f64)> = values.iter().map(|&v| (v, 1.0)).collect();
            let (got, passes) = quantile(q, &cells);
            let want = by_sorting(q, &values);
            prop_assert!((got.unwrap() - want).abs() <= 1e-12 * (1.0 + want.abs()), "{got:?} {want}");
            prop_assert!(passes <= 6);
        }

        #[test]
        fn whole_weights_are_counts(
            cells in prop::collection::vec((-5i32..5, 0u8..4), 1..30).prop_filter("some row", |c| c.iter().any(|c| c.1 > 0)),
            q in 0.0f64..=1.0,
        ) {
            let weighted: Vec<(f64, f64)> = cells.iter().map(|&(v, w)| (f64::from(v), f64::from(w))).collect();
            let repeated: Vec<(f64, f64)> =
                cells.iter().flat_map(|&(v, w)| std::iter::repeat_n((f64::from(v), 1.0), w as usize)).collect();
            prop_assert_eq!(quantile(q, &weighted).0, quantile(q, &repeated).0);
        }
    }

    #[test]
    fn missing_cells_and_fractions_of_weight() {
        assert_eq!(quantile(0.5, &[(f64::NAN, 1.0), (3.0, 1.0), (5.0, 1.0)]).0, Some(4.0));
        assert_eq!(quantile(0.5, &[(f64::NAN, 1.0)]).0, None);
        assert_eq!(quantile(0.5, &[(1.0, 0.3), (2.0, 0.3), (9.0, 0.1)]).0, Some(2.0));
        assert_eq!(quantile(0.5, &[(-f64::MAX, 1.0), (f64::MAX, 1.0)]).0, Some(0.0));
    }
}
