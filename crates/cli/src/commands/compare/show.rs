//! The leaderboard as text, as JSON and in a report.

use std::fmt::Write;
use std::time::Instant;

use anyhow::Result;
use ermine::learn::model_selection::{CvSplits, FoldScore};
use ermine::prelude::*;
use ermine::report::{self as page, Leaderboard};
use serde_json::{Map, Value, json};

use super::super::print_json;
use super::{LEVEL, LeaderboardRow, winner};
use crate::args::CompareArgs;
use crate::text::{self, Align};

/// The leaderboard of a report.
pub(super) fn leaderboard(
    metric: &str,
    second: Option<&str>,
    board: &[LeaderboardRow],
    failed: &[(String, String)],
    rounds: &CvSplits,
    started: Instant,
) -> Leaderboard {
    let standing = |e: &LeaderboardRow| {
        let s = e.standing.scores(metric);
        page::LeaderboardEntry {
            model: e.name.clone(),
            mean: s.mean,
            error: s.standard_error,
            second: second.map(|name| e.standing.scores(name).mean),
            fit_seconds: e.standing.mean_of(|f| f.fit_seconds),
            predict_seconds: e.standing.mean_of(|f| f.predict_seconds),
            note: standing_note(e, rounds),
            baseline: e.name == "baseline",
        }
    };
    Leaderboard {
        measure: metric.to_owned(),
        second: second.map(str::to_owned),
        folds: rounds.len(),
        seconds: started.elapsed().as_secs_f64(),
        standings: board.iter().map(standing).collect(),
        failed: failed.to_vec(),
        note: String::new(),
    }
}

/// The remark beside a model in a report.
fn standing_note(entry: &LeaderboardRow, rounds: &CvSplits) -> String {
    let mut notes = Vec::new();
    if let Some(p) = entry.p_value.filter(|p| *p >= LEVEL) {
        notes.push(format!("not significantly different from the best (p = {p:.2})"));
    }
    if entry.standing.done() < rounds.len() {
        notes.push(format!("cut after {} of {} rounds", entry.standing.done(), rounds.len()));
    }
    if let Some(params) = &entry.tuned {
        notes.push(settings(params));
    }
    notes.join("; ")
}

/// A metric with as many digits as columns of a table can show.
fn measure(value: f64) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// Parameters in the syntax of the command line.
fn settings(params: &Map<String, Value>) -> String {
    let one = |(k, v): (&String, &Value)| match v {
        Value::String(s) => format!("{k}={s}"),
        other => format!("{k}={other}"),
    };
    params.iter().map(one).collect::<Vec<_>>().join(" ")
}

pub(super) fn cut_note(entry: &LeaderboardRow, rounds: &CvSplits) -> Option<String> {
    let (done, all) = (entry.standing.done(), rounds.len());
    (done > 0 && done < all)
        .then(|| format!("{} was stopped after {done} of {all} rounds, its share of the time used up", entry.name))
}

/// The remark on a model that did not complete its first round.
pub(super) fn unfinished(entry: &LeaderboardRow, metric: &str) -> Option<(String, String)> {
    let seconds = entry.standing.pruned?;
    let mut why = match (&entry.cut, seconds) {
        (Some(why), _) => why.clone(),
        (None, 0.0) => "cut, as no time was left to begin".to_owned(),
        (None, _) => format!("stopped after {}, its share of the time", text::seconds(seconds)),
    };
    if let Some((rows, score)) = &entry.standing.sample
        && let Some(v) = score.value(metric)
    {
        why += &format!("; trained on {} it had {metric} {v:.4}", text::counted(*rows, "row"));
    }
    Some((entry.name.clone(), why))
}

