//! Agreement of two clusterings of the same rows.

use ermine_core::{Error, Partial, Result};
use ermine_math::distribution::ln_gamma;
use serde::{Deserialize, Serialize};

/// Contingency table: weight of the rows in cluster a of the first clustering and cluster b of the second. A
/// [`Partial`].
///
/// ```
/// use ermine_eval::metrics::Contingency;
/// let t = Contingency::of(&[0, 0, 1, 1], &[1, 1, 0, 0], None);
/// assert_eq!((t.adjusted_rand(), t.v_measure(1.0)), (1.0, 1.0));       // names do not matter
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Contingency {
    /// (first cluster, second cluster, weight of the rows), sorted, without zeros.
    cells: Vec<(u32, u32, f64)>,
}

fn pairs(n: f64) -> f64 {
    n * (n - 1.0) / 2.0
}

impl Contingency {
    /// Counts rows by their clusters in both clusterings.
    pub fn of(a: &[u32], b: &[u32], weight: Option<&[f64]>) -> Self {
        let rows = a.iter().zip(b).enumerate().map(|(i, (&a, &b))| (a, b, weight.map_or(1.0, |w| w[i])));
        Self::gather(rows.filter(|r| r.2 > 0.0).collect())
    }

    fn gather(mut rows: Vec<(u32, u32, f64)>) -> Self {
        rows.sort_by_key(|r| (r.0, r.1));
        let mut cells: Vec<(u32, u32, f64)> = Vec::new();
        for row in rows {
            match cells.last_mut() {
                Some(last) if (last.0, last.1) == (row.0, row.1) => last.2 += row.2,
                _ => cells.push(row),
            }
        }
        Self { cells }
    }

    /// The sizes of the clusters of the first and of the second clustering.
    fn margins(&self) -> (Vec<f64>, Vec<f64>) {
        let mut sizes = (std::collections::BTreeMap::new(), std::collections::BTreeMap::new());
        for &(a, b, n) in &self.cells {
            *sizes.0.entry(a).or_insert(0.0) += n;
            *sizes.1.entry(b).or_insert(0.0) += n;
        }
        (sizes.0.into_values().collect(), sizes.1.into_values().collect())
    }

    fn total(&self) -> f64 {
        self.cells.iter().map(|c| c.2).sum()
    }

    /// Pairs of rows that are together in both, in the first, in the second, and all pairs.
    fn pair_counts(&self) -> (f64, f64, f64, f64) {
        let (a, b) = self.margins();
        let sum = |v: &[f64]| v.iter().map(|&n| pairs(n)).sum::<f64>();
        (self.cells.iter().map(|c| pairs(c.2)).sum(), sum(&a), sum(&b), pairs(self.total()))
    }

    /// Share of the pairs of rows on which both agree: together in both, or apart in both.
    pub fn rand(&self) -> f64 {
        let (both, a, b, all) = self.pair_counts();
        if all > 0.0 { (all + 2.0 * both - a - b) / all } else { 1.0 }
    }

    /// The Rand index adjusted for chance: 0 on average for random clusterings of these sizes, 1 when equal (Hubert and
    /// Arabie 1985).
    pub fn adjusted_rand(&self) -> f64 {
        let (both, a, b, all) = self.pair_counts();
        let (expected, most) = (if all > 0.0 { a * b / all } else { 0.0 }, (a + b) / 2.0);
        if most == expected { 1.0 } else { (both - expected) / (most - expected) }
    }

    /// The geometric mean of precision and recall over pairs that are together (Fowlkes and Mallows 1983).
    pub fn fowlkes_mallows(&self) -> f64 {
        let (both, a, b, _) = self.pair_counts();
        if both > 0.0 { (both / a).sqrt() * (both / b).sqrt() } else { 0.0 }
    }

    /// The entropies of the two clusterings, in nats.
    pub fn entropies(&self) -> (f64, f64) {
        let n = self.total();
        let of = |v: &[f64]| -v.iter().map(|&m| m / n * (m / n).ln()).sum::<f64>();
        let (a, b) = self.margins();
        (of(&a), of(&b))
    }

