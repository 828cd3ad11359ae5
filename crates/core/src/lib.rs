//! The contract of Ermine.
//!
//! Everything the toolkit agrees on lives here and nothing else does: how data is looked at ([`MatRef`],
//! [`CsrRef`], [`TableRef`], [`Dataset`], [`Schema`]), what a learner and a model are ([`Learner`], [`Model`],
//! [`AnyLearner`]), how parameters and capabilities are declared ([`Spec`]), what a fit may consult ([`Context`]) and
//! must bring back ([`Certificate`], [`Trace`], [`Report`]), how learning scales ([`PassLearner`]), where random numbers
//! come from ([`Stream`]) and how a model is kept ([`ModelWriter`], [`ModelReader`]).
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod context;
mod dataset;
mod error;
mod evidence;
pub mod file;
mod fingerprint;
mod folds;
mod joint;
mod learner;
mod matrix;
mod output;
mod pass;
mod report;
mod rng;
mod schema;
mod sparse;
mod spec;
mod suggest;
mod table;

pub use context::{Checkpoints, Context, Flow, Keep, Offset, Progress};
pub use dataset::{Dataset, Features, OwnedDataset, OwnedFeatures, OwnedTarget, Target};
pub use error::{Error, Result};
pub use evidence::{Certificate, Trace};
pub use file::{ModelReader, ModelWriter};
pub use fingerprint::{Fingerprint, hash_of_file};
pub use folds::{Cut, FitWithout, FoldTotals, FoldedFit, LeftOut, See, Without};
pub use joint::{FitEach, JointFit, Take};
pub use learner::{
    Additive, AnyLearner, Classifier, Clusterer, Density, Explained, Learner, Model, NOISE, Neighbours, Regressor, Resume,
    StreamFit, Transformer, argmax_rows, with_most_probable,
};
pub use matrix::{Mat, MatRef};
pub use output::OutputFile;
pub use pass::{
    BLOCK_ROWS, Mapped, Partial, PassLearner, RowSource, Step, drive, drive_source, drive_with_blocks, gather, gather_source,
    gather_source_from, hold,
};
pub use report::{Branch, Cell, Curve, Meaning, Report, Section};
pub use rng::Stream;
pub use schema::{ColumnKind, ColumnRef, Field, Schema};
pub use sparse::{Csr, CsrRef};
pub use spec::{Accepts, Cells, Family, ParamSpec, Range, Spec, Task};
pub use suggest::nearest;
pub use table::{Bitmap, Column, MISSING_CODE, Table, TableRef};
