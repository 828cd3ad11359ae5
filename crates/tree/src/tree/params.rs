//! Parameters that may be a number, a share or a word.

use std::collections::BTreeMap;

use ermine_core::{Error, ParamSpec, Range, Result, Spec};
use serde::{Deserialize, Serialize};

/// A share above 0.
pub(crate) const SHARE: Range = Range::Real { min: 0.0, max: 1.0, above: true, log: false };

// Parameters shared by trees and the ensembles that grow them.
pub(super) const MAX_DEPTH: ParamSpec = ParamSpec {
    name: "max_depth",
    doc: "Greatest number of tests on the path to a leaf; null for no limit.",
    range: Range::Optional(&Range::Int { min: 1, max: i64::MAX }),
};
pub(super) const MIN_SAMPLES_SPLIT: ParamSpec = ParamSpec {
    name: "min_samples_split",
    doc: "Rows a node needs to be split: a whole number, or a share of all rows.",
    range: Range::Either(&Range::Int { min: 2, max: i64::MAX }, &SHARE),
};
pub(super) const MIN_SAMPLES_LEAF: ParamSpec = ParamSpec {
    name: "min_samples_leaf",
    doc: "Rows that must be left on each side of a split: a whole number, or a share of all rows.",
    range: Range::Either(&Range::Int { min: 1, max: i64::MAX }, &SHARE),
};
pub(super) const MIN_WEIGHT_FRACTION_LEAF: ParamSpec = ParamSpec {
    name: "min_weight_fraction_leaf",
    doc: "Share of the total weight that must be left on each side of a split.",
    range: Range::Real { min: 0.0, max: 0.5, above: false, log: false },
};
pub(super) const MAX_LEAF_NODES: ParamSpec = ParamSpec {
    name: "max_leaf_nodes",
    doc: "Greatest number of leaves of a tree: the node whose split gains most is split first; null for no limit.",
    range: Range::Optional(&Range::Int { min: 2, max: i64::MAX }),
};
pub(super) const MIN_IMPURITY_DECREASE: ParamSpec = ParamSpec {
    name: "min_impurity_decrease",
    doc: "A node is split if this lowers the impurity, weighted by the share of the node, by at least this much.",
    range: Range::at_least(0.0),
};
pub(super) const MONOTONIC_CST: ParamSpec = ParamSpec {
    name: "monotonic_cst",
    doc: "For each column 1 if the prediction must not fall as it grows, -1 if it must not rise, 0 for no \
          constraint. For one number, or two classes (the probability of the second).",
    range: Range::Optional(&Range::List(&Range::Int { min: -1, max: 1 })),
};

/// A number of rows, given as such or as a share of all rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CountOrFraction {
    /// So many rows.
    Rows(u64),
    /// This share of all rows, rounded up.
    Share(f64),
}

impl CountOrFraction {
    fn is_valid(self, least: u64) -> bool {
        match self {
            Self::Rows(n) => n >= least,
            Self::Share(s) => s > 0.0 && s <= 1.0,
        }
    }

    pub(super) fn rows(self, all: usize) -> usize {
        match self {
            Self::Rows(n) => usize::try_from(n).unwrap_or(usize::MAX),
            Self::Share(s) => (s * all as f64).ceil() as usize,
        }
    }
}

/// Refuses counts and shares that no tree can have, which the ranges of untagged parameters let through.
pub(super) fn check_stops(
    spec: &Spec,
    params: &serde_json::Value,
    split: CountOrFraction,
    leaf: CountOrFraction,
    columns: Option<&MaxFeatures>,
) -> Result<()> {
    let refuse = |name: &str| Err(spec.out_of_range(spec.param(name)?, &params[name]));
    if !split.is_valid(2) {
        return refuse("min_samples_split");
    }
    if !leaf.is_valid(1) {
        return refuse("min_samples_leaf");
    }
    if columns.is_some_and(|m| !m.is_valid()) {
        return refuse("max_features");
    }
    Ok(())
}

/// The price of a leaf in pruning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CcpAlpha {
    /// This price.
    Alpha(f64),
    /// "cv": the price that cross-validation finds best.
    Word(String),
}

impl From<f64> for CcpAlpha {
    fn from(alpha: f64) -> Self {
        Self::Alpha(alpha)
    }
}

/// A number of columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MaxFeatures {
    /// So many columns.
    Columns(u64),
    /// This share of all columns, rounded down, at least one.
    Share(f64),
    /// "sqrt" or "log2" of their number, rounded down, at least one.
    Word(String),
}

impl MaxFeatures {
    fn is_valid(&self) -> bool {
        match self {
            Self::Columns(n) => *n >= 1,
            Self::Share(s) => *s > 0.0 && *s <= 1.0,
            Self::Word(w) => w == "sqrt" || w == "log2",
        }
    }

    pub(super) fn columns(&self, all: usize) -> usize {
        let n = match self {
            Self::Columns(n) => usize::try_from(*n).unwrap_or(usize::MAX),
            Self::Share(s) => (s * all as f64) as usize,
            Self::Word(w) if w == "sqrt" => all.isqrt(),
            Self::Word(_) => all.ilog2() as usize,
        };
        n.clamp(1, all)
    }
}

/// Weights of classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClassWeight {
    /// "balanced": every class has the same total weight, and the sum of all weights stays.
    Word(String),
    /// By name; classes that are not listed have weight 1.
    Map(BTreeMap<String, f64>),
}

impl ClassWeight {
    pub(crate) fn check(&self, learner: &'static str) -> Result<()> {
        let valid = match self {
            Self::Word(w) => w == "balanced",
            Self::Map(map) => map.values().all(|w| w.is_finite() && *w >= 0.0),
        };
        if valid {
            Ok(())
        } else {
            Err(self.refuse(learner, "it must be null, \"balanced\", or weights from 0 up by class name"))
        }
    }

    fn refuse(&self, learner: &'static str, expected: &str) -> Error {
        let value = serde_json::to_string(self).unwrap_or_default();
        Error::parameter(learner, "class_weight", value, expected)
    }

    /// The weight of each class, given the weight of its rows.
    pub(crate) fn resolve(&self, learner: &'static str, names: &[String], totals: &[f64]) -> Result<Vec<f64>> {
        match self {
            Self::Word(_) => {
                let present = totals.iter().filter(|t| **t > 0.0).count() as f64;
                let all: f64 = totals.iter().sum();
                Ok(totals.iter().map(|t| if *t > 0.0 { all / (present * t) } else { 1.0 }).collect())
            }
            Self::Map(map) => {
                if let Some(unknown) = map.keys().find(|k| !names.contains(k)) {
                    return Err(Error::unknown(
                        format!("class of the target (class_weight of {learner})"),
                        unknown,
                        names.iter().map(|n| n.as_str()),
                    ));
                }
                Ok(names.iter().map(|n| map.get(n).copied().unwrap_or(1.0)).collect())
            }
        }
    }
}
