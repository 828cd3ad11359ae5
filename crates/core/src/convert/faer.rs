//! Matrices of `faer` 0.24.

use super::slices::FeatureNumber;
use super::{AsFeatures, AsTarget, FeaturesCow, TargetCow};
use crate::{Mat, OwnedTarget, Result};

/// Copied once: columns of a `faer` matrix have gaps between them, and no slice covers them all.
impl<T: FeatureNumber> AsFeatures for faer::MatRef<'_, T> {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        Ok(FeaturesCow::Owned(T::own(Mat::from_fn(self.nrows(), self.ncols(), |i, j| self[(i, j)]))))
    }
}

impl<T: FeatureNumber> AsFeatures for faer::Mat<T> {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        Ok(FeaturesCow::Owned(self.as_ref().as_features()?.into_owned()))
    }
}

impl AsTarget for faer::ColRef<'_, f64> {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Owned(OwnedTarget::Real(self.iter().copied().collect())))
    }
}

impl AsTarget for faer::Col<f64> {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Owned(self.as_ref().as_target()?.into_owned()))
    }
}

impl<T: Clone> From<Mat<T>> for faer::Mat<T> {
    fn from(x: Mat<T>) -> Self {
        Self::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Target};

    #[test]
    fn matrices_and_columns_are_read_in_their_order() {
        let x = faer::Mat::from_fn(3, 2, |i, j| (10 * i + j) as f64);
        let features = x.as_features().unwrap();
        let Features::F64(m) = features.view() else { panic!("f64") };
        assert_eq!(m.as_row_major(), Some(&[0.0, 1.0, 10.0, 11.0, 20.0, 21.0][..]));
        assert_eq!(faer::Mat::from(m.to_owned()), x);
        let turned = x.transpose();
        assert!(matches!(turned.as_features().unwrap().view(), Features::F64(m) if *m.at(1, 2) == 21.0));
        let y = faer::Col::from_fn(2, |i| i as f64);
        assert!(matches!(y.as_target().unwrap().view(), Target::Real([0.0, 1.0])));
    }
}
