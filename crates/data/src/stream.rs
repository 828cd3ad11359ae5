//! Rows in blocks, in bounded memory, as often as needed.

use ermine_core::{
    Column, ColumnKind, Dataset, Error, Features, Field, Flow, MISSING_CODE, OwnedDataset, OwnedTarget, Result, RowSource,
    Schema, Table, Task, file::TargetInfo,
};

use crate::csv::{Delimited, Layout};
use crate::infer::Profile;
use crate::options::{Format, ReadOptions};
use crate::part::{self, Part, Plan, Verdict};
use crate::read::one_format;
use crate::source::{self, Source};

/// A table that is read in blocks of rows: delimited text, Parquet, Arrow IPC.
///
/// Opening reads everything once, to find the kinds, the sorted names of the categories, the missing cells and the number of
/// rows; then every scan yields the same blocks, with one schema. At no time is more than a few megabytes of the file held.
pub struct TableStream {
    sources: Vec<Source>,
    options: ReadOptions,
    format: Format,
    reading: Reading,
    /// All columns of the file.
    fields: Vec<Field>,
    /// Which of them the blocks have.
    used: Vec<bool>,
    schema: Schema,
    rows: usize,
    missing: Vec<u64>,
    reasons: Vec<String>,
    notes: Vec<String>,
}

enum Reading {
    Delimited(Layout),
    #[cfg(feature = "arrow")]
    Arrow(crate::arrow::Columns),
}

impl TableStream {
    /// Opens a file, a glob, `-` or `example:NAME` and reads it once.
    pub fn open(spec: &str, options: &ReadOptions) -> Result<Self> {
        let sources = source::resolve(spec)?;
        let format = one_format(&sources, options)?;
        let (reading, verdicts, profiles, rows, notes) = match format {
            Format::Csv | Format::Tsv => {
                let files = Delimited { sources: &sources, options, format };
                let (layout, profiles, rows) = files.settle(&mut |_, _| {})?;
                let verdicts = files.verdicts(&layout, &profiles)?;
                let notes = layout.notes.clone();
                (Reading::Delimited(layout), verdicts, profiles, rows, notes)
            }
            #[cfg(feature = "arrow")]
            Format::Parquet | Format::Arrow => {
                let files = crate::arrow::ArrowFiles { sources: &sources, options, format };
                let columns = files.columns()?;
                let (profiles, rows) = files.by_column(&columns, Profile::default, |profile, part| profile.add(&part))?;
                let verdicts = columns.verdicts(&profiles)?;
                let notes = columns.notes.clone();
                (Reading::Arrow(columns), verdicts, profiles, rows, notes)
            }
            _ => {
                let message = format!("{format} is not read in blocks; read it whole");
                return Err(Error::Format { path: sources[0].name.clone(), message });
            }
        };
        let missing = profiles.iter().map(|p: &Profile| p.missing).collect();
        let (fields, reasons): (Vec<Field>, Vec<String>) = verdicts.into_iter().map(|v: Verdict| (v.field, v.reason)).unzip();
        let schema = Schema { fields: fields.clone() };
        let used = vec![true; fields.len()];
        Ok(Self { sources, options: options.clone(), format, reading, fields, used, schema, rows, missing, reasons, notes })
    }

    /// Names and kinds of the columns of the blocks.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many cells of each column of the blocks are missing.
    pub fn missing(&self) -> Vec<u64> {
        self.of_used(&self.missing)
    }

    /// For each column of the blocks, why it has its kind.
    pub fn reasons(&self) -> Vec<String> {
        self.of_used(&self.reasons)
    }

