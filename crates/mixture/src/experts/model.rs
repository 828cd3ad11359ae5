//! A fitted mixture of experts.

use ermine_core::*;

use super::e_step::{class_proba, gates};
use super::gate::scores;
use super::{ExpertKind, ExpertsEm, ExpertsParams};
use crate::em::{EmResult, objective_plot};
use ermine_core::blocks::by_blocks;

/// The model of a [`MixtureOfExperts`](super::MixtureOfExperts): the gate and the experts.
#[derive(Debug, Clone)]
pub struct MixtureOfExpertsModel {
    experts: ExpertsParams,
    /// Means of the columns and of the target, about which the parameters are.
    center: Vec<f64>,
    target_mean: f64,
    classes: Vec<String>,
    log_likelihood: f64,
    certificate: Certificate,
    trace: Option<Trace>,
}

impl MixtureOfExpertsModel {
    pub(super) fn of(
        climbed: EmResult<ExpertsParams>,
        sizes: &[f64],
        em: &ExpertsEm,
        rows: u64,
        classes: Option<Vec<String>>,
    ) -> Result<Self> {
        let mut notes = Vec::new();
        let needed = (em.center.len() + 2) as f64 * climbed.objective.weight / rows as f64;
        let few: Vec<String> = (0..sizes.len()).filter(|&k| sizes[k] < needed).map(|k| k.to_string()).collect();
        if !few.is_empty() && sizes.len() > 1 {
            notes.push(format!("expert {} answers for fewer rows than it has numbers; lower n_experts", few.join(", ")));
        }
        if let ExpertKind::Linear { variance, .. } = &climbed.parameters.experts {
            let flat: Vec<String> =
                (0..variance.len()).filter(|&k| variance[k] <= em.floor * (1.0 + 1e-9)).map(|k| k.to_string()).collect();
            if !flat.is_empty() {
                notes.push(format!(
                    "the rows of expert {} lie on a plane: its noise is at the least that reg_variance allows",
                    flat.join(", ")
                ));
            }
        }
        if !em.newton_gate || !em.newton_experts {
            notes.push("curvatures are bounded, not computed, since there are many columns and experts".into());
        }
        if !climbed.converged {
            notes.push(format!("stopped after {} steps, before the likelihood settled", climbed.iterations));
        }
        let certificate = Certificate {
            method: if em.newton_gate && em.newton_experts { "em with newton steps" } else { "em with bounded curvature" }.into(),
            objective: Some(climbed.objective.value()),
            iterations: climbed.iterations,
            converged: climbed.converged,
            notes,
            ..Certificate::default()
        };
        Ok(Self {
            experts: climbed.parameters,
            center: em.center.clone(),
            target_mean: em.target_mean,
            classes: classes.unwrap_or_default(),
            log_likelihood: climbed.objective.log_likelihood,
            certificate,
            trace: Some(climbed.trace),
        })
    }

    /// Gate and experts, about [`MixtureOfExpertsModel::center`].
    pub fn experts(&self) -> &ExpertsParams {
        &self.experts
    }

