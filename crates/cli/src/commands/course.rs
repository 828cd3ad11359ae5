//! `ermine course`: the theorems of the course, run.

use std::fmt::Write;
use std::time::Instant;

use anyhow::{Context as _, Result};
use ermine::core::typed::parse_pairs;
use ermine::course::{CHAPTERS, Chapter, Theorem, TheoremCheck, TheoremData, TheoremInput, chapter, theorem, theorems};
use serde_json::{Value, json};

use super::{print, print_json};
use crate::args::CourseArgs;
use crate::error::UsageError;
use crate::text;

pub fn run(args: &CourseArgs) -> Result<()> {
    match &args.what {
        _ if args.all => all(args),
        None => chapters(args),
        Some(what) => match what.parse::<u32>() {
            Ok(number) => one_chapter(args, chapter(number)?),
            Err(_) => one_theorem(args, theorem(what)?),
        },
    }
}

fn chapters(args: &CourseArgs) -> Result<()> {
    if args.everywhere.json {
        let list: Vec<Value> =
            CHAPTERS.iter().map(|c| json!({"chapter": c.number, "title": c.title, "theorems": c.theorems.len()})).collect();
        return print_json("course", &args.everywhere, 0.0, json!({ "chapters": list }));
    }
    let mut out = String::new();
    for c in CHAPTERS {
        writeln!(out, "{:>4}  {} ({} theorems)", c.number, c.title, c.theorems.len())?;
    }
    writeln!(out, "\nermine course 3 lists the theorems of a chapter, ermine course T3.10 runs one.")?;
    print(&out)
}

fn one_chapter(args: &CourseArgs, chapter: &Chapter) -> Result<()> {
    refuse_settings(args)?;
    if args.everywhere.json {
        let list: Vec<Value> = chapter.theorems.iter().map(describe).collect();
        let object = json!({"chapter": chapter.number, "title": chapter.title, "theorems": list});
        return print_json("course", &args.everywhere, 0.0, object);
    }
    let mut out = format!("{}. {}\n\n", chapter.number, chapter.title);
    for t in chapter.theorems {
        out += &text::indent_wrapped(t.id, t.statement, 8);
        for p in t.params {
            let entry = format!("{} from {} to {}: {}", p.default, p.low, p.high, p.meaning);
            out += &text::indent_wrapped(&format!("        --set {}=", p.name), &entry, 28);
        }
    }
    print(&out)
}

fn describe(t: &Theorem) -> Value {
    let params: Vec<Value> = t
        .params
        .iter()
        .map(|p| json!({"name": p.name, "default": p.default, "low": p.low, "high": p.high, "whole": p.whole, "meaning": p.meaning}))
        .collect();
    json!({"id": t.id, "statement": t.statement, "notes": t.notes, "uses": t.uses, "takes_data": t.takes_data, "params": params})
}

fn refuse_settings(args: &CourseArgs) -> Result<()> {
    let options = [(!args.set.is_empty(), "--set"), (args.data.is_some(), "DATA"), (args.svg.is_some(), "--svg")];
    match options.iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(UsageError(format!("{what} is for one theorem: ermine course T3.10 {what} …")).into()),
        None => Ok(()),
    }
}

fn one_theorem(args: &CourseArgs, theorem: &Theorem) -> Result<()> {
    let started = Instant::now();
    let mut input = TheoremInput::new().seed(args.everywhere.seed);
    for (name, value) in parse_pairs(args.set.iter().map(String::as_str), || "--set ".into())? {
        let number = value.as_f64().ok_or_else(|| UsageError(format!("--set {name}: parameters of theorems are numbers")))?;
        input = input.set(&name, number);
    }
    if let Some(data) = &args.data {
        let table = args.reading.read(data)?.table;
        input = input.data(TheoremData::from_table(&table, args.target.as_deref())?);
    }
    let check = theorem.run(&input)?;
    if let Some(path) = &args.svg {
        let chart = check.chart.as_ref().with_context(|| format!("{} has no picture", theorem.id))?;
        std::fs::write(path, chart.to_svg()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.everywhere.json {
        return print_json("course", &args.everywhere, started.elapsed().as_secs_f64(), check.to_json());
    }
    let picture = check.chart.as_ref().map_or(String::new(), |c| format!("\n{}", c.to_text(80, 16)));
    print(&format!("{}{picture}", check.to_text()))
}

fn all(args: &CourseArgs) -> Result<()> {
    let started = Instant::now();
    let input = TheoremInput::new().seed(args.everywhere.seed);
    let checks = theorems().map(|t| Ok(t.run(&input)?)).collect::<Result<Vec<TheoremCheck>>>()?;
    if args.everywhere.json {
        let list: Vec<Value> = checks.iter().map(TheoremCheck::to_json).collect();
        return print_json("course", &args.everywhere, started.elapsed().as_secs_f64(), json!({ "theorems": list }));
    }
    let mut out = String::new();
    for c in &checks {
        let refuted = c.misprints.iter().filter(|m| m.refuted()).count();
        let misprints = if refuted > 0 {
            format!(" ({refuted} misprint{} refuted)", if refuted > 1 { "s" } else { "" })
        } else {
            String::new()
        };
        out +=
            &text::indent_wrapped(&format!("{:<7}{:<15}", c.id, c.verdict().name()), &format!("{}{misprints}", c.statement), 24);
    }
    writeln!(out, "\n{} theorems in {:.1} s", checks.len(), started.elapsed().as_secs_f64())?;
    print(&out)
}
