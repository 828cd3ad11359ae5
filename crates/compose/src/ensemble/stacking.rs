//! Stacking: a learner that learns how to combine the predictions of others.

use ermine_core::blocks::check_finite;
use ermine_core::splits::stratified_k_fold;
use ermine_core::{
    Accepts, Cell, Certificate, Classifier, Column, Context, DatasetRef, Error, Family, Features, Field, Learner, Mat, Model,
    ModelReader, ModelWriter, OwnedFeatures, ParamSpec, Progress, Range, Regressor, Report, Result, RngStream, Schema, Spec,
    Table, Target, Task,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::member;
#[cfg(feature = "fit")]
use super::member::{Members, PREPARE};
#[cfg(feature = "fit")]
use super::voting::{ESTIMATORS, FOR_CLASSES, FOR_NUMBERS};
use crate::pipeline::PipelineStep;

/// Learners whose predictions are the columns of a final learner.
///
/// # What it computes
/// The rows are cut into folds; each member predicts every fold from the others. The final learner trains on these
/// predictions (class probabilities, of two classes those of the second; numbers), since predictions on a member's own
/// training rows would be too good. Then the members are fitted once more to all rows.
///
/// # When to use it
/// For good learners with different errors, when there are enough rows to learn their weights.
///
/// # Example
/// ```
/// let mut stacking = ermine_compose::learner("stacking")?;
/// stacking.set("estimators", "tree,ridge".into())?;
/// stacking.set("final_estimator", "ols".into())?;
/// stacking.set("tree.max_depth", 3.into())?;
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Cost
/// `cv` + 1 fits of each member and one of the final learner, which gets one or a few columns per member.
///
/// # What it does not do
/// It does not train in passes.
///
/// # Reference
/// Wolpert: Stacked generalization, Neural Networks 5, 1992.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("StackingClassifier", "StackingRegressor"))]
pub struct Stacking {
    /// The members.
    pub estimators: Members,
    /// The final learner.
    pub final_estimator: Option<PipelineStep>,
    /// Folds.
    pub cv: u64,
    /// Whether the final learner gets the features too.
    pub passthrough: bool,
    /// Whether members get the default preparation.
    pub prepare: bool,
}

#[cfg(feature = "fit")]
impl Default for Stacking {
    fn default() -> Self {
        Self { estimators: Members::default(), final_estimator: None, cv: 5, passthrough: false, prepare: true }
    }
}

#[cfg(feature = "fit")]
impl Learner for Stacking {
    type Model = StackingModel;

    const SPEC: Spec = Spec {
        name: "stacking",
        summary: "Unlike learners, and a final one that learns from their cross-validated predictions",
        objective: "g(f_1(x), …, f_M(x)), g trained on predictions of each f_m for rows that it had not seen",
        notes: "For good learners that err on different rows. Members are learners of the catalogue: --set \
                estimators=tree,ridge --set tree.max_depth=4 --set final_estimator=ols. Costs cv + 1 fits of each member. It \
                does not train in passes.",
        reference: "Wolpert: Stacked generalization, Neural Networks 5, 1992",
        family: Family::Composite,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: false, multi_target: false },
        params: &[
            ESTIMATORS,
            ParamSpec {
                name: "final_estimator",
                doc: "The learner on top: a name, or {\"learner\": NAME, \"params\": {…}}; null for logistic or ridge. Its \
                      parameters are set as final_estimator.NAME.",
                range: Range::Any,
            },
            ParamSpec { name: "cv", doc: "Folds of the cross-validated predictions.", range: Range::int_from(2) },
            ParamSpec {
                name: "passthrough",
                doc: "Whether the final learner sees the original columns beside the predictions.",
                range: Range::Bool,
            },
            PREPARE,
        ],
    };

    const ROW_ORDER_MATTERS: bool = true;

    fn check(&self) -> Result<()> {
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)?;
        self.estimators.check(&Self::SPEC)?;
        self.final_estimator.as_ref().map_or(Ok(()), |f| f.learner().check_any())
    }

    fn set_nested(&mut self, part: &str, params: &Map<String, Value>) -> Result<()> {
        match (part, &mut self.final_estimator) {
            ("final_estimator", Some(stage)) => stage.learner_mut().set_all(params),
            ("final_estimator", None) => Err(Error::parameter(
                Self::SPEC.name,
                "final_estimator",
                "null",
                "its parameters can be set when it is named, as in final_estimator=logistic",
            )),
            _ => self.estimators.set(&Self::SPEC, part, params),
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<StackingModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let Some(task) = data.y.task() else { return Err(Error::Target("stacking needs one".into())) };
        check_finite(&data.x, data.schema, &|_| true)?;
        let kept = member::rows_with_weight(data);
        let weighted_rows = (kept.len() < data.rows()).then(|| data.take_rows(&kept));
        let data = &weighted_rows.as_ref().map_or(*data, |d| d.view());
        let members = self.estimators.or(task, FOR_CLASSES, FOR_NUMBERS)?;
        let top = match &self.final_estimator {
            Some(stage) => stage.clone(),
            None => PipelineStep::new(crate::learner(if task == Task::Classification { "logistic" } else { "ridge" })?),
        };
        member::check_task(&Self::SPEC, "final_estimator", &top, task)?;
        let folds = stratified_k_fold(&data.y, data.rows(), self.cv as usize, cx.seed)?;
        let total = members.len() as u64 * (self.cv + 1);
        let mut done = 0;
        let (mut stages, mut models, mut predictions) = (Vec::new(), Vec::new(), Vec::new());
        for member in &members {
            member::check_task(&Self::SPEC, &format!("estimators: {}", member.name), &member.stage, task)?;
            let stage = member::with_preparation(&member.stage, self.prepare);
            let mut train = |rows: &DatasetRef<'_>| {
                cx.check(Progress { stage: "stacking", done, total: Some(total), objective: None })?;
                done += 1;
                let seed = RngStream::new(cx.seed, "stacking", done).next_u64();
                stage.learner().fit_any(rows, &Context { seed, validation: None, ..*cx })
            };
            let mut level: Option<Mat<f64>> = None;
            for fold in 0..self.cv as usize {
                let (rows, test) = folds.round(fold);
                let model = train(&data.take_rows(&rows).view())?;
                let part = first_level(&*model, task, &data.x.take_rows(&test).view())?;
                let level = level.get_or_insert_with(|| Mat::zeros(data.rows(), part.cols()));
                for (k, &i) in test.iter().enumerate() {
                    level.row_mut(i).copy_from_slice(part.row(k));
                }
            }
            models.push(train(data)?);
            predictions.extend(level);
            stages.push(stage);
        }
        let names: Vec<String> = members.into_iter().map(|m| m.name).collect();
        let classes = match data.y {
            Target::Class { names, .. } => names.to_vec(),
            _ => Vec::new(),
        };
        let heads = column_names(&names, task, &classes);
        let (z, schema) = level(&predictions, &heads, self.passthrough, &data.x, &data.schema_or_unnamed())?;
        let top = member::with_preparation(&top, self.prepare && self.passthrough);
        let rows = DatasetRef { x: z.view(), schema: Some(&schema), ..*data };
        let last = top.learner().fit_any(&rows, &Context { validation: None, ..*cx })?;
        let certificate = Certificate {
            method: "stacking".into(),
            iterations: done,
            converged: models.iter().chain([&last]).all(|m| m.certificate().is_none_or(|c| c.converged)),
            ..Certificate::default()
        };
        Ok(StackingModel { task, classes, names, stages, models, top, last, passthrough: self.passthrough, certificate })
    }

    fn load(input: &ModelReader) -> Result<StackingModel> {
        StackingModel::load(input)
    }
}

