//! Streams of row blocks, in bounded memory, readable as often as needed.

mod expected;
mod rows;
mod sparse;
mod table;
mod target;

pub use expected::{scan_expected, scan_sparse_expected};
pub use rows::{RowStream, open_stream};
pub use table::{TableSource, TableStream, open_table};
