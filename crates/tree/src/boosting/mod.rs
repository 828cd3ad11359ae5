//! Second-order gradient boosting on histograms, leaf by leaf.

#[cfg(feature = "fit")]
pub(crate) mod data;
#[cfg(feature = "fit")]
mod engine;
#[cfg(feature = "fit")]
mod grow;
mod model;
mod objective;
mod params;
#[cfg(feature = "fit")]
mod pass;
#[cfg(feature = "fit")]
mod split;
#[cfg(feature = "fit")]
mod stream;
#[cfg(test)]
mod tests;

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, FitFrom, Learner, ModelReader, OwnedDataset, ParamSpec, Range,
    Result, Spec, StreamFit, Target, Task, Trace, run_pass,
};
use serde::{Deserialize, Serialize};

#[cfg(feature = "fit")]
use crate::columns::{Categories, ColumnCells, categories, task_of};
use crate::tree::ensemble::Trees;
use crate::tree::{ClassWeight, SHARE};
#[cfg(feature = "fit")]
use data::{BinnedRows, DataSummary};
#[cfg(feature = "fit")]
use engine::{BoostStop, BoostingEngine, QuantizerRange, ValidationRows};
use ermine_core::splits::hold_out;
use objective::Loss;

pub use model::{BoostingModel, probabilities};
pub use objective::{Objective, ScoreBlock};
pub use params::{EarlyStopping, InteractionConstraints};