    /// What a user should know: columns that were renamed.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn of_used<T: Clone>(&self, all: &[T]) -> Vec<T> {
        all.iter().zip(&self.used).filter(|(_, used)| **used).map(|(v, _)| v.clone()).collect()
    }

    /// Reads only the named columns from now on; they keep the order of the file.
    pub fn select<S: AsRef<str>>(&mut self, names: &[S]) -> Result<()> {
        let all = Schema { fields: self.fields.clone() };
        self.used = vec![false; self.fields.len()];
        for name in names {
            self.used[all.position(name.as_ref())?] = true;
        }
        self.schema = Schema { fields: self.of_used(&self.fields) };
        Ok(())
    }

    /// Reads all rows in order, in blocks; stops early when `visit` says so.
    pub fn scan(&self, visit: &mut dyn FnMut(Table) -> Result<Flow>) -> Result<()> {
        let mut seen = 0;
        let mut stopped = false;
        let mut block = |parts: Vec<Part>, rows: usize| -> Result<Flow> {
            seen += rows;
            if rows == 0 {
                return Ok(Flow::Continue);
            }
            if seen > self.rows {
                return Err(self.changed());
            }
            let columns = self.fields.iter().zip(parts).zip(&self.used).filter(|(_, used)| **used);
            let columns = columns.map(|((field, part), _)| part::column(field, vec![part])).collect::<Result<Vec<_>>>()?;
            let flow = visit(Table::with_schema(self.schema.clone(), columns)?)?;
            stopped = flow == Flow::Stop;
            Ok(flow)
        };
        let plan = |plan: Plan, used: bool| if used { plan } else { Plan::Skip };
        match &self.reading {
            Reading::Delimited(layout) => {
                let plans = layout.plans.iter().zip(&self.used).map(|(p, u)| plan(*p, *u)).collect();
                let mut layout = layout.clone();
                layout.plans = plans;
                let files = Delimited { sources: &self.sources, options: &self.options, format: self.format };
                files.scan(Some(&layout), &mut |_, parsed| block(parsed.parts, parsed.rows))?;
            }
            #[cfg(feature = "arrow")]
            Reading::Arrow(columns) => {
                let mut columns = columns.clone();
                columns.plans.iter_mut().zip(&self.used).for_each(|(p, u)| *p = plan(*p, *u));
                let files = crate::arrow::ArrowFiles { sources: &self.sources, options: &self.options, format: self.format };
                let mut first = 0;
                files.scan(&mut |batch| {
                    let parts = columns.parts(batch, first)?;
                    first += batch.num_rows();
                    block(parts, batch.num_rows())
                })?;
            }
        }
        if !stopped && seen != self.rows { Err(self.changed()) } else { Ok(()) }
    }

    fn changed(&self) -> Error {
        Error::Data(format!("{}: the data changed since it was first read ({} rows then)", self.sources[0].name, self.rows))
    }
}

/// Which columns of a stream are what.
#[derive(Debug, Clone, Default)]
pub struct Roles {
    /// The target columns; empty for clustering, reduction, density.
    pub targets: Vec<String>,
    /// The column of sample weights.
    pub weight: Option<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Regression or classification, where the target alone should not decide.
    pub task: Option<Task>,
    /// The class names, in order, when a trained model has fixed them already.
    pub classes: Option<Vec<String>>,
}

/// A number target with at most this many distinct whole numbers, each three times on average, is taken for classes.
const MOST_NUMBER_CLASSES: usize = 10;
/// Distinct numbers that can be classes when that is asked for.
const MOST_CLASSES: usize = 10_000;

/// A table stream with its columns told apart: rows to learn from, in bounded memory.
///
/// Text and identifier columns are left out, rows without target too; both are noted.
pub struct RowStream {
    table: TableStream,
    roles: Roles,
    features: Schema,
    missing: Vec<u64>,
    rows: usize,
    target: Kind,
    info: TargetInfo,
    notes: Vec<String>,
}

/// What the target is.
enum Kind {
    None,
    Real,
    Reals,
    /// Class names, and for each code of a category column its class.
    Names(Vec<String>, Vec<u32>),
    /// Class names, and the numbers they stand for with their class, sorted.
    Numbers(Vec<String>, Vec<(f64, u32)>),
}

/// Opens data as a stream of rows to learn from. See [`TableStream::open`] for what is read when.
pub fn open_stream(spec: &str, options: &ReadOptions, roles: &Roles) -> Result<RowStream> {
    RowStream::new(TableStream::open(spec, options)?, roles)
}

