//! Methods of minimization side by side, on the ten standardized columns of the diabetes data:
//!
//! ```text
//! cargo run --release --example descent
//! ```
//!
//! Ridge regression, whose Hessian has known eigenvalues: predicted and observed rates. Then logistic regression and the lasso, where
//! every method gets as many rounds.

use ermine::core::Mat;
use ermine::math::loss::RowLoss;
use ermine::optimize::{
    EmpiricalRisk, OptimizationMethod, OptimizationRun, StepSchedule, StopRule, StudyObjective, minimize, rate,
};

/// The columns standardized, and the target less its mean.
fn diabetes() -> ermine::Result<(Mat<f64>, Vec<f64>)> {
    let loaded = ermine::data::read("example:diabetes", &Default::default())?;
    let problem = ermine::Problem::from_table(loaded.table, &ermine::Roles::with_target("progression"))?;
    let data = problem.dataset();
    let mut scratch = Vec::new();
    let x = data.x.f64_rows(&mut scratch, "descent")?;
    let n = x.rows() as f64;
    let standard: Vec<(f64, f64)> = (0..x.cols())
        .map(|j| {
            let mean = x.col_iter(j).sum::<f64>() / n;
            (mean, (x.col_iter(j).map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
        })
        .collect();
    let z = Mat::from_fn(x.rows(), x.cols(), |i, j| (x.at(i, j) - standard[j].0) / standard[j].1);
    let y: Vec<f64> = data.y.reals()?.col_iter(0).collect();
    let mean = y.iter().sum::<f64>() / n;
    Ok((z, y.iter().map(|v| v - mean).collect()))
}

fn line(name: &str, predicted: Option<f64>, run: &OptimizationRun, least: f64) {
    let number = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.5}"));
    println!(
        "{name:<24} {:>9} {:>9} {:>7} {:>12.2e} {:>12.2e}",
        number(predicted),
        number(run.observed_rate()),
        run.course.len() - 1,
        (run.value - least).max(0.0) / least.abs(),
        run.course[run.course.len() - 1].gradient_norm,
    );
}

fn head(title: &str) {
    println!("\n{title}");
    println!("{:<24} {:>9} {:>9} {:>7} {:>12} {:>12}", "method", "predicted", "observed", "steps", "above least", "gradient");
}

fn main() -> ermine::Result<()> {
    let (x, y) = diabetes()?;
    let start = vec![0.0; x.cols()];

    let ridge = EmpiricalRisk::new(RowLoss::Squared, x.clone(), y.clone()).penalized(0.0, 0.05);
    let (least, most) = ridge.curvatures(&start)?;
    let step = 1.0 / most;
    let (best_step, best_momentum) = rate::best_momentum(least, most);
    let root = (least / most).sqrt();
    let nesterov = (1.0 - root) / (1.0 + root);
    let adam = OptimizationMethod::Adam { step: 1.0, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
    let widrow_hoff =
        OptimizationMethod::MiniBatch { batch: 1, schedule: StepSchedule::Inverse { first: 0.01, decay: 1e-3 }, seed: 0 };
    let batches = OptimizationMethod::MiniBatch {
        batch: 32,
        schedule: StepSchedule::StepDecay { first: 0.05, factor: 0.5, every: 500 },
        seed: 0,
    };
    let methods = [
        ("fixed step 1/most", OptimizationMethod::FixedStep { step }, Some(rate::fixed_step(step, least, most))),
        ("optimal step", OptimizationMethod::OptimalStep { least, most }, Some(rate::optimal_step(least, most))),
        ("backtracking", OptimizationMethod::Backtracking { first: step }, None),
        (
            "heavy ball",
            OptimizationMethod::Momentum { step: best_step, momentum: best_momentum },
            Some(rate::momentum(best_step, best_momentum, least, most)),
        ),
        (
            "nesterov",
            OptimizationMethod::Nesterov { step, momentum: Some(nesterov) },
            Some(rate::nesterov(step, nesterov, least, most)),
        ),
        ("adam", adam, None),
        ("one row at a time", widrow_hoff, None),
        ("batches of 32", batches, None),
        ("coordinate descent", OptimizationMethod::CoordinateDescent, None),
        ("l-bfgs", OptimizationMethod::Lbfgs { memory: 5 }, None),
        ("newton", OptimizationMethod::Newton, None),
        ("levenberg-marquardt", OptimizationMethod::LevenbergMarquardt { damping: 1e-3 }, None),
    ];
    let stop = StopRule { max_iter: 500, tol: 1e-10 };
    let exact = minimize(&ridge, &start, &OptimizationMethod::Newton, &stop).value;
    head(&format!("ridge regression, Hessian eigenvalues {least:.4} to {most:.4}"));
    for (name, method, predicted) in &methods {
        line(name, *predicted, &minimize(&ridge, &start, method, &stop), exact);
    }

    let signs = y.iter().map(|v| if *v > 0.0 { 1.0 } else { -1.0 }).collect();
    let logistic = EmpiricalRisk::new(RowLoss::Logistic, x.clone(), signs).penalized(0.0, 0.01);
    let exact = minimize(&logistic, &start, &OptimizationMethod::Newton, &stop).value;
    head("logistic regression, above the mean or below");
    for (name, method, _) in &methods {
        // The curvature of the logistic loss is a quarter at most.
        let method = match method {
            OptimizationMethod::OptimalStep { .. } | OptimizationMethod::LevenbergMarquardt { .. } => continue,
            OptimizationMethod::FixedStep { .. } => OptimizationMethod::FixedStep { step: 4.0 * step },
            OptimizationMethod::Adam { .. } => OptimizationMethod::Adam { step: 0.05, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 },
            other => other.clone(),
        };
        line(name, None, &minimize(&logistic, &start, &method, &stop), exact);
    }

    let lasso = EmpiricalRisk::new(RowLoss::Squared, x, y).penalized(5.0, 0.0);
    let exact = minimize(&lasso, &start, &OptimizationMethod::CoordinateDescent, &StopRule { max_iter: 10_000, tol: 1e-14 });
    head("lasso, penalty 5");
    let methods = [
        ("proximal gradient", OptimizationMethod::ProximalGradient { step }),
        ("fista", OptimizationMethod::Fista { step }),
        ("coordinate descent", OptimizationMethod::CoordinateDescent),
        ("subgradient", OptimizationMethod::Subgradient { schedule: StepSchedule::InverseRoot { first: step } }),
    ];
    for (name, method) in &methods {
        line(name, None, &minimize(&lasso, &start, method, &stop), exact.value);
    }
    let zeros = exact.point.iter().filter(|b| **b == 0.0).count();
    println!("{zeros} of {} coefficients are 0", lasso.dim());
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_printed() {
        super::main().unwrap();
    }
}
