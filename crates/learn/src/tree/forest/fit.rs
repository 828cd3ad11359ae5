//! From rows to a forest: what is shared by all trees, the trees in parallel, and the evidence.

use std::marker::PhantomData;

use ermine_core::{Certificate, Context, Dataset, Error, Learner, Progress, Result, Stream, Target, Task};
use rayon::prelude::*;

use super::super::ensemble::{Node, Trees, nodes_of};
use super::super::grow::{Grown, Settings};
use super::super::sorted::{Columns, Rows, Slot};
use super::super::{ClassWeight, RowShare, Tree, class_targets, prune};
use super::bag::{Bag, Lottery};
use super::bins::Binned;
use super::fill::{Filling, Spread};
use super::grow::{Plan, grow};
use super::kind::{Many, MeanLoss, Shares, Steps, TWO_LIMIT, Two};
use super::model::ForestModel;
use super::oob::Bags;
use super::{Forest, SUBSAMPLE};
use crate::boosting::data::Reader;

/// Rows from which "auto" cuts columns into bins.
pub(super) const MANY_ROWS: usize = 10_000;
/// Classes up to which the trees are grown here.
const MANY_CLASSES: usize = 256;

/// What all trees share.
pub(super) struct Job<'a> {
    forest: &'a Forest,
    tree: Tree,
    /// The rows as they are; of a stream only the first.
    data: &'a Dataset<'a>,
    rows: Rows,
    target: Y,
    /// Weight of each row that takes part, unless all are 1.
    own: Option<Vec<f64>>,
    settings: Settings,
    /// Category counts of the columns.
    categories: Vec<Option<usize>>,
    /// The columns as small numbers, unless trees are grown on sorted lists.
    pub binned: Option<Binned>,
    lottery: Lottery,
    cx: &'a Context<'a>,
}

/// The target of the rows that take part.
pub(super) enum Y {
    Classes(Vec<u32>, usize),
    Numbers(Vec<f64>),
}

/// A tree on its way into the forest.
struct Done {
    nodes: Vec<Node>,
    /// Shares of the columns in the decrease of impurity; empty for a tree without splits.
    importances: Vec<f64>,
}

pub(super) fn fit(forest: &Forest, start: Option<&ForestModel>, data: &Dataset<'_>, cx: &Context<'_>) -> Result<ForestModel> {
    forest.check()?;
    data.check(&Forest::SPEC)?;
    let columns = Columns::new(&data.x, data.schema);
    let mut job = held(forest, data).and_then(|held| Job::new(forest, data, &columns, held, cx)).map_err(named)?;
    if needs_lists(forest, &data.y).is_none() {
        job.binned = Some(if job.histogram() {
            let mut filling = Filling::new(&Spread::of_rows(data, cx)?, forest.max_bins as usize);
            filling.append(&Reader::new(data.x), data.rows(), &job.rows);
            filling.finish()
        } else {
            Binned::ranked(&columns, &job.rows, cx)?
        });
    }
    let model = match start {
        Some(start) => job.go_on(start, &columns)?,
        None => job.begin(&columns),
    };
    job.run(model, |model| {
        let bags = Bags { data, rows: &job.rows, seed: cx.seed, lottery: &job.lottery };
        model.out_of_bag = if forest.oob_score { Some(bags.estimate(&model.trees, cx)?) } else { None };
        model.permutation_importances =
            if forest.permutation_importances { Some(bags.permutation_importances(&model.trees, &columns, cx)?) } else { None };
        Ok(())
    })
}

/// The target and the weights of the rows that take part, and which these are.
type HeldRows = (Y, Option<Vec<f64>>, Rows);

