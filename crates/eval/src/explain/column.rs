//! Columns of features, extracted and replaced.

use ermine_core::{Bitmap, Column, Csr, Error, Features, Mat, OwnedFeatures, Result};

/// The cells of one column, in the form of the rows they belong to.
#[derive(Debug, Clone)]
pub(super) enum ColumnValues {
    F64(Vec<f64>),
    F32(Vec<f32>),
    Column(Column),
}

/// A value that a whole column can be filled with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FillValue {
    Number(f64),
    Code(u32),
}

impl ColumnValues {
    pub fn of(x: &Features<'_>, col: usize) -> Self {
        match x {
            Features::F64(m) => Self::F64(m.col_iter(col).collect()),
            Features::F32(m) => Self::F32(m.col_iter(col).collect()),
            Features::Csr(m) => Self::F64((0..m.rows()).map(|i| stored(m.row(i), col)).collect()),
            Features::Table(t) => {
                let rows: Vec<usize> = t.range().collect();
                Self::Column(t.table().column_at(col).take_rows(&rows))
            }
        }
    }

    /// The cells in another order.
    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            Self::F64(v) => Self::F64(rows.iter().map(|&i| v[i]).collect()),
            Self::F32(v) => Self::F32(rows.iter().map(|&i| v[i]).collect()),
            Self::Column(c) => Self::Column(c.take_rows(rows)),
        }
    }

    /// A column of equal cells of the same form; `None` where the column has no such cells.
    pub fn filled(&self, with: FillValue) -> Option<Self> {
        Some(match (self, with) {
            (Self::F64(v), FillValue::Number(n)) => Self::F64(vec![n; v.len()]),
            (Self::F32(v), FillValue::Number(n)) => Self::F32(vec![n as f32; v.len()]),
            (Self::Column(Column::Number { values, .. }), FillValue::Number(n)) => {
                Self::Column(Column::Number { values: vec![n; values.len()], valid: None })
            }
            (Self::Column(Column::Category { codes, names }), FillValue::Code(c)) => {
                Self::Column(Column::Category { codes: vec![c; codes.len()], names: names.clone() })
            }
            _ => return None,
        })
    }

    /// The numbers that are not missing.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let is_present = |(i, v): (usize, &f64), valid: &Option<Bitmap>| {
            (valid.as_ref().is_none_or(|b| b.get(i)) && v.is_finite()).then_some(*v)
        };
        Some(match self {
            Self::F64(v) => v.iter().copied().filter(|v| v.is_finite()).collect(),
            Self::F32(v) => v.iter().map(|&v| f64::from(v)).filter(|v| v.is_finite()).collect(),
            Self::Column(Column::Number { values, valid }) => {
                values.iter().enumerate().filter_map(|cell| is_present(cell, valid)).collect()
            }
            Self::Column(_) => return None,
        })
    }
}

fn stored((indices, values): (&[u32], &[f64]), col: usize) -> f64 {
    indices.binary_search(&(col as u32)).map_or(0.0, |k| values[k])
}

/// Replaces the cells of a column.
pub(super) fn replace_column(x: &mut OwnedFeatures, col: usize, cells: ColumnValues) -> Result<()> {
    fn fill<T: Copy>(m: &mut Mat<T>, col: usize, cells: &[T]) {
        let width = m.cols();
        m.as_mut_slice().iter_mut().skip(col).step_by(width).zip(cells).for_each(|(to, from)| *to = *from);
    }
    match (x, cells) {
        (OwnedFeatures::F64(m), ColumnValues::F64(v)) => fill(m, col, &v),
        (OwnedFeatures::F32(m), ColumnValues::F32(v)) => fill(m, col, &v),
        (OwnedFeatures::Csr(m), ColumnValues::F64(v)) => *m = with_column(m, col, &v)?,
        (OwnedFeatures::Table(t), ColumnValues::Column(c)) => {
            t.replace(col, c)?;
        }
        _ => return Err(Error::Data(format!("column {col} cannot be replaced by cells of another form"))),
    }
    Ok(())
}

/// Sparse rows with other values in one column; zeros are not stored.
fn with_column(m: &Csr, col: usize, cells: &[f64]) -> Result<Csr> {
    let rows = m.view();
    let (mut ends, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for (i, &cell) in cells.iter().enumerate() {
        let (at, stored) = rows.row(i);
        let place = at.partition_point(|&j| (j as usize) < col);
        let after = place + usize::from(at.get(place) == Some(&(col as u32)));
        indices.extend_from_slice(&at[..place]);
        values.extend_from_slice(&stored[..place]);
        if cell != 0.0 {
            indices.push(col as u32);
            values.push(cell);
        }
        indices.extend_from_slice(&at[after..]);
        values.extend_from_slice(&stored[after..]);
        ends.push(indices.len());
    }
    Csr::new(ends, indices, values, rows.cols())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_sparse_rows_is_exchanged_and_comes_back() {
        let m = Csr::new(vec![0, 2, 2, 4], vec![0, 2, 1, 2], vec![1.0, 2.0, 3.0, 4.0], 3).unwrap();
        let mut x = OwnedFeatures::Csr(m.clone());
        let old = ColumnValues::of(&x.view(), 2);
        replace_column(&mut x, 2, ColumnValues::F64(vec![0.0, 5.0, 6.0])).unwrap();
        let OwnedFeatures::Csr(new) = &x else { panic!("sparse") };
        assert_eq!(new.view().to_dense().as_slice(), [1.0, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 3.0, 6.0]);
        replace_column(&mut x, 2, old).unwrap();
        let OwnedFeatures::Csr(back) = &x else { panic!("sparse") };
        assert_eq!(back.view().to_dense(), m.view().to_dense());
    }
}
