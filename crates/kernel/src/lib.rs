//! Kernel machines.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod kernel;
pub mod kernel_pca;
pub mod svm;

/// The learners of this crate, in the order of the catalogue.
pub const LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(svm::Svm::default()),
    || Box::new(kernel::KernelRidge::default()),
    || Box::new(kernel::Nystroem::default()),
    || Box::new(kernel::RandomFourier::default()),
    || Box::new(kernel_pca::KernelPca::default()),
];
