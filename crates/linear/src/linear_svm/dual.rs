//! Dual coordinate descent for all losses with corners or squares.
//!
//! With f = x·w and w = Σ βᵢ xᵢ the duals of hinge, squared hinge, ε-insensitive loss and its square are one problem,
//! min ½‖Σ βᵢxᵢ‖² + ½ Σ λᵢβᵢ² - Σ yᵢβᵢ + ε Σ|βᵢ| over lᵢ ≤ βᵢ ≤ uᵢ: a hinge has y = ±1, ε = 0 and β between 0 and C y; a square has λ = 1/(2C)
//! and no bound. One coordinate is solved exactly (Hsieh et al., ICML 2008; Ho and Lin, JMLR 13, 2012). Coordinates that rest at
//! a corner are left out until the others are in order.

use ermine_core::{Context, Progress, Result, RngStream};

use super::super::sgd::SgdRows;

/// The loss of each row.
pub(super) struct DualProblem<'a> {
    pub y: &'a [f64],
    pub lower: &'a [f64],
    pub upper: &'a [f64],
    /// λ.
    pub ridge: &'a [f64],
    pub epsilon: f64,
    /// The value of a constant column; 0 for none.
    pub constant: f64,
}

impl DualProblem<'_> {
    /// The value of coordinate `i` at which the objective is least, from its value, slope and curvature.
    #[inline]
    fn minimizer(&self, i: usize, value: f64, slope: f64, curvature: f64) -> f64 {
        let (lower, upper) = (self.lower[i], self.upper[i]);
        if curvature > 0.0 {
            let z = value - slope / curvature;
            let shrunk = z.signum() * (z.abs() - self.epsilon / curvature).max(0.0);
            return shrunk.clamp(lower, upper);
        }
        // The loss of a row of zeros does not depend on the weights.
        match -slope {
            descent if descent.abs() <= self.epsilon => 0.0,
            descent if descent > 0.0 => upper.clamp(-f64::MAX, f64::MAX),
            _ => lower.clamp(-f64::MAX, f64::MAX),
        }
    }

    /// By how much the slope would have to change before coordinate `i`, which rests at `value`, moves.
    #[inline]
    fn resting_slack(&self, i: usize, value: f64, slope: f64) -> f64 {
        let (lower, upper, epsilon) = (self.lower[i], self.upper[i], self.epsilon);
        if value == lower && value != upper {
            slope + if value > 0.0 || (value == 0.0 && upper > 0.0) { epsilon } else { -epsilon }
        } else if value == upper {
            -slope + if value < 0.0 || (value == 0.0 && lower < 0.0) { epsilon } else { -epsilon }
        } else if value == 0.0 {
            epsilon - slope.abs()
        } else {
            0.0
        }
    }
}

pub(super) struct DualCdSolution {
    pub w: Vec<f64>,
    /// The coefficient of the constant column.
    pub constant: f64,
    pub beta: Vec<f64>,
    pub violation: f64,
    pub rounds: u64,
    pub converged: bool,
}

pub(super) fn minimize(
    x: &impl SgdRows,
    cols: usize,
    rows: &DualProblem<'_>,
    tol: f64,
    max_iter: u64,
    index: u64,
    cx: &Context<'_>,
) -> Result<DualCdSolution> {
    let n = x.rows();
    let square: Vec<f64> = (0..n).map(|i| x.square(i) + rows.constant * rows.constant + rows.ridge[i]).collect();
    let mut beta = vec![0.0; n];
    let (mut w, mut constant) = (vec![0.0; cols], 0.0);
    let mut active: Vec<u32> = (0..n as u32).filter(|&i| rows.upper[i as usize] > rows.lower[i as usize]).collect();
    let full = active.len();
    // The violation by which a coordinate at a bound must be inactive to be skipped: the largest of the round before.
    let (mut leave, mut violation, mut converged, mut round) = (f64::INFINITY, f64::INFINITY, false, 0);
    while round < max_iter && !cx.deadline_passed() {
        cx.report(Progress { stage: "round", done: round, total: Some(max_iter), objective: None })?;
        RngStream::new(cx.seed, "linear svm", (index << 32) | round).shuffle(&mut active);
        let mut worst = 0.0f64;
        let mut kept = 0;
        for k in 0..active.len() {
            if let Some(&next) = active.get(k + 8) {
                x.prefetch(next as usize);
            }
            let i = active[k] as usize;
            let (h, old) = (square[i], beta[i]);
            let slope = x.dot(i, &w) + rows.constant * constant - rows.y[i] + rows.ridge[i] * old;
            let new = rows.minimizer(i, old, slope, h);
            let moved = new - old;
            if moved == 0.0 {
                if rows.resting_slack(i, old, slope) > leave {
                    continue;
                }
            } else {
                worst = worst.max((moved * h).abs());
                beta[i] = new;
                x.add(i, moved, &mut w);
                constant += moved * rows.constant;
            }
            active.swap(kept, k);
            kept += 1;
        }
        let whole = active.len() == full && kept == full;
        active.truncate(kept);
        round += 1;
        if worst <= tol {
            if whole {
                (violation, converged) = (worst, true);
                break;
            }
            // In order without the rest: check all of them once more.
            active = (0..n as u32).filter(|&i| rows.upper[i as usize] > rows.lower[i as usize]).collect();
            leave = f64::INFINITY;
            continue;
        }
        leave = worst;
        violation = worst;
    }
    Ok(DualCdSolution { w, constant, beta, violation, rounds: round, converged })
}
