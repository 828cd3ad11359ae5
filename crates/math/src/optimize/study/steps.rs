//! First-order methods.

use ermine_core::RngStream;

use super::run::RunRecorder;
use super::{StepSchedule, StudyObjective};
use crate::optimize::dot;

pub(super) fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += factor * w);
}

pub(super) fn heavy_ball(log: &mut RunRecorder<'_>, x: &mut [f64], g: &mut [f64], step: f64, momentum: f64) {
    let mut v = vec![0.0; x.len()];
    loop {
        v.iter_mut().zip(&*g).for_each(|(v, g)| *v = momentum * *v - step * g);
        add(x, 1.0, &v);
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

pub(super) fn scheduled(log: &mut RunRecorder<'_>, x: &mut [f64], g: &mut [f64], schedule: StepSchedule) {
    for t in 0.. {
        let step = schedule.step(t);
        add(x, -step, g);
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

/// Sufficient decrease: share of the decrease predicted by the slope.
const ARMIJO: f64 = 1e-4;

/// Differences of function values below this share of the value are rounding; slopes decide then.
const ROUNDING: f64 = 1e-12;

/// Halves a step along `direction` until the decrease is sufficient; none when no step gives it.
pub(super) fn halve(
    f: &dyn StudyObjective,
    x: &[f64],
    value: f64,
    slope: f64,
    direction: &[f64],
    first: f64,
) -> Option<(f64, Vec<f64>)> {
    let mut step = first;
    let mut g = vec![0.0; x.len()];
    for _ in 0..100 {
        let mut trial = x.to_vec();
        add(&mut trial, step, direction);
        let trial_value = f.value(&trial);
        let near = (trial_value - value).abs() <= ROUNDING * value.abs();
        if near {
            // Near the minimum differences of values are rounding errors; the slope must not have changed sign instead.
            f.gradient(&trial, &mut g);
        }
        let lower = trial_value <= value + ARMIJO * step * slope;
        if (lower && !near) || (near && dot(&g, direction) <= (2.0 * ARMIJO - 1.0) * slope) {
            return Some((step, trial));
        }
        step *= 0.5;
    }
    None
}

pub(super) fn backtracking(log: &mut RunRecorder<'_>, x: &mut [f64], g: &mut [f64], first: f64) {
    let mut step = first;
    loop {
        let direction: Vec<f64> = g.iter().map(|g| -g).collect();
        let Some((taken, next)) = halve(log.objective, x, log.objective.value(x), -dot(g, g), &direction, step) else { return };
        x.copy_from_slice(&next);
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), taken, g) {
            return;
        }
        step = 2.0 * taken;
    }
}

/// Nesterov's gradient and, with the proximal step, FISTA, whose gradient norm is that of the change over the step.
pub(super) fn accelerated(
    log: &mut RunRecorder<'_>,
    x: &mut [f64],
    g: &mut [f64],
    step: f64,
    momentum: Option<f64>,
    proximal: bool,
) {
    let mut ahead = x.to_vec();
    let mut t = 1.0f64;
    loop {
        log.objective.gradient(&ahead, g);
        let mut next = ahead.clone();
        add(&mut next, -step, g);
        if proximal {
            log.objective.prox(0, &mut next, step);
        }
        let t_next = 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt());
        let factor = momentum.unwrap_or((t - 1.0) / t_next);
        t = t_next;
        if proximal {
            g.iter_mut().zip(ahead.iter().zip(&next)).for_each(|(g, (a, n))| *g = (a - n) / step);
        }
        for (a, (n, old)) in ahead.iter_mut().zip(next.iter().zip(&*x)) {
            *a = n + factor * (n - old);
        }
        x.copy_from_slice(&next);
        if !proximal {
            log.objective.gradient(x, g);
        }
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

pub(super) fn adam(log: &mut RunRecorder<'_>, x: &mut [f64], g: &mut [f64], [step, beta1, beta2, epsilon]: [f64; 4]) {
    let (mut mean, mut square) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for t in 1.. {
        // Bias correction of the means, which start at zero.
        let (first, second) = (1.0 - beta1.powi(t), 1.0 - beta2.powi(t));
        for j in 0..x.len() {
            mean[j] = beta1 * mean[j] + (1.0 - beta1) * g[j];
            square[j] = beta2 * square[j] + (1.0 - beta2) * g[j] * g[j];
            x[j] -= step * (mean[j] / first) / ((square[j] / second).sqrt() + epsilon);
        }
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

pub(super) fn mini_batch(
    log: &mut RunRecorder<'_>,
    x: &mut [f64],
    g: &mut [f64],
    batch: usize,
    schedule: StepSchedule,
    seed: u64,
) {
    let mut stream = RngStream::new(seed, "mini-batch", 0);
    let mut t = 0;
    loop {
        let order = stream.permutation(log.objective.terms());
        let mut step = 0.0;
        for terms in order.chunks(batch.max(1)) {
            step = schedule.step(t);
            log.objective.batch_gradient(x, terms, g);
            add(x, -step, g);
            t += 1;
        }
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

pub(super) fn subgradient(log: &mut RunRecorder<'_>, x: &mut [f64], g: &mut [f64], schedule: StepSchedule) {
    let (mut best, mut least) = (x.to_vec(), log.objective.value(x));
    log.objective.subgradient(x, g);
    for t in 0.. {
        let step = schedule.step(t);
        add(x, -step, g);
        log.objective.subgradient(x, g);
        let value = log.objective.value(x);
        if value < least {
            least = value;
            best.copy_from_slice(x);
        }
        if log.take(value, step, g) {
            break;
        }
    }
    x.copy_from_slice(&best);
}
