//! Which candidates an ensemble takes, and with what weights: greedy selection on predictions of rows that they had not
//! seen (Caruana, Niculescu-Mizil, Crew, Ksikes: Ensemble selection from libraries of models, 2004).

use ermine_core::{Mat, MatRef, OwnedTarget, Result, argmax_rows};
use ermine_eval::metrics::{self, Direction};

/// Steps of the selection: weights are multiples of one over their number.
const STEPS: usize = 25;
/// Rows beyond which a selection looks at every k-th row only.
const MANY_ROWS: usize = 10_000;
/// Parts into which the rows of a single round are cut for an honest score.
const PARTS: usize = 5;

/// The rows that were held out in all rounds, one round after the other.
pub(super) struct TestRows {
    pub y: OwnedTarget,
    pub weight: Option<Vec<f64>>,
    /// Where each round begins, and the end.
    pub offsets: Vec<usize>,
}

impl TestRows {
    pub fn len(&self) -> usize {
        self.offsets.last().copied().unwrap_or(0)
    }

    /// The part of each row: weights are chosen on all other parts when it is judged.
    fn parts(&self) -> Vec<usize> {
        match self.offsets.len() - 1 {
            1 => (0..self.len()).map(|i| i % PARTS).collect(),
            rounds => (0..rounds).flat_map(|r| std::iter::repeat_n(r, self.offsets[r + 1] - self.offsets[r])).collect(),
        }
    }
}

/// What selection lowers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Criterion {
    /// The mean of -log of the probability of the true class. For metrics that move in steps too: they tie often, and a
    /// choice by them follows chance.
    LogLoss,
    /// The mean squared error.
    SquaredError,
    /// Any other metric, of probabilities or numbers.
    Metric(String, Direction),
}

impl Criterion {
    pub fn of(metric: &str, classes: bool) -> Result<Self> {
        let direction = metrics::direction(metric)?;
        Ok(match (metric, classes) {
            ("brier" | "roc_auc" | "average_precision" | "calibration_error", true) => Self::Metric(metric.into(), direction),
            (_, true) => Self::LogLoss,
            ("mse" | "rmse" | "r2" | "explained_variance" | "deviance", false) => Self::SquaredError,
            (_, false) => Self::Metric(metric.into(), direction),
        })
    }

    /// The part of predictions that the criterion reads: one column where that is enough.
    pub fn project(&self, predictions: MatRef<'_, f64>, y: &OwnedTarget) -> Mat<f64> {
        match (self, y) {
            (Self::LogLoss, OwnedTarget::Class { codes, .. }) => {
                Mat::from_fn(predictions.rows(), 1, |i, _| *predictions.at(i, codes[i] as usize))
            }
            _ => predictions.to_owned(),
        }
    }

    /// The loss of some rows: lower is better.
    pub fn loss(&self, projected: MatRef<'_, f64>, y: &OwnedTarget, weight: Option<&[f64]>) -> f64 {
        let w = |i: usize| weight.map_or(1.0, |w| w[i]);
        let n = projected.rows();
        let mean = |f: &dyn Fn(usize) -> f64| (0..n).map(|i| w(i) * f(i)).sum::<f64>() / (0..n).map(w).sum::<f64>();
        match (self, y) {
            (Self::LogLoss, _) => mean(&|i| -projected.at(i, 0).clamp(f64::EPSILON, 1.0).ln()),
            (Self::SquaredError, OwnedTarget::Real(y)) => mean(&|i| (projected.at(i, 0) - y[i]).powi(2)),
            (Self::Metric(name, direction), _) => {
                let value = match y {
                    OwnedTarget::Class { codes, .. } => {
                        let found = argmax_rows(projected);
                        metrics::one_of_classes(name, codes, projected, &found, weight).ok().flatten()
                    }
                    _ => y
                        .view()
                        .reals()
                        .ok()
                        .and_then(|y| metrics::one_of_numbers(name, y, projected, weight, &|y, p| (y - p) * (y - p))),
                };
                // NaN stands for a metric that does not apply.
                value.map_or(f64::NAN, |v| if *direction == Direction::Higher { -v } else { v })
            }
            _ => f64::NAN,
        }
    }
}

/// Some rows of all candidates, as selection reads them.
struct Selection<'a> {
    criterion: &'a Criterion,
    candidates: Vec<Mat<f64>>,
    y: OwnedTarget,
    weight: Option<Vec<f64>>,
}

