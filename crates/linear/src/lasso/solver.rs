//! Working sets: the problem is solved on the columns that matter, and all columns are looked at only to choose them and to
//! prove the result.
//!
//! A round picks the columns whose dual constraint is nearest to being broken, solves on them, and computes the gradient for all.
//! With products of columns at hand (dense data) the inner problem is solved exactly; on sparse data by coordinate
//! descent on the residuals. Columns that the duality gap proves to be 0 at the optimum are ruled out.
//!
//! References: M. Massias, A. Gramfort, J. Salmon (2018), Celer: a fast solver for the lasso with dual extrapolation, ICML;
//! E. Ndiaye, O. Fercoq, A. Gramfort, J. Salmon (2017), Gap safe screening rules for sparsity enforcing penalties, JMLR 18.

use ermine_core::{Context, Mat, Progress, Result, RngStream, Trace};
use ermine_math::columns::CellTransform;

use super::inner::{VisitOrder, WorkingSetQp};
use super::problem::{CenteredTarget, DualityGap, LassoPenalty, LassoPoint, LassoProblem, duality_gap};
use super::residual::ResidualDescent;
use ermine_math::scale::ldexp;

/// Columns up to which all are taken at once.
const ALL: usize = 128;
/// Columns of the first working set at least; sparse columns cost less.
const FIRST: usize = 100;
const FIRST_SPARSE: usize = 256;
/// Columns that come in together, where products with all columns are kept: fewer would read the data more often.
const BATCH_COLUMNS: usize = 16;
/// Violation of the optimality conditions, relative to the largest gradient, below which residuals are computed anew.
const REFRESH_VIOLATION: f64 = 1e-5;
/// Share of the bound that a gradient must reach for its column to enter the working set.
const NEAR: f64 = 0.8;

/// The algorithm.
#[derive(Debug, Clone, Copy)]
pub(super) struct LassoSolverOptions {
    pub max_iter: u64,
    pub tol: f64,
    pub random: bool,
    /// Whether products of all columns are computed at the start.
    pub precompute: bool,
    /// Whether many penalties follow each other, so that products with all columns pay.
    pub path: bool,
}

/// The solution for one penalty.
#[derive(Debug, Clone, Copy)]
pub(super) struct LassoSolution {
    pub quality: DualityGap,
    pub iterations: u64,
    pub converged: bool,
    /// Whether time ran out.
    pub stopped: bool,
    /// Whether there was no penalty at all, so that the gap is meaningless.
    pub free: bool,
}

pub(super) struct LassoSolver<'a> {
    problem: &'a LassoProblem<'a>,
    options: LassoSolverOptions,
    products: Option<GramCache>,
    roots: Option<Vec<f64>>,
    order: VisitOrder,
    /// Residuals of the last point that was brought up to date by a pass over the data, with its target.
    rest: Option<(usize, Vec<f64>)>,
    /// Whether a start that is good enough is returned as it is.
    pub accept_start: bool,
    pub trace: Trace,
}

/// Supports of sparse columns up to this size are solved to the last digits at the end, in rounds at most.
const POLISH: usize = 512;
const POLISH_ROUNDS: u64 = 100;

impl<'a> LassoSolver<'a> {
    pub fn new(problem: &'a LassoProblem<'a>, options: LassoSolverOptions, seed: u64) -> Self {
        let design = &problem.design;
        let products = (!design.is_sparse()).then(|| GramCache {
            set: Vec::new(),
            place: vec![NONE; design.cols()],
            with_all: options.path && !problem.far && design.cols() > ALL,
            rows: Vec::new(),
        });
        let order = if options.random { VisitOrder::Random(RngStream::new(seed, "lasso", 0)) } else { VisitOrder::Cyclic };
        let roots = problem.weight.as_ref().map(|w| w.iter().map(|w| w.sqrt()).collect());
        let trace = Trace::timed(&["objective", "duality_gap", "l1", "working_set", "ruled_out"]);
        let mut solver = Self { problem, options, products, roots, order, rest: None, accept_start: false, trace };
        if options.precompute
            && let Some(products) = &mut solver.products
        {
            products.with_all = false;
            products.ensure(problem, &(0..design.cols()).collect::<Vec<_>>());
        }
        solver
    }

