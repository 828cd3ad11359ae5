//! From a table to a learning problem: the target, the features, the task.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ermine_core::Roles;
use ermine_core::{
    AsDataset, Column, ColumnKind, Csr, Dataset, DatasetRef, Error, Features, Field, MISSING_CODE, OwnedDataset, OwnedFeatures,
    OwnedTarget, Result, Row, RowRole, Schema, Table, file::TargetInfo,
};

/// A table as a problem: features, target, weights.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The features.
    pub x: Table,
    /// The target.
    pub y: OwnedTarget,
    /// One weight per row.
    pub weight: Option<Vec<f64>>,
    /// Description of the target.
    pub target: TargetInfo,
    /// Notes for the user: columns and rows left out, and why.
    pub notes: Vec<String>,
    /// The rows of the table that the problem has, where they are not all.
    origin: Option<Vec<usize>>,
}

impl Problem {
    /// Splits a table into features, target and weights. Text and identifier columns are left out (and noted); rows
    /// without target are left out (and noted).
    pub fn from_table(table: Table, options: &Roles) -> Result<Self> {
        let mut notes = Vec::new();
        let table = table.without(&options.drop)?;
        let (table, targets) = table.split_off(&options.targets)?;
        let (table, weights) = table.split_off(options.weight.as_slice())?;
        let unusable: Vec<(String, ColumnKind)> = table
            .schema()
            .fields
            .iter()
            .filter(|f| matches!(f.kind, ColumnKind::Text | ColumnKind::Identifier))
            .map(|f| (f.name.clone(), f.kind))
            .collect();
        for (name, kind) in &unusable {
            let why = if *kind == ColumnKind::Text { "free text" } else { "an identifier" };
            notes.push(format!("column \"{name}\" is {why} and is not used"));
        }
        let names: Vec<&str> = unusable.iter().map(|(n, _)| n.as_str()).collect();
        let mut x = table.without(&names)?;
        let rows = targets.first().map(|(_, c)| c.len()).or(weights.first().map(|(_, c)| c.len())).unwrap_or(x.rows());

        let mut weight = match weights.into_iter().next() {
            Some((field, Column::Number { values, valid })) => {
                if let Some(row) = valid.as_ref().and_then(|v| (0..v.len()).find(|&i| !v.get(i))) {
                    let place = format!("sample weight, column \"{}\"", field.name);
                    return Err(Error::Row { place, row, message: "it is missing".into() });
                }
                Some(values)
            }
            Some((field, _)) => {
                return Err(Error::Weight(format!("column \"{}\" is of type {}, not number", field.name, field.kind)));
            }
            None => None,
        };

        let known: Vec<usize> = (0..rows).filter(|&i| targets.iter().all(|(_, c)| !c.is_missing(i))).collect();
        let mut targets = targets;
        if known.len() < rows {
            notes.push(format!("{} of {rows} rows have no target and are not used", rows - known.len()));
            x = x.take_rows(&known);
            targets = targets.into_iter().map(|(f, c)| (f, c.take_rows(&known))).collect();
            weight = weight.map(|w| known.iter().map(|&i| w[i]).collect());
        }
        let origin = (known.len() < rows).then_some(known);
        let mut target = TargetInfo { names: options.targets.clone(), classes: Vec::new() };
        let y = match targets.len() {
            0 => OwnedTarget::None,
            1 => {
                let (field, column) = targets.pop().expect("there is one");
                options.target_of(&field, column, &mut notes)?
            }
            _ => many_targets(targets)?,
        };
        if let OwnedTarget::Class { names, .. } = &y {
            target.classes = names.clone();
        }
        Ok(Self { x, y, weight, target, notes, origin })
    }

    /// Typed rows as a problem: the fields are the columns, and the type says which is the target and which the weight.
    pub fn from_rows<R: Row>(rows: &[R]) -> Result<Self> {
        let OwnedDataset { x, y, weight, .. } = OwnedDataset::from_rows(rows)?;
        let OwnedFeatures::Table(x) = x else { return Err(Error::Data("typed rows are a table".into())) };
        let names = R::FIELDS.iter().filter(|f| f.role == RowRole::Target).map(|f| f.name.to_owned()).collect();
        let classes = if let OwnedTarget::Class { names, .. } = &y { names.clone() } else { Vec::new() };
        Ok(Self { x, y, weight, target: TargetInfo { names, classes }, notes: Vec::new(), origin: None })
    }

    /// A view to train on.
    pub fn dataset(&self) -> DatasetRef<'_> {
        DatasetRef::new(Features::Table(self.x.view())).with_target(self.y.view()).with_weight(self.weight.as_deref())
    }

    /// The given rows, in that order.
    pub fn take_rows(&self, rows: &[usize]) -> Self {
        Self {
            x: self.x.take_rows(rows),
            y: self.y.view().take_rows(rows),
            weight: self.weight.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect()),
            target: self.target.clone(),
            notes: Vec::new(),
            origin: Some(rows.iter().map(|&i| self.row_of_table(i)).collect()),
        }
    }

    /// The row of the table that a row of the problem came from.
    pub fn row_of_table(&self, row: usize) -> usize {
        self.origin.as_ref().and_then(|o| o.get(row)).copied().unwrap_or(row)
    }

    /// The rows of a sparse matrix beside the table that the problem has kept.
    pub fn take_rows_of(&self, x: &Csr) -> Csr {
        match &self.origin {
            Some(rows) => x.view().take_rows(rows),
            None => x.clone(),
        }
    }
}

