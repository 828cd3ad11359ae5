//! `ermine rl train`, `play`, `agents` and `environments`.

use std::fmt::Write;
use std::io::{IsTerminal, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use ermine::agent::env::{AnyEnvironment, ENVIRONMENTS, env_info, make};
use ermine::agent::rl::{self, AGENTS, Episode, ReturnStats, TrainedAgent};
use ermine::agent::tabular::{LearningCurve, TrainingBudget};
use ermine::chart::Chart;
use ermine::core::typed::parse_named;
use ermine::core::{Context, Error, Flow, Progress, file};
use ermine::document::{DocBlock, DocSection, DocTable, Document, Figure, TableHead};
use serde_json::{Map, Value, json};

use super::entries::list;
use super::report::write_page;
use super::{print, print_json, print_notes};
use crate::args::agents::{CatalogArgs, RlPlay, RlTrain};
use crate::error::typed;
use crate::load::pairs;
use crate::progress::ProgressLine;
use crate::text::{self, Align};

/// Points of a learning curve.
const SPANS: usize = 100;

pub fn agents(args: &CatalogArgs) -> Result<()> {
    list("rl agents", "agent", "agents", AGENTS, args)
}

pub fn environments(args: &CatalogArgs) -> Result<()> {
    list("rl environments", "environment", "environments", ENVIRONMENTS, args)
}

/// The environment of an argument: a name with parameters, or a file with a map.
pub fn environment(text: &str, more: &Map<String, Value>) -> Result<AnyEnvironment> {
    let (name, mut params) = match is_map(text) {
        true => {
            let map = std::fs::read_to_string(text).map_err(|e| Error::io(text, e))?;
            ("grid-world".to_owned(), json!({ "map": map }).as_object().cloned().unwrap_or_default())
        }
        false => parse_named(text).map_err(typed)?,
    };
    params.extend(more.clone());
    Ok(make(&name, &params)?)
}

/// Whether a text names a file with a map.
pub fn is_map(text: &str) -> bool {
    text.ends_with(".txt") || text.ends_with(".map")
}

fn load(path: &Path) -> Result<TrainedAgent> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    let wrap = |e: Error| Error::Format { path: path.display().to_string(), message: e.to_string() };
    Ok(TrainedAgent::from_bytes(bytes).map_err(wrap)?)
}

pub fn train(args: &RlTrain) -> Result<()> {
    let started = Instant::now();
    let seed = args.everywhere.seed;
    let env = environment(&args.environment, &Map::new())?;
    let start = args.resume.as_deref().map(load).transpose()?;
    let name = match (&start, &args.agent) {
        (Some(start), _) => start.agent.name.clone(),
        (None, Some(name)) => name.clone(),
        (None, None) => "q-learning".to_owned(),
    };
    let (mut params, steps) = rl::tuned(&name, &env.name);
    let set = pairs("--set", &args.set)?;
    let mut notes = Vec::new();
    if !params.is_empty() && start.is_none() {
        let kept: Vec<String> = params.iter().filter(|(k, _)| !set.contains_key(*k)).map(|(k, v)| format!("{k}={v}")).collect();
        notes.push(format!("parameters that suit {}: {}", env.name, kept.join(", ")));
    }
    params.extend(set);
    let agent = match &start {
        Some(start) => start.agent.clone(),
        None => rl::named(&name, &params)?,
    };
    let budget = match (args.steps, args.episodes) {
        (Some(steps), _) => TrainingBudget::Steps(steps),
        (None, Some(episodes)) => TrainingBudget::Episodes(episodes),
        (None, None) => TrainingBudget::Steps(steps),
    };
    let bar = ProgressLine::new(&args.everywhere, "training");
    let observer = |p: &Progress| -> Flow { bar.observe(&name, p) };
    let deadline = args.time_limit.map(|t| started + t);
    let cx = Context { seed, observer: Some(&observer), deadline, ..Context::default() };
    let trained = match &start {
        Some(start) => vec![rl::train(&agent, &env, Some(start), budget, &cx)?],
        None => rl::train_seeds(&agent, &env, budget, seed..seed + args.seeds, &cx)?,
    };
    let training_seconds = started.elapsed().as_secs_f64();
    bar.set_message("evaluating".into());
    let measured: Vec<ReturnStats> =
        trained.iter().map(|t| Ok(rl::evaluate(&env, |seen| t.act(seen), args.evaluate, &cx)?)).collect::<Result<_>>()?;
    drop(bar);
    let best = (1..trained.len()).fold(0, |best, i| if measured[i].mean > measured[best].mean { i } else { best });
    if let Some(path) = &args.output {
        file::write_atomic(path, &trained[best].to_bytes()?)?;
    }
    if measured.iter().any(|e| e.endless > 0) {
        notes
            .push("some episodes did not end: the environment has no limit of steps, and the agent goes round in circles".into());
    }
    let run = TrainingResult { env, trained, measured, best, notes, seconds: training_seconds };
    if let Some(path) = &args.report {
        write_page(path, &run.page(seed)?)?;
    }
    print_notes(&args.everywhere, &run.notes);
    let seconds = started.elapsed().as_secs_f64();
    if args.everywhere.json {
        return print_json("rl train", &args.everywhere, seconds, run.json(args, &agent.params));
    }
    print(&run.text(args)?)
}

