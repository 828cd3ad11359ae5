//! Columns being read: a chunk for each run of rows, assembled in order.

use std::sync::Arc;

use ermine_core::{Column, ColumnKind, Error, Field, MISSING_CODE, Result};

use crate::infer::{self, Profile};
use crate::names::StringInterner;

/// How the cells of a column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseAs {
    /// Not at all.
    Skip,
    Number,
    Date,
    Strings,
}

/// The cells of one column in a chunk of rows.
#[derive(Debug, Default)]
pub(crate) enum ColumnChunk {
    #[default]
    Skipped,
    /// Numbers or days; NaN is missing. And the number of integers that an f64 does not represent exactly.
    Numbers(Vec<f64>, u64),
    Strings(CodedStrings),
    /// A cell contradicted the plan; the rest of the chunk was not read.
    Contradicted,
}

/// Strings as codes into the distinct ones.
#[derive(Debug, Default)]
pub(crate) struct CodedStrings {
    pub(crate) names: StringInterner,
    /// [`MISSING_CODE`] where missing.
    pub(crate) codes: Vec<u32>,
    pub(crate) missing: u64,
    /// Length of all cells.
    pub(crate) bytes: u64,
}

impl CodedStrings {
    /// Adds a cell; true when its text is new.
    #[inline]
    pub(crate) fn push(&mut self, cell: &[u8]) -> bool {
        // Neighboring rows are often equal.
        if let Some(&last) = self.codes.last()
            && last != MISSING_CODE
            && self.names.get(last) == cell
        {
            self.codes.push(last);
            self.bytes += cell.len() as u64;
            return false;
        }
        let (code, new) = self.names.code(cell);
        self.codes.push(code);
        self.bytes += cell.len() as u64;
        new
    }

    pub(crate) fn push_missing(&mut self) {
        self.codes.push(MISSING_CODE);
        self.missing += 1;
    }
}

/// Collects the chunks of a column, in order.
pub(crate) trait ChunkSink: Default + Send {
    fn add(&mut self, part: ColumnChunk);
}

/// Only the profile: the first scan of a stream.
impl ChunkSink for Profile {
    fn add(&mut self, part: ColumnChunk) {
        match part {
            ColumnChunk::Numbers(values, rounded) => self.numbers(&values, rounded),
            ColumnChunk::Strings(s) => self.strings(&s.names, s.codes.len() as u64, s.missing, s.bytes),
            ColumnChunk::Skipped | ColumnChunk::Contradicted => {}
        }
    }
}

/// The profile and the cells.
#[derive(Default)]
pub(crate) struct ProfiledColumn {
    pub(crate) parts: Vec<ColumnChunk>,
    pub(crate) profile: Profile,
}

impl ChunkSink for ProfiledColumn {
    fn add(&mut self, part: ColumnChunk) {
        match &part {
            ColumnChunk::Numbers(values, rounded) => self.profile.numbers(values, *rounded),
            ColumnChunk::Strings(s) => self.profile.strings(&s.names, s.codes.len() as u64, s.missing, s.bytes),
            ColumnChunk::Skipped | ColumnChunk::Contradicted => {}
        }
        // Numbers grow in place: the system moves a large vector by page tables, where many small ones would have to be
        // copied together at the end.
        match (self.parts.last_mut(), part) {
            (Some(ColumnChunk::Numbers(all, _)), ColumnChunk::Numbers(more, _)) => all.extend(more),
            (_, part) => self.parts.push(part),
        }
    }
}

/// The resolved kind of a column.
#[derive(Debug, Clone)]
pub(crate) struct InferredColumn {
    pub(crate) field: Field,
    /// Why it has its kind.
    pub(crate) reason: String,
}

/// The kind of a column from its plan and profile, or as `asked`.
pub(crate) fn infer(name: &str, plan: ParseAs, profile: &Profile, asked: Option<ColumnKind>) -> Result<InferredColumn> {
    let (kind, reason) = match (asked, plan) {
        (Some(kind), _) => (kind, "as asked for".to_owned()),
        (None, ParseAs::Number | ParseAs::Skip) => profile.number_kind(name),
        (None, ParseAs::Date) => (ColumnKind::Date, infer::date_reason(profile)),
        (None, ParseAs::Strings) => profile.string_kind(),
    };
    let categories = match kind {
        ColumnKind::Category => {
            let names = profile.names().ok_or_else(|| {
                let most = infer::MOST_NAMES;
                Error::Data(format!(
                    "column \"{name}\" has more than {most} distinct values, or very long ones: too many for a category"
                ))
            })?;
            Arc::new(names.sorted().0)
        }
        _ => Arc::default(),
    };
    Ok(InferredColumn { field: Field { name: name.to_owned(), kind, categories }, reason })
}

