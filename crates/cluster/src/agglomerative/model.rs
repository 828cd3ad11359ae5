//! Fitted agglomerative clustering.

use std::sync::OnceLock;

use ermine_core::*;
use ermine_math::neighbors::{IndexedPoints, NeighborIndex, SearchAlgorithm};

use super::tree::Dendrogram;
use super::{Agglomerative, Distance};
use ermine_math::neighbors::{load_points, save_points};

/// Rows assigned at a time.
const BLOCK: usize = 4096;

/// The last merges, listed in a report.
const TOLD: usize = 20;

/// Fitted [`Agglomerative`]: the dendrogram, and the cluster of each training row.
#[derive(Debug)]
pub struct AgglomerativeModel {
    agglomerative: Agglomerative,
    points: IndexedPoints,
    tree: Dendrogram,
    groups: Vec<u32>,
    n_clusters: usize,
    /// Connected components of the data.
    parts: usize,
    /// Whether the model comes from a fit in memory, and not from a file.
    fresh: bool,
    certificate: Certificate,
    index: OnceLock<NeighborIndex>,
}

impl AgglomerativeModel {
    pub(super) fn new(
        agglomerative: Agglomerative,
        points: IndexedPoints,
        tree: Dendrogram,
        groups: Vec<u32>,
        parts: usize,
        fresh: bool,
    ) -> Result<Self> {
        let n_clusters = groups.iter().max().map_or(0, |g| *g as usize + 1);
        let iterations = tree.children.len() as u64;
        let mut certificate = Certificate { method: "joins".into(), iterations, converged: true, ..Certificate::default() };
        if parts > 1 {
            certificate.notes.push(format!("the rows are in {parts} parts that are not connected, and these are not joined"));
        }
        Ok(Self { agglomerative, points, tree, groups, n_clusters, parts, fresh, certificate, index: OnceLock::new() })
    }

    /// The two nodes of each merge; rows are the first nodes, merges the following.
    pub fn children(&self) -> &[[u32; 2]] {
        &self.tree.children
    }

    /// The height of each merge.
    pub fn heights(&self) -> &[f64] {
        &self.tree.heights
    }

    /// Number of connected components of the data; 1 unless a connectivity was given.
    pub fn n_connected(&self) -> usize {
        self.parts
    }

    /// The clusters of the training rows when the tree is cut into another number of clusters.
    pub fn cut(&self, groups: usize) -> Result<Vec<u32>> {
        let least = self.tree.leaves - self.tree.children.len();
        if groups < least || groups > self.tree.leaves {
            let expected = format!("the tree of {} rows has {least} to {} groups", self.tree.leaves, self.tree.leaves);
            return Err(Error::parameter(Agglomerative::NAME, "n_clusters", groups, expected));
        }
        Ok(self.tree.cut(groups))
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("agglomerative: {m}"));
        let agglomerative: Agglomerative = input.field("parameters")?;
        agglomerative.check_values().map_err(|e| bad(&e.to_string()))?;
        let points = load_points(input, "x").map_err(|e| bad(&e.to_string()))?;
        let leaves = points.rows();
        let pairs: Mat<u32> = input.mat("children")?;
        let heights: Vec<f64> = input.vec_of("distances", pairs.rows())?;
        let groups: Vec<u32> = input.vec_of("labels", leaves)?;
        if pairs.cols() != 2 || points.cols() == 0 || !heights.iter().all(|h| h.is_finite() && *h >= 0.0) {
            return Err(bad("its joins are no joins"));
        }
        if agglomerative.metric == Distance::Precomputed && points.cols() != leaves {
            return Err(bad("its distances are not those of all rows"));
        }
        let children = (0..pairs.rows()).map(|k| [pairs[(k, 0)], pairs[(k, 1)]]).collect();
        let tree = Dendrogram { leaves, children, heights };
        if !tree.is_valid() {
            return Err(bad("its joins are no tree"));
        }
        let n_clusters = groups.iter().max().map_or(0, |g| *g as usize + 1);
        let mut seen = vec![false; n_clusters.min(leaves)];
        let known = groups.iter().all(|&g| seen.get_mut(g as usize).map(|s| *s = true).is_some());
        if !known || !seen.iter().all(|s| *s) {
            return Err(bad("its groups are not numbered from 0 on"));
        }
        Self::new(agglomerative, points, tree, groups, input.field("n_connected")?, false)
    }

    fn index(&self) -> Result<&NeighborIndex> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let method = if self.agglomerative.metric == Distance::Cosine { SearchAlgorithm::Brute } else { SearchAlgorithm::Auto };
        let made = NeighborIndex::new(self.points.clone(), self.agglomerative.metric.metric(), method)?;
        Ok(self.index.get_or_init(|| made))
    }
}

