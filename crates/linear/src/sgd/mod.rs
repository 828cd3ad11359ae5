//! Stochastic gradient descent for linear models: every loss, penalty and schedule in one loop.

#[cfg(feature = "fit")]
mod evaluate;
#[cfg(feature = "fit")]
mod fit;
mod model;
#[cfg(feature = "fit")]
mod rows;
mod run;
mod schedule;
#[cfg(test)]
mod tests;
mod weights;

use ermine_core::{
    Accepts, ClassWeight, Context, DatasetRef, Family, FitFrom, Learner, ModelReader, ParamSpec, Range, Result, Spec, Task,
};
use ermine_math::loss::RowLoss;
use serde::{Deserialize, Serialize};

#[cfg(feature = "fit")]
pub(super) use fit::{MistakeLog, SgdFit};
pub use model::SgdModel;
pub(crate) use model::load;
#[cfg(feature = "fit")]
pub(super) use rows::{RowVisitor, SgdRows, with_rows};
pub use schedule::LearningRate;
use schedule::SgdSchedule;

/// Linear scores learned one row at a time: a step against the gradient of the loss of each row in turn.
///
/// # What it minimizes
/// 1/n Σᵢ wᵢ loss(yᵢ, xᵢ·b + b0) + alpha R(b), with R = ½ |b|² ("l2"), |b|₁ ("l1"), l1_ratio |b|₁ + (1 - l1_ratio) ½ |b|²
/// ("elasticnet") or 0 ("none"). For classes y is ±1 and the loss one of the margin ([`SgdLoss`]); more than two classes
/// are learned one against the rest. Intercepts are not penalized.
///
/// # When to use it
/// Rows or columns too many for anything else, sparse rows above all, or rows that keep coming ([`Sgd::partial_fit`]). It
/// comes near the optimum in a few passes and stays near it: where the optimum itself matters, use ridge, logistic or a
/// support vector machine. Standardize the columns: one step length serves them all.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Model, OwnedTarget};
/// use ermine_linear::{Sgd, SgdLoss};
///
/// let x = [-2.0, -1.0, -1.0, -1.0, -1.0, -2.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0];
/// let y = OwnedTarget::from_labels(&["a", "a", "a", "b", "b", "b"]);
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 6, 2))).with_target(y.view());
/// let sgd = Sgd { loss: SgdLoss::LogLoss, ..Sgd::default() };
/// let model = sgd.fit_with(&data, &Context::default())?;
/// assert_eq!(model.as_classifier().unwrap().classify(&data.x)?, [0, 0, 0, 1, 1, 1]);
/// // More rows later: the steps continue where they ended.
/// let model = sgd.partial_fit(Some(&model), &data, &Context::default())?;
/// assert_eq!(model.n_iter(), 1);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// See [`Sgd::SPEC`](Learner::SPEC), which is also the text on the command line and in Python.
///
/// # Probabilities
/// The logistic loss gives them (one against the rest, made to sum to 1). The minimizers of the squared, squared hinge
/// and modified Huber losses are 2p - 1, so their scores are brought from [-1, 1] to [0, 1]; that of the exponential loss
/// is half the log odds. The hinge, perceptron, linear and the other losses have no probabilities: what is given is the
/// logistic function of the score, which puts rows in the order of the scores and is not calibrated.
///
/// # Cost
/// An epoch costs two operations a stored value for each class (three with averaging or an L1 penalty), and one pass at
/// the end for the certificate. Classes are learned side by side. A matrix that lies by columns is copied by rows once.
/// Averaging together with an L1 penalty touches every column at every step.
///
/// # What it does not do
/// A weight of 2 is a step twice as long, not two steps, and the order of the rows matters. It has no momentum;
/// `ermine_math::optimize::study` has such methods for study.
///
/// # Reference
/// Bottou (2012), Stochastic gradient descent tricks; Tsuruoka, Tsujii, Ananiadou (2009), Stochastic gradient descent
/// training for L1-regularized log-linear models with cumulative penalty; Polyak, Juditsky (1992), Acceleration of
/// stochastic approximation by averaging; Widrow, Hoff (1960), Adaptive switching circuits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("SGDClassifier", "SGDRegressor"))]
pub struct Sgd {
    /// The loss of a row.
    pub loss: SgdLoss,
    /// The penalty on the weights.
    pub penalty: SgdPenalty,
    /// The strength of the penalty.
    pub alpha: f64,
    /// The share of the sizes in an elastic-net penalty.
    pub l1_ratio: f64,
    /// Whether scores have an intercept.
    pub fit_intercept: bool,
    /// Epochs at most.
    pub max_iter: u64,
    /// Improvement below which an epoch counts as none; `None` goes through all epochs.
    pub tol: Option<f64>,
    /// Epochs without improvement after which it ends.
    pub n_iter_no_change: u64,
    /// Whether every epoch has an order of its own.
    pub shuffle: bool,
    /// Where Huber's loss turns; half the width of the band of the epsilon-insensitive losses.
    pub epsilon: f64,
    /// The level of the quantile loss.
    pub quantile: f64,
    /// The schedule of the steps.
    pub learning_rate: LearningRate,
    /// The first step; `None` for one that suits the rows.
    pub eta0: Option<f64>,
    /// The exponent of `Invscaling`.
    pub power_t: f64,
    /// γ of `Inverse`.
    pub decay: f64,
    /// The factor of `Step`.
    pub drop: f64,
    /// Epochs between two drops of `Step`.
    pub drop_every: u64,
    /// Rows in a step.
    pub batch_size: u64,
    /// Whether the score on rows set aside decides when to end.
    pub early_stopping: bool,
    /// The share of the rows set aside.
    pub validation_fraction: f64,
    /// Factors on the weights of the rows, by class.
    pub class_weight: Option<ClassWeight>,
    /// Whether, or from which step on, the weights of all steps are averaged.
    pub average: AveragingChoice,
    /// A named choice of loss, penalty and schedule.
    pub preset: Option<SgdPreset>,
}

