//! The passes: what is gathered, and which one follows.

mod gather;

use ermine_core::{DatasetRef, Error, Features, Partial, PassStep, Result};
use ermine_math::double_double::{Dd, DdGram, Residuals};
use ermine_math::moments::Moments;
use serde::{Deserialize, Serialize};

use super::loo::{self, LooErrors, RidgePath, RidgeSpectrum};
use super::moments::SolveStep;
use super::{LeastSquaresProblem, LeastSquaresSolution, exact, moments};
use ermine_math::scale::{exponent_of, power};
pub(crate) use gather::{add, add_moments};
use gather::{each_row, larger};

/// Columns beyond which products in double-double would take too long.
pub(super) const EXACT_COLS: usize = 1024;
/// Columns beyond which a square table of products would not fit.
const MAX_COLS: usize = 16_384;
/// A sum of squares that may have lost digits below the smallest f64.
const DIGITS_LOST: f64 = 1e-250;
/// Share of cells up to which sparse rows are multiplied as such.
const SPARSE: f64 = 0.1;

/// State broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LeastSquaresState {
    cols: usize,
    targets: usize,
    /// Relative rounding of the data: that of f64 or of f32.
    epsilon: f64,
    /// Largest magnitudes of the first rows, by column of [X | Y].
    head: Vec<f64>,
    /// Columns of [X | Y] are multiplied by 2^exponent; empty for not at all.
    exponents: Vec<i32>,
    kind: LeastSquaresPhase,
    /// Errors over the grid, once known.
    path: Option<RidgePath>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum LeastSquaresPhase {
    Moments,
    ExponentRange,
    /// Residuals of coefficients that the moments gave.
    Refine {
        moments: Box<Moments>,
        log_weight: f64,
        coef: Vec<Dd>,
        rounds: u32,
    },
    /// Products of differences from `shift`, which is in scaled units.
    Exact {
        shift: Vec<f64>,
    },
    /// Leave-one-out errors over the grid; `sums`, gathered before, is kept for the solution.
    LeaveOneOut {
        spectrum: Box<RidgeSpectrum>,
        sums: Box<LeastSquaresPartial>,
        shift: Vec<f64>,
    },
}

/// Sums of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LeastSquaresPartial(LeastSquaresSums);

#[derive(Debug, Clone, Serialize, Deserialize)]
enum LeastSquaresSums {
    Moments {
        moments: Moments,
        /// The sum of the logarithms of the weights above 0.
        log_weight: f64,
        /// Whether squares left the range of f64 in a block.
        overflow: bool,
    },
    /// Largest magnitudes, by column of [X | Y].
    ExponentRange(Vec<f64>),
    Refine(Residuals),
    Exact {
        gram: DdGram,
        /// Rows with a weight above 0.
        rows: u64,
        log_weight: f64,
    },
    LeaveOneOut(LooErrors),
}

impl LeastSquaresState {
    /// The factors of the columns of [X | Y].
    fn scales(&self) -> Vec<f64> {
        let scale = |j: usize| self.exponents.get(j).map_or(1.0, |&e| power(e));
        (0..self.cols + self.targets).map(scale).collect()
    }

    fn moments_input<'a>(&'a self, moments: &'a Moments, log_weight: f64) -> moments::MomentsInput<'a> {
        moments::MomentsInput { moments, log_weight, exponents: &self.exponents, epsilon: self.epsilon }
    }

    /// The stage of a first pass over the same rows with other weights; what is known of the size of the columns stays.
    pub(crate) fn restarted(&self, first: &Self) -> Self {
        let kind = if self.exponents.is_empty() { first.kind.clone() } else { LeastSquaresPhase::Moments };
        Self { exponents: self.exponents.clone(), kind, ..first.clone() }
    }

    /// The target is multiplied by 2 to this power before its squares are summed.
    pub(crate) fn target_exponent(&self) -> i32 {
        self.exponents.get(self.cols).copied().unwrap_or(0)
    }

    /// Column `j` is multiplied by 2 to this power before its squares are summed.
    pub(crate) fn column_exponent(&self, j: usize) -> i32 {
        self.exponents.get(j).copied().unwrap_or(0)
    }

