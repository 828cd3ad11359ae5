//! Preparation of columns: scaling, encoding, imputation.
