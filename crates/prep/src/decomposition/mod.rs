//! Dimension reduction.

mod incremental;
mod pca;

pub use incremental::{IncrementalPca, IncrementalPcaModel};
pub use pca::Pca;
pub use pca::{AutoWord, PowerIterations};
pub use pca::{ComponentCount, ComponentsRule, PcaModel, PcaSolver};
