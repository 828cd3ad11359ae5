//! B-splines of columns.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::KnotPlacement;
use super::placement::{PlacementState, gather_places};
use ermine_core::blocks::{by_blocks, column_label, numbers};

/// A B-spline basis for each column: smooth local functions that sum to 1, so that a linear learner on them fits
/// piecewise polynomials.
///
/// # What it computes
/// z_jk = B_k(x_j), the k-th B-spline of a degree over the knots of column j, by the recurrence of de Boor and Cox. With
/// `n_knots` knots there are `n_knots + degree - 1` of them, at most `degree + 1` not zero at any x. Knots outside the
/// range continue at the distance of the outermost two, as in P-splines.
///
/// # When to use it
/// In front of a linear learner, instead of powers: it is local, well conditioned, and its behavior beyond the data is a
/// parameter (`extrapolation`).
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::features::Spline;
///
/// let x: Vec<f64> = (0..11).map(f64::from).collect();
/// let x = Features::F64(MatRef::row_major(&x, 11, 1));
/// let model = Spline { n_knots: 3, ..Spline::default() }.fit_with(&DatasetRef::new(x), &Context::default())?;
/// let z = model.transform(&x)?;
/// assert_eq!(z.cols(), 5);
/// assert!((z.row(4).iter().sum::<f64>() - 1.0).abs() < 1e-15);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass for uniform knots, about four more for each inner quantile; `(degree + 1)²` operations per cell.
///
/// # What it does not do
/// It does not choose the number of knots, nor penalize roughness: a ridge on them does.
///
/// # Reference
/// de Boor: A Practical Guide to Splines, 1978; Eilers, Marx: Flexible smoothing with B-splines and penalties,
/// Statistical Science 11 (1996).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "SplineTransformer")]
pub struct Spline {
    /// Number of knots along each column.
    pub n_knots: usize,
    /// The degree of the pieces.
    pub degree: usize,
    /// Placement of the knots.
    pub knots: KnotChoice,
    /// Extrapolation beyond the first and the last knot.
    pub extrapolation: Extrapolation,
    /// Whether the last spline of each column is kept; all of them sum to 1.
    pub include_bias: bool,
    /// Treatment of missing cells.
    pub handle_missing: HandleMissing,
}

/// Placement of knots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum KnotChoice {
    /// By the training data.
    Placed(KnotPlacement),
    /// Given: one row per knot, ascending, one value per column.
    At(Vec<Vec<f64>>),
}

/// Extrapolation beyond the knots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extrapolation {
    /// An error.
    Error,
    /// Constant values.
    Constant,
    /// Along the tangents.
    Linear,
    /// By the outermost polynomials.
    Continue,
    /// Periodically.
    Periodic,
}

/// Treatment of missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HandleMissing {
    /// An error.
    Error,
    /// All their splines are 0.
    Zeros,
}

impl Default for Spline {
    fn default() -> Self {
        Self {
            n_knots: 5,
            degree: 3,
            knots: KnotChoice::Placed(KnotPlacement::Uniform),
            extrapolation: Extrapolation::Constant,
            include_bias: true,
            handle_missing: HandleMissing::Error,
        }
    }
}

const ANY_NUMBER: Range = Range::Real { min: f64::NEG_INFINITY, max: f64::INFINITY, above: false, log: false };

impl Spline {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "spline";
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "n_knots",
        doc: "How many knots there are along each column, both ends included; of no effect when knots are given.",
        range: Range::Int { min: 2, max: 100_000 },
    },
    ParamSpec {
        name: "degree",
        doc: "The degree of the pieces: 0 steps, 1 lines, 3 cubic curves with continuous curvature.",
        range: Range::Int { min: 0, max: 64 },
    },
    ParamSpec {
        name: "knots",
        doc: "Where the knots are: \"uniform\" over the range of the column, at its \"quantile\"s, or a list with a list for \
                      each knot that holds a position for each column, ascending.",
        range: Range::Either(&Range::Choice(&["uniform", "quantile"]), &Range::List(&Range::List(&ANY_NUMBER))),
    },
    ParamSpec {
        name: "extrapolation",
        doc: "Beyond the first and the last knot: \"error\" is an error, \"constant\" continues with the values at the \
                      end, \"linear\" with their tangents, \"continue\" with the outermost polynomials, \"periodic\" starts over.",
        range: Range::Choice(&["error", "constant", "linear", "continue", "periodic"]),
    },
    ParamSpec {
        name: "include_bias",
        doc: "Whether the last spline of each column is kept. All of them add up to 1, which an intercept already represents.",
        range: Range::Bool,
    },
    ParamSpec {
        name: "handle_missing",
        doc: "What to do with missing cells: \"error\" refuses them, \"zeros\" makes all their splines 0.",
        range: Range::Choice(&["error", "zeros"]),
    },
];

