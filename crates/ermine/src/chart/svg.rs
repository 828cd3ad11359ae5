//! A chart as SVG.

use std::fmt::Write;

use super::frame::{Frame, spread};
use super::{Chart, MOST_NAMED, Mark, Series};

pub(super) const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
/// Size of letters, and about how wide one is in the widest of the fonts that a viewer may choose.
pub(super) const LETTER: f64 = 12.0;
pub(super) const LETTER_WIDTH: f64 = 7.5;
/// Letters of a name beside a chart.
const MOST_LETTERS: usize = 24;

/// Blue, vermilion, green, purple, orange, sky, brown, grey: after Okabe and Ito, whose colours differ for all kinds of colour
/// vision; without their yellow, which vanishes on white. The second list is for dark pages.
const LIGHT: [&str; MOST_NAMED] = ["#0072b2", "#d55e00", "#009e73", "#b0548c", "#c98500", "#3a9bd4", "#7a5230", "#5f6a72"];
const DARK: [&str; MOST_NAMED] = ["#4fa8e0", "#f08040", "#2fc79a", "#dd8fbe", "#e8b03a", "#8accf2", "#c49a6c", "#a9b4bc"];

/// The opening tag and the style that all pictures share.
pub(super) fn open(out: &mut String, width: f64, height: f64, title: &str) {
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\" font-size=\"{LETTER}\">"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(title));
    let _ = writeln!(out, "<style>");
    // A viewer with dark settings leaves the page of a picture white unless told otherwise.
    let _ = writeln!(
        out,
        "svg{{background:#ffffff}} text{{fill:#1f2328}} .soft{{fill:#59636e}} .title{{font-size:15px;font-weight:600}}"
    );
    let _ = writeln!(out, ".grid{{stroke:#d8dee4;stroke-width:1}} .axis{{stroke:#8b949e;stroke-width:1}}");
    let _ = writeln!(
        out,
        ".line{{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}} .many{{stroke:#b5bdc5;stroke-width:1.2}}"
    );
    let _ = writeln!(out, ".dot{{stroke:none;fill-opacity:.75}} .dot.many,.bar.many{{fill:#b5bdc5}}");
    for (k, colour) in LIGHT.iter().enumerate() {
        let _ = writeln!(out, ".line.c{k}{{stroke:{colour}}} .dot.c{k},.bar.c{k},text.c{k}{{fill:{colour}}}");
    }
    let _ = writeln!(out, "@media (prefers-color-scheme:dark){{");
    let _ = writeln!(out, "svg{{background:#0d1117}} text{{fill:#e6edf3}} .soft{{fill:#9aa4af}}");
    let _ = writeln!(out, ".grid{{stroke:#30363d}} .axis{{stroke:#6e7681}}");
    let _ = writeln!(out, ".line.many{{stroke:#484f58}} .dot.many,.bar.many{{fill:#484f58}}");
    for (k, colour) in DARK.iter().enumerate() {
        let _ = writeln!(out, ".line.c{k}{{stroke:{colour}}} .dot.c{k},.bar.c{k},text.c{k}{{fill:{colour}}}");
    }
    let _ = writeln!(out, "}}\n</style>");
    let _ = writeln!(out, "<text class=\"title\" x=\"16\" y=\"26\">{}</text>", escape(&short(title, 90)));
}

/// Text that cannot be taken for markup; what XML has no place for is left out.
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

/// At most `most` letters, the last one … when something was cut.
pub(super) fn short(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_owned(),
        false => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// At most `most` letters of a name, cut in the middle: names of columns often differ only at their ends.
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

/// The rectangle of the curves.
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn x(&self, share: f64) -> f64 {
        self.left + share * self.width
    }
    fn y(&self, share: f64) -> f64 {
        self.top + (1.0 - share) * self.height
    }
}

