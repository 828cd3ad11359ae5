//! Distributions of test statistics: normal, Student t, F and chi-square, with their incomplete beta and gamma
//! functions.
//!
//! Every tail is computed as such, never as one minus the other side, so small probabilities keep their digits: relative
//! error about 1e-13 down to 1e-300. NaN parameters give NaN.
//!
//! Sources: continued fraction of the incomplete beta function, DLMF 8.17.22; series and continued fraction of the
//! incomplete gamma function, DLMF 8.7.1 and 8.9.2; leading factors in saddle-point form, C. Loader (2000), Fast and
//! accurate computation of binomial probabilities.

use crate::double_double::Dd;

/// More terms than any argument below 1e14 needs.
const MAX_TERMS: usize = 50_000_000;
/// Keeps Lentz's method away from a zero denominator.
const TINY: f64 = 1e-300;

/// The error of Stirling's formula, ln Γ(a) - [(a - 1/2) ln a - a + ln(2π)/2].
fn stirling_error(a: f64) -> f64 {
    const HALF_LN_2PI: f64 = 0.918_938_533_204_672_8;
    if a < 15.0 {
        return libm::lgamma(a) - ((a - 0.5) * a.ln() - a + HALF_LN_2PI);
    }
    // Bernoulli numbers over (2k)(2k - 1).
    const S: [f64; 7] = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0, 1.0 / 156.0];
    let z = 1.0 / (a * a);
    S.iter().rev().fold(0.0, |sum, &s| sum * z + s) / a
}

/// a ln(a/m) + m - a for a from 0 up and m above 0, without cancellation where a is near m: the relative entropy of two
/// Poisson means, and half of many deviances.
pub fn relative_entropy(a: f64, m: f64) -> f64 {
    if a == 0.0 {
        return m;
    }
    let d = a - m;
    if d.abs() < 0.1 * (a + m) {
        // With v = (a - m)/(a + m): ln(a/m) = 2 artanh(v).
        let v = d / (a + m);
        let square = v * v;
        let (mut term, mut sum, mut k) = (2.0 * a * v * square, d * v, 3.0);
        loop {
            let next = sum + term / k;
            if next == sum {
                return sum;
            }
            sum = next;
            term *= square;
            k += 2.0;
        }
    }
    a * (a / m).ln() + m - a
}

/// x^a e^-x / Γ(a + 1).
fn gamma_factor(a: f64, x: f64) -> f64 {
    if x == 0.0 {
        return if a == 0.0 { 1.0 } else { 0.0 };
    }
    if a < 1.0 {
        // Far from the saddle point nothing cancels.
        return (a * x.ln() - x - libm::lgamma(a + 1.0)).exp();
    }
    (-stirling_error(a) - relative_entropy(a, x)).exp() / (std::f64::consts::TAU * a).sqrt()
}

/// x^a y^b Γ(a + b) / (Γ(a) Γ(b)) for x + y = 1.
fn beta_factor(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 {
        return 0.0;
    }
    let n = a + b;
    let stirling = stirling_error(n) - stirling_error(a) - stirling_error(b);
    // Exponents in double-double would gain nothing: the deviances carry a relative error of a few ulp each.
    let exponent = stirling - relative_entropy(a, n * x) - relative_entropy(b, n * y);
    (a * b / (std::f64::consts::TAU * n)).sqrt() * exponent.exp()
}

/// I_x(a, b) over [`beta_factor`]: the even part of the continued fraction DLMF 8.17.22, by Lentz's method. Fast for x below
/// (a + 1)/(a + b + 2). In this form nothing cancels when x is near 1 (DiDonato and Morris 1992, ACM TOMS 18, equation 9).
fn beta_fraction(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let excess = a * y - b * x;
    let first = guard(a * (excess + 1.0) / (a + 1.0));
    let (mut c, mut d, mut value) = (first, 0.0, first);
    for n in 1..MAX_TERMS {
        let n = n as f64;
        let a2n = a + 2.0 * n - 1.0;
        let alpha = ((a + n - 1.0) / a2n * x) * ((a + b + n - 1.0) / a2n * x) * n * (b - n);
        let beta = n + n * (b - n) * x / a2n + (a + n) / (a2n + 2.0) * (excess + 1.0 + n * (1.0 + y));
        d = 1.0 / guard(beta + alpha * d);
        c = guard(beta + alpha / c);
        value *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    1.0 / value
}

/// The logarithm of the gamma function, for x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The regularized incomplete beta function I_x(a, b) and its complement 1 - I_x(a, b), each with its own digits, for
/// positive a and b; x and y = 1 - x are given both because one of them may be tiny.
pub fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> (f64, f64) {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y)) {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if y == 0.0 {
        return (1.0, 0.0);
    }
    let factor = beta_factor(a, b, x, y);
    if x < (a + 1.0) / (a + b + 2.0) {
        let lower = (factor * beta_fraction(a, b, x, y)).min(1.0);
        (lower, 1.0 - lower)
    } else {
        let upper = (factor * beta_fraction(b, a, y, x)).min(1.0);
        (1.0 - upper, upper)
    }
}

