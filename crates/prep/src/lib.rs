//! Preparation of columns: preprocessing, feature maps, principal components.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

pub mod decomposition;
pub mod features;
mod one_row;
pub mod preprocessing;

/// The learners of this crate, in the order of the catalogue.
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] = &[
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

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "pca" => decomposition::PcaModel::load,
    "incremental-pca" => decomposition::IncrementalPcaModel::load,
    "standardise" => preprocessing::StandardizeModel::load,
    "min-max" => preprocessing::MinMaxModel::load,
    "one-hot" => preprocessing::OneHotModel::load,
    "ordinal" => preprocessing::OrdinalModel::load,
    "impute" => preprocessing::ImputeModel::load,
    "prepare" => preprocessing::PrepareModel::load,
    "polynomial" => features::PolynomialModel::load,
    "spline" => features::SplineModel::load,
    "fourier" => features::FourierModel::load,
    "radial" => features::RadialModel::load,
    "uncorrelate" => features::UncorrelateModel::load,
];
