//! Continuous distributions.

use ermine_core::RngStream;

use super::{Distribution, EULER, digamma, inside, ln_beta};
use crate::distribution::{ChiSquare, FisherF, Normal, incomplete_beta, incomplete_gamma, ln_gamma};

/// The normal distribution of a mean and a standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    /// Mean.
    pub mean: f64,
    /// Standard deviation, above 0.
    pub sd: f64,
}

impl Distribution for Gaussian {
    fn density(&self, x: f64) -> f64 {
        Normal.pdf((x - self.mean) / self.sd) / self.sd
    }
    fn cdf(&self, x: f64) -> f64 {
        Normal.cdf((x - self.mean) / self.sd)
    }
    fn sf(&self, x: f64) -> f64 {
        Normal.sf((x - self.mean) / self.sd)
    }
    fn quantile(&self, p: f64) -> f64 {
        self.mean + self.sd * Normal.quantile(p)
    }
    fn mean(&self) -> f64 {
        self.mean
    }
    fn variance(&self) -> f64 {
        self.sd * self.sd
    }
    fn entropy(&self) -> f64 {
        0.5 * (std::f64::consts::TAU * std::f64::consts::E).ln() + self.sd.ln()
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        self.mean + self.sd * stream.normal()
    }
}

/// Uniform on an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniform {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Distribution for Uniform {
    fn density(&self, x: f64) -> f64 {
        if (self.low..=self.high).contains(&x) { 1.0 / (self.high - self.low) } else { 0.0 }
    }
    fn cdf(&self, x: f64) -> f64 {
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
    fn sf(&self, x: f64) -> f64 {
        ((self.high - x) / (self.high - self.low)).clamp(0.0, 1.0)
    }
    fn quantile(&self, p: f64) -> f64 {
        if inside(p) { self.low + (self.high - self.low) * p } else { f64::NAN }
    }
    fn mean(&self) -> f64 {
        0.5 * (self.low + self.high)
    }
    fn variance(&self) -> f64 {
        (self.high - self.low).powi(2) / 12.0
    }
    fn entropy(&self) -> f64 {
        (self.high - self.low).ln()
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        self.low + (self.high - self.low) * stream.uniform()
    }
}

/// Waiting times of a Poisson process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponential {
    /// Rate, above 0.
    pub rate: f64,
}

impl Distribution for Exponential {
    fn density(&self, x: f64) -> f64 {
        if x < 0.0 { 0.0 } else { self.rate * (-self.rate * x).exp() }
    }
    fn cdf(&self, x: f64) -> f64 {
        -(-self.rate * x.max(0.0)).exp_m1()
    }
    fn sf(&self, x: f64) -> f64 {
        (-self.rate * x.max(0.0)).exp()
    }
    fn quantile(&self, p: f64) -> f64 {
        if inside(p) { -(-p).ln_1p() / self.rate } else { f64::NAN }
    }
    fn mean(&self) -> f64 {
        1.0 / self.rate
    }
    fn variance(&self) -> f64 {
        1.0 / (self.rate * self.rate)
    }
    fn entropy(&self) -> f64 {
        1.0 - self.rate.ln()
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        self.quantile(stream.uniform())
    }
}

/// Sums of waiting times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    /// Shape, above 0.
    pub shape: f64,
    /// Scale, above 0.
    pub scale: f64,
}

