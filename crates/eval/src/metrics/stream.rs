//! Evaluation as a pass: rows larger than memory, or spread over machines.

use ermine_core::{Context, DatasetRef, Error, Model, Partial, Result, RowSource, Spec, Target, run_pass_source};
use serde::{Deserialize, Serialize};

use super::{
    CalibrationBins, Confusion, MeanLoss, RegressionSums, Thresholds, calibration_bins, class_measures, confusion, errors,
    number_measures, probability,
};

/// Rows per block: enough for fast prediction, few enough to hold their probabilities.
const BLOCK_ROWS: usize = 16_384;

/// Sums of an evaluation: a [`Partial`] from which the metrics are computed. Its size grows with the number of distinct
/// probabilities alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Evaluation {
    /// Of a classifier.
    Classes {
        /// True against predicted classes.
        confusion: Confusion,
        /// The losses -log p.
        log_loss: MeanLoss,
        /// The squared distances of probabilities from the truth.
        brier: MeanLoss,
        /// The second class of two, or each class, against the rest.
        thresholds: Vec<Thresholds>,
        /// Calibration bins.
        calibration: CalibrationBins,
    },
    /// Of a regressor.
    Numbers {
        /// One per column.
        errors: Vec<RegressionSums>,
        /// The deviances of rows.
        deviance: MeanLoss,
    },
    /// Of a density.
    Density {
        /// The log-densities of rows.
        log_likelihood: MeanLoss,
    },
}

impl Evaluation {
    /// Evaluates the model on some rows.
    pub fn of(model: &dyn Model, rows: &DatasetRef<'_>) -> Result<Self> {
        let weight = rows.weight;
        match (model.as_classifier(), model.as_regressor(), model.as_density(), rows.y) {
            (Some(c), _, _, Target::Class { codes, names }) => {
                if c.classes() != names {
                    let known = c.classes();
                    return Err(Error::Target(format!("the model knows the classes {known:?} and the data has {names:?}")));
                }
                let (proba, predictions) = c.proba_and_class(&rows.x)?;
                let p = proba.view();
                let sum = |loss: fn(u32, ermine_core::MatRef<'_, f64>, usize) -> f64| {
                    MeanLoss::of(codes.len(), weight, |i| loss(codes[i], p, i))
                };
                let classes = if names.len() == 2 { 1..2 } else { 0..names.len() };
                Ok(Self::Classes {
                    confusion: confusion(codes, &predictions, names.len(), weight),
                    log_loss: sum(probability::log_loss_of),
                    brier: sum(probability::brier_of),
                    thresholds: classes.map(|c| Thresholds::of_class(codes, p, c, weight)).collect::<Result<_>>()?,
                    calibration: calibration_bins(codes, p, weight)?,
                })
            }
            (_, Some(r), _, Target::Real(_) | Target::Reals(_)) => {
                let (truth, predictions) = (rows.y.reals()?, r.predict(&rows.x)?);
                let of_row =
                    |i: usize| (0..truth.cols()).map(|j| r.unit_deviance(*truth.at(i, j), predictions[(i, j)])).sum::<f64>();
                Ok(Self::Numbers {
                    errors: errors(truth, predictions.view(), weight),
                    deviance: MeanLoss::of(truth.rows(), weight, of_row),
                })
            }
            (_, _, Some(d), _) => {
                let log = d.log_density(&rows.x)?;
                Ok(Self::Density { log_likelihood: MeanLoss::of(log.len(), weight, |i| log[i]) })
            }
            _ => Err(Error::Target("the model predicts something else than this target".into())),
        }
    }

    /// The metrics of [`super::evaluate`], except the median of the errors, which is no sum.
    pub fn measures(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Classes { confusion, log_loss, brier, thresholds, calibration } => {
                let mean = |measure: fn(&Thresholds) -> Option<f64>| {
                    let each: Vec<f64> = thresholds.iter().filter_map(measure).collect();
                    (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
                };
                let areas = (mean(Thresholds::roc_auc), mean(Thresholds::average_precision));
                class_measures(confusion, (log_loss.mean(), brier.mean()), areas, calibration)
            }
            Self::Numbers { errors, deviance } => number_measures(errors, deviance),
            Self::Density { log_likelihood } => vec![("log_likelihood", log_likelihood.sum)],
        }
    }
}

impl Partial for Evaluation {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (
                Self::Classes { confusion, log_loss, brier, thresholds, calibration },
                Self::Classes { confusion: c, log_loss: l, brier: b, thresholds: t, calibration: k },
            ) => {
                confusion.merge(c)?;
                log_loss.merge(l)?;
                brier.merge(b)?;
                calibration.merge(k)?;
                thresholds.iter_mut().zip(t).try_for_each(|(a, b)| a.merge(b))
            }
            (Self::Numbers { errors, deviance }, Self::Numbers { errors: e, deviance: d }) => {
                deviance.merge(d)?;
                errors.iter_mut().zip(e).try_for_each(|(a, b)| a.merge(b))
            }
            (Self::Density { log_likelihood }, Self::Density { log_likelihood: l }) => log_likelihood.merge(l),
            _ => Err(Error::Data("parts of different evaluations cannot be merged".into())),
        }
    }
}

/// [`Evaluation`] of a model on a source of rows that may be larger than memory; `spec` is that of its learner.
pub fn evaluate_source(model: &dyn Model, source: &dyn RowSource, spec: &Spec, cx: &Context<'_>) -> Result<Evaluation> {
    run_pass_source(source, spec, cx.block_rows.unwrap_or(BLOCK_ROWS), cx, &|rows: &DatasetRef<'_>| Evaluation::of(model, rows))
}

#[cfg(test)]
mod tests {
    use ermine_core::{Features, Learner, MatRef, RngStream};

    use super::*;
    use crate::metrics::evaluate;
    use ermine_linear::{Logistic, Ridge};

    #[test]
    fn a_pass_in_blocks_gives_the_measures_of_all_rows() {
        let mut s = RngStream::new(2, "rows", 0);
        let n = 700;
        let x: Vec<f64> = (0..n * 3).map(|_| s.normal()).collect();
        let y: Vec<f64> = (0..n).map(|i| x[3 * i] - x[3 * i + 1] + s.normal()).collect();
        let codes: Vec<u32> = y.iter().map(|v| if *v < -0.7 { 0 } else { 1 + u32::from(*v > 0.6) }).collect();
        let weight: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
        let names = ["a", "b", "c"].map(str::to_owned);
        let rows = DatasetRef::new(Features::F64(MatRef::row_major(&x, n, 3))).with_weight(Some(&weight));
        let targets = [Target::Real(&y), Target::Class { codes: &codes, names: &names }];
        let cx = Context { block_rows: Some(64), ..Context::default() };
        for target in targets {
            let data = rows.with_target(target);
            let (model, spec): (Box<dyn Model>, Spec) = match target {
                Target::Real(_) => (Box::new(Ridge::default().fit_with(&data, &cx).unwrap()), Ridge::SPEC),
                _ => (Box::new(Logistic::default().fit_with(&data, &cx).unwrap()), Logistic::SPEC),
            };
            let whole = evaluate(&*model, &data.x, &data.y, data.weight).unwrap();
            let passed = evaluate_source(&*model, &data, &spec, &cx).unwrap().measures();
            for (name, value) in passed {
                let expected = whole.iter().find(|w| w.0 == name).unwrap().1;
                assert!((value - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{name}: {value} {expected}");
            }
        }
    }
}