impl RowStream {
    /// Tells the columns of a table stream apart.
    pub fn new(mut table: TableStream, roles: &Roles) -> Result<Self> {
        let schema = table.schema().clone();
        let named = roles.targets.iter().chain(&roles.weight).chain(&roles.drop);
        let taken = named.map(|name| schema.position(name)).collect::<Result<std::collections::BTreeSet<_>>>()?;
        let mut notes = table.notes().to_vec();
        let mut features = Vec::new();
        let mut missing = Vec::new();
        for (j, field) in schema.fields.iter().enumerate().filter(|(j, _)| !taken.contains(j)) {
            match field.kind {
                ColumnKind::Text => notes.push(format!("column \"{}\" is free text and is not used", field.name)),
                ColumnKind::Identifier => notes.push(format!("column \"{}\" is an identifier and is not used", field.name)),
                _ => {
                    features.push(field.clone());
                    missing.push(table.missing()[j]);
                }
            }
        }
        if let Some(weight) = &roles.weight {
            let field = &schema.fields[schema.position(weight)?];
            if field.kind != ColumnKind::Number {
                return Err(Error::Weight(format!("column \"{weight}\" is of type {}, not number", field.kind)));
            }
        }
        let (target, rows) = Self::target(&mut table, roles, &schema, &mut notes)?;
        if rows < table.rows() {
            notes.push(format!("{} of {} rows have no target and are not used", table.rows() - rows, table.rows()));
        }
        let classes = match &target {
            Kind::Names(names, _) | Kind::Numbers(names, _) => names.clone(),
            _ => Vec::new(),
        };
        let info = TargetInfo { names: roles.targets.clone(), classes };
        let used: Vec<&str> = features
            .iter()
            .map(|f| f.name.as_str())
            .chain(roles.targets.iter().chain(&roles.weight).map(String::as_str))
            .collect();
        table.select(&used)?;
        Ok(Self { table, roles: roles.clone(), features: Schema { fields: features }, missing, rows, target, info, notes })
    }

