//! The multi-layer perceptron.

use ermine_core::{
    Accepts, ClassWeight, Context, DatasetRef, Error, Family, FitFrom, Learner, ModelReader, ParamSpec, Range, Result, Spec, Task,
};
use serde::{Deserialize, Serialize};

use crate::model::NetworkModel;
use crate::supervised::{RegressionLoss, Supervised};
use crate::training::TrainingOptions;
use crate::{Activation, Architecture, Layer, LearningRateSchedule, Optimizer, OptimizerRule, Shape, WeightInit};

/// Multi-layer perceptron: dense layers with an activation each; classes by softmax, or numbers.
///
/// # What it minimizes
/// 1/Σw (Σᵢ wᵢ loss(yᵢ, f(xᵢ)) + alpha/2 Σ w²), biases not penalized. The loss of classes is the negative log-probability
/// of the right one, that of numbers half the squared error (or as `loss` says).
///
/// # When to use it
/// For smooth relations among many columns of one kind: pixels, sensors. On tables of mixed columns, boosted trees are
/// usually better and need no scaling. Standardize the columns (the command line does so by default).
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Model, OwnedTarget};
/// use ermine_neural::Mlp;
///
/// // Either, but not both: no line separates these.
/// let x = [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
/// let y = OwnedTarget::from_labels(&["no", "yes", "yes", "no"]);
/// let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 4, 2))).with_target(y.view());
/// let mlp = Mlp { hidden_layer_sizes: vec![8], learning_rate_init: 0.05, max_iter: 500, ..Mlp::default() };
/// let model = mlp.fit_with(&data, &Context::default())?;
/// assert_eq!(model.as_classifier().unwrap().classify(&data.x)?, [0, 1, 1, 0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// See [`Mlp::SPEC`](Learner::SPEC), which is also the text on the command line and in Python.
///
/// # Cost
/// About six operations per weight and row in each epoch, in f32; memory for four copies of the weights and for a batch
/// between all layers. Rows are never copied.
///
/// # What it does not do
/// It finds a local minimum that depends on the seed. Weight 2 doubles the gradient of a row; it is not the row twice.
///
/// # Reference
/// Rumelhart, Hinton, Williams (1986), Learning representations by back-propagating errors; Kingma, Ba (2015), Adam.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("MLPClassifier", "MLPRegressor"))]
pub struct Mlp {
    /// Units of each hidden layer.
    pub hidden_layer_sizes: Vec<usize>,
    /// Activation after each hidden layer.
    pub activation: ActivationName,
    /// Hidden layers as text, instead of the two above.
    pub layers: Option<Architecture>,
    /// The loss of numbers.
    pub loss: RegressionLoss,
    /// The optimizer.
    pub solver: MlpSolver,
    /// The penalty on squared weights.
    pub alpha: f64,
    /// Weight decay: the share of a weight that a step subtracts, times the learning rate.
    pub weight_decay: f64,
    /// Rows of a batch; `None` for 200, or all where there are fewer.
    pub batch_size: Option<usize>,
    /// The learning-rate schedule.
    pub learning_rate: ScheduleName,
    /// The initial learning rate.
    pub learning_rate_init: f64,
    /// The exponent of `Invscaling`.
    pub power_t: f64,
    /// γ of `Inverse`.
    pub decay: f64,
    /// The factor of `Step`.
    pub drop: f64,
    /// Epochs between two drops of `Step`.
    pub drop_every: u64,
    /// Most epochs.
    pub max_iter: u64,
    /// Whether rows are shuffled in every epoch.
    pub shuffle: bool,
    /// Improvement below which an epoch does not count as one; `None` runs all epochs.
    pub tol: Option<f64>,
    /// Epochs without improvement after which training ends.
    pub n_iter_no_change: u64,
    /// The momentum of `sgd`.
    pub momentum: f64,
    /// Whether it is Nesterov momentum.
    pub nesterovs_momentum: bool,
    /// β₁ of Adam.
    pub beta_1: f64,
    /// β₂ of Adam.
    pub beta_2: f64,
    /// ε of Adam, RMSprop and Adagrad.
    pub epsilon: f64,
    /// Gradient clipping: the largest norm of the gradient.
    pub clip: Option<f64>,
    /// Whether the score on a validation set decides when to stop.
    pub early_stopping: bool,
    /// The share of the rows in the validation set.
    pub validation_fraction: f64,
    /// Factors on the weights of rows, by class.
    pub class_weight: Option<ClassWeight>,
    /// Dropout rate of the hidden layers.
    pub dropout: f64,
    /// Distribution of the initial weights.
    pub init: WeightInit,
    /// Whether numeric targets are standardized in training.
    pub scale_target: bool,
    /// Most evaluations of L-BFGS.
    pub max_fun: u64,
}

