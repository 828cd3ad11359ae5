//! Metrics of rows that count alike, on labels and numbers as they are: `accuracy(&truth, &predicted)`.
//!
//! Labels may be [`Labels`](ermine_core::Labels), words, booleans, integers or enums, and are compared by name. The
//! functions panic when the two are not of one length, as the comparison of two slices by index would.

use ermine_core::format::{columns, number};
use ermine_core::{AsLabels, Error, MatRef, Result};

use super::{Average, Confusion, confusion};

/// Counts of (true class, predicted class), with the names of the classes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ConfusionMatrix {
    /// The names of the classes.
    pub names: Vec<String>,
    /// Rows are true classes, columns predicted ones.
    pub counts: Confusion,
}

impl std::ops::Deref for ConfusionMatrix {
    type Target = Confusion;
    fn deref(&self) -> &Confusion {
        &self.counts
    }
}

impl std::fmt::Display for ConfusionMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let head = std::iter::once("true \\ predicted".to_owned()).chain(self.names.iter().cloned()).collect();
        let line = |t: usize| {
            let counts = self.counts.counts.row(t).iter().map(|&count| number(count));
            std::iter::once(self.names[t].clone()).chain(counts).collect()
        };
        let lines: Vec<Vec<String>> = std::iter::once(head).chain((0..self.names.len()).map(line)).collect();
        f.write_str(columns(&lines, |j| j > 0).trim_end())
    }
}

/// Counts the predictions of each true class. `Display` prints the table.
///
/// ```
/// use ermine_eval::metrics::plain::confusion_matrix;
///
/// let table = confusion_matrix(&["sun", "sun", "rain"], &["sun", "rain", "rain"]);
/// assert_eq!(table.to_string(), "true \\ predicted  rain  sun\nrain                 1    0\nsun                  1    1");
/// assert_eq!(table.accuracy(), 2.0 / 3.0);
/// ```
pub fn confusion_matrix(truth: &(impl AsLabels + ?Sized), predicted: &(impl AsLabels + ?Sized)) -> ConfusionMatrix {
    let (truth, predicted) = (truth.as_labels(), predicted.as_labels());
    same_length(truth.len(), predicted.len());
    let mut names = truth.names().to_vec();
    let mut code_of = |name: &String| {
        names.iter().position(|n| n == name).unwrap_or_else(|| {
            names.push(name.clone());
            names.len() - 1
        }) as u32
    };
    let codes: Vec<u32> = predicted.names().iter().map(&mut code_of).collect();
    let predicted: Vec<u32> = predicted.codes().iter().map(|&c| codes[c as usize]).collect();
    let counts = confusion(truth.codes(), &predicted, names.len(), None);
    ConfusionMatrix { names, counts }
}

fn same_length(truth: usize, predicted: usize) {
    assert_eq!(truth, predicted, "there are {truth} true values and {predicted} predictions");
}

/// Share of rows whose class is right.
///
/// ```
/// use ermine_eval::metrics::plain::accuracy;
///
/// assert_eq!(accuracy(&[true, false, true, true], &[true, true, true, true]), 0.75);
/// ```
#[doc(alias = "accuracy_score")]
pub fn accuracy(truth: &(impl AsLabels + ?Sized), predicted: &(impl AsLabels + ?Sized)) -> f64 {
    confusion_matrix(truth, predicted).accuracy()
}

/// Mean over classes of the share that is found.
#[doc(alias = "balanced_accuracy_score")]
pub fn balanced_accuracy(truth: &(impl AsLabels + ?Sized), predicted: &(impl AsLabels + ?Sized)) -> f64 {
    confusion_matrix(truth, predicted).balanced_accuracy()
}

/// Harmonic mean of precision and recall, averaged over the classes.
#[doc(alias = "f1_score")]
pub fn f1(truth: &(impl AsLabels + ?Sized), predicted: &(impl AsLabels + ?Sized)) -> f64 {
    confusion_matrix(truth, predicted).f1_macro()
}

