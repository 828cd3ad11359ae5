//! The columns as small whole numbers.
//!
//! A column with at most 255 different values, or cut into that many bins, takes one byte a row; it is kept twice, by
//! column for large nodes and by row for small ones, where the cells of a row share a cache line. A column with more
//! values that must be kept apart takes a word a row: the rank of the value.

use ermine_core::{Context, Result};
use rayon::prelude::*;

use super::super::sorted::{Columns, Rows, Slot, SortedColumn};

/// Bins of a column that takes one byte a row; one number is left for missing values.
pub(super) const NARROW: usize = 255;
/// The bin of a missing value in a narrow column.
pub(super) const MISSING: u8 = 255;
/// The rank of a missing value in a wide column.
pub(super) const MISSING_RANK: u32 = u32::MAX;

/// Where the cells of a column lie.
pub(super) enum Place {
    /// Its number among the narrow columns.
    Narrow(usize),
    /// A rank a row.
    Wide(Vec<u32>),
}

/// One column.
pub(super) struct Column {
    pub place: Place,
    /// Least and greatest value of each bin; empty for categories.
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    /// The category of each bin.
    pub codes: Option<Vec<u32>>,
    /// Whether every bin holds a single value.
    pub exact: bool,
}

impl Column {
    pub fn bins(&self) -> usize {
        self.codes.as_ref().map_or(self.low.len(), Vec::len)
    }
}

/// All columns of the rows that take part.
pub(super) struct Binned {
    pub rows: usize,
    pub columns: Vec<Column>,
    /// Cells of the narrow columns, one row after the other.
    by_row: Vec<u8>,
    /// The same, one column after the other.
    by_column: Vec<u8>,
    /// How many columns are narrow.
    pub narrow: usize,
}

impl Binned {
    /// Ranks every column. With `max_bins` a column of numbers with more values than that is cut into bins of about as
    /// many rows each; without, every value is kept apart.
    pub fn new(columns: &Columns<'_>, rows: &Rows, max_bins: Option<usize>, cx: &Context<'_>) -> Result<Self> {
        let n = rows.len();
        let sorted = columns.sort(rows, &|_| false, cx)?;
        let cells: Vec<(Column, Vec<u8>)> = sorted
            .lists
            .par_chunks(n)
            .zip(&sorted.columns)
            .enumerate()
            .map(|(j, (list, about))| column(columns, rows, j, list, *about, max_bins))
            .collect();
        drop(sorted);
        let narrow = cells.iter().filter(|(_, cells)| !cells.is_empty()).count();
        let (mut out, mut by_column) = (Vec::with_capacity(cells.len()), Vec::with_capacity(n * narrow));
        for (mut column, cells) in cells {
            if let Place::Narrow(place) = &mut column.place {
                *place = by_column.len() / n;
                by_column.extend_from_slice(&cells);
            }
            out.push(column);
        }
        let mut by_row = vec![0u8; n * narrow];
        // Rows in blocks, so that what is written stays near while the columns stream past.
        const BLOCK: usize = 256;
        if narrow > 0 {
            by_row.par_chunks_mut(BLOCK * narrow).enumerate().for_each(|(block, out)| {
                let first = block * BLOCK;
                let count = out.len() / narrow;
                for c in 0..narrow {
                    let cells = &by_column[c * n + first..][..count];
                    cells.iter().enumerate().for_each(|(i, &b)| out[i * narrow + c] = b);
                }
            });
        }
        Ok(Self { rows: n, columns: out, by_row, by_column, narrow })
    }

    /// The cells of a narrow column.
    #[inline(always)]
    pub fn column(&self, place: usize) -> &[u8] {
        &self.by_column[place * self.rows..][..self.rows]
    }

    /// The narrow cells of all rows, row after row.
    #[inline(always)]
    pub fn rows_of_cells(&self) -> &[u8] {
        &self.by_row
    }

    /// How many columns were cut into bins that hold several values.
    pub fn coarse(&self) -> usize {
        self.columns.iter().filter(|c| !c.exact).count()
    }
}

/// Ranks and bins one column from its sorted list.
fn column(
    columns: &Columns<'_>,
    rows: &Rows,
    j: usize,
    list: &[u32],
    about: SortedColumn,
    max_bins: Option<usize>,
) -> (Column, Vec<u8>) {
    let category = columns.categories[j].is_some();
    let missing = if about.missing { list.iter().rev().take_while(|e| e.missing()).count() } else { 0 };
    let present = &list[..list.len() - missing];
    let distinct = present.iter().enumerate().filter(|(i, e)| *i == 0 || e.starts()).count();
    let limit = max_bins.filter(|_| !category).unwrap_or(usize::MAX);
    let coarse = distinct > limit;
    let value = |e: u32| columns.value(rows.row(e.id()), j);
    let mut bin_of = vec![0u32; if coarse { distinct } else { 0 }];
    let bins = if coarse { share_out(present, limit, &mut bin_of) } else { distinct };
    let (mut low, mut high, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    if category {
        codes.reserve(bins);
    } else {
        low.reserve(bins);
        high.reserve(bins);
    }
    let narrow = bins <= NARROW;
    let mut bytes = vec![if narrow { MISSING } else { 0 }; if narrow { list.len() } else { 0 }];
    let mut ranks = vec![MISSING_RANK; if narrow { 0 } else { list.len() }];
    let mut rank = 0;
    let mut bin = 0;
    for (i, &e) in present.iter().enumerate() {
        if i > 0 && e.starts() {
            rank += 1;
        }
        let here = if coarse { bin_of[rank] as usize } else { rank };
        if i == 0 || here != bin {
            bin = here;
            if category {
                codes.push(columns.code(rows.row(e.id()), j));
            } else {
                if i > 0 {
                    high.push(value(present[i - 1]));
                }
                low.push(value(e));
            }
        }
        if narrow {
            bytes[e.id()] = bin as u8;
        } else {
            ranks[e.id()] = bin as u32;
        }
    }
    if !category && !present.is_empty() {
        high.push(value(present[present.len() - 1]));
    }
    let place = if narrow { Place::Narrow(0) } else { Place::Wide(ranks) };
    (Column { place, low, high, codes: category.then_some(codes), exact: !coarse }, bytes)
}

/// Gives the distinct values of a sorted list to at most `limit` bins of about as many rows each; returns how many.
fn share_out(present: &[u32], limit: usize, bin_of: &mut [u32]) -> usize {
    let (mut bin, mut held, mut left) = (0usize, 0usize, present.len());
    let mut at = 0;
    for place in bin_of.iter_mut() {
        let first = at;
        at += 1;
        while at < present.len() && !present[at].starts() {
            at += 1;
        }
        let count = at - first;
        // What is left is shared by the bins that are left; a value that overshoots goes where it fits better.
        let aim = left as f64 / (limit - bin) as f64;
        if held > 0 && bin + 1 < limit && (held + count) as f64 - aim > aim - held as f64 {
            left -= held;
            bin += 1;
            held = 0;
        }
        *place = bin as u32;
        held += count;
    }
    bin + 1
}
