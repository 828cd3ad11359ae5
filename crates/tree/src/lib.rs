//! Trees and ensembles of trees.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod boosting;
mod columns;
mod stream;
pub mod stump_boosting;
#[cfg(test)]
mod test_rows;
pub mod tree;

/// The learners of this crate, in the order people see them.
pub const LEARNERS: &[ermine_core::MakeLearner] = &[
    || Box::new(tree::Tree::default()),
    || Box::new(tree::forest::RandomForest::default()),
    || Box::new(tree::gradient_boosting::GradientBoosting::default()),
    || Box::new(tree::C45::default()),
    || Box::new(boosting::Boosting::default()),
];
