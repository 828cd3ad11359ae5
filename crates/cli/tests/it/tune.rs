//! `ermine tune` and `ermine compare` end to end.

use serde_json::Value;

use crate::command::{fails, json, ok, path};

/// The results of a search, without times.
fn results(v: &Value) -> Vec<(Value, Value, Value)> {
    v["trials"].as_array().unwrap().iter().map(|t| (t["params"].clone(), t["scores"].clone(), t["ended"].clone())).collect()
}

#[test]
fn a_search_finds_better_parameters_and_keeps_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.ermine").display().to_string();
    let args =
        ["tune", "example:penguins", "--target", "species", "--model", "knn", "--budget", "12", "--folds", "3", "-o", &model];
    let v = json(&args);
    assert_eq!((v["metric"].as_str(), v["model"].as_str()), (Some("log_loss"), Some("knn")));
    let trials = v["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 12);
    // The default is the first trial, and the best is no worse.
    assert_eq!(trials[0]["params"]["n_neighbors"], 5);
    assert!(v["best"]["mean"].as_f64().unwrap() <= trials[0]["mean"].as_f64().unwrap());
    assert!(json(&["evaluate", &model, "example:penguins"])["metrics"]["accuracy"].as_f64().unwrap() > 0.95);
    let text = ok(&args);
    assert!(text.contains("best: ") && text.contains("n_neighbors"), "{text}");
}

#[test]
fn a_search_goes_on_from_its_journal_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("j").display().to_string();
    let base = ["tune", "example:diabetes", "--target", "progression", "--model", "ridge", "--budget", "10", "--folds", "3"];
    let whole = json(&base);
    json(&[&base[..], &["--journal", &journal]].concat());
    let text = std::fs::read_to_string(&journal).unwrap();
    assert_eq!(text.lines().count(), 11);
    // Interrupted in the middle of a line.
    let cut: usize = text.lines().take(5).map(|l| l.len() + 1).sum::<usize>() + 20;
    std::fs::write(&journal, &text[..cut]).unwrap();
    let resumed = json(&[&base[..], &["--journal", &journal]].concat());
    assert_eq!((results(&resumed), &resumed["best"]["params"]), (results(&whole), &whole["best"]["params"]));
    assert!(resumed["notes"].to_string().contains("4 trials come from the journal"), "{}", resumed["notes"]);
    let (code, e) = fails(&[&base[..], &["--journal", &journal, "--seed", "1"]].concat());
    assert!(code == 1 && e.contains("another search"), "{e}");
}

#[test]
fn spaces_methods_and_nested_estimates() {
    let base = ["tune", "example:diabetes", "--target", "progression", "--model", "ridge", "--folds", "3"];
    let grid = json(&[&base[..], &["--space", "alpha=0.01..100:log", "--method", "grid", "--steps", "3", "--nested"]].concat());
    let values: Vec<f64> = grid["trials"].as_array().unwrap().iter().map(|t| t["params"]["alpha"].as_f64().unwrap()).collect();
    assert_eq!(values.len(), 3);
    assert!((values[1] - 1.0).abs() < 1e-12 && values[0] == 0.01 && values[2] == 100.0, "{values:?}");
    assert_eq!(grid["nested"]["scores"].as_array().unwrap().len(), 3);
    assert_eq!(grid["exhausted"], true);
    for (args, code, part) in [
        (&["--space", "alpa=1..2"][..], 2, "alpha"),
        (&["--space", "alpha=2..1"], 2, "lower end is above the upper one"),
        (&["--budget", "0"], 2, "50"),
        (&["--metric", "acuracy"], 2, "accuracy"),
        (&["--metric", "accuracy", "--budget", "2"], 1, "does not apply"),
    ] {
        let (found, e) = fails(&[&base[..], args].concat());
        assert!(found == code && e.contains(part), "{args:?}: {found} {e}");
    }
}

