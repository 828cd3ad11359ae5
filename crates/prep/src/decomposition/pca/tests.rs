use super::*;
use ermine_fixtures::{TextTable, Value, case, numbers, standardized_columns};

/// The number columns of a data set but the last column, the target.
fn data(name: &str, standardized: bool) -> Mat<f64> {
    let x = TextTable::read(name).split_last().0;
    if standardized { standardized_columns(&x) } else { x }
}

fn fit(pca: &Pca, x: &Mat<f64>) -> Result<PcaModel> {
    pca.fit_with(&DatasetRef::new(Features::F64(x.view())), &Context::default())
}

fn with(n_components: Option<ComponentCount>, svd_solver: PcaSolver) -> Pca {
    Pca { n_components, svd_solver, ..Pca::default() }
}

#[test]
fn the_reference_book_is_reproduced_on_both_routes() {
    for (name, standardized) in [("iris", false), ("wine", true), ("digits", false), ("breast_cancer", true)] {
        let case = case("decomposition", &format!("pca_{name}"));
        let expected = &case["expected"];
        let rel = case["tolerance"]["rel"].as_f64().unwrap();
        let x = data(name, standardized);
        for solver in [PcaSolver::Auto, PcaSolver::Full, PcaSolver::CovarianceEigh] {
            let model = fit(&with(None, solver), &x).unwrap();
            let near = |got: &[f64], want: &[f64], what: &str| {
                for (g, w) in got.iter().zip(want) {
                    assert!((g - w).abs() <= rel * w.abs(), "{name} {solver:?} {what}: {g} for {w}");
                }
            };
            near(model.explained_variance(), &numbers(&expected["eigenvalues"]), "eigenvalues");
            near(model.explained_variance_ratio(), &numbers(&expected["explained_ratio"]), "shares");
            let total = model.explained_variance()[0] / model.explained_variance_ratio()[0];
            near(&[total], &numbers(&expected["total_variance"]), "total");
            let components = numbers(&expected["components"]);
            for (k, want) in components.chunks(x.cols()).enumerate() {
                let got = model.components().row(k);
                let sign = got.iter().zip(want).map(|(a, b)| a * b).sum::<f64>().signum();
                assert!(got.iter().zip(want).all(|(g, w)| (sign * g - w).abs() <= 1e-7), "{name} component {k}");
                let largest = got.iter().fold(0.0f64, |m, v| if v.abs() > m.abs() { *v } else { m });
                assert!(largest > 0.0, "{name}: the sign of component {k}");
            }
            let z = model.transform(&Features::F64(x.view())).unwrap();
            for (k, w) in numbers(&expected["abs_scores_row0"]).iter().enumerate() {
                assert!((z[(0, k)].abs() - w).abs() <= 1e-7 * model.explained_variance()[0].sqrt(), "{name} score {k}");
            }
        }
    }
}

#[test]
fn all_components_reconstruct_the_rows() {
    for whiten in [false, true] {
        let x = data("iris", false);
        let model = fit(&Pca { whiten, ..Pca::default() }, &x).unwrap();
        let z = model.transform(&Features::F64(x.view())).unwrap();
        let back = model.inverse(z.view()).unwrap().unwrap();
        assert!(back.as_slice().iter().zip(x.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12));
        for k in 0..4 {
            let var = z.view().col_iter(k).map(|v| v * v).sum::<f64>() / 149.0;
            let want = if whiten { 1.0 } else { model.explained_variance()[k] };
            assert!((var / want - 1.0).abs() < 1e-10, "variance {var} of score {k}");
        }
    }
}

