//! Trees from passes are those of a fit in memory, whatever the passes are.

use std::sync::Mutex;

use ermine_core::{Context, DatasetRef, Features, Learner, Mat, PassLearner, PassStep, RngStream, Target, run_passes};
use serde_json::{Value, json};

use super::super::tests::{bytes, classes, coarse, forest, normal, numbers, with_missing};
use super::super::{ForestModel, RandomForest};
use super::{ForestPartial, ForestPartialKind, ForestPhase};
use crate::test_rows::classes_by_level;
use ermine_fixtures::ChunkedSource;

fn with_memory(memory: u64) -> Context<'static> {
    Context { memory: Some(memory), ..Context::seeded(5) }
}

/// Fits in passes; rows come in runs.
fn in_passes(forest: &RandomForest, data: &DatasetRef<'_>, run: usize, memory: u64) -> ForestModel {
    let notes = Mutex::new(Vec::new());
    let tell = |words: String| notes.lock().unwrap().push(words);
    let cx = Context { remarks: Some(&tell), ..with_memory(memory) };
    let model = (RandomForest::STREAM.unwrap())(forest, &ChunkedSource::new(*data, &[run]), &cx).unwrap();
    assert!(notes.lock().unwrap().iter().any(|w| w.contains("in passes over the rows")), "{notes:?}");
    model
}

fn agrees(forest: &RandomForest, data: &DatasetRef<'_>, run: usize, memory: u64, what: &str) {
    let in_memory = bytes(&forest.fit_with(data, &Context::seeded(5)).unwrap());
    assert!(bytes(&in_passes(forest, data, run, memory)) == in_memory, "{what}: {memory} bytes, runs of {run}");
}

/// Parameters that change how trees are grown.
const WAYS: &str = r#"[
    {"max_features": null, "bootstrap": false},
    {"oob_score": true},
    {"max_depth": 3, "criterion": "entropy"},
    {"thresholds": "random", "max_bins": 31},
    {"max_leaf_nodes": 17, "oob_score": true},
    {"max_leaf_nodes": 9, "bootstrap": false, "thresholds": "random"},
    {"min_samples_leaf": 0.01, "max_samples": 0.3},
    {"min_weight_fraction_leaf": 0.02, "min_impurity_decrease": 0.001},
    {"ccp_alpha": 0.002, "max_features": 1}
]"#;

fn ways() -> Vec<Value> {
    serde_json::from_str(WAYS).unwrap()
}

fn of(mut params: Value, more: Value) -> RandomForest {
    for (name, value) in [("n_estimators", json!(3)), ("splitter", json!("histogram"))] {
        params[name] = value;
    }
    more.as_object().unwrap().iter().for_each(|(name, value)| params[name] = value.clone());
    forest(params)
}

#[test]
fn classes_have_the_bytes_of_memory() {
    let rows = 3000;
    let filled = normal(rows, 5, 1);
    let mut x = with_missing(filled.clone(), 0.07, 2);
    // A column that is almost constant, so that nodes draw on.
    (0..rows).for_each(|i| x[(i, 4)] = f64::from(u8::from(i % 700 == 3)));
    let weights: Vec<f64> = (0..rows).map(|i| [0.0, 0.3, 1.0, 2.7, 1.1][i * i % 5]).collect();
    for (k, count) in [2, 5].into_iter().enumerate() {
        let y = classes(&filled, count, 3);
        for (n, params) in ways().into_iter().enumerate() {
            let weight = [None, Some(&weights[..])][(n + k) % 2];
            let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view()).with_weight(weight);
            let run = [333, 3000, 1024][n % 3];
            for memory in [60_000, 40_000] {
                agrees(&of(params.clone(), json!({})), &data, run, memory, &format!("{count} classes, {params}"));
            }
        }
    }
}

#[test]
fn numbers_have_the_bytes_of_memory() {
    let rows = 3000;
    let x = with_missing(normal(rows, 5, 11), 0.07, 12);
    let clean = Mat::from_fn(rows, 5, |i, j| if x[(i, j)].is_nan() { 0.5 } else { x[(i, j)] });
    let y: Vec<f64> = numbers(&clean, 13).iter().map(|v| v.abs()).collect();
    let weights: Vec<f64> = (0..rows).map(|i| [0.0, 0.3, 1.0, 2.7, 1.1][i * i % 5]).collect();
    for (n, mut params) in ways().into_iter().enumerate() {
        params["criterion"] = json!(["squared_error", "poisson"][n / 2 % 2]);
        let weight = [None, Some(&weights[..])][n % 2];
        let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y)).with_weight(weight);
        for (memory, run) in [(60_000, 555), (40_000, 3000)] {
            agrees(&of(params.clone(), json!({})), &data, run, memory, &params.to_string());
        }
    }
    // Far from 0, with few values and one far off.
    let y: Vec<f64> = (0..rows).map(|i| 1e9 + (i % 7) as f64 * 1e-3 + if i == 5 { 1e6 } else { 0.0 }).collect();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y)).with_weight(Some(&weights));
    for bootstrap in [true, false] {
        agrees(&of(json!({"bootstrap": bootstrap}), json!({})), &data, 777, 50_000, "a target far off");
    }
}

