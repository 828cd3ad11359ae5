//! End-to-end tests of the binary.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

use crate::command::{fails, json, ok, path, run};

#[test]
fn compare_ranks_the_penguins_and_the_baseline_is_last() {
    let v = json(&["compare", "example:penguins", "--target", "species"]);
    let board = v["leaderboard"].as_array().unwrap();
    assert!(board.len() >= 4, "{board:?}");
    for row in board {
        for key in ["model", "mean", "std", "fit_seconds"] {
            assert!(row.get(key).is_some(), "{row} has no {key}");
        }
    }
    assert_eq!(board.last().unwrap()["model"], "baseline");
    assert!(board[0]["mean"].as_f64().unwrap() > 0.98, "{}", board[0]);
    assert_eq!(v["failed"].as_array().unwrap().len(), 0, "{}", v["failed"]);
    let text = ok(&["compare", "example:penguins", "--target", "species", "--models", "logistic,baseline", "--folds", "3"]);
    assert!(text.contains("logistic") && text.contains('±') && text.lines().all(|l| l.chars().count() <= 80), "{text}");
}

#[test]
fn compare_does_regression_and_keeps_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let best = path(folder.path(), "best.ermine");
    let v = json(&["compare", "example:diabetes", "--target", "progression", "-o", &best]);
    assert_eq!(v["metric"], "r2");
    assert!(v["leaderboard"][0]["mean"].as_f64().unwrap() > 0.4);
    let e = json(&["evaluate", &best, "example:diabetes"]);
    assert!(e["metrics"]["r2"].as_f64().unwrap() > 0.4);
}

#[test]
fn fit_predict_evaluate_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m.ermine");
    let fit = json(&["fit", "example:penguins", "--target", "species", "--model", "tree", "-o", &model, "--split", "0.25"]);
    for key in ["model", "params", "task", "n_rows", "n_features", "certificate", "train_metrics"] {
        assert!(fit.get(key).is_some(), "fit has no {key}");
    }
    assert_eq!(fit["model"], "tree");
    assert!(fit["test_metrics"]["accuracy"].as_f64().unwrap() > 0.85);
    let rows = ok(&["predict", &model, "example:penguins"]);
    assert_eq!(rows.lines().count(), 345, "a row out for each row in, and a head");
    assert_eq!(rows.lines().next(), Some("predicted_species"));
    let proba = ok(&["predict", &model, "example:penguins", "--proba"]);
    assert_eq!(proba.lines().next(), Some("predicted_species,probability_Adelie,probability_Chinstrap,probability_Gentoo"));
    let v = json(&["predict", &model, "example:penguins"]);
    assert_eq!(v["predictions"].as_array().unwrap().len(), 344);
    assert_eq!(v["probabilities"][0].as_array().unwrap().len(), 3);
    assert_eq!(v["classes"], serde_json::json!(["Adelie", "Chinstrap", "Gentoo"]));
    for out in ["p.csv", "p.parquet"] {
        let file = path(folder.path(), out);
        ok(&["predict", &model, "example:penguins", "-o", &file]);
        assert_eq!(json(&["describe", &file])["n_rows"], 344, "{out}");
    }
    let e = json(&["evaluate", &model, "example:penguins"]);
    assert!(e["metrics"]["accuracy"].as_f64().unwrap() > 0.9);
    assert_eq!(e["confusion"].as_array().unwrap().len(), 3);
}

#[test]
fn every_linear_model_takes_any_table() {
    // Island and species depend strongly on each other, which violates the independence assumption of naive Bayes; it
    // runs, and reports its accuracy.
    for (model, least) in [("logistic", 0.98), ("gaussian-nb", 0.7)] {
        let v = json(&["fit", "example:penguins", "--target", "species", "--model", model]);
        assert!(v["train_metrics"]["accuracy"].as_f64().unwrap() > least, "{model}: {v}");
    }
    for model in ["ols", "ridge"] {
        let v = json(&["fit", "example:penguins", "--target", "body_mass_g", "--model", model]);
        assert!(v["train_metrics"]["r2"].as_f64().unwrap() > 0.8, "{model}: {v}");
    }
    let (code, e) = fails(&["fit", "example:penguins", "--target", "species", "--model", "logistic", "--prepare", "none"]);
    assert_eq!(code, 1);
    assert!(e.contains("column \"") && e.contains("help:"), "{e}");
}

#[test]
fn clustering_and_reduction_need_no_target() {
    let folder = tempfile::tempdir().unwrap();
    let pca = path(folder.path(), "pca.ermine");
    let v = json(&["fit", "example:iris", "--drop", "species", "--model", "pca", "--set", "n_components=2", "-o", &pca]);
    assert_eq!(v["params"]["n_components"], 2);
    let scores = ok(&["transform", &pca, "example:iris"]);
    assert_eq!(scores.lines().count(), 151);
    assert_eq!(scores.lines().next().unwrap().split(',').count(), 2);
    let groups = path(folder.path(), "k.ermine");
    let v = json(&["fit", "example:faithful", "--model", "kmeans", "--set", "n_clusters=2", "-o", &groups]);
    assert_eq!(v["task"], "clustering");
    assert_eq!(json(&["predict", &groups, "example:faithful"])["predictions"].as_array().unwrap().len(), 272);
}

