//! Taking what a pass has gathered into a tree.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Result};

use super::super::super::grow::GrownNode;
use super::super::super::open_node::OpenNode;
use super::super::bins::BinnedData;
use super::super::grow::{ForestGrowContext, grow, test, threshold_stream};
use super::super::kind::{BinnedCriterion, BinnedCriterionKind, CriterionVisitor, NodeCost, NodeRow};
use super::super::split_search::{BinRule, BinSplitLimits, SplitScratch};
use super::context::ForestContext;
use super::partial_tree::{NodeNeeds, NodeRoute, PartialTree, PassNode, PassOpen, RowWeights};
use super::pass_plan::{NodeRequest, PassHistograms, PassPlan};

/// A partial tree and the results of the pass for it.
pub(super) struct ApplyPass<'a> {
    pub frame: &'a ForestContext,
    pub tree: &'a mut PartialTree,
    /// Which of the trees that grow it is.
    pub at: usize,
    pub plan: &'a PassPlan,
    pub histograms: &'a PassHistograms,
    /// The rows that were taken, and those of each slot.
    pub binned: Option<&'a BinnedData>,
    pub by_slot: &'a [Vec<u32>],
    pub seed: u64,
    pub cx: &'a Context<'a>,
}

impl CriterionVisitor for ApplyPass<'_> {
    type Output = Result<()>;

    fn run<K: BinnedCriterion>(self, kind: &K) -> Result<()> {
        let Some(weights) = self.tree.weights.clone() else { return Ok(()) };
        let mut slots = self.plan.requests_of_tree(self.at).peekable();
        let mut requests: Vec<(PassOpen, Option<(usize, &NodeRequest)>)> = Vec::with_capacity(self.tree.open_nodes.len());
        for open in std::mem::take(&mut self.tree.open_nodes) {
            let slot = slots.next_if(|(_, s)| s.node == open.state.node);
            requests.push((open, slot));
        }
        let seed = self.tree.node_seed(self.seed);
        let tree = self.tree.tree as u64;
        let parts: Vec<Option<Result<Vec<GrownNode>>>> = requests
            .par_iter()
            .map(|(open, slot)| {
                let (number, _) = slot.filter(|(_, s)| s.take)?;
                let ForestContext { categories, settings, .. } = self.frame;
                let plan = ForestGrowContext { kind, binned: self.binned?, categories, settings, tree, seed, cx: self.cx };
                Some(self.grow(&plan, &weights, open, &self.by_slot[number]))
            })
            .collect();
        let mut update = TreeUpdate::new(kind, self.frame, self.tree, &weights, seed);
        let mut scratch = SplitScratch::new();
        for ((open, slot), part) in requests.into_iter().zip(parts) {
            match (part, slot) {
                (Some(part), _) => update.tree.replace_subtree(open.state.node, part?),
                (None, None) => update.tree.open_nodes.push(open),
                (None, Some((_, slot))) => update.apply_node(open, slot, self.histograms, &mut scratch),
            }
        }
        Ok(())
    }
}

impl ApplyPass<'_> {
    /// Grows what is below a node whose rows were taken.
    fn grow<K: BinnedCriterion>(
        &self,
        plan: &ForestGrowContext<'_, K>,
        weights: &RowWeights,
        open: &PassOpen,
        rows: &[u32],
    ) -> Result<Vec<GrownNode>> {
        let taken = &self.histograms.taken;
        let entry = |&row: &u32| {
            let i = row as usize;
            let weight = taken.weight[i];
            let sum = match &weights.criterion {
                BinnedCriterionKind::Mean { grid, .. } => grid.sum(taken.y[i], weight),
                BinnedCriterionKind::Classes { .. } => 0,
            };
            NodeRow { row, load: plan.kind.load(taken.class[i], weight, sum) }
        };
        let root = OpenNode { depth: open.depth, path: open.path, state: plan.kind.sum_of_steps(&open.state.sum) };
        grow(plan, rows.iter().map(entry).collect(), root, weights.weight)
    }
}

/// One growing tree and the pass results that apply to it.
pub(super) struct TreeUpdate<'a, K> {
    pub kind: &'a K,
    pub frame: &'a ForestContext,
    pub tree: &'a mut PartialTree,
    pub limits: BinSplitLimits,
    pub weights: &'a RowWeights,
    pub seed: u64,
}

/// Begins a tree whose sum is known.
pub(super) struct StartTree<'a> {
    pub frame: &'a ForestContext,
    pub tree: &'a mut PartialTree,
    pub sum: Vec<i64>,
    pub seed: u64,
}

impl CriterionVisitor for StartTree<'_> {
    type Output = ();

    fn run<K: BinnedCriterion>(self, kind: &K) {
        let Some(weights) = self.tree.weights.clone() else { return };
        let seed = self.tree.node_seed(self.seed);
        TreeUpdate::new(kind, self.frame, self.tree, &weights, seed).add(OpenNode::root((0, self.sum)));
    }
}

impl<'a, K: BinnedCriterion> TreeUpdate<'a, K> {
    fn new(kind: &'a K, frame: &'a ForestContext, tree: &'a mut PartialTree, weights: &'a RowWeights, seed: u64) -> Self {
        Self { kind, frame, tree, limits: weights.limits(frame), weights, seed }
    }

