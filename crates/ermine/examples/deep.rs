//! Agents with networks against their bars.
//!
//! `cargo run --release -p ermine --example deep [ENVIRONMENT [AGENT [SEEDS [key=value …]]]]` prints, for every seed, the steps and
//! seconds of training, the step at which the judge first saw the level that counts as solved, and what the kept network earns in 20
//! fresh episodes without exploration. `… --example deep docs [ENVIRONMENT …]` runs all of them, or those of
//! the environments that are named, and writes the page docs/deep-agents.md with its curves.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use ermine::agent::env::{env_info, make};
use ermine::agent::rl::{TrainedAgent, evaluate, named, train, tuned};
use ermine::agent::tabular::{LearningCurve, TrainingBudget};
use ermine::chart::Chart;
use ermine::core::typed::parse_pairs;
use ermine::core::{Context, Error, Result};
use serde_json::{Map, Value};

const EPISODES: u64 = 20;

struct Row {
    trained: TrainedAgent,
    seconds: f64,
    solved_at: Option<u64>,
    mean: f64,
    least: f64,
}

/// Trains seed by seed, on one core.
fn run(agent: &str, environment: &str, seeds: u64, more: &Map<String, Value>) -> Result<Vec<Row>> {
    let env = make(environment, &Map::new())?;
    let solved = env_info(environment, &env.params).solved.unwrap_or(f64::INFINITY);
    let (mut params, mut steps) = tuned(agent, environment);
    params.extend(more.clone());
    if let Some(given) = params.remove("steps") {
        steps = given.as_u64().unwrap_or(steps);
    }
    let agent = named(agent, &params)?;
    println!("{} on {environment}, {steps} steps at most, solved at {solved}", agent.name);
    let one = |seed: u64| -> Result<Row> {
        let start = Instant::now();
        let trained = train(&agent, &env, None, TrainingBudget::Steps(steps), &Context::seeded(seed))?;
        let seconds = start.elapsed().as_secs_f64();
        let judged = trained.network().map_or(&[][..], |t| &t.judged);
        let solved_at = judged.iter().find(|j| j.1 >= solved).map(|j| j.0);
        let returns = evaluate(&env, |seen| trained.act(seen), EPISODES, &Context::seeded(seed))?;
        let rate = trained.steps() as f64 / seconds;
        let first = solved_at.map_or("never".to_owned(), |s| s.to_string());
        println!(
            "  seed {seed}: {:>6} steps in {seconds:>6.2} s ({rate:>7.0}/s), judged solved at {first:>6}, fresh episodes {:>7.1}, least {:>6}",
            trained.steps(),
            returns.mean,
            returns.min
        );
        Ok(Row { seconds, solved_at, mean: returns.mean, least: returns.min, trained })
    };
    let rows: Vec<Row> = (0..seeds).map(one).collect::<Result<_>>()?;
    let good = rows.iter().filter(|r| r.mean >= solved).count();
    let (steps, seconds) = rows.iter().fold((0, 0.0), |(s, t), r| (s + r.trained.steps(), t + r.seconds));
    println!("  {good} of {seeds} solved; {:.0} steps a second, looks of the judge included", steps as f64 / seconds);
    Ok(rows)
}

fn given(args: &[String]) -> Result<Map<String, Value>> {
    parse_pairs(args.iter().map(String::as_str), String::new)
}

const ALL: &[(&str, &str, &str)] = &[
    ("cartpole", "dqn", ""),
    ("cartpole", "double-dqn", ""),
    ("cartpole", "reinforce", ""),
    ("cartpole", "reinforce", "baseline=true"),
    ("cartpole", "actor-critic", ""),
    ("mountain-car", "dqn", ""),
    ("acrobot", "dqn", ""),
];

fn docs(environments: &[String]) -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let write = |name: &str, text: &str| ermine_core::file::write_atomic(&folder.join(name), text.as_bytes());
    let mut tables = String::new();
    let mut curves: Vec<(&str, Vec<(String, LearningCurve)>)> = Vec::new();
    for (environment, agent, set) in ALL {
        if !environments.is_empty() && !environments.iter().any(|e| e == environment) {
            continue;
        }
        let more: Vec<String> = set.split_whitespace().map(str::to_owned).collect();
        let rows = run(agent, environment, 10, &given(&more)?)?;
        let name = if set.is_empty() { (*agent).to_owned() } else { format!("{agent}, {set}") };
        let solved = env_info(environment, &make(environment, &Map::new())?.params).solved.unwrap_or(f64::INFINITY);
        let good = rows.iter().filter(|r| r.mean >= solved).count();
        let _ = writeln!(tables, "\n### {name} on {environment}: {good} of 10 at {solved} or more\n");
        let _ =
            writeln!(tables, "| seed | steps | judge saw {solved} at | mean of {EPISODES} fresh episodes | least | seconds |");
        let _ = writeln!(tables, "| --- | --- | --- | --- | --- | --- |");
        for (seed, r) in rows.iter().enumerate() {
            let first = r.solved_at.map_or("never".to_owned(), |s| s.to_string());
            let _ =
                writeln!(tables, "| {seed} | {} | {first} | {:.1} | {} | {:.1} |", r.trained.steps(), r.mean, r.least, r.seconds);
        }
        let runs: Vec<(&[f64], &[u64])> = rows.iter().map(|r| r.trained.episodes()).collect();
        let curve = (name, LearningCurve::by_steps(&runs, 50));
        match curves.iter_mut().find(|c| c.0 == *environment) {
            Some(found) => found.1.push(curve),
            None => curves.push((environment, vec![curve])),
        }
    }
    let mut page = String::from(include_str!("deep.md"));
    for (environment, curves) in &curves {
        let solved = env_info(environment, &make(environment, &Map::new())?.params).solved;
        let title = format!("{environment}: returns while learning, ten seeds");
        let name = format!("deep-{environment}.svg");
        write(&name, &Chart::learning(&title, curves, solved).to_svg())?;
        let _ = writeln!(page, "\n![Returns on {environment} while learning]({name})");
    }
    page += &tables;
    write("deep-agents.md", &page)
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [word, environments @ ..] if word == "docs" => docs(environments),
        [] => ALL.iter().try_for_each(|(environment, agent, set)| {
            let more: Vec<String> = set.split_whitespace().map(str::to_owned).collect();
            run(agent, environment, 10, &given(&more)?).map(drop)
        }),
        [environment] => run("dqn", environment, 10, &Map::new()).map(drop),
        [environment, agent] => run(agent, environment, 10, &Map::new()).map(drop),
        [environment, agent, seeds, more @ ..] => {
            let seeds = seeds.parse().map_err(|_| Error::Data(format!("\"{seeds}\" is not a number of seeds")))?;
            run(agent, environment, seeds, &given(more)?).map(drop)
        }
    }
}
