//! The same trees from passes over rows that are never in memory as a whole: a pass finds the bins, one what lies in them, and then each brings all
//! trees that grow at a time one level on.
//!
//! A pass does not remember rows, so each block is binned again, its bags are drawn again and its rows run down all trees so far.
//! Every sum is of whole numbers and every draw has a name (tree and stratum, tree and node), so that the trees are those of a fit in
//! memory to the bit, whatever is gathered in which pass.
//!
//! Nodes with many rows are gathered as histograms. Below, histograms of many small nodes would take more room than their rows; so
//! a node that has become small is taken out with its rows, and what is below it is grown as in memory.

mod apply_pass;
mod context;
mod partial_tree;
mod pass_plan;
#[cfg(test)]
mod tests;

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, DatasetRef, Error, Partial, PassLearner, PassStep, Result, Target, Task};
use ermine_math::bins::ColumnBins;
use ermine_math::double_double::Dd;
use serde::{Deserialize, Serialize};

use super::super::criterion::{WeightRange, no_positive_target};
use super::super::ensemble::{TreeNode, Trees};
use super::super::grow::GrowOptions;
use super::super::open_node::OpenNode;
use super::super::sorted::TreeColumns;
use super::binning::{ForestSummary, RowScales, SORTED, codes_of};
use super::bins::{BinStorage, BinnedColumn, BinnedData, MAX_NARROW_BINS};
use super::bootstrap::Bootstrap;
use super::fit::{self, FinishedTree, MANY_ROWS};
use super::oob::OobSums;
use super::{ForestModel, RandomForest, stream};
use crate::columns::{Categories, categories, task_of};
use crate::stream::MEMORY_BYTES;
use apply_pass::{ApplyPass, StartTree};
use context::{BinSurvey, ForestContext};
use partial_tree::{NodeNeeds, PartialTree, PassNode, RowWeights};
use pass_plan::{PassHistograms, PassPlan};

/// Trees that grow at a time.
const AT_ONCE: usize = 64;

/// State broadcast to every block before a pass.
#[derive(Clone, Serialize, Deserialize)]
pub struct ForestState {
    task: Task,
    classes: Vec<String>,
    categories: Categories,
    seed: u64,
    /// Rows of a block, and bytes that a pass may gather.
    block: usize,
    memory: u64,
    /// Whether rows have weights of their own.
    weighted: bool,
    /// When trees stop; shares of rows are still to be taken.
    settings: GrowOptions,
    stage: ForestPhase,
}

#[derive(Clone, Serialize, Deserialize)]
enum ForestPhase {
    /// Finding the bins.
    Survey,
    /// Finding out what lies in them.
    BinSurvey(RowScales, Vec<ColumnBins>, u64),
    /// Without bags: the weights, then their sum.
    WeightRange(Box<ForestContext>),
    WeightTotal(Box<ForestContext>, WeightRange),
    Grow(Box<ForestContext>, Box<GrowingForest>),
    /// Estimating by the rows outside the bags.
    OutOfBag(Box<ForestContext>, Box<GrowingForest>, Vec<Vec<u32>>),
}

/// The trees so far.
#[derive(Clone, Serialize, Deserialize)]
struct GrowingForest {
    #[serde(with = "trees_as_nodes")]
    trees: Trees,
    importance_sums: Vec<f64>,
    partial_trees: Vec<PartialTree>,
    /// How many trees have begun.
    started: usize,
    plan: PassPlan,
}

/// Sums of a pass.
#[derive(Serialize, Deserialize)]
pub struct ForestPartial(ForestPartialKind);

#[derive(Serialize, Deserialize)]
enum ForestPartialKind {
    Survey(Option<Box<ForestSummary>>),
    BinSurvey(BinSurvey),
    WeightRange(WeightRange),
    WeightTotal(Dd),
    Histograms(PassHistograms),
    OutOfBag(OobSums),
}

fn wrong_partial() -> Error {
    Error::Data("parts of different passes".into())
}

