//! Networks: layers, training, perceptrons, convolution, autoencoder and generative adversarial networks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod architecture;
mod check;
mod network;
mod optimiser;
mod pass;
mod plan;
mod shape;
mod text;
mod trainer;

pub use architecture::{Activation, Architecture, Embedded, Layer, PoolKind};
pub use check::{GradientError, gradient_check};
pub use network::{Init, Network, Scratch};
pub use optimiser::{Method, Optimiser};
pub use plan::Weights;
pub use shape::Shape;
pub use trainer::Trainer;

pub use ermine_math::network::Float;
