//! Kernels against their definitions, with every vector type that the processor has.

use super::lanes::{Portable, SimdLanes, SimdOp};
use super::tile::{AccumulatorInit, OutputTile, ProductTile, RawEpilogue, TileSweep};
use super::*;

fn numbers<T: Float>(n: usize, seed: f64) -> Vec<T> {
    (0..n).map(|i| T::from_f64((i as f64 * 0.737 + seed).sin())).collect()
}

/// a (rows x inner) times b (inner x 16 units), on one kind of vector.
fn product<T: Float, L: SimdLanes<T>>(l: L, rows: usize, inner: usize, units: usize, columns: usize) -> Vec<T> {
    let wide = units * 16;
    let (a, b) = (numbers::<T>(rows * inner, 0.1), numbers::<T>(inner * wide, 0.2));
    let (bias, gates) = (numbers::<T>(wide, 0.3), numbers::<T>(rows * wide, 0.4));
    let mut out = Vec::new();
    for (start, finish) in [
        (AccumulatorInit::Zero, RawEpilogue::Identity),
        (AccumulatorInit::Bias(bias.as_ptr()), RawEpilogue::LeakyRelu(T::from_f64(0.25))),
        (AccumulatorInit::Accumulate, RawEpilogue::ReluMask(gates.as_ptr(), wide, T::from_f64(0.5))),
    ] {
        let mut c = numbers::<T>(rows * wide, 0.5);
        let tile = ProductTile {
            a: a.as_ptr(),
            a_row: inner,
            a_step: 1,
            offsets: &0,
            pieces: 1,
            length: inner,
            b: b.as_ptr(),
            b_row: wide,
            to: OutputTile { c: c.as_mut_ptr(), c_row: wide, columns, start, finish },
        };
        // SAFETY: all matrices have the rows and columns that the sweep says.
        unsafe { TileSweep { tile, rows, units }.run(l) };
        out.extend(c);
    }
    out
}

fn definition<T: Float>(rows: usize, inner: usize, units: usize, columns: usize) -> Vec<f64> {
    let wide = units * 16;
    let double = |v: Vec<T>| v.into_iter().map(Float::to_f64).collect::<Vec<f64>>();
    let (a, b) = (double(numbers(rows * inner, 0.1)), double(numbers(inner * wide, 0.2)));
    let (bias, gates, before) =
        (double(numbers(wide, 0.3)), double(numbers(rows * wide, 0.4)), double(numbers(rows * wide, 0.5)));
    let mut out = Vec::new();
    for kind in 0..3 {
        for i in 0..rows {
            for j in 0..wide {
                let sum: f64 = (0..inner).map(|k| a[i * inner + k] * b[k * wide + j]).sum();
                out.push(match kind {
                    _ if j >= columns => before[i * wide + j],
                    0 => sum,
                    1 => (bias[j] + sum) * if bias[j] + sum > 0.0 { 1.0 } else { 0.25 },
                    _ => (before[i * wide + j] + sum) * if gates[i * wide + j] > 0.0 { 1.0 } else { 0.5 },
                });
            }
        }
    }
    out
}

fn on_all<T: Float>(rows: usize, inner: usize, units: usize, columns: usize) -> Vec<Vec<T>>
where
    Portable: SimdLanes<T>,
{
    vec![product(Portable, rows, inner, units, columns)]
}

#[test]
fn tiles_of_every_shape_are_the_product() {
    for (rows, inner, units) in [(1, 1, 1), (2, 7, 1), (5, 13, 2), (14, 9, 1), (27, 20, 3), (33, 31, 4), (13, 64, 2), (7, 3, 4)] {
        for columns in [units * 16, units * 16 - 5, units * 16 - 11] {
            let want = definition::<f32>(rows, inner, units, columns);
            #[allow(unused_mut)]
            let mut results = on_all::<f32>(rows, inner, units, columns);
            let want_double = definition::<f64>(rows, inner, units, columns);
            #[allow(unused_mut)]
            let mut f64_results = on_all::<f64>(rows, inner, units, columns);
            #[cfg(target_arch = "x86_64")]
            {
                if let Some(l) = lanes::Avx2::find() {
                    results.push(product::<f32, _>(l, rows, inner, units, columns));
                    f64_results.push(product::<f64, _>(l, rows, inner, units, columns));
                }
                if let Some(l) = lanes::Avx512::find() {
                    results.push(product::<f32, _>(l, rows, inner, units, columns));
                    f64_results.push(product::<f64, _>(l, rows, inner, units, columns));
                    // Every element is one sum in one order, however wide the vectors are.
                    assert!(results[1] == results[2] && f64_results[1] == f64_results[2]);
                }
            }
            for results in &results {
                let worst = results.iter().zip(&want).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-6 * (inner as f64 + 2.0), "{rows} {inner} {units} {columns}: {worst}");
            }
            for results in &f64_results {
                let worst = results.iter().zip(&want_double).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-15 * (inner as f64 + 2.0), "{rows} {inner} {units} {columns}: {worst}");
            }
        }
    }
}

