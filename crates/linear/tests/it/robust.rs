//! Huber, quantile and expectile regression against reference values, brute force and the conditions of optimality.

use ermine_core::{Context, Csr, DatasetRef, Features, Learner, Mat, MatRef, Model, RngStream, Target};
use ermine_fixtures::{TextTable, cases, near, numbers, standardized_columns};
use ermine_linear::{Expectile, Huber, HuberModel, Ols, Quantile, QuantileModel, Ridge, RidgeAlpha};

fn diabetes() -> (Mat<f64>, Vec<f64>) {
    let (x, y) = TextTable::read("diabetes").split_target();
    (standardized_columns(&x), y)
}

fn data<'a>(x: &'a Mat<f64>, y: &'a [f64]) -> DatasetRef<'a> {
    DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y))
}

fn quantile(level: f64, alpha: f64, data: &DatasetRef<'_>) -> QuantileModel {
    Quantile { quantile: level, alpha, ..Quantile::default() }.fit_with(data, &Context::default()).unwrap()
}

fn random(rows: usize, cols: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let mut rng = RngStream::new(seed, "robust test", 0);
    let x = Mat::from_fn(rows, cols, |_, _| rng.normal());
    let y = (0..rows).map(|i| 1.0 + x.row(i).iter().sum::<f64>() + rng.normal() * if rng.uniform() < 0.1 { 20.0 } else { 1.0 });
    let y = y.collect();
    (x, y)
}

fn residuals(x: &Mat<f64>, y: &[f64], coef: &[f64], intercept: f64) -> Vec<f64> {
    (0..y.len()).map(|i| y[i] - intercept - x.row(i).iter().zip(coef).map(|(a, b)| a * b).sum::<f64>()).collect()
}

fn pinball(r: f64, level: f64) -> f64 {
    (level * r).max((level - 1.0) * r)
}

#[test]
fn the_book() {
    let (x, y) = diabetes();
    let mut seen = 0;
    for case in cases("linear_models") {
        let id = case["id"].as_str().unwrap();
        let (expected, tolerance) = (&case["expected"], &case["tolerance"]);
        if id.starts_with("quantile_diabetes") {
            let level = case["params"]["tau"].as_f64().unwrap();
            let model = quantile(level, 0.0, &data(&x, &y));
            let rel = tolerance["coef_rel"].as_f64().unwrap();
            near(model.intercept(), expected["intercept"].as_f64().unwrap(), rel, id);
            numbers(&expected["coef"]).iter().zip(model.coef()).for_each(|(e, f)| near(*f, *e, rel, id));
            let r = residuals(&x, &y, model.coef(), model.intercept());
            let objective: f64 = r.iter().map(|r| pinball(*r, level)).sum();
            near(objective, expected["objective"].as_f64().unwrap(), 1e-12, id);
            let on: Vec<f64> = (0..r.len()).filter(|&i| r[i].abs() < 1e-10).map(|i| i as f64).collect();
            assert_eq!(on, numbers(&expected["interpolated_rows"]), "{id}");
            let certificate = model.certificate().unwrap();
            near(certificate.objective.unwrap() * y.len() as f64, objective, 1e-12, "objective of the certificate");
            assert!(certificate.converged && certificate.kkt_residual.unwrap() <= 1e-10, "{certificate:?}");
            assert!(certificate.duality_gap.unwrap() <= 1e-12 * objective, "{certificate:?}");
            seen += 1;
        } else if id == "huber_diabetes" {
            let k = case["params"]["k"].as_f64().unwrap();
            let learner = Huber { alpha: 0.0, scale: Some(k / 1.35), ..Huber::default() };
            let model = learner.fit_with(&data(&x, &y), &Context::default()).unwrap();
            let rel = tolerance["rel"].as_f64().unwrap();
            near(model.intercept(), expected["intercept"].as_f64().unwrap(), rel, id);
            numbers(&expected["coef"]).iter().zip(model.coef()).for_each(|(e, f)| near(*f, *e, rel, id));
            let rho = |r: f64| if r.abs() <= k { 0.5 * r * r } else { k * r.abs() - 0.5 * k * k };
            let objective: f64 = residuals(&x, &y, model.coef(), model.intercept()).into_iter().map(rho).sum();
            near(objective, expected["objective"].as_f64().unwrap(), 1e-12, id);
            seen += 1;
        }
    }
    assert_eq!(seen, 4);
}

