use super::*;
use ermine_core::{Column as TableColumn, RngStream, Table};

const SHAPES: [(usize, usize); 6] = [(1, 1), (3, 5), (16, 4), (37, 21), (8200, 9), (50, 2100)];

fn random(rows: usize, cols: usize) -> Mat<f64> {
    let mut rng = RngStream::new(7, "test", (rows * 10_000 + cols) as u64);
    // Values that f32 hold exactly, a third of them 0.
    Mat::from_fn(rows, cols, |_, j| {
        let v = f64::from((rng.normal() * 8.0 + j as f64 % 3.0) as f32);
        if rng.uniform() < 0.33 { 0.0 } else { v }
    })
}

fn to_csr(x: &Mat<f64>) -> Csr {
    let (mut indptr, mut indices, mut values) = (vec![0], vec![], vec![]);
    for i in 0..x.rows() {
        for (j, &v) in x.row(i).iter().enumerate() {
            if v != 0.0 {
                indices.push(j as u32);
                values.push(v);
            }
        }
        indptr.push(values.len());
    }
    Csr::new(indptr, indices, values, x.cols()).unwrap()
}

/// The same matrix in every form there is.
fn forms(x: &Mat<f64>, f: impl Fn(&Design<'_>, &str)) {
    let (rows, cols) = (x.rows(), x.cols());
    let columns = x.view().t().to_owned();
    let single = Mat::from_fn(rows, cols, |i, j| x[(i, j)] as f32);
    let single_columns = single.view().t().to_owned();
    let wide = Mat::from_fn(2 * rows, 2 * cols, |i, j| if i % 2 + j % 2 == 0 { x[(i / 2, j / 2)] } else { 99.0 });
    let strided = MatRef::strided(wide.as_slice(), rows, cols, 4 * cols, 2).unwrap();
    let csr = to_csr(x);
    let named: Vec<(String, TableColumn)> =
        (0..cols).map(|j| (format!("c{j}"), TableColumn::numbers(x.view().col_iter(j).collect()))).collect();
    let table = Table::new(named).unwrap();
    let whole = x.as_slice().iter().all(|v| v.is_finite());
    let all = [
        (Features::F64(x.view()), "rows"),
        (Features::F64(columns.view().t()), "columns"),
        (Features::F32(single.view()), "rows of f32"),
        (Features::F32(single_columns.view().t()), "columns of f32"),
        (Features::F64(strided), "strides"),
        (Features::Csr(csr.view()), "sparse"),
        (Features::Table(table.view()), "table"),
    ];
    // In a table NaN is a missing value, which a design refuses.
    for (features, name) in all.into_iter().filter(|(_, name)| whole || *name != "table") {
        f(&Design::new(&features, "test").unwrap(), &format!("{rows} x {cols} {name}"));
    }
}

fn near(a: f64, b: f64, scale: f64, what: &str) {
    assert!((a - b).abs() <= 1e-13 * (scale + b.abs()), "{what}: {a}, not {b}");
}

#[test]
fn columns_of_every_form_follow_the_definition() {
    for (rows, cols) in SHAPES {
        let x = random(rows, cols);
        let mut rng = RngStream::new(3, "test", 0);
        let v: Vec<f64> = (0..rows).map(|_| rng.normal()).collect();
        let w: Vec<f64> = (0..rows).map(|i| (i % 3) as f64 * 0.5).collect();
        let set: Vec<usize> = (0..cols).rev().step_by(2).chain([0, 0]).collect();
        forms(&x, |design, name| {
            let chosen = design.columns(&set);
            assert_eq!((chosen.len(), chosen.rows()), (set.len(), rows), "{name}");
            for (k, &j) in set.iter().enumerate().take(30) {
                let col: Vec<f64> = x.view().col_iter(j).collect();
                let sum = |f: &dyn Fn(usize) -> f64| (0..rows).map(f).sum::<f64>();
                let scale = sum(&|i| (col[i] * v[i]).abs() + col[i] * col[i]);
                near(chosen.dot(k, &v), sum(&|i| col[i] * v[i]), scale, name);
                near(chosen.dot_weighted(k, &w, &v), sum(&|i| w[i] * col[i] * v[i]), scale, name);
                near(chosen.norm(k), sum(&|i| col[i] * col[i]), scale, name);
                near(chosen.norm_weighted(k, &w), sum(&|i| w[i] * col[i] * col[i]), scale, name);
                near(chosen.sum_weighted(k, &w), sum(&|i| w[i] * col[i]), scale, name);
                let mut moved = v.clone();
                chosen.axpy(k, -1.5, &mut moved);
                (0..rows).for_each(|i| near(moved[i], v[i] - 1.5 * col[i], scale, name));
            }
            let center: Vec<f64> = set.iter().map(|&j| j as f64).collect();
            let changed = design.changed_columns(&set, CellTransform { center: Some(&center), factor: Some(&w) });
            for (k, &j) in set.iter().enumerate().take(30) {
                let less = if design.is_sparse() { 0.0 } else { center[k] };
                let want: f64 = (0..rows).map(|i| w[i] * (x[(i, j)] - less) * v[i]).sum();
                near(changed.dot(k, &v), want, 1e3 * (1.0 + less) * rows as f64, name);
            }
        });
    }
}

#[test]
fn passes_over_every_form_follow_the_definition_on_any_number_of_threads() {
    for (rows, cols) in SHAPES {
        let x = random(rows, cols);
        let mut rng = RngStream::new(4, "test", 0);
        let v: Vec<f64> = (0..rows).map(|_| rng.normal()).collect();
        let w: Vec<f64> = (0..rows).map(|i| ((i + 1) % 3) as f64 * 0.5).collect();
        let b: Vec<f64> = (0..cols).map(|j| if j % 4 == 1 { rng.normal() } else { 0.0 }).collect();
        forms(&x, |design, name| {
            let run = |threads: usize| {
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                    let (mut g, mut f) = (vec![f64::NAN; cols], v.clone());
                    design.products(&v, &mut g);
                    design.add_combination(&b, &mut f);
                    (g, f, design.summary(Some(&w), &v, true), design.summary(None, &v, false))
                })
            };
            let (g, f, centered, plain) = run(1);
            assert_eq!((g.clone(), f.clone(), centered.clone(), plain.clone()), run(3), "{name}: threads");
            let total: f64 = w.iter().sum();
            for j in 0..cols {
                let sum = |f: &dyn Fn(usize) -> f64| (0..rows).map(f).sum::<f64>();
                let scale = 100.0 * rows as f64;
                near(g[j], sum(&|i| x[(i, j)] * v[i]), scale, name);
                near(plain.product[j], g[j], scale, name);
                near(plain.scatter[j], sum(&|i| x[(i, j)] * x[(i, j)]), scale, name);
                assert_eq!(plain.mean[j], 0.0);
                let mean = sum(&|i| w[i] * x[(i, j)]) / total;
                near(centered.mean[j], mean, scale, name);
                near(centered.scatter[j], sum(&|i| w[i] * (x[(i, j)] - mean).powi(2)), scale, name);
                near(centered.product[j], sum(&|i| w[i] * (x[(i, j)] - mean) * v[i]), scale, name);
            }
            let (mut r, mut h) = (vec![0.0; rows], vec![0.0; cols]);
            design.residual_products(&v, &b, Some(&w), &mut r, &mut h);
            for i in 0..rows {
                near(r[i], 2.0 * v[i] - f[i], 1e3 * cols as f64, name);
            }
            for j in 0..cols {
                near(h[j], (0..rows).map(|i| x[(i, j)] * w[i] * r[i]).sum(), 1e4 * rows as f64, name);
            }
            for i in 0..rows {
                near(f[i], v[i] + (0..cols).map(|j| b[j] * x[(i, j)]).sum::<f64>(), 1e3 * cols as f64, name);
            }
        });
    }
}

