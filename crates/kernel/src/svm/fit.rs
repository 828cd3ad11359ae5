//! Points, dual problems, machines and certificates of both tasks, and regression.

use std::sync::Arc;

use ermine_core::{Certificate, Context, DatasetRef, Error, Mat, Result};
use ermine_math::kernel::{Expansion, ExpansionPoints, Kernel, Points};

use super::model::{BinarySvm, SvmModel, SvmTask};
use super::polish::polish;
use super::solve::{DualVariable, F32Points, SmoOptions, SolverPoints, SvmSolution, solve};
use super::warm::WarmStart;
use super::{Svm, SvmSolver, model, pegasos};
use crate::kernel::resolve;

/// Rows beyond which a fit needs `force`.
const MAX_ROWS: usize = 200_000;
/// Rows up to which everything is in f64.
const F64_ROWS: usize = 1000;

impl Svm {
    fn plan(&self) -> SmoOptions {
        SmoOptions {
            tol: self.tol,
            cache_bytes: (self.cache_mb * 1e6) as usize,
            shrinking: self.shrinking,
            max_iter: self.max_iter,
        }
    }

    /// Checks common to both tasks, before anything is computed.
    pub(super) fn check_and_resolve_kernel(&self, data: &DatasetRef<'_>) -> Result<Kernel> {
        let n = data.rows();
        if n > MAX_ROWS && !self.force {
            let gigabytes = (n as f64).powi(2) * 4.0 / 1e9;
            return Err(Error::Data(format!(
                "{n} rows are too many for an exact svm: its kernel matrix would be {gigabytes:.0} GB, of which {} MB are kept at a time and the \
                 rest is computed again and again. Use feature maps in front of a linear learner (nystroem or rff, then linear-svm), \
                 or a sample of the rows; force=true tries nevertheless",
                self.cache_mb
            )));
        }
        data.x.refuse_non_finite(data.schema)?;
        let kernel = self.kernel.kernel(&self.gamma, self.degree, self.coef0)?;
        resolve(&kernel, &data.x, data.weight, "svm")
    }
}

/// Source of the points of the problems.
pub(super) struct PointSource<'a> {
    pub kernel: &'a Kernel,
    pub data: &'a DatasetRef<'a>,
    /// The kernel matrix of all rows that take part, and the place of each row in it, where it is stored.
    shared: Option<(Arc<Mat<f64>>, Vec<u32>)>,
}

impl<'a> PointSource<'a> {
    /// `rows` are those that take part, in `problems` problems. Their kernel matrix is computed once and stored where
    /// it takes at most half of the memory: in several problems every row takes part several times, and few rows are
    /// solved in f64 anyway.
    pub(super) fn new(
        learner: &Svm,
        kernel: &'a Kernel,
        data: &'a DatasetRef<'a>,
        rows: &[usize],
        problems: usize,
    ) -> Result<Self> {
        let fits = (rows.len() as f64).powi(2) * 8.0 <= learner.cache_mb * 5e5;
        if !fits || *kernel == Kernel::Precomputed || (problems < 2 && rows.len() > F64_ROWS) {
            return Ok(Self { kernel, data, shared: None });
        }
        let mut places = vec![u32::MAX; data.rows()];
        rows.iter().enumerate().for_each(|(place, &i)| places[i] = place as u32);
        let matrix = Points::<f64>::new(kernel, &data.x, rows)?.gram()?;
        Ok(Self { kernel, data, shared: Some((Arc::new(matrix), places)) })
    }

    /// The points of some rows.
    pub(super) fn points(&self, rows: &[usize]) -> Result<Points<'a, f64>> {
        match &self.shared {
            None => Points::new(self.kernel, &self.data.x, rows),
            Some((matrix, places)) => Ok(Points::from_precomputed(matrix.clone(), rows.iter().map(|&i| places[i]).collect())),
        }
    }

    /// Solves the problem of some rows with the given points.
    pub(super) fn solve(
        &self,
        learner: &Svm,
        points: &Points<'_, f64>,
        problem: &DualQp<'_>,
        cx: &Context<'_>,
    ) -> Result<SvmSolution> {
        let &DualQp { rows, variables, number, .. } = problem;
        if learner.method == SvmSolver::Pegasos {
            return pegasos::solve(points, variables, &learner.plan(), number, cx);
        }
        let single = (self.shared.is_none() && rows.len() > F64_ROWS).then_some(F32Points {
            kernel: self.kernel,
            x: &self.data.x,
            which: rows,
        });
        let mut solution =
            solve(&SolverPoints { double: points, single }, variables, problem.start.clone(), &learner.plan(), cx)?;
        polish(points, variables, &mut solution, cx)?;
        Ok(solution)
    }
}

/// The problem to solve.
pub(super) struct DualQp<'a> {
    /// Rows of the data.
    pub rows: &'a [usize],
    pub variables: &'a [DualVariable],
    /// The initial variables; zeros by default.
    pub start: Option<Vec<f64>>,
    /// Its number among the problems of the fit.
    pub number: usize,
}

