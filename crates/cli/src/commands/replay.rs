//! `ermine bandit replay`: policies on a log of choices.

use std::fmt::Write;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ermine::agent::bandit::{Estimate, LoggedRound, Policy, PolicyService, RewardRange, SimulatedPolicy, off_policy, replay};
use ermine::chart::{Chart, Series};
use ermine::core::typed::{parse_named, split_list};
use ermine::core::{Cell, Column, Error, MISSING_CODE, Report, Table, file};
use ermine::document::{DocBlock, DocSection, Document, Figure};
use serde_json::{Value, json};

use super::report::write_page;
use super::{print, print_json, print_notes};
use crate::args::agents::BanditReplay;
use crate::error::{UsageError, typed};
use crate::{report, text};

/// A log: its rounds, the names of the arms, and the contexts, one after the other.
struct BanditLog {
    rounds: Vec<LoggedRound>,
    arms: Vec<String>,
    contexts: Vec<f64>,
    dimension: usize,
    notes: Vec<String>,
}

impl BanditLog {
    fn context(&self, row: usize) -> &[f64] {
        &self.contexts[row * self.dimension..(row + 1) * self.dimension]
    }

    fn mean(&self) -> f64 {
        self.rounds.iter().map(|r| r.reward).sum::<f64>() / self.rounds.len() as f64
    }
}

/// The numbers of a column; a missing one is NaN where that is allowed, and an error elsewhere.
fn numbers<'a>(table: &'a Table, name: &str, gaps: bool) -> Result<&'a [f64]> {
    match table.column(name)? {
        column @ Column::Number { values, .. } => match (0..values.len()).find(|&i| !gaps && column.is_missing(i)) {
            Some(row) => Err(Error::Row { place: format!("column \"{name}\""), row, message: "it is missing".into() }.into()),
            None => Ok(values),
        },
        _ => Err(anyhow!("column \"{name}\" has no numbers; encode it, or name another column")),
    }
}

/// The arm of each row as a number, and the names: in numeric order where they are numbers, else in byte order.
fn arms(column: &Column, name: &str, known: Option<&[String]>) -> Result<(Vec<usize>, Vec<String>)> {
    let missing = |row: usize| Error::Row { place: format!("column \"{name}\""), row, message: "the arm is missing".into() };
    let words: Vec<String> = match column {
        Column::Number { values, .. } => {
            let word = |(row, v): (usize, &f64)| if v.is_nan() { Err(missing(row)) } else { Ok(v.to_string()) };
            values.iter().enumerate().map(word).collect::<std::result::Result<_, _>>()?
        }
        Column::Category { codes, names } => {
            let word =
                |(row, &c): (usize, &u32)| if c == MISSING_CODE { Err(missing(row)) } else { Ok(names[c as usize].clone()) };
            codes.iter().enumerate().map(word).collect::<std::result::Result<_, _>>()?
        }
        Column::Text(cells) => {
            let word = |(row, c): (usize, &Option<String>)| c.clone().ok_or_else(|| missing(row));
            cells.iter().enumerate().map(word).collect::<std::result::Result<_, _>>()?
        }
    };
    let names = match known {
        Some(known) => known.to_vec(),
        None => {
            let mut names = words.clone();
            let number = |w: &String| w.parse::<f64>().unwrap_or(f64::NAN);
            match matches!(column, Column::Number { .. }) {
                true => names.sort_by(|a, b| number(a).total_cmp(&number(b))),
                false => names.sort(),
            }
            names.dedup();
            names
        }
    };
    let place = |(row, word): (usize, &String)| {
        let at = names.iter().position(|n| n == word);
        at.ok_or_else(|| Error::Row {
            place: format!("column \"{name}\""),
            row,
            message: format!("there is no arm \"{word}\" among the {} known ones", names.len()),
        })
    };
    // With few arms a linear search through the names is fastest; many are indexed once.
    let codes: Vec<usize> = match names.len() > 64 {
        false => words.iter().enumerate().map(place).collect::<std::result::Result<_, _>>()?,
        true => {
            let index: std::collections::BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
            let find = |(row, w): (usize, &String)| index.get(w.as_str()).copied().map_or_else(|| place((row, w)), Ok);
            words.iter().enumerate().map(find).collect::<std::result::Result<_, _>>()?
        }
    };
    Ok((codes, names))
}

fn read(args: &BanditReplay, data: &str, known: Option<&[String]>) -> Result<BanditLog> {
    let loaded = args.reading.read(data)?;
    let table = loaded.table;
    let (codes, arms) = arms(table.column(&args.arm)?, &args.arm, known)?;
    let rewards = numbers(&table, &args.reward, false)?;
    let propensities = args.propensity.as_deref().map(|name| numbers(&table, name, true)).transpose()?;
    let columns = args.context.iter().map(|name| numbers(&table, name, false)).collect::<Result<Vec<_>>>()?;
    let dimension = if columns.is_empty() { 0 } else { columns.len() + 1 };
    let mut contexts = Vec::with_capacity(table.rows() * dimension);
    if dimension > 0 {
        for row in 0..table.rows() {
            contexts.push(1.0);
            contexts.extend(columns.iter().map(|c| c[row]));
        }
    }
    let propensity = |row: usize| propensities.map_or(f64::NAN, |p| p[row]);
    let rounds = (0..table.rows()).map(|row| LoggedRound { arm: codes[row], reward: rewards[row], propensity: propensity(row) });
    Ok(BanditLog { rounds: rounds.collect(), arms, contexts, dimension, notes: loaded.notes })
}

