//! Fitted quadratic discriminant analysis.

use ermine_core::*;
use ermine_math::affine::affine_about;
use ermine_math::gaussians::FullGaussians;
use ermine_math::linalg::{Cholesky, eigen_symmetric, product};

use super::super::posterior::{classifier_with_density, classify_by_scores, give_to_best, log_priors, log_sum_exp};
use super::super::priors::{class_table, some_class_is_possible};
use super::lda::center;
use super::lda::whitened;
use super::listed;
use super::qda::Qda;
use super::qda::QdaSolver;
use super::totals::correlation;
use super::whiten::Whitening;
use ermine_core::blocks::by_blocks;

/// Rows that are turned into other coordinates at a time.
const BLOCK: usize = 1 << 14;

/// The model of a [`Qda`]: means and covariances of the classes.
#[derive(Debug, Clone)]
pub struct QdaModel {
    classes: Vec<String>,
    class_count: Vec<f64>,
    priors: Vec<f64>,
    means: Mat<f64>,
    covariances: Vec<Mat<f64>>,
    tol: f64,
    certificate: Certificate,
    log_priors: Vec<f64>,
    density: ClassDensities,
}

/// The densities of the classes.
#[derive(Debug, Clone)]
enum ClassDensities {
    /// In the columns as they are.
    Plain(FullGaussians),
    /// In coordinates in which the mean of the covariances is the identity, and less may vary than there are columns.
    Whitened { center: Vec<f64>, by_row: Mat<f64>, log_volume: f64, gaussians: FullGaussians },
}