#[test]
fn wide_rows_agree_on_both_routes_and_weights_count_rows() {
    let mut rng = RngStream::new(3, "test", 0);
    let x = Mat::from_fn(9, 20, |i, j| 1e3 + rng.normal() * (1 + (i * j) % 5) as f64);
    let (a, b) = (fit(&with(None, PcaSolver::Auto), &x).unwrap(), fit(&with(None, PcaSolver::CovarianceEigh), &x).unwrap());
    assert_eq!((a.components().rows(), b.components().rows()), (9, 9));
    for k in 0..8 {
        assert!((a.explained_variance()[k] / b.explained_variance()[k] - 1.0).abs() < 1e-9);
        assert!(a.components().row(k).iter().zip(b.components().row(k)).all(|(a, b)| (a - b).abs() < 1e-8));
    }
    let w: Vec<f64> = (0..9).map(|i| (i % 3) as f64).collect();
    let rows: Vec<usize> = (0..9).flat_map(|i| vec![i; i % 3]).collect();
    let twice = x.view().take_rows(&rows);
    for solver in [PcaSolver::Full, PcaSolver::CovarianceEigh] {
        let weighted = DatasetRef::new(Features::F64(x.view())).with_weight(Some(&w));
        let a = with(None, solver).fit_with(&weighted, &Context::default()).unwrap();
        let b = fit(&with(None, solver), &twice).unwrap();
        assert_eq!(a.components().rows(), b.components().rows());
        for k in 0..5 {
            assert!((a.explained_variance()[k] / b.explained_variance()[k] - 1.0).abs() < 1e-9);
        }
        let gram = Mat::from_fn(9, 9, |i, j| a.components().row(i).iter().zip(a.components().row(j)).map(|(p, q)| p * q).sum());
        for i in 0..9 {
            for j in 0..9 {
                let g: f64 = gram[(i, j)];
                assert!((g - f64::from(u8::from(i == j))).abs() < 1e-12, "orthonormal");
            }
        }
    }
}

#[test]
fn the_number_of_components_can_be_asked_for_in_four_ways() {
    let x = data("iris", false);
    let kept = |n: Option<ComponentCount>| fit(&with(n, PcaSolver::Auto), &x).unwrap().components().rows();
    assert_eq!(kept(None), 4);
    assert_eq!(kept(Some(ComponentCount::Count(2))), 2);
    assert_eq!(kept(Some(ComponentCount::Count(0))), 0);
    assert_eq!([0.5, 0.93, 0.99, 0.9999999].map(|s| kept(Some(ComponentCount::Share(s)))), [1, 2, 3, 4]);
    // scikit-learn 1.9.1 finds three.
    assert_eq!(kept(Some(ComponentCount::Rule(ComponentsRule::Mle))), 3);
    let model = fit(&with(Some(ComponentCount::Count(2)), PcaSolver::Auto), &x).unwrap();
    let all = fit(&Pca::default(), &x).unwrap();
    assert!((model.noise_variance() - (all.explained_variance()[2] + all.explained_variance()[3]) / 2.0).abs() < 1e-12);
    let refused = |n: ComponentCount, solver: PcaSolver| fit(&with(Some(n), solver), &x).unwrap_err().to_string();
    for (n, solver) in [
        (ComponentCount::Count(5), PcaSolver::Auto),
        (ComponentCount::Count(5), PcaSolver::Full),
        (ComponentCount::Count(4), PcaSolver::Arpack),
        (ComponentCount::Count(0), PcaSolver::Randomized),
        (ComponentCount::Share(0.5), PcaSolver::Arpack),
        (ComponentCount::Share(1.0), PcaSolver::Auto),
        (ComponentCount::Rule(ComponentsRule::Mle), PcaSolver::Randomized),
    ] {
        assert!(refused(n, solver).contains("n_components"), "{n:?} {solver:?}");
    }
    let mut any: Box<dyn AnyLearner> = Box::new(Pca::default());
    any.set("n_components", Value::from("mle")).unwrap();
    any.set("n_components", Value::from(0.5)).unwrap();
    any.set("n_components", Value::from(3)).unwrap();
    assert_eq!(any.params()["n_components"], 3);
    assert!(any.set("n_components", Value::from(1.5)).is_err() && any.set("n_components", Value::from("most")).is_err());
}

#[test]
fn a_large_mean_and_a_small_variance_keep_their_digits() {
    let mut rng = RngStream::new(5, "test", 0);
    let base = Mat::from_fn(400, 3, |_, j| rng.normal() * [1.0, 1e-3, 1e-7][j]);
    let plain = fit(&Pca::default(), &base).unwrap();
    let third: f64 = base.view().col_iter(2).map(|v| v * v).sum::<f64>() / 400.0;
    assert!((plain.explained_variance()[2] / third - 1.0).abs() < 0.05, "the smallest variance is 14 orders below");
    let far = Mat::from_fn(400, 3, |i, j| base[(i, j)] + 1e6);
    let shifted = fit(&Pca::default(), &far).unwrap();
    for k in 0..2 {
        assert!((shifted.explained_variance()[k] / plain.explained_variance()[k] - 1.0).abs() < 1e-6);
    }
}

