use std::sync::Mutex;

use ermine_core::{Features, Learner, MatRef, RngStream, Target};
use serde_json::json;

use super::*;
use ermine_bayes::Lda;
use ermine_eval::model_selection::k_fold;
use ermine_fixtures::numbers_and_classes;
use ermine_linear::Ridge;
use ermine_neighbors::Knn;

/// Waves in two columns, noise in four others.
fn rows(n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut s = RngStream::new(11, "waves", 0);
    let x: Vec<f64> = (0..n * 6).map(|_| s.normal()).collect();
    let y = (0..n).map(|i| (2.0 * x[6 * i]).sin() + x[6 * i + 1] + 0.3 * s.normal()).collect();
    (x, y)
}

fn space(learner: &dyn AnyLearner, axes: &[&str]) -> SearchSpace {
    let mut space = SearchSpace::default();
    axes.iter().for_each(|a| space.set(learner, a).unwrap());
    space
}

/// A trial without times: parameters, scores of the folds, how it ended, its share of the rows.
type Told = (Map<String, Value>, Vec<f64>, TrialEnd, f64);

fn told(found: &SearchResult) -> Vec<Told> {
    found.trials.iter().map(|t| (t.params.clone(), t.scores.clone(), t.ended.clone(), t.share)).collect()
}

#[test]
fn a_grid_finds_what_trying_everything_by_hand_finds() {
    let (x, y) = rows(200);
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 200, 6))).with_target(Target::Real(&y));
    let rounds = CvSplits::from(k_fold(200, 4, 0).unwrap());
    let learner = Knn::default();
    let space = space(&learner, &["n_neighbors=1..30:log"]);
    let search = ParameterSearch {
        learner: &learner,
        wrap: &identity,
        space: &space,
        method: SearchMethod::Grid { steps: 6 },
        metric: "rmse",
        rounds: &rounds,
        budget: Budget::default(),
        give_up: false,
    };
    let result = search.run(&data, Vec::new(), &Context::default(), &|_| {}).unwrap();
    assert!(result.exhausted);
    let by_hand = |k: usize| {
        let learner = Knn { n_neighbors: k, ..Knn::default() };
        let each: Vec<f64> = (0..4)
            .map(|r| {
                let (train, test) = rounds.round(r);
                let (train, test) = (data.take_rows(&train), data.take_rows(&test));
                let model = learner.fit_with(&train.view(), &Context::default()).unwrap();
                ermine_eval::metrics::evaluate(&model, &test.view().x, &test.view().y, None).unwrap()[1].1
            })
            .collect();
        each.iter().sum::<f64>() / 4.0
    };
    let values: Vec<usize> = result.trials.iter().map(|t| t.params["n_neighbors"].as_u64().unwrap() as usize).collect();
    assert_eq!((values[0], *values.last().unwrap()), (1, 30));
    let best = values.iter().copied().min_by(|a, b| by_hand(*a).total_cmp(&by_hand(*b))).unwrap();
    assert_eq!(result.best().params["n_neighbors"], json!(best));
    assert!((result.best().summary().mean - by_hand(best)).abs() < 1e-12);
}

#[test]
fn a_search_that_was_killed_and_resumed_gives_the_result_of_one_that_was_not() {
    let (x, y) = rows(150);
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 150, 6))).with_target(Target::Real(&y));
    let rounds = CvSplits::from(k_fold(150, 3, 0).unwrap());
    let learner = Knn::default();
    let space = space(&learner, &["n_neighbors=1..60:log", "weights=uniform,distance", "p=1..4"]);
    for method in [SearchMethod::Random, SearchMethod::Model, SearchMethod::Halving, SearchMethod::Grid { steps: 3 }] {
        let search = ParameterSearch {
            learner: &learner,
            wrap: &identity,
            space: &space,
            method,
            metric: "mse",
            rounds: &rounds,
            budget: Budget { trials: Some(18), time: None },
            give_up: true,
        };
        let cx = Context::seeded(3);
        let journal = Mutex::new(Vec::new());
        let whole = search.run(&data, Vec::new(), &cx, &|t| journal.lock().unwrap().push(t.clone())).unwrap();
        let journal = journal.into_inner().unwrap();
        assert_eq!(whole.trials.len(), 18, "{method:?}");
        for kept in [0, 1, 6, 11, journal.len()] {
            let again = search.run(&data, journal[..kept].to_vec(), &cx, &|_| {}).unwrap();
            assert_eq!((told(&again), again.best), (told(&whole), whole.best), "{method:?} after {kept}");
        }
        // And on one thread.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let one = pool.install(|| search.run(&data, Vec::new(), &cx, &|_| {})).unwrap();
        assert_eq!(told(&one), told(&whole), "{method:?}");
    }
}