/// The regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x), each with its own digits, for positive a.
pub fn incomplete_gamma(a: f64, x: f64) -> (f64, f64) {
    if !(a > 0.0 && x >= 0.0) {
        return (f64::NAN, f64::NAN);
    }
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if x == f64::INFINITY {
        return (1.0, 0.0);
    }
    let factor = gamma_factor(a, x);
    if x < a + 1.0 {
        // The terms are positive; small ones first would cost a second loop, and the error is a few ulp.
        let (mut sum, mut term) = (1.0, 1.0);
        for k in 1..MAX_TERMS {
            term *= x / (a + k as f64);
            sum += term;
            if term < sum * f64::EPSILON * 0.25 {
                break;
            }
        }
        let lower = (factor * sum).min(1.0);
        return (lower, 1.0 - lower);
    }
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / guard(b);
    let mut value = d;
    for k in 1..MAX_TERMS {
        let k = k as f64;
        let an = -k * (k - a);
        b += 2.0;
        d = 1.0 / guard(an * d + b);
        c = guard(b + an / c);
        value *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    // x^a e^-x / Γ(a) times the fraction.
    let upper = (factor * a * value).min(1.0);
    (1.0 - upper, upper)
}

/// The root of an increasing function on the whole line or the positive half-line, given by the logarithm of a tail.
///
/// `tail(x)` is the smaller side's probability and falls in x; solves `tail(x) = q`. Newton steps on the logarithm, kept inside a
/// bracket that every evaluation shrinks.
fn invert(q: f64, start: f64, low: f64, tail: impl Fn(f64) -> f64, density: impl Fn(f64) -> f64) -> f64 {
    let (mut lo, mut hi) = (low, f64::INFINITY);
    let mut x = start;
    for _ in 0..400 {
        let t = tail(x);
        if t > q {
            lo = x;
        } else {
            hi = x;
        }
        let step = (t.ln() - q.ln()) * t / density(x);
        let mut next = x + step;
        if !(next > lo && next < hi) {
            next = match (lo.is_finite(), hi.is_finite()) {
                (true, true) => 0.5 * (lo + hi),
                (true, false) => 2.0 * x.abs() + 1.0,
                (false, true) => -2.0 * x.abs() - 1.0,
                (false, false) => 0.0,
            };
        }
        if (next - x).abs() <= f64::EPSILON * x.abs() || next == x {
            return next;
        }
        x = next;
    }
    x
}

/// The normal distribution with mean 0 and standard deviation 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Normal;

impl Normal {
    /// The probability of a value at or below x.
    pub fn cdf(self, x: f64) -> f64 {
        self.sf(-x)
    }

    /// The probability of a value above x.
    pub fn sf(self, x: f64) -> f64 {
        let z = Dd::from(x) / Dd::from(2.0).sqrt();
        let rough = libm::erfc(z.hi);
        // erfc is steep in its tail: the rounding of x/√2 alone would cost three digits at x = 38.
        let slope = std::f64::consts::FRAC_2_SQRT_PI * (-z.hi * z.hi).exp();
        let exact = if z.lo.is_finite() { rough - slope * z.lo } else { rough };
        0.5 * exact
    }

    /// The density at x.
    pub fn pdf(self, x: f64) -> f64 {
        (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
    }

    /// The value that is exceeded with probability 1 - p.
    pub fn quantile(self, p: f64) -> f64 {
        if p <= 0.5 { -self.isf(p) } else { self.isf(1.0 - p) }
    }

    /// The value that is exceeded with probability q.
    pub fn isf(self, q: f64) -> f64 {
        if !(0.0..=1.0).contains(&q) {
            return f64::NAN;
        }
        if q == 0.0 || q == 1.0 {
            return if q == 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
        }
        if q > 0.5 {
            return -self.isf(1.0 - q);
        }
        if q > 0.2 {
            // Near the median the distance from it has more digits than the tail.
            let middle = 0.5 - q;
            let mut x = middle * std::f64::consts::TAU.sqrt();
            for _ in 0..6 {
                x += (middle - 0.5 * libm::erf(x * std::f64::consts::FRAC_1_SQRT_2)) / self.pdf(x);
            }
            return x;
        }
        let start = (-2.0 * q.ln()).sqrt();
        invert(q, start, -0.1, |x| self.sf(x), |x| self.pdf(x))
    }
}

/// Student's t distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudentT {
    /// Degrees of freedom, above 0; infinity is the normal distribution.
    pub df: f64,
}

impl StudentT {
    /// The probability of a value at or below t.
    pub fn cdf(self, t: f64) -> f64 {
        self.sf(-t)
    }

    /// The probability of a value above t.
    pub fn sf(self, t: f64) -> f64 {
        if t < 0.0 { 1.0 - 0.5 * self.two_sided(t) } else { 0.5 * self.two_sided(t) }
    }

    /// The probability of a value further from 0 than t: the p-value of a coefficient.
    pub fn two_sided(self, t: f64) -> f64 {
        if t.is_nan() || self.df.is_nan() || self.df <= 0.0 {
            return f64::NAN;
        }
        if self.df == f64::INFINITY {
            return 2.0 * Normal.sf(t.abs());
        }
        if t.is_infinite() {
            return 0.0;
        }
        // x = df/(df + t²), y = t²/(df + t²), neither from the other.
        let (x, y) = shares(self.df, t, t);
        incomplete_beta(0.5 * self.df, 0.5, x, y).0
    }

    /// The density at t.
    pub fn pdf(self, t: f64) -> f64 {
        if self.df == f64::INFINITY {
            return Normal.pdf(t);
        }
        let (x, y) = shares(self.df, t, t);
        if y == 0.0 {
            let a = 0.5 * self.df;
            let ratio = stirling_error(a + 0.5) - stirling_error(a) + a * (0.5 / a).ln_1p() - 0.5;
            return ratio.exp() / std::f64::consts::TAU.sqrt();
        }
        // d/dt of the tail: the beta factor over |t|.
        beta_factor(0.5 * self.df, 0.5, x, y) / t.abs()
    }

    /// The value that is exceeded with probability 1 - p.
    pub fn quantile(self, p: f64) -> f64 {
        if p <= 0.5 { -self.isf(p) } else { self.isf(1.0 - p) }
    }

    /// The value that is exceeded with probability q.
    pub fn isf(self, q: f64) -> f64 {
        if !(0.0..=1.0).contains(&q) || self.df.is_nan() || self.df <= 0.0 {
            return f64::NAN;
        }
        if q == 0.5 {
            return 0.0;
        }
        if q == 0.0 || q == 1.0 {
            return if q == 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
        }
        if q > 0.5 {
            return -self.isf(1.0 - q);
        }
        // Work with ln t: the tail is a power of t, so its logarithm is nearly straight there.
        let z = Normal.isf(q);
        let tail = |u: f64| self.sf(u.exp());
        invert(q, z.max(1e-300).ln(), f64::NEG_INFINITY, tail, |u| self.pdf(u.exp()) * u.exp()).exp()
    }
}

/// a/(a + s t) and s t/(a + s t) for non-negative products, without forming one from the other or overflowing.
fn shares(a: f64, s: f64, t: f64) -> (f64, f64) {
    let product = (s / a) * t;
    if !product.is_finite() {
        return ((a / s) / t, 1.0);
    }
    (1.0 / (1.0 + product), product / (1.0 + product))
}

/// The F distribution: the ratio of two mean squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FisherF {
    /// Degrees of freedom of the numerator.
    pub df1: f64,
    /// Degrees of freedom of the denominator.
    pub df2: f64,
}