#[test]
fn bad_rows_are_refused() {
    let mut x = data("iris", false);
    assert!(fit(&Pca::default(), &x.view().row_range(0..1).to_owned()).unwrap_err().to_string().contains("at least 2 rows"));
    let constant = Mat::filled(5, 2, 0.1);
    let model = fit(&Pca { whiten: true, ..Pca::default() }, &constant).unwrap();
    assert_eq!((model.explained_variance(), model.explained_variance_ratio()), (&[0.0, 0.0][..], &[0.0, 0.0][..]));
    assert_eq!(model.transform(&Features::F64(constant.view())).unwrap().as_slice(), [0.0; 10]);
    x[(149, 3)] = f64::INFINITY;
    for solver in [PcaSolver::Full, PcaSolver::Auto] {
        let e = fit(&with(None, solver), &x).unwrap_err().to_string();
        assert_eq!(e, "column 3, row 149: infinity is not a finite number");
    }
}

#[test]
fn a_model_that_was_read_is_the_same_and_a_forged_one_is_refused() {
    let x = data("iris", false);
    let model = fit(&Pca { whiten: true, ..with(Some(ComponentCount::Count(2)), PcaSolver::Auto) }, &x).unwrap();
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    assert_eq!(Pca::load(&out.clone().into_reader()).unwrap(), model);
    let forge = |change: &dyn Fn(&mut ModelWriter)| {
        let mut out = out.clone();
        change(&mut out);
        assert!(Pca::load(&out.into_reader()).is_err());
    };
    forge(&|o| o.array("components", &[4, 2], &[0.0; 8]));
    forge(&|o| o.vec("explained_variance", &[1.0, -1.0]));
    forge(&|o| o.vec("mean", &[f64::NAN; 4]));
    forge(&|o| o.array("components", &[9, 4], &[0.0; 36]));
}

/// All 60000 images, when the file is there: `ERMINE_DATA` is the folder that holds `fashion_mnist/`.
#[test]
fn fashion_mnist_is_reproduced() {
    let Ok(folder) = std::env::var("ERMINE_DATA") else { return };
    let case = case("decomposition", "pca_fashion_mnist");
    let table = ermine_data::read_table(format!("{folder}/fashion_mnist/train-images-idx3-ubyte.gz")).unwrap();
    let view = table.view();
    let x = Mat::from_fn(view.rows(), view.cols(), |i, j| view.numbers(j).unwrap()[i] / 255.0);
    let model = fit(&Pca::default(), &x).unwrap();
    for (g, w) in model.explained_variance().iter().zip(numbers(&case["expected"]["eigenvalues"])) {
        assert!((g - w).abs() <= 1e-7 * w, "{g} for {w}");
    }
}

/// Rows of low rank and noise, as wide as asked for; the mean is far from 0.
fn low_rank(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "low rank", 0);
    let rank = 12.min(cols);
    let a = Mat::from_fn(rows, rank, |_, k| s.normal() * 10.0 * (-(k as f64) / 4.0).exp());
    let b = Mat::from_fn(rank, cols, |_, _| s.normal());
    let x = ermine_math::linalg::product(a.view(), b.view());
    Mat::from_fn(rows, cols, |i, j| x[(i, j)] + 0.5 * s.normal() + 50.0)
}

fn agree(a: &PcaModel, b: &PcaModel, rel: f64, angle: f64, what: &str) {
    assert_eq!(a.components().rows(), b.components().rows(), "{what}");
    for k in 0..a.components().rows() {
        let (p, q) = (a.explained_variance()[k], b.explained_variance()[k]);
        assert!((p / q - 1.0).abs() <= rel, "{what}: variance {k} is {p} for {q}");
        let off = a.components().row(k).iter().zip(b.components().row(k)).fold(0.0f64, |m, (p, q)| m.max((p - q).abs()));
        assert!(off <= angle, "{what}: component {k} is {off} off");
        let (p, q) = (a.explained_variance_ratio()[k], b.explained_variance_ratio()[k]);
        assert!((p / q - 1.0).abs() <= rel, "{what}: share {k} is {p} for {q}");
    }
    assert!((a.noise_variance() / b.noise_variance() - 1.0).abs() <= 1e-6, "{what}: noise");
    let size = b.mean().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    assert!(a.mean().iter().zip(b.mean()).all(|(p, q)| (p - q).abs() <= 1e-12 * size), "{what}: mean");
}