/// The note on a column of numbers of which some are not held exactly.
pub(crate) fn rounded(field: &Field, count: u64) -> Option<String> {
    let name = &field.name;
    let cells = if count == 1 { "1 whole number is" } else { &format!("{count} whole numbers are") };
    (field.kind == ColumnKind::Number && count > 0).then(|| {
        format!("column \"{name}\": {cells} too large to be exact and rounded; if they are names, say --type {name}=category")
    })
}

/// A column from its chunks in order. The kind must have been resolved from these chunks.
pub(crate) fn column(field: &Field, parts: Vec<ColumnChunk>) -> Result<Column> {
    let changed = || Error::Data(format!("column \"{}\" changed while it was read", field.name));
    match field.kind {
        ColumnKind::Category => {
            let total = parts.iter().map(|p| if let ColumnChunk::Strings(s) = p { s.codes.len() } else { 0 }).sum();
            let mut codes = Vec::with_capacity(total);
            for part in parts {
                let ColumnChunk::Strings(s) = part else { return Err(changed()) };
                let map = s
                    .names
                    .iter()
                    .map(|n| field.categories.binary_search_by(|c| c.as_bytes().cmp(n)).map(|c| c as u32).map_err(|_| changed()))
                    .collect::<Result<Vec<u32>>>()?;
                codes.extend(s.codes.iter().map(|&c| if c == MISSING_CODE { c } else { map[c as usize] }));
            }
            Ok(Column::Category { codes, names: field.categories.clone() })
        }
        ColumnKind::Number | ColumnKind::Date => Ok(Column::numbers(numbers(parts).ok_or_else(changed)?)),
        ColumnKind::Identifier if parts.first().is_some_and(|p| matches!(p, ColumnChunk::Numbers(..))) => {
            Ok(Column::numbers(numbers(parts).ok_or_else(changed)?))
        }
        ColumnKind::Text | ColumnKind::Identifier => {
            let mut cells = Vec::new();
            for part in parts {
                let ColumnChunk::Strings(s) = part else { return Err(changed()) };
                let text = |c: u32| String::from_utf8_lossy(s.names.get(c)).into_owned();
                cells.extend(s.codes.iter().map(|&c| (c != MISSING_CODE).then(|| text(c))));
            }
            Ok(Column::Text(cells))
        }
    }
}

/// Names unnamed columns, and renames duplicates.
pub(crate) fn make_unique(names: &mut [String], notes: &mut Vec<String>) {
    let mut seen = std::collections::BTreeSet::new();
    let taken: std::collections::BTreeSet<String> = names.iter().cloned().collect();
    for (j, name) in names.iter_mut().enumerate() {
        let old = name.clone();
        if name.is_empty() {
            *name = format!("unnamed_{}", j + 1);
        }
        let mut n = 2;
        let base = name.clone();
        while seen.contains(name) || (*name != old && taken.contains(name)) {
            *name = format!("{base}_{n}");
            n += 1;
        }
        if old.is_empty() {
            notes.push(format!("column {} has no name and is called \"{name}\"", j + 1));
        } else if *name != old {
            notes.push(format!("the name \"{old}\" occurs twice; column {} is called \"{name}\"", j + 1));
        }
        seen.insert(name.clone());
    }
}

fn numbers(parts: Vec<ColumnChunk>) -> Option<Vec<f64>> {
    let mut parts = parts.into_iter();
    let Some(ColumnChunk::Numbers(first, _)) = parts.next() else { return parts.next().is_none().then(Vec::new) };
    // A single chunk, as in a block of a stream, is moved without a copy.
    let mut values = first;
    let rest: Vec<Vec<f64>> =
        parts.map(|p| if let ColumnChunk::Numbers(v, _) = p { Some(v) } else { None }).collect::<Option<_>>()?;
    values.reserve_exact(rest.iter().map(Vec::len).sum());
    rest.into_iter().for_each(|v| values.extend(v));
    values.shrink_to_fit();
    Some(values)
}
