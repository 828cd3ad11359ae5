//! Stumps: trees of one test, found on columns that are sorted once for all rounds.

use std::collections::BTreeMap;
use std::sync::Arc;

use ermine_core::blocks::column_label;
use ermine_core::parallel::prelude::*;
use ermine_core::{Context, Error, Features, MISSING_CODE, Mat, ModelReader, ModelWriter, Progress, Result, Schema};

#[cfg(feature = "fit")]
use super::IntegerWeights;
#[cfg(feature = "fit")]
use super::scan::{STARTS, SplitWeights, StumpCriterion, two_classes};
#[cfg(feature = "fit")]
use crate::tree::between;
use crate::tree::{CodeMaps, refuse_infinite};

/// Rows that one thread predicts at a time.
const BLOCK: usize = 1024;

/// One column, ready for any weights.
struct StumpColumn {
    /// The rows in the order of their values, [`STARTS`] set where a value begins.
    order: Vec<u32>,
    /// The rows without a value.
    missing: Vec<u32>,
    /// The values in the order of `order`; empty for categories.
    values: Vec<f64>,
    categories: Option<Arc<Vec<String>>>,
}

/// The columns of the training rows, sorted.
pub struct StumpColumns {
    columns: Vec<StumpColumn>,
    rows: usize,
}

/// A stump: rows with a value up to the threshold, or of one of some categories, go left.
#[derive(Debug, Clone, PartialEq)]
pub struct Stump {
    /// The column.
    pub feature: usize,
    /// Values up to it go left; not finite when no column could be cut, and every row goes left.
    pub threshold: f64,
    /// Whether missing values go left.
    pub missing_left: bool,
    /// The categories that go left, ascending; for category columns.
    pub categories: Option<Vec<u32>>,
    /// The shares of the classes on the left.
    pub left: Vec<f64>,
    /// The shares of the classes on the right.
    pub right: Vec<f64>,
}

/// A stump with the side of each training row.
pub struct FittedStump {
    /// The stump.
    pub stump: Stump,
    /// Whether a row goes left.
    pub goes_left: Vec<bool>,
}

struct StumpSplit {
    score: f64,
    /// Entries on the left, for numbers.
    at: usize,
    missing_left: bool,
    categories: Option<Vec<u32>>,
}

impl StumpColumns {
    /// Sorts the given rows of all columns; infinite cells are refused.
    #[cfg(feature = "fit")]
    pub fn new(x: &Features<'_>, schema: Option<&Schema>, rows: &[usize], cx: &Context<'_>) -> Result<Self> {
        if rows.len() >= STARTS as usize {
            return Err(Error::Data(format!("{} rows are more than the {} that stumps can sort", rows.len(), STARTS - 1)));
        }
        let column = |j: usize| -> Result<StumpColumn> {
            cx.check(Progress { stage: "sorting", done: j as u64, total: Some(x.cols() as u64), objective: None })?;
            let category = match x {
                Features::Table(t) => t.categories(j),
                _ => None,
            };
            let cell = |row: usize| match (x, category) {
                (_, Some((codes, _))) => {
                    if codes[row] == MISSING_CODE {
                        f64::NAN
                    } else {
                        f64::from(codes[row])
                    }
                }
                (Features::F64(m), _) => *m.at(row, j),
                (Features::F32(m), _) => f64::from(*m.at(row, j)),
                (Features::Table(t), _) => t.numbers(j).map_or(f64::NAN, |v| v[row]),
                (Features::Csr(m), _) => {
                    let (indices, values) = m.row(row);
                    indices.iter().zip(values).filter(|(k, _)| **k as usize == j).map(|(_, v)| v).sum()
                }
            };
            let cells: Vec<f64> = rows.iter().map(|&row| cell(row)).collect();
            if let Some(at) = cells.iter().position(|v| v.is_infinite()) {
                let name = column_label(schema, j);
                let value = if cells[at] > 0.0 { "infinity" } else { "-infinity" };
                return Err(Error::NotFinite { column: name, row: rows[at], value: value.into() });
            }
            let (mut order, missing): (Vec<u32>, Vec<u32>) = (0..rows.len() as u32).partition(|&i| !cells[i as usize].is_nan());
            order.sort_unstable_by(|&a, &b| cells[a as usize].total_cmp(&cells[b as usize]).then(a.cmp(&b)));
            let values: Vec<f64> = order.iter().map(|&i| cells[i as usize]).collect();
            for k in 0..order.len() {
                if k == 0 || values[k - 1] != values[k] {
                    order[k] |= STARTS;
                }
            }
            let categories = category.map(|(_, names)| names.clone());
            Ok(StumpColumn { order, missing, values, categories })
        };
        let columns = (0..x.cols()).into_par_iter().map(column).collect::<Result<_>>()?;
        Ok(Self { columns, rows: rows.len() })
    }

