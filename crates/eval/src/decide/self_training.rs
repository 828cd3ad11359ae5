//! Self-training: a classifier that labels the rows it is certain of, and learns from them.

use ermine_core::{AnyLearner, Context, DatasetRef, Error, MatRef, Model, Progress, Result, Target};

/// Parameters of self-training.
///
/// Rounds of: fit to the labeled rows, predict the others, adopt the labels with high probability. It helps where
/// classes form clusters with few labels, and harms where early errors reinforce themselves; measure it on labeled
/// rows that took no part.
///
/// D. Yarowsky (1995), Unsupervised word sense disambiguation rivaling supervised methods.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelfTraining {
    /// The least probability at which a label is adopted.
    pub threshold: f64,
    /// Most labels adopted per round, the most probable first; none for all.
    pub most: Option<usize>,
    /// Most rounds.
    pub rounds: usize,
}

impl Default for SelfTraining {
    fn default() -> Self {
        Self { threshold: 0.75, most: None, rounds: 10 }
    }
}

/// Result of self-training.
pub struct SelfTrained {
    /// The model of the last round.
    pub model: Box<dyn Model>,
    /// The label of each row, original or adopted; none for rows that were never certain.
    pub labels: Vec<Option<u32>>,
    /// The round in which a row got its label, from 1; 0 for original labels.
    pub round: Vec<Option<usize>>,
    /// Labels adopted in each round.
    pub taken: Vec<usize>,
    /// Whether it ended because no further row was certain, or all had labels.
    pub converged: bool,
}

impl SelfTraining {
    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.threshold) {
            return Err(Error::Data(format!("a threshold of {}: it is a probability, between 0 and 1", self.threshold)));
        }
        if self.most == Some(0) {
            return Err(Error::Data("0 labels taken over in a round: at least 1 must be, or none named for all".into()));
        }
        Ok(())
    }

    /// Fits to rows of which only some have labels: the codes of the target count where `known` says so.
    pub fn fit(&self, learner: &dyn AnyLearner, data: &DatasetRef<'_>, known: &[bool], cx: &Context<'_>) -> Result<SelfTrained> {
        self.check()?;
        let (codes, names) = data.y.classes()?;
        if known.len() != codes.len() {
            return Err(Error::Length { what: "marks of rows with labels".into(), expected: codes.len(), found: known.len() });
        }
        let mut labels: Vec<Option<u32>> = (0..codes.len()).map(|i| known[i].then_some(codes[i])).collect();
        let mut round_of: Vec<Option<usize>> = known.iter().map(|k| k.then_some(0)).collect();
        let fit = |labels: &[Option<u32>]| {
            let rows: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].is_some()).collect();
            let of_rows: Vec<u32> = rows.iter().filter_map(|&i| labels[i]).collect();
            let taken = data.take_rows(&rows);
            learner.fit_any(&DatasetRef { y: Target::Class { codes: &of_rows, names }, ..taken.view() }, cx)
        };
        let mut taken = Vec::new();
        let mut model = fit(&labels)?;
        let mut converged = false;
        for round in 1..=self.rounds {
            cx.check(Progress {
                stage: "self-training",
                done: round as u64 - 1,
                total: Some(self.rounds as u64),
                objective: None,
            })?;
            let open: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].is_none()).collect();
            let sure = if open.is_empty() { Vec::new() } else { self.sure_of(learner, &*model, data, &open)? };
            if sure.is_empty() {
                converged = true;
                break;
            }
            for &(row, class) in &sure {
                (labels[row], round_of[row]) = (Some(class), Some(round));
            }
            taken.push(sure.len());
            model = fit(&labels)?;
        }
        Ok(SelfTrained { model, labels, round: round_of, taken, converged })
    }

    /// The unlabeled rows that the model is certain of, and their classes.
    fn sure_of(
        &self,
        learner: &dyn AnyLearner,
        model: &dyn Model,
        data: &DatasetRef<'_>,
        open: &[usize],
    ) -> Result<Vec<(usize, u32)>> {
        let classifier = model
            .as_classifier()
            .ok_or_else(|| Error::Target(format!("{} gives no probabilities to be sure of", learner.spec().name)))?;
        let (proba, predictions) = classifier.proba_and_class(&data.x.take_rows(open).view())?;
        Ok(self.sure(proba.view(), &predictions).into_iter().map(|(k, class)| (open[k], class)).collect())
    }

    /// The rows whose label is adopted, the most probable first, and that label: of rows with these probabilities and
    /// predicted classes `predictions`.
    pub fn sure(&self, proba: MatRef<'_, f64>, predictions: &[u32]) -> Vec<(usize, u32)> {
        let of = |k: usize| (*proba.at(k, predictions[k] as usize), k);
        let mut sure: Vec<(f64, usize)> = (0..predictions.len()).map(of).filter(|s| s.0 >= self.threshold).collect();
        sure.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        sure.truncate(self.most.unwrap_or(usize::MAX));
        sure.into_iter().map(|(_, k)| (k, predictions[k])).collect()
    }
}

