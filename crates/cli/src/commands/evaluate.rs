//! `ermine evaluate`: measures, confusion, thresholds, costs.

use std::fmt::Write;
use std::time::Instant;

use anyhow::Result;
use ermine::core::Task;
use ermine::learn::metrics::{self, Confusion};
use ermine::prelude::*;
use ermine::report::{Settings, Subject};
use serde_json::{Value, json};

use super::{metrics_json, print, print_json, remark, report};
use crate::args::Evaluate;
use crate::failure::Usage;
use crate::load;
use crate::text::{self, Align};

pub fn run(args: &Evaluate) -> Result<()> {
    let started = Instant::now();
    args.report.as_deref().map(report::check).transpose()?;
    let fitted = load::open(&args.model)?;
    let mut read = args.reading.read_for(&args.data, &fitted)?;
    let classifier = fitted.model.as_classifier();
    let supervised = classifier.is_some() || fitted.model.as_regressor().is_some();
    let targets = match &args.target {
        Some(name) => vec![name.clone()],
        // Groups are compared with a column that was left out in training, when it is there.
        None if !supervised && fitted.target.names.iter().any(|n| read.table.schema().position(n).is_err()) => Vec::new(),
        None => fitted.target.names.clone(),
    };
    let compares = supervised || fitted.model.as_clusterer().is_some();
    let task = if classifier.is_some() || !supervised { Task::Classification } else { Task::Regression };
    let options = Roles {
        task: Some(task).filter(|_| !targets.is_empty() && compares),
        targets: if compares { targets } else { Vec::new() },
        weight: args.weight.clone(),
        drop: Vec::new(),
        classes: classifier.map(|c| c.classes().to_vec()),
    };
    let mut problem = Problem::from_table(load::needed(&read.table, &fitted, &options)?, &options)?;
    read.sparse = read.sparse.map(|x| problem.take_rows_of(&x));
    read.notes.append(&mut problem.notes);
    read.table = problem.x;
    let rows = read.rows(&fitted)?;
    let x = rows.view();
    if x.rows() == 0 {
        return Err(anyhow::anyhow!("{}: there are no rows with a target to evaluate on", args.data));
    }
    let y = problem.y.view();
    let weight = problem.weight.as_deref();
    let measures = metrics::evaluate(&*fitted.model, &x, &y, weight)?;
    let mut more = json!({"model": fitted.learner.spec().name, "n_rows": x.rows(), "metrics": metrics_json(&measures)});
    let mut out = format!("{} rows\n\n", text::count(x.rows()));
    for (name, value) in &measures {
        writeln!(out, "  {name:18} {}", text::number(*value))?;
    }
    if let (Some(c), Target::Class { codes, names }) = (classifier, y) {
        let proba = c.proba(&x)?;
        let found = c.classify(&x)?;
        let confusion = metrics::confusion(codes, &found, names.len(), weight);
        more["confusion"] = json!((0..names.len()).map(|t| confusion.counts.row(t)).collect::<Vec<_>>());
        more["classes"] = json!(names);
        out += &confusion_text(&confusion, names);
        if names.len() == 2 {
            let (rows, list) = thresholds(codes, &proba, weight);
            more["thresholds"] = list;
            out += &format!("\nThresholds on the probability of \"{}\"\n", names[1]);
            out += &text::table(&["threshold", "precision", "recall", "false positive rate"], &[Align::Right; 4], &rows);
        }
        if let Some(cost) = &args.cost {
            let (line, value) = costs(cost, codes, &proba, weight, names)?;
            more["cost"] = value;
            out += &line;
        }
        if let Some(cost) = args.abstain {
            let (line, value) = abstention(cost, codes, &proba, weight)?;
            more["abstention"] = value;
            out += &line;
        }
    } else if args.cost.is_some() || args.abstain.is_some() {
        return Err(Usage("--cost and --abstain ask for decisions, and this model does not classify".into()).into());
    }
    if let Some(path) = &args.report {
        let data = Dataset::new(x).with_target(y).with_weight(weight);
        let data = data.with_schema(Some(data.schema.unwrap_or(&fitted.schema)));
        let cost = args.cost.as_deref().map(cost_pair).transpose()?;
        let settings = Settings { folds: 0, cost, ..Settings::default() };
        let mut subject = Subject::new(&fitted, data, settings);
        subject.origin.look_at(&args.data)?;
        subject.origin.model = Some(args.model.display().to_string());
        subject.origin.notes = read.notes.clone();
        more["report"] = json!(report::write(path, subject, &args.everywhere)?);
        writeln!(out, "\nreport written to {}", path.display())?;
    }
    remark(&args.everywhere, &read.notes);
    more["notes"] = json!(read.notes);
    if args.everywhere.json {
        return print_json("evaluate", &args.everywhere, started.elapsed().as_secs_f64(), more);
    }
    print(&out)
}

