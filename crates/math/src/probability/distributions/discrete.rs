//! Discrete distributions.

use ermine_core::RngStream;

use super::{Distribution, Gamma, entropy_of, least, ln_choose};
use crate::distribution::{incomplete_beta, incomplete_gamma, ln_gamma};
use crate::probability::entropy;

/// One trial: 1 with probability p, else 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bernoulli {
    /// Probability of 1.
    pub p: f64,
}

impl Bernoulli {
    fn as_binomial(&self) -> Binomial {
        Binomial { n: 1, p: self.p }
    }
}

impl Distribution for Bernoulli {
    fn density(&self, x: f64) -> f64 {
        self.as_binomial().density(x)
    }
    fn cdf(&self, x: f64) -> f64 {
        self.as_binomial().cdf(x)
    }
    fn sf(&self, x: f64) -> f64 {
        self.as_binomial().sf(x)
    }
    fn quantile(&self, p: f64) -> f64 {
        self.as_binomial().quantile(p)
    }
    fn mean(&self) -> f64 {
        self.p
    }
    fn variance(&self) -> f64 {
        self.p * (1.0 - self.p)
    }
    fn entropy(&self) -> f64 {
        entropy(&[self.p, 1.0 - self.p])
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        f64::from(stream.uniform() < self.p)
    }
}

/// Successes among n trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Binomial {
    /// Trials.
    pub n: u64,
    /// Probability of a success.
    pub p: f64,
}

impl Distribution for Binomial {
    fn density(&self, x: f64) -> f64 {
        let n = self.n as f64;
        if x.fract() != 0.0 || x < 0.0 || x > n {
            return 0.0;
        }
        // 0 log 0 is 0.
        let times = |k: f64, log: f64| if k == 0.0 { 0.0 } else { k * log };
        (ln_choose(n, x) + times(x, self.p.ln()) + times(n - x, (-self.p).ln_1p())).exp()
    }
    fn cdf(&self, x: f64) -> f64 {
        let (n, k) = (self.n as f64, x.floor());
        if k < 0.0 {
            return 0.0;
        }
        if k >= n { 1.0 } else { incomplete_beta(n - k, k + 1.0, 1.0 - self.p, self.p).0 }
    }
    fn sf(&self, x: f64) -> f64 {
        let (n, k) = (self.n as f64, x.floor());
        if k < 0.0 {
            return 1.0;
        }
        if k >= n { 0.0 } else { incomplete_beta(k + 1.0, n - k, self.p, 1.0 - self.p).0 }
    }
    fn quantile(&self, p: f64) -> f64 {
        least(self, p, 0.0, self.n as f64)
    }
    fn mean(&self) -> f64 {
        self.n as f64 * self.p
    }
    fn variance(&self) -> f64 {
        self.n as f64 * self.p * (1.0 - self.p)
    }
    fn entropy(&self) -> f64 {
        entropy_of(self, 0.0, self.n as f64)
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        // Many trials by inversion, few one by one.
        if self.n > 64 {
            self.quantile(stream.uniform())
        } else {
            (0..self.n).filter(|_| stream.uniform() < self.p).count() as f64
        }
    }
}

/// Trials up to the first success, from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geometric {
    /// Probability of a success, above 0.
    pub p: f64,
}

impl Distribution for Geometric {
    fn density(&self, x: f64) -> f64 {
        if x.fract() != 0.0 || x < 1.0 { 0.0 } else { self.p * (1.0 - self.p).powf(x - 1.0) }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x < 1.0 { 0.0 } else { -(x.floor() * (-self.p).ln_1p()).exp_m1() }
    }
    fn sf(&self, x: f64) -> f64 {
        if x < 1.0 { 1.0 } else { (x.floor() * (-self.p).ln_1p()).exp() }
    }
    fn quantile(&self, p: f64) -> f64 {
        least(self, p, 1.0, f64::INFINITY)
    }
    fn mean(&self) -> f64 {
        1.0 / self.p
    }
    fn variance(&self) -> f64 {
        (1.0 - self.p) / (self.p * self.p)
    }
    fn entropy(&self) -> f64 {
        entropy(&[self.p, 1.0 - self.p]) / self.p
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        if self.p >= 1.0 { 1.0 } else { ((1.0 - stream.uniform()).ln() / (-self.p).ln_1p()).floor() + 1.0 }
    }
}