impl StackingModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let task: Task = input.field("task")?;
        let classes: Vec<String> = input.field("classes")?;
        let names: Vec<String> = input.field("names")?;
        let (stages, models) = member::load(input, names.len())?;
        member::check_models(&models, task, &classes)?;
        let top: PipelineStep = input.field("final")?;
        let last = top.load_model(&input.child("final"))?;
        let (passthrough, certificate) = (input.field("passthrough")?, input.field("certificate")?);
        let model = StackingModel { task, classes, names, stages, models, top, last, passthrough, certificate };
        let alike = model.models.iter().all(|m| {
            m.n_features() == model.models[0].n_features()
                && m.as_regressor().is_none_or(|r| task != Task::Regression || r.n_targets() == 1)
        });
        let width = column_names(&model.names, task, &model.classes).len() + if passthrough { model.n_features() } else { 0 };
        let fits = match task {
            Task::Classification => model.last.as_classifier().is_some_and(|c| c.classes() == model.classes),
            _ => model.last.as_regressor().is_some_and(|r| r.n_targets() == 1),
        };
        if model.names.is_empty()
            || !alike
            || !fits
            || model.last.n_features() != width
            || !task.is_supervised()
            || model.stages.len() != model.models.len()
        {
            return Err(Error::Model("the members of a stack do not fit together".into()));
        }
        Ok(model)
    }
}

/// Predictions of a member, as columns for the final learner.
fn first_level(model: &dyn Model, task: Task, x: &Features<'_>) -> Result<Mat<f64>> {
    if task == Task::Regression {
        return model.as_regressor().ok_or_else(lost)?.predict(x);
    }
    let p = model.as_classifier().ok_or_else(lost)?.proba(x)?;
    // Of two classes the second column suffices.
    Ok(if p.cols() == 2 { Mat::from_fn(p.rows(), 1, |i, _| p[(i, 1)]) } else { p })
}

fn lost() -> Error {
    Error::Model("a member of the stack has lost its capability".into())
}

/// Names of the columns of predictions.
fn column_names(names: &[String], task: Task, classes: &[String]) -> Vec<String> {
    let of = |name: &String| match (task, classes.len()) {
        (Task::Classification, n) if n != 2 => classes.iter().map(|c| format!("{name} {c}")).collect(),
        _ => vec![name.clone()],
    };
    names.iter().flat_map(of).collect()
}

