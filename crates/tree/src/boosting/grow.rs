//! Growing one tree, leaf by leaf: the leaf whose split gains most is split first.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use ermine_core::parallel::prelude::*;
use ermine_core::{Result, RngStream};
use ermine_math::bins::{BinMatrix, ColumnBins, Histogram, PartitionedRows, RowList, difference};

use super::split::{BoostSplit, GradientQuantizer, LeftBins, NodeSums, SplitPenalty, SplitQuery, better};
use crate::tree::ensemble::TreeNode;
use crate::tree::open_node::OpenNode;

/// The settings of the trees of a fit.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct TreeOptions {
    pub penalty: SplitPenalty,
    /// Whether steps of leaves are curbed, since the curvature of a row may grow manifold within one.
    pub curbed: bool,
    pub rate: f64,
    pub max_leaves: usize,
    pub max_depth: usize,
    /// Columns a tree draws, of all.
    pub tree_columns: f64,
    /// Columns a node draws, of those of its tree.
    pub node_columns: f64,
    /// The constraint of each column; empty without any.
    pub monotone: Vec<i8>,
    /// Sets of columns that may interact on one path; empty for no constraint.
    pub groups: Vec<Vec<u32>>,
    /// Whether a node tries one random threshold of each column.
    #[serde(default)]
    pub random_thresholds: bool,
    pub seed: u64,
}

impl TreeOptions {
    /// The columns of tree number `tree`, ascending.
    pub fn columns_of_tree(&self, columns: usize, tree: u64) -> Vec<usize> {
        draw((0..columns).collect(), self.tree_columns, self.seed, "boosting columns of a tree", tree)
    }
}

/// The given share of some columns, rounded down, at least one.
fn draw(mut columns: Vec<usize>, share: f64, seed: u64, purpose: &str, index: u64) -> Vec<usize> {
    let keep = ((share * columns.len() as f64) as usize).clamp(1, columns.len().max(1));
    if keep < columns.len() {
        RngStream::new(seed, purpose, index).shuffle(&mut columns);
        columns.truncate(keep);
        columns.sort_unstable();
    }
    columns
}

/// State of a node of a growing tree, without its rows.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct BoostNode {
    pub sums: NodeSums,
    pub bounds: (f64, f64),
    /// Which groups of columns are still open; all when there are no groups.
    pub groups: Arc<Vec<u32>>,
    pub split: Option<BoostSplit>,
}

/// A node of a growing tree.
pub(super) type BoostOpen = OpenNode<BoostNode>;

impl BoostOpen {
    /// The root of tree number `tree`.
    pub fn of_tree(shape: &TreeOptions, sums: NodeSums, tree: u64) -> Self {
        let groups = Arc::new((0..shape.groups.len() as u32).collect());
        let state = BoostNode { sums, bounds: (f64::NEG_INFINITY, f64::INFINITY), groups, split: None };
        Self { depth: 0, path: tree.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, state }
    }

    /// Whether the node may be split.
    pub fn is_open(&self, shape: &TreeOptions) -> bool {
        self.depth < shape.max_depth && self.state.sums.count >= 2 * shape.penalty.min_count.max(1)
    }

    /// The value of the node as a leaf, before the learning rate.
    pub fn value(&self, shape: &TreeOptions, grid: &GradientQuantizer) -> f64 {
        let (g, h) = (self.state.sums.g as f64 * grid.gradient, self.state.sums.h as f64 * grid.curvature);
        let p = &shape.penalty;
        if shape.curbed { p.cosh_step(g, h, p.l2, self.state.bounds) } else { p.value(g, h, p.l2, self.state.bounds) }
    }

    /// The columns the node looks at, of those of its tree.
    pub fn columns(&self, shape: &TreeOptions, tree: &[usize]) -> Vec<usize> {
        let mut columns = tree.to_vec();
        if self.depth > 0 && !shape.groups.is_empty() {
            let open = |j: &usize| self.state.groups.iter().any(|&g| shape.groups[g as usize].contains(&(*j as u32)));
            columns.retain(open);
        }
        draw(columns, shape.node_columns, shape.seed, "boosting columns of a node", self.path)
    }