    /// Mutual information of the clusterings, in nats.
    pub fn mutual_information(&self) -> f64 {
        let n = self.total();
        let (mut a, mut b) = (std::collections::BTreeMap::new(), std::collections::BTreeMap::new());
        for &(i, j, m) in &self.cells {
            *a.entry(i).or_insert(0.0) += m;
            *b.entry(j).or_insert(0.0) += m;
        }
        let of = |&(i, j, m): &(u32, u32, f64)| m / n * f64::ln((m / a[&i]) * (n / b[&j]));
        self.cells.iter().map(of).sum::<f64>().max(0.0)
    }

    /// Mutual information over the mean of the entropies: 0 for independent clusterings, 1 when equal.
    pub fn normalized_mutual_information(&self) -> f64 {
        let (a, b) = self.entropies();
        let mean = 0.5 * (a + b);
        if mean > 0.0 { self.mutual_information() / mean } else { 1.0 }
    }

    /// [`Contingency::normalized_mutual_information`] adjusted for chance: the expectation over random clusterings of
    /// these sizes is subtracted in numerator and denominator (Vinh, Epps, Bailey 2010). Weights must be integers,
    /// since it counts rows.
    pub fn adjusted_mutual_information(&self) -> Result<f64> {
        if let Some(cell) = self.cells.iter().find(|c| c.2.fract() != 0.0) {
            return Err(Error::Weight(format!("adjusted mutual information counts rows, and a cell has weight {}", cell.2)));
        }
        let (a, b) = self.margins();
        if a.len() == b.len() && (a.len() <= 1 || self.cells.len() == a.len()) {
            return Ok(1.0);
        }
        let n = self.total();
        let ln_factorial = |m: f64| ln_gamma(m + 1.0);
        let mut expected = 0.0;
        for &x in &a {
            for &y in &b {
                let fixed = ln_factorial(x) + ln_factorial(y) + ln_factorial(n - x) + ln_factorial(n - y) - ln_factorial(n);
                let mut m = (x + y - n).max(1.0);
                while m <= x.min(y) {
                    let ways = ln_factorial(m) + ln_factorial(x - m) + ln_factorial(y - m) + ln_factorial(n - x - y + m);
                    expected += m / n * (n * m / (x * y)).ln() * (fixed - ways).exp();
                    m += 1.0;
                }
            }
        }
        let (ha, hb) = self.entropies();
        let (above, below) = (self.mutual_information() - expected, 0.5 * (ha + hb) - expected);
        // Below rounding there is nothing left to compare.
        Ok(if below.abs() < f64::EPSILON { 0.0 } else { above / below })
    }

    /// Homogeneity: whether each cluster of the second clustering has rows of one cluster of the first: 1 minus the
    /// conditional entropy of the first given the second, over its entropy.
    pub fn homogeneity(&self) -> f64 {
        let (a, _) = self.entropies();
        if a > 0.0 { self.mutual_information() / a } else { 1.0 }
    }

    /// Completeness: whether the rows of each cluster of the first clustering are in one cluster of the second:
    /// [`Contingency::homogeneity`] with the two exchanged.
    pub fn completeness(&self) -> f64 {
        let (_, b) = self.entropies();
        if b > 0.0 { self.mutual_information() / b } else { 1.0 }
    }

    /// The harmonic mean of homogeneity and completeness, the latter counting `beta` times as much (Rosenberg and Hirschberg 2007).
    pub fn v_measure(&self, beta: f64) -> f64 {
        let (h, c) = (self.homogeneity(), self.completeness());
        if beta * h + c > 0.0 { (1.0 + beta) * h * c / (beta * h + c) } else { 0.0 }
    }
}

impl Partial for Contingency {
    fn merge(&mut self, other: Self) -> Result<()> {
        let mut cells = std::mem::take(&mut self.cells);
        cells.extend(other.cells);
        *self = Self::gather(cells);
        Ok(())
    }
}

/// The adjusted Rand index of two clusterings (Hubert and Arabie 1985).
pub fn adjusted_rand(a: &[u32], b: &[u32]) -> f64 {
    Contingency::of(a, b, None).adjusted_rand()
}
