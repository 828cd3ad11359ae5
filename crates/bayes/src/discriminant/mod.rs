//! Discriminant analysis: classes are normal distributions, with one covariance or each with its own.

mod lda;
mod lda_model;
mod left_out;
mod qda;
mod qda_model;
mod shrinkage;
mod totals;
mod whiten;
mod wide;

pub use lda::{Lda, LdaSolver};
pub use lda_model::LdaModel;
pub use qda::{Qda, QdaSolver};
pub use qda_model::QdaModel;
pub use shrinkage::Shrinkage;

use ermine_core::{Error, ParamSpec, Range, Result};
use serde::{Deserialize, Serialize};

/// What a sum of squares is divided by to be a covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CovarianceDivisor {
    /// Rows less the means that were estimated from them: the expectation is right.
    #[default]
    Unbiased,
    /// Rows: the most likely covariance.
    Ml,
}

const PRIORS: ParamSpec = ParamSpec {
    name: "priors",
    doc: "Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the shares of the classes in \
          the training rows.",
    range: Range::Optional(&Range::List(&Range::Real { min: 0.0, max: 1.0, above: false, log: false })),
};

/// Refuses priors that do not sum to 1, give or take a few digits.
fn check_priors(learner: &'static str, priors: Option<&[f64]>) -> Result<()> {
    let Some(priors) = priors else { return Ok(()) };
    let sum: f64 = priors.iter().sum();
    if (sum - 1.0).abs() > 1e-5 {
        return Err(refuse_priors(learner, priors, format!("the priors must sum to 1, and they sum to {sum}")));
    }
    Ok(())
}

fn refuse_priors(learner: &'static str, priors: &[f64], expected: String) -> Error {
    Error::Parameter { learner, name: "priors".into(), value: format!("{priors:?}"), expected }
}

/// Refuses priors of another number of classes.
fn expect_classes(learner: &'static str, priors: Option<&[f64]>, classes: usize) -> Result<()> {
    match priors {
        Some(p) if p.len() != classes => {
            Err(refuse_priors(learner, p, format!("there are {classes} classes and {} priors", p.len())))
        }
        _ => Ok(()),
    }
}

/// The given priors, or the shares of the classes; a class without rows has none.
fn priors(given: Option<&[f64]>, weight: &[f64]) -> Vec<f64> {
    let total: f64 = weight.iter().sum();
    let prior = |(k, w): (usize, &f64)| if *w > 0.0 { given.map_or(w / total, |g| g[k]) } else { 0.0 };
    weight.iter().enumerate().map(prior).collect()
}

/// Names of columns for notes: the first few of them, and how many more there are.
fn listed(names: &[String]) -> String {
    const FEW: usize = 5;
    let more = names.len().saturating_sub(FEW);
    let first = names[..names.len().min(FEW)].join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}
