//! Checks of the forms of data: small, constant, damaged, in other layouts and types.

use std::sync::Arc;

use ermine_core::{
    AnyLearner, Column, Context, Csr, DatasetRef, Family, Features, Mat, MatRef, OwnedTarget, Table, Task, ValueKind,
};

use crate::compare::{distance, model_arrays, outputs, relative_difference};
use crate::{Verdict, attempt, require, synthetic};

/// A right result or an error, never a panic (which [`crate::run`] catches); a result must be finite.
fn outputs_are_valid(learner: &dyn AnyLearner, data: &DatasetRef<'_>, must_fit: bool) -> Verdict {
    match learner.fit_any(data, &Context::default()) {
        Err(e) if must_fit => Verdict::Fail(format!("it is refused: {e}")),
        Err(_) => Verdict::Pass,
        Ok(model) => {
            let all_outputs = attempt!(outputs(&*model, &data.x), "predict");
            let finite = all_outputs.numbers.iter().chain(&all_outputs.proba).chain(&all_outputs.columns).all(|v| v.is_finite());
            require!(finite, "what it says is not finite");
            Verdict::Pass
        }
    }
}

/// The first verdict that is not a pass.
fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    verdicts.into_iter().find(|v| *v != Verdict::Pass).unwrap_or(Verdict::Pass)
}

pub fn one_row(learner: &dyn AnyLearner) -> Verdict {
    all(synthetic::tasks(learner)
        .into_iter()
        .map(|task| outputs_are_valid(learner, &synthetic::data(learner, task, 40, 3, 20).view().row_range(0..1), false)))
}

pub fn one_column(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    all(synthetic::tasks(learner)
        .into_iter()
        .map(|task| outputs_are_valid(&*l, &synthetic::data(learner, task, 60, 1, 21).view(), true)))
}

pub fn constant_column(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    all(synthetic::tasks(learner).into_iter().flat_map(|task| {
        let l = &l;
        let constants = if learner.value_kind() == ValueKind::Codes { [0.0, 1.0, 5.0, 100.0] } else { [0.0, 1e-300, 5.0, 1e12] };
        constants.map(|constant| {
            let data = synthetic::data(learner, task, 60, 3, 22);
            let mut m = synthetic::matrix(&data).clone();
            (0..60).for_each(|i| m[(i, 1)] = constant);
            outputs_are_valid(&**l, &synthetic::with_matrix(&data, m).view(), true)
        })
    }))
}

pub fn one_class(learner: &dyn AnyLearner) -> Verdict {
    if !learner.spec().tasks.contains(&Task::Classification) {
        return Verdict::Skip("no classifier");
    }
    let mut data = synthetic::data(learner, Some(Task::Classification), 40, 3, 23);
    data.y = OwnedTarget::Class { codes: vec![0; 40], names: vec!["only".into()] };
    outputs_are_valid(learner, &data.view(), false)
}

pub fn not_finite(learner: &dyn AnyLearner) -> Verdict {
    if learner.spec().family == Family::Baseline {
        return Verdict::Skip("it does not read the columns");
    }
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let data = synthetic::data(learner, task, 5000, 3, 24);
            let mut m = synthetic::matrix(&data).clone();
            m[(4321, 1)] = bad;
            let data = synthetic::with_matrix(&data, m);
            let result = l.fit_any(&data.view(), &Context::default());
            if bad.is_nan() && learner.spec().accepts.missing {
                attempt!(result, "NaN is refused by a learner that takes missing values");
                continue;
            }
            let Err(e) = result else { return Verdict::Fail(format!("{bad} is taken")) };
            let e = e.to_string();
            require!(
                e.contains("column1") && e.contains("4321"),
                "the error for {bad} does not name the column and the row: {e}"
            );
        }
    }
    Verdict::Pass
}

/// Rows are predicted in blocks of up to some thousands; what is refused is named by its row among all rows.
pub fn row_of_a_prediction(learner: &dyn AnyLearner) -> Verdict {
    const ROWS: usize = 18_100;
    const BAD: usize = 18_000;
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 100, 3, 28);
        let model = attempt!(l.fit_any(&data.view(), &Context::default()), "fit");
        let m = synthetic::matrix(&data);
        let with = |bad: f64| Mat::from_fn(ROWS, 3, |i, j| if (i, j) == (BAD, 1) { bad } else { m[(i % 100, j)] });
        let infinite = with(f64::INFINITY);
        let gap = with(f64::NAN);
        let columns = (0..3).map(|j| (format!("column{j}"), Column::numbers(gap.view().col_iter(j).collect())));
        let table = attempt!(Table::new(columns), "table");
        for x in [Features::F64(infinite.view()), Features::Table(table.view())] {
            let mut errors = Vec::new();
            errors.extend(model.as_regressor().and_then(|r| r.predict(&x).err()));
            errors.extend(model.as_classifier().and_then(|c| c.proba(&x).err()));
            errors.extend(model.as_classifier().and_then(|c| c.classify(&x).err()));
            errors.extend(model.as_classifier().and_then(|c| c.proba_and_class(&x).err()));
            errors.extend(model.as_transformer().and_then(|t| t.transform(&x).err()));
            errors.extend(model.as_clusterer().and_then(|c| c.assign(&x).err()));
            errors.extend(model.as_density().and_then(|d| d.log_density(&x).err()));
            for e in errors {
                require!(e.row().is_none_or(|row| row == BAD), "the cell is in row {BAD}: {e}");
            }
        }
    }
    Verdict::Pass
}

