//! The same trees from passes over rows that are never held: a pass finds the bins, one what lies in them, and then each brings all
//! trees that grow at a time one level on.
//!
//! A pass does not remember rows, so each block is binned again, its bags are drawn again and its rows run down all trees so far.
//! Every sum is of whole numbers and every draw has a name (tree and urn, tree and node), so that the trees are those of a fit in
//! memory to the bit, whatever is gathered in which pass.
//!
//! Nodes with many rows are gathered as histograms. Below, histograms of many small nodes would take more room than their rows; so
//! a node that has become small is taken out with its rows, and what is below it is grown as in memory.

mod advance;
mod errand;
mod frame;
mod sprout;
#[cfg(test)]
mod tests;

use ermine_core::{Context, Dataset, Error, Partial, PassLearner, Result, Step, Target, Task};
use ermine_math::bins::ColumnBins;
use ermine_math::dd::Dd;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::super::criterion::WeightRange;
use super::super::ensemble::{Node, Trees};
use super::super::grow::Settings;
use super::super::sorted::Columns;
use super::bag::Lottery;
use super::bins::{Binned, Column, NARROW, Place};
use super::fill::{SORTED, Spread, codes_of};
use super::fit::{self, Done, MANY_ROWS};
use super::oob::Outside;
use super::{Forest, ForestModel, stream};
use crate::boosting::data::{Categories, categories};
use advance::{Advance, Begin};
use errand::{Errand, Sheets};
use frame::{Frame, Measured, Scales};
use sprout::{Bud, Soil, Sprout, Want};

/// Trees that grow at a time.
const AT_ONCE: usize = 64;

/// What every block is told.
#[derive(Clone, Serialize, Deserialize)]
pub struct State {
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
    settings: Settings,
    stage: Stage,
}

#[derive(Clone, Serialize, Deserialize)]
enum Stage {
    /// Finding the bins.
    Look,
    /// Finding out what lies in them.
    Measure(Scales, Vec<ColumnBins>, u64),
    /// Without bags: the weights, then their sum.
    Range(Box<Frame>),
    Total(Box<Frame>, WeightRange),
    Grow(Box<Frame>, Box<Wave>),
    /// Estimating by the rows outside the bags.
    Outside(Box<Frame>, Box<Wave>, Vec<Vec<u32>>),
}

/// The trees so far.
#[derive(Clone, Serialize, Deserialize)]
struct Wave {
    #[serde(with = "shelf")]
    trees: Trees,
    importance_sums: Vec<f64>,
    growing: Vec<Sprout>,
    /// How many trees have begun.
    begun: usize,
    errand: Errand,
}

/// What is gathered from the blocks.
#[derive(Serialize, Deserialize)]
pub struct Part(Inside);

#[derive(Serialize, Deserialize)]
enum Inside {
    Look(Option<Box<Spread>>),
    Measure(Measured),
    Range(WeightRange),
    Total(Dd),
    Sheets(Sheets),
    Outside(Outside),
}

fn mixed() -> Error {
    Error::Data("parts of different passes".into())
}

impl Partial for Part {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (Inside::Look(Some(a)), Inside::Look(Some(b))) => a.merge(*b)?,
            (Inside::Look(_), Inside::Look(None)) => {}
            (Inside::Look(none), Inside::Look(some)) => *none = some,
            (Inside::Measure(a), Inside::Measure(b)) => a.merge(b)?,
            (Inside::Range(a), Inside::Range(b)) => a.merge(b),
            (Inside::Total(a), Inside::Total(b)) => *a += b,
            (Inside::Sheets(a), Inside::Sheets(b)) => a.merge(b),
            (Inside::Outside(a), Inside::Outside(b)) => a.merge(b)?,
            _ => return Err(mixed()),
        }
        Ok(())
    }
}

impl PassLearner for Forest {
    type State = State;
    type Partial = Part;

    fn block_rows(&self, _: usize) -> usize {
        SORTED
    }

    fn start(&self, head: &Dataset<'_>, cx: &Context<'_>) -> Result<State> {
        stream::needs_memory(self, head)?;
        let classes = match head.y {
            Target::Class { names, .. } => names.to_vec(),
            _ => Vec::new(),
        };
        let task = if matches!(head.y, Target::Class { .. }) { Task::Classification } else { Task::Regression };
        let columns = Columns::new(&head.x, head.schema);
        let settings = self.stops(head, &columns, 1).map_err(fit::named)?;
        Ok(State {
            task,
            settings,
            classes,
            categories: categories(&head.x),
            seed: cx.seed,
            block: cx.block_rows.unwrap_or(SORTED).max(1),
            memory: cx.memory.unwrap_or(stream::HELD),
            weighted: head.weight.is_some(),
            stage: Stage::Look,
        })
    }

