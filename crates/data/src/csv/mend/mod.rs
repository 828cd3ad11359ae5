//! Text that the fast parser refuses: other encodings and styles, rows of any width, stray quotes, preambles, second tables.
//!
//! The whole text is held. A sample tells how cells are written and where the table lies ([`structure`]); then every record is
//! read the way that gives it the width of the table, if there is one ([`style`]), and put under the columns it fits ([`align`]).

mod align;
mod cell_kind;
mod encoding;
mod report;
mod structure;
mod style;
mod table;

pub(crate) use cell_kind::CellKind;
pub(crate) use encoding::is_utf16;
pub use report::{Repair, RepairKind, Repairs};
pub(crate) use structure::{Known, Structure};
pub(crate) use table::{MendedText, needs_quotes, push_cell};
