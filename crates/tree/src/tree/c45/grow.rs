//! Growing the tree, and pruning each branch as soon as it is grown.

use ermine_core::{Context, Progress, Result};

use super::super::criterion::QuantizedWeights;
use super::columns::{MISSING, RankedColumn};
use super::prune::expected_errors;
use super::split::{C45Criterion, C45Test, ScoredTest, WHOLE, candidates, choose};

/// Branches are raised in nodes up to this depth: the rows of all nodes on the path are kept in memory for it.
const MAX_RAISE_DEPTH: usize = 64;

/// A row of a node, or the share of it that has come there.
#[derive(Debug, Clone, Copy)]
pub(super) struct FractionalRow {
    pub row: u32,
    /// The share, in steps of 2^-30.
    pub share: u32,
}

/// The rows that a tree grows on. Weights are whole numbers of steps and shares too, so that every sum is exact, and neither
/// the order of the rows nor the number of threads matters.
pub(super) struct C45Data<'a> {
    pub columns: &'a [RankedColumn],
    pub codes: &'a [u32],
    pub weights: &'a QuantizedWeights,
    pub classes: usize,
}

impl C45Data<'_> {
    #[inline]
    pub fn weight(&self, e: &FractionalRow) -> i128 {
        i128::from(self.weights.get(e.row as usize)) * i128::from(e.share)
    }

    #[inline]
    pub fn add(&self, e: &FractionalRow, to: &mut [i128]) {
        to[self.codes[e.row as usize] as usize] += self.weight(e);
    }

    /// Weight of so many steps.
    pub fn in_rows(&self, steps: i128) -> f64 {
        steps as f64 * (self.weights.unit / f64::from(WHOLE))
    }
}

pub(super) struct C45Options {
    pub criterion: C45Criterion,
    pub max_depth: usize,
    pub min_leaf: f64,
    /// The confidence of pessimistic pruning, or no pruning.
    pub confidence: Option<f64>,
    pub raise: bool,
}

/// A node of the growing tree.
#[derive(Debug, Clone)]
pub(super) struct C45Node {
    /// Weight of each class, in steps.
    pub weights: Vec<i128>,
    pub total: i128,
    pub split: Option<C45Split>,
    /// Errors to expect of the branch.
    errors: f64,
    /// The class shares of a node that no row is left in after its branch was raised.
    pub fallback: Option<Vec<f64>>,
}

#[derive(Debug, Clone)]
pub(super) struct C45Split {
    pub test: C45Test,
    /// The gain of the test, per row.
    pub gain: f64,
    /// The branches.
    pub children: Vec<u32>,
    /// The share of the rows of known value in each branch.
    pub shares: Vec<f64>,
}

impl C45Node {
    fn new(rows: &C45Data<'_>, entries: &[FractionalRow]) -> Self {
        let mut weights = vec![0; rows.classes];
        entries.iter().for_each(|e| rows.add(e, &mut weights));
        let total = weights.iter().sum();
        Self { weights, total, split: None, errors: 0.0, fallback: None }
    }

    /// The share of each class.
    pub fn value(&self) -> Vec<f64> {
        match &self.fallback {
            Some(value) => value.clone(),
            None => self.weights.iter().map(|&w| w as f64 / self.total as f64).collect(),
        }
    }

    fn errors_as_leaf(&self, rows: &C45Data<'_>, confidence: f64) -> f64 {
        let most = self.weights.iter().copied().max().unwrap_or(0);
        expected_errors(rows.in_rows(self.total), rows.in_rows(self.total - most), confidence)
    }
}

/// A node whose branches are being grown.
struct PendingNode {
    node: usize,
    depth: usize,
    best: ScoredTest,
    shares: Vec<f64>,
    /// Rows of the branches still to grow, the first one last.
    waiting: Vec<Vec<FractionalRow>>,
    children: Vec<u32>,
    /// The rows of the node, for raising a branch.
    entries: Option<Vec<FractionalRow>>,
}

