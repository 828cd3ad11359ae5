//! Fitted k-means.

use ermine_core::parallel::prelude::*;
use ermine_core::*;
use ermine_math::distance::squared;

use super::choose_k::ClusterCountScore;
use super::lloyd::PackedCenters;

/// Rows assigned at a time.
const BLOCK: usize = 4096;

/// Fitted k-means: the centers.
#[derive(Debug, Clone)]
pub struct KMeansModel {
    centers: Mat<f64>,
    sizes: Vec<f64>,
    inertia: f64,
    certificate: Certificate,
    trace: Option<Trace>,
    labels: Option<Vec<u32>>,
    run: u64,
    tried: Vec<ClusterCountScore>,
    cache: PackedCenters,
}

impl KMeansModel {
    pub(super) fn new(
        centers: Mat<f64>,
        sizes: Vec<f64>,
        inertia: f64,
        certificate: Certificate,
        trace: Option<Trace>,
        run: u64,
    ) -> Self {
        Self {
            centers,
            sizes,
            inertia,
            certificate,
            trace,
            labels: None,
            run,
            tried: Vec::new(),
            cache: PackedCenters::default(),
        }
    }

    pub(super) fn run(&self) -> u64 {
        self.run
    }

    pub(super) fn with_labels(self, labels: Vec<u32>) -> Self {
        Self { labels: Some(labels), ..self }
    }

    pub(super) fn with_tried(self, tried: Vec<ClusterCountScore>) -> Self {
        Self { tried, ..self }
    }

    /// The numbers of clusters tried, where a rule chose among several.
    pub fn tried(&self) -> &[ClusterCountScore] {
        &self.tried
    }

    /// The centers, one row each.
    pub fn centers(&self) -> &Mat<f64> {
        &self.centers
    }

    /// The weight of the training rows of each center.
    pub fn sizes(&self) -> &[f64] {
        &self.sizes
    }

    /// The weighted sum of the squared distances of the training rows from their centers.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// Steps taken.
    pub fn iterations(&self) -> u64 {
        self.certificate.iterations
    }

    /// The inertia of other rows: the weighted sum of the squared distances from their nearest centers.
    pub fn inertia_of(&self, data: &DatasetRef<'_>) -> Result<f64> {
        let labels = self.assign(&data.x)?;
        let mut sum = 0.0;
        for first in (0..data.rows()).step_by(BLOCK) {
            let block = data.row_range(first..data.rows().min(first + BLOCK));
            let mut part = 0.0;
            super::init::each_row(&block.x, |i, row| {
                part += block.weight_of(i) * squared(row, self.centers.row(labels[first + i] as usize));
            })?;
            sum += part;
        }
        Ok(sum)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("kmeans: {m}"));
        let centers: Mat<f64> = input.mat("centers")?;
        let sizes: Vec<f64> = input.vec_of("sizes", centers.rows())?;
        let inertia: f64 = input.field("inertia")?;
        if centers.rows() == 0 || centers.cols() == 0 || centers.rows() > 1 << 24 {
            return Err(bad("it has no centers, or too many"));
        }
        if !centers.as_slice().iter().all(|v| v.is_finite()) || !sizes.iter().all(|w| w.is_finite() && *w >= 0.0) {
            return Err(bad("its centers or sizes are no finite numbers"));
        }
        if !(inertia.is_finite() && inertia >= 0.0) {
            return Err(bad("its inertia is no finite number"));
        }
        let certificate: Certificate = input.field("certificate")?;
        // Files of the first versions lack it.
        let tried: Vec<ClusterCountScore> = if input.has_field("tried") { input.field("tried")? } else { Vec::new() };
        Ok(Self::new(centers, sizes, inertia, certificate, None, 0).with_tried(tried))
    }
}

ermine_core::display_as_report!(KMeansModel);

