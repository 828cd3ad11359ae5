//! Decision trees in a layout that one row descends quickly.
//!
//! A node is 16 bytes, the two children of a node lie side by side in 32 of one cache line, and several trees are descended at once, so that
//! no step waits for the memory of the one before it. Trees of about the same depth go together: all of them then take the same number of
//! steps, and a row that has arrived stays at its leaf.

use std::collections::VecDeque;

/// Trees that a row descends side by side: more of them where nodes come from far away in memory.
const LANES: usize = 8;
const FAR_LANES: usize = 16;
/// Nodes up to which they are near.
const NEAR_NODES: usize = 1 << 14;
/// Steps between two looks whether all have arrived.
const STEPS: u32 = 3;
/// Levels of a tree that lie one after the other; below them a node lies near its left child.
const LEVELS: u32 = 5;
/// Trees whose leaves are handed on together.
const TREES: usize = 256;
/// In [`Node::column`]: whether missing values go left.
const MISSING_LEFT: u32 = 1 << 31;

/// A node as it is given: trees come in preorder, the left child after its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeTest {
    /// The column that is tested.
    pub column: u32,
    /// Numbers up to it go left.
    pub threshold: f64,
    /// Whether missing values go left.
    pub missing_left: bool,
    /// The right child, counted from the root; 0 for a leaf.
    pub right: u32,
}

/// A node as it is read. The right child follows the left one; a leaf is its own left child, and its test sends everything there.
#[derive(Debug, Clone, Copy)]
struct Node {
    threshold: f64,
    column: u32,
    left: u32,
}

/// Trees over the same columns, which test numbers.
#[derive(Debug, Clone, Default)]
pub struct FlatTrees {
    columns: usize,
    nodes: Vec<Node>,
    roots: Vec<u32>,
    depths: Vec<u32>,
    /// The trees of each [`TREES`], the deepest first.
    order: Vec<u32>,
}

impl FlatTrees {
    /// No trees yet.
    ///
    /// # Panics
    /// When there are no columns, or 2^31.
    pub fn new(columns: usize) -> Self {
        assert!(columns > 0 && columns < MISSING_LEFT as usize, "{columns} columns");
        Self { columns, ..Self::default() }
    }

    /// How many nodes there are; they are numbered in the order in which [`FlatTrees::push`] places them.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a tree. The numbers of its nodes in the order they are placed are added to `placed`, `u32::MAX` for a place that is left empty.
    ///
    /// # Panics
    /// When the nodes are not a tree in preorder over the columns, or there are 2^32 nodes.
    pub fn push(&mut self, tree: &[NodeTest], placed: &mut Vec<u32>) {
        assert!(self.nodes.len() + tree.len() + 2 < u32::MAX as usize, "too many nodes");
        let leaf = |at: usize| Node { threshold: f64::INFINITY, column: MISSING_LEFT, left: at as u32 };
        // So that the two children of a node share a cache line.
        if self.nodes.len().is_multiple_of(2) {
            self.nodes.push(leaf(self.nodes.len()));
            placed.push(u32::MAX);
        }
        let first = placed.len();
        self.roots.push(self.nodes.len() as u32);
        self.nodes.push(leaf(self.nodes.len()));
        placed.push(0);
        let root = self.roots[self.roots.len() - 1] as usize;
        // The first levels, which every row reads, lie level by level; what is below them branch by branch.
        let (mut levels, mut branches, mut deepest) = (VecDeque::from([(first, 0u32)]), Vec::new(), 0);
        while let Some((at, depth)) = levels.pop_front().or_else(|| branches.pop()) {
            deepest = deepest.max(depth);
            let number = placed[at] as usize;
            let test = tree[number];
            if test.right == 0 {
                continue;
            }
            assert!(test.column < self.columns as u32, "column {} of {}", test.column, self.columns);
            assert!(number + 1 < test.right as usize && (test.right as usize) < tree.len(), "children of node {number}");
            let missing = if test.missing_left { MISSING_LEFT } else { 0 };
            let (left, below) = (placed.len(), depth + 1);
            self.nodes[root + at - first] =
                Node { threshold: test.threshold, column: test.column | missing, left: self.nodes.len() as u32 };
            for child in [number + 1, test.right as usize] {
                self.nodes.push(leaf(self.nodes.len()));
                placed.push(child as u32);
                assert!(placed.len() - first <= tree.len(), "two ways to a node");
            }
            if below < LEVELS {
                levels.extend([(left, below), (left + 1, below)]);
            } else {
                branches.extend([(left + 1, below), (left, below)]);
            }
        }
        self.depths.push(deepest);
        let block = (self.roots.len() - 1) / TREES * TREES;
        self.order.push(self.roots.len() as u32 - 1);
        self.order[block..].sort_by_key(|&t| std::cmp::Reverse(self.depths[t as usize]));
    }

