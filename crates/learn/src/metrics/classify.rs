//! Measures for classes.

use ermine_core::{Mat, MatRef};

/// Counts of (true class, found class), weighted.
#[derive(Debug, Clone, PartialEq)]
pub struct Confusion {
    /// Rows are true classes, columns found classes.
    pub counts: Mat<f64>,
}

/// Counts how often each true class was found as each class.
pub fn confusion(truth: &[u32], found: &[u32], classes: usize, weight: Option<&[f64]>) -> Confusion {
    let mut counts = Mat::zeros(classes, classes);
    for (i, (&t, &f)) in truth.iter().zip(found).enumerate() {
        counts[(t as usize, f as usize)] += weight.map_or(1.0, |w| w[i]);
    }
    Confusion { counts }
}

impl Confusion {
    fn classes(&self) -> usize {
        self.counts.rows()
    }
    fn truly(&self, class: usize) -> f64 {
        self.counts.row(class).iter().sum()
    }
    fn found(&self, class: usize) -> f64 {
        (0..self.classes()).map(|t| self.counts[(t, class)]).sum()
    }

    /// Share of rows whose class is right.
    pub fn accuracy(&self) -> f64 {
        let right: f64 = (0..self.classes()).map(|c| self.counts[(c, c)]).sum();
        right / self.counts.as_slice().iter().sum::<f64>()
    }

    /// Mean over the classes that occur of the share that is found.
    pub fn balanced_accuracy(&self) -> f64 {
        let recalls: Vec<f64> =
            (0..self.classes()).filter(|&c| self.truly(c) > 0.0).map(|c| self.counts[(c, c)] / self.truly(c)).collect();
        recalls.iter().sum::<f64>() / recalls.len() as f64
    }

    /// Precision, recall and their harmonic mean for one class; 0 where nothing was found or nothing is there.
    pub fn precision_recall_f1(&self, class: usize) -> (f64, f64, f64) {
        let hit = self.counts[(class, class)];
        let ratio = |of: f64| if of > 0.0 { hit / of } else { 0.0 };
        let both = self.truly(class) + self.found(class);
        (ratio(self.found(class)), ratio(self.truly(class)), if both > 0.0 { 2.0 * hit / both } else { 0.0 })
    }

    /// Mean over classes of the F measure.
    pub fn f1_macro(&self) -> f64 {
        let present: Vec<usize> = (0..self.classes()).filter(|&c| self.truly(c) + self.found(c) > 0.0).collect();
        present.iter().map(|&c| self.precision_recall_f1(c).2).sum::<f64>() / present.len() as f64
    }
}

/// Share of rows whose class is right.
pub fn accuracy(truth: &[u32], found: &[u32], weight: Option<&[f64]>) -> f64 {
    let w = |i: usize| weight.map_or(1.0, |w| w[i]);
    let right: f64 = (0..truth.len()).filter(|&i| truth[i] == found[i]).map(w).sum();
    right / (0..truth.len()).map(w).sum::<f64>()
}

/// Mean over classes of the share that is found.
pub fn balanced_accuracy(truth: &[u32], found: &[u32], classes: usize, weight: Option<&[f64]>) -> f64 {
    confusion(truth, found, classes, weight).balanced_accuracy()
}

/// Precision, recall and F measure of one class.
pub fn precision_recall_f1(
    truth: &[u32],
    found: &[u32],
    classes: usize,
    class: usize,
    weight: Option<&[f64]>,
) -> (f64, f64, f64) {
    confusion(truth, found, classes, weight).precision_recall_f1(class)
}

/// Mean over classes of the F measure.
pub fn f1_macro(truth: &[u32], found: &[u32], classes: usize, weight: Option<&[f64]>) -> f64 {
    confusion(truth, found, classes, weight).f1_macro()
}

/// Mean of -log of the probability of the true class. Probabilities are kept away from 0 by the smallest step a double
/// has at 1, so that one certain error is dear but not infinite.
pub fn log_loss(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (i, &t) in truth.iter().enumerate() {
        let w = weight.map_or(1.0, |w| w[i]);
        let p = proba.at(i, t as usize).clamp(f64::EPSILON, 1.0);
        sum -= w * p.ln();
        total += w;
    }
    sum / total
}

