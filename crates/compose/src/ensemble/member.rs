//! The members of an ensemble: named learners.

#[cfg(feature = "fit")]
use ermine_core::{DatasetRef, ParamSpec, Range, Spec};
use ermine_core::{Error, Model, ModelReader, ModelWriter, Result, Task};
#[cfg(feature = "fit")]
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
#[cfg(feature = "fit")]
use serde_json::{Map, Value};

#[cfg(feature = "fit")]
use crate::pipeline::prepared;
use crate::pipeline::{MAX_DEPTH, PipelineStep};

/// The parameter of ensembles that put the default preparation in front of members.
#[cfg(feature = "fit")]
pub(super) const PREPARE: ParamSpec = ParamSpec {
    name: "prepare",
    doc: "Whether learners that do not take categories or missing values themselves get the default preparation (impute, \
          one-hot, standardize) in front; it is learned anew for each.",
    range: Range::Bool,
};

/// A learner with a name of its own.
#[cfg(feature = "fit")]
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name in parameters and reports.
    pub name: String,
    /// The learner.
    pub stage: PipelineStep,
}

/// The members of an ensemble, or none for its defaults.
///
/// Serialized as a list with name, learner and parameters of each; a text such as `tree,logistic` stands for these
/// learners with their defaults. The default name is the learner's, numbered if it occurs again.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Default)]
pub struct Members(pub Option<Vec<Member>>);

#[cfg(feature = "fit")]
#[derive(Serialize)]
struct MemberRepr<'a> {
    name: &'a str,
    #[serde(flatten)]
    stage: &'a PipelineStep,
}

#[cfg(feature = "fit")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberSpecRepr {
    #[serde(default)]
    name: Option<String>,
    learner: String,
    #[serde(default)]
    params: Map<String, Value>,
}

#[cfg(feature = "fit")]
#[derive(Deserialize)]
#[serde(untagged)]
enum MemberInput {
    Name(String),
    Whole(MemberSpecRepr),
}

#[cfg(feature = "fit")]
#[derive(Deserialize)]
#[serde(untagged)]
enum MembersRepr {
    Words(String),
    List(Vec<MemberInput>),
}

#[cfg(feature = "fit")]
impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = |m: &'_ Member| serde_json::to_value(MemberRepr { name: &m.name, stage: &m.stage });
        match &self.0 {
            None => serializer.serialize_none(),
            Some(members) => {
                let all: Result<Vec<Value>, _> = members.iter().map(written).collect();
                all.map_err(serde::ser::Error::custom)?.serialize(serializer)
            }
        }
    }
}

#[cfg(feature = "fit")]
impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = match Option::<MembersRepr>::deserialize(deserializer)? {
            None => return Ok(Self(None)),
            Some(MembersRepr::Words(words)) => words.split(',').map(|w| MemberInput::Name(w.trim().to_owned())).collect(),
            Some(MembersRepr::List(list)) => list,
        };
        let mut members: Vec<Member> = Vec::new();
        for one in list {
            let MemberSpecRepr { name, learner, params } = match one {
                MemberInput::Name(learner) => MemberSpecRepr { name: None, learner, params: Map::new() },
                MemberInput::Whole(whole) => whole,
            };
            let mut made = crate::learner(&learner).map_err(D::Error::custom)?;
            made.set_all(&params).map_err(D::Error::custom)?;
            let taken = |name: &str| members.iter().any(|m| m.name == name);
            let name = match name {
                Some(name) if taken(&name) || name.contains('.') => {
                    return Err(D::Error::custom(format!("the name \"{name}\" occurs twice or has a point")));
                }
                Some(name) => name,
                None => {
                    let mut free = learner.clone();
                    let mut count = 1;
                    while taken(&free) {
                        count += 1;
                        free = format!("{learner}-{count}");
                    }
                    free
                }
            };
            members.push(Member { name, stage: PipelineStep::new(made) });
        }
        Ok(Self(Some(members)))
    }
}

#[cfg(feature = "fit")]
impl Members {
    /// The named learners with their defaults.
    ///
    /// # Errors
    /// When a name is not in the catalogue.
    pub fn named<S: AsRef<str>>(names: &[S]) -> Result<Self> {
        let words: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        serde_json::from_value(Value::from(words)).map_err(|e| Error::Data(e.to_string()))
    }

