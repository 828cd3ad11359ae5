//! What a fit may consult besides the data.

use std::time::Instant;

use crate::{Dataset, Error, Result};

/// Where a fit stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// What is being done: "pass", "newton", "growing".
    pub stage: &'static str,
    /// Steps done.
    pub done: u64,
    /// Steps in all, where known.
    pub total: Option<u64>,
    /// The objective so far, where there is one.
    pub objective: Option<f64>,
}

/// What an observer answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop the fit: it returns [`Error::Stopped`].
    Stop,
}

/// What a fit may consult besides the data: the seed, an observer that can stop it, a deadline, a validation set.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// All randomness of the fit derives from it.
    pub seed: u64,
    /// Told of progress; may be called from any thread of the fit.
    pub observer: Option<&'a (dyn Fn(&Progress) -> Flow + Sync)>,
    /// When to stop. A learner that improves step by step then returns what it has, with `converged: false`; others
    /// return [`Error::Deadline`].
    pub deadline: Option<Instant>,
    /// For early stopping; never used to fit.
    pub validation: Option<&'a Dataset<'a>>,
    /// Rows in a block of a pass, instead of the learner's own choice. Results agree up to rounding whatever it is; the
    /// common checks rely on that.
    pub block_rows: Option<usize>,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("seed", &self.seed)
            .field("observer", &self.observer.is_some())
            .field("deadline", &self.deadline)
            .field("validation", &self.validation.is_some())
            .finish()
    }
}

impl<'a> Context<'a> {
    /// A context with a seed and nothing else.
    pub fn seeded(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Whether the deadline has passed.
    pub fn out_of_time(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Tells the observer; an error when it wants a stop.
    pub fn report(&self, progress: Progress) -> Result<()> {
        match self.observer {
            Some(observer) if observer(&progress) == Flow::Stop => Err(Error::Stopped(progress.stage.to_owned())),
            _ => Ok(()),
        }
    }

    /// Tells the observer and looks at the clock; an error when either wants a stop. For learners that have nothing to
    /// return before the end.
    pub fn check(&self, progress: Progress) -> Result<()> {
        self.report(progress)?;
        if self.out_of_time() { Err(Error::Deadline(progress.stage.to_owned())) } else { Ok(()) }
    }
}
