//! Convolutional networks for images.

use ermine_core::{
    Accepts, ClassWeight, Context, DatasetRef, Error, Family, FitFrom, Learner, ModelReader, ParamSpec, Range, Result, Spec, Task,
};
use serde::{Deserialize, Serialize};

use crate::model::NetworkModel;
use crate::supervised::{RegressionLoss, Supervised};
use crate::training::TrainingOptions;
use crate::{Architecture, LearningRateSchedule, Optimizer, OptimizerRule, Shape, WeightInit};

/// Convolutions, pooling, and dense layers behind them; classes by softmax, or numbers.
///
/// # What it minimizes
/// 1/Σw Σᵢ wᵢ loss(yᵢ, f(xᵢ)), the loss being the negative log-probability of the right class, or half the squared error.
/// Weight decay is separate.
///
/// # When to use it
/// Rows are images (or lines of a signal) whose columns are pixels in their order: line by line, the channels of a pixel
/// side by side. `input` gives the shape; without it, a square number of columns is a square image of one channel, and
/// others are one line.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, Mat, Model, OwnedTarget};
/// use ermine_neural::ConvNet;
///
/// // Bars of four points that stand or lie, anywhere in images of 6 x 6.
/// let bar = |i: usize, p: usize| {
///     let (line, start) = (i / 2 % 6, i / 12 % 3);
///     let (y, x) = if i % 2 == 0 { (p / 6, p % 6) } else { (p % 6, p / 6) };
///     f64::from(u8::from(y == line && (start..start + 4).contains(&x)))
/// };
/// let x = Mat::from_fn(36, 36, bar);
/// let y = OwnedTarget::from_labels(&(0..36).map(|i| ["lies", "stands"][i % 2]).collect::<Vec<_>>());
/// let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view());
/// let net = ConvNet { layers: Some("conv(6,3) relu globalpool".parse()?), max_iter: 150, learning_rate_init: 0.02, ..ConvNet::default() };
/// let model = net.fit_with(&data, &Context::default())?;
/// let predicted = model.as_classifier().unwrap().classify(&data.x)?;
/// assert!((0..36).all(|i| predicted[i] as usize == i % 2));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// See [`ConvNet::SPEC`](Learner::SPEC).
///
/// # Cost
/// Six operations per weight and position in each epoch, in f32; memory for a batch between all layers.
///
/// # What it does not do
/// Images are not augmented.
///
/// # Reference
/// LeCun, Bottou, Bengio, Haffner (1998), Gradient-based learning applied to document recognition; Ioffe, Szegedy (2015),
/// Batch normalization; Srivastava et al. (2014), Dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConvNet {
    /// All layers but the last.
    pub layers: Option<Architecture>,
    /// The shape of an image.
    pub input: Option<Shape>,
    /// The initial learning rate of Adam.
    pub learning_rate_init: f64,
    /// Whether the learning rate falls to 0 over the epochs, along a cosine.
    pub cosine: bool,
    /// Weight decay: the share of a weight that a step subtracts, times the learning rate.
    pub weight_decay: f64,
    /// Rows of a batch.
    pub batch_size: usize,
    /// Most epochs.
    pub max_iter: u64,
    /// Improvement below which an epoch does not count as one; `None` runs all epochs.
    pub tol: Option<f64>,
    /// Epochs without improvement after which training ends.
    pub n_iter_no_change: u64,
    /// Gradient clipping: the largest norm of the gradient.
    pub clip: Option<f64>,
    /// Whether the score on a validation set decides when to stop.
    pub early_stopping: bool,
    /// The share of the rows in the validation set.
    pub validation_fraction: f64,
    /// Factors on the weights of rows, by class.
    pub class_weight: Option<ClassWeight>,
    /// Whether the channels are standardized.
    #[serde(rename = "standardise")]
    pub standardize: bool,
}

impl Default for ConvNet {
    fn default() -> Self {
        Self {
            layers: None,
            input: None,
            learning_rate_init: 1e-3,
            cosine: true,
            weight_decay: 0.01,
            batch_size: 64,
            max_iter: 12,
            tol: None,
            n_iter_no_change: 5,
            clip: None,
            early_stopping: false,
            validation_fraction: 0.1,
            class_weight: None,
            standardize: true,
        }
    }
}

/// The shape of columns when none is given: a square, or a line.
fn guess_shape(columns: usize) -> Shape {
    let side = columns.isqrt();
    if side > 1 && side * side == columns { Shape::image(side, side, 1) } else { Shape::image(1, columns, 1) }
}

/// The default layers for an image: two convolutions with pooling where there is room for them, else one.
fn default_layers(shape: Shape) -> &'static str {
    match shape.height.min(shape.width) {
        12.. => "conv(32,3,pad=1) relu pool(2) conv(64,3,pad=1) relu pool(2) dropout(0.25) dense(128) relu dropout(0.5)",
        4.. => "conv(16,3,pad=1) relu pool(2) dense(64) relu dropout(0.25)",
        _ => "conv(16,3,pad=1) relu dense(64) relu",
    }
}

