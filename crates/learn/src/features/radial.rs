//! Gaussian bumps along columns.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::Placing;
use super::places::{Places, gather_places, refuse_if};
use crate::prepare::cells::{by_blocks, numbers};
use crate::prepare::name_of;

/// Gaussian radial basis functions of each column.
///
/// **Computes** z_jk = exp(-(x_j - c_jk)² / (2 s_j²)) for the centres c_jk of column j and its width s_j.
///
/// **Use it** in front of a linear learner that is to follow bumps; the functions are local and smooth, and fade away beyond the data.
///
/// ```
/// use ermine_core::{Context, Dataset, Features, Learner, MatRef, Transformer};
/// use ermine_learn::features::Radial;
///
/// let x = Features::F64(MatRef::row_major(&[0.0, 1.0, 2.0], 3, 1));
/// let model = Radial { n_centres: 3, ..Radial::default() }.fit(&Dataset::new(x), &Context::default())?;
/// let z = model.transform(&x)?;
/// assert_eq!((z[(0, 0)], z[(0, 1)]), (1.0, (-0.5f64).exp()));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// **Parameters** are described in [`Learner::SPEC`]. **Cost**: one pass, about four more for each inner quantile; an exponential for
/// each new cell. **It does not** place centres in several columns at once.
///
/// **Reference**: Bishop: Pattern Recognition and Machine Learning, 2006, section 3.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Radial {
    /// How many centres there are along each column.
    pub n_centres: usize,
    /// Where the centres are.
    pub centres: Centres,
    /// The width of the bumps.
    pub width: Option<f64>,
}

/// Where centres are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Centres {
    /// By the cells of training.
    Placed(Placing),
    /// Given, the same for every column.
    At(Vec<f64>),
}

impl Default for Radial {
    fn default() -> Self {
        Self { n_centres: 5, centres: Centres::Placed(Placing::Quantile), width: None }
    }
}

const ANY_NUMBER: Range = Range::Real { min: f64::MIN, max: f64::MAX, above: false, log: false };

impl Learner for Radial {
    type Model = RadialModel;

