//! The criterion that predicts the median: absolute error.

use std::sync::Arc;

use super::super::sorted::SortedEntry;
use super::{NodeStats, QuantizedWeights, SplitCriterion, SplitSweep, exponent, nearest, power};

/// One or more targets, each judged by |y - median|.
///
/// A node keeps its distinct targets in order, and the search keeps the weights on either side in a Fenwick tree over
/// that order, so that a row moves from one side to the other, and the medians are found, in logarithmic time.
#[derive(Debug)]
pub(in super::super) struct Medians {
    /// Targets one after the other.
    y: Vec<f64>,
    rows: usize,
    weights: QuantizedWeights,
    /// Place of the row's target among those of the node that was prepared last for the row.
    ranks: Vec<u32>,
}

/// Totals of a node.
#[derive(Clone, Debug)]
pub(in super::super) struct MedianTotal {
    weight: i64,
    targets: Arc<Vec<DistinctTargets>>,
}

/// The distinct targets of a node in ascending order.
#[derive(Debug)]
struct DistinctTargets {
    /// The targets.
    y: Vec<f64>,
    /// The targets in steps of a grid, about the middle.
    steps: Vec<i64>,
    /// One step.
    unit: f64,
    /// Weight at each.
    weights: Vec<i64>,
    /// Weight times steps, on a grid where sums fit.
    products: Vec<i64>,
}

impl Medians {
    /// From the targets, one after the other.
    pub fn new(y: Vec<f64>, rows: usize, weights: QuantizedWeights) -> Self {
        let ranks = vec![0; y.len()];
        Self { y, rows, weights, ranks }
    }

    fn targets(&self) -> usize {
        self.y.len() / self.rows
    }

    fn distinct_targets(&mut self, target: usize, ids: &[u32], weight: i64) -> DistinctTargets {
        let first = target * self.rows;
        let y = &self.y[first..first + self.rows];
        let mut order = ids.to_vec();
        order.sort_unstable_by(|&a, &b| y[a as usize].total_cmp(&y[b as usize]));
        let mut out = DistinctTargets { y: Vec::new(), steps: Vec::new(), unit: 1.0, weights: Vec::new(), products: Vec::new() };
        for &id in &order {
            if out.y.last() != Some(&y[id as usize]) {
                out.y.push(y[id as usize]);
                out.weights.push(0);
            }
            let rank = out.y.len() - 1;
            out.weights[rank] += self.weights.get(id as usize);
            self.ranks[first + id as usize] = rank as u32;
        }
        let (low, high) = (out.y[0], out.y[out.y.len() - 1]);
        let origin = 0.5 * low + 0.5 * high;
        let bits = i64::BITS as i32 - (weight.leading_zeros() as i32);
        // Steps of 30 bits at least: with fractional weights the products are rounded once more.
        let room = (60 - bits).max(30);
        let shift = (room - exponent((high - origin).max(origin - low))).clamp(-1000, 1000);
        out.unit = power(-shift);
        out.steps = out.y.iter().map(|v| nearest((v - origin) * power(shift))).collect();
        out.products = (0..out.y.len()).map(|k| product(out.weights[k], out.steps[k], weight)).collect();
        out
    }
}

/// Weight times steps, in units of 1 if the whole fits, else of the power of two that makes it fit.
#[inline]
fn product(w: i64, steps: i64, total: i64) -> i64 {
    ((i128::from(w) * i128::from(steps)) >> excess_bits(total)) as i64
}

/// Bits by which the product of the total weight and the largest step goes beyond 61.
#[inline]
fn excess_bits(total: i64) -> u32 {
    (i64::BITS - total.leading_zeros()).saturating_sub(30)
}

impl DistinctTargets {
    /// The median: the middle of the two middle values if the weight is cut exactly in half.
    fn median(&self, total: i64) -> f64 {
        let mut below = 0;
        for (k, &w) in self.weights.iter().enumerate() {
            below += w;
            if 2 * i128::from(below) > i128::from(total) {
                return self.y[k];
            }
            if 2 * i128::from(below) == i128::from(total) {
                return 0.5 * self.y[k] + 0.5 * self.y[k + 1];
            }
        }
        self.y[self.y.len() - 1]
    }
}

