//! Linear and quadratic discriminant analysis.

use ermine_bayes::*;
use ermine_core::*;

use crate::bayes::{apart, case, close, codes, data, errors, fit, log_loss, of, random};

const SOLVERS: [LdaSolver; 3] = [LdaSolver::Svd, LdaSolver::Lsqr, LdaSolver::Eigen];

fn lda(solver: LdaSolver) -> Lda {
    Lda { solver, ..Lda::default() }
}

/// Normal classes with covariances of their own, or one.
fn classes(rows: usize, cols: usize, shared: bool, seed: u64) -> (Mat<f64>, OwnedTarget) {
    let mut rng = RngStream::new(seed, "classes", 0);
    let mix: Vec<Mat<f64>> = (0..3).map(|k| random(cols, cols, seed + if shared { 0 } else { k })).collect();
    let codes: Vec<u32> = (0..rows).map(|i| (i % 3) as u32).collect();
    let mut x = Mat::zeros(rows, cols);
    for i in 0..rows {
        let z: Vec<f64> = (0..cols).map(|_| rng.normal()).collect();
        let k = codes[i] as usize;
        for j in 0..cols {
            x[(i, j)] = (0..cols).map(|l| mix[k][(j, l)] * z[l]).sum::<f64>() + 1.5 * ((k + j) % 3) as f64;
        }
    }
    (x, OwnedTarget::Class { codes, names: ["a", "b", "c"].map(String::from).to_vec() })
}

#[test]
fn the_reference_book_is_reproduced() {
    for name in ["iris", "wine"] {
        let (x, y) = data(name);
        let (features, codes) = (Features::F64(x.view()), codes(&y));
        let lda_case = case(&format!("lda_{name}"));
        let rows: Vec<usize> = crate::bayes::floats(&lda_case["expected"]["rows"]).iter().map(|&r| r as usize).collect();
        let part = x.view().take_rows(&rows);
        let check = |model: &dyn Classifier, case: &serde_json::Value, kind: &str| {
            let expected = &case["expected"];
            let p = model.proba(&Features::F64(part.view())).unwrap();
            close(p.as_slice(), &expected[format!("posteriors_{kind}")], case, kind);
            assert_eq!(errors(model, &features, &codes) as f64, expected[format!("train_errors_{kind}")].as_f64().unwrap());
            close(&[log_loss(model, &features, &codes)], &expected[format!("log_loss_{kind}")], case, kind);
        };
        for solver in SOLVERS {
            let model = fit(&Lda { store_covariance: true, ..lda(solver) }, &x, &y).unwrap();
            close(model.priors(), &lda_case["expected"]["priors"], &lda_case, "priors");
            close(model.means().as_slice(), &lda_case["expected"]["means"], &lda_case, "means");
            check(&model, &lda_case, if solver == LdaSolver::Svd { "unbiased" } else { "ml" });
            let (n, k) = (x.rows() as f64, 3.0);
            let unbiased: Vec<f64> = model.covariance().unwrap().as_slice().iter().map(|c| c * n / (n - k)).collect();
            close(&unbiased, &lda_case["expected"]["pooled_covariance_unbiased"], &lda_case, "covariance");
            let Some(w) = model.scalings() else { continue };
            // Along direction w, with one unit of variance within classes, the classes vary by the eigenvalue.
            let grand: Vec<f64> = (0..x.cols()).map(|j| x.view().col_iter(j).sum::<f64>() / n).collect();
            let eigenvalue = |d: usize| {
                let place = |class: usize| (0..x.cols()).map(|j| (model.means()[(class, j)] - grand[j]) * w[(j, d)]).sum::<f64>();
                let between: f64 = (0..3).map(|c| n * model.priors()[c] * place(c).powi(2)).sum::<f64>() / (k - 1.0);
                // The other solvers have the variance 1 with the divisor n.
                if solver == LdaSolver::Svd { between } else { between * (n - k) / n }
            };
            let expected = &lda_case["expected"]["between_within_eigenvalues"];
            close(&[eigenvalue(0), eigenvalue(1)], expected, &lda_case, "eigenvalues");
            let values = crate::bayes::floats(expected);
            let share = values[0] / (values[0] + values[1]);
            assert!((model.explained_variance_ratio()[0] - share).abs() < 1e-9);
        }
        let qda_case = case(&format!("qda_{name}"));
        check(&fit(&Qda::default(), &x, &y).unwrap(), &qda_case, "unbiased");
        check(&fit(&Qda { solver: QdaSolver::Eigen, ..Qda::default() }, &x, &y).unwrap(), &qda_case, "ml");
    }
}

