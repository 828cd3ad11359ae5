//! The model of a regression with one target: a line, a few further numbers, and the evidence of the fit.

use std::marker::PhantomData;

use ermine_core::{
    AdditiveModel, Certificate, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result, RowFunction,
    Schema, Trace,
};

use super::additive_models;
use super::coefficients::Coefficients;

/// A learner whose model is a [`LineModel`], with the further numbers of the model.
pub trait LineLearner: Send + Sync + 'static {
    /// The name of the learner.
    const NAME: &'static str;
    /// The array of other fitted numbers, as it is called in model files; none for a line alone.
    const ARRAY: Option<&'static str> = None;
    /// The names of these numbers in the report.
    const STATISTICS: &'static [&'static str] = &[];
    /// Whether the report has the number of steps.
    const REPORTS_STEPS: bool = true;

    /// Refuses numbers of a model file that no fit could have found.
    fn check_statistics(values: &[f64]) -> Result<()> {
        let _ = values;
        Ok(())
    }
}

/// A fitted regression with one target: [`Huber`](super::Huber), [`Quantile`](super::Quantile), [`Expectile`](super::Expectile).
///
/// Saved arrays: `coef` (1, columns), `intercept` (1) and [`LineLearner::ARRAY`]: `scale` (1) of Huber's regression, `share` (3) of a
/// quantile regression. Field: `n_iter`.
#[derive(Debug, Clone, PartialEq)]
pub struct LineModel<L> {
    line: Coefficients,
    statistics: Vec<f64>,
    n_iter: u64,
    certificate: Option<Certificate>,
    trace: Option<Trace>,
    learner: PhantomData<L>,
}

impl<L: LineLearner> LineModel<L> {
    /// The model of a fit; `statistics` has the numbers of [`LineLearner::STATISTICS`].
    pub(super) fn new(
        line: Coefficients,
        statistics: Vec<f64>,
        n_iter: u64,
        certificate: Certificate,
        trace: Option<Trace>,
    ) -> Self {
        Self { line, statistics, n_iter, certificate: Some(certificate), trace, learner: PhantomData }
    }

    /// The coefficients.
    pub fn coef(&self) -> &[f64] {
        self.line.coef.row(0)
    }

    /// The intercept.
    pub fn intercept(&self) -> f64 {
        self.line.intercept[0]
    }

    /// Steps that the fit took.
    pub fn n_iter(&self) -> u64 {
        self.n_iter
    }

    /// The further numbers, besides the line.
    pub(super) fn statistics(&self) -> &[f64] {
        &self.statistics
    }

    /// Changes the evidence.
    pub(super) fn certificate_mut(&mut self) -> Option<&mut Certificate> {
        self.certificate.as_mut()
    }

    /// Reads a model and checks everything that prediction and the report rely on.
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let line = Coefficients::load(input)?;
        if line.coef.rows() != 1 {
            return Err(Error::Model(format!("coefficients of {} targets for a line of one", line.coef.rows())));
        }
        let statistics = match L::ARRAY {
            Some(name) => input.vec_of(name, L::STATISTICS.len())?,
            None => Vec::new(),
        };
        L::check_statistics(&statistics)?;
        Ok(Self { line, statistics, n_iter: input.field("n_iter")?, certificate: None, trace: None, learner: PhantomData })
    }
}

ermine_core::display_as_report!([L: LineLearner] LineModel<L>);

impl<L: LineLearner> Model for LineModel<L> {
    crate::coefficients::model_methods!(line, regressor, trace);

    fn report(&self, schema: &Schema) -> Report {
        let mut fit: Vec<(&str, f64)> = L::STATISTICS.iter().copied().zip(self.statistics.iter().copied()).collect();
        if L::REPORTS_STEPS {
            fit.push(("steps", self.n_iter as f64));
        }
        let mut out = Report::default();
        self.line.report(&mut out, "Coefficients", &["coefficient".into()], schema);
        fit_table(&mut out, "Fit", &fit);
        out
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        if let Some(name) = L::ARRAY {
            out.vec(name, &self.statistics);
        }
        out.field("n_iter", &self.n_iter)
    }
}

impl<L: LineLearner> Regressor for LineModel<L> {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.predict(x, L::NAME)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.line.by_row(schema, L::NAME)
    }
}

impl<L: LineLearner> AdditiveModel for LineModel<L> {
    fn output_name(&self) -> &'static str {
        additive_models::PREDICTION
    }

    fn n_outputs(&self) -> usize {
        1
    }

    fn parts(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        additive_models::parts(self.line.coef.view(), x, L::NAME)
    }
}

/// Adds a table of the numbers in `fit` that are finite.
pub(super) fn fit_table(out: &mut Report, title: impl Into<String>, fit: &[(&str, f64)]) {
    let rows = fit.iter().filter(|f| f.1.is_finite()).map(|&(name, v)| vec![name.into(), v.into()]).collect();
    out.table(title, &["statistic", "value"], rows);
}
