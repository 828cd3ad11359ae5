//! Training, once or over seeds.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Error, Result};

use super::catalog::{AgentKind, AnyAgent};
use super::play::{MAX_STEPS, play, selection_seed};
use super::trained::{LearnedState, TrainedAgent, TrainedOn};
use crate::deep::{DeepTraining, ObservationScaling, PeriodicEval};
use crate::env::{AnyEnvironment, AnyObservation, EnvKind, FiniteStates, NumericStates};
use crate::tabular::{TabularTraining, TrainingBudget};

/// Trains an agent, from the start or from an earlier training of the same kind.
pub fn train(
    agent: &AnyAgent,
    env: &AnyEnvironment,
    start: Option<&TrainedAgent>,
    budget: TrainingBudget,
    cx: &Context<'_>,
) -> Result<TrainedAgent> {
    if let Some(start) = start {
        start.fits(env)?;
    }
    let learned = match &env.world {
        _ if !matches!(agent.learner, AgentKind::Table(_)) => {
            let scaling = match env.limits() {
                Some((low, high)) => ObservationScaling::of_limits(&low, &high),
                None => ObservationScaling::none(env.numbers()),
            };
            let mut copy = env.clone();
            let mut judge = |act: &mut dyn FnMut(&[f32]) -> Result<usize>| -> Result<f64> {
                let mut row = vec![0.0; copy.numbers()];
                let mut total = 0.0;
                for k in 0..agent.watch.episodes {
                    let reader = copy.clone();
                    let act = |seen: &AnyObservation| {
                        reader.write(seen, &mut row);
                        act(&row)
                    };
                    total += play(&mut copy, act, Some(selection_seed(cx.seed, k)), MAX_STEPS, false)?.total;
                }
                Ok(total / agent.watch.episodes as f64)
            };
            let judge = agent.watch.every.map(|every| PeriodicEval { every, enough: agent.watch.stop_at, play: &mut judge });
            let mut environments = vec![env.clone(); agent.watch.environments];
            LearnedState::Network(train_network(agent, &mut environments, start, scaling, budget, judge, cx)?)
        }
        EnvKind::Table(env) => LearnedState::Table(train_table(agent, &mut env.clone(), start, budget, cx)?),
        EnvKind::Taxi(env) => LearnedState::Table(train_table(agent, &mut env.clone(), start, budget, cx)?),
        EnvKind::Blackjack(env) => LearnedState::Table(train_table(agent, &mut env.clone(), start, budget, cx)?),
        EnvKind::CartPole(_) | EnvKind::MountainCar(_) | EnvKind::Acrobot(_) => {
            return Err(Error::Data(format!(
                "{} has a table of states, and {} has numeric observations; use an agent with a network, such as dqn",
                agent.name, env.name
            )));
        }
    };
    let place = TrainedOn::BuiltIn { name: env.name.clone(), params: env.params.clone() };
    TrainedAgent::new(agent, place, env.space(), env.action_names(), cx.seed, learned)
}

/// Trains a table in any environment with numbered states.
pub fn train_table<E: FiniteStates>(
    agent: &AnyAgent,
    env: &mut E,
    start: Option<&TrainedAgent>,
    budget: TrainingBudget,
    cx: &Context<'_>,
) -> Result<TabularTraining> {
    match &agent.learner {
        AgentKind::Table(table) => table.train_from(env, start.and_then(|s| s.table().cloned()), budget, cx),
        _ => Err(Error::Data(format!("{} has a network and no table", agent.name))),
    }
}

/// Trains a network in any environments of one kind with numeric observations; all but actor–critic use the first
/// alone.
pub fn train_network<E: NumericStates>(
    agent: &AnyAgent,
    environments: &mut [E],
    start: Option<&TrainedAgent>,
    scaling: ObservationScaling,
    budget: TrainingBudget,
    judge: Option<PeriodicEval<'_>>,
    cx: &Context<'_>,
) -> Result<DeepTraining> {
    let start = start.and_then(TrainedAgent::network);
    let Some(first) = environments.first_mut() else {
        return Err(Error::Data("an agent needs at least one environment".into()));
    };
    match &agent.learner {
        AgentKind::Dqn(dqn) => dqn.train(first, start, scaling, budget, judge, cx),
        AgentKind::Reinforce(reinforce) => reinforce.train(first, start, scaling, budget, judge, cx),
        AgentKind::ActorCritic(actor) => actor.train(environments, start, scaling, budget, judge, cx),
        AgentKind::Table(_) => {
            Err(Error::Data(format!("{} has a table of states, and the environment has numeric observations", agent.name)))
        }
    }
}

/// Trains once per seed, in parallel. Results do not depend on the number of threads.
pub fn train_seeds(
    agent: &AnyAgent,
    env: &AnyEnvironment,
    budget: TrainingBudget,
    seeds: std::ops::Range<u64>,
    cx: &Context<'_>,
) -> Result<Vec<TrainedAgent>> {
    seeds.into_par_iter().map(|seed| train(agent, env, None, budget, &Context { seed, ..*cx })).collect()
}
