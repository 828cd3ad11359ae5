//! The objective of a generalized linear model in passes, and what the search for its optimum found.

use ermine_core::{Certificate, Context, DatasetRef, Error, Features, Mat, Result, Target, Trace};
use serde::{Deserialize, Serialize};

use super::super::passes::{CurvatureKind, CurvatureSums, HessianMetric, NewtonPlan, NewtonSearch, Objective, PassRequest};
use super::super::passes::{RowSample, SamplePiece, Termination, squares_underflow};
use super::evaluate::{GlmPassSums, GlmProblem};
use super::target_census::TargetSums;

/// A deviance below this share of the sums it is the difference of has lost digits, and is summed row by row.
const CANCELED_DEVIANCE: f64 = 1e-6;

/// Half the deviance as the objective of a search.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GlmObjective {
    pub problem: GlmProblem,
    pub totals: TargetSums,
    /// Σ w loss of the model without columns.
    pub null_loss: f64,
    /// Loss and Pearson's statistic at the last accepted point.
    fit: Option<(f64, f64)>,
    /// The deviance summed row by row, once it was requested.
    deviance: Option<f64>,
}

/// A search for the optimum.
pub type GlmSearch = NewtonSearch<GlmObjective>;

/// The result of a search.
pub struct GlmOptimum {
    /// Coefficients of the columns, 0 for the offset.
    pub coef: Vec<f64>,
    pub intercept: f64,
    pub certificate: Certificate,
    pub trace: Trace,
    /// Standard errors for a dispersion of 1, the intercept first (0 without one); none where coefficients are not determined.
    pub errors: Option<Vec<f64>>,
    /// Independent columns, the intercept apart.
    pub rank: usize,
    pub deviance: f64,
    pub pearson: f64,
    pub loss: f64,
}

impl GlmObjective {
    pub fn new(problem: GlmProblem, totals: TargetSums, null_loss: f64) -> Self {
        Self { problem, totals, null_loss, fit: None, deviance: None }
    }

    fn half_deviance(&self, loss: f64) -> f64 {
        self.deviance.map_or_else(|| (loss - self.totals.saturated).max(0.0), |d| 0.5 * d)
    }

    fn penalty(&self, point: &[f64], alpha: f64) -> f64 {
        0.5 * alpha * point[..self.problem.cols].iter().map(|w| w * w).sum::<f64>()
    }

    /// Half the deviance of the model without columns; 0 where that has no possible means.
    fn half_null(&self) -> f64 {
        if self.null_loss.is_finite() { (self.null_loss - self.totals.saturated).max(0.0) } else { 0.0 }
    }

    /// The scale of rounding errors of the loss. Added to every value, so that the line search ignores smaller differences.
    fn magnitude(&self) -> f64 {
        let null = if self.null_loss.is_finite() { self.null_loss.abs() } else { 0.0 };
        self.totals.saturated.abs() + null
    }

    /// The note where the likelihood is flat.
    fn flat_note(&self) -> &'static str {
        match self.problem.family.power() {
            None => {
                "separable: some rows can be told apart without error, so the likelihood has no maximum; some \
                 coefficients would grow without end, and are only a sign and a size"
            }
            Some(_) => {
                "the likelihood has no maximum: where every target is 0 the mean falls toward 0 without end; the fit \
                 stopped where it is flat, and some coefficients are only a sign and a size"
            }
        }
    }
}

impl Objective for GlmObjective {
    type Sums = GlmPassSums;
    type Target = f64;
    const SAMPLE_MUST_CONVERGE: bool = true;

    fn empty(&self, request: PassRequest, sparse: bool) -> GlmPassSums {
        self.problem.empty(request, sparse)
    }

    fn add(&self, point: &[f64], request: PassRequest, sums: &mut GlmPassSums, rows: &DatasetRef<'_>) -> Result<()> {
        self.problem.add(point, request, sums, rows)
    }