#[test]
fn fishers_directions_have_unit_variance_within_and_none_between() {
    let (x, y) = classes(300, 5, true, 1);
    let codes = codes(&y);
    for solver in [LdaSolver::Svd, LdaSolver::Eigen] {
        let model = fit(&lda(solver), &x, &y).unwrap();
        let z = model.transform(&Features::F64(x.view())).unwrap();
        assert_eq!(z.cols(), 2);
        let mean = |k: u32, d: usize| (0..300).filter(|&i| codes[i] == k).map(|i| z[(i, d)]).sum::<f64>() / 100.0;
        let free = if solver == LdaSolver::Svd { 297.0 } else { 300.0 };
        for (a, b) in [(0, 0), (0, 1), (1, 1)] {
            let within: f64 =
                (0..300).map(|i| (z[(i, a)] - mean(codes[i], a)) * (z[(i, b)] - mean(codes[i], b))).sum::<f64>() / free;
            assert!((within - f64::from(u8::from(a == b))).abs() < 1e-10, "{within}");
        }
        let grand = |d: usize| (0..3).map(|k| mean(k, d)).sum::<f64>() / 3.0;
        let between = |a: usize, b: usize| (0..3).map(|k| (mean(k, a) - grand(a)) * (mean(k, b) - grand(b))).sum::<f64>();
        assert!(between(0, 1).abs() < 1e-9 * between(0, 0) && between(0, 0) >= between(1, 1));
        let one = fit(&Lda { n_components: Some(1), ..lda(solver) }, &x, &y).unwrap();
        assert_eq!(one.transform(&Features::F64(x.view())).unwrap().as_slice(), (0..300).map(|i| z[(i, 0)]).collect::<Vec<_>>());
        assert_eq!(one.proba(&Features::F64(x.view())).unwrap(), model.proba(&Features::F64(x.view())).unwrap());
    }
    assert!(fit(&lda(LdaSolver::Lsqr), &x, &y).unwrap().as_transformer().is_none());
    let e = fit(&Lda { n_components: Some(3), ..Lda::default() }, &x, &y).unwrap_err().to_string();
    assert!(e.contains("n_components") && e.contains("2 directions"), "{e}");
}

