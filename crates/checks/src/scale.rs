//! Checks of reproducibility: seeds, threads, blocks, streams.

use ermine_core::{AnyLearner, ChunkedSource, Context, Family, Result};

use crate::compare::{distance, model_arrays, outputs};
use crate::{Verdict, attempt, require, synthetic};

/// Enough rows for several blocks, so that the number of threads could matter.
const ROWS: usize = 20_000;

pub fn same_seed(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 500, 4, 5);
        let fit = || l.fit_any(&data.view(), &Context::seeded(7)).and_then(|m| model_arrays(&*m));
        require!(attempt!(fit(), "fit") == attempt!(fit(), "fit"), "two fits with one seed store different bytes");
    }
    Verdict::Pass
}

pub fn threads(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        // Time is quadratic in the rows where there are kernels or hierarchical clusters, and blocks are of a few
        // hundred rows.
        let kernel = learner.spec().family == Family::Kernel || learner.params().get("kernel").is_some();
        let square = kernel || learner.spec().family == Family::Cluster && !learner.spec().accepts.passes;
        let rows = if square { 3_000 } else { ROWS };
        let data = synthetic::data(learner, task, rows, 3, 6);
        let mut first = None;
        for threads in [1, 2, 7] {
            let pool = attempt!(rayon::ThreadPoolBuilder::new().num_threads(threads).build(), "thread pool");
            let run = || -> Result<_> {
                let model = l.fit_any(&data.view(), &Context::seeded(7))?;
                Ok((model_arrays(&*model)?, outputs(&*model, &data.view().x)?))
            };
            let here = attempt!(pool.install(run), "fit");
            match &first {
                None => first = Some(here),
                Some((bytes, said)) => {
                    require!(*bytes == here.0, "{threads} threads store other bytes than 1");
                    require!(*said == here.1, "{threads} threads predict other bits than 1");
                }
            }
        }
    }
    Verdict::Pass
}

pub fn blocks(learner: &dyn AnyLearner) -> Verdict {
    if !learner.spec().accepts.passes {
        return Verdict::Skip("it does not train in passes");
    }
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 700, 3, 8);
        let x = data.view().x;
        let whole = attempt!(l.fit_any(&data.view(), &Context::default()), "fit");
        let whole = attempt!(outputs(&*whole, &x), "predict");
        for block_rows in [1, 7, 64, 333] {
            let model = attempt!(l.fit_any(&data.view(), &Context { block_rows: Some(block_rows), ..Context::default() }), "fit");
            let d = distance(&whole, &attempt!(outputs(&*model, &x), "predict"));
            require!(d < 1e-7, "blocks of {block_rows} rows change predictions by {d:e}");
        }
    }
    Verdict::Pass
}

pub fn stream(learner: &dyn AnyLearner) -> Verdict {
    if !learner.spec().accepts.passes {
        return Verdict::Skip("it does not train in passes");
    }
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, ROWS, 3, 9);
        let memory = attempt!(l.fit_any(&data.view(), &Context::seeded(3)), "fit in memory");
        let memory = attempt!(model_arrays(&*memory), "save");
        for runs in [&[1000, 1, 4097, 13][..], &[100_000]] {
            let model = attempt!(l.fit_source(&ChunkedSource::new(data.view(), runs), &Context::seeded(3)), "fit on a stream");
            require!(
                attempt!(model_arrays(&*model), "save") == memory,
                "a stream in runs of {runs:?} stores other bytes than memory"
            );
        }
    }
    Verdict::Pass
}
