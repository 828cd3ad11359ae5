use ermine_fixtures::{TextTable, cases, near, numbers, standardized_columns};
use proptest::prelude::*;
use serde_json::json;

use super::init::HashSample;
use super::lloyd::{LloydSums, PackedCenters};
use super::*;

fn fit(learner: &KMeans, x: Features<'_>, weight: Option<&[f64]>) -> Result<KMeansModel> {
    learner.fit_with(&DatasetRef::new(x).with_weight(weight), &Context::default())
}

fn from(centers: &Mat<f64>) -> KMeans {
    let rows: Vec<&[f64]> = (0..centers.rows()).map(|c| centers.row(c)).collect();
    KMeans { n_clusters: centers.rows().into(), init: json!(rows), tol: 0.0, ..KMeans::default() }
}

/// Lloyd by the definition, in plain loops: centers, inertia and steps until no label changes.
fn by_definition(x: &Mat<f64>, start: &Mat<f64>, weight: &[f64]) -> (Mat<f64>, f64, u64) {
    let mut centers = start.clone();
    let mut before: Vec<usize> = Vec::new();
    for step in 1.. {
        let mut inertia = 0.0;
        let labels: Vec<usize> = (0..x.rows())
            .map(|i| {
                let d = |c: usize| x.row(i).iter().zip(centers.row(c)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                let best = (0..centers.rows()).min_by(|&a, &b| d(a).total_cmp(&d(b))).unwrap();
                inertia += weight[i] * d(best);
                best
            })
            .collect();
        if labels == before {
            return (centers, inertia, step);
        }
        for c in 0..centers.rows() {
            let total: f64 = (0..x.rows()).filter(|&i| labels[i] == c).map(|i| weight[i]).sum();
            for j in 0..x.cols() {
                let sum: f64 = (0..x.rows()).filter(|&i| labels[i] == c).map(|i| weight[i] * x[(i, j)]).sum();
                centers[(c, j)] = sum / total;
            }
        }
        before = labels;
    }
    unreachable!()
}

fn clouds(rows: usize, cols: usize, k: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "clouds", 0);
    let centers = Mat::from_fn(k, cols, |_, _| 6.0 * s.normal());
    Mat::from_fn(rows, cols, |i, j| centers[(i % k, j)] + s.normal())
}

