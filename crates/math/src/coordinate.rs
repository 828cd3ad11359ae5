//! Common parts of coordinate descent methods.

/// The minimizer of `½ (b - z)² + t |b|`: z moved toward 0 by t, and exactly 0 when it would cross.
#[inline]
pub fn soft_threshold(z: f64, t: f64) -> f64 {
    if z > t {
        z - t
    } else if z < -t {
        z + t
    } else {
        0.0
    }
}

/// The minimizer of `½ curvature b² - z b + l1 |b| + ½ l2 b²`, over b >= 0 when `positive`. Without curvature and `l2` the
/// coefficient stays out: 0.
///
/// ```
/// use ermine_math::coordinate::elastic_step;
/// assert_eq!(elastic_step(3.0, 2.0, 1.0, 0.0, false), 1.0);    // (3 - 1) / 2
/// assert_eq!(elastic_step(-3.0, 1.0, 1.0, 1.0, false), -1.0);  // -(3 - 1) / (1 + 1)
/// assert_eq!(elastic_step(-3.0, 1.0, 1.0, 1.0, true), 0.0);
/// ```
#[inline]
pub fn elastic_step(z: f64, curvature: f64, l1: f64, l2: f64, positive: bool) -> f64 {
    let bottom = curvature + l2;
    if bottom <= 0.0 || (positive && z <= l1) {
        return 0.0;
    }
    soft_threshold(z, l1) / bottom
}

/// Violation of optimality of `l1 |b| + ½ l2 b²` (with b >= 0 when `positive`) by the negative gradient `z` at
/// coefficient `b`: the distance of z to the subdifferential, 0 at the optimum.
#[inline]
pub fn elastic_violation(z: f64, b: f64, l1: f64, l2: f64, positive: bool) -> f64 {
    let z = z - l2 * b;
    if b > 0.0 {
        (z - l1).abs()
    } else if b < 0.0 {
        (z + l1).abs()
    } else if positive {
        (z - l1).max(0.0)
    } else {
        (z.abs() - l1).max(0.0)
    }
}

/// Anderson acceleration: extrapolates a sequence of points to its limit by the affine combination of the last ones
/// whose steps cancel best. Near the solution a coordinate descent is a linear iteration, and there the combination is
/// as good as many more rounds; elsewhere it may be worse than the last point, so the caller compares the two.
///
/// Reference: Q. Bertrand, M. Massias (2021), Anderson acceleration of coordinate descent, AISTATS.
#[derive(Debug, Clone)]
pub struct AndersonAcceleration {
    /// The last points, oldest first.
    points: Vec<Vec<f64>>,
    steps: usize,
}

impl AndersonAcceleration {
    /// Combines `steps` steps; 5 is the common choice.
    pub fn new(steps: usize) -> Self {
        Self { points: Vec::with_capacity(steps + 1), steps }
    }

    /// Forgets all points.
    pub fn restart(&mut self) {
        self.points.clear();
    }

    /// Adds a point; when there are enough, returns the combination and starts over.
    pub fn push(&mut self, point: &[f64]) -> Option<Vec<f64>> {
        self.points.push(point.to_vec());
        if self.points.len() <= self.steps {
            return None;
        }
        let combined = self.combine();
        self.points.clear();
        combined
    }

    fn combine(&self) -> Option<Vec<f64>> {
        let k = self.steps;
        let step = |a: usize, i: usize| self.points[a + 1][i] - self.points[a][i];
        let n = self.points[0].len();
        let mut gram = vec![vec![0.0; k + 1]; k];
        for a in 0..k {
            for b in 0..=a {
                let sum: f64 = (0..n).map(|i| step(a, i) * step(b, i)).sum();
                gram[a][b] = sum;
                gram[b][a] = sum;
            }
        }
        let trace: f64 = (0..k).map(|a| gram[a][a]).sum();
        if !(trace > 0.0 && trace.is_finite()) {
            return None;
        }
        for a in 0..k {
            gram[a][a] += 1e-14 * trace;
            gram[a][k] = trace;
        }
        let mut weights = solve(gram)?;
        let total: f64 = weights.iter().sum();
        if !(total.is_finite() && total.abs() > 0.0) {
            return None;
        }
        weights.iter_mut().for_each(|w| *w /= total);
        let out: Vec<f64> = (0..n).map(|i| (0..k).map(|a| weights[a] * self.points[a + 1][i]).sum()).collect();
        out.iter().all(|v| v.is_finite()).then_some(out)
    }
}

/// Solves a small system, given with its right side as last column, by elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = a.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs()))?;
        a.swap(c, pivot);
        if a[c][c] == 0.0 {
            return None;
        }
        for i in c + 1..n {
            let f = a[i][c] / a[c][c];
            for j in c..=n {
                a[i][j] -= f * a[c][j];
            }
        }
    }
    for c in (0..n).rev() {
        let known: f64 = (c + 1..n).map(|j| a[c][j] * a[j][n]).sum();
        a[c][n] = (a[c][n] - known) / a[c][c];
    }
    Some(a.into_iter().map(|row| row[n]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_step_is_the_minimizer(z in -10.0..10.0f64, c in 0.01..5.0f64, l1 in 0.0..5.0f64, l2 in 0.0..3.0f64, positive: bool) {
            let value = |b: f64| 0.5 * c * b * b - z * b + l1 * b.abs() + 0.5 * l2 * b * b;
            let best = elastic_step(z, c, l1, l2, positive);
            prop_assert!(!positive || best >= 0.0);
            for d in [-1.0, -1e-3, 1e-3, 1.0] {
                let other = best + d;
                if !positive || other >= 0.0 {
                    prop_assert!(value(best) <= value(other));
                }
            }
            prop_assert!(elastic_violation(z - c * best, best, l1, l2, positive) <= 1e-12 * (1.0 + z.abs()));
            prop_assert!(elastic_violation(z - c * (best + 1.0), best + 1.0, l1, l2, positive) > 0.0);
        }
    }

    #[test]
    fn a_linear_iteration_of_few_dimensions_is_solved_at_once() {
        // x ← A x + b with eigenvalues near 1: the plain iteration needs thousands of rounds.
        let a = [[0.99, 0.02, 0.0], [0.0, 0.95, 0.01], [0.0, 0.0, 0.9]];
        let b = [1.0, 2.0, 3.0];
        let next = |x: &[f64]| -> Vec<f64> { (0..3).map(|i| (0..3).map(|j| a[i][j] * x[j]).sum::<f64>() + b[i]).collect() };
        let mut anderson = AndersonAcceleration::new(5);
        let mut x = vec![0.0; 3];
        let solution = loop {
            x = next(&x);
            if let Some(solution) = anderson.push(&x) {
                break solution;
            }
        };
        let step = |x: &[f64]| next(x).iter().zip(x).map(|(n, f)| (n - f).abs()).fold(0.0, f64::max);
        assert!(step(&solution) < 0.05 * step(&x), "{:e} left of {:e}", step(&solution), step(&x));
        assert!(anderson.push(&x).is_none());
    }
}