/// The policies to replay.
fn policies(args: &BanditReplay, log: &BanditLog) -> Result<Vec<PolicyService>> {
    if let Some(path) = &args.resume {
        let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
        let served = PolicyService::from_bytes(bytes)
            .map_err(|e| Error::Format { path: path.display().to_string(), message: e.to_string() })?;
        if served.dimension != log.dimension {
            return Err(anyhow!(
                "{} was trained on contexts of {} numbers, and --context gives {}",
                served.name,
                served.dimension,
                log.dimension
            ));
        }
        return Ok(vec![served]);
    }
    let range = match &args.range {
        Some(ends) => RewardRange { low: ends[0], high: ends[1] },
        None => {
            let ends = log.rounds.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), r| (a.min(r.reward), b.max(r.reward)));
            // Rewards of 0 and 1 have the range 0 to 1 even if only one of them occurs.
            if ends.0 >= 0.0 && ends.1 <= 1.0 { RewardRange::default() } else { RewardRange { low: ends.0, high: ends.1 } }
        }
    };
    let fallback = if args.like.is_some() {
        ""
    } else if log.dimension > 0 {
        "linucb"
    } else {
        "thompson"
    };
    let text = args.policies.as_deref().unwrap_or(fallback);
    let mut all = Vec::new();
    for word in split_list(text) {
        let (name, params) = parse_named(word).map_err(typed)?;
        let rounds = Some(log.rounds.len() as u64);
        // Policies without context are not given one.
        let dimension = if name.starts_with("lin") { log.dimension } else { 0 };
        let mut served =
            PolicyService::new(&name, &params, log.arms.clone(), rounds, dimension, Some(range), args.everywhere.seed)?;
        if matches!(served.policy(), SimulatedPolicy::Sets(_)) {
            return Err(UsageError(format!("--policies {word}: a log of single arms cannot evaluate a policy of sets")).into());
        }
        served.name = name;
        all.push(served);
    }
    Ok(all)
}

/// One row of the results.
struct EstimateRow {
    policy: String,
    estimator: &'static str,
    estimate: Estimate,
    rounds: f64,
}

impl EstimateRow {
    fn cells(&self) -> Vec<Cell> {
        let e = self.estimate;
        let numbers = [e.value, e.error, e.low, e.high, self.rounds].map(Cell::Number);
        [self.policy.as_str().into(), self.estimator.into()].into_iter().chain(numbers).collect()
    }

    fn json(&self) -> Value {
        let e = self.estimate;
        json!({"policy": self.policy, "estimator": self.estimator, "value": e.value, "standard_error": e.error,
               "low": e.low, "high": e.high, "rounds": self.rounds})
    }
}

const HEADS: [&str; 7] = ["policy", "estimator", "mean reward", "s.e.", "low 95 %", "high 95 %", "rounds"];

pub fn run(args: &BanditReplay) -> Result<()> {
    let started = Instant::now();
    let resumed = match &args.resume {
        Some(path) => {
            let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
            let read = PolicyService::from_bytes(bytes);
            Some(read.map_err(|e| Error::Format { path: path.display().to_string(), message: e.to_string() })?.arms)
        }
        None => None,
    };
    let log = read(args, &args.log, resumed.as_deref())?;
    if log.rounds.is_empty() {
        return Err(anyhow!("{}: the log has no rounds", args.log));
    }
    let served = policies(args, &log)?;
    if args.output.is_some() && served.len() != 1 {
        return Err(UsageError(format!("-o saves one policy, and {} are named", served.len())).into());
    }
    let (mut lines, mut notes) = (Vec::new(), log.notes.clone());
    let mut own = None;
    if let Some(other) = &args.like {
        let theirs = read(args, other, Some(&log.arms))?;
        own = Some(theirs.mean());
        like(args, &log, &theirs, other, &mut lines, &mut notes)?;
    }
    let mut kept = None;
    for policy in served {
        let SimulatedPolicy::Single(inner) = policy.policy() else { continue };
        let mut inner = inner.clone();
        let contextual = policy.dimension > 0;
        let replayed =
            replay(&log.rounds, &mut inner, |row| if contextual { log.context(row) } else { &[] }, args.everywhere.seed)?;
        lines.push(EstimateRow {
            policy: policy.name.clone(),
            estimator: "replay",
            estimate: replayed.estimate,
            rounds: replayed.matched as f64,
        });
        let choices = policy.choices + log.rounds.len() as u64;
        kept = Some(policy.with_policy(inner, choices)?);
    }
    let uniform = 1.0 / log.arms.len() as f64;
    if args.propensity.is_some() && lines.iter().any(|l| l.estimator == "replay") {
        let even = log.rounds.iter().all(|r| (r.propensity - uniform).abs() <= 1e-6);
        if !even {
            notes.push("replay is unbiased on logs of uniform choices only, and these are not uniform".to_owned());
        }
    } else if lines.iter().any(|l| l.estimator == "replay") {
        notes.push("replay is unbiased on logs of uniform choices only; without --propensity this cannot be checked".into());
    }
    if let (Some(path), Some(policy)) = (&args.output, &kept) {
        file::write_atomic(path, &policy.to_bytes()?)?;
    }
    print_notes(&args.everywhere, &notes);
    let (mean, seconds) = (log.mean(), started.elapsed().as_secs_f64());
    if let Some(path) = &args.report {
        write_page(path, &page(&args.log, &log, &lines, own, &notes))?;
    }
    if args.everywhere.json {
        let more = json!({
            "log": args.log, "rounds": log.rounds.len(), "arms": log.arms, "logged_mean": mean, "like_mean": own,
            "estimates": lines.iter().map(EstimateRow::json).collect::<Vec<_>>(), "notes": notes, "output": args.output, "report": args.report,
        });
        return print_json("bandit replay", &args.everywhere, seconds, more);
    }
    let mut out = format!(
        "{}: {} rounds, {} arms, mean reward {}\n",
        args.log,
        text::count(log.rounds.len()),
        log.arms.len(),
        text::number(mean)
    );
    let mut table = Report::default();
    table.table("", &HEADS, lines.iter().map(EstimateRow::cells).collect());
    out += &report::render(&table, usize::MAX);
    if let (Some(own), Some(other)) = (own, &args.like) {
        writeln!(out, "\n{other} itself has a mean reward of {}", text::number(own))?;
    }
    if let Some(path) = &args.output {
        writeln!(out, "\npolicy saved in {}", path.display())?;
    }
    print(&out)
}

