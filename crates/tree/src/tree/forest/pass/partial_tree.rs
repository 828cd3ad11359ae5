//! A tree that grows pass by pass.

use std::collections::{BTreeMap, BinaryHeap};

use ermine_math::double_double::Dd;
use serde::{Deserialize, Serialize};

use super::super::super::criterion::{WeightGrid, WeightRange};
use super::super::super::grow::{GainOrder, GrownNode, graft, in_preorder};
use super::super::super::open_node::OpenNode;
use super::super::RandomForest;
use super::super::bins::MISSING_RANK;
use super::super::fit::{balanced_factors, balances_bags, mean_loss, shares, tree_seed};
use super::super::grow::column_stream;
use super::super::kind::{BinnedCriterionKind, MeanGrid, TargetExtent};
use super::super::split_search::{BinSplitLimits, BinnedSplit};
use super::context::ForestContext;

/// Statistics of the bag of a tree, needed before it grows.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct SampleProfile {
    pub rows: u64,
    /// Of numbers.
    pub extent: TargetExtent,
    /// Rows of each class that were drawn so often: seldom ones by their number, others by class and number.
    few: Vec<[u64; 16]>,
    many: BTreeMap<u32, BTreeMap<u32, u64>>,
    /// Weight of each class, in steps.
    steps: Vec<i64>,
}

impl SampleProfile {
    /// Takes in a row of a class.
    #[inline]
    pub fn count(&mut self, class: u32, count: u32, steps: i64) {
        let at = class as usize;
        if self.few.len() <= at {
            self.few.resize(at + 1, [0; 16]);
            self.steps.resize(at + 1, 0);
        }
        self.steps[at] += steps;
        match self.few[at].get_mut(count as usize) {
            Some(rows) => *rows += 1,
            None => *self.many.entry(class).or_default().entry(count).or_default() += 1,
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.extent.merge(other.extent);
        if self.few.len() < other.few.len() {
            self.few.resize(other.few.len(), [0; 16]);
            self.steps.resize(other.few.len(), 0);
        }
        for (a, b) in self.few.iter_mut().flatten().zip(other.few.iter().flatten()) {
            *a += b;
        }
        self.steps.iter_mut().zip(other.steps).for_each(|(a, b)| *a += b);
        for (class, counts) in other.many {
            let mine = self.many.entry(class).or_default();
            counts.into_iter().for_each(|(count, rows)| *mine.entry(count).or_default() += rows);
        }
    }

    /// Class, draws and rows that have both.
    fn pairs(&self) -> Vec<(usize, u32, u64)> {
        let few = self.few.iter().enumerate().flat_map(|(class, counts)| {
            counts.iter().enumerate().filter(|(_, rows)| **rows > 0).map(move |(count, &rows)| (class, count as u32, rows))
        });
        let many = self.many.iter().flat_map(|(&class, counts)| counts.iter().map(move |(&c, &rows)| (class as usize, c, rows)));
        few.chain(many).collect()
    }
}

/// How the rows of a tree count.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct RowWeights {
    pub criterion: BinnedCriterionKind,
    /// Factors of the classes, and the grid of the weights; without one rows count as often as they are drawn.
    factors: Vec<f64>,
    grid: Option<WeightGrid>,
    /// Weight of all rows of the tree.
    pub weight: f64,
}

impl RowWeights {
    /// From what is known of the bag; also the sum of all rows, where it is known.
    pub fn new(
        forest: &RandomForest,
        frame: &ForestContext,
        profile: &SampleProfile,
        classes: Option<usize>,
    ) -> (Self, Vec<i64>) {
        let (mut factors, mut grid) = (frame.factors.clone(), frame.grid);
        let Some(classes) = classes else {
            let (whole, unit) = grid.map_or((true, 1.0), |g| (g.whole, g.unit));
            let total = profile.extent.total;
            let mean = MeanGrid::new(&profile.extent, whole, unit, mean_loss(forest));
            let criterion = BinnedCriterionKind::mean(mean, whole, total);
            return (Self { criterion, factors, grid, weight: total as f64 * unit }, Vec::new());
        };
        let mut sum = vec![profile.rows as i64];
        if forest.bootstrap {
            let pairs = profile.pairs();
            if balances_bags(forest) {
                let mut totals = vec![0.0; classes];
                pairs.iter().for_each(|&(class, count, rows)| totals[class] += f64::from(count) * rows as f64);
                factors = balanced_factors(&totals);
                let weight = |class: usize, count: u32| factors[class] * f64::from(count);
                let mut range = WeightRange::default();
                pairs.iter().for_each(|&(class, count, rows)| range.add_many(weight(class, count), rows as f64));
                let scaled =
                    |&(class, count, rows): &(usize, u32, u64)| range.scaled(weight(class, count)) * Dd::from(rows as f64);
                grid = Some(range.exact().unwrap_or_else(|| range.rounded(pairs.iter().map(scaled).sum())));
            }
            let mut steps = vec![0; classes];
            for (class, count, rows) in pairs {
                let factor = factors.get(class).copied().unwrap_or(1.0);
                let weight = grid.map_or(i64::from(count), |g| g.to_steps(factor * f64::from(count)));
                steps[class] += weight * rows as i64;
            }
            sum.extend(steps);
        } else {
            sum.extend((0..classes).map(|c| profile.steps.get(c).copied().unwrap_or(0)));
        }
        let (whole, unit) = grid.map_or((true, 1.0), |g| (g.whole, g.unit));
        let total: i64 = sum[1..].iter().sum();
        let criterion = BinnedCriterionKind::Classes { shares: shares(forest), classes, unit, total: whole.then_some(total) };
        (Self { criterion, factors, grid, weight: total as f64 * unit }, sum)
    }