    /// The names of the categories of each category column.
    pub fn categories(&self) -> Vec<Option<Arc<Vec<String>>>> {
        self.columns.iter().map(|c| c.categories.clone()).collect()
    }

    /// The best stump for rows of the classes `codes` with these weights. Of equally good ones the first column wins, then the
    /// lowest threshold, then missing values to the right. When no column can be cut, all rows go left.
    #[cfg(feature = "fit")]
    pub fn best(&self, codes: &[u32], classes: usize, steps: &IntegerWeights, criterion: StumpCriterion) -> FittedStump {
        let mut whole = vec![0i64; classes.max(2)];
        codes.iter().enumerate().for_each(|(i, &c)| whole[c as usize] += steps.get(i));
        let packed: Vec<u64> = match whole.len() {
            2 => codes.iter().zip(steps.all()).map(|(&c, &s)| (s as u64) << 1 | u64::from(c)).collect(),
            _ => Vec::new(),
        };
        let cuts: Vec<Option<StumpSplit>> = self
            .columns
            .par_iter()
            .map(|c| match c.categories {
                None => c.best_number(codes, steps, &packed, &whole, criterion),
                Some(_) => c.best_categories(codes, steps, &whole, criterion),
            })
            .collect();
        let better = |best: Option<(usize, StumpSplit)>, (j, cut): (usize, Option<StumpSplit>)| match (best, cut) {
            (Some(b), Some(c)) if c.score > b.1.score => Some((j, c)),
            (None, Some(c)) => Some((j, c)),
            (best, _) => best,
        };
        let chosen = cuts.into_iter().enumerate().fold(None, better);
        self.finish(chosen, codes, steps, whole.len(), classes)
    }

    #[cfg(feature = "fit")]
    fn finish(
        &self,
        chosen: Option<(usize, StumpSplit)>,
        codes: &[u32],
        steps: &IntegerWeights,
        width: usize,
        classes: usize,
    ) -> FittedStump {
        let Some((feature, cut)) = chosen else {
            let mut sums = vec![0i64; width];
            codes.iter().enumerate().for_each(|(i, &c)| sums[c as usize] += steps.get(i));
            let shares: Vec<f64> = sums[..classes].iter().map(|&s| s as f64 / steps.total() as f64).collect();
            let stump = Stump {
                feature: 0,
                threshold: f64::INFINITY,
                missing_left: true,
                categories: None,
                left: shares.clone(),
                right: shares,
            };
            return FittedStump { stump, goes_left: vec![true; self.rows] };
        };
        let column = &self.columns[feature];
        let mut goes_left = vec![false; self.rows];
        let threshold = match &cut.categories {
            None => {
                column.order[..cut.at].iter().for_each(|&e| goes_left[(e & !STARTS) as usize] = true);
                match column.values.get(cut.at) {
                    Some(&high) => between(column.values[cut.at - 1], high),
                    // All values against the missing ones.
                    None => f64::MAX,
                }
            }
            Some(set) => {
                for (k, &e) in column.order.iter().enumerate() {
                    goes_left[(e & !STARTS) as usize] = set.binary_search(&(column.values[k] as u32)).is_ok();
                }
                0.0
            }
        };
        column.missing.iter().for_each(|&i| goes_left[i as usize] = cut.missing_left);
        let mut sums = [vec![0i64; classes], vec![0i64; classes]];
        codes.iter().enumerate().for_each(|(i, &c)| sums[usize::from(!goes_left[i])][c as usize] += steps.get(i));
        let [left, right] = sums.map(|s| {
            let total: i64 = s.iter().sum();
            s.iter().map(|&v| v as f64 / total as f64).collect()
        });
        let missing_left = match column.missing.is_empty() {
            false => cut.missing_left,
            // Training saw none: missing values go to the side with more rows.
            true => 2 * goes_left.iter().filter(|&&l| l).count() > self.rows,
        };
        let stump = Stump { feature, threshold, missing_left, categories: cut.categories, left, right };
        FittedStump { stump, goes_left }
    }
}

