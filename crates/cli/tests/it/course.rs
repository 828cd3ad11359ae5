//! `ermine course` end to end.

use crate::command::{fails, json, ok};

#[test]
fn chapters_and_theorems_are_listed() {
    assert!(ok(&["course"]).contains("Least squares"));
    let chapters = json(&["course"]);
    assert_eq!(chapters["chapters"].as_array().unwrap().len(), 13);
    assert!(ok(&["course", "3"]).contains("T3.10"));
    assert_eq!(json(&["course", "3"])["theorems"].as_array().unwrap().len(), 12);
}

#[test]
fn a_theorem_shows_hypotheses_both_sides_and_a_verdict() {
    let text = ok(&["course", "T3.10", "--set", "n=50"]);
    assert!(text.contains("hypothesis") && text.contains("verdict     holds"), "{text}");
    let object = json(&["course", "T3.10", "--set", "n=50", "--seed", "3"]);
    assert_eq!(object["id"], "T3.10");
    for key in ["statement", "left", "right", "tolerance", "verdict"] {
        assert!(!object[key].is_null(), "{key}");
    }
    assert_eq!(object["hypotheses"][0]["holds"], true);
    assert_eq!(object["seed"], 3);
}

#[test]
fn a_theorem_runs_on_a_table_and_draws() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("line.svg").display().to_string();
    let object = json(&["course", "T1.2", "example:diabetes", "--target", "progression", "--svg", &svg]);
    assert_eq!(object["verdict"], "holds");
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg "));
}

#[test]
fn what_does_not_exist_is_answered_with_what_does() {
    let (code, text) = fails(&["course", "T3.99"]);
    assert!(code == 1 && text.contains("T3.9"), "{code} {text}");
    let (_, text) = fails(&["course", "T3.10", "--set", "rows=5"]);
    assert!(text.contains("parameter of T3.10"), "{text}");
    let (_, text) = fails(&["course", "T13.1", "example:iris"]);
    assert!(text.contains("takes no table"), "{text}");
    assert_eq!(fails(&["course", "3", "--set", "n=5"]).0, 2);
}
