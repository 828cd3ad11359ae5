//! Confidence intervals of metrics, in closed form and by resampling.

use ermine_core::parallel::prelude::*;
use ermine_core::{Error, Result, RngStream};
use ermine_math::distribution::Normal;
use serde::{Deserialize, Serialize};

use super::rank::ranks;

/// An estimate with a confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Standard error of the estimate.
    pub standard_error: f64,
}

/// Wilson's score interval for a proportion, from `hits` of `trials`: the proportions that a test at the given level
/// (such as 0.95) does not reject. The whole of [0, 1] without trials.
///
/// E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference.
pub fn wilson(hits: f64, trials: f64, level: f64) -> (f64, f64) {
    if trials <= 0.0 {
        return (0.0, 1.0);
    }
    let z = Normal.isf((1.0 - level) / 2.0);
    let (p, z2) = (hits / trials, z * z);
    let middle = p + z2 / (2.0 * trials);
    let half = z * (p * (1.0 - p) / trials + z2 / (4.0 * trials * trials)).sqrt();
    let scale = 1.0 + z2 / trials;
    // At the ends the square root is exact in theory, but rounding errs.
    let low = if hits <= 0.0 { 0.0 } else { ((middle - half) / scale).max(0.0) };
    let high = if hits >= trials { 1.0 } else { ((middle + half) / scale).min(1.0) };
    (low, high)
}

/// Placement values: for each positive row the share of negative rows below it, for each negative row the share of
/// positive rows above it, ties counted half.
struct AucPlacements {
    positive: Vec<f64>,
    negative: Vec<f64>,
}

impl AucPlacements {
    fn of(positive: &[bool], score: &[f64]) -> Result<Self> {
        if positive.len() != score.len() {
            return Err(Error::Length { what: "scores".into(), expected: positive.len(), found: score.len() });
        }
        if let Some(row) = score.iter().position(|s| s.is_nan()) {
            return Err(Error::NotFinite { column: "score".into(), row, value: "NaN".into() });
        }
        let pick = |want: bool| -> Vec<f64> { (0..score.len()).filter(|&i| positive[i] == want).map(|i| score[i]).collect() };
        let (p, n) = (pick(true), pick(false));
        if p.len() < 2 || n.len() < 2 {
            return Err(Error::Data(format!(
                "the variance of an area under the ROC curve needs two rows of each class; there are {} and {}",
                p.len(),
                n.len()
            )));
        }
        // By ranks among all and within each class, in time n log n (Sun and Xu 2014).
        let (all, among_p, among_n) = (ranks(score), ranks(&p), ranks(&n));
        let (mut at_p, mut at_n) = (0, 0);
        let (mut of_p, mut of_n) = (Vec::with_capacity(p.len()), Vec::with_capacity(n.len()));
        for i in 0..score.len() {
            if positive[i] {
                of_p.push((all[i] - among_p[at_p]) / n.len() as f64);
                at_p += 1;
            } else {
                of_n.push(1.0 - (all[i] - among_n[at_n]) / p.len() as f64);
                at_n += 1;
            }
        }
        Ok(Self { positive: of_p, negative: of_n })
    }

    fn area(&self) -> f64 {
        mean(&self.positive)
    }

    /// The covariance of two areas on the same rows.
    fn covariance(&self, other: &Self) -> f64 {
        covariance(&self.positive, &other.positive) / self.positive.len() as f64
            + covariance(&self.negative, &other.negative) / self.negative.len() as f64
    }
}

fn mean(v: &[f64]) -> f64 {
    v.iter().sum::<f64>() / v.len() as f64
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (ma, mb) = (mean(a), mean(b));
    a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).sum::<f64>() / (a.len() as f64 - 1.0)
}

