//! Multi-class classification with binary classifiers: one against the rest, or one against another.

use ermine_core::blocks::check_finite;
use ermine_core::{
    Accepts, Cell, Certificate, Classifier, Context, DatasetRef, Error, Family, Features, Learner, Mat, Model, ModelReader,
    ModelWriter, ParamSpec, Progress, Range, Report, Result, RngStream, Schema, Spec, Target, Task,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::member;
#[cfg(feature = "fit")]
use super::member::PREPARE;
use crate::pipeline::PipelineStep;

#[cfg(feature = "fit")]
const BASE: ParamSpec = ParamSpec {
    name: "base",
    doc: "The learner: a name of the catalogue, or {\"learner\": …, \"params\": {…}}. Its parameters are set as base.C.",
    range: Range::Any,
};

/// The class names of a member, in the order of their codes.
const OTHERS: &str = "others";
const OWN: &str = "this";

#[cfg(feature = "fit")]
macro_rules! wrapper {
    ($(#[$doc:meta])* $name:ident, $pairs:literal, $text:literal, $summary:literal, $objective:literal, $notes:literal, $reference:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// The binary classifier.
            pub base: PipelineStep,
            /// Whether members get the default preparation.
            pub prepare: bool,
        }

        impl Default for $name {
            fn default() -> Self {
                Self { base: default_base(), prepare: true }
            }
        }

        impl Learner for $name {
            type Model = BinaryReductionModel;

            const SPEC: Spec = Spec {
                name: $text,
                summary: $summary,
                objective: $objective,
                notes: $notes,
                reference: $reference,
                family: Family::Composite,
                tasks: &[Task::Classification],
                accepts: Accepts { weights: true, missing: true, categorical: true, sparse: false, passes: false, multi_target: false },
                params: &[BASE, PREPARE],
            };

            fn check(&self) -> Result<()> {
                self.base.learner().check_any()
            }

            fn set_nested(&mut self, part: &str, params: &Map<String, Value>) -> Result<()> {
                if part != "base" {
                    let first = params.keys().next().map_or("", |name| name.as_str());
                    return Err(Error::unknown(format!("parameter of {}", $text), &format!("{part}.{first}"), ["base", "prepare"]));
                }
                self.base.learner_mut().set_all(params)
            }

            fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<BinaryReductionModel> {
                self.check()?;
                data.check(&Self::SPEC)?;
                member::check_task(&Self::SPEC, "base", &self.base, Task::Classification)?;
                fit(&member::with_preparation(&self.base, self.prepare), $pairs, data, cx, $text)
            }

            fn load(input: &ModelReader) -> Result<BinaryReductionModel> {
                load(input, $pairs)
            }
        }
    };
}

#[cfg(feature = "fit")]
fn default_base() -> PipelineStep {
    PipelineStep::new(Box::new(ermine_linear::Logistic::default()))
}

#[cfg(feature = "fit")]
wrapper!(
    /// A binary classifier for each class against all others.
    ///
    /// The probability of a class is that of its own classifier, normalized; the predicted class is that of the highest
    /// score, or probability where there are no scores.
    OneVsRest,
    false,
    "one-vs-rest",
    "Each class against all others, by any learner of two classes",
    "p_k(x) = q_k(x) / sum_l q_l(x), q_k the probability of class k by a learner of k against the rest",
    "For learners that know two classes only, or one model per class. As many fits as classes, each on all rows. Two classes need one.",
    "Rifkin and Klautau: In defense of one-vs-all classification, JMLR 5, 2004"
);

#[cfg(feature = "fit")]
wrapper!(
    /// A binary classifier for each pair of classes.
    ///
    /// Each pair votes; ties are decided by the sum of the probabilities.
    OneVsOne,
    true,
    "one-vs-one",
    "Each pair of classes, by any learner of two classes",
    "votes of all pairs of classes; p_k(x) the mean of the probabilities of k in its pairs, scaled to sum to 1",
    "For learners whose cost grows faster than the rows, since each fit sees two classes only. k (k - 1) / 2 fits.",
    "Hastie and Tibshirani: Classification by pairwise coupling, Annals of Statistics 26, 1998"
);

#[cfg(feature = "fit")]
fn fit(
    base: &PipelineStep,
    pairs: bool,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
    name: &'static str,
) -> Result<BinaryReductionModel> {
    let (codes, names) = data.y.classes()?;
    check_finite(&data.x, data.schema, &|_| true)?;
    let mut seen = vec![0.0; names.len()];
    codes.iter().enumerate().for_each(|(i, &c)| seen[c as usize] += data.weight_of(i));
    let present: Vec<u32> = (0..names.len() as u32).filter(|&c| seen[c as usize] > 0.0).collect();
    if present.len() < 2 {
        return Err(Error::Target(format!("{name} needs at least 2 classes with rows, and there is {}", present.len())));
    }
    let problems = problems(present.len(), pairs);
    let two = [OTHERS.to_owned(), OWN.to_owned()];
    let mut models = Vec::new();
    for (m, &(own, other)) in problems.iter().enumerate() {
        cx.check(Progress { stage: name, done: m as u64, total: Some(problems.len() as u64), objective: None })?;
        let seed = RngStream::new(cx.seed, name, m as u64).next_u64();
        let inner = Context { seed, ..cx.without_checkpoints() };
        let (own, other) = (present[own], other.map(|o| present[o]));
        models.push(match other {
            None => {
                let codes: Vec<u32> = codes.iter().map(|&c| u32::from(c == own)).collect();
                base.learner().fit_any(&data.with_target(Target::Class { codes: &codes, names: &two }), &inner)?
            }
            Some(other) => {
                let rows: Vec<usize> = (0..codes.len()).filter(|&i| codes[i] == own || codes[i] == other).collect();
                let part = data.take_rows(&rows);
                let codes: Vec<u32> = rows.iter().map(|&i| u32::from(codes[i] == own)).collect();
                base.learner().fit_any(&part.view().with_target(Target::Class { codes: &codes, names: &two }), &inner)?
            }
        });
    }
    let certificate = Certificate {
        method: name.into(),
        iterations: models.len() as u64,
        converged: models.iter().all(|m| m.certificate().is_none_or(|c| c.converged)),
        ..Certificate::default()
    };
    Ok(BinaryReductionModel { pairs, classes: names.to_vec(), present, stage: base.clone(), models, certificate })
}

/// The positive class and, for pairs, the negative one, for each member. Two classes need one member.
fn problems(k: usize, pairs: bool) -> Vec<(usize, Option<usize>)> {
    match (k, pairs) {
        (2, _) => vec![(1, None)],
        (_, false) => (0..k).map(|own| (own, None)).collect(),
        (_, true) => (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, Some(b)))).collect(),
    }
}