impl ConvNet {
    #[cfg(feature = "fit")]
    fn supervised<'a>(&'a self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Supervised<'a>> {
        let input = self.input.unwrap_or_else(|| guess_shape(data.cols()));
        if input.checked_len() != Some(data.cols()) {
            return Err(Error::parameter(
                Self::SPEC.name,
                "input",
                format!("\"{input}\""),
                format!("it must have as many points times channels as there are columns, {}", data.cols()),
            ));
        }
        let hidden = match &self.layers {
            Some(layers) => layers.clone(),
            None => default_layers(input).parse()?,
        };
        let method = OptimizerRule::Adam { beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8 };
        let plan = TrainingOptions {
            optimizer: Optimizer { method, rate: self.learning_rate_init, l2: 0.0, decay: self.weight_decay, clip: self.clip },
            schedule: if self.cosine {
                LearningRateSchedule::Cosine { epochs: self.max_iter }
            } else {
                LearningRateSchedule::Constant
            },
            epochs: self.max_iter,
            batch: self.batch_size.min(data.rows()).max(1),
            shuffle: true,
            alpha: 0.0,
            tol: self.tol,
            patience: self.n_iter_no_change,
            seed: cx.seed,
        };
        Ok(Supervised {
            spec: &Self::SPEC,
            hidden,
            input,
            init: WeightInit::Auto,
            plan,
            lbfgs: None,
            early_stopping: self.early_stopping,
            validation_fraction: self.validation_fraction,
            class_weight: self.class_weight.as_ref(),
            loss: RegressionLoss::SquaredError,
            scale_target: true,
            scale_input: self.standardize,
        })
    }
}

/// All epochs, or those that remain from a checkpoint.
#[cfg(feature = "fit")]
fn warm_start(net: &ConvNet, model: Option<&NetworkModel>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<NetworkModel> {
    net.check()?;
    data.check(&ConvNet::SPEC)?;
    net.supervised(data, cx)?.fit(data, cx, model, false, false)
}

#[cfg(feature = "fit")]
impl Learner for ConvNet {
    type Model = NetworkModel;

    const SPEC: Spec = Spec {
        name: "convnet",
        summary: "Convolutional network for images, to classes or numbers",
        objective: "min 1/n sum_i w_i loss(y_i, f(x_i)); f = filters that slide over the image, pools, dense layers; -log p of the class, or \
                    half the squared error; decoupled weight decay beside it",
        notes: "Choose it where columns are the points of an image or the times of a signal, in their order. The channels of a point lie \
                side by side; input says the shape (28x28, 32x32x3). Trains by AdamW in f32. A local minimum that depends on the seed.",
        reference: "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner (1998), Gradient-based learning applied to document recognition",
        family: Family::Neural,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "layers",
                doc: "All layers but the last, as a line of text: \"conv(6,5,pad=2) relu pool(2) conv(16,5) relu pool(2) dense(120) relu\". \
                      null takes two convolutions of 32 and 64 filters with pools and dropout, fewer for small images.",
                range: Range::Optional(&Range::Text),
            },
            ParamSpec {
                name: "input",
                doc: "The shape of an image, height x width x channels: \"28x28\", \"32x32x3\". null takes a square of one channel where the \
                      columns make one, else one line.",
                range: Range::Optional(&Range::Text),
            },
            ParamSpec { name: "learning_rate_init", doc: "The first rate of Adam.", range: Range::above(0.0) },
            ParamSpec { name: "cosine", doc: "Whether the rate falls to 0 over the epochs, along a cosine.", range: Range::Bool },
            ParamSpec {
                name: "weight_decay",
                doc: "A step also takes away this share of each weight, times the rate.",
                range: Range::at_least(0.0),
            },
            ParamSpec { name: "batch_size", doc: "Rows of a batch.", range: Range::Int { min: 1, max: 1 << 20 } },
            ParamSpec { name: "max_iter", doc: "Epochs at most.", range: Range::int_from(1) },
            ParamSpec {
                name: "tol",
                doc: "Improvement of the loss, or of the score with early stopping, below which an epoch counts as none; null goes through \
                      all epochs.",
                range: Range::Optional(&Range::at_least(0.0)),
            },
            ParamSpec {
                name: "n_iter_no_change",
                doc: "Epochs without improvement after which it ends.",
                range: Range::int_from(1),
            },
            ParamSpec {
                name: "clip",
                doc: "The gradient of all weights together is scaled down to this length where it is longer; null leaves it.",
                range: Range::Optional(&Range::above(0.0)),
            },
            ParamSpec {
                name: "early_stopping",
                doc: "Whether the score on a validation set decides when to stop; the weights of its best epoch are the result.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "validation_fraction",
                doc: "The share of the rows set aside.",
                range: Range::Real { min: 0.0, max: 0.999_999_999, above: true, log: false },
            },
            ParamSpec {
                name: "class_weight",
                doc: "Factors on the weights of the rows: null, \"balanced\", or one per class.",
                range: Range::Any,
            },
            ParamSpec {
                name: "standardise",
                doc: "Whether the channels are standardized; the model stores the shift and the scale.",
                range: Range::Bool,
            },
        ],
    };

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