fn held(forest: &Forest, data: &Dataset<'_>) -> Result<HeldRows> {
    let rows = match data.weight {
        Some(w) if w.contains(&0.0) => Rows::Some((0..w.len() as u32).filter(|&i| w[i as usize] > 0.0).collect()),
        _ => Rows::All(data.rows()),
    };
    let own: Option<Vec<f64>> = data.weight.map(|w| (0..rows.len()).map(|id| w[rows.row(id)]).collect());
    let target = match data.y {
        Target::Class { codes, names } => Y::Classes((0..rows.len()).map(|id| codes[rows.row(id)]).collect(), names.len()),
        _ => {
            let subsample = forest.class_weight == Some(ClassWeight::Word(SUBSAMPLE.into()));
            if forest.class_weight.is_some() && !(subsample && class_targets(data).is_some()) {
                return Err(Error::Parameter {
                    learner: Forest::SPEC.name,
                    name: "class_weight".into(),
                    value: "a weight".into(),
                    expected: "it must be null for a regression".into(),
                });
            }
            let y = data.y.reals()?;
            let of_row = |id: usize| (0..y.cols()).map(move |t| *y.at(id, t));
            Y::Numbers((0..rows.len()).flat_map(|id| of_row(rows.row(id))).collect())
        }
    };
    Ok((target, own, rows))
}

