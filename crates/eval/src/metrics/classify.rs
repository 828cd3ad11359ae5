//! Classification metrics: the confusion matrix and metrics derived from it.

use ermine_core::{Error, Mat, MatRef, Partial, Result};
use serde::{Deserialize, Serialize};

use super::{BinaryCounts, Thresholds};

/// Weighted counts of (true class, predicted class). A [`Partial`]: the counts of all rows are the sum of those of
/// their parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confusion {
    /// Rows are true classes, columns predicted classes.
    pub counts: Mat<f64>,
}

/// Averages of metrics of single classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Average {
    /// The mean over the classes that occur, among the true ones or the predicted ones.
    Macro,
    /// All decisions "this class or not" in one count; for F, precision and recall that is accuracy.
    Micro,
    /// The mean over classes, weighted by how often they truly occur.
    Weighted,
}

/// Counts the predictions of each true class.
pub fn confusion(truth: &[u32], predictions: &[u32], classes: usize, weight: Option<&[f64]>) -> Confusion {
    let mut counts = Mat::zeros(classes, classes);
    for (i, (&t, &f)) in truth.iter().zip(predictions).enumerate() {
        counts[(t as usize, f as usize)] += weight.map_or(1.0, |w| w[i]);
    }
    Confusion { counts }
}

impl Partial for Confusion {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.classes() != other.classes() {
            return Err(Error::Length { what: "classes".into(), expected: self.classes(), found: other.classes() });
        }
        self.counts.as_mut_slice().iter_mut().zip(other.counts.as_slice()).for_each(|(a, b)| *a += b);
        Ok(())
    }
}

impl Confusion {
    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.counts.rows()
    }
    fn true_total(&self, class: usize) -> f64 {
        self.counts.row(class).iter().sum()
    }
    fn predicted_total(&self, class: usize) -> f64 {
        (0..self.classes()).map(|t| self.counts[(t, class)]).sum()
    }
    fn total(&self) -> f64 {
        self.counts.as_slice().iter().sum()
    }
    fn correct_total(&self) -> f64 {
        (0..self.classes()).map(|c| self.counts[(c, c)]).sum()
    }

    /// One class against the rest.
    pub fn of_class(&self, class: usize) -> BinaryCounts {
        let hit = self.counts[(class, class)];
        let (false_negative, false_positive) = (self.true_total(class) - hit, self.predicted_total(class) - hit);
        let true_negative = self.total() - hit - false_negative - false_positive;
        BinaryCounts { true_positive: hit, false_positive, false_negative, true_negative }
    }

    /// Share of rows whose class is right.
    pub fn accuracy(&self) -> f64 {
        self.correct_total() / self.total()
    }

    /// Mean recall over the classes that occur.
    pub fn balanced_accuracy(&self) -> f64 {
        let recalls: Vec<f64> = (0..self.classes()).filter_map(|c| self.of_class(c).recall()).collect();
        recalls.iter().sum::<f64>() / recalls.len() as f64
    }

    /// Precision, recall and their harmonic mean for one class; 0 without predictions or rows of it.
    pub fn precision_recall_f1(&self, class: usize) -> (f64, f64, f64) {
        let c = self.of_class(class);
        (c.precision().unwrap_or(0.0), c.recall().unwrap_or(0.0), c.f(1.0))
    }

    /// A metric of single classes, averaged over them.
    pub fn average(&self, how: Average, measure: impl Fn(&BinaryCounts) -> f64) -> f64 {
        let each = (0..self.classes()).map(|c| self.of_class(c));
        match how {
            Average::Micro => {
                let sum = |a: BinaryCounts, b: BinaryCounts| BinaryCounts {
                    true_positive: a.true_positive + b.true_positive,
                    false_positive: a.false_positive + b.false_positive,
                    true_negative: a.true_negative + b.true_negative,
                    false_negative: a.false_negative + b.false_negative,
                };
                measure(&each.fold(BinaryCounts::default(), sum))
            }
            Average::Macro => {
                let present: Vec<f64> = each.filter(|c| c.total() > c.true_negative).map(|c| measure(&c)).collect();
                present.iter().sum::<f64>() / present.len() as f64
            }
            Average::Weighted => {
                let total = self.total();
                each.map(|c| (c.true_positive + c.false_negative, c))
                    .filter(|c| c.0 > 0.0)
                    .map(|(w, c)| w / total * measure(&c))
                    .sum()
            }
        }
    }

    /// Share of the rows predicted as a class that are of it, averaged; 0 for a class that was never predicted.
    pub fn precision(&self, how: Average) -> f64 {
        self.average(how, |c| c.precision().unwrap_or(0.0))
    }

    /// Share of the rows of a class that is predicted, averaged; 0 for a class that never occurs.
    pub fn recall(&self, how: Average) -> f64 {
        self.average(how, |c| c.recall().unwrap_or(0.0))
    }

    /// The F measure in which recall counts `beta` times as much as precision, averaged over classes.
    pub fn f(&self, beta: f64, how: Average) -> f64 {
        self.average(how, |c| c.f(beta))
    }

    /// Mean over classes of the F measure.
    pub fn f1_macro(&self) -> f64 {
        self.f(1.0, Average::Macro)
    }

    /// Matthews' correlation of true and predicted classes, for any number of classes (Gorodkin 2004); 0 where all rows
    /// are of one class or predicted as one.
    pub fn matthews(&self) -> f64 {
        let n = self.total();
        let sum = |f: &dyn Fn(usize) -> f64| (0..self.classes()).map(f).sum::<f64>();
        let both = self.correct_total() / n - sum(&|c| self.true_total(c) / n * (self.predicted_total(c) / n));
        let (t, f) = (1.0 - sum(&|c| (self.true_total(c) / n).powi(2)), 1.0 - sum(&|c| (self.predicted_total(c) / n).powi(2)));
        if t > 0.0 && f > 0.0 { both / (t.sqrt() * f.sqrt()) } else { 0.0 }
    }

    /// Cohen's kappa: agreement beyond chance with the same class frequencies, 1 when perfect.
    pub fn kappa(&self) -> f64 {
        self.kappa_of(|t, f| f64::from(t != f))
    }

    /// Cohen's kappa where an error costs the distance of the classes to a power (1 linear, 2 quadratic): for ordinal
    /// classes.
    pub fn weighted_kappa(&self, power: i32) -> f64 {
        self.kappa_of(|t, f| (t as f64 - f as f64).abs().powi(power))
    }

    fn kappa_of(&self, cost: impl Fn(usize, usize) -> f64) -> f64 {
        let n = self.total();
        let (mut seen, mut chance) = (0.0, 0.0);
        for t in 0..self.classes() {
            for f in 0..self.classes() {
                seen += cost(t, f) * self.counts[(t, f)] / n;
                chance += cost(t, f) * (self.true_total(t) / n) * (self.predicted_total(f) / n);
            }
        }
        if chance > 0.0 { 1.0 - seen / chance } else { 1.0 }
    }
}

