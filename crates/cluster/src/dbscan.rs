//! DBSCAN: density-based clusters of any shape.

use ermine_core::*;
use ermine_math::neighbors::{IndexedPoints, Metric, NeighborIndex, RadiusRows, SearchAlgorithm};
use serde::{Deserialize, Serialize};

use ermine_math::neighbors::{KnnAlgorithm, MetricName, load_points, save_points};

/// Rows whose neighbors are searched at a time.
const BLOCK: usize = 4096;

/// Most neighbors kept in memory; beyond, those of core rows are searched a second time.
const MOST_KEPT: usize = 1 << 26;

/// Clusters rows that are connected by dense neighborhoods; rows between them are noise.
///
/// # What it computes
/// A row is a core row when the rows at most `eps` away, itself included, have a weight of `min_samples` or more. Core
/// rows within `eps` of each other are in one cluster, and so is everything that a chain of them reaches. A row that is
/// no core row joins the first cluster (clusters are numbered by their first core row) that has a core row within `eps`;
/// all others are noise.
///
/// # When to use it
/// For clusters of any shape and number, with comparable columns (standardize first), where all clusters have a similar
/// density. `eps` decides: plot the sorted distances of rows from their `min_samples`-th neighbor and take the elbow.
///
/// # Example
/// ```
/// use ermine_core::{Clusterer, Context, DatasetRef, Features, Learner, MatRef, NOISE_LABEL};
/// use ermine_cluster::Dbscan;
///
/// let x = [0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 99.0];
/// let features = Features::F64(MatRef::row_major(&x, 7, 1));
/// let model = Dbscan { eps: 0.5, min_samples: 3.0, ..Dbscan::default() }.fit_with(&DatasetRef::new(features), &Context::default())?;
/// assert_eq!(model.labels().unwrap(), [0, 0, 0, 1, 1, 1, NOISE_LABEL]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// A search for the neighbors of every row (see [`ermine_math::neighbors`]), in memory linear in the rows and not in
/// their neighbors. A new row is assigned as a training row at its place would be.
///
/// # What it does not do
/// It does not find clusters of very different density with one `eps`. Rows of weight 0 do not count for the others, and
/// are no core rows.
///
/// # Reference
/// Ester, Kriegel, Sander, Xu, KDD 1996.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "DBSCAN")]
pub struct Dbscan {
    /// Radius of a neighborhood.
    pub eps: f64,
    /// The weight of rows within `eps` that makes a core row.
    pub min_samples: f64,
    /// The metric.
    pub metric: MetricName,
    /// The order of Minkowski's metric.
    pub p: f64,
    /// The search algorithm.
    pub algorithm: KnnAlgorithm,
}

impl Default for Dbscan {
    fn default() -> Self {
        Self { eps: 0.5, min_samples: 5.0, metric: MetricName::Euclidean, p: 2.0, algorithm: KnnAlgorithm::Auto }
    }
}

impl Dbscan {
    fn metric(&self) -> Metric {
        match self.metric {
            MetricName::Minkowski => Metric::of_order(self.p),
            MetricName::Euclidean => Metric::Euclidean,
            MetricName::Manhattan => Metric::Manhattan,
            MetricName::Chebyshev => Metric::Chebyshev,
            MetricName::Cosine => Metric::Cosine,
        }
    }

    fn index(&self, points: IndexedPoints) -> Result<NeighborIndex> {
        let plain = match (&points, self.metric()) {
            (IndexedPoints::Csr(_), _) | (_, Metric::Cosine) => true,
            (_, Metric::Minkowski(p)) => p < 1.0,
            _ => false,
        };
        // Without a tree the clusters are the same.
        let method = match self.algorithm {
            _ if plain => SearchAlgorithm::Brute,
            KnnAlgorithm::Auto => SearchAlgorithm::Auto,
            KnnAlgorithm::Brute => SearchAlgorithm::Brute,
            KnnAlgorithm::KdTree | KnnAlgorithm::BallTree => SearchAlgorithm::Tree,
        };
        NeighborIndex::new(points, self.metric(), method)
    }
}