/// Calls `visit` with every choice of `k` of `n`.
fn choices(n: usize, k: usize, from: usize, chosen: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
    if chosen.len() == k {
        return visit(chosen);
    }
    for i in from..n {
        chosen.push(i);
        choices(n, k, i + 1, chosen, visit);
        chosen.pop();
    }
}

/// The least objective over all planes through rows (and coefficients at 0), by elimination.
fn brute_force(x: &Mat<f64>, y: &[f64], w: &[f64], level: f64, alpha: f64) -> f64 {
    let (n, q) = (x.rows(), x.cols() + 1);
    let row = |i: usize| -> Vec<f64> {
        if i < n {
            x.row(i).iter().copied().chain([1.0, y[i]]).collect()
        } else {
            (0..=q).map(|j| f64::from(u8::from(j == i - n))).collect()
        }
    };
    let total: f64 = w.iter().sum();
    let units = if alpha > 0.0 { q - 1 } else { 0 };
    let mut best = f64::INFINITY;
    choices(n + units, q, 0, &mut Vec::new(), &mut |basis| {
        let mut a: Vec<Vec<f64>> = basis.iter().map(|&i| row(i)).collect();
        for k in 0..q {
            let pivot = (k..q).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
            a.swap(k, pivot);
            if a[k][k].abs() < 1e-9 {
                return;
            }
            for i in 0..q {
                if i != k {
                    let f = a[i][k] / a[k][k];
                    (k..=q).for_each(|j| a[i][j] -= f * a[k][j]);
                }
            }
        }
        let b: Vec<f64> = (0..q).map(|k| a[k][q] / a[k][k]).collect();
        let r = residuals(x, y, &b[..q - 1], b[q - 1]);
        let loss: f64 = r.iter().zip(w).map(|(r, w)| w * pinball(*r, level)).sum();
        best = best.min(loss / total + alpha * b[..q - 1].iter().map(|b| b.abs()).sum::<f64>());
    });
    best
}

#[test]
fn no_plane_through_rows_is_better() {
    for seed in 0..30 {
        let (x, y) = random(9, 2, seed);
        let mut rng = RngStream::new(seed, "weights", 0);
        let w: Vec<f64> = (0..9).map(|i| if i == 4 { 0.0 } else { rng.uniform() + 0.1 }).collect();
        for level in [0.0, 0.1, 0.35, 0.5, 0.8, 1.0] {
            for alpha in [0.0, 0.05, 0.5] {
                let best = brute_force(&x, &y, &w, level, alpha);
                let model = quantile(level, alpha, &data(&x, &y).with_weight(Some(&w)));
                let c = model.certificate().unwrap();
                let objective = c.objective.unwrap();
                assert!((objective - best).abs() <= 1e-11 * best.max(1e-3), "{seed} {level} {alpha}: {objective} {best}\n{c:?}");
                assert!(c.converged);
            }
        }
    }
}

#[test]
fn whole_numbers_with_many_ties_are_solved_too() {
    for seed in 0..40 {
        let mut rng = RngStream::new(seed, "ties", 0);
        let x = Mat::from_fn(12, 2, |_, _| rng.below(3) as f64);
        let y: Vec<f64> = (0..12).map(|_| rng.below(4) as f64).collect();
        for level in [0.25, 0.5, 0.75] {
            for alpha in [0.0, 0.1] {
                let best = brute_force(&x, &y, &[1.0; 12], level, alpha);
                if !best.is_finite() {
                    continue;
                }
                let model = quantile(level, alpha, &data(&x, &y));
                let c = model.certificate().unwrap();
                assert!((c.objective.unwrap() - best).abs() <= 1e-11, "{seed} {level} {alpha}: {best} {c:?}");
                assert!(c.converged, "{c:?}");
            }
        }
    }
}

/// Checks the conditions of optimality at the coefficients alone: some pulls within the limits balance.
fn is_optimal(x: &Mat<f64>, y: &[f64], model: &QuantileModel, level: f64) {
    // For every direction the objective rises; directions along single coefficients and random ones.
    let n = y.len() as f64;
    let objective = |coef: &[f64], intercept: f64| -> f64 {
        residuals(x, y, coef, intercept).iter().map(|r| pinball(*r, level)).sum::<f64>() / n
    };
    let here = objective(model.coef(), model.intercept());
    let mut rng = RngStream::new(1, "directions", 0);
    for k in 0..40 {
        let mut coef = model.coef().to_vec();
        let step = 10f64.powi(-(k % 6));
        coef.iter_mut().for_each(|b| *b += step * rng.normal());
        let moved = objective(&coef, model.intercept() + step * rng.normal());
        assert!(moved >= here * (1.0 - 1e-13), "{moved} below {here}");
    }
}

