//! Gradient boosting on exact trees.

#[cfg(feature = "fit")]
mod fit;
mod loss;
mod model;
#[cfg(feature = "fit")]
mod step;
#[cfg(test)]
mod tests;

use ermine_core::{
    Accepts, Context, DatasetRef, Error, Family, FitFrom, Learner, ModelReader, ParamSpec, Range, Result, Spec, Task,
};
use serde::{Deserialize, Serialize};

use super::params::{
    MAX_DEPTH, MAX_LEAF_NODES, MIN_IMPURITY_DECREASE, MIN_SAMPLES_LEAF, MIN_SAMPLES_SPLIT, MIN_WEIGHT_FRACTION_LEAF, SHARE,
    check_stops,
};
use super::{CountOrFraction, MaxFeatures, Tree};

pub use model::GradientBoostingModel;

/// A sum of small trees, each fitted to the gradient of the loss at the sum of the trees before it.
///
/// # What it minimizes
/// sum over rows of w L(y, F(x)) over sums of trees F = F0 + nu sum rho_m h_m, greedily: h_m is the regression tree that is
/// nearest in squares to the negative slopes -dL/dF at the present F, and the step rho_m is chosen by `step`: a best value
/// for each leaf (the default), one line search for the whole tree, 1, or 1 / (1 + decay m). L is squared, absolute, Huber's
/// or the pinball loss, the Poisson, logistic or softmax deviance, or the exponential loss.
///
/// # When to use it
/// For up to some ten thousand rows, where exact splits cost little, and for losses that have no second derivative. On
/// more rows `boosting` does nearly the same with histograms and is many times faster.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Regressor, Target};
/// use ermine_tree::tree::gradient_boosting::GradientBoosting;
///
/// let x: Vec<f64> = (0..100).map(f64::from).collect();
/// let y: Vec<f64> = x.iter().map(|v| (v / 20.0).sin()).collect();
/// let x = Features::F64(MatRef::row_major(&x, 100, 1));
/// let model = GradientBoosting::default().fit_with(&DatasetRef::new(x).with_target(Target::Real(&y)), &Context::default())?;
/// let p = model.predict(&x)?;
/// assert!((0..100).all(|i| (p[(i, 0)] - y[i]).abs() < 0.02));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Cost
/// The columns are sorted once for all rounds; a round costs one pass over the cells for each level of its tree, for
/// each class when there are more than two.
///
/// # What it does not do
/// Histograms, second-order splits, several targets, training in passes.
///
/// # Reference
/// Friedman: Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001; Friedman:
/// Stochastic gradient boosting, Computational Statistics and Data Analysis 38, 2002.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias("GradientBoostingClassifier", "GradientBoostingRegressor"))]
pub struct GradientBoosting {
    /// The loss; "auto" is the squared error or the log loss, by the target.
    pub loss: String,
    /// Quantile of the pinball loss, and of the residuals at which Huber's loss turns.
    pub quantile: f64,
    /// Factor of every step.
    pub learning_rate: f64,
    /// How the step of a tree is chosen.
    pub step: String,
    /// How fast steps shrink.
    pub decay: f64,
    /// Rounds.
    pub n_estimators: u64,
    /// Share of the rows each tree sees.
    pub subsample: f64,
    /// The criterion of a split.
    pub criterion: String,
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
    /// Leaves of a tree; it is then grown best first.
    pub max_leaf_nodes: Option<u64>,
    /// Decrease of the impurity of the whole tree a split must bring.
    pub min_impurity_decrease: f64,
    /// Price of a leaf in pruning.
    pub ccp_alpha: f64,
    /// Where the scores start: "prior" or "zero".
    pub init: String,
    /// Rounds without progress on held-out rows after which to stop.
    pub n_iter_no_change: Option<u64>,
    /// Share of the rows held out for that.
    pub validation_fraction: f64,
    /// The least decrease that counts as progress.
    pub tol: f64,
}

impl Default for GradientBoosting {
    fn default() -> Self {
        Self {
            loss: "auto".into(),
            quantile: 0.9,
            learning_rate: 0.1,
            step: "leaf".into(),
            decay: 0.1,
            n_estimators: 100,
            subsample: 1.0,
            criterion: "friedman_mse".into(),
            max_depth: Some(3),
            min_samples_split: CountOrFraction::Rows(2),
            min_samples_leaf: CountOrFraction::Rows(1),
            min_weight_fraction_leaf: 0.0,
            max_features: None,
            max_leaf_nodes: None,
            min_impurity_decrease: 0.0,
            ccp_alpha: 0.0,
            init: "prior".into(),
            n_iter_no_change: None,
            validation_fraction: 0.1,
            tol: 1e-4,
        }
    }
}

const STEPS: &[&str] = &["leaf", "line-search", "fixed", "decay"];

#[cfg(feature = "fit")]
impl Learner for GradientBoosting {
    type Model = GradientBoostingModel;

