//! Reports: charts, documents, reports on models and data.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod chart;
pub mod diagnostics;
pub mod document;
pub mod format;
pub mod report;
pub mod summary;
