//! Common parts of all pictures: colors, style rules, the opening tag, text.

use std::fmt::Write;

use super::MOST_NAMED;

/// Font size, and the approximate width of a letter in the widest likely font.
pub(super) const LETTER: f64 = 12.0;
pub(super) const LETTER_WIDTH: f64 = 7.5;
/// Height of a title above a picture.
pub(super) const TITLE: f64 = 30.0;
/// Steps of shade.
pub(super) const SHADES: usize = 6;

const FONT: &str = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif";

/// Colors by role. Series are blue, vermilion, green, purple, orange, sky, brown, gray: after Okabe and Ito, whose colors differ for
/// all kinds of color vision; without their yellow, which vanishes on white. Shades go from little to much.
struct Palette {
    paper: &'static str,
    ink: &'static str,
    soft: &'static str,
    grid: &'static str,
    axis: &'static str,
    many: &'static str,
    series: [&'static str; MOST_NAMED],
    shades: [&'static str; SHADES],
}

const LIGHT: Palette = Palette {
    paper: "#ffffff",
    ink: "#1f2328",
    soft: "#59636e",
    grid: "#e3e7eb",
    axis: "#8b949e",
    many: "#b5bdc5",
    series: ["#0072b2", "#d55e00", "#009e73", "#b0548c", "#c98500", "#3a9bd4", "#7a5230", "#5f6a72"],
    shades: ["#3a9bd4", "#5f86b8", "#80729c", "#9d617c", "#b9525a", "#d55e00"],
};

const DARK: Palette = Palette {
    paper: "#0d1117",
    ink: "#e6edf3",
    soft: "#9aa4af",
    grid: "#2a313a",
    axis: "#6e7681",
    many: "#484f58",
    series: ["#4fa8e0", "#f08040", "#2fc79a", "#dd8fbe", "#e8b03a", "#8accf2", "#c49a6c", "#a9b4bc"],
    shades: ["#6cc0f5", "#8fb0dd", "#aca0c4", "#c391a8", "#d98487", "#f08040"],
};

impl Palette {
    fn color(&self, role: &str) -> String {
        let of = |list: &[&str], rest: &str| rest.parse::<usize>().ok().and_then(|k| list.get(k).map(|c| (*c).to_owned()));
        match role {
            "paper" => self.paper.into(),
            "ink" => self.ink.into(),
            "soft" => self.soft.into(),
            "grid" => self.grid.into(),
            "axis" => self.axis.into(),
            "many" => self.many.into(),
            role => {
                let series = role.strip_prefix('c').and_then(|rest| of(&self.series, rest));
                series.or_else(|| role.strip_prefix('s').and_then(|rest| of(&self.shades, rest))).unwrap_or_default()
            }
        }
    }

    /// The colors as variables of a page.
    fn variables(&self) -> String {
        let plain = ["grid", "axis", "many"].into_iter().map(str::to_owned);
        let roles = plain.chain((0..MOST_NAMED).map(|k| format!("c{k}"))).chain((0..SHADES).map(|k| format!("s{k}")));
        roles.map(|role| format!("--{role}:{};", self.color(&role))).collect()
    }
}

/// The rules that give shapes their colors; `color` maps a role to a color.
fn rules(within: &str, color: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rule = |selectors: &str, body: String| {
        let all: Vec<String> = selectors.split(',').map(|s| format!("{within}{s}")).collect();
        let _ = writeln!(out, "{}{{{body}}}", all.join(","));
    };
    rule("text", format!("fill:{}", color("ink")));
    rule(".soft", format!("fill:{}", color("soft")));
    rule(".grid", format!("stroke:{}", color("grid")));
    rule(".axis", format!("stroke:{}", color("axis")));
    rule(".guide", format!("stroke:{}", color("axis")));
    rule(".line.many", format!("stroke:{}", color("many")));
    rule(".dot.many,.bar.many", format!("fill:{}", color("many")));
    for k in 0..MOST_NAMED {
        let c = color(&format!("c{k}"));
        rule(&format!(".line.c{k},.dots.c{k}"), format!("stroke:{c}"));
        rule(&format!(".dot.c{k},.bar.c{k},text.c{k}"), format!("fill:{c}"));
    }
    for k in 0..SHADES {
        rule(&format!(".dots.s{k}"), format!("stroke:{}", color(&format!("s{k}"))));
    }
    out
}

/// Rules without colors.
fn forms(within: &str) -> String {
    let plain = [
        (".title", "font-size:15px;font-weight:600"),
        (".value", "font-variant-numeric:tabular-nums"),
        (".grid,.axis", "stroke-width:1"),
        (".line", "fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round"),
        (".line.many", "stroke-width:1.2"),
        (".line.faint", "stroke-width:1;stroke-opacity:.45"),
        (".guide", "fill:none;stroke-width:1.2"),
        (".dot", "stroke:none;fill-opacity:.75"),
        (".dots", "fill:none;stroke-linecap:round;stroke-opacity:.8"),
        (".bar.area", "fill-opacity:.8"),
    ];
    let rule = |(selectors, body): (&str, &str)| {
        let all: Vec<String> = selectors.split(',').map(|s| format!("{within}{s}")).collect();
        format!("{}{{{body}}}\n", all.join(","))
    };
    plain.into_iter().map(rule).collect()
}

/// The style of charts within a page: rules for `.chart`, colors as variables that follow the setting of the reader,
/// or `data-theme` of the root where that is `light` or `dark`. The page defines `--paper`, `--ink` and `--soft`.
pub fn page_style() -> String {
    let (light, dark) = (LIGHT.variables(), DARK.variables());
    format!(
        ":root{{{light}}}\n@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n\
         :root[data-theme=dark]{{{dark}}}\n@media print{{:root:root:root{{{light}}}}}\n\
         .chart{{font-family:{FONT};font-size:{LETTER}px}}\n{}{}",
        forms(".chart "),
        rules(".chart ", &|role| format!("var(--{role})"))
    )
}

/// A drawn picture.
pub(super) struct SvgImage {
    pub width: f64,
    pub height: f64,
    /// The alternative text.
    pub title: String,
    pub shapes: String,
    /// The plot area and the ends of the axes, for scripts that draw onto them.
    pub area: String,
}

impl SvgImage {
    pub fn new(width: f64, height: f64, title: &str, titled: bool) -> Self {
        let mut shapes = String::new();
        if titled && !title.is_empty() {
            let _ = writeln!(shapes, "<text class=\"title\" x=\"16\" y=\"26\">{}</text>", escape(&short(title, 90)));
        }
        Self { width, height, title: title.to_owned(), shapes, area: String::new() }
    }

    fn size(&self) -> String {
        let round = |v: f64| (v * 100.0).round() / 100.0;
        let (w, h) = (round(self.width), round(self.height));
        format!("viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\"")
    }

    /// A complete SVG document.
    pub fn document(&self) -> String {
        let (light, dark) = (rules("", &|role| LIGHT.color(role)), rules("", &|role| DARK.color(role)));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" {} role=\"img\" font-family=\"{FONT}\" font-size=\"{LETTER}\">\n\
             <title>{}</title>\n<style>\n{}svg{{background:{}}}\n{light}@media (prefers-color-scheme:dark){{\nsvg{{background:{}}}\n\
             {dark}}}\n</style>\n{}</svg>\n",
            self.size(),
            escape(&self.title),
            forms(""),
            LIGHT.paper,
            DARK.paper,
            self.shapes
        )
    }

    /// A part of a page that has [`page_style`]; `alt_text` is the alternative text.
    pub fn inline(&self, alt_text: &str) -> String {
        let alt_text = escape(if alt_text.is_empty() { &self.title } else { alt_text });
        format!(
            "<svg class=\"chart\" {}{} role=\"img\" aria-label=\"{alt_text}\">\n{}</svg>",
            self.size(),
            self.area,
            self.shapes
        )
    }
}

/// Escaped text; characters that XML does not allow are removed.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' | '\r' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

/// Truncated to `most` letters; … marks the cut.
pub(super) fn short(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_owned(),
        false => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// A name truncated in the middle to `most` letters, since names of columns often differ only at their ends.
pub(super) fn short_name(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most || most < 3 {
        return short(name, most);
    }
    let tail = (most - 1) / 2;
    let head = most - 1 - tail;
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

pub(super) fn wide(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER_WIDTH
}

/// Dots as one path: one point per dot, drawn by the round ends of lines without length.
pub(super) fn dots(out: &mut String, class: &str, size: f64, points: impl Iterator<Item = (f64, f64)>) {
    let mut path = String::new();
    points.for_each(|(x, y)| {
        let _ = write!(path, "M{x:.1} {y:.1}h0");
    });
    if !path.is_empty() {
        let _ = writeln!(out, "<path class=\"dots {class}\" stroke-width=\"{size}\" d=\"{path}\"/>");
    }
}
