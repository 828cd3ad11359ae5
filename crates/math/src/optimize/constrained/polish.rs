//! The last digits: the active set of a near optimum, solved as equalities.

use super::equality_step::on_active;
use super::program::{Multipliers, QuadraticProgram};

/// Changes of the active set at most.
const ROUNDS: usize = 8;

/// The point with its multipliers, or a better one on the active set that they show. Steps of a method that divides by slacks end with the
/// rounding of those slacks; the equations of the active set have no such terms.
pub(super) fn polish(program: &QuadraticProgram, x: Vec<f64>, multipliers: Multipliers) -> (Vec<f64>, Multipliers) {
    let slack = |x: &[f64]| -> Vec<f64> { program.g.times(x).iter().zip(&program.h).map(|(g, h)| h - g).collect() };
    let mut active: Vec<usize> =
        slack(&x).iter().zip(&multipliers.inequality).enumerate().filter(|(_, (s, z))| z > s).map(|(i, _)| i).collect();
    let mut best = (program.kkt(&x, &multipliers).largest_relative(), x, multipliers);
    for _ in 0..ROUNDS {
        if best.0 < 1e-14 || active.len() > program.dim() + 64 {
            break;
        }
        let Ok((x, equality, of_active)) = on_active(program, &active) else { break };
        let mut inequality = vec![0.0; program.h.len()];
        active.iter().zip(&of_active).for_each(|(&i, z)| inequality[i] = z.max(0.0));
        let multipliers = Multipliers { inequality, equality };
        let error = program.kkt(&x, &multipliers).largest_relative();
        let bad: Vec<usize> = active.iter().zip(&of_active).filter(|(_, z)| **z < 0.0).map(|(&i, _)| i).collect();
        let tolerance = 1e-12 * (1.0 + super::max_abs(&program.h));
        let new: Vec<usize> =
            slack(&x).iter().enumerate().filter(|(i, s)| **s < -tolerance && !active.contains(i)).map(|(i, _)| i).collect();
        if error < best.0 {
            best = (error, x, multipliers);
        }
        if bad.is_empty() && new.is_empty() {
            break;
        }
        active.retain(|i| !bad.contains(i));
        active.extend(new);
        active.sort_unstable();
    }
    (best.1, best.2)
}
