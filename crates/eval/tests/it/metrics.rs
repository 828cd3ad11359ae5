//! Measures against the reference book `fixtures/reference/metrics.json`.

use ermine_core::{Column, Features, Mat, MatRef};
use ermine_eval::metrics::*;
use ermine_fixtures::{Value, numbers};
use ermine_math::loss::Family;

fn case(id: &str) -> (Value, Value) {
    let mut case = ermine_fixtures::case("metrics", id);
    (case["params"].take(), case["expected"].take())
}

fn codes(v: &Value) -> Vec<u32> {
    numbers(v).into_iter().map(|x| x as u32).collect()
}

#[track_caller]
fn near(found: f64, expected: &Value) {
    ermine_fixtures::near(found, expected, 1e-12, "measure");
}

#[test]
fn binary_scores() {
    let (p, e) = case("binary_scores");
    let (y, score, weight) = (codes(&p["y"]), numbers(&p["score"]), numbers(&p["weight"]));
    let positive: Vec<bool> = y.iter().map(|&c| c == 1).collect();
    near(roc_auc(&positive, &score, None).unwrap().unwrap(), &e["auc"]);
    near(roc_auc(&positive, &score, Some(&weight)).unwrap().unwrap(), &e["auc_weighted"]);
    near(average_precision(&positive, &score, None).unwrap().unwrap(), &e["average_precision"]);
    let proba = Mat::from_fn(score.len(), 2, |i, j| if j == 1 { score[i] } else { 1.0 - score[i] });
    near(log_loss(&y, proba.view(), None), &e["log_loss"]);
    near(log_loss(&y, proba.view(), Some(&weight)), &e["log_loss_weighted"]);
    near(brier(&y, proba.view(), None), &e["brier"]);
    let predicted: Vec<u32> = score.iter().map(|&s| u32::from(s >= 0.5)).collect();
    let table = confusion(&y, &predicted, 2, None);
    assert_eq!(table.counts.as_slice(), numbers(&e["confusion_tn_fp_fn_tp"]));
    near(accuracy(&y, &predicted, None), &e["accuracy"]);
    near(balanced_accuracy(&y, &predicted, 2, None), &e["balanced_accuracy"]);
    let (precision, recall, f1) = precision_recall_f1(&y, &predicted, 2, 1, None);
    near(precision, &e["precision"]);
    near(recall, &e["recall"]);
    near(f1, &e["f1"]);
    near(table.of_class(1).f(2.0), &e["f2"]);
    near(table.matthews(), &e["mcc"]);
    near(table.kappa(), &e["kappa"]);
    let signed: Vec<f64> = score.iter().map(|s| 2.0 * s - 1.0).collect();
    near(hinge(&positive, &signed, None), &e["hinge_on_2s_minus_1"]);
    near(CalibrationCurve::of(&positive, &score, None, 10).unwrap().expected_calibration_error(), &e["ece_10"]);
    // The book leaves out points on straight stretches; every one it keeps must be on our curve.
    let curve = Thresholds::of(&positive, &score, None).unwrap().roc().unwrap();
    for (fpr, tpr) in numbers(&e["roc_fpr"]).iter().zip(numbers(&e["roc_tpr"])) {
        assert!(
            curve.fpr.iter().zip(&curve.tpr).any(|c| (c.0 - fpr).abs() < 1e-12 && (c.1 - tpr).abs() < 1e-12),
            "({fpr}, {tpr}) is not on the curve"
        );
    }
    near(curve.ks_statistic().0, &e["ks"]);
    near(curve.area(), &e["auc"]);
    // Without the inner points of straight stretches the curve is the same line. The book keeps some of them: those at unequal distances.
    let thin = curve.thinned(usize::MAX);
    assert!(thin.fpr.len() <= numbers(&e["roc_fpr"]).len());
    near(thin.area(), &e["auc"]);
}

#[test]
fn several_classes() {
    let (p, e) = case("multiclass");
    let (y, found) = (codes(&p["y"]), codes(&p["predicted"]));
    let table = confusion(&y, &found, 4, None);
    let rows: Vec<f64> = e["confusion_rows_true"].as_array().unwrap().iter().flat_map(numbers).collect();
    assert_eq!(table.counts.as_slice(), rows);
    near(table.accuracy(), &e["accuracy"]);
    near(table.f1_macro(), &e["f1_macro"]);
    near(table.balanced_accuracy(), &e["recall_macro"]);
    near(table.recall(Average::Macro), &e["recall_macro"]);
    near(table.precision(Average::Macro), &e["precision_macro"]);
    near(table.f(1.0, Average::Weighted), &e["f1_weighted"]);
    near(table.f(1.0, Average::Micro), &e["f1_micro"]);
    near(table.matthews(), &e["mcc"]);
    near(table.kappa(), &e["kappa"]);
    let proba = Mat::from_fn(y.len(), 4, |i, j| if j == found[i] as usize { 0.7 } else { 0.1 });
    near(log_loss(&y, proba.view(), None), &e["log_loss"]);
    near(brier(&y, proba.view(), None), &e["brier_multi"]);
}

