//! Autoencoders: networks that reconstruct their input through a narrow layer.

use ermine_core::{
    Accepts, Certificate, Context, DatasetRef, Error, Family, Features, Learner, Mat, MatRef, Model, ModelReader, ModelWriter,
    ParamSpec, Range, Report, Result, Schema, Spec, Task, Trace, Transformer,
};
use ermine_math::loss::{OutputLoss, RowLoss};
use serde::{Deserialize, Serialize};

use crate::input::NetworkInput;
#[cfg(feature = "fit")]
use crate::lbfgs::{self, LbfgsOptions};
use crate::mlp::ActivationName;
#[cfg(feature = "fit")]
use crate::training::TrainingRun;
use crate::training::{TrainingData as Rows, TrainingOptions, TrainingState, TrainingStop, TrainingTargets};
use crate::{
    Architecture, Histogram, Layer, LearningRateSchedule, Network, Optimizer, OptimizerRule, Shape, WeightInit, file, histograms,
    model,
};

/// A network with a narrow middle layer, trained to reconstruct its input; the middle layer is the code.
///
/// # What it minimizes
/// 1/(2n) Σᵢ wᵢ |xᵢ - g(f(xᵢ))|², with an encoder f to `n_components` numbers and a decoder g, over columns that were
/// centered and divided by one common scale. With identity activations the codes span the space of the first principal
/// components (Baldi, Hornik 1989).
///
/// # When to use it
/// To reduce many columns with nonlinear relations to few; for linear ones, `pca` gives the same without iterations.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, Mat, Model, Transformer};
/// use ermine_neural::Autoencoder;
/// // Points on a circle, each determined by one number.
/// let x = Mat::from_fn(64, 2, |i, j| if j == 0 { (i as f64 * 0.03).cos() } else { (i as f64 * 0.03).sin() });
/// let data = DatasetRef::new(Features::F64(x.view()));
/// let learner = Autoencoder { n_components: 1, hidden_layer_sizes: vec![16], max_iter: 3000, ..Autoencoder::default() };
/// let model = learner.fit_with(&data, &Context::default())?;
/// let codes = model.transform(&data.x)?;
/// let back = model.decode(codes.view())?;
/// assert!((0..64).all(|i| (0..2).all(|j| (back[(i, j)] - x[(i, j)]).abs() < 0.2)));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// See [`Autoencoder::SPEC`](Learner::SPEC).
///
/// # Cost
/// Six operations a weight and row in each epoch.
///
/// # What it does not do
/// Codes have no order and are not uncorrelated.
///
/// # Reference
/// Baldi, Hornik (1989), Neural networks and principal component analysis; Hinton, Salakhutdinov (2006), Reducing the
/// dimensionality of data with neural networks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Autoencoder {
    /// Numbers of a code.
    pub n_components: usize,
    /// Units of the hidden layers of the encoder; the decoder has them in reverse order.
    pub hidden_layer_sizes: Vec<usize>,
    /// Activation after each hidden layer; codes and outputs have none.
    pub activation: ActivationName,
    /// "adam", or "lbfgs" on all rows.
    pub solver: AutoencoderSolver,
    /// The penalty on squared weights.
    pub alpha: f64,
    /// Rows of a batch.
    pub batch_size: usize,
    /// The initial learning rate of Adam.
    pub learning_rate_init: f64,
    /// Most epochs.
    pub max_iter: u64,
    /// Improvement below which an epoch does not count as one; `None` runs all epochs.
    pub tol: Option<f64>,
    /// Epochs without improvement after which training ends.
    pub n_iter_no_change: u64,
}

/// Optimizers of an autoencoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AutoencoderSolver {
    /// Mini-batches, in f32.
    Adam,
    /// All rows at once, in f64.
    Lbfgs,
}

impl Default for Autoencoder {
    fn default() -> Self {
        Self {
            n_components: 2,
            hidden_layer_sizes: vec![64],
            activation: ActivationName::Relu,
            solver: AutoencoderSolver::Adam,
            alpha: 0.0,
            batch_size: 64,
            learning_rate_init: 1e-3,
            max_iter: 200,
            tol: Some(1e-5),
            n_iter_no_change: 10,
        }
    }
}

