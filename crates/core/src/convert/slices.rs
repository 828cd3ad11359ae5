//! Rows as vectors, arrays and slices of numbers.

use super::{AsFeatures, FeaturesCow};
use crate::{Error, Features, Mat, MatRef, OwnedFeatures, Result};

/// A number that features are made of: `f64` or `f32`.
pub trait FeatureNumber: Copy + Default + sealed::Sealed + 'static {
    /// A matrix as features.
    fn view(x: MatRef<'_, Self>) -> Features<'_>;
    /// A matrix as owned features.
    fn own(x: Mat<Self>) -> OwnedFeatures;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

impl FeatureNumber for f64 {
    fn view(x: MatRef<'_, Self>) -> Features<'_> {
        Features::F64(x)
    }
    fn own(x: Mat<Self>) -> OwnedFeatures {
        OwnedFeatures::F64(x)
    }
}

impl FeatureNumber for f32 {
    fn view(x: MatRef<'_, Self>) -> Features<'_> {
        Features::F32(x)
    }
    fn own(x: Mat<Self>) -> OwnedFeatures {
        OwnedFeatures::F32(x)
    }
}

/// The type of one row; slices, vectors and arrays of such rows are features.
pub trait FeatureRow: Sized {
    /// All rows as features.
    fn features_of(rows: &[Self]) -> Result<FeaturesCow<'_>>;
}

impl<T: FeatureNumber, const N: usize> FeatureRow for [T; N] {
    fn features_of(rows: &[Self]) -> Result<FeaturesCow<'_>> {
        Ok(FeaturesCow::Borrowed(T::view(MatRef::row_major(rows.as_flattened(), rows.len(), N))))
    }
}

impl<T: FeatureNumber> FeatureRow for Vec<T> {
    fn features_of(rows: &[Self]) -> Result<FeaturesCow<'_>> {
        copied(rows)
    }
}

impl<T: FeatureNumber> FeatureRow for &[T] {
    fn features_of(rows: &[Self]) -> Result<FeaturesCow<'_>> {
        copied(rows)
    }
}

fn copied<T: FeatureNumber>(rows: &[impl AsRef<[T]>]) -> Result<FeaturesCow<'static>> {
    let cols = rows.first().map_or(0, |row| row.as_ref().len());
    let mut numbers = Vec::with_capacity(rows.len() * cols);
    for (i, row) in rows.iter().enumerate() {
        let row = row.as_ref();
        if row.len() != cols {
            return Err(Error::Length { what: format!("numbers in row {i}"), expected: cols, found: row.len() });
        }
        numbers.extend_from_slice(row);
    }
    Ok(FeaturesCow::Owned(T::own(Mat::from_vec(rows.len(), cols, numbers))))
}

impl<R: FeatureRow> AsFeatures for [R] {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        R::features_of(self)
    }
}

impl<R: FeatureRow> AsFeatures for Vec<R> {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        R::features_of(self)
    }
}

impl<R: FeatureRow, const N: usize> AsFeatures for [R; N] {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        R::features_of(self)
    }
}

impl<'a, T> MatRef<'a, T> {
    /// A slice in row-major order as a matrix of `(rows, columns)`; an error when it has another length.
    pub fn from_slice(data: &'a [T], (rows, cols): (usize, usize)) -> Result<Self> {
        match rows.checked_mul(cols) {
            Some(expected) if expected == data.len() => Ok(Self::row_major(data, rows, cols)),
            _ => {
                let what = format!("elements of a {rows} x {cols} matrix");
                Err(Error::Length { what, expected: rows.saturating_mul(cols), found: data.len() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_number(x: &FeaturesCow<'_>) -> *const u8 {
        match x.view() {
            Features::F64(m) => m.as_slice().as_ptr().cast(),
            Features::F32(m) => m.as_slice().as_ptr().cast(),
            _ => panic!("numbers"),
        }
    }

    #[test]
    fn arrays_are_borrowed_and_vectors_copied() {
        let arrays = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let vectors = arrays.map(|row| row.to_vec());
        let slices: Vec<&[f64]> = arrays.iter().map(|row| &row[..]).collect();
        let narrow = vec![[1.0f32, 2.0], [3.0, 4.0]];
        assert_eq!(first_number(&arrays.as_features().unwrap()), arrays.as_ptr().cast());
        assert_eq!(first_number(&narrow.as_features().unwrap()), narrow.as_ptr().cast());
        for x in [arrays.as_features(), vectors.as_features(), slices.as_features(), arrays[..].as_features()] {
            let x = x.unwrap();
            let Features::F64(m) = x.view() else { panic!("f64") };
            assert_eq!((m.rows(), m.cols(), m.as_row_major()), (3, 2, Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..])));
        }
    }

    #[test]
    fn a_shape_that_does_not_fit_is_an_error() {
        assert_eq!(*MatRef::from_slice(&[1, 2, 3, 4, 5, 6], (2, 3)).unwrap().at(1, 0), 4);
        let e = MatRef::from_slice(&[1, 2, 3, 4, 5], (2, 3)).unwrap_err().to_string();
        assert_eq!(e, "elements of a 2 x 3 matrix: expected 6, found 5");
        assert!(MatRef::from_slice(&[0; 4], (usize::MAX, 2)).is_err());
    }
}
