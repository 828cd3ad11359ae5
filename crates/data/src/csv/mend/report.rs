//! What was repaired, for a person.

use std::fmt;

/// Lines that are named; of further ones the number.
const NAMED_LINES: usize = 3;

/// A kind of repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RepairKind {
    /// Rows above the header were left out.
    Preamble,
    /// The names were put together from several rows.
    HeaderRows,
    /// The header had too few or too many cells.
    Header,
    /// Rows with too few cells were filled up.
    Filled,
    /// Surplus empty cells were removed.
    Trimmed,
    /// Cells were joined that an unquoted delimiter had cut.
    Joined,
    /// A quote was read as it stands.
    Quote,
    /// A row was cut by another delimiter than the others.
    Delimiter,
    /// Rows without any value were left out.
    Blank,
    /// Comments between rows were left out.
    Comment,
    /// Rows below the table were left out.
    Footer,
    /// A second table was left out.
    SecondTable,
    /// Characters without a place in text were removed.
    Nul,
}

impl RepairKind {
    /// Whether a row of the table itself was changed.
    fn changes_rows(self) -> bool {
        matches!(self, Self::Filled | Self::Trimmed | Self::Joined | Self::Quote | Self::Delimiter)
    }
}

/// Repairs of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// What was done.
    pub kind: RepairKind,
    /// How often.
    pub count: usize,
    /// The first lines it was done to, from 1.
    pub lines: Vec<u64>,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, s, was) = (self.count, if self.count == 1 { "" } else { "s" }, if self.count == 1 { "was" } else { "were" });
        match self.kind {
            RepairKind::Preamble => write!(f, "{n} line{s} above the header {was} left out")?,
            RepairKind::HeaderRows => write!(f, "the names are put together from {n} rows")?,
            RepairKind::Header => write!(f, "the header has not as many cells as the rows below and was fitted to them")?,
            RepairKind::Filled => write!(f, "{n} row{s} had too few cells and {was} filled up")?,
            RepairKind::Trimmed => write!(f, "{n} row{s} had an empty cell too many, which was removed")?,
            RepairKind::Joined => write!(f, "{n} row{s} had too many cells, of which neighbors were joined")?,
            RepairKind::Quote => {
                write!(f, "{n} row{s} {} a stray quote, read as it stands", if n == 1 { "has" } else { "have" })?
            }
            RepairKind::Delimiter => write!(f, "{n} row{s} {was} cut by another delimiter")?,
            RepairKind::Blank => write!(f, "{n} row{s} without any value {was} left out")?,
            RepairKind::Comment => write!(f, "{n} comment{s} {was} left out")?,
            RepairKind::Footer => write!(f, "{n} row{s} below the table {was} left out")?,
            RepairKind::SecondTable => write!(f, "a second table was left out, {n} line{s} with its header")?,
            RepairKind::Nul => write!(f, "{n} NUL character{s} {was} removed")?,
        }
        match &self.lines[..] {
            [] => Ok(()),
            [one] if self.count == 1 => write!(f, " (line {one})"),
            [first, ..] if matches!(self.kind, RepairKind::SecondTable) => write!(f, " (from line {first})"),
            [first, ..] if matches!(self.kind, RepairKind::HeaderRows) => write!(f, " (from line {first})"),
            lines => {
                let more = self.count.saturating_sub(lines.len());
                let mut words: Vec<String> = lines.iter().map(u64::to_string).collect();
                if more > 0 {
                    words.push(format!("{more} more"));
                }
                let last = words.pop().unwrap_or_default();
                let joined = if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) };
                write!(f, " (line{} {joined})", if self.count == 1 { "" } else { "s" })
            }
        }
    }
}

/// What was repaired in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repairs {
    /// By kind.
    pub items: Vec<Repair>,
    /// Rows of the table.
    pub rows: usize,
    /// What the text is like, where it is not the usual: its encoding, its quotes.
    pub style: Vec<String>,
}

impl Repairs {
    pub(super) fn add(&mut self, kind: RepairKind, line: u64) {
        self.add_many(kind, 1, line);
    }

    pub(super) fn add_many(&mut self, kind: RepairKind, count: usize, line: u64) {
        if count == 0 {
            return;
        }
        let place = self.items.iter().position(|r| r.kind == kind);
        let place = place.unwrap_or_else(|| {
            self.items.push(Repair { kind, count: 0, lines: Vec::new() });
            self.items.len() - 1
        });
        let item = &mut self.items[place];
        item.count += count;
        if item.lines.len() < NAMED_LINES && line > 0 {
            item.lines.push(line);
        }
    }

    /// How many rows of the table were changed.
    pub fn changed_rows(&self) -> usize {
        self.items.iter().filter(|r| r.kind.changes_rows()).map(|r| r.count).sum()
    }

    /// Whether something was repaired: anything but rows without a value, which mean nothing.
    pub fn any(&self) -> bool {
        self.items.iter().any(|r| r.kind != RepairKind::Blank)
    }

    /// The repairs of a kind.
    pub fn of(&self, kind: RepairKind) -> Option<&Repair> {
        self.items.iter().find(|r| r.kind == kind)
    }

    /// A sentence for each kind of repair, and for what is unusual in the text.
    pub fn notes(&self) -> Vec<String> {
        let mut items: Vec<&Repair> = self.items.iter().collect();
        items.sort_by_key(|r| r.kind);
        self.style.iter().cloned().chain(items.iter().map(|r| r.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_are_counted_and_the_first_lines_named() {
        let mut repairs = Repairs::default();
        repairs.add(RepairKind::Filled, 7);
        assert_eq!(repairs.notes(), ["1 row had too few cells and was filled up (line 7)"]);
        repairs.add(RepairKind::Filled, 9);
        assert_eq!(repairs.notes(), ["2 rows had too few cells and were filled up (lines 7 and 9)"]);
        (10..15).for_each(|line| repairs.add(RepairKind::Filled, line));
        assert_eq!(repairs.notes(), ["7 rows had too few cells and were filled up (lines 7, 9, 10 and 4 more)"]);
        assert_eq!(repairs.changed_rows(), 7);
    }
}
