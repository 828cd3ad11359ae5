//! Rows on their way down the trees, several side by side.

use std::ops::Range;
use std::sync::Arc;

use ermine_core::parallel::prelude::*;
use ermine_core::{Features, Result};

use super::cells::{CodeMaps, FeatureAccess, SparseCells, TableCells, refuse_infinite};
use super::compiled::{CompiledTrees, PredictScratch};
use super::{PackedNode, Trees, contains};

/// Rows that one thread works on at a time.
const BLOCK: usize = 512;
/// Trees from which on replacing cells by codes pays.
pub(super) const FEW_TREES: usize = 6;
/// Rows from which on compiled trees are used, and those for which trees are compiled.
const FEW_ROWS: usize = 48;
const MANY_ROWS: usize = 2048;
/// Rows that go down a tree side by side.
const LANES: usize = 8;
/// Trees that one row goes down side by side.
pub(super) const TREE_LANES: usize = 10;
/// Columns up to which one row is copied to where its cells are found without a stride or a check of bounds.
const NARROW: usize = 256;

impl Trees {
    /// Hands the leaf of each row in each of `trees` to `write`, as (the `width` elements of the row in `out`, tree, node
    /// counted over all trees); the trees of a row come in their order.
    pub(super) fn visit_leaves<T: Send>(
        &self,
        x: &Features<'_>,
        trees: Range<usize>,
        out: &mut [T],
        width: usize,
        write: impl Fn(&mut [T], usize, usize) + Sync,
    ) -> Result<()> {
        let compiled = match x.rows() {
            _ if trees.len() < FEW_TREES => None,
            MANY_ROWS.. => Some(self.compiled.get_or_init(|| Arc::new(CompiledTrees::new(self)))),
            FEW_ROWS.. => self.compiled.get(),
            _ => None,
        };
        let run = TreeWalk { trees: self, compiled: compiled.map(|c| &**c), range: trees, width, write: &write };
        self.visit_blocks(x, out, width, BLOCK, &run)
    }

