//! `ermine bandit run`, `top` and `policies`.

use std::fmt::Write;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ermine::agent::bandit::{
    Comparison, POLICIES, PolicySetting, RewardDelay, RewardModel, RewardRange, SimulatedPolicy, TopArms, accepts_rejects_bound,
    compare, look_rounds, lucb, lucb_bound, named, successive_accepts_rejects,
};
use ermine::chart::Chart;
use ermine::core::typed::{parse_named, split_list};
use ermine::core::{Column, Context, Flow, Progress, Report, RngStream};
use ermine::document::{DocBlock, DocSection, Document, Figure};
use serde_json::json;

use super::entries::list;
use super::report::write_page;
use super::{print, print_json, print_notes};
use crate::args::ReadArgs;
use crate::args::agents::{ArmsArgs, BanditRun, BanditTop, CatalogArgs};
use crate::error::{UsageError, typed};
use crate::progress::ProgressLine;
use crate::{report, text};

pub fn policies(args: &CatalogArgs) -> Result<()> {
    list("bandit policies", "policy", "policies", POLICIES, args)
}

/// The arms of the arguments.
fn arms(args: &ArmsArgs, reading: &ReadArgs, seed: u64) -> Result<RewardModel> {
    let means = || match args.arms.is_empty() {
        false => Ok(args.arms.clone()),
        true => Err(UsageError("--arms: name the means of the arms, such as 0.1,0.5,0.6".into())),
    };
    let arms = match args.kind.as_str() {
        "gaussian" => RewardModel::Gaussian { means: means()?, sd: args.sd },
        "bounded" => RewardModel::Bounded { means: means()?, half_width: args.half_width },
        "drift" => RewardModel::Drift { means: means()?, step: args.step },
        "linear" => {
            let [count] = args.arms[..] else {
                return Err(UsageError("--kind linear: --arms says how many arms there are, such as --arms 10".into()).into());
            };
            if !(count >= 1.0 && count.fract() == 0.0 && count <= 1e5) {
                return Err(UsageError(format!("--arms {count}: it must be a whole number of arms")).into());
            }
            let mut draws = RngStream::new(seed, "linear arms", 0);
            let coefficients = (0..count as usize).map(|_| (0..args.context).map(|_| draws.normal()).collect()).collect();
            RewardModel::Linear { coefficients, sd: args.sd }
        }
        "adversarial" => {
            let data = args
                .rewards
                .as_deref()
                .ok_or_else(|| UsageError("--kind adversarial: --rewards names a table with one column per arm".into()))?;
            RewardModel::Adversarial { rewards: rows(reading, data)? }
        }
        _ => RewardModel::Bernoulli { means: means()? },
    };
    arms.check()?;
    Ok(arms)
}

/// The rows of a table of numbers.
fn rows(reading: &ReadArgs, data: &str) -> Result<Vec<Vec<f64>>> {
    let table = reading.read(data)?.table;
    let columns = table
        .schema()
        .names()
        .zip(table.columns())
        .map(|(name, column)| match column {
            Column::Number { values, .. } if (0..column.len()).all(|i| !column.is_missing(i)) => Ok(values),
            Column::Number { .. } => Err(anyhow!("{data}: column \"{name}\" has missing rewards")),
            _ => Err(anyhow!("{data}: column \"{name}\" has no numbers; every column must have the rewards of an arm")),
        })
        .collect::<Result<Vec<_>>>()?;
    Ok((0..table.rows()).map(|i| columns.iter().map(|c| c[i]).collect()).collect())
}

fn delay(text: Option<&str>) -> Result<RewardDelay> {
    let Some(text) = text else { return Ok(RewardDelay::None) };
    let number = |n: &str| {
        n.parse::<u64>().map_err(|_| UsageError(format!("--delay {text}: it must be a number of rounds, or uniform:MEAN")))
    };
    Ok(match text.strip_prefix("uniform:") {
        Some(mean) => RewardDelay::Uniform { mean: number(mean)? },
        None => match number(text)? {
            0 => RewardDelay::None,
            rounds => RewardDelay::Fixed(rounds),
        },
    })
}