pub(super) fn as_json(
    args: &CompareArgs,
    problem: &Problem,
    rounds: &CvSplits,
    metric: &str,
    board: &[LeaderboardRow],
    failed: &[(String, String)],
    seconds: f64,
) -> Result<()> {
    let row = |e: &LeaderboardRow| {
        let s = e.standing.scores(metric);
        let names: Vec<&str> =
            e.standing.rounds.iter().flatten().next().map_or(Vec::new(), |f| f.metrics.iter().map(|m| m.0).collect());
        let means: Map<String, Value> = names.iter().map(|n| ((*n).to_owned(), json!(e.standing.scores(n).mean))).collect();
        json!({
            "model": e.name, "mean": s.mean, "std": s.std, "standard_error": s.standard_error, "metrics": means,
            "fit_seconds": e.standing.mean_of(|f| f.fit_seconds), "predict_seconds": e.standing.mean_of(|f| f.predict_seconds),
            "scores": s.each, "rounds": e.standing.done(), "p_value": e.p_value, "tuned": e.tuned, "weight": e.weight,
            "like_best": e.p_value.map(|p| p >= LEVEL),
        })
    };
    let failed: Vec<Value> = failed.iter().map(|(n, e)| json!({"model": n, "error": e})).collect();
    let more = json!({
        "metric": metric, "folds": rounds.len(), "rounds": rounds.describe(), "n_rows": problem.x.rows(),
        "n_features": problem.x.columns().len(), "task": problem.y.view().task(), "leaderboard": board.iter().map(row).collect::<Vec<_>>(),
        "best": winner(board, rounds).map(|e| &e.name), "failed": failed, "notes": problem.notes, "output": args.output,
        "report": args.report,
    });
    print_json("compare", &args.everywhere, seconds, more)
}

#[allow(clippy::too_many_arguments)]
pub(super) fn as_text(
    args: &CompareArgs,
    problem: &Problem,
    rounds: &CvSplits,
    metric: &str,
    second: Option<&str>,
    board: &[LeaderboardRow],
    failed: &[(String, String)],
    seconds: f64,
) -> Result<String> {
    let mut out = String::new();
    let task = match &problem.y {
        OwnedTarget::Class { names, .. } => format!("{} classes", names.len()),
        _ => "regression".into(),
    };
    let head = format!(
        "{}: {} rows, {} columns, target {} ({task}), {}",
        args.data,
        text::count(problem.x.rows()),
        problem.x.columns().len(),
        args.target,
        rounds.describe()
    );
    writeln!(out, "{}", text::paragraph(&head, 80))?;
    let spread = format!("{metric} ± s.e.");
    let mut head = vec!["", "model", spread.as_str()];
    let mut align = vec![Align::Right, Align::Left, Align::Right];
    if let Some(s) = second {
        head.push(s);
        align.push(Align::Right);
    }
    head.extend(["p", "fit", "predict"]);
    align.extend([Align::Right; 3]);
    let row = |(i, e): (usize, &LeaderboardRow)| {
        let s = e.standing.scores(metric);
        let mean = |f: fn(&FoldScore) -> f64| text::seconds(e.standing.mean_of(f));
        // A single round has no standard error.
        let error = if s.each.len() > 1 { measure(s.standard_error) } else { "?".into() };
        let mut cells = vec![(i + 1).to_string(), e.name.clone(), format!("{} ± {error}", measure(s.mean))];
        if let Some(name) = second {
            cells.push(measure(e.standing.scores(name).mean));
        }
        cells.push(match e.p_value {
            Some(p) if p >= LEVEL => format!("≈ {p:.2}"),
            Some(p) if p >= 0.001 => format!("{p:.3}"),
            Some(_) => "<0.001".into(),
            None => String::new(),
        });
        cells.extend([mean(|f| f.fit_seconds), mean(|f| f.predict_seconds)]);
        cells
    };
    out += &text::table(&head, &align, &board.iter().enumerate().map(row).collect::<Vec<_>>());
    if board.iter().any(|e| e.p_value.is_some_and(|p| p >= LEVEL)) {
        out += "\n  ≈ not significantly different from the best (corrected paired t-test)\n";
    }
    for entry in board {
        if let Some(params) = &entry.tuned {
            let pieces: Vec<String> = settings(params).split(' ').map(str::to_owned).collect();
            write!(out, "\n{}", text::wrap_pieces(&format!("  {}: ", entry.name), &pieces))?;
        }
    }
    for (name, why) in failed {
        write!(out, "\n{}", text::indent_wrapped(&format!("{name}:"), why, 4))?;
    }
    if let Some(best) = winner(board, rounds) {
        match &args.output {
            Some(path) => writeln!(
                out,
                "\n{} trained on all rows and saved in {}; {} in all",
                best.name,
                path.display(),
                text::seconds(seconds)
            )?,
            None => writeln!(out, "\nbest: {}; {} in all; -o FILE saves it", best.name, text::seconds(seconds))?,
        }
        if let Some(path) = &args.report {
            writeln!(out, "report written to {}", path.display())?;
        }
    }
    Ok(out)
}
