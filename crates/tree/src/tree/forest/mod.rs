//! Random forests.

#[cfg(feature = "fit")]
mod bagged_tree;
#[cfg(feature = "fit")]
mod binning;
#[cfg(feature = "fit")]
mod bins;
#[cfg(feature = "fit")]
mod bootstrap;
#[cfg(feature = "fit")]
mod fit;
#[cfg(feature = "fit")]
mod grow;
#[cfg(feature = "fit")]
mod joint;
#[cfg(feature = "fit")]
mod kind;
mod model;
#[cfg(feature = "fit")]
mod oob;
#[cfg(feature = "fit")]
mod pass;
#[cfg(feature = "fit")]
mod split_search;
#[cfg(feature = "fit")]
mod stream;
#[cfg(test)]
mod tests;

use ermine_core::{
    Accepts, Context, DatasetRef, Error, Family, FitFrom, JointFit, Learner, ModelReader, ParamSpec, Range, Result, Spec,
    StreamFit, Target, Task,
};
use serde::{Deserialize, Serialize};

#[cfg(feature = "fit")]
use super::grow::GrowOptions;
use super::params::{MAX_DEPTH, MAX_LEAF_NODES, MIN_IMPURITY_DECREASE, MIN_SAMPLES_SPLIT, MONOTONIC_CST, SHARE, check_stops};
#[cfg(feature = "fit")]
use super::sorted::TreeColumns;
use super::{ClassWeight, CountOrFraction, MaxFeatures, Tree};

pub use model::{ForestModel, OutOfBag};

/// Many trees, each grown on rows and columns drawn at random, that decide together.
///
/// # What it minimizes
/// Every tree is grown greedily like [`Tree`], on rows drawn with replacement, and every split looks at a
/// few columns drawn anew. The forest predicts the mean over trees: of the class shares of the leaves, or of their means.
/// The mean of B trees with variance s² and correlation r has variance r s² + (1 - r) s² / B: drawing lowers r.
///
/// # When to use it
/// As a strong model that needs no tuning and no preparation: columns of any scale, categories and missing values as they
/// are. The rows that a tree has not seen give an honest estimate for nothing (`oob_score`). Boosting is often better
/// when it is tuned, and smaller.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget};
/// use ermine_tree::tree::forest::RandomForest;
///
/// let x = [1.0, 2.0, f64::NAN, 8.0, 9.0, 10.0];
/// let x = Features::F64(MatRef::row_major(&x, 6, 1));
/// let y = OwnedTarget::from_labels(&["low", "low", "low", "high", "high", "high"]);
/// let forest = RandomForest { n_estimators: 50, ..RandomForest::default() };
/// let model = forest.fit_with(&DatasetRef::new(x).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.classify(&x)?, [1, 1, 1, 0, 0, 0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # How splits are found
/// `splitter` "exact" keeps all values of a column apart: a node sorts the ranks of the columns it draws. "histogram" cuts
/// a column into at most `max_bins` bins of about as much weight each, and a node adds its rows up by bin; a threshold lies
/// between the nearest values of the node's bins. With no more values than bins the two find the same splits. "auto" is
/// exact below 10000 rows. Misclassification, absolute error, several targets, monotonic constraints and more than 256 classes are always
/// done by sorted lists of all columns. The certificate says which it was.
///
/// Missing values and categories are treated as by [`Tree`]. All sums are of whole numbers and a tree depends on
/// the seed and its number alone: the same bits on any number of threads, and however many trees come after.
///
/// # Cost
/// About trees times rows times drawn columns times depth. Memory beside the trees: two bytes per cell for histograms, four
/// for exact splits, and for each thread a list of the rows of a tree.
///
/// On a stream of rows one pass finds the bins and a second one bins the rows, which are then kept in memory, up to
/// [`Context::memory`](ermine_core::Context::memory). Beyond it trees are grown in passes, to the same bytes: each pass brings the
/// trees that grow, at most 64 at a time, one level on by histograms of their large nodes, and takes out nodes that have become
/// small with their rows; all that within the same bound. Besides that: the model, and the weights of rows, eight bytes each,
/// where bags are drawn by them.
///
/// # What it does not do
/// Exact splits and permutation importances on a stream. Several class targets are taken as their indicators, like by [`Tree`].
///
/// # Reference
/// Breiman: Random Forests, Machine Learning 45, 2001; Geurts, Ernst, Wehenkel: Extremely randomized trees, Machine
/// Learning 63, 2006.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("RandomForestClassifier", "RandomForestRegressor"))]
pub struct RandomForest {
    /// Trees.
    pub n_estimators: u64,
    /// The criterion of a split; "auto" is Gini or squared error, by the target.
    pub criterion: String,
    /// How thresholds are chosen: "best" or "random".
    pub thresholds: String,
    /// "auto", "exact" or "histogram".
    pub splitter: String,
    /// Bins of a column.
    pub max_bins: u64,
    /// Columns looked at in each node; "auto" is sqrt for classes and a third for numbers.
    pub max_features: Option<MaxFeatures>,
    /// Whether rows are drawn with replacement for each tree.
    pub bootstrap: bool,
    /// Rows drawn for each tree.
    pub max_samples: Option<CountOrFraction>,
    /// Whether rows outside the bags are used for an estimate.
    pub oob_score: bool,
    /// Whether permutation importances of the columns are measured outside the bags.
    pub permutation_importances: bool,
    /// Tests on the longest path.
    pub max_depth: Option<u64>,
    /// Rows a node needs to split.
    pub min_samples_split: CountOrFraction,
    /// Rows each child must keep.
    pub min_samples_leaf: CountOrFraction,
    /// Share of the weight each child must keep.
    pub min_weight_fraction_leaf: f64,
    /// Leaves of a tree; it is then grown best first.
    pub max_leaf_nodes: Option<u64>,
    /// Decrease of the impurity of the whole tree a split must bring.
    pub min_impurity_decrease: f64,
    /// Weights of the classes.
    pub class_weight: Option<ClassWeight>,
    /// Price of a leaf in pruning.
    pub ccp_alpha: f64,
    /// For each column -1, 0 or 1.
    pub monotonic_cst: Option<Vec<i8>>,
}

