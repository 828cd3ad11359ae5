//! The dendrogram, and its cut into clusters.

/// A merge of two clusters. Before [`Dendrogram::new`] clusters are identified by one of their rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Merge {
    pub a: usize,
    pub b: usize,
    pub height: f64,
}

/// Leaves 0 to n - 1 are the rows, node n + k is the result of merge k.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dendrogram {
    pub leaves: usize,
    pub children: Vec<[u32; 2]>,
    pub heights: Vec<f64>,
}

impl Dendrogram {
    /// From merges of clusters identified by any of their rows, in any order: sorted by height, stably.
    pub fn new(leaves: usize, mut joins: Vec<Merge>) -> Self {
        joins.sort_by(|a, b| a.height.total_cmp(&b.height));
        // The current node of each row, by a union-find forest.
        let mut parent: Vec<usize> = (0..leaves + joins.len()).collect();
        fn root(parent: &mut [usize], mut at: usize) -> usize {
            while parent[at] != at {
                parent[at] = parent[parent[at]];
                at = parent[at];
            }
            at
        }
        let (mut children, mut heights) = (Vec::with_capacity(joins.len()), Vec::with_capacity(joins.len()));
        for (k, join) in joins.into_iter().enumerate() {
            let (a, b) = (root(&mut parent, join.a), root(&mut parent, join.b));
            parent[a] = leaves + k;
            parent[b] = leaves + k;
            children.push([a.min(b) as u32, a.max(b) as u32]);
            heights.push(join.height);
        }
        Self { leaves, children, heights }
    }

    /// Number of clusters below a height: merges at or above it are undone.
    pub fn groups_below(&self, height: f64) -> usize {
        self.leaves - self.children.len() + self.heights.iter().filter(|h| **h >= height).count()
    }

    /// The cluster of each row when the last merges are undone until there are `groups` clusters.
    ///
    /// Clusters are numbered as in scikit-learn: in the order in which a binary heap of the nodes, the latest on top,
    /// holds them.
    pub fn cut(&self, groups: usize) -> Vec<u32> {
        if self.children.len() + 1 < self.leaves {
            return self.unmerged_roots(groups);
        }
        let mut heap: Vec<i64> = vec![-((self.leaves + self.children.len()) as i64 - 1)];
        for _ in 1..groups {
            let top = (-heap[0]) as usize;
            let [a, b] = self.children[top - self.leaves];
            push(&mut heap, -i64::from(a));
            // The node is replaced by its second child.
            heap[0] = -i64::from(b);
            sift_down(&mut heap);
        }
        let mut labels = vec![0; self.leaves];
        for (label, node) in heap.iter().enumerate() {
            self.each_leaf((-node) as usize, |leaf| labels[leaf] = label as u32);
        }
        labels
    }

    /// For an incomplete tree: the remaining clusters, in the order of their nodes, the last merges undone as needed.
    fn unmerged_roots(&self, groups: usize) -> Vec<u32> {
        let kept = self.leaves.saturating_sub(groups).min(self.children.len());
        let mut is_head = vec![true; self.leaves + kept];
        self.children[..kept].iter().flatten().for_each(|&c| is_head[c as usize] = false);
        let mut labels = vec![0; self.leaves];
        let heads = (0..is_head.len()).filter(|&i| is_head[i]);
        for (label, node) in heads.enumerate() {
            self.each_leaf(node, |leaf| labels[leaf] = label as u32);
        }
        labels
    }

    fn each_leaf(&self, node: usize, mut each: impl FnMut(usize)) {
        let mut stack = vec![node];
        while let Some(at) = stack.pop() {
            match at.checked_sub(self.leaves) {
                None => each(at),
                Some(k) => stack.extend(self.children[k].map(|c| c as usize)),
            }
        }
    }

    /// Whether every node is the child of at most one merge that comes after it.
    pub fn is_valid(&self) -> bool {
        let mut seen = vec![false; self.leaves + self.children.len()];
        self.children.len() < self.leaves.max(1)
            && self.heights.len() == self.children.len()
            && self.children.iter().enumerate().all(|(k, pair)| {
                pair.iter().all(|&c| {
                    let c = c as usize;
                    c < self.leaves + k && !std::mem::replace(&mut seen[c], true)
                })
            })
    }
}

/// Pushes onto a min-heap.
fn push(heap: &mut Vec<i64>, value: i64) {
    let last = heap.len();
    heap.push(value);
    sift_up(heap, 0, last);
}

/// Sift-up from `at`, no higher than `top`.
fn sift_up(heap: &mut [i64], top: usize, mut at: usize) {
    while at > top {
        let above = (at - 1) / 2;
        if heap[at] >= heap[above] {
            break;
        }
        heap.swap(at, above);
        at = above;
    }
}

/// Pops by moving the top down along the lesser children, then sifting up.
fn sift_down(heap: &mut [i64]) {
    let mut at = 0;
    loop {
        let left = 2 * at + 1;
        if left >= heap.len() {
            break;
        }
        let right = left + 1;
        let child = if right < heap.len() && heap[left] >= heap[right] { right } else { left };
        heap.swap(at, child);
        at = child;
    }
    sift_up(heap, 0, at);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Dendrogram {
        let join = |a, b, height| Merge { a, b, height };
        // Rows 0 1 | 2 3 | 4, heights 1, 2, 3, 9, in another order.
        Dendrogram::new(5, vec![join(2, 3, 2.0), join(0, 1, 1.0), join(3, 4, 3.0), join(1, 2, 9.0)])
    }

    #[test]
    fn nodes_are_numbered_by_height_and_cuts_undo_the_last_joins() {
        let t = tree();
        assert_eq!(t.children, [[0, 1], [2, 3], [4, 6], [5, 7]]);
        assert!(t.is_valid());
        assert_eq!(t.cut(1), [0; 5]);
        let two = t.cut(2);
        assert!(two[0] == two[1] && two[2] == two[3] && two[3] == two[4] && two[0] != two[2]);
        assert_eq!(t.cut(5).iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
        assert_eq!([0.5, 1.0, 1.5, 3.0, 9.0, 9.5].map(|h| t.groups_below(h)), [5, 5, 4, 3, 2, 1]);
        let mut short = t.clone();
        short.children.truncate(2);
        short.heights.truncate(2);
        assert_eq!(short.cut(3), [1, 1, 2, 2, 0]);
        let mut twice = t;
        twice.children[3] = [5, 5];
        assert!(!twice.is_valid());
    }
}
