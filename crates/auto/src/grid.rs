//! Grid search in one call.

use ermine_core::{AnyLearner, AsDataset, Context, Error, Learner, Result, splits::stratified_k_fold};
use ermine_eval::model_selection::{CvSplits, FoldScores, default_metric};
use serde_json::{Map, Value};

use crate::{Budget, ParameterSearch, SearchAxis, SearchMethod, SearchResult, SearchSpace, identity};

/// The best of all combinations of some values of some parameters, by cross-validation.
///
/// ```
/// use ermine_auto::GridSearch;
/// use ermine_linear::Lasso;
///
/// let x: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i % 7), f64::from(i % 11)]).collect();
/// let y: Vec<f64> = x.iter().map(|row| 2.0 * row[0] - row[1]).collect();
/// let best = GridSearch::new(&Lasso::default()).over("alpha", [0.001, 0.1, 10.0]).run(&(&x, &y))?;
/// assert_eq!(best.params["alpha"], 0.001);
/// assert!(best.mean > 0.99);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[doc(alias = "GridSearchCV")]
#[derive(Debug, Clone)]
pub struct GridSearch<L> {
    learner: L,
    space: SearchSpace,
    folds: usize,
    metric: Option<String>,
}

/// The best setting of a grid, fitted to all rows.
#[derive(Debug)]
#[non_exhaustive]
pub struct BestOfGrid<L: Learner> {
    /// The learner with the best parameters.
    pub learner: L,
    /// That learner fitted to all rows.
    pub model: L::Model,
    /// The parameters that were searched, with their best values.
    pub params: Map<String, Value>,
    /// The metric.
    pub metric: String,
    /// The mean score of the best setting over the folds.
    pub mean: f64,
    /// The standard deviation of its scores.
    pub std: f64,
    /// All settings.
    pub search: SearchResult,
}

impl<L: Learner> GridSearch<L> {
    /// A search among settings of a learner; parameters that are not named stay as they are.
    pub fn new(learner: &L) -> Self {
        Self { learner: learner.clone(), space: SearchSpace::default(), folds: 5, metric: None }
    }

    /// The values of a parameter to try. A name with a dot is a parameter of a nested learner.
    #[must_use]
    pub fn over<V: Into<Value>>(mut self, parameter: &str, values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(V::into).collect();
        self.space.axes.push((parameter.to_owned(), SearchAxis::Choice(values)));
        self
    }

    /// The number of folds; 5 unless it is set.
    #[must_use]
    pub fn folds(self, folds: usize) -> Self {
        Self { folds, ..self }
    }

    /// The metric by its name; accuracy of classes and r2 of numbers unless it is set.
    #[doc(alias = "scoring")]
    #[must_use]
    pub fn metric(self, name: &str) -> Self {
        Self { metric: Some(name.to_owned()), ..self }
    }

    /// Tries all combinations, and fits the best to all rows.
    pub fn run(&self, data: &(impl AsDataset + ?Sized)) -> Result<BestOfGrid<L>> {
        self.run_with(data, &Context::default())
    }

    /// [`GridSearch::run`] with a seed, threads, progress or a deadline.
    pub fn run_with(&self, data: &(impl AsDataset + ?Sized), cx: &Context<'_>) -> Result<BestOfGrid<L>> {
        for (name, axis) in &self.space.axes {
            if !name.contains('.') {
                L::SPEC.param(name)?;
            }
            if matches!(axis, SearchAxis::Choice(values) if values.is_empty()) {
                return Err(Error::parameter("the grid search", name, "[]", "it must have at least one value"));
            }
        }
        let data = data.as_dataset()?;
        let view = data.view();
        let no_metric = || Error::Target("there is none to score by; name a metric".into());
        let metric = self.metric.as_deref().or(default_metric(&view.y)).ok_or_else(no_metric)?;
        let rounds = CvSplits::from(stratified_k_fold(&view.y, view.rows(), self.folds, cx.seed)?);
        let search = ParameterSearch {
            learner: &self.learner,
            wrap: &identity,
            space: &self.space,
            method: SearchMethod::Grid { steps: usize::MAX },
            metric,
            rounds: &rounds,
            budget: Budget::default(),
            give_up: false,
        }
        .run(&view, Vec::new(), cx, &|_| {})?;
        let params = search.best().params.clone();
        let mut learner = self.learner.clone();
        learner.set_all(&params)?;
        let FoldScores { mean, std, .. } = search.best().summary();
        let model = learner.fit_rows(&view, cx)?;
        Ok(BestOfGrid { learner, model, params, metric: metric.to_owned(), mean, std, search })
    }
}

impl<L: Learner> std::fmt::Display for BestOfGrid<L> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let params: Vec<String> = self.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(f, "{} of {}: {} {:.4} ± {:.4}", params.join(" "), L::SPEC.name, self.metric, self.mean, self.std)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_linear::Ridge;

    #[test]
    fn a_wrong_name_or_no_value_is_an_error_before_any_fit() {
        let data = ([[1.0], [2.0], [3.0], [4.0], [5.0]], [1.0, 2.0, 3.0, 4.0, 5.0]);
        let e = GridSearch::new(&Ridge::default()).over("alfa", [1.0]).run(&data).unwrap_err().to_string();
        assert!(e.contains("no parameter of ridge \"alfa\"; there is \"alpha\""), "{e}");
        let e = GridSearch::new(&Ridge::default()).over("alpha", [0.0; 0]).run(&data).unwrap_err().to_string();
        assert!(e.contains("at least one value"), "{e}");
    }

    #[test]
    fn the_model_is_the_best_setting_fitted_to_all_rows() {
        let x: Vec<[f64; 1]> = (0..40).map(|i| [f64::from(i)]).collect();
        let y: Vec<f64> = x.iter().map(|row| 5.0 - row[0]).collect();
        let best = GridSearch::new(&Ridge::default()).over("alpha", [1e-6, 1e6]).metric("rmse").folds(4).run(&(&x, &y)).unwrap();
        assert_eq!((best.search.trials.len(), best.metric.as_str()), (2, "rmse"));
        assert_eq!(best.params["alpha"], 1e-6);
        let again = best.learner.fit(&(&x, &y)).unwrap();
        assert_eq!(again.coef(), best.model.coef());
    }
}
