//! Worked examples, a naive computation of the gains, pruning, and hostile tables.

use ermine_core::{Classifier, Column, Context, DatasetRef, Features, Learner, Mat, OwnedTarget, RngStream, Table, Target};

use super::super::criterion::QuantizedWeights;
use super::columns::{self, MISSING};
use super::grow::{C45Data, FractionalRow};
use super::split::{C45Criterion, C45Test, WHOLE, candidates};
use super::{C45, C45Model};

fn fit(learner: &C45, table: &Table, y: &Target<'_>) -> C45Model {
    learner.fit_with(&DatasetRef::new(Features::Table(table.view())).with_target(*y), &Context::default()).unwrap()
}

/// Gain and entropy of the branches of every column at the root.
fn at_root(table: &Table, y: &Target<'_>, criterion: C45Criterion, least: i128) -> Vec<Option<(C45Test, f64, f64)>> {
    let (codes, names) = y.classes().unwrap();
    let all: Vec<u32> = (0..table.rows() as u32).collect();
    let columns = columns::read(&Features::Table(table.view()), None, &all, &Context::default()).unwrap();
    let rows = C45Data { columns: &columns, codes, weights: &QuantizedWeights::ONE, classes: names.len() };
    let entries: Vec<FractionalRow> = all.iter().map(|&row| FractionalRow { row, share: WHOLE }).collect();
    let scored = candidates(&rows, &entries, criterion, least * i128::from(WHOLE));
    scored.into_iter().map(|f| f.map(|f| (f.test, f.gain, f.split_info))).collect()
}

fn words(text: &str, heads: &[&str]) -> (Table, OwnedTarget) {
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    let column = |j: usize| {
        let cells: Vec<Option<&str>> = rows.iter().map(|r| (r[j] != "?").then_some(r[j])).collect();
        let numbers: Option<Vec<f64>> = cells.iter().map(|c| c.map_or(Some(f64::NAN), |c| c.parse().ok())).collect();
        (heads[j], numbers.map_or_else(|| Column::categories(&cells), Column::numbers))
    };
    let y: Vec<&str> = rows.iter().map(|r| r[heads.len()]).collect();
    (Table::new((0..heads.len()).map(column)).unwrap(), OwnedTarget::from_labels(&y))
}

const TENNIS: &str = "sunny hot high weak no
sunny hot high strong no
overcast hot high weak yes
rain mild high weak yes
rain cool normal weak yes
rain cool normal strong no
overcast cool normal strong yes
sunny mild high weak no
sunny cool normal weak yes
rain mild normal weak yes
sunny mild normal strong yes
overcast mild high strong yes
overcast hot normal weak yes
rain mild high strong no";

