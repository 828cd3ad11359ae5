//! Joint laws of rows and classes.

use ermine_core::{Error, Mat, Result, RngStream};

use crate::linalg::Cholesky;

/// A joint law of a row x and its class.
pub trait ClassLaw {
    /// Number of classes.
    fn classes(&self) -> usize;
    /// Numbers in a row.
    fn dim(&self) -> usize;
    /// For each class, its prior times its density (probability for discrete rows) at x.
    fn joint(&self, x: &[f64]) -> Vec<f64>;
    /// A row of a class.
    fn draw_row(&self, class: usize, stream: &mut RngStream) -> Vec<f64>;
    /// The probabilities of the classes.
    fn priors(&self) -> &[f64];

    /// A row and its class.
    fn draw(&self, stream: &mut RngStream) -> (Vec<f64>, usize) {
        let class = stream.weighted(self.priors());
        (self.draw_row(class, stream), class)
    }

    /// The probabilities of the classes given x; none where x has density 0.
    fn posterior(&self, x: &[f64]) -> Option<Vec<f64>> {
        let mut p = self.joint(x);
        let total: f64 = p.iter().sum();
        p.iter_mut().for_each(|v| *v /= total);
        (total > 0.0).then_some(p)
    }

    /// The class of the largest posterior, the first of equal ones: the rule of least risk under 0–1 loss.
    fn bayes_rule(&self, x: &[f64]) -> usize {
        largest(&self.joint(x))
    }

    /// The class of the least expected cost; `cost[(k, c)]` is that of deciding k where c is true.
    fn least_cost(&self, x: &[f64], cost: &Mat<f64>) -> usize {
        let p = self.joint(x);
        let expected: Vec<f64> = (0..cost.rows()).map(|k| -cost.row(k).iter().zip(&p).map(|(c, p)| c * p).sum::<f64>()).collect();
        largest(&expected)
    }
}

/// The place of the largest value, the first of equal ones.
pub(super) fn largest(v: &[f64]) -> usize {
    (1..v.len()).fold(0, |best, k| if v[k] > v[best] { k } else { best })
}

fn check_priors(priors: &[f64]) -> Result<()> {
    let total: f64 = priors.iter().sum();
    if priors.is_empty() || priors.iter().any(|p| p.is_nan() || *p < 0.0) || (total - 1.0).abs() > 1e-9 {
        return Err(Error::Data(format!("priors {priors:?} sum to {total}; they must be from 0 to 1 and sum to 1")));
    }
    Ok(())
}

/// One Gaussian of a class.
#[derive(Debug, Clone)]
struct GaussianPart {
    share: f64,
    mean: Vec<f64>,
    factor: Cholesky,
    log_norm: f64,
}

impl GaussianPart {
    fn density(&self, x: &[f64]) -> f64 {
        let mut d = Mat::from_fn(x.len(), 1, |i, _| x[i] - self.mean[i]);
        self.factor.solve_lower(&mut d);
        (self.log_norm - 0.5 * d.as_slice().iter().map(|v| v * v).sum::<f64>()).exp()
    }
}

/// A Gaussian as a part of a class: share, mean, covariance.
pub type GaussianComponent = (f64, Vec<f64>, Mat<f64>);

/// Each class is a Gaussian, or a mixture of several.
#[derive(Debug, Clone)]
pub struct GaussianClasses {
    priors: Vec<f64>,
    dim: usize,
    parts: Vec<Vec<GaussianPart>>,
}

impl GaussianClasses {
    /// With the priors of the classes and for each class its parts.
    pub fn new(priors: &[f64], classes: Vec<Vec<GaussianComponent>>) -> Result<Self> {
        check_priors(priors)?;
        if classes.len() != priors.len() {
            return Err(Error::Length { what: "classes, one per prior".into(), expected: priors.len(), found: classes.len() });
        }
        let dim = classes[0].first().map_or(0, |p| p.1.len());
        let parts =
            classes.into_iter().map(|c| c.into_iter().map(|p| part(p, dim)).collect()).collect::<Result<Vec<Vec<_>>>>()?;
        for p in &parts {
            check_priors(&p.iter().map(|p| p.share).collect::<Vec<_>>())?;
        }
        Ok(Self { priors: priors.to_vec(), dim, parts })
    }