#[test]
fn the_book_of_clustering_is_reproduced() {
    let mut seen = 0;
    for case in cases("clustering") {
        let id = case["id"].as_str().unwrap();
        if !id.starts_with("kmeans_") {
            continue;
        }
        seen += 1;
        let file = case["data"].as_str().unwrap().rsplit('/').next().unwrap();
        let table = TextTable::read(file.trim_end_matches(".csv.gz"));
        let mut x = table.matrix(&table.others(&["target"]));
        if case["preprocessing"].as_str().unwrap().starts_with("standardised") {
            x = standardized_columns(&x);
        }
        let rows: Vec<usize> =
            case["params"]["initial_centres_are_rows"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect();
        let expected = &case["expected"];
        let near = |got: f64, want: &Value, what: &str| near(got, want, 1e-9, &format!("{id} {what}"));
        let start = x.view().take_rows(&rows);
        let model = fit(&from(&start), Features::F64(x.view()), None).unwrap();
        near(model.inertia(), &expected["inertia"], "inertia");
        near(model.trace().unwrap().rows[0][1], &expected["inertia_with_initial_centres"], "first inertia");
        // The last step finds that no label changes.
        assert_eq!(model.iterations(), expected["centre_updates_until_stable"].as_u64().unwrap() + 1, "{id}");
        let sizes = numbers(&expected["sizes"]);
        assert_eq!(model.sizes(), sizes, "{id}");
        if let Some(centers) = expected["centers"].as_array() {
            for (c, row) in centers.iter().enumerate() {
                for (j, v) in row.as_array().unwrap().iter().enumerate() {
                    near(model.centers()[(c, j)], v, "center");
                }
            }
        }
        let labels = model.labels().unwrap();
        assert_eq!(labels, model.assign(&Features::F64(x.view())).unwrap());
    }
    assert_eq!(seen, 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn steps_are_those_of_the_definition(
        (rows, cols, k) in (20usize..200, 1usize..6, 1usize..6),
        weighted in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let x = clouds(rows, cols, k, seed);
        let weight: Vec<f64> = (0..rows).map(|i| if weighted { 0.5 + (i % 4) as f64 } else { 1.0 }).collect();
        let start = x.view().take_rows(&(0..k).collect::<Vec<_>>());
        let model = fit(&from(&start), Features::F64(x.view()), Some(&weight)).unwrap();
        let (centers, inertia, steps) = by_definition(&x, &start, &weight);
        prop_assert!((model.inertia() - inertia).abs() <= 1e-9 * (1.0 + inertia));
        prop_assert_eq!(model.iterations(), steps);
        prop_assert!(model.certificate().unwrap().converged);
        for (a, b) in model.centers().as_slice().iter().zip(centers.as_slice()) {
            prop_assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()));
        }
        let trace = model.trace().unwrap().column("objective").unwrap();
        prop_assert!(trace.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{:?}", trace);
    }

    #[test]
    fn neither_order_nor_repetition_of_rows_matters(seed in any::<u64>(), k in 1usize..7) {
        let x = clouds(120, 3, 5, seed);
        let learner = KMeans { n_clusters: k.into(), ..KMeans::default() };
        let whole = fit(&learner, Features::F64(x.view()), None).unwrap();
        let order = RngStream::new(seed, "order", 0).permutation(120);
        let shuffled = x.view().take_rows(&order);
        let other = fit(&learner, Features::F64(shuffled.view()), None).unwrap();
        prop_assert!((whole.inertia() - other.inertia()).abs() <= 1e-9 * (1.0 + whole.inertia()));
        let weight: Vec<f64> = (0..120).map(|i| (i % 3) as f64).collect();
        let repeated: Vec<usize> = (0..120).flat_map(|i| vec![i; i % 3]).collect();
        let twice = x.view().take_rows(&repeated);
        let a = fit(&learner, Features::F64(x.view()), Some(&weight)).unwrap();
        let b = fit(&learner, Features::F64(twice.view()), None).unwrap();
        prop_assert!((a.inertia() - b.inertia()).abs() <= 1e-9 * (1.0 + a.inertia()));
        for (p, q) in a.centers().as_slice().iter().zip(b.centers().as_slice()) {
            prop_assert!((p - q).abs() < 1e-9 * (1.0 + q.abs()));
        }
    }

    #[test]
    fn centers_follow_shift_and_scale(seed in any::<u64>()) {
        let x = clouds(90, 2, 3, seed);
        let start = x.view().take_rows(&[0, 1, 2]);
        let a = fit(&from(&start), Features::F64(x.view()), None).unwrap();
        let map = |m: &Mat<f64>| Mat::from_fn(m.rows(), m.cols(), |i, j| 8.0 * m[(i, j)] + 1e6);
        let b = fit(&from(&map(&start)), Features::F64(map(&x).view()), None).unwrap();
        prop_assert_eq!(a.labels(), b.labels());
        prop_assert!((b.inertia() / 64.0 - a.inertia()).abs() <= 1e-7 * a.inertia());
    }
}

#[test]
fn every_form_of_the_rows_gives_the_same_groups() {
    let x = clouds(5000, 4, 6, 7);
    let x = Mat::from_fn(5000, 4, |i, j| f64::from(x[(i, j)] as f32) * f64::from(u8::from((i + j) % 3 != 0)));
    let start = x.view().take_rows(&[0, 1, 2, 3, 4, 5]);
    let learner = from(&start);
    let want = fit(&learner, Features::F64(x.view()), None).unwrap();
    let single: Vec<f32> = x.as_slice().iter().map(|&v| v as f32).collect();
    let columns: Vec<f64> = (0..4).flat_map(|j| x.view().col_iter(j).collect::<Vec<_>>()).collect();
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..5000 {
        for j in (0..4).filter(|&j| x[(i, j)] != 0.0) {
            indices.push(j as u32);
            values.push(x[(i, j)]);
        }
        indptr.push(indices.len());
    }
    let csr = Csr::new(indptr, indices, values, 4).unwrap();
    let table = Table::new((0..4).map(|j| (format!("c{j}"), Column::numbers(x.view().col_iter(j).collect())))).unwrap();
    for (form, features, tolerance) in [
        ("f32", Features::F32(MatRef::row_major(&single, 5000, 4)), 1e-5),
        ("columns", Features::F64(MatRef::col_major(&columns, 5000, 4)), 0.0),
        ("sparse", Features::Csr(csr.view()), 1e-9),
        ("table", Features::Table(table.view()), 0.0),
    ] {
        let got = fit(&learner, features, None).unwrap();
        assert!((got.inertia() / want.inertia() - 1.0).abs() <= tolerance, "{form}: {} {}", got.inertia(), want.inertia());
        assert_eq!(got.labels().unwrap(), got.assign(&features).unwrap(), "{form}");
        let d = got.transform(&features).unwrap();
        let own: f64 = (0..5000).map(|i| d[(i, got.labels().unwrap()[i] as usize)].powi(2)).sum();
        assert!((own / got.inertia() - 1.0).abs() < 1e-5, "{form}");
        let score = got.inertia_of(&DatasetRef::new(features)).unwrap();
        assert!((score / got.inertia() - 1.0).abs() < 1e-5, "{form}");
    }
}

#[test]
fn one_cluster_is_the_mean_and_n_clusters_are_the_rows() {
    let x = clouds(30, 3, 3, 1);
    let one = fit(&KMeans { n_clusters: 1.into(), ..KMeans::default() }, Features::F64(x.view()), None).unwrap();
    for j in 0..3 {
        let mean = x.view().col_iter(j).sum::<f64>() / 30.0;
        assert!((one.centers()[(0, j)] - mean).abs() < 1e-12);
    }
    let all = fit(&KMeans { n_clusters: 30.into(), ..KMeans::default() }, Features::F64(x.view()), None).unwrap();
    assert_eq!(all.inertia(), 0.0);
    let mut labels = all.labels().unwrap().to_vec();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), 30);
    let e = fit(&KMeans { n_clusters: 31.into(), ..KMeans::default() }, Features::F64(x.view()), None).unwrap_err().to_string();
    assert!(e.contains("30 rows") && e.contains("31"), "{e}");
}

