//! The context of a fit: seed, observer, deadline, validation set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{DatasetRef, Error, MatRef, Model, Result};

/// The progress of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The current stage: "pass", "newton", "growing".
    pub stage: &'static str,
    /// Steps completed.
    pub done: u64,
    /// Steps in all, where known.
    pub total: Option<u64>,
    /// The objective so far, where there is one.
    pub objective: Option<f64>,
}

/// The answer of an observer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop the fit: it returns [`Error::Stopped`].
    Stop,
}

/// Stops a fit from another thread: clones share one state.
///
/// ```
/// use ermine_core::{CancelToken, Context};
///
/// let token = CancelToken::default();
/// let for_the_fit = token.clone();
/// let cx = Context { cancel: Some(&for_the_fit), ..Context::default() };
/// token.cancel();
/// assert!(cx.cancel.is_some_and(CancelToken::is_cancelled));
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks the fit to stop: it returns [`Error::Stopped`] at its next step.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Stores a partially trained model; may be called from any thread of a fit.
pub type SaveModel<'a> = dyn Fn(&dyn Model) -> Result<()> + Sync + 'a;

/// The context of a fit besides the data: the seed, an observer that can stop it, a deadline, a validation set.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// All randomness of the fit derives from it.
    pub seed: u64,
    /// Receives progress; may be called from any thread of the fit.
    pub observer: Option<&'a (dyn Fn(&Progress) -> Flow + Sync)>,
    /// Stops the fit from another thread.
    pub cancel: Option<&'a CancelToken>,
    /// Threads of the fit, in a pool of its own; without it the fit runs on the rayon pool it is called in. The model does
    /// not depend on it. Used by [`crate::Learner::fit_with`].
    pub threads: Option<usize>,
    /// When to stop. A learner that improves step by step then returns what it has, with `converged: false`; others
    /// return [`Error::Deadline`].
    pub deadline: Option<Instant>,
    /// For early stopping; never used to fit.
    pub validation: Option<&'a DatasetRef<'a>>,
    /// Initial scores of the rows; used by gradient boosting alone. They are not part of the model: at prediction, the
    /// caller adds those of the new rows.
    pub offset: Option<Offset<'a>>,
    /// Rows per block of a pass, instead of the learner's own choice. Results agree up to rounding for any size, which
    /// the common checks test.
    pub block_rows: Option<usize>,
    /// Upper bound in bytes on the memory of a fit on a stream, besides its model, instead of the learner's own choice.
    /// The bits of the model do not depend on it. Used by forests and boosting.
    pub memory: Option<u64>,
    /// Called with the partially trained model by learners that add complete parts one after the other (trees), so that
    /// it can be stored; [`crate::Learner::WARM_START`] continues from it to the same bytes. It is a model of the
    /// learner that was called: a learner that fits others internally gives them a context without it.
    pub checkpoint: Option<&'a SaveModel<'a>>,
    /// The least time between two checkpoints; zero: one after every part.
    pub checkpoint_every: Duration,
    /// Receives messages about how the fit was computed that are not in the model, because the model does not depend on
    /// them.
    pub remarks: Option<&'a (dyn Fn(String) + Sync)>,
}

/// Initial scores of rows: rows by scores.
#[derive(Clone, Copy)]
pub struct Offset<'a> {
    /// Of the training rows.
    pub rows: MatRef<'a, f64>,
    /// Of the validation rows, where there are any.
    pub validation: Option<MatRef<'a, f64>>,
}

/// Stores the partially trained model when a checkpoint is due.
#[derive(Clone, Copy)]
pub struct Checkpoints<'a> {
    save: Option<&'a SaveModel<'a>>,
    every: Duration,
    last: Instant,
}

impl Checkpoints<'_> {
    /// Stores the model if a checkpoint is due; the model is only built then.
    pub fn save_if_due<M: Model>(&mut self, model: impl FnOnce() -> Result<M>) -> Result<()> {
        let Some(save) = self.save else { return Ok(()) };
        if self.last.elapsed() < self.every {
            return Ok(());
        }
        save(&model()?)?;
        self.last = Instant::now();
        Ok(())
    }
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

    /// The same context without checkpoints, for a learner inside another one, whose model the outer learner stores.
    pub fn without_checkpoints(&self) -> Self {
        Self { checkpoint: None, offset: None, ..*self }
    }

    /// The checkpoints of a fit that starts now.
    pub fn checkpoints(&self) -> Checkpoints<'a> {
        Checkpoints { save: self.checkpoint, every: self.checkpoint_every, last: Instant::now() }
    }

    /// Whether the deadline has passed.
    pub fn deadline_passed(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Sends a remark, if there is a receiver; the text is only built then.
    pub fn note(&self, words: impl FnOnce() -> String) {
        if let Some(remarks) = self.remarks {
            remarks(words());
        }
    }

    /// Runs a fit on the threads that are asked for, or on the current pool.
    pub(crate) fn on_threads<T: Send>(&self, fit: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        #[cfg(feature = "parallel")]
        if let Some(threads) = self.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            return pool.map_err(|e| Error::Data(format!("{threads} threads: {e}")))?.install(fit);
        }
        fit()
    }

    /// Reports progress to the observer; an error when it, or the token, asks for a stop.
    pub fn report(&self, progress: Progress) -> Result<()> {
        #[cfg(feature = "tracing")]
        tracing::debug!(stage = progress.stage, done = progress.done, total = progress.total, objective = progress.objective);
        if self.cancel.is_some_and(CancelToken::is_cancelled) {
            return Err(Error::Stopped(progress.stage.to_owned()));
        }
        match self.observer {
            Some(observer) if observer(&progress) == Flow::Stop => Err(Error::Stopped(progress.stage.to_owned())),
            _ => Ok(()),
        }
    }

    /// Reports progress to the observer and checks the deadline; an error when either asks for a stop. For learners
    /// that have nothing to return before the end.
    pub fn check(&self, progress: Progress) -> Result<()> {
        self.report(progress)?;
        if self.deadline_passed() { Err(Error::Deadline(progress.stage.to_owned())) } else { Ok(()) }
    }
}
