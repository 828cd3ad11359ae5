//! The conditions of Karush, Kuhn and Tucker as residuals.

use super::max_abs;
use super::program::{Multipliers, QuadraticProgram};

/// Where a residual is largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KktPlace {
    /// A variable, from 0.
    Variable(usize),
    /// An inequality, from 0.
    Inequality(usize),
    /// An equality, from 0.
    Equality(usize),
}

/// The largest residual of one condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KktResidual {
    /// Its absolute value.
    pub value: f64,
    /// The size of the terms that should cancel: 1 plus the largest of them.
    pub scale: f64,
    /// Where it is; none where the condition is empty.
    pub place: Option<KktPlace>,
}

impl KktResidual {
    /// The value as a share of the scale.
    pub fn relative(&self) -> f64 {
        self.value / self.scale
    }

    fn largest(scale: f64, residuals: impl Iterator<Item = (KktPlace, f64)>) -> Self {
        let mut out = Self { value: 0.0, scale: 1.0 + scale, place: None };
        for (place, value) in residuals {
            // NaN is the worst residual of all.
            if out.place.is_none() || value > out.value || value.is_nan() {
                (out.value, out.place) = (value, Some(place));
            }
        }
        out
    }
}

/// Residuals of the four conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KktReport {
    /// `∇f + Gᵀλ + Aᵀν`.
    pub stationarity: KktResidual,
    /// `(G x − h)₊` and `|A x − b|`.
    pub primal: KktResidual,
    /// `(−λ)₊`.
    pub dual: KktResidual,
    /// `|λᵢ (G x − h)ᵢ|`.
    pub slackness: KktResidual,
}

impl KktReport {
    /// From the parts: gradient of the Lagrangian with the size of its terms, values of inequalities (≤ 0) and equalities (= 0) with the
    /// size of theirs, and the multipliers of the inequalities. Learners use it for problems of their own.
    pub fn from_parts(
        (lagrangian, terms): (&[f64], f64),
        (inequalities, equalities, bounds): (&[f64], &[f64], f64),
        multipliers: &[f64],
    ) -> Self {
        use KktPlace::{Equality, Inequality, Variable};
        let size = max_abs(multipliers);
        let inside = inequalities.iter().map(|v| v.max(0.0)).enumerate().map(|(i, v)| (Inequality(i), v));
        let on = equalities.iter().map(|v| v.abs()).enumerate().map(|(i, v)| (Equality(i), v));
        let products = multipliers.iter().zip(inequalities).map(|(m, v)| (m * v).abs()).enumerate();
        Self {
            stationarity: KktResidual::largest(
                terms,
                lagrangian.iter().map(|v| v.abs()).enumerate().map(|(i, v)| (Variable(i), v)),
            ),
            primal: KktResidual::largest(bounds, inside.chain(on)),
            dual: KktResidual::largest(
                size,
                multipliers.iter().map(|m| (-m).max(0.0)).enumerate().map(|(i, v)| (Inequality(i), v)),
            ),
            slackness: KktResidual::largest(size.max(bounds), products.map(|(i, v)| (Inequality(i), v))),
        }
    }

    pub(super) fn of_program(p: &QuadraticProgram, x: &[f64], m: &Multipliers) -> Self {
        let mut lagrangian = p.p.times(x);
        let mut terms = max_abs(&lagrangian).max(max_abs(&p.q));
        super::add_scaled(&mut lagrangian, 1.0, &p.q);
        let mut pull = vec![0.0; x.len()];
        p.g.add_transposed_times(&m.inequality, &mut pull);
        p.a.add_transposed_times(&m.equality, &mut pull);
        terms = terms.max(max_abs(&pull));
        super::add_scaled(&mut lagrangian, 1.0, &pull);
        let above: Vec<f64> = p.g.times(x).iter().zip(&p.h).map(|(g, h)| g - h).collect();
        let beside: Vec<f64> = p.a.times(x).iter().zip(&p.b).map(|(a, b)| a - b).collect();
        Self::from_parts((&lagrangian, terms), (&above, &beside, max_abs(&p.h).max(max_abs(&p.b))), &m.inequality)
    }

    /// The largest of the four residuals.
    pub fn largest(&self) -> f64 {
        self.all().map(|r| r.value).fold(0.0, worse)
    }

    /// The largest of the four, each as a share of its scale.
    pub fn largest_relative(&self) -> f64 {
        self.all().map(|r| r.relative()).fold(0.0, worse)
    }

    fn all(&self) -> impl Iterator<Item = KktResidual> {
        [self.stationarity, self.primal, self.dual, self.slackness].into_iter()
    }
}

fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