impl FisherF {
    fn sides(self, f: f64) -> (f64, f64) {
        if f.is_nan() {
            return (f64::NAN, f64::NAN);
        }
        if f <= 0.0 {
            return (0.0, 1.0);
        }
        if f == f64::INFINITY {
            return (1.0, 0.0);
        }
        let (x, y) = shares(self.df2, self.df1, f);
        let (upper, lower) = incomplete_beta(0.5 * self.df2, 0.5 * self.df1, x, y);
        (lower, upper)
    }

    /// The probability of a value at or below f.
    pub fn cdf(self, f: f64) -> f64 {
        self.sides(f).0
    }

    /// The probability of a value above f.
    pub fn sf(self, f: f64) -> f64 {
        self.sides(f).1
    }

    /// The value that is exceeded with probability 1 - p.
    pub fn quantile(self, p: f64) -> f64 {
        // 1/F has the degrees of freedom exchanged, so the lower tail is an upper one.
        if p <= 0.5 { 1.0 / Self { df1: self.df2, df2: self.df1 }.isf(p) } else { self.isf(1.0 - p) }
    }

    /// The value that is exceeded with probability q.
    pub fn isf(self, q: f64) -> f64 {
        if !((0.0..=1.0).contains(&q) && self.df1 > 0.0 && self.df2 > 0.0) {
            return f64::NAN;
        }
        if q == 0.0 || q == 1.0 {
            return if q == 0.0 { f64::INFINITY } else { 0.0 };
        }
        let density = |u: f64| {
            let (x, y) = shares(self.df2, self.df1, u.exp());
            beta_factor(0.5 * self.df2, 0.5 * self.df1, x, y)
        };
        invert(q, 0.0, f64::NEG_INFINITY, |u| self.sf(u.exp()), density).exp()
    }
}

