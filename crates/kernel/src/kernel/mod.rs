//! Kernel ridge regression and kernel feature maps, and the choice of a kernel shared with the support vector machines.

mod choice;
mod maps;
mod ridge;

pub(crate) use crate::svm::{load_centers, save_centers};
pub(crate) use choice::resolve;
pub use choice::{GammaChoice, GammaRule, KernelChoice};
pub use maps::{Nystroem, NystroemModel, RandomFourier, RandomFourierModel};
pub use ridge::{AlphaChoice, KernelRidge, KernelRidgeModel, KernelRidgeSolver};
