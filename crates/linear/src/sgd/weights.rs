//! A weight vector whose decay, shrinking and averaging cost time only for the stored values of the current row.
//!
//! The weights are w = s v. An L2 penalty multiplies s alone. An L1 penalty adds to the debt `owed` that every weight has,
//! and a weight pays when a row needs it or when the vector is read (the cumulative penalty of Tsuruoka, Tsujii and
//! Ananiadou, 2009, kept in the units of v, in which paying late is exactly paying at once). The sum of the weights over the
//! steps is S v - a, where S is the sum of the scales so far and every change d of v adds S d to a.

#[cfg(feature = "fit")]
use super::rows::SgdRows;

/// Scales below this are multiplied into the vector, before digits of the averages are lost.
const SMALL: f64 = 1e-4;

#[derive(Debug, Clone)]
pub(super) struct SgdWeights {
    v: Vec<f64>,
    scale: f64,
    pub intercept: f64,
    debt: Option<L1Debt>,
    mean: Option<WeightAverage>,
    /// Whether every weight pays at every step: averages of shrinking weights need all of them.
    eager: bool,
}

/// The L1 shrinkage due for every weight so far and the part already applied to each, in the units of v (cumulative penalty).
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct L1Debt {
    pub owed: f64,
    pub paid: Vec<f64>,
}

/// The sum of the weights over the steps that are averaged.
#[derive(Debug, Clone)]
struct WeightAverage {
    /// S.
    scales: f64,
    /// a.
    less: Vec<f64>,
    count: f64,
    intercepts: f64,
}

impl SgdWeights {
    pub fn new(coef: &[f64], intercept: f64) -> Self {
        Self { v: coef.to_vec(), scale: 1.0, intercept, debt: None, mean: None, eager: false }
    }

    /// With an L1 penalty, from where an earlier run left it.
    pub fn shrinking(mut self, debt: L1Debt) -> Self {
        let paid = if debt.paid.is_empty() { vec![0.0; self.v.len()] } else { debt.paid };
        self.debt = Some(L1Debt { owed: debt.owed, paid });
        self.eager = self.mean.is_some();
        self
    }

    /// With averaging, from the mean of `count` earlier steps.
    pub fn averaging(mut self, coef: &[f64], intercept: f64, count: f64) -> Self {
        let less = coef.iter().map(|c| -c * count).collect();
        self.mean = Some(WeightAverage { scales: 0.0, less, count, intercepts: intercept * count });
        self.eager = self.debt.is_some();
        self
    }

    /// The score of a row.
    #[cfg(feature = "fit")]
    #[inline]
    pub fn score(&mut self, rows: &impl SgdRows, i: usize) -> f64 {
        if !self.eager
            && let Some(debt) = &mut self.debt
        {
            let v = &mut self.v;
            rows.columns(i, |j| debt.apply_l1(v, j));
        }
        self.scale * rows.dot(i, &self.v) + self.intercept
    }

    /// Multiplies the weights by `factor`, from 0 to 1.
    #[inline]
    pub fn decay(&mut self, factor: f64) {
        if factor == 1.0 {
            return;
        }
        self.scale *= factor;
        if self.scale < SMALL {
            self.rescale();
        }
    }

    fn rescale(&mut self) {
        let scale = self.scale;
        if let Some(mean) = &mut self.mean {
            mean.less.iter_mut().zip(&self.v).for_each(|(a, v)| *a -= mean.scales * v);
            mean.scales = 0.0;
        }
        self.v.iter_mut().for_each(|v| *v *= scale);
        if let Some(debt) = &mut self.debt {
            debt.owed *= scale;
            debt.paid.iter_mut().for_each(|q| *q *= scale);
        }
        self.scale = 1.0;
    }

    /// w += c x_i.
    #[cfg(feature = "fit")]
    #[inline]
    pub fn add(&mut self, rows: &impl SgdRows, i: usize, c: f64) {
        let c = c / self.scale;
        rows.add(i, c, &mut self.v);
        if let Some(mean) = &mut self.mean
            && mean.scales != 0.0
        {
            rows.add(i, c * mean.scales, &mut mean.less);
        }
    }

    /// Asks `amount` of every weight.
    #[inline]
    pub fn shrink(&mut self, amount: f64) {
        if let Some(debt) = &mut self.debt {
            debt.owed += amount / self.scale;
            if self.eager {
                self.apply_debt();
            }
        }
    }

    /// Lets every weight pay what it owes.
    pub fn apply_debt(&mut self) {
        let Some(debt) = &mut self.debt else { return };
        for j in 0..self.v.len() {
            let before = self.v[j];
            debt.apply_l1(&mut self.v, j);
            if let Some(mean) = &mut self.mean {
                mean.less[j] += mean.scales * (self.v[j] - before);
            }
        }
    }

    /// Takes the weights of this moment into the average.
    #[inline]
    pub fn count(&mut self) {
        if let Some(mean) = &mut self.mean {
            mean.scales += self.scale;
            mean.count += 1.0;
            mean.intercepts += self.intercept;
        }
    }

    /// The weights.
    pub fn coef(&mut self) -> Vec<f64> {
        self.apply_debt();
        self.v.iter().map(|v| self.scale * v).collect()
    }