/// The loss of a row, by the name that users give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // The formulas stand with `Loss`.
pub enum SgdLoss {
    /// `Hinge` for classes, `SquaredError` for numbers.
    Auto,
    Hinge,
    LogLoss,
    ModifiedHuber,
    SquaredHinge,
    Exponential,
    Perceptron,
    Linear,
    SquaredError,
    AbsoluteError,
    Huber,
    EpsilonInsensitive,
    SquaredEpsilonInsensitive,
    Quantile,
}

impl SgdLoss {
    /// Whether the loss is one of a margin, which needs two classes.
    fn needs_classes(self) -> bool {
        use SgdLoss::{Exponential, Hinge, Linear, LogLoss, ModifiedHuber, Perceptron, SquaredHinge};
        matches!(self, Hinge | LogLoss | ModifiedHuber | SquaredHinge | Exponential | Perceptron | Linear)
    }
}

/// The penalty on the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SgdPenalty {
    /// Half the sum of their squares.
    L2,
    /// The sum of their sizes.
    L1,
    /// Both.
    Elasticnet,
    /// Nothing.
    None,
}

/// Whether weights are averaged, or from which step on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AveragingChoice {
    /// From the first step on, or not.
    Whether(bool),
    /// From this step on, counted from 1.
    From(u64),
}

/// A named choice of loss, penalty and schedule, which overrides those parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SgdPreset {
    /// Least mean squares: squared loss, no penalty, steps of `eta0`.
    WidrowHoff,
}

impl Default for Sgd {
    fn default() -> Self {
        Self {
            loss: SgdLoss::Auto,
            penalty: SgdPenalty::L2,
            alpha: 1e-4,
            l1_ratio: 0.15,
            fit_intercept: true,
            max_iter: 1000,
            tol: Some(1e-3),
            n_iter_no_change: 5,
            shuffle: true,
            epsilon: 0.1,
            quantile: 0.5,
            learning_rate: LearningRate::Auto,
            eta0: None,
            power_t: 0.25,
            decay: 1e-3,
            drop: 0.5,
            drop_every: 10,
            batch_size: 1,
            early_stopping: false,
            validation_fraction: 0.1,
            class_weight: None,
            average: AveragingChoice::Whether(false),
            preset: None,
        }
    }
}

impl Sgd {
    /// The least-mean-squares rule of Widrow and Hoff: b += step (y - xᵀb) x, row after row. It settles in the mean for steps
    /// below 2 / λmax, the largest eigenvalue of the mean of x xᵀ; the certificate compares the step with this bound.
    pub fn widrow_hoff(step: f64) -> Self {
        Self { preset: Some(SgdPreset::WidrowHoff), eta0: Some(step), ..Self::default() }
    }

