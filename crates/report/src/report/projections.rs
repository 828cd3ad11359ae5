//! Figures of clusterings, reductions and densities.

use ermine_core::{DatasetRef, Features, Mat, Result};

use crate::chart::{Bar, Bars, Chart, Heatmap, Series};
use crate::document::{DocSection, Figure};
use crate::format;
use ermine_compose::Fitted;

/// Most rows of a figure; of more, evenly spaced ones.
const ROWS: usize = 4000;
/// Most clusters with a color of their own.
const GROUPS: usize = 8;
/// Components and columns of a figure of loadings.
const COMPONENTS: usize = 8;
const COLUMNS: usize = 24;

pub(super) fn part(fitted: &Fitted, data: &DatasetRef<'_>) -> Result<Option<DocSection>> {
    let step = data.rows().div_ceil(ROWS).max(1);
    let rows: Vec<usize> = (0..data.rows()).step_by(step).collect();
    let taken = data.take_rows(&rows);
    let x = taken.x.view();
    let mut figures = Vec::new();
    let groups = fitted.model.as_clusterer().map(|c| c.assign(&x)).transpose()?;
    if let Some(groups) = &groups {
        figures.push(sizes(groups, step));
        if let Some((plane, labels)) = plane(fitted, &x)? {
            figures.push(scatter(&plane, Some(groups), &labels, "The groups"));
        }
    } else if let Some(transformer) = fitted.model.as_transformer() {
        let z = transformer.transform(&x)?;
        let out = transformer.schema_out(&fitted.schema);
        if z.cols() >= 2 {
            let labels: Vec<String> = out.names().take(2).map(str::to_owned).collect();
            let codes = data.y.take_rows(&rows);
            let codes = codes.view().classes().ok().map(|c| c.0.to_vec());
            figures.push(scatter(&z, codes.as_ref(), &labels, "The first two new columns"));
        }
    }
    figures.extend(loadings(fitted));
    Ok((!figures.is_empty()).then(|| DocSection::new("The shape of the rows").figures(figures)))
}

fn sizes(groups: &[u32], step: usize) -> Figure {
    let most = groups.iter().copied().max().map_or(0, |g| g as usize + 1);
    let mut counts = vec![0usize; most];
    groups.iter().for_each(|&g| counts[g as usize] += 1);
    let total = groups.len() as f64;
    let bar = |(g, &n): (usize, &usize)| Bar {
        name: format!("group {g}"),
        value: (n * step) as f64,
        label: format::percent(n as f64 / total),
        ..Bar::default()
    };
    let rows: Vec<Bar> = counts.iter().enumerate().take(30).map(bar).collect();
    let components: Vec<String> = rows.iter().take(8).map(|b| format!("{} {}", b.name, b.label)).collect();
    let bars = Bars { title: "Sizes".into(), label: "rows".into(), rows, ..Bars::default() };
    Figure::new("sizes", "Sizes of the clusters", bars).alt_text(format!("Sizes of the clusters: {}.", components.join(", ")))
}

/// The plane of greatest variance in the metric space of the model.
fn plane(fitted: &Fitted, x: &Features<'_>) -> Result<Option<(Mat<f64>, Vec<String>)>> {
    use ermine_core::{Context, Learner, Transformer};
    let Some(clusterer) = fitted.model.as_clusterer() else { return Ok(None) };
    let space = clusterer.metric_space(x)?;
    let seen = space.as_ref().map_or(*x, |z| Features::F64(z.view()));
    if seen.cols() < 2 || seen.rows() < 3 || matches!(seen, Features::Csr(_)) {
        return Ok(None);
    }
    let pca = ermine_prep::decomposition::Pca::default().fit_with(&DatasetRef::new(seen), &Context::default())?;
    let z = pca.transform(&seen)?;
    let two = Mat::from_fn(z.rows(), 2.min(z.cols()), |i, j| z[(i, j)]);
    let labels = (1..=2).map(|k| format!("principal component {k}")).collect();
    Ok((two.cols() == 2).then_some((two, labels)))
}

fn scatter(z: &Mat<f64>, groups: Option<&Vec<u32>>, labels: &[String], title: &str) -> Figure {
    let mut chart = Chart::new(title, &labels[0], &labels[1]).sized(480.0, 380.0);
    let most = groups.and_then(|g| g.iter().copied().max()).map_or(0, |g| g as usize + 1);
    match groups {
        Some(groups) if most <= GROUPS => {
            for g in 0..most {
                let points = (0..z.rows()).filter(|&i| groups[i] as usize == g).map(|i| (z[(i, 0)], z[(i, 1)])).collect();
                chart = chart.with(Series::cloud(g.to_string(), points));
            }
        }
        _ => chart = chart.with(Series::cloud("", (0..z.rows()).map(|i| (z[(i, 0)], z[(i, 1)])).collect())),
    }
    let alt_text = format!("{} rows in the plane of {} and {}.", format::count(z.rows()), labels[0], labels[1]);
    Figure::new("plane", title, chart).alt_text(alt_text)
}

/// Loadings of components as colors, where the report of the model has such a table.
fn loadings(fitted: &Fitted) -> Option<Figure> {
    use ermine_core::{Cell, Section};
    let report = fitted.report();
    let (columns, rows) = report.sections.iter().find_map(|s| match s {
        Section::Table { title, columns, rows, .. } if title == "Loadings" => Some((columns, rows)),
        _ => None,
    })?;
    let (n, m) = (rows.len().min(COLUMNS), (columns.len() - 1).min(COMPONENTS));
    let value = |i: usize, j: usize| if let Some(Cell::Number(v)) = rows[i].get(j + 1) { *v } else { f64::NAN };
    let name = |i: usize| if let Some(Cell::Text(t)) = rows[i].first() { t.clone() } else { String::new() };
    let heat = Heatmap {
        title: "Loadings".into(),
        rows: (0..n).map(name).collect(),
        columns: columns[1..=m].to_vec(),
        values: Mat::from_fn(n, m, value),
    };
    Some(
        Figure::new("loadings", "Loadings of the components", heat)
            .alt_text("What each column adds to each component; the table below has the numbers.")
            .wide(),
    )
}
