//! A tree as text and as rules.

use ermine_core::{Cell, Curve, Report, Schema, Section, Task, TreeNodeReport};

use super::PruningCv;
use super::model::{LEAF, TreeModel};

/// How a tree is written as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextStyle {
    /// Tests on a way that are shown; what lies deeper is counted.
    pub max_depth: usize,
    /// Width of one level.
    pub spacing: usize,
    /// Digits behind the point.
    pub decimals: usize,
    /// Whether leaves show the weight of each class.
    pub show_weights: bool,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { max_depth: 10, spacing: 3, decimals: 2, show_weights: false }
    }
}

/// The path to one leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafRule {
    /// The leaf.
    pub node: usize,
    /// The conditions on a row, from the root on.
    pub conditions: Vec<String>,
    /// Class shares or means.
    pub value: Vec<f64>,
    /// Training rows.
    pub rows: i64,
    /// Weight of the training rows.
    pub weight: f64,
}

impl TreeModel {
    /// The tree as indented text, one line per test or leaf.
    pub fn to_text(&self, schema: &Schema, style: &TextStyle) -> String {
        let nodes = self.nodes();
        let mut out = String::new();
        let bar = format!("|{}", " ".repeat(style.spacing));
        let dash = format!("|{}", "-".repeat(style.spacing));
        // Node, depth, and the test that leads to it.
        let mut stack = vec![(0usize, 0usize, None::<String>)];
        while let Some((at, depth, test)) = stack.pop() {
            if let Some(test) = test {
                out.push_str(&format!("{}{dash} {test}\n", bar.repeat(depth - 1)));
            }
            let indent = format!("{}{dash} ", bar.repeat(depth));
            if nodes.left[at] == LEAF {
                out.push_str(&format!("{indent}{}\n", self.leaf_text(at, style)));
            } else if depth > style.max_depth {
                let (leaves, deep) = self.below(at);
                let what = if leaves == 1 { "leaf" } else { "leaves" };
                out.push_str(&format!("{indent}truncated branch of depth {deep} with {leaves} {what}\n"));
            } else {
                let (yes, no) = self.conditions(at, schema, style.decimals);
                stack.push((nodes.right[at] as usize, depth + 1, Some(no)));
                stack.push((nodes.left[at] as usize, depth + 1, Some(yes)));
            }
        }
        out
    }

    fn leaf_text(&self, at: usize, style: &TextStyle) -> String {
        let nodes = self.nodes();
        let value = nodes.value.row(at);
        let list = |values: &mut dyn Iterator<Item = f64>| {
            values.map(|v| format!("{v:.*}", style.decimals)).collect::<Vec<_>>().join(", ")
        };
        if self.task() == Task::Regression {
            return format!("value: [{}]", list(&mut value.iter().copied()));
        }
        let weight = nodes.weighted_n_node_samples[at];
        let weights = if style.show_weights {
            format!("weights: [{}] ", list(&mut value.iter().map(|v| v * weight)))
        } else {
            String::new()
        };
        format!("{weights}class: {}", self.class_of(at))
    }

    fn class_of(&self, at: usize) -> &str {
        use ermine_core::Classifier;
        let value = self.nodes().value.row(at);
        let best = (0..value.len()).fold(0, |b, k| if value[k] > value[b] { k } else { b });
        self.classes().get(best).map_or("", |c| c.as_str())
    }

    /// Leaves and depth of the branch below a node.
    fn below(&self, at: usize) -> (usize, usize) {
        let nodes = self.nodes();
        let (mut leaves, mut deepest) = (0, 0);
        let mut stack = vec![(at, 1)];
        while let Some((i, depth)) = stack.pop() {
            deepest = deepest.max(depth);
            if nodes.left[i] == LEAF {
                leaves += 1;
            } else {
                stack.extend([(nodes.left[i] as usize, depth + 1), (nodes.right[i] as usize, depth + 1)]);
            }
        }
        (leaves, deepest)
    }

    /// The test of an inner node, for the left and for the right child.
    fn conditions(&self, at: usize, schema: &Schema, decimals: usize) -> (String, String) {
        let nodes = self.nodes();
        let feature = nodes.feature[at] as usize;
        let name = schema.name(feature);
        if let Some(left) = self.left_categories(at) {
            let set = left.join(", ");
            return (format!("{name} in {{{set}}}"), format!("{name} not in {{{set}}}"));
        }
        let t = nodes.threshold[at];
        if t == f64::INFINITY {
            return (format!("{name} is not missing"), format!("{name} is missing"));
        }
        (format!("{name} <= {t:.decimals$}"), format!("{name} >  {t:.decimals$}"))
    }

