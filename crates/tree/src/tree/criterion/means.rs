//! Criteria that predict the mean: squared error, Poisson deviance, and the entropy of class indicators.

use ermine_core::Error;

use super::super::sorted::SortedEntry;
use super::{NodeStats, QuantizedWeights, SplitCriterion, SplitSweep, exponent, nearest, power};

/// The loss of a mean.
pub(in super::super) trait MeanLoss: Copy + Send + Sync + 'static {
    /// Whether the grid of a node starts at 0 instead of at the mean of the node.
    const FROM_ZERO: bool;
    /// The gain of one target, with the sums and weights of the two sides in steps, and the sum of the node over its weight.
    fn gain(self, left: i64, right: i64, l: f64, r: f64, mean: f64) -> f64;
    /// The loss of one row, for losses whose impurity is not the variance.
    fn cost(self, y: f64, mean: f64) -> f64;
}

/// (y - mean)^2.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Squared;

impl MeanLoss for Squared {
    const FROM_ZERO: bool = false;

    /// The decrease of the squared error is d^2 n / (l r), where d is the sum of the left side about the mean of the node.
    #[inline(always)]
    fn gain(self, left: i64, _: i64, l: f64, r: f64, mean: f64) -> f64 {
        let d = left as f64 - l * mean;
        d * d / (l * r)
    }

    fn cost(self, y: f64, mean: f64) -> f64 {
        (y - mean) * (y - mean)
    }
}

/// Losses with a logarithm in them. One type for both, since a logarithm takes longer than the choice of its loss, and every type of
/// loss is another instance of the whole grower.
#[derive(Debug, Clone, Copy)]
pub(in super::super) enum LogLoss {
    /// y log(y / mean) - y + mean. A mean of 0 is not allowed.
    Poisson,
    /// The cost y log2(1 / mean), for targets of 0 and 1 that indicate the class of a row: the mean is the share of the class, and
    /// the costs of the classes of a target sum to its entropy.
    BinaryEntropy,
}

impl MeanLoss for LogLoss {
    const FROM_ZERO: bool = true;

    #[inline(always)]
    fn gain(self, left: i64, right: i64, l: f64, r: f64, mean: f64) -> f64 {
        match self {
            Self::Poisson if left <= 0 || right <= 0 => f64::NEG_INFINITY,
            Self::Poisson => {
                let (left, right) = (left as f64, right as f64);
                left * (left / l).ln() + right * (right / r).ln()
            }
            Self::BinaryEntropy => {
                let side = |sum: i64, weight: f64| if sum > 0 { sum as f64 * (sum as f64 / (weight * mean)).log2() } else { 0.0 };
                side(left, l) + side(right, r)
            }
        }
    }

    fn cost(self, y: f64, mean: f64) -> f64 {
        match self {
            Self::Poisson if y > 0.0 => y * (y / mean).ln() - y + mean,
            Self::Poisson => mean,
            Self::BinaryEntropy if y > 0.0 => -y * mean.log2(),
            Self::BinaryEntropy => 0.0,
        }
    }
}

/// The error for a target that has no Poisson deviance.
pub(in super::super) fn negative_target(y: f64, row: usize) -> Error {
    let message = format!("{y}; Some value(s) of y are negative, which is not allowed for Poisson regression");
    Error::Row { place: "target".into(), row, message }
}

/// The error for targets whose mean is 0.
pub(in super::super) fn no_positive_target() -> Error {
    Error::Target("Sum of y is not positive, which is necessary for Poisson regression".into())
}

/// One or more targets, each judged about its mean.
///
/// For each node the targets are written on a grid of its own, as fine as 64-bit sums allow, so that sums over rows are
/// exact whatever the order; at 100000 rows the grid has 2^44 steps from end to end of the node.
#[derive(Debug)]
pub(in super::super) struct Means<L> {
    /// Targets one after the other, scaled by a power of two to lie near 1.
    y: Vec<f64>,
    rows: usize,
    /// The number that the impurity is averaged over: the targets, or those that the indicators are of.
    shared_by: f64,
    scale: f64,
    weights: QuantizedWeights,
    /// Weight times target on the grid of the node that was prepared last for the row.
    steps: Vec<i64>,
    loss: L,
}

/// Totals of a node.
#[derive(Clone, Debug)]
pub(in super::super) struct MeanTotal {
    weight: i64,
    targets: Vec<GridSum>,
}

#[derive(Clone, Debug)]
struct GridSum {
    /// Sum over the rows, in steps.
    sum: i64,
    /// One step.
    unit: f64,
    /// Where the grid starts.
    origin: f64,
}

