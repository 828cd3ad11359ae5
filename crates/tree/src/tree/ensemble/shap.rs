//! Shapley values of the columns (path-dependent TreeSHAP).
//!
//! Let v(S) be the expected output of a tree when only the columns S of a row are known: at a test of an unknown column the
//! row goes both ways, in proportion to the cover. The Shapley value of column i is its average contribution
//! v(S + i) - v(S) over all orders in which the columns may become known; these values and v of nothing sum to the prediction.
//!
//! On the path to a leaf with value c, let each of its D different columns j have the share z of the cover that its tests
//! let through, and o = 1 if the row itself passes them all, else 0. The leaf adds to v(S) the product of o over the
//! columns in S and of z over the others, so it gives column i
//!
//! ```text
//! c (oᵢ - zᵢ) Σ_S |S|! (D - |S| - 1)! / D!  Π_{j in S} oⱼ Π_{j not in S} zⱼ
//!   = c (oᵢ - zᵢ) ∫₀¹ Π_{j ≠ i} (t oⱼ + (1 - t) zⱼ) dt
//! ```
//!
//! since the weights are Beta integrals. The integrand is a polynomial of degree D - 1 without negative terms: the rule of
//! Gauss with D / 2 points has its integral exactly, and nothing cancels.
//!
//! Reference: Lundberg, Erion, Lee: Consistent individualized feature attribution for tree ensembles, 2018.

use std::f64::consts::PI;
use std::ops::Range;

use ermine_core::{Features, Mat, Result};

use super::Trees;
use super::cells::FeatureAccess;
use super::walk::BlockVisitor;

/// Rows that one thread explains at a time.
const BLOCK: usize = 32;
/// Ways that are written out at a time: those of a forest of deep trees would fill the memory.
const PATHS_PER_BATCH: usize = 1 << 14;

/// A column on the path to a leaf.
#[derive(Debug, Clone)]
struct PathTest {
    feature: usize,
    /// The share of the cover that the tests of the column let through.
    share: f64,
    /// Its tests, as a node counted over all trees and whether the path goes left.
    tests: Vec<(u32, bool)>,
}

/// The way to a leaf that is not the root.
#[derive(Debug, Clone)]
struct LeafPath {
    leaf: usize,
    stops: Vec<PathTest>,
}

/// The expected output of a tree without any column, and its paths.
#[derive(Debug, Clone)]
struct TreePaths {
    tree: usize,
    base: Vec<f64>,
    ways: Vec<LeafPath>,
}

impl Trees {
    /// How much each column adds to the sum of `trees`: a row for each row of `x`; for each output the Shapley value of each
    /// column, then the expected value, so (columns + 1) times `outputs` numbers. Those of an output sum to what
    /// [`Trees::add_to`] adds to it. Outputs are those of [`Trees::add_to`].
    ///
    /// Takes time proportional to leaves times the square of the depth, for each row and tree.
    pub fn shap(&self, x: &Features<'_>, trees: Range<usize>, outputs: usize) -> Result<Mat<f64>> {
        assert!(trees.end <= self.n_trees(), "trees {trees:?} of {}", self.n_trees());
        assert!(outputs > 0 && (self.width() == 1 || outputs == self.width()), "{outputs} outputs of width {}", self.width());
        let width = (self.n_features() + 1) * outputs;
        let mut out = Mat::zeros(x.rows(), width);
        let mut next = trees.start;
        while next < trees.end {
            let (mut explained, mut ways) = (Vec::new(), 0);
            while next < trees.end && (explained.is_empty() || ways + self.n_leaves(next) <= PATHS_PER_BATCH) {
                ways += self.n_leaves(next);
                explained.push(self.tree_paths(next));
                next += 1;
            }
            let most = explained.iter().flat_map(|e: &TreePaths| &e.ways).map(|w| w.stops.len()).max().unwrap_or(0);
            let rules = (0..=most).map(|stops| gauss(stops.div_ceil(2).max(1))).collect();
            let shap = ShapEngine { trees: self, explained, rules, outputs };
            self.visit_blocks(x, out.as_mut_slice(), width, BLOCK, &shap)?;
        }
        Ok(out)
    }

    /// [`Trees::shap`] of `start` and the sum of all trees, one number of `start` an output.
    pub(crate) fn shap_from(&self, x: &Features<'_>, start: &[f64]) -> Result<Mat<f64>> {
        let mut out = self.shap(x, 0..self.n_trees(), start.len())?;
        let columns = self.n_features() + 1;
        for row in out.as_mut_slice().chunks_exact_mut(columns * start.len()) {
            row.chunks_exact_mut(columns).zip(start).for_each(|(part, s)| part[columns - 1] += s);
        }
        Ok(out)
    }

    /// [`Trees::expected`] of `start` and the sum of all trees.
    pub(crate) fn expected_from(&self, start: &[f64]) -> Vec<f64> {
        self.expected(0..self.n_trees(), start.len()).iter().zip(start).map(|(e, s)| e + s).collect()
    }

    /// About how many operations the values of a row take: leaves times the square of their depth.
    pub(crate) fn shap_work(&self) -> f64 {
        let of_tree = |tree: usize| {
            let first = self.start[tree];
            let mut depth = vec![0u32; self.start[tree + 1] - first];
            let mut work = 0.0;
            for at in 0..depth.len() {
                let right = self.steps[first + at].right as usize;
                if right == at {
                    work += f64::from(depth[at] + 1).powi(2);
                } else {
                    depth[at + 1] = depth[at] + 1;
                    depth[right] = depth[at] + 1;
                }
            }
            work
        };
        (0..self.n_trees()).map(of_tree).sum()
    }

