//! Out-of-bag predictions: of each row by the trees that have not seen it.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, DatasetRef, Flow, Mat, Partial, Progress, Result, RngStream, RowSource, Target, Task};
use serde::{Deserialize, Serialize};

use super::super::ensemble::{TreeNode, Trees};
use super::super::sorted::{RowSubset, TreeColumns};
use super::bootstrap::Bootstrap;
use super::model::OutOfBag;

/// The rows of a fit and the bags of its trees.
pub(super) struct OobInput<'a> {
    pub data: &'a DatasetRef<'a>,
    pub rows: &'a RowSubset,
    pub seed: u64,
    pub bootstrap: &'a Bootstrap,
}

impl OobInput<'_> {
    /// Whether each row of the data is outside the bag of a tree. Rows without weight are outside all bags.
    fn is_out_of_bag(&self, tree: usize) -> Vec<bool> {
        let counts = self.bootstrap.counts(tree as u64);
        let mut out = vec![true; self.data.rows()];
        for (id, &count) in counts.iter().enumerate() {
            out[self.rows.row(id)] = count == 0;
        }
        out
    }

    /// For each row the mean over the trees that have not seen it, and the score of these means.
    pub fn estimate(&self, trees: &Trees, cx: &Context<'_>) -> Result<OutOfBag> {
        let (n, width) = (self.data.rows(), trees.width());
        let mut predictions = Mat::zeros(n, width);
        let mut seen_by = vec![0u32; n];
        for t in 0..trees.n_trees() {
            let (done, total) = (t as u64, Some(trees.n_trees() as u64));
            cx.report(Progress { stage: "out of bag", done, total, objective: None })?;
            let outside = self.is_out_of_bag(t);
            let leaves = trees.leaves(&self.data.x, t..t + 1)?;
            let nodes = trees.nodes(t);
            for i in (0..n).filter(|&i| outside[i]) {
                seen_by[i] += 1;
                let values = &nodes[leaves[(i, 0)] as usize].values;
                predictions.row_mut(i).iter_mut().zip(values).for_each(|(p, v)| *p += v);
            }
        }
        for (i, &count) in seen_by.iter().enumerate() {
            let divide = |p: &mut f64| *p = if count > 0 { *p / f64::from(count) } else { f64::NAN };
            predictions.row_mut(i).iter_mut().for_each(divide);
        }
        let counted: Vec<usize> = (0..self.rows.len()).map(|id| self.rows.row(id)).filter(|&i| seen_by[i] > 0).collect();
        let score = score(&predictions, &counted, &self.data.y, &|i| self.data.weight_of(i))?;
        Ok(OutOfBag { score, predictions })
    }

    /// Breiman's importances: for each tree, how much the loss on the rows outside its bag grows when a column is shuffled
    /// among them; averaged over trees.
    pub fn permutation_importances(&self, trees: &Trees, columns: &TreeColumns<'_>, cx: &Context<'_>) -> Result<Vec<f64>> {
        let of_tree = |t: usize| -> Result<Vec<f64>> {
            let (done, total) = (t as u64, Some(trees.n_trees() as u64));
            cx.report(Progress { stage: "permuting", done, total, objective: None })?;
            let outside = self.is_out_of_bag(t);
            let rows: Vec<usize> = (0..self.rows.len()).map(|id| self.rows.row(id)).filter(|&i| outside[i]).collect();
            let nodes = trees.nodes(t);
            let mut out = vec![0.0; columns.len()];
            let total: f64 = rows.iter().map(|&i| self.data.weight_of(i)).sum();
            if rows.is_empty() {
                return Ok(out);
            }
            let mut used = vec![false; columns.len()];
            nodes.iter().filter(|n| n.right != 0).for_each(|n| used[n.feature as usize] = true);
            let before: Vec<f64> = rows.iter().map(|&i| self.loss(i, leaf(&nodes, columns, i, None))).collect::<Result<_>>()?;
            for j in (0..columns.len()).filter(|&j| used[j]) {
                let index = t as u64 * columns.len() as u64 + j as u64;
                let order = RngStream::new(self.seed, "forest permutation", index).permutation(rows.len());
                for (k, &i) in rows.iter().enumerate() {
                    let permuted = Some((j, rows[order[k]]));
                    out[j] += self.data.weight_of(i) * (self.loss(i, leaf(&nodes, columns, i, permuted))? - before[k]);
                }
                out[j] /= total;
            }
            Ok(out)
        };
        let all = (0..trees.n_trees()).into_par_iter().map(of_tree).collect::<Result<Vec<_>>>()?;
        let mut sums = vec![0.0; columns.len()];
        for tree in &all {
            sums.iter_mut().zip(tree).for_each(|(s, v)| *s += v);
        }
        sums.iter_mut().for_each(|s| *s /= all.len() as f64);
        Ok(sums)
    }

    /// 1 for a wrong class, or the squared error, of a row in a leaf.
    fn loss(&self, row: usize, leaf: &TreeNode) -> Result<f64> {
        if let Target::Class { codes, .. } = self.data.y {
            return Ok(f64::from(u8::from(best(&leaf.values) != codes[row] as usize)));
        }
        let y = self.data.y.reals()?;
        Ok((0..y.cols()).map(|t| (y.at(row, t) - leaf.values[t]).powi(2)).sum())
    }
}

