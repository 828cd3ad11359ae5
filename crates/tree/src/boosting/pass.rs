//! The same trees from passes over rows that are never in memory as a whole: one pass finds the bins, one per round the loss, and one per level of a
//! tree the histograms.
//!
//! A pass does not remember rows, so each block is binned again and runs through all trees so far. That costs rounds² / 2 walks
//! per row, which is why [`super::stream`] keeps binned rows as long as they fit in memory.
//!
//! Growing leaf by leaf would need one pass per split. Instead all leaves that the search waits for are split at once,
//! and the order in which leaves are split is worked out afterwards; what was split in vain is dropped.

use std::collections::{BTreeMap, BTreeSet};

use ermine_core::{Context, DatasetRef, Error, Learner, Partial, PassLearner, PassStep, Result, Trace};
use ermine_math::bins::{ColumnBins, HistogramRef, PartitionedRows, unpack};
use serde::{Deserialize, Serialize};

use super::data::{BinnedRows, DataSummary};
use super::engine::{BoostStop, QuantizerRange, RowSampling, derivatives, replay, with_block};
use super::grow::{BoostOpen, GrownNodes, TreeOptions};
use super::objective::Loss;
use super::split::{GradientQuantizer, NodeSums, better};
use super::{Boosting, BoostingModel, certificate};
use crate::columns::{Categories, ColumnCells, categories, task_of};
use crate::tree::ensemble::Trees;

/// State broadcast to every block before a pass.
#[derive(Clone, Serialize, Deserialize)]
pub struct BoostState {
    loss: Loss,
    classes: Vec<String>,
    categories: Categories,
    seed: u64,
    stage: BoostPhase,
}

#[derive(Clone, Serialize, Deserialize)]
enum BoostPhase {
    /// Finding the bins.
    Survey,
    Rounds(Box<BoostRounds>),
}

#[derive(Clone, Serialize, Deserialize)]
struct BoostRounds {
    columns: Vec<ColumnBins>,
    class_weight: Vec<f64>,
    shape: TreeOptions,
    scale: QuantizerRange,
    start: Vec<f64>,
    /// The trees so far, with the values of their nodes.
    done: Vec<(GrownNodes, Vec<f64>)>,
    trace: Trace,
    growing: Option<RoundTrees>,
}

/// The growing trees of the current round.
#[derive(Clone, Serialize, Deserialize)]
struct RoundTrees {
    grid: GradientQuantizer,
    trees: Vec<SpeculativeTree>,
}

/// A tree whose leaves are split ahead of their turn.
#[derive(Clone, Serialize, Deserialize)]
struct SpeculativeTree {
    /// All nodes that were looked at.
    ahead: GrownNodes,
    /// Nodes whose histograms the next pass gathers.
    wanted: Vec<usize>,
    /// Nodes whose histograms were looked at.
    looked: BTreeSet<usize>,
    /// The tree itself, once it is known.
    grown: Option<GrownNodes>,
}

/// Gradient, curvature and count of each bin.
type BinSums = Vec<[i64; 3]>;

/// Sums of a pass.
#[derive(Serialize, Deserialize)]
pub enum BoostPartial {
    /// Of the first pass.
    Survey(Box<Option<Seen>>),
    /// Sum of losses and of weights, greatest derivatives.
    Loss(f64, f64, f64, f64),
    /// Histograms by output and node.
    Histograms(BTreeMap<(usize, usize), Vec<[i64; 3]>>),
}

/// Results of the first pass.
#[derive(Serialize, Deserialize)]
pub struct Seen(DataSummary);

#[cfg(feature = "fit")]
impl Partial for BoostPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Survey(a), Self::Survey(b)) => match (a.as_mut(), *b) {
                (Some(a), Some(b)) => a.0.merge(b.0)?,
                (_, None) => {}
                (none, some) => *none = some,
            },
            (Self::Loss(l, w, g, h), Self::Loss(l2, w2, g2, h2)) => {
                (*l, *w, *g, *h) = (*l + l2, *w + w2, g.max(g2), h.max(h2));
            }
            (Self::Histograms(a), Self::Histograms(b)) => {
                for (key, histogram) in b {
                    match a.get_mut(&key) {
                        Some(sums) => sums.iter_mut().zip(histogram).for_each(|(a, b)| (0..3).for_each(|k| a[k] += b[k])),
                        None => {
                            a.insert(key, histogram);
                        }
                    }
                }
            }
            _ => return Err(Error::Data("parts of different passes".into())),
        }
        Ok(())
    }
}

impl BoostRounds {
    fn outputs(&self) -> usize {
        self.start.len()
    }

