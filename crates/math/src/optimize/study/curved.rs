//! Second-order methods, and coordinate descent.

use ermine_core::Mat;

use super::run::RunRecorder;
use super::steps::halve;
use crate::linalg::{Cholesky, PivotedQr};
use crate::optimize::{LbfgsDescent, StepStatus, dot};

pub(super) fn newton(log: &mut RunRecorder<'_>, x: &mut [f64], g: &mut [f64]) {
    loop {
        let Some(hessian) = log.objective.hessian(x) else { return };
        let Ok(factor) = Cholesky::new(hessian.view()) else { return };
        let mut direction: Vec<f64> = g.iter().map(|g| -g).collect();
        factor.solve_vec(&mut direction);
        let slope = dot(g, &direction);
        let Some((step, next)) = halve(log.objective, x, log.objective.value(x), slope, &direction, 1.0) else { return };
        x.copy_from_slice(&next);
        log.objective.gradient(x, g);
        if log.take(log.objective.value(x), step, g) {
            return;
        }
    }
}

pub(super) fn lbfgs(log: &mut RunRecorder<'_>, x: &mut [f64], memory: usize) {
    let mut descent = LbfgsDescent::new(x.to_vec(), memory);
    let mut g = vec![0.0; x.len()];
    let mut begun = false;
    loop {
        log.objective.gradient(descent.point(), &mut g);
        match descent.report_value(log.objective.value(descent.point()), &g) {
            StepStatus::Accepted => {
                let moved: f64 = descent.best().iter().zip(&*x).map(|(a, b)| (a - b) * (a - b)).sum();
                x.copy_from_slice(descent.best());
                if begun && log.take(descent.value(), moved.sqrt(), descent.gradient()) {
                    return;
                }
                begun = true;
                descent.propose(true, |_| {});
            }
            StepStatus::LineSearch => {}
            StepStatus::NoProgress => return,
        }
    }
}

pub(super) fn coordinates(log: &mut RunRecorder<'_>, x: &mut [f64], g: &mut [f64]) {
    loop {
        for j in 0..x.len() {
            let Some((slope, curvature)) = log.objective.coordinate(x, j) else { return };
            if curvature <= 0.0 {
                g[j] = 0.0;
                continue;
            }
            let old = x[j];
            let mut one = [old - slope / curvature];
            log.objective.prox(j, &mut one, 1.0 / curvature);
            x[j] = one[0];
            // The distance of the coordinate from its own optimum, in units of the gradient.
            g[j] = (old - x[j]) * curvature;
        }
        if log.take(log.objective.value(x), 1.0, g) {
            return;
        }
    }
}

/// Most rejected steps in a row.
const REFUSALS: u32 = 60;
/// Relative length along a step at which its curvature is evaluated.
const AHEAD: f64 = 0.1;
/// Most curvature correction, relative to half the step, of an accepted step.
const BENT: f64 = 0.75;

pub(super) fn levenberg_marquardt(log: &mut RunRecorder<'_>, x: &mut [f64], mut damping: f64) {
    let n = x.len();
    let Some((mut r, mut j)) = log.objective.residuals(x) else { return };
    let mut refused = 0;
    while refused <= REFUSALS && damping.is_finite() {
        // The units of the coordinates: a step of one has the same effect along each.
        let norm = |k: usize| j.view().col_iter(k).map(|v| v * v).sum::<f64>().sqrt();
        let unit: Vec<f64> = (0..n).map(norm).map(|v| if v > 0.0 { v } else { 1.0 }).collect();
        // min |J s + r|² + damping |D s|², as least squares: the normal equations would square the condition away.
        let (m, root) = (r.len(), damping.sqrt());
        let stacked = Mat::from_fn(m + n, n, |i, k| match i < m {
            true => j[(i, k)] / unit[k],
            false => f64::from(u8::from(i - m == k)) * root,
        });
        let Ok(qr) = PivotedQr::new(stacked.view()) else { return };
        // In the units of the coordinates.
        let solve = |right: &[f64]| -> Vec<f64> {
            let right = Mat::from_fn(m + n, 1, |i, _| if i < m { -right[i] } else { 0.0 });
            qr.solve(right.view(), qr.rank(f64::EPSILON)).as_slice().to_vec()
        };
        let step = solve(&r);
        let at = |f: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..n).map(|k| x[k] + f(k) / unit[k]).collect() };
        let change: Vec<f64> = (0..m).map(|i| (0..n).map(|k| j[(i, k)] * step[k] / unit[k]).sum()).collect();
        // The second-order correction of the step (geodesic acceleration).
        let bend = log
            .objective
            .residuals(&at(&|k| AHEAD * step[k]))
            .map(|(ahead, _)| -> Vec<f64> { (0..m).map(|i| 2.0 / AHEAD * ((ahead[i] - r[i]) / AHEAD - change[i])).collect() });
        let correction = bend.filter(|b| b.iter().all(|v| v.is_finite())).map(|b| solve(&b));
        let believed = |a: &Vec<f64>| 2.0 * dot(a, a).sqrt() <= BENT * dot(&step, &step).sqrt();
        let trial = correction.filter(believed).map(|a| at(&|k| step[k] + 0.5 * a[k]));
        let next = trial.and_then(|trial| {
            let (r, j) = log.objective.residuals(&trial)?;
            let sound = r.iter().chain(j.as_slice()).all(|v| v.is_finite());
            sound.then_some((trial, r, j))
        });
        let came = next.as_ref().map_or(0.0, |(_, t, _)| r.iter().zip(t).map(|(a, b)| (a - b) * (a + b)).sum());
        let Some((trial, residuals, derivatives)) = next.filter(|_| came > 0.0) else {
            refused += 1;
            damping = (damping * f64::from(1u32 << refused.min(10))).max(f64::MIN_POSITIVE);
            continue;
        };
        // Nielsen's rule: damping is lowered according to the ratio of actual and predicted decrease.
        let promised: f64 = change.iter().zip(&r).map(|(c, r)| -c * (2.0 * r + c)).sum();
        damping *= (1.0 - (2.0 * came / promised - 1.0).powi(3)).clamp(1.0 / 3.0, 2.0);
        refused = 0;
        let length = x.iter().zip(&trial).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        x.copy_from_slice(&trial);
        (r, j) = (residuals, derivatives);
        let g: Vec<f64> = (0..n).map(|k| j.view().col_iter(k).zip(&r).map(|(j, r)| j * r).sum()).collect();
        if log.take(log.objective.value(x), length, &g) || length == 0.0 {
            return;
        }
    }
}