#[test]
fn posteriors_and_densities_are_those_of_normal_distributions() {
    let (x, y) = classes(120, 2, false, 2);
    let features = Features::F64(x.view());
    let codes = codes(&y);
    let mean =
        |k: u32| -> [f64; 2] { [0, 1].map(|j| (0..120).filter(|&i| codes[i] == k).map(|i| x[(i, j)]).sum::<f64>() / 40.0) };
    let scatter = |k: u32| -> [f64; 3] {
        let m = mean(k);
        [(0, 0), (0, 1), (1, 1)]
            .map(|(a, b)| (0..120).filter(|&i| codes[i] == k).map(|i| (x[(i, a)] - m[a]) * (x[(i, b)] - m[b])).sum::<f64>())
    };
    let log_normal = |p: &[f64], m: [f64; 2], c: [f64; 3]| {
        let (u, v) = (p[0] - m[0], p[1] - m[1]);
        let det = c[0] * c[2] - c[1] * c[1];
        -0.5 * ((c[2] * u * u - 2.0 * c[1] * u * v + c[0] * v * v) / det + det.ln()) - std::f64::consts::TAU.ln()
    };
    let priors = [0.2, 0.3, 0.5];
    let check = |model: &dyn Model, covariance: &dyn Fn(u32) -> [f64; 3]| {
        let (logs, p) = (
            model.as_density().unwrap().log_density(&features).unwrap(),
            model.as_classifier().unwrap().proba(&features).unwrap(),
        );
        for i in 0..120 {
            let joint: Vec<f64> =
                (0..3).map(|k| priors[k] * log_normal(x.row(i), mean(k as u32), covariance(k as u32)).exp()).collect();
            let total: f64 = joint.iter().sum();
            assert!((logs[i] - total.ln()).abs() < 1e-10 * (1.0 + total.ln().abs()), "{} for {}", logs[i], total.ln());
            assert!((0..3).all(|k| (p[(i, k)] - joint[k] / total).abs() < 1e-11));
        }
    };
    let class_priors = Some(priors.to_vec());
    let qda = fit(&Qda { priors: class_priors.clone(), ..Qda::default() }, &x, &y).unwrap();
    check(&qda, &|k| scatter(k).map(|s| s / 39.0));
    assert_eq!(qda.n_parameters(), 2 + 3 * (2 + 3));
    let pooled =
        |divisor: f64| move |_: u32| std::array::from_fn::<f64, 3, _>(|e| (0..3).map(|k| scatter(k)[e]).sum::<f64>() / divisor);
    let model = fit(&Lda { priors: class_priors.clone(), ..Lda::default() }, &x, &y).unwrap();
    check(&model, &pooled(117.0));
    assert_eq!(model.n_parameters(), 2 + 3 * 2 + 3);
    // The other solvers weigh the covariances of the classes by the priors.
    let weighted = |_: u32| std::array::from_fn::<f64, 3, _>(|e| (0..3).map(|k| priors[k] * scatter(k as u32)[e] / 40.0).sum());
    for solver in [LdaSolver::Lsqr, LdaSolver::Eigen] {
        check(&fit(&Lda { priors: class_priors.clone(), ..lda(solver) }, &x, &y).unwrap(), &weighted);
    }
    // What is shown as coefficients gives the posteriors too.
    for solver in SOLVERS {
        let model = fit(&lda(solver), &x, &y).unwrap();
        let (scores, p) = (model.decision(&features).unwrap().unwrap(), model.proba(&features).unwrap());
        for i in 0..120 {
            let total: f64 = scores.row(i).iter().map(|s| s.exp()).sum();
            assert!((0..3).all(|k| (scores[(i, k)].exp() / total - p[(i, k)]).abs() < 1e-10));
        }
    }
}

#[test]
fn shrinkage_goes_from_the_covariance_to_a_multiple_of_the_identity() {
    let (x, y) = classes(60, 4, true, 3);
    let with = |s: Shrinkage| Lda { shrinkage: s, ..lda(LdaSolver::Lsqr) };
    let of = |s: f64| fit(&with(Shrinkage::Given(s)), &x, &y).unwrap().covariance().unwrap().clone();
    let plain = fit(&lda(LdaSolver::Lsqr), &x, &y).unwrap().covariance().unwrap().clone();
    assert!(apart(&of(0.0), &plain) < 1e-14);
    let mean = (0..4).map(|j| plain[(j, j)]).sum::<f64>() / 4.0;
    let target = Mat::from_fn(4, 4, |i, j| if i == j { mean } else { 0.0 });
    assert!(apart(&of(1.0), &target) < 1e-13);
    let half = Mat::from_fn(4, 4, |i, j| 0.5 * (plain[(i, j)] + target[(i, j)]));
    assert!(apart(&of(0.5), &half) < 1e-13);
    // Of few rows and many columns, the share of Ledoit and Wolf makes a covariance that can be inverted.
    let (x, y) =
        (random(24, 40, 4), OwnedTarget::Class { codes: (0..24).map(|i| i % 2).collect(), names: vec!["a".into(), "b".into()] });
    let auto: Shrinkage = serde_json::from_value("auto".into()).unwrap();
    for solver in [LdaSolver::Lsqr, LdaSolver::Eigen] {
        let model = fit(&Lda { shrinkage: auto, ..lda(solver) }, &x, &y).unwrap();
        assert_eq!((model.rank(), model.certificate().unwrap().notes.len()), (40, 0));
    }
    assert_eq!(fit(&Lda::default(), &x, &y).unwrap().rank(), 22);
    let model = fit(&Qda { solver: QdaSolver::Eigen, shrinkage: auto, ..Qda::default() }, &x, &y).unwrap();
    assert_eq!((model.rank(), model.certificate().unwrap().notes.len()), (40, 0));
    for (name, bad) in [("shrinkage", 1.5.into()), ("solver", "qr".into()), ("tol", (-1.0).into())] {
        assert!(AnyLearner::set(&mut lda(LdaSolver::Lsqr), name, bad).unwrap_err().to_string().contains(name));
    }
    let e = Lda { shrinkage: auto, ..Lda::default() }.check().unwrap_err().to_string();
    assert!(e.contains("shrinkage") && e.contains("lsqr"), "{e}");
    assert!(Qda { reg_param: 0.1, solver: QdaSolver::Eigen, ..Qda::default() }.check().is_err());
}

