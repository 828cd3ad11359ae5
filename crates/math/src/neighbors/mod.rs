//! Nearest neighbors of rows: exact, by blocked brute force or by a tree.
//!
//! Brute force is a matrix product: tiles of eight queries and 48 rows are summed in f32 in registers and compared with
//! the current limit of each query, so that of n scores per query only some k ln(n / k) are stored. The candidates are
//! ranked by distances in f64; a bound on the rounding error of the scores (see `pack`) guarantees that no neighbor is
//! lost. The tree visits only groups of rows whose boxes are near enough, with the same tiles and the same bound.
//!
//! Results depend neither on the algorithm, nor on the block a query is in, nor on threads: they are the k least pairs
//! of distance and row number.

mod best;
mod exact;
mod file;
mod names;
mod pack;
mod pairs;
mod search;
mod sparse;
mod tile;
mod tree;

use std::borrow::Cow;

use ermine_core::parallel::prelude::*;
use ermine_core::{Csr, Error, Features, Mat, MatRef, Result, Schema};

pub use exact::Metric;
pub use file::{load_points, save_points};
pub use names::{KnnAlgorithm, MetricName};
pub use pairs::PairDistances;

use crate::moments::Real;
use pack::{PackTransform, PackedRows};
use tile::{GROUP, ScoreKind};
use tree::BoxTree;

/// Search algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchAlgorithm {
    /// The faster of the two, by the number and the spread of rows and columns.
    #[default]
    Auto,
    /// Every query against every row.
    Brute,
    /// A k-d tree; not for cosine distances and sparse rows.
    Tree,
}

/// Rows to search in, owned.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexedPoints {
    /// f64.
    F64(Mat<f64>),
    /// f32.
    F32(Mat<f32>),
    /// Sparse rows, each with ascending columns.
    Csr(Csr),
}

/// Most cells up to which sparse rows are stored as dense ones.
const DENSE_CELLS: usize = 1 << 25;

impl IndexedPoints {
    /// A copy of features, which must be finite numbers; `learner` is named in errors. Sparse rows of few columns or few
    /// zeros become dense.
    pub fn from_features(x: &Features<'_>, schema: Option<&Schema>, learner: &str) -> Result<Self> {
        let points = match x {
            Features::F64(m) => Self::F64(copy(*m)),
            Features::F32(m) => Self::F32(copy(*m)),
            Features::Table(t) => Self::F64(t.to_numbers(learner)?),
            Features::Csr(m) => {
                let cells = m.rows().saturating_mul(m.cols());
                if cells <= DENSE_CELLS || m.stored() >= cells / 4 {
                    Self::F64(m.to_dense())
                } else {
                    Self::Csr(sparse::sorted(*m))
                }
            }
        };
        if !points.largest().is_finite() {
            x.refuse_non_finite(schema)?;
            // Duplicate columns of a sparse row are added, here to infinity.
            points.features().refuse_non_finite(schema)?;
        }
        Ok(points)
    }

    /// Checks rows that were read from a file: finite cells, ascending columns of sparse rows, as
    /// [`IndexedPoints::from_features`] makes them.
    pub fn check(&self) -> Result<()> {
        if !self.largest().is_finite() {
            self.features().refuse_non_finite(None)?;
        }
        if let Self::Csr(m) = self {
            let rows = m.view();
            if let Some(row) = (0..rows.rows()).find(|&i| !rows.row(i).0.is_sorted_by(|a, b| a < b)) {
                return Err(Error::Data(format!("the columns of sparse row {row} do not ascend")));
            }
        }
        Ok(())
    }

    /// A view of the rows.
    pub fn features(&self) -> Features<'_> {
        match self {
            Self::F64(m) => Features::F64(m.view()),
            Self::F32(m) => Features::F32(m.view()),
            Self::Csr(m) => Features::Csr(m.view()),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.features().rows()
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.features().cols()
    }

    /// The greatest absolute value; infinity or NaN when there is a cell that is no finite number.
    fn largest(&self) -> f64 {
        // The order of absolute values is that of their bits, with infinity and NaN above all numbers.
        match self {
            Self::F64(m) => f64::from_bits(largest(m.as_slice(), |v| v.to_bits() & (u64::MAX >> 1))),
            Self::F32(m) => f32::from_bits(largest(m.as_slice(), |v| v.to_bits() & (u32::MAX >> 1))).into(),
            Self::Csr(m) => {
                let rows = m.view();
                let bits = (0..rows.rows()).map(|i| largest(rows.row(i).1, |v| v.to_bits() & (u64::MAX >> 1))).max();
                f64::from_bits(bits.unwrap_or(0))
            }
        }
    }
}

