//! Outputs of models, and their comparison.

use ermine_core::{Error, Features, Model, ModelWriter, Result};

/// All outputs of a model for rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelOutputs {
    /// Predictions of a regressor.
    pub numbers: Vec<f64>,
    /// Probabilities of a classifier, row by row.
    pub proba: Vec<f64>,
    /// Classes of a classifier.
    pub classes: Vec<u32>,
    /// Columns of a transformer, row by row.
    pub columns: Vec<f64>,
    /// Labels of a clusterer.
    pub groups: Vec<u32>,
    /// Logarithms of a density.
    pub density: Vec<f64>,
}

/// Computes all outputs of a model.
pub fn outputs(model: &dyn Model, x: &Features<'_>) -> Result<ModelOutputs> {
    let mut out = ModelOutputs::default();
    if let Some(r) = model.as_regressor() {
        out.numbers = r.predict(x)?.into_vec();
    }
    if let Some(c) = model.as_classifier() {
        out.proba = c.proba(x)?.into_vec();
        out.classes = c.classify(x)?;
    }
    if let Some(c) = model.as_clusterer() {
        out.groups = c.assign(x)?;
    }
    // The columns of a clusterer are distances to its clusters, which come in any order.
    if let Some(t) = model.as_transformer()
        && out.groups.is_empty()
    {
        out.columns = t.transform(x)?.into_vec();
    }
    if let Some(d) = model.as_density() {
        out.density = d.log_density(x)?;
    }
    if out == ModelOutputs::default() && x.rows() > 0 {
        return Err(Error::Data("the model has no capability".into()));
    }
    Ok(out)
}

/// The largest difference of numbers relative to their scale, or infinity when lengths, classes or partitions differ.
pub fn distance(a: &ModelOutputs, b: &ModelOutputs) -> f64 {
    if a.groups.len() != b.groups.len() || !same_partition(&a.groups, &b.groups) {
        return f64::INFINITY;
    }
    let columns = relative_difference(&a.columns, &b.columns).max(relative_difference(&a.density, &b.density));
    relative_difference(&a.numbers, &b.numbers).max(relative_difference(&a.proba, &b.proba)).max(columns)
}

/// Largest difference relative to the largest value.
pub fn relative_difference(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let scale = a.iter().fold(0.0f64, |m, v| if v.is_finite() { m.max(v.abs()) } else { m }).max(f64::MIN_POSITIVE);
    let mut worst = 0.0f64;
    for (x, y) in a.iter().zip(b) {
        if x.is_nan() && y.is_nan() || x == y {
            continue;
        }
        let d = (x - y).abs() / scale;
        worst = if d.is_nan() { f64::INFINITY } else { worst.max(d) };
    }
    worst
}

/// Whether two clusterings are the same up to the numbers of the clusters.
fn same_partition(a: &[u32], b: &[u32]) -> bool {
    let mut mapping = std::collections::BTreeMap::new();
    let mut back = std::collections::BTreeMap::new();
    a.iter().zip(b).all(|(x, y)| *mapping.entry(x).or_insert(y) == y && *back.entry(y).or_insert(x) == x)
}

/// The stored arrays of a model, for a comparison of bytes.
pub fn model_arrays(model: &dyn Model) -> Result<ModelWriter> {
    let mut out = ModelWriter::default();
    model.save(&mut out)?;
    Ok(out)
}
