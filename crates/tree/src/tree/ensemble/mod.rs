//! Many trees in flat arrays: what forests and boosting predict with.

pub(crate) mod cells;
mod compiled;
mod file;
mod one_row;
mod shap;
#[cfg(test)]
mod tests;
mod walk;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ermine_core::{Features, Mat, Result};
use serde::{Deserialize, Serialize};

#[cfg(feature = "fit")]
use super::grow::GrownNode;
use compiled::CompiledTrees;
pub(super) use file::{load_categories, save_categories};
use one_row::{FlatEnsemble, SingleRows};

/// Methods of a [`ermine_core::Model`] that is made of [`Trees`] for the task that it has.
macro_rules! model_of_trees {
    () => {
        fn n_features(&self) -> usize {
            self.trees.n_features()
        }
        fn as_regressor(&self) -> Option<&dyn Regressor> {
            (self.task() == Task::Regression).then_some(self)
        }
        fn as_classifier(&self) -> Option<&dyn Classifier> {
            (self.task() == Task::Classification).then_some(self)
        }
        fn as_attributor(&self) -> Option<&dyn Attributor> {
            Some(self)
        }
        fn certificate(&self) -> Option<&Certificate> {
            Some(&self.certificate)
        }
    };
}
pub(crate) use model_of_trees;

/// A node of a tree. The nodes of a tree come in preorder: the left child of node i is node i + 1.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TreeNode {
    /// The column that is tested.
    pub feature: u32,
    /// Values up to it go left.
    pub threshold: f64,
    /// Whether missing values go left.
    pub missing_left: bool,
    /// The codes that go left, ascending, where the column has categories.
    pub categories: Option<Vec<u32>>,
    /// The right child, counted from the root of the tree; 0 for a leaf.
    pub right: u32,
    /// The gain of the split.
    pub gain: f64,
    /// Weight (or second derivatives) of the training rows that came here.
    pub cover: f64,
    /// The values of the leaves. Inner nodes have as many numbers, which prediction does not read.
    pub values: Vec<f64>,
}

/// Trees over the same columns, with the same number of values in every leaf.
///
/// # What it computes
/// The sum of the values of the leaves a row falls into, over a range of trees, in the order of the trees: the same bits
/// whatever the number of threads, and whether the range is added at once or in pieces. A number up to the threshold goes
/// left, a category goes left if it is in the set of the node; a missing value, or a category that training did not see,
/// goes where the node sends missing values. Categories are known by name. Infinite numbers lie beyond every threshold
/// but an infinite one.
///
/// # Example
/// ```
/// use ermine_core::{Features, Mat, MatRef};
/// use ermine_tree::tree::ensemble::{TreeNode, Trees};
///
/// let leaf = |v: f64| TreeNode { values: vec![v], cover: 1.0, ..TreeNode::default() };
/// let stump = [TreeNode { threshold: 0.5, right: 2, gain: 3.0, cover: 2.0, ..leaf(0.0) }, leaf(-1.0), leaf(1.0)];
/// let mut trees = Trees::new(vec![None], 1);
/// trees.push(&stump);
/// trees.push(&stump);
/// let x = [0.0, 1.0];
/// let mut out = Mat::zeros(2, 1);
/// trees.add_to(&Features::F64(MatRef::row_major(&x, 2, 1)), 0..2, 1, &mut out)?;
/// assert_eq!(out.as_slice(), [-2.0, 2.0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Trees {
    /// The category names of each category column.
    categories: Vec<Option<Arc<Vec<String>>>>,
    width: usize,
    /// Whether infinite cells are refused.
    finite: bool,
    /// Where each tree begins among the nodes, and one more for the end.
    start: Vec<usize>,
    steps: Vec<PackedNode>,
    /// The sets of category tests one after the other, see [`Trees::set_of`].
    sets: Vec<u32>,
    gain: Vec<f64>,
    cover: Vec<f64>,
    /// `width` numbers per node.
    values: Vec<f64>,
    /// The form for many rows, made when it is first asked for.
    compiled: OnceLock<Arc<CompiledTrees>>,
    /// The form for one row, made when some rows have come one by one; none where categories are tested.
    flat: OnceLock<Option<Arc<FlatEnsemble>>>,
    single_rows: SingleRows,
}