#[test]
fn categories_and_class_weights_have_the_bytes_of_memory() {
    let rows = 2500;
    let mut s = RngStream::new(3, "levels", 0);
    for levels in [6, 400] {
        let data = classes_by_level(rows, levels, &mut s);
        for class_weight in [json!(null), json!("balanced"), json!({"a": 2.5, "b": 0.0}), json!("balanced_subsample")] {
            for (bootstrap, thresholds) in [(true, "best"), (false, "random")] {
                let params = json!({"class_weight": class_weight, "bootstrap": bootstrap, "thresholds": thresholds});
                agrees(&of(params.clone(), json!({})), &data.view(), 999, 30_000, &format!("{levels} levels, {params}"));
            }
        }
    }
}

/// Drives passes block by block: every block has a part of its own, and the parts of whole numbers are merged in a random order.
fn by_hand(forest: &RandomForest, data: &DatasetRef<'_>, block: usize, memory: u64, seed: u64) -> (ForestModel, usize) {
    let cx = Context { block_rows: Some(block), ..with_memory(memory) };
    let mut random = RngStream::new(seed, "merging", 0);
    let mut state = forest.initial_state(&data.row_range(0..1), &cx).unwrap();
    for pass in 1.. {
        let mut parts: Vec<ForestPartial> = Vec::new();
        for first in (0..data.rows()).step_by(block) {
            let mut part = forest.empty_partial(&state);
            let rows = data.row_range(first..data.rows().min(first + block));
            forest.add_block_at(&state, &mut part, &rows, first).unwrap();
            parts.push(part);
        }
        if forest.is_order_free(&state) {
            random.shuffle(&mut parts);
        }
        while parts.len() > 1 {
            let at = random.below(parts.len() - 1);
            let right = parts.remove(at + 1);
            ermine_core::Partial::merge(&mut parts[at], right).unwrap();
        }
        let total = parts.pop().unwrap();
        if let (ForestPhase::Grow(_, wave), ForestPartialKind::Histograms(sheets)) = (&state.stage, &total.0) {
            let taken = &sheets.taken;
            let rows = taken.narrow.len() + 4 * taken.wide.len() + 24 * taken.weight.len();
            let gathered = 8 * sheets.sums.len() + 32 * sheets.costs.len() + rows;
            assert!(wave.plan.bytes <= memory && gathered as u64 <= memory, "{gathered} of {memory} bytes in pass {pass}");
        }
        match forest.finish(state, total, &cx).unwrap() {
            PassStep::NextPass(next, _) => state = next,
            PassStep::Done(model) => return (model, pass),
        }
    }
    unreachable!("passes end")
}

#[test]
fn parts_merge_in_any_order_and_memory_only_changes_the_number_of_passes() {
    let x = with_missing(coarse(2000, 4, 300, 21), 0.05, 22);
    let clean = Mat::from_fn(2000, 4, |i, j| if x[(i, j)].is_nan() { 1.0 } else { x[(i, j)] / 100.0 });
    let y = numbers(&clean, 23);
    let labels = classes(&clean, 3, 24);
    for target in [Target::Real(&y), labels.view()] {
        let data = DatasetRef::new(Features::F64(x.view())).with_target(target);
        let forest = of(json!({"oob_score": true}), json!({}));
        // The bins depend on the blocks, so memory has the same ones.
        let cx = Context { block_rows: Some(190), ..Context::seeded(5) };
        let memory = bytes(&forest.fit_with(&data, &cx).unwrap());
        let mut passes = Vec::new();
        for (seed, room) in [(1, 1 << 30), (2, 1 << 30), (3, 200_000), (4, 40_000)] {
            let (model, count) = by_hand(&forest, &data, 190, room, seed);
            assert!(bytes(&model) == memory, "{room} bytes");
            passes.push(count);
        }
        assert!(passes[0] == passes[1] && passes[1] < passes[2] && passes[2] < passes[3], "{passes:?}");
        let threads = |n: usize| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        for n in [1, 3] {
            let cx = Context { memory: Some(100_000), ..cx };
            let driven = threads(n).install(|| run_passes(&forest, &data, &cx).unwrap());
            assert!(bytes(&driven) == memory, "{n} threads");
        }
    }
}