    /// Minimizes for one target and penalty (in the target's scale), from `point` on.
    pub fn solve(
        &mut self,
        target: usize,
        penalty: LassoPenalty,
        point: &mut LassoPoint,
        cx: &Context<'_>,
    ) -> Result<LassoSolution> {
        let (problem, options) = (self.problem, self.options);
        let t = &problem.targets[target];
        let enough = options.tol * t.yy;
        let mut out = vec![false; t.q.len()];
        let first = if problem.design.is_sparse() { FIRST_SPARSE } else { FIRST };
        let (mut iterations, mut stopped, mut size) = (0, false, first);
        let mut last = f64::INFINITY;
        let mut polished = !problem.design.is_sparse();
        loop {
            let q = duality_gap(point, t, penalty);
            let ruled_out = self.screen(t, penalty, point, &q, &mut out);
            let support = point.b.iter().filter(|b| **b != 0.0).count();
            // Back in the units of the target, as in the certificate.
            let squared = |v: f64| ldexp(ldexp(v, t.exponent), t.exponent);
            let alpha = ldexp(penalty.l1, t.exponent);
            self.trace.push(&[squared(q.objective), squared(q.gap), alpha, size.min(t.q.len()) as f64, ruled_out as f64]);
            cx.report(Progress { stage: "working sets", done: iterations, total: None, objective: Some(q.objective) })?;
            // Without any penalty there is no feasible dual point: the gradient itself must vanish.
            let free = penalty.l1 == 0.0 && penalty.l2 == 0.0;
            let optimal = q.violation <= self.rounding(t, point);
            let reached = if free { q.violation <= 1e-3 * options.tol * t.largest } else { q.gap <= enough };
            // A gap of nothing but rounding is as good as none once it falls no more.
            let converged = optimal || reached || (!free && q.gap <= 64.0 * f64::EPSILON * t.yy);
            // A first round is always taken unless the start is optimal: what is left costs little then.
            let settled = optimal || (reached && (iterations > 0 || self.accept_start));
            stopped |= cx.deadline_passed();
            if settled && !optimal && !polished && (1..=POLISH).contains(&support) {
                polished = true;
                self.polish(target, penalty, point, &q);
                continue;
            }
            if settled || stopped || iterations >= options.max_iter || q.violation >= last && converged {
                return Ok(LassoSolution { quality: q, iterations, converged, stopped, free });
            }
            last = q.violation;
            size = size.max(2 * support);
            let set = self.working_set(penalty, point, &out, size);
            let done = iterations;
            let budget = options.max_iter - iterations;
            iterations += self.solve_working_set(target, penalty, point, &set, q, budget);
            if iterations == done {
                // The working set was optimal to rounding already.
                iterations += 1;
                if size >= t.q.len() {
                    let q = duality_gap(point, t, penalty);
                    let converged = free || q.gap <= enough || q.violation <= self.rounding(t, point);
                    return Ok(LassoSolution { quality: q, iterations, converged, stopped, free });
                }
                size *= 2;
            }
        }
    }