impl<'a> From<&'a Problem> for Dataset<'a> {
    fn from(problem: &'a Problem) -> Self {
        let data = Self::from(problem.dataset());
        match &problem.target.names[..] {
            [name] => data.with_target_name(name),
            _ => data,
        }
    }
}

impl AsDataset for Problem {
    fn as_dataset(&self) -> Result<Dataset<'_>> {
        Ok(self.into())
    }
}

fn many_targets(targets: Vec<(Field, Column)>) -> Result<OwnedTarget> {
    let rows = targets[0].1.len();
    let mut out = ermine_core::Mat::zeros(rows, targets.len());
    for (j, (field, column)) in targets.into_iter().enumerate() {
        let Column::Number { values, .. } = column else {
            return Err(Error::Target(format!(
                "column \"{}\" is of type {}; several targets must all be numbers",
                field.name, field.kind
            )));
        };
        values.iter().enumerate().for_each(|(i, v)| out[(i, j)] = *v);
    }
    Ok(OwnedTarget::Reals(out))
}

/// Puts the columns of `table` in the order of `schema`, by name. Further columns are left out; columns that are
/// missing, or are of another kind, are reported together in one error.
pub fn align(table: &Table, schema: &Schema) -> Result<Table> {
    let (mut absent, mut wrong) = (Vec::new(), Vec::new());
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    for want in &schema.fields {
        let Ok(at) = table.schema().position(&want.name) else {
            let near = ermine_core::closest_name(&want.name, table.schema().names());
            let hint = near.first().map(|n| format!(" (is it \"{n}\"?)")).unwrap_or_default();
            absent.push((&want.name, hint));
            continue;
        };
        match align_column(&table.shared_column(at), want) {
            Some((field, column)) => {
                fields.push(field);
                columns.push(column);
            }
            None => {
                let field = &table.schema().fields[at];
                wrong.push(format!(
                    "column \"{}\" is of type {}, and the model was trained on type {}",
                    want.name, field.kind, want.kind
                ));
            }
        }
    }
    match &absent[..] {
        [] => {}
        [(name, hint)] => wrong.insert(0, format!("column \"{name}\" is not there{hint}")),
        several => {
            let names: Vec<String> = several.iter().map(|(name, hint)| format!("\"{name}\"{hint}")).collect();
            wrong.insert(0, format!("{} columns are not there: {}", names.len(), names.join(", ")));
        }
    }
    if wrong.is_empty() { Table::with_schema(Schema { fields }, columns) } else { Err(Error::Data(wrong.join("; "))) }
}

/// Counts values of category columns that training did not know, in rows that come in blocks.
pub struct UnseenCategories<'a> {
    schema: &'a Schema,
    /// Of each category column the names that training knew.
    known: Vec<Option<BTreeSet<&'a str>>>,
    rows: Vec<BTreeMap<String, usize>>,
}

impl<'a> UnseenCategories<'a> {
    /// No rows yet, for a model of these columns.
    pub fn new(schema: &'a Schema) -> Self {
        let known = |f: &'a Field| {
            let has_names = f.kind == ColumnKind::Category && !f.categories.is_empty();
            has_names.then(|| f.categories.iter().map(String::as_str).collect())
        };
        let rows = vec![BTreeMap::new(); schema.len()];
        Self { schema, known: schema.fields.iter().map(known).collect(), rows }
    }

    /// Further rows, with the columns of the model in their order.
    pub fn add(&mut self, table: &Table) {
        for ((column, known), rows) in table.columns().zip(&self.known).zip(&mut self.rows) {
            let (Column::Category { codes, names }, Some(known)) = (column, known) else { continue };
            let mut counts = vec![0usize; names.len()];
            codes.iter().filter(|&&c| c != MISSING_CODE).for_each(|&c| counts[c as usize] += 1);
            for (name, count) in names.iter().zip(counts).filter(|(n, c)| *c > 0 && !known.contains(n.as_str())) {
                *rows.entry(name.clone()).or_default() += count;
            }
        }
    }

    /// A sentence for each column with such values.
    pub fn notes(&self) -> Vec<String> {
        let of_column = |(new, field): (&BTreeMap<String, usize>, &Field)| {
            // The most frequent first.
            let mut new: Vec<(&String, usize)> = new.iter().map(|(name, count)| (name, *count)).collect();
            new.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
            let rows: usize = new.iter().map(|(_, n)| n).sum();
            let mut shown: Vec<String> = new.iter().take(3).map(|(name, _)| format!("\"{name}\"")).collect();
            if new.len() > 3 {
                shown.push(format!("{} more", new.len() - 3));
            }
            let (s, values) = (if rows == 1 { "" } else { "s" }, if new.len() == 1 { "a value" } else { "values" });
            let list = shown.join(", ");
            (rows > 0)
                .then(|| format!("column \"{}\": {rows} row{s} with {values} that training did not know ({list})", field.name))
        };
        self.rows.iter().zip(&self.schema.fields).filter_map(of_column).collect()
    }
}

