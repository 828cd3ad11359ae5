//! A page as one file of HTML.

use ermine_core::{Error, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;

use super::{Block, Document, Explorer, Grid, Part, Tile, slug};
use crate::chart::page_style;
use crate::words;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A block as the template sees it.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum View<'a> {
    Text { text: &'a str },
    Note { text: &'a str },
    Tiles { tiles: &'a [Tile] },
    Table { grid: &'a Grid },
    Figures { figures: Vec<FigureView<'a>> },
    Code { name: &'a str, text: &'a str },
    Fold { title: &'a str, blocks: Vec<View<'a>> },
    Explorer { data: &'a Explorer, start: usize, json: String, fp: String, r#fn: String },
}

#[derive(Serialize)]
struct FigureView<'a> {
    name: &'a str,
    title: &'a str,
    svg: String,
    caption: &'a str,
    wide: bool,
}

#[derive(Serialize)]
struct PartView<'a> {
    id: String,
    title: &'a str,
    lead: &'a str,
    blocks: Vec<View<'a>>,
}

impl<'a> View<'a> {
    fn of(block: &'a Block) -> Self {
        match block {
            Block::Text(text) => Self::Text { text },
            Block::Note(text) => Self::Note { text },
            Block::Tiles(tiles) => Self::Tiles { tiles },
            Block::Table(grid) => Self::Table { grid },
            Block::Code { name, text } => Self::Code { name, text },
            Block::Fold { title, blocks } => Self::Fold { title, blocks: blocks.iter().map(Self::of).collect() },
            Block::Explorer(data) => {
                let start = data.classes.first().map_or(0, |class| data.best(class));
                Self::Explorer { data, start, json: json(data), fp: words::number(data.fp), r#fn: words::number(data.fn_) }
            }
            Block::Figures(figures) => {
                let view = |f: &'a super::Figure| FigureView {
                    name: &f.name,
                    title: &f.title,
                    svg: f.drawing.to_inline(&f.told),
                    caption: &f.caption,
                    wide: f.wide,
                };
                Self::Figures { figures: figures.iter().map(view).collect() }
            }
        }
    }
}

/// The numbers of an explorer for the script: whole ones without a point, and nothing that ends a script.
fn json(data: &Explorer) -> String {
    let number = |v: f64| if v.fract() == 0.0 && v.abs() < 1e15 { serde_json::json!(v as i64) } else { serde_json::json!(v) };
    let list = |values: &[f64]| values.iter().map(|&v| number(v)).collect::<Vec<_>>();
    let class = |c: &super::ExplorerClass| {
        serde_json::json!({"name": c.name, "positives": number(c.positives), "negatives": number(c.negatives),
                           "tp": list(&c.tp), "fp": list(&c.fp)})
    };
    let classes: Vec<_> = data.classes.iter().map(class).collect();
    serde_json::json!({"steps": data.steps, "classes": classes}).to_string().replace('<', "\\u003c")
}

impl Document {
    /// The page as one file of HTML that needs nothing else.
    pub fn to_html(&self) -> Result<String> {
        let wrong = |e: minijinja::Error| Error::Data(format!("the page cannot be made: {e:#}"));
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(wrong)?;
        environment.set_syntax(syntax);
        environment.add_template("page", TEMPLATE).map_err(wrong)?;
        let mut seen = std::collections::BTreeMap::new();
        let mut view = |part: &'_ Part| {
            let id = slug(&part.title);
            let times: &mut usize = seen.entry(id.clone()).or_default();
            *times += 1;
            if *times > 1 { format!("{id}-{times}") } else { id }
        };
        let ids: Vec<String> = self.parts.iter().map(&mut view).collect();
        let parts: Vec<PartView<'_>> = self
            .parts
            .iter()
            .zip(ids)
            .map(|(p, id)| PartView { id, title: &p.title, lead: &p.lead, blocks: p.blocks.iter().map(View::of).collect() })
            .collect();
        let style = format!("{}{STYLE}", page_style());
        let page = context! {
            kind => &*self.kind, title => &*self.title, lead => &*self.lead, facts => Value::from(Serde(&self.facts)),
            parts => Value::from(Serde(parts)), footer => &*self.footer,
            style => Value::from_safe_string(style), script => Value::from_safe_string(SCRIPT.to_owned()),
        };
        environment.get_template("page").and_then(|t| t.render(page)).map_err(wrong)
    }
}
