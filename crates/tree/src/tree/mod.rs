//! Decision trees.

mod c45;
#[cfg(feature = "fit")]
mod criterion;
pub mod ensemble;
mod export;
pub mod forest;
pub mod gradient_boosting;
#[cfg(feature = "fit")]
mod grow;
pub(crate) mod importance;
mod model;
#[cfg(feature = "fit")]
pub(crate) mod open_node;
mod params;
#[cfg(feature = "fit")]
mod partition;
#[cfg(feature = "fit")]
mod prune;
mod prune_cv;
#[cfg(feature = "fit")]
mod sorted;
#[cfg(feature = "fit")]
mod split;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU64};

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Learner, ModelReader, ParamSpec, Range, Result, Spec, Target, Task,
};
use ermine_math::double_double::Dd;
use serde::{Deserialize, Serialize};

#[cfg(feature = "fit")]
use crate::columns::task_of;
#[cfg(feature = "fit")]
use criterion::{
    Binary, ClassImpurity, Classes, Gini, LogLoss, Means, Medians, OtherImpurity, QuantizedWeights, SplitCriterion, Squared,
    negative_target, no_positive_target,
};
#[cfg(feature = "fit")]
use grow::{GrowContext, GrowOptions, GrownNode};
use params::{
    MAX_DEPTH, MIN_IMPURITY_DECREASE, MIN_SAMPLES_LEAF, MIN_SAMPLES_SPLIT, MIN_WEIGHT_FRACTION_LEAF, MONOTONIC_CST, check_stops,
};
#[cfg(feature = "fit")]
use sorted::{RowSubset, TreeColumns};

pub use c45::{C45, C45Model, C45Rule};
pub(crate) use ensemble::cells::{CodeMaps, refuse_infinite};
pub use export::{LeafRule, TextStyle};
pub use model::{LEAF, NodeArrays, TreeModel, UNDEFINED};
pub(crate) use params::SHARE;
pub use params::{CcpAlpha, ClassWeight, CountOrFraction, MaxFeatures};
#[cfg(feature = "fit")]
pub use prune::PruningPath;
pub use prune_cv::PruningCv;
#[cfg(feature = "fit")]
pub(crate) use split::between;

/// The number of class targets, if the columns of the target are their indicators: every cell is 0 or 1, and every row has as many ones.
fn class_targets(data: &DatasetRef<'_>) -> Option<usize> {
    let y = data.y.reals().ok()?;
    let ones = |i: usize| {
        (0..y.cols()).try_fold(0, |sum, t| match *y.at(i, t) {
            0.0 => Some(sum),
            1.0 => Some(sum + 1),
            _ => None,
        })
    };
    let first = if y.rows() > 0 { ones(0) } else { None };
    first.filter(|&n| n > 0 && (1..y.rows()).all(|i| ones(i) == Some(n)))
}

