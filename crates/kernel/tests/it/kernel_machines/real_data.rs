//! Large data when it is there: `ERMINE_DATA` is the folder that holds `covtype.csv.gz` and `fashion_mnist/`.

use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, Mat, Model, Target, Transformer};
use ermine_kernel::kernel::{GammaChoice, Nystroem};
use ermine_kernel::svm::Svm;
use ermine_linear::LinearSvm;

use crate::kernel_machines::{a9a, classes, matrix, standardized, with_classes, within};

fn folder() -> Option<String> {
    let folder = std::env::var("ERMINE_DATA").ok();
    if folder.is_none() {
        eprintln!("skipped: ERMINE_DATA is not set");
    }
    folder
}

fn share(found: &[u32], truth: &[u32]) -> f64 {
    found.iter().zip(truth).filter(|(a, b)| a == b).count() as f64 / truth.len() as f64
}

fn report(what: &str, accuracy: f64, start: std::time::Instant) {
    eprintln!("{what}: accuracy {accuracy:.4} after {:.1} s", start.elapsed().as_secs_f64());
}

/// All of a9a with the penalties and widths of the reference; there are no reference values for all rows, only the
/// certificate.
#[test]
fn a9a_whole() {
    if folder().is_none() {
        return;
    }
    let (x, y) = a9a("a9a_train.libsvm.gz", usize::MAX);
    let (test, truth) = a9a("a9a_test.libsvm.gz", usize::MAX);
    let truth: Vec<u32> = truth.iter().map(|&v| v as u32).collect();
    let targets = classes(&y);
    let data = with_classes(Features::Csr(x.view()), &targets);
    for (c, gamma, least) in [(1.0, 1.0 / 123.0, 0.846), (8.0, 0.03, 0.845)] {
        let start = std::time::Instant::now();
        let learner = Svm { c: Some(c), gamma: GammaChoice::Number(gamma), ..Svm::default() };
        let model = learner.fit_with(&data, &Context::default()).unwrap();
        let machine = &model.machines()[0];
        assert!(machine.converged && machine.violation <= 1e-3, "{machine:?}");
        within(machine.primal, machine.dual, 1e-3 * machine.primal, "primal and dual");
        let accuracy = share(&model.classify(&Features::Csr(test.view())).unwrap(), &truth);
        report(&format!("a9a, C={c}, gamma={gamma:.4}"), accuracy, start);
        assert!(accuracy > least, "{accuracy}");
    }
}

/// 10,000 images of clothes, ten classes in pairs.
#[test]
fn fashion_mnist_in_pairs() {
    let Some(folder) = folder() else { return };
    let read = |part: &str, rows: usize| {
        let images = ermine_fixtures::bytes(format!("{folder}/fashion_mnist/{part}-images-idx3-ubyte.gz"));
        let labels = ermine_fixtures::bytes(format!("{folder}/fashion_mnist/{part}-labels-idx1-ubyte.gz"));
        let x = Mat::from_fn(rows, 784, |i, j| f64::from(images[16 + i * 784 + j]) / 255.0);
        (x, labels[8..8 + rows].iter().map(|&l| u32::from(l)).collect::<Vec<_>>())
    };
    let ((x, y), (test, truth)) = (read("train", 10_000), read("t10k", 10_000));
    let names: Vec<String> = (0..10).map(|c| c.to_string()).collect();
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &y, names: &names });
    let start = std::time::Instant::now();
    let model = Svm { c: Some(5.0), ..Svm::default() }.fit_with(&data, &Context::default()).unwrap();
    assert!(model.certificate().unwrap().converged && model.certificate().unwrap().kkt_residual.unwrap() <= 1e-3);
    let accuracy = share(&model.classify(&Features::F64(test.view())).unwrap(), &truth);
    report("fashion_mnist, 10,000 rows", accuracy, start);
    assert!(accuracy > 0.865, "{accuracy}");
}

/// 50,000 rows of forest cover by a feature map in front of a linear machine, which a line alone does not reach.
#[test]
fn covtype_by_a_feature_map() {
    let Some(folder) = folder() else { return };
    let text = String::from_utf8(ermine_fixtures::bytes(format!("{folder}/covtype.csv.gz"))).unwrap();
    // Every eleventh row, since the rows are in the order of the places they describe.
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).step_by(11).take(52_000).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    let columns: Vec<Vec<f64>> = (0..54).map(|j| rows.iter().map(|r| r[j]).collect()).collect();
    let kept: Vec<Vec<f64>> = columns.iter().map(|c| standardized(c)).filter(|c| c.iter().all(|v: &f64| v.is_finite())).collect();
    let all = matrix(&kept);
    let codes: Vec<u32> = rows.iter().map(|r| r[54] as u32 - 1).collect();
    let names: Vec<String> = (1..8).map(|c| c.to_string()).collect();
    let (test, train): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|i| i % 20 == 0);
    let of = |which: &[usize]| (all.view().take_rows(which), which.iter().map(|&i| codes[i]).collect::<Vec<_>>());
    let ((x, y), (held, truth)) = (of(&train), of(&test));
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Class { codes: &y, names: &names });
    let linear = LinearSvm { tol: 1e-3, ..LinearSvm::default() };
    let start = std::time::Instant::now();
    let line = linear.fit_with(&data, &Context::default()).unwrap();
    let by_line = line.classify(&Features::F64(held.view())).unwrap();
    report("covtype by a line", share(&by_line, &truth), start);
    let start = std::time::Instant::now();
    let map = Nystroem { n_components: 500, gamma: GammaChoice::Number(0.05), ..Nystroem::default() };
    let map = map.fit_with(&data, &Context::default()).unwrap();
    let z = map.transform(&data.x).unwrap();
    let behind = DatasetRef::new(Features::F64(z.view())).with_target(data.y);
    let model = LinearSvm { c: 10.0, ..linear }.fit_with(&behind, &Context::default()).unwrap();
    assert!(model.certificate().unwrap().converged);
    let mapped = map.transform(&Features::F64(held.view())).unwrap();
    let by_map = model.classify(&Features::F64(mapped.view())).unwrap();
    let error = map.approximation_error();
    report(&format!("covtype by a map with an error of {error:.3}"), share(&by_map, &truth), start);
    // McNemar's test on the rows that one of them alone gets right: beyond three standard errors.
    let alone =
        |one: &[u32], other: &[u32]| (0..truth.len()).filter(|&i| one[i] == truth[i] && other[i] != truth[i]).count() as f64;
    let (gained, lost) = (alone(&by_map, &by_line), alone(&by_line, &by_map));
    assert!(gained - lost > 3.0 * (gained + lost).sqrt(), "{gained} rows gained by the map, {lost} lost");
}
