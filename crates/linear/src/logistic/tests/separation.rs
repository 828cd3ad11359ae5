//! Data without a maximum of the likelihood: proofs, directions, margins; standard errors where there is one.

use ermine_math::linalg::Cholesky;

use super::*;

fn free(solver: LogisticSolver) -> Logistic {
    Logistic { penalty: PenaltyKind::None, solver, ..Logistic::default() }
}

/// The least lead that rows have along the direction of a model, written out.
fn least_lead(design: &Design, separation: &Separation) -> f64 {
    let OwnedTarget::Class { codes, .. } = &design.y else { unreachable!() };
    let v = separation.coef.rows();
    let score = |i: usize, c: usize| {
        separation.intercept[c] + separation.coef.row(c).iter().zip(design.x.row(i)).map(|(w, x)| w * x).sum::<f64>()
    };
    let mut least = f64::INFINITY;
    for (i, &own) in codes.iter().enumerate() {
        for other in (0..v.max(2) as u32).filter(|&k| k != own) {
            let lead = if v == 1 {
                score(i, 0) * if own == 1 { 1.0 } else { -1.0 }
            } else {
                score(i, own as usize) - score(i, other as usize)
            };
            least = least.min(lead);
        }
    }
    least
}

#[test]
fn a_direction_proves_that_classes_are_separable() {
    // Two clouds, a gap of 2 between them; the widest margin is 1.
    let mut s = RngStream::new(51, "clouds", 0);
    let x = Mat::from_fn(200, 2, |i, j| {
        if j == 0 { (if i < 100 { -1.0 - s.uniform() } else { 1.0 + s.uniform() }) + 3.0 } else { s.normal() }
    });
    let labels: Vec<String> = (0..200).map(|i| if i < 100 { "a" } else { "b" }.into()).collect();
    let two = Design { names: Vec::new(), x, y: OwnedTarget::from_labels(&labels) };
    // Three clouds around the origin.
    let angle = |i: usize| (i % 3) as f64 * std::f64::consts::TAU / 3.0;
    let x = Mat::from_fn(90, 2, |i, j| 5.0 * if j == 0 { angle(i).cos() } else { angle(i).sin() } + 0.5 * s.normal());
    let labels: Vec<String> = (0..90).map(|i| format!("c{}", i % 3)).collect();
    let three = Design { names: Vec::new(), x, y: OwnedTarget::from_labels(&labels) };
    for (design, widest) in [(&two, Some(1.0)), (&three, None)] {
        for solver in
            [LogisticSolver::Newton, LogisticSolver::Lbfgs, LogisticSolver::Gd, LogisticSolver::Saga, LogisticSolver::Cd]
        {
            let model = design.fit(&free(solver));
            let certificate = model.certificate().unwrap();
            assert!(certificate.notes.iter().any(|n| n.starts_with("separable:")), "{solver:?}: {certificate:?}");
            // The infimum is 0; to have come near it is what converged means here, whatever the solver.
            let near = certificate.objective.unwrap() <= 1e-4 * design.x.rows() as f64;
            assert_eq!(certificate.converged, near, "{solver:?}: {certificate:?}");
            assert!(near || matches!(solver, LogisticSolver::Gd | LogisticSolver::Saga), "{solver:?}: {certificate:?}");
            assert!(model.standard_errors().is_none());
            let separation = model.separation().unwrap();
            let norm: f64 = separation.coef.as_slice().iter().map(|w| w * w).sum();
            assert!(separation.complete && (norm - 1.0).abs() < 1e-12);
            let lead = least_lead(design, separation);
            assert!(
                lead > 0.0 && separation.margin > 0.0 && separation.margin <= lead * (1.0 + 1e-9),
                "{lead} {}",
                separation.margin
            );
            if let Some(widest) = widest {
                assert!(lead <= 1.05 * widest && lead > 0.3 * widest, "{solver:?}: {lead}");
            }
            let kept = stored(&model);
            let again = Logistic::load(&kept.clone().into_reader()).unwrap();
            assert_eq!((again.separation(), stored(&again)), (model.separation(), kept));
            assert!(model.report(&Schema::default()).sections.len() > 1);
        }
    }
}

