//! Policies by name.

use ermine_core::{Error, Family, ParamSpec, Range, Result, Spec};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    AnyPolicy, ConfidenceWidth, Cucb, DiscountedUcb, EpsilonGreedy, Exp3, ExploreThenCommit, KlUcb, LinUcb, LinearThompson,
    RewardRange, SimulatedPolicy, SlidingWindowUcb, Stationary, ThompsonBeta, ThompsonGaussian, Ucb,
};
use crate::catalog::{CatalogEntry, blank, find, param};
use crate::tabular::DecaySchedule;

/// The problem that a policy is made for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolicySetting {
    /// The number of arms.
    pub arms: usize,
    /// Number of rounds, where known.
    pub rounds: Option<u64>,
    /// Dimension of the context.
    pub dimension: usize,
    /// The range of the rewards, where they have one.
    pub range: Option<RewardRange>,
}

const POLICY: Spec = blank(Family::Policy);

const BETWEEN: Range = Range::Real { min: 0.0, max: 1.0, above: true, log: false };
const WHOLE: Range = Range::int_from(1);
const POSITIVE: Range = Range::above(0.0);

const LINEAR: [ParamSpec; 2] = [
    param("lambda", "Penalty of the ridge regressions.", POSITIVE),
    param(
        "shared",
        "One set of coefficients for all arms: a context then holds the features of every arm, one after the other.",
        Range::Bool,
    ),
];

