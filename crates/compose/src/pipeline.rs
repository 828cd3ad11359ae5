//! Pipelines: transformers and a final learner, as one learner.

mod explain;
mod one_row;

use std::sync::OnceLock;

#[cfg(feature = "fit")]
use ermine_core::{
    Accepts, AnyLearner, ColumnRef, Context, DatasetRef, Family, Learner, ParamSpec, Range, RowSource, Spec, StreamFit, Task,
    TransformedSource, ValueKind,
};
use ermine_core::{
    AdditiveModel, Attributor, Certificate, Classifier, Clusterer, ColumnMeaning, Density, Error, Features, Mat, MatRef, Model,
    ModelReader, ModelWriter, NeighborModel, Regressor, Report, Result, RowFunction, Schema, Section, Trace, Transformer,
};
#[cfg(feature = "fit")]
use ermine_prep::preprocessing::{DropLevel, Prepare};
#[cfg(feature = "fit")]
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
#[cfg(feature = "fit")]
use serde_json::Value;

use self::one_row::PipelineOfRow;
#[cfg(feature = "fit")]
use crate::baseline::Baseline;
#[cfg(feature = "fit")]
use crate::catalogue;
use crate::original_units;
#[cfg(not(feature = "fit"))]
pub use crate::saved_step::PipelineStep;

/// Rows that go through the steps together at prediction; bounds the memory of the prepared copy.
const PREDICT_ROWS: usize = 16_384;

/// Learners may be nested to this depth; a file that nests deeper is an error.
pub(crate) const MAX_DEPTH: usize = 8;

/// One step of a pipeline. Serialized as its name and parameters.
#[cfg(feature = "fit")]
pub struct PipelineStep(Box<dyn AnyLearner>);

#[cfg(feature = "fit")]
impl PipelineStep {
    /// A step from a learner.
    pub fn new(learner: Box<dyn AnyLearner>) -> Self {
        Self(learner)
    }

    /// The learner.
    pub fn learner(&self) -> &dyn AnyLearner {
        &*self.0
    }

    /// The learner, mutable.
    pub fn learner_mut(&mut self) -> &mut dyn AnyLearner {
        &mut *self.0
    }

    /// The name of its learner.
    pub fn name(&self) -> &str {
        self.0.spec().name
    }

    pub(crate) fn param(&self, name: &str) -> Option<Value> {
        self.0.params().get(name).cloned()
    }

    pub(crate) fn load_model(&self, file: &ModelReader) -> Result<Box<dyn Model>> {
        self.0.load_any(file)
    }
}

#[cfg(feature = "fit")]
impl Clone for PipelineStep {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

#[cfg(feature = "fit")]
impl std::fmt::Debug for PipelineStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.0.spec().name, self.0.params())
    }
}

#[cfg(feature = "fit")]
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepSpecRepr {
    learner: String,
    #[serde(default)]
    params: serde_json::Map<String, Value>,
}

/// A name alone is the learner with its defaults.
#[cfg(feature = "fit")]
#[derive(Deserialize)]
#[serde(untagged)]
enum StepRepr {
    Name(String),
    Whole(StepSpecRepr),
}

#[cfg(feature = "fit")]
impl Serialize for PipelineStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let params = self.0.params().as_object().cloned().unwrap_or_default();
        StepSpecRepr { learner: self.0.spec().name.to_owned(), params }.serialize(serializer)
    }
}

#[cfg(feature = "fit")]
impl<'de> Deserialize<'de> for PipelineStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = match StepRepr::deserialize(deserializer)? {
            StepRepr::Name(learner) => StepSpecRepr { learner, params: serde_json::Map::new() },
            StepRepr::Whole(written) => written,
        };
        let mut learner = catalogue::learner(&written.learner).map_err(D::Error::custom)?;
        learner.set_all(&written.params).map_err(D::Error::custom)?;
        Ok(Self(learner))
    }
}

