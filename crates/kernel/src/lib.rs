//! Kernel machines.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

pub mod kernel;
pub mod kernel_pca;
pub mod svm;

/// The learners of this crate, in the order of the catalogue.
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(svm::Svm::default()),
    || Box::new(kernel::KernelRidge::default()),
    || Box::new(kernel::Nystroem::default()),
    || Box::new(kernel::RandomFourier::default()),
    || Box::new(kernel_pca::KernelPca::default()),
];

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "svm" => svm::load,
    "kernel-ridge" => kernel::KernelRidgeModel::load,
    "nystroem" => kernel::NystroemModel::load,
    "rff" => kernel::RandomFourierModel::load,
    "kernel-pca" => kernel_pca::KernelPcaModel::load,
];
