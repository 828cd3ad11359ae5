//! The fitted tree: prediction, saving and loading.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ermine_core::{
    Cell, Certificate, Classifier, Error, Features, MISSING_CODE, Mat, MatRef, Model, ModelReader, ModelWriter, Regressor,
    Report, Result, Schema, Task,
};
use rayon::prelude::*;

use super::grow::Grown;

/// Child of a leaf in the arrays of a model.
pub const LEAF: i32 = -1;
/// Feature and threshold of a leaf in the arrays of a model.
pub const UNDEFINED: i32 = -2;

/// Rows that one thread predicts at a time.
const BLOCK: usize = 1024;
/// Rows that go down the tree side by side.
const LANES: usize = 8;

/// A fitted tree. The nodes lie in arrays in depth-first preorder: the root is node 0, the left child of a node follows it.
#[derive(Debug, Clone)]
pub struct TreeModel {
    task: Task,
    classes: Vec<String>,
    /// The category names of each category column.
    categories: Vec<Option<Arc<Vec<String>>>>,
    nodes: Nodes,
    /// What a row reads on its way down.
    steps: Vec<Step>,
    certificate: Certificate,
}

/// The nodes of a tree, one array a property, in preorder.
#[derive(Debug, Clone, Default)]
pub struct Nodes {
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
    /// Class shares or means, a row a node.
    pub value: Mat<f64>,
    /// The impurity of the training rows.
    pub impurity: Vec<f64>,
    /// Training rows.
    pub n_node_samples: Vec<i64>,
    /// Weight of the training rows.
    pub weighted_n_node_samples: Vec<f64>,
    /// Where the set of a node begins in `set_words`, and one more for the end.
    pub set_offset: Vec<i64>,
    /// Categories that go left, a bit a category; empty where a number is tested.
    pub set_words: Vec<u64>,
}

/// An inner node as prediction reads it, 16 bytes. The left child is the next node.
#[derive(Debug, Clone, Copy)]
struct Step {
    threshold: f64,
    /// The column, and in the upper bits whether missing values go left and whether categories are tested.
    feature: u32,
    /// The right child. A leaf has itself here, and a test that nothing passes: a row that has arrived stays.
    right: u32,
}

const MISSING_LEFT: u32 = 1 << 30;
const CATEGORY: u32 = 1 << 31;
const FEATURE: u32 = MISSING_LEFT - 1;

impl TreeModel {
    pub(super) fn new(
        task: Task,
        classes: Vec<String>,
        categories: Vec<Option<Arc<Vec<String>>>>,
        grown: &[Grown],
        certificate: Certificate,
    ) -> Self {
        let mut nodes = Nodes { set_offset: vec![0], ..Nodes::default() };
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
        let steps = nodes.steps();
        Self { task, classes, categories, nodes, steps, certificate }
    }

    /// Regression or classification.
    pub fn task(&self) -> Task {
        self.task
    }

    /// The nodes.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    #[inline(always)]
    fn is_leaf(&self, node: usize) -> bool {
        self.steps[node].right as usize == node
    }

    /// How many nodes there are, leaves among them.
    pub fn node_count(&self) -> usize {
        self.steps.len()
    }

    /// How many leaves there are.
    pub fn n_leaves(&self) -> usize {
        (0..self.steps.len()).filter(|&i| self.is_leaf(i)).count()
    }

    /// Tests on the longest way from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.steps.len()];
        for (i, step) in self.steps.iter().enumerate() {
            if !self.is_leaf(i) {
                depth[i + 1] = depth[i] + 1;
                depth[step.right as usize] = depth[i] + 1;
            }
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// The names of the categories of a column, if it has some.
    pub fn categories(&self, feature: usize) -> Option<&[String]> {
        self.categories[feature].as_ref().map(|names| &names[..])
    }

    /// The categories that go left at a node that tests a category column.
    pub fn left_categories(&self, node: usize) -> Option<Vec<&str>> {
        if self.steps[node].feature & CATEGORY == 0 {
            return None;
        }
        let names = self.categories(self.nodes.feature[node] as usize)?;
        Some(names.iter().enumerate().filter(|(c, _)| self.in_set(node, *c)).map(|(_, name)| name.as_str()).collect())
    }

    /// How much each column lowers the impurity, as shares of the whole; all 0 for a tree that is one leaf.
    pub fn feature_importances(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.categories.len()];
        let n = &self.nodes;
        let cost = |i: usize| n.weighted_n_node_samples[i] / n.weighted_n_node_samples[0] * n.impurity[i];
        for (i, step) in self.steps.iter().enumerate() {
            if !self.is_leaf(i) {
                out[n.feature[i] as usize] += (cost(i) - cost(i + 1) - cost(step.right as usize)).max(0.0);
            }
        }
        let sum: f64 = out.iter().sum();
        if sum > 0.0 {
            out.iter_mut().for_each(|v| *v /= sum);
        }
        out
    }

