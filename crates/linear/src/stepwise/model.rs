//! The fitted model: the chosen columns, their coefficients, and the whole path.

use ermine_core::{
    Cell, Certificate, ColumnMeaning, Curve, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result,
    RowFunction, Schema, Section,
};
use serde::{Deserialize, Serialize};

use super::super::coefficients::Coefficients;
use super::{Stepwise, StepwiseCriterion};

/// A step of the path: the model with one column more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepwiseStep {
    /// The column that came in; `None` for the model without columns.
    pub column: Option<u32>,
    /// Residual sum of squares.
    pub rss: f64,
    /// Share of the variation explained.
    pub r2: f64,
    /// The criterion: AIC, BIC or the mean squared error of cross-validation; `None` when the number of columns was given.
    pub criterion: Option<f64>,
}

/// A fitted stepwise regression.
///
/// Saved: arrays `coef` (1, columns) and `intercept` (1); fields `criterion`, `size`, `steps` and `collinear`.
#[derive(Debug, Clone, PartialEq)]
pub struct StepwiseModel {
    pub(super) line: Coefficients,
    pub(super) criterion: StepwiseCriterion,
    pub(super) size: usize,
    pub(super) steps: Vec<StepwiseStep>,
    pub(super) collinear: Vec<u32>,
    pub(super) certificate: Option<Certificate>,
}

impl StepwiseModel {
    /// The coefficients, 0 for columns that were not chosen.
    pub fn coef(&self) -> &[f64] {
        self.line.coef.row(0)
    }

    /// The intercept; 0 without one.
    pub fn intercept(&self) -> f64 {
        self.line.intercept[0]
    }

    /// The chosen columns, in the order they were chosen.
    pub fn support(&self) -> Vec<u32> {
        self.steps[1..=self.size].iter().filter_map(|s| s.column).collect()
    }

    /// The path: the model without columns, then one column more at a time, also beyond the chosen size.
    pub fn steps(&self) -> &[StepwiseStep] {
        &self.steps
    }

    /// Columns that depend on those chosen before them.
    pub fn collinear(&self) -> &[u32] {
        &self.collinear
    }
}

ermine_core::display_as_report!(StepwiseModel);

impl Model for StepwiseModel {
    crate::coefficients::model_methods!(line, regressor);

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let name = |j: u32| schema.name(j as usize);
        let mut rows = vec![vec!["(intercept)".into(), self.intercept().into()]];
        rows.extend(self.support().iter().map(|&j| vec![name(j).into(), self.coef()[j as usize].into()]));
        report.coefficients("Coefficients", &[("coefficient", ColumnMeaning::Coefficient)], rows);
        let word = match self.criterion {
            StepwiseCriterion::Aic => "AIC",
            StepwiseCriterion::Bic => "BIC",
            StepwiseCriterion::Cv => "cross-validated error",
            StepwiseCriterion::K => "criterion",
        };
        let rows = self.steps.iter().enumerate().map(|(k, s)| {
            vec![
                (k as f64).into(),
                s.column.map_or(Cell::Empty, |j| name(j).into()),
                s.rss.into(),
                s.r2.into(),
                s.criterion.map_or(Cell::Empty, Cell::from),
                if k == self.size { "chosen".into() } else { Cell::Empty },
            ]
        });
        report.table("Columns one by one", &["columns", "added", "rss", "r2", word, ""], rows.collect());
        if !self.collinear.is_empty() {
            let names: Vec<String> = self.collinear.iter().map(|&j| name(j)).collect();
            report.text(format!("Left out, since they depend on columns chosen before: {}.", names.join(", ")));
        }
        let points = self.steps.iter().enumerate().filter_map(|(k, s)| Some((k as f64, s.criterion?))).collect::<Vec<_>>();
        if points.len() > 1 {
            report.sections.push(Section::Plot {
                title: format!("{word} by number of columns"),
                x: "columns".into(),
                y: word.into(),
                curves: vec![Curve { name: word.into(), points }],
            });
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        out.field("criterion", &self.criterion)?;
        out.field("size", &self.size)?;
        out.field("steps", &self.steps)?;
        out.field("collinear", &self.collinear)
    }
}

/// Reads a model and checks everything that prediction and the report rely on.
pub(crate) fn load(input: &ModelReader) -> Result<StepwiseModel> {
    let line = Coefficients::load(input)?;
    let size: usize = input.field("size")?;
    let steps: Vec<StepwiseStep> = input.field("steps")?;
    let collinear: Vec<u32> = input.field("collinear")?;
    let cols = line.coef.cols();
    let inside = |j: u32| (j as usize) < cols;
    let whole = steps.iter().enumerate().all(|(k, s)| match s.column {
        None => k == 0,
        Some(j) => k > 0 && inside(j),
    });
    if line.coef.rows() != 1 || size >= steps.len() || !whole || !collinear.iter().all(|&j| inside(j)) {
        return Err(Error::Model(format!("{} steps of which {size} are chosen, for {cols} columns", steps.len())));
    }
    Ok(StepwiseModel { line, criterion: input.field("criterion")?, size, steps, collinear, certificate: None })
}

impl Regressor for StepwiseModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.predict(x, Stepwise::NAME)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.line.by_row(schema, Stepwise::NAME)
    }
}
