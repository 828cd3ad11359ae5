//! Checks of the contract itself: parameters, stopping, saving, errors.

use std::time::{Duration, Instant};

use ermine_core::{AnyLearner, Context, Error, Features, Flow, Progress, Range, Target};
use serde_json::Value;

use crate::compare::{model_arrays, outputs};
use crate::{Verdict, attempt, require, synthetic};

/// A fit may take this long to stop; generous, since test machines are busy.
const PROMPT: Duration = Duration::from_secs(5);

pub fn parameters_match(learner: &dyn AnyLearner) -> Verdict {
    let spec = learner.spec();
    let params = learner.params();
    let Some(object) = params.as_object() else { return Verdict::Fail("the parameters are no object".into()) };
    let mut have: Vec<&str> = object.keys().map(String::as_str).collect();
    let mut declared: Vec<&str> = spec.params.iter().map(|p| p.name).collect();
    have.sort_unstable();
    declared.sort_unstable();
    require!(have == declared, "the parameters are {have:?} and the specification says {declared:?}");
    for p in spec.params {
        require!(!p.doc.is_empty(), "parameter {} has no text", p.name);
        require!(p.range.contains(&object[p.name]), "the default of {} is outside its range", p.name);
    }
    require!(!spec.summary.is_empty() && !spec.objective.is_empty(), "summary or objective is empty");
    attempt!(learner.check_any(), "the defaults are refused");
    Verdict::Pass
}

/// A value outside this range.
fn outside(range: &Range) -> Option<Value> {
    match range {
        Range::Bool | Range::Choice(_) | Range::Text | Range::List(_) => Some(Value::from(-12345.5)),
        Range::Int { min, .. } => Some(if *min > i64::MIN { Value::from(min - 1) } else { Value::from("x") }),
        Range::Real { min, .. } => Some(if min.is_finite() { Value::from(min - 1.0) } else { Value::from("x") }),
        Range::Optional(inner) => outside(inner).filter(|v| !v.is_null()),
        Range::Either(a, b) => [outside(a), outside(b)].into_iter().flatten().find(|v| !a.contains(v) && !b.contains(v)),
        Range::Any => None,
    }
}

pub fn parameters_refused(learner: &dyn AnyLearner) -> Verdict {
    let mut l = learner.boxed();
    let before = l.params();
    require!(l.set("no_such_parameter", Value::from(1)).is_err(), "an unknown parameter is taken");
    for p in learner.spec().params {
        let Some(bad) = outside(&p.range) else { continue };
        match l.set(p.name, bad.clone()) {
            Ok(()) => return Verdict::Fail(format!("{} = {bad} is taken", p.name)),
            Err(e) => require!(e.to_string().contains(p.name), "the error for {} does not name it: {e}", p.name),
        }
    }
    require!(l.params() == before, "a refused parameter changed the learner");
    Verdict::Pass
}

pub fn observer_stops(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 20_000, 3, 1);
        let stop = |_: &Progress| Flow::Stop;
        let started = Instant::now();
        let result = l.fit_any(&data.view(), &Context { observer: Some(&stop), ..Context::default() });
        require!(started.elapsed() < PROMPT, "it went on for {:?}", started.elapsed());
        match result {
            Err(Error::Stopped(_)) => {}
            Err(e) => return Verdict::Fail(format!("it stopped with another error: {e}")),
            Ok(_) => return Verdict::Fail("it went on to the end".into()),
        }
    }
    Verdict::Pass
}

pub fn deadline_stops(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 20_000, 3, 1);
        let started = Instant::now();
        let result = l.fit_any(&data.view(), &Context { deadline: Some(started), ..Context::default() });
        require!(started.elapsed() < PROMPT, "it went on for {:?}", started.elapsed());
        match result {
            Err(Error::Deadline(_)) => {}
            Err(e) => return Verdict::Fail(format!("it stopped with another error: {e}")),
            Ok(m) => {
                let x = data.view().x;
                attempt!(outputs(&*m, &x), "the model of a passed deadline cannot be used");
                let unfinished = m.certificate().is_some_and(|c| !c.converged);
                require!(unfinished, "it returned a model after the deadline that does not say it is unfinished");
            }
        }
    }
    Verdict::Pass
}

