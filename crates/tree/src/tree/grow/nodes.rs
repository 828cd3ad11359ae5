//! The nodes of a grown tree, and their order.

use serde::{Deserialize, Serialize};

/// A node of a finished tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::tree) struct GrownNode {
    /// The test, unless the node is a leaf.
    pub test: Option<NodeTest>,
    pub value: Vec<f64>,
    pub impurity: f64,
    pub rows: usize,
    pub weight: f64,
}

/// The test of an inner node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::tree) struct NodeTest {
    pub feature: usize,
    /// Values up to it go left.
    pub threshold: f64,
    /// Categories that go left, for a category column.
    pub categories: Option<Vec<u32>>,
    pub missing_left: bool,
    pub left: usize,
    pub right: usize,
}

/// The parent of each node; `usize::MAX` for the root.
pub(in crate::tree) fn parents(nodes: &[GrownNode]) -> Vec<usize> {
    let mut parent = vec![usize::MAX; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        if let Some(test) = &node.test {
            parent[test.left] = i;
            parent[test.right] = i;
        }
    }
    parent
}

/// A node by what its split gains; of equals the first made.
#[derive(PartialEq)]
pub(in crate::tree) struct GainOrder(pub f64, pub usize);

impl Eq for GainOrder {}

impl Ord for GainOrder {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for GainOrder {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Puts a part of a tree, grown elsewhere, in the place of a node: its root takes the place, the others follow at the end.
pub(in crate::tree) fn graft(nodes: &mut Vec<GrownNode>, at: usize, part: Vec<GrownNode>) {
    let base = nodes.len() - 1;
    for (k, mut node) in part.into_iter().enumerate() {
        if let Some(test) = &mut node.test {
            test.left += base;
            test.right += base;
        }
        if k == 0 {
            nodes[at] = node;
        } else {
            nodes.push(node);
        }
    }
}

/// The nodes that hang together from node 0, each before its children, left before right.
pub(in crate::tree) fn in_preorder(mut nodes: Vec<GrownNode>) -> Vec<GrownNode> {
    let mut out: Vec<GrownNode> = Vec::with_capacity(nodes.len());
    let mut stack: Vec<(usize, Option<(usize, bool)>)> = vec![(0, None)];
    while let Some((at, parent)) = stack.pop() {
        let here = out.len();
        if let Some((parent, is_left)) = parent
            && let Some(test) = &mut out[parent].test
        {
            *(if is_left { &mut test.left } else { &mut test.right }) = here;
        }
        let empty = GrownNode { test: None, value: Vec::new(), impurity: 0.0, rows: 0, weight: 0.0 };
        let node = std::mem::replace(&mut nodes[at], empty);
        if let Some(test) = &node.test {
            stack.push((test.right, Some((here, false))));
            stack.push((test.left, Some((here, true))));
        }
        out.push(node);
    }
    out
}