/// The area under the ROC curve with the interval of DeLong's variance, on the scale of its logit, so that it stays within 0 and 1.
///
/// E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating characteristic
/// curves.
pub fn delong(positive: &[bool], score: &[f64], level: f64) -> Result<Interval> {
    let p = AucPlacements::of(positive, score)?;
    let area = p.area();
    let standard_error = p.covariance(&p).max(0.0).sqrt();
    let z = Normal.isf((1.0 - level) / 2.0);
    let (low, high) = if area > 0.0 && area < 1.0 {
        let (logit, slope) = ((area / (1.0 - area)).ln(), area * (1.0 - area));
        let at = |v: f64| 1.0 / (1.0 + (-v).exp());
        (at(logit - z * standard_error / slope), at(logit + z * standard_error / slope))
    } else {
        // A perfect order has no variance to estimate; the rule of three for the rarer class gives a bound.
        let few = p.positive.len().min(p.negative.len()) as f64;
        let reach = 1.0 - ((1.0 - level) / 2.0).powf(1.0 / few);
        if area >= 1.0 { (1.0 - reach, 1.0) } else { (0.0, reach) }
    };
    Ok(Interval { estimate: area, low, high, standard_error })
}

/// The difference of the areas under two ROC curves on the same rows, first less second, with DeLong's interval and the p-value of "no difference".
pub fn delong_difference(positive: &[bool], first: &[f64], second: &[f64], level: f64) -> Result<(Interval, f64)> {
    let (a, b) = (AucPlacements::of(positive, first)?, AucPlacements::of(positive, second)?);
    let variance = a.covariance(&a) + b.covariance(&b) - 2.0 * a.covariance(&b);
    let (estimate, standard_error) = (a.area() - b.area(), variance.max(0.0).sqrt());
    let z = Normal.isf((1.0 - level) / 2.0);
    let p = if standard_error > 0.0 { 2.0 * Normal.sf((estimate / standard_error).abs()) } else { f64::from(estimate == 0.0) };
    let interval = Interval {
        estimate,
        low: (estimate - z * standard_error).max(-1.0),
        high: (estimate + z * standard_error).min(1.0),
        standard_error,
    };
    Ok((interval, p))
}

/// Bootstrap intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalMethod {
    /// Quantiles of the resampled values.
    Percentile,
    /// Quantiles corrected for bias and acceleration (BCa: Efron 1987).
    Accelerated,
}

/// Parameters of a bootstrap.
#[derive(Debug, Clone, Copy)]
pub struct BootstrapInterval<'a> {
    /// Number of resamples.
    pub resamples: usize,
    /// Level of the interval.
    pub level: f64,
    /// Type of the interval.
    pub ends: IntervalMethod,
    /// One class per row, for a stratified bootstrap; none to resample among all rows.
    pub strata: Option<&'a [u32]>,
    /// The seed.
    pub seed: u64,
}

impl Default for BootstrapInterval<'_> {
    fn default() -> Self {
        Self { resamples: 1000, level: 0.95, ends: IntervalMethod::Accelerated, strata: None, seed: 0 }
    }
}

/// Most groups of the jackknife for the acceleration; single rows where there are fewer.
const JACKKNIFE_GROUPS: usize = 200;

