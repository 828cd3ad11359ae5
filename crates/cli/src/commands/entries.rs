//! Lists of named policies, agents and environments.

use std::fmt::Write;

use anyhow::Result;
use ermine::agent::catalog::{CatalogEntry, find};
use ermine::core::{ParamSpec, Spec};
use serde_json::{Value, json};

use super::{print, print_json};
use crate::args::agents::CatalogArgs;
use crate::text::{self, Align};

/// Where the texts of one thing begin.
pub const INDENT: usize = 14;

/// Prints all entries of a kind, or one of them. `what` is the kind in the singular, "policy" say, and `plural` its key in JSON.
pub fn list(command: &str, what: &str, plural: &str, entries: &'static [CatalogEntry], args: &CatalogArgs) -> Result<()> {
    if let Some(name) = &args.name {
        return one(command, what, find(what, name, entries)?, args);
    }
    if args.everywhere.json {
        let all: Vec<Value> = entries.iter().map(|e| describe(what, e)).collect();
        return print_json(command, &args.everywhere, 0.0, json!({ plural: all }));
    }
    let specs = || entries.iter().map(|e| &e.spec);
    let width = specs().map(|s| s.name.len()).max().unwrap_or(0);
    let mut out: String = specs().map(|s| text::indent_wrapped(s.name, s.summary, width + 4)).collect();
    writeln!(out, "\nermine {command} NAME shows the rule and the parameters.")?;
    print(&out)
}

fn one(command: &str, what: &str, entry: &CatalogEntry, args: &CatalogArgs) -> Result<()> {
    if args.everywhere.json {
        return print_json(command, &args.everywhere, 0.0, describe(what, entry));
    }
    let spec = &entry.spec;
    let mut out = text::indent_wrapped(&format!("{}:", spec.name), spec.summary, INDENT);
    out += &text::indent_wrapped("rule", spec.objective, INDENT);
    if !spec.reference.is_empty() {
        out += &text::indent_wrapped("source", spec.reference, INDENT);
    }
    out += &parameter_help(spec, &(entry.defaults)(), &format!("Parameters: {}(NAME=VALUE, …)", spec.name));
    print(&out)
}

/// A table of the parameters with their defaults and ranges below a heading, and what each is for; nothing where there are none.
pub fn parameter_help(spec: &Spec, defaults: &Value, heading: &str) -> String {
    if spec.params.is_empty() {
        return String::new();
    }
    let default = |p: &ParamSpec| text::truncate(&defaults[p.name].to_string(), 16);
    let used = |f: &dyn Fn(&ParamSpec) -> usize| spec.params.iter().map(f).max().unwrap_or(0);
    let room = 80 - 7 - used(&|p| p.name.len()) - used(&|p| default(p).chars().count().max("default".len()));
    let row = |p: &ParamSpec| vec![p.name.to_owned(), default(p), text::truncate(&p.range.describe(), room)];
    let rows: Vec<Vec<String>> = spec.params.iter().map(row).collect();
    let table = text::table(&["name", "default", "range"], &[Align::Left; 3], &rows);
    let meanings: String = spec.params.iter().map(|p| text::indent_wrapped(p.name, p.doc, INDENT)).collect();
    format!("\n{heading}\n{table}\n{meanings}")
}

fn describe(what: &str, entry: &CatalogEntry) -> Value {
    let (spec, defaults) = (&entry.spec, (entry.defaults)());
    let param =
        |p: &ParamSpec| json!({"name": p.name, "default": defaults[p.name], "range": p.range.describe(), "meaning": p.doc});
    let params: Vec<Value> = spec.params.iter().map(param).collect();
    json!({what: spec.name, "summary": spec.summary, "rule": spec.objective, "reference": spec.reference, "params": params})
}
