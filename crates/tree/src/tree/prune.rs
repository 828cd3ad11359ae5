//! Minimal cost-complexity pruning (Breiman and others 1984, chapter 3).
//!
//! The cost of a tree T is R(T) + alpha |leaves|, where R sums impurity times share of the weight over the leaves. As
//! alpha grows, the inner node whose branch pays least for its leaves, (R(node) - R(branch)) / (leaves - 1), becomes a
//! leaf, and so on up to the root.

use std::collections::BinaryHeap;

use ermine_core::{Context, Progress, Result};

use super::grow::{GainOrder, GrownNode, in_preorder, parents};

/// The sequence of pruning: for each tree of the nested sequence, from the full tree to its root, the least alpha that asks
/// for it and the impurity of its leaves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PruningPath {
    /// Least alpha of each tree; never descending, the first is 0.
    pub ccp_alphas: Vec<f64>,
    /// Weighted impurity of the leaves of each tree; never descending.
    pub impurities: Vec<f64>,
}

/// The weakest links are cut up to `alpha`; returns the path, and the alpha at which each node has become a leaf: 0 for those
/// that were, infinity for those that have not.
fn cut_weakest_links(nodes: &[GrownNode], alpha: f64, cx: &Context<'_>) -> Result<(PruningPath, Vec<f64>)> {
    let n = nodes.len();
    let parent = parents(nodes);
    let cost: Vec<f64> = nodes.iter().map(|g| g.weight / nodes[0].weight * g.impurity).collect();
    // Cost and leaves of the branch below each node; children come after their parents.
    let mut branch = cost.clone();
    let mut leaves = vec![1usize; n];
    for i in (0..n).rev() {
        if let Some(test) = &nodes[i].test {
            branch[i] = branch[test.left] + branch[test.right];
            leaves[i] = leaves[test.left] + leaves[test.right];
        }
    }
    let mut open: Vec<bool> = nodes.iter().map(|g| g.test.is_some()).collect();
    let mut leaf_from: Vec<f64> = open.iter().map(|&open| if open { f64::INFINITY } else { 0.0 }).collect();
    // Links by price, the cheapest first and of equals the one nearest the root; an entry whose price has changed since
    // is passed over.
    let price = |i: usize, branch: &[f64], leaves: &[usize]| (cost[i] - branch[i]) / (leaves[i] - 1) as f64;
    let mut now: Vec<f64> = (0..n).map(|i| if open[i] { price(i, &branch, &leaves) } else { 0.0 }).collect();
    let mut heap: BinaryHeap<GainOrder> = (0..n).filter(|&i| open[i]).map(|i| GainOrder(-now[i], i)).collect();
    let mut path = PruningPath { ccp_alphas: vec![0.0], impurities: vec![branch[0]] };
    let mut steps = 0u64;
    while let Some(GainOrder(negative_price, at)) = heap.pop() {
        let p = -negative_price;
        if !open[at] || p.to_bits() != now[at].to_bits() {
            continue;
        }
        // Rounding must not make the sequence descend.
        let reached = p.max(path.ccp_alphas[path.ccp_alphas.len() - 1]);
        if reached > alpha {
            break;
        }
        let mut below = vec![at];
        while let Some(i) = below.pop() {
            open[i] = false;
            if leaf_from[i] == f64::INFINITY
                && let Some(test) = &nodes[i].test
            {
                below.extend([test.left, test.right]);
            }
        }
        leaf_from[at] = reached;
        branch[at] = cost[at];
        leaves[at] = 1;
        let mut up = parent[at];
        while up != usize::MAX {
            if let Some(test) = &nodes[up].test {
                branch[up] = branch[test.left] + branch[test.right];
                leaves[up] = leaves[test.left] + leaves[test.right];
                now[up] = price(up, &branch, &leaves);
                heap.push(GainOrder(-now[up], up));
            }
            up = parent[up];
            steps += 1;
        }
        path.ccp_alphas.push(reached);
        path.impurities.push(branch[0].max(path.impurities[path.impurities.len() - 1]));
        steps += 1;
        if steps >> 14 != 0 {
            steps = 0;
            cx.check(Progress { stage: "pruning", done: path.ccp_alphas.len() as u64, total: None, objective: None })?;
        }
    }
    Ok((path, leaf_from))
}

/// The whole course of pruning.
pub(super) fn path(nodes: &[GrownNode], cx: &Context<'_>) -> Result<PruningPath> {
    Ok(cut_weakest_links(nodes, f64::INFINITY, cx)?.0)
}

/// The pruned tree for `alpha`.
pub(super) fn prune(mut nodes: Vec<GrownNode>, alpha: f64, cx: &Context<'_>) -> Result<Vec<GrownNode>> {
    let (_, leaf_from) = cut_weakest_links(&nodes, alpha, cx)?;
    for (node, from) in nodes.iter_mut().zip(leaf_from) {
        if from < f64::INFINITY {
            node.test = None;
        }
    }
    Ok(in_preorder(nodes))
}

/// For each node the alpha from which on it is a leaf, unless a node above it is.
pub(super) fn leaf_from(nodes: &[GrownNode], cx: &Context<'_>) -> Result<Vec<f64>> {
    Ok(cut_weakest_links(nodes, f64::INFINITY, cx)?.1)
}
