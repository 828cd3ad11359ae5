//! AdaBoost: learners fitted in sequence, each with more weight on the rows that the earlier ones got wrong.

#[cfg(feature = "fit")]
mod classify;
mod model;
#[cfg(feature = "fit")]
mod regress;

use ermine_core::blocks::check_finite;
use ermine_core::{
    Accepts, AnyLearner, Context, DatasetRef, Error, Family, Learner, Model, ModelReader, ParamSpec, Range, Result, RngStream,
    Spec, Target, Task,
};
#[cfg(feature = "fit")]
use ermine_tree::tree::Tree;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::member;
#[cfg(feature = "fit")]
use super::member::PREPARE;
use crate::pipeline::PipelineStep;

pub use model::AdaBoostModel;

/// Learners fitted in sequence, each with more weight on the rows that the earlier ones got wrong, combined by weighted
/// votes.
///
/// # What it minimizes
/// The exponential loss `sum_i w_i exp(-F(x_i))` of the votes F for the right class against the others, one learner at a time.
/// A learner with weighted error e gets the vote `learning_rate (log((1 - e) / e) + log(K - 1))` among K classes (SAMME), and
/// the weights of the rows that it got wrong grow by the exponential of its vote. With `algorithm` real each learner votes
/// with `(K - 1) (log p_k - mean log p)` of its class shares p instead (Schapire and Singer 1999; Zhu and others 2009).
/// Numbers: AdaBoost.R2 (Drucker 1997), combined by the weighted median.
///
/// # When to use it
/// To make a strong classifier of weak ones, on clean labels: rows with wrong labels end up with most of the weight.
/// Many stumps make an additive model that is easy to read.
///
/// # Example
/// ```
/// use ermine_compose::ensemble::AdaBoost;
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget};
///
/// let x: Vec<f64> = (0..40).map(f64::from).collect();
/// let y = OwnedTarget::from_labels(&(0..40).map(|i| if (10..30).contains(&i) { "in" } else { "out" }).collect::<Vec<_>>());
/// let x = Features::F64(MatRef::row_major(&x, 40, 1));
/// let data = DatasetRef::new(x).with_target(y.view());
/// let model = AdaBoost { n_estimators: 10, ..AdaBoost::default() }.fit_with(&data, &Context::default())?;
/// // One stump cannot cut out the middle; a few together do.
/// assert_eq!(model.classify(&x)?, (0..40).map(|i| u32::from(!(10..30).contains(&i))).collect::<Vec<_>>());
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # The bound
/// For two classes the training error is at most the exponential loss, which is the product of `2 sqrt(e (1 - e))` over the
/// rounds when the learning rate is 1. Both are in the trace, round by round, and the margins of the training rows in the
/// report.
///
/// # Variants
/// `float`: after each round, learners whose removal lowers the training error below the best so far with as few
/// learners are removed (FloatBoost, Li and Zhang 2004). `totally_corrective`: after each round the votes of all
/// learners are optimized together, so that under the new weights every one of them is as good as chance.
///
/// # Cost
/// Without `base` stumps are used: columns are sorted once, and a round is one pass over them. Other learners are fitted
/// anew in each round, with weights.
///
/// # What it does not do
/// It does not train in passes, and takes one target.
///
/// # Reference
/// Freund, Schapire: A decision-theoretic generalization of on-line learning and an application to boosting, 1997; Hastie,
/// Rosset, Zhu, Zou: Multi-class AdaBoost, 2009.
#[cfg(feature = "fit")]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("AdaBoostClassifier", "AdaBoostRegressor"))]
pub struct AdaBoost {
    /// The learner of each round; stumps without.
    pub base: Option<PipelineStep>,
    /// Rounds.
    pub n_estimators: u64,
    /// Factor of every vote.
    pub learning_rate: f64,
    /// "discrete" or "real".
    pub algorithm: String,
    /// "plain", "float" or "totally_corrective".
    pub variant: String,
    /// Split criterion of stumps.
    pub stump_criterion: String,
    /// Loss of a regression.
    pub loss: String,
    /// Whether the base learner gets the default preparation.
    pub prepare: bool,
}

#[cfg(feature = "fit")]
impl Default for AdaBoost {
    fn default() -> Self {
        Self {
            base: None,
            n_estimators: 50,
            learning_rate: 1.0,
            algorithm: "discrete".into(),
            variant: "plain".into(),
            stump_criterion: "auto".into(),
            loss: "linear".into(),
            prepare: true,
        }
    }
}

#[cfg(feature = "fit")]
impl Learner for AdaBoost {
    type Model = AdaBoostModel;