#[cfg(test)]
mod tests {
    use ermine_core::{Features, RngStream};

    use super::*;
    use crate::metrics::accuracy;
    use ermine_neighbors::Knn;

    /// Two half moons, of which few rows have labels.
    fn moons(n: usize) -> (Vec<f64>, Vec<u32>) {
        let mut s = RngStream::new(8, "moons", 0);
        let (mut x, mut codes) = (Vec::new(), Vec::new());
        for i in 0..n {
            let (t, c) = (std::f64::consts::PI * s.uniform(), (i % 2) as u32);
            let (a, b) = if c == 0 { (t.cos(), t.sin()) } else { (1.0 - t.cos(), 0.5 - t.sin()) };
            x.extend([a + 0.06 * s.normal(), b + 0.06 * s.normal()]);
            codes.push(c);
        }
        (x, codes)
    }

    #[test]
    fn rows_without_labels_help_where_classes_are_clusters() {
        let n = 600;
        let (x, codes) = moons(n);
        let names = ["a".to_owned(), "b".to_owned()];
        let rows = Features::F64(MatRef::row_major(&x, n, 2));
        let data = DatasetRef::new(rows).with_target(Target::Class { codes: &codes, names: &names });
        let known: Vec<bool> = (0..n).map(|i| i < 16).collect();
        let learner = Knn { n_neighbors: 3, weights: ermine_neighbors::NeighborWeights::Distance, ..Knn::default() };
        let right = |model: &dyn Model| accuracy(&codes, &model.as_classifier().unwrap().classify(&rows).unwrap(), None);
        let few: Vec<usize> = (0..16).collect();
        let alone = learner.fit_any(&data.take_rows(&few).view(), &Context::default()).unwrap();
        let plan = SelfTraining { threshold: 0.9, most: Some(20), rounds: 60 };
        let trained = plan.fit(&learner, &data, &known, &Context::default()).unwrap();
        assert!(right(&*trained.model) > right(&*alone), "{} {}", right(&*trained.model), right(&*alone));
        assert!(trained.taken.iter().all(|&t| t <= 20));
        assert_eq!(trained.taken.iter().sum::<usize>(), trained.round.iter().filter(|r| r.is_some_and(|r| r > 0)).count());
        assert!((0..16).all(|i| trained.labels[i] == Some(codes[i]) && trained.round[i] == Some(0)));
        // Nothing is more certain than this.
        let none = SelfTraining { threshold: 1.0, rounds: 0, ..plan }.fit(&learner, &data, &known, &Context::default()).unwrap();
        assert!(none.taken.is_empty());
        assert!(SelfTraining { threshold: 2.0, ..plan }.fit(&learner, &data, &known, &Context::default()).is_err());
        assert!(plan.fit(&learner, &data, &known[..5], &Context::default()).is_err());
    }
}
