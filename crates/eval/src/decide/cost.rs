//! Decisions of least expected cost.

use ermine_core::{Error, Mat, MatRef, Result};
use serde::{Deserialize, Serialize};

/// The cost of each action for each true class: one row per class, one column per action. Actions are the classes in
/// order, unless there are more or others.
///
/// The Bayes action of a row is the one of least expected cost, Σ_c p(c) cost(c, a). With equal costs of all errors it is the most
/// probable class.
///
/// ```
/// use ermine_core::Mat;
/// use ermine_eval::decide::CostMatrix;
/// // A false positive costs 1, a false negative 5, abstaining 0.5.
/// let costs = CostMatrix::two(1.0, 5.0)?.with_abstention(0.5)?;
/// let proba = Mat::from_vec(3, 2, vec![0.95, 0.05, 0.85, 0.15, 0.3, 0.7]);
/// assert_eq!(costs.decide(proba.view())?.action, [0, 2, 1]);
/// assert_eq!(CostMatrix::two(1.0, 5.0)?.threshold(), Some(1.0 / 6.0));
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostMatrix {
    matrix: Mat<f64>,
    /// The action that is none of the classes, where there is one.
    abstain: Option<usize>,
}

/// Actions and their expected costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Decisions {
    /// The action of each row.
    pub action: Vec<u32>,
    /// Its expected cost.
    pub expected: Vec<f64>,
}

impl CostMatrix {
    /// A matrix of costs: one row per true class, one column per action. Gains are negative costs.
    pub fn new(matrix: Mat<f64>) -> Result<Self> {
        if matrix.rows() < 2 || matrix.cols() < 1 {
            return Err(Error::Data(format!(
                "costs of {} classes and {} actions: there must be at least 2 classes and an action",
                matrix.rows(),
                matrix.cols()
            )));
        }
        if let Some(at) = matrix.as_slice().iter().position(|c| !c.is_finite()) {
            let (class, action) = (at / matrix.cols(), at % matrix.cols());
            return Err(Error::Data(format!("the cost of action {action} for class {class} is no finite number")));
        }
        Ok(Self { matrix, abstain: None })
    }

    /// 1 for every error, 0 for none.
    pub fn zero_one(classes: usize) -> Result<Self> {
        Self::new(Mat::from_fn(classes, classes, |t, a| f64::from(t != a)))
    }

    /// Two classes, the second being the positive one: the costs of a false positive and a false negative.
    pub fn two(false_positive: f64, false_negative: f64) -> Result<Self> {
        for (what, v) in [("false positive", false_positive), ("false negative", false_negative)] {
            if !(v.is_finite() && v >= 0.0) {
                return Err(Error::Data(format!("a {what} that costs {v}: costs of errors are finite and not negative")));
            }
        }
        Self::new(Mat::from_vec(2, 2, vec![0.0, false_positive, false_negative, 0.0]))
    }

    /// Adds a last action, to abstain, with a constant cost. With all errors costing 1 this is Chow's rule: abstain
    /// where the most probable class is less probable than 1 - cost.
    pub fn with_abstention(self, cost: f64) -> Result<Self> {
        let (rows, cols) = (self.matrix.rows(), self.matrix.cols());
        let cell = |t: usize, a: usize| if a < cols { self.matrix[(t, a)] } else { cost };
        Ok(Self { abstain: Some(cols), ..Self::new(Mat::from_fn(rows, cols + 1, cell))? })
    }

    /// The costs: one row per true class, one column per action.
    pub fn matrix(&self) -> &Mat<f64> {
        &self.matrix
    }

    /// The action that abstains.
    pub fn abstention(&self) -> Option<u32> {
        self.abstain.map(|a| a as u32)
    }

    /// For two classes and the actions to predict one or the other: the probability of the second class from which on
    /// predicting it is cheaper. `None` where one action is never more expensive, or there are others.
    pub fn threshold(&self) -> Option<f64> {
        if (self.matrix.rows(), self.matrix.cols()) != (2, 2) {
            return None;
        }
        // The loss of predicting the second class where the first is true, and the gain where the second is.
        let (loss, gain) = (self.matrix[(0, 1)] - self.matrix[(0, 0)], self.matrix[(1, 0)] - self.matrix[(1, 1)]);
        (loss >= 0.0 && gain >= 0.0 && loss + gain > 0.0).then(|| loss / (loss + gain))
    }

