//! Vectorized environments: many of one kind stepped together.

use ermine_core::{Error, Result};

use super::{Environment, TimeStep};

/// Environments stepped together. One whose episode ended restarts on the next step, whose action is ignored and whose
/// reward is 0 (Gymnasium's "next step" reset).
#[derive(Debug, Clone)]
pub struct VecEnv<E: Environment> {
    environments: Vec<E>,
    steps: Vec<TimeStep<E::Observation>>,
}

impl<E: Environment> VecEnv<E> {
    /// These environments, started with the seeds from 0 up.
    pub fn new(mut environments: Vec<E>) -> Result<Self> {
        if environments.is_empty() {
            return Err(Error::Data("a vector of environments needs at least one".into()));
        }
        let steps = start(&mut environments, Some(0));
        Ok(Self { environments, steps })
    }

    /// Their number.
    pub fn width(&self) -> usize {
        self.environments.len()
    }

    /// The environments.
    pub fn environments(&self) -> &[E] {
        &self.environments
    }

    /// Resets all of them; with a seed the first gets the seed itself, the next one more, and so on.
    pub fn reset(&mut self, seed: Option<u64>) -> &[TimeStep<E::Observation>] {
        self.steps = start(&mut self.environments, seed);
        &self.steps
    }

    /// One step of each.
    pub fn step(&mut self, actions: &[usize]) -> Result<&[TimeStep<E::Observation>]> {
        if actions.len() != self.width() {
            return Err(Error::Length {
                what: "actions of the environments".into(),
                expected: self.width(),
                found: actions.len(),
            });
        }
        // All or none: an invalid action leaves every environment unchanged.
        if let Some(at) = (0..actions.len()).find(|&i| actions[i] >= self.environments[i].actions()) {
            return Err(super::no_such_action(&format!("environment {at}"), actions[at], self.environments[at].actions()));
        }
        for ((env, last), &action) in self.environments.iter_mut().zip(&mut self.steps).zip(actions) {
            *last = match last.done() {
                true => fresh(env.reset(None)),
                false => env.step(action)?,
            };
        }
        Ok(&self.steps)
    }
}

fn fresh<O>(observation: O) -> TimeStep<O> {
    TimeStep { observation, reward: 0.0, terminated: false, truncated: false }
}

fn start<E: Environment>(environments: &mut [E], seed: Option<u64>) -> Vec<TimeStep<E::Observation>> {
    let seeds = (0..).map(|i| seed.map(|s: u64| s.wrapping_add(i)));
    environments.iter_mut().zip(seeds).map(|(env, seed)| fresh(env.reset(seed))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::MountainCar;

    #[test]
    fn each_steps_as_it_would_alone() {
        let mut many = VecEnv::new(vec![MountainCar::new(Some(5)); 3]).unwrap();
        let mut alone: Vec<MountainCar> = vec![MountainCar::new(Some(5)); 3];
        many.reset(Some(7));
        for (env, seed) in alone.iter_mut().zip(7..) {
            env.reset(Some(seed));
        }
        for round in 0..20 {
            let actions = [round % 3, (round + 1) % 3, 2];
            let steps = many.step(&actions).unwrap().to_vec();
            for ((env, step), action) in alone.iter_mut().zip(steps).zip(actions) {
                // Five steps, then a restart.
                match round % 6 {
                    5 => assert_eq!((env.reset(None), 0.0, false), (step.observation, step.reward, step.truncated)),
                    n => {
                        assert_eq!(env.step(action).unwrap(), step);
                        assert_eq!(step.truncated, n == 4);
                    }
                }
            }
        }
        assert!(many.step(&[0, 0]).is_err() && many.step(&[0, 3, 0]).unwrap_err().to_string().contains("environment 1"));
        assert!(VecEnv::<MountainCar>::new(Vec::new()).is_err());
    }
}
