//! Fits of several settings to the same rows at once.

use crate::{Context, Dataset, Learner, Result};

/// Takes a model of a joint fit, with the number of its setting.
pub type TakeModel<'t, M> = &'t mut dyn FnMut(usize, M) -> Result<()>;

/// How models of several settings are made of the same rows.
pub type FitMany<L> = fn(&[L], &Dataset<'_>, &Context<'_>, TakeModel<'_, <L as Learner>::Model>) -> Result<()>;

/// How settings that differ in some parameters only are fitted to the same rows at once.
pub struct JointFit<L: Learner> {
    /// What settings must have in common to be fitted at once: equal words, one fit. None for a setting that is fitted alone.
    pub key: fn(&L) -> Option<String>,
    /// Fits settings with equal keys and hands over each model when it is ready, in any order, so that not all of them need to be held.
    pub fit: FitMany<L>,
}
