//! Forests of several settings on the same rows.
//!
//! All of them share the bins of the columns. And a node splits in the same way in all trees that have it, since its random numbers come from its place
//! and not from what was grown before: forests that differ only in when their trees stop have the beginnings of the same trees. So each tree
//! is grown once, as far as one of the forests asks for, and cut back for the others.

use std::sync::Arc;

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, DatasetRef, JointFit, Learner, Result, TakeModel};

use super::super::grow::{GrowOptions, GrownNode};
use super::super::{CountOrFraction, sorted::TreeColumns};
use super::fit::{FinishedTree, ForestJob, named, trees_in_parallel};
use super::split_search::BinSplitLimits;
use super::{ForestModel, RandomForest};

pub(super) const JOINT: JointFit<RandomForest> = JointFit { key, fit };

/// The key of the bins of the columns.
fn key(forest: &RandomForest) -> Option<String> {
    serde_json::to_string(&(&forest.splitter, forest.max_bins, &forest.class_weight)).ok()
}

/// Forests whose trees have their beginnings in common, each with its number.
struct SharedForests<'a> {
    /// Their common growth; none for a forest grown alone.
    growth: Option<RandomForest>,
    jobs: Vec<(usize, ForestJob<'a>)>,
}

fn fit(forests: &[RandomForest], data: &DatasetRef<'_>, cx: &Context<'_>, take: TakeModel<'_, ForestModel>) -> Result<()> {
    forests.iter().try_for_each(Learner::check)?;
    data.check(&RandomForest::SPEC)?;
    let columns = TreeColumns::new(&data.x, data.schema);
    let mut binned = None;
    let mut stands: Vec<SharedForests<'_>> = Vec::new();
    for (k, forest) in forests.iter().enumerate() {
        let mut job = ForestJob::in_memory(forest, data, &columns, cx)?;
        if job.uses_bins() {
            job.binned = Some(match &binned {
                Some(binned) => Arc::clone(binned),
                None => Arc::clone(binned.insert(job.bin(&columns)?)),
            });
        }
        let growth = shared_growth(&job);
        match stands.iter_mut().find(|stand| growth.is_some() && stand.growth == growth) {
            Some(stand) => stand.jobs.push((k, job)),
            None => stands.push(SharedForests { growth, jobs: vec![(k, job)] }),
        }
    }
    stands.iter().try_for_each(|stand| stand.grow(&columns, take))
}

/// The forest without the parameters that only stop trees or prune them afterwards. None where trees are not cut back: with a bound on
/// leaves it depends on all other nodes whether one splits.
fn shared_growth(job: &ForestJob<'_>) -> Option<RandomForest> {
    (job.uses_bins() && job.settings.max_leaves.is_none()).then(|| RandomForest {
        n_estimators: 1,
        max_depth: None,
        min_samples_split: CountOrFraction::Rows(2),
        ccp_alpha: 0.0,
        oob_score: false,
        permutation_importances: false,
        ..job.forest.clone()
    })
}

impl SharedForests<'_> {
    /// Grows the forests, and hands them over.
    fn grow(&self, columns: &TreeColumns<'_>, take: TakeModel<'_, ForestModel>) -> Result<()> {
        if let [(k, job)] = &self.jobs[..] {
            return take(*k, job.run(job.begin(columns), |model| job.out_of_bag(model, columns))?);
        }
        let mut models: Vec<ForestModel> = self.jobs.iter().map(|(_, job)| job.begin(columns)).collect();
        let (settings, wanted) = (self.loosest_limits(), self.jobs.iter().map(|(_, job)| job.trees()).max().unwrap_or(0));
        for first in (0..wanted).step_by(trees_in_parallel()) {
            let next = first..wanted.min(first + trees_in_parallel());
            let grown: Vec<Result<Vec<Option<FinishedTree>>>> =
                next.into_par_iter().with_max_len(1).map(|t| self.trees(t, &settings)).collect();
            for trees in grown {
                for (tree, model) in trees.map_err(named)?.iter().zip(&mut models) {
                    tree.iter().for_each(|tree| tree.append_to(&mut model.trees, &mut model.importance_sums));
                }
            }
        }
        for ((k, job), mut model) in self.jobs.iter().zip(models) {
            job.out_of_bag(&mut model, columns)?;
            model.certificate = job.certificate(&model.trees, false);
            take(*k, model)?;
        }
        Ok(())
    }

    /// Stops that end no tree before one of the forests does.
    fn loosest_limits(&self) -> GrowOptions {
        let mut last = self.jobs[0].1.settings.clone();
        for (_, job) in &self.jobs {
            last.max_depth = last.max_depth.max(job.settings.max_depth);
            last.min_split = last.min_split.min(job.settings.min_split);
        }
        last
    }

    /// Tree number `t` of each forest that has as many.
    fn trees(&self, t: usize, settings: &GrowOptions) -> Result<Vec<Option<FinishedTree>>> {
        let takes = |job: &ForestJob<'_>| t < job.trees();
        let Some((_, first)) = self.jobs.iter().find(|(_, job)| takes(job)) else { return Ok(Vec::new()) };
        let nodes = first.nodes(t, settings)?;
        let of_job = |(_, job): &(usize, ForestJob<'_>)| {
            takes(job).then(|| job.finish(prune_to_limits(&nodes, &job.settings))).transpose()
        };
        self.jobs.iter().map(of_job).collect()
    }
}

/// The tree that stops earlier, out of nodes in preorder.
fn prune_to_limits(nodes: &[GrownNode], settings: &GrowOptions) -> Vec<GrownNode> {
    let limits = BinSplitLimits::new(settings, nodes[0].weight);
    let mut out: Vec<GrownNode> = Vec::new();
    // Nodes with their depth, and for a right child its parent.
    let mut stack = vec![(0, 0, None::<usize>)];
    while let Some((at, depth, parent)) = stack.pop() {
        let here = out.len();
        if let Some(parent) = parent
            && let Some(test) = &mut out[parent].test
        {
            test.right = here;
        }
        let GrownNode { rows, weight, .. } = nodes[at];
        let mut test = nodes[at].test.clone().filter(|_| settings.may_split(depth, rows, weight, limits.min_weight));
        if let Some(test) = &mut test {
            stack.push((test.right, depth + 1, Some(here)));
            stack.push((test.left, depth + 1, None));
            test.left = here + 1;
        }
        out.push(GrownNode { test, value: nodes[at].value.clone(), ..nodes[at] });
    }
    out
}
