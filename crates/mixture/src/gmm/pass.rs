//! Fitting in passes: a look at the columns, a start, steps of EM; again for other starts and numbers of components.

use ermine_core::*;
use ermine_math::moments::Moments;
use serde::{Deserialize, Serialize};

use super::e_step::GmmExpectation;
use super::init::{GmmInit, PriorScatter};
use super::m_step::WishartPrior;
use super::selection::{GmmRun, GmmSelection};
use super::{
    CovarianceRegularization, CovarianceType, Covariances, EmAlgorithm, GaussianEm, GaussianMixture, Gmm, GmmInitMethod,
    GmmModel, HashFold,
};
use crate::em::{Em, EmState, EmStep, EmStop};
use ermine_cluster::{ClusterCount, HashSample, KMeans, KMeansPartial, KMeansState};
use ermine_core::blocks::{check_finite, numbers};
use ermine_math::column_moments::ColumnMoments;

/// What a pass is for.
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

/// What is known of all rows after the look.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GmmSetup {
    pub(super) weight: f64,
    /// Rows with weight, and those of them that lack cells.
    pub(super) rows: u64,
    pub(super) rows_with_missing: u64,
    /// Whether any row lacks cells, with or without weight.
    incomplete: bool,
    mean: Vec<f64>,
    /// The unit of each column in which groups are looked for.
    pub(super) unit: Vec<f64>,
    /// The scatter matrix, or its diagonal as one row.
    scatter: Mat<f64>,
}

/// What every block of [`Gmm`] is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GmmState {
    cols: usize,
    seed: u64,
    phase: GmmPhase,
    frame: Option<GmmSetup>,
    sample: Option<HashSample>,
    plan: GmmSelection,
}

/// What the look gathers: complete rows in `moments`, the cells of the others in `columns`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[doc(hidden)]
pub struct ColumnSurvey {
    moments: Moments,
    columns: ColumnMoments,
    /// Rows with weight that lack some cells but not all, and their weight.
    rows_with_missing: u64,
    lacking_weight: f64,
    /// Whether any row lacks cells.
    incomplete: bool,
}

/// What [`Gmm`] gathers in a pass.
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

impl Partial for GmmPartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Survey(a), Self::Survey(b)) => {
                a.moments.merge(b.moments);
                a.columns.merge(b.columns)?;
                a.rows_with_missing += b.rows_with_missing;
                a.lacking_weight += b.lacking_weight;
                a.incomplete |= b.incomplete;
            }
            (Self::Sample(a), Self::Sample(b)) => a.merge(b),
            (Self::KMeansInit(a), Self::KMeansInit(b)) => a.merge(b)?,
            (Self::Sums(a), Self::Sums(b)) => a.merge(*b)?,
            _ => return Err(Error::Data("partials of different passes".into())),
        }
        Ok(())
    }
}

impl ColumnSurvey {
    fn new(cols: usize) -> Self {
        let (moments, columns) = (Moments::new(cols, 0), ColumnMoments::new(cols));
        Self { moments, columns, rows_with_missing: 0, lacking_weight: 0.0, incomplete: false }
    }

    fn add(&mut self, rows: &Dataset<'_>) -> Result<()> {
        let mut scratch = Vec::new();
        let mut block = Moments::new(rows.cols(), 0);
        match &rows.x {
            Features::F64(x) => block.add(*x, None, rows.weight),
            Features::F32(x) => block.add(*x, None, rows.weight),
            other => block.add(numbers(other, &mut scratch, "gmm")?, None, rows.weight),
        }
        if block.is_finite() {
            self.moments.merge(block);
            return Ok(());
        }
        check_finite(&rows.x, rows.schema, &|_| true)?;
        let x = numbers(&rows.x, &mut scratch, "gmm")?;
        let (lacking, whole): (Vec<usize>, Vec<usize>) = (0..x.rows()).partition(|&i| (0..x.cols()).any(|j| x.at(i, j).is_nan()));
        let weights = |of: &[usize]| of.iter().map(|&i| rows.weight_of(i)).collect::<Vec<_>>();
        let (complete, weight) = (x.take_rows(&whole), weights(&whole));
        let mut block = Moments::new(rows.cols(), 0);
        block.add(complete.view(), None, Some(&weight));
        if !block.is_finite() {
            return Err(Error::Numeric("the squares of the columns overflow; scale the columns down".into()));
        }
        self.moments.merge(block);
        let weight = weights(&lacking);
        let some = |&i: &usize| (0..x.cols()).any(|j| !x.at(i, j).is_nan());
        for (i, w) in lacking.iter().zip(&weight).filter(|(_, w)| **w > 0.0) {
            if some(i) {
                self.rows_with_missing += 1;
                self.lacking_weight += w;
            }
        }
        if !lacking.is_empty() {
            self.incomplete = true;
            self.columns.add(x.take_rows(&lacking).view(), Some(&weight));
        }
        Ok(())
    }
}

