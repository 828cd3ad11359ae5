//! Proposals of a search: random, low-discrepancy, or by a model of earlier trials.

use ermine_core::RngStream;

use super::SearchSpace;

/// A scored setting: its position in the space and its loss.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScoredPoint {
    pub place: Vec<f64>,
    pub loss: f64,
}

/// A random position.
pub(super) fn random_point(space: &SearchSpace, seed: u64, index: u64) -> Vec<f64> {
    let mut stream = RngStream::new(seed, "random search", index);
    space.axes.iter().map(|_| stream.uniform()).collect()
}

/// Element `index` of a low-discrepancy sequence from a random start: multiples of the powers of the root of xᵈ⁺¹ = x +
/// 1 (Roberts 2018), a golden ratio of d dimensions.
pub(super) fn low_discrepancy_point(space: &SearchSpace, seed: u64, index: u64) -> Vec<f64> {
    let d = space.axes.len();
    let mut root: f64 = 1.5;
    for _ in 0..60 {
        root = (1.0 + root).powf(1.0 / (d as f64 + 1.0));
    }
    let mut stream = RngStream::new(seed, "even search", 0);
    (0..d).map(|j| (stream.uniform() + (index + 1) as f64 * root.powi(-(j as i32) - 1)).fract()).collect()
}

/// Candidates sampled for a proposal.
const CANDIDATES: usize = 48;
/// The share of trials that count as good, and the most of them.
const GOOD_SHARE: f64 = 0.2;
const MOST_GOOD: usize = 25;

/// Tree-structured Parzen estimator: the candidate that is likely among the good trials and unlikely among the others.
///
/// Along each axis the positions of good trials, and those of the others, are smoothed into densities l and g; of
/// candidates sampled from l the one with the greatest l/g is taken, which is the one of greatest expected improvement.
///
/// J. Bergstra, R. Bardenet, Y. Bengio, B. Kégl (2011), Algorithms for hyper-parameter optimization.
pub(super) fn tpe_proposal(space: &SearchSpace, known: &[ScoredPoint], seed: u64, index: u64) -> Vec<f64> {
    let mut order: Vec<&ScoredPoint> = known.iter().collect();
    order.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    let good = ((order.len() as f64 * GOOD_SHARE).ceil() as usize).clamp(1, MOST_GOOD).min(order.len());
    let (good, rest) = order.split_at(good);
    let parts: Vec<(ParzenDensity, ParzenDensity)> = space
        .axes
        .iter()
        .enumerate()
        .map(|(j, (_, axis))| {
            let of = |some: &[&ScoredPoint]| some.iter().map(|k| k.place[j]).collect::<Vec<f64>>();
            // Choices are unordered: each value is counted separately.
            let kinds = if let super::SearchAxis::Choice(values) = axis { Some(values.len()) } else { None };
            (ParzenDensity::new(of(good), kinds), ParzenDensity::new(of(rest), kinds))
        })
        .collect();
    let mut stream = RngStream::new(seed, "promising search", index);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..CANDIDATES {
        let place: Vec<f64> = parts.iter().map(|(good, _)| good.draw(&mut stream)).collect();
        let promise: f64 = parts.iter().zip(&place).map(|((l, g), &u)| l.density(u).ln() - g.density(u).ln()).sum();
        if best.as_ref().is_none_or(|b| promise > b.0) {
            best = Some((promise, place));
        }
    }
    best.map_or_else(|| random_point(space, seed, index), |b| b.1)
}

/// A density on [0, 1] around points.
enum ParzenDensity {
    /// Truncated normal kernels, each as wide as the distance to its farther neighbor, and one wide kernel as a prior.
    Humps(Vec<(f64, f64)>),
    /// Frequencies of values, each with one pseudo-count.
    Shares(Vec<f64>),
}

