//! From rows to dual problems and back.

use std::sync::Arc;

use ermine_core::{Certificate, Context, DatasetRef, Error, Mat, Result, RngStream};
use ermine_math::kernel::{Expansion, ExpansionPoints, Kernel, Points};
use rayon::prelude::*;

use super::model::{BinarySvm, SvmModel, SvmTask};
use super::polish::polish;
use super::solve::{DualVariable, F32Points, SmoOptions, SolverPoints, SvmSolution, solve};
use super::warm::WarmStart;
use super::{Svm, SvmSolver, model, pegasos};
use crate::kernel::resolve;
use ermine_math::platt::Sigmoid;

/// Rows beyond which a fit needs `force`.
const MAX_ROWS: usize = 200_000;
/// Rows up to which everything is in f64.
const F64_ROWS: usize = 1000;
/// Folds of held-out scores.
const FOLDS: usize = 5;
/// The least distance of the convex hulls of two classes, relative to the radius of the data, that counts as separated.
pub(super) const MIN_HULL_DISTANCE: f64 = 1e-5;

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
    fn check_and_resolve_kernel(&self, data: &DatasetRef<'_>) -> Result<Kernel> {
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
struct PointSource<'a> {
    kernel: &'a Kernel,
    data: &'a DatasetRef<'a>,
    /// The kernel matrix of all rows that take part, and the place of each row in it, where it is stored.
    shared: Option<(Arc<Mat<f64>>, Vec<u32>)>,
}

impl<'a> PointSource<'a> {
    /// `rows` are those that take part, in `problems` problems. Their kernel matrix is computed once and stored where
    /// it takes at most half of the memory: in several problems every row takes part several times, and few rows are
    /// solved in f64 anyway.
    fn new(learner: &Svm, kernel: &'a Kernel, data: &'a DatasetRef<'a>, rows: &[usize], problems: usize) -> Result<Self> {
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
    fn points(&self, rows: &[usize]) -> Result<Points<'a, f64>> {
        match &self.shared {
            None => Points::new(self.kernel, &self.data.x, rows),
            Some((matrix, places)) => Ok(Points::from_precomputed(matrix.clone(), rows.iter().map(|&i| places[i]).collect())),
        }
    }