/// The nearest multiple of 2⁻²⁰.
pub(crate) fn rounded(v: f64) -> f64 {
    const FINE: f64 = (1u32 << 20) as f64;
    (v * FINE).round() / FINE
}

impl GmmSetup {
    fn new(look: ColumnSurvey, kind: CovarianceType) -> Result<Self> {
        let cols = look.moments.x_cols();
        let mut all = ColumnMoments {
            weight: vec![look.moments.weight(); cols],
            missing: vec![0.0; cols],
            mean: look.moments.mean().to_vec(),
            rest: look.moments.mean_low().to_vec(),
            squares: look.moments.scatter_diagonal(),
        };
        let weight = look.moments.weight() + look.lacking_weight;
        let rows = look.moments.rows() + look.rows_with_missing;
        all.merge(look.columns)?;
        if let Some(j) = all.weight.iter().position(|w| *w == 0.0) {
            return Err(Error::Data(format!("column {j}: all cells are missing; leave the column out")));
        }
        let variance: Vec<f64> = (0..cols).map(|j| all.squares[j] / all.weight[j]).collect();
        let common = variance.iter().sum::<f64>() / cols as f64;
        let unit = |v: &f64| match if kind.follows_scales() { *v } else { common } {
            v if v > 0.0 => v.sqrt(),
            _ => 1.0,
        };
        let unit: Vec<f64> = variance.iter().map(unit).collect();
        let scatter = match (kind.is_full(), look.incomplete) {
            (true, false) => look.moments.scatter(),
            (true, true) => Mat::from_fn(cols, cols, |i, j| if i == j { variance[j] * weight } else { 0.0 }),
            (false, _) => Mat::from_fn(1, cols, |_, j| variance[j] * weight),
        };
        Ok(Self {
            weight,
            rows,
            rows_with_missing: look.rows_with_missing,
            incomplete: look.incomplete,
            mean: all.mean,
            unit,
            scatter,
        })
    }

    /// Rows in the units in which groups are looked for, with means for missing cells. They are rounded to a millionth of a unit: draws go by
    /// what rows hold, and must be the same whatever the units and the origin of the columns.
    fn standard(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let mut scratch = Vec::new();
        let x = numbers(x, &mut scratch, "gmm")?;
        let cell = |v: f64, j: usize| if v.is_nan() { 0.0 } else { rounded((v - self.mean[j]) / self.unit[j]) };
        Ok(Mat::from_fn(x.rows(), x.cols(), |i, j| cell(*x.at(i, j), j)))
    }

    fn raw(&self, centres: &Mat<f64>) -> Mat<f64> {
        Mat::from_fn(centres.rows(), centres.cols(), |c, j| self.mean[j] + self.unit[j] * centres[(c, j)])
    }
}

impl GmmState {
    fn frame(&self) -> Result<&GmmSetup> {
        self.frame.as_ref().ok_or_else(|| Error::Data("a step before the look at the columns".into()))
    }
}

impl PassLearner for Gmm {
    type State = GmmState;
    type Partial = GmmPartial;

    fn block_rows(&self, cols: usize) -> usize {
        // The sums of a block should cost less than its rows.
        let sums = if self.covariance_type.is_full() { cols } else { 4 };
        (4 * self.n_components.saturating_mul(sums)).next_power_of_two().clamp(BLOCK_ROWS, 1 << 18)
    }

    fn initial_state(&self, head: &Dataset<'_>, cx: &Context<'_>) -> Result<GmmState> {
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

    fn add_block(&self, state: &GmmState, part: &mut GmmPartial, rows: &Dataset<'_>) -> Result<()> {
        rows.x.expect_cols(state.cols)?;
        match (&state.phase, part) {
            (GmmPhase::Survey, GmmPartial::Survey(look)) => look.add(rows),
            (GmmPhase::Sample, GmmPartial::Sample(sample)) => {
                let x = state.frame()?.standard(&rows.x)?;
                sample.add(&Dataset { x: Features::F64(x.view()), schema: None, ..*rows }, state.seed)
            }
            (GmmPhase::KMeansInit(inner), GmmPartial::KMeansInit(part)) => {
                let (em, x) = (self.em(state)?, state.frame()?.standard(&rows.x)?);
                let weight = em.weights_in_training(rows)?;
                let weight = weight.as_deref().or(rows.weight);
                let rows = Dataset { x: Features::F64(x.view()), schema: None, weight, ..*rows };
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
            (GmmPhase::Survey, GmmPartial::Survey(look)) => {
                let frame = GmmSetup::new(*look, self.covariance_type)?;
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
                        let centres = frame.raw(groups.centres());
                        GmmPhase::InitFromMixture(nearest_in_units(centres, &frame.unit, self.covariance_type.follows_scales())?)
                    }
                };
            }
            (GmmPhase::InitFromMixture(groups), GmmPartial::Sums(sums)) => {
                let start = self.em(&state)?.estimate(Some(&groups), *sums)?;
                state.phase = GmmPhase::EmIterations(Box::new(EmState::new(self.with_given_init(&state, start)?)));
            }
            (GmmPhase::Scatter, GmmPartial::Sums(sums)) => {
                let start = self.em(&state)?.estimate(None, *sums)?;
                state.phase = GmmPhase::EmIterations(Box::new(EmState::new(self.with_given_init(&state, start)?)));
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
            regularise: self.regularise,
            unit: frame.unit.clone(),
            prior: self.prior(frame, state.plan.components)?,
            incomplete: frame.incomplete,
            fold,
        })
    }

