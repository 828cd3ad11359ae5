//! The rows of one tree and what they weigh.

use ermine_core::Stream;

use super::super::criterion::{Weights, exponent, nearest, power};
use super::kind::{ClassLoad, Entry, Mean, MeanLoad, MeanLoss, Steps, Two};

/// Draws rows with replacement, in proportion to their weights.
pub(super) struct Lottery {
    seed: u64,
    rows: usize,
    draws: usize,
    /// Walker's alias table, unless all rows weigh the same: the chance of a place to stand for its own row, and the row it
    /// stands for otherwise.
    table: Option<Vec<(f64, u32)>>,
}

impl Lottery {
    pub fn new(seed: u64, rows: usize, draws: usize, weights: Option<&[f64]>) -> Self {
        let table = weights.filter(|w| w.windows(2).any(|w| w[0] != w[1])).map(alias);
        Self { seed, rows, draws, table }
    }

    /// How often each row is drawn for a tree. Rows are counted, never copied.
    pub fn counts(&self, tree: u64) -> Vec<u32> {
        let mut stream = Stream::new(self.seed, "bootstrap", tree);
        let mut counts = vec![0u32; self.rows];
        match &self.table {
            None => (0..self.draws).for_each(|_| counts[stream.below(self.rows)] += 1),
            Some(table) => {
                for _ in 0..self.draws {
                    let place = stream.below(self.rows);
                    let (own, other) = table[place];
                    counts[if stream.uniform() < own { place } else { other as usize }] += 1;
                }
            }
        }
        counts
    }
}

/// The table of Walker (1977) and Vose (1991) for weights above 0.
fn alias(weights: &[f64]) -> Vec<(f64, u32)> {
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
pub(super) struct Bag {
    /// Rows that are there at least once.
    pub rows: Vec<u32>,
    pub weights: BagWeights,
}

/// The weights of the rows of a bag.
pub(super) enum BagWeights {
    /// How often each is there.
    Counts(Vec<u32>),
    /// Any weights.
    Steps(Weights),
}

impl BagWeights {
    #[inline]
    pub fn get(&self, k: usize) -> i64 {
        match self {
            Self::Counts(counts) => i64::from(counts[k]),
            Self::Steps(weights) => weights.get(k),
        }
    }

    pub fn unit(&self) -> f64 {
        match self {
            Self::Counts(_) => 1.0,
            Self::Steps(weights) => weights.unit,
        }
    }

    pub fn whole(&self) -> bool {
        match self {
            Self::Counts(_) => true,
            Self::Steps(weights) => weights.whole,
        }
    }
}

impl Bag {
    /// From how often each row is drawn (each once if it is not said) and the weights of the rows.
    pub fn new(counts: Option<&[u32]>, own: Option<&dyn Fn(usize) -> f64>, rows: usize) -> Self {
        let count = |i: usize| counts.map_or(1, |c| c[i]);
        let here: Vec<u32> = (0..rows as u32).filter(|&i| count(i as usize) > 0).collect();
        let weights = match own {
            None => BagWeights::Counts(here.iter().map(|&i| count(i as usize)).collect()),
            Some(own) => {
                let weight = |&i: &u32| own(i as usize) * f64::from(count(i as usize));
                BagWeights::Steps(Weights::new(here.iter().map(weight).collect()))
            }
        };
        Self { rows: here, weights }
    }

    /// The sum of the weights, in steps.
    pub fn total(&self) -> i64 {
        (0..self.rows.len()).map(|k| self.weights.get(k)).sum()
    }

    /// The rows with two classes.
    pub fn two(&self, codes: &[u32]) -> Vec<Entry<u64>> {
        let entry =
            |(k, &row): (usize, &u32)| Entry { row, load: Two::load(codes[row as usize] == 1, self.weights.get(k) as u32) };
        self.rows.iter().enumerate().map(entry).collect()
    }

    /// The rows with any number of classes.
    pub fn classes<W: Steps>(&self, codes: &[u32]) -> Vec<Entry<ClassLoad<W>>> {
        let load = |k: usize, row: u32| ClassLoad { class: codes[row as usize], weight: W::from_i64(self.weights.get(k)) };
        self.rows.iter().enumerate().map(|(k, &row)| Entry { row, load: load(k, row) }).collect()
    }

    /// The rows with numbers on a grid as fine as 64-bit sums over the bag allow, and what judges them.
    pub fn mean<'y, W: Steps>(&self, y: &'y [f64], loss: MeanLoss) -> (Mean<'y, W>, Vec<Entry<MeanLoad<W>>>) {
        let mut top = 0.0f64;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &row in &self.rows {
            let v = y[row as usize];
            (low, high, top) = (low.min(v), high.max(v), top.max(v.abs()));
        }
        // Brought near 1 first: differences of the largest numbers overflow.
        let scale = exponent(top);
        let down = power(-scale);
        let (low, high) = (low * down, high * down);
        let origin = if loss == MeanLoss::Poisson { 0.0 } else { 0.5 * (low + high) };
        let reach = high - origin;
        let bits = |w: i64| i64::BITS as i32 - w.leading_zeros() as i32;
        let total = self.total();
        let whole = self.weights.whole();
        // A constant target lies on any grid.
        let size = if reach > 0.0 { exponent(reach) } else { 0 };
        let (shift, per_step) = if whole {
            let heaviest = (0..self.rows.len()).map(|k| self.weights.get(k)).max().unwrap_or(1);
            // The sum stays below 2^61, and what one row adds is exact as a real number.
            ((60 - bits(total)).min(50 - bits(heaviest)) - size, 1.0)
        } else {
            (60 - size, power(-bits(total)))
        };
        let shift = shift.min(1000);
        let up = power(shift);
        let load = |k: usize, row: u32| {
            let weight = self.weights.get(k);
            let above = (y[row as usize] * down - origin) * up;
            let sum = if whole { nearest(above) * weight } else { nearest(weight as f64 * per_step * above) };
            MeanLoad { weight: W::from_i64(weight), sum }
        };
        let entries = self.rows.iter().enumerate().map(|(k, &row)| Entry { row, load: load(k, row) }).collect();
        let unit = power(-shift) / per_step;
        let mean = Mean {
            y: (!whole).then_some(y),
            loss,
            origin,
            unit,
            scale: power(scale),
            weight_unit: self.weights.unit(),
            steps: std::marker::PhantomData,
        };
        (mean, entries)
    }
}