/// The machine of a solved problem, with its diagnostics.
pub(super) fn machine(learner: &Svm, variables: &[DualVariable], solution: &SvmSolution, slacks: &[f64]) -> BinarySvm {
    let coefficients = solution.coefficients(variables);
    let norm: f64 = coefficients.iter().zip(&solution.f).map(|(c, f)| c * f).sum();
    let linear: f64 = variables.iter().zip(&solution.alpha).map(|(v, a)| v.sign * v.target * a).sum();
    let price: f64 =
        variables.iter().zip(slacks).map(|(v, s)| if *s > 0.0 && v.bound.is_finite() { v.bound * s } else { 0.0 }).sum();
    let penalized = norm + if solution.constant_penalized { solution.bias.powi(2) } else { 0.0 };
    BinarySvm {
        price: learner.c,
        bias: solution.bias,
        norm_squared: norm,
        primal: 0.5 * penalized + price,
        dual: linear - 0.5 * penalized,
        violation: solution.violation,
        iterations: solution.iterations,
        converged: solution.converged,
        support: coefficients.iter().filter(|c| **c != 0.0).count(),
        bounded: variables.iter().zip(&solution.alpha).filter(|(v, a)| **a > 0.0 && **a >= v.bound).count(),
    }
}

pub(super) fn certificate(learner: &Svm, machines: &[BinarySvm], mut notes: Vec<String>) -> Certificate {
    let (primal, dual) = machines.iter().fold((0.0, 0.0), |(p, d), m| (p + m.primal, d + m.dual));
    notes.insert(0, format!("the dual objective is {dual}"));
    Certificate {
        method: match learner.method {
            SvmSolver::Smo => "working sets of pairs".into(),
            SvmSolver::Pegasos => "pegasos".into(),
        },
        objective: Some(primal),
        duality_gap: Some((primal - dual).max(0.0)),
        kkt_residual: Some(machines.iter().map(|m| m.violation).fold(0.0, f64::max)),
        iterations: machines.iter().map(|m| m.iterations).sum(),
        converged: machines.iter().all(|m| m.converged),
        notes,
        ..Certificate::default()
    }
}

pub(super) fn kernel_notes(kernel: &Kernel, double: &Points<'_, f64>) -> Result<Vec<String>> {
    if kernel.psd_by_construction() {
        return Ok(Vec::new());
    }
    // A sample of rows suffices.
    let n = double.len().min(300);
    let step = double.len() / n.max(1);
    let places: Vec<u32> = (0..n).map(|i| (i * step) as u32).collect();
    let sample = double.take(&places);
    let mut rows = vec![vec![0.0; n]; n];
    let mut out: Vec<&mut [f64]> = rows.iter_mut().map(Vec::as_mut_slice).collect();
    sample.gram_rows(&(0..n as u32).collect::<Vec<_>>(), &mut out)?;
    let matrix = Mat::from_fn(n, n, |i, j| rows[i][j]);
    let spectrum = ermine_math::kernel::is_psd(matrix.view())?;
    if spectrum.is_psd() {
        return Ok(Vec::new());
    }
    Ok(vec![format!(
        "the kernel is not positive semidefinite: of {n} rows its matrix has eigenvalues from {:.3e} to {:.3e}{}; the result is a stationary \
         point, and the gap means nothing",
        spectrum.least,
        spectrum.largest,
        if spectrum.asymmetry > spectrum.rounding() { " and is not symmetric" } else { "" }
    )])
}

pub(super) fn regress(learner: &Svm, data: &DatasetRef<'_>, start: Option<&WarmStart<'_>>, cx: &Context<'_>) -> Result<SvmModel> {
    if learner.method == SvmSolver::Pegasos {
        return Err(Error::parameter("svm", "method", "pegasos", "it is for classes; numbers are solved by smo"));
    }
    let y = data.y.reals()?;
    let kernel = learner.check_and_resolve_kernel(data)?;
    let rows: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
    let c = learner.c.unwrap_or(f64::INFINITY);
    let variables: Vec<DualVariable> = [1.0, -1.0]
        .iter()
        .flat_map(|&sign| {
            rows.iter().enumerate().map(move |(base, &i)| {
                let target = y.at(i, 0) - sign * learner.epsilon;
                DualVariable { base: base as u32, sign, target, bound: c * data.weight_of(i) }
            })
        })
        .collect();
    let source = PointSource::new(learner, &kernel, data, &rows, 1)?;
    let points = source.points(&rows)?;
    let start = start.map(|s| s.numbers(learner.c, &rows, &variables)).transpose()?;
    let solution = source.solve(learner, &points, &DualQp { rows: &rows, variables: &variables, start, number: 0 }, cx)?;
    if learner.c.is_none() && !solution.converged && !cx.deadline_passed() && learner.max_iter.is_none() {
        return Err(Error::Data(format!(
            "no function of this kernel stays within epsilon = {} of every target, and C=null allows no error; give C a number",
            learner.epsilon
        )));
    }
    // The excess over the tube, on the side of each variable.
    let outside: Vec<f64> =
        variables.iter().map(|v| (v.sign * (v.target - solution.f[v.base as usize] - solution.bias)).max(0.0)).collect();
    let machine = machine(learner, &variables, &solution, &outside);
    let coefficients = solution.coefficients(&variables);
    let support: Vec<usize> = (0..rows.len()).filter(|&k| coefficients[k] != 0.0).collect();
    let n = rows.len();
    let slack: Vec<f64> = support.iter().map(|&k| outside[k].max(outside[n + k])).collect();
    let centers: Vec<usize> = support.iter().map(|&k| rows[k]).collect();
    let certificate = certificate(learner, std::slice::from_ref(&machine), kernel_notes(&kernel, &points)?);
    drop((points, source));
    SvmModel::new(model::SvmModelParts {
        expansion: Expansion::new(&kernel, ExpansionPoints::take(&kernel, &data.x, &centers)?)?,
        dual_coef: Mat::from_fn(1, support.len(), |_, j| coefficients[support[j]]),
        slack: Mat::from_vec(1, slack.len(), slack),
        support: centers.iter().map(|&i| i as u32).collect(),
        machines: vec![machine],
        says: SvmTask::Numbers,
        certificate: Some(certificate),
    })
}
