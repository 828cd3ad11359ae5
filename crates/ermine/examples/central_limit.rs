//! The central limit theorem: sums of many draws are normal, whatever is drawn, and how soon.
//!
//! ```text
//! cargo run --release -p ermine --example central_limit [FOLDER]
//! ```
//!
//! With a folder, the figures are written there as SVG.
//!
//! 1. Sums of n waiting times, less their mean and divided by their standard deviation: lopsided for one, a bell for thirty.
//! 2. The greatest distance of their distribution function from the normal one falls as 1/√n. It is exact here, since sums of waiting times
//!    are gamma and sums of coins binomial, and lies below the bound of Berry and Esseen, 0.4748 E|X - μ|³ / (σ³ √n).
//!
//! After Feller: An Introduction to Probability Theory and Its Applications, volume 2, 2nd ed. 1971, chapters VIII and XVI; the constant is
//! I. Shevtsova's (2011).

use ermine::chart::{Chart, Series};
use ermine::core::RngStream;
use ermine::math::distribution::Normal;
use ermine::math::probability::{Binomial, Distribution, Exponential, Gamma};

/// Sums of each size.
const SUMS: u64 = 100_000;
const SIZES: [usize; 4] = [1, 2, 5, 30];
const BERRY_ESSEEN: f64 = 0.4748;

/// The density of standardized sums, by counting: the middles of bins and the density in each.
fn histogram(law: &dyn Distribution, size: usize) -> Vec<(f64, f64)> {
    let (low, high, bins) = (-3.0, 4.0, 70);
    let width = (high - low) / bins as f64;
    let mut counts = vec![0u64; bins];
    for k in 0..SUMS {
        let mut stream = RngStream::new(size as u64, "central limit", k);
        let sum: f64 = (0..size).map(|_| law.draw(&mut stream)).sum();
        let z = (sum - size as f64 * law.mean()) / (size as f64 * law.variance()).sqrt();
        if (low..high).contains(&z) {
            counts[((z - low) / width) as usize] += 1;
        }
    }
    let middle = |b: usize| low + (b as f64 + 0.5) * width;
    counts.iter().enumerate().map(|(b, &c)| (middle(b), c as f64 / (SUMS as f64 * width))).collect()
}

/// The greatest distance of the distribution function of a continuous law from that of the normal one with its moments.
fn apart(law: &dyn Distribution) -> f64 {
    let at = |z: f64| (law.cdf(law.mean() + z * law.variance().sqrt()) - Normal.cdf(z)).abs();
    (-8000..=8000).map(|k| at(f64::from(k) / 1000.0)).fold(0.0, f64::max)
}

/// The same for a law of whole numbers, where it is greatest at a step, on one of its sides.
fn apart_at_steps(law: &dyn Distribution, most: usize) -> f64 {
    let normal = |k: f64| Normal.cdf((k - law.mean()) / law.variance().sqrt());
    (0..=most)
        .map(|k| k as f64)
        .map(|k| (law.cdf(k) - normal(k)).abs().max((law.cdf(k) - law.density(k) - normal(k)).abs()))
        .fold(0.0, f64::max)
}

fn main() -> ermine::Result<()> {
    let waiting = Exponential { rate: 1.0 };
    let mut bells = Chart::new("Sums of waiting times become normal", "standardized sum", "density");
    for size in SIZES {
        bells = bells.with(Series::line(format!("{size} of them"), histogram(&waiting, size)));
    }
    let normal = (-60..=80).map(|k| f64::from(k) / 20.0).map(|z| (z, Normal.pdf(z))).collect();
    bells = bells.with(Series::dashed("normal", normal));

    // E|X - μ|³: 12/e - 2 for waiting times of mean 1, p q (p² + q²) for a coin.
    let p: f64 = 0.1;
    let q = 1.0 - p;
    let bound = |third: f64, variance: f64, n: f64| BERRY_ESSEEN * third / (variance.powf(1.5) * n.sqrt());
    let (mut waits, mut coins, mut bound_waits, mut bound_coins) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    println!("{:>6} {:>14} {:>10} {:>14} {:>10}", "draws", "waiting times", "bound", "coins of 0.1", "bound");
    for n in [1usize, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 1000] {
        let at = n as f64;
        let sums = apart(&Gamma { shape: at, scale: 1.0 });
        let heads = apart_at_steps(&Binomial { n: n as u64, p }, n);
        let limits = (bound(12.0 / std::f64::consts::E - 2.0, 1.0, at), bound(p * q * (p * p + q * q), p * q, at));
        println!("{n:>6} {sums:>14.5} {:>10.5} {heads:>14.5} {:>10.5}", limits.0, limits.1);
        waits.push((at, sums));
        bound_waits.push((at, limits.0));
        coins.push((at, heads));
        bound_coins.push((at, limits.1));
    }
    let speed = Chart::new("How soon: greatest distance from the normal distribution", "draws in a sum", "distance")
        .log_x()
        .log_y()
        .with(Series::line("waiting times", waits))
        .with(Series::dashed("their bound", bound_waits))
        .with(Series::line("coins of 0.1", coins))
        .with(Series::dashed("bound of the coins", bound_coins));
    println!("\n{}\n{}", bells.to_text(80, 18), speed.to_text(80, 16));
    if let Some(folder) = std::env::args().nth(1) {
        for (name, chart) in [("central-limit-bells.svg", &bells), ("central-limit-speed.svg", &speed)] {
            let path = std::path::Path::new(&folder).join(name);
            std::fs::write(&path, chart.to_svg()).map_err(|e| ermine::Error::io(&path, e))?;
        }
    }
    Ok(())
}