    #[inline]
    fn in_set(&self, node: usize, code: usize) -> bool {
        let words = &self.nodes.set_words[self.nodes.set_offset[node] as usize..self.nodes.set_offset[node + 1] as usize];
        words.get(code / 64).is_some_and(|w| w >> (code % 64) & 1 == 1)
    }

    /// The child that a cell leads to. A category is given as its code; NaN is missing.
    #[inline(always)]
    fn next<C: Cells>(&self, at: u32, step: Step, v: f64) -> u32 {
        let missing = v.is_nan() & (step.feature & MISSING_LEFT != 0);
        let left = if C::CATEGORIES && step.feature & CATEGORY != 0 {
            if v.is_nan() { missing } else { self.in_set(at as usize, v as usize) }
        } else {
            (v <= step.threshold) | missing
        };
        if left { at + 1 } else { step.right }
    }

    /// The leaves of `LANES` rows from `first` on, the row before `end` again where there are fewer. They go down side by
    /// side, so that no row waits for the memory of another; for that their number must be known here.
    #[inline(always)]
    fn leaves<C: Cells>(&self, cells: &C, first: usize, end: usize) -> [u32; LANES] {
        let rows: [usize; LANES] = std::array::from_fn(|k| (first + k).min(end - 1));
        let mut at = [0; LANES];
        loop {
            let mut moved = 0;
            for (at, &row) in at.iter_mut().zip(&rows) {
                let step = self.steps[*at as usize];
                let next = self.next::<C>(*at, step, cells.get(row, (step.feature & FEATURE) as usize));
                moved |= next ^ *at;
                *at = next;
            }
            if moved == 0 {
                return at;
            }
        }
    }

    /// The leaf of each row, by its node number.
    pub fn apply(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        let mut out = vec![0u32; x.rows()];
        self.for_blocks(x, &mut out, 1, |out, leaf| out[0] = leaf as u32)?;
        Ok(out)
    }

