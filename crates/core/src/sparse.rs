//! Compressed sparse rows.

use std::ops::Range;

use crate::{Error, Mat, Result};

/// A borrowed matrix in compressed sparse row form, checked when constructed: row pointers ascend and end at the number
/// of stored values, column indices are below `cols`. Indices within a row need not be sorted; equal ones add up.
#[derive(Debug, Clone, Copy)]
pub struct CsrRef<'a> {
    indptr: &'a [usize],
    indices: &'a [u32],
    values: &'a [f64],
    cols: usize,
}

impl<'a> CsrRef<'a> {
    /// A checked view. `indptr` has one entry more than there are rows.
    pub fn new(indptr: &'a [usize], indices: &'a [u32], values: &'a [f64], cols: usize) -> Result<Self> {
        let bad = |message: String| Err(Error::Data(format!("sparse matrix: {message}")));
        if indptr.is_empty() {
            return bad("the row pointers are empty".into());
        }
        if indices.len() != values.len() {
            return bad(format!("{} column indices for {} values", indices.len(), values.len()));
        }
        if let Some(row) = (1..indptr.len()).find(|&i| indptr[i] < indptr[i - 1]) {
            return bad(format!("the row pointers descend at row {}", row - 1));
        }
        if indptr[indptr.len() - 1] > values.len() {
            return bad(format!("the row pointers reach {} of {} values", indptr[indptr.len() - 1], values.len()));
        }
        let used = indptr[0]..indptr[indptr.len() - 1];
        if let Some(index) = indices[used].iter().find(|&&j| j as usize >= cols) {
            return bad(format!("column index {index} in a matrix of {cols} columns"));
        }
        Ok(Self { indptr, indices, values, cols })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of stored values.
    pub fn stored(&self) -> usize {
        self.indptr[self.rows()] - self.indptr[0]
    }

    /// Column indices and values of one row.
    #[inline]
    pub fn row(&self, row: usize) -> (&'a [u32], &'a [f64]) {
        let range = self.indptr[row]..self.indptr[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The rows of `range` as a view.
    pub fn row_range(&self, range: Range<usize>) -> Self {
        Self { indptr: &self.indptr[range.start..range.end + 1], ..*self }
    }

    /// Writes one row as dense numbers.
    pub fn copy_row(&self, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        let (indices, values) = self.row(row);
        for (&j, &v) in indices.iter().zip(values) {
            out[j as usize] += v;
        }
    }

    /// The whole as dense numbers.
    pub fn to_dense(&self) -> Mat<f64> {
        let mut out = Mat::zeros(self.rows(), self.cols);
        for i in 0..self.rows() {
            self.copy_row(i, out.row_mut(i));
        }
        out
    }

    /// The given rows, in that order, as an owned matrix.
    pub fn take_rows(&self, rows: &[usize]) -> Csr {
        let mut out = Csr { indptr: vec![0], indices: Vec::new(), values: Vec::new(), cols: self.cols };
        for &row in rows {
            let (indices, values) = self.row(row);
            out.indices.extend_from_slice(indices);
            out.values.extend_from_slice(values);
            out.indptr.push(out.values.len());
        }
        out
    }
}

/// An owned matrix in compressed sparse row form.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    cols: usize,
}

impl Csr {
    /// A checked matrix from its parts (see [`CsrRef::new`]).
    pub fn new(indptr: Vec<usize>, indices: Vec<u32>, values: Vec<f64>, cols: usize) -> Result<Self> {
        CsrRef::new(&indptr, &indices, &values, cols)?;
        Ok(Self { indptr, indices, values, cols })
    }

    /// Adds the rows of another matrix of the same width at the end.
    ///
    /// # Panics
    /// When the widths differ.
    pub fn append_rows(&mut self, other: &Self) {
        assert_eq!(self.cols, other.cols, "matrices of different widths");
        let (start, first) = (self.values.len(), other.indptr[0]);
        let used = first..other.indptr[other.indptr.len() - 1];
        self.indices.extend_from_slice(&other.indices[used.clone()]);
        self.values.extend_from_slice(&other.values[used]);
        self.indptr.extend(other.indptr[1..].iter().map(|p| p - first + start));
    }

    /// A view of the whole.
    pub fn view(&self) -> CsrRef<'_> {
        CsrRef { indptr: &self.indptr, indices: &self.indices, values: &self.values, cols: self.cols }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_bad_parts_refused() {
        let m = Csr::new(vec![0, 2, 2, 3], vec![2, 0, 1], vec![1.0, 2.0, 3.0], 3).unwrap();
        assert_eq!(m.view().to_dense().as_slice(), [2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0]);
        assert_eq!(m.view().row_range(1..3).to_dense().as_slice(), [0.0, 0.0, 0.0, 0.0, 3.0, 0.0]);
        assert_eq!(m.view().take_rows(&[2, 0]).view().stored(), 3);
        assert!(Csr::new(vec![0, 2, 1], vec![0, 0], vec![1.0, 1.0], 3).is_err());
        assert!(Csr::new(vec![0, 1], vec![3], vec![1.0], 3).is_err());
        assert!(Csr::new(vec![0, 4], vec![0], vec![1.0], 3).is_err());
        assert!(Csr::new(vec![], vec![], vec![], 3).is_err());
    }
}
