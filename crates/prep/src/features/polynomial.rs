//! Products of columns.

use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::placement::{PlacementState, gather_places, refuse_if};
use ermine_core::blocks::{by_blocks, numbers};
use ermine_math::column_moments::SparseRowReader;

/// All products of columns up to a degree.
///
/// # What it computes
/// z_a = x_1^a1 · x_2^a2 · … for every list of exponents a whose sum is at most `degree`: first the constant, then the
/// columns, then products of two, and so on, each degree in the order of the columns.
///
/// # When to use it
/// In front of a linear learner to model curves and interactions; standardize first, since powers of large numbers are
/// larger still.
///
/// # Example
/// ```
/// use ermine_core::{Context, DatasetRef, Features, Learner, MatRef, Transformer};
/// use ermine_prep::features::Polynomial;
///
/// let x = Features::F64(MatRef::row_major(&[2.0, 3.0], 1, 2));
/// let model = Polynomial::default().fit_with(&DatasetRef::new(x), &Context::default())?;
/// assert_eq!(model.transform(&x)?.as_slice(), [1.0, 2.0, 3.0, 4.0, 6.0, 9.0]);
/// # Ok::<(), ermine_core::Error>(())
/// ```
///
/// # Parameters
/// Described in [`Learner::SPEC`].
///
/// # Cost
/// One pass to refuse cells that are not numbers; p columns become (p + degree)! / (p! degree!) columns, one
/// multiplication for each. Sparse rows cost only the products of their stored cells.
///
/// # What it does not do
/// It does not orthogonalize: high powers of one column are nearly dependent, and [`super::Spline`] is the better choice
/// then.
///
/// # Reference
/// Hastie, Tibshirani, Friedman: The Elements of Statistical Learning, 2nd ed., section 5.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[doc(alias = "PolynomialFeatures")]
pub struct Polynomial {
    /// The degrees of the products.
    pub degree: Degree,
    /// Whether no column may be multiplied by itself.
    pub interaction_only: bool,
    /// Whether there is a column of ones.
    pub include_bias: bool,
}

/// Degrees of products: up to one, or from one to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Degree {
    /// Up to this, from 1 on.
    UpTo(u32),
    /// From the first to the second.
    Between(u32, u32),
}

impl Degree {
    fn ends(self) -> (u32, u32) {
        match self {
            Self::UpTo(most) => (0, most),
            Self::Between(least, most) => (least, most),
        }
    }
}

impl Default for Polynomial {
    fn default() -> Self {
        Self { degree: Degree::UpTo(2), interaction_only: false, include_bias: true }
    }
}

impl Polynomial {
    /// Products of up to so many columns, without the column of ones, for a learner that has an intercept.
    pub fn degree(most: u32) -> Self {
        Self { degree: Degree::UpTo(most), include_bias: false, ..Self::default() }
    }
}

const DEGREE: Range = Range::Int { min: 0, max: 64 };

impl Polynomial {
    /// Its name in the catalogue and in model files.
    pub(crate) const NAME: &'static str = "polynomial";
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "degree",
        doc: "The greatest degree of a product, or a list of the least and the greatest.",
        range: Range::Either(&DEGREE, &Range::List(&DEGREE)),
    },
    ParamSpec {
        name: "interaction_only",
        doc: "Whether only products of different columns are made, no powers.",
        range: Range::Bool,
    },
    ParamSpec {
        name: "include_bias",
        doc: "Whether there is a column of ones, the product of nothing. Learners with an intercept do not need it.",
        range: Range::Bool,
    },
];

impl Polynomial {
    /// What [`Learner::check`] refuses, also in a file.
    pub(crate) fn check_values(&self) -> Result<()> {
        check_ranges(Self::NAME, PARAMS, self)?;
        let (least, most) = self.degree.ends();
        let refuse = |expected: &str| {
            let value = match self.degree {
                Degree::UpTo(d) => d.to_string(),
                Degree::Between(a, b) => format!("[{a}, {b}]"),
            };
            Err(Error::parameter(Self::NAME, "degree", value, expected))
        };
        if least > most {
            return refuse("the least degree must not be above the greatest");
        }
        if most == 0 && !self.include_bias {
            return refuse("without include_bias a degree of 0 leaves no column");
        }
        Ok(())
    }
}

#[cfg(feature = "fit")]
impl Learner for Polynomial {
    type Model = PolynomialModel;

