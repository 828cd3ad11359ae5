//! One self-contained page of HTML: texts, tables, charts and pictures of an episode. No other file and no address is needed to read it.
//!
//! ```
//! use ermine::chart::{Chart, Series};
//! use ermine::page::Page;
//!
//! let mut page = Page::new("Bandits");
//! page.text("Three policies on the same arms.");
//! page.chart(&Chart::new("Regret", "round", "regret").with(Series::line("ucb", vec![(1.0, 0.0), (10.0, 3.0)])));
//! assert!(page.to_html().starts_with("<!doctype html>"));
//! ```

use std::fmt::Write;

use ermine_core::{Cell, Report, Section};

use crate::chart::{Chart, TreeChart};
use crate::format::number;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,'Segoe UI',Helvetica,Arial,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1f2328;background:#fff}\
h1{font-size:1.6rem}h2{font-size:1.15rem;margin-top:2rem}\
table{border-collapse:collapse;margin:1rem 0;font-size:.92rem;display:block;overflow-x:auto}\
th,td{padding:.25rem .7rem;border-bottom:1px solid #d8dee4;text-align:left;white-space:nowrap}\
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}\
svg{max-width:100%;height:auto}\
pre{font:14px/1.2 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;background:#f6f8fa;padding:1rem;overflow-x:auto}\
.soft{color:#59636e}.frames pre{min-height:10rem}.frames input{width:60%}\
@media (prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#30363d}\
pre{background:#161b22}.soft{color:#9aa4af}}";

/// Shows one picture of an episode at a time; without it all of them stand below each other.
const PLAYER: &str = "\
for(const box of document.querySelectorAll('.frames')){\
const all=[...box.querySelectorAll('pre')],bar=box.querySelector('input'),play=box.querySelector('button'),says=box.querySelector('span');\
let timer=0;\
const show=i=>{all.forEach((p,k)=>p.hidden=k!=i);bar.value=i;says.textContent=' '+i+' of '+(all.length-1)};\
const stop=()=>{clearInterval(timer);timer=0;play.textContent='play'};\
bar.max=all.length-1;box.querySelector('div').hidden=false;show(0);\
bar.oninput=()=>{stop();show(+bar.value)};\
play.onclick=()=>{if(timer)return stop();play.textContent='stop';if(+bar.value>=all.length-1)show(0);\
timer=setInterval(()=>{const i=+bar.value+1;if(i>=all.length)return stop();show(i)},80)};}";

/// A page that is being written.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    title: String,
    body: String,
    plays: bool,
}

/// Text that cannot be taken for markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

impl Page {
    /// A page with a title and nothing else.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), body: String::new(), plays: false }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: &str) -> &mut Self {
        let _ = writeln!(self.body, "<h2>{}</h2>", escape(text));
        self
    }

    /// Adds a paragraph; what has lines of its own keeps them.
    pub fn text(&mut self, text: &str) -> &mut Self {
        let tag = if text.trim_end().contains('\n') { "pre" } else { "p" };
        let _ = writeln!(self.body, "<{tag}>{}</{tag}>", escape(text.trim_end()));
        self
    }

    /// Adds a paragraph each.
    pub fn texts(&mut self, texts: &[String]) -> &mut Self {
        for text in texts {
            self.text(text);
        }
        self
    }

    /// Adds a table.
    pub fn table(&mut self, title: &str, columns: &[String], rows: &[Vec<Cell>]) -> &mut Self {
        self.heading(title);
        let numeric = |j: usize| rows.iter().any(|r| matches!(r.get(j), Some(Cell::Number(_))));
        let class = |j: usize| if numeric(j) { " class=\"n\"" } else { "" };
        self.body.push_str("<table><thead><tr>");
        for (j, name) in columns.iter().enumerate() {
            let _ = write!(self.body, "<th{}>{}</th>", class(j), escape(name));
        }
        self.body.push_str("</tr></thead><tbody>\n");
        for row in rows {
            self.body.push_str("<tr>");
            for (j, cell) in row.iter().enumerate() {
                let text = match cell {
                    Cell::Text(t) => escape(t),
                    Cell::Number(v) if v.fract() == 0.0 && v.abs() < 1e9 => format!("{v:.0}"),
                    Cell::Number(v) => number(*v),
                    Cell::Empty => String::new(),
                };
                let _ = write!(self.body, "<td{}>{text}</td>", class(j));
            }
            self.body.push_str("</tr>\n");
        }
        self.body.push_str("</tbody></table>\n");
        self
    }

    /// Adds a chart.
    pub fn chart(&mut self, chart: &Chart) -> &mut Self {
        self.svg(&chart.to_svg())
    }

    /// Adds a picture.
    pub fn svg(&mut self, svg: &str) -> &mut Self {
        let _ = writeln!(self.body, "<figure>\n{svg}</figure>");
        self
    }

    /// Adds all sections of a report.
    pub fn report(&mut self, report: &Report) -> &mut Self {
        for section in &report.sections {
            match section {
                Section::Text(t) => {
                    self.text(t);
                }
                Section::Table { title, columns, rows, .. } => {
                    self.table(title, columns, rows);
                }
                Section::Plot { .. } => {
                    if let Some(chart) = Chart::of(section) {
                        self.chart(&chart);
                    }
                }
                Section::Tree { .. } => {
                    if let Some(tree) = TreeChart::of(section) {
                        self.svg(&tree.to_svg());
                    }
                }
            }
        }
        self
    }

    /// Adds the pictures of an episode, to be gone through one by one.
    pub fn frames(&mut self, title: &str, frames: &[String]) -> &mut Self {
        self.heading(title);
        self.plays = true;
        self.body.push_str("<section class=\"frames\"><div hidden><button>play</button> ");
        self.body
            .push_str("<input type=\"range\" min=\"0\" value=\"0\" aria-label=\"step\"><span class=\"soft\"></span></div>\n");
        for frame in frames {
            let _ = writeln!(self.body, "<pre>{}</pre>", escape(frame.trim_end()));
        }
        self.body.push_str("</section>\n");
        self
    }

    /// The whole page.
    pub fn to_html(&self) -> String {
        let (title, body) = (escape(&self.title), &self.body);
        let script = if self.plays { format!("<script>{PLAYER}</script>\n") } else { String::new() };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>{title}</h1>\n{body}{script}</body>\n</html>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Series;

    #[test]
    fn a_page_holds_everything_and_nothing_can_break_out_of_it() {
        let hostile = "</pre><script>alert(1)</script>&\"";
        let mut report = Report::default();
        report.text(hostile).table(hostile, &["name", "value"], vec![vec![hostile.into(), 0.123456.into()], vec![Cell::Empty]]);
        let mut page = Page::new(hostile);
        page.report(&report).chart(&Chart::new(hostile, "x", "y").with(Series::line(hostile, vec![(0.0, 1.0), (1.0, 2.0)])));
        assert!(!page.to_html().contains("<script"), "no script without pictures to play");
        page.frames(hostile, &[hostile.to_owned(), "two\nlines".into()]);
        let html = page.to_html();
        assert_eq!(html.matches("<script").count(), 1, "our own alone");
        assert!(!html.contains("alert(1)</script>&\"") && html.contains("&lt;script&gt;"));
        assert!(html.contains("<td class=\"n\">0.1235</td>") && html.contains("two\nlines"));
        for address in ["src=", "href=", "url(", "@import"] {
            assert!(!html.contains(address), "{address} would need another file");
        }
        for tag in ["table", "pre", "section", "figure", "tr", "h2"] {
            assert_eq!(html.matches(&format!("<{tag}")).count(), html.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
