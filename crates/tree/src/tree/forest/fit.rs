//! From rows to a forest: what is shared by all trees, the trees in parallel, and the evidence.

use std::sync::Arc;

use ermine_core::parallel::prelude::*;
use ermine_core::{Certificate, Context, DatasetRef, Error, Learner, Progress, Result, RngStream, Target};

use super::super::criterion::{negative_target, no_positive_target};
use super::super::ensemble::{TreeNode, Trees, nodes_of};
use super::super::grow::{GrowOptions, GrownNode};
use super::super::importance::gain_shares;
use super::super::sorted::{RowSubset, SortedEntry, TreeColumns};
use super::super::{ClassWeight, CountOrFraction, Tree, class_targets, prune};
use super::binning::{BinBuilder, ForestSummary};
use super::bins::{BinnedColumn, BinnedData};
use super::bootstrap::Bootstrap;
use super::kind::{ImpurityKind, MANY_CLASSES, MeanLoss};
use super::model::ForestModel;
use super::oob::OobInput;
use super::{RandomForest, SUBSAMPLE};
use crate::columns::{ColumnCells, task_of};

/// Rows from which "auto" cuts columns into bins.
pub(super) const MANY_ROWS: usize = 10_000;

/// Data shared by all trees.
pub(super) struct ForestJob<'a> {
    pub forest: &'a RandomForest,
    pub tree: Tree,
    /// The rows as they are; of a stream only the first.
    pub data: &'a DatasetRef<'a>,
    pub rows: RowSubset,
    pub target: ForestTarget,
    /// Weight of each row that takes part, unless all are 1.
    pub own: Option<Vec<f64>>,
    pub settings: GrowOptions,
    /// Category counts of the columns.
    pub categories: Vec<Option<usize>>,
    /// The columns as small numbers, unless trees are grown on sorted lists.
    pub binned: Option<Arc<BinnedData>>,
    pub bootstrap: Bootstrap,
    pub cx: &'a Context<'a>,
}

/// The target of the rows that take part.
pub(super) enum ForestTarget {
    Classes(Vec<u32>, usize),
    Numbers(Vec<f64>),
}

/// A finished tree before it is added to the forest.
pub(super) struct FinishedTree {
    nodes: Vec<TreeNode>,
    /// Shares of the columns in the decrease of impurity; all 0 for a tree without splits.
    importances: Vec<f64>,
}

impl FinishedTree {
    /// From the nodes of a tree, which are pruned if the forest is asked to.
    pub fn new(forest: &RandomForest, mut grown: Vec<GrownNode>, columns: usize, cx: &Context<'_>) -> Result<Self> {
        if forest.ccp_alpha > 0.0 {
            grown = prune::prune(grown, forest.ccp_alpha, cx)?;
        }
        let nodes = nodes_of(&grown);
        let mut importances = vec![0.0; columns];
        nodes.iter().filter(|n| n.right != 0).for_each(|n| importances[n.feature as usize] += n.gain);
        if importances.iter().sum::<f64>().is_infinite() {
            importances.fill(0.0);
        }
        Ok(Self { nodes, importances: gain_shares(importances) })
    }

    /// Adds the tree to a forest.
    pub fn append_to(&self, trees: &mut Trees, importance_sums: &mut [f64]) {
        trees.push(&self.nodes);
        importance_sums.iter_mut().zip(&self.importances).for_each(|(s, v)| *s += v);
    }
}

