//! Voting: different learners on the same rows, combined by averaging or majority vote.

use ermine_core::{
    Accepts, AnyLearner, Cell, Certificate, Classifier, Context, DatasetRef, Error, Family, Features, Learner, Mat, Model,
    ModelReader, ModelWriter, ParamSpec, Progress, Range, Regressor, Report, Result, RngStream, Schema, Spec, Target, Task,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::member;
#[cfg(feature = "fit")]
use super::member::{Member, Members, PREPARE};
use crate::pipeline::PipelineStep;

/// Members for classes when none are named: a linear model, a density of each class, a tree.
#[cfg(feature = "fit")]
pub(super) const FOR_CLASSES: &[&str] = &["logistic", "gaussian-nb", "tree"];
/// Members for numbers when none are named.
#[cfg(feature = "fit")]
pub(super) const FOR_NUMBERS: &[&str] = &["ridge", "tree"];

#[cfg(feature = "fit")]
pub(super) const ESTIMATORS: ParamSpec = ParamSpec {
    name: "estimators",
    doc: "The learners: names of the catalogue with commas between them, or a list of {\"name\": …, \"learner\": …, \
          \"params\": {…}}; null for logistic, gaussian-nb and tree, or ridge and tree. Parameters of a member are set as \
          NAME.PARAMETER, such as tree.max_depth.",
    range: Range::Any,
};

/// Different learners on the same rows, combined by a vote.
///
/// # What it computes
/// Numbers: `sum_m w_m f_m(x) / sum_m w_m`. Classes, soft: the same average of the probabilities. Classes, hard: the
/// share of the members' weight that votes for each class.
///
/// # When to use it
/// For good learners with different errors. Weights say how much each counts; [`super::Stacking`] learns them.
///
/// # Example
/// ```
/// let mut voting = ermine_compose::learner("voting")?;
/// voting.set("estimators", "tree,logistic".into())?;
/// voting.set("tree.max_depth", 3.into())?;
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Cost
/// The sum of the fits of the members.
///
/// # What it does not do
/// It does not train in passes.
///
/// # Reference
/// Kittler, Hatef, Duin, Matas: On combining classifiers, IEEE PAMI 20, 1998.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Voting {
    /// The members.
    pub estimators: Members,
    /// "soft" or "hard".
    pub voting: String,
    /// One weight per member.
    pub weights: Option<Vec<f64>>,
    /// Whether members get the default preparation.
    pub prepare: bool,
}

#[cfg(feature = "fit")]
impl Default for Voting {
    fn default() -> Self {
        Self { estimators: Members::default(), voting: "soft".into(), weights: None, prepare: true }
    }
}

#[cfg(feature = "fit")]
impl Learner for Voting {
    type Model = VotingModel;