#[cfg(feature = "fit")]
impl Partial for ForestPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (ForestPartialKind::Survey(Some(a)), ForestPartialKind::Survey(Some(b))) => a.merge(*b)?,
            (ForestPartialKind::Survey(_), ForestPartialKind::Survey(None)) => {}
            (ForestPartialKind::Survey(none), ForestPartialKind::Survey(some)) => *none = some,
            (ForestPartialKind::BinSurvey(a), ForestPartialKind::BinSurvey(b)) => a.merge(b)?,
            (ForestPartialKind::WeightRange(a), ForestPartialKind::WeightRange(b)) => a.merge(b),
            (ForestPartialKind::WeightTotal(a), ForestPartialKind::WeightTotal(b)) => *a += b,
            (ForestPartialKind::Histograms(a), ForestPartialKind::Histograms(b)) => a.merge(b),
            (ForestPartialKind::OutOfBag(a), ForestPartialKind::OutOfBag(b)) => a.merge(b)?,
            _ => return Err(wrong_partial()),
        }
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl PassLearner for RandomForest {
    type State = ForestState;
    type Partial = ForestPartial;

    fn block_rows(&self, _: usize) -> usize {
        SORTED
    }

    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<ForestState> {
        stream::needs_memory(self, head)?;
        let (task, classes) = task_of(&head.y);
        let columns = TreeColumns::new(&head.x, head.schema);
        let settings = self.stops(head, &columns, 1).map_err(fit::named)?;
        Ok(ForestState {
            task,
            settings,
            classes,
            categories: categories(&head.x),
            seed: cx.seed,
            block: cx.block_rows.unwrap_or(SORTED).max(1),
            memory: cx.memory.unwrap_or(MEMORY_BYTES),
            weighted: head.weight.is_some(),
            stage: ForestPhase::Survey,
        })
    }

    fn empty_partial(&self, state: &ForestState) -> ForestPartial {
        ForestPartial(match &state.stage {
            ForestPhase::Survey => ForestPartialKind::Survey(None),
            ForestPhase::BinSurvey(..) => ForestPartialKind::BinSurvey(BinSurvey::default()),
            ForestPhase::WeightRange(_) => ForestPartialKind::WeightRange(WeightRange::default()),
            ForestPhase::WeightTotal(..) => ForestPartialKind::WeightTotal(Dd::ZERO),
            ForestPhase::Grow(_, growing) => ForestPartialKind::Histograms(growing.plan.empty(growing.partial_trees.len())),
            ForestPhase::OutOfBag(..) => ForestPartialKind::OutOfBag(OobSums::default()),
        })
    }

    fn is_order_free(&self, state: &ForestState) -> bool {
        matches!(state.stage, ForestPhase::Grow(..))
    }

    fn add_block(&self, _: &ForestState, _: &mut ForestPartial, _: &DatasetRef<'_>) -> Result<()> {
        Err(Error::Data("a forest must know which rows it is given".into()))
    }

    fn add_block_at(&self, state: &ForestState, part: &mut ForestPartial, rows: &DatasetRef<'_>, first: usize) -> Result<()> {
        let weight = |frame: &ForestContext, i: usize| {
            let own = frame.scales.row_weight(rows, i);
            match rows.y {
                Target::Class { codes, .. } => own * frame.factors.get(codes[i] as usize).copied().unwrap_or(1.0),
                _ => own,
            }
        };
        let weights =
            |frame: &ForestContext| -> Vec<f64> { (0..rows.rows()).map(|i| weight(frame, i)).filter(|w| *w > 0.0).collect() };
        match (&state.stage, &mut part.0) {
            (ForestPhase::Survey, _) => {
                part.merge(ForestPartial(ForestPartialKind::Survey(Some(Box::new(ForestSummary::of(rows)?)))))
            }
            (ForestPhase::BinSurvey(scales, bins, _), ForestPartialKind::BinSurvey(_)) => {
                let keep = self.bootstrap && state.own_weights(self);
                let seen = BinSurvey::of(rows, scales, bins, keep, self.criterion == "poisson")?;
                part.merge(ForestPartial(ForestPartialKind::BinSurvey(seen)))
            }
            (ForestPhase::WeightRange(frame), ForestPartialKind::WeightRange(range)) => {
                weights(frame).into_iter().for_each(|w| range.add(w));
                Ok(())
            }
            (ForestPhase::WeightTotal(frame, range), ForestPartialKind::WeightTotal(total)) => {
                weights(frame).into_iter().for_each(|w| *total += range.scaled(w));
                Ok(())
            }
            (ForestPhase::Grow(frame, growing), ForestPartialKind::Histograms(histograms)) => {
                growing.plan.add(&growing.partial_trees, frame, self.bootstrap, histograms, rows, first)
            }
            (ForestPhase::OutOfBag(frame, growing, draws), ForestPartialKind::OutOfBag(_)) => {
                let block = frame.read(rows, first)?;
                let seen = OobSums::of(rows, &growing.trees, (&frame.bootstrap, draws), &block.kept, block.first)?;
                part.merge(ForestPartial(ForestPartialKind::OutOfBag(seen)))
            }
            _ => Err(wrong_partial()),
        }
    }

    fn finish(
        &self,
        mut state: ForestState,
        total: ForestPartial,
        cx: &Context<'_>,
    ) -> Result<PassStep<ForestState, ForestModel>> {
        let stage = std::mem::replace(&mut state.stage, ForestPhase::Survey);
        let (growing, weighs) = (GrowingForest::new(&state), state.own_weights(self));
        state.stage = match (stage, total.0) {
            (ForestPhase::Survey, ForestPartialKind::Survey(Some(summary))) => {
                let scales = RowScales { of_class: summary.class_weights(self, &state.classes)? };
                ForestPhase::BinSurvey(scales, summary.bins(self.max_bins as usize), summary.rows)
            }
            (ForestPhase::BinSurvey(scales, bins, all), ForestPartialKind::BinSurvey(seen)) => {
                let frame = Box::new(self.frame(&state, scales, bins, (all as usize, seen))?);
                if !self.bootstrap && (weighs || fit::balances_bags(self)) {
                    ForestPhase::WeightRange(frame)
                } else {
                    ForestPhase::Grow(frame, Box::new(growing))
                }
            }
            (ForestPhase::WeightRange(mut frame), ForestPartialKind::WeightRange(range)) => {
                frame.grid = range.exact();
                match frame.grid {
                    Some(_) => ForestPhase::Grow(frame, Box::new(growing)),
                    None => ForestPhase::WeightTotal(frame, range),
                }
            }
            (ForestPhase::WeightTotal(mut frame, range), ForestPartialKind::WeightTotal(total)) => {
                frame.grid = Some(range.rounded(total));
                ForestPhase::Grow(frame, Box::new(growing))
            }
            (ForestPhase::Grow(frame, mut growing), ForestPartialKind::Histograms(histograms)) => {
                growing.advance(self, &frame, histograms, state.seed, cx)?;
                growing.collect(self, &frame, cx)?;
                ForestPhase::Grow(frame, growing)
            }
            (ForestPhase::OutOfBag(frame, growing, _), ForestPartialKind::OutOfBag(seen)) => {
                let out_of_bag = Some(seen.finish(state.task, growing.trees.width())?);
                let model = state.model(self, &frame, *growing, false);
                return Ok(PassStep::Done(ForestModel { out_of_bag, ..model }));
            }
            _ => return Err(wrong_partial()),
        };
        if let ForestPhase::Grow(frame, growing) = &mut state.stage {
            growing.start_trees(self, frame);
            if growing.partial_trees.is_empty() {
                return self.finish_forest(state);
            }
            growing.plan = PassPlan::plan(&growing.partial_trees, frame, state.seed, state.memory)?;
        }
        Ok(PassStep::NextPass(state, None))
    }

    fn model_so_far(&self, state: &ForestState) -> Option<ForestModel> {
        match &state.stage {
            ForestPhase::Grow(frame, growing) if growing.trees.n_trees() > 0 => {
                Some(state.model(self, frame, (**growing).clone(), true))
            }
            ForestPhase::OutOfBag(frame, growing, _) => Some(state.model(self, frame, (**growing).clone(), true)),
            _ => None,
        }
    }
}

