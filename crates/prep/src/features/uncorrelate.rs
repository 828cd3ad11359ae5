//! Removal of highly correlated columns.

use ermine_core::*;
use ermine_math::moments::Moments;
use serde::{Deserialize, Serialize};

use ermine_core::blocks::{by_blocks, numbers};

/// Drops columns that are nearly a multiple of another column.
///
/// # What it computes
/// The correlation matrix r of the columns, and goes through the pairs with |r| above `threshold` from the strongest
/// down: of every pair whose columns are both still present, one is dropped.
///
/// # When to use it
/// Before learners whose coefficients are interpreted, or that suffer from collinearity.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::features::Uncorrelate;
///
/// // The second column is the first in other units.
/// let x = [1.0, 2.54, 0.3, 2.0, 5.08, 0.9, 3.0, 7.62, 0.1];
/// let x = Features::F64(MatRef::row_major(&x, 3, 3));
/// let model = Uncorrelate::default().fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.kept(), [0, 2]);
/// assert_eq!((model.dropped()[0].column, model.dropped()[0].because), (1, 0));
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass, rows · columns² multiplications, memory columns².
///
/// # What it does not do
/// It does not detect dependence of three or more columns, nor nonlinear dependence.
///
/// # Reference
/// Kuhn, Johnson: Applied Predictive Modeling, 2013, section 3.5.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Uncorrelate {
    /// Correlations above this, up to sign, are too strong.
    pub threshold: f64,
    /// Which column of a pair is kept.
    pub keep: KeepRule,
}

/// Which column of a pair is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeepRule {
    /// The one that comes first.
    First,
    /// The one that is less correlated with the other columns on average; the first of equals.
    Least,
}

impl Default for Uncorrelate {
    fn default() -> Self {
        Self { threshold: 0.95, keep: KeepRule::First }
    }
}

impl Uncorrelate {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "uncorrelate";
}

#[cfg(feature = "fit")]
impl Learner for Uncorrelate {
    type Model = UncorrelateModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "Columns that are nearly a multiple of another, left out",
        objective: "of each pair of columns with |correlation| > threshold, strongest first, one is dropped",
        notes: "Before learners whose coefficients are to be read, or that suffer from nearly dependent columns. One pass, time rows \
                x columns^2. The report names the pair and the correlation behind every column that is dropped. Does not see \
                dependence of three or more columns. Constant columns are kept.",
        reference: "Kuhn, Johnson, Applied Predictive Modeling, 2013, section 3.5",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: &[
            ParamSpec {
                name: "threshold",
                doc: "Correlations above this, up to sign, are too strong.",
                range: Range::Real { min: 0.0, max: 1.0, above: false, log: false },
            },
            ParamSpec {
                name: "keep",
                doc: "Which column of a pair is kept: the \"first\", or the one that is \"least\" correlated with all others on average.",
                range: Range::Choice(&["first", "least"]),
            },
        ],
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<UncorrelateModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<UncorrelateModel> {
        UncorrelateModel::load(input)
    }
}

impl UncorrelateModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let columns: usize = input.field("n_features")?;
        let kept: Vec<u32> = input.vec("kept")?;
        let dropped: Vec<DroppedColumn> = input.field("dropped")?;
        let inside = |c: u32| (c as usize) < columns;
        let sound = !kept.is_empty()
            && kept.windows(2).all(|w| w[0] < w[1])
            && kept.iter().all(|&c| inside(c))
            && dropped.iter().all(|d| inside(d.column) && inside(d.because));
        if !sound {
            return Err(Error::Model(format!("uncorrelate: {} of {columns} columns that cannot be", kept.len())));
        }
        // Files of earlier versions have neither.
        let correlation = match input.array_info("correlation") {
            Some(_) => Some(input.mat_of::<f64>("correlation", columns, columns)?),
            None => None,
        };
        if correlation.iter().flat_map(|r| r.as_slice()).any(|r| r.is_nan() || r.abs() > 1.0) {
            return Err(Error::Model("uncorrelate: a correlation beyond 1".into()));
        }
        Ok(UncorrelateModel { columns, kept, dropped, rule: input.field("rule").ok(), correlation })
    }
}

/// The state before the pass: the number of columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UncorrelateState(usize);

/// Sums of products of the columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UncorrelatePartial(Moments);

