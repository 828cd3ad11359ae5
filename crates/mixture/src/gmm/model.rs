//! A fitted mixture of Gaussians.

use ermine_core::*;
use ermine_math::linalg::Cholesky;
use serde::{Deserialize, Serialize};

use super::selection::{GmmCandidate, GmmRun};
#[cfg(feature = "fit")]
use super::survey::GmmSetup;
use super::{CovarianceRegularization, CovarianceType, Covariances, EmAlgorithm, GaussianMixture, Gmm};
use crate::em::objective_plot;

/// The model of a [`Gmm`]: weights, means and covariances.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GmmModel {
    pub(super) mixture: GaussianMixture,
    pub(super) equal_weights: bool,
    /// Of the training rows, and the sum of their weights.
    log_likelihood: f64,
    weight: f64,
    choice: Vec<GmmCandidate>,
    certificate: Certificate,
    trace: Option<Trace>,
}

impl GmmModel {
    #[cfg(feature = "fit")]
    pub(super) fn of(learner: &Gmm, best: GmmRun, choice: Vec<GmmCandidate>, frame: &GmmSetup) -> Result<Self> {
        let GmmRun { climbed, sizes, collapsed, .. } = best;
        let notes = notes(learner, &climbed.parameters, &sizes, &collapsed, frame, climbed.converged, climbed.iterations);
        let certificate = Certificate {
            method: if learner.algorithm == EmAlgorithm::Hard { "hard em" } else { "em" }.into(),
            objective: Some(climbed.objective.value()),
            iterations: climbed.iterations,
            converged: climbed.converged,
            notes,
            ..Certificate::default()
        };
        Ok(Self {
            mixture: climbed.parameters,
            equal_weights: learner.equal_weights,
            log_likelihood: climbed.objective.log_likelihood,
            weight: climbed.objective.weight,
            choice,
            certificate,
            trace: Some(climbed.trace),
        })
    }

    /// The mixture itself.
    pub fn mixture(&self) -> &GaussianMixture {
        &self.mixture
    }

    /// The weights of the components; they sum to 1.
    pub fn weights(&self) -> &[f64] {
        self.mixture.weights()
    }

    /// The means, one row per component.
    pub fn means(&self) -> &Mat<f64> {
        self.mixture.means()
    }

    /// The covariances.
    pub fn covariances(&self) -> &Covariances {
        self.mixture.covariances()
    }

    /// Σ w log p(x) of the training rows.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Steps taken.
    pub fn iterations(&self) -> u64 {
        self.certificate.iterations
    }

    /// Bayesian information criterion of the training rows, p ln n - 2 Σ log p; less is better.
    pub fn bic(&self) -> f64 {
        self.n_parameters() as f64 * self.weight.ln() - 2.0 * self.log_likelihood
    }

    /// Akaike information criterion of the training rows, 2 p - 2 Σ log p; less is better.
    pub fn aic(&self) -> f64 {
        2.0 * self.n_parameters() as f64 - 2.0 * self.log_likelihood
    }

    /// The numbers of components that were tried with their criteria; empty where the number was given.
    pub fn choice(&self) -> &[GmmCandidate] {
        &self.choice
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: String| Error::Model(format!("gmm: {m}"));
        let weights: Vec<f64> = input.vec("weights")?;
        let means: Mat<f64> = input.mat("means")?;
        let (k, p) = (means.rows(), means.cols());
        if k == 0 || p == 0 || weights.len() != k || k > 1 << 20 {
            return Err(bad(format!("{} weights for {k} x {p} means", weights.len())));
        }
        let covariances = match input.field::<CovarianceType>("covariance_type")? {
            CovarianceType::Full => {
                let (shape, values) = input.array::<f64>("covariances")?;
                if shape != [k, p, p] {
                    return Err(bad(format!("covariances of shape {shape:?} for {k} components and {p} columns")));
                }
                Covariances::Full(values.chunks_exact(p * p).map(|c| Mat::from_vec(p, p, c.to_vec())).collect())
            }
            CovarianceType::Tied => Covariances::Tied(input.mat_of("covariances", p, p)?),
            CovarianceType::Diag => Covariances::Diag(input.mat_of("covariances", k, p)?),
            CovarianceType::Spherical => Covariances::Spherical(input.vec_of("covariances", k)?),
            CovarianceType::TiedSpherical => Covariances::TiedSpherical(input.vec_of("covariances", 1)?[0]),
        };
        let mixture = GaussianMixture::new(weights, means, covariances).map_err(|e| bad(e.to_string()))?;
        let (log_likelihood, weight): (f64, f64) = (input.field("log_likelihood")?, input.field("rows_weight")?);
        if !(log_likelihood.is_finite() && weight.is_finite() && weight > 0.0) {
            return Err(bad("its likelihood or weight is no finite number".into()));
        }
        Ok(Self {
            mixture,
            equal_weights: input.field("equal_weights")?,
            log_likelihood,
            weight,
            choice: input.field("choice")?,
            certificate: input.field("certificate")?,
            trace: None,
        })
    }
}

