//! The threshold explorer: a threshold to move, and its consequences.

use serde::Serialize;

/// Consequences of every threshold for one class.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ExplorerClass {
    /// The class.
    pub name: String,
    /// The weight of its rows.
    pub positives: f64,
    /// The weight of all other rows.
    pub negatives: f64,
    /// For each threshold k / steps: the weight of its rows whose probability is at least that.
    pub tp: Vec<f64>,
    /// The same of other rows.
    pub fp: Vec<f64>,
}

/// A threshold to move, costs to change, and the consequences. All numbers are exact at the thresholds 0, 1/steps,
/// 2/steps, …, 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ThresholdExplorer {
    /// The classes to choose from.
    pub classes: Vec<ExplorerClass>,
    /// Steps between 0 and 1.
    pub steps: usize,
    /// Cost of a false positive.
    pub fp: f64,
    /// Cost of a false negative.
    pub fn_: f64,
    /// Whether all weights are integers.
    pub whole: bool,
}

impl ExplorerClass {
    /// Counts rows: which are of the class, its predicted probabilities, their weights.
    pub fn of(name: &str, steps: usize, positive: &[bool], proba: &[f64], weight: Option<&[f64]>) -> Self {
        let mut out = Self { name: name.to_owned(), tp: vec![0.0; steps + 1], fp: vec![0.0; steps + 1], ..Self::default() };
        for (i, (&is, &p)) in positive.iter().zip(proba).enumerate() {
            let w = weight.map_or(1.0, |w| w[i]);
            // The last threshold that the probability reaches, decided by comparison and not by rounding.
            let mut k = ((p * steps as f64) as usize).min(steps);
            while k < steps && (k + 1) as f64 / steps as f64 <= p {
                k += 1;
            }
            while k > 0 && k as f64 / steps as f64 > p {
                k -= 1;
            }
            let (total, reached) = if is { (&mut out.positives, &mut out.tp) } else { (&mut out.negatives, &mut out.fp) };
            *total += w;
            reached[k] += w;
        }
        for list in [&mut out.tp, &mut out.fp] {
            (0..steps).rev().for_each(|k| list[k] += list[k + 1]);
        }
        out
    }
}

impl ThresholdExplorer {
    /// The cost of predicting the class from threshold k / steps on.
    pub fn cost(&self, class: &ExplorerClass, k: usize) -> f64 {
        self.fp * class.fp[k] + self.fn_ * (class.positives - class.tp[k])
    }

    /// The index of the threshold of least cost; on ties the one nearest to a half.
    pub fn best(&self, class: &ExplorerClass) -> usize {
        let far = |k: usize| (2 * k).abs_diff(self.steps);
        let order = |a: &usize, b: &usize| self.cost(class, *a).total_cmp(&self.cost(class, *b)).then(far(*a).cmp(&far(*b)));
        (0..=self.steps).min_by(order).unwrap_or(0)
    }
}
