//! Fitted nearest neighbors: the index of the rows, and their targets.

use ermine_core::parallel::prelude::*;
use ermine_core::*;
use ermine_math::neighbors::{IndexedPoints, NearestRows, NeighborIndex, RadiusRows, SearchAlgorithm};

use super::{Knn, NeighborWeights};
use ermine_math::neighbors::{load_points, save_points};

/// Targets of the training rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum KnnTargets {
    Classes { codes: Vec<u32>, names: Vec<String> },
    Numbers(Mat<f64>),
}

impl TryFrom<&Target<'_>> for KnnTargets {
    type Error = Error;
    fn try_from(y: &Target<'_>) -> Result<Self> {
        Ok(match y {
            Target::Class { codes, names } => Self::Classes { codes: codes.to_vec(), names: names.to_vec() },
            other => Self::Numbers(other.reals()?.to_owned()),
        })
    }
}

/// Fitted nearest neighbors: the rows themselves.
#[derive(Debug)]
pub struct KnnModel {
    knn: Knn,
    index: NeighborIndex,
    answers: KnnTargets,
    certificate: Certificate,
}

impl KnnModel {
    pub(super) fn new(knn: Knn, index: NeighborIndex, answers: KnnTargets) -> Result<Self> {
        let method = match index.method() {
            SearchAlgorithm::Tree => "kd-tree",
            _ => "brute force",
        };
        let certificate = Certificate { method: method.into(), converged: true, ..Certificate::default() };
        Ok(Self { knn, index, answers, certificate })
    }

    /// The training rows.
    pub fn index(&self) -> &NeighborIndex {
        &self.index
    }

    /// The nearest training rows of each row, nearest first: as many as the learner's setting, or `k`.
    pub fn neighbors(&self, x: &Features<'_>, k: Option<usize>) -> Result<NearestRows> {
        self.index.nearest(x, k.unwrap_or(self.knn.n_neighbors))
    }

    /// The training rows at most `radius` away from each row, nearest first.
    pub fn within(&self, x: &Features<'_>, radius: f64) -> Result<RadiusRows> {
        self.index.within(x, radius)
    }

    /// Queries per block, so that lists of neighbors stay small.
    const BLOCK: usize = 1 << 14;

    /// Calls `visit` with the output of each row, and its neighbors with their weights. With `apart` the rows are the
    /// training rows, each of which leaves itself out.
    fn for_each_neighborhood(
        &self,
        x: &Features<'_>,
        width: usize,
        apart: bool,
        say: impl Fn(&mut [f64], &[u32], &[f64]) + Sync,
    ) -> Result<Mat<f64>> {
        x.expect_cols(self.index.points().cols())?;
        let mut out = Mat::zeros(x.rows(), width);
        for first in (0..x.rows()).step_by(Self::BLOCK) {
            let end = x.rows().min(first + Self::BLOCK);
            let block = x.row_range(first..end);
            let near = match self.knn.radius {
                None => {
                    let k = self.knn.n_neighbors + usize::from(apart);
                    let NearestRows { rows, distances } =
                        self.neighbors(&block, Some(k)).map_err(|e| e.with_row(|row| row + first))?;
                    let ends = (0..=rows.rows()).map(|i| i * rows.cols()).collect();
                    RadiusRows { ends, rows: rows.into_vec(), distances: distances.into_vec() }
                }
                Some(radius) => self.within(&block, radius).map_err(|e| e.with_row(|row| row + first))?,
            };
            let near = if apart { exclude_self(near, first, self.knn.radius.is_none()) } else { near };
            if let Some(i) = (0..block.rows()).find(|&i| near.ends[i] == near.ends[i + 1]) {
                let radius = self.knn.radius.unwrap_or_default();
                let message = format!("it has no neighbor within {radius}; raise the radius, or ask for n_neighbors");
                return Err(Error::Row { place: "prediction".into(), row: first + i, message });
            }
            let cells = &mut out.as_mut_slice()[first * width..end * width];
            cells.par_chunks_mut(width.max(1)).enumerate().with_min_len(64).for_each_init(Vec::new, |shares, (i, out)| {
                let range = near.ends[i]..near.ends[i + 1];
                shares_of(self.knn.weights, &near.distances[range.clone()], shares);
                say(out, &near.rows[range], shares);
            });
        }
        Ok(out)
    }

