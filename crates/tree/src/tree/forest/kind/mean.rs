//! Numbers: means judged by squared error or Poisson deviance.

use serde::{Deserialize, Serialize};

use super::super::super::criterion::{exponent, nearest, power};
use super::{BinnedCriterion, IntWeight, NodeRow, NodeSummary};

/// How a mean is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) enum MeanLoss {
    /// (y - mean)^2.
    Squared,
    /// y log(y / mean) - y + mean.
    Poisson,
}

/// The inputs of the grid of a target: the least and the greatest target of a bag, and its weights.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in super::super) struct TargetExtent {
    pub low: f64,
    pub high: f64,
    /// The weight of all rows and of the heaviest one, in steps.
    pub total: i64,
    pub heaviest: i64,
}

impl Default for TargetExtent {
    fn default() -> Self {
        Self { low: f64::INFINITY, high: f64::NEG_INFINITY, total: 0, heaviest: 0 }
    }
}

impl TargetExtent {
    #[inline]
    pub fn add(&mut self, y: f64, weight: i64) {
        self.merge(Self { low: y, high: y, total: weight, heaviest: weight });
    }

    #[inline]
    pub fn merge(&mut self, other: Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.total += other.total;
        self.heaviest = self.heaviest.max(other.heaviest);
    }
}

/// The target on a grid as fine as 64-bit sums over a bag allow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in super::super) struct MeanGrid {
    pub loss: MeanLoss,
    /// Whether the weights are whole numbers: equal targets are then equal on the grid.
    whole: bool,
    down: f64,
    /// Where the grid starts, and its step over the step of the weights.
    origin: f64,
    up: f64,
    per_step: f64,
    unit: f64,
    /// The divisor that brings the target near 1.
    scale: f64,
    /// The weight of a step.
    weight_unit: f64,
    /// Brings the cost of all rows below 2^62.
    cost_up: f64,
}

impl MeanGrid {
    pub fn new(extent: &TargetExtent, whole: bool, weight_unit: f64, loss: MeanLoss) -> Self {
        // Brought near 1 first: differences of the largest numbers overflow.
        let scale = exponent(extent.low.abs().max(extent.high.abs()));
        let down = power(-scale);
        let (low, high) = (extent.low * down, extent.high * down);
        let origin = if loss == MeanLoss::Poisson { 0.0 } else { 0.5 * (low + high) };
        let reach = high - origin;
        let bits = |w: i64| i64::BITS as i32 - w.leading_zeros() as i32;
        let total = bits(extent.total);
        // A constant target lies on any grid.
        let size = if reach > 0.0 { exponent(reach) } else { 0 };
        let (shift, per_step) = if whole {
            // The sum stays below 2^61, and what one row adds is exact as a real number.
            ((60 - total).min(50 - bits(extent.heaviest.max(1))) - size, 1.0)
        } else {
            (60 - size, power(-total))
        };
        let shift = shift.min(1000);
        // Two rows are at most 2^(size + 2) apart, and a deviance is at most the target times the logarithm of all weights.
        let most = match loss {
            MeanLoss::Squared => total + 2 * (size + 2 + shift - if whole { 0 } else { total }),
            MeanLoss::Poisson => total + size + 8,
        };
        let (up, unit) = (power(shift), power(-shift) / per_step);
        Self { loss, whole, down, origin, up, per_step, unit, scale: power(scale), weight_unit, cost_up: power(62 - most) }
    }

    /// The contribution of a row to the sum.
    #[inline]
    pub fn sum(&self, y: f64, weight: i64) -> i64 {
        let above = (y * self.down - self.origin) * self.up;
        if self.whole { nearest(above) * weight } else { nearest(weight as f64 * self.per_step * above) }
    }

    /// Whether equal targets are compared by value and not on the grid.
    pub fn needs_targets(&self) -> bool {
        !self.whole
    }

    /// The middle of the costs of a node with this sum, for [`MeanGrid::look`].
    #[inline]
    pub fn cost_center(&self, weight: f64, sum: i64) -> f64 {
        match self.loss {
            MeanLoss::Squared => sum as f64 / weight,
            MeanLoss::Poisson => self.origin + sum as f64 / weight * self.unit,
        }
    }

