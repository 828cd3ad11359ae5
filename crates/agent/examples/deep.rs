//! Agents with networks against their bars: `cargo run --release -p ermine-agent --example deep [ENVIRONMENT] [AGENT] [SEEDS]`.
//!
//! For every seed: the step at which 20 episodes without exploration first came to the level that counts as solved, the best such mean,
//! the seconds that training took, and what the kept network earns in 100 further episodes.

use std::time::Instant;

use ermine_agent::env::{known, make};
use ermine_agent::rl::{evaluate, named, train, tuned};
use ermine_agent::tabular::Budget;
use ermine_core::{Context, Result};
use serde_json::Map;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let environments: Vec<&str> = match args.first() {
        Some(name) => vec![name],
        None => vec!["cartpole", "mountain-car", "acrobot"],
    };
    let seeds: u64 = args.get(2).and_then(|n| n.parse().ok()).unwrap_or(10);
    for environment in environments {
        let agents: Vec<&str> = match args.get(1) {
            Some(name) => vec![name],
            None if environment == "cartpole" => vec!["dqn", "double-dqn", "reinforce", "actor-critic"],
            None => vec!["dqn", "double-dqn"],
        };
        let env = make(environment, &Map::new())?;
        let solved = known(environment, &env.params).solved.unwrap_or(f64::INFINITY);
        for name in agents {
            let (params, steps) = tuned(name, environment);
            let agent = named(name, &params)?;
            println!("{name} on {environment}, {steps} steps at most, solved at {solved}");
            let mut good = 0;
            for seed in 0..seeds {
                let start = Instant::now();
                let cx = Context::seeded(seed);
                let trained = train(&agent, &env, None, Budget::Steps(steps), &cx)?;
                let seconds = start.elapsed().as_secs_f64();
                let judged = trained.network().map_or(&[][..], |t| &t.judged);
                let first = judged.iter().find(|j| j.1 >= solved).map(|j| j.0);
                let best = judged.iter().map(|j| j.1).fold(f64::NEG_INFINITY, f64::max);
                let after = evaluate(&env, |seen| trained.act(seen), 100, &Context::seeded(seed + 1000))?;
                good += u32::from(first.is_some());
                let first = first.map_or("never".to_owned(), |s| s.to_string());
                let rate = trained.steps() as f64 / seconds;
                println!(
                    "  seed {seed}: solved at {first:>7}, best {best:>7.1}, 100 episodes {:>7.1} ± {:>5.1}, {seconds:>6.2} s, {rate:>8.0} steps/s",
                    after.mean, after.sd
                );
            }
            println!("  {good} of {seeds}");
        }
    }
    Ok(())
}