/// Gradient boosting with second derivatives, on binned columns, grown leaf by leaf.
///
/// # What it minimizes
/// Σ wᵢ loss(yᵢ, zᵢ) + Σ over trees of γ leaves + ½ λ Σ v² + α Σ |v|, where the score z is the sum of the leaf values v that a
/// row falls into. A round adds a tree (one per class for more than two classes) that lowers the quadratic approximation of this
/// most: a leaf with sums G and H of first and second derivatives takes v = -G / (H + λ) times the learning rate, and a
/// split is worth ½ (G_L² / (H_L + λ) + G_R² / (H_R + λ) - G² / (H + λ)), which must exceed γ (`min_split_gain`). The leaf whose
/// split is worth most is split next. With log losses v = -2 asinh(G / (2 H + 2 λ)) takes the place of a long step: where rows
/// were sure of the wrong class H is small, and Newton's step would overshoot the minimum.
///
/// # When to use it
/// For tables of numbers and categories, from some hundred rows up, when accuracy matters most: it needs no scaling, takes
/// missing values and categories as they are, and finds interactions by itself. Linear models extrapolate and explain
/// better; forests need less tuning.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_tree::boosting::Boosting;
///
/// let x: Vec<f64> = (0..400).map(f64::from).collect();
/// let y: Vec<f64> = x.iter().map(|v| (v / 40.0).sin()).collect();
/// let x = Features::F64(MatRef::row_major(&x, 400, 1));
/// let data = DatasetRef::new(x).with_target(Target::Real(&y));
/// let model = Boosting { min_samples_leaf: 4, ..Boosting::default() }.fit_with(&data, &Context::default())?;
/// let worst = model.predict(&x)?.as_slice().iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
/// assert!(worst < 0.1);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Missing values, categories, weights
/// Missing values go to the side that gains more; where training saw none in a node, with the greater part. Categories are
/// ordered by their gradients in each node and split by sets; those beyond `max_bins` - 1, the rarest, share a bin; unseen
/// ones count as missing. A row of weight 2 is exactly the row twice, also for `min_samples_leaf` (a row whose weight is no
/// whole number counts once there). Infinite values are refused unless `allow_infinite` says that they are above or below all others.
///
/// # Whole numbers
/// Gradients are rounded to a grid of at least 2¹⁵ steps (2³¹ divided by the number of rows, for less than 65536), and all
/// sums are sums of whole numbers. So the trees do not depend on the order of rows or the number of threads in a single bit,
/// and a fit on a stream has the bytes of the fit in memory.
///
/// # Cost
/// Binning reads the cells twice. A round costs one 8-byte addition for each cell of the smaller child of each split, so about
/// rows × columns × log₂(leaves) / 2. Memory is two bytes per cell (four above 255 bins), 24 bytes per row and output, and the
/// histograms of the leaves.
///
/// # What it does not do
/// Ranking, several target columns, trees with linear leaves.
///
/// # Reference
/// Friedman: Greedy function approximation, 2001. Chen, Guestrin: XGBoost, 2016. Ke et al.: LightGBM, 2017. Shi et al.:
/// Quantized training of gradient boosting decision trees, 2022.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"))]
pub struct Boosting {
    /// The loss; "auto" is squared error or log loss, by the target.
    pub loss: String,
    /// The quantile of the pinball loss.
    pub quantile: Option<f64>,
    /// Factor of every leaf value.
    pub learning_rate: f64,
    /// Rounds.
    pub max_iter: u64,
    /// Leaves of a tree.
    pub max_leaf_nodes: Option<u64>,
    /// Tests on the longest path.
    pub max_depth: Option<u64>,
    /// Rows a leaf must keep.
    pub min_samples_leaf: u64,
    /// Sum of second derivatives a leaf must keep.
    pub min_child_weight: f64,
    /// λ, price of the square of a leaf value.
    pub l2_regularization: f64,
    /// α, price of the magnitude of a leaf value.
    pub l1_regularization: f64,
    /// γ, price of a leaf.
    pub min_split_gain: f64,
    /// Share of the columns each node looks at.
    pub max_features: f64,
    /// Share of the columns each tree looks at.
    pub colsample_bytree: f64,
    /// Share of the rows drawn for each round.
    pub subsample: f64,
    /// Whether a node tries one random threshold of each column.
    pub extra_trees: bool,
    /// Whether rows are drawn by their gradients.
    pub goss: bool,
    /// Share of rows with the greatest gradients that GOSS keeps.
    pub top_rate: f64,
    /// Share of rows that GOSS draws from the others.
    pub other_rate: f64,
    /// Bins of a column.
    pub max_bins: u64,
    /// Added to second derivatives where categories are ordered; rarer ones are left out.
    pub cat_smooth: f64,
    /// λ added where sets of categories are split off.
    pub cat_l2: f64,
    /// Most categories split off at a time.
    pub max_cat_threshold: u64,
    /// Up to so many categories are split off one by one.
    pub max_cat_to_onehot: u64,
    /// Rows a group of categories must have.
    pub min_data_per_group: u64,
    /// For each column -1, 0 or 1.
    pub monotonic_cst: Option<Vec<i8>>,
    /// Which columns may interact on one path.
    pub interaction_cst: Option<InteractionConstraints>,
    /// Whether to stop when rows that are held out get no better.
    pub early_stopping: EarlyStopping,
    /// Share of rows held out when there is no validation set.
    pub validation_fraction: f64,
    /// Rounds without progress.
    pub n_iter_no_change: u64,
    /// The least decrease that counts as progress.
    pub tol: f64,
    /// Whether rounds after the best one are dropped.
    pub keep_best: bool,
    /// Weights of the classes.
    pub class_weight: Option<ClassWeight>,
    /// Whether infinite values are taken, above or below all others.
    pub allow_infinite: bool,
}

impl Default for Boosting {
    fn default() -> Self {
        Self {
            loss: "auto".into(),
            quantile: None,
            learning_rate: 0.1,
            max_iter: 100,
            max_leaf_nodes: Some(31),
            max_depth: None,
            min_samples_leaf: 20,
            min_child_weight: 1e-3,
            l2_regularization: 0.0,
            l1_regularization: 0.0,
            min_split_gain: 0.0,
            max_features: 1.0,
            colsample_bytree: 1.0,
            subsample: 1.0,
            extra_trees: false,
            goss: false,
            top_rate: 0.2,
            other_rate: 0.1,
            max_bins: 255,
            cat_smooth: 10.0,
            cat_l2: 10.0,
            max_cat_threshold: 32,
            max_cat_to_onehot: 4,
            min_data_per_group: 100,
            monotonic_cst: None,
            interaction_cst: None,
            early_stopping: EarlyStopping::Word("auto".into()),
            validation_fraction: 0.1,
            n_iter_no_change: 10,
            tol: 1e-7,
            keep_best: false,
            class_weight: None,
            allow_infinite: false,
        }
    }
}