ermine_core::display_as_report!(AgglomerativeModel);

impl Model for AgglomerativeModel {
    fn n_features(&self) -> usize {
        self.points.cols()
    }
    fn as_clusterer(&self) -> Option<&dyn Clusterer> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("{} clusters of {} rows.", self.n_clusters, self.tree.leaves));
        for note in &self.certificate.notes {
            report.text(format!("{note}."));
        }
        let mut sizes = vec![0.0; self.n_clusters];
        self.groups.iter().for_each(|&g| sizes[g as usize] += 1.0);
        let rows = sizes.iter().enumerate().map(|(g, s)| vec![Cell::from(g as f64), Cell::from(*s)]).collect();
        report.table("Clusters", &["cluster", "rows"], rows);
        let joins = self.tree.children.len();
        let shown = joins.saturating_sub(TOLD)..joins;
        let left = |k: usize| (self.tree.leaves - k - 1) as f64;
        let rows = shown.clone().rev().map(|k| vec![Cell::from(left(k)), Cell::from(self.tree.heights[k])]).collect();
        report.table("Last joins", &["clusters after it", "height"], rows);
        let points = shown.rev().map(|k| (left(k), self.tree.heights[k])).collect();
        report.sections.push(Section::Plot {
            title: "Height of the last joins".into(),
            x: "clusters".into(),
            y: "height".into(),
            curves: vec![Curve { name: "height".into(), points }],
        });
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        // Connectivity matters only in the fit.
        out.field("parameters", &Agglomerative { connectivity: None, ..self.agglomerative.clone() })?;
        out.field("n_connected", &self.parts)?;
        save_points(out, "x", &self.points)?;
        let pairs = self.tree.children.iter().flatten().copied().collect();
        out.mat("children", &Mat::from_vec(self.tree.children.len(), 2, pairs));
        out.vec("distances", &self.tree.heights);
        out.vec("labels", &self.groups);
        Ok(())
    }
}

impl Clusterer for AgglomerativeModel {
    fn n_clusters(&self) -> usize {
        self.n_clusters
    }

    /// The cluster of the nearest training row; ties go to the first.
    fn assign(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        x.expect_cols(self.points.cols())?;
        let mut labels = Vec::with_capacity(x.rows());
        for first in (0..x.rows()).step_by(BLOCK) {
            let block = x.row_range(first..(first + BLOCK).min(x.rows()));
            if self.agglomerative.metric == Distance::Precomputed {
                let mut scratch = Vec::new();
                let m = block.f64_rows(&mut scratch, Agglomerative::NAME)?;
                for i in 0..m.rows() {
                    block.row_range(i..i + 1).refuse_non_finite(None).map_err(|e| e.with_row(|_| first + i))?;
                    let nearest = (0..m.cols()).fold(0, |best, j| if m.at(i, j) < m.at(i, best) { j } else { best });
                    labels.push(self.groups[nearest]);
                }
                continue;
            }
            let near = self.index()?.nearest(&block, 1).map_err(|e| e.with_row(|r| r + first))?;
            labels.extend((0..block.rows()).map(|i| self.groups[near.rows[(i, 0)] as usize]));
        }
        Ok(labels)
    }

    fn labels(&self) -> Option<&[u32]> {
        self.fresh.then_some(&self.groups)
    }
}
