//! Agglomerative clustering with a connectivity constraint: only neighbors in a graph may be merged.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use ermine_core::{Context, Progress, Result};

use super::Linkage;
use super::tree::Merge;

/// A candidate merge, the nearest on top of a heap; ties go to the first.
struct MergeCandidate {
    key: f64,
    a: usize,
    b: usize,
}

impl Ord for MergeCandidate {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(other.a.cmp(&self.a)).then(other.b.cmp(&self.b))
    }
}

impl PartialOrd for MergeCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for MergeCandidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for MergeCandidate {}

/// Number of connected components of the graph.
pub(super) fn parts(n: usize, pairs: &[[u32; 2]]) -> usize {
    let mut parent: Vec<usize> = (0..n).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    let mut count = n;
    for [a, b] in pairs {
        let (a, b) = (root(&mut parent, *a as usize), root(&mut parent, *b as usize));
        if a != b {
            parent[a] = b;
            count -= 1;
        }
    }
    count
}

/// Merges the nearest two connected clusters, until `groups` are left or nothing is connected. Merges are in the order
/// in which they were made, with nodes as their ends: rows, then merges.
///
/// A merged cluster inherits the connections of both. Its distance to a cluster that only one of them was connected
/// with is that one's; Ward's is that of the centers.
pub(super) fn joins(
    n: usize,
    pairs: &[[u32; 2]],
    linkage: Linkage,
    groups: usize,
    rows: Option<&ermine_core::Mat<f64>>,
    distance: &dyn Fn(usize, usize) -> f64,
    cx: &Context<'_>,
) -> Result<Vec<Merge>> {
    let mut centers: Vec<Vec<f64>> = rows.map_or(Vec::new(), |m| (0..n).map(|i| m.row(i).to_vec()).collect());
    let mut sizes = vec![1.0f64; n];
    let ward = |centers: &[Vec<f64>], sizes: &[f64], a: usize, b: usize| {
        let square: f64 = centers[a].iter().zip(&centers[b]).map(|(x, y)| (x - y) * (x - y)).sum();
        2.0 * sizes[a] * sizes[b] / (sizes[a] + sizes[b]) * square
    };
    let mut near: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); n];
    let mut heap = BinaryHeap::new();
    for &[a, b] in pairs {
        let (a, b) = ((a as usize).min(b as usize), (a as usize).max(b as usize));
        if a != b && !near[a].contains_key(&b) {
            let key = if linkage == Linkage::Ward { ward(&centers, &sizes, a, b) } else { distance(a, b) };
            near[a].insert(b, key);
            near[b].insert(a, key);
            heap.push(MergeCandidate { key, a, b });
        }
    }
    let mut alive = vec![true; n];
    let mut joins = Vec::new();
    while n - joins.len() > groups {
        if joins.len() % 64 == 0 {
            cx.check(Progress { stage: "joining", done: joins.len() as u64, total: Some(n as u64 - 1), objective: None })?;
        }
        let Some(MergeCandidate { key, a, b }) = heap.pop() else { break };
        // Edges of clusters that were merged since are out of date.
        if !alive[a] || !alive[b] {
            continue;
        }
        let node = n + joins.len();
        let height = if linkage == Linkage::Ward { key.max(0.0).sqrt() } else { key };
        joins.push(Merge { a, b, height });
        (alive[a], alive[b]) = (false, false);
        let (x, y) = (sizes[a], sizes[b]);
        sizes.push(x + y);
        alive.push(true);
        if linkage == Linkage::Ward {
            let share = y / (x + y);
            let center = centers[a].iter().zip(&centers[b]).map(|(p, q)| p + share * (q - p)).collect();
            centers.push(center);
            centers[a] = Vec::new();
            centers[b] = Vec::new();
        }
        let (of_a, of_b) = (std::mem::take(&mut near[a]), std::mem::take(&mut near[b]));
        let mut all: BTreeMap<usize, f64> = of_a;
        for (i, q) in of_b {
            all.entry(i)
                .and_modify(|p| {
                    *p = match linkage {
                        Linkage::Single => p.min(q),
                        Linkage::Complete => p.max(q),
                        Linkage::Average => (x * *p + y * q) / (x + y),
                        Linkage::Ward => *p,
                    }
                })
                .or_insert(q);
        }
        all.retain(|i, _| alive[*i]);
        for (&i, p) in &mut all {
            if linkage == Linkage::Ward {
                *p = ward(&centers, &sizes, i, node);
            }
            near[i].remove(&a);
            near[i].remove(&b);
            near[i].insert(node, *p);
            heap.push(MergeCandidate { key: *p, a: i, b: node });
        }
        near.push(all);
    }
    Ok(joins)
}
