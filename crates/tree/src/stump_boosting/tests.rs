//! Stumps against all cuts tried one by one, exact steps, and the optimum of the corrected votes.

use ermine_core::{Column, Context, Features, Mat, RngStream, Table};

use super::*;

/// The score of a set of rows on the left, from the definition.
fn score(left: &[bool], codes: &[u32], w: &[f64], classes: usize, criterion: StumpCriterion) -> Option<f64> {
    let side = |want: bool| -> Vec<f64> {
        (0..classes as u32).map(|k| (0..codes.len()).filter(|&i| left[i] == want && codes[i] == k).map(|i| w[i]).sum()).collect()
    };
    let (l, r) = (side(true), side(false));
    if l.iter().sum::<f64>() <= 0.0 || r.iter().sum::<f64>() <= 0.0 {
        return None;
    }
    let one = |s: &[f64]| {
        let total: f64 = s.iter().sum();
        match criterion {
            StumpCriterion::Error => s.iter().copied().fold(0.0, f64::max),
            StumpCriterion::Z if classes == 2 => -(s[0] * s[1]).sqrt(),
            _ => s.iter().map(|v| v * v).sum::<f64>() / total,
        }
    };
    Some(one(&l) + one(&r))
}

#[test]
fn the_best_stump_is_the_best_of_all_cuts() {
    for seed in 0..60u64 {
        let mut s = RngStream::new(seed, "stumps", 0);
        let n = 5 + s.below(30);
        let classes = 2 + s.below(3);
        let codes: Vec<u32> = (0..n).map(|_| s.below(classes) as u32).collect();
        let numbers: Vec<f64> = (0..n).map(|_| if s.uniform() < 0.2 { f64::NAN } else { s.below(6) as f64 }).collect();
        let names: Vec<Option<String>> = (0..n).map(|_| (s.uniform() < 0.8).then(|| s.below(4).to_string())).collect();
        let table = Table::new([("number", Column::numbers(numbers.clone())), ("name", Column::categories(&names))]).unwrap();
        let weights: Vec<f64> = (0..n).map(|_| 0.1 + s.uniform()).collect();
        let steps = IntegerWeights::new(Some(&weights), &vec![0.0; n]);
        let w = steps.weights(1.0);
        let rows: Vec<usize> = (0..n).collect();
        let x = Features::Table(table.view());
        let stumps = StumpColumns::new(&x, None, &rows, &Context::default()).unwrap();
        for criterion in [StumpCriterion::Gini, StumpCriterion::Error, StumpCriterion::Z] {
            let chosen = stumps.best(&codes, classes, &steps, criterion);
            let got = score(&chosen.goes_left, &codes, &w, classes, criterion);
            let mut best = f64::NEG_INFINITY;
            let mut consider = |left: &dyn Fn(usize) -> Option<bool>| {
                for missing in [false, true] {
                    let sides: Vec<bool> = (0..n).map(|i| left(i).unwrap_or(missing)).collect();
                    best = best.max(score(&sides, &codes, &w, classes, criterion).unwrap_or(f64::NEG_INFINITY));
                }
            };
            for t in 0..=6 {
                consider(&|i| (!numbers[i].is_nan()).then(|| numbers[i] < f64::from(t)));
            }
            // Of several classes not all sets are tried, so only two classes have a certain best here.
            for set in 0..(if classes == 2 { 16u32 } else { 0 }) {
                consider(&|i| names[i].as_ref().map(|v| set >> v.parse::<u32>().unwrap() & 1 == 1));
            }
            match got {
                Some(got) if classes == 2 => assert!((got - best).abs() < 1e-9, "{seed} {criterion:?}: {got} for {best}"),
                Some(got) => assert!(got > best - 1e-9, "{seed} {criterion:?}: {got} for {best}"),
                None => assert_eq!(best, f64::NEG_INFINITY, "{seed} {criterion:?}"),
            }
            // The sides that training saw are those that prediction takes.
            let list = StumpList { stumps: vec![chosen.stump.clone()], categories: stumps.categories() };
            let mut sides = vec![false; n];
            list.for_each_side(&x, &mut sides, 1, |out, _, left| out[0] = left).unwrap();
            assert_eq!(sides, chosen.goes_left, "{seed}");
        }
    }
}

