//! Fitting in passes: a survey of the columns, parts to start from, steps of EM; repeated from other starts.

use ermine_core::*;
use ermine_math::linalg::eigen_symmetric;
use ermine_math::moments::Moments;
use serde::{Deserialize, Serialize};

use super::e_step::ExpertsSums;
use super::partition::Partition;
use super::{ExpertsEm, ExpertsParams, MixtureOfExperts, MixtureOfExpertsModel};
use crate::em::{Em, EmResult, EmState, EmStep, EmStop};
use crate::gmm::rounded;
use ermine_cluster::HashSample;

/// The most numbers of a gate or of an expert whose curvature is computed.
const MOST_NEWTON: usize = 1500;

/// Parts that are cut before rows are drawn.
const SLABS: u64 = 3;

/// The purpose of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum ExpertsPhase {
    /// Means and products of the columns and the target.
    Survey,
    /// Rows to cut into parts.
    Sample,
    /// The experts of these parts.
    InitFromPartition(Partition),
    /// A step of EM.
    EmIterations(Box<EmState<ExpertsParams>>),
}

/// Statistics of all rows after the survey.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ExpertsSetup {
    em: ExpertsEm,
    rows: u64,
    /// The unit of each column; the target's is last where it is a number.
    unit: Vec<f64>,
    /// Directions for slabs, in units.
    directions: Vec<Vec<f64>>,
}

/// State of [`MixtureOfExperts`] broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExpertsState {
    cols: usize,
    seed: u64,
    /// Names of the classes; none where the target is a number.
    classes: Option<Vec<String>>,
    phase: ExpertsPhase,
    frame: Option<ExpertsSetup>,
    sample: Option<HashSample>,
    start: u64,
    best: Option<(EmResult<ExpertsParams>, Vec<f64>)>,
}

/// Sums of a pass of [`MixtureOfExperts`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum ExpertsPartial {
    #[doc(hidden)]
    Survey(Box<Moments>),
    #[doc(hidden)]
    Sample(HashSample),
    #[doc(hidden)]
    Sums(Box<ExpertsSums>),
}

#[cfg(feature = "fit")]
impl Partial for ExpertsPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Survey(a), Self::Survey(b)) => a.merge(*b),
            (Self::Sample(a), Self::Sample(b)) => a.merge(b),
            (Self::Sums(a), Self::Sums(b)) => a.merge(*b)?,
            _ => return Err(Error::Data("partials of different passes".into())),
        }
        Ok(())
    }
}

impl ExpertsState {
    fn frame(&self) -> Result<&ExpertsSetup> {
        self.frame.as_ref().ok_or_else(|| Error::Data("a step before the look at the columns".into()))
    }
}

impl ExpertsSetup {
    fn new(learner: &MixtureOfExperts, look: &Moments, classes: Option<usize>) -> Result<Self> {
        let (p, k, w) = (look.x_cols(), learner.n_experts, look.weight());
        let scatter = look.scatter();
        let unit: Vec<f64> = (0..p + look.y_cols()).map(|j| (scatter[(j, j)] / w).sqrt()).collect();
        let unit: Vec<f64> = unit.into_iter().map(|u| if u > 0.0 { u } else { 1.0 }).collect();
        let target_variance = if classes.is_none() { scatter[(p, p)] / w } else { 1.0 };
        let newton_gate = k.saturating_mul(p + 1) <= MOST_NEWTON;
        let em = ExpertsEm {
            alpha: learner.alpha,
            // A target that does not vary has noise of some size nevertheless.
            floor: if target_variance > 0.0 { learner.reg_variance * target_variance } else { f64::MIN_POSITIVE.sqrt() },
            center: look.mean()[..p].to_vec(),
            target_mean: if classes.is_none() { look.mean()[p] } else { 0.0 },
            newton_gate,
            newton_experts: classes.is_none_or(|c| c.saturating_mul(p + 1) <= MOST_NEWTON && k * c * c <= 1 << 10),
            gram: (!newton_gate).then(|| {
                // About the means of the columns there are no first moments.
                Mat::from_fn(p + 1, p + 1, |i, j| match (i < p && j < p, i == j) {
                    (true, _) => scatter[(i, j)],
                    (false, true) => w,
                    (false, false) => 0.0,
                })
            }),
        };
        Ok(Self { em, rows: look.rows(), directions: directions(&scatter, &unit, p, classes.is_none())?, unit })
    }

