//! The fitted network of a target: numbers or classes.

use ermine_core::{
    Certificate, Classifier, Curve, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result, Schema,
    Section, Trace, argmax_rows,
};
use ermine_math::loss::{log_sum_exp, log1p_exp};
use ermine_math::nn::AlignedBuffer;

use crate::input::NetworkInput;
use crate::supervised::into_frame;
#[cfg(feature = "fit")]
use crate::training::TrainingRun;
use crate::training::{Snapshot, TrainingState};
use crate::{Histogram, Network, file, histograms};

/// A fitted network for classes or numbers.
///
/// Saved: the network (architecture and input as text, "layer3.weights" [inputs, outputs], "layer3.bias" [1, outputs],
/// and so on, in f32), the shift and scale of the channels, classes, the losses by epoch. A checkpoint of a training
/// also has the optimizer state, under `kept`.
#[derive(Debug, Clone)]
pub struct NetworkModel {
    pub(crate) learner: &'static str,
    pub(crate) network: Network,
    /// The class names; `None` for numbers.
    pub(crate) classes: Option<Vec<String>>,
    /// Codes of the classes that take part; the others have probability 0.
    pub(crate) present: Vec<u32>,
    /// Whether outputs are logarithms of the predictions.
    pub(crate) exponential: bool,
    /// Shift and scale of each channel of the input; empty where inputs are not scaled.
    pub(crate) frame: Vec<(f32, f32)>,
    pub(crate) stand: TrainingState,
    pub(crate) kept: Option<OptimizerState>,
    pub(crate) histograms: Vec<Histogram>,
    pub(crate) certificate: Option<Certificate>,
    pub(crate) trace: Option<Trace>,
}

/// Optimizer state: what the next step of training depends on besides [`TrainingState`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OptimizerState {
    /// The weights, in the units of training.
    pub now: Snapshot,
    pub first: AlignedBuffer<f32>,
    pub second: AlignedBuffer<f32>,
    pub steps: u64,
    pub best: Option<Snapshot>,
}

impl OptimizerState {
    #[cfg(feature = "fit")]
    pub fn of(run: &TrainingRun<'_>) -> Self {
        let (first, second, steps) = run.trainer.optimizer_state();
        Self {
            now: Snapshot::of(run.trainer.network()),
            first: AlignedBuffer::from_slice(first),
            second: AlignedBuffer::from_slice(second),
            steps,
            best: run.best.clone(),
        }
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.vec("values", &self.now.values);
        out.vec("state", &self.now.state);
        out.vec("first", &self.first);
        out.vec("second", &self.second);
        if let Some(best) = &self.best {
            out.vec("best_values", &best.values);
            out.vec("best_state", &best.state);
        }
        out.field("steps", &self.steps)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let read = |name: &str| file::read_buffer(name, input);
        let best = match input.array_info("best_values").is_some() {
            true => Some(Snapshot { values: read("best_values")?, state: read("best_state")? }),
            false => None,
        };
        let kept = Self {
            now: Snapshot { values: read("values")?, state: read("state")? },
            first: read("first")?,
            second: read("second")?,
            steps: input.field("steps")?,
            best,
        };
        if kept.best.as_ref().is_some_and(|b| (b.values.len(), b.state.len()) != (kept.now.values.len(), kept.now.state.len())) {
            return Err(Error::Model("the best weights are not as many as the others".into()));
        }
        Ok(kept)
    }
}

impl NetworkModel {
    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Epochs, or steps of L-BFGS.
    pub fn n_iter(&self) -> u64 {
        self.stand.epochs
    }

    /// Rows seen in all epochs.
    pub fn rows_seen(&self) -> u64 {
        self.stand.rows
    }

    /// The mean loss of every epoch.
    pub fn losses(&self) -> &[f64] {
        &self.stand.losses
    }

    /// The validation score after every epoch, with early stopping.
    pub fn scores(&self) -> &[f64] {
        &self.stand.scores
    }

    /// Histograms of the layers, where they were collected.
    pub fn histograms(&self) -> &[Histogram] {
        &self.histograms
    }

