//! One self-contained page: text, tables, figures, and a place to move a threshold.
//!
//! A [`Document`] is a description. [`Document::to_html`] makes one file of it that needs no network: styles, scripts and figures are inside, and a policy in
//! its head forbids everything else. It follows the light or dark setting of its reader, prints, fits a phone, and can be read by ear and used by
//! keyboard. [`Document::to_markdown`] makes a text with its figures as SVG files beside it.
//!
//! ```
//! use ermine::chart::{Chart, Series};
//! use ermine::document::{Figure, Document, Part};
//!
//! let chart = Chart::new("Loss", "step", "loss").with(Series::line("loss", vec![(0.0, 1.0), (1.0, 0.4)])).sized(400.0, 280.0);
//! let figure = Figure::new("loss", "Loss", chart).told("The loss falls from 1 to 0.4 in one step.");
//! let page = Document::new("A run", "What happened.").with(Part::new("Course").figures(vec![figure]));
//! assert!(page.to_html()?.contains("falls from 1 to 0.4"));
//! # Ok::<(), ermine::Error>(())
//! ```

mod explorer;
mod html;
mod markdown;

use serde::Serialize;

use crate::chart::{Bars, BeeswarmChart, Chart, Heatmap, TreeChart};

pub use explorer::{ExplorerClass, ThresholdExplorer};

/// A page.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// What kind of page it is, in a word or two above the title.
    pub kind: String,
    /// The title.
    pub title: String,
    /// What it comes to, in a sentence or two.
    pub lead: String,
    /// Things that a reader wants to know first, in a line: data, rows, model.
    pub facts: Vec<(String, String)>,
    /// The parts, in reading order.
    pub parts: Vec<DocSection>,
    /// The last line.
    pub footer: String,
}

/// A part of a page, with a heading.
#[derive(Debug, Clone, Default)]
pub struct DocSection {
    /// The heading.
    pub title: String,
    /// What it shows, in a sentence or two; nothing when empty.
    pub lead: String,
    /// What it holds, in reading order.
    pub blocks: Vec<DocBlock>,
}

/// A piece of a part.
#[derive(Debug, Clone)]
pub enum DocBlock {
    /// A paragraph.
    Text(String),
    /// A paragraph that warns.
    Note(String),
    /// Numbers that matter, large.
    Tiles(Vec<MetricTile>),
    /// A table.
    Table(DocTable),
    /// Figures, side by side where there is room.
    Figures(Vec<Figure>),
    /// Text as it is typed, with a name.
    Code {
        /// What it is.
        name: String,
        /// The text.
        text: String,
    },
    /// Pieces that are shown when they are asked for.
    Fold {
        /// What is inside.
        title: String,
        /// The pieces.
        blocks: Vec<DocBlock>,
    },
    /// A threshold to move.
    Explorer(Box<ThresholdExplorer>),
}

/// A number that matters.
#[derive(Debug, Clone, Default, Serialize)]
pub struct MetricTile {
    /// What it is.
    pub name: String,
    /// The number.
    pub value: String,
    /// How sure it is, what to compare it with.
    pub detail: String,
}

/// A table.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DocTable {
    /// What it shows.
    pub caption: String,
    /// Heads of the columns; numbers stand at the right.
    pub heads: Vec<TableHead>,
    /// The rows. The first cell of a row is its head.
    pub rows: Vec<Vec<TableCell>>,
    /// What is to be said below.
    pub note: String,
    /// Whether it is a table of counts in which the colours matter: a confusion.
    pub tight: bool,
}

/// A head of a column.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TableHead {
    /// The text.
    pub text: String,
    /// Whether the column has numbers.
    pub number: bool,
}

impl TableHead {
    /// A head of a column of words.
    pub fn word(text: impl Into<String>) -> Self {
        Self { text: text.into(), number: false }
    }

    /// A head of a column of numbers.
    pub fn number(text: impl Into<String>) -> Self {
        Self { text: text.into(), number: true }
    }
}

/// A cell of a table.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TableCell {
    /// The text.
    pub text: String,
    /// A small picture before it, made by [`crate::chart::spark`].
    pub spark: String,
    /// How strongly it is coloured, from 0 to 1; below 0 in the colour of errors.
    pub tint: f64,
    /// Whether it stands out.
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

/// What a figure shows.
#[derive(Debug, Clone)]
pub enum FigureKind {
    /// Series over axes.
    Chart(Chart),
    /// Named values.
    Bars(Bars),
    /// Many values a row.
    Swarm(BeeswarmChart),
    /// A table as colours.
    Heat(Heatmap),
    /// A tree.
    Tree(TreeChart),
}

impl FigureKind {
    /// A document of its own.
    pub fn to_svg(&self) -> String {
        match self {
            Self::Chart(c) => c.to_svg(),
            Self::Bars(c) => c.to_svg(),
            Self::Swarm(c) => c.to_svg(),
            Self::Heat(c) => c.to_svg(),
            Self::Tree(c) => c.to_svg(),
        }
    }

    fn to_inline(&self, told: &str) -> String {
        match self {
            Self::Chart(c) => c.to_inline(told),
            Self::Bars(c) => c.to_inline(told),
            Self::Swarm(c) => c.to_inline(told),
            Self::Heat(c) => c.to_inline(told),
            Self::Tree(c) => c.to_inline(told),
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
    /// What it is called in the file names of its SVG, and by scripts.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The picture.
    pub drawing: FigureKind,
    /// What it says to those who do not see it.
    pub alt_text: String,
    /// What to look at.
    pub caption: String,
    /// Whether it takes the whole width.
    pub wide: bool,
}

impl Figure {
    /// A figure with nothing but its title.
    pub fn new(name: impl Into<String>, title: impl Into<String>, drawing: impl Into<FigureKind>) -> Self {
        let (name, title) = (name.into(), title.into());
        Self { name, alt_text: title.clone(), title, drawing: drawing.into(), caption: String::new(), wide: false }
    }

    /// Says what it shows to those who do not see it.
    #[must_use]
    pub fn alt_text(mut self, words: impl Into<String>) -> Self {
        self.alt_text = words.into();
        self
    }

    /// Says what to look at.
    #[must_use]
    pub fn caption(mut self, words: impl Into<String>) -> Self {
        self.caption = words.into();
        self
    }

    /// Gives it the whole width.
    #[must_use]
    pub fn wide(mut self) -> Self {
        self.wide = true;
        self
    }
}

impl Document {
    /// A page without parts.
    pub fn new(title: impl Into<String>, lead: impl Into<String>) -> Self {
        Self { title: title.into(), lead: lead.into(), ..Self::default() }
    }

    /// Adds a part; one that holds nothing is left out.
    #[must_use]
    pub fn with(mut self, part: DocSection) -> Self {
        if !part.blocks.is_empty() {
            self.parts.push(part);
        }
        self
    }

    /// Adds a thing that a reader wants to know first.
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
    /// A part that holds nothing yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Says what it shows.
    #[must_use]
    pub fn lead(mut self, words: impl Into<String>) -> Self {
        self.lead = words.into();
        self
    }

    /// Adds a piece.
    #[must_use]
    pub fn with(mut self, block: DocBlock) -> Self {
        self.blocks.push(block);
        self
    }

    /// Adds figures; none where there are none.
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
}

/// A title as it stands in addresses: lower letters, digits and hyphens.
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
