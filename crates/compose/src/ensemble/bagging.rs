//! Bagging: one learner on many samples of the rows, averaged.

use ermine_core::blocks::check_finite;
#[cfg(feature = "fit")]
use ermine_core::parallel::prelude::*;
use ermine_core::{
    Accepts, Certificate, Classifier, Context, DatasetRef, Error, Family, Features, Learner, Mat, Model, ModelReader,
    ModelWriter, OwnedDataset, OwnedTarget, ParamSpec, Progress, Range, Regressor, Report, Result, RngStream, Schema, Spec,
    Target, Task, argmax_rows,
};
#[cfg(feature = "fit")]
use ermine_tree::tree::Tree;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[cfg(feature = "fit")]
use super::member::PREPARE;
use super::{columns, member};
use crate::pipeline::PipelineStep;

/// Members trained in parallel; also how often the deadline is checked.
const TOGETHER: usize = 8;

/// A number of rows or columns, or a fraction of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CountOrShare {
    /// This many.
    Count(u64),
    /// This fraction, above 0.
    Share(f64),
}

impl CountOrShare {
    fn of(self, all: usize) -> usize {
        match self {
            Self::Count(n) => usize::try_from(n).unwrap_or(usize::MAX),
            Self::Share(s) => ((s * all as f64) as usize).max(1),
        }
    }
}

/// One learner on many samples of the rows; predictions are averaged.
///
/// # What it computes
/// `f(x) = 1/B sum_b f_b(x)`, f_b trained on a sample of the rows (and columns) drawn anew for each b. Class probabilities
/// are averaged too.
///
/// # When to use it
/// For learners of high variance: deep trees above all. It lowers their variance and does little for linear models. The
/// random forest of `ermine-tree` draws columns in every node of its trees and is faster.
///
/// # Example
/// ```
/// let mut bagging = ermine_compose::learner("bagging")?;
/// bagging.set("base.max_depth", 3.into())?;
/// assert!(bagging.set("base.max_dept", 3.into()).unwrap_err().to_string().contains("max_depth"));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Out of bag
/// With `oob_score` each row is predicted by the members that were not trained on it: an estimate of the accuracy (or
/// R²) on new rows without a test set.
///
/// # Cost
/// n_estimators fits. Learners that take weights get the number of draws of each row as its weight, without a copy.
///
/// # What it does not do
/// It does not train in passes.
///
/// # Reference
/// Breiman: Bagging predictors, Machine Learning 24, 1996.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("BaggingClassifier", "BaggingRegressor"))]
pub struct Bagging {
    /// The learner.
    pub base: PipelineStep,
    /// Members.
    pub n_estimators: u64,
    /// Rows drawn for each.
    pub max_samples: Option<CountOrShare>,
    /// Columns drawn for each.
    pub max_features: CountOrShare,
    /// Whether rows are drawn with replacement.
    pub bootstrap: bool,
    /// Whether columns are drawn with replacement.
    pub bootstrap_features: bool,
    /// Whether rows are predicted by the members that were not trained on them.
    pub oob_score: bool,
    /// Whether the base learner gets the default preparation.
    pub prepare: bool,
}

#[cfg(feature = "fit")]
impl Default for Bagging {
    fn default() -> Self {
        Self {
            base: PipelineStep::new(Box::new(Tree::default())),
            n_estimators: 10,
            max_samples: None,
            max_features: CountOrShare::Share(1.0),
            bootstrap: true,
            bootstrap_features: false,
            oob_score: false,
            prepare: true,
        }
    }
}

const SHARE: Range = Range::Real { min: 0.0, max: 1.0, above: true, log: false };

#[cfg(feature = "fit")]
impl Learner for Bagging {
    type Model = BaggingModel;