impl Spline {
    /// What [`Learner::check`] refuses, also in a file.
    pub(crate) fn check_values(&self) -> Result<()> {
        check_ranges(Self::NAME, PARAMS, self)?;
        let refuse = |name: &str, value: String, expected: String| Err(Error::parameter(Self::NAME, name, value, expected));
        let mut count = self.n_knots;
        if let KnotChoice::At(rows) = &self.knots {
            count = rows.len();
            if rows.len() < 2 {
                return refuse("knots", format!("{} knots", rows.len()), "at least 2 are needed".into());
            }
            if let Some(k) = rows.iter().position(|r| r.len() != rows[0].len() || r.iter().any(|v| !v.is_finite())) {
                return refuse("knots", format!("knot {k}"), "a finite number per column is needed".into());
            }
            if let Some(k) = (1..rows.len()).find(|&k| rows[k].iter().zip(&rows[k - 1]).any(|(b, a)| b <= a)) {
                return refuse("knots", format!("knot {k}"), "knots must be sorted without duplicates".into());
            }
        }
        if self.extrapolation == Extrapolation::Periodic && count <= self.degree {
            let expected = format!("periodic splines need more knots than their degree, {}", self.degree);
            return refuse("n_knots", count.to_string(), expected);
        }
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl Learner for Spline {
    type Model = SplineModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "B-splines of each column: local polynomials that join smoothly",
        objective: "z_jk = B_k(x_j), B-splines of a degree over the knots of column j; they add up to 1",
        notes: "In front of a linear model that is to follow curves; better conditioned than powers, and it says what happens beyond \
                the data. n_knots + degree - 1 columns for each column (n_knots - 1 when periodic). One pass for uniform \
                knots, about four more for each inner quantile. Does not choose the number of knots.",
        reference: "de Boor, A Practical Guide to Splines, 1978; Eilers, Marx, Statistical Science 11 (1996)",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: PARAMS,
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_values()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<SplineModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<SplineModel> {
        SplineModel::load(input)
    }
}

impl SplineModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let params: Spline = input.field("params")?;
        params.check_values()?;
        let knots: Mat<f64> = input.mat("knots")?;
        let count = match &params.knots {
            KnotChoice::Placed(_) => params.n_knots,
            KnotChoice::At(rows) => rows.len(),
        };
        let right = knots.cols() > 0 && knots.rows() == count + 2 * params.degree;
        let ascending = (1..knots.rows()).all(|k| knots.row(k).iter().zip(knots.row(k - 1)).all(|(b, a)| b >= a));
        if !right || !ascending || knots.as_slice().iter().any(|v| !v.is_finite()) {
            return Err(Error::Model(format!("spline: {} x {} knots that are none", knots.rows(), knots.cols())));
        }
        Ok(SplineModel { params, knots })
    }
}

impl Spline {
    fn quantiles(&self) -> bool {
        self.knots == KnotChoice::Placed(KnotPlacement::Quantile)
    }

    fn places(&self, columns: usize) -> Result<PlacementState> {
        if let KnotChoice::At(rows) = &self.knots
            && rows[0].len() != columns
        {
            return Err(Error::Length { what: "columns of the knots".into(), expected: columns, found: rows[0].len() });
        }
        let missing = self.handle_missing == HandleMissing::Zeros;
        Ok(PlacementState::new(columns, missing, if self.quantiles() { self.n_knots } else { 0 }))
    }

    /// The knots of a column: those over its range and as many as the degree on either side.
    fn all_knots(&self, base: &[f64]) -> Vec<f64> {
        let (n, degree) = (base.len(), self.degree);
        let mut all = Vec::with_capacity(n + 2 * degree);
        if self.extrapolation == Extrapolation::Periodic {
            let period = base[n - 1] - base[0];
            all.extend((n - 1 - degree..n - 1).map(|k| base[k] - period));
            all.extend_from_slice(base);
            all.extend((1..=degree).map(|k| base[k] + period));
        } else {
            let (first, last) = (base[1] - base[0], base[n - 1] - base[n - 2]);
            all.extend((1..=degree).rev().map(|k| base[0] - k as f64 * first));
            all.extend_from_slice(base);
            all.extend((1..=degree).map(|k| base[n - 1] + k as f64 * last));
        }
        all
    }

