//! Composite learners, on real data and against theory.

use ermine::core::{DatasetRef, Error, RngStream, Trace};
use ermine::ensemble::{AdaBoost, Bagging, CountOrShare, Members, Stacking, Voting};
use ermine::learn::tree::{C45, Tree};
use ermine::prelude::*;
use ermine::{PipelineStep, Roles};
use serde_json::{Map, Value, json};

fn problem(file: &str, target: &str) -> Problem {
    let table = ermine::data::read_table(ermine_fixtures::data_set(file)).unwrap();
    let roles = Roles { task: Some(ermine::core::Task::Classification), ..Roles::with_target(target) };
    Problem::from_table(table, &roles).unwrap()
}

fn example(name: &str, target: &str) -> Problem {
    Problem::from_table(ermine::data::read_table(format!("example:{name}")).unwrap(), &Roles::with_target(target)).unwrap()
}

/// Accuracy over all rows, each predicted by a model of the other four folds; the fold of row i is i mod 5.
fn five_folds(learner: &dyn AnyLearner, data: &DatasetRef<'_>) -> f64 {
    let (codes, _) = data.y.classes().unwrap();
    let mut hits = 0;
    for fold in 0..5 {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..data.rows()).partition(|i| i % 5 == fold);
        let model = learner.fit_any(&data.take_rows(&train).view(), &Context::default()).unwrap();
        let predicted = model.as_classifier().unwrap().classify(&data.x.take_rows(&test).view()).unwrap();
        hits += test.iter().zip(predicted).filter(|(i, c)| codes[**i] == *c).count();
    }
    hits as f64 / data.rows() as f64
}

#[test]
fn mushrooms_by_gain_ratio_are_a_small_perfect_tree() {
    let problem = example("mushrooms", "class");
    let data = problem.dataset();
    for criterion in ["gain_ratio", "gain", "gini"] {
        let model = C45 { criterion: criterion.into(), ..C45::default() }.fit_with(&data, &Context::default()).unwrap();
        let (codes, _) = data.y.classes().unwrap();
        assert_eq!(model.classify(&data.x).unwrap().codes(), codes, "{criterion}");
        assert!(model.n_leaves() <= 32, "{criterion}: {} leaves", model.n_leaves());
    }
    assert!(five_folds(&C45::default(), &data) > 0.998);
}

#[test]
fn c45_reads_titanic_with_its_missing_ages() {
    let mut problem = problem("titanic", "Survived");
    problem.x = problem.x.select(&["Pclass", "Sex", "Age", "SibSp", "Parch", "Fare", "Embarked"]).unwrap();
    let accuracy = five_folds(&C45::default(), &problem.dataset());
    assert!(accuracy > 0.79, "{accuracy}");
}

fn column(trace: &Trace, name: &str) -> Vec<f64> {
    trace.column(name).unwrap()
}

#[test]
fn the_training_error_of_adaboost_stays_below_its_bound() {
    let problem = problem("breast_cancer", "target");
    let data = problem.dataset();
    let weight: Vec<f64> = (0..data.rows()).map(|i| [0.5, 1.0, 2.0][i % 3]).collect();
    for (algorithm, variant) in
        [("discrete", "plain"), ("discrete", "float"), ("discrete", "totally_corrective"), ("real", "plain")]
    {
        for weight in [None, Some(&weight[..])] {
            let learner =
                AdaBoost { algorithm: algorithm.into(), variant: variant.into(), n_estimators: 60, ..AdaBoost::default() };
            let model = learner.fit_with(&data.with_weight(weight), &Context::default()).unwrap();
            let trace = model.trace().unwrap();
            let (train, bound) = (column(trace, "train_error"), column(trace, "bound"));
            for (round, (e, b)) in train.iter().zip(&bound).enumerate() {
                assert!(*e <= b * (1.0 + 1e-12), "{algorithm} {variant}, round {}: {e} > {b}", round + 1);
            }
            assert!(train[train.len() - 1] < 0.02, "{algorithm} {variant}: {train:?}");
            assert!(model.margins().windows(2).all(|w| w[0] <= w[1]) && model.margins().len() == 101);
            if variant == "plain" && algorithm == "discrete" {
                let mut product = 1.0;
                for (e, b) in column(trace, "error").iter().zip(&bound) {
                    product *= 2.0 * (e * (1.0 - e)).sqrt();
                    assert!((product - b).abs() < 1e-9 * b, "{product} {b}");
                }
            }
        }
    }
}

