//! Which fits a fit is made of: starts, numbers of components, folds.

use serde::{Deserialize, Serialize};

use super::{ComponentCriterion, GaussianMixture, Gmm};
use crate::em::EmResult;

/// Further starts that are tried when every run ended with a collapsed component.
const MORE_STARTS: u64 = 2;

/// One number of components and its criteria.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GmmCandidate {
    /// The number of components.
    pub components: usize,
    /// Of the training rows; absent for a choice by rows held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_likelihood: Option<f64>,
    /// Bayesian information criterion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bic: Option<f64>,
    /// Akaike information criterion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aic: Option<f64>,
    /// Mean log likelihood of a row that was held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<f64>,
}

/// Where one start led.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct GmmRun {
    pub(super) climbed: EmResult<GaussianMixture>,
    /// The weight of the rows of each component.
    pub(super) sizes: Vec<f64>,
    /// Components with fewer rows than their covariance needs.
    pub(super) collapsed: Vec<usize>,
    /// Σ w log p and Σ w of the rows held out.
    pub(super) held_out: (f64, f64),
}

impl GmmRun {
    /// Runs without collapse come first: the likelihood of the others is as large as `reg_covar` lets it be.
    fn beats(&self, other: &Self) -> bool {
        let rank = |o: &Self| (o.collapsed.is_empty(), o.climbed.objective.value());
        let (a, b) = (rank(self), rank(other));
        if a.0 != b.0 { a.0 } else { a.1 > b.1 }
    }

    fn criteria(&self, equal_weights: bool) -> GmmCandidate {
        let (ll, n) = (self.climbed.objective.log_likelihood, self.climbed.objective.weight);
        let k = self.climbed.parameters.n_parameters(equal_weights) as f64;
        GmmCandidate {
            components: self.climbed.parameters.components(),
            log_likelihood: Some(ll),
            bic: Some(k * n.ln() - 2.0 * ll),
            aic: Some(2.0 * k - 2.0 * ll),
            held_out: None,
        }
    }
}

/// The present fit among those that are made, and what the others came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct GmmSelection {
    pub(super) components: usize,
    pub(super) start: u64,
    /// The fold that is left out.
    pub(super) fold: Option<u64>,
    /// The best start of the present fit.
    best: Option<GmmRun>,
    /// Σ w log p and Σ w of the rows held out so far, for the present number of components.
    held_out: (f64, f64),
    /// The best number of components so far: its score and, unless it is only known from folds, its fit.
    chosen: Option<(f64, usize, Option<GmmRun>)>,
    /// Whether the choice is made and the last fit is running.
    last: bool,
    pub(super) table: Vec<GmmCandidate>,
}

impl GmmSelection {
    pub(super) fn new(learner: &Gmm) -> Self {
        let (components, fold) = match learner.choose {
            None => (learner.n_components, None),
            Some(ComponentCriterion::Cv) => (1, Some(0)),
            Some(_) => (1, None),
        };
        let last = learner.choose.is_none();
        Self { components, start: 0, fold, best: None, held_out: (0.0, 0.0), chosen: None, last, table: Vec::new() }
    }

    /// Records the result of a start. None is the end; otherwise the plan is the next fit. `most` is the greatest number
    /// of components, `redraw` whether another start may lead elsewhere.
    pub(super) fn record(&mut self, outcome: GmmRun, learner: &Gmm, most: usize, redraw: bool) -> Option<GmmRun> {
        if self.best.as_ref().is_none_or(|b| outcome.beats(b)) {
            self.best = Some(outcome);
        }
        self.start += 1;
        let collapsed = self.best.as_ref().is_some_and(|b| !b.collapsed.is_empty());
        let starts = if redraw { learner.n_init + if collapsed { MORE_STARTS } else { 0 } } else { 1 };
        if self.start < starts {
            return None;
        }
        let best = self.best.take()?;
        self.start = 0;
        if self.last {
            return Some(best);
        }
        if let Some(fold) = self.fold {
            self.held_out.0 += best.held_out.0;
            self.held_out.1 += best.held_out.1;
            if fold + 1 < learner.folds {
                self.fold = Some(fold + 1);
                return None;
            }
            let mean = self.held_out.0 / self.held_out.1;
            let worth =
                GmmCandidate { components: self.components, log_likelihood: None, bic: None, aic: None, held_out: Some(mean) };
            self.table.push(worth);
            self.choose(-mean, None);
            (self.held_out, self.fold) = ((0.0, 0.0), Some(0));
        } else {
            let worth = best.criteria(learner.equal_weights);
            let score = if learner.choose == Some(ComponentCriterion::Aic) { worth.aic } else { worth.bic };
            self.table.push(worth);
            self.choose(score.unwrap_or(f64::INFINITY), Some(best));
        }
        if self.components < most {
            self.components += 1;
            return None;
        }
        let (_, components, fit) = self.chosen.take()?;
        if fit.is_none() {
            (self.components, self.fold, self.last) = (components, None, true);
        }
        fit
    }

    /// Keeps the lesser score; the fewer components of equals.
    fn choose(&mut self, score: f64, fit: Option<GmmRun>) {
        if self.chosen.as_ref().is_none_or(|c| score < c.0) {
            self.chosen = Some((score, self.components, fit));
        }
    }

    /// The best fit to all rows so far, for when time is up.
    pub(super) fn best_so_far(&self) -> Option<GmmRun> {
        let fit = if self.fold.is_none() { self.best.clone() } else { None };
        self.chosen.as_ref().and_then(|c| c.2.clone()).or(fit)
    }
}