const LOSSES: &[&str] = &["auto", "log_loss", "squared_error", "absolute_error", "gamma", "poisson", "quantile"];
const BELOW_ONE: Range = Range::Real { min: 0.0, max: 1.0, above: false, log: false };

#[cfg(feature = "fit")]
impl Learner for Boosting {
    type Model = BoostingModel;

    const SEARCH_SPACE: &'static [&'static str] = &[
        "learning_rate=0.02..0.3:log",
        "max_iter=50..600:log",
        "max_leaf_nodes=7..127:log",
        "min_samples_leaf=5..200:log",
        "l2_regularization=1e-3..100:log",
    ];

    const SPEC: Spec = Spec {
        name: "boosting",
        summary: "Gradient boosting with second derivatives on histograms, grown leaf by leaf",
        objective: "sum w_i loss(y_i, z_i) + sum over trees of min_split_gain * leaves + 1/2 l2_regularization |v|^2 + \
                    l1_regularization |v|_1, where z is the sum of the values v of the leaves of a row; each tree lowers the \
                    quadratic approximation, a leaf of sums G, H takes v = -learning_rate G / (H + l2_regularization), or with \
                    log loss -2 learning_rate asinh(G / (2 H + 2 l2_regularization))",
        notes: "The most accurate learner for most tables of numbers and categories. It needs no scaling and takes missing \
                values and categories as they are. A round costs one addition per cell for about half the levels of a tree; \
                memory is two bytes per cell. Sums are sums of whole numbers, so order of rows, threads and streams do not change \
                a bit. It does not extrapolate, and small data asks for a small learning_rate or early stopping.",
        reference: "Chen, Guestrin: XGBoost, 2016; Ke et al.: LightGBM, 2017; Friedman: Greedy function approximation, 2001",
        family: Family::Tree,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: true, passes: true, multi_target: false },
        params: &[
            ParamSpec {
                name: "loss",
                doc: "What is lowered: log_loss for classes; squared_error, absolute_error, gamma, poisson or quantile for \
                      numbers. auto is log_loss or squared_error. With gamma and poisson the score is the logarithm of the mean.",
                range: Range::Choice(LOSSES),
            },
            ParamSpec { name: "quantile", doc: "The quantile that loss quantile estimates.", range: Range::Optional(&BELOW_ONE) },
            ParamSpec {
                name: "learning_rate",
                doc: "Factor of every leaf value: smaller is slower and often better.",
                range: Range::above(0.0),
            },
            ParamSpec {
                name: "max_iter",
                doc: "Rounds at most, with a tree each, or one tree per class for more than two classes.",
                range: Range::int_from(1),
            },
            ParamSpec {
                name: "max_leaf_nodes",
                doc: "Leaves of a tree at most; null for no limit.",
                range: Range::Optional(&Range::Int { min: 2, max: i64::MAX }),
            },
            ParamSpec {
                name: "max_depth",
                doc: "Greatest number of tests on the path to a leaf; null for no limit.",
                range: Range::Optional(&Range::Int { min: 1, max: i64::MAX }),
            },
            ParamSpec {
                name: "min_samples_leaf",
                doc: "Rows that must be left on each side of a split; a row of whole weight counts so many times.",
                range: Range::int_from(1),
            },
            ParamSpec {
                name: "min_child_weight",
                doc: "Sum of second derivatives that must be left on each side of a split.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "l2_regularization",
                doc: "Price of the square of a leaf value (lambda).",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "l1_regularization",
                doc: "Price of the magnitude of a leaf value (alpha).",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "min_split_gain",
                doc: "Price of a leaf (gamma): what a split must gain.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "max_features",
                doc: "Share of the columns, drawn at random, that each node looks at.",
                range: SHARE,
            },
            ParamSpec {
                name: "colsample_bytree",
                doc: "Share of the columns, drawn at random, that each tree looks at.",
                range: SHARE,
            },
            ParamSpec {
                name: "subsample",
                doc: "Share of the rows, drawn at random for each round, that its trees are grown on.",
                range: SHARE,
            },
            ParamSpec {
                name: "extra_trees",
                doc: "Try one random threshold of each column in each node, and one random set of its categories, in place of \
                      all: faster, less prone to follow noise, and unlike other trees in an ensemble.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "goss",
                doc: "Draw rows by their gradients: top_rate of them with the greatest ones, and other_rate from the others, \
                      whose weight makes up for those left out.",
                range: Range::Bool,
            },
            ParamSpec { name: "top_rate", doc: "Share of rows with the greatest gradients that goss keeps.", range: SHARE },
            ParamSpec { name: "other_rate", doc: "Share of rows that goss draws from the others.", range: SHARE },
            ParamSpec {
                name: "max_bins",
                doc: "Bins of a column at most, besides that of missing values; up to 255 a cell takes a byte, above it two.",
                range: Range::Int { min: 2, max: 65_000 },
            },
            ParamSpec {
                name: "cat_smooth",
                doc: "Added to the second derivatives of a category where categories are ordered; categories with fewer rows in \
                      a node stay together.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "cat_l2",
                doc: "Added to l2_regularization where a set of categories is split off.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "max_cat_threshold",
                doc: "Most categories that are split off at a time.",
                range: Range::int_from(1),
            },
            ParamSpec {
                name: "max_cat_to_onehot",
                doc: "Up to so many categories are split off one by one.",
                range: Range::int_from(0),
            },
            ParamSpec {
                name: "min_data_per_group",
                doc: "Rows that categories must have together before a split between them is tried.",
                range: Range::int_from(1),
            },
            ParamSpec {
                name: "monotonic_cst",
                doc: "For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no \
                      constraint. For numbers, or two classes (the probability of the second).",
                range: Range::Optional(&Range::List(&Range::Int { min: -1, max: 1 })),
            },
            ParamSpec {
                name: "interaction_cst",
                doc: "Which columns may be tested on one path from root to leaf: lists of column numbers, pairwise or \
                      no_interactions; columns that are not listed form one more list.",
                range: Range::Any,
            },
            ParamSpec {
                name: "early_stopping",
                doc: "Stop when rows that are not learned from get no better: true, false, or auto, which is true when there is a \
                      validation set. Without one, validation_fraction of the rows is held out.",
                range: Range::Either(&Range::Choice(&["auto"]), &Range::Bool),
            },
            ParamSpec {
                name: "validation_fraction",
                doc: "Share of the rows that is held out for early stopping.",
                range: Range::Real { min: 0.0, max: 0.999_999, above: true, log: false },
            },
            ParamSpec {
                name: "n_iter_no_change",
                doc: "Rounds without progress after which early stopping stops.",
                range: Range::int_from(1),
            },
            ParamSpec { name: "tol", doc: "By how much the loss must fall to count as progress.", range: Range::at_least(0.0) },
            ParamSpec {
                name: "keep_best",
                doc: "With rows that are not learned from, drop the rounds after the one that had their lowest loss.",
                range: Range::Bool,
            },
            ParamSpec {
                name: "class_weight",
                doc: "Weights of the classes, by name; classes that are not listed have weight 1. balanced gives each class \
                      the same total weight. They multiply the sample weights; bins are cut by sample weights alone.",
                range: Range::Any,
            },
            ParamSpec {
                name: "allow_infinite",
                doc: "Whether infinite values are taken, as greater or less than all others; else they are refused.",
                range: Range::Bool,
            },
        ],
    };

    const STREAM: Option<StreamFit<Self>> = Some(stream::fit);
    const WARM_START: Option<FitFrom<Self>> = Some(Self::fit_from);

    fn check(&self) -> Result<()> {
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)?;
        if self.loss == "quantile" && self.quantile.is_none() {
            return Err(refuse("quantile", "null", "loss quantile needs a number from 0 to 1"));
        }
        if self.goss && self.top_rate + self.other_rate > 1.0 {
            let value = self.other_rate.to_string();
            return Err(refuse("other_rate", &value, "top_rate and other_rate may be 1 together at most"));
        }
        if self.goss && self.subsample < 1.0 {
            return Err(refuse("subsample", &self.subsample.to_string(), "goss draws the rows already; leave it 1"));
        }
        match &self.class_weight {
            Some(weights) => weights.check(Self::SPEC.name),
            None => Ok(()),
        }
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<BoostingModel> {
        Self::fit_from(self, None, data, cx)
    }

    fn load(input: &ModelReader) -> Result<BoostingModel> {
        BoostingModel::load(input)
    }
}

