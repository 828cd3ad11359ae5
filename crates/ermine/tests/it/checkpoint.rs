//! A fit that is interrupted and continues from its checkpoint.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ermine::core::{Error, Flow, Progress};
use ermine::prelude::*;

fn problem() -> Problem {
    let table = ermine::data::example("penguins").unwrap();
    let roles = Roles { targets: vec!["species".into()], ..Roles::default() };
    Problem::from_table(table, &roles).unwrap()
}

#[test]
fn an_interrupted_fit_ends_in_the_bytes_of_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept.ermine");
    let problem = problem();
    let learner = || {
        let mut l = ermine::learner("boosting").unwrap();
        l.set("max_iter", 12.into()).unwrap();
        l
    };
    let whole = Fitted::train(learner(), &problem, &Context::seeded(4)).unwrap();
    // The observer stops the fit in its seventh round.
    let most = AtomicU64::new(0);
    let stop = |p: &Progress| {
        most.fetch_max(p.done, Ordering::Relaxed);
        if p.stage == "boosting" && p.done >= 7 { Flow::Stop } else { Flow::Continue }
    };
    let cx = Context { observer: Some(&stop), ..Context::seeded(4) };
    let stopped = Fitted::train_with_checkpoint(learner(), &problem, &path, Duration::ZERO, &cx);
    assert!(matches!(stopped, Err(Error::Stopped(_))));
    assert!(path.exists() && Fitted::load(&path).unwrap().certificate.is_some_and(|c| !c.converged));
    // Another fit does not touch it.
    let other = Fitted::train_with_checkpoint(learner(), &problem, &path, Duration::ZERO, &Context::seeded(5));
    assert!(other.unwrap_err().to_string().contains("seeds"));
    let first = AtomicU64::new(u64::MAX);
    let watch = |p: &Progress| {
        if p.stage == "boosting" {
            first.fetch_min(p.done, Ordering::Relaxed);
        }
        Flow::Continue
    };
    let cx = Context { observer: Some(&watch), ..Context::seeded(4) };
    let end = Fitted::train_with_checkpoint(learner(), &problem, &path, Duration::ZERO, &cx).unwrap();
    assert!(first.load(Ordering::Relaxed) >= 5, "it began anew");
    assert_eq!(end.to_bytes().unwrap(), whole.to_bytes().unwrap());
    assert!(!path.exists());
    let refused = Fitted::train_with_checkpoint(ermine::learner("ridge").unwrap(), &problem, &path, Duration::ZERO, &cx);
    assert!(refused.unwrap_err().to_string().contains("ridge"));
}
