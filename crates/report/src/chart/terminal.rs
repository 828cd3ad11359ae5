//! A chart as lines of text: curves in Braille dots, 2 by 4 per character.

use std::fmt::Write;

use super::frame::{PlotLayout, separate_labels};
use super::style::{short, short_name};
use super::{Chart, Mark};

/// Letters of a name beside the curves.
const MOST_LETTERS: usize = 18;

/// A canvas of dots, 2 wide and 4 high per character (Braille patterns, U+2800 on).
struct BrailleCanvas {
    width: usize,
    height: usize,
    cells: Vec<u8>,
}

impl BrailleCanvas {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, cells: vec![0; width * height] }
    }

    /// Sets the dot at a position of the unit square.
    fn set(&mut self, x: f64, y: f64) {
        const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        let across = (x * (2 * self.width - 1) as f64).round().clamp(0.0, (2 * self.width - 1) as f64) as usize;
        let down = ((1.0 - y) * (4 * self.height - 1) as f64).round().clamp(0.0, (4 * self.height - 1) as f64) as usize;
        self.cells[down / 4 * self.width + across / 2] |= BITS[across % 2][down % 4];
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let across = (to.0 - from.0).abs() * (2 * self.width) as f64;
        let up = (to.1 - from.1).abs() * (4 * self.height) as f64;
        let steps = across.max(up).ceil().clamp(1.0, 1e4) as usize;
        for k in 0..=steps {
            let t = k as f64 / steps as f64;
            self.set(from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
        }
    }

    fn row(&self, line: usize) -> String {
        let letter = |&b: &u8| if b == 0 { ' ' } else { char::from_u32(0x2800 + u32::from(b)).unwrap_or(' ') };
        self.cells[line * self.width..(line + 1) * self.width].iter().map(letter).collect()
    }
}

pub(super) fn draw(chart: &Chart, width: usize, height: usize) -> String {
    let frame = PlotLayout::new(chart);
    let height = height.max(4);
    let y_ticks = frame.y_ticks((height / 3).max(2));
    let margin = y_ticks.iter().map(|t| t.label.chars().count()).max().unwrap_or(0) + 2;
    let places = chart.places();
    let named: Vec<usize> =
        (0..chart.series.len()).filter(|&s| places[s].is_some() && !chart.series[s].name.is_empty()).collect();
    let labels =
        named.len() > 1 || named.iter().any(|&s| chart.series[s].name != chart.y.label && chart.series[s].name != chart.title);
    let name = |s: usize| short_name(&chart.series[s].name, MOST_LETTERS.min(width / 4));
    let beside = if labels { 1 + named.iter().map(|&s| name(s).chars().count()).max().unwrap_or(0) } else { 0 };
    let across = width.saturating_sub(margin + 1 + beside).max(8);

    let mut dots = BrailleCanvas::new(across, height);
    for series in chart.series.iter().filter(|s| s.mark != Mark::Guide) {
        let base = frame.y_to_unit(0.0).unwrap_or(0.0).clamp(0.0, 1.0);
        for run in frame.runs(series) {
            run.iter().for_each(|&(x, y)| match series.mark {
                Mark::Bars | Mark::Area => dots.line((x, base), (x, y)),
                _ => dots.set(x, y),
            });
            for pair in run.windows(2) {
                match series.mark {
                    Mark::Line | Mark::Dashed => dots.line(pair[0], pair[1]),
                    Mark::Step => {
                        dots.line(pair[0], (pair[1].0, pair[0].1));
                        dots.line((pair[1].0, pair[0].1), pair[1]);
                    }
                    Mark::Area => dots.line(pair[0], (pair[1].0, pair[0].1)),
                    Mark::Points | Mark::Bars | Mark::Cloud | Mark::Guide => {}
                }
            }
        }
    }
    // Names are at the ends of their curves, moved apart where they overlap.
    let dots_high = 4 * height - 1;
    let line_of = |up: f64| ((1.0 - up) * dots_high as f64).round().clamp(0.0, dots_high as f64) as usize / 4;
    let ends: Vec<(usize, f64)> = named.iter().filter_map(|&s| Some((s, frame.last(&chart.series[s])?.1))).collect();
    let wanted: Vec<f64> = ends.iter().map(|e| e.1).collect();
    let mut beside_line = vec![String::new(); height];
    if labels {
        for ((s, _), up) in ends.iter().zip(separate_labels(&wanted, 4.0 / dots_high as f64)) {
            beside_line[line_of(up)] = name(*s);
        }
    }
    let mut ticks = vec![String::new(); height];
    y_ticks.iter().for_each(|t| {
        if let Some(up) = frame.y_to_unit(t.value) {
            ticks[line_of(up)] = t.label.clone();
        }
    });

    let mut out = String::new();
    if !chart.title.is_empty() {
        let _ = writeln!(out, "{}", short(&chart.title, width));
    }
    if !chart.y.label.is_empty() && chart.y.label != chart.title {
        let _ = writeln!(out, "{}", short(&chart.y.label, width));
    }
    for line in 0..height {
        let edge = if ticks[line].is_empty() { '│' } else { '┤' };
        let row = format!("{:>w$} {edge}{} {}", ticks[line], dots.row(line), beside_line[line], w = margin - 1);
        let _ = writeln!(out, "{}", row.trim_end());
    }
    let (rule, numbers) = bottom(&frame, across);
    let _ = writeln!(out, "{}└{rule}", " ".repeat(margin));
    let _ = writeln!(out, "{}{}", " ".repeat(margin + 1), numbers.trim_end());
    let label = short(&chart.x.label, across);
    let indent = margin + 1 + (across - label.chars().count().min(across)) / 2;
    if !label.is_empty() {
        let _ = writeln!(out, "{}{label}", " ".repeat(indent));
    }
    out
}

/// The line below the curves and the numbers below it, those that fit.
fn bottom(frame: &PlotLayout<'_>, across: usize) -> (String, String) {
    let mut rule: Vec<char> = vec!['─'; across];
    let mut numbers: Vec<char> = vec![' '; across];
    let mut ticks: Vec<(usize, String)> = frame
        .x_ticks((across / 12).max(2))
        .into_iter()
        .filter_map(|t| {
            Some(((frame.x_to_unit(t.value)? * (across - 1) as f64).round().clamp(0.0, (across - 1) as f64) as usize, t.label))
        })
        .collect();
    ticks.sort();
    let mut free = 0;
    for (at, label) in ticks {
        let long = label.chars().count();
        let from = at.saturating_sub(long / 2).min(across.saturating_sub(long));
        if from < free || from + long > across {
            continue;
        }
        rule[at] = '┬';
        label.chars().enumerate().for_each(|(k, c)| numbers[from + k] = c);
        free = from + long + 1;
    }
    (rule.into_iter().collect(), numbers.into_iter().collect())
}
