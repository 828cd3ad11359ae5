//! `ermine rl solve`: the exact values and policy of a finite decision process.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ermine::agent::env::{Blackjack, EnvKind, GridLayout};
use ermine::agent::mdp::{MdpSolution, Transition, Transitions, ValueIteration, policy_iteration};
use ermine::chart::{Chart, Heatmap, Series};
use ermine::core::{Cell, Column, Error, MISSING_CODE, Mat, Report, Section, Table};
use ermine::document::{DocBlock, DocSection, Document, Figure};
use serde_json::json;

use super::report::write_page;
use super::rl::{environment, is_map};
use super::{print, print_json, print_notes};
use crate::args::agents::RlSolve;
use crate::load::pairs;
use crate::{report, text};

/// A finite decision process that can be solved.
struct MdpProblem {
    name: String,
    table: Transitions,
    states: Vec<String>,
    actions: Vec<String>,
    grid: Option<GridLayout>,
}

pub fn run(args: &RlSolve) -> Result<()> {
    let started = Instant::now();
    let problem = problem(args)?;
    let solution = match args.method.as_str() {
        "policy-iteration" => policy_iteration(&problem.table, args.gamma, 10_000)?,
        _ => {
            ValueIteration { gamma: args.gamma, tolerance: args.tolerance, ..ValueIteration::default() }.solve(&problem.table)?
        }
    };
    let start = solution.start_value(&problem.table);
    print_notes(&args.everywhere, &solution.certificate.notes);
    if let Some(path) = &args.report {
        write_page(path, &page(args, &problem, &solution, start))?;
    }
    if args.everywhere.json {
        let more = json!({
            "world": problem.name, "gamma": args.gamma, "method": args.method, "states": problem.states, "actions": problem.actions,
            "values": solution.values, "policy": solution.policy, "start_value": start, "certificate": solution.certificate,
            "columns": problem.grid.as_ref().map(|g| g.columns), "report": args.report,
        });
        return print_json("rl solve", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    let c = &solution.certificate;
    let mut out = format!(
        "{}: {} states, {} actions, gamma {}\n",
        problem.name,
        text::count(problem.table.states()),
        problem.table.actions(),
        args.gamma
    );
    let bound = c.duality_gap.map_or(String::new(), |b| format!(", values within {} of the optimum", text::number(b)));
    let sweeps = if c.method == "value iteration" { "sweep" } else { "round" };
    let end = if c.converged { "" } else { ", not converged" };
    writeln!(out, "{}: {}{bound}{end}", c.method, text::counted(c.iterations as usize, sweeps))?;
    writeln!(out, "value of the start: {}\n", precise(start))?;
    match &problem.grid {
        Some(grid) => out += &grid_text(grid, &solution),
        None => out += &report::render(&state_table(&problem, &solution), args.rows),
    }
    print(&out)
}

/// A number with more digits than usual, since exact values are compared.
fn precise(v: f64) -> String {
    let text = format!("{v:.8}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn problem(args: &RlSolve) -> Result<MdpProblem> {
    let set = pairs("--set", &args.set)?;
    let file = [".csv", ".tsv", ".parquet", ".gz", ".zst", ".arrow"].iter().any(|e| args.world.ends_with(e));
    if file && !is_map(&args.world) {
        return from_table(&args.world, &args.reading.read(&args.world)?.table);
    }
    let env = environment(&args.world, &set)?;
    let table = match (&env.world, env.transitions()) {
        (_, Some(table)) => table.clone(),
        (EnvKind::Blackjack(game), None) => Blackjack::transitions(game.rules())?,
        _ => {
            return Err(anyhow!(
                "{} has no table of transitions, so it cannot be solved exactly; train an agent on it: ermine rl train {}",
                env.name,
                env.name
            ));
        }
    };
    let name = if is_map(&args.world) { args.world.clone() } else { env.name.clone() };
    let states = (0..table.states()).map(|s| s.to_string()).collect();
    Ok(MdpProblem { name, states, actions: env.action_names(), grid: env.grid().cloned(), table })
}

/// The cells of a column as text.
fn words(table: &Table, name: &str) -> Result<Vec<String>> {
    let missing = |row: usize| Error::Row { place: format!("column \"{name}\""), row, message: "it is missing".into() };
    let column = table.column(name)?;
    let word = |row: usize| match column {
        _ if column.is_missing(row) => Err(missing(row)),
        Column::Number { values, .. } => Ok(values[row].to_string()),
        Column::Category { codes, names } if codes[row] != MISSING_CODE => Ok(names[codes[row] as usize].clone()),
        Column::Text(cells) => cells[row].clone().ok_or_else(|| missing(row)),
        Column::Category { .. } => Err(missing(row)),
    };
    Ok((0..table.rows()).map(word).collect::<std::result::Result<_, _>>()?)
}

/// Names in numeric order where all are numbers, else in byte order.
fn ordered(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = all.collect();
    let numbers = names.iter().all(|n| n.parse::<f64>().is_ok());
    let number = |w: &String| w.parse::<f64>().unwrap_or(f64::NAN);
    match numbers {
        true => names.sort_by(|a, b| number(a).total_cmp(&number(b))),
        false => names.sort(),
    }
    names.dedup();
    names
}

/// A decision process from rows of (state, action, next, probability, reward): actions that a state does not have leave
/// the state unchanged, with reward 0.
fn from_table(name: &str, table: &Table) -> Result<MdpProblem> {
    let (from, action, to) = (words(table, "state")?, words(table, "action")?, words(table, "next")?);
    let numbers = |column: &str| match table.column(column)? {
        Column::Number { values, .. } => Ok(values.clone()),
        _ => Err(anyhow!("column \"{column}\" has no numbers")),
    };
    let (probability, reward) = (numbers("probability")?, numbers("reward")?);
    let terminated: Vec<bool> = match table.schema().position("terminated") {
        Ok(_) => words(table, "terminated")?.iter().map(|w| matches!(w.as_str(), "1" | "true" | "True" | "yes")).collect(),
        Err(_) => vec![false; table.rows()],
    };
    let states = ordered(from.iter().chain(&to).cloned());
    let actions = ordered(action.iter().cloned());
    let index = |names: &[String]| -> BTreeMap<String, usize> { names.iter().cloned().zip(0..).collect() };
    let (state_of, action_of) = (index(&states), index(&actions));
    let mut rows: BTreeMap<(usize, usize), Vec<Transition>> = BTreeMap::new();
    for i in 0..table.rows() {
        let outcome =
            Transition { probability: probability[i], next: state_of[&to[i]], reward: reward[i], terminated: terminated[i] };
        rows.entry((state_of[&from[i]], action_of[&action[i]])).or_default().push(outcome);
    }
    // States without any action are terminal; where a state has some actions, the others must not be chosen.
    let acts: Vec<bool> = (0..states.len()).map(|s| (0..actions.len()).any(|a| rows.contains_key(&(s, a)))).collect();
    if let Some((s, a)) = (0..states.len())
        .filter(|&s| acts[s])
        .flat_map(|s| (0..actions.len()).map(move |a| (s, a)))
        .find(|key| !rows.contains_key(key))
    {
        return Err(anyhow!(
            "state \"{}\" has no row for action \"{}\"; every state has all actions, or none where episodes end",
            states[s],
            actions[a]
        ));
    }
    let open = acts.iter().filter(|a| **a).count();
    if open == 0 {
        return Err(anyhow!("{name}: there are no transitions"));
    }
    let start = acts.iter().map(|&a| if a { 1.0 / open as f64 } else { 0.0 }).collect();
    let table = Transitions::new(states.len(), actions.len(), start, |s, a| match rows.get(&(s, a)) {
        Some(outcomes) => outcomes.clone(),
        None => vec![Transition { probability: 1.0, next: s, reward: 0.0, terminated: true }],
    })?;
    Ok(MdpProblem { name: name.to_owned(), table, states, actions, grid: None })
}

/// A cell of the map: an arrow, or its letter where there is nothing to decide.
fn arrow_of(grid: &GridLayout, solution: &MdpSolution, cell: usize) -> char {
    match grid.decides(cell) {
        true => grid.arrows[solution.policy[cell]],
        false => grid.letters[cell] as char,
    }
}

/// Values and arrows in the layout of the map.
fn grid_text(grid: &GridLayout, solution: &MdpSolution) -> String {
    let value = |cell: usize| match grid.decides(cell) {
        true => format!("{:.4}", solution.values[cell]).trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => (grid.letters[cell] as char).to_string(),
    };
    let values: Vec<String> = (0..grid.letters.len()).map(value).collect();
    let wide = values.iter().map(|v| v.chars().count()).max().unwrap_or(1);
    let mut out = String::new();
    for row in values.chunks(grid.columns) {
        let line: Vec<String> = row.iter().map(|v| format!("{v:>wide$}")).collect();
        out += &format!("  {}\n", line.join("  "));
    }
    out.push('\n');
    for first in (0..grid.letters.len()).step_by(grid.columns) {
        let line: Vec<String> =
            (first..(first + grid.columns).min(grid.letters.len())).map(|c| arrow_of(grid, solution, c).to_string()).collect();
        out += &format!("  {}\n", line.join(" "));
    }
    out
}

fn state_table(problem: &MdpProblem, solution: &MdpSolution) -> Report {
    let row = |s: usize| -> Vec<Cell> {
        vec![
            problem.states[s].as_str().into(),
            Cell::Number(solution.values[s]),
            problem.actions[solution.policy[s]].as_str().into(),
        ]
    };
    let mut report = Report::default();
    report.table("", &["state", "value", "action"], (0..problem.states.len()).map(row).collect());
    report
}

fn page(args: &RlSolve, problem: &MdpProblem, solution: &MdpSolution, start: f64) -> Document {
    let (mut values, mut policy) = (DocSection::new("Values").notes(&solution.certificate.notes), DocSection::new("Policy"));
    match &problem.grid {
        Some(grid) => {
            let lines = grid.letters.len() / grid.columns;
            let value = |i: usize| if grid.decides(i) { solution.values[i] } else { f64::NAN };
            let cells = Mat::from_vec(lines, grid.columns, (0..grid.letters.len()).map(value).collect());
            let names = |n: usize| (0..n).map(|i| i.to_string()).collect();
            let heat = Heatmap { title: "Values".into(), rows: names(lines), columns: names(grid.columns), values: cells };
            values = values.figures(vec![Figure::new("values", "The value of each cell", heat).wide()]);
            policy = policy
                .with(DocBlock::Code { name: "Values and best actions, cell by cell".into(), text: grid_text(grid, solution) });
        }
        None => {
            let mut report = state_table(problem, solution);
            if let Some(Section::Table { rows, .. }) = report.sections.first_mut() {
                rows.truncate(args.rows);
            }
            values.blocks.extend(report.sections.iter().filter_map(|s| DocBlock::of(s, "values")));
        }
    }
    let mut sweeps = DocSection::new("Sweeps");
    if let Some(change) = solution.trace.column("change") {
        let points = |values: Vec<f64>| (1..).zip(values).map(|(i, v)| (f64::from(i), v)).collect::<Vec<_>>();
        let mut chart = Chart::new("The largest change of a value", "sweep", "largest change").log_y().sized(560.0, 340.0);
        chart = chart.with(Series::line("change", points(change)));
        if let Some(bound) = solution.trace.column("bound") {
            chart = chart.with(Series::dashed("bound on the error", points(bound)));
        }
        sweeps = sweeps.figures(vec![Figure::new("sweeps", chart.title.clone(), chart).wide()]);
    }
    Document::new(format!("{}, solved", problem.name), format!("The value of the start is {}.", precise(start)))
        .kind("Decision process")
        .fact("States", text::count(problem.table.states()))
        .fact("Actions", problem.table.actions().to_string())
        .fact("Discount", args.gamma.to_string())
        .with(values)
        .with(policy)
        .with(sweeps)
}
