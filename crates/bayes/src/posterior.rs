//! From logarithms of joint probabilities to posteriors.

/// Turns logarithms of unscaled probabilities into logarithms of probabilities.
pub(super) fn normalize_logs(row: &mut [f64]) {
    let norm = log_sum_exp(row);
    row.iter_mut().for_each(|v| *v -= norm);
}

/// Turns logarithms of unscaled probabilities into probabilities.
pub(super) fn normalize(row: &mut [f64]) {
    let most = greatest(row);
    let mut total = 0.0;
    for v in row.iter_mut() {
        *v = (*v - most).exp();
        total += *v;
    }
    row.iter_mut().for_each(|v| *v /= total);
}

/// The logarithm of the sum of what these are logarithms of.
pub(super) fn log_sum_exp(row: &[f64]) -> f64 {
    let most = greatest(row);
    if most == f64::NEG_INFINITY {
        return if row.iter().any(|v| v.is_nan()) { f64::NAN } else { most };
    }
    most + row.iter().map(|v| (v - most).exp()).sum::<f64>().ln()
}

fn greatest(row: &[f64]) -> f64 {
    row.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v))
}

/// One number for two classes: the logarithm of the odds of the second.
pub(super) fn odds(scores: ermine_core::Mat<f64>) -> ermine_core::Mat<f64> {
    match scores.cols() {
        2 => ermine_core::Mat::from_fn(scores.rows(), 1, |i, _| scores[(i, 1)] - scores[(i, 0)]),
        _ => scores,
    }
}

/// Logarithms of the priors of the classes; a class without rows is impossible.
pub(super) fn log_priors(priors: &[f64], counts: &[f64]) -> Vec<f64> {
    let log = |(p, n): (&f64, &f64)| if *n > 0.0 { p.ln() } else { f64::NEG_INFINITY };
    priors.iter().zip(counts).map(log).collect()
}

/// Gives a row whose scores are lost to the possible class of the greatest `score`, the first of several.
pub(super) fn give_to_best(row: &mut [f64], log_priors: &[f64], score: impl Fn(usize) -> f64) {
    let possible = |k: &usize| log_priors[*k] > f64::NEG_INFINITY;
    let best = (0..row.len()).filter(possible).max_by(|a, b| score(*a).total_cmp(&score(*b)).then(b.cmp(a)));
    row.fill(f64::NEG_INFINITY);
    row[best.unwrap_or(0)] = 0.0;
}

/// The classifier of a model with the method `scored(x, end)`, which hands the joint log-probabilities of every row to `end`; `decision` is
/// the method with the scores of the decision function.
macro_rules! classify_by_scores {
    ($model:ty $(, decision: $decision:ident)?) => {
        impl Classifier for $model {
            fn classes(&self) -> &[String] {
                &self.classes
            }
            fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
                self.scored(x, $crate::posterior::normalize)
            }
            fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
                self.scored(x, $crate::posterior::normalize_logs)
            }
            fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
                Ok(argmax_rows(self.scored(x, |_| ())?.view()))
            }
            $(fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
                Ok(Some($crate::posterior::odds(self.$decision(x)?)))
            })?
        }
    };
}
pub(super) use classify_by_scores;

/// Methods of a [`ermine_core::Model`] that is a classifier and a density.
macro_rules! classifier_with_density {
    () => {
        fn as_classifier(&self) -> Option<&dyn Classifier> {
            Some(self)
        }
        fn as_density(&self) -> Option<&dyn Density> {
            Some(self)
        }
        fn certificate(&self) -> Option<&Certificate> {
            Some(&self.certificate)
        }
    };
}
pub(super) use classifier_with_density;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overflows_and_impossible_classes_get_nothing() {
        let logs = [-1e300, 1000.0, 1000.0 + 3f64.ln(), f64::NEG_INFINITY];
        let mut p = logs;
        normalize(&mut p);
        // Next to 1000 a logarithm is known to 1e-13.
        assert!((p[1] - 0.25).abs() < 1e-12 && (p[2] - 0.75).abs() < 1e-12 && p[0] == 0.0 && p[3] == 0.0);
        let mut l = logs;
        normalize_logs(&mut l);
        assert!((l[1] - 0.25f64.ln()).abs() < 1e-12 && l[3] == f64::NEG_INFINITY);
        assert!((log_sum_exp(&logs) - (1000.0 + 4f64.ln())).abs() < 1e-12);
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 2]), f64::NEG_INFINITY);
    }
}