/// The chi-square distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChiSquare {
    /// Degrees of freedom, above 0.
    pub df: f64,
}

impl ChiSquare {
    /// The probability of a value at or below x.
    pub fn cdf(self, x: f64) -> f64 {
        incomplete_gamma(0.5 * self.df, 0.5 * x.max(0.0)).0
    }

    /// The probability of a value above x.
    pub fn sf(self, x: f64) -> f64 {
        incomplete_gamma(0.5 * self.df, 0.5 * x.max(0.0)).1
    }

    /// The value that is exceeded with probability 1 - p.
    pub fn quantile(self, p: f64) -> f64 {
        if !(0.0..=1.0).contains(&p) || self.df.is_nan() || self.df <= 0.0 {
            return f64::NAN;
        }
        if p == 0.0 || p == 1.0 {
            return if p == 0.0 { 0.0 } else { f64::INFINITY };
        }
        if p > 0.5 {
            return self.isf(1.0 - p);
        }
        // In v = -ln x the lower tail falls.
        let start = -self.df.ln();
        (-invert(p, start, f64::NEG_INFINITY, |v| self.cdf((-v).exp()), |v| self.density_of_log((-v).exp()))).exp()
    }

    /// The value that is exceeded with probability q.
    pub fn isf(self, q: f64) -> f64 {
        if !(0.0..=1.0).contains(&q) || self.df.is_nan() || self.df <= 0.0 {
            return f64::NAN;
        }
        if q == 0.0 || q == 1.0 {
            return if q == 0.0 { f64::INFINITY } else { 0.0 };
        }
        invert(q, self.df.ln(), f64::NEG_INFINITY, |u| self.sf(u.exp()), |u| self.density_of_log(u.exp())).exp()
    }

    /// The density of ln x.
    fn density_of_log(self, x: f64) -> f64 {
        0.5 * self.df * gamma_factor(0.5 * self.df, 0.5 * x)
    }
}

#[cfg(test)]
#[allow(clippy::excessive_precision)] // Reference values keep the digits they were published with.
mod tests {
    use super::*;

    /// Values marked "60 digits" were computed with 60-digit arithmetic from the defining integrals, at the f64
    /// written here.
    fn near(found: f64, expected: f64, what: impl std::fmt::Debug) {
        let error = (found - expected).abs() / expected.abs();
        assert!(error <= 1e-12, "{what:?}: {found:e} against {expected:e}, relative error {error:e}");
    }

