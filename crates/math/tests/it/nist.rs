//! The univariate and the nonlinear sets of the NIST statistical reference data, to their certified digits.

use ermine_core::Mat;
use ermine_fixtures::{Value, numbers};
use ermine_math::linalg::svd;
use ermine_math::moments::Moments;
use ermine_math::optimize::study::{OptimizationMethod, StopRule, StudyObjective, minimize};
use ermine_math::series::{autocorrelation, mean, standard_deviation};

/// The cases whose name begins so, each with its rows of numbers.
fn cases(kind: &str) -> Vec<(String, Value, Vec<Vec<f64>>)> {
    let mut out = Vec::new();
    for case in ermine_fixtures::cases("nist_strd") {
        let Some(name) = case["id"].as_str().unwrap().strip_prefix(kind).map(str::to_owned) else { continue };
        // "none; data lines 61 to 74, columns y x"
        let how = case["preprocessing"].as_str().unwrap();
        let words: Vec<usize> = how.split(|c: char| !c.is_ascii_digit()).filter_map(|w| w.parse().ok()).collect();
        let file = case["data"].as_str().unwrap().replace("nist_strd", "data/nist");
        let text = ermine_fixtures::text(&file);
        let lines = text.lines().skip(words[0] - 1).take(words[1] - words[0] + 1);
        let rows = lines.map(|l| l.split_whitespace().map(|v| v.parse().unwrap()).collect()).collect();
        out.push((name, case, rows));
    }
    out
}

fn digits(found: f64, certified: f64) -> f64 {
    let error = if certified == 0.0 { found.abs() } else { ((found - certified) / certified).abs() };
    if error == 0.0 { 15.0 } else { -error.log10() }
}

#[test]
fn univariate_summaries() {
    let all = cases("univariate_");
    assert_eq!(all.len(), 8);
    for (name, case, rows) in all {
        let values: Vec<f64> = rows.iter().map(|r| r[0]).collect();
        let expected = |what: &str| case["expected"][what].as_f64().unwrap();
        let mut moments = Moments::new(1, 0);
        moments.add(Mat::from_vec(values.len(), 1, values.clone()).view(), None, None);
        let sd = (moments.scatter_diagonal()[0] / (values.len() as f64 - 1.0)).sqrt();
        let actual = [
            digits(mean(&values), expected("mean")),
            digits(moments.mean()[0], expected("mean")),
            digits(standard_deviation(&values), expected("sd_n_minus_1")),
            digits(sd, expected("sd_n_minus_1")),
            digits(autocorrelation(&values, 1), expected("lag1_autocorrelation")),
        ];
        let wanted = case["tolerance"]["digits_expected_from_double"].as_f64().unwrap();
        assert!(actual.iter().all(|d| *d >= wanted), "{name}: {actual:?} digits of {wanted}");
    }
}

/// A curve and its derivatives by its parameters.
type Curve = fn(f64, &[f64]) -> (f64, Vec<f64>);

struct NistProblem {
    curve: Curve,
    rows: Vec<Vec<f64>>,
    dim: usize,
}

impl StudyObjective for NistProblem {
    fn dim(&self) -> usize {
        self.dim
    }
    fn value(&self, b: &[f64]) -> f64 {
        0.5 * self.rows.iter().map(|r| ((self.curve)(r[1], b).0 - r[0]).powi(2)).sum::<f64>()
    }
    fn gradient(&self, b: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for row in &self.rows {
            let (f, d) = (self.curve)(row[1], b);
            out.iter_mut().zip(d).for_each(|(g, d)| *g += (f - row[0]) * d);
        }
    }
    fn residuals(&self, b: &[f64]) -> Option<(Vec<f64>, Mat<f64>)> {
        let both: Vec<(f64, Vec<f64>)> = self.rows.iter().map(|r| (self.curve)(r[1], b)).collect();
        let r = both.iter().zip(&self.rows).map(|((f, _), row)| f - row[0]).collect();
        Some((r, Mat::from_fn(both.len(), b.len(), |i, j| both[i].1[j])))
    }
}

/// (b1 + b2 x + b3 x² + b4 x³) / (1 + b5 x + b6 x² + b7 x³)
fn cubic_ratio(x: f64, b: &[f64]) -> (f64, Vec<f64>) {
    let top = b[0] + x * (b[1] + x * (b[2] + x * b[3]));
    let bottom = 1.0 + x * (b[4] + x * (b[5] + x * b[6]));
    let f = top / bottom;
    let mut d: Vec<f64> = (0..4).map(|k| x.powi(k) / bottom).collect();
    d.extend((1..4).map(|k| -f * x.powi(k) / bottom));
    (f, d)
}

