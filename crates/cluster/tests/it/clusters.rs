//! DBSCAN and agglomerative clustering against `fixtures/reference/clustering.json`, against slow definitions, and on hostile data.

use ermine_cluster::*;
use ermine_core::*;
use ermine_eval::metrics::adjusted_rand;
use ermine_fixtures::{TextTable, case, codes, near, normal_rows, numbers, standardized_columns};
use ermine_math::neighbors::MetricName;

fn fit<L: Learner>(learner: &L, x: &Mat<f64>) -> Result<L::Model> {
    learner.fit_with(&DatasetRef::new(Features::F64(x.view())), &Context::default())
}

fn groups(k: usize, linkage: Linkage) -> Agglomerative {
    Agglomerative { n_clusters: Some(k), linkage, ..Agglomerative::default() }
}

const LINKAGES: [(Linkage, &str); 4] =
    [(Linkage::Single, "single"), (Linkage::Complete, "complete"), (Linkage::Average, "average"), (Linkage::Ward, "ward")];

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn trees_of_wine_are_those_of_the_reference_book() {
    let wine = TextTable::read("wine");
    let (x, target) = wine.split_last();
    let (x, classes) = (standardized_columns(&x), codes(target).0);
    let n = x.rows();
    for (linkage, name) in LINKAGES {
        let case = case("clustering", &format!("hclust_{name}_wine"));
        let rel = case["tolerance"]["rel"].as_f64().unwrap();
        let expected = &case["expected"];
        let model = fit(&groups(3, linkage), &x).unwrap();
        let heights = model.heights();
        for (got, want) in heights[heights.len() - 10..].iter().zip(expected["last_10_heights"].as_array().unwrap()) {
            near(*got, want, rel, &format!("{name}: height"));
        }
        near(heights.iter().sum(), &expected["sum_of_heights"], rel, &format!("{name}: sum of heights"));
        let labels = model.labels().unwrap();
        let mut sizes = vec![0.0f64; 3];
        labels.iter().for_each(|&l| sizes[l as usize] += 1.0);
        sizes.sort_by(|a, b| b.total_cmp(a));
        let want = numbers(&expected["sizes_at_3"]);
        assert_eq!(sizes, want, "{name}");
        near(adjusted_rand(&classes, labels), &expected["ari_at_3"], rel, &format!("{name}: adjusted Rand index"));
        // The height at which two rows come together, correlated with their distance.
        let mut members: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
        let mut pairs = Vec::new();
        for (pair, h) in model.children().iter().zip(heights) {
            let (a, b) = (members[pair[0] as usize].clone(), members[pair[1] as usize].clone());
            for &i in &a {
                pairs.extend(b.iter().map(|&j| (distance(x.row(i), x.row(j)), *h)));
            }
            members.push([a, b].concat());
        }
        let m = pairs.len() as f64;
        let (ma, mb) = (pairs.iter().map(|p| p.0).sum::<f64>() / m, pairs.iter().map(|p| p.1).sum::<f64>() / m);
        let cross = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>();
        let r = cross(&|p| (p.0 - ma) * (p.1 - mb)) / (cross(&|p| (p.0 - ma).powi(2)) * cross(&|p| (p.1 - mb).powi(2))).sqrt();
        near(r, &expected["cophenetic_correlation"], rel, &format!("{name}: cophenetic correlation"));
    }
}

/// Repeatedly merges the nearest two clusters, with distances from the rows themselves: of connected rows only, as in
/// scikit-learn, except for Ward's, which are those of the centers.
fn slowly(x: &Mat<f64>, linkage: Linkage, connected: &dyn Fn(usize, usize) -> bool) -> Vec<(f64, Vec<Vec<usize>>)> {
    let mut groups: Vec<Vec<usize>> = (0..x.rows()).map(|i| vec![i]).collect();
    let apart = |a: &[usize], b: &[usize]| {
        let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
        let all: Vec<f64> = pairs.filter(|&(i, j)| connected(i, j)).map(|(i, j)| distance(x.row(i), x.row(j))).collect();
        match linkage {
            Linkage::Single => all.iter().copied().fold(f64::INFINITY, f64::min),
            Linkage::Complete => all.iter().copied().fold(0.0, f64::max),
            Linkage::Average => all.iter().sum::<f64>() / all.len() as f64,
            Linkage::Ward => {
                let mean = |g: &[usize]| -> Vec<f64> {
                    (0..x.cols()).map(|j| g.iter().map(|&i| x[(i, j)]).sum::<f64>() / g.len() as f64).collect()
                };
                let (p, q) = (a.len() as f64, b.len() as f64);
                (2.0 * p * q / (p + q)).sqrt() * distance(&mean(a), &mean(b))
            }
        }
    };
    let mut steps = Vec::new();
    loop {
        let mut best = (f64::INFINITY, 0, 0);
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                let linked = groups[a].iter().any(|&i| groups[b].iter().any(|&j| connected(i, j)));
                let d = apart(&groups[a], &groups[b]);
                if linked && d < best.0 {
                    best = (d, a, b);
                }
            }
        }
        if best.0 == f64::INFINITY {
            return steps;
        }
        let taken = groups.remove(best.2);
        groups[best.1].extend(taken);
        let mut now = groups.clone();
        now.iter_mut().for_each(|g| g.sort_unstable());
        now.sort();
        steps.push((best.0, now));
    }
}

