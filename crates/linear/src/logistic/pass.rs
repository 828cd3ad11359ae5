//! A fit in passes over rows: the classes and a sample first, then one pass for each evaluation of the objective.

use ermine_core::{Context, DatasetRef, Error, Features, Mat, Partial, PassLearner, PassStep, Result};
use serde::{Deserialize, Serialize};

use super::evaluate::{LogisticProblem, LogisticSums};
use super::gd::GradientDescent;
use super::objective::{LogisticObjective, LogisticSearch};
use super::rows::WeightPoint;
use super::sample::ClassCensus;
use super::separation::{MarginSums, Separation, SeparationOutcome, SeparationProof};
use super::setup::classes_with_rows;
use super::{Logistic, LogisticModel, LogisticSolver};

/// State of a fit between two passes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogisticState {
    input: LogisticInput,
    method: Option<LogisticMethod>,
}

/// The method in use.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum LogisticMethod {
    /// Newton's method or L-BFGS.
    Search(LogisticSearch),
    Gradient(GradientDescent),
    /// A search that ended where the likelihood may have no maximum, and the proof that it has none.
    Proof(LogisticSearch, SeparationProof),
}

/// Facts known before the first pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogisticInput {
    /// The names of the classes, and of the columns where they have any.
    pub names: Vec<String>,
    pub columns: Vec<String>,
    pub cols: usize,
    pub sparse: bool,
}

/// Sums of a pass: the classes and a sample first, then the objective.
#[derive(Debug, Serialize, Deserialize)]
pub struct LogisticPartial(LogisticPartialKind);

#[derive(Debug, Serialize, Deserialize)]
enum LogisticPartialKind {
    Census(ClassCensus),
    Sums(LogisticSums),
    Margins(MarginSums),
}

#[cfg(feature = "fit")]
impl Partial for LogisticPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (LogisticPartialKind::Census(a), LogisticPartialKind::Census(b)) => a.merge(b),
            (LogisticPartialKind::Sums(a), LogisticPartialKind::Sums(b)) => a.merge(b),
            (LogisticPartialKind::Margins(a), LogisticPartialKind::Margins(b)) => a.merge(b),
            _ => Err(Error::Data("logistic: parts of different passes".into())),
        }
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Logistic {
    type State = LogisticState;
    type Partial = LogisticPartial;

    fn block_rows(&self, cols: usize) -> usize {
        match cols {
            // Sums are small next to the rows they stand for, and a block is a few megabytes.
            0..512 => 4096,
            // From some ten thousand on they come as sparse rows.
            512..65_536 => 2048,
            _ => 8192,
        }
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _cx: &Context<'_>) -> Result<LogisticState> {
        let (_, names) = head.y.classes()?;
        let sparse = matches!(head.x, Features::Csr(_));
        let columns = head.schema.map_or_else(Vec::new, |schema| schema.names().map(str::to_owned).collect());
        Ok(LogisticState { input: LogisticInput { names: names.to_vec(), columns, cols: head.cols(), sparse }, method: None })
    }

    fn empty_partial(&self, state: &LogisticState) -> LogisticPartial {
        let sparse = state.input.sparse;
        LogisticPartial(match &state.method {
            None => LogisticPartialKind::Census(ClassCensus::new(state.input.names.len(), state.input.cols)),
            Some(LogisticMethod::Search(search)) => LogisticPartialKind::Sums(search.empty()),
            Some(LogisticMethod::Gradient(descent)) => {
                LogisticPartialKind::Sums(descent.problem.empty(descent.curvature_wanted(), sparse))
            }
            Some(LogisticMethod::Proof(_, proof)) => LogisticPartialKind::Margins(proof.empty()),
        })
    }

    fn add_block(&self, state: &LogisticState, part: &mut LogisticPartial, rows: &DatasetRef<'_>) -> Result<()> {
        match (&state.method, &mut part.0) {
            (Some(LogisticMethod::Search(search)), LogisticPartialKind::Sums(sums)) => search.add(sums, rows),
            (Some(LogisticMethod::Gradient(descent)), LogisticPartialKind::Sums(sums)) => {
                descent.problem.add(descent.point(), descent.curvature_wanted(), sums, rows)
            }
            (Some(LogisticMethod::Proof(search, proof)), LogisticPartialKind::Margins(margins)) => {
                proof.add(&search.objective.problem, margins, rows)
            }
            (_, LogisticPartialKind::Census(census)) => census.add(rows),
            _ => Err(wrong_partial()),
        }
    }

    fn finish(
        &self,
        state: LogisticState,
        total: LogisticPartial,
        cx: &Context<'_>,
    ) -> Result<PassStep<LogisticState, LogisticModel>> {
        let LogisticState { input, method } = state;
        let method = match (method, total.0) {
            (None, LogisticPartialKind::Census(census)) => self.start_method(&input, &census, cx)?,
            (Some(LogisticMethod::Search(mut search)), LogisticPartialKind::Sums(sums)) => {
                if !search.update(&sums, cx)? {
                    LogisticMethod::Search(search)
                } else if let Some(direction) = search.separation_candidate() {
                    LogisticMethod::Proof(search, SeparationProof::new(direction))
                } else {
                    return Ok(PassStep::Done(self.model(&input.names, &search, None)));
                }
            }
            (Some(LogisticMethod::Gradient(mut descent)), LogisticPartialKind::Sums(sums)) => match descent.update(&sums, cx)? {
                true => return Ok(PassStep::Done(self.gradient_model(&input.names, &descent))),
                false => LogisticMethod::Gradient(descent),
            },
            (Some(LogisticMethod::Proof(search, proof)), LogisticPartialKind::Margins(margins)) => match proof.finish(margins) {
                SeparationOutcome::Continue(proof) => LogisticMethod::Proof(search, proof),
                SeparationOutcome::Proven(direction, least) => {
                    let proven = Some((direction, least));
                    return Ok(PassStep::Done(self.model(&input.names, &search, proven)));
                }
                SeparationOutcome::Unproven => return Ok(PassStep::Done(self.model(&input.names, &search, None))),
            },
            _ => return Err(wrong_partial()),
        };
        let objective = match &method {
            LogisticMethod::Search(search) | LogisticMethod::Proof(search, _) => search.reported_objective(),
            LogisticMethod::Gradient(descent) => descent.objective(),
        };
        Ok(PassStep::NextPass(LogisticState { input, method: Some(method) }, objective))
    }

    fn model_so_far(&self, state: &LogisticState) -> Option<LogisticModel> {
        match state.method.as_ref()? {
            LogisticMethod::Search(search) | LogisticMethod::Proof(search, _) => {
                Some(self.model(&state.input.names, search, None))
            }
            LogisticMethod::Gradient(descent) => Some(self.gradient_model(&state.input.names, descent)),
        }
    }
}

