//! Fitted principal components.

use ermine_core::*;
use ermine_math::projection::Projection;

use super::Pca;
use ermine_core::blocks::{by_blocks, expect_width, numbers};

/// Fitted [`Pca`]: directions, their variances and the mean.
#[derive(Debug, Clone, PartialEq)]
pub struct PcaModel {
    components: Mat<f64>,
    explained_variance: Vec<f64>,
    explained_variance_ratio: Vec<f64>,
    singular_values: Vec<f64>,
    mean: Vec<f64>,
    n_samples: f64,
    noise_variance: f64,
    whiten: bool,
    certificate: Certificate,
    /// The mean log-likelihood of held-out rows, with 1, 2, … components, where it was computed.
    held_out: Vec<f64>,
    /// Divisors of the transformed columns.
    scale: Vec<f64>,
    projection: Projection,
}

impl PcaModel {
    #[allow(clippy::too_many_arguments)] // what a model file holds
    pub(in crate::decomposition) fn new(
        components: Mat<f64>,
        explained_variance: Vec<f64>,
        explained_variance_ratio: Vec<f64>,
        singular_values: Vec<f64>,
        mean: Vec<f64>,
        n_samples: f64,
        noise_variance: f64,
        whiten: bool,
        certificate: Certificate,
    ) -> Self {
        // A direction without variance has rounding errors only, of the size of those of the first direction.
        let largest = explained_variance.iter().fold(0.0f64, |m, &v| m.max(v)).sqrt();
        let least = if largest > 0.0 { f64::EPSILON * largest } else { 1.0 };
        let scale = explained_variance.iter().map(|v| if whiten { v.sqrt().max(least) } else { 1.0 }).collect();
        let projection = Projection::new(components.view());
        Self {
            components,
            explained_variance,
            explained_variance_ratio,
            singular_values,
            mean,
            n_samples,
            noise_variance,
            whiten,
            certificate,
            held_out: Vec::new(),
            scale,
            projection,
        }
    }

    pub(super) fn with_held_out(self, held_out: Vec<f64>) -> Self {
        Self { held_out, ..self }
    }

    /// The directions: orthonormal rows, largest variance first.
    pub fn components(&self) -> &Mat<f64> {
        &self.components
    }

    /// The variance along each direction, with divisor n - 1.
    pub fn explained_variance(&self) -> &[f64] {
        &self.explained_variance
    }

    /// The share of the variance along each direction.
    pub fn explained_variance_ratio(&self) -> &[f64] {
        &self.explained_variance_ratio
    }

    /// The singular values of the centered rows.
    pub fn singular_values(&self) -> &[f64] {
        &self.singular_values
    }

    /// The means of the columns.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The weight of the training rows.
    pub(in crate::decomposition) fn n_samples(&self) -> f64 {
        self.n_samples
    }

    /// The mean variance along the directions that were left out.
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    /// The mean log-likelihood of held-out rows, with 1, 2, … components; empty unless the number was chosen by it.
    pub fn held_out(&self) -> &[f64] {
        &self.held_out
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("pca: {m}"));
        let components: Mat<f64> = input.mat("components")?;
        let kept = components.rows();
        let mean: Vec<f64> = input.vec_of("mean", components.cols())?;
        let variance: Vec<f64> = input.vec_of("explained_variance", kept)?;
        let ratio: Vec<f64> = input.vec_of("explained_variance_ratio", kept)?;
        let singular: Vec<f64> = input.vec_of("singular_values", kept)?;
        let n_samples: f64 = input.field("n_samples")?;
        let noise: f64 = input.field("noise_variance")?;
        let whiten: bool = input.field("whiten")?;
        let certificate: Certificate = input.field("certificate")?;
        let sound = |v: &[f64]| v.iter().all(|v| v.is_finite() && *v >= 0.0);
        if mean.is_empty() || kept > mean.len() {
            return Err(bad(&format!("{kept} components of {} columns", mean.len())));
        }
        if !mean.iter().chain(components.as_slice()).all(|v| v.is_finite()) {
            return Err(bad("its mean and components are not finite"));
        }
        if !sound(&variance) || !sound(&ratio) || !sound(&singular) || !sound(&[n_samples, noise]) {
            return Err(bad("its variances are no variances"));
        }
        // Files of the first versions lack it.
        let held_out: Vec<f64> = if input.has_field("held_out") { input.field("held_out")? } else { Vec::new() };
        Ok(Self::new(components, variance, ratio, singular, mean, n_samples, noise, whiten, certificate).with_held_out(held_out))
    }
}