/// A node as prediction reads it, 16 bytes. The left child is the next node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PackedNode {
    /// The bits of the threshold; where categories are tested, place and length of the set.
    test: u64,
    /// The column, and in the upper bits whether missing values go left and whether categories are tested.
    feature: u32,
    /// The right child, counted from the root. A leaf has itself here, and a test that nothing passes: a row that has
    /// arrived stays.
    right: u32,
}

/// Rows up to which each is predicted by itself.
const SINGLE: usize = 4;

const MISSING_LEFT: u32 = 1 << 30;
const CATEGORY: u32 = 1 << 31;
const FEATURE: u32 = MISSING_LEFT - 1;

impl PackedNode {
    fn leaf(at: usize) -> Self {
        Self { test: f64::NAN.to_bits(), feature: 0, right: at as u32 }
    }

    #[inline(always)]
    fn column(self) -> usize {
        (self.feature & FEATURE) as usize
    }

    #[inline(always)]
    fn threshold(self) -> f64 {
        f64::from_bits(self.test)
    }

    #[inline(always)]
    fn missing_left(self) -> bool {
        self.feature & MISSING_LEFT != 0
    }

    #[inline(always)]
    fn tests_categories(self) -> bool {
        self.feature & CATEGORY != 0
    }

    /// Where the set lies among the sets.
    #[inline(always)]
    fn set(self) -> Range<usize> {
        let (first, len) = ((self.test & 0xFFFF_FFFF) as usize, (self.test >> 32) as usize);
        first..first + len
    }
}

/// Words of a set that has one bit per category.
fn words(categories: usize) -> usize {
    categories.div_ceil(32)
}

/// Whether a code is in a set of a column with so many categories: one bit per category, or the codes themselves where that
/// is shorter.
#[inline]
fn contains(set: &[u32], categories: usize, code: u32) -> bool {
    if set.len() == words(categories) {
        set[code as usize / 32] >> (code % 32) & 1 == 1
    } else {
        set.binary_search(&code).is_ok()
    }
}

impl Trees {
    /// No trees yet. `categories` has the category names of each column (`None` for numbers); `width` is how many numbers
    /// a leaf holds: 1 for a boosted tree, classes or targets for a forest.
    ///
    /// # Panics
    /// When there are no columns or more than 2^30, or the width is 0.
    pub fn new(categories: Vec<Option<Arc<Vec<String>>>>, width: usize) -> Self {
        assert!(!categories.is_empty() && categories.len() <= FEATURE as usize, "{} columns", categories.len());
        assert!(width > 0, "a leaf needs a value");
        Self {
            categories,
            width,
            finite: false,
            start: vec![0],
            steps: Vec::new(),
            sets: Vec::new(),
            gain: Vec::new(),
            cover: Vec::new(),
            values: Vec::new(),
            compiled: OnceLock::new(),
            flat: OnceLock::new(),
            single_rows: SingleRows::default(),
        }
    }

    /// The same trees, which refuse rows with infinite cells: for learners that refuse them in training. This is not
    /// saved.
    pub(crate) fn refusing_infinite(self) -> Self {
        Self { finite: true, ..self }
    }

    /// Adds a tree.
    ///
    /// # Panics
    /// When the nodes are not a tree in preorder over these columns: what a learner grows is.
    pub fn push(&mut self, tree: &[TreeNode]) {
        self.compiled.take();
        self.flat.take();
        for (at, node) in tree.iter().enumerate() {
            let step = if node.right == 0 {
                PackedNode::leaf(at)
            } else {
                let missing = if node.missing_left { MISSING_LEFT } else { 0 };
                let category = if node.categories.is_some() { CATEGORY } else { 0 };
                let test = match &node.categories {
                    Some(codes) => self.push_set(node.feature as usize, codes, node.missing_left),
                    None => node.threshold.to_bits(),
                };
                PackedNode { test, feature: node.feature & FEATURE | missing | category, right: node.right }
            };
            self.steps.push(step);
            self.gain.push(node.gain);
            self.cover.push(node.cover);
            self.values.extend_from_slice(&node.values);
        }
        self.start.push(self.steps.len());
        if let Err(message) = self.check_tree(self.n_trees() - 1) {
            panic!("{message}");
        }
    }

