//! Splits of rows. All are drawn from the seed; the same seed gives the same split.

use crate::{Error, Result, RngStream, Target};

/// One fold number per row: in round `f`, rows of fold `f` are tested and the others trained on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldIds {
    /// The fold of each row.
    pub fold_of: Vec<usize>,
    /// Number of folds.
    pub folds: usize,
}

impl FoldIds {
    /// Rows to train on and rows to test on in round `fold`, both in their original order.
    pub fn round(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        (0..self.fold_of.len()).partition(|&i| self.fold_of[i] != fold)
    }
}

fn check(rows: usize, folds: usize) -> Result<()> {
    if folds < 2 || folds > rows {
        return Err(Error::Data(format!("{folds} folds of {rows} rows: there must be at least 2 folds and a row for each")));
    }
    Ok(())
}

/// Folds of equal size (up to one row), rows in random order.
pub fn k_fold(rows: usize, folds: usize, seed: u64) -> Result<FoldIds> {
    check(rows, folds)?;
    let mut fold_of = vec![0; rows];
    for (k, i) in RngStream::new(seed, "k-fold", 0).permutation(rows).into_iter().enumerate() {
        fold_of[i] = k % folds;
    }
    Ok(FoldIds { fold_of, folds })
}

/// Folds stratified by class, as nearly as whole rows allow; for numbers the same as [`k_fold`].
pub fn stratified_k_fold(y: &Target<'_>, rows: usize, folds: usize, seed: u64) -> Result<FoldIds> {
    let Target::Class { codes, names } = y else { return k_fold(rows, folds, seed) };
    check(rows, folds)?;
    // Rows in random order, dealt class by class: each class is spread over all folds, and fold sizes differ by one.
    let order = RngStream::new(seed, "k-fold", 0).permutation(rows);
    let mut fold_of = vec![0; rows];
    let mut dealt = 0;
    for class in 0..names.len() as u32 {
        for &i in order.iter().filter(|&&i| codes[i] == class) {
            fold_of[i] = dealt % folds;
            dealt += 1;
        }
    }
    Ok(FoldIds { fold_of, folds })
}

/// Folds in which all rows of a group stay together (a patient, a shop, a day), so that no row is predicted from
/// another of its group. The largest groups are assigned first, each to the fold where it brings rows, and classes
/// where the target has them, nearest to equal shares.
pub fn group_k_fold(y: &Target<'_>, groups: &[u32], folds: usize, seed: u64) -> Result<FoldIds> {
    let rows = groups.len();
    check(rows, folds)?;
    if let Some(found) = y.rows()
        && found != rows
    {
        return Err(Error::Length { what: "groups".into(), expected: found, found: rows });
    }
    let (codes, classes) = match y {
        Target::Class { codes, names } => (Some(codes), names.len()),
        _ => (None, 1),
    };
    let mut sizes: std::collections::BTreeMap<u32, Vec<usize>> = Default::default();
    for (i, g) in groups.iter().enumerate() {
        sizes.entry(*g).or_insert_with(|| vec![0; classes])[codes.map_or(0, |c| c[i] as usize)] += 1;
    }
    if sizes.len() < folds {
        return Err(Error::Data(format!("{folds} folds of {} groups: there must be a group for each fold", sizes.len())));
    }
    let mut order: Vec<u32> = sizes.keys().copied().collect();
    RngStream::new(seed, "group folds", 0).shuffle(&mut order);
    order.sort_by_key(|g| std::cmp::Reverse(sizes[g].iter().sum::<usize>()));
    let mut dealt = vec![vec![0usize; classes]; folds];
    let mut fold_of_group = std::collections::BTreeMap::new();
    for (k, g) in order.iter().enumerate() {
        // Sums of squares are least where shares are equal; rows and classes count alike.
        let grown = |f: usize| {
            let (rows, more): (usize, usize) = (dealt[f].iter().sum(), sizes[g].iter().sum());
            let square = |a: usize, b: usize, of: usize| ((a + b).pow(2) - a.pow(2)) as f64 / (of.max(1) as f64).powi(2);
            let total: f64 = square(rows, more, groups.len());
            let by_class = |c: usize| square(dealt[f][c], sizes[g][c], codes.map_or(groups.len(), |_| all_of(&sizes, c)));
            total + (0..classes).map(by_class).sum::<f64>() / classes as f64
        };
        // The last groups go to folds that have none yet.
        let empty: Vec<usize> = (0..folds).filter(|&f| dealt[f].iter().sum::<usize>() == 0).collect();
        let among = if order.len() - k <= empty.len() { empty } else { (0..folds).collect() };
        let best = among.into_iter().min_by(|&a, &b| grown(a).total_cmp(&grown(b))).unwrap_or(0);
        dealt[best].iter_mut().zip(&sizes[g]).for_each(|(d, s)| *d += s);
        fold_of_group.insert(*g, best);
    }
    Ok(FoldIds { fold_of: groups.iter().map(|g| fold_of_group[g]).collect(), folds })
}

