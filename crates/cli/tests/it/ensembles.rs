//! Ensembles through the real binary: members are named and set on the command line.

use crate::command::{fails, json, run};

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
    let fit = |set: &[&str]| fails(&[&["fit"][..], &PENGUINS, set].concat()).1;
    assert!(fit(&["--model", "bagging", "--set", "base.max_dept=2"]).contains("max_depth"));
    assert!(fit(&["--model", "bagging", "--set", "base=logistc"]).contains("logistic"));
    assert!(fit(&["--model", "voting", "--set", "estimators=tree", "--set", "tre.max_depth=2"]).contains("tree.max_depth"));
    assert!(fit(&["--model", "bagging", "--set", "base=ridge"]).contains("classification"));
    let help = run(&["models", "bagging"]);
    assert!(String::from_utf8(help.stdout).unwrap().contains("base.max_depth"));
}
