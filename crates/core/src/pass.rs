//! Learning in passes over rows: one learner in memory, on streams and on clusters, with the same bits on any number of
//! threads.
//!
//! Rows are cut into blocks whose size depends only on the learner and the number of columns. Each block is reduced to
//! a [`Partial`], and partials are merged in a binary tree whose shape depends only on the number of blocks. Threads
//! decide who computes what, never what is computed.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::parallel::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use crate::dataset::zero_weight_error;
use crate::{
    Context, DatasetRef, Error, Features, Flow, Learner, Model, OwnedDataset, OwnedFeatures, Progress, Result, Schema, Spec,
};

/// Rows per block, unless the learner asks for another number.
pub const BLOCK_ROWS: usize = 4096;

/// Blocks of a stream held at a time; bounds the memory of [`run_passes_source`].
const MAX_BLOCKS_IN_FLIGHT: usize = 8;

/// Sums over the rows so far. `merge` is associative up to rounding.
pub trait Partial: Send + Serialize + DeserializeOwned {
    /// Adds the sums of rows that come after those of this one.
    fn merge(&mut self, other: Self) -> Result<()>;
}

/// The outcome of a pass.
#[derive(Debug)]
pub enum PassStep<S, M> {
    /// Another pass, with this state; the number is the objective so far.
    NextPass(S, Option<f64>),
    /// The model.
    Done(M),
}

/// A learner that needs only sums over rows, in one pass or several.
pub trait PassLearner: Learner {
    /// State broadcast to every block before a pass.
    type State: Clone + Send + Sync + Serialize + DeserializeOwned;
    /// The sums of a pass.
    type Partial: Partial;

