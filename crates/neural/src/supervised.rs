//! Common parts of perceptrons and convolutional networks: targets, validation rows, the fit, the model.

use ermine_core::{Certificate, ClassWeight, Context, DatasetRef, Error, Mat, Result, RngStream, Spec, Target};
use ermine_math::loss::{OutputLoss, RowLoss};
use ermine_math::nn::AlignedBuffer;
use serde::{Deserialize, Serialize};

use crate::input::NetworkInput;
#[cfg(feature = "fit")]
use crate::lbfgs::{self, LbfgsOptions};
use crate::model::{NetworkModel, OptimizerState};
#[cfg(feature = "fit")]
use crate::training::TrainingRun;
use crate::training::{TrainingData, TrainingOptions, TrainingState, TrainingStop, TrainingTargets, check_batch};
use crate::{Architecture, Layer, Network, Shape, WeightInit, histograms};

/// Losses of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegressionLoss {
    /// Half the squared error.
    SquaredError,
    /// The absolute error.
    AbsoluteError,
    /// Squared up to 1, absolute beyond.
    Huber,
    /// Counts: the network outputs the logarithm of the mean.
    Poisson,
}

/// Configuration of a fit to a target.
pub(crate) struct Supervised<'a> {
    pub spec: &'static Spec,
    /// All layers but the last, which computes the outputs.
    pub hidden: Architecture,
    pub input: Shape,
    pub init: WeightInit,
    pub plan: TrainingOptions,
    /// L-BFGS on all rows, with this many evaluations at most.
    pub lbfgs: Option<u64>,
    pub early_stopping: bool,
    pub validation_fraction: f64,
    pub class_weight: Option<&'a ClassWeight>,
    pub loss: RegressionLoss,
    /// Whether targets are standardized in training.
    pub scale_target: bool,
    /// Whether inputs are standardized, channel by channel.
    pub scale_input: bool,
}

/// The target, encoded for a network.
struct EncodedTarget {
    answers: TrainingTargets,
    outputs: usize,
    loss: OutputLoss,
    classes: Option<Vec<String>>,
    present: Vec<u32>,
    weight: Option<Vec<f64>>,
    /// Mean and deviation of each target column.
    scale: Vec<(f64, f64)>,
}