#[test]
fn many_rows_give_the_plane_of_all() {
    for (n, p, seed) in [(4000, 3, 1), (30_000, 5, 2), (20_000, 1, 3)] {
        let (x, y) = random(n, p, seed);
        for level in [0.03, 0.5, 0.9] {
            let model = quantile(level, 0.0, &data(&x, &y));
            let r = residuals(&x, &y, model.coef(), model.intercept());
            let on = r.iter().filter(|r| r.abs() < 1e-9).count();
            let below = r.iter().filter(|r| **r < -1e-9).count() as f64;
            assert_eq!(on, p + 1);
            assert!(below <= n as f64 * level && below + on as f64 >= n as f64 * level, "{below} of {n} below at {level}");
            is_optimal(&x, &y, &model, level);
            let c = model.certificate().unwrap();
            assert!(c.converged && c.duality_gap.unwrap() <= 1e-11 * c.objective.unwrap(), "{c:?}");
        }
    }
}

#[test]
fn without_columns_that_say_something_it_is_the_quantile_of_the_sample() {
    let mut rng = RngStream::new(5, "sample quantile", 0);
    for n in [1, 2, 7, 50] {
        let x = Mat::filled(n, 1, 3.0);
        let y: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let w: Vec<f64> = (0..n).map(|_| rng.uniform() + 0.01).collect();
        for level in [0.2, 0.5, 0.77] {
            let model = quantile(level, 0.0, &data(&x, &y).with_weight(Some(&w)));
            let level_value = model.intercept() + 3.0 * model.coef()[0];
            let total: f64 = w.iter().sum();
            let below: f64 = (0..n).filter(|&i| y[i] < level_value - 1e-9).map(|i| w[i]).sum();
            let not_above: f64 = (0..n).filter(|&i| y[i] <= level_value + 1e-9).map(|i| w[i]).sum();
            assert!(below <= level * total + 1e-9 && not_above >= level * total - 1e-9);
        }
    }
    // An even number of rows: the lower of the two medians.
    let x = Mat::filled(4, 1, 0.0);
    assert_eq!(quantile(0.5, 0.0, &data(&x, &[4.0, 1.0, 3.0, 2.0])).intercept(), 2.0);
}

#[test]
fn quantiles_follow_their_targets_and_columns() {
    let (x, y) = random(60, 3, 8);
    let level = 0.3;
    let base = quantile(level, 0.0, &data(&x, &y));
    let same = |coef: &[f64], expected: &[f64]| coef.iter().zip(expected).for_each(|(a, b)| near(*a, *b, 1e-9, "coefficient"));
    // Three times the target, plus a plane.
    let moved: Vec<f64> = (0..60).map(|i| 3.0 * y[i] + 2.0 * x[(i, 0)] - x[(i, 2)] + 7.0).collect();
    let model = quantile(level, 0.0, &data(&x, &moved));
    let b = base.coef();
    same(model.coef(), &[3.0 * b[0] + 2.0, 3.0 * b[1], 3.0 * b[2] - 1.0]);
    near(model.intercept(), 3.0 * base.intercept() + 7.0, 1e-9, "intercept");
    // Turned over.
    let turned: Vec<f64> = y.iter().map(|y| -y).collect();
    let model = quantile(1.0 - level, 0.0, &data(&x, &turned));
    same(model.coef(), &[-b[0], -b[1], -b[2]]);
    // Other columns for the same space.
    let z = Mat::from_fn(60, 3, |i, j| match j {
        0 => x[(i, 0)] + x[(i, 1)],
        1 => 1e5 * x[(i, 1)] - 3e7,
        _ => 1e-3 * x[(i, 2)],
    });
    let model = quantile(level, 0.0, &data(&z, &y));
    same(model.coef(), &[b[0], (b[1] - b[0]) * 1e-5, b[2] * 1e3]);
}

