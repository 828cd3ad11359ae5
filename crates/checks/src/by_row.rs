//! Models as functions of one row.

use ermine_core::{
    AnyLearner, Column, Context, DatasetRef, Features, MISSING_CODE, Mat, Model, RowFunction, Schema, Table, UNKNOWN_CATEGORY,
};

use crate::{Verdict, attempt, require, synthetic};

/// The rows of a table as a function of one row reads them.
fn cells(table: &Table) -> Mat<f64> {
    let cell = |i: usize, j: usize| match table.column_at(j) {
        Column::Number { values, .. } => values[i],
        Column::Category { codes, .. } if codes[i] == MISSING_CODE => f64::NAN,
        Column::Category { codes, .. } => f64::from(codes[i]),
        Column::Text(_) => UNKNOWN_CATEGORY,
    };
    Mat::from_fn(table.rows(), table.schema().len(), cell)
}

/// The results of a function, row by row.
fn by_row(function: &dyn RowFunction, rows: &Mat<f64>) -> Result<Mat<f64>, String> {
    let mut out = Mat::filled(rows.rows(), function.width(), f64::NAN);
    // What is in the memory before must not matter.
    let mut scratch = vec![f64::NAN; function.scratch()];
    for i in 0..rows.rows() {
        function.run(rows.row(i), &mut scratch, out.row_mut(i)).map_err(|e| format!("row {i}: {e}"))?;
    }
    Ok(out)
}

fn same_bits(a: &Mat<f64>, b: &Mat<f64>) -> bool {
    let bits = |m: &Mat<f64>| m.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    (a.rows(), a.cols()) == (b.rows(), b.cols()) && bits(a) == bits(b)
}

/// Compares the functions of a model with its results for all rows together; how many functions there were.
fn compare(model: &dyn Model, schema: &Schema, rows: &Mat<f64>, x: &Features<'_>) -> Result<usize, String> {
    let text = |e: ermine_core::Error| e.to_string();
    let mut functions = 0;
    if let Some((r, function)) = model.as_regressor().and_then(|r| Some((r, r.by_row(schema)?))) {
        functions += 1;
        if !same_bits(&by_row(&*function, rows)?, &r.predict(x).map_err(text)?) {
            return Err("predictions differ".into());
        }
    }
    if let Some((c, function)) = model.as_classifier().and_then(|c| Some((c, c.by_row(schema)?))) {
        functions += 1;
        if !same_bits(&by_row(&*function, rows)?, &c.proba(x).map_err(text)?) {
            return Err("probabilities differ".into());
        }
        let (mut scratch, mut out) = (vec![f64::NAN; function.scratch()], vec![f64::NAN; function.width()]);
        let one = |i: usize| function.classify(rows.row(i), &mut scratch, &mut out).map_err(text);
        if (0..rows.rows()).map(one).collect::<Result<Vec<u32>, String>>()? != c.classify(x).map_err(text)? {
            return Err("classes differ".into());
        }
    }
    if let Some((t, function)) = model.as_transformer().and_then(|t| Some((t, t.by_row(schema)?))) {
        functions += 1;
        if !same_bits(&by_row(&*function, rows)?, &t.transform(x).map_err(text)?) {
            return Err("columns differ".into());
        }
    }
    Ok(functions)
}

pub fn one_row_function(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    let mut functions = 0;
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 120, 4, 31);
        let model = attempt!(l.fit_any(&data.view(), &Context::default()), "fit");
        let rows = synthetic::matrix(&data);
        let schema = data.schema.clone().unwrap_or_default();
        functions += attempt!(compare(&*model, &schema, rows, &data.view().x), "numbers");
        // Rows one by one, often enough for whatever is made for that.
        for i in (0..120).chain(0..5) {
            let x = Features::F64(rows.view().row_range(i..i + 1));
            let one = model.as_regressor().map(|r| r.predict(&x)).or_else(|| model.as_classifier().map(|c| c.proba(&x)));
            let all = Features::F64(rows.view());
            let all = model.as_regressor().map(|r| r.predict(&all)).or_else(|| model.as_classifier().map(|c| c.proba(&all)));
            let (Some(one), Some(all)) = (one, all) else { break };
            let (one, all) = (attempt!(one, "one row"), attempt!(all, "all rows"));
            require!(all.row(i).iter().zip(one.row(0)).all(|(a, b)| a.to_bits() == b.to_bits()), "row {i} by itself differs");
        }
        if learner.spec().accepts.categorical && learner.spec().accepts.missing {
            let (table, y) = synthetic::mixed_table(learner, task, 200, 32);
            let data = DatasetRef::new(Features::Table(table.view())).with_target(y.view());
            let model = attempt!(l.fit_any(&data, &Context::default()), "fit on categories");
            functions += attempt!(compare(&*model, table.schema(), &cells(&table), &data.x), "categories");
        }
    }
    if functions > 0 { Verdict::Pass } else { Verdict::Skip("it has no function of one row") }
}
