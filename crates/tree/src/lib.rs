//! Trees and ensembles of trees.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
// What only training uses is left to the linker in a build without it.
#![cfg_attr(not(feature = "fit"), allow(dead_code, unused_imports, unused_macros))]

pub mod boosting;
#[cfg(feature = "fit")]
mod columns;
#[cfg(feature = "fit")]
mod stream;
pub mod stump_boosting;
#[cfg(test)]
mod test_rows;
pub mod tree;

/// The learners of this crate, in the order people see them.
#[cfg(feature = "fit")]
pub static LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(tree::Tree::default()),
    || Box::new(tree::forest::RandomForest::default()),
    || Box::new(tree::gradient_boosting::GradientBoosting::default()),
    || Box::new(tree::C45::default()),
    || Box::new(boosting::Boosting::default()),
];

/// What loads their models, in the same order.
pub const MODELS: &[(&str, ermine_core::LoadModel)] = ermine_core::saved_models![
    "tree" => tree::TreeModel::load,
    "forest" => tree::forest::ForestModel::load,
    "gradient-boosting" => tree::gradient_boosting::GradientBoostingModel::load,
    "c45" => tree::C45Model::load,
    "boosting" => boosting::BoostingModel::load,
];