#[test]
fn wrong_names_are_answered_with_the_nearest_and_the_right_code() {
    for (args, code, part) in [
        (&["fit", "example:penguins", "--target", "specie"][..], 1, "did you mean \"species\""),
        (&["fit", "example:penguins", "--target", "species", "--model", "logistc"], 2, "did you mean \"logistic\""),
        (
            &["fit", "example:penguins", "--target", "species", "--model", "tree", "--set", "max_dept=3"],
            2,
            "did you mean \"max_depth\"",
        ),
        (&["fit", "example:penguins", "--target", "species", "--model", "tree", "--set", "max_depth=0"], 2, "max_depth"),
        (&["fit", "example:penguin", "--target", "species"], 1, "did you mean \"penguins\""),
        (&["models", "rigde"], 2, "did you mean \"ridge\""),
        (&["fit", "no-such-file.csv", "--target", "y"], 1, "no-such-file.csv"),
        (&["predict", "no-such-model", "example:iris"], 1, "no-such-model"),
        (&["compare", "example:iris"], 2, "--target"),
        (&["frobnicate"], 2, "frobnicate"),
        (&["compare", "example:iris", "--target", "species", "--budget", "soon"], 2, "60s"),
    ] {
        let (found, e) = fails(args);
        assert_eq!(found, code, "{args:?}: {e}");
        assert!(e.contains(part), "{args:?}: {e}");
    }
    let out = run(&["fit", "no-such-file.csv", "--target", "y", "--json"]);
    let v: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(v["error"].as_str().unwrap().contains("no-such-file"), "a failure is one JSON object too");
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for (model, target) in [("logistic", "species"), ("ridge", "body_mass_g"), ("tree", "species")] {
        let files: Vec<Vec<u8>> = ["1", "2", "7"]
            .iter()
            .map(|threads| {
                let file = path(folder.path(), &format!("{model}{threads}"));
                ok(&["fit", "example:penguins", "--target", target, "--model", model, "--threads", threads, "-o", &file]);
                std::fs::read(file).unwrap()
            })
            .collect();
        assert!(files.windows(2).all(|w| w[0] == w[1]), "{model}");
    }
}

#[test]
fn a_stream_gives_the_model_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let csv = path(folder.path(), "d.csv");
    let mut text = String::from("a,b,kind,y\n");
    for i in 0..9000 {
        let (a, b) = (f64::from(i % 97) / 10.0, f64::from(i % 31));
        text += &format!("{a},{b},{},{}\n", ["red", "blue"][i as usize % 2], 2.0 * a - b + f64::from(i % 2));
    }
    std::fs::write(&csv, text).unwrap();
    for model in ["ols", "ridge"] {
        let (memory, stream) = (path(folder.path(), "memory"), path(folder.path(), "stream"));
        ok(&["fit", &csv, "--target", "y", "--model", model, "-o", &memory]);
        let v = json(&["fit", &csv, "--target", "y", "--model", model, "--stream", "-o", &stream]);
        assert_eq!(v["n_rows"], 9000);
        assert!(std::fs::read(memory).unwrap() == std::fs::read(stream).unwrap(), "{model}: a stream and memory differ");
    }
    // Trees say which way they took; it does not change their bytes.
    for (model, set) in [("forest", "splitter=histogram"), ("boosting", "max_leaf_nodes=5")] {
        let trees = if model == "forest" { "n_estimators=3" } else { "max_iter=3" };
        let fit = ["fit", &csv, "--target", "kind", "--model", model, "--set", set, "--set", trees];
        let memory = path(folder.path(), "memory");
        ok(&[&fit[..], &["-o", &memory]].concat());
        for (more, words) in [(&[][..], "binned and kept in memory"), (&["--memory", "100KB"][..], "in passes over the rows")] {
            let stream = path(folder.path(), "stream");
            let v = json(&[&fit[..], &["--stream", "-o", &stream], more].concat());
            assert!(v["notes"].to_string().contains(words), "{model}: {}", v["notes"]);
            assert!(std::fs::read(&memory).unwrap() == std::fs::read(stream).unwrap(), "{model} {words}: other bytes");
        }
    }
    let (code, e) = fails(&["fit", &csv, "--target", "y", "--model", "forest", "--stream", "--memory", "9 apples"]);
    assert!(code == 2 && e.contains("not a unit of memory"), "{e}");
    let (code, e) = fails(&["fit", &csv, "--target", "kind", "--model", "tree", "--stream"]);
    assert_eq!(code, 1);
    assert!(e.contains("passes"), "{e}");
}

