//! Missing cells: integrated over in a fit, filled in by their conditional means.

use ermine_core::*;
use ermine_math::linalg::Cholesky;
use ermine_mixture::{CovarianceType, Gmm};

use super::{features, fit, groups, objective};

fn with_holes(x: &Mat<f64>, share: f64, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "holes", 0);
    Mat::from_fn(x.rows(), x.cols(), |i, j| if s.uniform() < share { f64::NAN } else { x[(i, j)] })
}

/// ln N of the cells that are there.
fn marginal(x: &[f64], mean: &[f64], covariance: &Mat<f64>) -> f64 {
    let seen: Vec<usize> = (0..x.len()).filter(|&j| !x[j].is_nan()).collect();
    if seen.is_empty() {
        return 0.0;
    }
    let own = Mat::from_fn(seen.len(), seen.len(), |i, j| covariance[(seen[i], seen[j])]);
    let factor = Cholesky::new(own.view()).unwrap();
    let d: Vec<f64> = seen.iter().map(|&j| x[j] - mean[j]).collect();
    let mut s = d.clone();
    factor.solve_vec(&mut s);
    -0.5 * (d.iter().zip(&s).map(|(a, b)| a * b).sum::<f64>()
        + factor.log_determinant()
        + seen.len() as f64 * std::f64::consts::TAU.ln())
}

#[test]
fn one_gaussian_with_missing_cells_is_at_the_top_of_its_likelihood() {
    let x = with_holes(&groups(120, 3, 1, 1.0, 21), 0.25, 1);
    let model = fit(&Gmm { tol: 1e-13, max_iter: 20_000, reg_covar: 0.0, ..Gmm::default() }, &x).unwrap();
    assert!(model.certificate().unwrap().converged);
    let likelihood = |mean: &[f64], c: &Mat<f64>| (0..120).map(|i| marginal(x.row(i), mean, c)).sum::<f64>();
    let (mean, c) = (model.means().row(0).to_vec(), model.covariances().matrix(0, 3));
    let top = likelihood(&mean, &c);
    assert!((model.log_likelihood() - top).abs() < 1e-9 * top.abs());
    // No derivative is left in any direction.
    let h = 1e-4;
    for j in 0..3 {
        let at = |d: f64| {
            let mut m = mean.clone();
            m[j] += d;
            likelihood(&m, &c)
        };
        assert!(((at(h) - at(-h)) / (2.0 * h)).abs() < 2e-3, "mean {j}");
        for k in 0..=j {
            let at = |d: f64| {
                let mut c = c.clone();
                c[(j, k)] += d;
                c[(k, j)] = c[(j, k)];
                likelihood(&mean, &c)
            };
            assert!(((at(h) - at(-h)) / (2.0 * h)).abs() < 2e-3, "covariance ({j}, {k})");
        }
    }
}

#[test]
fn mixtures_of_rows_with_holes_are_near_those_of_whole_rows() {
    let x = groups(3000, 3, 2, 5.0, 22);
    let holes = with_holes(&x, 0.2, 2);
    for kind in [CovarianceType::Full, CovarianceType::Tied, CovarianceType::Diag, CovarianceType::Spherical] {
        let learner = Gmm { n_components: 2, covariance_type: kind, tol: 1e-7, max_iter: 500, ..Gmm::default() };
        let (whole, part) = (fit(&learner, &x).unwrap(), fit(&learner, &holes).unwrap());
        let swap = (whole.means()[(0, 0)] - part.means()[(0, 0)]).abs() > (whole.means()[(0, 0)] - part.means()[(1, 0)]).abs();
        for c in 0..2 {
            let other = if swap { 1 - c } else { c };
            assert!((whole.weights()[c] - part.weights()[other]).abs() < 0.03, "{kind:?}");
            for j in 0..3 {
                let sd = whole.covariances().matrix(c, 3)[(j, j)].sqrt();
                assert!((whole.means()[(c, j)] - part.means()[(other, j)]).abs() < 0.15 * sd, "{kind:?}");
                let ratio = part.covariances().matrix(other, 3)[(j, j)].sqrt() / sd;
                assert!((ratio - 1.0).abs() < 0.1, "{kind:?}: {ratio}");
            }
        }
        assert!(part.certificate().unwrap().notes.iter().any(|n| n.contains("lack cells")));
        let course = objective(&part);
        assert!(course.windows(2).all(|w| w[1] >= w[0] - 1e-10 * w[0].abs()));
    }
}