impl Distribution for Gamma {
    fn density(&self, x: f64) -> f64 {
        if x < 0.0 || (x == 0.0 && self.shape > 1.0) {
            return 0.0;
        }
        if x == 0.0 {
            return if self.shape == 1.0 { 1.0 / self.scale } else { f64::INFINITY };
        }
        let z = x / self.scale;
        ((self.shape - 1.0) * z.ln() - z - ln_gamma(self.shape)).exp() / self.scale
    }
    fn cdf(&self, x: f64) -> f64 {
        incomplete_gamma(self.shape, x.max(0.0) / self.scale).0
    }
    fn sf(&self, x: f64) -> f64 {
        incomplete_gamma(self.shape, x.max(0.0) / self.scale).1
    }
    fn quantile(&self, p: f64) -> f64 {
        0.5 * self.scale * ChiSquare { df: 2.0 * self.shape }.quantile(p)
    }
    fn mean(&self) -> f64 {
        self.shape * self.scale
    }
    fn variance(&self) -> f64 {
        self.shape * self.scale * self.scale
    }
    fn entropy(&self) -> f64 {
        self.shape + self.scale.ln() + ln_gamma(self.shape) + (1.0 - self.shape) * digamma(self.shape)
    }
    /// Marsaglia and Tsang (2000).
    fn draw(&self, stream: &mut RngStream) -> f64 {
        // A shape below 1 is one above, times a power of a uniform number.
        let (shape, boost) = if self.shape < 1.0 {
            (self.shape + 1.0, (1.0 - stream.uniform()).powf(1.0 / self.shape))
        } else {
            (self.shape, 1.0)
        };
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let z = stream.normal();
            let v = (1.0 + c * z).powi(3);
            if v > 0.0 && (1.0 - stream.uniform()).ln() < 0.5 * z * z + d - d * v + d * v.ln() {
                return d * v * boost * self.scale;
            }
        }
    }
}

/// Proportions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beta {
    /// First shape, above 0.
    pub a: f64,
    /// Second shape, above 0.
    pub b: f64,
}

impl Distribution for Beta {
    fn density(&self, x: f64) -> f64 {
        if !(0.0..=1.0).contains(&x) {
            return 0.0;
        }
        // At the ends a shape of 1 leaves no power.
        let power = |s: f64, log: f64| if s == 1.0 { 0.0 } else { (s - 1.0) * log };
        (power(self.a, x.ln()) + power(self.b, (-x).ln_1p()) - ln_beta(self.a, self.b)).exp()
    }
    fn cdf(&self, x: f64) -> f64 {
        let x = x.clamp(0.0, 1.0);
        incomplete_beta(self.a, self.b, x, 1.0 - x).0
    }
    fn sf(&self, x: f64) -> f64 {
        let x = x.clamp(0.0, 1.0);
        incomplete_beta(self.a, self.b, x, 1.0 - x).1
    }
    fn quantile(&self, p: f64) -> f64 {
        // a F / (b + a F) of F with 2a and 2b degrees of freedom.
        let f = FisherF { df1: 2.0 * self.a, df2: 2.0 * self.b }.quantile(p);
        if f.is_infinite() { 1.0 } else { self.a * f / (self.b + self.a * f) }
    }
    fn mean(&self) -> f64 {
        self.a / (self.a + self.b)
    }
    fn variance(&self) -> f64 {
        let n = self.a + self.b;
        self.a / n * (self.b / n) / (n + 1.0)
    }
    fn entropy(&self) -> f64 {
        let (a, b) = (self.a, self.b);
        ln_beta(a, b) - (a - 1.0) * digamma(a) - (b - 1.0) * digamma(b) + (a + b - 2.0) * digamma(a + b)
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        let x = Gamma { shape: self.a, scale: 1.0 }.draw(stream);
        let y = Gamma { shape: self.b, scale: 1.0 }.draw(stream);
        x / (x + y)
    }
}

/// Double exponential.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Laplace {
    /// Middle.
    pub mean: f64,
    /// Mean distance from it, above 0.
    pub scale: f64,
}

impl Distribution for Laplace {
    fn density(&self, x: f64) -> f64 {
        (-(x - self.mean).abs() / self.scale).exp() / (2.0 * self.scale)
    }
    fn cdf(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.scale;
        if z < 0.0 { 0.5 * z.exp() } else { 1.0 - 0.5 * (-z).exp() }
    }
    fn sf(&self, x: f64) -> f64 {
        Self { mean: 0.0, scale: self.scale }.cdf(self.mean - x)
    }
    fn quantile(&self, p: f64) -> f64 {
        if !inside(p) {
            return f64::NAN;
        }
        self.mean + self.scale * if p < 0.5 { (2.0 * p).ln() } else { -(2.0 * (1.0 - p)).ln() }
    }
    fn mean(&self) -> f64 {
        self.mean
    }
    fn variance(&self) -> f64 {
        2.0 * self.scale * self.scale
    }
    fn entropy(&self) -> f64 {
        1.0 + (2.0 * self.scale).ln()
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        let side = if stream.uniform() < 0.5 { -1.0 } else { 1.0 };
        self.mean - side * self.scale * (1.0 - stream.uniform()).ln()
    }
}

