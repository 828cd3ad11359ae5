//! `ermine predict` and `ermine transform`: rows in, rows out.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ermine::core::{Column, Mat, NOISE_LABEL};
use ermine::data::WriteOptions;
use ermine::prelude::*;
use serde_json::{Value, json};

use super::{print_json, print_notes};
use crate::args::{PredictArgs, TransformArgs};
use crate::error::UsageError;
use crate::load;

pub fn predict(args: &PredictArgs) -> Result<()> {
    let started = Instant::now();
    let fitted = load::open(&args.model)?;
    let mut read = args.reading.read_for(&args.data, &fitted)?;
    let rows = read.align(&fitted)?;
    let x = rows.view();
    print_notes(&args.everywhere, &read.notes);
    let mut columns: Vec<(String, Column)> = Vec::new();
    let mut more = json!({"model": fitted.learner.spec().name, "n_rows": x.rows(), "notes": read.notes});
    let object = more.as_object_mut().expect("it is an object");
    if let Some(c) = fitted.model.as_classifier() {
        let codes = c.classify(&x)?;
        let classes = c.classes();
        let labels: Vec<Option<&str>> = codes.iter().map(|&k| Some(classes[k as usize].as_str())).collect();
        object.insert("predictions".into(), json!(labels));
        object.insert("classes".into(), json!(classes));
        columns.push((target_name(&fitted), Column::categories(&labels)));
        if args.proba || args.everywhere.json {
            let p = c.proba(&x)?;
            object.insert("probabilities".into(), rows_json(&p));
            if args.proba {
                for (j, class) in classes.iter().enumerate() {
                    columns.push((format!("probability_{class}"), number_column(&p, j)));
                }
            }
        }
    } else if let Some(r) = fitted.model.as_regressor() {
        if args.proba {
            return Err(UsageError("--proba asks for probabilities, and this model predicts numbers".into()).into());
        }
        let y = r.predict(&x)?;
        let list = if y.cols() == 1 { json!(y.as_slice()) } else { rows_json(&y) };
        object.insert("predictions".into(), list);
        let names = &fitted.target.names;
        for j in 0..y.cols() {
            let name = names.get(j).cloned().unwrap_or_else(|| format!("target{j}"));
            columns.push((format!("predicted_{name}"), number_column(&y, j)));
        }
    } else if let Some(c) = fitted.model.as_clusterer() {
        let groups: Vec<i64> = c.assign(&x)?.into_iter().map(group).collect();
        object.insert("predictions".into(), json!(groups));
        object.insert("n_clusters".into(), json!(c.n_clusters()));
        columns.push(("cluster".into(), Column::numbers(groups.iter().map(|&g| g as f64).collect())));
        if args.proba || args.everywhere.json {
            let posterior = c.posterior(&x)?;
            if args.proba && posterior.is_none() && fitted.model.as_density().is_none() {
                let refused =
                    "--proba asks for probabilities, and these clusters have none: rows belong to the nearest; gmm has some";
                return Err(UsageError(refused.into()).into());
            }
            if let Some(p) = posterior {
                object.insert("probabilities".into(), rows_json(&p));
                if args.proba {
                    (0..p.cols()).for_each(|k| columns.push((format!("probability_{k}"), number_column(&p, k))));
                }
            }
            densities(&fitted, &x, args.proba, object, &mut columns)?;
        }
    } else if fitted.model.as_density().is_some() && (args.proba || fitted.model.as_transformer().is_none()) {
        densities(&fitted, &x, true, object, &mut columns)?;
        let found = object.get("log_density").cloned().unwrap_or_default();
        object.insert("predictions".into(), found);
    } else {
        return Err(anyhow!("this model does not predict; try ermine transform"));
    }
    write(columns, args.output.as_deref(), args.everywhere.json, || {
        print_json("predict", &args.everywhere, started.elapsed().as_secs_f64(), more)
    })
}

/// The number of a group; -1 for rows that belong to none.
fn group(g: u32) -> i64 {
    if g == NOISE_LABEL { -1 } else { i64::from(g) }
}

