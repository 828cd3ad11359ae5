//! Bayes risks of ten laws against closed forms or brute-force sums, and the tests of Neyman and Pearson.

use ermine_core::{Mat, RngStream};

use super::*;
use crate::probability::{Distribution, Exponential, Gaussian};

fn phi(z: f64) -> f64 {
    Gaussian { mean: 0.0, sd: 1.0 }.cdf(z)
}

fn line(priors: &[f64], means: &[f64], sds: &[f64]) -> GaussianClasses {
    GaussianClasses::on_line(priors, means, sds).unwrap()
}

fn assert_risk(law: &dyn ClassLaw, want: f64) {
    let got = bayes_risk_on_line(law, -40.0, 40.0, 1e-11);
    assert!((got.value - want).abs() < 1e-8 && got.error < 1e-8, "{got:?}, want {want}");
    let simulated = simulated_bayes_risk(law, 20_000, 3);
    assert!((simulated.mean - want).abs() <= 4.0 * simulated.standard_error + 1e-12, "{simulated:?}, want {want}");
}

#[test]
fn gaussian_risks_have_their_closed_forms() {
    // Law 1: equal priors. Law 2: unequal ones. Law 3: no difference. Law 4: three classes in a row.
    assert_risk(&line(&[0.5, 0.5], &[-1.0, 1.0], &[1.0, 1.0]), phi(-1.0));
    let (prior, delta): (f64, f64) = (0.3, 1.5);
    let shift = (prior / (1.0 - prior)).ln() / delta;
    let want = prior * phi(-0.75 - shift) + (1.0 - prior) * phi(-0.75 + shift);
    assert_risk(&line(&[0.3, 0.7], &[0.0, 1.5], &[1.0, 1.0]), want);
    assert!((bayes_risk_of_two_gaussians(delta, prior) - want).abs() < 1e-15);
    assert_risk(&line(&[0.9, 0.1], &[2.0, 2.0], &[1.0, 1.0]), 0.1);
    let third = 1.0 / 3.0;
    assert_risk(&line(&[third; 3], &[-2.0, 0.0, 2.0], &[1.0; 3]), 4.0 / 3.0 * phi(-1.0));
    // Law 5: one place, two widths; the narrow class between ±c, c² = 2 ln 2 / (1 − 1/4).
    let c = (2.0 * 2f64.ln() / 0.75).sqrt();
    assert_risk(&line(&[0.5, 0.5], &[0.0, 0.0], &[1.0, 2.0]), phi(-c) + 0.5 * (1.0 - 2.0 * phi(-c / 2.0)));
}

#[test]
fn two_dimensions_and_mixtures_agree_with_sums_over_a_grid() {
    // Law 6: a shared covariance; the Mahalanobis distance decides.
    let covariance = Mat::from_vec(2, 2, vec![2.0, 0.6, 0.6, 1.0]);
    let law = GaussianClasses::shared(&[0.4, 0.6], &[vec![0.0, 0.0], vec![1.0, 1.5]], &covariance).unwrap();
    let determinant: f64 = 2.0 - 0.36;
    let square = (1.0 * 1.0 - 2.0 * 0.6 * 1.5 + 2.0 * 2.25) / determinant;
    let want = bayes_risk_of_two_gaussians(square.sqrt(), 0.4);
    let step = 0.02;
    let mut sum = 0.0;
    for i in -450..500 {
        for j in -350..420 {
            let p = law.joint(&[i as f64 * step, j as f64 * step]);
            sum += step * step * p[0].min(p[1]);
        }
    }
    assert!((sum - want).abs() < 1e-5, "{sum} {want}");
    // Law 7: classes of two bumps each, interleaved.
    let bump = |m: f64| (0.5, vec![m], Mat::filled(1, 1, 0.25));
    let law = GaussianClasses::new(&[0.5, 0.5], vec![vec![bump(-3.0), bump(1.0)], vec![bump(-1.0), bump(3.0)]]).unwrap();
    let brute: f64 = (-80_000..80_000).map(|i| law.joint(&[f64::from(i) * 1e-4])).map(|p| 1e-4 * p[0].min(p[1])).sum();
    assert!((bayes_risk_on_line(&law, -8.0, 8.0, 1e-11).value - brute).abs() < 1e-8);
}

#[test]
fn boxes_and_tables_are_exact() {
    // Law 8: intervals that overlap by half. Law 9: boxes in the plane, three classes. Law 10: a table.
    let law = BoxClasses::new(&[0.5, 0.5], vec![(vec![0.0], vec![2.0]), (vec![1.0], vec![3.0])]).unwrap();
    assert!((law.bayes_risk() - 0.25).abs() < 1e-15);
    assert_risk(&law, 0.25);
    let unit = |x: f64, y: f64| (vec![x, y], vec![x + 1.0, y + 1.0]);
    let law = BoxClasses::new(&[0.5, 0.25, 0.25], vec![unit(0.0, 0.0), unit(0.5, 0.5), unit(5.0, 5.0)]).unwrap();
    // On the overlap of area 1/4 the class of prior 1/4 is lost.
    assert!((law.bayes_risk() - 0.0625).abs() < 1e-15);
    let simulated = simulated_bayes_risk(&law, 20_000, 0);
    assert!((simulated.mean - 0.0625).abs() < 4.0 * simulated.standard_error);
    let law = TableLaw::new(Mat::from_vec(3, 2, vec![0.1, 0.2, 0.3, 0.05, 0.15, 0.2])).unwrap();
    assert!((law.bayes_risk() - 0.3).abs() < 1e-15);
    assert!((law.risk(&[1, 0, 1]) - law.bayes_risk()).abs() < 1e-15 && law.risk(&[0, 0, 0]) > law.bayes_risk());
}

