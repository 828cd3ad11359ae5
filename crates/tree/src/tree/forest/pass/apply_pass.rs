//! Taking what a pass has gathered into a tree.

use ermine_core::{Context, Result};
use rayon::prelude::*;

use super::super::super::grow::{GrownNode, child_path};
use super::super::bins::BinnedData;
use super::super::grow::{ForestGrowContext, SubtreeRoot, grow, has_min_decrease, is_open, test, threshold_stream};
use super::super::kind::{BinnedCriterion, BinnedCriterionKind, CriterionVisitor, NodeCost, NodeRow};
use super::super::split_search::{BinRule, BinSplitLimits, BinnedSplit, SplitScratch};
use super::context::ForestContext;
use super::partial_tree::{BestBinnedSplit, Bud, NodeNeeds, NodeRoute, PartialTree, RowWeights};
use super::pass_plan::{NodeRequest, PassHistograms, PassPlan};

/// A tree and what there is for it.
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
        let Some(soil) = self.tree.weights.clone() else { return Ok(()) };
        let buds = std::mem::take(&mut self.tree.open_nodes);
        let mut slots = self.plan.requests_of_tree(self.at).peekable();
        let mut given: Vec<(Bud, Option<(usize, &NodeRequest)>)> = Vec::with_capacity(buds.len());
        for bud in buds {
            let slot = slots.next_if(|(_, s)| s.node == bud.node);
            given.push((bud, slot));
        }
        let seed = self.tree.node_seed(self.seed);
        let tree = self.tree.tree as u64;
        let parts: Vec<Option<Result<Vec<GrownNode>>>> = given
            .par_iter()
            .map(|(bud, slot)| {
                let (number, _) = slot.filter(|(_, s)| s.take)?;
                let ForestContext { categories, settings, .. } = self.frame;
                let plan = ForestGrowContext { kind, binned: self.binned?, categories, settings, tree, seed, cx: self.cx };
                Some(self.grow(&plan, &soil, bud, &self.by_slot[number]))
            })
            .collect();
        let mut tending =
            TreeUpdate { kind, frame: self.frame, tree: self.tree, limits: soil.limits(self.frame), weights: &soil, seed };
        let mut desk = SplitScratch::new();
        for ((bud, slot), part) in given.into_iter().zip(parts) {
            match (part, slot) {
                (Some(part), _) => tending.tree.replace_subtree(bud.node, part?),
                (None, None) => tending.tree.open_nodes.push(bud),
                (None, Some((_, slot))) => tending.apply_node(bud, slot, self.histograms, &mut desk),
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
        soil: &RowWeights,
        bud: &Bud,
        rows: &[u32],
    ) -> Result<Vec<GrownNode>> {
        let taken = &self.histograms.taken;
        let entry = |&row: &u32| {
            let i = row as usize;
            let weight = taken.weight[i];
            let sum = match &soil.sort {
                BinnedCriterionKind::Mean { grid, .. } => grid.sum(taken.y[i], weight),
                BinnedCriterionKind::Classes { .. } => 0,
            };
            NodeRow { row, load: plan.kind.load(taken.class[i], weight, sum) }
        };
        let all = plan.kind.sum_of_steps(&bud.sum);
        let from = SubtreeRoot { depth: bud.depth, path: bud.path, all, weight: soil.weight };
        grow(plan, rows.iter().map(entry).collect(), from)
    }
}

/// A tree in hand.
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
        let Some(soil) = self.tree.weights.clone() else { return };
        let seed = self.tree.node_seed(self.seed);
        let limits = soil.limits(self.frame);
        let mut tending = TreeUpdate { kind, frame: self.frame, tree: self.tree, limits, weights: &soil, seed };
        tending.add(0, 0, 1, self.sum);
    }
}

