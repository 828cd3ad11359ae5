//! Rows in other orders, blocks, streams and threads; weights; going on.

use super::*;
use ermine_fixtures::ChunkedSource;

#[test]
fn weight_two_is_the_row_twice_in_every_bit() {
    for data in [regression(500, 4, 51), classes(500, 4, 2, 52), classes(500, 4, 3, 53)] {
        let weight: Vec<f64> = (0..500).map(|i| f64::from(u8::from(i % 5 != 0)) * (1 + i % 3) as f64).collect();
        let rows: Vec<usize> = (0..500).flat_map(|i| vec![i; weight[i] as usize]).collect();
        let weighted = OwnedDataset { weight: Some(weight), ..data.clone() };
        let repeated = data.view().take_rows(&rows);
        let (a, b) =
            (small().fit_with(&weighted.view(), &Context::default()), small().fit_with(&repeated.view(), &Context::default()));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!(a.start(), b.start());
        for t in 0..a.trees().n_trees() {
            assert_eq!(a.trees().nodes(t), b.trees().nodes(t), "tree {t}");
        }
    }
}

#[test]
fn the_order_of_rows_does_not_change_a_bit() {
    for data in [regression(700, 4, 54), classes(700, 4, 3, 55)] {
        let order = RngStream::new(1, "order", 0).permutation(700);
        let shuffled = data.view().take_rows(&order);
        let a = small().fit_with(&data.view(), &Context::default()).unwrap();
        let b = small().fit_with(&shuffled.view(), &Context::default()).unwrap();
        for t in 0..a.trees().n_trees() {
            assert_eq!(a.trees().nodes(t), b.trees().nodes(t), "tree {t}");
        }
    }
}

#[test]
fn passes_and_streams_have_the_bytes_of_memory() {
    let weighted = {
        let data = regression(5000, 4, 58);
        OwnedDataset { weight: Some((0..5000).map(|i| 0.5 + (i % 7) as f64 * 0.3).collect()), ..data }
    };
    for (k, data) in [regression(5000, 4, 56), classes(5000, 4, 2, 57), classes(5000, 3, 3, 59), weighted].into_iter().enumerate()
    {
        let learner = Boosting { max_iter: 4, max_leaf_nodes: Some(12), ..Boosting::default() };
        let memory = bytes(&learner.fit_with(&data.view(), &Context::default()).unwrap());
        let source = ChunkedSource::new(data.view(), &[777]);
        assert!(bytes(&fit_within(&learner, &source, &Context::default(), u64::MAX).unwrap()) == memory, "held, case {k}");
        assert!(bytes(&fit_within(&learner, &source, &Context::default(), 0).unwrap()) == memory, "in passes, case {k}");
        assert!(bytes(&run_passes_source(&learner, &source, &Context::default()).unwrap()) == memory, "driven, case {k}");
    }
}

#[test]
fn many_rows_outgrow_packed_sums_and_nothing_changes() {
    // More rows than a packed word has room for, and weights that make them fewer rows.
    let n = 90_000;
    let mut s = RngStream::new(4, "many", 0);
    let cells: Vec<f64> = (0..n * 2).map(|_| s.below(40) as f64).collect();
    let y: Vec<f64> = (0..n).map(|i| cells[2 * i] * 0.1 - cells[2 * i + 1] * 0.2).collect();
    let x = Mat::from_vec(n, 2, cells);
    let data = DatasetRef::new(Features::F64(x.view())).with_target(Target::Real(&y));
    let learner = Boosting { max_iter: 3, ..Boosting::default() };
    let pools = [1, 2, 3].map(|t| rayon::ThreadPoolBuilder::new().num_threads(t).build().unwrap());
    let models = pools.map(|p| p.install(|| bytes(&learner.fit_with(&data, &Context::default()).unwrap())));
    assert!(models[0] == models[1] && models[1] == models[2]);
    // Each distinct row once, with its number as weight.
    let mut counts = std::collections::BTreeMap::new();
    for i in 0..n {
        *counts.entry((x[(i, 0)] as u32, x[(i, 1)] as u32)).or_insert(0u32) += 1;
    }
    let keys: Vec<(u32, u32)> = counts.keys().copied().collect();
    let short = Mat::from_fn(keys.len(), 2, |i, j| f64::from(if j == 0 { keys[i].0 } else { keys[i].1 }));
    let w: Vec<f64> = counts.values().map(|&c| f64::from(c)).collect();
    let y: Vec<f64> = (0..keys.len()).map(|i| short[(i, 0)] * 0.1 - short[(i, 1)] * 0.2).collect();
    let data2 = DatasetRef::new(Features::F64(short.view())).with_target(Target::Real(&y)).with_weight(Some(&w));
    let (a, b) = (learner.fit_with(&data, &Context::default()).unwrap(), learner.fit_with(&data2, &Context::default()).unwrap());
    for t in 0..3 {
        assert_eq!(a.trees().nodes(t), b.trees().nodes(t), "tree {t}");
    }
}

#[test]
fn going_on_from_a_checkpoint_ends_in_the_same_bytes() {
    for (data, learner) in [
        (regression(900, 4, 61), small()),
        (classes(900, 4, 3, 62), small()),
        (classes(900, 4, 2, 63), Boosting { subsample: 0.7, max_features: 0.6, ..small() }),
        (classes(900, 4, 2, 64), Boosting { early_stopping: EarlyStopping::Flag(true), ..small() }),
    ] {
        let kept = std::sync::Mutex::new(Vec::new());
        let keep = |model: &dyn Model| -> Result<()> {
            let mut out = ModelWriter::default();
            model.save(&mut out)?;
            kept.lock().unwrap().push(out);
            Ok(())
        };
        let cx = Context { checkpoint: Some(&keep), ..Context::seeded(5) };
        let whole = bytes(&learner.fit_with(&data.view(), &cx).unwrap());
        let kept = kept.into_inner().unwrap();
        assert!(kept.len() >= 5);
        for k in [0, 4] {
            let start = Boosting::load(&kept[k].clone().into_reader()).unwrap();
            assert_eq!(start.rounds(), k + 1);
            let go_on = Boosting::WARM_START.unwrap();
            let end = go_on(&learner, Some(&start), &data.view(), &Context::seeded(5)).unwrap();
            assert!(bytes(&end) == whole, "from round {}", k + 1);
        }
    }
}