#[test]
fn fewer_distinct_rows_than_clusters_end_with_a_note() {
    let x = [1.0, 1.0, 2.0, 2.0, 2.0, 5.0, 5.0, 1.0, 1.0];
    for init in ["k-means++", "random"] {
        let learner = KMeans { n_clusters: 5.into(), init: init.into(), ..KMeans::default() };
        let model = fit(&learner, Features::F64(MatRef::row_major(&x, 9, 1)), None).unwrap();
        assert_eq!(model.inertia(), 0.0);
        let notes = &model.certificate().unwrap().notes;
        assert!(notes.iter().any(|n| n.contains("3 of 5 clusters")), "{notes:?}");
    }
}

#[test]
fn a_center_without_rows_moves_to_the_farthest_row() {
    // The second center is nearest to no row; 10 is farthest from the first.
    let x = [-0.5, 0.0, 0.5, 1.0, 10.0];
    let learner = from(&Mat::from_vec(2, 1, vec![0.0, 1e6]));
    let model = fit(&learner, Features::F64(MatRef::row_major(&x, 5, 1)), None).unwrap();
    assert_eq!(model.labels().unwrap(), [0, 0, 0, 0, 1]);
    assert_eq!(model.centers().as_slice(), [0.25, 10.0]);
    let trace = model.trace().unwrap().column("objective").unwrap();
    assert!(trace.windows(2).all(|w| w[1] <= w[0]));
}

#[test]
fn good_starts_find_well_separated_groups() {
    for seed in 0..20 {
        let x = clouds(2000, 5, 12, seed);
        let learner = KMeans { n_clusters: 12.into(), ..KMeans::default() };
        let model = learner.fit_with(&DatasetRef::new(Features::F64(x.view())), &Context::seeded(seed)).unwrap();
        // Within groups the expected inertia is rows times columns.
        assert!(model.inertia() < 2.0 * 2000.0 * 5.0, "seed {seed}: {}", model.inertia());
    }
    let x = clouds(2000, 5, 4, 3);
    let random = KMeans { n_clusters: 4.into(), init: "random".into(), ..KMeans::default() };
    let model = fit(&random, Features::F64(x.view()), None).unwrap();
    assert!(model.inertia() < 1.2 * 2000.0 * 5.0);
    assert_eq!(model.labels().unwrap(), model.assign(&Features::F64(x.view())).unwrap());
}