    /// The way to every leaf, from left to right. Where missing values go against the condition as it is written, the
    /// condition states it.
    pub fn rules(&self, schema: &Schema) -> Vec<LeafRule> {
        let nodes = self.nodes();
        let mut out = Vec::new();
        let mut way: Vec<String> = Vec::new();
        let mut stack = vec![(0usize, 0usize, None::<String>)];
        while let Some((at, depth, condition)) = stack.pop() {
            way.truncate(depth.saturating_sub(1));
            way.extend(condition);
            if nodes.left[at] == LEAF {
                out.push(LeafRule {
                    node: at,
                    conditions: way.clone(),
                    value: nodes.value.row(at).to_vec(),
                    rows: nodes.n_node_samples[at],
                    weight: nodes.weighted_n_node_samples[at],
                });
                continue;
            }
            let (mut yes, mut no) = self.conditions(at, schema, 6);
            if nodes.threshold[at] != f64::INFINITY {
                if nodes.missing_left[at] == 1 { &mut yes } else { &mut no }.push_str(" or missing");
            }
            stack.push((nodes.right[at] as usize, depth + 1, Some(no)));
            stack.push((nodes.left[at] as usize, depth + 1, Some(yes)));
        }
        out
    }

    /// The tree for a report.
    pub(super) fn report_tree(&self, schema: &Schema) -> Section {
        use ermine_core::Classifier;
        let nodes = self.nodes();
        let mut out: Vec<TreeNodeReport> = (0..self.node_count())
            .map(|at| {
                let value = nodes.value.row(at);
                let (says, shares) = match self.task() {
                    Task::Classification => (self.class_of(at).to_owned(), value.to_vec()),
                    _ => (value.iter().map(|&v| short(v)).collect::<Vec<_>>().join(", "), Vec::new()),
                };
                TreeNodeReport { prediction: says, shares, rows: nodes.n_node_samples[at] as f64, ..TreeNodeReport::default() }
            })
            .collect();
        for at in 0..out.len() {
            if nodes.left[at] != LEAF {
                let children = [nodes.left[at] as usize, nodes.right[at] as usize];
                let [yes, no] = self.sides(at, schema);
                out[children[0]].condition = yes;
                out[children[1]].condition = no;
                let missing = if nodes.missing_left[at] == 1 { 0 } else { 1 };
                out[children[missing]].takes_missing = true;
                out[at].children = children.to_vec();
            }
        }
        Section::Tree { title: "Tree".into(), classes: self.classes().to_vec(), nodes: out }
    }

    /// The test of an inner node in words, for the left and for the right child.
    fn sides(&self, at: usize, schema: &Schema) -> [String; 2] {
        let nodes = self.nodes();
        let feature = nodes.feature[at] as usize;
        let name = schema.name(feature);
        if let Some(left) = self.left_categories(at) {
            let all = self.categories(feature).unwrap_or_default();
            let right: Vec<&str> = all.iter().map(String::as_str).filter(|c| !left.contains(c)).collect();
            let condition = |list: &[&str]| match list {
                [] => format!("{name} is missing"),
                [one] => format!("{name} is {one}"),
                list => format!("{name} in {{{}}}", list.join(", ")),
            };
            return [condition(&left), condition(&right)];
        }
        let t = nodes.threshold[at];
        if t == f64::INFINITY {
            return [format!("{name} is there"), format!("{name} is missing")];
        }
        [format!("{name} <= {}", short(t)), format!("{name} > {}", short(t))]
    }

    /// The sequence that pruning was chosen from.
    pub(super) fn report_choice(&self, choice: &PruningCv, report: &mut Report) {
        report.text(format!(
            "Of {} trees that pruning leads to, cross-validation chose the one with {} leaves, from alpha {} on.",
            choice.alphas.len(),
            choice.leaves[choice.chosen],
            short(choice.alpha())
        ));
        let row = |k: usize| -> Vec<Cell> {
            let mark = if k == choice.chosen { "chosen" } else { "" };
            vec![
                choice.alphas[k].into(),
                (choice.leaves[k] as f64).into(),
                choice.errors[k].into(),
                choice.standard_errors[k].into(),
                mark.into(),
            ]
        };
        let heads = ["alpha", "leaves", "error", "standard error", ""];
        report.table("Pruning by cross-validation", &heads, (0..choice.alphas.len()).map(row).collect());
        let points = choice.leaves.iter().zip(&choice.errors).map(|(&l, &e)| (l as f64, e)).rev().collect();
        report.sections.push(Section::Plot {
            title: "Error in cross-validation".into(),
            x: "leaves".into(),
            y: "error".into(),
            curves: vec![Curve { name: "error".into(), points }],
        });
    }
}

/// A number in as few digits as tell it well enough.
fn short(v: f64) -> String {
    if v == 0.0 || (1e-3..1e6).contains(&v.abs()) {
        let digits = (3 - v.abs().max(1e-3).log10().floor() as i64).clamp(0, 6) as usize;
        let text = format!("{v:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{v:.3e}")
    }
}
