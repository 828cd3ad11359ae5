//! Pictures of transformations of columns.

use anyhow::{Context as _, Result};
use ermine::chart::{Chart, Heatmap, Series};
use ermine::core::{Context, Features, Mat, Model, RngStream, Schema, Transformer};
use ermine::{Problem, Roles};
use serde_json::{Value, json};

use super::data::{Rows, grid};
use super::{SIZE, inline};

fn transformer(model: &dyn Model) -> Result<&dyn Transformer> {
    model.as_transformer().context("it does not transform")
}

fn transformed(model: &dyn Model, x: &Mat<f64>) -> Result<Mat<f64>> {
    Ok(transformer(model)?.transform(&Features::F64(x.view()))?)
}

fn unsupervised(x: Mat<f64>, schema: Schema) -> Rows {
    Rows { x, y: Vec::new(), classes: Vec::new(), schema }
}

/// The columns that a feature map makes of one column.
pub fn columns(name: &str) -> Result<String> {
    let params = match name {
        "spline" => json!({"n_knots": 5}),
        "fourier" => json!({"order": 2}),
        "radial" => json!({"n_centres": 6}),
        _ => json!({"degree": 4, "include_bias": false}),
    };
    let places = match name {
        "polynomial" => grid(-1.0, 1.0, 201),
        _ => grid(0.0, 1.0, 201),
    };
    let rows = unsupervised(Mat::from_vec(places.len(), 1, places.clone()), Schema::numbers(["x"]));
    let model = rows.fit(name, &params)?;
    let z = transformed(&*model, &rows.x)?;
    let names = transformer(&*model)?.schema_out(&rows.schema);
    let mut chart = Chart::new("", "x", "new columns");
    for (j, name) in names.names().enumerate() {
        chart = chart.with(Series::line(name, places.iter().enumerate().map(|(i, &x)| (x, z[(i, j)])).collect()));
    }
    Ok(inline(chart, "The new columns as functions of x"))
}

/// A kernel and the inner products that approximate it, by the distance of two rows.
pub fn inner_products(name: &str) -> Result<String> {
    let mut stream = RngStream::new(0, "picture of a kernel map", 0);
    let rows = unsupervised(Mat::from_fn(400, 1, |_, _| 6.0 * stream.uniform() - 3.0), Schema::numbers(["x"]));
    let places = grid(-3.0, 3.0, 121);
    let x = Mat::from_vec(places.len(), 1, places.clone());
    let exact = places.iter().map(|&x| (x, (-x * x).exp())).collect();
    let mut chart = Chart::new("", "x − x′", "kernel").with(Series::dashed("kernel", exact));
    let counts: [u64; 2] = if name == "rff" { [20, 200] } else { [4, 12] };
    for n in counts {
        let model = rows.fit(name, &json!({"n_components": n, "gamma": 1.0}))?;
        let (z, origin) = (transformed(&*model, &x)?, transformed(&*model, &Mat::zeros(1, 1))?);
        let product = |i: usize| z.row(i).iter().zip(origin.row(0)).map(|(a, b)| a * b).sum::<f64>();
        let curve = places.iter().enumerate().map(|(i, &x)| (x, product(i))).collect();
        chart = chart.with(Series::line(format!("{n} columns"), curve));
    }
    Ok(inline(chart, "The kernel and its approximations"))
}

/// Histograms of both columns of the geyser after scaling.
pub fn histograms(name: &str) -> Result<String> {
    let rows = unsupervised_faithful()?;
    let model = rows.fit(name, &json!({}))?;
    let z = transformed(&*model, &rows.x)?;
    let all = z.as_slice();
    let (low, high) = (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let edges = grid(low, high, 25);
    let mut chart = Chart::new("", "scaled value", "rows");
    for (j, name) in rows.schema.names().enumerate() {
        let mut counts = vec![0.0; edges.len() - 1];
        for i in 0..z.rows() {
            let at = ((z[(i, j)] - low) / (high - low) * counts.len() as f64) as usize;
            counts[at.min(edges.len() - 2)] += 1.0;
        }
        let steps = edges.iter().copied().zip(counts.iter().copied().chain([*counts.last().unwrap_or(&0.0)])).collect();
        chart = chart.with(Series::step(name, steps));
    }
    Ok(inline(chart, "Histograms of both columns after scaling"))
}

fn unsupervised_faithful() -> Result<Rows> {
    let rows = Rows::example("faithful", &["eruptions"], "waiting")?;
    let x = Mat::from_fn(rows.x.rows(), 2, |i, j| if j == 0 { rows.x[(i, 0)] } else { rows.y[i] });
    Ok(unsupervised(x, Schema::numbers(["eruptions", "waiting"])))
}

/// The geyser with cells removed and filled again.
pub fn imputed() -> Result<String> {
    let mut rows = unsupervised_faithful()?;
    (0..rows.x.rows()).step_by(4).for_each(|i| rows.x.row_mut(i)[1] = f64::NAN);
    let model = rows.fit("impute", &json!({}))?;
    let z = transformed(&*model, &rows.x)?;
    let of = |missing: bool| {
        let those = (0..z.rows()).filter(|i| (i % 4 == 0) == missing);
        those.map(|i| (z[(i, 0)], z[(i, 1)])).collect::<Vec<_>>()
    };
    let chart = Chart::new("", "eruption, minutes", "waiting time, minutes")
        .with(Series::points("present", of(false)))
        .with(Series::points("filled", of(true)));
    Ok(inline(chart, "Rows with present and filled cells"))
}

/// The first rows of the penguins after a preparation.
pub fn table_columns(name: &str) -> Result<String> {
    let table = ermine::data::read_table("example:penguins")?;
    let table = table.select(&["species", "island", "bill_length_mm", "sex"])?.take_rows(&[0, 1, 3, 152, 153, 276, 277, 278]);
    let problem = Problem::from_table(table, &Roles::default())?;
    let data = problem.dataset();
    let model = ermine::learner(name)?.fit_any(&data, &Context::default())?;
    let transformer = transformer(&*model)?;
    let values = transformer.transform(&data.x)?;
    let columns = transformer.schema_out(&data.schema_or_unnamed()).names().map(str::to_owned).collect();
    let rows = (1..=values.rows()).map(|i| format!("row {i}")).collect();
    Ok(Heatmap { title: String::new(), rows, columns, values }.to_inline("The first rows afterwards"))
}

/// Irises in two new columns.
pub fn scores(name: &str, params: Value) -> Result<String> {
    let rows = Rows::whole("iris", "species")?.standardized();
    let without = unsupervised(rows.x.view().to_owned(), rows.schema.clone());
    let model = without.fit(name, &params)?;
    let z = transformed(&*model, &rows.x)?;
    let mut chart = Chart::new("", "first new column", "second new column").sized(SIZE.0, SIZE.1);
    for (k, class) in rows.classes.iter().enumerate() {
        let those = (0..z.rows()).filter(|&i| rows.y[i] == k as f64).map(|i| (z[(i, 0)], z[(i, 1)]));
        chart = chart.with(Series::points(class, those.collect()));
    }
    Ok(inline(chart, "Rows in the new columns, by species"))
}
