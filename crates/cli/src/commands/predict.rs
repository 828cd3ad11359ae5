//! `ermine predict` and `ermine transform`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow};
use ermine::core::{Column, Mat, NOISE_LABEL};
use ermine::data::{Format, TableWriter, WriteOptions};
use ermine::prelude::*;
use serde_json::{Map, Value, json};

use super::{print_json, print_notes};
use crate::args::{GlobalArgs, PredictArgs, TransformArgs};
use crate::error::UsageError;
use crate::load;

pub fn predict(args: &PredictArgs) -> Result<()> {
    let started = Instant::now();
    let fitted = load::open(&args.model)?;
    let proba = args.proba || args.everywhere.json;
    let mut out = RowOutput::new(args.output.as_deref(), &args.everywhere);
    let mut kept: Option<Prediction> = None;
    let notes = args.reading.scan_for(&args.data, &fitted, &mut |x| {
        let prediction = Prediction::of(&fitted, x, args.proba, proba)?;
        if out.takes_blocks {
            return out.write(prediction.columns(&fitted, args.proba));
        }
        match &mut kept {
            Some(all) => all.append(prediction),
            None => kept = Some(prediction),
        }
        Ok(())
    })?;
    print_notes(&args.everywhere, &notes);
    if let Some(all) = &kept
        && out.is_wanted()
    {
        out.write(all.columns(&fitted, args.proba))?;
    }
    out.finish()?;
    if let Some(all) = kept.filter(|_| args.everywhere.json) {
        let mut more = json!({"model": fitted.learner.spec().name, "n_rows": all.rows(), "notes": notes});
        all.describe(&fitted, more.as_object_mut().expect("it is an object"));
        print_json("predict", &args.everywhere, started.elapsed().as_secs_f64(), more)?;
    }
    Ok(())
}

/// Predictions of a model for rows.
enum Prediction {
    Classes { codes: Vec<u32>, proba: Option<Mat<f64>> },
    Numbers(Mat<f64>),
    Groups { groups: Vec<i64>, proba: Option<Mat<f64>>, log_density: Option<Vec<f64>> },
    Densities(Vec<f64>),
}

impl Prediction {
    /// Predicts with a model; probabilities where they are `wanted`. With `asked` a model without probabilities is an error.
    fn of(fitted: &Fitted, x: &Features<'_>, asked: bool, wanted: bool) -> Result<Self> {
        let model = &fitted.model;
        let refused = |why: &str| Err(UsageError(format!("--proba asks for probabilities, and {why}")).into());
        if let Some(c) = model.as_classifier() {
            if !wanted {
                return Ok(Self::Classes { codes: c.classify(x)?, proba: None });
            }
            let (proba, codes) = c.proba_and_class(x)?;
            return Ok(Self::Classes { codes, proba: Some(proba) });
        }
        if let Some(r) = model.as_regressor() {
            return if asked { refused("this model predicts numbers") } else { Ok(Self::Numbers(r.predict(x)?)) };
        }
        let log_density = |wanted: bool| model.as_density().filter(|_| wanted).map(|d| d.log_density(x)).transpose();
        if let Some(c) = model.as_clusterer() {
            let groups = c.assign(x)?.into_iter().map(|g| if g == NOISE_LABEL { -1 } else { i64::from(g) }).collect();
            let proba = if wanted { c.posterior(x)? } else { None };
            if asked && proba.is_none() && model.as_density().is_none() {
                return refused("these clusters have none: rows belong to the nearest; gmm has some");
            }
            return Ok(Self::Groups { groups, proba, log_density: log_density(wanted)? });
        }
        match log_density(asked || model.as_transformer().is_none())? {
            Some(values) => Ok(Self::Densities(values)),
            None => Err(anyhow!("this model does not predict; try ermine transform")),
        }
    }

    fn rows(&self) -> usize {
        match self {
            Self::Classes { codes, .. } => codes.len(),
            Self::Numbers(y) => y.rows(),
            Self::Groups { groups, .. } => groups.len(),
            Self::Densities(values) => values.len(),
        }
    }