    const SEARCH_SPACE: &'static [&'static str] =
        &["learning_rate=0.01..0.5:log", "n_estimators=50..500:log", "max_depth=1..8", "subsample=0.5..1"];

    const WARM_START: Option<FitFrom<Self>> = Some(fit::fit);

    const SPEC: Spec = Spec {
        name: "gradient-boosting",
        summary: "Gradient boosting on exact trees: any of eight losses, line search, fixed or decaying steps, subsampling",
        objective: "sum w L(y, F(x)), F = F0 + learning_rate * sum of rho_m h_m; h_m is the tree nearest in squares to -dL/dF",
        notes: "For up to some ten thousand rows and for losses without second derivatives; boosting is much faster on more rows. \
                With n_iter_no_change a part of the rows is held out and the rounds end when it stops improving. More rounds can \
                be added later without changing those that are there. The same bits on any number of threads.",
        reference: "Friedman: Greedy function approximation: a gradient boosting machine, Annals of Statistics 29, 2001",
        family: Family::Tree,
        tasks: &[Task::Classification, Task::Regression],
        accepts: Accepts { weights: true, missing: true, categorical: true, sparse: true, passes: false, multi_target: false },
        params: &[
            ParamSpec {
                name: "loss",
                doc: "What is minimized: squared_error, absolute_error, huber, quantile (pinball) or poisson (log link) for \
                      numbers; log_loss (logistic, softmax) or exponential (two classes) for classes. auto is squared_error \
                      or log_loss.",
                range: Range::Choice(loss::LOSSES),
            },
            ParamSpec {
                name: "quantile",
                doc: "The quantile of loss = quantile; for huber the share of residuals that count in squares.",
                range: Range::Real { min: 1e-9, max: 1.0 - 1e-9, above: false, log: false },
            },
            ParamSpec { name: "learning_rate", doc: "Factor of every step.", range: Range::at_least(0.0) },
            ParamSpec {
                name: "step",
                doc: "How far a tree goes: leaf finds the best value for each leaf, line-search one factor for the whole tree, \
                      fixed takes the tree as it is, decay divides it by 1 + decay * (rounds before). All are multiplied by \
                      learning_rate.",
                range: Range::Choice(STEPS),
            },
            ParamSpec { name: "decay", doc: "How fast steps shrink, for step = decay.", range: Range::at_least(0.0) },
            ParamSpec {
                name: "n_estimators",
                doc: "Rounds; a tree each, or one tree per class.",
                range: Range::Int { min: 1, max: 1_000_000 },
            },
            ParamSpec {
                name: "subsample",
                doc: "Share of the rows, drawn without replacement, that each round sees.",
                range: SHARE,
            },
            ParamSpec {
                name: "criterion",
                doc: "What makes a split good; friedman_mse and squared_error choose the same splits.",
                range: Range::Choice(&["friedman_mse", "squared_error"]),
            },
            MAX_DEPTH,
            MIN_SAMPLES_SPLIT,
            MIN_SAMPLES_LEAF,
            MIN_WEIGHT_FRACTION_LEAF,
            ParamSpec {
                name: "max_features",
                doc: "Columns drawn at random for each split: a whole number, a share, sqrt or log2 of their number; null for all.",
                range: Range::Optional(&Range::Either(
                    &Range::Choice(&["sqrt", "log2"]),
                    &Range::Either(&Range::Int { min: 1, max: i64::MAX }, &SHARE),
                )),
            },
            MAX_LEAF_NODES,
            MIN_IMPURITY_DECREASE,
            ParamSpec {
                name: "ccp_alpha",
                doc: "Price of a leaf in cost-complexity pruning of each tree; 0 does not prune.",
                range: Range::at_least(0.0),
            },
            ParamSpec {
                name: "init",
                doc: "Where the scores start: prior is the best constant, zero is 0.",
                range: Range::Choice(&["prior", "zero"]),
            },
            ParamSpec {
                name: "n_iter_no_change",
                doc: "Stop when the loss on held-out rows has not fallen by tol below any of so many rounds before; null never stops.",
                range: Range::Optional(&Range::Int { min: 1, max: i64::MAX }),
            },
            ParamSpec {
                name: "validation_fraction",
                doc: "Share of the rows held out for n_iter_no_change, of each class alike.",
                range: Range::Real { min: 1e-9, max: 1.0 - 1e-9, above: false, log: false },
            },
            ParamSpec { name: "tol", doc: "What counts as progress for n_iter_no_change.", range: Range::at_least(0.0) },
        ],
    };

    fn check(&self) -> Result<()> {
        let params = serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?;
        Self::SPEC.check_params(&params)?;
        check_stops(&Self::SPEC, &params, self.min_samples_split, self.min_samples_leaf, self.max_features.as_ref())?;
        Ok(())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GradientBoostingModel> {
        fit::fit(self, None, data, cx)
    }

    fn load(input: &ModelReader) -> Result<GradientBoostingModel> {
        GradientBoostingModel::load(input)
    }
}

impl GradientBoosting {
    /// The tree of a round.
    fn tree(&self) -> Tree {
        Tree {
            max_depth: self.max_depth,
            min_samples_split: self.min_samples_split,
            min_samples_leaf: self.min_samples_leaf,
            min_weight_fraction_leaf: self.min_weight_fraction_leaf,
            max_features: self.max_features.clone(),
            max_leaf_nodes: self.max_leaf_nodes,
            min_impurity_decrease: self.min_impurity_decrease,
            ..Tree::default()
        }
    }
}
