//! Networks: layers, training, perceptrons, convolution, autoencoder and generative adversarial networks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod architecture;
mod autoencoder;
mod cells;
mod check;
mod convnet;
mod course;
mod file;
mod gan;
mod lbfgs;
mod mlp;
mod model;
mod network;
mod optimiser;
mod parts;
mod pass;
mod plan;
mod schedule;
mod shape;
mod supervised;
mod text;
mod trainer;
mod watch;

pub use architecture::{Activation, Architecture, Embedding, Layer, PoolKind};
pub use autoencoder::{Autoencoder, AutoencoderModel, AutoencoderSolver};
pub use check::{GradientError, gradient_check};
pub use convnet::ConvNet;
pub use gan::{Gan, GanModel};
pub use mlp::{ActivationName, Mlp, MlpSolver, ScheduleName};
pub use model::NetworkModel;
pub use network::{InferenceScratch, Network, WeightInit};
pub use optimiser::{Optimizer, UpdateRule};
pub use plan::LayerWeights;
pub use schedule::LearningRateSchedule;
pub use shape::Shape;
pub use supervised::{Balanced, ClassWeight, RegressionLoss};
pub use trainer::Trainer;
pub use watch::Histogram;

pub use ermine_math::network::Float;