pub fn layouts(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 300, 4, 25);
        let m = synthetic::matrix(&data);
        let columns: Vec<f64> = (0..4).flat_map(|j| (0..300).map(move |i| m[(i, j)])).collect();
        let other = synthetic::view(&data, Features::F64(MatRef::col_major(&columns, 300, 4)));
        let a = attempt!(l.fit_any(&data.view(), &Context::default()), "fit by rows");
        let b = attempt!(l.fit_any(&other, &Context::default()), "fit by columns");
        require!(
            attempt!(model_arrays(&*a), "save") == attempt!(model_arrays(&*b), "save"),
            "the two layouts store different bytes"
        );
        let (p, q) = (attempt!(outputs(&*a, &data.view().x), "predict"), attempt!(outputs(&*a, &other.x), "predict by columns"));
        require!(p == q, "the two layouts predict different bits");
    }
    Verdict::Pass
}

pub fn f32_features(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 300, 4, 26);
        // Values that are exact in f32, so that only the computation can differ.
        let m = Mat::from_fn(300, 4, |i, j| f64::from(synthetic::matrix(&data)[(i, j)] as f32));
        let s = Mat::from_fn(300, 4, |i, j| m[(i, j)] as f32);
        let data = synthetic::with_matrix(&data, m);
        let single = synthetic::view(&data, Features::F32(s.view()));
        let a = attempt!(l.fit_any(&data.view(), &Context::default()), "fit on f64");
        let b = attempt!(l.fit_any(&single, &Context::default()), "fit on f32");
        let d = distance(&attempt!(outputs(&*a, &data.view().x), "predict"), &attempt!(outputs(&*b, &single.x), "predict f32"));
        require!(d < 1e-4, "f32 and f64 differ by {d:e}");
    }
    Verdict::Pass
}

pub fn sparse(learner: &dyn AnyLearner) -> Verdict {
    if !learner.spec().accepts.sparse {
        return Verdict::Skip("it does not take sparse rows");
    }
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 200, 4, 27);
        let mut m = synthetic::matrix(&data).clone();
        (0..200).for_each(|i| m[(i, i % 4)] = 0.0);
        let data = synthetic::with_matrix(&data, m);
        let m = synthetic::matrix(&data);
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..200 {
            // Descending, since the order within a row must not matter.
            for j in (0..4).rev().filter(|&j| m[(i, j)] != 0.0) {
                indices.push(j as u32);
                values.push(m[(i, j)]);
            }
            indptr.push(values.len());
        }
        let csr = attempt!(Csr::new(indptr, indices, values, 4), "sparse rows");
        let rows = synthetic::view(&data, Features::Csr(csr.view()));
        let a = attempt!(l.fit_any(&data.view(), &Context::default()), "fit on dense rows");
        let b = attempt!(l.fit_any(&rows, &Context::default()), "fit on sparse rows");
        let d = distance(&attempt!(outputs(&*a, &data.view().x), "predict"), &attempt!(outputs(&*b, &rows.x), "predict sparse"));
        require!(d < 1e-6, "sparse and dense rows differ by {d:e}");
    }
    Verdict::Pass
}

pub fn table(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 200, 3, 28);
        let m = synthetic::matrix(&data);
        let columns = (0..3).map(|j| (format!("column{j}"), Column::numbers(m.view().col_iter(j).collect())));
        let t = attempt!(Table::new(columns), "table");
        let rows = synthetic::view(&data, Features::Table(t.view()));
        if synthetic::is_encoder(learner) {
            return all(synthetic::tasks(learner).into_iter().map(|_| outputs_are_valid(&*l, &rows, true)));
        }
        let a = attempt!(l.fit_any(&data.view(), &Context::default()), "fit on a matrix");
        let b = attempt!(l.fit_any(&rows, &Context::default()), "fit on a table");
        let (p, q) = (attempt!(outputs(&*a, &data.view().x), "predict"), attempt!(outputs(&*b, &rows.x), "predict a table"));
        require!(distance(&p, &q) == 0.0, "a table and a matrix differ by {:e}", distance(&p, &q));
    }
    Verdict::Pass
}

pub fn categories(learner: &dyn AnyLearner) -> Verdict {
    if !learner.spec().accepts.categorical {
        return Verdict::Skip("it does not take categories");
    }
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let (table, y) = synthetic::mixed_table(learner, task, 300, 29);
        // A learner without missing values gets complete rows.
        let complete: Vec<usize> = (0..300).filter(|&i| table.columns().all(|c| !c.is_missing(i))).collect();
        let rows = if learner.spec().accepts.missing { (0..300).collect() } else { complete };
        let (table, y) = (table.take_rows(&rows), y.view().take_rows(&rows));
        let data = DatasetRef::new(Features::Table(table.view())).with_target(y.view());
        let model = attempt!(l.fit_any(&data, &Context::default()), "fit on categories");
        let a = attempt!(outputs(&*model, &data.x), "predict");
        // The same cells behind other codes: names in another order, with a name the model has not seen.
        let Column::Category { codes, names } = table.column_at(1) else { return Verdict::Fail("no category column".into()) };
        let mut other: Vec<String> = vec!["never seen".into()];
        other.extend(names.iter().rev().cloned());
        let last = names.len() as u32;
        let codes = codes.iter().map(|&c| if c == ermine_core::MISSING_CODE { c } else { last - c }).collect();
        let recoded = Column::Category { codes, names: Arc::new(other) };
        let recoded = attempt!(Table::new([("size", table.column_at(0).clone()), ("colour", recoded)]), "table");
        let b = attempt!(outputs(&*model, &Features::Table(recoded.view())), "predict other codes");
        let d = relative_difference(&a.numbers, &b.numbers)
            .max(relative_difference(&a.proba, &b.proba))
            .max(relative_difference(&a.columns, &b.columns));
        require!(d == 0.0 && a.groups == b.groups, "other codes for the same names change predictions by {d:e}");
    }
    Verdict::Pass
}
