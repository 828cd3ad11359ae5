//! Bayes classifiers of mixtures.

use ermine_core::*;
use ermine_math::linalg::Cholesky;
use ermine_mixture::{ComponentCriterion, CovarianceType, GmmClassifier};

use super::{features, fixture, groups, target};

fn fit(learner: &GmmClassifier, x: &Mat<f64>, y: &OwnedTarget) -> Result<ermine_mixture::GmmClassifierModel> {
    learner.fit_with(&DatasetRef::new(features(x)).with_target(y.view()), &Context::default())
}

#[test]
fn one_component_a_class_is_quadratic_discriminant_analysis() {
    for (name, scale) in [("iris.csv.gz", 1.0), ("wine.csv.gz", 1.0), ("breast_cancer.csv.gz", 100.0)] {
        // A few columns of large numbers; the floor must not touch the narrow ones.
        let x = fixture(name);
        let p = x.cols().min(6);
        let x = Mat::from_fn(x.rows(), p, |i, j| scale * x[(i, j)]);
        let y = target(name);
        let (codes, names) = y.view().classes().unwrap();
        let learner = GmmClassifier { n_components: 1, choose: None, ..GmmClassifier::default() };
        let model = fit(&learner, &x, &y).unwrap();
        // In closed form: means, covariances with divisor n and shares of the classes.
        let k = names.len();
        let mut scores = Mat::zeros(x.rows(), k);
        for c in 0..k {
            let own: Vec<usize> = (0..x.rows()).filter(|&i| codes[i] as usize == c).collect();
            let n = own.len() as f64;
            let mean: Vec<f64> = (0..p).map(|j| own.iter().map(|&i| x[(i, j)]).sum::<f64>() / n).collect();
            let cov =
                Mat::from_fn(p, p, |a, b| own.iter().map(|&i| (x[(i, a)] - mean[a]) * (x[(i, b)] - mean[b])).sum::<f64>() / n);
            let factor = Cholesky::new(cov.view()).unwrap();
            for i in 0..x.rows() {
                let d: Vec<f64> = (0..p).map(|j| x[(i, j)] - mean[j]).collect();
                let mut s = d.clone();
                factor.solve_vec(&mut s);
                let square: f64 = d.iter().zip(&s).map(|(a, b)| a * b).sum();
                scores[(i, c)] = (n / x.rows() as f64).ln() - 0.5 * (square + factor.log_determinant());
            }
        }
        let (proba, logs) = (model.proba(&features(&x)).unwrap(), model.log_proba(&features(&x)).unwrap());
        let predictions = model.classify(&features(&x)).unwrap();
        for i in 0..x.rows() {
            let total = ermine_math::loss::log_sum_exp(scores.row(i));
            let best = argmax_rows(Mat::from_vec(1, k, scores.row(i).to_vec()).view())[0];
            assert_eq!(predictions[i], best, "{name} row {i}");
            for c in 0..k {
                let want = scores[(i, c)] - total;
                assert!((proba[(i, c)] - want.exp()).abs() < 1e-9, "{name} row {i}");
                assert!((logs[(i, c)] - want).abs() < 1e-7 * (1.0 + want.abs()), "{name} row {i}");
            }
        }
    }
}

#[test]
fn classes_of_two_bumps_have_two_components() {
    // The first class around the second: no quadratic border is right.
    let mut s = RngStream::new(5, "bumps", 0);
    let mut x = Mat::zeros(600, 2);
    let labels: Vec<&str> = (0..600).map(|i| if i % 3 == 1 { "inner" } else { "outer" }).collect();
    for i in 0..600 {
        x[(i, 0)] = [-4.0, 0.0, 4.0][i % 3] + 0.7 * s.normal();
        x[(i, 1)] = s.normal();
    }
    let y = OwnedTarget::from_labels(&labels);
    for choose in [ComponentCriterion::Bic, ComponentCriterion::Cv] {
        let model = fit(&GmmClassifier { n_components: 4, choose: Some(choose), ..GmmClassifier::default() }, &x, &y).unwrap();
        assert_eq!(model.classes(), ["inner", "outer"]);
        let components = [0, 1].map(|c| model.mixture(c).unwrap().components());
        // Rows held out may like one component more.
        assert!(components == [1, 2] || (choose == ComponentCriterion::Cv && components[1] >= 2), "{choose:?} {components:?}");
        let (codes, _) = y.view().classes().unwrap();
        let right = model.classify(&features(&x)).unwrap().iter().zip(codes).filter(|(a, b)| a == b).count();
        assert!(right > 590, "{right}");
        // The density of all classes together integrates to the shares: here, the mean over a grid.
        let step = 0.1;
        let grid =
            Mat::from_fn(
                200 * 120,
                2,
                |i, j| if j == 0 { -10.0 + (i / 120) as f64 * step } else { -6.0 + (i % 120) as f64 * step },
            );
        let mass: f64 = model.log_density(&features(&grid)).unwrap().iter().map(|d| d.exp() * step * step).sum();
        assert!((mass - 1.0).abs() < 1e-3, "{mass}");
    }
}