impl<'a> Selection<'a> {
    fn new(criterion: &'a Criterion, all: &[MatRef<'_, f64>], of: &TestRows, keep: impl Fn(usize) -> bool) -> Self {
        let mut rows: Vec<usize> = (0..of.len()).filter(|&i| keep(i)).collect();
        let step = rows.len().div_ceil(MANY_ROWS).max(1);
        rows = rows.into_iter().step_by(step).collect();
        let y = of.y.view().take_rows(&rows);
        let weight = of.weight.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect());
        let candidates = all.iter().map(|p| criterion.project(p.take_rows(&rows).view(), &y)).collect();
        Self { criterion, candidates, y, weight }
    }

    fn loss(&self, predictions: &Mat<f64>) -> f64 {
        self.criterion.loss(predictions.view(), &self.y, self.weight.as_deref())
    }

    /// How often each candidate was taken.
    fn run(&self) -> Vec<usize> {
        let mut counts = vec![0; self.candidates.len()];
        let alone: Vec<f64> = self.candidates.iter().map(|c| self.loss(c)).collect();
        let mut eligible: Vec<usize> = (0..alone.len()).filter(|&m| alone[m].is_finite()).collect();
        eligible.sort_by(|&a, &b| alone[a].total_cmp(&alone[b]).then(a.cmp(&b)));
        // Many candidates on few rows follow chance.
        eligible.truncate(candidates_for(self.y.view().rows().unwrap_or(0)));
        let Some(&first) = eligible.first() else { return counts };
        eligible.sort_unstable();
        counts[first] = 1;
        let mut sum = self.candidates[first].clone();
        let (mut best, mut best_counts) = (alone[first], counts.clone());
        for size in 2..=STEPS {
            let mut step: Option<(f64, usize)> = None;
            for &m in &eligible {
                let mean = mean_with(&sum, &self.candidates[m], size);
                let loss = self.loss(&mean);
                // Of equals, one that is in already, then the earlier one, which is the cheaper.
                let better = step.is_none_or(|(least, at)| {
                    let near = (loss - least).abs() <= 1e-12 * least.abs();
                    if near { counts[m] > 0 && counts[at] == 0 } else { loss < least }
                });
                if better && loss.is_finite() {
                    step = Some((loss, m));
                }
            }
            let Some((loss, m)) = step else { break };
            counts[m] += 1;
            sum.as_mut_slice().iter_mut().zip(self.candidates[m].as_slice()).for_each(|(s, p)| *s += p);
            if loss < best * (1.0 - 1e-9 * best.signum()) {
                (best, best_counts) = (loss, counts.clone());
            }
        }
        best_counts
    }
}

/// The mean of `size` predictions, of which all but the last are summed up.
fn mean_with(sum: &Mat<f64>, last: &Mat<f64>, size: usize) -> Mat<f64> {
    let scale = 1.0 / size as f64;
    let values = sum.as_slice().iter().zip(last.as_slice()).map(|(s, p)| (s + p) * scale).collect();
    Mat::from_vec(sum.rows(), sum.cols(), values)
}

/// How many candidates a selection on so many rows may choose from.
fn candidates_for(rows: usize) -> usize {
    match rows {
        0..=150 => 4,
        151..=700 => 8,
        701..=3000 => 14,
        _ => 25,
    }
}

