//! Series over a pair of axes, as SVG.

use std::fmt::Write;

use super::frame::{PlotLayout, separate_labels};
use super::scale::Tick;
use super::style::{LETTER, SvgImage, TITLE, dots, escape, short, short_name, wide};
use super::{Chart, Mark, Series};

pub(super) const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
/// Letters of a name beside a chart.
const MOST_LETTERS: usize = 24;
/// Below this width lines are named above the chart and not at their ends.
const NARROW: f64 = 560.0;
/// Points of a cloud that are drawn one by one; more are binned in cells.
const MOST_DOTS: usize = 1500;
/// Shades of a binned cloud.
const DENSITIES: usize = 7;

/// The plot area.
struct PlotArea {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl PlotArea {
    fn x(&self, share: f64) -> f64 {
        self.left + share * self.width
    }
    fn y(&self, share: f64) -> f64 {
        self.top + (1.0 - share) * self.height
    }
}

/// A line of the legend: position and name of each series.
type Legend<'a> = Vec<Vec<(usize, &'a Series, f64)>>;

pub(super) fn draw(chart: &Chart, titled: bool) -> SvgImage {
    let (width, height) = chart.size.unwrap_or((WIDTH, HEIGHT));
    let frame = PlotLayout::new(chart);
    let places = chart.places();
    let named: Vec<(usize, &Series)> = chart
        .series
        .iter()
        .zip(&places)
        .filter_map(|(s, place)| Some(((*place)?, s)))
        .filter(|(_, s)| !s.name.is_empty())
        .collect();
    let lines = |s: &Series| matches!(s.mark, Mark::Line | Mark::Dashed | Mark::Step);
    // A single series needs no name if the axis has the same; lines are named at their ends, all others in a legend.
    let labels = named.len() > 1 || named.iter().any(|(_, s)| s.name != chart.y.label && s.name != chart.title);
    let beside = labels && width >= NARROW && named.iter().all(|(_, s)| lines(s));
    let legend = if labels && !beside { legend_of(&named, width - 32.0) } else { Vec::new() };
    let y_ticks = frame.y_ticks(if height < 300.0 { 5 } else { 6 });
    // Without a title the name of the vertical axis is above it, as horizontal text.
    let above = !titled && !chart.y.label.is_empty();
    let left = if above || chart.y.label.is_empty() { 18.0 } else { 44.0 };
    let left = left + y_ticks.iter().map(|t| wide(&t.label)).fold(0.0, f64::max);
    let names = named.iter().map(|(_, s)| wide(&short_name(&s.name, MOST_LETTERS))).fold(0.0, f64::max);
    let right = if beside { 18.0 + names } else { 24.0 };
    let top = if titled { 14.0 + TITLE } else { 12.0 } + 20.0 * legend.len() as f64 + if above { 20.0 } else { 0.0 };
    let x_ticks = frame.x_ticks(if width < NARROW { 5 } else { 7 });
    let room = (width - left - right) / x_ticks.len().max(1) as f64;
    let slanted = !chart.x.names.is_empty() && x_ticks.iter().any(|t| wide(&t.label) > room);
    let bottom = if slanted { 112.0 } else { 56.0 } - if chart.x.label.is_empty() { 22.0 } else { 0.0 };
    let area = PlotArea { left, top, width: width - left - right, height: height - top - bottom };

    let mut picture = SvgImage::new(width, height, &chart.title, titled);
    picture.area = match frame.ends() {
        Some(((x0, x1), (y0, y1))) => format!(
            " data-area=\"{:.2} {:.2} {:.2} {:.2}\" data-x=\"{x0} {x1}\" data-y=\"{y0} {y1}\"",
            area.left, area.top, area.width, area.height
        ),
        None => String::new(),
    };
    let out = &mut picture.shapes;
    let unnamed = chart.series.iter().zip(&places).filter(|(s, p)| p.is_none() && !s.is_quiet()).count();
    if unnamed > 0 {
        let x = width - 16.0;
        let _ = writeln!(out, "<text class=\"soft\" x=\"{x}\" y=\"26\" text-anchor=\"end\">and {unnamed} more, in gray</text>");
    }
    ticks(out, &frame, &area, &y_ticks, &x_ticks, slanted);
    let base = frame.y_to_unit(0.0).filter(|p| (0.0..=1.0).contains(p)).unwrap_or(0.0);
    for at in [0.0, base] {
        let (x, y) = (area.x(1.0), area.y(at));
        let _ = writeln!(out, "<line class=\"axis\" x1=\"{:.2}\" y1=\"{y:.2}\" x2=\"{x:.2}\" y2=\"{y:.2}\"/>", area.left);
        if base == 0.0 {
            break;
        }
    }
    for x in chart.rug.iter().filter_map(|v| frame.x_to_unit(*v)).filter(|p| (0.0..=1.0).contains(p)) {
        let (x, y) = (area.x(x), area.y(0.0));
        let _ = writeln!(out, "<line class=\"axis\" x1=\"{x:.2}\" y1=\"{y:.2}\" x2=\"{x:.2}\" y2=\"{:.2}\"/>", y - 7.0);
    }
    axis_labels(out, chart, &area, (width, height), above);
    // Unnamed series are drawn below.
    let mut order: Vec<usize> = (0..chart.series.len()).collect();
    order.sort_by_key(|&s| places[s].is_some());
    let bars: Vec<usize> = (0..chart.series.len()).filter(|&s| chart.series[s].mark == Mark::Bars).collect();
    for s in order {
        let of = &chart.series[s];
        let class = match (places[s], of.mark) {
            (Some(k), _) => format!("c{k}"),
            (None, Mark::Line | Mark::Dashed | Mark::Step) if of.is_quiet() => "many faint".to_owned(),
            (None, _) => "many".to_owned(),
        };
        let among = (bars.iter().position(|&b| b == s).unwrap_or(0), bars.len());
        series(out, &frame, &area, of, &class, base, among);
    }
    if beside {
        end_labels(out, &frame, &area, &named);
    }
    draw_legend(out, &legend, if titled { 40.0 } else { 4.0 });
    picture
}

