//! Dimension reduction.

mod incremental;
mod pca;

pub use incremental::{IncrementalPca, IncrementalPcaModel};
pub use pca::{AutoWord, ComponentCount, ComponentsRule, Pca, PcaModel, PcaSolver, PowerIterations};