    /// Solves the problem of some rows with the given points.
    fn solve(&self, learner: &Svm, points: &Points<'_, f64>, problem: &DualQp<'_>, cx: &Context<'_>) -> Result<SvmSolution> {
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
struct DualQp<'a> {
    /// Rows of the data.
    rows: &'a [usize],
    variables: &'a [DualVariable],
    /// The initial variables; zeros by default.
    start: Option<Vec<f64>>,
    /// Its number among the problems of the fit.
    number: usize,
}

/// The machine of a solved problem, with its diagnostics.
fn machine(learner: &Svm, variables: &[DualVariable], solution: &SvmSolution, slacks: &[f64]) -> BinarySvm {
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

fn certificate(learner: &Svm, machines: &[BinarySvm], mut notes: Vec<String>) -> Certificate {
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

fn kernel_notes(kernel: &Kernel, double: &Points<'_, f64>) -> Result<Vec<String>> {
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

struct ClassPair {
    /// Indices of the two classes among those present.
    classes: (usize, usize),
    /// Rows of the data.
    rows: Vec<usize>,
    first: Vec<bool>,
}

/// The solution of a pair of classes, row by row.
struct SolvedPair {
    machine: BinarySvm,
    coefficients: Vec<f64>,
    slacks: Vec<f64>,
    sigmoid: Sigmoid,
    notes: Vec<String>,
}

/// The data of a classification: classes that take part, and the rows of each.
struct ClassProblem<'a> {
    learner: &'a Svm,
    data: &'a DatasetRef<'a>,
    kernel: &'a Kernel,
    names: &'a [String],
    /// Codes of the classes with weight, ascending.
    present: Vec<u32>,
    /// Rows of each of them.
    members: Vec<Vec<usize>>,
    /// Bound of the dual variable of each row.
    bounds: Vec<f64>,
}

pub(super) fn classify(
    learner: &Svm,
    data: &DatasetRef<'_>,
    start: Option<&WarmStart<'_>>,
    cx: &Context<'_>,
) -> Result<SvmModel> {
    let (codes, names) = data.y.classes()?;
    let mut totals = vec![0.0; names.len()];
    codes.iter().enumerate().for_each(|(i, &c)| totals[c as usize] += data.weight_of(i));
    let factors = match &learner.class_weight {
        None => vec![1.0; names.len()],
        Some(class_weight) => class_weight.factors(&totals, names)?,
    };
    let present: Vec<u32> = (0..names.len() as u32).filter(|&c| totals[c as usize] * factors[c as usize] > 0.0).collect();
    if present.len() < 2 {
        return Err(Error::Target(match present.first() {
            Some(&one) => format!("every row is of class \"{}\", and svm needs at least 2 classes", names[one as usize]),
            None => "no row has a weight above 0 in any class".into(),
        }));
    }
    let kernel = learner.check_and_resolve_kernel(data)?;
    let weight = |i: usize| data.weight_of(i) * factors[codes[i] as usize];
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); present.len()];
    for (i, c) in codes.iter().enumerate() {
        if let Ok(k) = present.binary_search(c)
            && weight(i) > 0.0
        {
            members[k].push(i);
        }
    }
    let bounds = (0..data.rows()).map(|i| learner.c.map_or(f64::INFINITY, |c| c * weight(i))).collect();
    let problem = ClassProblem { learner, data, kernel: &kernel, names, present, members, bounds };
    let pairs = class_pairs(&problem.members);
    let solved = problem.solve(&pairs, start, cx)?;
    problem.model(&pairs, &solved)
}

impl ClassProblem<'_> {
    /// Solves all pairs of classes.
    fn solve(&self, pairs: &[ClassPair], start: Option<&WarmStart<'_>>, cx: &Context<'_>) -> Result<Vec<SolvedPair>> {
        // Class by class, so that the values of a pair are contiguous.
        let used: Vec<usize> = self.members.concat();
        let source = PointSource::new(self.learner, self.kernel, self.data, &used, pairs.len())?;
        let one = |number: usize, pair: &ClassPair| self.solve_pair(&source, number, pair, start, cx);
        // Small pairs are solved in parallel, as long as the matrices in progress fit in the other half of the memory. Each
        // has the same bits either way.
        let room = self.learner.cache_mb * 5e5 / rayon::current_num_threads() as f64;
        let small = pairs.iter().all(|p| (p.rows.len() as f64).powi(2) * 8.0 <= room);
        match small && pairs.len() > 1 {
            true => pairs.par_iter().enumerate().map(|(k, p)| one(k, p)).collect(),
            false => pairs.iter().enumerate().map(|(k, p)| one(k, p)).collect(),
        }
    }

    fn solve_pair(
        &self,
        source: &PointSource<'_>,
        number: usize,
        pair: &ClassPair,
        start: Option<&WarmStart<'_>>,
        cx: &Context<'_>,
    ) -> Result<SolvedPair> {
        let learner = self.learner;
        let rows = pair.rows.iter().zip(&pair.first).enumerate();
        let variables: Vec<DualVariable> = rows
            .map(|(base, (&i, &first))| {
                let sign = if first { 1.0 } else { -1.0 };
                DualVariable { base: base as u32, sign, target: sign, bound: self.bounds[i] }
            })
            .collect();
        let points = source.points(&pair.rows)?;
        let start = start.map(|s| s.pair(learner.c, &self.present, pair.classes, &pair.rows, &variables)).transpose()?;
        let problem = DualQp { rows: &pair.rows, variables: &variables, start, number };
        let solution = source.solve(learner, &points, &problem, cx)?;
        if learner.c.is_none() {
            let name = |k: usize| &self.names[self.present[k] as usize];
            separated(&variables, &solution, &pair.rows, &points, (name(pair.classes.0), name(pair.classes.1)))?;
        }
        let slacks: Vec<f64> =
            variables.iter().zip(&solution.f).map(|(v, f)| (1.0 - v.sign * (f + solution.bias)).max(0.0)).collect();
        let coefficients = solution.coefficients(&variables);
        let weights: Vec<f64> = pair.rows.iter().map(|&i| self.data.weight_of(i)).collect();
        let scores: Vec<f64> = match learner.probability {
            true => held_out(learner, source, pair, &variables, number, cx)?,
            false => solution.f.iter().map(|f| f + solution.bias).collect(),
        };
        let sigmoid = Sigmoid::fit(&scores, &pair.first, &weights);
        let notes = if number == 0 { kernel_notes(self.kernel, &points)? } else { Vec::new() };
        let machine = machine(learner, &variables, &solution, &slacks);
        Ok(SolvedPair { machine, coefficients, slacks, sigmoid, notes })
    }