/// Grid lines with the labels of the vertical axis, and the ticks of the horizontal one.
fn ticks(out: &mut String, frame: &PlotLayout<'_>, area: &PlotArea, y_ticks: &[Tick], x_ticks: &[Tick], slanted: bool) {
    for tick in y_ticks {
        if let Some(y) = frame.y_to_unit(tick.value).map(|p| area.y(p)) {
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
    for tick in x_ticks {
        let Some(x) = frame.x_to_unit(tick.value).map(|p| area.x(p)) else { continue };
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
}

/// The names of the axes; that of the vertical one is `above` it or rotated.
fn axis_labels(out: &mut String, chart: &Chart, area: &PlotArea, (width, height): (f64, f64), above: bool) {
    if !chart.x.label.is_empty() {
        let (x, y) = (area.x(0.5), height - 12.0);
        let label = escape(&short(&chart.x.label, (width / 8.0) as usize));
        let _ = writeln!(out, "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"middle\">{label}</text>");
    }
    if above {
        let label = escape(&short(&chart.y.label, (width / 8.0) as usize));
        let _ = writeln!(out, "<text class=\"soft\" x=\"4\" y=\"{:.2}\">{label}</text>", area.top - 12.0);
    } else if !chart.y.label.is_empty() {
        let middle = area.y(0.5);
        let _ = writeln!(
            out,
            "<text x=\"18\" y=\"{middle:.2}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {middle:.2})\">{}</text>",
            escape(&short(&chart.y.label, (height / 10.0) as usize))
        );
    }
}

/// The legend, from `top` down.
fn draw_legend(out: &mut String, legend: &Legend<'_>, top: f64) {
    for (k, line) in legend.iter().enumerate() {
        let y = top + 20.0 * k as f64;
        for (place, s, x) in line {
            let name = escape(&short_name(&s.name, MOST_LETTERS));
            let _ = writeln!(out, "<rect class=\"bar c{place}\" x=\"{x:.2}\" y=\"{y}\" width=\"11\" height=\"11\" rx=\"2\"/>");
            let _ = writeln!(out, "<text x=\"{:.2}\" y=\"{}\">{name}</text>", x + 16.0, y + 10.0);
        }
    }
}

/// The names of the legend, wrapped to the width.
fn legend_of<'a>(named: &[(usize, &'a Series)], width: f64) -> Legend<'a> {
    let mut lines: Legend<'a> = Vec::new();
    let mut x = f64::INFINITY;
    for (place, s) in named {
        let room = 16.0 + wide(&short_name(&s.name, MOST_LETTERS)) + 14.0;
        if x + room - 14.0 > width + 16.0 {
            lines.push(Vec::new());
            x = 16.0;
        }
        lines.last_mut().expect("there is a line").push((*place, s, x));
        x += room;
    }
    lines
}

fn end_labels(out: &mut String, frame: &PlotLayout<'_>, area: &PlotArea, named: &[(usize, &Series)]) {
    let ends: Vec<(usize, &Series, (f64, f64))> = named.iter().filter_map(|&(k, s)| Some((k, s, frame.last(s)?))).collect();
    let wanted: Vec<f64> = ends.iter().map(|e| e.2.1).collect();
    let gap = (LETTER + 2.0) / area.height;
    for ((place, s, _), up) in ends.iter().zip(separate_labels(&wanted, gap)) {
        let (x, y) = (area.x(1.0) + 8.0, area.y(up) + 4.0);
        let _ = writeln!(
            out,
            "<text class=\"c{place}\" x=\"{x:.2}\" y=\"{y:.2}\">{}</text>",
            escape(&short_name(&s.name, MOST_LETTERS))
        );
    }
}