impl ParzenDensity {
    fn new(mut points: Vec<f64>, kinds: Option<usize>) -> Self {
        if let Some(kinds) = kinds {
            let mut counts = vec![1.0; kinds];
            points.iter().for_each(|p| counts[((p * kinds as f64) as usize).min(kinds - 1)] += 1.0);
            let total: f64 = counts.iter().sum();
            return Self::Shares(counts.into_iter().map(|c| c / total).collect());
        }
        ermine_core::order::sort_numbers(&mut points);
        let n = points.len();
        // With more points kernels may be narrower.
        let least = 1.0 / (1.0 + n as f64).min(100.0);
        let width = |k: usize| {
            let left = if k == 0 { points[k] } else { points[k] - points[k - 1] };
            let right = if k + 1 == n { 1.0 - points[k] } else { points[k + 1] - points[k] };
            left.max(right).clamp(least, 1.0)
        };
        let mut humps: Vec<(f64, f64)> = (0..n).map(|k| (points[k], width(k))).collect();
        humps.push((0.5, 1.0));
        Self::Humps(humps)
    }

    fn draw(&self, stream: &mut RngStream) -> f64 {
        match self {
            Self::Shares(shares) => (stream.weighted(shares) as f64 + 0.5) / shares.len() as f64,
            Self::Humps(humps) => {
                let (mean, sd) = humps[stream.below(humps.len())];
                // At least a third of every kernel is within, so this ends soon.
                loop {
                    let u = mean + sd * stream.normal();
                    if (0.0..=1.0).contains(&u) {
                        return u;
                    }
                }
            }
        }
    }

    fn density(&self, u: f64) -> f64 {
        match self {
            Self::Shares(shares) => shares[((u * shares.len() as f64) as usize).min(shares.len() - 1)],
            Self::Humps(humps) => {
                let law = ermine_math::distribution::Normal;
                let hump = |&(mean, sd): &(f64, f64)| {
                    let inside = law.cdf((1.0 - mean) / sd) - law.cdf(-mean / sd);
                    law.pdf((u - mean) / sd) / (sd * inside)
                };
                humps.iter().map(hump).sum::<f64>() / humps.len() as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SearchAxis;

    fn square() -> SearchSpace {
        let real = || SearchAxis::Real { lo: 0.0, hi: 1.0, log: false };
        let letters = SearchAxis::Choice(["a", "b", "c"].map(serde_json::Value::from).to_vec());
        SearchSpace { axes: vec![("x".into(), real()), ("y".into(), real()), ("z".into(), letters)] }
    }

    #[test]
    fn densities_integrate_to_one() {
        for points in [vec![], vec![0.0], vec![0.2, 0.21, 0.9], vec![1.0; 5]] {
            let p = ParzenDensity::new(points.clone(), None);
            let n = 20_000;
            let area: f64 = (0..n).map(|k| p.density((f64::from(k) + 0.5) / f64::from(n))).sum::<f64>() / f64::from(n);
            assert!((area - 1.0).abs() < 1e-6, "{points:?}: {area}");
        }
    }

    #[test]
    fn even_places_leave_no_large_hole() {
        let places: Vec<Vec<f64>> = (0..64).map(|k| low_discrepancy_point(&square(), 3, k)).collect();
        // Each cell of a 4 by 4 grid has between 1 and 9 of 64 positions; 4 on average.
        for (a, b) in (0..16).map(|c| (c / 4, c % 4)) {
            let inside = |p: &&Vec<f64>| (p[0] * 4.0) as usize == a && (p[1] * 4.0) as usize == b;
            let n = places.iter().filter(inside).count();
            assert!((1..=9).contains(&n), "{n} in cell {a}, {b}");
        }
    }

    /// On a smooth bowl with one good choice, model-based proposals beat random ones with the same number of trials.
    #[test]
    fn model_based_proposals_come_nearer_to_the_least_loss_than_random_ones() {
        let loss = |p: &[f64]| (p[0] - 0.3).powi(2) + (p[1] - 0.8).powi(2) + if p[2] < 0.34 { 0.0 } else { 0.3 };
        let (mut better, runs) = (0, 20);
        for seed in 0..runs {
            let mut known: Vec<ScoredPoint> = Vec::new();
            let mut chance = f64::INFINITY;
            for k in 0..40 {
                let place =
                    if k < 10 { low_discrepancy_point(&square(), seed, k) } else { tpe_proposal(&square(), &known, seed, k) };
                known.push(ScoredPoint { loss: loss(&place), place });
                chance = chance.min(loss(&random_point(&square(), seed, k)));
            }
            let best = known.iter().map(|k| k.loss).fold(f64::INFINITY, f64::min);
            better += usize::from(best < chance);
        }
        assert!(better >= 16, "{better} of {runs}");
    }
}