impl<K: BinnedCriterion> TreeUpdate<'_, K> {
    /// A node that is new. Of classes the sum tells everything; numbers must be looked at in the next pass.
    fn add(&mut self, node: usize, depth: usize, path: u64, all: Vec<i64>) {
        let want = if self.frame.settings.max_leaves.is_none() || node == 0 { NodeNeeds::Split } else { NodeNeeds::Nothing };
        let mut bud =
            Bud { node, depth, path, sum: all, cost_known: false, needs: want, columns_tried: 0, varies: false, best: None };
        match &self.weights.sort {
            BinnedCriterionKind::Mean { .. } => {
                self.set_cost_center(&bud);
                self.tree.open_nodes.push(bud);
            }
            BinnedCriterionKind::Classes { .. } if self.set_node(&mut bud, &NodeCost::default()) => {
                self.tree.open_nodes.push(bud)
            }
            BinnedCriterionKind::Classes { .. } => {}
        }
    }

    fn set_cost_center(&mut self, bud: &Bud) {
        if let (BinnedCriterionKind::Mean { grid, .. }, [_, weight, sum]) = (&self.weights.sort, &bud.sum[..]) {
            self.tree.cost_centers[bud.node] = grid.cost_center(*weight as f64, *sum);
        }
    }

    /// Sets value and impurity of a node; whether it is open.
    fn set_node(&mut self, bud: &mut Bud, look: &NodeCost) -> bool {
        let all = self.kind.sum_of_steps(&bud.sum);
        let about = self.kind.summary(&all, look);
        let (rows, weight) = (bud.sum[0] as usize, self.kind.weight(&all));
        let open = is_open(&self.frame.settings, &self.limits, about.pure, bud.depth, rows, weight);
        self.tree.nodes[bud.node] = GrownNode { test: None, value: about.value, impurity: about.impurity, rows, weight };
        bud.cost_known = true;
        open
    }

    /// Takes in what was gathered of a node.
    fn apply_node(&mut self, mut bud: Bud, slot: &NodeRequest, sheets: &PassHistograms, desk: &mut SplitScratch<K>) {
        let width = self.weights.sort.width();
        if let Some(offset) = slot.total {
            bud.sum = sheets.sums[offset..offset + width].to_vec();
            self.set_cost_center(&bud);
            self.tree.open_nodes.push(bud);
            return;
        }
        if let Some(look) = slot.look
            && !self.set_node(&mut bud, &sheets.costs[look])
        {
            return;
        }
        for &(feature, offset) in &slot.columns {
            if bud.is_done(self.frame) {
                break;
            }
            let cells = (self.frame.bins[feature as usize].bins() + 1) * width;
            desk.load(self.kind, &sheets.sums[offset..offset + cells], width);
            self.search(&mut bud, feature, desk);
        }
        if bud.is_done(self.frame) {
            self.split(&bud);
        } else {
            self.tree.open_nodes.push(bud);
        }
    }

    /// Looks at a column whose sums are on the desk.
    fn search(&mut self, bud: &mut Bud, feature: u32, desk: &mut SplitScratch<K>) {
        let column = &self.frame.columns[feature as usize];
        let all = self.kind.sum_of_steps(&bud.sum);
        let seen = if column.codes.is_some() { desk.bins() } else { Vec::new() };
        let found = if self.frame.settings.random {
            let mut stream = threshold_stream(self.seed, bud.path, bud.columns_tried);
            desk.draw(self.kind, column, feature, &all, &self.limits, &mut stream)
        } else {
            desk.best(self.kind, column, feature, &all, &self.limits)
        };
        bud.columns_tried += 1;
        bud.varies |= found.is_some();
        if let Some(Some(BinnedSplit { gain, feature, cut, missing_left, missing, left })) = found
            && bud.best.as_ref().is_none_or(|b| gain > b.gain)
        {
            let mut steps = Vec::new();
            self.kind.to_steps(&left, &mut steps);
            bud.best = Some(BestBinnedSplit { gain, feature, cut, missing_left, missing, left: steps, seen });
        }
    }

    /// Splits a node all of whose columns were looked at, if that gains enough.
    fn split(&mut self, bud: &Bud) {
        let Some(best) = &bud.best else { return };
        let BestBinnedSplit { gain, feature, missing_left, missing, .. } = *best;
        let left = self.kind.sum_of_steps(&best.left);
        let found = BinnedSplit { gain, feature, cut: best.cut.clone(), missing_left, missing, left };
        let all = self.kind.sum_of_steps(&bud.sum);
        let decrease = self.kind.decrease(&left, &all) / self.weights.weight;
        if !has_min_decrease(&self.frame.settings, decrease, self.tree.nodes[bud.node].impurity) {
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
                    best.seen.iter().for_each(|&b| seen[codes[b as usize] as usize] = true);
                    unseen = (0..count as u32).filter(|&c| !seen[c as usize]).collect();
                }
            }
        }
        let mut test = test(self.kind, column, &all, &found, &unseen);
        let at = self.tree.nodes.len();
        self.tree.push_nodes(2);
        (test.left, test.right) = (at, at + 1);
        self.tree.nodes[bud.node].test = Some(test);
        self.tree.decreases[bud.node] = decrease;
        let missing_left = missing && missing_left;
        self.tree.routes[bud.node] = NodeRoute { left: at as u32, feature, last, set, missing_left };
        let right: Vec<i64> = bud.sum.iter().zip(&best.left).map(|(a, l)| a - l).collect();
        self.add(at, bud.depth + 1, child_path(bud.path, 1), best.left.clone());
        self.add(at + 1, bud.depth + 1, child_path(bud.path, 2), right);
    }
}
