//! What a program writes: data in, a model, predictions out.

use ermine::prelude::*;

fn moons() -> (Vec<[f64; 2]>, Vec<bool>) {
    let x: Vec<[f64; 2]> = (0..120).map(|i| [f64::from(i % 12) / 6.0 - 1.0, f64::from(i / 12) / 5.0 - 1.0]).collect();
    let y = x.iter().map(|p| p[0] * p[0] + p[1] > 0.2).collect();
    (x, y)
}

#[test]
fn the_same_rows_in_any_form_give_the_same_model() {
    let (arrays, y) = moons();
    let vectors: Vec<Vec<f64>> = arrays.iter().map(|row| row.to_vec()).collect();
    let slices: Vec<&[f64]> = arrays.iter().map(|row| &row[..]).collect();
    let flat: Vec<f64> = arrays.iter().flatten().copied().collect();
    let matrix = MatRef::from_slice(&flat, (120, 2)).unwrap();
    let learner = Logistic::default();
    let first = learner.fit(&Dataset::try_from((&arrays, &y)).unwrap()).unwrap();
    let words: Vec<&str> = y.iter().map(|&above| if above { "true" } else { "false" }).collect();
    let others = [
        learner.fit(&Dataset::try_from((&vectors, &words)).unwrap()).unwrap(),
        learner.fit(&Dataset::try_from((&slices, &y)).unwrap()).unwrap(),
        learner.fit(&Dataset::try_from((&matrix, &y)).unwrap().into_owned()).unwrap(),
        learner.fit(&(&arrays, &y)).unwrap(),
    ];
    for model in &others {
        assert_eq!(model.coef(), first.coef());
        assert_eq!(model.classify(&vectors).unwrap(), first.classify(&arrays).unwrap());
    }
    assert_eq!(first.classes(), ["false", "true"]);
    let predicted: Vec<bool> = first.classify(&arrays).unwrap().parse().unwrap();
    assert_eq!(metrics::accuracy(&y, &predicted), metrics::accuracy(&words, &first.classify(&slices).unwrap()));
}

#[test]
fn integers_are_classes_in_their_order() {
    let x: Vec<[f64; 1]> = (0..33).map(|i| [f64::from(i)]).collect();
    let y: Vec<i32> = (0..33).map(|i| i / 3).collect();
    let model = Knn { n_neighbors: 1, ..Knn::default() }.fit(&(&x, &y)).unwrap();
    assert_eq!(model.classes()[10], "10", "10 comes after 9");
    assert_eq!(model.classify(&x).unwrap().parse::<i32>().unwrap(), y);
}

#[test]
fn a_question_the_model_has_no_answer_to_is_an_error() {
    let (x, y) = moons();
    let data = Dataset::try_from((&x, &y)).unwrap();
    let e = Tree::default().fit(&data).unwrap().predict(&x).unwrap_err().to_string();
    assert!(e.contains("does not predict numbers") && e.contains("classify"), "{e}");
    let e = Ridge::default().fit(&data).err().unwrap().to_string();
    assert!(e.contains("classes"), "{e}");
    let e = Dataset::try_from((&x, &y[..100])).unwrap_err().to_string();
    assert_eq!(e, "rows of the target: expected 120, found 100");
    let e = data.target().unwrap_err().to_string();
    assert!(e.contains("classes"), "{e}");
}

#[test]
fn several_targets_are_a_matrix() {
    let (x, _) = moons();
    let y = Mat::from_fn(120, 2, |i, j| x[i][j] * 2.0);
    let model = Ridge { alpha: 0.0.into(), ..Ridge::default() }.fit(&(&x, &y)).unwrap();
    assert!((model.predict_targets(&[[0.5, -0.5]]).unwrap()[(0, 1)] + 1.0).abs() < 1e-9);
    assert!(model.predict(&x).unwrap_err().to_string().contains("predict_targets"));
}

#[test]
fn a_table_is_split_fitted_and_asked_by_the_names_of_its_columns() {
    let table = ermine::data::read_table("example:penguins").unwrap();
    let data = Dataset::try_from((&table, "species")).unwrap();
    let (train, test) = data.split(0.25, 1).unwrap();
    assert_eq!((train.rows(), test.rows(), train.target_name()), (258, 86, Some("species")));
    let pipeline = Pipeline::new().then(Prepare::default()).then(Logistic::default());
    let fitted = Fitted::fit(&pipeline, &train).unwrap();
    let accuracy = metrics::accuracy(&test.labels().unwrap(), &fitted.classify(&test).unwrap());
    assert!(accuracy > 0.95, "{accuracy}");
    // More columns, in another order.
    let mut names: Vec<String> = table.schema().names().map(str::to_owned).collect();
    names.reverse();
    let turned = table.select(&names).unwrap();
    assert_eq!(fitted.classify(&turned).unwrap(), fitted.classify(&table).unwrap());
    let e = fitted.classify(&table.without(&["island"]).unwrap()).unwrap_err().to_string();
    assert!(e.contains("\"island\" is not there"), "{e}");
}

