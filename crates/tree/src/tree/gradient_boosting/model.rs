//! The fitted sum of trees: prediction, stages, saving and loading.

use ermine_core::{
    Attributor, Certificate, Classifier, Curve, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result,
    RowFunction, Schema, Section, Task, with_argmax_class,
};

use super::super::ensemble::Trees;
use super::super::ensemble::model_of_trees;
use super::super::importance::{gain_shares, report_importances};
use super::loss::BoostingLoss;

/// A fitted gradient boosting.
#[derive(Debug, Clone)]
pub struct GradientBoostingModel {
    pub(super) task: Task,
    pub(super) classes: Vec<String>,
    pub(super) loss: BoostingLoss,
    /// Where the scores start.
    pub(super) start: Vec<f64>,
    /// One tree per round, or one per class and round; leaves hold what is added to the score.
    pub(super) trees: Trees,
    pub(super) train_score: Vec<f64>,
    pub(super) validation_score: Vec<f64>,
    pub(super) oob_scores: Vec<f64>,
    pub(super) oob_improvement: Vec<f64>,
    pub(super) certificate: Certificate,
}

impl GradientBoostingModel {
    /// The trees: of round m and class k it is tree m * classes + k, with one class for numbers and for two classes.
    pub fn trees(&self) -> &Trees {
        &self.trees
    }

    /// The scores before any tree, one per class.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// Rounds.
    pub fn n_rounds(&self) -> usize {
        self.trees.n_trees() / self.start.len()
    }

    /// The mean loss on the rows of each round, after it.
    pub fn train_score(&self) -> &[f64] {
        &self.train_score
    }

    /// The mean loss on held-out rows after each round, where some were held out.
    pub fn validation_score(&self) -> &[f64] {
        &self.validation_score
    }

    /// By how much each round lowered the mean loss of the rows it did not see, where it saw a part.
    pub fn oob_improvement(&self) -> &[f64] {
        &self.oob_improvement
    }

    /// How much each column lowers the squared error of the slopes, as shares of the whole; all 0 when no tree has a split.
    pub fn feature_importances(&self) -> Vec<f64> {
        gain_shares(self.trees.gains())
    }

    fn task(&self) -> Task {
        self.task
    }

    /// Hands the scores after each round to `each`.
    pub fn staged(&self, x: &Features<'_>, mut each: impl FnMut(&Mat<f64>) -> Result<()>) -> Result<()> {
        let width = self.start.len();
        let mut raw = Mat::from_fn(x.rows(), width, |_, k| self.start[k]);
        for round in 0..self.n_rounds() {
            self.trees.add_to(x, round * width..(round + 1) * width, width, &mut raw)?;
            each(&raw)?;
        }
        Ok(())
    }

    /// The scores of rows.
    pub(super) fn raw(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let width = self.start.len();
        let mut out = Mat::from_fn(x.rows(), width, |_, k| self.start[k]);
        self.trees.add_to(x, 0..self.trees.n_trees(), width, &mut out)?;
        Ok(out)
    }

    fn answers(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let raw = self.raw(x)?;
        let width = if self.task == Task::Classification { self.classes.len() } else { 1 };
        let mut out = Mat::zeros(raw.rows(), width);
        for i in 0..raw.rows() {
            self.loss.to_predictions(raw.row(i), out.row_mut(i));
        }
        Ok(out)
    }

