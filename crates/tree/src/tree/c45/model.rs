//! The fitted tree: prediction, saving and loading.

use std::sync::Arc;

use ermine_core::parallel::prelude::*;
use ermine_core::{
    Cell, Certificate, Classifier, Error, Features, MISSING_CODE, Mat, Model, ModelReader, ModelWriter, Report, Result, Schema,
};

use super::super::ensemble::{load_categories, save_categories};
use super::super::importance::{gain_shares, report_importances};
use super::super::{CodeMaps, refuse_infinite};
#[cfg(feature = "fit")]
use super::grow::{C45Data, C45Node};
#[cfg(feature = "fit")]
use super::split::C45Test;

/// Rows that one thread predicts at a time.
const BLOCK: usize = 1024;

/// The column of a leaf in the arrays of a model.
const LEAF: i32 = -1;

/// A fitted multi-way tree. The nodes lie in arrays in depth-first preorder: the root is node 0, children follow their parent.
#[derive(Debug, Clone)]
pub struct C45Model {
    pub(super) classes: Vec<String>,
    /// The category names of each category column.
    pub(super) categories: Vec<Option<Arc<Vec<String>>>>,
    pub(super) nodes: C45NodeArrays,
    certificate: Certificate,
}

/// The nodes, one array per property.
#[derive(Debug, Clone, Default)]
pub(super) struct C45NodeArrays {
    /// The column that is tested, or [`LEAF`].
    pub feature: Vec<i32>,
    /// Values up to it go to the first branch; 0 in leaves and tests of categories.
    pub threshold: Vec<f64>,
    /// Where the branches of a node begin, and one more for the end.
    pub branches: Vec<i64>,
    /// The node of each branch.
    pub child: Vec<u32>,
    /// The category of each branch; 0 and 1 for the sides of a threshold.
    pub category: Vec<u32>,
    /// The share of the rows of known value in each branch.
    pub share: Vec<f64>,
    /// The share of each class, one row per node.
    pub value: Mat<f64>,
    /// Weight of the training rows.
    pub weight: Vec<f64>,
    /// Decrease of the impurity a row.
    pub gain: Vec<f64>,
}

impl C45NodeArrays {
    pub fn is_leaf(&self, node: usize) -> bool {
        self.feature[node] == LEAF
    }

    pub fn branches(&self, node: usize) -> std::ops::Range<usize> {
        self.branches[node] as usize..self.branches[node + 1] as usize
    }
}

impl C45Model {
    #[cfg(feature = "fit")]
    pub(super) fn new(
        classes: Vec<String>,
        categories: Vec<Option<Arc<Vec<String>>>>,
        rows: &C45Data<'_>,
        grown: &[C45Node],
        certificate: Certificate,
    ) -> Self {
        // Preorder numbers first: branches name them before their nodes are written.
        let mut order = Vec::new();
        let mut number = vec![0u32; grown.len()];
        let mut stack = vec![0u32];
        while let Some(at) = stack.pop() {
            number[at as usize] = order.len() as u32;
            order.push(at as usize);
            if let Some(split) = &grown[at as usize].split {
                stack.extend(split.children.iter().rev());
            }
        }
        let mut nodes = C45NodeArrays { branches: vec![0], ..C45NodeArrays::default() };
        let mut values = Vec::with_capacity(order.len() * classes.len());
        for &at in &order {
            let node = &grown[at];
            values.extend(node.value());
            nodes.weight.push(rows.in_rows(node.total));
            nodes.gain.push(node.split.as_ref().map_or(0.0, |s| s.gain));
            nodes.feature.push(node.split.as_ref().map_or(LEAF, |s| s.test.column() as i32));
            let mut threshold = 0.0;
            if let Some(split) = &node.split {
                nodes.child.extend(split.children.iter().map(|&c| number[c as usize]));
                nodes.share.extend(&split.shares);
                match &split.test {
                    C45Test::Number { threshold: t, .. } => {
                        threshold = *t;
                        nodes.category.extend([0, 1]);
                    }
                    C45Test::Categories { codes, .. } => nodes.category.extend(codes),
                }
            }
            nodes.threshold.push(threshold);
            nodes.branches.push(nodes.child.len() as i64);
        }
        nodes.value = Mat::from_vec(order.len(), classes.len(), values);
        Self { classes, categories, nodes, certificate }
    }

    /// How many nodes there are, leaves among them.
    pub fn node_count(&self) -> usize {
        self.nodes.feature.len()
    }

    /// How many leaves there are.
    pub fn n_leaves(&self) -> usize {
        (0..self.node_count()).filter(|&i| self.nodes.is_leaf(i)).count()
    }