/// The policies of the arguments, for a setting.
pub fn contenders(text: &str, setting: &PolicySetting) -> Result<Vec<(String, SimulatedPolicy)>> {
    let mut all: Vec<(String, SimulatedPolicy)> = Vec::new();
    for typed_name in split_list(text) {
        let (name, params) = parse_named(typed_name).map_err(typed)?;
        if all.iter().any(|(n, _)| n == typed_name) {
            return Err(UsageError(format!("--policies: {typed_name} is named twice")).into());
        }
        all.push((typed_name.to_owned(), named(&name, &params, setting)?));
    }
    if all.is_empty() {
        return Err(UsageError("--policies: name at least one; `ermine bandit policies` lists them".into()).into());
    }
    Ok(all)
}

pub fn run(args: &BanditRun) -> Result<()> {
    let started = Instant::now();
    let seed = args.everywhere.seed;
    let arms = arms(&args.arms, &args.reading, seed)?;
    let delay = delay(args.delay.as_deref())?;
    let setting = PolicySetting { arms: arms.count(), rounds: Some(args.rounds), dimension: arms.context(), range: arms.range() };
    let policies = contenders(&args.policies, &setting)?;
    let bar = ProgressLine::new(&args.everywhere, "simulating");
    let observer = |p: &Progress| -> Flow { bar.observe("bandits", p) };
    let cx = Context { seed, observer: Some(&observer), ..Context::default() };
    let comparison = compare(&arms, &policies, &look_rounds(args.rounds, args.points), args.runs, delay, &cx)?;
    drop(bar);
    let seconds = started.elapsed().as_secs_f64();
    let notes = notes(&arms, delay);
    print_notes(&args.everywhere, &notes);
    if let Some(path) = &args.report {
        write_page(path, &page(args, &comparison, &arms, &notes))?;
    }
    if args.everywhere.json {
        let more = json!({
            "arms": arms, "rounds": args.rounds, "runs": args.runs, "delay": delay, "lai_robbins": comparison.lai_robbins,
            "at": comparison.rounds, "policies": comparison.policies, "notes": notes, "report": args.report,
        });
        return print_json("bandit run", &args.everywhere, seconds, more);
    }
    let tables = Report { sections: comparison.report().sections.into_iter().take(2).collect() };
    let mut out = report::render(&tables, usize::MAX).trim_start().to_owned();
    writeln!(out, "\n{}", Chart::regret(&comparison).to_text(80, 16))?;
    let total = args.rounds as f64 * args.runs as f64 * policies.len() as f64;
    let speed = format!("{:.1} million rounds per second", total / seconds / 1e6);
    writeln!(out, "{} in all, {speed}", text::seconds(seconds))?;
    if let Some(path) = &args.report {
        writeln!(out, "report written to {}", path.display())?;
    }
    print(&out)
}

fn notes(arms: &RewardModel, delay: RewardDelay) -> Vec<String> {
    let mut notes = Vec::new();
    match arms {
        RewardModel::Adversarial { .. } => notes.push("regret is against the best fixed arm, and may be negative".to_owned()),
        RewardModel::Drift { .. } | RewardModel::Linear { .. } => {
            notes.push("regret is against the best arm of each round".to_owned())
        }
        _ => {}
    }
    if delay != RewardDelay::None {
        notes.push("rewards are delayed: the bounds, which are proven for immediate rewards, are not shown".to_owned());
    }
    notes
}