    /// Solves on the support of a point that is near the optimum, from the products of its columns: sparse descents stop far from the
    /// last digits, which cost little here. A point that is no better is left as it was.
    fn polish(&mut self, target: usize, penalty: LassoPenalty, point: &mut LassoPoint, before: &DualityGap) {
        let problem = self.problem;
        let t = &problem.targets[target];
        let set: Vec<usize> = (0..point.b.len()).filter(|&j| point.b[j] != 0.0).collect();
        let columns = problem.design.changed_columns(&set, CellTransform { center: None, factor: self.roots.as_deref() });
        let mut a = Mat::zeros(set.len(), set.len());
        let mut column = vec![0.0; t.y.len()];
        for k in 0..set.len() {
            columns.axpy(k, 1.0, &mut column);
            for l in 0..=k {
                let v = columns.dot(l, &column) / problem.total - problem.mean[set[k]] * problem.mean[set[l]];
                a[(k, l)] = v;
                a[(l, k)] = v;
            }
            columns.axpy(k, -1.0, &mut column);
        }
        let q: Vec<f64> = set.iter().map(|&j| t.q[j]).collect();
        let mut b: Vec<f64> = set.iter().map(|&j| point.b[j]).collect();
        let old = b.clone();
        WorkingSetQp { a: &a, q: &q, penalty }.minimize(&mut b, &mut self.order, POLISH_ROUNDS);
        set.iter().zip(&b).for_each(|(&j, &b)| point.b[j] = b);
        self.update(target, point, None);
        if duality_gap(point, t, penalty).violation > before.violation {
            set.iter().zip(&old).for_each(|(&j, &b)| point.b[j] = b);
            self.update(target, point, None);
        }
    }

    /// The rounding error of a gradient: it is a difference of products of columns with the target and with each other, and
    /// each of these is a sum of terms of their sizes.
    fn rounding(&self, t: &CenteredTarget, point: &LassoPoint) -> f64 {
        // Sparse columns are centered after their products are taken, so their means are in the terms.
        let mean = |j: usize| if self.problem.design.is_sparse() { self.problem.mean[j] } else { 0.0 };
        let spread = |j: usize| self.problem.variance[j].sqrt().hypot(mean(j));
        let most = (0..point.b.len()).map(spread).fold(0.0, f64::max);
        let sum: f64 = point.b.iter().enumerate().filter(|(_, b)| **b != 0.0).map(|(j, b)| b.abs() * spread(j)).sum();
        64.0 * f64::EPSILON * most * (t.yy.sqrt() + sum)
    }

    /// Rules out columns that are 0 at every optimum: the dual optimum is within √(2 gap) of the present feasible point, and
    /// there the column stays inside its bound. Returns how many there are.
    fn screen(
        &self,
        t: &CenteredTarget,
        penalty: LassoPenalty,
        point: &mut LassoPoint,
        q: &DualityGap,
        out: &mut [bool],
    ) -> usize {
        let LassoPenalty { l1, l2, .. } = penalty;
        if l1 > 0.0 && q.gap.is_finite() && q.feasible > 0.0 {
            let radius = (2.0 * q.gap).sqrt();
            for j in 0..out.len() {
                let bound = q.feasible * penalty.bound_use(point.z[j] - l2 * point.b[j])
                    + radius * (self.problem.variance[j] + l2).sqrt();
                // A margin for rounding in z.
                out[j] |= point.b[j] == 0.0 && bound < l1 - 64.0 * f64::EPSILON * t.largest;
            }
        }
        out.iter().filter(|o| **o).count()
    }

    /// The columns with a coefficient, and those nearest to the bound of the dual problem, up to `size` in all.
    fn working_set(&self, penalty: LassoPenalty, point: &LassoPoint, out: &[bool], size: usize) -> Vec<usize> {
        let LassoPenalty { l1, l2, .. } = penalty;
        let cols = point.b.len();
        let usable = |j: usize| self.problem.variance[j] > 0.0 && !out[j];
        if cols <= ALL || (self.options.precompute && self.products.is_some()) {
            return (0..cols).filter(|&j| usable(j) || point.b[j] != 0.0).collect();
        }
        let mut set: Vec<usize> = (0..cols).filter(|&j| point.b[j] != 0.0).collect();
        let mut others: Vec<(f64, usize)> = Vec::new();
        for j in (0..cols).filter(|&j| point.b[j] == 0.0 && usable(j)) {
            let reach = penalty.bound_use(point.z[j]);
            if reach >= NEAR * l1 && reach > 0.0 {
                others.push(((l1 - reach) / (self.problem.variance[j] + l2).sqrt(), j));
            }
        }
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let room = match &self.products {
            // Every new column is multiplied with all others: only those that are needed, but enough at a time.
            Some(p) if p.with_all => {
                let broken = others.iter().filter(|o| o.0 < 0.0).count();
                broken.max(BATCH_COLUMNS).min(set.len() + 2 * BATCH_COLUMNS)
            }
            _ => size.saturating_sub(set.len()).max(FIRST / 2),
        };
        set.extend(others.iter().take(room).map(|o| o.1));
        if let Some(p) = &self.products {
            // Products computed before cost nothing more.
            let near = others.iter().skip(room).map(|o| o.1);
            set.extend(near.filter(|&j| p.place[j] != NONE));
        }
        set.sort_unstable();
        set
    }