    /// Tests on the longest path from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depth = vec![0; self.node_count()];
        for i in 0..self.node_count() {
            for b in self.nodes.branches(i) {
                depth[self.nodes.child[b] as usize] = depth[i] + 1;
            }
        }
        depth.into_iter().max().unwrap_or(0)
    }

    /// The column that the root tests, and what that test gained; `None` for a tree that is one leaf.
    pub fn root(&self) -> Option<(usize, f64)> {
        (!self.nodes.is_leaf(0)).then(|| (self.nodes.feature[0] as usize, self.nodes.gain[0]))
    }

    /// How much each column lowers the impurity, as shares of the whole; all 0 for a tree that is one leaf.
    pub fn feature_importances(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.categories.len()];
        for i in (0..self.node_count()).filter(|&i| !self.nodes.is_leaf(i)) {
            out[self.nodes.feature[i] as usize] += self.nodes.weight[i] / self.nodes.weight[0] * self.nodes.gain[i];
        }
        gain_shares(out)
    }

    /// Adds the class shares of a row to `out`; `cell` gives a number, or the code of a category in the model, NaN for a
    /// value that is missing or that training did not know.
    fn descend(&self, cell: impl Fn(usize) -> f64, stack: &mut Vec<(u32, f64)>, out: &mut [f64]) {
        stack.clear();
        stack.push((0, 1.0));
        while let Some((node, share)) = stack.pop() {
            let node = node as usize;
            if self.nodes.is_leaf(node) {
                let value = self.nodes.value.row(node);
                // A single path keeps the shares of its leaf to the last bit.
                out.iter_mut().zip(value).for_each(|(o, v)| *o += share * v);
                continue;
            }
            let column = self.nodes.feature[node] as usize;
            let branches = self.nodes.branches(node);
            let v = cell(column);
            let known = if v.is_nan() {
                None
            } else if self.categories[column].is_none() {
                Some(branches.start + usize::from(v > self.nodes.threshold[node]))
            } else {
                self.nodes.category[branches.clone()].binary_search(&(v as u32)).ok().map(|k| branches.start + k)
            };
            match known {
                Some(b) => stack.push((self.nodes.child[b], share)),
                None => stack
                    .extend(branches.rev().map(|b| (self.nodes.child[b], share * self.nodes.share[b])).filter(|(_, s)| *s > 0.0)),
            }
        }
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let classes: Vec<String> = input.field("classes")?;
        let categories = load_categories(input)?;
        let certificate: Certificate = input.field("certificate")?;
        let feature: Vec<i32> = input.vec("feature")?;
        let n = feature.len();
        let child: Vec<u32> = input.vec("child")?;
        let value = input.mat_of("value", n, classes.len())?;
        let nodes = C45NodeArrays {
            threshold: input.vec_of("threshold", n)?,
            branches: input.vec_of("branches", n + 1)?,
            category: input.vec_of("category", child.len())?,
            share: input.vec_of("share", child.len())?,
            weight: input.vec_of("weight", n)?,
            gain: input.vec_of("gain", n)?,
            feature,
            child,
            value,
        };
        if categories.is_empty() {
            return Err(Error::Model("a tree of 0 columns".into()));
        }
        nodes.check(&categories)?;
        Ok(Self { classes, categories, nodes, certificate })
    }
}