    /// Rows in units, the target last where it is a number; rounded, so that draws do not depend on the units and the origin.
    fn standard(&self, rows: &DatasetRef<'_>) -> Result<Mat<f64>> {
        let z = self.em.centered(rows)?;
        let (p, width) = (z.cols(), self.unit.len());
        let y = if width > p { Some(rows.y.reals()?) } else { None };
        Ok(Mat::from_fn(z.rows(), width, |i, j| match y {
            Some(y) if j == p => rounded((y.at(i, 0) - self.em.target_mean) / self.unit[p]),
            _ => rounded(z[(i, j)] / self.unit[j]),
        }))
    }

    fn units(&self) -> (Vec<f64>, Option<f64>) {
        let p = self.em.center.len();
        (self.unit[..p].to_vec(), self.unit.get(p).copied())
    }
}

/// Directions across which slabs are cut: where the columns vary most, then, for numbers, the residual and the prediction of a linear model, for classes the
/// directions in which the columns vary next.
fn directions(scatter: &Mat<f64>, unit: &[f64], p: usize, number: bool) -> Result<Vec<Vec<f64>>> {
    let total = |j: usize| scatter[(j, j)].max(f64::MIN_POSITIVE).sqrt();
    let correlation = Mat::from_fn(p, p, |i, j| scatter[(i, j)] / (total(i) * total(j)));
    let spectrum = eigen_symmetric(correlation.view())?;
    let axis = |k: usize| (0..unit.len()).map(|j| if j < p { spectrum.vectors[(k, j)] } else { 0.0 }).collect::<Vec<f64>>();
    if !number {
        return Ok((0..p.min(SLABS as usize)).map(axis).collect());
    }
    // Least squares in units; directions that hardly vary are left out of it.
    let of_target: Vec<f64> = (0..p).map(|j| scatter[(j, p)] / (total(j) * total(p))).collect();
    let mut slopes = vec![0.0; p];
    for k in (0..p).filter(|&k| spectrum.values[k] > 1e-8 * spectrum.values[0]) {
        let along: f64 = spectrum.vectors.row(k).iter().zip(&of_target).map(|(v, t)| v * t).sum::<f64>() / spectrum.values[k];
        slopes.iter_mut().zip(spectrum.vectors.row(k)).for_each(|(s, v)| *s += along * v);
    }
    let mut residual: Vec<f64> = slopes.iter().map(|s| -s).collect();
    residual.push(1.0);
    let mut prediction = slopes;
    prediction.push(0.0);
    Ok(vec![axis(0), residual, prediction])
}

#[cfg(feature = "fit")]
impl PassLearner for MixtureOfExperts {
    type State = ExpertsState;
    type Partial = ExpertsPartial;