/// A binary tree of tests on single columns (CART), for classes and for numbers.
///
/// # What it minimizes
/// From the root down, each node takes the test that lowers the impurity of its rows most: Gini, entropy or share of wrong
/// rows of the classes, squared or absolute error or Poisson deviance of the numbers. All thresholds of all columns are
/// tried. With `ccp_alpha` the tree is then cut back to the subtree that minimizes impurity + alpha times the number of
/// leaves; "cv" lets cross-validation choose among the subtrees.
///
/// # When to use it
/// For a model that people can read, with interactions and steps that linear models miss, on columns of any scale, with
/// categories and missing values as they are. A single deep tree overfits; limit it (`max_depth`, `min_samples_leaf`,
/// `max_leaf_nodes`) or prune it (`ccp_alpha`).
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget};
/// use ermine_tree::tree::Tree;
///
/// let x = [1.0, 2.0, f64::NAN, 8.0, 9.0, 10.0];
/// let x = Features::F64(MatRef::row_major(&x, 6, 1));
/// let y = OwnedTarget::from_labels(&["low", "low", "low", "high", "high", "high"]);
/// let model = Tree::default().fit_with(&DatasetRef::new(x).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.n_leaves(), 2);
/// assert_eq!(model.classify(&x)?, [1, 1, 1, 0, 0, 0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Missing values and categories
/// Missing values (NaN in matrices) go to the side that lowers the impurity more; both are tried at every test. Where
/// training saw none at a node, they go with the greater weight at prediction. Category columns of tables are split by
/// sets of categories of any number: the best of all sets for two classes and for one target, the best of those that set
/// one class against the rest for more. A category that was not seen is treated like a missing value; categories are
/// known by name, not by code. Infinite values are refused.
///
/// # Several class targets
/// One tree for several class targets is grown on their indicators: one column per class, 1 where the row has the class, 0 where
/// not. With the criterion "gini" or "entropy" the impurity is the mean of those of the targets, and the leaves hold shares.
///
/// # Ties
/// Of equally good tests the first column wins, then the lowest threshold, then missing values to the right. Order of
/// rows, number of threads and scaling of a column by a power of two do not change a bit of the tree, since all sums
/// behind a split are exact sums of integers (weights that are not whole numbers, and targets, are rounded to a grid of
/// about 2^60 steps for the sum over a node first). The order of columns can change which of equally good tests is taken.
///
/// # Cost
/// Every column is sorted once, after that a level of the tree costs one pass over rows times columns; memory is four
/// bytes per cell. Sparse rows are treated cell by cell, as if they were dense.
///
/// # What it does not do
/// Multi-way splits, linear combinations of columns, surrogate splits, training in passes.
///
/// # Reference
/// Breiman, Friedman, Olshen, Stone: Classification and Regression Trees, 1984.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("DecisionTreeClassifier", "DecisionTreeRegressor"))]
pub struct Tree {
    /// The criterion of a split; "auto" is Gini or squared error, by the target.
    pub criterion: String,
    /// How thresholds are chosen: "best" or "random".
    pub splitter: String,
    /// Tests on the longest path.
    pub max_depth: Option<u64>,
    /// Rows a node needs to split.
    pub min_samples_split: CountOrFraction,
    /// Rows each child must keep.
    pub min_samples_leaf: CountOrFraction,
    /// Share of the total weight each child must keep.
    pub min_weight_fraction_leaf: f64,
    /// Columns looked at in each node.
    pub max_features: Option<MaxFeatures>,
    /// Leaves in all; the tree is then grown best first.
    pub max_leaf_nodes: Option<u64>,
    /// Decrease of the impurity of the whole tree a split must bring.
    pub min_impurity_decrease: f64,
    /// Weights of the classes.
    pub class_weight: Option<ClassWeight>,
    /// Price of a leaf in pruning, or "cv".
    pub ccp_alpha: CcpAlpha,
    /// Folds that choose the price.
    pub folds: u64,
    /// Whether the simplest tree within a standard error of the best is chosen.
    pub one_se: bool,
    /// For each column -1, 0 or 1.
    pub monotonic_cst: Option<Vec<i8>>,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            criterion: "auto".into(),
            splitter: "best".into(),
            max_depth: None,
            min_samples_split: CountOrFraction::Rows(2),
            min_samples_leaf: CountOrFraction::Rows(1),
            min_weight_fraction_leaf: 0.0,
            max_features: None,
            max_leaf_nodes: None,
            min_impurity_decrease: 0.0,
            class_weight: None,
            ccp_alpha: CcpAlpha::Alpha(0.0),
            folds: 10,
            one_se: false,
            monotonic_cst: None,
        }
    }
}

const CRITERIA: &[&str] =
    &["auto", "gini", "entropy", "log_loss", "misclassification", "squared_error", "friedman_mse", "absolute_error", "poisson"];

#[cfg(feature = "fit")]
impl Learner for Tree {
    type Model = TreeModel;

