//! Kernel ridge regression, and feature maps that approximate kernels.

use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, Mat, Model, Regressor, RngStream, Target, Transformer};
use ermine_kernel::kernel::{AlphaChoice, GammaChoice, KernelRidge, KernelRidgeSolver, Nystroem, RandomFourier};
use ermine_linear::LinearSvm;

use crate::kernel_machines::{case, classes, scaled, with_classes, within};

fn rbf(alpha: f64, gamma: f64) -> KernelRidge {
    KernelRidge { alpha: AlphaChoice::One(alpha), gamma: GammaChoice::Number(gamma), ..KernelRidge::default() }
}

#[test]
fn diabetes() {
    let (x, y) = scaled("diabetes");
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let y: Vec<f64> = y.iter().map(|v| v - mean).collect();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    for (id, alpha, gamma) in [("krr_diabetes_1_0.1", 1.0, 0.1), ("krr_diabetes_0.1_0.05", 0.1, 0.05)] {
        let expected = &case(id)["expected"];
        for method in [KernelRidgeSolver::Auto, KernelRidgeSolver::Eigen, KernelRidgeSolver::Cg] {
            let model = KernelRidge { method, ..rbf(alpha, gamma) }.fit_with(&data, &Context::default()).unwrap();
            assert!(model.certificate().unwrap().converged);
            let tolerance = if method == KernelRidgeSolver::Cg { 1e-6 } else { 1e-7 };
            for (i, want) in expected["alpha_first10"].as_array().unwrap().iter().enumerate() {
                let want = want.as_f64().unwrap();
                within(model.dual_coef()[(i, 0)], want, tolerance * 705.0, id);
            }
            let predicted = model.predict(&data.x).unwrap();
            let mse = y.iter().enumerate().map(|(i, y)| (y - predicted[(i, 0)]).powi(2)).sum::<f64>() / y.len() as f64;
            within(mse, expected["train_mse"].as_f64().unwrap(), 1e-7 * mse, id);
        }
    }
}

#[test]
fn leaving_one_out_is_what_fitting_without_it_gives() {
    let (x, y) = scaled("diabetes");
    let (x, y) = (x.view().row_range(0..60).to_owned(), &y[..60]);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(y));
    let grid = [0.01, 0.3, 5.0];
    let chosen =
        KernelRidge { alpha: AlphaChoice::Grid(grid.to_vec()), ..rbf(1.0, 0.1) }.fit_with(&data, &Context::default()).unwrap();
    let mut errors = Vec::new();
    for alpha in grid {
        let mut sum = 0.0;
        for out in 0..60 {
            let rows: Vec<usize> = (0..60).filter(|&i| i != out).collect();
            let part = data.take_rows(&rows);
            let model = rbf(alpha, 0.1).fit_with(&part.view(), &Context::default()).unwrap();
            sum += (y[out] - model.predict(&data.x.row_range(out..out + 1)).unwrap()[(0, 0)]).powi(2);
        }
        errors.push(sum / 60.0);
    }
    for (got, want) in chosen.left_out().iter().zip(&errors) {
        within(got.1, *want, 1e-8 * want, "mean squared error left out");
    }
    let best = (0..3).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap();
    assert_eq!(chosen.alpha(), grid[best]);
}

#[test]
fn feature_maps_come_near_their_kernel() {
    let mut draw = RngStream::new(1, "rows", 0);
    let x = Mat::from_fn(600, 5, |_, _| draw.normal());
    let y: Vec<f64> = (0..600).map(|i| f64::from(u8::from(x[(i, 0)] * x[(i, 1)] > 0.0))).collect();
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let gamma = GammaChoice::Number(0.2);
    let few =
        Nystroem { n_components: 50, gamma: gamma.clone(), ..Nystroem::default() }.fit_with(&data, &Context::default()).unwrap();
    let many =
        Nystroem { n_components: 300, gamma: gamma.clone(), ..Nystroem::default() }.fit_with(&data, &Context::default()).unwrap();
    assert!(many.approximation_error() < few.approximation_error() && many.approximation_error() < 0.05);
    // With every row as a landmark there is no error left.
    let all =
        Nystroem { n_components: 600, gamma: gamma.clone(), ..Nystroem::default() }.fit_with(&data, &Context::default()).unwrap();
    assert!(all.approximation_error() < 1e-6, "{}", all.approximation_error());
    let coarse = RandomFourier { n_components: 50, gamma: gamma.clone() }.fit_with(&data, &Context::default()).unwrap();
    let fine = RandomFourier { n_components: 5000, gamma }.fit_with(&data, &Context::default()).unwrap();
    // The error of random features falls as one over the root of their number.
    assert!(
        fine.approximation_error() < 0.2 * coarse.approximation_error(),
        "{} {}",
        fine.approximation_error(),
        coarse.approximation_error()
    );
    // A linear model on them fits what no line can.
    let z = many.transform(&data.x).unwrap();
    let behind = with_classes(Features::F64(z.view()), &targets);
    let hits = |data: &DatasetRef<'_>| {
        let model = LinearSvm { max_iter: 200, ..LinearSvm::default() }.fit_with(data, &Context::default()).unwrap();
        model.classify(&data.x).unwrap().iter().zip(&y).filter(|(a, b)| f64::from(**a) == **b).count()
    };
    assert!(hits(&behind) > 560 && hits(&data) < 400, "{} {}", hits(&behind), hits(&data));
}

#[test]
fn conjugate_gradients_take_few_steps_and_the_same_ones_on_any_number_of_threads() {
    let mut draw = RngStream::new(5, "rows", 0);
    let x = Mat::from_fn(3000, 4, |_, _| draw.normal());
    let y: Vec<f64> = (0..3000).map(|i| (x[(i, 0)] * x[(i, 1)]).sin() + x[(i, 2)]).collect();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let learner = KernelRidge { method: KernelRidgeSolver::Cg, tol: 1e-10, ..rbf(1e-3, 0.3) };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learner.fit_with(&data, &Context::default()).unwrap())
    };
    let model = on(1);
    let certificate = model.certificate().unwrap();
    // The condition of the matrix is about a million: without a preconditioner it takes thousands.
    assert!(certificate.converged && certificate.iterations < 150, "{certificate:?}");
    assert!(certificate.kkt_residual.unwrap() < 1e-9);
    assert!([2, 7].into_iter().all(|threads| on(threads).dual_coef() == model.dual_coef()));
    let direct = rbf(1e-3, 0.3).fit_with(&data, &Context::default()).unwrap();
    let (a, b) = (model.predict(&data.x).unwrap(), direct.predict(&data.x).unwrap());
    (0..3000).for_each(|i| within(a[(i, 0)], b[(i, 0)], 1e-7, "prediction"));
}
