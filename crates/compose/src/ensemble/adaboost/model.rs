//! A boosted ensemble: prediction, report, saving and loading.

use ermine_core::{
    Cell, Certificate, Classifier, Curve, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result,
    Schema, Section, Task, Trace, argmax_rows,
};
use ermine_tree::stump_boosting::StumpList;

use crate::ensemble::member;
use crate::pipeline::PipelineStep;

/// The learners of an ensemble.
pub(super) enum WeakModels {
    Stumps(StumpList),
    Models(PipelineStep, Vec<Box<dyn Model>>),
}

impl WeakModels {
    fn len(&self) -> usize {
        match self {
            Self::Stumps(s) => s.stumps.len(),
            Self::Models(_, m) => m.len(),
        }
    }
}

/// A boosted ensemble.
pub struct AdaBoostModel {
    pub(super) task: Task,
    pub(super) classes: Vec<String>,
    pub(super) n_features: usize,
    pub(super) real: bool,
    /// Added to class shares before their logarithms are taken.
    pub(super) smooth: f64,
    pub(super) learners: WeakModels,
    pub(super) vote: Vec<f64>,
    pub(super) error: Vec<f64>,
    /// Quantiles of the margins of the training rows, 0 % to 100 %.
    pub(super) margins: Vec<f64>,
    pub(super) trace: Trace,
    pub(super) certificate: Certificate,
}

impl AdaBoostModel {
    /// Number of learners.
    pub fn n_learners(&self) -> usize {
        self.vote.len()
    }

    /// The vote of each learner.
    pub fn votes(&self) -> &[f64] {
        &self.vote
    }

    /// The weighted error of each learner in its round.
    pub fn errors(&self) -> &[f64] {
        &self.error
    }

    /// Quantiles of the margins of the training rows, from 0 % to 100 % in steps of 1 %; empty for a regression.
    pub fn margins(&self) -> &[f64] {
        &self.margins
    }

    /// Share of the votes whose stumps split on each column.
    pub fn feature_importances(&self) -> Option<Vec<f64>> {
        let WeakModels::Stumps(list) = &self.learners else { return None };
        let mut out = vec![0.0; self.n_features];
        let cuts = |t: f64, set: &Option<Vec<u32>>| t != f64::INFINITY || set.is_some();
        for (s, v) in list.stumps.iter().zip(&self.vote).filter(|(s, _)| cuts(s.threshold, &s.categories)) {
            out[s.feature] += v;
        }
        let sum: f64 = out.iter().sum();
        if sum > 0.0 {
            out.iter_mut().for_each(|v| *v /= sum);
        }
        Some(out)
    }

    /// The votes of the first `count` learners for each class: sums of votes, or of confidences of real boosting.
    pub fn staged_scores(&self, x: &Features<'_>, count: usize) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features)?;
        let k = self.classes.len();
        let mut out = Mat::zeros(x.rows(), k);
        match &self.learners {
            WeakModels::Stumps(list) => {
                let shares = |side: fn(&ermine_tree::stump_boosting::Stump) -> &Vec<f64>| {
                    let all = list.stumps.iter().flat_map(|s| side(s).iter().copied()).collect();
                    self.scores(&Mat::from_vec(list.stumps.len(), k, all))
                };
                let (left, right) = (shares(|s| &s.left), shares(|s| &s.right));
                list.for_each_side(x, out.as_mut_slice(), k, |out, s, goes_left| {
                    if s < count {
                        let score = if goes_left { left.row(s) } else { right.row(s) };
                        out.iter_mut().zip(score).for_each(|(o, v)| *o += self.vote[s] * v);
                    }
                })?;
            }
            WeakModels::Models(_, models) => {
                for (model, vote) in models.iter().zip(&self.vote).take(count) {
                    let c = model.as_classifier().ok_or_else(lost)?;
                    let part = self.scores(&c.proba(x)?);
                    out.as_mut_slice().iter_mut().zip(part.as_slice()).for_each(|(o, v)| *o += vote * v);
                }
            }
        }
        Ok(out)
    }

    /// Votes from class shares: 1 for the largest, or confidences.
    fn scores(&self, shares: &Mat<f64>) -> Mat<f64> {
        if self.real {
            return confidences(shares, self.smooth);
        }
        let best = argmax_rows(shares.view());
        Mat::from_fn(shares.rows(), shares.cols(), |i, k| f64::from(u8::from(best[i] as usize == k)))
    }