impl Supervised<'_> {
    /// Fits, or continues from `start`. With `all_names` every named class takes part, whether it has rows or not. A
    /// model that is `kept` carries the optimizer state.
    #[cfg(feature = "fit")]
    pub fn fit(
        &self,
        data: &DatasetRef<'_>,
        cx: &Context<'_>,
        start: Option<&NetworkModel>,
        all_names: bool,
        kept: bool,
    ) -> Result<NetworkModel> {
        data.check(self.spec)?;
        let cells = NetworkInput::checked(&data.x, data.schema, self.spec.name)?;
        let rows: Vec<u32> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).map(|i| i as u32).collect();
        let goal = self.encode_target(data, &rows, start, all_names)?;
        let frame = match start {
            Some(model) => model.frame.clone(),
            None if self.scale_input => channel_stats(&cells, &rows, self.input),
            None => Vec::new(),
        };
        let network = self.initial_network(&goal, start, cx)?;
        let (train, held) = self.hold_out(rows, &goal, cx)?;
        check_batch(&network, train.len(), self.plan.batch)?;
        let fill = |i: usize, row: &mut [f32]| {
            cells.copy(i, row);
            into_frame(&frame, row);
        };
        let ahead = |i: usize| cells.prefetch(i);
        let task = TrainingData {
            fill: &fill,
            prefetch: &ahead,
            targets: goal.answers.clone(),
            weight: goal.weight.clone(),
            train,
            loss: goal.loss,
        };
        let validation = cx.validation.filter(|_| self.early_stopping);
        let judge = |network: &Network| match validation {
            Some(other) => self.validation_score(network, other, &goal, &frame),
            None => Ok(score(network, &fill, &held, &goal.answers, goal.weight.as_deref())),
        };
        let judged = self.early_stopping && self.lbfgs.is_none();
        let mut run = TrainingRun::new(&self.plan, network, judged)?;
        if let Some(OptimizerState { first, second, steps, best, .. }) = start.and_then(|m| m.kept.as_ref()) {
            run.trainer.set_optimizer_state(first, second, *steps)?;
            run.best = best.clone();
            run.state = start.map(|m| m.stand.clone()).unwrap_or_default();
        }
        let finish = |run: &TrainingRun<'_>, end, kept| self.trained_model(run, end, &goal, &frame, kept);
        let end = match self.lbfgs {
            Some(evaluations) => {
                let search = LbfgsOptions {
                    alpha: self.plan.alpha,
                    steps: self.plan.epochs,
                    evaluations,
                    tol: self.plan.tol.unwrap_or(0.0),
                    seed: self.plan.seed,
                };
                let (best, end) = lbfgs::minimize(&search, run.trainer.network(), &task, &mut run.state, &mut run.trace, cx)?;
                run.trainer.set_network(&best)?;
                end
            }
            None => {
                let mut checkpoints = cx.checkpoints();
                let mut keep = |run: &TrainingRun<'_>| checkpoints.save_if_due(|| finish(run, None, true));
                run.run_epochs(&task, judged.then_some(&judge), &mut keep, cx)?
            }
        };
        let mut model = finish(&run, Some(end), kept)?;
        model.histograms = histograms::collect_histograms(&mut run, &task)?;
        Ok(model)
    }

    /// The model at the current state of a training.
    #[cfg(feature = "fit")]
    fn trained_model(
        &self,
        run: &TrainingRun<'_>,
        end: Option<TrainingStop>,
        goal: &EncodedTarget,
        frame: &[(f32, f32)],
        kept: bool,
    ) -> Result<NetworkModel> {
        let mut network = run.trainer.network().clone();
        rescale(&mut network, &goal.scale, false)?;
        network.transposed = AlignedBuffer::default();
        Ok(NetworkModel {
            learner: self.spec.name,
            network,
            classes: goal.classes.clone(),
            present: goal.present.clone(),
            exponential: goal.loss == OutputLoss::Poisson,
            frame: frame.to_vec(),
            stand: run.state.clone(),
            kept: kept.then(|| OptimizerState::of(run)),
            histograms: Vec::new(),
            certificate: Some(self.certificate(&run.state, end)),
            trace: Some(run.trace.clone()),
        })
    }

    /// The network before the first step, or that of `start`.
    fn initial_network(&self, goal: &EncodedTarget, start: Option<&NetworkModel>, cx: &Context<'_>) -> Result<Network> {
        let architecture = self.hidden.clone().then(Layer::dense(goal.outputs));
        let mut network = Network::new(&architecture, self.input, self.init, cx.seed)?;
        let Some(model) = start else { return Ok(network) };
        if !model.network.same_architecture(&network) {
            return Err(Error::Data(format!(
                "the model has the layers \"{}\" on {}, and {} asks for \"{architecture}\" on {}",
                model.network.architecture(),
                model.network.input(),
                self.spec.name,
                self.input
            )));
        }
        match &model.kept {
            Some(kept) if kept.now.values.len() == network.values.len() && kept.now.state.len() == network.state.len() => {
                kept.now.restore(&mut network);
            }
            Some(_) => return Err(Error::Model("the stored optimizer state does not fit its layers".into())),
            None => {
                network.copy_weights(&model.network)?;
                rescale(&mut network, &goal.scale, true)?;
            }
        }
        Ok(network)
    }

    /// The encoded target, and the weights of rows with the factors of their classes.
    fn encode_target(
        &self,
        data: &DatasetRef<'_>,
        rows: &[u32],
        start: Option<&NetworkModel>,
        all_names: bool,
    ) -> Result<EncodedTarget> {
        match data.y {
            Target::Class { codes, names } => self.encode_classes(data, rows, start, all_names, (codes, names)),
            _ => self.encode_numbers(data, rows, start),
        }
    }

    fn encode_classes(
        &self,
        data: &DatasetRef<'_>,
        rows: &[u32],
        start: Option<&NetworkModel>,
        all_names: bool,
        (codes, names): (&[u32], &[String]),
    ) -> Result<EncodedTarget> {
        let mut mass = vec![0.0; names.len()];
        rows.iter().for_each(|&i| mass[codes[i as usize] as usize] += data.weight_of(i as usize));
        let present: Vec<u32> = match start {
            Some(model) if model.classes.as_deref() != Some(names) => {
                return Err(Error::Target("it has other classes than the model to continue from".into()));
            }
            Some(model) => model.present.clone(),
            None => (0..names.len() as u32).filter(|&k| all_names || mass[k as usize] > 0.0).collect(),
        };
        let place = |code: u32| present.binary_search(&code);
        if let Some(&row) = rows.iter().find(|&&i| place(codes[i as usize]).is_err()) {
            let message = format!("class \"{}\" is none of those of the model", names[codes[row as usize] as usize]);
            return Err(Error::Row { place: "target".into(), row: row as usize, message });
        }
        let weight = match self.class_weight {
            None => data.weight.map(<[f64]>::to_vec),
            Some(w) => {
                let factors = w.factors(&mass, names)?;
                let of = |i: usize| factors[codes[i] as usize] * data.weight_of(i);
                Some((0..data.rows()).map(of).collect())
            }
        };
        // Rows of weight 0 may be of a class that takes no part.
        let places: Vec<u32> = codes.iter().map(|&c| place(c).unwrap_or(0) as u32).collect();
        let two = present.len() == 2;
        Ok(EncodedTarget {
            answers: match two {
                true => TrainingTargets::Numbers(places.iter().map(|&p| p as f32).collect()),
                false => TrainingTargets::Codes(places),
            },
            outputs: if two { 1 } else { present.len() },
            loss: if two { OutputLoss::Logistic } else { OutputLoss::Softmax },
            classes: Some(names.to_vec()),
            present,
            weight,
            scale: Vec::new(),
        })
    }

    fn encode_numbers(&self, data: &DatasetRef<'_>, rows: &[u32], start: Option<&NetworkModel>) -> Result<EncodedTarget> {
        if start.is_some_and(|m| m.classes.is_some()) {
            return Err(Error::Target("it has numbers, and the model to continue from has classes".into()));
        }
        let y = data.y.reals()?;
        let loss = match self.loss {
            RegressionLoss::SquaredError => OutputLoss::Elementwise(RowLoss::Squared),
            RegressionLoss::AbsoluteError => OutputLoss::Elementwise(RowLoss::Absolute),
            RegressionLoss::Huber => OutputLoss::Elementwise(RowLoss::Huber { delta: 1.0 }),
            RegressionLoss::Poisson => OutputLoss::Poisson,
        };
        if loss == OutputLoss::Poisson
            && let Some(row) = (0..y.rows()).find(|&i| (0..y.cols()).any(|j| *y.at(i, j) < 0.0))
        {
            let value = (0..y.cols()).map(|j| *y.at(row, j)).find(|v| *v < 0.0).unwrap_or(0.0);
            let needed = "the poisson loss needs numbers from 0 up".into();
            return Err(Error::OutOfRange { what: "target".into(), row, value, needed });
        }
        let scale = match self.scale_target && loss != OutputLoss::Poisson {
            true => {
                (0..y.cols()).map(|j| moments(rows.iter().map(|&i| (*y.at(i as usize, j), data.weight_of(i as usize))))).collect()
            }
            false => vec![(0.0, 1.0); y.cols()],
        };
        let mut numbers = Vec::with_capacity(y.rows() * y.cols());
        for i in 0..y.rows() {
            for (j, (mean, deviation)) in scale.iter().enumerate() {
                let value = (*y.at(i, j) - mean) / deviation;
                if !(value as f32).is_finite() {
                    let needed = "networks compute in f32, whose largest number is 3.4e38; scale the target".into();
                    return Err(Error::OutOfRange { what: "target".into(), row: i, value: *y.at(i, j), needed });
                }
                numbers.push(value as f32);
            }
        }
        Ok(EncodedTarget {
            answers: TrainingTargets::Numbers(numbers),
            outputs: y.cols(),
            loss,
            classes: None,
            present: Vec::new(),
            weight: data.weight.map(<[f64]>::to_vec),
            scale,
        })
    }

    /// Training rows and validation rows, stratified by class.
    fn hold_out(&self, rows: Vec<u32>, goal: &EncodedTarget, cx: &Context<'_>) -> Result<(Vec<u32>, Vec<u32>)> {
        if !self.early_stopping || self.lbfgs.is_some() || cx.validation.is_some() {
            return Ok((rows, Vec::new()));
        }
        let class = |i: u32| match (&goal.answers, &goal.classes) {
            (TrainingTargets::Codes(codes), _) => codes[i as usize],
            (TrainingTargets::Numbers(y), Some(_)) => y[i as usize] as u32,
            _ => 0,
        };
        let groups = if goal.classes.is_some() { goal.present.len().max(1) } else { 1 };
        let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); groups];
        rows.iter().for_each(|&i| by_class[class(i) as usize].push(i));
        let mut validation = Vec::new();
        for (k, group) in by_class.iter_mut().enumerate() {
            RngStream::new(cx.seed, "rows set aside", k as u64).shuffle(group);
            let count = (group.len() as f64 * self.validation_fraction).round() as usize;
            validation.extend(&group[..count.min(group.len().saturating_sub(1))]);
        }
        validation.sort_unstable();
        let train: Vec<u32> = rows.iter().copied().filter(|i| validation.binary_search(i).is_err()).collect();
        if validation.is_empty() || train.is_empty() {
            return Err(Error::Data(format!(
                "early stopping sets the share {} of {} rows aside, which leaves {} to train on and {} to validate on; it needs 1 of each",
                self.validation_fraction,
                rows.len(),
                train.len(),
                validation.len()
            )));
        }
        Ok((train, validation))
    }

    /// The score on the validation set of the context.
    fn validation_score(
        &self,
        network: &Network,
        other: &DatasetRef<'_>,
        goal: &EncodedTarget,
        frame: &[(f32, f32)],
    ) -> Result<f64> {
        other.x.expect_cols(self.input.len())?;
        let cells = NetworkInput::of(&other.x, self.spec.name)?;
        let fill = |i: usize, row: &mut [f32]| {
            cells.copy(i, row);
            into_frame(frame, row);
        };
        let rows: Vec<u32> = (0..other.rows() as u32).collect();
        let answers = match (&goal.classes, other.y) {
            (Some(names), Target::Class { codes, names: theirs }) if names == theirs => {
                let place = |c: &u32| goal.present.binary_search(c).map_or(u32::MAX, |p| p as u32);
                match goal.outputs {
                    1 if goal.present.len() == 2 => TrainingTargets::Numbers(codes.iter().map(|c| place(c) as f32).collect()),
                    _ => TrainingTargets::Codes(codes.iter().map(place).collect()),
                }
            }
            (Some(_), _) => return Err(Error::Target("the validation set has other classes than the rows to learn from".into())),
            (None, y) => {
                let y = y.reals()?;
                let cell = |i: usize, j: usize| ((*y.at(i, j) - goal.scale[j].0) / goal.scale[j].1) as f32;
                TrainingTargets::Numbers((0..y.rows()).flat_map(|i| (0..y.cols()).map(move |j| cell(i, j))).collect())
            }
        };
        Ok(score(network, &fill, &rows, &answers, other.weight))
    }

    fn certificate(&self, stand: &TrainingState, end: Option<TrainingStop>) -> Certificate {
        let mut notes = Vec::new();
        match end {
            Some(TrainingStop::Diverged { epoch, rate }) => notes.push(format!(
                "training diverged in epoch {epoch} (rate {rate:e}); the weights are those before it. Lower learning_rate_init, set \
                 clip, or standardize the columns"
            )),
            Some(TrainingStop::Deadline) => notes.push(format!("ended at the time limit in epoch {}", stand.epochs + 1)),
            Some(TrainingStop::Epochs) if self.plan.tol.is_some() => {
                notes.push(format!("still improving after {} epochs; raise max_iter", stand.epochs));
            }
            None => notes.push(format!("under way after {} epochs", stand.epochs)),
            _ => {}
        }
        let settled = match end {
            Some(TrainingStop::Converged) => true,
            Some(TrainingStop::Epochs) => self.plan.tol.is_none(),
            _ => false,
        };
        Certificate {
            method: self.lbfgs.map_or_else(|| self.plan.optimizer.method.name().to_owned(), |_| "lbfgs".to_owned()),
            objective: stand.losses.last().copied(),
            iterations: stand.epochs,
            converged: settled,
            notes,
            ..Certificate::default()
        }
    }
}

