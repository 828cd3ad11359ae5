//! Evidence of a fit besides the model: a certificate and a trace.

use std::time::Instant;

use serde::{Deserialize, Serialize};

/// How good the fitted parameters are, as numbers that can be checked.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Certificate {
    /// The algorithm: "cholesky", "newton", "lloyd".
    pub method: String,
    /// The objective at the returned point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objective: Option<f64>,
    /// Upper bound on objective minus optimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duality_gap: Option<f64>,
    /// Largest violation of the optimality conditions, relative to the scale of the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kkt_residual: Option<f64>,
    /// Estimated condition number of the system that was solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<f64>,
    /// Numerical rank, where it was determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// Steps taken.
    pub iterations: u64,
    /// Whether the stopping rule was met.
    pub converged: bool,
    /// Remarks for a person: "separable", "rank 3 of 4".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The convergence history of a fit: named columns, one row per step.
///
/// Columns with the same meaning have the same name in every learner: `objective`, `step` (its length, or the share of
/// the proposed step that was taken; 0 at the start), `gradient_norm` (of the objective as stated; of the least
/// subgradient where it is not differentiable) and `seconds` since the start. `iteration` counts what the certificate
/// counts (steps; for methods that go row by row, such as saga, sgd and the dual, passes over the rows). It is present
/// only where the rows are not the iterations 0 (the start), 1, 2 and so on: when a method does not evaluate its
/// objective after every pass, or not at the start. Columns that a method does not have are absent. A trace belongs to
/// a fit and is not saved in the model file, so that no time gets into it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Names of the columns, "objective" among them where there is one.
    pub columns: Vec<String>,
    /// One row per step.
    pub rows: Vec<Vec<f64>>,
    /// The clock, and the seconds it showed when it started.
    #[serde(skip)]
    clock: Option<(Instant, f64)>,
    #[serde(default)]
    timed: bool,
}

/// Traces are equal when their columns and rows are; times are not compared.
impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        let untimed = self.columns.len() - usize::from(self.timed);
        let row = |(a, b): (&Vec<f64>, &Vec<f64>)| match self.timed {
            true => a.get(..untimed) == b.get(..untimed),
            false => a == b,
        };
        self.columns == other.columns && self.rows.len() == other.rows.len() && self.rows.iter().zip(&other.rows).all(row)
    }
}

impl Trace {
    /// An empty trace with the given columns.
    pub fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&c| c.to_owned()).collect(), ..Self::default() }
    }

    /// An empty trace with the given columns and a last one, `seconds`, which [`Trace::push`] adds itself. The clock
    /// starts now; in a trace that was deserialized it continues from the last row.
    pub fn timed(columns: &[&str]) -> Self {
        let columns = columns.iter().chain(&["seconds"]).map(|&c| c.to_owned()).collect();
        Self { columns, rows: Vec::new(), clock: Some((Instant::now(), 0.0)), timed: true }
    }

    /// Adds a step.
    pub fn push(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len() + usize::from(self.timed), self.columns.len());
        let mut row = row.to_vec();
        if self.timed {
            let shown = self.rows.last().and_then(|r| r.last()).copied().unwrap_or(0.0);
            let (since, before) = self.clock.get_or_insert_with(|| (Instant::now(), shown));
            row.push(*before + since.elapsed().as_secs_f64());
        }
        self.rows.push(row);
    }

    /// The values of one column.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let at = self.columns.iter().position(|c| c == name)?;
        self.rows.iter().map(|r| r.get(at).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timed_trace_adds_its_seconds_and_continues_after_deserialization() {
        let mut trace = Trace::timed(&["objective"]);
        trace.push(&[3.0]);
        std::thread::sleep(std::time::Duration::from_millis(2));
        trace.push(&[2.0]);
        let mut back: Trace = serde_json::from_str(&serde_json::to_string(&trace).unwrap()).unwrap();
        assert_eq!(back, trace);
        back.push(&[1.0]);
        let seconds = back.column("seconds").unwrap();
        assert!(seconds.windows(2).all(|w| w[0] <= w[1]) && seconds[1] >= 0.002, "{seconds:?}");
        assert_eq!(back.column("objective"), Some(vec![3.0, 2.0, 1.0]));
    }

    #[test]
    fn traces_are_equal_whatever_the_clock_showed() {
        let of = |values: &[f64]| {
            let mut trace = Trace::timed(&["objective"]);
            values.iter().for_each(|v| trace.push(&[*v]));
            trace
        };
        assert_eq!(of(&[2.0, 1.0]), of(&[2.0, 1.0]));
        assert_ne!(of(&[2.0, 1.0]), of(&[2.0, 1.5]));
        assert_ne!(of(&[2.0, 1.0]), of(&[2.0]));
    }
}
