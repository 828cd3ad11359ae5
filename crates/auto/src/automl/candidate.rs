//! The settings that are tried, in order, and how their cost grows.

use std::sync::Arc;

use ermine_compose::{Pipeline, prepared};
use ermine_core::{AnyLearner, Error, Family, Result, Task};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The settings in the order in which they are tried: `cargo xtask study` learns it.
const PORTFOLIO: &str = include_str!("portfolio.json");

/// Rounds times learning rate of boosting at most; early stopping nearly always comes first.
const ROUNDS_TIMES_RATE: f64 = 60.0;
const MAX_ROUNDS: f64 = 4000.0;
/// Rounds times learning rate that boosting needs to come near its best, and the greatest rate that is taken for it.
const ENOUGH_ROUNDS_TIMES_RATE: f64 = 20.0;
const GREATEST_RATE: f64 = 0.3;

/// A learner with settings that takes part in an [`super::AutoMl`] search.
#[derive(Clone)]
pub struct Candidate {
    /// Its name, without a point.
    pub name: String,
    base: Arc<dyn AnyLearner>,
    wrap: Arc<WrapLearner>,
    max_rows: usize,
    max_columns: usize,
}

/// Puts a preparation in front of a learner.
pub type WrapLearner = dyn Fn(Box<dyn AnyLearner>) -> Box<dyn AnyLearner> + Send + Sync;

/// How the time of a fit grows with the rows, and whether a fit that is cut short still gives a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CostGrowth {
    pub power: f64,
    pub interruptible: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    name: String,
    learner: String,
    #[serde(default)]
    params: Map<String, Value>,
    /// A feature map between the preparation and the learner.
    #[serde(default)]
    features: Option<String>,
    #[serde(default)]
    task: Option<Task>,
    #[serde(default)]
    max_rows: Option<usize>,
    #[serde(default)]
    max_columns: Option<usize>,
}

/// The settings that suit a task, in the order in which they are tried, each with its preparation. Settings of families
/// that were not compiled in are left out.
///
/// # Errors
/// When the list does not suit the catalogue, which the tests exclude.
pub fn portfolio(task: Task) -> Result<Vec<Candidate>> {
    let settings: Vec<Setting> = serde_json::from_str(PORTFOLIO).map_err(|e| Error::Data(format!("the portfolio: {e}")))?;
    let mut out = Vec::new();
    for setting in settings.into_iter().filter(|s| s.task.is_none_or(|t| t == task)) {
        let Ok(mut learner) = ermine_compose::learner(&setting.learner) else { continue };
        learner.set_all(&setting.params)?;
        let wrap: Arc<WrapLearner> = match setting.features {
            None => Arc::new(prepared),
            Some(map) => {
                let map = ermine_compose::learner(&map)?;
                let map: Arc<dyn AnyLearner> = map.into();
                Arc::new(move |learner| {
                    let front = ermine_prep::preprocessing::Prepare::default();
                    Box::new(Pipeline::new([Box::new(front) as Box<dyn AnyLearner>, map.boxed(), learner]))
                })
            }
        };
        out.push(Candidate {
            name: setting.name,
            base: learner.into(),
            wrap,
            max_rows: setting.max_rows.unwrap_or(usize::MAX),
            max_columns: setting.max_columns.unwrap_or(usize::MAX),
        });
    }
    Ok(out)
}

impl Candidate {
    /// A learner as it is, with what stands in front of it.
    pub fn new(name: impl Into<String>, learner: Box<dyn AnyLearner>, wrap: Arc<WrapLearner>) -> Self {
        Self { name: name.into(), base: learner.into(), wrap, max_rows: usize::MAX, max_columns: usize::MAX }
    }

    /// With another preparation in front of it, where it has the default one.
    #[must_use]
    pub fn wrapped(self, wrap: Arc<WrapLearner>) -> Self {
        Self { wrap, ..self }
    }

    /// Whether it suits a table of this size.
    pub(super) fn suits(&self, rows: usize, columns: usize) -> bool {
        rows <= self.max_rows && columns <= self.max_columns
    }