fn all_of(sizes: &std::collections::BTreeMap<u32, Vec<usize>>, class: usize) -> usize {
    sizes.values().map(|s| s[class]).sum()
}

/// Rounds of a validation: in each, some rows are trained on and some others tested. Index lists are made on demand,
/// since leave-one-out has n of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CvSplits {
    /// Each fold of each of several partitions in turn.
    Folds(Vec<FoldIds>),
    /// Each row in turn.
    LeaveOneOut {
        /// Number of rows.
        rows: usize,
    },
    /// One round.
    HoldOut {
        /// Rows to train on.
        train: Vec<usize>,
        /// Rows to test on.
        test: Vec<usize>,
    },
    /// Each test run comes after all its training rows.
    TimeOrdered {
        /// All rows, the oldest first.
        order: Vec<usize>,
        /// For each round the end of the training rows, and the beginning and end of the test rows, in that order.
        cuts: Vec<(usize, usize, usize)>,
    },
}

impl From<FoldIds> for CvSplits {
    fn from(folds: FoldIds) -> Self {
        Self::Folds(vec![folds])
    }
}

impl CvSplits {
    /// Stratified folds ([`stratified_k_fold`]), `times` times over with different draws.
    pub fn repeated(y: &Target<'_>, rows: usize, folds: usize, times: usize, seed: u64) -> Result<Self> {
        if times == 0 {
            return Err(Error::Data("0 repetitions of a cross-validation: there must be at least 1".into()));
        }
        // The first draw is that of a cross-validation without repetition.
        let seed_of = |t: u64| if t == 0 { seed } else { RngStream::new(seed, "repeated folds", t).next_u64() };
        let each = (0..times as u64).map(|t| stratified_k_fold(y, rows, folds, seed_of(t)));
        Ok(Self::Folds(each.collect::<Result<_>>()?))
    }

    /// Leaves each row out in turn.
    pub fn leave_one_out(rows: usize) -> Result<Self> {
        if rows < 2 {
            return Err(Error::Data(format!("leaving one of {rows} rows out leaves none to train on")));
        }
        Ok(Self::LeaveOneOut { rows })
    }

    /// One round with a share of the rows tested ([`hold_out`]).
    pub fn hold_out(y: &Target<'_>, rows: usize, share: f64, seed: u64) -> Result<Self> {
        let (train, test) = hold_out(y, rows, share, seed)?;
        Ok(Self::HoldOut { train, test })
    }

    /// Rounds that never look into the future: rows sorted by time in `folds + 1` parts of about equal length; each but
    /// the first is tested after training on all rows before it. Rows with the same time stay on one side. `gap` rows
    /// before each test part are left out of training, for targets that are known only later. Times that are no numbers
    /// are an error.
    pub fn time_series_split(time: &[f64], folds: usize, gap: usize) -> Result<Self> {
        let rows = time.len();
        if folds < 1 || folds + 1 > rows {
            return Err(Error::Data(format!(
                "{folds} rounds in time of {rows} rows: there must be at least 1, and a row more than rounds"
            )));
        }
        if let Some(row) = time.iter().position(|t| !t.is_finite()) {
            return Err(Error::NotFinite { column: "time".into(), row, value: time[row].to_string() });
        }
        let mut order: Vec<usize> = (0..rows).collect();
        crate::order::sort_by_number(&mut order, |a| time[a]);
        // A cut moves to the next change of time.
        let cut = |k: usize| {
            let mut at = k * rows / (folds + 1);
            while at > 0 && at < rows && time[order[at]] == time[order[at - 1]] {
                at += 1;
            }
            at
        };
        let mut cuts = Vec::new();
        for k in 1..=folds {
            let (from, to) = (cut(k), if k == folds { rows } else { cut(k + 1) });
            if from < to && from > gap {
                cuts.push((from - gap, from, to));
            }
        }
        if cuts.is_empty() {
            return Err(Error::Data(format!(
                "{rows} rows at {} times leave no round in time with a gap of {gap}; use fewer rounds or a smaller gap",
                order.windows(2).filter(|w| time[w[0]] != time[w[1]]).count() + 1
            )));
        }
        Ok(Self::TimeOrdered { order, cuts })
    }