impl Model for KMeansModel {
    fn n_features(&self) -> usize {
        self.centers.cols()
    }
    fn as_clusterer(&self) -> Option<&dyn Clusterer> {
        Some(self)
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }
    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let all: f64 = self.sizes.iter().sum();
        report.text(format!("{} clusters; inertia {:.6e} after {} steps.", self.sizes.len(), self.inertia, self.iterations()));
        let mut columns: Vec<String> = vec!["cluster".into(), "rows".into(), "share".into()];
        columns.extend((0..self.centers.cols()).map(|j| schema.name(j)));
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let rows = (0..self.sizes.len())
            .map(|c| {
                let mut row =
                    vec![Cell::Number(c as f64), self.sizes[c].into(), (self.sizes[c] / all.max(f64::MIN_POSITIVE)).into()];
                row.extend(self.centers.row(c).iter().map(|&v| Cell::Number(v)));
                row
            })
            .collect();
        report.table("Centers", &columns, rows);
        if !self.tried.is_empty() {
            let row = |t: &ClusterCountScore| {
                let silhouette = t.silhouette.map_or(Cell::Empty, Cell::from);
                vec![Cell::Number(t.clusters as f64), t.inertia.into(), t.penalized.into(), silhouette]
            };
            let heads = ["clusters", "inertia", "penalised", "silhouette"];
            report.table("Numbers of clusters", &heads, self.tried.iter().map(row).collect());
            let mut curve = |title: &str, y: &str, value: &dyn Fn(&ClusterCountScore) -> Option<f64>| {
                let points = self.tried.iter().filter_map(|t| Some((t.clusters as f64, value(t)?))).collect();
                let curves = vec![Curve { name: y.into(), points }];
                report.sections.push(Section::Plot { title: title.into(), x: "clusters".into(), y: y.into(), curves });
            };
            curve("Inertia by number of clusters", "inertia", &|t| Some(t.inertia));
            curve("Silhouette by number of clusters", "silhouette", &|t| t.silhouette);
        }
        if let Some(trace) = &self.trace {
            let points = trace.rows.iter().map(|r| (r[0], r[1])).collect();
            report.sections.push(Section::Plot {
                title: "Inertia by step".into(),
                x: "step".into(),
                y: "inertia".into(),
                curves: vec![Curve { name: "inertia".into(), points }],
            });
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.mat("centers", &self.centers);
        out.vec("sizes", &self.sizes);
        out.field("inertia", &self.inertia)?;
        out.field("n_iter", &self.certificate.iterations)?;
        out.field("tried", &self.tried)?;
        out.field("certificate", &self.certificate)
    }
}

impl Clusterer for KMeansModel {
    fn n_clusters(&self) -> usize {
        self.centers.rows()
    }

    fn assign(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        x.expect_cols(self.centers.cols())?;
        let rows = x.rows();
        let mut labels = vec![0u32; rows];
        let results: Vec<Result<()>> = (labels.par_chunks_mut(BLOCK).enumerate())
            .map(|(b, labels)| {
                let first = b * BLOCK;
                let block = x.row_range(first..rows.min(first + BLOCK));
                self.cache.nearest(&self.centers, &block, labels).map_err(|e| e.with_row(|row| row + first))
            })
            .collect();
        results.into_iter().collect::<Result<()>>()?;
        Ok(labels)
    }

    fn labels(&self) -> Option<&[u32]> {
        self.labels.as_deref()
    }
}

impl Transformer for KMeansModel {
    /// Distances to the centers.
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.centers.cols())?;
        let (rows, k) = (x.rows(), self.centers.rows());
        let mut out = Mat::zeros(rows, k);
        let results: Vec<Result<()>> = (out.as_mut_slice().par_chunks_mut(BLOCK * k).enumerate())
            .map(|(b, out)| {
                let first = b * BLOCK;
                let block = x.row_range(first..rows.min(first + BLOCK));
                super::init::each_row(&block, |i, row| {
                    for c in 0..k {
                        out[i * k + c] = squared(row, self.centers.row(c)).sqrt();
                    }
                })
                .map_err(|e| e.with_row(|row| row + first))
            })
            .collect();
        results.into_iter().collect::<Result<()>>()?;
        Ok(out)
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers((0..self.centers.rows()).map(|c| format!("kmeans{c}")))
    }
}