    /// Votes as scores between -1 and 1 for each class (discrete), or unscaled (real).
    fn margin_scores(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut out = self.staged_scores(x, self.n_learners())?;
        let k = self.classes.len() as f64;
        if !self.real && k > 1.0 {
            // A vote for another class counts against this one, so that the scores of a row sum to 0.
            let all: f64 = self.vote.iter().sum();
            out.as_mut_slice().iter_mut().for_each(|v| *v = (*v - (all - *v) / (k - 1.0)) / all);
        }
        Ok(out)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let task: Task = input.field("task")?;
        let classes: Vec<String> = input.field("classes")?;
        let n_features: usize = input.field("n_features")?;
        let vote: Vec<f64> = input.vec("vote")?;
        let error: Vec<f64> = input.vec_of("error", vote.len())?;
        let margins: Vec<f64> = input.vec("margins")?;
        let bad = |what: &str| Err(Error::Model(what.to_owned()));
        if vote.is_empty() || !vote.iter().all(|v| v.is_finite() && *v > 0.0) {
            return bad("an ensemble without votes, or with votes that are not above 0");
        }
        if !task.is_supervised() || (task == Task::Classification) == classes.is_empty() {
            return bad("the classes of the ensemble do not fit its task");
        }
        let learners = if input.field("stumps")? {
            let list = StumpList::load(&input.child("stumps"), classes.len())?;
            if list.categories.len() != n_features || task != Task::Classification {
                return bad("the stumps do not fit the columns");
            }
            WeakModels::Stumps(list)
        } else {
            let (mut stages, models) = member::load(&input.child("models"), vote.len())?;
            member::check_models(&models, task, &classes)?;
            let fits = |m: &dyn Model| {
                m.n_features() == n_features && m.as_regressor().is_none_or(|r| task != Task::Regression || r.n_targets() == 1)
            };
            match (stages.pop(), models.iter().all(|m| fits(&**m))) {
                (Some(stage), true) if stages.is_empty() => WeakModels::Models(stage, models),
                _ => return bad("the learners do not fit the columns"),
            }
        };
        let smooth: f64 = input.field("smooth")?;
        if learners.len() != vote.len() || !(smooth.is_finite() && smooth >= 0.0) {
            return bad("a learner has no vote");
        }
        Ok(Self {
            task,
            classes,
            n_features,
            real: input.field("real")?,
            smooth,
            learners,
            vote,
            error,
            margins,
            trace: input.field::<SavedTrace>("trace")?.with_nan(),
            certificate: input.field("certificate")?,
        })
    }

    fn report_margins(&self, report: &mut Report) {
        if self.margins.len() != 101 {
            return;
        }
        let rows = [0, 5, 10, 25, 50, 75, 90, 100]
            .iter()
            .map(|&q| -> Vec<Cell> { vec![f64::from(q).into(), self.margins[q as usize].into()] });
        report.table("Margins of the training rows", &["percent of rows up to", "margin"], rows.collect());
        let points = self.margins.iter().enumerate().map(|(q, &m)| (m, q as f64 / 100.0)).collect();
        report.sections.push(Section::Plot {
            title: "Margins of the training rows".into(),
            x: "margin".into(),
            y: "share of rows up to it".into(),
            curves: vec![Curve { name: "margin".into(), points }],
        });
    }
}

/// JSON has no NaN, and the bound is NaN for more than two classes.
#[derive(serde::Serialize, serde::Deserialize)]
struct SavedTrace {
    columns: Vec<String>,
    rows: Vec<Vec<Option<f64>>>,
}

impl SavedTrace {
    fn new(trace: &Trace) -> Self {
        let rows = trace.rows.iter().map(|r| r.iter().map(|v| v.is_finite().then_some(*v)).collect()).collect();
        Self { columns: trace.columns.clone(), rows }
    }
    fn with_nan(self) -> Trace {
        let mut trace = Trace::new(&self.columns.iter().map(String::as_str).collect::<Vec<_>>());
        trace.rows = self.rows.into_iter().map(|r| r.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect()).collect();
        trace
    }
}

