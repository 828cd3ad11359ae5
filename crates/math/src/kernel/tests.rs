//! Kernels against their definitions, the closure of the algebra, and errors.

use ermine_core::{Csr, Features, Mat, MatRef, RngStream};

use super::*;

fn rows(n: usize, p: usize, seed: u64) -> Mat<f64> {
    let mut stream = RngStream::new(seed, "kernel rows", 0);
    Mat::from_fn(n, p, |_, _| stream.normal())
}

fn kernels() -> Vec<Kernel> {
    let a = Mat::from_vec(3, 3, vec![2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 3.0]);
    let g = || Kernel::gaussian(0.3);
    vec![
        Kernel::linear(),
        Kernel::poly(1.0, 3),
        g(),
        Kernel::laplacian(0.2),
        Kernel::bilinear(a),
        Kernel::cosine(),
        g() + Kernel::linear(),
        g() * Kernel::poly(0.5, 2),
        0.25 * Kernel::linear(),
        (0.1 * Kernel::linear()).exp(),
        Kernel::linear().polynomial(&[1.0, 0.0, 2.0]),
        g().scaled_by(KernelFactor::Affine { weights: vec![1.0, -2.0, 0.5], bias: 0.1 }),
        g().after(KernelMap::Linear(Mat::from_vec(2, 3, vec![1.0, 0.0, 2.0, 0.0, 1.0, -1.0]))),
        Kernel::linear().after(KernelMap::Standardize { shift: vec![0.1, 0.2, 0.3], scale: vec![1.0, 2.0, 3.0] }),
        (g() + Kernel::linear()).on(&[2, 0]),
    ]
}

#[test]
fn a_block_has_the_values_of_the_definition() {
    let (a, b) = (rows(300, 3, 1), rows(7, 3, 2));
    let user = Kernel::user(|x, z| x[0] * z[0] + 1.0);
    for k in kernels().into_iter().chain([user, Kernel::sigmoid(0.2, 0.1)]) {
        let gram = k.gram(a.view(), b.view()).unwrap();
        let to_f32 = |m: &Mat<f64>| Mat::from_fn(m.rows(), m.cols(), |i, j| *m.view().at(i, j) as f32);
        let single = k.gram(to_f32(&a).view(), to_f32(&b).view()).unwrap();
        for i in 0..a.rows() {
            for j in 0..b.rows() {
                let want = k.value(a.row(i), b.row(j));
                let near = |got: f64, eps: f64| (got - want).abs() <= eps * (1.0 + want.abs());
                assert!(near(*gram.view().at(i, j), 1e-13), "{k} at {i}, {j}: {} for {want}", gram.view().at(i, j));
                assert!(near(f64::from(*single.view().at(i, j)), 2e-4), "{k} in f32_cells at {i}, {j}");
            }
        }
    }
}

#[test]
fn what_is_made_of_kernels_is_a_kernel() {
    let x = rows(40, 3, 3);
    for k in kernels() {
        assert!(k.psd_by_construction(), "{k}");
        let check = is_psd(k.gram(x.view(), x.view()).unwrap().view()).unwrap();
        assert!(check.is_psd(), "{k}: eigenvalue {}, asymmetry {}", check.least, check.asymmetry);
    }
}

#[test]
fn a_matrix_that_is_no_gram_matrix_is_shown_to_be_none() {
    let k = Mat::from_vec(2, 2, vec![1.0, 2.0, 2.0, 1.0]);
    let check = is_psd(k.view()).unwrap();
    assert!(!check.is_psd() && (check.least + 1.0).abs() < 1e-14);
    let v = &check.direction;
    let form: f64 = (0..2).map(|i| (0..2).map(|j| v[i] * k.view().at(i, j) * v[j]).sum::<f64>()).sum();
    assert!((form - check.least).abs() < 1e-14, "the direction proves it");
    let skew = Mat::from_vec(2, 2, vec![1.0, 0.5, 0.0, 1.0]);
    assert!(!is_psd(skew.view()).unwrap().is_psd());
    assert!(is_psd(rows(2, 3, 1).view()).is_err());
    let x = rows(30, 3, 5);
    let gram = Kernel::sigmoid(1.0, -1.0).gram(x.view(), x.view()).unwrap();
    assert!(!is_psd(gram.view()).unwrap().is_psd(), "tanh with a negative offset");
}

#[test]
fn sparse_rows_have_the_kernel_of_dense_ones() {
    let csr = Csr::new(vec![0, 2, 2, 5], vec![0, 2, 1, 1, 2], vec![1.0, -2.0, 0.5, 0.25, 3.0], 3).unwrap();
    let dense = csr.view().to_dense();
    for k in kernels() {
        let sparse = k.gram_sparse(csr.view(), csr.view()).unwrap();
        let want = k.gram(dense.view(), dense.view()).unwrap();
        for (a, b) in sparse.as_slice().iter().zip(want.as_slice()) {
            assert!((a - b).abs() <= 1e-13 * (1.0 + b.abs()), "{k}: {a} for {b}");
        }
    }
}

