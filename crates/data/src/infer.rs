//! Inference of the kind of a column from its cells. The rules are in the documentation of the crate.

use ermine_core::ColumnKind;

use crate::names::{HyperLogLog, StringInterner};

/// Up to this many distinct strings are categories however few the rows are.
const MAX_SMALL_CATEGORIES: u64 = 20;
/// Least cells per distinct string of a category.
const CELLS_A_NAME: u64 = 10;
/// Most distinct strings of a category that was not requested.
const MAX_CATEGORIES: u64 = 10_000;
/// Most distinct strings held, and so the most a requested category can have.
pub(crate) const MOST_NAMES: usize = 1 << 16;
/// Most bytes of distinct strings held.
const MOST_BYTES: usize = 1 << 24;
const LONG_CATEGORY: u64 = 100;
const LONG_IDENTIFIER: u64 = 40;

/// Profile of a column, in bounded memory.
#[derive(Debug, Clone)]
pub(crate) struct Profile {
    pub(crate) rows: u64,
    pub(crate) missing: u64,
    /// Integers that an f64 does not represent exactly.
    pub(crate) rounded: u64,
    /// Whether the numbers so far are integers in ascending order.
    ascending: bool,
    last: f64,
    /// The distinct strings, until there are more than [`MOST_NAMES`] or they are longer than [`MOST_BYTES`].
    names: Option<StringInterner>,
    sketch: Option<HyperLogLog>,
    bytes: u64,
    blanks: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            rows: 0,
            missing: 0,
            rounded: 0,
            ascending: true,
            last: f64::NEG_INFINITY,
            names: Some(StringInterner::default()),
            sketch: None,
            bytes: 0,
            blanks: false,
        }
    }
}

impl Profile {
    /// Adds numbers; NaN is missing. `rounded` of them were integers too large for an f64.
    pub(crate) fn numbers(&mut self, values: &[f64], rounded: u64) {
        self.rows += values.len() as u64;
        self.rounded += rounded;
        for &v in values {
            if v.is_nan() {
                self.missing += 1;
            } else {
                self.ascending &= v > self.last && v == v.trunc();
                self.last = v;
            }
        }
    }

    /// Adds strings: `cells` of them, `missing` missing, `bytes` long in total.
    pub(crate) fn strings(&mut self, names: &StringInterner, cells: u64, missing: u64, bytes: u64) {
        self.rows += cells;
        self.missing += missing;
        self.bytes += bytes;
        for name in names.iter() {
            self.blanks |= name.contains(&b' ');
            if let Some(known) = &mut self.names {
                known.code(name);
                if known.len() > MOST_NAMES || known.bytes() > MOST_BYTES {
                    let sketch = self.sketch.insert(HyperLogLog::new());
                    known.iter().for_each(|n| sketch.add(n));
                    self.names = None;
                }
            } else if let Some(sketch) = &mut self.sketch {
                sketch.add(name);
            }
        }
    }

    /// The distinct strings, if few enough to be held.
    pub(crate) fn names(&self) -> Option<&StringInterner> {
        self.names.as_ref()
    }

    /// How many bytes the column takes in a table, about: a number, or a string with its place in the heap.
    pub(crate) fn bytes_in_memory(&self) -> u64 {
        if self.bytes == 0 { 8 * self.rows } else { 32 * self.rows + self.bytes }
    }

    fn cells(&self) -> u64 {
        self.rows - self.missing
    }

    /// The kind of a column of numbers called `name`, and why.
    pub(crate) fn number_kind(&self, name: &str) -> (ColumnKind, String) {
        let cells = self.cells();
        if cells == 0 {
            return (ColumnKind::Number, "no cell has a value".into());
        }
        if cells >= 2 && self.missing == 0 && self.ascending && names_rows(name) {
            let why = format!("whole numbers that ascend from row to row, under a name that numbers rows ({name:?})");
            return (ColumnKind::Identifier, why);
        }
        if self.rounded > 0 && names_rows(name) {
            let why = format!("whole numbers too large for quantities, under a name for identifiers ({name:?})");
            return (ColumnKind::Identifier, why);
        }
        (ColumnKind::Number, format!("{} a number", all(cells)))
    }

    /// The kind of a column of strings, and why.
    pub(crate) fn string_kind(&self) -> (ColumnKind, String) {
        let cells = self.cells();
        let mean = self.bytes / cells.max(1);
        let (distinct, exact) = match (&self.names, &self.sketch) {
            (Some(names), _) => (names.len() as u64, true),
            (None, Some(sketch)) => (sketch.estimate().round() as u64, false),
            (None, None) => (0, true),
        };
        let all_differ = if exact { distinct == cells } else { distinct as f64 >= 0.97 * cells as f64 };
        if let Some(names) = &self.names
            && distinct > MAX_SMALL_CATEGORIES
            && names.iter().all(is_key)
        {
            return (ColumnKind::Identifier, format!("{distinct} distinct UUIDs or hashes in {cells} cells"));
        }
        if cells >= MAX_SMALL_CATEGORIES && all_differ {
            let about = if exact { "all" } else { "nearly all of the" };
            return if self.blanks || mean > LONG_IDENTIFIER {
                (ColumnKind::Text, format!("{about} {cells} strings differ, and they are long or hold blanks"))
            } else {
                (ColumnKind::Identifier, format!("{about} {cells} strings differ"))
            };
        }
        let few = distinct <= MAX_SMALL_CATEGORIES
            || (distinct <= MAX_CATEGORIES && distinct * CELLS_A_NAME <= cells && mean <= LONG_CATEGORY);
        if exact && few {
            let s = if distinct == 1 { "" } else { "s" };
            return (ColumnKind::Category, format!("{distinct} distinct string{s} in {cells} cells"));
        }
        let about = if exact { "" } else { "about " };
        (ColumnKind::Text, format!("{about}{distinct} distinct strings in {cells} cells, too many or too long for categories"))
    }
}

