//! Active learning by uncertainty sampling.

use ermine_core::{AnyLearner, Context, DatasetRef, Error, Features, MatRef, Model, Result, RngStream, Target};
use serde::{Deserialize, Serialize};

use crate::metrics;

/// Measures of the uncertainty of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UncertaintyMeasure {
    /// 1 - probability of the most probable class.
    LeastConfident,
    /// Small distance of the two most probable classes.
    Margin,
    /// Entropy of the probabilities.
    Entropy,
    /// None: random queries, for comparison.
    Random,
}

impl UncertaintyMeasure {
    /// The uncertainty of probabilities; larger is more uncertain. 0 for [`UncertaintyMeasure::Random`].
    pub fn of(self, proba: &[f64]) -> f64 {
        let (mut first, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for &p in proba {
            if p > first {
                (first, second) = (p, first);
            } else {
                second = second.max(p);
            }
        }
        match self {
            Self::LeastConfident => 1.0 - first,
            Self::Margin => second - first,
            Self::Entropy => proba.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum(),
            Self::Random => 0.0,
        }
    }

    /// [`UncertaintyMeasure::of`] of each row.
    pub fn of_rows(self, proba: MatRef<'_, f64>) -> Vec<f64> {
        let mut row = vec![0.0; proba.cols()];
        let mut one = |i: usize| {
            proba.copy_row(i, &mut row);
            self.of(&row)
        };
        (0..proba.rows()).map(&mut one).collect()
    }

    /// The most uncertain rows, up to `count` of them; ties keep their order.
    pub fn most_uncertain(self, proba: MatRef<'_, f64>, count: usize) -> Vec<usize> {
        let mut ranked: Vec<(f64, usize)> = self.of_rows(proba).into_iter().zip(0..).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().take(count).map(|r| r.1).collect()
    }
}

/// The order of the queries without uncertainty.
pub fn random_order(rows: usize, seed: u64) -> Vec<usize> {
    RngStream::new(seed, "active learning", 0).permutation(rows)
}

/// The active learning loop: an iterator over rows to be labeled next, which are then given their labels.
///
/// ```
/// use ermine_core::{Context, Features, MatRef};
/// use ermine_eval::decide::{ActiveLearning, UncertaintyMeasure};
/// use ermine_linear::Logistic;
///
/// let x: Vec<f64> = (0..40).map(f64::from).collect();
/// let names = ["low".to_owned(), "high".to_owned()];
/// let rows = Features::F64(MatRef::row_major(&x, 40, 1));
/// let learner = Logistic::default();
/// let mut asking = ActiveLearning::new(&learner, rows, &names, UncertaintyMeasure::Margin, 2, Context::default())?;
/// asking.set_label(0, 0)?;
/// asking.set_label(39, 1)?;
/// for _ in 0..4 {
///     let asked = asking.next().expect("rows are left")?;
///     for row in asked {
///         asking.set_label(row, u32::from(x[row] >= 23.0))?;             // a person looks at the row
///     }
/// }
/// let proba = asking.model().unwrap().as_classifier().unwrap().proba(&rows)?;
/// assert!(proba[(20, 1)] < 0.5 && proba[(26, 1)] > 0.5);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// D. D. Lewis, W. A. Gale (1994), A sequential algorithm for training text classifiers; B. Settles (2009), Active learning literature survey.
pub struct ActiveLearning<'a> {
    learner: &'a dyn AnyLearner,
    x: Features<'a>,
    names: &'a [String],
    how: UncertaintyMeasure,
    batch: usize,
    cx: Context<'a>,
    labels: Vec<Option<u32>>,
    model: Option<Box<dyn Model>>,
    /// A random order, for ties.
    order: Vec<usize>,
}

