//! Linear models as sums of parts, one per column.

use ermine_core::{AdditiveModel, Features, Mat, MatRef, Model, Result};

use super::{LassoModel, LinearSvmModel, LogisticModel, OlsModel, PerceptronModel, RidgeModel, SgdModel, StepwiseModel};

/// Coefficient times cell: for each row the columns of the first row of coefficients, then those of the next.
pub(super) fn parts(coef: MatRef<'_, f64>, x: &Features<'_>, learner: &str) -> Result<Mat<f64>> {
    x.expect_cols(coef.cols())?;
    let mut scratch = Vec::new();
    let rows = x.f64_rows(&mut scratch, learner)?;
    let width = coef.cols();
    Ok(Mat::from_fn(rows.rows(), coef.rows() * width, |i, k| coef.at(k / width, k % width) * rows.at(i, k % width)))
}

fn line(coef: &[f64]) -> MatRef<'_, f64> {
    MatRef::row_major(coef, 1, coef.len())
}

macro_rules! additive {
    ($($model:ident, $learner:literal, |$m:ident| $coef:expr, $output:expr;)*) => {$(
        impl AdditiveModel for $model {
            fn output_name(&self) -> &'static str {
                let $m = self;
                let _ = $m;
                $output
            }
            fn n_outputs(&self) -> usize {
                let $m = self;
                $coef.rows()
            }
            fn parts(&self, x: &Features<'_>) -> Result<Mat<f64>> {
                let $m = self;
                parts($coef, x, $learner)
            }
        }
    )*};
}

pub(super) const PREDICTION: &str = "prediction";
const SCORE: &str = "score";

additive! {
    OlsModel, "ols", |m| m.coef().view(), PREDICTION;
    RidgeModel, "ridge", |m| m.coef().view(), PREDICTION;
    LassoModel, "lasso", |m| m.coef().view(), PREDICTION;
    StepwiseModel, "stepwise", |m| line(m.coef()), PREDICTION;
    PerceptronModel, "perceptron", |m| m.coef().view(), SCORE;
    SgdModel, "sgd", |m| m.coef().view(), if m.as_classifier().is_some() { SCORE } else { PREDICTION };
    LinearSvmModel, "linear-svm", |m| m.coef().view(), if m.as_classifier().is_some() { SCORE } else { PREDICTION };
    LogisticModel, "logistic", |m| m.coef().view(), if m.coef().rows() == 1 { "log odds" } else { SCORE };
}
