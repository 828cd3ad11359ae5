//! Bayes classifiers.

use super::{CLASSES, Face, like, translated};

pub const FACES: &[Face] = &[Face {
    class: "GaussianNB",
    learner: "gaussian-nb",
    base: "_bayes.GaussianNB",
    summary: "",
    notes: "",
    params: &[
        translated("priors", "None", "[\"array-like\", None]", "array-like of shape (n_classes,) or None", ""),
        like("var_smoothing", "1e-9", "[Interval(Real, 0, None, closed=\"left\")]", "float"),
    ],
    positional: 0,
    handled: &[],
    attributes: &[
        CLASSES,
        ("class_count_", "ndarray of shape (n_classes,)", "Weight of each class."),
        ("class_prior_", "ndarray of shape (n_classes,)", "Probability of each class."),
        ("theta_", "ndarray of shape (n_classes, n_features)", "Mean of each column in each class."),
        ("var_", "ndarray of shape (n_classes, n_features)", "Variance of each column in each class, smoothing included."),
        ("epsilon_", "float", "What smoothing added to the variances."),
    ],
    example: "",
}];
