//! The normal equations in units in which their diagonals are near 1.

use ermine_core::Mat;
use ermine_math::double_double::Dd;
use ermine_math::moments::Moments;

use crate::least_squares::LeastSquaresProblem;
use ermine_math::scale::{exponent_of, ldexp, power};

pub struct MomentsInput<'a> {
    pub moments: &'a Moments,
    pub log_weight: f64,
    /// Columns of [X | Y] were multiplied by 2^exponent; empty for not at all.
    pub exponents: &'a [i32],
    /// Relative rounding of the data.
    pub epsilon: f64,
}

/// The system of one fit in scaled units: diagonals between 1 and 4, powers of two, so that scaling rounds nothing.
pub struct ScaledSystem {
    /// The columns that are not constant.
    pub kept: Vec<usize>,
    /// Products of the kept columns.
    pub a: Mat<f64>,
    /// Products of kept columns and targets, one row per target.
    pub c: Mat<f64>,
    /// Sums of squares of the targets.
    pub yy: Vec<f64>,
    /// Scaled x is x 2^exponent.
    pub x_exponent: Vec<i32>,
    /// Scaled y is y 2^exponent.
    pub y_exponent: Vec<i32>,
    /// The part of these exponents that is not yet in the moments.
    pub x_unit: Vec<i32>,
    pub y_unit: Vec<i32>,
    /// Lengths of the rounding errors of the columns, in scaled units.
    pub x_noise: Vec<f64>,
    pub y_noise: Vec<f64>,
    /// Means in scaled units.
    pub x_mean: Vec<Dd>,
    pub y_mean: Vec<Dd>,
}

impl ScaledSystem {
    pub fn new(problem: &LeastSquaresProblem<'_>, given: &MomentsInput<'_>) -> Self {
        let m = given.moments;
        let (p, t, weight) = (m.x_cols(), m.y_cols(), m.weight());
        let scatter = m.scatter();
        let given_exponent = |j: usize| given.exponents.get(j).copied().unwrap_or(0);
        let mean = |j: usize| Dd { hi: m.mean()[j], lo: m.mean_low()[j] };
        // Sum of squares about zero; its rounding is what a column without variation may show.
        let about_zero = |j: usize| scatter[(j, j)] + weight * m.mean()[j].powi(2);
        let product = |i: usize, j: usize| {
            let centered = scatter[(i, j)];
            if problem.fit_intercept { centered } else { centered + weight * m.mean()[i] * m.mean()[j] }
        };
        let varies = |j: usize| {
            if problem.fit_intercept {
                scatter[(j, j)] > (2.0 * given.epsilon).powi(2) * about_zero(j)
            } else {
                about_zero(j) > 0.0
            }
        };
        // Even exponents of the diagonal, halved.
        let half = |v: f64| -(exponent_of(v).div_euclid(2));
        let penalty = problem.penalty.iter().copied().fold(0.0, f64::max);
        // Squares that vanish next to the penalty say nothing about a column that was left tiny for its sake.
        let all = penalty > 0.0 && !given.exponents.is_empty();
        let kept: Vec<usize> = (0..p).filter(|&j| all || varies(j)).collect();
        let unit: Vec<i32> =
            kept.iter().map(|&j| half(product(j, j) + ldexp(penalty, 2 * given_exponent(j)).min(f64::MAX / 4.0))).collect();
        let y_unit: Vec<i32> = (p..p + t).map(|k| if varies(k) { half(product(k, k)) } else { 0 }).collect();
        let a = Mat::from_fn(kept.len(), kept.len(), |i, j| product(kept[i], kept[j]) * power(unit[i]) * power(unit[j]));
        let c = Mat::from_fn(t, kept.len(), |k, j| {
            if varies(p + k) { product(kept[j], p + k) * power(unit[j]) * power(y_unit[k]) } else { 0.0 }
        });
        let yy = (0..t).map(|k| if varies(p + k) { ldexp(product(p + k, p + k), 2 * y_unit[k]) } else { 0.0 }).collect();
        let noise = |j: usize, unit: i32| 0.5 * given.epsilon * about_zero(j).sqrt() * power(unit);
        Self {
            x_noise: kept.iter().zip(&unit).map(|(&j, &u)| noise(j, u)).collect(),
            y_noise: (0..t).map(|k| noise(p + k, y_unit[k])).collect(),
            x_mean: kept.iter().zip(&unit).map(|(&j, &u)| mean(j).scale(power(u))).collect(),
            y_mean: (0..t).map(|k| mean(p + k).scale(power(y_unit[k]))).collect(),
            x_exponent: kept.iter().zip(&unit).map(|(&j, &u)| given_exponent(j) + u).collect(),
            y_exponent: (0..t).map(|k| given_exponent(p + k) + y_unit[k]).collect(),
            x_unit: unit,
            y_unit,
            kept,
            a,
            c,
            yy,
        }
    }

    /// The penalty on the squares of scaled coefficients.
    pub fn penalty(&self, alpha: f64) -> Vec<f64> {
        self.x_exponent.iter().map(|&e| ldexp(alpha, 2 * e)).collect()
    }

    /// Products with the penalty on the diagonal.
    pub fn penalized(&self, penalty: &[f64]) -> Mat<f64> {
        let mut a = self.a.clone();
        penalty.iter().enumerate().for_each(|(j, v)| a[(j, j)] += v);
        a
    }
}