    /// The nodes each row passes, from the root to its leaf: where the nodes of a row begin (and one more for the end),
    /// and the nodes.
    pub fn decision_path(&self, x: &Features<'_>) -> Result<(Vec<usize>, Vec<u32>)> {
        let leaves = self.apply(x)?;
        let mut parent = vec![0u32; self.steps.len()];
        for (i, step) in self.steps.iter().enumerate() {
            if !self.is_leaf(i) {
                parent[i + 1] = i as u32;
                parent[step.right as usize] = i as u32;
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
        self.for_blocks(x, out.as_mut_slice(), width, |out, leaf| out.copy_from_slice(self.nodes.value.row(leaf)))?;
        Ok(out)
    }

    /// Hands the leaf of each row to `write`, with its `width` elements of `out`.
    fn for_blocks<T: Send>(
        &self,
        x: &Features<'_>,
        out: &mut [T],
        width: usize,
        write: impl Fn(&mut [T], usize) + Sync,
    ) -> Result<()> {
        x.expect_cols(self.categories.len())?;
        let maps = self.code_maps(x)?;
        out.par_chunks_mut(BLOCK * width).enumerate().try_for_each(|(block, out)| {
            let first = block * BLOCK;
            let rows = first..first + out.len() / width;
            refuse_infinite(x, rows.clone())?;
            let count = rows.len();
            let fill = |out: &mut [T], leaves: &dyn Fn(usize) -> [u32; LANES]| {
                for (g, out) in out.chunks_mut(LANES * width).enumerate() {
                    let found = leaves(g * LANES);
                    out.chunks_exact_mut(width).zip(found).for_each(|(out, leaf)| write(out, leaf as usize));
                }
            };
            match x.row_range(rows) {
                Features::F64(m) => fill(out, &|i| self.leaves(&m, i, count)),
                Features::F32(m) => fill(out, &|i| self.leaves(&m, i, count)),
                Features::Csr(m) => {
                    let dense = m.to_dense();
                    let view = dense.view();
                    fill(out, &|i| self.leaves(&view, i, count));
                }
                Features::Table(t) => {
                    let column = |j: usize| match (t.numbers(j), t.categories(j), &maps[j]) {
                        (_, Some((codes, _)), Some(map)) => TableColumn::Category(codes, map),
                        (numbers, ..) => TableColumn::Number(numbers.unwrap_or_default()),
                    };
                    let cells = TableCells((0..t.cols()).map(column).collect());
                    fill(out, &|i| self.leaves(&cells, i, count));
                }
            }
            Ok(())
        })
    }

    /// For each category column the code of the model for each code of the data, found by name; columns of another kind
    /// than in training are refused.
    fn code_maps(&self, x: &Features<'_>) -> Result<Vec<Option<Vec<f64>>>> {
        let wrong = |j: usize, found: &str, needed: &str| Error::Kind {
            column: match x {
                Features::Table(t) => format!("\"{}\"", t.schema().fields[j].name),
                _ => j.to_string(),
            },
            found: found.into(),
            learner: "this tree".into(),
            needed: format!("{needed}, as in training"),
        };
        let of = |(j, known): (usize, &Option<Arc<Vec<String>>>)| {
            let found = match x {
                Features::Table(t) if t.numbers(j).is_none() => {
                    Some(t.categories(j).ok_or_else(|| wrong(j, "neither numbers nor categories", "one of them"))?.1)
                }
                _ => None,
            };
            match (known, found) {
                (None, None) => Ok(None),
                (Some(_), None) => Err(wrong(j, "of type number", "categories")),
                (None, Some(_)) => Err(wrong(j, "of type category", "numbers")),
                (Some(known), Some(found)) => {
                    let codes: BTreeMap<&str, usize> = known.iter().enumerate().map(|(c, name)| (name.as_str(), c)).collect();
                    Ok(Some(found.iter().map(|name| codes.get(name.as_str()).map_or(f64::NAN, |&c| c as f64)).collect()))
                }
            }
        };
        self.categories.iter().enumerate().map(of).collect()
    }

    pub(super) fn load(input: &ModelReader) -> Result<Self> {
        let task: Task = input.field("task")?;
        if !task.is_supervised() {
            return Err(Error::Model(format!("a tree does not do {task}")));
        }
        let classes: Vec<String> = input.field("classes")?;
        let kinds: Vec<u8> = input.vec("feature_kind")?;
        let listed: BTreeMap<usize, Arc<Vec<String>>> = input.field("categories")?;
        let certificate: Certificate = input.field("certificate")?;
        let nodes = Nodes::load(input)?;
        let width = nodes.value.cols();
        if task == Task::Classification && width != classes.len() || width == 0 {
            return Err(Error::Model(format!("{} classes, and {width} values a node", classes.len())));
        }
        let n_features = kinds.len();
        let used = nodes.feature.iter().copied().max().unwrap_or(UNDEFINED);
        if input.field::<usize>("n_features")? != n_features || n_features == 0 || used as i64 >= n_features as i64 {
            return Err(Error::Model(format!("{n_features} columns, and column {used} is tested")));
        }
        let mut categories = vec![None; n_features];
        for (j, names) in listed {
            match categories.get_mut(j) {
                Some(place) => *place = Some(names),
                None => return Err(Error::Model(format!("column {j} of {n_features} has categories"))),
            }
        }
        if kinds.iter().zip(&categories).any(|(&kind, names)| kind != u8::from(names.is_some())) {
            return Err(Error::Model("the kinds of the columns do not match their categories".into()));
        }
        nodes.check(task, &categories)?;
        let steps = nodes.steps();
        Ok(Self { task, classes, categories, nodes, steps, certificate })
    }
}

impl Nodes {
    fn steps(&self) -> Vec<Step> {
        let step = |i: usize| {
            if self.left[i] == LEAF {
                return Step { threshold: f64::NAN, feature: 0, right: i as u32 };
            }
            let missing = if self.missing_left[i] == 1 { MISSING_LEFT } else { 0 };
            let category = if self.set_offset[i] < self.set_offset[i + 1] { CATEGORY } else { 0 };
            Step {
                threshold: self.threshold[i],
                feature: self.feature[i] as u32 | missing | category,
                right: self.right[i] as u32,
            }
        };
        (0..self.left.len()).map(step).collect()
    }

    fn load(input: &ModelReader) -> Result<Self> {
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
                return bad(i, "its set does not have a bit a category");
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

/// Cells as numbers: NaN is missing, a category is its code in the model.
trait Cells: Sync {
    /// Whether there may be category columns.
    const CATEGORIES: bool;
    fn get(&self, row: usize, col: usize) -> f64;
}

impl Cells for MatRef<'_, f64> {
    const CATEGORIES: bool = false;
    #[inline(always)]
    fn get(&self, row: usize, col: usize) -> f64 {
        *self.at(row, col)
    }
}

impl Cells for MatRef<'_, f32> {
    const CATEGORIES: bool = false;
    #[inline(always)]
    fn get(&self, row: usize, col: usize) -> f64 {
        f64::from(*self.at(row, col))
    }
}

enum TableColumn<'a> {
    Number(&'a [f64]),
    Category(&'a [u32], &'a [f64]),
}

struct TableCells<'a>(Vec<TableColumn<'a>>);

impl Cells for TableCells<'_> {
    const CATEGORIES: bool = true;
    #[inline]
    fn get(&self, row: usize, col: usize) -> f64 {
        match &self.0[col] {
            TableColumn::Number(values) => values[row],
            TableColumn::Category(codes, map) if codes[row] != MISSING_CODE => map[codes[row] as usize],
            TableColumn::Category(..) => f64::NAN,
        }
    }
}