/// Most components in a report.
const SHOWN: usize = 30;
/// Components whose loadings are listed.
const LOADINGS: usize = 6;

ermine_core::display_as_report!(PcaModel);

impl Model for PcaModel {
    fn n_features(&self) -> usize {
        self.mean.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }
    fn as_density(&self) -> Option<&dyn Density> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let mut sum = 0.0;
        let rows = (0..self.explained_variance.len().min(SHOWN))
            .map(|k| {
                sum += self.explained_variance_ratio[k];
                let row = self.components.row(k);
                let largest = (0..row.len()).fold(0, |m, j| if row[j].abs() > row[m].abs() { j } else { m });
                let name = schema.name(largest);
                let (variance, share) = (self.explained_variance[k], self.explained_variance_ratio[k]);
                vec![format!("pca{k}").into(), variance.into(), share.into(), sum.into(), name.into(), row[largest].into()]
            })
            .collect();
        let heads = ["component", "variance", "share", "cumulated", "largest loading", "its value"];
        report.table("Variance explained", &heads, rows);
        let shown = self.components.rows().min(LOADINGS);
        let heads: Vec<String> = std::iter::once("column".to_owned()).chain((0..shown).map(|k| format!("pca{k}"))).collect();
        let row = |j: usize| {
            let values = (0..shown).map(|k| Cell::Number(self.components[(k, j)]));
            std::iter::once(Cell::from(schema.name(j))).chain(values).collect()
        };
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        report.table("Loadings", &heads, (0..self.components.cols()).map(row).collect());
        if self.explained_variance.len() > SHOWN {
            report.text(format!("{} further components are not shown.", self.explained_variance.len() - SHOWN));
        }
        let curve = |title: &str, y: &str, points: Vec<(f64, f64)>| Section::Plot {
            title: title.into(),
            x: "components".into(),
            y: y.into(),
            curves: vec![Curve { name: y.into(), points }],
        };
        let count = |k: usize| (k + 1) as f64;
        let shares = self.explained_variance_ratio.iter().enumerate().map(|(k, v)| (count(k), *v)).collect();
        report.sections.push(curve("Share of the variance", "share", shares));
        if !self.held_out.is_empty() {
            let points = self.held_out.iter().enumerate().map(|(k, v)| (count(k), *v)).collect();
            report.sections.push(curve("Rows left out", "mean log-likelihood", points));
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.mat("components", &self.components);
        out.vec("explained_variance", &self.explained_variance);
        out.vec("explained_variance_ratio", &self.explained_variance_ratio);
        out.vec("singular_values", &self.singular_values);
        out.vec("mean", &self.mean);
        out.field("n_samples", &self.n_samples)?;
        out.field("noise_variance", &self.noise_variance)?;
        out.field("whiten", &self.whiten)?;
        out.field("held_out", &self.held_out)?;
        out.field("certificate", &self.certificate)
    }
}

impl Transformer for PcaModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.mean.len())?;
        let kept = self.components.rows();
        by_blocks(x, kept, |block, _, out| {
            let mut scratch = Vec::new();
            match block {
                Features::F64(x) => self.projection.apply(*x, &self.mean, out),
                Features::F32(x) => self.projection.apply(*x, &self.mean, out),
                other => self.projection.apply(numbers(other, &mut scratch, Pca::NAME)?, &self.mean, out),
            }
            if out.iter().any(|v| !v.is_finite()) {
                block.refuse_non_finite(None)?;
            }
            if self.whiten {
                for row in out.chunks_exact_mut(kept) {
                    row.iter_mut().zip(&self.scale).for_each(|(v, s)| *v /= s);
                }
            }
            Ok(())
        })
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers((0..self.components.rows()).map(|k| format!("pca{k}")))
    }

    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        expect_width(z, self.components.rows())?;
        let scaled = Mat::from_fn(z.rows(), z.cols(), |i, k| z.at(i, k) * if self.whiten { self.scale[k] } else { 1.0 });
        let back = Projection::new(self.components.view().t());
        let zeros = vec![0.0; z.cols()];
        let x = by_blocks(&Features::F64(scaled.view()), self.mean.len(), |block, _, out| {
            let Features::F64(block) = block else { unreachable!("it was made of f64") };
            back.apply(*block, &zeros, out);
            for row in out.chunks_exact_mut(self.mean.len()) {
                row.iter_mut().zip(&self.mean).for_each(|(v, m)| *v += m);
            }
            Ok(())
        })?;
        Ok(Some(x))
    }
}