/// Mean and deviation of weighted numbers; a deviation of 0 counts as 1.
fn moments(values: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let (mut mean, mut squares, mut mass) = (0.0, 0.0, 0.0);
    for (v, w) in values.filter(|v| v.1 > 0.0) {
        mass += w;
        let d = v - mean;
        mean += d * w / mass;
        squares += w * d * (v - mean);
    }
    let deviation = (squares / mass).sqrt();
    (mean, if deviation > 0.0 && deviation.is_finite() { deviation } else { 1.0 })
}

/// Mean and deviation of the numbers of each channel.
fn channel_stats(cells: &NetworkInput<'_>, rows: &[u32], shape: Shape) -> Vec<(f32, f32)> {
    let mut row = vec![0.0f32; shape.len()];
    let mut sums = vec![(0.0f64, 0.0f64); shape.channels];
    // Deviations from the first row, so that little is lost where means are large.
    let mut first = vec![0.0f32; shape.channels];
    for (n, &i) in rows.iter().enumerate() {
        cells.copy(i as usize, &mut row);
        if n == 0 {
            first.copy_from_slice(&row[..shape.channels]);
        }
        for point in row.chunks_exact(shape.channels) {
            for (j, s) in sums.iter_mut().enumerate() {
                let d = f64::from(point[j] - first[j]);
                *s = (s.0 + d, s.1 + d * d);
            }
        }
    }
    let n = (rows.len() * shape.points()) as f64;
    let one = |(s, f): (&(f64, f64), &f32)| {
        let (mean, variance) = (s.0 / n, s.1 / n - (s.0 / n).powi(2));
        let deviation = variance.max(0.0).sqrt();
        ((f64::from(*f) + mean) as f32, if deviation > 0.0 { deviation as f32 } else { 1.0 })
    };
    sums.iter().zip(&first).map(one).collect()
}