    /// Adds the predictions of the same model for further rows.
    fn append(&mut self, more: Self) {
        let join = |all: &mut Option<Mat<f64>>, more: Option<Mat<f64>>| {
            all.as_mut().zip(more).into_iter().for_each(|(all, more)| all.append_rows(more));
        };
        match (self, more) {
            (Self::Classes { codes, proba }, Self::Classes { codes: c, proba: p }) => {
                codes.extend(c);
                join(proba, p);
            }
            (Self::Numbers(all), Self::Numbers(more)) => all.append_rows(more),
            (Self::Groups { groups, proba, log_density }, Self::Groups { groups: g, proba: p, log_density: d }) => {
                groups.extend(g);
                join(proba, p);
                log_density.iter_mut().for_each(|all| all.extend(d.iter().flatten()));
            }
            (Self::Densities(all), Self::Densities(more)) => all.extend(more),
            _ => unreachable!("one model predicts one kind"),
        }
    }

    /// The columns of the output, with probabilities and densities where requested.
    fn columns(&self, fitted: &Fitted, asked: bool) -> Vec<(String, Column)> {
        let names = &fitted.target.names;
        let beside = |out: &mut Vec<(String, Column)>, proba: &Option<Mat<f64>>, name: &dyn Fn(usize) -> String| {
            if let Some(p) = proba.as_ref().filter(|_| asked) {
                out.extend((0..p.cols()).map(|k| (format!("probability_{}", name(k)), number_column(p, k))));
            }
        };
        match self {
            Self::Classes { codes, proba } => {
                let classes = fitted.model.as_classifier().map_or(&[][..], |c| c.classes());
                let name = names.first().map_or_else(|| "prediction".into(), |n| format!("predicted_{n}"));
                let mut out = vec![(name, class_column(codes, classes))];
                beside(&mut out, proba, &|k| classes[k].clone());
                out
            }
            Self::Numbers(y) => {
                let name = |j: usize| names.get(j).cloned().unwrap_or_else(|| format!("target{j}"));
                (0..y.cols()).map(|j| (format!("predicted_{}", name(j)), number_column(y, j))).collect()
            }
            Self::Groups { groups, proba, log_density } => {
                let mut out = vec![("cluster".into(), Column::numbers(groups.iter().map(|&g| g as f64).collect()))];
                beside(&mut out, proba, &|k| k.to_string());
                out.extend(log_density.iter().filter(|_| asked).map(|d| ("log_density".into(), Column::numbers(d.clone()))));
                out
            }
            Self::Densities(values) => vec![("log_density".into(), Column::numbers(values.clone()))],
        }
    }

    /// The same for a program.
    fn describe(&self, fitted: &Fitted, object: &mut Map<String, Value>) {
        let mut add = |key: &str, value: Value| object.insert(key.to_owned(), value);
        match self {
            Self::Classes { codes, proba } => {
                let classes = fitted.model.as_classifier().map_or(&[][..], |c| c.classes());
                add("predictions", codes.iter().map(|&k| classes[k as usize].as_str()).collect());
                add("classes", json!(classes));
                proba.iter().for_each(|p| drop(add("probabilities", rows_json(p))));
            }
            Self::Numbers(y) => {
                add("predictions", if y.cols() == 1 { json!(y.as_slice()) } else { rows_json(y) });
            }
            Self::Groups { groups, proba, log_density } => {
                add("predictions", json!(groups));
                add("n_clusters", json!(fitted.model.as_clusterer().map(|c| c.n_clusters())));
                proba.iter().for_each(|p| drop(add("probabilities", rows_json(p))));
                log_density.iter().for_each(|d| drop(add("log_density", json!(d))));
            }
            Self::Densities(values) => {
                add("log_density", json!(values));
                add("predictions", json!(values));
            }
        }
    }
}

/// Classes as a category column of those that occur.
fn class_column(codes: &[u32], classes: &[String]) -> Column {
    let mut used: Vec<u32> = codes.to_vec();
    used.sort_unstable();
    used.dedup();
    used.sort_by_key(|&c| &classes[c as usize]);
    let mut place = vec![0; classes.len()];
    used.iter().enumerate().for_each(|(at, &c)| place[c as usize] = at as u32);
    let names = used.iter().map(|&c| classes[c as usize].clone()).collect();
    Column::Category { codes: codes.iter().map(|&c| place[c as usize]).collect(), names: Arc::new(names) }
}

/// Where rows go: a file or the standard output.
struct RowOutput {
    path: Option<String>,
    /// Whether blocks are written as they come. Parquet and Arrow have one dictionary for all rows, and JSON is one object.
    takes_blocks: bool,
    writer: Option<TableWriter>,
}