    /// Number of rounds.
    pub fn len(&self) -> usize {
        match self {
            Self::Folds(each) => each.iter().map(|f| f.folds).sum(),
            Self::LeaveOneOut { rows } => *rows,
            Self::HoldOut { .. } => 1,
            Self::TimeOrdered { cuts, .. } => cuts.len(),
        }
    }

    /// Whether there is no round.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows to train on and rows to test on in a round, both in their original order.
    pub fn round(&self, k: usize) -> (Vec<usize>, Vec<usize>) {
        match self {
            Self::Folds(each) => {
                let mut k = k;
                for folds in each {
                    if k < folds.folds {
                        return folds.round(k);
                    }
                    k -= folds.folds;
                }
                (Vec::new(), Vec::new())
            }
            Self::LeaveOneOut { rows } => ((0..*rows).filter(|&i| i != k).collect(), vec![k]),
            Self::HoldOut { train, test } => (train.clone(), test.clone()),
            Self::TimeOrdered { order, cuts } => {
                let (end, from, to) = cuts[k];
                let sorted = |part: &[usize]| {
                    let mut part = part.to_vec();
                    part.sort_unstable();
                    part
                };
                (sorted(&order[..end]), sorted(&order[from..to]))
            }
        }
    }

    /// Rows tested over rows trained on, on average: what the corrected t-test needs.
    pub fn test_over_train(&self) -> f64 {
        match self {
            Self::LeaveOneOut { rows } => 1.0 / (*rows as f64 - 1.0),
            Self::HoldOut { train, test } => test.len() as f64 / train.len() as f64,
            Self::Folds(each) => each.iter().map(|f| 1.0 / (f.folds as f64 - 1.0)).sum::<f64>() / each.len() as f64,
            Self::TimeOrdered { cuts, .. } => {
                cuts.iter().map(|c| (c.2 - c.1) as f64 / c.0 as f64).sum::<f64>() / cuts.len() as f64
            }
        }
    }

    /// The split in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Folds(each) if each.len() == 1 => format!("{} folds", each[0].folds),
            Self::Folds(each) => format!("{} folds, {} times", each[0].folds, each.len()),
            Self::LeaveOneOut { .. } => "leave-one-out".into(),
            Self::HoldOut { train, test } => format!("{} rows held out of {}", test.len(), train.len() + test.len()),
            Self::TimeOrdered { cuts, .. } => format!("{} rounds in time", cuts.len()),
        }
    }
}

