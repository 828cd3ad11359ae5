//! Contextual bandits with linear rewards: LinUCB (Li, Chu, Langford, Schapire 2010) and linear Thompson sampling
//! (Agrawal, Goyal 2013), with one ridge regression per arm.

use ermine_core::{Error, Result, RngStream};
use serde::{Deserialize, Serialize};

use super::{ArmChoice, Policy, check_reward, same_arms, some_arms};

/// Recursive ridge regression, row by row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct RecursiveRidge {
    /// `A^-1` for `A = λ I + Σ x x'`.
    inverse: Vec<f64>,
    /// `A^-1 Σ reward x`.
    theta: Vec<f64>,
    /// The lower Cholesky factor of `A`; empty for policies that do not sample.
    factor: Vec<f64>,
}

impl RecursiveRidge {
    fn new(dimension: usize, lambda: f64, draws: bool) -> Self {
        let diagonal = |v: f64| (0..dimension * dimension).map(|i| if i % (dimension + 1) == 0 { v } else { 0.0 }).collect();
        Self {
            inverse: diagonal(1.0 / lambda),
            theta: vec![0.0; dimension],
            factor: if draws { diagonal(lambda.sqrt()) } else { Vec::new() },
        }
    }

    /// `x' A^-1 x`.
    #[inline]
    fn uncertainty(&self, x: &[f64]) -> f64 {
        let rows = self.inverse.chunks_exact(x.len());
        rows.zip(x).map(|(row, xi)| xi * dot(row, x)).sum()
    }

    /// Adds a row, by the Sherman–Morrison formula.
    fn add(&mut self, x: &[f64], reward: f64) {
        let d = x.len();
        let ax: Vec<f64> = self.inverse.chunks_exact(d).map(|row| dot(row, x)).collect();
        let scale = 1.0 / (1.0 + dot(&ax, x));
        // With the old inverse, the step of recursive least squares: θ + A^-1 x (reward - θ'x) / (1 + x' A^-1 x).
        let step = scale * (reward - dot(&self.theta, x));
        self.theta.iter_mut().zip(&ax).for_each(|(t, a)| *t += step * a);
        for (row, a) in self.inverse.chunks_exact_mut(d).zip(&ax) {
            let factor = scale * a;
            row.iter_mut().zip(&ax).for_each(|(v, b)| *v -= factor * b);
        }
        if !self.factor.is_empty() {
            grow_factor(&mut self.factor, x.to_vec());
        }
    }

    /// A sample from the normal distribution around theta with covariance `scale² A^-1`.
    fn draw(&self, scale: f64, rng: &mut RngStream) -> Vec<f64> {
        let d = self.theta.len();
        let mut y: Vec<f64> = (0..d).map(|_| scale * rng.normal()).collect();
        // L' y = z, from the last row up.
        for i in (0..d).rev() {
            let known: f64 = (i + 1..d).map(|k| self.factor[k * d + i] * y[k]).sum();
            y[i] = (y[i] - known) / self.factor[i * d + i];
        }
        y.iter_mut().zip(&self.theta).for_each(|(v, t)| *v += t);
        y
    }

    fn check(&self, dimension: usize, draws: bool) -> Result<()> {
        let square = dimension * dimension;
        same_arms("inverse of a linear model", square, self.inverse.len())?;
        same_arms("coefficients of a linear model", dimension, self.theta.len())?;
        same_arms("factor of a linear model", if draws { square } else { 0 }, self.factor.len())?;
        let all = self.inverse.iter().chain(&self.theta).chain(&self.factor);
        match all.copied().find(|v| !v.is_finite()) {
            Some(v) => Err(Error::Model(format!("a linear model holds {v}"))),
            None => Ok(()),
        }
    }
}

/// The dot product, in four parts for vectorization.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut parts = [0.0; 4];
    let (heads, tails) = (a.chunks_exact(4).zip(b.chunks_exact(4)), a.len() / 4 * 4);
    for (x, y) in heads {
        (0..4).for_each(|i| parts[i] += x[i] * y[i]);
    }
    let rest: f64 = a[tails..].iter().zip(&b[tails..]).map(|(x, y)| x * y).sum();
    (parts[0] + parts[2]) + (parts[1] + parts[3]) + rest
}