    /// Leave-one-out predictions: each row is removed from its neighbors.
    #[cfg(feature = "fit")]
    pub(super) fn left_out(knn: &Knn, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<Option<Mat<f64>>> {
        knn.enough_rows(data.rows().saturating_sub(1))?;
        let model = knn.fit_with(data, cx)?;
        Ok(Some(match &model.answers {
            KnnTargets::Numbers(y) => model.numbers(&data.x, y, true)?,
            KnnTargets::Classes { codes, names } => model.shares(&data.x, codes, names.len(), true)?,
        }))
    }

    /// The mean of the neighbors.
    fn numbers(&self, x: &Features<'_>, y: &Mat<f64>, apart: bool) -> Result<Mat<f64>> {
        self.for_each_neighborhood(x, y.cols(), apart, |out, rows, shares| {
            for (&row, share) in rows.iter().zip(shares) {
                out.iter_mut().zip(y.row(row as usize)).for_each(|(o, v)| *o += share * v);
            }
        })
    }

    /// The shares of the classes among the neighbors.
    fn shares(&self, x: &Features<'_>, codes: &[u32], classes: usize, apart: bool) -> Result<Mat<f64>> {
        self.for_each_neighborhood(x, classes, apart, |out, rows, shares| {
            if self.knn.weights == NeighborWeights::Uniform {
                // Counts first: equally frequent classes have equal shares to the last bit.
                rows.iter().for_each(|&row| out[codes[row as usize] as usize] += 1.0);
                out.iter_mut().for_each(|o| *o /= rows.len() as f64);
            } else {
                rows.iter().zip(shares).for_each(|(&row, share)| out[codes[row as usize] as usize] += share);
                // Rounding may leave a sum a little above 1.
                out.iter_mut().for_each(|o| *o = o.min(1.0));
            }
        })
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: String| Error::Model(format!("knn: {m}"));
        let knn: Knn = input.field("parameters")?;
        knn.check_values().map_err(|e| bad(e.to_string()))?;
        let points = load_points(input, "x").map_err(|e| bad(e.to_string()))?;
        let rows = points.rows();
        knn.enough_rows(rows).map_err(|e| bad(e.to_string()))?;
        let answers = if input.array_info("y").is_some() {
            let y: Mat<f64> = input.mat("y")?;
            if y.rows() != rows || y.cols() == 0 || !y.as_slice().iter().all(|v| v.is_finite()) {
                return Err(bad(format!("its targets are no finite numbers for {rows} rows")));
            }
            KnnTargets::Numbers(y)
        } else {
            let names: Vec<String> = input.field("classes")?;
            let codes: Vec<u32> = input.vec_of("codes", rows)?;
            if let Some(code) = codes.iter().find(|&&c| c as usize >= names.len()) {
                return Err(bad(format!("class {code} of {}", names.len())));
            }
            KnnTargets::Classes { codes, names }
        };
        let method = if matches!(points, IndexedPoints::Csr(_)) { SearchAlgorithm::Brute } else { knn.method() };
        let index = NeighborIndex::new(points, knn.metric(), method).map_err(|e| bad(e.to_string()))?;
        Self::new(knn, index, answers)
    }
}

/// Neighbors of the training rows from `first` on, without the rows themselves. Where a row is not among its own
/// nearest because of duplicates, the last of a list with one extra is dropped.
fn exclude_self(near: RadiusRows, first: usize, one_more: bool) -> RadiusRows {
    let mut out = RadiusRows { ends: vec![0], rows: Vec::new(), distances: Vec::new() };
    for (i, range) in near.ends.windows(2).map(|w| w[0]..w[1]).enumerate() {
        let itself = near.rows[range.clone()].iter().position(|&row| row as usize == first + i);
        let gone = itself.or(if one_more { range.len().checked_sub(1) } else { None }).map(|at| range.start + at);
        for at in range.filter(|&at| Some(at) != gone) {
            out.rows.push(near.rows[at]);
            out.distances.push(near.distances[at]);
        }
        out.ends.push(out.rows.len());
    }
    out
}

/// The weights of neighbors at these ascending distances. The nearest has weight 1 and the others less, so that no
/// division overflows.
fn shares_of(weights: NeighborWeights, distances: &[f64], shares: &mut Vec<f64>) {
    shares.clear();
    let nearest = distances.first().copied().unwrap_or(0.0);
    shares.extend(distances.iter().map(|&d| match weights {
        NeighborWeights::Uniform => 1.0,
        NeighborWeights::Distance if nearest == 0.0 => f64::from(u8::from(d == 0.0)),
        NeighborWeights::Distance => nearest / d,
    }));
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|s| *s /= total);
}

