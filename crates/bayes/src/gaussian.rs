//! Gaussian naive Bayes.

use ermine_core::*;
use ermine_math::class_moments::{ClassMoments, DiagonalGaussians};
use serde::{Deserialize, Serialize};

use super::posterior::{classifier_with_density, classify_by_scores, give_to_best, log_priors, log_sum_exp};
use super::priors::{PRIORS, check_priors, class_table, expect_classes};
use ermine_core::blocks::{by_blocks, numbers};

/// The columns of a row are independent within a class, each with a normal distribution.
///
/// # What it maximizes
/// The likelihood Σᵢ wᵢ (ln πₖ + Σⱼ ln N(xᵢⱼ; μₖⱼ, σ²ₖⱼ)), k the class of row i, in closed form: shares of the classes,
/// means and variances within them (divisor: the weight of the class). To every variance a small part of the largest
/// variance of a column is added.
///
/// # When to use it
/// As a first classifier: it needs one pass, few rows per class and no tuning. Its classes are often right where its
/// probabilities are overconfident, since dependent columns count as independent evidence.
///
/// # Example
/// ```
/// use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, MatRef, OwnedTarget};
/// use ermine_bayes::GaussianNb;
///
/// let x = Features::F64(MatRef::row_major(&[0.0, 1.0, 8.0, 9.0], 4, 1));
/// let y = OwnedTarget::from_labels(&["small", "small", "large", "large"]);
/// let model = GaussianNb::default().fit_with(&DatasetRef::new(x).with_target(y.view()), &Context::default())?;
/// assert_eq!(model.classes(), ["large", "small"]);
/// assert_eq!(model.classify(&x)?, [1, 1, 0, 0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass of about five operations per cell; prediction three per cell and class.
///
/// # What it does not do
/// It does not see that columns depend on each other; columns that are far from normal within a class are better
/// transformed first. A class without rows (or without weight) has probability 0.
///
/// # Reference
/// Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, section 6.6.3.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "GaussianNB")]
pub struct GaussianNb {
    /// Probabilities of the classes, in their order; by default their shares.
    pub priors: Option<Vec<f64>>,
    /// The part of the largest variance of a column that is added to every variance.
    pub var_smoothing: f64,
}

impl Default for GaussianNb {
    fn default() -> Self {
        Self { priors: None, var_smoothing: 1e-9 }
    }
}

impl GaussianNb {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "gaussian-nb";
}

#[cfg(feature = "fit")]
impl Learner for GaussianNb {
    type Model = GaussianNbModel;

    const SEARCH_SPACE: &'static [&'static str] = &["var_smoothing=1e-12..1:log"];

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Naive Bayes with normal columns: independent within a class, each with its mean and variance",
        objective: "max sum_i w_i (ln prior_k + sum_j ln N(x_ij; mean_kj, var_kj)), k the class of row i",
        notes: "A first classifier: one pass, few rows per class, nothing to tune. Its classes are often right where its \
                probabilities are overconfident, since dependent columns count as independent evidence. The variance has \
                the weight of the class as divisor. A class without rows has probability 0.",
        reference: "Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed. 2009, section 6.6.3; the moments by \
                    Chan, Golub, LeVeque, The American Statistician 37 (1983)",
        family: Family::Bayes,
        tasks: &[Task::Classification],
        accepts: Accepts { weights: true, missing: false, categorical: false, sparse: false, passes: true, multi_target: false },
        params: &[
            PRIORS,
            ParamSpec {
                name: "var_smoothing",
                doc: "The part of the largest variance of a column that is added to every variance, so that none is 0.",
                range: Range::Real { min: 0.0, max: f64::INFINITY, above: false, log: true },
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);
    // Moments of the classes; how much is added to them and the priors come afterwards.
    const FOLD_SUMS: Option<FoldFit<Self>> = Some(FoldFit::from_pass_learner(|_, data, cut| {
        let (_, classes) = data.y.classes().ok()?;
        cut.fits_memory(2 * classes.len() * data.cols()).then(String::new)
    }));

    fn check(&self) -> Result<()> {
        self.check_ranges()?;
        check_priors(Self::SPEC.name, self.priors.as_deref())
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GaussianNbModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<GaussianNbModel> {
        GaussianNbModel::load(input)
    }
}

/// State of [`GaussianNb`] broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GaussianNbState {
    columns: usize,
    classes: Vec<String>,
}

