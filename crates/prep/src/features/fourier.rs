//! Sines and cosines of columns.

use std::f64::consts::TAU;

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::placement::{PlacementState, gather_places, refuse_if};
use ermine_core::blocks::{by_blocks, numbers};

/// The Fourier basis of each column: sines and cosines of the multiples of one frequency.
///
/// # What it computes
/// Sin(2πk x / P) and cos(2πk x / P) for k = 1 … `order`, with P the period of the column.
///
/// # When to use it
/// In front of a linear learner for periodic columns: hours, days of the year, angles. By default the period is the range
/// of the column, which suits a cycle that the data cover once.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::features::{Fourier, PeriodChoice};
///
/// let hour = Features::F64(MatRef::row_major(&[0.0, 6.0, 18.0], 3, 1));
/// let day = Fourier { order: 1, period: PeriodChoice::One(24.0) };
/// let z = day.fit_with(&DatasetRef::new(hour), &Context::default())?.transform(&hour)?;
/// assert!((z[(1, 0)] - 1.0).abs() < 1e-15 && (z[(2, 0)] + 1.0).abs() < 1e-15 && z[(0, 1)] == 1.0);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass; 2 · `order` columns for each column.
///
/// # What it does not do
/// It does not find periods, nor draw random frequencies.
///
/// # Reference
/// Hyndman, Athanasopoulos: Forecasting: Principles and Practice, 3rd ed. 2021, section 7.4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fourier {
    /// Number of multiples of the base frequency.
    pub order: usize,
    /// The period.
    pub period: PeriodChoice,
}

/// The period of the columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PeriodChoice {
    /// The same for all columns.
    One(f64),
    /// One per column.
    Each(Vec<f64>),
    /// The range of each column in training.
    Range,
}

impl Default for Fourier {
    fn default() -> Self {
        Self { order: 3, period: PeriodChoice::Range }
    }
}

const PERIOD: Range = Range::Real { min: 0.0, max: f64::MAX, above: true, log: true };

impl Fourier {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "fourier";
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "order",
        doc: "How many multiples of the frequency there are; each adds a sine and a cosine.",
        range: Range::Int { min: 1, max: 100_000 },
    },
    ParamSpec {
        name: "period",
        doc: "The period of a column: a number, a list with one per column, or null for the range of each \
                      column in training (1 for a constant one).",
        range: Range::Optional(&Range::Either(&PERIOD, &Range::List(&PERIOD))),
    },
];

#[cfg(feature = "fit")]
impl Learner for Fourier {
    type Model = FourierModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Sines and cosines of each column, for periodic effects",
        objective: "sin(2 pi k x / P), cos(2 pi k x / P) for k = 1 ... order, with P the period",
        notes: "In front of a linear model for cycles: hours, days of the year, angles. 2 x order columns for each column, one \
                pass. Does not find periods, nor draw random frequencies.",
        reference: "Hyndman, Athanasopoulos, Forecasting: Principles and Practice, 3rd ed., 2021, section 7.4",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: PARAMS,
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<FourierModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<FourierModel> {
        FourierModel::load(input)
    }
}

impl FourierModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let params: Fourier = input.field("params")?;
        check_ranges(Fourier::NAME, PARAMS, &params)?;
        let period: Vec<f64> = input.vec("period")?;
        if period.is_empty() || period.iter().any(|p| !(p.is_finite() && *p > 0.0)) {
            return Err(Error::Model("fourier: a period is not above 0".into()));
        }
        Ok(FourierModel { params, period })
    }
}

impl Fourier {
    fn places(&self, columns: usize) -> Result<PlacementState> {
        match &self.period {
            PeriodChoice::Each(each) if each.len() != columns => {
                Err(Error::Length { what: "periods".into(), expected: columns, found: each.len() })
            }
            _ => Ok(PlacementState::new(columns, false, 0)),
        }
    }

    fn model(&self, places: &PlacementState) -> Result<FourierModel> {
        let period = |j: usize| match &self.period {
            PeriodChoice::One(p) => *p,
            PeriodChoice::Each(each) => each[j],
            PeriodChoice::Range => {
                let (low, high) = places.range(j);
                if high > low { high - low } else { 1.0 }
            }
        };
        Ok(FourierModel { params: self.clone(), period: (0..places.columns()).map(period).collect() })
    }
}

#[cfg(feature = "fit")]
gather_places!(Fourier, FourierModel, |_| false);

/// The period of each column.
///
/// Saved arrays: `period` (columns).
#[derive(Debug, Clone, PartialEq)]
pub struct FourierModel {
    params: Fourier,
    period: Vec<f64>,
}

