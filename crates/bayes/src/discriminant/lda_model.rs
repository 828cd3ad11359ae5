//! Fitted linear discriminant analysis.

use ermine_core::*;
use ermine_math::affine::{affine, affine_about};
use ermine_math::linalg::product;

use super::super::posterior::{classify_by_scores, give_to_best, log_priors, log_sum_exp};
use super::super::priors::{class_table, some_class_is_possible};
use super::lda::LdaSolver;
use super::lda::{Lda, whitened};
use super::whiten::Whitening;

/// Rows per block of densities.
const BLOCK: usize = 1 << 14;

/// The directions that a transformation projects on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DiscriminantAxes {
    /// Columns of the data by directions.
    pub matrix: Mat<f64>,
    /// Shares of the variance between classes.
    pub shares: Vec<f64>,
    /// How many are wanted.
    pub kept: usize,
}

/// The model of an [`Lda`]: the means of the classes, and coordinates in which their covariance is the identity.
#[derive(Debug, Clone, PartialEq)]
pub struct LdaModel {
    solver: LdaSolver,
    classes: Vec<String>,
    class_count: Vec<f64>,
    priors: Vec<f64>,
    means: Mat<f64>,
    center: Vec<f64>,
    whitening: Whitening,
    directions: Option<DiscriminantAxes>,
    covariance: Option<Mat<f64>>,
    certificate: Certificate,
    /// The means in the new coordinates, about the center.
    places: Mat<f64>,
    /// Scores of rows about the center: one row per class.
    slopes: Mat<f64>,
    bases: Vec<f64>,
    log_priors: Vec<f64>,
    /// Scores of rows as they are: one row per class.
    coef: Mat<f64>,
    intercept: Vec<f64>,
}

