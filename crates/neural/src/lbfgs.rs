//! L-BFGS on all rows, in f64: a quasi-Newton method for small data.

use ermine_core::{Context, Progress, Result, Trace};
use ermine_math::loss::{Targets, output_block};
use ermine_math::optimize::{LbfgsDescent, StepStatus};

use crate::training::{TrainingData, TrainingState, TrainingStop, TrainingTargets};
use crate::{Network, Optimizer, Trainer};

/// Curvature pairs stored.
const MEMORY: usize = 10;

/// Rows per forward pass.
const ROWS: usize = 256;

/// Stopping rules.
pub(crate) struct LbfgsOptions {
    pub alpha: f64,
    pub steps: u64,
    /// Most evaluations of the loss.
    pub evaluations: u64,
    /// The largest component of the gradient at which it stops.
    pub tol: f64,
    pub seed: u64,
}

/// Minimizes 1/Σw (Σ wᵢ lossᵢ + alpha/2 Σ w²) from the current weights; returns the network at the minimum.
pub(crate) fn minimize(
    search: &LbfgsOptions,
    network: &Network,
    task: &TrainingData<'_>,
    stand: &mut TrainingState,
    trace: &mut Trace,
    cx: &Context<'_>,
) -> Result<(Network, TrainingStop)> {
    let mut trainer = Trainer::new(network.cast::<f64>(), Optimizer::sgd(0.0), ROWS.min(task.train.len()))?.seeded(search.seed);
    let mass = task.weight.as_ref().map_or(task.train.len() as f64, |w| task.train.iter().map(|&i| w[i as usize]).sum::<f64>());
    let penalized = trainer.network().decayed_ranges();
    let mut objective = |point: &[f64]| -> Result<(f64, Vec<f64>)> {
        let mut moved = trainer.network().clone();
        moved.values.copy_from_slice(point);
        trainer.set_network(&moved)?;
        let mut gradient = vec![0.0; point.len()];
        let mut total = 0.0;
        for rows in task.train.chunks(ROWS) {
            total += batch(&mut trainer, task, rows, mass)?;
            gradient.iter_mut().zip(trainer.flat_gradient()).for_each(|(g, p)| *g += p);
        }
        let mut squares = 0.0;
        for range in &penalized {
            for k in range.clone() {
                squares += point[k] * point[k];
                gradient[k] += search.alpha * point[k] / mass;
            }
        }
        Ok(((total + 0.5 * search.alpha * squares) / mass, gradient))
    };
    let mut descent = LbfgsDescent::new(network.cast::<f64>().values.to_vec(), MEMORY);
    let mut end = TrainingStop::Epochs;
    for evaluations in 0..search.evaluations {
        cx.report(Progress {
            stage: "lbfgs",
            done: descent.steps(),
            total: Some(search.steps),
            objective: (evaluations > 0).then(|| descent.value()),
        })?;
        if cx.deadline_passed() {
            end = TrainingStop::Deadline;
            break;
        }
        let (value, gradient) = objective(descent.point())?;
        if evaluations == 0 && !value.is_finite() {
            end = TrainingStop::Diverged { epoch: 1, rate: 0.0 };
            break;
        }
        match descent.report_value(value, &gradient) {
            StepStatus::LineSearch => continue,
            StepStatus::NoProgress => {
                end = TrainingStop::Converged;
                break;
            }
            StepStatus::Accepted => {}
        }
        if descent.steps() > stand.epochs {
            stand.epochs = descent.steps();
            stand.losses.push(value);
            trace.push(&[stand.epochs as f64, value, descent.step_length()]);
        }
        if gradient.iter().fold(0.0f64, |m, g| m.max(g.abs())) <= search.tol {
            end = TrainingStop::Converged;
            break;
        }
        if descent.steps() >= search.steps {
            break;
        }
        // The curvature is unknown before the first step: a step of length one at most.
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt().max(1.0);
        let first = descent.steps() == 0;
        descent.propose(true, |g| {
            if first {
                g.iter_mut().for_each(|g| *g /= norm);
            }
        });
    }
    let mut best = network.cast::<f64>();
    best.values.copy_from_slice(descent.best());
    Ok((best.cast(), end))
}

/// The weighted loss of some rows; the gradient, over the weight of all rows, is left in the trainer.
fn batch(trainer: &mut Trainer<f64>, task: &TrainingData<'_>, rows: &[u32], mass: f64) -> Result<f64> {
    let (inputs, outputs) = (trainer.network().input().len(), trainer.network().output().len());
    let fill = |i: usize, row: &mut [f64]| {
        let mut single = vec![0.0; inputs];
        (task.fill)(rows[i] as usize, &mut single);
        row.iter_mut().zip(single).for_each(|(r, s)| *r = f64::from(s));
    };
    let codes: Vec<u32> = match &task.targets {
        TrainingTargets::Codes(codes) => rows.iter().map(|&i| codes[i as usize]).collect(),
        _ => Vec::new(),
    };
    let mut numbers = vec![0.0; if codes.is_empty() { rows.len() * outputs } else { 0 }];
    for (i, row) in numbers.chunks_exact_mut(outputs).enumerate() {
        match &task.targets {
            TrainingTargets::Numbers(y) => {
                let from = &y[rows[i] as usize * outputs..][..outputs];
                row.iter_mut().zip(from).for_each(|(r, y)| *r = f64::from(*y));
            }
            _ => fill(i, row),
        }
    }
    let weights: Option<Vec<f64>> = task.weight.as_ref().map(|w| rows.iter().map(|&i| w[i as usize]).collect());
    let loss = |range: std::ops::Range<usize>, _: (&[f64], usize), (z, stride): (&[f64], usize), d: &mut [f64]| {
        let targets = match codes.is_empty() {
            false => Targets::Codes(&codes[range.clone()]),
            true => Targets::Numbers(&numbers[range.start * outputs..range.end * outputs]),
        };
        let weight = weights.as_ref().map(|w| &w[range.clone()]);
        output_block(task.loss, z, stride, outputs, targets, weight, 1.0 / mass, d)
    };
    trainer.train_batch(rows.len(), &fill, &loss, false)
}
