//! Conjugate priors: an update adds counts.

use ermine_core::{Error, Mat, MatRef, Result};

use crate::distribution::ln_gamma;
use crate::linalg::Cholesky;

/// The prior of a proportion p: density ∝ pᵃ⁻¹ (1 - p)ᵇ⁻¹. `a` and `b` are pseudo-counts of successes and failures; 1
/// and 1 is flat.
///
/// ```
/// use ermine_math::prior::Beta;
/// let posterior = Beta::new(2.0, 2.0)?.update(7.0, 1.0);
/// assert_eq!((posterior.a, posterior.b), (9.0, 3.0));
/// assert_eq!(posterior.mode(), Some(0.8));
/// assert_eq!(posterior.mean(), 0.75);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beta {
    /// Pseudo-count of successes.
    pub a: f64,
    /// Pseudo-count of failures.
    pub b: f64,
}

impl Beta {
    /// A prior; both numbers must be above 0.
    pub fn new(a: f64, b: f64) -> Result<Self> {
        positive("beta", [a, b].iter())?;
        Ok(Self { a, b })
    }

    /// The posterior after successes and failures, or their weights.
    pub fn update(self, successes: f64, failures: f64) -> Self {
        Self { a: self.a + successes, b: self.b + failures }
    }

    /// a / (a + b).
    pub fn mean(self) -> f64 {
        self.a / (self.a + self.b)
    }

    /// a b / ((a + b)² (a + b + 1)).
    pub fn variance(self) -> f64 {
        let n = self.a + self.b;
        self.mean() * (self.b / n) / (n + 1.0)
    }

    /// The mode, (a - 1) / (a + b - 2): the MAP estimate. None where the density has no single peak.
    pub fn mode(self) -> Option<f64> {
        let (a, b) = (self.a - 1.0, self.b - 1.0);
        (a >= 0.0 && b >= 0.0 && a + b > 0.0).then(|| a / (a + b))
    }

    /// The logarithm of the density.
    pub fn log_density(self, p: f64) -> f64 {
        log_power(p, self.a - 1.0) + log_power(1.0 - p, self.b - 1.0) + ln_gamma(self.a + self.b)
            - ln_gamma(self.a)
            - ln_gamma(self.b)
    }
}

/// The prior of proportions p that sum to 1: density ∝ Π pₖ^(αₖ - 1). αₖ is the pseudo-count of kind k; all 1 is flat,
/// and 1 + s with s the smoothing of a naive Bayes classifier.
///
/// ```
/// use ermine_math::prior::Dirichlet;
/// let posterior = Dirichlet::symmetric(3, 2.0)?.update(&[4.0, 0.0, 1.0])?;
/// assert_eq!(posterior.mode(), Some(vec![0.625, 0.125, 0.25]));
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dirichlet {
    alpha: Vec<f64>,
}

impl Dirichlet {
    /// A prior; every number must be above 0, and there must be one at least.
    pub fn new(alpha: Vec<f64>) -> Result<Self> {
        positive("dirichlet", alpha.iter())?;
        if alpha.is_empty() {
            return Err(Error::Data("dirichlet: it needs at least one kind".into()));
        }
        Ok(Self { alpha })
    }

    /// The same number for each of `kinds` kinds.
    pub fn symmetric(kinds: usize, alpha: f64) -> Result<Self> {
        Self::new(vec![alpha; kinds])
    }

    /// The numbers.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The posterior after counts, or weights, of each kind.
    pub fn update(&self, counts: &[f64]) -> Result<Self> {
        if counts.len() != self.alpha.len() {
            return Err(Error::Length { what: "counts".into(), expected: self.alpha.len(), found: counts.len() });
        }
        Self::new(self.alpha.iter().zip(counts).map(|(a, c)| a + c).collect())
    }

    /// αₖ / Σ α.
    pub fn mean(&self) -> Vec<f64> {
        let total: f64 = self.alpha.iter().sum();
        self.alpha.iter().map(|a| a / total).collect()
    }

    /// The mode, (αₖ - 1) / (Σ α - K): the MAP estimate. None where the density has no single peak.
    pub fn mode(&self) -> Option<Vec<f64>> {
        let total: f64 = self.alpha.iter().map(|a| a - 1.0).sum();
        let single = self.alpha.iter().all(|a| *a >= 1.0) && total > 0.0;
        single.then(|| self.alpha.iter().map(|a| (a - 1.0) / total).collect())
    }

