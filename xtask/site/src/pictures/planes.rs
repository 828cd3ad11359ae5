//! Rows in a plane, with borders, groups and densities; tables as colors.

use anyhow::{Context as _, Result};
use ermine::chart::{Chart, Heatmap, Series};
use ermine::core::{Context, Features, Mat, Model, NOISE_LABEL, OwnedTarget, Schema};
use ermine::neural::GanModel;
use ermine::{Fitted, Problem, Roles};
use serde_json::Value;

use super::data::{Rows, grid};
use super::inline;

/// Places along each side of a plane, for borders and lines of equal density.
const PLACES: usize = 121;

/// Penguins by two measures of their bills, with the borders between predicted classes.
pub fn borders(name: &str, params: Value) -> Result<String> {
    let rows = Rows::example("penguins", &["bill_length_mm", "bill_depth_mm"], "species")?.standardized();
    let model = rows.fit(name, &params)?;
    let classifier = model.as_classifier().context("it predicts no classes")?;
    let plane = Plane::around(&rows.x);
    let proba = classifier.proba(&Features::F64(plane.places.view()))?;
    let mut chart = Chart::new("", "bill length, standardized", "bill depth, standardized");
    for (k, class) in rows.classes.iter().enumerate() {
        chart = chart.with(Series::points(class, rows.points(|i| rows.y[i] == k as f64)));
    }
    for k in 0..rows.classes.len() {
        let lead = |i: usize| {
            let other = proba.row(i).iter().enumerate().filter(|(l, _)| *l != k).map(|(_, p)| *p).fold(0.0, f64::max);
            proba[(i, k)] - other
        };
        chart = chart.with(Series::guide(plane.contour(&(0..proba.rows()).map(lead).collect::<Vec<_>>(), 0.0)));
    }
    Ok(inline(plane.bound(chart), "Penguins by species, with the borders between predicted classes"))
}

/// The geyser, standardized, without a target.
fn geyser() -> Result<Rows> {
    let rows = Rows::example("faithful", &["eruptions"], "waiting")?;
    let x = Mat::from_fn(rows.x.rows(), 2, |i, j| if j == 0 { rows.x[(i, 0)] } else { rows.y[i] });
    Ok(Rows { x, y: Vec::new(), classes: Vec::new(), schema: Schema::numbers(["eruptions", "waiting"]) }.standardized())
}

fn geyser_chart() -> Chart {
    Chart::new("", "eruption, standardized", "waiting time, standardized")
}

fn with_groups(mut chart: Chart, rows: &Rows, model: &dyn Model) -> Result<Chart> {
    let clusterer = model.as_clusterer().context("it finds no groups")?;
    let labels = clusterer.assign(&Features::F64(rows.x.view()))?;
    for k in 0..clusterer.n_clusters() as u32 {
        chart = chart.with(Series::points(format!("group {}", k + 1), rows.points(|i| labels[i] == k)));
    }
    let noise = rows.points(|i| labels[i] == NOISE_LABEL);
    Ok(if noise.is_empty() { chart } else { chart.with(Series::points("noise", noise).in_background()) })
}

/// The geyser, colored by group.
pub fn groups(name: &str, params: Value) -> Result<String> {
    let rows = geyser()?;
    let model = rows.fit(name, &params)?;
    Ok(inline(with_groups(geyser_chart(), &rows, &*model)?, "Rows, colored by group"))
}

/// The geyser with lines of equal density of a mixture.
pub fn density(params: Value) -> Result<String> {
    let rows = geyser()?;
    let model = rows.fit("gmm", &params)?;
    let density = model.as_density().context("it has no density")?;
    let plane = Plane::around(&rows.x);
    let values = density.log_density(&Features::F64(plane.places.view()))?;
    let peak = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut chart = with_groups(geyser_chart(), &rows, &*model)?;
    for below in [0.7, 2.0, 4.0, 7.0] {
        chart = chart.with(Series::guide(plane.contour(&values, peak - below)));
    }
    Ok(inline(plane.bound(chart), "Rows, colored by component, with lines of equal density"))
}

/// The geyser, and rows drawn by a generator.
pub fn drawn_rows(params: Value) -> Result<String> {
    let rows = geyser()?;
    let model = rows.fit("gan", &params)?;
    let model: &dyn std::any::Any = &*model;
    let drawn = model.downcast_ref::<GanModel>().context("it is no adversarial network")?.sample(rows.x.rows(), 1)?;
    let drawn = (0..drawn.rows()).map(|i| (drawn[(i, 0)], drawn[(i, 1)])).collect();
    let chart = geyser_chart().with(Series::points("seen", rows.points(|_| true))).with(Series::points("drawn", drawn));
    Ok(inline(chart, "Rows that were seen and rows that were drawn"))
}

/// True against predicted classes of every third row, which training had not seen.
pub fn confusion(name: &str, params: Value) -> Result<String> {
    let (data, target) = if name == "categorical-nb" { ("mushrooms", "class") } else { ("digits", "digit") };
    let table = ermine::data::read_table(format!("example:{data}"))?;
    let problem = Problem::from_table(table, &Roles::with_target(target))?;
    let all = 0..problem.dataset().rows();
    let (test, train): (Vec<usize>, Vec<usize>) = all.partition(|i| i % 3 == 0);
    let mut learner = ermine::learner(name)?;
    if let Value::Object(params) = &params {
        learner.set_all(params)?;
    }
    let fitted = Fitted::train(learner, &problem.take_rows(&train), &Context::default())?;
    let classifier = fitted.model.as_classifier().context("it predicts no classes")?;
    let test = problem.take_rows(&test);
    let predicted = classifier.classify(&test.dataset().x)?;
    let OwnedTarget::Class { codes, names } = &test.y else { anyhow::bail!("the target is no class") };
    let mut values = Mat::zeros(names.len(), names.len());
    codes.iter().zip(&predicted).for_each(|(&truth, &said)| values.row_mut(truth as usize)[said as usize] += 1.0);
    let picture = Heatmap { title: String::new(), rows: names.clone(), columns: names.clone(), values };
    Ok(picture.to_inline("True against predicted classes"))
}

