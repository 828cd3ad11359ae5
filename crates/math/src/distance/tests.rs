use proptest::prelude::*;

use super::kernel::portable;
use super::*;

/// Squared distances by the definition, in f64.
fn squared(x: &[f64], c: &[f64]) -> f64 {
    x.iter().zip(c).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Checks labels and sums against loops in f64; `eps` is the precision of the kernel.
fn check<T: Real>(x: &[f64], cols: usize, centers: &[f64], weight: Option<&[f64]>, eps: f64) {
    let (rows, k) = (x.len() / cols, centers.len() / cols);
    let typed: Vec<T> = x.iter().map(|&v| T::from_f64(v)).collect();
    let exact: Vec<f64> = typed.iter().map(|v| v.to_f64()).collect();
    let view = StridedRows::new(&typed, rows, cols, cols).unwrap();
    let packed = Centers::<T>::new(centers, k, cols);
    let (mut labels, mut again) = (vec![0u32; rows], vec![0u32; rows]);
    let mut sums = packed.sums();
    packed.nearest_and_sum(view, weight, &mut labels, &mut sums);
    packed.nearest(view, &mut again);
    assert_eq!(labels, again);
    let center = |c: usize| -> Vec<f64> { packed.center(c).collect() };
    let scale = x.iter().chain(centers).fold(0.0f64, |m, v| m.max(v.abs())).powi(2) * cols as f64;
    let (mut inertia, mut residuals, mut weights) = (0.0, vec![0.0; k * cols], vec![0.0; k]);
    for i in 0..rows {
        let row = &exact[i * cols..(i + 1) * cols];
        let least = (0..k).map(|c| squared(row, &center(c))).fold(f64::INFINITY, f64::min);
        let c = labels[i] as usize;
        let own = squared(row, &center(c));
        assert!(own - least <= 64.0 * eps * scale, "row {i}: {own} is not {least}");
        let w = weight.map_or(1.0, |w| w[i]);
        inertia += w * own;
        weights[c] += w;
        center(c).iter().zip(row).enumerate().for_each(|(j, (c0, v))| residuals[c * cols + j] += w * (v - c0));
    }
    let total: f64 = weights.iter().sum();
    assert!((sums.inertia() - inertia).abs() <= 64.0 * eps * (inertia + eps * scale * total));
    for c in 0..k {
        assert!((sums.weight()[c] - weights[c]).abs() <= 1e-12 * weights[c]);
        for (j, v) in sums.residual(&packed, c).enumerate() {
            assert!((v - residuals[c * cols + j]).abs() <= 64.0 * eps * scale.sqrt() * (1.0 + total));
        }
    }
    // The portable kernel agrees up to its own rounding.
    let mut plain = vec![0u32; rows];
    portable::nearest(
        &packed,
        &view,
        &mut plain,
        |s, x, c| *s = T::from_f64(s.to_f64() + x.to_f64() * c.to_f64()),
        T::from_f64(f64::NEG_INFINITY),
    );
    for i in 0..rows {
        let row = &exact[i * cols..(i + 1) * cols];
        let difference = squared(row, &center(labels[i] as usize)) - squared(row, &center(plain[i] as usize));
        assert!(difference.abs() <= 64.0 * eps * scale);
    }
}

proptest! {
    #[test]
    fn kernels_are_the_loops(
        (rows, cols, k) in (1usize..150, 1usize..40, 1usize..60),
        shift in prop_oneof![Just(0.0), -100.0f64..100.0],
        weighted in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut s = ermine_core::RngStream::new(seed, "kernels", 0);
        let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| s.normal() + shift).collect() };
        let (x, centers) = (draw(rows * cols), draw(k * cols));
        let weight: Option<Vec<f64>> = weighted.then(|| (0..rows).map(|i| (i % 3) as f64 * 0.5).collect());
        check::<f32>(&x, cols, &centers, weight.as_deref(), f64::from(f32::EPSILON));
        check::<f64>(&x, cols, &centers, weight.as_deref(), f64::EPSILON);
    }
}

#[test]
fn ties_go_to_the_first_center() {
    for k in [2, 9, 17, 25, 33, 70] {
        // All centers but the first two are far away; the first two are the same.
        let centers: Vec<f64> = (0..k).flat_map(|c| if c < 2 { [1.0, 2.0] } else { [50.0, c as f64] }).collect();
        let x = [1.0f32, 2.0, 0.0, 0.0, 3.0, 3.0];
        let mut labels = [9; 3];
        Centers::<f32>::new(&centers, k, 2).nearest(StridedRows::new(&x, 3, 2, 2).unwrap(), &mut labels);
        assert_eq!(labels, [0; 3], "{k} centers");
    }
}

#[test]
fn far_from_zero_the_centers_are_still_told_apart() {
    let x: Vec<f64> = (0..40).map(|i| 1e6 + f64::from(i % 2) + 1e-3 * f64::from(i)).collect();
    let mut labels = vec![9; 40];
    Centers::<f64>::new(&[1e6, 1e6 + 1.0], 2, 1).nearest(StridedRows::new(&x, 40, 1, 1).unwrap(), &mut labels);
    assert!(labels.iter().enumerate().all(|(i, &l)| l as usize == i % 2));
}