    /// The means of the columns, about which the parameters are.
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// Σ w log p(y | x) of the training rows.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    fn linear(&self) -> Option<(&Mat<f64>, &[f64])> {
        match &self.experts.experts {
            ExpertKind::Linear { coef, variance } => Some((coef, variance)),
            ExpertKind::Logistic { .. } => None,
        }
    }

    /// Calls `make` with blocks of centered rows.
    fn rows(
        &self,
        x: &Features<'_>,
        cols: usize,
        make: impl Fn(MatRef<'_, f64>, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<Mat<f64>> {
        x.expect_cols(self.center.len())?;
        by_blocks(x, cols, |block, _, out| {
            let mut scratch = Vec::new();
            let rows = block.f64_rows(&mut scratch, "mixture-of-experts")?;
            let z = Mat::from_fn(rows.rows(), rows.cols(), |i, j| rows.at(i, j) - self.center[j]);
            make(z.view(), out)?;
            if out.iter().all(|v| v.is_finite()) {
                return Ok(());
            }
            block.refuse_non_finite(None)?;
            Err(Error::Numeric("a row is so far away that the outputs of the experts overflow".into()))
        })
    }

    /// The gate: how much a row listens to each expert; rows sum to 1.
    pub fn gate(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let k = self.experts.len();
        self.rows(x, k, |z, out| {
            let (gate, _) = self.gates(z);
            let n = z.rows();
            (0..n).for_each(|i| (0..k).for_each(|c| out[i * k + c] = gate[c * n + i]));
            Ok(())
        })
    }

    /// [`gates`] for rows however far away: scores that overflow leave the largest alone.
    fn gates(&self, z: MatRef<'_, f64>) -> (Vec<f64>, Vec<f64>) {
        gates(&self.experts, z)
    }

    /// The mean of the target and its variance: that of the experts' noise and of the spread between experts. None where classes are
    /// predicted.
    pub fn mean_and_variance(&self, x: &Features<'_>) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
        let Some((coef, variance)) = self.linear() else { return Ok(None) };
        let k = self.experts.len();
        let both = self.rows(x, 2, |z, out| {
            let n = z.rows();
            let (gate, _) = self.gates(z);
            let mut scored = vec![0.0; n * k];
            scores(z, coef, &mut scored);
            for i in 0..n {
                let mean: f64 = (0..k).map(|c| gate[c * n + i] * scored[c * n + i]).sum();
                // About the mean, so that nothing cancels.
                let spread: f64 = (0..k).map(|c| gate[c * n + i] * (variance[c] + (scored[c * n + i] - mean).powi(2))).sum();
                (out[2 * i], out[2 * i + 1]) = (mean + self.target_mean, spread);
            }
            Ok(())
        })?;
        Ok(Some((both.view().col_iter(0).collect(), both.view().col_iter(1).collect())))
    }

    /// The prediction of each expert for each row: one column per expert. None where classes are predicted.
    pub fn predict_experts(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let Some((coef, _)) = self.linear() else { return Ok(None) };
        let k = self.experts.len();
        let outputs = self.rows(x, k, |z, out| {
            let n = z.rows();
            let mut scored = vec![0.0; n * k];
            scores(z, coef, &mut scored);
            (0..n).for_each(|i| (0..k).for_each(|c| out[i * k + c] = scored[c * n + i] + self.target_mean));
            Ok(())
        })?;
        Ok(Some(outputs))
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("mixture-of-experts: {m}"));
        let gate: Mat<f64> = input.mat("gate")?;
        let (k, width) = (gate.rows(), gate.cols());
        if k == 0 || width < 2 || k > 1 << 12 {
            return Err(bad("it has no experts, or too many"));
        }
        let classes: Vec<String> = input.field("classes")?;
        let say = if classes.is_empty() {
            let variance: Vec<f64> = input.vec_of("variance", k)?;
            if !variance.iter().all(|v| v.is_finite() && *v > 0.0) {
                return Err(bad("its variances are no variances"));
            }
            ExpertKind::Linear { coef: input.mat_of("coef", k, width)?, variance }
        } else {
            ExpertKind::Logistic { coef: input.mat_of("coef", k * classes.len(), width)?, classes: classes.len() }
        };
        let center: Vec<f64> = input.vec_of("centre", width - 1)?;
        let (target_mean, log_likelihood): (f64, f64) = (input.field("target_mean")?, input.field("log_likelihood")?);
        let coef = match &say {
            ExpertKind::Linear { coef, .. } | ExpertKind::Logistic { coef, .. } => coef,
        };
        let numbers = gate.as_slice().iter().chain(coef.as_slice()).chain(&center).chain([&target_mean, &log_likelihood]);
        if !numbers.into_iter().all(|v| v.is_finite()) {
            return Err(bad("its coefficients are no finite numbers"));
        }
        let certificate = input.field("certificate")?;
        Ok(Self {
            experts: ExpertsParams { gate, experts: say },
            center,
            target_mean,
            classes,
            log_likelihood,
            certificate,
            trace: None,
        })
    }
}

ermine_core::display_as_report!(MixtureOfExpertsModel);