#[test]
fn costs_and_abstention() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m");
    ok(&["fit", "example:mushrooms", "--target", "class", "--model", "tree", "--set", "max_depth=2", "-o", &model]);
    let v = json(&["evaluate", &model, "example:mushrooms", "--cost", "fp=1,fn=20", "--abstain", "0.1"]);
    assert!(v["cost"]["total"].as_f64().unwrap() <= v["cost"]["total_at_half"].as_f64().unwrap());
    assert!((v["cost"]["threshold"].as_f64().unwrap() - 1.0 / 21.0).abs() < 1e-12);
    assert!(v["abstention"]["declined"].as_f64().unwrap() < 1.0);
    assert_eq!(fails(&["evaluate", &model, "example:mushrooms", "--cost", "fp=x"]).0, 2);
    assert_eq!(fails(&["evaluate", &model, "example:mushrooms", "--abstain", "7"]).0, 2);
    // With one very expensive error, abstaining at 7 may still pay.
    let v = json(&["evaluate", &model, "example:mushrooms", "--cost", "fp=1,fn=20", "--abstain", "7"]);
    assert!(
        v["abstention"]["cost_per_row"].as_f64().unwrap() <= v["cost"]["total"].as_f64().unwrap() / v["n_rows"].as_f64().unwrap()
    );
}

#[test]
fn costs_of_several_classes() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m");
    ok(&["fit", "example:penguins", "--target", "species", "--model", "tree", "--set", "max_depth=2", "-o", &model]);
    let v = json(&["evaluate", &model, "example:penguins", "--cost", "Chinstrap:Adelie=40,Chinstrap:Gentoo=40"]);
    assert_eq!(v["cost"]["matrix"], serde_json::json!([[0.0, 1.0, 1.0], [40.0, 0.0, 40.0], [1.0, 1.0, 0.0]]));
    let of = |key: &str| v["cost"][key].as_f64().unwrap();
    // On the training rows the leaves of a tree have the true frequencies, so that no other decisions could be cheaper.
    assert!(of("total") < of("total_of_most_probable"), "{}", v["cost"]);
    for (cost, part) in [("fp=5,fn=1", "3"), ("Chinstrap:Emperor=2", "Gentoo"), ("Adelie:Gentoo=-1", "0 or more")] {
        let (code, e) = fails(&["evaluate", &model, "example:penguins", "--cost", cost]);
        assert!(code == 2 && e.contains(part), "{cost}: {code} {e}");
    }
}

#[test]
fn describe_and_models_say_what_is_there() {
    let v = json(&["describe", "example:penguins"]);
    assert_eq!(v["n_rows"], 344);
    let species = v["columns"].as_array().unwrap().iter().find(|c| c["name"] == "species").unwrap().clone();
    assert_eq!(species["type"], "category");
    assert_eq!(species["distinct"], 3);
    for args in [&["describe", "example:penguins"][..], &["models"], &["models", "ridge"], &["models", "tree"]] {
        let text = ok(args);
        let wide: Vec<&str> = text.lines().filter(|l| l.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{args:?} is wider than 80 columns: {wide:?}");
    }
    let v = json(&["models", "ridge"]);
    assert!(v["params"].as_array().unwrap().iter().any(|p| p["name"] == "alpha" && p["default"] == 1.0));
}

#[test]
fn standard_input_help_completion_and_manual() {
    let out =
        Command::cargo_bin("ermine").unwrap().args(["describe", "-", "--json"]).write_stdin("a,b\n1,x\n2,y\n").output().unwrap();
    let v: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(v["n_rows"], 2);
    assert!(ok(&["--help"]).contains("compare") && ok(&["fit", "--help"]).contains("--target"));
    assert!(ok(&["completions", "bash"]).contains("ermine"));
    let folder = tempfile::tempdir().unwrap();
    ok(&["man", folder.path().to_str().unwrap()]);
    assert!(folder.path().join("ermine-fit.1").exists());
    assert!(ok(&["--version"]).starts_with("ermine "));
}

/// A file-size limit stands in for a full disk: the write fails in the middle, and the old model is whole.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_model_whole() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m.ermine");
    ok(&["fit", "example:digits", "--target", "digit", "--model", "tree", "-o", &model]);
    let before = std::fs::read(&model).unwrap();
    assert!(before.len() > 20_000);
    let binary = assert_cmd::cargo::cargo_bin("ermine");
    let command =
        format!("ulimit -f 8; exec '{}' fit example:digits --target digit --model tree --seed 1 -o '{model}'", binary.display());
    let status = std::process::Command::new("sh").args(["-c", &command]).output().unwrap().status;
    assert!(!status.success());
    assert!(std::fs::read(&model).unwrap() == before, "the old model was touched");
}

#[test]
fn nothing_to_evaluate_on_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (model, empty) = (path(folder.path(), "m.ermine"), path(folder.path(), "empty.csv"));
    ok(&["fit", "example:diabetes", "--target", "progression", "--model", "baseline", "-o", &model]);
    let head = "age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,progression\n";
    std::fs::write(&empty, format!("{head}1,1,1,1,1,1,1,1,1,1,\n")).unwrap();
    let (code, message) = fails(&["evaluate", &model, &empty]);
    assert!(code == 1 && message.contains("no rows") && message.contains("empty.csv"), "{message}");
}