#[test]
fn a_large_shift_of_all_rows_does_not_blur_distances() {
    let x = rows(20, 4, 7);
    let far = Mat::from_fn(20, 4, |i, j| (x.view().at(i, j) * 1024.0).round() / 1024.0 + 1048576.0);
    let near = Mat::from_fn(20, 4, |i, j| (x.view().at(i, j) * 1024.0).round() / 1024.0);
    let k = Kernel::gaussian(1.0);
    let (a, b) = (k.gram(far.view(), far.view()).unwrap(), k.gram(near.view(), near.view()).unwrap());
    for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
        assert!((a - b).abs() < 1e-12, "{a} for {b}");
    }
}

#[test]
fn text_and_values_are_two_forms_of_one_kernel() {
    let same = |text: &str, k: Kernel| {
        assert_eq!(text.parse::<Kernel>().unwrap(), k, "{text}");
        assert_eq!(k.to_string().parse::<Kernel>().unwrap(), k, "{text} as {k}");
    };
    same("linear", Kernel::linear());
    same(" rbf( 0.5 )+0.1*linear", Kernel::gaussian(0.5) + 0.1 * Kernel::linear());
    same("rbf", Kernel::gaussian(Gamma::Scale));
    same("gaussian(gamma=auto)", Kernel::gaussian(Gamma::Auto));
    same("poly(2, 1, gamma=0.5)", Kernel::Polynomial { gamma: 0.5.into(), coef0: 1.0, degree: 2 });
    same("laplacian(1e-3) * (linear + 1)", Kernel::laplacian(1e-3) * (Kernel::linear() + Kernel::Constant(1.0)));
    same("exp(2 * linear)", (2.0 * Kernel::linear()).exp());
    same("(linear + 1)^2", (Kernel::linear() + Kernel::Constant(1.0)).polynomial(&[0.0, 0.0, 1.0]));
    same("rbf(1)[0,2:4] + sigmoid(0.1, -1)", Kernel::gaussian(1.0).on(&[0, 2, 3]) + Kernel::sigmoid(0.1, -1.0));
    same("cosine", Kernel::cosine());
    same("0.5 * rbf(2) * linear", (0.5 * Kernel::gaussian(2.0)) * Kernel::linear());
}

#[test]
fn what_cannot_be_read_is_said_with_its_place() {
    let says = |text: &str, part: &str| {
        let message = text.parse::<Kernel>().unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    };
    says("rbf(0.5", "ends where ','");
    says("rbf(0.5) linear", "'l' where");
    says("rbg(1)", "rbf");
    says("rbf(gama=1)", "gamma");
    says("rbf(1, 2)", "at most 1");
    says("linear(1)", "no arguments");
    says("poly(degree=0.5)", "whole number");
    says("poly(degree=scale)", "must be a number");
    says("rbf(1)[3:3]", "none");
    says("", "a kernel should stand here");
    says("1e999 * linear", "number");
    says("rbf(gamma=1, gamma=2)", "twice");
    says(&"(".repeat(100_000), "parentheses");
    says("é", "character 1");
}

#[test]
fn kernels_are_saved_unless_the_user_wrote_them() {
    for k in kernels() {
        let text = serde_json::to_string(&k).unwrap();
        assert_eq!(serde_json::from_str::<Kernel>(&text).unwrap(), k, "{text}");
        assert!(!k.has_user_code());
    }
    let scale = serde_json::to_string(&Kernel::gaussian(Gamma::Scale)).unwrap();
    assert_eq!(serde_json::from_str::<Kernel>(&scale).unwrap(), Kernel::gaussian(Gamma::Scale));
    let user = Kernel::linear() + Kernel::user(|_, _| 1.0);
    assert!(user.has_user_code() && serde_json::to_string(&user).is_err());
    assert!(Kernel::linear().scaled_by(KernelFactor::user(|x| x[0])).has_user_code());
    assert!(Kernel::linear().after(KernelMap::user(|x| vec![x[0]])).has_user_code());
}

#[test]
fn rules_for_the_width_look_at_the_columns_of_the_kernel() {
    let spread = |columns: Option<&[u32]>| match columns {
        None => CellVariance { columns: 4, variance: 2.0 },
        Some(c) => CellVariance { columns: c.len(), variance: f64::from(c[0]) },
    };
    let k = |a: Gamma, b: Gamma, c: Gamma| {
        // The second column of columns 1 and 3 is column 3.
        Kernel::gaussian(a) + Kernel::gaussian(b).on(&[1, 3]) * Kernel::laplacian(c).on(&[1]).on(&[1, 3])
    };
    let got = k(Gamma::Scale, Gamma::Auto, Gamma::Scale).resolved(&spread);
    assert_eq!(got, k(0.125.into(), 0.5.into(), (1.0 / 3.0).into()));
    assert!(got.check(4).is_ok() && got.check(3).is_err());
}