#[cfg(feature = "fit")]
impl Partial for UncorrelatePartial {
    fn merge(&mut self, other: Self) -> Result<()> {
        if self.0.x_cols() != other.0.x_cols() {
            let (expected, found) = (self.0.x_cols(), other.0.x_cols());
            return Err(Error::Length { what: "columns of a partial".into(), expected, found });
        }
        self.0.merge(other.0);
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl PassLearner for Uncorrelate {
    type State = UncorrelateState;
    type Partial = UncorrelatePartial;

    fn block_rows(&self, cols: usize) -> usize {
        ermine_math::moments::block_rows(cols)
    }

    fn initial_state(&self, head: &DatasetRef<'_>, _: &Context<'_>) -> Result<UncorrelateState> {
        Ok(UncorrelateState(head.cols()))
    }

    fn empty_partial(&self, state: &UncorrelateState) -> UncorrelatePartial {
        UncorrelatePartial(Moments::new(state.0, 0))
    }

    fn add_block(&self, _: &UncorrelateState, part: &mut UncorrelatePartial, rows: &DatasetRef<'_>) -> Result<()> {
        match rows.x {
            Features::F32(x) => part.0.add(x, None, rows.weight),
            x => part.0.add(x.f64_rows(&mut Vec::new(), Self::SPEC.name)?, None, rows.weight),
        }
        part.0.refuse_non_finite(rows)
    }

    fn finish(
        &self,
        _: UncorrelateState,
        total: UncorrelatePartial,
        _: &Context<'_>,
    ) -> Result<PassStep<UncorrelateState, UncorrelateModel>> {
        Ok(PassStep::Done(self.choose(&correlations(&total.0))))
    }
}

/// Most columns for which the correlation matrix is kept.
const WIDEST: usize = 512;
/// Most columns for which it is shown; of more, as many pairs.
const SHOWN: usize = 20;

/// The correlation matrix; 0 where a column is constant up to rounding.
fn correlations(moments: &Moments) -> Mat<f64> {
    let scatter = moments.scatter();
    let (n, weight) = (scatter.rows(), moments.weight());
    // The variance of a constant column is the rounding error of its mean.
    let noise = |j: usize| weight.min(BLOCK_ROWS as f64).sqrt() * f64::EPSILON * moments.mean()[j].abs() * weight.sqrt();
    let scale: Vec<f64> = (0..n).map(|j| scatter[(j, j)].sqrt()).map(|s| if s > 0.0 { s } else { 0.0 }).collect();
    Mat::from_fn(n, n, |i, j| match i == j {
        true => 1.0,
        false if scale[i] <= noise(i) || scale[j] <= noise(j) => 0.0,
        // Divided one after the other, since the product of two small scales may underflow.
        false => (scatter[(i, j)] / scale[i] / scale[j]).clamp(-1.0, 1.0),
    })
}

impl Uncorrelate {
    fn choose(&self, r: &Mat<f64>) -> UncorrelateModel {
        let n = r.rows();
        let mut pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
        pairs.retain(|&(i, j)| r[(i, j)].abs() > self.threshold);
        pairs.sort_by(|a, b| r[*b].abs().total_cmp(&r[*a].abs()).then(a.cmp(b)));
        let mean: Vec<f64> = (0..n).map(|i| (0..n).filter(|&j| j != i).map(|j| r[(i, j)].abs()).sum()).collect();
        let mut present = vec![true; n];
        let mut dropped = Vec::new();
        for (i, j) in pairs {
            if present[i] && present[j] {
                let second = self.keep == KeepRule::First || mean[j] >= mean[i];
                let (column, because) = if second { (j, i) } else { (i, j) };
                present[column] = false;
                dropped.push(DroppedColumn { column: column as u32, because: because as u32, correlation: r[(i, j)] });
            }
        }
        UncorrelateModel {
            columns: n,
            kept: (0..n as u32).filter(|&j| present[j as usize]).collect(),
            dropped,
            rule: Some(self.clone()),
            correlation: (n <= WIDEST).then(|| r.clone()),
        }
    }
}

/// A column that was left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DroppedColumn {
    /// The column.
    pub column: u32,
    /// The column it is nearly a multiple of; it was present when this one was dropped, and may have been dropped
    /// later.
    pub because: u32,
    /// Their correlation.
    pub correlation: f64,
}

/// Which columns are kept.
///
/// Saved arrays: `kept`, the places of the columns that are kept; `correlation` (columns, columns) of up to 512 columns.
#[derive(Debug, Clone, PartialEq)]
pub struct UncorrelateModel {
    columns: usize,
    kept: Vec<u32>,
    dropped: Vec<DroppedColumn>,
    rule: Option<Uncorrelate>,
    correlation: Option<Mat<f64>>,
}

impl UncorrelateModel {
    /// The columns that are kept, in order.
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }

    /// The columns that were left out, the strongest correlation first.
    pub fn dropped(&self) -> &[DroppedColumn] {
        &self.dropped
    }

    /// The correlation matrix of all columns, 0 for those that do not vary; kept of up to 512 columns.
    pub fn correlation(&self) -> Option<&Mat<f64>> {
        self.correlation.as_ref()
    }
}

