//! The fitted tree: prediction, saving and loading.

use std::sync::Arc;

use ermine_core::{
    Attributor, Certificate, Classifier, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result,
    RowFunction, Schema, Task, with_argmax_class,
};

use super::PruningCv;
use super::ensemble::model_of_trees;
#[cfg(feature = "fit")]
use super::ensemble::nodes_of;
use super::ensemble::{TreeNode, Trees, load_categories, save_categories};
#[cfg(feature = "fit")]
use super::grow::GrownNode;
use super::importance::{gain_shares, report_importances};

/// Child of a leaf in the arrays of a model.
pub const LEAF: i32 = -1;
/// Feature and threshold of a leaf in the arrays of a model.
pub const UNDEFINED: i32 = -2;

/// Leaves up to which a report has the tree.
const MOST_DRAWN: usize = 256;

/// A fitted tree. The nodes lie in arrays in depth-first preorder: the root is node 0, the left child of a node follows it.
#[derive(Debug, Clone)]
pub struct TreeModel {
    task: Task,
    classes: Vec<String>,
    nodes: NodeArrays,
    /// The tree as prediction reads it.
    trees: Trees,
    certificate: Certificate,
    choice: Option<PruningCv>,
}

/// The nodes of a tree, one array per property, in preorder.
#[derive(Debug, Clone, Default)]
pub struct NodeArrays {
    /// Left child, or [`LEAF`].
    pub left: Vec<i32>,
    /// Right child, or [`LEAF`].
    pub right: Vec<i32>,
    /// The column that is tested, or [`UNDEFINED`].
    pub feature: Vec<i32>,
    /// Values up to it go left; [`UNDEFINED`] in leaves and 0 in tests of categories.
    pub threshold: Vec<f64>,
    /// 1 if missing values go left.
    pub missing_left: Vec<u8>,
    /// Class shares or means, one row per node.
    pub value: Mat<f64>,
    /// The impurity of the training rows.
    pub impurity: Vec<f64>,
    /// Training rows.
    pub n_node_samples: Vec<i64>,
    /// Weight of the training rows.
    pub weighted_n_node_samples: Vec<f64>,
    /// Where the set of a node begins in `set_words`, and one more for the end.
    pub set_offset: Vec<i64>,
    /// Categories that go left, one bit per category; empty where a number is tested.
    pub set_words: Vec<u64>,
}

impl TreeModel {
    #[cfg(feature = "fit")]
    pub(super) fn new(
        task: Task,
        classes: Vec<String>,
        categories: Vec<Option<Arc<Vec<String>>>>,
        grown: &[GrownNode],
        certificate: Certificate,
    ) -> Self {
        let mut nodes = NodeArrays { set_offset: vec![0], ..NodeArrays::default() };
        for g in grown {
            let test = g.test.as_ref();
            nodes.left.push(test.map_or(LEAF, |t| t.left as i32));
            nodes.right.push(test.map_or(LEAF, |t| t.right as i32));
            nodes.feature.push(test.map_or(UNDEFINED, |t| t.feature as i32));
            nodes.threshold.push(test.map_or(f64::from(UNDEFINED), |t| t.threshold));
            nodes.missing_left.push(test.map_or(0, |t| u8::from(t.missing_left)));
            nodes.impurity.push(g.impurity);
            nodes.n_node_samples.push(g.rows as i64);
            nodes.weighted_n_node_samples.push(g.weight);
            if let Some(codes) = test.and_then(|t| t.categories.as_ref()) {
                let first = nodes.set_words.len();
                let count = test.and_then(|t| categories[t.feature].as_ref()).map_or(0, |names| names.len());
                nodes.set_words.resize(first + count.div_ceil(64), 0);
                codes.iter().for_each(|&c| nodes.set_words[first + c as usize / 64] |= 1 << (c % 64));
            }
            nodes.set_offset.push(nodes.set_words.len() as i64);
        }
        let width = grown[0].value.len();
        nodes.value = Mat::from_vec(grown.len(), width, grown.iter().flat_map(|g| g.value.iter().copied()).collect());
        let mut trees = Trees::new(categories, width).refusing_infinite();
        trees.push(&nodes_of(grown));
        Self { task, classes, nodes, trees, certificate, choice: None }
    }

    /// With how its pruning was chosen.
    pub(super) fn with_choice(self, choice: Option<PruningCv>) -> Self {
        Self { choice, ..self }
    }

    /// How its pruning was chosen, if cross-validation did.
    pub fn pruning(&self) -> Option<&PruningCv> {
        self.choice.as_ref()
    }