    /// The problem with the penalty that was chosen, once it was.
    fn with_chosen_alpha<'a>(&'a self, problem: &LeastSquaresProblem<'a>) -> LeastSquaresProblem<'a> {
        LeastSquaresProblem { penalty: self.path.as_ref().map_or(problem.penalty, |p| &p.chosen), ..*problem }
    }

    /// The pass that finds the errors of rows left out, after `sums` was gathered.
    fn leave_out(
        mut self,
        problem: &LeastSquaresProblem<'_>,
        sums: LeastSquaresSums,
        shift: Vec<f64>,
    ) -> Result<PassStep<Self, LeastSquaresSolution>> {
        let Some(grid) = &problem.grid else { return Err(Error::Data("there is no grid of penalties".into())) };
        let (cols, targets, exponents) = (self.cols, self.targets, &self.exponents);
        let spectrum = match &sums {
            LeastSquaresSums::Moments { moments: m, .. } => {
                let scatter = m.scatter();
                let product = |i: usize, j: usize| match problem.fit_intercept {
                    true => scatter[(i, j)],
                    false => scatter[(i, j)] + m.weight() * m.mean()[i] * m.mean()[j],
                };
                let mean = |j: usize| Dd { hi: m.mean()[j], lo: m.mean_low()[j] };
                let (rows, weight) = (m.rows(), m.weight());
                let cross = loo::CrossProducts { cols, targets, rows, weight, exponents, product: &product, mean: &mean };
                RidgeSpectrum::new(problem, grid, &cross)?
            }
            LeastSquaresSums::Exact { gram, rows, .. } => {
                let product = |i: usize, j: usize| match problem.fit_intercept {
                    true => gram.centered(i, j).to_f64(),
                    false => gram.cross(i, j).to_f64(),
                };
                let mean = |j: usize| Dd::from(shift[j]) + gram.mean(j);
                let (rows, weight) = (*rows, gram.weight().to_f64());
                let cross = loo::CrossProducts { cols, targets, rows, weight, exponents, product: &product, mean: &mean };
                RidgeSpectrum::new(problem, grid, &cross)?
            }
            _ => return Err(Error::Data("partial results of another pass".into())),
        };
        self.kind =
            LeastSquaresPhase::LeaveOneOut { spectrum: Box::new(spectrum), sums: Box::new(LeastSquaresPartial(sums)), shift };
        Ok(PassStep::NextPass(self, None))
    }

    /// The factorization, at the pass that uses it.
    pub(super) fn take_spectrum(self) -> Result<RidgeSpectrum, Box<Self>> {
        match self.kind {
            LeastSquaresPhase::LeaveOneOut { spectrum, .. } => Ok(*spectrum),
            _ => Err(Box::new(self)),
        }
    }

    fn may_be_exact(&self) -> bool {
        self.cols + self.targets <= EXACT_COLS
    }

    /// The next action after moments, or their correction.
    fn next_phase(
        mut self,
        problem: &LeastSquaresProblem<'_>,
        moments: Moments,
        log_weight: f64,
        next: SolveStep,
    ) -> PassStep<Self, LeastSquaresSolution> {
        match next {
            SolveStep::Done(solution) => return PassStep::Done(LeastSquaresSolution { path: self.path, ..*solution }),
            SolveStep::Refine(coef, rounds) => {
                self.kind = LeastSquaresPhase::Refine { moments: Box::new(moments), log_weight, coef, rounds };
            }
            SolveStep::Exact => {
                let shift = if problem.fit_intercept { moments.mean().to_vec() } else { vec![0.0; self.cols + self.targets] };
                self.kind = LeastSquaresPhase::Exact { shift };
            }
        }
        PassStep::NextPass(self, None)
    }
}

