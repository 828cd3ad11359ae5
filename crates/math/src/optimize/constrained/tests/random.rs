//! The programs of `fixtures/optimize/quadratic_programs.json`, made from their seeds as its script makes them.

use ermine_core::{Csr, Mat};
use serde_json::Value;

use crate::linalg::product;
use crate::optimize::constrained::{QpMethod, QpOutcome, QuadraticProgram};

const BOOK: &str = include_str!("../../../../../../fixtures/optimize/quadratic_programs.json");

/// Splitmix64, as multiples of 1/64.
struct Numbers(u64);

impl Numbers {
    fn value(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (((z >> 40) % 257) as f64 - 128.0) / 64.0
    }

    fn matrix(&mut self, rows: usize, cols: usize) -> Mat<f64> {
        Mat::from_fn(rows, cols, |_, _| self.value())
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.value()).collect()
    }
}

fn times(m: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    (0..m.rows()).map(|i| super::super::dot(m.row(i), x)).collect()
}

fn transposed_times(m: &Mat<f64>, y: &[f64]) -> Vec<f64> {
    (0..m.cols()).map(|j| (0..m.rows()).map(|i| m[(i, j)] * y[i]).sum()).collect()
}

struct Parts {
    p: Mat<f64>,
    q: Vec<f64>,
    g: Mat<f64>,
    h: Vec<f64>,
    a: Mat<f64>,
    b: Vec<f64>,
}

impl Parts {
    fn program(self) -> QuadraticProgram {
        let program = QuadraticProgram::new(self.p, self.q).unwrap();
        program.with_inequalities(self.g, self.h).unwrap().with_equalities(self.a, self.b).unwrap()
    }
}

/// Powers of two that numpy's `round` and Rust's agree on: ties to even.
fn rounded(v: Vec<f64>) -> Vec<f64> {
    v.into_iter().map(f64::round_ties_even).collect()
}

fn make(case: &Value) -> Parts {
    let size = |key: &str| case[key].as_u64().unwrap() as usize;
    let (n, m, e, rank, kind) = (size("n"), size("m"), size("e"), size("rank"), case["kind"].as_str().unwrap());
    let mut r = Numbers(size("seed") as u64);
    let mut factor = r.matrix(n, rank);
    if kind == "unbounded" {
        factor.row_mut(n - 1).fill(0.0);
    }
    let mut p = product(factor.view(), factor.view().t());
    let x0 = r.vector(n);
    let mut slack: Vec<f64> = r.vector(m).into_iter().map(f64::abs).collect();
    slack.iter_mut().step_by(3).for_each(|s| *s = 0.0);
    let (mut g, mut a) = (r.matrix(m, n), r.matrix(e, n));
    let mut q = r.vector(n);
    if rank < n {
        let prices: Vec<f64> = r.vector(m).into_iter().map(f64::abs).collect();
        q = times(&p, &q).iter().zip(transposed_times(&g, &prices)).map(|(p, g)| -p - g).collect();
    }
    if kind == "unbounded" {
        (0..m).for_each(|i| g[(i, n - 1)] = -g[(i, n - 1)].abs());
        (0..e).for_each(|i| a[(i, n - 1)] = 0.0);
        q[n - 1] = -1.0;
        let mut shear = rounded(r.vector(n));
        shear[n - 1] = 0.0;
        let t = Mat::from_fn(n, n, |i, j| f64::from(i == j) + if j == n - 1 { shear[i] } else { 0.0 });
        p = product(t.view().t(), product(p.view(), t.view()).view());
        (q, g, a) = (transposed_times(&t, &q), product(g.view(), t.view()), product(a.view(), t.view()));
    }
    let mut h: Vec<f64> = times(&g, &x0).iter().zip(&slack).map(|(g, s)| g + s).collect();
    let b = times(&a, &x0);
    if kind == "infeasible" {
        let mut some = rounded(r.vector(m).into_iter().map(f64::abs).collect());
        some[0] = 1.0;
        let row: Vec<f64> = transposed_times(&g, &some).into_iter().map(|v| -v).collect();
        h.push(-super::super::dot(&some, &h) - 1.0);
        g.append_rows(Mat::from_vec(1, n, row));
    }
    Parts { p, q, g, h, a, b }
}