    const SPEC: Spec = Spec {
        name: "voting",
        summary: "Unlike learners on the same rows, combined by averages or by votes",
        objective: "f(x) = sum_m w_m f_m(x) / sum_m w_m, f_m predictions or class probabilities (soft), or 1 for the class \
                    that member m predicts (hard)",
        notes: "For good learners that err on different rows. Members are learners of the catalogue: --set \
                estimators=tree,logistic --set tree.max_depth=4. Costs the sum of their fits. It does not train in passes.",
        reference: "Kittler, Hatef, Duin, Matas: On combining classifiers, IEEE PAMI 20, 1998",
        family: Family::Composite,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: false, multi_target: false },
        params: &[
            ESTIMATORS,
            ParamSpec {
                name: "voting",
                doc: "soft averages class probabilities; hard counts the classes that the members predict.",
                range: Range::Choice(&["soft", "hard"]),
            },
            ParamSpec {
                name: "weights",
                doc: "A weight for each member, in order; null for equal weights.",
                range: Range::Optional(&Range::List(&Range::at_least(0.0))),
            },
            PREPARE,
        ],
    };

    fn check(&self) -> Result<()> {
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)?;
        self.estimators.check(&Self::SPEC)?;
        if self.weights.as_ref().is_some_and(|w| w.iter().sum::<f64>() <= 0.0 || !w.iter().all(|w| w.is_finite())) {
            return Err(Error::parameter(Self::SPEC.name, "weights", &params["weights"], "they must be finite and not all 0"));
        }
        Ok(())
    }

    fn set_nested(&mut self, part: &str, params: &Map<String, Value>) -> Result<()> {
        self.estimators.set(&Self::SPEC, part, params)
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<VotingModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let Some(task) = data.y.task() else { return Err(Error::Target("voting needs one".into())) };
        let members = self.estimators.or(task, FOR_CLASSES, FOR_NUMBERS)?;
        if let Some(weights) = &self.weights
            && weights.len() != members.len()
        {
            return Err(Error::Length { what: "weights of voting".into(), expected: members.len(), found: weights.len() });
        }
        let (mut stages, mut models) = (Vec::new(), Vec::new());
        for (m, member) in members.iter().enumerate() {
            cx.check(Progress { stage: "voting", done: m as u64, total: Some(members.len() as u64), objective: None })?;
            member::check_task(&Self::SPEC, &format!("estimators: {}", member.name), &member.stage, task)?;
            let stage = member::with_preparation(&member.stage, self.prepare);
            let seed = RngStream::new(cx.seed, "voting", m as u64).next_u64();
            models.push(stage.learner().fit_any(data, &Context { seed, ..*cx })?);
            stages.push(stage);
        }
        let classes = match data.y {
            Target::Class { names, .. } => names.to_vec(),
            _ => Vec::new(),
        };
        let certificate = Certificate {
            method: self.voting.clone(),
            iterations: models.len() as u64,
            converged: models.iter().all(|m| m.certificate().is_none_or(|c| c.converged)),
            ..Certificate::default()
        };
        Ok(VotingModel {
            task,
            classes,
            names: members.into_iter().map(|m| m.name).collect(),
            hard: self.voting == "hard",
            weights: self.weights.clone().unwrap_or_else(|| vec![1.0; models.len()]),
            stages,
            models,
            certificate,
        })
    }

    fn load(input: &ModelReader) -> Result<VotingModel> {
        VotingModel::load(input)
    }
}

impl VotingModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let task: Task = input.field("task")?;
        let classes: Vec<String> = input.field("classes")?;
        let names: Vec<String> = input.field("names")?;
        let weights: Vec<f64> = input.vec_of("weights", names.len())?;
        let (stages, models) = member::load(input, names.len())?;
        member::check_models(&models, task, &classes)?;
        let sound = weights.iter().all(|w| w.is_finite() && *w >= 0.0) && weights.iter().sum::<f64>() > 0.0;
        let alike = models.iter().all(|m| {
            m.n_features() == models[0].n_features()
                && m.as_regressor().is_none_or(|r| task != Task::Regression || r.n_targets() == 1)
        });
        if !sound || !alike || !task.is_supervised() || stages.len() != models.len() {
            return Err(Error::Model("the members of a vote do not fit together".into()));
        }
        let (hard, certificate) = (input.field("hard")?, input.field("certificate")?);
        Ok(VotingModel { task, classes, names, hard, weights, stages, models, certificate })
    }
}

/// A fitted voting ensemble.
pub struct VotingModel {
    task: Task,
    classes: Vec<String>,
    names: Vec<String>,
    hard: bool,
    weights: Vec<f64>,
    stages: Vec<PipelineStep>,
    models: Vec<Box<dyn Model>>,
    certificate: Certificate,
}

#[cfg(feature = "fit")]
/// A trained member of a vote: its learner, its models, and its weight, which they share equally.
pub struct TrainedMember {
    /// Its name.
    pub name: String,
    /// The learner, with its preparation.
    pub learner: Box<dyn AnyLearner>,
    /// Models of the learner, fitted to different rows.
    pub models: Vec<Box<dyn Model>>,
    /// Its weight.
    pub weight: f64,
}