/// An activation by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // The formulas stand with `Activation`.
pub enum ActivationName {
    Identity,
    Logistic,
    Tanh,
    Relu,
    LeakyRelu,
    Gelu,
}

impl ActivationName {
    /// The activation.
    pub fn activation(self) -> Activation {
        match self {
            Self::Identity => Activation::Identity,
            Self::Logistic => Activation::Sigmoid,
            Self::Tanh => Activation::Tanh,
            Self::Relu => Activation::Relu,
            Self::LeakyRelu => Activation::LeakyRelu { slope: 0.01 },
            Self::Gelu => Activation::Gelu,
        }
    }
}

/// Optimizers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The formulas stand with `Method`.
pub enum MlpSolver {
    Adam,
    Sgd,
    Rmsprop,
    Adagrad,
    /// All rows at once, in f64.
    Lbfgs,
}

/// Learning-rate schedules, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // The formulas stand with `Schedule`.
pub enum ScheduleName {
    Constant,
    Invscaling,
    Adaptive,
    Step,
    Cosine,
    Inverse,
}

impl Default for Mlp {
    fn default() -> Self {
        Self {
            hidden_layer_sizes: vec![100],
            activation: ActivationName::Relu,
            layers: None,
            loss: RegressionLoss::SquaredError,
            solver: MlpSolver::Adam,
            alpha: 1e-4,
            weight_decay: 0.0,
            batch_size: None,
            learning_rate: ScheduleName::Constant,
            learning_rate_init: 1e-3,
            power_t: 0.5,
            decay: 1e-3,
            drop: 0.5,
            drop_every: 10,
            max_iter: 200,
            shuffle: true,
            tol: Some(1e-4),
            n_iter_no_change: 10,
            momentum: 0.9,
            nesterovs_momentum: true,
            beta_1: 0.9,
            beta_2: 0.999,
            epsilon: 1e-8,
            clip: None,
            early_stopping: false,
            validation_fraction: 0.1,
            class_weight: None,
            dropout: 0.0,
            init: WeightInit::GlorotWithBias,
            scale_target: true,
            max_fun: 15_000,
        }
    }
}

/// Default rows of a batch.
const BATCH: usize = 200;

impl Mlp {
    fn hidden(&self) -> Architecture {
        if let Some(layers) = &self.layers {
            return layers.clone();
        }
        let mut layers = Vec::new();
        for &units in &self.hidden_layer_sizes {
            layers.push(Layer::dense(units));
            layers.push(Layer::Activation(self.activation.activation()));
            if self.dropout > 0.0 {
                layers.push(Layer::Dropout { rate: self.dropout });
            }
        }
        Architecture { layers }
    }

    fn plan(&self, rows: usize, cx: &Context<'_>) -> TrainingOptions {
        let method = match self.solver {
            MlpSolver::Adam => OptimizerRule::Adam { beta_1: self.beta_1, beta_2: self.beta_2, epsilon: self.epsilon },
            MlpSolver::Sgd => {
                OptimizerRule::Sgd { momentum: self.momentum, nesterov: self.nesterovs_momentum && self.momentum > 0.0 }
            }
            MlpSolver::Rmsprop => OptimizerRule::RmsProp { rho: 0.9, epsilon: self.epsilon },
            MlpSolver::Adagrad => OptimizerRule::Adagrad { epsilon: self.epsilon },
            MlpSolver::Lbfgs => OptimizerRule::Sgd { momentum: 0.0, nesterov: false },
        };
        let schedule = match self.learning_rate {
            ScheduleName::Constant => LearningRateSchedule::Constant,
            ScheduleName::Invscaling => LearningRateSchedule::Invscaling { power: self.power_t },
            ScheduleName::Adaptive => LearningRateSchedule::Plateau { factor: 0.2, least: 1e-6 },
            ScheduleName::Step => LearningRateSchedule::Step { drop: self.drop, every: self.drop_every },
            ScheduleName::Cosine => LearningRateSchedule::Cosine { epochs: self.max_iter },
            ScheduleName::Inverse => LearningRateSchedule::Inverse { decay: self.decay },
        };
        TrainingOptions {
            optimizer: Optimizer { method, rate: self.learning_rate_init, l2: 0.0, decay: self.weight_decay, clip: self.clip },
            schedule,
            epochs: self.max_iter,
            batch: self.batch_size.unwrap_or(BATCH).min(rows).max(1),
            shuffle: self.shuffle,
            alpha: self.alpha,
            tol: self.tol,
            patience: self.n_iter_no_change,
            seed: cx.seed,
        }
    }

