//! The passes: what is gathered, and which one follows.

use ermine_core::{Dataset, Error, Features, Mat, MatRef, Partial, Result, Step};
use ermine_math::dd::{Dd, Gram};
use ermine_math::moments::Moments;
use serde::{Deserialize, Serialize};

use super::scale::{exponent_of, power};
use super::{Problem, Solution, exact, moments};

/// Columns beyond which products in double-double would take longer than anyone waits.
pub(super) const EXACT_COLS: usize = 1024;
/// Columns beyond which a square table of products would not fit.
const MAX_COLS: usize = 16_384;
/// Elements of a block that are brought to dense doubles at a time.
const CHUNK: usize = 1 << 16;
/// Magnitudes beyond this may have squares beyond the doubles.
const LARGE: f64 = 1e140;

/// What every block is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Stage {
    cols: usize,
    targets: usize,
    /// Relative rounding of the data: that of doubles, or of singles.
    epsilon: f64,
    /// Largest magnitudes of the first rows, by column of [X | Y].
    head: Vec<f64>,
    /// Columns of [X | Y] are multiplied by 2^exponent; empty for not at all.
    exponents: Vec<i32>,
    kind: Kind,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Kind {
    Moments,
    Range,
    /// Products of differences from `shift`, which is in scaled units.
    Exact {
        shift: Vec<f64>,
        rows: u64,
        log_weight: f64,
    },
}

/// What is gathered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Totals(Sums);

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Sums {
    Moments {
        moments: Moments,
        /// The sum of the logarithms of the weights above 0.
        log_weight: f64,
        /// Whether squares left the range of doubles in a block.
        overflow: bool,
    },
    /// Largest magnitudes, by column of [X | Y].
    Range(Vec<f64>),
    Exact(Gram),
}

impl Partial for Totals {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.0, other.0) {
            (Sums::Moments { moments, log_weight, overflow }, Sums::Moments { moments: more, log_weight: w, overflow: o }) => {
                moments.merge(more);
                *log_weight += w;
                *overflow |= o;
                Ok(())
            }
            (Sums::Range(a), Sums::Range(b)) if a.len() == b.len() => {
                a.iter_mut().zip(b).for_each(|(a, b)| *a = a.max(b));
                Ok(())
            }
            (Sums::Exact(a), Sums::Exact(b)) => a.merge(b),
            _ => Err(Error::Data("partial results of different passes".into())),
        }
    }
}