impl<L: MeanLoss> Means<L> {
    /// From the targets, one after the other.
    pub fn new(y: Vec<f64>, rows: usize, weights: QuantizedWeights, loss: L) -> Self {
        let top = exponent(y.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
        let down = power(-top);
        let steps = vec![0; y.len()];
        let shared_by = (y.len() / rows) as f64;
        let y = y.into_iter().map(|v| v * down).collect();
        Self { y, rows, shared_by, scale: power(top), weights, steps, loss }
    }

    /// From the indicator columns (0 or 1) of the classes of so many targets. The squared error of the indicators of a
    /// target is its Gini impurity.
    pub fn of_classes(y: Vec<f64>, rows: usize, weights: QuantizedWeights, targets: usize, loss: L) -> Self {
        Self { shared_by: targets as f64, ..Self::new(y, rows, weights, loss) }
    }

    fn targets(&self) -> usize {
        self.y.len() / self.rows
    }

    /// Writes one target of a node on its grid. Returns the grid, the mean and the mean cost.
    fn quantize(&mut self, target: usize, ids: &[u32], weight: i64) -> (GridSum, f64, f64) {
        let first = target * self.rows;
        let (y, steps) = (&self.y[first..first + self.rows], &mut self.steps[first..first + self.rows]);
        let weights = &self.weights;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &id in ids {
            low = low.min(y[id as usize]);
            high = high.max(y[id as usize]);
        }
        let one_value = (low == high).then_some(low);
        let origin = if L::FROM_ZERO { 0.0 } else { 0.5 * (low + high) };
        if high == origin {
            ids.iter().for_each(|&id| steps[id as usize] = 0);
            return (GridSum { sum: 0, unit: 1.0, origin }, origin, 0.0);
        }
        let reach = high - origin;
        let bits = i64::BITS as i32 - (weight.leading_zeros() as i32);
        if weights.whole {
            // Weight times target stays below 2^60 in sum; moving the origin to the mean at most doubles it.
            let shift = (60 - bits - exponent(reach)).min(1000);
            let (up, unit) = (power(shift), power(-shift));
            let mut sum = 0i64;
            for &id in ids {
                let q = nearest((y[id as usize] - origin) * up);
                sum += q * weights.get(id as usize);
                steps[id as usize] = q;
            }
            let middle = if L::FROM_ZERO { 0 } else { sum / weight };
            let mut squares = 0i128;
            for &id in ids {
                let q = steps[id as usize] - middle;
                let w = weights.get(id as usize);
                steps[id as usize] = q * w;
                squares += i128::from(q * w) * i128::from(q);
            }
            let left = sum - middle * weight;
            let over = left as f64 / weight as f64;
            let mean = one_value.unwrap_or(origin + (middle as f64 + over) * unit);
            let spread = (squares as f64 / weight as f64 - over * over).max(0.0) * unit * unit;
            (GridSum { sum: left, unit, origin: origin + middle as f64 * unit }, mean, spread)
        } else {
            // The same with products that are rounded to the grid; the unit of weights cancels.
            let shift = (60 - exponent(reach)).min(1000);
            let per_step = power(-bits);
            let (up, unit) = (power(shift), power(-shift) * power(bits));
            let lay = |origin: f64, steps: &mut [i64]| {
                let mut sum = 0i64;
                for &id in ids {
                    let w = weights.get(id as usize) as f64 * per_step;
                    let q = nearest(w * ((y[id as usize] - origin) * up));
                    sum += q;
                    steps[id as usize] = q;
                }
                sum
            };
            let mut sum = lay(origin, steps);
            let mean = one_value.unwrap_or(origin + sum as f64 / weight as f64 * unit);
            let origin = if L::FROM_ZERO { origin } else { mean };
            if !L::FROM_ZERO {
                sum = lay(origin, steps);
            }
            let fine = 29 - exponent(reach);
            let mut squares = 0i128;
            for &id in ids {
                let d = (y[id as usize] - mean) * power(fine);
                squares += i128::from(nearest(weights.get(id as usize) as f64 * per_step * d * d));
            }
            let spread = squares as f64 / (weight as f64 * per_step) * power(-fine) * power(-fine);
            (GridSum { sum, unit, origin }, mean, spread)
        }
    }
}

impl<L: MeanLoss> SplitCriterion for Means<L> {
    type Total = MeanTotal;
    type Sweep<'a> = MeanSweep<'a, L>;

