//! Naive Bayes of counts, bits and codes.

use ermine_bayes::*;
use ermine_core::*;

use crate::bayes::{apart, case, close, codes, errors, fit, log_loss, of, table};

fn counts(rows: usize, cols: usize, most: usize, seed: u64) -> Mat<f64> {
    let mut rng = RngStream::new(seed, "counts", 0);
    Mat::from_fn(rows, cols, |_, _| rng.below(most + 1) as f64)
}

fn three_classes(rows: usize, seed: u64) -> OwnedTarget {
    let mut rng = RngStream::new(seed, "classes", 0);
    let names = ["a", "b", "c"].map(String::from).to_vec();
    OwnedTarget::Class { codes: (0..rows).map(|i| if i < 3 { i as u32 } else { rng.below(3) as u32 }).collect(), names }
}

fn sparse(x: &Mat<f64>) -> Csr {
    let (mut ends, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..x.rows() {
        for j in (0..x.cols()).rev().filter(|&j| x[(i, j)] != 0.0) {
            columns.push(j as u32);
            values.push(x[(i, j)]);
        }
        ends.push(values.len());
    }
    Csr::new(ends, columns, values, x.cols()).unwrap()
}

/// Posteriors of the product of probabilities, straight from the definition.
fn posterior(prior: &[f64], likelihood: impl Fn(usize) -> f64) -> Vec<f64> {
    let joint: Vec<f64> = prior.iter().enumerate().map(|(k, p)| p * likelihood(k)).collect();
    let total: f64 = joint.iter().sum();
    joint.iter().map(|j| j / total).collect()
}

#[test]
fn mushrooms_are_told_apart_as_in_the_reference_book() {
    let case = case("categorical_nb_mushrooms");
    let table = table("mushrooms");
    let (x, mut taken) = table.split_off(&["class"]).unwrap();
    let (_, Column::Category { codes, names }) = taken.pop().unwrap() else { panic!("no classes") };
    assert_eq!(*names, ["edible", "poisonous"]);
    let y = OwnedTarget::Class { codes: codes.clone(), names: names.to_vec() };
    let features = Features::Table(x.view());
    let model = CategoricalNb::default().fit_with(&DatasetRef::new(features).with_target(y.view()), &Context::default()).unwrap();
    let expected = &case["expected"];
    assert_eq!(errors(&model, &features, &codes) as f64, expected["train_errors"].as_f64().unwrap());
    close(&[log_loss(&model, &features, &codes)], &expected["log_loss"], &case, "log loss");
    let p = model.proba(&features.row_range(0..5)).unwrap();
    let poisonous: Vec<f64> = (0..5).map(|i| p[(i, 1)]).collect();
    close(&poisonous, &expected["posterior_poisonous_first5"], &case, "posteriors");
}

#[test]
fn probabilities_are_those_of_the_definitions() {
    let (x, y) = (counts(60, 5, 4, 1), three_classes(60, 1));
    let codes = codes(&y);
    let size = |k: usize| codes.iter().filter(|&&c| c as usize == k).count() as f64;
    let prior: Vec<f64> = (0..3).map(|k| size(k) / 60.0).collect();
    let sum = |k: usize, f: &dyn Fn(usize) -> f64| -> f64 { (0..60).filter(|&i| codes[i] as usize == k).map(f).sum() };
    let alpha = [0.5, 1.0, 2.0, 0.1, 3.0];

    let nb = MultinomialNb { alpha: Smoothing::Each(alpha.to_vec()), ..MultinomialNb::default() };
    let p = fit(&nb, &x, &y).unwrap().proba(&Features::F64(x.view())).unwrap();
    let theta = |k: usize, j: usize| {
        let all: f64 = (0..5).map(|j| sum(k, &|i| x[(i, j)]) + alpha[j]).sum();
        (sum(k, &|i| x[(i, j)]) + alpha[j]) / all
    };
    for i in 0..60 {
        let want = posterior(&prior, |k| (0..5).map(|j| theta(k, j).powf(x[(i, j)])).product());
        assert!((0..3).all(|k| (p[(i, k)] - want[k]).abs() < 1e-12));
    }

    let nb = BernoulliNb { alpha: Smoothing::Each(alpha.to_vec()), binarize: Some(1.5), ..BernoulliNb::default() };
    let p = fit(&nb, &x, &y).unwrap().proba(&Features::F64(x.view())).unwrap();
    let bit = |i: usize, j: usize| f64::from(u8::from(x[(i, j)] > 1.5));
    let yes = |k: usize, j: usize| (sum(k, &|i| bit(i, j)) + alpha[j]) / (size(k) + 2.0 * alpha[j]);
    for i in 0..60 {
        let one = |k: usize, j: usize| if bit(i, j) > 0.0 { yes(k, j) } else { 1.0 - yes(k, j) };
        let want = posterior(&prior, |k| (0..5).map(|j| one(k, j)).product());
        assert!((0..3).all(|k| (p[(i, k)] - want[k]).abs() < 1e-12));
    }

    let nb = CategoricalNb { alpha: 0.7, class_prior: Some(vec![0.2, 0.5, 0.3]), ..CategoricalNb::default() };
    let p = fit(&nb, &x, &y).unwrap().proba(&Features::F64(x.view())).unwrap();
    let level = |k: usize, j: usize, v: f64| (sum(k, &|i| f64::from(u8::from(x[(i, j)] == v))) + 0.7) / (size(k) + 0.7 * 5.0);
    for i in 0..60 {
        let want = posterior(&[0.2, 0.5, 0.3], |k| (0..5).map(|j| level(k, j, x[(i, j)])).product());
        assert!((0..3).all(|k| (p[(i, k)] - want[k]).abs() < 1e-12));
    }
}

#[test]
fn the_complement_scores_what_the_other_classes_lack() {
    let (x, y) = (counts(40, 4, 6, 2), three_classes(40, 2));
    let codes = codes(&y);
    for norm in [false, true] {
        let nb = MultinomialNb { complement: true, norm, alpha: Smoothing::All(0.5), ..MultinomialNb::default() };
        let model = fit(&nb, &x, &y).unwrap();
        for k in 0..3 {
            let other = |j: usize| (0..40).filter(|&i| codes[i] as usize != k).map(|i| x[(i, j)]).sum::<f64>() + 0.5;
            let all: f64 = (0..4).map(other).sum();
            let logs: Vec<f64> = (0..4).map(|j| (other(j) / all).ln()).collect();
            let scale = if norm { 1.0 / logs.iter().sum::<f64>() } else { -1.0 };
            for j in 0..4 {
                assert!((model.feature_log_prob()[(k, j)] - scale * logs[j]).abs() < 1e-12);
            }
        }
        let scores = model.decision(&Features::F64(x.view())).unwrap().unwrap();
        let weights = model.feature_log_prob();
        let want = Mat::from_fn(40, 3, |i, k| (0..4).map(|j| x[(i, j)] * weights[(k, j)]).sum());
        assert!(apart(&scores, &want) < 1e-12);
        assert!(model.as_density().is_none());
    }
    let nb = MultinomialNb { norm: true, ..MultinomialNb::default() };
    assert!(nb.check().unwrap_err().to_string().contains("norm"));
}

#[test]
fn rows_that_come_bit_by_bit_teach_what_all_at_once_do() {
    let (x, y) = (counts(90, 6, 3, 3), three_classes(90, 3));
    let w: Vec<f64> = (0..90).map(|i| 0.5 + f64::from(i % 4)).collect();
    fn check<L: Learner>(learner: L, data: &DatasetRef<'_>) {
        let whole = learner.fit_with(data, &Context::default()).unwrap();
        let resume = L::PARTIAL_FIT.unwrap();
        let mut model = None;
        for range in [0..17, 17..18, 18..90] {
            model = Some(resume(&learner, model.as_ref(), &data.row_range(range), &Context::default()).unwrap());
        }
        let (a, b) = (whole.as_classifier().unwrap().proba(&data.x).unwrap(), model.unwrap());
        assert!(apart(&a, &b.as_classifier().unwrap().proba(&data.x).unwrap()) < 1e-13);
    }
    for weight in [None, Some(&w[..])] {
        let data = of(&x, &y).with_weight(weight);
        check(MultinomialNb::default(), &data);
        check(MultinomialNb { complement: true, ..MultinomialNb::default() }, &data);
        check(BernoulliNb::default(), &data);
        check(CategoricalNb::default(), &data);
        let rows = sparse(&x);
        check(MultinomialNb::default(), &DatasetRef { x: Features::Csr(rows.view()), ..data });
    }
    // Codes that come later are new levels.
    let nb = CategoricalNb::default();
    let few = OwnedTarget::Class { codes: vec![0, 1], names: vec!["a".into(), "b".into()] };
    let (first, second) = (Mat::from_vec(2, 1, vec![0.0, 1.0]), Mat::from_vec(2, 1, vec![0.0, 5.0]));
    let resume = CategoricalNb::PARTIAL_FIT.unwrap();
    let model = resume(&nb, None, &of(&first, &few), &Context::default()).unwrap();
    let model = resume(&nb, Some(&model), &of(&second, &few), &Context::default()).unwrap();
    assert_eq!(model.n_levels(0), 6);
    let other = OwnedTarget::Class { codes: vec![0, 1], names: vec!["a".into(), "z".into()] };
    assert!(resume(&nb, Some(&model), &of(&second, &other), &Context::default()).is_err());
}

#[test]
fn names_that_come_later_are_new_levels() {
    let table = |cells: &[Option<&str>]| Table::new([("c", Column::categories(cells))]).unwrap();
    let y = |codes: &[u32]| OwnedTarget::Class { codes: codes.to_vec(), names: vec!["n".into(), "y".into()] };
    let (a, b) = (table(&[Some("red"), Some("blue"), None]), table(&[Some("green"), Some("red")]));
    let all = table(&[Some("red"), Some("blue"), None, Some("green"), Some("red")]);
    let (ya, yb, yall) = (y(&[0, 1, 1]), y(&[1, 0]), y(&[0, 1, 1, 1, 0]));
    let nb = CategoricalNb::default();
    let data = |t: &'static Table, y: &'static OwnedTarget| DatasetRef::new(Features::Table(t.view())).with_target(y.view());
    let leak = |t: Table| -> &'static Table { Box::leak(Box::new(t)) };
    let leak_y = |y: OwnedTarget| -> &'static OwnedTarget { Box::leak(Box::new(y)) };
    let (a, b, all) = (leak(a), leak(b), leak(all));
    let whole = nb.fit_with(&data(all, leak_y(yall)), &Context::default()).unwrap();
    let resume = CategoricalNb::PARTIAL_FIT.unwrap();
    let model = resume(&nb, None, &data(a, leak_y(ya)), &Context::default()).unwrap();
    let model = resume(&nb, Some(&model), &data(b, leak_y(yb)), &Context::default()).unwrap();
    assert_eq!(model, whole);
    assert_eq!(model.n_levels(0), 4, "three names and the missing cells");
    // What training has not seen says nothing.
    let strange = table(&[Some("violet")]);
    let p = whole.proba(&Features::Table(strange.view())).unwrap();
    assert!((p[(0, 0)] - 0.4).abs() < 1e-15);
}

#[test]
fn without_pseudo_counts_the_limit_of_small_ones_decides() {
    let (all, y) = (counts(12, 4, 2, 5), three_classes(12, 5));
    // Class k has never seen column k.
    let codes = codes(&y);
    let x = Mat::from_fn(12, 4, |i, j| if codes[i] as usize == j { 0.0 } else { all[(i, j)] });
    let rows = counts(200, 4, 3, 6);
    let features = Features::F64(rows.view());
    let limit = |zero: &dyn Classifier, small: &dyn Classifier| {
        let (a, b) = (zero.proba(&features).unwrap(), small.proba(&features).unwrap());
        for i in 0..200 {
            // Powers of a small number are what is left of impossible cells: in the limit 0.
            assert!((0..3).all(|k| (a[(i, k)] - b[(i, k)]).abs() < 1e-6), "{:?} for {:?}", a.row(i), b.row(i));
        }
        assert!(a.as_slice().contains(&0.0));
        assert!(a.as_slice().iter().all(|p| p.is_finite()));
    };
    let multinomial = |a: f64| MultinomialNb { alpha: Smoothing::All(a), ..MultinomialNb::default() };
    limit(&fit(&multinomial(0.0), &x, &y).unwrap(), &fit(&multinomial(1e-30), &x, &y).unwrap());
    let bernoulli = |a: f64| BernoulliNb { alpha: Smoothing::All(a), ..BernoulliNb::default() };
    limit(&fit(&bernoulli(0.0), &x, &y).unwrap(), &fit(&bernoulli(1e-30), &x, &y).unwrap());
    let categorical = |a: f64| CategoricalNb { alpha: a, ..CategoricalNb::default() };
    let few = Mat::from_fn(12, 4, |i, j| x[(i, j)].min(1.0) * (1.0 + (i % 3) as f64));
    limit(&fit(&categorical(0.0), &few, &y).unwrap(), &fit(&categorical(1e-30), &few, &y).unwrap());
}

#[test]
fn probabilities_of_all_rows_that_can_be_sum_to_one() {
    let (x, y) = (counts(30, 3, 3, 7), three_classes(30, 7));
    let model = fit(&BernoulliNb::default(), &x, &y).unwrap();
    let all = Mat::from_fn(8, 3, |i, j| f64::from(u8::from(i >> j & 1 == 1)));
    let total: f64 = model.log_density(&Features::F64(all.view())).unwrap().iter().map(|l| l.exp()).sum();
    assert!((total - 1.0).abs() < 1e-12);
    assert_eq!(model.n_parameters(), 2 + 9);

    let model = fit(&CategoricalNb::default(), &x, &y).unwrap();
    let all = Mat::from_fn(64, 3, |i, j| (i / 4usize.pow(j as u32) % 4) as f64);
    let total: f64 = model.log_density(&Features::F64(all.view())).unwrap().iter().map(|l| l.exp()).sum();
    assert!((total - 1.0).abs() < 1e-12);

    // All counts of three columns that sum to 5.
    let model = fit(&MultinomialNb { class_prior: Some(vec![3.0, 2.0, 5.0]), ..MultinomialNb::default() }, &x, &y).unwrap();
    let cells: Vec<f64> = (0..=5).flat_map(|a| (0..=5 - a).map(move |b| [a, b, 5 - a - b])).flatten().map(f64::from).collect();
    let all = Mat::from_vec(cells.len() / 3, 3, cells);
    let dense = model.log_density(&Features::F64(all.view())).unwrap();
    let total: f64 = dense.iter().map(|l| l.exp()).sum();
    assert!((total - 1.0).abs() < 1e-12);
    let rows = sparse(&all);
    let again = model.log_density(&Features::Csr(rows.view())).unwrap();
    assert!(dense.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn sparse_rows_are_read_as_they_lie() {
    let (x, y) = (counts(50, 7, 2, 8), three_classes(50, 8));
    let rows = sparse(&x);
    let data = DatasetRef { x: Features::Csr(rows.view()), ..of(&x, &y) };
    let dense = fit(&MultinomialNb::default(), &x, &y).unwrap();
    let model = MultinomialNb::default().fit_with(&data, &Context::default()).unwrap();
    assert_eq!(model.feature_count(), dense.feature_count());
    assert!(apart(&model.proba(&data.x).unwrap(), &dense.proba(&Features::F64(x.view())).unwrap()) < 1e-13);
    for binarize in [Some(0.0), Some(1.0)] {
        let nb = BernoulliNb { binarize, ..BernoulliNb::default() };
        let (a, b) = (nb.fit_with(&data, &Context::default()).unwrap(), fit(&nb, &x, &y).unwrap());
        assert_eq!(a.feature_count(), b.feature_count());
        assert!(apart(&a.proba(&data.x).unwrap(), &b.proba(&Features::F64(x.view())).unwrap()) < 1e-13);
    }
    // A column that is stored twice counts with its sum.
    let twice = Csr::new(vec![0, 2, 3], vec![0, 0, 1], vec![0.6, 0.6, 0.6], 2).unwrap();
    let y = OwnedTarget::from_labels(&["a", "b"]);
    let nb = BernoulliNb { binarize: Some(1.0), ..BernoulliNb::default() };
    let model = nb.fit_with(&DatasetRef::new(Features::Csr(twice.view())).with_target(y.view()), &Context::default()).unwrap();
    assert_eq!(model.feature_count().as_slice(), [1.0, 0.0, 0.0, 0.0]);
    let nb = BernoulliNb { binarize: Some(-1.0), ..BernoulliNb::default() };
    let e = nb.fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("binarize") && e.contains("-1"), "{e}");
}

#[test]
fn cells_that_mean_nothing_are_named() {
    let (x, y) = (counts(20, 3, 3, 9), three_classes(20, 9));
    let with = |v: f64| {
        let mut x = x.clone();
        x[(13, 2)] = v;
        x
    };
    let says = |e: Error, words: &[&str]| {
        let e = e.to_string();
        assert!(words.iter().all(|w| e.contains(w)), "{e}");
    };
    says(fit(&MultinomialNb::default(), &with(-2.0), &y).unwrap_err(), &["column 2", "row 13", "-2", "from 0 up"]);
    let negative = sparse(&with(-2.0));
    let data = DatasetRef { x: Features::Csr(negative.view()), ..of(&x, &y) };
    says(MultinomialNb::default().fit_with(&data, &Context::default()).unwrap_err(), &["column 2", "row 13", "-2"]);
    says(fit(&CategoricalNb::default(), &with(0.5), &y).unwrap_err(), &["column 2", "row 13", "0.5", "whole numbers"]);
    says(fit(&CategoricalNb::default(), &with(-1.0), &y).unwrap_err(), &["column 2", "row 13", "-1"]);
    says(fit(&CategoricalNb::default(), &with(1e12), &y).unwrap_err(), &["column 2", "row 13", "1000000000000"]);
    let plain = BernoulliNb { binarize: None, ..BernoulliNb::default() };
    says(fit(&plain, &with(7.0), &y).unwrap_err(), &["row", "from 0 to 1"]);
    for bad in [f64::NAN, f64::INFINITY] {
        for e in [
            fit(&MultinomialNb::default(), &with(bad), &y).unwrap_err(),
            fit(&BernoulliNb::default(), &with(bad), &y).unwrap_err(),
        ] {
            says(e, &["column 2", "row 13", "not a finite number"]);
        }
    }
    let model = fit(&MultinomialNb::default(), &x, &y).unwrap();
    says(model.proba(&Features::F64(with(f64::NAN).view())).unwrap_err(), &["column 2", "row 13", "NaN"]);
    let list = MultinomialNb { alpha: Smoothing::Each(vec![1.0; 4]), ..MultinomialNb::default() };
    says(fit(&list, &x, &y).unwrap_err(), &["alpha", "4 numbers", "3 columns"]);
    let prior = BernoulliNb { class_prior: Some(vec![0.5, 0.5]), ..BernoulliNb::default() };
    says(fit(&prior, &x, &y).unwrap_err(), &["class_prior", "3 classes", "2 prob"]);
}

#[test]
fn classes_without_rows_and_rows_without_counts() {
    let x = counts(20, 3, 3, 10);
    let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
    let y = OwnedTarget::Class { codes: (0..20).map(|i| [0, 2][i % 2]).collect(), names };
    let check = |model: &dyn Classifier| {
        let p = model.proba(&Features::F64(x.view())).unwrap();
        assert!((0..20).all(|i| p[(i, 1)] == 0.0 && p[(i, 3)] == 0.0 && (p[(i, 0)] + p[(i, 2)] - 1.0).abs() < 1e-12));
    };
    check(&fit(&MultinomialNb::default(), &x, &y).unwrap());
    check(&fit(&BernoulliNb::default(), &x, &y).unwrap());
    check(&fit(&CategoricalNb::default(), &x, &y).unwrap());
    // A text without words is what the classes are before anything is read.
    let nothing = Mat::zeros(1, 3);
    let p = fit(&MultinomialNb::default(), &x, &y).unwrap().proba(&Features::F64(nothing.view())).unwrap();
    assert_eq!(p.row(0), [0.5, 0.0, 0.5, 0.0]);
    // Counts beyond all numbers still have a class.
    let model = fit(&MultinomialNb::default(), &x, &y).unwrap();
    let huge = Mat::from_vec(1, 3, vec![1e308, 1e308, 1e308]);
    let p = model.proba(&Features::F64(huge.view())).unwrap();
    assert!((p.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn models_that_were_read_are_the_same_and_forged_ones_are_refused() {
    let (x, y) = (counts(20, 3, 3, 11), three_classes(20, 11));
    let stored = |model: &dyn Model| {
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        out
    };
    let model = fit(&MultinomialNb { alpha: Smoothing::All(0.0), ..MultinomialNb::default() }, &x, &y).unwrap();
    let out = stored(&model);
    assert_eq!(MultinomialNb::load(&out.clone().into_reader()).unwrap(), model);
    let forge = |out: &ModelWriter, change: &dyn Fn(&mut ModelWriter)| {
        let mut out = out.clone();
        change(&mut out);
        out.into_reader()
    };
    for change in [
        &(|o: &mut ModelWriter| o.array("feature_log_prob", &[3, 3], &[f64::NAN; 9])) as &dyn Fn(&mut ModelWriter),
        &|o| o.array("feature_count", &[3, 3], &[-1.0; 9]),
        &|o| o.vec("class_log_prior", &[f64::NEG_INFINITY; 3]),
        &|o| o.vec("class_count", &[1.0]),
        &|o| o.field("classes", &["a"]).unwrap(),
    ] {
        assert!(MultinomialNb::load(&forge(&out, change)).is_err());
    }
    let model = fit(&BernoulliNb::default(), &x, &y).unwrap();
    let out = stored(&model);
    assert_eq!(BernoulliNb::load(&out.clone().into_reader()).unwrap(), model);
    assert!(BernoulliNb::load(&forge(&out, &|o| o.array("feature_log_not", &[3, 2], &[0.0; 6]))).is_err());
    let model = fit(&CategoricalNb::default(), &x, &y).unwrap();
    let out = stored(&model);
    assert_eq!(CategoricalNb::load(&out.clone().into_reader()).unwrap(), model);
    assert!(CategoricalNb::load(&forge(&out, &|o| o.field("alpha", &-1.0).unwrap())).is_err());
    assert!(CategoricalNb::load(&forge(&out, &|o| o.array("category_count", &[2, 3], &[0.0; 6]))).is_err());
}