impl Model for MixtureOfExpertsModel {
    fn n_features(&self) -> usize {
        self.center.len()
    }
    fn as_regressor(&self) -> Option<&dyn Regressor> {
        if self.classes.is_empty() { Some(self) } else { None }
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        if self.classes.is_empty() { None } else { Some(self) }
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }
    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn report(&self, schema: &Schema) -> Report {
        let (k, p) = (self.experts.len(), self.center.len());
        let mut report = Report::default();
        report
            .text(format!("{k} experts; log likelihood {:.6} after {} steps.", self.log_likelihood, self.certificate.iterations));
        let name = |d: usize| match d {
            d if d == p => "(intercept)".to_owned(),
            d => schema.name(d),
        };
        let raw = |coef: &Mat<f64>, row: usize, d: usize, mean: f64| match d {
            d if d == p => coef[(row, p)] + mean - (0..p).map(|j| coef[(row, j)] * self.center[j]).sum::<f64>(),
            d => coef[(row, d)],
        };
        let table = |coef: &Mat<f64>, mean: f64| -> Vec<Vec<Cell>> {
            (0..=p)
                .map(|d| {
                    let cells = (0..coef.rows()).map(|row| Cell::Number(raw(coef, row, d, mean)));
                    std::iter::once(Cell::Text(name(d))).chain(cells).collect()
                })
                .collect()
        };
        let heads: Vec<String> = (0..k).map(|c| format!("expert {c}")).collect();
        let with_column =
            |heads: &[String]| -> Vec<String> { std::iter::once("column".to_owned()).chain(heads.iter().cloned()).collect() };
        let add = |report: &mut Report, title: &str, heads: Vec<String>, rows: Vec<Vec<Cell>>| {
            let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
            report.table(title, &heads, rows);
        };
        add(&mut report, "Gate: log odds", with_column(&heads), table(&self.experts.gate, 0.0));
        match &self.experts.experts {
            ExpertKind::Linear { coef, variance } => {
                let mut rows = table(coef, self.target_mean);
                let noise = variance.iter().map(|v| Cell::Number(v.sqrt()));
                rows.push(std::iter::once(Cell::Text("(noise)".into())).chain(noise).collect());
                add(&mut report, "Experts: coefficients", with_column(&heads), rows);
            }
            ExpertKind::Logistic { coef, classes } => {
                let heads: Vec<String> =
                    (0..k).flat_map(|c| self.classes.iter().take(*classes).map(move |n| format!("expert {c}: {n}"))).collect();
                add(&mut report, "Experts: log odds", with_column(&heads), table(coef, 0.0));
            }
        }
        if let Some(trace) = &self.trace {
            report.sections.push(objective_plot(trace, "penalized log likelihood"));
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.mat("gate", &self.experts.gate);
        match &self.experts.experts {
            ExpertKind::Linear { coef, variance } => {
                out.mat("coef", coef);
                out.vec("variance", variance);
            }
            ExpertKind::Logistic { coef, .. } => out.mat("coef", coef),
        }
        out.vec("centre", &self.center);
        out.field("target_mean", &self.target_mean)?;
        out.field("classes", &self.classes)?;
        out.field("log_likelihood", &self.log_likelihood)?;
        out.field("n_iter", &self.certificate.iterations)?;
        out.field("certificate", &self.certificate)
    }
}

impl Regressor for MixtureOfExpertsModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let (mean, _) = self.mean_and_variance(x)?.ok_or_else(|| Error::Data("the model predicts classes".into()))?;
        Ok(Mat::from_vec(mean.len(), 1, mean))
    }
}

impl Classifier for MixtureOfExpertsModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let ExpertKind::Logistic { coef, classes } = &self.experts.experts else {
            return Err(Error::Data("the model predicts numbers".into()));
        };
        let (k, classes) = (self.experts.len(), *classes);
        self.rows(x, classes, |z, out| {
            let n = z.rows();
            let (gate, _) = self.gates(z);
            let (proba, _) = class_proba(coef, classes, z);
            for i in 0..n {
                let row = &mut out[i * classes..(i + 1) * classes];
                for (c, o) in row.iter_mut().enumerate() {
                    *o = (0..k).map(|e| gate[e * n + i] * proba[(e * classes + c) * n + i]).sum();
                }
                let total: f64 = row.iter().sum();
                row.iter_mut().for_each(|o| *o /= total);
            }
            Ok(())
        })
    }
}