/// Sums of a pass of a [`GaussianNb`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GaussianNbPartial(ClassMoments);

#[cfg(feature = "fit")]
impl Partial for GaussianNbPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.0.merge(other.0);
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl PassLearner for GaussianNb {
    type State = GaussianNbState;
    type Partial = GaussianNbPartial;

    /// Blocks of about two megabytes.
    fn block_rows(&self, cols: usize) -> usize {
        ((1 << 18) / cols.max(1)).clamp(1024, 1 << 16)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<GaussianNbState> {
        let (_, names) = head.y.classes()?;
        expect_classes(Self::SPEC.name, self.priors.as_deref(), names.len())?;
        Ok(GaussianNbState { columns: head.cols(), classes: names.to_vec() })
    }

    fn empty_partial(&self, state: &GaussianNbState) -> GaussianNbPartial {
        GaussianNbPartial(ClassMoments::new(state.classes.len(), state.columns))
    }

    fn add_block(&self, state: &GaussianNbState, part: &mut GaussianNbPartial, rows: &DatasetRef<'_>) -> Result<()> {
        rows.x.expect_cols(state.columns)?;
        let (codes, _) = rows.y.classes()?;
        match rows.x {
            Features::F64(x) => part.0.add(x, codes, rows.weight),
            Features::F32(x) => part.0.add(x, codes, rows.weight),
            _ => part.0.add(rows.x.f64_rows(&mut Vec::new(), Self::SPEC.name)?, codes, rows.weight),
        }
        if !part.0.is_finite() {
            rows.x.refuse_non_finite(rows.schema)?;
            return Err(Error::Numeric("the squares of the columns overflow; scale the columns down".into()));
        }
        Ok(())
    }

    fn finish(
        &self,
        state: GaussianNbState,
        GaussianNbPartial(total): GaussianNbPartial,
        _: &Context<'_>,
    ) -> Result<PassStep<GaussianNbState, GaussianNbModel>> {
        let all = total.total();
        let weight = all.weight()[0];
        let largest = all.squares().as_slice().iter().fold(0.0f64, |m, &v| m.max(v)) / weight;
        let epsilon = self.var_smoothing * largest;
        let counts = total.weight().to_vec();
        let var = Mat::from_fn(counts.len(), state.columns, |k, j| {
            // The rows of all classes stand in for a class that has none.
            let (squares, w) =
                if counts[k] > 0.0 { (total.squares()[(k, j)], counts[k]) } else { (all.squares()[(0, j)], weight) };
            squares / w + epsilon
        });
        let theta =
            Mat::from_fn(
                counts.len(),
                state.columns,
                |k, j| if counts[k] > 0.0 { total.mean()[(k, j)] } else { all.mean()[(0, j)] },
            );
        if !epsilon.is_finite() || !var.as_slice().iter().all(|v| v.is_finite()) {
            return Err(Error::Numeric(format!("var_smoothing {} times the largest variance overflows", self.var_smoothing)));
        }
        let prior = self.priors.clone().unwrap_or_else(|| counts.iter().map(|c| c / weight).collect());
        Ok(PassStep::Done(GaussianNbModel::new(state.classes, theta, var, prior, counts, epsilon)))
    }
}

/// The model of a [`GaussianNb`]: means and variances of the columns in each class, probabilities of the classes.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianNbModel {
    classes: Vec<String>,
    theta: Mat<f64>,
    var: Mat<f64>,
    class_prior: Vec<f64>,
    class_count: Vec<f64>,
    epsilon: f64,
    density: DiagonalGaussians,
    log_prior: Vec<f64>,
    certificate: Certificate,
}