/// Learners in sequence: all but the last transform, the last is fitted to the result.
///
/// # When to use it
/// Whenever data needs preparation: a pipeline fits the preparation to the training rows alone, stores it with the
/// model, and applies it again at prediction.
///
/// # Example
/// ```
/// use ermine_compose::{Pipeline, learner};
/// use ermine_prep::{features::Polynomial, preprocessing::StandardScaler};
///
/// let pipeline = Pipeline::new().then(StandardScaler::default()).then(Polynomial::degree(2));
/// assert_eq!(pipeline.stages().len(), 2);
/// let by_name = Pipeline::from_learners([learner("prepare")?, learner("baseline")?]);
/// assert_eq!(by_name.stages()[0].learner().spec().name, "prepare");
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Cost
/// The sum of its steps, and one prepared copy of the rows in memory; streams are prepared block by block.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "make_pipeline")]
pub struct Pipeline {
    steps: Vec<PipelineStep>,
}

#[cfg(feature = "fit")]
impl Default for Pipeline {
    /// The default preparation in front of the baseline.
    fn default() -> Self {
        Self::new().then(Prepare::default()).then(Baseline::default())
    }
}

#[cfg(feature = "fit")]
impl Pipeline {
    /// A pipeline without steps; [`Pipeline::then`] adds them.
    pub fn new() -> Self {
        Self { steps: Vec::new() }
    }

    /// The pipeline with a further step.
    #[must_use]
    pub fn then(mut self, learner: impl Learner) -> Self {
        self.steps.push(PipelineStep(Box::new(learner)));
        self
    }

    /// A pipeline of learners that are known at run time.
    pub fn from_learners(learners: impl IntoIterator<Item = Box<dyn AnyLearner>>) -> Self {
        Self { steps: learners.into_iter().map(PipelineStep).collect() }
    }

    /// The learners, in order.
    pub fn stages(&self) -> &[PipelineStep] {
        &self.steps
    }

    fn as_parts(&self) -> Result<(&PipelineStep, &[PipelineStep])> {
        self.steps.split_last().ok_or_else(|| Error::parameter(Self::SPEC.name, "steps", "[]", "it must have at least one step"))
    }
}

#[cfg(feature = "fit")]
impl Learner for Pipeline {
    type Model = PipelineModel;

    const SPEC: Spec = Spec {
        name: "pipeline",
        summary: "Preparations and a learner, as one learner",
        objective: "that of its last step, on the columns its other steps make",
        notes: "All steps but the last must transform. The preparation is fitted to the training rows and stored with the model.",
        reference: "",
        family: Family::Composite,
        tasks: &[Task::Regression, Task::Classification, Task::Clustering, Task::Reduction, Task::Density, Task::Preparation],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: true, multi_target: true },
        params: &[ParamSpec {
            name: "steps",
            doc: "The learners in order, each with its name and parameters: [{\"learner\": \"prepare\"}, {\"learner\": \"ridge\", \"params\": {\"alpha\": 2}}].",
            range: Range::List(&Range::Any),
        }],
    };

    const STREAM: Option<StreamFit<Self>> = Some(fit_source);

    fn check(&self) -> Result<()> {
        let (last, front) = self.as_parts()?;
        self.steps.iter().try_for_each(|s| s.0.check_any())?;
        if front.is_empty() {
            return Ok(());
        }
        for column in last.0.raw_columns_any() {
            if let ColumnRef::Index(at) = column {
                return Err(Error::Data(format!(
                    "{} speaks of column number {at}, and the steps before it may move the columns; give its name",
                    last.0.spec().name
                )));
            }
        }
        Ok(())
    }

    fn raw_columns(&self) -> Vec<ColumnRef> {
        self.steps.last().map_or_else(Vec::new, |s| s.0.raw_columns_any())
    }

    fn as_pipeline(&self) -> Option<(Box<dyn AnyLearner>, Box<dyn AnyLearner>)> {
        self.check().ok()?;
        let (last, front) = self.as_parts().ok()?;
        let front = match front {
            [] => return None,
            [one] => one.0.boxed(),
            many => Box::new(Self { steps: many.to_vec() }),
        };
        Some((front, last.0.boxed()))
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PipelineModel> {
        self.check()?;
        let (last, front) = self.as_parts()?;
        let mut models: Vec<Box<dyn Model>> = Vec::with_capacity(self.steps.len());
        let mut prepared: Option<(Mat<f64>, Schema)> = None;
        let mut prepared_validation: Option<Mat<f64>> = None;
        for stage in front {
            let rows = current_view(data, prepared.as_ref());
            let model = stage.0.fit_any(&rows, &cx.without_checkpoints())?;
            let transformer = transformer_of(&*model, stage)?;
            let schema = transformer.schema_out(&rows.schema_or_unnamed());
            let z = transformer.transform(&rows.x)?;
            if let Some(v) = cx.validation {
                let x = prepared_validation.as_ref().map_or(v.x, |m| Features::F64(m.view()));
                prepared_validation = Some(transformer.transform(&x)?);
            }
            prepared = Some((z, schema));
            models.push(model);
        }
        let rows = current_view(data, prepared.as_ref());
        let validation = match (cx.validation, &prepared_validation) {
            (Some(v), Some(x)) => Some(DatasetRef { x: Features::F64(x.view()), schema: rows.schema, ..*v }),
            (v, _) => v.copied(),
        };
        let inner = Context { validation: validation.as_ref(), ..cx.without_checkpoints() };
        models.push(last.0.fit_any(&rows, &inner)?);
        PipelineModel::new(self.steps.clone(), models)
    }

    fn load(input: &ModelReader) -> Result<PipelineModel> {
        PipelineModel::load(input)
    }
}

