//! The columns as sorted lists of rows.
//!
//! Every column is sorted once. From then on a node is a range that is the same in all lists, and a split partitions
//! the range of every list stably, so no node sorts anything. An entry is one word: which row, whether a new value begins
//! with it, whether the value is missing, and, for two classes, the class, so that the search for a split streams
//! through memory.
//!
//! In a column where values repeat, the marks of new values are kept right as lists are cut. Where almost no value
//! repeats they are left as they were in the whole list: a mark then still means a new value, and without one the two
//! values are looked up.

use std::sync::Arc;

use ermine_core::blocks::column_label;
use ermine_core::parallel::prelude::*;
use ermine_core::{Context, CsrRef, DatasetRef, Error, Features, MISSING_CODE, MatRef, Progress, Result, Schema, TableRef};

use crate::columns::{SparseColumns, categories};

/// An entry of a sorted list: a row of the node, and what the search needs to know of it.
pub(super) trait SortedEntry: Copy + Default + Send + Sync + 'static {
    /// How many rows can be numbered.
    const MAX_ROWS: usize;
    /// An entry from its parts.
    fn new(id: usize, bit: bool, starts: bool, missing: bool) -> Self;
    /// The row.
    fn id(self) -> usize;
    /// The class of the row, when there are two.
    fn bit(self) -> usize;
    /// Whether the value is known to differ from the one before.
    fn starts(self) -> bool;
    /// Whether the value is missing; such entries come last.
    fn missing(self) -> bool;
    /// The entry with another mark of a new value.
    fn with_start(self, starts: bool) -> Self;
}

macro_rules! slot {
    ($t:ty, $bits:expr) => {
        impl SortedEntry for $t {
            const MAX_ROWS: usize = 1 << $bits;
            #[inline(always)]
            fn new(id: usize, bit: bool, starts: bool, missing: bool) -> Self {
                id as $t | (bit as $t) << $bits | (missing as $t) << ($bits + 1) | (starts as $t) << ($bits + 2)
            }
            #[inline(always)]
            fn id(self) -> usize {
                (self & ((1 << $bits) - 1)) as usize
            }
            #[inline(always)]
            fn bit(self) -> usize {
                (self >> $bits & 1) as usize
            }
            #[inline(always)]
            fn starts(self) -> bool {
                self >> ($bits + 2) & 1 == 1
            }
            #[inline(always)]
            fn missing(self) -> bool {
                self >> ($bits + 1) & 1 == 1
            }
            #[inline(always)]
            fn with_start(self, starts: bool) -> Self {
                self & !(1 << ($bits + 2)) | (starts as $t) << ($bits + 2)
            }
        }
    };
}
slot!(u32, 29);
slot!(u16, 13);

/// Which rows take part: those with a weight above 0.
pub(super) enum RowSubset {
    All(usize),
    Some(Vec<u32>),
}

impl RowSubset {
    pub fn with_weight(data: &DatasetRef<'_>) -> Self {
        match data.weight {
            Some(w) if w.contains(&0.0) => Self::Some((0..w.len() as u32).filter(|&i| w[i as usize] > 0.0).collect()),
            _ => Self::All(data.rows()),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::All(n) => *n,
            Self::Some(rows) => rows.len(),
        }
    }

    #[inline]
    pub fn row(&self, id: usize) -> usize {
        match self {
            Self::All(_) => id,
            Self::Some(rows) => rows[id] as usize,
        }
    }
}

