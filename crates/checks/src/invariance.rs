//! Checks of the invariances of learners.

use ermine_core::{AnyLearner, Context, Family, Features, Mat, OwnedDataset, OwnedTarget, RngStream, Target, Task, ValueKind};
use serde_json::Value;

use crate::compare::{ModelOutputs, distance, outputs, relative_difference};
use crate::{Verdict, attempt, require, synthetic};

/// Two computations of the same optimum differ by rounding and by the stopping rule.
const CLOSE: f64 = 1e-6;

/// Why an invariance is not expected of a learner that takes one step per row or draws rows.
const ROW_ORDER: &str = "it takes one step per row or draws rows, so its model follows the order and the scale of the rows";

fn fit_outputs(l: &dyn AnyLearner, data: &OwnedDataset, x: &Features<'_>) -> ermine_core::Result<ModelOutputs> {
    outputs(&*l.fit_any(&data.view(), &Context::default())?, x)
}

fn owned(data: &OwnedDataset, rows: &[usize]) -> OwnedDataset {
    data.view().take_rows(rows)
}

pub fn row_order(learner: &dyn AnyLearner) -> Verdict {
    if learner.row_order_matters() {
        return Verdict::Skip(ROW_ORDER);
    }
    let l = synthetic::without_subsampling(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 200, 4, 10);
        let x = data.view().x;
        let order = RngStream::new(1, "row order", 0).permutation(200);
        let a = attempt!(fit_outputs(&*l, &data, &x), "fit");
        let b = attempt!(fit_outputs(&*l, &owned(&data, &order), &x), "fit on shuffled rows");
        let d = distance(&a, &b);
        require!(d < CLOSE, "shuffled rows change predictions by {d:e}");
    }
    Verdict::Pass
}

/// Why an invariance is not expected of learners that cut the rows into folds for their members.
const CUTS_FOLDS: &str = "its folds are dealt class by class, and its members break ties by the order of the columns";

/// Why an invariance is not expected of a learner with random initial weights.
const RANDOM_INIT: &str = "its first weights are drawn for each column and class by its number";

fn cuts_folds(learner: &dyn AnyLearner) -> bool {
    learner.row_order_matters() && learner.spec().family == Family::Composite
}

pub fn column_order(learner: &dyn AnyLearner) -> Verdict {
    if cuts_folds(learner) {
        return Verdict::Skip(CUTS_FOLDS);
    }
    if learner.has_random_init() {
        return Verdict::Skip(RANDOM_INIT);
    }
    let l = synthetic::without_subsampling(learner);
    for task in synthetic::tasks(learner) {
        let boosted = learner.spec().family == Family::Tree && learner.params().get("learning_rate").is_some();
        if boosted && task == Some(Task::Classification) {
            // The first gradients of boosted classes have few values, so that ties of splits are common; the order of
            // the columns may decide them.
            continue;
        }
        let data = synthetic::data(learner, task, 200, 4, 11);
        let m = synthetic::matrix(&data);
        let order = [2, 0, 3, 1];
        let mut shuffled = synthetic::with_matrix(&data, Mat::from_fn(200, 4, |i, j| m[(i, order[j])]));
        shuffled.schema = None;
        let a = attempt!(fit_outputs(&*l, &data, &data.view().x), "fit");
        let mut b = attempt!(fit_outputs(&*l, &shuffled, &shuffled.view().x), "fit on shuffled columns");
        let mut a = a;
        if !a.columns.is_empty() {
            let width = a.columns.len() / 200;
            if learner.spec().family == Family::Reduction {
                // Directions are found up to sign.
                [&mut a, &mut b].into_iter().for_each(|s| s.columns.iter_mut().for_each(|v| *v = v.abs()));
            } else if width == 4 {
                let back: Vec<f64> = (0..200).flat_map(|i| order.map(|j| a.columns[i * 4 + j])).collect();
                a.columns = back;
            } else if !a.proba.is_empty() {
                // Fisher's directions: their number is that of the classes, and their signs are arbitrary.
                [&mut a, &mut b].into_iter().for_each(|s| s.columns.iter_mut().for_each(|v| *v = v.abs()));
            } else {
                return Verdict::Skip("its output columns do not follow its input columns one by one");
            }
        }
        let d = distance(&a, &b);
        require!(d < CLOSE, "shuffled columns change predictions by {d:e}");
    }
    Verdict::Pass
}