    /// Keeps the codes that go another way than missing values: a category that a node has not seen goes with those, so
    /// the set is short in nodes that have seen few, however many there are in all.
    fn push_set(&mut self, feature: usize, left: &[u32], missing_left: bool) -> u64 {
        let count = self.categories[feature].as_ref().map_or(0, |names| names.len());
        let mut other = vec![missing_left; count];
        left.iter().for_each(|&c| other[c as usize] = !missing_left);
        let codes = (0..count as u32).filter(|&c| other[c as usize]);
        let first = self.sets.len();
        if other.iter().filter(|&&o| o).count() < words(count) {
            self.sets.extend(codes);
        } else {
            self.sets.resize(first + words(count), 0);
            codes.for_each(|c| self.sets[first + c as usize / 32] |= 1 << (c % 32));
        }
        assert!(self.sets.len() <= u32::MAX as usize, "the sets of categories are too large");
        first as u64 | ((self.sets.len() - first) as u64) << 32
    }

    /// The set of a node that tests categories, and how many categories its column has. In the set are the codes that go
    /// another way than missing values.
    #[inline]
    fn set_of(&self, step: PackedNode) -> (&[u32], usize) {
        (&self.sets[step.set()], self.categories[step.column()].as_ref().map_or(0, |names| names.len()))
    }

    /// How many trees there are.
    pub fn n_trees(&self) -> usize {
        self.start.len() - 1
    }

    /// How many columns a row has.
    pub fn n_features(&self) -> usize {
        self.categories.len()
    }

    /// How many numbers a leaf holds.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The category names of each column.
    pub fn categories(&self) -> &[Option<Arc<Vec<String>>>] {
        &self.categories
    }

    /// Nodes of one tree.
    pub fn n_nodes(&self, tree: usize) -> usize {
        self.start[tree + 1] - self.start[tree]
    }

    /// Leaves of one tree.
    pub fn n_leaves(&self, tree: usize) -> usize {
        self.n_nodes(tree).div_ceil(2)
    }

    /// Keeps the first trees.
    pub fn truncate(&mut self, trees: usize) {
        if trees >= self.n_trees() {
            return;
        }
        self.compiled.take();
        self.flat.take();
        self.start.truncate(trees + 1);
        let nodes = self.start[trees];
        let set_end = |s: &PackedNode| if s.tests_categories() { s.set().end } else { 0 };
        self.steps.truncate(nodes);
        self.sets.truncate(self.steps.iter().map(set_end).max().unwrap_or(0));
        self.gain.truncate(nodes);
        self.cover.truncate(nodes);
        self.values.truncate(nodes * self.width);
    }

    /// The nodes of a tree as they were added; what a leaf has as its column and threshold, and a test of categories as
    /// its threshold, is 0.
    pub fn nodes(&self, tree: usize) -> Vec<TreeNode> {
        let range = self.start[tree]..self.start[tree + 1];
        let node = |(at, i): (usize, usize)| {
            let step = self.steps[i];
            let mut node =
                TreeNode { gain: self.gain[i], cover: self.cover[i], values: self.value(i).to_vec(), ..TreeNode::default() };
            if step.right as usize != at {
                node.feature = step.feature & FEATURE;
                node.right = step.right;
                node.missing_left = step.missing_left();
                if step.tests_categories() {
                    let (set, count) = self.set_of(step);
                    let left = |&c: &u32| contains(set, count, c) != step.missing_left();
                    node.categories = Some((0..count as u32).filter(left).collect());
                } else {
                    node.threshold = step.threshold();
                }
            }
            node
        };
        range.enumerate().map(node).collect()
    }

    /// The values of a node, counted over all trees.
    #[inline(always)]
    fn value(&self, node: usize) -> &[f64] {
        &self.values[node * self.width..][..self.width]
    }

