use super::*;
use ermine_core::RngStream;
use proptest::prelude::*;

const METRICS: [Metric; 6] =
    [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::Minkowski(3.0), Metric::Minkowski(1.5), Metric::Cosine];

fn points(m: &Mat<f64>) -> IndexedPoints {
    IndexedPoints::from_features(&Features::F64(m.view()), None, "test").unwrap()
}

/// The definition, cell by cell.
fn distance(metric: Metric, a: &[f64], b: &[f64]) -> f64 {
    let gaps = || a.iter().zip(b).map(|(x, y)| (x - y).abs());
    match metric {
        Metric::Euclidean => gaps().map(|d| d * d).sum::<f64>().sqrt(),
        Metric::Manhattan => gaps().sum(),
        Metric::Chebyshev => gaps().fold(0.0, f64::max),
        Metric::Minkowski(p) => gaps().map(|d| d.powf(p)).sum::<f64>().powf(1.0 / p),
        Metric::Cosine => {
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            let norms = (dot(a, a) * dot(b, b)).sqrt();
            if norms == 0.0 { 1.0 } else { 1.0 - dot(a, b) / norms }
        }
    }
}

/// Every row of the answer is as near as the definition says, and no row that was left out is nearer.
fn check(found: &NearestRows, metric: Metric, x: &Mat<f64>, q: &Mat<f64>, size: f64) {
    let k = found.rows.cols();
    for i in 0..q.rows() {
        let want: Vec<f64> = (0..x.rows()).map(|j| distance(metric, q.row(i), x.row(j))).collect();
        let mut sorted = want.clone();
        ermine_core::order::sort_numbers(&mut sorted);
        let mut seen = std::collections::BTreeSet::new();
        for j in 0..k {
            let (row, d) = (found.rows[(i, j)] as usize, found.distances[(i, j)]);
            assert!(seen.insert(row), "{metric:?}: row {row} twice");
            assert!((d - want[row]).abs() <= 1e-12 * size, "{metric:?}: {d} and {}", want[row]);
            assert!((d - sorted[j]).abs() <= 1e-12 * size, "{metric:?}, neighbor {j} of query {i}: {d}, not {}", sorted[j]);
            if j > 0 {
                let before = (found.distances[(i, j - 1)], found.rows[(i, j - 1)]);
                assert!(before < (d, row as u32), "{metric:?}: not by distance and row");
            }
        }
    }
}