impl StumpColumn {
    #[cfg(feature = "fit")]
    fn best_number(
        &self,
        codes: &[u32],
        steps: &IntegerWeights,
        packed: &[u64],
        whole: &[i64],
        criterion: StumpCriterion,
    ) -> Option<StumpSplit> {
        let mut lost = vec![0i64; whole.len()];
        self.missing.iter().for_each(|&i| lost[codes[i as usize] as usize] += steps.get(i as usize));
        let mut best: Option<StumpSplit> = None;
        for missing_left in [false, true] {
            if missing_left && self.missing.is_empty() {
                continue;
            }
            let best_cut = if let &[a, b] = whole {
                let start = if missing_left { [lost[0], lost[1]] } else { [0, 0] };
                let mut best_cut = two_classes(criterion, &self.order, packed, start, [a, b]);
                if !missing_left && !self.missing.is_empty() {
                    let mut sides = SplitWeights::new(criterion, whole);
                    (0..2).for_each(|k| sides.push(k, whole[k] - lost[k]));
                    if let Some(score) = sides.score()
                        && best_cut.is_none_or(|f| score > f.0)
                    {
                        best_cut = Some((score, self.order.len()));
                    }
                }
                best_cut
            } else {
                let mut sides = SplitWeights::new(criterion, whole);
                if missing_left {
                    lost.iter().enumerate().for_each(|(k, &s)| sides.push(k, s));
                }
                let mut best_cut: Option<(f64, usize)> = None;
                for at in 0..=self.order.len() {
                    // The end is a cut too where it sets the values against the missing ones.
                    let cut = self.order.get(at).map_or(!missing_left && !self.missing.is_empty(), |e| e & STARTS != 0);
                    if cut
                        && at > 0
                        && let Some(score) = sides.score()
                        && best_cut.is_none_or(|f| score > f.0)
                    {
                        best_cut = Some((score, at));
                    }
                    if let Some(e) = self.order.get(at) {
                        let i = (e & !STARTS) as usize;
                        sides.push(codes[i] as usize, steps.get(i));
                    }
                }
                best_cut
            };
            if let Some((score, at)) = best_cut
                && at > 0
                && best.as_ref().is_none_or(|b| score > b.score)
            {
                best = Some(StumpSplit { score, at, missing_left, categories: None });
            }
        }
        best
    }