/// Share of the rows found as a class that are of it, averaged over the classes.
#[doc(alias = "precision_score")]
pub fn precision(truth: &(impl AsLabels + ?Sized), predicted: &(impl AsLabels + ?Sized)) -> f64 {
    confusion_matrix(truth, predicted).precision(Average::Macro)
}

/// Share of the rows of a class that is found, averaged over the classes.
#[doc(alias = "recall_score")]
pub fn recall(truth: &(impl AsLabels + ?Sized), predicted: &(impl AsLabels + ?Sized)) -> f64 {
    confusion_matrix(truth, predicted).recall(Average::Macro)
}

/// Probability that a row that is true scores above one that is not; an error when one of the two does not occur.
#[doc(alias = "roc_auc_score")]
pub fn roc_auc(truth: &[bool], score: &[f64]) -> Result<f64> {
    same_length(truth.len(), score.len());
    super::roc_auc(truth, score, None)?.ok_or_else(|| Error::Target("all rows are of one class".into()))
}

fn column_views<'a>(truth: &'a [f64], predicted: &'a [f64]) -> (MatRef<'a, f64>, MatRef<'a, f64>) {
    same_length(truth.len(), predicted.len());
    let column = |values: &'a [f64]| MatRef::row_major(values, values.len(), 1);
    (column(truth), column(predicted))
}

/// Mean squared error.
#[doc(alias = "mean_squared_error")]
pub fn mse(truth: &[f64], predicted: &[f64]) -> f64 {
    let (truth, predicted) = column_views(truth, predicted);
    super::mse(truth, predicted, None)
}

/// Square root of the mean squared error.
#[doc(alias = "root_mean_squared_error")]
pub fn rmse(truth: &[f64], predicted: &[f64]) -> f64 {
    let (truth, predicted) = column_views(truth, predicted);
    super::rmse(truth, predicted, None)
}

/// Mean absolute error.
#[doc(alias = "mean_absolute_error")]
pub fn mae(truth: &[f64], predicted: &[f64]) -> f64 {
    let (truth, predicted) = column_views(truth, predicted);
    super::mae(truth, predicted, None)
}

/// Share of the variance that is explained.
#[doc(alias = "r2_score")]
pub fn r2(truth: &[f64], predicted: &[f64]) -> f64 {
    let (truth, predicted) = column_views(truth, predicted);
    super::r2(truth, predicted, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::Labels;

    #[test]
    fn classes_are_compared_by_name_whatever_their_codes() {
        let truth = Labels::new(vec![0, 1, 2], ["x", "a", "m"].map(str::to_owned).to_vec()).unwrap();
        assert_eq!(accuracy(&truth, &["x", "a", "b"]), 2.0 / 3.0);
        assert_eq!(accuracy(&[1, 2, 3], &["1", "2", "3"]), 1.0);
        // "b" is predicted and never true: it has no recall, and takes part in the means of F.
        let table = confusion_matrix(&truth, &["x", "a", "b"]);
        assert_eq!(table.names, ["x", "a", "m", "b"]);
        assert_eq!(balanced_accuracy(&truth, &["x", "a", "b"]), 2.0 / 3.0);
        assert_eq!(f1(&truth, &["x", "a", "b"]), 0.5);
    }

    #[test]
    #[should_panic(expected = "2 true values and 1 predictions")]
    fn lengths_that_differ_are_refused() {
        mse(&[1.0, 2.0], &[1.0]);
    }

    #[test]
    fn numbers_are_measured_as_by_hand() {
        let (truth, predicted) = ([1.0, 2.0, 3.0], [1.0, 2.0, 5.0]);
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 4.0 * f64::EPSILON, "{a} is not {b}");
        near(mse(&truth, &predicted), 4.0 / 3.0);
        near(mae(&truth, &predicted), 2.0 / 3.0);
        near(rmse(&truth, &predicted), (4.0f64 / 3.0).sqrt());
        near(r2(&truth, &predicted), -1.0);
        assert_eq!(roc_auc(&[true, false], &[0.9, 0.1]).unwrap(), 1.0);
        assert!(roc_auc(&[true, true], &[0.9, 0.1]).is_err());
    }
}