impl QdaModel {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        qda: &Qda,
        classes: Vec<String>,
        labels: &[String],
        class_count: Vec<f64>,
        priors: Vec<f64>,
        means: Mat<f64>,
        covariances: Vec<Mat<f64>>,
    ) -> Result<Self> {
        let (density, rank, singular) = densities(&class_count, &priors, &means, &covariances, qda.tol)?;
        let cols = means.cols();
        let mut notes = Vec::new();
        if rank < cols {
            notes.push(format!("rank {rank} of {cols}: directions in which no class varies are left out"));
            let still = |j: &usize| covariances.iter().zip(&class_count).all(|(c, n)| *n == 0.0 || c[(*j, *j)] == 0.0);
            let still: Vec<String> = (0..cols).filter(still).map(|j| labels[j].clone()).collect();
            if !still.is_empty() {
                notes.push(format!("constant within every class: {}", listed(&still)));
            }
        }
        for (k, directions) in singular {
            notes.push(format!(
                "class \"{}\" (rows of weight {}) does not vary in {directions} of {rank} directions; its spread there is set to {} of that within all \
                 classes",
                classes[k], class_count[k], qda.tol
            ));
        }
        let certificate = Certificate {
            method: if qda.solver == QdaSolver::Svd { "svd" } else { "eigen" }.into(),
            rank: Some(rank),
            iterations: if qda.shrinkage.is_auto() { 2 } else { 1 },
            converged: true,
            notes,
            ..Certificate::default()
        };
        Ok(Self::assemble(classes, class_count, priors, means, covariances, qda.tol, certificate, density))
    }

    #[allow(clippy::too_many_arguments)]
    fn assemble(
        classes: Vec<String>,
        class_count: Vec<f64>,
        priors: Vec<f64>,
        means: Mat<f64>,
        covariances: Vec<Mat<f64>>,
        tol: f64,
        certificate: Certificate,
        density: ClassDensities,
    ) -> Self {
        let log_priors = log_priors(&priors, &class_count);
        Self { classes, class_count, priors, means, covariances, tol, certificate, log_priors, density }
    }

    /// The means of the columns: one row per class.
    pub fn means(&self) -> &Mat<f64> {
        &self.means
    }

    /// Probabilities of the classes before a row is seen.
    pub fn priors(&self) -> &[f64] {
        &self.priors
    }

    /// The covariance of a class, shrunk where requested.
    pub fn covariance(&self, class: usize) -> &Mat<f64> {
        &self.covariances[class]
    }

    /// In how many directions the classes vary.
    pub fn rank(&self) -> usize {
        self.certificate.rank.unwrap_or(self.means.cols())
    }

    /// ln prior + ln density of the classes for each row, and what `end` makes of the row.
    fn rows(&self, x: &Features<'_>, end: impl Fn(&Features<'_>, usize, &mut [f64]) -> Result<()> + Sync) -> Result<Mat<f64>> {
        x.expect_cols(self.means.cols())?;
        match &self.density {
            ClassDensities::Plain(gaussians) => by_blocks(x, self.classes.len(), |block, _, out| {
                let mut scratch = Vec::new();
                match block {
                    Features::F64(m) => self.joint(gaussians, *m, 0.0, out),
                    Features::F32(m) => self.joint(gaussians, *m, 0.0, out),
                    other => self.joint(gaussians, other.f64_rows(&mut scratch, Qda::NAME)?, 0.0, out),
                }
                out.chunks_exact_mut(self.classes.len()).enumerate().try_for_each(|(i, row)| end(block, i, row))
            }),
            ClassDensities::Whitened { center, by_row, log_volume, gaussians } => {
                let zeros = vec![0.0; by_row.rows()];
                let mut all = Mat::zeros(0, self.classes.len());
                for first in (0..x.rows()).step_by(BLOCK) {
                    let part = x.row_range(first..(first + BLOCK).min(x.rows()));
                    let z = affine_about(&part, center, by_row, &zeros, Qda::NAME).map_err(|e| e.with_row(|row| row + first))?;
                    let done = by_blocks(&Features::F64(z.view()), self.classes.len(), |block, start, out| {
                        if let Features::F64(m) = block {
                            self.joint(gaussians, *m, *log_volume, out);
                        }
                        let mut rows = out.chunks_exact_mut(self.classes.len()).enumerate();
                        rows.try_for_each(|(i, row)| end(&part, start + i, row).map_err(|e| e.with_row(|r| r - start)))
                    });
                    all.append_rows(done.map_err(|e| e.with_row(|r| r + first))?);
                }
                Ok(all)
            }
        }
    }

    fn joint<T: ermine_math::moments::Real>(&self, gaussians: &FullGaussians, m: MatRef<'_, T>, more: f64, out: &mut [f64]) {
        let (rows, classes) = (m.rows(), self.classes.len());
        let mut by_class = vec![0.0; rows * classes];
        gaussians.log_density(m, &mut by_class);
        for k in 0..classes {
            for i in 0..rows {
                out[i * classes + k] = by_class[k * rows + i] + more + self.log_priors[k];
            }
        }
    }

    /// [`QdaModel::rows`] in which every row has a possible class.
    fn scored(&self, x: &Features<'_>, end: impl Fn(&mut [f64]) + Sync) -> Result<Mat<f64>> {
        self.rows(x, |block, i, row| {
            let lost = row.iter().all(|v| !v.is_finite()) || row.iter().any(|v| v.is_nan());
            if lost {
                let one = block.row_range(i..i + 1);
                one.refuse_non_finite(None).map_err(|e| e.with_row(|_| i))?;
                self.far_away(&one, row)?;
            }
            end(row);
            Ok(())
        })
    }

    /// [`QdaModel::rows`] plus a number that all classes share.
    fn joint_logs(&self, x: &Features<'_>, shared: f64) -> Result<Mat<f64>> {
        self.rows(x, |block, i, row| {
            if row.iter().any(|v| v.is_nan()) {
                block.row_range(i..i + 1).refuse_non_finite(None).map_err(|e| e.with_row(|_| i))?;
            }
            row.iter_mut().for_each(|v| *v += shared);
            Ok(())
        })
    }

    /// ln prior + ln density of the classes, without the power of 2π that all share.
    fn quadratic_scores(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.joint_logs(x, 0.5 * self.rank() as f64 * std::f64::consts::TAU.ln())
    }

    /// A row so far away that all densities vanish: the class of a point between it and the mean, nearest in standard deviations, takes it.
    fn far_away(&self, one: &Features<'_>, out: &mut [f64]) -> Result<()> {
        let mut scratch = Vec::new();
        let row = one.f64_rows(&mut scratch, Qda::NAME)?.to_owned();
        let (mut way, start) = (row.row(0).to_vec(), center(&self.priors, &self.means));
        let mut spread = vec![0.0f64; way.len()];
        for c in &self.covariances {
            spread.iter_mut().enumerate().for_each(|(j, s)| *s = s.max(c[(j, j)].sqrt()));
        }
        // Halves, since the difference itself may overflow.
        way.iter_mut().zip(&start).for_each(|(v, s)| *v = *v / 2.0 - s / 2.0);
        let length = |j: usize| if spread[j] > 0.0 { (way[j].abs()).ln() - spread[j].ln() } else { f64::NEG_INFINITY };
        let longest = (0..way.len()).map(length).fold(f64::NEG_INFINITY, f64::max);
        let share = (200.0 - longest).min(0.0).exp();
        let near: Vec<f64> = way.iter().zip(&start).map(|(v, s)| v * share + s).collect();
        let joint = self.rows(&Features::F64(MatRef::row_major(&near, 1, near.len())), |_, _, _| Ok(()))?;
        give_to_best(out, &self.log_priors, |k| joint[(0, k)]);
        Ok(())
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("qda: {m}"));
        let classes: Vec<String> = input.field("classes")?;
        let means: Mat<f64> = input.mat("means")?;
        let (k, cols) = (means.rows(), means.cols());
        if classes.len() != k || k == 0 || cols == 0 {
            return Err(bad(&format!("{} classes for {k} x {cols} means", classes.len())));
        }
        let class_count: Vec<f64> = input.vec_of("class_count", k)?;
        let priors: Vec<f64> = input.vec_of("priors", k)?;
        let all: Mat<f64> = input.mat_of("covariances", k * cols, cols)?;
        let tol: f64 = input.field("tol")?;
        let certificate: Certificate = input.field("certificate")?;
        let finite = |v: &[f64]| v.iter().all(|v| v.is_finite());
        if !some_class_is_possible(&class_count, &priors) {
            return Err(bad("no class is possible"));
        }
        if !finite(means.as_slice()) || !finite(all.as_slice()) || !tol.is_finite() || tol < 0.0 {
            return Err(bad("its numbers are not finite"));
        }
        let covariances: Vec<Mat<f64>> = (0..k).map(|c| all.view().row_range(c * cols..(c + 1) * cols).to_owned()).collect();
        if covariances.iter().any(|c| (0..cols).any(|j| c[(j, j)] < 0.0)) {
            return Err(bad("a variance is below 0"));
        }
        let (density, rank, _) = densities(&class_count, &priors, &means, &covariances, tol).map_err(|e| bad(&e.to_string()))?;
        if certificate.rank != Some(rank) {
            return Err(bad("its covariances are not of the rank that it says"));
        }
        Ok(Self::assemble(classes, class_count, priors, means, covariances, tol, certificate, density))
    }
}

