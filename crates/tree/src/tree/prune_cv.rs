//! The price of a leaf by cross-validation (Breiman and others 1984, section 3.4).
//!
//! The trees of the pruning sequence of all rows are compared. Tree k is the best one for prices from alpha_k up to
//! alpha_{k+1}; their geometric mean represents it in the folds, where trees grown without the fold are pruned by
//! that price and tried on the fold.

use ermine_core::{Context, DatasetRef, Features, Result, RngStream, Target};

use super::Tree;
use super::ensemble::Trees;
#[cfg(feature = "fit")]
use super::ensemble::nodes_of;
#[cfg(feature = "fit")]
use super::grow::{GrownNode, parents};
#[cfg(feature = "fit")]
use super::prune;
#[cfg(feature = "fit")]
use super::sorted::TreeColumns;
use ermine_core::splits::stratified_k_fold;

/// How pruning was chosen by cross-validation: the trees of the sequence, from the full tree to its root.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PruningCv {
    /// The least alpha that selects each tree; ascending, the first is 0.
    pub alphas: Vec<f64>,
    /// The leaves of each tree; descending, the last is 1.
    pub leaves: Vec<u64>,
    /// The error of each tree in cross-validation: the share of wrong classes, the mean absolute error where that is
    /// the criterion, else the mean squared error.
    pub errors: Vec<f64>,
    /// The standard error of each error.
    pub standard_errors: Vec<f64>,
    /// Which tree was chosen.
    pub chosen: usize,
}

impl PruningCv {
    /// The price that gives the chosen tree.
    pub fn alpha(&self) -> f64 {
        self.alphas[self.chosen]
    }

    /// The simplest of the best, or with `one_se` the simplest whose error is within a standard error of the best.
    fn choose(&mut self, one_se: bool) {
        let least = self.errors.iter().copied().fold(f64::INFINITY, f64::min);
        let best = self.errors.iter().rposition(|&e| e <= least).unwrap_or(0);
        let most = if one_se { least + self.standard_errors[best] } else { least };
        self.chosen = self.errors.iter().rposition(|&e| e <= most).unwrap_or(best);
    }
}

