//! The likelihood-ratio test of Neyman and Pearson between two known laws of a number.

use super::risk::integrate;
use crate::probability::Distribution;

/// The test that decides for `alternative` where its density is more than `ratio` times that of `null`.
pub struct LikelihoodRatioTest<'a> {
    null: &'a dyn Distribution,
    alternative: &'a dyn Distribution,
    /// Where the densities are integrated.
    range: (f64, f64),
}

impl<'a> LikelihoodRatioTest<'a> {
    /// Between two continuous laws; the range must hold all of their probability that matters.
    pub fn new(null: &'a dyn Distribution, alternative: &'a dyn Distribution, range: (f64, f64)) -> Self {
        Self { null, alternative, range }
    }

    /// Whether it decides for the alternative.
    pub fn rejects(&self, x: f64, ratio: f64) -> bool {
        self.alternative.density(x) > ratio * self.null.density(x)
    }

    /// The probability that it decides for the alternative: under the null (its size) and under the alternative (its power). The places where
    /// it changes its decision are found on a grid of 800 cells and by bisection, so the probabilities are those of the distribution functions.
    pub fn size_and_power(&self, ratio: f64) -> (f64, f64) {
        self.probabilities(&|x| self.rejects(x, ratio))
    }

    /// Both probabilities of any other test, given as the set where it decides for the alternative.
    pub fn probabilities(&self, rejects: &dyn Fn(f64) -> bool) -> (f64, f64) {
        const CELLS: usize = 800;
        let (low, high) = self.range;
        let at = |i: usize| low + (high - low) * i as f64 / CELLS as f64;
        let (mut size, mut power) = (0.0, 0.0);
        let mut before = rejects(low);
        let mut start = before.then_some(low);
        let mut close = |from: f64, to: f64| {
            size += self.null.cdf(to) - self.null.cdf(from);
            power += self.alternative.cdf(to) - self.alternative.cdf(from);
        };
        for i in 0..CELLS {
            let (mut inside, mut outside) = (at(i), at(i + 1));
            if rejects(outside) == before {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (inside + outside);
                if rejects(middle) == before { inside = middle } else { outside = middle }
            }
            before = !before;
            match start.take() {
                Some(from) => close(from, inside),
                None => start = Some(outside),
            }
        }
        if let Some(from) = start {
            close(from, high);
        }
        (size, power)
    }

    /// The ratio at which the size is `level`, and the power there.
    pub fn at_level(&self, level: f64) -> (f64, f64) {
        let (mut low, mut high) = (-60.0f64, 60.0f64);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.size_and_power(middle.exp()).0 > level { low = middle } else { high = middle }
        }
        (high.exp(), self.size_and_power(high.exp()).1)
    }

    /// The divergence of the alternative from the null: what a sample tells per value, in nats.
    pub fn information(&self) -> f64 {
        let f = |x: f64| {
            let (p, q) = (self.alternative.density(x), self.null.density(x));
            if p > 0.0 { p * (p / q).ln() } else { 0.0 }
        };
        integrate(&f, self.range.0, self.range.1, 1e-9).value
    }
}
