//! The fitted forest: prediction, importances, saving and loading.

use ermine_core::{
    Attributor, Certificate, Classifier, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result,
    RowFunction, Schema, Task, with_argmax_class,
};

use super::super::ensemble::model_of_trees;
use super::super::ensemble::{TreeNode, Trees};
use super::super::importance::{gain_shares, report_importances};

/// A fitted forest.
#[derive(Debug, Clone)]
pub struct ForestModel {
    pub(super) task: Task,
    pub(super) classes: Vec<String>,
    /// A leaf holds class shares or means.
    pub(super) trees: Trees,
    /// For each column the sum over trees of its share in the decrease of impurity.
    pub(super) importance_sums: Vec<f64>,
    pub(super) out_of_bag: Option<OutOfBag>,
    pub(super) permutation_importances: Option<Vec<f64>>,
    pub(super) certificate: Certificate,
}

/// The prediction of a row by the trees that have not seen it.
#[derive(Debug, Clone)]
pub struct OutOfBag {
    /// Accuracy or R^2 over the rows that some tree has not seen.
    pub score: f64,
    /// Class shares or means of each training row; NaN where every tree has seen it.
    pub predictions: Mat<f64>,
}

impl ForestModel {
    /// Regression or classification.
    pub fn task(&self) -> Task {
        self.task
    }

    /// The trees.
    pub fn trees(&self) -> &Trees {
        &self.trees
    }

    /// How much each column lowers the impurity, averaged over trees and as shares of the whole; all 0 when no tree has a
    /// split.
    pub fn feature_importances(&self) -> Vec<f64> {
        gain_shares(self.importance_sums.clone())
    }

    /// How much worse the trees are on rows they have not seen when a column is shuffled among these rows: the loss of
    /// accuracy, or the growth of the mean squared error, averaged over trees. Present when the learner was asked for it.
    pub fn permutation_importances(&self) -> Option<&[f64]> {
        self.permutation_importances.as_deref()
    }

    /// The estimate from rows that trees have not seen. Present when the learner was asked for it.
    pub fn out_of_bag(&self) -> Option<&OutOfBag> {
        self.out_of_bag.as_ref()
    }

    /// The leaf of each row in each tree, as the number of its node within the tree: rows by trees.
    pub fn apply(&self, x: &Features<'_>) -> Result<Mat<u32>> {
        self.trees.leaves(x, 0..self.trees.n_trees())
    }

    fn average(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let width = self.trees.width();
        let mut out = Mat::zeros(x.rows(), width);
        self.trees.add_to(x, 0..self.trees.n_trees(), width, &mut out)?;
        let count = self.trees.n_trees() as f64;
        out.as_mut_slice().iter_mut().for_each(|v| *v /= count);
        Ok(out)
    }

    fn average_by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let (width, count) = (self.trees.width(), self.trees.n_trees() as f64);
        self.trees.by_row(schema, &vec![0.0; width], width, move |sums, out| {
            out.iter_mut().zip(sums).for_each(|(o, sum)| *o = *sum / count);
        })
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let task: Task = input.field("task")?;
        if !task.is_supervised() {
            return Err(Error::Model(format!("a forest does not do {task}")));
        }
        let classes: Vec<String> = input.field("classes")?;
        let trees = Trees::load(input)?.refusing_infinite();
        let (width, columns, count) = (trees.width(), trees.n_features(), trees.n_trees());
        if task == Task::Classification && width != classes.len() || count == 0 {
            return Err(Error::Model(format!("{} classes, and {count} trees with {width} values per leaf", classes.len())));
        }
        for t in 0..count {
            check_values(&trees.nodes(t), task).map_err(|what| Error::Model(format!("tree {t}: {what}")))?;
        }
        let shares = |name: &str, least: f64| -> Result<Vec<f64>> {
            let values: Vec<f64> = input.vec_of(name, columns)?;
            match values.iter().all(|v| v.is_finite() && *v >= least) {
                true => Ok(values),
                false => Err(Error::Model(format!("{name} has a number that is not valid"))),
            }
        };
        let importance_sums = shares("importance_sums", 0.0)?;
        let has = |name: &str| input.array_info(name).is_some();
        let permutation_importances =
            if has("permutation_importances") { Some(shares("permutation_importances", f64::NEG_INFINITY)?) } else { None };
        let out_of_bag = if has("oob_prediction") {
            let predictions: Mat<f64> = input.mat("oob_prediction")?;
            let score: f64 = input.vec_of("oob_score", 1)?[0];
            if predictions.cols() != width || predictions.as_slice().iter().any(|v| v.is_infinite()) || score.is_infinite() {
                return Err(Error::Model("the out-of-bag estimate is not valid".into()));
            }
            Some(OutOfBag { score, predictions })
        } else {
            None
        };
        let certificate = input.field("certificate")?;
        Ok(Self { task, classes, trees, importance_sums, out_of_bag, permutation_importances, certificate })
    }
}

