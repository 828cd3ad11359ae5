//! Separable classes without a penalty: the likelihood then has no maximum, and the separating direction
//! proves it.

use ermine_core::{DatasetRef, Features, Mat, Partial, Result};
use ermine_math::linalg::eigen_symmetric;
use ermine_math::tall_skinny::{rows_at_once, scores};
use serde::{Deserialize, Serialize};

use super::super::passes::{add, contiguous, sparse_dot};
use super::Logistic;
#[cfg(feature = "fit")]
use super::evaluate::LogisticProblem;
#[cfg(feature = "fit")]
use super::rows::WeightPoint;

/// A direction along which every row has its own class rise against every other, or stay.
#[derive(Debug, Clone, PartialEq)]
pub struct Separation {
    /// Whether every row is strictly on its side. Otherwise some rows lie on the boundary, and among these the classes overlap.
    pub complete: bool,
    /// The weights, as those of the model, of norm 1 in all.
    pub coef: Mat<f64>,
    /// The intercepts that go with them.
    pub intercept: Vec<f64>,
    /// The least lead of its own class that a row has, along the direction: the distance from the boundary for two classes. 0 when it is not
    /// complete.
    pub margin: f64,
}

impl Separation {
    /// From a point that is a direction, with the least lead of a row at it.
    #[cfg(feature = "fit")]
    pub fn new(point: &WeightPoint, cols: usize, complete: bool, margin: f64) -> Option<Self> {
        // In two steps, so that squares do not overflow.
        let largest = point.coef.iter().fold(0.0f64, |m, w| m.max(w.abs()));
        let norm = largest * point.coef.iter().map(|w| (w / largest) * (w / largest)).sum::<f64>().sqrt();
        if norm.is_nan() || norm <= 0.0 || norm.is_infinite() {
            return None;
        }
        let coef = Mat::from_vec(point.intercept.len(), cols, point.coef.iter().map(|w| w / norm).collect());
        Some(Self {
            complete,
            coef,
            intercept: point.intercept.iter().map(|b| b / norm).collect(),
            margin: if complete { margin / norm } else { 0.0 },
        })
    }

    /// The note of the certificate.
    pub fn certificate_note(&self) -> &'static str {
        match self.complete {
            true => {
                "separable: the classes can be told apart without error, so the likelihood has no maximum and the weights would grow \
                 without end; those returned tell every row apart, and only their direction means something. Penalize them (C) to \
                 have sizes, too"
            }
            false => {
                "separable in part: along one direction of the weights the likelihood rises without end, so the sizes of some weights \
                 mean nothing. Penalize them (C), or leave out the columns along which the direction leads"
            }
        }
    }
}

/// The loss at which a fit without penalty that tells every row apart has gone far enough: nearly none of the infimum, 0, is missing.
pub fn loss_limit(weight: f64, tol: f64) -> f64 {
    weight * tol.clamp(1e-6, 1e-2)
}

/// Numbers in a point beyond which a direction is not looked for among the rows on its boundary.
pub const MAX_DIRECTION_LEN: usize = 600;
/// Margins below this share of the largest belong to rows on which the direction should have no effect.
const BOUNDARY_MARGIN: f64 = 1e-3;
/// Eigenvalues below this share of the largest are 0.
const NULL: f64 = 1e-11;
/// The rounding error of a margin that is 0, as a share of the largest.
const ROUNDING: f64 = 1e-9;

/// State of the proof, which takes up to three passes: how large margins along a direction are, which rows it should leave alone, and whether what
/// is left of it when they are left alone tells the others apart.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SeparationProof {
    /// In the coordinates of the problem.
    direction: Vec<f64>,
    stage: SeparationPhase,
    largest: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum SeparationPhase {
    Magnitude,
    Boundary,
    Check,
}

/// Sums of a pass of a proof.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MarginSums {
    least: f64,
    largest: f64,
    /// Σ a aᵀ over the rows on the boundary, a being the derivative of a lead by the point; empty in other passes.
    products: Vec<f64>,
}

#[cfg(feature = "fit")]
impl Partial for MarginSums {
    fn merge(&mut self, other: Self) -> Result<()> {
        self.least = self.least.min(other.least);
        self.largest = self.largest.max(other.largest);
        add(&mut self.products, &other.products);
        Ok(())
    }
}

impl SeparationProof {
    /// A proof that begins with a guess.
    pub fn new(direction: Vec<f64>) -> Self {
        Self { direction, stage: SeparationPhase::Magnitude, largest: 0.0 }
    }

    /// The sums of no rows.
    pub fn empty(&self) -> MarginSums {
        let size = if self.stage == SeparationPhase::Boundary { self.direction.len().pow(2) } else { 0 };
        MarginSums { least: f64::MAX, largest: -f64::MAX, products: vec![0.0; size] }
    }

