//! Data of other types as rows of features: borrowed where their memory allows it, else copied once.

#[cfg(feature = "faer")]
mod faer;
mod labels;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
mod slices;
#[cfg(feature = "sprs")]
mod sprs;
mod target;

use crate::{Csr, CsrRef, DatasetRef, Features, Mat, MatRef, OwnedDataset, OwnedFeatures, Result, Table, TableRef};

pub use labels::{AsLabels, Label, Labels};
pub use slices::FeatureRow;
pub use target::{AsTarget, TargetCow};

/// Features that are borrowed or owned.
#[derive(Debug, Clone)]
pub enum FeaturesCow<'a> {
    /// A view of the memory of its owner.
    Borrowed(Features<'a>),
    /// A copy.
    Owned(OwnedFeatures),
}

impl FeaturesCow<'_> {
    /// A view of the whole.
    pub fn view(&self) -> Features<'_> {
        match self {
            Self::Borrowed(x) => *x,
            Self::Owned(x) => x.view(),
        }
    }

    /// The features with memory of their own; copied where they are borrowed.
    pub fn into_owned(self) -> OwnedFeatures {
        match self {
            Self::Borrowed(x) => x.to_owned(),
            Self::Owned(x) => x,
        }
    }
}

/// Whatever has rows of features: matrices, nested slices, tables, sparse rows, data sets, and with the feature of that
/// name the types of `ndarray`, `nalgebra`, `faer` and `sprs`.
///
/// ```
/// use ermine_core::AsFeatures;
///
/// let rows = vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]];
/// assert_eq!(rows.as_features()?.view().rows(), 3);
/// let short = vec![vec![1.0, 2.0], vec![3.0]];
/// assert_eq!(short.as_features().unwrap_err().to_string(), "numbers in row 1: expected 2, found 1");
/// # Ok::<(), ermine_core::Error>(())
/// ```
pub trait AsFeatures {
    /// The rows.
    fn as_features(&self) -> Result<FeaturesCow<'_>>;
}

impl<X: AsFeatures + ?Sized> AsFeatures for &X {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        (**self).as_features()
    }
}

impl AsFeatures for FeaturesCow<'_> {
    fn as_features(&self) -> Result<FeaturesCow<'_>> {
        Ok(FeaturesCow::Borrowed(self.view()))
    }
}

macro_rules! borrowed {
    ($($type:ty: $this:ident => $features:expr;)*) => {
        $(impl AsFeatures for $type {
            fn as_features(&self) -> Result<FeaturesCow<'_>> {
                let $this = self;
                Ok(FeaturesCow::Borrowed($features))
            }
        })*
    };
}

borrowed! {
    Features<'_>: x => *x;
    OwnedFeatures: x => x.view();
    MatRef<'_, f64>: x => Features::F64(*x);
    MatRef<'_, f32>: x => Features::F32(*x);
    Mat<f64>: x => Features::F64(x.view());
    Mat<f32>: x => Features::F32(x.view());
    CsrRef<'_>: x => Features::Csr(*x);
    Csr: x => Features::Csr(x.view());
    TableRef<'_>: x => Features::Table(*x);
    Table: x => Features::Table(x.view());
    DatasetRef<'_>: data => data.x;
    OwnedDataset: data => data.x.view();
}