pub fn subset(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 300, 3, 12);
        let model = attempt!(l.fit_any(&data.view(), &Context::default()), "fit");
        let all = attempt!(outputs(&*model, &data.view().x), "predict");
        let rows = [299, 0, 7, 7, 128];
        let part = data.view().x.take_rows(&rows);
        let part = attempt!(outputs(&*model, &part.view()), "predict a subset");
        let pick = |v: &[f64]| -> Vec<f64> {
            let width = v.len() / 300;
            rows.iter().flat_map(|&i| v[i * width..(i + 1) * width].to_vec()).collect()
        };
        let codes = |v: &[u32]| -> Vec<u32> { if v.is_empty() { Vec::new() } else { rows.iter().map(|&i| v[i]).collect() } };
        let same = |a: Vec<f64>, b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits());
        require!(same(pick(&all.numbers), &part.numbers), "numbers of a subset differ");
        require!(same(pick(&all.proba), &part.proba), "probabilities of a subset differ");
        require!(same(pick(&all.columns), &part.columns), "columns of a subset differ");
        require!(same(pick(&all.density), &part.density), "densities of a subset differ");
        require!(
            codes(&all.classes) == part.classes && codes(&all.groups) == part.groups,
            "classes or groups of a subset differ"
        );
    }
    Verdict::Pass
}

/// Fits on x and on x mapped cell by cell, and compares the outputs for their own rows.
fn mapped(learner: &dyn AnyLearner, changed: &dyn AnyLearner, map: impl Fn(f64) -> f64) -> Verdict {
    let exact = learner.spec().family == Family::Tree;
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 200, 4, 13);
        let m = synthetic::matrix(&data);
        let other = synthetic::with_matrix(&data, Mat::from_fn(200, 4, |i, j| map(m[(i, j)])));
        let a = attempt!(fit_outputs(learner, &data, &data.view().x), "fit");
        let b = attempt!(fit_outputs(changed, &other, &other.view().x), "fit on mapped columns");
        // Columns and densities depend on the units.
        let plain = |s: ModelOutputs| ModelOutputs { columns: Vec::new(), density: Vec::new(), ..s };
        let d = distance(&plain(a), &plain(b));
        let limit = if exact { 0.0 } else { CLOSE };
        require!(d <= limit, "predictions change by {d:e}");
    }
    Verdict::Pass
}

/// Why invariance to shift and scale is not expected of a learner whose numbers are no quantities.
const NO_QUANTITIES: &str = "its numbers are counts, codes or compared with a threshold, so that others mean something else";

fn only_transforms(learner: &dyn AnyLearner) -> bool {
    matches!(learner.spec().family, Family::Preparation | Family::Reduction)
}

pub fn shift(learner: &dyn AnyLearner) -> Verdict {
    if learner.row_order_matters() {
        return Verdict::Skip(ROW_ORDER);
    }
    if only_transforms(learner) {
        return Verdict::Skip("its output is meant to follow the shift");
    }
    if learner.value_kind() != ValueKind::Quantities {
        return Verdict::Skip(NO_QUANTITIES);
    }
    let l = synthetic::prepare_learner(learner);
    // A multiple of a power of two, so that trees see exactly the same differences.
    mapped(&*l, &*l, |v| v + 64.0)
}

pub fn scale(learner: &dyn AnyLearner) -> Verdict {
    if learner.row_order_matters() {
        return Verdict::Skip(ROW_ORDER);
    }
    if only_transforms(learner) {
        return Verdict::Skip("its output is meant to follow the scale");
    }
    if learner.value_kind() != ValueKind::Quantities {
        return Verdict::Skip(NO_QUANTITIES);
    }
    let l = synthetic::prepare_learner(learner);
    let mut matched = synthetic::prepare_learner(learner);
    // A penalty on coefficients scales with them: the same problem has another penalty. Squares scale by 16, absolute
    // values by 4, and where both are penalized their shares change.
    let share = match l.params().get("l1_ratio").and_then(Value::as_f64) {
        Some(share) => share,
        None if l.has_l1_penalty() => 1.0,
        None => 0.0,
    };
    let factor = 4.0 * share + 16.0 * (1.0 - share);
    // A kernel whose width adapts to the columns is not changed, and neither is its penalty.
    let follows = l.params().get("kernel").is_some_and(|k| k == "rbf") && l.params().get("gamma").is_some_and(|g| g == "scale");
    for (name, factor) in [("alpha", factor), ("C", 1.0 / factor), ("eps", 4.0)].into_iter().filter(|_| !follows) {
        if let Some(v) = l.params().get(name).and_then(Value::as_f64) {
            attempt!(matched.set(name, Value::from(v * factor)), "the matching penalty");
        }
    }
    if l.params().get("l1_ratio").is_some_and(Value::is_number) {
        attempt!(matched.set("l1_ratio", Value::from(4.0 * share / factor)), "the matching share");
    }
    mapped(&*l, &*matched, |v| v * 4.0)
}