/// Chooses among the trees that pruning the full tree leads to.
#[cfg(feature = "fit")]
pub(super) fn choose(tree: &Tree, full: &[GrownNode], data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PruningCv> {
    let path = prune::path(full, cx)?;
    let collapse = prune::leaf_from(full, cx)?;
    let mut out = PruningCv::default();
    for &alpha in &path.ccp_alphas {
        // Links of one price are cut together.
        if out.alphas.last() != Some(&alpha) {
            out.alphas.push(alpha);
            out.leaves.push(count_leaves(full, &collapse, alpha));
        }
    }
    let trees = out.alphas.len();
    let middle = |k: usize| match out.alphas.get(k + 1) {
        Some(next) => (out.alphas[k] * next).sqrt(),
        None => f64::INFINITY,
    };
    let prices: Vec<f64> = (0..trees).map(middle).collect();
    let n = data.rows();
    let folds = usize::try_from(tree.folds).unwrap_or(usize::MAX).min(n);
    if trees == 1 || folds < 2 {
        // There is nothing to choose from, or nothing to choose with.
        out.errors = vec![0.0; trees];
        out.standard_errors = vec![0.0; trees];
        return Ok(out);
    }
    let split = stratified_k_fold(&data.y, n, folds, RngStream::new(cx.seed, "pruning folds", 0).next_u64())?;
    let mut sums = vec![PruningLossSums::default(); trees];
    for fold in 0..folds {
        let (train, test) = split.round(fold);
        let weight = |rows: &[usize]| rows.iter().map(|&i| data.weight_of(i)).sum::<f64>();
        if weight(&train) == 0.0 || weight(&test) == 0.0 {
            continue;
        }
        let rest = data.take_rows(&train);
        let test_rows = data.take_rows(&test);
        let (rest, test_rows) = (rest.view(), test_rows.view());
        let (nodes, _) = tree.grow(&rest, cx)?;
        let collapse = prune::leaf_from(&nodes, cx)?;
        let leaves = leaf_of_rows(&nodes, &rest, &test_rows.x)?;
        let parent = parents(&nodes);
        for (i, &leaf) in leaves.iter().enumerate() {
            let w = test_rows.weight_of(i);
            // From the leaf up: below the alpha at which a node becomes a leaf, its child decides.
            let (mut at, mut from) = (leaf as usize, 0);
            loop {
                let mut up = parent[at];
                while up != usize::MAX && collapse[up] == f64::INFINITY {
                    up = parent[up];
                }
                // A node above that has become a leaf earlier has taken this one with it.
                let price = if up == usize::MAX { f64::INFINITY } else { collapse[up] };
                let to = if up == usize::MAX { trees } else { prices.partition_point(|&p| p < price).max(from) };
                if to > from {
                    let loss = tree.loss(&test_rows.y, i, &nodes[at].value);
                    sums[from..to].iter_mut().for_each(|s| s.add(w, loss));
                    from = to;
                }
                if up == usize::MAX {
                    break;
                }
                at = up;
            }
        }
    }
    for s in &sums {
        out.errors.push(s.mean());
        out.standard_errors.push(s.standard_error());
    }
    out.choose(tree.one_se);
    Ok(out)
}

/// The losses of a tree on rows that it has not seen: sums of w, w l, w², w² l and w² l².
#[derive(Debug, Clone, Copy, Default)]
struct PruningLossSums([f64; 5]);

impl PruningLossSums {
    fn add(&mut self, w: f64, loss: f64) {
        let terms = [w, w * loss, w * w, w * w * loss, w * w * loss * loss];
        self.0.iter_mut().zip(terms).for_each(|(s, t)| *s += t);
    }

    fn mean(&self) -> f64 {
        self.0[1] / self.0[0]
    }

    /// Of the weighted mean, by the spread of the losses about it.
    fn standard_error(&self) -> f64 {
        let (m, [w, _, w2, w2l, w2l2]) = (self.mean(), self.0);
        (w2l2 - 2.0 * m * w2l + m * m * w2).max(0.0).sqrt() / w
    }
}

/// The leaf of each row.
#[cfg(feature = "fit")]
fn leaf_of_rows(nodes: &[GrownNode], trained_on: &DatasetRef<'_>, x: &Features<'_>) -> Result<Vec<u32>> {
    let categories = TreeColumns::new(&trained_on.x, trained_on.schema).categories;
    let mut trees = Trees::new(categories, nodes[0].value.len()).refusing_infinite();
    trees.push(&nodes_of(nodes));
    Ok(trees.leaves(x, 0..1)?.into_vec())
}

/// Leaves of the tree selected by alpha.
#[cfg(feature = "fit")]
fn count_leaves(nodes: &[GrownNode], collapse: &[f64], alpha: f64) -> u64 {
    let (mut count, mut stack) = (0, vec![0]);
    while let Some(at) = stack.pop() {
        match &nodes[at].test {
            Some(test) if collapse[at] > alpha => stack.extend([test.left, test.right]),
            _ => count += 1,
        }
    }
    count
}

impl Tree {
    /// The loss of predicting `value` for a row.
    fn loss(&self, y: &Target<'_>, row: usize, value: &[f64]) -> f64 {
        match y {
            Target::Class { codes, .. } => {
                let best = (0..value.len()).fold(0, |b, k| if value[k] > value[b] { k } else { b });
                f64::from(u8::from(best != codes[row] as usize))
            }
            Target::Real(y) => self.distance(y[row] - value[0]),
            Target::Reals(y) => {
                value.iter().enumerate().map(|(t, v)| self.distance(y.at(row, t) - v)).sum::<f64>() / value.len() as f64
            }
            Target::None => 0.0,
        }
    }

    fn distance(&self, rest: f64) -> f64 {
        if self.criterion == "absolute_error" { rest.abs() } else { rest * rest }
    }
}