fn wrong_partial() -> Error {
    Error::Data("logistic: parts of different passes".into())
}

impl Logistic {
    /// The problem and where to start, once the classes are counted.
    fn start_method(&self, input: &LogisticInput, census: &ClassCensus, cx: &Context<'_>) -> Result<LogisticMethod> {
        let center = if input.sparse || !self.fit_intercept { Vec::new() } else { census.sample.means() };
        let (mut problem, effective) = self.build_problem(input, &census.weights, center)?;
        problem.curvature_stride = self.curvature_stride(&problem, census.rows);
        let first = self.initial_point(&problem, &effective)?;
        let mut start = vec![0.0; problem.len()];
        for (c, run) in start.chunks_exact_mut(problem.width()).enumerate() {
            let coef = &first.coef[c * problem.cols..(c + 1) * problem.cols];
            run[..problem.cols].copy_from_slice(coef);
            if problem.intercept {
                run[problem.cols] = first.intercept[c] + problem.center.iter().zip(coef).map(|(m, w)| m * w).sum::<f64>();
            }
        }
        if self.solver == LogisticSolver::Gd {
            let limits = self.limits(effective.iter().sum());
            return Ok(LogisticMethod::Gradient(GradientDescent::new(problem, self.elastic_penalty(), start, limits)));
        }
        let plan = self.plan(&problem, input.sparse)?;
        let objective = LogisticObjective::new(problem, input.columns.clone(), effective.iter().sum());
        let mut search = LogisticSearch::new(objective, plan, start);
        if self.start.is_none() {
            search.start_from_sample(&census.sample, &census.weights, cx)?;
        }
        Ok(LogisticMethod::Search(search))
    }

    /// The model at the current point of a search; `proven` is a direction that proves the classes to be separable in part.
    fn model(&self, names: &[String], search: &LogisticSearch, proven: Option<(Vec<f64>, f64)>) -> LogisticModel {
        let solution = search.solution();
        let problem = &search.objective.problem;
        let cols = problem.cols;
        let point = uncentered_point(problem, &solution.point);
        let separation = match (&proven, search.margin()) {
            _ if search.plan.alpha > 0.0 => None,
            (_, margin) if margin > 0.0 => Separation::new(&point, cols, true, margin),
            (Some((direction, _)), _) => Separation::new(&uncentered_point(problem, direction), cols, false, 0.0),
            (None, _) => None,
        };
        let mut certificate = solution.certificate;
        if let Some(separation) = &separation {
            certificate.notes.insert(0, separation.certificate_note().to_owned());
        } else if search.is_flat() {
            certificate.notes.insert(0, FLAT.to_owned());
        }
        let errors = solution.errors.filter(|_| separation.is_none());
        LogisticModel {
            classes: names.to_vec(),
            present: classes_with_rows(problem),
            coef: Mat::from_vec(problem.vectors(), cols, point.coef),
            intercept: point.intercept,
            errors,
            separation,
            n_iter: certificate.iterations,
            certificate: Some(certificate),
            trace: Some(solution.trace),
        }
    }

    /// The model at the current point of a gradient descent.
    fn gradient_model(&self, names: &[String], descent: &GradientDescent) -> LogisticModel {
        let problem = &descent.problem;
        let mut point = uncentered_point(problem, descent.best());
        point.center_class_weights(self.elastic_penalty(), &(0..problem.cols).collect::<Vec<_>>());
        let mut certificate = descent.certificate();
        let separation = match self.elastic_penalty().is_free() && descent.margin() > 0.0 {
            true => Separation::new(&point, problem.cols, true, descent.margin()),
            false => None,
        };
        certificate.notes.extend(separation.as_ref().map(|s| s.certificate_note().to_owned()));
        LogisticModel {
            classes: names.to_vec(),
            present: classes_with_rows(problem),
            coef: Mat::from_vec(problem.vectors(), problem.cols, point.coef),
            intercept: point.intercept,
            errors: None,
            separation,
            n_iter: certificate.iterations,
            certificate: Some(certificate),
            trace: Some(descent.trace.clone()),
        }
    }
}

/// The note where the likelihood is flat along a direction that does not prove separation.
const FLAT: &str = "flat: along some direction of the weights the likelihood hardly changes any more, as it does when the classes are separable \
                    in part, but no direction was found that proves it";

/// A point as weights and intercepts of the columns as they are.
fn uncentered_point(problem: &LogisticProblem, point: &[f64]) -> WeightPoint {
    let runs = point.chunks_exact(problem.width());
    WeightPoint { coef: runs.flat_map(|run| run[..problem.cols].to_vec()).collect(), intercept: problem.bias(point) }
}
