//! The common checks on every learner of the catalogue.

use ermine_checks::Verdict;

#[test]
fn every_learner_passes_the_common_checks() {
    let mut failures = Vec::new();
    let (mut passed, mut skipped) = (0, 0);
    for learner in ermine::catalogue() {
        for outcome in ermine_checks::run(&*learner) {
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