/// Accuracy, or R^2 averaged over targets, of some rows; NaN without rows.
fn score(predictions: &Mat<f64>, rows: &[usize], y: &Target<'_>, weight: &dyn Fn(usize) -> f64) -> Result<f64> {
    let total: f64 = rows.iter().map(|&i| weight(i)).sum();
    if let Target::Class { codes, .. } = y {
        let right = |i: usize| best(predictions.row(i)) == codes[i] as usize;
        return Ok(rows.iter().filter(|&&i| right(i)).map(|&i| weight(i)).sum::<f64>() / total);
    }
    let y = y.reals()?;
    let of_target = |t: usize| {
        let mean = rows.iter().map(|&i| weight(i) * y.at(i, t)).sum::<f64>() / total;
        let about = |p: &dyn Fn(usize) -> f64| rows.iter().map(|&i| weight(i) * (y.at(i, t) - p(i)).powi(2)).sum::<f64>();
        let (missed, spread) = (about(&|i| predictions[(i, t)]), about(&|_| mean));
        match (missed == 0.0, spread == 0.0) {
            (true, _) => 1.0,
            (false, true) => 0.0,
            _ => 1.0 - missed / spread,
        }
    };
    let score = (0..y.cols()).map(of_target).sum::<f64>() / y.cols() as f64;
    Ok(if rows.is_empty() { f64::NAN } else { score })
}

/// The estimate of rows that come block by block; the predictions are part of the model, so they stay in memory.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct OobSums {
    /// Sums over trees, row after row, and how many trees there were.
    predictions: Vec<f64>,
    seen_by: Vec<u32>,
    /// Whether rows take part, and their weights.
    kept: Vec<bool>,
    weight: Vec<f64>,
    codes: Vec<u32>,
    y: Vec<f64>,
}

#[cfg(feature = "fit")]
impl Partial for OobSums {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.predictions.extend(other.predictions);
        self.seen_by.extend(other.seen_by);
        self.kept.extend(other.kept);
        self.weight.extend(other.weight);
        self.codes.extend(other.codes);
        self.y.extend(other.y);
        Ok(())
    }
}

