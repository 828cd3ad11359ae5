//! The common checks on every learner of the catalogue.

use ermine_checks::Verdict;

#[test]
fn every_learner_passes_the_common_checks() {
    let mut failures = Vec::new();
    let (mut passed, mut skipped) = (0, 0);
    for learner in ermine::catalogue() {
        for outcome in ermine_checks::run_on(&*learner) {
            match outcome.verdict {
                Verdict::Pass => passed += 1,
                Verdict::Skip(_) => skipped += 1,
                Verdict::Fail(why) => failures.push(format!("{}: {}: {why}", outcome.learner, outcome.check)),
            }
        }
    }
    println!("{passed} passed, {} failed, {skipped} skipped", failures.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(passed > 0, "the catalogue is empty");
}

/// Learners with fold sums, leave-one-out or joint fits have them, so that their checks do not pass by being skipped.
#[test]
fn short_ways_are_checked_and_not_skipped() {
    let passes = |name: &str, check: &str| {
        let learner = ermine::catalogue().into_iter().find(|l| l.spec().name == name).unwrap();
        let (_, check) = ermine_checks::CHECKS.iter().find(|c| c.0.starts_with(check)).unwrap();
        let verdict = check(&*learner);
        assert_eq!(verdict, Verdict::Pass, "{name}");
    };
    for name in ["ols", "ridge", "lda", "qda", "gaussian-nb", "multinomial-nb", "bernoulli-nb"] {
        passes(name, "totals without a fold");
    }
    for name in ["ridge", "kernel-ridge", "lda", "knn"] {
        passes(name, "a row left out");
    }
    passes("forest", "settings fitted at once");
}
