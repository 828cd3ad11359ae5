//! Calibration of scores and probabilities.

use ermine_core::{Error, Mat, MatRef, Result};
use ermine_math::isotonic::{Isotonic, isotonic};
use serde::{Deserialize, Serialize};

use ermine_math::platt::Sigmoid;

/// Calibration methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Calibration {
    /// A sigmoid, 1 / (1 + exp(a s + b)): two parameters, for few rows and distortions of that form (Platt 1999).
    Sigmoid,
    /// Isotonic regression: any monotone function, for a thousand rows and more (Zadrozny and Elkan 2002).
    Isotonic,
}

/// A monotone function from a score to the probability of the positive class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Calibrator {
    /// 1 / (1 + exp(a s + b)).
    Sigmoid {
        /// Slope, negative where higher scores are more likely positive.
        a: f64,
        /// Offset.
        b: f64,
    },
    /// Piecewise linear between knots.
    Isotonic {
        /// Scores, ascending.
        knots: Vec<f64>,
        /// The probability at each.
        levels: Vec<f64>,
    },
}

fn check(positive: usize, score: &[f64], weight: Option<&[f64]>) -> Result<()> {
    for (what, found) in [("scores", score.len()), ("sample weights", weight.map_or(positive, <[f64]>::len))] {
        if found != positive {
            return Err(Error::Length { what: what.into(), expected: positive, found });
        }
    }
    match score.iter().position(|s| !s.is_finite()) {
        Some(row) => Err(Error::NotFinite { column: "score".into(), row, value: score[row].to_string() }),
        None => Ok(()),
    }
}

impl Calibrator {
    /// Fits to rows that were not used to train the scores.
    pub fn fit(how: Calibration, positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> Result<Self> {
        check(positive.len(), score, weight)?;
        let w = |i: usize| weight.map_or(1.0, |w| w[i]);
        let of = |want: bool| (0..positive.len()).filter(|&i| positive[i] == want).map(w).sum::<f64>();
        if !(of(true) > 0.0 && of(false) > 0.0) {
            return Err(Error::Target("calibration needs rows of both classes with a weight above 0".into()));
        }
        Ok(match how {
            Calibration::Sigmoid => {
                let weights: Vec<f64> = (0..positive.len()).map(w).collect();
                let Sigmoid { a, b } = Sigmoid::fit(score, positive, &weights);
                Self::Sigmoid { a, b }
            }
            Calibration::Isotonic => {
                let y: Vec<f64> = positive.iter().map(|&p| f64::from(p)).collect();
                let Isotonic { knots, levels } = isotonic(score, &y, weight);
                Self::Isotonic { knots, levels }
            }
        })
    }

    /// The probability of the positive class at a score.
    pub fn at(&self, score: f64) -> f64 {
        match self {
            Self::Sigmoid { a, b } => Sigmoid { a: *a, b: *b }.probability(score),
            Self::Isotonic { knots, levels } => line(knots, levels, score),
        }
    }
}

/// The piecewise linear function, without copying the knots.
fn line(knots: &[f64], levels: &[f64], x: f64) -> f64 {
    let above = knots.partition_point(|&k| k < x);
    match (above.checked_sub(1), knots.get(above)) {
        (None, None) => f64::NAN,
        (None, Some(_)) => levels[0],
        (Some(below), None) => levels[below],
        (Some(below), Some(&k)) => {
            let share = (x - knots[below]) / (k - knots[below]);
            levels[below] + (levels[above] - levels[below]) * share
        }
    }
}

/// Calibration of the probabilities of a classifier: of the second class of two, or of each class against the rest,
/// renormalized to sum 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbabilityMap {
    each: Vec<Calibrator>,
    classes: usize,
}

/// log(p / (1 - p)), in which overconfidence is a constant factor; kept finite.
fn logit(p: f64) -> f64 {
    let p = p.clamp(1e-12, 1.0 - 1e-12);
    (p / (1.0 - p)).ln()
}

impl ProbabilityMap {
    /// Fits to rows that were not used to train the classifier. Sigmoids use log odds, so that calibrated probabilities
    /// are not changed.
    pub fn fit(how: Calibration, truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> Result<Self> {
        let classes = proba.cols();
        if classes < 2 {
            return Err(Error::Target(format!("{classes} classes: calibration needs at least 2")));
        }
        let of = |class: usize| {
            let positive: Vec<bool> = truth.iter().map(|&t| t as usize == class).collect();
            let score: Vec<f64> = proba.col_iter(class).map(|p| to_score(how, p)).collect();
            Calibrator::fit(how, &positive, &score, weight)
        };
        let each = if classes == 2 { vec![of(1)?] } else { (0..classes).map(of).collect::<Result<_>>()? };
        Ok(Self { each, classes })
    }

    /// Calibrated probabilities of rows.
    pub fn apply(&self, proba: MatRef<'_, f64>) -> Result<Mat<f64>> {
        if proba.cols() != self.classes {
            return Err(Error::Length {
                what: "columns of the probabilities".into(),
                expected: self.classes,
                found: proba.cols(),
            });
        }
        let at = |c: &Calibrator, p: f64| c.at(if let Calibrator::Sigmoid { .. } = c { logit(p) } else { p });
        let mut out = Mat::zeros(proba.rows(), self.classes);
        for i in 0..proba.rows() {
            if self.classes == 2 {
                let p = at(&self.each[0], *proba.at(i, 1));
                out.row_mut(i).copy_from_slice(&[1.0 - p, p]);
                continue;
            }
            let row = out.row_mut(i);
            row.iter_mut().enumerate().for_each(|(c, v)| *v = at(&self.each[c], *proba.at(i, c)));
            let total: f64 = row.iter().sum();
            // Where all calibrated probabilities are 0, the original ones are kept.
            row.iter_mut().enumerate().for_each(|(c, v)| *v = if total > 0.0 { *v / total } else { *proba.at(i, c) });
        }
        Ok(out)
    }
}

fn to_score(how: Calibration, p: f64) -> f64 {
    if how == Calibration::Sigmoid { logit(p) } else { p }
}

#[cfg(test)]
mod tests {
    use ermine_core::RngStream;