impl PipelineModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        if input.depth() > MAX_DEPTH {
            return Err(Error::Model(format!("pipelines nest deeper than {MAX_DEPTH}")));
        }
        let steps: Vec<PipelineStep> = input.field("steps")?;
        let load = |(i, stage): (usize, &PipelineStep)| stage.load_model(&input.child(&i.to_string()));
        let models = steps.iter().enumerate().map(load).collect::<Result<Vec<_>>>()?;
        PipelineModel::new(steps, models)
    }
}

/// The rows after the steps so far.
#[cfg(feature = "fit")]
fn current_view<'a>(data: &DatasetRef<'a>, held: Option<&'a (Mat<f64>, Schema)>) -> DatasetRef<'a> {
    match held {
        Some((z, schema)) => DatasetRef { x: Features::F64(z.view()), schema: Some(schema), ..*data },
        None => *data,
    }
}

fn transformer_of<'m>(model: &'m dyn Model, stage: &PipelineStep) -> Result<&'m dyn Transformer> {
    model
        .as_transformer()
        .ok_or_else(|| Error::Data(format!("{} does not transform, so it can only be the last step", stage.name())))
}

#[cfg(feature = "fit")]
fn fit_source(pipeline: &Pipeline, source: &dyn RowSource, cx: &Context<'_>) -> Result<PipelineModel> {
    // Recursive, since each source borrows the one before it.
    fn fit_remaining(
        stages: &[PipelineStep],
        source: &dyn RowSource,
        cx: &Context<'_>,
        models: &mut Vec<Box<dyn Model>>,
    ) -> Result<()> {
        let Some((stage, after)) = stages.split_first() else { return Ok(()) };
        let model = stage.0.fit_source(source, &cx.without_checkpoints())?;
        if !after.is_empty() {
            transformer_of(&*model, stage)?;
            fit_remaining(after, &TransformedSource::new(source, &*model)?, cx, models)?;
        }
        models.push(model);
        Ok(())
    }
    pipeline.check()?;
    let mut models = Vec::new();
    fit_remaining(&pipeline.steps, source, cx, &mut models)?;
    models.reverse();
    PipelineModel::new(pipeline.steps.clone(), models)
}

/// The default preparation in front of `learner`, so that it takes any table: categories, dates, missing cells.
/// Learners that take all of these themselves, preparations and pipelines are returned unchanged. Columns that the
/// learner refers to by name are not transformed.
#[cfg(feature = "fit")]
pub fn prepared(learner: Box<dyn AnyLearner>) -> Box<dyn AnyLearner> {
    let spec = learner.spec();
    let native = spec.accepts.categorical && spec.accepts.missing;
    if native || matches!(spec.family, Family::Preparation | Family::Composite) {
        return learner;
    }
    let named = |column| if let ColumnRef::Name(name) = column { Some(name) } else { None };
    let keep = learner.raw_columns_any().into_iter().filter_map(named).collect();
    let drop = gives_standard_errors(&*learner).then_some(DropLevel::First);
    // Counts are used unscaled, and none is below 0.
    let standardize = learner.value_kind() != ValueKind::Counts;
    let prepare = Prepare { keep, drop, standardize, ..Prepare::default() };
    Box::new(Pipeline::from_learners([Box::new(prepare) as Box<dyn AnyLearner>, learner]))
}

