//! Named values with their intervals, from left to right: importances, coefficients, leaderboards.

use std::fmt::Write;

use super::scale::{AxisRange, Scale};
use super::style::{SvgImage, TITLE, escape, short, short_name, wide};

/// A named value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// The value.
    pub value: f64,
    /// An interval for it.
    pub span: Option<(f64, f64)>,
    /// The value in words, at the right end; nothing when empty.
    pub label: String,
    /// Whether it is drawn in the background: a baseline, or not significantly different from zero.
    pub quiet: bool,
}

/// Named values, one below the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// The title.
    pub title: String,
    /// The quantity of the values.
    pub label: String,
    /// The values, from top to bottom.
    pub rows: Vec<Bar>,
    /// Whether values are drawn as points, for which 0 has no meaning, instead of bars from 0.
    pub points: bool,
    /// The width; 480 by default.
    pub width: Option<f64>,
}

/// Height of a value.
const ROW: f64 = 24.0;
const NAME: usize = 24;

impl Bars {
    /// The picture as a complete SVG document.
    pub fn to_svg(&self) -> String {
        self.draw(true).document()
    }

    /// The picture as a part of a page that has [`super::page_style`]; `alt_text` is the alternative text.
    pub fn to_inline(&self, alt_text: &str) -> String {
        self.draw(false).inline(alt_text)
    }