impl Autoencoder {
    /// All layers, and how many of them are the encoder.
    fn layers(&self, columns: usize) -> (Architecture, usize) {
        let mut layers = Vec::new();
        let hidden = |units: usize, layers: &mut Vec<Layer>| {
            layers.push(Layer::dense(units));
            layers.push(Layer::Activation(self.activation.activation()));
        };
        self.hidden_layer_sizes.iter().for_each(|&u| hidden(u, &mut layers));
        layers.push(Layer::dense(self.n_components));
        let encoder = layers.len();
        self.hidden_layer_sizes.iter().rev().for_each(|&u| hidden(u, &mut layers));
        layers.push(Layer::dense(columns));
        (Architecture { layers }, encoder)
    }
}

/// The shift of each column, and the common scale.
fn frame(cells: &NetworkInput<'_>, rows: &[u32], columns: usize, weight: &(dyn Fn(usize) -> f64 + Sync)) -> (Vec<f32>, f32) {
    let (mean, squares, mass) = cells.moments(rows, columns, weight);
    let scale = (squares.iter().sum::<f64>() / mass / columns as f64).sqrt();
    (mean.iter().map(|m| *m as f32).collect(), if scale > 0.0 && (scale as f32).is_normal() { scale as f32 } else { 1.0 })
}

impl Autoencoder {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "autoencoder";
}