/// The density of probabilistic principal components (Tipping and Bishop 1999): normal about the mean, with the kept
/// variances along the components and the noise variance across.
impl Density for PcaModel {
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        x.expect_cols(self.mean.len())?;
        let (cols, kept) = (self.mean.len(), self.components.rows());
        // Variances below this are rounding errors of the first; the density of rows off the plane is then as good as 0.
        let largest = self.explained_variance.first().copied().unwrap_or(0.0).max(self.noise_variance);
        if largest <= 0.0 {
            return Err(Error::Numeric("the training rows of this pca do not vary, so they have no density".into()));
        }
        let floor = |v: f64| v.max(cols as f64 * f64::EPSILON * largest);
        let (variance, noise) =
            (self.explained_variance.iter().map(|&v| floor(v)).collect::<Vec<_>>(), floor(self.noise_variance));
        let across = (cols - kept) as f64;
        let log_determinant = variance.iter().map(|v| v.ln()).sum::<f64>() + across * noise.ln();
        let constant = -0.5 * (cols as f64 * std::f64::consts::TAU.ln() + log_determinant);
        let out = by_blocks(x, 1, |block, _, out| {
            let mut scratch = Vec::new();
            let mut row = vec![0.0; cols];
            let rows = numbers(block, &mut scratch, Pca::NAME)?;
            let mut z = vec![0.0; rows.rows() * kept];
            self.projection.apply(rows, &self.mean, &mut z);
            for (i, out) in out.iter_mut().enumerate() {
                let z = &z[i * kept..(i + 1) * kept];
                let mut square: f64 = z.iter().zip(&variance).map(|(z, v)| z * z / v).sum();
                if kept < cols {
                    // The residual of the row, by difference of vectors and not of squares.
                    rows.copy_row(i, &mut row);
                    row.iter_mut().zip(&self.mean).for_each(|(v, m)| *v -= m);
                    for (k, z) in z.iter().enumerate() {
                        row.iter_mut().zip(self.components.row(k)).for_each(|(v, c)| *v -= z * c);
                    }
                    square += row.iter().map(|v| v * v).sum::<f64>() / noise;
                }
                *out = constant - 0.5 * square;
            }
            if out.iter().any(|v| !v.is_finite()) {
                block.refuse_non_finite(None)?;
            }
            Ok(())
        })?;
        Ok(out.into_vec())
    }

    fn n_parameters(&self) -> usize {
        // A mean, variances, a noise, and directions up to the rotations that change nothing.
        let (p, m) = (self.mean.len(), self.components.rows());
        p + p * m - m * m.saturating_sub(1) / 2 + usize::from(m < p)
    }

    fn sample(&self, rows: usize, seed: u64) -> Result<Option<Mat<f64>>> {
        let mut draw = RngStream::new(seed, "pca sample", 0);
        let (p, m) = (self.mean.len(), self.components.rows());
        let noise = self.noise_variance.sqrt();
        let mut out = Mat::zeros(rows, p);
        for i in 0..rows {
            let mut row: Vec<f64> = (0..p).map(|_| noise * draw.normal()).collect();
            for k in 0..m {
                let c = self.components.row(k);
                // The noise along a component is part of its variance.
                let along: f64 = row.iter().zip(c).map(|(v, c)| v * c).sum();
                let z = self.explained_variance[k].sqrt() * draw.normal() - along;
                row.iter_mut().zip(c).for_each(|(v, c)| *v += z * c);
            }
            out.row_mut(i).iter_mut().zip(&row).zip(&self.mean).for_each(|((o, v), m)| *o = v + m);
        }
        Ok(Some(out))
    }
}