fn level(
    predictions: &[Mat<f64>],
    heads: &[String],
    passthrough: bool,
    x: &Features<'_>,
    schema: &Schema,
) -> Result<(OwnedFeatures, Schema)> {
    let starts: Vec<(usize, usize)> =
        predictions.iter().enumerate().flat_map(|(m, s)| (0..s.cols()).map(move |j| (m, j))).collect();
    let z = Mat::from_fn(x.rows(), starts.len(), |i, k| predictions[starts[k].0][(i, starts[k].1)]);
    if !passthrough {
        return Ok((OwnedFeatures::F64(z), Schema::numbers(heads.iter().cloned())));
    }
    let joined = joined(heads, schema);
    let names: Vec<String> = joined.names().take(heads.len()).map(str::to_owned).collect();
    Ok((beside(&z, &names, x)?, joined))
}

/// A fitted stacking ensemble.
pub struct StackingModel {
    task: Task,
    classes: Vec<String>,
    names: Vec<String>,
    stages: Vec<PipelineStep>,
    models: Vec<Box<dyn Model>>,
    top: PipelineStep,
    last: Box<dyn Model>,
    passthrough: bool,
    certificate: Certificate,
}

impl StackingModel {
    /// The trained members.
    pub fn members(&self) -> &[Box<dyn Model>] {
        &self.models
    }

    /// The trained final learner.
    pub fn last(&self) -> &dyn Model {
        &*self.last
    }

    /// The columns that the final learner gets.
    fn meta_features(&self, x: &Features<'_>) -> Result<OwnedFeatures> {
        x.expect_cols(self.n_features())?;
        let predictions = self.models.iter().map(|m| first_level(&**m, self.task, x)).collect::<Result<Vec<_>>>()?;
        let schema = match x {
            Features::Table(t) => t.schema().clone(),
            _ => Schema::unnamed(x.cols()),
        };
        Ok(level(&predictions, &column_names(&self.names, self.task, &self.classes), self.passthrough, x, &schema)?.0)
    }
}

ermine_core::display_as_report!(StackingModel);

impl Model for StackingModel {
    fn n_features(&self) -> usize {
        self.models.first().map_or(0, |m| m.n_features())
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
    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let row = |m: usize| -> Vec<Cell> { vec![self.names[m].as_str().into(), member::name(&self.stages[m]).into()] };
        report.table("Members", &["name", "learner"], (0..self.names.len()).map(row).collect());
        report.text(format!("The final learner, {}, on their predictions:", member::name(&self.top)));
        let heads = column_names(&self.names, self.task, &self.classes);
        let seen = if self.passthrough { joined(&heads, schema) } else { Schema::numbers(heads) };
        report.sections.extend(self.last.report(&seen).sections);
        report
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("task", &self.task)?;
        out.field("classes", &self.classes)?;
        out.field("names", &self.names)?;
        out.field("passthrough", &self.passthrough)?;
        out.field("certificate", &self.certificate)?;
        out.field("final", &self.top)?;
        out.child("final", |w| self.last.save(w))?;
        member::save(out, &self.stages, &self.models)
    }
}

impl Regressor for StackingModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.last.as_regressor().ok_or_else(lost)?.predict(&self.meta_features(x)?.view())
    }
}

impl Classifier for StackingModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }
    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.last.as_classifier().ok_or_else(lost)?.proba(&self.meta_features(x)?.view())
    }
}

/// New number columns in front of the columns of `x`, with their names.
fn beside(z: &Mat<f64>, names: &[String], x: &Features<'_>) -> Result<OwnedFeatures> {
    let rows = z.rows();
    Ok(match x {
        Features::F64(m) => OwnedFeatures::F64(Mat::from_fn(rows, z.cols() + m.cols(), |i, j| {
            if j < z.cols() { z[(i, j)] } else { *m.at(i, j - z.cols()) }
        })),
        Features::F32(m) => OwnedFeatures::F64(Mat::from_fn(rows, z.cols() + m.cols(), |i, j| {
            if j < z.cols() { z[(i, j)] } else { f64::from(*m.at(i, j - z.cols())) }
        })),
        Features::Csr(_) => return Err(Error::Data("stacking does not take sparse rows".into())),
        Features::Table(t) => {
            let rows: Vec<usize> = t.range().collect();
            let mut cells: Vec<Column> = (0..z.cols()).map(|j| Column::numbers(z.view().col_iter(j).collect())).collect();
            cells.extend(t.table().columns().map(|c| c.take_rows(&rows)));
            OwnedFeatures::Table(Table::with_schema(joined(names, t.schema()), cells)?)
        }
    })
}

/// New number columns in front of a schema; duplicate names are changed.
fn joined(names: &[String], schema: &Schema) -> Schema {
    let mut fields: Vec<Field> = Schema::numbers(names.iter().cloned()).fields;
    fields.iter_mut().for_each(|f| {
        while schema.fields.iter().any(|g| g.name == f.name) {
            f.name.push('\'');
        }
    });
    fields.extend(schema.fields.iter().cloned());
    Schema { fields }
}
