//! Roles of the columns of a table, and whether a target is numbers or classes.

use std::sync::Arc;

use crate::{Column, ColumnKind, Error, Field, Flow, MISSING_CODE, Mat, OwnedTarget, Result, Task};

/// A number target with at most this many distinct integers, each three times on average, is taken for classes.
const MOST_NUMBER_CLASSES: usize = 10;
/// Most distinct numbers that may be classes, when classification is requested.
const MOST_CLASSES: usize = 10_000;

/// Roles of the columns of a table.
#[derive(Debug, Clone, Default)]
pub struct Roles {
    /// The target columns; empty for clustering, reduction, density. The target of libsvm text is called `target`.
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

impl Roles {
    /// One target column, everything else by default.
    pub fn with_target(name: impl Into<String>) -> Self {
        Self { targets: vec![name.into()], ..Self::default() }
    }
}

/// The kind of a target.
pub enum TargetKind {
    /// No target.
    None,
    /// One column of numbers.
    Real,
    /// Several columns of numbers.
    Reals,
    /// Class names, and for each code of a category column its class.
    Names(Vec<String>, Vec<u32>),
    /// Class names, and the numbers they stand for with their class, sorted.
    Numbers(Vec<String>, Vec<(f64, u32)>),
}

/// Calls a function with all numbers of a target, chunk by chunk.
pub type ScanNumbers<'a> = &'a dyn Fn(&mut dyn FnMut(&[f64]) -> Result<Flow>) -> Result<()>;

impl TargetKind {
    /// The class names of a classification.
    pub fn classes(&self) -> &[String] {
        match self {
            Self::Names(names, _) | Self::Numbers(names, _) => names,
            _ => &[],
        }
    }

    /// The task that follows from the target.
    pub fn task(&self) -> Option<Task> {
        match self {
            Self::None => None,
            Self::Real | Self::Reals => Some(Task::Regression),
            Self::Names(..) | Self::Numbers(..) => Some(Task::Classification),
        }
    }

    /// The kind of one target column, of which `known` cells are not missing.
    pub fn of_one(field: &Field, roles: &Roles, known: usize, notes: &mut Vec<String>, numbers: ScanNumbers<'_>) -> Result<Self> {
        let name = &field.name;
        if let Some(task) = roles.task
            && !task.is_supervised()
        {
            return Err(Error::Target(format!("{task} has none, and column \"{name}\" was given")));
        }
        let asked = roles.task == Some(Task::Classification) || roles.classes.is_some();
        match (field.kind, roles.task) {
            (ColumnKind::Number | ColumnKind::Date, Some(Task::Regression)) => Ok(Self::Real),
            (kind, Some(Task::Regression)) => {
                Err(Error::Target(format!("column \"{name}\" is of type {kind}, and a regression needs numbers")))
            }
            (ColumnKind::Category, _) => {
                let names = roles.classes.clone().unwrap_or_else(|| in_order(field.categories.to_vec()));
                let class = |c: &String| class_of(&names, c, name);
                let map = field.categories.iter().map(class).collect::<Result<Vec<u32>>>()?;
                Ok(Self::Names(names, map))
            }
            (kind @ (ColumnKind::Text | ColumnKind::Identifier), _) => Err(Error::Target(format!(
                "column \"{name}\" is of type {kind}; if it holds classes, say so (--type {name}=category)"
            ))),
            (ColumnKind::Date, _) if !asked => Ok(Self::Real),
            (ColumnKind::Number | ColumnKind::Date, _) => {
                let most = if asked { MOST_CLASSES } else { MOST_NUMBER_CLASSES };
                let values = distinct(numbers, most, !asked)?;
                let few = asked || values.as_ref().is_some_and(|v| v.len() >= 2 && known >= 3 * v.len());
                match values.filter(|_| few) {
                    Some(values) => {
                        if !asked {
                            notes.push(format!("target \"{name}\" has {} whole numbers, taken as classes", values.len()));
                        }
                        let names = roles.classes.clone();
                        let names = names.unwrap_or_else(|| in_order(values.iter().map(f64::to_string).collect()));
                        let class = |v: &f64| class_of(&names, &v.to_string(), name).map(|c| (*v, c));
                        let map = values.iter().map(class).collect::<Result<Vec<_>>>()?;
                        Ok(Self::Numbers(names, map))
                    }
                    None if asked => {
                        Err(Error::Target(format!("column \"{name}\" has more than {MOST_CLASSES} distinct numbers")))
                    }
                    None => Ok(Self::Real),
                }
            }
        }
    }

