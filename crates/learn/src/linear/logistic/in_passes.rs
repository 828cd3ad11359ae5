//! A fit in passes over rows: the classes and a sample first, then one pass for each evaluation of the objective.

use ermine_core::{Context, Dataset, Error, Features, Mat, Partial, PassLearner, Result, Step};
use serde::{Deserialize, Serialize};

use super::evaluate::{Problem, Sums};
use super::gd::Gradient;
use super::rows::Point;
use super::sample::Census;
use super::search::Search;
use super::separation::{Leads, Proof, Separation, Verdict};
use super::setup::present;
use super::{Logistic, LogisticModel, Solver};

/// Where a fit stands between two passes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    before: Before,
    way: Option<Way>,
}

/// The method under way.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Way {
    /// Newton's method or L-BFGS.
    Search(Search),
    Gradient(Gradient),
    /// A search that ended where the likelihood may have no maximum, and the proof that it has none.
    Proof(Search, Proof),
}

/// What is known before the first pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Before {
    /// The names of the classes, and of the columns where they have any.
    pub names: Vec<String>,
    pub columns: Vec<String>,
    pub cols: usize,
    pub sparse: bool,
}

/// What a pass gathers: the classes and a sample first, then the objective.
#[derive(Debug, Serialize, Deserialize)]
pub struct Gathered(Part);

#[derive(Debug, Serialize, Deserialize)]
enum Part {
    Census(Census),
    Sums(Sums),
    Leads(Leads),
}

impl Partial for Gathered {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (Part::Census(a), Part::Census(b)) => a.merge(b),
            (Part::Sums(a), Part::Sums(b)) => a.merge(b),
            (Part::Leads(a), Part::Leads(b)) => a.merge(b),
            _ => Err(Error::Data("logistic: parts of different passes".into())),
        }
    }
}

impl PassLearner for Logistic {
    type State = State;
    type Partial = Gathered;

    fn block_rows(&self, cols: usize) -> usize {
        match cols {
            // Sums are small next to the rows they stand for, and a block is a few megabytes.
            0..512 => 4096,
            // From some ten thousand on they come as sparse rows.
            512..65_536 => 2048,
            _ => 8192,
        }
    }

    fn start(&self, head: &Dataset<'_>, _cx: &Context<'_>) -> Result<State> {
        let (_, names) = head.y.classes()?;
        let sparse = matches!(head.x, Features::Csr(_));
        let columns = head.schema.map_or_else(Vec::new, |schema| schema.names().map(str::to_owned).collect());
        Ok(State { before: Before { names: names.to_vec(), columns, cols: head.cols(), sparse }, way: None })
    }

    fn empty(&self, state: &State) -> Gathered {
        let sparse = state.before.sparse;
        Gathered(match &state.way {
            None => Part::Census(Census::new(state.before.names.len(), state.before.cols)),
            Some(Way::Search(search)) => Part::Sums(search.problem.empty(search.gathers(), sparse)),
            Some(Way::Gradient(descent)) => Part::Sums(descent.problem.empty(descent.gathers(), sparse)),
            Some(Way::Proof(_, proof)) => Part::Leads(proof.empty()),
        })
    }

    fn add(&self, state: &State, part: &mut Gathered, rows: &Dataset<'_>) -> Result<()> {
        match (&state.way, &mut part.0) {
            (Some(Way::Search(search)), Part::Sums(sums)) => search.problem.add(search.point(), search.gathers(), sums, rows),
            (Some(Way::Gradient(descent)), Part::Sums(sums)) => {
                descent.problem.add(descent.point(), descent.gathers(), sums, rows)
            }
            (Some(Way::Proof(search, proof)), Part::Leads(leads)) => proof.add(&search.problem, leads, rows),
            (_, Part::Census(census)) => census.add(rows),
            _ => Err(other_pass()),
        }
    }

    fn finish(&self, state: State, total: Gathered, cx: &Context<'_>) -> Result<Step<State, LogisticModel>> {
        let State { before, way } = state;
        let way = match (way, total.0) {
            (None, Part::Census(census)) => self.begin(&before, &census, cx)?,
            (Some(Way::Search(mut search)), Part::Sums(sums)) => {
                if !search.absorb(&sums, cx)? {
                    Way::Search(search)
                } else if let Some(direction) = search.suspicion() {
                    Way::Proof(search, Proof::new(direction))
                } else {
                    return Ok(Step::Done(self.model(&before.names, &search, None)));
                }
            }
            (Some(Way::Gradient(mut descent)), Part::Sums(sums)) => match descent.absorb(&sums, cx)? {
                true => return Ok(Step::Done(self.descended(&before.names, &descent))),
                false => Way::Gradient(descent),
            },
            (Some(Way::Proof(search, proof)), Part::Leads(leads)) => match proof.finish(leads) {
                Verdict::Again(proof) => Way::Proof(search, proof),
                Verdict::Proven(direction, least) => {
                    let proven = Some((direction, least));
                    return Ok(Step::Done(self.model(&before.names, &search, proven)));
                }
                Verdict::Unproven => return Ok(Step::Done(self.model(&before.names, &search, None))),
            },
            _ => return Err(other_pass()),
        };
        let objective = match &way {
            Way::Search(search) | Way::Proof(search, _) => search.objective(),
            Way::Gradient(descent) => descent.objective(),
        };
        Ok(Step::Again(State { before, way: Some(way) }, objective))
    }

