//! Learners made of learners, through the real binary: members are named and set on the command line.

use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn run(args: &[&str]) -> Output {
    Command::cargo_bin("ermine").unwrap().args(args).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let out = run(&[args, &["--json"]].concat());
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn fails(args: &[&str]) -> String {
    let out = run(args);
    assert!(!out.status.success(), "{args:?} succeeds");
    String::from_utf8(out.stderr).unwrap()
}

const PENGUINS: [&str; 3] = ["example:penguins", "--target", "species"];

#[test]
fn members_are_set_on_the_command_line_and_saved_in_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.ermine");
    let file = file.to_str().unwrap();
    for set in [
        &["--model", "bagging", "--set", "base=logistic", "--set", "base.C=2", "--set", "oob_score=true"][..],
        &["--model", "voting", "--set", "estimators=tree,logistic", "--set", "tree.max_depth=3"],
        &["--model", "stacking", "--set", "estimators=tree,gaussian-nb", "--set", "cv=3"],
        &["--model", "adaboost", "--set", "base=tree", "--set", "base.max_depth=2", "--set", "n_estimators=10"],
        &["--model", "adaboost", "--set", "variant=totally_corrective"],
        &["--model", "c45"],
    ] {
        let fitted = json(&[&["fit"][..], &PENGUINS, set, &["-o", file]].concat());
        assert!(fitted["train_metrics"]["accuracy"].as_f64().unwrap() > 0.95, "{set:?}: {fitted}");
        let again = json(&["evaluate", file, "example:penguins"]);
        assert_eq!(again["metrics"]["accuracy"], fitted["train_metrics"]["accuracy"], "{set:?}");
        assert!(run(&["explain", file]).status.success(), "{set:?}");
    }
}

#[test]
fn unknown_members_and_parameters_are_answered_with_the_nearest() {
    let fit = |set: &[&str]| fails(&[&["fit"][..], &PENGUINS, set].concat());
    assert!(fit(&["--model", "bagging", "--set", "base.max_dept=2"]).contains("max_depth"));
    assert!(fit(&["--model", "bagging", "--set", "base=logistc"]).contains("logistic"));
    assert!(fit(&["--model", "voting", "--set", "estimators=tree", "--set", "tre.max_depth=2"]).contains("tree.max_depth"));
    assert!(fit(&["--model", "bagging", "--set", "base=ridge"]).contains("classification"));
    let told = run(&["models", "bagging"]);
    assert!(String::from_utf8(told.stdout).unwrap().contains("base.max_depth"));
}
