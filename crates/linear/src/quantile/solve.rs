//! The search for the optimum: which rows and which columns the program is made of.
//!
//! Most rows are far from the plane, and their side is known from the plane of a sample. All that lie above
//! count as one row, their sum, and so do all below, which never raises the objective; when every one of them turns out to lie
//! where it was thought to, the optimum of the small program is that of the whole, else the rows that do not are taken in.
//! Of many columns with a penalty most have the coefficient 0; the dual variables tell which do not.

use ermine_core::{Context, Error, Result, Trace};
use ermine_math::double_double::Dd;

use super::interior;
use super::program::{LinearProgram, LpRows};
use super::scaled::ScaledData;
use super::simplex::{BasicSolution, PlaneSide, choose_basis, independent_columns};

/// By how much the level is lowered to choose among several optima: the lowest is taken.
const TILT: f64 = 1e-9;
/// Columns up to which all are taken in at once.
const FEW_COLUMNS: usize = 256;
/// Columns that are taken in at a time at least.
const MORE_COLUMNS: usize = 32;
/// The share by which the objective must fall to count.
const FALLEN: f64 = 1e-12;

/// The request, in scaled units.
pub struct QuantileProblem<'a> {
    pub data: &'a ScaledData<'a>,
    pub tau: f64,
    pub fit_intercept: bool,
    /// The penalty of a column, times the total weight; 0 for none.
    pub penalty: &'a [f64],
}

/// The optimum.
pub struct QuantileOptimum {
    /// The columns of `b`; all others have the coefficient 0.
    pub columns: Vec<usize>,
    /// Coefficients, then the intercept (0 without one), of columns that are not centered.
    pub b: Vec<f64>,
    /// The dual variable of every row.
    pub dual: Vec<f64>,
    /// Residuals of every row, 0 on the plane.
    pub residuals: Vec<f64>,
    pub objective: f64,
    /// Objective less that of the dual.
    pub gap: f64,
    /// Largest violation of the conditions of optimality.
    pub violation: f64,
    pub steps: u64,
    pub exchanges: u64,
    pub reached: bool,
    /// Objective and gap of the last interior point, one step per row.
    pub course: Trace,
    /// Rank, where columns depend on each other.
    pub rank: Option<usize>,
}

/// A row of a basis by its origin.
#[derive(Clone, Copy, PartialEq)]
enum BasisMember {
    Row(usize),
    Column(usize),
}