    #[cfg(feature = "fit")]
    fn supervised<'a>(&'a self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Supervised<'a> {
        Supervised {
            spec: &Self::SPEC,
            hidden: self.hidden(),
            input: Shape::flat(data.cols()),
            init: self.init,
            plan: self.plan(data.rows(), cx),
            lbfgs: (self.solver == MlpSolver::Lbfgs).then_some(self.max_fun),
            early_stopping: self.early_stopping,
            validation_fraction: self.validation_fraction,
            class_weight: self.class_weight.as_ref(),
            loss: self.loss,
            scale_target: self.scale_target,
            scale_input: false,
        }
    }

    /// One epoch on further rows, from `model`, or from the start. The optimizer state continues with it.
    #[cfg(feature = "fit")]
    pub fn partial_fit(&self, model: Option<&NetworkModel>, rows: &DatasetRef<'_>, cx: &Context<'_>) -> Result<NetworkModel> {
        let once = Self { early_stopping: false, tol: None, ..self.clone() };
        once.check()?;
        let mut fit = once.supervised(rows, cx);
        fit.plan.epochs = model.map_or(0, |m| m.stand.epochs) + 1;
        fit.fit(rows, cx, model, true, true)
    }
}

/// One epoch on further rows.
#[cfg(feature = "fit")]
fn partial_fit_from(mlp: &Mlp, model: Option<&NetworkModel>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<NetworkModel> {
    if mlp.solver == MlpSolver::Lbfgs {
        let expected = "rows that arrive in batches need another solver than lbfgs, which needs all at once".to_owned();
        return Err(Error::parameter(Mlp::SPEC.name, "solver", "\"lbfgs\"", expected));
    }
    mlp.partial_fit(model, data, cx)
}

/// All epochs, or those that remain from a checkpoint.
#[cfg(feature = "fit")]
fn warm_start(mlp: &Mlp, model: Option<&NetworkModel>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<NetworkModel> {
    mlp.check()?;
    mlp.supervised(data, cx).fit(data, cx, model, false, false)
}

const SHARE: Range = Range::Real { min: 0.0, max: 0.999_999_999, above: false, log: false };
const INSIDE: Range = Range::Real { min: 0.0, max: 0.999_999_999, above: true, log: false };

#[cfg(feature = "fit")]
impl Learner for Mlp {
    type Model = NetworkModel;

    const SPEC: Spec = Spec {
        name: "mlp",
        summary: "Multi-layer perceptron for classes or numbers",
        objective: "min 1/n (sum_i w_i loss(y_i, f(x_i)) + alpha/2 sum w^2); f = layers of weighted sums behind activations; -log p of \
                    the class, or half the squared error",
        notes: "Choose it for smooth relations among many columns of one kind; on tables of mixed columns boosted trees are usually \
                better. Standardize the columns. It finds a local minimum that depends on the seed. Computes in f32; lbfgs in f64.",
        reference: "D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986), Learning representations by back-propagating errors; D. P. \
                    Kingma, J. Ba (2015), Adam: a method for stochastic optimization",
        family: Family::Neural,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, sparse: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "hidden_layer_sizes",
                doc: "Units of each hidden layer, from input to output.",
                range: Range::List(&Range::Int { min: 1, max: 1 << 20 }),
            },
            ParamSpec {
                name: "activation",
                doc: "The activation of each hidden layer: identity, logistic, tanh, relu, leaky_relu (0.01 below 0) or gelu.",
                range: Range::Choice(&["identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"]),
            },
            ParamSpec {
                name: "layers",
                doc: "Hidden layers as a line of text, instead of hidden_layer_sizes, activation and dropout: \"dense(64) batchnorm relu \
                      dropout(0.2) dense(32) tanh\".",
                range: Range::Optional(&Range::Text),
            },
            ParamSpec {
                name: "loss",
                doc: "The loss of numbers: squared_error, absolute_error, huber (absolute beyond 1), or poisson for counts, whose \
                      logarithm the network then gives. Classes have the cross-entropy.",
                range: Range::Choice(&["squared_error", "absolute_error", "huber", "poisson"]),
            },
            ParamSpec {
                name: "solver",
                doc: "How weights move: adam, sgd (with momentum), rmsprop, adagrad, or lbfgs, which takes all rows at once and is good for \
                      a few thousand.",
                range: Range::Choice(&["adam", "sgd", "rmsprop", "adagrad", "lbfgs"]),
            },
            ParamSpec { name: "alpha", doc: "The strength of the penalty on squares of weights.", range: Range::at_least(0.0) },
            ParamSpec {
                name: "weight_decay",
                doc: "Decoupled weight decay: a step also takes away this share of each weight, times the rate. With adam it is AdamW.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "batch_size",
                doc: "Rows of a batch; null takes 200, or all where there are fewer.",
                range: Range::Optional(&Range::int_from(1)),
            },
            ParamSpec {
                name: "learning_rate",
                doc: "The rate of step t and epoch e (from 0): constant; invscaling, init / (rows seen + 1)^power_t; adaptive, a fifth \
                      whenever nothing has improved for n_iter_no_change epochs; step, init drop^(e / drop_every); cosine, from init \
                      to 0 over max_iter epochs; inverse, init / (1 + decay t).",
                range: Range::Choice(&["constant", "invscaling", "adaptive", "step", "cosine", "inverse"]),
            },
            ParamSpec { name: "learning_rate_init", doc: "The first rate.", range: Range::above(0.0) },
            ParamSpec { name: "power_t", doc: "The exponent of invscaling.", range: Range::at_least(0.0) },
            ParamSpec { name: "decay", doc: "The decay of inverse.", range: Range::at_least(0.0) },
            ParamSpec {
                name: "drop",
                doc: "The factor of step.",
                range: Range::Real { min: 0.0, max: 1.0, above: true, log: false },
            },
            ParamSpec { name: "drop_every", doc: "Epochs between two drops of step.", range: Range::int_from(1) },
            ParamSpec { name: "max_iter", doc: "Epochs at most; steps at most with lbfgs.", range: Range::int_from(1) },
            ParamSpec { name: "shuffle", doc: "Whether every epoch has an order of its own.", range: Range::Bool },
            ParamSpec {
                name: "tol",
                doc: "Improvement of the loss, or of the score with early stopping, below which an epoch counts as none; null goes through \
                      all epochs. With lbfgs, the largest slope at which it ends.",
                range: Range::Optional(&Range::at_least(0.0)),
            },
            ParamSpec {
                name: "n_iter_no_change",
                doc: "Epochs without improvement after which it ends.",
                range: Range::int_from(1),
            },
            ParamSpec { name: "momentum", doc: "The momentum of sgd.", range: SHARE },
            ParamSpec { name: "nesterovs_momentum", doc: "Whether it is Nesterov's momentum.", range: Range::Bool },
            ParamSpec { name: "beta_1", doc: "The share of the old mean gradient in adam.", range: SHARE },
            ParamSpec { name: "beta_2", doc: "The share of the old mean square in adam.", range: SHARE },
            ParamSpec { name: "epsilon", doc: "Added to the root in adam, rmsprop and adagrad.", range: Range::above(0.0) },
            ParamSpec {
                name: "clip",
                doc: "The gradient of all weights together is scaled down to this length where it is longer; null leaves it.",
                range: Range::Optional(&Range::above(0.0)),
            },
            ParamSpec {
                name: "early_stopping",
                doc: "Whether the score on a validation set (accuracy, or r2) decides when to stop; the weights of its best epoch are the result.",
                range: Range::Bool,
            },
            ParamSpec { name: "validation_fraction", doc: "The share of the rows set aside.", range: INSIDE },
            ParamSpec {
                name: "class_weight",
                doc: "Factors on the weights of the rows: null, \"balanced\", or one per class.",
                range: Range::Any,
            },
            ParamSpec {
                name: "dropout",
                doc: "The share of the units of each hidden layer that is left out in a step.",
                range: SHARE,
            },
            ParamSpec {
                name: "init",
                doc: "What weights are drawn from: he, glorot, auto (he before relu and its relatives, glorot before others), or \
                      glorot-with-bias, which draws constants too.",
                range: Range::Choice(&["auto", "he", "glorot", "glorot-with-bias"]),
            },
            ParamSpec {
                name: "scale_target",
                doc: "Whether numbers to predict are brought to mean 0 and deviation 1 while training; the model gives them in their own \
                      units.",
                range: Range::Bool,
            },
            ParamSpec { name: "max_fun", doc: "Evaluations of the loss at most, with lbfgs.", range: Range::int_from(1) },
        ],
    };

    const PARTIAL_FIT: Option<FitFrom<Self>> = Some(partial_fit_from);
    const WARM_START: Option<FitFrom<Self>> = Some(warm_start);
    const ROW_ORDER_MATTERS: bool = true;
    const RANDOM_INIT: bool = true;

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<NetworkModel> {
        warm_start(self, None, data, cx)
    }

    fn load(input: &ModelReader) -> Result<NetworkModel> {
        NetworkModel::load(Self::SPEC.name, input)
    }
}