/// Failures before the r-th success.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NegativeBinomial {
    /// Successes, above 0; need not be whole.
    pub r: f64,
    /// Probability of a success, above 0.
    pub p: f64,
}

impl Distribution for NegativeBinomial {
    fn density(&self, x: f64) -> f64 {
        if x.fract() != 0.0 || x < 0.0 {
            return 0.0;
        }
        let tail = if x == 0.0 { 0.0 } else { x * (-self.p).ln_1p() };
        (ln_gamma(x + self.r) - ln_gamma(self.r) - ln_gamma(x + 1.0) + self.r * self.p.ln() + tail).exp()
    }
    fn cdf(&self, x: f64) -> f64 {
        if x < 0.0 { 0.0 } else { incomplete_beta(self.r, x.floor() + 1.0, self.p, 1.0 - self.p).0 }
    }
    fn sf(&self, x: f64) -> f64 {
        if x < 0.0 { 1.0 } else { incomplete_beta(self.r, x.floor() + 1.0, self.p, 1.0 - self.p).1 }
    }
    fn quantile(&self, p: f64) -> f64 {
        least(self, p, 0.0, f64::INFINITY)
    }
    fn mean(&self) -> f64 {
        self.r * (1.0 - self.p) / self.p
    }
    fn variance(&self) -> f64 {
        self.mean() / self.p
    }
    fn entropy(&self) -> f64 {
        entropy_of(self, 0.0, f64::INFINITY)
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        // A Poisson number whose mean is a gamma number.
        let mean = Gamma { shape: self.r, scale: (1.0 - self.p) / self.p }.draw(stream);
        Poisson { mean }.draw(stream)
    }
}

/// Events of a Poisson process in an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Poisson {
    /// Mean, at or above 0.
    pub mean: f64,
}

impl Distribution for Poisson {
    fn density(&self, x: f64) -> f64 {
        if x.fract() != 0.0 || x < 0.0 {
            return 0.0;
        }
        if self.mean == 0.0 {
            return f64::from(x == 0.0);
        }
        (x * self.mean.ln() - self.mean - ln_gamma(x + 1.0)).exp()
    }
    fn cdf(&self, x: f64) -> f64 {
        if x < 0.0 { 0.0 } else { incomplete_gamma(x.floor() + 1.0, self.mean).1 }
    }
    fn sf(&self, x: f64) -> f64 {
        if x < 0.0 { 1.0 } else { incomplete_gamma(x.floor() + 1.0, self.mean).0 }
    }
    fn quantile(&self, p: f64) -> f64 {
        least(self, p, 0.0, f64::INFINITY)
    }
    fn mean(&self) -> f64 {
        self.mean
    }
    fn variance(&self) -> f64 {
        self.mean
    }
    fn entropy(&self) -> f64 {
        entropy_of(self, 0.0, f64::INFINITY)
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        self.quantile(stream.uniform())
    }
}

/// One of a few values, 0, 1, 2 and so on, with given probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct Categorical {
    /// The probabilities, which sum to 1.
    pub p: Vec<f64>,
}

impl Distribution for Categorical {
    fn density(&self, x: f64) -> f64 {
        if x.fract() != 0.0 || x < 0.0 { 0.0 } else { self.p.get(x as usize).copied().unwrap_or(0.0) }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x < 0.0 { 0.0 } else { self.p.iter().take(x.floor() as usize + 1).sum::<f64>().min(1.0) }
    }
    fn sf(&self, x: f64) -> f64 {
        if x < 0.0 { 1.0 } else { self.p.iter().skip(x.floor() as usize + 1).sum() }
    }
    fn quantile(&self, p: f64) -> f64 {
        least(self, p, 0.0, self.p.len() as f64 - 1.0)
    }
    fn mean(&self) -> f64 {
        self.p.iter().enumerate().map(|(k, p)| k as f64 * p).sum()
    }
    fn variance(&self) -> f64 {
        let mean = self.mean();
        self.p.iter().enumerate().map(|(k, p)| (k as f64 - mean).powi(2) * p).sum()
    }
    fn entropy(&self) -> f64 {
        entropy(&self.p)
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        stream.weighted(&self.p) as f64
    }
}