impl RandomForest {
    /// The data shared by all trees, once the bins are known.
    fn frame(
        &self,
        state: &ForestState,
        scales: RowScales,
        bins: Vec<ColumnBins>,
        (all, seen): (usize, BinSurvey),
    ) -> Result<ForestContext> {
        let rows: usize = seen.counts.iter().sum();
        if rows == 0 {
            return Err(Error::Weight("all weights are 0, so no row is left".into()));
        }
        fit::check_rows(rows)?;
        if self.criterion == "poisson" && !seen.positive {
            return Err(no_positive_target());
        }
        if self.splitter == "auto" && rows < MANY_ROWS {
            return Err(Error::Data(format!(
                "{rows} rows are so few that splitter = auto keeps their values apart, which passes cannot do; set \
                 splitter=histogram"
            )));
        }
        let mut places = 0;
        let column = |((bins, low), high): ((&ColumnBins, Vec<f64>), Vec<f64>)| {
            let place = if bins.bins() <= MAX_NARROW_BINS { BinStorage::Narrow(places) } else { BinStorage::Wide(Vec::new()) };
            places += usize::from(bins.bins() <= MAX_NARROW_BINS);
            BinnedColumn::new(place, low, high, codes_of(bins))
        };
        let columns: Vec<BinnedColumn> = bins.iter().zip(seen.low).zip(seen.high).map(column).collect();
        let before = seen.counts.iter().scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect();
        let counts: Vec<f64> = seen.classes.iter().map(|&n| n as f64).collect();
        let balances = !self.bootstrap && fit::balances_bags(self);
        let weights = (!seen.weights.is_empty()).then_some(&seen.weights[..]);
        Ok(ForestContext {
            bootstrap: Bootstrap::new(state.seed, rows, fit::bootstrap_size(self, rows), weights),
            factors: if balances { fit::balanced_factors(&counts) } else { Vec::new() },
            grid: None,
            categories: state.categories.iter().map(|names| names.as_ref().map(|n| n.len())).collect(),
            settings: self.with_rows(state.settings.clone(), all),
            scales,
            bins,
            columns,
            rows,
            class_rows: seen.classes,
            block: state.block,
            rows_before: before,
        })
    }

