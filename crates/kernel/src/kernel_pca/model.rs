//! Fitted kernel components.

use ermine_core::*;
use ermine_math::kernel::{Expansion, Kernel, SparseCoefs};

use crate::kernel::{KernelRidgeModel, load_centers, save_centers};
use ermine_core::blocks::expect_width;

/// Fitted [`super::KernelPca`]: eigenvectors of the centered kernel matrix, and the training rows.
///
/// Saved arrays: `rows` (or their sparse form), `eigenvalues` (components), `eigenvectors` (components, rows), `weight` (rows),
/// `kernel_means` (rows).
#[derive(Debug, Clone)]
pub struct KernelPcaModel {
    expansion: Expansion,
    eigenvalues: Vec<f64>,
    eigenvectors: Mat<f64>,
    weight: Vec<f64>,
    means: Vec<f64>,
    mean: f64,
    total: f64,
    pre_image: Option<KernelRidgeModel>,
    certificate: Option<Certificate>,
    /// Derived from these: the coefficients of the kernel values of a new row, and a constant, for each component.
    functions: Vec<SparseCoefs>,
    constants: Vec<f64>,
}

impl KernelPcaModel {
    pub(super) fn new(
        expansion: Expansion,
        eigenvalues: Vec<f64>,
        eigenvectors: Mat<f64>,
        weight: Vec<f64>,
        means: Vec<f64>,
        mean: f64,
        total: f64,
    ) -> Result<Self> {
        let n = weight.len();
        let all: f64 = weight.iter().sum();
        let (mut functions, mut constants) = (Vec::new(), Vec::new());
        for (k, &value) in eigenvalues.iter().enumerate() {
            // v = Σ αᵢ (φ(xᵢ) - mean); a component without variance has no direction.
            let scale = if value > 0.0 { 1.0 / value.sqrt() } else { 0.0 };
            let alpha: Vec<f64> = eigenvectors.row(k).iter().zip(&weight).map(|(u, w)| scale * w.sqrt() * u).collect();
            let sum: f64 = alpha.iter().sum();
            constants.push(-alpha.iter().zip(&means).map(|(a, m)| a * (m - mean)).sum::<f64>());
            let coefficients = alpha.iter().zip(&weight).map(|(a, w)| a - sum * w / all).collect();
            functions.push(vec![(0..n, coefficients)]);
        }
        let (pre_image, certificate) = (None, None);
        Ok(Self {
            expansion,
            eigenvalues,
            eigenvectors,
            weight,
            means,
            mean,
            total,
            pre_image,
            certificate,
            functions,
            constants,
        })
    }

    pub(super) fn with_pre_image(self, ridge: KernelRidgeModel) -> Self {
        Self { pre_image: Some(ridge), ..self }
    }

    pub(super) fn with_certificate(self, certificate: Certificate) -> Self {
        Self { certificate: Some(certificate), ..self }
    }

    /// The eigenvalues of the centered kernel matrix, descending.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Unit eigenvectors of the centered kernel matrix, one row each; with weights, of the matrix scaled by their roots.
    pub fn eigenvectors(&self) -> &Mat<f64> {
        &self.eigenvectors
    }