/// Refuses leaves that are no class shares, or no numbers.
fn check_values(nodes: &[TreeNode], task: Task) -> std::result::Result<(), String> {
    for (i, node) in nodes.iter().enumerate() {
        let shares = task == Task::Classification;
        if node.values.iter().any(|v| !v.is_finite() || shares && !(0.0..=1.0).contains(v)) {
            return Err(format!("node {i}: its value is not valid"));
        }
        if shares && (node.values.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
            return Err(format!("node {i}: its class shares do not sum to 1"));
        }
    }
    Ok(())
}

ermine_core::display_as_report!(ForestModel);

impl Model for ForestModel {
    model_of_trees!();

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let count = self.trees.n_trees();
        let leaves: usize = (0..count).map(|t| self.trees.n_leaves(t)).sum();
        report.text(format!("{count} trees with {:.1} leaves on average.", leaves as f64 / count as f64));
        self.certificate.notes.iter().for_each(|note| {
            report.text(note.clone());
        });
        if let Some(oob) = &self.out_of_bag {
            let what = if self.task == Task::Classification { "accuracy" } else { "R^2" };
            report.text(format!("Out-of-bag {what}: {:.6}.", oob.score));
        }
        let permutation = self.permutation_importances();
        let heads = &["column", "impurity", "permutation"][..if permutation.is_some() { 3 } else { 2 }];
        let title = "Importance of the columns";
        report_importances(&mut report, schema, title, heads, &self.feature_importances(), |j| Some(permutation?[j]));
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("task", &self.task)?;
        out.field("classes", &self.classes)?;
        self.trees.save(out)?;
        out.vec("importance_sums", &self.importance_sums);
        if let Some(values) = &self.permutation_importances {
            out.vec("permutation_importances", values);
        }
        if let Some(oob) = &self.out_of_bag {
            out.mat("oob_prediction", &oob.predictions);
            out.vec("oob_score", &[oob.score]);
        }
        out.field("certificate", &self.certificate)
    }
}

impl Regressor for ForestModel {
    fn n_targets(&self) -> usize {
        self.trees.width()
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.average(x)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.average_by_row(schema)
    }
}

impl Classifier for ForestModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.average(x)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.average_by_row(schema)
    }

    fn proba_and_class(&self, x: &Features<'_>) -> Result<(Mat<f64>, Vec<u32>)> {
        Ok(with_argmax_class(self.proba(x)?))
    }
}

impl Attributor for ForestModel {
    fn output_name(&self) -> &'static str {
        if self.task == Task::Classification { "probability" } else { "prediction" }
    }

    fn n_outputs(&self) -> usize {
        self.trees.width()
    }

    fn attribution_cost(&self) -> f64 {
        self.trees.shap_work()
    }

    fn base_values(&self) -> Vec<f64> {
        let count = self.trees.n_trees();
        self.trees.expected(0..count, self.n_outputs()).iter().map(|v| v / count as f64).collect()
    }

    fn attributions(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let count = self.trees.n_trees();
        let mut out = self.trees.shap(x, 0..count, self.n_outputs())?;
        out.as_mut_slice().iter_mut().for_each(|v| *v /= count as f64);
        Ok(out)
    }
}