    /// The weight of a row in steps.
    #[inline]
    pub fn steps(&self, class: u32, own: f64, count: u32, drawn: bool) -> i64 {
        match &self.grid {
            None => i64::from(count),
            // Rows that are drawn in proportion to their weights count alike.
            Some(grid) => {
                let factor = self.factors.get(class as usize).copied().unwrap_or(1.0);
                grid.to_steps(if drawn { 1.0 } else { own } * factor * f64::from(count))
            }
        }
    }

    pub fn limits(&self, frame: &ForestContext) -> BinSplitLimits {
        BinSplitLimits::new(&frame.settings, self.weight)
    }

    /// Whether a node that was not looked at may split.
    fn may_split(&self, frame: &ForestContext, open: &PassOpen) -> bool {
        let sum = &open.state.sum;
        let steps: i64 = match self.criterion {
            BinnedCriterionKind::Classes { .. } => sum[1..].iter().sum(),
            BinnedCriterionKind::Mean { .. } => sum[1],
        };
        let weight = steps as f64 * self.grid.map_or(1.0, |g| g.unit);
        frame.settings.may_split(open.depth, sum[0] as usize, weight, self.limits(frame).min_weight)
    }
}

/// The data of a node that the next pass must gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum NodeNeeds {
    Nothing,
    /// The value and the impurity of a node.
    Cost,
    /// Its split.
    Split,
}

/// State of an open node between passes.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct PassNode {
    /// Its number in the tree.
    pub node: usize,
    /// The sum of its rows, once it is known.
    pub sum: Vec<i64>,
    /// Whether value and impurity are known, and the node is open.
    pub cost_known: bool,
    pub needs: NodeNeeds,
    /// Columns that were looked at, and whether one of them is not constant.
    pub columns_tried: usize,
    pub varies: bool,
    /// The best split so far; for one of categories with the bins that the node has.
    pub best: Option<(BinnedSplit<Vec<i64>>, Vec<u32>)>,
}

/// An open node of a tree that grows pass by pass.
pub(super) type PassOpen = OpenNode<PassNode>;

impl PassNode {
    /// A node of which no more is known than its sum, if that.
    pub fn new(node: usize, sum: Vec<i64>, needs: NodeNeeds) -> Self {
        Self { node, sum, cost_known: false, needs, columns_tried: 0, varies: false, best: None }
    }

    /// Whether all columns that the node draws were looked at.
    pub fn is_done(&self, frame: &ForestContext) -> bool {
        self.columns_tried >= frame.bins.len() || self.columns_tried >= frame.settings.max_features && self.varies
    }
}

impl PassOpen {
    /// Whether the node may split, judged by its sum.
    pub fn may_split(&self, frame: &ForestContext, weights: &RowWeights) -> bool {
        self.state.cost_known || weights.may_split(frame, self)
    }

    /// The columns that the node draws next: those it needs at least, then as many again.
    pub fn next_columns(&self, frame: &ForestContext, seed: u64) -> Vec<u32> {
        let (p, most, tried) = (frame.bins.len(), frame.settings.max_features, self.state.columns_tried);
        if self.state.is_done(frame) {
            return Vec::new();
        }
        let end = if tried < most { most } else { tried + most }.min(p);
        let mut order: Vec<u32> = (0..p as u32).collect();
        if most < p {
            let mut stream = column_stream(seed, self.path);
            (0..end).for_each(|drawn| order.swap(drawn, drawn + stream.below(p - drawn)));
        }
        order[tried..end].to_vec()
    }
}

/// Where rows go from a node.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct NodeRoute {
    /// The left child; the right one follows it. 0 where rows stay.
    pub left: u32,
    pub feature: u32,
    /// Bins up to this one go left, unless there is a set.
    pub last: u32,
    pub set: Option<Vec<bool>>,
    pub missing_left: bool,
}

const STAY: NodeRoute = NodeRoute { left: 0, feature: 0, last: 0, set: None, missing_left: false };