/// The exponential of a normal variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogNormal {
    /// Mean of the logarithm.
    pub mean: f64,
    /// Standard deviation of the logarithm, above 0.
    pub sd: f64,
}

impl LogNormal {
    fn log(&self) -> Gaussian {
        Gaussian { mean: self.mean, sd: self.sd }
    }
}

impl Distribution for LogNormal {
    fn density(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.log().density(x.ln()) / x }
    }
    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 { 0.0 } else { self.log().cdf(x.ln()) }
    }
    fn sf(&self, x: f64) -> f64 {
        if x <= 0.0 { 1.0 } else { self.log().sf(x.ln()) }
    }
    fn quantile(&self, p: f64) -> f64 {
        self.log().quantile(p).exp()
    }
    fn mean(&self) -> f64 {
        (self.mean + 0.5 * self.sd * self.sd).exp()
    }
    fn variance(&self) -> f64 {
        let s = self.sd * self.sd;
        s.exp_m1() * (2.0 * self.mean + s).exp()
    }
    fn entropy(&self) -> f64 {
        self.log().entropy() + self.mean
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        self.log().draw(stream).exp()
    }
}

/// A distribution without a mean: the law of large numbers does not hold for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cauchy {
    /// Middle.
    pub median: f64,
    /// Half the distance of the quartiles, above 0.
    pub scale: f64,
}

impl Distribution for Cauchy {
    fn density(&self, x: f64) -> f64 {
        let z = (x - self.median) / self.scale;
        1.0 / (std::f64::consts::PI * self.scale * (1.0 + z * z))
    }
    fn cdf(&self, x: f64) -> f64 {
        self.sf(2.0 * self.median - x)
    }
    fn sf(&self, x: f64) -> f64 {
        // atan2 keeps the digits of both tails.
        f64::atan2(self.scale, x - self.median) / std::f64::consts::PI
    }
    fn quantile(&self, p: f64) -> f64 {
        if !inside(p) {
            return f64::NAN;
        }
        // The tangent of p - 1/2 would lose the digits of a small p.
        let tail = |p: f64| if p == 0.0 { f64::INFINITY } else { (std::f64::consts::PI * p).tan().recip() };
        let z = match p {
            _ if p < 0.25 => -tail(p),
            _ if p > 0.75 => tail(1.0 - p),
            _ => (std::f64::consts::PI * (p - 0.5)).tan(),
        };
        self.median + self.scale * z
    }
    fn mean(&self) -> f64 {
        f64::NAN
    }
    fn variance(&self) -> f64 {
        f64::NAN
    }
    fn entropy(&self) -> f64 {
        (4.0 * std::f64::consts::PI * self.scale).ln()
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        self.quantile(stream.uniform())
    }
}

/// Times to failure with a hazard rate that is a power of age.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weibull {
    /// Shape, above 0; 1 is the exponential.
    pub shape: f64,
    /// Scale, above 0.
    pub scale: f64,
}

impl Distribution for Weibull {
    fn density(&self, x: f64) -> f64 {
        if x < 0.0 {
            return 0.0;
        }
        let z = x / self.scale;
        self.shape / self.scale * z.powf(self.shape - 1.0) * (-z.powf(self.shape)).exp()
    }
    fn cdf(&self, x: f64) -> f64 {
        -(-(x.max(0.0) / self.scale).powf(self.shape)).exp_m1()
    }
    fn sf(&self, x: f64) -> f64 {
        (-(x.max(0.0) / self.scale).powf(self.shape)).exp()
    }
    fn quantile(&self, p: f64) -> f64 {
        if inside(p) { self.scale * (-(-p).ln_1p()).powf(1.0 / self.shape) } else { f64::NAN }
    }
    fn mean(&self) -> f64 {
        self.scale * ln_gamma(1.0 + 1.0 / self.shape).exp()
    }
    fn variance(&self) -> f64 {
        self.scale * self.scale * ln_gamma(1.0 + 2.0 / self.shape).exp() - self.mean().powi(2)
    }
    fn entropy(&self) -> f64 {
        EULER * (1.0 - 1.0 / self.shape) + (self.scale / self.shape).ln() + 1.0
    }
    fn draw(&self, stream: &mut RngStream) -> f64 {
        self.quantile(stream.uniform())
    }
}
