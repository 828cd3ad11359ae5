//! Settings scored in folds, for a search: one call, so that they share what a fold has in common.

use ermine::core::{Context, DatasetRef, Schema};
use ermine::learn::model_selection::{CvSplits, FoldIds, cross_validate_each};
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{EstimatorName, raise};
use crate::fit::{PyTarget, interruptible};
use crate::input::PyFeatures;

/// A row a setting, a number a fold.
type ScoreTable<'py> = Bound<'py, PyArray2<f64>>;

/// Scores settings of a learner by a measure: scores, seconds of the fits and seconds of the predictions, a row a setting and a number a fold.
///
/// `settings` is a JSON list of objects with parameters. `fold` has the number of the fold of each row, from 0. The other arguments are those of `fit`. Where
/// a fit fails, so does the call.
#[pyfunction]
#[pyo3(signature = (learner, settings, x, fold, metric, *, y=None, codes=None, classes=None, seed=0, names=None, estimator=""))]
#[allow(clippy::too_many_arguments)]
pub fn score_settings<'py>(
    py: Python<'py>,
    learner: &str,
    settings: &str,
    x: &Bound<'py, PyAny>,
    fold: PyReadonlyArray1<'py, u32>,
    metric: &str,
    y: Option<&Bound<'py, PyAny>>,
    codes: Option<PyReadonlyArray1<'py, u32>>,
    classes: Option<Vec<String>>,
    seed: u64,
    names: Option<Vec<String>>,
    estimator: &str,
) -> PyResult<(ScoreTable<'py>, ScoreTable<'py>, ScoreTable<'py>)> {
    let base = ermine::learner(learner).map_err(|e| raise(e, EstimatorName::NOBODY))?;
    let settings: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(settings).map_err(|e| PyValueError::new_err(format!("settings: {e}")))?;
    let input = PyFeatures::new(x)?;
    let named = EstimatorName { estimator, dtype: input.dtype() };
    let mut learners = Vec::with_capacity(settings.len());
    for params in &settings {
        let mut learner = base.boxed();
        learner.set_all(params).map_err(|e| raise(e, named))?;
        learners.push(learner);
    }
    let y = PyTarget::new(y, codes)?;
    let classes = classes.unwrap_or_default();
    let schema = names.map(Schema::numbers);
    let mut data = DatasetRef::new(input.features()?).with_target(y.view(&classes)?);
    if schema.is_some() {
        data.schema = schema.as_ref();
    }
    let fold_of: Vec<usize> = fold.as_array().iter().map(|&f| f as usize).collect();
    if fold_of.len() != data.rows() {
        return Err(PyValueError::new_err(format!("{} rows and folds of {}", data.rows(), fold_of.len())));
    }
    let folds = fold_of.iter().max().map_or(0, |most| most + 1);
    // Leave-one-out has shortcuts of its own.
    let rounds = match folds == fold_of.len() && fold_of.iter().enumerate().all(|(i, f)| i == *f) {
        true => CvSplits::LeaveOneOut { rows: folds },
        false => CvSplits::from(FoldIds { fold_of, folds }),
    };
    let context = Context { seed, ..Context::default() };
    let scores = interruptible(py, named, &context, |cx| cross_validate_each(&learners, &data, &rounds, metric, cx))?;
    let table = |of: &dyn Fn(&ermine::learn::model_selection::FoldScore) -> f64| {
        let rows: Vec<Vec<f64>> = scores.iter().map(|folds| folds.iter().map(of).collect()).collect();
        PyArray2::from_vec2(py, &rows).map_err(|e| PyValueError::new_err(e.to_string()))
    };
    let score = table(&|s| s.value(metric).unwrap_or(f64::NAN))?;
    Ok((score, table(&|s| s.fit_seconds)?, table(&|s| s.predict_seconds)?))
}