#[test]
fn of_many_equal_columns_each_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let wide = path(folder.path(), "wide.csv");
    let line = |cell: &str| vec![cell; 500].join(",");
    let names: Vec<String> = (0..500).map(|j| format!("c{j}")).collect();
    std::fs::write(&wide, format!("{}\n{}\n{}\n", names.join(","), line("1"), line("2"))).unwrap();
    let seen = json(&["describe", &wide]);
    let equal = seen["warnings"].as_array().unwrap().iter().filter(|w| w.as_str().unwrap().contains("are equal")).count();
    assert_eq!(equal, 499);
}

/// A line for each of very many columns helps nobody, and columns are not compared with all others.
#[test]
fn of_very_many_columns_the_first_are_shown_and_the_others_counted() {
    let folder = tempfile::tempdir().unwrap();
    let wide = path(folder.path(), "wide.svm");
    let row = |i: usize| -> String { (0..400).map(|k| format!(" {}:{}", 1 + k * 100 + i, k % 7 + i)).collect() };
    std::fs::write(&wide, (0..100).map(|i| format!("{i}{}\n", row(i))).collect::<String>()).unwrap();
    let out =
        Command::cargo_bin("ermine").unwrap().args(["describe", &wide]).timeout(std::time::Duration::from_secs(60)).output();
    let out = out.unwrap();
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.lines().count() < 120 && text.contains("more columns (--json has all)"), "{text}");
    assert!(String::from_utf8(out.stderr).unwrap().lines().count() < 30);
}

/// Sparse text leaves out zeros: a file whose rows lack the highest indices is as wide as the model all the same, and
/// indices that the model does not know are left out, as LIBLINEAR does.
#[test]
fn libsvm_rows_are_as_wide_as_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let (train, narrow, wide) = (path(folder.path(), "t.svm"), path(folder.path(), "n.svm"), path(folder.path(), "w.svm"));
    let rows: String = (0..60).map(|i| format!("{} 1:{} 3:{} 5:{}\n", 2 * i + i % 7, i, i % 7, i % 3)).collect();
    std::fs::write(&train, rows).unwrap();
    std::fs::write(&narrow, "5 1:1\n0\n7 1:2 3:1\n").unwrap();
    std::fs::write(&wide, "5 1:1 9:4\n0\n7 1:2 3:1 7:1\n").unwrap();
    for more in [&[][..], &["--prepare", "none"], &["--prepare", "none", "--stream"], &["--stream"]] {
        let model = path(folder.path(), "m");
        let fit = [&["fit", &train, "--target", "target", "--model", "ridge", "-o", &model], more].concat();
        ok(&fit);
        let a = json(&["predict", &model, &narrow]);
        let b = json(&["predict", &model, &wide]);
        assert_eq!(a["predictions"], b["predictions"], "{more:?}");
        assert_eq!(a["predictions"].as_array().unwrap().len(), 3);
        assert_eq!(a["notes"].as_array().unwrap().len(), 0, "{}", a["notes"]);
        assert!(b["notes"][0].as_str().unwrap().contains("2 cells beyond"), "{}", b["notes"]);
        assert!(json(&["evaluate", &model, &narrow])["metrics"]["mse"].as_f64().unwrap().is_finite());
    }
    let (memory, stream) = (path(folder.path(), "memory"), path(folder.path(), "stream"));
    ok(&["fit", &train, "--target", "target", "--model", "ridge", "-o", &memory]);
    ok(&["fit", &train, "--target", "target", "--model", "ridge", "--stream", "-o", &stream]);
    assert!(std::fs::read(memory).unwrap() == std::fs::read(stream).unwrap(), "a stream and memory differ");
}

#[test]
fn groups_of_a_table_with_categories_are_measured_in_prepared_columns() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "k");
    let fit = json(&["fit", "example:penguins", "--model", "kmeans", "--set", "n_clusters=3", "-o", &model]);
    let e = json(&["evaluate", &model, "example:penguins"]);
    let silhouette = e["metrics"]["silhouette"].as_f64().unwrap();
    assert!((0.2..1.0).contains(&silhouette), "{e}");
    assert_eq!(fit["train_metrics"]["silhouette"].as_f64(), Some(silhouette));
}

#[test]
fn a_model_remembers_how_its_data_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let (data, new, model) = (path(folder.path(), "d.csv"), path(folder.path(), "new.csv"), path(folder.path(), "m"));
    let row = |i: usize| format!("{},{},{}\n", if i.is_multiple_of(9) { "-99".into() } else { i.to_string() }, i % 3, i * 2);
    std::fs::write(&data, format!("a,kind,y\n{}", (0..60).map(row).collect::<String>())).unwrap();
    std::fs::write(&new, "a,kind\n5,1\n-99,2\n").unwrap();
    ok(&["fit", &data, "--target", "y", "--model", "ridge", "--missing=-99", "--type", "kind=category", "-o", &model]);
    let predicted = json(&["predict", &model, &new, "--missing=-99"]);
    let remembered = json(&["predict", &model, &new]);
    assert_eq!(remembered["predictions"], predicted["predictions"]);
    let overruled = json(&["predict", &model, &new, "--missing", "none"]);
    assert_ne!(overruled["predictions"][1], predicted["predictions"][1]);
    // The standard input is read as a file is.
    let piped = Command::cargo_bin("ermine").unwrap().args(["predict", &model, "-"]).write_stdin("a,kind\n5,1\n-99,2\n").output();
    assert_eq!(String::from_utf8(piped.unwrap().stdout).unwrap(), ok(&["predict", &model, &new]));
    assert_eq!(json(&["evaluate", &model, &data])["notes"].as_array().unwrap().len(), 0);
}

