//! Rows in blocks, in bounded memory, as often as needed.

mod rows;
mod sparse;
mod table;
mod target;

pub use rows::{RowStream, open_stream};
pub use table::TableStream;