#[test]
fn regression() {
    let (p, e) = case("regression");
    let (y, found) = (numbers(&p["y"]), numbers(&p["predicted"]));
    let (y, found) = (MatRef::row_major(&y, 8, 1), MatRef::row_major(&found, 8, 1));
    near(mse(y, found, None), &e["mse"]);
    near(rmse(y, found, None), &e["rmse"]);
    near(mae(y, found, None), &e["mae"]);
    near(r2(y, found, None), &e["r2"]);
    let of = &errors(y, found, None)[0];
    near(of.max_error(), &e["max_error"]);
    near(of.explained_variance(), &e["explained_variance"]);
    let (a, b) = (y.as_slice(), found.as_slice());
    near(median_absolute_error(a, b, None), &e["median_ae"]);
    near(mape(a, b, None), &e["mape"]);
    near(msle(a, b, None).unwrap(), &e["msle"]);
    near(mean_deviance(Family::Poisson, a, b, None).unwrap(), &e["poisson_deviance"]);
    near(mean_deviance(Family::Gamma, a, b, None).unwrap(), &e["gamma_deviance"]);
    near(mean_deviance(Family::Tweedie { power: 1.5 }, a, b, None).unwrap(), &e["tweedie_deviance_1_5"]);
    near(pinball(a, b, 0.9, None), &e["pinball_0_9"]);
    near(pearson(a, b, None).unwrap(), &e["pearson"]);
    near(spearman(a, b).unwrap(), &e["spearman"]);
    near(kendall(a, b).unwrap(), &e["kendall_tau_b"]);
    // Weight 2 is the row twice.
    let rows: Vec<usize> = (0..8).flat_map(|i| vec![i; 1 + i % 2]).collect();
    let weight: Vec<f64> = (0..8).map(|i| 1.0 + f64::from(i % 2)).collect();
    let twice = (y.take_rows(&rows), found.take_rows(&rows));
    assert!((r2(y, found, Some(&weight)) - r2(twice.0.view(), twice.1.view(), None)).abs() < 1e-14);
}

#[test]
fn groupings() {
    let (p, e) = case("clustering_agreement");
    let (a, b) = (codes(&p["true"]), codes(&p["found"]));
    near(adjusted_rand(&a, &b), &e["ari"]);
    let table = Contingency::of(&a, &b, None);
    near(table.rand(), &e["rand"]);
    near(table.mutual_information(), &e["mi"]);
    near(table.normalized_mutual_information(), &e["nmi"]);
    near(table.adjusted_mutual_information().unwrap(), &e["ami"]);
    near(table.homogeneity(), &e["homogeneity"]);
    near(table.completeness(), &e["completeness"]);
    near(table.v_measure(1.0), &e["v_measure"]);
    near(table.fowlkes_mallows(), &e["fowlkes_mallows"]);
    let (_, e) = case("clustering_internal_iris");
    let (x, target) = ermine_data::read_table(ermine_fixtures::data_set("iris")).unwrap().split_off(&["target"]).unwrap();
    let Column::Number { values, .. } = &target[0].1 else { panic!("numbers") };
    let labels: Vec<u32> = values.iter().map(|&v| v as u32).collect();
    let value = silhouette(&Features::Table(x.view()), &labels).unwrap().unwrap();
    near(value, &e["silhouette"]);
    near(calinski_harabasz(&Features::Table(x.view()), &labels, None).unwrap().unwrap(), &e["calinski_harabasz"]);
    near(davies_bouldin(&Features::Table(x.view()), &labels, None).unwrap().unwrap(), &e["davies_bouldin"]);
}

#[test]
fn rankings() {
    let (p, e) = case("ranking");
    let r = numbers(&p["relevance"]);
    near(dcg(&r, DcgGain::Exponential, None), &e["dcg_exp"]);
    near(ndcg(&r, DcgGain::Exponential, None), &e["ndcg_exp"]);
    near(ndcg(&r, DcgGain::Linear, None), &e["ndcg_linear"]);
    near(ndcg(&r, DcgGain::Linear, Some(3)), &e["ndcg_linear_at_3"]);
}