impl<'a> ActiveLearning<'a> {
    /// A loop over unlabeled rows; `batch` rows are queried at a time.
    pub fn new(
        learner: &'a dyn AnyLearner,
        x: Features<'a>,
        names: &'a [String],
        how: UncertaintyMeasure,
        batch: usize,
        cx: Context<'a>,
    ) -> Result<Self> {
        if names.len() < 2 {
            return Err(Error::Target(format!("{} classes: there must be at least 2 to be unsure of", names.len())));
        }
        if batch == 0 {
            return Err(Error::Data("0 rows at a time: at least 1 must be asked for".into()));
        }
        let order = random_order(x.rows(), cx.seed);
        Ok(Self { learner, x, names, how, batch, cx, labels: vec![None; x.rows()], model: None, order })
    }

    /// Sets the label of a row, queried or not.
    pub fn set_label(&mut self, row: usize, class: u32) -> Result<()> {
        if row >= self.labels.len() {
            return Err(Error::Data(format!("there is no row {row}: there are {}, counted from 0", self.labels.len())));
        }
        if class as usize >= self.names.len() {
            let message = format!("there is no class {class} of {}", self.names.len());
            return Err(Error::Row { place: "label".into(), row, message });
        }
        self.labels[row] = Some(class);
        Ok(())
    }

    /// The labels so far.
    pub fn labels(&self) -> &[Option<u32>] {
        &self.labels
    }

    /// The model of the last query: trained on all labels known then.
    pub fn model(&self) -> Option<&dyn Model> {
        self.model.as_deref()
    }

    /// Trains on the labels so far; nothing with fewer than two classes among them.
    pub fn fit(&mut self) -> Result<Option<&dyn Model>> {
        let rows: Vec<usize> = (0..self.labels.len()).filter(|&i| self.labels[i].is_some()).collect();
        let mut present: Vec<u32> = rows.iter().filter_map(|&i| self.labels[i]).collect();
        present.sort_unstable();
        present.dedup();
        if present.len() < 2 {
            self.model = None;
            return Ok(None);
        }
        let codes: Vec<u32> = rows.iter().filter_map(|&i| self.labels[i]).collect();
        let taken = self.x.take_rows(&rows);
        let data = DatasetRef::new(taken.view()).with_target(Target::Class { codes: &codes, names: self.names });
        self.model = Some(self.learner.fit_any(&data, &self.cx)?);
        Ok(self.model.as_deref())
    }

    /// The rows to query.
    fn next_queries(&mut self) -> Result<Vec<usize>> {
        let open: Vec<usize> = self.order.iter().copied().filter(|&i| self.labels[i].is_none()).collect();
        self.fit()?;
        let Some(model) = self.model.as_deref().filter(|_| self.how != UncertaintyMeasure::Random) else {
            return Ok(open.into_iter().take(self.batch).collect());
        };
        let Some(classifier) = model.as_classifier() else {
            return Err(Error::Target(format!("{} gives no probabilities to be unsure of", self.learner.spec().name)));
        };
        let proba = classifier.proba(&self.x.take_rows(&open).view())?;
        Ok(self.how.most_uncertain(proba.view(), self.batch).into_iter().map(|k| open[k]).collect())
    }
}

impl Iterator for ActiveLearning<'_> {
    type Item = Result<Vec<usize>>;

    /// The rows to be labeled next, the most informative first; none when all have labels. Rows that were queried and
    /// not labeled may come again.
    fn next(&mut self) -> Option<Self::Item> {
        if self.labels.iter().all(Option::is_some) {
            return None;
        }
        Some(self.next_queries())
    }
}

/// The learning curve of a simulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActiveCurve {
    /// The query strategy.
    pub how: UncertaintyMeasure,
    /// Labels known.
    pub labels: Vec<usize>,
    /// Accuracy on the test rows with that many.
    pub accuracy: Vec<f64>,
}

impl ActiveCurve {
    /// The least number of labels from which on the accuracy stays at or above `accuracy`; `None` where it never does.
    pub fn labels_for(&self, accuracy: f64) -> Option<usize> {
        let last_below = self.accuracy.iter().rposition(|&a| a < accuracy);
        match last_below {
            None => self.labels.first().copied(),
            Some(k) => self.labels.get(k + 1).copied(),
        }
    }
}