#[test]
fn hopeless_trials_are_given_up_and_the_best_is_still_found() {
    let (x, y) = rows(300);
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 300, 6))).with_target(Target::Real(&y));
    let rounds = CvSplits::from(k_fold(300, 5, 0).unwrap());
    let learner = Ridge::default();
    let space = space(&learner, &["alpha=1e-3..1e6:log"]);
    let run = |give_up: bool| {
        let budget = Budget { trials: Some(24), time: None };
        let search = ParameterSearch {
            learner: &learner,
            wrap: &identity,
            space: &space,
            method: SearchMethod::Random,
            metric: "mse",
            rounds: &rounds,
            budget,
            give_up,
        };
        search.run(&data, Vec::new(), &Context::default(), &|_| {}).unwrap()
    };
    let (all, some) = (run(false), run(true));
    assert_eq!(all.best().params, some.best().params);
    let left: Vec<&Trial> = some.trials.iter().filter(|t| t.ended == TrialEnd::Pruned).collect();
    assert!(!left.is_empty() && left.iter().all(|t| t.scores.len() < 5));
    // The default is tried first.
    assert_eq!(all.trials[0].params["alpha"], json!(1.0));
}

#[test]
fn halving_spends_full_fits_on_few_settings() {
    let (x, y) = rows(3000);
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 3000, 6))).with_target(Target::Real(&y));
    let (train, test) = ((0..2400).collect(), (2400..3000).collect());
    let rounds = CvSplits::HoldOut { train, test };
    let learner = Knn::default();
    let space = space(&learner, &["n_neighbors=1..200:log", "p=1..3"]);
    let budget = Budget { trials: Some(27), time: None };
    let search = ParameterSearch {
        learner: &learner,
        wrap: &identity,
        space: &space,
        method: SearchMethod::Halving,
        metric: "mse",
        rounds: &rounds,
        budget,
        give_up: true,
    };
    let result = search.run(&data, Vec::new(), &Context::default(), &|_| {}).unwrap();
    assert_eq!(result.trials.len(), 27);
    // 2400 rows leave room for one rung of 800 rows; a third of 27 are continued.
    assert_eq!(result.trials.iter().filter(|t| t.share == 1.0).count(), 9);
    assert_eq!(result.best().share, 1.0);
}

#[test]
fn finite_spaces_are_exhausted_and_bad_searches_are_refused() {
    let (x, y) = rows(60);
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 60, 6))).with_target(Target::Real(&y));
    let rounds = CvSplits::from(k_fold(60, 3, 0).unwrap());
    let learner = Knn::default();
    let small = space(&learner, &["n_neighbors=1..3", "weights=uniform,distance"]);
    let budget = Budget { trials: Some(100), time: None };
    let search = ParameterSearch {
        learner: &learner,
        wrap: &identity,
        space: &small,
        method: SearchMethod::Model,
        metric: "mse",
        rounds: &rounds,
        budget,
        give_up: false,
    };
    let result = search.run(&data, Vec::new(), &Context::default(), &|_| {}).unwrap();
    // The default, 5 neighbors, is outside and is tried first; then each of the six within, once.
    assert!(result.exhausted);
    assert_eq!(result.trials.len(), 7);
    assert_eq!(result.trials[0].params["n_neighbors"], json!(5));
    let within = small.grid(usize::MAX);
    assert_eq!(within.len(), 6);
    assert!(within.iter().all(|p| result.trials[1..].iter().filter(|t| t.params == *p).count() == 1));
    let run = |s: ParameterSearch<'_>| s.run(&data, Vec::new(), &Context::default(), &|_| {});
    let empty = SearchSpace::default();
    assert!(run(ParameterSearch { space: &empty, ..search }).is_err());
    let search = ParameterSearch {
        learner: &learner,
        wrap: &identity,
        space: &small,
        method: SearchMethod::Random,
        metric: "mse",
        rounds: &rounds,
        budget,
        give_up: false,
    };
    assert!(run(ParameterSearch { budget: Budget::default(), ..search }).is_err());
    let search = ParameterSearch {
        learner: &learner,
        wrap: &identity,
        space: &small,
        method: SearchMethod::Random,
        metric: "accuracy",
        rounds: &rounds,
        budget,
        give_up: false,
    };
    assert!(run(search).is_err());
    // Every setting fails, the default too: more neighbors than rows.
    let greedy = Knn { n_neighbors: 100, ..Knn::default() };
    let far = space(&greedy, &["n_neighbors=100..200"]);
    let search = ParameterSearch {
        learner: &greedy,
        wrap: &identity,
        space: &far,
        method: SearchMethod::Random,
        metric: "mse",
        rounds: &rounds,
        budget,
        give_up: false,
    };
    assert!(run(search).unwrap_err().to_string().contains("rows to choose from"));
    // No time at all.
    let budget = Budget { trials: None, time: Some(Duration::ZERO) };
    let search = ParameterSearch {
        learner: &learner,
        wrap: &identity,
        space: &small,
        method: SearchMethod::Random,
        metric: "mse",
        rounds: &rounds,
        budget,
        give_up: false,
    };
    assert!(matches!(run(search), Err(Error::Deadline(_))));
}