    /// A new node, given its number and its sum. For classes the sum is enough; for numbers the next pass must measure its cost.
    fn add(&mut self, place: OpenNode<(usize, Vec<i64>)>) {
        let OpenNode { depth, path, state: (node, sum) } = place;
        let needs = if self.frame.settings.max_leaves.is_none() || node == 0 { NodeNeeds::Split } else { NodeNeeds::Nothing };
        let mut open = OpenNode { depth, path, state: PassNode::new(node, sum, needs) };
        let kept = match &self.weights.criterion {
            BinnedCriterionKind::Mean { .. } => {
                self.set_cost_center(&open.state);
                true
            }
            BinnedCriterionKind::Classes { .. } => self.set_node(&mut open, &NodeCost::default()),
        };
        if kept {
            self.tree.open_nodes.push(open);
        }
    }

    fn set_cost_center(&mut self, node: &PassNode) {
        if let (BinnedCriterionKind::Mean { grid, .. }, [_, weight, sum]) = (&self.weights.criterion, &node.sum[..]) {
            self.tree.cost_centers[node.node] = grid.cost_center(*weight as f64, *sum);
        }
    }

    /// Sets value and impurity of a node; whether it is open.
    fn set_node(&mut self, open: &mut PassOpen, cost: &NodeCost) -> bool {
        let node = &mut open.state;
        let all = self.kind.sum_of_steps(&node.sum);
        let about = self.kind.summary(&all, cost);
        let (rows, weight) = (node.sum[0] as usize, self.kind.weight(&all));
        self.tree.nodes[node.node] = GrownNode { test: None, value: about.value, impurity: about.impurity, rows, weight };
        node.cost_known = true;
        !about.pure && self.frame.settings.may_split(open.depth, rows, weight, self.limits.min_weight)
    }

    /// Takes in what was gathered of a node.
    fn apply_node(&mut self, mut open: PassOpen, slot: &NodeRequest, histograms: &PassHistograms, scratch: &mut SplitScratch<K>) {
        let width = self.weights.criterion.width();
        if let Some(offset) = slot.total {
            open.state.sum = histograms.sums[offset..offset + width].to_vec();
            self.set_cost_center(&open.state);
            self.tree.open_nodes.push(open);
            return;
        }
        if let Some(look) = slot.look
            && !self.set_node(&mut open, &histograms.costs[look])
        {
            return;
        }
        for &(feature, offset) in &slot.columns {
            if open.state.is_done(self.frame) {
                break;
            }
            let cells = (self.frame.bins[feature as usize].bins() + 1) * width;
            scratch.load(self.kind, &histograms.sums[offset..offset + cells], width);
            self.search(&mut open, feature, scratch);
        }
        if open.state.is_done(self.frame) {
            self.split(&open);
        } else {
            self.tree.open_nodes.push(open);
        }
    }

    /// Searches a column whose sums were loaded.
    fn search(&mut self, open: &mut PassOpen, feature: u32, scratch: &mut SplitScratch<K>) {
        let node = &mut open.state;
        let column = &self.frame.columns[feature as usize];
        let all = self.kind.sum_of_steps(&node.sum);
        let seen = if column.codes.is_some() { scratch.bins() } else { Vec::new() };
        let stream = self.frame.settings.random.then(|| threshold_stream(self.seed, open.path, node.columns_tried));
        let split = scratch.split(self.kind, (column, feature), &all, &self.limits, stream);
        node.columns_tried += 1;
        node.varies |= split.is_some();
        if let Some(Some(split)) = split
            && node.best.as_ref().is_none_or(|(best, _)| split.gain > best.gain)
        {
            let mut steps = Vec::new();
            self.kind.to_steps(&split.left, &mut steps);
            node.best = Some((split.with_left(steps), seen));
        }
    }

    /// Splits a node all of whose columns were looked at, if that gains enough.
    fn split(&mut self, open: &PassOpen) {
        let node = &open.state;
        let Some((best, seen_bins)) = &node.best else { return };
        let split = best.with_left(self.kind.sum_of_steps(&best.left));
        let (feature, all) = (split.feature, self.kind.sum_of_steps(&node.sum));
        let decrease = self.kind.decrease(&split.left, &all) / self.weights.weight;
        if !self.frame.settings.gains_enough(decrease, self.tree.nodes[node.node].impurity) {
            return;
        }
        let column = &self.frame.columns[feature as usize];
        let mut unseen = Vec::new();
        let (mut last, mut set) = (0, None);
        match &best.cut {
            BinRule::UpTo(bin, _) => last = *bin,
            BinRule::Bins(bins) => {
                let mut goes = vec![false; self.frame.bins[feature as usize].bins()];
                bins.iter().for_each(|&b| goes[b as usize] = true);
                set = Some(goes);
                if let (Some(codes), Some(count)) = (&column.codes, self.frame.categories[feature as usize]) {
                    let mut seen = vec![false; count];
                    seen_bins.iter().for_each(|&b| seen[codes[b as usize] as usize] = true);
                    unseen = (0..count as u32).filter(|&c| !seen[c as usize]).collect();
                }
            }
        }
        let mut test = test(self.kind, column, &all, &split, &unseen);
        let at = self.tree.nodes.len();
        self.tree.push_nodes(2);
        (test.left, test.right) = (at, at + 1);
        self.tree.nodes[node.node].test = Some(test);
        self.tree.decreases[node.node] = decrease;
        let missing_left = split.missing && split.missing_left;
        self.tree.routes[node.node] = NodeRoute { left: at as u32, feature, last, set, missing_left };
        let right: Vec<i64> = node.sum.iter().zip(&best.left).map(|(a, l)| a - l).collect();
        open.children([(at, best.left.clone()), (at + 1, right)]).into_iter().for_each(|child| self.add(child));
    }
}