pub(super) struct C45Grower<'a> {
    pub rows: C45Data<'a>,
    pub settings: C45Options,
    pub cx: &'a Context<'a>,
    pub nodes: Vec<C45Node>,
    pub late: bool,
}

impl C45Grower<'_> {
    /// Grows the whole tree; the root is node 0, and unreachable nodes are left over from pruning.
    pub fn grow(&mut self, rows: usize) -> Result<()> {
        let all = (0..rows as u32).map(|row| FractionalRow { row, share: WHOLE }).collect();
        let mut stack: Vec<PendingNode> = self.start_node(all, 0)?.into_iter().collect();
        while let Some(frame) = stack.last_mut() {
            match frame.waiting.pop() {
                Some(entries) => {
                    let depth = frame.depth + 1;
                    frame.children.push(self.nodes.len() as u32);
                    stack.extend(self.start_node(entries, depth)?);
                }
                None => {
                    if let Some(frame) = stack.pop() {
                        self.finish_node(frame);
                    }
                }
            }
        }
        Ok(())
    }

    /// A new node, with its branches if it is to be split.
    fn start_node(&mut self, entries: Vec<FractionalRow>, depth: usize) -> Result<Option<PendingNode>> {
        self.cx.report(Progress { stage: "growing", done: self.nodes.len() as u64, total: None, objective: None })?;
        self.late |= self.cx.deadline_passed();
        let (rows, settings) = (&self.rows, &self.settings);
        let mut node = C45Node::new(rows, &entries);
        let id = self.nodes.len();
        if let Some(confidence) = settings.confidence {
            node.errors = node.errors_as_leaf(rows, confidence);
        }
        let pure = node.weights.iter().filter(|&&w| w > 0).count() < 2;
        let step = self.rows.weights.unit / f64::from(WHOLE);
        let least = (settings.min_leaf / step).ceil().max(1.0) as i128;
        let best = if pure || depth >= settings.max_depth || self.late || node.total < least.saturating_mul(2) {
            None
        } else {
            choose(candidates(rows, &entries, settings.criterion, least), settings.criterion)
        };
        self.nodes.push(node);
        let Some(best) = best else { return Ok(None) };
        let (mut waiting, shares) = fractional_rows(&self.rows, &best.test, &entries, None);
        waiting.reverse();
        let keep = settings.raise && settings.confidence.is_some() && depth < MAX_RAISE_DEPTH;
        let entries = keep.then_some(entries);
        Ok(Some(PendingNode { node: id, depth, best, shares, waiting, children: Vec::new(), entries }))
    }

    /// Joins the grown branches, and prunes: the node becomes a leaf, or its largest branch takes its place, when no more
    /// errors are to be expected then.
    fn finish_node(&mut self, frame: PendingNode) {
        let PendingNode { node, best, shares, children, entries, .. } = frame;
        let below: f64 = children.iter().map(|&c| self.nodes[c as usize].errors).sum();
        if let Some(confidence) = self.settings.confidence {
            if self.nodes[node].errors <= below * (1.0 + 1e-12) {
                return;
            }
            let first_largest = |best: u32, c: u32| {
                if self.nodes[c as usize].total > self.nodes[best as usize].total { c } else { best }
            };
            if let (Some(entries), Some(largest)) = (entries, children.iter().copied().reduce(first_largest))
                && self.nodes[largest as usize].split.is_some()
                && let Some(branch) = self.subtree_raising(largest, entries, confidence, below)
            {
                // The branch follows the nodes there are, its root in the place of the node.
                let shift = self.nodes.len() as u32;
                for (k, mut new) in branch.into_iter().enumerate() {
                    if let Some(split) = &mut new.split {
                        split.children.iter_mut().for_each(|c| *c += shift - 1);
                    }
                    if k == 0 {
                        self.nodes[node] = new;
                    } else {
                        self.nodes.push(new);
                    }
                }
                return;
            }
        }
        self.nodes[node].errors = below;
        self.nodes[node].split = Some(C45Split { test: best.test, gain: best.gain, children, shares });
    }

    /// The branch `top` as it would be with all of `entries`, pruned again, if it then makes no more errors than `limit`.
    /// Its nodes are numbered from 0.
    fn subtree_raising(&self, top: u32, entries: Vec<FractionalRow>, confidence: f64, limit: f64) -> Option<Vec<C45Node>> {
        let mut out: Vec<C45Node> = Vec::new();
        // An old node, its new parent with the place among its children, and the rows that reach it.
        let mut stack = vec![(top, None::<(usize, usize)>, entries)];
        while let Some((old, parent, entries)) = stack.pop() {
            let before = &self.nodes[old as usize];
            let mut node = C45Node::new(&self.rows, &entries);
            if node.total == 0 {
                node.fallback = Some(before.value());
            }
            node.errors = node.errors_as_leaf(&self.rows, confidence);
            let id = out.len();
            if let Some((p, place)) = parent
                && let Some(split) = &mut out[p].split
            {
                split.children[place] = id as u32;
            }
            if let Some(split) = &before.split {
                let (parts, shares) = fractional_rows(&self.rows, &split.test, &entries, Some(&split.shares));
                stack.extend(split.children.iter().zip(parts).enumerate().rev().map(|(k, (&c, part))| (c, Some((id, k)), part)));
                node.split = Some(C45Split { shares, ..split.clone() });
            }
            out.push(node);
        }
        for id in (0..out.len()).rev() {
            let below = out[id].split.as_ref().map(|s| s.children.iter().map(|&c| out[c as usize].errors).sum::<f64>());
            match below {
                Some(below) if out[id].errors <= below * (1.0 + 1e-12) => out[id].split = None,
                Some(below) => out[id].errors = below,
                None => {}
            }
        }
        (out[0].errors <= limit * (1.0 + 1e-12)).then_some(out)
    }
}

