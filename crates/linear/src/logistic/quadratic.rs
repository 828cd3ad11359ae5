//! The quadratic model of the objective around a point, minimized over some columns of one class: coordinate descent to find which
//! weights are 0, conjugate gradients among the others.
//!
//! min over d: g·Xd + ½ (Xd)ᵀ H (Xd) + penalty(w + d), with H the curvatures of the rows. With an intercept the columns are
//! taken about their means in the weights of H: the intercept then follows from the other steps and does not slow them.

use ermine_core::parallel::prelude::*;
use ermine_math::columns::Columns;
use ermine_math::coordinate::elastic_step;

use super::penalty::ElasticPenalty;

/// Steps of conjugate gradients at most in a round.
const CONJUGATE_STEPS: usize = 40;
/// Stored values from which threads share a product with all columns, and in how many parts.
const WORTH_SHARING: usize = 1 << 16;
const PARTS: usize = 4;
/// A column whose scatter is below this share of its squares is constant to rounding.
const CONSTANT: f64 = 1e-13;

/// The model at a point.
pub struct QuadraticModel<'a> {
    columns: &'a Columns<'a>,
    /// Which of the columns may move.
    set: &'a [usize],
    curvature: &'a [f64],
    penalty: ElasticPenalty,
    intercept: bool,
    /// Σ residual and Σ curvature of the rows.
    slope: f64,
    total: f64,
    /// For each column of the set: mean, gradient and curvature about it.
    mean: Vec<f64>,
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    stored: usize,
}

/// A step of the weights of the set and of the intercept, and what it adds to the scores.
pub struct NewtonStep {
    pub weights: Vec<f64>,
    pub intercept: f64,
    pub scores: Vec<f64>,
}

impl<'a> QuadraticModel<'a> {
    pub fn new(
        columns: &'a Columns<'a>,
        set: &'a [usize],
        residual: &[f64],
        curvature: &'a [f64],
        penalty: ElasticPenalty,
        intercept: bool,
    ) -> Self {
        let (slope, total) = (residual.iter().sum::<f64>(), curvature.iter().sum::<f64>());
        let of = |&k: &usize| {
            let mean = if intercept && total > 0.0 { columns.sum_weighted(k, curvature) / total } else { 0.0 };
            let square = columns.norm_weighted(k, curvature);
            let scatter = square - mean * mean * total;
            let gradient = columns.dot(k, residual) - mean * slope;
            (mean, gradient, if scatter > CONSTANT * square { scatter } else { 0.0 })
        };
        let stored = set.iter().map(|&k| columns.stored(k)).sum();
        let parts: Vec<(f64, f64, f64)> = match stored >= WORTH_SHARING {
            true => set.par_iter().with_min_len(16).map(of).collect(),
            false => set.iter().map(of).collect(),
        };
        let mean = parts.iter().map(|p| p.0).collect();
        let gradient = parts.iter().map(|p| p.1).collect();
        let diagonal = parts.iter().map(|p| p.2).collect();
        Self { columns, set, curvature, penalty, intercept, slope, total, mean, gradient, diagonal, stored }
    }

    /// The step from `w`: a round of coordinate descent that gains less than `rest` of the first ends the search, or the last of `rounds`.
    pub fn minimize(&self, w: &[f64], rest: f64, rounds: usize) -> NewtonStep {
        let mut at = DescentState { weights: w.to_vec(), scores: vec![0.0; self.curvature.len()], sum: 0.0, shift: 0.0 };
        let mut first = 0.0;
        for round in 0..rounds {
            let gain = self.descend(&mut at);
            first = if round == 0 { gain } else { first };
            if gain <= rest * first && round > 0 || gain == 0.0 {
                break;
            }
            let more = self.conjugate(&mut at, rest);
            if round == 0 && more <= rest * first {
                break;
            }
        }
        let shift = if self.intercept && self.total > 0.0 { -(at.sum + self.slope) / self.total } else { 0.0 };
        at.scores.iter_mut().for_each(|s| *s += shift);
        let weights = at.weights.iter().zip(w).map(|(a, b)| a - b).collect();
        NewtonStep { weights, intercept: at.shift + shift, scores: at.scores }
    }

    /// One round over the columns; what the model gained.
    fn descend(&self, at: &mut DescentState) -> f64 {
        let ElasticPenalty { l1, l2 } = self.penalty;
        let mut gain = 0.0;
        for (k, &column) in self.set.iter().enumerate() {
            let (old, curvature) = (at.weights[k], self.diagonal[k]);
            let slope = self.gradient[k] + self.columns.dot_weighted(column, self.curvature, &at.scores) - self.mean[k] * at.sum;
            if curvature + l2 <= 0.0 && l1 == 0.0 {
                continue;
            }
            let new = elastic_step(curvature * old - slope, curvature, l1, l2, false);
            let step = new - old;
            if step != 0.0 {
                self.columns.axpy(column, step, &mut at.scores);
                at.sum += step * self.mean[k] * self.total;
                at.weights[k] = new;
                gain += 0.5 * (curvature + l2) * step * step;
            }
        }
        gain
    }

