//! Subsets of feature columns.

use ermine_core::{Column, Csr, Features, Mat, OwnedFeatures, Result, Schema, Table};

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
            let cells: Vec<Column> = columns.iter().map(|&j| t.table().column_at(j as usize).take_rows(&rows)).collect();
            OwnedFeatures::Table(Table::with_schema(schema, cells)?)
        }
    })
}

/// The fields of the given columns; duplicates get a number behind their name.
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