#[test]
fn shrinking_of_one_class_is_that_of_its_rows() {
    // Ledoit and Wolf on standardized rows, written out.
    let (x, y) = classes(45, 3, false, 5);
    let codes = codes(&y);
    let auto: Shrinkage = serde_json::from_value("auto".into()).unwrap();
    let model = fit(&Qda { solver: QdaSolver::Eigen, shrinkage: auto, ..Qda::default() }, &x, &y).unwrap();
    for k in 0..3u32 {
        let rows: Vec<usize> = (0..45).filter(|&i| codes[i] == k).collect();
        let n = rows.len() as f64;
        let mean: Vec<f64> = (0..3).map(|j| rows.iter().map(|&i| x[(i, j)]).sum::<f64>() / n).collect();
        let sd: Vec<f64> =
            (0..3).map(|j| (rows.iter().map(|&i| (x[(i, j)] - mean[j]).powi(2)).sum::<f64>() / n).sqrt()).collect();
        let z: Vec<Vec<f64>> = rows.iter().map(|&i| (0..3).map(|j| (x[(i, j)] - mean[j]) / sd[j]).collect()).collect();
        let r = Mat::from_fn(3, 3, |a, b| z.iter().map(|z| z[a] * z[b]).sum::<f64>() / n);
        let square = |f: &dyn Fn(usize, usize) -> f64| (0..9).map(|e| f(e / 3, e % 3).powi(2)).sum::<f64>() / 3.0;
        let d = square(&|a, b| r[(a, b)] - f64::from(u8::from(a == b)));
        let b = (z.iter().map(|z| square(&|a, b| z[a] * z[b] - r[(a, b)])).sum::<f64>() / (n * n)).min(d);
        let want = Mat::from_fn(3, 3, |a, c| sd[a] * sd[c] * ((1.0 - b / d) * r[(a, c)] + b / d * f64::from(u8::from(a == c))));
        assert!(apart(model.covariance(k as usize), &want) < 1e-12);
    }
}

#[test]
fn fewer_rows_than_columns_agree_with_passes_over_them() {
    let x = Mat::from_fn(40, 300, |i, j| ((i * 7 + j * 13) as f64 * 0.7).sin() + f64::from(u8::from(j % 3 == i % 3)) * 0.8);
    let y = OwnedTarget::Class { codes: (0..40).map(|i| i % 3).collect(), names: ["a", "b", "c"].map(String::from).to_vec() };
    let w: Vec<f64> = (0..40).map(|i| 1.0 + f64::from(i % 2)).collect();
    for weight in [None, Some(&w[..])] {
        let data = of(&x, &y).with_weight(weight);
        let wide = Lda::default().fit_with(&data, &Context::default()).unwrap();
        let passes = run_passes(&Lda::default(), &data, &Context::default()).unwrap();
        assert_eq!(wide.rank(), passes.rank());
        let rows = Mat::from_fn(9, 300, |i, j| ((i * 5 + j * 11) as f64 * 0.3).cos());
        let features = Features::F64(rows.view());
        let (a, b) = (wide.decision(&features).unwrap().unwrap(), passes.decision(&features).unwrap().unwrap());
        let size = a.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(apart(&a, &b) < 1e-7 * size, "{} of {size}", apart(&a, &b));
        assert!(apart(&wide.transform(&features).unwrap(), &passes.transform(&features).unwrap()) < 1e-6 * size);
        let (a, b) = (wide.log_density(&features).unwrap(), passes.log_density(&features).unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6 * b.abs()), "{a:?} {b:?}");
    }
}

