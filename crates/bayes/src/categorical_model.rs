//! Fitted categorical naive Bayes.

use ermine_core::parallel::prelude::*;
use ermine_core::*;
use serde::{Deserialize, Serialize};

use super::categorical::each_number;
use super::categorical::level;
use super::categorical::{CategoricalNb, CategoricalNbPartial, CategoricalNbState, CategoryCounts, MOST_LEVELS, places};
use super::discrete;
use super::posterior::{classifier_with_density, classify_by_scores};
use super::priors::class_table;
use ermine_core::blocks::column_label;

/// Rows that are scored at a time.
const BLOCK: usize = 1024;

/// Levels of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CategoricalFeature {
    /// The names behind the levels, sorted; none for codes.
    pub names: Option<Vec<String>>,
    /// How many levels there are, the one of missing cells not counted.
    pub levels: usize,
    /// Whether missing cells are a level, the last one.
    pub missing: bool,
}

impl CategoricalFeature {
    fn len(&self) -> usize {
        self.levels + usize::from(self.missing)
    }
}

/// The model of a [`CategoricalNb`]: how often each level of each column occurs in each class.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoricalNbModel {
    pub(super) classes: Vec<String>,
    class_count: Vec<f64>,
    pub(super) columns: Vec<CategoricalFeature>,
    /// Where the levels of each column begin.
    starts: Vec<usize>,
    /// One row per level of every column, one number per class.
    counts: Mat<f64>,
    logs: Mat<f64>,
    class_log_prior: Vec<f64>,
    alpha: f64,
    certificate: Certificate,
}

impl CategoricalNbModel {
    pub(super) fn new(
        classes: Vec<String>,
        class_count: Vec<f64>,
        columns: Vec<CategoricalFeature>,
        counts: Mat<f64>,
        class_log_prior: Vec<f64>,
        alpha: f64,
    ) -> Result<Self> {
        let mut starts = vec![0];
        for column in &columns {
            starts.push(starts[starts.len() - 1] + column.len());
        }
        let k = classes.len();
        let mut logs = Mat::zeros(counts.rows(), k);
        for (column, range) in columns.iter().zip(starts.windows(2)) {
            for class in 0..k {
                let total: f64 = (range[0]..range[1]).map(|l| counts[(l, class)] + alpha).sum();
                for l in range[0]..range[1] {
                    // In a class of no rows and no pseudo-counts all levels are equally probable.
                    logs[(l, class)] =
                        if total > 0.0 { (counts[(l, class)] + alpha).ln() - total.ln() } else { -(column.len() as f64).ln() };
                }
            }
        }
        let certificate = Certificate { method: "counts".into(), iterations: 1, converged: true, ..Certificate::default() };
        Ok(Self { classes, class_count, columns, starts, counts, logs, class_log_prior, alpha, certificate })
    }

    /// The weight of the training rows of each class.
    pub fn class_count(&self) -> &[f64] {
        &self.class_count
    }

    /// How many levels a column has, that of missing cells included.
    pub fn n_levels(&self, column: usize) -> usize {
        self.columns[column].len()
    }