fn confusion_text(confusion: &Confusion, names: &[String]) -> String {
    let heads: Vec<String> = names.iter().map(|n| text::cut(n, 14)).collect();
    let mut head = vec!["true \\ found"];
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
        let found: Vec<u32> = (0..proba.rows()).map(|i| u32::from(proba[(i, 1)] >= threshold)).collect();
        let table = metrics::confusion(codes, &found, 2, weight);
        let (precision, recall, _) = table.precision_recall_f1(1);
        let negatives = table.counts[(0, 0)] + table.counts[(0, 1)];
        let fpr = if negatives > 0.0 { table.counts[(0, 1)] / negatives } else { 0.0 };
        rows.push([threshold, precision, recall, fpr].map(text::number).to_vec());
        list.push(json!({"threshold": threshold, "precision": precision, "recall": recall, "false_positive_rate": fpr}));
    }
    (rows, Value::Array(list))
}

/// The costs of a false positive and a false negative, as typed.
pub fn cost_pair(spec: &str) -> Result<(f64, f64)> {
    let (mut fp, mut fnc) = (1.0, 1.0);
    for pair in spec.split(',') {
        let wrong = || Usage(format!("--cost {spec}: write fp=5,fn=1"));
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

/// The cost of the Bayes decision under `fp=…,fn=…`: positive where p · fn ≥ (1 - p) · fp.
fn costs(spec: &str, codes: &[u32], proba: &Mat<f64>, weight: Option<&[f64]>, names: &[String]) -> Result<(String, Value)> {
    if names.len() != 2 {
        return Err(Usage(format!("--cost is for two classes, and there are {}", names.len())).into());
    }
    let (fp, fnc) = cost_pair(spec)?;
    let threshold = if fp + fnc > 0.0 { fp / (fp + fnc) } else { 0.5 };
    let total_at = |t: f64| -> f64 {
        (0..codes.len())
            .map(|i| {
                let w = weight.map_or(1.0, |w| w[i]);
                match (codes[i], proba[(i, 1)] >= t) {
                    (0, true) => w * fp,
                    (1, false) => w * fnc,
                    _ => 0.0,
                }
            })
            .sum()
    };
    let (bayes, half) = (total_at(threshold), total_at(0.5));
    let line = format!(
        "\nCost with fp={fp}, fn={fnc}: {} deciding \"{}\" from probability {} on (at 0.5 it is {})\n",
        text::number(bayes),
        names[1],
        text::number(threshold),
        text::number(half)
    );
    Ok((line, json!({"fp": fp, "fn": fnc, "threshold": threshold, "total": bayes, "total_at_half": half})))
}

/// Chow's rule: decline where the probability of an error is above the cost of declining.
fn abstention(cost: f64, codes: &[u32], proba: &Mat<f64>, weight: Option<&[f64]>) -> Result<(String, Value)> {
    if !(0.0..=1.0).contains(&cost) {
        return Err(Usage(format!("--abstain {cost}: the cost of declining lies between 0 and 1, where an error costs 1")).into());
    }
    let best = ermine::core::argmax_rows(proba.view());
    let (mut declined, mut wrong, mut right) = (0.0, 0.0, 0.0);
    for i in 0..codes.len() {
        let w = weight.map_or(1.0, |w| w[i]);
        if 1.0 - proba[(i, best[i] as usize)] > cost {
            declined += w;
        } else if best[i] == codes[i] {
            right += w;
        } else {
            wrong += w;
        }
    }
    let total = declined + wrong + right;
    let accuracy = if right + wrong > 0.0 { right / (right + wrong) } else { f64::NAN };
    let line = format!(
        "\nDeclining costs {cost}: {} of rows declined, accuracy {} on the others, cost {} a row\n",
        text::number(declined / total),
        text::number(accuracy),
        text::number((cost * declined + wrong) / total)
    );
    let value = json!({"cost": cost, "declined": declined / total, "accuracy": accuracy, "cost_per_row": (cost * declined + wrong) / total});
    Ok((line, value))
}