fn largest<T: Copy + Sync, B: Ord + Default + Copy + Send>(values: &[T], bits: impl Fn(T) -> B + Sync) -> B {
    let part = |values: &[T]| values.iter().fold(B::default(), |most, &v| most.max(bits(v)));
    values.par_chunks(1 << 16).map(part).collect::<Vec<_>>().into_iter().max().unwrap_or_default()
}

fn copy<T: Copy + Default + Send + Sync>(m: MatRef<'_, T>) -> Mat<T> {
    match m.as_row_major() {
        Some(values) => Mat::from_vec(m.rows(), m.cols(), values.to_vec()),
        None => m.to_owned(),
    }
}

/// Rows prepared for searches.
#[derive(Debug)]
pub struct NeighborIndex {
    points: IndexedPoints,
    metric: Metric,
    /// A power of two that keeps squares of cells from overflow and underflow.
    scale: f64,
    /// 1 / |row| for cosine distances.
    inverse_norms: Option<Vec<f64>>,
    packed: Option<PackedRows>,
    tree: Option<BoxTree>,
    /// The row at each place in the groups.
    order: Option<Vec<u32>>,
}

/// The nearest rows of each query, nearest first.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestRows {
    /// The rows: `k` per query.
    pub rows: Mat<u32>,
    /// Their distances.
    pub distances: Mat<f64>,
}

/// The rows near each query, nearest first.
#[derive(Debug, Clone, PartialEq)]
pub struct RadiusRows {
    /// The end of each query's rows.
    pub ends: Vec<usize>,
    /// The rows.
    pub rows: Vec<u32>,
    /// Their distances.
    pub distances: Vec<f64>,
}

/// The most columns and the least rows for which [`SearchAlgorithm::Auto`] takes the tree; the example `neighbors`
/// measures them.
const TREE_COLUMNS: usize = 6;
const TREE_ROWS: usize = 1000;

impl NeighborIndex {
    /// Prepares rows. [`SearchAlgorithm::Auto`] takes the tree for 1000 rows or more of at most 6 columns, where it was
    /// faster for both uniform and clustered rows: on 100,000 uniform rows 6 times in 2 columns, 4 times in 4, 2.5
    /// times in 6 and 1.4 times in 8, where building the tree takes as long; on 10,000 rows 3, 2.3, 1.3 and 0.8 times;
    /// on 1000 rows 1.8, 1.5, 1.1 and 0.9 times.
    ///
    /// Points must be finite, as in [`IndexedPoints::from_features`].
    pub fn new(points: IndexedPoints, metric: Metric, method: SearchAlgorithm) -> Result<Self> {
        let (n, p) = (points.rows(), points.cols());
        if n == 0 || p == 0 {
            return Err(Error::Data(format!("there are {n} rows of {p} columns, and a search needs at least one of each")));
        }
        if u32::try_from(n).is_err() {
            return Err(Error::Data(format!("{n} rows are more than the {} that can be numbered", u32::MAX)));
        }
        let is_sparse = matches!(points, IndexedPoints::Csr(_));
        if method == SearchAlgorithm::Tree && (metric == Metric::Cosine || is_sparse) {
            let what = if is_sparse { "sparse rows" } else { "cosine distances" };
            return Err(Error::Data(format!("there is no tree for {what}; search by brute force")));
        }
        let scale = exact::scale_of(points.largest());
        let mut index = Self { points, metric, scale, inverse_norms: None, packed: None, tree: None, order: None };
        if is_sparse {
            return Ok(index);
        }
        if metric == Metric::Cosine {
            index.inverse_norms = Some(match &index.points {
                IndexedPoints::F64(m) => inverse_norms(m, scale),
                IndexedPoints::F32(m) => inverse_norms(m, scale),
                IndexedPoints::Csr(_) => Vec::new(),
            });
        }
        let is_order_below_one = matches!(metric, Metric::Minkowski(p) if p < 1.0);
        let tree = match method {
            SearchAlgorithm::Auto => p <= TREE_COLUMNS && n >= TREE_ROWS && metric != Metric::Cosine && !is_order_below_one,
            SearchAlgorithm::Brute => false,
            SearchAlgorithm::Tree => true,
        };
        // Metrics without a score for brute force are compared row by row.
        if (tree || !matches!(metric, Metric::Minkowski(_))) && PackedRows::is_sound(p) {
            index.pack(tree);
        }
        Ok(index)
    }

