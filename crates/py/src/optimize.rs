//! Quadratic programs: what `ermine.optimize` asks of `math::optimize::constrained`.

use ermine::core::{Error, Mat, Result as Found};
use ermine::math::optimize::constrained::{KktPlace, KktResidual, QpMethod, QpOutcome, QuadraticProgram};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error::EstimatorName;
use crate::fit::call;

/// A matrix and a vector of constraints.
type Constraints<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, f64>);

/// Copies, so that the interpreter may be released while the program is solved.
fn owned((matrix, bound): &Constraints<'_>) -> (Mat<f64>, Vec<f64>) {
    let m = matrix.as_array();
    (Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)]), bound.as_array().to_vec())
}

fn residual(r: &KktResidual) -> Value {
    let place = r.place.map(|p| match p {
        KktPlace::Variable(i) => ("variable", i),
        KktPlace::Inequality(i) => ("ineq", i),
        KktPlace::Equality(i) => ("eq", i),
    });
    json!({"value": r.value, "scale": r.scale, "place": place})
}

fn outcome(found: QpOutcome) -> Value {
    let status = found.status();
    match found {
        QpOutcome::Optimal(o) => json!({
            "status": status, "x": o.x, "objective": o.objective, "gap": o.gap(), "iterations": o.iterations,
            "ineq": o.multipliers.inequality, "eq": o.multipliers.equality,
            "kkt": {
                "stationarity": residual(&o.kkt.stationarity), "primal": residual(&o.kkt.primal),
                "dual": residual(&o.kkt.dual), "slackness": residual(&o.kkt.slackness),
            },
        }),
        QpOutcome::Infeasible(c) => {
            json!({"status": status, "ineq": c.multipliers.inequality, "eq": c.multipliers.equality, "residual": c.residual})
        }
        QpOutcome::Unbounded(r) => json!({"status": status, "ray": r.direction, "residual": r.residual}),
    }
}

/// Solves a quadratic program; the answer as JSON.
#[pyfunction]
#[pyo3(signature = (objective, inequalities, equalities, method))]
pub fn quadprog(
    py: Python<'_>,
    objective: Constraints<'_>,
    inequalities: Option<Constraints<'_>>,
    equalities: Option<Constraints<'_>>,
    method: &str,
) -> PyResult<String> {
    let method = match method {
        "interior-point" => Ok(QpMethod::InteriorPoint),
        "active-set" => Ok(QpMethod::ActiveSet),
        other => Err(Error::unknown("method", other, ["interior-point", "active-set"])),
    };
    let (p, q) = owned(&objective);
    let (below, equal) = (inequalities.as_ref().map(owned), equalities.as_ref().map(owned));
    let solve = move || -> Found<Value> {
        let mut program = QuadraticProgram::new(p, q)?;
        if let Some((g, h)) = below {
            program = program.with_inequalities(g, h)?;
        }
        if let Some((a, b)) = equal {
            program = program.with_equalities(a, b)?;
        }
        Ok(outcome(program.solve(method?)?))
    };
    Ok(call(py, EstimatorName::NOBODY, solve)?.to_string())
}
