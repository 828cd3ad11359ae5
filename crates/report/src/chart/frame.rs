//! The layout of a chart: axes with their ends, common to SVG and text.

use super::scale::{AxisRange, Tick};
use super::{Axis, Chart, Mark, Scale, Series};

/// A chart laid out in the unit square.
pub(super) struct PlotLayout<'a> {
    chart: &'a Chart,
    x: AxisRange,
    y: AxisRange,
}

impl<'a> PlotLayout<'a> {
    pub fn new(chart: &'a Chart) -> Self {
        let finite = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
        let of = |s: &'a Series| {
            let spans = s.points.iter().zip(&s.band).flat_map(|(p, span)| [(p.0, span.0), (p.0, span.1)]);
            s.points.iter().copied().chain(spans)
        };
        let points = || chart.series.iter().flat_map(of).filter(finite);
        let bars = chart.series.iter().any(|s| s.mark == Mark::Bars);
        let mut x = AxisRange::of(chart.x.scale, points().map(|p| p.0));
        if bars || !chart.x.names.is_empty() {
            // Half a place on either side, so that the first and the last bar are whole.
            let last = chart.x.names.len().max(1) as f64 - 1.0;
            x = x.including(-0.5).including(last + 0.5);
        } else if chart.series.iter().all(|s| matches!(s.mark, Mark::Points | Mark::Cloud | Mark::Guide)) {
            x = x.with_room();
        }
        let mut y = AxisRange::of(chart.y.scale, points().map(|p| p.1));
        if bars || chart.series.iter().any(|s| s.mark == Mark::Area) {
            y = y.including(0.0);
        }
        let fixed = |axis: &Axis, found: AxisRange| match axis.range {
            Some((low, high)) if low < high => AxisRange::of(axis.scale, [low, high].into_iter()),
            _ => found,
        };
        Self { chart, x: fixed(&chart.x, x), y: fixed(&chart.y, y.with_room()) }
    }

    /// The ends of both axes, where these are linear and ascending.
    pub fn ends(&self) -> Option<((f64, f64), (f64, f64))> {
        let plain = |axis: &Axis| axis.scale == Scale::Linear && !axis.reversed;
        (plain(&self.chart.x) && plain(&self.chart.y)).then(|| (self.x.ends(), self.y.ends()))
    }

    /// The position of x, from 0 at the left to 1 at the right.
    pub fn x_to_unit(&self, x: f64) -> Option<f64> {
        self.x.place(x).map(|p| if self.chart.x.reversed { 1.0 - p } else { p })
    }

    /// The position of y, from 0 at the bottom to 1 at the top.
    pub fn y_to_unit(&self, y: f64) -> Option<f64> {
        self.y.place(y).map(|p| if self.chart.y.reversed { 1.0 - p } else { p })
    }

    pub fn x_ticks(&self, about: usize) -> Vec<Tick> {
        named(&self.chart.x).unwrap_or_else(|| self.x.ticks(about))
    }

    pub fn y_ticks(&self, about: usize) -> Vec<Tick> {
        named(&self.chart.y).unwrap_or_else(|| self.y.ticks(about))
    }

    /// The points of a series in the unit square, in runs without gaps.
    pub fn runs(&self, series: &Series) -> Vec<Vec<(f64, f64)>> {
        let mut runs = vec![Vec::new()];
        for &(x, y) in &series.points {
            match (self.x_to_unit(x), self.y_to_unit(y)) {
                (Some(x), Some(y)) => runs.last_mut().expect("there is a run").push((x, y)),
                _ => runs.push(Vec::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    /// The band of a series in the unit square, as (x, low, high), in runs without gaps.
    pub fn bands(&self, series: &Series) -> Vec<Vec<(f64, f64, f64)>> {
        let mut runs = vec![Vec::new()];
        for (&(x, _), &(low, high)) in series.points.iter().zip(&series.band) {
            // A lower end that cannot be shown, such as 0 on a logarithmic axis, is at the bottom.
            let low = if low.is_finite() { Some(self.y_to_unit(low).unwrap_or(0.0)) } else { None };
            match (self.x_to_unit(x), low, self.y_to_unit(high)) {
                (Some(x), Some(low), Some(high)) => runs.last_mut().expect("there is a run").push((x, low, high)),
                _ => runs.push(Vec::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    /// The position of a series at the right end, for its label.
    pub fn last(&self, series: &Series) -> Option<(f64, f64)> {
        let all = self.runs(series).into_iter().flatten();
        all.reduce(|a, b| if b.0 >= a.0 { b } else { a })
    }
}

fn named(axis: &Axis) -> Option<Vec<Tick>> {
    let tick = |(i, name): (usize, &String)| Tick { value: i as f64, label: name.clone() };
    (!axis.names.is_empty()).then(|| axis.names.iter().enumerate().map(tick).collect())
}

/// Separates overlapping labels: each gets a position at least `gap` from the next, in the order of the wanted
/// positions and as close to them as possible, within 0 and 1.
pub(super) fn separate_labels(wanted: &[f64], gap: f64) -> Vec<f64> {
    let order = ermine_core::order::argsort(wanted);
    // Overlapping neighbors form a group around the mean of the wanted positions; overlapping groups are merged.
    let mut groups: Vec<(f64, Vec<usize>)> = Vec::new();
    for i in order {
        groups.push((wanted[i], vec![i]));
        while let Some((middle, members)) = groups.last_mut() {
            let half = 0.5 * gap * (members.len() - 1) as f64;
            *middle = middle.min(1.0 - half).max(half);
            let low = *middle - half;
            let Some(before) = groups.len().checked_sub(2) else { break };
            let (middle_before, members_before) = &groups[before];
            let high = middle_before + 0.5 * gap * (members_before.len() - 1) as f64;
            if low - high >= gap - 1e-12 {
                break;
            }
            let (_, members) = groups.pop().expect("there are two");
            let (middle, all) = groups.last_mut().expect("there is one");
            all.extend(members);
            *middle = all.iter().map(|&i| wanted[i]).sum::<f64>() / all.len() as f64;
        }
    }
    let mut out = vec![0.0; wanted.len()];
    for (middle, members) in groups {
        let low = middle - 0.5 * gap * (members.len() - 1) as f64;
        members.iter().enumerate().for_each(|(k, &i)| out[i] = low + gap * k as f64);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_moved_apart_and_stay_in_order() {
        let wanted = [0.5, 0.51, 0.1, 0.52, 0.99, 1.0];
        let out = separate_labels(&wanted, 0.1);
        let mut order: Vec<usize> = (0..6).collect();
        ermine_core::order::sort_by_number(&mut order, |a| out[a]);
        assert_eq!(order, [2, 0, 1, 3, 4, 5]);
        assert!(order.windows(2).all(|w| out[w[1]] - out[w[0]] >= 0.1 - 1e-9), "{out:?}");
        assert!(out.iter().all(|v| (0.0..=1.0 + 1e-9).contains(v)), "{out:?}");
        assert_eq!(out[2], 0.1, "what touches nothing stays");
        assert_eq!(separate_labels(&[], 0.1), Vec::<f64>::new());
    }
}
