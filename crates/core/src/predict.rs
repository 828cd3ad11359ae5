//! Predictions of any model in one word.

use crate::{AsFeatures, Certificate, Error, Labels, Mat, Model, Report, Result, Schema, Trace};

/// What every model can be asked, whatever it was fitted with and whatever form the rows have. A question that a model
/// has no answer to, such as the classes of a regression, is an error that says what it does answer.
///
/// The capabilities behind it ([`Model::as_regressor`] and its like) work on [`crate::Features`] and never fail that way.
pub trait Predict: Model {
    /// Tables and curves for people, printed with `{}`; columns are called x0, x1, …. [`Model::report`] takes their names.
    fn report(&self) -> Report {
        Model::report(self, &Schema::unnamed(Model::n_features(self)))
    }

    /// Number of columns the model was trained on.
    fn n_features(&self) -> usize {
        Model::n_features(self)
    }

    /// Evidence of how good the fit is, where there is any.
    fn certificate(&self) -> Option<&Certificate> {
        Model::certificate(self)
    }

    /// The convergence history of the fit, where it had steps.
    fn trace(&self) -> Option<&Trace> {
        Model::trace(self)
    }

    /// The predicted number of each row.
    fn predict<X: AsFeatures + ?Sized>(&self, x: &X) -> Result<Vec<f64>> {
        let all = self.predict_targets(x)?;
        match all.cols() {
            0 | 1 => Ok(all.into_vec()),
            targets => Err(Error::Target(format!("the model has {targets}; predict_targets returns a column for each"))),
        }
    }

    /// The predicted numbers of each row, one column per target.
    fn predict_targets<X: AsFeatures + ?Sized>(&self, x: &X) -> Result<Mat<f64>> {
        let regressor = self.as_regressor().ok_or_else(|| lacks(self, "predict numbers"))?;
        regressor.predict(&x.as_features()?.view())
    }

    /// The most probable class of each row.
    fn classify<X: AsFeatures + ?Sized>(&self, x: &X) -> Result<Labels> {
        let classifier = self.as_classifier().ok_or_else(|| lacks(self, "predict classes"))?;
        Labels::new(classifier.classify(&x.as_features()?.view())?, classifier.classes().to_vec())
    }

    /// The probabilities of the classes, one column per class in the order of [`Predict::classes`].
    #[doc(alias = "predict_proba")]
    fn proba<X: AsFeatures + ?Sized>(&self, x: &X) -> Result<Mat<f64>> {
        let classifier = self.as_classifier().ok_or_else(|| lacks(self, "predict classes"))?;
        classifier.proba(&x.as_features()?.view())
    }

    /// The names of the classes, sorted; none for a model that predicts none.
    fn classes(&self) -> &[String] {
        self.as_classifier().map_or(&[], |c| c.classes())
    }

    /// The new columns of each row.
    fn transform<X: AsFeatures + ?Sized>(&self, x: &X) -> Result<Mat<f64>> {
        let transformer = self.as_transformer().ok_or_else(|| lacks(self, "transform rows"))?;
        transformer.transform(&x.as_features()?.view())
    }

    /// The cluster of each row, or [`crate::NOISE_LABEL`] for rows that belong to none.
    fn assign<X: AsFeatures + ?Sized>(&self, x: &X) -> Result<Vec<u32>> {
        let clusterer = self.as_clusterer().ok_or_else(|| lacks(self, "assign rows to clusters"))?;
        clusterer.assign(&x.as_features()?.view())
    }

    /// The logarithm of the density at each row.
    #[doc(alias = "score_samples")]
    fn log_density<X: AsFeatures + ?Sized>(&self, x: &X) -> Result<Vec<f64>> {
        let density = self.as_density().ok_or_else(|| lacks(self, "estimate a density"))?;
        density.log_density(&x.as_features()?.view())
    }
}

impl<M: Model + ?Sized> Predict for M {}

fn lacks<M: Model + ?Sized>(model: &M, what: &str) -> Error {
    let can: Vec<&str> = [
        (model.as_regressor().is_some(), "predict"),
        (model.as_classifier().is_some(), "classify and proba"),
        (model.as_clusterer().is_some(), "assign"),
        (model.as_transformer().is_some(), "transform"),
        (model.as_density().is_some(), "log_density"),
    ]
    .into_iter()
    .filter_map(|(can, word)| can.then_some(word))
    .collect();
    let can = if can.is_empty() { "nothing of the kind".to_owned() } else { can.join(", ") };
    Error::Data(format!("this model does not {what}; it has {can}"))
}
