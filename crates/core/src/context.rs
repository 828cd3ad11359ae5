//! What a fit may consult besides the data.

use std::time::{Duration, Instant};

use crate::{Dataset, Error, MatRef, Model, Result};

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

/// Keeps the model so far; may be called from any thread of a fit.
pub type SaveModel<'a> = dyn Fn(&dyn Model) -> Result<()> + Sync + 'a;

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
    /// Where the scores of the rows start; looked at by gradient boosting alone. The model does not have them: who predicts with
    /// it adds those of the new rows.
    pub offset: Option<Offset<'a>>,
    /// Rows in a block of a pass, instead of the learner's own choice. Results agree up to rounding whatever it is; the
    /// common checks rely on that.
    pub block_rows: Option<usize>,
    /// Bytes that a fit on a stream may hold at a time, besides its model, instead of the learner's own choice. The bits of the
    /// model do not depend on it, only the way there does. Looked at by forests and boosting.
    pub memory: Option<u64>,
    /// Given the model so far by learners that add whole parts one after the other (trees), so that it can be kept;
    /// [`crate::Learner::CONTINUE`] goes on from it to the same bytes. It is a model of the learner that was called: one that
    /// fits others inside itself gives them a context without it.
    pub checkpoint: Option<&'a SaveModel<'a>>,
    /// The least time between two checkpoints; zero asks for one after every part.
    pub checkpoint_every: Duration,
    /// Told what a person may want to know of the way a fit went and the model does not tell, because it is the same model
    /// whatever the way.
    pub remarks: Option<&'a (dyn Fn(String) + Sync)>,
}

/// Scores that rows have before any learning: rows by scores.
#[derive(Clone, Copy)]
pub struct Offset<'a> {
    /// Of the rows to learn from.
    pub rows: MatRef<'a, f64>,
    /// Of the validation set, where there is one.
    pub validation: Option<MatRef<'a, f64>>,
}

/// Offers the model so far when a checkpoint is due.
#[derive(Clone, Copy)]
pub struct Checkpoints<'a> {
    save: Option<&'a SaveModel<'a>>,
    every: Duration,
    last: Instant,
}

impl Checkpoints<'_> {
    /// Gives the model to whoever keeps it, if it is time; the model is only made then.
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

    /// The same context for a learner inside another one: the model to keep is the outer one's to offer.
    pub fn without_checkpoints(&self) -> Self {
        Self { checkpoint: None, offset: None, ..*self }
    }

    /// The checkpoints of a fit that begins now.
    pub fn checkpoints(&self) -> Checkpoints<'a> {
        Checkpoints { save: self.checkpoint, every: self.checkpoint_every, last: Instant::now() }
    }

    /// Whether the deadline has passed.
    pub fn deadline_passed(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Tells how a fit goes, if someone wants to know; the words are only made then.
    pub fn note(&self, words: impl FnOnce() -> String) {
        if let Some(remarks) = self.remarks {
            remarks(words());
        }
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
        if self.deadline_passed() { Err(Error::Deadline(progress.stage.to_owned())) } else { Ok(()) }
    }
}