impl SplitCriterion for Medians {
    type Total = MedianTotal;
    type Sweep<'a> = MedianSweep<'a>;

    fn prepare(&mut self, ids: &[u32]) -> NodeStats<MedianTotal> {
        let weight: i64 = ids.iter().map(|&id| self.weights.get(id as usize)).sum();
        let ladders: Vec<DistinctTargets> = (0..self.targets()).map(|t| self.distinct_targets(t, ids, weight)).collect();
        let value: Vec<f64> = ladders.iter().map(|l| l.median(weight)).collect();
        let unit = self.weights.unit;
        let cost = |l: &DistinctTargets, m: f64| -> f64 {
            let sum: f64 = l.y.iter().zip(&l.weights).map(|(y, &w)| (y - m).abs() * (w as f64 * unit)).sum();
            sum / (weight as f64 * unit)
        };
        let impurity = ladders.iter().zip(&value).map(|(l, &m)| cost(l, m)).sum::<f64>() / ladders.len() as f64;
        let pure = ladders.iter().all(|l| l.y.len() == 1);
        let total = MedianTotal { weight, targets: Arc::new(ladders) };
        let weight = weight as f64 * unit;
        NodeStats { rows: ids.len(), weight, value, impurity: impurity.min(f64::MAX), pure, total }
    }

    fn sweep<'a>(&'a self, stats: &'a NodeStats<MedianTotal>) -> MedianSweep<'a> {
        let total = &stats.total;
        let sides = total.targets.iter().map(|l| [Fenwick::new(l.y.len()), Fenwick::full(l)]).collect();
        MedianSweep { from: self, total, weight: 0, sides }
    }

    fn select(&self, ids: &[u32]) -> Self {
        let of = |t: usize, id: u32| t * self.rows + id as usize;
        let targets = 0..self.targets();
        Self {
            y: targets.clone().flat_map(|t| ids.iter().map(move |&id| self.y[of(t, id)])).collect(),
            rows: ids.len(),
            weights: self.weights.select(ids),
            ranks: targets.flat_map(|t| ids.iter().map(move |&id| self.ranks[of(t, id)])).collect(),
        }
    }

    fn orders(&self) -> usize {
        self.targets()
    }
}

/// Weights and products of one side, summed in a tree over the ladder.
#[derive(Clone)]
struct Fenwick {
    /// (weight, product); place k sums the places k - lowest bit of k + 1 to k, from 1.
    nodes: Vec<(i64, i64)>,
    weight: i64,
    product: i64,
}

impl Fenwick {
    fn new(len: usize) -> Self {
        Self { nodes: vec![(0, 0); len + 1], weight: 0, product: 0 }
    }

    fn full(ladder: &DistinctTargets) -> Self {
        let mut out = Self::new(ladder.y.len());
        for k in 0..ladder.y.len() {
            out.nodes[k + 1] = (ladder.weights[k], ladder.products[k]);
            out.weight += ladder.weights[k];
            out.product += ladder.products[k];
        }
        for k in 1..out.nodes.len() {
            let up = k + (k & k.wrapping_neg());
            if up < out.nodes.len() {
                out.nodes[up].0 += out.nodes[k].0;
                out.nodes[up].1 += out.nodes[k].1;
            }
        }
        out
    }

    fn add(&mut self, rank: usize, weight: i64, product: i64) {
        self.weight += weight;
        self.product += product;
        let mut k = rank + 1;
        while k < self.nodes.len() {
            self.nodes[k].0 += weight;
            self.nodes[k].1 += product;
            k += k & k.wrapping_neg();
        }
    }