    /// Where the histogram of each column begins.
    fn offsets(&self) -> Vec<usize> {
        let mut out = vec![0];
        for c in &self.columns {
            out.push(out[out.len() - 1] + c.missing() + 1);
        }
        out
    }

    /// A block, binned, with the scores of the trees so far.
    fn block(&self, rows: &DatasetRef<'_>, categories: &Categories) -> Result<(BinnedRows<'static>, Vec<f64>)> {
        let mut block = BinnedRows::new(self.columns.clone());
        block.append(rows, &ColumnCells::matched(rows.x, categories)?, &self.class_weight)?;
        let n = block.len();
        let mut scores: Vec<f64> = self.start.iter().flat_map(|&s| std::iter::repeat_n(s, n)).collect();
        for (t, (growth, values)) in self.done.iter().enumerate() {
            let k = t % self.outputs();
            let mut sets = PartitionedRows::all(n);
            let ranges = replay(growth, &block, &mut sets);
            let leaf = |i: &usize| growth.children[*i].is_none();
            let leaves: Vec<_> = (0..values.len()).filter(leaf).map(|i| (ranges[i].clone(), values[i])).collect();
            sets.add(&leaves, &mut scores[k * n..(k + 1) * n]);
        }
        Ok((block, scores))
    }
}

impl SpeculativeTree {
    /// The root waits for its histogram.
    fn new(shape: &TreeOptions, tree: u64) -> Self {
        Self {
            ahead: GrownNodes::new(BoostOpen::of_tree(shape, NodeSums::default(), tree)),
            wanted: vec![0],
            looked: BTreeSet::new(),
            grown: None,
        }
    }

