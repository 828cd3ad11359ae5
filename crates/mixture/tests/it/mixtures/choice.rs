//! The number of components.

use ermine_core::*;
use ermine_mixture::{ComponentCriterion, CovarianceType, Gmm};

use super::{features, fit, fixture, groups};

#[test]
fn information_criteria_are_those_of_the_formulas() {
    let x = fixture("iris.csv.gz");
    for (kind, want) in [
        (CovarianceType::Full, 3 * 10 + 12 + 2),
        (CovarianceType::Tied, 10 + 12 + 2),
        (CovarianceType::Diag, 12 + 12 + 2),
        (CovarianceType::Spherical, 3 + 12 + 2),
        (CovarianceType::TiedSpherical, 1 + 12 + 2),
    ] {
        let model = fit(&Gmm { n_components: 3, covariance_type: kind, ..Gmm::default() }, &x).unwrap();
        assert_eq!(model.n_parameters(), want, "{kind:?}");
        let ll: f64 = model.log_density(&features(&x)).unwrap().iter().sum();
        assert!((model.log_likelihood() - ll).abs() < 1e-9 * ll.abs());
        assert!((model.bic() - (want as f64 * 150f64.ln() - 2.0 * ll)).abs() < 1e-7);
        assert!((model.aic() - (2.0 * want as f64 - 2.0 * ll)).abs() < 1e-7);
    }
    let equal = fit(&Gmm { n_components: 3, equal_weights: true, ..Gmm::default() }, &x).unwrap();
    assert_eq!(equal.n_parameters(), 42);
    assert_eq!(equal.weights(), [1.0 / 3.0; 3]);
}

#[test]
fn every_rule_finds_the_number_of_groups() {
    let x = groups(900, 2, 3, 9.0, 31);
    for choose in [ComponentCriterion::Bic, ComponentCriterion::Aic, ComponentCriterion::Cv] {
        let learner = Gmm { n_components: 6, choose: Some(choose), n_init: 4, tol: 1e-5, max_iter: 300, ..Gmm::default() };
        let model = fit(&learner, &x).unwrap();
        let k = model.mixture().components();
        // The lesser charges may like one component more.
        assert!(k == 3 || (choose != ComponentCriterion::Bic && k == 4), "{choose:?}: {k}");
        let table = model.choice();
        assert_eq!(table.iter().map(|c| c.components).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        match choose {
            ComponentCriterion::Cv => {
                let best = table.iter().max_by(|a, b| a.held_out.unwrap().total_cmp(&b.held_out.unwrap())).unwrap();
                assert_eq!(best.components, k);
                assert!(table.iter().all(|c| c.bic.is_none()));
            }
            ComponentCriterion::Bic => {
                let best = table.iter().min_by(|a, b| a.bic.unwrap().total_cmp(&b.bic.unwrap())).unwrap();
                assert_eq!((best.components, best.bic.unwrap()), (k, model.bic()));
            }
            ComponentCriterion::Aic => assert!(table.iter().all(|c| c.aic.unwrap() >= model.aic())),
        }
    }
    // Old Faithful has two.
    let model = fit(
        &Gmm { n_components: 5, choose: Some(ComponentCriterion::Bic), n_init: 3, ..Gmm::default() },
        &fixture("old_faithful.csv.gz"),
    );
    assert_eq!(model.unwrap().mixture().components(), 2);
}

#[test]
fn what_is_held_out_is_not_learned_from() {
    // By hand: the folds are a function of the rows, so a fit on the others must say the same of those held out. With one component
    // the fit is closed form.
    let x = groups(400, 2, 1, 1.0, 33);
    let learner = Gmm { n_components: 1, choose: Some(ComponentCriterion::Cv), folds: 4, reg_covar: 0.0, ..Gmm::default() };
    let model = fit(&learner, &x).unwrap();
    let held_out = model.choice()[0].held_out.unwrap();
    let training = model.log_likelihood() / 400.0;
    // Leaving a quarter out costs about p(p+3)/2 / (2 n) each way: small, and never a gain.
    assert!(held_out < training && held_out > training - 0.1, "{held_out} {training}");
    // The result of the choice is a fit to all rows.
    let all = fit(&Gmm { n_components: 1, reg_covar: 0.0, ..Gmm::default() }, &x).unwrap();
    assert!((all.log_likelihood() - model.log_likelihood()).abs() < 1e-9 * all.log_likelihood().abs());
    // More components than rows are not tried.
    let few = groups(3, 1, 1, 1.0, 34);
    let model = fit(&Gmm { n_components: 9, choose: Some(ComponentCriterion::Bic), ..Gmm::default() }, &few).unwrap();
    assert_eq!(model.choice().len(), 3);
}