    /// Its requirements on a histogram.
    pub fn split_query<'a>(&self, shape: &'a TreeOptions, grid: &'a GradientQuantizer) -> SplitQuery<'a> {
        SplitQuery {
            sums: self.state.sums,
            grid,
            penalty: &shape.penalty,
            bounds: self.state.bounds,
            monotone: &shape.monotone,
            random: shape.random_thresholds.then_some((shape.seed, self.path)),
        }
    }

    /// The children of the split, given how often the rows of the left one count.
    pub fn split_into(&self, shape: &TreeOptions, grid: &GradientQuantizer, split: &BoostSplit, left_count: u64) -> [Self; 2] {
        let left = NodeSums { g: split.sums.0, h: split.sums.1, count: left_count };
        let right =
            NodeSums { g: self.state.sums.g - left.g, h: self.state.sums.h - left.h, count: self.state.sums.count - left_count };
        let meets = |&g: &u32| shape.groups[g as usize].contains(&(split.column as u32));
        let groups = Arc::new(self.state.groups.iter().copied().filter(meets).collect::<Vec<_>>());
        let child = |sums: NodeSums, side: u64| Self {
            depth: self.depth + 1,
            path: self.path.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(side + 1),
            state: BoostNode { sums, bounds: self.state.bounds, groups: groups.clone(), split: None },
        };
        let mut children = [child(left, 0), child(right, 1)];
        let monotone = shape.monotone.get(split.column).copied().unwrap_or(0);
        if monotone != 0 {
            // The middle of the values of the children bounds the values of their leaves.
            let middle = 0.5 * (children[0].value(shape, grid) + children[1].value(shape, grid));
            let [a, b] = &mut children;
            let (low, high) = if monotone > 0 { (a, b) } else { (b, a) };
            low.state.bounds.1 = middle;
            high.state.bounds.0 = middle;
        }
        children
    }
}

/// Grown nodes in the order in which they came to be: the root, then pairs of children.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct GrownNodes {
    pub nodes: Vec<BoostOpen>,
    /// The left child of each node that was split (the right one follows it), and where missing values go.
    pub children: Vec<Option<(usize, bool)>>,
}

impl GrownNodes {
    pub fn new(root: BoostOpen) -> Self {
        Self { nodes: vec![root], children: vec![None] }
    }

    /// Adds the children of a node.
    pub fn split(&mut self, node: usize, children: [BoostOpen; 2], missing_left: bool) -> usize {
        let at = self.nodes.len();
        self.children[node] = Some((at, missing_left));
        self.nodes.extend(children);
        self.children.extend([None, None]);
        at
    }

    /// The leaf to split next: of greatest gain, of equal ones the one that came first.
    pub fn best_leaf(&self) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (i, leaf) in self.nodes.iter().enumerate() {
            if let (None, Some(split)) = (self.children[i], &leaf.state.split)
                && best.is_none_or(|b| split.gain > b.0)
            {
                best = Some((split.gain, i));
            }
        }
        best.map(|b| b.1)
    }

    pub fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// The tree in preorder, given the values of the nodes.
    pub fn nodes(&self, columns: &[ColumnBins], values: &[f64]) -> Vec<TreeNode> {
        let mut out: Vec<TreeNode> = Vec::with_capacity(self.nodes.len());
        // A node, and the node whose right child it is.
        let mut stack = vec![(0usize, None)];
        while let Some((at, parent)) = stack.pop() {
            if let Some(parent) = parent {
                let here = out.len() as u32;
                let node: &mut TreeNode = &mut out[parent];
                node.right = here;
            }
            let open = &self.nodes[at];
            let mut node = TreeNode { cover: open.state.sums.count as f64, values: vec![values[at]], ..TreeNode::default() };
            if let (Some((left, missing_left)), Some(split)) = (self.children[at], &open.state.split) {
                node.feature = split.column as u32;
                node.gain = split.gain;
                node.missing_left = missing_left;
                match (&split.left, &columns[split.column]) {
                    (LeftBins::UpTo(bin), ColumnBins::Numbers { cuts }) => {
                        node.threshold = cuts.get(*bin).copied().unwrap_or(f64::INFINITY);
                    }
                    (_, ColumnBins::Categories { bin_of, .. }) => {
                        let table = split.table(columns[split.column].bins(), missing_left);
                        let left = |c: &u32| table[bin_of[*c as usize] as usize];
                        node.categories = Some((0..bin_of.len() as u32).filter(left).collect());
                    }
                    (LeftBins::Set(_), ColumnBins::Numbers { .. }) => unreachable!("numbers are split by thresholds"),
                }
                stack.push((left + 1, Some(out.len())));
                stack.push((left, None));
            }
            out.push(node);
        }
        out
    }
}

