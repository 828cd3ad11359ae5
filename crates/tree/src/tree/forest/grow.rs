//! Growing one tree of a forest.
//!
//! A node is a range of one list of rows, each with what it adds to a sum; a split parts the range. Only the columns
//! that a node draws are looked at. One thread grows a tree; the random numbers of a node come from its place in the
//! tree, so they do not depend on the order of growing.

use std::collections::BinaryHeap;

use ermine_core::{Context, Progress, Result, RngStream};

use super::super::grow::{GainOrder, GrowOptions, GrownNode, NodeTest, in_preorder};
use super::super::open_node::{OpenNode, child_path};
use super::bins::{BinStorage, BinnedColumn, BinnedData, MISSING, MISSING_RANK};
use super::kind::{BinnedCriterion, NodeRow};
use super::split_search::{BinRule, BinSplitLimits, BinnedSplit, SplitScratch};

/// Inputs of growing a tree besides its rows.
pub(super) struct ForestGrowContext<'a, K> {
    pub kind: &'a K,
    pub binned: &'a BinnedData,
    /// How many categories each category column has.
    pub categories: &'a [Option<usize>],
    pub settings: &'a GrowOptions,
    /// Which tree it is.
    pub tree: u64,
    /// The seed of the tree.
    pub seed: u64,
    pub cx: &'a Context<'a>,
}

/// State of an open node: its rows, and their sum.
struct RowRange<S> {
    start: usize,
    end: usize,
    all: S,
}

type ForestOpen<S> = OpenNode<RowRange<S>>;

/// A node and its best split.
type SplitNode<S> = (ForestOpen<S>, ForestNodeSplit<S>);

/// The sum of some rows.
pub(super) fn sum_of<K: BinnedCriterion>(entries: &[NodeRow<K::Load>]) -> K::Sum {
    let mut all = K::Sum::default();
    entries.iter().for_each(|e| K::add(&mut all, e.load));
    all
}

/// The random numbers that choose the columns of a node.
pub(super) fn column_stream(seed: u64, path: u64) -> RngStream {
    RngStream::new(seed, "forest node", path)
}

/// The random numbers that choose the threshold on the column that a node has drawn as number `drawn`.
pub(super) fn threshold_stream(seed: u64, path: u64, drawn: usize) -> RngStream {
    RngStream::new(seed, "forest threshold", child_path(path, 3 + drawn as u64))
}

/// The test of a split. `unseen` are categories that no row of the node has.
pub(super) fn test<K: BinnedCriterion>(
    kind: &K,
    column: &BinnedColumn,
    all: &K::Sum,
    split: &BinnedSplit<K::Sum>,
    unseen: &[u32],
) -> NodeTest {
    // Missing values that training did not see here go with the greater weight.
    let missing_left =
        if split.missing { split.missing_left } else { kind.weight(&split.left) > kind.weight(&K::subtract(all, &split.left)) };
    let (threshold, categories) = match &split.cut {
        BinRule::UpTo(_, threshold) => (*threshold, None),
        BinRule::Bins(bins) => {
            let codes = column.codes.as_deref().unwrap_or_default();
            let mut left: Vec<u32> = bins.iter().map(|&b| codes[b as usize]).collect();
            if missing_left {
                left.extend(unseen);
            }
            left.sort_unstable();
            (0.0, Some(left))
        }
    };
    NodeTest { feature: split.feature as usize, threshold, categories, missing_left, left: 0, right: 0 }
}

/// The split a node takes.
struct ForestNodeSplit<S> {
    split: BinnedSplit<S>,
    /// By how much the impurity of the tree falls.
    decrease: f64,
    /// Categories that the node does not have, for a split of categories.
    unseen: Vec<u32>,
}

struct ForestGrower<'a, K: BinnedCriterion> {
    plan: &'a ForestGrowContext<'a, K>,
    limits: BinSplitLimits,
    /// Weight of all rows.
    weight: f64,
    entries: Vec<NodeRow<K::Load>>,
    spare: Vec<NodeRow<K::Load>>,
    scratch: SplitScratch<K>,
    order: Vec<u32>,
    swaps: Vec<(u32, u32)>,
    nodes: Vec<GrownNode>,
}

/// Rows of a node above which its progress is reported.
const REPORT: usize = 4096;

/// Grows a tree, or a part of one, on the given rows; its nodes in preorder. `root` is the place of its first node with the sum of the
/// rows, `weight` that of all rows of the tree.
pub(super) fn grow<K: BinnedCriterion>(
    plan: &ForestGrowContext<'_, K>,
    entries: Vec<NodeRow<K::Load>>,
    root: OpenNode<K::Sum>,
    weight: f64,
) -> Result<Vec<GrownNode>> {
    let s = plan.settings;
    let grower = ForestGrower {
        plan,
        limits: BinSplitLimits::new(s, weight),
        weight,
        spare: Vec::with_capacity(entries.len()),
        entries,
        scratch: SplitScratch::new(),
        order: (0..plan.binned.columns.len() as u32).collect(),
        swaps: Vec::new(),
        nodes: Vec::new(),
    };
    let OpenNode { depth, path, state: all } = root;
    let root = OpenNode { depth, path, state: RowRange { start: 0, end: grower.entries.len(), all } };
    match s.max_leaves {
        Some(leaves) => grower.best_first(root, leaves),
        None => grower.depth_first(root),
    }
}

