//! Slater's condition, and constraint qualifications.

use ermine_core::{Mat, Result};

use super::matrix::ProgramMatrix;
use super::program::{FarkasCertificate, QpMethod, QpOutcome, QuadraticProgram};

/// What makes the conditions of Karush, Kuhn and Tucker necessary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintQualification {
    /// All constraints are affine; nothing else is needed.
    Affine,
    /// The gradients of the active constraints are linearly independent.
    IndependentGradients,
    /// None was found: multipliers may not exist.
    NotFound,
}

/// A search for a point with `G x < h` and `A x = b`.
#[derive(Debug, Clone, PartialEq)]
pub enum SlaterPoint {
    /// There is one: the point, and how far inside it is, in units of the longest gradient entry of each row, at most 1.
    Strict {
        /// The point.
        x: Vec<f64>,
        /// The least slack.
        margin: f64,
    },
    /// There are feasible points, but some inequality is an equality at all of them.
    OnlyBoundary {
        /// A feasible point.
        x: Vec<f64>,
    },
    /// There is no feasible point.
    Empty(FarkasCertificate),
}

/// Slack below which no point counts as strictly inside.
const STRICT: f64 = 1e-8;

impl QuadraticProgram {
    /// Affine constraints need no qualification.
    pub fn qualification(&self) -> ConstraintQualification {
        ConstraintQualification::Affine
    }

    /// The point that is deepest inside, by the program `min t` with `G x − t ≤ h`, `A x = b`, `t ≥ −1`.
    pub fn slater(&self) -> Result<SlaterPoint> {
        let (n, m) = (self.dim(), self.h.len());
        let sizes: Vec<f64> = (0..m).map(|i| if self.g.row_size(i) > 0.0 { self.g.row_size(i) } else { 1.0 }).collect();
        let mut rows: Vec<f64> = Vec::with_capacity((m + 1) * (n + 1));
        for i in 0..m {
            rows.extend(self.g.dense_row(i));
            rows.push(-sizes[i]);
        }
        rows.extend(std::iter::repeat_n(0.0, n).chain([-1.0]));
        let bounds = self.h.iter().copied().chain([1.0]).collect();
        let mut cost = vec![0.0; n + 1];
        cost[n] = 1.0;
        let equal = Mat::from_fn(self.b.len(), n + 1, |i, j| if j < n { self.a.dense_row(i)[j] } else { 0.0 });
        let program = QuadraticProgram::new(ProgramMatrix::Dense(Mat::zeros(n + 1, n + 1)), cost)?
            .with_inequalities(Mat::from_vec(m + 1, n + 1, rows), bounds)?
            .with_equalities(equal, self.b.clone())?;
        Ok(match program.solve(QpMethod::InteriorPoint)? {
            QpOutcome::Optimal(o) => {
                let t = o.objective;
                let size = 1.0 + super::max_abs(&self.h).max(super::max_abs(&self.b));
                if t > STRICT * size {
                    let mut multipliers = o.multipliers;
                    multipliers.inequality.pop();
                    return Ok(self
                        .farkas(multipliers)
                        .map_or(SlaterPoint::OnlyBoundary { x: o.x[..n].to_vec() }, SlaterPoint::Empty));
                }
                let x = o.x[..n].to_vec();
                if t < -STRICT * size { SlaterPoint::Strict { x, margin: -t } } else { SlaterPoint::OnlyBoundary { x } }
            }
            // The equalities contradict one another.
            QpOutcome::Infeasible(mut c) => {
                c.multipliers.inequality.pop();
                SlaterPoint::Empty(c)
            }
            QpOutcome::Unbounded(_) => unreachable!("t is bounded below"),
        })
    }
}
