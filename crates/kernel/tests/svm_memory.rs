//! Fitting a support vector machine takes the memory of its cache and 1.2 times that of its rows at most, the model included. One test
//! in a process of its own, since it looks at the memory of the process.
#![cfg(target_os = "linux")]

use ermine_core::{Classifier, Context, Csr, DatasetRef, Features, Learner, Mat, RngStream, Target};
use ermine_kernel::svm::Svm;

const MEGABYTE: f64 = 1e6;

/// Peak memory of the process since the last reset, in megabytes.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 1024.0 / MEGABYTE
}

/// Megabytes that a fit adds to the process, and the share of the rows that the model keeps.
fn added(learner: &Svm, data: &DatasetRef<'_>) -> (f64, f64) {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = peak();
    let model = learner.fit_with(data, &Context::default()).unwrap();
    let added = peak() - before;
    assert!(model.machines().iter().all(|m| m.converged));
    assert_eq!(model.classify(&data.x.row_range(0..1)).unwrap().len(), 1);
    (added, model.support().len() as f64 / data.rows() as f64)
}

#[test]
fn a_fit_takes_its_cache_and_its_rows_once() {
    let (rows, cols) = (4_000, 1_000);
    let mut draw = RngStream::new(7, "rows", 0);
    let x = Mat::from_fn(rows, cols, |_, _| draw.normal());
    let mut sparse = (vec![0], Vec::new(), Vec::new());
    for _ in 0..rows {
        for j in 0..cols as u32 {
            if draw.uniform() < 0.5 {
                sparse.1.push(j);
                sparse.2.push(draw.normal());
            }
        }
        sparse.0.push(sparse.2.len());
    }
    let cells = sparse.2.len() as f64 * 12.0 / MEGABYTE;
    let sparse = Csr::new(sparse.0, sparse.1, sparse.2, cols).unwrap();
    let names = ["no".to_owned(), "yes".to_owned()];
    // Random labels make nearly every row a support vector, which the model has to store; labels from one column few of
    // them.
    let chance: Vec<u32> = (0..rows).map(|_| draw.below(2) as u32).collect();
    let clear: Vec<u32> = (0..rows).map(|i| u32::from(x[(i, 0)] > 0.0)).collect();
    let dense = (rows * cols * 8) as f64 / MEGABYTE;
    // The first fit pays for threads and their stacks.
    let warm = DatasetRef::new(Features::F64(x.view().row_range(0..300)))
        .with_target(Target::Class { codes: &clear[..300], names: &names });
    Svm::default().fit_with(&warm, &Context::default()).unwrap();
    for (what, features, codes, size) in [
        ("dense, many", Features::F64(x.view()), &chance, dense),
        ("dense, fewer", Features::F64(x.view()), &clear, dense),
        ("sparse, many", Features::Csr(sparse.view()), &chance, cells),
    ] {
        let data = DatasetRef::new(features).with_target(Target::Class { codes, names: &names });
        for cache_mb in [20.0, 60.0] {
            let learner = Svm { c: Some(0.5), cache_mb, ..Svm::default() };
            let (added, kept) = added(&learner, &data);
            let bound = cache_mb + 1.2 * size;
            eprintln!(
                "{what}: {added:.0} MB with a cache of {cache_mb} MB and rows of {size:.0} MB, of which {kept:.2} are kept"
            );
            assert!(
                added <= bound,
                "{what}: {added:.0} MB are more than {bound:.0}, a cache of {cache_mb} MB and 1.2 times {size:.0} MB"
            );
        }
    }
}