#[cfg(feature = "fit")]
impl Learner for Autoencoder {
    type Model = AutoencoderModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Autoencoder: few numbers from which a network rebuilds all columns",
        objective: "min 1/(2n) sum_i w_i |x_i - g(f(x_i))|^2 + alpha/2 sum w^2; encoder f to n_components numbers, decoder g",
        notes: "Choose it to reduce many columns with nonlinear relations to few. With activation identity the codes span \
                the space of the first principal components, which pca finds at once. Columns are centered and share one scale.",
        reference: "P. Baldi, K. Hornik (1989), Neural networks and principal component analysis; G. E. Hinton, R. R. Salakhutdinov (2006), \
                    Reducing the dimensionality of data with neural networks",
        family: Family::Neural,
        tasks: &[Task::Reduction],
        accepts: Accepts { weights: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec { name: "n_components", doc: "Numbers of a code.", range: Range::Int { min: 1, max: 1 << 20 } },
            ParamSpec {
                name: "hidden_layer_sizes",
                doc: "Units of the hidden layers of the encoder, from input to code; the decoder has them in reverse.",
                range: Range::List(&Range::Int { min: 1, max: 1 << 20 }),
            },
            ParamSpec {
                name: "activation",
                doc: "The activation of each hidden layer: identity, logistic, tanh, relu, leaky_relu or gelu. Codes and results have none.",
                range: Range::Choice(&["identity", "logistic", "tanh", "relu", "leaky_relu", "gelu"]),
            },
            ParamSpec {
                name: "solver",
                doc: "adam takes batches; lbfgs takes all rows at once, in f64, and is good for a few thousand.",
                range: Range::Choice(&["adam", "lbfgs"]),
            },
            ParamSpec { name: "alpha", doc: "The strength of the penalty on squares of weights.", range: Range::at_least(0.0) },
            ParamSpec { name: "batch_size", doc: "Rows of a batch.", range: Range::Int { min: 1, max: 1 << 20 } },
            ParamSpec { name: "learning_rate_init", doc: "The rate of Adam.", range: Range::above(0.0) },
            ParamSpec { name: "max_iter", doc: "Epochs at most.", range: Range::int_from(1) },
            ParamSpec {
                name: "tol",
                doc: "Improvement of the loss below which an epoch counts as none; null goes through all epochs.",
                range: Range::Optional(&Range::at_least(0.0)),
            },
            ParamSpec {
                name: "n_iter_no_change",
                doc: "Epochs without improvement after which it ends.",
                range: Range::int_from(1),
            },
        ],
    };

    const ROW_ORDER_MATTERS: bool = true;
    const RANDOM_INIT: bool = true;

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<AutoencoderModel> {
        self.check()?;
        data.check(&Self::SPEC)?;
        let cells = NetworkInput::checked(&data.x, data.schema, Self::SPEC.name)?;
        let rows: Vec<u32> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).map(|i| i as u32).collect();
        let columns = data.cols();
        let (shift, scale) = frame(&cells, &rows, columns, &|i| data.weight_of(i));
        let (architecture, encoder) = self.layers(columns);
        let network = Network::new(&architecture, Shape::flat(columns), WeightInit::Auto, cx.seed)?;
        let fill = |i: usize, row: &mut [f32]| {
            cells.copy(i, row);
            row.iter_mut().zip(&shift).for_each(|(v, s)| *v = (*v - s) / scale);
        };
        let task = Rows {
            fill: &fill,
            prefetch: &|i| cells.prefetch(i),
            targets: TrainingTargets::Reconstruct,
            weight: data.weight.map(<[f64]>::to_vec),
            loss: OutputLoss::Elementwise(RowLoss::Squared),
            train: rows,
        };
        let method = OptimizerRule::Adam { beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8 };
        let plan = TrainingOptions {
            optimizer: Optimizer { method, ..Optimizer::adam(self.learning_rate_init) },
            schedule: LearningRateSchedule::Constant,
            epochs: self.max_iter,
            batch: self.batch_size.min(task.train.len()).max(1),
            shuffle: true,
            alpha: self.alpha,
            tol: self.tol,
            patience: self.n_iter_no_change,
            seed: cx.seed,
        };
        let mut run = TrainingRun::new(&plan, network, false)?;
        let end = match self.solver {
            AutoencoderSolver::Adam => run.run_epochs(&task, None, &mut |_| Ok(()), cx)?,
            AutoencoderSolver::Lbfgs => {
                let (alpha, tol, seed) = (self.alpha, self.tol.unwrap_or(0.0), cx.seed);
                let search = LbfgsOptions { alpha, steps: self.max_iter, evaluations: 10 * self.max_iter, tol, seed };
                let (best, end) = lbfgs::minimize(&search, run.trainer.network(), &task, &mut run.state, &mut run.trace, cx)?;
                run.trainer.set_network(&best)?;
                end
            }
        };
        let histograms = histograms::collect_histograms(&mut run, &task)?;
        let mut notes = Vec::new();
        match end {
            TrainingStop::Diverged { epoch, rate } => notes.push(format!(
                "training diverged in epoch {epoch} (rate {rate:e}); the weights are those before it. Lower learning_rate_init"
            )),
            TrainingStop::Deadline => notes.push(format!("ended at the time limit in epoch {}", run.state.epochs + 1)),
            TrainingStop::Epochs if self.tol.is_some() => {
                notes.push(format!("still improving after {} epochs", run.state.epochs))
            }
            _ => {}
        }
        let certificate = Certificate {
            method: if self.solver == AutoencoderSolver::Adam { "adam" } else { "lbfgs" }.into(),
            objective: run.state.losses.last().copied(),
            iterations: run.state.epochs,
            converged: end == TrainingStop::Converged || end == TrainingStop::Epochs && self.tol.is_none(),
            notes,
            ..Certificate::default()
        };
        let (first, second) = run.trainer.network().split(encoder)?;
        Ok(AutoencoderModel {
            encoder: first,
            decoder: second,
            shift,
            scale,
            stand: run.state,
            histograms,
            certificate: Some(certificate),
            trace: Some(run.trace),
        })
    }

    fn load(input: &ModelReader) -> Result<AutoencoderModel> {
        AutoencoderModel::load(input)
    }
}

impl AutoencoderModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let (encoder, decoder) = (file::read(&input.child("encoder"))?, file::read(&input.child("decoder"))?);
        let shift: Vec<f32> = input.vec("shift")?;
        let scale: f32 = input.field("scale")?;
        let bad = |message: String| Err(Error::Model(message));
        if encoder.output() != decoder.input() || decoder.output() != encoder.input() {
            return bad(format!(
                "an encoder of {} to {} and a decoder of {}",
                encoder.input(),
                encoder.output(),
                decoder.input()
            ));
        }
        if shift.len() != encoder.input().len() || !shift.iter().all(|s| s.is_finite()) || !(scale.is_finite() && scale > 0.0) {
            return bad(format!("{} shifts and scale {scale} for {} columns", shift.len(), encoder.input()));
        }
        let histograms: Vec<Histogram> = input.field("histograms")?;
        let layers = encoder.architecture().layers.len() + decoder.architecture().layers.len();
        if histograms.iter().any(|h| h.layer >= layers || h.counts.is_empty() || h.counts.len() > 1000) {
            return bad("a histogram of a layer that is not there".into());
        }
        let stand = input.field("stand")?;
        Ok(AutoencoderModel { encoder, decoder, shift, scale, stand, histograms, certificate: None, trace: None })
    }
}