    /// One epoch over further rows, from the state of `model`, or from zero weights. The classes are those that the names of
    /// the target of the first call list, with or without rows.
    #[cfg(feature = "fit")]
    pub fn partial_fit(&self, model: Option<&SgdModel>, rows: &DatasetRef<'_>, cx: &Context<'_>) -> Result<SgdModel> {
        Self { max_iter: 1, tol: None, early_stopping: false, ..self.clone() }.fit_from(model, rows, cx, true)
    }

    /// The learner with its preset written out, for a task.
    fn resolved(&self, classes: bool) -> Self {
        let mut out = self.clone();
        if self.preset == Some(SgdPreset::WidrowHoff) {
            out.loss = SgdLoss::SquaredError;
            out.penalty = SgdPenalty::None;
            out.learning_rate = LearningRate::Constant;
        }
        if out.loss == SgdLoss::Auto {
            out.loss = if classes { SgdLoss::Hinge } else { SgdLoss::SquaredError };
        }
        if out.learning_rate == LearningRate::Auto {
            out.learning_rate = if classes { LearningRate::Optimal } else { LearningRate::Invscaling };
        }
        out
    }

    /// The loss of a resolved learner.
    fn row_loss(&self) -> RowLoss {
        match self.loss {
            SgdLoss::Auto | SgdLoss::Hinge => RowLoss::Hinge,
            SgdLoss::LogLoss => RowLoss::Logistic,
            SgdLoss::ModifiedHuber => RowLoss::ModifiedHuber,
            SgdLoss::SquaredHinge => RowLoss::SquaredHinge,
            SgdLoss::Exponential => RowLoss::Exponential,
            SgdLoss::Perceptron => RowLoss::Perceptron,
            SgdLoss::Linear => RowLoss::Linear,
            SgdLoss::SquaredError => RowLoss::Squared,
            SgdLoss::AbsoluteError => RowLoss::Absolute,
            SgdLoss::Huber => RowLoss::Huber { delta: self.epsilon },
            SgdLoss::EpsilonInsensitive => RowLoss::EpsilonInsensitive { epsilon: self.epsilon },
            SgdLoss::SquaredEpsilonInsensitive => RowLoss::SquaredEpsilonInsensitive { epsilon: self.epsilon },
            SgdLoss::Quantile => RowLoss::Pinball { tau: self.quantile },
        }
    }

    /// The steps of a resolved learner; `eta0` is the first one.
    fn plan(&self, eta0: f64) -> run::SgdOptions {
        let loss = self.row_loss();
        let (l2, l1) = match self.penalty {
            SgdPenalty::L2 => (self.alpha, 0.0),
            SgdPenalty::L1 => (0.0, self.alpha),
            SgdPenalty::Elasticnet => (self.alpha * (1.0 - self.l1_ratio), self.alpha * self.l1_ratio),
            SgdPenalty::None => (0.0, 0.0),
        };
        let schedule = SgdSchedule {
            rate: self.learning_rate,
            eta0,
            power_t: self.power_t,
            decay: self.decay,
            drop: self.drop,
            drop_every: self.drop_every,
            alpha: self.alpha,
            offset: SgdSchedule::offset(self.alpha, loss),
        };
        run::SgdOptions {
            loss,
            schedule,
            l2,
            l1,
            fit_intercept: self.fit_intercept,
            batch: self.batch_size as usize,
            shuffle: self.shuffle,
            max_iter: self.max_iter,
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            average: match self.average {
                AveragingChoice::Whether(false) | AveragingChoice::From(0) => None,
                AveragingChoice::Whether(true) => Some(1),
                AveragingChoice::From(step) => Some(step),
            },
            until_separated: false,
        }
    }

    #[cfg(feature = "fit")]
    fn fit_from(&self, start: Option<&SgdModel>, data: &DatasetRef<'_>, cx: &Context<'_>, all_names: bool) -> Result<SgdModel> {
        self.check()?;
        SgdFit { sgd: self, spec: &Self::SPEC, until_separated: false }.run(start, data, cx, all_names).map(|(model, _)| model)
    }
}

