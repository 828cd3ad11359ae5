//! Measures of how good predictions are. Every measure takes sample weights; a weight of 2 is the row twice.
//!
//! Names are those people type: accuracy, balanced_accuracy, log_loss, brier, roc_auc, average_precision, f1, mse, rmse,
//! mae, r2, deviance, inertia, silhouette, adjusted_rand, log_likelihood, bic, aic.

mod classify;
mod cluster;
mod regress;

pub use classify::{
    Confusion, accuracy, average_precision, balanced_accuracy, brier, confusion, f1_macro, log_loss, precision_recall_f1,
    roc_auc, roc_auc_macro, roc_curve,
};
pub use cluster::{adjusted_rand, inertia, silhouette};
pub use regress::{mae, mse, r2, rmse};

use ermine_core::{Error, Features, Model, Result, Target};
use ermine_math::moments::Moments;

/// The direction in which a measure improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Larger is better.
    Higher,
    /// Smaller is better.
    Lower,
}

/// All measures by name, with their direction and what they say.
pub const METRICS: &[(&str, Better, &str)] = &[
    ("accuracy", Better::Higher, "share of rows whose class is right"),
    ("balanced_accuracy", Better::Higher, "mean over classes of the share that is found"),
    ("log_loss", Better::Lower, "mean of -log of the probability of the true class"),
    ("brier", Better::Lower, "mean squared distance of the probabilities from the truth"),
    ("roc_auc", Better::Higher, "probability that a positive row scores above a negative one; one against the rest, averaged"),
    ("average_precision", Better::Higher, "area under precision over recall; one against the rest, averaged"),
    ("f1", Better::Higher, "harmonic mean of precision and recall; averaged over classes when there are more than two"),
    ("mse", Better::Lower, "mean squared error"),
    ("rmse", Better::Lower, "square root of the mean squared error"),
    ("mae", Better::Lower, "mean absolute error"),
    ("r2", Better::Higher, "share of the variance that is explained"),
    (
        "deviance",
        Better::Lower,
        "twice the log-likelihood short of a perfect fit, in the family of the model; the sum of squares but for glm",
    ),
    ("inertia", Better::Lower, "sum of squared distances to the nearest centre"),
    ("silhouette", Better::Higher, "how much nearer rows are to their own cluster than to the next"),
    ("adjusted_rand", Better::Higher, "agreement of two groupings, 0 by chance and 1 when equal"),
    ("log_likelihood", Better::Higher, "log-likelihood of the rows"),
    ("bic", Better::Lower, "Bayesian information criterion"),
    ("aic", Better::Lower, "Akaike information criterion"),
];

/// The direction of a measure; an unknown name is answered with the nearest.
pub fn direction(name: &str) -> Result<Better> {
    let found = METRICS.iter().find(|(n, _, _)| *n == name).map(|(_, b, _)| *b);
    found.ok_or_else(|| Error::unknown("metric", name, METRICS.iter().map(|(n, _, _)| *n)))
}

/// All measures that fit a model and rows: with a known target those of predictions; without one those of groups, densities
/// and ways back from few columns, and with known classes the agreement of groups with them.
pub fn evaluate(model: &dyn Model, x: &Features<'_>, y: &Target<'_>, weight: Option<&[f64]>) -> Result<Vec<(&'static str, f64)>> {
    if let (Some(c), Target::Class { codes, names }) = (model.as_classifier(), y) {
        if c.classes() != *names {
            return Err(Error::Target(format!("the model knows the classes {:?} and the data has {names:?}", c.classes())));
        }
        let proba = c.proba(x)?;
        let found = c.classify(x)?;
        let table = confusion(codes, &found, names.len(), weight);
        let mut out = vec![
            ("accuracy", table.accuracy()),
            ("balanced_accuracy", table.balanced_accuracy()),
            ("log_loss", log_loss(codes, proba.view(), weight)),
            ("brier", brier(codes, proba.view(), weight)),
        ];
        if let Some(auc) = roc_auc_macro(codes, proba.view(), weight) {
            out.push(("roc_auc", auc));
        }
        if let Some(ap) = classify::average_precision_macro(codes, proba.view(), weight) {
            out.push(("average_precision", ap));
        }
        out.push(("f1", if names.len() == 2 { table.precision_recall_f1(1).2 } else { table.f1_macro() }));
        return Ok(out);
    }
    if let (Some(r), Target::Real(_) | Target::Reals(_)) = (model.as_regressor(), y) {
        let truth = y.reals()?;
        let found = r.predict(x)?;
        let mean_square = mse(truth, found.view(), weight);
        let of_row = |i: usize| -> f64 { (0..truth.cols()).map(|j| r.unit_deviance(*truth.at(i, j), found[(i, j)])).sum() };
        let deviance = (0..truth.rows()).map(|i| of_row(i) * weight.map_or(1.0, |w| w[i])).sum();
        return Ok(vec![
            ("mse", mean_square),
            ("rmse", mean_square.sqrt()),
            ("mae", mae(truth, found.view(), weight)),
            ("r2", r2(truth, found.view(), weight)),
            ("deviance", deviance),
        ]);
    }
    if model.as_clusterer().is_none() && model.as_density().is_none() && !reduces(model, x)? {
        return Err(match y {
            Target::None => {
                Error::Data("this model neither predicts, groups nor leads back, so that there is nothing to measure".into())
            }
            _ => Error::Target("the model predicts something else than this target".into()),
        });
    }
    let mut out = Vec::new();
    let sums = totals(model, x, weight)?;
    let of = |name: &str| sums.iter().find(|s| s.0 == name).copied();
    if let Some(c) = model.as_clusterer() {
        let labels = c.assign(x)?;
        out.extend(of("inertia"));
        // Of large data only the sample is prepared.
        let rows = cluster::silhouette_rows(labels.len());
        let sample = x.take(&rows);
        let of_sample: Vec<u32> = rows.iter().map(|&i| labels[i]).collect();
        let space = c.space(&sample.view())?;
        let space = space.as_ref().map_or(sample.view(), |z| Features::F64(z.view()));
        if let Some(s) = silhouette(&space, &of_sample)? {
            out.push(("silhouette", s));
        }
        if let Target::Class { codes, .. } = y {
            out.push(("adjusted_rand", adjusted_rand(codes, &labels)));
        }
    }
    if let (Some(d), Some((_, ll))) = (model.as_density(), of("log_likelihood")) {
        let rows = weight.map_or(x.rows() as f64, |w| w.iter().sum());
        out.push(("log_likelihood", ll));
        out.extend(criteria(ll, d.n_parameters(), rows));
    }
    if model.as_clusterer().is_none() {
        out.extend(reconstruction(model, x, weight)?);
    }
    Ok(out)
}

