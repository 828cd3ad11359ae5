//! Fitting in passes: a survey of the columns, a start, steps of EM; again for other starts and numbers of components.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::e_step::GmmExpectation;
use super::init::{GmmInit, PriorScatter};
use super::m_step::{ComponentStats, WishartPrior};
use super::selection::{GmmRun, GmmSelection};
use super::survey::{ColumnSurvey, GmmSetup};
use super::{
    CovarianceRegularization, Covariances, EmAlgorithm, GaussianEm, GaussianMixture, Gmm, GmmInitMethod, GmmModel, HashFold,
};
use crate::em::{Em, EmState, EmStep, EmStop};
use ermine_cluster::{ClusterCount, HashSample, KMeans, KMeansPartial, KMeansState};

/// The purpose of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum GmmPhase {
    /// Means and spread of the columns.
    Survey,
    /// Rows among which to start.
    Sample,
    /// Groups to start from.
    KMeansInit(Box<KMeansState>),
    /// The rows of these groups.
    InitFromMixture(GaussianMixture),
    /// Rows shared out at random.
    Scatter,
    /// A step of EM.
    EmIterations(Box<EmState<GaussianMixture>>),
}

/// State of [`Gmm`] broadcast to every block before a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GmmState {
    cols: usize,
    seed: u64,
    phase: GmmPhase,
    frame: Option<GmmSetup>,
    sample: Option<HashSample>,
    plan: GmmSelection,
}

/// Sums of a pass of [`Gmm`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum GmmPartial {
    #[doc(hidden)]
    Survey(Box<ColumnSurvey>),
    #[doc(hidden)]
    Sample(HashSample),
    #[doc(hidden)]
    KMeansInit(KMeansPartial),
    #[doc(hidden)]
    Sums(Box<GmmExpectation>),
}

#[cfg(feature = "fit")]
impl Partial for GmmPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Survey(a), Self::Survey(b)) => a.merge(*b)?,
            (Self::Sample(a), Self::Sample(b)) => a.merge(b),
            (Self::KMeansInit(a), Self::KMeansInit(b)) => a.merge(b)?,
            (Self::Sums(a), Self::Sums(b)) => a.merge(*b)?,
            _ => return Err(Error::Data("partials of different passes".into())),
        }
        Ok(())
    }
}

