//! All theorems, at their defaults and at random settings.

use std::time::{Duration, Instant};

use ermine_core::{Mat, RngStream};
use ermine_course::{Relation, Theorem, TheoremData, TheoremInput, Verdict, theorem, theorems};

/// What a single theorem may take at its defaults, optimized: a build for tests has three times that.
const TIME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 300 } else { 100 });

fn random_input(t: &Theorem, index: u64) -> TheoremInput {
    let mut stream = RngStream::new(5, t.id, index);
    t.params.iter().fold(TheoremInput::new().seed(index), |input, p| {
        let v = p.low + (p.high - p.low) * stream.uniform();
        input.set(p.name, if p.whole { v.round() } else { v })
    })
}

#[test]
fn every_theorem_holds_at_its_defaults() {
    let mut failures = Vec::new();
    for t in theorems() {
        let check = t.run(&TheoremInput::new()).unwrap_or_else(|e| panic!("{}: {e}", t.id));
        // A trend must go the right way at the defaults.
        if !matches!(check.verdict(), Verdict::Holds | Verdict::Trend) || !check.sides.iter().all(|s| s.holds()) {
            failures.push(check.to_text());
        }
        failures.extend(check.misprints.iter().filter(|m| !m.refuted()).map(|_| format!("not refuted:\n{}", check.to_text())));
        let decisive = check.decisive().expect("a comparison");
        assert!(decisive.left.is_finite() && decisive.right.is_finite(), "{}", check.to_text());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_theorem_holds_or_says_why_not_at_random_settings() {
    let mut failures = Vec::new();
    for t in theorems() {
        for index in 0..10 {
            let input = random_input(t, index);
            let check = t.run(&input).unwrap_or_else(|e| panic!("{} {input:?}: {e}", t.id));
            match check.verdict() {
                Verdict::Holds | Verdict::Trend => {}
                Verdict::NotApplicable => assert!(check.reason().is_some(), "{}", check.to_text()),
                Verdict::Fails => failures.push(format!("{input:?}\n{}", check.to_text())),
            }
        }
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_theorem_is_quick_at_its_defaults() {
    let mut slow = Vec::new();
    for t in theorems() {
        let best = (0..3)
            .map(|_| {
                let started = Instant::now();
                t.run(&TheoremInput::new()).unwrap();
                started.elapsed()
            })
            .min()
            .unwrap();
        if best > TIME {
            slow.push(format!("{}: {best:?}", t.id));
        }
    }
    assert!(slow.is_empty(), "{}", slow.join(", "));
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    for t in theorems() {
        let run = |seed| t.run(&TheoremInput::new().seed(seed)).unwrap().to_json();
        assert_eq!(run(3), run(3), "{}", t.id);
    }
}

#[test]
fn theorems_run_on_the_readers_data_and_say_when_they_do_not_apply() {
    let mut stream = RngStream::new(1, "test", 0);
    let x = Mat::from_fn(80, 3, |_, _| 100.0 + 5.0 * stream.normal());
    let y: Vec<f64> = (0..80).map(|i| x[(i, 0)] - 2.0 * x[(i, 2)] + stream.normal()).collect();
    let data = TheoremData::new(x.clone(), y).unwrap();
    for t in theorems().filter(|t| t.takes_data) {
        let check = t.run(&TheoremInput::new().data(data.clone())).unwrap();
        assert_ne!(check.verdict(), Verdict::Fails, "{}", check.to_text());
    }
    // A column that does not vary: the closed form of one feature divides by 0.
    let flat = TheoremData::new(Mat::filled(5, 1, 2.0), vec![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    let check = theorem("T1.2").unwrap().run(&TheoremInput::new().data(flat)).unwrap();
    assert_eq!(check.verdict(), Verdict::NotApplicable);
    assert!(check.reason().unwrap().contains("not all x are equal"));
    let refused = theorem("T13.1").unwrap().run(&TheoremInput::new().data(data)).unwrap_err();
    assert!(refused.to_string().contains("takes no table"));
}

#[test]
fn what_is_asked_wrongly_is_answered_with_what_there_is() {
    assert!(theorem("T3.99").unwrap_err().to_string().contains("T3.9"));
    let t = theorem("t1.1").unwrap();
    assert!(t.run(&TheoremInput::new().set("m", 3.0)).unwrap_err().to_string().contains("parameter of T1.1"));
    assert!(t.run(&TheoremInput::new().set("n", 3.0)).unwrap_err().to_string().contains("from 10 to 400"));
    assert!(t.run(&TheoremInput::new().set("n", 10.5)).unwrap_err().to_string().contains("whole number"));
}

#[test]
fn identifiers_are_unique_and_parameters_are_in_range() {
    let mut ids: Vec<&str> = theorems().map(|t| t.id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
    for p in theorems().flat_map(|t| t.params) {
        assert!(p.low <= p.default && p.default <= p.high, "{}", p.name);
    }
}

/// The tolerance is what a comparison is judged by: a wrong number must not pass.
#[test]
fn a_wrong_number_fails() {
    for t in theorems() {
        let check = t.run(&TheoremInput::new()).unwrap();
        for s in &check.sides {
            if s.relation == Relation::Trend {
                continue;
            }
            let mut wrong = s.clone();
            wrong.left = s.right + 0.5 * (1.0 + s.right.abs()) + s.tolerance;
            assert!(!wrong.holds(), "{} {}: tolerance {}", t.id, s.what, s.tolerance);
        }
    }
}

#[test]
fn the_page_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/course.md");
    if std::env::var_os("ERMINE_WRITE_DOCS").is_some() {
        std::fs::write(path, ermine_course::reference_page()).unwrap();
    }
    let page = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        page == ermine_course::reference_page(),
        "docs/course.md: ERMINE_WRITE_DOCS=1 cargo test -p ermine-course writes it anew"
    );
}
