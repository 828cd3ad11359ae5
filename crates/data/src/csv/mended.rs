//! From damaged files to text that the fast parser reads.

use std::sync::Arc;

use ermine_core::{Error, Result};

use super::mend::{Known, MendedText, RepairKind, Repairs, is_utf16, needs_quotes, push_cell};
use super::record::Dialect;
use super::{Delimited, sniff};
use crate::options::{Format, ReadOptions, RepairPolicy};
use crate::source::{ByteSource, Bytes};

/// Rows that may be changed before a file counts as damaged, and their share.
const FEW_ROWS: usize = 2;
const SMALL_SHARE: f64 = 0.05;

/// Files whose text is in order, and how to read them.
pub(crate) struct MendedFiles {
    pub(crate) sources: Vec<ByteSource>,
    pub(crate) options: ReadOptions,
    /// What was repaired, for the user.
    pub(crate) notes: Vec<String>,
}

/// What the options say of the text.
pub(crate) fn known(options: &ReadOptions, format: Format) -> Known {
    let tab = (format == Format::Tsv).then_some(b'\t');
    Known { delimiter: options.delimiter.or(tab), header: options.header }
}

impl Delimited<'_> {
    /// The files in order, after the fast parser has refused them with an error; that error where nothing can be done.
    pub(crate) fn mend(&self, refused: Error) -> Result<MendedFiles> {
        let readable = self.sources.iter().all(|s| !s.is_pipe() && s.foreign().is_ok_and(|f| f.is_none()));
        if self.options.repair == RepairPolicy::Never
            || !readable
            || !matches!(refused, Error::Parse { .. } | Error::Format { .. })
        {
            return Err(refused);
        }
        let (mut sources, mut notes) = (Vec::new(), Vec::new());
        let mut options = self.options.clone();
        let mut useful = false;
        for source in self.sources {
            let bytes = source.read_all(self.options)?;
            if is_binary(&bytes) {
                return Err(refused);
            }
            let mended = MendedText::new(bytes, known(self.options, self.format));
            if mended.width() == 0 {
                return Err(refused);
            }
            useful |= mended.is_unusual();
            allow(&source.name, &mended.repairs, self.options.repair)?;
            let name = |note: String| if self.sources.len() > 1 { format!("{}: {note}", source.name) } else { note };
            notes.extend(source.notes().iter().cloned());
            notes.extend(mended.repairs.notes().into_iter().map(name));
            options.header = Some(mended.header.is_some());
            let text = canonical(&mended);
            if mended.delimiter() == b';' && options.decimal_comma.is_none() {
                let commas = Dialect { delimiter: b',', terminator: b'\n', decimal_comma: false };
                options.decimal_comma = Some(sniff::decimal_comma(&text, &commas));
            }
            sources.push(ByteSource::new(source.name.clone(), Bytes::Memory(Arc::from(text))));
        }
        options.delimiter = Some(b',');
        options.format = Some(Format::Csv);
        options.repair = RepairPolicy::Never;
        if useful { Ok(MendedFiles { sources, options, notes }) } else { Err(refused) }
    }
}

/// Whether bytes are no text: many of them are control characters, and they are not UTF-16.
fn is_binary(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(1 << 16)];
    let control = |&&b: &&u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0C | 0x1A);
    let controls = sample.iter().filter(control).count();
    controls > 8 && 50 * controls > sample.len() && !is_utf16(bytes)
}

/// The table as usual text: commas, doubled quotes, a line for each row.
fn canonical(mended: &MendedText) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(header) = &mended.header {
        for (j, name) in header.iter().enumerate() {
            if j > 0 {
                out.push(b',');
            }
            // A quoted name is no number, and no blank line.
            push_cell(&mut out, name.trim(), true);
        }
        out.push(b'\n');
    }
    let Ok(()) = mended.for_each_row(|cells| {
        for (j, cell) in cells.iter().enumerate() {
            if j > 0 {
                out.push(b',');
            }
            push_cell(&mut out, &cell.text, cell.quoted || cells.len() == 1 || needs_quotes(&cell.text));
        }
        out.push(b'\n');
        Ok::<(), std::convert::Infallible>(())
    });
    out
}

/// Refuses more repairs than are allowed.
pub(crate) fn allow(path: &str, repairs: &Repairs, policy: RepairPolicy) -> Result<()> {
    let refuse = |message: String| Err(Error::Format { path: path.to_owned(), message });
    match policy {
        RepairPolicy::Any => Ok(()),
        RepairPolicy::Never if repairs.any() => {
            let damage: Vec<String> =
                repairs.items.iter().filter(|r| r.kind != RepairKind::Blank).map(|r| r.to_string()).collect();
            refuse(format!("the file would have to be repaired, and --strict refuses that: {}", damage.join("; ")))
        }
        RepairPolicy::Never => Ok(()),
        RepairPolicy::Small => {
            if let Some(second) = repairs.of(RepairKind::SecondTable) {
                let line = second.lines.first().copied().unwrap_or_default();
                return refuse(format!(
                    "a second table begins at line {line}; cut the file there, or leave it out with --lenient"
                ));
            }
            let changed = repairs.changed_rows();
            if changed > FEW_ROWS && changed as f64 > SMALL_SHARE * repairs.rows as f64 {
                let notes: Vec<String> =
                    repairs.items.iter().filter(|r| r.kind != RepairKind::Blank).map(|r| r.to_string()).collect();
                let all = repairs.rows;
                return refuse(format!(
                    "{changed} of {all} rows are damaged: {}; read it all the same with --lenient, or see what becomes of it with \
                     ermine convert",
                    notes.join("; ")
                ));
            }
            Ok(())
        }
    }
}
