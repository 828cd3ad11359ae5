use ermine_core::*;
use serde_json::json;

use super::{Knn, KnnAlgorithm, MetricName, NeighborWeights};

fn classes(labels: &[&str]) -> OwnedTarget {
    OwnedTarget::from_labels(labels)
}

fn fit(knn: &Knn, x: &[f64], y: Target<'_>) -> Result<super::KnnModel> {
    let rows = y.rows().unwrap();
    let features = Features::F64(MatRef::row_major(x, rows, x.len() / rows));
    knn.fit_with(&DatasetRef::new(features).with_target(y), &Context::default())
}

fn column(values: &[f64]) -> Features<'_> {
    Features::F64(MatRef::row_major(values, values.len(), 1))
}

#[test]
fn weights_are_one_over_the_distance() {
    let knn = Knn { n_neighbors: 3, weights: NeighborWeights::Distance, ..Knn::default() };
    let model = fit(&knn, &[0.0, 1.0, 3.0, 50.0], Target::Real(&[1.0, 10.0, 100.0, 0.0])).unwrap();
    // At 2 the distances are 2, 1, 1; at 1 a row lies on the spot; at 1e-308 the nearest is hardly away.
    let predictions = model.predict(&column(&[2.0, 1.0, 1e-308])).unwrap();
    let want = (1.0 / 2.0 + 10.0 + 100.0) / 2.5;
    assert!(
        (predictions[(0, 0)] - want).abs() < 1e-13 && predictions[(1, 0)] == 10.0 && predictions[(2, 0)] == 1.0,
        "{predictions:?}"
    );
    let model = fit(&knn, &[0.0, 1.0, 3.0, 50.0], classes(&["a", "b", "b", "a"]).view()).unwrap();
    let p = model.proba(&column(&[2.0, 0.0])).unwrap();
    assert!((p[(0, 0)] - 0.2).abs() < 1e-15 && (p[(0, 1)] - 0.8).abs() < 1e-15);
    assert_eq!(p.row(1), [1.0, 0.0]);
}

#[test]
fn equally_frequent_classes_and_equally_near_rows_go_to_the_first() {
    let knn = Knn { n_neighbors: 2, ..Knn::default() };
    let model = fit(&knn, &[0.0, 2.0, 1.0, 1.0, 1.0], classes(&["b", "a", "c", "b", "a"]).view()).unwrap();
    // Rows 2 and 3 are the first of three that are equally near: one vote for b, one for c.
    assert_eq!(model.proba(&column(&[1.0])).unwrap().row(0), [0.0, 0.5, 0.5]);
    assert_eq!(model.classify(&column(&[1.0])).unwrap(), [1]);
}

#[test]
fn metrics_are_what_they_are_called() {
    // From (0, 0): (3, 3) is nearer by the greatest difference, (4, 0) by sums, both or neither by squares.
    let x = [3.0, 3.0, 4.0, 0.0];
    let near = |metric, p| {
        let model = fit(&Knn { n_neighbors: 1, metric, p, ..Knn::default() }, &x, Target::Real(&[0.0, 1.0])).unwrap();
        let nearest = model.neighbors(&Features::F64(MatRef::row_major(&[0.0, 1e-9], 1, 2)), Some(2)).unwrap();
        (nearest.rows[(0, 0)], nearest.distances[(0, 0)])
    };
    assert_eq!(near(MetricName::Chebyshev, 2.0).0, 0);
    assert_eq!(near(MetricName::Manhattan, 2.0).0, 1);
    assert_eq!(near(MetricName::Minkowski, 1.0), near(MetricName::Manhattan, 9.0));
    assert_eq!(near(MetricName::Minkowski, 2.0), near(MetricName::Euclidean, 9.0));
    let (row, d) = near(MetricName::Minkowski, 4.0);
    assert!(row == 0 && (d - (2.0 * 81.0f64).powf(0.25)).abs() < 1e-8);
    // (0, 1) is at 45 degrees from (3, 3) and at a right angle to (4, 0).
    let (row, d) = near(MetricName::Cosine, 2.0);
    assert!(row == 0 && (d - (1.0 - 0.5f64.sqrt())).abs() < 1e-12);
}

#[test]
fn a_radius_asks_all_rows_within_it_and_refuses_lonely_rows() {
    let knn = Knn { radius: Some(1.0), n_neighbors: 99, ..Knn::default() };
    let model = fit(&knn, &[0.0, 1.0, 2.0, 9.0], Target::Real(&[1.0, 2.0, 6.0, 5.0])).unwrap();
    let predictions = model.predict(&column(&[1.0, 0.0, 8.5])).unwrap();
    assert_eq!(predictions.as_slice(), [3.0, 1.5, 5.0]);
    let e = model.predict(&column(&[1.0, 5.0])).unwrap_err().to_string();
    assert!(e.contains("row 1") && e.contains("radius"), "{e}");
}

#[test]
fn too_many_neighbors_and_impossible_searches_are_refused_by_parameter() {
    let e = fit(&Knn::default(), &[0.0, 1.0], Target::Real(&[1.0, 2.0])).unwrap_err().to_string();
    assert!(e.contains("n_neighbors") && e.contains("2 rows"), "{e}");
    let cosine = Knn { metric: MetricName::Cosine, algorithm: KnnAlgorithm::KdTree, ..Knn::default() };
    assert!(cosine.check().unwrap_err().to_string().contains("algorithm"));
    let below = Knn { p: 0.5, algorithm: KnnAlgorithm::BallTree, ..Knn::default() };
    assert!(below.check().is_err() && Knn { p: 0.5, ..Knn::default() }.check().is_ok());
    assert!(Knn::default().set("p", json!(0)).is_err() && Knn::default().set("n_neighbors", json!(0)).is_err());
}

#[test]
fn sparse_models_and_several_targets_come_back_from_a_file() {
    // So many columns that the rows stay sparse.
    let cols = 1 << 20;
    let csr = Csr::new((0..=40).collect(), (0..40).map(|i| i * 7).collect(), (0..40).map(f64::from).collect(), cols).unwrap();
    let y = Mat::from_fn(40, 2, |i, j| (i * 2 + j) as f64);
    let x = Features::Csr(csr.view());
    for knn in [Knn::default(), Knn { metric: MetricName::Cosine, weights: NeighborWeights::Distance, ..Knn::default() }] {
        let model = knn.fit_with(&DatasetRef::new(x).with_target(Target::Reals(y.view())), &Context::default()).unwrap();
        let mut out = ModelWriter::default();
        model.save(&mut out).unwrap();
        let again = Knn::load(&out.clone().into_reader()).unwrap();
        assert_eq!(again.predict(&x).unwrap(), model.predict(&x).unwrap());
        let mut other = ModelWriter::default();
        again.save(&mut other).unwrap();
        assert!(other == out);
        // Columns that do not ascend, targets that are no numbers.
        let mut broken = out.clone();
        let ends: Vec<u64> = [vec![0, 2], (3..=41).collect()].concat();
        broken.vec("x_indptr", &ends[..41]);
        assert!(Knn::load(&broken.into_reader()).is_err());
        let mut broken = out.clone();
        broken.mat("y", &Mat::filled(40, 2, f64::NAN));
        assert!(Knn::load(&broken.into_reader()).is_err());
    }
}