/// The rows of each branch of a test, and the share of the rows of known value in each. A row of unknown value, or of a
/// category without a branch, goes to every branch with that share of its weight; when no value is known, with `shares`.
fn fractional_rows(
    rows: &C45Data<'_>,
    test: &C45Test,
    entries: &[FractionalRow],
    shares: Option<&[f64]>,
) -> (Vec<Vec<FractionalRow>>, Vec<f64>) {
    let column = &rows.columns[test.column()];
    let limit = match test {
        C45Test::Number { threshold, .. } => column.ranks_below(*threshold),
        C45Test::Categories { .. } => 0,
    };
    let branch = |e: &FractionalRow| match (test, column.rank[e.row as usize]) {
        (_, MISSING) => None,
        (C45Test::Number { .. }, rank) => Some(usize::from(rank >= limit)),
        (C45Test::Categories { codes, .. }, code) => codes.binary_search(&code).ok(),
    };
    let count = match test {
        C45Test::Number { .. } => 2,
        C45Test::Categories { codes, .. } => codes.len(),
    };
    let mut known = vec![0i128; count];
    entries.iter().for_each(|e| {
        if let Some(b) = branch(e) {
            known[b] += rows.weight(e);
        }
    });
    let total: i128 = known.iter().sum();
    let new: Vec<f64> = match shares {
        Some(old) if total == 0 => old.to_vec(),
        _ => known.iter().map(|&k| k as f64 / total as f64).collect(),
    };
    let mut parts: Vec<Vec<FractionalRow>> = vec![Vec::new(); count];
    for e in entries {
        match branch(e) {
            Some(b) => parts[b].push(*e),
            None => {
                for (b, part) in parts.iter_mut().enumerate() {
                    let share = match total {
                        0 => (f64::from(e.share) * new[b]).round() as u32,
                        _ => ((i128::from(e.share) * known[b] + total / 2) / total) as u32,
                    };
                    if share > 0 {
                        part.push(FractionalRow { share, ..*e });
                    }
                }
            }
        }
    }
    (parts, new)
}