#[cfg(feature = "fit")]
impl Partial for LeastSquaresPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (
                LeastSquaresSums::Moments { moments, log_weight, overflow },
                LeastSquaresSums::Moments { moments: more, log_weight: w, overflow: o },
            ) => {
                moments.merge(more);
                *log_weight += w;
                *overflow |= o;
                Ok(())
            }
            (LeastSquaresSums::ExponentRange(a), LeastSquaresSums::ExponentRange(b)) if a.len() == b.len() => {
                a.iter_mut().zip(b).for_each(|(a, b)| *a = a.max(b));
                Ok(())
            }
            (LeastSquaresSums::Refine(a), LeastSquaresSums::Refine(b)) => a.merge(b),
            (LeastSquaresSums::LeaveOneOut(a), LeastSquaresSums::LeaveOneOut(b)) => {
                a.merge(b);
                Ok(())
            }
            (
                LeastSquaresSums::Exact { gram, rows, log_weight },
                LeastSquaresSums::Exact { gram: more, rows: n, log_weight: w },
            ) => {
                *rows += n;
                *log_weight += w;
                gram.merge(more)
            }
            _ => Err(Error::Data("partial results of different passes".into())),
        }
    }
}

/// The stage before the first pass.
pub(crate) fn start(problem: &LeastSquaresProblem<'_>, head: &DatasetRef<'_>) -> Result<LeastSquaresState> {
    let (cols, targets) = (head.cols(), head.y.n_targets());
    if cols + targets > MAX_COLS {
        return Err(Error::Data(format!(
            "{} keeps a square table of its {cols} columns, {} GB here, and takes at most {MAX_COLS} columns this way; with \
             fewer rows than columns train in memory, or reduce the columns first",
            problem.learner,
            cols * cols / (1 << 27),
        )));
    }
    problem.check_penalties(targets)?;
    let epsilon = if matches!(head.x, Features::F32(_)) { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let mut stage = LeastSquaresState {
        cols,
        targets,
        epsilon,
        head: vec![0.0; cols + targets],
        exponents: Vec::new(),
        kind: LeastSquaresPhase::Moments,
        path: None,
    };
    let mut sizes = std::mem::take(&mut stage.head);
    each_row(problem, &head.row_range(0..head.rows().min(256)), |_, _, row| larger(&mut sizes, row))?;
    stage.head = sizes;
    if let Features::Csr(x) = head.x
        && stage.may_be_exact()
        && x.stored() as f64 <= SPARSE * x.rows() as f64 * x.cols() as f64
    {
        stage.kind = LeastSquaresPhase::Exact { shift: vec![0.0; cols + targets] };
    }
    Ok(stage)
}

/// Empty totals.
pub(crate) fn empty(stage: &LeastSquaresState) -> LeastSquaresPartial {
    LeastSquaresPartial(match &stage.kind {
        LeastSquaresPhase::Moments => {
            LeastSquaresSums::Moments { moments: Moments::new(stage.cols, stage.targets), log_weight: 0.0, overflow: false }
        }
        LeastSquaresPhase::ExponentRange => LeastSquaresSums::ExponentRange(vec![0.0; stage.cols + stage.targets]),
        LeastSquaresPhase::Refine { .. } => LeastSquaresSums::Refine(Residuals::new(stage.cols, stage.targets)),
        LeastSquaresPhase::Exact { .. } => {
            LeastSquaresSums::Exact { gram: DdGram::new(stage.cols + stage.targets), rows: 0, log_weight: 0.0 }
        }
        LeastSquaresPhase::LeaveOneOut { spectrum, .. } => LeastSquaresSums::LeaveOneOut(spectrum.empty()),
    })
}

/// Ends a pass.
pub(crate) fn finish(
    problem: &LeastSquaresProblem<'_>,
    mut stage: LeastSquaresState,
    totals: LeastSquaresPartial,
) -> Result<PassStep<LeastSquaresState, LeastSquaresSolution>> {
    match (std::mem::replace(&mut stage.kind, LeastSquaresPhase::Moments), totals.0) {
        (LeastSquaresPhase::Moments, LeastSquaresSums::Moments { moments, log_weight, overflow }) => {
            if stage.exponents.is_empty() && (overflow || out_of_range(&stage, &moments)) {
                stage.kind = LeastSquaresPhase::ExponentRange;
                return Ok(PassStep::NextPass(stage, None));
            }
            if !moments.is_finite() {
                return Err(Error::Numeric("the sums of the columns overflow; scale the columns down".into()));
            }
            if problem.grid.is_some() && stage.path.is_none() {
                return stage.leave_out(problem, LeastSquaresSums::Moments { moments, log_weight, overflow }, Vec::new());
            }
            let next = {
                let chosen = stage.with_chosen_alpha(problem);
                moments::solve(&chosen, &stage.moments_input(&moments, log_weight), None, stage.may_be_exact())?
            };
            Ok(stage.next_phase(problem, moments, log_weight, next))
        }
        (LeastSquaresPhase::Refine { moments, log_weight, coef, rounds }, LeastSquaresSums::Refine(residuals)) => {
            let correction = moments::RefinementInput { coef: &coef, residuals: &residuals, rounds };
            let next = {
                let chosen = stage.with_chosen_alpha(problem);
                moments::solve(&chosen, &stage.moments_input(&moments, log_weight), Some(&correction), stage.may_be_exact())?
            };
            Ok(stage.next_phase(problem, *moments, log_weight, next))
        }
        (LeastSquaresPhase::ExponentRange, LeastSquaresSums::ExponentRange(sizes)) => {
            stage.exponents = sizes.iter().map(|&s| (-exponent_of(s)).clamp(-1000, 1000)).collect();
            let x = &mut stage.exponents[..stage.cols];
            if problem.grid.is_some_and(|g| g.alphas.is_none()) {
                // The penalties will be of the size of the largest column, and outweigh all that is tiny next to it.
                let common = x.iter().copied().min().unwrap_or(0);
                x.fill(common);
            } else if let Some(largest) = problem.largest_penalty() {
                // A column that the penalty outweighs stays as it is: scaled up, it would take the penalty out of range.
                let most = -exponent_of(largest) / 2;
                x.iter_mut().for_each(|e| *e = (*e).min(most.max(0)));
            }
            Ok(PassStep::NextPass(stage, None))
        }
        (LeastSquaresPhase::Exact { shift }, LeastSquaresSums::Exact { gram, rows, log_weight }) => {
            // Sparse rows come here first, as they are.
            let lost = |j: usize| gram.cross(j, j).hi < DIGITS_LOST && tiny(stage.head[j]);
            if stage.exponents.is_empty() && (!gram.is_finite() || (0..gram.cols()).any(lost)) {
                stage.kind = LeastSquaresPhase::ExponentRange;
                return Ok(PassStep::NextPass(stage, None));
            }
            if !gram.is_finite() {
                return Err(Error::Numeric("the sums of the columns overflow; scale the columns down".into()));
            }
            if problem.grid.is_some() && stage.path.is_none() {
                return stage.leave_out(problem, LeastSquaresSums::Exact { gram, rows, log_weight }, shift);
            }
            let input = exact::ExactInput {
                gram: &gram,
                shift: &shift,
                rows,
                log_weight,
                exponents: &stage.exponents,
                epsilon: stage.epsilon,
                cols: stage.cols,
            };
            let solution = exact::solve(&stage.with_chosen_alpha(problem), &input)?;
            Ok(PassStep::Done(LeastSquaresSolution { path: stage.path, ..solution }))
        }
        (LeastSquaresPhase::LeaveOneOut { spectrum, sums, shift }, LeastSquaresSums::LeaveOneOut(errors)) => {
            stage.path = problem.grid.as_ref().map(|grid| spectrum.choose(grid, errors));
            stage.kind = match sums.0 {
                LeastSquaresSums::Exact { .. } => LeastSquaresPhase::Exact { shift },
                _ => LeastSquaresPhase::Moments,
            };
            finish(problem, stage, *sums)
        }
        _ => Err(Error::Data("partial results of another pass".into())),
    }
}

/// Whether squares overflowed, or were lost below the smallest f64.
fn out_of_range(stage: &LeastSquaresState, moments: &Moments) -> bool {
    !moments.is_finite() || moments.scatter_diagonal().iter().zip(&stage.head).any(|(&s, &head)| s < DIGITS_LOST && tiny(head))
}

/// Whether squares of this size are lost below the smallest f64.
fn tiny(size: f64) -> bool {
    0.0 < size && size < 1e-120
}