#[cfg(feature = "fit")]
fn refuse(name: &str, value: &str, expected: &str) -> Error {
    Error::parameter(Boosting::SPEC.name, name, value, expected)
}

impl Boosting {
    /// Fits a loss of one's own to a regression. The scores begin at 0, and predictions are the scores. `loss` of the
    /// parameters is not looked at. The model is saved and loaded like any other, but further rounds need the loss again
    /// ([`Boosting::continue_objective`]).
    ///
    /// ```
    /// use ermine_core::{Context, DatasetRef, Features, MatRef, Regressor, Target};
    /// use ermine_tree::boosting::{Boosting, Objective, ScoreBlock};
    ///
    /// /// log cosh(y - z)
    /// struct LogCosh;
    /// impl Objective for LogCosh {
    ///     fn evaluate(&self, block: &ScoreBlock<'_>, gradient: &mut [f64], curvature: &mut [f64]) -> f64 {
    ///         let mut loss = 0.0;
    ///         for (i, (y, z)) in block.y.iter().zip(block.scores).enumerate() {
    ///             gradient[i] = (z - y).tanh();
    ///             curvature[i] = 1.0 - gradient[i] * gradient[i];
    ///             loss += (z - y).cosh().ln();
    ///         }
    ///         loss
    ///     }
    ///     fn bounds(&self) -> Option<(f64, f64)> {
    ///         Some((1.0, 1.0))
    ///     }
    /// }
    ///
    /// let x: Vec<f64> = (0..100).map(f64::from).collect();
    /// let y: Vec<f64> = x.iter().map(|v| f64::from(u8::from(*v > 50.0))).collect();
    /// let x = Features::F64(MatRef::row_major(&x, 100, 1));
    /// let data = DatasetRef::new(x).with_target(Target::Real(&y));
    /// let model = Boosting::default().fit_objective(&LogCosh, &data, &Context::default())?;
    /// assert!((model.predict(&x)?[(99, 0)] - 1.0).abs() < 0.05);
    /// # Ok::<(), ermine_core::Error>(())
    /// ```
    #[cfg(feature = "fit")]
    pub fn fit_objective(&self, objective: &dyn Objective, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<BoostingModel> {
        self.continue_objective(objective, None, data, cx)
    }

    /// [`Boosting::fit_objective`] from a model of fewer rounds on.
    #[cfg(feature = "fit")]
    pub fn continue_objective(
        &self,
        objective: &dyn Objective,
        from: Option<&BoostingModel>,
        data: &DatasetRef<'_>,
        cx: &Context<'_>,
    ) -> Result<BoostingModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        data.y.reals()?;
        if objective.outputs() != 1 {
            return Err(Error::Data(format!("a custom loss has one score per row, not {}", objective.outputs())));
        }
        self.train(Loss::Custom, Some(objective), from, data, cx)
    }