    /// The averages of weights and intercept and how many steps are in them, when there are any.
    pub fn average(&mut self) -> Option<(Vec<f64>, f64, f64)> {
        self.apply_debt();
        let mean = self.mean.as_ref().filter(|m| m.count > 0.0)?;
        let coef = self.v.iter().zip(&mean.less).map(|(v, a)| (mean.scales * v - a) / mean.count).collect();
        Some((coef, mean.intercepts / mean.count, mean.count))
    }

    /// The L1 shrinkage due and applied, in the units of the weights.
    pub fn debt(&mut self) -> Option<L1Debt> {
        self.apply_debt();
        let s = self.scale;
        self.debt.as_ref().map(|d| L1Debt { owed: d.owed * s, paid: d.paid.iter().map(|q| q * s).collect() })
    }

    /// |w|² and |w|₁.
    pub fn norms(&mut self) -> (f64, f64) {
        self.apply_debt();
        let (square, size) = self.v.iter().fold((0.0, 0.0), |(q, a), v| (q + v * v, a + v.abs()));
        (self.scale * self.scale * square, self.scale * size)
    }

    pub fn is_finite(&self) -> bool {
        self.intercept.is_finite() && self.scale.is_finite() && self.v.iter().all(|v| v.is_finite())
    }
}

impl L1Debt {
    /// Moves weight `j` toward 0 by what it owes and not beyond.
    #[inline]
    fn apply_l1(&mut self, v: &mut [f64], j: usize) {
        let (before, paid) = (v[j], self.paid[j]);
        let after = if before > 0.0 {
            (before - (self.owed + paid)).max(0.0)
        } else if before < 0.0 {
            (before + (self.owed - paid)).min(0.0)
        } else {
            return;
        };
        v[j] = after;
        self.paid[j] = paid + (after - before);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::SparseRows;
    use super::*;
    use ermine_core::{Csr, RngStream};

    /// The same course with every weight touched at every step.
    struct EagerWeights {
        w: Vec<f64>,
        b: f64,
        owed: f64,
        paid: Vec<f64>,
        sum: Vec<f64>,
        sum_b: f64,
        count: f64,
    }

    #[test]
    fn late_payment_is_payment_at_once_and_averages_are_means() {
        let mut rng = RngStream::new(4, "lazy", 0);
        let (rows, cols) = (60, 9);
        let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
        for _ in 0..rows {
            for j in 0..cols {
                if rng.uniform() < 0.3 {
                    indices.push(j as u32);
                    values.push(rng.normal());
                }
            }
            indptr.push(values.len());
        }
        let csr = Csr::new(indptr, indices, values, cols).unwrap();
        let x = csr.view().to_dense();
        let set = SparseRows(csr.view());
        for (l1, average) in [(false, false), (true, false), (false, true), (true, true)] {
            let start = vec![0.1; cols];
            let mut lazy = SgdWeights::new(&start, 0.0);
            if l1 {
                lazy = lazy.shrinking(L1Debt::default());
            }
            if average {
                lazy = lazy.averaging(&vec![0.0; cols], 0.0, 0.0);
            }
            let zero = vec![0.0; cols];
            let mut plain = EagerWeights { w: start, b: 0.0, owed: 0.0, paid: zero.clone(), sum: zero, sum_b: 0.0, count: 0.0 };
            for step in 0..400 {
                let i = step % rows;
                let z = plain.w.iter().zip(x.row(i)).map(|(w, x)| w * x).sum::<f64>() + plain.b;
                assert!((lazy.score(&set, i) - z).abs() < 1e-11, "step {step}");
                // Decay strong enough that the scale is multiplied in several times.
                let (c, factor, shrink) = (0.3 * ((step % 7) as f64 - 3.0), 0.9, 0.01);
                lazy.decay(factor);
                lazy.add(&set, i, c);
                lazy.intercept += c;
                plain.w.iter_mut().zip(x.row(i)).for_each(|(w, x)| *w = *w * factor + c * x);
                plain.b += c;
                if l1 {
                    lazy.shrink(shrink);
                    // The applied shrinkage is scaled with the weights: both are in units of v.
                    plain.owed = plain.owed * factor + shrink;
                    for j in 0..cols {
                        plain.paid[j] *= factor;
                        let before = plain.w[j];
                        if before > 0.0 {
                            plain.w[j] = (before - (plain.owed + plain.paid[j])).max(0.0);
                        } else if before < 0.0 {
                            plain.w[j] = (before + (plain.owed - plain.paid[j])).min(0.0);
                        }
                        plain.paid[j] += plain.w[j] - before;
                    }
                }
                lazy.count();
                plain.sum.iter_mut().zip(&plain.w).for_each(|(s, w)| *s += w);
                plain.sum_b += plain.b;
                plain.count += 1.0;
            }
            for (a, b) in lazy.coef().iter().zip(&plain.w) {
                assert!((a - b).abs() < 1e-11, "{l1} {average}: {a} {b}");
            }
            if average {
                let (coef, intercept, count) = lazy.average().unwrap();
                assert_eq!(count, 400.0);
                assert!((intercept - plain.sum_b / count).abs() < 1e-11);
                for (a, b) in coef.iter().zip(&plain.sum) {
                    assert!((a - b / count).abs() < 1e-10, "{l1}: {a} {}", b / count);
                }
            } else {
                assert!(lazy.average().is_none());
            }
        }
    }
}
