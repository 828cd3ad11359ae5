//! Reports from the command line.

use serde_json::Value;

use crate::command::{ok, path, run};

#[test]
fn report_writes_one_page_or_a_text_with_figures() {
    let folder = tempfile::tempdir().unwrap();
    let (model, html, md) = (path(folder.path(), "m.ermine"), path(folder.path(), "p.html"), path(folder.path(), "p.md"));
    ok(&["fit", "example:penguins", "--target", "species", "--model", "tree", "-o", &model]);
    let output = ok(&["report", &model, "example:penguins", "-o", &html, "--folds", "3"]);
    assert!(output.contains("p.html written"), "{output}");
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("3 models of the same learner"), "a model that has seen the rows is judged by folds");
    assert!(page.contains("ermine report") && page.contains("--folds 3"), "the command that makes it again");
    ok(&["report", &model, "example:penguins", "-o", &md, "--folds", "0", "--learning-curve", "no"]);
    let text = std::fs::read_to_string(&md).unwrap();
    assert!(text.contains("all metrics are optimistic"), "{text}");
    let figure = folder.path().join("p_files/importances.svg");
    assert!(text.contains("(p_files/importances.svg)") && std::fs::read_to_string(figure).unwrap().starts_with("<svg "));
    let out = run(&["report", &model, "example:penguins", "-o", &path(folder.path(), "p.pdf")]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains(".html or .md"));
}

#[test]
fn rows_that_were_held_out_judge_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let (model, html) = (path(folder.path(), "m.ermine"), path(folder.path(), "p.html"));
    ok(&["fit", "example:diabetes", "--target", "progression", "--split", "0.25", "--seed", "7", "-o", &model]);
    let json_text = ok(&["report", &model, "example:diabetes", "-o", &html, "--json"]);
    let json_value: Value = serde_json::from_str(&json_text).unwrap();
    assert_eq!((json_value["command"].as_str(), json_value["task"].as_str()), (Some("report"), Some("regression")));
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("held out when the model was trained"));
    // Other rows are new rows.
    let fewer = path(folder.path(), "fewer.csv");
    let head = "age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,progression\n";
    let row = "59,2,32.1,101,157,93.2,38,4,4.8598,87,151\n48,1,21.6,87,183,103.2,70,3,3.8918,69,75\n";
    std::fs::write(&fewer, format!("{head}{}", row.repeat(20))).unwrap();
    ok(&["evaluate", &model, &fewer, "--report", &html]);
    assert!(std::fs::read_to_string(&html).unwrap().contains("that the model has not seen"));
}

#[test]
fn compare_reports_the_best_with_the_leaderboard() {
    let folder = tempfile::tempdir().unwrap();
    let html = path(folder.path(), "p.html");
    let output = ok(&[
        "compare",
        "example:penguins",
        "--target",
        "sex",
        "--models",
        "logistic,baseline",
        "--folds",
        "3",
        "--report",
        &html,
    ]);
    assert!(output.contains("report written to"), "{output}");
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("Leaderboard") && page.contains("baseline") && page.contains("Decisions"));
}

#[test]
fn explain_tells_what_matters_on_data() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "m.ermine");
    ok(&["fit", "example:diabetes", "--target", "progression", "--model", "ridge", "-o", &model]);
    let json_text = ok(&["explain", &model, "example:diabetes", "--learning-curve", "--json"]);
    let json_value: Value = serde_json::from_str(&json_text).unwrap();
    let on = &json_value["on_data"];
    let first = &on["importances"]["columns"][0];
    assert!(["bmi", "s5", "s1"].contains(&first["column"].as_str().unwrap()), "{first}");
    assert!(first["low"].as_f64() < first["importance"].as_f64() && first["importance"].as_f64() < first["high"].as_f64());
    assert_eq!(on["partial_dependence"].as_array().unwrap().len(), 3);
    assert_eq!(on["learning_curve"]["sizes"].as_array().unwrap().len(), 5);
    let text = ok(&["explain", &model, "example:diabetes"]);
    assert!(text.contains("Importance (rise of the root mean squared error") && text.contains('█'), "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    let knn = path(folder.path(), "knn.ermine");
    ok(&["fit", "example:penguins", "--target", "species", "--model", "knn", "-o", &knn]);
    let text = ok(&["explain", &knn, "example:penguins", "--sample", "50"]);
    assert!(text.contains("Nearest examples") && text.contains("training row"), "{text}");
    let out = run(&["explain", &model, "--learning-curve"]);
    assert_eq!(out.status.code(), Some(2), "a learning curve needs data");
}