/// The policies that can be chosen by name.
pub const POLICIES: &[CatalogEntry] = &[
    CatalogEntry {
        spec: Spec {
            name: "stationary",
            summary: "The same probabilities in every round: uniform unless given.",
            objective: "P(arm) = p",
            reference: "",
            params: &[param(
                "probabilities",
                "Probabilities of the arms; null means uniform.",
                Range::Optional(&Range::List(&Range::SHARE)),
            )],
            ..POLICY
        },
        defaults: || json!({"probabilities": null}),
    },
    CatalogEntry {
        spec: Spec {
            name: "explore-then-commit",
            summary: "Every arm a fixed number of times, then always the best. Regret grows linearly.",
            objective: "each arm m times, then argmax mean",
            reference: "Robbins 1952",
            params: &[param("each", "Pulls of each arm; null means (T / K)^(2/3).", Range::Optional(&WHOLE))],
            ..POLICY
        },
        defaults: || json!({"each": null}),
    },
    CatalogEntry {
        spec: Spec {
            name: "epsilon-greedy",
            summary: "The best arm so far, or with a fixed probability a random one. Regret grows linearly.",
            objective: "argmax mean with probability 1 - ε, else any arm",
            reference: "Watkins 1989",
            params: &[param("epsilon", "The probability to explore.", Range::SHARE)],
            ..POLICY
        },
        defaults: || json!({"epsilon": 0.1}),
    },
    CatalogEntry {
        spec: Spec {
            name: "epsilon-decreasing",
            summary: "The best arm so far, or a random one with a probability that falls as 1/t.",
            objective: "ε-greedy with ε = min(1, scale / t)",
            reference: "Auer, Cesa-Bianchi, Fischer 2002",
            params: &[param("scale", "The scale of the probability; null means 5 K.", Range::Optional(&POSITIVE))],
            ..POLICY
        },
        defaults: || json!({"scale": null}),
    },
    CatalogEntry {
        spec: Spec {
            name: "ucb",
            summary: "Upper confidence bounds that hold all the time with probability 1 - δ/2.",
            objective: "argmax mean + sqrt(β / n), β = ln(4 (T - K) / δ) / 2",
            reference: "Auer, Cesa-Bianchi, Fischer 2002",
            params: &[param("delta", "δ; null means 1/T.", Range::Optional(&BETWEEN))],
            ..POLICY
        },
        defaults: || json!({"delta": null}),
    },
    CatalogEntry {
        spec: Spec {
            name: "ucb1",
            summary: "Upper confidence bounds that need no number of rounds.",
            objective: "argmax mean + sqrt(c ln t / n)",
            reference: "Auer, Cesa-Bianchi, Fischer 2002",
            params: &[param("c", "The factor of the width; 2 in the proof, 0.5 is bolder.", POSITIVE)],
            ..POLICY
        },
        defaults: || json!({"c": 2.0}),
    },
    CatalogEntry {
        spec: Spec {
            name: "kl-ucb",
            summary: "Upper confidence bounds from the Kullback-Leibler divergence, the tightest for 0/1 rewards.",
            objective: "argmax q with n kl(mean, q) = ln t + c ln ln t",
            reference: "Garivier, Cappé 2011",
            params: &[param("c", "The weight of ln ln t; 0 in practice, 3 in the proof.", Range::at_least(0.0))],
            ..POLICY
        },
        defaults: || json!({"c": 0.0}),
    },
    CatalogEntry {
        spec: Spec {
            name: "moss",
            summary: "Upper confidence bounds that are optimal in the worst case.",
            objective: "argmax mean + sqrt(max(0, ln(T / (K n))) / n)",
            reference: "Audibert, Bubeck 2009",
            params: &[],
            ..POLICY
        },
        defaults: || json!({}),
    },
    CatalogEntry {
        spec: Spec {
            name: "thompson",
            summary: "Each arm with the posterior probability that it is the best, under Beta priors on success rates.",
            objective: "argmax of draws from Beta(a + successes, b + failures)",
            reference: "Thompson 1933; Agrawal, Goyal 2012",
            params: &[param("successes", "Prior successes a.", POSITIVE), param("failures", "Prior failures b.", POSITIVE)],
            ..POLICY
        },
        defaults: || json!({"successes": 1.0, "failures": 1.0}),
    },
    CatalogEntry {
        spec: Spec {
            name: "thompson-gaussian",
            summary: "Each arm with the posterior probability that it is the best, under normal priors on means.",
            objective: "argmax of draws from the posterior N(mean, 1 / precision)",
            reference: "Thompson 1933; Agrawal, Goyal 2013",
            params: &[
                param("prior_mean", "Prior mean of an arm.", Range::FINITE),
                param("prior_sd", "Prior standard deviation of an arm's mean.", POSITIVE),
                param("noise_sd", "Standard deviation of a reward around its mean.", POSITIVE),
            ],
            ..POLICY
        },
        defaults: || json!({"prior_mean": 0.0, "prior_sd": 1.0, "noise_sd": 1.0}),
    },
    CatalogEntry {
        spec: Spec {
            name: "exp3",
            summary: "Exponential weights against an adversary, learning from rewards.",
            objective: "w *= exp(η reward / p), mixed with γ / K; γ = min(1, sqrt(K ln K / ((e - 1) T))), η = γ / K",
            reference: "Auer, Cesa-Bianchi, Freund, Schapire 2002",
            params: &[
                param("eta", "Rate of the weights; null means tuned for the rounds.", Range::Optional(&POSITIVE)),
                param("mix", "Share of uniform choices; null means tuned for the rounds.", Range::Optional(&Range::SHARE)),
            ],
            ..POLICY
        },
        defaults: || json!({"eta": null, "mix": null}),
    },
    CatalogEntry {
        spec: Spec {
            name: "exp3-losses",
            summary: "Exponential weights against an adversary, learning from losses 1 - reward: less variance.",
            objective: "w *= exp(-η loss / p), η = sqrt(2 ln K / (K T))",
            reference: "Bubeck, Cesa-Bianchi 2012",
            params: &[
                param("eta", "Rate of the weights; null means tuned for the rounds.", Range::Optional(&POSITIVE)),
                param("mix", "Share of uniform choices.", Range::SHARE),
            ],
            ..POLICY
        },
        defaults: || json!({"eta": null, "mix": 0.0}),
    },
    CatalogEntry {
        spec: Spec {
            name: "linucb",
            summary: "Upper confidence bounds of ridge regressions on the context.",
            objective: "argmax θ'x + α sqrt(x' A^-1 x), A = λ I + Σ x x'",
            reference: "Li, Chu, Langford, Schapire 2010",
            params: &[param("alpha", "The weight of the uncertainty.", Range::at_least(0.0)), LINEAR[0], LINEAR[1]],
            ..POLICY
        },
        defaults: || json!({"alpha": 1.0, "lambda": 1.0, "shared": false}),
    },
    CatalogEntry {
        spec: Spec {
            name: "linear-thompson",
            summary: "The arm that is best for coefficients drawn from their posterior.",
            objective: "argmax θ~'x, θ~ from N(θ, scale² A^-1)",
            reference: "Agrawal, Goyal 2013",
            params: &[
                param("scale", "Standard deviation of the draws, in units of A^-1/2.", Range::at_least(0.0)),
                LINEAR[0],
                LINEAR[1],
            ],
            ..POLICY
        },
        defaults: || json!({"scale": 1.0, "lambda": 1.0, "shared": false}),
    },
    CatalogEntry {
        spec: Spec {
            name: "sliding-window-ucb",
            summary: "Upper confidence bounds over the last rewards, for arms that change.",
            objective: "argmax mean + sqrt(c ln min(t, window) / n), over the window",
            reference: "Garivier, Moulines 2011",
            params: &[
                param("window", "Rewards that count; null means 2 sqrt(T ln T).", Range::Optional(&WHOLE)),
                param("c", "The factor of the width.", POSITIVE),
            ],
            ..POLICY
        },
        defaults: || json!({"window": null, "c": 0.6}),
    },
    CatalogEntry {
        spec: Spec {
            name: "discounted-ucb",
            summary: "Upper confidence bounds over rewards that fade, for arms that change.",
            objective: "argmax mean + sqrt(c ln N / n), with rewards faded by discount",
            reference: "Garivier, Moulines 2011",
            params: &[
                param(
                    "discount",
                    "The factor of a step back in time; null means 1 - 1 / (4 sqrt(T)).",
                    Range::Optional(&BETWEEN),
                ),
                param("c", "The factor of the width.", POSITIVE),
            ],
            ..POLICY
        },
        defaults: || json!({"discount": null, "c": 0.6}),
    },
    CatalogEntry {
        spec: Spec {
            name: "cucb",
            summary: "A set of arms per round: those with the largest upper confidence bounds.",
            objective: "the m arms with the largest mean + sqrt(3 ln t / (2 n))",
            reference: "Chen, Wang, Yuan 2013",
            params: &[param("m", "Arms in a set.", WHOLE)],
            ..POLICY
        },
        defaults: || json!({"m": 2}),
    },
];

