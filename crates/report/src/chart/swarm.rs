//! Beeswarm charts: many values per row, spread vertically and shaded by another value, for attributions.

use std::fmt::Write;

use super::scale::{AxisRange, Scale};
use super::style::{LETTER, SHADES, SvgImage, TITLE, dots, escape, short, short_name, wide};

/// A row of a [`BeeswarmChart`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BeeswarmRow {
    /// Its name.
    pub name: String,
    /// Values, each with a shade between 0 (low) and 1 (high), or none.
    pub points: Vec<(f64, Option<f64>)>,
}

/// Many values per row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BeeswarmChart {
    /// The title.
    pub title: String,
    /// The quantity of the values.
    pub label: String,
    /// The labels of the shades: low and high.
    pub shades: (String, String),
    /// The rows, from top to bottom.
    pub rows: Vec<BeeswarmRow>,
    /// The width; 480 by default.
    pub width: Option<f64>,
}

/// Height of a row, and size of a dot.
const ROW: f64 = 30.0;
const DOT: f64 = 3.2;

impl BeeswarmChart {
    /// The picture as a complete SVG document.
    pub fn to_svg(&self) -> String {
        self.draw(true).document()
    }

    /// The picture as a part of a page that has [`super::page_style`]; `alt_text` is the alternative text.
    pub fn to_inline(&self, alt_text: &str) -> String {
        self.draw(false).inline(alt_text)
    }

    fn draw(&self, titled: bool) -> SvgImage {
        let width = self.width.unwrap_or(480.0);
        let most = if width < 440.0 { 14 } else { 24 };
        let left = 16.0 + self.rows.iter().map(|r| wide(&short_name(&r.name, most))).fold(0.0, f64::max);
        let legend = if self.shades.0.is_empty() { 0.0 } else { 24.0 };
        let top = if titled { TITLE + 10.0 } else { 4.0 } + legend;
        let base = top + ROW * self.rows.len() as f64;
        let height = base + if self.label.is_empty() { 28.0 } else { 48.0 };
        let across = (width - left - 20.0).max(40.0);
        let values = self.rows.iter().flat_map(|r| r.points.iter().map(|p| p.0));
        let range = AxisRange::of(Scale::Linear, values).including(0.0).with_room();
        let x = |v: f64| range.place(v).map(|p| left + p * across);
        let mut picture = SvgImage::new(width, height, &self.title, titled);
        let out = &mut picture.shapes;
        if legend > 0.0 {
            self.legend(out, width, top - legend);
        }
        for tick in range.ticks(4) {
            let Some(at) = x(tick.value) else { continue };
            let _ = writeln!(out, "<line class=\"grid\" x1=\"{at:.2}\" y1=\"{top:.2}\" x2=\"{at:.2}\" y2=\"{base:.2}\"/>");
            let (y, label) = (base + 17.0, escape(&tick.label));
            let _ = writeln!(out, "<text class=\"soft\" x=\"{at:.2}\" y=\"{y:.2}\" text-anchor=\"middle\">{label}</text>");
        }
        if let Some(zero) = x(0.0) {
            let _ = writeln!(out, "<line class=\"axis\" x1=\"{zero:.2}\" y1=\"{top:.2}\" x2=\"{zero:.2}\" y2=\"{base:.2}\"/>");
        }
        for (k, row) in self.rows.iter().enumerate() {
            let middle = top + ROW * (k as f64 + 0.5);
            let name = escape(&short_name(&row.name, most));
            let _ = writeln!(out, "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"end\">{name}</text>", left - 8.0, middle + 4.0);
            let placed = spread(row.points.iter().map(|p| x(p.0)));
            for shade in (0..SHADES).map(Some).chain([None]) {
                let here = row.points.iter().zip(&placed).filter(|(p, _)| p.1.map(level) == shade);
                let points = here.filter_map(|(_, at)| at.map(|(x, up)| (x, middle + up)));
                dots(out, &shade.map_or("c7".to_owned(), |s| format!("s{s}")), DOT, points);
            }
        }
        if !self.label.is_empty() {
            let label = escape(&short(&self.label, (width / 7.0) as usize));
            let middle = left + 0.5 * across;
            let _ = writeln!(out, "<text x=\"{middle:.2}\" y=\"{:.2}\" text-anchor=\"middle\">{label}</text>", base + 38.0);
        }
        picture
    }

    fn legend(&self, out: &mut String, width: f64, y: f64) {
        let (little, much) = (escape(&short(&self.shades.0, 20)), escape(&short(&self.shades.1, 20)));
        let right = width - 8.0 - wide(&short(&self.shades.1, 20));
        let from = right - 12.0 - 9.0 * SHADES as f64;
        let base = y + LETTER;
        let _ = writeln!(out, "<text class=\"soft\" x=\"{:.2}\" y=\"{base:.2}\" text-anchor=\"end\">{little}</text>", from - 6.0);
        for s in 0..SHADES {
            dots(out, &format!("s{s}"), 7.0, std::iter::once((from + 9.0 * (s as f64 + 0.5), base - 4.0)));
        }
        let _ = writeln!(out, "<text class=\"soft\" x=\"{:.2}\" y=\"{base:.2}\">{much}</text>", right - 6.0);
    }
}

fn level(shade: f64) -> usize {
    (shade.clamp(0.0, 1.0) * SHADES as f64).min(SHADES as f64 - 1.0) as usize
}

/// Moves overlapping values up and down in turn, within the height of the row.
fn spread(x: impl Iterator<Item = Option<f64>>) -> Vec<Option<(f64, f64)>> {
    let mut taken: std::collections::BTreeMap<i64, u32> = std::collections::BTreeMap::new();
    let step = 2.3;
    let most = (0.5 * (ROW - DOT) / step).floor();
    let mut place = |x: f64| {
        let here = taken.entry((x / DOT).floor() as i64).or_insert(0);
        *here += 1;
        let far = f64::from(*here / 2) % (most + 1.0);
        (x, if (*here).is_multiple_of(2) { -far * step } else { far * step })
    };
    x.map(|x| x.map(&mut place)).collect()
}