#[test]
fn products_with_few_vectors_lead_to_the_same_components() {
    for (rows, cols) in [(3000, 700), (400, 1100)] {
        let x = low_rank(rows, cols, 1);
        let exact = fit(&with(Some(ComponentCount::Count(4)), PcaSolver::Full), &x).unwrap();
        for solver in [PcaSolver::Auto, PcaSolver::Arpack] {
            let model = fit(&with(Some(ComponentCount::Count(4)), solver), &x).unwrap();
            let certificate = model.certificate().unwrap();
            assert_eq!(certificate.method, "block Lanczos", "{rows} x {cols}");
            assert!(certificate.converged && certificate.kkt_residual.unwrap() <= 1e-11);
            agree(&model, &exact, 1e-10, 1e-9, &format!("{rows} x {cols} {solver:?}"));
        }
        let near = fit(&with(Some(ComponentCount::Count(4)), PcaSolver::Randomized), &x).unwrap();
        let certificate = near.certificate().unwrap();
        assert!(certificate.kkt_residual.unwrap() <= 1e-3 && certificate.notes.iter().any(|n| n.starts_with("approximate")));
        agree(&near, &exact, 1e-5, 0.05, "randomized");
        // With fewer products, it reports the larger residual.
        let once =
            Pca { iterated_power: PowerIterations::Count(0), ..with(Some(ComponentCount::Count(4)), PcaSolver::Randomized) };
        let once = fit(&once, &x).unwrap();
        assert_eq!(once.certificate().unwrap().iterations, 1);
        assert!(once.certificate().unwrap().kkt_residual.unwrap() > certificate.kkt_residual.unwrap());
    }
}

#[test]
fn every_form_of_rows_gives_the_same_products() {
    let dense = low_rank(900, 800, 2);
    // f32 that hold the cells exactly, most of them 0.
    let x = Mat::from_fn(900, 800, |i, j| if (i * 7 + j * 3) % 10 < 8 { 0.0 } else { f64::from(dense[(i, j)] as f32) });
    let learner = with(Some(ComponentCount::Count(3)), PcaSolver::Auto);
    let want = fit(&learner, &x).unwrap();
    assert_eq!(want.certificate().unwrap().method, "block Lanczos");
    let single: Vec<f32> = x.as_slice().iter().map(|v| *v as f32).collect();
    let columns = x.view().t().to_owned();
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..900 {
        for j in (0..800).filter(|&j| x[(i, j)] != 0.0) {
            indices.push(j as u32);
            values.push(x[(i, j)]);
        }
        indptr.push(values.len());
    }
    let csr = Csr::new(indptr, indices, values, 800).unwrap();
    let table = Table::new((0..800).map(|j| (format!("c{j}"), Column::numbers(x.view().col_iter(j).collect())))).unwrap();
    for (what, features) in [
        ("f32", Features::F32(MatRef::row_major(&single, 900, 800))),
        ("columns", Features::F64(columns.view().t())),
        ("sparse", Features::Csr(csr.view())),
        ("table", Features::Table(table.view())),
    ] {
        let got = learner.fit_with(&DatasetRef::new(features), &Context::default()).unwrap();
        agree(&got, &want, 1e-10, 1e-9, what);
    }
    // Weights count rows, and a stream is memory.
    let weight: Vec<f64> = (0..900).map(|i| (i % 3) as f64).collect();
    let rows: Vec<usize> = (0..900).flat_map(|i| vec![i; i % 3]).collect();
    let twice = x.view().take_rows(&rows);
    let want = fit(&learner, &twice).unwrap();
    for features in [Features::F64(x.view()), Features::Csr(csr.view())] {
        let data = DatasetRef::new(features).with_weight(Some(&weight));
        agree(&learner.fit_with(&data, &Context::default()).unwrap(), &want, 1e-10, 1e-9, "weights");
        let stream = Pca::STREAM.unwrap()(&learner, &data, &Context::default()).unwrap();
        assert_eq!(stream, learner.fit_with(&data, &Context::default()).unwrap());
    }
    let mut bad = x.clone();
    bad[(801, 7)] = f64::NAN;
    assert_eq!(fit(&learner, &bad).unwrap_err().to_string(), "column 7, row 801: NaN is not a finite number");
}

