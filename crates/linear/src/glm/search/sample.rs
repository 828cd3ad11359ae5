//! A search on a sample of the rows, to begin near the optimum of all of them.

use ermine_core::{Context, Dataset, Features, Progress, Result, Target};
use ermine_math::optimize::LbfgsDescent;

use super::super::super::passes::{CurvatureKind, RowSample};
use super::super::evaluate::{GlmPassSums, PassRequest};
use super::super::target_census::TargetSums;
use super::{GlmPlan, GlmSearch, GlmTermination, LBFGS_MEMORY};

impl GlmSearch {
    /// Starts from the optimum of a sample instead of from nothing: a few small passes save several large ones. The sample
    /// gives the metric too. Leaves everything as it was when the sample cannot be relied upon.
    pub fn warm_start(&mut self, sample: &RowSample<f64>, cx: &Context<'_>) -> Result<()> {
        if !sample.is_large_enough(self.problem.width()) || self.plan.max_iter == 0 {
            return Ok(());
        }
        let weight = sample.pieces.iter().map(|p| (0..p.rows()).map(|i| p.weight_of(i)).sum::<f64>()).sum::<f64>();
        let share = weight / self.totals.weight;
        // Evenly spaced rows of data that goes up and down in step with them would be no sample.
        if !(share * sample.stride as f64 > 0.5 && share * (sample.stride as f64) < 2.0) {
            return Ok(());
        }
        let totals =
            TargetSums { weight, rows: self.totals.rows * share, saturated: self.totals.saturated * share, ..self.totals };
        let plan = GlmPlan { alpha: self.plan.alpha * share, max_iter: 50, tol: 1e-3, ..self.plan };
        let mut small = Self::new(self.problem.clone(), plan, totals, self.null_loss * share, self.descent.best().to_vec());
        loop {
            cx.report(Progress { stage: "sample", done: small.steps(), total: None, objective: None })?;
            let sums = small.evaluate(sample)?;
            if cx.deadline_passed() || small.fit.is_none() && !sums.loss.is_finite() {
                return Ok(());
            }
            // Beyond the noise of the sample there is nothing to learn from it.
            let dispersion = (sums.pearson / totals.rows).max(f64::MIN_POSITIVE);
            let noise = 0.02 * self.problem.width() as f64 * dispersion;
            if small.update(&sums, cx)? || small.descent.decrement() <= noise {
                break;
            }
        }
        let start = small.descent.best().to_vec();
        if !start.iter().all(|v| v.is_finite()) || small.termination.as_ref().is_some_and(|e| !e.converged || e.note.is_some()) {
            return Ok(());
        }
        // The metric at the end of the sample's way, not at its beginning.
        if !small.metric_is_current {
            small.termination = Some(GlmTermination { converged: true, note: None });
            small.request = PassRequest { curvature: small.plan.kind, closing: false };
            let sums = small.evaluate(sample)?;
            small.update(&sums, cx)?;
        }
        self.first = small.first.take().map(|m| m.scaled(1.0 / share));
        // A diagonal is never renewed, and must know of columns that are all zeros in the sample.
        self.metric = small.metric.take().filter(|_| self.plan.newton).map(|m| m.scaled(1.0 / share));
        self.cold = Some(self.descent.best().to_vec());
        self.descent = LbfgsDescent::new(start, LBFGS_MEMORY);
        self.request.curvature = if self.metric.is_some() { CurvatureKind::None } else { self.plan.kind };
        Ok(())
    }

    /// One pass over a sample.
    fn evaluate(&self, sample: &RowSample<f64>) -> Result<GlmPassSums> {
        sample.gather(
            || self.problem.empty(self.request, self.plan.sparse),
            |piece, sums| {
                let rows = Dataset::new(Features::F64(piece.x.view()))
                    .with_target(Target::Real(&piece.y))
                    .with_weight((!piece.weight.is_empty()).then_some(&piece.weight));
                self.problem.add(self.point(), self.request, sums, &rows)
            },
        )
    }
}
