//! Joint fits of several settings: each model must be that of a single fit.

use std::collections::BTreeMap;

use ermine_core::{AnyLearner, Context, ModelWriter};

use crate::compare::model_arrays;
use crate::leave_out::{forms, settings};
use crate::{Verdict, attempt, require, synthetic};

pub fn joint_fits(learner: &dyn AnyLearner) -> Verdict {
    let mut base = learner.boxed();
    // Few trees suffice.
    let _ = base.set("n_estimators", 5.into());
    let mut by_key: BTreeMap<String, Vec<Box<dyn AnyLearner>>> = BTreeMap::new();
    for l in settings(&*base) {
        if let Some(key) = l.joint_key() {
            by_key.entry(key).or_default().push(l);
        }
    }
    if by_key.values().all(|settings| settings.len() < 2) {
        return Verdict::Skip("its settings are fitted one by one");
    }
    let cx = Context::seeded(3);
    for task in synthetic::tasks(learner) {
        for (form, data) in forms(learner, task, 120) {
            let data = data.view();
            for settings in by_key.values() {
                // Some settings are invalid for this target, and a joint fit with an invalid one fails.
                let alone = |l: &dyn AnyLearner| l.fit_any(&data, &cx).and_then(|m| model_arrays(&*m));
                let (allowed, expected): (Vec<&dyn AnyLearner>, Vec<ModelWriter>) =
                    settings.iter().filter_map(|l| Some((&**l, alone(&**l).ok()?))).unzip();
                let Some(first) = allowed.first() else { continue };
                let mut models = vec![None; allowed.len()];
                let fitted = first.fit_joint(&allowed, &data, &cx, &mut |k, model| {
                    models[k] = Some(model_arrays(&*model)?);
                    Ok(())
                });
                attempt!(fitted, format!("joint fit to {form}"));
                for ((l, expected), models) in allowed.iter().zip(expected).zip(models) {
                    require!(models == Some(expected), "{form}, with {}: a joint fit stores other bytes", l.params());
                }
            }
        }
    }
    Verdict::Pass
}