ermine_core::display_as_report!(UncorrelateModel);

impl Model for UncorrelateModel {
    fn n_features(&self) -> usize {
        self.columns
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        report.text(format!("{} of {} columns are kept.", self.kept.len(), self.columns));
        if let Some(rule) = &self.rule {
            let which = match rule.keep {
                KeepRule::First => "the later column is dropped",
                KeepRule::Least => "the column that is more correlated with all others is dropped, the later of equals",
            };
            report.text(format!(
                "Pairs with a correlation above {} up to sign are gone through from the strongest down, equals in the order of the \
                 columns; where both are still there, {which}.",
                rule.threshold
            ));
        }
        let name = |j: u32| Cell::from(schema.name(j as usize));
        let row = |d: &DroppedColumn| vec![name(d.column), name(d.because), d.correlation.into()];
        if !self.dropped.is_empty() {
            let rows = self.dropped.iter().map(row).collect();
            report.table("Columns left out", &["column", "because of", "correlation"], rows);
        }
        if let Some(r) = &self.correlation {
            let n = self.columns;
            if n <= SHOWN {
                let names: Vec<String> = (0..n).map(|j| schema.name(j)).collect();
                let head: Vec<&str> = std::iter::once("column").chain(names.iter().map(String::as_str)).collect();
                let line = |i: usize| std::iter::once(name(i as u32)).chain(r.row(i).iter().map(|&v| v.into())).collect();
                report.table("Correlations", &head, (0..n).map(line).collect());
            } else {
                let mut pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
                pairs.sort_by(|a, b| r[*b].abs().total_cmp(&r[*a].abs()).then(a.cmp(b)));
                let line = |&(i, j): &(usize, usize)| vec![name(i as u32), name(j as u32), r[(i, j)].into()];
                let strongest = pairs.iter().take(SHOWN).map(line).collect();
                report.table("Strongest correlations", &["column", "and", "correlation"], strongest);
            }
        }
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("n_features", &self.columns)?;
        out.vec("kept", &self.kept);
        if let Some(r) = &self.correlation {
            out.mat("correlation", r);
        }
        out.field("rule", &self.rule)?;
        out.field("dropped", &self.dropped)
    }
}