pub(super) fn draw(chart: &Chart) -> String {
    let frame = Frame::new(chart);
    let places = chart.places();
    let named: Vec<(usize, &Series)> = chart
        .series
        .iter()
        .zip(&places)
        .filter_map(|(s, place)| Some(((*place)?, s)))
        .filter(|(_, s)| !s.name.is_empty())
        .collect();
    let lines = |s: &Series| matches!(s.mark, Mark::Line | Mark::Dashed | Mark::Step);
    // One series needs no name beside the axis that says the same; lines are named where they end, all else in a legend.
    let labels = named.len() > 1 || named.iter().any(|(_, s)| s.name != chart.y.label && s.name != chart.title);
    let beside = labels && named.iter().all(|(_, s)| lines(s));
    let legend = labels && !beside;
    let y_ticks = frame.y_ticks(6);
    let left = 44.0 + y_ticks.iter().map(|t| wide(&t.label)).fold(0.0, f64::max);
    let names = named.iter().map(|(_, s)| wide(&short_name(&s.name, MOST_LETTERS))).fold(0.0, f64::max);
    let right = if beside { 18.0 + names } else { 24.0 };
    let top = if legend { 64.0 } else { 44.0 };
    let x_ticks = frame.x_ticks(7);
    let room = (WIDTH - left - right) / x_ticks.len().max(1) as f64;
    let slanted = !chart.x.names.is_empty() && x_ticks.iter().any(|t| wide(&t.label) > room);
    let bottom = if slanted { 112.0 } else { 56.0 };
    let area = Area { left, top, width: WIDTH - left - right, height: HEIGHT - top - bottom };

    let mut out = String::new();
    open(&mut out, WIDTH, HEIGHT, &chart.title);
    let unnamed = places.iter().filter(|p| p.is_none()).count();
    if unnamed > 0 {
        let x = WIDTH - 16.0;
        let _ = writeln!(out, "<text class=\"soft\" x=\"{x}\" y=\"26\" text-anchor=\"end\">and {unnamed} more, in grey</text>");
    }
    for tick in &y_ticks {
        if let Some(y) = frame.up(tick.value).map(|p| area.y(p)) {
            let _ = writeln!(
                out,
                "<line class=\"grid\" x1=\"{:.2}\" y1=\"{y:.2}\" x2=\"{:.2}\" y2=\"{y:.2}\"/>",
                area.left,
                area.x(1.0)
            );
            let _ = writeln!(
                out,
                "<text class=\"soft\" x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"end\">{}</text>",
                area.left - 8.0,
                y + 4.0,
                escape(&tick.label)
            );
        }
    }
    for tick in &x_ticks {
        let Some(x) = frame.across(tick.value).map(|p| area.x(p)) else { continue };
        let (base, label) = (area.y(0.0), escape(&short_name(&tick.label, if slanted { 18 } else { 40 })));
        let _ = writeln!(out, "<line class=\"axis\" x1=\"{x:.2}\" y1=\"{base:.2}\" x2=\"{x:.2}\" y2=\"{:.2}\"/>", base + 5.0);
        if slanted {
            let y = base + 16.0;
            let turn = format!("rotate(-35 {x:.2} {y:.2})");
            let _ = writeln!(
                out,
                "<text class=\"soft\" x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"end\" transform=\"{turn}\">{label}</text>"
            );
        } else {
            let _ =
                writeln!(out, "<text class=\"soft\" x=\"{x:.2}\" y=\"{:.2}\" text-anchor=\"middle\">{label}</text>", base + 19.0);
        }
    }
    let base = frame.up(0.0).filter(|p| (0.0..=1.0).contains(p)).unwrap_or(0.0);
    for at in [0.0, base] {
        let (x, y) = (area.x(1.0), area.y(at));
        let _ = writeln!(out, "<line class=\"axis\" x1=\"{:.2}\" y1=\"{y:.2}\" x2=\"{x:.2}\" y2=\"{y:.2}\"/>", area.left);
        if base == 0.0 {
            break;
        }
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"middle\">{}</text>",
        area.x(0.5),
        HEIGHT - 12.0,
        escape(&short(&chart.x.label, 80))
    );
    let middle = area.y(0.5);
    let _ = writeln!(
        out,
        "<text x=\"18\" y=\"{middle:.2}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {middle:.2})\">{}</text>",
        escape(&short(&chart.y.label, 44))
    );
    // What is not named lies below.
    let mut order: Vec<usize> = (0..chart.series.len()).collect();
    order.sort_by_key(|&s| places[s].is_some());
    let bars: Vec<usize> = (0..chart.series.len()).filter(|&s| chart.series[s].mark == Mark::Bars).collect();
    for s in order {
        let class = places[s].map_or("many".to_owned(), |k| format!("c{k}"));
        let among = (bars.iter().position(|&b| b == s).unwrap_or(0), bars.len());
        series(&mut out, &frame, &area, &chart.series[s], &class, base, among);
    }
    if beside {
        end_labels(&mut out, &frame, &area, &named);
    }
    if legend {
        let mut x = area.left;
        for (place, s) in &named {
            let name = short_name(&s.name, MOST_LETTERS);
            let _ = writeln!(out, "<rect class=\"bar c{place}\" x=\"{x:.2}\" y=\"40\" width=\"11\" height=\"11\" rx=\"2\"/>");
            let _ = writeln!(out, "<text x=\"{:.2}\" y=\"50\">{}</text>", x + 16.0, escape(&name));
            x += 16.0 + wide(&name) + 18.0;
        }
    }
    out.push_str("</svg>\n");
    out
}