    const SEARCH_SPACE: &'static [&'static str] = &["max_depth=1..30:log", "min_samples_leaf=1..100:log"];

    const SPEC: Spec = Spec {
        name: "tree",
        summary: "Decision tree (CART): tests on single columns, exact splits, categories and missing values as they are",
        objective: "greedy: each node takes the test that lowers sum over children of weight * impurity most, with \
                    impurity 1 - sum p^2 (gini), - sum p log2 p (entropy), 1 - max p (misclassification), variance (squared_error), mean |y - median| \
                    (absolute_error) or half the Poisson deviance (poisson); then R(T) + ccp_alpha * leaves is minimized \
                    over subtrees T",
        notes: "A model people can read, for columns of any scale and kind. A single deep tree overfits: limit depth, \
                leaf size or leaves, or prune. Every column is sorted once, then each level costs one pass over the \
                cells; memory is four bytes per cell. Missing values take the side that is better in training. The same \
                bits for any order of rows and any number of threads. It has no multi-way or oblique splits.",
        reference: "Breiman, Friedman, Olshen, Stone: Classification and Regression Trees, 1984",
        family: Family::Tree,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: true, passes: false, multi_target: true },
        params: &[
            ParamSpec {
                name: "criterion",
                doc: "What makes a split good: gini, entropy or log_loss (the same) or misclassification for classes; squared_error, \
                      absolute_error, poisson or friedman_mse (the same splits as squared_error) for numbers. auto is \
                      gini or squared_error.",
                range: Range::Choice(CRITERIA),
            },
            ParamSpec {
                name: "splitter",
                doc: "best tries every threshold; random draws one threshold per column and takes the best column.",
                range: Range::Choice(&["best", "random"]),
            },
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            MIN_WEIGHT_FRACTION_LEAF,
            ParamSpec {
                name: "max_features",
                doc: "Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null \
                      for all. Columns that are constant in the node count among the drawn, but the draw goes on until \
                      there is one that is not.",
                range: Range::Optional(&Range::Either(
                    &Range::Choice(&["sqrt", "log2"]),
                    &Range::Either(&Range::Int { min: 1, max: i64::MAX }, &SHARE),
                )),
            },
            ParamSpec {
                name: "max_leaf_nodes",
                doc: "Greatest number of leaves: the node whose split gains most is split first; null for no limit.",
                range: Range::Optional(&Range::Int { min: 2, max: i64::MAX }),
            },
            MIN_IMPURITY_DECREASE,
            ParamSpec {
                name: "class_weight",
                doc: "Weights of the classes, by name; classes that are not listed have weight 1. balanced gives each class \
                      the same total weight.",
                range: Range::Any,
            },
            ParamSpec {
                name: "ccp_alpha",
                doc: "Price of a leaf in cost-complexity pruning; 0 does not prune. cv tries the trees of the whole pruning \
                      sequence in cross-validation and takes the best.",
                range: Range::Either(&Range::at_least(0.0), &Range::Choice(&["cv"])),
            },
            ParamSpec {
                name: "folds",
                doc: "Folds of the cross-validation that ccp_alpha=cv asks for; at most one fold per row.",
                range: Range::Int { min: 2, max: i64::MAX },
            },
            ParamSpec {
                name: "one_se",
                doc: "Whether ccp_alpha=cv takes the smallest tree whose error is within one standard error of the best, \
                      not the best itself.",
                range: Range::Bool,
            },
            MONOTONIC_CST,
        ],
    };

    fn check(&self) -> Result<()> {
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)?;
        check_stops(&Self::SPEC, &params, self.min_samples_split, self.min_samples_leaf, self.max_features.as_ref())?;
        match &self.class_weight {
            Some(weights) => weights.check(Self::SPEC.name),
            None => Ok(()),
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<TreeModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let (mut nodes, converged) = self.grow(data, cx)?;
        let mut choice = None;
        match &self.ccp_alpha {
            CcpAlpha::Alpha(alpha) if *alpha > 0.0 => nodes = prune::prune(nodes, *alpha, cx)?,
            CcpAlpha::Alpha(_) => {}
            CcpAlpha::Word(_) => {
                let chosen = prune_cv::choose(self, &nodes, data, cx)?;
                nodes = prune::prune(nodes, chosen.alpha(), cx)?;
                choice = Some(chosen);
            }
        }
        let share = |g: &GrownNode| g.weight / nodes[0].weight * g.impurity;
        let mut certificate = Certificate {
            method: "cart".into(),
            objective: Some(nodes.iter().filter(|g| g.test.is_none()).map(share).sum()),
            iterations: nodes.len() as u64,
            converged,
            ..Certificate::default()
        };
        if !converged {
            certificate.notes.push("the time limit passed: some leaves would have been split further".into());
        }
        let (task, classes) = task_of(&data.y);
        let columns = TreeColumns::new(&data.x, data.schema);
        Ok(TreeModel::new(task, classes, columns.categories, &nodes, certificate).with_choice(choice))
    }

    fn load(input: &ModelReader) -> Result<TreeModel> {
        TreeModel::load(input)
    }
}