impl Dbscan {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "dbscan";
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "eps",
        doc: "How far apart neighbors are at most. Not the size of a group: the most important parameter, in the units of the columns.",
        range: Range::above(0.0),
    },
    ParamSpec {
        name: "min_samples",
        doc: "The weight of the rows within eps of a row, itself included, that makes it a core row. More asks for denser groups.",
        range: Range::above(0.0),
    },
    ParamSpec {
        name: "metric",
        doc: "What near means: \"euclidean\", \"manhattan\", \"chebyshev\" (the greatest difference of a column), \"minkowski\" of order p, \
                      \"cosine\" (1 - the cosine of the angle).",
        range: Range::Choice(&["minkowski", "euclidean", "manhattan", "chebyshev", "cosine"]),
    },
    ParamSpec {
        name: "p",
        doc: "The order of Minkowski's metric.",
        range: Range::Real { min: 0.0, max: 1e6, above: true, log: false },
    },
    ParamSpec {
        name: "algorithm",
        doc: "How neighbors are searched for, with the same result: \"brute\", \"kd_tree\" (\"ball_tree\" is another name for it), or \
                      \"auto\".",
        range: Range::Choice(&["auto", "brute", "kd_tree", "ball_tree"]),
    },
];

#[cfg(feature = "fit")]
impl Learner for Dbscan {
    type Model = DbscanModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Density-based clusters of any shape; rows between them are noise",
        objective: "core rows: weight of the rows within eps at least min_samples; groups: core rows connected by steps of at most eps, and the \
                    rows within eps of them",
        notes: "For groups of any shape and number in columns that can be compared; standardize first. One eps serves all groups, so they \
                should be about equally dense. Every row's neighbors are searched once, in memory that grows with the rows only. A row between \
                two groups joins the one whose first core row comes first; new rows go where a training row in their place would be.",
        reference: "Ester, Kriegel, Sander, Xu: A density-based algorithm for discovering clusters in large spatial databases with noise, KDD 1996",
        family: Family::Cluster,
        tasks: &[Task::Clustering],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: true, passes: false, multi_target: true },
        params: PARAMS,
    };

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<DbscanModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let n = data.rows();
        let check =
            |done: usize| cx.check(Progress { stage: "neighbors", done: done as u64, total: Some(n as u64), objective: None });
        check(0)?;
        let points = IndexedPoints::from_features(&data.x, data.schema, Self::SPEC.name)?;
        let index = self.index(points)?;
        let mut density = CoreRows::new(n, self.min_samples, data.weight);
        let most = cx.memory.map_or(MOST_KEPT, |bytes| (bytes / 4) as usize);
        let mut again = Vec::new();
        for first in (0..n).step_by(BLOCK) {
            check(first)?;
            let near = index.within(&index.points().features().row_range(first..(first + BLOCK).min(n)), self.eps)?;
            density.weigh(first, &near);
            let fits = density.rows.len() + near.rows.len() <= most;
            density.cache_neighbors(first, &near, fits);
            if !fits {
                again.push(first);
            }
        }
        let mut groups = DisjointSets::new(&density);
        groups.connect_cached(&density);
        for first in again {
            check(first)?;
            let near = index.within(&index.points().features().row_range(first..(first + BLOCK).min(n)), self.eps)?;
            groups.connect(&density.core, first, &near);
        }
        let labels = groups.labels(&density);
        let core: Vec<usize> = (0..n).filter(|&i| density.core[i]).collect();
        let components = taken(index.points(), &core);
        let codes = core.iter().map(|&i| labels[i]).collect();
        let core_rows = core.into_iter().map(|i| i as u32).collect();
        DbscanModel::new(self.clone(), n, core_rows, components, codes, Some(labels))
    }

    fn load(input: &ModelReader) -> Result<DbscanModel> {
        DbscanModel::load(input)
    }
}

/// A subset of the rows.
fn taken(points: &IndexedPoints, rows: &[usize]) -> IndexedPoints {
    match points {
        IndexedPoints::F64(m) => IndexedPoints::F64(m.view().take_rows(rows)),
        IndexedPoints::F32(m) => IndexedPoints::F32(m.view().take_rows(rows)),
        IndexedPoints::Csr(m) => IndexedPoints::Csr(m.view().take_rows(rows)),
    }
}

/// The clusters of rows from given neighbors and core rows: the neighbors of row `i` are those from `ends[i]` to
/// `ends[i + 1]`.
///
/// # Panics
/// When the lengths do not fit, or a neighbor is no row.
pub fn connect_neighbors(ends: &[usize], rows: &[u32], core: &[bool]) -> Vec<u32> {
    assert_eq!(ends.len(), core.len() + 1, "the neighbors of every row");
    let lists = ends.windows(2).map(|range| (range[0], range[1])).collect();
    let density = CoreRows { min_samples: 0.0, weight: None, core: core.to_vec(), lists, rows: rows.to_vec() };
    let mut groups = DisjointSets::new(&density);
    groups.connect_cached(&density);
    groups.labels(&density)
}

