//! Training, once or over seeds.

use ermine_core::{Context, Error, Result};
use rayon::prelude::*;

use super::named::AnyAgent;
use super::trained::{Learned, Place, TrainedAgent};
use crate::env::{AnyEnvironment, World};
use crate::tabular::Budget;

/// Trains an agent, from the start or on from where an earlier training of the same kind ended.
pub fn train(
    agent: &AnyAgent,
    env: &AnyEnvironment,
    start: Option<&TrainedAgent>,
    budget: Budget,
    cx: &Context<'_>,
) -> Result<TrainedAgent> {
    let before = match start {
        Some(start) => {
            start.fits(env)?;
            let Learned::Table(training) = &start.learned;
            Some(training.clone())
        }
        None => None,
    };
    let learner = &agent.learner;
    let training = match &env.world {
        World::Table(env) => learner.train_from(&mut env.clone(), before, budget, cx)?,
        World::Taxi(env) => learner.train_from(&mut env.clone(), before, budget, cx)?,
        World::Blackjack(env) => learner.train_from(&mut env.clone(), before, budget, cx)?,
        World::CartPole(_) | World::MountainCar(_) | World::Acrobot(_) => {
            return Err(Error::Data(format!("{} keeps a table of states, and {} shows numbers instead", agent.name, env.name)));
        }
    };
    let place = Place::Ours { name: env.name.clone(), params: env.params.clone() };
    Ok(TrainedAgent::new(agent, place, env.space(), env.action_names(), cx.seed, Learned::Table(training)))
}

/// Trains once a seed, in parallel. The number of threads changes nothing.
pub fn train_seeds(
    agent: &AnyAgent,
    env: &AnyEnvironment,
    budget: Budget,
    seeds: std::ops::Range<u64>,
    cx: &Context<'_>,
) -> Result<Vec<TrainedAgent>> {
    seeds.into_par_iter().map(|seed| train(agent, env, None, budget, &Context { seed, ..*cx })).collect()
}
