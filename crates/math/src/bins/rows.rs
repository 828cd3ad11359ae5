//! Partition of rows among the nodes of a growing tree.

use std::ops::Range;

use ermine_core::parallel::prelude::*;

use super::matrix::{Bin, BinMatrix, Panel, Panels};

/// Rows below which a split is not parallel.
const PARALLEL: usize = 1 << 15;

/// Rows partitioned by nodes: a node is a range, and its rows ascend.
#[derive(Debug, Clone)]
pub struct PartitionedRows {
    /// All different, all below `bound`.
    rows: Vec<u32>,
    spare: Vec<u32>,
    bound: usize,
}

impl PartitionedRows {
    /// The rows 0..n.
    ///
    /// # Panics
    /// When there are 2³² rows or more.
    pub fn all(n: usize) -> Self {
        let n32 = u32::try_from(n).expect("row numbers have 32 bits");
        Self { rows: (0..n32).collect(), spare: vec![0; n], bound: n }
    }

    /// Some rows below `bound`, ascending.
    ///
    /// # Panics
    /// When they do not ascend strictly or reach `bound`.
    pub fn of(rows: Vec<u32>, bound: usize) -> Self {
        assert!(rows.windows(2).all(|w| w[0] < w[1]), "rows ascend");
        assert!(rows.last().is_none_or(|&r| (r as usize) < bound), "rows lie below the bound");
        Self { spare: vec![0; rows.len()], rows, bound }
    }

