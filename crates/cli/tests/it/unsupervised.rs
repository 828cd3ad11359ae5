//! Clustering, reduction and density estimation through the real binary: everything without a target.

use serde_json::Value;

use crate::command::{fails, json, ok, path};

#[test]
fn without_a_target_rows_are_grouped_and_the_number_of_groups_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let model = path(folder.path(), "groups.ermine");
    let v = json(&["fit", "example:faithful", "-o", &model]);
    assert_eq!((&v["model"], &v["task"]), (&Value::from("kmeans"), &Value::from("clustering")));
    assert_eq!(v["params"]["n_clusters"], "silhouette");
    let notes = v["certificate"]["notes"].to_string();
    assert!(notes.contains("2 clusters by the silhouette, of 2 to 10"), "{notes}");
    for name in ["inertia", "silhouette"] {
        assert!(v["train_metrics"][name].as_f64().unwrap() > 0.0, "{name}");
    }
    // The numbers of clusters that were tried are reported, with their curve.
    let report = json(&["explain", &model])["report"].to_string();
    assert!(report.contains("Numbers of clusters") && report.contains("Inertia by number of clusters"), "{report}");
    let text = ok(&["explain", &model]);
    assert!(text.contains("Numbers of clusters"), "{text}");
    let chart = path(folder.path(), "chart.svg");
    ok(&["explain", &model, "--svg", &chart]);
    assert!(std::fs::read_to_string(&chart).unwrap().contains("<svg"));
    // Explicit settings are respected, and rules can be named.
    assert_eq!(json(&["fit", "example:faithful", "--set", "n_clusters=4"])["params"]["n_clusters"], 4);
    for rule in ["elbow", "penalty"] {
        let set = format!("n_clusters={rule}");
        let v = json(&["fit", "example:faithful", "--model", "kmeans", "--set", &set, "--set", "max_clusters=6"]);
        assert!(v["certificate"]["notes"].to_string().contains(rule), "{v}");
    }
}

/// A mixture takes rows with missing cells; their density is measured, and Euclidean distances, which they lack, are not.
#[test]
fn mixtures_are_measured_on_rows_with_missing_cells() {
    let fit = ["fit", "example:penguins", "--drop", "species,island,sex", "--prepare", "none", "--model", "gmm"];
    let v = json(&[&fit[..], &["--set", "n_components=2"]].concat());
    assert!(v["train_metrics"]["log_likelihood"].is_number(), "{v}");
    assert!(v["train_metrics"].get("silhouette").is_none(), "{v}");
}