    /// After the last tree.
    fn finish_forest(&self, mut state: ForestState) -> Result<PassStep<ForestState, ForestModel>> {
        let ForestPhase::Grow(frame, growing) = state.stage else { return Err(wrong_partial()) };
        state.stage = ForestPhase::Survey;
        if !self.oob_score {
            return Ok(PassStep::Done(state.model(self, &frame, *growing, false)));
        }
        let draws = (0..growing.trees.n_trees()).map(|t| frame.bootstrap.stratum_draws(t as u64)).collect();
        state.stage = ForestPhase::OutOfBag(frame, growing, draws);
        Ok(PassStep::NextPass(state, None))
    }
}

impl ForestState {
    /// Whether rows or classes have weights that are the same for all trees.
    fn own_weights(&self, forest: &RandomForest) -> bool {
        self.weighted || forest.class_weight.is_some() && !fit::balances_bags(forest)
    }

    fn model(&self, forest: &RandomForest, frame: &ForestContext, growing: GrowingForest, late: bool) -> ForestModel {
        ForestModel {
            task: self.task,
            classes: self.classes.clone(),
            certificate: fit::histogram_certificate(forest, frame.rows, &frame.columns, &growing.trees, late),
            trees: growing.trees,
            importance_sums: growing.importance_sums,
            out_of_bag: None,
            permutation_importances: None,
        }
    }
}

impl GrowingForest {
    fn new(state: &ForestState) -> Self {
        let width = if state.task == Task::Classification { state.classes.len() } else { 1 };
        Self {
            trees: Trees::new(state.categories.clone(), width).refusing_infinite(),
            importance_sums: vec![0.0; state.categories.len()],
            partial_trees: Vec::new(),
            started: 0,
            plan: PassPlan::default(),
        }
    }