#[test]
fn the_gains_of_quinlans_weather_example() {
    let (table, y) = words(TENNIS, &["outlook", "temperature", "humidity", "wind"]);
    let scored = at_root(&table, &y.view(), C45Criterion::Gain, 1);
    // Quinlan 1986, section 4: 0.246, 0.029, 0.151, 0.048; gain ratio of outlook 0.156.
    for (f, gain) in scored.iter().zip([0.2467, 0.0292, 0.1518, 0.0481]) {
        assert!((f.as_ref().unwrap().1 - gain).abs() < 6e-5, "{f:?} for {gain}");
    }
    let outlook = scored[0].as_ref().unwrap();
    assert!((outlook.1 / outlook.2 - 0.156).abs() < 6e-4);
    let id3 = C45 { criterion: "gain".into(), pruning: "none".into(), min_samples_leaf: 1.0, ..C45::default() };
    let model = fit(&id3, &table, &y.view());
    let text = model.to_text(table.schema());
    let want = "outlook = overcast: yes (4)\noutlook = rain\n|   wind = strong: no (2)\n|   wind = weak: yes (3)\n\
                outlook = sunny\n|   humidity = high: no (3)\n|   humidity = normal: yes (2)\n";
    assert_eq!(text, want);
    let rules = model.rules(table.schema());
    assert_eq!(rules.len(), 5);
    assert_eq!(rules[1].conditions, ["outlook = rain", "wind = strong"]);
    assert_eq!((rules[1].class.as_str(), rules[1].share, rules[1].weight), ("no", 1.0, 2.0));
    assert_eq!(model.feature_importances()[1], 0.0);
    assert!((model.feature_importances().iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

const GOLF: &str = "sunny 75 70 true yes
sunny 80 90 true no
sunny 85 85 false no
sunny 72 95 false no
sunny 69 70 false yes
? 72 90 true yes
overcast 83 78 false yes
overcast 64 65 true yes
overcast 81 75 false yes
rain 71 80 true no
rain 65 70 true no
rain 75 80 false yes
rain 68 80 false yes
rain 70 96 false yes";

#[test]
fn quinlans_missing_outlook_splits_its_weight() {
    let (table, y) = words(GOLF, &["outlook", "temperature", "humidity", "windy"]);
    // Quinlan 1993, section 3.2: gain 13/14 (0.961 - 0.747) = 0.199, entropy of the branches 1.809.
    let scored = at_root(&table, &y.view(), C45Criterion::GainRatio, 2);
    let (test, gain, info) = scored[0].clone().unwrap();
    assert!((gain - 0.199).abs() < 6e-4 && (info - 1.809).abs() < 6e-4, "{gain} {info}");
    assert_eq!(test, C45Test::Categories { column: 0, codes: vec![0, 1, 2] });
    let unpruned = C45 { pruning: "none".into(), ..C45::default() };
    let model = fit(&unpruned, &table, &y.view());
    // The branch of sunny days is split between 75 % and 80 % of humidity; 5/13 of the day without outlook is counted as high.
    let text = model.to_text(table.schema());
    assert!(text.contains("outlook = sunny\n|   humidity <= 77.5"), "{text}");
    assert!(text.contains("no (3.38/0.38)"), "{text}");
    // Section 3.3: a sunny day of unknown humidity is "play" with 2.0/5.4 of 100 % and 3.4/5.4 of 12 %: 44 %.
    let (asked, _) = words("sunny 70 ? false yes", &["outlook", "temperature", "humidity", "windy"]);
    let windy = Column::categories(&[Some("false")]);
    let asked = Table::new([
        ("outlook", asked.column_at(0).clone()),
        ("temperature", asked.column_at(1).clone()),
        ("humidity", Column::numbers(vec![f64::NAN])),
        ("windy", windy),
    ])
    .unwrap();
    let p = model.proba(&Features::Table(asked.view())).unwrap();
    assert!((p[(0, 1)] - 0.44).abs() < 6e-3, "{p:?}");
}

/// The melons of Zhou's textbook on machine learning (2016, tables 4.1 and 4.4), with the words in English.
const MELONS: &str = "? curled muffled clear hollow hard good
black curled dull clear hollow ? good
black curled ? clear hollow hard good
green curled dull clear hollow hard good
? curled muffled clear hollow hard good
green slight muffled clear ? soft good
black slight muffled blurry slight soft good
black slight muffled ? slight hard good
black ? dull blurry slight hard bad
green stiff crisp ? flat soft bad
white stiff crisp fuzzy flat ? bad
white curled ? fuzzy flat soft bad
? slight muffled blurry hollow hard bad
white slight dull blurry hollow hard bad
black slight muffled clear ? soft bad
white curled muffled fuzzy flat hard bad
green ? dull blurry slight hard bad";

#[test]
fn the_gains_of_the_melons_with_missing_values() {
    let (table, y) = words(MELONS, &["colour", "root", "knock", "texture", "navel", "touch"]);
    let scored = at_root(&table, &y.view(), C45Criterion::Gain, 1);
    for (f, gain) in scored.iter().zip([0.252, 0.171, 0.145, 0.424, 0.289, 0.006]) {
        assert!((f.as_ref().unwrap().1 - gain).abs() < 6e-4, "{f:?} for {gain}");
    }
    let model = fit(&C45 { criterion: "gain".into(), ..C45::default() }, &table, &y.view());
    assert_eq!(model.root().unwrap().0, 3);
}

/// The definition, in f64, over shares of rows.
fn naive(cells: &[Option<f64>], codes: &[u32], w: &[f64], classes: usize, threshold: Option<f64>, gini: bool) -> (f64, f64) {
    let impurity = |rows: &[usize]| {
        let total: f64 = rows.iter().map(|&i| w[i]).sum();
        let share = |k| rows.iter().filter(|&&i| codes[i] as usize == k).map(|&i| w[i]).sum::<f64>() / total;
        let terms = (0..classes).map(share).filter(|p| *p > 0.0);
        if gini { 1.0 - terms.map(|p| p * p).sum::<f64>() } else { terms.map(|p| -p * p.log2()).sum() }
    };
    let known: Vec<usize> = (0..cells.len()).filter(|&i| cells[i].is_some()).collect();
    let branch = |i: usize| cells[i].map(|v| threshold.map_or(v, |t| f64::from(u8::from(v > t))));
    let mut values: Vec<f64> = known.iter().filter_map(|&i| branch(i)).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let total = |rows: &[usize]| rows.iter().map(|&i| w[i]).sum::<f64>();
    let all: f64 = w.iter().sum();
    let (mut gain, mut info) = (impurity(&known), 0.0);
    for v in values {
        let part: Vec<usize> = known.iter().copied().filter(|&i| branch(i) == Some(v)).collect();
        gain -= total(&part) / total(&known) * impurity(&part);
        info -= total(&part) / all * (total(&part) / all).log2();
    }
    let unknown = 1.0 - total(&known) / all;
    if unknown > 0.0 {
        info -= unknown * unknown.log2();
    }
    (total(&known) / all * gain, info)
}

#[test]
fn gains_over_shares_of_rows_follow_the_definition() {
    for seed in 0..40 {
        let mut s = RngStream::new(seed, "c45", 0);
        let n = 8 + s.below(40);
        let classes = 2 + s.below(3);
        let codes: Vec<u32> = (0..n).map(|_| s.below(classes) as u32).collect();
        let names: Vec<Option<String>> = (0..n).map(|_| (s.uniform() < 0.8).then(|| s.below(4).to_string())).collect();
        let numbers: Vec<f64> = (0..n).map(|_| if s.uniform() < 0.2 { f64::NAN } else { s.below(9) as f64 }).collect();
        let table = Table::new([("a", Column::categories(&names)), ("b", Column::numbers(numbers.clone()))]).unwrap();
        let all: Vec<u32> = (0..n as u32).collect();
        let columns = columns::read(&Features::Table(table.view()), None, &all, &Context::default()).unwrap();
        let steps: Vec<f64> = (0..n).map(|_| 1.0 + s.below(3) as f64).collect();
        let weights = QuantizedWeights::new(steps.clone());
        let rows = C45Data { columns: &columns, codes: &codes, weights: &weights, classes };
        let entries: Vec<FractionalRow> =
            all.iter().map(|&row| FractionalRow { row, share: 1 + s.below(WHOLE as usize) as u32 }).collect();
        let w: Vec<f64> = entries.iter().zip(&steps).map(|(e, m)| f64::from(e.share) / f64::from(WHOLE) * m).collect();
        for (criterion, gini) in [(C45Criterion::Gain, false), (C45Criterion::Gini, true)] {
            let scored = candidates(&rows, &entries, criterion, 1);
            let codes_of_a: Vec<Option<f64>> = columns[0].rank.iter().map(|&r| (r != MISSING).then_some(f64::from(r))).collect();
            let want = naive(&codes_of_a, &codes, &w, classes, None, gini);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
            match &scored[0] {
                Some(f) => assert!(close(f.gain, want.0) && close(f.split_info, want.1), "{seed}: {f:?} {want:?}"),
                None => assert!(want.0 < 1e-9, "{seed}: {want:?}"),
            }
            let cells: Vec<Option<f64>> = numbers.iter().map(|v| (!v.is_nan()).then_some(*v)).collect();
            let tried = (0..8).map(|t| naive(&cells, &codes, &w, classes, Some(f64::from(t) + 0.5), gini));
            let best = tried.fold(0.0f64, |b, g| b.max(if g.0.is_nan() { 0.0 } else { g.0 }));
            assert!(close(scored[1].as_ref().map_or(0.0, |f| f.gain), best), "{seed}: {:?} for {best}", scored[1]);
        }
    }
}

fn noisy(rows: usize, seed: u64) -> (Table, OwnedTarget) {
    let mut s = RngStream::new(seed, "noisy", 0);
    let signal: Vec<f64> = (0..rows).map(|_| s.normal()).collect();
    let noise: Vec<Option<String>> = (0..rows).map(|_| (s.uniform() < 0.9).then(|| s.below(5).to_string())).collect();
    let more: Vec<f64> = (0..rows).map(|_| s.normal()).collect();
    let y: Vec<&str> = signal.iter().map(|&v| if (v > 0.0) == (s.uniform() < 0.9) { "a" } else { "b" }).collect();
    let table =
        Table::new([("signal", Column::numbers(signal)), ("noise", Column::categories(&noise)), ("more", Column::numbers(more))]);
    (table.unwrap(), OwnedTarget::from_labels(&y))
}

#[test]
fn pruning_cuts_noise_and_never_leaves_more_expected_errors() {
    let (table, y) = noisy(600, 3);
    let errors = |m: &C45Model| {
        let leaves = (0..m.node_count()).filter(|&i| m.nodes.is_leaf(i));
        leaves
            .map(|i| {
                let (n, best) = (m.nodes.weight[i], m.nodes.value.row(i).iter().copied().fold(0.0, f64::max));
                super::prune::expected_errors(n, n * (1.0 - best), 0.25)
            })
            .sum::<f64>()
    };
    for criterion in ["gain", "gain_ratio", "gini"] {
        let with = |pruning: &str, raising: bool| {
            fit(
                &C45 { criterion: criterion.into(), pruning: pruning.into(), subtree_raising: raising, ..C45::default() },
                &table,
                &y.view(),
            )
        };
        let (whole, cut, raised) = (with("none", false), with("pessimistic", false), with("pessimistic", true));
        assert!(cut.n_leaves() < whole.n_leaves(), "{criterion}: {} of {}", cut.n_leaves(), whole.n_leaves());
        assert!(errors(&cut) <= errors(&whole) && errors(&raised) <= errors(&cut) * (1.0 + 1e-9), "{criterion}");
        for model in [&whole, &cut, &raised] {
            let p = model.proba(&Features::Table(table.view())).unwrap();
            assert!((0..p.rows()).all(|i| (p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
        }
    }
    // A smaller confidence prunes more.
    let size = |confidence: f64| fit(&C45 { confidence, ..C45::default() }, &table, &y.view()).n_leaves();
    assert!(size(0.01) <= size(0.25) && size(0.25) <= size(0.5));
}

#[test]
fn a_weight_of_two_is_the_row_twice_to_the_bit() {
    let (table, y) = noisy(200, 5);
    let weight: Vec<f64> = (0..200).map(|i| [1.0, 2.0, 3.0][i % 3]).collect();
    let rows: Vec<usize> = (0..200).rev().flat_map(|i| vec![i; weight[i] as usize]).collect();
    let data = DatasetRef::new(Features::Table(table.view())).with_target(y.view());
    for criterion in ["gain", "gain_ratio", "gini"] {
        let learner = C45 { criterion: criterion.into(), ..C45::default() };
        let a = learner.fit_with(&data.with_weight(Some(&weight)), &Context::default()).unwrap();
        let twice = data.take_rows(&rows);
        let b = learner.fit_with(&twice.view(), &Context::default()).unwrap();
        assert!(a.node_count() > 3);
        assert_eq!(a.nodes.value, b.nodes.value);
        assert_eq!(a.nodes.threshold, b.nodes.threshold);
        assert_eq!(a.nodes.share, b.nodes.share);
    }
}

#[test]
fn hostile_tables_are_learned_or_refused() {
    let n = 100_000;
    let names: Vec<Option<String>> = (0..n).map(|i| (i % 7 > 0).then(|| format!("c{i}"))).collect();
    let y = OwnedTarget::Class { codes: (0..n as u32).map(|i| i % 2).collect(), names: ["a", "b"].map(String::from).to_vec() };
    let none: Vec<Option<&str>> = vec![None; n];
    let table = Table::new([
        ("id", Column::categories(&names)),
        ("empty", Column::categories(&none)),
        ("nothing", Column::numbers(vec![f64::NAN; n])),
        ("group", Column::categories(&(0..n).map(|i| Some(["u", "v", "w"][i % 3])).collect::<Vec<_>>())),
    ])
    .unwrap();
    for criterion in ["gain", "gain_ratio", "gini"] {
        let learner = C45 { criterion: criterion.into(), max_depth: Some(1_000_000), min_samples_leaf: 1.0, ..C45::default() };
        let model = fit(&learner, &table, &y.view());
        let p = model.proba(&Features::Table(table.view().row_range(0..1000))).unwrap();
        assert!(p.as_slice().iter().all(|v| v.is_finite()));
    }
    // Alternating classes along one column: a deep tree, and no recursion to overflow the stack.
    let deep = 4_000;
    let x = Mat::from_fn(deep, 1, |i, _| i as f64);
    let codes: Vec<u32> = (0..deep as u32).map(|i| i % 2).collect();
    let classes = ["a", "b"].map(String::from);
    let target = Target::Class { codes: &codes, names: &classes };
    let data = DatasetRef::new(Features::F64(x.view())).with_target(target);
    let learner = C45 { pruning: "none".into(), min_samples_leaf: 1.0, ..C45::default() };
    let model = learner.fit_with(&data, &Context::default()).unwrap();
    assert_eq!(model.n_leaves(), deep);
    assert_eq!(model.classify(&data.x).unwrap(), codes);
    assert!(C45 { max_depth: Some(0), ..C45::default() }.check().is_err());
    let infinite = Mat::from_fn(deep, 1, |i, _| if i == 7 { f64::INFINITY } else { 0.0 });
    let data = DatasetRef::new(Features::F64(infinite.view())).with_target(target);
    assert!(learner.fit_with(&data, &Context::default()).unwrap_err().to_string().contains("row 7"));
    let one = Target::Class { codes: &vec![0; deep], names: &classes[..1] };
    let data = DatasetRef::new(Features::F64(x.view())).with_target(one);
    assert_eq!(learner.fit_with(&data, &Context::default()).unwrap().n_leaves(), 1);
}