impl Default for RandomForest {
    fn default() -> Self {
        Self {
            n_estimators: 100,
            criterion: "auto".into(),
            thresholds: "best".into(),
            splitter: "auto".into(),
            max_bins: 255,
            max_features: Some(MaxFeatures::Word("auto".into())),
            bootstrap: true,
            max_samples: None,
            oob_score: false,
            permutation_importances: false,
            max_depth: None,
            min_samples_split: CountOrFraction::Rows(2),
            min_samples_leaf: CountOrFraction::Rows(1),
            min_weight_fraction_leaf: 0.0,
            max_leaf_nodes: None,
            min_impurity_decrease: 0.0,
            class_weight: None,
            ccp_alpha: 0.0,
            monotonic_cst: None,
        }
    }
}

/// The word for class weights that balance each bag by itself.
const SUBSAMPLE: &str = "balanced_subsample";

#[cfg(feature = "fit")]
impl Learner for RandomForest {
    type Model = ForestModel;

    const SEARCH_SPACE: &'static [&'static str] = &["min_samples_leaf=1..30:log", "max_features=0.05..0.95"];

    const WARM_START: Option<FitFrom<Self>> = Some(fit::fit);
    const STREAM: Option<StreamFit<Self>> = Some(stream::fit);
    const JOINT_FIT: Option<JointFit<Self>> = Some(joint::JOINT);

    const SPEC: Spec = Spec {
        name: "forest",
        summary: "Random forest: many trees on rows and columns drawn at random, exact or by histograms; extremely randomized trees",
        objective: "mean over trees of class shares or means; each tree greedily lowers sum over leaves of weight * impurity on \
                    rows drawn with replacement, each split over max_features columns drawn anew",
        notes: "A strong model without tuning or preparation; categories and missing values as they are. Rows outside the bag \
                of a tree give an honest estimate (oob_score) and the worth of each column (permutation_importances). \
                thresholds = random with bootstrap = false is extremely randomized trees. The same bits on any number of \
                threads; more trees can be added later without changing those that are there.",
        reference: "Breiman: Random Forests, Machine Learning 45, 2001; Geurts, Ernst, Wehenkel: Extremely randomized trees, \
                    Machine Learning 63, 2006",
        family: Family::Tree,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: true, passes: true, multi_target: true },
        params: &[
            ParamSpec { name: "n_estimators", doc: "Number of trees.", range: Range::Int { min: 1, max: 1_000_000 } },
            ParamSpec {
                name: "criterion",
                doc: "What makes a split good: gini, entropy or log_loss (the same) or misclassification for classes; squared_error, \
                      absolute_error, poisson or friedman_mse (the same splits as squared_error) for numbers. auto is \
                      gini or squared_error.",
                range: Range::Choice(super::CRITERIA),
            },
            ParamSpec {
                name: "thresholds",
                doc: "best tries every threshold of a drawn column; random draws one threshold per column and takes the best column \
                      (extremely randomized trees).",
                range: Range::Choice(&["best", "random"]),
            },
            ParamSpec {
                name: "splitter",
                doc: "exact keeps all values apart; histogram cuts columns into max_bins bins, which is faster on many rows; auto is \
                      exact below 10000 rows.",
                range: Range::Choice(&["auto", "exact", "histogram"]),
            },
            ParamSpec {
                name: "max_bins",
                doc: "Bins of a column of numbers, for histograms. Columns with fewer values keep them apart.",
                range: Range::Int { min: 2, max: 255 },
            },
            ParamSpec {
                name: "max_features",
                doc: "Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null \
                      for all. auto is sqrt for classes and a third for numbers. Columns that are constant in the node \
                      count among the drawn, but the draw goes on until there is one that is not.",
                range: Range::Optional(&Range::Either(
                    &Range::Choice(&["auto", "sqrt", "log2"]),
                    &Range::Either(&Range::Int { min: 1, max: i64::MAX }, &SHARE),
                )),
            },
            ParamSpec {
                name: "bootstrap",
                doc: "Whether each tree is grown on rows drawn with replacement; false grows each on all rows.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "max_samples",
                doc: "Rows drawn for each tree: a whole number, or a share of all rows; null for as many as there are. Rows with \
                      weights are drawn in proportion to them.",
                range: Range::Optional(&Range::Either(
                    &Range::Int { min: 1, max: i64::MAX },
                    &Range::Real { min: 0.0, max: 1e6, above: true, log: false },
                )),
            },
            ParamSpec {
                name: "oob_score",
                doc: "Whether to predict each row by the trees that have not seen it, and to score that: accuracy or R^2.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "permutation_importances",
                doc: "Whether to measure how much worse the trees are on rows they have not seen when a column is shuffled.",
                range: Range::Bool,
            },
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            ParamSpec {
                name: "min_samples_leaf",
                doc: "Rows that must be left on each side of a split: a whole number, or a share of all rows. A row that was \
                      drawn several times counts once.",
                range: Range::Either(&Range::Int { min: 1, max: i64::MAX }, &SHARE),
            },
            ParamSpec {
                name: "min_weight_fraction_leaf",
                doc: "Share of the weight of a tree's rows that must be left on each side of a split.",
                range: Range::Real { min: 0.0, max: 0.5, above: false, log: false },
            },
            MAX_LEAF_NODES,
            MIN_IMPURITY_DECREASE,
            ParamSpec {
                name: "class_weight",
                doc: "Weights of the classes, by name; classes that are not listed have weight 1. balanced gives each class \
                      the same total weight, balanced_subsample does so in each bag.",
                range: Range::Any,
            },
            ParamSpec {
                name: "ccp_alpha",
                doc: "Price of a leaf in cost-complexity pruning of each tree; 0 does not prune.",
                range: Range::at_least(0.0),
            },
            MONOTONIC_CST,
        ],
    };

    fn check(&self) -> Result<()> {
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)?;
        if matches!(self.max_samples, Some(CountOrFraction::Rows(0))) {
            return Err(Self::SPEC.out_of_range(Self::SPEC.param("max_samples")?, &params["max_samples"]));
        }
        let drawn = self.max_features.as_ref().filter(|m| **m != MaxFeatures::Word("auto".into()));
        check_stops(&Self::SPEC, &params, self.min_samples_split, self.min_samples_leaf, drawn)?;
        let needs_bags = |name: &str, value: String| {
            let expected = "it needs bootstrap = true: without draws every tree sees every row";
            Err(Error::parameter(Self::SPEC.name, name, value, expected))
        };
        if !self.bootstrap {
            if self.oob_score {
                return needs_bags("oob_score", "true".into());
            }
            if self.permutation_importances {
                return needs_bags("permutation_importances", "true".into());
            }
            if self.max_samples.is_some() {
                return needs_bags("max_samples", params["max_samples"].to_string());
            }
        }
        match &self.class_weight {
            Some(ClassWeight::Word(w)) if w == SUBSAMPLE => Ok(()),
            Some(weights) => weights.check(Self::SPEC.name),
            None => Ok(()),
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<ForestModel> {
        fit::fit(self, None, data, cx)
    }

    fn load(input: &ModelReader) -> Result<ForestModel> {
        ForestModel::load(input)
    }
}