/// Reads a model of one class against the rest.
pub(crate) fn load_one_vs_rest(input: &ModelReader) -> Result<BinaryReductionModel> {
    load(input, false)
}

/// Reads a model of one class against one.
pub(crate) fn load_one_vs_one(input: &ModelReader) -> Result<BinaryReductionModel> {
    load(input, true)
}

fn load(input: &ModelReader, pairs: bool) -> Result<BinaryReductionModel> {
    let classes: Vec<String> = input.field("classes")?;
    let present: Vec<u32> = input.field("present")?;
    let k = present.len();
    if k < 2 || !present.windows(2).all(|w| w[0] < w[1]) || present[k - 1] as usize >= classes.len() {
        return Err(Error::Model(format!("codes {present:?} of {} classes", classes.len())));
    }
    let count = problems(k, pairs).len();
    let (stages, models) = member::load(input, count)?;
    member::check_models(&models, Task::Classification, &[OTHERS.to_owned(), OWN.to_owned()])?;
    if models.iter().any(|m| m.n_features() != models[0].n_features()) {
        return Err(Error::Model("members of different widths".into()));
    }
    let Some(stage) = stages.into_iter().next() else { return Err(Error::Model("no learner".into())) };
    Ok(BinaryReductionModel { pairs, classes, present, stage, models, certificate: input.field("certificate")? })
}

