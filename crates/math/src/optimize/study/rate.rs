//! Asymptotic convergence rates: factors by which the distance to the minimum of a quadratic with Hessian eigenvalues
//! from `least` to `most` shrinks per step.

/// Gradient descent with a fixed step: the largest of |1 - step λ|.
pub fn fixed_step(step: f64, least: f64, most: f64) -> f64 {
    (1.0 - step * least).abs().max((1.0 - step * most).abs())
}

/// Gradient descent with the best fixed step, 2 / (least + most): (κ - 1) / (κ + 1).
pub fn optimal_step(least: f64, most: f64) -> f64 {
    (most - least) / (most + least)
}

/// The heavy-ball method: √momentum if it is large enough for every eigenvalue, else the larger root of the recurrence.
pub fn momentum(step: f64, momentum: f64, least: f64, most: f64) -> f64 {
    let one = |l: f64| root(1.0 + momentum - step * l, momentum);
    one(least).max(one(most))
}

/// The step and the momentum of the heavy ball that are best for a quadratic (Polyak 1964); the rate is then (√κ - 1) / (√κ + 1).
pub fn best_momentum(least: f64, most: f64) -> (f64, f64) {
    let (a, b) = (least.sqrt(), most.sqrt());
    (4.0 / (a + b).powi(2), ((b - a) / (b + a)).powi(2))
}

/// Nesterov's accelerated gradient with a constant momentum.
pub fn nesterov(step: f64, momentum: f64, least: f64, most: f64) -> f64 {
    let one = |l: f64| root((1.0 + momentum) * (1.0 - step * l), momentum * (1.0 - step * l));
    one(least).max(one(most))
}

/// The size of the larger root of z² - b z + c.
fn root(b: f64, c: f64) -> f64 {
    let d = b * b - 4.0 * c;
    if d < 0.0 { c.sqrt() } else { 0.5 * (b.abs() + d.sqrt()) }
}