impl RandomForest {
    /// How often each row is in the bag of each of the first trees that a fit on `data` grows. Of the columns of `data` nothing
    /// is needed but the number of rows.
    #[cfg(feature = "fit")]
    pub fn bags(&self, trees: usize, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Vec<Vec<u32>>> {
        fit::bootstrap_counts(self, trees, data, cx)
    }

    /// The seed with which a forest of one tree, without bags, grows tree number `tree` of a forest with this seed.
    #[cfg(feature = "fit")]
    pub fn tree_seed(seed: u64, tree: usize) -> u64 {
        fit::tree_seed(seed, tree)
    }

    /// When trees stop growing. Shares of rows refer to `rows`.
    #[cfg(feature = "fit")]
    fn stops(&self, data: &DatasetRef<'_>, columns: &TreeColumns<'_>, rows: usize) -> Result<GrowOptions> {
        let tree = self.tree(matches!(data.y, Target::Class { .. }), columns.len());
        let mut settings = tree.settings(data, columns, rows)?;
        settings.min_leaf = settings.min_leaf.max(1);
        Ok(settings)
    }

    /// The same stops with shares of so many rows.
    #[cfg(feature = "fit")]
    fn with_rows(&self, settings: GrowOptions, rows: usize) -> GrowOptions {
        let min_leaf = self.min_samples_leaf.rows(rows).max(1);
        let min_split = self.min_samples_split.rows(rows).max(2).max(min_leaf.saturating_mul(2));
        GrowOptions { min_leaf, min_split, ..settings }
    }

    /// The tree with the same stops, which sees all columns by default.
    fn tree(&self, classes: bool, columns: usize) -> Tree {
        let max_features = match &self.max_features {
            Some(MaxFeatures::Word(w)) if w == "auto" => {
                Some(if classes { MaxFeatures::Word("sqrt".into()) } else { MaxFeatures::Columns((columns / 3).max(1) as u64) })
            }
            other => other.clone(),
        };
        Tree {
            criterion: self.criterion.clone(),
            splitter: self.thresholds.clone(),
            max_depth: self.max_depth,
            min_samples_split: self.min_samples_split,
            min_samples_leaf: self.min_samples_leaf,
            min_weight_fraction_leaf: self.min_weight_fraction_leaf,
            max_features,
            max_leaf_nodes: self.max_leaf_nodes,
            min_impurity_decrease: self.min_impurity_decrease,
            class_weight: self.class_weight.clone().filter(|w| *w != ClassWeight::Word(SUBSAMPLE.into())),
            monotonic_cst: self.monotonic_cst.clone(),
            ..Tree::default()
        }
    }
}
