//! The fitted linear machine.

use ermine_core::{
    Certificate, Classifier, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result, Schema,
};

use super::super::coefficients::Coefficients;
use ermine_math::platt::Sigmoid;

/// A fitted linear support vector machine.
///
/// Saved arrays: `coef` (vectors, columns), `intercept` (vectors), and for classes `prob_a` and `prob_b` (vectors).
#[derive(Debug, Clone)]
pub struct LinearSvmModel {
    line: Coefficients,
    /// Names of the classes, codes of those that take part, a sigmoid a vector.
    classes: Option<(Vec<String>, Vec<u32>, Vec<Sigmoid>)>,
    n_iter: u64,
    certificate: Option<Certificate>,
}

impl LinearSvmModel {
    pub(super) fn of_classes(
        line: Coefficients,
        names: Vec<String>,
        present: Vec<u32>,
        sigmoids: Vec<Sigmoid>,
        n_iter: Option<u64>,
        certificate: Option<Certificate>,
    ) -> Self {
        Self { line, classes: Some((names, present, sigmoids)), n_iter: n_iter.unwrap_or(0), certificate }
    }

    pub(super) fn of_numbers(line: Coefficients, n_iter: Option<u64>, certificate: Option<Certificate>) -> Self {
        Self { line, classes: None, n_iter: n_iter.unwrap_or(0), certificate }
    }

    /// The weights: one row for numbers and for two classes, else one per class.
    pub fn coef(&self) -> &Mat<f64> {
        &self.line.coef
    }

    /// The constant terms, one per row of [`LinearSvmModel::coef`].
    pub fn intercept(&self) -> &[f64] {
        &self.line.intercept
    }

    fn scores(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.predict(x, "linear-svm")
    }
}

ermine_core::display_as_report!(LinearSvmModel);

impl Model for LinearSvmModel {
    crate::coefficients::model_methods!(line);

    fn as_regressor(&self) -> Option<&dyn Regressor> {
        self.classes.is_none().then_some(self as &dyn Regressor)
    }

    fn as_classifier(&self) -> Option<&dyn Classifier> {
        self.classes.is_some().then_some(self as &dyn Classifier)
    }

    fn report(&self, schema: &Schema) -> Report {
        let mut report = Report::default();
        let vectors = self.line.coef.rows();
        let titles: Vec<String> = (0..vectors)
            .map(|k| match &self.classes {
                None => "coefficient".to_owned(),
                Some((names, present, _)) if vectors == 1 => format!("score of {}", names[present[1] as usize]),
                Some((names, present, _)) => names[present[k] as usize].clone(),
            })
            .collect();
        self.line.report(&mut report, "Coefficients", &titles, schema);
        report
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        out.field("n_iter", &self.n_iter)?;
        match &self.classes {
            None => out.field("classes", &None::<Vec<String>>),
            Some((names, present, sigmoids)) => {
                out.vec("prob_a", &sigmoids.iter().map(|s| s.a).collect::<Vec<_>>());
                out.vec("prob_b", &sigmoids.iter().map(|s| s.b).collect::<Vec<_>>());
                out.field("classes", &Some(names))?;
                out.field("present", present)
            }
        }
    }
}

/// Reads a model and checks everything that prediction relies on.
pub(crate) fn load(input: &ModelReader) -> Result<LinearSvmModel> {
    let bad = |message: String| Err(Error::Model(message));
    let line = Coefficients::load(input)?;
    let vectors = line.coef.rows();
    let names: Option<Vec<String>> = input.field("classes")?;
    let classes = match names {
        None if vectors == 1 => None,
        None => return bad(format!("{vectors} vectors of weights for numbers")),
        Some(names) => {
            let present: Vec<u32> = input.field("present")?;
            let k = present.len();
            if k < 2 || !present.windows(2).all(|w| w[0] < w[1]) || present[k - 1] as usize >= names.len() {
                return bad(format!("codes {present:?} of {} classes", names.len()));
            }
            if vectors != if k == 2 { 1 } else { k } {
                return bad(format!("{vectors} vectors of weights for {k} classes"));
            }
            let (a, b): (Vec<f64>, Vec<f64>) = (input.vec_of("prob_a", vectors)?, input.vec_of("prob_b", vectors)?);
            if !a.iter().chain(&b).all(|v| v.is_finite()) {
                return bad("a sigmoid that is not finite".into());
            }
            Some((names, present, a.into_iter().zip(b).map(|(a, b)| Sigmoid { a, b }).collect()))
        }
    };
    Ok(LinearSvmModel { line, classes, n_iter: input.field("n_iter")?, certificate: None })
}

impl Regressor for LinearSvmModel {
    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.scores(x)
    }
}

impl Classifier for LinearSvmModel {
    fn classes(&self) -> &[String] {
        self.classes.as_ref().map_or(&[], |c| &c.0)
    }

    fn proba(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        let scores = self.scores(x)?;
        let Some((names, present, sigmoids)) = &self.classes else { return Ok(Mat::zeros(x.rows(), 0)) };
        let mut out = Mat::zeros(x.rows(), names.len());
        for i in 0..x.rows() {
            let mut p: Vec<f64> = sigmoids.iter().enumerate().map(|(k, s)| s.probability(scores[(i, k)])).collect();
            if p.len() == 1 {
                p.insert(0, 1.0 - p[0]);
            }
            let total: f64 = p.iter().sum();
            let even = 1.0 / p.len() as f64;
            p.iter_mut().for_each(|v| *v = if total > 0.0 { *v / total } else { even });
            let row = out.row_mut(i);
            present.iter().zip(p).for_each(|(&c, p)| row[c as usize] = p);
        }
        Ok(out)
    }

    fn decision(&self, x: &Features<'_>) -> Result<Option<Mat<f64>>> {
        let scores = self.scores(x)?;
        let Some((names, present, _)) = &self.classes else { return Ok(None) };
        if names.len() == 2 || scores.cols() == names.len() {
            return Ok(Some(scores));
        }
        let mut out = Mat::filled(x.rows(), names.len(), f64::NEG_INFINITY);
        for i in 0..x.rows() {
            let z = scores.row(i).to_vec();
            let z = if z.len() == 1 { vec![-z[0], z[0]] } else { z };
            let row = out.row_mut(i);
            present.iter().zip(z).for_each(|(&c, z)| row[c as usize] = z);
        }
        Ok(Some(out))
    }

    fn classify(&self, x: &Features<'_>) -> Result<Vec<u32>> {
        let scores = self.scores(x)?;
        let Some((_, present, _)) = &self.classes else { return Ok(Vec::new()) };
        let place = |i: usize| match scores.row(i) {
            [z] => usize::from(*z > 0.0),
            z => (1..z.len()).fold(0, |best, k| if z[k] > z[best] { k } else { best }),
        };
        Ok((0..x.rows()).map(|i| present[place(i)]).collect())
    }
}