impl GmmState {
    fn frame(&self) -> Result<&GmmSetup> {
        self.frame.as_ref().ok_or_else(|| Error::Data("a step before the survey of the columns".into()))
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Gmm {
    type State = GmmState;
    type Partial = GmmPartial;

    fn block_rows(&self, cols: usize) -> usize {
        // The sums of a block should cost less than its rows.
        let sums = if self.covariance_type.is_full() { cols } else { 4 };
        (4 * self.n_components.saturating_mul(sums)).next_power_of_two().clamp(BLOCK_ROWS, 1 << 18)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, cx: &Context<'_>) -> Result<GmmState> {
        let cols = head.cols();
        GmmInit::new(self, Some(cols))?;
        Ok(GmmState { cols, seed: cx.seed, phase: GmmPhase::Survey, frame: None, sample: None, plan: GmmSelection::new(self) })
    }

    fn empty_partial(&self, state: &GmmState) -> GmmPartial {
        let full = self.covariance_type.is_full();
        match &state.phase {
            GmmPhase::Survey => GmmPartial::Survey(Box::new(ColumnSurvey::new(state.cols))),
            GmmPhase::Sample => GmmPartial::Sample(HashSample::new(self.n_components, state.cols)),
            GmmPhase::KMeansInit(inner) => GmmPartial::KMeansInit(self.grouping(state).empty_partial(inner)),
            GmmPhase::InitFromMixture(_) | GmmPhase::Scatter => {
                GmmPartial::Sums(Box::new(GmmExpectation::new(full, state.plan.components, state.cols)))
            }
            GmmPhase::EmIterations(course) => {
                GmmPartial::Sums(Box::new(GmmExpectation::new(full, course.parameters().components(), state.cols)))
            }
        }
    }

    fn add_block(&self, state: &GmmState, part: &mut GmmPartial, rows: &DatasetRef<'_>) -> Result<()> {
        rows.x.expect_cols(state.cols)?;
        match (&state.phase, part) {
            (GmmPhase::Survey, GmmPartial::Survey(survey)) => survey.add(rows),
            (GmmPhase::Sample, GmmPartial::Sample(sample)) => {
                let x = state.frame()?.standard(&rows.x)?;
                sample.add(&DatasetRef { x: Features::F64(x.view()), schema: None, ..*rows }, state.seed)
            }
            (GmmPhase::KMeansInit(inner), GmmPartial::KMeansInit(part)) => {
                let (em, x) = (self.em(state)?, state.frame()?.standard(&rows.x)?);
                let weight = em.weights_in_training(rows)?;
                let weight = weight.as_deref().or(rows.weight);
                let rows = DatasetRef { x: Features::F64(x.view()), schema: None, weight, ..*rows };
                self.grouping(state).add_block(inner, part, &rows)
            }
            (GmmPhase::InitFromMixture(groups), GmmPartial::Sums(sums)) => self.settling(state)?.expect(groups, sums, rows),
            (GmmPhase::Scatter, GmmPartial::Sums(sums)) => {
                let seed = self.run_seed(state);
                self.em(state)?.scatter(sums, state.plan.components, rows, &state.frame()?.mean, seed)
            }
            (GmmPhase::EmIterations(course), GmmPartial::Sums(sums)) => self.em(state)?.expect(course.parameters(), sums, rows),
            _ => Err(Error::Data("a partial of another pass".into())),
        }
    }

    fn finish(&self, mut state: GmmState, total: GmmPartial, cx: &Context<'_>) -> Result<PassStep<GmmState, GmmModel>> {
        let mut objective = None;
        match (std::mem::replace(&mut state.phase, GmmPhase::Survey), total) {
            (GmmPhase::Survey, GmmPartial::Survey(survey)) => {
                let frame = GmmSetup::new(*survey, self.covariance_type)?;
                self.enough_rows(frame.rows)?;
                state.frame = Some(frame);
                self.begin(&mut state, cx)?;
            }
            (GmmPhase::Sample, GmmPartial::Sample(sample)) => {
                state.sample = Some(sample);
                self.begin(&mut state, cx)?;
            }
            (GmmPhase::KMeansInit(inner), GmmPartial::KMeansInit(part)) => {
                state.phase = match self.grouping(&state).finish(*inner, part, cx)? {
                    PassStep::NextPass(inner, _) => GmmPhase::KMeansInit(Box::new(inner)),
                    PassStep::Done(groups) => {
                        let frame = state.frame()?;
                        let centers = frame.raw(groups.centers());
                        GmmPhase::InitFromMixture(nearest_in_units(centers, &frame.unit, self.covariance_type.follows_scales())?)
                    }
                };
            }
            (GmmPhase::InitFromMixture(groups), GmmPartial::Sums(sums)) => {
                state.phase = self.first_iteration(&state, self.em(&state)?.estimate(Some(&groups), *sums)?)?;
            }
            (GmmPhase::Scatter, GmmPartial::Sums(sums)) => {
                state.phase = self.first_iteration(&state, self.em(&state)?.estimate(None, *sums)?)?;
            }
            (GmmPhase::EmIterations(course), GmmPartial::Sums(sums)) => {
                let em = self.em(&state)?;
                let (sizes, held_out) = (sums.sizes(), (sums.held_out, sums.held_out_weight));
                let rules = EmStop { tol: self.tol, max_iter: self.max_iter };
                match course.step(&em, *sums, &rules, cx)? {
                    EmStep::Continue(course) => {
                        objective = course.objective();
                        state.phase = GmmPhase::EmIterations(Box::new(course));
                    }
                    EmStep::Done(climbed) => {
                        let (frame, p) = (state.frame()?, state.cols);
                        let needed = self.covariance_type.rows_needed(p);
                        let collapsed = (0..sizes.len()).filter(|&c| sizes[c] < needed * (1.0 - 1e-9)).collect();
                        objective = Some(climbed.objective.value());
                        let outcome = GmmRun { climbed, sizes, collapsed, held_out };
                        // Where there are too few rows for all, another start cannot help.
                        let room = frame.weight >= 2.0 * needed * state.plan.components as f64;
                        let (most, redraw) = (self.max_components(frame), self.draws(&state) && (self.n_init > 1 || room));
                        if let Some(best) = state.plan.record(outcome, self, most, redraw) {
                            return self.model(&state, best).map(PassStep::Done);
                        }
                        if cx.deadline_passed()
                            && let Some(mut best) = state.plan.best_so_far()
                        {
                            best.climbed.converged = false;
                            return self.model(&state, best).map(PassStep::Done);
                        }
                        self.begin(&mut state, cx)?;
                    }
                }
            }
            _ => return Err(Error::Data("a partial of another pass".into())),
        }
        Ok(PassStep::NextPass(state, objective))
    }

    fn model_so_far(&self, state: &GmmState) -> Option<GmmModel> {
        let of_course = || match &state.phase {
            GmmPhase::EmIterations(course) if state.plan.fold.is_none() => {
                let climbed = course.best_so_far()?;
                let k = climbed.parameters.components();
                let sizes = climbed.parameters.weights().iter().map(|w| w * climbed.objective.weight).collect::<Vec<_>>();
                debug_assert_eq!(sizes.len(), k);
                Some(GmmRun { climbed, sizes, collapsed: Vec::new(), held_out: (0.0, 0.0) })
            }
            _ => None,
        };
        let mut best = state.plan.best_so_far().or_else(of_course)?;
        best.climbed.converged = false;
        self.model(state, best).ok()
    }
}

impl Gmm {
    fn enough_rows(&self, rows: u64) -> Result<()> {
        let k = self.n_components as u64;
        if rows == 0 {
            return Err(Error::Data("no row has a cell that is not missing".into()));
        }
        if rows >= k || self.choose.is_some() {
            return Ok(());
        }
        Err(Error::Data(format!("there are {rows} rows, and {k} components need at least {k}; lower n_components")))
    }

    /// The greatest number of components that is tried.
    fn max_components(&self, frame: &GmmSetup) -> usize {
        self.n_components.min(usize::try_from(frame.rows).unwrap_or(usize::MAX))
    }

    /// Whether a further start would differ from the present one.
    fn draws(&self, state: &GmmState) -> bool {
        self.means_init.is_none() && state.plan.components > 1
    }

    /// A number for all draws of the present run.
    fn run_seed(&self, state: &GmmState) -> u64 {
        let plan = &state.plan;
        let run = plan.start + 1_000_000 * (plan.fold.map_or(0, |f| f + 1) + 1_001 * plan.components as u64);
        RngStream::new(state.seed, "gmm start", run).next_u64()
    }

    /// The model of the present run as EM sees it.
    fn em(&self, state: &GmmState) -> Result<GaussianEm> {
        let frame = state.frame()?;
        let fold = state.plan.fold.map(|number| HashFold { number, of: self.folds, seed: state.seed });
        Ok(GaussianEm {
            covariance_type: self.covariance_type,
            hard: self.algorithm == EmAlgorithm::Hard,
            equal_weights: self.equal_weights,
            reg_covar: self.reg_covar,
            regularize: self.regularize,
            unit: frame.unit.clone(),
            prior: self.prior(frame, state.plan.components)?,
            incomplete: frame.incomplete,
            fold,
        })
    }

    /// [`Gmm::em`] for the pass that takes the groups of a start as they are.
    fn settling(&self, state: &GmmState) -> Result<GaussianEm> {
        Ok(GaussianEm { hard: true, regularize: CovarianceRegularization::Floor, ..self.em(state)? })
    }

    fn prior(&self, frame: &GmmSetup, components: usize) -> Result<Option<WishartPrior>> {
        let Some(df) = self.degrees_of_freedom_prior else { return Ok(None) };
        let p = frame.mean.len();
        let identity = |v: f64| Mat::from_fn(p, p, |i, j| if i == j { v } else { 0.0 });
        let scatter = match GmmInit::new(self, Some(p))?.prior {
            Some(PriorScatter::Matrix(m)) => m,
            Some(PriorScatter::Number(v)) => identity(v),
            None => {
                // The covariance of all rows, shared out among the components by volume.
                let share = frame.weight * (components as f64).powf(2.0 / p as f64);
                let square = frame.scatter.rows() == p;
                Mat::from_fn(p, p, |i, j| match (square, i == j) {
                    (true, _) => frame.scatter[(i, j)] / share,
                    (false, true) => frame.scatter[(0, j)] / share,
                    (false, false) => 0.0,
                })
            }
        };
        Ok(Some(WishartPrior { df, scatter }))
    }

    /// k-means as it finds the groups of a start.
    fn grouping(&self, state: &GmmState) -> KMeans {
        KMeans { n_clusters: ClusterCount::Count(state.plan.components), n_init: 1.into(), ..KMeans::default() }
    }

    /// Prepares the next run: its first pass, or its start where that is known.
    fn begin(&self, state: &mut GmmState, cx: &Context<'_>) -> Result<()> {
        let k = state.plan.components;
        let frame = state.frame()?;
        let start = match (GmmInit::new(self, Some(state.cols))?.means, self.init_params) {
            (Some(means), _) => means,
            (None, _) if k == 1 => Mat::from_vec(1, state.cols, frame.mean.clone()),
            (None, GmmInitMethod::KMeans) => {
                let nothing = Mat::zeros(1, state.cols);
                let cx = Context { seed: self.run_seed(state), ..*cx };
                let inner = self.grouping(state).initial_state(&DatasetRef::new(Features::F64(nothing.view())), &cx)?;
                state.phase = GmmPhase::KMeansInit(Box::new(inner));
                return Ok(());
            }
            (None, GmmInitMethod::Shares) => {
                state.phase = GmmPhase::Scatter;
                return Ok(());
            }
            (None, method) => {
                let Some(sample) = &state.sample else {
                    state.phase = GmmPhase::Sample;
                    return Ok(());
                };
                frame.raw(&sample.centers(k, method == GmmInitMethod::PlusPlus, state.seed, self.run_seed(state), cx)?)
            }
        };
        let start = GaussianMixture::new(vec![1.0 / k as f64; k], start, self.of_all_rows(state)?)?;
        state.phase = self.first_iteration(state, start)?;
        Ok(())
    }

    /// The first step of EM, from a start.
    fn first_iteration(&self, state: &GmmState, start: GaussianMixture) -> Result<GmmPhase> {
        Ok(GmmPhase::EmIterations(Box::new(EmState::new(self.with_given_init(state, start)?))))
    }

    /// The covariance of all rows, for every component.
    fn of_all_rows(&self, state: &GmmState) -> Result<Covariances> {
        let frame = state.frame()?;
        let em = GaussianEm { prior: None, ..self.em(state)? };
        let all = ComponentStats { weight: frame.weight, mean: frame.mean.clone(), scatter: frame.scatter.clone() };
        em.covariances(&vec![all; state.plan.components], (&frame.scatter, frame.weight), |_| None)
    }

    /// A start with the parts in it that were given.
    fn with_given_init(&self, state: &GmmState, start: GaussianMixture) -> Result<GaussianMixture> {
        let init = GmmInit::new(self, Some(state.cols))?;
        if init.weights.is_none() && init.covariances.is_none() {
            return Ok(start);
        }
        let weights = match self.equal_weights {
            true => start.weights().to_vec(),
            false => init.weights.unwrap_or_else(|| start.weights().to_vec()),
        };
        let covariances = init.covariances.unwrap_or_else(|| start.covariances().clone());
        GaussianMixture::new(weights, start.means().clone(), covariances)
    }

    fn model(&self, state: &GmmState, best: GmmRun) -> Result<GmmModel> {
        GmmModel::of(self, best, state.plan.table.clone(), state.frame()?)
    }
}

/// A mixture whose most probable component is the nearest center, in the units of the columns.
fn nearest_in_units(centers: Mat<f64>, unit: &[f64], by_column: bool) -> Result<GaussianMixture> {
    let k = centers.rows();
    let covariances = match by_column {
        true => Covariances::Diag(Mat::from_fn(k, unit.len(), |_, j| unit[j] * unit[j])),
        false => Covariances::TiedSpherical(1.0),
    };
    GaussianMixture::new(vec![1.0 / k as f64; k], centers, covariances)
}
