//! The core contract of Ermine.
//!
//! Everything the other crates share: views of data ([`MatRef`], [`CsrRef`], [`TableRef`], [`Dataset`], [`DatasetRef`], [`Schema`]),
//! learners and models ([`Learner`], [`Model`], [`AnyLearner`]), the declaration of parameters and capabilities
//! ([`Spec`]), the context of a fit ([`Context`]) and its evidence ([`Certificate`], [`Trace`], [`Report`]), passes
//! over rows ([`PassLearner`]), random streams ([`RngStream`]) and model files ([`ModelWriter`], [`ModelReader`]).
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod blocks;
mod chunked_source;
mod class_weight;
mod context;
mod convert;
mod data;
mod dataset;
pub mod date;
mod error;
mod evidence;
pub mod file;
mod fingerprint;
mod folds;
pub mod format;
mod joint_fit;
mod learner;
mod matrix;
pub mod order;
mod output;
pub mod parallel;
mod param_changes;
mod pass;
pub mod predict;
mod report;
mod report_text;
mod rng;
mod roles;
mod row;
mod row_function;
mod row_learner;
mod schema;
mod sparse;
mod spec;
pub mod splits;
mod suggest;
mod table;
pub mod typed;

pub use chunked_source::ChunkedSource;
pub use class_weight::{BalancedWord, ClassWeight};
pub use context::{CancelToken, Checkpoints, Context, Flow, Offset, Progress, SaveModel};
pub use convert::{AsFeatures, AsLabels, AsTarget, FeatureRow, FeaturesCow, Label, Labels, TargetCow};
pub use data::{AsDataset, Dataset};
pub use dataset::{DatasetRef, Features, OwnedDataset, OwnedFeatures, OwnedTarget, Target};
pub use error::{Error, Result};
pub use evidence::{Certificate, Trace};
pub use file::{ModelReader, ModelWriter};
pub use fingerprint::{Fingerprint, hash_of_file};
pub use folds::{FitFromFoldSums, FoldAssignment, FoldFit, FoldTotals, LooPredictions, TrainingView, VisitRows};
pub use joint_fit::{FitMany, JointFit, TakeModel};
pub use learner::{
    AdditiveModel, AnyLearner, Attributor, Classifier, Clusterer, Density, FitFrom, Learner, LoadModel, MakeLearner, Model,
    NOISE_LABEL, NeighborModel, Regressor, StreamFit, Transformer, argmax_rows, with_argmax_class,
};
pub use matrix::{Mat, MatRef};
pub use output::OutputFile;
pub use pass::{
    BLOCK_ROWS, Partial, PassLearner, PassStep, RowSource, TransformedSource, collect_rows, run_pass, run_pass_source,
    run_pass_source_from, run_passes, run_passes_blocked, run_passes_checked, run_passes_source,
};
pub use report::{Cell, ColumnMeaning, Curve, Report, Section, TreeNodeReport};
pub use rng::{RngStream, hash_u64};
pub use roles::{Roles, TargetKind};
pub use row::{Row, RowCell, RowField, RowKind, RowRole, RowValue};
pub use row_function::{RowFunction, UNKNOWN_CATEGORY, codes_agree, refuse_cell, refuse_infinite_cell, with_row_memory};
pub use row_learner::{RowClassifier, RowClassifierModel, RowRegressor, RowRegressorModel};
pub use schema::{ColumnKind, ColumnRef, Field, Schema};
pub use sparse::{Csr, CsrRef};
pub use spec::{Accepts, Family, ParamSpec, Range, Spec, Task, ValueKind, check_ranges};
pub use suggest::closest_name;
pub use table::{Bitmap, Column, MISSING_CODE, Table, TableRef};