    /// Takes in a row of a node: its weight, its sum and its target, where that is needed.
    #[inline(always)]
    pub fn add_cost(&self, look: &mut NodeCost, middle: f64, weight: f64, sum: i64, y: Option<f64>) {
        let steps = sum as f64 / weight;
        let level = y.unwrap_or(steps);
        look.low = look.low.min(level);
        look.high = look.high.max(level);
        let cost = match self.loss {
            MeanLoss::Squared => weight * ((steps - middle) * (steps - middle)),
            MeanLoss::Poisson => {
                let y = steps * self.unit;
                weight * if y > 0.0 { y * (y / middle).ln() - y + middle } else { middle }
            }
        };
        look.add(cost * self.cost_up);
    }
}

/// Further statistics of the rows of a node: the cost about the mean, and whether all targets are the same.
/// The cost is added up in whole numbers, so that it does not depend on the order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct NodeCost {
    low: f64,
    high: f64,
    cost: i64,
    /// In steps of 2^-33: as many rows as there may be stay below 2^62.
    rest: i64,
}

impl Default for NodeCost {
    fn default() -> Self {
        Self { low: f64::INFINITY, high: f64::NEG_INFINITY, cost: 0, rest: 0 }
    }
}

const REST: f64 = (1u64 << 33) as f64;

impl NodeCost {
    #[inline(always)]
    fn add(&mut self, cost: f64) {
        let whole = cost as i64;
        self.cost += whole;
        self.rest += ((cost - whole as f64) * REST) as i64;
    }

    pub fn merge(&mut self, other: Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        self.cost += other.cost;
        self.rest += other.rest;
    }

    fn cost(&self) -> f64 {
        self.cost as f64 + self.rest as f64 / REST
    }
}

/// One number, judged about its mean.
pub(in super::super) struct MeanBins<'a, W> {
    /// The target of each row, where rounding may tell equal ones apart on the grid.
    pub y: Option<&'a [f64]>,
    pub grid: MeanGrid,
    pub steps: std::marker::PhantomData<W>,
}

/// Weight, and weight times target above the origin, in steps.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct MeanSample<W> {
    pub weight: W,
    pub sum: i64,
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) struct MeanSum<W: IntWeight> {
    pair: W::Pair,
    sum: i64,
}

impl<W: IntWeight> Default for MeanSum<W> {
    fn default() -> Self {
        Self { pair: W::Pair::default(), sum: 0 }
    }
}

impl<W: IntWeight> MeanSum<W> {
    #[inline(always)]
    fn weight(&self) -> f64 {
        W::weight(self.pair).real()
    }
}

impl<W: IntWeight> MeanBins<'_, W> {
    /// Squares of the largest numbers overflow; they stay comparable.
    fn clamp_finite(&self, v: f64) -> f64 {
        v.min(f64::MAX / 1e9)
    }

    /// Weight times impurity, up to a constant of the rows.
    fn potential(&self, sum: &MeanSum<W>) -> f64 {
        let w = sum.weight();
        if w <= 0.0 {
            return 0.0;
        }
        let s = sum.sum as f64 * self.grid.unit;
        self.grid.weight_unit
            * match self.grid.loss {
                MeanLoss::Squared => -(s * (s / w)),
                MeanLoss::Poisson if s > 0.0 => -s * (s / w).ln(),
                MeanLoss::Poisson => 0.0,
            }
    }
}

