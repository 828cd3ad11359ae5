//! The fitted classifier: prediction, report, saving and loading.

use ermine_core::blocks::by_blocks;
use ermine_core::*;

use crate::gmm::GmmModel;

/// The model of a [`GmmClassifier`](super::GmmClassifier): a mixture for each class and the probabilities of the classes.
#[derive(Debug, Clone)]
pub struct GmmClassifierModel {
    classes: Vec<String>,
    models: Vec<Option<GmmModel>>,
    prior: Vec<f64>,
    counts: Vec<f64>,
    log_prior: Vec<f64>,
    columns: usize,
    certificate: Certificate,
}

impl GmmClassifierModel {
    pub(super) fn new(
        classes: Vec<String>,
        models: Vec<Option<GmmModel>>,
        prior: Vec<f64>,
        counts: Vec<f64>,
        certificate: Certificate,
    ) -> Result<Self> {
        let log_prior: Vec<f64> =
            prior.iter().zip(&models).map(|(p, m)| if m.is_some() { p.ln() } else { f64::NEG_INFINITY }).collect();
        if log_prior.iter().all(|p| *p == f64::NEG_INFINITY) {
            return Err(Error::Data("no class is possible: those with rows have prior 0".into()));
        }
        let columns = models.iter().flatten().next().map_or(0, |m| m.n_features());
        Ok(Self { classes, models, prior, counts, log_prior, columns, certificate })
    }

    /// The mixture of a class; none for a class without rows.
    pub fn mixture(&self, class: usize) -> Option<&crate::GaussianMixture> {
        self.models.get(class)?.as_ref().map(GmmModel::mixture)
    }

    /// The fit of a class; none for a class without rows.
    pub fn of_class(&self, class: usize) -> Option<&GmmModel> {
        self.models.get(class)?.as_ref()
    }

    /// Probabilities of the classes before a row is seen.
    pub fn class_prior(&self) -> &[f64] {
        &self.prior
    }

    /// ln p(y) + ln p(x | y): one column per class. Each row is finished by `end`, whose second argument says whether
    /// all were too small for numbers and the nearest class stands in their place.
    fn joint(&self, x: &Features<'_>, end: impl Fn(&mut [f64]) + Sync) -> Result<Mat<f64>> {
        x.expect_cols(self.columns)?;
        let k = self.classes.len();
        by_blocks(x, k, |block, _, out| {
            for (c, model) in self.models.iter().enumerate() {
                let log_density = model.as_ref().map(|m| m.mixture().log_density_here(block)).transpose()?;
                for (i, row) in out.chunks_exact_mut(k).enumerate() {
                    row[c] = log_density.as_ref().map_or(f64::NEG_INFINITY, |f| self.log_prior[c] + f[i]);
                }
            }
            for (i, row) in out.chunks_exact_mut(k).enumerate() {
                if row.iter().all(|v| *v == f64::NEG_INFINITY) {
                    row[self.nearest(&block.row_range(i..i + 1))?] = 0.0;
                }
                end(row);
            }
            Ok(())
        })
    }

    /// The possible class with the component nearest to a row that is very far from all.
    fn nearest(&self, row: &Features<'_>) -> Result<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (c, model) in self.models.iter().enumerate() {
            if let Some(model) = model
                && self.log_prior[c] > f64::NEG_INFINITY
            {
                let d = model.mixture().distance(row)?;
                if best.is_none_or(|b| d < b.0) {
                    best = Some((d, c));
                }
            }
        }
        Ok(best.map_or(0, |b| b.1))
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: String| Error::Model(format!("gmm-classifier: {m}"));
        let classes: Vec<String> = input.field("classes")?;
        let k = classes.len();
        let prior: Vec<f64> = input.vec_of("class_prior", k)?;
        let counts: Vec<f64> = input.vec_of("class_count", k)?;
        let at_least_0 = |v: &[f64]| v.iter().all(|v| v.is_finite() && *v >= 0.0);
        if k == 0 || !at_least_0(&prior) || !at_least_0(&counts) {
            return Err(bad("its class shares are no shares".into()));
        }
        let one = |c: usize| -> Result<Option<GmmModel>> {
            let name = c.to_string();
            input.has_child(&name).then(|| GmmModel::load(&input.child(&name))).transpose()
        };
        let models = (0..k).map(one).collect::<Result<Vec<_>>>()?;
        let mut widths = models.iter().flatten().map(|m| m.n_features());
        let first = widths.next().ok_or_else(|| bad("it has no mixture".into()))?;
        if widths.any(|w| w != first) {
            return Err(bad("its mixtures are of different columns".into()));
        }
        Self::new(classes, models, prior, counts, input.field("certificate")?).map_err(|e| bad(e.to_string()))
    }
}

