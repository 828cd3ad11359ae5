//! Pegasos: stochastic subgradient steps on the primal in feature space (Shalev-Shwartz, Singer, Srebro and Cotter:
//! Pegasos, Mathematical Programming 127, 2011, section 4): min λ/2 (‖w‖² + b²) + mean hinge with λ = 1/(C n), step
//! 1/(λt).
//!
//! The constant is one more feature, so the kernel is k + 1. Each epoch visits every row once, in random order; the
//! implied dual variables, C times the share of epochs in which a row had a loss, are within their bounds: primal and
//! dual bound the optimum from both sides.

use ermine_core::{Context, Progress, Result, RngStream};
use ermine_math::kernel::Points;

use super::cache::KernelCache;
use super::solve::{DualVariable, SmoOptions, SvmSolution, coefficients, gradient_f64};

/// Rows whose kernel values are computed together.
const BATCH: usize = 64;
/// Default number of epochs.
const ROUNDS: u64 = 50;

/// One variable per point, with sign and bound.
pub(super) fn solve(
    points: &Points<'_, f64>,
    variables: &[DualVariable],
    plan: &SmoOptions,
    number: usize,
    cx: &Context<'_>,
) -> Result<SvmSolution> {
    let n = points.len();
    let rounds = plan.max_iter.map_or(ROUNDS, |steps| steps.div_ceil(n.max(1) as u64));
    let mut cache = KernelCache::<f64>::new(n, plan.cache_bytes);
    let batch = BATCH.min(cache.capacity());
    // w = scale · Σ weight φ, so that shrinkage costs one multiplication; f likewise.
    let (mut weight, mut f, mut scale, mut t) = (vec![0.0; n], vec![0.0; n], 1.0f64, 0u64);
    let mut order: Vec<u32> = (0..n as u32).collect();
    'rounds: for round in 0..rounds {
        RngStream::new(cx.seed, "kernel pegasos", ((number as u64) << 32) | round).shuffle(&mut order);
        for chosen in order.chunks(batch) {
            cx.report(Progress { stage: "steps", done: t, total: Some(rounds * n as u64), objective: None })?;
            if cx.deadline_passed() {
                break 'rounds;
            }
            cache.ensure_rows(chosen, points)?;
            for &i in chosen {
                let (i, v) = (i as usize, variables[i as usize]);
                let margin = v.sign * scale * f[i];
                t += 1;
                if t > 1 {
                    scale *= 1.0 - 1.0 / t as f64;
                }
                if margin < 1.0 {
                    let step = v.bound * n as f64 / (t as f64 * scale);
                    weight[i] += step;
                    let step = v.sign * step;
                    f.iter_mut().zip(cache.row(i as u32)).for_each(|(f, k)| *f += step * (k + 1.0));
                }
            }
            if scale < 1e-100 {
                weight.iter_mut().chain(&mut f).for_each(|v| *v *= scale);
                scale = 1.0;
            }
        }
    }
    let alpha: Vec<f64> = variables.iter().zip(&weight).map(|(v, w)| (scale * w).min(v.bound)).collect();
    let coefficients = coefficients(variables, &alpha, n);
    let f = gradient_f64(points, &coefficients, cx)?;
    let bias: f64 = coefficients.iter().sum();
    // Convergence is measured by the duality gap, relative to the primal.
    let norm = coefficients.iter().zip(&f).map(|(c, f)| c * f).sum::<f64>() + bias * bias;
    let price: f64 = variables.iter().zip(&f).map(|(v, f)| v.bound * (1.0 - v.sign * (f + bias)).max(0.0)).sum();
    let gap = norm + price - alpha.iter().sum::<f64>();
    let violation = gap.max(0.0) / (0.5 * norm + price).max(f64::MIN_POSITIVE);
    Ok(SvmSolution {
        alpha,
        f,
        bias,
        violation,
        iterations: t,
        converged: violation <= plan.tol,
        unbounded: None,
        constant_penalized: true,
    })
}
