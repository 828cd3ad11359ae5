//! Weights, streams, layouts, sparse rows, several targets, files: the same answer from every form of the same data.

use super::*;

#[test]
fn weights_are_counts_for_the_coefficients() {
    let x = random(90, 5, 8);
    let y: Vec<f64> = (0..90).map(|i| x[(i, 0)] + (i % 13) as f64).collect();
    let w: Vec<f64> = (0..90).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> = (0..90).flat_map(|i| vec![i; i % 3]).collect();
    let (xr, yr) = (x.view().take_rows(&repeated), repeated.iter().map(|&i| y[i]).collect::<Vec<_>>());
    let a = Ols::default().fit_with(&data(&x, &y).with_weight(Some(&w)), &Context::default()).unwrap();
    let b = ols(&xr, &yr);
    for j in 0..5 {
        near(a.coef()[(0, j)], b.coef()[(0, j)], 1e-12, "weighted");
    }
    assert_eq!((a.summary()[0].n_obs, b.summary()[0].n_obs), (60.0, 90.0));
    // Rows of weight 0 are absent, to the last bit of what they could change.
    let kept: Vec<usize> = (0..90).filter(|i| i % 3 > 0).collect();
    let (xk, yk) = (x.view().take_rows(&kept), kept.iter().map(|&i| y[i]).collect::<Vec<_>>());
    let wk: Vec<f64> = kept.iter().map(|&i| w[i]).collect();
    let c = Ols::default().fit_with(&data(&xk, &yk).with_weight(Some(&wk)), &Context::default()).unwrap();
    for j in 0..5 {
        near(a.coef()[(0, j)], c.coef()[(0, j)], 1e-13, "absent");
        near(a.inference().unwrap().std_err[(0, j)], c.inference().unwrap().std_err[(0, j)], 1e-12, "absent");
    }
}

#[test]
fn a_stream_gives_the_bits_of_memory() {
    let x = random(20_000, 6, 9);
    let collinear = Mat::from_fn(20_000, 6, |i, j| if j == 5 { x[(i, 0)] + x[(i, 1)] } else { x[(i, j)] });
    let y: Vec<f64> = (0..20_000).map(|i| x[(i, 0)] + (i % 17) as f64).collect();
    for x in [&x, &collinear] {
        let data = data(x, &y);
        let memory = Ols::default().fit_with(&data, &Context::default()).unwrap();
        for step in [1000, 4096, 7777] {
            let steps = [step];
            let pieces = ChunkedSource::new(data, &steps);
            let stream = run_passes_source(&Ols::default(), &pieces, &Context::default()).unwrap();
            assert_eq!((stream.coef(), stream.intercept()), (memory.coef(), memory.intercept()));
            assert_eq!(stream.inference(), memory.inference());
        }
        for block in [500, 6000, 20_000] {
            let other = run_passes_blocked(&Ols::default(), &data, &Context::default(), block).unwrap();
            for j in 0..6 {
                near(other.coef()[(0, j)], memory.coef()[(0, j)], 1e-11, "other blocks");
            }
        }
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let same = pool.install(|| Ols::default().fit_with(&data, &Context::default()).unwrap());
            assert_eq!(same.coef(), memory.coef());
        }
    }
}

