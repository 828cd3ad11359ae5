//! `ermine report`, and `--report` of other commands: a report about a model.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use anyhow::Result;
use ermine::core::{Flow, Progress, file};
use ermine::document::Document;
use ermine::prelude::*;
use ermine::report::{ReportInput, ReportOptions};
use serde_json::json;

use super::evaluate::cost_pair;
use super::fit::{model_name, task_of};
use super::{print, print_json, print_notes};
use crate::args::{GlobalArgs, ReportArgs};
use crate::error::UsageError;
use crate::load::{self, LabeledRows};
use crate::progress::ProgressLine;
use crate::text;

pub fn run(args: &ReportArgs) -> Result<()> {
    let started = Instant::now();
    check(&args.output)?;
    let fitted = load::open(&args.model)?;
    let known = LabeledRows::read(&args.reading, &args.data, args.weight.as_ref(), &fitted)?;
    let settings = ReportOptions {
        folds: args.folds,
        sample: args.sample,
        measure: args.metric.clone(),
        cost: args.cost.as_deref().map(cost_pair).transpose()?,
        learning_curve: match args.learning_curve.as_str() {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        },
        ..ReportOptions::default()
    };
    let mut subject = ReportInput::new(&fitted, known.dataset(&fitted), settings);
    subject.origin.read_file_info(&args.data)?;
    subject.origin.model = Some(args.model.display().to_string());
    subject.origin.notes = known.notes.clone();
    let written = write(&args.output, subject, &args.everywhere)?;
    print_notes(&args.everywhere, &known.notes);
    let seconds = started.elapsed().as_secs_f64();
    if args.everywhere.json {
        let more = json!({
            "model": model_name(&fitted), "task": task_of(&fitted), "n_rows": known.rows.view().rows(), "written": written,
            "notes": known.notes,
        });
        return print_json("report", &args.everywhere, seconds, more);
    }
    let size = written.first().and_then(|p| p.metadata().ok()).map_or(0, |m| m.len());
    print(&format!(
        "{} written ({} KB) in {}\n",
        args.output.display(),
        text::count((size / 1024) as usize),
        text::seconds(seconds)
    ))
}

/// An error if the report could not be written, before long work.
pub fn check(path: &Path) -> Result<()> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("html" | "htm" | "md") => Ok(()),
        _ => Err(UsageError(format!("{}: the name of a report must end in .html or .md", path.display())).into()),
    }
}

/// Builds the report and writes it; returns what was written.
pub fn write(path: &Path, mut subject: ReportInput<'_>, everywhere: &GlobalArgs) -> Result<Vec<PathBuf>> {
    subject.origin.command = command_line(std::env::args());
    let days = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86_400);
    subject.origin.date = ermine::data::format_date(days as f64);
    let bar = ProgressLine::new(everywhere, "making the page");
    let observer = |p: &Progress| -> Flow { bar.observe("the page", p) };
    let page = subject.page(&Context { seed: everywhere.seed, observer: Some(&observer), ..Context::default() })?;
    drop(bar);
    write_page(path, &page)
}

/// Writes a page as Markdown, with its figures in a folder beside it, where the name ends in `.md`, else as HTML; returns what was written.
pub fn write_page(path: &Path, page: &Document) -> Result<Vec<PathBuf>> {
    if path.extension().is_some_and(|e| e != "md") {
        file::write_atomic(path, page.to_html()?.as_bytes())?;
        return Ok(vec![path.to_owned()]);
    }
    let stem = path.file_stem().map_or_else(|| "report".into(), |s| s.to_string_lossy());
    let name = format!("{stem}_files");
    let folder = path.with_file_name(&name);
    let (words, figures) = page.to_markdown(&name.replace(' ', "%20"));
    std::fs::create_dir_all(&folder)?;
    let mut written = vec![path.to_owned()];
    for (figure, svg) in figures {
        let to = folder.join(figure);
        file::write_atomic(&to, svg.as_bytes())?;
        written.push(to);
    }
    file::write_atomic(path, words.as_bytes())?;
    Ok(written)
}

/// The command line, quoted for a shell.
fn command_line(words: impl Iterator<Item = String>) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    let quoted = |w: String| if !w.is_empty() && w.chars().all(plain) { w } else { format!("'{}'", w.replace('\'', r"'\''")) };
    let rest: Vec<String> = words.skip(1).map(quoted).collect();
    format!("ermine {}", rest.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_typed_again() {
        let words = ["/usr/bin/ermine", "report", "a b.ermine", "it's.csv", "--cost", "fp=5,fn=1", ""];
        let line = command_line(words.into_iter().map(str::to_owned));
        assert_eq!(line, r"ermine report 'a b.ermine' 'it'\''s.csv' --cost fp=5,fn=1 ''");
    }
}