fn end_labels(out: &mut String, frame: &Frame<'_>, area: &Area, named: &[(usize, &Series)]) {
    let ends: Vec<(usize, &Series, (f64, f64))> = named.iter().filter_map(|&(k, s)| Some((k, s, frame.last(s)?))).collect();
    let wanted: Vec<f64> = ends.iter().map(|e| e.2.1).collect();
    let gap = (LETTER + 2.0) / area.height;
    for ((place, s, _), up) in ends.iter().zip(spread(&wanted, gap)) {
        let (x, y) = (area.x(1.0) + 8.0, area.y(up) + 4.0);
        let _ = writeln!(
            out,
            "<text class=\"c{place}\" x=\"{x:.2}\" y=\"{y:.2}\">{}</text>",
            escape(&short_name(&s.name, MOST_LETTERS))
        );
    }
}

fn series(out: &mut String, frame: &Frame<'_>, area: &Area, series: &Series, class: &str, base: f64, among: (usize, usize)) {
    for run in frame.bands(series) {
        let mut path = String::new();
        let there = run.iter().map(|&(x, _, high)| (x, high));
        let back = run.iter().rev().map(|&(x, low, _)| (x, low));
        for (k, (x, y)) in there.chain(back).enumerate() {
            let _ = write!(path, "{}{:.2} {:.2}", if k == 0 { 'M' } else { 'L' }, area.x(x), area.y(y));
        }
        let _ = writeln!(out, "<path class=\"bar {class}\" fill-opacity=\".16\" d=\"{path}Z\"/>");
    }
    for run in frame.runs(series) {
        match series.mark {
            Mark::Line | Mark::Dashed | Mark::Step => {
                let mut path = String::new();
                for (k, &(x, y)) in run.iter().enumerate() {
                    let (x, y) = (area.x(x), area.y(y));
                    let _ = match (k, series.mark) {
                        (0, _) => write!(path, "M{x:.2} {y:.2}"),
                        (_, Mark::Step) => write!(path, "H{x:.2}V{y:.2}"),
                        _ => write!(path, "L{x:.2} {y:.2}"),
                    };
                }
                // A single point would leave nothing to see.
                if let [(x, y)] = run[..] {
                    let _ =
                        writeln!(out, "<circle class=\"dot {class}\" cx=\"{:.2}\" cy=\"{:.2}\" r=\"3\"/>", area.x(x), area.y(y));
                } else {
                    let dashes = if series.mark == Mark::Dashed { " stroke-dasharray=\"7 5\"" } else { "" };
                    let _ = writeln!(out, "<path class=\"line {class}\"{dashes} d=\"{path}\"/>");
                }
            }
            Mark::Points => {
                for (x, y) in run {
                    let _ = writeln!(
                        out,
                        "<circle class=\"dot {class}\" cx=\"{:.2}\" cy=\"{:.2}\" r=\"2.6\"/>",
                        area.x(x),
                        area.y(y)
                    );
                }
            }
            Mark::Bars => {
                let unit = frame.across(1.0).unwrap_or(1.0) - frame.across(0.0).unwrap_or(0.0);
                let (k, all) = (among.0 as f64, among.1.max(1) as f64);
                let width = (unit.abs() * area.width * 0.8 / all).max(1.0);
                for (x, y) in run {
                    let left = area.x(x) + (k - 0.5 * all) * width;
                    let (a, b) = (area.y(y.max(base)), area.y(y.min(base)));
                    let _ = writeln!(
                        out,
                        "<rect class=\"bar {class}\" x=\"{left:.2}\" y=\"{a:.2}\" width=\"{width:.2}\" height=\"{:.2}\"/>",
                        b - a
                    );
                }
            }
        }
    }
}
