//! Bias–variance decomposition of any learner, by repeated training.

use ermine_core::{AnyLearner, Context, DatasetRef, Error, Result, RngStream, Target};
use serde::{Deserialize, Serialize};

use super::workers::parallel_map;
use crate::metrics::Predictions;

/// How training sets are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainingDraw {
    /// With replacement, of the original size.
    Bootstrap,
    /// A share of the rows, without replacement.
    Subsample(f64),
}

/// Decomposition of the error of a learner over random training sets.
///
/// For squared errors, the mean over training sets of (y - f)² at a row is (y - f̄)² + Var f, and with the mean m of y
/// at that row known, (y - f̄)² is the noise (y - m)² plus the squared bias (m - f̄)², up to a term of mean 0. For
/// classification errors (Domingos 2000), the bias of a row is whether the main prediction (the most frequent class) is
/// wrong, and its variance how often another class is predicted; deviations increase the error where the main
/// prediction is right, and decrease it where it is wrong and they are right, so that the error is bias + biased
/// variance - unbiased variance.
///
/// All training sets are drawn from the same rows: noise in their targets that affects all of them counts as bias.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BiasVariance {
    /// Mean error over training sets and rows: squared, or the share of wrong classes.
    pub risk: f64,
    /// Squared bias, or the share of rows whose main prediction is wrong; including the noise where that is unknown.
    pub bias: f64,
    /// Variance: for classes, the part that increases the error less the part that decreases it.
    pub variance: f64,
    /// Noise, where the means of the targets are known.
    pub noise: Option<f64>,
    /// For classes: how often the prediction deviates from the main prediction, where that is right, and where it is
    /// wrong.
    pub variance_by_side: Option<(f64, f64)>,
    /// Training sets that were drawn.
    pub draws: usize,
    /// Standard errors over the rows tested, of risk, bias and variance.
    pub standard_errors: [f64; 3],
}

/// One test row: risk, bias, variance, noise; and the two sides of the variance.
type RiskParts = ([f64; 4], [f64; 2]);

/// Trains on `draws` sets drawn from `data` and decomposes the errors on `test`. `means` are the noise-free targets of
/// the test rows, for simulations in which they are known (codes of the best classes for classes).
pub fn bias_variance(
    learner: &dyn AnyLearner,
    data: &DatasetRef<'_>,
    test: &DatasetRef<'_>,
    draw: TrainingDraw,
    draws: usize,
    means: Option<&[f64]>,
    cx: &Context<'_>,
) -> Result<BiasVariance> {
    if draws < 2 {
        return Err(Error::Data(format!("{draws} training sets: a variance needs at least 2")));
    }
    if let TrainingDraw::Subsample(share) = draw
        && !(share > 0.0 && share < 1.0)
    {
        return Err(Error::Data(format!("a share of {share} of the rows: it must lie between 0 and 1")));
    }
    if let Some(means) = means
        && means.len() != test.rows()
    {
        return Err(Error::Length { what: "means of the targets".into(), expected: test.rows(), found: means.len() });
    }
    let rows = data.rows();
    let fit = |_: usize, d: usize| -> Result<Predictions> {
        let mut stream = RngStream::new(cx.seed, "bias and variance", d as u64);
        let mut drawn: Vec<usize> = match draw {
            TrainingDraw::Bootstrap => (0..rows).map(|_| stream.below(rows)).collect(),
            TrainingDraw::Subsample(share) => {
                let mut order = stream.permutation(rows);
                order.truncate(((share * rows as f64).round() as usize).clamp(1, rows));
                order
            }
        };
        drawn.sort_unstable();
        let model = learner.fit_any(&data.take_rows(&drawn).view(), cx)?;
        Predictions::of(&*model, &test.x, cx)
    };
    let all: Vec<Predictions> = parallel_map((0..draws).collect(), fit).into_iter().collect::<Result<_>>()?;
    let per_row: Vec<RiskParts> = match test.y {
        Target::Class { codes, names } => {
            let mean = |i: usize| means.map(|m| m[i] as u32);
            (0..test.rows()).map(|i| of_classes(&all, i, codes[i], mean(i), names.len())).collect()
        }
        _ => {
            let y = test.y.reals()?;
            let mean = |i: usize| means.map(|m| m[i]);
            (0..test.rows()).map(|i| of_numbers(&all, i, y.row_range(i..i + 1).to_owned().as_slice(), mean(i))).collect()
        }
    };
    Ok(sum_up(&per_row, test, draws, means.is_some(), matches!(test.y, Target::Class { .. })))
}

