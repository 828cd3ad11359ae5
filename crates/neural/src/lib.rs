//! Networks: layers, training, perceptrons, convolution, autoencoder and generative adversarial networks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod architecture;
mod shape;
mod text;

pub use architecture::{Activation, Architecture, Embedded, Layer, PoolKind};
pub use shape::Shape;
