//! The fitted machine: scores, votes, probabilities.

use std::ops::Range;

use ermine_core::{
    Cell, Certificate, Classifier, Csr, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result, Schema,
};
use ermine_math::kernel::{Expansion, ExpansionPoints, Kernel, SparseCoefs};
use serde::{Deserialize, Serialize};

use super::DecisionShape;
use ermine_math::platt::{Sigmoid, pairwise_coupling};

/// One solved problem: a pair of classes, or a regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BinarySvm {
    /// C; none for the hard margin.
    pub price: Option<f64>,
    /// b.
    pub bias: f64,
    /// ‖w‖².
    pub norm_squared: f64,
    /// The objective.
    pub primal: f64,
    /// Its lower bound by the dual.
    pub dual: f64,
    /// Largest violation of the optimality conditions.
    pub violation: f64,
    /// Steps on pairs.
    pub iterations: u64,
    /// Whether the violation is within the tolerance.
    pub converged: bool,
    /// Rows with a coefficient.
    pub support: usize,
    /// Coefficients at their bound.
    pub bounded: usize,
}

impl BinarySvm {
    /// Half the width of the margin between the classes, in feature space: 1/‖w‖.
    pub fn margin(&self) -> f64 {
        1.0 / self.norm_squared.max(0.0).sqrt()
    }
}

#[derive(Debug, Clone)]
pub(super) enum SvmTask {
    Numbers,
    Classes {
        names: Vec<String>,
        /// Codes of the classes that take part.
        present: Vec<u32>,
        /// Support vectors of each of them.
        n_support: Vec<u32>,
        /// One for each pair of them.
        sigmoids: Vec<Sigmoid>,
        shape: DecisionShape,
        break_ties: bool,
    },
}

pub(super) struct SvmModelParts {
    pub expansion: Expansion,
    pub support: Vec<u32>,
    pub dual_coef: Mat<f64>,
    pub slack: Mat<f64>,
    pub machines: Vec<BinarySvm>,
    pub says: SvmTask,
    pub certificate: Option<Certificate>,
}

/// A fitted support vector machine.
///
/// Saved arrays: `support` (numbers of the rows that carry it, class after class), `support_vectors` (or their sparse form),
/// `dual_coef` (classes - 1, support vectors) as LIBSVM lays it out, `slack` of the same shape, `intercept` (pairs), `n_support`
/// (classes), `prob_a` and `prob_b` (pairs).
#[derive(Debug, Clone)]
pub struct SvmModel {
    expansion: Expansion,
    support: Vec<u32>,
    dual_coef: Mat<f64>,
    slack: Mat<f64>,
    machines: Vec<BinarySvm>,
    pub(super) says: SvmTask,
    certificate: Option<Certificate>,
    /// The function of each machine.
    functions: Vec<SparseCoefs>,
}

/// A subset of columns.
pub(super) fn columns(lines: &[Vec<f64>], which: &[usize]) -> Mat<f64> {
    Mat::from_fn(lines.len(), which.len(), |i, j| lines[i][which[j]])
}

impl SvmModel {
    pub(super) fn new(parts: SvmModelParts) -> Result<Self> {
        let SvmModelParts { expansion, support, dual_coef, slack, machines, says, certificate } = parts;
        let functions = match &says {
            SvmTask::Numbers => vec![vec![(0..support.len(), dual_coef.row(0).to_vec())]],
            SvmTask::Classes { n_support, .. } => {
                let mut ranges: Vec<Range<usize>> = Vec::new();
                for &n in n_support {
                    let start = ranges.last().map_or(0, |r| r.end);
                    ranges.push(start..start + n as usize);
                }
                let mut functions = Vec::new();
                for a in 0..ranges.len() {
                    for b in a + 1..ranges.len() {
                        let run = |line: usize, r: &Range<usize>| (r.clone(), dual_coef.row(line)[r.clone()].to_vec());
                        functions.push(vec![run(b - 1, &ranges[a]), run(a, &ranges[b])]);
                    }
                }
                functions
            }
        };
        Ok(Self { expansion, support, dual_coef, slack, machines, says, certificate, functions })
    }

    /// The kernel, with rules resolved.
    pub fn kernel(&self) -> &Kernel {
        self.expansion.kernel()
    }