impl QuantileProblem<'_> {
    /// The optimum over all columns that vary.
    pub fn solve(&self, cx: &Context<'_>) -> Result<QuantileOptimum> {
        let data = self.data;
        // A penalty beyond all that the dual variables can sum to leaves no doubt.
        let eligible: Vec<usize> = data.varying.iter().copied().filter(|&j| self.penalty[j] < 4.0 * data.total).collect();
        let mut columns = if eligible.len() <= FEW_COLUMNS { eligible.clone() } else { Vec::new() };
        let mut rank = None;
        let (mut steps, mut exchanges, mut lowest) = (0, 0, f64::INFINITY);
        loop {
            let optimum = match self.of_columns(&columns, cx)? {
                LpResult::Optimum(o) => {
                    steps += o.steps;
                    exchanges += o.exchanges;
                    QuantileOptimum { rank, steps, exchanges, ..*o }
                }
                LpResult::Deficient(kept) => {
                    rank = Some(kept.len());
                    columns = kept;
                    continue;
                }
            };
            if eligible.len() <= FEW_COLUMNS || optimum.objective <= 1e-14 * self.size() {
                return Ok(optimum);
            }
            let sums = data.products(&[&optimum.dual])?.remove(0);
            let lengths = data.products(&[&optimum.dual.iter().map(|u| u.abs()).collect::<Vec<_>>()])?.remove(0);
            let mut missing: Vec<(f64, usize)> = eligible
                .iter()
                .filter(|j| columns.binary_search(j).is_err())
                .map(|&j| (sums[j].abs() - self.penalty[j] - 1e-9 * lengths[j].abs().max(self.penalty[j]), j))
                .filter(|m| m.0 > 0.0)
                .collect();
            if missing.is_empty() || (rank.is_some() && columns.len() >= data.rows.len()) {
                return Ok(optimum);
            }
            // Columns that are out of use leave again, so that a program never has many more than rows. The objective has fallen
            // since they did so last, so that no choice of columns comes back.
            if optimum.objective < lowest * (1.0 - FALLEN) {
                lowest = optimum.objective;
                let used = optimum.columns.iter().zip(&optimum.b).filter(|(j, b)| **b != 0.0 || self.penalty[**j] == 0.0);
                columns = used.map(|(&j, _)| j).collect();
            }
            missing.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            missing.truncate(columns.len().max(MORE_COLUMNS));
            columns.extend(missing.iter().map(|m| m.1));
            columns.sort_unstable();
        }
    }

    /// The objective of a plane at 0.
    fn size(&self) -> f64 {
        self.data.y.iter().zip(&self.data.weight).map(|(y, w)| w * (self.tau * y).max((self.tau - 1.0) * y)).sum()
    }

    /// The optimum over given columns.
    fn of_columns(&self, columns: &[usize], cx: &Context<'_>) -> Result<LpResult> {
        let (n, q) = (self.data.rows.len(), columns.len() + 1);
        let sample = ((q as f64).sqrt() * (n as f64).powf(2.0 / 3.0)).ceil() as usize;
        let mut steps = 0;
        let mut course = Trace::timed(&["objective", "duality_gap"]);
        let mut small = None;
        if n > 3 * sample {
            let places: Vec<usize> = (0..sample).map(|k| k * n / sample).collect();
            let program = self.program(&places, None, columns)?;
            let start = interior::solve(&program, &mut course, cx)?;
            steps += start.steps;
            let mut b = start.b;
            b.resize(q, 0.0);
            small = Some(RowPartition::new(self.data.residuals(columns, &b)?, sample));
        }
        let mut members: Vec<usize> = small.as_ref().map_or_else(|| (0..n).collect(), |s| s.near.clone());
        let mut basis: Option<Vec<BasisMember>> = None;
        let mut exchanges = 0;
        loop {
            let program = self.program(&members, small.as_ref(), columns)?;
            let known = basis.take().and_then(|b| self.places(&program, &members, columns, &b));
            let mut start = match known {
                Some(rows) => BasicSolution::basis_through(&program, rows)?,
                None => None,
            };
            if start.is_none() {
                let inside = interior::solve(&program, &mut course, cx)?;
                steps += inside.steps;
                let rows = choose_basis(&program, &inside.weight);
                if rows.len() < program.width() {
                    let kept = independent_columns(&program, &rows)?;
                    if kept.len() == columns.len() {
                        return Err(Error::Numeric("the rows do not determine a plane".into()));
                    }
                    return Ok(LpResult::Deficient(kept.into_iter().map(|k| columns[k]).collect()));
                }
                start = BasicSolution::basis_through(&program, rows)?;
            }
            let Some(mut vertex) = start else {
                return Err(Error::Numeric(
                    "the rows on the plane are too nearly dependent to determine it; remove columns that depend on others".into(),
                ));
            };
            let mut lowered = program.clone();
            for i in 0..program.rows.count() {
                let by = TILT * (program.hi[i] - program.lo[i]);
                lowered.lo[i] -= by;
                lowered.hi[i] -= by;
            }
            vertex.pivot_to_optimum(&lowered, cx)?;
            let reached = vertex.pivot_to_optimum(&program, cx)?;
            exchanges += vertex.exchanges;
            let mut b = vertex.b.clone();
            b.resize(q, 0.0);
            let r = self.data.residuals(columns, &b)?;
            if let Some(split) = &mut small {
                let kept = split.sides().iter().zip(&vertex.side[members.len()..]).all(|(a, b)| a == b);
                let wrong = split.violated_rows(&r);
                if !kept || !wrong.is_empty() {
                    if !kept || wrong.len() > members.len() / 4 {
                        let more = 2 * members.len();
                        if more > n / 2 {
                            small = None;
                            members = (0..n).collect();
                        } else {
                            *split = RowPartition::new(r, more);
                            members.clone_from(&split.near);
                        }
                    } else {
                        basis = self.members(&members, columns, &program, &vertex);
                        split.add_rows(&wrong);
                        members.clone_from(&split.near);
                    }
                    continue;
                }
            }
            let optimum = self.certify(columns, &program, &members, small.as_ref(), vertex, r)?;
            return Ok(LpResult::Optimum(Box::new(QuantileOptimum { steps, exchanges, reached, course, ..optimum })));
        }
    }

    fn limits(&self, place: usize) -> (f64, f64) {
        let w = self.data.weight[place];
        ((self.tau - 1.0) * w, self.tau * w)
    }

    /// The program of some rows, with all others in two sums.
    fn program(&self, members: &[usize], split: Option<&RowPartition>, columns: &[usize]) -> Result<LinearProgram> {
        let data = self.data;
        let mut rows = data.take(members, columns)?;
        let mut y: Vec<f64> = members.iter().map(|&k| data.y[k]).collect();
        let (mut lo, mut hi): (Vec<f64>, Vec<f64>) = members.iter().map(|&k| self.limits(k)).unzip();
        if let Some(split) = split {
            let factor = |side: PlaneSide| -> Vec<f64> {
                split.side.iter().zip(&data.weight).map(|(s, w)| if *s == Some(side) { *w } else { 0.0 }).collect()
            };
            let (below, above) = (factor(PlaneSide::Below), factor(PlaneSide::Above));
            // A side without rows has no sum.
            for sums in data.products(&[&below, &above])?.into_iter().filter(|s| s[s.len() - 1] > 0.0) {
                let p = data.exponent.len();
                let weight = sums[p + 1];
                let row: Vec<f64> = columns.iter().map(|&j| sums[j] / weight).collect();
                append(&mut rows, &row)?;
                y.push(sums[p] / weight);
                lo.push((self.tau - 1.0) * weight);
                hi.push(self.tau * weight);
            }
        }
        let penalized: Vec<usize> = (0..columns.len()).filter(|&k| self.penalty[columns[k]] > 0.0).collect();
        for &k in &penalized {
            y.push(0.0);
            lo.push(-self.penalty[columns[k]]);
            hi.push(self.penalty[columns[k]]);
        }
        Ok(LinearProgram { rows, intercept: self.fit_intercept, y, lo, hi, penalized })
    }

    /// The origins of the rows of a basis; `None` when a sum is among them.
    fn members(
        &self,
        members: &[usize],
        columns: &[usize],
        program: &LinearProgram,
        vertex: &BasicSolution,
    ) -> Option<Vec<BasisMember>> {
        let real = program.rows.count();
        let of = |&i: &usize| match i {
            i if i < members.len() => Some(BasisMember::Row(members[i])),
            i if i >= real => Some(BasisMember::Column(columns[program.penalized[i - real]])),
            _ => None,
        };
        vertex.basis.iter().map(of).collect()
    }

    fn places(&self, program: &LinearProgram, members: &[usize], columns: &[usize], basis: &[BasisMember]) -> Option<Vec<usize>> {
        let real = program.rows.count();
        let of = |m: &BasisMember| match m {
            BasisMember::Row(k) => members.binary_search(k).ok(),
            BasisMember::Column(j) => {
                let k = columns.binary_search(j).ok()?;
                program.penalized.binary_search(&k).ok().map(|at| real + at)
            }
        };
        basis.iter().map(of).collect()
    }

    /// The plane of a vertex to the last digit, with its evidence.
    #[allow(clippy::too_many_arguments)]
    fn certify(
        &self,
        columns: &[usize],
        program: &LinearProgram,
        members: &[usize],
        split: Option<&RowPartition>,
        vertex: BasicSolution,
        mut residuals: Vec<f64>,
    ) -> Result<QuantileOptimum> {
        let (data, p, real) = (self.data, columns.len(), program.rows.count());
        let mut b = vertex.b.clone();
        b.resize(p + 1, 0.0);
        if self.fit_intercept {
            b[p] += data.y_center - (0..p).map(|k| b[k] * data.center[columns[k]]).sum::<f64>();
        }
        for &i in vertex.basis.iter().filter(|i| **i >= real) {
            b[program.penalized[i - real]] = 0.0;
        }
        // Corrections by residuals to twice the digits, of rows and targets that are not rounded.
        for _ in 0..2 {
            let mut left = Vec::with_capacity(vertex.basis.len());
            for &i in &vertex.basis {
                left.push(match i {
                    i if i < members.len() => {
                        let (row, y) = data.exact_row(members[i], columns)?;
                        let fitted: Dd = row.iter().zip(&b).map(|(&x, &b)| Dd::product(x, b)).sum();
                        (Dd::from(y) - fitted - Dd::from(b[p])).to_f64()
                    }
                    _ => 0.0,
                });
            }
            let step: Vec<f64> =
                (0..vertex.inverse.rows()).map(|j| vertex.inverse.row(j).iter().zip(&left).map(|(v, l)| v * l).sum()).collect();
            for k in 0..p {
                if b[k] != 0.0 || program.penalized.binary_search(&k).is_err() {
                    b[k] += step[k];
                }
            }
            if self.fit_intercept {
                b[p] += step[p] - (0..p).map(|k| step[k] * data.center[columns[k]]).sum::<f64>();
            }
        }
        let mut dual: Vec<f64> = match split {
            Some(split) => (0..data.rows.len())
                .map(|k| {
                    let (lo, hi) = self.limits(k);
                    if split.side[k] == Some(PlaneSide::Below) { lo } else { hi }
                })
                .collect(),
            None => vec![0.0; data.rows.len()],
        };
        members.iter().enumerate().for_each(|(i, &k)| dual[k] = vertex.dual[i]);
        for &i in vertex.basis.iter().filter(|i| **i < members.len()) {
            residuals[members[i]] = 0.0;
        }
        let mut objective = 0.0;
        let mut dual_objective = 0.0;
        for k in 0..residuals.len() {
            let (lo, hi) = self.limits(k);
            objective += (lo * residuals[k]).max(hi * residuals[k]);
            dual_objective += dual[k] * data.y[k];
        }
        objective += (0..p).map(|k| self.penalty[columns[k]] * b[k].abs()).sum::<f64>();
        Ok(QuantileOptimum {
            columns: columns.to_vec(),
            b,
            dual,
            residuals,
            objective,
            gap: (objective - dual_objective).max(0.0),
            violation: vertex.violation.max(0.0),
            steps: 0,
            exchanges: 0,
            reached: false,
            course: Trace::default(),
            rank: None,
        })
    }
}