pub fn labels(learner: &dyn AnyLearner) -> Verdict {
    if !learner.spec().tasks.contains(&Task::Classification) {
        return Verdict::Skip("no classifier");
    }
    if cuts_folds(learner) {
        return Verdict::Skip(CUTS_FOLDS);
    }
    let l = synthetic::prepare_learner(learner);
    let data = synthetic::data(learner, Some(Task::Classification), 200, 3, 14);
    let Target::Class { codes, .. } = data.view().y else { return Verdict::Fail("no classes".into()) };
    let x = data.view().x;
    let a = attempt!(fit_outputs(&*l, &data, &x), "fit");
    let renamed = OwnedTarget::Class { codes: codes.to_vec(), names: ["u", "v", "w"].map(String::from).to_vec() };
    let b = attempt!(fit_outputs(&*l, &OwnedDataset { y: renamed, ..data.clone() }, &x), "fit with other names");
    require!(relative_difference(&a.proba, &b.proba) == 0.0, "other names for the classes change the probabilities");
    if learner.has_random_init() {
        return Verdict::Pass;
    }
    let reversed =
        OwnedTarget::Class { codes: codes.iter().map(|c| 2 - c).collect(), names: ["u", "v", "w"].map(String::from).to_vec() };
    let b = attempt!(fit_outputs(&*l, &OwnedDataset { y: reversed, ..data.clone() }, &x), "fit with reversed classes");
    let back: Vec<f64> = b.proba.chunks(3).flat_map(|p| [p[2], p[1], p[0]]).collect();
    let d = relative_difference(&a.proba, &back);
    require!(d < CLOSE, "reversed classes change the probabilities by {d:e}");
    Verdict::Pass
}

pub fn weight_two(learner: &dyn AnyLearner) -> Verdict {
    if learner.row_order_matters() {
        return Verdict::Skip(ROW_ORDER);
    }
    if !learner.spec().accepts.weights {
        return Verdict::Skip("it does not take weights");
    }
    let l = synthetic::without_subsampling(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 150, 3, 15);
        let x = data.view().x;
        let weight: Vec<f64> = (0..150).map(|i| if i % 3 == 0 { 2.0 } else { 1.0 }).collect();
        let rows: Vec<usize> = (0..150).flat_map(|i| vec![i; weight[i] as usize]).collect();
        let a = attempt!(fit_outputs(&*l, &OwnedDataset { weight: Some(weight), ..data.clone() }, &x), "fit with weights");
        let b = attempt!(fit_outputs(&*l, &owned(&data, &rows), &x), "fit on repeated rows");
        let d = distance(&a, &b);
        require!(d < CLOSE, "weight 2 and the row twice differ by {d:e}");
    }
    Verdict::Pass
}

pub fn weight_zero(learner: &dyn AnyLearner) -> Verdict {
    if !learner.spec().accepts.weights {
        return Verdict::Skip("it does not take weights");
    }
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let mut data = synthetic::data(learner, task, 150, 3, 16);
        // The held-out rows are far away, so that any trace of them shows.
        let mut m = synthetic::matrix(&data).clone();
        (0..150).filter(|i| i % 4 == 1).for_each(|i| m.row_mut(i).iter_mut().for_each(|v| *v += 500.0));
        data = synthetic::with_matrix(&data, m);
        let weight: Vec<f64> = (0..150).map(|i| if i % 4 == 1 { 0.0 } else { 1.0 }).collect();
        let kept: Vec<usize> = (0..150).filter(|i| i % 4 != 1).collect();
        let part = owned(&data, &kept);
        let x = part.view().x;
        let a = attempt!(fit_outputs(&*l, &OwnedDataset { weight: Some(weight), ..data.clone() }, &x), "fit with weights");
        let b = attempt!(fit_outputs(&*l, &part, &x), "fit without the rows");
        let d = distance(&a, &b);
        require!(d < CLOSE, "weight 0 and the row absent differ by {d:e}");
    }
    Verdict::Pass
}