    const SPEC: Spec = Spec {
        name: Self::NAME,
        summary: "All products of columns up to a degree",
        objective: "z_a = x_1^a1 x_2^a2 ... for all exponents a with sum at most degree",
        notes: "In front of a linear model that is to follow curves and interactions; standardize first. p columns become \
                (p + degree)! / (p! degree!) columns. Sparse rows cost only the products of their stored cells. Does not \
                orthogonalize: for high degrees of one column take spline.",
        reference: "Hastie, Tibshirani, Friedman, The Elements of Statistical Learning, 2nd ed., 2009, section 5.1",
        family: Family::Preparation,
        tasks: &[Task::Preparation],
        accepts: Accepts { weights: true, sparse: true, passes: true, multi_target: true, ..Accepts::NUMBERS },
        params: PARAMS,
    };
    const STREAM: Option<StreamFit<Self>> = Some(run_passes_source::<Self>);

    fn check(&self) -> Result<()> {
        self.check_values()
    }

    fn fit_rows(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<PolynomialModel> {
        run_passes(self, data, cx)
    }

    fn load(input: &ModelReader) -> Result<PolynomialModel> {
        PolynomialModel::load(input)
    }
}

impl PolynomialModel {
    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let params: Polynomial = input.field("params")?;
        params.check_values()?;
        let columns: usize = input.field("n_features")?;
        if columns == 0 {
            return Err(Error::Model("polynomial: a model of 0 columns".into()));
        }
        PolynomialModel::new(params, columns)
    }
}

impl Polynomial {
    fn places(&self, columns: usize) -> Result<PlacementState> {
        // Too many columns are an error before the rows are read.
        PolynomialModel::new(self.clone(), columns)?;
        Ok(PlacementState::new(columns, false, 0))
    }

    fn model(&self, places: &PlacementState) -> Result<PolynomialModel> {
        PolynomialModel::new(self.clone(), places.columns())
    }
}

#[cfg(feature = "fit")]
gather_places!(Polynomial, PolynomialModel, |_| false);

/// The products of [`Polynomial`] for a number of columns.
#[derive(Debug, Clone, PartialEq)]
pub struct PolynomialModel {
    params: Polynomial,
    columns: usize,
    /// Where the products of each degree start among the new columns; the last is their number.
    starts: Vec<u64>,
}