/// Trained agents, one per seed, and their evaluations.
struct TrainingResult {
    env: AnyEnvironment,
    trained: Vec<TrainedAgent>,
    measured: Vec<ReturnStats>,
    /// The index of the agent with the largest mean return.
    best: usize,
    notes: Vec<String>,
    seconds: f64,
}

impl TrainingResult {
    fn name(&self) -> &str {
        &self.trained[self.best].agent.name
    }

    fn steps(&self) -> u64 {
        self.trained.iter().map(TrainedAgent::steps).sum()
    }

    /// The mean return at which the environment counts as solved.
    fn solved(&self) -> Option<f64> {
        env_info(&self.env.name, &self.env.params).solved
    }

    fn curve(&self) -> LearningCurve {
        let runs: Vec<(&[f64], &[u64])> = self.trained.iter().map(TrainedAgent::episodes).collect();
        LearningCurve::by_steps(&runs, SPANS)
    }

    fn chart(&self) -> Chart {
        let title = format!("{} on {}: returns while learning", self.name(), self.env.name);
        Chart::learning(&title, &[(self.name().to_owned(), self.curve())], self.solved())
    }

    fn page(&self, seed: u64) -> Result<Document> {
        let (name, env) = (self.name(), &self.env);
        let figure = Figure::new("learning", "Returns while learning", self.chart().sized(560.0, 340.0)).wide();
        let learned = DocTable { caption: "Returns after training".into(), ..table(&self.trained, &self.measured) };
        Ok(Document::new(format!("{name} on {}", env.name), "An agent, trained and then tested without exploring.")
            .kind("Reinforcement learning")
            .fact("Environment", &env.name)
            .fact("Agent", name)
            .fact("Steps", text::count(self.steps() as usize))
            .with(DocSection::new("Learning").notes(&self.notes).figures(vec![figure]).with(DocBlock::Table(learned)))
            .with(episode_part("An episode", &first_episode(&self.trained[self.best], env, seed)?)))
    }

    fn json(&self, args: &RlTrain, params: &Map<String, Value>) -> Value {
        let entry = |(t, e): (&TrainedAgent, &ReturnStats)| {
            let (returns, _) = t.episodes();
            json!({"seed": t.seed, "steps": t.steps(), "episodes": returns.len(), "evaluation": e})
        };
        json!({
            "environment": {"name": self.env.name, "params": self.env.params}, "agent": self.name(), "params": params,
            "runs": self.trained.iter().zip(&self.measured).map(entry).collect::<Vec<_>>(),
            "best_seed": self.trained[self.best].seed, "evaluation": self.measured[self.best], "solved_at": self.solved(),
            "curve": self.curve(), "training_seconds": self.seconds,
            "notes": self.notes, "output": args.output, "report": args.report,
        })
    }

    fn text(&self, args: &RlTrain) -> Result<String> {
        let mut out = format!("{} on {}: {} steps", self.name(), self.env.name, text::count(self.steps() as usize));
        let speed = self.steps() as f64 / self.seconds / 1e6;
        writeln!(out, " in {}, {speed:.1} million per second\n", text::seconds(self.seconds))?;
        let rows: Vec<Vec<String>> = self
            .trained
            .iter()
            .zip(&self.measured)
            .map(|(t, e)| {
                let (returns, _) = t.episodes();
                let episodes = text::count(returns.len());
                let mean = format!("{} ± {}", text::number(e.mean), text::number(e.sd));
                vec![t.seed.to_string(), episodes, mean, text::number(e.min), text::number(e.max), text::number(e.steps)]
            })
            .collect();
        let heads = ["seed", "episodes", "return ± s.d.", "least", "most", "steps"];
        out += &text::table(&heads, &[Align::Right; 6], &rows);
        if let Some(level) = self.solved() {
            let count = self.measured.iter().filter(|e| e.mean >= level - 1e-9).count();
            writeln!(out, "\nsolved ({level} on average) by {count} of {}", self.trained.len())?;
        }
        writeln!(out, "\n{}", self.chart().to_text(80, 14))?;
        if let Some(path) = &args.output {
            let which = match self.trained.len() {
                1 => String::new(),
                _ => format!(" (seed {})", self.trained[self.best].seed),
            };
            writeln!(out, "agent saved in {}{which}; `ermine rl play` runs it", path.display())?;
        }
        if let Some(path) = &args.report {
            writeln!(out, "report written to {}", path.display())?;
        }
        Ok(out)
    }
}

