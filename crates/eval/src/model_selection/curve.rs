//! Learning and validation curves as data.

use ermine_core::{AnyLearner, Context, DatasetRef, Error, Result, RngStream, Target};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CvSplits;
use super::workers::parallel_map;
use crate::metrics;

/// The values of a metric over the rounds of a cross-validation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FoldScores {
    /// One per round.
    pub each: Vec<f64>,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, with divisor n - 1; 0 for one round.
    pub std: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
}

impl FoldScores {
    /// Sums up the values of the rounds.
    pub fn of(each: Vec<f64>) -> Self {
        let n = each.len() as f64;
        let mean = each.iter().sum::<f64>() / n;
        let square = each.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        let std = if each.len() > 1 { (square / (n - 1.0)).sqrt() } else { 0.0 };
        Self { mean, std, standard_error: std / n.sqrt(), each }
    }
}

/// A metric by number of training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearningCurve {
    /// The metric.
    pub metric: String,
    /// Training rows, ascending.
    pub sizes: Vec<usize>,
    /// The metric on the training rows themselves, for each size.
    pub train: Vec<FoldScores>,
    /// The metric on the held-out rows, for each size.
    pub test: Vec<FoldScores>,
    /// Mean seconds of a fit, for each size.
    pub fit_seconds: Vec<f64>,
}

/// A metric by values of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidationCurve {
    /// The metric.
    pub metric: String,
    /// The parameter.
    pub parameter: String,
    /// Its values, in the order given.
    pub values: Vec<Value>,
    /// The metric on the training rows, for each value.
    pub train: Vec<FoldScores>,
    /// The metric on the held-out rows, for each value.
    pub test: Vec<FoldScores>,
    /// Mean seconds of a fit, for each value.
    pub fit_seconds: Vec<f64>,
}

/// Rows in random order such that every prefix is approximately stratified: a class with m rows has them at equal
/// distances. For numbers a random order.
pub fn even_order(y: &Target<'_>, rows: &[usize], stream: &mut RngStream) -> Vec<usize> {
    let mut order: Vec<usize> = stream.permutation(rows.len()).into_iter().map(|k| rows[k]).collect();
    if let Target::Class { codes, names } = y {
        let mut count = vec![0usize; names.len()];
        rows.iter().for_each(|&i| count[codes[i] as usize] += 1);
        let mut seen = vec![0usize; names.len()];
        let mut placed: Vec<(f64, usize)> = Vec::with_capacity(rows.len());
        for i in order {
            let c = codes[i] as usize;
            placed.push(((seen[c] as f64 + 0.5) / count[c] as f64, i));
            seen[c] += 1;
        }
        placed.sort_by(|a, b| a.0.total_cmp(&b.0));
        order = placed.into_iter().map(|p| p.1).collect();
    }
    order
}

/// The value of one metric for a model on rows.
fn measure(model: &dyn ermine_core::Model, rows: &DatasetRef<'_>, metric: &str) -> Result<f64> {
    let all = metrics::evaluate(model, &rows.x, &rows.y, rows.weight)?;
    all.iter().find(|(name, _)| *name == metric).map(|(_, v)| *v).ok_or_else(|| {
        let known = all.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ");
        Error::Data(format!("the measure \"{metric}\" does not apply here; there is {known}"))
    })
}

/// The metric on the training rows and on the held-out rows, and the seconds of a fit.
type CurveCell = (f64, f64, f64);

/// One fit of a curve: the metric on the training rows and on the held-out rows, and the seconds of the fit.
fn fit_and_measure(
    learner: &dyn AnyLearner,
    train: &DatasetRef<'_>,
    test: &DatasetRef<'_>,
    metric: &str,
    cx: &Context<'_>,
) -> Result<CurveCell> {
    let started = std::time::Instant::now();
    let model = learner.fit_any(train, cx)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok((measure(&*model, train, metric)?, measure(&*model, test, metric)?, seconds))
}

