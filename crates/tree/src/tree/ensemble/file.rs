//! Trees in a model file, and all that prediction relies on.

use std::collections::BTreeMap;
use std::sync::Arc;

use ermine_core::{Error, Mat, ModelReader, ModelWriter, Result};

use super::{CATEGORY, FEATURE, MISSING_LEFT, PackedNode, Trees, words};

/// Column of a leaf in the file.
const LEAF: i32 = -1;

impl Trees {
    /// Writes the trees, under the name "trees".
    pub fn save(&self, out: &mut ModelWriter) -> Result<()> {
        out.child("trees", |out| {
            let mut column = vec![LEAF; self.steps.len()];
            let mut right = vec![0u32; self.steps.len()];
            let mut threshold = vec![0.0; self.steps.len()];
            let mut missing_left = vec![0u8; self.steps.len()];
            let mut set_len = vec![0u32; self.steps.len()];
            for (feature, i) in self.inner() {
                let step = self.steps[i];
                column[i] = feature as i32;
                right[i] = step.right;
                missing_left[i] = u8::from(step.missing_left());
                if step.tests_categories() {
                    set_len[i] = step.set().len() as u32;
                } else {
                    threshold[i] = step.threshold();
                }
            }
            out.vec("start", &self.start.iter().map(|&s| s as u64).collect::<Vec<_>>());
            out.vec("feature", &column);
            out.vec("threshold", &threshold);
            out.vec("missing_left", &missing_left);
            out.vec("right", &right);
            out.vec("gain", &self.gain);
            out.vec("cover", &self.cover);
            out.array("value", &[self.steps.len(), self.width], &self.values);
            out.vec("set_len", &set_len);
            out.vec("sets", &self.sets);
            out.field("n_features", &self.n_features())?;
            out.field("categories", &by_column(&self.categories))
        })
    }

    /// Reads what [`Trees::save`] has written, and checks all that prediction relies on.
    pub fn load(input: &ModelReader) -> Result<Self> {
        let input = &input.child("trees");
        let n_features: usize = input.field("n_features")?;
        let start: Vec<u64> = input.vec("start")?;
        let column: Vec<i32> = input.vec("feature")?;
        let n = column.len();
        if n_features == 0 || n_features > FEATURE as usize {
            return Err(Error::Model(format!("{n_features} columns")));
        }
        if start.first() != Some(&0) || start.last() != Some(&(n as u64)) || start.windows(2).any(|w| w[0] >= w[1]) {
            return Err(Error::Model(format!("the trees do not divide {n} nodes")));
        }
        let listed: BTreeMap<usize, Arc<Vec<String>>> = input.field("categories")?;
        // A column count in a file is not trusted before data of that size is there.
        let kinds = column.iter().map(|&c| c as i64).chain(listed.keys().map(|&j| j as i64)).max().unwrap_or(-1);
        if kinds >= n_features as i64 {
            return Err(Error::Model(format!("column {kinds} of {n_features}")));
        }
        let mut categories = vec![None; n_features];
        listed.into_iter().for_each(|(j, names)| categories[j] = Some(names));
        let threshold: Vec<f64> = input.vec_of("threshold", n)?;
        let missing_left: Vec<u8> = input.vec_of("missing_left", n)?;
        let right: Vec<u32> = input.vec_of("right", n)?;
        let set_len: Vec<u32> = input.vec_of("set_len", n)?;
        let values: Mat<f64> = input.mat("value")?;
        if values.rows() != n || values.cols() == 0 {
            return Err(Error::Model(format!("{} x {} values for {n} nodes", values.rows(), values.cols())));
        }
        let width = values.cols();
        let mut trees = Self {
            categories,
            width,
            finite: false,
            start: start.into_iter().map(|s| s as usize).collect(),
            steps: Vec::with_capacity(n),
            sets: input.vec("sets")?,
            gain: input.vec_of("gain", n)?,
            cover: input.vec_of("cover", n)?,
            values: values.into_vec(),
            compiled: Default::default(),
            flat: Default::default(),
            single_rows: Default::default(),
        };
        let bad = |i: usize, what: &str| Error::Model(format!("node {i} of {n}: {what}"));
        let (mut set_start, mut tree) = (0u64, 0);
        for i in 0..n {
            if i == trees.start[tree + 1] {
                tree += 1;
            }
            if column[i] == LEAF {
                if right[i] != 0 || missing_left[i] != 0 || set_len[i] != 0 {
                    return Err(bad(i, "a leaf tests nothing"));
                }
                trees.steps.push(PackedNode::leaf(i - trees.start[tree]));
                continue;
            }
            if column[i] < 0 || missing_left[i] > 1 {
                return Err(bad(i, "the test is not valid"));
            }
            let missing = if missing_left[i] == 1 { MISSING_LEFT } else { 0 };
            let (test, category) = if trees.categories[column[i] as usize].is_some() {
                let first = set_start;
                set_start += u64::from(set_len[i]);
                if set_start > trees.sets.len() as u64 || set_start > u64::from(u32::MAX) {
                    return Err(bad(i, "its set of categories lies outside"));
                }
                (first | u64::from(set_len[i]) << 32, CATEGORY)
            } else {
                if set_len[i] != 0 {
                    return Err(bad(i, "a column of numbers has no categories"));
                }
                (threshold[i].to_bits(), 0)
            };
            trees.steps.push(PackedNode { test, feature: column[i] as u32 | missing | category, right: right[i] });
        }
        if set_start != trees.sets.len() as u64 {
            return Err(Error::Model("the sets of categories do not fill their array".into()));
        }
        for t in 0..trees.n_trees() {
            trees.check_tree(t).map_err(|message| Error::Model(format!("tree {}: {message}", t + 1)))?;
        }
        Ok(trees)
    }