impl LdaModel {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        solver: LdaSolver,
        classes: Vec<String>,
        class_count: Vec<f64>,
        priors: Vec<f64>,
        means: Mat<f64>,
        center: Vec<f64>,
        whitening: Whitening,
        directions: Option<DiscriminantAxes>,
        covariance: Option<Mat<f64>>,
        certificate: Certificate,
    ) -> Self {
        let log_priors = log_priors(&priors, &class_count);
        let places = whitened(&means, &center, &whitening.matrix);
        // With singular values, scores follow the directions that were kept.
        let slopes = match (&directions, solver) {
            (Some(d), LdaSolver::Svd) => product(whitened(&means, &center, &d.matrix).view(), d.matrix.view().t()),
            _ => product(places.view(), whitening.matrix.view().t()),
        };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let about = |k: usize| -> Vec<f64> { means.row(k).iter().zip(&center).map(|(m, c)| m - c).collect() };
        let bases: Vec<f64> = (0..classes.len()).map(|k| -0.5 * dot(&about(k), slopes.row(k)) + log_priors[k]).collect();
        let (coef, intercept) = match solver {
            LdaSolver::Svd => {
                let intercept = (0..classes.len()).map(|k| bases[k] - dot(&center, slopes.row(k))).collect();
                (slopes.clone(), intercept)
            }
            _ => {
                let coef = product(product(means.view(), whitening.matrix.view()).view(), whitening.matrix.view().t());
                let intercept = (0..classes.len()).map(|k| -0.5 * dot(means.row(k), coef.row(k)) + log_priors[k]).collect();
                (coef, intercept)
            }
        };
        Self {
            solver,
            classes,
            class_count,
            priors,
            means,
            center,
            whitening,
            directions,
            covariance,
            certificate,
            places,
            slopes,
            bases,
            log_priors,
            coef,
            intercept,
        }
    }

    /// The means of the columns: one row per class.
    pub fn means(&self) -> &Mat<f64> {
        &self.means
    }

    /// Probabilities of the classes before a row is seen.
    pub fn priors(&self) -> &[f64] {
        &self.priors
    }

    /// The covariance within classes, where it was kept.
    pub fn covariance(&self) -> Option<&Mat<f64>> {
        self.covariance.as_ref()
    }

    /// Slopes of the scores: one row per class.
    pub fn coef(&self) -> &Mat<f64> {
        &self.coef
    }

    /// The scores of a row of zeros.
    pub fn intercept(&self) -> &[f64] {
        &self.intercept
    }

    /// The directions of the projection, a column each; none for `lsqr`.
    pub fn scalings(&self) -> Option<&Mat<f64>> {
        self.directions.as_ref().map(|d| &d.matrix)
    }

    /// Shares of the variance between classes along the directions.
    pub fn explained_variance_ratio(&self) -> &[f64] {
        self.directions.as_ref().map_or(&[], |d| &d.shares)
    }

    /// In how many directions the classes vary.
    pub fn rank(&self) -> usize {
        self.whitening.rank()
    }

    /// ln prior + ln density up to what all classes share, and what `end` makes of the row.
    fn scored(&self, x: &Features<'_>, end: impl Fn(&mut [f64])) -> Result<Mat<f64>> {
        x.expect_cols(self.means.cols())?;
        let mut scores = affine_about(x, &self.center, &self.slopes, &self.bases, Lda::NAME)?;
        for i in 0..scores.rows() {
            let row = scores.row_mut(i);
            let lost = row.iter().zip(&self.bases).any(|(v, b)| b.is_finite() && !v.is_finite());
            if lost {
                let one = x.row_range(i..i + 1);
                one.refuse_non_finite(None).map_err(|e| e.with_row(|_| i))?;
                self.far_away(&one, row)?;
            }
            end(row);
        }
        Ok(scores)
    }

    /// A row so far away that scores overflow gets the class of a point between it and the mean.
    fn far_away(&self, one: &Features<'_>, out: &mut [f64]) -> Result<()> {
        let mut scratch = Vec::new();
        let mut part = one.f64_rows(&mut scratch, Lda::NAME)?.to_owned();
        part.as_mut_slice().iter_mut().for_each(|v| *v *= 2f64.powi(-600));
        let scores = affine(&Features::F64(part.view()), &self.slopes, &vec![0.0; out.len()], Lda::NAME)?;
        give_to_best(out, &self.log_priors, |k| scores[(0, k)]);
        Ok(())
    }

    /// Scores by slopes and intercepts alone.
    fn linear_scores(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.means.cols())?;
        let scores = affine(x, &self.coef, &self.intercept, Lda::NAME)?;
        if scores.as_slice().iter().any(|v| v.is_nan()) {
            x.refuse_non_finite(None)?;
        }
        Ok(scores)
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("lda: {m}"));
        let classes: Vec<String> = input.field("classes")?;
        let solver: LdaSolver = input.field("solver")?;
        let means: Mat<f64> = input.mat("means")?;
        let (k, cols) = (means.rows(), means.cols());
        if classes.len() != k || k == 0 || cols == 0 {
            return Err(bad(&format!("{} classes for {k} x {cols} means", classes.len())));
        }
        let class_count: Vec<f64> = input.vec_of("class_count", k)?;
        let priors: Vec<f64> = input.vec_of("priors", k)?;
        let center: Vec<f64> = input.vec_of("xbar", cols)?;
        let matrix: Mat<f64> = input.mat("whitening")?;
        let (log_volume, reciprocal_condition): (f64, f64) = (input.field("log_volume")?, input.field("reciprocal_condition")?);
        let directions = match solver {
            LdaSolver::Lsqr => None,
            _ => {
                let (matrix, shares): (Mat<f64>, Vec<f64>) = (input.mat("scalings")?, input.vec("explained_variance_ratio")?);
                Some(DiscriminantAxes { matrix, shares, kept: input.field("n_components")? })
            }
        };
        let stored: bool = input.field("stores_covariance")?;
        let covariance = if stored { Some(input.mat_of("covariance", cols, cols)?) } else { None };
        let finite = |v: &[f64]| v.iter().all(|v| v.is_finite());
        if matrix.rows() != cols || matrix.cols() == 0 || directions.as_ref().is_some_and(|d| d.matrix.rows() != cols) {
            return Err(bad("its directions are those of other columns"));
        }
        if !some_class_is_possible(&class_count, &priors) {
            return Err(bad("no class is possible"));
        }
        let numbers = [means.as_slice(), &center, matrix.as_slice(), &[log_volume, reciprocal_condition]];
        let more = directions.iter().flat_map(|d| [d.matrix.as_slice(), &d.shares]);
        if !numbers.into_iter().chain(more).chain(covariance.iter().map(|c| c.as_slice())).all(finite) {
            return Err(bad("its numbers are not finite"));
        }
        let certificate: Certificate = input.field("certificate")?;
        let whitening = Whitening { matrix, log_volume, reciprocal_condition };
        let model =
            Self::new(solver, classes, class_count, priors, means, center, whitening, directions, covariance, certificate);
        let possible = |(v, p): (&f64, &f64)| v.is_finite() || *p == f64::NEG_INFINITY;
        let scores = [&model.bases, &model.intercept];
        if !finite(model.slopes.as_slice()) || !scores.iter().all(|s| s.iter().zip(&model.log_priors).all(possible)) {
            return Err(bad("its scores are not finite"));
        }
        Ok(model)
    }
}

ermine_core::display_as_report!(LdaModel);

