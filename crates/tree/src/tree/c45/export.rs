//! The tree as text and as rules.

use ermine_core::Schema;

use super::model::C45Model;

/// The path to one leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct C45Rule {
    /// The conditions on a row, from the root on.
    pub conditions: Vec<String>,
    /// The class of the leaf.
    pub class: String,
    /// The share of that class in it.
    pub share: f64,
    /// Weight of its training rows.
    pub weight: f64,
}

impl C45Model {
    /// The class of a node and its share.
    fn class_of(&self, node: usize) -> (&str, f64) {
        let value = self.nodes.value.row(node);
        let best = (0..value.len()).fold(0, |b, k| if value[k] > value[b] { k } else { b });
        (&self.classes[best], value[best])
    }

    /// The condition of a branch, in words.
    fn condition(&self, node: usize, branch: usize, schema: &Schema) -> String {
        let column = self.nodes.feature[node] as usize;
        let name = schema.name(column);
        match (&self.categories[column], branch - self.nodes.branches(node).start) {
            (Some(names), _) => format!("{name} = {}", names[self.nodes.category[branch] as usize]),
            (None, 0) => format!("{name} <= {}", self.nodes.threshold[node]),
            (None, _) => format!("{name} > {}", self.nodes.threshold[node]),
        }
    }

    /// The tree as indented text, one line per branch; leaves show class, weight, and the weight of the other classes.
    pub fn to_text(&self, schema: &Schema) -> String {
        let leaf = |node: usize| {
            let (class, share) = self.class_of(node);
            let weight = self.nodes.weight[node];
            let rest = weight * (1.0 - share);
            let short = |v: f64| format!("{}", (v * 100.0).round() / 100.0);
            if rest * 200.0 > 1.0 {
                format!("{class} ({}/{})", short(weight), short(rest))
            } else {
                format!("{class} ({})", short(weight))
            }
        };
        if self.nodes.is_leaf(0) {
            return format!("{}\n", leaf(0));
        }
        let mut out = String::new();
        // A branch with its node and depth, the first on top.
        let branches = |node: usize, depth: usize| self.nodes.branches(node).rev().map(move |b| (node, b, depth));
        let mut stack: Vec<(usize, usize, usize)> = branches(0, 0).collect();
        while let Some((node, branch, depth)) = stack.pop() {
            let child = self.nodes.child[branch] as usize;
            out.push_str(&"|   ".repeat(depth));
            out.push_str(&self.condition(node, branch, schema));
            if self.nodes.is_leaf(child) {
                out.push_str(&format!(": {}", leaf(child)));
            }
            out.push('\n');
            stack.extend(branches(child, depth + 1));
        }
        out
    }

    /// The path to every leaf, in the order of the text.
    pub fn rules(&self, schema: &Schema) -> Vec<C45Rule> {
        let mut out = Vec::new();
        let mut way: Vec<String> = Vec::new();
        let mut stack = vec![(0usize, 0usize, None::<String>)];
        while let Some((node, depth, condition)) = stack.pop() {
            way.truncate(depth.saturating_sub(1));
            way.extend(condition);
            if self.nodes.is_leaf(node) {
                let (class, share) = self.class_of(node);
                out.push(C45Rule { conditions: way.clone(), class: class.to_owned(), share, weight: self.nodes.weight[node] });
            }
            for b in self.nodes.branches(node).rev() {
                stack.push((self.nodes.child[b] as usize, depth + 1, Some(self.condition(node, b, schema))));
            }
        }
        out
    }
}
