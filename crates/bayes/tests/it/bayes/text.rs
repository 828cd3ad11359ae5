//! Newsgroups as counts of words: needs `newsgroups20_bow_train.libsvm.gz` and `…_test.libsvm.gz` in the folder of `ERMINE_DATA`.

use std::io::Read;

use ermine_bayes::*;
use ermine_core::*;
use serde_json::Value;

use crate::bayes::{case, close, errors};

const WORDS: usize = 32199;

fn read(name: &str) -> Option<(Csr, OwnedTarget)> {
    let path = std::path::Path::new(&std::env::var_os("ERMINE_DATA")?).join(name);
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).ok()?).read_to_string(&mut text).ok()?;
    let (mut ends, mut columns, mut values, mut labels) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        let mut parts = line.split_whitespace();
        // Two digits, so that names sort as numbers.
        labels.push(format!("{:02}", parts.next()?.parse::<u32>().ok()?));
        for part in parts {
            let (j, v) = part.split_once(':')?;
            columns.push(j.parse::<u32>().ok()? - 1);
            values.push(v.parse().ok()?);
        }
        ends.push(values.len());
    }
    Some((Csr::new(ends, columns, values, WORDS).ok()?, OwnedTarget::from_labels(&labels)))
}

fn correct(model: &dyn Classifier, (x, y): &(Csr, OwnedTarget)) -> usize {
    let OwnedTarget::Class { codes, .. } = y else { panic!("no classes") };
    codes.len() - errors(model, &Features::Csr(x.view()), codes)
}

fn within_two(got: usize, case: &Value) {
    let want = case["expected"]["test_correct"].as_f64().unwrap();
    assert!((got as f64 - want).abs() <= 2.0, "{got} for {want} of {}", case["id"]);
}

#[test]
fn newsgroups_are_told_apart_as_in_the_reference_book() {
    let (Some(train), Some(test)) = (read("newsgroups20_bow_train.libsvm.gz"), read("newsgroups20_bow_test.libsvm.gz")) else {
        eprintln!("skipped: ERMINE_DATA does not hold newsgroups20_bow_train.libsvm.gz and newsgroups20_bow_test.libsvm.gz");
        return;
    };
    let data = DatasetRef::new(Features::Csr(train.0.view())).with_target(train.1.view());
    for (alpha, name) in [(1.0, "1"), (0.01, "0.01")] {
        let alpha = Smoothing::All(alpha);
        let case_of = |kind: &str| case(&format!("{kind}_nb_news_{name}"));
        let case = case_of("multinomial");
        let model =
            MultinomialNb { alpha: alpha.clone(), ..MultinomialNb::default() }.fit_with(&data, &Context::default()).unwrap();
        within_two(correct(&model, &test), &case);
        let accuracy = correct(&model, &train) as f64 / train.0.view().rows() as f64;
        close(&[accuracy], &case["expected"]["train_accuracy"], &case, "accuracy on the training rows");
        let first = &model.feature_log_prob().row(0)[..5];
        close(first, &case["expected"]["feature_log_prob_class0_first5"], &case, "log-probabilities");
        let joint = model.decision(&Features::Csr(test.0.view().row_range(0..1))).unwrap().unwrap();
        close(joint.as_slice(), &case["expected"]["joint_log_likelihood_test_row0"], &case, "joint log-likelihood");
        let model = BernoulliNb { alpha: alpha.clone(), ..BernoulliNb::default() }.fit_with(&data, &Context::default()).unwrap();
        within_two(correct(&model, &test), &case_of("bernoulli"));
        let nb = MultinomialNb { alpha, complement: true, ..MultinomialNb::default() };
        within_two(correct(&nb.fit_with(&data, &Context::default()).unwrap(), &test), &case_of("complement"));
    }
}