    /// Restores the initial order of all rows.
    pub fn reset(&mut self) {
        if self.rows.len() == self.bound {
            self.rows.par_iter_mut().enumerate().for_each(|(i, r)| *r = i as u32);
        } else {
            ermine_core::parallel::sort_unstable(&mut self.rows);
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows of a node.
    pub fn rows(&self, node: Range<usize>) -> &[u32] {
        &self.rows[node]
    }

    /// Splits a node: rows whose bin of `column` is marked go to the front. Returns where the others begin. `left` has
    /// one entry per bin, that of missing values included. Both parts keep their order.
    pub fn split(&mut self, node: Range<usize>, matrix: &BinMatrix, column: usize, left: &[bool]) -> usize {
        assert!(self.bound <= matrix.rows(), "the rows are those of the table");
        assert_eq!(left.len(), matrix.columns()[column].missing() + 1, "one entry per bin");
        let (panel, slot) = matrix.place(column);
        let (rows, spare) = (&mut self.rows[node.clone()], &mut self.spare[node.clone()]);
        let middle = match matrix.panels() {
            Panels::Small(panels) => partition(rows, spare, &panels[panel], slot, left),
            Panels::Large(panels) => partition(rows, spare, &panels[panel], slot, left),
        };
        node.start + middle
    }

    /// Adds the number of each node to the scores of its rows.
    ///
    /// # Panics
    /// When nodes overlap or there are fewer scores than rows.
    pub fn add(&self, nodes: &[(Range<usize>, f64)], scores: &mut [f64]) {
        assert!(scores.len() >= self.bound, "one score per row");
        let mut nodes: Vec<_> = nodes.iter().filter(|n| !n.0.is_empty()).cloned().collect();
        nodes.sort_by_key(|n| n.0.start);
        assert!(nodes.windows(2).all(|w| w[0].0.end <= w[1].0.start), "nodes do not overlap");
        let tasks: Vec<(&[u32], f64)> =
            nodes.iter().flat_map(|(range, v)| self.rows[range.clone()].chunks(PARALLEL).map(move |c| (c, *v))).collect();
        let scores = Shared(scores.as_mut_ptr());
        let add = |(rows, v): &(&[u32], f64)| {
            let scores = &scores;
            for &r in *rows {
                // SAFETY: r < bound <= number of scores, and no row occurs twice, within a task or among them.
                unsafe { *scores.0.add(r as usize) += *v };
            }
        };
        if self.rows.len() < PARALLEL { tasks.iter().for_each(add) } else { tasks.par_iter().for_each(add) }
    }
}

/// A pointer that threads write through at different places.
struct Shared(*mut f64);
// SAFETY: see its use.
unsafe impl Sync for Shared {}

fn partition<T: Bin>(rows: &mut [u32], spare: &mut [u32], panel: &Panel<T>, slot: usize, left: &[bool]) -> usize {
    // A table with an entry for every possible cell needs no check of the bin.
    let mut table = vec![0u8; if size_of::<T>() == 1 { 256 } else { 65_536 }];
    for (entry, &l) in table.iter_mut().zip(left) {
        *entry = u8::from(l);
    }
    if rows.len() < PARALLEL {
        let middle = partition_run(rows, spare, panel, slot, &table);
        let right = rows.len() - middle;
        rows[middle..].copy_from_slice(&spare[..right]);
        return middle;
    }
    let chunk = rows.len().div_ceil(ermine_core::parallel::current_num_threads().max(1)).max(PARALLEL / 2);
    let middles: Vec<usize> = rows
        .par_chunks_mut(chunk)
        .zip(spare.par_chunks_mut(chunk))
        .map(|(rows, spare)| partition_run(rows, spare, panel, slot, &table))
        .collect();
    let mut to = 0;
    for (k, &n) in middles.iter().enumerate() {
        rows.copy_within(k * chunk..k * chunk + n, to);
        to += n;
    }
    let middle = to;
    for (k, &n) in middles.iter().enumerate() {
        let right = chunk.min(rows.len() - k * chunk) - n;
        rows[to..to + right].copy_from_slice(&spare[k * chunk..k * chunk + right]);
        to += right;
    }
    middle
}

/// Moves the rows that go left to the front and the others to `spare`; returns how many went left.
fn partition_run<T: Bin>(rows: &mut [u32], spare: &mut [u32], panel: &Panel<T>, slot: usize, table: &[u8]) -> usize {
    assert!(spare.len() >= rows.len() && table.len() == 1 << (8 * size_of::<T>()));
    let (mut l, mut r) = (0, 0);
    let cells = panel.columns[slot].as_slice();
    for i in 0..rows.len() {
        // SAFETY: i < rows.len(); l + r = i, so both places are in bounds; the rows of a set lie below its bound, which `split`
        // compared with the rows of the table; and the table has an entry for every value a cell can have.
        unsafe {
            let row = *rows.get_unchecked(i);
            let cell = cells.get_unchecked(row as usize);
            let left = usize::from(*table.get_unchecked(cell.index()));
            // Both are written, and one place moves on: no branch to mispredict.
            *rows.get_unchecked_mut(l) = row;
            *spare.get_unchecked_mut(r) = row;
            l += left;
            r += 1 - left;
        }
    }
    l
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::ColumnBins;

    fn matrix(rows: usize, bins: usize) -> BinMatrix {
        let mut m = BinMatrix::new(vec![ColumnBins::Numbers { cuts: (0..bins - 1).map(|k| k as f64).collect() }]);
        m.append(rows, |_, first, out| {
            out.iter_mut().enumerate().for_each(|(i, v)| *v = (((first + i) * 7919) % bins) as f64);
        });
        m
    }

    #[test]
    fn parts_keep_their_order_and_lose_nothing() {
        for (n, bins) in [(1000, 9), (200_000, 9), (1000, 700)] {
            let m = matrix(n, bins);
            let left: Vec<bool> = (0..=bins).map(|b| b % 3 == 0).collect();
            let mut sets = PartitionedRows::all(n);
            let middle = sets.split(0..n, &m, 0, &left);
            let (a, b): (Vec<u32>, Vec<u32>) = (0..n as u32).partition(|&r| left[m.get(r as usize, 0)]);
            assert_eq!((sets.rows(0..middle), sets.rows(middle..n)), (a.as_slice(), b.as_slice()));
            let again = sets.split(middle..n, &m, 0, &(0..=bins).map(|b| b < 5).collect::<Vec<_>>());
            let mut scores = vec![0.0; n];
            sets.add(&[(middle..again, 2.0), (0..middle, 1.0), (again..n, 3.0)], &mut scores);
            for r in 0..n {
                let bin = m.get(r, 0);
                assert_eq!(
                    scores[r],
                    if bin.is_multiple_of(3) {
                        1.0
                    } else if bin < 5 {
                        2.0
                    } else {
                        3.0
                    }
                );
            }
            sets.reset();
            assert!(sets.rows(0..n).iter().enumerate().all(|(i, &r)| i == r as usize));
        }
    }

    #[test]
    #[should_panic(expected = "rows ascend")]
    fn rows_that_occur_twice_are_refused() {
        PartitionedRows::of(vec![1, 1], 3);
    }
}
