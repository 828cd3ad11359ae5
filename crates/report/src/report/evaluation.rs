//! The evaluation of a report: on which rows a model is evaluated, and its predictions for them.

use std::time::Instant;

use ermine_core::{Context, DatasetRef, Error, Model, OwnedDataset, OwnedTarget, Progress, Result, Trace};
use ermine_eval::explain::{ModelOnData, ModelOutput};
use ermine_eval::model_selection::{CvSplits, hold_out, stratified_k_fold};

use ermine_compose::Fitted;

/// Relation of the evaluation rows to the training rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EvaluationKind {
    /// They are not the training rows.
    New,
    /// They were held out when the model was trained: this share of all.
    HeldOut(f64),
    /// They are the training rows; models of a cross-validation with this many folds predict them instead.
    CrossValidated(usize),
    /// They are the training rows, and the model is evaluated on them all the same.
    TrainingRows,
    /// The training rows are unknown.
    Unknown,
}

/// A model and its rows; no model is the one that is reported on, no rows are all.
type FoldModel = (Option<Box<dyn Model>>, Option<OwnedDataset>);

/// A model, or the models of a cross-validation, and their predictions.
pub struct ReportEvaluation {
    /// Relation of the rows to the training rows.
    pub how: EvaluationKind,
    /// Predictions of the rows, in the order of `y`.
    pub output: ModelOutput,
    /// Their targets.
    pub y: OwnedTarget,
    /// Their weights.
    pub weight: Option<Vec<f64>>,
    /// The models and their rows.
    parts: Vec<FoldModel>,
    /// Seconds of the fits, where there were any.
    pub fit_seconds: f64,
}

impl ReportEvaluation {
    /// Evaluates the model on rows that it has not seen, where that can be known: on the held-out part of the rows, or,
    /// if it was trained on them, by `folds` folds (or on the training rows, when there are fewer than 2).
    pub fn evaluate(fitted: &Fitted, data: &DatasetRef<'_>, folds: usize, cx: &Context<'_>) -> Result<Self> {
        let known = fitted.data.fingerprint.as_ref();
        let same = known.is_some_and(|print| *print == data.fingerprint());
        match (fitted.data.held_out, same) {
            (Some(share), true) => {
                let (_, test) = hold_out(&data.y, data.rows(), share, fitted.seed)?;
                Self::of_rows(fitted, data.take_rows(&test), EvaluationKind::HeldOut(share))
            }
            (None, true) if folds >= 2 => {
                let folds = stratified_k_fold(&data.y, data.rows(), folds.min(data.rows()), cx.seed)?;
                Self::of_folds(fitted, data, &folds.into(), cx)
            }
            (_, seen) => {
                let how = match (seen, known) {
                    (true, _) => EvaluationKind::TrainingRows,
                    (_, Some(_)) => EvaluationKind::New,
                    (_, None) => EvaluationKind::Unknown,
                };
                let predictions = ModelOutput::of(&*fitted.model, &data.x)?;
                let rows: Vec<usize> = (0..data.rows()).collect();
                let weight = data.weight.map(<[f64]>::to_vec);
                Ok(Self {
                    how,
                    output: predictions,
                    y: data.y.take_rows(&rows),
                    weight,
                    parts: vec![(None, None)],
                    fit_seconds: 0.0,
                })
            }
        }
    }

    fn of_rows(fitted: &Fitted, rows: OwnedDataset, how: EvaluationKind) -> Result<Self> {
        let predictions = ModelOutput::of(&*fitted.model, &rows.x.view())?;
        let (y, weight) = (rows.y.clone(), rows.weight.clone());
        Ok(Self { how, output: predictions, y, weight, parts: vec![(None, Some(rows))], fit_seconds: 0.0 })
    }

    /// Trains the learner on all folds but one and predicts the held-out rows, for each fold.
    pub fn of_folds(fitted: &Fitted, data: &DatasetRef<'_>, rounds: &CvSplits, cx: &Context<'_>) -> Result<Self> {
        let (mut parts, mut output, mut order, mut fit_seconds) = (Vec::new(), None, Vec::new(), 0.0);
        for fold in 0..rounds.len() {
            cx.check(Progress { stage: "folds", done: fold as u64, total: Some(rounds.len() as u64), objective: None })?;
            let (train, test) = rounds.round(fold);
            let rows = data.take_rows(&test);
            let started = Instant::now();
            let model = fitted.learner.fit_any(&data.take_rows(&train).view(), cx)?;
            fit_seconds += started.elapsed().as_secs_f64();
            let says = ModelOutput::of(&*model, &rows.x.view())?;
            output = Some(match output {
                None => says,
                Some(before) => ModelOutput::joined(before, says),
            });
            order.extend(test);
            parts.push((Some(model), Some(rows)));
        }
        let Some(output) = output else { return Err(Error::Data("there are 0 rounds to evaluate the model on".into())) };
        let weight = data.weight.map(|w| order.iter().map(|&i| w[i]).collect());
        Ok(Self {
            how: EvaluationKind::CrossValidated(rounds.len()),
            output,
            y: data.y.take_rows(&order),
            weight,
            parts,
            fit_seconds,
        })
    }

    /// Number of evaluation rows.
    pub fn rows(&self) -> usize {
        self.output.rows()
    }

    /// Each model with its evaluation rows.
    pub fn models_with_rows<'a>(&'a self, fitted: &'a Fitted, data: &DatasetRef<'a>) -> Vec<ModelOnData<'a>> {
        let part = |(model, rows): &'a FoldModel| ModelOnData {
            model: model.as_ref().map_or(&*fitted.model, |m| &**m),
            data: rows.as_ref().map_or(*data, OwnedDataset::view),
        };
        self.parts.iter().map(part).collect()
    }

    /// The traces of the fits, of the model itself where it is new and of the models of the folds.
    pub fn traces<'a>(&'a self, fitted: &'a Fitted) -> Vec<(String, &'a Trace)> {
        let own = fitted.model.trace().map(|t| ("all rows".to_owned(), t));
        let folds =
            self.parts.iter().enumerate().filter_map(|(k, p)| Some((format!("without fold {}", k + 1), p.0.as_ref()?.trace()?)));
        own.into_iter().chain(folds).collect()
    }

    /// The relation of the rows to the training rows, in a sentence.
    pub fn words(&self) -> String {
        let rows = crate::format::counted(self.rows(), "row");
        match self.how {
            EvaluationKind::New => format!("Measured on {rows} that the model has not seen."),
            EvaluationKind::HeldOut(share) => format!(
                "Measured on the {rows} ({}) that were held out when the model was trained.",
                crate::format::percent(share)
            ),
            EvaluationKind::CrossValidated(folds) => format!(
                "The model was trained on these rows. So it is measured by cross-validation: {folds} models of the same learner, each on the \
                 fold that it has not seen, {rows} in all."
            ),
            EvaluationKind::TrainingRows => {
                format!("Measured on the {rows} that the model was trained on: all metrics are optimistic.")
            }
            EvaluationKind::Unknown => format!(
                "Measured on {rows}. The model does not say what it was trained on; if it was trained on these rows, all metrics are optimistic."
            ),
        }
    }
}
