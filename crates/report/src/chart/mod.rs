//! Small charts: as SVG for pages and papers, as text for a terminal.
//!
//! One description, several formats: `to_svg` gives a complete document, `to_inline` a part of a page that has
//! [`page_style`], [`Chart::to_text`] lines for a terminal. Lines, steps, points, clouds of points, areas and bars
//! share a pair of axes ([`Chart`]), with intervals as ribbons and whiskers; [`Bars`] are horizontal bars of named
//! values with their intervals; [`BeeswarmChart`] shows many values per row, shaded by another; [`Heatmap`] colors a
//! table, [`TreeChart`] draws a tree, [`spark`] is a histogram of the size of a word. Colors are distinguishable with
//! color vision deficiencies, and follow the light or dark setting of the page. The same chart gives the same bytes.
//!
//! ```
//! use ermine_report::chart::{Chart, Series};
//!
//! let chart = Chart::new("Loss", "step", "loss")
//!     .with(Series::line("training", vec![(0.0, 1.0), (1.0, 0.4), (2.0, 0.3)]))
//!     .with(Series::line("validation", vec![(0.0, 1.1), (1.0, 0.6), (2.0, 0.65)]));
//! assert!(chart.to_svg().starts_with("<svg "));
//! assert!(chart.to_text(80, 16).lines().all(|line| line.chars().count() <= 80));
//! ```

#[cfg(feature = "agent")]
mod agents;
mod bars;
mod frame;
mod heat;
mod scale;
mod style;
mod svg;
mod swarm;
mod terminal;
mod tree;

use ermine_core::{Cell, ColumnMeaning, Section};

pub use bars::{Bar, Bars, spark};
pub use heat::Heatmap;
pub use scale::Scale;
pub use style::page_style;
pub use swarm::{BeeswarmChart, BeeswarmRow};
pub use tree::TreeChart;

/// Series beyond this many are drawn in gray and without a name.
const MOST_NAMED: usize = 8;

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line from point to point.
    Line,
    /// A dashed line: a bound or a reference.
    Dashed,
    /// A value that holds until the next point.
    Step,
    /// The points alone.
    Points,
    /// A bar from 0 to each point.
    Bars,
    /// Filled from 0 up to a value that holds until the next point: a histogram, the last point being its end.
    Area,
    /// Many points; where they overlap, a density in cells.
    Cloud,
    /// A dashed reference line, neither named nor colored.
    Guide,
}

/// A named series of points.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Series {
    /// Its name.
    pub name: String,
    /// How they are drawn.
    pub mark: Mark,
    /// The points, from left to right; those that are not finite leave a gap.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper end of an interval at each point: a band along lines, whiskers at points and bars. None where it is empty.
    pub band: Vec<(f64, f64)>,
    /// Whether the series is gray, in the background, without a name.
    pub quiet: bool,
}

impl Series {
    fn new(name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), mark, points, band: Vec::new(), quiet: false }
    }

    /// A line from point to point.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, Mark::Line, points)
    }

    /// A dashed line from point to point.
    pub fn dashed(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, Mark::Dashed, points)
    }

    /// A value that holds until the next point.
    pub fn step(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, Mark::Step, points)
    }

    /// The points alone.
    pub fn points(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, Mark::Points, points)
    }

    /// A bar from 0 to each point.
    pub fn bars(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, Mark::Bars, points)
    }

    /// A histogram: counts between the edges, of which there is one more.
    pub fn histogram(name: impl Into<String>, edges: &[f64], counts: &[f64]) -> Self {
        let ends = counts.iter().copied().chain(counts.last().copied());
        Self::new(name, Mark::Area, edges.iter().copied().zip(ends).collect())
    }

    /// Many points.
    pub fn cloud(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, Mark::Cloud, points)
    }

    /// A dashed reference line.
    pub fn guide(points: Vec<(f64, f64)>) -> Self {
        Self::new("", Mark::Guide, points)
    }

    /// The same with an interval at each point: a band around a line, whiskers at points and bars.
    #[must_use]
    pub fn with_band(mut self, band: Vec<(f64, f64)>) -> Self {
        self.band = band;
        self
    }

    /// The same in the background: gray, thin, without a name.
    #[must_use]
    pub fn in_background(mut self) -> Self {
        self.quiet = true;
        self
    }

    fn is_quiet(&self) -> bool {
        self.quiet || self.mark == Mark::Guide
    }

    /// The rank of a series among many, which decides whether it is named: the absolute value at its end.
    fn reach(&self) -> f64 {
        let far = self.points.iter().map(|p| p.1.abs()).filter(|y| y.is_finite());
        far.fold(0.0, f64::max)
    }
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// The quantity that it shows.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Whether values descend along the axis.
    pub reversed: bool,
    /// Names at 0, 1, 2, … in place of numbers.
    pub names: Vec<String>,
    /// The ends, where they are not those of the series.
    pub range: Option<(f64, f64)>,
}

/// Series over one pair of axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// The title.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, in drawing order.
    pub series: Vec<Series>,
    /// Width and height; 720 by 440 by default.
    pub size: Option<(f64, f64)>,
    /// Rug: values marked along the horizontal axis.
    pub rug: Vec<f64>,
}

impl Chart {
    /// A chart without series.
    pub fn new(title: impl Into<String>, x: impl Into<String>, y: impl Into<String>) -> Self {
        let axis = |label: String| Axis { label, ..Axis::default() };
        Self { title: title.into(), x: axis(x.into()), y: axis(y.into()), ..Self::default() }
    }

