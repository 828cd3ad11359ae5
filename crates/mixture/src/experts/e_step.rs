//! The E step: which expert answers for a row, and what a step of each needs.

use ermine_core::{DatasetRef, Error, Mat, MatRef, Partial, Result, Target};
use ermine_math::loss::posterior_block;
use ermine_math::moments::Moments;
use serde::{Deserialize, Serialize};

use super::gate::{SoftmaxSums, scores};
#[cfg(feature = "fit")]
use super::partition::Partition;
use super::{ExpertKind, ExpertsEm, ExpertsParams};
use crate::em::{Em, EmObjective};

/// Rows whose scores are in memory at a time.
const CHUNK: usize = 2048;

/// Sums of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExpertsSums {
    pub(super) gate: SoftmaxSums,
    /// The rows of each expert; with the target where it is a number, and not at all where curvatures need none.
    pub(super) rows: Vec<Moments>,
    /// Slopes of the softmax regression of each expert.
    pub(super) experts: Vec<SoftmaxSums>,
    /// The weight of the rows of each expert.
    pub(super) sizes: Vec<f64>,
    pub(super) log_likelihood: f64,
    pub(super) weight: f64,
}

#[cfg(feature = "fit")]
impl Partial for ExpertsSums {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.sizes.len() != other.sizes.len() {
            return Err(Error::Data("statistics of different mixtures".into()));
        }
        self.gate.merge(other.gate);
        self.rows.iter_mut().zip(other.rows).for_each(|(a, b)| a.merge(b));
        self.experts.iter_mut().zip(other.experts).for_each(|(a, b)| a.merge(b));
        self.sizes.iter_mut().zip(&other.sizes).for_each(|(a, b)| *a += b);
        self.log_likelihood += other.log_likelihood;
        self.weight += other.weight;
        Ok(())
    }
}

impl ExpertsSums {
    fn is_finite(&self) -> bool {
        let sums = self.log_likelihood.is_finite() && self.sizes.iter().all(|s| s.is_finite());
        sums && self.gate.is_finite()
            && self.rows.iter().all(Moments::is_finite)
            && self.experts.iter().all(SoftmaxSums::is_finite)
    }
}

#[cfg(feature = "fit")]
impl Em for ExpertsEm {
    type Parameters = ExpertsParams;
    type Expected = ExpertsSums;

    fn empty(&self, at: &ExpertsParams) -> ExpertsSums {
        let (k, cols) = (at.len(), self.center.len());
        let (rows, experts) = match &at.experts {
            ExpertKind::Linear { .. } => (vec![Moments::new(cols, 1); k], Vec::new()),
            ExpertKind::Logistic { classes, .. } => {
                let rows = if self.newton_experts { Vec::new() } else { vec![Moments::new(cols, 0); k] };
                (rows, vec![SoftmaxSums::new(*classes, cols, self.newton_experts); k])
            }
        };
        let gate = SoftmaxSums::new(k, cols, self.newton_gate);
        ExpertsSums { gate, rows, experts, sizes: vec![0.0; k], log_likelihood: 0.0, weight: 0.0 }
    }

    fn expect(&self, at: &ExpertsParams, sums: &mut ExpertsSums, rows: &DatasetRef<'_>) -> Result<()> {
        self.gather(at, sums, rows, None)
    }

    fn objective(&self, at: &ExpertsParams, sums: &ExpertsSums) -> EmObjective {
        EmObjective { log_likelihood: sums.log_likelihood, log_prior: self.log_prior(at), weight: sums.weight }
    }

    fn maximize(&self, at: &ExpertsParams, sums: ExpertsSums) -> Result<ExpertsParams> {
        self.m_step(at, sums)
    }

