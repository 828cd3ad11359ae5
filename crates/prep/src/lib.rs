//! Preparation of columns: preprocessing, feature maps, principal components.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod decomposition;
pub mod features;
pub mod preprocessing;

/// The learners of this crate, in the order of the catalogue.
pub const LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(decomposition::Pca::default()),
    || Box::new(decomposition::IncrementalPca::default()),
    || Box::new(preprocessing::StandardScaler::default()),
    || Box::new(preprocessing::MinMax::default()),
    || Box::new(preprocessing::OneHot::default()),
    || Box::new(preprocessing::Ordinal::default()),
    || Box::new(preprocessing::Impute::default()),
    || Box::new(preprocessing::Prepare::default()),
    || Box::new(features::Polynomial::default()),
    || Box::new(features::Spline::default()),
    || Box::new(features::Fourier::default()),
    || Box::new(features::Radial::default()),
    || Box::new(features::Uncorrelate::default()),
];
