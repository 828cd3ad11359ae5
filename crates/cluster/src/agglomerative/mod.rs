//! Agglomerative clustering: clusters merged one by one.

#[cfg(feature = "fit")]
mod graph;
#[cfg(feature = "fit")]
mod merge;
mod model;
mod tree;

use ermine_core::*;
use ermine_math::neighbors::{IndexedPoints, Metric, PairDistances};
use serde::{Deserialize, Serialize};

pub use model::AgglomerativeModel;
use tree::{Dendrogram, Merge};

/// Distance between two clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Linkage {
    /// The root of twice the increase of the sum of squares within clusters.
    #[default]
    Ward,
    /// The greatest distance of their rows.
    Complete,
    /// The mean distance of their rows.
    Average,
    /// The least distance of their rows.
    Single,
}

/// Distance between two rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// The root of Σ (x - y)².
    #[default]
    Euclidean,
    /// Σ |x - y|.
    Manhattan,
    /// max |x - y|.
    Chebyshev,
    /// 1 - x·y / (|x| |y|).
    Cosine,
    /// The columns are the distances from the training rows.
    Precomputed,
}

impl Distance {
    fn metric(self) -> Metric {
        match self {
            Self::Euclidean | Self::Precomputed => Metric::Euclidean,
            Self::Manhattan => Metric::Manhattan,
            Self::Chebyshev => Metric::Chebyshev,
            Self::Cosine => Metric::Cosine,
        }
    }
}

/// Default limit in bytes of the table of distances.
const MEMORY: u64 = 8 << 30;

/// Bytes beyond which Ward's distances are computed from the centers instead of a table.
const TABLE: u64 = 1 << 30;

/// Starts with every row as its own cluster and repeatedly merges the two nearest clusters.
///
/// # What it computes
/// The dendrogram with the heights of the merges, and cuts it into `n_clusters` clusters or at `distance_threshold`. The
/// distance of clusters is that of `linkage`; `ward` merges the two whose union adds least to the sum of squares within
/// clusters.
///
/// # When to use it
/// For few rows (the time grows with their square), when the tree itself is of interest, for clusters of any shape
/// (`single`), compact ones (`complete`, `ward`) or in between (`average`). Standardize columns first.
///
/// # Example
/// ```
/// use ermine_core::{Clusterer, Context, DatasetRef, Features, Learner, MatRef};
/// use ermine_cluster::Agglomerative;
///
/// let x = [0.0, 0.1, 5.0, 5.2, 9.0];
/// let features = Features::F64(MatRef::row_major(&x, 5, 1));
/// let model = Agglomerative { n_clusters: Some(3), ..Agglomerative::default() }.fit_with(&DatasetRef::new(features), &Context::default())?;
/// let groups = model.labels().unwrap();
/// assert!(groups[0] == groups[1] && groups[2] == groups[3] && groups[3] != groups[4]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// n² distances, in a table of 4 n² bytes; `single` needs no table, and `ward` none beyond a gigabyte. With
/// `connectivity` only the distances of connected rows are computed.
///
/// # What it does not do
/// It does not undo a merge. A new row is assigned to the cluster of the nearest training row. Ties go to the first
/// clusters.
///
/// # Reference
/// Ward, JASA 58 (1963); Lance and Williams, Computer Journal 9 (1967); Murtagh, Computer Journal 26 (1983).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "AgglomerativeClustering")]
pub struct Agglomerative {
    /// Number of clusters.
    pub n_clusters: Option<usize>,
    /// Distance between clusters.
    pub linkage: Linkage,
    /// Distance between rows.
    pub metric: Distance,
    /// Merges at or above this height are not made.
    pub distance_threshold: Option<f64>,
    /// Pairs of rows that are connected; only connected clusters are merged.
    pub connectivity: Option<Vec<[u32; 2]>>,
    /// Whether to build the complete tree, even where fewer merges are needed.
    pub compute_full_tree: bool,
}

impl Default for Agglomerative {
    fn default() -> Self {
        Self {
            n_clusters: Some(2),
            linkage: Linkage::Ward,
            metric: Distance::Euclidean,
            distance_threshold: None,
            connectivity: None,
            compute_full_tree: true,
        }
    }
}