    /// The action of least expected cost for each row of probabilities. Ties go to the first; but where the second of
    /// two classes is exactly at the threshold it is predicted, as everywhere.
    pub fn decide(&self, proba: MatRef<'_, f64>) -> Result<Decisions> {
        let classes = self.matrix.rows();
        if proba.cols() != classes {
            return Err(Error::Length { what: "columns of the probabilities".into(), expected: classes, found: proba.cols() });
        }
        let threshold = self.threshold();
        let mut out = Decisions { action: Vec::with_capacity(proba.rows()), expected: Vec::with_capacity(proba.rows()) };
        for i in 0..proba.rows() {
            let cost = |a: usize| (0..classes).map(|c| proba.at(i, c) * self.matrix[(c, a)]).sum::<f64>();
            let best = match threshold {
                Some(t) => usize::from(*proba.at(i, 1) >= t),
                None => (1..self.matrix.cols()).fold(0, |best, a| if cost(a) < cost(best) { a } else { best }),
            };
            out.action.push(best as u32);
            out.expected.push(cost(best));
        }
        Ok(out)
    }

    /// The realized total cost of actions.
    pub fn realized_cost(&self, truth: &[u32], action: &[u32], weight: Option<&[f64]>) -> f64 {
        let of = |i: usize| weight.map_or(1.0, |w| w[i]) * self.matrix[(truth[i] as usize, action[i] as usize)];
        (0..truth.len()).map(of).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_action_is_expected_to_cost_less(
            costs in prop::collection::vec(-3.0..5.0f64, 12), shares in prop::collection::vec(0.01..1.0f64, 3), abstain in 0.0..2.0f64,
        ) {
            let costs = CostMatrix::new(Mat::from_vec(3, 4, costs)).unwrap().with_abstention(abstain).unwrap();
            let total: f64 = shares.iter().sum();
            let p: Vec<f64> = shares.iter().map(|s| s / total).collect();
            let d = costs.decide(MatRef::row_major(&p, 1, 3)).unwrap();
            let expected = |a: usize| (0..3).map(|c| p[c] * costs.matrix()[(c, a)]).sum::<f64>();
            prop_assert!((0..5).all(|a| expected(a) >= d.expected[0]));
            prop_assert_eq!(expected(d.action[0] as usize), d.expected[0]);
            prop_assert_eq!(costs.abstention(), Some(4));
        }

        #[test]
        fn two_classes_are_told_apart_by_the_threshold(fp in 0.1..9.0f64, miss in 0.1..9.0f64, p in 0.0..1.0f64) {
            let costs = CostMatrix::two(fp, miss).unwrap();
            let decisions = costs.decide(MatRef::row_major(&[1.0 - p, p], 1, 2)).unwrap();
            prop_assert_eq!(decisions.action[0] == 1, p >= costs.threshold().unwrap());
            // Whichever is expected to cost less, up to rounding at the threshold.
            prop_assert!(decisions.expected[0] <= (p * miss).min((1.0 - p) * fp) + 1e-12);
        }
    }

    #[test]
    fn equal_costs_call_the_most_probable_class_and_chow_declines_below_one_minus_cost() {
        let proba = Mat::from_vec(3, 3, vec![0.5, 0.3, 0.2, 0.1, 0.1, 0.8, 0.34, 0.33, 0.33]);
        assert_eq!(CostMatrix::zero_one(3).unwrap().decide(proba.view()).unwrap().action, [0, 2, 0]);
        let chow = CostMatrix::zero_one(3).unwrap().with_abstention(0.55).unwrap();
        let d = chow.decide(proba.view()).unwrap();
        assert_eq!(d.action, [0, 2, 3]);
        assert_eq!(chow.realized_cost(&[0, 1, 1], &d.action, None), 1.55);
        assert_eq!(chow.realized_cost(&[0, 1, 1], &d.action, Some(&[1.0, 2.0, 0.0])), 2.0);
        assert_eq!(
            (CostMatrix::two(0.0, 0.0).unwrap().threshold(), CostMatrix::two(5.0, 1.0).unwrap().threshold()),
            (None, Some(5.0 / 6.0))
        );
    }

    #[test]
    fn costs_that_cannot_be_are_refused() {
        assert!(CostMatrix::two(-1.0, 1.0).is_err() && CostMatrix::two(f64::NAN, 1.0).is_err());
        assert!(CostMatrix::new(Mat::from_vec(1, 2, vec![0.0, 1.0])).is_err());
        assert!(CostMatrix::new(Mat::from_vec(2, 2, vec![0.0, f64::INFINITY, 1.0, 0.0])).is_err());
        assert!(CostMatrix::zero_one(3).unwrap().decide(Mat::zeros(1, 2).view()).is_err());
    }
}