impl Model for LdaModel {
    fn n_features(&self) -> usize {
        self.means.cols()
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        Some(self)
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        self.directions.is_some().then_some(self)
    }
    fn as_density(&self) -> Option<&dyn Density> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        for note in &self.certificate.notes {
            report.text(format!("{note}."));
        }
        class_table(&mut report, &self.classes, &self.class_count, |k| self.priors[k]);
        let mut heads = vec!["column".to_owned()];
        heads.extend(self.classes.iter().map(|c| format!("mean {c}")));
        heads.extend(self.classes.iter().map(|c| format!("slope {c}")));
        let shown = self.directions.as_ref().map_or(0, |d| d.kept.min(d.matrix.cols()));
        heads.extend((1..=shown).map(|k| format!("direction {k}")));
        let rows = (0..self.means.cols())
            .map(|j| {
                let mut row = vec![Cell::from(schema.name(j))];
                row.extend((0..self.classes.len()).map(|k| Cell::from(self.means[(k, j)])));
                row.extend((0..self.classes.len()).map(|k| Cell::from(self.coef[(k, j)])));
                row.extend(self.directions.iter().flat_map(|d| (0..shown).map(|k| Cell::from(d.matrix[(j, k)]))));
                row
            })
            .collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        report.table("Columns", &heads, rows);
        if let Some(d) = &self.directions {
            let rows = d.shares.iter().enumerate().map(|(k, s)| vec![Cell::from((k + 1) as f64), Cell::from(*s)]).collect();
            report.table("Directions", &["direction", "share of the variance between classes"], rows);
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("classes", &self.classes)?;
        out.field("solver", &self.solver)?;
        out.field("certificate", &self.certificate)?;
        out.field("log_volume", &self.whitening.log_volume)?;
        out.field("reciprocal_condition", &self.whitening.reciprocal_condition)?;
        out.field("stores_covariance", &self.covariance.is_some())?;
        out.vec("class_count", &self.class_count);
        out.vec("priors", &self.priors);
        out.mat("means", &self.means);
        out.vec("xbar", &self.center);
        out.mat("whitening", &self.whitening.matrix);
        if let Some(d) = &self.directions {
            out.mat("scalings", &d.matrix);
            out.vec("explained_variance_ratio", &d.shares);
            out.field("n_components", &d.kept)?;
        }
        if let Some(c) = &self.covariance {
            out.mat("covariance", c);
        }
        // For readers of the file; a loaded model makes its own.
        out.mat("coef", &self.coef);
        out.vec("intercept", &self.intercept);
        Ok(())
    }
}

classify_by_scores!(LdaModel, decision: linear_scores);

impl Transformer for LdaModel {
    /// Places along Fisher's directions; about the mean of the classes for `svd`.
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.means.cols())?;
        let Some(d) = &self.directions else { return Ok(Mat::zeros(x.rows(), 0)) };
        let kept = d.kept.min(d.matrix.cols());
        let by_row = Mat::from_fn(kept, d.matrix.rows(), |k, j| d.matrix[(j, k)]);
        let zeros = vec![0.0; kept];
        let places = match self.solver {
            LdaSolver::Svd => affine_about(x, &self.center, &by_row, &zeros, Lda::NAME)?,
            _ => affine(x, &by_row, &zeros, Lda::NAME)?,
        };
        if places.as_slice().iter().any(|v| !v.is_finite()) {
            x.refuse_non_finite(None)?;
        }
        Ok(places)
    }

    fn schema_out(&self, _: &Schema) -> Schema {
        let kept = self.directions.as_ref().map_or(0, |d| d.kept.min(d.matrix.cols()));
        Schema::numbers((0..kept).map(|k| format!("lda{k}")))
    }
}

impl Density for LdaModel {
    /// Of the mixture of the classes, in the directions in which they vary.
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        x.expect_cols(self.means.cols())?;
        let rank = self.whitening.rank();
        let by_row = self.whitening.matrix.view().t().to_owned();
        let constant = self.whitening.log_volume - 0.5 * rank as f64 * std::f64::consts::TAU.ln() - log_sum_exp(&self.log_priors);
        let mut out = Vec::with_capacity(x.rows());
        let mut logs = vec![0.0; self.classes.len()];
        for first in (0..x.rows()).step_by(BLOCK) {
            let block = x.row_range(first..(first + BLOCK).min(x.rows()));
            let z = affine_about(&block, &self.center, &by_row, &vec![0.0; rank], Lda::NAME)
                .map_err(|e| e.with_row(|row| row + first))?;
            for i in 0..z.rows() {
                for (k, log) in logs.iter_mut().enumerate() {
                    let square: f64 = z.row(i).iter().zip(self.places.row(k)).map(|(a, b)| (a - b) * (a - b)).sum();
                    *log = self.log_priors[k] - 0.5 * square;
                }
                let log = log_sum_exp(&logs) + constant;
                if !log.is_finite() {
                    block.row_range(i..i + 1).refuse_non_finite(None).map_err(|e| e.with_row(|_| first + i))?;
                }
                out.push(log);
            }
        }
        Ok(out)
    }

    fn n_parameters(&self) -> usize {
        let (k, r) = (self.classes.len(), self.whitening.rank());
        k - 1 + k * r + r * (r + 1) / 2
    }
}