#[test]
fn corrected_votes_lose_less_and_float_keeps_fewer_learners() {
    let problem = problem("german_credit", "risk");
    let data = problem.dataset();
    let with = |variant: &str, rounds: u64| {
        let learner = AdaBoost { variant: variant.into(), n_estimators: rounds, ..AdaBoost::default() };
        learner.fit_with(&data, &Context::default()).unwrap()
    };
    let (plain, corrected) = (with("plain", 40), with("totally_corrective", 40));
    let loss = |m: &dyn ermine::Model| m.certificate().unwrap().objective.unwrap();
    assert!(loss(&corrected) < loss(&plain), "{} {}", loss(&corrected), loss(&plain));
    let float = with("float", 40);
    let last = |m: &dyn ermine::Model| *column(m.trace().unwrap(), "train_error").last().unwrap();
    assert!(float.n_learners() <= 41 && last(&float) <= last(&plain) + 0.02, "{} {}", last(&float), last(&plain));
    // Some learner was removed on the way.
    let learners = column(float.trace().unwrap(), "learners");
    assert!(learners.windows(2).any(|w| w[1] <= w[0]), "{learners:?}");
}

#[test]
fn stumps_on_sorted_columns_are_the_trees_of_depth_one() {
    for (file, target) in [("breast_cancer", "target"), ("wine", "target")] {
        let problem = problem(file, target);
        let data = problem.dataset();
        let stumps = AdaBoost { n_estimators: 15, ..AdaBoost::default() };
        let tree = PipelineStep::new(Box::new(Tree { max_depth: Some(1), ..Tree::default() }));
        let trees = AdaBoost { base: Some(tree), ..stumps.clone() };
        let (a, b) = (stumps.fit_with(&data, &Context::default()).unwrap(), trees.fit_with(&data, &Context::default()).unwrap());
        for (x, y) in a.errors().iter().zip(b.errors()) {
            assert!((x - y).abs() < 1e-9, "{file}: {:?} {:?}", a.errors(), b.errors());
        }
        assert_eq!(a.classify(&data.x).unwrap(), b.classify(&data.x).unwrap());
        assert!((a.feature_importances().unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn two_hundred_stumps_reach_the_accuracies_of_reference() {
    for (file, target, least) in [("breast_cancer", "target", 0.9654), ("wine", "target", 0.9157)] {
        let problem = problem(file, target);
        let accuracy = five_folds(&AdaBoost { n_estimators: 200, ..AdaBoost::default() }, &problem.dataset());
        assert!(accuracy >= least, "{file}: {accuracy}");
    }
}

#[test]
fn adaboost_r2_beats_its_base() {
    let problem = example("diabetes", "progression");
    let data = problem.dataset();
    let y = data.y.reals().unwrap();
    let error = |learner: &dyn AnyLearner| {
        let mut sum = 0.0;
        for fold in 0..5 {
            let (test, train): (Vec<usize>, Vec<usize>) = (0..data.rows()).partition(|i| i % 5 == fold);
            let model = learner.fit_any(&data.take_rows(&train).view(), &Context::default()).unwrap();
            let predictions = model.as_regressor().unwrap().predict(&data.x.take_rows(&test).view()).unwrap();
            sum += test.iter().enumerate().map(|(k, &i)| (y.at(i, 0) - predictions[(k, 0)]).powi(2)).sum::<f64>();
        }
        sum
    };
    let alone = error(&Tree { max_depth: Some(3), ..Tree::default() });
    for loss in ["linear", "square", "exponential"] {
        let boosted = error(&AdaBoost { loss: loss.into(), ..AdaBoost::default() });
        assert!(boosted < 0.95 * alone, "{loss}: {boosted} {alone}");
    }
}

#[test]
fn members_are_set_by_their_names_and_unknown_ones_answered() {
    let mut bagging = ermine::learner("bagging").unwrap();
    let params = |pairs: Value| -> Map<String, Value> { pairs.as_object().unwrap().clone() };
    bagging.set_all(&params(json!({"base": "logistic", "base.C": 2.0, "n_estimators": 3}))).unwrap();
    assert_eq!(bagging.params()["base"]["params"]["C"], 2.0);
    let before = bagging.params();
    let error = bagging.set("base.max_itr", 5.into()).unwrap_err().to_string();
    assert!(error.contains("max_iter") && error.contains("logistic"), "{error}");
    assert!(matches!(bagging.set("bass.C", 5.into()), Err(Error::Unknown { .. })));
    assert!(bagging.set("base", "logistc".into()).unwrap_err().to_string().contains("logistic"));
    assert!(bagging.set("base.C", (-1.0).into()).is_err());
    assert_eq!(bagging.params(), before, "a refused parameter changes nothing");
    // A nested base.
    bagging.set_all(&params(json!({"base": "adaboost", "base.base": "tree"}))).unwrap();
    bagging.set("base.base.max_depth", 2.into()).unwrap();
    assert_eq!(bagging.params()["base"]["params"]["base"]["params"]["max_depth"], 2);
    let mut voting = ermine::learner("voting").unwrap();
    voting.set("estimators", "tree, tree,ridge".into()).unwrap();
    voting.set("tree-2.max_depth", 2.into()).unwrap();
    assert_eq!(voting.params()["estimators"][1]["params"]["max_depth"], 2);
    let error = voting.set("tre.max_depth", 2.into()).unwrap_err().to_string();
    assert!(error.contains("tree.max_depth"), "{error}");
    assert!(voting.set("estimators", json!([])).is_err());
    let mut ridge = ermine::learner("ridge").unwrap();
    assert!(ridge.set("base.alpha", 1.into()).is_err());
    let mut adaboost = ermine::learner("adaboost").unwrap();
    assert!(adaboost.set("base.max_depth", 2.into()).unwrap_err().to_string().contains("base=tree"));
}

#[test]
fn bags_hold_what_was_asked_and_the_rest_estimates_new_rows() {
    let problem = example("penguins", "species");
    let data = problem.dataset();
    let learner = Bagging { n_estimators: 40, oob_score: true, ..Bagging::default() };
    let model = learner.fit_with(&data, &Context::seeded(1)).unwrap();
    let oob = model.oob_score().unwrap();
    let cv = five_folds(&learner, &data);
    assert!(oob > 0.9 && (oob - cv).abs() < 0.04, "{oob} {cv}");
    // One member without bootstrap on all rows and columns is the base itself.
    let one = Bagging { n_estimators: 1, bootstrap: false, ..Bagging::default() };
    let (bag, tree) =
        (one.fit_with(&data, &Context::default()).unwrap(), Tree::default().fit_with(&data, &Context::default()).unwrap());
    assert_eq!(bag.proba(&data.x).unwrap(), tree.proba(&data.x).unwrap());
    // Columns in part, drawn with replacement, and a base that needs preparation.
    for base in ["tree", "logistic"] {
        let some = Bagging {
            base: PipelineStep::new(ermine::learner(base).unwrap()),
            max_features: CountOrShare::Share(0.5),
            bootstrap_features: true,
            max_samples: Some(CountOrShare::Count(100)),
            ..Bagging::default()
        };
        let fitted = Fitted::train(Box::new(some), &problem, &Context::seeded(3)).unwrap();
        let again = Fitted::from_bytes(fitted.to_bytes().unwrap()).unwrap();
        let p = |f: &Fitted| f.model.as_classifier().unwrap().proba(&data.x).unwrap();
        assert_eq!(p(&fitted), p(&again), "{base}");
        assert!(!fitted.report().sections.is_empty());
    }
    assert!(Bagging { bootstrap: false, oob_score: true, ..Bagging::default() }.fit_with(&data, &Context::default()).is_err());
    assert!(
        Bagging { base: PipelineStep::new(ermine::learner("ridge").unwrap()), ..Bagging::default() }
            .fit_with(&data, &Context::default())
            .is_err()
    );
}

#[test]
fn a_vote_is_the_average_of_its_members() {
    let problem = example("penguins", "species");
    let data = problem.dataset();
    let voting =
        Voting { estimators: Members::named(&["tree", "logistic"]).unwrap(), weights: Some(vec![1.0, 3.0]), ..Voting::default() };
    let model = voting.fit_with(&data, &Context::default()).unwrap();
    let parts: Vec<Mat<f64>> = ["tree", "logistic"]
        .iter()
        .map(|n| {
            let m = prepared(ermine::learner(n).unwrap()).fit_any(&data, &Context::default()).unwrap();
            m.as_classifier().unwrap().proba(&data.x).unwrap()
        })
        .collect();
    let p = model.proba(&data.x).unwrap();
    for i in 0..p.rows() {
        for k in 0..3 {
            assert!((p[(i, k)] - 0.25 * parts[0][(i, k)] - 0.75 * parts[1][(i, k)]).abs() < 1e-12);
        }
    }
    let hard = Voting { voting: "hard".into(), ..voting.clone() }.fit_with(&data, &Context::default()).unwrap();
    let proba = hard.proba(&data.x).unwrap();
    assert!(proba.as_slice().iter().all(|v| [0.0, 0.25, 0.75, 1.0].contains(v)));
    assert!(Voting { weights: Some(vec![1.0]), ..voting }.fit_with(&data, &Context::default()).is_err());
}

#[test]
fn stacking_learns_whom_to_trust() {
    // A member that overfits looks perfect on its own rows; only predictions for unseen rows show it.
    let mut s = RngStream::new(4, "stacking", 0);
    let x = Mat::from_fn(400, 3, |_, _| s.normal());
    let y: Vec<f64> = (0..400).map(|i| 2.0 * x[(i, 0)] - x[(i, 1)] + 0.5 * s.normal()).collect();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let stacking = Stacking {
        estimators: Members::named(&["ols", "tree"]).unwrap(),
        final_estimator: Some(PipelineStep::new(ermine::learner("ols").unwrap())),
        ..Stacking::default()
    };
    let model = stacking.fit_with(&data, &Context::default()).unwrap();
    let level: Vec<Mat<f64>> = model.members().iter().map(|m| m.as_regressor().unwrap().predict(&data.x).unwrap()).collect();
    let z = Mat::from_vec(2, 2, vec![1.0, 0.0, 0.0, 1.0]);
    let base = model.last().as_regressor().unwrap().predict(&Features::F64(Mat::zeros(1, 2).view())).unwrap()[(0, 0)];
    let weights = model.last().as_regressor().unwrap().predict(&Features::F64(z.view())).unwrap();
    assert!(weights[(0, 0)] - base > 0.8 && weights[(1, 0)] - base < 0.2, "{weights:?}");
    let predictions = model.predict(&data.x).unwrap();
    let want = base + (weights[(0, 0)] - base) * level[0][(5, 0)] + (weights[(1, 0)] - base) * level[1][(5, 0)];
    assert!((predictions[5] - want).abs() < 1e-10);
    for passthrough in [false, true] {
        let problem = example("penguins", "species");
        let learner = Stacking { passthrough, ..Stacking::default() };
        let fitted = Fitted::train(Box::new(learner), &problem, &Context::default()).unwrap();
        let again = Fitted::from_bytes(fitted.to_bytes().unwrap()).unwrap();
        let x = problem.dataset().x;
        let p = |f: &Fitted| f.model.as_classifier().unwrap().proba(&x).unwrap();
        assert_eq!(p(&fitted), p(&again));
        let (codes, predictions) =
            (problem.y.view().classes().unwrap().0.to_vec(), fitted.model.as_classifier().unwrap().classify(&x).unwrap());
        let hits = codes.iter().zip(predictions).filter(|(a, b)| **a == *b).count();
        assert!(hits as f64 > 0.97 * codes.len() as f64, "{hits}");
    }
}

#[test]
fn several_classes_by_learners_of_two() {
    let problem = example("iris", "species");
    let data = problem.dataset();
    let (codes, names) = data.y.classes().unwrap();
    for (wrapper, members) in [("one-vs-rest", 3), ("one-vs-one", 3)] {
        for base in ["logistic", "linear-svm", "tree"] {
            let mut learner = ermine::learner(wrapper).unwrap();
            learner.set("base", base.into()).unwrap();
            let model = learner.fit_any(&data, &Context::default()).unwrap();
            let predicted = model.as_classifier().unwrap().classify(&data.x).unwrap();
            let hits = predicted.iter().zip(codes).filter(|(a, b)| a == b).count();
            assert!(hits >= 140, "{wrapper} of {base}: {hits}");
            assert_eq!(model.certificate().unwrap().iterations, members);
        }
    }
    // A member of one against the rest is the learner on exactly these two classes.
    let mut learner = ermine::learner("one-vs-rest").unwrap();
    learner.set_all(&json!({"base.C": 0.5, "prepare": false}).as_object().unwrap().clone()).unwrap();
    let model = learner.fit_any(&data, &Context::default()).unwrap();
    let own: Vec<u32> = codes.iter().map(|&c| u32::from(c == 1)).collect();
    let two = ["others".to_owned(), names[1].clone()];
    let alone = ermine::learn::linear::Logistic { c: Some(0.5), ..Default::default() };
    let alone = alone.fit_with(&data.with_target(Target::Class { codes: &own, names: &two }), &Context::default()).unwrap();
    let (p, q) = (model.as_classifier().unwrap().proba(&data.x).unwrap(), alone.proba(&data.x).unwrap());
    // Odds between two rows of the shares of class 1 are those of its own member, up to the sum of the row.
    let shares = |i: usize| p[(i, 1)] / q[(i, 1)];
    assert!((0..150).all(|i| shares(i).is_finite() && shares(i) > 0.3 && shares(i) < 3.0));
    assert!(learner.set("bse.C", 1.0.into()).is_err() && learner.set("base.D", 1.0.into()).is_err());
}