    /// One Gaussian per class with a covariance that all share.
    pub fn shared(priors: &[f64], means: &[Vec<f64>], covariance: &Mat<f64>) -> Result<Self> {
        Self::new(priors, means.iter().map(|m| vec![(1.0, m.clone(), covariance.clone())]).collect())
    }

    /// One Gaussian per class, of one number.
    pub fn on_line(priors: &[f64], means: &[f64], sds: &[f64]) -> Result<Self> {
        Self::new(priors, means.iter().zip(sds).map(|(&m, s)| vec![(1.0, vec![m], Mat::filled(1, 1, s * s))]).collect())
    }
}

fn part((share, mean, covariance): GaussianComponent, dim: usize) -> Result<GaussianPart> {
    if mean.len() != dim || covariance.rows() != dim || covariance.cols() != dim {
        return Err(Error::Length {
            what: "numbers in a mean and rows of its covariance".into(),
            expected: dim,
            found: mean.len(),
        });
    }
    let factor = Cholesky::new(covariance.view())?;
    let log_norm = -0.5 * (factor.log_determinant() + dim as f64 * (2.0 * std::f64::consts::PI).ln());
    Ok(GaussianPart { share, mean, factor, log_norm })
}

impl ClassLaw for GaussianClasses {
    fn classes(&self) -> usize {
        self.priors.len()
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn joint(&self, x: &[f64]) -> Vec<f64> {
        let class = |parts: &[GaussianPart]| parts.iter().map(|p| p.share * p.density(x)).sum::<f64>();
        self.parts.iter().zip(&self.priors).map(|(parts, prior)| prior * class(parts)).collect()
    }

    fn draw_row(&self, class: usize, stream: &mut RngStream) -> Vec<f64> {
        let parts = &self.parts[class];
        let chosen = if parts.len() == 1 { 0 } else { stream.weighted(&parts.iter().map(|p| p.share).collect::<Vec<_>>()) };
        let part = &parts[chosen];
        let z: Vec<f64> = (0..self.dim).map(|_| stream.normal()).collect();
        let lower = part.factor.factor();
        (0..self.dim).map(|i| part.mean[i] + (0..=i).map(|j| lower[(i, j)] * z[j]).sum::<f64>()).collect()
    }

    fn priors(&self) -> &[f64] {
        &self.priors
    }
}

/// Each class is uniform on a box, its corners `low` and `high`.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxClasses {
    priors: Vec<f64>,
    boxes: Vec<(Vec<f64>, Vec<f64>)>,
}

impl BoxClasses {
    /// With the priors and the boxes of the classes.
    pub fn new(priors: &[f64], boxes: Vec<(Vec<f64>, Vec<f64>)>) -> Result<Self> {
        check_priors(priors)?;
        if boxes.len() != priors.len() {
            return Err(Error::Length { what: "boxes, one per class".into(), expected: priors.len(), found: boxes.len() });
        }
        let dim = boxes[0].0.len();
        let sound = |(low, high): &(Vec<f64>, Vec<f64>)| {
            low.len() == dim && high.len() == dim && low.iter().zip(high).all(|(l, h)| l < h)
        };
        match boxes.iter().position(|b| !sound(b)) {
            Some(k) => Err(Error::Data(format!("box {k} needs {dim} numbers for each corner, low below high"))),
            None => Ok(Self { priors: priors.to_vec(), boxes }),
        }
    }