    #[test]
    fn normal_tails() {
        // 60 digits.
        let table = [
            (0.0, 0.5),
            (0.5, 0.3085375387259869),
            (1.0, 0.15865525393145705),
            (2.3, 0.01072411002167581),
            (5.0, 2.8665157187919391e-7),
            (10.0, 7.6198530241605261e-24),
            (20.0, 2.7536241186062337e-89),
            (37.0, 5.7255712225245768e-300),
            (-3.0, 0.9986501019683699),
        ];
        for (x, q) in table {
            near(Normal.sf(x), q, x);
            near(Normal.cdf(-x), q, x);
        }
        let quantiles = [
            (0.025, 1.9599639845400542),
            (1e-10, 6.3613409024040562),
            (1e-300, 37.047096299361199),
            (0.4, 0.25334710313579974),
            (0.49999, 2.5066282748960009e-5),
        ];
        for (q, x) in quantiles {
            near(Normal.isf(q), x, q);
            near(Normal.quantile(q), -x, q);
        }
        assert_eq!(Normal.isf(0.0), f64::INFINITY);
        assert_eq!(Normal.sf(f64::INFINITY), 0.0);
        assert_eq!(Normal.cdf(f64::INFINITY), 1.0);
        assert!(Normal.isf(-0.1).is_nan() && Normal.sf(f64::NAN).is_nan());
    }

    #[test]
    fn student_two_sided() {
        // 60 digits.
        let table = [
            (1.0, 3.0, 0.20483276469913345),
            (3.0, 0.001, 0.99926489496946094),
            (3.0, 2.5, 0.087706647008065547),
            (10.0, 1e-8, 0.99999999221783232),
            (10.0, 50.0, 2.47431032930268e-13),
            (431.0, 4.959884631199187, 1.0166172920038696e-6),
            (431.0, 0.16753125574913835, 0.8670306337000841),
            (20420.0, 26.296251260737982, 6.5964432016426788e-150),
            (20420.0, 1.7, 0.089146154346797176),
            (1e6, 5.0, 5.7339978708907416e-7),
            (1e6, 37.0, 1.8299730861802263e-299),
            (0.5, 1e10, 6.414019508284458e-6),
            (2.5, 1.7, 0.20561221715988385),
            (30.0, 0.5, 0.62072300488512729),
        ];
        for (df, t, p) in table {
            near(StudentT { df }.two_sided(t), p, (df, t));
            near(StudentT { df }.two_sided(-t), p, (df, -t));
            near(StudentT { df }.sf(t), 0.5 * p, (df, t));
        }
        // Closed forms: Cauchy, and two degrees of freedom.
        for t in [1e-300, 1e-3, 0.7, 3.0, 1e6, 1e99] {
            near(StudentT { df: 1.0 }.sf(t), (1.0 / t).atan() / std::f64::consts::PI, t);
            let root = (2.0 + t * t).sqrt();
            near(StudentT { df: 2.0 }.sf(t), 1.0 / (root * (root + t)), t);
        }
        near(StudentT { df: f64::INFINITY }.two_sided(1.0), 2.0 * Normal.sf(1.0), 1.0);
        assert_eq!(StudentT { df: 3.0 }.two_sided(f64::INFINITY), 0.0);
        assert!(StudentT { df: 0.0 }.two_sided(1.0).is_nan());
    }

    #[test]
    fn student_quantiles() {
        // 60 digits.
        let table = [
            (1.0, 0.025, 12.706204736174704),
            (431.0, 0.025, 1.9654833203397438),
            (3.0, 1e-8, 479.52506957973828),
            (10.0, 1e-30, 2564.5239317426153),
            (20420.0, 0.025, 1.9600801652187365),
            (2.0, 0.4, 0.28867513459481282),
        ];
        for (df, q, t) in table {
            near(StudentT { df }.isf(q), t, (df, q));
            near(StudentT { df }.quantile(q), -t, (df, q));
        }
        assert_eq!(StudentT { df: 5.0 }.quantile(0.5), 0.0);
        near(StudentT { df: 1.0 }.pdf(0.0), 1.0 / std::f64::consts::PI, "density of the Cauchy distribution");
        near(StudentT { df: 2.0 }.pdf(1.0), 3f64.powf(-1.5), "density, two degrees of freedom");
    }