#[test]
fn what_is_no_number_gets_a_center_that_exists() {
    let x = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1.0];
    let mut labels = [9; 5];
    Centers::<f32>::new(&[-1.0, 3.0], 2, 1).nearest(StridedRows::new(&x, 5, 1, 1).unwrap(), &mut labels);
    assert!(labels.iter().all(|&l| l < 2));
}

#[test]
fn rows_may_lie_apart_and_must_lie_inside() {
    let x = [1.0, 9.0, 2.0, 9.0, 3.0];
    let view = StridedRows::new(&x, 3, 1, 2).unwrap();
    let mut labels = [9; 3];
    Centers::<f64>::new(&[0.0, 2.6], 2, 1).nearest(view, &mut labels);
    assert_eq!(labels, [0, 1, 1]);
    assert!(StridedRows::new(&x, 3, 2, 2).is_none() && StridedRows::new(&x, 2, 1, usize::MAX).is_none());
}

/// A few steps of Lloyd with bounds and without: the same labels and the same sums, to the last bit.
fn bounds_agree<T: Real + PartialEq + std::fmt::Debug>(rows: usize, cols: usize, k: usize, shift: f64, seed: u64) -> usize {
    let mut s = ermine_core::RngStream::new(seed, "bounds", 0);
    let groups: Vec<f64> = (0..k * cols).map(|_| 3.0 * s.normal() + shift).collect();
    let x: Vec<T> = (0..rows * cols).map(|at| T::from_f64(groups[(at / cols) % k * cols + at % cols] + s.normal())).collect();
    let view = StridedRows::new(&x, rows, cols, cols).unwrap();
    // Some rows are the same, and some centers are.
    let mut centers: Vec<f64> =
        (0..k).flat_map(|c| view.row((c * 7) % rows).iter().map(|v| v.to_f64()).collect::<Vec<_>>()).collect();
    let weight: Vec<f64> = (0..rows).map(|i| 1.0 + (i % 2) as f64).collect();
    let mut lower: Vec<f32> = Vec::new();
    let mut labels = vec![0u32; rows];
    let mut before: Option<Centers<T>> = None;
    let mut ruled_out = 0;
    for step in 0..8 {
        let ready = Centers::<T>::new(&centers, k, cols);
        lower.resize(rows * ready.groups(), f32::NEG_INFINITY);
        let moves = before.as_ref().map_or_else(|| vec![0.0; ready.groups()], |b| ready.center_moves(b));
        let (mut plain, mut plain_sums, mut sums) = (vec![0u32; rows], ready.sums(), ready.sums());
        ready.nearest_and_sum(view, Some(&weight), &mut plain, &mut plain_sums);
        let compared = ready.bounded_and_sum(view, Some(&weight), &mut labels, &mut lower, &moves, &mut sums);
        assert_eq!(labels, plain, "step {step}");
        assert!(step > 0 || compared == rows * ready.groups(), "at first nothing is known");
        ruled_out += rows * ready.groups() - compared;
        assert_eq!(sums.inertia(), plain_sums.inertia());
        for c in 0..k {
            assert_eq!(sums.weight()[c], plain_sums.weight()[c]);
            for (j, (a, b)) in sums.residual(&ready, c).zip(plain_sums.residual(&ready, c)).enumerate() {
                assert_eq!(a, b);
                if sums.weight()[c] > 0.0 {
                    centers[c * cols + j] += b / sums.weight()[c];
                }
            }
        }
        // No bound lies above the truth.
        for i in 0..rows {
            for g in 0..ready.groups() {
                let others = (g * 2 * T::LANES..((g + 1) * 2 * T::LANES).min(k)).filter(|&c| c as u32 != labels[i]);
                let row: Vec<f64> = view.row(i).iter().map(|v| v.to_f64()).collect();
                let truth =
                    others.map(|c| squared(&row, &ready.center(c).collect::<Vec<_>>()).sqrt()).fold(f64::INFINITY, f64::min);
                assert!(f64::from(lower[i * ready.groups() + g]) <= truth * (1.0 + 1e-12), "step {step}, row {i}, group {g}");
            }
        }
        before = Some(ready);
    }
    ruled_out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn bounds_rule_out_nothing_that_counts(
        (rows, cols, k) in (30usize..200, 1usize..20, 1usize..70),
        shift in prop_oneof![Just(0.0), -50.0f64..50.0, Just(1e6)],
        seed in any::<u64>(),
    ) {
        bounds_agree::<f32>(rows, cols, k, shift, seed);
        bounds_agree::<f64>(rows, cols, k, shift, seed);
    }
}

#[test]
fn bounds_rule_most_out_once_centers_settle() {
    let pairs = 8 * 2000 * 4;
    let out = bounds_agree::<f32>(2000, 8, 60, 0.0, 1);
    assert!(out > pairs / 2, "{out} of {pairs}");
}