    fn empty(&self, state: &State) -> Part {
        Part(match &state.stage {
            Stage::Look => Inside::Look(None),
            Stage::Measure(..) => Inside::Measure(Measured::default()),
            Stage::Range(_) => Inside::Range(WeightRange::default()),
            Stage::Total(..) => Inside::Total(Dd::ZERO),
            Stage::Grow(_, wave) => Inside::Sheets(wave.errand.empty(wave.growing.len())),
            Stage::Outside(..) => Inside::Outside(Outside::default()),
        })
    }

    fn any_order(&self, state: &State) -> bool {
        matches!(state.stage, Stage::Grow(..))
    }

    fn add(&self, _: &State, _: &mut Part, _: &Dataset<'_>) -> Result<()> {
        Err(Error::Data("a forest must know which rows it is given".into()))
    }

    fn add_from(&self, state: &State, part: &mut Part, rows: &Dataset<'_>, first: usize) -> Result<()> {
        let weight = |frame: &Frame, i: usize| {
            let own = frame.scales.own(rows, i);
            match rows.y {
                Target::Class { codes, .. } => own * frame.factors.get(codes[i] as usize).copied().unwrap_or(1.0),
                _ => own,
            }
        };
        let weights = |frame: &Frame| -> Vec<f64> { (0..rows.rows()).map(|i| weight(frame, i)).filter(|w| *w > 0.0).collect() };
        match (&state.stage, &mut part.0) {
            (Stage::Look, _) => part.merge(Part(Inside::Look(Some(Box::new(Spread::of(rows)?))))),
            (Stage::Measure(scales, bins, _), Inside::Measure(_)) => {
                let keep = self.bootstrap && state.own_weights(self);
                let seen = Measured::of(rows, scales, bins, keep, self.criterion == "poisson")?;
                part.merge(Part(Inside::Measure(seen)))
            }
            (Stage::Range(frame), Inside::Range(range)) => {
                weights(frame).into_iter().for_each(|w| range.add(w));
                Ok(())
            }
            (Stage::Total(frame, range), Inside::Total(total)) => {
                weights(frame).into_iter().for_each(|w| *total += range.scaled(w));
                Ok(())
            }
            (Stage::Grow(frame, wave), Inside::Sheets(sheets)) => {
                wave.errand.add(&wave.growing, frame, self.bootstrap, sheets, rows, first)
            }
            (Stage::Outside(frame, wave, urns), Inside::Outside(_)) => {
                let block = frame.read(rows, first)?;
                let seen = Outside::of(rows, &wave.trees, (&frame.lottery, urns), &block.kept, block.first)?;
                part.merge(Part(Inside::Outside(seen)))
            }
            _ => Err(mixed()),
        }
    }

    fn finish(&self, mut state: State, total: Part, cx: &Context<'_>) -> Result<Step<State, ForestModel>> {
        let stage = std::mem::replace(&mut state.stage, Stage::Look);
        let (wave, weighs) = (Wave::new(&state), state.own_weights(self));
        state.stage = match (stage, total.0) {
            (Stage::Look, Inside::Look(Some(spread))) => {
                let scales = Scales { of_class: spread.class_weights(self, &state.classes)? };
                Stage::Measure(scales, spread.bins(self.max_bins as usize), spread.rows)
            }
            (Stage::Measure(scales, bins, all), Inside::Measure(seen)) => {
                let frame = Box::new(self.frame(&state, scales, bins, (all as usize, seen))?);
                if !self.bootstrap && (weighs || fit::balances_bags(self)) {
                    Stage::Range(frame)
                } else {
                    Stage::Grow(frame, Box::new(wave))
                }
            }
            (Stage::Range(mut frame), Inside::Range(range)) => {
                frame.grid = range.exact();
                match frame.grid {
                    Some(_) => Stage::Grow(frame, Box::new(wave)),
                    None => Stage::Total(frame, range),
                }
            }
            (Stage::Total(mut frame, range), Inside::Total(total)) => {
                frame.grid = Some(range.rounded(total));
                Stage::Grow(frame, Box::new(wave))
            }
            (Stage::Grow(frame, mut wave), Inside::Sheets(sheets)) => {
                wave.advance(self, &frame, sheets, state.seed, cx)?;
                wave.collect(self, &frame, cx)?;
                Stage::Grow(frame, wave)
            }
            (Stage::Outside(frame, wave, _), Inside::Outside(seen)) => {
                let out_of_bag = Some(seen.finish(state.task, wave.trees.width())?);
                let model = state.model(self, &frame, *wave, false);
                return Ok(Step::Done(ForestModel { out_of_bag, ..model }));
            }
            _ => return Err(mixed()),
        };
        if let Stage::Grow(frame, wave) = &mut state.stage {
            wave.begin(self, frame);
            if wave.growing.is_empty() {
                return self.end(state);
            }
            wave.errand = Errand::plan(&wave.growing, frame, state.seed, state.memory)?;
        }
        Ok(Step::Again(state, None))
    }