    /// What the target is and how many rows have one. Reads the target columns once more where their kinds do not say all.
    fn target(table: &mut TableStream, roles: &Roles, schema: &Schema, notes: &mut Vec<String>) -> Result<(Kind, usize)> {
        let at = roles.targets.iter().map(|t| schema.position(t)).collect::<Result<Vec<_>>>()?;
        let missing: u64 = at.iter().map(|&j| table.missing[j]).sum();
        let rows = table.rows();
        let [column] = at[..] else {
            for &j in &at {
                let field = &schema.fields[j];
                if field.kind != ColumnKind::Number {
                    let message =
                        format!("column \"{}\" is of type {}; several targets must all be numbers", field.name, field.kind);
                    return Err(Error::Target(message));
                }
            }
            if at.is_empty() {
                return Ok((Kind::None, rows));
            }
            if missing == 0 {
                return Ok((Kind::Reals, rows));
            }
            table.select(&roles.targets)?;
            let mut known = 0;
            table.scan(&mut |block| {
                known += (0..block.rows()).filter(|&i| block.columns().iter().all(|c| !c.is_missing(i))).count();
                Ok(Flow::Continue)
            })?;
            return Ok((Kind::Reals, known));
        };
        let known = rows - missing as usize;
        let field = &schema.fields[column];
        if let Some(task) = roles.task
            && !task.is_supervised()
        {
            return Err(Error::Target(format!("{task} has none, and column \"{}\" was given", field.name)));
        }
        let kind = match (field.kind, roles.task) {
            (ColumnKind::Number | ColumnKind::Date, Some(Task::Regression)) => Kind::Real,
            (_, Some(Task::Regression)) => {
                let message = format!("column \"{}\" is of type {}, and a regression needs numbers", field.name, field.kind);
                return Err(Error::Target(message));
            }
            (ColumnKind::Category, _) => {
                let names = roles.classes.clone().unwrap_or_else(|| in_order(field.categories.to_vec()));
                let class = |name: &String| class_of(&names, name, &field.name);
                let map = field.categories.iter().map(class).collect::<Result<Vec<u32>>>()?;
                Kind::Names(names, map)
            }
            (ColumnKind::Text | ColumnKind::Identifier, _) => {
                return Err(Error::Target(format!(
                    "column \"{name}\" is of type {}; if it holds classes, say so (--type {name}=category)",
                    field.kind,
                    name = field.name
                )));
            }
            (ColumnKind::Date, None) if roles.classes.is_none() => Kind::Real,
            (ColumnKind::Number | ColumnKind::Date, task) => {
                table.select(&roles.targets)?;
                let asked = task == Some(Task::Classification) || roles.classes.is_some();
                let most = if asked { MOST_CLASSES } else { MOST_NUMBER_CLASSES };
                let values = distinct(table, most, !asked)?;
                let few = asked || values.as_ref().is_some_and(|v| v.len() >= 2 && known >= 3 * v.len());
                match values.filter(|_| few) {
                    Some(values) => {
                        if !asked {
                            notes.push(format!("target \"{}\" has {} whole numbers, taken as classes", field.name, values.len()));
                        }
                        let names = roles.classes.clone();
                        let names = names.unwrap_or_else(|| in_order(values.iter().map(f64::to_string).collect()));
                        let class = |v: &f64| class_of(&names, &v.to_string(), &field.name).map(|c| (*v, c));
                        let map = values.iter().map(class).collect::<Result<Vec<_>>>()?;
                        Kind::Numbers(names, map)
                    }
                    None if asked => {
                        let message = format!("column \"{}\" has more than {MOST_CLASSES} distinct numbers", field.name);
                        return Err(Error::Target(message));
                    }
                    None => Kind::Real,
                }
            }
        };
        Ok((kind, known))
    }

    /// Names of the target columns and the classes.
    pub fn target_info(&self) -> &TargetInfo {
        &self.info
    }

    /// The task that the target asks for.
    pub fn task(&self) -> Option<Task> {
        match self.target {
            Kind::None => None,
            Kind::Real | Kind::Reals => Some(Task::Regression),
            Kind::Names(..) | Kind::Numbers(..) => Some(Task::Classification),
        }
    }

    /// What a person should know: columns and rows left out and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many cells of each feature column are missing, in the whole file.
    pub fn missing(&self) -> &[u64] {
        &self.missing
    }

    /// The first rows, at most about as many as asked for.
    pub fn head(&self, rows: usize) -> Result<OwnedDataset> {
        let mut head = None;
        self.scan(&mut |block| {
            let wanted: Vec<usize> = (0..block.rows().min(rows)).collect();
            head = Some(block.take(&wanted));
            Ok(if block.rows() == 0 { Flow::Continue } else { Flow::Stop })
        })?;
        head.ok_or_else(|| Error::Data("there are 0 rows".into()))
    }

    /// One block as rows to learn from; `first` is the row of its first row.
    fn dataset(&self, block: Table, first: usize) -> Result<(Table, OwnedTarget, Option<Vec<f64>>)> {
        let (block, targets) = block.split_off(&self.roles.targets)?;
        let (mut x, weights) = block.split_off(self.roles.weight.as_slice())?;
        let mut targets: Vec<Column> = targets.into_iter().map(|(_, c)| c).collect();
        let mut weight = None;
        if let Some((field, column)) = weights.into_iter().next() {
            let Column::Number { values, .. } = column else {
                return Err(Error::Weight(format!("column \"{}\" is of type {}, not number", field.name, field.kind)));
            };
            if let Some(i) = values.iter().position(|v| v.is_nan()) {
                return Err(Error::Weight(format!("column \"{}\" is missing in row {}", field.name, first + i)));
            }
            weight = Some(values);
        }
        let rows = targets.first().map_or(x.rows(), Column::len);
        let known: Vec<usize> = (0..rows).filter(|&i| targets.iter().all(|c| !c.is_missing(i))).collect();
        if known.len() < rows {
            x = x.take(&known);
            targets = targets.iter().map(|c| c.take(&known)).collect();
            weight = weight.map(|w| known.iter().map(|&i| w[i]).collect());
        }
        Ok((x, self.block_target(targets)?, weight))
    }