#[test]
fn steps_are_exact_in_any_order_and_for_repeated_rows() {
    let mut s = RngStream::new(3, "steps", 0);
    let logs: Vec<f64> = (0..50).map(|_| 30.0 * s.normal()).collect();
    let counts: Vec<f64> = (0..50).map(|i| f64::from(i % 4)).collect();
    let steps = IntegerWeights::new(Some(&counts), &logs);
    let repeated: Vec<f64> = (0..50).rev().flat_map(|i| vec![logs[i]; counts[i] as usize]).collect();
    assert_eq!(IntegerWeights::new(None, &repeated).total(), steps.total());
    assert!(steps.total() > 1 << 56 && steps.total() < 1 << 60);
    assert!((steps.weights(2.0).iter().sum::<f64>() - 2.0).abs() < 1e-12);
    assert_eq!(steps.get(0), 0);
    let tiny = IntegerWeights::new(Some(&[1e-300, 0.5, 1e300]), &[0.0, 600.0, -900.0]);
    assert!(tiny.total() > 1 << 56 && tiny.get(1) == tiny.total());
    assert_eq!(steps.share(|_| true), 1.0);
}

#[test]
fn columns_that_cannot_be_cut_leave_all_rows_on_one_side() {
    let x = Mat::filled(4, 2, 1.0);
    let stumps = StumpColumns::new(&Features::F64(x.view()), None, &[0, 1, 2, 3], &Context::default()).unwrap();
    let best = stumps.best(&[0, 1, 1, 1], 2, &IntegerWeights::new(None, &[0.0; 4]), StumpCriterion::Gini);
    assert_eq!(best.stump.left, [0.25, 0.75]);
    assert!(best.goes_left.iter().all(|&l| l));
}

#[test]
fn corrected_votes_leave_every_learner_at_chance() {
    let mut s = RngStream::new(9, "votes", 0);
    for classes in [2usize, 4] {
        let truth: Vec<u32> = (0..300).map(|_| s.below(classes) as u32).collect();
        let wrong: Vec<Vec<bool>> =
            (0..6).map(|m| truth.iter().map(|_| s.uniform() < 0.3 + 0.03 * f64::from(m)).collect()).collect();
        let mut votes = vec![0.0; 6];
        let left = correct_all(&wrong, &mut votes, None, classes, 1e-10, 1000);
        assert!(left <= 1e-10);
        let logs: Vec<f64> = (0..300).map(|i| (0..6).filter(|&m| wrong[m][i]).map(|m| votes[m]).sum()).collect();
        let steps = IntegerWeights::new(None, &logs);
        for (m, vote) in votes.iter().enumerate() {
            let share = steps.share(|i| wrong[m][i]);
            let chance = 1.0 - 1.0 / classes as f64;
            assert!(*vote > 0.0 && (share - chance).abs() < 1e-8 || *vote == 0.0 && share >= chance - 1e-8, "{vote} {share}");
        }
    }
}

#[test]
fn margins_and_errors_follow_the_votes() {
    let mut votes = VoteSums::new(3, 2);
    votes.add(&[0, 0, 1], 1.0);
    votes.add(&[1, 0, 1], 3.0);
    assert_eq!(votes.row(0), [1.0, 3.0]);
    assert_eq!(votes.margins(&[0, 0, 0], 4.0), [-0.5, 1.0, -1.0]);
    assert_eq!(votes.error(&[0, 0, 0], None), 2.0 / 3.0);
    assert_eq!(votes.error(&[0, 0, 0], Some(&[0.0, 3.0, 1.0])), 0.25);
    assert!(votes.exponential_loss(&[0, 0, 0], None).unwrap() >= 2.0 / 3.0);
    let votes_cast = [vec![0, 0, 1], vec![1, 0, 1]];
    assert_eq!(votes.least_useful(&votes_cast, &[1.0, 3.0], &[0, 0, 0], None), Some((1, 1.0 / 3.0)));
}