/// The weight of each candidate; they sum to 1.
pub(super) fn weights(criterion: &Criterion, all: &[MatRef<'_, f64>], of: &TestRows) -> Vec<f64> {
    share(&Selection::new(criterion, all, of, |_| true).run())
}

fn share(counts: &[usize]) -> Vec<f64> {
    let total: usize = counts.iter().sum();
    counts.iter().map(|&c| c as f64 / total.max(1) as f64).collect()
}

/// Predictions of the ensemble for each row, with weights that were chosen without the rows of its part.
pub(super) fn nested_predictions(criterion: &Criterion, all: &[MatRef<'_, f64>], of: &TestRows) -> Mat<f64> {
    let parts = of.parts();
    let width = all.first().map_or(0, |p| p.cols());
    let mut out = Mat::zeros(of.len(), width);
    for part in 0..parts.iter().max().map_or(0, |m| m + 1) {
        let weights = share(&Selection::new(criterion, all, of, |i| parts[i] != part).run());
        for (predictions, w) in all.iter().zip(weights).filter(|(_, w)| *w > 0.0) {
            for i in (0..of.len()).filter(|&i| parts[i] == part) {
                (0..width).for_each(|j| out[(i, j)] += w * predictions.at(i, j));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use ermine_core::RngStream;

    use super::*;

    /// Numbers, and predictions of them with independent errors of the given sizes.
    fn noisy(rows: usize, errors: &[f64]) -> (TestRows, Vec<Mat<f64>>) {
        let mut s = RngStream::new(3, "selection test", 0);
        let y: Vec<f64> = (0..rows).map(|_| s.normal()).collect();
        let predictions = errors.iter().map(|e| Mat::from_fn(rows, 1, |i, _| y[i] + e * s.normal())).collect();
        let offsets = (0..=5).map(|k| k * rows / 5).collect();
        (TestRows { y: OwnedTarget::Real(y), weight: None, offsets }, predictions)
    }

    #[test]
    fn independent_errors_are_weighted_by_their_precision() {
        let (rows, predictions) = noisy(8000, &[1.0, 1.0, 2.0, 30.0]);
        let views: Vec<_> = predictions.iter().map(|p| p.view()).collect();
        let w = weights(&Criterion::SquaredError, &views, &rows);
        // The best weights go by 1/e²: 4/9, 4/9, 1/9, and hardly anything.
        for (found, want) in w.iter().zip([4.0 / 9.0, 4.0 / 9.0, 1.0 / 9.0, 0.0]) {
            assert!((found - want).abs() < 0.05, "{w:?}");
        }
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // The mean of these has the variance 1 / (1 + 1 + 1/4).
        let honest = nested_predictions(&Criterion::SquaredError, &views, &rows);
        let loss = Criterion::SquaredError.loss(honest.view(), &rows.y, None);
        assert!((loss - 4.0 / 9.0).abs() < 0.03, "{loss}");
    }

    #[test]
    fn one_candidate_that_is_right_is_taken_alone() {
        let (rows, mut predictions) = noisy(300, &[1.0, 1.5]);
        let OwnedTarget::Real(y) = &rows.y else { unreachable!() };
        predictions.push(Mat::from_fn(300, 1, |i, _| y[i]));
        let views: Vec<_> = predictions.iter().map(|p| p.view()).collect();
        assert_eq!(weights(&Criterion::SquaredError, &views, &rows), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_nested_score_does_not_flatter_a_choice_among_noise() {
        // Classes are a coin, and so are all candidates: whoever is chosen, -log of the probability is about log 2 or more.
        let rows = 400;
        let mut s = RngStream::new(5, "selection test", 1);
        let codes: Vec<u32> = (0..rows).map(|_| s.below(2) as u32).collect();
        let names = vec!["a".to_owned(), "b".to_owned()];
        let coin = |s: &mut RngStream| {
            let p: Vec<f64> = (0..rows).map(|_| 0.5 + 0.4 * (s.uniform() - 0.5)).collect();
            Mat::from_fn(rows, 2, |i, j| if j == 1 { p[i] } else { 1.0 - p[i] })
        };
        let predictions: Vec<Mat<f64>> = (0..30).map(|_| coin(&mut s)).collect();
        let views: Vec<_> = predictions.iter().map(|p| p.view()).collect();
        let offsets = (0..=5).map(|k| k * rows / 5).collect();
        let rows = TestRows { y: OwnedTarget::Class { codes, names }, weight: None, offsets };
        let c = Criterion::LogLoss;
        let loss = |p: &Mat<f64>| c.loss(c.project(p.view(), &rows.y).view(), &rows.y, None);
        let w = weights(&c, &views, &rows);
        let mut chosen = Mat::zeros(400, 2);
        for (p, w) in predictions.iter().zip(&w) {
            chosen.as_mut_slice().iter_mut().zip(p.as_slice()).for_each(|(c, p)| *c += w * p);
        }
        let (own, honest) = (loss(&chosen), loss(&nested_predictions(&c, &views, &rows)));
        assert!(own < 2f64.ln() - 0.003, "the selection's own score {own}");
        assert!(honest > 2f64.ln() - 0.003, "the nested score {honest}");
    }

    #[test]
    fn metrics_of_order_are_selected_by_themselves() {
        let c = Criterion::of("roc_auc", true).unwrap();
        assert_eq!(c, Criterion::Metric("roc_auc".into(), Direction::Higher));
        assert_eq!(Criterion::of("accuracy", true).unwrap(), Criterion::LogLoss);
        assert_eq!(Criterion::of("r2", false).unwrap(), Criterion::SquaredError);
        assert!(Criterion::of("exactness", true).is_err());
        let y = OwnedTarget::Class { codes: vec![0, 1, 0, 1], names: vec!["a".into(), "b".into()] };
        let p = Mat::from_vec(4, 2, vec![0.9, 0.1, 0.2, 0.8, 0.3, 0.7, 0.6, 0.4]);
        // Of the four pairs of a b and an a, three are in order.
        assert!((c.loss(p.view(), &y, None) + 0.75).abs() < 1e-12);
    }
}