#[test]
fn what_cannot_be_learned_from_is_refused_by_name() {
    let x = [1.0, 2.0, f64::NAN, 4.0];
    let schema = Schema::numbers(["a", "b"]);
    for init in [json!("k-means++"), json!([[0.0, 0.0]])] {
        let learner = KMeans { n_clusters: 1.into(), init, ..KMeans::default() };
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 2, 2))).with_schema(Some(&schema));
        let e = learner.fit_with(&data, &Context::default()).unwrap_err().to_string();
        assert_eq!(e, "column \"a\", row 1: NaN is not a finite number");
    }
    let big = [1e30f32, -1e30];
    let e = fit(&KMeans { n_clusters: 1.into(), ..KMeans::default() }, Features::F32(MatRef::row_major(&big, 2, 1)), None);
    assert!(e.unwrap_err().to_string().contains("overflow"));
    let model =
        fit(&KMeans { n_clusters: 1.into(), ..KMeans::default() }, Features::F64(MatRef::row_major(&[1.0, 2.0], 2, 1)), None);
    assert!(model.unwrap().assign(&Features::F64(MatRef::row_major(&[f64::INFINITY], 1, 1))).is_err());
    for (name, value) in [
        ("n_clusters", json!(0)),
        ("init", json!("good")),
        ("init", json!([[1.0], [2.0]])),
        ("init", json!([[]])),
        ("n_init", json!(0)),
        ("max_iter", json!(0)),
        ("tol", json!(-1.0)),
    ] {
        let mut learner = KMeans::default();
        let e = learner.set(name, value).unwrap_err().to_string();
        assert!(e.contains(name) && learner == KMeans::default(), "{e}");
    }
    let learner = from(&Mat::from_vec(1, 2, vec![0.0, 0.0]));
    let e = fit(&learner, Features::F64(MatRef::row_major(&[1.0], 1, 1)), None).unwrap_err().to_string();
    assert!(e.contains("2 numbers") && e.contains("1 columns"), "{e}");
}

#[test]
fn steps_are_limited_and_the_labels_fit_the_centers() {
    let x = clouds(3000, 3, 9, 5);
    let start = x.view().take_rows(&(0..9).map(|i| i * 9).collect::<Vec<_>>());
    let learner = KMeans { max_iter: 2, ..from(&start) };
    let model = fit(&learner, Features::F64(x.view()), None).unwrap();
    assert!(model.iterations() == 2 && !model.certificate().unwrap().converged);
    assert_eq!(model.labels().unwrap(), model.assign(&Features::F64(x.view())).unwrap());
    let trace = model.trace().unwrap();
    assert_eq!(trace.rows.len(), 3);
    assert_eq!(trace.rows[2][1], model.inertia());
    // A loose tolerance ends early and is called converged.
    let loose = fit(&KMeans { tol: 1e6, ..from(&start) }, Features::F64(x.view()), None).unwrap();
    assert!(loose.iterations() == 1 && loose.certificate().unwrap().converged);
}

#[test]
fn the_stopping_rule_knows_the_variance_of_the_columns() {
    let x = clouds(400, 3, 4, 8);
    let mut totals = LloydSums::new(2, 3);
    let centers = x.view().take_rows(&[0, 1]);
    totals.add(&centers, &PackedCenters::default(), &DatasetRef::new(Features::F64(x.view())), &mut vec![0; 400]).unwrap();
    let (means, _) = totals.means(&centers);
    let variance = |j: usize| {
        let mean = x.view().col_iter(j).sum::<f64>() / 400.0;
        x.view().col_iter(j).map(|v| (v - mean) * (v - mean)).sum::<f64>() / 400.0
    };
    let want = (0..3).map(variance).sum::<f64>() / 3.0;
    assert!((totals.mean_variance(&means, &centers) / want - 1.0).abs() < 1e-12);
}

#[test]
fn a_sample_is_the_same_in_any_order_and_counts_repeated_rows() {
    let x = Mat::from_fn(900, 2, |i, j| ((i * (j + 3)) % 40) as f64);
    let sample = |order: &[usize], blocks: usize| {
        let rows = x.view().take_rows(order);
        let mut all = HashSample::new(1, 2);
        for first in (0..900).step_by(blocks) {
            let mut part = HashSample::new(1, 2);
            let block = rows.view().row_range(first..900.min(first + blocks));
            part.add(&DatasetRef::new(Features::F64(block)), 5).unwrap();
            all.merge(part);
        }
        serde_json::to_value(&all).unwrap()
    };
    let plain: Vec<usize> = (0..900).collect();
    let shuffled = RngStream::new(1, "shuffled", 0).permutation(900);
    assert_eq!(sample(&plain, 900), sample(&shuffled, 64));
    let weights: f64 = sample(&plain, 100)["weight"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).sum();
    assert_eq!(weights, 900.0);
}

