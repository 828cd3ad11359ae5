//! The distinct values of columns: counted in passes, looked up in later data.

use std::collections::BTreeMap;
use std::sync::Arc;

use ermine_core::{Column, DatasetRef, Error, Features, MISSING_CODE, Partial, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use ermine_core::blocks::column_label;

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LevelValue {
    /// A number.
    Number(f64),
    /// A name.
    Name(String),
    /// The missing cells.
    Missing,
}

impl std::fmt::Display for LevelValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(v) => write!(f, "{v}"),
            Self::Name(s) => f.write_str(s),
            Self::Missing => f.write_str("missing"),
        }
    }
}

/// Treatment of number columns by an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumericColumns {
    /// Encode them in matrices, keep them in tables.
    #[default]
    Auto,
    /// Encode their distinct values.
    Encode,
    /// Keep them unchanged.
    Keep,
}

/// How the cells of a column are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum ReadForm {
    /// A number column that is not encoded.
    Kept,
    /// Distinct numbers.
    Numbers,
    /// Codes into names.
    Codes(Arc<Vec<String>>),
    /// Distinct texts.
    Texts,
}

/// How each column of the data is read.
pub(crate) fn forms(data: &DatasetRef<'_>, numbers: NumericColumns) -> Vec<ReadForm> {
    let number = |table: bool| match numbers {
        NumericColumns::Encode => ReadForm::Numbers,
        NumericColumns::Keep => ReadForm::Kept,
        NumericColumns::Auto if table => ReadForm::Kept,
        NumericColumns::Auto => ReadForm::Numbers,
    };
    match data.x {
        Features::Table(t) => t
            .table()
            .columns()
            .map(|c| match c {
                Column::Number { .. } => number(true),
                Column::Category { names, .. } => ReadForm::Codes(names.clone()),
                Column::Text(_) => ReadForm::Texts,
            })
            .collect(),
        x => (0..x.cols()).map(|_| number(false)).collect(),
    }
}

/// An integer that orders like the f64; the two zeros are equal.
fn key(v: f64) -> u64 {
    let bits = (v + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn from_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}

/// The weight of each value of a column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum LevelWeights {
    None,
    /// In ascending order of the keys.
    Numbers(Vec<(u64, f64)>),
    Codes(Vec<f64>),
    Texts(BTreeMap<String, f64>),
}

/// The weight of each value of each column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LevelCounts {
    columns: Vec<(LevelWeights, f64)>,
    pub(crate) weight: f64,
}

impl LevelCounts {
    pub(crate) fn new(forms: &[ReadForm]) -> Self {
        let tally = |form: &ReadForm| match form {
            ReadForm::Kept => LevelWeights::None,
            ReadForm::Numbers => LevelWeights::Numbers(Vec::new()),
            ReadForm::Codes(names) => LevelWeights::Codes(vec![0.0; names.len()]),
            ReadForm::Texts => LevelWeights::Texts(BTreeMap::new()),
        };
        Self { columns: forms.iter().map(|f| (tally(f), 0.0)).collect(), weight: 0.0 }
    }

