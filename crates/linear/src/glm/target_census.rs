//! The first pass, which gathers totals of the target and a sample of rows, and the model without columns.

use ermine_core::{DatasetRef, Error, Features, Partial, Result};
use ermine_math::loss::{Family, FisherKind, Link, glm_block};
use ermine_math::optimize::{LbfgsDescent, StepStatus};
use serde::{Deserialize, Serialize};

use super::super::passes::RowSample;
use super::evaluate::targets;
use super::offset::OffsetColumn;

/// Rows of a sample for each number to be found: twice as many would save a pass in ten and cost as much memory again.
const SAMPLE_ROWS_A_NUMBER: usize = 256;

/// Totals of the target over all rows, and a sample of rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TargetCensus {
    /// The totals.
    pub totals: TargetSums,
    /// The sample; empty for sparse rows.
    pub sample: RowSample<f64>,
}

/// Totals over rows, of targets y, weights w and offsets o.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct TargetSums {
    /// Rows with a weight above 0.
    pub rows: f64,
    /// Σ w.
    pub weight: f64,
    /// Σ log w.
    pub log_weight: f64,
    /// The weighted mean of y.
    pub mean: f64,
    /// Σ w (y - mean)².
    pub squares: f64,
    /// The largest |y|.
    pub largest: f64,
    /// Σ w [`Family::saturated`].
    pub saturated: f64,
    /// Σ w [`Family::saturated_log_likelihood`].
    pub saturated_log_likelihood: f64,
    /// Σ w log y, for families of positive targets.
    pub log_y: f64,
    /// Σ w o.
    pub offset: f64,
    /// Σ w y e^{(1 - p) o} and Σ w e^{(2 - p) o}: behind a logarithm their ratio is e to the intercept of a model without
    /// columns.
    pub tilted: (f64, f64),
}

impl TargetCensus {
    /// An empty census.
    pub fn new(cols: usize, numbers: usize) -> Self {
        let rows = (SAMPLE_ROWS_A_NUMBER * numbers).max(4096);
        Self { totals: TargetSums::default(), sample: RowSample::new(cols, numbers, rows) }
    }

    /// Adds a block of rows; a target that the family cannot have is refused.
    pub fn add(&mut self, rows: &DatasetRef<'_>, family: Family, link: Link, offset_column: Option<&OffsetColumn>) -> Result<()> {
        let y = targets(&rows.y)?;
        if let Some(row) = y.iter().position(|&y| !family.is_in_support(y)) {
            let needed = format!("{} needs {}", family.name(), family.range());
            return Err(Error::OutOfRange { what: "target".into(), row, value: y[row], needed });
        }
        let offset = match offset_column {
            Some(offset_column) => offset_column.values(&rows.x, rows.schema)?,
            None => Vec::new(),
        };
        let mut part = TargetSums::default();
        let positive = family.power().is_some_and(|p| p >= 2.0);
        for (i, &y) in y.iter().enumerate() {
            let w = rows.weight_of(i);
            if w == 0.0 {
                continue;
            }
            part.rows += 1.0;
            part.weight += w;
            if rows.weight.is_some() {
                part.log_weight += w.ln();
            }
            let away = y - part.mean;
            part.mean += away * (w / part.weight);
            part.squares += w * away * (y - part.mean);
            part.largest = part.largest.max(y.abs());
            part.saturated += w * family.saturated(y);
            part.saturated_log_likelihood += w * family.saturated_log_likelihood(y).unwrap_or(0.0);
            if positive {
                part.log_y += w * y.ln();
            }
            if let Some(&o) = offset.get(i) {
                part.offset += w * o;
                if let (Link::Log, Some(p)) = (link, family.power()) {
                    part.tilted.0 += w * y * ((1.0 - p) * o).exp();
                    part.tilted.1 += w * ((2.0 - p) * o).exp();
                }
            }
        }
        self.totals.merge(&part);
        if matches!(rows.x, Features::Csr(_)) {
            return Ok(());
        }
        self.sample.add(rows, &y, "glm")
    }
}

#[cfg(feature = "fit")]
impl Partial for TargetCensus {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.totals.merge(&other.totals);
        self.sample.merge(other.sample);
        Ok(())
    }
}

impl TargetSums {
    fn merge(&mut self, other: &Self) {
        if other.weight > 0.0 {
            let weight = self.weight + other.weight;
            let (away, share) = (other.mean - self.mean, other.weight / weight);
            self.mean += share * away;
            self.squares += other.squares + self.weight * share * away * away;
            self.weight = weight;
        }
        self.rows += other.rows;
        self.log_weight += other.log_weight;
        self.largest = self.largest.max(other.largest);
        self.saturated += other.saturated;
        self.saturated_log_likelihood += other.saturated_log_likelihood;
        self.log_y += other.log_y;
        self.offset += other.offset;
        self.tilted.0 += other.tilted.0;
        self.tilted.1 += other.tilted.1;
    }

