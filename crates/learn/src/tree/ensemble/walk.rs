//! Rows on their way down the trees, several side by side.

use std::ops::Range;

use ermine_core::{Features, Result};
use rayon::prelude::*;

use super::cells::{Cells, CodeMaps, SparseCells, TableCells, refuse_infinite};
use super::{Step, Trees, contains};

/// Rows that one thread works on at a time.
const BLOCK: usize = 256;
/// Rows that go down a tree side by side.
const LANES: usize = 8;

impl Trees {
    /// Hands the leaf of each row in each of `trees` to `write`, as (the `width` elements of the row in `out`, tree, node
    /// counted over all trees); the trees of a row come in their order.
    pub(super) fn for_leaves<T: Send>(
        &self,
        x: &Features<'_>,
        trees: Range<usize>,
        out: &mut [T],
        width: usize,
        write: impl Fn(&mut [T], usize, usize) + Sync,
    ) -> Result<()> {
        x.expect_cols(self.n_features())?;
        let maps = CodeMaps::new(x, &self.categories)?;
        let (place, read) = match x {
            Features::Csr(_) => self.columns_read(),
            _ => (Vec::new(), 0),
        };
        let work = |(block, out): (usize, &mut [T])| {
            let first = block * BLOCK;
            let rows = first..first + out.len() / width;
            if self.finite {
                refuse_infinite(x, rows.clone())?;
            }
            match x.row_range(rows) {
                Features::F64(m) => self.walk(&m, trees.clone(), out, width, &write),
                Features::F32(m) => self.walk(&m, trees.clone(), out, width, &write),
                Features::Csr(m) => self.walk(&SparseCells::new(m, &place, read), trees.clone(), out, width, &write),
                Features::Table(t) => self.walk(&TableCells::new(t, &maps), trees.clone(), out, width, &write),
            }
            Ok(())
        };
        if x.rows() <= BLOCK {
            // Not worth waking another thread.
            out.chunks_mut(BLOCK * width).enumerate().try_for_each(work)
        } else {
            out.par_chunks_mut(BLOCK * width).enumerate().try_for_each(work)
        }
    }

    /// The place of each column among those that are read, `u32::MAX` if it is not, and how many are. Column 0 is read by
    /// rows that have arrived.
    fn columns_read(&self) -> (Vec<u32>, usize) {
        let mut read = vec![false; self.n_features()];
        read[0] = true;
        self.inner().for_each(|(column, _)| read[column] = true);
        let mut count = 0;
        let place = |read: bool| {
            count += u32::from(read);
            if read { count - 1 } else { u32::MAX }
        };
        (read.into_iter().map(place).collect(), count as usize)
    }

    fn walk<T, C: Cells>(
        &self,
        cells: &C,
        trees: Range<usize>,
        out: &mut [T],
        width: usize,
        write: &impl Fn(&mut [T], usize, usize),
    ) {
        let count = out.len() / width;
        for tree in trees {
            let first = self.start[tree];
            let steps = &self.steps[first..self.start[tree + 1]];
            for (group, out) in out.chunks_mut(LANES * width).enumerate() {
                let leaves = self.descend(steps, cells, group * LANES, count);
                out.chunks_exact_mut(width).zip(leaves).for_each(|(out, leaf)| write(out, tree, first + leaf as usize));
            }
        }
    }

    /// The leaves of `LANES` rows from `first` on, the row before `end` again where there are fewer. They go down side by
    /// side, so that no row waits for the memory of another; for that their number must be known here.
    #[inline(always)]
    fn descend<C: Cells>(&self, steps: &[Step], cells: &C, first: usize, end: usize) -> [u32; LANES] {
        let rows: [usize; LANES] = std::array::from_fn(|k| (first + k).min(end - 1));
        let mut at = [0; LANES];
        loop {
            let mut moved = 0;
            for (at, &row) in at.iter_mut().zip(&rows) {
                let step = steps[*at as usize];
                let next = self.next::<C>(*at, step, cells.get(row, step.column()));
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                return at;
            }
        }
    }

    /// The child that a cell leads to. A category is given as its code; NaN is missing.
    #[inline(always)]
    fn next<C: Cells>(&self, at: u32, step: Step, v: f64) -> u32 {
        let left = if C::CATEGORIES && step.tests_categories() {
            let (set, count) = self.set_of(step);
            (!v.is_nan() && contains(set, count, v as u32)) != step.missing_left()
        } else {
            (v <= step.threshold()) | (v.is_nan() & step.missing_left())
        };
        if left { at + 1 } else { step.right }
    }
}
