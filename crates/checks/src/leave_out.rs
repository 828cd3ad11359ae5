//! Models of held-out rows without refitting: they must agree with fits to the other rows.

use ermine_core::{
    AnyLearner, Context, Csr, FoldAssignment, Mat, OwnedDataset, OwnedFeatures, OwnedTarget, Range, Task, TrainingView,
};
use serde_json::Value;

use crate::compare::{distance, outputs, relative_difference};
use crate::{Verdict, attempt, require, synthetic};

/// Tolerance for rounding.
const CLOSE: f64 = 1e-10;
/// Tolerance for a closed form.
const CLOSE_FORMULA: f64 = 1e-8;
const FOLDS: usize = 4;

/// Values of a parameter to try.
fn values(range: &Range) -> Vec<Value> {
    match range {
        Range::Bool => vec![false.into(), true.into()],
        Range::Int { .. } => vec![1.into(), 7.into()],
        Range::Real { .. } => [0.0, 0.05, 0.5, 3.0].map(Value::from).to_vec(),
        Range::Choice(words) => words.iter().map(|w| Value::from(*w)).collect(),
        Range::Optional(inner) => [vec![Value::Null], values(inner)].concat(),
        Range::Either(a, b) => [values(a), values(b)].concat(),
        // One per class or column, of which the checks have three.
        Range::List(_) => vec![serde_json::json!([0.2, 0.5, 0.3])],
        Range::Text | Range::Any => Vec::new(),
    }
}

/// The learner, with each parameter at each of some values, and two at once.
pub fn settings(learner: &dyn AnyLearner) -> Vec<Box<dyn AnyLearner>> {
    let mut all = vec![synthetic::prepare_learner(learner)];
    for param in learner.spec().params {
        for base in 0..all.len().min(6) {
            for value in values(&param.range) {
                let mut changed = all[base].boxed();
                if changed.set(param.name, value).is_ok() {
                    all.push(changed);
                }
            }
        }
    }
    all
}

/// The data of the checks in the forms that the learner takes.
pub fn forms(learner: &dyn AnyLearner, task: Option<Task>, rows: usize) -> Vec<(&'static str, OwnedDataset)> {
    let accepts = learner.spec().accepts;
    let data = synthetic::data(learner, task, rows, 3, 41);
    let mut all = vec![("rows", data.clone())];
    if accepts.weights {
        let weight = (0..rows).map(|i| [1.0, 0.5, 0.0, 3.0, 1.25][i % 5]).collect();
        all.push(("weighted rows", OwnedDataset { weight: Some(weight), ..data.clone() }));
    }
    let x = synthetic::matrix(&data);
    let single = Mat::from_fn(rows, 3, |i, j| x[(i, j)] as f32);
    all.push(("f32", OwnedDataset { x: OwnedFeatures::F32(single), ..data.clone() }));
    if accepts.sparse {
        let cells = (0..rows).flat_map(|i| [(i as u32 % 3, x[(i, i % 3)])]);
        let (indices, values) = cells.unzip();
        if let Ok(csr) = Csr::new((0..=rows).collect(), indices, values, 3) {
            all.push(("sparse rows", OwnedDataset { x: OwnedFeatures::Csr(csr), ..data.clone() }));
        }
    }
    if let (OwnedTarget::Real(y), true) = (&data.y, accepts.multi_target) {
        let y = Mat::from_fn(rows, 3, |i, t| if t == 0 { y[i] } else { (y[i] * t as f64).sin() });
        all.push(("three targets", OwnedDataset { y: OwnedTarget::Reals(y), ..data.clone() }));
    }
    all
}

pub fn fold_sums(learner: &dyn AnyLearner) -> Verdict {
    let mut tried = 0;
    for task in synthetic::tasks(learner) {
        for (form, data) in forms(learner, task, 300) {
            let data = data.view();
            // The last fold has all rows of the last class, so that training on the others finds none.
            let fold = |i: usize| match &data.y {
                ermine_core::Target::Class { codes, .. } if codes[i] == 2 => FOLDS - 1,
                _ => (i * 7 + i / 5) % FOLDS,
            };
            let fold_of: Vec<usize> = (0..data.rows()).map(fold).collect();
            let cut = FoldAssignment { fold_of: &fold_of, folds: FOLDS };
            let mut gathered = std::collections::BTreeMap::new();
            for l in settings(learner) {
                let Some(key) = l.fold_sums_key(&data, &cut) else { continue };
                // Settings with the same key use the sums of the first of them.
                if !gathered.contains_key(&key) {
                    let cx = Context { block_rows: Some(32), ..Context::default() };
                    gathered.insert(key.clone(), l.fold_sums_any(&data, &cut, &cx));
                }
                for fold in 0..FOLDS {
                    let (train, test): (Vec<usize>, Vec<usize>) = (0..data.rows()).partition(|&i| fold_of[i] != fold);
                    let (train, test) = (data.take_rows(&train), data.take_rows(&test));
                    let (train, x) = (train.view(), test.view().x);
                    let plain = l.fit_any(&train, &Context::default());
                    let without = TrainingView { data: &data, fold, rows: &|see| see(&train) };
                    // Failures with sums fall back to a fit to the rows.
                    let short = match &gathered[&key] {
                        Ok(totals) => l.fit_from_fold_sums(totals, &without, &Context::default()).ok().flatten(),
                        Err(_) => None,
                    };
                    let (Some(short), plain) = (short, plain) else { continue };
                    let with = l.params();
                    let plain = attempt!(plain, format!("totals of {form} gave a model with {with}, and the rows did not"));
                    let mut a = attempt!(outputs(&*plain, &x), "predict");
                    let mut b = attempt!(outputs(&*short, &x), "predict from totals");
                    if fold == FOLDS - 1 {
                        // With a class less there is a direction less, and the remaining one is arbitrary.
                        (a.columns, b.columns) = (Vec::new(), Vec::new());
                    }
                    let d = distance(&a, &b);
                    require!(d < CLOSE, "{form} without fold {fold}, with {with}: totals are off by {d:e}");
                    tried += 1;
                }
            }
        }
    }
    if tried == 0 {
        return Verdict::Skip("its model does not follow from totals");
    }
    Verdict::Pass
}

pub fn leave_one_out(learner: &dyn AnyLearner) -> Verdict {
    let mut tried = 0;
    for task in synthetic::tasks(learner) {
        for (form, data) in forms(learner, task, 40) {
            let data = data.view();
            for l in settings(learner) {
                let Ok(Some(short)) = l.loo_predictions_any(&data, &Context::default()) else { continue };
                let mut plain = Vec::new();
                for row in 0..data.rows() {
                    let others: Vec<usize> = (0..data.rows()).filter(|&i| i != row).collect();
                    let with = l.params();
                    let model = attempt!(
                        l.fit_any(&data.take_rows(&others).view(), &Context::default()),
                        format!("{form}: there is an answer with {with}, and no fit without row {row}")
                    );
                    let expected = attempt!(outputs(&*model, &data.x.row_range(row..row + 1)), "predict");
                    plain.extend(if expected.proba.is_empty() { expected.numbers } else { expected.proba });
                }
                let d = relative_difference(&plain, short.as_slice());
                require!(d < CLOSE_FORMULA, "{form}, with {}: rows left out differ by {d:e}", l.params());
                tried += 1;
            }
        }
    }
    if tried == 0 {
        return Verdict::Skip("it has no short way to leave a row out");
    }
    Verdict::Pass
}