/// The stage before the first pass.
pub(crate) fn start(problem: &Problem<'_>, head: &Dataset<'_>) -> Result<Stage> {
    let (cols, targets) = (head.cols(), head.y.n_targets());
    if cols + targets > MAX_COLS {
        return Err(Error::Data(format!(
            "{} keeps a square table of its {cols} columns, {} GB here, and takes at most {MAX_COLS} columns this way; with \
             fewer rows than columns train in memory, or reduce the columns first",
            problem.learner,
            cols * cols / (1 << 27),
        )));
    }
    if problem.penalty.len() > 1 && problem.penalty.len() != targets {
        let what = "penalties (alpha), one a target".into();
        return Err(Error::Length { what, expected: targets, found: problem.penalty.len() });
    }
    let epsilon = if matches!(head.x, Features::F32(_)) { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let mut stage = Stage { cols, targets, epsilon, head: vec![0.0; cols + targets], exponents: Vec::new(), kind: Kind::Moments };
    let mut sizes = std::mem::take(&mut stage.head);
    each_row(problem, &head.row_range(0..head.rows().min(256)), |_, _, row| larger(&mut sizes, row))?;
    stage.head = sizes;
    Ok(stage)
}

/// The totals of no rows.
pub(crate) fn empty(stage: &Stage) -> Totals {
    Totals(match stage.kind {
        Kind::Moments => Sums::Moments { moments: Moments::new(stage.cols, stage.targets), log_weight: 0.0, overflow: false },
        Kind::Range => Sums::Range(vec![0.0; stage.cols + stage.targets]),
        Kind::Exact { .. } => Sums::Exact(Gram::new(stage.cols + stage.targets)),
    })
}

/// Takes in a block of rows.
pub(crate) fn add(problem: &Problem<'_>, stage: &Stage, totals: &mut Totals, rows: &Dataset<'_>) -> Result<()> {
    match (&stage.kind, &mut totals.0) {
        (Kind::Moments, Sums::Moments { moments, log_weight, overflow }) => {
            add_moments(problem, stage, moments, rows)?;
            *log_weight += rows.weight.map_or(0.0, |w| w.iter().filter(|w| **w > 0.0).map(|w| w.ln()).sum());
            if !moments.is_finite() {
                // With finite cells only the squares overflowed; the end of the pass sees to that.
                rows.x.refuse_non_finite(rows.schema)?;
                *overflow = true;
            } else if stage.exponents.is_empty() && moments.scatter_diagonal().contains(&0.0) {
                // A column of one value, or of values so large that the differences of their squares are lost.
                let mut sizes = vec![0.0; stage.cols + stage.targets];
                each_row(problem, rows, |_, w, row| {
                    if w > 0.0 {
                        larger(&mut sizes, row)
                    }
                })?;
                *overflow |= sizes.iter().any(|s| *s > LARGE);
            }
        }
        (Kind::Range, Sums::Range(sizes)) => {
            each_row(problem, rows, |_, w, row| {
                if w > 0.0 {
                    larger(sizes, row);
                }
            })?;
        }
        (Kind::Exact { shift, .. }, Sums::Exact(gram)) => {
            let scales: Vec<f64> = stage.exponents.iter().map(|&e| power(e)).collect();
            each_row(problem, rows, |_, w, row| {
                if w > 0.0 {
                    let scaled = |j: usize| if scales.is_empty() { row[j] } else { row[j] * scales[j] };
                    gram.add_row(w, |j| Dd::sum(scaled(j), -shift[j]));
                }
            })?;
            gram.settle();
        }
        _ => return Err(Error::Data("partial results of another pass".into())),
    }
    Ok(())
}

fn larger(sizes: &mut [f64], row: &[f64]) {
    sizes.iter_mut().zip(row).for_each(|(s, v)| *s = s.max(v.abs()));
}

/// Visits rows of [X | Y] as doubles, with number and weight; a chunk is copied at a time.
fn each_row(problem: &Problem<'_>, rows: &Dataset<'_>, mut visit: impl FnMut(usize, f64, &[f64])) -> Result<()> {
    let (cols, y) = (rows.cols(), rows.y.reals()?);
    let mut scratch = Vec::new();
    let mut row = vec![0.0; cols + y.cols()];
    let step = (CHUNK / cols).max(16);
    for first in (0..rows.rows()).step_by(step) {
        let block = rows.x.row_range(first..(first + step).min(rows.rows()));
        let x = block.f64_rows(&mut scratch, problem.learner)?;
        for i in 0..x.rows() {
            x.copy_row(i, &mut row[..cols]);
            y.copy_row(first + i, &mut row[cols..]);
            visit(first + i, rows.weight_of(first + i), &row);
        }
    }
    Ok(())
}

fn add_moments(problem: &Problem<'_>, stage: &Stage, moments: &mut Moments, rows: &Dataset<'_>) -> Result<()> {
    let y = rows.y.reals()?;
    if y.cols() != stage.targets || rows.cols() != stage.cols {
        return Err(Error::Columns { expected: stage.cols, found: rows.cols() });
    }
    if !stage.exponents.is_empty() {
        let (cols, scales) = (stage.cols, stage.exponents.iter().map(|&e| power(e)).collect::<Vec<f64>>());
        let (mut x, mut targets) = (Mat::zeros(rows.rows(), cols), Mat::zeros(rows.rows(), stage.targets));
        each_row(problem, rows, |i, _, row| {
            x.row_mut(i).iter_mut().zip(row).zip(&scales).for_each(|((o, v), s)| *o = v * s);
            targets.row_mut(i).iter_mut().zip(&row[cols..]).zip(&scales[cols..]).for_each(|((o, v), s)| *o = v * s);
        })?;
        moments.add(x.view(), Some(targets.view()), rows.weight);
        return Ok(());
    }
    match rows.x {
        Features::F64(x) => moments.add(x, Some(y), rows.weight),
        Features::F32(x) => moments.add(x, Some(y), rows.weight),
        _ => {
            let mut scratch = Vec::new();
            let step = (16 * CHUNK / stage.cols).max(64);
            for first in (0..rows.rows()).step_by(step) {
                let range = first..(first + step).min(rows.rows());
                let x: MatRef<'_, f64> = rows.x.row_range(range.clone()).f64_rows(&mut scratch, problem.learner)?;
                moments.add(x, Some(y.row_range(range.clone())), rows.weight.map(|w| &w[range]));
            }
        }
    }
    Ok(())
}

/// Ends a pass.
pub(crate) fn finish(problem: &Problem<'_>, mut stage: Stage, totals: Totals) -> Result<Step<Stage, Solution>> {
    match (&stage.kind, totals.0) {
        (Kind::Moments, Sums::Moments { moments, log_weight, overflow }) => {
            if stage.exponents.is_empty() && (overflow || out_of_range(&stage, &moments)) {
                stage.kind = Kind::Range;
                return Ok(Step::Again(stage, None));
            }
            if !moments.is_finite() {
                return Err(Error::Numeric("the sums of the columns overflow; scale the columns down".into()));
            }
            let exact = stage.cols + stage.targets <= EXACT_COLS;
            let given = moments::Given { moments: &moments, log_weight, exponents: &stage.exponents, epsilon: stage.epsilon };
            match moments::solve(problem, &given, exact)? {
                Some(solution) => Ok(Step::Done(solution)),
                None => {
                    let shift =
                        if problem.fit_intercept { moments.mean().to_vec() } else { vec![0.0; stage.cols + stage.targets] };
                    stage.kind = Kind::Exact { shift, rows: moments.rows(), log_weight };
                    Ok(Step::Again(stage, None))
                }
            }
        }
        (Kind::Range, Sums::Range(sizes)) => {
            stage.exponents = sizes.iter().map(|&s| (-exponent_of(s)).clamp(-1000, 1000)).collect();
            // A column that the penalty outweighs stays as it is: scaled up, it would take the penalty out of range.
            if let Some(largest) = problem.penalty.iter().copied().reduce(f64::max).filter(|a| *a > 0.0) {
                let most = -exponent_of(largest) / 2;
                stage.exponents[..stage.cols].iter_mut().for_each(|e| *e = (*e).min(most.max(0)));
            }
            stage.kind = Kind::Moments;
            Ok(Step::Again(stage, None))
        }
        (Kind::Exact { shift, rows, log_weight }, Sums::Exact(gram)) => {
            if !gram.is_finite() {
                return Err(Error::Numeric("the sums of the columns overflow; scale the columns down".into()));
            }
            let given = exact::Given {
                gram: &gram,
                shift,
                rows: *rows,
                log_weight: *log_weight,
                exponents: &stage.exponents,
                epsilon: stage.epsilon,
                cols: stage.cols,
            };
            Ok(Step::Done(exact::solve(problem, &given)?))
        }
        _ => Err(Error::Data("partial results of another pass".into())),
    }
}

/// Whether squares overflowed, or were lost below the smallest doubles.
fn out_of_range(stage: &Stage, moments: &Moments) -> bool {
    !moments.is_finite()
        || moments.scatter_diagonal().iter().zip(&stage.head).any(|(&s, &head)| s < 1e-250 && 0.0 < head && head < 1e-120)
}
