//! Binned features for histogram trees.
//!
//! A [`QuantileSketch`] of a column gives cut points, [`ColumnBins`] maps values to bins, a [`BinMatrix`] has the bins
//! of all cells, [`Histogram`]s have sums of gradients and curvatures by bin, and [`PartitionedRows`] the rows of each
//! node of a tree.
//!
//! # Integer sums
//! Gradients are integers here: the caller rounds them to a grid. Sums of integers do not depend on the order of the
//! terms, so a histogram has the same bits for any order of rows, any number of threads and any blocks; a row of weight
//! 2 is exactly the row twice; and a sibling is exactly its parent minus the other child.
//!
//! # Layout
//! The cells of up to 16 adjacent columns are stored together, row by row ([`Panel`]). A node is summed panel by panel:
//! each of its rows takes one short run of bytes and one 8-byte addition per cell, into histograms that stay in the
//! first-level cache. A gradient and a curvature are packed into the halves of these 8 bytes; before sums could
//! overflow them, they are moved to pairs of 8-byte integers.

mod cuts;
mod gains;
mod histogram;
mod matrix;
mod rows;
mod sketch;

pub use cuts::ColumnBins;
pub use gains::{split_gain, threshold_gains};
pub use histogram::{Histogram, HistogramMut, HistogramRef, RowList, difference, pack, unpack};
pub use matrix::{Bin, BinMatrix, PANEL, Panel, Panels};
pub use rows::PartitionedRows;
pub use sketch::QuantileSketch;
