//! Simple rules have the scores they are known for, and every world can be drawn.

use ermine_agent::bandit::AnyPolicy;
use ermine_agent::env::{
    Acrobot, Blackjack, BlackjackRules, CartPole, CartPoleVec, Environment, FrozenLake, GridWorld, MountainCar, Taxi,
    cliff_walking,
};

/// Mean and standard deviation of the returns of a rule, over the seeds from 0.
fn score<E: Environment>(env: &mut E, seeds: u64, rule: impl Fn(&E::Observation) -> usize) -> (f64, f64) {
    let returns: Vec<f64> = (0..seeds)
        .map(|seed| {
            let (mut seen, mut total) = (env.reset(Some(seed)), 0.0);
            loop {
                let step = env.step(rule(&seen)).unwrap();
                total += step.reward;
                if step.done() {
                    return total;
                }
                seen = step.observation;
            }
        })
        .collect();
    let n = seeds as f64;
    let mean = returns.iter().sum::<f64>() / n;
    (mean, (returns.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[test]
fn rules_score_what_they_score_in_gymnasium() {
    let balance = |s: &[f32; 4]| usize::from(s[2] + 0.3 * s[3] + 0.02 * s[0] + 0.05 * s[1] > 0.0);
    assert_eq!(score(&mut CartPole::default(), 1000, balance), (500.0, 0.0));
    let near = |(mean, sd): (f64, f64), expected: f64| {
        assert!((mean - expected).abs() < 4.0 * sd / 1000f64.sqrt() + 0.05, "{mean} for {expected}");
    };
    near(score(&mut CartPole::default(), 1000, |s| usize::from(s[3] > 0.0)), 198.2);
    near(score(&mut MountainCar::default(), 1000, |s| if s[1] < 0.0 { 0 } else { 2 }), -119.64);
    near(score(&mut Acrobot::default(), 1000, |s| if s[4] > 0.0 { 0 } else { 2 }), -85.0);
}

fn drawn<E: Environment>(env: &mut E) {
    env.reset(Some(3));
    let mut pictures = std::collections::BTreeSet::new();
    for step in 0..300 {
        pictures.insert(env.render());
        if env.step(step * 7 / 3 % env.actions()).unwrap().done() {
            env.reset(None);
        }
    }
    assert!(pictures.len() > 3 && pictures.iter().all(|p| p.ends_with('\n')));
    assert!(env.step(env.actions()).err().unwrap().to_string().contains("there is no action"));
}

#[test]
fn every_world_can_be_drawn_and_refuses_actions_it_has_not() {
    drawn(&mut FrozenLake::default().build().unwrap());
    drawn(&mut cliff_walking(true).unwrap());
    drawn(&mut GridWorld::default().build().unwrap());
    drawn(&mut Taxi::new(Some(0.8), Some(0.3)).unwrap());
    drawn(&mut Blackjack::new(BlackjackRules::Book));
    drawn(&mut CartPole::default());
    drawn(&mut MountainCar::default());
    drawn(&mut Acrobot::default());
    // Frozen from Gymnasium 1.4.0: how many states allow each action, and a sum that depends on which.
    let allowed = |action: usize| (0..500).filter(move |&s| Taxi::action_mask(s)[action]);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|a| allowed(a).count()), [400, 400, 280, 280, 16, 16]);
    assert_eq!((0..6).map(|a| allowed(a).sum::<usize>() * (a + 1)).sum::<usize>(), 821_260);
    assert!(CartPoleVec::new(0, true).is_err());
    let mut carts = CartPoleVec::new(2, true).unwrap();
    assert!(carts.step(&[0]).is_err() && carts.step(&[0, 2]).unwrap_err().to_string().contains("cartpole 1"));
}

#[test]
fn states_that_would_break_a_policy_are_not_loaded() {
    let counts = r#"{"pulls":[1,18446744073709551615],"sums":[0.0,0.0],"chosen":[1,1],"rounds":2}"#;
    let range = r#"{"low":0.0,"high":1.0}"#;
    for text in [
        format!(r#"{{"policy":"ucb","width":{{"logarithm":{{"c":2.0}}}},"range":{range},"counts":{counts}}}"#),
        format!(r#"{{"policy":"exp3","eta":0.1,"mix":0.0,"losses":true,"range":{range},"weights":[1e308,1e308]}}"#),
        r#"{"policy":"lin-ucb","alpha":1.0,"models":{"arms":1,"dimension":0,"shared":true,"models":[{"inverse":[],"theta":[],"factor":[]}]}}"#.into(),
        r#"{"policy":"stationary","probabilities":[]}"#.into(),
    ] {
        let message = AnyPolicy::load(&text).unwrap_err().to_string();
        assert!(!message.contains("not a policy"), "refused for its content, not for its form: {message}");
    }
}