/// The information criteria of a log-likelihood over so many rows: bic and aic.
pub fn criteria(log_likelihood: f64, parameters: usize, rows: f64) -> [(&'static str, f64); 2] {
    let k = parameters as f64;
    [("bic", k * rows.ln() - 2.0 * log_likelihood), ("aic", 2.0 * k - 2.0 * log_likelihood)]
}

/// The measures of a clustering or a density that are sums over rows, so that blocks of rows can be added up: inertia,
/// log_likelihood.
pub fn totals(model: &dyn Model, x: &Features<'_>, weight: Option<&[f64]>) -> Result<Vec<(&'static str, f64)>> {
    // A row of weight 0 counts for nothing, even where its density is 0.
    let weighted = |(i, v): (usize, f64)| match weight.map_or(1.0, |w| w[i]) {
        0.0 => 0.0,
        w => w * v,
    };
    let mut out = Vec::new();
    if let (Some(c), Some(t)) = (model.as_clusterer(), model.as_transformer()) {
        // The distances to the centres are what a clusterer transforms to.
        let (labels, distances) = (c.assign(x)?, t.transform(x)?);
        let nearest = |i: usize| (i, distances.row(i).get(labels[i] as usize).map_or(0.0, |d| d * d));
        out.push(("inertia", (0..labels.len()).map(nearest).map(weighted).sum()));
    }
    if let Some(d) = model.as_density() {
        out.push(("log_likelihood", d.log_density(x)?.into_iter().enumerate().map(weighted).sum()));
    }
    Ok(out)
}

/// Whether a model makes few columns of many and knows a way back.
fn reduces(model: &dyn Model, x: &Features<'_>) -> Result<bool> {
    let Some(t) = model.as_transformer() else { return Ok(false) };
    let z = t.transform(&x.row_range(0..x.rows().min(1)))?;
    Ok(z.cols() < x.cols() && t.inverse(z.view())?.is_some_and(|back| back.cols() == x.cols()))
}

/// How well the way back from the new columns gives the old ones: the mean squared error of a cell, and the share of the
/// variance of the columns that it leaves explained.
fn reconstruction(model: &dyn Model, x: &Features<'_>, weight: Option<&[f64]>) -> Result<Vec<(&'static str, f64)>> {
    const BLOCK: usize = 4096;
    let numbers = match x {
        Features::Table(t) => (0..t.cols()).all(|j| t.numbers(j).is_some()) && t.to_numbers("the measures").is_ok(),
        _ => true,
    };
    let (true, true, Some(t)) = (numbers, reduces(model, x)?, model.as_transformer()) else { return Ok(Vec::new()) };
    let (rows, cols) = (x.rows(), x.cols());
    let (mut total, mut off) = (0.0, 0.0);
    let mut moments = Moments::new(cols, 0);
    let mut scratch = Vec::new();
    for first in (0..rows).step_by(BLOCK) {
        let block = x.row_range(first..rows.min(first + BLOCK));
        let Some(back) = t.inverse(t.transform(&block)?.view())? else { return Ok(Vec::new()) };
        let view = block.f64_rows(&mut scratch, "the measures")?;
        let weight = weight.map(|w| &w[first..first + block.rows()]);
        for i in 0..block.rows() {
            let w = weight.map_or(1.0, |w| w[i]);
            total += w;
            off += w * (0..cols).map(|j| (view.at(i, j) - back[(i, j)]).powi(2)).sum::<f64>();
        }
        moments.add(view, None, weight);
    }
    let spread: f64 = moments.scatter_diagonal().iter().sum();
    let mse = off / (total * cols as f64);
    let r2 = if spread > 0.0 { 1.0 - off / spread } else { f64::from(u8::from(off == 0.0)) };
    Ok(vec![("mse", mse), ("rmse", mse.sqrt()), ("r2", r2)])
}
