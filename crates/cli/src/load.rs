//! From what was typed to what it means: tables, problems, learners.

use anyhow::{Context as _, Result};
use ermine::core::{AnyLearner, ColumnKind, Family, Field, Schema, Spec, Task};
use ermine::data::{Format, LoadedTable, ReadOptions};
use ermine::learn::preprocessing::Prepare;
use ermine::prelude::*;
use serde_json::Value;

use crate::args::{LearnArgs, ReadArgs};
use crate::error::UsageError;

impl ReadArgs {
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
            let (column, kind) = pair.rsplit_once('=').ok_or_else(|| UsageError(format!("--type {pair}: write COLUMN=TYPE")))?;
            options.types.insert(column.to_owned(), kind.parse()?);
        }
        if let Some(c) = self.delimiter {
            options.delimiter =
                Some(u8::try_from(c).map_err(|_| UsageError(format!("--delimiter {c}: it must be one ASCII character")))?);
        }
        Ok(options)
    }

    pub fn read(&self, data: &str) -> Result<LoadedTable> {
        Ok(ermine::data::read(data, &self.options()?)?)
    }

    /// What is worth keeping with a model, so that further data is read alike.
    pub fn record_read_options(&self, fitted: &mut Fitted) -> Result<()> {
        let ReadOptions { missing, types, .. } = self.options()?;
        (fitted.data.missing, fitted.data.types) = (missing, types);
        Ok(())
    }

    /// Reads data for a model, as its training data was read: the same types, the same words for missing. What is typed
    /// now overrules.
    pub fn read_for(&self, data: &str, fitted: &Fitted) -> Result<ModelTable> {
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
            return Ok(ModelTable { table: Table::new([("target", Column::numbers(y))])?, sparse: Some(x), notes });
        }
        let LoadedTable { table, notes, .. } = ermine::data::read(data, &options)?;
        Ok(ModelTable { table, sparse: None, notes })
    }
}

/// Whether the columns are x1, x2, …: those of libsvm text, none of them left out.
fn counts_up(schema: &Schema) -> bool {
    schema.names().enumerate().all(|(j, name)| name.strip_prefix('x').and_then(|n| n.parse().ok()) == Some(j + 1))
}

/// Data that was read for a model.
pub struct ModelTable {
    /// All columns, or, when the model takes sparse rows as they are, all others.
    pub table: Table,
    pub sparse: Option<Csr>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// The columns of a model, in its order.
pub enum AlignedRows {
    Table(Table),
    Sparse(Csr),
}

impl AlignedRows {
    pub fn view(&self) -> Features<'_> {
        match self {
            Self::Table(t) => Features::Table(t.view()),
            Self::Sparse(x) => Features::Csr(x.view()),
        }
    }
}

impl ModelTable {
    /// The columns of the model; what is unlike the training data is noted.
    pub fn align(&mut self, fitted: &Fitted) -> Result<AlignedRows> {
        match self.sparse.take() {
            Some(x) => Ok(AlignedRows::Sparse(x)),
            None => {
                let aligned = fitted.align(&self.table)?;
                self.notes.extend(fitted.unseen_categories(&aligned));
                Ok(AlignedRows::Table(aligned))
            }
        }
    }
}

