//! Matrices of `nalgebra` 0.35.

use nalgebra::{DMatrix, Dim, IsContiguous, Matrix, RawStorage, Scalar, U1};

use super::slices::FeatureNumber;
use super::{AsFeatures, AsTarget, FeaturesCow, TargetCow};
use crate::{Mat, MatRef, Result};

/// Borrowed: matrices of `nalgebra` lie column by column.
impl<T: FeatureNumber + Scalar, R: Dim, C: Dim, S: RawStorage<T, R, C> + IsContiguous> AsFeatures for Matrix<T, R, C, S> {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        Ok(FeaturesCow::Borrowed(T::view(MatRef::col_major(self.as_slice(), self.nrows(), self.ncols()))))
    }
}

impl<T: Scalar, R: Dim, S: RawStorage<T, R, U1> + IsContiguous> AsTarget for Matrix<T, R, U1, S>
where
    [T]: AsTarget,
{
    fn as_target(&self) -> Result<TargetCow<'_>> {
        self.as_slice().as_target()
    }
}

impl<T: Scalar> From<Mat<T>> for DMatrix<T> {
    fn from(x: Mat<T>) -> Self {
        Self::from_row_slice(x.rows(), x.cols(), x.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Target};
    use nalgebra::{DVector, dmatrix, matrix};

    #[test]
    fn matrices_are_borrowed_column_by_column() {
        let x = dmatrix![1.0, 2.0; 3.0, 4.0; 5.0, 6.0];
        let features = x.as_features().unwrap();
        let Features::F64(m) = features.view() else { panic!("f64") };
        assert_eq!(m.to_owned().into_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(m.as_slice().as_ptr(), x.as_slice().as_ptr());
        assert_eq!(DMatrix::from(m.to_owned()), x);
        assert!(matches!(matrix![1.0f32; 2.0].as_features().unwrap().view(), Features::F32(_)));
        assert!(matches!(DVector::from(vec![1.0, 2.0]).as_target().unwrap().view(), Target::Real([1.0, 2.0])));
    }
}