/// The classes with fewer directions than the others, and in how many they do not vary.
type SingularClasses = Vec<(usize, usize)>;

/// The densities of the classes, in how many directions they vary, and the classes that do not vary in some of these.
fn densities(
    weight: &[f64],
    priors: &[f64],
    means: &Mat<f64>,
    covariances: &[Mat<f64>],
    tol: f64,
) -> Result<(ClassDensities, usize, SingularClasses)> {
    let (classes, cols) = (means.rows(), means.cols());
    let present: Vec<usize> = (0..classes).filter(|&k| weight[k] > 0.0).collect();
    // A class without rows borrows the covariance of one that has some: its density is never looked at.
    let of = |k: usize| &covariances[if weight[k] > 0.0 { k } else { present[0] }];
    let cut = tol * tol;
    let plain: Vec<Cholesky> = (0..classes).map_while(|k| regular(of(k), cut)).collect();
    if plain.len() == classes {
        return Ok((ClassDensities::Plain(FullGaussians::new(means.view(), &plain)), cols, Vec::new()));
    }
    let total: f64 = weight.iter().sum();
    let mut pooled = Mat::zeros(cols, cols);
    for &k in &present {
        pooled.as_mut_slice().iter_mut().zip(covariances[k].as_slice()).for_each(|(p, c)| *p += weight[k] / total * c);
    }
    let whitening = Whitening::new(&pooled, cut)?;
    let rank = whitening.rank();
    if rank == 0 {
        return Err(Error::Data(format!(
            "no column varies within a class: rows of weight {total} in {} classes say nothing about their spread",
            present.len()
        )));
    }
    let center = center(priors, means);
    let places = whitened(means, &center, &whitening.matrix);
    let mut singular = Vec::new();
    let mut factors = Vec::with_capacity(classes);
    for k in 0..classes {
        let inner = product(of(k).view(), whitening.matrix.view());
        let mut c = product(whitening.matrix.view().t(), inner.view());
        let eigen = eigen_symmetric(c.view())?;
        let floor = cut.max(rank as f64 * f64::EPSILON * eigen.values[0].max(1.0));
        let still = eigen.values.iter().filter(|v| **v <= floor).count();
        if still > 0 {
            if weight[k] > 0.0 {
                singular.push((k, still));
            }
            let lifted = Mat::from_fn(rank, rank, |d, j| eigen.values[d].max(floor) * eigen.vectors[(d, j)]);
            c = product(eigen.vectors.view().t(), lifted.view());
        }
        // Rounding may leave the two triangles a hair apart.
        let even = Mat::from_fn(rank, rank, |i, j| 0.5 * (c[(i, j)] + c[(j, i)]));
        factors.push(Cholesky::new(even.view())?);
    }
    let gaussians = FullGaussians::new(places.view(), &factors);
    let by_row = whitening.matrix.view().t().to_owned();
    Ok((ClassDensities::Whitened { center, by_row, log_volume: whitening.log_volume, gaussians }, rank, singular))
}