    #[cfg(feature = "fit")]
    fn fit_from(learner: &Self, from: Option<&BoostingModel>, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<BoostingModel> {
        learner.check()?;
        data.check(&Self::SPEC)?;
        let loss = learner.loss_for(&data.y)?;
        learner.train(loss, None, from, data, cx)
    }

    /// Whether to stop early, given whether there is a validation set.
    fn stops_early(&self, validation: bool) -> bool {
        match &self.early_stopping {
            EarlyStopping::Flag(stop) => *stop,
            EarlyStopping::Word(_) => validation,
        }
    }

    #[cfg(feature = "fit")]
    fn train(
        &self,
        loss: Loss,
        own: Option<&dyn Objective>,
        from: Option<&BoostingModel>,
        data: &DatasetRef<'_>,
        cx: &Context<'_>,
    ) -> Result<BoostingModel> {
        let stops = self.stops_early(cx.validation.is_some());
        let own_split: Option<(OwnedDataset, OwnedDataset)> = if stops && cx.validation.is_none() {
            let (train, test) = hold_out(&data.y, data.rows(), self.validation_fraction, cx.seed)?;
            Some((data.take_rows(&train), data.take_rows(&test)))
        } else {
            None
        };
        let views = own_split.as_ref().map(|(train, test)| (train.view(), test.view()));
        let (data, watched) = match &views {
            Some((train, test)) => (train, Some(test)),
            None => (data, cx.validation.filter(|_| stops)),
        };
        let block = cx.block_rows.unwrap_or(engine::BLOCK).max(1);
        let quantiles = loss.needs_quantiles();
        let summary = run_pass(data, block, cx, &|rows: &DatasetRef<'_>| DataSummary::of(rows, quantiles, self.allow_infinite))?;
        let categories = categories(&data.x);
        let class_weight = self.class_weights(&data.y, &summary)?;
        let rows = BinnedRows::borrowed(summary.bins(self.max_bins as usize), data, &class_weight)?;
        let prepared = BoostSetup { loss, summary, categories, class_weight, classes: task_of(&data.y).1 };
        let scores = from.map(|model| earlier_scores(model, data)).transpose()?;
        self.boost(prepared, rows, own, from.zip(scores), watched, cx)
    }

    /// The rounds themselves, once the rows are binned.
    #[cfg(feature = "fit")]
    fn boost(
        &self,
        prepared: BoostSetup,
        rows: BinnedRows<'_>,
        own: Option<&dyn Objective>,
        from: Option<(&BoostingModel, Vec<f64>)>,
        watched: Option<&DatasetRef<'_>>,
        cx: &Context<'_>,
    ) -> Result<BoostingModel> {
        let BoostSetup { loss, summary, categories, class_weight, classes } = prepared;
        loss.check_target(&summary)?;
        let built = loss.objective();
        let objective = own.unwrap_or(&*built);
        let n = rows.len();
        let start = match from {
            Some((model, _)) => model.start.clone(),
            None => loss.start(&summary, &class_weight),
        };
        let watched = match watched {
            None => None,
            Some(view) => Some(self.watch(view, &rows, &categories, &class_weight, &classes, &start, &from)?),
        };
        let columns: &[&str] = if watched.is_some() { &["round", "loss", "validation_loss"] } else { &["round", "loss"] };
        let mut finished = false;
        let (trees, trace, scores) = match from {
            Some((model, scores)) => {
                if model.loss != loss || model.classes != classes || model.trees.categories() != categories {
                    return Err(Error::Data("the model to continue has another loss, other classes or other columns".into()));
                }
                if model.rounds() > self.max_iter as usize {
                    return Err(refuse(
                        "max_iter",
                        &self.max_iter.to_string(),
                        &format!("the model to continue has {} rounds already", model.rounds()),
                    ));
                }
                let known = model.trace.columns == columns;
                finished = known && model.certificate.converged;
                (model.trees.clone(), if known { model.trace.clone() } else { Trace::new(columns) }, scores)
            }
            None => {
                let scores = start.iter().flat_map(|&s| std::iter::repeat_n(s, n)).collect();
                (Trees::new(categories, 1), Trace::new(columns), scores)
            }
        };
        let weighed = !class_weight.is_empty();
        let most = class_weight.iter().copied().fold(if weighed { 0.0 } else { 1.0 }, f64::max);
        let largest = summary.largest_weight * most;
        let whole = summary.whole && (!weighed || class_weight.iter().all(|w| w.fract() == 0.0));
        let mut engine = BoostingEngine {
            shape: self.shape(rows.bins.columns(), &loss, cx.seed)?,
            scale: QuantizerRange::new(summary.count_with(&class_weight), whole, largest),
            sampling: self.sampling(),
            rounds: if classes.len() == 1 { 0 } else { self.max_iter as usize },
            finished,
            patience: watched
                .is_some()
                .then_some(engine::EarlyStopRule { rounds: self.n_iter_no_change as usize, tol: self.tol }),
            objective,
            validation: watched,
            scores,
            trees,
            trace,
            spare: Default::default(),
            rows,
        };
        let mut checkpoints = cx.checkpoints();
        let model = |trees: &Trees, trace: &Trace, end: BoostStop| BoostingModel {
            loss,
            classes: classes.clone(),
            start: start.clone(),
            certificate: certificate(trees, trace, start.len(), end),
            trees: trees.clone(),
            trace: trace.clone(),
        };
        let end = engine.run(cx, |trees, trace| checkpoints.save_if_due(|| Ok(model(trees, trace, BoostStop::Deadline))))?;
        if self.keep_best {
            engine.drop_rounds_after_best();
        }
        Ok(model(&engine.trees, &engine.trace, end))
    }

    /// Binned rows to watch, with their scores so far.
    #[cfg(feature = "fit")]
    #[allow(clippy::too_many_arguments)]
    fn watch(
        &self,
        view: &DatasetRef<'_>,
        rows: &BinnedRows<'_>,
        categories: &Categories,
        class_weight: &[f64],
        classes: &[String],
        start: &[f64],
        from: &Option<(&BoostingModel, Vec<f64>)>,
    ) -> Result<ValidationRows<'static>> {
        view.check(&Self::SPEC)?;
        if let Target::Class { names, .. } = view.y
            && names != classes
        {
            return Err(Error::Target("the validation set names other classes than the training rows".into()));
        }
        let mut out = BinnedRows::new(rows.bins.columns().to_vec());
        out.append(view, &ColumnCells::matched(view.x, categories)?, class_weight)?;
        let scores = match from {
            Some((model, _)) => earlier_scores(model, view)?,
            None => start.iter().flat_map(|&s| std::iter::repeat_n(s, out.len())).collect(),
        };
        Ok(ValidationRows { rows: out, scores })
    }
}

/// Facts known before the rounds begin.
#[cfg(feature = "fit")]
struct BoostSetup {
    loss: Loss,
    summary: DataSummary,
    categories: Categories,
    class_weight: Vec<f64>,
    classes: Vec<String>,
}

/// The scores that a model gives rows of positive weight, output after output.
fn earlier_scores(model: &BoostingModel, data: &DatasetRef<'_>) -> Result<Vec<f64>> {
    let scores = model.scores(&data.x)?;
    let kept: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
    Ok((0..scores.cols()).flat_map(|k| kept.iter().map(|&i| scores[(i, k)]).collect::<Vec<_>>()).collect())
}

/// The evidence: the loss after the last round, and how it ended.
#[cfg(feature = "fit")]
fn certificate(trees: &Trees, trace: &Trace, outputs: usize, end: BoostStop) -> Certificate {
    let mut notes = Vec::new();
    match end {
        BoostStop::Patience => notes.push("stopped early: the rows held out got no better".into()),
        BoostStop::Deadline => notes.push("cut short: there would have been more rounds".into()),
        BoostStop::Rounds => {}
    }
    Certificate {
        method: "boosting".into(),
        objective: trace.rows.last().map(|r| r[1]),
        iterations: (trees.n_trees() / outputs) as u64,
        converged: end != BoostStop::Deadline,
        notes,
        ..Certificate::default()
    }
}
