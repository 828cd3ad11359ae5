//! The search for the best model within a budget, for `compare` and for `fit` without a model.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use ermine::core::{AnyLearner, Task};
use ermine::learn::model_selection::{AutoMl, AutoOutcome, AutoProgress, Candidate, CvSplits, automl::WrapLearner, portfolio};
use ermine::prelude::*;

use crate::args::auto::{AutoArgs, AutoBudget};
use crate::args::{GlobalArgs, LearnArgs};
use crate::progress::ProgressLine;
use crate::text;

/// The time of a fit without a model.
pub const DEFAULT_BUDGET: AutoBudget = AutoBudget::Time(Duration::from_secs(30));

/// A search to run.
pub struct AutoSearch<'a> {
    pub auto: &'a AutoArgs,
    pub learning: &'a LearnArgs,
    pub everywhere: &'a GlobalArgs,
    pub budget: AutoBudget,
    /// When the command began: reading is part of its time.
    pub started: Instant,
    /// Share of the time that is left for the search.
    pub share: f64,
    /// What is compared; the portfolio where it is empty.
    pub models: Vec<Box<dyn AnyLearner>>,
    /// The rounds; chosen by rows and time where there are none.
    pub splits: Option<CvSplits>,
}

/// The metric to choose by.
pub fn metric<'a>(auto: &'a AutoArgs, problem: &Problem) -> &'a str {
    match (&auto.metric, problem.y.view().task()) {
        (Some(name), _) => name,
        (None, Some(Task::Classification)) => "accuracy",
        _ => "r2",
    }
}

impl AutoSearch<'_> {
    pub fn run(self, problem: &Problem) -> Result<AutoOutcome> {
        let learning = self.learning.clone();
        let as_asked = learning.prepare != "none" && learning.features.is_empty();
        let wrap: Arc<WrapLearner> = Arc::new(move |learner| learning.prepared_learner(learner));
        let candidates: Vec<Candidate> = match (self.models.is_empty(), problem.y.view().task()) {
            (false, _) => self.models.into_iter().map(|l| Candidate::new(l.spec().name, l, wrap.clone())).collect(),
            (true, Some(task)) if as_asked => portfolio(task)?,
            (true, Some(task)) => portfolio(task)?.into_iter().map(|c| c.wrapped(wrap.clone())).collect(),
            (true, None) => Vec::new(),
        };
        let (deadline, fits) = match self.budget {
            AutoBudget::Time(time) => {
                let now = Instant::now();
                let left = (self.started + time).saturating_duration_since(now);
                (Some(now + left.mul_f64(self.share)), None)
            }
            AutoBudget::Fits(fits) => (None, Some(fits)),
        };
        let metric = metric(self.auto, problem);
        let bar = ProgressLine::new(self.everywhere, "searching for the best model");
        let tell = |p: &AutoProgress<'_>| {
            let left = deadline.map_or(String::new(), |d| {
                format!("; {} left", text::seconds(d.saturating_duration_since(Instant::now()).as_secs_f64()))
            });
            bar.set_message(format!("{} tried, {} last; best: {} with {metric} {:.4}{left}", p.done, p.name, p.best.0, p.best.1));
        };
        let observer = |_: &ermine::core::Progress| ermine::core::Flow::Continue;
        let search = AutoMl {
            metric,
            fits,
            splits: self.splits,
            candidates,
            single: self.auto.single,
            predict_seconds: self.auto.fast.map(|t| t.as_secs_f64()),
            on_candidate: &tell,
        };
        let cx = Context { seed: self.everywhere.seed, deadline, observer: Some(&observer), ..Context::default() };
        Ok(search.run(&problem.dataset(), &cx).map_err(|e| e.with_row(|row| problem.row_of_table(row)))?)
    }
}