/// Adds the log density of the rows, where the model has one.
fn densities(
    fitted: &Fitted,
    x: &Features<'_>,
    column: bool,
    object: &mut serde_json::Map<String, Value>,
    columns: &mut Vec<(String, Column)>,
) -> Result<()> {
    if let Some(d) = fitted.model.as_density() {
        let values = d.log_density(x)?;
        object.insert("log_density".into(), json!(values));
        if column {
            columns.push(("log_density".into(), Column::numbers(values)));
        }
    }
    Ok(())
}

pub fn transform(args: &TransformArgs) -> Result<()> {
    let started = Instant::now();
    let fitted = load::open(&args.model)?;
    if args.inverse {
        return inverse_transform(args, &fitted, started);
    }
    let mut read = args.reading.read_for(&args.data, &fitted)?;
    let rows = read.align(&fitted)?;
    print_notes(&args.everywhere, &read.notes);
    let transformer =
        fitted.model.as_transformer().ok_or_else(|| anyhow!("this model does not transform; try ermine predict"))?;
    let z = transformer.transform(&rows.view())?;
    let names = transformer.schema_out(&fitted.schema);
    let columns = names.names().enumerate().map(|(j, name)| (name.to_owned(), number_column(&z, j))).collect();
    write(columns, args.output.as_deref(), args.everywhere.json, || {
        let names: Vec<&str> = names.names().collect();
        let more = json!({"model": fitted.learner.spec().name, "n_rows": z.rows(), "columns": names, "rows": rows_json(&z),
                          "notes": read.notes});
        print_json("transform", &args.everywhere, started.elapsed().as_secs_f64(), more)
    })
}

/// From transformed columns to columns like those of the training data.
fn inverse_transform(args: &TransformArgs, fitted: &Fitted, started: Instant) -> Result<()> {
    let transformer =
        fitted.model.as_transformer().ok_or_else(|| anyhow!("this model does not transform, so that there is no way back"))?;
    let made = transformer.schema_out(&fitted.schema);
    let loaded = args.reading.read(&args.data)?;
    print_notes(&args.everywhere, &loaded.notes);
    let names: Vec<&str> = made.names().collect();
    let z = loaded.table.select(&names)?.view().to_numbers("the way back")?;
    let x = transformer.inverse(z.view())?.ok_or_else(|| {
        anyhow!("this model knows no way back from its columns; kernel-pca learns one with --set fit_inverse_transform=true")
    })?;
    let names: Vec<String> = match fitted.schema.len() == x.cols() {
        true => fitted.schema.names().map(str::to_owned).collect(),
        false => (0..x.cols()).map(|j| format!("x{j}")).collect(),
    };
    let columns = names.iter().enumerate().map(|(j, name)| (name.clone(), number_column(&x, j))).collect();
    write(columns, args.output.as_deref(), args.everywhere.json, || {
        let more = json!({"model": fitted.learner.spec().name, "n_rows": x.rows(), "columns": names, "rows": rows_json(&x),
                          "notes": loaded.notes});
        print_json("transform", &args.everywhere, started.elapsed().as_secs_f64(), more)
    })
}

fn target_name(fitted: &Fitted) -> String {
    fitted.target.names.first().map_or_else(|| "prediction".into(), |n| format!("predicted_{n}"))
}

fn number_column(m: &Mat<f64>, j: usize) -> Column {
    Column::Number { values: m.view().col_iter(j).collect(), valid: None }
}

fn rows_json(m: &Mat<f64>) -> Value {
    Value::Array((0..m.rows()).map(|i| json!(m.row(i))).collect())
}

fn write(columns: Vec<(String, Column)>, path: Option<&Path>, json: bool, as_json: impl FnOnce() -> Result<()>) -> Result<()> {
    let to = |name: &str| -> Result<()> { Ok(ermine::data::write_table(name, &Table::new(columns)?, &WriteOptions::default())?) };
    match path {
        Some(path) => {
            to(&path.to_string_lossy())?;
            if json { as_json() } else { Ok(()) }
        }
        None if json => as_json(),
        None => to("-"),
    }
}