    /// Starts trees, as long as memory allows.
    fn start_trees(&mut self, forest: &RandomForest, frame: &ForestContext) {
        let wanted = usize::try_from(forest.n_estimators).unwrap_or(usize::MAX);
        let next = self.started..wanted.min(self.started + AT_ONCE.saturating_sub(self.partial_trees.len()));
        self.started = next.end;
        let partial =
            |t: usize| PartialTree::new(t, if forest.bootstrap { frame.bootstrap.stratum_draws(t as u64) } else { Vec::new() });
        let started: Vec<PartialTree> = next.into_par_iter().map(partial).collect();
        self.partial_trees.extend(started);
    }

    /// Takes what a pass has gathered into the trees.
    fn advance(
        &mut self,
        forest: &RandomForest,
        frame: &ForestContext,
        mut histograms: PassHistograms,
        seed: u64,
        cx: &Context<'_>,
    ) -> Result<()> {
        let profiles = std::mem::take(&mut histograms.profiles);
        let mut by_slot: Vec<Vec<u32>> = vec![Vec::new(); self.plan.slots()];
        histograms.taken.slot.iter().enumerate().for_each(|(row, &slot)| by_slot[slot as usize].push(row as u32));
        let (narrow, wide) = (std::mem::take(&mut histograms.taken.narrow), std::mem::take(&mut histograms.taken.wide));
        let rows = histograms.taken.slot.len();
        let binned = (rows > 0).then(|| BinnedData::of_rows(&frame.columns, rows, narrow, wide));
        let classes = match self.trees.width() {
            _ if frame.class_rows.is_empty() => None,
            width => Some(width),
        };
        let (plan, histograms, binned, by_slot) = (&self.plan, &histograms, binned.as_ref(), &by_slot);
        let step = |(at, (partial, profile)): (usize, (&mut PartialTree, partial_tree::SampleProfile))| -> Result<()> {
            match &partial.weights {
                None => {
                    let (weights, sum) = RowWeights::new(forest, frame, &profile, classes);
                    let criterion = weights.criterion;
                    partial.weights = Some(weights);
                    if sum.is_empty() {
                        partial.open_nodes.push(OpenNode::root(PassNode::new(0, sum, NodeNeeds::Split)));
                    } else {
                        criterion.dispatch(&[], StartTree { frame, tree: partial, sum, seed });
                    }
                    Ok(())
                }
                Some(weights) => {
                    let criterion = weights.criterion;
                    criterion.dispatch(
                        &histograms.taken.y,
                        ApplyPass { frame, tree: partial, at, plan, histograms, binned, by_slot, seed, cx },
                    )
                }
            }
        };
        self.partial_trees.par_iter_mut().zip(profiles).enumerate().map(step).collect()
    }

    /// Puts trees that are grown into the forest, in their order.
    fn collect(&mut self, forest: &RandomForest, frame: &ForestContext, cx: &Context<'_>) -> Result<()> {
        let mut rest = Vec::new();
        for mut partial in std::mem::take(&mut self.partial_trees) {
            if partial.weights.is_some() && partial.grown.is_none() {
                partial.grown = partial.request_needs(frame);
            }
            match partial.grown.take_if(|_| rest.is_empty()) {
                Some(grown) => {
                    FinishedTree::new(forest, grown, frame.columns.len(), cx)?
                        .append_to(&mut self.trees, &mut self.importance_sums);
                }
                None => rest.push(partial),
            }
        }
        self.partial_trees = rest;
        Ok(())
    }
}

/// Trees in a state: their nodes.
mod trees_as_nodes {
    use serde::{Deserializer, Serializer};

    use super::{Categories, Deserialize, Serialize, TreeNode, Trees};

    pub fn serialize<S: Serializer>(trees: &Trees, to: S) -> Result<S::Ok, S::Error> {
        let nodes: Vec<Vec<TreeNode>> = (0..trees.n_trees()).map(|t| trees.nodes(t)).collect();
        (trees.categories(), trees.width(), nodes).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Trees, D::Error> {
        let (categories, width, nodes): (Categories, usize, Vec<Vec<TreeNode>>) = Deserialize::deserialize(from)?;
        let mut trees = Trees::new(categories, width).refusing_infinite();
        nodes.iter().for_each(|tree| trees.push(tree));
        Ok(trees)
    }
}