#[test]
fn a_separable_fit_that_ran_out_of_steps_does_not_claim_to_have_converged() {
    let x = Mat::from_fn(40, 1, |i, _| if i < 20 { -1.0 - i as f64 } else { i as f64 - 18.0 });
    let labels: Vec<String> = (0..40).map(|i| if i < 20 { "a" } else { "b" }.into()).collect();
    let design = Design { names: Vec::new(), x, y: OwnedTarget::from_labels(&labels) };
    for solver in [
        LogisticSolver::Newton,
        LogisticSolver::Lbfgs,
        LogisticSolver::Gd,
        LogisticSolver::Sgd,
        LogisticSolver::Saga,
        LogisticSolver::Cd,
    ] {
        for (max_iter, tol) in [(1, 1e-4), (20_000, 1e-2)] {
            let model = design.fit(&Logistic { max_iter, tol, ..free(solver) });
            let certificate = model.certificate().unwrap();
            assert!(max_iter == 1 || model.separation().is_some_and(|s| s.complete), "{solver:?} {max_iter}");
            assert_eq!(
                certificate.converged,
                certificate.objective.unwrap() <= tol * 40.0,
                "{solver:?} {max_iter}: {certificate:?}"
            );
            assert_eq!(certificate.converged, max_iter > 1, "{solver:?} {max_iter}: {certificate:?}");
        }
    }
}

#[test]
fn a_direction_proves_that_classes_are_separable_in_part() {
    for classes in [2, 3] {
        // One level of a category has only one class; elsewhere classes overlap.
        let mut s = RngStream::new(52, "part", 0);
        let x = Mat::from_fn(300, 3, |i, j| if j == 1 { f64::from(u8::from(i % 10 == 0)) } else { s.normal() + 5.0 * j as f64 });
        let labels: Vec<String> =
            (0..300).map(|i| if i % 10 == 0 { "c0".into() } else { format!("c{}", s.below(classes)) }).collect();
        let design = Design { names: Vec::new(), x, y: OwnedTarget::from_labels(&labels) };
        let model = design.fit(&free(LogisticSolver::Auto));
        let certificate = model.certificate().unwrap();
        assert!(certificate.notes.iter().any(|n| n.starts_with("separable in part:")), "{certificate:?}");
        let separation = model.separation().unwrap();
        assert!(!separation.complete && separation.margin == 0.0);
        assert!(least_lead(&design, separation) > -1e-7, "{}", least_lead(&design, separation));
        // It is the weight of the level that grows.
        let of_level: f64 = (0..separation.coef.rows()).map(|c| separation.coef[(c, 1)].powi(2)).sum();
        assert!(of_level > 0.99, "{:?}", separation.coef);
        assert!(model.coef().as_slice().iter().all(|w| w.is_finite()) && model.standard_errors().is_none());
    }
    // Overlap everywhere: nothing to prove.
    let model = random(300, 3, 2, 53).fit(&free(LogisticSolver::Auto));
    assert!(model.separation().is_none() && model.certificate().unwrap().notes.is_empty());
}

#[test]
fn standard_errors_of_several_classes_are_those_of_the_information_matrix() {
    for intercept in [true, false] {
        let mut design = random(400, 3, 3, 54);
        design.x = Mat::from_fn(400, 3, |i, j| design.x[(i, j)] * [1.0, 10.0, 0.1][j] + [0.0, 3.0, 1.0][j]);
        let model = design.fit(&Logistic { fit_intercept: intercept, ..free(LogisticSolver::Newton) });
        let errors = model.standard_errors().unwrap();
        // The information about the classes less the last, which has weights 0, written out.
        let (q, p) = (3 + usize::from(intercept), model.proba(&design.data().x).unwrap());
        let cell = |i: usize, j: usize| if j < 3 { design.x[(i, j)] } else { 1.0 };
        let information = Mat::from_fn(2 * q, 2 * q, |r, s| {
            let (a, b) = (r / q, s / q);
            let curve = |i: usize| p[(i, a)] * (f64::from(u8::from(a == b)) - p[(i, b)]);
            (0..400).map(|i| curve(i) * cell(i, r % q) * cell(i, s % q)).sum()
        });
        let covariance = Cholesky::new(information.view()).unwrap().inverse();
        for c in 0..3 {
            for j in 0..q {
                // Weights less their mean over classes, from those less that of the last.
                let factor = |k: usize| f64::from(u8::from(k == c)) - 1.0 / 3.0;
                let variance: f64 = (0..2)
                    .flat_map(|a| (0..2).map(move |b| (a, b)))
                    .map(|(a, b)| factor(a) * factor(b) * covariance[(a * q + j, b * q + j)])
                    .sum();
                let got = if j < 3 { errors.coef[(c, j)] } else { errors.intercept.as_ref().unwrap()[c] };
                assert!((got - variance.sqrt()).abs() < 1e-7 * variance.sqrt(), "{c} {j}: {got} {}", variance.sqrt());
            }
        }
        assert_eq!(model.report(&Schema::default()).sections.len(), 3);
        let again = Logistic::load(&stored(&model).into_reader()).unwrap();
        assert_eq!(again.standard_errors(), model.standard_errors());
    }
}