    /// The row numbers of the support vectors, class by class.
    pub fn support(&self) -> &[u32] {
        &self.support
    }

    /// sα of the support vectors: one row per other class, or one.
    pub fn dual_coef(&self) -> &Mat<f64> {
        &self.dual_coef
    }

    /// Slack of each support vector, in the layout of the coefficients.
    pub fn slack(&self) -> &Mat<f64> {
        &self.slack
    }

    /// One per pair of classes, in order; one for a regression.
    pub fn machines(&self) -> &[BinarySvm] {
        &self.machines
    }

    /// The score of each pair; positive for the first class of the pair.
    fn pairs(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut scores = self.expansion.values(x, &self.functions, "svm")?;
        let width = self.machines.len();
        for row in scores.as_mut_slice().chunks_exact_mut(width.max(1)) {
            row.iter_mut().zip(&self.machines).for_each(|(s, m)| *s += m.bias);
        }
        Ok(scores)
    }
}

/// Votes of the pairs plus the sum of scores mapped below one half, which breaks ties.
fn one_a_class(pairs: &[f64], k: usize, out: &mut [f64]) {
    let mut sums = vec![0.0; k];
    out.fill(0.0);
    let mut at = 0;
    for a in 0..k {
        for b in a + 1..k {
            let score = pairs[at];
            sums[a] += score;
            sums[b] -= score;
            out[if score >= 0.0 { a } else { b }] += 1.0;
            at += 1;
        }
    }
    out.iter_mut().zip(sums).for_each(|(o, s)| *o += if s.is_finite() { s / (3.0 * (s.abs() + 1.0)) } else { s.signum() / 3.0 });
}

fn most_votes(pairs: &[f64], k: usize) -> usize {
    let mut votes = vec![0u32; k];
    let mut at = 0;
    for a in 0..k {
        for b in a + 1..k {
            votes[if pairs[at] > 0.0 { a } else { b }] += 1;
            at += 1;
        }
    }
    (1..k).fold(0, |best, c| if votes[c] > votes[best] { c } else { best })
}

ermine_core::display_as_report!(SvmModel);

impl Model for SvmModel {
    fn n_features(&self) -> usize {
        self.expansion.centers().cols()
    }

    fn as_regressor(&self) -> Option<&dyn Regressor> {
        matches!(self.says, SvmTask::Numbers).then_some(self as &dyn Regressor)
    }

    fn as_classifier(&self) -> Option<&dyn Classifier> {
        matches!(self.says, SvmTask::Classes { .. }).then_some(self as &dyn Classifier)
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("kernel {}, {} support vectors", self.kernel(), self.support.len()));
        let name = |at: usize| match &self.says {
            SvmTask::Numbers => "regression".to_owned(),
            SvmTask::Classes { names, present, .. } => {
                let k = present.len();
                let mut pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
                let (a, b) = pairs.nth(at).unwrap_or((0, 0));
                format!("{} against {}", names[present[a] as usize], names[present[b] as usize])
            }
        };
        let rows = self
            .machines
            .iter()
            .enumerate()
            .map(|(at, m)| -> Vec<Cell> {
                vec![
                    name(at).into(),
                    (m.support as f64).into(),
                    (m.bounded as f64).into(),
                    m.margin().into(),
                    m.bias.into(),
                    m.primal.into(),
                    m.dual.into(),
                    m.violation.into(),
                ]
            })
            .collect();
        let heads = ["machine", "support vectors", "at their bound", "margin", "constant", "primal", "dual", "violation"];
        report.table("Machines", &heads, rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        if self.kernel().has_user_code() {
            return Err(Error::Data("a user-defined kernel function cannot be saved".into()));
        }
        save_centers(self.expansion.centers(), "support_vectors", out)?;
        out.vec("support", &self.support);
        out.mat("dual_coef", &self.dual_coef);
        out.mat("slack", &self.slack);
        out.vec("intercept", &self.machines.iter().map(|m| m.bias).collect::<Vec<_>>());
        out.field("kernel", self.kernel())?;
        out.field("machines", &self.machines)?;
        match &self.says {
            SvmTask::Numbers => out.field("classes", &None::<Vec<String>>),
            SvmTask::Classes { names, present, n_support, sigmoids, shape, break_ties } => {
                out.vec("n_support", n_support);
                out.vec("prob_a", &sigmoids.iter().map(|s| s.a).collect::<Vec<_>>());
                out.vec("prob_b", &sigmoids.iter().map(|s| s.b).collect::<Vec<_>>());
                out.field("classes", &Some(names))?;
                out.field("present", present)?;
                out.field("shape", shape)?;
                out.field("break_ties", break_ties)
            }
        }
    }
}