/// Standardizes the channels of a row.
pub(crate) fn into_frame(frame: &[(f32, f32)], row: &mut [f32]) {
    match frame {
        [] => {}
        [(shift, scale)] => row.iter_mut().for_each(|v| *v = (*v - shift) / scale),
        many => row.chunks_exact_mut(many.len()).for_each(|point| {
            point.iter_mut().zip(many).for_each(|(v, (shift, scale))| *v = (*v - shift) / scale);
        }),
    }
}

/// Changes the last layer to predict targets in their own units, or (`back`) in those of training.
fn rescale(network: &mut Network, scale: &[(f64, f64)], back: bool) -> Result<()> {
    if scale.iter().all(|s| *s == (0.0, 1.0)) {
        return Ok(());
    }
    let last = network.architecture().layers.len() - 1;
    for mut w in network.weights().into_iter().filter(|w| w.layer == last) {
        let cols = w.shape.1;
        for (k, v) in w.values.iter_mut().enumerate() {
            let (mean, deviation) = scale[k % cols];
            let shift = if w.name == "bias" { mean } else { 0.0 };
            let value = f64::from(*v);
            *v = if back { (value - shift) / deviation } else { value * deviation + shift } as f32;
        }
        network.set_weights(last, &w.name, &w.values)?;
    }
    Ok(())
}