fn misra1a(x: f64, b: &[f64]) -> (f64, Vec<f64>) {
    let rest = (-b[1] * x).exp();
    (b[0] * (1.0 - rest), vec![1.0 - rest, b[0] * x * rest])
}

fn mgh09(x: f64, b: &[f64]) -> (f64, Vec<f64>) {
    let (top, bottom) = (x * x + x * b[1], x * x + x * b[2] + b[3]);
    let f = b[0] * top / bottom;
    (f, vec![top / bottom, b[0] * x / bottom, -f * x / bottom, -f / bottom])
}

fn mgh10(x: f64, b: &[f64]) -> (f64, Vec<f64>) {
    let e = (b[1] / (x + b[2])).exp();
    (b[0] * e, vec![e, b[0] * e / (x + b[2]), -b[0] * e * b[1] / (x + b[2]).powi(2)])
}

fn rat43(x: f64, b: &[f64]) -> (f64, Vec<f64>) {
    let e = (b[1] - b[2] * x).exp();
    let log = e.ln_1p();
    let f = b[0] * (-log / b[3]).exp();
    let inner = -f / b[3] * e / (1.0 + e);
    (f, vec![f / b[0], inner, -inner * x, f * log / (b[3] * b[3])])
}

fn eckerle4(x: f64, b: &[f64]) -> (f64, Vec<f64>) {
    let z = (x - b[2]) / b[1];
    let e = (-0.5 * z * z).exp() / b[1];
    let f = b[0] * e;
    (f, vec![e, f * (z * z - 1.0) / b[1], f * z / b[1]])
}

#[test]
fn nonlinear_fits_from_both_starts() {
    let all = cases("nonlinear_");
    assert_eq!(all.len(), 7);
    for (name, case, rows) in all {
        let curve: Curve = match name.as_str() {
            "misra1a" => misra1a,
            "thurber" | "hahn1" => cubic_ratio,
            "mgh09" => mgh09,
            "mgh10" => mgh10,
            "rat43" => rat43,
            "eckerle4" => eckerle4,
            other => panic!("no curve for {other}"),
        };
        let coef = numbers(&case["expected"]["coef"]);
        let wanted = case["tolerance"]["digits_expected_from_double"].as_f64().unwrap();
        let (n, p) = (rows.len(), coef.len());
        let fit = NistProblem { curve, rows, dim: p };
        for start in ["start_1", "start_2"] {
            let begin = numbers(&case["params"][start]);
            // The derivatives are those of the curve.
            let (_, d) = curve(fit.rows[n / 2][1], &begin);
            for k in 0..p {
                let by = 1e-6 * begin[k].abs();
                let at = |to: f64| curve(fit.rows[n / 2][1], &[&begin[..k], &[begin[k] + to], &begin[k + 1..]].concat()).0;
                let slope = (at(by) - at(-by)) / (2.0 * by);
                assert!(
                    (slope - d[k]).abs() <= 1e-6 * d[k].abs().max(1e-3 * slope.abs()),
                    "{name}, parameter {k}: {slope} {}",
                    d[k]
                );
            }
            let method = OptimizationMethod::LevenbergMarquardt { damping: 1e-3 };
            let run = minimize(&fit, &begin, &method, &StopRule { max_iter: 20_000, tol: 0.0 });
            let least = run.point.iter().zip(&coef).map(|(a, b)| digits(*a, *b)).fold(f64::INFINITY, f64::min);
            println!("{name} {start}: {least:.1} digits in {} steps", run.course.len() - 1);
            assert!(least >= wanted, "{name} from {start}: {least:.1} digits of {wanted}, {:?}", run.point);
            let rss = 2.0 * run.value;
            assert!(digits(rss, case["expected"]["residual_ss"].as_f64().unwrap()) >= wanted, "{name}: {rss}");
            // Standard errors, from the derivatives at the minimum with columns of length 1.
            let (_, j) = fit.residuals(&run.point).unwrap();
            let norm: Vec<f64> = (0..p).map(|k| j.view().col_iter(k).map(|v| v * v).sum::<f64>().sqrt()).collect();
            let s = svd(Mat::from_fn(n, p, |i, k| j[(i, k)] / norm[k]).view()).unwrap();
            for (k, &e) in numbers(&case["expected"]["std_err"]).iter().enumerate() {
                let inverse: f64 = (0..p).map(|r| (s.vt[(r, k)] / s.values[r]).powi(2)).sum();
                let error = (rss / (n - p) as f64 * inverse).sqrt() / norm[k];
                assert!(digits(error, e) >= wanted, "{name}, error {k}: {error} for {e}");
            }
        }
    }
}