impl BootstrapInterval<'_> {
    /// The interval of a statistic of `rows` rows. The statistic gets the number of draws of each row as weights: every
    /// metric takes those, so that no row is copied. Resamples whose statistic is NaN (without a class) are ignored.
    pub fn interval(&self, rows: usize, statistic: impl Fn(&[f64]) -> f64 + Sync) -> Result<Interval> {
        if rows == 0 {
            return Err(Error::Data("there are 0 rows, and a bootstrap needs at least 1".into()));
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return Err(Error::Data(format!("a level of {}: it must lie between 0 and 1", self.level)));
        }
        if let Some(strata) = self.strata
            && strata.len() != rows
        {
            return Err(Error::Length { what: "strata".into(), expected: rows, found: strata.len() });
        }
        let groups: Vec<Vec<usize>> = match self.strata {
            None => vec![(0..rows).collect()],
            Some(strata) => {
                let most = strata.iter().max().map_or(0, |m| *m as usize + 1);
                let mut groups = vec![Vec::new(); most];
                strata.iter().enumerate().for_each(|(i, &s)| groups[s as usize].push(i));
                groups.retain(|g| !g.is_empty());
                groups
            }
        };
        let estimate = statistic(&vec![1.0; rows]);
        let draw = |b: usize| {
            let mut stream = RngStream::new(self.seed, "bootstrap", b as u64);
            let mut count = vec![0.0; rows];
            for group in &groups {
                for _ in 0..group.len() {
                    count[group[stream.below(group.len())]] += 1.0;
                }
            }
            statistic(&count)
        };
        let mut values: Vec<f64> = (0..self.resamples).into_par_iter().map(draw).collect();
        values.retain(|v| !v.is_nan());
        if values.len() < 2 {
            return Err(Error::Data("the statistic is no number on any draw of the bootstrap".into()));
        }
        let standard_error = covariance(&values, &values).sqrt();
        ermine_core::order::sort_numbers(&mut values);
        let tail = (1.0 - self.level) / 2.0;
        let (low, high) = match self.ends {
            IntervalMethod::Percentile => (tail, 1.0 - tail),
            IntervalMethod::Accelerated => self.accelerated(estimate, &values, rows, &statistic),
        };
        Ok(Interval { estimate, low: quantile(&values, low), high: quantile(&values, high), standard_error })
    }

    /// The quantiles in place of tail and 1 - tail.
    fn accelerated(&self, estimate: f64, sorted: &[f64], rows: usize, statistic: &(impl Fn(&[f64]) -> f64 + Sync)) -> (f64, f64) {
        let tail = (1.0 - self.level) / 2.0;
        // Resamples equal to the estimate count half.
        let below = sorted.partition_point(|v| *v < estimate);
        let equal = sorted.partition_point(|v| *v <= estimate) - below;
        let share = (below as f64 + 0.5 * equal as f64) / sorted.len() as f64;
        let bias = Normal.quantile(share.clamp(0.5 / sorted.len() as f64, 1.0 - 0.5 / sorted.len() as f64));
        let groups = rows.min(JACKKNIFE_GROUPS);
        let left_out = |g: usize| {
            let weight: Vec<f64> = (0..rows).map(|i| f64::from(i % groups != g)).collect();
            statistic(&weight)
        };
        let mut jack: Vec<f64> = (0..groups).into_par_iter().map(left_out).collect();
        jack.retain(|v| !v.is_nan());
        let middle = mean(&jack);
        let (square, cube) = jack.iter().map(|v| middle - v).fold((0.0, 0.0), |(s, c), d: f64| (s + d * d, c + d * d * d));
        let acceleration = if square > 0.0 { cube / (6.0 * square.powf(1.5)) } else { 0.0 };
        let moved = |q: f64| {
            let z = bias + Normal.quantile(q);
            let p = Normal.cdf(bias + z / (1.0 - acceleration * z));
            if p.is_nan() { q } else { p }
        };
        (moved(tail), moved(1.0 - tail))
    }
}