/// The factor of a covariance whose directions all have some spread.
fn regular(covariance: &Mat<f64>, cut: f64) -> Option<Cholesky> {
    let cols = covariance.rows();
    if (0..cols).any(|j| covariance[(j, j)] <= 0.0) {
        return None;
    }
    // Of the columns on one scale; the factor of the covariance itself is as exact, whatever the scales.
    let condition = Cholesky::new(correlation(covariance).0.view()).ok()?.reciprocal_condition();
    if condition <= 100.0 * cols as f64 * cut.max(f64::EPSILON) {
        return None;
    }
    Cholesky::new(covariance.view()).ok()
}

ermine_core::display_as_report!(QdaModel);

impl Model for QdaModel {
    fn n_features(&self) -> usize {
        self.means.cols()
    }
    classifier_with_density!();

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        for note in &self.certificate.notes {
            report.text(format!("{note}."));
        }
        class_table(&mut report, &self.classes, &self.class_count, |k| self.priors[k]);
        let mut heads = vec!["column".to_owned()];
        heads.extend(self.classes.iter().flat_map(|c| [format!("mean {c}"), format!("sd {c}")]));
        let rows = (0..self.means.cols())
            .map(|j| {
                let mut row = vec![Cell::from(schema.name(j))];
                let cells = |k: usize| [self.means[(k, j)].into(), self.covariances[k][(j, j)].sqrt().into()];
                row.extend((0..self.classes.len()).flat_map(cells));
                row
            })
            .collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        report.table("Columns within classes", &heads, rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("classes", &self.classes)?;
        out.field("tol", &self.tol)?;
        out.field("certificate", &self.certificate)?;
        out.vec("class_count", &self.class_count);
        out.vec("priors", &self.priors);
        out.mat("means", &self.means);
        let all = self.covariances.iter().flat_map(|c| c.as_slice().to_vec()).collect();
        out.mat("covariances", &Mat::from_vec(self.means.rows() * self.means.cols(), self.means.cols(), all));
        Ok(())
    }
}

classify_by_scores!(QdaModel, decision: quadratic_scores);

impl Density for QdaModel {
    /// Of the mixture of the classes, in the directions in which they vary.
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        let norm = log_sum_exp(&self.log_priors);
        let joint = self.joint_logs(x, 0.0)?;
        Ok((0..joint.rows()).map(|i| log_sum_exp(joint.row(i)) - norm).collect())
    }

    fn n_parameters(&self) -> usize {
        let (k, r) = (self.classes.len(), self.rank());
        k - 1 + k * (r + r * (r + 1) / 2)
    }
}
