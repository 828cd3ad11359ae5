//! The fitted model of mini-batch k-means.

use super::*;

/// Fitted [`MiniBatchKMeans`]: centers, and how many rows each was given.
///
/// Saved arrays: those of [`KMeansModel`], and `counts` (clusters).
#[derive(Debug, Clone)]
pub struct MiniBatchKMeansModel {
    pub(super) inner: KMeansModel,
    pub(super) counts: Vec<f64>,
    pub(super) steps: u64,
    pub(super) since: u64,
}

impl MiniBatchKMeansModel {
    /// The centers with their scores.
    pub fn clusters(&self) -> &KMeansModel {
        &self.inner
    }

    /// The total weight of the rows that each center was given in steps.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

ermine_core::display_as_report!(MiniBatchKMeansModel);

impl Model for MiniBatchKMeansModel {
    fn n_features(&self) -> usize {
        self.inner.n_features()
    }
    fn as_clusterer(&self) -> Option<&dyn Clusterer> {
        Some(self)
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        self.inner.certificate()
    }
    fn trace(&self) -> Option<&Trace> {
        self.inner.trace()
    }
    fn report(&self, schema: &Schema) -> Report {
        self.inner.report(schema)
    }
    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.inner.save(out)?;
        out.vec("counts", &self.counts);
        out.field("n_steps", &self.steps)?;
        out.field("since_reassignment", &self.since)
    }
}

impl Clusterer for MiniBatchKMeansModel {
    fn n_clusters(&self) -> usize {
        self.inner.n_clusters()
    }
    fn assign(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        self.inner.assign(x)
    }
    fn labels(&self) -> Option<&[u32]> {
        self.inner.labels()
    }
}

impl Transformer for MiniBatchKMeansModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.inner.transform(x)
    }
    fn schema_out(&self, input: &Schema) -> Schema {
        self.inner.schema_out(input)
    }
}
