//! `ermine evaluate`: metrics, confusion matrix, thresholds, costs.

use std::fmt::Write;
use std::time::Instant;

use anyhow::Result;
use ermine::core::{Flow, RowSource, Task};
use ermine::learn::decide::CostMatrix;
use ermine::learn::metrics::{self, Confusion, Predictions};
use ermine::prelude::*;
use ermine::report::{ReportInput, ReportOptions};
use serde_json::{Value, json};

use super::{metrics_json, print, print_json, print_notes, report};
use crate::args::EvaluateArgs;
use crate::error::UsageError;
use crate::load;
use crate::text::{self, Align};

pub fn run(args: &EvaluateArgs) -> Result<()> {
    let started = Instant::now();
    args.report.as_deref().map(report::check).transpose()?;
    let fitted = load::open(&args.model)?;
    if fitted.model.as_classifier().is_none() && (args.cost.is_some() || args.abstain.is_some()) {
        return Err(UsageError("--cost and --abstain ask for decisions, and this model does not classify".into()).into());
    }
    let data = match in_blocks(args, &fitted)? {
        Some(data) => data,
        None => in_memory(args, &fitted)?,
    };
    let n_rows = data.n_rows;
    let mut more = json!({"model": fitted.learner.spec().name, "n_rows": n_rows, "metrics": metrics_json(&data.measures)});
    let mut out = format!("{} rows\n\n", text::count(n_rows));
    for (name, value) in &data.measures {
        writeln!(out, "  {name:18} {}", text::number(*value))?;
    }
    if let (Some(Predictions::Classes { proba, classes }), OwnedTarget::Class { codes, names }) = (&data.predictions, &data.y) {
        let rows = DecisionData { codes, proba, weight: data.weight.as_deref(), names };
        out += &decisions(args, &rows, classes, &mut more)?;
    }
    if let Some((path, page)) = args.report.as_ref().zip(data.page) {
        more["report"] = page;
        writeln!(out, "\nreport written to {}", path.display())?;
    }
    print_notes(&args.everywhere, &data.notes);
    more["notes"] = json!(data.notes);
    if args.everywhere.json {
        return print_json("evaluate", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    print(&out)
}

/// Predictions of a model for rows, and their metrics.
struct Evaluation {
    n_rows: usize,
    measures: Vec<(&'static str, f64)>,
    /// Of a model that predicts the target.
    predictions: Option<Predictions>,
    y: OwnedTarget,
    weight: Option<Vec<f64>>,
    notes: Vec<String>,
    /// Where the page is, when one was written.
    page: Option<Value>,
}

/// The roles of the columns; `there` tells whether a column is in the data.
fn roles(args: &EvaluateArgs, fitted: &Fitted, there: &dyn Fn(&str) -> bool) -> Roles {
    let classifier = fitted.model.as_classifier();
    let supervised = classifier.is_some() || fitted.model.as_regressor().is_some();
    let compares = supervised || fitted.model.as_clusterer().is_some();
    let targets = match &args.target {
        _ if !compares => Vec::new(),
        Some(name) => vec![name.clone()],
        // Groups are compared with a column that was left out in training, when it is there.
        None if !supervised && fitted.target.names.iter().any(|n| !there(n)) => Vec::new(),
        None => fitted.target.names.clone(),
    };
    let task = if classifier.is_some() || !supervised { Task::Classification } else { Task::Regression };
    Roles {
        task: Some(task).filter(|_| !targets.is_empty()),
        targets,
        weight: args.weight.clone(),
        drop: Vec::new(),
        classes: classifier.map(|c| c.classes().to_vec()),
    }
}

/// Evaluates predictions block by block: of the rows only the predictions are kept. None where the rows are needed whole: for a page, for
/// the measures of groups and reductions, and where the format is not read in blocks.
fn in_blocks(args: &EvaluateArgs, fitted: &Fitted) -> Result<Option<Evaluation>> {
    let roles = roles(args, fitted, &|_| true);
    let predicts = fitted.model.as_classifier().is_some() || fitted.model.as_regressor().is_some();
    if args.report.is_some() || !predicts || roles.targets.is_empty() {
        return Ok(None);
    }
    let Some(stream) = args.reading.stream_for(&args.data, fitted, &roles)? else { return Ok(None) };
    let mut unseen = fitted.unseen_categories();
    let mut all: Option<(Predictions, OwnedTarget, Option<Vec<f64>>)> = None;
    let mut n_rows = 0;
    stream.scan(&mut |block| {
        let Features::Table(table) = block.x else { return Ok(Flow::Continue) };
        let rows = fitted.align(table.table())?;
        unseen.add(&rows);
        if rows.rows() == 0 {
            return Ok(Flow::Continue);
        }
        let of_block = Predictions::of(&*fitted.model, &Features::Table(rows.view()), &Context::default());
        let of_block = of_block.map_err(|e| e.with_row(|row| row + n_rows))?;
        n_rows += rows.rows();
        let every: Vec<usize> = (0..rows.rows()).collect();
        let (y, weight) = (block.y.take_rows(&every), block.weight.map(<[f64]>::to_vec));
        match &mut all {
            None => all = Some((of_block, y, weight)),
            Some((predictions, target, weights)) => {
                predictions.append(of_block);
                target.append(y);
                weights.iter_mut().for_each(|all| all.extend(weight.iter().flatten()));
            }
        }
        Ok(Flow::Continue)
    })?;
    let Some((predictions, y, weight)) = all else { return Err(no_rows(args)) };
    let measures = predictions.measures(&*fitted.model, &y.view(), weight.as_deref())?;
    let notes = stream.notes().iter().cloned().chain(unseen.notes()).collect();
    Ok(Some(Evaluation { n_rows, measures, predictions: Some(predictions), y, weight, notes, page: None }))
}

fn no_rows(args: &EvaluateArgs) -> anyhow::Error {
    anyhow::anyhow!("{}: there are no rows with a target to evaluate on", args.data)
}

fn in_memory(args: &EvaluateArgs, fitted: &Fitted) -> Result<Evaluation> {
    let mut read = args.reading.read_for(&args.data, fitted)?;
    let roles = roles(args, fitted, &|name| read.table.schema().position(name).is_ok());
    let mut problem = Problem::from_table(load::select_needed(&read.table, fitted, &roles)?, &roles)?;
    read.sparse = read.sparse.map(|x| problem.take_rows_of(&x));
    read.notes.append(&mut problem.notes);
    read.table = problem.x;
    let rows = read.align(fitted)?;
    let x = rows.view();
    if x.rows() == 0 {
        return Err(no_rows(args));
    }
    let (y, weight) = (problem.y.view(), problem.weight.as_deref());
    let predicts = fitted.model.as_classifier().is_some() || fitted.model.as_regressor().is_some();
    let predictions = match predicts && !roles.targets.is_empty() {
        true => Some(Predictions::of(&*fitted.model, &x, &Context::default())?),
        false => None,
    };
    let measures = match &predictions {
        Some(predictions) => predictions.measures(&*fitted.model, &y, weight)?,
        None => metrics::evaluate(&*fitted.model, &x, &y, weight)?,
    };
    let mut page = None;
    if let Some(path) = &args.report {
        let data = DatasetRef::new(x).with_target(y).with_weight(weight);
        let data = data.with_schema(Some(data.schema.unwrap_or(&fitted.schema)));
        // The report has a threshold to move, which needs two costs only.
        let cost = args.cost.as_deref().filter(|spec| !spec.contains(':')).map(cost_pair).transpose()?;
        let settings = ReportOptions { folds: 0, cost, ..ReportOptions::default() };
        let mut subject = ReportInput::new(fitted, data, settings);
        subject.origin.read_file_info(&args.data)?;
        subject.origin.model = Some(args.model.display().to_string());
        subject.origin.notes = read.notes.clone();
        page = Some(json!(report::write(path, subject, &args.everywhere)?));
    }
    Ok(Evaluation { n_rows: x.rows(), measures, predictions, y: problem.y, weight: problem.weight, notes: read.notes, page })
}

/// Confusion, thresholds, costs: what follows from probabilities of classes.
fn decisions(args: &EvaluateArgs, rows: &DecisionData<'_>, predicted: &[u32], more: &mut Value) -> Result<String> {
    let DecisionData { codes, proba, weight, names } = *rows;
    let confusion = metrics::confusion(codes, predicted, names.len(), weight);
    more["confusion"] = json!((0..names.len()).map(|t| confusion.counts.row(t)).collect::<Vec<_>>());
    more["classes"] = json!(names);
    let mut out = confusion_text(&confusion, names);
    if names.len() == 2 {
        let (rows, list) = thresholds(codes, proba, weight);
        more["thresholds"] = list;
        out += &format!("\nThresholds on the probability of \"{}\"\n", names[1]);
        out += &text::table(&["threshold", "precision", "recall", "false positive rate"], &[Align::Right; 4], &rows);
    }
    let errors = match &args.cost {
        Some(spec) => cost_matrix(spec, names)?,
        None => CostMatrix::zero_one(names.len())?,
    };
    if let Some(spec) = &args.cost {
        let (line, value) = costs(spec, &errors, rows)?;
        more["cost"] = value;
        out += &line;
    }
    if let Some(cost) = args.abstain {
        let (line, value) = abstention(cost, &errors, rows)?;
        more["abstention"] = value;
        out += &line;
    }
    Ok(out)
}

fn confusion_text(confusion: &Confusion, names: &[String]) -> String {
    let heads: Vec<String> = names.iter().map(|n| text::truncate(n, 14)).collect();
    let mut head = vec!["true \\ predicted"];
    head.extend(heads.iter().map(String::as_str));
    let mut align = vec![Align::Left];
    align.resize(head.len(), Align::Right);
    let rows: Vec<Vec<String>> = (0..names.len())
        .map(|t| std::iter::once(heads[t].clone()).chain(confusion.counts.row(t).iter().map(|&v| text::number(v))).collect())
        .collect();
    format!("\n{}", text::table(&head, &align, &rows))
}

fn thresholds(codes: &[u32], proba: &Mat<f64>, weight: Option<&[f64]>) -> (Vec<Vec<String>>, Value) {
    let mut rows = Vec::new();
    let mut list = Vec::new();
    for step in 1..10 {
        let threshold = f64::from(step) / 10.0;
        let predicted: Vec<u32> = (0..proba.rows()).map(|i| u32::from(proba[(i, 1)] >= threshold)).collect();
        let table = metrics::confusion(codes, &predicted, 2, weight);
        let (precision, recall, _) = table.precision_recall_f1(1);
        let negatives = table.counts[(0, 0)] + table.counts[(0, 1)];
        let fpr = if negatives > 0.0 { table.counts[(0, 1)] / negatives } else { 0.0 };
        rows.push([threshold, precision, recall, fpr].map(text::number).to_vec());
        list.push(json!({"threshold": threshold, "precision": precision, "recall": recall, "false_positive_rate": fpr}));
    }
    (rows, Value::Array(list))
}

/// The costs of a false positive and a false negative, from the argument.
pub fn cost_pair(spec: &str) -> Result<(f64, f64)> {
    let (mut fp, mut fnc) = (1.0, 1.0);
    for pair in spec.split(',') {
        let wrong = || UsageError(format!("--cost {spec}: write fp=5,fn=1"));
        let (key, value) = pair.split_once('=').ok_or_else(wrong)?;
        let value: f64 = value.trim().parse().map_err(|_| wrong())?;
        if !(value.is_finite() && value >= 0.0) {
            return Err(wrong().into());
        }
        match key.trim() {
            "fp" => fp = value,
            "fn" => fnc = value,
            _ => return Err(wrong().into()),
        }
    }
    Ok((fp, fnc))
}

/// Costs of errors, from the argument: `fp=5,fn=1` for two classes, `TRUE:PREDICTED=5` for any; all others cost 1.
fn cost_matrix(spec: &str, names: &[String]) -> Result<CostMatrix> {
    if !spec.contains(':') {
        if names.len() != 2 {
            return Err(UsageError(format!(
                "--cost {spec}: fp and fn are errors of two classes, and there are {}; write TRUE:PREDICTED=5, which is {}:{}=5 here",
                names.len(),
                names[0],
                names[1]
            ))
            .into());
        }
        let (fp, miss) = cost_pair(spec)?;
        return Ok(CostMatrix::two(fp, miss)?);
    }
    let mut matrix = CostMatrix::zero_one(names.len())?.matrix().clone();
    for pair in spec.split(',') {
        let wrong = || UsageError(format!("--cost {pair}: write TRUE:PREDICTED=5"));
        let (classes, value) = pair.rsplit_once('=').ok_or_else(wrong)?;
        // A name may contain a colon: the split is where both sides are classes.
        let place = |name: &str| names.iter().position(|n| n == name.trim());
        let pair_of_classes =
            classes.match_indices(':').find_map(|(at, _)| Some((place(&classes[..at])?, place(&classes[at + 1..])?)));
        let (truth, predicted) = pair_of_classes.ok_or_else(|| {
            UsageError(format!("--cost {pair}: \"{classes}\" is not a pair of classes; the classes are {}", names.join(", ")))
        })?;
        let value: f64 = value.trim().parse().map_err(|_| wrong())?;
        if !(value.is_finite() && value >= 0.0) {
            return Err(UsageError(format!("--cost {pair}: a cost is a finite number, 0 or more")).into());
        }
        matrix[(truth, predicted)] = value;
    }
    Ok(CostMatrix::new(matrix)?)
}

/// Predicted rows, with their weights.
struct DecisionData<'a> {
    codes: &'a [u32],
    proba: &'a Mat<f64>,
    weight: Option<&'a [f64]>,
    names: &'a [String],
}

/// The cost of the decisions with the least expected cost, beside that of the most probable classes.
fn costs(spec: &str, costs: &CostMatrix, rows: &DecisionData<'_>) -> Result<(String, Value)> {
    let bayes = costs.realized_cost(rows.codes, &costs.decide(rows.proba.view())?.action, rows.weight);
    let probable = CostMatrix::zero_one(rows.names.len())?.decide(rows.proba.view())?.action;
    let plain = costs.realized_cost(rows.codes, &probable, rows.weight);
    let mut value = json!({"matrix": (0..rows.names.len()).map(|t| costs.matrix().row(t)).collect::<Vec<_>>(), "total": bayes});
    if rows.names.len() == 2 {
        let (fp, miss) = (costs.matrix()[(0, 1)], costs.matrix()[(1, 0)]);
        (value["fp"], value["fn"], value["threshold"]) = (json!(fp), json!(miss), json!(costs.threshold()));
        value["total_at_half"] = json!(plain);
    } else {
        value["total_of_most_probable"] = json!(plain);
    }
    let how = match costs.threshold() {
        Some(t) => format!(
            "calling \"{}\" from probability {} on (from 0.5 on: {})",
            rows.names[1],
            text::number(t),
            text::number(plain)
        ),
        None => format!("by the least expected cost (predicting the most probable class: {})", text::number(plain)),
    };
    let line = format!("Cost with {spec}: {} {how}", text::number(bayes));
    Ok((format!("\n{}", text::paragraph(&line, 80)), value))
}

/// Abstaining where every answer is expected to cost more; with all errors costing 1, Chow's rule.
fn abstention(cost: f64, errors: &CostMatrix, rows: &DecisionData<'_>) -> Result<(String, Value)> {
    let most_expensive = errors.matrix().as_slice().iter().fold(0.0, |a: f64, b| a.max(*b));
    if !(0.0..=most_expensive).contains(&cost) {
        let message = format!(
            "--abstain {cost}: the cost of abstaining must be between 0 and that of the most expensive error, {most_expensive}"
        );
        return Err(UsageError(message).into());
    }
    let costs = errors.clone().with_abstention(cost)?;
    let action = costs.decide(rows.proba.view())?.action;
    let share = |hit: &dyn Fn(usize) -> bool| {
        (0..action.len()).filter(|&i| hit(i)).map(|i| rows.weight.map_or(1.0, |w| w[i])).fold(0.0, |a, w| a + w)
    };
    let all = share(&|_| true);
    let declined = share(&|i| Some(action[i]) == costs.abstention());
    let right = share(&|i| action[i] == rows.codes[i]);
    let accuracy = if all > declined { right / (all - declined) } else { f64::NAN };
    let a_row = costs.realized_cost(rows.codes, &action, rows.weight) / all;
    let line = format!(
        "Abstaining costs {cost}: {} of rows without a decision, accuracy {} on the others, cost {} per row",
        text::number(declined / all),
        text::number(accuracy),
        text::number(a_row)
    );
    let value = json!({"cost": cost, "declined": declined / all, "accuracy": accuracy, "cost_per_row": a_row});
    Ok((format!("\n{}", text::paragraph(&line, 80)), value))
}
