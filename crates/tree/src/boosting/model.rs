//! The fitted ensemble.

use ermine_core::{
    Attributor, Certificate, Classifier, Curve, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result,
    RowFunction, Schema, Section, Task, Trace, with_argmax_class,
};
use ermine_math::loss::{log_sum_exp, log1p_exp, sigmoid};

use super::objective::Loss;
use crate::tree::ensemble::Trees;
use crate::tree::ensemble::model_of_trees;
use crate::tree::importance::{gain_shares, report_importances};

/// Boosted trees. See [`super::Boosting`].
#[derive(Debug, Clone)]
pub struct BoostingModel {
    pub(super) loss: Loss,
    pub(super) classes: Vec<String>,
    /// The scores before any tree.
    pub(super) start: Vec<f64>,
    pub(super) trees: Trees,
    pub(super) certificate: Certificate,
    pub(super) trace: Trace,
}

impl BoostingModel {
    /// The trees, round by round, one tree per output.
    pub fn trees(&self) -> &Trees {
        &self.trees
    }

    /// The scores before any tree, one per output.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Scores per row: 1, or the number of classes when there are more than two.
    pub fn outputs(&self) -> usize {
        self.start.len()
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> usize {
        self.trees.n_trees() / self.outputs()
    }

    /// The share of each column in what all splits gained.
    pub fn feature_importances(&self) -> Vec<f64> {
        gain_shares(self.trees.gains())
    }

    /// The sums of trees, before they are turned into probabilities or means: rows by outputs.
    pub fn scores(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.scores_after(x, self.rounds())
    }

    /// The scores after the first rounds.
    pub fn scores_after(&self, x: &Features<'_>, rounds: usize) -> Result<Mat<f64>> {
        let outputs = self.outputs();
        let mut out = Mat::zeros(x.rows(), outputs);
        for i in 0..x.rows() {
            out.row_mut(i).copy_from_slice(&self.start);
        }
        self.trees.add_to(x, 0..rounds.min(self.rounds()) * outputs, outputs, &mut out)?;
        Ok(out)
    }

    /// The scores after each round, handed to `each` one after the other: rows by outputs.
    pub fn staged_scores(&self, x: &Features<'_>, mut each: impl FnMut(&Mat<f64>) -> Result<()>) -> Result<()> {
        let outputs = self.outputs();
        let mut out = self.scores_after(x, 0)?;
        for round in 0..self.rounds() {
            self.trees.add_to(x, round * outputs..(round + 1) * outputs, outputs, &mut out)?;
            each(&out)?;
        }
        Ok(())
    }

    fn task(&self) -> Task {
        match self.loss {
            Loss::Logistic | Loss::Softmax(_) => Task::Classification,
            _ => Task::Regression,
        }
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let out = Self {
            loss: input.field("loss")?,
            classes: input.field("classes")?,
            start: input.vec("start")?,
            trees: Trees::load(input)?,
            certificate: input.field("certificate")?,
            trace: input.field("trace")?,
        };
        let bad = |what: &str| Err(Error::Model(format!("boosting: {what}")));
        let outputs = match out.loss {
            Loss::Softmax(k) => k,
            _ => 1,
        };
        if out.start.len() != outputs || outputs == 0 || out.start.iter().any(|v| !v.is_finite()) {
            return bad("the scores to begin with are not valid");
        }
        let classes = match out.loss {
            Loss::Softmax(k) => k,
            Loss::Logistic => out.classes.len().clamp(1, 2),
            _ => 0,
        };
        if out.classes.len() != classes {
            return bad("the number of classes does not fit the loss");
        }
        if out.trees.width() != 1 || !out.trees.n_trees().is_multiple_of(outputs) {
            return bad("the trees do not fit the outputs");
        }
        if out.trace.rows.iter().any(|r| r.len() != out.trace.columns.len()) {
            return bad("a row of the trace has another length");
        }
        Ok(out)
    }
}

ermine_core::display_as_report!(BoostingModel);

impl Model for BoostingModel {
    model_of_trees!();

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let leaves: usize = (0..self.trees.n_trees()).map(|t| self.trees.n_leaves(t)).sum();
        report.text(format!("{} rounds of boosting: {} trees with {leaves} leaves in all.", self.rounds(), self.trees.n_trees()));
        let (title, heads) = ("Importance: share of what all splits gained", ["column", "importance", "splits"]);
        let splits = self.trees.splits();
        report_importances(&mut report, schema, title, &heads, &self.feature_importances(), |j| Some(splits[j] as f64));
        let curve = |k: usize| Curve {
            name: self.trace.columns[k].clone(),
            points: self.trace.rows.iter().map(|r| (r[0], r[k])).collect(),
        };
        if self.trace.rows.len() > 1 {
            report.sections.push(Section::Plot {
                title: "Mean loss by round".into(),
                x: "round".into(),
                y: "loss".into(),
                curves: (1..self.trace.columns.len()).map(curve).collect(),
            });
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("loss", &self.loss)?;
        out.field("classes", &self.classes)?;
        out.vec("start", &self.start);
        self.trees.save(out)?;
        out.field("certificate", &self.certificate)?;
        out.field("trace", &self.trace)
    }
}

impl Regressor for BoostingModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut out = self.scores(x)?;
        if self.loss.is_log_link() {
            out.as_mut_slice().iter_mut().for_each(|z| *z = z.exp());
        }
        Ok(out)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let log_link = self.loss.is_log_link();
        self.trees.by_row(schema, &self.start, self.outputs(), move |scores, out| {
            out.iter_mut().zip(scores).for_each(|(o, z)| *o = if log_link { z.exp() } else { *z });
        })
    }
}