/// Mean squared distance of the probabilities from the truth: for two classes (p - y)², for more the sum over classes.
pub fn brier(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (i, &t) in truth.iter().enumerate() {
        let w = weight.map_or(1.0, |w| w[i]);
        let square = |c: usize| (proba.at(i, c) - f64::from(c == t as usize)).powi(2);
        sum += w * if proba.cols() == 2 { square(1) } else { (0..proba.cols()).map(square).sum() };
        total += w;
    }
    sum / total
}

/// Rows by descending score, with the weight of positive and negative rows at each distinct score.
fn by_score(positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> Vec<(f64, f64, f64)> {
    let mut order: Vec<usize> = (0..score.len()).collect();
    order.sort_by(|&a, &b| score[b].total_cmp(&score[a]));
    let mut steps: Vec<(f64, f64, f64)> = Vec::new();
    for i in order {
        let w = weight.map_or(1.0, |w| w[i]);
        let (p, n) = if positive[i] { (w, 0.0) } else { (0.0, w) };
        match steps.last_mut() {
            Some(last) if last.0 == score[i] => {
                last.1 += p;
                last.2 += n;
            }
            _ => steps.push((score[i], p, n)),
        }
    }
    steps
}

/// The ROC curve: (false positive rate, true positive rate, threshold), from the strictest threshold down; starts at (0, 0).
pub fn roc_curve(positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> Vec<(f64, f64, f64)> {
    let steps = by_score(positive, score, weight);
    let (p, n): (f64, f64) = steps.iter().fold((0.0, 0.0), |a, s| (a.0 + s.1, a.1 + s.2));
    let (mut tp, mut fp) = (0.0, 0.0);
    let mut out = vec![(0.0, 0.0, f64::INFINITY)];
    for (score, a, b) in steps {
        tp += a;
        fp += b;
        out.push((fp / n, tp / p, score));
    }
    out
}

/// Area under the ROC curve: the probability that a positive row scores above a negative one, ties counted half. `None`
/// when one of the two does not occur.
pub fn roc_auc(positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> Option<f64> {
    let (mut above, mut p, mut n) = (0.0, 0.0, 0.0);
    for (_, a, b) in by_score(positive, score, weight) {
        above += b * (p + a / 2.0);
        p += a;
        n += b;
    }
    (p > 0.0 && n > 0.0).then(|| above / (p * n))
}

/// Average precision: the sum over thresholds of precision times the gain in recall. `None` without positive rows.
pub fn average_precision(positive: &[bool], score: &[f64], weight: Option<&[f64]>) -> Option<f64> {
    let (mut sum, mut p, mut n) = (0.0, 0.0, 0.0);
    for (_, a, b) in by_score(positive, score, weight) {
        p += a;
        n += b;
        if a > 0.0 {
            sum += a * p / (p + n);
        }
    }
    (p > 0.0).then(|| sum / p)
}

fn one_against_rest(
    truth: &[u32],
    proba: MatRef<'_, f64>,
    weight: Option<&[f64]>,
    measure: impl Fn(&[bool], &[f64], Option<&[f64]>) -> Option<f64>,
) -> Option<f64> {
    let of = |class: usize| {
        let positive: Vec<bool> = truth.iter().map(|&t| t as usize == class).collect();
        let score: Vec<f64> = proba.col_iter(class).collect();
        measure(&positive, &score, weight)
    };
    if proba.cols() == 2 {
        return of(1);
    }
    let each: Vec<f64> = (0..proba.cols()).filter_map(of).collect();
    (!each.is_empty()).then(|| each.iter().sum::<f64>() / each.len() as f64)
}

/// [`roc_auc`] of the second class of two, or the mean over classes of one against the rest.
pub fn roc_auc_macro(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> Option<f64> {
    one_against_rest(truth, proba, weight, roc_auc)
}

/// [`average_precision`] of the second class of two, or the mean over classes of one against the rest.
pub(super) fn average_precision_macro(truth: &[u32], proba: MatRef<'_, f64>, weight: Option<&[f64]>) -> Option<f64> {
    one_against_rest(truth, proba, weight, average_precision)
}