/// n over k, at most 2^64 - 1.
fn choose(n: u64, k: u64) -> u64 {
    if k > n {
        return 0;
    }
    let mut c: u128 = 1;
    for i in 0..k.min(n - k) {
        c = c * u128::from(n - i) / u128::from(i + 1);
        if c > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    c as u64
}

impl PolynomialModel {
    fn new(params: Polynomial, columns: usize) -> Result<Self> {
        let (least, most) = params.degree.ends();
        let p = columns as u64;
        let mut starts = vec![0, u64::from(params.include_bias)];
        for d in 1..=u64::from(most) {
            let count = match params.interaction_only {
                _ if d < u64::from(least) => 0,
                true => choose(p, d),
                false => choose(p + d - 1, d),
            };
            starts.push(starts[starts.len() - 1].saturating_add(count));
        }
        let width = starts[starts.len() - 1];
        if width > u64::from(u32::MAX) {
            return Err(Error::Data(format!(
                "polynomial: {columns} columns at degree {most} would make {} columns; at most {} are possible",
                if width == u64::MAX { "more than 2^64".into() } else { width.to_string() },
                u32::MAX
            )));
        }
        if width == 0 {
            return Err(Error::Data(format!("polynomial: {columns} columns have no product of degree {least} to {most}")));
        }
        Ok(Self { params, columns, starts })
    }

    /// Number of new columns.
    pub fn width(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    /// The columns that are multiplied for each new column, in order; the product of nothing is 1.
    pub fn products(&self) -> Vec<Vec<usize>> {
        let mut out = Vec::with_capacity(self.width());
        if self.params.include_bias {
            out.push(Vec::new());
        }
        let all: Vec<usize> = (0..self.columns).collect();
        for d in self.degrees() {
            self.each(&all, d, &mut Vec::new(), &mut |product| out.push(product.iter().map(|&k| all[k]).collect()));
        }
        out
    }

    /// The degrees from 1 on of which there are products.
    fn degrees(&self) -> impl Iterator<Item = usize> + '_ {
        (1..self.starts.len() - 1).filter(|&d| self.starts[d + 1] > self.starts[d])
    }

    /// All products of `degree` of the columns `from`, in order, as positions in `from`.
    fn each(&self, from: &[usize], degree: usize, product: &mut Vec<usize>, f: &mut dyn FnMut(&[usize])) {
        if product.len() == degree {
            return f(product);
        }
        let first = match product.last() {
            Some(&last) => last + usize::from(self.params.interaction_only),
            None => 0,
        };
        for k in first..from.len() {
            product.push(k);
            self.each(from, degree, product, f);
            product.pop();
        }
    }

    /// The new column of a product, by counting the products before it.
    fn place(&self, product: impl ExactSizeIterator<Item = usize>) -> u64 {
        let (degree, p) = (product.len(), self.columns as u64);
        let (mut at, mut from) = (self.starts[degree], 0u64);
        for (i, column) in product.enumerate() {
            let (rest, column) = ((degree - 1 - i) as u64, column as u64);
            // Products that have a lesser column here: the difference of two sums of binomial coefficients.
            if self.params.interaction_only {
                at += choose(p - from, rest + 1) - choose(p - column, rest + 1);
                from = column + 1;
            } else {
                at += choose(p - from + rest, rest + 1) - choose(p - column + rest, rest + 1);
                from = column;
            }
        }
        at
    }

    /// The steps that compute all products up to the greatest degree from a row: each is an earlier product times a
    /// column.
    fn steps(&self) -> MonomialPlan {
        let (_, most) = self.params.degree.ends();
        let mut steps = MonomialPlan { made: Vec::new(), runs: Vec::new(), first_kept: 0 };
        let mut range = 0..0;
        for d in 1..=most as usize {
            let before = steps.made.len();
            if d == 1 {
                steps.made.extend((0..self.columns as u32).map(|j| (u32::MAX, j)));
                steps.runs.push((u32::MAX, 0));
            } else {
                for parent in range.clone() {
                    let last = steps.made[parent].1 + u32::from(self.params.interaction_only);
                    steps.runs.push((parent as u32, last));
                    (last..self.columns as u32).for_each(|j| steps.made.push((parent as u32, j)));
                }
            }
            range = before..steps.made.len();
            if self.starts[d] == self.starts[d + 1] && steps.first_kept == before {
                steps.first_kept = range.end;
            }
        }
        steps
    }
}

struct MonomialPlan {
    /// An earlier product (`u32::MAX` is the empty product) and the column it is multiplied by.
    made: Vec<(u32, u32)>,
    /// The same in runs: an earlier product, and the column from which on it is multiplied by each.
    runs: Vec<(u32, u32)>,
    /// Products before this one are only intermediate.
    first_kept: usize,
}

/// [`PolynomialModel`] as a function of one row.
struct PolynomialOfRow {
    plan: MonomialPlan,
    bias: usize,
    width: usize,
    schema: Schema,
}

impl RowFunction for PolynomialOfRow {
    fn width(&self) -> usize {
        self.width
    }

    fn scratch(&self) -> usize {
        self.plan.made.len()
    }

    fn run(&self, row: &[f64], scratch: &mut [f64], out: &mut [f64]) -> Result<()> {
        let all = &mut scratch[..self.plan.made.len()];
        self.plan.products(row, all);
        out[..self.bias].fill(1.0);
        out[self.bias..].copy_from_slice(&all[self.plan.first_kept..]);
        if !row.iter().sum::<f64>().is_finite() {
            refuse_cell(row, &self.schema, Polynomial::NAME)?;
        }
        Ok(())
    }
}

impl MonomialPlan {
    /// All products of the cells of a row.
    #[inline]
    fn products(&self, cells: &[f64], all: &mut [f64]) {
        let mut next = 0;
        for &(parent, first) in &self.runs {
            let cells = &cells[first as usize..];
            let (made, new) = all.split_at_mut(next);
            let before = if parent == u32::MAX { 1.0 } else { made[parent as usize] };
            new.iter_mut().zip(cells).for_each(|(new, cell)| *new = before * cell);
            next += cells.len();
        }
    }
}

ermine_core::display_as_report!(PolynomialModel);

impl Model for PolynomialModel {
    fn n_features(&self) -> usize {
        self.columns
    }
    fn as_transformer(&self) -> Option<&dyn Transformer> {
        Some(self)
    }

    fn report(&self, _: &Schema) -> Report {
        let mut report = Report::default();
        let count = |d: usize| vec![(d as f64).into(), ((self.starts[d + 1] - self.starts[d]) as f64).into()];
        report.table("Products", &["degree", "columns"], (0..self.starts.len() - 1).map(count).collect());
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("params", &self.params)?;
        out.field("n_features", &self.columns)
    }
}

impl Transformer for PolynomialModel {
    fn transform(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.columns)?;
        let (width, bias) = (self.width(), usize::from(self.params.include_bias));
        if x.rows() == 0 {
            return Ok(Mat::zeros(0, width));
        }
        let steps = self.steps();
        by_blocks(x, width, |block, _, out| {
            let (mut scratch, mut cells) = (Vec::new(), vec![0.0; self.columns]);
            let mut all = vec![0.0; steps.made.len()];
            let rows = numbers(block, &mut scratch, Polynomial::NAME)?;
            let mut sum = 0.0;
            for (i, new) in out.chunks_exact_mut(width).enumerate() {
                rows.copy_row(i, &mut cells);
                steps.products(&cells, &mut all);
                new[..bias].fill(1.0);
                new[bias..].copy_from_slice(&all[steps.first_kept..]);
                sum += cells.iter().sum::<f64>();
            }
            refuse_if(!sum.is_finite(), block)
        })
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        let bias = usize::from(self.params.include_bias);
        let row = PolynomialOfRow { plan: self.steps(), bias, width: self.width(), schema: schema.clone() };
        schema.is_numbers(self.columns).then(|| Box::new(row) as _)
    }

    fn transform_sparse(&self, x: &Features<'_>) -> Result<Option<Csr>> {
        x.expect_cols(self.columns)?;
        let Features::Csr(x) = x else { return Ok(None) };
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut row = SparseRowReader::new(self.columns);
        let (mut columns, mut cells, mut bad) = (Vec::new(), Vec::new(), false);
        for i in 0..x.rows() {
            columns.clear();
            cells.clear();
            row.each(*x, i, &mut |j, v| {
                if v != 0.0 {
                    columns.push(j);
                    cells.push(v);
                    bad |= !v.is_finite();
                }
            });
            if self.params.include_bias {
                indices.push(0);
                values.push(1.0);
            }
            for d in self.degrees() {
                self.each(&columns, d, &mut Vec::new(), &mut |product| {
                    indices.push(self.place(product.iter().map(|&k| columns[k])) as u32);
                    values.push(product.iter().fold(1.0, |v, &k| v * cells[k]));
                });
            }
            indptr.push(indices.len());
        }
        refuse_if(bad, &Features::Csr(*x))?;
        Csr::new(indptr, indices, values, self.width()).map(Some)
    }

    fn schema_out(&self, input: &Schema) -> Schema {
        let name = |product: &Vec<usize>| {
            let mut words: Vec<String> = Vec::new();
            for run in product.chunk_by(|a, b| a == b) {
                let column = input.name(run[0]);
                words.push(if run.len() == 1 { column } else { format!("{column}^{}", run.len()) });
            }
            if words.is_empty() { "1".to_owned() } else { words.join(" ") }
        };
        Schema::numbers(self.products().iter().map(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fit(p: &Polynomial, x: Features<'_>) -> Result<PolynomialModel> {
        p.fit_with(&DatasetRef::new(x), &Context::default())
    }

    #[test]
    fn names_say_what_the_columns_are() {
        let x = Features::F64(MatRef::row_major(&[2.0, 3.0, 5.0], 1, 3));
        let names = |p: &Polynomial| -> Vec<String> {
            let model = fit(p, x).unwrap();
            let schema = model.schema_out(&Schema::numbers(["a", "b", "c"]));
            assert_eq!(schema.len(), model.transform(&x).unwrap().cols());
            schema.names().map(str::to_owned).collect()
        };
        let p = Polynomial::default();
        assert_eq!(names(&p), ["1", "a", "b", "c", "a^2", "a b", "a c", "b^2", "b c", "c^2"]);
        let p = Polynomial { interaction_only: true, degree: Degree::Between(2, 3), include_bias: false };
        assert_eq!(names(&p), ["a b", "a c", "b c", "a b c"]);
        let p = Polynomial { degree: Degree::Between(2, 2), ..Polynomial::default() };
        assert_eq!(names(&p), ["1", "a^2", "a b", "a c", "b^2", "b c", "c^2"]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let x = [1.0, 2.0];
        let x = Features::F64(MatRef::row_major(&x, 1, 2));
        let e = |p: Polynomial| fit(&p, x).unwrap_err().to_string();
        assert!(e(Polynomial { degree: Degree::Between(3, 2), ..Polynomial::default() }).contains("[3, 2]"));
        assert!(e(Polynomial { degree: Degree::UpTo(0), include_bias: false, ..Polynomial::default() }).contains("no column"));
        let only = Polynomial { degree: Degree::Between(3, 3), interaction_only: true, include_bias: false };
        assert!(e(only).contains("no product"));
        let wide = Csr::new(vec![0, 1], vec![99_999], vec![2.0], 100_000).unwrap();
        let e = fit(&Polynomial::default(), Features::Csr(wide.view())).unwrap_err().to_string();
        assert!(e.contains("5000150001"), "{e}");
        // Fifty thousand columns are fine, as sparse rows.
        let wide = Csr::new(vec![0, 2], vec![49_999, 7], vec![2.0, 3.0], 50_000).unwrap();
        let model = fit(&Polynomial::default(), Features::Csr(wide.view())).unwrap();
        let z = model.transform_sparse(&Features::Csr(wide.view())).unwrap().unwrap();
        assert_eq!(z.view().row(0).1, [1.0, 3.0, 2.0, 9.0, 6.0, 4.0]);
        assert_eq!(*z.view().row(0).0.last().unwrap() as usize, model.width() - 1);
    }

    #[test]
    fn the_family_name_of_a_bad_cell_is_given() {
        let bad = [1.0, f64::NAN];
        let schema = Schema::numbers(["a", "b"]);
        let x = Features::F64(MatRef::row_major(&bad, 1, 2));
        let e = Polynomial::default().fit_with(&DatasetRef::new(x).with_schema(Some(&schema)), &Context::default()).unwrap_err();
        assert!(e.to_string().contains("\"b\""), "{e}");
        let good = fit(&Polynomial::default(), Features::F64(MatRef::row_major(&[1.0, 1.0], 1, 2))).unwrap();
        assert!(matches!(good.transform(&x), Err(Error::NotFinite { row: 0, .. })));
    }

    proptest! {
        #[test]
        fn every_column_is_its_product_dense_and_sparse(
            cells in prop::collection::vec(prop_oneof![Just(0.0), -3.0f64..3.0], 4..=24),
            least in 0u32..3, more in 0u32..3, interaction_only: bool, include_bias: bool, cols in 1usize..5,
        ) {
            let p = Polynomial { degree: Degree::Between(least, least + more), interaction_only, include_bias };
            let rows = cells.len() / cols;
            let x = MatRef::row_major(&cells[..rows * cols], rows, cols);
            let Ok(model) = fit(&p, Features::F64(x)) else { return Ok(()) };
            let z = model.transform(&Features::F64(x)).unwrap();
            let products = model.products();
            prop_assert_eq!(products.len(), model.width());
            prop_assert!(products.windows(2).all(|w| (w[0].len(), &w[0]) < (w[1].len(), &w[1])));
            for i in 0..rows {
                for (t, product) in products.iter().enumerate() {
                    let want: f64 = product.iter().map(|&j| *x.at(i, j)).product();
                    prop_assert!((z[(i, t)] - want).abs() <= 1e-12 * want.abs());
                }
            }
            let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..rows {
                for j in (0..cols).rev().filter(|&j| *x.at(i, j) != 0.0) {
                    indices.push(j as u32);
                    values.push(*x.at(i, j));
                }
                indptr.push(values.len());
            }
            let csr = Csr::new(indptr, indices, values, cols).unwrap();
            let sparse = model.transform_sparse(&Features::Csr(csr.view())).unwrap().unwrap();
            for (a, b) in sparse.view().to_dense().as_slice().iter().zip(z.as_slice()) {
                prop_assert!((a - b).abs() <= 1e-12 * b.abs());
            }
            let mut out = ModelWriter::default();
            model.save(&mut out).unwrap();
            prop_assert_eq!(Polynomial::load(&out.into_reader()).unwrap(), model);
        }
    }
}
