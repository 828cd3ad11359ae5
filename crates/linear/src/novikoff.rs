//! Novikoff's bound on the mistakes of a perceptron.

use ermine_core::{DatasetRef, Features, Result, Target};
use serde::{Deserialize, Serialize};

#[cfg(feature = "fit")]
use super::sgd::{RowVisitor, SgdRows, with_rows};

/// A separator of one class from the rest, and the bound on mistakes from its margin.
///
/// With zᵢ = sᵢ (xᵢ, 1) for sᵢ = ±1 (zᵢ = sᵢ xᵢ without intercept), R = max |zᵢ| and any unit vector u with zᵢ·u >= γ > 0, a
/// perceptron that starts from zero makes at most (R / γ)² mistakes, in any order of the rows, however often they are repeated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Novikoff {
    /// R, the length of the longest row.
    pub radius: f64,
    /// γ of the weights that the perceptron found.
    pub margin: f64,
    /// (R / γ)² for that margin.
    pub bound: f64,
    /// The largest margin that was found, by the weights or by a search for the nearest point of the rows' convex hull.
    pub best_margin: f64,
    /// (R / γ)² for that margin: the sharper bound.
    pub best_bound: f64,
    /// No separator has a margin above this: the distance of the hull from the origin is at most that of its points.
    pub margin_at_most: f64,
}

/// Passes over the rows in search of a wider margin.
const PASSES: usize = 100;
/// Relative distance from the widest margin at which the search ends.
const NEAR: f64 = 1e-3;

/// The evidence for weights that separate class `positive` from the rest, or `None` when they do not.
#[cfg(feature = "fit")]
pub(super) fn novikoff_bound(
    data: &DatasetRef<'_>,
    positive: u32,
    fit_intercept: bool,
    coef: &[f64],
    intercept: f64,
    learner: &str,
) -> Result<Option<Novikoff>> {
    let Target::Class { codes, .. } = data.y else { return Ok(None) };
    with_rows(&data.x as &Features<'_>, learner, MarginSearch { data, codes, positive, fit_intercept, coef, intercept })
}

struct MarginSearch<'a> {
    data: &'a DatasetRef<'a>,
    codes: &'a [u32],
    positive: u32,
    fit_intercept: bool,
    coef: &'a [f64],
    intercept: f64,
}

impl MarginSearch<'_> {
    fn sign(&self, i: usize) -> f64 {
        if self.codes[i] == self.positive { 1.0 } else { -1.0 }
    }

    /// The row with the least zᵢ·p, and that value; rows of weight 0 are absent.
    #[cfg(feature = "fit")]
    fn smallest_margin(&self, rows: &impl SgdRows, p: &[f64], b: f64) -> (usize, f64) {
        let mut least = (0, f64::INFINITY);
        for i in (0..rows.rows()).filter(|&i| self.data.weight_of(i) > 0.0) {
            let value = self.sign(i) * (rows.dot(i, p) + b);
            if value < least.1 {
                least = (i, value);
            }
        }
        least
    }
}

#[cfg(feature = "fit")]
impl RowVisitor for MarginSearch<'_> {
    type Out = Option<Novikoff>;

    fn visit(self, rows: &impl SgdRows) -> Result<Option<Novikoff>> {
        let one = f64::from(u8::from(self.fit_intercept));
        let used = (0..rows.rows()).filter(|&i| self.data.weight_of(i) > 0.0);
        let radius = used.map(|i| rows.square(i) + one).fold(0.0, f64::max).sqrt();
        let length = |p: &[f64], b: f64| (p.iter().map(|v| v * v).sum::<f64>() + b * b).sqrt();
        let margin = self.smallest_margin(rows, self.coef, self.intercept).1 / length(self.coef, self.intercept);
        if !(margin > 0.0 && radius.is_finite()) {
            return Ok(None);
        }
        // Gilbert's method: the point of the hull of the zᵢ nearest to the origin has the direction of the widest margin. The hull
        // is entered at its point in the direction least served so far.
        let (first, _) = self.smallest_margin(rows, self.coef, self.intercept);
        let mut p = vec![0.0; self.coef.len()];
        rows.add(first, self.sign(first), &mut p);
        let mut b = one * self.sign(first);
        let (mut best, mut at_most) = (margin, length(&p, b));
        for _ in 0..PASSES {
            let (i, value) = self.smallest_margin(rows, &p, b);
            let norm = length(&p, b);
            at_most = at_most.min(norm);
            best = best.max(value / norm);
            if best >= (1.0 - NEAR) * at_most {
                break;
            }
            let inner = value; // z_i · p
            let square = rows.square(i) + one;
            let apart = norm * norm - 2.0 * inner + square;
            let share = ((norm * norm - inner) / apart).clamp(0.0, 1.0);
            // NaN where the two points are one.
            if share.is_nan() || share <= 0.0 {
                break;
            }
            p.iter_mut().for_each(|v| *v *= 1.0 - share);
            rows.add(i, share * self.sign(i), &mut p);
            b = (1.0 - share) * b + share * one * self.sign(i);
        }
        let bound = |margin: f64| (radius / margin).powi(2);
        Ok(Some(Novikoff {
            radius,
            margin,
            bound: bound(margin),
            best_margin: best,
            best_bound: bound(best),
            margin_at_most: at_most.max(best),
        }))
    }
}