#[test]
fn what_is_rounded_and_what_is_new_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (data, new, model) = (path(folder.path(), "d.csv"), path(folder.path(), "new.csv"), path(folder.path(), "m"));
    let row = |i: u64| format!("{},{},{},{}\n", (1 << 60) + 7 * i * (i % 3), ["red", "blue"][i as usize % 2], i, 3 * i);
    let text: String = (0..40).map(row).collect();
    std::fs::write(&data, format!("account,colour,n,y\n{text}")).unwrap();
    let v = json(&["fit", &data, "--target", "y", "--model", "ridge", "-o", &model]);
    let note = v["notes"][0].as_str().unwrap();
    assert!(note.contains("\"account\"") && note.contains("whole numbers") && note.contains("--type account=category"), "{v}");
    std::fs::write(&new, "account,colour,n\n1,green,1\n2,red,2\n3,\"very, green\",3\n4,green,4\n").unwrap();
    let v = json(&["predict", &model, &new]);
    assert_eq!(v["predictions"].as_array().unwrap().len(), 4);
    let note = v["notes"][0].as_str().unwrap();
    assert!(note.contains("\"colour\": 3 rows") && note.contains("\"green\", \"very, green\""), "{note}");
    let spoken = run(&["predict", &model, &new]);
    assert!(String::from_utf8(spoken.stderr).unwrap().starts_with("note: column \"colour\""));
}

#[test]
fn rows_count_from_one_without_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let data = path(folder.path(), "d.csv");
    std::fs::write(&data, "a,w,y\n1,1,1\n2,1,\n3,-1,3\n4,1,4\n5,1,5\n").unwrap();
    let (code, e) = fails(&["fit", &data, "--target", "y", "--weight", "w", "--model", "ridge"]);
    assert!(code == 1 && e.contains("sample weight, row 3: -1"), "{e}");
    std::fs::write(&data, "a,y\n1,1\ninf,2\n3,3\n").unwrap();
    let (_, e) = fails(&["fit", &data, "--target", "y", "--model", "ridge"]);
    assert!(e.contains("column \"a\", row 2"), "{e}");
}

/// Rows are predicted in blocks, and counted from the first all the same.
#[test]
fn a_row_far_down_is_named_by_its_number_in_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let (data, bad) = (path(folder.path(), "d.csv"), path(folder.path(), "bad.csv"));
    let row = |i: usize| format!("{},{},{}\n", i % 97, (i * 7) % 31, (i * 3) % 11);
    let text = |rows: usize, bad: Option<usize>| -> String {
        (1..=rows).fold("a,b,y\n".to_owned(), |text, i| text + &if bad == Some(i) { "1,inf,2\n".into() } else { row(i) })
    };
    std::fs::write(&data, text(500, None)).unwrap();
    // Beyond a block of the pipeline, and beyond the blocks in which a file is read.
    for at in [18_001, 260_123] {
        std::fs::write(&bad, text(at + 100, Some(at))).unwrap();
        for model in ["ridge", "tree"] {
            let saved = path(folder.path(), model);
            ok(&["fit", &data, "--target", "y", "--model", model, "-o", &saved]);
            for command in ["predict", "evaluate"] {
                let (code, e) = fails(&[command, &saved, &bad]);
                assert!(code == 1 && e.contains(&format!("row {at}:")), "{command} {model}: {e}");
            }
        }
        for more in [&["--stream"][..], &["--stream", "--prepare", "none", "--features", "polynomial"], &[]] {
            let (code, e) = fails(&[&["fit", &bad, "--target", "y", "--model", "ridge"], more].concat());
            assert!(code == 1 && e.contains(&format!("row {at}:")), "fit {more:?}: {e}");
        }
        let saved = path(folder.path(), "pca");
        ok(&["fit", &data, "--model", "pca", "--set", "n_components=2", "-o", &saved]);
        let (_, e) = fails(&["transform", &saved, &bad]);
        assert!(e.contains(&format!("row {at}:")), "{e}");
        let piped = Command::cargo_bin("ermine").unwrap().args(["transform", &saved, "-"]).pipe_stdin(&bad).unwrap().output();
        let e = String::from_utf8(piped.unwrap().stderr).unwrap();
        assert!(e.contains(&format!("row {at}:")), "{e}");
    }
}