#[test]
fn cells_stored_twice_count_as_their_sum() {
    let m = Csr::new(vec![0, 3, 5], vec![1, 0, 1, 2, 2], vec![1.0, 2.0, 3.0, 4.0, -4.0], 3).unwrap();
    let design = Design::new(&Features::Csr(m.view()), "test").unwrap();
    let columns = design.all_columns();
    assert_eq!((0..3).map(|k| columns.norm(k)).collect::<Vec<_>>(), [4.0, 16.0, 0.0]);
    // Out of order, but every cell once: taken as it is.
    let m = Csr::new(vec![0, 2], vec![1, 0], vec![1.0, 2.0], 2).unwrap();
    let design = Design::new(&Features::Csr(m.view()), "test").unwrap();
    assert_eq!(design.summary(None, &[1.0], false).scatter, [4.0, 1.0]);
}

#[test]
fn many_sparse_rows_are_gathered_in_pieces() {
    let x = random(3000, 150);
    let csr = to_csr(&x);
    assert!(csr.view().stored() > 2 << 17);
    let design = Design::new(&Features::Csr(csr.view()), "test").unwrap();
    let columns = design.all_columns();
    for k in 0..150 {
        let ColumnSlice::Sparse(rows, values) = columns.column(k) else { panic!("sparse") };
        let want: Vec<(u32, f64)> =
            x.view().col_iter(k).enumerate().filter(|(_, v)| *v != 0.0).map(|(i, v)| (i as u32, v)).collect();
        assert_eq!(rows.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>(), want);
        assert_eq!(columns.stored(k), want.len());
    }
}