#[test]
fn panels_hold_a_matrix_and_its_transpose() {
    for (rows, cols) in [(1, 1), (3, 16), (70, 65), (129, 200), (64, 64), (5, 130)] {
        let layout = WeightPanels { rows, cols };
        let mut w = vec![0.0f32; layout.len()];
        let mut seen = std::collections::BTreeSet::new();
        for i in 0..rows {
            for j in 0..cols {
                assert!(seen.insert(layout.at(i, j)));
                w[layout.at(i, j)] = (i * 1000 + j) as f32;
            }
        }
        let turned = WeightPanels { rows: cols, cols: rows };
        let mut t = vec![0.0; turned.len()];
        layout.transpose(&w, &mut t);
        assert!((0..rows).all(|i| (0..cols).all(|j| t[turned.at(j, i)] == (i * 1000 + j) as f32)), "{rows} {cols}");
    }
}

#[test]
fn rows_around_a_row_do_not_change_its_bits() {
    let layout = WeightPanels { rows: 37, cols: 90 };
    let (w, x) = (numbers::<f32>(layout.len(), 0.7), numbers::<f32>(29 * 48, 0.9));
    let all = |rows: usize, first: usize| {
        let mut y = vec![0.0; rows * 112];
        dense(&x[first * 48..], 48, rows, None, &w, layout, None, Epilogue::LeakyRelu(0.0), &mut y, 112);
        y
    };
    let whole = all(29, 0);
    for first in [0, 1, 5, 28] {
        assert_eq!(all(1, first)[..90], whole[first * 112..][..90]);
    }
    // The gradient of all rows is that of the rows in two batches, to the last bit.
    let d = numbers::<f32>(29 * 112, 0.2);
    let (mut once, mut twice) = (vec![0.0; 37 * 32], vec![0.0; 37 * 32]);
    let pattern = &ZeroMask::default();
    let lot = |first: usize, rows: usize| GradInput { x: &x[first * 48..], d: &d[first * 112..], rows, pattern };
    dense_gradient(&[lot(0, 29)], 48, 112, layout, 1, 0..37, &mut once);
    dense_gradient(&[lot(0, 11), lot(11, 18)], 48, 112, layout, 1, 0..37, &mut twice);
    assert_eq!(once, twice);
}

/// Output and input gradient of pooling, by the definition.
fn pooled_by_definition(pool: &Pool, x: &[f64], d: &[f64], slope: Option<f64>) -> (Vec<f64>, Vec<f64>) {
    let (_, w, c) = pool.input;
    let (high, wide, _) = pool.output();
    let (mut y, mut dx) = (Vec::new(), vec![0.0; x.len()]);
    for row in 0..high {
        for column in 0..wide {
            for k in 0..c {
                let points: Vec<usize> = (0..pool.size.0)
                    .flat_map(|a| (0..pool.size.1).map(move |b| (a, b)))
                    .map(|(a, b)| ((row * pool.stride + a) * w + column * pool.stride + b) * c + k)
                    .collect();
                let d = d[y.len()];
                let gate = |p: usize| if x[p] > 0.0 { 1.0 } else { slope.unwrap_or(1.0) };
                match pool.kind {
                    PoolKind::Max => {
                        let most = points.iter().map(|&p| x[p]).fold(f64::NEG_INFINITY, f64::max);
                        let first = *points.iter().find(|&&p| x[p] == most).unwrap();
                        dx[first] += d * gate(first);
                        y.push(most);
                    }
                    PoolKind::Average => {
                        points.iter().for_each(|&p| dx[p] += d / points.len() as f64 * gate(p));
                        y.push(points.iter().map(|&p| x[p]).sum::<f64>() / points.len() as f64);
                    }
                }
            }
        }
    }
    (y, dx)
}

