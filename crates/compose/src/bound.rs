//! A model bound to a type of rows.

use std::collections::HashMap;
use std::marker::PhantomData;

use ermine_core::{
    Column, ColumnKind, Error, Features, Field, Result, Row, RowCell, RowField, RowFunction, RowKind, RowRole, Schema, Table,
    UNKNOWN_CATEGORY, closest_name, with_row_memory,
};

use crate::Fitted;

/// A model that predicts rows of type `R`. Names and kinds of the columns were compared once, by [`Fitted::bind`]; prediction finds every cell by
/// its place.
///
/// Prediction allocates nothing where the model has a function of one row (trees and their ensembles, linear models, their pipelines with the
/// usual preparations, [`ermine_core::RowRegressor`]); other models predict a table of one row.
pub struct Bound<R> {
    fitted: Fitted,
    cells: Vec<CellSource>,
    function: Option<Box<dyn RowFunction>>,
    rows: PhantomData<fn(&R)>,
}

/// Where the cell of a column comes from.
struct CellSource {
    /// The field of the row.
    field: usize,
    codes: Codes,
}

/// How values become codes of the column's categories.
enum Codes {
    /// The column is numbers.
    None,
    /// By name.
    Names(HashMap<Box<str>, u32>),
    /// By the number of the variant.
    Variants(Vec<f64>),
    /// By the number that a name reads as, ascending.
    Numbers(Vec<(f64, u32)>),
}

impl Fitted {
    /// The model for rows of type `R`: every column of the model must be a field of its name, of a kind that fits. The error names all that
    /// differs.
    pub fn bind<R: Row>(self) -> Result<Bound<R>> {
        let cells = sources::<R>(&self.schema)?;
        let function = match self.model.as_classifier() {
            Some(classifier) => classifier.by_row(&self.schema),
            None => self.model.as_regressor().and_then(|r| r.by_row(&self.schema)),
        };
        Ok(Bound { fitted: self, cells, function, rows: PhantomData })
    }
}

impl<R: Row> Bound<R> {
    /// What the model predicts for a row: a number.
    ///
    /// # Errors
    /// For a classifier, a model of several targets, and what the model refuses in a row.
    pub fn predict(&self, row: &R) -> Result<f64> {
        let Some(regressor) = self.fitted.model.as_regressor().filter(|r| r.n_targets() == 1) else {
            let what = if self.fitted.model.as_classifier().is_some() { "a class: use classify" } else { "no single number" };
            return Err(Error::Data(format!("{} predicts {what}", self.fitted.learner.spec().name)));
        };
        match &self.function {
            Some(function) => self.with_row(row, &**function, |cells, scratch, out| {
                function.run(cells, scratch, out)?;
                Ok(out[0])
            }),
            None => Ok(regressor.predict(&Features::Table(self.table(row)?.view()))?[(0, 0)]),
        }
    }

    /// The most probable class of a row.
    ///
    /// # Errors
    /// For a model that is no classifier, and what the model refuses in a row.
    pub fn classify(&self, row: &R) -> Result<&str> {
        let classifier = self.classifier()?;
        let code = match &self.function {
            Some(function) => self.with_row(row, &**function, |cells, scratch, out| function.classify(cells, scratch, out))?,
            None => classifier.classify(&Features::Table(self.table(row)?.view()))?[0],
        };
        Ok(&classifier.classes()[code as usize])
    }

    /// The probabilities of the classes of a row, in the order of [`Bound::classes`]; they go to `out`, which has a place for each.
    ///
    /// # Errors
    /// For a model that is no classifier, an `out` of another length, and what the model refuses in a row.
    pub fn proba(&self, row: &R, out: &mut [f64]) -> Result<()> {
        let classifier = self.classifier()?;
        let (expected, found) = (classifier.classes().len(), out.len());
        if expected != found {
            return Err(Error::Length { what: "probabilities".into(), expected, found });
        }
        match &self.function {
            Some(function) => self.with_row(row, &**function, |cells, scratch, proba| {
                function.run(cells, scratch, proba)?;
                out.copy_from_slice(proba);
                Ok(())
            }),
            None => {
                out.copy_from_slice(classifier.proba(&Features::Table(self.table(row)?.view()))?.row(0));
                Ok(())
            }
        }
    }

    /// The names of the classes; none for a regression.
    pub fn classes(&self) -> &[String] {
        self.fitted.model.as_classifier().map_or(&[], |c| c.classes())
    }

    /// The model.
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    fn classifier(&self) -> Result<&dyn ermine_core::Classifier> {
        let name = self.fitted.learner.spec().name;
        self.fitted.model.as_classifier().ok_or_else(|| Error::Data(format!("{name} is no classifier: use predict")))
    }

    /// Calls `f` with the cells of a row, working memory and place for the result, all of which stay allocated from one call to the next.
    fn with_row<T>(
        &self,
        row: &R,
        function: &dyn RowFunction,
        f: impl FnOnce(&[f64], &mut [f64], &mut [f64]) -> Result<T>,
    ) -> Result<T> {
        let (columns, scratch) = (self.cells.len(), function.scratch());
        with_row_memory(columns + scratch + function.width(), |memory| {
            let (cells, rest) = memory.split_at_mut(columns);
            let (scratch, out) = rest.split_at_mut(scratch);
            cells.iter_mut().zip(&self.cells).for_each(|(cell, source)| *cell = source.number(row.cell(source.field)));
            f(cells, scratch, out)
        })
    }