pub(super) fn fit(
    forest: &RandomForest,
    start: Option<&ForestModel>,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<ForestModel> {
    forest.check()?;
    data.check(&RandomForest::SPEC)?;
    let columns = TreeColumns::new(&data.x, data.schema);
    let mut job = ForestJob::in_memory(forest, data, &columns, cx)?;
    job.binned = if job.uses_bins() { Some(job.bin(&columns)?) } else { None };
    let model = match start {
        Some(start) => job.resume(start, &columns)?,
        None => job.begin(&columns),
    };
    job.run(model, |model| job.out_of_bag(model, &columns))
}

/// The target and the weights of the rows that take part, and which these are.
type ForestRows = (ForestTarget, Option<Vec<f64>>, RowSubset);

fn forest_rows(forest: &RandomForest, data: &DatasetRef<'_>) -> Result<ForestRows> {
    let rows = RowSubset::with_weight(data);
    let own: Option<Vec<f64>> = data.weight.map(|w| (0..rows.len()).map(|id| w[rows.row(id)]).collect());
    let target = match data.y {
        Target::Class { codes, names } => {
            ForestTarget::Classes((0..rows.len()).map(|id| codes[rows.row(id)]).collect(), names.len())
        }
        _ => {
            refuse_class_weight(forest, data)?;
            let y = data.y.reals()?;
            let of_row = |id: usize| (0..y.cols()).map(move |t| *y.at(id, t));
            ForestTarget::Numbers((0..rows.len()).flat_map(|id| of_row(rows.row(id))).collect())
        }
    };
    Ok((target, own, rows))
}

/// Numbers have no classes that could have weights, unless they are indicators of several.
pub(super) fn refuse_class_weight(forest: &RandomForest, data: &DatasetRef<'_>) -> Result<()> {
    let classes = matches!(data.y, Target::Class { .. }) || balances_bags(forest) && class_targets(data).is_some();
    if forest.class_weight.is_none() || classes {
        return Ok(());
    }
    Err(Error::parameter(RandomForest::SPEC.name, "class_weight", "a weight", "it must be null for a regression"))
}

/// The reason why sorted lists of all columns are needed.
pub(super) fn uses_sorted_lists(forest: &RandomForest, y: &Target<'_>) -> Option<&'static str> {
    match y {
        _ if forest.monotonic_cst.is_some() => Some("monotonic constraints"),
        Target::Class { .. } if forest.criterion == "misclassification" => Some("criterion = misclassification"),
        Target::Class { names, .. } if names.len() > MANY_CLASSES => Some("more than 256 classes"),
        Target::Class { .. } => None,
        y if y.n_targets() > 1 => Some("several targets"),
        _ if forest.criterion == "absolute_error" => Some("criterion = absolute_error"),
        _ => None,
    }
}

/// Errors of the inner tree, as errors of the forest.
pub(super) fn named(e: Error) -> Error {
    match e {
        Error::Parameter { name, value, expected, .. } => Error::parameter(RandomForest::SPEC.name, name, value, expected),
        other => other,
    }
}

impl<'a> ForestJob<'a> {
    /// A job on rows that take part, out of `all` with weights; their columns are still to be binned.
    pub fn new(
        forest: &'a RandomForest,
        data: &'a DatasetRef<'a>,
        columns: &TreeColumns<'_>,
        all: usize,
        (target, own, rows): ForestRows,
        cx: &'a Context<'a>,
    ) -> Result<Self> {
        let tree = forest.tree(matches!(target, ForestTarget::Classes(..)), columns.len());
        let settings = forest.stops(data, columns, all)?;
        let (target, own, rows) = match (target, data.y) {
            (ForestTarget::Classes(codes, count), Target::Class { names, .. }) => {
                let (codes, own, rows) = tree.weigh_classes(codes, own, names, rows)?;
                (ForestTarget::Classes(codes, count), own, rows)
            }
            (target, _) => (target, own, rows),
        };
        check_rows(rows.len())?;
        if let ("poisson", ForestTarget::Numbers(y)) = (forest.criterion.as_str(), &target) {
            check_poisson(y, data.y.n_targets(), &rows)?;
        }
        let bootstrap = Bootstrap::new(cx.seed, rows.len(), bootstrap_size(forest, rows.len()), own.as_deref());
        let categories = columns.categories.iter().map(|names| names.as_ref().map(|n| n.len())).collect();
        if let (Some(why), "histogram") = (uses_sorted_lists(forest, &data.y), forest.splitter.as_str()) {
            return Err(Error::parameter(
                RandomForest::SPEC.name,
                "splitter",
                "histogram",
                format!("it must be auto or exact with {why}"),
            ));
        }
        Ok(Self { forest, tree, data, rows, target, own, settings, categories, binned: None, bootstrap, cx })
    }

    /// A job on rows that are all there.
    pub fn in_memory(
        forest: &'a RandomForest,
        data: &'a DatasetRef<'a>,
        columns: &TreeColumns<'_>,
        cx: &'a Context<'a>,
    ) -> Result<Self> {
        forest_rows(forest, data).and_then(|rows| Self::new(forest, data, columns, rows.2.len(), rows, cx)).map_err(named)
    }

    /// Whether trees are grown on columns as small numbers, and not on sorted lists.
    pub fn uses_bins(&self) -> bool {
        uses_sorted_lists(self.forest, &self.data.y).is_none()
    }

    /// The columns of rows that are all there as small numbers. They depend on the splitter, the number of bins and the weights of the classes alone.
    pub fn bin(&self, columns: &TreeColumns<'_>) -> Result<Arc<BinnedData>> {
        Ok(Arc::new(if self.histogram() {
            let mut filling = BinBuilder::new(&ForestSummary::of_rows(self.data, self.cx)?, self.forest.max_bins as usize);
            filling.append(&ColumnCells::new(self.data.x), self.data.rows(), &self.rows);
            filling.finish()
        } else {
            BinnedData::ranked(columns, &self.rows, self.cx)?
        }))
    }

    /// Adds the out-of-bag estimates, where requested.
    pub fn out_of_bag(&self, model: &mut ForestModel, columns: &TreeColumns<'_>) -> Result<()> {
        let bags = OobInput { data: self.data, rows: &self.rows, seed: self.cx.seed, bootstrap: &self.bootstrap };
        let (forest, cx) = (self.forest, self.cx);
        model.out_of_bag = if forest.oob_score { Some(bags.estimate(&model.trees, cx)?) } else { None };
        model.permutation_importances =
            if forest.permutation_importances { Some(bags.permutation_importances(&model.trees, columns, cx)?) } else { None };
        Ok(())
    }

    /// Grows the trees that are wanted and not there yet; `evidence` adds what rows in memory can tell.
    pub fn run(&self, mut model: ForestModel, evidence: impl FnOnce(&mut ForestModel) -> Result<()>) -> Result<ForestModel> {
        let wanted = self.trees();
        let mut checkpoints = self.cx.checkpoints();
        let wave = if self.cx.checkpoint.is_some() { rayon::current_num_threads() } else { trees_in_parallel() };
        let mut late = false;
        while model.trees.n_trees() < wanted && !late {
            let first = model.trees.n_trees();
            let next = first..wanted.min(first + wave);
            let grown: Vec<Result<FinishedTree>> = next.into_par_iter().with_max_len(1).map(|t| self.grow(t)).collect();
            for tree in grown {
                match tree {
                    Ok(tree) => tree.append_to(&mut model.trees, &mut model.importance_sums),
                    // The trees so far are a forest, if a smaller one.
                    Err(Error::Deadline(_)) if model.trees.n_trees() > 0 => {
                        late = true;
                        break;
                    }
                    Err(e) => return Err(named(e)),
                }
            }
            model.certificate.iterations = model.trees.n_trees() as u64;
            if model.trees.n_trees() < wanted {
                checkpoints
                    .save_if_due(|| Ok(ForestModel { certificate: self.certificate(&model.trees, true), ..model.clone() }))?;
            }
        }
        evidence(&mut model)?;
        model.certificate = self.certificate(&model.trees, late);
        Ok(model)
    }

    /// Trees that are wanted.
    pub fn trees(&self) -> usize {
        usize::try_from(self.forest.n_estimators).unwrap_or(usize::MAX)
    }

    fn histogram(&self) -> bool {
        match self.forest.splitter.as_str() {
            "histogram" => true,
            "auto" => self.rows.len() >= MANY_ROWS,
            _ => false,
        }
    }

    /// Numbers that a leaf holds.
    pub fn width(&self) -> usize {
        match &self.target {
            ForestTarget::Classes(_, count) => *count,
            ForestTarget::Numbers(_) => self.data.y.n_targets(),
        }
    }

    pub fn begin(&self, columns: &TreeColumns<'_>) -> ForestModel {
        let (task, classes) = task_of(&self.data.y);
        ForestModel {
            task,
            classes,
            trees: Trees::new(columns.categories.clone(), self.width()).refusing_infinite(),
            importance_sums: vec![0.0; columns.len()],
            out_of_bag: None,
            permutation_importances: None,
            certificate: Certificate::default(),
        }
    }

    /// The forest to add trees to, if it fits the rows.
    fn resume(&self, start: &ForestModel, columns: &TreeColumns<'_>) -> Result<ForestModel> {
        let (task, classes) = task_of(&self.data.y);
        let have = start.trees.n_trees() as u64;
        if start.task != task || start.classes != classes || start.trees.width() != self.width() {
            return Err(Error::Target("the forest to continue was grown for another target".into()));
        }
        if start.trees.categories() != &columns.categories[..] {
            return Err(Error::Data("the forest to continue was grown on other columns or categories".into()));
        }
        if have > self.forest.n_estimators {
            return Err(Error::parameter(
                RandomForest::SPEC.name,
                "n_estimators",
                self.forest.n_estimators,
                format!("it must be at least {have}, the trees that are there already"),
            ));
        }
        Ok(start.clone())
    }

    pub fn certificate(&self, trees: &Trees, late: bool) -> Certificate {
        let rows = self.rows.len();
        let (method, note) = match &self.binned {
            None => {
                let why = uses_sorted_lists(self.forest, &self.data.y).unwrap_or_default();
                ("exact", format!("Exact splits by sorted lists of all columns, because of {why}."))
            }
            Some(binned) if self.histogram() => return histogram_certificate(self.forest, rows, &binned.columns, trees, late),
            Some(_) => ("exact", format!("Exact splits of {rows} rows: all values kept apart.")),
        };
        certificate(self.forest, method, note, trees, late)
    }

    /// Grows tree number `t`.
    fn grow(&self, t: usize) -> Result<FinishedTree> {
        self.finish(self.nodes(t, &self.settings)?)
    }

    /// The nodes of tree number `t`, with these stops.
    pub fn nodes(&self, t: usize, settings: &GrowOptions) -> Result<Vec<GrownNode>> {
        let (done, total) = (t as u64, Some(self.forest.n_estimators));
        self.cx.check(Progress { stage: "growing", done, total, objective: None })?;
        let counts = self.forest.bootstrap.then(|| self.bootstrap.counts(t as u64));
        match &self.binned {
            Some(binned) => self.grow_binned(t, binned, counts.as_deref(), settings),
            None => self.grow_lists(t, counts.as_deref(), settings),
        }
    }

    /// A tree of these nodes.
    pub fn finish(&self, nodes: Vec<GrownNode>) -> Result<FinishedTree> {
        FinishedTree::new(self.forest, nodes, self.categories.len(), self.cx)
    }
}

/// Trees that are grown at a time, so that only some wait in a form that takes more room. At the end of each time threads wait for the last tree.
pub(super) fn trees_in_parallel() -> usize {
    (12 * rayon::current_num_threads()).max(64)
}

/// The certificate of a forest on bins.
pub(super) fn histogram_certificate(
    forest: &RandomForest,
    rows: usize,
    columns: &[BinnedColumn],
    trees: &Trees,
    late: bool,
) -> Certificate {
    let (coarse, all, bins) = (columns.iter().filter(|c| !c.exact).count(), columns.len(), forest.max_bins);
    let note = format!("Splits by histograms of {rows} rows: {coarse} of {all} columns cut into {bins} bins.");
    certificate(forest, "histogram", note, trees, late)
}

fn certificate(forest: &RandomForest, method: &str, note: String, trees: &Trees, late: bool) -> Certificate {
    let mut notes = vec![note];
    if late {
        notes.push(format!("{} of {} trees were grown in time.", trees.n_trees(), forest.n_estimators));
    }
    let iterations = trees.n_trees() as u64;
    Certificate { method: method.into(), iterations, converged: !late, notes, ..Certificate::default() }
}

/// Draws for each tree out of so many rows.
pub(super) fn bootstrap_size(forest: &RandomForest, rows: usize) -> usize {
    let draws = match forest.max_samples {
        None => rows,
        Some(CountOrFraction::Share(s)) => ((s * rows as f64).round() as usize).max(1),
        Some(CountOrFraction::Rows(n)) => usize::try_from(n).unwrap_or(usize::MAX),
    };
    draws.min(u32::MAX as usize)
}

/// Refuses more rows than have numbers.
pub(super) fn check_rows(rows: usize) -> Result<()> {
    if rows >= <u32 as SortedEntry>::MAX_ROWS {
        let most = <u32 as SortedEntry>::MAX_ROWS - 1;
        return Err(Error::Data(format!("{rows} rows are more than the {most} a forest can take")));
    }
    Ok(())
}

/// Factors that balance classes with these totals.
pub(super) fn balanced_factors(totals: &[f64]) -> Vec<f64> {
    let present = totals.iter().filter(|t| **t > 0.0).count() as f64;
    let all: f64 = totals.iter().sum();
    totals.iter().map(|t| if *t > 0.0 { all / (present * t) } else { 1.0 }).collect()
}

/// Whether classes are to be balanced within each bag.
pub(super) fn balances_bags(forest: &RandomForest) -> bool {
    forest.class_weight == Some(ClassWeight::Word(SUBSAMPLE.into()))
}

/// How classes are judged.
pub(super) fn shares(forest: &RandomForest) -> ImpurityKind {
    if matches!(forest.criterion.as_str(), "entropy" | "log_loss") { ImpurityKind::Entropy } else { ImpurityKind::Gini }
}

/// How numbers are judged.
pub(super) fn mean_loss(forest: &RandomForest) -> MeanLoss {
    if forest.criterion == "poisson" { MeanLoss::Poisson } else { MeanLoss::Squared }
}

/// The seed of a tree. That of the first tree is the forest's own: on the rows of its bag and with its seed, a forest of one tree
/// without bags is the tree again.
pub(super) fn tree_seed(seed: u64, tree: usize) -> u64 {
    // In 31 bits, as random_state of Python has them.
    if tree == 0 { seed } else { RngStream::new(seed, "forest tree", tree as u64).next_u64() >> 33 }
}

/// How often each row of the data is in the bag of each tree; see [`RandomForest::bags`].
pub(super) fn bootstrap_counts(
    forest: &RandomForest,
    trees: usize,
    data: &DatasetRef<'_>,
    cx: &Context<'_>,
) -> Result<Vec<Vec<u32>>> {
    forest.check()?;
    data.check(&RandomForest::SPEC)?;
    let columns = TreeColumns::new(&data.x, data.schema);
    let job = ForestJob::in_memory(forest, data, &columns, cx)?;
    let of_tree = |t: usize| {
        let mut out = vec![0; data.rows()];
        let counts = forest.bootstrap.then(|| job.bootstrap.counts(t as u64));
        (0..job.rows.len()).for_each(|id| out[job.rows.row(id)] = counts.as_ref().map_or(1, |c| c[id]));
        out
    };
    Ok((0..trees).map(of_tree).collect())
}

/// Refuses targets that have no Poisson deviance. `y` has the `targets` of one row after the other.
fn check_poisson(y: &[f64], targets: usize, rows: &RowSubset) -> Result<()> {
    if let Some(at) = y.iter().position(|v| *v < 0.0) {
        return Err(negative_target(y[at], rows.row(at / targets)));
    }
    if (0..targets).any(|t| y.iter().skip(t).step_by(targets).sum::<f64>() <= 0.0) {
        return Err(no_positive_target());
    }
    Ok(())
}