/// Updates the factor of `A` to that of `A + x x'`, by rotations.
fn grow_factor(factor: &mut [f64], mut x: Vec<f64>) {
    let d = x.len();
    for k in 0..d {
        let old = factor[k * d + k];
        let new = old.hypot(x[k]);
        let (c, s) = (new / old, x[k] / old);
        factor[k * d + k] = new;
        for i in k + 1..d {
            factor[i * d + k] = (factor[i * d + k] + s * x[i]) / c;
            x[i] = c * x[i] - s * factor[i * d + k];
        }
    }
}

/// The common part of both policies: a model per arm on the common context, or one model for all arms on the features
/// of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ArmModels {
    arms: usize,
    dimension: usize,
    shared: bool,
    models: Vec<RecursiveRidge>,
}

impl ArmModels {
    fn new(arms: usize, dimension: usize, shared: bool, lambda: f64, draws: bool) -> Result<Self> {
        some_arms(arms)?;
        if dimension == 0 {
            return Err(Error::Data("a linear bandit needs at least one feature; add a constant 1".into()));
        }
        if !(lambda > 0.0 && lambda.is_finite()) {
            return Err(Error::Data(format!("lambda {lambda} is invalid; it must be a number above 0")));
        }
        let count = if shared { 1 } else { arms };
        Ok(Self { arms, dimension, shared, models: vec![RecursiveRidge::new(dimension, lambda, draws); count] })
    }

    /// Dimension of a context.
    fn context(&self) -> usize {
        if self.shared { self.arms * self.dimension } else { self.dimension }
    }

    fn model(&self, arm: usize) -> &RecursiveRidge {
        &self.models[if self.shared { 0 } else { arm }]
    }

    /// The features of an arm in a context; zeros for a choice where the context is too short, and an error for an
    /// update.
    fn seen<'a>(&self, context: &'a [f64], arm: usize) -> Option<&'a [f64]> {
        let start = if self.shared { arm * self.dimension } else { 0 };
        context.get(start..start + self.dimension)
    }

    fn learn(&mut self, policy: &'static str, context: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        check_reward(policy, self.arms, choice.arm, reward)?;
        same_arms("numbers of the context", self.context(), context.len())?;
        if let Some(at) = context.iter().position(|v| !v.is_finite()) {
            return Err(Error::Data(format!("{policy}: number {at} of the context is {}, which is not finite", context[at])));
        }
        if let Some(x) = self.seen(context, choice.arm) {
            let model = if self.shared { 0 } else { choice.arm };
            self.models[model].add(x, reward);
        }
        Ok(())
    }

    fn check(&self, draws: bool) -> Result<()> {
        some_arms(self.arms)?;
        if self.dimension == 0 {
            return Err(Error::Model("a linear model without features".into()));
        }
        same_arms("linear models", if self.shared { 1 } else { self.arms }, self.models.len())?;
        self.models.iter().try_for_each(|m| m.check(self.dimension, draws))
    }
}

/// The arm with the largest `θ'x + α sqrt(x' A^-1 x)`, the lowest among equals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinUcb {
    /// The weight of the uncertainty.
    pub alpha: f64,
    models: ArmModels,
}

impl LinUcb {
    /// A policy over contexts of `dimension` numbers. With `shared`, one model serves all arms and a context has the
    /// features of every arm, one after the other; otherwise each arm has a model of its own over the common context.
    pub fn new(arms: usize, dimension: usize, shared: bool, alpha: f64, lambda: f64) -> Result<Self> {
        let policy = Self { alpha, models: ArmModels::new(arms, dimension, shared, lambda, false)? };
        policy.check()?;
        Ok(policy)
    }

    /// The coefficients of an arm.
    pub fn coefficients(&self, arm: usize) -> &[f64] {
        &self.models.model(arm).theta
    }

    /// `(θ - truth)' A (θ - truth)` is at most `radius²` for the truths in the confidence ellipsoid of an arm; this is
    /// the width of the ellipsoid in direction `x`, for a radius of 1.
    pub fn uncertainty(&self, arm: usize, x: &[f64]) -> f64 {
        self.models.model(arm).uncertainty(x).max(0.0).sqrt()
    }

    /// Dimension of a context.
    pub(super) fn context(&self) -> usize {
        self.models.context()
    }

    pub(super) fn check(&self) -> Result<()> {
        match self.alpha >= 0.0 && self.alpha.is_finite() {
            true => self.models.check(false),
            false => Err(Error::Data(format!("alpha {} is invalid; it must be a number from 0 up", self.alpha))),
        }
    }
}

impl Policy for LinUcb {
    fn arms(&self) -> usize {
        self.models.arms
    }