/// Accuracy, or R².
fn score(
    network: &Network,
    fill: &(dyn Fn(usize, &mut [f32]) + Sync),
    rows: &[u32],
    answers: &TrainingTargets,
    weight: Option<&[f64]>,
) -> f64 {
    let Ok(out) = network.predict_with(rows.len(), &|i, row| fill(rows[i] as usize, row)) else { return f64::NEG_INFINITY };
    let mass = |i: usize| weight.map_or(1.0, |w| w[rows[i] as usize]);
    let total: f64 = (0..rows.len()).map(mass).sum();
    let right = |said: &dyn Fn(&[f32], usize) -> bool| -> f64 {
        (0..rows.len()).filter(|&i| said(out.row(i), rows[i] as usize)).map(mass).sum::<f64>() / total
    };
    match answers {
        TrainingTargets::Codes(codes) => right(&|z, i| {
            let best = (1..z.len()).fold(0, |b, k| if z[k] > z[b] { k } else { b });
            best as u32 == codes[i]
        }),
        TrainingTargets::Numbers(y) if out.cols() == 1 && y.iter().all(|v| *v == 0.0 || *v == 1.0) => {
            right(&|z, i| (z[0] > 0.0) == (y[i] > 0.5))
        }
        TrainingTargets::Numbers(y) => r2_score(&out, rows, y, &mass),
        TrainingTargets::Reconstruct => f64::NEG_INFINITY,
    }
}

fn r2_score(out: &Mat<f32>, rows: &[u32], y: &[f32], mass: &dyn Fn(usize) -> f64) -> f64 {
    let cols = out.cols();
    let cell = |i: usize, j: usize| f64::from(y[rows[i] as usize * cols + j]);
    let one = |j: usize| {
        let total: f64 = (0..rows.len()).map(mass).sum();
        let mean = (0..rows.len()).map(|i| mass(i) * cell(i, j)).sum::<f64>() / total;
        let rest: f64 = (0..rows.len()).map(|i| mass(i) * (cell(i, j) - f64::from(out[(i, j)])).powi(2)).sum();
        let all: f64 = (0..rows.len()).map(|i| mass(i) * (cell(i, j) - mean).powi(2)).sum();
        if all > 0.0 { 1.0 - rest / all } else { f64::from(u8::from(rest == 0.0)) }
    };
    (0..cols).map(one).sum::<f64>() / cols as f64
}
