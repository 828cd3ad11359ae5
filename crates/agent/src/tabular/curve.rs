//! Learning curves over seeds, with bands.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Result, Section};
use serde::{Deserialize, Serialize};

use super::{TabularAgent, TabularTraining, TrainingBudget};
use crate::env::FiniteStates;

/// Returns over episodes or steps: mean and band over seeds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LearningCurve {
    /// The unit of the axis: "episode" or "step".
    pub along: String,
    /// The episodes or steps.
    pub at: Vec<f64>,
    /// Mean return.
    pub mean: Vec<f64>,
    /// Standard error of the mean.
    pub error: Vec<f64>,
    /// The 10 % quantile of the seeds.
    pub low: Vec<f64>,
    /// The 90 % quantile of the seeds.
    pub high: Vec<f64>,
}

impl LearningCurve {
    /// The curve of several seeds, each with a value at every point.
    pub fn of(along: &str, at: Vec<f64>, seeds: &[Vec<f64>]) -> Self {
        let mut curve = Self { along: along.into(), at, ..Self::default() };
        let n = seeds.len().max(1) as f64;
        for place in 0..curve.at.len() {
            let mut values: Vec<f64> = seeds.iter().map(|s| s[place]).filter(|v| v.is_finite()).collect();
            if values.is_empty() {
                values.push(f64::NAN);
            }
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let spread = values.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0).max(1.0);
            ermine_core::order::sort_numbers(&mut values);
            let quantile = |q: f64| values[(q * (values.len() - 1) as f64).round() as usize];
            curve.mean.push(mean);
            curve.error.push((spread / n).sqrt());
            curve.low.push(quantile(0.1));
            curve.high.push(quantile(0.9));
        }
        curve
    }

    /// The curve over at most `most` intervals of steps: the mean return of the episodes that ended within each, or of
    /// the last before it. A run is the returns of its episodes and their lengths.
    pub fn by_steps(runs: &[(&[f64], &[u64])], most: usize) -> Self {
        let steps = runs.iter().map(|(_, lengths)| lengths.iter().sum::<u64>()).max().unwrap_or(0);
        let spans = most.clamp(1, steps.max(1) as usize);
        let edge = |i: usize| steps as f64 * (i + 1) as f64 / spans as f64;
        let of = |(returns, lengths): &(&[f64], &[u64])| -> Vec<f64> {
            let (mut at, mut ended, mut last) = (0, 0u64, f64::NAN);
            let mut values = Vec::with_capacity(spans);
            for span in 0..spans {
                let (mut sum, mut count) = (0.0, 0.0);
                while at < returns.len() && (ended + lengths[at]) as f64 <= edge(span) {
                    ended += lengths[at];
                    sum += returns[at];
                    count += 1.0;
                    at += 1;
                }
                if count > 0.0 {
                    last = sum / count;
                }
                values.push(last);
            }
            values
        };
        Self::of("step", (0..spans).map(edge).collect(), &runs.iter().map(of).collect::<Vec<_>>())
    }

    /// Mean return over a span of episodes.
    pub fn mean_over(&self, episodes: std::ops::Range<usize>) -> f64 {
        let part = &self.mean[episodes.start.min(self.mean.len())..episodes.end.min(self.mean.len())];
        part.iter().sum::<f64>() / part.len().max(1) as f64
    }

    /// A plot of the curve with its band.
    pub fn plot(&self, title: &str) -> Section {
        let curve = |name: &str, values: &[f64]| ermine_core::Curve {
            name: name.into(),
            points: self.at.iter().copied().zip(values.iter().copied()).collect(),
        };
        let curves = vec![curve("mean", &self.mean), curve("10 %", &self.low), curve("90 %", &self.high)];
        Section::Plot { title: title.into(), x: self.along.clone(), y: "return".into(), curves }
    }
}

/// Trains once per seed, in parallel; returns the curve over the seeds and the result of each. Results do not depend on the number of threads.
pub fn learning_curve<E: FiniteStates + Clone + Send + Sync>(
    agent: &TabularAgent,
    env: &E,
    episodes: u64,
    seeds: std::ops::Range<u64>,
) -> Result<(LearningCurve, Vec<TabularTraining>)> {
    let train = |seed| agent.train_from(&mut env.clone(), None, TrainingBudget::Episodes(episodes), &Context::seeded(seed));
    let runs: Vec<TabularTraining> = seeds.into_par_iter().map(train).collect::<Result<_>>()?;
    let returns: Vec<Vec<f64>> = runs.iter().map(|run| run.returns.clone()).collect();
    let at = (1..=episodes).map(|e| e as f64).collect();
    Ok((LearningCurve::of("episode", at, &returns), runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_are_gathered_by_steps() {
        let (a, b) = (([1.0, 3.0, 5.0], [10, 10, 20]), ([2.0, 2.0], [5, 35]));
        let curve = LearningCurve::by_steps(&[(&a.0, &a.1), (&b.0, &b.1)], 4);
        assert_eq!(curve.at, [10.0, 20.0, 30.0, 40.0]);
        assert_eq!(curve.mean, [1.5, 2.5, 2.5, 3.5]);
        assert_eq!((curve.low[3], curve.high[3]), (2.0, 5.0));
        assert_eq!(LearningCurve::by_steps(&[(&[], &[])], 4).at.len(), 1);
    }
}