#[test]
fn constant_columns_have_no_scatter_and_bad_cells_show() {
    let x = Mat::from_fn(1000, 3, |i, j| [0.1, i as f64, -1e9 / 3.0][j]);
    forms(&x, |design, name| {
        if !design.is_sparse() && !name.contains("f32") {
            let s = design.summary(None, &vec![1.0; 1000], true);
            assert_eq!((s.mean[0], s.scatter[0], s.mean[2], s.scatter[2]), (0.1, 0.0, -1e9 / 3.0, 0.0), "{name}");
        }
    });
    let mut bad = x.clone();
    bad[(999, 1)] = f64::NAN;
    forms(&bad, |design, name| {
        let s = design.summary(None, &vec![1.0; 1000], true);
        assert!(!s.mean[1].is_finite() && !s.scatter[1].is_finite(), "{name}");
    });
}

#[test]
fn products_of_columns_follow_the_definition() {
    for (rows, cols) in [(1, 1), (7, 5), (300, 31), (2100, 60)] {
        let x = random(rows, cols);
        let w: Vec<f64> = (0..rows).map(|i| 0.5 + (i % 3) as f64).collect();
        let mean: Vec<f64> = (0..cols).map(|j| 0.25 * j as f64).collect();
        let set: Vec<usize> = (0..cols).step_by(2).collect();
        let (old, new) = set.split_at(set.len() / 3);
        forms(&x, |design, name| {
            if design.is_sparse() {
                return;
            }
            for weight in [None, Some(&w[..])] {
                let want = |j: usize, k: usize| -> f64 {
                    let of = |i: usize| weight.map_or(1.0, |w| w[i]);
                    (0..rows).map(|i| of(i) * (x[(i, j)] - mean[j]) * (x[(i, k)] - mean[k])).sum()
                };
                let all = design.cross_with_all(&set, &mean, weight);
                for (a, &k) in set.iter().enumerate() {
                    (0..cols).for_each(|j| near(all[(a, j)], want(j, k), 1e4 * rows as f64, name));
                }
                let within = design.cross_within(old, new, &mean, weight);
                for (a, &k) in new.iter().enumerate() {
                    for (b, &j) in set.iter().enumerate() {
                        let want = if b <= old.len() + a { want(j, k) } else { 0.0 };
                        near(within[(a, b)], want, 1e4 * rows as f64, name);
                    }
                }
            }
        });
    }
}

#[test]
fn rows_and_columns_in_memory_give_the_same_bits() {
    for (rows, cols) in [(5, 3), (70, 66), (2500, 37), (1030, 530)] {
        let x = random(rows, cols);
        let columns = x.view().t().to_owned();
        let mut rng = RngStream::new(5, "test", 0);
        let v: Vec<f64> = (0..rows).map(|_| rng.normal()).collect();
        let w: Vec<f64> = (0..rows).map(|i| (i % 3) as f64 * 0.3).collect();
        let b: Vec<f64> = (0..cols).map(|j| if j % 3 == 1 { rng.normal() } else { 0.0 }).collect();
        let run = |x: Features<'_>| {
            let design = Design::new(&x, "test").unwrap();
            let (mut g, mut r) = (vec![0.0; cols], vec![0.0; rows]);
            design.residual_products(&v, &b, Some(&w), &mut r, &mut g);
            let mean = design.summary(Some(&w), &v, true).mean;
            let set: Vec<usize> = (0..cols).step_by(4).collect();
            let within = design.cross_within(&set[..1], &set[1..], &mean, Some(&w));
            (g, r, design.summary(Some(&w), &v, true), within, design.cross_with_all(&set, &mean, None))
        };
        assert_eq!(run(Features::F64(x.view())), run(Features::F64(columns.view().t())), "{rows} x {cols}");
    }
}
