//! Random thresholds, and the rounds that are kept.

use super::*;

/// Rows that hold noise besides what can be learned, so that late rounds follow it.
fn halves(rows: usize) -> (OwnedDataset, OwnedDataset) {
    (regression(rows, 5, 31), regression(rows, 5, 32))
}

fn error(model: &BoostingModel, data: &OwnedDataset) -> f64 {
    let OwnedTarget::Real(y) = &data.y else { unreachable!() };
    let found = model.predict(&data.view().x).unwrap();
    found.as_slice().iter().zip(y).map(|(p, y)| (p - y) * (p - y)).sum::<f64>() / y.len() as f64
}

#[test]
fn a_random_threshold_differs_from_the_best_and_lowers_the_loss_all_the_same() {
    let (train, test) = halves(2000);
    let fit = |extra_trees: bool, seed: u64| {
        let learner = Boosting { extra_trees, max_iter: 150, ..Boosting::default() };
        learner.fit_with(&train.view(), &Context::seeded(seed)).unwrap()
    };
    let (best, random, other) = (fit(false, 1), fit(true, 1), fit(true, 2));
    assert!(bytes(&random) == bytes(&fit(true, 1)) && bytes(&random) != bytes(&other), "the seed decides, and it alone");
    let (of_best, of_random) = (error(&best, &test), error(&random, &test));
    assert!(of_random < 1.2 * of_best, "{of_random} against {of_best}");
    // A tree of the best thresholds fits its own rows better: what a random one gains is never more.
    let gain = |m: &BoostingModel| m.trees().nodes(0)[0].gain;
    assert!(gain(&random) <= gain(&best) && gain(&random) > 0.0);
    let drawn: std::collections::BTreeSet<u64> = (0..20).map(|t| random.trees().nodes(t)[0].threshold.to_bits()).collect();
    assert!(drawn.len() > 10, "thresholds of twenty roots: {drawn:?}");
}

#[test]
fn random_thresholds_keep_rows_in_leaves_and_do_not_depend_on_threads_or_streams() {
    let data = classes(1500, 4, 3, 33);
    let learner = Boosting { extra_trees: true, max_iter: 6, min_samples_leaf: 25, ..Boosting::default() };
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learner.fit_with(&data.view(), &Context::default())).unwrap()
    };
    let model = fit(1);
    assert!(bytes(&model) == bytes(&fit(3)));
    for t in 0..model.trees().n_trees() {
        assert!(model.trees().nodes(t).iter().all(|n| n.cover >= 25.0));
    }
    let rows = data.view();
    // Every level of a tree is a pass, as there is no memory for the rows.
    assert!(bytes(&model) == bytes(&fit_within(&learner, &rows, &Context::default(), 0).unwrap()));
}

#[test]
fn the_rounds_after_the_best_are_dropped() {
    let (train, watched) = halves(400);
    let view = watched.view();
    let cx = Context { validation: Some(&view), ..Context::default() };
    let learner = Boosting { max_iter: 400, learning_rate: 0.2, n_iter_no_change: 30, ..Boosting::default() };
    let all = learner.fit_with(&train.view(), &cx).unwrap();
    let kept = Boosting { keep_best: true, ..learner.clone() }.fit_with(&train.view(), &cx).unwrap();
    let losses = all.trace().unwrap().column("validation_loss").unwrap();
    let best = losses.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
    assert!(best + 20 < all.rounds(), "{best} of {}", all.rounds());
    assert_eq!(kept.rounds(), best);
    // The loss is half the squared error.
    assert!(
        (0.5 * error(&kept, &watched) - losses[best]).abs() < 1e-9 * losses[best].max(1.0)
            || (error(&kept, &watched) - losses[best]).abs() < 1e-9
    );
    assert!(error(&kept, &watched) < error(&all, &watched));
    // It is the model of so many rounds.
    let scores = all.scores_after(&view.x, best).unwrap();
    assert_eq!(scores.as_slice(), kept.scores(&view.x).unwrap().as_slice());
    // Without rows to watch there is no best round.
    let alone = Boosting { keep_best: true, max_iter: 7, ..Boosting::default() };
    assert_eq!(alone.fit_with(&train.view(), &Context::default()).unwrap().rounds(), 7);
}