enum LpResult {
    Optimum(Box<QuantileOptimum>),
    /// The columns that are left when those that depend on others are taken out.
    Deficient(Vec<usize>),
}

fn append(rows: &mut LpRows, row: &[f64]) -> Result<()> {
    match rows {
        LpRows::Dense(m) => m.append_rows(ermine_core::Mat::from_vec(1, row.len(), row.to_vec())),
        LpRows::Sparse(m) => {
            let indices = (0..row.len() as u32).collect();
            m.append_rows(&ermine_core::Csr::new(vec![0, row.len()], indices, row.to_vec(), row.len())?);
        }
    }
    Ok(())
}

/// Rows near a plane, and the sides of all others.
struct RowPartition {
    near: Vec<usize>,
    side: Vec<Option<PlaneSide>>,
}

impl RowPartition {
    /// The `count` rows nearest to the plane.
    fn new(r: Vec<f64>, count: usize) -> Self {
        let mut order: Vec<f64> = r.iter().map(|r| r.abs()).collect();
        let limit = *order.select_nth_unstable_by(count - 1, f64::total_cmp).1;
        let side: Vec<Option<PlaneSide>> = r
            .iter()
            .map(|&r| match r {
                r if r.abs() <= limit => None,
                r if r < 0.0 => Some(PlaneSide::Below),
                _ => Some(PlaneSide::Above),
            })
            .collect();
        let near = (0..r.len()).filter(|&k| side[k].is_none()).collect();
        Self { near, side }
    }

    /// The sides of the sums, in their order.
    fn sides(&self) -> Vec<PlaneSide> {
        [PlaneSide::Below, PlaneSide::Above].into_iter().filter(|&s| self.side.contains(&Some(s))).collect()
    }

    /// Rows that are not where they were thought to be.
    fn violated_rows(&self, r: &[f64]) -> Vec<usize> {
        let is_wrong = |k: &usize| match self.side[*k] {
            Some(PlaneSide::Below) => r[*k] > 0.0,
            Some(PlaneSide::Above) => r[*k] < 0.0,
            _ => false,
        };
        (0..r.len()).filter(is_wrong).collect()
    }

    fn add_rows(&mut self, rows: &[usize]) {
        rows.iter().for_each(|&k| self.side[k] = None);
        self.near = (0..self.side.len()).filter(|&k| self.side[k].is_none()).collect();
    }
}