impl Agglomerative {
    fn word(&self) -> String {
        serde_json::to_value(self.metric).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

impl Agglomerative {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "agglomerative";
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "n_clusters",
        doc: "How many groups the tree is cut into. null where distance_threshold is given.",
        range: Range::Optional(&Range::int_from(1)),
    },
    ParamSpec {
        name: "linkage",
        doc: "How far groups are apart: \"ward\" (what the sum of squares within groups grows by), \"complete\" (the greatest distance of \
                      their rows), \"average\" (the mean), \"single\" (the least).",
        range: Range::Choice(&["ward", "complete", "average", "single"]),
    },
    ParamSpec {
        name: "metric",
        doc: "How far rows are apart: \"euclidean\" (the only one for ward), \"manhattan\", \"chebyshev\", \"cosine\", or \"precomputed\": \
                      the columns are the distances from the training rows.",
        range: Range::Choice(&["euclidean", "manhattan", "chebyshev", "cosine", "precomputed"]),
    },
    ParamSpec {
        name: "distance_threshold",
        doc: "Groups that are this far apart or farther are not joined; n_clusters must then be null.",
        range: Range::Optional(&Range::at_least(0.0)),
    },
    ParamSpec {
        name: "connectivity",
        doc: "Pairs of rows, as a list of lists of two numbers, that are connected: only groups with connected rows are joined. null connects \
                      all.",
        range: Range::Any,
    },
    ParamSpec {
        name: "compute_full_tree",
        doc: "Build the tree to the end. Without it, and with connectivity, the last joins, which n_clusters would undo, are not made.",
        range: Range::Bool,
    },
];

impl Agglomerative {
    /// What [`Learner::check`] refuses, also in a file.
    pub(crate) fn check_values(&self) -> Result<()> {
        let params = serde_json::json!({
            "n_clusters": self.n_clusters, "linkage": self.linkage, "metric": self.metric,
            "distance_threshold": self.distance_threshold, "compute_full_tree": self.compute_full_tree,
        });
        check_ranges(Self::NAME, PARAMS, &params)?;
        match (self.n_clusters, self.distance_threshold) {
            (None, None) => {
                return Err(Error::parameter(
                    Self::NAME,
                    "n_clusters",
                    "null",
                    "exactly one of n_clusters and distance_threshold must be given",
                ));
            }
            (Some(_), Some(t)) => {
                let expected = "exactly one of n_clusters and distance_threshold must be given, and the other be null";
                return Err(Error::parameter(Self::NAME, "distance_threshold", t, expected));
            }
            _ => {}
        }
        if self.distance_threshold.is_some() && !self.compute_full_tree {
            return Err(Error::parameter(Self::NAME, "compute_full_tree", false, "with distance_threshold it must be true"));
        }
        if self.linkage == Linkage::Ward && self.metric != Distance::Euclidean {
            return Err(Error::parameter(
                Self::NAME,
                "metric",
                self.word(),
                "ward has euclidean distances only; take another linkage",
            ));
        }
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl Learner for Agglomerative {
    type Model = AgglomerativeModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Groups that are joined one by one, the nearest first: a tree, cut into clusters",
        objective: "join the two groups least apart: ward sqrt(2 * increase of the sum of squares within), complete max, average mean, single min of \
                    the distances of their rows",
        notes: "For few rows, since time and memory grow with their square (single and ward need no table of distances), where the tree is of \
                interest or groups need not be round; standardize first. ward and complete find compact groups, single follows chains. A new row \
                goes to the group of the nearest training row.",
        reference: "Ward: Hierarchical grouping to optimize an objective function, JASA 58 (1963); Lance, Williams, Computer Journal 9 (1967); \
                    Murtagh, Computer Journal 26 (1983)",
        family: Family::Cluster,
        tasks: &[Task::Clustering],
        accepts: Accepts { weights: false, missing: false, categorical: false, sparse: false, passes: false, multi_target: true },
        params: PARAMS,
    };

    fn check(&self) -> Result<()> {
        self.check_values()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<AgglomerativeModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let n = data.rows();
        cx.check(Progress { stage: "distances", done: 0, total: Some(1), objective: None })?;
        if n < 2 {
            return Err(Error::Data(format!("{} joins rows, and there is only {n}", Self::SPEC.name)));
        }
        if let Some(k) = self.n_clusters.filter(|k| *k > n) {
            return Err(Self::parameter_error("n_clusters", k, format!("there are {n} rows to put into groups")));
        }
        let points = IndexedPoints::from_features(&data.x, data.schema, Self::SPEC.name)?;
        let rows = match &points {
            IndexedPoints::F64(m) => m.clone(),
            IndexedPoints::F32(m) => Mat::from_fn(m.rows(), m.cols(), |i, j| f64::from(m[(i, j)])),
            IndexedPoints::Csr(m) => m.view().to_dense(),
        };
        let (tree, parts) = self.tree(rows, cx)?;
        let groups = match (self.n_clusters, self.distance_threshold) {
            (Some(k), _) => k.max(n - tree.children.len()),
            (None, Some(threshold)) => tree.groups_below(threshold),
            (None, None) => 1,
        };
        let labels = tree.cut(groups);
        AgglomerativeModel::new(self.clone(), points, tree, labels, parts, true)
    }

    fn load(input: &ModelReader) -> Result<AgglomerativeModel> {
        AgglomerativeModel::load(input)
    }
}

impl Agglomerative {
    /// The dendrogram, and the number of connected components of the data.
    #[cfg(feature = "fit")]
    fn tree(&self, rows: Mat<f64>, cx: &Context<'_>) -> Result<(Dendrogram, usize)> {
        let n = rows.rows();
        if self.metric == Distance::Precomputed {
            if rows.cols() != n {
                return Err(Error::Length { what: "columns of a matrix of distances".into(), expected: n, found: rows.cols() });
            }
            if let Some(i) = (0..n).find(|&i| rows.row(i).iter().any(|d| *d < 0.0)) {
                return Err(Error::Row { place: "distances".into(), row: i, message: "a distance is below 0".into() });
            }
            // Of a matrix that is not symmetric the upper triangle is used.
            return self.joined(n, None, &|i: usize, j: usize| rows[(i.min(j), i.max(j))], cx);
        }
        let centers = (self.linkage == Linkage::Ward).then(|| rows.clone());
        let pairs = PairDistances::new(rows, self.metric.metric());
        if let Some(row) = pairs.first_zero_row() {
            let message = "it is all zeros, and has no angle to other rows; drop it, or take another metric".to_owned();
            return Err(Error::Row { place: "cosine distances".into(), row, message });
        }
        if self.linkage == Linkage::Single && self.connectivity.is_none() {
            return Ok((Dendrogram::new(n, merge::minimum_spanning_tree_of(&pairs, cx)?), 1));
        }
        self.joined(n, centers, &|i, j| pairs.distance(i, j), cx)
    }