fn all(cells: u64) -> String {
    if cells == 1 { "the one cell is".into() } else { format!("all {cells} cells are") }
}

/// Whether a text is a UUID or a hash in hexadecimal digits.
fn is_key(text: &[u8]) -> bool {
    let hex = |text: &[u8]| text.iter().all(u8::is_ascii_hexdigit);
    let uuid = || {
        text.split(|&b| b == b'-').map(<[u8]>::len).eq([8, 4, 4, 4, 12])
            && text.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-')
    };
    match text.len() {
        36 => uuid(),
        32 | 40 | 64 => hex(text),
        _ => false,
    }
}

/// The reason for a date column.
pub(crate) fn date_reason(profile: &Profile) -> String {
    format!("{} an ISO 8601 date", all(profile.cells()))
}

/// Whether a column of this name probably numbers the rows: `id`, `index`, `row` and the like, `user_id`,
/// `PassengerId`, or no name at all.
fn names_rows(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let camel =
        (name.ends_with("Id") || name.ends_with("ID")) && name.len() > 2 && name.as_bytes()[name.len() - 3].is_ascii_lowercase();
    let known =
        ["id", "ids", "index", "idx", "row", "rows", "rowid", "rownum", "rownames", "rownumber", "uuid", "guid", "unnamed"];
    camel
        || words.is_empty()
        || words.last().is_some_and(|w| *w == "id")
        || words.first().is_some_and(|w| known.contains(w) && words.len() <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_strings(cells: &[String]) -> ColumnKind {
        let mut names = StringInterner::default();
        cells.iter().for_each(|c| {
            names.code(c.as_bytes());
        });
        let mut profile = Profile::default();
        profile.strings(&names, cells.len() as u64, 0, cells.iter().map(|c| c.len() as u64).sum());
        profile.string_kind().0
    }

    fn of_numbers(name: &str, values: &[f64]) -> ColumnKind {
        let mut profile = Profile::default();
        profile.numbers(values, 0);
        profile.number_kind(name).0
    }

    #[test]
    fn strings_are_judged_by_how_many_differ() {
        let cycle = |n: usize, d: usize| (0..n).map(|i| format!("v{}", i % d)).collect::<Vec<_>>();
        assert_eq!(of_strings(&cycle(3, 3)), ColumnKind::Category);
        assert_eq!(of_strings(&cycle(1000, 2)), ColumnKind::Category);
        assert_eq!(of_strings(&cycle(1000, 100)), ColumnKind::Category);
        assert_eq!(of_strings(&cycle(1000, 101)), ColumnKind::Text);
        assert_eq!(of_strings(&cycle(1000, 1000)), ColumnKind::Identifier);
        assert_eq!(of_strings(&cycle(30_000, 30_000)), ColumnKind::Identifier);
        assert_eq!(of_strings(&cycle(70_000, 70_000)), ColumnKind::Identifier);
        assert_eq!(of_strings(&cycle(90_000, 70_000)), ColumnKind::Text);
        assert_eq!(of_strings(&cycle(300_000, 15_000)), ColumnKind::Text);
        let sentences: Vec<String> = (0..100).map(|i| format!("sentence number {i}")).collect();
        assert_eq!(of_strings(&sentences), ColumnKind::Text);
    }

    #[test]
    fn only_a_row_number_by_name_and_by_value_is_an_identifier() {
        let up: Vec<f64> = (0..50).map(f64::from).collect();
        for name in ["id", "ID", "index", "PassengerId", "user_id", "Unnamed: 0", "unnamed_1", "row", "row_number", ""] {
            assert_eq!(of_numbers(name, &up), ColumnKind::Identifier, "{name}");
        }
        for name in ["time", "year", "humid", "Solid", "rowing speed of crew", "x0", "paid"] {
            assert_eq!(of_numbers(name, &up), ColumnKind::Number, "{name}");
        }
        assert_eq!(of_numbers("id", &[1.0, 3.0, 2.0]), ColumnKind::Number);
        assert_eq!(of_numbers("id", &[0.5, 1.5, 2.5]), ColumnKind::Number);
        assert_eq!(of_numbers("id", &[f64::NAN; 3]), ColumnKind::Number);
        let mut large = Profile::default();
        large.numbers(&[9.1e18, 2.0, 9.1e18], 2);
        assert_eq!(large.number_kind("user_id").0, ColumnKind::Identifier);
        assert_eq!(large.number_kind("distance").0, ColumnKind::Number);
    }
}