    fn sample_rows(piece: &SamplePiece<f64>) -> DatasetRef<'_> {
        DatasetRef::new(Features::F64(piece.x.view()))
            .with_target(Target::Real(&piece.y))
            .with_weight((!piece.weight.is_empty()).then_some(&piece.weight))
    }

    fn value_and_gradient(&self, sums: &GlmPassSums, point: &[f64], alpha: f64) -> (f64, Vec<f64>) {
        let mut gradient = sums.gradient(&self.problem);
        for (j, g) in gradient[..self.problem.cols].iter_mut().enumerate() {
            *g += alpha * point[j];
        }
        ((sums.loss - self.totals.saturated) + self.penalty(point, alpha) + self.magnitude(), gradient)
    }

    fn metric(&self, sums: &GlmPassSums, alpha: f64) -> Option<HessianMetric> {
        let problem = &self.problem;
        let penalty = |j: usize| if j < problem.cols { alpha } else { 0.0 };
        let curvature = sums.curvature.as_ref()?;
        if let CurvatureSums::Diagonal(diagonal) = curvature {
            let with = |(j, s): (usize, &f64)| if problem.is_free(j) { s + penalty(j) } else { 0.0 };
            let diagonal: Vec<f64> = diagonal.iter().enumerate().map(with).collect();
            return Some(HessianMetric::from_matrix(CurvatureKind::Diagonal, Mat::from_vec(1, diagonal.len(), diagonal)));
        }
        let mut matrix = curvature.matrix(&problem.center)?;
        (0..problem.cols).for_each(|j| matrix[(j, j)] += penalty(j));
        if let Some(offset_column) = &problem.offset_column {
            for j in 0..problem.width() {
                matrix[(offset_column.column, j)] = 0.0;
                matrix[(j, offset_column.column)] = 0.0;
            }
        }
        Some(HessianMetric::from_matrix(CurvatureKind::Full, matrix))
    }

    fn accept(&mut self, sums: &GlmPassSums, closing: bool) {
        if closing {
            self.deviance = Some(sums.deviance);
        } else {
            self.fit = Some((sums.loss, sums.pearson));
        }
    }

    /// Half the deviance, which has the unit of the decrement. A fit that is nearly perfect is measured by the model without columns
    /// instead.
    fn decrement_scale(&self, _: f64, point: &[f64], alpha: f64) -> f64 {
        let half = self.fit.map_or(0.0, |(loss, _)| self.half_deviance(loss) + self.penalty(point, alpha));
        let squares =
            if self.problem.family.power() == Some(0.0) { self.totals.weight * self.totals.largest.powi(2) } else { 0.0 };
        half.max(1e-12 * self.half_null()).max(1e-18 * (self.magnitude() + squares))
    }

    /// Half the deviance plus the penalty, per row of weight 1.
    fn reported(&self, _: f64, point: &[f64], plan: &NewtonPlan) -> f64 {
        let loss = self.fit.map_or(0.0, |(loss, _)| loss);
        (self.half_deviance(loss) + self.penalty(point, plan.alpha)) / plan.unit
    }

    fn separated(&self, _: &GlmPassSums, _: &NewtonPlan) -> Option<bool> {
        None
    }

    /// For standard errors, which need the expected curvature, or for a deviance that cancels.
    fn closing_pass(&self, plan: &NewtonPlan, end: Termination, metric_is_current: bool) -> Option<CurvatureKind> {
        let is_canonical = self.problem.family.is_canonical(self.problem.link);
        let errors = plan.alpha == 0.0 && plan.newton && end.converged && !end.flat;
        if errors && !(metric_is_current && is_canonical) {
            return Some(CurvatureKind::Full);
        }
        let cancels = self.fit.is_some_and(|(loss, _)| {
            loss - self.totals.saturated <= CANCELED_DEVIANCE * (loss.abs() + self.totals.saturated.abs())
        });
        (cancels && self.problem.family.power() != Some(0.0)).then_some(CurvatureKind::None)
    }

    fn start_error(&self, sums: &GlmPassSums, _: &[f64]) -> Error {
        let (family, link) = (self.problem.family, self.problem.link);
        if sums.loss.is_finite() {
            let wide = sums.products.iter().position(|v| !v.is_finite());
            return Error::Numeric(match wide {
                Some(j) => format!("{}: its sums overflow; divide it by a power of ten", self.problem.column(j)),
                None => "the sums of the columns overflow; scale the columns down".into(),
            });
        }
        let remedy = if self.problem.intercept { "" } else { ", fit an intercept" };
        Error::Numeric(format!(
            "where the fit begins the {} link gives some row a mean that the {} family cannot have; use the {} link{remedy}, or \
             give a start",
            link.name(),
            family.name(),
            family.default_link().name(),
        ))
    }

    fn check_range(
        &self,
        _: &NewtonPlan,
        metric: &HessianMetric,
        gradient: &[f64],
        sums: &GlmPassSums,
        is_fresh: bool,
    ) -> Result<()> {
        for j in (0..self.problem.cols).filter(|&j| is_fresh && self.problem.is_free(j)) {
            let along = metric.diagonal_at(j);
            let center = self.problem.center.get(j).map_or(0.0, |c| c.abs());
            let problem = match along.is_finite() {
                false => "overflow; divide it by a power of ten",
                true if squares_underflow(along, gradient[j], center * sums.sizes) => "underflow; multiply it by a power of ten",
                true => continue,
            };
            return Err(Error::Numeric(format!("{}: its squares {problem}", self.problem.column(j))));
        }
        Ok(())
    }

    fn sample_noise(&self, sums: &GlmPassSums, _: &NewtonPlan) -> Option<f64> {
        if self.fit.is_none() && !sums.loss.is_finite() {
            return None;
        }
        let dispersion = (sums.pearson / self.totals.rows).max(f64::MIN_POSITIVE);
        Some(0.02 * self.problem.width() as f64 * dispersion)
    }
}

