//! Running episodes with a fixed policy.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Error, Progress, Result};
use serde::{Deserialize, Serialize};

use crate::env::Environment;

/// An episode.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Episode {
    /// Sum of the rewards.
    #[serde(rename = "return")]
    pub total: f64,
    /// Steps.
    pub steps: u64,
    /// The task itself ended.
    pub terminated: bool,
    /// It was truncated by the step limit of the environment or of the caller.
    pub truncated: bool,
    /// The frames, where requested: the start and every step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
}

/// Runs one episode of at most `limit` steps.
pub fn play<E: Environment>(
    env: &mut E,
    mut act: impl FnMut(&E::Observation) -> Result<usize>,
    seed: Option<u64>,
    limit: u64,
    frames: bool,
) -> Result<Episode> {
    let mut seen = env.reset(seed);
    let mut episode = Episode::default();
    if frames {
        episode.frames.push(env.render());
    }
    while episode.steps < limit {
        let step = env.step(act(&seen)?)?;
        if !step.reward.is_finite() {
            return Err(Error::Data(format!(
                "step {}: the environment gave the reward {}, which is not a finite number",
                episode.steps, step.reward
            )));
        }
        episode.total += step.reward;
        episode.steps += 1;
        if frames {
            episode.frames.push(env.render());
        }
        (episode.terminated, episode.truncated) = (step.terminated, step.truncated);
        if step.done() {
            return Ok(episode);
        }
        seen = step.observation;
    }
    // An endless episode is truncated.
    episode.truncated = true;
    Ok(episode)
}

/// Returns of a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReturnStats {
    /// Number of episodes.
    pub episodes: u64,
    /// Mean return.
    pub mean: f64,
    /// Standard deviation of the returns.
    pub sd: f64,
    /// The least return.
    pub min: f64,
    /// The largest return.
    pub max: f64,
    /// Mean steps.
    pub steps: f64,
    /// Episodes that did not end within the limit.
    pub endless: u64,
}

/// Steps after which an episode without a step limit counts as endless.
pub(super) const MAX_STEPS: u64 = 100_000;

/// Runs `episodes` episodes, each from a seed of its own, in parallel. Results do not depend on the number of threads.
pub fn evaluate<E: Environment + Clone + Send + Sync>(
    env: &E,
    act: impl Fn(&E::Observation) -> Result<usize> + Sync,
    episodes: u64,
    cx: &Context<'_>,
) -> Result<ReturnStats> {
    if episodes == 0 {
        return Err(Error::Data("no episodes are no evaluation; play at least one".into()));
    }
    let one = |i: u64| {
        cx.check(Progress { stage: "episodes", done: i, total: Some(episodes), objective: None })?;
        play(&mut env.clone(), &act, Some(evaluation_seed(cx.seed, i)), MAX_STEPS, false)
    };
    let played: Vec<Episode> = (0..episodes).into_par_iter().map(one).collect::<Result<_>>()?;
    Ok(ReturnStats::of(&played))
}

/// The seed of an evaluation episode in training: neither one of training nor one of [`evaluate`].
pub(super) fn selection_seed(seed: u64, episode: u64) -> u64 {
    evaluation_seed(seed, episode) ^ (1 << 61)
}

/// The seed of an episode: far from those of training.
pub(super) fn evaluation_seed(seed: u64, episode: u64) -> u64 {
    seed.wrapping_mul(1_000_003).wrapping_add(1 << 40).wrapping_add(episode) & (u64::MAX >> 1)
}

impl ReturnStats {
    /// The summary of episodes.
    pub fn of(played: &[Episode]) -> Self {
        let n = played.len() as f64;
        let mean = played.iter().map(|e| e.total).sum::<f64>() / n;
        let square = played.iter().map(|e| (e.total - mean).powi(2)).sum::<f64>();
        Self {
            episodes: played.len() as u64,
            mean,
            sd: (square / (n - 1.0).max(1.0)).sqrt(),
            min: played.iter().map(|e| e.total).fold(f64::INFINITY, f64::min),
            max: played.iter().map(|e| e.total).fold(f64::NEG_INFINITY, f64::max),
            steps: played.iter().map(|e| e.steps as f64).sum::<f64>() / n,
            endless: played.iter().filter(|e| e.steps >= MAX_STEPS).count() as u64,
        }
    }
}