    /// The Bayes risk, exactly: the boxes cut space into cells on which all densities are constant.
    pub fn bayes_risk(&self) -> f64 {
        let dim = self.dim();
        let mut cuts: Vec<Vec<f64>> = Vec::new();
        for j in 0..dim {
            let mut c: Vec<f64> = self.boxes.iter().flat_map(|(l, h)| [l[j], h[j]]).collect();
            c.sort_by(f64::total_cmp);
            c.dedup();
            cuts.push(c);
        }
        let (mut index, mut kept) = (vec![0; dim], 0.0);
        loop {
            let middle: Vec<f64> = (0..dim).map(|j| 0.5 * (cuts[j][index[j]] + cuts[j][index[j] + 1])).collect();
            let volume: f64 = (0..dim).map(|j| cuts[j][index[j] + 1] - cuts[j][index[j]]).product();
            kept += volume * self.joint(&middle).into_iter().fold(0.0, f64::max);
            let Some(j) = (0..dim).find(|&j| index[j] + 2 < cuts[j].len()) else { return 1.0 - kept };
            index[j] += 1;
            index[..j].fill(0);
        }
    }
}

impl ClassLaw for BoxClasses {
    fn classes(&self) -> usize {
        self.priors.len()
    }

    fn dim(&self) -> usize {
        self.boxes[0].0.len()
    }

    fn joint(&self, x: &[f64]) -> Vec<f64> {
        let density = |(low, high): &(Vec<f64>, Vec<f64>)| {
            let inside = x.iter().zip(low.iter().zip(high)).all(|(x, (l, h))| (l..h).contains(&x));
            if inside { low.iter().zip(high).map(|(l, h)| 1.0 / (h - l)).product() } else { 0.0 }
        };
        self.boxes.iter().zip(&self.priors).map(|(b, p)| p * density(b)).collect()
    }

    fn draw_row(&self, class: usize, stream: &mut RngStream) -> Vec<f64> {
        let (low, high) = &self.boxes[class];
        low.iter().zip(high).map(|(l, h)| l + (h - l) * stream.uniform()).collect()
    }

    fn priors(&self) -> &[f64] {
        &self.priors
    }
}

/// A table of probabilities: one row per value 0, 1, 2, … of x, one column per class.
#[derive(Debug, Clone, PartialEq)]
pub struct TableLaw {
    table: Mat<f64>,
    priors: Vec<f64>,
}

impl TableLaw {
    /// From the joint probabilities.
    pub fn new(table: Mat<f64>) -> Result<Self> {
        check_priors(table.as_slice())?;
        let priors = (0..table.cols()).map(|c| table.view().col_iter(c).sum()).collect();
        Ok(Self { table, priors })
    }

    /// The joint probabilities.
    pub fn table(&self) -> &Mat<f64> {
        &self.table
    }

    /// The Bayes risk, exactly: 1 − Σ max p.
    pub fn bayes_risk(&self) -> f64 {
        1.0 - (0..self.table.rows()).map(|i| self.table.row(i).iter().copied().fold(0.0, f64::max)).sum::<f64>()
    }

    /// The risk of a rule, exactly: `rule[i]` is the class for value i.
    ///
    /// # Panics
    /// When the rule has another length.
    pub fn risk(&self, rule: &[usize]) -> f64 {
        assert_eq!(rule.len(), self.table.rows(), "a class per value");
        1.0 - rule.iter().enumerate().map(|(i, &c)| self.table[(i, c)]).sum::<f64>()
    }
}

impl ClassLaw for TableLaw {
    fn classes(&self) -> usize {
        self.table.cols()
    }

    fn dim(&self) -> usize {
        1
    }

    fn joint(&self, x: &[f64]) -> Vec<f64> {
        let known = x[0] >= 0.0 && x[0].fract() == 0.0 && (x[0] as usize) < self.table.rows();
        if known { self.table.row(x[0] as usize).to_vec() } else { vec![0.0; self.classes()] }
    }

    fn draw_row(&self, class: usize, stream: &mut RngStream) -> Vec<f64> {
        vec![stream.weighted(&self.table.view().col_iter(class).collect::<Vec<_>>()) as f64]
    }

    fn priors(&self) -> &[f64] {
        &self.priors
    }
}