/// The column as the field wants it, if that is possible without guessing; shared where it is so already.
fn align_column(column: &Arc<Column>, want: &Field) -> Option<(Field, Arc<Column>)> {
    let of_names = |column: Arc<Column>| {
        let Column::Category { names, .. } = &*column else { return None };
        Some((Field { categories: names.clone(), ..want.clone() }, column))
    };
    let missing = |i: usize| column.is_missing(i);
    match (want.kind, &**column) {
        (ColumnKind::Number | ColumnKind::Date, Column::Number { .. }) => Some((want.clone(), column.clone())),
        (ColumnKind::Category, Column::Category { .. }) => of_names(column.clone()),
        // Numbers are categories when the model says so: 1, 2, 3 for a passenger class.
        (ColumnKind::Category, Column::Number { values, .. }) => {
            let cells: Vec<Option<String>> =
                values.iter().enumerate().map(|(i, v)| (!missing(i)).then(|| v.to_string())).collect();
            of_names(Arc::new(Column::categories(&cells)))
        }
        (ColumnKind::Category, Column::Text(cells)) => of_names(Arc::new(Column::categories(cells))),
        (ColumnKind::Number | ColumnKind::Date, _) if (0..column.len()).all(missing) => {
            let made = Column::numbers(vec![f64::NAN; column.len()]);
            Some((Field { categories: Arc::default(), ..want.clone() }, Arc::new(made)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ermine_core::Task;

    use super::*;

    fn table() -> Table {
        Table::new([
            ("a", Column::numbers(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
            ("y", Column::numbers(vec![10.0, 9.0, f64::NAN, 9.0, 10.0, 9.0])),
            ("note", Column::Text(vec![Some("x".into()); 6])),
        ])
        .unwrap()
    }

    #[test]
    fn the_target_decides_the_task_and_rows_without_it_are_noted() {
        let p = Problem::from_table(table(), &Roles { task: Some(Task::Classification), ..Roles::with_target("y") }).unwrap();
        let OwnedTarget::Class { codes, names } = &p.y else { panic!("classes") };
        assert_eq!(names, &["9", "10"], "numbers sort as numbers");
        assert_eq!(codes, &[1, 0, 0, 1, 0]);
        assert_eq!(p.x.rows(), 5);
        assert_eq!(p.notes.len(), 2, "{:?}", p.notes);
        let p = Problem::from_table(table(), &Roles { task: Some(Task::Regression), ..Roles::with_target("y") }).unwrap();
        assert!(matches!(p.y, OwnedTarget::Real(_)));
        let e = Problem::from_table(table(), &Roles::with_target("yy")).unwrap_err();
        assert!(e.to_string().contains("did you mean \"y\""), "{e}");
    }

    #[test]
    fn classes_are_those_that_rows_have() {
        let species = Column::Category { codes: vec![2, 0, 2], names: Arc::new(vec!["b".into(), "none".into(), "a".into()]) };
        let t = Table::new([("a", Column::numbers(vec![1.0, 2.0, 3.0])), ("species", species)]).unwrap();
        let p = Problem::from_table(t.clone(), &Roles::with_target("species")).unwrap();
        let OwnedTarget::Class { codes, names } = &p.y else { panic!("classes") };
        assert_eq!((names.join(" ").as_str(), &codes[..]), ("a b", &[0, 1, 0][..]));
        let fixed = Roles { classes: Some(vec!["none".into(), "b".into()]), ..Roles::with_target("species") };
        let e = Problem::from_table(t, &fixed).unwrap_err().to_string();
        assert!(e.contains("\"a\"") && e.contains("species"), "{e}");
        let words = Column::Text(["no", "yes", "no"].map(|w| Some(w.into())).to_vec());
        let t = Table::new([("a", Column::numbers(vec![1.0, 2.0, 3.0])), ("answer", words)]).unwrap();
        let p = Problem::from_table(t, &Roles::with_target("answer")).unwrap();
        assert_eq!(p.target.classes, ["no", "yes"]);
    }

    #[test]
    fn columns_are_aligned_by_name_and_all_differences_listed() {
        let t = table();
        let schema = Schema::numbers(["y", "a"]);
        let aligned = align(&t, &schema).unwrap();
        assert_eq!(aligned.schema().names().collect::<Vec<_>>(), ["y", "a"]);
        let e = align(&t, &Schema::numbers(["b", "note", "a"])).unwrap_err().to_string();
        assert!(e.contains("\"b\" is not there") && e.contains("\"note\" is of type text"), "{e}");
    }
}