    fn model(&self, places: &PlacementState) -> Result<SplineModel> {
        let columns: Vec<Vec<f64>> = (0..places.columns())
            .map(|j| {
                self.all_knots(&match &self.knots {
                    KnotChoice::Placed(KnotPlacement::Uniform) => places.uniform(j, self.n_knots),
                    KnotChoice::Placed(KnotPlacement::Quantile) => places.quantiles(j),
                    KnotChoice::At(rows) => rows.iter().map(|r| r[j]).collect(),
                })
            })
            .collect();
        if let Some(j) = columns.iter().position(|c| c.iter().any(|v| !v.is_finite())) {
            return Err(Error::Numeric(format!("spline: the knots beyond the range of column {j} overflow")));
        }
        Ok(SplineModel { params: self.clone(), knots: Mat::from_fn(columns[0].len(), columns.len(), |k, j| columns[j][k]) })
    }
}

#[cfg(feature = "fit")]
gather_places!(Spline, SplineModel, Spline::quantiles);

/// The knots of each column.
///
/// Saved arrays: `knots` (knots with those beyond the ends, columns).
#[derive(Debug, Clone, PartialEq)]
pub struct SplineModel {
    params: Spline,
    knots: Mat<f64>,
}

/// The splines that are not zero at x: `values[k]` belongs to spline `ell - degree + k`. With `slope` it is their derivative.
///
/// The recurrence of de Boor and Cox; an interval of no length has no spline of its own.
fn basis(t: &[f64], degree: usize, ell: usize, x: f64, slope: bool, values: &mut [f64], old: &mut [f64]) {
    values.fill(0.0);
    if slope && degree == 0 {
        return;
    }
    values[0] = 1.0;
    for j in 1..=degree {
        old[..j].copy_from_slice(&values[..j]);
        values[0] = 0.0;
        for n in 1..=j {
            let (right, left) = (t[ell + n], t[ell + n - j]);
            if right == left {
                values[n] = 0.0;
                continue;
            }
            if slope && j == degree {
                let w = j as f64 * old[n - 1] / (right - left);
                values[n - 1] -= w;
                values[n] = w;
            } else {
                let w = old[n - 1] / (right - left);
                values[n - 1] += w * (right - x);
                values[n] = w * (x - left);
            }
        }
    }
}

impl SplineModel {
    /// The knots of each column, with those beyond its ends: one row per knot.
    pub fn knots(&self) -> &Mat<f64> {
        &self.knots
    }

    /// Splines of a column, all of them.
    pub fn n_splines(&self) -> usize {
        let inner = self.knots.rows() - self.params.degree - 1;
        if self.params.extrapolation == Extrapolation::Periodic { inner - self.params.degree } else { inner }
    }

    fn kept(&self) -> usize {
        self.n_splines() - usize::from(!self.params.include_bias)
    }

    /// Writes the splines of one cell; false when the cell is outside and that is an error.
    fn cell(&self, t: &[f64], x: f64, scratch: &mut [f64], out: &mut [f64]) -> bool {
        let degree = self.params.degree;
        let (splines, last) = (self.n_splines(), t.len() - degree - 1);
        let (low, high) = (t[degree], t[last]);
        let (values, old) = scratch.split_at_mut(degree + 1);
        out.fill(0.0);
        // Where to evaluate, and the distance to extrapolate along the tangent.
        let (at, beyond) = match self.params.extrapolation {
            Extrapolation::Error if !(low..=high).contains(&x) => return false,
            Extrapolation::Constant => (x.clamp(low, high), 0.0),
            Extrapolation::Linear => (x.clamp(low, high), x - x.clamp(low, high)),
            Extrapolation::Periodic if high > low => (low + (x - low).rem_euclid(high - low), 0.0),
            Extrapolation::Periodic => (low, 0.0),
            Extrapolation::Error | Extrapolation::Continue => (x, 0.0),
        };
        // The last interval that starts at or before x, of those between the ends.
        let ell = (t[degree + 1..last].partition_point(|&k| k <= at) + degree).min(last - 1);
        basis(t, degree, ell, at, false, values, old);
        for k in 0..=degree {
            out[(ell - degree + k) % splines] += values[k];
        }
        if beyond != 0.0 {
            basis(t, degree, ell, at, true, values, old);
            for k in 0..=degree {
                out[(ell - degree + k) % splines] += values[k] * beyond;
            }
        }
        true
    }
}