/// The core rows, and the neighbors kept.
struct CoreRows<'a> {
    min_samples: f64,
    weight: Option<&'a [f64]>,
    core: Vec<bool>,
    /// Range of the kept neighbors of each row.
    lists: Vec<(usize, usize)>,
    rows: Vec<u32>,
}

impl<'a> CoreRows<'a> {
    fn new(n: usize, min_samples: f64, weight: Option<&'a [f64]>) -> Self {
        Self { min_samples, weight, core: vec![false; n], lists: vec![(0, 0); n], rows: Vec::new() }
    }

    /// Finds the core rows of a block.
    fn weigh(&mut self, first: usize, near: &RadiusRows) {
        for (i, range) in near.ends.windows(2).enumerate() {
            let rows = &near.rows[range[0]..range[1]];
            let total = match self.weight {
                None => rows.len() as f64,
                Some(w) => rows.iter().map(|&j| w[j as usize]).sum(),
            };
            let counts = self.weight.is_none_or(|w| w[first + i] > 0.0);
            self.core[first + i] = counts && total >= self.min_samples;
        }
    }

    /// Keeps the neighbors of a block: of all rows, or of those that are no core rows, which have few.
    fn cache_neighbors(&mut self, first: usize, near: &RadiusRows, all: bool) {
        for (i, range) in near.ends.windows(2).enumerate() {
            if all || !self.core[first + i] {
                let start = self.rows.len();
                self.rows.extend_from_slice(&near.rows[range[0]..range[1]]);
                self.lists[first + i] = (start, self.rows.len());
            }
        }
    }

    fn list(&self, row: usize) -> &[u32] {
        let (start, end) = self.lists[row];
        &self.rows[start..end]
    }
}

/// Connected core rows: a union-find forest whose roots are the first rows of their clusters.
struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    fn new(density: &CoreRows<'_>) -> Self {
        Self { parent: (0..density.core.len() as u32).collect() }
    }

    fn find(&mut self, mut row: u32) -> u32 {
        while self.parent[row as usize] != row {
            let above = self.parent[self.parent[row as usize] as usize];
            self.parent[row as usize] = above;
            row = above;
        }
        row
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    fn connect_cached(&mut self, density: &CoreRows<'_>) {
        for i in (0..density.core.len()).filter(|&i| density.core[i]) {
            for &j in density.list(i).iter().filter(|&&j| density.core[j as usize]) {
                self.union(i as u32, j);
            }
        }
    }

    /// Connects the core rows of a block with their neighbors.
    fn connect(&mut self, core: &[bool], first: usize, near: &RadiusRows) {
        for (i, range) in near.ends.windows(2).enumerate().filter(|(i, _)| core[first + i]) {
            for &j in near.rows[range[0]..range[1]].iter().filter(|&&j| core[j as usize]) {
                self.union((first + i) as u32, j);
            }
        }
    }

    /// The cluster of each row; clusters are numbered by their first core rows.
    fn labels(mut self, density: &CoreRows<'_>) -> Vec<u32> {
        let n = density.core.len();
        let mut labels = vec![NOISE_LABEL; n];
        let mut next = 0;
        for i in (0..n).filter(|&i| density.core[i]) {
            let root = self.find(i as u32) as usize;
            if labels[root] == NOISE_LABEL {
                labels[root] = next;
                next += 1;
            }
            labels[i] = labels[root];
        }
        for i in (0..n).filter(|&i| !density.core[i]) {
            let groups = density.list(i).iter().filter(|&&j| density.core[j as usize]).map(|&j| labels[j as usize]);
            labels[i] = groups.min().unwrap_or(NOISE_LABEL);
        }
        labels
    }
}

/// Fitted [`Dbscan`]: the core rows and their clusters.
#[derive(Debug)]
pub struct DbscanModel {
    dbscan: Dbscan,
    cols: usize,
    /// Number of training rows.
    rows: usize,
    /// Which training rows are core rows.
    core_rows: Vec<u32>,
    /// The core rows, unless there are none.
    index: Option<NeighborIndex>,
    /// The cluster of each core row.
    codes: Vec<u32>,
    n_clusters: usize,
    labels: Option<Vec<u32>>,
    certificate: Certificate,
}

impl DbscanModel {
    fn new(
        dbscan: Dbscan,
        rows: usize,
        core_rows: Vec<u32>,
        components: IndexedPoints,
        codes: Vec<u32>,
        labels: Option<Vec<u32>>,
    ) -> Result<Self> {
        let cols = components.cols();
        let index = if codes.is_empty() { None } else { Some(dbscan.index(components)?) };
        let n_clusters = codes.iter().max().map_or(0, |c| *c as usize + 1);
        let mut certificate = Certificate { method: "dbscan".into(), iterations: 1, converged: true, ..Certificate::default() };
        if codes.is_empty() {
            certificate.notes.push("no row is a core row, so that all are noise; raise eps or lower min_samples".into());
        }
        Ok(Self { dbscan, cols, rows, core_rows, index, codes, n_clusters, labels, certificate })
    }

