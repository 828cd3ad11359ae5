//! A self-contained document: text, tables, figures, and a threshold explorer.
//!
//! A [`Document`] is a description. [`Document::to_html`] makes one file of it that needs no network: styles, scripts
//! and figures are inside, and a content security policy forbids everything else. It follows the light or dark setting
//! of its reader, prints, fits a phone, and works with screen readers and the keyboard. [`Document::to_markdown`] makes
//! a text with its figures as SVG files beside it.
//!
//! ```
//! use ermine::chart::{Chart, Series};
//! use ermine::document::{DocSection, Document, Figure};
//!
//! let chart = Chart::new("Loss", "step", "loss").with(Series::line("loss", vec![(0.0, 1.0), (1.0, 0.4)])).sized(400.0, 280.0);
//! let figure = Figure::new("loss", "Loss", chart).alt_text("The loss falls from 1 to 0.4 in one step.");
//! let page = Document::new("A run", "What happened.").with(DocSection::new("Course").figures(vec![figure]));
//! assert!(page.to_html()?.contains("falls from 1 to 0.4"));
//! # Ok::<(), ermine_core::Error>(())
//! ```

mod explorer;
mod html;
mod markdown;
mod section;

use serde::Serialize;

use crate::chart::{Bars, BeeswarmChart, Chart, Heatmap, TreeChart};

pub use explorer::{ExplorerClass, ThresholdExplorer};

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// The kind of document, in a word or two above the title.
    pub kind: String,
    /// The title.
    pub title: String,
    /// A summary of a sentence or two.
    pub lead: String,
    /// The most important facts, in a line: data, rows, model.
    pub facts: Vec<(String, String)>,
    /// The parts, in reading order.
    pub parts: Vec<DocSection>,
    /// The footer.
    pub footer: String,
}

/// A section, with a heading.
#[derive(Debug, Clone, Default)]
pub struct DocSection {
    /// The heading.
    pub title: String,
    /// An introduction of a sentence or two; nothing when empty.
    pub lead: String,
    /// Its content, in reading order.
    pub blocks: Vec<DocBlock>,
}

/// A block of a section.
#[derive(Debug, Clone)]
pub enum DocBlock {
    /// A paragraph.
    Text(String),
    /// A warning.
    Note(String),
    /// Important numbers, large.
    Tiles(Vec<MetricTile>),
    /// A table.
    Table(DocTable),
    /// Figures, side by side where there is room.
    Figures(Vec<Figure>),
    /// Preformatted text, with a name.
    Code {
        /// Its name.
        name: String,
        /// The text.
        text: String,
    },
    /// Pictures in letters, one per step of an episode, to be stepped through or played.
    Frames {
        /// The heading.
        title: String,
        /// The pictures, in order.
        frames: Vec<String>,
    },
    /// Blocks that are shown on demand.
    Fold {
        /// The heading.
        title: String,
        /// The blocks.
        blocks: Vec<DocBlock>,
    },
    /// A threshold explorer.
    Explorer(Box<ThresholdExplorer>),
}

/// An important number.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MetricTile {
    /// Its name.
    pub name: String,
    /// The number.
    pub value: String,
    /// Its uncertainty, or a value to compare it with.
    pub detail: String,
}

/// A table.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DocTable {
    /// The caption.
    pub caption: String,
    /// Headings of the columns; numbers are right-aligned.
    pub heads: Vec<TableHead>,
    /// The rows. The first cell of a row is its head.
    pub rows: Vec<Vec<TableCell>>,
    /// A note below.
    pub note: String,
    /// Whether it is a table of counts with colors, such as a confusion matrix.
    pub tight: bool,
}

/// A column heading.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TableHead {
    /// The text.
    pub text: String,
    /// Whether the column has numbers.
    pub number: bool,
}

impl TableHead {
    /// The heading of a text column.
    pub fn word(text: impl Into<String>) -> Self {
        Self { text: text.into(), number: false }
    }

    /// The heading of a number column.
    pub fn number(text: impl Into<String>) -> Self {
        Self { text: text.into(), number: true }
    }
}

/// A cell of a table.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TableCell {
    /// The text.
    pub text: String,
    /// A small picture in front, made by [`crate::chart::spark`].
    pub spark: String,
    /// Strength of the background color, from 0 to 1; negative values in the color of errors.
    pub tint: f64,
    /// Whether it is highlighted.
    pub strong: bool,
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// The drawing of a figure.
#[derive(Debug, Clone)]
pub enum FigureKind {
    /// Series over axes.
    Chart(Chart),
    /// Named values.
    Bars(Bars),
    /// Many values per row.
    Swarm(BeeswarmChart),
    /// A heat map.
    Heat(Heatmap),
    /// A tree.
    Tree(TreeChart),
}