fn as_sets(labels: &[u32]) -> Vec<Vec<usize>> {
    let k = labels.iter().max().map_or(0, |m| *m as usize + 1);
    let mut sets: Vec<Vec<usize>> = vec![Vec::new(); k];
    labels.iter().enumerate().for_each(|(i, &l)| sets[l as usize].push(i));
    sets.sort();
    sets
}

#[test]
fn joins_are_those_of_the_definition() {
    for seed in 0..6 {
        let x = normal_rows(25, 3, seed);
        for (linkage, name) in LINKAGES {
            let want = slowly(&x, linkage, &|_, _| true);
            let model = fit(&groups(2, linkage), &x).unwrap();
            for (k, (height, sets)) in want.iter().enumerate() {
                assert!((model.heights()[k] - height).abs() < 1e-10 * (1.0 + height), "{name} join {k}");
                assert_eq!(as_sets(&model.cut(24 - k).unwrap()), *sets, "{name} join {k}");
            }
            // All connected is no constraint.
            let all = (0..25u32).flat_map(|a| (0..a).map(move |b| [a, b])).collect();
            let model = fit(&Agglomerative { connectivity: Some(all), ..groups(2, linkage) }, &x).unwrap();
            for (k, (height, sets)) in want.iter().enumerate() {
                assert!((model.heights()[k] - height).abs() < 1e-10 * (1.0 + height), "{name} join {k} of a graph");
                assert_eq!(as_sets(&model.cut(24 - k).unwrap()), *sets, "{name} join {k} of a graph");
            }
        }
        // Without memory for a table, Ward's merges come from the centers.
        let data = DatasetRef::new(Features::F64(x.view()));
        let tight = Context { memory: Some(100), ..Context::default() };
        let (a, b) = (groups(4, Linkage::Ward).fit_with(&data, &tight).unwrap(), fit(&groups(4, Linkage::Ward), &x).unwrap());
        assert_eq!(a.children(), b.children());
        let e = groups(4, Linkage::Average).fit_with(&data, &tight).unwrap_err().to_string();
        assert!(e.contains("25 rows") && e.contains("single or ward"), "{e}");
        // From a table of distances the tree is that of the rows.
        let table = Mat::from_fn(25, 25, |i, j| distance(x.row(i), x.row(j)));
        for linkage in [Linkage::Single, Linkage::Complete, Linkage::Average] {
            let precomputed = Agglomerative { metric: Distance::Precomputed, ..groups(3, linkage) };
            assert_eq!(fit(&precomputed, &table).unwrap().children(), fit(&groups(3, linkage), &x).unwrap().children());
        }
    }
}

#[test]
fn only_connected_groups_are_joined() {
    let x = normal_rows(18, 2, 9);
    // Two chains; and two squares of 3 by 3, in which groups have several connections.
    let chains = |i: usize, j: usize| i.abs_diff(j) == 1 && i.max(j) != 9;
    let squares = |i: usize, j: usize| i / 9 == j / 9 && (i / 3).abs_diff(j / 3) <= 1 && (i % 3).abs_diff(j % 3) <= 1;
    let graphs: [&dyn Fn(usize, usize) -> bool; 2] = [&chains, &squares];
    for (connected, linkage) in graphs.iter().flat_map(|g| [Linkage::Ward, Linkage::Single, Linkage::Complete].map(|l| (*g, l))) {
        let pairs = (0..18usize).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| connected(a, b));
        let pairs: Vec<[u32; 2]> = pairs.map(|(a, b)| [a as u32, b as u32]).collect();
        let want = slowly(&x, linkage, connected);
        assert_eq!(want.len(), 16);
        let model = fit(&Agglomerative { connectivity: Some(pairs.clone()), ..groups(4, linkage) }, &x).unwrap();
        assert_eq!((model.children().len(), model.n_connected()), (16, 2));
        assert!(model.certificate().unwrap().notes[0].contains("2 parts"));
        assert_eq!(as_sets(model.labels().unwrap()), want[13].1, "{linkage:?}");
        for (k, (height, sets)) in want.iter().enumerate() {
            // A constraint may make heights fall.
            assert!((model.heights()[k] - height).abs() < 1e-10 * (1.0 + height), "{linkage:?} join {k}");
            assert_eq!(as_sets(&model.cut(17 - k).unwrap()), *sets, "{linkage:?} join {k}");
        }
        let short = Agglomerative { connectivity: Some(pairs), compute_full_tree: false, ..groups(4, linkage) };
        let short = fit(&short, &x).unwrap();
        assert_eq!(short.children().len(), 14);
        assert_eq!(as_sets(short.labels().unwrap()), want[13].1, "{linkage:?}");
    }
    let e = fit(&Agglomerative { connectivity: Some(vec![[0, 18]]), ..groups(2, Linkage::Ward) }, &x).unwrap_err().to_string();
    assert!(e.contains("connectivity") && e.contains("[0, 18]"), "{e}");
}

