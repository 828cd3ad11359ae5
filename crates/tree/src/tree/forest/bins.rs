//! The columns as small whole numbers.
//!
//! A column with at most 255 different values, or cut into that many bins, takes one byte per row; it is kept twice, by
//! column for large nodes and by row for small ones, where the cells of a row share a cache line. A column with more
//! values that must be kept apart takes a word per row: the rank of the value.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Result};
use serde::{Deserialize, Serialize};

use super::super::sorted::{RowSubset, SortedEntry, SortedInfo, TreeColumns};

/// Bins of a column that takes one byte per row; one number is left for missing values.
pub(super) const MAX_NARROW_BINS: usize = 255;
/// The bin of a missing value in a narrow column.
pub(super) const MISSING: u8 = 255;
/// The rank of a missing value in a wide column.
pub(super) const MISSING_RANK: u32 = u32::MAX;

/// Where the cells of a column lie.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum BinStorage {
    /// Its number among the narrow columns.
    Narrow(usize),
    /// A rank a row.
    Wide(Vec<u32>),
}

/// One column.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct BinnedColumn {
    pub place: BinStorage,
    /// Least and greatest value of each bin; empty for categories.
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    /// The category of each bin.
    pub codes: Option<Vec<u32>>,
    /// Whether every bin holds a single value.
    pub exact: bool,
}

impl BinnedColumn {
    pub fn new(place: BinStorage, low: Vec<f64>, high: Vec<f64>, codes: Option<Vec<u32>>) -> Self {
        // A bin without rows has its least above its greatest value.
        let exact = low.iter().zip(&high).all(|(low, high)| low >= high);
        Self { place, low, high, codes, exact }
    }

    pub fn bins(&self) -> usize {
        self.codes.as_ref().map_or(self.low.len(), Vec::len)
    }
}

/// All columns of the rows that take part.
pub(super) struct BinnedData {
    pub rows: usize,
    pub columns: Vec<BinnedColumn>,
    /// Cells of the narrow columns, one row after the other.
    by_row: Vec<u8>,
    /// The same, one column after the other.
    by_column: Vec<u8>,
    /// How many columns are narrow.
    pub narrow: usize,
}

impl BinnedData {
    /// Ranks every column: every value is kept apart.
    pub fn ranked(columns: &TreeColumns<'_>, rows: &RowSubset, cx: &Context<'_>) -> Result<Self> {
        let n = rows.len();
        let sorted = columns.sort(rows, &|_| false, cx)?;
        let ranked: Vec<(BinnedColumn, Vec<u8>)> = sorted
            .lists
            .par_chunks(n)
            .zip(&sorted.columns)
            .enumerate()
            .map(|(j, (list, about))| column(columns, rows, j, list, *about))
            .collect();
        drop(sorted);
        Ok(Self::assemble(n, ranked))
    }

    /// From the columns, each with the cells of its rows if it is narrow.
    pub(super) fn assemble(n: usize, cells: Vec<(BinnedColumn, Vec<u8>)>) -> Self {
        let narrow = cells.iter().filter(|(_, cells)| !cells.is_empty()).count();
        let (mut out, mut by_column) = (Vec::with_capacity(cells.len()), Vec::with_capacity(n * narrow));
        for (mut column, cells) in cells {
            if let BinStorage::Narrow(place) = &mut column.place {
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
        Self { rows: n, columns: out, by_row, by_column, narrow }
    }

    /// From the cells of narrow and of wide columns, row after row, and columns that know their places.
    pub fn of_rows(columns: &[BinnedColumn], rows: usize, by_row: Vec<u8>, wide: Vec<u32>) -> Self {
        let narrow = by_row.len() / rows.max(1);
        let (stride, mut at) = (columns.len() - narrow, 0);
        let mut columns = columns.to_vec();
        for column in &mut columns {
            if let BinStorage::Wide(ranks) = &mut column.place {
                *ranks = wide.iter().skip(at).step_by(stride).copied().collect();
                at += 1;
            }
        }
        let mut by_column = vec![0u8; by_row.len()];
        by_column.par_chunks_mut(rows.max(1)).enumerate().for_each(|(c, cells)| {
            cells.iter_mut().zip(by_row.iter().skip(c).step_by(narrow)).for_each(|(to, &from)| *to = from);
        });
        Self { rows, columns, by_row, by_column, narrow }
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
}

/// Ranks one column from its sorted list.
fn column(columns: &TreeColumns<'_>, rows: &RowSubset, j: usize, list: &[u32], about: SortedInfo) -> (BinnedColumn, Vec<u8>) {
    let category = columns.categories[j].is_some();
    let missing = if about.missing { list.iter().rev().take_while(|e| e.missing()).count() } else { 0 };
    let present = &list[..list.len() - missing];
    let distinct = present.iter().enumerate().filter(|(i, e)| *i == 0 || e.starts()).count();
    let narrow = distinct <= MAX_NARROW_BINS;
    let mut bytes = vec![if narrow { MISSING } else { 0 }; if narrow { list.len() } else { 0 }];
    let mut ranks = vec![MISSING_RANK; if narrow { 0 } else { list.len() }];
    let (mut values, mut codes) = (Vec::new(), Vec::new());
    for (i, &e) in present.iter().enumerate() {
        if i == 0 || e.starts() {
            let row = rows.row(e.id());
            if category {
                codes.push(columns.code(row, j));
            } else {
                values.push(columns.value(row, j));
            }
        }
        let rank = values.len().max(codes.len()) - 1;
        if narrow {
            bytes[e.id()] = rank as u8;
        } else {
            ranks[e.id()] = rank as u32;
        }
    }
    let place = if narrow { BinStorage::Narrow(0) } else { BinStorage::Wide(ranks) };
    (BinnedColumn { place, low: values.clone(), high: values, codes: category.then_some(codes), exact: true }, bytes)
}