/// Data shared by all trees of a fit.
pub(super) struct BoostContext<'a> {
    pub bins: &'a BinMatrix,
    /// How often each row counts; none where all count once.
    pub counts: Option<&'a [u32]>,
    pub shape: &'a TreeOptions,
    /// The columns of each panel, and where their histograms begin.
    panels: Vec<Range<usize>>,
    edges: Vec<usize>,
    spare: &'a HistogramPool,
}

/// Histograms of nodes that are done with, to be written again: fresh memory costs more than the sums.
pub(super) type HistogramPool = Mutex<Vec<Histogram>>;

/// One tree to grow.
pub(super) struct TreeJob<'a> {
    /// Gradient and curvature of each row.
    pub words: &'a [u64],
    pub grid: GradientQuantizer,
    /// How often rows may count until packed sums could overflow.
    pub room: u64,
    /// Rows of a block that cannot overflow.
    pub block: usize,
    /// Its number, over all rounds and outputs.
    pub tree: u64,
}

/// Cells (rows times columns) below which one thread does the work of a node.
const PARALLEL: usize = 1 << 14;
/// Rows above which the rows of a panel are shared out among threads.
const ROWS: usize = 1 << 14;

/// A leaf with its rows and, as long as it may be split, its histogram.
struct LeafData {
    rows: Range<usize>,
    histogram: Option<Histogram>,
}

impl<'a> BoostContext<'a> {
    pub fn new(bins: &'a BinMatrix, counts: Option<&'a [u32]>, shape: &'a TreeOptions, spare: &'a HistogramPool) -> Self {
        let panels = bins.panel_columns();
        let mut edges: Vec<usize> = panels.iter().map(|p| bins.offsets()[p.start]).collect();
        edges.push(bins.offsets()[bins.columns().len()]);
        Self { bins, counts, shape, panels, edges, spare }
    }

    /// A histogram that holds anything.
    fn histogram(&self, narrow: bool) -> Histogram {
        let mut spare = self.spare.lock().expect("no thread panics with the spare histograms");
        match spare.iter().rposition(|h| h.is_narrow() == narrow) {
            Some(at) => spare.swap_remove(at),
            None => Histogram::zeros(narrow, self.edges[self.edges.len() - 1]),
        }
    }

    /// Takes histograms back.
    fn recycle(&self, histograms: impl IntoIterator<Item = Histogram>) {
        self.spare.lock().expect("no thread panics with the spare histograms").extend(histograms);
    }

    fn count(&self, rows: &[u32]) -> u64 {
        match self.counts {
            None => rows.len() as u64,
            Some(counts) => rows.iter().map(|&r| u64::from(counts[r as usize])).sum(),
        }
    }

    /// Grows a tree on the rows of `sets`: what came to be, and the rows of each node.
    pub fn grow(&self, task: &TreeJob<'_>, sets: &mut PartitionedRows) -> Result<(GrownNodes, Vec<Range<usize>>)> {
        let shape = self.shape;
        let columns = shape.columns_of_tree(self.bins.columns().len(), task.tree);
        let rows = 0..sets.len();
        let (g, h) = total(task.words, sets.rows(rows.clone()));
        let root = BoostOpen::of_tree(shape, NodeSums { g, h, count: self.count(sets.rows(rows.clone())) }, task.tree);
        let mut leaves = vec![LeafData { rows: rows.clone(), histogram: None }];
        let mut growth = GrownNodes::new(root);
        if growth.nodes[0].is_open(shape) && shape.max_leaves > 1 {
            let list = if sets.len() == self.bins.rows() { RowList::Run(rows) } else { RowList::Some(sets.rows(rows)) };
            let leaf = &growth.nodes[0];
            let mut histogram = self.histogram(leaf.state.sums.count <= task.room);
            let looked = leaf.columns(shape, &columns);
            let splits =
                self.fill(task, &list, &mut histogram, |panel, part| self.search(&task.grid, leaf, &looked, panel, part));
            let split = splits.into_iter().fold(None, better);
            let split = self.split_with_min_rows(task, leaf, &looked, &list, &histogram, split);
            growth.nodes[0].state.split = split;
            leaves[0].histogram = Some(histogram);
        }
        while growth.leaves() < shape.max_leaves
            && let Some(node) = growth.best_leaf()
        {
            self.split(task, sets, &mut growth, &mut leaves, node, &columns);
        }
        self.recycle(leaves.iter_mut().filter_map(|h| h.histogram.take()));
        Ok((growth, leaves.into_iter().map(|h| h.rows).collect()))
    }

