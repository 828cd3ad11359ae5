//! Tables from files: CSV and TSV (plain, gzip, zstd), Parquet, Arrow IPC, libsvm text, IDX images; types by looking;
//! streams of row blocks in bounded memory; embedded examples.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod csv;
mod date;
mod example;
mod glob;
mod infer;
mod names;
mod options;
mod part;
mod read;
mod source;

pub use example::{EXAMPLES, example};
pub use options::{Format, ReadOptions};
pub use read::{Loaded, read, read_numbers, read_table};