    /// Regression or classification.
    pub fn task(&self) -> Task {
        self.task
    }

    /// The nodes.
    pub fn nodes(&self) -> &NodeArrays {
        &self.nodes
    }

    /// The tree as ensembles hold it.
    pub fn trees(&self) -> &Trees {
        &self.trees
    }

    fn is_leaf(&self, node: usize) -> bool {
        self.nodes.left[node] == LEAF
    }

    /// How many nodes there are, leaves among them.
    pub fn node_count(&self) -> usize {
        self.nodes.left.len()
    }

    /// How many leaves there are.
    pub fn n_leaves(&self) -> usize {
        (0..self.node_count()).filter(|&i| self.is_leaf(i)).count()
    }

    /// Tests on the longest path from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.node_count()];
        for i in 0..self.node_count() {
            if !self.is_leaf(i) {
                depth[i + 1] = depth[i] + 1;
                depth[self.nodes.right[i] as usize] = depth[i] + 1;
            }
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// The names of the categories of a column, if it has some.
    pub fn categories(&self, feature: usize) -> Option<&[String]> {
        self.trees.categories()[feature].as_ref().map(|names| &names[..])
    }

    /// The categories that go left at a node that tests a category column.
    pub fn left_categories(&self, node: usize) -> Option<Vec<&str>> {
        if self.is_leaf(node) {
            return None;
        }
        let names = self.categories(self.nodes.feature[node] as usize)?;
        Some(self.nodes.left_codes(node, names.len()).map(|c| names[c as usize].as_str()).collect())
    }

    /// How much each column lowers the impurity, as shares of the whole; all 0 for a tree that is one leaf.
    pub fn feature_importances(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.n_features()];
        let n = &self.nodes;
        let cost = |i: usize| n.weighted_n_node_samples[i] / n.weighted_n_node_samples[0] * n.impurity[i];
        for i in 0..self.node_count() {
            if !self.is_leaf(i) {
                out[n.feature[i] as usize] += (cost(i) - cost(i + 1) - cost(n.right[i] as usize)).max(0.0);
            }
        }
        gain_shares(out)
    }

    /// The leaf of each row, by its node number.
    pub fn apply(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        Ok(self.trees.leaves(x, 0..1)?.into_vec())
    }

    /// The nodes each row passes, from the root to its leaf: where the nodes of a row begin (and one more for the end),
    /// and the nodes.
    pub fn decision_path(&self, x: &Features<'_>) -> Result<(Vec<usize>, Vec<u32>)> {
        let leaves = self.apply(x)?;
        let mut parent = vec![0u32; self.node_count()];
        for i in 0..self.node_count() {
            if !self.is_leaf(i) {
                parent[i + 1] = i as u32;
                parent[self.nodes.right[i] as usize] = i as u32;
            }
        }
        let (mut starts, mut nodes) = (vec![0], Vec::new());
        for leaf in leaves {
            let first = nodes.len();
            let mut at = leaf;
            nodes.push(at);
            while at != 0 {
                at = parent[at as usize];
                nodes.push(at);
            }
            nodes[first..].reverse();
            starts.push(nodes.len());
        }
        Ok((starts, nodes))
    }

    fn values(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let width = self.nodes.value.cols();
        let mut out = Mat::zeros(x.rows(), width);
        self.trees.add_to(x, 0..1, width, &mut out)?;
        Ok(out)
    }

    fn values_by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let width = self.nodes.value.cols();
        self.trees.by_row(schema, &vec![0.0; width], width, |sums, out| out.copy_from_slice(sums))
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let task: Task = input.field("task")?;
        if !task.is_supervised() {
            return Err(Error::Model(format!("a tree does not do {task}")));
        }
        let classes: Vec<String> = input.field("classes")?;
        let categories = load_categories(input)?;
        let certificate: Certificate = input.field("certificate")?;
        let nodes = NodeArrays::load(input)?;
        let width = nodes.value.cols();
        if task == Task::Classification && width != classes.len() || width == 0 {
            return Err(Error::Model(format!("{} classes, and {width} values per node", classes.len())));
        }
        let n_features = categories.len();
        let used = nodes.feature.iter().copied().max().unwrap_or(UNDEFINED);
        if input.field::<usize>("n_features")? != n_features || n_features == 0 || used as i64 >= n_features as i64 {
            return Err(Error::Model(format!("{n_features} columns, and column {used} is tested")));
        }
        nodes.check(task, &categories)?;
        let trees = nodes.trees(categories);
        Ok(Self { task, classes, nodes, trees, certificate, choice: load_choice(input)? })
    }
}

