//! The greedy path: one column after the other, each the one that leaves the least residual sum of squares.

use ermine_core::Mat;
use ermine_math::moments::Moments;

/// Products of the columns about their means (or about zero without an intercept): all that the path needs of the rows.
pub(super) struct CenteredGram {
    pub gram: Mat<f64>,
    pub cross: Vec<f64>,
    pub tss: f64,
    pub mean: Vec<f64>,
    pub mean_y: f64,
    pub weight: f64,
}

impl CenteredGram {
    pub fn new(moments: &Moments, fit_intercept: bool) -> Self {
        let p = moments.x_cols();
        let scatter = moments.scatter();
        let (mean, weight) = (moments.mean(), moments.weight());
        let about_zero = |i: usize, j: usize| if fit_intercept { 0.0 } else { weight * mean[i] * mean[j] };
        let at = |i: usize, j: usize| scatter[(i.max(j), i.min(j))] + about_zero(i, j);
        Self {
            gram: Mat::from_fn(p, p, at),
            cross: (0..p).map(|j| at(p, j)).collect(),
            tss: at(p, p),
            mean: mean[..p].to_vec(),
            mean_y: mean[p],
            weight,
        }
    }

    /// Residual sum of squares, about their mean, of coefficients on the rows behind these products.
    fn rss_of(&self, columns: &[usize], coef: &[f64]) -> f64 {
        let mut rss = self.tss;
        for (a, &i) in columns.iter().enumerate() {
            rss -= 2.0 * coef[a] * self.cross[i];
            for (b, &j) in columns.iter().enumerate() {
                rss += coef[a] * coef[b] * self.gram[(i, j)];
            }
        }
        rss
    }

    /// Weighted squared error on these rows of a line that was fitted on others. Without intercept the products are about
    /// zero, and the means have no effect.
    pub fn error_of(&self, columns: &[usize], coef: &[f64], intercept: Option<f64>) -> f64 {
        let about_means = self.rss_of(columns, coef).max(0.0);
        let off = intercept.map_or(0.0, |b0| {
            let line: f64 = columns.iter().zip(coef).map(|(&j, b)| b * self.mean[j]).sum();
            self.mean_y - b0 - line
        });
        about_means + self.weight * off * off
    }
}

/// Columns whose part that the chosen ones do not explain is below this share of them count as collinear: what is left is the
/// rounding of the products.
const COLLINEAR: f64 = 1e-11;
/// Residuals whose squares are below this share of those of the target are rounding: the fit is perfect.
const PERFECT: f64 = 1e-13;
/// Gains that differ by less than this share are equal.
const TIE: f64 = 1e-9;

/// The path so far. Row k of the factor holds the products of all columns with the k-th direction, so that a step costs
/// columns × steps.
pub(super) struct StepwisePath<'a> {
    products: &'a CenteredGram,
    pub chosen: Vec<usize>,
    /// Columns that the chosen ones explain.
    pub collinear: Vec<usize>,
    /// Residual sum of squares after 0, 1, … steps.
    pub rss: Vec<f64>,
    factor: Vec<Vec<f64>>,
    /// The component of the target along each direction.
    along: Vec<f64>,
    /// The remaining variance of each column.
    left: Vec<f64>,
    /// Products of what is left with the residuals.
    cross: Vec<f64>,
    open: Vec<bool>,
}

impl<'a> StepwisePath<'a> {
    pub fn new(products: &'a CenteredGram) -> Self {
        let p = products.cross.len();
        Self {
            products,
            chosen: Vec::new(),
            collinear: Vec::new(),
            rss: vec![products.tss],
            factor: Vec::new(),
            along: Vec::new(),
            left: (0..p).map(|j| products.gram[(j, j)]).collect(),
            cross: products.cross.clone(),
            open: vec![true; p],
        }
    }

    /// Chooses the next column; `false` when none is left that could lower the residuals.
    pub fn step(&mut self) -> bool {
        let p = self.left.len();
        let before = self.rss[self.rss.len() - 1];
        if before == 0.0 {
            return false;
        }
        let mut best: Option<(usize, f64)> = None;
        for j in 0..p {
            if !self.open[j] {
                continue;
            }
            if self.left[j] <= COLLINEAR * self.products.gram[(j, j)] {
                self.open[j] = false;
                self.collinear.push(j);
                continue;
            }
            let gain = self.cross[j] * self.cross[j] / self.left[j];
            // Ties, up to the rounding of the products, go to the first column: where one more column makes the fit perfect, any does.
            if gain > best.map_or(0.0, |b| b.1 * (1.0 + TIE)) {
                best = Some((j, gain));
            }
        }
        let Some((s, gain)) = best else { return false };
        let root = self.left[s].sqrt();
        let mut row: Vec<f64> = (0..p).map(|j| self.products.gram[(s, j)]).collect();
        for earlier in &self.factor {
            let share = earlier[s];
            row.iter_mut().zip(earlier).for_each(|(r, e)| *r -= share * e);
        }
        row.iter_mut().for_each(|r| *r /= root);
        row[s] = root;
        let along = self.cross[s] / root;
        for j in 0..p {
            self.left[j] = (self.left[j] - row[j] * row[j]).max(0.0);
            self.cross[j] -= row[j] * along;
        }
        self.open[s] = false;
        self.chosen.push(s);
        self.factor.push(row);
        self.along.push(along);
        let rest = before - gain;
        self.rss.push(if rest > PERFECT * self.products.tss { rest } else { 0.0 });
        true
    }

    /// The least-squares coefficients of the first `size` columns, in the order they were chosen.
    pub fn coef(&self, size: usize) -> Vec<f64> {
        let mut b = vec![0.0; size];
        for i in (0..size).rev() {
            let rest: f64 = (i + 1..size).map(|m| self.factor[i][self.chosen[m]] * b[m]).sum();
            b[i] = (self.along[i] - rest) / self.factor[i][self.chosen[i]];
        }
        b
    }

    /// The intercept that goes with coefficients of the first columns.
    pub fn intercept(&self, coef: &[f64]) -> f64 {
        let line: f64 = coef.iter().zip(&self.chosen).map(|(b, &j)| b * self.products.mean[j]).sum();
        self.products.mean_y - line
    }

    /// Largest product of a chosen column with the residuals, relative to their lengths: 0 at the least-squares solution.
    pub fn residual(&self, coef: &[f64]) -> f64 {
        let columns = &self.chosen[..coef.len()];
        let scale = self.products.tss.sqrt();
        let one = |&j: &usize| {
            let fitted: f64 = columns.iter().zip(coef).map(|(&i, b)| b * self.products.gram[(i, j)]).sum();
            (self.products.cross[j] - fitted).abs() / (self.products.gram[(j, j)].sqrt() * scale)
        };
        columns.iter().map(one).fold(0.0, f64::max)
    }
}