    #[inline]
    fn choose(&mut self, context: &[f64], _: &mut RngStream) -> ArmChoice {
        let (mut best, mut top) = (0, f64::NEG_INFINITY);
        for arm in 0..self.models.arms {
            let model = self.models.model(arm);
            let score = self
                .models
                .seen(context, arm)
                .map_or(0.0, |x| dot(&model.theta, x) + self.alpha * model.uncertainty(x).max(0.0).sqrt());
            if score > top {
                (best, top) = (arm, score);
            }
        }
        ArmChoice::certain(best)
    }

    #[inline]
    fn learn(&mut self, context: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        self.models.learn("linucb", context, choice, reward)
    }
}

/// The best arm for coefficients sampled from the posterior.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearThompson {
    /// Standard deviation of the samples, in units of `A^-1/2`.
    pub scale: f64,
    models: ArmModels,
}

impl LinearThompson {
    /// A policy over contexts of `dimension` numbers; `shared` as for [`LinUcb`].
    pub fn new(arms: usize, dimension: usize, shared: bool, scale: f64, lambda: f64) -> Result<Self> {
        let policy = Self { scale, models: ArmModels::new(arms, dimension, shared, lambda, true)? };
        policy.check()?;
        Ok(policy)
    }

    /// Dimension of a context.
    pub(super) fn context(&self) -> usize {
        self.models.context()
    }

    pub(super) fn check(&self) -> Result<()> {
        match self.scale >= 0.0 && self.scale.is_finite() {
            true => self.models.check(true),
            false => Err(Error::Data(format!("scale {} is invalid; it must be a number from 0 up", self.scale))),
        }
    }
}

impl Policy for LinearThompson {
    fn arms(&self) -> usize {
        self.models.arms
    }

    fn choose(&mut self, context: &[f64], rng: &mut RngStream) -> ArmChoice {
        let (mut best, mut top) = (0, f64::NEG_INFINITY);
        let mut theta = Vec::new();
        for arm in 0..self.models.arms {
            if arm == 0 || !self.models.shared {
                theta = self.models.model(arm).draw(self.scale, rng);
            }
            let score = self.models.seen(context, arm).map_or(0.0, |x| dot(&theta, x));
            if score > top {
                (best, top) = (arm, score);
            }
        }
        ArmChoice { arm: best, probability: None }
    }

    fn learn(&mut self, context: &[f64], choice: ArmChoice, reward: f64) -> Result<()> {
        self.models.learn("linear-thompson", context, choice, reward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_ridge_is_the_ridge_of_all_rows() {
        let d = 4;
        let mut rng = RngStream::new(1, "ridge", 0);
        let mut model = RecursiveRidge::new(d, 0.7, true);
        let (mut a, mut moment) = (vec![0.0; d * d], vec![0.0; d]);
        (0..d).for_each(|i| a[i * d + i] = 0.7);
        for _ in 0..200 {
            let x: Vec<f64> = (0..d).map(|_| rng.normal()).collect();
            (0..d * d).for_each(|i| a[i] += x[i / d] * x[i % d]);
            let reward = x[0] - 2.0 * x[3] + 0.1 * rng.normal();
            (0..d).for_each(|i| moment[i] += reward * x[i]);
            model.add(&x, reward);
        }
        for i in 0..d {
            for j in 0..d {
                let product: f64 = (0..d).map(|k| a[i * d + k] * model.inverse[k * d + j]).sum();
                assert!((product - f64::from(i == j)).abs() < 1e-10);
                let square: f64 = (0..d).map(|k| model.factor[i * d + k] * model.factor[j * d + k]).sum();
                assert!((square - a[i * d + j]).abs() < 1e-9);
            }
            let right: f64 = (0..d).map(|k| a[i * d + k] * model.theta[k]).sum();
            assert!((right - moment[i]).abs() < 1e-9);
        }
        // Samples have the mean and the spread of the posterior.
        let n = 20_000;
        let draws: Vec<Vec<f64>> = (0..n).map(|_| model.draw(1.0, &mut rng)).collect();
        for i in 0..d {
            let mean = draws.iter().map(|v| v[i]).sum::<f64>() / f64::from(n);
            let variance = draws.iter().map(|v| (v[i] - mean).powi(2)).sum::<f64>() / f64::from(n);
            let truth = model.inverse[i * d + i];
            assert!((mean - model.theta[i]).abs() < 5.0 * (truth / f64::from(n)).sqrt());
            assert!((variance / truth - 1.0).abs() < 5.0 * (2.0 / f64::from(n)).sqrt());
        }
    }
}
