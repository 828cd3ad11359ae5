//! Probabilities of classes before a row is seen, as a parameter and as a part of models.

use ermine_core::{Error, ParamSpec, Range, Report, Result};

pub(crate) const PRIORS: ParamSpec = ParamSpec {
    name: "priors",
    doc: "Probabilities of the classes, in the order of the sorted class names; they sum to 1. By default the shares of the classes in \
          the training rows.",
    range: Range::Optional(&Range::List(&Range::Real { min: 0.0, max: 1.0, above: false, log: false })),
};

/// Refuses priors that do not sum to 1, give or take a few digits.
pub(crate) fn check_priors(learner: &'static str, priors: Option<&[f64]>) -> Result<()> {
    let Some(priors) = priors else { return Ok(()) };
    let sum: f64 = priors.iter().sum();
    if (sum - 1.0).abs() > 1e-5 {
        return Err(refuse_priors(learner, priors, format!("the priors must sum to 1, and they sum to {sum}")));
    }
    Ok(())
}

fn refuse_priors(learner: &'static str, priors: &[f64], expected: String) -> Error {
    Error::parameter(learner, "priors", format!("{priors:?}"), expected)
}

/// Refuses priors of another number of classes.
pub(crate) fn expect_classes(learner: &'static str, priors: Option<&[f64]>, classes: usize) -> Result<()> {
    match priors {
        Some(p) if p.len() != classes => {
            Err(refuse_priors(learner, p, format!("there are {classes} classes and {} priors", p.len())))
        }
        _ => Ok(()),
    }
}

/// The given priors, or the shares of the classes; a class without rows has none.
pub(crate) fn priors(given: Option<&[f64]>, weight: &[f64]) -> Vec<f64> {
    let total: f64 = weight.iter().sum();
    let prior = |(k, w): (usize, &f64)| if *w > 0.0 { given.map_or(w / total, |g| g[k]) } else { 0.0 };
    weight.iter().enumerate().map(prior).collect()
}

/// Whether some class is possible: counts and priors from 0 up, both above it in one class.
pub(crate) fn some_class_is_possible(counts: &[f64], priors: &[f64]) -> bool {
    let at_least_0 = |v: &[f64]| v.iter().all(|v| v.is_finite() && *v >= 0.0);
    at_least_0(counts) && at_least_0(priors) && priors.iter().zip(counts).any(|(p, n)| *p > 0.0 && *n > 0.0)
}

/// The table of the classes that reports begin with.
pub(crate) fn class_table(report: &mut Report, classes: &[String], counts: &[f64], priors: impl Fn(usize) -> f64) {
    let rows = (0..classes.len()).map(|k| vec![classes[k].as_str().into(), counts[k].into(), priors(k).into()]).collect();
    report.table("Classes", &["class", "rows", "prior"], rows);
}