    /// Halves the Newton steps; parts solved in closed form stay.
    fn backtrack(&self, from: &ExpertsParams, to: &ExpertsParams) -> Option<ExpertsParams> {
        let half = |a: &Mat<f64>, b: &Mat<f64>| Mat::from_fn(a.rows(), a.cols(), |i, j| 0.5 * (a[(i, j)] + b[(i, j)]));
        let say = match (&from.experts, &to.experts) {
            (ExpertKind::Logistic { coef: a, classes }, ExpertKind::Logistic { coef: b, .. }) => {
                ExpertKind::Logistic { coef: half(a, b), classes: *classes }
            }
            (_, solved) => solved.clone(),
        };
        Some(ExpertsParams { gate: half(&from.gate, &to.gate), experts: say })
    }
}

impl ExpertsEm {
    /// The E step; with a partition, every row belongs to the expert of its part.
    #[cfg(feature = "fit")]
    pub(super) fn gather(
        &self,
        at: &ExpertsParams,
        sums: &mut ExpertsSums,
        rows: &DatasetRef<'_>,
        parts: Option<&Partition>,
    ) -> Result<()> {
        for first in (0..rows.rows()).step_by(CHUNK) {
            let part = rows.row_range(first..rows.rows().min(first + CHUNK));
            let z = self.centered(&part)?;
            self.chunk(at, sums, &part, z.view(), parts)?;
        }
        if sums.is_finite() {
            return Ok(());
        }
        rows.x.refuse_non_finite(rows.schema)?;
        Err(Error::Numeric("the squares of the columns overflow; scale the columns down".into()))
    }

    /// Rows less the means of the columns.
    pub(super) fn centered(&self, rows: &DatasetRef<'_>) -> Result<Mat<f64>> {
        let mut scratch = Vec::new();
        let x = rows.x.f64_rows(&mut scratch, "mixture-of-experts")?;
        Ok(Mat::from_fn(x.rows(), x.cols(), |i, j| x.at(i, j) - self.center[j]))
    }

    #[cfg(feature = "fit")]
    fn chunk(
        &self,
        at: &ExpertsParams,
        sums: &mut ExpertsSums,
        rows: &DatasetRef<'_>,
        z: MatRef<'_, f64>,
        parts: Option<&Partition>,
    ) -> Result<()> {
        let (n, k) = (z.rows(), at.len());
        let weight: Vec<f64> = (0..n).map(|i| rows.weight_of(i)).collect();
        let (gate, log_gate) = gates(at, z);
        // log p_k(y | x), then joint with the gate, then shares.
        let outputs = self.expert_outputs(at, z, &rows.y)?;
        let mut shares: Vec<f64> = outputs.log_density.iter().zip(&log_gate).map(|(d, g)| d + g).collect();
        let mut totals = vec![0.0; n];
        posterior_block(&mut shares, &mut totals);
        if let Some(parts) = parts {
            shares.fill(0.0);
            let labels = parts.of(z, &outputs.target)?;
            (0..n).for_each(|i| shares[labels[i] * n + i] = 1.0);
        }
        for i in 0..n {
            if weight[i] > 0.0 {
                sums.log_likelihood += weight[i] * totals[i];
                sums.weight += weight[i];
            } else {
                // A row without weight counts for nothing, even one so far away that its shares are not numbers.
                (0..k).for_each(|c| shares[c * n + i] = 0.0);
            }
        }
        let residuals: Vec<f64> =
            (0..k * n).map(|at| weight[at % n] * (shares[at] - gate[at])).map(|r| if r.is_nan() { 0.0 } else { r }).collect();
        sums.gate.add(z, &residuals, &gate, &weight);
        for (c, run) in shares.chunks_exact_mut(n).enumerate() {
            run.iter_mut().zip(&weight).for_each(|(s, w)| *s *= w);
            sums.sizes[c] += run.iter().sum::<f64>();
            if let Some(moments) = sums.rows.get_mut(c) {
                let y = MatRef::row_major(&outputs.target, n, 1);
                moments.add(z, (moments.y_cols() == 1).then_some(y), Some(run));
            }
            if let Some(slopes) = sums.experts.get_mut(c) {
                let classes = outputs.proba.len() / (n * k);
                let p = &outputs.proba[c * classes * n..(c + 1) * classes * n];
                let r: Vec<f64> = (0..classes * n)
                    .map(|at| run[at % n] * (f64::from(u8::from(outputs.codes[at % n] as usize == at / n)) - p[at]))
                    .collect();
                slopes.add(z, &r, p, run);
            }
        }
        Ok(())
    }