fn book() -> Vec<Value> {
    serde_json::from_str(BOOK).unwrap()
}

fn judge(case: &Value, outcome: QpOutcome) -> Result<(), String> {
    match (case["kind"].as_str().unwrap(), outcome) {
        ("optimal", QpOutcome::Optimal(o)) => {
            let want = case["objective"].as_f64().unwrap();
            let error = (o.objective - want).abs() / (1.0 + want.abs());
            let gap = o.gap().abs() / (1.0 + want.abs());
            // The residuals are absolute; that of complementary slackness is a product of a multiplier and a slack.
            if error <= 1e-8 && o.kkt.largest() <= 1e-8 && gap <= 1e-8 {
                return Ok(());
            }
            Err(format!("objective off by {error:.1e}, residuals {:.1e}, gap {gap:.1e}", o.kkt.largest()))
        }
        ("infeasible", QpOutcome::Infeasible(c)) if c.residual <= 1e-7 && c.multipliers.inequality.iter().all(|v| *v >= 0.0) => {
            Ok(())
        }
        ("unbounded", QpOutcome::Unbounded(r)) if r.residual <= 1e-7 => Ok(()),
        (_, other) => Err(format!("is {other:?}")),
    }
}

fn check(method: QpMethod) {
    let mut failures = Vec::new();
    let started = std::time::Instant::now();
    for case in book() {
        match make(&case).program().solve(method).map_err(|e| e.to_string()).and_then(|o| judge(&case, o)) {
            Ok(()) => {}
            Err(e) => failures.push(format!("{case}: {}", &e[..e.len().min(300)])),
        }
    }
    println!("{method:?}: {:?}", started.elapsed());
    assert!(failures.is_empty(), "{} of 300 programs:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_interior_point_agrees_with_its_peers() {
    check(QpMethod::InteriorPoint);
}

#[test]
fn the_active_set_agrees_with_its_peers() {
    check(QpMethod::ActiveSet);
}

/// Sparse rows are the same problem.
#[test]
fn sparse_rows_give_the_same_optimum() {
    let sparse = |m: &Mat<f64>| {
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..m.rows() {
            for (j, v) in m.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                indices.push(j as u32);
                values.push(*v);
            }
            indptr.push(values.len());
        }
        Csr::new(indptr, indices, values, m.cols()).unwrap()
    };
    for case in book().iter().filter(|c| c["kind"] == "optimal").take(20) {
        let parts = make(case);
        let program = QuadraticProgram::new(sparse(&parts.p), parts.q.clone()).unwrap();
        let program = program.with_inequalities(sparse(&parts.g), parts.h.clone()).unwrap();
        let program = program.with_equalities(sparse(&parts.a), parts.b.clone()).unwrap();
        for method in [QpMethod::InteriorPoint, QpMethod::ActiveSet] {
            judge(case, program.solve(method).unwrap()).unwrap();
        }
    }
}

/// Time of the 200 programs that have an optimum: `cargo test --release -p ermine-math timing -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, to be compared with `quadratic_programs.py --time`"]
fn timing() {
    let programs: Vec<_> = book().iter().filter(|c| c["kind"] == "optimal").map(|c| make(c).program()).collect();
    for method in [QpMethod::InteriorPoint, QpMethod::ActiveSet] {
        let mut times: Vec<f64> = Vec::new();
        for p in &programs {
            let started = std::time::Instant::now();
            let _ = std::hint::black_box(p.solve(method));
            times.push(started.elapsed().as_secs_f64());
        }
        let total: f64 = times.iter().sum();
        times.sort_by(f64::total_cmp);
        println!("{method:?}: {:.1} ms in all, {:.3} ms median", 1e3 * total, 1e3 * times[times.len() / 2]);
    }
}
