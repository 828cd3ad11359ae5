//! Ways to split rows. All are drawn from the seed; the same seed gives the same split.

use ermine_core::{Error, Result, Stream, Target};

/// A fold number a row: in round `f`, rows of fold `f` are tested and the others trained on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    /// The fold of each row.
    pub fold_of: Vec<usize>,
    /// Number of folds.
    pub folds: usize,
}

impl Folds {
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
pub fn k_fold(rows: usize, folds: usize, seed: u64) -> Result<Folds> {
    check(rows, folds)?;
    let mut fold_of = vec![0; rows];
    for (k, i) in Stream::new(seed, "k-fold", 0).permutation(rows).into_iter().enumerate() {
        fold_of[i] = k % folds;
    }
    Ok(Folds { fold_of, folds })
}

/// Folds with the shares of the classes kept, as nearly as whole rows allow; for numbers the same as [`k_fold`].
pub fn stratified_k_fold(y: &Target<'_>, rows: usize, folds: usize, seed: u64) -> Result<Folds> {
    let Target::Class { codes, names } = y else { return k_fold(rows, folds, seed) };
    check(rows, folds)?;
    // Rows in random order, dealt class after class: each class is spread over all folds, and fold sizes differ by one.
    let order = Stream::new(seed, "k-fold", 0).permutation(rows);
    let mut fold_of = vec![0; rows];
    let mut dealt = 0;
    for class in 0..names.len() as u32 {
        for &i in order.iter().filter(|&&i| codes[i] == class) {
            fold_of[i] = dealt % folds;
            dealt += 1;
        }
    }
    Ok(Folds { fold_of, folds })
}

/// Rows to train on and a share of rows to test on, with the shares of the classes kept.
pub fn hold_out(y: &Target<'_>, rows: usize, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::Data(format!("a test share of {share}: it must lie between 0 and 1")));
    }
    let order = Stream::new(seed, "hold-out", 0).permutation(rows);
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