/// A file of several blocks is answered as the library answers it in one.
#[test]
fn blocks_of_a_file_are_answered_like_the_whole() {
    use ermine::prelude::*;
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (path(folder.path(), "d.csv"), path(folder.path(), "m"));
    let row = |i: usize| {
        let kind = ["red", "green", "blue", ""][i % 4];
        let x = if i.is_multiple_of(50) { String::new() } else { ((i * 37) % 1009).to_string() };
        format!("{x},{kind},{:.3},{}\n", (i as f64).sin(), ["no", "yes"][(i * i / 7) % 2])
    };
    std::fs::write(&data, (0..150_000).map(row).fold("x,kind,z,y\n".to_owned(), |text, row| text + &row)).unwrap();
    ok(&["fit", &data, "--target", "y", "--model", "logistic", "-o", &model]);
    let fitted = Fitted::load(&model).unwrap();
    let rows = fitted.align(&ermine::data::read_table(&data).unwrap()).unwrap();
    let classifier = fitted.model.as_classifier().unwrap();
    let (proba, classes) = classifier.proba_and_class(&Features::Table(rows.view())).unwrap();
    let proba_text = ok(&["predict", &model, &data, "--proba"]);
    let mut lines = proba_text.lines().skip(1);
    for (i, &class) in classes.iter().enumerate() {
        let cells: Vec<&str> = lines.next().unwrap().split(',').collect();
        assert_eq!(cells[0], classifier.classes()[class as usize], "row {i}");
        assert_eq!(cells[1..].iter().map(|c| c.parse().unwrap()).collect::<Vec<f64>>(), proba.row(i), "row {i}");
    }
    assert!(lines.next().is_none());
    let plain: String = proba_text.lines().map(|l| l.split(',').next().unwrap().to_owned() + "\n").collect();
    assert!(ok(&["predict", &model, &data]) == plain);
    let file = path(folder.path(), "p.csv");
    ok(&["predict", &model, &data, "--proba", "-o", &file]);
    assert!(std::fs::read_to_string(&file).unwrap() == proba_text);
    let piped =
        Command::cargo_bin("ermine").unwrap().args(["predict", &model, "-", "--proba"]).pipe_stdin(&data).unwrap().output();
    assert!(String::from_utf8(piped.unwrap().stdout).unwrap() == proba_text);
    // The measures are those of the fit, which had the rows in memory.
    let fit = json(&["fit", &data, "--target", "y", "--model", "logistic"]);
    let evaluated = json(&["evaluate", &model, &data]);
    assert_eq!(fit["train_metrics"], evaluated["metrics"]);
    assert_eq!(json(&["evaluate", &model, &data, "--report", &path(folder.path(), "r.html")])["metrics"], evaluated["metrics"]);
}

/// `tail -f log.csv | ermine predict model -`: rows are answered while the pipe is open.
#[test]
fn rows_of_an_open_pipe_are_answered_as_they_come() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let folder = tempfile::tempdir().unwrap();
    let (data, model) = (path(folder.path(), "d.csv"), path(folder.path(), "m"));
    std::fs::write(&data, (0..20).fold("a,b,y\n".to_owned(), |text, i| text + &format!("{i},{},{}\n", i % 3, 2 * i))).unwrap();
    ok(&["fit", &data, "--target", "y", "--model", "ridge", "--prepare", "none", "-o", &model]);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("ermine"))
        .args(["predict", &model, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (send, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || BufReader::new(from).lines().try_for_each(|line| send.send(line.unwrap())));
    let next = || lines.recv_timeout(Duration::from_secs(30)).expect("an answer while the pipe is open");
    to.write_all(b"a,b\n").unwrap();
    to.flush().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    to.write_all(b"1,1\n2,").unwrap();
    assert_eq!(next(), "predicted_y");
    let first: f64 = next().parse().unwrap();
    // The other half of a row.
    to.write_all(b"2\n").unwrap();
    let second: f64 = next().parse().unwrap();
    assert!(first < second, "{first} {second}");
    to.write_all(b"3,0").unwrap();
    drop(to);
    assert!(next().parse::<f64>().unwrap() > second);
    assert!(child.wait().unwrap().success());
}

#[test]
fn dropped_columns_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let data = path(folder.path(), "d.csv");
    std::fs::write(&data, "a,b,y\n1,7,1\n2,8,2\n3,9,3\n4,9,4\n").unwrap();
    for more in [&[][..], &["--stream"]] {
        let v = json(&[&["fit", &data, "--target", "y", "--model", "ridge", "--drop", "b"][..], more].concat());
        assert_eq!(v["n_features"], 1);
        let (code, e) = fails(&[&["fit", &data, "--target", "y", "--model", "ridge", "--drop", "bb"][..], more].concat());
        assert!(code == 1 && e.contains("did you mean \"b\""), "{e}");
    }
}

/// The cells of a table of a report in JSON, found by its title.
fn table<'v>(report: &'v Value, title: &str) -> Vec<&'v Value> {
    let sections = report["sections"].as_array().unwrap();
    let section = sections.iter().find(|s| s["table"]["title"] == title).unwrap_or_else(|| panic!("no {title} in {report}"));
    section["table"]["rows"].as_array().unwrap().iter().collect()
}

