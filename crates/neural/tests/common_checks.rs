//! The common checks on the learners of this crate; the facade runs them on the whole catalogue.

use ermine_checks::Verdict;
use ermine_core::AnyLearner;
use ermine_neural::{Autoencoder, ConvNet, Gan, Mlp};

fn passes(learner: &dyn AnyLearner) {
    let mut failures = Vec::new();
    let mut passed = 0;
    for outcome in ermine_checks::run(learner) {
        match outcome.verdict {
            Verdict::Pass => passed += 1,
            Verdict::Skip(_) => {}
            Verdict::Fail(why) => failures.push(format!("{}: {}: {why}", outcome.learner, outcome.check)),
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(passed > 10, "only {passed} checks apply");
}

#[test]
fn perceptron() {
    passes(&Mlp::default());
}

#[test]
fn convolutional_network() {
    passes(&ConvNet::default());
}

#[test]
fn autoencoder() {
    passes(&Autoencoder::default());
}

#[test]
fn adversarial_pair() {
    passes(&Gan::default());
}