    /// Adds a block of rows.
    #[cfg(feature = "fit")]
    pub fn add(&self, problem: &LogisticProblem, leads: &mut MarginSums, rows: &DatasetRef<'_>) -> Result<()> {
        let (v, q, cols, bias) = (problem.vectors(), problem.width(), problem.cols, problem.bias(&self.direction));
        let labels = problem.labels(rows)?;
        let at_once = rows_at_once(cols);
        let (mut z, mut scratch, mut cells) = (Vec::new(), Vec::new(), vec![0.0; cols]);
        for start in (0..rows.rows()).step_by(at_once) {
            let n = rows.rows().min(start + at_once) - start;
            let part = rows.x.row_range(start..start + n);
            z.clear();
            z.resize(n * v, 0.0);
            match &part {
                Features::Csr(x) => {
                    for (c, z) in z.chunks_exact_mut(n).enumerate() {
                        let w = &self.direction[c * q..c * q + cols];
                        z.iter_mut().enumerate().for_each(|(i, z)| *z = bias[c] + sparse_dot(x.row(i).0, x.row(i).1, w));
                    }
                }
                dense => scores(contiguous(dense, &mut scratch, Logistic::NAME)?, &self.direction, q, &bias, &mut z, &[]),
            }
            for i in (0..n).filter(|&i| labels.weight_of(start + i) > 0.0) {
                let own = labels.places[start + i] as usize;
                for other in (0..problem.classes).filter(|&k| k != own) {
                    let lead = match v {
                        1 => z[i] * if own == 1 { 1.0 } else { -1.0 },
                        _ => z[own * n + i] - z[other * n + i],
                    };
                    leads.least = leads.least.min(lead);
                    leads.largest = leads.largest.max(lead);
                    if self.stage == SeparationPhase::Boundary && lead.abs() <= BOUNDARY_MARGIN * self.largest {
                        dense_row(&part, i, &mut cells)?;
                        self.add_products(problem, &cells, own, other, &mut leads.products);
                    }
                }
            }
        }
        Ok(())
    }

    /// The products of the derivative of a lead: the row in the place of its own class, less the row in that of the other.
    #[cfg(feature = "fit")]
    fn add_products(&self, problem: &LogisticProblem, cells: &[f64], own: usize, other: usize, products: &mut [f64]) {
        let (q, cols, size) = (problem.width(), problem.cols, self.direction.len());
        let shifted = |j: usize| match j < cols {
            true => cells[j] - problem.center.get(j).copied().unwrap_or(0.0),
            false => 1.0,
        };
        let row: Vec<f64> = (0..q).map(shifted).collect();
        let runs: &[(usize, f64)] = if problem.vectors() == 1 { &[(0, 1.0)] } else { &[(own, 1.0), (other, -1.0)] };
        for &(a, by_a) in runs {
            for &(b, by_b) in runs {
                for (i, x) in row.iter().enumerate() {
                    let to = &mut products[(a * q + i) * size + b * q..][..q];
                    to.iter_mut().zip(&row).for_each(|(t, y)| *t += by_a * by_b * x * y);
                }
            }
        }
    }

    /// Ends a pass: the proven direction, nothing when there is no proof, or the next pass.
    pub fn finish(mut self, leads: MarginSums) -> SeparationOutcome {
        match self.stage {
            SeparationPhase::Magnitude => {
                self.largest = leads.largest;
                self.stage = SeparationPhase::Boundary;
                if leads.largest > 0.0 { SeparationOutcome::Continue(self) } else { SeparationOutcome::Unproven }
            }
            SeparationPhase::Boundary => match null_space_part(&self.direction, &leads.products) {
                Some(direction) => {
                    (self.direction, self.stage) = (direction, SeparationPhase::Check);
                    SeparationOutcome::Continue(self)
                }
                None => SeparationOutcome::Unproven,
            },
            SeparationPhase::Check => match leads.largest > 0.0 && leads.least >= -ROUNDING * leads.largest {
                true => SeparationOutcome::Proven(self.direction, leads.least),
                false => SeparationOutcome::Unproven,
            },
        }
    }
}

/// The result of a pass of a proof.
pub enum SeparationOutcome {
    Continue(SeparationProof),
    /// A direction in the coordinates of the problem, and the least lead along it.
    Proven(Vec<f64>, f64),
    Unproven,
}

#[cfg(feature = "fit")]
fn dense_row(x: &Features<'_>, row: usize, out: &mut [f64]) -> Result<()> {
    match x {
        Features::Csr(m) => m.copy_row(row, out),
        other => {
            let mut scratch = Vec::new();
            let one = other.row_range(row..row + 1);
            out.copy_from_slice(contiguous(&one, &mut scratch, Logistic::NAME)?.row(0).unwrap_or(&[]));
        }
    }
    Ok(())
}

/// The part of a direction that no vector behind the products sees, in coordinates scaled by them.
fn null_space_part(direction: &[f64], products: &[f64]) -> Option<Vec<f64>> {
    let n = direction.len();
    let scale: Vec<f64> = (0..n)
        .map(|i| {
            let d = products[i * n + i].sqrt();
            if d > 0.0 && d.is_finite() { d } else { 1.0 }
        })
        .collect();
    let scaled = Mat::from_fn(n, n, |i, j| products[i * n + j] / (scale[i] * scale[j]));
    if !scaled.as_slice().iter().all(|v| v.is_finite()) {
        return None;
    }
    let eigen = eigen_symmetric(scaled.view()).ok()?;
    let largest = eigen.values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut rest: Vec<f64> = direction.iter().zip(&scale).map(|(d, s)| d * s).collect();
    for (k, value) in eigen.values.iter().enumerate() {
        if *value > NULL * largest {
            let along: f64 = (0..n).map(|i| eigen.vectors[(k, i)] * rest[i]).sum();
            (0..n).for_each(|i| rest[i] -= along * eigen.vectors[(k, i)]);
        }
    }
    Some(rest.iter().zip(&scale).map(|(r, s)| r / s).collect())
}