    /// Splits a leaf and looks for the splits of its children.
    fn split(
        &self,
        task: &TreeJob<'_>,
        sets: &mut PartitionedRows,
        growth: &mut GrownNodes,
        leaves: &mut Vec<LeafData>,
        node: usize,
        columns: &[usize],
    ) {
        let shape = self.shape;
        let leaf = &growth.nodes[node];
        let Some(split) = leaf.state.split.clone() else { return };
        let (rows, parent) = (leaves[node].rows.clone(), leaves[node].histogram.take());
        let bins = self.bins.columns()[split.column].bins();
        let table = split.table(bins, split.missing_left.unwrap_or(false));
        let middle = sets.split(rows.clone(), self.bins, split.column, &table);
        let ranges = [rows.start..middle, middle..rows.end];
        let left_count = self.count(sets.rows(ranges[0].clone()));
        let mut children = leaf.split_into(shape, &task.grid, &split, left_count);
        // Where training has none, missing values go with the greater part.
        let missing_left = split.missing_left.unwrap_or(left_count >= children[1].state.sums.count);
        let full = growth.leaves() + 1 >= shape.max_leaves;
        let open = children.each_ref().map(|c| !full && c.is_open(shape));
        let mut histograms = [None, None];
        if let Some(parent) = &parent
            && (open[0] || open[1])
        {
            // The smaller child is summed; the other one is the rest.
            let small = usize::from(ranges[1].len() < ranges[0].len());
            let [a, b] = [&children[small], &children[1 - small]];
            let narrow = |c: &BoostOpen| parent.is_narrow() || c.state.sums.count <= task.room;
            let (mut summed, mut rest) = (self.histogram(narrow(a)), self.histogram(narrow(b)));
            let list = RowList::Some(sets.rows(ranges[small].clone()));
            let looked = [a, b].map(|c| c.columns(shape, columns));
            let rest_parts: Vec<_> = rest.parts_mut(&self.edges).into_iter().map(Mutex::new).collect();
            let searched = self.fill(task, &list, &mut summed, |panel, part| {
                let mut other = rest_parts[panel].lock().expect("no thread panics with a part");
                difference(parent.part(self.edges[panel]..self.edges[panel + 1]), part, &mut other);
                let first = if open[small] { self.search(&task.grid, a, &looked[0], panel, part) } else { None };
                let second = match open[1 - small] {
                    true => self.search(&task.grid, b, &looked[1], panel, other.as_ref()),
                    false => None,
                };
                (first, second)
            });
            drop(rest_parts);
            let (first, second): (Vec<_>, Vec<_>) = searched.into_iter().unzip();
            let other = RowList::Some(sets.rows(ranges[1 - small].clone()));
            let first = self.split_with_min_rows(task, a, &looked[0], &list, &summed, first.into_iter().fold(None, better));
            let second = self.split_with_min_rows(task, b, &looked[1], &other, &rest, second.into_iter().fold(None, better));
            let keep = |split: &Option<BoostSplit>, histogram: Histogram| match split {
                Some(_) => Some(histogram),
                None => {
                    self.recycle([histogram]);
                    None
                }
            };
            histograms[small] = keep(&first, summed);
            histograms[1 - small] = keep(&second, rest);
            children[small].state.split = first;
            children[1 - small].state.split = second;
        }
        self.recycle(parent);
        growth.split(node, children, missing_left);
        let [a, b] = histograms;
        let [left, right] = ranges;
        leaves.extend([LeafData { rows: left, histogram: a }, LeafData { rows: right, histogram: b }]);
    }

    /// The best split on the columns of a panel.
    fn search(
        &self,
        grid: &GradientQuantizer,
        leaf: &BoostOpen,
        columns: &[usize],
        panel: usize,
        part: ermine_math::bins::HistogramRef<'_>,
    ) -> Option<BoostSplit> {
        let asking = leaf.split_query(self.shape, grid);
        let base = self.edges[panel];
        let mut best = None;
        for &j in columns.iter().filter(|j| self.panels[panel].contains(j)) {
            let range = self.bins.offsets()[j] - base..self.bins.offsets()[j + 1] - base;
            best = better(best, asking.split(j, &self.bins.columns()[j], part.part(range), None));
        }
        best
    }