/// Evaluates a policy with the frequencies of the arms in another log.
fn like(
    args: &BanditReplay,
    log: &BanditLog,
    theirs: &BanditLog,
    other: &str,
    lines: &mut Vec<EstimateRow>,
    notes: &mut Vec<String>,
) -> Result<()> {
    if args.propensity.is_none() {
        return Err(UsageError(
            "--like needs --propensity: without the probabilities of its choices a log cannot evaluate other policies".into(),
        )
        .into());
    }
    let mut shares = vec![0.0; log.arms.len()];
    theirs.rounds.iter().for_each(|r| shares[r.arm] += 1.0);
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|s| *s /= total);
    let estimates = off_policy(&log.rounds, log.arms.len(), |_, arm| shares[arm])?;
    let name = format!("as in {other}");
    let size = estimates.effective_size;
    for (estimator, estimate) in
        [("inverse propensity", estimates.ips), ("self-normalized", estimates.snips), ("doubly robust", estimates.doubly_robust)]
    {
        lines.push(EstimateRow { policy: name.clone(), estimator, estimate, rounds: size });
    }
    let mut policy = ermine::agent::bandit::Stationary::new(shares)?.into();
    let replayed = replay(&log.rounds, &mut policy, |_| &[], args.everywhere.seed)?;
    debug_assert_eq!(policy.arms(), log.arms.len());
    let rounds = replayed.matched as f64;
    lines.push(EstimateRow { policy: name, estimator: "replay", estimate: replayed.estimate, rounds });
    notes.extend(estimates.notes);
    Ok(())
}

fn page(name: &str, log: &BanditLog, lines: &[EstimateRow], own: Option<f64>, notes: &[String]) -> Document {
    let mut table = Report::default();
    table.table("Mean rewards and their intervals", &HEADS, lines.iter().map(EstimateRow::cells).collect());
    let points: Vec<(f64, f64)> = lines.iter().enumerate().map(|(k, l)| (k as f64, l.estimate.value)).collect();
    let band = lines.iter().map(|l| (l.estimate.low, l.estimate.high)).collect();
    // Long names would be cut: a policy is named where it was replayed, an estimator where the shares of a log were looked at.
    let label = |l: &EstimateRow| if l.estimator == "replay" { l.policy.clone() } else { l.estimator.to_owned() };
    let mut chart = Chart::new("Mean reward and its interval", "", "mean reward")
        .with(Series::points("estimate", points).with_band(band))
        .named_x(lines.iter().map(label))
        .sized(560.0, 340.0);
    if let Some(own) = own {
        let last = lines.len().saturating_sub(1) as f64;
        chart = chart.with(Series::dashed("its own log", vec![(0.0, own), (last, own)]));
    }
    let figure = Figure::new("estimates", chart.title.clone(), chart).caption("Whiskers are intervals of 95 %.").wide();
    let mut estimates = DocSection::new("Estimates").notes(notes).figures(vec![figure]);
    estimates.blocks.extend(table.sections.iter().filter_map(|s| DocBlock::of(s, "estimates")));
    Document::new(format!("Policies on {name}"), "What policies would have earned in the rounds of a log.")
        .kind("Bandits")
        .fact("Rounds", text::count(log.rounds.len()))
        .fact("Arms", log.arms.len().to_string())
        .fact("Mean reward", text::number(log.mean()))
        .with(estimates)
}
