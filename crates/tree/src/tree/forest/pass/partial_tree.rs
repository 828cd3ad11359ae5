//! A tree that grows pass by pass.

use std::collections::{BTreeMap, BinaryHeap};

use ermine_math::double_double::Dd;
use serde::{Deserialize, Serialize};

use super::super::super::criterion::{WeightGrid, WeightRange};
use super::super::super::grow::{GainOrder, GrownNode, in_preorder};
use super::super::Forest;
use super::super::bins::MISSING_RANK;
use super::super::fit::{balanced_factors, balances_bags, mean_loss, shares, tree_seed};
use super::super::grow::{column_stream, is_open};
use super::super::kind::{BinnedCriterionKind, MeanGrid, TargetExtent};
use super::super::split_search::{BinRule, BinSplitLimits};
use super::context::ForestContext;

/// What a tree must know of its bag before it grows.
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
    pub sort: BinnedCriterionKind,
    /// Factors of the classes, and the grid of the weights; without one rows count as often as they are drawn.
    factors: Vec<f64>,
    grid: Option<WeightGrid>,
    /// Weight of all rows of the tree.
    pub weight: f64,
}

impl RowWeights {
    /// From what is known of the bag; also the sum of all rows, where it is known.
    pub fn new(forest: &Forest, frame: &ForestContext, profile: &SampleProfile, classes: Option<usize>) -> (Self, Vec<i64>) {
        let (mut factors, mut grid) = (frame.factors.clone(), frame.grid);
        let Some(classes) = classes else {
            let (whole, unit) = grid.map_or((true, 1.0), |g| (g.whole, g.unit));
            let total = profile.extent.total;
            let mean = MeanGrid::new(&profile.extent, whole, unit, mean_loss(forest));
            let sort = BinnedCriterionKind::mean(mean, whole, total);
            return (Self { sort, factors, grid, weight: total as f64 * unit }, Vec::new());
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
        let sort = BinnedCriterionKind::Classes { shares: shares(forest), classes, unit, total: whole.then_some(total) };
        (Self { sort, factors, grid, weight: total as f64 * unit }, sum)
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
    pub fn may_split(&self, frame: &ForestContext, bud: &Bud) -> bool {
        let weight: i64 = match self.sort {
            BinnedCriterionKind::Classes { .. } => bud.sum[1..].iter().sum(),
            BinnedCriterionKind::Mean { .. } => bud.sum[1],
        };
        let unit = self.grid.map_or(1.0, |g| g.unit);
        is_open(&frame.settings, &self.limits(frame), false, bud.depth, bud.sum[0] as usize, weight as f64 * unit)
    }
}

/// What the tree waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum NodeNeeds {
    Nothing,
    /// The value and the impurity of a node.
    Cost,
    /// Its split.
    Split,
}

/// A node that may still split.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Bud {
    pub node: usize,
    pub depth: usize,
    pub path: u64,
    /// The sum of its rows, once it is known.
    pub sum: Vec<i64>,
    /// Whether value and impurity are known, and the node is open.
    pub cost_known: bool,
    pub needs: NodeNeeds,
    /// Columns that were looked at, and whether one of them is not constant.
    pub columns_tried: usize,
    pub varies: bool,
    pub best: Option<BestBinnedSplit>,
}

/// The best split so far.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct BestBinnedSplit {
    pub gain: f64,
    pub feature: u32,
    pub cut: BinRule,
    pub missing_left: bool,
    pub missing: bool,
    pub left: Vec<i64>,
    /// The bins that the node has, for a split of categories.
    pub seen: Vec<u32>,
}

impl Bud {
    /// Whether all columns that the node draws were looked at.
    pub fn is_done(&self, frame: &ForestContext) -> bool {
        self.columns_tried >= frame.bins.len() || self.columns_tried >= frame.settings.max_features && self.varies
    }

    /// The columns that the node draws next: those it needs at least, then as many again.
    pub fn next_columns(&self, frame: &ForestContext, seed: u64) -> Vec<u32> {
        let (p, most) = (frame.bins.len(), frame.settings.max_features);
        if self.is_done(frame) {
            return Vec::new();
        }
        let end = if self.columns_tried < most { most } else { self.columns_tried + most }.min(p);
        let mut order: Vec<u32> = (0..p as u32).collect();
        if most < p {
            let mut stream = column_stream(seed, self.path);
            (0..end).for_each(|drawn| order.swap(drawn, drawn + stream.below(p - drawn)));
        }
        order[self.columns_tried..end].to_vec()
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
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct PartialTree {
    pub tree: usize,
    /// How many draws fall into each urn.
    pub stratum_draws: Vec<u32>,
    /// How its rows count, once that is known.
    pub weights: Option<RowWeights>,
    pub nodes: Vec<GrownNode>,
    pub routes: Vec<NodeRoute>,
    /// The middle of the costs of each node, for numbers.
    pub cost_centers: Vec<f64>,
    /// By how much the split of each node lowers the impurity.
    pub decreases: Vec<f64>,
    pub open_nodes: Vec<Bud>,
    /// The tree itself, once it is known.
    pub grown: Option<Vec<GrownNode>>,
}

impl PartialTree {
    pub fn new(tree: usize, urns: Vec<u32>) -> Self {
        let (nodes, ways, middles, decreases) = Default::default();
        let mut out = Self {
            tree,
            stratum_draws: urns,
            weights: None,
            nodes,
            routes: ways,
            cost_centers: middles,
            decreases,
            open_nodes: Vec::new(),
            grown: None,
        };
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

    /// The node that a row has come to.
    #[inline]
    pub fn node_of_row(&self, cells: &[u32]) -> usize {
        let mut at = 0;
        loop {
            let way = &self.routes[at];
            if way.left == 0 {
                return at;
            }
            let cell = cells[way.feature as usize];
            let left = match &way.set {
                _ if cell == MISSING_RANK => way.missing_left,
                None => cell <= way.last,
                Some(set) => set[cell as usize],
            };
            at = way.left as usize + usize::from(!left);
        }
    }

    /// Puts a part of a tree, grown elsewhere, in the place of a node.
    pub fn replace_subtree(&mut self, node: usize, part: Vec<GrownNode>) {
        // The root of the part takes the place of the node, the others come last.
        let shift = self.nodes.len() - 1;
        self.push_nodes(part.len() - 1);
        for (i, mut grown) in part.into_iter().enumerate() {
            if let Some(test) = &mut grown.test {
                test.left += shift;
                test.right += shift;
            }
            self.nodes[if i == 0 { node } else { shift + i }] = grown;
        }
    }

    /// Whether all is known that the tree needs; tells which buds wait for what.
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
        for (i, bud) in self.open_nodes.iter_mut().enumerate() {
            bud.needs = NodeNeeds::Nothing;
            waits[bud.node] = Some(i);
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
                let unknown: Vec<usize> = waiting.into_iter().filter(|&i| !self.open_nodes[i].cost_known).collect();
                if unknown.is_empty() {
                    break;
                }
                unknown.into_iter().for_each(|i| self.open_nodes[i].needs = NodeNeeds::Cost);
                return None;
            }
            if !waiting.is_empty() {
                waiting.iter().for_each(|&i| self.open_nodes[i].needs = NodeNeeds::Split);
                for GainOrder(_, at) in heap {
                    let left = self.routes[order[at]].left as usize;
                    [left, left + 1].iter().filter_map(|&n| waits[n]).for_each(|i| self.open_nodes[i].needs = NodeNeeds::Split);
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