    /// Adds a block of rows; an infinite number is an error.
    pub(crate) fn add(&mut self, rows: &DatasetRef<'_>) -> Result<()> {
        let n = rows.rows();
        self.weight += (0..n).map(|i| rows.weight_of(i)).sum::<f64>();
        for (j, (tally, missing)) in self.columns.iter_mut().enumerate() {
            match tally {
                LevelWeights::None => {}
                LevelWeights::Numbers(sorted) => {
                    let cells = ColumnReader::of(&rows.x, j);
                    let mut block: Vec<(u64, f64)> = Vec::with_capacity(n);
                    for i in (0..n).filter(|&i| rows.weight_of(i) > 0.0) {
                        match cells.number(i) {
                            None => *missing += rows.weight_of(i),
                            Some(v) if v.is_infinite() => {
                                let value = if v > 0.0 { "infinity" } else { "-infinity" }.into();
                                return Err(Error::NotFinite { column: column_label(rows.schema, j), row: i, value });
                            }
                            Some(v) => block.push((key(v), rows.weight_of(i))),
                        }
                    }
                    block.sort_by_key(|c| c.0);
                    block.dedup_by(|b, a| {
                        let same = a.0 == b.0;
                        if same {
                            a.1 += b.1;
                        }
                        same
                    });
                    *sorted = merge_sorted(std::mem::take(sorted), block);
                }
                LevelWeights::Codes(weights) => {
                    if let Features::Table(t) = rows.x
                        && let Some((codes, _)) = t.categories(j)
                    {
                        for (i, &code) in codes.iter().enumerate() {
                            if code == MISSING_CODE {
                                *missing += rows.weight_of(i);
                            } else {
                                weights[code as usize] += rows.weight_of(i);
                            }
                        }
                    }
                }
                LevelWeights::Texts(weights) => {
                    let cells = ColumnReader::of(&rows.x, j);
                    for i in (0..n).filter(|&i| rows.weight_of(i) > 0.0) {
                        match cells.text(i) {
                            None => *missing += rows.weight_of(i),
                            // A text is copied only when it is new.
                            Some(s) => match weights.get_mut(s) {
                                Some(w) => *w += rows.weight_of(i),
                                None => drop(weights.insert(s.to_owned(), rows.weight_of(i))),
                            },
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The values of a column with their weights, in order, the missing cells last; none of weight 0.
    pub(crate) fn levels(&self, column: usize, form: &ReadForm) -> Vec<(LevelValue, f64)> {
        let (tally, missing) = &self.columns[column];
        let mut levels: Vec<(LevelValue, f64)> = match (tally, form) {
            (LevelWeights::Numbers(sorted), _) => sorted.iter().map(|&(k, w)| (LevelValue::Number(from_key(k)), w)).collect(),
            (LevelWeights::Texts(weights), _) => weights.iter().map(|(s, &w)| (LevelValue::Name(s.clone()), w)).collect(),
            (LevelWeights::Codes(weights), ReadForm::Codes(names)) => {
                let mut levels: Vec<_> = names.iter().zip(weights).map(|(s, &w)| (LevelValue::Name(s.clone()), w)).collect();
                levels.sort_by_key(|l| l.0.to_string());
                levels
            }
            _ => Vec::new(),
        };
        if *missing > 0.0 {
            levels.push((LevelValue::Missing, *missing));
        }
        levels.retain(|l| l.1 > 0.0);
        levels
    }
}

#[cfg(feature = "fit")]
impl Partial for LevelCounts {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.columns.len() != other.columns.len() {
            let (expected, found) = (self.columns.len(), other.columns.len());
            return Err(Error::Length { what: "columns of a partial".into(), expected, found });
        }
        self.weight += other.weight;
        for ((a, missing), (b, more)) in self.columns.iter_mut().zip(other.columns) {
            *missing += more;
            match (a, b) {
                (LevelWeights::Numbers(a), LevelWeights::Numbers(b)) => *a = merge_sorted(std::mem::take(a), b),
                (LevelWeights::Codes(a), LevelWeights::Codes(b)) => a.iter_mut().zip(b).for_each(|(a, b)| *a += b),
                (LevelWeights::Texts(a), LevelWeights::Texts(b)) => {
                    b.into_iter().for_each(|(s, w)| *a.entry(s).or_insert(0.0) += w)
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn merge_sorted(a: Vec<(u64, f64)>, b: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    if a.is_empty() {
        return b;
    }
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x.0 == y.0 => {
                out.push((x.0, x.1 + y.1));
                a.next();
                b.next();
            }
            (Some(x), Some(y)) if x.0 < y.0 => out.extend(a.next()),
            (_, Some(_)) => out.extend(b.next()),
            (Some(_), None) => out.extend(a.next()),
            (None, None) => return out,
        }
    }
}

/// The cells of one column, in any form of features.
pub(crate) struct ColumnReader<'a> {
    x: Features<'a>,
    column: usize,
}

impl<'a> ColumnReader<'a> {
    pub(crate) fn of(x: &Features<'a>, column: usize) -> Self {
        Self { x: *x, column }
    }

    /// The number in a row; none when it is missing or no number.
    pub(crate) fn number(&self, row: usize) -> Option<f64> {
        let v = match self.x {
            Features::F64(m) => *m.at(row, self.column),
            Features::F32(m) => f64::from(*m.at(row, self.column)),
            Features::Csr(m) => {
                let (indices, values) = m.row(row);
                let here = |(j, _): &(&u32, &f64)| **j as usize == self.column;
                indices.iter().zip(values).filter(here).map(|(_, v)| v).sum()
            }
            Features::Table(t) => t.numbers(self.column)?[row],
        };
        (!v.is_nan()).then_some(v)
    }

    fn text(&self, row: usize) -> Option<&'a str> {
        match self.x {
            Features::Table(t) => match t.table().column_at(self.column) {
                Column::Text(cells) => cells[t.range().start + row].as_deref(),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The values of a column in the order of their codes, with a lookup.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Levels {
    levels: Vec<LevelValue>,
    numbers: Vec<(u64, u32)>,
    names: BTreeMap<String, u32>,
    missing: Option<u32>,
}

impl Levels {
    /// Checks for duplicate values and numbers that are not finite.
    pub(crate) fn new(levels: Vec<LevelValue>) -> Result<Self> {
        let twice = |l: &LevelValue| Error::Data(format!("category {l} occurs twice"));
        let (mut numbers, mut names, mut missing) = (Vec::new(), BTreeMap::new(), None);
        for (code, level) in levels.iter().enumerate() {
            let code = code as u32;
            match level {
                LevelValue::Number(v) if v.is_finite() => numbers.push((key(*v), code)),
                LevelValue::Number(v) => return Err(Error::Data(format!("category {v} is not a finite number"))),
                LevelValue::Name(s) => {
                    if names.insert(s.clone(), code).is_some() {
                        return Err(twice(level));
                    }
                }
                LevelValue::Missing => {
                    if missing.replace(code).is_some() {
                        return Err(twice(level));
                    }
                }
            }
        }
        numbers.sort_unstable();
        if let Some(w) = numbers.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(twice(&levels[w[0].1 as usize]));
        }
        Ok(Self { levels, numbers, names, missing })
    }

    pub(crate) fn all(&self) -> &[LevelValue] {
        &self.levels
    }

    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    fn number(&self, v: f64) -> Option<u32> {
        let k = key(v);
        match self.numbers.binary_search_by_key(&k, |n| n.0) {
            Ok(at) => Some(self.numbers[at].1),
            // A column of categories may be read as numbers later.
            Err(_) if !self.names.is_empty() => self.names.get(&v.to_string()).copied(),
            Err(_) => None,
        }
    }

    fn name(&self, s: &str) -> Option<u32> {
        match self.names.get(s) {
            Some(&code) => Some(code),
            None if !self.numbers.is_empty() => s.parse().ok().filter(|v: &f64| v.is_finite()).and_then(|v| self.number(v)),
            None => None,
        }
    }

    pub(crate) fn find(&self, level: &LevelValue) -> Option<u32> {
        match level {
            LevelValue::Number(v) => self.number(*v),
            LevelValue::Name(s) => self.name(s),
            LevelValue::Missing => self.missing,
        }
    }

    /// Calls `each` with every row and the code of its value, none for an unknown value.
    pub(crate) fn codes(&self, x: &Features<'_>, column: usize, mut each: impl FnMut(usize, Option<u32>)) {
        if let Features::Table(t) = x {
            if let Some((codes, names)) = t.categories(column) {
                // Codes of another table may stand for other names.
                let map: Vec<Option<u32>> = names.iter().map(|s| self.name(s)).collect();
                for (i, &code) in codes.iter().enumerate() {
                    each(i, if code == MISSING_CODE { self.missing } else { map[code as usize] });
                }
                return;
            }
            if let Column::Text(cells) = t.table().column_at(column) {
                for (i, cell) in cells[t.range()].iter().enumerate() {
                    each(i, cell.as_deref().map_or(self.missing, |s| self.name(s)));
                }
                return;
            }
        }
        let cells = ColumnReader::of(x, column);
        for i in 0..x.rows() {
            each(i, cells.number(i).map_or(self.missing, |v| self.number(v)));
        }
    }

    /// The value of a cell, for a message.
    pub(crate) fn cell_text(x: &Features<'_>, column: usize, row: usize) -> String {
        if let Features::Table(t) = x {
            if let Some((codes, names)) = t.categories(column) {
                return names.get(codes[row] as usize).map_or("a missing value".into(), |s| format!("\"{s}\""));
            }
            if let Some(s) = ColumnReader::of(x, column).text(row) {
                return format!("\"{s}\"");
            }
        }
        ColumnReader::of(x, column).number(row).map_or("a missing value".into(), |v| v.to_string())
    }
}

/// Values given by the user: "auto", or a list of values for each column.
pub(crate) fn given_levels(learner: &'static str, categories: &Value) -> Result<Option<Vec<Vec<LevelValue>>>> {
    let refuse = |expected: String| Error::parameter(learner, "categories", categories, expected);
    match categories {
        Value::String(s) if s == "auto" => Ok(None),
        Value::Array(columns) => {
            let levels: Vec<Vec<LevelValue>> = columns
                .iter()
                .map(|c| serde_json::from_value(c.clone()))
                .collect::<std::result::Result<_, _>>()
                .map_err(|e| refuse(format!("it must be \"auto\" or a list of values for each column ({e})")))?;
            for l in &levels {
                Levels::new(l.clone()).map_err(|e| refuse(e.to_string()))?;
            }
            Ok(Some(levels))
        }
        _ => Err(refuse("it must be \"auto\" or a list of values for each column".into())),
    }
}

/// The values grouped as infrequent: those of weight below `min_frequency` (a share of the rows when below 1), then the
/// rarest until `max_categories` are left, the group itself counted; ties go to the first.
pub(crate) fn infrequent(
    counts: &[f64],
    rows: f64,
    min_frequency: Option<f64>,
    whole: bool,
    max_categories: Option<usize>,
) -> Vec<bool> {
    let least = min_frequency.map_or(0.0, |f| if whole { f } else { f * rows });
    let mut out: Vec<bool> = counts.iter().map(|&c| c < least).collect();
    let groups = out.iter().filter(|&&r| !r).count() + 1;
    if let Some(most) = max_categories
        && most < groups
    {
        let order = ermine_core::order::argsort(counts);
        let rare = counts.len().saturating_sub(most - 1);
        order[..rare].iter().for_each(|&l| out[l] = true);
    }
    out
}