    /// Conjugate gradients over the weights that are not 0, their signs held: a weight that would change its sign stops at 0. What
    /// the model gained; when it would lose, nothing is changed.
    fn conjugate(&self, at: &mut DescentState, rest_of_all: f64) -> f64 {
        let ElasticPenalty { l1, l2 } = self.penalty;
        let face: Vec<usize> =
            (0..self.set.len()).filter(|&k| self.diagonal[k] + l2 > 0.0 && (l1 == 0.0 || at.weights[k] != 0.0)).collect();
        let slope = |&k: &usize| {
            let w = at.weights[k];
            self.gradient[k] + self.columns.dot_weighted(self.set[k], self.curvature, &at.scores) - self.mean[k] * at.sum
                + if l1 > 0.0 { l1 * w.signum() } else { 0.0 }
                + l2 * w
        };
        let slopes: Vec<f64> = if self.stored >= WORTH_SHARING {
            face.par_iter().with_min_len(16).map(slope).collect()
        } else {
            face.iter().map(slope).collect()
        };
        let metric: Vec<f64> = face.iter().map(|&k| 1.0 / (self.diagonal[k] + l2)).collect();
        let mut rest: Vec<f64> = slopes.iter().map(|s| -s).collect();
        let mut direction: Vec<f64> = rest.iter().zip(&metric).map(|(r, m)| r * m).collect();
        let mut square = dot(&rest, &direction);
        let (start, mut step, mut scores) = (square, vec![0.0; face.len()], vec![0.0; at.scores.len()]);
        let mut shift = 0.0;
        for _ in 0..CONJUGATE_STEPS {
            // Not above 0 in any other case than 0, which ends here too.
            if square.is_nan() || square <= rest_of_all * rest_of_all * start || square == 0.0 {
                break;
            }
            let (along, along_shift) = self.combine(&face, &direction);
            let bend = along.iter().zip(self.curvature).map(|(s, h)| h * s * s).sum::<f64>() + l2 * dot(&direction, &direction);
            if bend.is_nan() || bend <= 0.0 {
                break;
            }
            let length = square / bend;
            step.iter_mut().zip(&direction).for_each(|(s, d)| *s += length * d);
            scores.iter_mut().zip(&along).for_each(|(s, a)| *s += length * a);
            shift += length * along_shift;
            let product = |(k, d): (&usize, &f64)| self.columns.dot_weighted(self.set[*k], self.curvature, &along) + l2 * d;
            let products: Vec<f64> = if self.stored >= WORTH_SHARING {
                face.par_iter().zip(&direction).with_min_len(16).map(product).collect()
            } else {
                face.iter().zip(&direction).map(product).collect()
            };
            rest.iter_mut().zip(&products).for_each(|(r, p)| *r -= length * p);
            let next: f64 = rest.iter().zip(&metric).map(|(r, m)| r * r * m).sum();
            let keep = next / square;
            square = next;
            direction.iter_mut().zip(rest.iter().zip(&metric)).for_each(|(d, (r, m))| *d = r * m + keep * *d);
        }
        let mut stopped = vec![false; face.len()];
        if l1 > 0.0 {
            let mut correction = vec![0.0; face.len()];
            for (a, &k) in face.iter().enumerate() {
                let w = at.weights[k];
                if (w + step[a]) * w <= 0.0 {
                    (correction[a], stopped[a]) = (-w - step[a], true);
                    step[a] = -w;
                }
            }
            if stopped.iter().any(|s| *s) {
                let back: Vec<usize> = (0..face.len()).filter(|&a| stopped[a]).collect();
                let (places, by): (Vec<usize>, Vec<f64>) = back.iter().map(|&a| (face[a], correction[a])).unzip();
                let (back, back_shift) = self.combine(&places, &by);
                scores.iter_mut().zip(back).for_each(|(s, b)| *s += b);
                shift += back_shift;
            }
        }
        let bend = scores.iter().zip(self.curvature).map(|(s, h)| h * s * s).sum::<f64>() + l2 * dot(&step, &step);
        let gain = -(dot(&slopes, &step) + 0.5 * bend);
        if gain.is_nan() || gain <= 0.0 {
            return 0.0;
        }
        for (a, &k) in face.iter().enumerate() {
            at.weights[k] = if stopped[a] { 0.0 } else { at.weights[k] + step[a] };
        }
        // The scores of a combination have weighted mean 0, so the sum stays.
        at.scores.iter_mut().zip(&scores).for_each(|(s, a)| *s += a);
        at.shift += shift;
        gain
    }

    /// Σ by_k x_k over some of the set, about its weighted mean where there is an intercept, and what that added.
    fn combine(&self, places: &[usize], by: &[f64]) -> (Vec<f64>, f64) {
        let n = self.curvature.len();
        let sum_of = |places: &[usize], by: &[f64]| {
            let mut out = vec![0.0; n];
            places.iter().zip(by).for_each(|(&k, &b)| self.columns.axpy(self.set[k], b, &mut out));
            out
        };
        let mut out = if self.stored >= WORTH_SHARING.max(PARTS * n) {
            // Parts of about as many stored values each; they depend on the data alone.
            let size = places.len().div_ceil(PARTS).max(1);
            let parts: Vec<Vec<f64>> = places.par_chunks(size).zip(by.par_chunks(size)).map(|(p, b)| sum_of(p, b)).collect();
            let mut parts = parts.into_iter();
            let mut out = parts.next().unwrap_or_else(|| vec![0.0; n]);
            parts.for_each(|part| out.iter_mut().zip(part).for_each(|(o, p)| *o += p));
            out
        } else {
            sum_of(places, by)
        };
        if self.intercept && self.total > 0.0 {
            let mean = out.iter().zip(self.curvature).map(|(s, h)| s * h).sum::<f64>() / self.total;
            out.iter_mut().for_each(|s| *s -= mean);
            return (out, -mean);
        }
        (out, 0.0)
    }
}

/// State of a minimization.
struct DescentState {
    weights: Vec<f64>,
    /// The change of the scores by the steps so far: the columns times them, and `shift`.
    scores: Vec<f64>,
    shift: f64,
    /// Their sum in the weights of the curvature.
    sum: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
