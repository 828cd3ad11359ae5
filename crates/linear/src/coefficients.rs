//! The affine function that a linear regression is.

use ermine_core::{Error, Features, Mat, ModelReader, ModelWriter, Result};
use ermine_math::affine::affine;

/// `x ↦ B x + b`, a row of B a target.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Coefficients {
    pub coef: Mat<f64>,
    pub intercept: Vec<f64>,
}

impl Coefficients {
    pub fn predict(&self, x: &Features<'_>, learner: &str) -> Result<Mat<f64>> {
        x.expect_cols(self.coef.cols())?;
        let out = affine(x, &self.coef, &self.intercept, learner)?;
        if out.as_slice().iter().any(|v| !v.is_finite()) {
            // A cell that is not finite spoils its row; finite cells may still overflow, and that is the answer then.
            x.refuse_non_finite(None)?;
        }
        Ok(out)
    }

    /// Arrays `coef` [targets, columns] and `intercept` [targets].
    pub fn save(&self, out: &mut ModelWriter) {
        out.mat("coef", &self.coef);
        out.vec("intercept", &self.intercept);
    }

    pub fn load(input: &ModelReader) -> Result<Self> {
        let coef: Mat<f64> = input.mat("coef")?;
        if coef.rows() == 0 || coef.cols() == 0 {
            return Err(Error::Model(format!("coefficients of {} targets and {} columns", coef.rows(), coef.cols())));
        }
        let intercept = input.vec_of("intercept", coef.rows())?;
        if coef.as_slice().iter().chain(&intercept).any(|v: &f64| !v.is_finite()) {
            return Err(Error::Model("a coefficient is not finite".into()));
        }
        Ok(Self { coef, intercept })
    }
}
