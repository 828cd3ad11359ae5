//! Selection: splits and cross-validation.