/// Training rows and a share of test rows, stratified by class.
pub fn hold_out(y: &Target<'_>, rows: usize, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::Data(format!("a test share of {share}: it must lie between 0 and 1")));
    }
    let order = RngStream::new(seed, "hold-out", 0).permutation(rows);
    let mut tested = vec![false; rows];
    let groups: Vec<Vec<usize>> = match y {
        Target::Class { codes, names } => {
            (0..names.len() as u32).map(|c| order.iter().copied().filter(|&i| codes[i] == c).collect()).collect()
        }
        _ => vec![order],
    };
    // Shares are rounded on the running total, so that many small classes do not all round the same way.
    let (mut seen, mut taken) = (0usize, 0usize);
    for group in groups {
        seen += group.len();
        let want = ((seen as f64 * share).round() as usize - taken).min(group.len());
        group[..want].iter().for_each(|&i| tested[i] = true);
        taken += want;
    }
    let (test, train): (Vec<usize>, Vec<usize>) = (0..rows).partition(|&i| tested[i]);
    if train.is_empty() || test.is_empty() {
        return Err(Error::Data(format!("{rows} rows are too few for a test share of {share}")));
    }
    Ok((train, test))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_row_is_tested_once_and_classes_are_spread(counts in prop::collection::vec(1usize..40, 2..5), folds in 2usize..6, seed: u64) {
            let codes: Vec<u32> = counts.iter().enumerate().flat_map(|(c, &n)| vec![c as u32; n]).collect();
            let names: Vec<String> = (0..counts.len()).map(|c| c.to_string()).collect();
            prop_assume!(codes.len() >= folds);
            let f = stratified_k_fold(&Target::Class { codes: &codes, names: &names }, codes.len(), folds, seed).unwrap();
            let mut sizes = vec![0usize; folds];
            f.fold_of.iter().for_each(|&k| sizes[k] += 1);
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            for (c, &n) in counts.iter().enumerate() {
                for k in 0..folds {
                    let here = (0..codes.len()).filter(|&i| codes[i] == c as u32 && f.fold_of[i] == k).count();
                    prop_assert!(here >= n / folds && here <= n.div_ceil(folds));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn groups_stay_together_and_no_fold_is_empty(of in prop::collection::vec((0u32..9, 0u32..3), 20..80), folds in 2usize..5, seed: u64) {
            let (groups, codes): (Vec<u32>, Vec<u32>) = of.into_iter().unzip();
            let distinct = groups.iter().collect::<std::collections::BTreeSet<_>>().len();
            prop_assume!(distinct >= folds);
            let names = ["a", "b", "c"].map(str::to_owned);
            let f = group_k_fold(&Target::Class { codes: &codes, names: &names }, &groups, folds, seed).unwrap();
            for i in 0..groups.len() {
                for j in 0..i {
                    prop_assert!(groups[i] != groups[j] || f.fold_of[i] == f.fold_of[j]);
                }
            }
            prop_assert!((0..folds).all(|k| f.fold_of.contains(&k)));
        }

        #[test]
        fn rounds_in_time_never_look_ahead(time in prop::collection::vec(0u8..30, 12..60), folds in 1usize..6, gap in 0usize..4) {
            let time: Vec<f64> = time.into_iter().map(f64::from).collect();
            if let Ok(rounds) = CvSplits::time_series_split(&time, folds, gap) {
                for k in 0..rounds.len() {
                    let (train, test) = rounds.round(k);
                    let latest = train.iter().map(|&i| time[i]).fold(f64::NEG_INFINITY, f64::max);
                    prop_assert!(!train.is_empty() && !test.is_empty());
                    prop_assert!(test.iter().all(|&i| time[i] > latest));
                }
            }
        }
    }

    #[test]
    fn equal_groups_fill_folds_evenly() {
        let groups: Vec<u32> = (0..100).map(|i| i / 10).collect();
        let f = group_k_fold(&Target::None, &groups, 5, 1).unwrap();
        assert!((0..5).all(|k| f.fold_of.iter().filter(|&&g| g == k).count() == 20));
        assert!(group_k_fold(&Target::None, &groups, 11, 1).is_err());
    }

    #[test]
    fn rounds_of_all_kinds_cover_what_they_say() {
        let rounds = CvSplits::repeated(&Target::None, 10, 5, 3, 1).unwrap();
        assert_eq!(rounds.len(), 15);
        let mut tested = [0; 10];
        (0..15).for_each(|k| rounds.round(k).1.iter().for_each(|&i| tested[i] += 1));
        assert_eq!(tested, [3; 10]);
        assert_eq!(CvSplits::from(k_fold(10, 5, 1).unwrap()).round(2), rounds.round(2));
        assert_ne!(rounds.round(2), rounds.round(7));
        let one = CvSplits::leave_one_out(4).unwrap();
        assert_eq!((one.len(), one.round(1)), (4, (vec![0, 2, 3], vec![1])));
        let time = CvSplits::time_series_split(&[3.0, 1.0, 2.0, 4.0, 5.0, 6.0], 2, 0).unwrap();
        assert_eq!(time.round(0), (vec![1, 2], vec![0, 3]));
        assert_eq!(time.round(1), (vec![0, 1, 2, 3], vec![4, 5]));
        assert_eq!(CvSplits::time_series_split(&[3.0, 1.0, 2.0, 4.0, 5.0, 6.0], 2, 1).unwrap().round(0), (vec![1], vec![0, 3]));
        assert!(
            CvSplits::time_series_split(&[1.0; 6], 2, 0).is_err() && CvSplits::time_series_split(&[1.0, f64::NAN], 1, 0).is_err()
        );
        assert!(CvSplits::leave_one_out(1).is_err());
    }

    #[test]
    fn a_hold_out_keeps_the_share() {
        let codes: Vec<u32> = (0..100).map(|i| u32::from(i % 10 == 0)).collect();
        let names = ["a".to_owned(), "b".to_owned()];
        let (train, test) = hold_out(&Target::Class { codes: &codes, names: &names }, 100, 0.2, 3).unwrap();
        assert_eq!((train.len(), test.len()), (80, 20));
        assert_eq!(test.iter().filter(|&&i| codes[i] == 1).count(), 2);
        assert!(hold_out(&Target::None, 1, 0.5, 0).is_err());
        assert!(k_fold(3, 4, 0).is_err() && k_fold(3, 1, 0).is_err());
    }
}