    /// The logarithm of the density.
    pub fn log_density(&self, p: &[f64]) -> f64 {
        let kernel: f64 = p.iter().zip(&self.alpha).map(|(p, a)| log_power(*p, a - 1.0)).sum();
        kernel + ln_gamma(self.alpha.iter().sum()) - self.alpha.iter().map(|a| ln_gamma(*a)).sum::<f64>()
    }
}

/// The prior of a precision matrix Λ of p columns: density ∝ |Λ|^((ν - p - 1)/2) exp(-½ tr(S Λ)). ν is a pseudo-count
/// of rows, and S the sum of the products of their deviations from the mean. The covariance Λ⁻¹ then has an inverse
/// Wishart prior.
///
/// ```
/// use ermine_core::Mat;
/// use ermine_math::prior::Wishart;
/// // Four rows of variance 1 seen before, then ten rows whose squares sum to 50.
/// let prior = Wishart::new(4.0, Mat::from_vec(1, 1, vec![4.0]))?;
/// let posterior = prior.update(10.0, Mat::from_vec(1, 1, vec![50.0]).view())?;
/// assert_eq!(posterior.covariance_mode()[(0, 0)], 54.0 / 16.0);
/// assert_eq!(posterior.covariance_mean().unwrap()[(0, 0)], 54.0 / 12.0);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Wishart {
    df: f64,
    scatter: Mat<f64>,
}

impl Wishart {
    /// A prior; `scatter` must be symmetric and positive definite, and `df` above its columns minus 1.
    pub fn new(df: f64, scatter: Mat<f64>) -> Result<Self> {
        let p = scatter.cols();
        if p == 0 || scatter.rows() != p {
            return Err(Error::Data(format!("wishart: a scatter matrix of {} x {p} is not square", scatter.rows())));
        }
        if !(df > p as f64 - 1.0 && df.is_finite()) {
            return Err(Error::Data(format!("wishart: {df} degrees of freedom for {p} columns; it needs more than {}", p - 1)));
        }
        Cholesky::new(scatter.view())?;
        Ok(Self { df, scatter })
    }

    /// Degrees of freedom ν.
    pub fn df(&self) -> f64 {
        self.df
    }

    /// S.
    pub fn scatter(&self) -> &Mat<f64> {
        &self.scatter
    }

    /// The posterior after `rows` rows (or their weight) whose products of deviations from a known mean sum to `scatter`. Where
    /// the mean was estimated from the same rows, they count as one row less.
    pub fn update(&self, rows: f64, scatter: MatRef<'_, f64>) -> Result<Self> {
        let p = self.scatter.cols();
        if (scatter.rows(), scatter.cols()) != (p, p) {
            return Err(Error::Length { what: "columns of the scatter matrix".into(), expected: p, found: scatter.cols() });
        }
        Self::new(self.df + rows, Mat::from_fn(p, p, |i, j| self.scatter[(i, j)] + scatter.at(i, j)))
    }

    /// The mean of the precision, ν S⁻¹.
    pub fn precision_mean(&self) -> Result<Mat<f64>> {
        self.times_inverse(self.df)
    }

    /// The mode of the precision, (ν - p - 1) S⁻¹; none with too few degrees of freedom.
    pub fn precision_mode(&self) -> Result<Option<Mat<f64>>> {
        let factor = self.df - self.scatter.cols() as f64 - 1.0;
        if factor <= 0.0 { Ok(None) } else { self.times_inverse(factor).map(Some) }
    }

    /// The mode of the covariance, S / (ν + p + 1): the MAP estimate.
    pub fn covariance_mode(&self) -> Mat<f64> {
        self.over(self.df + self.scatter.cols() as f64 + 1.0)
    }

    /// The mean of the covariance, S / (ν - p - 1); none with too few degrees of freedom.
    pub fn covariance_mean(&self) -> Option<Mat<f64>> {
        let divisor = self.df - self.scatter.cols() as f64 - 1.0;
        (divisor > 0.0).then(|| self.over(divisor))
    }

