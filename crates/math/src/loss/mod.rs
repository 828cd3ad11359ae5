//! Losses and links, written once for linear models, generalized linear models, margins, boosting and networks.
//!
//! | what | where | given |
//! |---|---|---|
//! | loss of a residual or of a margin | [`RowLoss`] | value, gradient, curvature, convex conjugate |
//! | family of a generalized linear model | [`Family`] | unit variance, unit deviance, loss of a mean, range of targets |
//! | link between mean and score | [`Link`] | link, inverse, derivative of the inverse |
//! | a family behind a link, over a block of rows | [`glm_block`] | loss, gradient, expected curvature, Pearson's statistic |
//! | logistic and softmax losses over a block of rows | [`logistic_block`], [`softmax_block`] | loss, gradient, curvature |
//! | shares of components in the density of a row, over a block of rows | [`posterior_block`] | posteriors, logarithm of the density |
//! | outputs of networks, rows of several scores | [`output_block`] | loss, gradient |
//!
//! Gradients and curvatures are by the score z, the output of the model, never by the target.

mod block;
mod family;
mod glm;
mod link;
mod outputs;
mod row;

pub use block::{BlockLoss, exp_in_place, log_sum_exp, log1p_exp, logistic_block, posterior_block, sigmoid, softmax_block};
pub use family::Family;
pub use glm::{FisherKind, GlmSums, glm_block};
pub use link::Link;
pub use outputs::{OutputLoss, Targets, output_block};
pub use row::RowLoss;
