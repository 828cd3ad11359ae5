use super::*;
use ermine_fixtures::{TextTable, case, number, numbers};
use ermine_math::kernel::Kernel;
use ermine_prep::decomposition::{ComponentCount, Pca};

fn iris() -> Mat<f64> {
    TextTable::read("iris").split_last().0
}

fn expected(id: &str) -> (Vec<f64>, f64) {
    let case = case("decomposition", id);
    (numbers(&case["expected"]["eigenvalues"]), number(&case["tolerance"]["rel"]))
}

fn fit(learner: &KernelPca, x: &Mat<f64>) -> Result<KernelPcaModel> {
    learner.fit_with(&DatasetRef::new(Features::F64(x.view())), &Context::default())
}

fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "test", 0);
    Mat::from_fn(rows, cols, |_, j| (1.0 + j as f64) * s.normal() + 3.0)
}

/// Two circles, one inside the other.
fn circles(rows: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "circles", 0);
    let mut x = Mat::zeros(rows, 2);
    for i in 0..rows {
        let (r, a) = (if i % 2 == 0 { 0.3 } else { 1.0 }, std::f64::consts::TAU * s.uniform());
        x[(i, 0)] = r * a.cos() + 0.05 * s.normal();
        x[(i, 1)] = r * a.sin() + 0.05 * s.normal();
    }
    x
}

#[test]
fn the_reference_book_is_reproduced_by_every_solver() {
    let x = iris();
    let (values, rel) = expected("kernel_pca_iris");
    let rbf = KernelPca { n_components: Some(values.len()), kernel: Kernel::gaussian(0.5).into(), ..KernelPca::default() };
    let (scaling, scaling_rel) = expected("classical_mds_iris");
    // Classical scaling of Euclidean distances is the linear kernel.
    let linear = KernelPca { n_components: Some(scaling.len()), kernel: "linear".into(), ..KernelPca::default() };
    for eigen_solver in [EigenSolver::Auto, EigenSolver::Dense, EigenSolver::Arpack] {
        for (learner, want, rel) in [(&rbf, &values, rel), (&linear, &scaling, scaling_rel)] {
            let model = fit(&KernelPca { eigen_solver, ..learner.clone() }, &x).unwrap();
            for (g, w) in model.eigenvalues().iter().zip(want) {
                assert!((g - w).abs() <= rel * w, "{eigen_solver:?}: {g} for {w}");
            }
        }
    }
}

#[test]
fn with_the_linear_kernel_it_is_pca() {
    for (rows, cols) in [(150, 4), (600, 30), (20, 90)] {
        let (x, new) = (random(rows, cols, 1), random(7, cols, 2));
        let learner = KernelPca { n_components: Some(3), kernel: "linear".into(), ..KernelPca::default() };
        let model = fit(&learner, &x).unwrap();
        let pca = Pca { n_components: Some(ComponentCount::Count(3)), ..Pca::default() };
        let pca = pca.fit_with(&DatasetRef::new(Features::F64(x.view())), &Context::default()).unwrap();
        for k in 0..3 {
            let variance = model.eigenvalues()[k] / (rows as f64 - 1.0);
            assert!((variance / pca.explained_variance()[k] - 1.0).abs() < 1e-10);
            assert!((model.explained_variance_ratio()[k] / pca.explained_variance_ratio()[k] - 1.0).abs() < 1e-10);
        }
        for rows in [&x, &new] {
            let (a, b) =
                (model.transform(&Features::F64(rows.view())).unwrap(), pca.transform(&Features::F64(rows.view())).unwrap());
            for k in 0..3 {
                let sign = (0..rows.rows()).map(|i| a[(i, k)] * b[(i, k)]).sum::<f64>().signum();
                let size = pca.explained_variance()[0].sqrt();
                assert!((0..rows.rows()).all(|i| (a[(i, k)] - sign * b[(i, k)]).abs() < 1e-9 * size), "component {k}");
            }
        }
    }
}