impl<K: BinnedCriterion> ForestGrower<'_, K> {
    /// Makes the node, and returns whether it may split.
    fn push_node(&mut self, node: &ForestOpen<K::Sum>) -> bool {
        let (kind, RowRange { start, end, all }) = (self.plan.kind, &node.state);
        let rows = end - start;
        let about = kind.summary(all, &kind.add_cost(all, &self.entries[*start..*end]));
        let weight = kind.weight(all);
        let open = !about.pure && self.plan.settings.may_split(node.depth, rows, weight, self.limits.min_weight);
        self.nodes.push(GrownNode { test: None, value: about.value, impurity: about.impurity, rows, weight });
        open
    }

    /// The split a node takes, if there is one that gains enough.
    fn choose(&mut self, node: &ForestOpen<K::Sum>) -> Result<Option<ForestNodeSplit<K::Sum>>> {
        let rows = node.state.end - node.state.start;
        if rows >= REPORT {
            self.plan.cx.check(Progress { stage: "growing", done: self.plan.tree, total: None, objective: None })?;
        }
        let best = self.search(node);
        let Some(split) = best else { return Ok(None) };
        let decrease = self.plan.kind.decrease(&split.left, &node.state.all) / self.weight;
        if !self.plan.settings.gains_enough(decrease, self.nodes.last().map_or(0.0, |n| n.impurity)) {
            return Ok(None);
        }
        let unseen = if matches!(split.cut, BinRule::Bins(_)) { self.unseen_categories(node, split.feature) } else { Vec::new() };
        Ok(Some(ForestNodeSplit { split, decrease, unseen }))
    }

    /// Looks at the columns a node draws. They are drawn one by one, constant ones among them, until there are enough and
    /// one of them is not constant.
    fn search(&mut self, node: &ForestOpen<K::Sum>) -> Option<BinnedSplit<K::Sum>> {
        let p = self.order.len();
        let s = self.plan.settings;
        let draws = s.max_features < p;
        let mut stream = draws.then(|| column_stream(self.plan.seed, node.path));
        let mut best: Option<BinnedSplit<K::Sum>> = None;
        let mut varies = false;
        for drawn in 0..p {
            if drawn >= s.max_features && varies {
                break;
            }
            if let Some(stream) = &mut stream {
                let other = drawn + stream.below(p - drawn);
                self.order.swap(drawn, other);
                self.swaps.push((drawn as u32, other as u32));
            }
            let feature = self.order[drawn];
            let entries = &self.entries[node.state.start..node.state.end];
            let ForestGrowContext { kind, binned, .. } = *self.plan;
            let column = &binned.columns[feature as usize];
            self.scratch.accumulate(binned, column, entries);
            let stream = s.random.then(|| threshold_stream(self.plan.seed, node.path, drawn));
            let split = self.scratch.split(kind, (column, feature), &node.state.all, &self.limits, stream);
            varies |= split.is_some();
            if let Some(Some(split)) = split
                && best.as_ref().is_none_or(|b| split.gain > b.gain)
            {
                best = Some(split);
            }
        }
        // The draw of a node must not depend on the nodes before it.
        for &(a, b) in self.swaps.iter().rev() {
            self.order.swap(a as usize, b as usize);
        }
        self.swaps.clear();
        best
    }

    /// The categories of a column that no row of the node has: they are treated like missing values.
    fn unseen_categories(&mut self, node: &ForestOpen<K::Sum>, feature: u32) -> Vec<u32> {
        let column = &self.plan.binned.columns[feature as usize];
        let (Some(codes), Some(count)) = (&column.codes, self.plan.categories[feature as usize]) else { return Vec::new() };
        let mut seen = vec![false; count];
        for e in &self.entries[node.state.start..node.state.end] {
            match &column.place {
                BinStorage::Narrow(place) => {
                    let b = self.plan.binned.column(*place)[e.row as usize];
                    if b != MISSING {
                        seen[codes[usize::from(b)] as usize] = true;
                    }
                }
                BinStorage::Wide(ranks) => {
                    let b = ranks[e.row as usize];
                    if b != MISSING_RANK {
                        seen[codes[b as usize] as usize] = true;
                    }
                }
            }
        }
        (0..count as u32).filter(|&c| !seen[c as usize]).collect()
    }

    fn test(&self, node: &ForestOpen<K::Sum>, choice: &ForestNodeSplit<K::Sum>) -> NodeTest {
        let column = &self.plan.binned.columns[choice.split.feature as usize];
        test(self.plan.kind, column, &node.state.all, &choice.split, &choice.unseen)
    }

    /// Parts the rows of a node, each side in its old order; returns the two children.
    fn split(&mut self, node: &ForestOpen<K::Sum>, split: &BinnedSplit<K::Sum>) -> [ForestOpen<K::Sum>; 2] {
        let binned = self.plan.binned;
        let column = &binned.columns[split.feature as usize];
        let missing_left = split.missing && split.missing_left;
        let range = &mut self.entries[node.state.start..node.state.end];
        let left = match (&column.place, &split.cut) {
            (BinStorage::Narrow(place), BinRule::UpTo(last, _)) => {
                let last = *last as u8;
                // The bin of missing values is above all others.
                let goes = |b: u8| (b <= last) | (missing_left & (b == MISSING));
                if range.len() <= super::split_search::BY_ROW {
                    let (cells, stride, place) = (binned.rows_of_cells(), binned.narrow, *place);
                    part(range, &mut self.spare, |row| goes(cells[row as usize * stride + place]))
                } else {
                    let cells = binned.column(*place);
                    part(range, &mut self.spare, |row| goes(cells[row as usize]))
                }
            }
            (BinStorage::Narrow(place), BinRule::Bins(bins)) => {
                let mut set = [false; 256];
                bins.iter().for_each(|&b| set[b as usize & 255] = true);
                set[usize::from(MISSING)] = missing_left;
                let cells = binned.column(*place);
                part(range, &mut self.spare, |row| set[usize::from(cells[row as usize])])
            }
            (BinStorage::Wide(ranks), BinRule::UpTo(last, _)) => part(range, &mut self.spare, |row| {
                let r = ranks[row as usize];
                (r <= *last) | (missing_left & (r == MISSING_RANK))
            }),
            (BinStorage::Wide(ranks), BinRule::Bins(bins)) => {
                let mut set = vec![false; column.bins()];
                bins.iter().for_each(|&b| set[b as usize] = true);
                part(range, &mut self.spare, |row| {
                    let r = ranks[row as usize];
                    if r == MISSING_RANK { missing_left } else { set[r as usize] }
                })
            }
        };
        let RowRange { start, end, all } = &node.state;
        let middle = start + left;
        node.children([
            RowRange { start: *start, end: middle, all: split.left },
            RowRange { start: middle, end: *end, all: K::subtract(all, &split.left) },
        ])
    }

    fn depth_first(mut self, root: ForestOpen<K::Sum>) -> Result<Vec<GrownNode>> {
        let mut stack = vec![(root, None::<usize>)];
        while let Some((node, parent)) = stack.pop() {
            let here = self.nodes.len();
            // A left child follows its parent; a right child is found through it.
            if let Some(parent) = parent
                && let Some(test) = &mut self.nodes[parent].test
            {
                test.right = here;
            }
            if !self.push_node(&node) {
                continue;
            }
            let Some(choice) = self.choose(&node)? else { continue };
            let mut test = self.test(&node, &choice);
            test.left = here + 1;
            self.nodes[here].test = Some(test);
            let [left, right] = self.split(&node, &choice.split);
            stack.push((right, Some(here)));
            stack.push((left, None));
        }
        Ok(self.nodes)
    }

    /// Splits the node that gains most, again and again, until there are `leaves` leaves.
    fn best_first(mut self, root: ForestOpen<K::Sum>, leaves: usize) -> Result<Vec<GrownNode>> {
        let mut waiting: Vec<Option<SplitNode<K::Sum>>> = Vec::new();
        let mut heap = BinaryHeap::new();
        let mut fresh = vec![root];
        let mut count = 1;
        loop {
            for node in fresh.drain(..) {
                let here = self.nodes.len();
                let choice = if self.push_node(&node) { self.choose(&node)? } else { None };
                if let Some(choice) = &choice {
                    heap.push(GainOrder(choice.decrease, here));
                }
                waiting.push(choice.map(|c| (node, c)));
            }
            if count >= leaves {
                break;
            }
            let Some(GainOrder(_, at)) = heap.pop() else { break };
            let Some((node, choice)) = waiting[at].take() else { continue };
            let mut test = self.test(&node, &choice);
            test.left = self.nodes.len();
            test.right = self.nodes.len() + 1;
            self.nodes[at].test = Some(test);
            fresh.extend(self.split(&node, &choice.split));
            count += 1;
        }
        Ok(in_preorder(self.nodes))
    }
}

/// Stable partition: rows that go left come first; returns how many. Each entry is written to both sides, and the place
/// moves on where it belongs: which side a row takes cannot be guessed, and a wrong guess costs more than a write.
#[inline(always)]
fn part<L: Copy>(entries: &mut [NodeRow<L>], spare: &mut Vec<NodeRow<L>>, goes_left: impl Fn(u32) -> bool) -> usize {
    let Some(&first) = entries.first() else { return 0 };
    if spare.len() < entries.len() {
        spare.resize(entries.len(), first);
    }
    let spare = &mut spare[..entries.len()];
    let (mut l, mut r) = (0, 0);
    for i in 0..entries.len() {
        let e = entries[i];
        let goes = goes_left(e.row);
        entries[l] = e;
        spare[r] = e;
        l += usize::from(goes);
        r += usize::from(!goes);
    }
    entries[l..].copy_from_slice(&spare[..r]);
    l
}
