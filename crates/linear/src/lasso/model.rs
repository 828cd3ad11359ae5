//! The result of a fit.

use ermine_core::{
    Cell, Certificate, ColumnMeaning, Curve, Error, Features, Mat, Model, ModelReader, ModelWriter, Regressor, Report, Result,
    RowFunction, Schema, Section, Trace,
};

use super::cv::Validation;
use super::path::LassoPath;
use crate::coefficients::Coefficients;
use crate::line_model::fit_table;

/// A fitted lasso or elastic net.
///
/// Saved arrays: `coef` (targets, columns), `intercept`, `alpha`, `dual_gap`, `n_iter` (targets); for a path, under `path0`, `path1`, …
/// its `alphas`, `intercepts`, `gaps`, `iterations` and the coefficients that are not 0 (`starts` of the steps, `columns`,
/// `values`); for a penalty chosen by cross-validation, under `validation0`, … `alphas`, `mean`, `std_err`.
#[derive(Debug, Clone, PartialEq)]
pub struct LassoModel {
    pub(super) learner: &'static str,
    pub(super) line: Coefficients,
    pub(super) alpha: Vec<f64>,
    pub(super) l1_ratio: f64,
    pub(super) dual_gap: Vec<f64>,
    pub(super) n_iter: Vec<u64>,
    pub(super) paths: Vec<LassoPath>,
    pub(super) validations: Vec<Validation>,
    pub(super) certificate: Option<Certificate>,
    pub(super) trace: Option<Trace>,
}

/// Curves of a plot at most.
const CURVES: usize = 12;
/// Columns up to which a table of coefficients shows zeros too.
const FEW: usize = 50;

impl LassoModel {
    /// The coefficients, one row per target.
    pub fn coef(&self) -> &Mat<f64> {
        &self.line.coef
    }

    /// The intercepts, one per target.
    pub fn intercept(&self) -> &[f64] {
        &self.line.intercept
    }

    /// The strength of the penalty, one per target.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// Upper bounds on objective minus optimum, one per target.
    pub fn dual_gap(&self) -> &[f64] {
        &self.dual_gap
    }

    /// The path of each target, when a path was requested or followed to choose the penalty.
    pub fn paths(&self) -> &[LassoPath] {
        &self.paths
    }

    /// The errors of cross-validation for each target, when they chose the penalty.
    pub fn validations(&self) -> &[Validation] {
        &self.validations
    }

    pub(crate) fn load(input: &ModelReader, learner: &'static str) -> Result<Self> {
        let line = Coefficients::load(input)?;
        let (targets, cols) = (line.coef.rows(), line.coef.cols());
        let counts: [usize; 2] = input.field("parts")?;
        if counts.iter().any(|&c| c != 0 && c != targets) {
            return Err(Error::Model(format!("{counts:?} paths and validations for {targets} targets")));
        }
        let read = |name: &str| input.child(name);
        let alpha: Vec<f64> = input.vec_of("alpha", targets)?;
        let l1_ratio: f64 = input.field("l1_ratio")?;
        if alpha.iter().any(|a| !(a.is_finite() && *a >= 0.0)) || !(0.0..=1.0).contains(&l1_ratio) {
            return Err(Error::Model(format!("penalties {alpha:?} with ratio {l1_ratio}")));
        }
        Ok(Self {
            learner,
            line,
            alpha,
            l1_ratio,
            dual_gap: input.vec_of("dual_gap", targets)?,
            n_iter: input.vec_of("n_iter", targets)?,
            paths: (0..counts[0]).map(|k| LassoPath::load(&read(&format!("path{k}")), cols)).collect::<Result<_>>()?,
            validations: (0..counts[1]).map(|k| Validation::load(&read(&format!("validation{k}")))).collect::<Result<_>>()?,
            certificate: None,
            trace: None,
        })
    }

    fn coefficients(&self, out: &mut Report, title: String, k: usize, name: &dyn Fn(usize) -> String) {
        let coef = self.line.coef.row(k);
        let mut rows: Vec<Vec<Cell>> = vec![vec!["(intercept)".into(), self.line.intercept[k].into()]];
        let shown = |b: f64| coef.len() <= FEW || b != 0.0;
        rows.extend(coef.iter().enumerate().filter(|(_, b)| shown(**b)).map(|(j, &b)| vec![name(j).into(), b.into()]));
        out.coefficients(title, &[("coefficient", ColumnMeaning::Coefficient)], rows);
        let active = coef.iter().filter(|b| **b != 0.0).count();
        if coef.len() > FEW {
            out.text(format!("{} of {} coefficients are 0 and not shown.", coef.len() - active, coef.len()));
        }
    }

