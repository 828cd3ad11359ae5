//! Discriminant analysis: classes are normal distributions, with one covariance or each with its own.

mod lda;
mod lda_model;
#[cfg(feature = "fit")]
mod left_out;
mod qda;
mod qda_model;
mod shrinkage;
mod totals;
mod whiten;
#[cfg(feature = "fit")]
mod wide;

pub use lda::{Lda, LdaSolver};
pub use lda_model::LdaModel;
pub use qda::{Qda, QdaSolver};
pub use qda_model::QdaModel;
pub use shrinkage::Shrinkage;

use serde::{Deserialize, Serialize};

/// The divisor that turns a sum of squares into a covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CovarianceDivisor {
    /// Rows less the means that were estimated from them: the expectation is right.
    #[default]
    Unbiased,
    /// Rows: the most likely covariance.
    Ml,
}

/// Names of columns for notes: the first few of them, and how many more there are.
fn listed(names: &[String]) -> String {
    const FEW: usize = 5;
    let more = names.len().saturating_sub(FEW);
    let first = names[..names.len().min(FEW)].join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}