/// The scores that a search shows for its best setting are optimistic; the nested ones are not. On pure noise no
/// setting can be better than the mean of y.
#[test]
fn nested_scores_are_honest_where_the_best_of_many_is_not() {
    let mut s = RngStream::new(2, "noise", 0);
    let x: Vec<f64> = (0..80 * 3).map(|_| s.normal()).collect();
    let y: Vec<f64> = (0..80).map(|_| s.normal()).collect();
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 80, 3))).with_target(Target::Real(&y));
    let rounds = CvSplits::from(k_fold(80, 4, 0).unwrap());
    let learner = Knn::default();
    let space = space(&learner, &["n_neighbors=1..40", "p=1..5", "weights=uniform,distance"]);
    let budget = Budget { trials: Some(40), time: None };
    let search = ParameterSearch {
        learner: &learner,
        wrap: &identity,
        space: &space,
        method: SearchMethod::Random,
        metric: "r2",
        rounds: &rounds,
        budget,
        give_up: false,
    };
    let inner = |d: &DatasetRef<'_>| Ok(CvSplits::from(k_fold(d.rows(), 4, 1)?));
    let outer = nested(&search, &data, &rounds, &inner, &Context::default(), &|_, _| {}).unwrap();
    let result = search.run(&data, Vec::new(), &Context::default(), &|_| {}).unwrap();
    let honest = outer.iter().map(|r| r.score.value("r2").unwrap()).sum::<f64>() / 4.0;
    assert_eq!(outer.len(), 4);
    assert!(honest < result.best().summary().mean, "{honest} {}", result.best().summary().mean);
}

/// The scores of fits to the rows of each round.
fn plainly(learner: &dyn AnyLearner, data: &DatasetRef<'_>, rounds: &CvSplits) -> Vec<FoldScore> {
    let one = |k: usize| {
        let (train, test) = rounds.round(k);
        let (train, test) = (data.take_rows(&train), data.take_rows(&test));
        validate_once(learner, &train.view(), &test.view(), &Context::default()).unwrap().0
    };
    (0..rounds.len()).map(one).collect()
}

#[test]
fn a_search_scores_each_setting_as_a_fit_to_the_rows_does_on_any_threads() {
    let (x, y, classes) = numbers_and_classes(300);
    let features = Features::F64(MatRef::row_major(&x, 300, 4));
    let rounds = CvSplits::from(k_fold(300, 5, 3).unwrap());
    let lda = Lda { solver: ermine_bayes::LdaSolver::Lsqr, ..Lda::default() };
    let knn = Knn::default();
    let cases: [(&dyn AnyLearner, Target<'_>, &str, &str); 3] = [
        (&Ridge::default(), Target::Real(&y), "alpha=1e-3..1e3:log", "rmse"),
        (&lda, classes.view(), "shrinkage=0..1", "log_loss"),
        (&knn, classes.view(), "n_neighbors=1..9", "roc_auc"),
    ];
    for (learner, target, axis, metric) in cases {
        let data = DatasetRef::new(features).with_target(target);
        let mut space = SearchSpace::default();
        space.set(learner, axis).unwrap();
        let search = ParameterSearch {
            learner,
            wrap: &identity,
            space: &space,
            method: SearchMethod::Grid { steps: 6 },
            metric,
            rounds: &rounds,
            budget: Default::default(),
            give_up: false,
        };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| search.run(&data, Vec::new(), &Context::default(), &|_| {})).unwrap()
        };
        let (one, two) = (run(1), run(2));
        for (a, b) in one.trials.iter().zip(&two.trials) {
            assert_eq!(a.scores, b.scores);
            let mut set = learner.boxed();
            set.set_all(&a.params).unwrap();
            let plain: Vec<f64> = plainly(&*set, &data, &rounds).iter().map(|s| s.value(metric).unwrap()).collect();
            assert!(a.scores.iter().zip(&plain).all(|(a, b)| (a - b).abs() < 1e-9), "{:?} {plain:?}", a.scores);
        }
        assert_eq!(one.trials.len(), 6);
    }
}
