//! Gaussian radial basis functions.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::KnotPlacement;
use super::placement::{PlacementState, gather_places, refuse_if};
#[cfg(feature = "fit")]
use ermine_cluster::{KMeans, KMeansModel};
use ermine_core::blocks::{by_blocks, numbers};

/// Gaussian radial basis functions of each column, or of all together.
///
/// # What it computes
/// z_jk = exp(-(x_j - c_jk)² / (2 s_j²)) for the centers c_jk of column j and its width s_j. With centers by k-means,
/// which lie among the rows, z_k = exp(-|x - c_k|² / (2 s²)).
///
/// # When to use it
/// In front of a linear learner to model bumps; the functions are local and smooth, and vanish beyond the data.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::features::Radial;
///
/// let x = Features::F64(MatRef::row_major(&[0.0, 1.0, 2.0], 3, 1));
/// let model = Radial { n_centers: 3, ..Radial::default() }.fit_with(&DatasetRef::new(x), &Context::default())?;
/// let z = model.transform(&x)?;
/// assert_eq!((z[(0, 0)], z[(0, 1)]), (1.0, (-0.5f64).exp()));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass, about four more for each inner quantile; an exponential for each new cell. Centers by k-means take its
/// passes.
///
/// # What it does not do
/// It does not scale columns: standardize them before k-means.
///
/// # Reference
/// Bishop: Pattern Recognition and Machine Learning, 2006, section 3.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Radial {
    /// Number of centers along each column.
    #[serde(rename = "n_centres")]
    pub n_centers: usize,
    /// Placement of the centers.
    #[serde(rename = "centres")]
    pub centers: CenterChoice,
    /// The width of the functions.
    pub width: Option<f64>,
}

/// Placement of centers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CenterChoice {
    /// By the training data.
    Placed(KnotPlacement),
    /// Among the rows, in all columns at once.
    Among(ClusterCenters),
    /// Given, the same for every column.
    At(Vec<f64>),
}

/// Methods to find centers among rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterCenters {
    /// The centers of k-means.
    Kmeans,
}

impl Default for Radial {
    fn default() -> Self {
        Self { n_centers: 5, centers: CenterChoice::Placed(KnotPlacement::Quantile), width: None }
    }
}

impl Radial {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "radial";
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "n_centres",
        doc: "How many centers there are along each column, or in all with k-means; of no effect when centers are given.",
        range: Range::Int { min: 2, max: 100_000 },
    },
    ParamSpec {
        name: "centres",
        doc: "Where the centers are: \"uniform\" over the range of the column, at its \"quantile\"s, at a list of positions, or \
                      among the rows by \"kmeans\".",
        range: Range::Either(&Range::Choice(&["uniform", "quantile", "kmeans"]), &Range::List(&Range::FINITE)),
    },
    ParamSpec {
        name: "width",
        doc: "The standard deviation of the bumps; null for the mean distance of neighboring centers.",
        range: Range::Optional(&Range::Real { min: 0.0, max: f64::MAX, above: true, log: true }),
    },
];