impl<W: IntWeight> BinnedCriterion for MeanBins<'_, W> {
    type Load = MeanSample<W>;
    type Sum = MeanSum<W>;

    #[inline(always)]
    fn add(sum: &mut MeanSum<W>, load: MeanSample<W>) {
        W::count(&mut sum.pair, load.weight);
        sum.sum += load.sum;
    }

    #[inline(always)]
    fn merge(sum: &mut MeanSum<W>, other: &MeanSum<W>) {
        W::merge(&mut sum.pair, other.pair);
        sum.sum += other.sum;
    }

    #[inline(always)]
    fn subtract(all: &MeanSum<W>, part: &MeanSum<W>) -> MeanSum<W> {
        MeanSum { pair: W::subtract(all.pair, part.pair), sum: all.sum - part.sum }
    }

    #[inline(always)]
    fn rows(sum: &MeanSum<W>) -> usize {
        W::rows(sum.pair)
    }

    #[inline(always)]
    fn weight(&self, sum: &MeanSum<W>) -> f64 {
        sum.weight() * self.grid.weight_unit
    }

    #[inline(always)]
    fn gain(&self, left: &MeanSum<W>, all: &MeanSum<W>) -> f64 {
        let (l, n) = (left.weight(), all.weight());
        match self.grid.loss {
            // The decrease of the squared error is d^2 n / (l r), d being the sum of the left side about the mean.
            MeanLoss::Squared => {
                let d = left.sum as f64 * n - l * all.sum as f64;
                d * d / (l * (n - l))
            }
            MeanLoss::Poisson => {
                let right = all.sum - left.sum;
                if left.sum <= 0 || right <= 0 {
                    return f64::NEG_INFINITY;
                }
                let (a, b) = (left.sum as f64, right as f64);
                a * (a / l).ln() + b * (b / (n - l)).ln()
            }
        }
    }

    fn decrease(&self, left: &MeanSum<W>, all: &MeanSum<W>) -> f64 {
        if self.grid.loss == MeanLoss::Squared {
            // Without the cancellation of two potentials.
            let n = all.weight();
            return self.clamp_finite(
                self.gain(left, all) / n
                    * self.grid.unit
                    * self.grid.unit
                    * self.grid.weight_unit
                    * self.grid.scale
                    * self.grid.scale,
            );
        }
        let fall = self.potential(all) - self.potential(left) - self.potential(&Self::subtract(all, left));
        self.clamp_finite(fall.max(0.0) * self.grid.scale)
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, sum: &MeanSum<W>, _: usize) -> f64 {
        sum.sum as f64 / sum.weight()
    }

    fn add_cost(&self, sum: &MeanSum<W>, entries: &[NodeRow<MeanSample<W>>]) -> NodeCost {
        let mut look = NodeCost::default();
        let middle = self.grid.cost_center(sum.weight(), sum.sum);
        match self.y {
            None => entries.iter().for_each(|e| self.grid.add_cost(&mut look, middle, e.load.weight.real(), e.load.sum, None)),
            Some(y) => entries
                .iter()
                .for_each(|e| self.grid.add_cost(&mut look, middle, e.load.weight.real(), e.load.sum, Some(y[e.row as usize]))),
        }
        look
    }

    fn summary(&self, sum: &MeanSum<W>, look: &NodeCost) -> NodeSummary {
        let g = &self.grid;
        let w = sum.weight();
        let mean = g.origin + sum.sum as f64 / w * g.unit;
        let pure = look.low == look.high;
        let cost = look.cost() / g.cost_up;
        let (cost, scale) = match g.loss {
            MeanLoss::Squared => (cost * (g.unit * g.unit), g.scale * g.scale),
            MeanLoss::Poisson => (cost, g.scale),
        };
        let impurity = if pure { 0.0 } else { self.clamp_finite((cost / w).max(0.0) * scale) };
        NodeSummary { value: vec![mean * g.scale], impurity, pure }
    }

    #[inline]
    fn load(&self, _: u32, weight: i64, sum: i64) -> MeanSample<W> {
        MeanSample { weight: W::from_i64(weight), sum }
    }

    fn sum_of_steps(&self, steps: &[i64]) -> MeanSum<W> {
        MeanSum { pair: W::pair(steps[0], steps[1]), sum: steps[2] }
    }

    fn to_steps(&self, sum: &MeanSum<W>, out: &mut Vec<i64>) {
        out.extend([W::rows(sum.pair) as i64, W::weight(sum.pair).to_i64(), sum.sum]);
    }
}