impl LearnArgs {
    pub fn task(&self) -> Result<Option<Task>> {
        let known = [Task::Regression, Task::Classification, Task::Clustering, Task::Reduction, Task::Density];
        let Some(word) = self.task.as_deref() else { return Ok(None) };
        let task = known.into_iter().find(|t| t.name() == word);
        let expected = "it must be regression, classification, clustering, reduction or density";
        Ok(Some(task.ok_or_else(|| UsageError(format!("--task {word}: {expected}")))?))
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

    /// The task that was asked for, when it can be done with the targets there are.
    pub fn task_for(&self, targets: &[String]) -> Result<Option<Task>> {
        match self.task()? {
            Some(task) if task.is_supervised() && targets.is_empty() => {
                Err(UsageError(format!("--task {task} needs a target; name it with --target COL")).into())
            }
            task => Ok(task),
        }
    }

    /// What the columns of the data are; the reader has left out those to drop.
    pub fn roles(&self, targets: &[String], models: &[String]) -> Result<Roles> {
        let (targets, weight) = (targets.to_vec(), self.weight.clone());
        // A column that is named beside a task without target has groups to compare with.
        let task = match self.task_of(models)? {
            Some(task) if task.is_supervised() => Some(task),
            Some(_) if !targets.is_empty() => Some(Task::Classification),
            _ => None,
        };
        Ok(Roles { targets, weight, drop: Vec::new(), task, classes: None })
    }

    pub fn problem(&self, reading: &ReadArgs, data: &str, targets: &[String], models: &[String]) -> Result<Problem> {
        let loaded = reading.read(data)?;
        let mut problem = Problem::from_table(loaded.table, &self.roles(targets, models)?)?;
        problem.notes.splice(0..0, loaded.notes);
        Ok(problem)
    }

    /// The learner as it will be trained on a table: prepared, unless that was switched off, with the feature maps that were asked for.
    pub fn prepared_learner(&self, learner: Box<dyn AnyLearner>) -> Box<dyn AnyLearner> {
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
        let (key, value) = pair.split_once('=').ok_or_else(|| UsageError(format!("--set {pair}: write KEY=VALUE")))?;
        // A value is JSON where it reads as such and a word otherwise.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        params.insert(key.to_owned(), value);
    }
    learner.set_all(&params)?;
    Ok(learner)
}

/// The learner that was asked for, or a sensible one for the task; `target` is the task that the target asks for.
pub fn resolve_learner(
    model: Option<&str>,
    set: &[String],
    asked: Option<Task>,
    target: Option<Task>,
) -> Result<Box<dyn AnyLearner>> {
    if let Some(name) = model {
        return learner(name, set);
    }
    let name = match asked.or(target) {
        Some(Task::Classification) => "logistic",
        Some(Task::Regression) => "ridge",
        Some(Task::Reduction) => "pca",
        Some(Task::Density) => {
            let density =
                ermine::catalogue().map(|l| l.spec()).find(|s| s.tasks.contains(&Task::Density) && s.family != Family::Composite);
            density.ok_or_else(|| UsageError("--task density: no model of the catalogue estimates a density".into()))?.name
        }
        _ => {
            // Eight clusters, the default of kmeans, would be a guess.
            let rule = "n_clusters=silhouette".to_owned();
            let first = (!set.iter().any(|s| s.starts_with("n_clusters="))).then_some(rule);
            return learner("kmeans", &first.into_iter().chain(set.iter().cloned()).collect::<Vec<_>>());
        }
    };
    learner(name, set)
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

/// Rows for a model, with the target where it predicts one.
pub struct LabeledRows {
    pub rows: AlignedRows,
    pub y: OwnedTarget,
    pub weight: Option<Vec<f64>>,
    /// What a person should know.
    pub notes: Vec<String>,
}

impl LabeledRows {
    /// Reads rows to judge a model by.
    pub fn read(reading: &ReadArgs, data: &str, weight: Option<&String>, fitted: &Fitted) -> Result<Self> {
        let mut read = reading.read_for(data, fitted)?;
        let classifier = fitted.model.as_classifier();
        let supervised = classifier.is_some() || fitted.model.as_regressor().is_some();
        let roles = Roles {
            targets: if supervised { fitted.target.names.clone() } else { Vec::new() },
            weight: weight.cloned(),
            drop: Vec::new(),
            task: Some(if classifier.is_some() { Task::Classification } else { Task::Regression }).filter(|_| supervised),
            classes: classifier.map(|c| c.classes().to_vec()),
        };
        let mut problem = Problem::from_table(select_needed(&read.table, fitted, &roles)?, &roles)?;
        read.sparse = read.sparse.map(|x| problem.take_rows_of(&x));
        read.notes.append(&mut problem.notes);
        read.table = problem.x;
        let rows = read.align(fitted)?;
        if rows.view().rows() == 0 {
            return Err(anyhow::anyhow!("{data}: there are no rows with a target to judge the model by"));
        }
        Ok(Self { rows, y: problem.y, weight: problem.weight, notes: read.notes })
    }

    pub fn dataset<'a>(&'a self, fitted: &'a Fitted) -> Dataset<'a> {
        let data = Dataset::new(self.rows.view()).with_target(self.y.view()).with_weight(self.weight.as_deref());
        data.with_schema(Some(data.schema.unwrap_or(&fitted.schema)))
    }
}

/// Only the columns the model, the target and the weights need: others may be anything.
pub fn select_needed(table: &Table, fitted: &Fitted, options: &Roles) -> Result<Table> {
    let mut names: Vec<&str> = fitted.schema.names().filter(|n| table.schema().position(n).is_ok()).collect();
    names.extend(options.targets.iter().map(String::as_str));
    names.extend(options.weight.as_deref());
    Ok(table.select(&names)?)
}