    fn answers_by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let width = if self.task == Task::Classification { self.classes.len() } else { 1 };
        let loss = self.loss;
        self.trees.by_row(schema, &self.start, width, move |raw, out| loss.to_predictions(raw, out))
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let task: Task = input.field("task")?;
        let classes: Vec<String> = input.field("classes")?;
        let (name, alpha): (String, f64) = (input.field("loss")?, input.vec_of("alpha", 1)?[0]);
        let loss = match (name.as_str(), task) {
            ("squared_error", Task::Regression) => BoostingLoss::Squared,
            ("absolute_error", Task::Regression) => BoostingLoss::Absolute,
            ("huber", Task::Regression) => BoostingLoss::Huber { alpha },
            ("quantile", Task::Regression) => BoostingLoss::Pinball { alpha },
            ("poisson", Task::Regression) => BoostingLoss::Poisson,
            ("log_loss", Task::Classification) if classes.len() > 2 => BoostingLoss::Softmax { classes: classes.len() },
            ("log_loss", Task::Classification) if classes.len() == 2 => BoostingLoss::Logistic,
            ("exponential", Task::Classification) if classes.len() == 2 => BoostingLoss::Exponential,
            _ => return Err(Error::Model(format!("loss {name} for {} classes ({task})", classes.len()))),
        };
        let start: Vec<f64> = input.vec_of("start", loss.width())?;
        let trees = Trees::load(input)?.refusing_infinite();
        let rounds = trees.n_trees() / loss.width();
        if trees.width() != 1 || trees.n_trees() == 0 || trees.n_trees() != rounds * loss.width() {
            return Err(Error::Model(format!(
                "{} trees of {} values for {} scores",
                trees.n_trees(),
                trees.width(),
                loss.width()
            )));
        }
        if start.iter().any(|v| !v.is_finite()) || !alpha.is_finite() {
            return Err(Error::Model("the start is not finite".into()));
        }
        for t in 0..trees.n_trees() {
            if trees.nodes(t).iter().any(|n| !n.values[0].is_finite()) {
                return Err(Error::Model(format!("tree {t} has a value that is not finite")));
            }
        }
        let optional = |name: &str| match input.array_info(name) {
            Some(_) => input.vec_of(name, rounds),
            None => Ok(Vec::new()),
        };
        Ok(Self {
            task,
            classes,
            loss,
            start,
            trees,
            train_score: input.vec_of("train_score", rounds)?,
            validation_score: optional("validation_score")?,
            oob_scores: optional("oob_scores")?,
            oob_improvement: optional("oob_improvement")?,
            certificate: input.field("certificate")?,
        })
    }
}

ermine_core::display_as_report!(GradientBoostingModel);

impl Model for GradientBoostingModel {
    model_of_trees!();

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("{} rounds, {} trees.", self.n_rounds(), self.trees.n_trees()));
        let curve = |name: &str, values: &[f64]| Curve {
            name: name.into(),
            points: values.iter().enumerate().map(|(i, &v)| (i as f64 + 1.0, v)).collect(),
        };
        let mut curves = vec![curve("training rows", &self.train_score)];
        if !self.validation_score.is_empty() {
            curves.push(curve("held-out rows", &self.validation_score));
        }
        let (title, x, y) = ("Loss by round".into(), "round".into(), "mean loss".into());
        report.sections.push(Section::Plot { title, x, y, curves });
        let title = "Importance: share of the decrease of squared error";
        report_importances(&mut report, schema, title, &["column", "importance"], &self.feature_importances(), |_| None);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        let (name, alpha) = match self.loss {
            BoostingLoss::Squared => ("squared_error", 0.0),
            BoostingLoss::Absolute => ("absolute_error", 0.0),
            BoostingLoss::Huber { alpha } => ("huber", alpha),
            BoostingLoss::Pinball { alpha } => ("quantile", alpha),
            BoostingLoss::Poisson => ("poisson", 0.0),
            BoostingLoss::Logistic | BoostingLoss::Softmax { .. } => ("log_loss", 0.0),
            BoostingLoss::Exponential => ("exponential", 0.0),
        };
        out.field("task", &self.task)?;
        out.field("classes", &self.classes)?;
        out.field("loss", &name)?;
        out.vec("alpha", &[alpha]);
        out.vec("start", &self.start);
        self.trees.save(out)?;
        out.vec("train_score", &self.train_score);
        let optional = [
            ("validation_score", &self.validation_score),
            ("oob_scores", &self.oob_scores),
            ("oob_improvement", &self.oob_improvement),
        ];
        optional.iter().filter(|(_, values)| !values.is_empty()).for_each(|(name, values)| out.vec(name, values));
        out.field("certificate", &self.certificate)
    }
}

impl Regressor for GradientBoostingModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.answers(x)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.answers_by_row(schema)
    }
}

impl Classifier for GradientBoostingModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.answers(x)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.answers_by_row(schema)
    }

    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        Ok(Some(self.raw(x)?))
    }

    fn proba_and_class(&self, x: &Features<'_>) -> Result<(Mat<f64>, Vec<u32>)> {
        Ok(with_argmax_class(self.proba(x)?))
    }
}

impl Attributor for GradientBoostingModel {
    fn output_name(&self) -> &'static str {
        match self.loss {
            BoostingLoss::Logistic => "log odds",
            BoostingLoss::Softmax { .. } | BoostingLoss::Exponential => "score",
            BoostingLoss::Poisson => "logarithm of the prediction",
            _ => "prediction",
        }
    }

    fn n_outputs(&self) -> usize {
        self.start.len()
    }

    fn attribution_cost(&self) -> f64 {
        self.trees.shap_work()
    }

    fn base_values(&self) -> Vec<f64> {
        self.trees.expected_from(&self.start)
    }

    fn attributions(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.trees.shap_from(x, &self.start)
    }
}