impl NodeArrays {
    /// The nodes as an ensemble of one tree. They must have been checked.
    fn trees(&self, categories: Vec<Option<Arc<Vec<String>>>>) -> Trees {
        let cost = |i: usize| self.weighted_n_node_samples[i] * self.impurity[i];
        let node = |i: usize| {
            let mut node =
                TreeNode { cover: self.weighted_n_node_samples[i], values: self.value.row(i).to_vec(), ..TreeNode::default() };
            if self.left[i] != LEAF {
                node.feature = self.feature[i] as u32;
                node.missing_left = self.missing_left[i] == 1;
                node.right = self.right[i] as u32;
                // Costs that overflow leave NaN, which is a gain of 0 here; clamp would keep it.
                #[allow(clippy::manual_clamp)]
                let gain = (cost(i) - cost(i + 1) - cost(self.right[i] as usize)).max(0.0).min(f64::MAX);
                node.gain = gain;
                match &categories[self.feature[i] as usize] {
                    Some(names) => node.categories = Some(self.left_codes(i, names.len()).collect()),
                    None => node.threshold = self.threshold[i],
                }
            }
            node
        };
        let nodes: Vec<TreeNode> = (0..self.left.len()).map(node).collect();
        let mut trees = Trees::new(categories, self.value.cols()).refusing_infinite();
        trees.push(&nodes);
        trees
    }

    /// The codes that go left at a node that tests one of so many categories.
    fn left_codes(&self, node: usize, count: usize) -> impl Iterator<Item = u32> + '_ {
        let set = &self.set_words[self.set_offset[node] as usize..self.set_offset[node + 1] as usize];
        (0..count as u32).filter(|&c| set[c as usize / 64] >> (c % 64) & 1 == 1)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let left: Vec<i32> = input.vec("left")?;
        let n = left.len();
        let value: Mat<f64> = input.mat("value")?;
        if n == 0 || value.rows() != n {
            return Err(Error::Model(format!("{n} nodes and {} values", value.rows())));
        }
        Ok(Self {
            right: input.vec_of("right", n)?,
            feature: input.vec_of("feature", n)?,
            threshold: input.vec_of("threshold", n)?,
            missing_left: input.vec_of("missing_left", n)?,
            impurity: input.vec_of("impurity", n)?,
            n_node_samples: input.vec_of("n_node_samples", n)?,
            weighted_n_node_samples: input.vec_of("weighted_n_node_samples", n)?,
            set_offset: input.vec_of("set_offset", n + 1)?,
            set_words: input.vec("set_words")?,
            left,
            value,
        })
    }

    /// Everything prediction relies on.
    fn check(&self, task: Task, categories: &[Option<Arc<Vec<String>>>]) -> Result<()> {
        let n = self.left.len();
        let bad = |i: usize, what: &str| Err(Error::Model(format!("node {i} of {n}: {what}")));
        // In preorder the next node is the left child, or the right child of the last ancestor that still waits for it.
        let mut waiting: Vec<usize> = Vec::new();
        for i in 0..n {
            let leaf = self.left[i] == LEAF;
            if leaf != (self.right[i] == LEAF) || leaf != (self.feature[i] == UNDEFINED) {
                return bad(i, "it is neither a leaf nor an inner node");
            }
            if leaf {
                match waiting.pop() {
                    Some(next) if next == i + 1 => {}
                    None if i + 1 == n => {}
                    _ => return bad(i, "the nodes are not in preorder"),
                }
            } else {
                if self.left[i] as i64 != i as i64 + 1 || (self.right[i] as i64) <= i as i64 + 1 || self.right[i] as usize >= n {
                    return bad(i, "the nodes are not in preorder");
                }
                if self.feature[i] < 0 {
                    return bad(i, "the column is negative");
                }
                waiting.push(self.right[i] as usize);
            }
            let words = match (self.set_offset[i], self.set_offset[i + 1]) {
                (a, b) if 0 <= a && a <= b && b <= self.set_words.len() as i64 => (b - a) as usize,
                _ => return bad(i, "its set of categories lies outside"),
            };
            let names = if leaf { None } else { categories[self.feature[i] as usize].as_ref() };
            if words != names.map_or(0, |names| names.len().div_ceil(64)) {
                return bad(i, "its set does not have a bit per category");
            }
            if self.missing_left[i] > 1 || self.threshold[i].is_nan() {
                return bad(i, "the test is not valid");
            }
            let finite = |v: f64| v.is_finite() && v >= 0.0;
            if !finite(self.impurity[i]) || !finite(self.weighted_n_node_samples[i]) || self.n_node_samples[i] < 1 {
                return bad(i, "impurity, weight or number of rows is not valid");
            }
            let value = self.value.row(i);
            let shares = task == Task::Classification;
            if value.iter().any(|v| !v.is_finite() || shares && !(0.0..=1.0).contains(v)) {
                return bad(i, "its value is not valid");
            }
            if shares && (value.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
                return bad(i, "its class shares do not sum to 1");
            }
        }
        if self.set_offset[0] != 0 || self.set_offset[n] != self.set_words.len() as i64 {
            return Err(Error::Model("the sets of categories do not fill their array".into()));
        }
        if self.weighted_n_node_samples[0] <= 0.0 {
            return bad(0, "the root has no weight");
        }
        Ok(())
    }
}