ermine_core::display_as_report!(SplineModel);

impl Model for SplineModel {
    fn n_features(&self) -> usize {
        self.knots.cols()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let degree = self.params.degree;
        let row = |j: usize| -> Vec<Cell> {
            let (low, high) = (self.knots[(degree, j)], self.knots[(self.knots.rows() - degree - 1, j)]);
            vec![schema.name(j).into(), low.into(), high.into(), (self.kept() as f64).into()]
        };
        let rows = (0..self.knots.cols()).map(row).collect();
        report.table("Splines", &["column", "first knot", "last knot", "columns"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("params", &self.params)?;
        out.mat("knots", &self.knots);
        Ok(())
    }
}

impl Transformer for SplineModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let cols = self.knots.cols();
        x.expect_cols(cols)?;
        let (splines, kept) = (self.n_splines(), self.kept());
        let columns: Vec<Vec<f64>> = (0..cols).map(|j| self.knots.view().col_iter(j).collect()).collect();
        let missing = self.params.handle_missing == HandleMissing::Zeros;
        by_blocks(x, cols * kept, |block, _, out| {
            let mut scratch = Vec::new();
            let rows = numbers(block, &mut scratch, Spline::NAME)?;
            let (mut work, mut all) = (vec![0.0; 2 * self.params.degree + 2], vec![0.0; splines]);
            for i in 0..rows.rows() {
                for (j, t) in columns.iter().enumerate() {
                    let v = *rows.at(i, j);
                    if v.is_nan() && missing {
                        continue;
                    }
                    if !v.is_finite() {
                        block.refuse_non_finite(None)?;
                        // Missing cells of a table are not seen by the check above.
                        return Err(Error::NotFinite { column: column_label(None, j), row: i, value: "NaN".into() });
                    }
                    if !self.cell(t, v, &mut work, &mut all) {
                        let (low, high) = (t[self.params.degree], t[t.len() - self.params.degree - 1]);
                        let message = format!("{v} is beyond the limits of the knots, {low} to {high}");
                        return Err(Error::Row { place: format!("column {j}"), row: i, message });
                    }
                    out[(i * cols + j) * kept..(i * cols + j + 1) * kept].copy_from_slice(&all[..kept]);
                }
            }
            Ok(())
        })
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        Some((0..self.knots.cols()).flat_map(|j| vec![j; self.kept()]).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        let names = (0..self.knots.cols()).flat_map(|j| {
            let column = input.name(j);
            (0..self.kept()).map(move |k| format!("{column}_sp_{k}"))
        });
        Schema::numbers(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fit(s: &Spline, x: &[f64], weight: Option<&[f64]>) -> SplineModel {
        let data = DatasetRef::new(Features::F64(MatRef::row_major(x, x.len(), 1))).with_weight(weight);
        s.fit_with(&data, &Context::default()).unwrap()
    }

    fn at(model: &SplineModel, x: f64) -> Vec<f64> {
        model.transform(&Features::F64(MatRef::row_major(&[x], 1, 1))).unwrap().into_vec()
    }

    /// The cardinal cubic B-spline on knots 0, 1, 2, 3, 4.
    fn cardinal(x: f64) -> f64 {
        match x {
            x if !(0.0..4.0).contains(&x) => 0.0,
            x if x < 1.0 => x.powi(3) / 6.0,
            x if x < 2.0 => (-3.0 * x.powi(3) + 12.0 * x * x - 12.0 * x + 4.0) / 6.0,
            x if x < 3.0 => (3.0 * x.powi(3) - 24.0 * x * x + 60.0 * x - 44.0) / 6.0,
            x => (4.0 - x).powi(3) / 6.0,
        }
    }

    #[test]
    fn uniform_cubic_splines_are_the_cardinal_one_moved_along() {
        let model = fit(&Spline { n_knots: 6, ..Spline::default() }, &[0.0, 5.0, 2.2], None);
        assert_eq!(model.n_splines(), 8);
        for k in 0..=500 {
            let x = f64::from(k) / 100.0;
            for (s, z) in at(&model, x).iter().enumerate() {
                let want = cardinal(x - s as f64 + 3.0);
                assert!((z - want).abs() < 1e-14, "{x} {s}: {z} {want}");
            }
        }
    }

    #[test]
    fn beyond_the_knots_each_way_does_what_it_says() {
        let make = |extrapolation| fit(&Spline { extrapolation, ..Spline::default() }, &[0.0, 1.0, 8.0], None);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        let constant = make(Extrapolation::Constant);
        assert_eq!(at(&constant, -3.0), at(&constant, 0.0));
        assert_eq!(at(&constant, 99.0), at(&constant, 8.0));
        let linear = make(Extrapolation::Linear);
        for (edge, side) in [(0.0, -1.0), (8.0, 1.0)] {
            let (here, near) = (at(&linear, edge), at(&linear, edge - side * 1e-7));
            let slope: Vec<f64> = here.iter().zip(&near).map(|(h, n)| (h - n) / 1e-7).collect();
            let want: Vec<f64> = here.iter().zip(&slope).map(|(h, s)| h + 2.0 * s).collect();
            let got = at(&linear, edge + side * 2.0);
            assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-5), "{got:?} {want:?}");
        }
        // The polynomial of the first interval continues: any four points of it determine it.
        let on = make(Extrapolation::Continue);
        for s in 0..on.n_splines() {
            let f = |x: f64| at(&on, x)[s];
            let fourth = f(-1.0) - 4.0 * f(-0.5) + 6.0 * f(0.0) - 4.0 * f(0.5) + f(1.0);
            assert!(fourth.abs() < 1e-12, "{s} {fourth}");
        }
        let periodic = make(Extrapolation::Periodic);
        assert_eq!(periodic.n_splines(), 4);
        assert!(close(&at(&periodic, 1.3), &at(&periodic, 1.3 + 24.0)) && close(&at(&periodic, 0.0), &at(&periodic, 8.0)));
        let strict = make(Extrapolation::Error);
        let x = [8.5];
        let e = strict.transform(&Features::F64(MatRef::row_major(&x, 1, 1))).unwrap_err().to_string();
        assert!(e.contains("8.5") && e.contains("beyond the limits"), "{e}");
    }

    #[test]
    fn quantile_knots_count_weights_as_rows_and_constants_are_sound() {
        let s = Spline { knots: KnotChoice::Placed(KnotPlacement::Quantile), n_knots: 3, ..Spline::default() };
        let twice = fit(&s, &[1.0, 2.0, 9.0], Some(&[1.0, 2.0, 0.0]));
        assert_eq!(twice, fit(&s, &[1.0, 2.0, 2.0], None));
        assert_eq!(twice.knots().as_slice()[3..6], [1.0, 2.0, 2.0]);
        let flat = fit(&Spline::default(), &[4.0, 4.0], None);
        assert!(at(&flat, 4.0).iter().all(|v| v.is_finite()));
        let hole = Spline { handle_missing: HandleMissing::Zeros, ..Spline::default() };
        let model = fit(&hole, &[0.0, f64::NAN, 2.0], None);
        assert_eq!(at(&model, f64::NAN), [0.0; 7]);
    }

    #[test]
    fn knots_that_are_none_are_refused() {
        let refuse = |s: Spline| s.check().unwrap_err().to_string();
        assert!(refuse(Spline { knots: KnotChoice::At(vec![vec![1.0], vec![1.0]]), ..Spline::default() }).contains("sorted"));
        assert!(refuse(Spline { knots: KnotChoice::At(vec![vec![1.0]]), ..Spline::default() }).contains("at least 2"));
        let s = Spline { extrapolation: Extrapolation::Periodic, n_knots: 3, ..Spline::default() };
        assert!(refuse(s).contains("periodic"));
    }

    proptest! {
        #[test]
        fn splines_are_not_negative_and_add_up_to_one(
            x in prop::collection::vec(-1e3f64..1e3, 2..30), degree in 0usize..6, n_knots in 2usize..9, quantile: bool,
        ) {
            prop_assume!(x.iter().any(|v| *v != x[0]));
            let knots = KnotChoice::Placed(if quantile { KnotPlacement::Quantile } else { KnotPlacement::Uniform });
            let model = fit(&Spline { n_knots, degree, knots, ..Spline::default() }, &x, None);
            prop_assert_eq!(model.n_splines(), n_knots + degree - 1);
            for &v in &x {
                let z = at(&model, v);
                prop_assert!(z.iter().all(|z| *z >= -1e-12) && (z.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{:?}", z);
                prop_assert!(z.iter().filter(|z| **z != 0.0).count() <= degree + 1);
            }
            let mut out = ModelWriter::default();
            model.save(&mut out).unwrap();
            prop_assert_eq!(Spline::load(&out.into_reader()).unwrap(), model);
        }
    }
}