/// Share of rows whose class is right.
pub fn accuracy(truth: &[u32], predictions: &[u32], weight: Option<&[f64]>) -> f64 {
    let w = |i: usize| weight.map_or(1.0, |w| w[i]);
    let right: f64 = (0..truth.len()).filter(|&i| truth[i] == predictions[i]).map(w).sum();
    right / (0..truth.len()).map(w).sum::<f64>()
}

/// Mean over classes of the recall.
pub fn balanced_accuracy(truth: &[u32], predictions: &[u32], classes: usize, weight: Option<&[f64]>) -> f64 {
    confusion(truth, predictions, classes, weight).balanced_accuracy()
}

/// Precision, recall and F measure of one class.
pub fn precision_recall_f1(
    truth: &[u32],
    predictions: &[u32],
    classes: usize,
    class: usize,
    weight: Option<&[f64]>,
) -> (f64, f64, f64) {
    confusion(truth, predictions, classes, weight).precision_recall_f1(class)
}

/// Mean over classes of the F measure.
pub fn f1_macro(truth: &[u32], predictions: &[u32], classes: usize, weight: Option<&[f64]>) -> f64 {
    confusion(truth, predictions, classes, weight).f1_macro()
}

/// [`Thresholds::roc_auc`] of rows; `None` when one of the two classes does not occur.
pub fn roc_auc(positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> Result<Option<f64>> {
    Ok(Thresholds::of(positive, score, weight)?.roc_auc())
}

/// [`Thresholds::average_precision`] of rows; `None` without positive rows.
pub fn average_precision(positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> Result<Option<f64>> {
    Ok(Thresholds::of(positive, score, weight)?.average_precision())
}

/// A metric of the second class of two, or the mean over classes of one against the rest.
fn one_against_rest(
    truth: &[u32],
    proba: MatRef<'_, f64>,
    weight: Option<&[f64]>,
    measure: impl Fn(&Thresholds) -> Option<f64>,
) -> Result<Option<f64>> {
    let of = |class: usize| Ok(measure(&Thresholds::of_class(truth, proba, class, weight)?));
    if proba.cols() == 2 {
        return of(1);
    }
    let each: Vec<f64> = (0..proba.cols()).map(of).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    Ok((!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64))
}

/// [`roc_auc`] of the second class of two, or the mean over classes of one against the rest.
pub fn roc_auc_macro(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> Result<Option<f64>> {
    one_against_rest(truth, proba, weight, Thresholds::roc_auc)
}

/// The area under the ROC curve for several classes by pairs (Hand and Till 2001): for each two classes, their rows
/// alone, scored by the probability of the one and of the other; the mean over all pairs. Unlike one against the rest
/// it does not depend on the class frequencies. `None` where fewer than two classes occur.
pub fn roc_auc_pairs(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> Result<Option<f64>> {
    let mut each = Vec::new();
    for a in 0..proba.cols() {
        for b in a + 1..proba.cols() {
            let rows: Vec<usize> = (0..truth.len()).filter(|&i| [a, b].contains(&(truth[i] as usize))).collect();
            let w: Option<Vec<f64>> = weight.map(|w| rows.iter().map(|&i| w[i]).collect());
            let of = |class: usize| -> Result<Option<f64>> {
                let positive: Vec<bool> = rows.iter().map(|&i| truth[i] as usize == class).collect();
                let score: Vec<f64> = rows.iter().map(|&i| *proba.at(i, class)).collect();
                roc_auc(&positive, &score, w.as_deref())
            };
            if let (Some(x), Some(y)) = (of(a)?, of(b)?) {
                each.push(0.5 * (x + y));
            }
        }
    }
    Ok((!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64))
}

/// [`average_precision`] of the second class of two, or the mean over classes of one against the rest.
pub fn average_precision_macro(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> Result<Option<f64>> {
    one_against_rest(truth, proba, weight, Thresholds::average_precision)
}