    /// The outputs of the experts for rows whose target is known.
    fn expert_outputs<'a>(&self, at: &ExpertsParams, z: MatRef<'_, f64>, y: &Target<'a>) -> Result<ExpertOutputs<'a>> {
        let (n, k) = (z.rows(), at.len());
        match &at.experts {
            ExpertKind::Linear { coef, variance } => {
                let y = y.reals()?;
                let target: Vec<f64> = (0..n).map(|i| y.at(i, 0) - self.target_mean).collect();
                let mut out = vec![0.0; n * k];
                scores(z, coef, &mut out);
                for (c, run) in out.chunks_exact_mut(n).enumerate() {
                    let constant = -0.5 * (std::f64::consts::TAU * variance[c]).ln();
                    run.iter_mut().zip(&target).for_each(|(m, y)| *m = constant - 0.5 * (y - *m) * (y - *m) / variance[c]);
                }
                Ok(ExpertOutputs { log_density: out, target, codes: &[], proba: Vec::new() })
            }
            ExpertKind::Logistic { coef, classes } => {
                let (codes, _) = y.classes()?;
                let (proba, log_total) = class_proba(coef, *classes, z);
                // The score of the class itself, less the logarithm of the sum: more exact than the logarithm of a probability.
                let mut raw = vec![0.0; n * k * classes];
                scores(z, coef, &mut raw);
                let of = |at: usize| {
                    let (c, i) = (at / n, at % n);
                    raw[(c * classes + codes[i] as usize) * n + i] - log_total[at]
                };
                Ok(ExpertOutputs { log_density: (0..k * n).map(of).collect(), target: vec![0.0; n], codes, proba })
            }
        }
    }
}

/// Outputs of the experts: expert after expert, a run of rows for each.
struct ExpertOutputs<'a> {
    log_density: Vec<f64>,
    /// The target less its mean; zeros for classes.
    target: Vec<f64>,
    codes: &'a [u32],
    /// Probabilities of the classes: by expert, then class.
    proba: Vec<f64>,
}

/// The gate of centered rows and its logarithms: expert after expert, a run of rows for each.
pub(super) fn gates(at: &ExpertsParams, z: MatRef<'_, f64>) -> (Vec<f64>, Vec<f64>) {
    let (n, k) = (z.rows(), at.len());
    let mut gate = vec![0.0; n * k];
    scores(z, &at.gate, &mut gate);
    let mut logs = gate.clone();
    let mut totals = vec![0.0; n];
    posterior_block(&mut gate, &mut totals);
    for run in logs.chunks_exact_mut(n.max(1)) {
        run.iter_mut().zip(&totals).for_each(|(l, t)| *l -= t);
    }
    (gate, logs)
}

/// Probabilities of classes by expert and class, and the logarithm of the sum of each expert's scores, a run of rows for each.
pub(super) fn class_proba(coef: &Mat<f64>, classes: usize, z: MatRef<'_, f64>) -> (Vec<f64>, Vec<f64>) {
    let (n, k) = (z.rows(), coef.rows() / classes);
    let mut proba = vec![0.0; n * k * classes];
    scores(z, coef, &mut proba);
    let mut totals = vec![0.0; n * k];
    if n > 0 {
        for (p, t) in proba.chunks_exact_mut(n * classes).zip(totals.chunks_exact_mut(n)) {
            posterior_block(p, t);
        }
    }
    (proba, totals)
}