fn table(trained: &[TrainedAgent], measured: &[ReturnStats]) -> DocTable {
    let row = |(t, e): (&TrainedAgent, &ReturnStats)| {
        let returns = [e.mean, e.sd, e.min, e.max, e.steps].map(text::number);
        [t.seed.to_string(), text::count(t.steps() as usize)].into_iter().chain(returns).map(Into::into).collect()
    };
    let heads = ["steps of training", "return", "s.d.", "least", "most", "steps"].map(TableHead::number);
    DocTable {
        heads: std::iter::once(TableHead::word("seed")).chain(heads).collect(),
        rows: trained.iter().zip(measured).map(row).collect(),
        ..DocTable::default()
    }
}

/// A part of a page that plays an episode.
fn episode_part(title: &str, episode: &Episode) -> DocSection {
    let about = format!("{} steps, return {}", text::count(episode.steps as usize), text::number(episode.total));
    DocSection::new(title).with(DocBlock::Frames { title: about, frames: episode.frames.clone() })
}

/// An episode in pictures, up to the number of steps that a report can hold.
fn first_episode(agent: &TrainedAgent, env: &AnyEnvironment, seed: u64) -> Result<Episode> {
    Ok(rl::play(&mut env.clone(), |seen| agent.act(seen), Some(seed), 500, true)?)
}

pub fn play(args: &RlPlay) -> Result<()> {
    let started = Instant::now();
    let agent = load(&args.agent)?;
    let mut env = match &args.environment {
        Some(text) => environment(text, &Map::new())?,
        None => agent.environment()?,
    };
    agent.fits(&env)?;
    let film = args.render && !args.everywhere.json;
    let wanted = args.render || args.report.is_some();
    let mut played = Vec::new();
    for k in 0..args.episodes {
        let seed = (k == 0).then_some(args.everywhere.seed);
        let episode = rl::play(&mut env, |seen| agent.act(seen), seed, args.limit, wanted)?;
        if film {
            show(&episode, k, args.fps)?;
        }
        played.push(episode);
    }
    let summary = ReturnStats::of(&played);
    if let Some(path) = &args.report {
        let row = |(k, e): (usize, &Episode)| {
            [(k + 1).to_string(), text::number(e.total), text::count(e.steps as usize)].map(Into::into).to_vec()
        };
        let table = DocTable {
            heads: vec![TableHead::word("episode"), TableHead::number("return"), TableHead::number("steps")],
            rows: played.iter().enumerate().map(row).collect(),
            ..DocTable::default()
        };
        let mean = format!("Mean return {} ± {}.", text::number(summary.mean), text::number(summary.sd));
        let page = Document::new(format!("{} plays {}", agent.agent.name, env.name), "What a trained agent does.")
            .kind("Reinforcement learning")
            .with(episode_part("The first episode", &played[0]))
            .with(DocSection::new("Episodes").lead(mean).with(DocBlock::Table(table)));
        write_page(path, &page)?;
    }
    if args.everywhere.json {
        if !args.render {
            played.iter_mut().for_each(|e| e.frames.clear());
        }
        let more = json!({"agent": agent.agent.name, "environment": {"name": env.name, "params": env.params}, "episodes": played,
                          "evaluation": summary, "report": args.report});
        return print_json("rl play", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    let mut out = format!("{} plays {}\n", agent.agent.name, env.name);
    let end = |e: &Episode| if e.terminated { "the end" } else { "cut short" };
    let rows: Vec<Vec<String>> = played
        .iter()
        .enumerate()
        .map(|(k, e)| vec![(k + 1).to_string(), text::number(e.total), e.steps.to_string(), end(e).to_owned()])
        .collect();
    out += &text::table(&["episode", "return", "steps", ""], &[Align::Right, Align::Right, Align::Right, Align::Left], &rows);
    if played.len() > 1 {
        writeln!(out, "\nmean return {} ± {}", text::number(summary.mean), text::number(summary.sd))?;
    }
    print(&out)
}

/// The frames of an episode: overwritten on a terminal, one after the other elsewhere.
fn show(episode: &Episode, number: u64, fps: u64) -> Result<()> {
    let terminal = std::io::stdout().is_terminal();
    let mut out = std::io::stdout().lock();
    for (step, frame) in episode.frames.iter().enumerate() {
        if terminal {
            // Cursor home, then clear the screen below it.
            write!(out, "\x1b[H\x1b[J")?;
        }
        writeln!(out, "episode {}, step {step}\n{}", number + 1, frame.trim_end_matches('\n'))?;
        out.flush()?;
        if terminal {
            std::thread::sleep(Duration::from_millis(1000 / fps.max(1)));
        } else {
            writeln!(out)?;
        }
    }
    Ok(())
}
