//! One tree of a forest, on the rows of its bag.

use ermine_core::{Context, Error, Result};

use super::super::grow::{GrowOptions, GrownNode};
use super::super::open_node::OpenNode;
use super::super::{CountOrFraction, Tree};
use super::bins::BinnedData;
use super::bootstrap::BootstrapSample;
use super::fit::{ForestJob, ForestTarget, balanced_factors, balances_bags, mean_loss, shares, tree_seed};
use super::grow::{ForestGrowContext, grow, sum_of};
use super::kind::{BinnedCriterion, BinnedCriterionKind, CriterionVisitor, MeanGrid, NodeRow};

impl ForestJob<'_> {
    /// Factors that balance the classes of a bag.
    fn balance(&self, counts: Option<&[u32]>) -> Option<Vec<f64>> {
        let ForestTarget::Classes(codes, classes) = &self.target else { return None };
        if !balances_bags(self.forest) {
            return None;
        }
        let mut totals = vec![0.0; *classes];
        codes.iter().enumerate().for_each(|(i, &c)| totals[c as usize] += counts.map_or(1.0, |n| f64::from(n[i])));
        Some(balanced_factors(&totals))
    }

    /// Factors of the rows that balance the classes of a bag for each of several class targets, up to a common factor.
    fn balance_indicators(&self, counts: Option<&[u32]>) -> Option<Vec<f64>> {
        let ForestTarget::Numbers(y) = &self.target else { return None };
        self.forest.class_weight.as_ref()?;
        let count = |i: usize| counts.map_or(1.0, |n| f64::from(n[i]));
        let mut totals = vec![0.0; self.width()];
        for (i, row) in y.chunks_exact(self.width()).enumerate() {
            totals.iter_mut().zip(row).for_each(|(t, v)| *t += count(i) * v);
        }
        let all: f64 = (0..self.rows.len()).map(count).sum();
        let factor = |row: &[f64]| {
            let of = |(&v, &t): (&f64, &f64)| if v > 0.0 && t > 0.0 { all / t } else { 1.0 };
            row.iter().zip(&totals).map(of).product()
        };
        Some(y.chunks_exact(self.width()).map(factor).collect())
    }

    /// The weight of each row in a tree, unless it is 1. Rows that are drawn in proportion to their weights count alike.
    fn with_weight<R>(&self, counts: Option<&[u32]>, work: impl FnOnce(Option<&dyn Fn(usize) -> f64>) -> R) -> R {
        let weights = self.own.as_ref().filter(|_| counts.is_none());
        let own = |i: usize| weights.map_or(1.0, |w| w[i]);
        if let Some(factors) = self.balance_indicators(counts) {
            return work(Some(&|i| own(i) * factors[i]));
        }
        match (self.balance(counts), &self.target) {
            (Some(factors), ForestTarget::Classes(codes, _)) => work(Some(&|i| own(i) * factors[codes[i] as usize])),
            _ if weights.is_some() => work(Some(&own)),
            _ => work(None),
        }
    }

    /// Grows a tree on columns as small numbers.
    pub fn grow_binned(
        &self,
        t: usize,
        binned: &BinnedData,
        counts: Option<&[u32]>,
        settings: &GrowOptions,
    ) -> Result<Vec<GrownNode>> {
        let bag = self.with_weight(counts, |own| BootstrapSample::new(counts, own, self.rows.len()));
        let (total, whole, unit) = (bag.total(), bag.weights.whole(), bag.weights.unit());
        let plan = TreeJobContext { job: self, t, binned, bag: &bag, settings };
        match &self.target {
            ForestTarget::Classes(_, classes) => {
                let total = whole.then_some(total);
                BinnedCriterionKind::Classes { shares: shares(self.forest), classes: *classes, unit, total }.dispatch(&[], plan)
            }
            ForestTarget::Numbers(y) => {
                let grid = MeanGrid::new(&bag.extent(y), whole, unit, mean_loss(self.forest));
                BinnedCriterionKind::mean(grid, whole, total).dispatch(y, RegressionTreeJob { plan, y, grid })
            }
        }
    }

    /// Grows a tree like [`Tree`] does, on the rows of its bag.
    pub fn grow_lists(&self, t: usize, counts: Option<&[u32]>, settings: &GrowOptions) -> Result<Vec<GrownNode>> {
        let mut weight = vec![0.0; self.data.rows()];
        self.with_weight(counts, |own| {
            for id in 0..self.rows.len() {
                let count = counts.map_or(1, |c| c[id]);
                weight[self.rows.row(id)] = f64::from(count) * own.map_or(1.0, |own| own(id));
            }
        });
        let cx = Context { seed: tree_seed(self.cx.seed, t), ..self.cx.without_checkpoints() };
        // Shares of rows are of all rows, not of those in the bag.
        let tree = Tree {
            class_weight: None,
            min_samples_leaf: CountOrFraction::Rows(settings.min_leaf as u64),
            min_samples_split: CountOrFraction::Rows(settings.min_split as u64),
            ..self.tree.clone()
        };
        let data = self.data.with_weight(Some(&weight));
        match tree.grow(&data, &cx)? {
            (_, false) => Err(Error::Deadline("growing".into())),
            (grown, true) => Ok(grown),
        }
    }
}

/// A tree of classes that is to be grown on its bag.
struct TreeJobContext<'a> {
    job: &'a ForestJob<'a>,
    t: usize,
    binned: &'a BinnedData,
    bag: &'a BootstrapSample,
    settings: &'a GrowOptions,
}

impl TreeJobContext<'_> {
    fn grow<K: BinnedCriterion>(&self, kind: &K, load: impl Fn(usize, i64) -> K::Load) -> Result<Vec<GrownNode>> {
        let job = self.job;
        let entry = |(k, &row): (usize, &u32)| NodeRow { row, load: load(row as usize, self.bag.weights.get(k)) };
        let entries: Vec<NodeRow<K::Load>> = self.bag.rows.iter().enumerate().map(entry).collect();
        let plan = ForestGrowContext {
            kind,
            binned: self.binned,
            categories: &job.categories,
            settings: self.settings,
            tree: self.t as u64,
            seed: tree_seed(job.cx.seed, self.t),
            cx: job.cx,
        };
        let root = OpenNode::root(sum_of::<K>(&entries));
        let weight = kind.weight(&root.state);
        grow(&plan, entries, root, weight)
    }
}

impl CriterionVisitor for TreeJobContext<'_> {
    type Output = Result<Vec<GrownNode>>;

    fn run<K: BinnedCriterion>(self, kind: &K) -> Self::Output {
        let ForestTarget::Classes(codes, _) = &self.job.target else { return Err(Error::Target("it has no classes".into())) };
        self.grow(kind, |row, weight| kind.load(codes[row], weight, 0))
    }
}

/// A tree of numbers that is to be grown on its bag.
struct RegressionTreeJob<'a> {
    plan: TreeJobContext<'a>,
    y: &'a [f64],
    grid: MeanGrid,
}

impl CriterionVisitor for RegressionTreeJob<'_> {
    type Output = Result<Vec<GrownNode>>;

    fn run<K: BinnedCriterion>(self, kind: &K) -> Self::Output {
        self.plan.grow(kind, |row, weight| kind.load(0, weight, self.grid.sum(self.y[row], weight)))
    }
}