/// A multi-class model of binary models.
pub struct BinaryReductionModel {
    pairs: bool,
    classes: Vec<String>,
    present: Vec<u32>,
    stage: PipelineStep,
    models: Vec<Box<dyn Model>>,
    certificate: Certificate,
}

impl BinaryReductionModel {
    /// The binary models: of each class and the rest, or of each pair.
    pub fn members(&self) -> &[Box<dyn Model>] {
        &self.models
    }

    /// Probability of its own class by each member: one column per member.
    fn own_probabilities(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features())?;
        let mut out = Mat::zeros(x.rows(), self.models.len());
        for (m, model) in self.models.iter().enumerate() {
            let Some(c) = model.as_classifier() else { return Err(Error::Model("a member has lost its capability".into())) };
            let p = c.proba(x)?;
            (0..x.rows()).for_each(|i| out[(i, m)] = p[(i, 1)]);
        }
        Ok(out)
    }

    /// One number per class that takes part, to be scaled to probabilities; the number of votes decides first for
    /// pairs.
    fn shares(&self, own: &[f64]) -> (Vec<f64>, Vec<u32>) {
        let k = self.present.len();
        let (mut p, mut votes) = (vec![0.0; k], vec![0; k]);
        match (k, self.pairs) {
            (2, _) => {
                p.copy_from_slice(&[1.0 - own[0], own[0]]);
                votes[usize::from(own[0] > 0.5)] = 1;
            }
            (_, false) => p.copy_from_slice(own),
            (_, true) => {
                for ((a, b), q) in problems(k, true).iter().map(|(a, b)| (*a, b.unwrap_or(0))).zip(own) {
                    p[a] += q;
                    p[b] += 1.0 - q;
                    votes[if *q >= 0.5 { a } else { b }] += 1;
                }
            }
        }
        (p, votes)
    }
}

ermine_core::display_as_report!(BinaryReductionModel);

impl Model for BinaryReductionModel {
    fn n_features(&self) -> usize {
        self.models.first().map_or(0, |m| m.n_features())
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }
    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        let name = |place: usize| self.classes[self.present[place] as usize].as_str();
        let row = |&(own, other): &(usize, Option<usize>)| -> Vec<Cell> {
            vec![name(own).into(), other.map_or("the rest", name).into(), member::name(&self.stage).into()]
        };
        let rows = problems(self.present.len(), self.pairs).iter().map(row).collect();
        report.table("Members", &["class", "against", "learner"], rows);
        report
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("classes", &self.classes)?;
        out.field("present", &self.present)?;
        out.field("certificate", &self.certificate)?;
        member::save(out, std::slice::from_ref(&self.stage), &self.models)
    }
}

impl Classifier for BinaryReductionModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let own = self.own_probabilities(x)?;
        let mut out = Mat::zeros(x.rows(), self.classes.len());
        for i in 0..x.rows() {
            let (p, _) = self.shares(own.row(i));
            let total: f64 = p.iter().sum();
            let even = 1.0 / p.len() as f64;
            let row = out.row_mut(i);
            self.present.iter().zip(p).for_each(|(&c, p)| row[c as usize] = if total > 0.0 { p / total } else { even });
        }
        Ok(out)
    }

    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        let own = self.own_probabilities(x)?;
        let one = |i: usize| {
            let (p, votes) = self.shares(own.row(i));
            let better = |a: usize, b: usize| votes[a] > votes[b] || (votes[a] == votes[b] && p[a] > p[b]);
            self.present[(1..p.len()).fold(0, |best, c| if better(c, best) { c } else { best })]
        };
        Ok((0..x.rows()).map(one).collect())
    }
}