#[test]
fn pools_of_every_shape_and_their_way_back_are_the_definition() {
    for kind in [PoolKind::Max, PoolKind::Average] {
        for (input, size, stride) in [
            ((4, 6, 6), (2, 2), 2),
            ((5, 7, 1), (2, 2), 2),
            ((6, 6, 17), (3, 2), 1),
            ((7, 7, 16), (2, 3), 3),
            ((3, 4, 40), (3, 4), 1),
        ] {
            let pool = Pool { kind, input, size, stride };
            // Few values, so that many are equal.
            let x: Vec<f64> = numbers::<f64>(input.0 * input.1 * input.2, 0.7).iter().map(|v| (3.0 * v).round() / 3.0).collect();
            let (high, wide, c) = pool.output();
            let d = numbers::<f64>(high * wide * c, 0.3);
            for slope in [None, Some(0.0), Some(0.25)] {
                let (want, want_back) = pooled_by_definition(&pool, &x, &d, slope);
                let (mut y, mut dx) = (vec![0.0; want.len()], vec![7.0; x.len()]);
                pool.forward(&x, &mut y);
                pool.backward(&x, &y, &d, slope, &mut dx);
                assert!(y.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-14), "{pool:?}");
                assert!(dx.iter().zip(&want_back).all(|(a, b)| (a - b).abs() < 1e-14), "{pool:?} {slope:?}");
            }
        }
    }
}

/// Rows with zeros: many, few, none, or nothing else.
fn with_zeros(rows: usize, stride: usize, keep: impl Fn(usize) -> bool) -> Vec<f32> {
    let mut x = numbers::<f32>(rows * stride, 0.9);
    x.iter_mut().enumerate().filter(|(i, _)| !keep(*i)).for_each(|(_, v)| *v = 0.0);
    x
}

#[test]
fn products_that_leave_zeros_out_have_the_bits_of_the_others() {
    for (rows, inputs, cols) in [(1, 137, 200), (2, 33, 10), (7, 64, 16), (32, 137, 90), (70, 200, 112), (130, 65, 64)] {
        let (layout, wide, stride) = (WeightPanels { rows: inputs, cols }, padded(cols), padded(inputs));
        let (w, bias) = (numbers::<f32>(layout.len(), 0.7), numbers::<f32>(wide, 0.4));
        let gates = numbers::<f32>(rows * wide, 0.3);
        for (thin, x) in [
            (true, with_zeros(rows, stride, |i| i % 3 == 1)),
            (true, with_zeros(rows, stride, |i| i * i % 7 < 2)),
            (true, with_zeros(rows, stride, |_| false)),
            (false, with_zeros(rows, stride, |_| true)),
        ] {
            let mut pattern = ZeroMask::default();
            pattern.scan(&x, stride, rows, inputs);
            pattern.transpose(&x, stride);
            assert_eq!(pattern.is_sparse(), thin, "{rows} x {inputs}");
            for (bias, end) in [
                (None, Epilogue::Identity),
                (Some(&bias[..]), Epilogue::LeakyRelu(0.0)),
                (Some(&bias[..]), Epilogue::LeakyRelu(0.2)),
                (None, Epilogue::ReluMask(&gates, wide, 0.1)),
            ] {
                let (mut all, mut some) = (vec![0.0; rows * wide], vec![7.0; rows * wide]);
                dense(&x, stride, rows, None, &w, layout, bias, end, &mut all, wide);
                dense(&x, stride, rows, Some(&pattern), &w, layout, bias, end, &mut some, wide);
                assert_eq!(all, some, "{rows} x {inputs} x {cols}");
            }
            // Gradients, of these rows with those of another kind before and behind them.
            let d = numbers::<f32>(rows * wide, 0.2);
            let none = ZeroMask::default();
            let plain = GradInput { x: &x, d: &d, rows, pattern: &none };
            let kinds = [plain, GradInput { pattern: &pattern, ..plain }];
            for panel in 0..layout.count() {
                let (_, width) = layout.panel(panel);
                let part = 5..inputs - 3;
                let sum = |blocks: &[GradInput<'_, f32>]| {
                    let mut g = vec![7.0; part.len() * width];
                    dense_gradient(blocks, stride, wide, layout, panel, part.clone(), &mut g);
                    g
                };
                let want = sum(&[plain; 6]);
                assert_eq!(want, sum(&[1, 1, 0, 1, 1, 1].map(|k| kinds[k])), "{rows} x {inputs} x {cols}");
                assert_eq!(want, sum(&[kinds[1]; 6]), "{rows} x {inputs} x {cols}");
                assert!(sum(&[]).iter().all(|g| *g == 0.0));
            }
        }
    }
}

#[test]
fn what_is_no_number_is_not_left_out() {
    let layout = WeightPanels { rows: 64, cols: 16 };
    let w = numbers::<f32>(layout.len(), 0.7);
    for bad in [f32::NAN, f32::INFINITY] {
        let mut x = [0.0; 64];
        x[40] = bad;
        let mut pattern = ZeroMask::default();
        pattern.scan(&x, 64, 1, 64);
        let mut y = [0.0; 16];
        dense(&x, 64, 1, Some(&pattern), &w, layout, None, Epilogue::Identity, &mut y, 16);
        assert!(pattern.is_sparse() && y.iter().all(|v| !v.is_finite()));
    }
}
