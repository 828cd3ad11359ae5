//! All rows in memory, for the solvers that take them by column or one by one.

use ermine_core::{DatasetRef, Error, Result};
use ermine_math::columns::Design;
use ermine_math::loss::{BlockLoss, log_sum_exp, logistic_block, softmax_block};

use super::Logistic;
use super::evaluate::{EncodedLabels, LogisticProblem};
use super::penalty::ElasticPenalty;

/// The rows, their classes and weights, and the problem they pose.
///
/// Scores and residuals of all rows lie weight vector by weight vector, a run of rows for each.
pub struct LogisticData<'a> {
    pub data: DatasetRef<'a>,
    pub design: Design<'a>,
    pub labels: EncodedLabels,
    pub problem: LogisticProblem,
    pub penalty: ElasticPenalty,
}

/// Weights and intercepts of the columns as they are.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightPoint {
    /// A run of columns for each weight vector.
    pub coef: Vec<f64>,
    /// One for each.
    pub intercept: Vec<f64>,
}

impl WeightPoint {
    /// Takes off the weights that several classes have for the given columns what they have in common, where that makes them cheaper, and off
    /// their intercepts the mean. No probability changes.
    pub fn center_class_weights(&mut self, penalty: ElasticPenalty, columns: &[usize]) {
        let v = self.intercept.len();
        if v == 1 {
            return;
        }
        let cols = self.coef.len() / v;
        for &j in columns {
            let mut weights: Vec<f64> = (0..v).map(|c| self.coef[c * cols + j]).collect();
            let common = penalty.common(&mut weights);
            if common != 0.0 {
                (0..v).for_each(|c| self.coef[c * cols + j] -= common);
            }
        }
        let mean = self.intercept.iter().sum::<f64>() / v as f64;
        self.intercept.iter_mut().for_each(|b| *b -= mean);
    }
}

impl<'a> LogisticData<'a> {
    pub fn new(data: &DatasetRef<'a>, problem: LogisticProblem, penalty: ElasticPenalty) -> Result<Self> {
        let design = Design::new(&data.x, Logistic::NAME)?;
        let labels = problem.labels(data)?;
        Ok(Self { data: *data, design, labels, problem, penalty })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.data.rows()
    }

    /// The weights of the rows, when they are not all 1.
    pub fn weight(&self) -> Option<&[f64]> {
        (!self.labels.weight.is_empty()).then_some(&self.labels.weight)
    }

    /// The scores at a point.
    pub fn scores(&self, point: &WeightPoint) -> Vec<f64> {
        let (n, cols) = (self.len(), self.problem.cols);
        let mut z = vec![0.0; n * self.problem.vectors()];
        for (c, z) in z.chunks_exact_mut(n).enumerate() {
            z.fill(point.intercept[c]);
            self.design.add_combination(&point.coef[c * cols..(c + 1) * cols], z);
        }
        z
    }

    /// Scores become residuals, the derivatives of the weighted loss by them; `curvature` as in the blocks of `math::loss`.
    pub fn residuals(&self, z: &mut [f64], curvature: &mut [f64]) -> BlockLoss {
        match self.problem.vectors() {
            1 => logistic_block(z, &self.labels.positive, &self.labels.weight, curvature),
            _ => softmax_block(z, &self.labels.places, &self.labels.weight, curvature),
        }
    }

    /// The log odds of class `c` against all others, from the scores of all. With one weight vector, the scores.
    ///
    /// The softmax loss as a function of the scores of one class alone is the logistic loss of these, up to a constant, so
    /// what solves a problem of two classes moves one class of many.
    pub fn log_odds(&self, z: &[f64], c: usize) -> Vec<f64> {
        let (n, v) = (self.len(), self.problem.vectors());
        if v == 1 {
            return z.to_vec();
        }
        let mut others = vec![0.0; v - 1];
        (0..n)
            .map(|i| {
                for (o, other) in others.iter_mut().zip((0..v).filter(|&o| o != c)) {
                    *o = z[other * n + i];
                }
                z[c * n + i] - log_sum_exp(&others)
            })
            .collect()
    }

    /// Whether each row is of class `c`; of the second of two classes.
    pub fn is_class(&self, c: usize) -> Vec<bool> {
        match self.problem.vectors() {
            1 => self.labels.positive.clone(),
            _ => self.labels.places.iter().map(|&p| p as usize == c).collect(),
        }
    }