#[test]
fn a_weight_of_two_is_the_row_twice_in_every_measure_of_a_model() {
    let (p, _) = case("multiclass");
    let (y, found) = (codes(&p["y"]), codes(&p["predicted"]));
    let n = y.len();
    let share = |i: usize, j: usize| (1 + (7 * i + 3 * j) % 5) as f64 + if j == found[i] as usize { 6.0 } else { 0.0 };
    let proba = Mat::from_fn(n, 4, |i, j| share(i, j) / (0..4).map(|k| share(i, k)).sum::<f64>());
    let rows: Vec<usize> = (0..n).flat_map(|i| vec![i; i % 3]).collect();
    let weight: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
    let take = |v: &[u32]| rows.iter().map(|&i| v[i]).collect::<Vec<u32>>();
    let weighted = of_classes(&y, proba.view(), &found, Some(&weight)).unwrap();
    let twice = of_classes(&take(&y), proba.view().take_rows(&rows).view(), &take(&found), None).unwrap();
    for (a, b) in weighted.iter().zip(&twice) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-13, "{a:?} {b:?}");
    }
    let auc = |y: &[u32], p: MatRef<'_, f64>, w: Option<&[f64]>| roc_auc_pairs(y, p, w).unwrap().unwrap();
    let (a, b) = (auc(&y, proba.view(), Some(&weight)), auc(&take(&y), proba.view().take_rows(&rows).view(), None));
    assert!((a - b).abs() < 1e-13 && a > 0.5);
    let top = |k: usize| top_k_accuracy(&y, proba.view(), k, None);
    assert!((top(1) - confusion(&y, &found, 4, None).accuracy()).abs() < 1e-15 && top(2) >= top(1) && top(4) == 1.0);
    let number = |v: &[u32]| v.iter().map(|&c| f64::from(c * c)).collect::<Vec<f64>>();
    let (t, f) = (number(&y), number(&found));
    let (t2, f2) = (number(&take(&y)), number(&take(&found)));
    let square = |y: f64, p: f64| (y - p) * (y - p);
    let column = |v: &[f64]| Mat::from_vec(v.len(), 1, v.to_vec());
    let weighted = of_numbers(column(&t).view(), column(&f).view(), Some(&weight), &square);
    let twice = of_numbers(column(&t2).view(), column(&f2).view(), None, &square);
    for (a, b) in weighted.iter().zip(&twice) {
        assert!(a.0 == b.0 && (a.1 - b.1).abs() <= 1e-13 * (1.0 + b.1.abs()), "{a:?} {b:?}");
    }
}

/// Three classes whose area by pairs can be counted by hand.
#[test]
fn areas_by_pairs_are_those_of_hand_and_till() {
    let y = [0, 0, 1, 1, 2, 2];
    let p = [[0.8, 0.1, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]];
    let proba = Mat::from_fn(6, 3, |i, j| p[i][j]);
    // Of classes 0 and 1: by p0 the pairs (0.8, 0.3) over (0.4, 0.1) give 3/4; by p1 (0.4, 0.6) over (0.1, 0.5) give 3/4.
    // Of 0 and 2: by p0 (0.8, 0.3) over (0.2, 0.5) 3/4; by p2 (0.6, 0.2) over (0.1, 0.2) 3.5/4.
    // Of 1 and 2: by p1 (0.4, 0.6) over (0.2, 0.3) 1; by p2 (0.6, 0.2) over (0.2, 0.3) 2.5/4.
    let expected = (0.75 + (0.75 + 0.875) / 2.0 + (1.0 + 0.625) / 2.0) / 3.0;
    assert!((roc_auc_pairs(&y, proba.view(), None).unwrap().unwrap() - expected).abs() < 1e-15);
}

#[test]
fn one_measure_alone_is_what_it_is_among_all() {
    let mut s = ermine_core::RngStream::new(5, "measures", 0);
    let weight: Vec<f64> = (0..50).map(|i| [1.0, 0.0, 2.0][i % 3]).collect();
    for classes in [2usize, 3] {
        let mut proba = Mat::from_fn(50, classes, |_, _| s.uniform() + 0.01);
        for i in 0..50 {
            let total: f64 = proba.row(i).iter().sum();
            proba.row_mut(i).iter_mut().for_each(|p| *p /= total);
        }
        let truth: Vec<u32> = (0..50).map(|_| s.below(classes) as u32).collect();
        let predicted = ermine_core::argmax_rows(proba.view());
        for weight in [None, Some(&weight[..])] {
            let all = of_classes(&truth, proba.view(), &predicted, weight).unwrap();
            assert!(all.len() > 10);
            for (name, value) in all {
                let one = one_of_classes(name, &truth, proba.view(), &predicted, weight).unwrap();
                assert_eq!(one, Some(value), "{name}");
            }
            assert_eq!(one_of_classes("rmse", &truth, proba.view(), &predicted, weight).unwrap(), None);
        }
    }
    let (truth, found) = (Mat::from_fn(50, 2, |_, _| s.normal()), Mat::from_fn(50, 2, |_, _| s.normal()));
    let cubed = |y: f64, p: f64| (y - p).abs().powi(3);
    for weight in [None, Some(&weight[..])] {
        for (name, value) in of_numbers(truth.view(), found.view(), weight, &cubed) {
            assert_eq!(one_of_numbers(name, truth.view(), found.view(), weight, &cubed), Some(value), "{name}");
        }
        assert_eq!(one_of_numbers("accuracy", truth.view(), found.view(), weight, &cubed), None);
    }
}