/// Continues from a model with the epochs and the stopping rule of the learner.
#[cfg(feature = "fit")]
fn resume(sgd: &Sgd, model: Option<&SgdModel>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<SgdModel> {
    sgd.fit_from(model, data, cx, true)
}

const SHARE: Range = Range::Real { min: 0.0, max: 1.0, above: false, log: false };
const INSIDE: Range = Range::Real { min: 0.0, max: 0.999_999_999, above: true, log: false };

impl Sgd {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "sgd";
}

#[cfg(feature = "fit")]
impl Learner for Sgd {
    type Model = SgdModel;

    const SEARCH_SPACE: &'static [&'static str] = &["alpha=1e-7..1e-1:log"];

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Linear models for classes or numbers, learned one row at a time by stochastic gradient descent",
        objective: "min 1/n sum_i w_i loss(y_i, x_i b + b0) + alpha R(b); R = 1/2 |b|^2, |b|_1, their mixture or 0; more than two \
                    classes one against the rest; intercepts are not penalized",
        notes: "Choose it for very many rows, for sparse rows, or for rows that keep coming. It comes near the optimum in a few \
                epochs and stays near it; ridge, logistic and support vector machines find the optimum itself. Standardize \
                the columns: one step length serves them all. A row of weight 2 is a step twice as long. Of the losses, \
                log_loss has probabilities, those of modified_huber, squared_error, squared_hinge and exponential follow from \
                their minimizers, and the others give the logistic function of the score, which is not calibrated.",
        reference: "L. Bottou (2012), Stochastic gradient descent tricks; B. Widrow, M. E. Hoff (1960), Adaptive switching circuits",
        family: Family::Linear,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, sparse: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "loss",
                doc: "The loss of a row. For classes: hinge (a linear support vector machine), log_loss (logistic regression), \
                      modified_huber, squared_hinge, exponential, perceptron, linear. For numbers and for classes as numbers \
                      -1 and 1: squared_error, absolute_error, huber, epsilon_insensitive, squared_epsilon_insensitive, \
                      quantile. auto is hinge for classes and squared_error for numbers.",
                range: Range::Choice(&[
                    "auto",
                    "hinge",
                    "log_loss",
                    "modified_huber",
                    "squared_hinge",
                    "exponential",
                    "perceptron",
                    "linear",
                    "squared_error",
                    "absolute_error",
                    "huber",
                    "epsilon_insensitive",
                    "squared_epsilon_insensitive",
                    "quantile",
                ]),
            },
            ParamSpec {
                name: "penalty",
                doc: "The penalty on the weights: l2, half their squares; l1, their absolute values, which makes weights exactly 0; \
                      elasticnet, both; none.",
                range: Range::Choice(&["l2", "l1", "elasticnet", "none"]),
            },
            ParamSpec {
                name: "alpha",
                doc: "The strength of the penalty; the steps of learning_rate=optimal depend on it too.",
                range: Range::Real { min: 0.0, max: f64::MAX, above: false, log: true },
            },
            ParamSpec { name: "l1_ratio", doc: "The share of the absolute values in an elasticnet penalty.", range: SHARE },
            ParamSpec {
                name: "fit_intercept",
                doc: "Whether scores have an intercept, which is not penalized.",
                range: Range::Bool,
            },
            ParamSpec { name: "max_iter", doc: "Epochs at most.", range: Range::int_from(1) },
            ParamSpec {
                name: "tol",
                doc: "An epoch whose objective (or score, with early_stopping) is not better by this much than the best so far counts \
                      as one without improvement. null goes through all epochs.",
                range: Range::Optional(&Range::at_least(0.0)),
            },
            ParamSpec {
                name: "n_iter_no_change",
                doc: "Epochs in a row without improvement after which the fit ends.",
                range: Range::int_from(1),
            },
            ParamSpec { name: "shuffle", doc: "Whether every epoch has an order of its own.", range: Range::Bool },
            ParamSpec {
                name: "epsilon",
                doc: "Where the huber loss turns; half the width of the band in which the epsilon_insensitive losses are 0.",
                range: Range::at_least(0.0),
            },
            ParamSpec { name: "quantile", doc: "The level of the quantile loss.", range: SHARE },
            ParamSpec {
                name: "learning_rate",
                doc: "The length of step t: constant, eta0; optimal, 1/(alpha (t0 + t - 1)); invscaling, eta0/t^power_t; inverse, \
                      eta0/(1 + decay (t - 1)); step, eta0 times drop for every drop_every epochs; adaptive, eta0 divided by 5 \
                      whenever there is no improvement; pa1 and pa2, passive-aggressive steps of at most or about eta0. auto \
                      is optimal for classes and invscaling for numbers.",
                range: Range::Choice(&["auto", "constant", "optimal", "invscaling", "inverse", "step", "adaptive", "pa1", "pa2"]),
            },
            ParamSpec {
                name: "eta0",
                doc: "The first step. null is 0.01, or less where rows are so long that such a step would overshoot.",
                range: Range::Optional(&Range::above(0.0)),
            },
            ParamSpec {
                name: "power_t",
                doc: "The exponent of learning_rate=invscaling.",
                range: Range::Real { min: f64::NEG_INFINITY, max: f64::MAX, above: true, log: false },
            },
            ParamSpec { name: "decay", doc: "The decay of learning_rate=inverse.", range: Range::at_least(0.0) },
            ParamSpec {
                name: "drop",
                doc: "The factor of learning_rate=step.",
                range: Range::Real { min: 0.0, max: 1.0, above: true, log: false },
            },
            ParamSpec { name: "drop_every", doc: "Epochs between two drops.", range: Range::int_from(1) },
            ParamSpec {
                name: "batch_size",
                doc: "Rows in a step, whose gradients are averaged.",
                range: Range::Int { min: 1, max: 1 << 24 },
            },
            ParamSpec {
                name: "early_stopping",
                doc: "Whether a share of the rows is set aside and the score on them (accuracy, or r2) decides when to end. A \
                      validation set given to the fit takes the place of that share.",
                range: Range::Bool,
            },
            ParamSpec { name: "validation_fraction", doc: "The share of the rows set aside.", range: INSIDE },
            ParamSpec {
                name: "class_weight",
                doc: "Factors on the weights of the rows by class: an object of class names and factors (1 for classes not \
                      named), or \"balanced\", n / (number of classes x weight of the class). Of more than two classes, each \
                      against the rest, the factor counts for the class itself.",
                range: Range::Optional(&Range::Either(&Range::Choice(&["balanced"]), &Range::Any)),
            },
            ParamSpec {
                name: "average",
                doc: "Whether the model is the average of the weights of all steps, or from which step on it is.",
                range: Range::Either(&Range::Bool, &Range::Int { min: 0, max: i64::MAX }),
            },
            ParamSpec {
                name: "preset",
                doc: "A named choice that stands above loss, penalty and learning_rate: widrow_hoff, the least-mean-squares rule \
                      (squared loss, no penalty, constant steps), whose bound 2/lambda_max on eta0 is in the certificate.",
                range: Range::Optional(&Range::Choice(&["widrow_hoff"])),
            },
        ],
    };

    const PARTIAL_FIT: Option<FitFrom<Self>> = Some(resume);

    const ROW_ORDER_MATTERS: bool = true;

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        if let Some(ClassWeight::Factors(factors)) = &self.class_weight
            && let Some((name, value)) = factors.iter().find(|f| !(f.1.is_finite() && *f.1 >= 0.0))
        {
            return Err(Self::parameter_error("class_weight", format!("{name}: {value}"), "factors are finite and not negative"));
        }
        if self.learning_rate == LearningRate::Optimal && self.alpha == 0.0 {
            return Err(Self::parameter_error(
                "alpha",
                0.0,
                "learning_rate=optimal derives its steps from alpha, which must be above 0",
            ));
        }
        let passive = matches!(self.learning_rate, LearningRate::Pa1 | LearningRate::Pa2);
        if passive && !matches!(self.loss, SgdLoss::Auto | SgdLoss::Hinge | SgdLoss::EpsilonInsensitive) {
            let value = serde_json::to_string(&self.loss).unwrap_or_default();
            return Err(Self::parameter_error("loss", value, "passive-aggressive steps need hinge or epsilon_insensitive"));
        }
        Ok(())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<SgdModel> {
        self.fit_from(None, data, cx, false)
    }

    fn load(input: &ModelReader) -> Result<SgdModel> {
        load(input)
    }
}
