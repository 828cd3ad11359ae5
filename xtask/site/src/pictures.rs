//! A picture for each method, drawn by the engine from a fit of the method itself.

mod data;
mod fits;
mod maps;
mod planes;

use anyhow::{Result, bail};
use ermine::chart::Chart;
use serde_json::json;

use fits::{coefficient_paths, curve, importances, levels, line, outliers, rounds, trace, tree};
use maps::{columns, histograms, imputed, inner_products, scores, table_columns};
use planes::{borders, confusion, correlations, density, drawn_rows, groups};

/// Width and height of a chart.
const SIZE: (f64, f64) = (640.0, 360.0);

/// The picture of a learner, with its caption, as a part of a page.
pub fn of(name: &str) -> Result<String> {
    let (svg, caption) = picture(name)?;
    Ok(format!("{svg}\n<figcaption>{caption}</figcaption>"))
}

/// A chart as a part of a page.
fn inline(chart: Chart, told: &str) -> String {
    chart.sized(SIZE.0, SIZE.1).to_inline(told)
}

type Picture = (String, &'static str);

fn picture(name: &str) -> Result<Picture> {
    let none = json!({});
    let svg = match name {
        "baseline" | "ols" => line(&[(name, "", none)]),
        "ridge" | "lasso" => coefficient_paths(name, none),
        "elastic-net" => coefficient_paths(name, json!({"l1_ratio": 0.5})),
        "huber" => outliers(&["huber", "ols"]),
        "quantile" => levels(name, "quantile", &[0.1, 0.5, 0.9], json!({"alpha": 0.0})),
        "expectile" => levels(name, "tau", &[0.1, 0.5, 0.9], none),
        "glm" => fits::counts(),
        "sgd" => trace(name, json!({"loss": "log_loss", "max_iter": 60, "tol": null})),
        "stepwise" => fits::report_plot(name),
        "mlp" => {
            curve(&[(name, "mlp", json!({"hidden_layer_sizes": [24], "solver": "lbfgs", "max_iter": 400, "activation": "tanh"}))])
        }
        "kernel-ridge" => curve(&[(name, "kernel ridge", json!({"kernel": "rbf", "gamma": 20.0, "alpha": 0.1}))]),
        "knn" => curve(&[(name, "7 neighbors", json!({"n_neighbors": 7}))]),
        "forest" => importances(name),
        "tree" => tree(name, "penguins", "species", json!({"max_depth": 3})),
        "boosting" => rounds(name, "max_iter", &[3, 10, 60], json!({"min_samples_leaf": 5})),
        "gradient-boosting" => rounds(name, "n_estimators", &[3, 10, 60], json!({"max_depth": 2})),
        "mixture-of-experts" => curve(&[(name, "two experts", json!({"n_experts": 2}))]),
        "bagging" => curve(&[("tree", "one tree", none), (name, "bagging", json!({"base": "tree", "n_estimators": 50}))]),
        "spline" | "fourier" | "radial" | "polynomial" => columns(name),
        "nystroem" | "rff" => inner_products(name),
        "standardise" | "min-max" => histograms(name),
        "impute" => imputed(),
        "one-hot" | "ordinal" | "prepare" => table_columns(name),
        "uncorrelate" => correlations(),
        "pca" | "incremental-pca" => scores(name, json!({"n_components": 2})),
        "kernel-pca" => scores(name, json!({"n_components": 2, "kernel": "rbf", "gamma": 0.2})),
        "autoencoder" => scores(name, json!({"n_components": 2, "hidden_layer_sizes": [16], "max_iter": 100})),
        "kmeans" | "mini-batch-kmeans" => groups(name, json!({"n_clusters": 2})),
        "agglomerative" => groups(name, json!({"n_clusters": 2})),
        "dbscan" => groups(name, json!({"eps": 0.25, "min_samples": 6})),
        "gmm" => density(json!({"n_components": 2})),
        "gan" => drawn_rows(json!({"max_iter": 300})),
        "multinomial-nb" | "categorical-nb" => confusion(name, none),
        "bernoulli-nb" => confusion(name, json!({"binarize": 8.0})),
        "convnet" => confusion(name, json!({"max_iter": 4})),
        "voting" | "stacking" => borders(name, json!({"estimators": "tree,logistic"})),
        "one-vs-rest" | "one-vs-one" => borders(name, json!({"base": "linear-svm"})),
        "pipeline" => borders(
            name,
            json!({"steps": [{"learner": "polynomial", "params": {"degree": 2}}, {"learner": "logistic", "params": {}}]}),
        ),
        "logistic" | "perceptron" | "c45" | "linear-svm" | "svm" | "gaussian-nb" | "lda" | "qda" | "adaboost"
        | "gmm-classifier" => borders(name, none),
        other => bail!("no picture is described for {other}; xtask/site/src/pictures.rs has the list"),
    };
    Ok((svg?, caption(name)))
}

fn caption(name: &str) -> &'static str {
    match name {
        "baseline" | "ols" => "Waiting time between eruptions of a geyser by the length of the last one.",
        "ridge" | "lasso" | "elastic-net" => "Coefficients of ten standardized columns (diabetes) as the penalty grows.",
        "huber" => "A line with some targets far off: least squares is pulled, Huber's loss is not.",
        "quantile" | "expectile" => "Three levels where the spread grows along the column.",
        "glm" => "Counts whose mean grows exponentially: Poisson family, log link.",
        "sgd" => "The objective by epoch (penguins).",
        "stepwise" => "The criterion by the number of columns (diabetes).",
        "forest" => "Impurity importances of the columns (penguins).",
        "tree" => "The tree of the penguins' species.",
        "boosting" | "gradient-boosting" => "A noisy wave after few, some and many rounds.",
        "bagging" => "A noisy wave: one deep tree, and the mean of fifty on rows drawn anew.",
        "mlp" | "kernel-ridge" | "knn" | "mixture-of-experts" => "A noisy wave of 120 rows, and the fit.",
        "spline" | "fourier" | "radial" | "polynomial" => "The columns that are made of one column.",
        "nystroem" | "rff" => "The Gaussian kernel, and the inner products of the new columns.",
        "standardise" | "min-max" => "Two columns of different units on one axis afterwards (faithful).",
        "impute" => "Eruptions of a geyser; every fourth waiting time was removed and filled with the mean.",
        "one-hot" | "ordinal" | "prepare" => "The first rows of the penguins afterwards.",
        "uncorrelate" => "Correlations of the columns (diabetes): s1 and s2 are nearly one column.",
        "pca" | "incremental-pca" | "kernel-pca" | "autoencoder" => {
            "Irises in two new columns, colored by species, which the method did not see."
        }
        "kmeans" | "mini-batch-kmeans" | "agglomerative" | "dbscan" => "Eruptions of a geyser, colored by group.",
        "gmm" => "Eruptions of a geyser, colored by the more probable component, with lines of equal density.",
        "gan" => "Eruptions of a geyser, and rows drawn by the generator.",
        "multinomial-nb" | "bernoulli-nb" | "convnet" => {
            "Digits that training had not seen: rows are the true digit, columns the predicted one."
        }
        "categorical-nb" => "Mushrooms that training had not seen: rows are the truth, columns the prediction.",
        _ => "Three species of penguins by two measures of their bills, with the borders between the predicted classes.",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_learner_has_a_picture() {
        let failure = |name: &'static str| super::of(name).err().map(|e| format!("{name}: {e:#}"));
        let failures: Vec<String> = ermine::catalogue().filter_map(|l| failure(l.spec().name)).collect();
        assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    }

    /// The same picture, drawn again, has the same bytes.
    #[test]
    fn pictures_are_reproducible() {
        for name in ["lasso", "knn", "rff"] {
            assert_eq!(super::of(name).unwrap(), super::of(name).unwrap(), "{name}");
        }
    }
}