    fn block_rows(&self, cols: usize) -> usize {
        // The sums of a block should cost less than its rows.
        let pairs = self.n_experts * (self.n_experts + 1) / 2;
        (4 * pairs.saturating_mul(cols)).next_power_of_two().clamp(BLOCK_ROWS, 1 << 17)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<ExpertsState> {
        let classes = match head.y.task() {
            Some(Task::Classification) => Some(head.y.classes()?.1.to_vec()),
            _ => None,
        };
        Ok(ExpertsState {
            cols: head.cols(),
            seed: cx.seed,
            classes,
            phase: ExpertsPhase::Survey,
            frame: None,
            sample: None,
            start: 0,
            best: None,
        })
    }

    fn empty_partial(&self, state: &ExpertsState) -> ExpertsPartial {
        match (&state.phase, &state.frame) {
            (ExpertsPhase::Sample, Some(frame)) => ExpertsPartial::Sample(HashSample::new(self.n_experts, frame.unit.len())),
            (ExpertsPhase::InitFromPartition(_), Some(frame)) => {
                ExpertsPartial::Sums(Box::new(frame.em.empty(&self.nothing(state))))
            }
            (ExpertsPhase::EmIterations(course), Some(frame)) => {
                ExpertsPartial::Sums(Box::new(frame.em.empty(course.parameters())))
            }
            _ => ExpertsPartial::Survey(Box::new(Moments::new(state.cols, usize::from(state.classes.is_none())))),
        }
    }

    fn add_block(&self, state: &ExpertsState, part: &mut ExpertsPartial, rows: &DatasetRef<'_>) -> Result<()> {
        rows.x.expect_cols(state.cols)?;
        match (&state.phase, part) {
            (ExpertsPhase::Survey, ExpertsPartial::Survey(moments)) => {
                let mut scratch = Vec::new();
                let y = if state.classes.is_none() { Some(rows.y.reals()?) } else { None };
                match &rows.x {
                    Features::F64(x) => moments.add(*x, y, rows.weight),
                    Features::F32(x) => moments.add(*x, y, rows.weight),
                    other => moments.add(other.f64_rows(&mut scratch, Self::SPEC.name)?, y, rows.weight),
                }
                moments.refuse_non_finite(rows)
            }
            (ExpertsPhase::Sample, ExpertsPartial::Sample(sample)) => {
                let x = state.frame()?.standard(rows)?;
                sample.add(&DatasetRef { x: Features::F64(x.view()), schema: None, ..*rows }, state.seed)
            }
            (ExpertsPhase::InitFromPartition(parts), ExpertsPartial::Sums(sums)) => {
                state.frame()?.em.gather(&self.nothing(state), sums, rows, Some(parts))
            }
            (ExpertsPhase::EmIterations(course), ExpertsPartial::Sums(sums)) => {
                state.frame()?.em.expect(course.parameters(), sums, rows)
            }
            _ => Err(Error::Data("a partial of another pass".into())),
        }
    }

    fn finish(
        &self,
        mut state: ExpertsState,
        total: ExpertsPartial,
        cx: &Context<'_>,
    ) -> Result<PassStep<ExpertsState, MixtureOfExpertsModel>> {
        let mut objective = None;
        match (std::mem::replace(&mut state.phase, ExpertsPhase::Sample), total) {
            (ExpertsPhase::Survey, ExpertsPartial::Survey(look)) => {
                let k = self.n_experts as u64;
                if look.rows() < k {
                    let message = format!("there are {} rows, and {k} experts need at least {k}; lower n_experts", look.rows());
                    return Err(Error::Data(message));
                }
                state.frame = Some(ExpertsSetup::new(self, &look, state.classes.as_ref().map(Vec::len))?);
            }
            (ExpertsPhase::Sample, ExpertsPartial::Sample(sample)) => {
                state.sample = Some(sample);
                state.phase = ExpertsPhase::InitFromPartition(self.parts(&state, cx)?);
            }
            (ExpertsPhase::InitFromPartition(_), ExpertsPartial::Sums(sums)) => {
                let start = state.frame()?.em.m_step(&self.nothing(&state), *sums)?;
                state.phase = ExpertsPhase::EmIterations(Box::new(EmState::new(start)));
            }
            (ExpertsPhase::EmIterations(course), ExpertsPartial::Sums(sums)) => {
                let sizes = sums.sizes.clone();
                let rules = EmStop { tol: self.tol, max_iter: self.max_iter };
                match course.step(&state.frame()?.em, *sums, &rules, cx)? {
                    EmStep::Continue(course) => {
                        objective = course.objective();
                        state.phase = ExpertsPhase::EmIterations(Box::new(course));
                    }
                    EmStep::Done(climbed) => {
                        objective = Some(climbed.objective.value());
                        // A later start must be better by more than what stopping leaves open, so that equally good ones are not chosen by rounding.
                        let room = 10.0 * self.tol * climbed.objective.weight;
                        let better =
                            |b: &(EmResult<ExpertsParams>, Vec<f64>)| climbed.objective.value() > b.0.objective.value() + room;
                        if state.best.as_ref().is_none_or(better) {
                            state.best = Some((climbed, sizes));
                        }
                        state.start += 1;
                        let starts = if self.n_experts == 1 { 1 } else { self.n_init };
                        if state.start >= starts || cx.deadline_passed() {
                            return self.model(&state, state.start >= starts).map(PassStep::Done);
                        }
                        state.phase = ExpertsPhase::InitFromPartition(self.parts(&state, cx)?);
                    }
                }
            }
            _ => return Err(Error::Data("a partial of another pass".into())),
        }
        Ok(PassStep::NextPass(state, objective))
    }

    fn model_so_far(&self, state: &ExpertsState) -> Option<MixtureOfExpertsModel> {
        let mut state = state.clone();
        if let (None, ExpertsPhase::EmIterations(course)) = (&state.best, &state.phase) {
            let climbed = course.best_so_far()?;
            let sizes = vec![climbed.objective.weight / self.n_experts as f64; self.n_experts];
            state.best = Some((climbed, sizes));
        }
        self.model(&state, false).ok()
    }
}

impl MixtureOfExperts {
    fn nothing(&self, state: &ExpertsState) -> ExpertsParams {
        ExpertsParams::zeros(self.n_experts, state.cols, state.classes.as_ref().map(Vec::len))
    }