#[test]
fn thresholds_duplicates_and_what_cannot_be() {
    let x = Mat::from_vec(6, 1, vec![0.0, 0.0, 1.0, 1.0, 1.0, 10.0]);
    for (linkage, _) in LINKAGES {
        let at = |t: f64| {
            let learner = Agglomerative { n_clusters: None, distance_threshold: Some(t), linkage, ..Agglomerative::default() };
            fit(&learner, &x).unwrap().n_clusters()
        };
        // At the threshold itself nothing is merged.
        assert_eq!((at(0.0), at(1e-9), at(0.999), at(1e3)), (6, 3, 3, 1));
        assert_eq!(fit(&groups(6, linkage), &x).unwrap().n_clusters(), 6);
        assert_eq!(fit(&groups(1, linkage), &x).unwrap().labels().unwrap(), [0; 6]);
        let e = fit(&groups(7, linkage), &x).unwrap_err().to_string();
        assert!(e.contains("n_clusters") && e.contains("6 rows"), "{e}");
    }
    let refused = |learner: Agglomerative, word: &str| {
        let e = fit(&learner, &x).unwrap_err().to_string();
        assert!(e.contains(word), "{e}");
    };
    refused(Agglomerative { n_clusters: None, ..Agglomerative::default() }, "exactly one");
    refused(Agglomerative { distance_threshold: Some(1.0), ..Agglomerative::default() }, "exactly one");
    refused(Agglomerative { metric: Distance::Manhattan, ..Agglomerative::default() }, "ward has euclidean");
    refused(Agglomerative { metric: Distance::Cosine, linkage: Linkage::Average, ..Agglomerative::default() }, "all zeros");
    refused(Agglomerative { metric: Distance::Precomputed, linkage: Linkage::Average, ..Agglomerative::default() }, "distances");
    assert!(fit(&Agglomerative::default(), &Mat::from_vec(1, 1, vec![0.0])).is_err());
    let mut bad = normal_rows(30, 2, 1);
    bad[(17, 1)] = f64::NAN;
    assert_eq!(fit(&Agglomerative::default(), &bad).unwrap_err().to_string(), "column 1, row 17: NaN is not a finite number");
    // A new row goes where its nearest training row is.
    let model = fit(&groups(3, Linkage::Average), &x).unwrap();
    let labels = model.labels().unwrap();
    let new = model.assign(&Features::F64(MatRef::row_major(&[0.4, 0.6, 99.0], 3, 1))).unwrap();
    assert_eq!(new, [labels[0], labels[2], labels[5]]);
}