    fn pack(&mut self, tree: bool) {
        let score = match self.metric {
            Metric::Euclidean | Metric::Cosine => ScoreKind::Product,
            Metric::Manhattan => ScoreKind::Sum,
            Metric::Chebyshev | Metric::Minkowski(_) => ScoreKind::Max,
        };
        let (packed, tree_and_order) = match &self.points {
            IndexedPoints::F64(m) => packed(score, self.cells(m), tree),
            IndexedPoints::F32(m) => packed(score, self.cells(m), tree),
            IndexedPoints::Csr(_) => return,
        };
        self.packed = Some(packed);
        if let Some((tree, order)) = tree_and_order {
            self.tree = Some(tree);
            self.order = Some(order);
        }
    }

    fn cells<'a, T: Real>(&'a self, m: &'a Mat<T>) -> PackTransform<'a, T> {
        PackTransform { rows: m, scale: self.scale, inverse_norms: self.inverse_norms.as_deref() }
    }

    /// The indexed rows.
    pub fn points(&self) -> &IndexedPoints {
        &self.points
    }

    /// The metric.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The search algorithm.
    pub fn method(&self) -> SearchAlgorithm {
        if self.tree.is_some() { SearchAlgorithm::Tree } else { SearchAlgorithm::Brute }
    }

    /// The `k` nearest rows of each query; of equally near rows the first.
    pub fn nearest(&self, queries: &Features<'_>, k: usize) -> Result<NearestRows> {
        let n = self.points.rows();
        if k == 0 || k > n {
            return Err(Error::Data(format!("{k} neighbors are asked for, and there are {n} rows to choose from")));
        }
        let nearest = self.search(queries, search::NeighborQuery::Nearest(k))?;
        let mut rows = Vec::with_capacity(nearest.len() * k);
        let mut distances = Vec::with_capacity(nearest.len() * k);
        for one in &nearest {
            rows.extend(one.iter().map(|f| f.row));
            distances.extend(one.iter().map(|f| f.distance));
        }
        Ok(NearestRows { rows: Mat::from_vec(nearest.len(), k, rows), distances: Mat::from_vec(nearest.len(), k, distances) })
    }

    /// All rows at most `radius` away from each query.
    pub fn within(&self, queries: &Features<'_>, radius: f64) -> Result<RadiusRows> {
        if radius.is_nan() || radius < 0.0 {
            return Err(Error::Data(format!("a radius of {radius} holds nothing; it must be 0 or more")));
        }
        let within = self.search(queries, search::NeighborQuery::Within(radius))?;
        let mut out = RadiusRows { ends: vec![0], rows: Vec::new(), distances: Vec::new() };
        for one in &within {
            out.rows.extend(one.iter().map(|f| f.row));
            out.distances.extend(one.iter().map(|f| f.distance));
            out.ends.push(out.rows.len());
        }
        Ok(out)
    }

    /// The row at a place in the groups.
    fn row_at(&self, place: usize) -> u32 {
        self.order.as_ref().map_or(place as u32, |order| order[place])
    }
}

fn inverse_norms<T: Real>(m: &Mat<T>, scale: f64) -> Vec<f64> {
    (0..m.rows()).into_par_iter().with_min_len(256).map(|i| exact::inverse_norm(m.row(i), scale)).collect()
}

fn packed<T: Real>(score: ScoreKind, cells: PackTransform<'_, T>, tree: bool) -> (PackedRows, Option<(BoxTree, Vec<u32>)>) {
    let center = cells.center();
    if !tree {
        return (PackedRows::new(score, &cells, center, None), None);
    }
    let cols = cells.rows.cols();
    let mut cells_f32 = vec![0f32; cells.rows.rows() * cols];
    cells_f32.par_chunks_mut(GROUP * cols).enumerate().for_each(|(g, out)| {
        out.chunks_mut(cols).enumerate().for_each(|(i, out)| cells.write(g * GROUP + i, &center, out));
    });
    let (mut tree, order) = BoxTree::new(&cells_f32, cols);
    let packed = PackedRows::new(score, &cells, center, Some(&order));
    tree.set_group_norms(&packed.norms);
    (packed, Some((tree, order)))
}

/// Queries as sparse rows.
fn as_sparse<'a>(x: &Features<'a>) -> Result<Cow<'a, Csr>> {
    let Features::Csr(m) = x else {
        let mut scratch = Vec::new();
        let m = x.f64_rows(&mut scratch, "a search for neighbors")?;
        let (mut ends, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..m.rows() {
            for j in (0..m.cols()).filter(|&j| *m.at(i, j) != 0.0) {
                columns.push(j as u32);
                values.push(*m.at(i, j));
            }
            ends.push(values.len());
        }
        return Csr::new(ends, columns, values, m.cols()).map(Cow::Owned);
    };
    Ok(Cow::Owned(sparse::sorted(*m)))
}

#[cfg(test)]
mod tests;