    fn block_target(&self, targets: Vec<Column>) -> Result<OwnedTarget> {
        let changed = || self.table.changed();
        Ok(match (&self.target, &targets[..]) {
            (Kind::None, _) => OwnedTarget::None,
            (Kind::Real, [Column::Number { values, .. }]) => OwnedTarget::Real(values.clone()),
            (Kind::Names(names, map), [Column::Category { codes, .. }]) => {
                let code = |&c: &u32| if c == MISSING_CODE { c } else { map[c as usize] };
                OwnedTarget::Class { codes: codes.iter().map(code).collect(), names: names.clone() }
            }
            (Kind::Numbers(names, map), [Column::Number { values, .. }]) => {
                let code = |v: &f64| map.binary_search_by(|(known, _)| known.total_cmp(&plain_zero(*v))).map(|i| map[i].1);
                let codes = values.iter().map(|v| code(v).map_err(|_| changed())).collect::<Result<Vec<_>>>()?;
                OwnedTarget::Class { codes, names: names.clone() }
            }
            (Kind::Reals, columns) => {
                let rows = columns.first().map_or(0, Column::len);
                let mut out = ermine_core::Mat::zeros(rows, columns.len());
                for (j, column) in columns.iter().enumerate() {
                    let Column::Number { values, .. } = column else { return Err(changed()) };
                    values.iter().enumerate().for_each(|(i, &v)| out[(i, j)] = v);
                }
                OwnedTarget::Reals(out)
            }
            _ => return Err(changed()),
        })
    }
}

impl RowSource for RowStream {
    fn schema(&self) -> &Schema {
        &self.features
    }

    fn rows(&self) -> Option<usize> {
        Some(self.rows)
    }

    fn scan(&self, visit: &mut dyn FnMut(&Dataset<'_>) -> Result<Flow>) -> Result<()> {
        let mut first = 0;
        self.table.scan(&mut |block| {
            let rows = block.rows();
            let (x, y, weight) = self.dataset(block, first)?;
            first += rows;
            let data = Dataset::new(Features::Table(x.view())).with_target(y.view()).with_weight(weight.as_deref());
            visit(&data.with_schema(Some(&self.features)))
        })
    }
}

/// Distinct names, sorted as numbers where all are numbers and by bytes otherwise.
fn in_order(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    if let Some(numbers) = names.iter().map(|n| n.parse::<f64>().ok()).collect::<Option<Vec<f64>>>() {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        names = order.into_iter().map(|i| names[i].clone()).collect();
    }
    names
}

fn class_of(names: &[String], name: &str, target: &str) -> Result<u32> {
    let at = names.iter().position(|n| n == name);
    at.map(|i| i as u32)
        .ok_or_else(|| Error::unknown(format!("class of target \"{target}\""), name, names.iter().map(String::as_str)))
}

/// -0 and 0 are one number.
fn plain_zero(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v }
}

/// The distinct numbers of the one column that is read, sorted, or `None` when there are more than `most` or, if they must
/// be, not all are whole.
fn distinct(table: &TableStream, most: usize, whole: bool) -> Result<Option<Vec<f64>>> {
    let mut values: Vec<f64> = Vec::new();
    let mut many = false;
    table.scan(&mut |block| {
        for &v in block.view().numbers(0).unwrap_or_default().iter().filter(|v| !v.is_nan()) {
            let v = plain_zero(v);
            if let Err(at) = values.binary_search_by(|known| known.total_cmp(&v)) {
                values.insert(at, v);
            }
            if values.len() > most || (whole && v.fract() != 0.0) {
                many = true;
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    })?;
    Ok((!many).then_some(values))
}