fn of_numbers(all: &[Predictions], row: usize, y: &[f64], mean: Option<f64>) -> RiskParts {
    let b = all.len() as f64;
    let mut out = [0.0; 4];
    for (j, &y) in y.iter().enumerate() {
        let f = |o: &Predictions| if let Predictions::Numbers(m) = o { m[(row, j)] } else { f64::NAN };
        let middle = all.iter().map(f).sum::<f64>() / b;
        let squares = all.iter().map(|o| (f(o) - middle).powi(2)).sum::<f64>();
        // The population variance over training sets: the mean of few draws has a variance of its own, which is not
        // bias.
        let variance = squares / (b - 1.0);
        let truth = mean.unwrap_or(y);
        out[0] += squares / b + (y - middle).powi(2);
        out[1] += (truth - middle).powi(2) - variance / b;
        out[2] += variance;
        out[3] += (y - truth).powi(2);
    }
    (out.map(|v| v / y.len() as f64), [0.0; 2])
}

fn of_classes(all: &[Predictions], row: usize, y: u32, best: Option<u32>, classes: usize) -> RiskParts {
    let mut counts = vec![0usize; classes];
    for one in all {
        if let Predictions::Classes { classes, .. } = one {
            counts[classes[row] as usize] += 1;
        }
    }
    let b = all.len() as f64;
    // The main prediction; ties go to the first class.
    let usual = (0..classes).fold(0, |best, c| if counts[c] > counts[best] { c } else { best });
    let truth = best.unwrap_or(y) as usize;
    let other = 1.0 - counts[usual] as f64 / b;
    let risk = 1.0 - counts[y as usize] as f64 / b;
    let right = usual == truth;
    // Where the main prediction is wrong, only right deviations help.
    let variance = if right { other } else { -(counts[truth] as f64 / b) };
    let sides = if right { [other, 0.0] } else { [0.0, other] };
    ([risk, f64::from(!right), variance, f64::from(truth != y as usize)], sides)
}

fn sum_up(rows: &[RiskParts], test: &DatasetRef<'_>, draws: usize, noise: bool, classes: bool) -> BiasVariance {
    let total = test.total_weight();
    let mean =
        |of: &dyn Fn(&RiskParts) -> f64| rows.iter().enumerate().map(|(i, r)| test.weight_of(i) / total * of(r)).sum::<f64>();
    let error = |k: usize| {
        let middle = mean(&|r| r.0[k]);
        (mean(&|r| (r.0[k] - middle).powi(2)) / (rows.len() as f64 - 1.0).max(1.0)).sqrt()
    };
    BiasVariance {
        risk: mean(&|r| r.0[0]),
        bias: mean(&|r| r.0[1]),
        variance: mean(&|r| r.0[2]),
        noise: noise.then(|| mean(&|r| r.0[3])),
        variance_by_side: classes.then(|| (mean(&|r| r.1[0]), mean(&|r| r.1[1]))),
        draws,
        standard_errors: [error(0), error(1), error(2)],
    }
}

#[cfg(test)]
mod tests {
    use ermine_core::{Features, MatRef};

    use super::*;
    use ermine_linear::Ridge;
    use ermine_neighbors::Knn;
    use ermine_tree::tree::Tree;

