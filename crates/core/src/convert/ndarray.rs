//! Arrays of `ndarray` 0.17.

use ndarray::{Array2, ArrayBase, ArrayView2, Data, Ix1, Ix2, ShapeBuilder};

use super::slices::FeatureNumber;
use super::{AsFeatures, AsTarget, FeaturesCow, TargetCow};
use crate::{Mat, MatRef, Result, Target};

/// The array as a view, where its elements lie in one piece of memory, in whatever order of rows and columns.
fn borrowed<S: Data>(x: &ArrayBase<S, Ix2>) -> Option<MatRef<'_, S::Elem>> {
    let [rows, cols] = [x.nrows(), x.ncols()];
    let stride = |axis: usize| usize::try_from(x.strides()[axis]).ok();
    MatRef::strided(x.as_slice_memory_order()?, rows, cols, stride(0)?, stride(1)?)
}

fn copied<S: Data<Elem: Clone>>(x: &ArrayBase<S, Ix2>) -> Mat<S::Elem> {
    Mat::from_vec(x.nrows(), x.ncols(), x.iter().cloned().collect())
}

/// Borrowed in either layout; a view with gaps between its elements, such as some columns of a larger array, is copied.
impl<S: Data<Elem: FeatureNumber>> AsFeatures for ArrayBase<S, Ix2> {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        Ok(match borrowed(self) {
            Some(x) => FeaturesCow::Borrowed(FeatureNumber::view(x)),
            None => FeaturesCow::Owned(FeatureNumber::own(copied(self))),
        })
    }
}

impl<S: Data<Elem: Clone>> AsTarget for ArrayBase<S, Ix1>
where
    [S::Elem]: AsTarget,
{
    fn as_target(&self) -> Result<TargetCow<'_>> {
        match self.as_slice() {
            Some(y) => y.as_target(),
            None => Ok(TargetCow::Owned(self.to_vec().as_target()?.into_owned())),
        }
    }
}

/// Several targets: one column for each.
impl<S: Data<Elem = f64>> AsTarget for ArrayBase<S, Ix2> {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(match borrowed(self) {
            Some(y) => TargetCow::Borrowed(Target::Reals(y)),
            None => TargetCow::Owned(crate::OwnedTarget::Reals(copied(self))),
        })
    }
}

impl<T> From<Mat<T>> for Array2<T> {
    fn from(x: Mat<T>) -> Self {
        let shape = (x.rows(), x.cols());
        Self::from_shape_vec(shape, x.into_vec()).expect("a matrix has as many elements as its shape says")
    }
}

impl<'a, T> From<MatRef<'a, T>> for ArrayView2<'a, T> {
    fn from(x: MatRef<'a, T>) -> Self {
        let shape = (x.rows(), x.cols()).strides((x.row_stride(), x.col_stride()));
        Self::from_shape(shape, x.as_slice()).expect("the elements of a view lie within its slice")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Features;
    use ndarray::{Array1, Axis, Slice, array};

    fn read(x: &FeaturesCow<'_>) -> (Vec<f64>, bool) {
        let Features::F64(m) = x.view() else { panic!("f64") };
        (m.to_owned().into_vec(), matches!(x, FeaturesCow::Borrowed(_)))
    }

    #[test]
    fn both_layouts_are_borrowed_and_views_with_gaps_copied() {
        let x = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        assert_eq!(read(&x.as_features().unwrap()), (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], true));
        assert_eq!(read(&x.t().as_features().unwrap()), (vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0], true));
        assert_eq!(read(&x.slice_axis(Axis(0), Slice::from(1..)).as_features().unwrap()), (vec![4.0, 5.0, 6.0], true));
        assert_eq!(read(&x.slice_axis(Axis(1), Slice::from(1..)).as_features().unwrap()), (vec![2.0, 3.0, 5.0, 6.0], false));
        assert_eq!(
            read(&x.slice_axis(Axis(0), Slice::new(0, None, -1)).as_features().unwrap()),
            (vec![4.0, 5.0, 6.0, 1.0, 2.0, 3.0], false)
        );
        let narrow = x.mapv(|v| v as f32);
        assert!(matches!(narrow.as_features().unwrap().view(), Features::F32(m) if *m.at(1, 2) == 6.0));
        let back: Array2<f64> = Mat::from_vec(2, 3, x.iter().copied().collect()).into();
        assert_eq!(back, x);
        let values: Vec<f64> = x.iter().copied().collect();
        assert_eq!(ArrayView2::from(MatRef::row_major(&values, 2, 3).t()), x.t());
    }

    #[test]
    fn vectors_are_targets() {
        let y = Array1::from(vec![1.0, 2.0, 3.0, 4.0]);
        assert!(matches!(y.as_target().unwrap(), TargetCow::Borrowed(Target::Real([1.0, ..]))));
        assert!(matches!(y.slice_axis(Axis(0), Slice::new(0, None, 2)).as_target().unwrap().view(), Target::Real([1.0, 3.0])));
        assert_eq!(array!["b", "a"].as_target().unwrap().view().classes().unwrap().0, [1, 0]);
        assert_eq!(array![[1.0, 2.0], [3.0, 4.0]].as_target().unwrap().view().n_targets(), 2);
    }
}