/// What asks for sorted lists of all columns.
pub(super) fn needs_lists(forest: &Forest, y: &Target<'_>) -> Option<&'static str> {
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

/// Errors of the tree inside speak of the forest.
pub(super) fn named(e: Error) -> Error {
    match e {
        Error::Parameter { name, value, expected, .. } => Error::Parameter { learner: Forest::SPEC.name, name, value, expected },
        other => other,
    }
}

impl<'a> Job<'a> {
    /// A job on rows that take part; their columns are still to be binned.
    pub fn new(
        forest: &'a Forest,
        data: &'a Dataset<'a>,
        columns: &Columns<'_>,
        (target, own, rows): HeldRows,
        cx: &'a Context<'a>,
    ) -> Result<Self> {
        let tree = forest.tree(matches!(target, Y::Classes(..)), columns.len());
        let mut settings = tree.settings(data, columns, rows.len())?;
        settings.min_leaf = settings.min_leaf.max(1);
        let (target, own, rows) = match (target, data.y) {
            (Y::Classes(codes, count), Target::Class { names, .. }) => {
                let (codes, own, rows) = tree.weigh_classes(codes, own, names, rows)?;
                (Y::Classes(codes, count), own, rows)
            }
            (target, _) => (target, own, rows),
        };
        if rows.len() >= <u32 as Slot>::MAX_ROWS {
            let most = <u32 as Slot>::MAX_ROWS - 1;
            return Err(Error::Data(format!("{} rows are more than the {most} a forest can take", rows.len())));
        }
        if let ("poisson", Y::Numbers(y)) = (forest.criterion.as_str(), &target) {
            check_poisson(y, data.y.n_targets(), &rows)?;
        }
        let draws = match forest.max_samples {
            None => rows.len(),
            Some(RowShare::Share(s)) => ((s * rows.len() as f64).round() as usize).max(1),
            Some(RowShare::Rows(n)) => usize::try_from(n).unwrap_or(usize::MAX),
        };
        let lottery = Lottery::new(cx.seed, rows.len(), draws.min(u32::MAX as usize), own.as_deref());
        let categories = columns.categories.iter().map(|names| names.as_ref().map(|n| n.len())).collect();
        if let (Some(why), "histogram") = (needs_lists(forest, &data.y), forest.splitter.as_str()) {
            return Err(Error::Parameter {
                learner: Forest::SPEC.name,
                name: "splitter".into(),
                value: "histogram".into(),
                expected: format!("it must be auto or exact with {why}"),
            });
        }
        Ok(Self { forest, tree, data, rows, target, own, settings, categories, binned: None, lottery, cx })
    }

    /// Grows the trees that are wanted and not there yet; `evidence` adds what rows in memory can tell.
    pub fn run(&self, mut model: ForestModel, evidence: impl FnOnce(&mut ForestModel) -> Result<()>) -> Result<ForestModel> {
        let wanted = usize::try_from(self.forest.n_estimators).unwrap_or(usize::MAX);
        let mut checkpoints = self.cx.checkpoints();
        // Some trees at a time, so that only few wait in a form that takes more room.
        let threads = rayon::current_num_threads();
        let wave = if self.cx.checkpoint.is_some() { threads } else { 12 * threads };
        let mut late = false;
        while model.trees.n_trees() < wanted && !late {
            let first = model.trees.n_trees();
            let next = first..wanted.min(first + wave);
            let grown: Vec<Result<Done>> = next.into_par_iter().map(|t| self.grow(t)).collect();
            for tree in grown {
                match tree {
                    Ok(tree) => {
                        model.trees.push(&tree.nodes);
                        model.importance_sums.iter_mut().zip(&tree.importances).for_each(|(s, v)| *s += v);
                    }
                    // What there is is a forest, if a smaller one.
                    Err(Error::Deadline(_)) if model.trees.n_trees() > 0 => {
                        late = true;
                        break;
                    }
                    Err(e) => return Err(named(e)),
                }
            }
            model.certificate.iterations = model.trees.n_trees() as u64;
            if model.trees.n_trees() < wanted {
                checkpoints.offer(|| Ok(ForestModel { certificate: self.certificate(&model.trees, true), ..model.clone() }))?;
            }
        }
        evidence(&mut model)?;
        model.certificate = self.certificate(&model.trees, late);
        Ok(model)
    }

    fn histogram(&self) -> bool {
        match self.forest.splitter.as_str() {
            "histogram" => true,
            "auto" => self.rows.len() >= MANY_ROWS,
            _ => false,
        }
    }

    fn task(&self) -> (Task, Vec<String>) {
        match self.data.y {
            Target::Class { names, .. } => (Task::Classification, names.to_vec()),
            _ => (Task::Regression, Vec::new()),
        }
    }

    fn width(&self) -> usize {
        match &self.target {
            Y::Classes(_, count) => *count,
            Y::Numbers(_) => self.data.y.n_targets(),
        }
    }

    pub fn begin(&self, columns: &Columns<'_>) -> ForestModel {
        let (task, classes) = self.task();
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
    fn go_on(&self, start: &ForestModel, columns: &Columns<'_>) -> Result<ForestModel> {
        let (task, classes) = self.task();
        let have = start.trees.n_trees() as u64;
        if start.task != task || start.classes != classes || start.trees.width() != self.width() {
            return Err(Error::Target("the forest to go on from was grown for another target".into()));
        }
        if start.trees.categories() != &columns.categories[..] {
            return Err(Error::Data("the forest to go on from was grown on other columns or categories".into()));
        }
        if have > self.forest.n_estimators {
            return Err(Error::Parameter {
                learner: Forest::SPEC.name,
                name: "n_estimators".into(),
                value: self.forest.n_estimators.to_string(),
                expected: format!("it must be at least {have}, the trees that are there already"),
            });
        }
        Ok(start.clone())
    }

    fn certificate(&self, trees: &Trees, late: bool) -> Certificate {
        let rows = self.rows.len();
        let (method, note) = match &self.binned {
            None => {
                let why = needs_lists(self.forest, &self.data.y).unwrap_or_default();
                ("exact", format!("Exact splits by sorted lists of all columns, because of {why}."))
            }
            Some(binned) if self.histogram() => {
                let (coarse, all) = (binned.coarse(), binned.columns.len());
                let bins = self.forest.max_bins;
                ("histogram", format!("Splits by histograms of {rows} rows: {coarse} of {all} columns cut into {bins} bins."))
            }
            Some(_) => ("exact", format!("Exact splits of {rows} rows: all values kept apart.")),
        };
        let mut notes = vec![note];
        if late {
            notes.push(format!("{} of {} trees were grown in time.", trees.n_trees(), self.forest.n_estimators));
        }
        Certificate {
            method: method.into(),
            iterations: trees.n_trees() as u64,
            converged: !late,
            notes,
            ..Certificate::default()
        }
    }

    /// Grows tree number `t`.
    fn grow(&self, t: usize) -> Result<Done> {
        let (done, total) = (t as u64, Some(self.forest.n_estimators));
        self.cx.check(Progress { stage: "growing", done, total, objective: None })?;
        let counts = self.forest.bootstrap.then(|| self.lottery.counts(t as u64));
        let mut grown = match &self.binned {
            Some(binned) => self.grow_binned(t, binned, counts.as_deref())?,
            None => self.grow_lists(t, counts.as_deref())?,
        };
        if self.forest.ccp_alpha > 0.0 {
            grown = prune::prune(grown, self.forest.ccp_alpha, self.cx)?;
        }
        let nodes = nodes_of(&grown);
        let mut importances = vec![0.0; self.categories.len()];
        nodes.iter().filter(|n| n.right != 0).for_each(|n| importances[n.feature as usize] += n.gain);
        let sum: f64 = importances.iter().sum();
        if sum > 0.0 && sum.is_finite() {
            importances.iter_mut().for_each(|v| *v /= sum);
        } else {
            importances.fill(0.0);
        }
        Ok(Done { nodes, importances })
    }

    /// Factors that balance the classes of a bag.
    fn balance(&self, counts: Option<&[u32]>) -> Option<Vec<f64>> {
        let Y::Classes(codes, classes) = &self.target else { return None };
        if self.forest.class_weight != Some(ClassWeight::Word(SUBSAMPLE.into())) {
            return None;
        }
        let mut totals = vec![0.0; *classes];
        codes.iter().enumerate().for_each(|(i, &c)| totals[c as usize] += counts.map_or(1.0, |n| f64::from(n[i])));
        let present = totals.iter().filter(|t| **t > 0.0).count() as f64;
        let all: f64 = totals.iter().sum();
        Some(totals.iter().map(|t| if *t > 0.0 { all / (present * t) } else { 1.0 }).collect())
    }

    /// Factors of the rows that balance the classes of a bag for each of several class targets, up to a common factor.
    fn balance_indicators(&self, counts: Option<&[u32]>) -> Option<Vec<f64>> {
        let Y::Numbers(y) = &self.target else { return None };
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
            (Some(factors), Y::Classes(codes, _)) => work(Some(&|i| own(i) * factors[codes[i] as usize])),
            _ if weights.is_some() => work(Some(&own)),
            _ => work(None),
        }
    }

    fn grow_binned(&self, t: usize, binned: &Binned, counts: Option<&[u32]>) -> Result<Vec<Grown>> {
        let bag = self.with_weight(counts, |own| Bag::new(counts, own, self.rows.len()));
        let total = bag.total();
        let small = bag.weights.whole() && total <= i64::from(u32::MAX);
        match &self.target {
            Y::Classes(codes, classes) => {
                let entropy = matches!(self.forest.criterion.as_str(), "entropy" | "log_loss");
                let shares = if entropy { Shares::Entropy } else { Shares::Gini };
                if *classes == 2 && small && total < TWO_LIMIT {
                    return self.plan(t, binned, &Two { shares }, bag.two(codes));
                }
                if small {
                    self.grow_classes::<u32>(t, binned, &bag, codes, *classes, shares)
                } else {
                    self.grow_classes::<i64>(t, binned, &bag, codes, *classes, shares)
                }
            }
            Y::Numbers(y) => {
                let loss = if self.forest.criterion == "poisson" { MeanLoss::Poisson } else { MeanLoss::Squared };
                if small {
                    let (mean, entries) = bag.mean::<u32>(y, loss);
                    self.plan(t, binned, &mean, entries)
                } else {
                    let (mean, entries) = bag.mean::<i64>(y, loss);
                    self.plan(t, binned, &mean, entries)
                }
            }
        }
    }

    fn grow_classes<W: Steps>(
        &self,
        t: usize,
        binned: &Binned,
        bag: &Bag,
        codes: &[u32],
        classes: usize,
        shares: Shares,
    ) -> Result<Vec<Grown>> {
        let entries = bag.classes::<W>(codes);
        let unit = bag.weights.unit();
        macro_rules! up_to {
            ($($k:literal),*) => {
                match classes {
                    $(0..=$k => self.plan(t, binned, &Many::<W, $k> { shares, classes, unit, steps: PhantomData }, entries),)*
                    _ => Err(Error::Data(format!("{classes} classes are more than {MANY_CLASSES}"))),
                }
            };
        }
        up_to!(4, 16, 64, 256)
    }

    fn plan<K: super::kind::Kind>(
        &self,
        t: usize,
        binned: &Binned,
        kind: &K,
        entries: Vec<super::kind::Entry<K::Load>>,
    ) -> Result<Vec<Grown>> {
        let plan = Plan {
            kind,
            binned,
            categories: &self.categories,
            settings: &self.settings,
            tree: t as u64,
            seed: tree_seed(self.cx.seed, t),
            cx: self.cx,
        };
        grow(&plan, entries)
    }

    /// Grows a tree like [`Tree`] does, on the rows of its bag.
    fn grow_lists(&self, t: usize, counts: Option<&[u32]>) -> Result<Vec<Grown>> {
        let mut weight = vec![0.0; self.data.rows()];
        self.with_weight(counts, |own| {
            for id in 0..self.rows.len() {
                let count = counts.map_or(1, |c| c[id]);
                weight[self.rows.row(id)] = f64::from(count) * own.map_or(1.0, |own| own(id));
            }
        });
        let cx = Context { seed: tree_seed(self.cx.seed, t), ..self.cx.inner() };
        // Shares of rows are of all rows, not of those in the bag.
        let tree = Tree {
            class_weight: None,
            min_samples_leaf: RowShare::Rows(self.settings.min_leaf as u64),
            min_samples_split: RowShare::Rows(self.settings.min_split as u64),
            ..self.tree.clone()
        };
        let data = self.data.with_weight(Some(&weight));
        match tree.grow(&data, &cx)? {
            (_, false) => Err(Error::Deadline("growing".into())),
            (grown, true) => Ok(grown),
        }
    }
}

/// The seed of a tree. That of the first tree is the forest's own: on the rows of its bag and with its seed, a forest of one tree
/// without bags is the tree again.
pub(super) fn tree_seed(seed: u64, tree: usize) -> u64 {
    // In 31 bits, as random_state of Python has them.
    if tree == 0 { seed } else { Stream::new(seed, "forest tree", tree as u64).next_u64() >> 33 }
}

/// How often each row of the data is in the bag of each tree; see [`Forest::bags`].
pub(super) fn bags(forest: &Forest, trees: usize, data: &Dataset<'_>, cx: &Context<'_>) -> Result<Vec<Vec<u32>>> {
    forest.check()?;
    data.check(&Forest::SPEC)?;
    let columns = Columns::new(&data.x, data.schema);
    let job = held(forest, data).and_then(|held| Job::new(forest, data, &columns, held, cx)).map_err(named)?;
    let of_tree = |t: usize| {
        let mut out = vec![0; data.rows()];
        let counts = forest.bootstrap.then(|| job.lottery.counts(t as u64));
        (0..job.rows.len()).for_each(|id| out[job.rows.row(id)] = counts.as_ref().map_or(1, |c| c[id]));
        out
    };
    Ok((0..trees).map(of_tree).collect())
}

/// Refuses targets that have no Poisson deviance. `y` has the `targets` of one row after the other.
fn check_poisson(y: &[f64], targets: usize, rows: &Rows) -> Result<()> {
    if let Some(at) = y.iter().position(|v| *v < 0.0) {
        let message = format!("{}; Some value(s) of y are negative, which is not allowed for Poisson regression", y[at]);
        return Err(Error::Row { place: "target".into(), row: rows.row(at / targets), message });
    }
    if (0..targets).any(|t| y.iter().skip(t).step_by(targets).sum::<f64>() <= 0.0) {
        return Err(Error::Target("Sum of y is not positive, which is necessary for Poisson regression".into()));
    }
    Ok(())
}
