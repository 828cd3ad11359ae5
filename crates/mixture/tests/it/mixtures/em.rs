//! The trait behind all mixtures, with a model that is none of the crate's own: Bernoulli distributions.

#[path = "../../../examples/bernoulli_mixture/model.rs"]
mod model;

use ermine_core::*;
use ermine_mixture::em::{Em, EmObjective, EmResult, EmStop, fit, fit_source};
use model::{BernoulliMixture, MixtureParams};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::features;

/// Rows of zeros and ones from a mixture of its own.
fn coins(rows: usize, cols: usize, k: usize, seed: u64) -> (Mat<f64>, Vec<usize>, Mat<f64>) {
    let mut s = RngStream::new(seed, "coins", 0);
    let ones = Mat::from_fn(k, cols, |_, _| if s.uniform() < 0.5 { 0.1 } else { 0.9 });
    let labels: Vec<usize> = (0..rows).map(|_| s.below(k)).collect();
    let x = Mat::from_fn(rows, cols, |i, j| f64::from(u8::from(s.uniform() < ones[(labels[i], j)])));
    (x, labels, ones)
}

fn climb(x: &Mat<f64>, k: usize, smoothing: f64, seed: u64) -> EmResult<MixtureParams> {
    let rules = EmStop { tol: 1e-9, max_iter: 300 };
    let start = MixtureParams::random(k, x.cols(), seed);
    fit(&BernoulliMixture { smoothing }, start, &DatasetRef::new(features(x)), &rules, &Context::default()).unwrap()
}

#[test]
fn a_mixture_of_bernoullis_finds_its_groups() {
    let (x, labels, ones) = coins(2000, 20, 3, 7);
    let best = (0..6).map(|s| climb(&x, 3, 0.5, s)).max_by(|a, b| a.objective.value().total_cmp(&b.objective.value())).unwrap();
    assert!(best.converged);
    // Each true group is one component, to the sampling error of its shares.
    for k in 0..3 {
        let d = |c: usize| (0..20).map(|j| (best.parameters.ones[(c, j)] - ones[(k, j)]).abs()).fold(0.0, f64::max);
        let nearest = (0..3).min_by(|&a, &b| d(a).total_cmp(&d(b))).unwrap();
        assert!(d(nearest) < 0.08, "{}", d(nearest));
        let share = labels.iter().filter(|l| **l == k).count() as f64 / 2000.0;
        assert!((best.parameters.weights[nearest] - share).abs() < 0.03);
    }
}

#[test]
fn one_component_is_the_shares_of_ones() {
    let (x, _, _) = coins(300, 5, 2, 8);
    let result = climb(&x, 1, 0.0, 0);
    for j in 0..5 {
        let share = x.view().col_iter(j).sum::<f64>() / 300.0;
        assert!((result.parameters.ones[(0, j)] - share).abs() < 1e-12);
    }
    let entropy: f64 = (0..5)
        .map(|j| {
            let p = x.view().col_iter(j).sum::<f64>() / 300.0;
            p * p.ln() + (1.0 - p) * (1.0 - p).ln()
        })
        .sum();
    assert!((result.objective.log_likelihood - 300.0 * entropy).abs() < 1e-9 * (300.0 * entropy).abs());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn the_objective_of_discrete_mixtures_never_falls(
        (rows, cols, k) in (5usize..80, 1usize..12, 1usize..5),
        smoothing in prop_oneof![Just(0.1), Just(1.0), Just(5.0)],
        seed in any::<u64>(),
    ) {
        let (x, _, _) = coins(rows, cols, k, seed);
        let result = climb(&x, k, smoothing, seed);
        let course = result.trace.column("objective").unwrap();
        for w in course.windows(2) {
            prop_assert!(w[1] >= w[0] - 1e-10 * w[0].abs(), "{course:?}");
        }
        prop_assert_eq!(*course.last().unwrap(), result.objective.value());
        prop_assert_eq!(course.len() as u64, result.iterations + 1);
    }
}

#[test]
fn threads_streams_and_stops_are_those_of_passes() {
    let (x, _, _) = coins(9000, 6, 3, 9);
    let data = DatasetRef::new(features(&x));
    let (model, rules) = (BernoulliMixture { smoothing: 1.0 }, EmStop { tol: 1e-7, max_iter: 100 });
    let start = || MixtureParams::random(3, 6, 1);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&model, start(), &data, &rules, &Context::default()).unwrap())
    };
    let (one, seven) = (run(1), run(7));
    assert_eq!(one.parameters.ones, seven.parameters.ones);
    assert_eq!(one.trace, seven.trace);
    let spec = Spec { accepts: Accepts { weights: true, ..Accepts::NUMBERS }, ..ermine_mixture::Gmm::SPEC };
    let streamed = fit_source(&model, start(), &data, &spec, &rules, &Context::default()).unwrap();
    assert_eq!(one.parameters.ones, streamed.parameters.ones);
    let past = Context { deadline: Some(std::time::Instant::now()), ..Context::default() };
    assert!(matches!(fit(&model, start(), &data, &rules, &past), Err(Error::Deadline(_))));
    let stop = |_: &Progress| Flow::Stop;
    let stopped = Context { observer: Some(&stop), ..Context::default() };
    assert!(matches!(fit(&model, start(), &data, &rules, &stopped), Err(Error::Stopped(_))));
    let few = fit(&model, start(), &data, &EmStop { max_iter: 2, ..rules }, &Context::default()).unwrap();
    assert!(few.iterations == 2 && !few.converged && few.trace.rows.len() == 3);
    // Cells that are neither 0 nor 1 are named by their place in all rows.
    let mut bad = x.clone();
    bad[(8000, 4)] = 0.5;
    let e = fit(&model, start(), &DatasetRef::new(features(&bad)), &rules, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("8000") && e.contains('4'), "{e}");
}

/// A climb whose M step overshoots: a scale that Newton would set too far, for the rule that shortens steps.
struct Overshooting;

#[derive(Default, Serialize, Deserialize)]
struct Nothing;

impl Partial for Nothing {
    fn merge(&mut self, _: Self) -> Result<()> {
        Ok(())
    }
}

impl Em for Overshooting {
    type Parameters = f64;
    type Expected = Nothing;
    fn empty(&self, _: &f64) -> Nothing {
        Nothing
    }
    fn expect(&self, _: &f64, _: &mut Nothing, _: &DatasetRef<'_>) -> Result<()> {
        Ok(())
    }
    fn objective(&self, at: &f64, _: &Nothing) -> EmObjective {
        EmObjective { log_likelihood: -(at * at + 1.0).sqrt(), log_prior: 0.0, weight: 1.0 }
    }
    /// Newton's step on -√(x² + 1): it goes to -x³, which is further away beyond 1.
    fn maximize(&self, at: &f64, _: Nothing) -> Result<f64> {
        Ok(-at.powi(3))
    }
    fn backtrack(&self, from: &f64, to: &f64) -> Option<f64> {
        Some(0.5 * (from + to))
    }
}

#[test]
fn steps_that_lead_down_are_shortened_until_they_lead_up() {
    let x = Mat::zeros(1, 1);
    let rules = EmStop { tol: 1e-14, max_iter: 200 };
    let result = fit(&Overshooting, 3.0, &DatasetRef::new(features(&x)), &rules, &Context::default()).unwrap();
    assert!(result.parameters.abs() < 1e-5 && result.converged, "{result:?}");
    let course = result.trace.column("objective").unwrap();
    assert!(course.windows(2).all(|w| w[1] >= w[0] - 1e-10), "{course:?}");
}
