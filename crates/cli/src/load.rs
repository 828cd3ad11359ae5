//! From arguments to tables, problems and learners.

use std::collections::HashSet;

use anyhow::{Context as _, Result};
use ermine::core::typed::parse_pairs;
use ermine::core::{AnyLearner, ColumnKind, Family, Field, Flow, Schema, Spec, Task};
use ermine::data::{Format, LoadedTable, ReadOptions, RepairPolicy, RowStream, TableSource};
use ermine::learn::preprocessing::Prepare;
use ermine::prelude::*;
use serde_json::{Map, Value};

use crate::args::{LearnArgs, ReadArgs};
use crate::error::{UsageError, offset_row, typed};

impl ReadArgs {
    pub fn options(&self) -> Result<ReadOptions> {
        let mut options = ReadOptions {
            missing: self.missing.clone(),
            drop: self.drop.clone(),
            labels: self.labels.clone(),
            date_format: self.date_format.clone(),
            sheet: self.sheet.clone(),
            header: self.header.as_deref().map(|word| word == "yes"),
            repair: match (self.strict, self.lenient) {
                (true, _) => RepairPolicy::Never,
                (_, true) => RepairPolicy::Any,
                _ => RepairPolicy::Small,
            },
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

    /// Records the reading options in the model, so that further data are read alike.
    pub fn record_read_options(&self, fitted: &mut Fitted) -> Result<()> {
        let ReadOptions { missing, types, .. } = self.options()?;
        (fitted.data.missing, fitted.data.types) = (missing, types);
        Ok(())
    }

    /// How data for a model is read: as its training data was, with the same types and the same words for missing. What is typed now
    /// overrules.
    fn options_for(&self, fitted: &Fitted) -> Result<ReadOptions> {
        let mut options = self.options()?;
        options.missing = options.missing.or_else(|| fitted.data.missing.clone());
        let mut kinds = fitted.schema.clone();
        let others = fitted.data.types.iter().filter(|(name, _)| fitted.schema.names().all(|n| n != name.as_str()));
        let field =
            |(name, kind): (&String, &ColumnKind)| Field { name: name.clone(), kind: *kind, categories: Default::default() };
        kinds.fields.extend(others.map(field));
        options.expect(&kinds);
        Ok(options)
    }

    /// Reads data for a model whole.
    pub fn read_for(&self, data: &str, fitted: &Fitted) -> Result<ModelTable> {
        let options = self.options_for(fitted)?;
        if takes_sparse_rows(data, &options, fitted) {
            let (x, y, notes) = ermine::data::read_sparse_expected(data, &options)?;
            return Ok(ModelTable { table: Table::new([("target", Column::numbers(y))])?, sparse: Some(x), notes });
        }
        let LoadedTable { table, notes, .. } = ermine::data::read(data, &options)?;
        Ok(ModelTable { table, sparse: None, notes })
    }

    /// Shows the rows of data to a model, in blocks and as they come; at least one block, which may be empty. Errors name the row of the
    /// data. Returns notes for the user.
    pub fn scan_for(
        &self,
        data: &str,
        fitted: &Fitted,
        visit: &mut dyn FnMut(&Features<'_>) -> Result<()>,
    ) -> Result<Vec<String>> {
        let options = self.options_for(fitted)?;
        let mut unseen = fitted.unseen_categories();
        let (mut first, mut failed) = (0, None);
        let mut show = |x: &Features<'_>| {
            let shown = visit(x).map_err(|e| offset_row(e, first));
            first += x.rows();
            failed = shown.err();
            if failed.is_some() { Flow::Stop } else { Flow::Continue }
        };
        let notes = if takes_sparse_rows(data, &options, fitted) {
            ermine::data::scan_sparse_expected(data, &options, &mut |rows| Ok(show(&Features::Csr(rows))))
        } else {
            ermine::data::scan_expected(data, &options, &mut |block| {
                let rows = fitted.align(&block)?;
                unseen.add(&rows);
                Ok(show(&Features::Table(rows.view())))
            })
        };
        let mut notes = notes?;
        notes.extend(unseen.notes());
        failed.map_or(Ok(notes), Err)
    }

    /// Opens data for a model in blocks, with a target and weights; none where it has to be read whole.
    pub fn stream_for(&self, data: &str, fitted: &Fitted, roles: &Roles) -> Result<Option<RowStream>> {
        let options = self.options_for(fitted)?;
        if let Some(Format::Libsvm | Format::Idx) = options.format.or_else(|| Format::of_name(data)) {
            return Ok(None);
        }
        let TableSource::Stream(mut table) = ermine::data::open_table(data, &options)? else { return Ok(None) };
        let schema = table.schema().clone();
        // Names of classes need not look like categories.
        if let ([target], Some(_)) = (&roles.targets[..], &roles.classes)
            && matches!(schema.fields[schema.position(target)?].kind, ColumnKind::Text | ColumnKind::Identifier)
        {
            *table = table.with_kind(target, ColumnKind::Category)?;
        }
        table.select(&needed_columns(&schema, fitted, roles))?;
        Ok(Some(RowStream::new(*table, roles)?))
    }
}

/// Whether data is libsvm text for a model that takes sparse rows as they are.
fn takes_sparse_rows(data: &str, options: &ReadOptions, fitted: &Fitted) -> bool {
    let format = options.format.or_else(|| Format::of_name(data));
    format == Some(Format::Libsvm) && fitted.learner.spec().accepts.sparse && counts_up(&fitted.schema)
}

/// Whether the columns are x1, x2, …: those of libsvm text, none left out.
fn counts_up(schema: &Schema) -> bool {
    schema.names().enumerate().all(|(j, name)| name.strip_prefix('x').and_then(|n| n.parse().ok()) == Some(j + 1))
}

/// Data read for a model.
pub struct ModelTable {
    /// All columns, or, when the model takes sparse rows, all others.
    pub table: Table,
    pub sparse: Option<Csr>,
    /// Notes for the user.
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
    /// The columns of the model; differences to the training data are noted.
    pub fn align(&mut self, fitted: &Fitted) -> Result<AlignedRows> {
        match self.sparse.take() {
            Some(x) => Ok(AlignedRows::Sparse(x)),
            None => {
                let aligned = fitted.align(&self.table)?;
                let mut unseen = fitted.unseen_categories();
                unseen.add(&aligned);
                self.notes.extend(unseen.notes());
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

    /// The task of `--task`, or regression when all models do only that: a target of few integers is then numbers, not
    /// classes.
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

    /// The requested task, if the targets allow it.
    pub fn task_for(&self, targets: &[String]) -> Result<Option<Task>> {
        match self.task()? {
            Some(task) if task.is_supervised() && targets.is_empty() => {
                Err(UsageError(format!("--task {task} needs a target; name it with --target COL")).into())
            }
            task => Ok(task),
        }
    }

    /// The roles of the columns; the reader has left out those to drop.
    pub fn roles(&self, targets: &[String], models: &[String]) -> Result<Roles> {
        let (targets, weight) = (targets.to_vec(), self.weight.clone());
        // A column named beside a task without target has groups to compare with.
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

    /// The learner as it will be fitted to a table: with preparation, unless switched off, and with the requested
    /// feature maps.
    pub fn prepared_learner(&self, learner: Box<dyn AnyLearner>) -> Box<dyn AnyLearner> {
        if self.features.is_empty() {
            return if self.prepare == "none" { learner } else { prepared(learner) };
        }
        // Feature maps take numbers, whatever the learner behind them takes.
        let first = (self.prepare != "none").then(|| Box::new(Prepare::default()) as Box<dyn AnyLearner>);
        let maps = self.features.iter().map(|m| m.0.boxed());
        Box::new(Pipeline::from_learners(first.into_iter().chain(maps).chain([learner])))
    }
}

/// Reads `KEY=VALUE` pairs that were typed behind `flag`.
pub fn pairs(flag: &str, set: &[String]) -> Result<Map<String, Value>> {
    parse_pairs(set.iter().map(String::as_str), || format!("{flag} ")).map_err(typed)
}

/// The learner called `name` with `key=value` parameters.
pub fn learner(name: &str, set: &[String]) -> Result<Box<dyn AnyLearner>> {
    let mut learner = ermine::learner(name)?;
    learner.set_all(&pairs("--set", set)?)?;
    Ok(learner)
}

/// The requested learner, or the default one for the task; `target` is the task that the target implies.
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

/// The learners compared on a target when none are named: all that do the task except those that only repeat others
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
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl LabeledRows {
    /// Reads rows to evaluate a model on.
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
            return Err(anyhow::anyhow!("{data}: there are no rows with a target to evaluate the model on"));
        }
        Ok(Self { rows, y: problem.y, weight: problem.weight, notes: read.notes })
    }

    pub fn dataset<'a>(&'a self, fitted: &'a Fitted) -> DatasetRef<'a> {
        let data = DatasetRef::new(self.rows.view()).with_target(self.y.view()).with_weight(self.weight.as_deref());
        data.with_schema(Some(data.schema.unwrap_or(&fitted.schema)))
    }
}

/// Only the columns the model, the target and the weights need: others may be anything.
pub fn select_needed(table: &Table, fitted: &Fitted, roles: &Roles) -> Result<Table> {
    Ok(table.select(&needed_columns(table.schema(), fitted, roles))?)
}

/// The columns of the model that are there, and those of the target and the weights.
fn needed_columns<'a>(schema: &Schema, fitted: &'a Fitted, roles: &'a Roles) -> Vec<&'a str> {
    let present: HashSet<&str> = schema.names().collect();
    let of_model = fitted.schema.names().filter(|n| present.contains(n));
    of_model.chain(roles.targets.iter().map(String::as_str)).chain(roles.weight.as_deref()).collect()
}
