//! The data of the pictures.

use anyhow::Result;
use ermine::core::{Context, DatasetRef, Features, Mat, Model, RngStream, Schema, Target};
use serde_json::Value;

/// Rows with a target of numbers or classes.
pub struct Rows {
    pub x: Mat<f64>,
    pub y: Vec<f64>,
    pub classes: Vec<String>,
    pub schema: Schema,
}

impl Rows {
    /// Number columns of an embedded example, complete rows only; the target is the class where `target` names one.
    pub fn example(name: &str, columns: &[&str], target: &str) -> Result<Self> {
        let table = ermine::data::read_table(format!("example:{name}"))?;
        let roles = ermine::Roles::with_target(target);
        let problem = ermine::Problem::from_table(table, &roles)?;
        let chosen = problem.x.select(columns)?;
        let view = chosen.view();
        let is_complete = |&i: &usize| (0..columns.len()).all(|j| !view.is_missing(i, j));
        let complete: Vec<usize> = (0..chosen.rows()).filter(is_complete).collect();
        let x = chosen.take_rows(&complete).view().to_numbers("the picture")?;
        let data = problem.dataset();
        let (y, classes) = match data.y {
            Target::Class { codes, names } => (complete.iter().map(|&i| f64::from(codes[i])).collect(), names.to_vec()),
            Target::Real(values) => (complete.iter().map(|&i| values[i]).collect(), Vec::new()),
            _ => (Vec::new(), Vec::new()),
        };
        Ok(Self { x, y, classes, schema: Schema::numbers(columns.to_vec()) })
    }

    /// All number columns of an example.
    pub fn whole(name: &str, target: &str) -> Result<Self> {
        let table = ermine::data::read_table(format!("example:{name}"))?;
        let names: Vec<String> = table.schema().names().filter(|n| *n != target).map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Self::example(name, &names, target)
    }

    /// The same with columns of mean 0 and deviation 1.
    pub fn standardized(mut self) -> Self {
        let (n, cols) = (self.x.rows() as f64, self.x.cols());
        for j in 0..cols {
            let mean = (0..self.x.rows()).map(|i| self.x[(i, j)]).sum::<f64>() / n;
            let variance = (0..self.x.rows()).map(|i| (self.x[(i, j)] - mean).powi(2)).sum::<f64>() / n;
            for i in 0..self.x.rows() {
                self.x.row_mut(i)[j] = (self.x[(i, j)] - mean) / variance.sqrt();
            }
        }
        self
    }

    pub fn codes(&self) -> Vec<u32> {
        self.y.iter().map(|&c| c as u32).collect()
    }

    pub fn points(&self, rows: impl Fn(usize) -> bool) -> Vec<(f64, f64)> {
        (0..self.x.rows()).filter(|&i| rows(i)).map(|i| (self.x[(i, 0)], self.x[(i, 1)])).collect()
    }

    /// Fits a learner of the catalogue with parameters, seed 0.
    pub fn fit(&self, name: &str, params: &Value) -> Result<Box<dyn Model>> {
        let mut learner = ermine::learner(name)?;
        if let Value::Object(params) = params {
            learner.set_all(params)?;
        }
        let codes = self.codes();
        let target = match (self.classes.is_empty(), self.y.is_empty()) {
            (_, true) => Target::None,
            (true, _) => Target::Real(&self.y),
            (false, _) => Target::Class { codes: &codes, names: &self.classes },
        };
        let data = DatasetRef::new(Features::F64(self.x.view())).with_target(target).with_schema(Some(&self.schema));
        Ok(learner.fit_any(&data, &Context::default())?)
    }
}

/// Predictions of a regression at the places of one column.
pub fn predictions(model: &dyn Model, places: &[f64]) -> Result<Vec<(f64, f64)>> {
    let x = Mat::from_vec(places.len(), 1, places.to_vec());
    let regressor = model.as_regressor().ok_or_else(|| anyhow::anyhow!("it predicts no numbers"))?;
    let y = regressor.predict(&Features::F64(x.view()))?;
    Ok(places.iter().enumerate().map(|(i, &p)| (p, y[(i, 0)])).collect())
}

/// Evenly spaced places, both ends included.
pub fn grid(low: f64, high: f64, n: usize) -> Vec<f64> {
    (0..n).map(|k| low + (high - low) * k as f64 / (n - 1) as f64).collect()
}

fn one_column(x: Vec<f64>, y: Vec<f64>) -> Rows {
    Rows { x: Mat::from_vec(x.len(), 1, x), y, classes: Vec::new(), schema: Schema::numbers(["x"]) }
}

/// A wave with noise.
pub fn wave() -> Rows {
    let mut stream = RngStream::new(0, "picture of a wave", 0);
    let x: Vec<f64> = (0..120).map(|_| stream.uniform()).collect();
    let y = x.iter().map(|x| (6.5 * x).sin() + 0.25 * stream.normal()).collect();
    one_column(x, y)
}

/// A line whose spread grows along the column.
pub fn fan() -> Rows {
    let mut stream = RngStream::new(0, "picture of a fan", 0);
    let x: Vec<f64> = (0..250).map(|_| stream.uniform()).collect();
    let y = x.iter().map(|x| 1.0 + 2.0 * x + (0.1 + 0.9 * x) * stream.normal()).collect();
    one_column(x, y)
}

/// A line with some targets far off.
pub fn line_with_outliers() -> Rows {
    let mut stream = RngStream::new(0, "picture of outliers", 0);
    let x: Vec<f64> = (0..60).map(|_| stream.uniform()).collect();
    let y = x.iter().enumerate().map(|(i, x)| 1.0 + 2.0 * x + 0.15 * stream.normal() + if i < 7 && *x > 0.3 { 4.0 } else { 0.0 });
    let y = y.collect();
    one_column(x, y)
}

/// Counts whose mean grows exponentially.
pub fn counts() -> Rows {
    let mut stream = RngStream::new(0, "picture of counts", 0);
    let x: Vec<f64> = (0..150).map(|_| stream.uniform()).collect();
    let y = x.iter().map(|x| {
        // Arrivals within a time: exponential waits until it is over.
        let (mut left, mut count) = ((0.3 + 2.6 * x).exp(), 0.0);
        loop {
            left += (1.0 - stream.uniform()).ln();
            if left < 0.0 {
                return count;
            }
            count += 1.0;
        }
    });
    let y = y.collect();
    one_column(x, y)
}