    #[test]
    fn f_tails_and_quantiles() {
        // 60 digits.
        let table = [
            (10.0, 431.0, 46.272439585243205, 1.0, 3.828649038185483e-62),
            (1.0, 34.0, 5436385.54079785, 1.0, 4.6540408524723434e-90),
            (3.0, 7.0, 0.01, 0.0015047529598882999, 0.9984952470401117),
            (5.0, 5.0, 1.0, 0.5, 0.5),
            (100.0, 200.0, 0.2, 1.1303856715813747e-16, 1.0),
            (100.0, 200.0, 1.05, 0.61837357023370578, 0.38162642976629422),
            (0.5, 0.5, 1e-12, 0.00053935260118832542, 0.99946064739881167),
            (2000.0, 3000.0, 1.0, 0.50108584887421479, 0.49891415112578521),
        ];
        for (df1, df2, f, lower, upper) in table {
            let d = FisherF { df1, df2 };
            near(d.cdf(f), lower, (df1, df2, f));
            near(d.sf(f), upper, (df1, df2, f));
        }
        assert_eq!(FisherF { df1: 12.0, df2: 20420.0 }.sf(3111.6), 0.0);
        // Two degrees of freedom above: (1 + 2 f/m)^(-m/2).
        for (m, f) in [(4.0, 0.3), (7.0, 12.0), (300.0, 5.0)] {
            near(FisherF { df1: 2.0, df2: m }.sf(f), (-0.5 * m * (2.0 * f / m).ln_1p()).exp(), (m, f));
        }
        let quantiles = [
            (3.0, 7.0, 0.05, 4.346831399907818),
            (10.0, 431.0, 1e-20, 13.504852464234855),
            (1.0, 1.0, 0.5, 1.0),
            (200.0, 5.0, 0.99, 0.32154610464820773),
        ];
        for (df1, df2, q, f) in quantiles {
            near(FisherF { df1, df2 }.isf(q), f, (df1, df2, q));
            near(FisherF { df1: df2, df2: df1 }.quantile(q), 1.0 / f, (df1, df2, q));
        }
    }

    #[test]
    fn chi_square_tails_and_quantiles() {
        // 60 digits.
        let table = [
            (1.0, 1e-10, 7.9788456078956729e-6, 0.9999920211543921),
            (1.0, 3.84, 0.9499564787512949, 0.050043521248705103),
            (3.0, 200.0, 1.0, 4.2185411071920423e-43),
            (10.0, 0.1, 2.4979513360065105e-9, 0.99999999750204866),
            (10.0, 9.3, 0.49611114537188504, 0.50388885462811496),
            (100.0, 100.0, 0.51880831547204328, 0.48119168452795672),
            (100.0, 20.0, 1.8547268838697993e-19, 1.0),
            (1000.0, 1200.0, 0.99998774405766938, 1.2255942330622904e-5),
            (1e6, 1.004e6, 0.99763697176131611, 0.0023630282386838922),
            (1e6, 999e3, 0.23982326854012719, 0.76017673145987281),
            (0.2, 0.01, 0.61852767094818668, 0.38147232905181332),
            (50.0, 600.0, 1.0, 2.5464567349744831e-95),
            (7.0, 1300.0, 1.0, 1.6632784025498238e-276),
        ];
        for (df, x, lower, upper) in table {
            near(ChiSquare { df }.cdf(x), lower, (df, x));
            near(ChiSquare { df }.sf(x), upper, (df, x));
        }
        for x in [1e-5, 0.3, 10.0, 1400.0] {
            near(ChiSquare { df: 2.0 }.sf(x), (-0.5 * x).exp(), x);
            near(ChiSquare { df: 2.0 }.cdf(x), -(-0.5 * x).exp_m1(), x);
        }
        let upper = [
            (1.0, 0.05, 3.8414588206941259),
            (10.0, 1e-100, 498.33820041617921),
            (1000.0, 0.5, 999.33341240338097),
            (0.5, 0.9, 0.00013500124771267919),
        ];
        for (df, q, x) in upper {
            near(ChiSquare { df }.isf(q), x, (df, q));
        }
        for (df, p, x) in
            [(1.0, 1e-8, 1.5707963267948968e-16), (10.0, 0.01, 2.5582121601872061), (100.0, 1e-20, 18.611349164449135)]
        {
            near(ChiSquare { df }.quantile(p), x, (df, p));
        }
    }

    #[test]
    fn arguments_outside_give_nan() {
        assert!(incomplete_beta(0.0, 1.0, 0.5, 0.5).0.is_nan());
        assert!(incomplete_beta(1.0, 1.0, f64::NAN, 0.5).1.is_nan());
        assert!(incomplete_gamma(-1.0, 2.0).0.is_nan());
        assert_eq!(incomplete_beta(2.0, 3.0, 0.0, 1.0), (0.0, 1.0));
        assert_eq!(incomplete_gamma(2.0, f64::INFINITY), (1.0, 0.0));
    }
}
