//! Bayes classifiers.