    /// The outputs of the last layer, in f64.
    fn outputs(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.n_features())?;
        let cells = NetworkInput::checked(x, None, self.learner)?;
        let out = self.network.predict_with(x.rows(), &|i, row| {
            cells.copy(i, row);
            into_frame(&self.frame, row);
        })?;
        let (rows, cols) = (out.rows(), out.cols());
        Ok(Mat::from_vec(rows, cols, out.into_vec().into_iter().map(f64::from).collect()))
    }

    fn log_probabilities(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let scores = self.outputs(x)?;
        let names = self.classes.as_ref().map_or(0, Vec::len);
        let mut out = Mat::filled(x.rows(), names, f64::NEG_INFINITY);
        for i in 0..x.rows() {
            let z = scores.row(i);
            let logs: Vec<f64> = match (z.len(), self.present.len()) {
                (1, 2) => vec![-log1p_exp(z[0]), -log1p_exp(-z[0])],
                _ => {
                    let total = log_sum_exp(z);
                    z.iter().map(|z| z - total).collect()
                }
            };
            for (&code, log) in self.present.iter().zip(logs) {
                out[(i, code as usize)] = log;
            }
        }
        Ok(out)
    }

    /// Reads a model and checks everything that prediction relies on.
    pub(crate) fn load(learner: &'static str, input: &ModelReader) -> Result<Self> {
        let network = file::read(&input.child("network"))?;
        let classes: Option<Vec<String>> = input.field("classes")?;
        let present: Vec<u32> = input.field("present")?;
        let frame: Vec<(f32, f32)> = input.field("frame")?;
        let bad = |message: String| Err(Error::Model(message));
        let outputs = network.output().len();
        if let Some(names) = &classes {
            let sorted = present.windows(2).all(|w| w[0] < w[1]);
            if present.is_empty() || !sorted || present.iter().any(|&c| c as usize >= names.len()) {
                return bad(format!("codes {present:?} of {} classes", names.len()));
            }
            if outputs != if present.len() == 2 { 1 } else { present.len() } {
                return bad(format!("{outputs} outputs for {} classes", present.len()));
            }
        } else if !present.is_empty() {
            return bad(format!("codes {present:?} without classes"));
        }
        if !(frame.is_empty() || frame.len() == network.input().channels)
            || frame.iter().any(|(shift, scale)| !(shift.is_finite() && scale.is_finite() && *scale > 0.0))
        {
            return bad(format!("{} shifts and scales for {} channels", frame.len(), network.input().channels));
        }
        let histograms: Vec<Histogram> = input.field("histograms")?;
        let layers = network.architecture().layers.len();
        if histograms.iter().any(|h| h.layer >= layers || h.counts.is_empty() || h.counts.len() > 1000) {
            return bad("a histogram of a layer that is not there".into());
        }
        let kept = match input.field::<bool>("kept")? {
            true => Some(OptimizerState::load(&input.child("kept"))?),
            false => None,
        };
        Ok(Self {
            learner,
            network,
            classes,
            present,
            exponential: input.field("exponential")?,
            frame,
            stand: input.field("stand")?,
            kept,
            histograms,
            certificate: None,
            trace: None,
        })
    }
}

ermine_core::display_as_report!(NetworkModel);

impl Model for NetworkModel {
    fn n_features(&self) -> usize {
        self.network.input().len()
    }

    fn as_regressor(&self) -> Option<&dyn Regressor> {
        self.classes.is_none().then_some(self as &dyn Regressor)
    }

    fn as_classifier(&self) -> Option<&dyn Classifier> {
        self.classes.is_some().then_some(self as &dyn Classifier)
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("{} on {}, {} weights", self.network.architecture(), self.network.input(), self.network.n_weights()));
        if let Some(certificate) = &self.certificate {
            certificate.notes.iter().for_each(|note| {
                report.text(note.clone());
            });
        }
        report_training(&self.stand, &mut report);
        histograms::report(&self.network, &self.histograms, &mut report);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.child("network", |out| file::write(&self.network, out))?;
        out.field("classes", &self.classes)?;
        out.field("present", &self.present)?;
        out.field("exponential", &self.exponential)?;
        out.field("frame", &self.frame)?;
        out.field("stand", &self.stand)?;
        out.field("histograms", &self.histograms)?;
        out.field("kept", &self.kept.is_some())?;
        match &self.kept {
            Some(kept) => out.child("kept", |out| kept.save(out)),
            None => Ok(()),
        }
    }
}

/// The loss and the score over the epochs.
pub(crate) fn report_training(stand: &TrainingState, report: &mut Report) {
    let points = |v: &[f64]| v.iter().enumerate().map(|(k, &v)| ((k + 1) as f64, v)).collect::<Vec<_>>();
    for (name, values) in [("loss", &stand.losses), ("score", &stand.scores)] {
        if values.len() > 1 {
            report.sections.push(Section::Plot {
                title: format!("Course of the {name}"),
                x: "epoch".into(),
                y: name.into(),
                curves: vec![Curve { name: name.into(), points: points(values) }],
            });
        }
    }
}

impl Regressor for NetworkModel {
    fn n_targets(&self) -> usize {
        self.network.output().len()
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut out = self.outputs(x)?;
        if self.exponential {
            out.as_mut_slice().iter_mut().for_each(|v| *v = v.exp());
        }
        Ok(out)
    }
}

impl Classifier for NetworkModel {
    fn classes(&self) -> &[String] {
        self.classes.as_deref().unwrap_or(&[])
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut p = self.log_probabilities(x)?;
        for i in 0..p.rows() {
            let row = p.row_mut(i);
            row.iter_mut().for_each(|v| *v = v.exp());
            // Exponentials of logarithms that sum to 1 may miss it by more than a few units in the last place.
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|v| *v /= total);
        }
        Ok(p)
    }

    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.log_probabilities(x)
    }

    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        Ok(argmax_rows(self.log_probabilities(x)?.view()))
    }
}