    /// Hands blocks of rows as cells, with their `width` elements a row of `out`, to a reader, in parallel.
    pub(super) fn visit_blocks<T: Send>(
        &self,
        x: &Features<'_>,
        out: &mut [T],
        width: usize,
        block_rows: usize,
        reader: &(impl BlockVisitor<T> + Sync),
    ) -> Result<()> {
        x.expect_cols(self.n_features())?;
        let maps = CodeMaps::new(x, &self.categories)?;
        let (place, read) = match x {
            Features::Csr(_) => self.columns_read(),
            _ => (Vec::new(), 0),
        };
        let work = |(block, out): (usize, &mut [T])| {
            let first = block * block_rows;
            let rows = first..first + out.len() / width;
            if self.finite {
                refuse_infinite(x, rows.clone())?;
            }
            match x.row_range(rows) {
                Features::F64(m) => reader.read(&m, out),
                Features::F32(m) => reader.read(&m, out),
                Features::Csr(m) => reader.read(&SparseCells::new(m, &place, read), out),
                Features::Table(t) => reader.read(&TableCells::new(t, &maps), out),
            }
            Ok(())
        };
        if x.rows() <= block_rows {
            // Not worth waking another thread.
            out.chunks_mut(block_rows * width).enumerate().try_for_each(work)
        } else {
            out.par_chunks_mut(block_rows * width).enumerate().try_for_each(work)
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

    /// The leaves of `LANES` rows from `first` on, the row before `end` again where there are fewer. They go down side by
    /// side, so that no row waits for the memory of another; for that their number must be known here.
    #[inline(always)]
    fn descend<C: FeatureAccess>(&self, steps: &[PackedNode], cells: &C, first: usize, end: usize) -> [u32; LANES] {
        let rows: [usize; LANES] = std::array::from_fn(|k| (first + k).min(end - 1));
        let mut at = [0; LANES];
        loop {
            let mut moved = 0;
            for (at, &row) in at.iter_mut().zip(&rows) {
                let step = steps[*at as usize];
                let next = self.child_of::<C>(*at, step, cells.get(row, step.column()));
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                return at;
            }
        }
    }

    /// The leaves of one row in `TREE_LANES` trees from `first` on, the tree before `end` again where there are fewer: one row
    /// waits less if it goes down several trees at a time.
    #[inline(always)]
    pub(super) fn descend_trees<C: FeatureAccess>(&self, cells: &C, row: usize, first: usize, end: usize) -> [usize; TREE_LANES] {
        let start: [usize; TREE_LANES] = std::array::from_fn(|k| self.start[(first + k).min(end - 1)]);
        let mut at = [0; TREE_LANES];
        loop {
            let mut moved = 0;
            for (at, start) in at.iter_mut().zip(start) {
                let step = self.steps[start + *at as usize];
                let next = self.child_of::<C>(*at, step, cells.get(row, step.column()));
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                return std::array::from_fn(|k| start[k] + at[k] as usize);
            }
        }
    }

    /// The same for numbers of which none is missing.
    #[inline(always)]
    fn descend_trees_narrow(&self, row: &[f64; NARROW], first: usize, end: usize) -> [usize; TREE_LANES] {
        let start: [usize; TREE_LANES] = std::array::from_fn(|k| self.start[(first + k).min(end - 1)]);
        let mut at = [0; TREE_LANES];
        loop {
            let mut moved = 0;
            for (at, start) in at.iter_mut().zip(start) {
                let step = self.steps[start + *at as usize];
                let left = row[step.column() % NARROW] <= step.threshold();
                let next = if left { *at + 1 } else { step.right };
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                return std::array::from_fn(|k| start[k] + at[k] as usize);
            }
        }
    }

    /// One row side by side, if it is narrow enough and has neither categories nor missing cells.
    #[inline(always)]
    fn pack_row<C: FeatureAccess>(&self, cells: &C, row: usize) -> Option<[f64; NARROW]> {
        if !C::PLAIN || self.n_features() > NARROW {
            return None;
        }
        let mut out = [0.0; NARROW];
        let mut missing = false;
        for (j, out) in out[..self.n_features()].iter_mut().enumerate() {
            *out = cells.get(row, j);
            missing |= out.is_nan();
        }
        (!missing).then_some(out)
    }

    /// The child that a cell leads to. A category is given as its code; NaN is missing.
    #[inline(always)]
    pub(super) fn child_of<C: FeatureAccess>(&self, at: u32, step: PackedNode, v: f64) -> u32 {
        let left = if C::CATEGORIES && step.tests_categories() {
            let (set, count) = self.set_of(step);
            (!v.is_nan() && contains(set, count, v as u32)) != step.missing_left()
        } else {
            (v <= step.threshold()) | (v.is_nan() & step.missing_left())
        };
        if left { at + 1 } else { step.right }
    }
}

/// Works on blocks of rows.
pub(super) trait BlockVisitor<T> {
    fn read<C: FeatureAccess>(&self, cells: &C, out: &mut [T]);
}

/// Trees on their way over blocks of rows.
struct TreeWalk<'a, W> {
    trees: &'a Trees,
    compiled: Option<&'a CompiledTrees>,
    range: Range<usize>,
    width: usize,
    write: &'a W,
}

impl<T, W: Fn(&mut [T], usize, usize)> BlockVisitor<T> for TreeWalk<'_, W> {
    fn read<C: FeatureAccess>(&self, cells: &C, out: &mut [T]) {
        let Some(compiled) = self.compiled else { return self.walk(cells, self.range.clone(), out) };
        let mut room = PredictScratch::default();
        for part in &compiled.parts {
            let trees = part.trees.start.max(self.range.start)..part.trees.end.min(self.range.end);
            match &part.masks {
                _ if trees.is_empty() => {}
                Some(masks) => masks.run(cells, trees, out, self.width, &mut room, self.write),
                None => self.walk(cells, trees, out),
            }
        }
    }
}

impl<W> TreeWalk<'_, W> {
    fn walk<T, C: FeatureAccess>(&self, cells: &C, trees: Range<usize>, out: &mut [T])
    where
        W: Fn(&mut [T], usize, usize),
    {
        let count = out.len() / self.width;
        if count < LANES {
            for (row, out) in out.chunks_exact_mut(self.width).enumerate() {
                let narrow = if trees.len() < FEW_TREES { None } else { self.trees.pack_row(cells, row) };
                for first in trees.clone().step_by(TREE_LANES) {
                    let nodes = match &narrow {
                        Some(narrow) => self.trees.descend_trees_narrow(narrow, first, trees.end),
                        None => self.trees.descend_trees(cells, row, first, trees.end),
                    };
                    (first..trees.end).zip(nodes).for_each(|(tree, node)| (self.write)(out, tree, node));
                }
            }
            return;
        }
        for tree in trees {
            let first = self.trees.start[tree];
            let steps = &self.trees.steps[first..self.trees.start[tree + 1]];
            for (group, out) in out.chunks_mut(LANES * self.width).enumerate() {
                let leaves = self.trees.descend(steps, cells, group * LANES, count);
                let rows = out.chunks_exact_mut(self.width);
                rows.zip(leaves).for_each(|(out, leaf)| (self.write)(out, tree, first + leaf as usize));
            }
        }
    }
}