    fn interrupted(&self, state: &State) -> Option<ForestModel> {
        match &state.stage {
            Stage::Grow(frame, wave) if wave.trees.n_trees() > 0 => Some(state.model(self, frame, (**wave).clone(), true)),
            Stage::Outside(frame, wave, _) => Some(state.model(self, frame, (**wave).clone(), true)),
            _ => None,
        }
    }
}

impl Forest {
    /// What all trees share, once it is known what lies in the bins.
    fn frame(&self, state: &State, scales: Scales, bins: Vec<ColumnBins>, (all, seen): (usize, Measured)) -> Result<Frame> {
        let rows: usize = seen.counts.iter().sum();
        if rows == 0 {
            return Err(Error::Weight("all weights are 0, so no row is left".into()));
        }
        fit::check_rows(rows)?;
        if self.criterion == "poisson" && !seen.positive {
            return Err(fit::no_positive_target());
        }
        if self.splitter == "auto" && rows < MANY_ROWS {
            return Err(Error::Data(format!(
                "{rows} rows are so few that splitter = auto keeps their values apart, which passes cannot do; set \
                 splitter=histogram"
            )));
        }
        let mut places = 0;
        let column = |((bins, low), high): ((&ColumnBins, Vec<f64>), Vec<f64>)| {
            let place = if bins.bins() <= NARROW { Place::Narrow(places) } else { Place::Wide(Vec::new()) };
            places += usize::from(bins.bins() <= NARROW);
            Column::new(place, low, high, codes_of(bins))
        };
        let columns: Vec<Column> = bins.iter().zip(seen.low).zip(seen.high).map(column).collect();
        let before = seen.counts.iter().scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect();
        let counts: Vec<f64> = seen.classes.iter().map(|&n| n as f64).collect();
        let balances = !self.bootstrap && fit::balances_bags(self);
        let weights = (!seen.weights.is_empty()).then_some(&seen.weights[..]);
        Ok(Frame {
            lottery: Lottery::new(state.seed, rows, fit::draws(self, rows), weights),
            factors: if balances { fit::balancing(&counts) } else { Vec::new() },
            grid: None,
            categories: state.categories.iter().map(|names| names.as_ref().map(|n| n.len())).collect(),
            settings: self.with_rows(state.settings.clone(), all),
            scales,
            bins,
            columns,
            rows,
            class_rows: seen.classes,
            block: state.block,
            before,
        })
    }

    /// After the last tree.
    fn end(&self, mut state: State) -> Result<Step<State, ForestModel>> {
        let Stage::Grow(frame, wave) = state.stage else { return Err(mixed()) };
        state.stage = Stage::Look;
        if !self.oob_score {
            return Ok(Step::Done(state.model(self, &frame, *wave, false)));
        }
        let urns = (0..wave.trees.n_trees()).map(|t| frame.lottery.urns(t as u64)).collect();
        state.stage = Stage::Outside(frame, wave, urns);
        Ok(Step::Again(state, None))
    }
}

impl State {
    /// Whether rows or classes have weights that are the same for all trees.
    fn own_weights(&self, forest: &Forest) -> bool {
        self.weighted || forest.class_weight.is_some() && !fit::balances_bags(forest)
    }

    fn model(&self, forest: &Forest, frame: &Frame, wave: Wave, late: bool) -> ForestModel {
        ForestModel {
            task: self.task,
            classes: self.classes.clone(),
            certificate: fit::histogram_certificate(forest, frame.rows, &frame.columns, &wave.trees, late),
            trees: wave.trees,
            importance_sums: wave.importance_sums,
            out_of_bag: None,
            permutation_importances: None,
        }
    }
}

