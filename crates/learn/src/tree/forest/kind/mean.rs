//! Numbers: means judged by squared error or Poisson deviance.

use super::{Entry, Kind, Steps, Summary};

/// How a mean is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum MeanLoss {
    /// (y - mean)^2.
    Squared,
    /// y log(y / mean) - y + mean.
    Poisson,
}

/// One number, judged about its mean. The target is on a grid as fine as the sum over all rows allows.
pub(in super::super) struct Mean<'a, W> {
    /// The target of each row, where rounding may tell equal ones apart on the grid.
    pub y: Option<&'a [f64]>,
    pub loss: MeanLoss,
    /// Where the grid starts, and its step over the step of the weights.
    pub origin: f64,
    pub unit: f64,
    /// What the target was divided by to lie near 1.
    pub scale: f64,
    /// The weight of a step.
    pub weight_unit: f64,
    pub steps: std::marker::PhantomData<W>,
}

/// Weight, and weight times target above the origin, in steps.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct MeanLoad<W> {
    pub weight: W,
    pub sum: i64,
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) struct MeanSum<W: Steps> {
    pair: W::Pair,
    sum: i64,
}

impl<W: Steps> Default for MeanSum<W> {
    fn default() -> Self {
        Self { pair: W::Pair::default(), sum: 0 }
    }
}

impl<W: Steps> MeanSum<W> {
    #[inline(always)]
    fn weight(&self) -> f64 {
        W::weight(self.pair).real()
    }
}

impl<W: Steps> Mean<'_, W> {
    fn mean(&self, sum: &MeanSum<W>) -> f64 {
        self.origin + sum.sum as f64 / sum.weight() * self.unit
    }

    /// Squares of the largest numbers overflow; they stay comparable.
    fn finite(&self, v: f64) -> f64 {
        v.min(f64::MAX / 1e9)
    }

    /// Weight times impurity, up to a constant of the rows.
    fn potential(&self, sum: &MeanSum<W>) -> f64 {
        let w = sum.weight();
        if w <= 0.0 {
            return 0.0;
        }
        let s = sum.sum as f64 * self.unit;
        self.weight_unit
            * match self.loss {
                MeanLoss::Squared => -(s * (s / w)),
                MeanLoss::Poisson if s > 0.0 => -s * (s / w).ln(),
                MeanLoss::Poisson => 0.0,
            }
    }
}

impl<W: Steps> Kind for Mean<'_, W> {
    type Load = MeanLoad<W>;
    type Sum = MeanSum<W>;

    #[inline(always)]
    fn add(sum: &mut MeanSum<W>, load: MeanLoad<W>) {
        W::count(&mut sum.pair, load.weight);
        sum.sum += load.sum;
    }

    #[inline(always)]
    fn merge(sum: &mut MeanSum<W>, other: &MeanSum<W>) {
        W::merge(&mut sum.pair, other.pair);
        sum.sum += other.sum;
    }

    #[inline(always)]
    fn without(all: &MeanSum<W>, part: &MeanSum<W>) -> MeanSum<W> {
        MeanSum { pair: W::without(all.pair, part.pair), sum: all.sum - part.sum }
    }

    #[inline(always)]
    fn rows(sum: &MeanSum<W>) -> usize {
        W::rows(sum.pair)
    }

    #[inline(always)]
    fn weight(&self, sum: &MeanSum<W>) -> f64 {
        sum.weight() * self.weight_unit
    }

    #[inline(always)]
    fn gain(&self, left: &MeanSum<W>, all: &MeanSum<W>) -> f64 {
        let (l, n) = (left.weight(), all.weight());
        match self.loss {
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
        if self.loss == MeanLoss::Squared {
            // Without the cancellation of two potentials.
            let n = all.weight();
            return self.finite(self.gain(left, all) / n * self.unit * self.unit * self.weight_unit * self.scale * self.scale);
        }
        let fall = self.potential(all) - self.potential(left) - self.potential(&Self::without(all, left));
        self.finite(fall.max(0.0) * self.scale)
    }

    fn orders(&self) -> usize {
        1
    }

    fn key(&self, sum: &MeanSum<W>, _: usize) -> f64 {
        sum.sum as f64 / sum.weight()
    }

    fn summary(&self, sum: &MeanSum<W>, entries: &[Entry<MeanLoad<W>>]) -> Summary {
        let w = sum.weight();
        let mean = self.mean(sum);
        let first = entries[0].load;
        let level = first.sum as f64 / first.weight.real();
        let (mut pure, mut cost) = (true, 0.0);
        match self.loss {
            MeanLoss::Squared => {
                let middle = sum.sum as f64 / w;
                for e in entries {
                    let y = e.load.sum as f64 / e.load.weight.real();
                    pure &= y == level;
                    cost += e.load.weight.real() * ((y - middle) * (y - middle));
                }
                cost *= self.unit * self.unit;
            }
            MeanLoss::Poisson => {
                for e in entries {
                    let steps = e.load.sum as f64 / e.load.weight.real();
                    let y = steps * self.unit;
                    pure &= steps == level;
                    cost += e.load.weight.real() * if y > 0.0 { y * (y / mean).ln() - y + mean } else { mean };
                }
            }
        }
        if let Some(y) = self.y {
            pure = entries.iter().all(|e| y[e.row as usize] == y[entries[0].row as usize]);
        }
        let scale = if self.loss == MeanLoss::Squared { self.scale * self.scale } else { self.scale };
        let impurity = if pure { 0.0 } else { self.finite((cost / w).max(0.0) * scale) };
        Summary { value: vec![mean * self.scale], impurity, pure }
    }
}