    /// Beginnings of the categories in the order of the share of a class: the best of all sets for two classes (Fisher 1958);
    /// of more classes each in turn is set against the rest.
    #[cfg(feature = "fit")]
    fn best_categories(
        &self,
        codes: &[u32],
        steps: &IntegerWeights,
        whole: &[i64],
        criterion: StumpCriterion,
    ) -> Option<StumpSplit> {
        let mut groups: Vec<(u32, Vec<i64>)> = Vec::new();
        for (k, &e) in self.order.iter().enumerate() {
            if e & STARTS != 0 {
                groups.push((self.values[k] as u32, vec![0; whole.len()]));
            }
            let i = (e & !STARTS) as usize;
            if let Some(last) = groups.last_mut() {
                last.1[codes[i] as usize] += steps.get(i);
            }
        }
        let mut lost = vec![0i64; whole.len()];
        self.missing.iter().for_each(|&i| lost[codes[i as usize] as usize] += steps.get(i as usize));
        let mut best: Option<StumpSplit> = None;
        for class in (if whole.len() == 2 { 1 } else { 0 })..whole.len() {
            let share = |g: &(u32, Vec<i64>)| {
                let total: i64 = g.1.iter().sum();
                if total > 0 { g.1[class] as f64 / total as f64 } else { 0.0 }
            };
            let mut order: Vec<usize> = (0..groups.len()).collect();
            order.sort_by(|&a, &b| share(&groups[a]).total_cmp(&share(&groups[b])).then(a.cmp(&b)));
            for missing_left in [false, true] {
                if missing_left && self.missing.is_empty() {
                    continue;
                }
                let mut sides = SplitWeights::new(criterion, whole);
                if missing_left {
                    lost.iter().enumerate().for_each(|(k, &s)| sides.push(k, s));
                }
                for (count, &g) in order.iter().enumerate() {
                    groups[g].1.iter().enumerate().for_each(|(k, &s)| sides.push(k, s));
                    if let Some(score) = sides.score()
                        && best.as_ref().is_none_or(|b| score > b.score)
                    {
                        let mut set: Vec<u32> = order[..=count].iter().map(|&g| groups[g].0).collect();
                        set.sort_unstable();
                        best = Some(StumpSplit { score, at: 0, missing_left, categories: Some(set) });
                    }
                }
            }
        }
        best
    }
}

/// The stumps of a fitted ensemble.
#[derive(Debug, Clone, Default)]
pub struct StumpList {
    /// The stumps, in the order they were found.
    pub stumps: Vec<Stump>,
    /// The category names of each category column.
    pub categories: Vec<Option<Arc<Vec<String>>>>,
}

impl StumpList {
    /// Calls `visit` for each row with its `width` numbers of `out`, the number of a stump, and whether the row goes left there.
    pub fn for_each_side<T: Send>(
        &self,
        x: &Features<'_>,
        out: &mut [T],
        width: usize,
        visit: impl Fn(&mut [T], usize, bool) + Sync,
    ) -> Result<()> {
        x.expect_cols(self.categories.len())?;
        let maps = CodeMaps::new(x, &self.categories)?;
        out.par_chunks_mut(BLOCK * width).enumerate().try_for_each(|(block, out)| {
            let first = block * BLOCK;
            let rows = first..first + out.len() / width;
            refuse_infinite(x, rows.clone())?;
            let dense = match x {
                Features::Csr(m) => Some(m.row_range(rows.clone()).to_dense()),
                _ => None,
            };
            let mut cells = vec![0.0; rows.len()];
            for (s, stump) in self.stumps.iter().enumerate() {
                let j = stump.feature;
                for (cell, row) in cells.iter_mut().zip(rows.clone()) {
                    *cell = match (x, &dense) {
                        (_, Some(m)) => m[(row - first, j)],
                        (Features::F64(m), _) => *m.at(row, j),
                        (Features::F32(m), _) => f64::from(*m.at(row, j)),
                        (Features::Table(t), _) => match (maps.of(j), t.categories(j)) {
                            (Some(map), Some((codes, _))) if codes[row] != MISSING_CODE => map[codes[row] as usize],
                            (Some(_), _) => f64::NAN,
                            _ => t.numbers(j).map_or(f64::NAN, |v| v[row]),
                        },
                        (Features::Csr(_), None) => 0.0,
                    };
                }
                for (out, &v) in out.chunks_exact_mut(width).zip(&cells) {
                    visit(out, s, stump.goes_left(v));
                }
            }
            Ok::<(), Error>(())
        })
    }