/// The entry of a policy; an unknown name is answered with the nearest.
pub fn policy_entry(name: &str) -> Result<&'static CatalogEntry> {
    find("policy", name, POLICIES)
}

/// The parameters of all policies; those that a policy does not have are unset.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PolicyParams {
    probabilities: Option<Vec<f64>>,
    each: Option<u64>,
    epsilon: f64,
    delta: Option<f64>,
    c: f64,
    successes: f64,
    failures: f64,
    prior_mean: f64,
    prior_sd: f64,
    noise_sd: f64,
    eta: Option<f64>,
    mix: Option<f64>,
    alpha: f64,
    scale: Option<f64>,
    lambda: f64,
    shared: bool,
    window: Option<u64>,
    discount: Option<f64>,
    m: usize,
}

impl PolicySetting {
    /// The number of rounds, which policy `name` needs where `param` is not given.
    fn rounds_for(&self, name: &str, param: &str) -> Result<u64> {
        self.rounds.ok_or_else(|| {
            let instead = if param.is_empty() { String::new() } else { format!(" or {param}") };
            Error::Data(format!("{name} needs to know the number of rounds: give rounds{instead}"))
        })
    }

    /// The range of the rewards, which policy `name` needs.
    fn range_for(&self, name: &str) -> Result<RewardRange> {
        self.range.ok_or_else(|| {
            Error::Data(format!(
                "{name} needs rewards within a range, and these have none; give the range, or use thompson-gaussian or epsilon-greedy"
            ))
        })
    }

    /// Features of each arm, or of all with `shared`, which policy `name` needs.
    fn features_for(&self, name: &str, shared: bool) -> Result<usize> {
        let k = self.arms;
        match (self.dimension, shared) {
            (0, _) => Err(Error::Data(format!("{name} needs a context, and there is none; use a policy without, such as ucb1"))),
            (d, true) if !d.is_multiple_of(k.max(1)) => Err(Error::Data(format!(
                "{name} with shared=true needs the features of every arm: {d} numbers cannot be cut into {k} arms"
            ))),
            (d, true) => Ok(d / k.max(1)),
            (d, false) => Ok(d),
        }
    }
}

