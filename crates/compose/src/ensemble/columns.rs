//! Some columns of features, and columns side by side.

use ermine_core::{Column, Csr, Error, Features, Field, Mat, OwnedFeatures, Result, Schema, Table};

/// The given columns, in that order; one may come several times.
pub(super) fn take(x: &Features<'_>, columns: &[u32]) -> Result<OwnedFeatures> {
    let at = |j: usize| columns[j] as usize;
    Ok(match x {
        Features::F64(m) => OwnedFeatures::F64(Mat::from_fn(m.rows(), columns.len(), |i, j| *m.at(i, at(j)))),
        Features::F32(m) => OwnedFeatures::F32(Mat::from_fn(m.rows(), columns.len(), |i, j| *m.at(i, at(j)))),
        Features::Csr(m) => {
            let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..m.rows() {
                let (from, cells) = m.row(i);
                for (new, &old) in columns.iter().enumerate() {
                    for (_, &v) in from.iter().zip(cells).filter(|(j, _)| **j == old) {
                        indices.push(new as u32);
                        values.push(v);
                    }
                }
                starts.push(values.len());
            }
            OwnedFeatures::Csr(Csr::new(starts, indices, values, columns.len())?)
        }
        Features::Table(t) => {
            let rows: Vec<usize> = t.range().collect();
            let schema = schema(t.schema(), columns);
            let cells: Vec<Column> = columns.iter().map(|&j| t.table().columns()[j as usize].take_rows(&rows)).collect();
            OwnedFeatures::Table(Table::with_schema(schema, cells)?)
        }
    })
}

/// The fields of the given columns; one that comes again gets a number behind its name.
pub(super) fn schema(schema: &Schema, columns: &[u32]) -> Schema {
    let field = |(k, &j): (usize, &u32)| {
        let mut field = schema.fields[j as usize].clone();
        let before = columns[..k].iter().filter(|&&other| other == j).count();
        if before > 0 {
            field.name = format!("{} ({})", field.name, before + 1);
        }
        field
    };
    Schema { fields: columns.iter().enumerate().map(field).collect() }
}

/// New number columns in front of the columns of `x`, with their names.
pub(super) fn beside(z: &Mat<f64>, names: &[String], x: &Features<'_>) -> Result<OwnedFeatures> {
    let rows = z.rows();
    Ok(match x {
        Features::F64(m) => OwnedFeatures::F64(Mat::from_fn(rows, z.cols() + m.cols(), |i, j| {
            if j < z.cols() { z[(i, j)] } else { *m.at(i, j - z.cols()) }
        })),
        Features::F32(m) => OwnedFeatures::F64(Mat::from_fn(rows, z.cols() + m.cols(), |i, j| {
            if j < z.cols() { z[(i, j)] } else { f64::from(*m.at(i, j - z.cols())) }
        })),
        Features::Csr(_) => return Err(Error::Data("stacking does not take sparse rows".into())),
        Features::Table(t) => {
            let rows: Vec<usize> = t.range().collect();
            let mut cells: Vec<Column> = (0..z.cols()).map(|j| Column::numbers(z.view().col_iter(j).collect())).collect();
            cells.extend(t.table().columns().iter().map(|c| c.take_rows(&rows)));
            OwnedFeatures::Table(Table::with_schema(joined(names, t.schema()), cells)?)
        }
    })
}

/// New number columns in front of a schema; a name that is taken gets a mark.
pub(super) fn joined(names: &[String], schema: &Schema) -> Schema {
    let mut fields: Vec<Field> = Schema::numbers(names.iter().cloned()).fields;
    fields.iter_mut().for_each(|f| {
        while schema.fields.iter().any(|g| g.name == f.name) {
            f.name.push('\'');
        }
    });
    fields.extend(schema.fields.iter().cloned());
    Schema { fields }
}