    /// The first rank at which more than half of the weight is reached, and weight and product below it; whether exactly
    /// half is reached before.
    fn middle(&self) -> (usize, i64, i64) {
        let (mut at, mut weight, mut product) = (0, 0, 0);
        let mut step = self.nodes.len().next_power_of_two() / 2;
        while step > 0 {
            if at + step < self.nodes.len() {
                let (w, p) = self.nodes[at + step];
                if 2 * i128::from(weight + w) <= i128::from(self.weight) {
                    at += step;
                    weight += w;
                    product += p;
                }
            }
            step /= 2;
        }
        (at.min(self.nodes.len() - 2), weight, product)
    }

    /// Sum of weight times distance from the median.
    fn cost(&self, ladder: &DistinctTargets, total: i64) -> f64 {
        let (rank, below, product_below) = self.middle();
        // Any point between the middle values gives the same sum.
        let tilt = product(below - (self.weight - below), ladder.steps[rank], total);
        (tilt - product_below + (self.product - product_below)) as f64
    }

    fn median(&self, ladder: &DistinctTargets) -> f64 {
        let (rank, below, _) = self.middle();
        if 2 * i128::from(below) == i128::from(self.weight) {
            // The last rank before this one that holds weight on this side.
            let mut k = rank;
            while k > 0 {
                k -= 1;
                if self.weight_at(k) > 0 {
                    return 0.5 * ladder.y[k] + 0.5 * ladder.y[rank];
                }
            }
        }
        ladder.y[rank]
    }

    fn weight_at(&self, rank: usize) -> i64 {
        let sum = |mut k: usize| {
            let mut sum = 0;
            while k > 0 {
                sum += self.nodes[k].0;
                k -= k & k.wrapping_neg();
            }
            sum
        };
        sum(rank + 1) - sum(rank)
    }
}

/// The search about medians.
pub(in super::super) struct MedianSweep<'a> {
    from: &'a Medians,
    total: &'a MedianTotal,
    weight: i64,
    /// Left and right side of each target.
    sides: Vec<[Fenwick; 2]>,
}

impl SplitSweep for MedianSweep<'_> {
    fn clear(&mut self) {
        if self.weight > 0 {
            self.weight = 0;
            for (sides, ladder) in self.sides.iter_mut().zip(&self.total.targets[..]) {
                *sides = [Fenwick::new(ladder.y.len()), Fenwick::full(ladder)];
            }
        }
    }

    fn push<S: SortedEntry>(&mut self, entry: S) {
        let id = entry.id();
        let w = self.from.weights.get(id);
        self.weight += w;
        for (t, (sides, ladder)) in self.sides.iter_mut().zip(&self.total.targets[..]).enumerate() {
            let rank = self.from.ranks[t * self.from.rows + id] as usize;
            let p = product(w, ladder.steps[rank], self.total.weight);
            sides[0].add(rank, w, p);
            sides[1].add(rank, -w, -p);
        }
    }

    fn gain(&self) -> f64 {
        let cost = |(sides, ladder): (&[Fenwick; 2], &DistinctTargets)| {
            (sides[0].cost(ladder, self.total.weight) + sides[1].cost(ladder, self.total.weight)) * ladder.unit
        };
        -self.sides.iter().zip(&self.total.targets[..]).map(cost).sum::<f64>()
    }

    fn weights(&self) -> (f64, f64) {
        let unit = self.from.weights.unit;
        (self.weight as f64 * unit, (self.total.weight - self.weight) as f64 * unit)
    }

    fn values(&self) -> (f64, f64) {
        let ladder = &self.total.targets[0];
        (self.sides[0][0].median(ladder), self.sides[0][1].median(ladder))
    }

    fn key<S: SortedEntry>(&self, entries: &[S], order: usize) -> f64 {
        let (mut sum, mut weight) = (0i128, 0i128);
        for e in entries {
            let w = i128::from(self.from.weights.get(e.id()));
            let rank = self.from.ranks[order * self.from.rows + e.id()] as usize;
            sum += w * i128::from(self.total.targets[order].steps[rank]);
            weight += w;
        }
        sum as f64 / weight as f64
    }
}