impl OobSums {
    /// Of a block of rows, of which those in the places `kept` take part and have numbers from `first` on.
    pub fn of(
        rows: &DatasetRef<'_>,
        trees: &Trees,
        (bootstrap, strata): (&Bootstrap, &[Vec<u32>]),
        kept: &[usize],
        first: usize,
    ) -> Result<Self> {
        let (n, width) = (rows.rows(), trees.width());
        let mut out = Self { seen_by: vec![0; n], kept: vec![false; n], ..Self::default() };
        kept.iter().for_each(|&i| out.kept[i] = true);
        out.weight = (0..n).map(|i| rows.weight_of(i)).collect();
        match rows.y {
            Target::Class { codes, .. } => out.codes = codes.to_vec(),
            _ => {
                let y = rows.y.reals()?;
                out.y = (0..n).map(|i| *y.at(i, 0)).collect();
            }
        }
        let mut sums: Mat<f64> = Mat::zeros(n, width);
        for (t, strata) in strata.iter().enumerate() {
            let counts = bootstrap.stratum_counts(t as u64, strata, first..first + kept.len());
            let mut outside = vec![true; n];
            kept.iter().zip(counts).for_each(|(&i, count)| outside[i] = count == 0);
            let mut values = Mat::zeros(n, width);
            trees.add_to(&rows.x, t..t + 1, width, &mut values)?;
            for i in (0..n).filter(|&i| outside[i]) {
                out.seen_by[i] += 1;
                sums.row_mut(i).iter_mut().zip(values.row(i)).for_each(|(s, v)| *s += v);
            }
        }
        out.predictions = sums.as_slice().to_vec();
        Ok(out)
    }

    /// Of all rows of a source, read once more; `own` is the weight of a row in the fit.
    pub fn of_source(
        source: &dyn RowSource,
        trees: &Trees,
        bootstrap: &Bootstrap,
        own: &dyn Fn(&DatasetRef<'_>, usize) -> f64,
    ) -> Result<Self> {
        let strata: Vec<Vec<u32>> = (0..trees.n_trees()).map(|t| bootstrap.stratum_draws(t as u64)).collect();
        let mut first = 0;
        let mut out = Self::default();
        source.scan(&mut |run| {
            let kept: Vec<usize> = (0..run.rows()).filter(|&i| own(run, i) > 0.0).collect();
            out.merge(Self::of(run, trees, (bootstrap, &strata), &kept, first)?)?;
            first += kept.len();
            Ok(Flow::Continue)
        })?;
        Ok(out)
    }

    /// The means, and their score.
    pub fn finish(self, task: Task, width: usize) -> Result<OutOfBag> {
        let n = self.seen_by.len();
        let mut predictions = Mat::from_vec(n, width, self.predictions);
        for (i, &count) in self.seen_by.iter().enumerate() {
            let divide = |p: &mut f64| *p = if count > 0 { *p / f64::from(count) } else { f64::NAN };
            predictions.row_mut(i).iter_mut().for_each(divide);
        }
        let counted: Vec<usize> = (0..n).filter(|&i| self.kept[i] && self.seen_by[i] > 0).collect();
        let y = match task {
            Task::Classification => Target::Class { codes: &self.codes, names: &[] },
            _ => Target::Real(&self.y),
        };
        let score = score(&predictions, &counted, &y, &|i| self.weight[i])?;
        Ok(OutOfBag { score, predictions })
    }
}

/// The first of the largest.
fn best(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |b, k| if values[k] > values[b] { k } else { b })
}

/// The leaf of a row of the training data, one of whose cells may be taken from another row.
fn leaf<'n>(nodes: &'n [TreeNode], columns: &TreeColumns<'_>, row: usize, swapped: Option<(usize, usize)>) -> &'n TreeNode {
    let mut at = 0;
    loop {
        let node = &nodes[at];
        if node.right == 0 {
            return node;
        }
        let feature = node.feature as usize;
        let row = swapped.filter(|s| s.0 == feature).map_or(row, |s| s.1);
        let left = match &node.categories {
            Some(set) => match columns.code(row, feature) {
                ermine_core::MISSING_CODE => node.missing_left,
                code => set.binary_search(&code).is_ok(),
            },
            None => match columns.value(row, feature) {
                v if v.is_nan() => node.missing_left,
                v => v <= node.threshold,
            },
        };
        at = if left { at + 1 } else { node.right as usize };
    }
}