#[test]
fn layouts_f32_and_sparse_rows_agree() {
    let single = Mat::from_fn(300, 5, |i, j| (random(1, 1, (i * 5 + j) as u64)[(0, 0)]) as f32);
    let x = Mat::from_fn(300, 5, |i, j| f64::from(single[(i, j)]));
    let y: Vec<f64> = (0..300).map(|i| x[(i, 0)] - x[(i, 4)] + (i % 5) as f64).collect();
    let base = ols(&x, &y);
    let by_columns: Vec<f64> = (0..5).flat_map(|j| x.view().col_iter(j).collect::<Vec<_>>()).collect();
    let (indptr, indices) = ((0..=300).map(|i| i * 5).collect(), (0..300).flat_map(|_| 0..5u32).collect());
    let sparse = Csr::new(indptr, indices, x.as_slice().to_vec(), 5).unwrap();
    let forms =
        [Features::F64(MatRef::col_major(&by_columns, 300, 5)), Features::F32(single.view()), Features::Csr(sparse.view())];
    for form in forms {
        let model = Ols::default().fit_with(&DatasetRef::new(form).with_target(Target::Real(&y)), &Context::default()).unwrap();
        for j in 0..5 {
            near(model.coef()[(0, j)], base.coef()[(0, j)], 1e-13, "coefficient");
        }
        let (a, b) = (model.predict(&form).unwrap(), base.predict(&Features::F64(x.view())).unwrap());
        for i in 0..300 {
            assert!((a[(i, 0)] - b[(i, 0)]).abs() < 1e-12);
        }
    }
}

/// A matrix with about one cell in `every` stored, and ones on a diagonal so that no column is empty.
fn sparse(rows: usize, cols: usize, every: usize, seed: u64) -> Csr {
    let mut rng = RngStream::new(seed, "sparse", 0);
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    for i in 0..rows {
        for j in 0..cols {
            if i % cols == j || rng.below(every) == 0 {
                indices.push(j as u32);
                values.push(if i % cols == j { 2.0 } else { rng.normal() });
            }
        }
        indptr.push(values.len());
    }
    Csr::new(indptr, indices, values, cols).unwrap()
}

#[test]
fn sparse_rows_give_what_dense_rows_give() {
    let x = sparse(400, 60, 20, 21);
    let dense = x.view().to_dense();
    let y: Vec<f64> = (0..400).map(|i| dense[(i, 0)] - dense[(i, 59)] + (i % 7) as f64).collect();
    let w: Vec<f64> = (0..400).map(|i| (i % 5) as f64).collect();
    let cx = Context::default();
    for weight in [None, Some(&w[..])] {
        for fit_intercept in [true, false] {
            let a = DatasetRef::new(Features::Csr(x.view())).with_target(Target::Real(&y)).with_weight(weight);
            let b = data(&dense, &y).with_weight(weight);
            let learner = Ols { fit_intercept, ..Ols::default() };
            let (p, q) = (learner.fit_with(&a, &cx).unwrap(), learner.fit_with(&b, &cx).unwrap());
            let (e, f) = (p.inference().unwrap(), q.inference().unwrap());
            for j in 0..60 {
                assert!((p.coef()[(0, j)] - q.coef()[(0, j)]).abs() < 1e-12);
                near(e.std_err[(0, j + 1)], f.std_err[(0, j + 1)], 1e-11, "standard error");
            }
            assert_eq!(p.summary()[0].df_resid, q.summary()[0].df_resid);
            near(p.summary()[0].log_likelihood, q.summary()[0].log_likelihood, 1e-12, "log-likelihood");
        }
    }
    // Not finite, and beyond the squares.
    let view = x.view();
    let scaled = |f: &dyn Fn(usize, f64) -> f64| {
        let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
        for i in 0..400 {
            let (j, v) = view.row(i);
            indices.extend_from_slice(j);
            values.extend(v.iter().map(|v| f(i, *v)));
            indptr.push(values.len());
        }
        Csr::new(indptr, indices, values, 60).unwrap()
    };
    let fit = |x: &Csr| Ols::default().fit_with(&DatasetRef::new(Features::Csr(x.view())).with_target(Target::Real(&y)), &cx);
    let bad = scaled(&|i, v| if i == 17 { f64::NAN } else { v });
    assert!(matches!(fit(&bad), Err(Error::NotFinite { row: 17, .. })));
    let plain = fit(&x).unwrap();
    for power in [700, -700] {
        let large = fit(&scaled(&|_, v| v * 2f64.powi(power))).unwrap();
        for j in 0..60 {
            let expected = plain.coef()[(0, j)] * 2f64.powi(-power);
            assert!((large.coef()[(0, j)] - expected).abs() < 1e-12 * 2f64.powi(-power));
        }
    }
}

