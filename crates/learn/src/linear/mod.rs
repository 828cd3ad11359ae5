//! Linear models.