#[test]
fn layouts_f32_and_sparse_rows_agree() {
    let mut rng = RngStream::new(3, "forms", 0);
    let x = Mat::from_fn(300, 4, |_, _| if rng.uniform() < 0.5 { 0.0 } else { f64::from(rng.normal() as f32) });
    let y: Vec<f64> = (0..300).map(|i| x[(i, 0)] - x[(i, 3)] + rng.normal()).collect();
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    for i in 0..300 {
        for j in (0..4).filter(|&j| x[(i, j)] != 0.0) {
            indices.push(j as u32);
            values.push(x[(i, j)]);
        }
        indptr.push(values.len());
    }
    let sparse = Csr::new(indptr, indices, values, 4).unwrap();
    let single = Mat::from_fn(300, 4, |i, j| x[(i, j)] as f32);
    let columns: Vec<f64> = (0..4).flat_map(|j| x.view().col_iter(j).collect::<Vec<_>>()).collect();
    let forms = [
        Features::F64(x.view()),
        Features::F64(MatRef::col_major(&columns, 300, 4)),
        Features::F32(single.view()),
        Features::Csr(sparse.view()),
    ];
    for alpha in [0.0, 0.01] {
        let all: Vec<Vec<Vec<f64>>> = forms
            .iter()
            .map(|f| {
                let d = DatasetRef::new(*f).with_target(Target::Real(&y));
                let h = Huber { alpha, ..Huber::default() }.fit_with(&d, &Context::default()).unwrap();
                let e = Expectile { alpha, tau: 0.8, ..Expectile::default() }.fit_with(&d, &Context::default()).unwrap();
                vec![quantile(0.6, alpha, &d).coef().to_vec(), h.coef().to_vec(), e.coef().to_vec()]
            })
            .collect();
        for other in &all[1..] {
            for (a, b) in all[0].iter().flatten().zip(other.iter().flatten()) {
                assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} {b}");
            }
        }
    }
}

/// Half the gradient of Huber's objective by coefficients, intercept and scale, and its value.
fn huber_objective(x: &Mat<f64>, y: &[f64], coef: &[f64], intercept: f64, scale: f64, learner: &Huber) -> f64 {
    let h = |z: f64| if z.abs() <= learner.epsilon { z * z } else { 2.0 * learner.epsilon * z.abs() - learner.epsilon.powi(2) };
    let loss: f64 = residuals(x, y, coef, intercept).iter().map(|r| scale + h(r / scale) * scale).sum();
    loss + learner.alpha * coef.iter().map(|b| b * b).sum::<f64>()
}

fn huber_is_stationary(x: &Mat<f64>, y: &[f64], model: &HuberModel, learner: &Huber) {
    let at = |k: usize, step: f64| -> f64 {
        let mut coef = model.coef().to_vec();
        let (mut intercept, mut scale) = (model.intercept(), model.scale());
        match k {
            k if k < coef.len() => coef[k] += step,
            k if k == coef.len() => intercept += step,
            _ => scale += step,
        }
        huber_objective(x, y, &coef, intercept, scale, learner)
    };
    for k in 0..x.cols() + 1 + usize::from(learner.scale.is_none()) {
        let h = 1e-4 * model.scale();
        let (up, down, here) = (at(k, h), at(k, -h), at(k, 0.0));
        let slope = (up - down) / (2.0 * h);
        let curvature = (up - 2.0 * here + down) / (h * h);
        assert!(slope.abs() <= 1e-3 * h * curvature.abs() + 1e-10 * here / h, "slope {slope:e} of {k}, curvature {curvature:e}");
    }
}

