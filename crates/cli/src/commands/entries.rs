//! Lists of what can be chosen by name: policies, agents, environments.

use std::fmt::Write;

use anyhow::Result;
use ermine::agent::catalog::{CatalogEntry, find};
use ermine::core::Error;
use serde_json::{Map, Value, json};

use super::{print, print_json};
use crate::args::agents::CatalogArgs;
use crate::text::{self, Align};

/// Where the texts of one thing begin.
const INDENT: usize = 14;

/// Prints all entries of a kind, or one of them. `what` is the kind in the singular, "policy" say, and `plural` its key in JSON.
pub fn list(command: &str, what: &str, plural: &str, entries: &'static [CatalogEntry], args: &CatalogArgs) -> Result<()> {
    if let Some(name) = &args.name {
        return one(command, what, find(what, name, entries)?, args);
    }
    if args.everywhere.json {
        let all: Vec<Value> = entries.iter().map(|e| describe(what, e)).collect();
        return print_json(command, &args.everywhere, 0.0, json!({ plural: all }));
    }
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    let mut out: String = entries.iter().map(|e| text::indent_wrapped(e.name, e.summary, width + 4)).collect();
    writeln!(out, "\nermine {command} NAME shows the rule and the parameters.")?;
    print(&out)
}

fn default(entry: &CatalogEntry, at: usize) -> Value {
    serde_json::from_str(entry.params[at].default).unwrap_or(Value::Null)
}

fn one(command: &str, what: &str, entry: &CatalogEntry, args: &CatalogArgs) -> Result<()> {
    if args.everywhere.json {
        return print_json(command, &args.everywhere, 0.0, describe(what, entry));
    }
    let mut out = text::indent_wrapped(&format!("{}:", entry.name), entry.summary, INDENT);
    out += &text::indent_wrapped("rule", entry.rule, INDENT);
    if !entry.reference.is_empty() {
        out += &text::indent_wrapped("source", entry.reference, INDENT);
    }
    if !entry.params.is_empty() {
        let word = |at: usize| text::truncate(&default(entry, at).to_string(), 20);
        let used = |f: &dyn Fn(usize) -> usize| (0..entry.params.len()).map(f).max().unwrap_or(0);
        let room = 80 - 7 - used(&|k| entry.params[k].spec.name.len()) - used(&|k| word(k).chars().count().max(7));
        let rows: Vec<Vec<String>> = entry
            .params
            .iter()
            .enumerate()
            .map(|(k, p)| vec![p.spec.name.to_owned(), word(k), text::truncate(&p.spec.range.describe(), room)])
            .collect();
        writeln!(out, "\nParameters: {}(NAME=VALUE, …)", entry.name)?;
        out += &text::table(&["name", "default", "range"], &[Align::Left; 3], &rows);
        writeln!(out)?;
        entry.params.iter().for_each(|p| out += &text::indent_wrapped(p.spec.name, p.spec.doc, INDENT));
    }
    print(&out)
}

fn describe(what: &str, entry: &CatalogEntry) -> Value {
    let param = |(k, p): (usize, &ermine::agent::catalog::ParamDefault)| json!({"name": p.spec.name, "default": default(entry, k), "range": p.spec.range.describe(), "meaning": p.spec.doc});
    let params: Vec<Value> = entry.params.iter().enumerate().map(param).collect();
    json!({what: entry.name, "summary": entry.summary, "rule": entry.rule, "reference": entry.reference, "params": params})
}

/// Reads `KEY=VALUE` pairs; a value is JSON where it reads as such and a word otherwise.
pub fn pairs(flag: &str, set: &[String]) -> Result<Map<String, Value>> {
    let mut params = Map::new();
    for pair in set {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| crate::error::UsageError(format!("{flag} {pair}: write KEY=VALUE")))?;
        params.insert(key.trim().to_owned(), ermine::agent::catalog::value_of(value));
    }
    Ok(params)
}

/// What was typed and does not read is a wrong command line.
pub fn typed(error: Error) -> anyhow::Error {
    match error {
        Error::Data(message) => crate::error::UsageError(message).into(),
        other => other.into(),
    }
}