    /// Hands the leaf of a row in each tree to `each`, in the order of the trees, as the number of the node. NaN is a missing value.
    ///
    /// # Panics
    /// When the row has another number of columns.
    #[inline]
    pub fn leaves(&self, row: &[f64], each: impl FnMut(usize)) {
        assert_eq!(row.len(), self.columns, "columns of the row");
        let missing = row.iter().fold(false, |any, v| any | v.is_nan());
        match (self.nodes.len() <= NEAR_NODES, missing) {
            (true, false) => self.leaves_of::<LANES, false>(row, each),
            (true, true) => self.leaves_of::<LANES, true>(row, each),
            (false, false) => self.leaves_of::<FAR_LANES, false>(row, each),
            (false, true) => self.leaves_of::<FAR_LANES, true>(row, each),
        }
    }

    #[inline(always)]
    fn leaves_of<const LANES: usize, const MISSING: bool>(&self, row: &[f64], mut each: impl FnMut(usize)) {
        let mut found = [0u32; TREES];
        for (block, order) in self.order.chunks(TREES).enumerate() {
            let first = block * TREES;
            for group in order.chunks(LANES) {
                // The last tree of a short group is descended several times.
                let tree = |lane: usize| group[lane.min(group.len() - 1)] as usize;
                let roots: [u32; LANES] = std::array::from_fn(|lane| self.roots[tree(lane)]);
                let steps = self.depths[tree(0)];
                // SAFETY: the row has as many columns as there are, and the roots are nodes.
                let at = unsafe { self.descend::<LANES, MISSING>(row, roots, steps) };
                group.iter().zip(at).for_each(|(&tree, at)| found[tree as usize - first] = at);
            }
            found[..order.len()].iter().for_each(|&node| each(node as usize));
        }
    }

    /// Where `steps` steps lead from the nodes `at`, or fewer when all have arrived before.
    ///
    /// # Safety
    /// `row` has the columns of the trees, and `at` are nodes.
    #[inline(always)]
    unsafe fn descend<const LANES: usize, const MISSING: bool>(
        &self,
        row: &[f64],
        mut at: [u32; LANES],
        steps: u32,
    ) -> [u32; LANES] {
        let (nodes, cells) = (self.nodes.as_ptr(), row.as_ptr());
        let mut before = at;
        for step in 0..steps {
            if step % STEPS == STEPS - 1 {
                before = at;
            } else if step % STEPS == 0 && step > 0 && at == before {
                break;
            }
            for at in &mut at {
                // SAFETY: `push` has checked that columns are below their number, that a left child is a node, and that an inner node has a
                // right one beside it; a leaf sends everything left, missing values too, where it is itself.
                let (node, cell) = unsafe {
                    let node = *nodes.add(*at as usize);
                    (node, *cells.add((node.column & !MISSING_LEFT) as usize))
                };
                let stays = MISSING && cell.is_nan() && node.column & MISSING_LEFT != 0;
                // Not `cell > threshold`, which would send NaN left.
                #[allow(clippy::neg_cmp_op_on_partial_ord)]
                let right = !(cell <= node.threshold) & !stays;
                *at = node.left + u32::from(right);
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A tree of the given shape: `shape` decides node by node whether it splits.
    fn grow(shape: &mut impl Iterator<Item = (bool, u32, f64, bool)>, depth: usize, out: &mut Vec<NodeTest>) {
        let (splits, column, threshold, missing_left) = shape.next().unwrap_or((false, 0, 0.0, false));
        let at = out.len();
        out.push(NodeTest { column, threshold, missing_left, right: 0 });
        if splits && depth < 12 {
            grow(shape, depth + 1, out);
            out[at].right = out.len() as u32;
            grow(shape, depth + 1, out);
        }
    }

    /// The leaf of a row, one node after the other.
    fn leaf(tree: &[NodeTest], row: &[f64]) -> usize {
        let mut at = 0;
        while tree[at].right != 0 {
            let test = tree[at];
            let v = row[test.column as usize];
            let left = if v.is_nan() { test.missing_left } else { v <= test.threshold };
            at = if left { at + 1 } else { test.right as usize };
        }
        at
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn leaves_are_those_of_a_plain_descent(
            shapes in proptest::collection::vec(
                proptest::collection::vec((proptest::bool::weighted(0.7), 0u32..3, -2.0..2.0f64, any::<bool>()), 0..60), 0..300),
            rows in proptest::collection::vec(
                proptest::collection::vec(prop_oneof![8 => -2.0..2.0f64, 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)], 3), 1..5),
        ) {
            let mut flat = FlatTrees::new(3);
            let (mut placed, mut trees) = (Vec::new(), Vec::new());
            for shape in shapes {
                let mut tree = Vec::new();
                grow(&mut shape.into_iter(), 0, &mut tree);
                flat.push(&tree, &mut placed);
                trees.push(tree);
            }
            prop_assert_eq!(placed.len(), flat.n_nodes());
            for row in rows {
                let mut found = Vec::new();
                flat.leaves(&row, |node| found.push(placed[node] as usize));
                let want: Vec<usize> = trees.iter().map(|tree| leaf(tree, &row)).collect();
                prop_assert_eq!(found, want);
            }
        }
    }

    #[test]
    #[should_panic(expected = "children of node")]
    fn a_child_outside_the_tree_is_refused() {
        let test = NodeTest { column: 0, threshold: 0.0, missing_left: false, right: 3 };
        FlatTrees::new(1).push(&[test, NodeTest { right: 0, ..test }, NodeTest { right: 0, ..test }], &mut Vec::new());
    }
}