    const SPEC: Spec = Spec {
        name: "radial",
        summary: "Gaussian bumps along each column",
        objective: "z_jk = exp(-(x_j - c_jk)^2 / (2 s_j^2)) for the centres c_jk of column j and its width s_j",
        notes: "In front of a linear model that is to follow bumps; local, smooth, fading away beyond the data. n_centres columns for \
                each column. One pass, about four more for each inner quantile. Centres are placed in each column by itself.",
        reference: "Bishop, Pattern Recognition and Machine Learning, 2006, section 3.1",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "n_centres",
                doc: "How many centres there are along each column; of no effect when centres are given.",
                range: Range::Int { min: 2, max: 100_000 },
            },
            ParamSpec {
                name: "centres",
                doc: "Where the centres are: \"uniform\" over the range of the column, at its \"quantile\"s, or a list of positions.",
                range: Range::Either(&Range::Choice(&["uniform", "quantile"]), &Range::List(&ANY_NUMBER)),
            },
            ParamSpec {
                name: "width",
                doc: "The standard deviation of the bumps; null for the mean distance of neighbouring centres of the column.",
                range: Range::Optional(&Range::Real { min: 0.0, max: f64::MAX, above: true, log: true }),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(drive_source::<Self>);

    fn check(&self) -> Result<()> {
        Self::SPEC.check_params(&serde_json::to_value(self).map_err(|e| Error::Data(e.to_string()))?)?;
        match &self.centres {
            Centres::At(at) if at.is_empty() || at.iter().any(|v| !v.is_finite()) => Err(Error::Parameter {
                learner: Self::SPEC.name,
                name: "centres".into(),
                value: format!("{at:?}"),
                expected: "it must hold at least one number, all finite".into(),
            }),
            _ => Ok(()),
        }
    }

    fn fit(&self, data: &Dataset<'_>, cx: &Context<'_>) -> Result<RadialModel> {
        drive(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<RadialModel> {
        let params: Radial = input.field("params")?;
        params.check()?;
        let centres: Mat<f64> = input.mat("centres")?;
        let width: Vec<f64> = input.vec_of("width", centres.cols())?;
        let sound = centres.rows() > 0 && centres.cols() > 0 && centres.as_slice().iter().all(|v| v.is_finite());
        if !sound || width.iter().any(|w| !(w.is_finite() && *w > 0.0)) {
            return Err(Error::Model("radial: centres or widths that are none".into()));
        }
        Ok(RadialModel { params, centres, width })
    }
}

impl Radial {
    fn quantiles(&self) -> bool {
        self.centres == Centres::Placed(Placing::Quantile)
    }

    fn places(&self, columns: usize) -> Result<Places> {
        Ok(Places::new(columns, false, if self.quantiles() { self.n_centres } else { 0 }))
    }

    fn model(&self, places: &Places) -> Result<RadialModel> {
        let columns: Vec<Vec<f64>> = (0..places.columns())
            .map(|j| match &self.centres {
                Centres::Placed(Placing::Uniform) => places.uniform(j, self.n_centres),
                Centres::Placed(Placing::Quantile) => places.quantiles(j),
                Centres::At(at) => at.clone(),
            })
            .collect();
        let width = columns.iter().map(|c| {
            let (low, high) = c.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
            let apart = (high - low) / (c.len().max(2) - 1) as f64;
            self.width.unwrap_or(if apart > 0.0 && apart.is_finite() { apart } else { 1.0 })
        });
        let width = width.collect();
        let centres = Mat::from_fn(columns[0].len(), columns.len(), |k, j| columns[j][k]);
        Ok(RadialModel { params: self.clone(), centres, width })
    }
}

gather_places!(Radial, RadialModel, Radial::quantiles);

/// Centres and width of each column.
///
/// Saved arrays: `centres` [centres, columns], `width` [columns].
#[derive(Debug, Clone, PartialEq)]
pub struct RadialModel {
    params: Radial,
    centres: Mat<f64>,
    width: Vec<f64>,
}

impl RadialModel {
    /// The centres: a row a centre, a value a column.
    pub fn centres(&self) -> &Mat<f64> {
        &self.centres
    }

    /// The width of the bumps of each column.
    pub fn width(&self) -> &[f64] {
        &self.width
    }
}

impl Model for RadialModel {
    fn n_features(&self) -> usize {
        self.width.len()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let last = self.centres.rows() - 1;
        let row = |j: usize| -> Vec<Cell> {
            vec![name_of(schema, j).into(), self.centres[(0, j)].into(), self.centres[(last, j)].into(), self.width[j].into()]
        };
        let rows = (0..self.width.len()).map(row).collect();
        report.table("Bumps", &["column", "first centre", "last centre", "width"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("params", &self.params)?;
        out.mat("centres", &self.centres);
        out.vec("width", &self.width);
        Ok(())
    }
}

impl Transformer for RadialModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let (cols, count) = (self.width.len(), self.centres.rows());
        x.expect_cols(cols)?;
        by_blocks(x, cols * count, |block, _, out| {
            let (mut scratch, mut bad) = (Vec::new(), false);
            let rows = numbers(block, &mut scratch, Radial::SPEC.name)?;
            for i in 0..rows.rows() {
                for j in 0..cols {
                    let v = *rows.at(i, j);
                    bad |= !v.is_finite();
                    for k in 0..count {
                        // Divided before squaring, so that neither very large nor very small scales overflow.
                        let d = (v - self.centres[(k, j)]) / self.width[j];
                        out[(i * cols + j) * count + k] = (-0.5 * d * d).exp();
                    }
                }
            }
            refuse_if(bad, block)
        })
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        let names = (0..self.width.len()).flat_map(|j| {
            let column = name_of(input, j);
            (0..self.centres.rows()).map(move |k| format!("{column}_rbf_{k}"))
        });
        Schema::numbers(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(r: &Radial, x: &[f64]) -> RadialModel {
        r.fit(&Dataset::new(Features::F64(MatRef::row_major(x, x.len(), 1))), &Context::default()).unwrap()
    }

    #[test]
    fn centres_are_where_they_are_asked_for() {
        let x = [0.0, 1.0, 2.0, 3.0, 100.0];
        assert_eq!(fit(&Radial::default(), &x).centres().as_slice(), x);
        let uniform = Radial { centres: Centres::Placed(Placing::Uniform), ..Radial::default() };
        assert_eq!(fit(&uniform, &x).centres().as_slice(), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(fit(&uniform, &x).width(), [25.0]);
        let given = Radial { centres: Centres::At(vec![3.0]), width: Some(0.5), ..Radial::default() };
        let model = fit(&given, &x);
        let z = model.transform(&Features::F64(MatRef::row_major(&[3.0, 4.0], 2, 1))).unwrap();
        assert_eq!(z.as_slice(), [1.0, (-2.0f64).exp()]);
        assert!(Radial { centres: Centres::At(vec![]), ..Radial::default() }.check().is_err());
    }

    #[test]
    fn any_scale_is_the_same_up_to_rounding() {
        let x = [0.0, 0.3, 0.5, 0.9, 1.0];
        let want = fit(&Radial::default(), &x).transform(&Features::F64(MatRef::row_major(&x, 5, 1))).unwrap();
        for scale in [1e-300, 1e300] {
            let y = x.map(|v| v * scale);
            let model = fit(&Radial::default(), &y);
            let z = model.transform(&Features::F64(MatRef::row_major(&y, 5, 1))).unwrap();
            assert!(z.as_slice().iter().zip(want.as_slice()).all(|(a, b)| (a - b).abs() < 1e-9));
            let mut out = ModelWriter::default();
            model.save(&mut out).unwrap();
            assert_eq!(Radial::load(&out.into_reader()).unwrap(), model);
        }
    }
}
