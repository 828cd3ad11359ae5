//! From what was typed to what it means: tables, problems, learners.

use anyhow::{Context as _, Result};
use ermine::core::{AnyLearner, ColumnKind, Family, Field, Schema, Spec, Task};
use ermine::data::{Format, Loaded, ReadOptions};
use ermine::learn::prepare::Prepare;
use ermine::prelude::*;
use serde_json::Value;

use crate::args::{Learning, Reading};
use crate::failure::Usage;

impl Reading {
    pub fn options(&self) -> Result<ReadOptions> {
        let mut options = ReadOptions {
            missing: self.missing.clone(),
            drop: self.drop.clone(),
            labels: self.labels.clone(),
            ..ReadOptions::default()
        };
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

    /// What is worth keeping with a model, so that further data is read alike.
    pub fn remember(&self, fitted: &mut Fitted) -> Result<()> {
        let ReadOptions { missing, types, .. } = self.options()?;
        (fitted.data.missing, fitted.data.types) = (missing, types);
        Ok(())
    }

    /// Reads data for a model, as its training data was read: the same types, the same words for missing. What is typed
    /// now overrules.
    pub fn read_for(&self, data: &str, fitted: &Fitted) -> Result<ForModel> {
        let mut options = self.options()?;
        options.missing = options.missing.or_else(|| fitted.data.missing.clone());
        let mut kinds = fitted.schema.clone();
        let others = fitted.data.types.iter().filter(|(name, _)| fitted.schema.names().all(|n| n != name.as_str()));
        let field =
            |(name, kind): (&String, &ColumnKind)| Field { name: name.clone(), kind: *kind, categories: Default::default() };
        kinds.fields.extend(others.map(field));
        options.expect(&kinds);
        let format = options.format.or_else(|| Format::of_name(data));
        if format == Some(Format::Libsvm) && fitted.learner.spec().accepts.sparse && counts_up(&fitted.schema) {
            let (x, y, notes) = ermine::data::read_sparse_expected(data, &options)?;
            return Ok(ForModel { table: Table::new([("target", Column::numbers(y))])?, sparse: Some(x), notes });
        }
        let Loaded { table, notes, .. } = ermine::data::read(data, &options)?;
        Ok(ForModel { table, sparse: None, notes })
    }
}

/// Whether the columns are x1, x2, …: those of libsvm text, none of them left out.
fn counts_up(schema: &Schema) -> bool {
    schema.names().enumerate().all(|(j, name)| name.strip_prefix('x').and_then(|n| n.parse().ok()) == Some(j + 1))
}

/// Data that was read for a model.
pub struct ForModel {
    /// All columns, or, when the model takes sparse rows as they are, all others.
    pub table: Table,
    pub sparse: Option<Csr>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// The columns of a model, in its order.
pub enum Rows {
    Table(Table),
    Sparse(Csr),
}

impl Rows {
    pub fn view(&self) -> Features<'_> {
        match self {
            Self::Table(t) => Features::Table(t.view()),
            Self::Sparse(x) => Features::Csr(x.view()),
        }
    }
}

impl ForModel {
    /// The columns of the model; what is unlike the training data is noted.
    pub fn rows(&mut self, fitted: &Fitted) -> Result<Rows> {
        match self.sparse.take() {
            Some(x) => Ok(Rows::Sparse(x)),
            None => {
                let aligned = fitted.align(&self.table)?;
                self.notes.extend(fitted.unseen(&aligned));
                Ok(Rows::Table(aligned))
            }
        }
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

    /// The task that was asked for, by `--task` or by models that all do nothing but regression: to them a target of few whole
    /// numbers is numbers, not classes.
    fn task_of(&self, models: &[String]) -> Result<Option<Task>> {
        let asked = self.task()?;
        if asked.is_some() || models.is_empty() {
            return Ok(asked);
        }
        for name in models {
            let tasks = ermine::learner(name)?.spec().tasks;
            if !tasks.contains(&Task::Regression) || tasks.contains(&Task::Classification) {
                return Ok(None);
            }
        }
        Ok(Some(Task::Regression))
    }

    /// What the columns of the data are; the reader has left out those to drop.
    pub fn roles(&self, targets: &[String], models: &[String]) -> Result<Roles> {
        let (targets, weight) = (targets.to_vec(), self.weight.clone());
        Ok(Roles { targets, weight, drop: Vec::new(), task: self.task_of(models)?, classes: None })
    }

    pub fn problem(&self, reading: &Reading, data: &str, targets: &[String], models: &[String]) -> Result<Problem> {
        let loaded = reading.read(data)?;
        let mut problem = Problem::from_table(loaded.table, &self.roles(targets, models)?)?;
        problem.notes.splice(0..0, loaded.notes);
        Ok(problem)
    }

    /// The learner as it will be trained on a table: prepared, unless that was switched off, with the feature maps that were asked for.
    pub fn ready(&self, learner: Box<dyn AnyLearner>) -> Box<dyn AnyLearner> {
        if self.features.is_empty() {
            return if self.prepare == "none" { learner } else { prepared(learner) };
        }
        // Maps take numbers, whatever the learner behind them takes.
        let first = (self.prepare != "none").then(|| Box::new(Prepare::default()) as Box<dyn AnyLearner>);
        let maps = self.features.iter().map(|m| m.0.boxed());
        Box::new(Pipeline::new(first.into_iter().chain(maps).chain([learner])))
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

/// The learners that are compared on a target when none are named: all that do the task but those that only repeat others
/// ([`ermine::BY_REQUEST`]), the baseline last.
pub fn candidates(y: &OwnedTarget) -> Vec<Box<dyn AnyLearner>> {
    let Some(task) = y.view().task() else { return Vec::new() };
    let fits =
        |spec: &Spec| spec.tasks.contains(&task) && spec.family != Family::Composite && !ermine::BY_REQUEST.contains(&spec.name);
    let (mut all, baseline): (Vec<_>, Vec<_>) =
        ermine::catalogue().filter(|l| fits(l.spec())).partition(|l| l.spec().family != Family::Baseline);
    all.extend(baseline);
    all
}

pub fn open(path: &std::path::Path) -> Result<Fitted> {
    Fitted::load(path).with_context(|| format!("cannot open the model {}", path.display()))
}

/// Only the columns the model, the target and the weights need: others may be anything.
pub fn needed(table: &Table, fitted: &Fitted, options: &Roles) -> Result<Table> {
    let mut names: Vec<&str> = fitted.schema.names().filter(|n| table.schema().position(n).is_ok()).collect();
    names.extend(options.targets.iter().map(String::as_str));
    names.extend(options.weight.as_deref());
    Ok(table.select(&names)?)
}