#[test]
fn components_are_centered_uncorrelated_and_have_the_variance_they_say() {
    let x = random(700, 5, 3);
    for (solver, components) in [(EigenSolver::Arpack, 6), (EigenSolver::Dense, 6), (EigenSolver::Auto, 6)] {
        let learner = KernelPca { n_components: Some(components), eigen_solver: solver, ..KernelPca::default() };
        let model = fit(&learner, &x).unwrap();
        let z = model.transform(&Features::F64(x.view())).unwrap();
        let scores = model.training_scores();
        for k in 0..components {
            let own = model.eigenvalues()[k];
            assert!((0..700).all(|i| (z[(i, k)] - scores[(i, k)]).abs() < 1e-8 * own.sqrt()));
            assert!(z.view().col_iter(k).sum::<f64>().abs() < 1e-8 * 700.0);
            for l in 0..=k {
                let product: f64 = (0..700).map(|i| z[(i, k)] * z[(i, l)]).sum();
                let want = if k == l { own } else { 0.0 };
                assert!((product - want).abs() < 1e-8 * model.eigenvalues()[0], "{solver:?} {k} {l}");
            }
            let largest = z.view().col_iter(k).fold(0.0f64, |m, v| if v.abs() > m.abs() { v } else { m });
            assert!(largest > 0.0, "the sign of component {k}");
        }
        assert!(model.explained_variance_ratio().iter().sum::<f64>() < 1.0);
    }
}

#[test]
fn all_components_explain_all_variance() {
    let x = random(60, 3, 4);
    let model = fit(&KernelPca { n_components: None, ..KernelPca::default() }, &x).unwrap();
    assert!((model.explained_variance_ratio().iter().sum::<f64>() - 1.0).abs() < 1e-10);
    // One dimension is lost to the mean.
    assert!(model.eigenvalues().len() <= 59 && model.eigenvalues().iter().all(|v| *v > 0.0));
}

#[test]
fn weights_count_rows_and_approximations_say_so() {
    let x = random(400, 4, 5);
    let weight: Vec<f64> = (0..400).map(|i| (i % 3) as f64).collect();
    let rows: Vec<usize> = (0..400).flat_map(|i| vec![i; i % 3]).collect();
    let learner = KernelPca { n_components: Some(3), ..KernelPca::default() };
    let weighted = DatasetRef::new(Features::F64(x.view())).with_weight(Some(&weight));
    let a = learner.fit_with(&weighted, &Context::default()).unwrap();
    let b = fit(&learner, &x.view().take_rows(&rows)).unwrap();
    let (za, zb) = (a.transform(&Features::F64(x.view())).unwrap(), b.transform(&Features::F64(x.view())).unwrap());
    for k in 0..3 {
        assert!((a.eigenvalues()[k] / b.eigenvalues()[k] - 1.0).abs() < 1e-9);
        assert!((0..400).all(|i| (za[(i, k)] - zb[(i, k)]).abs() < 1e-7), "component {k}");
    }
    let near = fit(&KernelPca { eigen_solver: EigenSolver::Randomized, ..learner.clone() }, &x).unwrap();
    let exact = fit(&KernelPca { eigen_solver: EigenSolver::Dense, ..learner }, &x).unwrap();
    let certificate = near.certificate().unwrap();
    let error = certificate.kkt_residual.unwrap();
    assert!(error <= 1e-3 && certificate.converged, "{certificate:?}");
    for k in 0..3 {
        assert!((near.eigenvalues()[k] - exact.eigenvalues()[k]).abs() <= error * exact.eigenvalues()[0]);
    }
}

#[test]
fn circles_become_separable_and_lead_back() {
    let x = circles(400, 1);
    let learner = KernelPca {
        n_components: Some(3),
        kernel: Kernel::gaussian(2.0).into(),
        alpha: 0.1,
        fit_inverse_transform: true,
        ..KernelPca::default()
    };
    let model = fit(&learner, &x).unwrap();
    let z = model.transform(&Features::F64(x.view())).unwrap();
    let split = |k: usize| {
        let inner: Vec<f64> = (0..400).step_by(2).map(|i| z[(i, k)]).collect();
        let outer: Vec<f64> = (1..400).step_by(2).map(|i| z[(i, k)]).collect();
        let range = |v: &[f64]| v.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
        let ((a, b), (c, d)) = (range(&inner), range(&outer));
        b < c || d < a
    };
    assert!((0..3).any(split), "no component separates the circles");
    let back = model.inverse(z.view()).unwrap().unwrap();
    let off: f64 = back.as_slice().iter().zip(x.as_slice()).map(|(a, b)| (a - b) * (a - b)).sum();
    let size: f64 = x.as_slice().iter().map(|v| v * v).sum();
    assert!(off < 0.05 * size, "pre-images are {} off", (off / size).sqrt());
    let plain = fit(&KernelPca { fit_inverse_transform: false, ..learner }, &x).unwrap();
    assert!(plain.inverse(z.view()).unwrap().is_none());
}

