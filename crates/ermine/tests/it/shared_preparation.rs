//! A search fits the preparation in front of a learner once per fold, and scores as if it did so for each setting.

use ermine::core::{Column, Context, DatasetRef, Features, RngStream, Table, Target};
use ermine::learn::model_selection::{CvSplits, ParameterSearch, SearchMethod, SearchSpace, k_fold, validate_once};

#[test]
fn settings_share_the_preparation_of_a_fold() {
    let mut s = RngStream::new(3, "prepared rows", 0);
    let names = ["red", "green", "blue"];
    let (mut size, mut color, mut y) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..120 {
        let (v, c) = (s.normal() * 30.0, s.below(3));
        size.push(if i % 11 == 0 { f64::NAN } else { v });
        color.push((i % 13 != 0).then_some(names[c]));
        y.push(0.1 * v + c as f64 + 0.2 * s.normal());
    }
    let table = Table::new([("size", Column::numbers(size)), ("colour", Column::categories(&color))]).unwrap();
    let data = DatasetRef::new(Features::Table(table.view())).with_target(Target::Real(&y));
    let rounds = CvSplits::from(k_fold(120, 4, 0).unwrap());
    for (name, axis) in [("ridge", "alpha=0.01..100:log"), ("knn", "n_neighbors=1..15")] {
        let learner = ermine::learner(name).unwrap();
        let mut space = SearchSpace::default();
        space.set(&*learner, axis).unwrap();
        let search = ParameterSearch {
            learner: &*learner,
            wrap: &ermine::prepared,
            space: &space,
            method: SearchMethod::Grid { steps: 5 },
            metric: "rmse",
            rounds: &rounds,
            budget: Default::default(),
            give_up: false,
        };
        let result = search.run(&data, Vec::new(), &Context::default(), &|_| {}).unwrap();
        assert_eq!(result.trials.len(), 5);
        for trial in &result.trials {
            let mut set = learner.boxed();
            set.set_all(&trial.params).unwrap();
            let whole = ermine::prepared(set);
            assert!(whole.as_pipeline_any().is_some());
            for (k, score) in trial.scores.iter().enumerate() {
                let (train, test) = rounds.round(k);
                let (train, test) = (data.take_rows(&train), data.take_rows(&test));
                let plain = validate_once(&*whole, &train.view(), &test.view(), &Context::default()).unwrap().0;
                assert_eq!(Some(*score), plain.value("rmse"), "{name} {:?} round {k}", trial.params);
            }
        }
    }
}
