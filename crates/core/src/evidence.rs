//! What a fit brings back besides the model: a certificate and a trace.

use serde::{Deserialize, Serialize};

/// How good the fitted parameters are, as numbers that can be checked.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Certificate {
    /// How it was solved: "cholesky", "newton", "lloyd".
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
    /// What a person should know: "separable", "rank 3 of 4".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The course of a fit: named columns, one row a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Names of the columns, "objective" among them where there is one.
    pub columns: Vec<String>,
    /// A row a step.
    pub rows: Vec<Vec<f64>>,
}

impl Trace {
    /// An empty trace with the given columns.
    pub fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&c| c.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a step.
    pub fn push(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row.to_vec());
    }

    /// The values of one column.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let at = self.columns.iter().position(|c| c == name)?;
        self.rows.iter().map(|r| r.get(at).copied()).collect()
    }
}
