//! Tables from files: CSV and TSV (plain, gzip, zstd, bzip2, xz), JSON, sheets of workbooks, Parquet, Arrow IPC, libsvm text, IDX images; type inference;
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
//! | sparse rows | libsvm text | [`read_sparse`] |
//! | rows to learn from, in bounded memory | delimited text, Parquet, Arrow | [`open_stream`], [`TableStream`] |
//! | rows for a trained model, in bounded memory and as they come | anything | [`scan_expected`] |
//! | a file | a table, whole or in runs | [`write_table`], [`TableWriter`] |
//! | a file | another file | [`convert`] |
//!
//! # Names of data
//! A file; a glob (`*`, `?`, `[a-z]`), whose files have the same columns and are read in the order of their names; `-`,
//! the standard input; `example:NAME`, an embedded example. The format follows from the extension or, without one, from
//! the first bytes; compression always from the first bytes.
//!
//! # How text is read
//! As in RFC 4180, but leniently: a cell that begins with `"` runs to the closing `"`, line breaks included, and `""`
//! inside is one quote; a quote elsewhere is an ordinary character. Blanks around an unquoted cell are ignored; blank
//! lines are skipped; lines end in `\
//! `, `\\r\
//! ` or, where there is no `\
//! `, `\\r`. The delimiter (comma, tab, semicolon, `|`) is the one that cuts the first records evenly. The first line
//! has the names, unless its cells are of the same kinds as those below. A duplicate name gets a number (`a`, `a_2`), an empty one
//! becomes `unnamed_1`; both are noted. A cell is missing if it is empty, `NA` or `?`, or, in any case, `NaN` or
//! `null`, quoted or not. Records with too few or too many cells, open quotes, invalid UTF-8 and NUL bytes are errors
//! with line and column under [`RepairPolicy::Never`].
//!
//! # How damaged text is read
//! Text that the parser refuses is read once more, as a whole: decoded from UTF-16 or Windows-1252; its delimiter, quotes and
//! escapes found; what stands above and below the table left out; each record read the way that gives it the width of the
//! table, and put under the columns that it fits. Every repair is counted and noted with its first lines ([`Repairs`]). A second
//! table, and more than a few damaged rows, are errors unless [`RepairPolicy::Any`] is set.
//!
//! # How columns are typed
//! The rules, in order. "Cells" are those that are not missing.
//!
//! 1. A kind that was requested (`--type col=category`) is taken; a cell that cannot be read as that kind is an error.
//! 2. No cell at all: **number**.
//! 3. Every cell is a number: **number**. But integers that ascend from row to row, under a name such as `id`, `index`,
//!    `row`, `PassengerId` or none, number the rows: **identifier**.
//!    Numbers may have thousands separators, a decimal comma, and one unit (`$1,234.50`, `1.234,56`, `3.5%`, `70 kg`, `(12)` for
//!    -12). One cell in twenty may be something else: it is missing, and the first such words are noted with their lines.
//! 4. Every cell is a date or date-time: **date**, kept as days since 1970-01-01. Dates are ISO 8601, or in one order of day,
//!    month and year, months by number or name. Where no cell tells day from month, dates with `/` begin with the month and
//!    others with the day, which is noted; for a model that is an error.
//! 5. More than 20 distinct UUIDs or hashes: **identifier**. At least 20 strings, all distinct: **identifier** if they are short (40 bytes on average) and without blanks,
//!    else **text**.
//! 6. Strings with at most 20 distinct values, or at most one for every ten cells and 10 000 in all and not longer than 100
//!    bytes on average: **category**. `true`/`false`, `yes`/`no` fall here.
//! 7. All else is **text**.
//!
//! A column of integers is never taken for a category. Above 65 536 distinct strings, or 16 MB of them, "all distinct"
//! is estimated (at least 97 % distinct). Identifiers and text stay in the table; leaving them out of a fit is up to
//! the caller.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "arrow")]
mod arrow;
mod column_chunk;
mod convert;
mod csv;
mod dates;
mod example;
mod glob;
mod idx;
mod infer;
mod json;
mod libsvm;
mod names;
mod options;
mod pipe;
mod read;
#[cfg(feature = "xlsx")]
mod sheet;
mod source;
mod stream;
mod unpack;
mod write;
mod write_json;

#[cfg(feature = "arrow")]
pub use arrow::{table_from_batches, to_batch};
pub use convert::{Converted, convert};
pub use csv::{Repair, RepairKind, Repairs};
pub use ermine_core::Roles;
pub use ermine_core::date::format as format_date;
pub use example::{EXAMPLES, example};
pub use options::{Format, ReadOptions, RepairPolicy};
pub use read::{LoadedTable, read, read_sparse, read_sparse_expected, read_table};
pub use stream::{RowStream, TableSource, TableStream, open_stream, open_table, scan_expected, scan_sparse_expected};
pub use write::{TableWriter, WriteOptions, write_table};