/// Whether a learner gives standard errors when its columns are linearly independent: the linear models without
/// penalty. The first category of a column is then left out, since all of its indicator columns sum to the constant.
#[cfg(feature = "fit")]
fn gives_standard_errors(learner: &dyn AnyLearner) -> bool {
    let params = learner.params();
    let none = |name: &str| params.get(name).is_some_and(|v| v.is_null() || v == "none");
    match learner.spec().name {
        "ols" | "glm" => true,
        "logistic" => none("penalty") || none("C"),
        _ => false,
    }
}

/// A trained pipeline.
pub struct PipelineModel {
    steps: Vec<PipelineStep>,
    front: Vec<Box<dyn Model>>,
    last: Box<dyn Model>,
    /// The short way for single rows of numbers, made when it is first asked for; none where a step has none.
    of_row: OnceLock<Option<Box<dyn RowFunction>>>,
}

impl PipelineModel {
    /// Checks that the steps fit together, so that prediction need not.
    fn new(steps: Vec<PipelineStep>, mut models: Vec<Box<dyn Model>>) -> Result<Self> {
        let (Some(last), true) = (models.pop(), steps.len() == models.len() + 1) else {
            return Err(Error::Model("a pipeline needs a model for each of its steps".into()));
        };
        for (model, stage) in models.iter().zip(&steps) {
            transformer_of(&**model, stage)?;
        }
        Ok(Self { steps, front: models, last, of_row: OnceLock::new() })
    }

    /// The learners, in order.
    pub fn stages(&self) -> &[PipelineStep] {
        &self.steps
    }

    /// The trained preparations, in order.
    pub fn preparations(&self) -> &[Box<dyn Model>] {
        &self.front
    }

    /// The fitted last step.
    pub fn last(&self) -> &dyn Model {
        &*self.last
    }

    fn prepare(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let mut prepared: Option<Mat<f64>> = None;
        for (model, stage) in self.front.iter().zip(&self.steps) {
            let z = transformer_of(&**model, stage)?.transform(&prepared.as_ref().map_or(*x, |m| Features::F64(m.view())))?;
            prepared = Some(z);
        }
        Ok(prepared)
    }

    /// Calls `f` on the prepared rows, run by run. Errors name the row of `x`, not of the run.
    fn in_row_blocks(&self, x: &Features<'_>, mut f: impl FnMut(&Features<'_>) -> Result<()>) -> Result<()> {
        x.expect_cols(self.n_features())?;
        let mut first = 0;
        while first < x.rows() || first == 0 {
            let end = (first + PREDICT_ROWS).min(x.rows());
            let run = x.row_range(first..end);
            let prepared = self.prepare(&run);
            let applied = prepared.and_then(|held| f(&held.as_ref().map_or(run, |m| Features::F64(m.view()))));
            applied.map_err(|e| e.with_row(|row| row + first))?;
            if end == x.rows() {
                break;
            }
            first = end;
        }
        Ok(())
    }

    fn collect_row_blocks(&self, x: &Features<'_>, mut f: impl FnMut(&Features<'_>) -> Result<Mat<f64>>) -> Result<Mat<f64>> {
        let mut out: Option<Mat<f64>> = None;
        self.in_row_blocks(x, |run| {
            let part = f(run)?;
            match &mut out {
                Some(all) => all.append_rows(part),
                None => out = Some(part),
            }
            Ok(())
        })?;
        Ok(out.unwrap_or_default())
    }

    /// For each column of the last step the one column it was made of; `None` where a step mixes columns.
    fn sources_before_last(&self) -> Option<Vec<usize>> {
        let mut sources: Vec<usize> = (0..self.n_features()).collect();
        for model in &self.front {
            sources = model.as_transformer()?.source_columns()?.into_iter().map(|j| sources[j]).collect();
        }
        Some(sources)
    }

    fn schema_before_last(&self, schema: &Schema) -> Schema {
        self.front.iter().fold(schema.clone(), |s, m| m.as_transformer().map_or(s.clone(), |t| t.schema_out(&s)))
    }
}

const LOST_CAPABILITY: &str = "the last step has lost a capability it had";

ermine_core::display_as_report!(PipelineModel);