impl GaussianNbModel {
    fn new(
        classes: Vec<String>,
        theta: Mat<f64>,
        var: Mat<f64>,
        class_prior: Vec<f64>,
        class_count: Vec<f64>,
        epsilon: f64,
    ) -> Self {
        let density = DiagonalGaussians::new(theta.view(), var.view());
        let log_prior = log_priors(&class_prior, &class_count);
        let certificate = Certificate { method: "moments".into(), iterations: 1, converged: true, ..Certificate::default() };
        Self { classes, theta, var, class_prior, class_count, epsilon, density, log_prior, certificate }
    }

    /// Means of the columns: one row per class.
    pub fn theta(&self) -> &Mat<f64> {
        &self.theta
    }

    /// Variances of the columns with what was added to them: one row per class.
    pub fn var(&self) -> &Mat<f64> {
        &self.var
    }

    /// Probabilities of the classes before a row is seen.
    pub fn class_prior(&self) -> &[f64] {
        &self.class_prior
    }

    /// The weight of the training rows of each class.
    pub fn class_count(&self) -> &[f64] {
        &self.class_count
    }

    /// The amount added to every variance.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("gaussian-nb: {m}"));
        let classes: Vec<String> = input.field("classes")?;
        let theta: Mat<f64> = input.mat("theta")?;
        let var: Mat<f64> = input.mat_of("var", theta.rows(), theta.cols())?;
        let class_prior: Vec<f64> = input.vec_of("class_prior", theta.rows())?;
        let class_count: Vec<f64> = input.vec_of("class_count", theta.rows())?;
        let epsilon: f64 = input.field("epsilon")?;
        if classes.is_empty() || classes.len() != theta.rows() || theta.cols() == 0 {
            return Err(bad(&format!("{} classes for {} x {} means", classes.len(), theta.rows(), theta.cols())));
        }
        let at_least_0 = |v: &[f64]| v.iter().all(|v| v.is_finite() && *v >= 0.0);
        if !theta.as_slice().iter().all(|v| v.is_finite()) || !at_least_0(var.as_slice()) || !at_least_0(&[epsilon]) {
            return Err(bad("its means and variances are no means and variances"));
        }
        if !at_least_0(&class_prior) || !at_least_0(&class_count) {
            return Err(bad("its class shares are no shares"));
        }
        let model = Self::new(classes, theta, var, class_prior, class_count, epsilon);
        if model.log_prior.iter().all(|p| *p == f64::NEG_INFINITY) {
            return Err(bad("no class is possible"));
        }
        Ok(model)
    }

    /// For each row, ln prior + ln density of the classes, transformed by `end`.
    fn scored(&self, x: &Features<'_>, end: impl Fn(&mut [f64]) + Sync) -> Result<Mat<f64>> {
        x.expect_cols(self.theta.cols())?;
        let classes = self.classes.len();
        by_blocks(x, classes, |block, _, out| {
            self.joint(block, out)?;
            for (i, row) in out.chunks_exact_mut(classes).enumerate() {
                let most = row.iter().fold(f64::NEG_INFINITY, |m, v| if v.is_nan() { f64::NAN } else { m.max(*v) });
                if !most.is_finite() {
                    let one = block.row_range(i..i + 1);
                    one.refuse_non_finite(None).map_err(|e| e.with_row(|_| i))?;
                    let mut scratch = Vec::new();
                    let cells = numbers(&one, &mut scratch, GaussianNb::NAME)?.to_owned();
                    self.far_away(cells.as_slice(), row);
                }
                end(row);
            }
            Ok(())
        })
    }

    /// For each row of a block, ln prior + ln density of the classes.
    fn joint(&self, block: &Features<'_>, out: &mut [f64]) -> Result<()> {
        let mut scratch = Vec::new();
        match block {
            Features::F64(x) => self.density.log_density(*x, out),
            Features::F32(x) => self.density.log_density(*x, out),
            other => self.density.log_density(numbers(other, &mut scratch, GaussianNb::NAME)?, out),
        }
        for row in out.chunks_exact_mut(self.classes.len()) {
            row.iter_mut().zip(&self.log_prior).for_each(|(v, p)| *v += p);
        }
        Ok(())
    }

    /// A row so far from every class that all densities vanish: the nearest class in standard deviations takes it.
    fn far_away(&self, x: &[f64], out: &mut [f64]) {
        let distance = |k: usize| {
            (0..x.len())
                .map(|j| {
                    let sd = self.var[(k, j)].max(f64::MIN_POSITIVE).sqrt();
                    // In logarithms: the quotient itself may overflow.
                    (x[j] / 2.0 - self.theta[(k, j)] / 2.0).abs().ln() - sd.ln()
                })
                .fold(f64::NEG_INFINITY, f64::max)
        };
        give_to_best(out, &self.log_prior, |k| -distance(k));
    }
}

