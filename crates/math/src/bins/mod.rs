//! Binned features: what histogram trees learn from.
//!
//! A [`Sketch`] of a column gives cut points, [`ColumnBins`] turn values into bins, a [`BinMatrix`] holds the bins of all cells,
//! [`Histogram`]s hold sums of gradients and curvatures by bin, and [`RowSets`] hold which rows are in which node of a tree.
//!
//! # Whole numbers
//! Gradients are whole numbers here: the caller rounds them to a grid. Sums of whole numbers do not depend on the order of the
//! terms, so a histogram has the same bits for any order of rows, any number of threads and any cut of the rows into blocks; a
//! row of weight 2 is exactly the row twice; and a sibling is exactly its parent less the other child.
//!
//! # Layout
//! The cells of up to 16 neighbouring columns lie together, row after row ([`Panel`]). A node is summed panel by panel: for
//! each of its rows one short run of bytes is read and one 8-byte addition is made for each cell, into histograms that stay in
//! the first-level cache. A gradient and a curvature are packed into the halves of these 8 bytes; wherever sums could
//! outgrow them, they are moved to pairs of 8-byte integers in time.

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