impl Model for PipelineModel {
    fn n_features(&self) -> usize {
        self.front.first().unwrap_or(&self.last).n_features()
    }
    fn as_regressor(&self) -> Option<&dyn Regressor> {
        self.last.as_regressor().map(|_| self as _)
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        self.last.as_classifier().map(|_| self as _)
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        self.last.as_transformer().map(|_| self as _)
    }
    fn as_clusterer(&self) -> Option<&dyn Clusterer> {
        self.last.as_clusterer().map(|_| self as _)
    }
    fn as_density(&self) -> Option<&dyn Density> {
        self.last.as_density().map(|_| self as _)
    }
    // The parts of prepared columns are not those of the original columns.
    fn as_attributor(&self) -> Option<&dyn Attributor> {
        if self.front.is_empty() { self.last.as_attributor() } else { None }
    }
    fn as_additive(&self) -> Option<&dyn AdditiveModel> {
        self.last.as_additive().and(self.sources_before_last()).map(|_| self as _)
    }
    fn as_neighbor_model(&self) -> Option<&dyn NeighborModel> {
        self.last.as_neighbor_model().map(|_| self as _)
    }
    fn certificate(&self) -> Option<&Certificate> {
        self.last.certificate()
    }
    fn trace(&self) -> Option<&Trace> {
        self.last.trace()
    }
    fn report(&self, schema: &Schema) -> Report {
        let mut out = Report::default();
        let mut preparations = Vec::new();
        let mut seen = schema.clone();
        for model in &self.front {
            preparations.extend(model.report(&seen).sections);
            if let Some(t) = model.as_transformer() {
                seen = t.schema_out(&seen);
            }
        }
        let units = match &self.front[..] {
            [one] => one.as_transformer().and_then(|t| t.affine_units()),
            _ => None,
        };
        let sections = self.last.report(&seen).sections;
        if !self.front.is_empty() && sections.iter().any(original_units::has_coefficients) {
            out.text("Coefficients are those of the prepared columns; the preparation is described below.");
        }
        let mut inexact = false;
        for section in sections {
            inexact |= matches!(&section, Section::Table { meanings, .. } if meanings.contains(&ColumnMeaning::Width));
            let original = units.as_ref().and_then(|u| original_units::original_units(&section, &seen, u));
            out.sections.push(section);
            out.sections.extend(original);
        }
        if inexact && units.is_some() {
            out.text(
                "The error of the intercept in the original units depends on the covariances of all coefficients, and is left out; \
                 --prepare none fits the columns as they are.",
            );
        }
        out.sections.extend(preparations);
        out
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("steps", &self.steps)?;
        for (i, model) in self.front.iter().chain([&self.last]).enumerate() {
            out.child(&i.to_string(), |w| model.save(w))?;
        }
        Ok(())
    }
}

impl Regressor for PipelineModel {
    fn n_targets(&self) -> usize {
        self.last.as_regressor().map_or(1, |r| r.n_targets())
    }
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        if self.last.as_classifier().is_none()
            && let Some(few) = self.few_rows(x)
        {
            return Ok(few);
        }
        self.collect_row_blocks(x, |run| self.last.as_regressor().expect(LOST_CAPABILITY).predict(run))
    }
    fn unit_deviance(&self, target: f64, predicted: f64) -> f64 {
        self.last.as_regressor().expect(LOST_CAPABILITY).unit_deviance(target, predicted)
    }
    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        PipelineOfRow::new(self, schema, |last, columns| last.as_regressor()?.by_row(columns)).map(|f| Box::new(f) as _)
    }
}

impl Classifier for PipelineModel {
    fn classes(&self) -> &[String] {
        self.last.as_classifier().map_or(&[], |c| c.classes())
    }
    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        PipelineOfRow::new(self, schema, |last, columns| last.as_classifier()?.by_row(columns)).map(|f| Box::new(f) as _)
    }
    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        if let Some(few) = self.few_rows(x) {
            return Ok(few);
        }
        self.collect_row_blocks(x, |run| self.last.as_classifier().expect(LOST_CAPABILITY).proba(run))
    }
    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.collect_row_blocks(x, |run| self.last.as_classifier().expect(LOST_CAPABILITY).log_proba(run))
    }
    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let scores =
            |run: &Features<'_>| Ok(self.last.as_classifier().expect(LOST_CAPABILITY).decision(run)?.unwrap_or_default());
        let out = self.collect_row_blocks(x, scores)?;
        // A classifier has at least one column of scores, or none at all.
        Ok((out.cols() > 0).then_some(out))
    }
    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        if let Some(few) = self.classes_of_few_rows(x) {
            return Ok(few);
        }
        let mut out = Vec::with_capacity(x.rows());
        self.in_row_blocks(x, |run| {
            out.extend(self.last.as_classifier().expect(LOST_CAPABILITY).classify(run)?);
            Ok(())
        })?;
        Ok(out)
    }
    fn proba_and_class(&self, x: &Features<'_>) -> Result<(Mat<f64>, Vec<u32>)> {
        let mut classes = Vec::with_capacity(x.rows());
        let proba = self.collect_row_blocks(x, |run| {
            let (proba, of_run) = self.last.as_classifier().expect(LOST_CAPABILITY).proba_and_class(run)?;
            classes.extend(of_run);
            Ok(proba)
        })?;
        Ok((proba, classes))
    }
}