#[test]
fn close_variances_end_with_the_covariance_and_constant_rows_with_nothing() {
    let mut s = RngStream::new(4, "noise", 0);
    let x = Mat::from_fn(700, 600, |_, _| s.normal());
    let model = fit(&with(Some(ComponentCount::Count(2)), PcaSolver::Auto), &x).unwrap();
    let exact = fit(&with(Some(ComponentCount::Count(2)), PcaSolver::CovarianceEigh), &x).unwrap();
    agree(&model, &exact, 1e-9, 1e-6, "noise");
    let constant = Mat::filled(40, 700, 3.0);
    let model = fit(&with(Some(ComponentCount::Count(2)), PcaSolver::Auto), &constant).unwrap();
    assert_eq!(model.explained_variance(), [0.0, 0.0]);
    assert!(model.transform(&Features::F64(constant.view())).unwrap().as_slice().iter().all(|v| *v == 0.0));
}

#[test]
fn a_far_mean_costs_no_digits() {
    let base = low_rank(500, 600, 3);
    let far = Mat::from_fn(500, 600, |i, j| base[(i, j)] + 1e9);
    let learner = with(Some(ComponentCount::Count(3)), PcaSolver::Auto);
    let (a, b) = (fit(&learner, &base).unwrap(), fit(&learner, &far).unwrap());
    for k in 0..3 {
        // The cells themselves lose seven digits of their spread.
        assert!((a.explained_variance()[k] / b.explained_variance()[k] - 1.0).abs() < 1e-7);
    }
}

#[test]
fn the_likelihood_is_that_of_a_normal_density() {
    let x = data("wine", true);
    for m in [0, 2, 5, 13] {
        let model = fit(&with(Some(ComponentCount::Count(m)), PcaSolver::Auto), &x).unwrap();
        // The covariance written out, and its density by Cholesky.
        let noise = if m == 13 { 0.0 } else { model.noise_variance() };
        let c = Mat::from_fn(13, 13, |i, j| {
            let along: f64 = (0..m)
                .map(|k| (model.explained_variance()[k] - noise) * model.components()[(k, i)] * model.components()[(k, j)])
                .sum();
            along + if i == j { noise } else { 0.0 }
        });
        let chol = ermine_math::linalg::Cholesky::new(c.view()).unwrap();
        let got = model.log_density(&Features::F64(x.view())).unwrap();
        for i in [0, 50, 177] {
            let centered: Vec<f64> = x.row(i).iter().zip(model.mean()).map(|(v, m)| v - m).collect();
            let mut solved = centered.clone();
            chol.solve_vec(&mut solved);
            let square: f64 = centered.iter().zip(&solved).map(|(a, b)| a * b).sum();
            let want = -0.5 * (13.0 * std::f64::consts::TAU.ln() + chol.log_determinant() + square);
            assert!((got[i] - want).abs() < 1e-8 * want.abs(), "{m} components: {} for {want}", got[i]);
        }
    }
    let model = fit(&with(Some(ComponentCount::Count(2)), PcaSolver::Auto), &x).unwrap();
    assert_eq!(model.n_parameters(), 13 + 13 * 2 - 1 + 1);
    // Rows that are drawn have the covariance of the density.
    let drawn = model.sample(200_000, 1).unwrap().unwrap();
    let again = fit(&with(None, PcaSolver::Auto), &drawn).unwrap();
    for k in 0..2 {
        assert!((again.explained_variance()[k] / model.explained_variance()[k] - 1.0).abs() < 0.02);
    }
    assert!((again.explained_variance()[12] / model.noise_variance() - 1.0).abs() < 0.02);
    let flat = fit(&Pca::default(), &Mat::filled(5, 2, 0.1)).unwrap();
    assert!(flat.log_density(&Features::F64(x.view().col_range(0..2))).is_err());
}