    /// [`Gmm::em`] for the pass that takes the groups of a start as they are.
    fn settling(&self, state: &GmmState) -> Result<GaussianEm> {
        Ok(GaussianEm { hard: true, regularise: CovarianceRegularization::Floor, ..self.em(state)? })
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
        let given = GmmInit::new(self, Some(state.cols))?;
        let start = match (given.means, self.init_params) {
            (Some(means), _) => means,
            (None, _) if k == 1 => Mat::from_vec(1, state.cols, frame.mean.clone()),
            (None, GmmInitMethod::KMeans) => {
                let nothing = Mat::zeros(1, state.cols);
                let cx = Context { seed: self.run_seed(state), ..*cx };
                let inner = self.grouping(state).initial_state(&Dataset::new(Features::F64(nothing.view())), &cx)?;
                state.phase = GmmPhase::KMeansInit(Box::new(inner));
                return Ok(());
            }
            (None, GmmInitMethod::Shares) => {
                state.phase = GmmPhase::Scatter;
                return Ok(());
            }
            (None, init) => {
                let Some(sample) = &state.sample else {
                    state.phase = GmmPhase::Sample;
                    return Ok(());
                };
                frame.raw(&sample.centres(k, init == GmmInitMethod::PlusPlus, state.seed, self.run_seed(state), cx)?)
            }
        };
        let start = GaussianMixture::new(vec![1.0 / k as f64; k], start, self.of_all_rows(frame, k)?)?;
        state.phase = GmmPhase::EmIterations(Box::new(EmState::new(self.with_given_init(state, start)?)));
        Ok(())
    }

    /// The covariance of all rows, for every component.
    fn of_all_rows(&self, frame: &GmmSetup, k: usize) -> Result<Covariances> {
        let em = GaussianEm {
            covariance_type: self.covariance_type,
            hard: false,
            equal_weights: false,
            reg_covar: self.reg_covar,
            regularise: self.regularise,
            unit: frame.unit.clone(),
            prior: None,
            incomplete: false,
            fold: None,
        };
        let (s, w, p) = (&frame.scatter, frame.weight, frame.mean.len());
        let mean = || em.variance(s.row(0).iter().sum(), |_| 0.0, w, p as f64, frame.unit[0]);
        Ok(match self.covariance_type {
            CovarianceType::Full => Covariances::Full(vec![em.full(s, w)?; k]),
            CovarianceType::Tied => Covariances::Tied(em.full(s, w)?),
            CovarianceType::Diag => {
                Covariances::Diag(Mat::from_fn(k, p, |_, j| em.variance(s[(0, j)], |_| 0.0, w, 1.0, frame.unit[j])))
            }
            CovarianceType::Spherical => Covariances::Spherical(vec![mean(); k]),
            CovarianceType::TiedSpherical => Covariances::TiedSpherical(mean()),
        })
    }

    /// A start with the parts in it that were given.
    fn with_given_init(&self, state: &GmmState, start: GaussianMixture) -> Result<GaussianMixture> {
        let given = GmmInit::new(self, Some(state.cols))?;
        if given.weights.is_none() && given.covariances.is_none() {
            return Ok(start);
        }
        let weights = match self.equal_weights {
            true => start.weights().to_vec(),
            false => given.weights.unwrap_or_else(|| start.weights().to_vec()),
        };
        let covariances = given.covariances.unwrap_or_else(|| start.covariances().clone());
        GaussianMixture::new(weights, start.means().clone(), covariances)
    }

    fn model(&self, state: &GmmState, best: GmmRun) -> Result<GmmModel> {
        GmmModel::of(self, best, state.plan.table.clone(), state.frame()?)
    }
}

/// A mixture whose most probable component is the nearest centre, in the units of the columns.
fn nearest_in_units(centres: Mat<f64>, unit: &[f64], by_column: bool) -> Result<GaussianMixture> {
    let k = centres.rows();
    let covariances = match by_column {
        true => Covariances::Diag(Mat::from_fn(k, unit.len(), |_, j| unit[j] * unit[j])),
        false => Covariances::TiedSpherical(1.0),
    };
    GaussianMixture::new(vec![1.0 / k as f64; k], centres, covariances)
}
