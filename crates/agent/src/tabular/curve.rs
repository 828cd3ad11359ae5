//! Learning curves over seeds, with bands.

use ermine_core::{Result, Section};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Budget, TabularAgent, Training};
use crate::env::FiniteStates;

/// Returns by episode: mean and band over seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearningCurve {
    /// Mean return of each episode.
    pub mean: Vec<f64>,
    /// Standard error of the mean.
    pub error: Vec<f64>,
    /// The tenth part of the seeds below.
    pub low: Vec<f64>,
    /// The tenth part of the seeds above.
    pub high: Vec<f64>,
}

impl LearningCurve {
    /// Mean return over a span of episodes.
    pub fn mean_over(&self, episodes: std::ops::Range<usize>) -> f64 {
        let part = &self.mean[episodes.start.min(self.mean.len())..episodes.end.min(self.mean.len())];
        part.iter().sum::<f64>() / part.len().max(1) as f64
    }

    /// The curve with its band, to be drawn.
    pub fn plot(&self, title: &str) -> Section {
        let curve = |name: &str, values: &[f64]| ermine_core::Curve {
            name: name.into(),
            points: (1..).zip(values).map(|(i, v)| (f64::from(i), *v)).collect(),
        };
        let curves = vec![curve("mean", &self.mean), curve("10 %", &self.low), curve("90 %", &self.high)];
        Section::Plot { title: title.into(), x: "episode".into(), y: "return".into(), curves }
    }
}

/// Trains once a seed, in parallel; the curve over the seeds and what each learned. The number of threads changes nothing.
pub fn learning_curve<E: FiniteStates + Clone + Send + Sync>(
    agent: &TabularAgent,
    env: &E,
    episodes: u64,
    seeds: std::ops::Range<u64>,
) -> Result<(LearningCurve, Vec<Training>)> {
    let train = |seed| agent.train(&mut env.clone(), Budget::Episodes(episodes), seed);
    let runs: Vec<Training> = seeds.into_par_iter().map(train).collect::<Result<_>>()?;
    let n = runs.len().max(1) as f64;
    let mut curve = LearningCurve { mean: Vec::new(), error: Vec::new(), low: Vec::new(), high: Vec::new() };
    for episode in 0..episodes as usize {
        let mut returns: Vec<f64> = runs.iter().map(|run| run.returns[episode]).collect();
        if returns.is_empty() {
            break;
        }
        let mean = returns.iter().sum::<f64>() / n;
        let spread = returns.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        returns.sort_by(f64::total_cmp);
        let quantile = |q: f64| returns[(q * (returns.len() - 1) as f64).round() as usize];
        curve.mean.push(mean);
        curve.error.push((spread / n).sqrt());
        curve.low.push(quantile(0.1));
        curve.high.push(quantile(0.9));
    }
    Ok((curve, runs))
}