#[test]
fn huber_ends_where_the_slope_is_zero() {
    for seed in 0..5 {
        let (x, y) = random(400, 4, seed);
        for (epsilon, alpha, scale) in
            [(1.35, 1e-4, None), (1.1, 0.0, None), (2.0, 50.0, None), (1.5, 1.0, Some(0.7)), (3.0, 0.0, Some(5.0))]
        {
            let learner = Huber { epsilon, alpha, scale, ..Huber::default() };
            let model = learner.fit_with(&data(&x, &y), &Context::default()).unwrap();
            let c = model.certificate().unwrap();
            assert!(c.converged && c.kkt_residual.unwrap() < 1e-9, "{c:?}");
            near(
                c.objective.unwrap(),
                huber_objective(&x, &y, model.coef(), model.intercept(), model.scale(), &learner),
                1e-12,
                "objective",
            );
            huber_is_stationary(&x, &y, &model, &learner);
            let objectives = model.trace().unwrap().column("objective").unwrap();
            assert!(objectives.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{objectives:?}");
        }
    }
}

#[test]
fn huber_without_far_rows_is_ridge() {
    let (x, y) = random(100, 3, 9);
    let learner = Huber { epsilon: 1e6, alpha: 0.5, ..Huber::default() };
    let model = learner.fit_with(&data(&x, &y), &Context::default()).unwrap();
    let ridge = Ridge { alpha: RidgeAlpha::One(0.5 * model.scale()), ..Ridge::default() };
    let ridge = ridge.fit_with(&data(&x, &y), &Context::default()).unwrap();
    (0..3).for_each(|j| near(model.coef()[j], ridge.coef()[(0, j)], 1e-9, "coefficient"));
    near(model.scale(), (ridge.rss()[0] / 100.0).sqrt(), 1e-9, "scale");
}

#[test]
fn huber_says_when_the_scale_vanishes() {
    let (x, _) = random(50, 2, 4);
    let mut y: Vec<f64> = (0..50).map(|i| 2.0 + 3.0 * x[(i, 0)] - x[(i, 1)]).collect();
    let model = Huber { alpha: 0.0, ..Huber::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
    near(model.coef()[0], 3.0, 1e-12, "coefficient");
    assert!(model.scale() < 1e-9 && model.certificate().unwrap().notes.iter().any(|n| n.contains("perfect fit")));
    // A third of the rows is off; the others lie on the plane exactly.
    (0..50).step_by(3).for_each(|i| y[i] += 10.0 + i as f64);
    let model = Huber { alpha: 0.0, ..Huber::default() }.fit_with(&data(&x, &y), &Context::default()).unwrap();
    let c = model.certificate().unwrap();
    near(model.coef()[0], 3.0, 1e-6, "coefficient");
    near(model.intercept(), 2.0, 1e-6, "intercept");
    assert!(c.notes.iter().any(|n| n.contains("least absolute")), "{c:?}");
    // One target for all rows.
    let y = vec![4.0; 50];
    let model = Huber::default().fit_with(&data(&x, &y), &Context::default()).unwrap();
    assert!((model.intercept() - 4.0).abs() < 1e-12 && model.coef().iter().all(|b| b.abs() < 1e-12));
}

#[test]
fn expectiles_balance_what_lies_above_and_below() {
    let (x, y) = random(300, 3, 11);
    let mut rng = RngStream::new(2, "weights", 0);
    let w: Vec<f64> = (0..300).map(|_| rng.below(3) as f64).collect();
    for tau in [1e-3, 0.1, 0.5, 0.9, 0.999] {
        for alpha in [0.0, 3.0] {
            let learner = Expectile { tau, alpha, ..Expectile::default() };
            let model = learner.fit_with(&data(&x, &y).with_weight(Some(&w)), &Context::default()).unwrap();
            let r = residuals(&x, &y, model.coef(), model.intercept());
            let pull: Vec<f64> = (0..300).map(|i| w[i] * r[i] * if r[i] < 0.0 { 1.0 - tau } else { tau }).collect();
            let size: f64 = pull.iter().map(|p| p.abs()).sum();
            assert!(pull.iter().sum::<f64>().abs() < 1e-12 * size);
            for j in 0..3 {
                let g: f64 = (0..300).map(|i| pull[i] * x[(i, j)]).sum::<f64>() - alpha * model.coef()[j];
                assert!(g.abs() < 1e-12 * size, "{tau} {alpha}: {g:e} of {size}");
            }
            assert!(model.certificate().unwrap().converged);
        }
    }
    let half = Expectile::default().fit_with(&data(&x, &y), &Context::default()).unwrap();
    let ols = Ols::default().fit_with(&data(&x, &y), &Context::default()).unwrap();
    (0..3).for_each(|j| near(half.coef()[j], ols.coef()[(0, j)], 1e-14, "half"));
    assert!(Expectile { tau: 1.0, ..Expectile::default() }.check().is_err());
    assert!(Expectile { tau: 0.0, ..Expectile::default() }.check().is_err());
}

#[test]
fn levels_0_and_1_are_the_nearest_planes_below_and_above() {
    let (x, y) = random(200, 2, 12);
    for (level, side) in [(0.0, 1.0), (1.0, -1.0)] {
        let model = quantile(level, 0.0, &data(&x, &y));
        let r: Vec<f64> = residuals(&x, &y, model.coef(), model.intercept()).iter().map(|r| side * r).collect();
        assert!(r.iter().all(|r| *r > -1e-9));
        assert_eq!(r.iter().filter(|r| r.abs() < 1e-9).count(), 3);
        // No other plane through three rows that stays on this side is nearer in sum.
        let near_level = quantile(level + side * 1e-5, 0.0, &data(&x, &y));
        model.coef().iter().zip(near_level.coef()).for_each(|(a, b)| near(*a, *b, 1e-9, "limit"));
        let penalized = quantile(level, 0.1, &data(&x, &y));
        let end = y.iter().map(|y| side * y).fold(f64::INFINITY, f64::min) * side;
        assert_eq!((penalized.intercept(), penalized.coef()), (end, &[0.0, 0.0][..]));
    }
}

#[test]
fn hostile_data_gets_an_answer() {
    let fit = |x: &Mat<f64>, y: &[f64], w: Option<&[f64]>| {
        let d = data(x, y).with_weight(w);
        let cx = Context::default();
        for alpha in [0.0, 1e-3] {
            let q = Quantile { alpha, quantile: 0.4, ..Quantile::default() }.fit_with(&d, &cx).unwrap();
            let h = Huber { alpha, ..Huber::default() }.fit_with(&d, &cx).unwrap();
            let e = Expectile { alpha, tau: 0.7, ..Expectile::default() }.fit_with(&d, &cx).unwrap();
            for values in [q.coef(), h.coef(), e.coef()] {
                assert!(values.iter().all(|v| v.is_finite()));
            }
            assert!(q.intercept().is_finite() && h.intercept().is_finite() && e.intercept().is_finite());
        }
    };
    let (x, y) = random(40, 3, 13);
    // Columns that depend on each other.
    let collinear = Mat::from_fn(40, 4, |i, j| if j == 3 { x[(i, 0)] - 2.0 * x[(i, 1)] } else { x[(i, j)] });
    fit(&collinear, &y, None);
    let a = quantile(0.5, 0.0, &data(&collinear, &y));
    let b = quantile(0.5, 0.0, &data(&x, &y));
    near(a.certificate().unwrap().objective.unwrap(), b.certificate().unwrap().objective.unwrap(), 1e-10, "collinear");
    assert!(a.certificate().unwrap().notes.iter().any(|n| n.contains("rank 3 of 4")));
    // One target, one row, more columns than rows, rows without weight.
    fit(&x, &[1.5; 40], None);
    fit(&Mat::from_fn(1, 3, |_, j| j as f64), &[2.0], None);
    fit(&Mat::from_fn(5, 9, |i, j| ((i * 7 + j * j * 3) % 11) as f64), &[1.0, 5.0, 2.0, -1.0, 0.5], None);
    let w: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i < 3))).collect();
    fit(&x, &y, Some(&w));
    // Any units.
    for (sx, sy) in [(1e-300, 1.0), (1e300, 1.0), (1.0, 1e300), (1.0, 1e-300), (1e150, 1e-150), (1e-200, 1e80)] {
        let scaled = Mat::from_fn(40, 3, |i, j| x[(i, j)] * if j == 1 { sx } else { 1.0 });
        let target: Vec<f64> = y.iter().map(|y| y * sy).collect();
        let d = data(&scaled, &target);
        let cx = Context::default();
        let base = quantile(0.5, 0.0, &data(&x, &y));
        let q = Quantile { alpha: 0.0, ..Quantile::default() }.fit_with(&d, &cx).unwrap();
        (0..3).for_each(|j| near(q.coef()[j] / sy * if j == 1 { sx } else { 1.0 }, base.coef()[j], 1e-9, "quantile units"));
        let none = Huber { alpha: 0.0, ..Huber::default() };
        let (h, base) = (none.fit_with(&d, &cx).unwrap(), none.fit_with(&data(&x, &y), &cx).unwrap());
        (0..3).for_each(|j| near(h.coef()[j] / sy * if j == 1 { sx } else { 1.0 }, base.coef()[j], 1e-7, "huber units"));
        let none = Expectile { tau: 0.8, ..Expectile::default() };
        let (e, base) = (none.fit_with(&d, &cx).unwrap(), none.fit_with(&data(&x, &y), &cx).unwrap());
        (0..3).for_each(|j| near(e.coef()[j] / sy * if j == 1 { sx } else { 1.0 }, base.coef()[j], 1e-9, "expectile units"));
    }
}