/// How pruning was chosen, if the file has it.
fn load_choice(input: &ModelReader) -> Result<Option<PruningCv>> {
    if input.array_info("pruning_alpha").is_none() {
        return Ok(None);
    }
    let alphas: Vec<f64> = input.vec("pruning_alpha")?;
    let n = alphas.len();
    let choice = PruningCv {
        leaves: input.vec_of("pruning_leaves", n)?,
        errors: input.vec_of("pruning_error", n)?,
        standard_errors: input.vec_of("pruning_standard_error", n)?,
        chosen: input.field("pruning_chosen")?,
        alphas,
    };
    let numbers = || choice.alphas.iter().chain(&choice.errors).chain(&choice.standard_errors);
    if choice.chosen >= n || !choice.alphas.is_sorted() || numbers().any(|v| v.is_nan() || *v < 0.0) {
        return Err(Error::Model(format!("the pruning sequence of {n} trees is not valid")));
    }
    Ok(Some(choice))
}

ermine_core::display_as_report!(TreeModel);

impl Model for TreeModel {
    model_of_trees!();

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!(
            "A tree of depth {} with {} leaves, grown on {} rows.",
            self.depth(),
            self.n_leaves(),
            self.nodes.n_node_samples[0]
        ));
        let title = "Importance: share of the decrease of impurity";
        report_importances(&mut report, schema, title, &["column", "importance"], &self.feature_importances(), |_| None);
        if let Some(choice) = &self.choice {
            self.report_choice(choice, &mut report);
        }
        if self.n_leaves() <= MOST_DRAWN {
            report.sections.push(self.report_tree(schema));
        } else {
            report.text(format!("The tree is not drawn, since it has more than {MOST_DRAWN} leaves."));
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        let n = &self.nodes;
        out.vec("left", &n.left);
        out.vec("right", &n.right);
        out.vec("feature", &n.feature);
        out.vec("threshold", &n.threshold);
        out.vec("missing_left", &n.missing_left);
        out.mat("value", &n.value);
        out.vec("impurity", &n.impurity);
        out.vec("n_node_samples", &n.n_node_samples);
        out.vec("weighted_n_node_samples", &n.weighted_n_node_samples);
        out.vec("set_offset", &n.set_offset);
        out.vec("set_words", &n.set_words);
        out.field("task", &self.task)?;
        out.field("classes", &self.classes)?;
        out.field("n_features", &self.n_features())?;
        save_categories(out, self.trees.categories())?;
        if let Some(choice) = &self.choice {
            out.vec("pruning_alpha", &choice.alphas);
            out.vec("pruning_leaves", &choice.leaves);
            out.vec("pruning_error", &choice.errors);
            out.vec("pruning_standard_error", &choice.standard_errors);
            out.field("pruning_chosen", &choice.chosen)?;
        }
        out.field("certificate", &self.certificate)
    }
}

impl Regressor for TreeModel {
    fn n_targets(&self) -> usize {
        self.nodes.value.cols()
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.values(x)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.values_by_row(schema)
    }
}

impl Classifier for TreeModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.values(x)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.values_by_row(schema)
    }

    fn proba_and_class(&self, x: &Features<'_>) -> Result<(Mat<f64>, Vec<u32>)> {
        Ok(with_argmax_class(self.proba(x)?))
    }
}

impl Attributor for TreeModel {
    fn output_name(&self) -> &'static str {
        match self.task {
            Task::Classification => "probability",
            _ => "prediction",
        }
    }

    fn n_outputs(&self) -> usize {
        self.nodes.value.cols()
    }

    fn attribution_cost(&self) -> f64 {
        self.trees.shap_work()
    }

    fn base_values(&self) -> Vec<f64> {
        self.trees.expected(0..1, self.n_outputs())
    }

    fn attributions(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.trees.shap(x, 0..1, self.n_outputs())
    }
}