#[test]
fn hostile_rows_are_right_or_said() {
    let learner = KernelPca { n_components: Some(3), ..KernelPca::default() };
    // Rows that are all the same have no variance behind any kernel.
    let same = Mat::filled(9, 2, 0.1);
    let model = fit(&learner, &same).unwrap();
    assert_eq!(model.eigenvalues(), [0.0; 3]);
    assert!(model.transform(&Features::F64(same.view())).unwrap().as_slice().iter().all(|v| *v == 0.0));
    let none = fit(&KernelPca { n_components: None, ..learner.clone() }, &same).unwrap();
    assert_eq!(none.transform(&Features::F64(same.view())).unwrap().cols(), 0);
    // Fewer rows than components.
    let few = random(2, 3, 1);
    assert_eq!(fit(&learner, &few).unwrap().eigenvalues().len(), 2);
    // A column that is 1e12 larger than the others decides, and nothing breaks.
    let large = Mat::from_fn(50, 2, |i, j| if j == 0 { 1e12 * ((i % 7) as f64) } else { i as f64 });
    let model = fit(&learner, &large).unwrap();
    assert!(model.transform(&Features::F64(large.view())).unwrap().as_slice().iter().all(|v| v.is_finite()));
    // Cells that are no numbers are named.
    let mut bad = random(20, 2, 2);
    bad[(7, 1)] = f64::NAN;
    assert_eq!(fit(&learner, &bad).unwrap_err().to_string(), "column 1, row 7: NaN is not a finite number");
    let precomputed = KernelPca { kernel: "precomputed".into(), ..learner.clone() };
    let wrong = precomputed.fit_with(&DatasetRef::new(Features::F64(few.view())), &Context::default()).unwrap_err().to_string();
    assert!(wrong.contains("square"), "{wrong}");
    // An indefinite matrix is an error once its negative eigenvalues are needed.
    let indefinite = Mat::from_vec(3, 3, vec![4.0, -5.0, 1.0, -5.0, 3.0, 2.0, 1.0, 2.0, -3.0]);
    let data = DatasetRef::new(Features::F64(indefinite.view()));
    assert!(KernelPca { n_components: Some(1), ..precomputed.clone() }.fit_with(&data, &Context::default()).is_ok());
    let e = precomputed.fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(e.contains("negative eigenvalues"), "{e}");
    let e = KernelPca { fit_inverse_transform: true, ..precomputed }.check().unwrap_err().to_string();
    assert!(e.contains("fit_inverse_transform"), "{e}");
}

#[test]
fn a_model_that_was_read_is_the_same_and_a_forged_one_is_refused() {
    let x = random(40, 3, 6);
    let model = fit(&KernelPca { fit_inverse_transform: true, ..KernelPca::default() }, &x).unwrap();
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    let again = KernelPca::load(&out.clone().into_reader()).unwrap();
    let z = model.transform(&Features::F64(x.view())).unwrap();
    assert_eq!(again.transform(&Features::F64(x.view())).unwrap(), z);
    assert_eq!(again.inverse(z.view()).unwrap(), model.inverse(z.view()).unwrap());
    let forge = |change: &dyn Fn(&mut ModelWriter)| {
        let mut out = out.clone();
        change(&mut out);
        assert!(KernelPca::load(&out.into_reader()).is_err());
    };
    forge(&|o| o.vec("eigenvalues", &[1.0, -1.0]));
    forge(&|o| o.vec("eigenvalues", &[1.0, 1.0, 1.0]));
    forge(&|o| o.vec("weight", &[0.0; 40]));
    forge(&|o| o.vec("kernel_means", &[f64::NAN; 40]));
}
