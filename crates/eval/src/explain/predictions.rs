//! Stored predictions, and their measures.

use ermine_core::{Error, Features, Mat, Model, Result, Target, argmax_rows};

use crate::metrics::{self, Direction};

/// Predictions of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelOutput {
    /// Probabilities: one column per class.
    Proba(Mat<f64>),
    /// Numbers: one column per target.
    Reals(Mat<f64>),
}

impl ModelOutput {
    /// Predicts rows; an error for a model that does not predict.
    pub fn of(model: &dyn Model, x: &Features<'_>) -> Result<Self> {
        match (model.as_classifier(), model.as_regressor()) {
            (Some(c), _) => Ok(Self::Proba(c.proba(x)?)),
            (_, Some(r)) => Ok(Self::Reals(r.predict(x)?)),
            _ => Err(Error::Target("the model predicts nothing".into())),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values().rows()
    }

    /// The probabilities or numbers.
    pub fn values(&self) -> &Mat<f64> {
        match self {
            Self::Proba(m) | Self::Reals(m) => m,
        }
    }

    /// Concatenates the predictions of two models of one learner.
    ///
    /// # Panics
    /// When one has probabilities and the other numbers, or another number of columns.
    #[must_use]
    pub fn joined(mut self, other: Self) -> Self {
        match (&mut self, other) {
            (Self::Proba(all), Self::Proba(more)) | (Self::Reals(all), Self::Reals(more)) => all.append_rows(more),
            _ => panic!("models of one learner predict one kind of thing"),
        }
        self
    }

    /// The default measure: log loss for classes, the root mean squared error for numbers.
    pub fn default_metric(&self) -> &'static str {
        match self {
            Self::Proba(_) => "log_loss",
            Self::Reals(_) => "rmse",
        }
    }

    /// A measure by name, and its direction.
    pub fn measure(&self, name: &str, y: &Target<'_>, weight: Option<&[f64]>) -> Result<(f64, Direction)> {
        let better = metrics::direction(name)?;
        let named = |all: Vec<(&'static str, f64)>| {
            let value = all.into_iter().find(|(n, _)| *n == name).map(|(_, v)| v);
            value.ok_or_else(|| Error::Data(format!("{name} cannot be measured here")))
        };
        let value = match (self, y) {
            (Self::Proba(p), Target::Class { codes, names }) => match name {
                "log_loss" => metrics::log_loss(codes, p.view(), weight),
                "brier" => metrics::brier(codes, p.view(), weight),
                "accuracy" => metrics::confusion(codes, &argmax_rows(p.view()), names.len(), weight).accuracy(),
                _ => named(metrics::of_classes(codes, p.view(), &argmax_rows(p.view()), weight)?)?,
            },
            (Self::Reals(predictions), Target::Real(_) | Target::Reals(_)) => {
                let truth = y.reals()?;
                match name {
                    "mse" => metrics::mse(truth, predictions.view(), weight),
                    "rmse" => metrics::rmse(truth, predictions.view(), weight),
                    "mae" => metrics::mae(truth, predictions.view(), weight),
                    "r2" => metrics::r2(truth, predictions.view(), weight),
                    _ => named(metrics::of_numbers(truth, predictions.view(), weight, &|t, p| (t - p) * (t - p)))?,
                }
            }
            _ => return Err(Error::Target("the model predicts something else than this target".into())),
        };
        Ok((value, better))
    }
}