    const SPEC: Spec = Spec {
        name: "bagging",
        summary: "One learner on many samples of the rows, averaged, with an out-of-bag estimate",
        objective: "f(x) = 1/B sum_b f_b(x), each f_b the base trained on rows (and columns) drawn anew; class probabilities \
                    are averaged",
        notes: "For learners of high variance, deep trees above all. Any learner of the catalogue may be the \
                base: --set base=NAME, and its parameters are base.NAME: --set base=tree --set base.max_depth=4. Costs \
                n_estimators fits. It does not train in passes.",
        reference: "Breiman: Bagging predictors, Machine Learning 24, 1996",
        family: Family::Composite,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: true, passes: false, multi_target: true },
        params: &[
            ParamSpec {
                name: "base",
                doc: "The learner: a name of the catalogue, or {\"learner\": NAME, \"params\": {…}}. Its parameters are set as \
                      base.NAME, such as base.max_depth.",
                range: Range::Any,
            },
            ParamSpec { name: "n_estimators", doc: "Members of the ensemble.", range: Range::int_from(1) },
            ParamSpec {
                name: "max_samples",
                doc: "Rows drawn for each member: a number, a share of all, or null for as many as there are.",
                range: Range::Optional(&Range::Either(&Range::Int { min: 1, max: i64::MAX }, &SHARE)),
            },
            ParamSpec {
                name: "max_features",
                doc: "Columns drawn for each member: a number, or a share of all.",
                range: Range::Either(&Range::Int { min: 1, max: i64::MAX }, &SHARE),
            },
            ParamSpec { name: "bootstrap", doc: "Whether rows are drawn with replacement.", range: Range::Bool },
            ParamSpec { name: "bootstrap_features", doc: "Whether columns are drawn with replacement.", range: Range::Bool },
            ParamSpec {
                name: "oob_score",
                doc: "Whether each row is predicted by the members that have not seen it, for an estimate on new rows.",
                range: Range::Bool,
            },
            PREPARE,
        ],
    };

    fn check(&self) -> Result<()> {
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)?;
        if self.oob_score && !self.bootstrap {
            return Err(Error::parameter(
                Self::SPEC.name,
                "oob_score",
                "true",
                "without bootstrap every row is in the bag, so it must be false",
            ));
        }
        self.base.learner().check_any()
    }

    fn set_nested(&mut self, part: &str, params: &Map<String, Value>) -> Result<()> {
        match part {
            "base" => self.base.learner_mut().set_all(params),
            _ => {
                let first = params.keys().next().map_or("", |name| name.as_str());
                let known = Self::SPEC.params.iter().map(|p| p.name);
                Err(Error::unknown("parameter of bagging", &format!("{part}.{first}"), known))
            }
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<BaggingModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let Some(task) = data.y.task() else { return Err(Error::Target("bagging needs one".into())) };
        member::check_task(&Self::SPEC, "base", &self.base, task)?;
        // Here, so that the error names the row of the data and not of a sample.
        check_finite(&data.x, data.schema, &|_| true)?;
        let draws = BagSampler::new(self, data)?;
        let stage = member::with_preparation(&self.base, self.prepare);
        let (mut models, mut columns, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        let total = self.n_estimators as usize;
        let mut late = false;
        while models.len() < total && !late {
            let first = models.len();
            cx.report(Progress { stage: "bagging", done: first as u64, total: Some(total as u64), objective: None })?;
            let part: Vec<Result<_>> = (first..(first + TOGETHER).min(total))
                .into_par_iter()
                .map(|b| {
                    let bag = draws.bag(b, cx.seed);
                    let cols = draws.columns(b, cx.seed);
                    let model = self.train(&stage, data, &bag, cols.as_deref(), b, cx)?;
                    Ok((model, cols, bag))
                })
                .collect();
            for one in part {
                match one {
                    Ok((model, cols, bag)) => {
                        models.push(model);
                        columns.push(cols);
                        counts.push(bag);
                    }
                    Err(Error::Deadline(_)) if !models.is_empty() => late = true,
                    Err(e) => return Err(e),
                }
            }
            late |= cx.deadline_passed();
        }
        let unfinished = models.len() < total;
        let classes = match data.y {
            Target::Class { names, .. } => names.to_vec(),
            _ => Vec::new(),
        };
        let mut certificate = Certificate {
            method: "bagging".into(),
            iterations: models.len() as u64,
            converged: !unfinished && models.iter().all(|m| m.certificate().is_none_or(|c| c.converged)),
            ..Certificate::default()
        };
        if unfinished {
            certificate.notes.push(format!("the time limit passed after {} of {total} members", models.len()));
        }
        let mut model = BaggingModel { task, classes, n_features: data.cols(), stage, models, columns, oob: None, certificate };
        if self.oob_score {
            model.oob = Some(model.out_of_bag(data, &counts)?);
        }
        Ok(model)
    }

    fn load(input: &ModelReader) -> Result<BaggingModel> {
        BaggingModel::load(input)
    }
}

#[cfg(feature = "fit")]
impl Bagging {
    fn train(
        &self,
        stage: &PipelineStep,
        data: &DatasetRef<'_>,
        bag: &[u32],
        columns: Option<&[u32]>,
        b: usize,
        cx: &Context<'_>,
    ) -> Result<Box<dyn Model>> {
        let seed = RngStream::new(cx.seed, "bagging member", b as u64).next_u64();
        let cx = Context { seed, validation: None, ..*cx };
        let selected = columns.map(|c| columns::take(&data.x, c)).transpose()?;
        let schema = columns.map(|c| columns::schema(&data.schema_or_unnamed(), c));
        let mut rows = *data;
        if let Some(x) = &selected {
            rows = DatasetRef { x: x.view(), schema: schema.as_ref(), ..rows };
        }
        let learner = stage.learner();
        if learner.spec().accepts.weights {
            let weight: Vec<f64> = bag.iter().enumerate().map(|(i, &c)| f64::from(c) * data.weight_of(i)).collect();
            return learner.fit_any(&rows.with_weight(Some(&weight)), &cx);
        }
        let drawn: Vec<usize> = bag.iter().enumerate().flat_map(|(i, &c)| std::iter::repeat_n(i, c as usize)).collect();
        let mut sample: OwnedDataset = rows.take_rows(&drawn);
        sample.weight = None;
        learner.fit_any(&sample.view(), &cx)
    }
}

/// The sample of each member.
struct BagSampler {
    rows: usize,
    cols: usize,
    kept: Vec<usize>,
    samples: usize,
    features: usize,
    bootstrap: bool,
    bootstrap_features: bool,
    /// Sampling weights of the rows, for a base learner without weights.
    odds: Option<Vec<f64>>,
}

impl BagSampler {
    #[cfg(feature = "fit")]
    fn new(bagging: &Bagging, data: &DatasetRef<'_>) -> Result<Self> {
        let kept = member::rows_with_weight(data);
        let refuse = |name: &str, value: usize, expected: String| Err(Error::parameter("bagging", name, value, expected));
        let samples = bagging.max_samples.map_or(kept.len(), |m| m.of(kept.len()));
        if samples > kept.len() && !bagging.bootstrap {
            return refuse("max_samples", samples, format!("it must be at most the number of rows, {}", kept.len()));
        }
        let features = bagging.max_features.of(data.cols());
        if features > data.cols() {
            return refuse("max_features", features, format!("it must be at most the {} columns there are", data.cols()));
        }
        let odds = match data.weight {
            Some(w) if !bagging.base.learner().spec().accepts.weights => Some(kept.iter().map(|&i| w[i]).collect()),
            _ => None,
        };
        Ok(Self {
            rows: data.rows(),
            cols: data.cols(),
            kept,
            samples,
            features,
            bootstrap: bagging.bootstrap,
            bootstrap_features: bagging.bootstrap_features,
            odds,
        })
    }

    /// The number of draws of each row.
    fn bag(&self, b: usize, seed: u64) -> Vec<u32> {
        let mut s = RngStream::new(seed, "bagging rows", b as u64);
        let mut counts = vec![0u32; self.rows];
        if self.bootstrap {
            // Cumulative weights, so that a draw is a binary search.
            let sums: Option<Vec<f64>> = self.odds.as_ref().map(|odds| {
                odds.iter()
                    .scan(0.0, |sum, w| {
                        *sum += w;
                        Some(*sum)
                    })
                    .collect()
            });
            for _ in 0..self.samples {
                let at = match &sums {
                    Some(sums) => {
                        let u = s.uniform() * sums[sums.len() - 1];
                        sums.partition_point(|&v| v <= u).min(sums.len() - 1)
                    }
                    None => s.below(self.kept.len()),
                };
                counts[self.kept[at]] += 1;
            }
        } else {
            s.permutation(self.kept.len()).into_iter().take(self.samples).for_each(|k| counts[self.kept[k]] = 1);
        }
        counts
    }

    /// The columns of a member; `None` for all in their order.
    fn columns(&self, b: usize, seed: u64) -> Option<Vec<u32>> {
        if self.features == self.cols && !self.bootstrap_features {
            return None;
        }
        let mut s = RngStream::new(seed, "bagging columns", b as u64);
        let mut out: Vec<u32> = match self.bootstrap_features {
            true => (0..self.features).map(|_| s.below(self.cols) as u32).collect(),
            false => s.permutation(self.cols).into_iter().take(self.features).map(|j| j as u32).collect(),
        };
        out.sort_unstable();
        Some(out)
    }
}

/// Out-of-bag predictions.
#[derive(Debug, Clone)]
struct OutOfBag {
    /// Accuracy or R² over the rows with an out-of-bag prediction.
    score: f64,
    /// Probabilities or predictions; NaN for a row that every member was trained on.
    predictions: Mat<f64>,
}

/// A fitted bagging ensemble.
pub struct BaggingModel {
    task: Task,
    classes: Vec<String>,
    n_features: usize,
    stage: PipelineStep,
    models: Vec<Box<dyn Model>>,
    /// The columns of each member, `None` for all.
    columns: Vec<Option<Vec<u32>>>,
    oob: Option<OutOfBag>,
    certificate: Certificate,
}

impl BaggingModel {
    /// The trained members.
    pub fn members(&self) -> &[Box<dyn Model>] {
        &self.models
    }

    /// The out-of-bag estimate of accuracy or R², if it was asked for.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob.as_ref().map(|o| o.score)
    }

    fn of_member(&self, b: usize, x: &Features<'_>) -> Result<Mat<f64>> {
        let selected = self.columns[b].as_ref().map(|c| columns::take(x, c)).transpose()?;
        let x = selected.as_ref().map_or(*x, |x| x.view());
        match (self.models[b].as_classifier(), self.models[b].as_regressor()) {
            (Some(c), _) if self.task == Task::Classification => c.proba(&x),
            (_, Some(r)) => r.predict(&x),
            _ => Err(Error::Model(format!("member {b} does not do {}", self.task))),
        }
    }

    fn average(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features)?;
        let mut sum: Option<Mat<f64>> = None;
        for b in 0..self.models.len() {
            let part = self.of_member(b, x)?;
            match &mut sum {
                Some(sum) => sum.as_mut_slice().iter_mut().zip(part.as_slice()).for_each(|(s, p)| *s += p),
                None => sum = Some(part),
            }
        }
        let mut out = sum.unwrap_or_default();
        let count = self.models.len() as f64;
        out.as_mut_slice().iter_mut().for_each(|v| *v /= count);
        Ok(out)
    }

    fn out_of_bag(&self, data: &DatasetRef<'_>, counts: &[Vec<u32>]) -> Result<OutOfBag> {
        let n = data.rows();
        let mut sums: Option<Mat<f64>> = None;
        let mut voices = vec![0u32; n];
        for (b, bag) in counts.iter().enumerate() {
            let unseen: Vec<usize> = (0..n).filter(|&i| bag[i] == 0).collect();
            if unseen.is_empty() {
                continue;
            }
            let predictions = self.of_member(b, &data.x.take_rows(&unseen).view())?;
            let sums = sums.get_or_insert_with(|| Mat::zeros(n, predictions.cols()));
            for (k, &i) in unseen.iter().enumerate() {
                voices[i] += 1;
                sums.row_mut(i).iter_mut().zip(predictions.row(k)).for_each(|(s, v)| *s += v);
            }
        }
        let width = if self.task == Task::Classification { self.classes.len() } else { data.y.n_targets() };
        let mut means = sums.unwrap_or_else(|| Mat::zeros(n, width));
        for i in 0..n {
            let count = if voices[i] > 0 { f64::from(voices[i]) } else { f64::NAN };
            means.row_mut(i).iter_mut().for_each(|v| *v /= count);
        }
        let rows: Vec<usize> = (0..n).filter(|&i| voices[i] > 0 && data.weight_of(i) > 0.0).collect();
        if rows.is_empty() {
            return Err(Error::Data("every row was drawn for every member, so none is out of bag; use more members".into()));
        }
        let total: f64 = rows.iter().map(|&i| data.weight_of(i)).sum();
        let score = match data.y.take_rows(&rows) {
            OwnedTarget::Class { codes, .. } => {
                let best = argmax_rows(means.view());
                rows.iter().zip(&codes).filter(|(i, c)| best[**i] == **c).map(|(&i, _)| data.weight_of(i)).sum::<f64>() / total
            }
            _ => {
                let y = data.y.reals()?;
                let mut scores = 0.0;
                for t in 0..y.cols() {
                    let mean = rows.iter().map(|&i| data.weight_of(i) * y.at(i, t)).sum::<f64>() / total;
                    let of = |f: &dyn Fn(usize) -> f64| rows.iter().map(|&i| data.weight_of(i) * f(i).powi(2)).sum::<f64>();
                    let (rest, spread) = (of(&|i| y.at(i, t) - means[(i, t)]), of(&|i| y.at(i, t) - mean));
                    scores += if spread > 0.0 {
                        1.0 - rest / spread
                    } else if rest > 0.0 {
                        0.0
                    } else {
                        1.0
                    };
                }
                scores / y.cols() as f64
            }
        };
        Ok(OutOfBag { score, predictions: means })
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let task: Task = input.field("task")?;
        let classes: Vec<String> = input.field("classes")?;
        let n_features: usize = input.field("n_features")?;
        let columns: Vec<Option<Vec<u32>>> = input.field("columns")?;
        if columns.is_empty() || !task.is_supervised() {
            return Err(Error::Model(format!("{} members for {task}", columns.len())));
        }
        let (mut stages, models) = member::load(input, columns.len())?;
        member::check_models(&models, task, &classes)?;
        let targets = |m: &dyn Model| m.as_regressor().map_or(0, |r| r.n_targets());
        for (b, (model, columns)) in models.iter().zip(&columns).enumerate() {
            let width = columns.as_ref().map_or(n_features, Vec::len);
            let inside = columns.as_ref().is_none_or(|c| c.iter().all(|&j| (j as usize) < n_features));
            if model.n_features() != width || !inside || targets(&**model) != targets(&*models[0]) {
                return Err(Error::Model(format!("member {b} does not fit the {n_features} columns")));
            }
        }
        let oob = match input.field::<Option<f64>>("oob_score")? {
            Some(score) => Some(OutOfBag { score, predictions: input.mat("oob_said")? }),
            None => None,
        };
        let (Some(stage), true) = (stages.pop(), stages.is_empty()) else {
            return Err(Error::Model("bagging has one learner".into()));
        };
        Ok(Self { task, classes, n_features, stage, models, columns, oob, certificate: input.field("certificate")? })
    }
}

