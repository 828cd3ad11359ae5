//! Numerical kernels of Ermine. Linear algebra is from faer, behind our own functions; the rest is here for speed or
//! for reproducible bits.
#![deny(missing_docs)]
// What only factorizations use is left to the linker in a build without them.
#![cfg_attr(not(feature = "linalg"), allow(dead_code, unused_imports))]

pub mod affine;
pub mod bins;
pub mod class_moments;
pub mod column_moments;
pub mod columns;
pub mod coordinate;
pub mod distance;
pub mod distribution;
pub mod double_double;
pub mod flat_trees;
pub mod gaussians;
pub mod isotonic;
pub mod kernel;
pub mod linalg;
pub mod loss;
pub mod memory;
pub mod moments;
pub mod neighbors;
pub mod nn;
pub mod optimize;
pub mod platt;
pub mod pooled_moments;
#[cfg(feature = "linalg")]
pub mod prior;
pub mod probability;
pub mod projection;
pub mod quantile_search;
pub mod row_ops;
pub mod scale;
pub mod series;
pub mod tall_skinny;
pub mod tree_masks;
pub mod vectorize;

mod row_panels;
mod simd;