fn series(
    out: &mut String,
    frame: &PlotLayout<'_>,
    area: &PlotArea,
    series: &Series,
    class: &str,
    base: f64,
    among: (usize, usize),
) {
    bands(out, frame, area, series, class);
    for run in frame.runs(series) {
        match series.mark {
            Mark::Line | Mark::Dashed | Mark::Step | Mark::Guide => {
                let mut path = String::new();
                for (k, &(x, y)) in run.iter().enumerate() {
                    let (x, y) = (area.x(x), area.y(y));
                    let _ = match (k, series.mark) {
                        (0, _) => write!(path, "M{x:.2} {y:.2}"),
                        (_, Mark::Step) => write!(path, "H{x:.2}V{y:.2}"),
                        _ => write!(path, "L{x:.2} {y:.2}"),
                    };
                }
                // A single point has no line to draw.
                if let [(x, y)] = run[..] {
                    let (x, y) = (area.x(x), area.y(y));
                    let _ = writeln!(out, "<circle class=\"dot {class}\" cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3\"/>");
                } else if series.mark == Mark::Guide {
                    let _ = writeln!(out, "<path class=\"guide\" stroke-dasharray=\"4 4\" d=\"{path}\"/>");
                } else {
                    let dashes = if series.mark == Mark::Dashed { " stroke-dasharray=\"7 5\"" } else { "" };
                    let _ = writeln!(out, "<path class=\"line {class}\"{dashes} d=\"{path}\"/>");
                }
            }
            Mark::Area => {
                let Some(&(first, _)) = run.first() else { continue };
                let mut path = format!("M{:.2} {:.2}", area.x(first), area.y(base));
                for pair in run.windows(2) {
                    let _ = write!(path, "V{:.2}H{:.2}", area.y(pair[0].1), area.x(pair[1].0));
                }
                let _ = writeln!(out, "<path class=\"bar area {class}\" d=\"{path}V{:.2}Z\"/>", area.y(base));
            }
            Mark::Points => {
                for (x, y) in run {
                    let (x, y) = (area.x(x), area.y(y));
                    let _ = writeln!(out, "<circle class=\"dot {class}\" cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"2.6\"/>");
                }
            }
            Mark::Cloud => cloud(out, area, &run, class),
            Mark::Bars => {
                let unit = frame.x_to_unit(1.0).unwrap_or(1.0) - frame.x_to_unit(0.0).unwrap_or(0.0);
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

/// Intervals: a band along a line, whiskers at points and bars.
fn bands(out: &mut String, frame: &PlotLayout<'_>, area: &PlotArea, series: &Series, class: &str) {
    let whiskers = !matches!(series.mark, Mark::Line | Mark::Dashed | Mark::Step);
    for run in frame.bands(series) {
        let clamp = |v: f64| area.y(v.clamp(0.0, 1.0));
        if whiskers {
            for (x, low, high) in run {
                let (x, low, high) = (area.x(x), clamp(low), clamp(high));
                let _ = writeln!(out, "<path class=\"line {class}\" stroke-width=\"1.4\" d=\"M{x:.2} {low:.2}V{high:.2}\"/>");
            }
        } else if run.len() > 1 {
            let upper = run.iter().map(|&(x, _, high)| (x, high));
            let back = run.iter().rev().map(|&(x, low, _)| (x, low));
            let points: Vec<String> = upper.chain(back).map(|(x, y)| format!("{:.2} {:.2}", area.x(x), clamp(y))).collect();
            let _ = writeln!(out, "<path class=\"bar {class}\" fill-opacity=\".16\" d=\"M{}Z\"/>", points.join("L"));
        }
    }
}

/// Points one by one while they are few; else cells shaded by their counts.
fn cloud(out: &mut String, area: &PlotArea, run: &[(f64, f64)], class: &str) {
    if run.len() <= MOST_DOTS {
        let size = if run.len() > 500 { 3.0 } else { 4.0 };
        dots(out, class, size, run.iter().map(|&(x, y)| (area.x(x), area.y(y))));
        return;
    }
    let side = 5.0;
    let (across, down) = ((area.width / side).ceil() as usize, (area.height / side).ceil() as usize);
    let mut counts = vec![0u32; across * down];
    for &(x, y) in run {
        let (i, j) = (x * area.width / side, (1.0 - y) * area.height / side);
        if (0.0..=across as f64).contains(&i) && (0.0..=down as f64).contains(&j) {
            counts[(j as usize).min(down - 1) * across + (i as usize).min(across - 1)] += 1;
        }
    }
    // On a log scale: the densest cells have a thousand times more rows than those at the edges.
    let most = f64::from(counts.iter().copied().max().unwrap_or(1)).ln_1p();
    let mut paths = vec![String::new(); DENSITIES];
    for (k, &count) in counts.iter().enumerate().filter(|c| *c.1 > 0) {
        let level = (f64::from(count).ln_1p() / most * DENSITIES as f64).ceil().clamp(1.0, DENSITIES as f64) as usize - 1;
        let (x, y) = (area.left + (k % across) as f64 * side, area.top + (k / across) as f64 * side);
        let _ = write!(paths[level], "M{x:.1} {y:.1}h5v5h-5z");
    }
    for (level, path) in paths.iter().enumerate().filter(|p| !p.1.is_empty()) {
        let strength = (level + 1) as f64 / DENSITIES as f64;
        let _ = writeln!(out, "<path class=\"bar {class}\" fill-opacity=\"{strength:.2}\" d=\"{path}\"/>");
    }
}