#[test]
fn a_hundred_rows_of_a_hundred_thousand_sparse_columns() {
    let mut rng = RngStream::new(6, "wide", 0);
    let (rows, cols) = (100, 100_000);
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    let mut y = Vec::new();
    for _ in 0..rows {
        let mut target = rng.normal();
        for k in 0..20 {
            let j = if k == 0 { 7 } else { rng.below(cols) as u32 };
            let v = rng.normal();
            if j == 7 {
                target += 3.0 * v;
            }
            indices.push(j);
            values.push(v);
        }
        indptr.push(values.len());
        y.push(target);
    }
    let x = Csr::new(indptr, indices, values, cols).unwrap();
    let d = DatasetRef::new(Features::Csr(x.view())).with_target(Target::Real(&y));
    let model = quantile(0.5, 0.05, &d);
    let c = model.certificate().unwrap();
    assert!(c.converged && c.duality_gap.unwrap() <= 1e-9 * c.objective.unwrap(), "{c:?}");
    assert!(model.coef()[7] > 1.0 && model.coef().iter().filter(|b| **b != 0.0).count() <= rows);
    // Without penalty every row can be met.
    let model = quantile(0.5, 0.0, &d);
    assert!(model.certificate().unwrap().objective.unwrap() < 1e-9);
    for alpha in [0.0, 1e-4, 1.0] {
        let h = Huber { alpha, ..Huber::default() }.fit_with(&d, &Context::default()).unwrap();
        let e = Expectile { alpha, tau: 0.9, ..Expectile::default() }.fit_with(&d, &Context::default()).unwrap();
        assert!(h.coef().iter().chain(e.coef()).all(|v| v.is_finite()));
        assert!(e.certificate().unwrap().converged, "{:?}", e.certificate());
    }
}