/// Writes the centers of an expansion: dense under `name`, sparse as three arrays, columns of a kernel matrix as their
/// numbers.
pub(crate) fn save_centers(centers: &ExpansionPoints, name: &str, out: &mut ModelWriter) -> Result<()> {
    match centers {
        ExpansionPoints::Dense(m) => out.mat(name, m),
        ExpansionPoints::Sparse(m) => {
            let view = m.view();
            let (mut indptr, mut indices, mut values) = (vec![0u64], Vec::new(), Vec::new());
            for i in 0..view.rows() {
                let (j, v) = view.row(i);
                indices.extend_from_slice(j);
                values.extend_from_slice(v);
                indptr.push(values.len() as u64);
            }
            out.vec(&format!("{name}_indptr"), &indptr);
            out.vec(&format!("{name}_indices"), &indices);
            out.vec(&format!("{name}_values"), &values);
        }
        ExpansionPoints::Columns(places, _) => out.vec(&format!("{name}_columns"), places),
    }
    out.field("n_features", &centers.cols())
}

/// Reads what [`save_centers`] wrote.
pub(crate) fn load_centers(input: &ModelReader, name: &str) -> Result<ExpansionPoints> {
    let cols: usize = input.field("n_features")?;
    let finite = |values: &[f64]| match values.iter().all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err(Error::Model(format!("{name}: a number is not finite"))),
    };
    if input.array_info(name).is_some() {
        let m: Mat<f64> = input.mat(name)?;
        if m.cols() != cols {
            return Err(Error::Model(format!("{name} of {} columns in a model of {cols}", m.cols())));
        }
        finite(m.as_slice())?;
        return Ok(ExpansionPoints::Dense(m));
    }
    if input.array_info(&format!("{name}_columns")).is_some() {
        return Ok(ExpansionPoints::Columns(input.vec(&format!("{name}_columns"))?, cols));
    }
    let indptr: Vec<u64> = input.vec(&format!("{name}_indptr"))?;
    let values: Vec<f64> = input.vec(&format!("{name}_values"))?;
    finite(&values)?;
    let indptr = indptr.into_iter().map(|v| v as usize).collect();
    if cols > u32::MAX as usize {
        return Err(Error::Model(format!("{cols} columns")));
    }
    Ok(ExpansionPoints::Sparse(Csr::new(indptr, input.vec(&format!("{name}_indices"))?, values, cols)?))
}

/// Reads a model and checks everything that prediction relies on.
pub(crate) fn load(input: &ModelReader) -> Result<SvmModel> {
    let bad = |message: String| Err(Error::Model(message));
    let kernel: Kernel = input.field("kernel")?;
    let centers = load_centers(input, "support_vectors")?;
    let n = centers.len();
    let expansion = Expansion::new(&kernel, centers).map_err(|e| Error::Model(e.to_string()))?;
    let support: Vec<u32> = input.vec_of("support", n)?;
    let machines: Vec<BinarySvm> = input.field("machines")?;
    let names: Option<Vec<String>> = input.field("classes")?;
    let (says, lines, pairs) = match names {
        None => (SvmTask::Numbers, 1, 1),
        Some(names) => {
            let present: Vec<u32> = input.field("present")?;
            let k = present.len();
            if k < 2 || !present.windows(2).all(|w| w[0] < w[1]) || present[k - 1] as usize >= names.len() {
                return bad(format!("codes {present:?} of {} classes", names.len()));
            }
            let n_support: Vec<u32> = input.vec_of("n_support", k)?;
            if n_support.iter().map(|&v| v as usize).sum::<usize>() != n {
                return bad(format!("{n_support:?} support vectors of the classes, {n} in all"));
            }
            let pairs = k * (k - 1) / 2;
            let (a, b): (Vec<f64>, Vec<f64>) = (input.vec_of("prob_a", pairs)?, input.vec_of("prob_b", pairs)?);
            if !a.iter().chain(&b).all(|v| v.is_finite()) {
                return bad("a sigmoid that is not finite".into());
            }
            let sigmoids = a.into_iter().zip(b).map(|(a, b)| Sigmoid { a, b }).collect();
            let (shape, break_ties) = (input.field("shape")?, input.field("break_ties")?);
            (SvmTask::Classes { names, present, n_support, sigmoids, shape, break_ties }, k - 1, pairs)
        }
    };
    let dual_coef: Mat<f64> = input.mat_of("dual_coef", lines, n)?;
    let slack: Mat<f64> = input.mat_of("slack", lines, n)?;
    let intercept: Vec<f64> = input.vec_of("intercept", pairs)?;
    if machines.len() != pairs || machines.iter().zip(&intercept).any(|(m, b)| m.bias != *b) {
        return bad(format!("{} machines for {pairs} pairs, or with other constants", machines.len()));
    }
    let numbers = dual_coef.as_slice().iter().chain(slack.as_slice()).chain(&intercept);
    if !numbers.clone().all(|v| v.is_finite()) {
        return bad("a coefficient is not finite".into());
    }
    SvmModel::new(SvmModelParts { expansion, support, dual_coef, slack, machines, says, certificate: None })
}

