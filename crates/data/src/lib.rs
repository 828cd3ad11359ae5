//! Tables from files: CSV and TSV (plain, gzip, zstd), Parquet, Arrow IPC, libsvm text, IDX images; types by looking;
//! streams of row blocks in bounded memory; embedded examples.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "arrow")]
mod arrow;
mod csv;
mod date;
mod example;
mod glob;
mod idx;
mod infer;
mod libsvm;
mod names;
mod options;
mod part;
mod read;
mod source;
mod stream;
mod write;

#[cfg(feature = "arrow")]
pub use arrow::{table_from_batches, to_batch};
pub use example::{EXAMPLES, example};
pub use options::{Format, ReadOptions};
pub use read::{Data, Loaded, read, read_data, read_numbers, read_sparse, read_table};
pub use stream::{Roles, RowStream, TableStream, open_stream};
pub use write::{TableWriter, WriteOptions, write_table};