impl Wave {
    fn new(state: &State) -> Self {
        let width = if state.task == Task::Classification { state.classes.len() } else { 1 };
        Self {
            trees: Trees::new(state.categories.clone(), width).refusing_infinite(),
            importance_sums: vec![0.0; state.categories.len()],
            growing: Vec::new(),
            begun: 0,
            errand: Errand::default(),
        }
    }

    /// Lets trees begin, as long as there is room.
    fn begin(&mut self, forest: &Forest, frame: &Frame) {
        let wanted = usize::try_from(forest.n_estimators).unwrap_or(usize::MAX);
        let next = self.begun..wanted.min(self.begun + AT_ONCE.saturating_sub(self.growing.len()));
        self.begun = next.end;
        let sprout = |t: usize| Sprout::new(t, if forest.bootstrap { frame.lottery.urns(t as u64) } else { Vec::new() });
        self.growing.par_extend(next.into_par_iter().map(sprout));
    }

    /// Takes what a pass has gathered into the trees.
    fn advance(&mut self, forest: &Forest, frame: &Frame, mut sheets: Sheets, seed: u64, cx: &Context<'_>) -> Result<()> {
        let profiles = std::mem::take(&mut sheets.profiles);
        let mut by_slot: Vec<Vec<u32>> = vec![Vec::new(); self.errand.slots()];
        sheets.taken.slot.iter().enumerate().for_each(|(row, &slot)| by_slot[slot as usize].push(row as u32));
        let (narrow, wide) = (std::mem::take(&mut sheets.taken.narrow), std::mem::take(&mut sheets.taken.wide));
        let rows = sheets.taken.slot.len();
        let binned = (rows > 0).then(|| Binned::of_rows(&frame.columns, rows, narrow, wide));
        let classes = match self.trees.width() {
            _ if frame.class_rows.is_empty() => None,
            width => Some(width),
        };
        let (errand, sheets, binned, by_slot) = (&self.errand, &sheets, binned.as_ref(), &by_slot);
        let step = |(at, (sprout, profile)): (usize, (&mut Sprout, sprout::Profile))| -> Result<()> {
            match &sprout.soil {
                None => {
                    let (soil, sum) = Soil::new(forest, frame, &profile, classes);
                    let sort = soil.sort;
                    sprout.soil = Some(soil);
                    if sum.is_empty() {
                        let (all, want) = (Vec::new(), Want::Split);
                        let (drawn, varies, best) = (0, false, None);
                        sprout.buds.push(Bud { node: 0, depth: 0, path: 1, all, looked: false, want, drawn, varies, best });
                    } else {
                        sort.with(&[], Begin { frame, sprout, sum, seed });
                    }
                    Ok(())
                }
                Some(soil) => {
                    let sort = soil.sort;
                    sort.with(&sheets.taken.y, Advance { frame, sprout, at, errand, sheets, binned, by_slot, seed, cx })
                }
            }
        };
        self.growing.par_iter_mut().zip(profiles).enumerate().map(step).collect()
    }

    /// Puts trees that are grown into the forest, in their order.
    fn collect(&mut self, forest: &Forest, frame: &Frame, cx: &Context<'_>) -> Result<()> {
        let mut rest = Vec::new();
        for mut sprout in std::mem::take(&mut self.growing) {
            if sprout.soil.is_some() && sprout.grown.is_none() {
                sprout.grown = sprout.settle(frame);
            }
            match sprout.grown.take_if(|_| rest.is_empty()) {
                Some(grown) => {
                    Done::new(forest, grown, frame.columns.len(), cx)?.join(&mut self.trees, &mut self.importance_sums);
                }
                None => rest.push(sprout),
            }
        }
        self.growing = rest;
        Ok(())
    }
}

/// Trees between machines: their nodes.
mod shelf {
    use serde::{Deserializer, Serializer};

    use super::{Categories, Deserialize, Node, Serialize, Trees};

    pub fn serialize<S: Serializer>(trees: &Trees, to: S) -> Result<S::Ok, S::Error> {
        let nodes: Vec<Vec<Node>> = (0..trees.n_trees()).map(|t| trees.nodes(t)).collect();
        (trees.categories(), trees.width(), nodes).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Trees, D::Error> {
        let (categories, width, nodes): (Categories, usize, Vec<Vec<Node>>) = Deserialize::deserialize(from)?;
        let mut trees = Trees::new(categories, width).refusing_infinite();
        nodes.iter().for_each(|tree| trees.push(tree));
        Ok(trees)
    }
}