    use super::*;
    use crate::metrics::{CalibrationCurve, log_loss};

    /// Rows whose true log odds are known, and probabilities that are overconfident by a factor of three.
    fn overconfident(n: usize, seed: u64) -> (Vec<u32>, Mat<f64>, Vec<f64>) {
        let mut s = RngStream::new(seed, "overconfident", 0);
        let odds: Vec<f64> = (0..n).map(|_| 1.5 * s.normal()).collect();
        let p = |z: f64| 1.0 / (1.0 + (-z).exp());
        let truth = odds.iter().map(|&z| u32::from(s.uniform() < p(z))).collect();
        let proba = Mat::from_fn(n, 2, |i, c| if c == 1 { p(3.0 * odds[i]) } else { 1.0 - p(3.0 * odds[i]) });
        (truth, proba, odds.into_iter().map(p).collect())
    }

    #[test]
    fn what_is_too_sure_becomes_honest_on_fresh_rows() {
        let ((truth, said, _), (fresh, fresh_said, fresh_true)) = (overconfident(4000, 1), overconfident(4000, 2));
        let positive: Vec<bool> = fresh.iter().map(|&c| c == 1).collect();
        let error = |p: &Mat<f64>| {
            let p: Vec<f64> = p.view().col_iter(1).collect();
            CalibrationCurve::of(&positive, &p, None, 10).unwrap().expected_calibration_error()
        };
        let before = (error(&fresh_said), log_loss(&fresh, fresh_said.view(), None));
        for how in [Calibration::Sigmoid, Calibration::Isotonic] {
            let map = ProbabilityMap::fit(how, &truth, said.view(), None).unwrap();
            let after = map.apply(fresh_said.view()).unwrap();
            assert!(error(&after) < 0.3 * before.0 && log_loss(&fresh, after.view(), None) < before.1, "{how:?}");
            let off = (0..4000).map(|i| (after[(i, 1)] - fresh_true[i]).abs()).sum::<f64>() / 4000.0;
            assert!(off < 0.03, "{how:?}: {off}");
            assert!((0..4000).all(|i| (after.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
        }
        // The sigmoid undoes the factor of three.
        let Calibrator::Sigmoid { a, b } = ProbabilityMap::fit(Calibration::Sigmoid, &truth, said.view(), None).unwrap().each[0]
        else {
            panic!("a sigmoid")
        };
        assert!((a + 1.0 / 3.0).abs() < 0.03 && b.abs() < 0.1, "{a} {b}");
    }

    #[test]
    fn isotonic_levels_are_those_of_the_regression_and_never_fall() {
        let score = [0.1, 0.4, 0.3, 0.8, 0.6];
        let c = Calibrator::fit(Calibration::Isotonic, &[false, false, true, true, true], &score, None).unwrap();
        assert_eq!((c.at(0.0), c.at(0.3), c.at(0.4), c.at(0.7), c.at(9.0)), (0.0, 0.5, 0.5, 1.0, 1.0));
        assert!((c.at(0.2) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn several_classes_sum_to_one_and_one_class_alone_is_refused() {
        let proba = Mat::from_fn(30, 3, |i, c| if c == i % 3 { 0.8 } else { 0.1 });
        let truth: Vec<u32> = (0..30).map(|i| if i % 5 == 0 { (i as u32 + 1) % 3 } else { i as u32 % 3 }).collect();
        for how in [Calibration::Sigmoid, Calibration::Isotonic] {
            let out = ProbabilityMap::fit(how, &truth, proba.view(), None).unwrap().apply(proba.view()).unwrap();
            assert!((0..30).all(|i| (out.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
            assert!((out[(0, 0)] - 0.8).abs() < 0.1, "{how:?}: {}", out[(0, 0)]);
        }
        assert!(Calibrator::fit(Calibration::Sigmoid, &[true, true], &[0.0, 1.0], None).is_err());
        assert!(Calibrator::fit(Calibration::Sigmoid, &[true, false], &[0.0, f64::NAN], None).is_err());
    }
}