    /// The logarithm of the density of a precision matrix.
    pub fn log_density(&self, precision: MatRef<'_, f64>) -> Result<f64> {
        let p = self.scatter.cols();
        let log_det = Cholesky::new(precision)?.log_determinant();
        let trace: f64 =
            (0..p).flat_map(|i| (0..p).map(move |j| (i, j))).map(|(i, j)| self.scatter[(i, j)] * precision.at(j, i)).sum();
        let half = 0.5 * self.df;
        let log_gamma = 0.25 * (p * (p - 1)) as f64 * std::f64::consts::PI.ln()
            + (0..p).map(|k| ln_gamma(half - 0.5 * k as f64)).sum::<f64>();
        let log_scatter = Cholesky::new(self.scatter.view())?.log_determinant();
        let norm = half * (p as f64 * std::f64::consts::LN_2 - log_scatter) + log_gamma;
        Ok(0.5 * (self.df - p as f64 - 1.0) * log_det - 0.5 * trace - norm)
    }

    fn over(&self, divisor: f64) -> Mat<f64> {
        Mat::from_fn(self.scatter.rows(), self.scatter.cols(), |i, j| self.scatter[(i, j)] / divisor)
    }

    fn times_inverse(&self, factor: f64) -> Result<Mat<f64>> {
        let mut inverse = Cholesky::new(self.scatter.view())?.inverse();
        inverse.as_mut_slice().iter_mut().for_each(|v| *v *= factor);
        Ok(inverse)
    }
}

/// exponent · log x, 0 where the exponent is.
fn log_power(x: f64, exponent: f64) -> f64 {
    if exponent == 0.0 { 0.0 } else { exponent * x.ln() }
}

