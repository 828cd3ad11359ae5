//! From what was typed to what it means: tables, problems, learners.

use anyhow::{Context as _, Result};
use ermine::core::{AnyLearner, Family, Schema, Spec, Task};
use ermine::data::{Loaded, ReadOptions};
use ermine::prelude::*;
use serde_json::Value;

use crate::args::{Learning, Reading};
use crate::failure::Usage;

impl Reading {
    pub fn options(&self) -> Result<ReadOptions> {
        let mut options = ReadOptions { missing: self.missing.clone(), ..ReadOptions::default() };
        if let Some(format) = &self.format {
            options.format = Some(format.parse()?);
        }
        for pair in &self.types {
            let (column, kind) = pair.rsplit_once('=').ok_or_else(|| Usage(format!("--type {pair}: write COLUMN=TYPE")))?;
            options.types.insert(column.to_owned(), kind.parse()?);
        }
        if let Some(c) = self.delimiter {
            options.delimiter =
                Some(u8::try_from(c).map_err(|_| Usage(format!("--delimiter {c}: it must be one ASCII character")))?);
        }
        Ok(options)
    }

    pub fn read(&self, data: &str) -> Result<Loaded> {
        Ok(ermine::data::read(data, &self.options()?)?)
    }

    /// Reads data for a model: columns take the types the model was trained on.
    pub fn read_for(&self, data: &str, schema: &Schema) -> Result<Table> {
        let mut options = self.options()?;
        let plain = ermine::data::read(data, &options)?;
        let differs = |f: &ermine::core::Field| plain.table.schema().fields.iter().any(|g| g.name == f.name && g.kind != f.kind);
        let wanted: Vec<_> = schema.fields.iter().filter(|f| differs(f) && !options.types.contains_key(&f.name)).collect();
        if wanted.is_empty() || data == "-" {
            return Ok(plain.table);
        }
        options.types.extend(wanted.iter().map(|f| (f.name.clone(), f.kind)));
        Ok(ermine::data::read(data, &options)?.table)
    }
}

impl Learning {
    pub fn task(&self) -> Result<Option<Task>> {
        match self.task.as_deref() {
            None => Ok(None),
            Some("regression") => Ok(Some(Task::Regression)),
            Some("classification") => Ok(Some(Task::Classification)),
            Some(other) => Err(Usage(format!("--task {other}: it must be regression or classification")).into()),
        }
    }

    pub fn problem(&self, reading: &Reading, data: &str, targets: &[String]) -> Result<Problem> {
        let loaded = reading.read(data)?;
        let options = Roles {
            targets: targets.to_vec(),
            weight: self.weight.clone(),
            drop: reading.drop.clone(),
            task: self.task()?,
            classes: None,
        };
        let mut problem = Problem::from_table(loaded.table, &options)?;
        problem.notes.splice(0..0, loaded.notes);
        Ok(problem)
    }

    /// The learner as it will be trained on a table: prepared, unless that was switched off.
    pub fn ready(&self, learner: Box<dyn AnyLearner>) -> Box<dyn AnyLearner> {
        if self.prepare == "none" { learner } else { prepared(learner) }
    }
}

/// The learner called `name` with `key=value` parameters.
pub fn learner(name: &str, set: &[String]) -> Result<Box<dyn AnyLearner>> {
    let mut learner = ermine::learner(name)?;
    let mut params = serde_json::Map::new();
    for pair in set {
        let (key, value) = pair.split_once('=').ok_or_else(|| Usage(format!("--set {pair}: write KEY=VALUE")))?;
        // A value is JSON where it reads as such and a word otherwise.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        params.insert(key.to_owned(), value);
    }
    learner.set_all(&params)?;
    Ok(learner)
}

/// A sensible model for a task.
pub fn default_model(task: Option<Task>) -> &'static str {
    match task {
        None => "kmeans",
        Some(Task::Classification) => "logistic",
        Some(_) => "ridge",
    }
}

/// Every learner that can be compared on a target, the baseline last.
pub fn candidates(y: &OwnedTarget) -> Vec<Box<dyn AnyLearner>> {
    let Some(task) = y.view().task() else { return Vec::new() };
    let fits = |spec: &Spec| spec.tasks.contains(&task) && spec.family != Family::Composite;
    let (mut all, baseline): (Vec<_>, Vec<_>) =
        ermine::catalogue().filter(|l| fits(l.spec())).partition(|l| l.spec().family != Family::Baseline);
    all.extend(baseline);
    all
}

pub fn open(path: &std::path::Path) -> Result<Fitted> {
    Fitted::load(path).with_context(|| format!("cannot open the model {}", path.display()))
}