    /// The members, or the named default ones for the task.
    pub(super) fn or(&self, task: Task, classes: &[&str], numbers: &[&str]) -> Result<Vec<Member>> {
        match &self.0 {
            Some(members) => Ok(members.clone()),
            None => {
                let names = if task == Task::Classification { classes } else { numbers };
                Ok(Self::named(names)?.0.unwrap_or_default())
            }
        }
    }

    pub(super) fn check(&self, spec: &Spec) -> Result<()> {
        match &self.0 {
            Some(members) if members.is_empty() => {
                Err(Error::parameter(spec.name, "estimators", "[]", "it must name at least one learner"))
            }
            Some(members) => members.iter().try_for_each(|m| m.stage.learner().check_any()),
            None => Ok(()),
        }
    }

    /// Sets parameters of the member called `part`.
    pub(super) fn set(&mut self, spec: &Spec, part: &str, params: &Map<String, Value>) -> Result<()> {
        let members = self.0.as_deref_mut().unwrap_or_default();
        match members.iter_mut().find(|m| m.name == part) {
            Some(member) => member.stage.learner_mut().set_all(params),
            None => {
                let first = params.keys().next().map_or("", |name| name.as_str());
                let names: Vec<String> = members.iter().map(|m| format!("{}.{first}", m.name)).collect();
                let known: Vec<&str> = spec.params.iter().map(|p| p.name).chain(names.iter().map(String::as_str)).collect();
                Err(Error::unknown(format!("parameter of {}", spec.name), &format!("{part}.{first}"), known))
            }
        }
    }
}

/// The learner to fit: with the default preparation in front if that is wanted and needed.
#[cfg(feature = "fit")]
pub(super) fn with_preparation(stage: &PipelineStep, prepare: bool) -> PipelineStep {
    let learner = stage.learner().boxed();
    PipelineStep::new(if prepare { prepared(learner) } else { learner })
}

/// An error for a member that does not do the task.
#[cfg(feature = "fit")]
pub(super) fn check_task(spec: &Spec, parameter: &str, stage: &PipelineStep, task: Task) -> Result<()> {
    let member = stage.learner().spec();
    if member.tasks.contains(&task) {
        return Ok(());
    }
    Err(Error::parameter(spec.name, parameter, member.name, format!("it must be a learner that does {task}")))
}

/// The rows with a weight above 0.
#[cfg(feature = "fit")]
pub(super) fn rows_with_weight(data: &DatasetRef<'_>) -> Vec<usize> {
    (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect()
}

/// Writes trained members.
pub(super) fn save(out: &mut ModelWriter, stages: &[PipelineStep], models: &[Box<dyn Model>]) -> Result<()> {
    out.field("stages", &stages)?;
    for (i, model) in models.iter().enumerate() {
        out.child(&i.to_string(), |w| model.save(w))?;
    }
    Ok(())
}

/// Fitted members, and their learners.
pub(super) type TrainedMembers = (Vec<PipelineStep>, Vec<Box<dyn Model>>);

/// Reads `count` fitted members; with one learner for all of them, or one each.
pub(super) fn load(input: &ModelReader, count: usize) -> Result<TrainedMembers> {
    if input.depth() > MAX_DEPTH {
        return Err(Error::Model(format!("learners nest deeper than {MAX_DEPTH}")));
    }
    let stages: Vec<PipelineStep> = input.field("stages")?;
    if stages.len() != 1 && stages.len() != count {
        return Err(Error::Model(format!("{count} members and {} learners", stages.len())));
    }
    let model = |i: usize| {
        let stage = if stages.len() == 1 { &stages[0] } else { &stages[i] };
        stage.load_model(&input.child(&i.to_string()))
    };
    let models = (0..count).map(model).collect::<Result<Vec<_>>>()?;
    Ok((stages, models))
}

/// Checks that all members predict the same outputs from the same columns, which prediction relies on.
pub(super) fn check_models(models: &[Box<dyn Model>], task: Task, classes: &[String]) -> Result<()> {
    for (i, model) in models.iter().enumerate() {
        let fits = match task {
            Task::Classification => model.as_classifier().is_some_and(|c| c.classes() == classes),
            _ => model.as_regressor().is_some(),
        };
        if !fits {
            return Err(Error::Model(format!("member {i} does not do the {task} of the ensemble")));
        }
    }
    Ok(())
}

/// The learner's name, for a report: of a pipeline that of its last step.
pub(super) fn name(step: &PipelineStep) -> String {
    match step.param("steps").as_ref().and_then(|s| s.as_array()).and_then(|s| s.last()) {
        Some(last) => last["learner"].as_str().unwrap_or_default().to_owned(),
        None => step.name().to_owned(),
    }
}
