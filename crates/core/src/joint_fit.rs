//! Joint fits of several settings to the same rows.

use crate::{Context, DatasetRef, Learner, Result};

/// Receives a model of a joint fit, with the index of its setting.
pub type TakeModel<'t, M> = &'t mut dyn FnMut(usize, M) -> Result<()>;

/// Fits models of several settings to the same rows.
pub type FitMany<L> = fn(&[L], &DatasetRef<'_>, &Context<'_>, TakeModel<'_, <L as Learner>::Model>) -> Result<()>;

/// How settings that differ in some parameters only are fitted to the same rows together.
pub struct JointFit<L: Learner> {
    /// Settings with equal keys are fitted together. None for a setting that is fitted alone.
    pub key: fn(&L) -> Option<String>,
    /// Fits settings with equal keys and passes each model on when it is ready, in any order, so that not all of them
    /// are held at once.
    pub fit: FitMany<L>,
}