/// The quantile of sorted values, straight between them.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let k = (at as usize).min(sorted.len() - 2);
    sorted[k] + (sorted[k + 1] - sorted[k]) * (at - k as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_ends_solve_the_equation_of_the_test() {
        // (p - hits/n)² = z² p (1 - p) / n at both ends.
        for (hits, n, level) in [(7.0, 20.0, 0.95), (1.0, 400.0, 0.99), (399.0, 400.0, 0.8)] {
            let z = Normal.isf((1.0 - level) / 2.0);
            let (low, high) = wilson(hits, n, level);
            for p in [low, high] {
                let (left, right) = ((p - hits / n).powi(2), z * z * p * (1.0 - p) / n);
                assert!((left - right).abs() < 1e-12 * right, "{hits} of {n}: {left} {right}");
            }
        }
        let (low, high) = wilson(0.0, 10.0, 0.95);
        assert!(low == 0.0 && (high - 0.277_532_799_2).abs() < 1e-9, "{high}");
        assert_eq!(wilson(10.0, 10.0, 0.95).1, 1.0);
        assert_eq!(wilson(0.0, 0.0, 0.95), (0.0, 1.0));
    }

    /// The variance by its definition over all pairs.
    #[test]
    fn delong_is_the_variance_of_placements() {
        let positive = [true, false, true, true, false, false, true, false];
        let score = [0.9, 0.4, 0.4, 0.8, 0.3, 0.7, 0.2, 0.1];
        let wins = |a: f64, b: f64| {
            if a > b {
                1.0
            } else if a == b {
                0.5
            } else {
                0.0
            }
        };
        let pick = |want: bool| -> Vec<f64> { (0..8).filter(|&i| positive[i] == want).map(|i| score[i]).collect() };
        let (p, n) = (pick(true), pick(false));
        let of_p: Vec<f64> = p.iter().map(|&a| n.iter().map(|&b| wins(a, b)).sum::<f64>() / 4.0).collect();
        let of_n: Vec<f64> = n.iter().map(|&b| p.iter().map(|&a| wins(a, b)).sum::<f64>() / 4.0).collect();
        let variance = covariance(&of_p, &of_p) / 4.0 + covariance(&of_n, &of_n) / 4.0;
        let interval = delong(&positive, &score, 0.95).unwrap();
        assert!((interval.estimate - mean(&of_p)).abs() < 1e-15);
        assert!((interval.standard_error - variance.sqrt()).abs() < 1e-14);
        assert!(interval.low < interval.estimate && interval.estimate < interval.high && interval.high < 1.0);
        let (same, p) = delong_difference(&positive, &score, &score, 0.95).unwrap();
        assert_eq!((same.estimate, p), (0.0, 1.0));
        let perfect = delong(&positive, &positive.map(f64::from), 0.95).unwrap();
        assert!(perfect.high == 1.0 && perfect.low < 0.7, "{perfect:?}");
        assert!(delong(&[true, false, false], &[1.0, 0.0, 0.0], 0.95).is_err());
    }

    /// Intervals of DeLong and of the bootstrap cover the truth at about their level. The truth is Φ(1/√2) for scores
    /// N(1, 1) against N(0, 1).
    #[test]
    fn intervals_cover_at_their_rate() {
        let truth = Normal.cdf(std::f64::consts::FRAC_1_SQRT_2);
        let trials = 400;
        let (mut delongs, mut boots, mut means) = (0, 0, 0);
        for t in 0..trials {
            let mut s = RngStream::new(5, "coverage", t);
            let positive: Vec<bool> = (0..120).map(|i| i % 3 == 0).collect();
            let score: Vec<f64> = positive.iter().map(|&p| s.normal() + f64::from(p)).collect();
            let d = delong(&positive, &score, 0.9).unwrap();
            delongs += usize::from(d.low <= truth && truth <= d.high);
            let auc = |w: &[f64]| super::super::Thresholds::of(&positive, &score, Some(w)).unwrap().roc_auc().unwrap_or(f64::NAN);
            let plan = BootstrapInterval { resamples: 300, level: 0.9, seed: t, ..BootstrapInterval::default() };
            let b = plan.interval(120, auc).unwrap();
            boots += usize::from(b.low <= truth && truth <= b.high);
            // The mean of a skewed distribution: exponential, mean 1.
            let x: Vec<f64> = (0..60).map(|_| -(1.0 - s.uniform()).ln()).collect();
            let m = plan.interval(60, |w| w.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() / w.iter().sum::<f64>()).unwrap();
            means += usize::from(m.low <= 1.0 && 1.0 <= m.high);
        }
        // Three standard errors of a count around 0.9, and two points for the bias at this sample size.
        let least = (0.9 - 0.02 - 3.0 * (0.09f64 / trials as f64).sqrt()) * trials as f64;
        let most = (0.9 + 0.02 + 3.0 * (0.09f64 / trials as f64).sqrt()) * trials as f64;
        for (name, hits) in [("DeLong", delongs), ("bootstrap of an area", boots), ("bootstrap of a mean", means)] {
            assert!((least..=most).contains(&f64::from(hits as u32)), "{name}: {hits} of {trials}");
        }
    }

    #[test]
    fn a_bootstrap_does_not_depend_on_threads_and_keeps_strata() {
        let x: Vec<f64> = (0..50).map(|i| f64::from(i * i)).collect();
        let strata: Vec<u32> = (0..50).map(|i| i % 5).collect();
        let plan = BootstrapInterval { strata: Some(&strata), ..BootstrapInterval::default() };
        let counts_kept = |w: &[f64]| {
            (0..5)
                .map(|s| (0..50).filter(|&i| strata[i] == s).map(|i| w[i]).sum::<f64>())
                .fold(0.0f64, |m, v| m.max((v - 10.0).abs()))
        };
        let run = || plan.interval(50, |w| w.iter().zip(&x).map(|(w, x)| w * x).sum::<f64>() / 50.0).unwrap();
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
        assert_eq!(one, run());
        let kept = BootstrapInterval { ends: IntervalMethod::Percentile, ..plan }.interval(50, counts_kept).unwrap();
        assert_eq!((kept.low, kept.high), (0.0, 0.0));
        assert!(plan.interval(0, |_| 0.0).is_err() && plan.interval(3, |_| 0.0).is_err());
    }
}
