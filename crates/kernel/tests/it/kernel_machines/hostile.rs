//! Degenerate and hostile data.

use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, Mat, MatRef, Model, Target};
use ermine_kernel::kernel::GammaChoice;
use ermine_kernel::svm::Svm;
use ermine_math::kernel::Kernel;

use crate::kernel_machines::{classes, scaled, with_classes, within};

fn hard(kernel: &str) -> Svm {
    Svm { c: None, kernel: kernel.into(), ..Svm::default() }
}

#[test]
fn a_hard_margin_finds_the_widest_street() {
    // Two parallel lines of points; the margin between them is known.
    let x = Mat::from_fn(40, 2, |i, j| {
        let t = (i % 20) as f64 * 0.3 - 3.0;
        let side = if i < 20 { 1.0 } else { -1.0 };
        if j == 0 { 0.6 * t + 0.8 * side } else { 0.8 * t - 0.6 * side }
    });
    let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 0.0 }).collect();
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let model = hard("linear").fit_with(&data, &Context::default()).unwrap();
    let machine = &model.machines()[0];
    within(machine.margin(), 1.0, 1e-6, "half the width");
    within(machine.primal, machine.dual, 1e-6, "primal and dual");
    let scores = model.decision(&data.x).unwrap().unwrap();
    (0..40).for_each(|i| within(scores[(i, 0)] * (2.0 * y[i] - 1.0), 1.0, 1e-6, "all rows lie on the edge"));
}

#[test]
fn classes_that_cannot_be_separated_are_named_with_a_proof() {
    // A square with diagonal classes: both diagonals have the same middle.
    let x = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    let targets = classes(&[0.0, 0.0, 1.0, 1.0]);
    let data = with_classes(Features::F64(MatRef::row_major(&x, 4, 2)), &targets);
    let message = hard("linear").fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(message.contains("cannot be separated") && message.contains("0.5000 of row 1"), "{message}");
    // Another kernel separates them.
    assert!(hard("rbf").fit_with(&data, &Context::default()).is_ok());
    // A row with both labels is a proof by itself, for any kernel.
    let x = [0.0, 1.0, 2.0, 2.0];
    let targets = classes(&[0.0, 0.0, 0.0, 1.0]);
    let data = with_classes(Features::F64(MatRef::row_major(&x, 4, 1)), &targets);
    let message = hard("rbf").fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(message.contains("rows 3 and 4") || message.contains("rows 4 and 3"), "{message}");
    // Many rows that overlap.
    let (x, y) = scaled("diabetes");
    let targets = classes(&y.iter().map(|v| f64::from(u8::from(*v > 140.0))).collect::<Vec<_>>());
    let message =
        hard("linear").fit_with(&with_classes(Features::F64(x.view()), &targets), &Context::default()).unwrap_err().to_string();
    assert!(message.contains("apart"), "{message}");
}

#[test]
fn equal_rows_with_opposite_labels() {
    let x = Mat::from_fn(400, 3, |i, j| ((i / 2 * 7 + j * 13) % 11) as f64);
    let y: Vec<f64> = (0..400).map(|i| (i % 2) as f64).collect();
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let model = Svm::default().fit_with(&data, &Context::default()).unwrap();
    let machine = &model.machines()[0];
    assert!(machine.converged && machine.violation <= 1e-3);
    within(machine.primal, machine.dual, 1e-3 * machine.primal, "primal and dual");
    // Nothing can be learned: every row pays the whole price.
    within(machine.primal, 400.0, 0.5, "the price");
}

#[test]
fn widths_of_nothing_and_of_everything() {
    let (x, y) = scaled("breast_cancer");
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    for (gamma, right) in [(0.0, 357), (1e9, 569), (1e-9, 357)] {
        let learner = Svm { gamma: GammaChoice::Number(gamma), ..Svm::default() };
        let model = learner.fit_with(&data, &Context::default()).unwrap();
        let machine = &model.machines()[0];
        assert!(machine.converged, "gamma {gamma}: {machine:?}");
        let predicted = model.classify(&data.x).unwrap();
        let hits = predicted.iter().zip(&y).filter(|(a, b)| f64::from(**a) == **b).count();
        assert_eq!(hits, right, "gamma {gamma}");
        assert!(model.proba(&data.x).unwrap().as_slice().iter().all(|p| p.is_finite()));
    }
}

#[test]
fn many_rows_with_tiny_widths_continue_in_f64() {
    // In f32 every kernel value is 1; in f64 the problem is that of a line.
    let x = Mat::from_fn(1500, 2, |i, j| ((i * (37 + 11 * j)) % 101) as f64 / 50.0 - 1.0);
    let y: Vec<f64> = (0..1500).map(|i| f64::from(u8::from(x[(i, 0)] + 0.5 * x[(i, 1)] > 0.1))).collect();
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let model =
        Svm { gamma: GammaChoice::Number(1e-8), c: Some(1e9), ..Svm::default() }.fit_with(&data, &Context::default()).unwrap();
    let machine = &model.machines()[0];
    assert!(machine.converged && machine.violation <= 1e-3, "{machine:?}");
    let hits = model.classify(&data.x).unwrap().iter().zip(&y).filter(|(a, b)| f64::from(**a) == **b).count();
    assert!(hits > 1450, "{hits} of 1500");
}

#[test]
fn a_kernel_that_is_none_is_said_to_be_none() {
    let (x, y) = scaled("breast_cancer");
    let targets = classes(&y);
    let data = with_classes(Features::F64(x.view()), &targets);
    let kernel = Kernel::user(|a, b| -a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>().sin());
    let model =
        Svm { kernel: kernel.into(), max_iter: Some(20_000), ..Svm::default() }.fit_with(&data, &Context::default()).unwrap();
    let notes = model.certificate().unwrap().notes.join("; ");
    assert!(notes.contains("not positive semidefinite"), "{notes}");
    assert!(model.proba(&data.x).unwrap().as_slice().iter().all(|p| p.is_finite()));
}

#[test]
fn a_million_rows_are_refused_with_their_memory() {
    let x = vec![0.0; 1_000_000];
    let y = vec![0.0; 1_000_000];
    let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 1_000_000, 1))).with_target(Target::Real(&y));
    let message = Svm::default().fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(message.contains("4000 GB") && message.contains("nystroem") && message.contains("force=true"), "{message}");
}

#[test]
fn one_class_and_unknown_kernels_are_refused() {
    let targets = (vec![0, 0, 0], vec!["only".to_owned(), "never".to_owned()]);
    let data = with_classes(Features::F64(MatRef::row_major(&[1.0, 2.0, 3.0], 3, 1)), &targets);
    let message = Svm::default().fit_with(&data, &Context::default()).unwrap_err().to_string();
    assert!(message.contains("only"), "{message}");
    let message = Svm { kernel: "rfb".into(), ..Svm::default() }.check().unwrap_err().to_string();
    assert!(message.contains("rbf"), "{message}");
}