ermine_core::display_as_report!(KnnModel);

impl Model for KnnModel {
    fn n_features(&self) -> usize {
        self.index.points().cols()
    }
    fn as_regressor(&self) -> Option<&dyn Regressor> {
        matches!(self.answers, KnnTargets::Numbers(_)).then_some(self)
    }
    fn as_classifier(&self) -> Option<&dyn Classifier> {
        matches!(self.answers, KnnTargets::Classes { .. }).then_some(self)
    }
    fn as_neighbor_model(&self) -> Option<&dyn NeighborModel> {
        Some(self)
    }
    fn certificate(&self) -> Option<&Certificate> {
        Some(&self.certificate)
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        let (n, word) = (self.index.points().rows(), serde_json::to_value(self.knn.metric).unwrap_or_default());
        let metric = word.as_str().unwrap_or_default();
        let asked = match self.knn.radius {
            None => format!("the {} nearest of {n} training rows", self.knn.n_neighbors),
            Some(radius) => format!("all of {n} training rows within {radius}"),
        };
        let counts = if self.knn.weights == NeighborWeights::Uniform { "all alike" } else { "by 1 / distance" };
        report.text(format!("Asks {asked} ({metric} distance, {counts}), found by {}.", self.certificate.method));
        if let KnnTargets::Classes { codes, names } = &self.answers {
            let mut sizes = vec![0.0; names.len()];
            codes.iter().for_each(|&c| sizes[c as usize] += 1.0);
            let rows = names.iter().zip(sizes).map(|(name, size)| vec![name.as_str().into(), size.into()]).collect();
            report.table("Training rows by class", &["class", "rows"], rows);
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("parameters", &self.knn)?;
        save_points(out, "x", self.index.points())?;
        match &self.answers {
            KnnTargets::Numbers(y) => out.mat("y", y),
            KnnTargets::Classes { codes, names } => {
                out.vec("codes", codes);
                out.field("classes", names)?;
            }
        }
        Ok(())
    }
}

impl NeighborModel for KnnModel {
    fn n_examples(&self) -> usize {
        self.index.points().rows()
    }

    fn nearest_examples(&self, x: &Features<'_>, k: usize) -> Result<Vec<Vec<(usize, f64)>>> {
        let NearestRows { rows, distances } = self.index.nearest(x, k.min(self.n_examples()))?;
        let of = |i: usize| rows.row(i).iter().zip(distances.row(i)).map(|(&row, &far)| (row as usize, far)).collect();
        Ok((0..rows.rows()).map(of).collect())
    }

    fn training_rows(&self, rows: &[usize]) -> Result<Mat<f64>> {
        let points = self.index.points();
        if let Some(row) = rows.iter().find(|&&row| row >= points.rows()) {
            return Err(Error::Data(format!("there is no training row {row}: there are {}, counted from 0", points.rows())));
        }
        Ok(match points {
            IndexedPoints::F64(m) => m.view().take_rows(rows),
            IndexedPoints::F32(m) => Mat::from_fn(rows.len(), m.cols(), |i, j| f64::from(m[(rows[i], j)])),
            IndexedPoints::Csr(m) => m.view().take_rows(rows).view().to_dense(),
        })
    }

    fn example_target(&self, row: usize) -> Vec<Cell> {
        match &self.answers {
            KnnTargets::Classes { codes, names } => vec![names[codes[row] as usize].as_str().into()],
            KnnTargets::Numbers(y) => y.row(row).iter().map(|&v| v.into()).collect(),
        }
    }
}

impl Regressor for KnnModel {
    fn n_targets(&self) -> usize {
        match &self.answers {
            KnnTargets::Numbers(y) => y.cols(),
            KnnTargets::Classes { .. } => 0,
        }
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let KnnTargets::Numbers(y) = &self.answers else {
            return Err(Error::Target("it has classes, and a regression needs numbers".into()));
        };
        self.numbers(x, y, false)
    }
}

impl Classifier for KnnModel {
    fn classes(&self) -> &[String] {
        match &self.answers {
            KnnTargets::Classes { names, .. } => names,
            KnnTargets::Numbers(_) => &[],
        }
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let KnnTargets::Classes { codes, names } = &self.answers else {
            return Err(Error::Target("it has numbers, and a classification needs classes".into()));
        };
        self.shares(x, codes, names.len(), false)
    }

    fn proba_and_class(&self, x: &Features<'_>) -> Result<(Mat<f64>, Vec<u32>)> {
        Ok(with_argmax_class(self.proba(x)?))
    }
}
