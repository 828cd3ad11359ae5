//! Reports on models: how well they do, what matters to them, what they decide, and how to reproduce the report.
//!
//! ```no_run
//! use ermine_compose::{Fitted, Problem, learner, prepared};
//! use ermine_core::{Context, Roles};
//! use ermine_report::report::{ReportInput, ReportOptions};
//!
//! let problem = Problem::from_table(ermine_data::read_table("example:penguins")?, &Roles::with_target("species"))?;
//! let fitted = Fitted::train(prepared(learner("logistic")?), &problem, &Context::default())?;
//! let page = ReportInput::new(&fitted, problem.dataset(), ReportOptions::default()).page(&Context::default())?;
//! std::fs::write("penguins.html", page.to_html()?).unwrap();
//! # Ok::<(), ermine_core::Error>(())
//! ```

mod classify;
mod columns;
mod curves;
mod evaluation;
mod examples;
mod importance;
mod leaderboard;
mod learner;
mod learning;
mod projections;
mod provenance;
mod regress;

use std::time::Duration;

use ermine_core::{Context, DatasetRef, Error, Result};
use ermine_eval::explain::ModelOutput;
use ermine_eval::metrics;

use crate::document::{DocBlock, DocSection, Document, MetricTile};
use crate::format;
use ermine_compose::Fitted;

pub use evaluation::{EvaluationKind, ReportEvaluation};
pub use examples::{NeighborExamples, neighborhoods};
pub use importance::{dependence_chart, dependences, importance_bars, importances};
pub use leaderboard::{Leaderboard, LeaderboardEntry};
pub use learner::{certificate_line, model_name, model_params};
pub use learning::{learn_in_parts, learning_chart, learning_words};
pub use provenance::Provenance;

/// Options of a report.
#[derive(Debug, Clone)]
pub struct ReportOptions {
    /// Folds for a model evaluated on its own training rows; fewer than 2 evaluate on the training rows, and say so.
    pub folds: usize,
    /// Rows to compute importances on; by default as many as take little time.
    pub sample: Option<usize>,
    /// The metric of importances; log loss or the root mean squared error by default.
    pub measure: Option<String>,
    /// Initial costs of a false positive and a false negative.
    pub cost: Option<(f64, f64)>,
    /// Approximate time limit of importances, without `sample`, and of a learning curve, by default.
    pub patience: Duration,
    /// Whether the report has a learning curve; by default, if the model is evaluated by folds and they were fast.
    pub learning_curve: Option<bool>,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { folds: 5, sample: None, measure: None, cost: None, patience: Duration::from_secs(20), learning_curve: None }
    }
}

/// The subject of a report.
pub struct ReportInput<'a> {
    /// The model.
    pub fitted: &'a Fitted,
    /// Rows, with their target where the model predicts one.
    pub data: DatasetRef<'a>,
    /// The evaluation; by default that of [`ReportEvaluation::evaluate`].
    pub evaluation: Option<ReportEvaluation>,
    /// The models it was chosen from.
    pub leaderboard: Option<Leaderboard>,
    /// The origin of data and report.
    pub origin: Provenance,
    /// Options.
    pub settings: ReportOptions,
}

impl<'a> ReportInput<'a> {
    /// A model and rows.
    pub fn new(fitted: &'a Fitted, data: DatasetRef<'a>, settings: ReportOptions) -> Self {
        Self { fitted, data, evaluation: None, leaderboard: None, origin: Provenance::default(), settings }
    }

    /// Builds the report. The seed of `cx` determines folds and sampled rows; its observer can stop it.
    pub fn page(mut self, cx: &Context<'_>) -> Result<Document> {
        if self.data.rows() == 0 {
            return Err(Error::Data("there are 0 rows to report on".into()));
        }
        let predicts = self.fitted.model.as_classifier().is_some() || self.fitted.model.as_regressor().is_some();
        let evaluation = match (self.evaluation.take(), predicts) {
            (Some(given), _) => Some(given),
            (None, true) => Some(ReportEvaluation::evaluate(self.fitted, &self.data, self.settings.folds, cx)?),
            (None, false) => None,
        };
        match evaluation {
            Some(evaluation) => self.supervised(&evaluation, cx),
            None => self.unsupervised(),
        }
    }

    fn head(&self, title: String, lead: String) -> Document {
        let mut page = Document::new(title, lead).kind("Model report");
        if !self.origin.data.is_empty() {
            page = page.fact("Data", short_path(&self.origin.data));
        }
        page = page.fact("Rows", format::count(self.data.rows())).fact("Columns", format::count(self.data.cols()));
        page = page.fact("Model", model_name(self.fitted));
        if !self.origin.date.is_empty() {
            page = page.fact("Made", &self.origin.date);
        }
        page
    }