/// 100 rows of 20 000 sparse columns, of which five matter.
fn wide_sparse() -> (Csr, Vec<f64>) {
    let mut rng = RngStream::new(77, "wide quantile", 0);
    let (rows, cols) = (100, 20_000u32);
    let (mut indptr, mut indices, mut values, mut y) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let mut at: Vec<u32> = (0..40).map(|_| rng.below(cols as usize) as u32).chain(0..5).collect();
        at.sort_unstable();
        at.dedup();
        let cells: Vec<f64> = at.iter().map(|_| rng.uniform()).collect();
        y.push(cells[..5].iter().sum::<f64>() + rng.normal());
        indices.extend(at);
        values.extend(cells);
        indptr.push(values.len());
    }
    (Csr::new(indptr, indices, values, cols as usize).unwrap(), y)
}

#[test]
fn many_more_columns_than_rows_are_proved_optimal_by_few_of_them() {
    let (x, y) = wide_sparse();
    let d = DatasetRef::new(Features::Csr(x.view())).with_target(Target::Real(&y));
    for alpha in [0.02, 0.004, 1e-3, 1e-6] {
        for level in [0.5, 0.9] {
            let model = quantile(level, alpha, &d);
            let certificate = model.certificate().unwrap();
            let used = model.coef().iter().filter(|b| **b != 0.0).count();
            assert!(used <= 100, "{used} coefficients through 100 rows");
            // The objective at the model, written out; the gap bounds its distance from that of any other.
            let loss: f64 = (0..100)
                .map(|i| {
                    let (indices, values) = x.view().row(i);
                    let fitted: f64 = indices.iter().zip(values).map(|(&j, v)| v * model.coef()[j as usize]).sum();
                    pinball(y[i] - model.intercept() - fitted, level)
                })
                .sum();
            let objective = loss / 100.0 + alpha * model.coef().iter().map(|b| b.abs()).sum::<f64>();
            near(objective, certificate.objective.unwrap(), 1e-9, "objective");
            assert!(certificate.duality_gap.unwrap() <= 1e-12 && certificate.converged, "{certificate:?}");
        }
    }
}

#[test]
fn a_penalty_that_leaves_no_coefficient_is_said_to_with_one_that_does() {
    let (x, y) = random(60, 3, 8);
    let model = quantile(0.5, 100.0, &data(&x, &y));
    let note = model.certificate().unwrap().notes.iter().find(|n| n.contains("every coefficient at 0")).cloned().unwrap();
    let first: f64 = note.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(quantile(0.5, first * 1.001, &data(&x, &y)).coef().iter().all(|b| *b == 0.0));
    assert!(quantile(0.5, first * 0.9, &data(&x, &y)).coef().iter().any(|b| *b != 0.0));
}
