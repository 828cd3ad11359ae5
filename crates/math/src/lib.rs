//! Numerical kernels of Ermine. Linear algebra comes from faer, behind our own functions; the rest is here because its
//! speed or its bits matter to us.
#![deny(missing_docs)]

pub mod affine;
pub mod bins;
pub mod classes;
pub mod columns;
pub mod coordinate;
pub mod dd;
pub mod distance;
pub mod distribution;
pub mod gaussians;
pub mod isotonic;
pub mod kernel;
pub mod linalg;
pub mod loss;
pub mod memory;
pub mod moments;
pub mod neighbours;
pub mod network;
pub mod optimise;
pub mod pooled;
pub mod prior;
pub mod probability;
pub mod project;
pub mod row_ops;
pub mod series;
pub mod skinny;
pub mod tree_masks;
pub mod wide;

mod rows;
mod simd;