ermine_core::display_as_report!(GaussianNbModel);

impl Model for GaussianNbModel {
    fn n_features(&self) -> usize {
        self.theta.cols()
    }
    classifier_with_density!();

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        class_table(&mut report, &self.classes, &self.class_count, |k| self.class_prior[k]);
        let mut heads = vec!["column".to_owned()];
        heads.extend(self.classes.iter().flat_map(|c| [format!("mean {c}"), format!("sd {c}")]));
        let rows = (0..self.theta.cols())
            .map(|j| {
                let mut row = vec![Cell::from(schema.name(j))];
                row.extend((0..self.classes.len()).flat_map(|k| [self.theta[(k, j)].into(), self.var[(k, j)].sqrt().into()]));
                row
            })
            .collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        report.table("Columns within classes", &heads, rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("classes", &self.classes)?;
        out.field("epsilon", &self.epsilon)?;
        out.mat("theta", &self.theta);
        out.mat("var", &self.var);
        out.vec("class_prior", &self.class_prior);
        out.vec("class_count", &self.class_count);
        Ok(())
    }
}

classify_by_scores!(GaussianNbModel);

impl Density for GaussianNbModel {
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        x.expect_cols(self.theta.cols())?;
        let norm = log_sum_exp(&self.log_prior);
        let out = by_blocks(x, 1, |block, _, out| {
            let mut joint = vec![0.0; block.rows() * self.classes.len()];
            self.joint(block, &mut joint)?;
            for (i, row) in joint.chunks_exact(self.classes.len()).enumerate() {
                out[i] = log_sum_exp(row) - norm;
                if out[i].is_nan() {
                    block.row_range(i..i + 1).refuse_non_finite(None).map_err(|e| e.with_row(|_| i))?;
                }
            }
            Ok(())
        })?;
        Ok(out.into_vec())
    }

    fn n_parameters(&self) -> usize {
        self.classes.len() - 1 + 2 * self.theta.as_slice().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_fixtures::{case, data_set, near_case, numbers};

    /// Numbers and labels of a data set with the class in its last column.
    fn data(name: &str) -> (Mat<f64>, OwnedTarget) {
        let table = ermine_data::read_table(data_set(name)).unwrap();
        let view = table.view();
        let last = view.cols() - 1;
        let x = Mat::from_fn(view.rows(), last, |i, j| view.numbers(j).unwrap()[i]);
        let labels: Vec<String> = match (view.numbers(last), view.categories(last)) {
            (Some(v), _) => v.iter().map(|v| v.to_string()).collect(),
            (None, Some((codes, names))) => codes.iter().map(|&c| names[c as usize].clone()).collect(),
            _ => panic!("no classes"),
        };
        (x, OwnedTarget::from_labels(&labels))
    }

    #[test]
    fn the_reference_book_is_reproduced() {
        for name in ["iris", "wine"] {
            let case = case("discriminant_nb", &format!("gaussian_nb_{name}"));
            let (x, y) = data(name);
            let features = Features::F64(x.view());
            let learner = GaussianNb { var_smoothing: 0.0, ..GaussianNb::default() };
            let model = learner.fit_with(&DatasetRef::new(features).with_target(y.view()), &Context::default()).unwrap();
            let expected = &case["expected"];
            near_case(model.class_prior(), &expected["priors"], &case, "priors");
            near_case(model.theta().as_slice(), &expected["theta"], &case, "theta");
            near_case(model.var().as_slice(), &expected["var"], &case, "var");
            let rows: Vec<usize> = numbers(&expected["rows"]).iter().map(|&r| r as usize).collect();
            let part = x.view().take_rows(&rows);
            let p = model.proba(&Features::F64(part.view())).unwrap();
            near_case(p.as_slice(), &expected["posteriors"], &case, "posteriors");
            let logs = model.log_proba(&Features::F64(part.view())).unwrap();
            for (l, w) in logs.as_slice().iter().zip(numbers(&expected["posteriors"])) {
                assert!((l.exp() - w).abs() <= (1e-8 * w).max(1e-12) && (w > 0.999 || (l - w.ln()).abs() <= 1e-8 * w.ln().abs()));
            }
            let Target::Class { codes, .. } = y.view() else { unreachable!() };
            let right = model.classify(&features).unwrap().iter().zip(codes).filter(|(a, b)| a == b).count();
            let accuracy = right as f64 / codes.len() as f64;
            near_case(&[accuracy], &expected["train_accuracy"], &case, "accuracy");
        }
    }

    fn two_classes() -> (Mat<f64>, OwnedTarget) {
        let mut rng = RngStream::new(1, "test", 0);
        let x = Mat::from_fn(60, 3, |i, j| rng.normal() + 2.0 * ((i % 2) * j) as f64);
        let y = OwnedTarget::Class { codes: (0..60).map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] };
        (x, y)
    }

    fn fit(learner: &GaussianNb, x: &Mat<f64>, y: &OwnedTarget, weight: Option<&[f64]>) -> Result<GaussianNbModel> {
        let data = DatasetRef::new(Features::F64(x.view())).with_target(y.view()).with_weight(weight);
        learner.fit_with(&data, &Context::default())
    }

    #[test]
    fn priors_are_checked_and_used() {
        let (x, y) = two_classes();
        let with = |p: &[f64]| GaussianNb { priors: Some(p.to_vec()), ..GaussianNb::default() };
        let model = fit(&with(&[0.9, 0.1]), &x, &y, None).unwrap();
        assert_eq!(model.class_prior(), [0.9, 0.1]);
        for bad in [&[0.9, 0.2][..], &[-0.1, 1.1], &[1.0], &[0.2, 0.3, 0.5]] {
            let e = fit(&with(bad), &x, &y, None).unwrap_err().to_string();
            assert!(e.contains("priors"), "{e}");
        }
        // Bayes: odds of posteriors over odds of priors do not depend on the priors.
        let plain = fit(&GaussianNb::default(), &x, &y, None).unwrap();
        let rows = Features::F64(x.view());
        let (a, b) = (plain.log_proba(&rows).unwrap(), model.log_proba(&rows).unwrap());
        for i in 0..60 {
            let change = (b[(i, 0)] - b[(i, 1)]) - (a[(i, 0)] - a[(i, 1)]);
            assert!((change - 9f64.ln()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_class_without_weight_has_probability_zero() {
        let (x, _) = two_classes();
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        let y = OwnedTarget::Class { codes: (0..60).map(|i| [0, 2, 3][i % 3]).collect(), names };
        let w: Vec<f64> = (0..60).map(|i| f64::from(u8::from(i % 3 != 2))).collect();
        let model = fit(&GaussianNb::default(), &x, &y, Some(&w)).unwrap();
        assert_eq!(model.class_count(), [20.0, 0.0, 20.0, 0.0]);
        let rows = Features::F64(x.view());
        let p = model.proba(&rows).unwrap();
        assert!((0..60).all(|i| p[(i, 1)] == 0.0 && p[(i, 3)] == 0.0));
        assert!(model.log_proba(&rows).unwrap()[(0, 1)] == f64::NEG_INFINITY);
        assert!(model.classify(&rows).unwrap().iter().all(|&c| c == 0 || c == 2));
    }

    #[test]
    fn smoothing_is_a_part_of_the_largest_variance_of_all_rows() {
        let x = Mat::from_vec(4, 2, vec![0.0, 1.0, 0.0, 3.0, 10.0, 1.0, 10.0, 3.0]);
        let y = OwnedTarget::from_labels(&["a", "a", "b", "b"]);
        let model = fit(&GaussianNb { var_smoothing: 0.5, ..GaussianNb::default() }, &x, &y, None).unwrap();
        assert_eq!((model.epsilon(), model.var().as_slice()), (12.5, &[12.5, 13.5, 12.5, 13.5][..]));
    }

    #[test]
    fn one_class_one_row_and_no_variance() {
        let x = Mat::from_vec(2, 1, vec![3.0, 3.0]);
        let y = OwnedTarget::from_labels(&["only", "only"]);
        let model = fit(&GaussianNb::default(), &x, &y, None).unwrap();
        let far = [3.0, -1e300, 1e300];
        let p = model.proba(&Features::F64(MatRef::row_major(&far, 3, 1))).unwrap();
        assert_eq!(p.as_slice(), [1.0; 3]);
        let y = OwnedTarget::from_labels(&["a", "b"]);
        let x = Mat::from_vec(2, 1, vec![3.0, 5.0]);
        let learner = GaussianNb { var_smoothing: 0.0, ..GaussianNb::default() };
        let model = fit(&learner, &x, &y, None).unwrap();
        assert_eq!(model.classify(&Features::F64(MatRef::row_major(&[2.0, 3.9, 4.1, 1e6], 4, 1))).unwrap(), [0, 0, 1, 1]);
    }

    #[test]
    fn cells_that_are_not_finite_are_named() {
        let (mut x, y) = two_classes();
        let model = fit(&GaussianNb::default(), &x, &y, None).unwrap();
        x[(7, 2)] = f64::NAN;
        let e = fit(&GaussianNb::default(), &x, &y, None).unwrap_err().to_string();
        assert_eq!(e, "column 2, row 7: NaN is not a finite number");
        assert_eq!(model.proba(&Features::F64(x.view())).unwrap_err().to_string(), e);
    }

    #[test]
    fn a_model_that_was_read_is_the_same_and_a_forged_one_is_refused() {
        let (x, y) = two_classes();
        let model = fit(&GaussianNb::default(), &x, &y, None).unwrap();
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(GaussianNb::load(&out.clone().into_reader()).unwrap(), model);
        let forge = |change: &dyn Fn(&mut ModelWriter)| {
            let mut out = out.clone();
            change(&mut out);
            assert!(GaussianNb::load(&out.into_reader()).is_err());
        };
        forge(&|o| o.array("var", &[2, 3], &[1.0, 1.0, -1.0, 1.0, 1.0, 1.0]));
        forge(&|o| o.array("theta", &[2, 3], &[f64::NAN; 6]));
        forge(&|o| o.array("theta", &[3, 2], &[0.0; 6]));
        forge(&|o| o.vec("class_count", &[0.0, 0.0]));
        forge(&|o| o.vec("class_prior", &[1.0]));
        forge(&|o| o.field("classes", &["a"]).unwrap());
    }
}