fn draw(rows: usize, cols: usize, seed: u64, shift: f64, whole: bool) -> Mat<f64> {
    let mut s = RngStream::new(seed, "neighbours", 0);
    Mat::from_fn(rows, cols, |_, _| {
        let v = s.normal() * 2.0;
        shift + if whole { v.round() } else { v }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn all_ways_find_the_nearest_rows(
        (rows, cols, queries) in (1usize..400, 1usize..24, 1usize..40),
        k in 1usize..30,
        shift in prop_oneof![Just(0.0), Just(1e6), -100.0f64..100.0],
        whole in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let k = k.min(rows);
        let (x, q) = (draw(rows, cols, seed, shift, whole), draw(queries, cols, seed ^ 1, shift, whole));
        for metric in METRICS {
            let brute = NeighborIndex::new(points(&x), metric, SearchAlgorithm::Brute).unwrap();
            let nearest = brute.nearest(&Features::F64(q.view()), k).unwrap();
            check(&nearest, metric, &x, &q, 1.0 + shift.abs());
            // The radius of the k-th neighbor of the first query holds at least k rows, all of them as near.
            let radius = nearest.distances[(0, k - 1)];
            let near = brute.within(&Features::F64(q.view()), radius).unwrap();
            prop_assert!(near.ends[1] >= k);
            prop_assert!(near.distances.iter().all(|d| *d <= radius));
            prop_assert_eq!(&near.rows[..k], nearest.rows.row(0));
            let count = (0..rows).filter(|&j| distance(metric, q.row(0), x.row(j)) <= radius * (1.0 - 1e-9) - 1e-12).count();
            prop_assert!(near.ends[1] >= count);
            if metric != Metric::Cosine {
                let tree = NeighborIndex::new(points(&x), metric, SearchAlgorithm::Tree).unwrap();
                prop_assert_eq!(&tree.nearest(&Features::F64(q.view()), k).unwrap(), &nearest, "{:?}", metric);
                prop_assert_eq!(&tree.within(&Features::F64(q.view()), radius).unwrap(), &near, "{:?}", metric);
            }
            // One query alone has the same bits as in a block.
            let one = brute.nearest(&Features::F64(q.view().row_range(queries - 1..queries)), k).unwrap();
            prop_assert_eq!(one.distances.as_slice(), nearest.distances.row(queries - 1));
            prop_assert_eq!(one.rows.as_slice(), nearest.rows.row(queries - 1));
        }
    }
}

#[test]
fn equal_rows_come_in_their_order() {
    // Whole numbers on a small grid: most distances are shared by many rows.
    let x = Mat::from_fn(3000, 3, |i, j| ((i / [1, 4, 16][j]) % 4) as f64);
    for method in [SearchAlgorithm::Brute, SearchAlgorithm::Tree] {
        let index = NeighborIndex::new(points(&x), Metric::Euclidean, method).unwrap();
        let nearest = index.nearest(&Features::F64(x.view().row_range(0..64)), 60).unwrap();
        for i in 0..64usize {
            // 46 or 47 copies of each row, 64 rows apart.
            let copies = (3000 - i).div_ceil(64);
            let want: Vec<u32> = (0..copies).map(|c| (i + 64 * c) as u32).collect();
            assert_eq!(&nearest.rows.row(i)[..copies], &want[..], "{method:?} row {i}");
            let rest = &nearest.rows.row(i)[copies..];
            assert!(rest.is_sorted() && nearest.distances.row(i)[copies..].iter().all(|d| *d == 1.0), "{method:?} row {i}");
        }
    }
    // All rows the same: the bound of the scores leaves nothing out, and the first k win.
    let x = Mat::filled(5000, 20, 3.25f64);
    let index = NeighborIndex::new(points(&x), Metric::Euclidean, SearchAlgorithm::Brute).unwrap();
    let nearest = index.nearest(&Features::F64(x.view().row_range(0..20)), 7).unwrap();
    (0..20).for_each(|i| assert_eq!(nearest.rows.row(i), [0, 1, 2, 3, 4, 5, 6]));
}

#[test]
fn far_outliers_and_close_pairs_are_told_apart() {
    // One row so far away that f32 cannot tell the others apart, and pairs that differ in the twelfth digit.
    let mut x = draw(2000, 5, 3, 0.0, false);
    x[(7, 2)] = 1e12;
    for i in (100..200).step_by(2) {
        let row = x.row(i).to_vec();
        x.row_mut(i + 1).copy_from_slice(&row);
        x[(i + 1, 0)] += 1e-12;
    }
    for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
        for method in [SearchAlgorithm::Brute, SearchAlgorithm::Tree] {
            let index = NeighborIndex::new(points(&x), metric, method).unwrap();
            let nearest = index.nearest(&Features::F64(x.view().row_range(90..210)), 4).unwrap();
            for i in (100..200).step_by(2) {
                assert_eq!(nearest.rows.row(i - 90)[..2], [i as u32, i as u32 + 1], "{metric:?} {method:?}");
                assert_eq!(nearest.rows.row(i - 89)[..2], [i as u32 + 1, i as u32], "{metric:?} {method:?}");
            }
        }
    }
}

#[test]
fn huge_and_tiny_scales_are_right_or_refused() {
    let base = draw(300, 4, 5, 0.0, false);
    let plain = NeighborIndex::new(points(&base), Metric::Euclidean, SearchAlgorithm::Brute).unwrap();
    let plain = plain.nearest(&Features::F64(base.view()), 6).unwrap();
    for factor in [2f64.powi(900), 2f64.powi(1015), 2f64.powi(-900), 2f64.powi(-1000)] {
        let x = Mat::from_fn(300, 4, |i, j| base[(i, j)] * factor);
        for metric in METRICS {
            for method in [SearchAlgorithm::Brute, SearchAlgorithm::Tree] {
                if metric == Metric::Cosine && method == SearchAlgorithm::Tree {
                    continue;
                }
                let index = NeighborIndex::new(points(&x), metric, method).unwrap();
                let nearest = index.nearest(&Features::F64(x.view()), 6).unwrap();
                assert!((0..300).all(|i| nearest.rows[(i, 0)] == i as u32), "{metric:?} {method:?} {factor:e}");
                if metric == Metric::Euclidean {
                    assert_eq!(nearest.rows, plain.rows, "{factor:e}");
                    let same = nearest.distances.as_slice().iter().zip(plain.distances.as_slice());
                    assert!(same.into_iter().all(|(a, b)| (a / factor - b).abs() <= 1e-15 * b), "{factor:e}");
                }
            }
        }
    }
    // A query beyond all rows, and a distance beyond all numbers.
    let x = Mat::from_vec(3, 1, vec![1.0, 2.0, 3.0]);
    let index = NeighborIndex::new(points(&x), Metric::Euclidean, SearchAlgorithm::Brute).unwrap();
    let nearest = index.nearest(&Features::F64(MatRef::row_major(&[1e300, -1e300], 2, 1)), 3).unwrap();
    assert_eq!(nearest.distances[(0, 0)], 1e300);
    let x = Mat::from_vec(2, 1, vec![1.5e308, 1.0]);
    let index = NeighborIndex::new(points(&x), Metric::Euclidean, SearchAlgorithm::Brute).unwrap();
    let e = index.nearest(&Features::F64(MatRef::row_major(&[-1.5e308], 1, 1)), 2).unwrap_err().to_string();
    assert!(e.contains("row 0") && e.contains("scale the columns"), "{e}");
}

#[test]
fn f32_and_sparse_rows_give_the_results_of_dense_f64() {
    let mut x = draw(500, 12, 9, 0.0, true);
    x.as_mut_slice().iter_mut().enumerate().for_each(|(i, v)| *v = if i % 3 == 0 { *v } else { 0.0 });
    let single = Mat::from_fn(500, 12, |i, j| x[(i, j)] as f32);
    let csr = |m: &Mat<f64>| {
        let (mut ends, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..m.rows() {
            for j in (0..m.cols()).rev().filter(|&j| m[(i, j)] != 0.0) {
                // In two halves, which add up.
                columns.extend([j as u32; 2]);
                values.extend([m[(i, j)] / 2.0; 2]);
            }
            ends.push(values.len());
        }
        Csr::new(ends, columns, values, m.cols()).unwrap()
    };
    let rows = csr(&x);
    let sparse = IndexedPoints::Csr(sparse::sorted(rows.view()));
    for metric in METRICS {
        let dense = NeighborIndex::new(points(&x), metric, SearchAlgorithm::Brute).unwrap();
        let want = dense.nearest(&Features::F64(x.view()), 5).unwrap();
        let index = NeighborIndex::new(IndexedPoints::F32(single.clone()), metric, SearchAlgorithm::Auto).unwrap();
        assert_eq!(index.nearest(&Features::F32(single.view()), 5).unwrap(), want, "{metric:?}");
        let index = NeighborIndex::new(sparse.clone(), metric, SearchAlgorithm::Auto).unwrap();
        for queries in [Features::Csr(rows.view()), Features::F64(x.view())] {
            let nearest = index.nearest(&queries, 5).unwrap();
            let far = nearest.distances.as_slice().iter().zip(want.distances.as_slice()).map(|(a, b)| (a - b).abs());
            assert!(far.fold(0.0, f64::max) < 1e-13, "{metric:?}");
            let e = index.within(&queries, 1.234_567).unwrap();
            let f = dense.within(&queries, 1.234_567).unwrap();
            assert_eq!(e.ends.last(), f.ends.last(), "{metric:?}");
        }
        assert_eq!(dense.nearest(&Features::Csr(rows.view()), 5).unwrap(), want, "{metric:?}");
    }
    assert!(NeighborIndex::new(sparse, Metric::Euclidean, SearchAlgorithm::Tree).is_err());
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let x = draw(50, 3, 1, 0.0, false);
    let index = NeighborIndex::new(points(&x), Metric::Euclidean, SearchAlgorithm::Auto).unwrap();
    let e = index.nearest(&Features::F64(x.view()), 51).unwrap_err().to_string();
    assert!(e.contains("51") && e.contains("50"), "{e}");
    assert!(index.nearest(&Features::F64(x.view()), 0).is_err());
    assert!(index.nearest(&Features::F64(x.view().col_range(0..2)), 1).is_err());
    assert!(index.within(&Features::F64(x.view()), f64::NAN).is_err() && index.within(&Features::F64(x.view()), -1.0).is_err());
    let mut bad = x.clone();
    bad[(31, 1)] = f64::NAN;
    for e in [
        index.nearest(&Features::F64(bad.view()), 2).unwrap_err(),
        IndexedPoints::from_features(&Features::F64(bad.view()), None, "test").unwrap_err(),
    ] {
        assert!(matches!(&e, Error::NotFinite { row: 31, column, .. } if column == "1"), "{e}");
    }
    assert!(NeighborIndex::new(points(&x), Metric::Cosine, SearchAlgorithm::Tree).is_err());
    assert!(NeighborIndex::new(IndexedPoints::F64(Mat::zeros(0, 3)), Metric::Euclidean, SearchAlgorithm::Auto).is_err());
}

#[test]
fn threads_do_not_change_a_bit() {
    let (x, q) = (draw(3000, 6, 2, 0.0, false), draw(700, 6, 4, 0.0, false));
    for method in [SearchAlgorithm::Brute, SearchAlgorithm::Tree] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                NeighborIndex::new(points(&x), Metric::Euclidean, method).unwrap().nearest(&Features::F64(q.view()), 9).unwrap()
            })
        };
        let one = run(1);
        assert!(run(2) == one && run(7) == one, "{method:?}");
    }
}
