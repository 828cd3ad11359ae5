//! Small trees in the form that many rows are predicted with: see [`ermine_math::tree_masks`].
//!
//! Consecutive trees are taken together as long as no column has more thresholds in them than a byte can tell apart. For
//! these trees a cell is replaced once by its code, the number of thresholds it lies above, and tests compare codes.

use std::ops::Range;

use ermine_math::tree_masks::{
    CodeThresholds, CodedNumber, MAX_TESTS, MaskScratch, MaskTest, MaskTree, ROWS, RowBytes, most_leaves,
};

use super::cells::FeatureAccess;
use super::{PackedNode, Trees};

/// All trees, in parts.
#[derive(Debug, Clone)]
pub(super) struct CompiledTrees {
    pub(super) parts: Vec<TreeBlock>,
}

/// Consecutive trees.
#[derive(Debug, Clone)]
pub(super) struct TreeBlock {
    pub(super) trees: Range<usize>,
    /// Nothing if these trees are walked down: they are large, or test categories.
    pub(super) masks: Option<MaskPart>,
}

/// Consecutive trees that share codes.
#[derive(Debug, Clone)]
pub(super) struct MaskPart {
    first_tree: usize,
    columns: Vec<CodeColumn>,
    lanes: usize,
    trees: Vec<MaskTree>,
    /// Where the leaves of each tree begin.
    leaf_start: Vec<usize>,
    /// The node behind each leaf, counted over all trees.
    leaf_node: Vec<u32>,
}

/// A column that is tested.
#[derive(Debug, Clone)]
pub(super) struct CodeColumn {
    feature: usize,
    /// The lane for tests that send missing values right: these have the greatest code.
    plain: Option<usize>,
    /// The lane for tests that send missing values left: codes are one more, and missing values have the least.
    shifted: Option<usize>,
    by_f64: CodeThresholds<f64>,
    by_f32: CodeThresholds<f32>,
}

/// Numbers as they come.
pub(super) trait RawNumber: CodedNumber + Into<f64> {
    fn thresholds(column: &CodeColumn) -> &CodeThresholds<Self>;
}

impl RawNumber for f64 {
    fn thresholds(column: &CodeColumn) -> &CodeThresholds<Self> {
        &column.by_f64
    }
}

impl RawNumber for f32 {
    fn thresholds(column: &CodeColumn) -> &CodeThresholds<Self> {
        &column.by_f32
    }
}

/// The greatest single up to a double: a single is up to one exactly if it is up to the other.
fn single_below(t: f64) -> f32 {
    let near = t as f32;
    if f64::from(near) > t { near.next_down() } else { near }
}

/// The tests of a tree as column and threshold, ascending; nothing if it cannot be compiled.
fn thresholds(steps: &[PackedNode], leaves: usize) -> Option<Vec<(usize, f64)>> {
    if leaves > most_leaves() || leaves > MAX_TESTS + 1 || steps.iter().any(|s| s.tests_categories()) {
        return None;
    }
    let inner = steps.iter().enumerate().filter(|(at, s)| s.right as usize != *at);
    // Adding 0 makes one zero of the two.
    let mut out: Vec<(usize, f64)> = inner.map(|(_, s)| (s.column(), s.threshold() + 0.0)).collect();
    out.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    out.dedup();
    Some(out)
}

impl CompiledTrees {
    pub(super) fn new(trees: &Trees) -> Self {
        // The thresholds of each column in the trees of the part that is being gathered, ascending.
        let mut gathered: Vec<Vec<f64>> = vec![Vec::new(); trees.n_features()];
        let mut parts: Vec<TreeBlock> = Vec::new();
        let mut first = 0;
        let close = |parts: &mut Vec<TreeBlock>, gathered: &mut [Vec<f64>], range: Range<usize>| {
            if !range.is_empty() {
                parts.push(TreeBlock { trees: range.clone(), masks: Some(MaskPart::new(trees, range, gathered)) });
                gathered.iter_mut().for_each(Vec::clear);
            }
        };
        for t in 0..trees.n_trees() {
            let steps = &trees.steps[trees.start[t]..trees.start[t + 1]];
            let Some(tests) = thresholds(steps, trees.n_leaves(t)) else {
                close(&mut parts, &mut gathered, first..t);
                match parts.last_mut() {
                    Some(last) if last.masks.is_none() => last.trees.end = t + 1,
                    _ => parts.push(TreeBlock { trees: t..t + 1, masks: None }),
                }
                first = t + 1;
                continue;
            };
            let place = |gathered: &[Vec<f64>], j: usize, v: f64| gathered[j].binary_search_by(|g| g.total_cmp(&v));
            let fits = tests.chunk_by(|a, b| a.0 == b.0).all(|of_column| {
                let new = of_column.iter().filter(|&&(j, v)| place(&gathered, j, v).is_err()).count();
                gathered[of_column[0].0].len() + new <= MAX_TESTS
            });
            if !fits {
                close(&mut parts, &mut gathered, first..t);
                first = t;
            }
            for (j, v) in tests {
                if let Err(at) = place(&gathered, j, v) {
                    gathered[j].insert(at, v);
                }
            }
        }
        close(&mut parts, &mut gathered, first..trees.n_trees());
        Self { parts }
    }
}