#[test]
fn explain_shows_coefficients_with_errors_and_what_they_mean() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m");
    ok(&["fit", "example:diabetes", "--target", "progression", "--model", "ols", "-o", &model]);
    let fit = ok(&["fit", "example:penguins", "--target", "species", "--split", "0.3", "--budget", "2s"]);
    assert!(fit.lines().all(|l| l.chars().count() <= 80), "{fit}");
    let text = ok(&["explain", &model, "example:diabetes"]);
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    for part in ["ols: regression of progression", "442 rows", "evidence", "std. error", "95% low", "(intercept)", "Preparation"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The published values (Efron, Hastie, Johnstone, Tibshirani 2004; R's lm) in the original units.
    let v = json(&["explain", &model, "example:diabetes"]);
    let rows = table(&v["report"], "Coefficients, in the original units");
    let bmi = rows.iter().find(|r| r[0] == "bmi").unwrap();
    assert!((bmi[1].as_f64().unwrap() - 5.602_962_09).abs() < 1e-6, "{bmi}");
    assert!((bmi[2].as_f64().unwrap() - 0.717_105_5).abs() < 1e-5, "{bmi}");
    assert!((rows[0][1].as_f64().unwrap() + 334.567_138_5).abs() < 1e-5, "{}", rows[0]);
    let on = &v["on_data"]["report"];
    let residuals = table(on, "Residuals");
    assert!(residuals[0][1].as_f64().unwrap().abs() < 1e-10, "{}", residuals[0]);
    assert!(table(on, "Correlation of the residuals").iter().all(|r| r[1].as_f64().unwrap().abs() < 1e-10));
}

#[test]
fn explain_is_at_home_with_every_model() {
    let folder = tempfile::tempdir().unwrap();
    for (model, data, target, part) in [
        ("ols", "example:penguins", Some("body_mass_g"), "std. error"),
        ("ridge", "example:penguins", Some("body_mass_g"), "original units"),
        ("logistic", "example:penguins", Some("species"), "Gentoo"),
        ("tree", "example:penguins", Some("species"), "importance"),
        ("gaussian-nb", "example:iris", Some("species"), "prior"),
        ("kmeans", "example:faithful", None, "Centers"),
        ("pca", "example:faithful", None, "Loadings"),
        ("baseline", "example:iris", Some("species"), "share"),
    ] {
        let file = path(folder.path(), model);
        let mut fit = vec!["fit", data, "--model", model, "-o", &file];
        target.iter().for_each(|t| fit.extend(["--target", t]));
        ok(&fit);
        let text = ok(&["explain", &file]);
        assert!(text.contains(part), "{model}: {text}");
        let wide: Vec<&str> = text.lines().filter(|l| l.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{model}: {wide:?}");
        let v = json(&["explain", &file, data]);
        assert_eq!(v["model"], model);
        assert!(!v["report"]["sections"].as_array().unwrap().is_empty(), "{model}");
        assert!(v["n_rows"].as_u64().unwrap() > 100 && v["on_data"]["n_rows"].as_u64().unwrap() > 100);
    }
    let tree = path(folder.path(), "tree");
    let svg = path(folder.path(), "t.svg");
    assert_eq!(json(&["explain", &tree, "--svg", &svg])["svg"][0], svg);
    assert!(std::fs::read_to_string(&svg).unwrap().contains("flipper_length_mm"));
    assert_eq!(fails(&["explain", "no-such-model"]).0, 1);
}

#[test]
fn explain_draws_a_tree_and_tells_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let (file, svg) = (path(folder.path(), "tree"), path(folder.path(), "tree.svg"));
    // Missing values and categories straight from the table, pruned by cross-validation.
    ok(&["fit", "example:penguins", "--target", "species", "--model", "tree", "--set", "ccp_alpha=cv", "-o", &file]);
    let text = ok(&["explain", &file, "example:penguins", "--rules", "--svg", &svg]);
    // Rules may be broken anywhere between words.
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["├─ ", "└─ ", "→ Gentoo", "Rules", " then Adelie (", "Pruning by cross-validation", "mean |SHAP"] {
        assert!(words.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let picture = std::fs::read_to_string(&svg).unwrap();
    assert!(picture.contains("Chinstrap") && picture.contains("<path "));
    let v = json(&["explain", &file, "--rules"]);
    let rules = v["rules"].as_array().unwrap();
    let sections = v["report"]["sections"].as_array().unwrap();
    let nodes = sections.iter().find_map(|s| s["tree"]["nodes"].as_array()).unwrap();
    assert_eq!(rules.len(), nodes.iter().filter(|n| n["children"].as_array().unwrap().is_empty()).count());
    assert_eq!(rules.iter().map(|r| r["rows"].as_f64().unwrap()).sum::<f64>(), nodes[0]["rows"].as_f64().unwrap());
    // Other models have no rules.
    let ols = path(folder.path(), "ols");
    ok(&["fit", "example:diabetes", "--target", "progression", "--model", "ols", "-o", &ols]);
    assert_eq!(fails(&["explain", &ols, "--rules"]).0, 1);
}

#[test]
fn the_course_of_a_fit_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| path(folder.path(), name);
    for (model, more) in [("logistic", &["--target", "species"][..]), ("kmeans", &["--drop", "species"])] {
        for name in ["c.csv", "c.json", "c.parquet", "c.svg", "c.csv.gz"] {
            let out = file(name);
            let fit = [&["fit", "example:iris", "--model", model, "--trace", &out][..], more].concat();
            assert_eq!(json(&fit)["trace"], out);
            match name {
                "c.svg" => assert!(std::fs::read_to_string(&out).unwrap().starts_with("<svg")),
                "c.json" => {
                    let v: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
                    assert_eq!(v["columns"][0], "iteration");
                    let columns = v["columns"].as_array().unwrap();
                    assert!(["objective", "seconds"].iter().all(|c| columns.contains(&Value::from(*c))), "{columns:?}");
                }
                _ => {
                    let v = json(&["describe", &out]);
                    let columns = v["columns"].as_array().unwrap();
                    let objective = columns.iter().find(|c| c["name"] == "objective").unwrap();
                    assert!(objective["min"].as_f64().unwrap() < objective["max"].as_f64().unwrap(), "{model}");
                }
            }
        }
    }
    let lines = ok(&["fit", "example:iris", "--target", "species", "--trace", &file("d.csv"), "--split", "0.3"]);
    assert!(lines.contains("steps is in"), "{lines}");
    let none = file("none.csv");
    let v = json(&["fit", "example:diabetes", "--target", "progression", "--model", "ols", "--trace", &none]);
    assert!(v["trace"].is_null() && v["notes"][0].as_str().unwrap().contains("no trace"), "{v}");
    assert!(!Path::new(&none).exists());
    let (code, e) = fails(&["fit", "example:iris", "--target", "species", "--trace", "course.txt"]);
    assert!(code == 2 && e.contains(".parquet"), "{e}");
}

#[test]
fn a_comparison_leaves_out_what_repeats() {
    let v = json(&["compare", "example:diabetes", "--target", "progression", "--folds", "3"]);
    let names: Vec<&str> = v["leaderboard"].as_array().unwrap().iter().map(|r| r["model"].as_str().unwrap()).collect();
    assert!(names.contains(&"ridge") && names.contains(&"tree") && names.contains(&"baseline"), "{names:?}");
    assert!(["glm", "sgd", "stepwise"].iter().all(|n| !names.contains(n)), "{names:?}");
}

#[test]
fn feature_maps_stand_in_front_of_the_model_and_are_kept_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m.ermine");
    let plain = json(&["fit", "example:diabetes", "--target", "progression", "--model", "ridge"]);
    let mapped = json(&[
        "fit",
        "example:diabetes",
        "--target",
        "progression",
        "--model",
        "ridge",
        "--features",
        "polynomial(degree=2,include_bias=false)",
        "--features",
        "uncorrelate(threshold=0.99)",
        "-o",
        &model,
    ]);
    let error = |v: &Value| v["train_metrics"]["mse"].as_f64().unwrap();
    assert!(error(&mapped) < 0.9 * error(&plain), "{} {}", error(&mapped), error(&plain));
    let all = json(&["evaluate", &model, "example:diabetes"]);
    assert_eq!(all["metrics"]["mse"], mapped["train_metrics"]["mse"]);
    let (code, text) = fails(&["fit", "example:diabetes", "--target", "progression", "--features", "polinomial"]);
    assert!(code == 2 && text.contains("polynomial"), "{text}");
}

#[test]
fn ridge_chooses_its_penalty() {
    let v = json(&["fit", "example:diabetes", "--target", "progression", "--model", "ridge", "--set", "alpha=loo"]);
    assert_eq!(v["params"]["alpha"], "loo");
    assert!(v["certificate"]["notes"][0].as_str().unwrap().contains("leave-one-out"), "{}", v["certificate"]);
}

#[test]
fn counts_are_numbers_to_models_that_only_do_regression() {
    let folder = tempfile::tempdir().unwrap();
    let data = path(folder.path(), "counts.csv");
    let rows: String = (0..60).map(|i| format!("{},{}\n", i % 7, [0, 1, 1, 2, 3, 3, 4][i % 7])).collect();
    std::fs::write(&data, format!("x,y\n{rows}")).unwrap();
    let v = json(&["fit", &data, "--target", "y", "--model", "glm", "--set", "family=poisson"]);
    assert_eq!(v["task"], "regression");
    assert_eq!(json(&["fit", &data, "--target", "y", "--model", "tree"])["task"], "classification");
    assert_eq!(json(&["fit", &data, "--target", "y", "--model", "ols", "--stream"])["task"], "regression");
    json(&["compare", &data, "--target", "y", "--models", "ols,ridge", "--folds", "3"]);
    std::fs::write(&data, format!("x,y\n{rows}1,-2\n")).unwrap();
    let (code, text) = fails(&["fit", &data, "--target", "y", "--model", "glm", "--set", "family=poisson"]);
    assert!(code == 1 && text.contains("-2") && text.contains("row 61"), "{text}");
    let (code, text) = fails(&["fit", &data, "--target", "nothing", "--model", "glm"]);
    assert!(code == 1 && text.contains("there is \"x\", \"y\""), "{text}");
}