    /// The share of the variance in feature space along each component.
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|v| if self.total > 0.0 { v / self.total } else { 0.0 }).collect()
    }

    pub(super) fn weight(&self) -> &[f64] {
        &self.weight
    }

    /// The components of the training rows of positive weight.
    pub fn training_scores(&self) -> Mat<f64> {
        let (n, m) = (self.weight.len(), self.eigenvalues.len());
        Mat::from_fn(n, m, |i, k| self.eigenvectors[(k, i)] * (self.eigenvalues[k] / self.weight[i]).sqrt())
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("kernel-pca: {m}"));
        let kernel: Kernel = input.field("kernel")?;
        let centers = load_centers(input, "rows")?;
        let n = centers.len();
        let eigenvalues: Vec<f64> = input.vec("eigenvalues")?;
        let eigenvectors: Mat<f64> = input.mat_of("eigenvectors", eigenvalues.len(), n)?;
        let weight: Vec<f64> = input.vec_of("weight", n)?;
        let means: Vec<f64> = input.vec_of("kernel_means", n)?;
        let (mean, total): (f64, f64) = (input.field("kernel_mean")?, input.field("total_variance")?);
        if n == 0 || !weight.iter().all(|w| w.is_finite() && *w > 0.0) {
            return Err(bad("it has no rows, or rows without weight"));
        }
        if !eigenvalues.iter().chain([&total]).all(|v| v.is_finite() && *v >= 0.0) {
            return Err(bad("its eigenvalues are no variances"));
        }
        if !eigenvectors.as_slice().iter().chain(&means).chain([&mean]).all(|v| v.is_finite()) {
            return Err(bad("a number is not finite"));
        }
        let expansion = Expansion::new(&kernel, centers).map_err(|e| Error::Model(e.to_string()))?;
        let mut model = Self::new(expansion, eigenvalues, eigenvectors, weight, means, mean, total)?;
        if input.has_child("pre_image") {
            let ridge = KernelRidgeModel::load(&input.child("pre_image"))?;
            if ridge.n_features() != model.eigenvalues.len() || ridge.n_targets() != model.n_features() {
                return Err(bad("its inverse transform has another shape"));
            }
            model = model.with_pre_image(ridge);
        }
        Ok(Self { certificate: input.field("certificate")?, ..model })
    }
}

/// Most components in a report.
const SHOWN: usize = 30;

ermine_core::display_as_report!(KernelPcaModel);

impl Model for KernelPcaModel {
    fn n_features(&self) -> usize {
        self.expansion.centers().cols()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("kernel {}, {} rows", self.expansion.kernel(), self.weight.len()));
        let ratio = self.explained_variance_ratio();
        let mut sum = 0.0;
        let rows = (0..ratio.len().min(SHOWN))
            .map(|k| {
                sum += ratio[k];
                vec![format!("kpca{k}").into(), self.eigenvalues[k].into(), ratio[k].into(), sum.into()]
            })
            .collect();
        report.table("Variance explained", &["component", "eigenvalue", "share", "cumulated"], rows);
        report.sections.push(Section::Plot {
            title: "Share of the variance".into(),
            x: "components".into(),
            y: "share".into(),
            curves: vec![Curve {
                name: "share".into(),
                points: ratio.iter().enumerate().map(|(k, v)| ((k + 1) as f64, *v)).collect(),
            }],
        });
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        if self.expansion.kernel().has_user_code() {
            return Err(Error::Data("a user-defined kernel function cannot be saved".into()));
        }
        save_centers(self.expansion.centers(), "rows", out)?;
        out.vec("eigenvalues", &self.eigenvalues);
        out.mat("eigenvectors", &self.eigenvectors);
        out.vec("weight", &self.weight);
        out.vec("kernel_means", &self.means);
        out.field("kernel_mean", &self.mean)?;
        out.field("total_variance", &self.total)?;
        out.field("kernel", self.expansion.kernel())?;
        out.field("certificate", &self.certificate)?;
        if let Some(ridge) = &self.pre_image {
            out.child("pre_image", |out| ridge.save(out))?;
        }
        Ok(())
    }
}

impl Transformer for KernelPcaModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut z = self.expansion.values(x, &self.functions, "kernel-pca")?;
        let width = self.constants.len();
        if width > 0 {
            for row in z.as_mut_slice().chunks_exact_mut(width) {
                row.iter_mut().zip(&self.constants).for_each(|(v, c)| *v += c);
            }
        }
        Ok(z)
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers((0..self.eigenvalues.len()).map(|k| format!("kpca{k}")))
    }

    /// Approximate pre-images: the rows that a kernel ridge regression of rows on components predicts.
    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        let Some(ridge) = &self.pre_image else { return Ok(None) };
        expect_width(z, self.eigenvalues.len())?;
        ridge.predict(&Features::F64(z)).map(Some)
    }
}
