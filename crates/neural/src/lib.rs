//! Networks: layers, training, perceptrons, convolution, autoencoder and generative adversarial networks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

mod architecture;
mod autoencoder;
#[cfg(feature = "fit")]
mod check;
mod convnet;
mod file;
mod forward_backward;
mod gan;
mod histograms;
mod input;
#[cfg(feature = "fit")]
mod lbfgs;
mod mlp;
mod model;
mod network;
mod optimizer;
mod plan;
mod schedule;
mod shape;
mod supervised;
mod text;
#[cfg(feature = "fit")]
mod trainer;
mod training;
#[cfg(feature = "fit")]
mod weight_chunks;

pub use architecture::{Activation, Architecture, Embedding, Layer, PoolKind};
pub use autoencoder::{Autoencoder, AutoencoderModel, AutoencoderSolver};
#[cfg(feature = "fit")]
pub use check::{GradientError, gradient_check};
pub use convnet::ConvNet;
pub use ermine_core::ClassWeight;
pub use ermine_math::nn::OptimizerRule;
pub use gan::{Gan, GanModel};
pub use histograms::Histogram;
pub use mlp::{ActivationName, Mlp, MlpSolver, ScheduleName};
pub use model::NetworkModel;
pub use network::{InferenceScratch, Network, WeightInit};
pub use optimizer::Optimizer;
pub use plan::LayerWeights;
pub use schedule::LearningRateSchedule;
pub use shape::Shape;
pub use supervised::RegressionLoss;
#[cfg(feature = "fit")]
pub use trainer::Trainer;

pub use ermine_math::nn::Float;

/// The learners of this crate, in the order of the catalogue.
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(Mlp::default()),
    || Box::new(ConvNet::default()),
    || Box::new(Autoencoder::default()),
    || Box::new(Gan::default()),
];

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "mlp" => |file| NetworkModel::load("mlp", file),
    "convnet" => |file| NetworkModel::load("convnet", file),
    "autoencoder" => AutoencoderModel::load,
    "gan" => gan::load,
];