impl RowOutput {
    fn new(path: Option<&Path>, everywhere: &GlobalArgs) -> Self {
        let json = everywhere.json;
        let path = path.map(|p| p.to_string_lossy().into_owned()).or_else(|| (!json).then(|| "-".into()));
        let text = path.as_ref().is_some_and(|p| matches!(Format::of_name(p), None | Some(Format::Csv | Format::Tsv)));
        Self { path, takes_blocks: text && !json, writer: None }
    }

    /// Whether rows are written, besides the JSON object.
    fn is_wanted(&self) -> bool {
        self.path.is_some()
    }

    fn write(&mut self, columns: Vec<(String, Column)>) -> Result<()> {
        let table = Table::new(columns)?;
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                let path = self.path.as_deref().unwrap_or("-");
                none.insert(TableWriter::create(path, table.schema(), &WriteOptions::default())?)
            }
        };
        writer.write(&table.view())?;
        Ok(writer.flush()?)
    }

    fn finish(self) -> Result<()> {
        Ok(self.writer.map_or(Ok(()), TableWriter::finish)?)
    }
}

pub fn transform(args: &TransformArgs) -> Result<()> {
    let started = Instant::now();
    let fitted = load::open(&args.model)?;
    if args.inverse {
        return inverse_transform(args, &fitted, started);
    }
    let transformer =
        fitted.model.as_transformer().ok_or_else(|| anyhow!("this model does not transform; try ermine predict"))?;
    let schema = transformer.schema_out(&fitted.schema);
    let names: Vec<&str> = schema.names().collect();
    let mut out = RowOutput::new(args.output.as_deref(), &args.everywhere);
    let mut kept: Option<Mat<f64>> = None;
    let notes = args.reading.scan_for(&args.data, &fitted, &mut |x| {
        let z = transformer.transform(x)?;
        if out.takes_blocks {
            return out.write(number_columns(&names, &z));
        }
        match &mut kept {
            Some(all) => all.append_rows(z),
            None => kept = Some(z),
        }
        Ok(())
    })?;
    print_notes(&args.everywhere, &notes);
    match kept {
        Some(z) => write_matrix(out, &names, &z, &fitted, &notes, &args.everywhere, started),
        None => out.finish(),
    }
}

/// Writes the columns of a matrix, and returns them as JSON where requested.
fn write_matrix(
    mut out: RowOutput,
    names: &[&str],
    z: &Mat<f64>,
    fitted: &Fitted,
    notes: &[String],
    everywhere: &GlobalArgs,
    started: Instant,
) -> Result<()> {
    if out.is_wanted() {
        out.write(number_columns(names, z))?;
    }
    out.finish()?;
    if !everywhere.json {
        return Ok(());
    }
    let model = fitted.learner.spec().name;
    let more = json!({"model": model, "n_rows": z.rows(), "columns": names, "rows": rows_json(z), "notes": notes});
    print_json("transform", everywhere, started.elapsed().as_secs_f64(), more)
}

/// Inverse transform: from transformed columns to columns like those of the training data.
fn inverse_transform(args: &TransformArgs, fitted: &Fitted, started: Instant) -> Result<()> {
    let transformer =
        fitted.model.as_transformer().ok_or_else(|| anyhow!("this model does not transform, so it has no inverse transform"))?;
    let made = transformer.schema_out(&fitted.schema);
    let loaded = args.reading.read(&args.data)?;
    print_notes(&args.everywhere, &loaded.notes);
    let names: Vec<&str> = made.names().collect();
    let z = loaded.table.select(&names)?.view().to_numbers("inverse transform")?;
    let x = transformer.inverse(z.view())?.ok_or_else(|| {
        anyhow!("this model has no inverse transform; kernel-pca learns one with --set fit_inverse_transform=true")
    })?;
    let names: Vec<String> = match fitted.schema.len() == x.cols() {
        true => fitted.schema.names().map(str::to_owned).collect(),
        false => (0..x.cols()).map(|j| format!("x{j}")).collect(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let out = RowOutput::new(args.output.as_deref(), &args.everywhere);
    write_matrix(out, &names, &x, fitted, &loaded.notes, &args.everywhere, started)
}

fn number_columns(names: &[&str], m: &Mat<f64>) -> Vec<(String, Column)> {
    names.iter().enumerate().map(|(j, name)| ((*name).to_owned(), number_column(m, j))).collect()
}

fn number_column(m: &Mat<f64>, j: usize) -> Column {
    Column::Number { values: m.view().col_iter(j).collect(), valid: None }
}

fn rows_json(m: &Mat<f64>) -> Value {
    Value::Array((0..m.rows()).map(|i| json!(m.row(i))).collect())
}