enum ColumnSource<'a> {
    F64(MatRef<'a, f64>),
    F32(MatRef<'a, f32>),
    Sparse { csr: CsrRef<'a>, columns: SparseColumns },
    Table(TableRef<'a>),
}

/// The columns a tree learns from.
pub(super) struct TreeColumns<'a> {
    source: ColumnSource<'a>,
    /// The category names of each category column.
    pub categories: Vec<Option<Arc<Vec<String>>>>,
    schema: Option<&'a Schema>,
}

impl<'a> TreeColumns<'a> {
    pub fn new(x: &Features<'a>, schema: Option<&'a Schema>) -> Self {
        let source = match *x {
            Features::F64(m) => ColumnSource::F64(m),
            Features::F32(m) => ColumnSource::F32(m),
            Features::Csr(csr) => ColumnSource::Sparse { csr, columns: SparseColumns::new(&csr) },
            Features::Table(t) => ColumnSource::Table(t),
        };
        Self { source, categories: categories(x), schema }
    }

    pub fn len(&self) -> usize {
        self.categories.len()
    }

    /// A number cell.
    pub fn value(&self, row: usize, col: usize) -> f64 {
        match &self.source {
            ColumnSource::F64(m) => *m.at(row, col),
            ColumnSource::F32(m) => f64::from(*m.at(row, col)),
            ColumnSource::Sparse { csr, .. } => {
                let (indices, values) = csr.row(row);
                indices.iter().zip(values).filter(|(j, _)| **j as usize == col).map(|(_, v)| v).sum()
            }
            ColumnSource::Table(t) => t.numbers(col).map_or(f64::NAN, |v| v[row]),
        }
    }

    /// A category cell.
    pub fn code(&self, row: usize, col: usize) -> u32 {
        match &self.source {
            ColumnSource::Table(t) => t.categories(col).map_or(MISSING_CODE, |(codes, _)| codes[row]),
            _ => MISSING_CODE,
        }
    }

    /// The sorted list of every column over the given rows, one after the other; `bit` gives the class of a row. Infinite
    /// cells are refused.
    pub fn sort(&self, rows: &RowSubset, bit: &(impl Fn(usize) -> bool + Sync), cx: &Context<'_>) -> Result<SortedColumns> {
        let (n, p) = (rows.len(), self.len());
        // Neighboring columns share the cache lines of a row-major matrix, so they are read together.
        let group = p.div_ceil(4 * rayon::current_num_threads()).clamp(1, 8);
        let mut lists = vec![0u32; n * p];
        let columns = lists
            .par_chunks_mut(n * group)
            .enumerate()
            .map(|(g, lists)| {
                cx.check(Progress { stage: "sorting", done: (g * group) as u64, total: Some(p as u64), objective: None })?;
                let first = g * group;
                let mut cells: Vec<SortKeys> = (0..lists.len() / n).map(|_| SortKeys::default()).collect();
                self.read(first, rows, &mut cells);
                let mut out = Vec::with_capacity(cells.len());
                for ((k, cells), list) in cells.iter_mut().enumerate().zip(lists.chunks_exact_mut(n)) {
                    if let Some(id) = cells.infinite {
                        return Err(self.refuse_infinite(rows.row(id as usize), first + k));
                    }
                    let mut column = cells.write_list(list, bit);
                    // Categories are found by their marks.
                    column.marked |= self.categories[first + k].is_some();
                    out.push(column);
                }
                Ok(out)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(SortedColumns { lists, columns: columns.into_iter().flatten().collect() })
    }

    fn refuse_infinite(&self, row: usize, col: usize) -> Error {
        let column = column_label(self.schema, col);
        let value = if self.value(row, col) > 0.0 { "infinity" } else { "-infinity" };
        Error::NotFinite { column, row, value: value.into() }
    }

    fn read(&self, first: usize, rows: &RowSubset, cells: &mut [SortKeys]) {
        let n = rows.len();
        match &self.source {
            ColumnSource::F32(m) => read_matrix(first, rows, cells, |row, col| f64::from(*m.at(row, col))),
            ColumnSource::F64(m) => read_matrix(first, rows, cells, |row, col| *m.at(row, col)),
            ColumnSource::Sparse { columns, .. } => {
                let mut dense = vec![0.0; columns.rows().max(rows.row(n - 1) + 1)];
                for (k, cells) in cells.iter_mut().enumerate() {
                    let (at, values) = columns.column(first + k);
                    at.iter().zip(values).for_each(|(&i, v)| dense[i as usize] += v);
                    cells.reserve_keys(n, (0..n.min(SAMPLE)).map(|id| dense[rows.row(id)]));
                    for id in 0..n {
                        cells.push(id, dense[rows.row(id)]);
                    }
                    at.iter().for_each(|&i| dense[i as usize] = 0.0);
                }
            }
            ColumnSource::Table(t) => {
                for (k, cells) in cells.iter_mut().enumerate() {
                    if let Some((codes, _)) = t.categories(first + k) {
                        cells.reserve_keys(n, std::iter::empty());
                        for id in 0..n {
                            let code = codes[rows.row(id)];
                            if code == MISSING_CODE {
                                cells.missing.push(id as u32);
                            } else {
                                cells.narrow.push(u64::from(code) << 32 | id as u64);
                            }
                        }
                    } else {
                        let values = t.numbers(first + k).unwrap_or_default();
                        read_matrix(first + k, rows, std::slice::from_mut(cells), |row, _| values[row]);
                    }
                }
            }
        }
    }
}

/// Cells that are looked at to guess whether a column fits in single precision.
const SAMPLE: usize = 32;

fn read_matrix(first: usize, rows: &RowSubset, cells: &mut [SortKeys], at: impl Fn(usize, usize) -> f64) {
    let n = rows.len();
    for (k, cells) in cells.iter_mut().enumerate() {
        cells.reserve_keys(n, (0..n.min(SAMPLE)).map(|id| at(rows.row(id), first + k)));
    }
    for id in 0..n {
        let row = rows.row(id);
        for (k, cells) in cells.iter_mut().enumerate() {
            cells.push(id, at(row, first + k));
        }
    }
    for (k, cells) in cells.iter_mut().enumerate() {
        if cells.misjudged {
            cells.begin_wide(n);
            (0..n).for_each(|id| cells.push(id, at(rows.row(id), first + k)));
        }
    }
}

/// The cells of a column on their way to a sorted list: keys that sort like the values, with the row. Values that are
/// exact in single precision, as most are, take half the room and half the work.
#[derive(Default)]
struct SortKeys {
    narrow: Vec<u64>,
    wide: Vec<(u64, u32)>,
    is_wide: bool,
    misjudged: bool,
    missing: Vec<u32>,
    infinite: Option<u32>,
}

impl SortKeys {
    fn reserve_keys(&mut self, n: usize, mut sample: impl Iterator<Item = f64>) {
        if sample.any(|v| v.is_finite() && f64::from(v as f32) != v) {
            self.begin_wide(n);
        } else {
            self.narrow.reserve_exact(n);
        }
    }

    fn begin_wide(&mut self, n: usize) {
        *self = Self { is_wide: true, ..Self::default() };
        self.wide.reserve_exact(n);
    }

    #[inline]
    fn push(&mut self, id: usize, v: f64) {
        if !v.is_finite() {
            if v.is_nan() {
                self.missing.push(id as u32);
            } else {
                self.infinite.get_or_insert(id as u32);
            }
            return;
        }
        // -0 and 0 are one value.
        let v = v + 0.0;
        if self.is_wide {
            let bits = v.to_bits();
            self.wide.push((bits ^ (((bits as i64 >> 63) as u64) | 1 << 63), id as u32));
        } else {
            let single = v as f32;
            self.misjudged |= f64::from(single) != v;
            let bits = single.to_bits();
            self.narrow.push(u64::from(bits ^ (((bits as i32 >> 31) as u32) | 1 << 31)) << 32 | id as u64);
        }
    }

    fn write_list(&mut self, list: &mut [u32], bit: &impl Fn(usize) -> bool) -> SortedInfo {
        let distinct = if self.is_wide {
            sort_by_digits(&mut self.wide, &[0, 11, 22, 33, 44, 55], |c, shift| (c.0 >> shift) as usize & 2047);
            write_entries(list, bit, &self.wide, |c| (c.0, c.1))
        } else {
            sort_by_digits(&mut self.narrow, &[32, 43, 54], |c, shift| (c >> shift) as usize & 2047);
            write_entries(list, bit, &self.narrow, |c| (c >> 32, c as u32))
        };
        let present = list.len() - self.missing.len();
        for (k, (slot, &id)) in list[present..].iter_mut().zip(&self.missing).enumerate() {
            *slot = SortedEntry::new(id as usize, bit(id as usize), k == 0, true);
        }
        let out = SortedInfo {
            missing: !self.missing.is_empty(),
            constant: distinct + usize::from(!self.missing.is_empty()) <= 1,
            marked: (present - distinct) * 64 > present,
        };
        *self = Self::default();
        out
    }
}

fn write_entries<C: Copy>(list: &mut [u32], bit: &impl Fn(usize) -> bool, cells: &[C], part: impl Fn(C) -> (u64, u32)) -> usize {
    let mut last = None;
    let mut distinct = 0;
    for (slot, &cell) in list.iter_mut().zip(cells) {
        let (key, id) = part(cell);
        let starts = last != Some(key);
        distinct += usize::from(starts);
        last = Some(key);
        *slot = SortedEntry::new(id as usize, bit(id as usize), starts, false);
    }
    distinct
}

/// Radix sort, least significant digit first; `digit` gives the eleven bits from a shift on. Digits that all items share
/// cost nothing.
fn sort_by_digits<C: Copy + Ord + Default>(items: &mut Vec<C>, shifts: &[u32], digit: impl Fn(C, u32) -> usize) {
    if items.len() < 512 {
        items.sort_unstable();
        return;
    }
    let mut counts = vec![[0u32; 2048]; shifts.len()];
    for &item in items.iter() {
        for (count, &shift) in counts.iter_mut().zip(shifts) {
            count[digit(item, shift)] += 1;
        }
    }
    let mut other = vec![C::default(); items.len()];
    for (count, &shift) in counts.iter_mut().zip(shifts) {
        if count.iter().any(|&c| c as usize == items.len()) {
            continue;
        }
        let mut next = 0;
        for c in count.iter_mut() {
            let start = next;
            next += *c;
            *c = start;
        }
        for &item in items.iter() {
            let at = &mut count[digit(item, shift)];
            other[*at as usize] = item;
            *at += 1;
        }
        std::mem::swap(items, &mut other);
    }
}

/// Statistics of a sorted column.
#[derive(Clone, Copy)]
pub(super) struct SortedInfo {
    /// Whether some value is missing.
    pub missing: bool,
    /// Whether there is one value only (missing counts as one).
    pub constant: bool,
    /// Whether marks of new values are kept right.
    pub marked: bool,
}

/// All columns, sorted.
pub(super) struct SortedColumns {
    /// The list of each column, one after the other, each as long as there are rows.
    pub lists: Vec<u32>,
    pub columns: Vec<SortedInfo>,
}

impl SortedColumns {
    /// The lists of some rows only, found by passing over the others: `number` has for each row its new number, or
    /// [`LEFT_OUT`]; `rows` is how many there are.
    pub fn select(&self, number: &[u32], rows: usize) -> Self {
        let mut lists = vec![0u32; rows * self.columns.len()];
        let columns = lists
            .par_chunks_mut(rows.max(1))
            .zip(self.lists.par_chunks(number.len()))
            .map(|(out, list)| {
                let (mut at, mut distinct, mut missing) = (0, 0, false);
                let mut new = true;
                for &e in list {
                    new |= e.starts();
                    let id = number[e.id()];
                    if id == LEFT_OUT {
                        continue;
                    }
                    out[at] = SortedEntry::new(id as usize, e.bit() == 1, new, e.missing());
                    at += 1;
                    distinct += usize::from(new);
                    missing |= e.missing();
                    new = false;
                }
                SortedInfo { missing, constant: distinct <= 1, marked: true }
            })
            .collect();
        Self { lists, columns }
    }
}

/// The new number of a row that [`Sorted::select`] leaves out.
pub(super) const LEFT_OUT: u32 = u32::MAX;
