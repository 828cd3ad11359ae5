//! A k-d tree over the groups: rows are ordered so that every group is a small box, and boxes that are too far are
//! skipped.
//!
//! A node is a range of groups, halved down to single groups; nodes are numbered in preorder, so that a range and a
//! number suffice: the left child of node v is v + 1, the right one comes after the 2 m - 1 nodes of the m groups on
//! the left.

use super::tile::{GROUP, ScoreKind};

/// The tree: one box per node.
#[derive(Debug)]
pub(super) struct BoxTree {
    cols: usize,
    groups: usize,
    /// For each node the least and then the greatest value of each column.
    boxes: Vec<f32>,
    /// For each node the greatest norm of its rows.
    norms: Vec<f32>,
}

/// A node: its number and its groups.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxNode {
    number: usize,
    pub(super) first: usize,
    end: usize,
}

impl BoxNode {
    pub(super) fn is_leaf(self) -> bool {
        self.end - self.first == 1
    }

    fn middle(self) -> usize {
        self.first + (self.end - self.first) / 2
    }

    pub(super) fn children(self) -> [Self; 2] {
        let middle = self.middle();
        let right = self.number + 2 * (middle - self.first);
        [Self { number: self.number + 1, first: self.first, end: middle }, Self { number: right, first: middle, end: self.end }]
    }
}

impl BoxTree {
    /// Orders rows (`cells`, `cols` per row) and computes their boxes; returns the order too.
    pub(super) fn new(cells: &[f32], cols: usize) -> (Self, Vec<u32>) {
        let rows = cells.len() / cols;
        let groups = rows.div_ceil(GROUP);
        let mut order: Vec<u32> = (0..rows as u32).collect();
        let nodes = (2 * groups).saturating_sub(1);
        let mut boxes = vec![0f32; nodes * 2 * cols];
        if groups > 0 {
            split(cells, cols, groups, &mut order, &mut boxes);
        }
        (Self { cols, groups, boxes, norms: vec![0.0; nodes] }, order)
    }

    /// Sets the norms of the groups.
    pub(super) fn set_group_norms(&mut self, groups: &[f32]) {
        fn visit(node: BoxNode, groups: &[f32], norms: &mut [f32]) -> f32 {
            let most = if node.is_leaf() {
                groups[node.first]
            } else {
                node.children().map(|child| visit(child, groups, norms)).into_iter().fold(0.0, f32::max)
            };
            norms[node.number] = most;
            most
        }
        if self.groups > 0 {
            visit(self.root(), groups, &mut self.norms);
        }
    }

    pub(super) fn root(&self) -> BoxNode {
        BoxNode { number: 0, first: 0, end: self.groups }
    }

    pub(super) fn norm(&self, node: BoxNode) -> f32 {
        self.norms[node.number]
    }

    /// Lower bound of the score of the query and the rows of the node. `squares` is the squared norm of the query
    /// rounded to f32.
    pub(super) fn lower_bound(&self, score: ScoreKind, node: BoxNode, query: &[f32], squares: f64) -> f64 {
        let gaps = self.box_gaps(node, query);
        match score {
            ScoreKind::Product => 0.5 * (gaps.map(|g| g * g).sum::<f64>() - squares),
            ScoreKind::Sum => gaps.sum::<f64>(),
            ScoreKind::Max => gaps.fold(0.0, f64::max),
        }
    }

    /// The gaps between the query and the box of a node, column by column.
    #[inline]
    pub(super) fn box_gaps<'a>(&'a self, node: BoxNode, query: &'a [f32]) -> impl Iterator<Item = f64> + 'a {
        let start = node.number * 2 * self.cols;
        let (low, high) = self.boxes[start..start + 2 * self.cols].split_at(self.cols);
        let gap = |x: f64, low: f64, high: f64| f64::max(low - x, x - high).max(0.0);
        query.iter().zip(low.iter().zip(high)).map(move |(&x, (&low, &high))| gap(x.into(), low.into(), high.into()))
    }
}

/// Orders the rows of a node and computes its boxes, which begin at the start of `boxes`.
fn split(cells: &[f32], cols: usize, groups: usize, order: &mut [u32], boxes: &mut [f32]) {
    let (own, rest) = boxes.split_at_mut(2 * cols);
    let (low, high) = own.split_at_mut(cols);
    low.fill(f32::INFINITY);
    high.fill(f32::NEG_INFINITY);
    for &row in order.iter() {
        let row = &cells[row as usize * cols..(row as usize + 1) * cols];
        for j in 0..cols {
            low[j] = low[j].min(row[j]);
            high[j] = high[j].max(row[j]);
        }
    }
    if groups == 1 {
        return;
    }
    let widest = (0..cols).fold(0, |best, j| if high[j] - low[j] > high[best] - low[best] { j } else { best });
    // Whole groups on the left, so that only the last group of all has fewer rows.
    let left = groups / 2;
    let middle = left * GROUP;
    let cell = |row: &u32| cells[*row as usize * cols + widest];
    order.select_nth_unstable_by(middle, |a, b| cell(a).total_cmp(&cell(b)).then(a.cmp(b)));
    let (before, after) = order.split_at_mut(middle);
    let (left_boxes, right_boxes) = rest.split_at_mut((2 * left - 1) * 2 * cols);
    let mut halves = (|| split(cells, cols, left, before, left_boxes), || split(cells, cols, groups - left, after, right_boxes));
    if groups > 64 {
        ermine_core::parallel::join(&mut halves.0, &mut halves.1);
    } else {
        halves.0();
        halves.1();
    }
}