    /// The model of the solved pairs: support vectors class by class.
    fn model(self, pairs: &[ClassPair], solved: &[SolvedPair]) -> Result<SvmModel> {
        let (coefficient, slack) = coefficients_by_class(pairs, solved, self.present.len(), self.data.rows());
        let mut support = Vec::new();
        let mut n_support = Vec::new();
        for members in &self.members {
            let before = support.len();
            support.extend(members.iter().copied().filter(|&i| coefficient.iter().any(|c| c[i] != 0.0)));
            n_support.push((support.len() - before) as u32);
        }
        let notes: Vec<String> = solved.iter().flat_map(|s| s.notes.clone()).collect();
        let machines: Vec<BinarySvm> = solved.iter().map(|s| s.machine.clone()).collect();
        let certificate = certificate(self.learner, &machines, notes);
        SvmModel::new(model::SvmModelParts {
            expansion: Expansion::new(self.kernel, ExpansionPoints::take(self.kernel, &self.data.x, &support)?)?,
            dual_coef: model::columns(&coefficient, &support),
            slack: model::columns(&slack, &support),
            support: support.iter().map(|&i| i as u32).collect(),
            machines,
            says: SvmTask::Classes {
                names: self.names.to_vec(),
                present: self.present,
                n_support,
                sigmoids: solved.iter().map(|s| s.sigmoid).collect(),
                shape: self.learner.decision_shape,
                break_ties: self.learner.break_ties,
            },
            certificate: Some(certificate),
        })
    }
}

/// All pairs of classes, with their rows.
fn class_pairs(members: &[Vec<usize>]) -> Vec<ClassPair> {
    let mut pairs = Vec::new();
    for a in 0..members.len() {
        for b in a + 1..members.len() {
            // In the order of the rows, so that nothing depends on the names of the classes.
            let mut rows: Vec<(usize, bool)> =
                members[a].iter().map(|&i| (i, true)).chain(members[b].iter().map(|&i| (i, false))).collect();
            rows.sort_unstable();
            let first = rows.iter().map(|r| r.1).collect();
            pairs.push(ClassPair { classes: (a, b), rows: rows.into_iter().map(|r| r.0).collect(), first });
        }
    }
    pairs
}

/// Coefficients and slacks of all rows: each row has one for every class but its own, in the layout of LIBSVM.
fn coefficients_by_class(
    pairs: &[ClassPair],
    solved: &[SolvedPair],
    classes: usize,
    rows: usize,
) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut coefficient = vec![vec![0.0; rows]; classes - 1];
    let mut slack = vec![vec![0.0; rows]; classes - 1];
    for (pair, solved) in pairs.iter().zip(solved) {
        let (a, b) = pair.classes;
        for ((&i, &first), (c, s)) in pair.rows.iter().zip(&pair.first).zip(solved.coefficients.iter().zip(&solved.slacks)) {
            let line = if first { b - 1 } else { a };
            coefficient[line][i] = *c;
            slack[line][i] = *s;
        }
    }
    (coefficient, slack)
}