fn positive<'a>(prior: &str, mut values: impl Iterator<Item = &'a f64>) -> Result<()> {
    match values.find(|v| !(**v > 0.0 && v.is_finite())) {
        Some(v) => Err(Error::Data(format!("{prior}: {v} is invalid; its numbers must be above 0"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Posterior over prior times likelihood is the same at all points: Bayes' rule up to its constant.
    #[track_caller]
    fn bayes(points: &[f64]) {
        points.iter().for_each(|p| assert!((p - points[0]).abs() < 1e-10 * (1.0 + points[0].abs()), "{points:?}"));
    }

    #[test]
    fn posteriors_follow_bayes_rule() {
        let (prior, (s, f)) = (Beta::new(2.5, 0.7).unwrap(), (6.0, 3.0));
        let posterior = prior.update(s, f);
        let ratio = |p: f64| posterior.log_density(p) - prior.log_density(p) - s * p.ln() - f * (1.0 - p).ln();
        bayes(&[0.1, 0.35, 0.5, 0.93].map(ratio));
        let prior = Dirichlet::new(vec![0.5, 1.0, 3.0]).unwrap();
        let counts = [4.0, 0.0, 2.0];
        let posterior = prior.update(&counts).unwrap();
        let ratio = |p: [f64; 3]| {
            let likelihood: f64 = p.iter().zip(counts).map(|(p, c)| c * p.ln()).sum();
            posterior.log_density(&p) - prior.log_density(&p) - likelihood
        };
        bayes(&[[0.2, 0.3, 0.5], [0.7, 0.1, 0.2], [0.05, 0.05, 0.9]].map(ratio));
        let square = |a: f64, b: f64, c: f64| Mat::from_vec(2, 2, vec![a, b, b, c]);
        let prior = Wishart::new(3.5, square(2.0, 0.3, 1.0)).unwrap();
        let rows = [[1.0, -0.5], [0.3, 2.0], [-1.2, 0.4]];
        let sum = |i: usize, j: usize| rows.iter().map(|r| r[i] * r[j]).sum::<f64>();
        let posterior = prior.update(3.0, Mat::from_fn(2, 2, sum).view()).unwrap();
        let ratio = |m: Mat<f64>| {
            let log_det = (m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)]).ln();
            let squares: f64 =
                rows.iter().map(|r| r[0] * r[0] * m[(0, 0)] + 2.0 * r[0] * r[1] * m[(0, 1)] + r[1] * r[1] * m[(1, 1)]).sum();
            let likelihood = 1.5 * log_det - 0.5 * squares;
            posterior.log_density(m.view()).unwrap() - prior.log_density(m.view()).unwrap() - likelihood
        };
        bayes(&[square(1.0, 0.0, 1.0), square(2.0, -0.4, 0.5), square(0.7, 0.3, 3.0)].map(ratio));
    }

    #[test]
    fn modes_are_the_peaks_of_the_densities() {
        let beta = Beta::new(4.0, 2.5).unwrap();
        let peak = beta.mode().unwrap();
        assert!([-1e-3, 1e-3].iter().all(|h| beta.log_density(peak + h) < beta.log_density(peak)));
        let dirichlet = Dirichlet::new(vec![3.0, 1.5, 2.0]).unwrap();
        let peak = dirichlet.mode().unwrap();
        assert!((peak.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let mut beside = peak.clone();
            beside[i] += 1e-3;
            beside[j] -= 1e-3;
            assert!(dirichlet.log_density(&beside) < dirichlet.log_density(&peak));
        }
        let wishart = Wishart::new(6.0, Mat::from_vec(2, 2, vec![2.0, 0.5, 0.5, 1.0])).unwrap();
        let peak = wishart.precision_mode().unwrap().unwrap();
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            for h in [-1e-3, 1e-3] {
                let mut beside = peak.clone();
                beside[(i, j)] += h;
                beside[(j, i)] = beside[(i, j)];
                assert!(wishart.log_density(beside.view()).unwrap() < wishart.log_density(peak.view()).unwrap());
            }
        }
        // The covariance has its density by a change of variables, |Λ|^(p + 1) more: its mode is not the inverse of the other.
        let at = |c: &Mat<f64>| {
            let precision = Cholesky::new(c.view()).unwrap().inverse();
            let log_det = Cholesky::new(c.view()).unwrap().log_determinant();
            wishart.log_density(precision.view()).unwrap() - 3.0 * log_det
        };
        let peak = wishart.covariance_mode();
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            for h in [-1e-3, 1e-3] {
                let mut beside = peak.clone();
                beside[(i, j)] += h;
                beside[(j, i)] = beside[(i, j)];
                assert!(at(&beside) < at(&peak));
            }
        }
    }

    #[test]
    fn means_and_densities_are_those_of_the_integrals() {
        let beta = Beta::new(2.3, 1.6).unwrap();
        let n = 200_000;
        let (mut total, mut mean, mut square) = (0.0, 0.0, 0.0);
        for k in 0..n {
            let p = (f64::from(k) + 0.5) / f64::from(n);
            let d = beta.log_density(p).exp() / f64::from(n);
            total += d;
            mean += p * d;
            square += p * p * d;
        }
        assert!((total - 1.0).abs() < 1e-6 && (mean - beta.mean()).abs() < 1e-6);
        assert!((square - mean * mean - beta.variance()).abs() < 1e-6);
        // A Wishart of one column is a Gamma: its density integrates to 1, its mean is ν / S.
        let wishart = Wishart::new(5.0, Mat::from_vec(1, 1, vec![2.0])).unwrap();
        let (mut total, mut mean) = (0.0, 0.0);
        for k in 0..200_000 {
            let v = (f64::from(k) + 0.5) * 2e-4;
            let d = wishart.log_density(Mat::from_vec(1, 1, vec![v]).view()).unwrap().exp() * 2e-4;
            total += d;
            mean += v * d;
        }
        assert!((total - 1.0).abs() < 1e-6 && (mean - wishart.precision_mean().unwrap()[(0, 0)]).abs() < 1e-5);
        assert_eq!(Dirichlet::new(vec![1.0, 3.0]).unwrap().mean(), [0.25, 0.75]);
    }

    #[test]
    fn impossible_priors_are_refused() {
        assert!(Beta::new(0.0, 1.0).is_err() && Beta::new(1.0, f64::NAN).is_err());
        assert!(Dirichlet::new(vec![]).is_err() && Dirichlet::symmetric(2, -1.0).is_err());
        assert!(Dirichlet::symmetric(2, 1.0).unwrap().update(&[1.0]).is_err());
        assert!(Wishart::new(0.5, Mat::from_vec(2, 2, vec![1.0, 0.0, 0.0, 1.0])).is_err());
        assert!(Wishart::new(3.0, Mat::from_vec(2, 2, vec![1.0, 2.0, 2.0, 1.0])).is_err());
        assert_eq!(Beta::new(0.5, 0.5).unwrap().mode(), None);
        assert_eq!(Dirichlet::symmetric(3, 1.0).unwrap().mode(), None);
    }
}
