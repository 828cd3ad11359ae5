//! Reduction: few columns that say much.

mod incremental;
mod kernel_pca;
mod pca;

pub use incremental::{IncrementalPca, IncrementalPcaModel};
pub use kernel_pca::{EigenSolver, KernelPca, KernelPcaModel};
pub use pca::{AutoWord, ComponentCount, ComponentsRule, Pca, PcaModel, PcaSolver, PowerIterations};