#[test]
fn a_sample_gathered_with_less_work_is_the_same() {
    let x = clouds(20_000, 2, 4, 6);
    let data = DatasetRef::new(Features::F64(x.view()));
    let gather = |limit: u64| {
        let mut sample = HashSample::new(1, 2).with_limit(limit);
        sample.add(&data, 3).unwrap();
        (sample.is_short(), sample.centers(5, true, 3, 0, &Context::default()).unwrap())
    };
    // The sample holds all rows of so small a table; a third of the hashes are too few.
    assert!(!gather(u64::MAX).0 && gather(u64::MAX / 3).0);
    let mut large = HashSample::new(1, 200);
    assert_eq!(large.limit_for(10_000), u64::MAX);
    assert!(large.limit_for(1_000_000) < u64::MAX / 80);
    let wide = clouds(30_000, 200, 2, 1);
    let data = DatasetRef::new(Features::F64(wide.view()));
    let limit = large.limit_for(30_000);
    large.add(&data, 3).unwrap();
    let mut limited = HashSample::new(1, 200).with_limit(limit);
    limited.add(&data, 3).unwrap();
    assert!(limit < u64::MAX && !limited.is_short());
    let start = |s: &HashSample| s.centers(2, true, 3, 0, &Context::default()).unwrap();
    assert_eq!(start(&large), start(&limited));
}

#[test]
fn bounds_change_nothing_to_the_last_bit() {
    for (rows, cols, k, seed) in [(6000, 5, 40, 1), (3000, 17, 100, 2), (500, 3, 7, 3)] {
        let x = clouds(rows, cols, k, seed);
        let single: Vec<f32> = x.as_slice().iter().map(|&v| v as f32).collect();
        let weight: Vec<f64> = (0..rows).map(|i| (i % 3) as f64).collect();
        let learner = KMeans { n_clusters: k.into(), init: "random".into(), n_init: json!(2), ..KMeans::default() };
        for features in [Features::F64(x.view()), Features::F32(MatRef::row_major(&single, rows, cols))] {
            for weight in [None, Some(&weight[..])] {
                let data = DatasetRef::new(features).with_weight(weight);
                let run = |bounds| memory::fit_with(&learner, &data, &Context::default(), bounds).unwrap();
                let plain = run(bounds::GroupBounds::never(&data));
                for other in [run(bounds::GroupBounds::always(&data)), learner.fit_with(&data, &Context::default()).unwrap()] {
                    assert_eq!(plain.centers(), other.centers());
                    assert_eq!((plain.inertia(), plain.iterations()), (other.inertia(), other.iterations()));
                    assert_eq!(plain.labels(), other.labels());
                    assert_eq!(plain.trace(), other.trace());
                }
            }
        }
    }
}

#[test]
fn rules_find_the_number_of_groups() {
    let x = clouds(600, 4, 3, 2);
    let data = DatasetRef::new(Features::F64(x.view()));
    for rule in ["elbow", "penalty", "silhouette"] {
        let rule: ClusterCountRule = serde_json::from_value(json!(rule)).unwrap();
        let learner = KMeans { n_clusters: ClusterCount::Rule(rule), max_clusters: 6, n_init: json!(3), ..KMeans::default() };
        let model = learner.fit_with(&data, &Context::default()).unwrap();
        assert_eq!(model.centers().rows(), 3, "{rule:?}");
        let tried = model.tried();
        assert_eq!(tried.iter().map(|t| t.clusters).collect::<Vec<_>>(), (rule.first()..=6).collect::<Vec<_>>());
        assert!(tried.windows(2).all(|w| w[1].inertia <= w[0].inertia * 1.0001));
        let notes = &model.certificate().unwrap().notes;
        assert!(notes.iter().any(|n| n.starts_with("3 clusters by the")), "{notes:?}");
        // The model is that of a fit with this number, and the groups are those of its centers.
        let plain =
            KMeans { n_clusters: 3.into(), n_init: json!(3), ..KMeans::default() }.fit_with(&data, &Context::default()).unwrap();
        assert!((plain.inertia() / model.inertia() - 1.0).abs() < 1e-12);
        assert_eq!(model.labels().unwrap(), model.assign(&data.x).unwrap());
        // A stream gives the same.
        let stream = KMeans::STREAM.unwrap()(&learner, &data, &Context::default()).unwrap();
        assert_eq!((stream.centers(), stream.tried()), (model.centers(), model.tried()));
        // The silhouettes of so few rows are those of the definition.
        let three = tried.iter().find(|t| t.clusters == 3).unwrap();
        let want = ermine_eval::metrics::silhouette(&data.x, model.labels().unwrap()).unwrap().unwrap();
        assert!((three.silhouette.unwrap() - want).abs() < 1e-12);
    }
}