impl Regressor for SvmModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.pairs(x)
    }
}

impl Classifier for SvmModel {
    fn classes(&self) -> &[String] {
        match &self.says {
            SvmTask::Numbers => &[],
            SvmTask::Classes { names, .. } => names,
        }
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let scores = self.pairs(x)?;
        let SvmTask::Classes { names, present, sigmoids, .. } = &self.says else { return Ok(Mat::zeros(x.rows(), 0)) };
        let k = present.len();
        let mut out = Mat::zeros(x.rows(), names.len());
        let (mut r, mut p) = (vec![0.0; k * k], vec![0.0; k]);
        for i in 0..x.rows() {
            let mut at = 0;
            for a in 0..k {
                for b in a + 1..k {
                    // Slightly away from 0 and 1, so that contradictory certain pairs can still be coupled.
                    let tiny = if k > 2 { 1e-7 } else { 0.0 };
                    let q = sigmoids[at].probability(scores[(i, at)]).clamp(tiny, 1.0 - tiny);
                    (r[a * k + b], r[b * k + a]) = (q, 1.0 - q);
                    at += 1;
                }
            }
            match k {
                2 => p.copy_from_slice(&[r[1], r[2]]),
                _ => pairwise_coupling(&r, k, &mut p),
            }
            let row = out.row_mut(i);
            present.iter().zip(&p).for_each(|(&c, &p)| row[c as usize] = p);
        }
        Ok(out)
    }

    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let scores = self.pairs(x)?;
        let SvmTask::Classes { names, present, shape, .. } = &self.says else { return Ok(None) };
        let k = present.len();
        if names.len() == 2 {
            // For two classes, the score of the second.
            return Ok(Some(Mat::from_fn(x.rows(), 1, |i, _| -scores[(i, 0)])));
        }
        if *shape == DecisionShape::Ovo && k == names.len() {
            return Ok(Some(scores));
        }
        let mut out = Mat::filled(x.rows(), names.len(), f64::NEG_INFINITY);
        let mut own = vec![0.0; k];
        for i in 0..x.rows() {
            one_a_class(scores.row(i), k, &mut own);
            let row = out.row_mut(i);
            present.iter().zip(&own).for_each(|(&c, &v)| row[c as usize] = v);
        }
        Ok(Some(out))
    }

    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        let scores = self.pairs(x)?;
        let SvmTask::Classes { present, break_ties, .. } = &self.says else { return Ok(Vec::new()) };
        let k = present.len();
        let mut own = vec![0.0; k];
        let place = |i: usize| match *break_ties && k > 2 {
            true => {
                one_a_class(scores.row(i), k, &mut own);
                (1..k).fold(0, |best, c| if own[c] > own[best] { c } else { best })
            }
            false => most_votes(scores.row(i), k),
        };
        Ok((0..x.rows()).map(place).map(|c| present[c]).collect())
    }
}
