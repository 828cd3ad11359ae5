//! A policy in use: it chooses, learns, is saved to a file and resumes from it.

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::catalog::{PolicySetting, named, policy_entry};
use super::{AnyPolicy, ArmChoice, Cucb, Policy, RewardRange, SimulatedPolicy, some_arms};
use crate::array_state;

/// A policy with the names of its arms and a seed. Every choice has a random stream of its own, by its number, so that
/// a loaded policy makes the same choices as the saved one would have.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyService {
    /// The name of the policy.
    pub name: String,
    /// Its parameters, all of them.
    pub params: Map<String, Value>,
    /// The names of the arms.
    pub arms: Vec<String>,
    /// The seed of its random choices.
    pub seed: u64,
    /// Choices made so far.
    pub choices: u64,
    /// Dimension of a context.
    pub dimension: usize,
    policy: SimulatedPolicy,
}

/// The serialized form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServiceRepr {
    arms: Vec<String>,
    choices: u64,
    dimension: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<AnyPolicy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sets: Option<Cucb>,
}

impl PolicyService {
    /// A policy without data.
    pub fn new(
        name: &str,
        params: &Map<String, Value>,
        arms: Vec<String>,
        rounds: Option<u64>,
        dimension: usize,
        range: Option<RewardRange>,
        seed: u64,
    ) -> Result<Self> {
        some_arms(arms.len())?;
        if let Some((at, arm)) = arms.iter().enumerate().find(|(at, arm)| arms[..*at].contains(arm)) {
            return Err(Error::Data(format!("arm {at} is called \"{arm}\", and so is another")));
        }
        let policy = named(name, params, &PolicySetting { arms: arms.len(), rounds, dimension, range })?;
        let params = policy_entry(name)?.complete(params)?;
        Ok(Self { name: name.to_owned(), params, arms, seed, choices: 0, dimension, policy })
    }

    /// The policy itself.
    pub fn policy(&self) -> &SimulatedPolicy {
        &self.policy
    }

    /// An error for a context of the wrong length, or with numbers that are not finite.
    fn check_context(&self, context: &[f64]) -> Result<()> {
        if context.len() != self.dimension {
            let (what, expected, found) = ("numbers of the context".into(), self.dimension, context.len());
            return Err(Error::Length { what, expected, found });
        }
        match context.iter().position(|v| !v.is_finite()) {
            Some(at) => {
                Err(Error::Data(format!("{}: number {at} of the context is {}, which is not finite", self.name, context[at])))
            }
            None => Ok(()),
        }
    }

    fn draws(&mut self) -> RngStream {
        self.choices += 1;
        RngStream::new(self.seed, "served policy", self.choices)
    }

    /// An arm for the next round.
    pub fn choose(&mut self, context: &[f64]) -> Result<ArmChoice> {
        self.check_context(context)?;
        let mut rng = self.draws();
        match &mut self.policy {
            SimulatedPolicy::Single(policy) => Ok(policy.choose(context, &mut rng)),
            SimulatedPolicy::Sets(_) => Err(Error::Data(format!("{} chooses sets of arms: ask for a set", self.name))),
        }
    }

    /// A set of arms for the next round.
    pub fn choose_set(&mut self) -> Result<Vec<usize>> {
        let SimulatedPolicy::Sets(policy) = &mut self.policy else {
            return Err(Error::Data(format!("{} chooses one arm per round", self.name)));
        };
        let set = policy.choose();
        self.choices += 1;
        Ok(set)
    }

    /// Updates with the reward of a choice and its context. An error changes nothing.
    pub fn learn(&mut self, context: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        self.check_context(context)?;
        match &mut self.policy {
            SimulatedPolicy::Single(policy) => policy.learn(context, choice, reward),
            SimulatedPolicy::Sets(policy) => policy.learn(&[choice.arm], &[reward]),
        }
    }

    /// Updates with the rewards of a set, arm by arm.
    pub fn learn_set(&mut self, set: &[usize], rewards: &[f64]) -> Result<()> {
        match &mut self.policy {
            SimulatedPolicy::Sets(policy) => policy.learn(set, rewards),
            SimulatedPolicy::Single(_) => Err(Error::Data(format!("{} learns from one arm per round", self.name))),
        }
    }

    /// Replaces the policy by one trained elsewhere, for example on a log.
    pub fn with_policy(mut self, policy: AnyPolicy, choices: u64) -> Result<Self> {
        super::same_arms("arms of the policy", self.arms.len(), policy.arms())?;
        (self.policy, self.choices) = (policy.into(), choices);
        Ok(self)
    }

