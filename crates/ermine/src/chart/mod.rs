//! Small charts: as SVG for pages and papers, as text for a terminal.
//!
//! One description, two pictures. Lines, steps, points and bars share a pair of axes; [`Heat`] colours a table, [`TreeChart`] draws a tree. Colours are
//! told apart by readers who do not see all of them, and follow the light or dark setting of the page. The same chart gives
//! the same bytes.
//!
//! ```
//! use ermine::chart::{Chart, Series};
//!
//! let chart = Chart::new("Loss", "step", "loss")
//!     .with(Series::line("training", vec![(0.0, 1.0), (1.0, 0.4), (2.0, 0.3)]))
//!     .with(Series::line("validation", vec![(0.0, 1.1), (1.0, 0.6), (2.0, 0.65)]));
//! assert!(chart.to_svg().starts_with("<svg "));
//! assert!(chart.to_text(80, 16).lines().all(|line| line.chars().count() <= 80));
//! ```

mod agents;
mod frame;
mod heat;
mod scale;
mod svg;
mod terminal;
mod tree;

use ermine_core::{Cell, Meaning, Section};

pub use heat::Heat;
pub use scale::Scale;
pub use tree::TreeChart;

/// Series beyond this many are drawn in grey and without a name.
const MOST_NAMED: usize = 8;

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line from point to point.
    Line,
    /// The same in dashes: a bound, a line to compare with.
    Dashed,
    /// A value that holds until the next point.
    Step,
    /// The points alone.
    Points,
    /// A bar from 0 to each point.
    Bars,
}

/// Points with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What they show.
    pub name: String,
    /// How they are drawn.
    pub mark: Mark,
    /// The points, from left to right; those that are not finite leave a gap.
    pub points: Vec<(f64, f64)>,
    /// Lower and upper end of a band around each point; none where there is no band.
    pub band: Vec<(f64, f64)>,
}

impl Series {
    fn new(name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), mark, points, band: Vec::new() }
    }

    /// A line from point to point.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, Mark::Line, points)
    }

    /// A dashed line from point to point.
    pub fn dashed(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, Mark::Dashed, points)
    }

    /// The same with a band around it: lower and upper end at each point.
    #[must_use]
    pub fn with_band(mut self, band: Vec<(f64, f64)>) -> Self {
        self.band = band;
        self
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

    /// The number whose size decides which series of many are named: how far from 0 the series ends up.
    fn reach(&self) -> f64 {
        let far = self.points.iter().map(|p| p.1.abs()).filter(|y| y.is_finite());
        far.fold(0.0, f64::max)
    }
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What it measures.
    pub label: String,
    /// Even steps or even ratios.
    pub scale: Scale,
    /// Whether values fall along the axis.
    pub reversed: bool,
    /// Names at 0, 1, 2, … in place of numbers.
    pub names: Vec<String>,
}

/// Series over one pair of axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in this order.
    pub series: Vec<Series>,
}

impl Chart {
    /// A chart without series.
    pub fn new(title: impl Into<String>, x: impl Into<String>, y: impl Into<String>) -> Self {
        let axis = |label: String| Axis { label, ..Axis::default() };
        Self { title: title.into(), x: axis(x.into()), y: axis(y.into()), series: Vec::new() }
    }

    /// Adds a series.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Uses even ratios along x.
    #[must_use]
    pub fn log_x(mut self) -> Self {
        self.x.scale = Scale::Log;
        self
    }

    /// Uses even ratios along y.
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

    /// The curves of a report's plot; `None` for other sections. An axis along which the points follow a geometric course
    /// gets even ratios, and a path that starts with all curves in one place runs from there.
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
        let coefficient = meanings.iter().position(|m| *m == Meaning::Coefficient);
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

    /// The chart as a document of its own, 720 by 440.
    pub fn to_svg(&self) -> String {
        svg::draw(self)
    }

    /// The chart as lines of text, at most `width` characters wide, with `height` lines for the curves.
    pub fn to_text(&self, width: usize, height: usize) -> String {
        terminal::draw(self, width, height)
    }

    /// Which series are named and coloured, and by which colour: all while they are few, else those that reach farthest.
    fn places(&self) -> Vec<Option<usize>> {
        let mut order: Vec<usize> = (0..self.series.len()).collect();
        if order.len() > MOST_NAMED {
            order.sort_by(|&a, &b| self.series[b].reach().total_cmp(&self.series[a].reach()).then(a.cmp(&b)));
            order.truncate(MOST_NAMED);
            order.sort_unstable();
        }
        let mut places = vec![None; self.series.len()];
        order.iter().enumerate().for_each(|(place, &s)| places[s] = Some(place));
        places
    }
}

/// Whether several curves begin apart and end, at the largest x, in one point.
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