    /// The target of a block whose target cells are all present; `None` if they do not match the first scan.
    pub fn of_block(&self, targets: Vec<Column>) -> Option<OwnedTarget> {
        let mut columns = targets.into_iter();
        match self {
            Self::None => Some(OwnedTarget::None),
            Self::Names(names, map) => {
                let Some(Column::Category { codes, .. }) = columns.next() else { return None };
                let code = |c: u32| if c == MISSING_CODE { Some(c) } else { map.get(c as usize).copied() };
                Some(OwnedTarget::Class { codes: codes.into_iter().map(code).collect::<Option<_>>()?, names: names.clone() })
            }
            Self::Real | Self::Numbers(..) => match columns.next() {
                Some(Column::Number { values, .. }) => self.of_numbers(values),
                _ => None,
            },
            Self::Reals => {
                let columns: Vec<Column> = columns.collect();
                let mut out = Mat::zeros(columns.first().map_or(0, Column::len), columns.len());
                for (j, column) in columns.iter().enumerate() {
                    let Column::Number { values, .. } = column else { return None };
                    values.iter().enumerate().for_each(|(i, &v)| out[(i, j)] = v);
                }
                Some(OwnedTarget::Reals(out))
            }
        }
    }

    /// The target of a block from its numbers.
    pub fn of_numbers(&self, values: Vec<f64>) -> Option<OwnedTarget> {
        match self {
            Self::Real => Some(OwnedTarget::Real(values)),
            Self::Numbers(names, map) => {
                let code = |v: &f64| map.binary_search_by(|(known, _)| known.total_cmp(&plain_zero(*v))).ok().map(|i| map[i].1);
                Some(OwnedTarget::Class { codes: values.iter().map(code).collect::<Option<_>>()?, names: names.clone() })
            }
            Self::None => Some(OwnedTarget::None),
            Self::Reals | Self::Names(..) => None,
        }
    }
}

impl Roles {
    /// The target from a whole column without missing cells. Text is taken for classes here, since the kind of a column
    /// in memory is already decided.
    pub fn target_of(&self, field: &Field, column: Column, notes: &mut Vec<String>) -> Result<OwnedTarget> {
        let column = match column {
            Column::Text(cells) => Column::categories(&cells),
            Column::Category { codes, names } => only_used(codes, &names),
            numbers => numbers,
        };
        let made;
        let field = match &column {
            Column::Category { names, .. } => {
                made = Field { kind: ColumnKind::Category, categories: names.clone(), ..field.clone() };
                &made
            }
            _ => field,
        };
        let numbers = |visit: &mut dyn FnMut(&[f64]) -> Result<Flow>| match &column {
            Column::Number { values, .. } => visit(values).map(|_| ()),
            _ => Ok(()),
        };
        let kind = TargetKind::of_one(field, self, column.len(), notes, &numbers)?;
        let name = &field.name;
        kind.of_block(vec![column]).ok_or_else(|| Error::Target(format!("column \"{name}\" is not what its type says")))
    }
}

/// A column of categories without unused names.
fn only_used(codes: Vec<u32>, names: &[String]) -> Column {
    let mut new = vec![MISSING_CODE; names.len()];
    codes.iter().filter(|&&c| c != MISSING_CODE).for_each(|&c| new[c as usize] = 0);
    let used: Vec<usize> = (0..names.len()).filter(|&c| new[c] == 0).collect();
    used.iter().enumerate().for_each(|(code, &c)| new[c] = code as u32);
    let codes = codes.into_iter().map(|c| if c == MISSING_CODE { c } else { new[c as usize] }).collect();
    Column::Category { codes, names: Arc::new(used.into_iter().map(|c| names[c].clone()).collect()) }
}

/// Distinct names, sorted as numbers where all are numbers and by bytes otherwise.
fn in_order(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    if let Some(numbers) = names.iter().map(|n| n.parse::<f64>().ok()).collect::<Option<Vec<f64>>>() {
        let mut order: Vec<usize> = (0..names.len()).collect();
        crate::order::sort_by_number(&mut order, |a| numbers[a]);
        names = order.into_iter().map(|i| names[i].clone()).collect();
    }
    names
}

fn class_of(names: &[String], name: &str, target: &str) -> Result<u32> {
    let at = names.iter().position(|n| n == name);
    at.map(|i| i as u32)
        .ok_or_else(|| Error::unknown(format!("class of target \"{target}\""), name, names.iter().map(String::as_str)))
}

/// 0 for -0.
fn plain_zero(v: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v }
}

/// The distinct numbers, sorted, or `None` when there are more than `most` or, if they must be integers, not all are.
fn distinct(numbers: ScanNumbers<'_>, most: usize, whole: bool) -> Result<Option<Vec<f64>>> {
    let mut values: Vec<f64> = Vec::new();
    let mut many = false;
    numbers(&mut |run| {
        for &v in run.iter().filter(|v| !v.is_nan()) {
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
