//! AdaBoost.R2 for regression.

use ermine_core::{Certificate, Context, DatasetRef, Error, Progress, Result, Task, Trace};
use ermine_tree::stump_boosting::IntegerWeights;

use super::model::{AdaBoostModel, WeakModels};
use super::{AdaBoost, train};
use crate::ensemble::member;
use crate::pipeline::PipelineStep;

/// Each learner trains on all rows with weights; rows that it predicts well lose weight by `beta^(1 - loss)` with
/// `beta = e / (1 - e)`, e the weighted mean of the losses, and its vote is `-log beta`.
pub(super) fn fit(learner: &AdaBoost, stage: &PipelineStep, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<AdaBoostModel> {
    let y = data.y.reals()?;
    let kept = member::rows_with_weight(data);
    let sample_weight: Option<Vec<f64>> = data.weight.map(|w| kept.iter().map(|&i| w[i]).collect());
    let sum = sample_weight.as_ref().map_or(kept.len() as f64, |w| w.iter().sum());
    let mut logs = vec![0.0; kept.len()];
    let (mut models, mut vote, mut error) = (Vec::new(), Vec::new(), Vec::new());
    let mut trace = Trace::new(&["round", "learners", "error", "vote", "largest"]);
    let mut notes = Vec::new();
    let mut converged = true;
    for round in 0..learner.n_estimators as usize {
        cx.report(Progress { stage: "boosting", done: round as u64, total: Some(learner.n_estimators), objective: None })?;
        if cx.deadline_passed() && !models.is_empty() {
            notes.push(format!("the time limit passed after {round} rounds"));
            converged = false;
            break;
        }
        let steps = IntegerWeights::new(sample_weight.as_deref(), &logs);
        let mut weight = vec![0.0; data.rows()];
        kept.iter().zip(steps.weights(sum)).for_each(|(&i, w)| weight[i] = w);
        let model = match train(stage, data, &weight, round, cx) {
            Err(Error::Deadline(_)) if !models.is_empty() => {
                notes.push(format!("the time limit passed in round {}", round + 1));
                converged = false;
                break;
            }
            other => other?,
        };
        let predicted =
            model.as_regressor().ok_or_else(|| Error::Data("the base does not predict numbers".into()))?.predict(&data.x)?;
        let mut cost: Vec<f64> = kept.iter().map(|&i| (y.at(i, 0) - predicted[(i, 0)]).abs()).collect();
        let largest = cost.iter().zip(steps.all()).filter(|(_, s)| **s > 0).map(|(c, _)| *c).fold(0.0, f64::max);
        if !largest.is_finite() {
            return Err(Error::Numeric("a residual is not a finite number; the target is too large to be squared".into()));
        }
        if largest > 0.0 {
            cost.iter_mut().for_each(|c| *c /= largest);
        }
        match learner.loss.as_str() {
            "square" => cost.iter_mut().for_each(|c| *c *= *c),
            "exponential" => cost.iter_mut().for_each(|c| *c = -(-*c).exp_m1()),
            _ => {}
        }
        let e = cost.iter().zip(steps.all()).map(|(c, &s)| s as f64 / steps.total() as f64 * c).sum::<f64>();
        if e >= 0.5 && !models.is_empty() {
            notes.push(format!("round {}: the weighted mean loss is {e:.4}, at least 0.5, and boosting ended", round + 1));
            break;
        }
        // The first learner is always kept: there must be one.
        let end = e <= 0.0 || e >= 0.5;
        let v = if end { 1.0 } else { learner.learning_rate * ((1.0 - e) / e).ln() };
        models.push(model);
        vote.push(v);
        error.push(e);
        trace.push(&[(round + 1) as f64, models.len() as f64, e, v, largest]);
        if end {
            break;
        }
        // Rows of large loss stay heavy: the others lose by beta^(1 - loss), with beta < 1.
        logs.iter_mut().zip(&cost).for_each(|(log, c)| *log -= (1.0 - c.min(1.0)) * v);
    }
    let certificate = Certificate {
        method: format!("AdaBoost.R2, {}", learner.loss),
        iterations: models.len() as u64,
        converged,
        notes,
        ..Certificate::default()
    };
    Ok(AdaBoostModel {
        task: Task::Regression,
        classes: Vec::new(),
        n_features: data.cols(),
        real: false,
        smooth: 0.0,
        learners: WeakModels::Models(stage.clone(), models),
        vote,
        error,
        margins: Vec::new(),
        trace,
        certificate,
    })
}