/// The first cell that is so. There is hardly ever one, and to ask only whether there is goes many cells at a time.
fn first<T: Copy>(cells: &[T], is: impl Fn(T) -> bool) -> Option<usize> {
    let any = cells.iter().fold(false, |any, &v| any | is(v));
    if any { cells.iter().position(|&v| is(v)) } else { None }
}

/// Refuses infinite cells among some rows, naming the first.
pub(crate) fn refuse_infinite(x: &Features<'_>, rows: Range<usize>) -> Result<()> {
    let refuse = |row: usize, col: usize, value: f64| {
        let column = match x {
            Features::Table(t) => format!("\"{}\"", t.schema().fields[col].name),
            _ => col.to_string(),
        };
        let value = if value > 0.0 { "infinity" } else { "-infinity" };
        Err(Error::NotFinite { column, row, value: value.into() })
    };
    for row in rows.clone() {
        let found = match x {
            Features::F64(m) => match m.row(row) {
                Some(cells) => first(cells, f64::is_infinite).map(|j| (j, cells[j])),
                None => (0..m.cols()).find(|&j| m.at(row, j).is_infinite()).map(|j| (j, *m.at(row, j))),
            },
            Features::F32(m) => match m.row(row) {
                Some(cells) => first(cells, f32::is_infinite).map(|j| (j, f64::from(cells[j]))),
                None => (0..m.cols()).find(|&j| m.at(row, j).is_infinite()).map(|j| (j, f64::from(*m.at(row, j)))),
            },
            Features::Csr(m) => {
                let (indices, values) = m.row(row);
                values.iter().position(|v| v.is_infinite()).map(|k| (indices[k] as usize, values[k]))
            }
            Features::Table(_) => None,
        };
        if let Some((col, value)) = found {
            return refuse(row, col, value);
        }
    }
    if let Features::Table(t) = x {
        for j in 0..t.cols() {
            if let Some(values) = t.numbers(j)
                && let Some(row) = rows.clone().find(|&i| values[i].is_infinite())
            {
                return refuse(row, j, values[row]);
            }
        }
    }
    Ok(())
}

impl Model for TreeModel {
    fn n_features(&self) -> usize {
        self.categories.len()
    }

    fn as_regressor(&self) -> Option<&dyn Regressor> {
        (self.task == Task::Regression).then_some(self)
    }

    fn as_classifier(&self) -> Option<&dyn Classifier> {
        (self.task == Task::Classification).then_some(self)
    }

    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!(
            "A tree of depth {} with {} leaves, grown on {} rows.",
            self.depth(),
            self.n_leaves(),
            self.nodes.n_node_samples[0]
        ));
        let importances = self.feature_importances();
        let mut order: Vec<usize> = (0..importances.len()).collect();
        order.sort_by(|&a, &b| importances[b].total_cmp(&importances[a]));
        let name = |j: usize| schema.fields.get(j).map_or_else(|| format!("x{j}"), |f| f.name.clone());
        let rows = order.into_iter().map(|j| vec![Cell::Text(name(j)), Cell::Number(importances[j])]).collect();
        report.table("Importance: share of the decrease of impurity", &["column", "importance"], rows);
        if self.n_leaves() <= 32 {
            report.text(self.to_text(schema, &super::TextStyle::default()));
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
        out.field("n_features", &self.categories.len())?;
        let kinds: Vec<u8> = self.categories.iter().map(|names| u8::from(names.is_some())).collect();
        out.vec("feature_kind", &kinds);
        let listed: BTreeMap<usize, &Arc<Vec<String>>> =
            self.categories.iter().enumerate().filter_map(|(j, names)| Some((j, names.as_ref()?))).collect();
        out.field("categories", &listed)?;
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
}

impl Classifier for TreeModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.values(x)
    }
}
