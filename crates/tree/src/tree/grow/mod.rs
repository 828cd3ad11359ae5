//! Growing a tree from the root, depth first or best first.
//!
//! Large nodes are worked on one after the other, their columns in parallel. Nodes that have become small are taken out
//! with lists of their own, half as wide and near in memory, and grown in parallel, each by one thread. Who does what
//! never changes what is done, so the tree has the same bits on any number of threads.

mod nodes;
mod order;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Progress, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::criterion::{MonotoneBounds, NodeStats, SplitCriterion, SplitLimits};
use super::open_node::OpenNode;
use super::partition::{KeepSide, RowBits, partition};
use super::sorted::{RowSubset, SortedEntry, SortedInfo, TreeColumns};
use super::split::{ColumnCandidate, Split, SplitRule, between, parts};
pub(super) use nodes::{GainOrder, GrownNode, NodeTest, graft, in_preorder, parents};

/// The stops, resolved for the data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GrowOptions {
    pub max_depth: usize,
    pub min_split: usize,
    pub min_leaf: usize,
    pub min_weight: f64,
    pub min_decrease: f64,
    pub max_features: usize,
    pub max_leaves: Option<usize>,
    /// Thresholds are drawn instead of searched.
    pub random: bool,
    pub monotone: Option<Vec<i8>>,
    /// The entry of a node's value that monotonic constraints apply to.
    pub monotone_value: usize,
}

impl GrowOptions {
    /// Whether a node that is not pure may split; `min_weight` is the weight that a side must keep.
    pub fn may_split(&self, depth: usize, rows: usize, weight: f64, min_weight: f64) -> bool {
        depth < self.max_depth && rows >= self.min_split.max(2 * self.min_leaf) && weight >= 2.0 * min_weight
    }

    /// Whether a split of a node of this impurity lowers the impurity of the tree enough.
    pub fn gains_enough(&self, decrease: f64, impurity: f64) -> bool {
        // A split that gains exactly as much as asked must not fail by rounding.
        self.min_decrease <= 0.0 || decrease + 16.0 * f64::EPSILON * impurity >= self.min_decrease
    }
}

/// Data shared by all parts of a growing tree.
pub(super) struct GrowContext<'a> {
    pub columns: &'a TreeColumns<'a>,
    pub sorted: &'a [SortedInfo],
    pub rows: &'a RowSubset,
    pub settings: GrowOptions,
    pub cx: &'a Context<'a>,
    /// Weight of all rows.
    pub weight: f64,
    /// Set when the deadline has passed: what is still open becomes a leaf.
    pub late: AtomicBool,
    pub work: AtomicU64,
}