    /// Writes the stumps.
    pub fn save(&self, out: &mut ModelWriter) -> Result<()> {
        let s = &self.stumps;
        out.vec("feature", &s.iter().map(|s| s.feature as u32).collect::<Vec<_>>());
        out.vec("threshold", &s.iter().map(|s| s.threshold).collect::<Vec<_>>());
        out.vec("missing_left", &s.iter().map(|s| u8::from(s.missing_left)).collect::<Vec<_>>());
        let width = s.first().map_or(0, |s| s.left.len());
        let side =
            |f: fn(&Stump) -> &Vec<f64>| Mat::from_vec(s.len(), width, s.iter().flat_map(|s| f(s).iter().copied()).collect());
        out.mat("left", &side(|s| &s.left));
        out.mat("right", &side(|s| &s.right));
        let sets: Vec<Option<&Vec<u32>>> = s.iter().map(|s| s.categories.as_ref()).collect();
        out.field("sets", &sets)?;
        out.vec("feature_kind", &self.categories.iter().map(|c| u8::from(c.is_some())).collect::<Vec<_>>());
        let listed: BTreeMap<usize, &Arc<Vec<String>>> =
            self.categories.iter().enumerate().filter_map(|(j, names)| Some((j, names.as_ref()?))).collect();
        out.field("categories", &listed)
    }

    /// Reads stumps for so many classes, and checks all that prediction relies on.
    pub fn load(input: &ModelReader, classes: usize) -> Result<Self> {
        let bad = |what: String| Err(Error::Model(what));
        let feature: Vec<u32> = input.vec("feature")?;
        let n = feature.len();
        let threshold: Vec<f64> = input.vec_of("threshold", n)?;
        let missing_left: Vec<u8> = input.vec_of("missing_left", n)?;
        let (left, right): (Mat<f64>, Mat<f64>) = (input.mat_of("left", n, classes)?, input.mat_of("right", n, classes)?);
        let sets: Vec<Option<Vec<u32>>> = input.field("sets")?;
        let kinds: Vec<u8> = input.vec("feature_kind")?;
        let listed: BTreeMap<usize, Arc<Vec<String>>> = input.field("categories")?;
        let mut categories = vec![None; kinds.len()];
        for (j, names) in listed {
            match categories.get_mut(j) {
                Some(place) => *place = Some(names),
                None => return bad(format!("column {j} of {} has categories", kinds.len())),
            }
        }
        if kinds.iter().zip(&categories).any(|(&kind, names): (_, &Option<Arc<Vec<String>>>)| kind != u8::from(names.is_some())) {
            return bad("the kinds of the columns do not match their categories".into());
        }
        if sets.len() != n || kinds.is_empty() {
            return bad(format!("{n} stumps, {} sets, {} columns", sets.len(), kinds.len()));
        }
        let mut stumps = Vec::with_capacity(n);
        for (i, set) in sets.into_iter().enumerate() {
            let Some(names) = categories.get(feature[i] as usize) else {
                return bad(format!("stump {i} tests column {} of {}", feature[i], kinds.len()));
            };
            let sound = match (&set, names) {
                (None, None) => !threshold[i].is_nan(),
                // A stump that cuts nothing may stand on any column.
                (None, Some(_)) => threshold[i] == f64::INFINITY,
                (Some(set), Some(names)) => {
                    set.windows(2).all(|w| w[0] < w[1]) && set.iter().all(|&c| (c as usize) < names.len())
                }
                (Some(_), None) => false,
            };
            let shares = |v: &[f64]| v.iter().all(|p| (0.0..=1.0).contains(p)) && (v.iter().sum::<f64>() - 1.0).abs() < 1e-6;
            if !sound || missing_left[i] > 1 || !shares(left.row(i)) || !shares(right.row(i)) {
                return bad(format!("stump {i} is not valid"));
            }
            stumps.push(Stump {
                feature: feature[i] as usize,
                threshold: threshold[i],
                missing_left: missing_left[i] == 1,
                categories: set,
                left: left.row(i).to_vec(),
                right: right.row(i).to_vec(),
            });
        }
        Ok(Self { stumps, categories })
    }
}

impl Stump {
    /// Whether a cell goes left; a category is given as its code, NaN is missing.
    #[inline]
    pub fn goes_left(&self, v: f64) -> bool {
        if v.is_nan() {
            return self.missing_left;
        }
        match &self.categories {
            Some(set) => set.binary_search(&(v as u32)).is_ok(),
            None => v <= self.threshold,
        }
    }
}