    /// Takes in the histograms of the wanted nodes, and grows the trees as far as these allow.
    fn advance(&mut self, rounds: &BoostRounds, grid: &GradientQuantizer, tree: u64, mut histograms: BTreeMap<usize, BinSums>) {
        let shape = &rounds.shape;
        let offsets = rounds.offsets();
        let columns = shape.columns_of_tree(rounds.columns.len(), tree);
        let mut counts: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for node in std::mem::take(&mut self.wanted) {
            self.looked.insert(node);
            let Some(histogram) = histograms.remove(&node) else { continue };
            if node == 0 {
                let sums = histogram[..offsets[1]].iter().fold([0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
                self.ahead.nodes[0].state.sums = NodeSums { g: sums[0], h: sums[1], count: sums[2] as u64 };
            }
            let leaf = &self.ahead.nodes[node];
            if !leaf.is_open(shape) {
                continue;
            }
            let pairs: Vec<[i64; 2]> = histogram.iter().map(|s| [s[0], s[1]]).collect();
            let numbers: Vec<u64> = histogram.iter().map(|s| s[2] as u64).collect();
            let asking = leaf.split_query(shape, grid);
            let mut best = None;
            for j in leaf.columns(shape, &columns) {
                let range = offsets[j]..offsets[j + 1];
                let sums = HistogramRef::Wide(&pairs[range.clone()]);
                best = better(best, asking.split(j, &rounds.columns[j], sums, Some(&numbers[range])));
            }
            if let Some(split) = &best {
                // Only the counts of the column that splits are needed again.
                counts.insert(node, numbers[offsets[split.column]..offsets[split.column + 1]].to_vec());
            }
            self.ahead.nodes[node].state.split = best;
        }
        // All leaves with a split are split ahead.
        for (node, counts) in counts {
            let leaf = &self.ahead.nodes[node];
            let Some(split) = &leaf.state.split else { continue };
            let bins = rounds.columns[split.column].bins();
            let table = split.table(bins, split.missing_left.unwrap_or(false));
            let left: u64 = counts.iter().zip(&table).filter(|(_, l)| **l).map(|(c, _)| c).sum();
            let children = leaf.split_into(shape, grid, split, left);
            let missing_left = split.missing_left.unwrap_or(left >= children[1].state.sums.count);
            self.ahead.split(node, children, missing_left);
        }
        self.replay_order(shape);
    }

    /// Works out the order in which leaves are split; stops at a leaf whose histogram is not there yet, and asks for those of
    /// all leaves at that moment.
    fn replay_order(&mut self, shape: &TreeOptions) {
        let mut tree = GrownNodes::new(self.ahead.nodes[0].clone());
        let mut origin = vec![0];
        let mut missing = Vec::new();
        loop {
            let waiting = |i: usize| {
                let at: usize = origin[i];
                !self.looked.contains(&at) && self.ahead.nodes[at].is_open(shape)
            };
            if tree.leaves() >= shape.max_leaves {
                break;
            }
            missing = (0..tree.nodes.len()).filter(|&i| tree.children[i].is_none() && waiting(i)).map(|i| origin[i]).collect();
            if !missing.is_empty() {
                break;
            }
            let Some(node) = tree.best_leaf() else { break };
            let Some((left, missing_left)) = self.ahead.children[origin[node]] else { break };
            let children = [self.ahead.nodes[left].clone(), self.ahead.nodes[left + 1].clone()];
            tree.split(node, children, missing_left);
            origin.extend([left, left + 1]);
        }
        if missing.is_empty() {
            self.grown = Some(tree);
        } else {
            self.wanted = missing;
        }
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Boosting {
    type State = BoostState;
    type Partial = BoostPartial;

    fn block_rows(&self, _: usize) -> usize {
        super::engine::BLOCK
    }

    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<BoostState> {
        let loss = self.loss_for(&head.y)?;
        let refuse = |what: &str| {
            Err(Error::Data(format!("the binned rows do not fit in memory, and in passes over rows boosting has no {what}")))
        };
        if self.sampling() != RowSampling::All {
            return refuse("subsample and no goss, since rows have no names to draw; leave them out");
        }
        if loss.needs_quantiles() {
            return refuse("loss absolute_error or quantile, since leaves need quantiles of their rows");
        }
        if self.stops_early(cx.validation.is_some()) {
            return refuse("early stopping; set early_stopping=false");
        }
        let (classes, categories) = (task_of(&head.y).1, categories(&head.x));
        Ok(BoostState { loss, classes, categories, seed: cx.seed, stage: BoostPhase::Survey })
    }

    fn empty_partial(&self, state: &BoostState) -> BoostPartial {
        match &state.stage {
            BoostPhase::Survey => BoostPartial::Survey(Box::new(None)),
            BoostPhase::Rounds(rounds) if rounds.growing.is_none() => BoostPartial::Loss(0.0, 0.0, 0.0, 0.0),
            BoostPhase::Rounds(_) => BoostPartial::Histograms(BTreeMap::new()),
        }
    }

    fn add_block(&self, state: &BoostState, part: &mut BoostPartial, rows: &DatasetRef<'_>) -> Result<()> {
        let rounds = match &state.stage {
            BoostPhase::Survey => {
                let seen = BoostPartial::Survey(Box::new(Some(Seen(DataSummary::of(rows, false, self.allow_infinite)?))));
                return part.merge(seen);
            }
            BoostPhase::Rounds(rounds) => rounds,
        };
        let (block, scores) = rounds.block(rows, &state.categories)?;
        let n = block.len();
        if n == 0 {
            return Ok(());
        }
        let objective = state.loss.objective();
        let weight = |i: usize| block.weight.as_ref().map_or(1.0, |w| w[i]);
        let (g, h, loss) = with_block(&block, &scores, rounds.outputs(), 0..n, |view| derivatives(&*objective, view, 0))?;
        match (&rounds.growing, part) {
            (None, part) => {
                let factor = |i: usize| if rounds.scale.whole { 1.0 } else { weight(i % n) };
                let most = |v: &[f64]| v.iter().enumerate().map(|(i, v)| v.abs() * factor(i)).fold(0.0, f64::max);
                let total = block.weight.as_ref().map_or(n as f64, |w| w.iter().sum());
                part.merge(BoostPartial::Loss(loss, total, most(&g), most(&h)))
            }
            (Some(growing), BoostPartial::Histograms(histograms)) => {
                let per = (1.0 / growing.grid.gradient, 1.0 / growing.grid.curvature);
                let offsets = rounds.offsets();
                for (k, search) in growing.trees.iter().enumerate().filter(|(_, s)| s.grown.is_none()) {
                    let mut sets = PartitionedRows::all(n);
                    let ranges = replay(&search.ahead, &block, &mut sets);
                    for &node in &search.wanted {
                        let histogram = histograms.entry((k, node)).or_insert_with(|| vec![[0; 3]; offsets[offsets.len() - 1]]);
                        for &r in sets.rows(ranges[node].clone()) {
                            let r = r as usize;
                            let (g, h) = unpack(rounds.scale.word(per, g[k * n + r], h[k * n + r], weight(r)));
                            let count = block.counts.as_ref().map_or(1, |c| i64::from(c[r]));
                            for (j, &offset) in offsets[..offsets.len() - 1].iter().enumerate() {
                                let cell = &mut histogram[offset + block.bins.get(r, j)];
                                *cell = [cell[0] + g, cell[1] + h, cell[2] + count];
                            }
                        }
                    }
                }
                Ok(())
            }
            _ => Err(Error::Data("parts of different passes".into())),
        }
    }

    fn finish(&self, mut state: BoostState, total: BoostPartial, _: &Context<'_>) -> Result<PassStep<BoostState, BoostingModel>> {
        match (&mut state.stage, total) {
            (BoostPhase::Survey, BoostPartial::Survey(seen)) => {
                let Some(Seen(summary)) = *seen else {
                    return Err(Error::Data("there are 0 rows, and boosting needs at least 1".into()));
                };
                state.stage = BoostPhase::Rounds(Box::new(self.begin(&state, &summary)?));
                Ok(PassStep::NextPass(state, None))
            }
            (BoostPhase::Rounds(rounds), BoostPartial::Loss(loss, weight, g, h)) => {
                let round = rounds.done.len() / rounds.outputs();
                rounds.trace.push(&[round as f64, loss / weight]);
                if round >= self.max_iter as usize || state.classes.len() == 1 {
                    return Ok(PassStep::Done(model_of(&state, BoostStop::Rounds)));
                }
                let objective = state.loss.objective();
                let bounds = match (objective.bounds(), rounds.scale.whole) {
                    (Some(bounds), true) => bounds,
                    _ => (g, h),
                };
                let first = rounds.done.len() as u64;
                let trees = (0..rounds.outputs() as u64).map(|k| SpeculativeTree::new(&rounds.shape, first + k)).collect();
                rounds.growing = Some(RoundTrees { grid: rounds.scale.grid(bounds.0, bounds.1), trees });
                Ok(PassStep::NextPass(state, Some(loss / weight)))
            }
            (BoostPhase::Rounds(rounds), BoostPartial::Histograms(histograms)) => {
                let Some(mut growing) = rounds.growing.take() else {
                    return Err(Error::Data("parts of different passes".into()));
                };
                let mut by_tree: Vec<BTreeMap<usize, BinSums>> = vec![BTreeMap::new(); growing.trees.len()];
                histograms.into_iter().for_each(|((k, node), histogram)| {
                    by_tree[k].insert(node, histogram);
                });
                let first = rounds.done.len() as u64;
                for (k, (search, histograms)) in growing.trees.iter_mut().zip(by_tree).enumerate() {
                    if search.grown.is_none() {
                        search.advance(rounds, &growing.grid, first + k as u64, histograms);
                    }
                }
                if growing.trees.iter().all(|s| s.grown.is_some()) {
                    for growth in growing.trees.into_iter().filter_map(|s| s.grown) {
                        let values =
                            growth.nodes.iter().map(|b| rounds.shape.rate * b.value(&rounds.shape, &growing.grid)).collect();
                        rounds.done.push((growth, values));
                    }
                } else {
                    rounds.growing = Some(growing);
                }
                Ok(PassStep::NextPass(state, None))
            }
            _ => Err(Error::Data("parts of different passes".into())),
        }
    }

    fn model_so_far(&self, state: &BoostState) -> Option<BoostingModel> {
        matches!(state.stage, BoostPhase::Rounds(_)).then(|| model_of(state, BoostStop::Deadline))
    }
}

impl Boosting {
    /// The state before the first round.
    fn begin(&self, state: &BoostState, summary: &DataSummary) -> Result<BoostRounds> {
        state.loss.check_target(summary)?;
        let class_weight = match &self.class_weight {
            Some(weights) => weights.resolve(Self::SPEC.name, &state.classes, &summary.classes)?,
            None => Vec::new(),
        };
        let columns = summary.bins(self.max_bins as usize);
        let class_whole = class_weight.iter().all(|w| w.fract() == 0.0);
        let most_class = class_weight.iter().copied().fold(0.0, f64::max);
        let largest = summary.largest_weight * if class_weight.is_empty() { 1.0 } else { most_class };
        Ok(BoostRounds {
            shape: self.shape(&columns, &state.loss, state.seed)?,
            scale: QuantizerRange::new(summary.count_with(&class_weight), summary.whole && class_whole, largest),
            start: state.loss.start(summary, &class_weight),
            columns,
            class_weight,
            done: Vec::new(),
            trace: Trace::new(&["round", "loss"]),
            growing: None,
        })
    }
}

fn model_of(state: &BoostState, end: BoostStop) -> BoostingModel {
    let BoostPhase::Rounds(rounds) = &state.stage else { unreachable!("there are rounds") };
    let mut trees = Trees::new(state.categories.clone(), 1);
    let whole = rounds.done.len() / rounds.outputs() * rounds.outputs();
    for (growth, values) in &rounds.done[..whole] {
        trees.push(&growth.nodes(&rounds.columns, values));
    }
    BoostingModel {
        loss: state.loss,
        classes: state.classes.clone(),
        start: rounds.start.clone(),
        certificate: certificate(&trees, &rounds.trace, rounds.outputs(), end),
        trees,
        trace: rounds.trace.clone(),
    }
}