#[test]
fn clusters_are_measured_and_compared_with_known_groups() {
    let folder = tempfile::tempdir().unwrap();
    let (model, other) = (path(folder.path(), "a.ermine"), path(folder.path(), "b.ermine"));
    // The named column is left out, and the clusters are compared with it.
    let v = json(&["fit", "example:iris", "--model", "kmeans", "--set", "n_clusters=3", "--target", "species", "-o", &model]);
    assert_eq!(v["n_features"], 4);
    let adjusted_rand = v["train_metrics"]["adjusted_rand"].as_f64().unwrap();
    assert!(adjusted_rand > 0.5, "{adjusted_rand}");
    let e = json(&["evaluate", &model, "example:iris"]);
    assert_eq!(e["metrics"]["adjusted_rand"], v["train_metrics"]["adjusted_rand"]);
    assert_eq!(e["metrics"]["inertia"], v["train_metrics"]["inertia"]);
    json(&["fit", "example:iris", "--drop", "species", "--model", "kmeans", "--set", "n_clusters=3", "-o", &other]);
    let plain = json(&["evaluate", &other, "example:iris"]);
    assert!(plain["metrics"].get("adjusted_rand").is_none() && plain["metrics"]["silhouette"].as_f64().unwrap() > 0.3);
    let named = json(&["evaluate", &other, "example:iris", "--target", "species"]);
    assert_eq!(named["metrics"]["adjusted_rand"], e["metrics"]["adjusted_rand"]);
    let text = ok(&["evaluate", &other, "example:iris"]);
    assert!(text.contains("inertia") && text.contains("silhouette"), "{text}");
    // Data without the column is measured all the same.
    let bare = path(folder.path(), "bare.csv");
    let predicted = json(&["predict", &model, "example:iris"]);
    assert_eq!((predicted["predictions"].as_array().unwrap().len(), &predicted["n_clusters"]), (150, &Value::from(3)));
    std::fs::write(&bare, "sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n6.7,3.0,5.2,2.3\n").unwrap();
    let columns: Vec<String> = json(&["explain", &model])["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap().to_owned())
        .collect();
    std::fs::write(&bare, format!("{}\n5.1,3.5,1.4,0.2\n6.7,3.0,5.2,2.3\n", columns.join(","))).unwrap();
    let e = json(&["evaluate", &model, &bare]);
    assert!(e["metrics"]["inertia"].as_f64().is_some() && e["metrics"].get("adjusted_rand").is_none(), "{e}");
    let (code, said) = fails(&["predict", &other, "example:iris", "--proba"]);
    assert!(code == 2 && said.contains("nearest"), "{said}");
}

#[test]
fn reductions_are_reached_measured_and_led_back() {
    let folder = tempfile::tempdir().unwrap();
    let (model, scores, back) =
        (path(folder.path(), "pca.ermine"), path(folder.path(), "scores.csv"), path(folder.path(), "back.csv"));
    let v = json(&["fit", "example:iris", "--drop", "species", "--task", "reduction", "-o", &model]);
    assert_eq!((&v["model"], &v["task"]), (&Value::from("pca"), &Value::from("reduction")));
    ok(&["transform", &model, "example:iris", "-o", &scores]);
    assert_eq!(std::fs::read_to_string(&scores).unwrap().lines().next().unwrap(), "pca0,pca1,pca2,pca3");
    // All components lead back to the rows.
    ok(&["transform", &model, &scores, "--inverse", "-o", &back]);
    let table = std::fs::read_to_string(&back).unwrap();
    let first: Vec<f64> = table.lines().nth(1).unwrap().split(',').map(|c| c.parse().unwrap()).collect();
    for (a, b) in first.iter().zip([5.1, 3.5, 1.4, 0.2]) {
        assert!((a - b).abs() < 1e-9, "{first:?}");
    }
    let v = json(&["transform", &model, &scores, "--inverse"]);
    assert_eq!((v["rows"].as_array().unwrap().len(), v["columns"].as_array().unwrap().len()), (150, 4));
    let set = ["--drop", "species", "--prepare", "none", "--model", "pca", "--set", "n_components=2"];
    json(&[&["fit", "example:iris"][..], &set, &["-o", &model]].concat());
    let e = json(&["evaluate", &model, "example:iris"]);
    // The book of decomposition: two components of iris explain so much.
    let share = e["metrics"]["r2"].as_f64().unwrap();
    assert!((share - (0.9246187232017271 + 0.05306648311706782)).abs() < 1e-9, "{share}");
    for name in ["log_likelihood", "bic", "aic", "mse", "rmse"] {
        assert!(e["metrics"][name].as_f64().is_some(), "{name}");
    }
    let v = json(&["predict", &model, "example:iris", "--proba"]);
    assert_eq!(v["log_density"].as_array().unwrap().len(), 150);
    let sum: f64 = v["log_density"].as_array().unwrap().iter().map(|l| l.as_f64().unwrap()).sum();
    assert!((sum - e["metrics"]["log_likelihood"].as_f64().unwrap()).abs() < 1e-9 * sum.abs());
    let (_, said) = fails(&["predict", &model, "example:iris"]);
    assert!(said.contains("transform"), "{said}");
    let kernel = path(folder.path(), "kernel.ermine");
    json(&["fit", "example:iris", "--drop", "species", "--model", "kernel-pca", "-o", &kernel]);
    assert!(ok(&["transform", &kernel, "example:iris"]).starts_with("kpca0,kpca1"));
    let (_, said) = fails(&["transform", &kernel, &scores, "--inverse"]);
    assert!(said.contains("kpca0"), "{said}");
    json(&["fit", "example:iris", "--drop", "species", "--model", "incremental-pca", "-o", &kernel]);
}

#[test]
fn a_density_does_not_depend_on_how_columns_were_scaled_before() {
    let folder = tempfile::tempdir().unwrap();
    let (prepared, plain) = (path(folder.path(), "a.ermine"), path(folder.path(), "b.ermine"));
    // All components are kept, so that both are the normal density of the rows.
    let fit = ["fit", "example:faithful", "--model", "pca"];
    json(&[&fit[..], &["-o", &prepared]].concat());
    json(&[&fit[..], &["--prepare", "none", "-o", &plain]].concat());
    let of = |model: &str| json(&["evaluate", model, "example:faithful"])["metrics"]["log_likelihood"].as_f64().unwrap();
    let (a, b) = (of(&prepared), of(&plain));
    assert!((a - b).abs() < 1e-6 * b.abs(), "{a} {b}");
}

#[test]
fn streams_are_measured_by_sums() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(folder.path(), "rows.csv");
    let mut text = String::from("a,b\n");
    for i in 0..3000 {
        let center = f64::from(i % 3) * 10.0;
        text += &format!("{},{}\n", center + f64::from(i % 7) * 0.1, center - f64::from(i % 11) * 0.1);
    }
    std::fs::write(&file, text).unwrap();
    let set = ["--model", "kmeans", "--set", "n_clusters=3"];
    let memory = json(&[&["fit", &file][..], &set].concat());
    let stream = json(&[&["fit", &file, "--stream"][..], &set].concat());
    let of = |v: &Value| v["train_metrics"]["inertia"].as_f64().unwrap();
    assert!((of(&memory) / of(&stream) - 1.0).abs() < 1e-9, "{memory} {stream}");
    let chosen = json(&["fit", &file, "--stream"]);
    assert!(chosen["certificate"]["notes"].to_string().contains("3 clusters by the silhouette"), "{chosen}");
    let pca = json(&["fit", &file, "--stream", "--task", "reduction"]);
    assert!(pca["train_metrics"]["bic"].as_f64().is_some(), "{pca}");
}

#[test]
fn what_makes_no_sense_is_said() {
    let (code, said) = fails(&["fit", "example:iris", "--task", "grouping"]);
    assert!(code == 2 && said.contains("clustering"), "{said}");
    let (code, said) = fails(&["fit", "example:iris", "--task", "regression"]);
    assert!(code == 2 && said.contains("--target"), "{said}");
    let (code, said) = fails(&["compare", "example:iris", "--target", "species", "--task", "clustering"]);
    assert!(code == 2 && said.contains("compare"), "{said}");
    let (code, said) = fails(&["fit", "example:iris", "--model", "kmeans", "--set", "n_clusters=many"]);
    assert!(code == 1 || code == 2, "{code}");
    assert!(said.contains("n_clusters") && said.contains("silhouette"), "{said}");
}