ermine_core::display_as_report!(GmmClassifierModel);

impl Model for GmmClassifierModel {
    fn n_features(&self) -> usize {
        self.columns
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        Some(self)
    }
    fn as_density(&self) -> Option<&dyn Density> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let rows = (0..self.classes.len()).map(|c| {
            let k = self.models[c].as_ref().map_or(0, |m| m.mixture().components());
            let bic = self.models[c].as_ref().map_or(Cell::Empty, |m| Cell::Number(m.bic()));
            vec![self.classes[c].as_str().into(), self.counts[c].into(), self.prior[c].into(), Cell::Number(k as f64), bic]
        });
        report.table("Classes", &["class", "rows", "prior", "components", "bic"], rows.collect());
        for (class, model) in self.classes.iter().zip(&self.models) {
            let Some(model) = model else { continue };
            for section in model.report(schema).sections {
                report.sections.push(match section {
                    Section::Table { title, columns, meanings, rows } => {
                        Section::Table { title: format!("{class}: {title}"), columns, meanings, rows }
                    }
                    Section::Plot { title, x, y, curves } => Section::Plot { title: format!("{class}: {title}"), x, y, curves },
                    Section::Text(text) => Section::Text(format!("{class}: {text}")),
                    other => other,
                });
            }
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("classes", &self.classes)?;
        out.vec("class_prior", &self.prior);
        out.vec("class_count", &self.counts);
        for (c, model) in self.models.iter().enumerate() {
            if let Some(model) = model {
                out.child(&c.to_string(), |w| model.save(w))?;
            }
        }
        out.field("certificate", &self.certificate)
    }
}

impl Classifier for GmmClassifierModel {
    fn classes(&self) -> &[String] {
        &self.classes
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.joint(x, |row| {
            let most = row.iter().fold(f64::NEG_INFINITY, |m, v| m.max(*v));
            row.iter_mut().for_each(|v| *v = (*v - most).exp());
            let total: f64 = row.iter().sum();
            row.iter_mut().for_each(|v| *v /= total);
        })
    }

    fn log_proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.joint(x, |row| {
            let total = ermine_math::loss::log_sum_exp(row);
            row.iter_mut().for_each(|v| *v -= total);
        })
    }
}

impl Density for GmmClassifierModel {
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        x.expect_cols(self.columns)?;
        let mut all = Mat::filled(x.rows(), self.classes.len(), f64::NEG_INFINITY);
        for (c, model) in self.models.iter().enumerate() {
            if let Some(model) = model {
                let log_density = model.mixture().log_density(x)?;
                log_density.iter().enumerate().for_each(|(i, v)| all[(i, c)] = self.log_prior[c] + v);
            }
        }
        Ok((0..all.rows()).map(|i| ermine_math::loss::log_sum_exp(all.row(i))).collect())
    }

    fn n_parameters(&self) -> usize {
        let present = self.models.iter().flatten();
        present.clone().map(Density::n_parameters).sum::<usize>() + present.count().saturating_sub(1)
    }

    fn sample(&self, rows: usize, seed: u64) -> Result<Option<Mat<f64>>> {
        let mut draws = RngStream::new(seed, "gmm-classifier sample", 0);
        let possible: Vec<f64> = self.prior.iter().zip(&self.models).map(|(p, m)| if m.is_some() { *p } else { 0.0 }).collect();
        let mut counts = vec![0; self.classes.len()];
        (0..rows).for_each(|_| counts[draws.weighted(&possible)] += 1);
        let mut out = Vec::with_capacity(rows * self.columns);
        for (c, model) in self.models.iter().enumerate() {
            if let Some(model) = model {
                out.extend(
                    model
                        .mixture()
                        .sample(counts[c], RngStream::new(seed, "gmm-classifier class", c as u64).next_u64())?
                        .0
                        .into_vec(),
                );
            }
        }
        Ok(Some(Mat::from_vec(rows, self.columns, out)))
    }
}