#[test]
fn a_price_and_repeated_rows_count_in_the_choice_of_clusters() {
    let x = clouds(90, 2, 3, 5);
    let data = DatasetRef::new(Features::F64(x.view()));
    let learner = |penalty: Option<f64>| KMeans {
        n_clusters: ClusterCount::Rule(ClusterCountRule::Penalty),
        max_clusters: 6,
        penalty,
        ..KMeans::default()
    };
    // So expensive that one cluster is best, and so cheap that all are.
    assert_eq!(learner(Some(1e9)).fit_with(&data, &Context::default()).unwrap().centers().rows(), 1);
    assert_eq!(learner(Some(0.0)).fit_with(&data, &Context::default()).unwrap().centers().rows(), 6);
    let model = learner(Some(5.0)).fit_with(&data, &Context::default()).unwrap();
    assert!(model.tried().iter().all(|t| (t.penalized - t.inertia - 5.0 * t.clusters as f64).abs() < 1e-9));
    let weight: Vec<f64> = (0..90).map(|i| 1.0 + (i % 2) as f64).collect();
    let rows: Vec<usize> = (0..90).flat_map(|i| vec![i; 1 + i % 2]).collect();
    let twice = x.view().take_rows(&rows);
    for rule in [ClusterCountRule::Elbow, ClusterCountRule::Penalty, ClusterCountRule::Silhouette] {
        let learner = KMeans { n_clusters: ClusterCount::Rule(rule), max_clusters: 5, ..KMeans::default() };
        let a = learner.fit_with(&data.with_weight(Some(&weight)), &Context::default()).unwrap();
        let b = learner.fit_with(&DatasetRef::new(Features::F64(twice.view())), &Context::default()).unwrap();
        for (a, b) in a.tried().iter().zip(b.tried()) {
            assert_eq!(a.clusters, b.clusters);
            assert!((a.inertia / b.inertia - 1.0).abs() < 1e-9 && (a.penalized / b.penalized - 1.0).abs() < 1e-9);
            let (s, t) = (a.silhouette.unwrap_or(0.0), b.silhouette.unwrap_or(0.0));
            assert!((s - t).abs() < 1e-9, "{s} {t}");
        }
    }
    // No more clusters are tried than there are distinct rows.
    let few = [1.0, 1.0, 5.0, 5.0, 9.0];
    let model = KMeans { n_clusters: ClusterCount::Rule(ClusterCountRule::Elbow), ..KMeans::default() }
        .fit_with(&DatasetRef::new(Features::F64(MatRef::row_major(&few, 5, 1))), &Context::default())
        .unwrap();
    assert_eq!(model.tried().len(), 3);
    let e = KMeans { init: json!([[0.0]]), n_clusters: ClusterCount::Rule(ClusterCountRule::Elbow), ..KMeans::default() }.check();
    assert!(e.unwrap_err().to_string().contains("init"));
}

#[test]
fn a_model_that_was_read_assigns_the_same_and_a_broken_one_is_refused() {
    let x = clouds(100, 2, 3, 4);
    let model = fit(&KMeans { n_clusters: 3.into(), ..KMeans::default() }, Features::F64(x.view()), None).unwrap();
    let mut out = ModelWriter::default();
    model.save(&mut out).unwrap();
    let again = KMeans::load(&out.clone().into_reader()).unwrap();
    assert_eq!(again.assign(&Features::F64(x.view())).unwrap(), model.labels().unwrap());
    assert_eq!((again.inertia(), again.iterations()), (model.inertia(), model.iterations()));
    let mut broken = out.clone();
    broken.mat("centers", &Mat::from_vec(3, 2, vec![f64::NAN; 6]));
    assert!(KMeans::load(&broken.into_reader()).is_err());
    out.vec("sizes", &[1.0]);
    assert!(KMeans::load(&out.into_reader()).is_err());
}