    /// Solves on the working set and brings the point up to date. Returns the rounds taken.
    fn solve_working_set(
        &mut self,
        target: usize,
        penalty: LassoPenalty,
        point: &mut LassoPoint,
        set: &[usize],
        q: DualityGap,
        budget: u64,
    ) -> u64 {
        let problem = self.problem;
        let t = &problem.targets[target];
        let fits = |k: usize| k.saturating_mul(k) <= (2 * problem.design.stored()).max(1 << 24);
        let mut b: Vec<f64> = set.iter().map(|&j| point.b[j]).collect();
        let by_products = match &self.products {
            Some(p) => p.with_all || fits(p.set.len() + set.iter().filter(|&&j| p.place[j] == NONE).count()),
            None => false,
        };
        let mut rest = None;
        let rounds = if by_products && let Some(products) = &mut self.products {
            products.ensure(problem, set);
            let a = products.of(set);
            let q: Vec<f64> = set.iter().map(|&j| t.q[j]).collect();
            WorkingSetQp { a: &a, q: &q, penalty }.minimize(&mut b, &mut self.order, budget)
        } else {
            let mut start = self.residuals(target, &point.b);
            let roots = self.roots.as_deref();
            if let Some(roots) = roots {
                start.iter_mut().zip(roots).for_each(|(r, w)| *r *= w);
            }
            let center: Vec<f64> = set.iter().map(|&j| problem.mean[j]).collect();
            let columns = problem.design.changed_columns(set, CellTransform { center: Some(&center), factor: roots });
            let enough = (0.02 * q.violation).max(0.25 * self.rounding(t, point));
            let mut descent = ResidualDescent { problem, set, columns, roots, penalty, rest: start, shift: 0.0 };
            let rounds = descent.minimize(&mut b, &mut self.order, budget, enough);
            // The rounding that a descent gathers in the residuals matters near the optimum only.
            if q.violation > REFRESH_VIOLATION * t.largest {
                rest = Some(descent.residuals());
            }
            rounds
        };
        set.iter().zip(&b).for_each(|(&j, &b)| point.b[j] = b);
        self.update(target, point, rest);
        rounds
    }

    /// The residuals: centered targets less centered columns.
    fn residuals(&mut self, target: usize, b: &[f64]) -> Vec<f64> {
        if let Some((of, rest)) = self.rest.take()
            && of == target
        {
            return rest;
        }
        let mut r = self.with_mean_shift(&self.problem.targets[target], b);
        let minus: Vec<f64> = b.iter().map(|b| -b).collect();
        self.problem.design.add_combination(&minus, &mut r);
        r
    }

    /// The target, raised by what the means of the columns take from it.
    fn with_mean_shift(&self, t: &CenteredTarget, b: &[f64]) -> Vec<f64> {
        let shift: f64 = b.iter().zip(&self.problem.mean).map(|(b, m)| b * m).sum();
        t.y.iter().map(|y| y + shift).collect()
    }

    /// To be called before a point that was not brought up to date here.
    pub fn invalidate(&mut self) {
        self.rest = None;
    }

    /// Gradient and residual square of a point whose coefficients changed.
    pub fn refresh(&mut self, target: usize, point: &mut LassoPoint) {
        self.update(target, point, None);
    }