impl Classifier for BoostingModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let scores = self.scores(x)?;
        Ok(probabilities(&scores, self.classes.len()))
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.trees.by_row(schema, &self.start, self.classes.len(), |scores, out| row_probabilities(scores, out))
    }

    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut scores = self.scores(x)?;
        if self.outputs() == 1 {
            let classes = self.classes.len();
            return Ok(Mat::from_fn(scores.rows(), classes, |i, k| {
                let z = scores[(i, 0)];
                if classes == 1 { 0.0 } else { -log1p_exp(if k == 1 { -z } else { z }) }
            }));
        }
        for i in 0..scores.rows() {
            let all = log_sum_exp(scores.row(i));
            scores.row_mut(i).iter_mut().for_each(|z| *z -= all);
        }
        Ok(scores)
    }

    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        Ok(Some(self.scores(x)?))
    }

    fn proba_and_class(&self, x: &Features<'_>) -> Result<(Mat<f64>, Vec<u32>)> {
        Ok(with_argmax_class(self.proba(x)?))
    }
}

impl Attributor for BoostingModel {
    fn output_name(&self) -> &'static str {
        match self.loss {
            Loss::Logistic => "log odds",
            Loss::Softmax(_) => "score",
            _ if self.loss.is_log_link() => "logarithm of the prediction",
            _ => "prediction",
        }
    }

    fn n_outputs(&self) -> usize {
        self.outputs()
    }

    fn attribution_cost(&self) -> f64 {
        self.trees.shap_work()
    }

    fn base_values(&self) -> Vec<f64> {
        self.trees.expected_from(&self.start)
    }

    fn attributions(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.trees.shap_from(x, &self.start)
    }
}

/// Probabilities of the classes from scores: one column for two classes (or one), else one per class.
pub fn probabilities(scores: &Mat<f64>, classes: usize) -> Mat<f64> {
    let mut out = Mat::zeros(scores.rows(), classes);
    (0..scores.rows()).for_each(|i| row_probabilities(scores.row(i), out.row_mut(i)));
    out
}

fn row_probabilities(scores: &[f64], out: &mut [f64]) {
    match (scores, &mut *out) {
        ([_], [one]) => *one = 1.0,
        ([z], [no, yes]) => (*no, *yes) = (sigmoid(-z), sigmoid(*z)),
        (scores, out) => {
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            out.iter_mut().zip(scores).for_each(|(p, z)| *p = (z - top).exp());
            let sum: f64 = out.iter().sum();
            out.iter_mut().for_each(|p| *p /= sum);
        }
    }
}
