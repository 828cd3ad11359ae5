//! Class weights, as parameters of learners.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Factors on the weights of the rows of each class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ClassWeight {
    /// "balanced": every class has the same total weight.
    Word(BalancedWord),
    /// One factor per class; classes that are not listed have 1.
    Factors(BTreeMap<String, f64>),
}

impl ClassWeight {
    /// The factor of each class from its weight; `weights` and `names` are by code.
    pub fn factors(&self, weights: &[f64], names: &[String]) -> Result<Vec<f64>> {
        match self {
            Self::Word(BalancedWord::Balanced) => {
                let classes = weights.iter().filter(|w| **w > 0.0).count() as f64;
                let total: f64 = weights.iter().sum();
                Ok(weights.iter().map(|&w| if w > 0.0 { total / (classes * w) } else { 0.0 }).collect())
            }
            Self::Factors(factors) => {
                if let Some((name, v)) = factors.iter().find(|(_, v)| !(v.is_finite() && **v >= 0.0)) {
                    return Err(Error::Data(format!(
                        "class_weight of \"{name}\": {v} is not allowed; it must be a finite number of at least 0"
                    )));
                }
                if let Some(name) = factors.keys().find(|name| !names.contains(name)) {
                    return Err(Error::unknown("class (in class_weight)", name, names.iter().map(String::as_str)));
                }
                Ok(names.iter().map(|n| factors.get(n).copied().unwrap_or(1.0)).collect())
            }
        }
    }
}

/// The one word that stands for class weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BalancedWord {
    /// n / (number of classes × weight of the class).
    Balanced,
}