#[test]
fn no_rule_is_better_and_the_bayes_rule_loses_nothing() {
    let law = line(&[0.5, 0.5], &[-1.0, 1.0], &[1.0, 1.0]);
    assert_eq!(excess_risk(&law, &mut |x| law.bayes_rule(x), 2000, 1).mean, 0.0);
    // The rule with its threshold at t loses ½ (Φ(1 − t) + Φ(1 + t)) − Φ(1)… of the right side.
    let t = 0.7;
    let risk = 0.5 * (phi(-(t + 1.0)) + phi(t - 1.0));
    let got = excess_risk(&law, &mut |x| usize::from(x[0] > t), 40_000, 1);
    assert!((got.mean - (risk - phi(-1.0))).abs() < 4.0 * got.standard_error, "{got:?}");
    // A class that is expensive to miss is decided for earlier.
    let cost = Mat::from_vec(2, 2, vec![0.0, 9.0, 1.0, 0.0]);
    assert_eq!(law.least_cost(&[-0.5], &cost), 1);
    assert_eq!(law.bayes_rule(&[-0.5]), 0);
}

#[test]
fn the_likelihood_ratio_has_the_power_of_the_formula() {
    let (null, alternative) = (Gaussian { mean: 0.0, sd: 1.0 }, Gaussian { mean: 2.0, sd: 1.0 });
    let test = LikelihoodRatioTest::new(&null, &alternative, (-12.0, 14.0));
    // The most powerful test of level α rejects above z(1 − α): power Φ(2 − z).
    let (_, power) = test.at_level(0.05);
    assert!((power - phi(2.0 - null.quantile(0.95))).abs() < 1e-8, "{power}");
    let (size, other) = test.probabilities(&|x| !(null.quantile(0.025)..null.quantile(0.975)).contains(&x));
    assert!((size - 0.05).abs() < 1e-8 && other < power);
    assert!((test.information() - 2.0).abs() < 1e-6);
    let slow = Exponential { rate: 0.5 };
    let quick = Exponential { rate: 1.0 };
    let test = LikelihoodRatioTest::new(&quick, &slow, (1e-9, 120.0));
    let (_, power) = test.at_level(0.1);
    // Rejects above −ln α; the power is √α.
    assert!((power - 0.1f64.sqrt()).abs() < 1e-7, "{power}");
}

#[test]
fn the_parts_of_a_risk_add_up() {
    let rows = Mat::from_fn(5, 2, |i, j| if j == 0 { 1.0 } else { i as f64 });
    let (f, v) = ([0.0, 1.0, 4.0, 9.0, 16.0], [0.5, 0.1, 0.1, 0.2, 1.0]);
    let terms = linear_risk_terms(&rows, &[0.1, 0.2, 0.3, 0.2, 0.2], &f, &v, &[0.3, 2.0]).unwrap();
    assert!((terms.noise + terms.approximation + terms.estimation - terms.risk).abs() < 1e-12);
    assert!(linear_risk_terms(&rows, &[0.2; 5], &f, &v, &terms.best).unwrap().risk < terms.risk);
    let law = RegressionLaw { draw_row: &|s| vec![s.uniform()], function: &|x| x[0], noise: &|x| x[0] };
    let risk = law.bayes_risk(20_000, 5);
    assert!((risk.mean - 1.0 / 3.0).abs() < 4.0 * risk.standard_error);
    let excess = law.excess_risk(&mut |_| 0.5, 20_000, 5);
    assert!((excess.mean - 1.0 / 12.0).abs() < 4.0 * excess.standard_error);
    let (x, y) = law.sample(7, &mut RngStream::new(1, "test", 0));
    assert_eq!((x.rows(), x.cols(), y.len()), (7, 1, 7));
    let t = bias_variance_terms(&Mat::from_vec(3, 2, vec![1.0, 2.0, 3.0, 2.0, 2.0, 5.0]), &[1.5, 2.0]);
    assert!((t.bias_squared + t.variance - t.error).abs() < 1e-12);
}

#[test]
fn laws_that_are_none_are_refused() {
    assert!(GaussianClasses::on_line(&[0.5, 0.6], &[0.0, 1.0], &[1.0, 1.0]).unwrap_err().to_string().contains("1.1"));
    assert!(GaussianClasses::on_line(&[0.5, 0.5], &[0.0, 1.0], &[1.0, 0.0]).is_err());
    assert!(BoxClasses::new(&[1.0], vec![(vec![1.0], vec![1.0])]).is_err());
}
