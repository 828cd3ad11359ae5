//! Nearest neighbors against the reference: digits with leave-one-out, fashion images.

use ermine_core::{Classifier, Context, DatasetRef, Features, Learner, Mat, MatRef, OwnedTarget};
use ermine_fixtures::{TextTable, Value, bytes, case, near};
use ermine_math::neighbors::{IndexedPoints, Metric, NeighborIndex, SearchAlgorithm};
use ermine_neighbors::{Knn, KnnAlgorithm};

fn expected(id: &str) -> Value {
    case("neighbours", id)["expected"].take()
}

/// The bytes of a large file, where it is there.
fn large(path: String) -> Option<Vec<u8>> {
    std::path::Path::new(&path).exists().then(|| bytes(path))
}

fn close(found: f64, want: &Value) {
    near(found, want, 1e-10, "sum of distances");
}

#[test]
fn digits_left_out_one_by_one() {
    let want = expected("knn_digits_loo");
    let table = TextTable::read("digits");
    let (x, target) = table.split_last();
    let digits: Vec<usize> = target.iter().map(|t| t.parse().unwrap()).collect();
    let (n, p) = (x.rows(), x.cols());
    let single = Mat::from_fn(n, p, |i, j| x[(i, j)] as f32);
    for (features, method) in [
        (Features::F64(x.view()), SearchAlgorithm::Brute),
        (Features::F64(x.view()), SearchAlgorithm::Tree),
        (Features::F32(single.view()), SearchAlgorithm::Auto),
    ] {
        let points = IndexedPoints::from_features(&features, None, "test").unwrap();
        let nearest = NeighborIndex::new(points, Metric::Euclidean, method).unwrap().nearest(&features, 6).unwrap();
        // The five nearest others of each row; a duplicate may come before the row itself.
        let others = |i: usize| -> Vec<(usize, f64)> {
            let all = nearest.rows.row(i).iter().map(|&r| r as usize).zip(nearest.distances.row(i).iter().copied());
            all.filter(|(row, _)| *row != i).take(5).collect()
        };
        close((0..n).map(|i| others(i)[0].1).sum(), &want["sum_of_nearest_distances"]);
        close((0..n).map(|i| others(i)[4].1).sum(), &want["sum_of_5th_nearest_distances"]);
        for k in [1, 3, 5] {
            let errors = (0..n).filter(|&i| {
                let mut votes = [0; 10];
                others(i)[..k].iter().for_each(|(row, _)| votes[digits[*row]] += 1);
                let best = (0..10).rev().max_by_key(|&c| votes[c]).unwrap();
                best != digits[i]
            });
            assert_eq!(errors.count() as u64, want[format!("loo_errors_k{k}")].as_u64().unwrap(), "k = {k}, {method:?}");
        }
    }
}

/// Needs the four files of Fashion-MNIST in the folder `fashion_mnist` of `ERMINE_DATA`.
#[test]
fn fashion_images_have_the_errors_of_the_reference() {
    let Ok(folder) = std::env::var("ERMINE_DATA") else { return };
    let read = |name: &str, head: usize, count: usize| {
        large(format!("{folder}/fashion_mnist/{name}.gz")).map(|bytes| bytes[head..head + count].to_vec())
    };
    let (Some(train), Some(labels), Some(test), Some(truth)) = (
        read("train-images-idx3-ubyte", 16, 10_000 * 784),
        read("train-labels-idx1-ubyte", 8, 10_000),
        read("t10k-images-idx3-ubyte", 16, 1000 * 784),
        read("t10k-labels-idx1-ubyte", 8, 1000),
    ) else {
        return;
    };
    let want = expected("knn_fashion_10000_1000");
    let to_f32 = |bytes: Vec<u8>| -> Vec<f32> { bytes.into_iter().map(f32::from).collect() };
    let (train, test) = (to_f32(train), to_f32(test));
    let x = Features::F32(MatRef::row_major(&train, 10_000, 784));
    let queries = Features::F32(MatRef::row_major(&test, 1000, 784));
    let y = OwnedTarget::Class {
        codes: labels.iter().map(|&c| u32::from(c)).collect(),
        names: (0..10).map(|c| c.to_string()).collect(),
    };
    let data = DatasetRef::new(x).with_target(y.view());
    for k in [1, 5] {
        let knn = Knn { n_neighbors: k, algorithm: KnnAlgorithm::Brute, ..Knn::default() };
        let model = knn.fit_with(&data, &Context::default()).unwrap();
        let predicted = model.classify(&queries).unwrap();
        let errors = predicted.iter().zip(&truth).filter(|(predicted, truth)| **predicted != u32::from(**truth)).count();
        assert_eq!(errors as u64, want[format!("test_errors_k{k}")].as_u64().unwrap(), "k = {k}");
        if k == 1 {
            let neighbors = model.neighbors(&queries, None).unwrap();
            let first: Vec<u64> = want["nearest_index_first10"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
            assert!((0..10).all(|i| u64::from(neighbors.rows[(i, 0)]) == first[i]));
            close(neighbors.distances.as_slice().iter().sum(), &want["sum_of_nearest_distances"]);
        }
    }
}