/// The error for classes that are not separable, with the points where their hulls meet.
fn separated(
    variables: &[DualVariable],
    solution: &SvmSolution,
    rows: &[usize],
    points: &Points<'_, f64>,
    names: (&str, &str),
) -> Result<()> {
    let coefficients = solution.coefficients(variables);
    let norm: f64 = coefficients.iter().zip(&solution.f).map(|(c, f)| c * f).sum();
    let half = 0.5 * solution.alpha.iter().sum::<f64>();
    let radius = points.diagonal().into_iter().fold(0.0, f64::max).sqrt();
    let distance = if half > 0.0 { norm.max(0.0).sqrt() / half } else { f64::INFINITY };
    let (meeting, (a, b)) = match solution.unbounded {
        Some((i, j)) => {
            let message = format!("rows {} and {} are the same point in both", rows[i] + 1, rows[j] + 1);
            (message, names)
        }
        None if distance <= MIN_HULL_DISTANCE * radius => {
            let of = |first: bool| {
                let mut shares: Vec<(f64, usize)> = variables
                    .iter()
                    .zip(&solution.alpha)
                    .filter(|(v, a)| (v.sign > 0.0) == first && **a > 0.0)
                    .map(|(v, a)| (a / half, rows[v.base as usize] + 1))
                    .collect();
                shares.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                let shown: Vec<String> = shares.iter().take(5).map(|(share, row)| format!("{share:.4} of row {row}")).collect();
                format!(
                    "{}{}",
                    shown.join(" + "),
                    if shares.len() > 5 { format!(" + {} more", shares.len() - 5) } else { String::new() }
                )
            };
            (
                format!(
                    "a mean of rows of the first ({}) and a mean of rows of the second ({}) are {distance:.2e} apart, of a radius of {radius:.2e}",
                    of(true),
                    of(false)
                ),
                names,
            )
        }
        None => return Ok(()),
    };
    Err(Error::Data(format!(
        "classes \"{a}\" and \"{b}\" cannot be separated with this kernel, and C=null allows no error: {meeting}. Give C a number"
    )))
}

/// Cross-validated scores of rows.
fn held_out(
    learner: &Svm,
    source: &PointSource<'_>,
    pair: &ClassPair,
    variables: &[DualVariable],
    number: usize,
    cx: &Context<'_>,
) -> Result<Vec<f64>> {
    let &PointSource { kernel, data, .. } = source;
    let n = pair.rows.len();
    let order = RngStream::new(cx.seed, "svm folds", number as u64).permutation(n);
    let mut scores = vec![0.0; n];
    for fold in 0..FOLDS {
        let test: Vec<usize> = order.iter().copied().skip(fold).step_by(FOLDS).collect();
        let mut inside = vec![true; n];
        test.iter().for_each(|&t| inside[t] = false);
        let train: Vec<usize> = (0..n).filter(|&i| inside[i]).collect();
        let sides = [true, false].map(|side| train.iter().any(|&i| pair.first[i] == side));
        if test.is_empty() {
            continue;
        }
        if sides != [true, true] {
            // Without both classes in the training rows, the scores are constant.
            let score = if sides[0] {
                1.0
            } else if sides[1] {
                -1.0
            } else {
                0.0
            };
            test.iter().for_each(|&t| scores[t] = score);
            continue;
        }
        let rows: Vec<usize> = train.iter().map(|&i| pair.rows[i]).collect();
        let own: Vec<DualVariable> =
            train.iter().enumerate().map(|(base, &i)| DualVariable { base: base as u32, ..variables[i] }).collect();
        let problem = DualQp { rows: &rows, variables: &own, start: None, number };
        let solution = source.solve(learner, &source.points(&rows)?, &problem, cx)?;
        let c = solution.coefficients(&own);
        let support: Vec<usize> = (0..c.len()).filter(|&i| c[i] != 0.0).collect();
        let centers: Vec<usize> = support.iter().map(|&i| rows[i]).collect();
        let expansion = Expansion::new(kernel, ExpansionPoints::take(kernel, &data.x, &centers)?)?;
        let runs = vec![(0..support.len(), support.iter().map(|&i| c[i]).collect())];
        let out: Vec<usize> = test.iter().map(|&t| pair.rows[t]).collect();
        let values = expansion.values(&data.x.take_rows(&out).view(), &[runs], "svm")?;
        test.iter().enumerate().for_each(|(k, &t)| scores[t] = values[(k, 0)] + solution.bias);
    }
    Ok(scores)
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
