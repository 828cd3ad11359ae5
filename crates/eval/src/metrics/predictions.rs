//! Stored predictions of a model, and their metrics.

use ermine_core::{Context, Error, Features, Mat, Model, Progress, Regressor, Result, Target};

use super::{of_classes, of_numbers, one_of_classes, one_of_numbers};

/// Rows predicted between two checks of the deadline.
const BLOCK_ROWS: usize = 8192;

/// Predictions of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictions {
    /// Of a regressor: one column per target.
    Numbers(Mat<f64>),
    /// Of a classifier.
    Classes {
        /// Probabilities: one column per class.
        proba: Mat<f64>,
        /// The predicted classes.
        classes: Vec<u32>,
    },
}

impl Predictions {
    /// Predicts rows; an error when the deadline passes meanwhile, or when the model does not predict.
    pub fn of(model: &dyn Model, x: &Features<'_>, cx: &Context<'_>) -> Result<Self> {
        let mut blocks =
            (0..x.rows()).step_by(BLOCK_ROWS).map(|from| (from, x.row_range(from..(from + BLOCK_ROWS).min(x.rows()))));
        let look = |done: usize| {
            let total = Some(x.rows() as u64);
            cx.check(Progress { stage: "predicting", done: done as u64, total, objective: None })
        };
        let first = blocks.next().map_or(*x, |(_, block)| block);
        if let Some(c) = model.as_classifier() {
            let (mut proba, mut classes) = c.proba_and_class(&first)?;
            for (from, block) in blocks {
                look(classes.len())?;
                let (p, f) = c.proba_and_class(&block).map_err(|e| e.with_row(|row| row + from))?;
                proba.append_rows(p);
                classes.extend(f);
            }
            return Ok(Self::Classes { proba, classes });
        }
        if let Some(r) = model.as_regressor() {
            let mut predictions = r.predict(&first)?;
            for (from, block) in blocks {
                look(predictions.rows())?;
                predictions.append_rows(r.predict(&block).map_err(|e| e.with_row(|row| row + from))?);
            }
            return Ok(Self::Numbers(predictions));
        }
        Err(mismatch())
    }

    /// Adds the predictions of the same model for further rows.
    ///
    /// # Panics
    /// When it is of another model.
    pub fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::Numbers(all), Self::Numbers(more)) => all.append_rows(more),
            (Self::Classes { proba, classes }, Self::Classes { proba: p, classes: f }) => {
                proba.append_rows(p);
                classes.extend(f);
            }
            _ => panic!("predictions of different models"),
        }
    }

    /// The measures against a known target; the model knows its deviance.
    pub fn measures(&self, model: &dyn Model, y: &Target<'_>, weight: Option<&[f64]>) -> Result<Vec<(&'static str, f64)>> {
        match (self.kind(model, y)?, self) {
            (Some(r), Self::Numbers(values)) => Ok(of_numbers(y.reals()?, values.view(), weight, &|y, p| r.unit_deviance(y, p))),
            (_, Self::Classes { proba, classes }) => of_classes(y.classes()?.0, proba.view(), classes, weight),
            _ => Err(mismatch()),
        }
    }

    /// One of the metrics, without computing the others; none where it does not apply.
    pub fn measure(&self, name: &str, model: &dyn Model, y: &Target<'_>, weight: Option<&[f64]>) -> Result<Option<f64>> {
        match (self.kind(model, y)?, self) {
            (Some(r), Self::Numbers(values)) => {
                Ok(one_of_numbers(name, y.reals()?, values.view(), weight, &|y, p| r.unit_deviance(y, p)))
            }
            (_, Self::Classes { proba, classes }) => one_of_classes(name, y.classes()?.0, proba.view(), classes, weight),
            _ => Err(mismatch()),
        }
    }

    /// The model as a regressor where it is one; an error where its predictions do not match the target.
    fn kind<'m>(&self, model: &'m dyn Model, y: &Target<'_>) -> Result<Option<&'m dyn Regressor>> {
        match (self, y, model.as_classifier(), model.as_regressor()) {
            (Self::Classes { .. }, Target::Class { names, .. }, Some(c), _) if c.classes() == *names => Ok(None),
            (Self::Classes { .. }, Target::Class { names, .. }, Some(c), _) => {
                Err(Error::Target(format!("the model knows the classes {:?} and the data has {names:?}", c.classes())))
            }
            (Self::Numbers(_), Target::Real(_) | Target::Reals(_), _, Some(r)) => Ok(Some(r)),
            _ => Err(mismatch()),
        }
    }
}

fn mismatch() -> Error {
    Error::Target("the model predicts something else than this target".into())
}