/// Simulates the loop on rows whose labels are known: `start` labels at random, then `batch` at a time up to `most`,
/// with the accuracy on test rows after each. The same seed starts from the same rows for every strategy.
#[allow(clippy::too_many_arguments)]
pub fn simulate(
    learner: &dyn AnyLearner,
    data: &DatasetRef<'_>,
    test: &DatasetRef<'_>,
    how: UncertaintyMeasure,
    start: usize,
    batch: usize,
    most: usize,
    cx: &Context<'_>,
) -> Result<ActiveCurve> {
    let (codes, names) = data.y.classes()?;
    let (truth, _) = test.y.classes()?;
    let mut asking = ActiveLearning::new(learner, data.x, names, how, batch, *cx)?;
    let first: Vec<usize> = asking.order.iter().copied().take(start.max(1)).collect();
    first.into_iter().try_for_each(|i| asking.set_label(i, codes[i]))?;
    let mut out = ActiveCurve { how, labels: Vec::new(), accuracy: Vec::new() };
    while let Some(asked) = asking.next() {
        let asked = asked?;
        let known = asking.labels.iter().filter(|l| l.is_some()).count();
        if let Some(c) = asking.model().and_then(|m| m.as_classifier()) {
            out.labels.push(known);
            out.accuracy.push(metrics::accuracy(truth, &c.classify(&test.x)?, test.weight));
        }
        if known >= most {
            break;
        }
        asked.into_iter().take(most - known).try_for_each(|i| asking.set_label(i, codes[i]))?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_linear::Logistic;

    #[test]
    fn measures_of_uncertainty_are_their_formulas() {
        let p = [0.5, 0.3, 0.2];
        assert_eq!(UncertaintyMeasure::LeastConfident.of(&p), 0.5);
        assert!((UncertaintyMeasure::Margin.of(&p) + 0.2).abs() < 1e-15);
        let entropy: f64 = -(0.5 * 0.5f64.ln() + 0.3 * 0.3f64.ln() + 0.2 * 0.2f64.ln());
        assert!((UncertaintyMeasure::Entropy.of(&p) - entropy).abs() < 1e-15);
        assert_eq!(UncertaintyMeasure::Entropy.of(&[1.0, 0.0]), 0.0);
    }

    #[test]
    fn rows_near_the_boundary_are_asked_for_and_none_twice() {
        let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 10.0).collect();
        let names = ["a".to_owned(), "b".to_owned()];
        let learner = Logistic::default();
        let rows = Features::F64(MatRef::row_major(&x, 100, 1));
        let mut asking = ActiveLearning::new(&learner, rows, &names, UncertaintyMeasure::Entropy, 3, Context::default()).unwrap();
        // Without labels the first queries are random.
        assert_eq!(asking.next().unwrap().unwrap().len(), 3);
        asking.set_label(0, 0).unwrap();
        asking.set_label(99, 1).unwrap();
        let first = asking.next().unwrap().unwrap();
        assert!(first.iter().all(|&i| (40..60).contains(&i)), "{first:?}");
        let mut seen = std::collections::BTreeSet::new();
        while let Some(asked) = asking.next() {
            for i in asked.unwrap() {
                assert!(seen.insert(i), "row {i} was asked for twice");
                asking.set_label(i, u32::from(i >= 63)).unwrap();
            }
        }
        assert_eq!(seen.len(), 98);
        assert!(asking.set_label(100, 0).is_err() && asking.set_label(1, 2).is_err());
        assert!(ActiveLearning::new(&learner, rows, &names, UncertaintyMeasure::Margin, 0, Context::default()).is_err());
    }

    #[test]
    fn curves_say_how_many_labels_an_accuracy_takes() {
        let curve =
            ActiveCurve { how: UncertaintyMeasure::Margin, labels: vec![10, 20, 30, 40], accuracy: vec![0.5, 0.9, 0.8, 0.95] };
        assert_eq!((curve.labels_for(0.5), curve.labels_for(0.85), curve.labels_for(0.99)), (Some(10), Some(40), None));
    }
}