    /// Weighted sums of squares of the columns, about their means where there is an intercept. Refuses cells that are not
    /// finite, and columns whose squares overflow.
    pub fn scatter(&self) -> Result<Vec<f64>> {
        let summary = self.design.summary(self.weight(), &vec![0.0; self.len()], self.problem.intercept);
        // Infinite squares less infinite squares of means leave nothing, which a constant column has too.
        let flat: Vec<usize> = (0..self.problem.cols)
            .filter(|&j| summary.scatter[j] == 0.0 && (summary.mean[j] != 0.0 || !self.design.is_sparse()))
            .collect();
        let columns = self.design.columns(&flat);
        let hidden = (0..flat.len()).find(|&k| !columns.norm(k).is_finite()).map(|k| flat[k]);
        if let Some(j) = summary.scatter.iter().position(|s| !s.is_finite()).or(hidden) {
            self.data.x.refuse_non_finite(self.data.schema)?;
            let name = self.data.schema_or_unnamed().names().nth(j).unwrap_or("?").to_owned();
            return Err(Error::Numeric(format!("column \"{name}\": the sum of its squares overflows; scale the column down")));
        }
        Ok(summary.scatter)
    }

    /// Residuals moved toward the row's own class where classes with an intercept have too much of them, so that those of each class
    /// sum to 0, which the dual asks for. They stay differences of probabilities.
    pub fn project_residuals(&self, residuals: &mut [f64]) {
        let (n, v) = (self.len(), self.problem.vectors());
        if !self.problem.intercept {
            return;
        }
        if v == 1 {
            let (mut up, mut down) = (0.0, 0.0);
            residuals.iter().for_each(|&r| if r > 0.0 { up += r } else { down -= r });
            let (of_up, of_down) = (if up > down { down / up } else { 1.0 }, if down > up { up / down } else { 1.0 });
            residuals.iter_mut().for_each(|r| *r *= if *r > 0.0 { of_up } else { of_down });
            return;
        }
        let weight_of = |i: usize| self.labels.weight_of(i);
        let excess: Vec<f64> = residuals.chunks_exact(n).map(|run| run.iter().sum()).collect();
        let lack: f64 = excess.iter().map(|e| (-e).max(0.0)).sum();
        if lack == 0.0 {
            return;
        }
        // The share of its probability that a class with too much of it gives to those with too little.
        let mass: Vec<f64> =
            (0..v).map(|c| (0..n).map(|i| residuals[c * n + i] + if self.is(i, c) { weight_of(i) } else { 0.0 }).sum()).collect();
        let share: Vec<f64> = (0..v).map(|c| if excess[c] > 0.0 { (excess[c] / mass[c]).min(1.0) } else { 0.0 }).collect();
        for i in 0..n {
            let mut moved = 0.0;
            for c in (0..v).filter(|&c| share[c] > 0.0) {
                let own = if self.is(i, c) { weight_of(i) } else { 0.0 };
                let gives = share[c] * (residuals[c * n + i] + own);
                residuals[c * n + i] -= gives;
                moved += gives;
            }
            for c in (0..v).filter(|&c| excess[c] < 0.0) {
                residuals[c * n + i] -= moved * excess[c] / lack;
            }
        }
    }

    fn is(&self, row: usize, class: usize) -> bool {
        self.labels.places[row] as usize == class
    }

    /// Σ of the conjugates of the losses at `scale` times residuals, which are differences of probabilities.
    pub fn conjugate_sum(&self, residuals: &[f64], scale: f64) -> f64 {
        let entropy = |t: f64| if t > 0.0 { t * t.ln() } else { 0.0 };
        let (n, v) = (self.len(), self.problem.vectors());
        let mut sum = 0.0;
        for i in 0..n {
            let w = self.labels.weight_of(i);
            if w == 0.0 {
                continue;
            }
            if v == 1 {
                let a = scale * residuals[i].abs() / w;
                sum += w * (entropy(a) + entropy(1.0 - a));
            } else {
                let of = |c: usize| scale * residuals[c * n + i] / w + if self.is(i, c) { 1.0 } else { 0.0 };
                sum += w * (0..v).map(|c| entropy(of(c))).sum::<f64>();
            }
        }
        sum
    }
}
