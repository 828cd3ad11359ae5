//! Nodes that may still split, as every grower keeps them.

use serde::{Deserialize, Serialize};

/// A node that may still split.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OpenNode<T> {
    /// Tests above it.
    pub depth: usize,
    /// Names the node by its place in the tree, whatever the order of growing: the index of its random streams.
    pub path: u64,
    /// The grower's state: its rows, its bounds and its split.
    pub state: T,
}

impl<T> OpenNode<T> {
    /// The root of a tree.
    pub fn root(state: T) -> Self {
        Self { depth: 0, path: 1, state }
    }

    /// The two children.
    pub fn children<U>(&self, [left, right]: [U; 2]) -> [OpenNode<U>; 2] {
        let child = |side: u64, state: U| OpenNode { depth: self.depth + 1, path: child_path(self.path, side), state };
        [child(1, left), child(2, right)]
    }
}

/// The name of a child, from that of its parent; the side is 1 or 2.
pub(crate) fn child_path(parent: u64, side: u64) -> u64 {
    // Added, not combined by xor: the left child of the root must not be named like the root.
    parent.wrapping_add(side).wrapping_mul(0xD134_2543_DE82_EF95).rotate_left(29).wrapping_add(side)
}

#[cfg(test)]
mod tests {
    use super::child_path;

    #[test]
    fn no_two_nodes_have_the_same_name() {
        let mut level = vec![1u64];
        let mut all = level.clone();
        for _ in 0..14 {
            level = level.iter().flat_map(|&path| [child_path(path, 1), child_path(path, 2)]).collect();
            all.extend(&level);
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