#[test]
fn shapes_and_numbers_that_do_not_fit_are_refused() {
    let refuses = |k: Kernel, part: &str| {
        let message = k.check(3).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    };
    refuses(Kernel::gaussian(f64::NAN), "gamma is NaN");
    refuses(Kernel::linear().on(&[3]), "no column 3");
    refuses(Kernel::linear().on(&[]), "no column");
    refuses(Kernel::bilinear(Mat::zeros(2, 2)), "2 x 2");
    refuses(f64::INFINITY * Kernel::linear(), "inf");
    refuses(Kernel::linear().polynomial(&[]), "coefficient");
    refuses(Kernel::linear().after(KernelMap::Linear(Mat::zeros(2, 4))), "4 columns");
    refuses(Kernel::linear().after(KernelMap::Standardize { shift: vec![0.0; 3], scale: vec![1.0, 0.0, 1.0] }), "0");
    refuses(Kernel::linear().scaled_by(KernelFactor::Affine { weights: vec![1.0], bias: 0.0 }), "1 weights");
    assert!(Kernel::precomputed().gram(rows(2, 2, 0).view(), rows(2, 2, 0).view()).is_err());
    assert!(!(-1.0 * Kernel::linear()).psd_by_construction());
}

#[test]
fn points_are_the_same_lent_copied_sparse_or_left_over() {
    let x = rows(300, 3, 11);
    let f32_cells: Vec<f32> = x.as_slice().iter().map(|&v| v as f32).collect();
    let columns: Vec<f64> = (0..3).flat_map(|j| (0..300).map(|i| x[(i, j)]).collect::<Vec<_>>()).collect();
    let all: Vec<u32> = (0..300 * 3).map(|k| k % 3).collect();
    let sparse = Csr::new((0..=300).map(|i| 3 * i).collect(), all, x.as_slice().to_vec(), 3).unwrap();
    // The same cells in another order, one of them in two parts.
    let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..300 {
        indices.extend([2, 0, 1, 0]);
        values.extend([x[(i, 2)], 0.25 * x[(i, 0)], x[(i, 1)], 0.75 * x[(i, 0)]]);
        indptr.push(values.len());
    }
    let parts = Csr::new(indptr, indices, values, 3).unwrap();
    let features = [
        (Features::F64(x.view()), 1e-12),
        (Features::F64(MatRef::col_major(&columns, 300, 3)), 1e-12),
        (Features::F32(MatRef::row_major(&f32_cells, 300, 3)), 1e-5),
        (Features::Csr(sparse.view()), 1e-12),
        (Features::Csr(parts.view()), 1e-12),
    ];
    // Some rows, in an order of their own.
    let which: Vec<usize> = (0..280).map(|k| (k * 11 + 5) % 300).collect();
    let kept: Vec<u32> = (0..280).filter(|k| k % 3 != 1).collect();
    for k in kernels().into_iter().chain([Kernel::sigmoid(0.2, 0.1)]) {
        for (features, tol) in features {
            let lent = Points::<f64>::new(&k, &features, &which).unwrap();
            let copied = Points::<f64>::copied_rows(&k, &features, &which).unwrap();
            let single = Points::<f32>::copied_rows(&k, &features, &which).unwrap();
            let mut left = copied.clone();
            left.retain(&kept);
            let mut fewer = lent.clone();
            fewer.retain(&kept);
            let grams = [&lent, &copied].map(|p| p.gram().unwrap());
            let less = [&left, &fewer, &lent.take(&kept)].map(|p| p.gram().unwrap());
            let (coarse, diagonal) = (single.gram().unwrap(), lent.diagonal());
            let near = |got: f64, want: f64, tol: f64| {
                assert!((got - want).abs() <= tol * (1.0 + want.abs()), "{k}: {got}, not {want}");
            };
            for i in 0..280 {
                near(diagonal[i], k.value(x.row(which[i]), x.row(which[i])), tol);
                for j in (0..280).step_by(7) {
                    let want = k.value(x.row(which[i]), x.row(which[j]));
                    grams.iter().for_each(|g| near(g[(i, j)], want, tol));
                    near(f64::from(coarse[(i, j)]), want, 1e-4);
                }
            }
            for (a, &i) in kept.iter().enumerate() {
                for (b, &j) in kept.iter().enumerate() {
                    less.iter().for_each(|g| near(g[(a, b)], grams[0][(i as usize, j as usize)], 1e-12));
                }
            }
        }
    }
}
