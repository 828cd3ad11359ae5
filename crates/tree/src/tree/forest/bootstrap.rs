//! The rows of one tree and what they weigh.

use std::ops::Range;

use ermine_core::RngStream;
use serde::{Deserialize, Serialize};

use super::super::criterion::{QuantizedWeights, exponent, power};
use super::kind::TargetExtent;

/// Rows that are drawn from together.
const STRATUM: usize = 4096;

/// Draws rows with replacement, in proportion to their weights.
///
/// A draw first falls into a stratum of neighboring rows, then on a row within it, and every stratum has random numbers of its own.
/// So how often a row is drawn can be worked out stratum by stratum, without the other rows.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Bootstrap {
    seed: u64,
    rows: usize,
    draws: usize,
    /// The weights of the rows, unless all weigh the same.
    weights: Option<Vec<f64>>,
    /// The table of the strata then.
    strata: Vec<(f64, u32)>,
}

impl Bootstrap {
    pub fn new(seed: u64, rows: usize, draws: usize, weights: Option<&[f64]>) -> Self {
        let weights = weights.filter(|w| w.windows(2).any(|w| w[0] != w[1]));
        let strata = weights.map_or_else(Vec::new, |w| {
            // The largest weight is brought near 1 first, since sums of the largest numbers overflow.
            let down = power(-exponent(w.iter().copied().fold(0.0, f64::max)));
            alias_table(&w.chunks(STRATUM).map(|w| w.iter().map(|w| w * down).sum()).collect::<Vec<f64>>())
        });
        Self { seed, rows, draws, weights: weights.map(<[f64]>::to_vec), strata }
    }

    /// How many draws of a tree fall into each stratum.
    pub fn stratum_draws(&self, tree: u64) -> Vec<u32> {
        let mut stream = RngStream::new(self.seed, "bootstrap", tree);
        let mut counts = vec![0u32; self.rows.div_ceil(STRATUM)];
        match &self.weights {
            None => (0..self.draws).for_each(|_| counts[stream.below(self.rows) / STRATUM] += 1),
            Some(_) => (0..self.draws).for_each(|_| counts[draw(&self.strata, &mut stream)] += 1),
        }
        counts
    }

    /// How often each of some neighboring rows is drawn for a tree, given the draws of its strata.
    pub fn stratum_counts(&self, tree: u64, strata: &[u32], rows: Range<usize>) -> Vec<u32> {
        let mut out = Vec::with_capacity(rows.len());
        let mut counts = [0u32; STRATUM];
        for stratum in rows.start / STRATUM..rows.end.div_ceil(STRATUM) {
            let first = stratum * STRATUM;
            let size = STRATUM.min(self.rows - first);
            let counts = &mut counts[..size];
            counts.fill(0);
            let mut stream = RngStream::new(self.seed, "bootstrap rows", tree << 32 | stratum as u64);
            match &self.weights {
                None => (0..strata[stratum]).for_each(|_| counts[stream.below(size)] += 1),
                Some(weights) => {
                    let table = alias_table(&weights[first..first + size]);
                    (0..strata[stratum]).for_each(|_| counts[draw(&table, &mut stream)] += 1);
                }
            }
            out.extend_from_slice(&counts[rows.start.max(first) - first..rows.end.min(first + size) - first]);
        }
        out
    }

    /// How often each row is drawn for a tree. Rows are counted, never copied.
    pub fn counts(&self, tree: u64) -> Vec<u32> {
        self.stratum_counts(tree, &self.stratum_draws(tree), 0..self.rows)
    }
}

/// A place in proportion to the weights of a table.
fn draw(table: &[(f64, u32)], stream: &mut RngStream) -> usize {
    let place = stream.below(table.len());
    let (own, other) = table[place];
    if stream.uniform() < own { place } else { other as usize }
}

/// The table of Walker (1977) and Vose (1991) for weights above 0: the chance of a place to stand for itself, and the place it
/// stands for otherwise.
fn alias_table(weights: &[f64]) -> Vec<(f64, u32)> {
    // The largest weight is brought near 1 first, since sums of the largest numbers overflow.
    let down = power(-exponent(weights.iter().copied().fold(0.0, f64::max)));
    let total: f64 = weights.iter().map(|w| w * down).sum();
    let n = weights.len() as f64;
    let mut chance: Vec<f64> = weights.iter().map(|w| w * down / total * n).collect();
    let mut table: Vec<(f64, u32)> = (0..weights.len() as u32).map(|i| (1.0, i)).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(|&i| chance[i] < 1.0);
    while let (Some(&s), Some(&l)) = (small.last(), large.last()) {
        small.pop();
        table[s] = (chance[s], l as u32);
        chance[l] -= 1.0 - chance[s];
        if chance[l] < 1.0 {
            large.pop();
            small.push(l);
        }
    }
    table
}

/// The rows of a tree with their weights in steps.
pub(super) struct BootstrapSample {
    /// Rows that are there at least once.
    pub rows: Vec<u32>,
    pub weights: SampleWeights,
}

/// The weights of the rows of a bag.
pub(super) enum SampleWeights {
    /// How often each is there.
    Counts(Vec<u32>),
    /// Any weights.
    IntegerWeights(QuantizedWeights),
}

impl SampleWeights {
    #[inline]
    pub fn get(&self, k: usize) -> i64 {
        match self {
            Self::Counts(counts) => i64::from(counts[k]),
            Self::IntegerWeights(weights) => weights.get(k),
        }
    }

    pub fn unit(&self) -> f64 {
        match self {
            Self::Counts(_) => 1.0,
            Self::IntegerWeights(weights) => weights.unit,
        }
    }

    pub fn whole(&self) -> bool {
        match self {
            Self::Counts(_) => true,
            Self::IntegerWeights(weights) => weights.whole,
        }
    }
}

impl BootstrapSample {
    /// From how often each row is drawn (each once where it is not given) and the weights of the rows.
    pub fn new(counts: Option<&[u32]>, own: Option<&dyn Fn(usize) -> f64>, rows: usize) -> Self {
        let count = |i: usize| counts.map_or(1, |c| c[i]);
        let here: Vec<u32> = (0..rows as u32).filter(|&i| count(i as usize) > 0).collect();
        let weights = match own {
            None => SampleWeights::Counts(here.iter().map(|&i| count(i as usize)).collect()),
            Some(own) => {
                let weight = |&i: &u32| own(i as usize) * f64::from(count(i as usize));
                SampleWeights::IntegerWeights(QuantizedWeights::new(here.iter().map(weight).collect()))
            }
        };
        Self { rows: here, weights }
    }

    /// The sum of the weights, in steps.
    pub fn total(&self) -> i64 {
        (0..self.rows.len()).map(|k| self.weights.get(k)).sum()
    }

    /// The extent of the targets and the weights.
    pub fn extent(&self, y: &[f64]) -> TargetExtent {
        let mut extent = TargetExtent::default();
        self.rows.iter().enumerate().for_each(|(k, &row)| extent.add(y[row as usize], self.weights.get(k)));
        extent
    }
}