    /// A table of one row.
    fn table(&self, row: &R) -> Result<Table> {
        let column = |(source, field): (&CellSource, &Field)| {
            let v = source.number(row.cell(source.field));
            if field.kind != ColumnKind::Category {
                return (field.clone(), Column::numbers(vec![v]));
            }
            let name = match (row.cell(source.field), R::FIELDS[source.field].kind) {
                _ if v >= 0.0 => Some(field.categories[v as usize].clone()),
                (RowCell::Name(name), _) => Some(name.to_owned()),
                (RowCell::Variant(at), RowKind::Category(names)) => Some(names[at as usize].to_owned()),
                (RowCell::Number(number), _) if !number.is_nan() => Some(number.to_string()),
                _ => None,
            };
            let column = Column::categories(&[name]);
            let Column::Category { names, .. } = &column else { return (field.clone(), column) };
            (Field { categories: names.clone(), ..field.clone() }, column)
        };
        let (fields, columns) = self.cells.iter().zip(&self.fitted.schema.fields).map(column).unzip();
        Table::with_schema::<Column>(Schema { fields }, columns)
    }
}

impl CellSource {
    /// The cell as a model reads it: see [`RowFunction`].
    #[inline]
    fn number(&self, cell: RowCell<'_>) -> f64 {
        match (cell, &self.codes) {
            (RowCell::Number(v), Codes::None) => v,
            (RowCell::Number(v), _) if v.is_nan() => f64::NAN,
            (RowCell::Number(v), Codes::Numbers(codes)) => {
                match codes.binary_search_by(|(number, _)| number.total_cmp(&(v + 0.0))) {
                    Ok(at) => f64::from(codes[at].1),
                    Err(_) => UNKNOWN_CATEGORY,
                }
            }
            (RowCell::Name(name), Codes::Names(codes)) => codes.get(name).map_or(UNKNOWN_CATEGORY, |&code| f64::from(code)),
            (RowCell::Variant(at), Codes::Variants(codes)) => codes.get(at as usize).copied().unwrap_or(UNKNOWN_CATEGORY),
            _ => f64::NAN,
        }
    }
}

/// The field of each column, and all that differs as one error.
fn sources<R: Row>(schema: &Schema) -> Result<Vec<CellSource>> {
    let features = || R::FIELDS.iter().enumerate().filter(|(_, f)| f.role == RowRole::Feature);
    let (mut out, mut wrong) = (Vec::new(), Vec::new());
    for want in &schema.fields {
        match features().find(|(_, f)| f.name == want.name) {
            None => {
                let near = closest_name(&want.name, features().map(|(_, f)| f.name));
                let hint = near.first().map(|n| format!(" (is it \"{n}\"?)")).unwrap_or_default();
                wrong.push(format!("there is no field \"{}\"{hint}", want.name));
            }
            Some((at, field)) => match codes(field, want) {
                Some(codes) => out.push(CellSource { field: at, codes }),
                None => wrong.push(format!(
                    "field \"{}\" is of type {}, and the model was trained on type {}",
                    want.name,
                    field.kind.name(),
                    want.kind
                )),
            },
        }
    }
    match wrong.is_empty() {
        true => Ok(out),
        false => Err(Error::Data(format!("{} does not fit the model: {}", R::NAME, wrong.join("; ")))),
    }
}

/// How the values of a field become cells of a column, if they can without guessing.
fn codes(field: &RowField, want: &Field) -> Option<Codes> {
    let code = |name: &str| want.categories.iter().position(|n| n == name).map(|at| at as u32);
    match (want.kind, field.kind) {
        (ColumnKind::Number | ColumnKind::Date, RowKind::Number | RowKind::Bool) => Some(Codes::None),
        (ColumnKind::Category, RowKind::Name) => {
            Some(Codes::Names(want.categories.iter().zip(0..).map(|(name, code)| (name.as_str().into(), code)).collect()))
        }
        (ColumnKind::Category, RowKind::Category(names)) => {
            Some(Codes::Variants(names.iter().map(|name| code(name).map_or(UNKNOWN_CATEGORY, f64::from)).collect()))
        }
        // Numbers are categories when the model says so: 1, 2, 3 for a passenger class.
        (ColumnKind::Category, RowKind::Number | RowKind::Bool) => {
            let number = |name: &String| match (field.kind, name.as_str()) {
                (RowKind::Bool, "false") => Some(0.0),
                (RowKind::Bool, "true") => Some(1.0),
                (_, name) => name.parse().ok().filter(|v: &f64| !v.is_nan()),
            };
            let named = want.categories.iter().zip(0..);
            let mut numbers: Vec<(f64, u32)> = named.filter_map(|(name, code)| Some((number(name)? + 0.0, code))).collect();
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
            Some(Codes::Numbers(numbers))
        }
        _ => None,
    }
}