    /// The best split that leaves enough rows on both sides. Curvatures bound how many rows there are, which is nearly always
    /// enough to know; where it is not, the rows of that column are counted and its splits are looked through again.
    fn split_with_min_rows(
        &self,
        task: &TreeJob<'_>,
        leaf: &BoostOpen,
        columns: &[usize],
        rows: &RowList<'_>,
        histogram: &Histogram,
        mut split: Option<BoostSplit>,
    ) -> Option<BoostSplit> {
        let asking = leaf.split_query(self.shape, &task.grid);
        let offsets = self.bins.offsets();
        let mut counted: Vec<(usize, Option<BoostSplit>)> = Vec::new();
        while split.as_ref().is_some_and(|s| !s.certain) {
            let j = split.as_ref().map_or(0, |s| s.column);
            let counts = self.bins.counts(j, rows, |r| self.counts.map_or(1, |c| u64::from(c[r])));
            let part = histogram.part(offsets[j]..offsets[j + 1]);
            counted.push((j, asking.split(j, &self.bins.columns()[j], part, Some(&counts))));
            split = None;
            for &j in columns {
                let known = counted.iter().find(|(k, _)| *k == j);
                let here = match known {
                    Some((_, split)) => split.clone(),
                    None => asking.split(j, &self.bins.columns()[j], histogram.part(offsets[j]..offsets[j + 1]), None),
                };
                split = better(split, here);
            }
        }
        split
    }

    /// Fills a histogram, and does `then` with each panel as soon as it is filled.
    fn fill<R: Send>(
        &self,
        task: &TreeJob<'_>,
        rows: &RowList<'_>,
        histogram: &mut Histogram,
        then: impl Fn(usize, ermine_math::bins::HistogramRef<'_>) -> R + Sync,
    ) -> Vec<R> {
        let cells = rows.len() * self.bins.columns().len();
        let threads = rayon::current_num_threads();
        // If the whole fits packed, so does any part.
        let block = if histogram.is_narrow() { rows.len() } else { task.block };
        let parts = histogram.parts_mut(&self.edges);
        if threads > 1 && parts.len() < threads && rows.len() >= ROWS {
            // Fewer panels than threads: the rows are shared out too.
            let pieces = (threads / parts.len()).max(2).min(rows.len() / (ROWS / 2));
            return parts
                .into_iter()
                .enumerate()
                .map(|(panel, mut part)| {
                    let len = self.edges[panel + 1] - self.edges[panel];
                    let piece = |k: usize| {
                        let range = k * rows.len() / pieces..(k + 1) * rows.len() / pieces;
                        let mut out = Histogram::zeros(range.len() <= block, len);
                        let sub = rows.part(range);
                        self.bins.histogram(panel, &sub, task.words, block, &mut out.parts_mut(&[0, len])[0]);
                        out
                    };
                    let partials: Vec<Histogram> = (0..pieces).into_par_iter().map(piece).collect();
                    part.clear();
                    partials.iter().for_each(|f| part.add(f.part(0..len)));
                    then(panel, part.as_ref())
                })
                .collect();
        }
        let one = |(panel, mut part): (usize, ermine_math::bins::HistogramMut<'_>)| {
            self.bins.histogram(panel, rows, task.words, block, &mut part);
            then(panel, part.as_ref())
        };
        if threads > 1 && cells >= PARALLEL && parts.len() > 1 {
            parts.into_par_iter().enumerate().map(one).collect()
        } else {
            parts.into_iter().enumerate().map(one).collect()
        }
    }
}

/// Gradients and curvatures of all rows.
fn total(words: &[u64], rows: &[u32]) -> (i64, i64) {
    let sum = |rows: &[u32]| {
        rows.iter().fold((0, 0), |(g, h), &r| {
            let (a, b) = ermine_math::bins::unpack(words[r as usize]);
            (g + a, h + b)
        })
    };
    let parts: Vec<(i64, i64)> = rows.par_chunks(1 << 16).map(sum).collect();
    parts.into_iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}