impl FourierModel {
    /// The period of each column.
    pub fn period(&self) -> &[f64] {
        &self.period
    }
}

ermine_core::display_as_report!(FourierModel);

impl Model for FourierModel {
    fn n_features(&self) -> usize {
        self.period.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let rows = self.period.iter().enumerate().map(|(j, &p)| vec![schema.name(j).into(), p.into()]).collect();
        report.table("Periods", &["column", "period"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("params", &self.params)?;
        out.vec("period", &self.period);
        Ok(())
    }
}

impl Transformer for FourierModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let cols = self.period.len();
        x.expect_cols(cols)?;
        let width = 2 * self.params.order;
        by_blocks(x, cols * width, |block, _, out| {
            let (mut scratch, mut bad) = (Vec::new(), false);
            let rows = numbers(block, &mut scratch, Fourier::NAME)?;
            for i in 0..rows.rows() {
                for j in 0..cols {
                    // The remainder is exact, so that far multiples of the period lose no digits.
                    let turn = (rows.at(i, j) % self.period[j]) / self.period[j];
                    bad |= !turn.is_finite();
                    let new = &mut out[(i * cols + j) * width..(i * cols + j + 1) * width];
                    for (k, pair) in new.chunks_exact_mut(2).enumerate() {
                        let angle = TAU * (((k + 1) as f64 * turn) % 1.0);
                        (pair[0], pair[1]) = angle.sin_cos();
                    }
                }
            }
            refuse_if(bad, block)
        })
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        Some((0..self.period.len()).flat_map(|j| vec![j; 2 * self.params.order]).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        let names = (0..self.period.len()).flat_map(|j| {
            let column = input.name(j);
            (1..=self.params.order).flat_map(move |k| [format!("{column}_sin_{k}"), format!("{column}_cos_{k}")])
        });
        Schema::numbers(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_is_orthogonal_over_a_period_and_repeats() {
        let n = 96;
        let x: Vec<f64> = (0..n).map(|i| f64::from(i) * 24.0 / f64::from(n)).collect();
        let view = Features::F64(MatRef::row_major(&x, x.len(), 1));
        let f = Fourier { order: 5, period: PeriodChoice::One(24.0) };
        let model = f.fit_with(&DatasetRef::new(view), &Context::default()).unwrap();
        let z = model.transform(&view).unwrap();
        for a in 0..10 {
            for b in 0..10 {
                let dot: f64 = (0..z.rows()).map(|i| z[(i, a)] * z[(i, b)]).sum();
                let want = if a == b { f64::from(n) / 2.0 } else { 0.0 };
                assert!((dot - want).abs() < 1e-12, "{a} {b} {dot}");
            }
        }
        // 24 · 2^40 periods later every digit is still right.
        let far = [5.5 + 24.0 * 1_099_511_627_776.0];
        let far = model.transform(&Features::F64(MatRef::row_major(&far, 1, 1))).unwrap();
        for (k, z) in far.as_slice().iter().enumerate() {
            let angle = TAU * (k / 2 + 1) as f64 * 5.5 / 24.0;
            let want = if k % 2 == 0 { angle.sin() } else { angle.cos() };
            assert!((z - want).abs() < 1e-13, "{k}");
        }
    }

    #[test]
    fn the_range_is_the_period_and_bad_cells_are_named() {
        let x = [0.0, 7.0, 4.0, 7.0];
        let view = Features::F64(MatRef::row_major(&x, 2, 2));
        let model = Fourier::default().fit_with(&DatasetRef::new(view), &Context::default()).unwrap();
        assert_eq!(model.period(), [4.0, 1.0]);
        assert_eq!(model.schema_out(&Schema::unnamed(2)).names().take(2).collect::<Vec<_>>(), ["x0_sin_1", "x0_cos_1"]);
        let bad = [1.0, f64::INFINITY];
        let e = model.transform(&Features::F64(MatRef::row_major(&bad, 1, 2))).unwrap_err().to_string();
        assert!(e.contains("column 1"), "{e}");
        let e = Fourier { period: PeriodChoice::Each(vec![1.0]), order: 1 }.fit_with(&DatasetRef::new(view), &Context::default());
        assert!(e.unwrap_err().to_string().contains("periods"));
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Fourier::load(&out.clone().into_reader()).unwrap(), model);
        out.vec("period", &[0.0, 1.0]);
        assert!(Fourier::load(&out.into_reader()).is_err());
    }
}