/// The policy called `name` with the given parameters, for a problem.
pub fn named(name: &str, params: &Map<String, Value>, setting: &PolicySetting) -> Result<SimulatedPolicy> {
    let entry = policy_entry(name)?;
    let p: PolicyParams = entry.read(params)?;
    let k = setting.arms;
    let horizon = |param: &str| setting.rounds_for(name, param);
    let range = || setting.range_for(name);
    let context = || setting.features_for(name, p.shared);
    let policy: AnyPolicy = match name {
        "stationary" => {
            let uniform = || vec![1.0 / k as f64; k];
            let probabilities = p.probabilities.unwrap_or_else(uniform);
            super::same_arms("probabilities of the arms", k, probabilities.len())?;
            Stationary::new(probabilities)?.into()
        }
        "explore-then-commit" => {
            let each = match p.each {
                Some(each) => each,
                None => (horizon("each")? as f64 / k.max(1) as f64).powf(2.0 / 3.0).ceil() as u64,
            };
            ExploreThenCommit::new(k, each.max(1))?.into()
        }
        "epsilon-greedy" => EpsilonGreedy::new(k, DecaySchedule::Constant(p.epsilon))?.into(),
        "epsilon-decreasing" => {
            EpsilonGreedy::new(k, DecaySchedule::Inverse { scale: p.scale.unwrap_or(5.0 * k as f64) })?.into()
        }
        "ucb" => {
            let rounds = horizon("")?;
            let width = ConfidenceWidth::Confidence { rounds, delta: p.delta.unwrap_or((1.0 / rounds as f64).min(0.5)) };
            Ucb::with_range(k, width, range()?)?.into()
        }
        "ucb1" => Ucb::with_range(k, ConfidenceWidth::Logarithm { c: p.c }, range()?)?.into(),
        "kl-ucb" => KlUcb::with_range(k, p.c, range()?)?.into(),
        "moss" => Ucb::with_range(k, ConfidenceWidth::Moss { rounds: horizon("")? }, range()?)?.into(),
        "thompson" => ThompsonBeta::with_prior(k, p.successes, p.failures, range()?)?.into(),
        "thompson-gaussian" => ThompsonGaussian::new(k, p.prior_mean, p.prior_sd, p.noise_sd)?.into(),
        "exp3" => {
            let mut policy = match (p.eta, p.mix) {
                (Some(eta), Some(mix)) => Exp3::new(k, eta, mix, false, range()?)?,
                _ => Exp3::on_rewards(k, horizon("both eta and mix")?, range()?)?,
            };
            (policy.eta, policy.mix) = (p.eta.unwrap_or(policy.eta), p.mix.unwrap_or(policy.mix));
            policy.into()
        }
        "exp3-losses" => {
            let mut policy = match p.eta {
                Some(eta) => Exp3::new(k, eta, 0.0, true, range()?)?,
                None => Exp3::on_losses(k, horizon("eta")?, range()?)?,
            };
            policy.mix = p.mix.unwrap_or(0.0);
            policy.into()
        }
        "linucb" => LinUcb::new(k, context()?, p.shared, p.alpha, p.lambda)?.into(),
        "linear-thompson" => LinearThompson::new(k, context()?, p.shared, p.scale.unwrap_or(1.0), p.lambda)?.into(),
        "sliding-window-ucb" => {
            let window = match p.window {
                Some(window) => window as usize,
                None => {
                    let t = horizon("window")? as f64;
                    ((2.0 * (t * t.max(2.0).ln()).sqrt()).ceil() as usize).max(k)
                }
            };
            SlidingWindowUcb::new(k, window, p.c, range()?)?.into()
        }
        "discounted-ucb" => {
            let discount = match p.discount {
                Some(discount) => discount,
                None => 1.0 - 0.25 / (horizon("discount")?.max(1) as f64).sqrt(),
            };
            DiscountedUcb::new(k, discount, p.c, range()?)?.into()
        }
        "cucb" => {
            let m = p.m;
            return Cucb::new(k, m, range()?)
                .map(SimulatedPolicy::from)
                .map_err(|_| Error::parameter(entry.spec.name, "m", m, format!("there are {k} arms")));
        }
        _ => return Err(Error::Data(format!("{name} is in the list of policies and cannot be made"))),
    };
    Ok(policy.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::Policy;

    #[test]
    fn every_policy_of_the_list_can_be_made_and_refuses_what_it_cannot_use() {
        let setting = PolicySetting { arms: 3, rounds: Some(1000), dimension: 6, range: Some(RewardRange::default()) };
        for entry in POLICIES {
            let made = named(entry.spec.name, &Map::new(), &setting).unwrap();
            match made {
                SimulatedPolicy::Single(policy) => assert_eq!(policy.arms(), 3, "{}", entry.spec.name),
                SimulatedPolicy::Sets(policy) => assert_eq!((policy.arms(), policy.size), (3, 2)),
            }
            let odd = json!({"colour": 1}).as_object().cloned().unwrap();
            assert!(named(entry.spec.name, &odd, &setting).unwrap_err().to_string().contains("colour"), "{}", entry.spec.name);
            assert!(named(entry.spec.name, &Map::new(), &PolicySetting { arms: 0, ..setting }).is_err(), "{}", entry.spec.name);
        }
        let fails = |name: &str, params: Value, setting: PolicySetting| {
            named(name, params.as_object().unwrap(), &setting).unwrap_err().to_string()
        };
        let blind = PolicySetting { rounds: None, dimension: 0, range: None, ..setting };
        assert!(fails("ucb", json!({}), blind).contains("number of rounds"));
        assert!(fails("ucb1", json!({}), blind).contains("within a range"));
        assert!(fails("linucb", json!({}), blind).contains("context"));
        assert!(fails("linucb", json!({"shared": true}), PolicySetting { dimension: 7, ..setting }).contains("3 arms"));
        assert!(fails("ucb2", json!({}), setting).contains("ucb1"));
        assert!(fails("ucb1", json!({"c": -1}), setting).contains("above 0"));
        assert!(fails("cucb", json!({"m": 4}), setting).contains("there are 3 arms"));
        assert!(fails("stationary", json!({"probabilities": [0.5, 0.5]}), setting).contains("expected 3"));
    }
}