#[test]
fn a_budget_is_kept_and_who_was_cut_is_said() {
    let started = std::time::Instant::now();
    let v = json(&[
        "compare",
        "example:digits",
        "--target",
        "digit",
        "--budget",
        "15s",
        "--models",
        "logistic,tree,knn,baseline,svm,gradient-boosting",
    ]);
    assert!(started.elapsed().as_secs_f64() < 15.0 * 1.3 + 5.0, "{:?}", started.elapsed());
    let names =
        |key: &str| v[key].as_array().unwrap().iter().map(|r| r["model"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let (board, failed) = (names("leaderboard"), names("failed"));
    // Besides those that were named, the ensemble of those that were fitted.
    assert_eq!(board.len() + failed.len(), 7, "{board:?} {failed:?}");
    assert!(board.contains(&"baseline".to_owned()) && board.contains(&"tree".to_owned()));
    assert!(v["failed"].as_array().unwrap().iter().all(|f| f["error"].as_str().unwrap().contains("cut")), "{}", v["failed"]);
}

#[test]
fn splits_of_all_kinds_are_compared_and_differences_are_judged() {
    let base = ["compare", "example:penguins", "--target", "species", "--models", "logistic,tree,baseline"];
    let v = json(&[&base[..], &["--folds", "4", "--repeats", "2"]].concat());
    assert_eq!(v["rounds"], "4 folds, 2 times");
    let board = v["leaderboard"].as_array().unwrap();
    assert!(board[0]["p_value"].is_null() && board[2]["model"] == "baseline");
    assert!(board[2]["p_value"].as_f64().unwrap() < 1e-3 && board[2]["like_best"] == false, "{}", board[2]);
    let held_out = json(&[&base[..], &["--split", "0.3"]].concat());
    assert_eq!(held_out["folds"], 1);
    let grouped = json(&[&base[..], &["--group", "island", "--folds", "3"]].concat());
    assert_eq!(grouped["n_features"].as_u64().unwrap() + 1, v["n_features"].as_u64().unwrap());
    let time = json(&[&base[..], &["--time", "year", "--folds", "2"]].concat());
    assert!(time["rounds"].as_str().unwrap().contains("in time"), "{}", time["rounds"]);
    assert_eq!(fails(&[&base[..], &["--group", "island", "--time", "year"]].concat()).0, 2);
}

#[test]
fn the_best_few_are_tuned_on_request() {
    let v = json(&[
        "compare",
        "example:diabetes",
        "--target",
        "progression",
        "--models",
        "ridge,knn,baseline",
        "--folds",
        "3",
        "--tune",
    ]);
    let board = v["leaderboard"].as_array().unwrap();
    assert!(board.iter().any(|r| r["model"].as_str().unwrap().ends_with(" tuned") && r["tuned"].is_object()), "{board:?}");
    let knn = |name: &str| board.iter().find(|r| r["model"] == name).map(|r| r["mean"].as_f64().unwrap());
    assert!(knn("knn tuned").unwrap() >= knn("knn").unwrap());
}

#[test]
fn a_fit_without_a_model_searches_within_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    let (model, again) = (path(folder.path(), "m.ermine"), path(folder.path(), "again.ermine"));
    let base = ["fit", "example:penguins", "--target", "species"];
    let started = std::time::Instant::now();
    let v = json(&[&base[..], &["--budget", "4s", "-o", &model]].concat());
    assert!(started.elapsed().as_secs_f64() < 4.0 * 1.05 + 2.0, "{:?}", started.elapsed());
    assert!(v["score"].as_f64().unwrap() > 0.95 && v["metric"] == "accuracy", "{v}");
    assert!(v["leaderboard"].as_array().unwrap().len() > 1);
    let found = json(&["evaluate", &model, "example:penguins"]);
    assert!(found["metrics"]["accuracy"].as_f64().unwrap() > 0.97, "{found}");
    // A number of fits gives the same bytes on any number of threads.
    for (threads, file) in [("1", &model), ("2", &again)] {
        json(&[&base[..], &["--budget", "12fits", "--threads", threads, "-o", file]].concat());
    }
    assert!(std::fs::read(&model).unwrap() == std::fs::read(&again).unwrap());
    let single = json(&[&base[..], &["--budget", "12fits", "--single"]].concat());
    assert_ne!(single["model"], "voting");
    let (code, e) = fails(&[&base[..], &["--model", "tree", "--budget", "2s"]].concat());
    assert!(code == 2 && e.contains("--model"), "{e}");
}

#[test]
fn a_comparison_within_a_budget_keeps_what_it_shows_first() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m.ermine");
    let base = ["compare", "example:diabetes", "--target", "progression", "--budget", "20fits", "--metric", "rmse", "-o", &model];
    let v = json(&base);
    let board = v["leaderboard"].as_array().unwrap();
    assert_eq!(v["best"], board[0]["model"]);
    assert!(board.iter().any(|r| r["model"] == "ensemble") && board[0]["weight"].as_f64().unwrap() > 0.0, "{v}");
    // 442 rows of this table leave an error of about 54 at best.
    let found = json(&["evaluate", &model, "example:diabetes"])["metrics"]["rmse"].as_f64().unwrap();
    let said = board[0]["mean"].as_f64().unwrap();
    assert!(found < said && (52.0..58.0).contains(&said), "{found} {said}");
}