/// A fitted autoencoder.
///
/// Saved: two networks under `encoder` and `decoder`, the shift of the columns and their common scale.
#[derive(Debug, Clone)]
pub struct AutoencoderModel {
    encoder: Network,
    decoder: Network,
    shift: Vec<f32>,
    scale: f32,
    stand: TrainingState,
    histograms: Vec<Histogram>,
    certificate: Option<Certificate>,
    trace: Option<Trace>,
}

fn to_f64(m: Mat<f32>) -> Mat<f64> {
    let (rows, cols) = (m.rows(), m.cols());
    Mat::from_vec(rows, cols, m.into_vec().into_iter().map(f64::from).collect())
}

impl AutoencoderModel {
    /// The network from columns to codes. Its input is shifted and scaled columns.
    pub fn encoder(&self) -> &Network {
        &self.encoder
    }

    /// The network from codes to columns.
    pub fn decoder(&self) -> &Network {
        &self.decoder
    }

    /// Epochs.
    pub fn n_iter(&self) -> u64 {
        self.stand.epochs
    }

    /// The mean loss of every epoch.
    pub fn losses(&self) -> &[f64] {
        &self.stand.losses
    }

    /// The columns decoded from codes.
    pub fn decode(&self, codes: MatRef<'_, f64>) -> Result<Mat<f64>> {
        let expected = self.decoder.input().len();
        if codes.cols() != expected {
            return Err(Error::Columns { expected, found: codes.cols() });
        }
        let fill = |i: usize, row: &mut [f32]| row.iter_mut().enumerate().for_each(|(j, v)| *v = *codes.at(i, j) as f32);
        let mut out = to_f64(self.decoder.predict_with(codes.rows(), &fill)?);
        for i in 0..out.rows() {
            let scale = f64::from(self.scale);
            out.row_mut(i).iter_mut().zip(&self.shift).for_each(|(v, s)| *v = *v * scale + f64::from(*s));
        }
        Ok(out)
    }

    /// Reconstructions of rows.
    pub fn reconstruct(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.decode(self.transform(x)?.view())
    }
}

ermine_core::display_as_report!(AutoencoderModel);

impl Model for AutoencoderModel {
    fn n_features(&self) -> usize {
        self.encoder.input().len()
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
        report.text(format!("encoder: {}", self.encoder.architecture()));
        report.text(format!("decoder: {}", self.decoder.architecture()));
        model::report_training(&self.stand, &mut report);
        let cut = self.encoder.architecture().layers.len();
        let (first, second): (Vec<_>, Vec<_>) = self.histograms.iter().cloned().partition(|h| h.layer < cut);
        let second: Vec<_> = second.into_iter().map(|h| Histogram { layer: h.layer - cut, ..h }).collect();
        histograms::report(&self.encoder, &first, &mut report);
        histograms::report(&self.decoder, &second, &mut report);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.child("encoder", |out| file::write(&self.encoder, out))?;
        out.child("decoder", |out| file::write(&self.decoder, out))?;
        out.vec("shift", &self.shift);
        out.field("scale", &self.scale)?;
        out.field("stand", &self.stand)?;
        out.field("histograms", &self.histograms)
    }
}

impl Transformer for AutoencoderModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features())?;
        let cells = NetworkInput::checked(x, None, Autoencoder::NAME)?;
        let fill = |i: usize, row: &mut [f32]| {
            cells.copy(i, row);
            row.iter_mut().zip(&self.shift).for_each(|(v, s)| *v = (*v - s) / self.scale);
        };
        Ok(to_f64(self.encoder.predict_with(x.rows(), &fill)?))
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        Schema::numbers((0..self.encoder.output().len()).map(|k| format!("code{k}")))
    }

    fn inverse(&self, z: MatRef<'_, f64>) -> Result<Option<Mat<f64>>> {
        self.decode(z).map(Some)
    }
}