    /// The bytes of the policy's file. The same policy gives the same bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (policy, sets) = match &self.policy {
            SimulatedPolicy::Single(policy) => (Some(policy.clone()), None),
            SimulatedPolicy::Sets(sets) => (None, Some(sets.clone())),
        };
        let kept = ServiceRepr { arms: self.arms.clone(), choices: self.choices, dimension: self.dimension, policy, sets };
        array_state::to_bytes(&format!("bandit/{}", self.name), Value::Object(self.params.clone()), self.seed, &kept)
    }

    /// Reads the bytes of a policy's file and checks its consistency, so that the policy can be used without further
    /// checks.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let (header, kept): (_, ServiceRepr) = array_state::from_bytes(bytes, "bandit")?;
        let name = header.learner.split_once('/').map_or("", |p| p.1).to_owned();
        let entry = policy_entry(&name).map_err(|e| Error::Model(e.to_string()))?;
        let Value::Object(params) = header.params else {
            return Err(Error::Model("its parameters are no object".into()));
        };
        let params = entry.complete(&params).map_err(|e| Error::Model(e.to_string()))?;
        let (policy, arms): (SimulatedPolicy, usize) = match (kept.policy, kept.sets) {
            (Some(policy), None) => {
                policy.check()?;
                let arms = policy.arms();
                (policy.into(), arms)
            }
            (None, Some(sets)) => {
                sets.check()?;
                let arms = sets.arms();
                (sets.into(), arms)
            }
            _ => return Err(Error::Model("it holds no policy, or two".into())),
        };
        super::same_arms("names of the arms", arms, kept.arms.len())?;
        if let SimulatedPolicy::Single(policy) = &policy
            && policy.dimension().is_some_and(|d| d != kept.dimension)
        {
            return Err(Error::Model(format!("its contexts have {} numbers and its policy others", kept.dimension)));
        }
        let (arms, choices, dimension) = (kept.arms, kept.choices, kept.dimension);
        Ok(Self { name, params, arms, seed: header.seed, choices, dimension, policy })
    }
}

#[cfg(test)]
mod tests {
    use super::super::POLICIES;
    use super::*;

    fn letters(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("arm {i}")).collect()
    }

    fn fresh(name: &str, dimension: usize) -> PolicyService {
        let range = Some(RewardRange::default());
        PolicyService::new(name, &Map::new(), letters(9), Some(500), dimension, range, 3).unwrap()
    }

    /// Saved and loaded in the middle, every policy continues as if uninterrupted.
    #[test]
    fn every_policy_resumes_from_its_file() {
        for entry in POLICIES {
            let dimension = if entry.spec.name.starts_with("lin") { 2 } else { 0 };
            let mut whole = fresh(entry.spec.name, dimension);
            let mut resumed = whole.clone();
            let mut world = RngStream::new(5, "world", 0);
            for round in 0..120 {
                let context: Vec<f64> = (0..dimension).map(|_| world.normal()).collect();
                let pay = |arm: usize, u: f64| f64::from(u < 0.1 * (arm + 1) as f64);
                let u = world.uniform();
                if matches!(whole.policy(), SimulatedPolicy::Sets(_)) {
                    let (a, b) = (whole.choose_set().unwrap(), resumed.choose_set().unwrap());
                    assert_eq!(a, b);
                    let rewards: Vec<f64> = a.iter().map(|&arm| pay(arm, u)).collect();
                    whole.learn_set(&a, &rewards).unwrap();
                    resumed.learn_set(&b, &rewards).unwrap();
                } else {
                    let (a, b) = (whole.choose(&context).unwrap(), resumed.choose(&context).unwrap());
                    assert_eq!(a, b, "{}, round {round}", entry.spec.name);
                    whole.learn(&context, a, pay(a.arm, u)).unwrap();
                    resumed.learn(&context, b, pay(b.arm, u)).unwrap();
                }
                if round % 17 == 0 {
                    resumed = PolicyService::from_bytes(resumed.to_bytes().unwrap()).unwrap();
                }
            }
            assert_eq!(whole, resumed);
            assert_eq!(whole.to_bytes().unwrap(), resumed.to_bytes().unwrap());
        }
    }

    #[test]
    fn files_that_do_not_fit_together_are_refused() {
        let served = fresh("linucb", 2);
        let edit = |change: &dyn Fn(&mut Value)| {
            let SimulatedPolicy::Single(policy) = served.policy() else { panic!("one arm per round") };
            let mut kept = serde_json::to_value(ServiceRepr {
                arms: served.arms.clone(),
                choices: 4,
                dimension: 2,
                policy: Some(policy.clone()),
                sets: None,
            })
            .unwrap();
            change(&mut kept);
            let bytes = array_state::to_bytes("bandit/linucb", Value::Object(served.params.clone()), 0, &kept).unwrap();
            PolicyService::from_bytes(bytes)
        };
        assert!(edit(&|_| ()).is_ok());
        assert!(edit(&|k| k["dimension"] = 3.into()).is_err());
        assert!(edit(&|k| k["arms"] = Value::from(vec!["a", "b"])).is_err());
        assert!(edit(&|k| k["policy"]["models"]["models"][0]["theta"] = Value::from(vec![0.0])).is_err());
        assert!(edit(&|k| k["policy"] = Value::Null).is_err());
        assert!(edit(&|k| k["surprise"] = Value::from(1)).is_err());
        let bytes = served.to_bytes().unwrap();
        for cut in 0..bytes.len() {
            assert!(PolicyService::from_bytes(bytes[..cut].to_vec()).is_err());
        }
        assert!(PolicyService::new("ucb1", &Map::new(), vec!["a".into(), "a".into()], None, 0, None, 0).is_err());
        let mut served = served;
        assert!(served.choose(&[1.0]).is_err() && served.choose(&[1.0, f64::NAN]).is_err() && served.choose_set().is_err());
    }
}