    /// The learner that is fitted to training rows, with rows beside them that say when to stop. Where there is time for so
    /// many rounds only, they are made longer.
    pub(super) fn learner(&self, rows: usize, rounds: Option<f64>) -> Box<dyn AnyLearner> {
        let mut learner = self.base.boxed();
        if let Some(rate) = self.learns_in_rounds() {
            let least = rounds.map_or(0.0, |r| (ENOUGH_ROUNDS_TIMES_RATE / r.max(1.0)).min(GREATEST_RATE));
            // Rates of two digits, so that small differences of the clock change nothing.
            let rate = if least > rate { (least * 50.0).ceil() / 50.0 } else { rate };
            let most = (ROUNDS_TIMES_RATE / rate).clamp(1.0, MAX_ROUNDS).round();
            for (name, value) in [
                ("learning_rate", Value::from(rate)),
                ("max_iter", Value::from(most as u64)),
                ("n_iter_no_change", Value::from(patience(rate, rows))),
                ("keep_best", Value::from(true)),
            ] {
                learner.set(name, value).expect("boosting has these parameters");
            }
        }
        (self.wrap)(learner)
    }

    /// The learner for a first look: few rounds.
    pub(super) fn quick(&self) -> Box<dyn AnyLearner> {
        let mut learner = self.base.boxed();
        if self.learns_in_rounds().is_some() {
            learner.set("max_iter", Value::from(60)).expect("boosting has rounds");
            learner.set("learning_rate", Value::from(0.1)).expect("boosting has a learning rate");
        }
        (self.wrap)(learner)
    }

    /// The learner for all rows, once the rounds are known.
    pub(super) fn final_learner(&self, rounds: Option<u64>, rate: Option<f64>) -> Box<dyn AnyLearner> {
        let mut learner = self.base.boxed();
        if let (Some(own), Some(rounds)) = (self.learns_in_rounds(), rounds) {
            learner.set("learning_rate", Value::from(rate.unwrap_or(own))).expect("boosting has a learning rate");
            learner.set("max_iter", Value::from(rounds.max(1))).expect("boosting has rounds");
            learner.set("early_stopping", Value::from(false)).expect("boosting stops early");
        }
        (self.wrap)(learner)
    }

    /// The learning rate, where early stopping decides on the number of rounds.
    pub(super) fn learns_in_rounds(&self) -> Option<f64> {
        let portfolio = self.base.spec().name == "boosting";
        portfolio.then(|| self.base.params()["learning_rate"].as_f64().unwrap_or(0.1))
    }

    /// Whether it is a first choice for a first look: linear models.
    pub(super) fn is_linear(&self) -> bool {
        self.base.spec().family == Family::Linear
    }

    /// Rounds that were trained in a fit that kept so many, with the patience at the end.
    pub(super) fn rounds_trained(&self, learner: &dyn AnyLearner, kept: u64) -> Option<f64> {
        self.learns_in_rounds()?;
        let params = learner.params();
        let most = params["max_iter"].as_f64()?;
        let patience = if params["keep_best"] == true { params["n_iter_no_change"].as_f64()? } else { 0.0 };
        Some((kept as f64 + patience).min(most).max(1.0))
    }

    pub(super) fn growth(&self) -> CostGrowth {
        let of = |power: f64, interruptible: bool| CostGrowth { power, interruptible };
        match self.base.spec().name {
            "boosting" | "gradient-boosting" | "mlp" | "convnet" => of(1.0, true),
            "svm" => of(2.3, false),
            "kernel-ridge" => of(2.7, false),
            // Prediction is what costs.
            "knn" => of(2.0, false),
            "forest" | "tree" | "c45" | "bagging" | "adaboost" => of(1.15, false),
            _ => of(1.0, false),
        }
    }
}

/// Rounds without progress after which boosting stops. Small steps need more of them; many rows tell progress sooner.
fn patience(rate: f64, rows: usize) -> u64 {
    let rounds = (3.0 / rate).clamp(40.0, 200.0) * (10_000.0 / rows as f64).clamp(0.25, 1.0);
    rounds.max(20.0) as u64
}
