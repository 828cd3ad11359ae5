//! Kernels of networks, in f32 to train and in f64 to check gradients: products with weights stored in panels,
//! convolution as such a product without copies of its windows, pooling, activations, steps of optimizers.
//!
//! Every element of a product is one sum, in the order of the inner index with one rounding per term where the
//! processor has fused multiply-add. So its bits depend neither on the rows around it nor on how rows are split among
//! threads.

mod activation;
mod buffer;
mod convolve;
mod dropout;
mod float;
mod gradient;
mod lanes;
mod norm;
mod pool;
mod product;
mod step;
mod tile;
mod zero_skip;

#[cfg(test)]
mod tests;

pub use activation::{ActivationFn, apply, apply_derivative};
pub use buffer::AlignedBuffer;
pub use convolve::{Convolution, Workspace};
pub use dropout::dropout;
pub use float::Float;
pub use gradient::{GradInput, column_sums, dense_gradient};
pub use norm::{BlockMoments, normalize, normalize_gradient, normalize_sums};
pub use pool::{Pool, PoolKind};
pub use product::{DenseBlock, TransposedPanel, WeightPanels, dense, dense_by_panels, padded};
pub use step::{OptimizerRule, OptimizerSlots, step};
pub use tile::Epilogue;
pub use zero_skip::ZeroMask;
