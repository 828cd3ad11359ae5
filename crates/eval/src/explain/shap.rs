//! Shapley values of tree and additive models.

use ermine_core::{Features, Mat, Model, Result};

/// Shapley values of rows.
///
/// For trees they are exact for the path-dependent expectation (TreeSHAP). For additive models, such as linear ones,
/// they are the part of a column minus its mean over the given rows: exact for independent columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributions {
    /// The quantity that the values and the base sum to: "probability", "log odds", "prediction".
    pub explains: &'static str,
    /// Outputs explained per row: 1, or one per class or target.
    pub outputs: usize,
    /// The expected value of each output; an additive model is explained up to a constant, and has none.
    pub base: Option<Vec<f64>>,
    /// One row per row: for each output the value of each column.
    pub values: Mat<f64>,
}

impl Attributions {
    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.values.cols() / self.outputs.max(1)
    }

    /// The value of a column in a row.
    pub fn at(&self, row: usize, output: usize, column: usize) -> f64 {
        self.values[(row, output * self.columns() + column)]
    }

    /// The mean absolute value of each column, summed over the outputs.
    pub fn sizes(&self, weight: Option<&[f64]>) -> Vec<f64> {
        let w = |i: usize| weight.map_or(1.0, |w| w[i]);
        let total: f64 = (0..self.values.rows()).map(w).sum();
        let of_row = |i: usize, j: usize| (0..self.outputs).map(|o| self.at(i, o, j).abs()).sum::<f64>();
        let size = |j: usize| (0..self.values.rows()).map(|i| w(i) / total * of_row(i, j)).sum::<f64>();
        (0..self.columns()).map(size).collect()
    }
}

/// The Shapley values of rows; `None` for models without them.
pub fn attributions(model: &dyn Model, x: &Features<'_>, weight: Option<&[f64]>) -> Result<Option<Attributions>> {
    if let Some(explained) = model.as_attributor() {
        let parts = explained.attributions(x)?;
        let (outputs, width) = (explained.n_outputs(), explained.n_features());
        // After the columns of each output comes its base value.
        let values = Mat::from_fn(parts.rows(), outputs * width, |i, k| parts[(i, k / width * (width + 1) + k % width)]);
        return Ok(Some(Attributions {
            explains: explained.output_name(),
            outputs,
            base: Some(explained.base_values()),
            values,
        }));
    }
    let Some(additive) = model.as_additive() else { return Ok(None) };
    let mut values = additive.parts(x)?;
    let w = |i: usize| weight.map_or(1.0, |w| w[i]);
    let total: f64 = (0..values.rows()).map(w).sum();
    for k in 0..values.cols() {
        let mean: f64 = (0..values.rows()).map(|i| w(i) / total * values[(i, k)]).sum();
        (0..values.rows()).for_each(|i| values[(i, k)] -= mean);
    }
    Ok(Some(Attributions { explains: additive.output_name(), outputs: additive.n_outputs(), base: None, values }))
}

/// Whether a model has Shapley values.
pub fn can_attribute(model: &dyn Model) -> bool {
    model.as_attributor().is_some() || model.as_additive().is_some()
}