    /// The weight of the rows of each class with each level of a column: one row per level.
    pub fn counts(&self, column: usize) -> MatRef<'_, f64> {
        self.counts.view().row_range(self.starts[column]..self.starts[column + 1])
    }

    /// Logarithms of the probabilities of the levels of a column in each class: one row per level.
    pub fn log_prob(&self, column: usize) -> MatRef<'_, f64> {
        self.logs.view().row_range(self.starts[column]..self.starts[column + 1])
    }

    /// The counts as they were gathered, with the names of `state`.
    pub(super) fn tally(&self, state: &CategoricalNbState) -> CategoricalNbPartial {
        let k = self.classes.len();
        let column = |j: usize| {
            let (feature, counts) = (&self.columns[j], self.counts(j));
            let row = |l: usize| (0..k).map(move |c| *counts.at(l, c));
            let missing = if feature.missing { row(feature.levels).collect() } else { vec![0.0; k] };
            let counts = match (&feature.names, &state.names[j]) {
                (Some(names), Some(all)) => {
                    let mut out = vec![0.0; all.len() * k];
                    for (l, place) in places(names, all).into_iter().enumerate() {
                        if let Some(place) = place {
                            out[place * k..(place + 1) * k].iter_mut().zip(row(l)).for_each(|(o, c)| *o = c);
                        }
                    }
                    out
                }
                _ => (0..feature.levels).flat_map(row).collect(),
            };
            CategoryCounts { counts, missing }
        };
        CategoricalNbPartial { class: self.class_count.clone(), columns: (0..self.columns.len()).map(column).collect() }
    }

    /// Logarithms of the joint probabilities of rows and classes.
    fn sums(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        x.expect_cols(self.columns.len())?;
        let k = self.classes.len();
        let mut out = Mat::zeros(x.rows(), k);
        let results: Vec<Result<()>> = out
            .as_mut_slice()
            .par_chunks_mut(BLOCK * k)
            .enumerate()
            .map(|(b, out)| {
                let first = b * BLOCK;
                out.chunks_exact_mut(k).for_each(|row| row.copy_from_slice(&self.class_log_prior));
                let block = x.row_range(first..(first + BLOCK).min(x.rows()));
                self.add_logs(&block, out).map_err(|e| e.with_row(|r| r + first))
            })
            .collect();
        results.into_iter().collect::<Result<()>>()?;
        Ok(out)
    }

    fn add_logs(&self, x: &Features<'_>, out: &mut [f64]) -> Result<()> {
        let k = self.classes.len();
        for (j, feature) in self.columns.iter().enumerate() {
            let mut add = |row: usize, level: Option<usize>| {
                // A level that training has not seen is ignored.
                if let Some(level) = level {
                    let logs = self.logs.row(self.starts[j] + level);
                    out[row * k..(row + 1) * k].iter_mut().zip(logs).for_each(|(o, l)| *o += l);
                }
            };
            let missing = feature.missing.then_some(feature.levels);
            if let Features::Table(t) = x
                && let Some((codes, here)) = t.categories(j)
            {
                let Some(names) = &feature.names else { return Err(self.other_kind(t.schema(), j, "codes")) };
                let places = places(here, names);
                for (i, &code) in codes.iter().enumerate() {
                    add(i, if code == MISSING_CODE { missing } else { places[code as usize] });
                }
                continue;
            }
            if feature.names.is_some() {
                let unnamed = Schema::default();
                return Err(self.other_kind(if let Features::Table(t) = x { t.schema() } else { &unnamed }, j, "categories"));
            }
            each_number(x, j, |i, v| {
                // A code beyond all others is one that training has not seen, however large.
                let beyond = v.is_finite() && v >= feature.levels as f64 && v.fract() == 0.0;
                let known = if beyond { None } else { level(v, i, j, None)?.map_or(missing, Some) };
                add(i, known);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn other_kind(&self, schema: &Schema, column: usize, needed: &str) -> Error {
        Error::Kind {
            column: column_label(Some(schema), column),
            found: "of another kind than in training".into(),
            learner: CategoricalNb::NAME.into(),
            needed: needed.into(),
        }
    }

    /// The scores of each row, some of which are finite.
    fn scored(&self, x: &Features<'_>, end: impl Fn(&mut [f64])) -> Result<Mat<f64>> {
        let mut sums = self.sums(x)?;
        for i in 0..sums.rows() {
            if sums.row(i).iter().all(|v| *v == f64::NEG_INFINITY) {
                let row = self.limit(&x.row_range(i..i + 1))?;
                sums.row_mut(i).copy_from_slice(&row);
            }
            end(sums.row_mut(i));
        }
        Ok(sums)
    }

    /// A row that is impossible in every class, which occurs without pseudo-counts only: the limit of small ones. The classes with the
    /// fewest impossible levels are compared by the others.
    fn limit(&self, one: &Features<'_>) -> Result<Vec<f64>> {
        let with = |logs: Mat<f64>, prior: Vec<f64>| Self { logs, class_log_prior: prior, ..self.clone() }.sums(one);
        let mut finite = self.logs.clone();
        for range in self.starts.windows(2) {
            for k in 0..self.classes.len() {
                // Of a pseudo-count over the weight of the class, the weight stays.
                let weight: f64 = (range[0]..range[1]).map(|l| self.counts[(l, k)]).sum();
                for l in (range[0]..range[1]).filter(|&l| self.logs[(l, k)] == f64::NEG_INFINITY) {
                    finite[(l, k)] = -weight.ln();
                }
            }
        }
        let parts = with(finite, self.class_log_prior.clone())?;
        let ones = self.logs.as_slice().iter().map(|&v| f64::from(u8::from(v == f64::NEG_INFINITY))).collect();
        let impossible = with(Mat::from_vec(self.logs.rows(), self.logs.cols(), ones), vec![0.0; self.classes.len()])?;
        let possible = |k: &usize| self.class_log_prior[*k] > f64::NEG_INFINITY;
        let least = (0..self.classes.len()).filter(possible).map(|k| impossible[(0, k)]).fold(f64::INFINITY, f64::min);
        let score = |k: usize| if impossible[(0, k)] > least { f64::NEG_INFINITY } else { parts[(0, k)] };
        Ok((0..self.classes.len()).map(score).collect())
    }

    pub(crate) fn load(input: &ModelReader) -> Result<Self> {
        let bad = |m: &str| Error::Model(format!("categorical-nb: {m}"));
        let classes: Vec<String> = input.field("classes")?;
        let columns: Vec<CategoricalFeature> = input.field("columns")?;
        let alpha: f64 = input.field("alpha")?;
        let mut levels = 0usize;
        for column in &columns {
            let sound = column.names.as_ref().is_none_or(|n| n.len() <= column.levels && n.is_sorted_by(|a, b| a < b));
            levels = levels
                .checked_add(column.len())
                .filter(|_| sound && column.levels <= MOST_LEVELS)
                .ok_or_else(|| bad("its levels do not fit together"))?;
        }
        let counts: Mat<f64> = input.mat_of("category_count", levels, classes.len())?;
        let class_count: Vec<f64> = input.vec_of("class_count", classes.len())?;
        let class_log_prior: Vec<f64> = input.vec_of("class_log_prior", classes.len())?;
        discrete::check_classes("categorical-nb", &classes, &class_count, &class_log_prior)?;
        if columns.is_empty() || !counts.as_slice().iter().chain([&alpha]).all(|v| v.is_finite() && *v >= 0.0) {
            return Err(bad("its counts are no counts"));
        }
        Self::new(classes, class_count, columns, counts, class_log_prior, alpha)
    }
}

ermine_core::display_as_report!(CategoricalNbModel);

impl Model for CategoricalNbModel {
    fn n_features(&self) -> usize {
        self.columns.len()
    }
    classifier_with_density!();

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        class_table(&mut report, &self.classes, &self.class_count, |k| self.class_log_prior[k].exp());
        let mut heads = vec!["column".to_owned(), "level".to_owned()];
        heads.extend(self.classes.iter().map(|c| format!("share in {c}")));
        let mut rows = Vec::new();
        for (j, feature) in self.columns.iter().enumerate() {
            let name = schema.name(j);
            for l in 0..feature.len().min(MOST_TOLD) {
                let level = match &feature.names {
                    _ if l == feature.levels => "missing".to_owned(),
                    Some(names) => names.get(l).cloned().unwrap_or_else(|| "(further)".into()),
                    None => l.to_string(),
                };
                let mut row: Vec<Cell> = vec![name.as_str().into(), level.into()];
                row.extend(self.logs.row(self.starts[j] + l).iter().map(|v| Cell::from(v.exp())));
                rows.push(row);
            }
        }
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        report.table("Levels within classes", &heads, rows);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.field("classes", &self.classes)?;
        out.field("columns", &self.columns)?;
        out.field("alpha", &self.alpha)?;
        out.vec("class_count", &self.class_count);
        out.vec("class_log_prior", &self.class_log_prior);
        out.mat("category_count", &self.counts);
        Ok(())
    }
}

/// Levels of a column that a report shows, at most.
const MOST_TOLD: usize = 50;

classify_by_scores!(CategoricalNbModel, decision: sums);

impl Density for CategoricalNbModel {
    /// The logarithm of the probability of the levels; of those that training has seen.
    fn log_density(&self, x: &Features<'_>) -> Result<Vec<f64>> {
        Ok(discrete::log_density(&self.sums(x)?, &self.class_log_prior))
    }

    fn n_parameters(&self) -> usize {
        let k = self.classes.len();
        k - 1 + k * self.columns.iter().map(|c| c.len().saturating_sub(1)).sum::<usize>()
    }
}