impl C45NodeArrays {
    /// Everything prediction relies on.
    fn check(&self, categories: &[Option<Arc<Vec<String>>>]) -> Result<()> {
        let n = self.feature.len();
        let bad = |i: usize, what: &str| Err(Error::Model(format!("node {i} of {n}: {what}")));
        if n == 0 || self.value.cols() == 0 {
            return Err(Error::Model("a tree without nodes or classes".into()));
        }
        if self.branches[0] != 0 || self.branches[n] != self.child.len() as i64 {
            return Err(Error::Model("the branches do not fill their array".into()));
        }
        let mut parents = vec![0u8; n];
        for i in 0..n {
            let (from, to) = (self.branches[i], self.branches[i + 1]);
            if from < 0 || to < from || to > self.child.len() as i64 {
                return bad(i, "its branches lie outside");
            }
            let branches = from as usize..to as usize;
            if self.is_leaf(i) != branches.is_empty() {
                return bad(i, "it is neither a leaf nor an inner node");
            }
            if !self.is_leaf(i) {
                let Some(names) = usize::try_from(self.feature[i]).ok().and_then(|j| categories.get(j)) else {
                    return bad(i, "the column is not there");
                };
                let codes = &self.category[branches.clone()];
                let sound = match names {
                    Some(names) => codes.windows(2).all(|w| w[0] < w[1]) && codes.iter().all(|&c| (c as usize) < names.len()),
                    None => codes == [0, 1],
                };
                if !sound || !self.threshold[i].is_finite() {
                    return bad(i, "the test is not valid");
                }
            }
            for b in branches {
                // A child after its parent, with one parent: a tree.
                let child = self.child[b] as usize;
                if child <= i || child >= n || parents[child] != 0 {
                    return bad(i, "the nodes are not a tree in preorder");
                }
                parents[child] = 1;
                if !(0.0..=1.0).contains(&self.share[b]) {
                    return bad(i, "the share of a branch is not valid");
                }
            }
            let shares = &self.share[from as usize..to as usize];
            if !shares.is_empty() && (shares.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
                return bad(i, "the shares of its branches do not sum to 1");
            }
            if !(self.weight[i].is_finite() && self.weight[i] >= 0.0 && self.gain[i].is_finite() && self.gain[i] >= 0.0) {
                return bad(i, "weight or gain is not valid");
            }
            let value = self.value.row(i);
            if value.iter().any(|v| !(0.0..=1.0).contains(v)) || (value.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
                return bad(i, "its class shares are not valid");
            }
        }
        if parents[1..].contains(&0) {
            return Err(Error::Model("a node that no branch leads to".into()));
        }
        if self.weight[0] <= 0.0 {
            return bad(0, "the root has no weight");
        }
        Ok(())
    }
}

ermine_core::display_as_report!(C45Model);

impl Model for C45Model {
    fn n_features(&self) -> usize {
        self.categories.len()
    }

    fn as_classifier(&self) -> Option<&dyn Classifier> {
        Some(self)
    }

    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!(
            "A tree of depth {} with {} leaves, grown on rows of weight {}.",
            self.depth(),
            self.n_leaves(),
            self.nodes.weight[0]
        ));
        let title = "Importance: share of the decrease of impurity";
        report_importances(&mut report, schema, title, &["column", "importance"], &self.feature_importances(), |_| None);
        if self.n_leaves() <= 64 {
            report.text(self.to_text(schema));
            let rows = self
                .rules(schema)
                .into_iter()
                .map(|r| vec![Cell::Text(r.conditions.join(" and ")), Cell::Text(r.class), r.share.into(), r.weight.into()]);
            report.table("Rules", &["if", "then", "share", "weight"], rows.collect());
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        let n = &self.nodes;
        out.vec("feature", &n.feature);
        out.vec("threshold", &n.threshold);
        out.vec("branches", &n.branches);
        out.vec("child", &n.child);
        out.vec("category", &n.category);
        out.vec("share", &n.share);
        out.mat("value", &n.value);
        out.vec("weight", &n.weight);
        out.vec("gain", &n.gain);
        out.field("classes", &self.classes)?;
        save_categories(out, &self.categories)?;
        out.field("certificate", &self.certificate)
    }
}

impl Classifier for C45Model {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.categories.len())?;
        let maps = CodeMaps::new(x, &self.categories)?;
        let width = self.classes.len();
        let mut out = Mat::zeros(x.rows(), width);
        out.as_mut_slice().par_chunks_mut(BLOCK * width).enumerate().try_for_each(|(block, out)| {
            let rows = block * BLOCK..block * BLOCK + out.len() / width;
            refuse_infinite(x, rows.clone())?;
            let mut stack = Vec::new();
            for (row, out) in rows.zip(out.chunks_exact_mut(width)) {
                match x {
                    Features::F64(m) => self.descend(|j| *m.at(row, j), &mut stack, out),
                    Features::F32(m) => self.descend(|j| f64::from(*m.at(row, j)), &mut stack, out),
                    Features::Csr(m) => {
                        let mut cells = vec![0.0; m.cols()];
                        m.copy_row(row, &mut cells);
                        self.descend(|j| cells[j], &mut stack, out);
                    }
                    Features::Table(t) => {
                        let cell = |j: usize| match (maps.of(j), t.categories(j)) {
                            (Some(map), Some((codes, _))) => match codes[row] {
                                MISSING_CODE => f64::NAN,
                                code => map[code as usize],
                            },
                            _ => t.numbers(j).map_or(f64::NAN, |v| v[row]),
                        };
                        self.descend(cell, &mut stack, out);
                    }
                }
                let sum: f64 = out.iter().sum();
                // Shares of a row that followed several branches sum to 1 but for rounding.
                if sum > 0.0 && sum != 1.0 {
                    out.iter_mut().for_each(|v| *v /= sum);
                }
            }
            Ok::<(), Error>(())
        })?;
        Ok(out)
    }
}