    /// The same, with the residuals where they are known.
    fn update(&mut self, target: usize, point: &mut LassoPoint, rest: Option<Vec<f64>>) {
        let problem = self.problem;
        let t = &problem.targets[target];
        self.rest = None;
        let whole =
            self.products.as_ref().filter(|p| p.with_all && (0..point.b.len()).all(|j| point.b[j] == 0.0 || p.place[j] != NONE));
        if let Some(products) = whole {
            point.z.copy_from_slice(&t.q);
            for (j, &b) in point.b.iter().enumerate().filter(|(_, b)| **b != 0.0) {
                let row = &products.rows[products.place[j]];
                point.z.iter_mut().zip(row).for_each(|(z, a)| *z -= b * a);
            }
            // |y - X b|² = y·y - q·b - z·b, since XᵀX b = q - z.
            let known: f64 = point.b.iter().zip(&t.q).zip(&point.z).map(|((b, q), z)| b * (q + z)).sum();
            point.rr = (t.yy - known).max(0.0);
            return;
        }
        let weight = problem.weight.as_deref();
        let r = match rest {
            Some(r) => {
                match weight {
                    Some(w) => problem.design.products(&r.iter().zip(w).map(|(r, w)| r * w).collect::<Vec<_>>(), &mut point.z),
                    None => problem.design.products(&r, &mut point.z),
                }
                r
            }
            None => {
                let (u, mut r) = (self.with_mean_shift(t, &point.b), vec![0.0; t.y.len()]);
                problem.design.residual_products(&u, &point.b, weight, &mut r, &mut point.z);
                r
            }
        };
        let sum: f64 = match &problem.weight {
            Some(w) => w.iter().zip(&r).map(|(w, r)| w * r).sum(),
            None => r.iter().sum(),
        };
        for ((z, m), v) in point.z.iter_mut().zip(&problem.mean).zip(&problem.variance) {
            *z = if *v == 0.0 { 0.0 } else { (*z - m * sum) / problem.total };
        }
        point.rr = problem.mean_product(&r, &r);
        self.rest = Some((target, r));
    }
}

const NONE: usize = usize::MAX;

/// Products of the columns that have been in a working set, divided by the total weight.
struct GramCache {
    /// The columns, in the order they came.
    set: Vec<usize>,
    /// Where each column is in `set`.
    place: Vec<usize>,
    /// Whether a row holds the products with all columns, or with the columns of `set` up to its own.
    with_all: bool,
    rows: Vec<Vec<f64>>,
}

impl GramCache {
    /// Takes in the columns of a working set that are new.
    fn ensure(&mut self, problem: &LassoProblem<'_>, set: &[usize]) {
        let new: Vec<usize> = set.iter().copied().filter(|&j| self.place[j] == NONE).collect();
        if new.is_empty() {
            return;
        }
        let (design, weight) = (&problem.design, problem.weight.as_deref());
        let products = if self.with_all {
            design.cross_with_all(&new, &problem.mean, weight)
        } else {
            design.cross_within(&self.set, &new, &problem.mean, weight)
        };
        for (k, &j) in new.iter().enumerate() {
            let end = if self.with_all { products.cols() } else { self.set.len() + 1 };
            self.rows.push(products.row(k)[..end].iter().map(|v| v / problem.total).collect());
            self.place[j] = self.set.len();
            self.set.push(j);
        }
    }

    /// The products of the columns of a working set with each other.
    fn of(&self, set: &[usize]) -> Mat<f64> {
        let at: Vec<usize> = set.iter().map(|&j| self.place[j]).collect();
        let mut a = Mat::zeros(set.len(), set.len());
        for i in 0..set.len() {
            for j in 0..=i {
                // The later of the two has the product; which of two equal products is taken must not depend on the set.
                let (late, early) = if at[i] > at[j] { (i, j) } else { (j, i) };
                let row = &self.rows[at[late]];
                let v = if self.with_all { row[set[early]] } else { row[at[early]] };
                a[(i, j)] = v;
                a[(j, i)] = v;
            }
        }
        a
    }
}