    /// The parts of the present start.
    fn parts(&self, state: &ExpertsState, cx: &Context<'_>) -> Result<Partition> {
        let frame = state.frame()?;
        let sample = state.sample.as_ref().ok_or_else(|| Error::Data("a start before rows were drawn".into()))?;
        let (unit, target_unit) = frame.units();
        match frame.directions.get(state.start as usize) {
            Some(direction) => {
                let rows: Vec<(f64, Vec<f64>)> = sample.weighted_rows().map(|(w, row)| (w, row.to_vec())).collect();
                Partition::slabs(unit, target_unit, direction.clone(), self.n_experts, &rows)
            }
            None => {
                let centers = sample.centers(self.n_experts, true, state.seed, state.start, cx)?;
                Ok(Partition::nearest(unit, target_unit, centers))
            }
        }
    }

    fn model(&self, state: &ExpertsState, whole: bool) -> Result<MixtureOfExpertsModel> {
        let frame = state.frame()?;
        let (mut climbed, sizes) = state.best.clone().ok_or_else(|| Error::Data("no start led anywhere".into()))?;
        climbed.converged &= whole;
        MixtureOfExpertsModel::of(climbed, &sizes, &frame.em, frame.rows, state.classes.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::gate::gram;
    use super::*;

    #[test]
    fn the_gram_matrix_of_the_look_is_that_of_the_rows() {
        let x = Mat::from_fn(30, 2, |i, j| ((i * (j + 2)) % 7) as f64);
        let mut m = Moments::new(2, 0);
        let mean: Vec<f64> = (0..2).map(|j| x.view().col_iter(j).sum::<f64>() / 30.0).collect();
        m.add(x.view(), None, None);
        let z = Mat::from_fn(30, 2, |i, j| x[(i, j)] - mean[j]);
        let mut about = Moments::new(2, 0);
        about.add(z.view(), None, None);
        let got = gram(&about);
        for i in 0..2 {
            for j in 0..2 {
                assert!((got[(i, j)] - m.scatter()[(i, j)]).abs() < 1e-10);
            }
            assert!(got[(i, 2)].abs() < 1e-10);
        }
        assert_eq!(got[(2, 2)], 30.0);
    }
}