#[test]
fn dense_parts_of_old_faithful_are_those_of_the_reference_book() {
    let x = standardized_columns(&TextTable::read("old_faithful").matrix(&["eruptions", "waiting"]));
    for (eps, min_samples) in [(0.2, 5), (0.3, 10)] {
        let case = case("clustering", &format!("dbscan_faithful_{eps}_{min_samples}"));
        let expected = |name: &str| case["expected"][name].as_u64().unwrap() as usize;
        for algorithm in ["auto", "brute", "kd_tree"] {
            let learner = Dbscan {
                eps,
                min_samples: f64::from(min_samples),
                algorithm: serde_json::from_value(algorithm.into()).unwrap(),
                ..Dbscan::default()
            };
            let model = fit(&learner, &x).unwrap();
            assert_eq!(model.n_clusters(), expected("clusters"));
            assert_eq!(model.core_rows().len(), expected("core"));
            assert_eq!(model.n_noise().unwrap(), expected("noise"));
            let mut sizes = vec![0u64; model.n_clusters()];
            model.core_labels().iter().for_each(|&l| sizes[l as usize] += 1);
            let want: Vec<u64> =
                case["expected"]["core_per_cluster"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(sizes, want);
            assert_eq!(model.assign(&Features::F64(x.view())).unwrap(), model.labels().unwrap());
        }
    }
}

/// Clusters by walking from core row to core row.
fn walked(x: &Mat<f64>, eps: f64, min_samples: f64, weight: &dyn Fn(usize) -> f64) -> (Vec<bool>, Vec<u32>) {
    let n = x.rows();
    let near = |i: usize| -> Vec<usize> { (0..n).filter(|&j| distance(x.row(i), x.row(j)) <= eps).collect() };
    let core: Vec<bool> =
        (0..n).map(|i| weight(i) > 0.0 && near(i).iter().map(|&j| weight(j)).sum::<f64>() >= min_samples).collect();
    let (mut labels, mut next) = (vec![NOISE_LABEL; n], 0);
    for start in 0..n {
        if !core[start] || labels[start] != NOISE_LABEL {
            continue;
        }
        let mut stack = vec![start];
        while let Some(i) = stack.pop() {
            if labels[i] == NOISE_LABEL {
                labels[i] = next;
                if core[i] {
                    stack.extend(near(i));
                }
            }
        }
        next += 1;
    }
    (core, labels)
}

#[test]
fn groups_are_those_of_the_definition() {
    for seed in 0..8 {
        let x = normal_rows(150, 2, seed);
        let w: Vec<f64> = (0..150).map(|i| f64::from((i * 7 + seed as u32) % 4) * 0.8).collect();
        for eps in [0.05, 0.2, 0.4] {
            for weight in [None, Some(&w[..])] {
                let learner = Dbscan { eps, min_samples: 4.0, ..Dbscan::default() };
                let data = DatasetRef::new(Features::F64(x.view())).with_weight(weight);
                let model = learner.fit_with(&data, &Context::default()).unwrap();
                let (core, labels) = walked(&x, eps, 4.0, &|i| weight.map_or(1.0, |w| w[i]));
                assert_eq!(model.labels().unwrap(), labels);
                assert_eq!(model.core_rows(), (0..150u32).filter(|&i| core[i as usize]).collect::<Vec<_>>());
                // Without memory for neighbors they are searched again.
                let tight = learner.fit_with(&data, &Context { memory: Some(40), ..Context::default() }).unwrap();
                assert_eq!(tight.labels(), model.labels());
                let mut out = ModelWriter::default();
                model.save(&mut out).unwrap();
                let again = Dbscan::load(&out.into_reader()).unwrap();
                assert_eq!(again.assign(&data.x).unwrap(), labels);
            }
        }
    }
}

#[test]
fn noise_sparse_rows_and_other_distances() {
    let x = Mat::from_vec(3, 1, vec![0.0, 100.0, 200.0]);
    let model = fit(&Dbscan::default(), &x).unwrap();
    assert_eq!((model.n_clusters(), model.labels().unwrap()), (0, &[NOISE_LABEL; 3][..]));
    assert!(model.certificate().unwrap().notes[0].contains("eps"));
    assert_eq!(model.assign(&Features::F64(x.view())).unwrap(), [NOISE_LABEL; 3]);
    // Neighbors are those at the distance itself, too, and a row is its own neighbor.
    let pair = Mat::from_vec(2, 1, vec![0.0, 1.0]);
    assert_eq!(fit(&Dbscan { eps: 1.0, min_samples: 2.0, ..Dbscan::default() }, &pair).unwrap().core_rows().len(), 2);
    let x = normal_rows(80, 4, 3);
    let rows = Csr::new((0..=80).map(|i| i * 4).collect(), (0..320).map(|k| k % 4).collect(), x.as_slice().to_vec(), 4).unwrap();
    for metric in [MetricName::Euclidean, MetricName::Manhattan, MetricName::Chebyshev, MetricName::Cosine] {
        let learner = Dbscan { eps: if metric == MetricName::Cosine { 0.1 } else { 0.9 }, metric, ..Dbscan::default() };
        let dense = fit(&learner, &x).unwrap();
        let sparse = learner.fit_with(&DatasetRef::new(Features::Csr(rows.view())), &Context::default()).unwrap();
        assert_eq!(dense.labels(), sparse.labels());
    }
    let mut bad = x.clone();
    bad[(9, 2)] = f64::NEG_INFINITY;
    assert_eq!(fit(&Dbscan::default(), &bad).unwrap_err().to_string(), "column 2, row 9: -infinity is not a finite number");
    for (name, value) in [("eps", 0.0), ("min_samples", 0.0)] {
        assert!(AnyLearner::set(&mut Dbscan::default(), name, value.into()).unwrap_err().to_string().contains(name));
    }
}
