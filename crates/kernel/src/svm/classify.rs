//! Classification: pairs of classes, each a dual problem, and the model of their solutions.

use ermine_core::parallel::prelude::*;
use ermine_core::{Context, DatasetRef, Error, Result, RngStream};
use ermine_math::kernel::{Expansion, ExpansionPoints, Kernel, Points};
use ermine_math::platt::Sigmoid;

use super::fit::{DualQp, PointSource, certificate, kernel_notes, machine};
use super::model::{BinarySvm, SvmModel, SvmTask};
use super::solve::{DualVariable, SvmSolution};
use super::warm::WarmStart;
use super::{Svm, model};

/// Folds of held-out scores.
const FOLDS: usize = 5;
/// The least distance of the convex hulls of two classes, relative to the radius of the data, that counts as separated.
pub(super) const MIN_HULL_DISTANCE: f64 = 1e-5;

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