impl MaskPart {
    fn new(trees: &Trees, range: Range<usize>, gathered: &[Vec<f64>]) -> Self {
        let mut columns: Vec<CodeColumn> = Vec::new();
        let mut place = vec![usize::MAX; gathered.len()];
        for (feature, sorted) in gathered.iter().enumerate().filter(|(_, sorted)| !sorted.is_empty()) {
            place[feature] = columns.len();
            columns.push(CodeColumn {
                feature,
                plain: None,
                shifted: None,
                by_f64: CodeThresholds::new(sorted),
                by_f32: CodeThresholds::new(&sorted.iter().map(|&t| single_below(t)).collect::<Vec<_>>()),
            });
        }
        let mut part = Self {
            first_tree: range.start,
            columns,
            lanes: 0,
            trees: Vec::with_capacity(range.len()),
            leaf_start: Vec::with_capacity(range.len()),
            leaf_node: Vec::new(),
        };
        for t in range {
            let first = trees.start[t];
            let steps = &trees.steps[first..trees.start[t + 1]];
            let is_leaf = |at: usize| steps[at].right as usize == at;
            part.leaf_start.push(part.leaf_node.len());
            part.leaf_node.extend((0..steps.len()).filter(|&at| is_leaf(at)).map(|at| (first + at) as u32));
            // Level by level, so that a mask has been written for a while when it is read.
            let mut order: Vec<usize> = (0..steps.len().min(1)).filter(|&at| !is_leaf(at)).collect();
            let mut at = 0;
            while at < order.len() {
                let children = [order[at] + 1, steps[order[at]].right as usize];
                order.extend(children.into_iter().filter(|&child| !is_leaf(child)));
                at += 1;
            }
            let mut number = vec![0u16; steps.len()];
            order.iter().enumerate().for_each(|(k, &at)| number[at] = k as u16);
            let child = |at: usize, leaf: usize| if is_leaf(at) { leaf as u16 } else { number[at] };
            let tests = order.iter().map(|&at| {
                let step = steps[at];
                let column = &mut part.columns[place[step.column()]];
                let sorted = &gathered[column.feature];
                let below = sorted.binary_search_by(|t| t.total_cmp(&(step.threshold() + 0.0))).unwrap_or_else(|at| at);
                let (lane, shift) = match step.missing_left() {
                    true => (&mut column.shifted, 1),
                    false => (&mut column.plain, 0),
                };
                let lane = *lane.get_or_insert_with(|| {
                    part.lanes += 1;
                    part.lanes - 1
                });
                MaskTest {
                    column: lane as u32,
                    threshold: ((below + shift) as u8 ^ 0x80) as i8,
                    left_leaves: (step.right as usize - at).div_ceil(2) as u8,
                    left: child(at + 1, order.len()),
                    right: child(step.right as usize, order.len() + 1),
                }
            });
            let tests = tests.collect();
            part.trees.push(MaskTree::new(tests));
        }
        part
    }

    /// Hands the leaf of each row in each of `trees` to `write`; these must be among the trees of the part.
    pub(super) fn run<T, C: FeatureAccess>(
        &self,
        cells: &C,
        trees: Range<usize>,
        out: &mut [T],
        width: usize,
        room: &mut PredictScratch,
        write: &impl Fn(&mut [T], usize, usize),
    ) {
        let count = out.len() / width;
        room.codes.resize(room.codes.len().max(self.lanes), [0; ROWS]);
        for (group, out) in out.chunks_mut(ROWS * width).enumerate() {
            let row = |k: usize| (group * ROWS + k).min(count - 1);
            for column in &self.columns {
                let values: [C::Raw; ROWS] = std::array::from_fn(|k| cells.raw(row(k), column.feature));
                let mut codes = [0; ROWS];
                C::Raw::thresholds(column).code(&values, &mut codes);
                if let Some(lane) = column.plain {
                    room.codes[lane] = codes;
                }
                if let Some(lane) = column.shifted {
                    room.codes[lane] = codes.map(|c| c.wrapping_add(1));
                }
            }
            for tree in trees.clone() {
                let at = tree - self.first_tree;
                let mut leaves = [0; ROWS];
                self.trees[at].leaves(&room.codes, &mut room.masks, &mut leaves);
                let nodes = &self.leaf_node[self.leaf_start[at]..];
                out.chunks_exact_mut(width).zip(leaves).for_each(|(out, leaf)| write(out, tree, nodes[leaf as usize] as usize));
            }
        }
    }
}

/// Room to work in.
#[derive(Default)]
pub(super) struct PredictScratch {
    codes: Vec<RowBytes>,
    masks: MaskScratch,
}