    /// The mean of the targets, kept inside the means that the family may have: all zeros, say, are a count of one half.
    pub fn inner_mean(&self, family: Family) -> f64 {
        let half = 0.5 / self.weight.max(1.0);
        match family.power() {
            None => self.mean.clamp(half.min(0.25), 1.0 - half.min(0.25)),
            Some(0.0) => self.mean,
            Some(_) if self.mean > 0.0 => self.mean,
            // Tweedie of a negative power: targets may be negative, means may not.
            Some(_) => (self.squares / self.weight).sqrt().max(half),
        }
    }

    /// Whether all targets lie at an end of the range of means: counts of 0, shares of 0 or of 1.
    pub fn is_at_limit(&self, family: Family) -> bool {
        match family.power() {
            None => self.squares == 0.0 && (self.mean == 0.0 || self.mean == 1.0),
            Some(p) => (1.0..2.0).contains(&p) && self.largest == 0.0,
        }
    }

    /// The intercept of a model without columns: exact without offsets and behind a logarithm, a start otherwise.
    pub fn intercept(&self, family: Family, link: Link) -> f64 {
        let (top, bottom) = self.tilted;
        if link == Link::Log && top > 0.0 && bottom > 0.0 && (top / bottom).is_normal() {
            return (top / bottom).ln();
        }
        link.link(self.inner_mean(family)) - self.offset / self.weight
    }

    /// Σ w loss of a model without columns and offsets at the mean `mu`, for the loss is linear in the target.
    pub fn loss_at(&self, family: Family, mu: f64) -> f64 {
        match family.power() {
            Some(0.0) => 0.5 * (self.squares + self.weight * (self.mean - mu) * (self.mean - mu)),
            _ => self.weight * family.loss(self.mean, mu),
        }
    }
}

/// The model without columns where rows have offsets: its intercept, found in passes over targets and offsets alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NullModelSearch {
    descent: LbfgsDescent,
    intercept: bool,
}

/// Loss, gradient and curvature by the intercept.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct NullModelSums {
    loss: f64,
    gradient: f64,
    curvature: f64,
}

impl NullModelSums {
    pub fn merge(&mut self, other: Self) {
        self.loss += other.loss;
        self.gradient += other.gradient;
        self.curvature += other.curvature;
    }
}

impl NullModelSearch {
    /// From a start; without intercept there is nothing to find but the loss of the offsets.
    pub fn new(start: f64, intercept: bool) -> Self {
        Self { descent: LbfgsDescent::new(vec![if intercept { start } else { 0.0 }], 0), intercept }
    }

    /// Adds a block of rows.
    pub fn add(
        &self,
        sums: &mut NullModelSums,
        rows: &DatasetRef<'_>,
        pair: (Family, Link),
        offset_column: &OffsetColumn,
    ) -> Result<()> {
        let y = targets(&rows.y)?;
        let mut z = offset_column.values(&rows.x, rows.schema)?;
        z.iter_mut().for_each(|z| *z += self.descent.point()[0]);
        let mut curves = vec![0.0; z.len()];
        let block = glm_block(pair, FisherKind::Observed, &mut z, &y, rows.weight.unwrap_or(&[]), &mut curves);
        let (gradient, curvature) = (z.iter().sum(), curves.iter().sum());
        sums.merge(NullModelSums { loss: block.loss, gradient, curvature });
        Ok(())
    }

    /// Processes the sums of a pass; intercept and loss when they are found.
    pub fn update(&mut self, sums: &NullModelSums, totals: &TargetSums) -> Option<(f64, f64)> {
        if !self.intercept || !sums.loss.is_finite() && self.descent.gradient().is_empty() {
            return Some((self.descent.point()[0], sums.loss));
        }
        let value = sums.loss - totals.saturated + totals.saturated.abs();
        let done = |d: &LbfgsDescent| Some((d.best()[0], d.value() + totals.saturated - totals.saturated.abs()));
        match self.descent.report_value(value, &[sums.gradient]) {
            StepStatus::LineSearch => None,
            StepStatus::NoProgress => done(&self.descent),
            StepStatus::Accepted => {
                self.descent.propose(false, |g| g[0] = if sums.curvature > 0.0 { g[0] / sums.curvature } else { 0.0 });
                // A decrement below this is rounding of the loss; beyond so many steps the intercept runs to infinity.
                let enough = self.descent.decrement() <= 1e-18 * (1e-300 + value.abs());
                if enough || self.descent.steps() >= 40 { done(&self.descent) } else { None }
            }
        }
    }
}