impl Transformer for UncorrelateModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.columns)?;
        let width = self.kept.len();
        by_blocks(x, width, |block, _, out| {
            let mut scratch = Vec::new();
            let rows = numbers(block, &mut scratch, Uncorrelate::NAME)?;
            for (i, new) in out.chunks_exact_mut(width).enumerate() {
                new.iter_mut().zip(&self.kept).for_each(|(new, &j)| *new = *rows.at(i, j as usize));
            }
            Ok(())
        })
    }

    fn transform_sparse(&self, x: &Features<'_>) -> Result<Option<Csr>> {
        x.expect_cols(self.columns)?;
        let Features::Csr(x) = x else { return Ok(None) };
        let mut place = vec![u32::MAX; self.columns];
        self.kept.iter().enumerate().for_each(|(new, &j)| place[j as usize] = new as u32);
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..x.rows() {
            let (columns, cells) = x.row(i);
            for (&j, &v) in columns.iter().zip(cells).filter(|(j, _)| place[**j as usize] != u32::MAX) {
                indices.push(place[j as usize]);
                values.push(v);
            }
            indptr.push(indices.len());
        }
        Csr::new(indptr, indices, values, self.kept.len()).map(Some)
    }

    fn source_columns(&self) -> Option<Vec<usize>> {
        Some(self.kept.iter().map(|&j| j as usize).collect())
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        Schema::numbers(self.kept.iter().map(|&j| input.name(j as usize)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(u: &Uncorrelate, x: Features<'_>, weight: Option<&[f64]>) -> UncorrelateModel {
        u.fit_with(&DatasetRef::new(x).with_weight(weight), &Context::default()).unwrap()
    }

    /// Columns: a, b, a + small noise, -b on another scale, c, constant.
    fn sample() -> Mat<f64> {
        let mut s = RngStream::new(3, "uncorrelate", 0);
        let mut x = Mat::zeros(400, 6);
        for i in 0..400 {
            let (a, b, c) = (s.normal(), s.normal(), s.normal());
            x.row_mut(i).copy_from_slice(&[a, b, a + 0.1 * s.normal(), -1e6 * b, c, 7.1]);
        }
        x
    }

    #[test]
    fn pairs_go_from_the_strongest_down_and_the_correlation_is_the_textbook_one() {
        let x = sample();
        let model = fit(&Uncorrelate::default(), Features::F64(x.view()), None);
        assert_eq!(model.kept(), [0, 1, 4, 5]);
        let d = model.dropped();
        assert_eq!([(d[0].column, d[0].because), (d[1].column, d[1].because)], [(3, 1), (2, 0)]);
        assert!((d[0].correlation + 1.0).abs() < 1e-12);
        let mean = |j: usize| x.view().col_iter(j).sum::<f64>() / 400.0;
        let (m0, m2) = (mean(0), mean(2));
        let sum = |f: &dyn Fn(f64, f64) -> f64| (0..400).map(|i| f(x[(i, 0)] - m0, x[(i, 2)] - m2)).sum::<f64>();
        let r = sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
        assert!((d[1].correlation - r).abs() < 1e-12);
        assert_eq!(model.transform(&Features::F64(x.view())).unwrap().cols(), 4);
        let matrix = model.correlation().unwrap();
        assert!(
            (matrix[(0, 2)] - r).abs() < 1e-12
                && matrix[(2, 0)] == matrix[(0, 2)]
                && matrix[(5, 0)] == 0.0
                && matrix[(4, 4)] == 1.0
        );
        let report = format!("{:?}", model.report(&Schema::unnamed(6)));
        assert!(report.contains("Correlations") && report.contains("the later column is dropped"), "{report}");
        let wide = Mat::from_fn(30, 25, |i, j| ((i * (j + 3)) % 17) as f64);
        let report = format!("{:?}", fit(&Uncorrelate::default(), Features::F64(wide.view()), None).report(&Schema::unnamed(25)));
        assert!(report.contains("Strongest correlations"), "{report}");
        // Equal correlations: the same columns stay whatever the order of the rows.
        let copies = Mat::from_fn(40, 4, |i, j| x[(i, 0)] * (j + 1) as f64);
        let turned = Mat::from_fn(40, 4, |i, j| copies[(39 - i, j)]);
        for rows in [&copies, &turned] {
            assert_eq!(fit(&Uncorrelate::default(), Features::F64(rows.view()), None).kept(), [0]);
        }
        assert_eq!(model.schema_out(&Schema::unnamed(6)).names().collect::<Vec<_>>(), ["x0", "x1", "x4", "x5"]);
    }

    #[test]
    fn the_least_correlated_of_a_pair_can_be_kept() {
        // x1 goes with x0 and with x2; the strongest pair is (x0, x1), and x1 has the larger mean.
        let r = Mat::from_vec(3, 3, vec![1.0, 0.98, 0.5, 0.98, 1.0, 0.96, 0.5, 0.96, 1.0]);
        let least = Uncorrelate { keep: KeepRule::Least, ..Uncorrelate::default() }.choose(&r);
        assert_eq!(least.kept(), [0, 2]);
        let first = Uncorrelate { threshold: 1.0, ..Uncorrelate::default() }.choose(&r);
        assert_eq!((first.kept().len(), first.dropped().len()), (3, 0));
    }

    #[test]
    fn weights_are_counts_sparse_rows_are_rows_and_scales_do_not_matter() {
        let x = sample();
        let u = Uncorrelate { threshold: 0.05, ..Uncorrelate::default() };
        let weight: Vec<f64> = (0..400).map(|i| f64::from(i % 3)).collect();
        let rows: Vec<usize> = (0..400).flat_map(|i| vec![i; i % 3]).collect();
        let a = fit(&u, Features::F64(x.view()), Some(&weight));
        let b = fit(&u, Features::F64(x.view().take_rows(&rows).view()), None);
        assert_eq!(a.kept(), b.kept());
        for scale in [1e-150, 1e140] {
            let y = Mat::from_fn(400, 6, |i, j| x[(i, j)] * scale);
            assert_eq!(fit(&u, Features::F64(y.view()), Some(&weight)).kept(), a.kept());
        }
        let y = Mat::from_fn(400, 6, |i, j| x[(i, j)] * 1e150);
        let e = u.fit_with(&DatasetRef::new(Features::F64(y.view())), &Context::default()).unwrap_err();
        assert!(e.to_string().contains("overflow"), "{e}");
        let csr = Csr::new(vec![0, 2, 4, 6], vec![1, 0, 0, 1, 0, 1], vec![2.0, 1.0, 2.0, 4.0, 3.0, 6.0], 3).unwrap();
        let model = fit(&Uncorrelate::default(), Features::Csr(csr.view()), None);
        assert_eq!(model.kept(), [0, 2]);
        let z = model.transform_sparse(&Features::Csr(csr.view())).unwrap().unwrap();
        assert_eq!(z.view().to_dense(), model.transform(&Features::Csr(csr.view())).unwrap());
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        assert_eq!(Uncorrelate::load(&out.clone().into_reader()).unwrap(), model);
        out.vec("kept", &[0u32, 3]);
        assert!(Uncorrelate::load(&out.into_reader()).is_err());
    }
}