#[test]
fn priors_missing_cells_and_classes_without_rows() {
    let x = groups(300, 2, 2, 3.0, 51);
    let labels: Vec<&str> = (0..300).map(|i| if x[(i, 0)] > 0.0 { "b" } else { "a" }).collect();
    let y = OwnedTarget::from_labels(&labels);
    let even = GmmClassifier { priors: Some(vec![0.5, 0.5]), ..GmmClassifier::default() };
    let (shares, halves) = (fit(&GmmClassifier::default(), &x, &y).unwrap(), fit(&even, &x, &y).unwrap());
    assert_eq!(halves.class_prior(), [0.5, 0.5]);
    let (p, q) = (shares.proba(&features(&x)).unwrap(), halves.proba(&features(&x)).unwrap());
    for i in 0..300 {
        let want =
            p[(i, 0)] / shares.class_prior()[0] / (p[(i, 0)] / shares.class_prior()[0] + p[(i, 1)] / shares.class_prior()[1]);
        assert!((q[(i, 0)] - want).abs() < 1e-9);
    }
    // A row of which nothing is known has the prior; one with a cell missing is judged by the other.
    let unknown = Mat::from_vec(2, 2, vec![f64::NAN, f64::NAN, f64::NAN, x[(0, 1)]]);
    let p = shares.proba(&features(&unknown)).unwrap();
    (0..2).for_each(|c| assert!((p[(0, c)] - shares.class_prior()[c]).abs() < 1e-12));
    assert!((p.row(1).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // A name without rows is a class of probability 0.
    let OwnedTarget::Class { codes, .. } = &y else { unreachable!() };
    let three = OwnedTarget::Class { codes: codes.clone(), names: ["a", "b", "c"].map(String::from).to_vec() };
    let model = fit(&GmmClassifier::default(), &x, &three).unwrap();
    assert!(model.mixture(2).is_none());
    assert!(model.proba(&features(&x)).unwrap().view().col_iter(2).all(|v| v == 0.0));
    for (priors, word) in [(vec![0.4, 0.4], "sum to 1"), (vec![0.2, 0.3, 0.5], "2 classes and 3 priors")] {
        let e = fit(&GmmClassifier { priors: Some(priors), ..GmmClassifier::default() }, &x, &y).unwrap_err().to_string();
        assert!(e.contains("priors") && e.contains(word), "{e}");
    }
}

#[test]
fn one_row_a_class_is_fitted_at_the_floor_and_said_and_errors_name_the_class() {
    let x = Mat::from_vec(3, 2, vec![0.0, 0.0, 5.0, 5.0, 9.0, 0.0]);
    let y = OwnedTarget::from_labels(&["a", "b", "c"]);
    let model = fit(&GmmClassifier::default(), &x, &y).unwrap();
    assert_eq!(model.classify(&features(&x)).unwrap(), [0, 1, 2]);
    let notes = &model.certificate().unwrap().notes;
    assert!(notes.iter().any(|n| n.contains("class \"b\"") && n.contains("collapsed")), "{notes:?}");
    let e = fit(&GmmClassifier { reg_covar: 0.0, ..GmmClassifier::default() }, &x, &y).unwrap_err().to_string();
    assert!(e.contains("class \"a\"") && e.contains("reg_covar"), "{e}");
    let e = fit(&GmmClassifier { choose: None, n_components: 2, ..GmmClassifier::default() }, &x, &y).unwrap_err().to_string();
    assert!(e.contains("class \"a\"") && e.contains("1 rows"), "{e}");
    // A row beyond everything still has probabilities.
    let far = Mat::from_vec(1, 2, vec![1e300, -1e300]);
    let p = model.proba(&features(&far)).unwrap();
    assert!((p.as_slice().iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn a_model_that_was_read_says_the_same() {
    let x = groups(200, 3, 2, 3.0, 52);
    let labels: Vec<&str> = (0..200).map(|i| ["x", "y", "z"][i % 3]).collect();
    let y = OwnedTarget::from_labels(&labels);
    for kind in [CovarianceType::Full, CovarianceType::Diag] {
        let model = fit(&GmmClassifier { covariance_type: kind, ..GmmClassifier::default() }, &x, &y).unwrap();
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        let again = GmmClassifier::load(&out.clone().into_reader()).unwrap();
        assert_eq!(again.proba(&features(&x)).unwrap(), model.proba(&features(&x)).unwrap());
        assert_eq!(Density::n_parameters(&again), Density::n_parameters(&model));
        out.vec("class_prior", &[0.5, 0.5, -0.1]);
        assert!(GmmClassifier::load(&out.into_reader()).is_err());
    }
}