    /// The core rows among the training rows, ascending.
    pub fn core_rows(&self) -> &[u32] {
        &self.core_rows
    }

    /// The cluster of each core row.
    pub fn core_labels(&self) -> &[u32] {
        &self.codes
    }

    /// Number of noise rows, as long as it is known: right after a fit.
    pub fn n_noise(&self) -> Option<usize> {
        self.labels.as_ref().map(|l| l.iter().filter(|&&l| l == NOISE_LABEL).count())
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("dbscan: {m}"));
        let dbscan: Dbscan = input.field("parameters")?;
        check_ranges(Dbscan::NAME, PARAMS, &dbscan).map_err(|e| bad(&e.to_string()))?;
        let (rows, cols): (usize, usize) = (input.field("n_rows")?, input.field("n_features")?);
        let core_rows: Vec<u32> = input.vec("core_sample_indices")?;
        let codes: Vec<u32> = input.vec_of("core_labels", core_rows.len())?;
        let components = load_points(input, "components").map_err(|e| bad(&e.to_string()))?;
        if components.rows() != core_rows.len() || components.cols() != cols || cols == 0 {
            return Err(bad("its core rows are not as many as it says"));
        }
        if !core_rows.is_sorted_by(|a, b| a < b) || core_rows.last().is_some_and(|&r| r as usize >= rows) {
            return Err(bad("its core rows are no rows of the training data"));
        }
        let mut next = 0;
        for &code in &codes {
            if code > next {
                return Err(bad("its groups are not numbered by their first core rows"));
            }
            next = next.max(code + 1);
        }
        Self::new(dbscan, rows, core_rows, components, codes, None)
    }
}

ermine_core::display_as_report!(DbscanModel);

impl Model for DbscanModel {
    fn n_features(&self) -> usize {
        self.cols
    }
    fn as_clusterer(&self) -> Option<&dyn Clusterer> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        let noise = self.n_noise().map_or(String::new(), |n| format!(", {n} noise"));
        report.text(format!("{} clusters; {} of {} rows are core rows{noise}.", self.n_clusters, self.codes.len(), self.rows));
        for note in &self.certificate.notes {
            report.text(format!("{note}."));
        }
        let mut core = vec![0usize; self.n_clusters];
        self.codes.iter().for_each(|&c| core[c as usize] += 1);
        let mut all = vec![0usize; self.n_clusters];
        self.labels.iter().flatten().filter(|&&l| l != NOISE_LABEL).for_each(|&l| all[l as usize] += 1);
        let rows = (0..self.n_clusters)
            .map(|c| {
                let size = if self.labels.is_some() { Cell::from(all[c] as f64) } else { Cell::Empty };
                vec![Cell::from(c as f64), size, Cell::from(core[c] as f64)]
            })
            .collect();
        report.table("Clusters", &["cluster", "rows", "core rows"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("parameters", &self.dbscan)?;
        out.field("n_rows", &self.rows)?;
        out.vec("core_sample_indices", &self.core_rows);
        out.vec("core_labels", &self.codes);
        match &self.index {
            Some(index) => save_points(out, "components", index.points()),
            None => save_points(out, "components", &IndexedPoints::F64(Mat::zeros(0, self.cols))),
        }
    }
}

impl Clusterer for DbscanModel {
    fn n_clusters(&self) -> usize {
        self.n_clusters
    }

    fn assign(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        x.expect_cols(self.cols)?;
        let Some(index) = &self.index else {
            x.refuse_non_finite(None)?;
            return Ok(vec![NOISE_LABEL; x.rows()]);
        };
        let mut labels = Vec::with_capacity(x.rows());
        for first in (0..x.rows()).step_by(BLOCK) {
            let block = x.row_range(first..(first + BLOCK).min(x.rows()));
            let near = index.within(&block, self.dbscan.eps).map_err(|e| e.with_row(|r| r + first))?;
            let label = |range: &[usize]| near.rows[range[0]..range[1]].iter().map(|&j| self.codes[j as usize]).min();
            labels.extend(near.ends.windows(2).map(|range| label(range).unwrap_or(NOISE_LABEL)));
        }
        Ok(labels)
    }

    fn labels(&self) -> Option<&[u32]> {
        self.labels.as_deref()
    }
}