    /// The values as lines of text, at most `width` characters wide: `█` up to the value, `─` over its interval.
    pub fn to_text(&self, width: usize) -> String {
        let name = |b: &Bar| short_name(&b.name, NAME);
        let names = self.rows.iter().map(|b| name(b).chars().count()).max().unwrap_or(0);
        let labels = self.rows.iter().map(|b| b.label.chars().count()).max().unwrap_or(0);
        let across = width.saturating_sub(names + labels + 6).max(8);
        let range = self.range();
        let at = |v: f64| range.place(v).map(|p| (p * (across - 1) as f64).round().clamp(0.0, (across - 1) as f64) as usize);
        let mut out = if self.title.is_empty() { String::new() } else { format!("{}\n", short(&self.title, width)) };
        for bar in &self.rows {
            let mut cells = vec![' '; across];
            if let Some((low, high)) = bar.span
                && let (Some(a), Some(b)) = (at(low), at(high))
            {
                cells[a..=b].fill('─');
            }
            if let (Some(zero), Some(end)) = (at(0.0).filter(|_| !self.points), at(bar.value)) {
                cells[zero.min(end)..=zero.max(end)].fill('█');
            } else if let Some(end) = at(bar.value) {
                cells[end] = '●';
            }
            let pad = " ".repeat(names - name(bar).chars().count());
            let line = format!("  {}{pad}  {}  {:>labels$}", name(bar), cells.iter().collect::<String>(), bar.label);
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    }

    fn range(&self) -> AxisRange {
        let values = self.rows.iter().flat_map(|b| [b.value, b.span.map_or(b.value, |s| s.0), b.span.map_or(b.value, |s| s.1)]);
        let values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        let range = AxisRange::of(Scale::Linear, values.into_iter());
        if self.points { range.with_room() } else { range.including(0.0).with_room() }
    }

    fn draw(&self, titled: bool) -> SvgImage {
        let width = self.width.unwrap_or(480.0);
        let most = if width < 440.0 { 16 } else { NAME };
        let left = 16.0 + self.rows.iter().map(|b| wide(&short_name(&b.name, most))).fold(0.0, f64::max);
        let labels = self.rows.iter().map(|b| wide(&b.label)).fold(0.0, f64::max);
        let right = if labels > 0.0 { labels + 20.0 } else { 16.0 };
        let top = if titled { TITLE + 10.0 } else { 4.0 };
        let bottom = if self.label.is_empty() { 28.0 } else { 48.0 };
        let height = top + ROW * self.rows.len() as f64 + bottom;
        let (across, base) = ((width - left - right).max(40.0), top + ROW * self.rows.len() as f64);
        let range = self.range();
        let x = |v: f64| range.place(v).map(|p| left + p.clamp(0.0, 1.0) * across);
        let mut picture = SvgImage::new(width, height, &self.title, titled);
        let out = &mut picture.shapes;
        for tick in range.ticks(if across < 200.0 { 3 } else { 4 }) {
            let Some(at) = x(tick.value) else { continue };
            let _ = writeln!(out, "<line class=\"grid\" x1=\"{at:.2}\" y1=\"{top:.2}\" x2=\"{at:.2}\" y2=\"{base:.2}\"/>");
            let label = escape(&tick.label);
            let _ = writeln!(
                out,
                "<text class=\"soft\" x=\"{at:.2}\" y=\"{:.2}\" text-anchor=\"middle\">{label}</text>",
                base + 17.0
            );
        }
        for (k, bar) in self.rows.iter().enumerate() {
            let middle = top + ROW * (k as f64 + 0.5);
            let class = if bar.quiet { "many" } else { "c0" };
            let name = escape(&short_name(&bar.name, most));
            let _ = writeln!(out, "<g><title>{}</title>", escape(&format!("{} {}", bar.name, bar.label)));
            let _ = writeln!(out, "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"end\">{name}</text>", left - 8.0, middle + 4.0);
            let end = x(bar.value);
            if let (Some(zero), Some(end), false) = (x(0.0), end, self.points) {
                let (from, wide) = (zero.min(end), (end - zero).abs().max(0.8));
                let _ = writeln!(
                    out,
                    "<rect class=\"bar {class}\" x=\"{from:.2}\" y=\"{:.2}\" width=\"{wide:.2}\" height=\"12\" rx=\"1.5\"/>",
                    middle - 6.0
                );
            }
            if let Some((Some(low), Some(high))) = bar.span.map(|s| (x(s.0), x(s.1))) {
                let ink = if self.points { format!("line {class}") } else { "axis whisker".to_owned() };
                let _ = writeln!(out, "<path class=\"{ink}\" stroke-width=\"1.6\" d=\"M{low:.2} {middle:.2}H{high:.2}\"/>");
            }
            if let (Some(end), true) = (end, self.points) {
                let _ = writeln!(
                    out,
                    "<circle class=\"dot {class}\" cx=\"{end:.2}\" cy=\"{middle:.2}\" r=\"4\" fill-opacity=\"1\"/>"
                );
            }
            if !bar.label.is_empty() {
                let (at, label) = (width - 6.0, escape(&bar.label));
                let _ = writeln!(
                    out,
                    "<text class=\"soft value\" x=\"{at:.2}\" y=\"{:.2}\" text-anchor=\"end\">{label}</text>",
                    middle + 4.0
                );
            }
            out.push_str("</g>\n");
        }
        if let Some(zero) = x(0.0).filter(|_| !self.points) {
            let _ = writeln!(out, "<line class=\"axis\" x1=\"{zero:.2}\" y1=\"{top:.2}\" x2=\"{zero:.2}\" y2=\"{base:.2}\"/>");
        }
        if !self.label.is_empty() {
            let label = escape(&short(&self.label, (width / 7.0) as usize));
            let middle = left + 0.5 * across;
            let _ = writeln!(out, "<text x=\"{middle:.2}\" y=\"{:.2}\" text-anchor=\"middle\">{label}</text>", base + 38.0);
        }
        picture
    }
}

/// A histogram of the size of a word, for tables of a page that has [`super::page_style`]. The text beside it has the
/// same information.
pub fn spark(counts: &[usize]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let width = 6 * counts.len().max(1);
    let mut path = String::new();
    for (k, &count) in counts.iter().enumerate().filter(|c| *c.1 > 0) {
        let tall = (18.0 * count as f64 / most).max(1.0);
        let _ = write!(path, "M{} 18v-{tall:.1}h5v{tall:.1}z", 6 * k);
    }
    format!(
        "<svg class=\"chart spark\" viewBox=\"0 0 {width} 18\" width=\"{width}\" height=\"18\" aria-hidden=\"true\"><path class=\"bar c0\" d=\"{path}\"/></svg>"
    )
}
