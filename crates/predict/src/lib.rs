//! Opens model files and predicts, without anything that trains.
//!
//! [`load`] reads the file of any learner whose family is compiled in: single models, pipelines with their preparation, ensembles.
//! Columns are matched by name.
//!
//! ```
//! # fn main() -> ermine_predict::Result<()> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/models/pipeline-regression-format1.ermine");
//! let model = ermine_predict::load(path)?;
//! let row = model.row([("width", 1.0.into()), ("height", 2.0.into()), ("depth", 0.5.into())])?;
//! assert!(model.predict(&row)?[(0, 0)].is_finite());
//! # Ok(())
//! # }
//! ```
//!
//! The traits of [`Predictor::model`] take rows without names: [`Features`] of a matrix, dense or sparse.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod predictor;
mod row;

pub use ermine_core::file::TargetInfo;
pub use ermine_core::{
    Classifier, Clusterer, Column, Csr, CsrRef, Density, Error, Features, Mat, MatRef, Model, Regressor, Result, Schema, Table,
    Transformer,
};
pub use predictor::{Predictor, load};
pub use row::RowCell;