    /// Whether the nodes form a tree, and each is complete.
    pub(super) fn check_tree(&self, tree: usize) -> std::result::Result<(), String> {
        let (first, end) = (self.start[tree], self.start[tree + 1]);
        let n = end - first;
        if n == 0 || n > i32::MAX as usize {
            return Err(format!("{n} nodes"));
        }
        if self.values.len() < end * self.width {
            return Err(format!("{} values for {end} nodes", self.values.len()));
        }
        // In preorder the next node is the left child, or the right child of the last ancestor that still waits for it.
        let mut waiting: Vec<usize> = Vec::new();
        for (at, step) in self.steps[first..end].iter().enumerate() {
            let bad = |what: &str| Err(format!("node {at} of {n}: {what}"));
            let right = step.right as usize;
            if right == at {
                match waiting.pop() {
                    Some(next) if next == at + 1 => {}
                    None if at + 1 == n => {}
                    _ => return bad("the nodes are not in preorder"),
                }
            } else {
                if right <= at + 1 || right >= n {
                    return bad("the nodes are not in preorder");
                }
                waiting.push(right);
                let Some(names) = self.categories.get(step.column()) else { return bad("there is no such column") };
                match (names, step.tests_categories()) {
                    (None, false) if !step.threshold().is_nan() => {}
                    (Some(names), true) => {
                        let (set, words) = (&self.sets[step.set()], words(names.len()));
                        let bits = set.len() == words;
                        let beyond = set.last().is_some_and(|&last| match names.len() % 32 {
                            _ if !bits => last as usize >= names.len(),
                            0 => false,
                            used => last >> used != 0,
                        });
                        if set.len() > words || beyond || !bits && set.windows(2).any(|w| w[0] >= w[1]) {
                            return bad("its set of categories is not valid");
                        }
                    }
                    _ => return bad("the test is not valid"),
                }
            }
            let i = first + at;
            if !self.gain[i].is_finite() || !self.cover[i].is_finite() || self.cover[i] < 0.0 {
                return bad("gain or cover is not valid");
            }
            if self.value(i).iter().any(|v| !v.is_finite()) {
                return bad("its value is not finite");
            }
        }
        Ok(())
    }
}

/// The names of the category columns, as a file has them.
fn by_column(categories: &[Option<Arc<Vec<String>>>]) -> BTreeMap<usize, &Arc<Vec<String>>> {
    categories.iter().enumerate().filter_map(|(j, names)| Some((j, names.as_ref()?))).collect()
}

/// Writes which columns have categories, and which.
pub(in crate::tree) fn save_categories(out: &mut ModelWriter, categories: &[Option<Arc<Vec<String>>>]) -> Result<()> {
    let kinds: Vec<u8> = categories.iter().map(|names| u8::from(names.is_some())).collect();
    out.vec("feature_kind", &kinds);
    out.field("categories", &by_column(categories))
}

/// Reads what [`save_categories`] has written.
pub(in crate::tree) fn load_categories(input: &ModelReader) -> Result<Vec<Option<Arc<Vec<String>>>>> {
    let kinds: Vec<u8> = input.vec("feature_kind")?;
    let listed: BTreeMap<usize, Arc<Vec<String>>> = input.field("categories")?;
    let mut categories = vec![None; kinds.len()];
    for (j, names) in listed {
        match categories.get_mut(j) {
            Some(place) => *place = Some(names),
            None => return Err(Error::Model(format!("column {j} of {} has categories", kinds.len()))),
        }
    }
    if kinds.iter().zip(&categories).any(|(&kind, names)| kind != u8::from(names.is_some())) {
        return Err(Error::Model("the kinds of the columns do not match their categories".into()));
    }
    Ok(categories)
}
