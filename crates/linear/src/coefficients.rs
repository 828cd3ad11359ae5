//! Coefficients of linear regressions: one affine function per target.

use ermine_core::{
    Cell, ColumnMeaning, Error, Features, Mat, ModelReader, ModelWriter, Report, Result, RowFunction, Schema, refuse_cell,
};
use ermine_math::affine::{affine, affine_row};

/// `x ↦ B x + b`, one row of B per target.
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

    /// [`Self::predict`] for one row at a time, where all columns are numbers.
    pub fn by_row(&self, schema: &Schema, learner: &'static str) -> Option<Box<dyn RowFunction>> {
        let line = self.clone();
        schema.is_numbers(self.coef.cols()).then(|| Box::new(LineOfRow { line, schema: schema.clone(), learner }) as _)
    }

    /// The coefficients of one target.
    pub fn of_target(&self, k: usize) -> Self {
        Self { coef: Mat::from_vec(1, self.coef.cols(), self.coef.row(k).to_vec()), intercept: vec![self.intercept[k]] }
    }

    /// Adds a table of the coefficients: their rows are its columns, with these heads.
    pub fn report(&self, out: &mut Report, title: impl Into<String>, heads: &[String], schema: &Schema) {
        let heads: Vec<_> = heads.iter().map(|head| (head.as_str(), ColumnMeaning::Coefficient)).collect();
        let row = |name: String, value: &dyn Fn(usize) -> f64| -> Vec<Cell> {
            std::iter::once(name.into()).chain((0..self.coef.rows()).map(|k| value(k).into())).collect()
        };
        let name = |j: usize| schema.name(j);
        let mut rows = vec![row("(intercept)".into(), &|k| self.intercept[k])];
        rows.extend((0..self.coef.cols()).map(|j| row(name(j), &|k| self.coef[(k, j)])));
        out.coefficients(title, &heads, rows);
    }

    /// Arrays `coef` (targets, columns) and `intercept` (targets).
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

/// [`Coefficients::by_row`].
struct LineOfRow {
    line: Coefficients,
    schema: Schema,
    learner: &'static str,
}

impl RowFunction for LineOfRow {
    fn width(&self) -> usize {
        self.line.intercept.len()
    }

    fn run(&self, row: &[f64], _: &mut [f64], out: &mut [f64]) -> Result<()> {
        affine_row(row, &self.line.coef, &self.line.intercept, out);
        if out.iter().any(|v| !v.is_finite()) {
            refuse_cell(row, &self.schema, self.learner)?;
        }
        Ok(())
    }
}

/// Methods that the models of this crate share, for an `impl Model`: those of a model with a `line` and a certificate, of a regressor, of
/// a model with a trace.
macro_rules! model_methods {
    (@line) => {
        fn n_features(&self) -> usize {
            self.line.coef.cols()
        }

        fn as_additive(&self) -> Option<&dyn ermine_core::AdditiveModel> {
            Some(self)
        }

        fn certificate(&self) -> Option<&ermine_core::Certificate> {
            self.certificate.as_ref()
        }
    };
    (@regressor) => {
        fn as_regressor(&self) -> Option<&dyn ermine_core::Regressor> {
            Some(self)
        }
    };
    (@trace) => {
        fn trace(&self) -> Option<&ermine_core::Trace> {
            self.trace.as_ref()
        }
    };
    ($($kind:ident),*) => {
        $($crate::coefficients::model_methods!(@$kind);)*
    };
}
pub(crate) use model_methods;
