//! Reduction: few columns that say much.
