//! A document as one HTML file.

use ermine_core::{Error, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;

use super::{DocBlock, DocSection, DocTable, Document, MetricTile, ThresholdExplorer, slug};
use crate::chart::page_style;
use crate::format;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A block as input of the template.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum BlockView<'a> {
    Text { text: &'a str },
    Note { text: &'a str },
    Tiles { tiles: &'a [MetricTile] },
    Table { grid: &'a DocTable },
    Figures { figures: Vec<FigureView<'a>> },
    Code { name: &'a str, text: &'a str },
    Frames { title: &'a str, frames: Vec<&'a str> },
    Fold { title: &'a str, blocks: Vec<BlockView<'a>> },
    Explorer { data: &'a ThresholdExplorer, start: usize, json: String, fp: String, r#fn: String },
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
struct SectionView<'a> {
    id: String,
    title: &'a str,
    lead: &'a str,
    blocks: Vec<BlockView<'a>>,
}

impl<'a> BlockView<'a> {
    fn of(block: &'a DocBlock) -> Self {
        match block {
            DocBlock::Text(text) => Self::Text { text },
            DocBlock::Note(text) => Self::Note { text },
            DocBlock::Tiles(tiles) => Self::Tiles { tiles },
            DocBlock::Table(grid) => Self::Table { grid },
            DocBlock::Code { name, text } => Self::Code { name, text },
            DocBlock::Frames { title, frames } => Self::Frames { title, frames: frames.iter().map(|f| f.trim_end()).collect() },
            DocBlock::Fold { title, blocks } => Self::Fold { title, blocks: blocks.iter().map(Self::of).collect() },
            DocBlock::Explorer(data) => {
                let start = data.classes.first().map_or(0, |class| data.best(class));
                Self::Explorer { data, start, json: json(data), fp: format::number(data.fp), r#fn: format::number(data.fn_) }
            }
            DocBlock::Figures(figures) => {
                let view = |f: &'a super::Figure| FigureView {
                    name: &f.name,
                    title: &f.title,
                    svg: f.drawing.to_inline(&f.alt_text),
                    caption: &f.caption,
                    wide: f.wide,
                };
                Self::Figures { figures: figures.iter().map(view).collect() }
            }
        }
    }
}

/// The numbers of an explorer as JSON for the script: integers without a point, and nothing that could end the script.
fn json(data: &ThresholdExplorer) -> String {
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
    /// The document as one self-contained HTML file.
    pub fn to_html(&self) -> Result<String> {
        let wrong = |e: minijinja::Error| Error::Data(format!("the page cannot be made: {e:#}"));
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().map_err(wrong)?;
        environment.set_syntax(syntax);
        environment.add_template("page", TEMPLATE).map_err(wrong)?;
        let mut seen = std::collections::BTreeMap::new();
        let mut view = |part: &'_ DocSection| {
            let id = slug(&part.title);
            let times: &mut usize = seen.entry(id.clone()).or_default();
            *times += 1;
            if *times > 1 { format!("{id}-{times}") } else { id }
        };
        let ids: Vec<String> = self.parts.iter().map(&mut view).collect();
        let parts: Vec<SectionView<'_>> = self
            .parts
            .iter()
            .zip(ids)
            .map(|(p, id)| SectionView {
                id,
                title: &p.title,
                lead: &p.lead,
                blocks: p.blocks.iter().map(BlockView::of).collect(),
            })
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
