//! Every penalty: reference values, optimality at the returned point, exact zeros.

use super::*;

/// The gradient of the plain sum of losses by weights and intercepts, written out.
fn gradient(design: &Design, model: &LogisticModel, weight: Option<&[f64]>) -> (Mat<f64>, Vec<f64>) {
    let OwnedTarget::Class { codes, .. } = &design.y else { unreachable!() };
    let p = model.proba(&design.data().x).unwrap();
    let v = model.coef().rows();
    let residual = |i: usize, c: usize| {
        let class = if v == 1 { 1 } else { c };
        weight.map_or(1.0, |w| w[i]) * (p[(i, class)] - f64::from(u8::from(codes[i] as usize == class)))
    };
    let n = design.x.rows();
    let by_weight = Mat::from_fn(v, design.x.cols(), |c, j| (0..n).map(|i| residual(i, c) * design.x[(i, j)]).sum());
    (by_weight, (0..v).map(|c| (0..n).map(|i| residual(i, c)).sum()).collect())
}

/// Asserts the optimality conditions of C loss + r |W| + (1 - r) / 2 |W|², to `tol` of the number of rows.
pub fn assert_optimal(design: &Design, model: &LogisticModel, learner: &Logistic, weight: Option<&[f64]>, tol: f64) {
    let (by_weight, by_intercept) = gradient(design, model, weight);
    let ElasticPenalty { l1, l2 } = learner.elastic_penalty();
    let scale = tol * design.x.rows() as f64;
    for (g, w) in by_weight.as_slice().iter().zip(model.coef().as_slice()) {
        let slope = g + l2 * w;
        match w {
            w if *w == 0.0 => assert!(slope.abs() <= l1 + scale, "{learner:?}: slope {slope} at 0, l1 = {l1}"),
            w => assert!((slope + l1 * w.signum()).abs() <= scale, "{learner:?}: slope {slope} at {w}, l1 = {l1}"),
        }
    }
    if learner.fit_intercept {
        assert!(by_intercept.iter().all(|g| g.abs() <= scale), "{learner:?}: {by_intercept:?}");
    }
}

#[test]
fn sparse_fits_have_the_reference_weights_and_exact_zeros() {
    let book = reference();
    let cancer = standardized_set("breast_cancer", 30);
    for id in ["logit_l1_breast_cancer_1", "logit_l1_breast_cancer_5", "logit_l1_breast_cancer_20"] {
        let case = &book[id];
        let lambda = case["params"]["lambda"].as_f64().unwrap();
        let learner = Logistic { penalty: PenaltyKind::L1, c: Some(1.0 / lambda), ..Logistic::default() };
        let model = cancer.fit(&learner);
        let certificate = model.certificate().unwrap();
        assert!(certificate.converged && certificate.method == "cd", "{certificate:?}");
        assert!(certificate.duality_gap.unwrap() < 1e-9 * certificate.objective.unwrap(), "{certificate:?}");
        assert_close(model.intercept(), case, "intercept");
        assert_close(model.coef().as_slice(), case, "coef");
        assert_close(&[certificate.objective.unwrap() * lambda], case, "objective");
        let expected = floats(&case["expected"]["coef"]);
        for (g, e) in model.coef().as_slice().iter().zip(expected) {
            assert_eq!(*g == 0.0, e == 0.0, "{id}: {g} where {e} is right");
        }
        assert_optimal(&cancer, &model, &learner, None, 1e-9);
    }
}

#[test]
fn every_penalty_is_optimal_at_the_returned_point() {
    for (classes, cols, seed) in [(2, 12, 21), (3, 8, 22), (5, 4, 23)] {
        let design = random(400, cols, classes, seed);
        let weight: Vec<f64> = (0..400).map(|i| (i % 4) as f64 * 0.5).collect();
        for fit_intercept in [true, false] {
            for (penalty, l1_ratio) in [
                (PenaltyKind::None, None),
                (PenaltyKind::L2, None),
                (PenaltyKind::L1, None),
                (PenaltyKind::ElasticNet, Some(0.3)),
                (PenaltyKind::ElasticNet, Some(0.9)),
                (PenaltyKind::L2, Some(1.0)),
            ] {
                for c in [0.02, 1.0] {
                    let learner = Logistic {
                        penalty,
                        l1_ratio,
                        c: Some(c),
                        fit_intercept,
                        solver: LogisticSolver::Cd,
                        ..Logistic::default()
                    };
                    let model = design.fit(&learner);
                    assert!(model.certificate().unwrap().converged, "{learner:?}: {:?}", model.certificate());
                    assert_optimal(&design, &model, &learner, None, 1e-8);
                    let weighted = design.data().with_weight(Some(&weight));
                    let model = learner.fit_with(&weighted, &Context::default()).unwrap();
                    assert_optimal(&design, &model, &learner, Some(&weight), 1e-8);
                }
            }
        }
    }
}

/// More stored values than the solver takes to the last digit, so that `tol` decides.
#[test]
fn a_fit_ends_when_the_gap_proves_what_tol_asks_for() {
    let (rows, cols, each) = (40_000, 3000, 60);
    let mut s = RngStream::new(3, "gap", 0);
    let truth: Vec<f64> = (0..cols).map(|_| if s.below(20) == 0 { 2.0 * s.normal() } else { 0.0 }).collect();
    let (mut indptr, mut indices, mut values, mut labels) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let mut row: Vec<u32> = (0..each).map(|_| s.below(cols) as u32).collect();
        row.sort_unstable();
        row.dedup();
        let score: f64 = row.iter().map(|&j| truth[j as usize]).sum();
        labels.push(if s.normal() < score { "yes" } else { "no" });
        values.resize(values.len() + row.len(), 1.0);
        indices.extend(row);
        indptr.push(indices.len());
    }
    let x = Csr::new(indptr, indices, values, cols).unwrap();
    let y = OwnedTarget::from_labels(&labels);
    let data = DatasetRef::new(Features::Csr(x.view())).with_target(y.view());
    let mut last = f64::INFINITY;
    for tol in [1e-2, 1e-3, 1e-4] {
        let learner = Logistic { penalty: PenaltyKind::L1, c: Some(0.2), tol, ..Logistic::default() };
        let model = learner.fit_with(&data, &Context::default()).unwrap();
        let certificate = model.certificate().unwrap();
        let (objective, gap) = (certificate.objective.unwrap(), certificate.duality_gap.unwrap());
        assert!(certificate.converged && gap <= 50.0 * tol * tol * objective, "tol {tol}: {certificate:?}");
        assert!(objective <= last, "tol {tol}: {objective} after {last}");
        last = objective;
    }
}
