//! The order of growing: depth first, with small nodes taken out and grown in parallel, or best first.

use std::collections::BinaryHeap;
use std::sync::atomic::Ordering;

use ermine_core::Result;
use ermine_core::parallel::prelude::*;

use super::super::criterion::SplitCriterion;
use super::super::open_node::OpenNode;
use super::super::partition::RowBits;
use super::super::sorted::SortedEntry;
use super::{ExactNode, ExactOpen, GainOrder, Grower, GrownNode, SMALL, graft};

impl<C: SplitCriterion, S: SortedEntry> Grower<'_, C, S> {
    /// The node an open node becomes.
    fn node(&self, node: &ExactOpen<C::Total>) -> GrownNode {
        let stats = &node.state.stats;
        let mut value = stats.value.clone();
        let s = &self.ground.settings;
        if s.monotone.is_some() {
            let v = value[s.monotone_value].clamp(node.state.bounds.0, node.state.bounds.1);
            value[s.monotone_value] = v;
            if s.monotone_value == 1 {
                value[0] = 1.0 - v;
            }
        }
        let test = node.state.choice.as_ref().map(|choice| self.test(node, choice));
        GrownNode { test, value, impurity: stats.impurity, rows: stats.rows, weight: stats.weight }
    }

    /// Grows everything below a node.
    pub(super) fn depth_first(&mut self, root: ExactOpen<C::Total>) -> Result<Vec<GrownNode>> {
        let mut nodes: Vec<GrownNode> = Vec::new();
        let mut small: Vec<(usize, ExactOpen<C::Total>)> = Vec::new();
        let mut stack = vec![(root, None::<(usize, bool)>)];
        while let Some((mut node, parent)) = stack.pop() {
            if self.ground.late.load(Ordering::Relaxed) {
                node.state.choice = None;
            }
            let here = nodes.len();
            nodes.push(self.node(&node));
            if let Some((parent, is_left)) = parent
                && let Some(test) = &mut nodes[parent].test
            {
                *(if is_left { &mut test.left } else { &mut test.right }) = here;
            }
            let Some(choice) = node.state.choice.take() else { continue };
            let fits = node.state.stats.rows <= u16::MAX_ROWS && node.state.stats.rows * node.state.active.len() <= SMALL;
            if fits && self.ids.is_none() {
                node.state.choice = Some(choice);
                small.push((here, node));
                continue;
            }
            let [left, right] = self.split(node, choice)?;
            stack.push((right, Some((here, false))));
            stack.push((left, Some((here, true))));
        }
        let this = &*self;
        let parts = small
            .into_par_iter()
            .map_init(|| vec![0u16; this.stride], |number, (at, node)| Ok((at, this.extract_node(node, number)?)))
            .collect::<Result<Vec<_>>>()?;
        parts.into_iter().for_each(|(at, part)| graft(&mut nodes, at, part));
        Ok(nodes)
    }

    /// Grows a small part of the tree on lists of its own; `number` has room for one number per row of the whole.
    fn extract_node(&self, node: ExactOpen<C::Total>, number: &mut [u16]) -> Result<Vec<GrownNode>> {
        let rows = node.state.stats.rows;
        let list = |place: u32| &self.lists[place as usize * self.stride + node.state.start..][..rows];
        let mut ids = Vec::with_capacity(rows);
        for e in list(node.state.active[0]) {
            number[e.id()] = ids.len() as u16;
            ids.push(e.id() as u32);
        }
        let mut lists: Vec<u16> = Vec::with_capacity(rows * node.state.active.len());
        for &place in node.state.active.iter() {
            let entry = |e: &S| <u16 as SortedEntry>::new(number[e.id()] as usize, e.bit() == 1, e.starts(), e.missing());
            lists.extend(list(place).iter().map(entry));
        }
        let mut part = Grower {
            ground: self.ground,
            criterion: self.criterion.select(&ids),
            lists,
            stride: rows,
            features: node.state.active.iter().map(|&a| self.features[a as usize]).collect(),
            ids: Some(ids),
            marks: RowBits::new(rows),
            sides: Default::default(),
        };
        let active = (0..node.state.active.len() as u32).collect();
        let OpenNode { depth, path, state } = node;
        part.depth_first(OpenNode { depth, path, state: ExactNode { start: 0, active, ..state } })
    }

    /// Splits the node that gains most, again and again, until there are `leaves` leaves.
    pub(super) fn best_first(&mut self, root: ExactOpen<C::Total>, leaves: usize) -> Result<Vec<GrownNode>> {
        let mut nodes = vec![self.node(&root)];
        let mut open_nodes = vec![Some(root)];
        let mut heap = BinaryHeap::new();
        let enter = |heap: &mut BinaryHeap<GainOrder>, node: &ExactOpen<C::Total>, at: usize| {
            if let Some(choice) = &node.state.choice {
                heap.push(GainOrder(choice.decrease, at));
            }
        };
        enter(&mut heap, open_nodes[0].as_ref().expect("the root is there"), 0);
        let mut count = 1;
        while count < leaves
            && !self.ground.late.load(Ordering::Relaxed)
            && let Some(GainOrder(_, at)) = heap.pop()
        {
            let Some(mut node) = open_nodes[at].take() else { continue };
            let Some(choice) = node.state.choice.take() else { continue };
            for (side, node) in self.split(node, choice)?.into_iter().enumerate() {
                let here = nodes.len();
                nodes.push(self.node(&node));
                if let Some(test) = &mut nodes[at].test {
                    *(if side == 0 { &mut test.left } else { &mut test.right }) = here;
                }
                enter(&mut heap, &node, here);
                open_nodes.push(Some(node));
            }
            count += 1;
        }
        // A node that was not split is a leaf.
        for (node, open) in nodes.iter_mut().zip(&open_nodes) {
            if open.is_some() {
                node.test = None;
            }
        }
        Ok(nodes)
    }
}
