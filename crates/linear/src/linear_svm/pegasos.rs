//! Stochastic subgradient steps on the primal: min λ/2 ‖w‖² + mean hinge, step 1/(λt) (Shalev-Shwartz, Singer, Srebro and Cotter:
//! Pegasos, Mathematical Programming 127, 2011). With λ = 1/(C Σ weights) it is the machine of price C.

use ermine_core::{Context, Progress, Result, RngStream};

use super::super::sgd::SgdRows;
use super::dual::DualCdSolution;
use super::fit::LinearSvmProblem;

/// The result carries β as the dual variables that the steps amount to, brought
/// within their bounds.
pub(super) fn minimize(
    x: &impl SgdRows,
    cols: usize,
    problem: &LinearSvmProblem<'_, '_>,
    constant: f64,
    epochs: u64,
    cx: &Context<'_>,
) -> Result<DualCdSolution> {
    let &LinearSvmProblem { y: sign, price, index, .. } = problem;
    let n = x.rows();
    let total: f64 = price.iter().sum();
    let rows: Vec<usize> = (0..n).filter(|&i| price[i] > 0.0).collect();
    // w = scale · v, so that shrinking all weights costs one multiplication.
    let (mut v, mut v_constant, mut scale) = (vec![0.0; cols], 0.0, 1.0f64);
    let mut weight = vec![0.0; n];
    let mut t = 0u64;
    let mut rounds = 0;
    for epoch in 0..epochs {
        if cx.deadline_passed() {
            break;
        }
        cx.report(Progress { stage: "epoch", done: epoch, total: Some(epochs), objective: None })?;
        let mut draw = RngStream::new(cx.seed, "pegasos", (index << 32) | epoch);
        for _ in 0..rows.len() {
            let i = rows[draw.below(rows.len())];
            t += 1;
            let margin = sign[i] * scale * (x.dot(i, &v) + constant * v_constant);
            // (1 - 1/t) w, then a step of 1/(λt) times the weight of the row next to the mean weight.
            if t > 1 {
                scale *= 1.0 - 1.0 / t as f64;
            }
            if margin < 1.0 {
                let step = price[i] * rows.len() as f64 / t as f64;
                x.add(i, sign[i] * step / scale, &mut v);
                v_constant += sign[i] * step / scale * constant;
                weight[i] += step / scale;
            }
            if scale < 1e-100 {
                v.iter_mut().for_each(|v| *v *= scale);
                weight.iter_mut().for_each(|v| *v *= scale);
                v_constant *= scale;
                scale = 1.0;
            }
        }
        rounds += 1;
    }
    debug_assert!(total > 0.0);
    let beta = (0..n).map(|i| sign[i] * (scale * weight[i]).min(price[i])).collect();
    let w = v.iter().map(|v| v * scale).collect();
    Ok(DualCdSolution { w, constant: v_constant * scale, beta, violation: f64::INFINITY, rounds, converged: true })
}