#[test]
fn rows_without_any_cell_and_rows_without_weight_change_nothing() {
    let x = groups(100, 2, 2, 4.0, 23);
    let mut more = x.clone();
    more.append_rows(Mat::filled(5, 2, f64::NAN));
    let learner = Gmm { n_components: 2, tol: 1e-9, max_iter: 500, ..Gmm::default() };
    let (a, b) = (fit(&learner, &x).unwrap(), fit(&learner, &more).unwrap());
    assert!((a.log_likelihood() - b.log_likelihood()).abs() < 1e-8 * a.log_likelihood().abs());
    let mut far = x.clone();
    far.append_rows(Mat::from_vec(1, 2, vec![f64::NAN, 1e9]));
    let mut w = vec![1.0; 101];
    w[100] = 0.0;
    let c = learner.fit_with(&DatasetRef::new(features(&far)).with_weight(Some(&w)), &Context::default()).unwrap();
    assert!((a.log_likelihood() - c.log_likelihood()).abs() < 1e-8 * a.log_likelihood().abs());
    // A column of which nothing is known cannot be learned.
    let none = Mat::from_fn(20, 2, |i, j| if j == 1 { f64::NAN } else { i as f64 });
    assert!(fit(&Gmm::default(), &none).unwrap_err().to_string().contains("column"));
}

#[test]
fn missing_cells_are_filled_in_with_their_conditional_means() {
    let x = groups(500, 3, 2, 6.0, 24);
    let model = fit(&Gmm { n_components: 2, tol: 1e-8, max_iter: 500, ..Gmm::default() }, &x).unwrap();
    let holes = with_holes(&x, 0.3, 3);
    let filled = model.impute(&features(&holes)).unwrap();
    for i in 0..500 {
        let row = holes.row(i);
        let seen: Vec<usize> = (0..3).filter(|&j| !row[j].is_nan()).collect();
        let joint: Vec<f64> = (0..2)
            .map(|c| model.weights()[c].ln() + marginal(row, model.means().row(c), &model.covariances().matrix(c, 3)))
            .collect();
        let total = ermine_math::loss::log_sum_exp(&joint);
        for j in 0..3 {
            if !row[j].is_nan() {
                assert_eq!(filled[(i, j)], row[j]);
                continue;
            }
            // E[xⱼ | seen] = Σₖ p(k | seen) (μⱼ + Σⱼₛ Σₛₛ⁻¹ (seen - μₛ)).
            let mut want = 0.0;
            for c in 0..2 {
                let (mean, cov) = (model.means().row(c), model.covariances().matrix(c, 3));
                let mut expected = mean[j];
                if !seen.is_empty() {
                    let own = Mat::from_fn(seen.len(), seen.len(), |a, b| cov[(seen[a], seen[b])]);
                    let mut s: Vec<f64> = seen.iter().map(|&s| row[s] - mean[s]).collect();
                    Cholesky::new(own.view()).unwrap().solve_vec(&mut s);
                    expected += seen.iter().zip(&s).map(|(&a, v)| cov[(j, a)] * v).sum::<f64>();
                }
                want += (joint[c] - total).exp() * expected;
            }
            assert!((filled[(i, j)] - want).abs() < 1e-9 * (1.0 + want.abs()), "row {i}, column {j}");
        }
        let density = model.log_density(&Features::F64(MatRef::row_major(row, 1, 3))).unwrap()[0];
        assert!((density - total).abs() < 1e-9 * (1.0 + total.abs()));
    }
    // Better than the means of the columns, which know nothing of the row.
    let mut errors = [0.0, 0.0];
    for j in 0..3 {
        let present: Vec<f64> = (0..500).map(|i| holes[(i, j)]).filter(|v| !v.is_nan()).collect();
        let mean = present.iter().sum::<f64>() / present.len() as f64;
        for i in (0..500).filter(|&i| holes[(i, j)].is_nan()) {
            errors[0] += (x[(i, j)] - filled[(i, j)]).powi(2);
            errors[1] += (x[(i, j)] - mean).powi(2);
        }
    }
    assert!(errors[0] < 0.5 * errors[1], "{errors:?}");
}

#[test]
fn tables_say_what_is_missing_as_matrices_do() {
    let x = with_holes(&groups(150, 2, 2, 4.0, 25), 0.1, 4);
    let columns = (0..2).map(|j| (format!("c{j}"), Column::numbers(x.view().col_iter(j).collect())));
    let table = Table::new(columns).unwrap();
    let learner = Gmm { n_components: 2, ..Gmm::default() };
    let a = fit(&learner, &x).unwrap();
    let b = learner.fit_with(&DatasetRef::new(Features::Table(table.view())), &Context::default()).unwrap();
    assert_eq!(a.mixture(), b.mixture());
    assert_eq!(a.posterior(&features(&x)).unwrap(), b.posterior(&Features::Table(table.view())).unwrap());
    assert_eq!(a.impute(&features(&x)).unwrap(), b.impute(&Features::Table(table.view())).unwrap());
}
