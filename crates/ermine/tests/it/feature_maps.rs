//! Feature maps in front of every learner, including user-defined functions.

use ermine::Model;
use ermine::core::{Family, OwnedFeatures, RngStream, Spec, Task};
use ermine::learn::features::Function;
use ermine::prelude::*;

/// Rows of three columns with a number and a class that depend on them.
fn rows() -> (Mat<f64>, Vec<f64>, Vec<u32>) {
    let mut s = RngStream::new(3, "feature maps", 0);
    let x = Mat::from_fn(120, 3, |_, _| s.normal());
    let y: Vec<f64> = (0..120).map(|i| x[(i, 0)] * x[(i, 1)] + 0.5 * x[(i, 2)].powi(2) + 0.01 * s.normal()).collect();
    let codes = y.iter().map(|v| u32::from(*v > 0.3)).collect();
    (x, y, codes)
}

fn step(name: &str, params: &str) -> Box<dyn AnyLearner> {
    let mut learner = ermine::learner(name).unwrap();
    learner.set_all(serde_json::from_str::<serde_json::Value>(params).unwrap().as_object().unwrap()).unwrap();
    learner
}

fn maps() -> Vec<Box<dyn AnyLearner>> {
    let product = |cells: &[f64], new: &mut [f64]| {
        new[0] = cells[0] * cells[1];
        new[1] = cells[2] * cells[2];
    };
    vec![
        step("polynomial", r#"{"degree": 2, "include_bias": false}"#),
        step("spline", r#"{"n_knots": 4}"#),
        step("fourier", r#"{"order": 2}"#),
        step("radial", r#"{}"#),
        step("uncorrelate", r#"{}"#),
        Box::new(Function::new("product", ["x0 x1", "x2^2"], product)),
    ]
}

#[test]
fn every_map_stands_in_front_of_every_learner() {
    let (x, y, codes) = rows();
    let names = ["low".to_owned(), "high".to_owned()];
    let features = Features::F64(x.view());
    let ready = |spec: &Spec| !matches!(spec.family, Family::Composite | Family::Preparation);
    let mut tried = 0;
    for map in maps() {
        for learner in ermine::catalogue().filter(|l| ready(l.spec())) {
            let (m, l) = (map.spec().name, learner.spec().name);
            let data = DatasetRef::new(features);
            let data = match learner.spec().tasks[0] {
                Task::Regression => data.with_target(Target::Real(&y)),
                Task::Classification => data.with_target(Target::Class { codes: &codes, names: &names }),
                _ => data,
            };
            // Some learners do not take these rows: those of counts, those of one column.
            if learner.fit_any(&data, &Context::default()).is_err() {
                continue;
            }
            let fitted = Pipeline::from_learners([map.boxed(), learner.boxed()])
                .fit_with(&data, &Context::default())
                .unwrap_or_else(|e| panic!("{m} in front of {l}: {e}"));
            tried += 1;
            let rows = match (fitted.as_regressor(), fitted.as_classifier(), fitted.as_clusterer(), fitted.as_transformer()) {
                (Some(r), ..) => r.predict(&features).unwrap().rows(),
                (_, Some(c), ..) => c.proba(&features).unwrap().rows(),
                (_, _, Some(c), _) => c.assign(&features).unwrap().len(),
                (.., Some(t)) => t.transform(&features).unwrap().rows(),
                _ => 120,
            };
            assert_eq!(rows, 120, "{m} in front of {l}");
        }
    }
    assert!(tried >= 6 * 7, "{tried}");
}

#[test]
fn products_and_squares_make_the_problem_linear() {
    let (x, y, _) = rows();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let error = |front: Vec<Box<dyn AnyLearner>>| {
        let model = Pipeline::from_learners(front.into_iter().chain([ermine::learner("ols").unwrap()]))
            .fit_with(&data, &Context::default())
            .unwrap();
        let p = model.as_regressor().unwrap().predict(&data.x).unwrap();
        (0..120).map(|i| (y[i] - p[(i, 0)]).powi(2)).sum::<f64>() / 120.0
    };
    assert!(error(Vec::new()) > 0.5);
    let mut maps = maps();
    let function = maps.pop().unwrap();
    assert!(error(vec![function]) < 2e-4 && error(vec![maps.swap_remove(0)]) < 2e-4);
}

#[test]
fn a_function_names_its_columns_streams_and_says_why_it_is_not_saved() {
    let (x, y, _) = rows();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let function = Function::new("sums", ["sum", "difference"], |cells, new| {
        new[0] = cells[0] + cells[1];
        new[1] = cells[0] - cells[1];
    });
    let pipeline = Pipeline::from_learners([function.boxed(), ermine::learner("ols").unwrap()]);
    let model = pipeline.fit_with(&data, &Context::default()).unwrap();
    let streamed = AnyLearner::fit_source(&pipeline, &data, &Context::default()).unwrap();
    let predict = |m: &dyn Model| m.as_regressor().unwrap().predict(&data.x).unwrap();
    assert_eq!(predict(&model), predict(&*streamed));
    let report = format!("{:?}", ermine::Model::report(&model, &Schema::numbers(["a", "b", "c"])));
    assert!(report.contains("difference") && report.contains("sums") && report.contains("a, b, c"), "{report}");
    let error = model.save(&mut ermine::core::ModelWriter::default()).unwrap_err().to_string();
    assert!(error.contains("sums") && error.contains("features::apply"), "{error}");
    let none = Function::new("none", [] as [&str; 0], |_, _| {});
    assert!(none.fit_any(&data, &Context::default()).is_err());
    let two = OwnedFeatures::F64(Mat::zeros(2, 2));
    assert!(model.as_regressor().unwrap().predict(&two.view()).is_err());
}