impl Transformer for PipelineModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.collect_row_blocks(x, |run| self.last.as_transformer().expect(LOST_CAPABILITY).transform(run))
    }
    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        PipelineOfRow::new(self, schema, |last, columns| last.as_transformer()?.by_row(columns)).map(|f| Box::new(f) as _)
    }
    fn schema_out(&self, input: &Schema) -> Schema {
        let before = self.schema_before_last(input);
        self.last.as_transformer().map_or(before.clone(), |t| t.schema_out(&before))
    }
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        let mut columns = z.to_owned();
        for model in std::iter::once(&self.last).chain(self.front.iter().rev()) {
            match model.as_transformer().map(|t| t.inverse(columns.view())).transpose()?.flatten() {
                Some(x) => columns = x,
                None => return Ok(None),
            }
        }
        Ok(Some(columns))
    }
}

impl Clusterer for PipelineModel {
    fn n_clusters(&self) -> usize {
        self.last.as_clusterer().map_or(0, |c| c.n_clusters())
    }
    fn assign(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        let mut out = Vec::with_capacity(x.rows());
        self.in_row_blocks(x, |run| {
            out.extend(self.last.as_clusterer().expect(LOST_CAPABILITY).assign(run)?);
            Ok(())
        })?;
        Ok(out)
    }
    fn posterior(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let posterior =
            |run: &Features<'_>| Ok(self.last.as_clusterer().expect(LOST_CAPABILITY).posterior(run)?.unwrap_or_default());
        let out = self.collect_row_blocks(x, posterior)?;
        // A clusterer has at least one cluster, or no probabilities at all.
        Ok((out.cols() > 0).then_some(out))
    }
    fn metric_space(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        x.expect_cols(self.n_features())?;
        let Some(clusterer) = self.last.as_clusterer() else { return Ok(None) };
        match self.prepare(x)? {
            Some(z) => Ok(Some(clusterer.metric_space(&Features::F64(z.view()))?.unwrap_or(z))),
            None => clusterer.metric_space(x),
        }
    }
}

impl Density for PipelineModel {
    /// The density of the original columns, where the preparation is affine: dividing a column by its scale multiplies
    /// the density by it. Else that of the prepared columns.
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        let units = |m: &dyn Model| m.as_transformer().and_then(|t| t.affine_units());
        let scales = self.front.iter().map(|m| units(&**m).map(|u| u.iter().map(|(_, s)| s.abs().ln()).sum::<f64>()));
        let volume = scales.sum::<Option<f64>>().filter(|v| v.is_finite()).unwrap_or(0.0);
        let mut out = Vec::with_capacity(x.rows());
        self.in_row_blocks(x, |run| {
            out.extend(self.last.as_density().expect(LOST_CAPABILITY).log_density(run)?.into_iter().map(|l| l - volume));
            Ok(())
        })?;
        Ok(out)
    }
    fn n_parameters(&self) -> usize {
        self.last.as_density().map_or(0, |d| d.n_parameters())
    }
    // Prepared columns are sampled; they are returned only where the inverse transform is known.
    fn sample(&self, rows: usize, seed: u64) -> Result<Option<Mat<f64>>> {
        let Some(mut held) = self.last.as_density().map(|d| d.sample(rows, seed)).transpose()?.flatten() else { return Ok(None) };
        for model in self.front.iter().rev() {
            match model.as_transformer().map(|t| t.inverse(held.view())).transpose()?.flatten() {
                Some(x) => held = x,
                None => return Ok(None),
            }
        }
        Ok(Some(held))
    }
}