    const SEARCH_SPACE: &'static [&'static str] = &["n_estimators=20..400:log", "learning_rate=0.05..2:log"];

    const SPEC: Spec = Spec {
        name: "adaboost",
        summary: "AdaBoost: stumps or any learner, each on the rows that those before it got wrong, combined by votes",
        objective: "sum_i w_i exp(-F(x_i)), F the weighted votes for the right class against the others, lowered one learner \
                    at a time: vote learning_rate * (log((1 - e) / e) + log(K - 1)) for a learner of weighted error e among \
                    K classes; numbers by AdaBoost.R2 and the weighted median",
        notes: "A strong classifier out of weak ones, for clean labels. Without base it boosts stumps, on columns that are \
                sorted once for all rounds; any learner of the catalogue that takes weights may be the base: --set base=tree \
                --set base.max_depth=3. Regressions boost trees of depth 3. The trace has error, vote, training error and its \
                bound for each round.",
        reference: "Freund, Schapire 1997; Schapire, Singer 1999; Hastie, Rosset, Zhu, Zou: Multi-class AdaBoost, 2009; \
                    Drucker: Improving regressors using boosting techniques, 1997",
        family: Family::Tree,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: true, passes: false, multi_target: false },
        params: &[
            ParamSpec {
                name: "base",
                doc: "The learner of each round: a name of the catalogue, or {\"learner\": NAME, \"params\": {…}}; null for \
                      stumps, or trees of depth 3 for a regression. Its parameters are set as base.NAME.",
                range: Range::Any,
            },
            ParamSpec {
                name: "n_estimators",
                doc: "Rounds at most: a perfect learner ends the boosting, and so does one no better than chance.",
                range: Range::int_from(1),
            },
            ParamSpec {
                name: "learning_rate",
                doc: "Factor of every vote; smaller values need more rounds.",
                range: Range::above(0.0),
            },
            ParamSpec {
                name: "algorithm",
                doc: "discrete: a learner votes for one class (SAMME). real: it votes for every class by its share \
                      (confidence-rated).",
                range: Range::Choice(&["discrete", "real"]),
            },
            ParamSpec {
                name: "variant",
                doc: "plain; float removes learners that are in the way after each round; totally_corrective optimizes the \
                      votes of all learners after each round. The last two need algorithm discrete.",
                range: Range::Choice(&["plain", "float", "totally_corrective"]),
            },
            ParamSpec {
                name: "stump_criterion",
                doc: "What a stump minimizes: gini impurity, weighted error, or z, the factor of the exponential loss in a \
                      round of real boosting of two classes. auto is gini for discrete and z for real.",
                range: Range::Choice(&["auto", "gini", "error", "z"]),
            },
            ParamSpec {
                name: "loss",
                doc: "What a residual costs in a regression, as a share of the largest: linear, square or exponential.",
                range: Range::Choice(&["linear", "square", "exponential"]),
            },
            PREPARE,
        ],
    };

    fn check(&self) -> Result<()> {
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)?;
        if self.variant != "plain" && self.algorithm == "real" {
            return Err(Error::parameter(Self::SPEC.name, "variant", &self.variant, "with algorithm real it must be plain"));
        }
        let Some(base) = &self.base else { return Ok(()) };
        if !base.learner().spec().accepts.weights {
            return Err(Error::parameter(
                Self::SPEC.name,
                "base",
                base.learner().spec().name,
                "boosting weighs the rows, so it must be a learner that takes weights",
            ));
        }
        base.learner().check_any()
    }

    fn set_nested(&mut self, part: &str, params: &Map<String, Value>) -> Result<()> {
        match (part, &mut self.base) {
            ("base", Some(base)) => base.learner_mut().set_all(params),
            ("base", None) => Err(Error::parameter(
                Self::SPEC.name,
                "base",
                "null",
                "its parameters can be set when it is named, as in base=tree",
            )),
            _ => {
                let first = params.keys().next().map_or("", |name| name.as_str());
                let known = Self::SPEC.params.iter().map(|p| p.name);
                Err(Error::unknown("parameter of adaboost", &format!("{part}.{first}"), known))
            }
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<AdaBoostModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let task = data.y.task().unwrap_or(Task::Regression);
        if let Some(base) = &self.base {
            member::check_task(&Self::SPEC, "base", base, task)?;
        }
        check_finite(&data.x, data.schema, &|_| true)?;
        match data.y {
            Target::Class { codes, names } => classify::fit(self, data, codes, names, cx),
            _ => {
                let default =
                    || PipelineStep::new(Box::new(Tree { max_depth: Some(3), ..Tree::default() }) as Box<dyn AnyLearner>);
                let base = self.base.clone().unwrap_or_else(default);
                regress::fit(self, &member::with_preparation(&base, self.prepare), data, cx)
            }
        }
    }

    fn load(input: &ModelReader) -> Result<AdaBoostModel> {
        AdaBoostModel::load(input)
    }
}

/// Fits the base learner to all rows with the weights of a round; rows of weight 0 take no part.
#[cfg(feature = "fit")]
fn train(stage: &PipelineStep, data: &DatasetRef<'_>, weight: &[f64], round: usize, cx: &Context<'_>) -> Result<Box<dyn Model>> {
    let seed = RngStream::new(cx.seed, "adaboost", round as u64).next_u64();
    stage.learner().fit_any(&data.with_weight(Some(weight)), &Context { seed, validation: None, ..*cx })
}