#[test]
fn cross_validation_scores_like_its_folds_by_hand() {
    let (x, y) = moons();
    let data = Dataset::try_from((&x, &y)).unwrap();
    let scores = cross_validate(&Tree::default(), &data, 4).unwrap();
    assert_eq!((scores.metric, scores.folds.len()), ("accuracy", 4));
    let folds = ermine::core::splits::stratified_k_fold(&data.view().y, 120, 4, 0).unwrap();
    for (fold, score) in scores.folds.iter().enumerate() {
        let (train, test) = folds.round(fold);
        let model = Tree::default().fit(&data.take_rows(&train)).unwrap();
        let test = data.take_rows(&test);
        assert_eq!(*score, metrics::accuracy(&test.labels().unwrap(), &model.classify(&test).unwrap()));
    }
    assert_eq!(scores.mean, scores.folds.iter().sum::<f64>() / 4.0);
    assert!(scores.by("log_loss").mean > 0.0 && scores.by("r2").mean.is_nan());
}

#[test]
fn a_grid_search_finds_the_best_of_all_combinations() {
    let (x, y) = moons();
    let data = Dataset::try_from((&x, &y)).unwrap();
    let best = GridSearch::new(&Svm::default()).over("C", [0.01, 1.0, 100.0]).over("gamma", [0.1, 1.0]).run(&data).unwrap();
    assert_eq!(best.search.trials.len(), 6);
    let by_hand = best.search.trials.iter().map(|t| t.summary().mean).fold(0.0, f64::max);
    assert_eq!(best.mean, by_hand);
    assert!(metrics::accuracy(&y, &best.model.classify(&x).unwrap()) > 0.95);
}

#[test]
fn models_and_data_can_be_shared_by_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Fitted>();
    shared::<Dataset<'static>>();
    shared::<Labels>();
    shared::<Box<dyn ermine::Model>>();
    shared::<Box<dyn AnyLearner>>();
    shared::<ermine::Error>();
    let (x, y) = moons();
    let model = std::sync::Arc::new(Tree::default().fit(&(&x, &y)).unwrap());
    let one = model.classify(&x).unwrap();
    let in_thread = std::thread::spawn(move || model.classify(&x).unwrap());
    assert_eq!(in_thread.join().unwrap(), one);
}

#[test]
fn a_fit_runs_on_the_threads_it_is_given_and_stops_when_it_is_told_to() {
    let (x, y) = moons();
    let used = std::sync::Mutex::new(Vec::new());
    let look = |_: &ermine::core::Progress| {
        used.lock().unwrap().push(rayon::current_num_threads());
        ermine::core::Flow::Continue
    };
    let learner = RandomForest { n_estimators: 20, ..Default::default() };
    let fit = |cx: &Context<'_>| learner.fit_with(&(&x, &y), cx).map(|model| model.proba(&x).unwrap());
    let three = fit(&Context { threads: Some(3), observer: Some(&look), ..Context::default() }).unwrap();
    assert!(!used.lock().unwrap().is_empty() && used.lock().unwrap().iter().all(|&n| n == 3));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    used.lock().unwrap().clear();
    let two = pool.install(|| fit(&Context { observer: Some(&look), ..Context::default() })).unwrap();
    assert!(used.lock().unwrap().iter().all(|&n| n == 2), "the pool of the caller");
    assert_eq!(two, three);
    let token = CancelToken::default();
    token.cancel();
    let stopped = fit(&Context { cancel: Some(&token), ..Context::default() });
    assert!(matches!(stopped, Err(ermine::Error::Stopped(_))), "{stopped:?}");
}

#[test]
fn models_reports_and_results_print_themselves() {
    let (x, _) = moons();
    let y: Vec<f64> = x.iter().map(|p| 1.0 + 2.0 * p[0]).collect();
    let model = Ols::default().fit(&(&x, &y)).unwrap();
    assert!(model.to_string().contains("(intercept)") && model.to_string() == model.report().to_string());
    let fitted = Fitted::fit(&Ols::default(), &Dataset::try_from((&x, &y)).unwrap().with_names(["width", "height"]).unwrap());
    let text = fitted.unwrap().to_string();
    assert!(text.starts_with("ols\n\n") && text.contains("height"), "{text}");
    assert_eq!(cross_validate(&Ols::default(), &(&x, &y), 3).unwrap().to_string(), "r2 1.0000 ± 0.0000 (3 folds)");
}
