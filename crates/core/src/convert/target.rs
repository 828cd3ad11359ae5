//! Vectors, arrays and slices as targets.

use super::{Label, Labels};
use crate::{Mat, MatRef, OwnedTarget, Result, Target};

/// A target that is borrowed or owned.
#[derive(Debug, Clone)]
pub enum TargetCow<'a> {
    /// A borrowed view.
    Borrowed(Target<'a>),
    /// A copy.
    Owned(OwnedTarget),
}

impl TargetCow<'_> {
    /// A view of the whole.
    pub fn view(&self) -> Target<'_> {
        match self {
            Self::Borrowed(y) => *y,
            Self::Owned(y) => y.view(),
        }
    }

    /// The target with memory of its own; copied where it is borrowed.
    pub fn into_owned(self) -> OwnedTarget {
        match self {
            Self::Borrowed(y) => y.to_owned(),
            Self::Owned(y) => y,
        }
    }
}

/// Whatever is one target value per row: `f64` and `f32` are numbers, and what is a [`Label`] (words, booleans, integers,
/// enums) is classes.
///
/// ```
/// use ermine_core::{AsTarget, Target};
///
/// assert!(matches!([1.5, 2.5].as_target()?.view(), Target::Real([1.5, 2.5])));
/// let y = ["rain", "sun", "rain"].as_target()?;
/// let (codes, names) = y.view().classes()?;
/// assert_eq!((codes, names), (&[0, 1, 0][..], &["rain".to_owned(), "sun".to_owned()][..]));
/// # Ok::<(), ermine_core::Error>(())
/// ```
pub trait AsTarget {
    /// The values.
    fn as_target(&self) -> Result<TargetCow<'_>>;
}

impl<Y: AsTarget + ?Sized> AsTarget for &Y {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        (**self).as_target()
    }
}

impl AsTarget for Target<'_> {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Borrowed(*self))
    }
}

impl AsTarget for OwnedTarget {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Borrowed(self.view()))
    }
}

impl AsTarget for TargetCow<'_> {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Borrowed(self.view()))
    }
}

impl AsTarget for Labels {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Borrowed(Target::Class { codes: self.codes(), names: self.names() }))
    }
}

impl AsTarget for Mat<f64> {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Borrowed(Target::Reals(self.view())))
    }
}

impl AsTarget for MatRef<'_, f64> {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Borrowed(Target::Reals(*self)))
    }
}

impl AsTarget for [f64] {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Borrowed(Target::Real(self)))
    }
}

impl AsTarget for [f32] {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        Ok(TargetCow::Owned(OwnedTarget::Real(self.iter().map(|&v| f64::from(v)).collect())))
    }
}

impl<T> AsTarget for Vec<T>
where
    [T]: AsTarget,
{
    fn as_target(&self) -> Result<TargetCow<'_>> {
        self[..].as_target()
    }
}

impl<T, const N: usize> AsTarget for [T; N]
where
    [T]: AsTarget,
{
    fn as_target(&self) -> Result<TargetCow<'_>> {
        self[..].as_target()
    }
}

impl<L: Label> AsTarget for [L] {
    fn as_target(&self) -> Result<TargetCow<'_>> {
        let (codes, names) = Labels::encode(self).into_parts();
        Ok(TargetCow::Owned(OwnedTarget::Class { codes, names }))
    }
}