/// Trains on growing parts of the training rows of each fold and evaluates on those parts and on the held-out rows, in
/// parallel.
///
/// `shares` are parts of the training rows, above 0 and up to 1. The parts of a fold are nested and stratified.
pub fn learning_curve(
    learner: &dyn AnyLearner,
    data: &DatasetRef<'_>,
    rounds: &CvSplits,
    shares: &[f64],
    metric: &str,
    cx: &Context<'_>,
) -> Result<LearningCurve> {
    metrics::direction(metric)?;
    if let Some(bad) = shares.iter().find(|s| !(**s > 0.0 && **s <= 1.0)) {
        return Err(Error::Data(format!("a share of {bad} of the training rows: it must lie above 0 and be at most 1")));
    }
    let least = (0..rounds.len()).map(|k| rounds.round(k).0.len()).min().unwrap_or(0);
    let mut sizes: Vec<usize> = shares.iter().map(|s| ((s * least as f64).round() as usize).max(1)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    // The largest first, so that no thread is left with one at the end.
    let tasks: Vec<(usize, usize)> = (0..sizes.len()).rev().flat_map(|k| (0..rounds.len()).map(move |r| (k, r))).collect();
    let cells = parallel_map(tasks, |_, (k, r)| {
        let (train, test) = rounds.round(r);
        let order = even_order(&data.y, &train, &mut RngStream::new(cx.seed, "learning curve", r as u64));
        // In their original order, as a fit on all rows has them.
        let mut part = order[..sizes[k]].to_vec();
        part.sort_unstable();
        let cell = fit_and_measure(learner, &data.take_rows(&part).view(), &data.take_rows(&test).view(), metric, cx)?;
        Ok((k, cell))
    });
    let cells = in_cells(sizes.len(), cells)?;
    let (train, test, fit_seconds) = columns(cells);
    Ok(LearningCurve { metric: metric.to_owned(), sizes, train, test, fit_seconds })
}

/// Trains with each value of one parameter on each fold and evaluates on the training rows and on the held-out rows.
pub fn validation_curve(
    learner: &dyn AnyLearner,
    data: &DatasetRef<'_>,
    rounds: &CvSplits,
    parameter: &str,
    values: &[Value],
    metric: &str,
    cx: &Context<'_>,
) -> Result<ValidationCurve> {
    metrics::direction(metric)?;
    let mut learners = Vec::with_capacity(values.len());
    for value in values {
        let mut learner = learner.boxed();
        learner.set(parameter, value.clone())?;
        learners.push(learner);
    }
    let tasks: Vec<(usize, usize)> = (0..rounds.len()).flat_map(|r| (0..values.len()).map(move |k| (k, r))).collect();
    let cells = parallel_map(tasks, |_, (k, r)| {
        let (train, test) = rounds.round(r);
        let cell = fit_and_measure(&*learners[k], &data.take_rows(&train).view(), &data.take_rows(&test).view(), metric, cx)?;
        Ok((k, cell))
    });
    let cells = in_cells(values.len(), cells)?;
    let (train, test, fit_seconds) = columns(cells);
    Ok(ValidationCurve {
        metric: metric.to_owned(),
        parameter: parameter.to_owned(),
        values: values.to_vec(),
        train,
        test,
        fit_seconds,
    })
}

/// The fits of each point, in the order of the rounds.
fn in_cells(points: usize, found: Vec<Result<(usize, CurveCell)>>) -> Result<Vec<Vec<CurveCell>>> {
    let mut cells = vec![Vec::new(); points];
    for one in found {
        let (k, cell) = one?;
        cells[k].push(cell);
    }
    Ok(cells)
}

/// Training scores, test scores and mean seconds of each point of a curve.
fn columns(cells: Vec<Vec<CurveCell>>) -> (Vec<FoldScores>, Vec<FoldScores>, Vec<f64>) {
    let of = |f: fn(&CurveCell) -> f64| cells.iter().map(|c| FoldScores::of(c.iter().map(f).collect())).collect::<Vec<_>>();
    (of(|c| c.0), of(|c| c.1), of(|c| c.2).into_iter().map(|s| s.mean).collect())
}

#[cfg(test)]
mod tests {
    use ermine_core::{Features, MatRef};

    use super::*;
    use crate::model_selection::k_fold;
    use ermine_linear::Ridge;

    /// A line with noise, 120 rows.
    fn line() -> (Vec<f64>, Vec<f64>) {
        let mut s = RngStream::new(3, "line", 0);
        let x: Vec<f64> = (0..120 * 8).map(|_| s.normal()).collect();
        let y = (0..120).map(|i| x[8 * i] - 2.0 * x[8 * i + 1] + 0.5 * s.normal()).collect();
        (x, y)
    }

    #[test]
    fn more_rows_bring_training_and_test_together() {
        let (x, y) = line();
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 120, 8))).with_target(Target::Real(&y));
        let folds = CvSplits::from(k_fold(120, 4, 0).unwrap());
        let learner = Ridge { alpha: 1e-6.into(), ..Ridge::default() };
        let curve = learning_curve(&learner, &data, &folds, &[0.15, 0.4, 1.0], "rmse", &Context::default()).unwrap();
        assert_eq!(curve.sizes, [14, 36, 90]);
        let gap: Vec<f64> = curve.test.iter().zip(&curve.train).map(|(a, b)| a.mean - b.mean).collect();
        assert!(gap[0] > gap[1] && gap[1] > gap[2] && gap[2] > 0.0, "{gap:?}");
        assert!((curve.test[2].mean - 0.5).abs() < 0.1);
        assert!(learning_curve(&learner, &data, &folds, &[0.0], "rmse", &Context::default()).is_err());
        assert!(learning_curve(&learner, &data, &folds, &[1.0], "accuracy", &Context::default()).is_err());
    }

    #[test]
    fn a_validation_curve_falls_and_rises_with_the_penalty() {
        let (x, y) = line();
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 120, 8))).with_target(Target::Real(&y));
        let folds = CvSplits::from(k_fold(120, 4, 0).unwrap());
        let values = [0.01, 1.0, 1e4].map(Value::from);
        let curve = validation_curve(&Ridge::default(), &data, &folds, "alpha", &values, "mse", &Context::default()).unwrap();
        assert!(curve.train[0].mean < curve.train[1].mean && curve.train[1].mean < curve.train[2].mean);
        assert!(curve.test[2].mean > 2.0 * curve.test[1].mean);
        assert_eq!(curve.test[0].each.len(), 4);
        assert!(validation_curve(&Ridge::default(), &data, &folds, "alpa", &values, "mse", &Context::default()).is_err());
    }

    #[test]
    fn every_beginning_of_the_order_has_every_class_in_its_share() {
        let codes: Vec<u32> = (0..200).map(|i| u32::from(i % 10 == 0)).collect();
        let names = ["a".to_owned(), "b".to_owned()];
        let y = Target::Class { codes: &codes, names: &names };
        let rows: Vec<usize> = (0..200).collect();
        let order = even_order(&y, &rows, &mut RngStream::new(1, "t", 0));
        for n in [20, 50, 110] {
            let rare = order[..n].iter().filter(|&&i| codes[i] == 1).count();
            assert!(rare.abs_diff(n / 10) <= 1, "{rare} of {n}");
        }
        let mut all = order.clone();
        all.sort_unstable();
        assert_eq!(all, rows);
    }
}
