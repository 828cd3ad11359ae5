//! The fitted GAN: a generator to sample from and a discriminator.

use ermine_core::{
    Certificate, Curve, Error, Features, Mat, Model, ModelReader, ModelWriter, Report, Result, RngStream, Schema, Section, Trace,
    Transformer,
};
use ermine_math::loss::sigmoid;
use ermine_math::nn::AlignedBuffer;

use super::Gan;
use crate::input::NetworkInput;
use crate::supervised::into_frame;
use crate::{Network, file, histograms};

/// A generator and a discriminator. As a transformer it gives one column, the discriminator's probability that a row is real.
///
/// Saved: two networks under `generator` and `discriminator`, the shift and scale of each column.
#[derive(Debug, Clone)]
pub struct GanModel {
    pub(super) generator: Network,
    pub(super) discriminator: Network,
    pub(super) frame: Vec<(f32, f32)>,
    pub(super) coverage: Option<f64>,
    pub(super) certificate: Option<Certificate>,
    pub(super) trace: Option<Trace>,
}

impl GanModel {
    /// Without the copies needed only in training.
    pub(super) fn without_training(mut self) -> Self {
        self.generator.transposed = AlignedBuffer::default();
        self.discriminator.transposed = AlignedBuffer::default();
        self
    }

    /// The network from noise to standardized rows.
    pub fn generator(&self) -> &Network {
        &self.generator
    }

    /// The network from standardized rows to the log odds of being real.
    pub fn discriminator(&self) -> &Network {
        &self.discriminator
    }

    /// The share of the modes that the generator covered at the end.
    pub fn coverage(&self) -> Option<f64> {
        self.coverage
    }

    /// Sampled rows, the same for the same seed.
    pub fn sample(&self, rows: usize, seed: u64) -> Result<Mat<f64>> {
        let mut stream = RngStream::new(seed, "gan sample", 0);
        let noise = Mat::from_fn(rows, self.generator.input().len(), |_, _| stream.normal() as f32);
        let made = self.generator.predict(noise.view())?;
        let own = |i: usize, j: usize| f64::from(made[(i, j)]) * f64::from(self.frame[j].1) + f64::from(self.frame[j].0);
        Ok(Mat::from_fn(rows, made.cols(), own))
    }
}

ermine_core::display_as_report!(GanModel);

impl Model for GanModel {
    fn n_features(&self) -> usize {
        self.discriminator.input().len()
    }

    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("generator: {} on {}", self.generator.architecture(), self.generator.input()));
        report.text(format!("discriminator: {} on {}", self.discriminator.architecture(), self.discriminator.input()));
        if let Some(coverage) = self.coverage {
            report.text(format!("the generator reaches {:.0} % of the modes", 100.0 * coverage));
        }
        for name in ["objective", "duality_gap", "coverage"] {
            let values = self.trace.as_ref().and_then(|t| t.column(name)).unwrap_or_default();
            let points: Vec<(f64, f64)> =
                values.iter().enumerate().filter(|(_, v)| v.is_finite()).map(|(k, &v)| ((k + 1) as f64, v)).collect();
            if points.len() > 1 {
                report.sections.push(Section::Plot {
                    title: format!("Course of the {}", name.replace('_', " ")),
                    x: "epoch".into(),
                    y: name.replace('_', " "),
                    curves: vec![Curve { name: name.replace('_', " "), points }],
                });
            }
        }
        histograms::report(&self.generator, &[], &mut report);
        histograms::report(&self.discriminator, &[], &mut report);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.child("generator", |out| file::write(&self.generator, out))?;
        out.child("discriminator", |out| file::write(&self.discriminator, out))?;
        out.field("frame", &self.frame)?;
        out.field("coverage", &self.coverage)
    }
}

pub(crate) fn load(input: &ModelReader) -> Result<GanModel> {
    let (generator, discriminator) = (file::read(&input.child("generator"))?, file::read(&input.child("discriminator"))?);
    let frame: Vec<(f32, f32)> = input.field("frame")?;
    if generator.output() != discriminator.input() || discriminator.output().len() != 1 {
        return Err(Error::Model(format!(
            "a generator of rows of {} and a discriminator of {} to {}",
            generator.output(),
            discriminator.input(),
            discriminator.output()
        )));
    }
    let sound = |(shift, scale): &(f32, f32)| shift.is_finite() && scale.is_finite() && *scale > 0.0;
    if frame.len() != generator.output().len() || !frame.iter().all(sound) {
        return Err(Error::Model(format!("{} shifts and scales for {} columns", frame.len(), generator.output())));
    }
    Ok(GanModel { generator, discriminator, frame, coverage: input.field("coverage")?, certificate: None, trace: None })
}

impl Transformer for GanModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features())?;
        let cells = NetworkInput::checked(x, None, Gan::NAME)?;
        let z = self.discriminator.predict_with(x.rows(), &|i, row| {
            cells.copy(i, row);
            into_frame(&self.frame, row);
        })?;
        Ok(Mat::from_fn(x.rows(), 1, |i, _| sigmoid(f64::from(z[(i, 0)]))))
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers(["real"])
    }
}