    /// Rows per block; may depend on nothing but the parameters and the number of columns.
    fn block_rows(&self, cols: usize) -> usize {
        let _ = cols;
        BLOCK_ROWS
    }
    /// The state before the first pass. `head` has the first rows (at least one), with schema and class names.
    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Self::State>;
    /// The partial of no rows.
    fn empty_partial(&self, state: &Self::State) -> Self::Partial;
    /// Adds a block of rows. Cells that are not finite are an error; its row counts from the block.
    fn add_block(&self, state: &Self::State, part: &mut Self::Partial, rows: &DatasetRef<'_>) -> Result<()>;
    /// [`PassLearner::add_block`] with the number of rows before the block: for learners that draw rows by their
    /// number. Drivers call this one.
    fn add_block_at(&self, state: &Self::State, part: &mut Self::Partial, rows: &DatasetRef<'_>, first: usize) -> Result<()> {
        let _ = first;
        self.add_block(state, part, rows)
    }
    /// Whether the next pass adds integers only, or otherwise gives the same bits in any order. Blocks are then added
    /// to one partial per thread instead of one each.
    fn is_order_free(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }
    /// Completes a pass.
    fn finish(&self, state: Self::State, total: Self::Partial, cx: &Context<'_>) -> Result<PassStep<Self::State, Self::Model>>;
    /// The model of a state between passes, when there is one: returned when the deadline passes within a pass.
    fn model_so_far(&self, state: &Self::State) -> Option<Self::Model> {
        let _ = state;
        None
    }
}

/// Rows that can be read from the start as often as needed.
pub trait RowSource: Sync {
    /// Names and kinds of the columns.
    fn schema(&self) -> &Schema;
    /// Number of rows, if known.
    fn rows(&self) -> Option<usize>;
    /// Reads all rows in order, in chunks of any length; stops early when `visit` asks for it. Every chunk has the same
    /// schema, category names and class names.
    fn scan(&self, visit: &mut dyn FnMut(&DatasetRef<'_>) -> Result<Flow>) -> Result<()>;
}

impl RowSource for DatasetRef<'_> {
    fn schema(&self) -> &Schema {
        const NONE: &Schema = &Schema { fields: Vec::new() };
        self.schema.unwrap_or(NONE)
    }
    fn rows(&self) -> Option<usize> {
        Some(DatasetRef::rows(self))
    }
    fn scan(&self, visit: &mut dyn FnMut(&DatasetRef<'_>) -> Result<Flow>) -> Result<()> {
        visit(self).map(|_| ())
    }
}

/// A source whose rows are transformed by a fitted transformer.
pub struct TransformedSource<'a> {
    inner: &'a dyn RowSource,
    model: &'a dyn Model,
    schema: Schema,
}

impl<'a> TransformedSource<'a> {
    /// The rows of `inner` transformed by `model`, which must be a transformer.
    pub fn new(inner: &'a dyn RowSource, model: &'a dyn Model) -> Result<Self> {
        let transformer =
            model.as_transformer().ok_or_else(|| Error::Data("a step of the pipeline does not transform".into()))?;
        let schema = transformer.schema_out(inner.schema());
        Ok(Self { inner, model, schema })
    }
}

impl RowSource for TransformedSource<'_> {
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn rows(&self) -> Option<usize> {
        self.inner.rows()
    }
    fn scan(&self, visit: &mut dyn FnMut(&DatasetRef<'_>) -> Result<Flow>) -> Result<()> {
        let Some(transformer) = self.model.as_transformer() else { return Ok(()) };
        let mut first = 0;
        self.inner.scan(&mut |rows| {
            let z = transformer.transform(&rows.x).map_err(|e| e.with_row(|row| row + first))?;
            first += rows.rows();
            visit(&DatasetRef { x: Features::F64(z.view()), schema: Some(&self.schema), ..*rows })
        })
    }
}

/// Trains on rows in memory. This is [`Learner::fit`] of a pass learner.
pub fn run_passes<L: PassLearner>(learner: &L, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<L::Model> {
    learner.check()?;
    data.check(&L::SPEC)?;
    run_passes_checked(learner, data, cx)
}

/// [`run_passes`] of a learner and rows that were checked already.
pub fn run_passes_checked<L: PassLearner>(learner: &L, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<L::Model> {
    let block_rows = cx.block_rows.unwrap_or_else(|| learner.block_rows(data.cols())).max(1);
    let state = learner.initial_state(&data.row_range(0..data.rows().min(block_rows)), cx)?;
    run_passes_from(learner, data, cx, block_rows, state, 0)
}

/// [`run_passes`] with another block size, to check that a learner does not depend on it.
pub fn run_passes_blocked<L: PassLearner>(
    learner: &L,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
    block_rows: usize,
) -> Result<L::Model> {
    run_passes(learner, data, &Context { block_rows: Some(block_rows), ..*cx })
}

/// Continues from the state before a pass, after so many passes.
pub(crate) fn run_passes_from<L: PassLearner>(
    learner: &L,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
    block_rows: usize,
    mut state: L::State,
    mut pass: u64,
) -> Result<L::Model> {
    loop {
        let add = |block: &DatasetRef<'_>, first: usize| -> Result<L::Partial> {
            let mut part = learner.empty_partial(&state);
            learner.add_block_at(&state, &mut part, block, first)?;
            Ok(part)
        };
        let total = if learner.is_order_free(&state) {
            let mut parts = ThreadPartials::new(learner, &state);
            parts.take(data, block_rows, 0, cx).and_then(|()| parts.total())
        } else {
            run_pass_from(data, block_rows, cx, &add)
        };
        let total = match total {
            Err(e @ Error::Deadline(_)) => return learner.model_so_far(&state).ok_or(e),
            total => total?,
        };
        pass += 1;
        match next(learner.finish(state, total, cx)?, pass, cx)? {
            PassStep::NextPass(s, _) => state = s,
            PassStep::Done(model) => return Ok(model),
        }
    }
}

/// The partials of a pass whose sums do not depend on the order of the blocks: one per thread.
struct ThreadPartials<'a, L: PassLearner> {
    learner: &'a L,
    state: &'a L::State,
    parts: Vec<L::Partial>,
}

impl<'a, L: PassLearner> ThreadPartials<'a, L> {
    fn new(learner: &'a L, state: &'a L::State) -> Self {
        let parts = (0..crate::parallel::current_num_threads()).map(|_| learner.empty_partial(state)).collect();
        Self { learner, state, parts }
    }

    /// Adds a chunk of rows, of which `first` come before.
    fn take(&mut self, run: &DatasetRef<'_>, block_rows: usize, first: usize, cx: &Context<'_>) -> Result<()> {
        let blocks = run.rows().div_ceil(block_rows);
        let share = blocks.div_ceil(self.parts.len().max(1));
        let (learner, state) = (self.learner, self.state);
        let taken: Vec<Result<()>> = self
            .parts
            .par_iter_mut()
            .enumerate()
            .map(|(k, part)| {
                for block in (k * share..blocks).take(share) {
                    cx.check(Progress { stage: "pass", done: block as u64, total: None, objective: None })?;
                    let start = block * block_rows;
                    let rows = run.row_range(start..(start + block_rows).min(run.rows()));
                    let at = first + start;
                    learner.add_block_at(state, part, &rows, at).map_err(|e| e.with_row(|row| row + at))?;
                }
                Ok(())
            })
            .collect();
        taken.into_iter().collect()
    }

    fn total(self) -> Result<L::Partial> {
        let mut parts = self.parts.into_iter();
        let mut total = parts.next().ok_or_else(|| Error::Data("a pass needs at least one thread".into()))?;
        parts.try_for_each(|part| total.merge(part))?;
        Ok(total)
    }
}

/// One pass over rows in memory: `add` reduces a block, and the partials are merged in the fixed tree.
pub fn run_pass<P: Partial>(
    data: &DatasetRef<'_>,
    block_rows: usize,
    cx: &Context<'_>,
    add: &(impl Fn(&DatasetRef<'_>) -> Result<P> + Sync),
) -> Result<P> {
    run_pass_from(data, block_rows, cx, &|block: &DatasetRef<'_>, _| add(block))
}

/// [`run_pass`] with the number of rows before each block.
pub(crate) fn run_pass_from<P: Partial>(
    data: &DatasetRef<'_>,
    block_rows: usize,
    cx: &Context<'_>,
    add: &(impl Fn(&DatasetRef<'_>, usize) -> Result<P> + Sync),
) -> Result<P> {
    let rows = data.rows();
    let blocks = rows.div_ceil(block_rows);
    let done = AtomicU64::new(0);
    let leaf = |block: usize| -> Result<P> {
        let progress =
            Progress { stage: "pass", done: done.load(Ordering::Relaxed), total: Some(blocks as u64), objective: None };
        cx.check(progress)?;
        let first = block * block_rows;
        let range = first..(first + block_rows).min(rows);
        let part = add(&data.row_range(range), first).map_err(|e| e.with_row(|row| row + first))?;
        done.fetch_add(1, Ordering::Relaxed);
        Ok(part)
    };
    reduce(blocks, &leaf)
}

/// Trains on a source of rows, in bounded memory: the bits are those of [`run_passes`] on the same rows.
pub fn run_passes_source<L: PassLearner>(learner: &L, source: &dyn RowSource, cx: &Context<'_>) -> Result<L::Model> {
    learner.check()?;
    let mut head: Option<OwnedDataset> = None;
    source.scan(&mut |rows| {
        if rows.rows() == 0 {
            return Ok(Flow::Continue);
        }
        let mut h = empty_like(rows);
        let block = cx.block_rows.unwrap_or_else(|| learner.block_rows(rows.cols())).max(1);
        append(&mut h, &rows.row_range(0..rows.rows().min(block)));
        head = Some(h);
        Ok(Flow::Stop)
    })?;
    let head = head.ok_or_else(|| Error::Data(format!("there are 0 rows, and {} needs at least 1", L::SPEC.name)))?;
    head.view().check_block(&L::SPEC)?;
    let block_rows = cx.block_rows.unwrap_or_else(|| learner.block_rows(head.view().cols())).max(1);
    let mut state = learner.initial_state(&head.view(), cx)?;
    let mut pass = 0u64;
    loop {
        let add = |block: &DatasetRef<'_>, first: usize| -> Result<L::Partial> {
            let mut part = learner.empty_partial(&state);
            learner.add_block_at(&state, &mut part, block, first)?;
            Ok(part)
        };
        let total = if learner.is_order_free(&state) {
            let mut parts = ThreadPartials::new(learner, &state);
            scan_runs(source, &L::SPEC, block_rows, cx, &mut |run, first| parts.take(run, block_rows, first, cx))
                .and_then(|()| parts.total())
        } else {
            run_pass_source_from(source, &L::SPEC, block_rows, cx, &add)
        };
        let total = match total {
            Err(e @ Error::Deadline(_)) => return learner.model_so_far(&state).ok_or(e),
            total => total?,
        };
        pass += 1;
        match next(learner.finish(state, total, cx)?, pass, cx)? {
            PassStep::NextPass(s, _) => state = s,
            PassStep::Done(model) => return Ok(model),
        }
    }
}

fn next<S, M>(step: PassStep<S, M>, pass: u64, cx: &Context<'_>) -> Result<PassStep<S, M>> {
    if let PassStep::NextPass(_, objective) = &step {
        cx.report(Progress { stage: "passes", done: pass, total: None, objective: *objective })?;
    }
    Ok(step)
}

/// Merges the partials of `blocks` in the fixed tree: the left subtree has the largest power of two below the whole.
fn reduce<P: Partial>(blocks: usize, leaf: &(dyn Fn(usize) -> Result<P> + Sync)) -> Result<P> {
    let parts: Vec<Mutex<Option<P>>> = (0..blocks).map(|_| Mutex::new(None)).collect();
    let part = |at: usize| parts[at].lock().unwrap_or_else(PoisonError::into_inner);
    let fill = |at: usize| leaf(at).map(|sums| *part(at) = Some(sums));
    let merge = |left: usize, right: usize| {
        let right = part(right).take();
        match (part(left).as_mut(), right) {
            (Some(left), Some(right)) => left.merge(right),
            _ => Ok(()),
        }
    };
    run_tree(0..blocks, &fill, &merge)?;
    let total = part(0).take();
    total.ok_or_else(|| Error::Data("there are 0 rows, and a pass needs at least 1".into()))
}

/// Runs the leaves of the fixed tree, and merges its subtrees, each by the number of its first block. This part of
/// [`reduce`] does not know what is merged, so it is compiled once.
fn run_tree(
    blocks: Range<usize>,
    leaf: &(dyn Fn(usize) -> Result<()> + Sync),
    merge: &(dyn Fn(usize, usize) -> Result<()> + Sync),
) -> Result<()> {
    if blocks.len() < 2 {
        return blocks.into_iter().try_for_each(leaf);
    }
    let middle = blocks.start + blocks.len().next_power_of_two() / 2;
    let (left, right) =
        crate::parallel::join(|| run_tree(blocks.start..middle, leaf, merge), || run_tree(middle..blocks.end, leaf, merge));
    left?;
    right?;
    merge(blocks.start, middle)
}

/// The tree of [`reduce`] when leaves come one by one: a binary counter of finished subtrees.
struct MergeTree<P> {
    trees: Vec<(u32, P)>,
}

impl<P: Partial> MergeTree<P> {
    fn push(&mut self, part: P) -> Result<()> {
        let mut tree = (0, part);
        while self.trees.last().is_some_and(|t| t.0 == tree.0) {
            let mut left = self.trees.pop().expect("there is a last tree");
            left.1.merge(tree.1)?;
            tree = (left.0 + 1, left.1);
        }
        self.trees.push(tree);
        Ok(())
    }

    fn total(mut self) -> Result<Option<P>> {
        let Some((_, mut right)) = self.trees.pop() else { return Ok(None) };
        while let Some((_, mut left)) = self.trees.pop() {
            left.merge(right)?;
            right = left;
        }
        Ok(Some(right))
    }
}

/// One pass over a source of rows, with the bits of [`run_pass`] on the same rows; `spec` names the learner in errors.
pub fn run_pass_source<P: Partial>(
    source: &dyn RowSource,
    spec: &Spec,
    block_rows: usize,
    cx: &Context<'_>,
    add: &(impl Fn(&DatasetRef<'_>) -> Result<P> + Sync),
) -> Result<P> {
    run_pass_source_from(source, spec, block_rows, cx, &|block: &DatasetRef<'_>, _| add(block))
}

/// [`run_pass_source`] with the number of rows before each block.
pub fn run_pass_source_from<P: Partial>(
    source: &dyn RowSource,
    spec: &Spec,
    block_rows: usize,
    cx: &Context<'_>,
    add: &(impl Fn(&DatasetRef<'_>, usize) -> Result<P> + Sync),
) -> Result<P> {
    let mut counter = MergeTree { trees: Vec::new() };
    // Reduces the blocks of a chunk in parallel and pushes them into the tree in order.
    scan_runs(source, spec, block_rows, cx, &mut |run, first| {
        let starts: Vec<usize> = (0..run.rows()).step_by(block_rows).collect();
        let parts: Vec<Result<P>> = starts
            .into_par_iter()
            .map(|start| {
                let block = run.row_range(start..(start + block_rows).min(run.rows()));
                add(&block, first + start).map_err(|e| e.with_row(|row| row + first + start))
            })
            .collect();
        parts.into_iter().try_for_each(|part| counter.push(part?))
    })?;
    counter.total()?.ok_or_else(|| Error::Data("the source had rows in one pass and none in the next".into()))
}

/// Reads a source in chunks of [`MAX_BLOCKS_IN_FLIGHT`] whole blocks, the last one shorter; `take` gets the number of
/// rows before.
fn scan_runs(
    source: &dyn RowSource,
    spec: &Spec,
    block_rows: usize,
    cx: &Context<'_>,
    take: &mut dyn FnMut(&DatasetRef<'_>, usize) -> Result<()>,
) -> Result<()> {
    let blocks = source.rows().map(|n| n.div_ceil(block_rows) as u64);
    let mut buffer: Option<OwnedDataset> = None;
    let mut first = 0usize;
    let mut weightless = true;
    let mut take = |run: &DatasetRef<'_>| -> Result<()> {
        cx.check(Progress { stage: "pass", done: (first / block_rows) as u64, total: blocks, objective: None })?;
        run.check_block(spec).map_err(|e| e.with_row(|row| row + first))?;
        weightless &= run.has_no_weight();
        take(run, first)?;
        first += run.rows();
        Ok(())
    };
    let buffer_rows = MAX_BLOCKS_IN_FLIGHT * block_rows;
    source.scan(&mut |rows| {
        let mut at = 0;
        while at < rows.rows() {
            let waiting = buffer.as_ref().map_or(0, |h| h.view().rows());
            let room = buffer_rows - waiting;
            let run = rows.row_range(at..rows.rows().min(at + room));
            at += run.rows();
            if waiting == 0 && run.rows() == buffer_rows {
                take(&run)?;
                continue;
            }
            append(buffer.get_or_insert_with(|| empty_like(rows)), &run);
            if let Some(h) = buffer.take_if(|h| h.view().rows() == buffer_rows) {
                take(&h.view())?;
            }
        }
        Ok(Flow::Continue)
    })?;
    if let Some(rest) = buffer {
        take(&rest.view())?;
    }
    if weightless && first > 0 { Err(zero_weight_error()) } else { Ok(()) }
}

/// All rows of a source in memory, for what cannot be computed in passes.
pub fn collect_rows(source: &dyn RowSource) -> Result<OwnedDataset> {
    let mut rows_in_memory: Option<OwnedDataset> = None;
    source.scan(&mut |rows| {
        append(rows_in_memory.get_or_insert_with(|| empty_like(rows)), rows);
        Ok(Flow::Continue)
    })?;
    rows_in_memory.ok_or_else(|| Error::Data("the source has no rows".into()))
}

fn empty_like(rows: &DatasetRef<'_>) -> OwnedDataset {
    rows.take_rows(&[])
}

/// Appends the rows of `more` to `to`, which came from [`empty_like`] of the same source.
fn append(to: &mut OwnedDataset, more: &DatasetRef<'_>) {
    let all: Vec<usize> = (0..more.rows()).collect();
    let OwnedDataset { x, y, weight, .. } = more.take_rows(&all);
    match (&mut to.x, x) {
        (OwnedFeatures::F64(a), OwnedFeatures::F64(b)) => a.append_rows(b),
        (OwnedFeatures::F32(a), OwnedFeatures::F32(b)) => a.append_rows(b),
        (OwnedFeatures::Csr(a), OwnedFeatures::Csr(b)) => a.append_rows(&b),
        (OwnedFeatures::Table(a), OwnedFeatures::Table(b)) => a.append_rows(b),
        _ => unreachable!("a source keeps its form"),
    }
    to.y.append(y);
    if let (Some(a), Some(b)) = (&mut to.weight, weight) {
        a.extend(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A partial that records the shape of the tree it was merged in.
    #[derive(Serialize, serde::Deserialize, Debug, PartialEq, Clone)]
    struct MergeShape(String);

    impl Partial for MergeShape {
        fn merge(&mut self, other: Self) -> Result<()> {
            self.0 = format!("({}{})", self.0, other.0);
            Ok(())
        }
    }

    #[test]
    fn a_stream_merges_in_the_same_tree_as_memory() {
        for blocks in 1..70 {
            let memory = reduce(blocks, &|b| Ok(MergeShape(format!("[{b}]")))).unwrap();
            let mut counter = MergeTree { trees: Vec::new() };
            for b in 0..blocks {
                counter.push(MergeShape(format!("[{b}]"))).unwrap();
            }
            assert_eq!(counter.total().unwrap().unwrap(), memory, "{blocks} blocks");
        }
    }
}