    /// The inner nodes of all trees, as column and place among the nodes.
    fn inner(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let tree = |t: usize| {
            let first = self.start[t];
            let steps = &self.steps[first..self.start[t + 1]];
            let inner = steps.iter().enumerate().filter(|(at, s)| s.right as usize != *at);
            inner.map(move |(at, s)| (s.column(), first + at))
        };
        (0..self.n_trees()).flat_map(tree)
    }

    /// The gain of the splits on each column, over all trees.
    pub fn gains(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.n_features()];
        self.inner().for_each(|(column, at)| out[column] += self.gain[at]);
        out
    }

    /// How many splits there are on each column, over all trees.
    pub fn splits(&self) -> Vec<u64> {
        let mut out = vec![0; self.n_features()];
        self.inner().for_each(|(column, _)| out[column] += 1);
        out
    }

    /// Adds the sum over `trees` of the values of its leaves to each row of `out`, which has a row for each row of `x`.
    /// With one value per leaf, tree t adds to column t mod `outputs` (boosting with one tree per class); with more, a tree adds
    /// to all columns, and `outputs` is the width. Rows are worked on in parallel.
    ///
    /// # Panics
    /// When `out` or `outputs` do not have the right shape, or `trees` goes beyond the last tree.
    pub fn add_to(&self, x: &Features<'_>, trees: Range<usize>, outputs: usize, out: &mut Mat<f64>) -> Result<()> {
        assert!(trees.end <= self.n_trees(), "trees {trees:?} of {}", self.n_trees());
        assert!(outputs > 0 && (self.width == 1 || outputs == self.width), "{outputs} outputs of width {}", self.width);
        assert_eq!((out.rows(), out.cols()), (x.rows(), outputs), "shape of the output");
        let all_of_many = trees.len() == self.n_trees() && trees.len() >= walk::FEW_TREES;
        if all_of_many && x.rows() <= SINGLE && self.add_to_few(x, outputs, out.as_mut_slice())? {
            return Ok(());
        }
        let (width, values) = (self.width, &self.values[..]);
        self.visit_leaves(x, trees, out.as_mut_slice(), outputs, |out, tree, node| {
            if width == 1 {
                out[if outputs == 1 { 0 } else { tree % outputs }] += values[node];
            } else {
                out.iter_mut().zip(&values[node * width..][..width]).for_each(|(o, v)| *o += v);
            }
        })
    }

    /// The leaf of each row in each tree, as the number of its node within the tree: rows by trees.
    pub fn leaves(&self, x: &Features<'_>, trees: Range<usize>) -> Result<Mat<u32>> {
        assert!(trees.end <= self.n_trees(), "trees {trees:?} of {}", self.n_trees());
        let mut out = Mat::filled(x.rows(), trees.len(), 0);
        let first = trees.start;
        if trees.is_empty() {
            x.expect_cols(self.n_features())?;
            return Ok(out);
        }
        self.visit_leaves(x, trees.clone(), out.as_mut_slice(), trees.len(), |out, tree, node| {
            out[tree - first] = (node - self.start[tree]) as u32;
        })?;
        Ok(out)
    }
}

/// The nodes of an exact tree; the gain is the decrease of impurity times weight, the cover is the weight.
#[cfg(feature = "fit")]
pub(in crate::tree) fn nodes_of(grown: &[GrownNode]) -> Vec<TreeNode> {
    let cost = |i: usize| grown[i].weight * grown[i].impurity;
    let node = |(i, g): (usize, &GrownNode)| {
        let mut node = TreeNode { cover: g.weight, values: g.value.clone(), ..TreeNode::default() };
        if let Some(test) = &g.test {
            node.feature = test.feature as u32;
            node.threshold = test.threshold;
            node.missing_left = test.missing_left;
            node.categories = test.categories.clone();
            node.right = test.right as u32;
            // Costs that overflow leave NaN, which is a gain of 0 here; clamp would keep it.
            #[allow(clippy::manual_clamp)]
            let gain = (cost(i) - cost(test.left) - cost(test.right)).max(0.0).min(f64::MAX);
            node.gain = gain;
        }
        node
    };
    grown.iter().enumerate().map(node).collect()
}
