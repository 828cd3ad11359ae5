//! The laws of large numbers: what a mean of many draws tends to, how fast, and when it does not.
//!
//! ```text
//! cargo run --release -p ermine --example large_numbers [FOLDER]
//! ```
//!
//! With a folder, the figures are written there as SVG.
//!
//! 1. The strong law: the running mean of one sequence of draws settles at the mean of their law, for nearly every sequence.
//! 2. The weak law: the share of sequences whose mean is off by more than ε after n draws goes to 0. Chebyshev's inequality bounds it by
//!    σ² / (n ε²); the central limit theorem says what it is.
//! 3. Without a mean there is no law: means of Cauchy numbers are as scattered as single ones, however many there are.
//!
//! After Feller: An Introduction to Probability Theory and Its Applications, volume 1, 3rd ed. 1968, chapter X.

use ermine::chart::{Chart, Series};
use ermine::core::RngStream;
use ermine::math::distribution::Normal;
use ermine::math::probability::{Bernoulli, Cauchy, Distribution, Exponential};

/// Draws of the longest sequences.
const DRAWS: usize = 100_000;
/// Sequences that are drawn, and sequences that are counted.
const SHOWN: u64 = 5;
const COUNTED: u64 = 2000;
/// How far off a mean may be.
const OFF: f64 = 0.1;

/// Numbers of draws at which a mean is looked at: ten for each power of ten.
fn moments(most: usize) -> Vec<usize> {
    let mut out: Vec<usize> =
        (0..).map(|k| 10f64.powf(f64::from(k) / 10.0).round() as usize).take_while(|&n| n <= most).collect();
    out.dedup();
    out
}

/// The means of one sequence after so many draws.
fn running_means(law: &dyn Distribution, at: &[usize], sequence: u64) -> Vec<f64> {
    let mut stream = RngStream::new(0, "large numbers", sequence);
    let (mut sum, mut drawn) = (0.0, 0);
    at.iter()
        .map(|&n| {
            while drawn < n {
                sum += law.draw(&mut stream);
                drawn += 1;
            }
            sum / n as f64
        })
        .collect()
}

fn sequences(title: &str, law: &dyn Distribution) -> Chart {
    let at = moments(DRAWS);
    let mut chart = Chart::new(title, "draws", "mean so far").log_x();
    if law.variance().is_finite() {
        // Where 95 % of all means lie after n draws.
        let half = |n: usize| Normal.quantile(0.975) * (law.variance() / n as f64).sqrt();
        let middle = at.iter().map(|&n| (n as f64, law.mean())).collect();
        let band = at.iter().map(|&n| (law.mean() - half(n), law.mean() + half(n))).collect();
        chart = chart.with(Series::dashed("the mean, and 95% of all sequences", middle).with_band(band));
    }
    for k in 0..SHOWN {
        let means = running_means(law, &at, k);
        chart = chart.with(Series::line(format!("sequence {}", k + 1), at.iter().map(|&n| n as f64).zip(means).collect()));
    }
    chart
}

fn main() -> ermine::Result<()> {
    let waiting = Exponential { rate: 1.0 };
    let strong = sequences("Means of waiting times settle", &waiting);
    let never = sequences("Means of Cauchy numbers never do", &Cauchy { median: 0.0, scale: 1.0 });

    let coin = Bernoulli { p: 0.3 };
    let at = moments(1000);
    let mut off = vec![0u64; at.len()];
    for k in 0..COUNTED {
        for (count, mean) in off.iter_mut().zip(running_means(&coin, &at, SHOWN + k)) {
            *count += u64::from((mean - coin.mean()).abs() > OFF);
        }
    }
    let (mut shares, mut chebyshev, mut limit) = (Vec::new(), Vec::new(), Vec::new());
    println!("{:>6} {:>22} {:>12} {:>14}", "draws", "share off by over 0.1", "Chebyshev", "normal limit");
    for (&n, &count) in at.iter().zip(&off) {
        let share = count as f64 / COUNTED as f64;
        let bound = (coin.variance() / (n as f64 * OFF * OFF)).min(1.0);
        let normal = 2.0 * Normal.sf(OFF * (n as f64 / coin.variance()).sqrt());
        if [1, 10, 50, 100, 200, 501, 1000].contains(&n) {
            println!("{n:>6} {share:>22.4} {bound:>12.4} {normal:>14.4}");
        }
        shares.push((n as f64, share));
        chebyshev.push((n as f64, bound));
        limit.push((n as f64, normal));
    }
    let weak = Chart::new("A coin of 0.3: sequences whose mean is off by more than 0.1", "draws", "share of sequences")
        .log_x()
        .with(Series::line("of 2000 sequences", shares))
        .with(Series::line("Chebyshev's bound", chebyshev))
        .with(Series::dashed("central limit theorem", limit));
    println!("\n{}\n{}\n{}", strong.to_text(80, 16), weak.to_text(80, 16), never.to_text(80, 16));
    if let Some(folder) = std::env::args().nth(1) {
        for (name, chart) in
            [("large-numbers-strong.svg", &strong), ("large-numbers-weak.svg", &weak), ("large-numbers-cauchy.svg", &never)]
        {
            let path = std::path::Path::new(&folder).join(name);
            std::fs::write(&path, chart.to_svg()).map_err(|e| ermine::Error::io(&path, e))?;
        }
    }
    Ok(())
}
