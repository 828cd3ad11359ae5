//! Reduction: few columns that say much.

mod dimension;
mod pca;

pub use pca::{AutoWord, Components, Likely, Pca, PcaModel, Power, Solver};