    fn supervised(&self, evaluation: &ReportEvaluation, cx: &Context<'_>) -> Result<Document> {
        let (fitted, data) = (self.fitted, &self.data);
        let target = match &fitted.target.names[..] {
            [] => "the target".to_owned(),
            names => names.join(", "),
        };
        let title = format!("Predicting {target} with {}", model_name(fitted));
        let y = evaluation.y.view();
        let weight = evaluation.weight.as_deref();
        let mut parts: Vec<DocSection> = Vec::new();
        let (lead, tiles): (String, Vec<MetricTile>);
        match &evaluation.output {
            ModelOutput::Proba(proba) => {
                let (codes, names) = y.classes()?;
                let output = classify::ClassifierOutput { codes, names, proba, weight };
                (lead, tiles) = (classify::sentence(&output), classify::tiles(&output)?);
                parts.push(classify::errors(&output));
                parts.extend(classify::ranking(&output)?);
                parts.extend(classify::calibration(&output)?);
                parts.push(classify::decisions(&output, &self.settings));
            }
            ModelOutput::Reals(predictions) => {
                let output = regress::RegressorOutput { truth: y.reals()?, predictions, weight };
                (lead, tiles) = (regress::sentence(&output), regress::tiles(&output));
                // The rows of folds are in another order than the data.
                let judged = evaluation.models_with_rows(fitted, data);
                let rows = if judged.len() == 1 { Some(&judged[0].data) } else { None };
                parts.push(regress::errors(fitted, &output, rows));
            }
        }
        let mut page = self.head(title, lead);
        let mut summary = DocSection::new("Summary").lead(evaluation.words()).with(DocBlock::Tiles(tiles));
        if matches!(evaluation.how, EvaluationKind::TrainingRows | EvaluationKind::Unknown) {
            summary.lead = String::new();
            summary.blocks.insert(0, DocBlock::Note(evaluation.words()));
        }
        page = page.with(summary);
        if let Some(board) = &self.leaderboard {
            page = page.with(leaderboard::part(board));
        }
        page = parts.into_iter().fold(page, Document::with);
        if importance::few_enough(data) || self.settings.sample.is_some() {
            match importances(fitted, data, evaluation, &self.settings, cx) {
                Ok(importances) => {
                    page = page.with(importance::part(fitted, data, &importances, cx)?);
                    if let Some(part) = importance::dependence_part(fitted, data, &importances.ranking(), cx)? {
                        page = page.with(part);
                    }
                }
                // Too few rows only mean that this section is missing.
                Err(Error::Data(why)) => {
                    page = page.with(DocSection::new("What matters").with(DocBlock::Note(format::capital(&why))))
                }
                Err(other) => return Err(other),
            }
        }
        // The parts of the curve cost little more than two cross-validations.
        let quick = matches!(evaluation.how, EvaluationKind::CrossValidated(_))
            && 2.4 * evaluation.fit_seconds < self.settings.patience.as_secs_f64();
        if self.settings.learning_curve.unwrap_or(quick) {
            let curve = learn_in_parts(fitted, data, self.settings.folds.max(2), self.settings.measure.as_deref(), cx)?;
            page = page.with(learning::part(&curve));
        }
        if let Some(part) = examples::part(fitted, data)? {
            page = page.with(part);
        }
        Ok(self.tail(page, Some(evaluation), cx))
    }

    fn unsupervised(&self) -> Result<Document> {
        let (fitted, data) = (self.fitted, &self.data);
        let name = model_name(fitted);
        let summary = ermine_compose::learner(&name).map(|l| l.spec().summary.to_owned()).unwrap_or_default();
        let on = if self.origin.data.is_empty() { "the rows".to_owned() } else { short_path(&self.origin.data) };
        let mut page = self.head(format!("{} of {on}", format::capital(&name)), summary);
        let measured = fitted.model.as_clusterer().is_some() || fitted.model.as_density().is_some();
        if measured {
            let measures = metrics::evaluate(&*fitted.model, &data.x, &data.y, data.weight)?;
            let tile = |(name, value): &(&str, f64)| MetricTile {
                name: format::capital(&name.replace('_', " ")),
                value: format::number(*value),
                detail: String::new(),
            };
            page = page.with(DocSection::new("Summary").with(DocBlock::Tiles(measures.iter().map(tile).collect())));
        }
        if let Some(part) = projections::part(fitted, data)? {
            page = page.with(part);
        }
        Ok(self.tail(page, None, &Context::default()))
    }

    fn tail(&self, page: Document, evaluation: Option<&ReportEvaluation>, cx: &Context<'_>) -> Document {
        let mut page = page.with(learner::part(self.fitted));
        if let Some(part) = learner::evidence(self.fitted, evaluation) {
            page = page.with(part);
        }
        page.with(columns::part(self.fitted, &self.data, &self.origin.notes)).with(provenance::part(
            &self.origin,
            self.fitted,
            &self.data,
            cx.seed,
        ))
    }
}

/// The last part of a path.
fn short_path(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests;