impl GrowContext<'_> {
    /// Reports progress now and then, and checks the deadline.
    fn report(&self, entries: usize) -> Result<()> {
        const EVERY: u64 = 1 << 19;
        let before = self.work.fetch_add(entries as u64 + 1, Ordering::Relaxed);
        if before == 0 || before / EVERY != (before + entries as u64 + 1) / EVERY {
            self.cx.report(Progress { stage: "growing", done: before, total: None, objective: None })?;
            if self.cx.deadline_passed() {
                self.late.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

/// A node whose split is known, and a child whose split is still to be searched.
type ExactOpen<T> = OpenNode<ExactNode<T>>;
type OpenChild<T> = OpenNode<ChildNode<T>>;

/// State of an open node.
struct ExactNode<T> {
    /// Where its rows begin in every list.
    start: usize,
    /// Columns that are not constant here.
    active: Arc<[u32]>,
    stats: NodeStats<T>,
    /// Bounds of the value that monotonic constraints have set.
    bounds: (f64, f64),
    choice: Option<NodeSplit<T>>,
}

/// The split a node takes, and what comes of it.
struct NodeSplit<T> {
    split: Split,
    left: NodeStats<T>,
    right: NodeStats<T>,
    /// By how much the impurity of the tree falls.
    decrease: f64,
}

/// The best gain so far of a node, shared between columns.
struct GainFloor(AtomicU64);

impl GainFloor {
    fn new() -> Self {
        Self(AtomicU64::new(f64::NEG_INFINITY.to_bits()))
    }

    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn raise_floor(&self, gain: f64) {
        let lower = |bits| (gain > f64::from_bits(bits)).then_some(gain.to_bits());
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lower);
    }
}

/// State of a child whose split is still to be searched.
struct ChildNode<T> {
    stats: NodeStats<T>,
    start: usize,
    bounds: (f64, f64),
    /// Whether it may split.
    open: bool,
    floor: GainFloor,
}

/// The result of the search on a column in a child.
struct ColumnScan {
    constant: bool,
    split: Option<Split>,
}

/// Entries (rows times columns) below which one thread does all the work of a node.
const PARALLEL: usize = 1 << 16;
/// Entries up to which a node is taken out with lists of its own.
const SMALL: usize = 1 << 19;

/// The lists of a tree or a part of it, with what is needed to split them.
pub(super) struct Grower<'g, C, S> {
    ground: &'g GrowContext<'g>,
    criterion: C,
    /// The list of each place, one after the other.
    lists: Vec<S>,
    /// Length of a list.
    stride: usize,
    /// The column of each place.
    features: Vec<u32>,
    /// The row of the whole tree behind a row of this part.
    ids: Option<Vec<u32>>,
    marks: RowBits,
    sides: (Vec<u32>, Vec<u32>),
}

fn row_of(ground: &GrowContext<'_>, ids: Option<&[u32]>, id: usize) -> usize {
    ground.rows.row(ids.map_or(id, |ids| ids[id] as usize))
}

/// Grows a whole tree: its nodes in preorder.
pub(super) fn grow<C: SplitCriterion>(ground: &GrowContext<'_>, mut criterion: C, lists: Vec<u32>) -> Result<Vec<GrownNode>> {
    let stride = ground.rows.len();
    let all: Vec<u32> = (0..stride as u32).collect();
    let stats = criterion.prepare(&all);
    drop(all);
    let features: Vec<u32> = (0..ground.columns.len() as u32).collect();
    let active: Arc<[u32]> = features.iter().copied().filter(|&f| !ground.sorted[f as usize].constant).collect();
    let marks = RowBits::new(stride);
    let mut grower = Grower { ground, criterion, lists, stride, features, ids: None, marks, sides: Default::default() };
    let root = OpenNode::root(grower.child(stats, 0, 0, (f64::NEG_INFINITY, f64::INFINITY)));
    let mut splits = None;
    if root.state.open {
        ground.report(stride)?;
        splits = grower.search(&root, &active).into_iter().reduce(better).flatten();
    }
    let root = grower.open_node(root, active, splits);
    let nodes = match ground.settings.max_leaves {
        Some(leaves) => grower.best_first(root, leaves)?,
        None => grower.depth_first(root)?,
    };
    Ok(in_preorder(nodes))
}

/// The better of two splits, the first of equals.
fn better(a: Option<Split>, b: Option<Split>) -> Option<Split> {
    match (&a, &b) {
        (Some(x), Some(y)) if y.gain > x.gain => b,
        (None, _) => b,
        _ => a,
    }
}

impl<'g, C: SplitCriterion, S: SortedEntry> Grower<'g, C, S> {
    fn child(&self, stats: NodeStats<C::Total>, start: usize, depth: usize, bounds: (f64, f64)) -> ChildNode<C::Total> {
        let s = &self.ground.settings;
        let open = s.may_split(depth, stats.rows, stats.weight, s.min_weight)
            && !stats.pure
            && !self.ground.late.load(Ordering::Relaxed);
        ChildNode { stats, start, bounds, open, floor: GainFloor::new() }
    }

    /// Turns a child into an open node with the split it will take, if it takes one.
    fn open_node(&mut self, child: OpenChild<C::Total>, active: Arc<[u32]>, split: Option<Split>) -> ExactOpen<C::Total> {
        let OpenNode { depth, path, state: ChildNode { stats, start, bounds, .. } } = child;
        let choice = split.and_then(|split| self.choose(start, &stats, split));
        OpenNode { depth, path, state: ExactNode { start, active, stats, bounds, choice } }
    }

    /// The children of a split, unless it gains too little.
    fn choose(&mut self, start: usize, stats: &NodeStats<C::Total>, split: Split) -> Option<NodeSplit<C::Total>> {
        self.mark_sides(start, stats.rows, &split);
        let left = self.criterion.prepare(&self.sides.0);
        let right = self.criterion.prepare(&self.sides.1);
        let ends = left.weight / stats.weight * left.impurity + right.weight / stats.weight * right.impurity;
        let decrease = stats.weight / self.ground.weight * (stats.impurity - ends);
        let enough = self.ground.settings.gains_enough(decrease, stats.impurity);
        enough.then_some(NodeSplit { split, left, right, decrease })
    }

    /// Writes the rows of the two sides of a split to `self.sides`.
    fn mark_sides(&mut self, start: usize, rows: usize, split: &Split) {
        let place = self.features.partition_point(|&f| (f as usize) < split.feature);
        let list = &self.lists[place * self.stride + start..][..rows];
        let parts = parts(list, self.ground.sorted[split.feature].missing, None);
        let (left, right) = &mut self.sides;
        left.clear();
        right.clear();
        let id = |e: &S| e.id() as u32;
        match &split.cut {
            SplitRule::At(at, _) => {
                left.extend(parts.present[..*at].iter().map(id));
                right.extend(parts.present[*at..].iter().map(id));
            }
            SplitRule::Categories(codes) => {
                let mut goes = false;
                for e in parts.present {
                    if e.starts() {
                        let row = row_of(self.ground, self.ids.as_deref(), e.id());
                        goes = codes.binary_search(&self.ground.columns.code(row, split.feature)).is_ok();
                    }
                    if goes { &mut *left } else { &mut *right }.push(id(e));
                }
            }
        }
        if split.missing_left { left } else { right }.extend(parts.missing.iter().map(id));
    }

    /// The test of a chosen split.
    fn test(&self, node: &ExactOpen<C::Total>, choice: &NodeSplit<C::Total>) -> NodeTest {
        let split = &choice.split;
        let place = self.features.partition_point(|&f| (f as usize) < split.feature);
        let list = &self.lists[place * self.stride + node.state.start..][..node.state.stats.rows];
        let parts = parts(list, self.ground.sorted[split.feature].missing, None);
        let value = |e: S| self.ground.columns.value(row_of(self.ground, self.ids.as_deref(), e.id()), split.feature);
        let threshold = match split.cut {
            SplitRule::At(_, Some(drawn)) => drawn,
            SplitRule::At(at, None) if at < parts.present.len() => {
                between(value(parts.present[at - 1]), value(parts.present[at]))
            }
            // Every value goes left and only the missing ones right.
            SplitRule::At(..) => f64::INFINITY,
            SplitRule::Categories(_) => 0.0,
        };
        // Missing values that training did not see here go with the greater weight.
        let missing_left = if parts.missing.is_empty() { choice.left.weight > choice.right.weight } else { split.missing_left };
        let categories = match &split.cut {
            SplitRule::Categories(codes) => {
                let mut codes = codes.clone();
                if missing_left {
                    codes.extend(self.unseen_categories(split.feature, parts.present));
                    codes.sort_unstable();
                }
                Some(codes)
            }
            SplitRule::At(..) => None,
        };
        NodeTest { feature: split.feature, threshold, categories, missing_left, left: 0, right: 0 }
    }

    /// The categories of a column that no row of the node has: they are treated like missing values.
    fn unseen_categories(&self, feature: usize, present: &[S]) -> Vec<u32> {
        let count = self.ground.columns.categories[feature].as_ref().map_or(0, |names| names.len());
        let mut seen = vec![false; count];
        for e in present.iter().filter(|e| e.starts()) {
            seen[self.ground.columns.code(row_of(self.ground, self.ids.as_deref(), e.id()), feature) as usize] = true;
        }
        (0..count as u32).filter(|&c| !seen[c as usize]).collect()
    }

    fn limits(&self, feature: usize, bounds: (f64, f64)) -> SplitLimits {
        let s = &self.ground.settings;
        let sign = s.monotone.as_ref().map_or(0, |m| m[feature]);
        let monotone = (sign != 0).then_some(MonotoneBounds { sign: f64::from(sign), low: bounds.0, high: bounds.1 });
        SplitLimits { min_rows: s.min_leaf, min_weight: s.min_weight, monotone }
    }

    /// Evaluates one column for a child: whether it is constant and, if requested, the best split on it.
    fn scan_column(
        &self,
        child: &OpenChild<C::Total>,
        sweep: &mut C::Sweep<'_>,
        place: usize,
        list: &[S],
        search: bool,
    ) -> ColumnScan {
        let feature = self.features[place] as usize;
        let column = self.ground.sorted[feature];
        let row = |id: usize| row_of(self.ground, self.ids.as_deref(), id);
        let value = |e: S| self.ground.columns.value(row(e.id()), feature);
        let list = parts(list, column.missing, if column.marked { None } else { Some(&value) });
        let constant = list.constant();
        if constant || !search {
            return ColumnScan { constant, split: None };
        }
        let candidate = ColumnCandidate { feature, list, columns: self.ground.columns, row: &row };
        let limits = self.limits(feature, child.state.bounds);
        let split = if self.ground.settings.random {
            let index = child.path ^ (feature as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            candidate.draw(sweep, &limits, RngStream::new(self.ground.cx.seed, "tree threshold", index))
        } else {
            candidate.best(&self.criterion, sweep, &limits, child.state.floor.get())
        };
        if let Some(split) = &split {
            child.state.floor.raise_floor(split.gain);
        }
        ColumnScan { constant, split }
    }

    /// The best split of a child on each of the places it draws.
    fn search(&self, child: &OpenChild<C::Total>, active: &[u32]) -> Vec<Option<Split>> {
        let places = self.draw_places(child.path, active);
        let list = |place: u32| &self.lists[place as usize * self.stride + child.state.start..][..child.state.stats.rows];
        if places.len() * child.state.stats.rows < PARALLEL {
            let mut sweep = self.criterion.sweep(&child.state.stats);
            places.iter().map(|&p| self.scan_column(child, &mut sweep, p as usize, list(p), true).split).collect()
        } else {
            let sweep = || self.criterion.sweep(&child.state.stats);
            places
                .par_iter()
                .map_init(sweep, |sweep, &p| self.scan_column(child, sweep, p as usize, list(p), true).split)
                .collect()
        }
    }

    fn samples_columns(&self) -> bool {
        self.ground.settings.max_features < self.ground.columns.len()
    }

    /// The columns that a node considers: they are drawn one by one, constant ones among them, until there are enough and one
    /// of them is not constant.
    fn draw_places(&self, path: u64, active: &[u32]) -> Vec<u32> {
        if !self.samples_columns() {
            return active.to_vec();
        }
        let p = self.ground.columns.len();
        let mut place = vec![None; p];
        active.iter().for_each(|&a| place[self.features[a as usize] as usize] = Some(a));
        let mut stream = RngStream::new(self.ground.cx.seed, "tree features", path);
        let mut order: Vec<usize> = (0..p).collect();
        let mut out = Vec::new();
        for drawn in 0..p {
            if drawn >= self.ground.settings.max_features && (!out.is_empty() || active.is_empty()) {
                break;
            }
            order.swap(drawn, drawn + stream.below(p - drawn));
            out.extend(place[order[drawn]]);
        }
        out.sort_unstable();
        out
    }

    /// Splits an open node: its children, ready with the splits they will take.
    fn split(&mut self, node: ExactOpen<C::Total>, choice: NodeSplit<C::Total>) -> Result<[ExactOpen<C::Total>; 2]> {
        let rows = node.state.stats.rows;
        self.ground.report(rows * node.state.active.len())?;
        let NodeSplit { split, left, right, .. } = choice;
        let at = left.rows;
        let bounds = self.child_bounds(&node, split.feature, &left, &right);
        let (start, depth) = (node.state.start, node.depth + 1);
        let children =
            node.children([self.child(left, start, depth, bounds[0]), self.child(right, start + at, depth, bounds[1])]);
        let keep = match (children[0].state.open, children[1].state.open) {
            (true, true) => KeepSide::Both,
            (true, false) => KeepSide::Left,
            (false, true) => KeepSide::Right,
            (false, false) => return Ok(children.map(|c| self.open_node(c, Arc::new([]), None))),
        };
        self.mark_sides(node.state.start, rows, &split);
        self.sides.0.iter().for_each(|&id| self.marks.set(id as usize, true));
        self.sides.1.iter().for_each(|&id| self.marks.set(id as usize, false));
        // The list of the split itself is in order already, unless missing values move to the left.
        let in_order =
            matches!(split.cut, SplitRule::At(..)) && !(split.missing_left && self.ground.sorted[split.feature].missing);
        let outcomes = self.partition(&node, &children, keep, in_order.then_some(split.feature));
        let mut actives = [0, 1].map(|c: usize| -> Arc<[u32]> {
            let kept = || node.state.active.iter().zip(&outcomes).filter(|(_, o)| !o[c].constant).map(|(&a, _)| a);
            if !children[c].state.open {
                Arc::new([])
            } else if outcomes.iter().all(|o| !o[c].constant) {
                node.state.active.clone()
            } else {
                kept().collect()
            }
        });
        let mut best = [None, None];
        for outcome in outcomes {
            for (best, o) in best.iter_mut().zip(outcome) {
                *best = better(best.take(), o.split);
            }
        }
        if self.samples_columns() {
            for c in 0..2 {
                if children[c].state.open {
                    best[c] = self.search(&children[c], &actives[c]).into_iter().reduce(better).flatten();
                }
            }
        }
        let mut side = 0;
        Ok(children.map(|c| {
            side += 1;
            self.open_node(c, std::mem::replace(&mut actives[side - 1], Arc::new([])), best[side - 1].take())
        }))
    }

    /// Partitions the lists of a node and, while they are near, looks for the splits of the children.
    fn partition(
        &mut self,
        node: &ExactOpen<C::Total>,
        children: &[OpenChild<C::Total>; 2],
        keep: KeepSide,
        in_order: Option<usize>,
    ) -> Vec<[ColumnScan; 2]> {
        let (rows, at) = (node.state.stats.rows, children[0].state.stats.rows);
        let mut lists = std::mem::take(&mut self.lists);
        let this = &*self;
        let searches = !this.samples_columns();
        let sweeps = || [0, 1].map(|c: usize| this.criterion.sweep(&children[c].state.stats));
        let work = |sweeps: &mut [C::Sweep<'_>; 2], spare: &mut Vec<S>, place: usize, list: &mut [S]| -> [ColumnScan; 2] {
            let feature = this.features[place] as usize;
            if in_order != Some(feature) {
                partition(list, at, &this.marks, keep, this.ground.sorted[feature].marked, spare);
            }
            [0, 1].map(|c| {
                let part = if c == 0 { &list[..at] } else { &list[at..] };
                match children[c].state.open {
                    true => this.scan_column(&children[c], &mut sweeps[c], place, part, searches),
                    false => ColumnScan { constant: true, split: None },
                }
            })
        };
        let outcomes = if rows * node.state.active.len() < PARALLEL {
            let (mut sweeps, mut spare) = (sweeps(), Vec::new());
            let list = |place: u32| place as usize * this.stride + node.state.start;
            node.state.active.iter().map(|&a| work(&mut sweeps, &mut spare, a as usize, &mut lists[list(a)..][..rows])).collect()
        } else {
            let mut wanted = vec![false; this.features.len()];
            node.state.active.iter().for_each(|&a| wanted[a as usize] = true);
            let chunks = lists.chunks_mut(this.stride).enumerate().filter(|(place, _)| wanted[*place]);
            let chunks: Vec<(usize, &mut [S])> = chunks.collect();
            let init = || (sweeps(), Vec::new());
            let chunk = |list: &mut [S]| node.state.start..(node.state.start + rows).min(list.len());
            chunks
                .into_par_iter()
                .map_init(init, |(sweeps, spare), (place, list)| {
                    let range = chunk(list);
                    work(sweeps, spare, place, &mut list[range])
                })
                .collect()
        };
        self.lists = lists;
        outcomes
    }

    /// The bounds of the children: a split on a constrained column puts the middle of the two values between them.
    fn child_bounds(
        &self,
        node: &ExactOpen<C::Total>,
        feature: usize,
        left: &NodeStats<C::Total>,
        right: &NodeStats<C::Total>,
    ) -> [(f64, f64); 2] {
        let s = &self.ground.settings;
        let (low, high) = node.state.bounds;
        let middle = 0.5 * left.value[s.monotone_value] + 0.5 * right.value[s.monotone_value];
        match s.monotone.as_ref().map_or(0, |m| m[feature]) {
            0 => [node.state.bounds, node.state.bounds],
            1 => [(low, middle), (middle, high)],
            _ => [(middle, high), (low, middle)],
        }
    }
}
