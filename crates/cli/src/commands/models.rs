//! `ermine models`: the catalogue.

use std::fmt::Write;

use anyhow::Result;
use ermine::core::{AnyLearner, Family, Range};
use serde_json::{Value, json};

use super::entries::{INDENT, parameter_help};
use super::{print, print_json};
use crate::args::ModelsArgs;
use crate::text;

pub fn run(args: &ModelsArgs) -> Result<()> {
    match &args.name {
        None => all(args),
        Some(name) => one(args, &*ermine::learner(name)?),
    }
}

fn all(args: &ModelsArgs) -> Result<()> {
    let mut learners: Vec<_> = ermine::catalogue().collect();
    learners.sort_by_key(|l| l.spec().family);
    if args.everywhere.json {
        let list: Vec<Value> = learners.iter().map(|l| describe(&**l)).collect();
        return print_json("models", &args.everywhere, 0.0, json!({ "models": list }));
    }
    let width = learners.iter().map(|l| l.spec().name.len()).max().unwrap_or(0);
    let mut out = String::new();
    let mut family: Option<Family> = None;
    for l in &learners {
        let spec = l.spec();
        if family != Some(spec.family) {
            let gap = if family.is_some() { "\n" } else { "" };
            writeln!(out, "{gap}{}", spec.family.title())?;
            family = Some(spec.family);
        }
        out += &text::indent_wrapped(spec.name, spec.summary, width + 4);
    }
    writeln!(out, "\nermine models NAME shows the objective and the parameters.")?;
    print(&out)
}

fn one(args: &ModelsArgs, learner: &dyn AnyLearner) -> Result<()> {
    if args.everywhere.json {
        return print_json("models", &args.everywhere, 0.0, describe(learner));
    }
    let spec = learner.spec();
    let mut out = text::indent_wrapped(&format!("{}:", spec.name), spec.summary, INDENT);
    let tasks: Vec<&str> = spec.tasks.iter().map(|t| t.name()).collect();
    writeln!(out, "\n  does        {}", tasks.join(", "))?;
    write!(out, "{}", text::indent_wrapped("objective", spec.objective, INDENT))?;
    let a = spec.accepts;
    let accepts: Vec<&str> = [
        (a.weights, "weights"),
        (a.missing, "missing values"),
        (a.categorical, "categories"),
        (a.sparse, "sparse rows"),
        (a.multi_target, "several targets"),
        (a.passes, "data larger than memory (--stream)"),
    ]
    .into_iter()
    .filter_map(|(yes, word)| yes.then_some(word))
    .collect();
    write!(
        out,
        "{}",
        text::indent_wrapped("accepts", &if accepts.is_empty() { "complete numbers".into() } else { accepts.join(", ") }, INDENT)
    )?;
    if !spec.notes.is_empty() {
        write!(out, "{}", text::indent_wrapped("notes", spec.notes, INDENT))?;
    }
    if !spec.reference.is_empty() {
        write!(out, "{}", text::indent_wrapped("source", spec.reference, INDENT))?;
    }
    out += &parameter_help(spec, &learner.params(), "Parameters (--set NAME=VALUE)");
    print(&out)
}

fn describe(learner: &dyn AnyLearner) -> Value {
    let spec = learner.spec();
    let params = learner.params();
    let param = |p: &ermine::core::ParamSpec| json!({"name": p.name, "default": params[p.name], "range": p.range.describe(), "choices": choices(&p.range), "meaning": p.doc});
    let a = spec.accepts;
    json!({
        "model": spec.name, "summary": spec.summary, "objective": spec.objective, "family": spec.family.title(),
        "notes": spec.notes, "reference": spec.reference, "tasks": spec.tasks,
        "accepts": {"weights": a.weights, "missing": a.missing, "categorical": a.categorical, "sparse": a.sparse,
                    "passes": a.passes, "multi_target": a.multi_target},
        "params": spec.params.iter().map(param).collect::<Vec<_>>(),
    })
}

fn choices(range: &Range) -> Vec<&'static str> {
    match range {
        Range::Choice(words) => words.to_vec(),
        Range::Optional(inner) => choices(inner),
        Range::Either(a, b) => [choices(a), choices(b)].concat(),
        _ => Vec::new(),
    }
}