    /// Adds a series.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Makes the x axis logarithmic.
    #[must_use]
    pub fn log_x(mut self) -> Self {
        self.x.scale = Scale::Log;
        self
    }

    /// Makes the y axis logarithmic.
    #[must_use]
    pub fn log_y(mut self) -> Self {
        self.y.scale = Scale::Log;
        self
    }

    /// Names the places 0, 1, 2, … along x.
    #[must_use]
    pub fn named_x<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.x.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the width and the height. Charts of pages are 400 wide: a phone shows their letters at full size, and a
    /// wide screen two of them side by side.
    #[must_use]
    pub fn sized(mut self, width: f64, height: f64) -> Self {
        self.size = Some((width, height));
        self
    }

    /// Sets the ends of the horizontal axis.
    #[must_use]
    pub fn within_x(mut self, low: f64, high: f64) -> Self {
        self.x.range = Some((low, high));
        self
    }

    /// Sets the ends of the vertical axis.
    #[must_use]
    pub fn within_y(mut self, low: f64, high: f64) -> Self {
        self.y.range = Some((low, high));
        self
    }

    /// Adds a rug: marks values along the horizontal axis.
    #[must_use]
    pub fn with_rug(mut self, values: Vec<f64>) -> Self {
        self.rug = values;
        self
    }

    /// The curves of a report's plot; `None` for other sections. An axis along which the points grow geometrically is
    /// logarithmic, and a path that starts with all curves in one point runs from there.
    pub fn of(section: &Section) -> Option<Self> {
        let Section::Plot { title, x, y, curves } = section else { return None };
        let mut chart = Self::new(title, x, y);
        for curve in curves {
            chart = chart.with(Series::line(&curve.name, curve.points.clone()));
        }
        let of = |f: fn(&(f64, f64)) -> f64| -> Vec<f64> { curves.iter().flat_map(|c| c.points.iter().map(f)).collect() };
        if scale::is_geometric(&of(|p| p.0), 50.0) {
            chart.x.scale = Scale::Log;
            chart.x.reversed = ends_together(&chart.series);
        }
        if scale::is_geometric(&of(|p| p.1), 1e3) {
            chart.y.scale = Scale::Log;
        }
        Some(chart)
    }

    /// Bars of the coefficients, importances or shares of a table, the largest first and at most 20; `None` for other sections.
    pub fn of_table(section: &Section) -> Option<Self> {
        let Section::Table { title, columns, meanings, rows } = section else { return None };
        let coefficient = meanings.iter().position(|m| *m == ColumnMeaning::Coefficient);
        let at = coefficient.or_else(|| columns.iter().position(|c| c == "importance" || c == "share"))?;
        let bar = |row: &Vec<Cell>| match (row.first(), row.get(at)) {
            (Some(Cell::Text(name)), Some(Cell::Number(v))) if name != "(intercept)" => Some((name.clone(), *v)),
            _ => None,
        };
        let mut bars: Vec<(String, f64)> = rows.iter().filter_map(bar).collect();
        bars.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        bars.truncate(20);
        let points = bars.iter().enumerate().map(|(k, b)| (k as f64, b.1)).collect();
        let chart = Self::new(title, &columns[0], &columns[at]).with(Series::bars("", points));
        (!bars.is_empty()).then(|| chart.named_x(bars.into_iter().map(|b| b.0)))
    }

    /// The chart as a complete SVG document.
    pub fn to_svg(&self) -> String {
        svg::draw(self, true).document()
    }

    /// The chart as a part of a page that has [`page_style`], without the title; `alt_text` is the alternative text. Where
    /// both axes are linear the element has attributes with the plot area and the ends of the axes: `data-area` (left,
    /// top, width, height), `data-x` and `data-y` (low, high).
    pub fn to_inline(&self, alt_text: &str) -> String {
        svg::draw(self, false).inline(alt_text)
    }

    /// The chart as lines of text, at most `width` characters wide, with `height` lines for the curves.
    pub fn to_text(&self, width: usize, height: usize) -> String {
        terminal::draw(self, width, height)
    }

    /// The color of each named series: all while they are few, else those with the largest end values.
    fn places(&self) -> Vec<Option<usize>> {
        let mut order: Vec<usize> = (0..self.series.len()).filter(|&s| !self.series[s].is_quiet()).collect();
        if order.len() > MOST_NAMED {
            ermine_core::order::sort_by_number_descending(&mut order, |a| self.series[a].reach());
            order.truncate(MOST_NAMED);
            order.sort_unstable();
        }
        let mut places = vec![None; self.series.len()];
        order.iter().enumerate().for_each(|(place, &s)| places[s] = Some(place));
        places
    }
}

/// Whether several curves start apart and end, at the largest x, in one point.
fn ends_together(series: &[Series]) -> bool {
    let at = |end: fn(f64, f64) -> bool| -> Vec<f64> {
        let pick = |s: &Series| s.points.iter().copied().reduce(|a, b| if end(b.0, a.0) { b } else { a });
        series.iter().filter_map(pick).map(|p| p.1).collect()
    };
    let spread = |v: &[f64]| v.iter().copied().fold(f64::MIN, f64::max) - v.iter().copied().fold(f64::MAX, f64::min);
    let (low, high) = (at(|a, b| a < b), at(|a, b| a > b));
    series.len() > 1 && spread(&low) > 0.0 && spread(&high) <= 1e-6 * spread(&low)
}

#[cfg(test)]
mod tests;
