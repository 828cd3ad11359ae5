//! The fitted model: means, residuals, evidence.

use ermine_core::parallel::prelude::*;
use ermine_core::{
    AdditiveModel, Cell, Certificate, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result, Schema,
    Trace,
};
use ermine_math::loss::{Family, Link, exp_in_place};

use super::super::additive_models::parts;
use super::super::coefficients::Coefficients;
use super::super::inference::{Inference, heads};
use super::Glm;
use super::evidence::GlmSummary;
use super::offset::{OffsetColumn, OffsetRole};

/// A fitted generalized linear model.
///
/// Saved arrays: `coef` (1, columns) (0 for the column of the offset or exposure), `intercept` (1), `summary` (11) (the fields
/// of [`GlmSummary`] in order) and, where the coefficients are determined and not penalized, `std_err`, `t_value`, `p_value`,
/// `conf_low`, `conf_high` (1, columns + 1), the intercept first. Fields: `family`, `link`, `held`, `fit_intercept`, `n_iter`.
#[derive(Debug, Clone, PartialEq)]
pub struct GlmModel {
    pub(super) family: Family,
    pub(super) link: Link,
    pub(super) line: Coefficients,
    pub(super) offset_column: Option<OffsetColumn>,
    pub(super) fit_intercept: bool,
    pub(super) summary: GlmSummary,
    pub(super) inference: Option<Inference>,
    pub(super) n_iter: u64,
    pub(super) certificate: Option<Certificate>,
    pub(super) trace: Option<Trace>,
}

/// Rows that one task of a prediction takes.
const TASK_ROWS: usize = 4096;

impl GlmModel {
    /// The coefficients, one per column; 0 for the column of the offset or exposure.
    pub fn coef(&self) -> &[f64] {
        self.line.coef.row(0)
    }

    /// The intercept; 0 without one.
    pub fn intercept(&self) -> f64 {
        self.line.intercept[0]
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The link.
    pub fn link(&self) -> Link {
        self.link
    }

    /// Deviance, dispersion, likelihood.
    pub fn summary(&self) -> &GlmSummary {
        &self.summary
    }

    /// Standard errors, tests and intervals, a row with the intercept first; of a fit without penalty whose coefficients are
    /// determined. Tests are by Student's t where the dispersion is estimated, by the normal where it is 1.
    pub fn inference(&self) -> Option<&Inference> {
        self.inference.as_ref()
    }

    /// Steps that the fit took.
    pub fn n_iter(&self) -> u64 {
        self.n_iter
    }

    /// The linear scores of rows, offset included.
    pub fn scores(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        let mut z = self.line.predict(x, Glm::NAME)?.into_vec();
        if let Some(offset_column) = &self.offset_column {
            z.iter_mut().zip(offset_column.values(x, None)?).for_each(|(z, o)| *z += o);
        }
        Ok(z)
    }

    /// The means of rows.
    pub fn means(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        let mut z = self.scores(x)?;
        let link = self.link;
        match link {
            Link::Identity => {}
            Link::Log => z.par_chunks_mut(TASK_ROWS).for_each(exp_in_place),
            _ => z.par_chunks_mut(TASK_ROWS).for_each(|z| z.iter_mut().for_each(|z| *z = link.mean(*z))),
        }
        Ok(z)
    }

    /// Pearson residuals (y - mu) / √V(mu).
    pub fn pearson_residuals(&self, x: &Features<'_>, y: &[f64]) -> Result<Vec<f64>> {
        self.residuals(x, y, |y, mu| (y - mu) / self.family.variance(mu).sqrt())
    }

    /// Deviance residuals: the roots of the unit deviances, with the sign of y - mu.
    pub fn deviance_residuals(&self, x: &Features<'_>, y: &[f64]) -> Result<Vec<f64>> {
        self.residuals(x, y, |y, mu| self.family.deviance(y, mu).sqrt().copysign(y - mu))
    }

    fn residuals(&self, x: &Features<'_>, y: &[f64], of: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>> {
        if y.len() != x.rows() {
            return Err(Error::Length { what: "rows of the target".into(), expected: x.rows(), found: y.len() });
        }
        if let Some(row) = y.iter().position(|&y| !self.family.is_in_support(y)) {
            let needed = format!("{} needs {}", self.family.name(), self.family.range());
            return Err(Error::OutOfRange { what: "target".into(), row, value: y[row], needed });
        }
        Ok(self.means(x)?.iter().zip(y).map(|(&mu, &y)| of(y, mu)).collect())
    }
}

impl AdditiveModel for GlmModel {
    fn output_name(&self) -> &'static str {
        match self.link {
            Link::Identity => "prediction",
            Link::Log => "log of the mean",
            _ => "linear score",
        }
    }