/// A tree that grows pass by pass.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct PartialTree {
    pub tree: usize,
    /// How many draws fall into each stratum.
    pub stratum_draws: Vec<u32>,
    /// How its rows count, once that is known.
    pub weights: Option<RowWeights>,
    pub nodes: Vec<GrownNode>,
    pub routes: Vec<NodeRoute>,
    /// The middle of the costs of each node, for numbers.
    pub cost_centers: Vec<f64>,
    /// By how much the split of each node lowers the impurity.
    pub decreases: Vec<f64>,
    pub open_nodes: Vec<PassOpen>,
    /// The tree itself, once it is known.
    pub grown: Option<Vec<GrownNode>>,
}

impl PartialTree {
    pub fn new(tree: usize, stratum_draws: Vec<u32>) -> Self {
        let mut out = Self { tree, stratum_draws, ..Self::default() };
        out.push_nodes(1);
        out
    }

    /// Makes nodes about which nothing is known yet.
    pub fn push_nodes(&mut self, nodes: usize) {
        let count = self.nodes.len() + nodes;
        self.nodes.resize(count, GrownNode { test: None, value: Vec::new(), impurity: 0.0, rows: 0, weight: 0.0 });
        self.routes.resize(count, STAY);
        self.cost_centers.resize(count, 0.0);
        self.decreases.resize(count, 0.0);
    }

    pub fn node_seed(&self, seed: u64) -> u64 {
        tree_seed(seed, self.tree)
    }

    /// The node that a row has reached.
    #[inline]
    pub fn node_of_row(&self, cells: &[u32]) -> usize {
        let mut at = 0;
        loop {
            let route = &self.routes[at];
            if route.left == 0 {
                return at;
            }
            let cell = cells[route.feature as usize];
            let left = match &route.set {
                _ if cell == MISSING_RANK => route.missing_left,
                None => cell <= route.last,
                Some(set) => set[cell as usize],
            };
            at = route.left as usize + usize::from(!left);
        }
    }

    /// Puts a part of a tree, grown elsewhere, in the place of a node.
    pub fn replace_subtree(&mut self, node: usize, part: Vec<GrownNode>) {
        graft(&mut self.nodes, node, part);
        self.push_nodes(0);
    }

    /// Whether the data that the tree needs is complete; sets what each open node waits for.
    pub fn request_needs(&mut self, frame: &ForestContext) -> Option<Vec<GrownNode>> {
        match frame.settings.max_leaves {
            None if self.open_nodes.is_empty() => Some(in_preorder(std::mem::take(&mut self.nodes))),
            None => None,
            Some(leaves) => self.best_first(leaves),
        }
    }

    /// Splits the node that gains most, again and again, as far as the splits are known; where one is not, it is asked for, and
    /// so are those of the children that the other leaves would have.
    fn best_first(&mut self, leaves: usize) -> Option<Vec<GrownNode>> {
        let mut waits = vec![None; self.nodes.len()];
        for (i, open) in self.open_nodes.iter_mut().enumerate() {
            open.state.needs = NodeNeeds::Nothing;
            waits[open.state.node] = Some(i);
        }
        let (mut order, mut children, mut heap) = (vec![0], vec![None], BinaryHeap::new());
        let mut fresh = 0..1;
        let mut count = 1;
        loop {
            let waiting: Vec<usize> = fresh.clone().filter_map(|at| waits[order[at]]).collect();
            for at in fresh.clone().filter(|&at| self.routes[order[at]].left != 0) {
                heap.push(GainOrder(self.decreases[order[at]], at));
            }
            if count >= leaves {
                let unknown: Vec<usize> = waiting.into_iter().filter(|&i| !self.open_nodes[i].state.cost_known).collect();
                if unknown.is_empty() {
                    break;
                }
                unknown.into_iter().for_each(|i| self.open_nodes[i].state.needs = NodeNeeds::Cost);
                return None;
            }
            if !waiting.is_empty() {
                waiting.iter().for_each(|&i| self.open_nodes[i].state.needs = NodeNeeds::Split);
                for GainOrder(_, at) in heap {
                    let left = self.routes[order[at]].left as usize;
                    [left, left + 1]
                        .iter()
                        .filter_map(|&n| waits[n])
                        .for_each(|i| self.open_nodes[i].state.needs = NodeNeeds::Split);
                }
                return None;
            }
            let Some(GainOrder(_, at)) = heap.pop() else { break };
            let left = self.routes[order[at]].left as usize;
            fresh = order.len()..order.len() + 2;
            children[at] = Some(order.len());
            order.extend([left, left + 1]);
            children.extend([None, None]);
            count += 1;
        }
        let node = |(at, &node): (usize, &usize)| {
            let mut grown = self.nodes[node].clone();
            match (children[at], &mut grown.test) {
                (Some(left), Some(test)) => (test.left, test.right) = (left, left + 1),
                _ => grown.test = None,
            }
            grown
        };
        let nodes = order.iter().enumerate().map(node).collect();
        self.open_nodes.clear();
        Some(in_preorder(nodes))
    }
}