/// Correlations of the columns of the diabetes data.
pub fn correlations() -> Result<String> {
    let rows = Rows::whole("diabetes", "progression")?.standardized();
    let (n, p) = (rows.x.rows() as f64, rows.x.cols());
    let values = Mat::from_fn(p, p, |j, k| (0..rows.x.rows()).map(|i| rows.x[(i, j)] * rows.x[(i, k)]).sum::<f64>() / n);
    let names: Vec<String> = rows.schema.names().map(str::to_owned).collect();
    Ok(Heatmap { title: String::new(), rows: names.clone(), columns: names, values }.to_inline("Correlations of the columns"))
}

/// Places on a plane around rows.
struct Plane {
    x: Vec<f64>,
    y: Vec<f64>,
    /// All pairs, those of one x together.
    places: Mat<f64>,
}

impl Plane {
    fn around(rows: &Mat<f64>) -> Self {
        let side = |j: usize| {
            let column = (0..rows.rows()).map(|i| rows[(i, j)]);
            let (low, high) = column.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            let room = 0.06 * (high - low);
            grid(low - room, high + room, PLACES)
        };
        let (x, y) = (side(0), side(1));
        let places = Mat::from_fn(PLACES * PLACES, 2, |i, j| if j == 0 { x[i / PLACES] } else { y[i % PLACES] });
        Self { x, y, places }
    }

    /// A chart that shows this plane and nothing beyond.
    fn bound(&self, chart: Chart) -> Chart {
        chart.within_x(self.x[0], self.x[PLACES - 1]).within_y(self.y[0], self.y[PLACES - 1])
    }

    /// Where a function that is known at the places takes a value: pieces of lines with gaps between them, by marching
    /// squares. Each square is cut in two triangles, in which the function is taken for linear.
    fn contour(&self, values: &[f64], level: f64) -> Vec<(f64, f64)> {
        let at = |i: usize, j: usize| (self.x[i], self.y[j], values[i * PLACES + j] - level);
        let mut out = Vec::new();
        for i in 0..PLACES - 1 {
            for j in 0..PLACES - 1 {
                let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                for triangle in [[a, b, c], [a, c, d]] {
                    let edges = [(0, 1), (1, 2), (2, 0)].map(|(k, l)| crossing(triangle[k], triangle[l]));
                    let ends: Vec<(f64, f64)> = edges.into_iter().flatten().collect();
                    if let [from, to] = ends[..] {
                        out.extend([from, to, (f64::NAN, f64::NAN)]);
                    }
                }
            }
        }
        joined(out)
    }
}

/// Where the function is 0 between two places, if it changes its sign there.
fn crossing(a: (f64, f64, f64), b: (f64, f64, f64)) -> Option<(f64, f64)> {
    let share = a.2 / (a.2 - b.2);
    ((a.2 < 0.0) != (b.2 < 0.0)).then_some((a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1)))
}

/// Pieces (two ends and a gap each) put end to end, so that a line is one line.
fn joined(pieces: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let key = |p: (f64, f64)| ((p.0 * 1e9).round() as i64, (p.1 * 1e9).round() as i64);
    let mut ends: std::collections::BTreeMap<(i64, i64), Vec<usize>> = Default::default();
    let pieces: Vec<[(f64, f64); 2]> = pieces.chunks_exact(3).map(|p| [p[0], p[1]]).collect();
    for (at, piece) in pieces.iter().enumerate() {
        piece.iter().for_each(|&end| ends.entry(key(end)).or_default().push(at));
    }
    let mut used = vec![false; pieces.len()];
    let mut out = Vec::new();
    for first in 0..pieces.len() {
        if used[first] {
            continue;
        }
        used[first] = true;
        // Both ways from the first piece: its second end, then its first.
        let mut walk = |mut end: (f64, f64)| {
            let mut line = vec![end];
            while let Some(&next) = ends[&key(end)].iter().find(|&&k| !used[k]) {
                used[next] = true;
                let [a, b] = pieces[next];
                end = if key(a) == key(end) { b } else { a };
                line.push(end);
            }
            line
        };
        let (forth, back) = (walk(pieces[first][1]), walk(pieces[first][0]));
        out.extend(back.into_iter().rev().chain(forth));
        out.push((f64::NAN, f64::NAN));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contour_of_a_circle_is_one_closed_line_on_it() {
        let plane = Plane::around(&Mat::from_vec(2, 2, vec![-1.0, -1.0, 1.0, 1.0]));
        let values: Vec<f64> =
            (0..PLACES * PLACES).map(|i| plane.places[(i, 0)].powi(2) + plane.places[(i, 1)].powi(2)).collect();
        let line = plane.contour(&values, 0.25);
        assert_eq!(line.iter().filter(|p| p.0.is_nan()).count(), 1);
        let points: Vec<_> = line.iter().filter(|p| p.0.is_finite()).collect();
        assert!(points.len() > 100);
        assert!(points.iter().all(|p| (p.0.hypot(p.1) - 0.5).abs() < 1e-3));
    }
}