    fn n_outputs(&self) -> usize {
        1
    }

    fn parts(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut out = parts(self.line.coef.view(), x, Glm::NAME)?;
        if let Some(offset_column) = &self.offset_column {
            let values = offset_column.values(x, None)?;
            (0..x.rows()).for_each(|i| out[(i, offset_column.column)] += values[i]);
        }
        Ok(out)
    }
}

ermine_core::display_as_report!(GlmModel);

impl Model for GlmModel {
    crate::coefficients::model_methods!(line, regressor, trace);

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("{} family, {} link.", capital(self.family.name()), self.link.name()));
        let name = |j: usize| schema.name(j);
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for j in usize::from(!self.fit_intercept)..=self.coef().len() {
            let column = j.checked_sub(1);
            if let (Some(column), Some(offset_column)) = (column, &self.offset_column)
                && column == offset_column.column
            {
                let label = match offset_column.role {
                    OffsetRole::Offset => format!("{} (offset, not fitted)", name(column)),
                    OffsetRole::Exposure => format!("log {} (exposure, not fitted)", name(column)),
                };
                let mut row = vec![label.into(), 1.0.into()];
                row.extend(self.inference.iter().flat_map(|_| [const { Cell::Empty }; 5]));
                rows.push(row);
                continue;
            }
            let (label, value) = column.map_or(("(intercept)".into(), self.intercept()), |c| (name(c), self.coef()[c]));
            let mut row: Vec<Cell> = vec![label.into(), value.into()];
            row.extend(self.inference.iter().flat_map(|i| i.cells(0, j)));
            rows.push(row);
        }
        let heads = heads(if self.family.has_known_dispersion() { "z" } else { "t" }, "95% low", "95% high");
        let shown = if self.inference.is_some() { heads.len() } else { 1 };
        report.coefficients("Coefficients", &heads[..shown], rows);
        let values = GlmSummary::FIELDS.iter().zip(self.summary.to_array());
        let rows = values.filter(|(_, v)| v.is_finite()).map(|(&name, v)| vec![name.into(), v.into()]).collect();
        report.table("Fit", &["statistic", "value"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        self.summary.save(out);
        if let Some(inference) = &self.inference {
            inference.save(out);
        }
        out.field("family", &self.family)?;
        out.field("link", &self.link)?;
        out.field("held", &self.offset_column)?;
        out.field("fit_intercept", &self.fit_intercept)?;
        out.field("n_iter", &self.n_iter)
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().collect::<String>() + chars.as_str())
}

/// Reads a model and checks everything that prediction relies on.
pub(crate) fn load(input: &ModelReader) -> Result<GlmModel> {
    let line = Coefficients::load(input)?;
    let cols = line.coef.cols();
    let offset_column: Option<OffsetColumn> = input.field("held")?;
    if line.coef.rows() != 1 || offset_column.as_ref().is_some_and(|h| h.column >= cols) {
        return Err(Error::Model("glm: coefficients or an offset of columns that are not there".into()));
    }
    Ok(GlmModel {
        family: input.field("family")?,
        link: input.field("link")?,
        offset_column,
        fit_intercept: input.field("fit_intercept")?,
        summary: GlmSummary::load(input)?,
        inference: Inference::load(input, 1, cols)?,
        n_iter: input.field("n_iter")?,
        line,
        certificate: None,
        trace: None,
    })
}

impl Regressor for GlmModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        Ok(Mat::from_vec(x.rows(), 1, self.means(x)?))
    }

    fn unit_deviance(&self, target: f64, predicted: f64) -> f64 {
        self.family.deviance(target, predicted)
    }
}