#[test]
fn weights_count_rows_and_priors_are_checked() {
    let (x, y) = classes(60, 3, false, 6);
    let w: Vec<f64> = (0..60).map(|i| f64::from(i % 3 + i / 30)).collect();
    let rows: Vec<usize> = (0..60).flat_map(|i| vec![i; w[i] as usize]).collect();
    let again = of(&x, &y).take_rows(&rows);
    let features = Features::F64(x.view());
    let same = |a: &dyn Classifier, b: &dyn Classifier| {
        assert!(apart(&a.proba(&features).unwrap(), &b.proba(&features).unwrap()) < 1e-10)
    };
    let cx = Context::default();
    let auto: Shrinkage = serde_json::from_value("auto".into()).unwrap();
    for solver in SOLVERS {
        for shrinkage in [Shrinkage::None(()), auto] {
            if solver == LdaSolver::Svd && shrinkage == auto {
                continue;
            }
            let learner = Lda { shrinkage, ..lda(solver) };
            let weighted = learner.fit_with(&of(&x, &y).with_weight(Some(&w)), &cx).unwrap();
            same(&weighted, &learner.fit_with(&again.view(), &cx).unwrap());
        }
    }
    let weighted = Qda::default().fit_with(&of(&x, &y).with_weight(Some(&w)), &cx).unwrap();
    same(&weighted, &Qda::default().fit_with(&again.view(), &cx).unwrap());
    for bad in [&[0.9, 0.2, 0.1][..], &[-0.1, 0.6, 0.5], &[0.5, 0.5]] {
        let priors = Some(bad.to_vec());
        assert!(fit(&Lda { priors: priors.clone(), ..Lda::default() }, &x, &y).unwrap_err().to_string().contains("priors"));
        assert!(fit(&Qda { priors, ..Qda::default() }, &x, &y).unwrap_err().to_string().contains("priors"));
    }
    // Weights below 1 have no unbiased covariance, and one with the divisor n.
    let small: Vec<f64> = w.iter().map(|w| w / 200.0).collect();
    let light = of(&x, &y).with_weight(Some(&small));
    assert!(Lda::default().fit_with(&light, &cx).unwrap_err().to_string().contains("more rows than classes"));
    assert!(Qda::default().fit_with(&light, &cx).unwrap_err().to_string().contains("divisor ml"));
    same(&lda(LdaSolver::Lsqr).fit_with(&light, &cx).unwrap(), &lda(LdaSolver::Lsqr).fit_with(&again.view(), &cx).unwrap());
}

#[test]
fn models_that_were_read_are_the_same_and_forged_ones_are_refused() {
    let (x, y) = classes(60, 3, false, 7);
    let features = Features::F64(x.view());
    let stored = |model: &dyn Model| {
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        out
    };
    for solver in SOLVERS {
        let model = fit(&lda(solver), &x, &y).unwrap();
        let out = stored(&model);
        let again = Lda::load(&out.clone().into_reader()).unwrap();
        assert_eq!(again, model);
        for change in [
            &(|o: &mut ModelWriter| o.array("means", &[3, 3], &[f64::NAN; 9])) as &dyn Fn(&mut ModelWriter),
            &|o| o.array("whitening", &[2, 3], &[1.0; 6]),
            &|o| o.vec("priors", &[0.0; 3]),
            &|o| o.vec("xbar", &[0.0; 2]),
            &|o| o.field("classes", &["a"]).unwrap(),
        ] {
            let mut forged = out.clone();
            change(&mut forged);
            assert!(Lda::load(&forged.into_reader()).is_err());
        }
    }
    let model = fit(&Qda::default(), &x, &y).unwrap();
    let out = stored(&model);
    let again = Qda::load(&out.clone().into_reader()).unwrap();
    assert_eq!(again.proba(&features).unwrap(), model.proba(&features).unwrap());
    for change in [
        &(|o: &mut ModelWriter| o.array("covariances", &[9, 3], &[-1.0; 27])) as &dyn Fn(&mut ModelWriter),
        &|o| o.array("covariances", &[9, 3], &[0.0; 27]),
        &|o| o.array("means", &[3, 3], &[f64::INFINITY; 9]),
        &|o| o.vec("class_count", &[0.0; 3]),
    ] {
        let mut forged = out.clone();
        change(&mut forged);
        assert!(Qda::load(&forged.into_reader()).is_err());
    }
}