#[test]
fn rows_left_out_choose_the_number_of_components() {
    let mut s = RngStream::new(8, "factors", 0);
    let loadings = Mat::from_fn(3, 12, |_, _| 2.0 * s.normal());
    let x = Mat::from_fn(1500, 12, |_, _| s.normal());
    let x = {
        let z = Mat::from_fn(1500, 3, |_, _| s.normal());
        let signal = ermine_math::linalg::product(z.view(), loadings.view());
        Mat::from_fn(1500, 12, |i, j| x[(i, j)] + signal[(i, j)] + 7.0)
    };
    let learner = with(Some(ComponentCount::Rule(ComponentsRule::Cv)), PcaSolver::Auto);
    let model = fit(&learner, &x).unwrap();
    assert_eq!((model.components().rows(), model.held_out().len()), (3, 11));
    // By the definition: five fits, each on the rows of the other folds, scored on its own.
    let fold = |i: usize| held_out::PcaFold::new(0).of(x.row(i), 5);
    for m in [1, 3, 7, 11] {
        let mut sum = 0.0;
        for f in 0..5 {
            let (train, test): (Vec<usize>, Vec<usize>) = (0..1500).partition(|&i| fold(i) != f);
            let part = fit(&with(Some(ComponentCount::Count(m)), PcaSolver::Full), &x.view().take_rows(&train)).unwrap();
            sum += part.log_density(&Features::F64(x.view().take_rows(&test).view())).unwrap().iter().sum::<f64>();
        }
        let want = sum / 1500.0;
        assert!((model.held_out()[m - 1] - want).abs() < 1e-9 * want.abs(), "{m}: {} for {want}", model.held_out()[m - 1]);
    }
    // Neither the order of rows nor a stream matters.
    let order = RngStream::new(2, "order", 0).permutation(1500);
    let other = fit(&learner, &x.view().take_rows(&order)).unwrap();
    assert!(other.held_out().iter().zip(model.held_out()).all(|(a, b)| (a - b).abs() < 1e-9 * b.abs()));
    let stream = Pca::STREAM.unwrap()(&learner, &DatasetRef::new(Features::F64(x.view())), &Context::default()).unwrap();
    assert_eq!(stream, model);
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    assert_eq!(Pca::load(&out.into_reader()).unwrap(), model);
    let same = Mat::filled(9, 3, 1.0);
    assert!(fit(&learner, &same).unwrap_err().to_string().contains("different rows"));
    let mut bad = x.clone();
    bad[(1203, 2)] = f64::INFINITY;
    assert_eq!(fit(&learner, &bad).unwrap_err().to_string(), "column 2, row 1203: infinity is not a finite number");
}

/// Twenty thousand words of news, when the file is there: `ERMINE_DATA` is the folder that holds it.
#[test]
fn sparse_news_are_reproduced() {
    let Ok(folder) = std::env::var("ERMINE_DATA") else { return };
    let case = case("decomposition", "truncated_svd_news");
    let (x, _, _) = ermine_data::read_sparse_expected(
        &format!("{folder}/newsgroups20_bow_train.libsvm.gz"),
        &ermine_data::ReadOptions::default(),
    )
    .unwrap();
    // Term frequencies by inverse document frequencies, rows of length 1.
    let view = x.view();
    let mut seen = vec![0.0; view.cols()];
    (0..view.rows()).for_each(|i| view.row(i).0.iter().for_each(|&j| seen[j as usize] += 1.0));
    let n = view.rows() as f64;
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..view.rows() {
        let (places, counts) = view.row(i);
        let weighted: Vec<f64> =
            places.iter().zip(counts).map(|(&j, c)| c * (((1.0 + n) / (1.0 + seen[j as usize])).ln() + 1.0)).collect();
        let norm = weighted.iter().map(|v| v * v).sum::<f64>().sqrt();
        indices.extend_from_slice(places);
        values.extend(weighted.iter().map(|v| if norm > 0.0 { v / norm } else { 0.0 }));
        indptr.push(values.len());
    }
    let tfidf = Csr::new(indptr, indices, values, view.cols()).unwrap();
    // The rows and their negatives have mean 0, so that their components are the singular vectors of the rows as they are.
    let (rows, cols) = (tfidf.view().rows(), tfidf.view().cols());
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for sign in [1.0, -1.0] {
        for i in 0..rows {
            let (places, numbers) = tfidf.view().row(i);
            indices.extend_from_slice(places);
            values.extend(numbers.iter().map(|v| sign * v));
            indptr.push(values.len());
        }
    }
    let both = Csr::new(indptr, indices, values, cols).unwrap();
    let model = with(Some(ComponentCount::Count(20)), PcaSolver::Auto)
        .fit_with(&DatasetRef::new(Features::Csr(both.view())), &Context::default())
        .unwrap();
    let rel = case["tolerance"]["rel"].as_f64().unwrap();
    for (g, w) in model.singular_values().iter().zip(numbers(&case["expected"]["singular_values"])) {
        let got = g / 2f64.sqrt();
        assert!((got - w).abs() <= rel * w, "{got} for {w}");
    }
}
