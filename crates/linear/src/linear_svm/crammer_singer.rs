//! All classes in one problem: min ½ Σₘ‖wₘ‖² + Σᵢ Cᵢ max(0, 1 + max_{m≠yᵢ} wₘ·xᵢ - w_{yᵢ}·xᵢ).
//!
//! The dual has one variable per row and class, αᵢₘ ≤ Cᵢ [m = yᵢ], Σₘ αᵢₘ = 0, and wₘ = Σᵢ αᵢₘ xᵢ. All variables of a row are solved for at once
//! (Crammer and Singer, JMLR 2, 2001; Keerthi et al., KDD 2008).

use ermine_core::{Context, Mat, Progress, Result, RngStream};

use super::super::sgd::SgdRows;

pub(super) struct CrammerSingerSolution {
    pub w: Mat<f64>,
    pub constants: Vec<f64>,
    pub primal: f64,
    pub dual: f64,
    pub violation: f64,
    pub rounds: u64,
    pub converged: bool,
}

pub(super) struct CrammerSingerProblem<'a> {
    pub codes: &'a [u32],
    pub classes: usize,
    pub price: &'a [f64],
    pub constant: f64,
    pub tol: f64,
    pub max_iter: u64,
}

pub(super) fn minimize(
    x: &impl SgdRows,
    cols: usize,
    task: &CrammerSingerProblem<'_>,
    cx: &Context<'_>,
) -> Result<CrammerSingerSolution> {
    let (n, k) = (x.rows(), task.classes);
    let mut w = Mat::zeros(k, cols);
    let mut constants = vec![0.0; k];
    let mut alpha = vec![0.0; n * k];
    let square: Vec<f64> = (0..n).map(|i| x.square(i) + task.constant * task.constant).collect();
    let mut active: Vec<u32> = (0..n as u32).filter(|&i| task.price[i as usize] > 0.0 && square[i as usize] > 0.0).collect();
    let full = active.len();
    let (mut g, mut new) = (vec![0.0; k], vec![0.0; k]);
    let (mut leave, mut violation, mut converged, mut round) = (f64::INFINITY, f64::INFINITY, false, 0);
    let score = |w: &Mat<f64>, constants: &[f64], i: usize, m: usize| x.dot(i, w.row(m)) + task.constant * constants[m];
    while round < task.max_iter && !cx.deadline_passed() {
        cx.report(Progress { stage: "round", done: round, total: Some(task.max_iter), objective: None })?;
        RngStream::new(cx.seed, "crammer singer", round).shuffle(&mut active);
        let (mut worst, mut kept) = (0.0f64, 0);
        for at in 0..active.len() {
            let i = active[at] as usize;
            let own = task.codes[i] as usize;
            let (a, c) = (square[i], task.price[i]);
            for m in 0..k {
                g[m] = score(&w, &constants, i, m) + f64::from(u8::from(m != own));
            }
            let old = &alpha[i * k..(i + 1) * k];
            row_problem(a, own, c, &g, old, &mut new);
            let moved = old.iter().zip(&new).map(|(o, n)| (o - n).abs()).fold(0.0, f64::max);
            if moved > 0.0 {
                worst = worst.max(moved * a);
                for m in 0..k {
                    let d = new[m] - old[m];
                    if d != 0.0 {
                        x.add(i, d, w.row_mut(m));
                        constants[m] += d * task.constant;
                    }
                }
                alpha[i * k..(i + 1) * k].copy_from_slice(&new);
            } else if old.iter().all(|v| *v == 0.0) {
                // The lead of its own class over all others beyond what it needs.
                let rival = (0..k).filter(|&m| m != own).map(|m| g[m]).fold(f64::NEG_INFINITY, f64::max);
                if g[own] - rival > leave {
                    continue;
                }
            }
            active.swap(kept, at);
            kept += 1;
        }
        let whole = active.len() == full && kept == full;
        active.truncate(kept);
        round += 1;
        violation = worst;
        if worst <= task.tol {
            if whole {
                converged = true;
                break;
            }
            active = (0..n as u32).filter(|&i| task.price[i as usize] > 0.0 && square[i as usize] > 0.0).collect();
            leave = f64::INFINITY;
            continue;
        }
        leave = worst;
    }
    let half: f64 = 0.5 * (w.as_slice().iter().chain(&constants).map(|v| v * v).sum::<f64>());
    let (mut loss, mut linear) = (0.0, 0.0);
    for i in 0..n {
        let own = task.codes[i] as usize;
        let rival = (0..k).filter(|&m| m != own).map(|m| score(&w, &constants, i, m)).fold(f64::NEG_INFINITY, f64::max);
        loss += task.price[i] * (1.0 + rival - score(&w, &constants, i, own)).max(0.0);
        linear += (0..k).filter(|&m| m != own).map(|m| alpha[i * k + m]).sum::<f64>();
    }
    Ok(CrammerSingerSolution { w, constants, primal: half + loss, dual: -half - linear, violation, rounds: round, converged })
}

/// min Σₘ ½ a αₘ² + (gₘ - a oldₘ) αₘ over αₘ ≤ c [m = own], Σ αₘ = 0: αₘ = min(bound, (β - bₘ)/a) for the β at which they sum to 0.
fn row_problem(a: f64, own: usize, c: f64, g: &[f64], old: &[f64], new: &mut [f64]) {
    let b = |m: usize| g[m] - a * old[m];
    let mut d: Vec<f64> = (0..g.len()).map(|m| b(m) + if m == own { a * c } else { 0.0 }).collect();
    d.sort_by(|x, y| y.total_cmp(x));
    let (mut beta, mut r) = (d[0] - a * c, 1);
    while r < d.len() && beta < r as f64 * d[r] {
        beta += d[r];
        r += 1;
    }
    beta /= r as f64;
    for m in 0..g.len() {
        new[m] = ((beta - b(m)) / a).min(if m == own { c } else { 0.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_problem_of_a_row_meets_its_constraints_and_conditions() {
        let (a, c, own) = (2.0, 0.7, 1);
        let (g, old) = ([0.3, -0.2, 0.9, 1.4], [-0.1, 0.4, -0.3, 0.0]);
        let mut new = [0.0; 4];
        row_problem(a, own, c, &g, &old, &mut new);
        assert!(new.iter().sum::<f64>().abs() < 1e-12, "{new:?}");
        // The slope is the same for all that are below their bound, and no greater for the others.
        let slope = |m: usize| g[m] + a * (new[m] - old[m]);
        let bound = |m: usize| if m == own { c } else { 0.0 };
        let free: Vec<f64> = (0..4).filter(|&m| new[m] < bound(m) - 1e-12).map(slope).collect();
        assert!(!free.is_empty() && free.windows(2).all(|w| (w[0] - w[1]).abs() < 1e-12), "{free:?}");
        (0..4).filter(|&m| new[m] >= bound(m) - 1e-12).for_each(|m| assert!(slope(m) <= free[0] + 1e-12));
    }
}