fn page(args: &BanditRun, found: &Comparison, arms: &RewardModel, notes: &[String]) -> Document {
    let lead = "Regret is what the best arm would have earned on average less what the chosen ones earn on average.";
    let means = match arms.means() {
        Some(means) => format!("means {}", means.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")),
        None => arms.count().to_string(),
    };
    let figure = |name: &str, chart: Chart, caption: &str| {
        let title = chart.title.clone();
        Figure::new(name, title, chart.sized(560.0, 340.0)).caption(caption).wide()
    };
    let regret = figure("regret", Chart::regret(found), "Bands contain 80 % of the runs.");
    let bounds = figure(
        "bounds",
        Chart::regret_and_bounds(found),
        "No policy that is good everywhere stays below the line of Lai and Robbins in the long run; at finitely many rounds good ones may.",
    );
    let mut policies = DocSection::new("Policies");
    policies.blocks.extend(found.report().sections.iter().take(2).filter_map(|s| DocBlock::of(s, "policies")));
    Document::new("Bandits: regret and proven bounds", lead)
        .kind("Bandits")
        .fact("Arms", means)
        .fact("Rounds", text::count(args.rounds as usize))
        .fact("Runs", text::count(args.runs as usize))
        .with(DocSection::new("Regret").notes(notes).figures(vec![regret, bounds]))
        .with(policies)
}

pub fn top(args: &BanditTop) -> Result<()> {
    let started = Instant::now();
    RewardModel::Bernoulli { means: args.arms.clone() }.check()?;
    let (k, m, unit) = (args.arms.len(), args.m, RewardRange::default());
    let mut order: Vec<usize> = (0..k).collect();
    ermine::core::order::sort_by_number_descending(&mut order, |a| args.arms[a]);
    let border = order.get(m.wrapping_sub(1)).map_or(f64::NEG_INFINITY, |&a| args.arms[a]);
    let one = |run: u64| -> Result<TopArms> {
        let mut draws = RngStream::new(args.everywhere.seed, "top arms", run);
        let mut sample = |arm: usize| f64::from(draws.uniform() < args.arms[arm]);
        Ok(match (args.delta, args.budget) {
            (Some(delta), budget) => lucb(k, m, delta, args.epsilon, budget.unwrap_or(100_000_000), unit, &mut sample)?,
            (None, budget) => successive_accepts_rejects(k, m, budget.unwrap_or(0), unit, &mut sample)?,
        })
    };
    let runs: Vec<TopArms> = (0..args.runs).map(one).collect::<Result<_>>()?;
    let n = args.runs as f64;
    // Any set of arms is right whose means are at most epsilon below those of the best m.
    let right = |t: &TopArms| t.arms.iter().all(|&a| args.arms[a] >= border - args.epsilon);
    let errors = runs.iter().filter(|t| !right(t)).count() as f64 / n;
    let samples: Vec<f64> = (0..k).map(|a| runs.iter().map(|t| t.pulls[a] as f64).sum::<f64>() / n).collect();
    let total: f64 = samples.iter().sum();
    let (method, bound, guarantee) = match args.delta {
        Some(delta) => {
            let bound = lucb_bound(&args.arms, m, delta, args.epsilon, unit);
            ("LUCB", bound, format!("at most {} samples are expected; errors at most {delta}", text::number(bound)))
        }
        None => {
            let bound = accepts_rejects_bound(&args.arms, m, args.budget.unwrap_or(0), unit);
            ("successive accepts and rejects", bound, format!("the probability of an error is at most {}", text::number(bound)))
        }
    };
    let first_run = &runs[0];
    let confident = runs.iter().all(|t| t.confident);
    if args.everywhere.json {
        let more = json!({
            "method": method, "arms": first_run.arms, "m": m, "errors": errors, "runs": args.runs, "samples": samples,
            "total_samples": total, "bound": bound, "confident": confident,
        });
        return print_json("bandit top", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    let mut out = String::new();
    let names: Vec<String> = first_run.arms.iter().map(|a| format!("{a} ({})", args.arms[*a])).collect();
    writeln!(out, "{method}: the best {m} of {k} arms are {}", names.join(", "))?;
    writeln!(out, "  {} runs: {:.1} % wrong, {} samples on average", args.runs, 100.0 * errors, text::number(total))?;
    writeln!(out, "  proven: {guarantee}")?;
    let table: Vec<Vec<String>> =
        (0..k).map(|a| vec![a.to_string(), args.arms[a].to_string(), text::number(samples[a])]).collect();
    out += &text::table(&["arm", "mean", "samples"], &[text::Align::Right; 3], &table);
    if args.delta.is_some() && !confident {
        writeln!(out, "  the budget of samples was used up before all runs reached the confidence")?;
    }
    print(&out)
}
