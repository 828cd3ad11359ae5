//! Tables from files: CSV and TSV (plain, gzip, zstd), Parquet, Arrow IPC, libsvm text, IDX images; types by looking;
//! streams of row blocks in bounded memory; embedded examples; writers.
//!
//! ```
//! use ermine_data::{ReadOptions, read};
//!
//! let penguins = read("example:penguins", &ReadOptions::default())?;
//! assert_eq!(penguins.table.rows(), 344);
//! assert_eq!(penguins.reasons[0], "3 distinct strings in 344 cells");
//! # Ok::<(), ermine_core::Error>(())
//! ```
//!
//! | to get | from | call |
//! |---|---|---|
//! | a [`Table`](ermine_core::Table) | anything | [`read_table`], [`read`] with options and reasons |
//! | a row-major matrix | a file of numbers | [`read_numbers`]; [`read_data`] if there are only numbers |
//! | sparse rows | libsvm text | [`read_sparse`] |
//! | rows to learn from, in bounded memory | delimited text, Parquet, Arrow | [`open_stream`], [`TableStream`] |
//! | a file | a table, whole or in runs | [`write_table`], [`TableWriter`] |
//!
//! # What data may be called
//! A file; a glob (`*`, `?`, `[a-z]`), whose files have the same columns and are read in the order of their names; `-`, the
//! standard input; `example:NAME`, an embedded example. The format follows from the extension or, without one, from the
//! first bytes; packing always from the first bytes.
//!
//! # How text is read
//! As RFC 4180 says, and kindly: a cell that begins with `"` runs to the closing `"`, line breaks and all, and `""` inside is
//! one quote; a quote elsewhere is a letter. Blanks around an unquoted cell do not count; blank lines are skipped; lines end in
//! `\n`, `\r\n` or, where there is no `\n`, `\r`. The delimiter (comma, tab, semicolon, `|`) is the one that cuts the first
//! records evenly. The first line holds the names, unless all its cells are unquoted numbers. A name that occurs again gets a
//! number (`a`, `a_2`), an empty one becomes `unnamed_1`; both are noted. A cell is missing if it is empty, `NA` or `?`, or, in
//! capitals or not, `NaN` or `null`, quoted or not. Records with too few or too many cells, open quotes, bytes that are no
//! UTF-8 and NUL bytes are errors with line and column.
//!
//! # How columns are typed
//! The rules, in order. "Cells" are those that are not missing.
//!
//! 1. A kind that was asked for (`--type col=category`) is taken; a cell that cannot be read so is an error.
//! 2. No cell at all: **number**.
//! 3. Every cell is a number: **number**. But whole numbers that ascend from row to row, under a name such as `id`,
//!    `index`, `row`, `PassengerId` or none, number the rows: **identifier**.
//! 4. Every cell is an ISO 8601 date or date-time: **date**, kept as days since 1970-01-01.
//! 5. Strings of which at least 20 are there and no two are equal: **identifier** if they are short (40 bytes on average)
//!    and without blanks, else **text**.
//! 6. Strings with at most 20 distinct values, or at most one for every ten cells and 10 000 in all and not longer than 100
//!    bytes on average: **category**. `true`/`false`, `yes`/`no` fall here.
//! 7. All else is **text**.
//!
//! A column of whole numbers is never a category by itself. Above 65 536 distinct strings, or 16 MB of them, "no two are
//! equal" is estimated (at least 97 % distinct). Identifiers and text stay in the table: it is for the caller to say that they are
//! left out of a fit.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "arrow")]
mod arrow;
mod column_chunk;
mod csv;
mod example;
mod glob;
mod idx;
mod infer;
mod libsvm;
mod names;
mod options;
mod read;
mod source;
mod stream;
mod write;

#[cfg(feature = "arrow")]
pub use arrow::{table_from_batches, to_batch};
pub use ermine_core::Roles;
pub use ermine_core::date::format as format_date;
pub use example::{EXAMPLES, example};
pub use options::{Format, ReadOptions};
pub use read::{LoadedData, LoadedTable, read, read_data, read_numbers, read_sparse, read_sparse_expected, read_table};
pub use stream::{RowStream, TableStream, open_stream};
pub use write::{TableWriter, WriteOptions, write_table};