impl FigureKind {
    /// A complete SVG document.
    pub fn to_svg(&self) -> String {
        match self {
            Self::Chart(c) => c.to_svg(),
            Self::Bars(c) => c.to_svg(),
            Self::Swarm(c) => c.to_svg(),
            Self::Heat(c) => c.to_svg(),
            Self::Tree(c) => c.to_svg(),
        }
    }

    fn to_inline(&self, alt_text: &str) -> String {
        match self {
            Self::Chart(c) => c.to_inline(alt_text),
            Self::Bars(c) => c.to_inline(alt_text),
            Self::Swarm(c) => c.to_inline(alt_text),
            Self::Heat(c) => c.to_inline(alt_text),
            Self::Tree(c) => c.to_inline(alt_text),
        }
    }
}

macro_rules! drawing {
    ($($kind:ident => $from:ty),*) => {$(
        impl From<$from> for FigureKind {
            fn from(chart: $from) -> Self {
                Self::$kind(chart)
            }
        }
    )*};
}
drawing!(Chart => Chart, Bars => Bars, Swarm => BeeswarmChart, Heat => Heatmap, Tree => TreeChart);

/// A figure.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Its name in file names of its SVG, and for scripts.
    pub name: String,
    /// The title.
    pub title: String,
    /// The picture.
    pub drawing: FigureKind,
    /// The alternative text.
    pub alt_text: String,
    /// The caption.
    pub caption: String,
    /// Whether it has the full width.
    pub wide: bool,
}

impl Figure {
    /// A figure with a title only.
    pub fn new(name: impl Into<String>, title: impl Into<String>, drawing: impl Into<FigureKind>) -> Self {
        let (name, title) = (name.into(), title.into());
        Self { name, alt_text: title.clone(), title, drawing: drawing.into(), caption: String::new(), wide: false }
    }

    /// Sets the alternative text.
    #[must_use]
    pub fn alt_text(mut self, words: impl Into<String>) -> Self {
        self.alt_text = words.into();
        self
    }

    /// Sets the caption.
    #[must_use]
    pub fn caption(mut self, words: impl Into<String>) -> Self {
        self.caption = words.into();
        self
    }

    /// Gives it the full width.
    #[must_use]
    pub fn wide(mut self) -> Self {
        self.wide = true;
        self
    }
}

impl Document {
    /// A document without sections.
    pub fn new(title: impl Into<String>, lead: impl Into<String>) -> Self {
        let footer = format!(
            "Made by Ermine {}. This file is self-contained and loads nothing from the network.",
            env!("CARGO_PKG_VERSION")
        );
        Self { title: title.into(), lead: lead.into(), footer, ..Self::default() }
    }

    /// Says what kind of page it is.
    #[must_use]
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = kind.into();
        self
    }

    /// Adds a section; an empty one is left out.
    #[must_use]
    pub fn with(mut self, part: DocSection) -> Self {
        if !part.blocks.is_empty() {
            self.parts.push(part);
        }
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.facts.push((name.into(), value.into()));
        self
    }

    /// All figures, in reading order.
    pub fn figures(&self) -> Vec<&Figure> {
        fn of<'a>(blocks: &'a [DocBlock], out: &mut Vec<&'a Figure>) {
            for block in blocks {
                match block {
                    DocBlock::Figures(figures) => out.extend(figures),
                    DocBlock::Fold { blocks, .. } => of(blocks, out),
                    _ => {}
                }
            }
        }
        let mut out = Vec::new();
        self.parts.iter().for_each(|p| of(&p.blocks, &mut out));
        out
    }
}

impl DocSection {
    /// An empty section.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Sets the introduction.
    #[must_use]
    pub fn lead(mut self, words: impl Into<String>) -> Self {
        self.lead = words.into();
        self
    }

    /// Adds a block.
    #[must_use]
    pub fn with(mut self, block: DocBlock) -> Self {
        self.blocks.push(block);
        self
    }

    /// Adds figures, if there are any.
    #[must_use]
    pub fn figures(mut self, figures: Vec<Figure>) -> Self {
        if !figures.is_empty() {
            self.blocks.push(DocBlock::Figures(figures));
        }
        self
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn text(self, words: impl Into<String>) -> Self {
        self.with(DocBlock::Text(words.into()))
    }

    /// Adds a paragraph that warns for each note.
    #[must_use]
    pub fn notes(mut self, notes: &[String]) -> Self {
        self.blocks.extend(notes.iter().map(|note| DocBlock::Note(crate::format::capital(note))));
        self
    }
}

/// A title as an anchor: lower-case letters, digits and hyphens.
fn slug(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(|w| w.chars().flat_map(char::to_lowercase).filter(char::is_ascii).collect())
        .collect();
    let out = words.join("-");
    if out.is_empty() { "part".into() } else { out }
}

#[cfg(test)]
mod tests;