impl VotingModel {
    #[cfg(feature = "fit")]
    /// The vote of trained members, with the learner that would train it: each member once, on all rows.
    ///
    /// # Errors
    /// When the members do not predict the same outputs from the same columns, or none has a weight.
    pub fn of_trained(task: Task, classes: &[String], members: Vec<TrainedMember>) -> Result<(Voting, Self)> {
        let (mut names, mut weights, mut stages, mut models) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut distinct = Vec::new();
        let shares: Vec<f64> = members.iter().map(|m| m.weight).collect();
        for member in members {
            let stage = PipelineStep::new(member.learner);
            let count = member.models.len();
            distinct.push(Member { name: member.name.clone(), stage: stage.clone() });
            for (k, model) in member.models.into_iter().enumerate() {
                names.push(if count == 1 { member.name.clone() } else { format!("{} {}", member.name, k + 1) });
                weights.push(member.weight / count as f64);
                stages.push(stage.clone());
                models.push(model);
            }
        }
        member::check_models(&models, task, classes)?;
        let alike = models.iter().all(|m| m.n_features() == models[0].n_features());
        if !alike || !weights.iter().all(|w| w.is_finite() && *w >= 0.0) || weights.iter().sum::<f64>() <= 0.0 {
            return Err(Error::Data("the members of a vote read other columns, or none of them has a weight".into()));
        }
        let certificate = Certificate {
            method: "soft".into(),
            iterations: models.len() as u64,
            converged: models.iter().all(|m| m.certificate().is_none_or(|c| c.converged)),
            ..Certificate::default()
        };
        let voting = Voting { estimators: Members(Some(distinct)), weights: Some(shares), ..Voting::default() };
        voting.check()?;
        let classes = classes.to_vec();
        Ok((voting, Self { task, classes, names, hard: false, weights, stages, models, certificate }))
    }

    /// The trained members.
    pub fn members(&self) -> &[Box<dyn Model>] {
        &self.models
    }

    fn combine(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features())?;
        let width = if self.task == Task::Classification { self.classes.len() } else { 1 };
        let mut out = Mat::zeros(x.rows(), width);
        let total: f64 = self.weights.iter().sum();
        for (model, &w) in self.models.iter().zip(&self.weights) {
            let share = w / total;
            match (model.as_classifier(), model.as_regressor()) {
                (Some(c), _) if self.task == Task::Classification && self.hard => {
                    c.classify(x)?.into_iter().enumerate().for_each(|(i, k)| out[(i, k as usize)] += share);
                }
                (Some(c), _) if self.task == Task::Classification => add(&mut out, &c.proba(x)?, share),
                (_, Some(r)) => add(&mut out, &r.predict(x)?, share),
                _ => return Err(Error::Model("a member of the vote has lost its capability".into())),
            }
        }
        Ok(out)
    }
}

fn add(to: &mut Mat<f64>, part: &Mat<f64>, share: f64) {
    to.as_mut_slice().iter_mut().zip(part.as_slice()).for_each(|(t, p)| *t += share * p);
}

impl Model for VotingModel {
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
        let row = |m: usize| -> Vec<Cell> {
            vec![self.names[m].as_str().into(), member::name(&self.stages[m]).into(), self.weights[m].into()]
        };
        report.table("Members", &["name", "learner", "weight"], (0..self.names.len()).map(row).collect());
        for (name, model) in self.names.iter().zip(&self.models) {
            report.text(format!("{name}:"));
            report.sections.extend(model.report(schema).sections);
        }
        report
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("task", &self.task)?;
        out.field("classes", &self.classes)?;
        out.field("names", &self.names)?;
        out.field("hard", &self.hard)?;
        out.vec("weights", &self.weights);
        out.field("certificate", &self.certificate)?;
        member::save(out, &self.stages, &self.models)
    }
}

impl Regressor for VotingModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.combine(x)
    }
}

impl Classifier for VotingModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }
    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.combine(x)
    }
}