/// Notes on the fit for the user.
#[cfg(feature = "fit")]
fn notes(
    learner: &Gmm,
    mixture: &GaussianMixture,
    sizes: &[f64],
    collapsed: &[usize],
    frame: &GmmSetup,
    converged: bool,
    iterations: u64,
) -> Vec<String> {
    let mut notes = Vec::new();
    let k = mixture.components();
    let list = |of: &[usize]| of.iter().map(|c| c.to_string()).collect::<Vec<_>>().join(", ");
    let (empty, few): (Vec<usize>, Vec<usize>) = collapsed.iter().partition(|&&c| sizes[c] == 0.0);
    if !empty.is_empty() {
        notes.push(format!("{} of {k} components have no rows ({}): lower n_components", empty.len(), list(&empty)));
    }
    if !few.is_empty() {
        let needed = learner.covariance_type.rows_needed(mixture.cols());
        notes.push(format!(
            "collapsed: {} of {k} components have fewer than the {needed} rows that a covariance needs ({}); reg_covar alone keeps their \
             likelihood finite",
            few.len(),
            list(&few)
        ));
    }
    let narrow: Vec<usize> = (0..k).filter(|&c| !collapsed.contains(&c) && at_floor(learner, mixture, c, &frame.unit)).collect();
    if !narrow.is_empty() {
        notes.push(format!(
            "as narrow as reg_covar allows in some direction: component {}; a column hardly varies there, or follows from others",
            list(&narrow)
        ));
    }
    if frame.rows_with_missing > 0 {
        notes.push(format!("{} of {} rows lack cells, and counted with those they have", frame.rows_with_missing, frame.rows));
    }
    if !converged {
        notes.push(format!("stopped after {iterations} steps, before the likelihood settled"));
    }
    notes
}

/// Whether the floor holds a covariance up.
fn at_floor(learner: &Gmm, mixture: &GaussianMixture, component: usize, unit: &[f64]) -> bool {
    if learner.regularize == CovarianceRegularization::Add
        || learner.reg_covar == 0.0
        || learner.degrees_of_freedom_prior.is_some()
    {
        return false;
    }
    let floor = |j: usize| {
        let unit = if learner.regularize == CovarianceRegularization::Relative { unit[j] } else { 1.0 };
        learner.reg_covar * unit * unit * (1.0 + 1e-6)
    };
    match mixture.covariances() {
        Covariances::Diag(all) => all.row(component).iter().enumerate().any(|(j, v)| *v <= floor(j)),
        Covariances::Spherical(all) => all[component] <= floor(0),
        Covariances::TiedSpherical(one) => *one <= floor(0),
        Covariances::Full(_) | Covariances::Tied(_) => {
            let mut m = mixture.covariances().matrix(component, mixture.cols());
            (0..m.cols()).for_each(|j| m[(j, j)] -= floor(j));
            Cholesky::new(m.view()).is_err()
        }
    }
}

ermine_core::display_as_report!(GmmModel);

impl Model for GmmModel {
    fn n_features(&self) -> usize {
        self.mixture.cols()
    }
    fn as_clusterer(&self) -> Option<&dyn Clusterer> {
        Some(self)
    }
    fn as_density(&self) -> Option<&dyn Density> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }
    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn report(&self, schema: &Schema) -> Report {
        let (k, p) = (self.mixture.components(), self.mixture.cols());
        let mut report = Report::default();
        report.text(format!(
            "{k} components with {} covariances, {} numbers; log likelihood {:.6}, BIC {:.6}, AIC {:.6} after {} steps.",
            match self.covariances().kind() {
                CovarianceType::Full => "full",
                CovarianceType::Tied => "tied",
                CovarianceType::Diag => "diagonal",
                CovarianceType::Spherical => "spherical",
                CovarianceType::TiedSpherical => "equal spherical",
            },
            self.n_parameters(),
            self.log_likelihood,
            self.bic(),
            self.aic(),
            self.iterations()
        ));
        let names: Vec<String> = (0..p).map(|j| schema.name(j)).collect();
        let heads: Vec<&str> = ["component", "weight"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let of = |values: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<Cell>> {
            (0..k)
                .map(|c| {
                    let front = [Cell::Number(c as f64), self.weights()[c].into()];
                    front.into_iter().chain((0..p).map(|j| values(c, j).into())).collect()
                })
                .collect()
        };
        report.table("Means", &heads, of(&|c, j| self.means()[(c, j)]));
        report.table("Standard deviations", &heads, of(&|c, j| self.covariances().matrix(c, p)[(j, j)].sqrt()));
        if !self.choice.is_empty() {
            report.table(
                "Numbers of components",
                &["components", "log likelihood", "bic", "aic", "held out"],
                self.choice_rows(),
            );
        }
        if let Some(trace) = &self.trace {
            report.sections.push(objective_plot(trace, "log likelihood"));
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        let (k, p) = (self.mixture.components(), self.mixture.cols());
        out.vec("weights", self.weights());
        out.mat("means", self.means());
        match self.covariances() {
            Covariances::Full(all) => {
                let values: Vec<f64> = all.iter().flat_map(|m| m.as_slice().to_vec()).collect();
                out.array("covariances", &[k, p, p], &values);
            }
            Covariances::Tied(one) | Covariances::Diag(one) => out.mat("covariances", one),
            Covariances::Spherical(all) => out.vec("covariances", all),
            Covariances::TiedSpherical(one) => out.vec("covariances", &[*one]),
        }
        out.field("covariance_type", &self.covariances().kind())?;
        out.field("equal_weights", &self.equal_weights)?;
        out.field("log_likelihood", &self.log_likelihood)?;
        out.field("rows_weight", &self.weight)?;
        out.field("n_iter", &self.certificate.iterations)?;
        out.field("choice", &self.choice)?;
        out.field("certificate", &self.certificate)
    }
}

impl GmmModel {
    fn choice_rows(&self) -> Vec<Vec<Cell>> {
        let cell = |v: Option<f64>| v.map_or(Cell::Empty, Cell::Number);
        let row = |c: &GmmCandidate| {
            vec![Cell::Number(c.components as f64), cell(c.log_likelihood), cell(c.bic), cell(c.aic), cell(c.held_out)]
        };
        self.choice.iter().map(row).collect()
    }
}