impl Radial {
    /// What [`Learner::check`] refuses, also in a file.
    pub(crate) fn check_values(&self) -> Result<()> {
        check_ranges(Self::NAME, PARAMS, self)?;
        match &self.centers {
            CenterChoice::At(at) if at.is_empty() || at.iter().any(|v| !v.is_finite()) => {
                Err(Error::parameter(Self::NAME, "centres", format!("{at:?}"), "it must hold at least one number, all finite"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "fit")]
impl Learner for Radial {
    type Model = RadialModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Gaussian bumps along each column, or among the rows",
        objective: "z_jk = exp(-(x_j - c_jk)^2 / (2 s_j^2)) for the centers c_jk of column j and its width s_j; with centers by \
                    k-means z_k = exp(-|x - c_k|^2 / (2 s^2))",
        notes: "In front of a linear model that is to follow bumps; local, smooth, fading away beyond the data. n_centres columns for \
                each column, or n_centres in all with k-means, before which columns should be standardized. One pass, about four more for \
                each inner quantile, or those of k-means.",
        reference: "Bishop, Pattern Recognition and Machine Learning, 2006, section 3.1",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: PARAMS,
    };
    const STREAM: Option<StreamFit<Self>> = Some(|radial, source, cx| match radial.clusters() {
        Some(clusters) => radial.among(&run_passes_source(&clusters, source, cx)?),
        None => run_passes_source(radial, source, cx),
    });

    fn check(&self) -> Result<()> {
        self.check_values()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<RadialModel> {
        if let Some(clusters) = self.clusters() {
            Learner::check(self)?;
            return self.among(&clusters.fit_with(data, cx)?);
        }
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<RadialModel> {
        RadialModel::load(input)
    }
}

impl RadialModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let params: Radial = input.field("params")?;
        params.check_values()?;
        let centers: Mat<f64> = input.mat("centres")?;
        let width: Vec<f64> = input.vec_of("width", if params.is_joint() { 1 } else { centers.cols() })?;
        let sound = centers.rows() > 0 && centers.cols() > 0 && centers.as_slice().iter().all(|v| v.is_finite());
        if !sound || width.iter().any(|w| !(w.is_finite() && *w > 0.0)) {
            return Err(Error::Model("radial: centers or widths that are none".into()));
        }
        Ok(RadialModel { params, centers, width })
    }
}

impl Radial {
    fn is_joint(&self) -> bool {
        matches!(self.centers, CenterChoice::Among(_))
    }

    #[cfg(feature = "fit")]
    fn clusters(&self) -> Option<KMeans> {
        self.is_joint().then(|| KMeans { n_clusters: self.n_centers.into(), ..KMeans::default() })
    }

    /// Functions at the centers of clusters, as wide as these are apart.
    #[cfg(feature = "fit")]
    fn among(&self, groups: &KMeansModel) -> Result<RadialModel> {
        let centers = groups.centers().clone();
        let apart = |a: usize, b: usize| -> f64 {
            let largest = centers.row(a).iter().zip(centers.row(b)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            if largest == 0.0 {
                return 0.0;
            }
            let square: f64 = centers.row(a).iter().zip(centers.row(b)).map(|(a, b)| ((a - b) / largest).powi(2)).sum();
            largest * square.sqrt()
        };
        let count = centers.rows();
        let nearest = |a: usize| (0..count).filter(|&b| b != a).map(|b| apart(a, b)).fold(f64::INFINITY, f64::min);
        let mean = (0..count).map(nearest).sum::<f64>() / count as f64;
        let width = vec![self.width.unwrap_or(if mean > 0.0 && mean.is_finite() { mean } else { 1.0 })];
        Ok(RadialModel { params: self.clone(), centers, width })
    }

    fn quantiles(&self) -> bool {
        self.centers == CenterChoice::Placed(KnotPlacement::Quantile)
    }

    fn places(&self, columns: usize) -> Result<PlacementState> {
        Ok(PlacementState::new(columns, false, if self.quantiles() { self.n_centers } else { 0 }))
    }

    fn model(&self, places: &PlacementState) -> Result<RadialModel> {
        let columns: Vec<Vec<f64>> = (0..places.columns())
            .map(|j| match &self.centers {
                CenterChoice::Placed(KnotPlacement::Uniform) => places.uniform(j, self.n_centers),
                CenterChoice::Placed(KnotPlacement::Quantile) => places.quantiles(j),
                CenterChoice::At(at) => at.clone(),
                CenterChoice::Among(_) => Vec::new(),
            })
            .collect();
        let width = columns.iter().map(|c| {
            let (low, high) = c.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
            let apart = (high - low) / (c.len().max(2) - 1) as f64;
            self.width.unwrap_or(if apart > 0.0 && apart.is_finite() { apart } else { 1.0 })
        });
        let width = width.collect();
        let centers = Mat::from_fn(columns[0].len(), columns.len(), |k, j| columns[j][k]);
        Ok(RadialModel { params: self.clone(), centers, width })
    }
}

#[cfg(feature = "fit")]
gather_places!(Radial, RadialModel, Radial::quantiles);

/// Centers and width of each column; with k-means one width for all.
///
/// Saved arrays: `centers` (centers, columns), `width` (columns, or 1).
#[derive(Debug, Clone, PartialEq)]
pub struct RadialModel {
    params: Radial,
    centers: Mat<f64>,
    width: Vec<f64>,
}

impl RadialModel {
    /// The centers: one row per center, one value per column.
    pub fn centers(&self) -> &Mat<f64> {
        &self.centers
    }

    /// The width of the functions of each column; one for all with k-means.
    pub fn width(&self) -> &[f64] {
        &self.width
    }
}

ermine_core::display_as_report!(RadialModel);

impl Model for RadialModel {
    fn n_features(&self) -> usize {
        self.centers.cols()
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        if self.params.is_joint() {
            let names: Vec<String> = (0..self.centers.cols()).map(|j| schema.name(j)).collect();
            let row = |k: usize| self.centers.row(k).iter().map(|&v| v.into()).collect();
            report.text(format!("Bumps of width {} at {} centers among the rows.", self.width[0], self.centers.rows()));
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            report.table("Centers", &names, (0..self.centers.rows()).map(row).collect());
            return report;
        }
        let last = self.centers.rows() - 1;
        let row = |j: usize| -> Vec<Cell> {
            vec![schema.name(j).into(), self.centers[(0, j)].into(), self.centers[(last, j)].into(), self.width[j].into()]
        };
        let rows = (0..self.width.len()).map(row).collect();
        report.table("Bumps", &["column", "first center", "last center", "width"], rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("params", &self.params)?;
        out.mat("centres", &self.centers);
        out.vec("width", &self.width);
        Ok(())
    }
}

impl Transformer for RadialModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let (cols, count) = (self.centers.cols(), self.centers.rows());
        x.expect_cols(cols)?;
        if self.params.is_joint() {
            return by_blocks(x, count, |block, _, out| {
                let (mut scratch, mut bad, mut row) = (Vec::new(), false, vec![0.0; cols]);
                let rows = numbers(block, &mut scratch, Radial::NAME)?;
                for (i, new) in out.chunks_exact_mut(count).enumerate() {
                    rows.copy_row(i, &mut row);
                    bad |= row.iter().any(|v| !v.is_finite());
                    for (k, z) in new.iter_mut().enumerate() {
                        let square: f64 =
                            row.iter().zip(self.centers.row(k)).map(|(v, c)| ((v - c) / self.width[0]).powi(2)).sum();
                        *z = (-0.5 * square).exp();
                    }
                }
                refuse_if(bad, block)
            });
        }
        by_blocks(x, cols * count, |block, _, out| {
            let (mut scratch, mut bad) = (Vec::new(), false);
            let rows = numbers(block, &mut scratch, Radial::NAME)?;
            for i in 0..rows.rows() {
                for j in 0..cols {
                    let v = *rows.at(i, j);
                    bad |= !v.is_finite();
                    for k in 0..count {
                        // Divided before squaring, so that neither very large nor very small scales overflow.
                        let d = (v - self.centers[(k, j)]) / self.width[j];
                        out[(i * cols + j) * count + k] = (-0.5 * d * d).exp();
                    }
                }
            }
            refuse_if(bad, block)
        })
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        if self.params.is_joint() {
            return None;
        }
        Some((0..self.width.len()).flat_map(|j| vec![j; self.centers.rows()]).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        if self.params.is_joint() {
            return Schema::numbers((0..self.centers.rows()).map(|k| format!("rbf_{k}")));
        }
        let names = (0..self.width.len()).flat_map(|j| {
            let column = input.name(j);
            (0..self.centers.rows()).map(move |k| format!("{column}_rbf_{k}"))
        });
        Schema::numbers(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(r: &Radial, x: &[f64]) -> RadialModel {
        r.fit_with(&DatasetRef::new(Features::F64(MatRef::row_major(x, x.len(), 1))), &Context::default()).unwrap()
    }

    #[test]
    fn centers_are_where_they_are_asked_for() {
        let x = [0.0, 1.0, 2.0, 3.0, 100.0];
        assert_eq!(fit(&Radial::default(), &x).centers().as_slice(), x);
        let uniform = Radial { centers: CenterChoice::Placed(KnotPlacement::Uniform), ..Radial::default() };
        assert_eq!(fit(&uniform, &x).centers().as_slice(), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(fit(&uniform, &x).width(), [25.0]);
        let fixed = Radial { centers: CenterChoice::At(vec![3.0]), width: Some(0.5), ..Radial::default() };
        let model = fit(&fixed, &x);
        let z = model.transform(&Features::F64(MatRef::row_major(&[3.0, 4.0], 2, 1))).unwrap();
        assert_eq!(z.as_slice(), [1.0, (-2.0f64).exp()]);
        assert!(Radial { centers: CenterChoice::At(vec![]), ..Radial::default() }.check().is_err());
    }

    #[test]
    fn centers_among_the_rows_are_those_of_k_means() {
        // Three clusters in the plane, each of four rows around its center.
        let middles = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]];
        let x = Mat::from_fn(12, 2, |i, j| middles[i / 4][j] + if i % 2 == j { 0.1 } else { -0.1 } * f64::from(i % 4 < 2));
        let data = DatasetRef::new(Features::F64(x.view()));
        let radial = Radial { n_centers: 3, centers: CenterChoice::Among(ClusterCenters::Kmeans), width: None };
        let model = radial.fit_with(&data, &Context::default()).unwrap();
        assert_eq!((model.centers().rows(), model.centers().cols(), model.width().len()), (3, 2, 1));
        assert!((model.width()[0] - 10.0).abs() < 0.2, "{:?}", model.width());
        let z = model.transform(&data.x).unwrap();
        for i in 0..12 {
            for k in 0..3 {
                let square: f64 = (0..2).map(|j| (x[(i, j)] - model.centers()[(k, j)]).powi(2)).sum();
                assert!((z[(i, k)] - (-square / (2.0 * model.width()[0].powi(2))).exp()).abs() < 1e-15);
            }
        }
        assert_eq!(model.schema_out(&Schema::unnamed(2)).names().collect::<Vec<_>>(), ["rbf_0", "rbf_1", "rbf_2"]);
        let streamed = (Radial::STREAM.unwrap())(&radial, &data, &Context::default()).unwrap();
        assert_eq!(streamed, model);
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Radial::load(&out.into_reader()).unwrap(), model);
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
