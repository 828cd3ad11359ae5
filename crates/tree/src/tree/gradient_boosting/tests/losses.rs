//! Slopes by finite differences; starts, leaves and steps against a fine search.

use super::*;

/// All losses with targets that suit them.
fn cases() -> Vec<(BoostingLoss, BoostingTarget)> {
    let mut s = RngStream::new(1, "losses", 0);
    let numbers: Vec<f64> = (0..40).map(|_| 2.0 * s.normal()).collect();
    let counts: Vec<f64> = (0..40).map(|_| s.below(5) as f64).collect();
    let two: Vec<u32> = (0..40).map(|_| s.below(2) as u32).collect();
    let three: Vec<u32> = (0..40).map(|_| s.below(3) as u32).collect();
    vec![
        (BoostingLoss::Squared, BoostingTarget::Numbers(numbers.clone())),
        (BoostingLoss::Absolute, BoostingTarget::Numbers(numbers.clone())),
        (BoostingLoss::Huber { alpha: 0.7 }, BoostingTarget::Numbers(numbers.clone())),
        (BoostingLoss::Pinball { alpha: 0.8 }, BoostingTarget::Numbers(numbers)),
        (BoostingLoss::Poisson, BoostingTarget::Numbers(counts)),
        (BoostingLoss::Logistic, BoostingTarget::Codes(two.clone())),
        (BoostingLoss::Exponential, BoostingTarget::Codes(two)),
        (BoostingLoss::Softmax { classes: 3 }, BoostingTarget::Codes(three)),
    ]
}

fn scores(width: usize, seed: u64) -> Mat<f64> {
    let mut s = RngStream::new(seed, "scores", 0);
    Mat::from_fn(40, width, |_, _| 0.6 * s.normal())
}

#[test]
fn residuals_are_negative_slopes() {
    for (loss, y) in cases() {
        let raw = scores(loss.width(), 2);
        let h = 1e-6;
        // Squared and logistic losses are twice what their residuals are the slopes of.
        let factor = if matches!(loss, BoostingLoss::Squared | BoostingLoss::Logistic) { 2.0 } else { 1.0 };
        for i in 0..40 {
            for k in 0..loss.width() {
                let at = |d: f64| {
                    let mut f = raw.row(i).to_vec();
                    f[k] += d;
                    loss.value(&y, i, &f, 0.9)
                };
                let slope = (at(h) - at(-h)) / (2.0 * h);
                let residual = loss.residual(&y, i, raw.row(i), k, 0.9);
                assert!((slope + factor * residual).abs() < 1e-5, "{loss:?}: {slope} and {residual}");
            }
        }
    }
}

fn total(loss: BoostingLoss, y: &BoostingTarget, w: &[f64], raw: &Mat<f64>, class: usize, add: f64, turn: f64) -> f64 {
    let of = |i: usize| {
        let mut f = raw.row(i).to_vec();
        f[class] += add;
        w[i] * loss.value(y, i, &f, turn)
    };
    (0..40).map(of).sum()
}

#[test]
fn starts_have_the_least_loss_of_constants() {
    let w: Vec<f64> = (0..40).map(|i| 0.5 + f64::from(i % 3)).collect();
    for (loss, y) in cases() {
        let start = loss.start(&y, &w);
        let raw = Mat::from_fn(40, loss.width(), |_, k| start[k]);
        // Huber's start is the median, which is not its own minimum but where its residuals are taken from.
        if matches!(loss, BoostingLoss::Huber { .. }) {
            continue;
        }
        for k in 0..loss.width() {
            let here = total(loss, &y, &w, &raw, k, 0.0, 1.0);
            for d in [-0.3, -0.01, 0.01, 0.3] {
                let shifted = total(loss, &y, &w, &raw, k, d, 1.0);
                assert!(shifted >= here - 1e-9 * here.abs(), "{loss:?}: {shifted} below {here} at {d}");
            }
        }
    }
}

#[test]
fn leaves_lower_the_loss_and_exact_ones_lower_it_most() {
    let w: Vec<f64> = (0..40).map(|i| 0.5 + f64::from(i % 3)).collect();
    let rows: Vec<u32> = (0..40).collect();
    for (loss, y) in cases() {
        let raw = scores(loss.width(), 3);
        let turn = loss.huber_delta(&y, &w, raw.as_slice(), &rows);
        for class in 0..loss.width() {
            let leaf = loss.leaf_value(&y, &w, raw.as_slice(), class, &rows, turn);
            let at_leaf = total(loss, &y, &w, &raw, class, leaf, turn);
            let before = total(loss, &y, &w, &raw, class, 0.0, turn);
            // Huber's leaf is one step from the median, which comes near the best whatever it starts from.
            if matches!(loss, BoostingLoss::Huber { .. }) {
                let grid = (-400..400).map(|i| total(loss, &y, &w, &raw, class, f64::from(i) * 0.01, turn));
                assert!(at_leaf <= 1.005 * grid.fold(f64::INFINITY, f64::min), "{loss:?}: {at_leaf}");
                continue;
            }
            assert!(at_leaf <= before + 1e-12 * before.abs(), "{loss:?}: {at_leaf} from {before}");
            let exact = matches!(
                loss,
                BoostingLoss::Squared | BoostingLoss::Absolute | BoostingLoss::Pinball { .. } | BoostingLoss::Poisson
            );
            for d in (-400..400).map(|i| f64::from(i) * 0.01).filter(|_| exact) {
                let shifted = total(loss, &y, &w, &raw, class, d, turn);
                assert!(shifted >= at_leaf - 1e-9 * at_leaf.abs(), "{loss:?}: {shifted} at {d}, {at_leaf} at {leaf}");
            }
        }
    }
}

#[test]
fn line_searches_find_the_least_loss_along_a_tree() {
    let rows: Vec<u32> = (0..40).collect();
    for (loss, y) in cases() {
        let width = loss.width();
        let raw = scores(width, 4);
        let sample = BoostingSample { y, weight: vec![1.0; 40], train: rows.clone(), held: Vec::new() };
        let along = Mat::from_fn(40, width, |i, k| 0.5 * loss.residual(&sample.y, i, raw.row(i), k, 1.0));
        let rho = sample.line_search(loss, &raw, &rows, &along, 1.0);
        let at = |rho: f64| {
            let moved = Mat::from_fn(40, width, |i, k| raw[(i, k)] + rho * along[(i, k)]);
            sample.mean_loss(loss, &moved, 0..40, 1.0)
        };
        let at_rho = at(rho);
        for other in (0..400).map(|i| f64::from(i) * 0.05) {
            assert!(at(other) >= at_rho - 1e-9 * at(0.0).abs(), "{loss:?}: {} at {other}, {at_rho} at {rho}", at(other));
        }
    }
}

#[test]
fn quantiles_are_those_of_repeated_values() {
    let items = [(3.0, 2.0), (1.0, 1.0), (2.0, 1.0)];
    assert_eq!(quantile(&mut items.to_vec(), 0.5), 2.5);
    assert_eq!(quantile(&mut [(3.0, 1.0), (3.0, 1.0), (1.0, 1.0), (2.0, 1.0)], 0.5), 2.5);
    assert_eq!(quantile(&mut items.to_vec(), 0.9), 3.0);
    assert_eq!(quantile(&mut items.to_vec(), 0.2), 1.0);
}