    #[cfg(feature = "fit")]
    fn joined(
        &self,
        n: usize,
        centers: Option<Mat<f64>>,
        distance: &(impl Fn(usize, usize) -> f64 + Sync),
        cx: &Context<'_>,
    ) -> Result<(Dendrogram, usize)> {
        if let Some(pairs) = &self.connectivity {
            if let Some([a, b]) = pairs.iter().find(|p| p.iter().any(|&i| i as usize >= n)) {
                return Err(Self::parameter_error(
                    "connectivity",
                    format!("[{a}, {b}]"),
                    format!("there are rows 0 to {}", n - 1),
                ));
            }
            let groups = if self.compute_full_tree { 1 } else { self.n_clusters.unwrap_or(1) };
            let joins = graph::joins(n, pairs, self.linkage, groups, centers.as_ref(), distance, cx)?;
            let children = joins.iter().map(|j| [j.a.min(j.b) as u32, j.a.max(j.b) as u32]).collect();
            let heights = joins.iter().map(|j| j.height).collect();
            return Ok((Dendrogram { leaves: n, children, heights }, graph::parts(n, pairs)));
        }
        if self.linkage == Linkage::Single {
            return Ok((Dendrogram::new(n, merge::minimum_spanning_tree(distance, n, cx)?), 1));
        }
        let bytes = merge::DistanceTable::bytes(n);
        if let Some(rows) = centers.filter(|_| bytes > TABLE.min(cx.memory.unwrap_or(TABLE))) {
            return Ok((Dendrogram::new(n, merge::nearest_neighbor_chain(&mut merge::WardCenters::new(rows), n, cx)?), 1));
        }
        let limit = cx.memory.unwrap_or(MEMORY);
        if bytes > limit {
            return Err(Error::Data(format!(
                "the distances of {n} rows take {} MB, and {} MB are allowed; take fewer rows, linkage single or ward, or connectivity",
                bytes >> 20,
                limit >> 20
            )));
        }
        let mut table = merge::DistanceTable::new(n, self.linkage, distance);
        let joins: Vec<Merge> = merge::nearest_neighbor_chain(&mut table, n, cx)?;
        Ok((Dendrogram::new(n, joins), 1))
    }
}