    /// The expected sum of `trees` without any features, for each output: the mean of the leaves by cover.
    pub fn expected(&self, trees: Range<usize>, outputs: usize) -> Vec<f64> {
        let mut out = vec![0.0; outputs];
        for tree in trees {
            for (k, v) in self.tree_paths(tree).base.into_iter().enumerate() {
                out[if self.width() == 1 { tree % outputs } else { k }] += v;
            }
        }
        out
    }

    fn tree_paths(&self, tree: usize) -> TreePaths {
        let first = self.start[tree];
        let steps = &self.steps[first..self.start[tree + 1]];
        let mut out = TreePaths { tree, base: vec![0.0; self.width()], ways: Vec::new() };
        let mut stack: Vec<(usize, f64, Vec<PathTest>)> = vec![(0, 1.0, Vec::new())];
        while let Some((at, share, stops)) = stack.pop() {
            let step = steps[at];
            if step.right as usize == at {
                out.base.iter_mut().zip(self.value(first + at)).for_each(|(b, v)| *b += share * v);
                if !stops.is_empty() {
                    out.ways.push(LeafPath { leaf: first + at, stops });
                }
                continue;
            }
            let children = [at + 1, step.right as usize];
            let cover = children.map(|c| self.cover[first + c]);
            for (side, child) in children.into_iter().enumerate().rev() {
                // Where no training row has come, no side is more likely.
                let part = if cover[0] + cover[1] > 0.0 { cover[side] / (cover[0] + cover[1]) } else { 0.5 };
                let mut stops = stops.clone();
                let test = ((first + at) as u32, side == 0);
                match stops.iter_mut().find(|s| s.feature == step.column()) {
                    Some(stop) => {
                        stop.share *= part;
                        stop.tests.push(test);
                    }
                    None => stops.push(PathTest { feature: step.column(), share: part, tests: vec![test] }),
                }
                stack.push((child, share * part, stops));
            }
        }
        out
    }
}

struct ShapEngine<'a> {
    trees: &'a Trees,
    explained: Vec<TreePaths>,
    /// Points and weights for each number of stops.
    rules: Vec<Vec<(f64, f64)>>,
    outputs: usize,
}

impl BlockVisitor<f64> for ShapEngine<'_> {
    fn read<C: FeatureAccess>(&self, cells: &C, out: &mut [f64]) {
        let (columns, outputs) = (self.trees.n_features() + 1, self.outputs);
        let mut left = vec![false; self.trees.steps.len()];
        let (mut passes, mut products) = (Vec::new(), Vec::new());
        for (row, out) in out.chunks_exact_mut(columns * outputs).enumerate() {
            for e in &self.explained {
                let range = self.trees.start[e.tree]..self.trees.start[e.tree + 1];
                for (at, i) in range.enumerate() {
                    let step = self.trees.steps[i];
                    left[i] = self.trees.child_of::<C>(at as u32, step, cells.get(row, step.column())) == at as u32 + 1;
                }
                // Which output a value of a leaf belongs to.
                let output = |k: usize| if e.base.len() == 1 { e.tree % outputs } else { k };
                e.base.iter().enumerate().for_each(|(k, b)| out[output(k) * columns + columns - 1] += b);
                for way in &e.ways {
                    let passed = |s: &PathTest| s.tests.iter().all(|&(node, goes)| left[node as usize] == goes);
                    passes.clear();
                    passes.extend(way.stops.iter().map(|s| f64::from(u8::from(passed(s)))));
                    // Nobody comes here: what no cover reaches and the row does not, adds nothing.
                    if way.stops.iter().zip(&passes).any(|(s, &o)| s.share + o == 0.0) {
                        continue;
                    }
                    let rule = &self.rules[way.stops.len()];
                    products.clear();
                    products.extend(rule.iter().map(|&(t, weight)| {
                        let factor = |(s, o): (&PathTest, &f64)| t * o + (1.0 - t) * s.share;
                        weight * way.stops.iter().zip(&passes).map(factor).product::<f64>()
                    }));
                    for (stop, &o) in way.stops.iter().zip(&passes) {
                        let without = |(&(t, _), p): (&(f64, f64), &f64)| p / (t * o + (1.0 - t) * stop.share);
                        let integral: f64 = rule.iter().zip(&products).map(without).sum();
                        let change = (o - stop.share) * integral;
                        for (k, value) in self.trees.value(way.leaf).iter().enumerate() {
                            out[output(k) * columns + stop.feature] += change * value;
                        }
                    }
                }
            }
        }
    }
}

/// Points and weights on [0, 1] that integrate polynomials of degree 2n - 1 exactly (Gauss and Legendre).
fn gauss(n: usize) -> Vec<(f64, f64)> {
    let point = |k: usize| {
        let mut x = (PI * (k as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        // Newton's steps from here are at most a few; the last has no effect.
        for _ in 0..16 {
            let (mut before, mut p) = (1.0, x);
            for j in 2..=n {
                (before, p) = (p, ((2 * j - 1) as f64 * x * p - (j - 1) as f64 * before) / j as f64);
            }
            slope = n as f64 * (x * p - before) / (x * x - 1.0);
            let next = x - p / slope;
            if next == x {
                break;
            }
            x = next;
        }
        (0.5 - 0.5 * x, 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::gauss;

    #[test]
    fn the_rule_of_gauss_integrates_polynomials_exactly() {
        for n in [1, 2, 3, 5, 8, 20, 60] {
            let rule = gauss(n);
            for degree in 0..2 * n {
                let sum: f64 = rule.iter().map(|(t, w)| w * t.powi(degree as i32)).sum();
                let truth = 1.0 / (degree + 1) as f64;
                assert!((sum - truth).abs() <= 1e-14 * (1.0 + truth), "{n} points, degree {degree}: {sum} for {truth}");
            }
        }
    }
}