    fn path(out: &mut Report, path: &LassoPath, title: &dyn Fn(&str) -> String, name: &dyn Fn(usize) -> String) {
        let changes = path.changes();
        let rows = changes.iter().map(|c| {
            let what = if c.enters { "enters" } else { "leaves" };
            let size: Cell = if c.enters { c.coef.into() } else { Cell::Empty };
            vec![(c.step as f64).into(), path.alphas[c.step].into(), name(c.column).into(), what.into(), size]
        });
        out.table(title("Path"), &["step", "alpha", "column", "change", "coefficient"], rows.collect());
        // The columns that are largest anywhere on the path.
        let mut largest: Vec<(f64, usize)> = Vec::new();
        let mut size = std::collections::BTreeMap::new();
        for step in 0..path.len() {
            let (columns, values) = path.active(step);
            for (&j, v) in columns.iter().zip(values) {
                let most = size.entry(j as usize).or_insert(0.0f64);
                *most = most.max(v.abs());
            }
        }
        largest.extend(size.into_iter().map(|(j, s)| (s, j)));
        largest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        largest.truncate(CURVES);
        if largest.is_empty() {
            return;
        }
        let point = |step: usize, j: usize| {
            let (columns, values) = path.active(step);
            columns.binary_search(&(j as u32)).map_or(0.0, |at| values[at])
        };
        let steps: Vec<usize> = (0..path.len()).filter(|&s| path.alphas[s] > 0.0).collect();
        // Against the sign of the penalty: all begin at 0, and end apart, where their names stand. A curve begins with the last step
        // before its column enters: lines along 0 would lie on each other.
        let curves = largest.iter().map(|&(_, j)| {
            let before = steps.iter().position(|&s| point(s, j) != 0.0).unwrap_or(0).saturating_sub(1);
            Curve { name: name(j), points: steps[before..].iter().map(|&s| (-path.alphas[s].log10(), point(s, j))).collect() }
        });
        out.sections.push(Section::Plot {
            title: title("Coefficients along the path"),
            x: "−log10(alpha)".into(),
            y: "coefficient".into(),
            curves: curves.collect(),
        });
    }

    fn validation(out: &mut Report, v: &Validation, title: &dyn Fn(&str) -> String) {
        let line = |what: &str, k: usize| vec![what.into(), v.alphas[k].into(), v.mean[k].into(), v.std_err[k].into()];
        out.table(
            title("Cross-validation"),
            &["choice", "alpha", "mean squared error", "standard error"],
            vec![line("least error", v.best), line("one standard error", v.one_std_err)],
        );
        let curve = |name: &str, sign: f64| Curve {
            name: name.into(),
            points: (0..v.alphas.len())
                .filter(|&k| v.alphas[k] > 0.0)
                .map(|k| (-v.alphas[k].log10(), v.mean[k] + sign * v.std_err[k]))
                .collect(),
        };
        out.sections.push(Section::Plot {
            title: title("Error of cross-validation"),
            x: "−log10(alpha)".into(),
            y: "mean squared error".into(),
            curves: vec![curve("mean", 0.0), curve("mean + standard error", 1.0), curve("mean − standard error", -1.0)],
        });
    }
}

ermine_core::display_as_report!(LassoModel);

impl Model for LassoModel {
    crate::coefficients::model_methods!(line, regressor, trace);

    fn report(&self, schema: &Schema) -> Report {
        let mut out = Report::default();
        let name = |j: usize| schema.name(j);
        let targets = self.line.coef.rows();
        for k in 0..targets {
            let title = |what: &str| if targets == 1 { what.to_owned() } else { format!("{what}, target {k}") };
            self.coefficients(&mut out, title("Coefficients"), k, &name);
            let active = self.line.coef.row(k).iter().filter(|b| **b != 0.0).count();
            let fit = [
                ("alpha", self.alpha[k]),
                ("l1_ratio", self.l1_ratio),
                ("coefficients not 0", active as f64),
                ("duality gap", self.dual_gap[k]),
                ("rounds", self.n_iter[k] as f64),
            ];
            fit_table(&mut out, title("Fit"), &fit);
            if let Some(v) = self.validations.get(k) {
                Self::validation(&mut out, v, &title);
            }
            if let Some(path) = self.paths.get(k) {
                Self::path(&mut out, path, &title, &name);
            }
        }
        out
    }

    fn save(&self, out: &mut ModelWriter) -> Result<()> {
        self.line.save(out);
        out.vec("alpha", &self.alpha);
        out.vec("dual_gap", &self.dual_gap);
        out.vec("n_iter", &self.n_iter);
        out.field("l1_ratio", &self.l1_ratio)?;
        out.field("parts", &[self.paths.len(), self.validations.len()])?;
        for (k, path) in self.paths.iter().enumerate() {
            out.child(&format!("path{k}"), |out| {
                path.save(out);
                Ok(())
            })?;
        }
        for (k, v) in self.validations.iter().enumerate() {
            out.child(&format!("validation{k}"), |out| v.save(out))?;
        }
        Ok(())
    }
}

impl Regressor for LassoModel {
    fn n_targets(&self) -> usize {
        self.line.coef.rows()
    }

    fn predict(&self, x: &Features<'_>) -> Result<Mat<f64>> {
        self.line.predict(x, self.learner)
    }

    fn by_row(&self, schema: &Schema) -> Option<Box<dyn RowFunction>> {
        self.line.by_row(schema, self.learner)
    }
}