impl GlmSearch {
    /// Starts from the optimum of a sample that weighs what its rows should.
    pub fn start_from_sample(&mut self, sample: &RowSample<f64>, cx: &Context<'_>) -> Result<()> {
        let full = &self.objective;
        if !sample.is_large_enough(full.problem.width()) || self.plan.max_iter == 0 {
            return Ok(());
        }
        let weight = sample.pieces.iter().map(|p| (0..p.rows()).map(|i| p.weight_of(i)).sum::<f64>()).sum::<f64>();
        let share = weight / full.totals.weight;
        // Evenly spaced rows would be biased on periodic data.
        if !(share * sample.stride as f64 > 0.5 && share * (sample.stride as f64) < 2.0) {
            return Ok(());
        }
        let totals =
            TargetSums { weight, rows: full.totals.rows * share, saturated: full.totals.saturated * share, ..full.totals };
        let small = GlmObjective::new(full.problem.clone(), totals, full.null_loss * share);
        self.warm_start(sample, share, small, cx)
    }

    /// The result so far.
    pub fn solution(&self) -> GlmOptimum {
        let objective = &self.objective;
        let (problem, alpha) = (&objective.problem, self.plan.alpha);
        let mut point = self.best().to_vec();
        let (loss, pearson) = objective.fit.unwrap_or((0.0, 0.0));
        let method = match (self.plan.newton, problem.family.is_convex(problem.link)) {
            (true, true) => "newton",
            (true, false) => "fisher scoring",
            (false, _) => "lbfgs",
        };
        let value = (objective.half_deviance(loss) + objective.penalty(&point, alpha)).max(1e-12 * objective.half_null());
        let mut certificate = self.certificate(method, value);
        certificate.iterations = certificate.iterations.max(1);
        if self.termination().is_some_and(|end| end.flat) {
            certificate.notes.push(objective.flat_note().into());
        }
        let free = (0..problem.cols).filter(|&j| problem.is_free(j)).count();
        let (mut errors, mut rank) = (None, free);
        if let Some(metric) = self.metric().filter(|_| self.plan.newton) {
            let empty = (0..problem.cols).any(|j| problem.is_free(j) && metric.diagonal_at(j) == 0.0);
            if metric.is_singular() || empty {
                rank = free.saturating_sub(self.min_norm_point(metric, &mut point));
                certificate.notes.push(format!(
                    "singular: rank {rank} of {free} columns; some depend on others, and of all coefficients that fit alike \
                     the shortest were taken"
                ));
            } else if alpha == 0.0 && certificate.converged && certificate.notes.is_empty() && self.hessian_is_current() {
                errors = self.errors(metric);
            }
            certificate.rank = Some(rank);
        }
        GlmOptimum {
            coef: point[..problem.cols].to_vec(),
            intercept: problem.bias(&point),
            certificate,
            trace: self.trace().clone(),
            errors,
            rank,
            deviance: 2.0 * objective.half_deviance(loss),
            pearson,
            loss,
        }
    }

    /// Replaces a point by the one of least length in the coefficients among those that give the same scores; how many
    /// directions are free.
    fn min_norm_point(&self, metric: &HessianMetric, point: &mut [f64]) -> usize {
        let cols = self.objective.problem.cols;
        let dot = |a: &[f64], b: &[f64]| a[..cols].iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut taken: Vec<Vec<f64>> = Vec::new();
        for mut direction in metric.null_directions() {
            if self.objective.problem.offset_column.as_ref().is_some_and(|h| direction[h.column] != 0.0) {
                continue;
            }
            // Twice, so that rounding leaves nothing along the ones before.
            for _ in 0..2 {
                for other in &taken {
                    let along = dot(&direction, other);
                    direction.iter_mut().zip(other).for_each(|(d, o)| *d -= along * o);
                }
                let length = dot(&direction, &direction).sqrt();
                direction.iter_mut().for_each(|d| *d /= length);
            }
            if direction.iter().all(|d| d.is_finite()) {
                let along = dot(point, &direction);
                point.iter_mut().zip(&direction).for_each(|(p, d)| *p -= along * d);
                taken.push(direction);
            }
        }
        taken.len()
    }

    fn errors(&self, metric: &HessianMetric) -> Option<Vec<f64>> {
        let of = metric.standard_errors()?;
        let mut out = vec![0.0; self.objective.problem.cols + 1];
        out[1..].copy_from_slice(&of[..self.objective.problem.cols]);
        if let Some(offset_column) = &self.objective.problem.offset_column {
            out[1 + offset_column.column] = 0.0;
        }
        if self.objective.problem.intercept {
            let mut along: Vec<f64> = self.objective.problem.center.iter().map(|c| -c).collect();
            along.resize(self.objective.problem.cols, 0.0);
            along.push(1.0);
            out[0] = metric.standard_error_along(&along);
        }
        Some(out)
    }
}
