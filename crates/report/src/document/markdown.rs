//! A document as Markdown, with its figures as files.

use std::fmt::Write;

use super::{DocBlock, DocTable, Document, Figure, ThresholdExplorer};
use crate::format;

impl Document {
    /// The document as Markdown, and its figures as name and SVG: `folder` is their path in the text.
    pub fn to_markdown(&self, folder: &str) -> (String, Vec<(String, String)>) {
        let mut out = format!("# {}\n", escape(&self.title));
        if !self.lead.is_empty() {
            let _ = write!(out, "\n{}\n", escape(&self.lead));
        }
        if !self.facts.is_empty() {
            out.push('\n');
            self.facts.iter().for_each(|(name, value)| {
                let _ = writeln!(out, "- **{}** {}", escape(name), escape(value));
            });
        }
        let mut files = Vec::new();
        for part in &self.parts {
            let _ = write!(out, "\n## {}\n", escape(&part.title));
            if !part.lead.is_empty() {
                let _ = write!(out, "\n{}\n", escape(&part.lead));
            }
            part.blocks.iter().for_each(|b| block(&mut out, b, folder, &mut files));
        }
        if !self.footer.is_empty() {
            let _ = write!(out, "\n---\n\n{}\n", escape(&self.footer));
        }
        (out, files)
    }
}

fn block(out: &mut String, of: &DocBlock, folder: &str, files: &mut Vec<(String, String)>) {
    match of {
        DocBlock::Text(text) => {
            let _ = write!(out, "\n{}\n", escape(text));
        }
        DocBlock::Note(text) => {
            let _ = write!(out, "\n> {}\n", escape(text));
        }
        DocBlock::Tiles(tiles) => {
            out.push('\n');
            for tile in tiles {
                let detail = if tile.detail.is_empty() { String::new() } else { format!(" ({})", escape(&tile.detail)) };
                let _ = writeln!(out, "- {}: **{}**{detail}", escape(&tile.name), escape(&tile.value));
            }
        }
        DocBlock::Table(grid) => table(out, grid),
        DocBlock::Figures(figures) => figures.iter().for_each(|f| figure(out, f, folder, files)),
        DocBlock::Code { name, text } => code(out, name, text),
        DocBlock::Frames { title, frames } => {
            // An animation is shown by its first and its last frame.
            let ends = [(0, frames.first()), (frames.len().saturating_sub(1), frames.last())];
            let shown = if frames.len() < 2 { 1 } else { 2 };
            for (step, frame) in ends.into_iter().take(shown) {
                frame.inspect(|f| code(out, &format!("{title}, step {step}"), f.trim_end()));
            }
        }
        DocBlock::Fold { title, blocks } => {
            let _ = write!(out, "\n### {}\n", escape(title));
            blocks.iter().for_each(|b| block(out, b, folder, files));
        }
        DocBlock::Explorer(explorer) => decisions(out, explorer),
    }
}

/// Text within a fence that is longer than any within.
fn code(out: &mut String, name: &str, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = write!(out, "\n{}\n\n{fence}\n{text}\n{fence}\n", escape(name));
}

fn figure(out: &mut String, of: &Figure, folder: &str, files: &mut Vec<(String, String)>) {
    let file = format!("{}.svg", of.name);
    let alt_text = of.alt_text.replace(['[', ']', '\n'], " ");
    let _ = write!(out, "\n![{}]({folder}/{file})\n", escape(&alt_text));
    if !of.caption.is_empty() {
        let _ = write!(out, "\n{}\n", escape(&of.caption));
    }
    files.push((file, of.drawing.to_svg()));
}

fn table(out: &mut String, grid: &DocTable) {
    if !grid.caption.is_empty() {
        let _ = write!(out, "\n**{}**\n", escape(&grid.caption));
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    out.push('\n');
    *out += &line(grid.heads.iter().map(|h| escape(&h.text)).collect());
    *out += &line(grid.heads.iter().map(|h| if h.number { "--:" } else { ":--" }.to_owned()).collect());
    for row in &grid.rows {
        let cell = |e: &super::TableCell| if e.strong { format!("**{}**", escape(&e.text)) } else { escape(&e.text) };
        *out += &line(row.iter().map(cell).collect());
    }
    if !grid.note.is_empty() {
        let _ = write!(out, "\n{}\n", escape(&grid.note));
    }
}

/// The explorer as a table at some thresholds.
fn decisions(out: &mut String, explorer: &ThresholdExplorer) {
    for class in &explorer.classes {
        let (fp, fn_) = (format::number(explorer.fp), format::number(explorer.fn_));
        let name = escape(&class.name);
        let _ = write!(out, "\n**Deciding for {name}**, a false alarm at {fp} and a miss at {fn_}\n\n");
        *out += "| from probability | right alarms | false alarms | misses | precision | recall | cost |\n";
        *out += "|--:|--:|--:|--:|--:|--:|--:|\n";
        let best = explorer.best(class);
        let mut shown: Vec<usize> = (1..10).map(|t| t * explorer.steps / 10).chain([best]).collect();
        shown.sort_unstable();
        shown.dedup();
        for k in shown {
            let (tp, fp) = (class.tp[k], class.fp[k]);
            let share = |part: f64, of: f64| if of > 0.0 { format::percent(part / of) } else { "–".into() };
            let cells = [
                format!("{}{}", format::number(k as f64 / explorer.steps as f64), if k == best { " (least cost)" } else { "" }),
                format::number(tp),
                format::number(fp),
                format::number(class.positives - tp),
                share(tp, tp + fp),
                share(tp, class.positives),
                format::number(explorer.cost(class, k)),
            ];
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
    }
}

/// Text escaped for Markdown.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