    fn interrupted(&self, state: &State) -> Option<LogisticModel> {
        match state.way.as_ref()? {
            Way::Search(search) | Way::Proof(search, _) => Some(self.model(&state.before.names, search, None)),
            Way::Gradient(descent) => Some(self.descended(&state.before.names, descent)),
        }
    }
}

fn other_pass() -> Error {
    Error::Data("logistic: parts of different passes".into())
}

impl Logistic {
    /// The problem and where to start, once the classes are counted.
    fn begin(&self, before: &Before, census: &Census, cx: &Context<'_>) -> Result<Way> {
        let center = if before.sparse || !self.fit_intercept { Vec::new() } else { census.sample.means() };
        let (mut problem, effective) = self.pose(before, &census.weights, center)?;
        problem.thin = self.thin(&problem, census.rows);
        let first = self.first_point(&problem, &effective)?;
        let mut start = vec![0.0; problem.len()];
        for (c, run) in start.chunks_exact_mut(problem.width()).enumerate() {
            let coef = &first.coef[c * problem.cols..(c + 1) * problem.cols];
            run[..problem.cols].copy_from_slice(coef);
            if problem.intercept {
                run[problem.cols] = first.intercept[c] + problem.center.iter().zip(coef).map(|(m, w)| m * w).sum::<f64>();
            }
        }
        if self.solver == Solver::Gd {
            let limits = self.limits(effective.iter().sum());
            return Ok(Way::Gradient(Gradient::new(problem, self.elastic(), start, limits)));
        }
        let plan = self.plan(&problem, before.sparse)?;
        let mut search = Search::new(problem, plan, start, None, effective.iter().sum());
        search.columns.clone_from(&before.columns);
        if self.start.is_none() {
            search.warm_start(&census.sample, &census.weights, cx)?;
        }
        Ok(Way::Search(search))
    }

    /// The model of where a search stands; `proven` is a direction that proves the classes to be separable in part.
    fn model(&self, names: &[String], search: &Search, proven: Option<(Vec<f64>, f64)>) -> LogisticModel {
        let found = search.found(if search.plan.renew { "newton" } else { "lbfgs" });
        let (problem, cols) = (&search.problem, search.problem.cols);
        let point = plain(problem, &found.point);
        let separation = match (&proven, search.margin()) {
            _ if search.plan.alpha > 0.0 => None,
            (_, margin) if margin > 0.0 => Separation::new(&point, cols, true, margin),
            (Some((direction, _)), _) => Separation::new(&plain(problem, direction), cols, false, 0.0),
            (None, _) => None,
        };
        let mut certificate = found.certificate;
        if let Some(separation) = &separation {
            certificate.notes.insert(0, separation.note().to_owned());
        } else if search.looks_flat() {
            certificate.notes.insert(0, FLAT.to_owned());
        }
        let errors = found.errors.filter(|_| separation.is_none());
        LogisticModel {
            classes: names.to_vec(),
            present: present(problem),
            coef: Mat::from_vec(problem.vectors(), cols, point.coef),
            intercept: point.intercept,
            errors,
            separation,
            n_iter: certificate.iterations,
            certificate: Some(certificate),
            trace: Some(found.trace),
        }
    }

    /// The model of where a gradient descent stands.
    fn descended(&self, names: &[String], descent: &Gradient) -> LogisticModel {
        let problem = &descent.problem;
        let mut point = plain(problem, descent.best());
        point.share_out(self.elastic(), &(0..problem.cols).collect::<Vec<_>>());
        let mut certificate = descent.certificate();
        let separation = match self.elastic().is_free() && descent.margin() > 0.0 {
            true => Separation::new(&point, problem.cols, true, descent.margin()),
            false => None,
        };
        certificate.notes.extend(separation.as_ref().map(|s| s.note().to_owned()));
        LogisticModel {
            classes: names.to_vec(),
            present: present(problem),
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

/// What is said when the likelihood is flat along a direction that does not prove why.
const FLAT: &str = "flat: along some direction of the weights the likelihood hardly changes any more, as it does when the classes are separable \
                    in part, but no direction was found that proves it";

/// A point as weights and intercepts of the columns as they are.
fn plain(problem: &Problem, point: &[f64]) -> Point {
    let runs = point.chunks_exact(problem.width());
    Point { coef: runs.flat_map(|run| run[..problem.cols].to_vec()).collect(), intercept: problem.bias(point) }
}