pub fn save_and_load(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 150, 4, 2);
        let x = data.view().x;
        let model = attempt!(l.fit_any(&data.view(), &Context::default()), "fit");
        let kept = attempt!(model_arrays(&*model), "save");
        let again = attempt!(l.load_any(&kept.clone().into_reader()), "load");
        let (a, b) = (attempt!(outputs(&*model, &x), "predict"), attempt!(outputs(&*again, &x), "predict after load"));
        require!(bits(&a.numbers) == bits(&b.numbers), "numbers differ after load");
        require!(bits(&a.proba) == bits(&b.proba), "probabilities differ after load");
        require!(bits(&a.columns) == bits(&b.columns), "columns differ after load");
        require!(bits(&a.density) == bits(&b.density), "densities differ after load");
        require!(a.classes == b.classes && a.groups == b.groups, "classes or groups differ after load");
        require!(attempt!(model_arrays(&*again), "second save") == kept, "a loaded model stores other bytes");
    }
    Verdict::Pass
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

pub fn wrong_shapes(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 60, 3, 3);
        let model = attempt!(l.fit_any(&data.view(), &Context::default()), "fit");
        let narrow = synthetic::matrix(&data).view().col_range(0..2);
        require!(outputs(&*model, &Features::F64(narrow)).is_err(), "prediction on 2 of 3 columns is not refused");
        let none = synthetic::matrix(&data).view().row_range(0..0);
        attempt!(outputs(&*model, &Features::F64(none)), "prediction on no rows");
        require!(l.fit_any(&data.view().row_range(0..0), &Context::default()).is_err(), "a fit on no rows is not refused");
        if task.is_some() {
            let short = data.view().y.row_range(0..59);
            require!(l.fit_any(&data.view().with_target(short), &Context::default()).is_err(), "a short target is not refused");
            require!(
                l.fit_any(&data.view().with_target(Target::None), &Context::default()).is_err(),
                "a fit without target is not refused"
            );
        }
        if learner.spec().accepts.weights {
            for bad in [-1.0, f64::NAN, f64::INFINITY] {
                let mut w = vec![1.0; 60];
                w[7] = bad;
                require!(
                    l.fit_any(&data.view().with_weight(Some(&w)), &Context::default()).is_err(),
                    "weight {bad} is not refused"
                );
            }
            let zeros = vec![0.0; 60];
            require!(
                l.fit_any(&data.view().with_weight(Some(&zeros)), &Context::default()).is_err(),
                "all weights zero are not refused"
            );
        }
    }
    Verdict::Pass
}

pub fn probabilities(learner: &dyn AnyLearner) -> Verdict {
    let l = synthetic::prepare_learner(learner);
    let mut seen = false;
    for task in synthetic::tasks(learner) {
        let data = synthetic::data(learner, task, 200, 3, 4);
        let model = attempt!(l.fit_any(&data.view(), &Context::default()), "fit");
        let Some(c) = model.as_classifier() else { continue };
        seen = true;
        // Overflow shows in rows far outside the training data.
        let mut x = synthetic::matrix(&data).clone();
        x.as_mut_slice().iter_mut().take(60).for_each(|v| *v *= 1e6);
        let p = attempt!(c.proba(&Features::F64(x.view())), "proba");
        for i in 0..p.rows() {
            let sum: f64 = p.row(i).iter().sum();
            require!((sum - 1.0).abs() < 1e-12, "row {i}: the probabilities sum to {sum}");
            require!(p.row(i).iter().all(|v| (0.0..=1.0).contains(v)), "row {i}: {:?} are no probabilities", p.row(i));
        }
        let predicted = attempt!(c.classify(&Features::F64(x.view())), "classify");
        let both = attempt!(c.proba_and_class(&Features::F64(x.view())), "proba_and_class");
        require!(
            (&both.0, &both.1) == (&p, &predicted),
            "probabilities and classes found at once are others than those found one by one"
        );
        let logs = attempt!(c.log_proba(&Features::F64(x.view())), "log_proba");
        let worst = p.as_slice().iter().zip(logs.as_slice()).map(|(p, l)| (p - l.exp()).abs()).fold(0.0, f64::max);
        require!(worst < 1e-12, "probabilities and their logarithms differ by {worst}");
    }
    if seen { Verdict::Pass } else { Verdict::Skip("no classifier") }
}