impl Tree {
    /// The sequence of cost-complexity pruning on these rows: the alphas at which the tree changes, and the impurity of the
    /// leaves from each on.
    #[cfg(feature = "fit")]
    pub fn pruning_path(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PruningPath> {
        self.check()?;
        data.check(&Self::SPEC)?;
        prune::path(&self.grow(data, cx)?.0, cx)
    }

    /// Grows the tree, not pruned; false if the deadline has cut it short.
    #[cfg(feature = "fit")]
    fn grow(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<(Vec<GrownNode>, bool)> {
        let columns = TreeColumns::new(&data.x, data.schema);
        let rows = RowSubset::with_weight(data);
        if rows.len() >= <u32 as sorted::SortedEntry>::MAX_ROWS {
            return Err(Error::Data(format!(
                "{} rows are more than the {} a tree can sort",
                rows.len(),
                <u32 as sorted::SortedEntry>::MAX_ROWS - 1
            )));
        }
        let settings = self.settings(data, &columns, rows.len())?;
        let n = rows.len();
        let own: Option<Vec<f64>> = data.weight.map(|w| (0..n).map(|id| w[rows.row(id)]).collect());
        match data.y {
            Target::Class { codes, names } => {
                let codes: Vec<u32> = (0..n).map(|id| codes[rows.row(id)]).collect();
                let (codes, own, rows) = self.weigh_classes(codes, own, names, rows)?;
                let weights = own.map_or(QuantizedWeights::ONE, QuantizedWeights::new);
                let task = TreeSetup { columns: &columns, rows, settings, cx };
                if self.criterion == "entropy" || self.criterion == "log_loss" {
                    let steps = (0..codes.len()).map(|id| weights.get(id)).sum();
                    let entropy = OtherImpurity::entropy(weights.unit, steps);
                    task.classes(codes, names.len(), weights, entropy)
                } else if self.criterion == "misclassification" {
                    task.classes(codes, names.len(), weights, OtherImpurity::Misclassification)
                } else {
                    task.classes(codes, names.len(), weights, Gini)
                }
            }
            _ => {
                let y = data.y.reals()?;
                let weights = own.map_or(QuantizedWeights::ONE, QuantizedWeights::new);
                let flat: Vec<f64> =
                    (0..y.cols()).flat_map(|t| (0..n).map(move |id| (id, t))).map(|(id, t)| *y.at(rows.row(id), t)).collect();
                let task = TreeSetup { columns: &columns, rows, settings, cx };
                let classes_of = class_targets(data).unwrap_or(1);
                match self.criterion.as_str() {
                    "gini" => task.run(Means::of_classes(flat, n, weights.clone(), classes_of, Squared), &weights),
                    "entropy" | "log_loss" => {
                        task.run(Means::of_classes(flat, n, weights.clone(), classes_of, LogLoss::BinaryEntropy), &weights)
                    }
                    "absolute_error" => task.run(Medians::new(flat, n, weights.clone()), &weights),
                    "poisson" => {
                        if let Some(at) = flat.iter().position(|&v| v < 0.0) {
                            return Err(negative_target(flat[at], task.rows.row(at % n)));
                        }
                        if flat.chunks_exact(n).any(|y| y.iter().all(|&v| v == 0.0)) {
                            return Err(no_positive_target());
                        }
                        task.run(Means::new(flat, n, weights.clone(), LogLoss::Poisson), &weights)
                    }
                    _ => task.run(Means::new(flat, n, weights.clone(), Squared), &weights),
                }
            }
        }
    }

    /// The parameters, resolved for the data.
    #[cfg(feature = "fit")]
    fn settings(&self, data: &DatasetRef<'_>, columns: &TreeColumns<'_>, rows: usize) -> Result<GrowOptions> {
        let refuse = |name: &str, value: String, expected: String| Err(Error::parameter(Self::SPEC.name, name, value, expected));
        let classes = matches!(data.y, Target::Class { .. });
        let for_classes = matches!(self.criterion.as_str(), "gini" | "entropy" | "log_loss" | "misclassification");
        let indicators = matches!(self.criterion.as_str(), "gini" | "entropy" | "log_loss") && class_targets(data).is_some();
        if self.criterion != "auto" && classes != for_classes && !indicators {
            let expected = if classes {
                "classes need gini, entropy, log_loss or misclassification"
            } else {
                "numbers need squared_error, absolute_error or poisson; gini and entropy are for classes, or for columns of 0 and 1 \
                 with as many ones in each row"
            };
            return refuse("criterion", self.criterion.clone(), expected.into());
        }
        if self.class_weight.is_some() && !classes {
            return refuse("class_weight", "a weight".into(), "it must be null for a regression".into());
        }
        if let Some(signs) = &self.monotonic_cst {
            let value = format!("{signs:?}");
            if signs.len() != columns.len() {
                return refuse("monotonic_cst", value, format!("it needs one entry for each of the {} columns", columns.len()));
            }
            if matches!(data.y, Target::Class { names, .. } if names.len() > 2) || data.y.n_targets() > 1 {
                return refuse("monotonic_cst", value, "constraints need one target of numbers or two classes".into());
            }
            if (0..signs.len()).any(|j| signs[j] != 0 && columns.categories[j].is_some()) {
                return refuse("monotonic_cst", value, "category columns have no order to be monotonic in".into());
            }
        }
        let min_leaf = self.min_samples_leaf.rows(rows);
        Ok(GrowOptions {
            max_depth: self.max_depth.map_or(usize::MAX, |d| usize::try_from(d).unwrap_or(usize::MAX)),
            min_split: self.min_samples_split.rows(rows).max(2).max(min_leaf.saturating_mul(2)),
            min_leaf,
            // A share; multiplied by the total weight later.
            min_weight: self.min_weight_fraction_leaf,
            min_decrease: self.min_impurity_decrease,
            max_features: self.max_features.as_ref().map_or(columns.len(), |m| m.columns(columns.len())),
            max_leaves: self.max_leaf_nodes.map(|l| usize::try_from(l).unwrap_or(usize::MAX)),
            random: self.splitter == "random",
            monotone: self.monotonic_cst.clone(),
            monotone_value: match data.y {
                Target::Class { names, .. } if names.len() == 2 => 1,
                _ => 0,
            },
        })
    }

    /// Class weights times row weights, and the rows that are left.
    #[cfg(feature = "fit")]
    #[allow(clippy::type_complexity)]
    fn weigh_classes(
        &self,
        codes: Vec<u32>,
        own: Option<Vec<f64>>,
        names: &[String],
        rows: RowSubset,
    ) -> Result<(Vec<u32>, Option<Vec<f64>>, RowSubset)> {
        let Some(class_weight) = &self.class_weight else { return Ok((codes, own, rows)) };
        // In double-double, so that they come to the same in any order of the rows.
        let mut totals = vec![Dd::from(0.0); names.len()];
        codes.iter().enumerate().for_each(|(id, &c)| totals[c as usize] += Dd::from(own.as_ref().map_or(1.0, |w| w[id])));
        let totals: Vec<f64> = totals.into_iter().map(Dd::to_f64).collect();
        let of_class = class_weight.resolve(Self::SPEC.name, names, &totals)?;
        let weight: Vec<f64> =
            codes.iter().enumerate().map(|(id, &c)| own.as_ref().map_or(1.0, |w| w[id]) * of_class[c as usize]).collect();
        let kept: Vec<u32> = (0..codes.len() as u32).filter(|&id| weight[id as usize] > 0.0).collect();
        if kept.is_empty() {
            return Err(Error::Weight("all weights are 0, so no row is left".into()));
        }
        if kept.len() == codes.len() {
            return Ok((codes, Some(weight), rows));
        }
        Ok((
            kept.iter().map(|&id| codes[id as usize]).collect(),
            Some(kept.iter().map(|&id| weight[id as usize]).collect()),
            RowSubset::Some(kept.iter().map(|&id| rows.row(id as usize) as u32).collect()),
        ))
    }
}

/// All that growing needs but the criterion.
#[cfg(feature = "fit")]
struct TreeSetup<'a> {
    columns: &'a TreeColumns<'a>,
    rows: RowSubset,
    settings: GrowOptions,
    cx: &'a Context<'a>,
}

#[cfg(feature = "fit")]
impl TreeSetup<'_> {
    fn classes<I: ClassImpurity>(
        self,
        codes: Vec<u32>,
        count: usize,
        weights: QuantizedWeights,
        impurity: I,
    ) -> Result<(Vec<GrownNode>, bool)> {
        if count == 2 {
            let ones = codes.iter().map(|&c| c == 1).collect();
            self.run(Binary::new(ones, weights.clone(), impurity), &weights)
        } else {
            self.run(Classes::new(codes, count, weights.clone(), impurity), &weights)
        }
    }

    fn run<C: SplitCriterion>(mut self, criterion: C, weights: &QuantizedWeights) -> Result<(Vec<GrownNode>, bool)> {
        let sorted = self.columns.sort(&self.rows, &|id| criterion.bit(id), self.cx)?;
        let steps: i64 = (0..self.rows.len()).map(|id| weights.get(id)).sum();
        let weight = steps as f64 * weights.unit;
        self.settings.min_weight *= weight;
        if weights.is_one() {
            // Rows and weight are the same thing, and rows are quicker to check.
            self.settings.min_leaf = self.settings.min_leaf.max(self.settings.min_weight.ceil() as usize);
            self.settings.min_weight = 0.0;
        }
        let ground = GrowContext {
            columns: self.columns,
            sorted: &sorted.columns,
            rows: &self.rows,
            settings: self.settings,
            cx: self.cx,
            weight,
            late: AtomicBool::new(false),
            work: AtomicU64::new(0),
        };
        let nodes = grow::grow(&ground, criterion, sorted.lists)?;
        Ok((nodes, !ground.late.into_inner()))
    }
}