    fn prepare(&mut self, ids: &[u32]) -> NodeStats<MeanTotal> {
        let weight: i64 = ids.iter().map(|&id| self.weights.get(id as usize)).sum();
        let targets = self.targets();
        let mut total = MeanTotal { weight, targets: Vec::with_capacity(targets) };
        let mut value = Vec::with_capacity(targets);
        let (mut cost, mut pure) = (0.0, true);
        for t in 0..targets {
            let (grid, mean, spread) = self.quantize(t, ids, weight);
            let y = |id: u32| self.y[t * self.rows + id as usize];
            pure &= ids.iter().all(|&id| y(id) == y(ids[0]));
            cost += if L::FROM_ZERO {
                let terms =
                    ids.iter().map(|&id| self.weights.get(id as usize) as f64 / weight as f64 * self.loss.cost(y(id), mean));
                (terms.sum::<f64>() * self.scale).max(0.0)
            } else {
                spread * self.scale * self.scale
            };
            value.push(mean * self.scale);
            total.targets.push(grid);
        }
        let impurity = if pure { 0.0 } else { (cost / self.shared_by).min(f64::MAX) };
        let weight = weight as f64 * self.weights.unit;
        NodeStats { rows: ids.len(), weight, value, impurity, pure, total }
    }

    fn sweep<'a>(&'a self, stats: &'a NodeStats<MeanTotal>) -> MeanSweep<'a, L> {
        let total = &stats.total;
        let means = total.targets.iter().map(|g| g.sum as f64 / total.weight as f64).collect();
        MeanSweep { from: self, total, means, weight: 0, first: 0, others: vec![0; total.targets.len() - 1] }
    }

    fn select(&self, ids: &[u32]) -> Self {
        let of = |t: usize, id: u32| t * self.rows + id as usize;
        let targets = 0..self.targets();
        Self {
            y: targets.clone().flat_map(|t| ids.iter().map(move |&id| self.y[of(t, id)])).collect(),
            rows: ids.len(),
            shared_by: self.shared_by,
            scale: self.scale,
            weights: self.weights.select(ids),
            steps: targets.flat_map(|t| ids.iter().map(move |&id| self.steps[of(t, id)])).collect(),
            loss: self.loss,
        }
    }

    fn orders(&self) -> usize {
        self.targets()
    }
}

/// The search about means.
pub(in super::super) struct MeanSweep<'a, L> {
    from: &'a Means<L>,
    total: &'a MeanTotal,
    means: Vec<f64>,
    weight: i64,
    /// The sum of the first target on the left, and of the others: one target is the case that must be fast.
    first: i64,
    others: Vec<i64>,
}

impl<L: MeanLoss> MeanSweep<'_, L> {
    fn sum(&self, target: usize) -> i64 {
        if target == 0 { self.first } else { self.others[target - 1] }
    }

    #[inline(always)]
    fn gain_of(&self, target: usize, left: i64) -> f64 {
        let (l, r) = (self.weight as f64, (self.total.weight - self.weight) as f64);
        self.from.loss.gain(left, self.total.targets[target].sum - left, l, r, self.means[target])
    }
}

impl<L: MeanLoss> SplitSweep for MeanSweep<'_, L> {
    fn clear(&mut self) {
        self.weight = 0;
        self.first = 0;
        self.others.fill(0);
    }

    #[inline(always)]
    fn push<S: SortedEntry>(&mut self, entry: S) {
        let id = entry.id();
        self.weight += self.from.weights.get(id);
        self.first += self.from.steps[id];
        for (k, sum) in self.others.iter_mut().enumerate() {
            *sum += self.from.steps[(k + 1) * self.from.rows + id];
        }
    }

    #[inline(always)]
    fn gain(&self) -> f64 {
        let mut gain = self.gain_of(0, self.first);
        if !self.others.is_empty() {
            // Targets have grids of their own; the sum needs one scale.
            let scale = |t: usize| if L::FROM_ZERO { self.total.targets[t].unit } else { self.total.targets[t].unit.powi(2) };
            gain *= scale(0);
            for (k, &sum) in self.others.iter().enumerate() {
                gain += self.gain_of(k + 1, sum) * scale(k + 1);
            }
        }
        gain
    }

    fn weights(&self) -> (f64, f64) {
        let unit = self.from.weights.unit;
        (self.weight as f64 * unit, (self.total.weight - self.weight) as f64 * unit)
    }

    fn values(&self) -> (f64, f64) {
        let grid = &self.total.targets[0];
        let value = |sum: i64, weight: i64| (grid.origin + sum as f64 / weight as f64 * grid.unit) * self.from.scale;
        (value(self.first, self.weight), value(grid.sum - self.sum(0), self.total.weight - self.weight))
    }

    fn key<S: SortedEntry>(&self, entries: &[S], order: usize) -> f64 {
        let (mut sum, mut weight) = (0, 0);
        for e in entries {
            sum += self.from.steps[order * self.from.rows + e.id()];
            weight += self.from.weights.get(e.id());
        }
        sum as f64 / weight as f64
    }
}