ermine_core::display_as_report!(BaggingModel);

impl Model for BaggingModel {
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
    fn report(&self, _schema: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("The average of {} members: {}.", self.models.len(), member::name(&self.stage)));
        if let Some(oob) = &self.oob {
            let what = if self.task == Task::Classification { "accuracy" } else { "R²" };
            let lost = (0..oob.predictions.rows()).filter(|&i| oob.predictions.row(i).iter().any(|v| v.is_nan())).count();
            report.text(format!("Out-of-bag {what}: {:.4} ({lost} rows were in every bag).", oob.score));
        }
        report
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("task", &self.task)?;
        out.field("classes", &self.classes)?;
        out.field("n_features", &self.n_features)?;
        out.field("columns", &self.columns)?;
        out.field("certificate", &self.certificate)?;
        out.field("oob_score", &self.oob.as_ref().map(|o| o.score))?;
        if let Some(oob) = &self.oob {
            out.mat("oob_said", &oob.predictions);
        }
        member::save(out, std::slice::from_ref(&self.stage), &self.models)
    }
}

impl Regressor for BaggingModel {
    fn n_targets(&self) -> usize {
        self.models.first().and_then(|m| m.as_regressor()).map_or(1, |r| r.n_targets())
    }
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.average(x)
    }
}

impl Classifier for BaggingModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }
    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.average(x)
    }
}