#[test]
fn many_sparse_columns_are_solved_by_steps() {
    let x = sparse(1300, 1100, 100, 22);
    let y = Mat::from_fn(1300, 2, |i, k| (i % (5 + k)) as f64);
    let data = DatasetRef::new(Features::Csr(x.view())).with_target(Target::Reals(y.view()));
    let cx = Context::default();
    for fit_intercept in [true, false] {
        let learner = Ridge { fit_intercept, ..ridge(0.5) };
        let (a, b) = (learner.fit_with(&data, &cx).unwrap(), run_passes(&learner, &data, &cx).unwrap());
        let certificate = a.certificate().unwrap();
        assert!(certificate.method == "conjugate gradients" && certificate.converged, "{certificate:?}");
        for (a, b) in a.coef().as_slice().iter().zip(b.coef().as_slice()) {
            assert!((a - b).abs() < 1e-10, "{a} and {b}");
        }
        near(a.rss()[0], b.rss()[0], 1e-10, "rss");
    }
    let model = Ols::default().fit_with(&data, &cx).unwrap();
    assert!(model.certificate().unwrap().converged, "{:?}", model.certificate());
}

#[test]
fn each_target_is_fitted_alone() {
    let x = random(100, 4, 10);
    let y = Mat::from_fn(100, 3, |i, k| x[(i, k)] * (k + 1) as f64 + (i % (k + 2)) as f64);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Reals(y.view()));
    let cx = Context::default();
    let all = Ols::default().fit_with(&data, &cx).unwrap();
    let each = Ridge { alpha: RidgeAlpha::Each(vec![0.5, 2.0, 0.5]), ..Ridge::default() }.fit_with(&data, &cx).unwrap();
    for k in 0..3 {
        let column: Vec<f64> = y.view().col_iter(k).collect();
        let one = ols(&x, &column);
        let shrunk = ridge([0.5, 2.0, 0.5][k]).fit_with(&self::data(&x, &column), &cx).unwrap();
        for j in 0..4 {
            near(all.coef()[(k, j)], one.coef()[(0, j)], 1e-12, "ols");
            near(each.coef()[(k, j)], shrunk.coef()[(0, j)], 1e-12, "ridge");
        }
    }
    let wrong = Ridge { alpha: RidgeAlpha::Each(vec![1.0, 2.0]), ..Ridge::default() }.fit_with(&data, &cx);
    assert!(matches!(wrong, Err(Error::Length { expected: 3, found: 2, .. })));
    assert_eq!(all.predict(&Features::F64(x.view())).unwrap().cols(), 3);
}

#[test]
fn saved_and_loaded_it_predicts_the_same_bits() {
    let x = random(40, 3, 20);
    let y: Vec<f64> = (0..40).map(|i| x[(i, 0)] + (i % 3) as f64).collect();
    let features = Features::F64(x.view());
    let model = ols(&x, &y);
    let back = Ols::load(&saved(&model)).unwrap();
    assert_eq!(back.predict(&features).unwrap(), model.predict(&features).unwrap());
    assert_eq!((back.inference(), back.summary()), (model.inference(), model.summary()));
    assert_eq!(back.report(&Schema::unnamed(3)), model.report(&Schema::unnamed(3)));
    let model: RidgeModel = ridge(1.0).fit_with(&data(&x, &y), &Context::default()).unwrap();
    assert_eq!(Ridge::load(&saved(&model)).unwrap().predict(&features).unwrap(), model.predict(&features).unwrap());
    // Arrays that do not belong together are refused.
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    out.vec("intercept", &[1.0, 2.0]);
    assert!(Ridge::load(&out.into_reader()).is_err());
}

#[test]
fn the_blocks_depend_on_nothing_but_the_columns() {
    assert_eq!(Ols::default().block_rows(50), Ridge::default().block_rows(50));
}
