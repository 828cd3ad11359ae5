//! Heat maps.

use std::fmt::Write;

use ermine_core::Mat;

use super::style::{LETTER, LETTER_WIDTH, SvgImage, TITLE, escape, short_name, wide};
use super::svg::WIDTH;

/// A table as colors: correlations, confusion matrices, loadings.
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmap {
    /// The title.
    pub title: String,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The values; those that are not finite stay empty.
    pub values: Mat<f64>,
}

/// Sequential colors, in even steps of lightness (after cividis, made for all kinds of color vision).
const MUCH: [[f64; 3]; 5] =
    [[247.0, 247.0, 244.0], [214.0, 214.0, 176.0], [165.0, 170.0, 140.0], [92.0, 112.0, 133.0], [16.0, 53.0, 110.0]];
/// Diverging colors, white at 0.
const SIGNED: [[f64; 3]; 5] =
    [[178.0, 72.0, 10.0], [232.0, 170.0, 120.0], [247.0, 247.0, 247.0], [126.0, 178.0, 214.0], [5.0, 88.0, 145.0]];

impl Heatmap {
    /// The picture as a complete SVG document, 720 wide.
    pub fn to_svg(&self) -> String {
        self.draw(true).document()
    }

    /// The picture as a part of a page that has [`super::page_style`]; `alt_text` is the alternative text.
    pub fn to_inline(&self, alt_text: &str) -> String {
        self.draw(false).inline(alt_text)
    }

    fn draw(&self, titled: bool) -> SvgImage {
        let finite = |v: &&f64| v.is_finite();
        let (low, high) = self
            .values
            .as_slice()
            .iter()
            .filter(finite)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
        let signed = low < 0.0 && high > 0.0;
        // Around 0 both sides use the same scale.
        let (low, high) = match signed {
            true => (-high.max(-low), high.max(-low)),
            false => (low, high),
        };
        let left = 24.0 + self.rows.iter().map(|r| wide(&short_name(r, 20))).fold(0.0, f64::max);
        let top = 26.0
            + if titled { TITLE } else { 0.0 }
            + self.columns.iter().map(|c| wide(&short_name(c, 14)) * 0.6).fold(14.0, f64::max);
        let (n, m) = (self.values.rows().max(1) as f64, self.values.cols().max(1) as f64);
        let side = ((WIDTH - left - 60.0) / m).clamp(2.0, 44.0);
        let tall = side.min(34.0);
        let height = top + tall * n + 24.0;
        let mut picture = SvgImage::new(WIDTH, height, &self.title, titled);
        let out = &mut picture.shapes;
        for (j, name) in self.columns.iter().enumerate().take(self.values.cols()) {
            let (x, y) = (left + (j as f64 + 0.5) * side, top - 8.0);
            if side >= LETTER {
                let _ = writeln!(
                    out,
                    "<text class=\"soft\" x=\"{x:.2}\" y=\"{y:.2}\" transform=\"rotate(-35 {x:.2} {y:.2})\">{}</text>",
                    escape(&short_name(name, 14))
                );
            }
        }
        for i in 0..self.values.rows() {
            let y = top + i as f64 * tall;
            if let (Some(name), true) = (self.rows.get(i), tall >= LETTER) {
                let _ = writeln!(
                    out,
                    "<text class=\"soft\" x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"end\">{}</text>",
                    left - 8.0,
                    y + 0.5 * tall + 4.0,
                    escape(&short_name(name, 20))
                );
            }
            for j in 0..self.values.cols() {
                let v = self.values[(i, j)];
                if !v.is_finite() {
                    continue;
                }
                let share = if high > low { (v - low) / (high - low) } else { 0.5 };
                let [r, g, b] = color(if signed { &SIGNED } else { &MUCH }, share);
                let x = left + j as f64 * side;
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{side:.2}\" height=\"{tall:.2}\" fill=\"rgb({r:.0},{g:.0},{b:.0})\"/>"
                );
                let label = number(v);
                if wide(&label) + LETTER_WIDTH <= side + 4.0 && tall >= 16.0 {
                    // The color of the page does not matter inside a cell.
                    let ink = if 0.3 * r + 0.59 * g + 0.11 * b > 140.0 { "#1f2328" } else { "#ffffff" };
                    let (x, y) = (x + 0.5 * side, y + 0.5 * tall + 4.0);
                    let _ = writeln!(
                        out,
                        "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"middle\" style=\"fill:{ink}\">{label}</text>"
                    );
                }
            }
        }
        picture
    }
}

/// A value in at most five characters, where possible.
fn number(v: f64) -> String {
    let text = match v.abs() {
        a if a == 0.0 || (v.fract() == 0.0 && a < 1e5) => format!("{v:.0}"),
        a if !(1e-3..1e5).contains(&a) => format!("{v:.0e}"),
        a if a < 10.0 => format!("{v:.2}"),
        _ => format!("{v:.1}"),
    };
    text.replace('-', "\u{2212}")
}

fn color(stops: &[[f64; 3]; 5], share: f64) -> [f64; 3] {
    let at = share.clamp(0.0, 1.0) * 4.0;
    let k = (at.floor() as usize).min(3);
    let t = at - k as f64;
    std::array::from_fn(|c| stops[k][c] * (1.0 - t) + stops[k + 1][c] * t)
}