    /// sin(2x) with noise of standard deviation 0.5, and the values without noise.
    fn wave(n: usize, stream: &mut RngStream) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..n).map(|_| 4.0 * stream.uniform() - 2.0).collect();
        let m: Vec<f64> = x.iter().map(|v| (2.0 * v).sin()).collect();
        let y = m.iter().map(|m| m + 0.5 * stream.normal()).collect();
        (x, y, m)
    }

    #[test]
    fn bias_variance_and_noise_add_up_to_the_measured_risk() {
        let mut s = RngStream::new(1, "wave", 0);
        let ((x, y, _), (xt, yt, mt)) = (wave(120, &mut s), wave(2000, &mut s));
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 120, 1))).with_target(Target::Real(&y));
        let test = DatasetRef::new(Features::F64(MatRef::row_major(&xt, 2000, 1))).with_target(Target::Real(&yt));
        let learners: [&dyn AnyLearner; 3] =
            [&Ridge::default(), &Knn { n_neighbors: 1, ..Knn::default() }, &Knn { n_neighbors: 15, ..Knn::default() }];
        let mut results = Vec::new();
        for learner in learners {
            let known =
                bias_variance(learner, &data, &test, TrainingDraw::Bootstrap, 60, Some(&mt), &Context::default()).unwrap();
            let noise = known.noise.unwrap();
            assert!((noise - 0.25).abs() < 0.03, "{noise}");
            // The terms that cancel on average: 2 (y - m)(m - f̄), of standard error 2 σ rms(m - f̄) / √n.
            let slack = 4.0 * 2.0 * 0.5 * (known.bias.max(0.0) + known.variance / 60.0).sqrt() / 2000f64.sqrt();
            let sum = known.bias + known.variance + noise;
            assert!((sum - known.risk).abs() < slack + 1e-12, "{sum} {} {slack}", known.risk);
            // Without the means, bias and noise are one, and the sum is exact.
            let joint = bias_variance(learner, &data, &test, TrainingDraw::Bootstrap, 60, None, &Context::default()).unwrap();
            assert!((joint.bias + joint.variance - joint.risk).abs() < 1e-12 && joint.noise.is_none());
            results.push(known);
        }
        // A line has high bias, one neighbor high variance.
        assert!(results[0].bias > 4.0 * results[2].bias && results[1].variance > 4.0 * results[0].variance);
        assert!(results[0].bias > 2.0 * results[1].bias && results[2].variance < results[1].variance);
        // The k-th nearest row is the nearest of a bootstrap with probability (1 - q) qᵏ, q = 1/e, k from 0: the mean over bootstraps keeps the share
        // Σ (1 - q)² q²ᵏ = (1 - q)/(1 + q) = tanh(1/2) = 0.46 of the noise of the targets as bias, and the rest is variance. Over sets of 120 rows the
        // standard deviations of the share and of the sum, which is the noise, are 0.037 each (simulated): four of them.
        let near = &results[1];
        let share = near.bias / (near.bias + near.variance);
        assert!((share - 0.5f64.tanh()).abs() < 0.15, "{share}");
        assert!((near.bias + near.variance - 0.25).abs() < 0.15, "{} {}", near.bias, near.variance);
    }

    #[test]
    fn errors_of_classes_are_bias_and_variance_that_harms_less_what_helps() {
        let mut s = RngStream::new(2, "classes", 0);
        let n = 300;
        let x: Vec<f64> = (0..n * 2).map(|_| s.normal()).collect();
        let codes: Vec<u32> =
            (0..n).map(|i| ((x[2 * i] + 0.7 * s.normal() > 0.0) as u32) + u32::from(x[2 * i + 1] > 1.0)).collect();
        let names = ["a", "b", "c"].map(str::to_owned);
        let all = DatasetRef::new(Features::F64(MatRef::row_major(&x, n, 2)))
            .with_target(Target::Class { codes: &codes, names: &names });
        let (data, test) = (all.row_range(0..150), all.row_range(150..300));
        let deep =
            bias_variance(&Tree::default(), &data, &test, TrainingDraw::Subsample(0.6), 40, None, &Context::default()).unwrap();
        assert!((deep.bias + deep.variance - deep.risk).abs() < 1e-12);
        let stump = Tree { max_depth: Some(1), ..Tree::default() };
        let stump = bias_variance(&stump, &data, &test, TrainingDraw::Subsample(0.6), 40, None, &Context::default()).unwrap();
        let (harms, helps) = stump.variance_by_side.unwrap();
        assert!(harms >= 0.0 && helps >= 0.0 && harms + helps < deep.variance_by_side.map(|v| v.0 + v.1).unwrap());
        // The same with any number of threads.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let one = pool.install(|| {
            bias_variance(&Tree::default(), &data, &test, TrainingDraw::Subsample(0.6), 40, None, &Context::default())
        });
        assert_eq!(one.unwrap(), deep);
        assert!(
            bias_variance(&Tree::default(), &data, &test, TrainingDraw::Subsample(1.5), 40, None, &Context::default()).is_err()
        );
        assert!(bias_variance(&Tree::default(), &data, &test, TrainingDraw::Bootstrap, 1, None, &Context::default()).is_err());
    }
}