/// The confidence of real boosting for each class: `(K - 1) (log p_k - mean of log p)`.
pub(super) fn confidences(shares: &Mat<f64>, smooth: f64) -> Mat<f64> {
    let k = shares.cols() as f64;
    let mut out = shares.clone();
    for i in 0..out.rows() {
        let row = out.row_mut(i);
        row.iter_mut().for_each(|p| *p = ((*p + smooth) / (1.0 + k * smooth)).ln());
        let mean = row.iter().sum::<f64>() / k;
        row.iter_mut().for_each(|l| *l = (k - 1.0) * (*l - mean));
    }
    out
}

fn lost() -> Error {
    Error::Model("a learner of the ensemble has lost its capability".into())
}

ermine_core::display_as_report!(AdaBoostModel);

impl Model for AdaBoostModel {
    fn n_features(&self) -> usize {
        self.n_features
    }
    fn as_regressor(&self) -> Option<&dyn Regressor> {
        (self.task == Task::Regression).then_some(self)
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        (self.task == Task::Classification).then_some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }
    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }
    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let what = match &self.learners {
            WeakModels::Stumps(_) => "stumps".to_owned(),
            WeakModels::Models(stage, _) => format!("models: {}", member::name(stage)),
        };
        report.text(format!("{} {what}, boosted in {} rounds.", self.n_learners(), self.trace.rows.len()));
        if let Some(importances) = self.feature_importances() {
            let order = ermine_core::order::argsort_descending(&importances);
            let rows = order.into_iter().map(|j| vec![Cell::Text(schema.name(j)), Cell::Number(importances[j])]).collect();
            report.table("Importance: share of the votes", &["column", "importance"], rows);
        }
        let cell = |v: &f64| if v.is_nan() { Cell::Empty } else { Cell::Number(*v) };
        let rows = self.trace.rows.iter().map(|r| r.iter().map(cell).collect()).collect();
        let columns: Vec<&str> = self.trace.columns.iter().map(String::as_str).collect();
        report.table("Rounds", &columns, rows);
        self.report_margins(&mut report);
        report
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("task", &self.task)?;
        out.field("classes", &self.classes)?;
        out.field("n_features", &self.n_features)?;
        out.field("real", &self.real)?;
        out.field("smooth", &self.smooth)?;
        out.vec("vote", &self.vote);
        out.vec("error", &self.error);
        out.vec("margins", &self.margins);
        out.field("trace", &SavedTrace::new(&self.trace))?;
        out.field("certificate", &self.certificate)?;
        out.field("stumps", &matches!(self.learners, WeakModels::Stumps(_)))?;
        match &self.learners {
            WeakModels::Stumps(list) => out.child("stumps", |w| list.save(w)),
            WeakModels::Models(stage, models) => out.child("models", |w| member::save(w, std::slice::from_ref(stage), models)),
        }
    }
}

impl Regressor for AdaBoostModel {
    /// The weighted median of the learners' predictions.
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features)?;
        let WeakModels::Models(_, models) = &self.learners else { return Err(lost()) };
        let predictions = models.iter().map(|m| m.as_regressor().ok_or_else(lost)?.predict(x)).collect::<Result<Vec<_>>>()?;
        let half = 0.5 * self.vote.iter().sum::<f64>();
        let mut order: Vec<usize> = Vec::with_capacity(predictions.len());
        Ok(Mat::from_fn(x.rows(), 1, |i, _| {
            order.clear();
            order.extend(0..predictions.len());
            order.sort_by(|&a, &b| predictions[a][(i, 0)].total_cmp(&predictions[b][(i, 0)]));
            let mut sum = 0.0;
            let at = order.iter().copied().find(|&m| {
                sum += self.vote[m];
                sum >= half
            });
            predictions[at.unwrap_or(order[order.len() - 1])][(i, 0)]
        }))
    }
}

impl Classifier for AdaBoostModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }
    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut out = self.margin_scores(x)?;
        let k = out.cols();
        let scale = if k > 2 { 1.0 / (k as f64 - 1.0) } else { 1.0 };
        for i in 0..out.rows() {
            let row = out.row_mut(i);
            let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.iter_mut().for_each(|v| *v = ((*v - top) * scale).exp());
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|v| *v /= sum);
        }
        Ok(out)
    }
    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let scores = self.margin_scores(x)?;
        Ok(Some(match scores.cols() {
            1 | 2 => Mat::from_fn(scores.rows(), 1, |i, _| scores[(i, scores.cols() - 1)] - scores[(i, 0)]),
            _ => scores,
        }))
    }
}
