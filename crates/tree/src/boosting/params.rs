//! Parameters resolved for the data.

use ermine_core::{Error, Result, Target};
use ermine_math::bins::ColumnBins;
use serde::{Deserialize, Serialize};

use super::Boosting;
#[cfg(feature = "fit")]
use super::data::DataSummary;
#[cfg(feature = "fit")]
use super::engine::RowSampling;
#[cfg(feature = "fit")]
use super::grow::TreeOptions;
use super::objective::Loss;
#[cfg(feature = "fit")]
use super::refuse;
#[cfg(feature = "fit")]
use super::split::SplitPenalty;

/// Whether to stop early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EarlyStopping {
    /// Yes or no.
    Flag(bool),
    /// "auto": when there is a validation set.
    Word(String),
}

/// Which columns may interact on a path from root to leaf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InteractionConstraints {
    /// "pairwise" or "no_interactions".
    Word(String),
    /// Sets of columns, by number from 0.
    Sets(Vec<Vec<u32>>),
}

impl Boosting {
    #[cfg(feature = "fit")]
    pub(super) fn loss_for(&self, y: &Target<'_>) -> Result<Loss> {
        let wrong = |what: &str| refuse("loss", &self.loss, what);
        match y {
            Target::Class { names, .. } => match self.loss.as_str() {
                "auto" | "log_loss" => Ok(if names.len() > 2 { Loss::Softmax(names.len()) } else { Loss::Logistic }),
                _ => Err(wrong("the target has classes, and their loss is log_loss")),
            },
            _ => match self.loss.as_str() {
                "auto" | "squared_error" => Ok(Loss::SquaredError),
                "absolute_error" => Ok(Loss::AbsoluteError),
                "poisson" => Ok(Loss::Poisson),
                "gamma" => Ok(Loss::Gamma),
                "quantile" => Ok(Loss::Quantile(self.quantile.unwrap_or(0.5))),
                _ => Err(wrong("the target has numbers, and log_loss is for classes")),
            },
        }
    }

    /// One weight per class, or nothing.
    #[cfg(feature = "fit")]
    pub(super) fn class_weights(&self, y: &Target<'_>, summary: &DataSummary) -> Result<Vec<f64>> {
        match (&self.class_weight, y) {
            (None, _) => Ok(Vec::new()),
            (Some(weights), Target::Class { names, .. }) => weights.resolve("boosting", names, &summary.classes),
            (Some(_), _) => Err(Error::Target("it has numbers, and class_weight is for classes".into())),
        }
    }

    #[cfg(feature = "fit")]
    pub(super) fn sampling(&self) -> RowSampling {
        if self.goss && self.top_rate + self.other_rate < 1.0 {
            RowSampling::Goss(self.top_rate, self.other_rate)
        } else if self.subsample < 1.0 {
            RowSampling::Share(self.subsample)
        } else {
            RowSampling::All
        }
    }

    #[cfg(feature = "fit")]
    pub(super) fn shape(&self, columns: &[ColumnBins], loss: &Loss, seed: u64) -> Result<TreeOptions> {
        let limit = |v: Option<u64>| v.map_or(usize::MAX, |v| usize::try_from(v).unwrap_or(usize::MAX));
        Ok(TreeOptions {
            penalty: SplitPenalty {
                l1: self.l1_regularization,
                l2: self.l2_regularization,
                gamma: self.min_split_gain,
                min_count: self.min_samples_leaf,
                min_curvature: self.min_child_weight,
                cat_l2: self.cat_l2,
                cat_smooth: self.cat_smooth,
                max_cat_threshold: usize::try_from(self.max_cat_threshold).unwrap_or(usize::MAX),
                max_cat_to_onehot: usize::try_from(self.max_cat_to_onehot).unwrap_or(usize::MAX),
                min_group: self.min_data_per_group as f64,
            },
            curbed: matches!(loss, Loss::Logistic | Loss::Softmax(_)),
            rate: self.learning_rate,
            max_leaves: limit(self.max_leaf_nodes),
            max_depth: limit(self.max_depth),
            tree_columns: self.colsample_bytree,
            node_columns: self.max_features,
            monotone: self.monotone(columns, loss)?,
            groups: self.groups(columns.len())?,
            random_thresholds: self.extra_trees,
            seed,
        })
    }

    #[cfg(feature = "fit")]
    fn monotone(&self, columns: &[ColumnBins], loss: &Loss) -> Result<Vec<i8>> {
        let Some(constraints) = &self.monotonic_cst else { return Ok(Vec::new()) };
        let value = format!("{constraints:?}");
        if constraints.len() != columns.len() {
            return Err(refuse("monotonic_cst", &value, &format!("there are {} columns", columns.len())));
        }
        if constraints.iter().all(|c| *c == 0) {
            return Ok(Vec::new());
        }
        if matches!(loss, Loss::Softmax(_)) {
            return Err(refuse("monotonic_cst", &value, "monotonic constraints are for numbers or two classes"));
        }
        if let Some(j) = (0..columns.len()).find(|&j| constraints[j] != 0 && columns[j].is_category()) {
            return Err(refuse("monotonic_cst", &value, &format!("column {j} has categories, which have no order")));
        }
        Ok(constraints.clone())
    }

    #[cfg(feature = "fit")]
    fn groups(&self, columns: usize) -> Result<Vec<Vec<u32>>> {
        let n = columns as u32;
        let bad = |value: &str, what: &str| Err(refuse("interaction_cst", value, what));
        match &self.interaction_cst {
            None => Ok(Vec::new()),
            Some(InteractionConstraints::Word(w)) if w == "no_interactions" => Ok((0..n).map(|j| vec![j]).collect()),
            Some(InteractionConstraints::Word(w)) if w == "pairwise" => {
                Ok((0..n).flat_map(|a| (a + 1..n).map(move |b| vec![a, b])).chain((n == 1).then(|| vec![0])).collect())
            }
            Some(InteractionConstraints::Word(w)) => {
                bad(w, "it must be null, pairwise, no_interactions, or lists of column numbers")
            }
            Some(InteractionConstraints::Sets(sets)) => {
                if let Some(j) = sets.iter().flatten().find(|j| **j >= n) {
                    return bad(&j.to_string(), &format!("there are {n} columns, counted from 0"));
                }
                let rest: Vec<u32> = (0..n).filter(|j| !sets.iter().any(|s| s.contains(j))).collect();
                let mut sets = sets.clone();
                if !rest.is_empty() {
                    sets.push(rest);
                }
                Ok(sets)
            }
        }
    }
}
