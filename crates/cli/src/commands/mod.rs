//! The commands, one file each.

mod automl;
mod bandit;
mod compare;
mod describe;
mod entries;
mod evaluate;
mod explain;
mod fit;
mod models;
mod predict;
mod replay;
mod report;
mod rl;
mod solve;
mod tune;

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;
use serde_json::{Map, Value, json};

use crate::args::agents::{BanditCommand, RlCommand};
use crate::args::{Args, Command, GlobalArgs};

pub fn run(command: &Command) -> Result<()> {
    match command {
        Command::Describe(a) => describe::run(a),
        Command::Models(a) => models::run(a),
        Command::Fit(a) => fit::run(a),
        Command::Predict(a) => predict::predict(a),
        Command::Transform(a) => predict::transform(a),
        Command::Evaluate(a) => evaluate::run(a),
        Command::Compare(a) => compare::run(a),
        Command::Tune(a) => tune::run(a),
        Command::Explain(a) => explain::run(a),
        Command::Report(a) => report::run(a),
        Command::Bandit(a) => match &a.command {
            BanditCommand::Run(a) => bandit::run(a),
            BanditCommand::Replay(a) => replay::run(a),
            BanditCommand::Top(a) => bandit::top(a),
            BanditCommand::Policies(a) => bandit::policies(a),
        },
        Command::Rl(a) => match &a.command {
            RlCommand::Train(a) => rl::train(a),
            RlCommand::Play(a) => rl::play(a),
            RlCommand::Solve(a) => solve::run(a),
            RlCommand::Agents(a) => rl::agents(a),
            RlCommand::Environments(a) => rl::environments(a),
        },
        Command::Completions { shell } => {
            // Into memory first: the generator panics on a closed pipe.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "ermine", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        Command::Man { folder } => {
            std::fs::create_dir_all(folder)?;
            Ok(clap_mangen::generate_to(Args::command(), folder)?)
        }
    }
}

/// Prints text on the standard output; a closed pipe is an error that `main` handles.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints the notes of reading and fitting.
fn print_notes(everywhere: &GlobalArgs, notes: &[String]) {
    if !everywhere.quiet && !everywhere.json {
        notes.iter().for_each(|n| eprintln!("note: {n}"));
    }
}

/// The JSON object every command prints: what was run, and its results.
fn print_json(command: &str, everywhere: &GlobalArgs, seconds: f64, more: Value) -> Result<()> {
    let mut object = Map::new();
    object.insert("command".into(), json!(command));
    object.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
    object.insert("seed".into(), json!(everywhere.seed));
    object.insert("seconds".into(), json!(seconds));
    if let Value::Object(more) = more {
        object.extend(more);
    }
    print(&format!("{}\n", Value::Object(object)))
}

/// Metrics as a JSON object.
fn metrics_json(metrics: &[(&'static str, f64)]) -> Value {
    Value::Object(metrics.iter().map(|(n, v)| ((*n).to_owned(), json!(v))).collect())
}
