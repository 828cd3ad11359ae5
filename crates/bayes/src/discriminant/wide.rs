//! Linear discriminant analysis of fewer rows than columns: in the space of the rows.
//!
//! With Z the rows about the means of their classes, each column divided by its standard deviation, the covariance is Zᵀ Z / (n - K). Its
//! eigenvectors are Zᵀ u for the eigenvectors u of Z Zᵀ, a table of rows by rows; none of columns by columns is ever made.

use ermine_core::parallel::prelude::*;
use ermine_core::*;
use ermine_math::class_moments::ClassMoments;
use ermine_math::linalg::{eigen_symmetric, matmul, product};

use super::lda::{Lda, center, notes, whitened};
use super::lda_model::LdaModel;
use super::totals::ClassScatter;
use super::whiten::{Whitening, log_volume};
use crate::priors::{expect_classes, priors};
use ermine_core::blocks::column_label;

/// Columns up to which the usual route is as quick, with the bits of a stream.
const NARROW: usize = 256;

/// Rows of the table of products that are made at a time.
const STRIP: usize = 64;

/// Whether data has this shape.
pub(super) fn is_applicable(data: &DatasetRef<'_>) -> bool {
    data.rows() <= data.cols() && data.cols() > NARROW
}

impl Lda {
    pub(super) fn fit_wide(&self, data: &DatasetRef<'_>, cx: &Context<'_>) -> Result<LdaModel> {
        let name = Self::SPEC.name;
        let (codes, classes) = data.y.classes()?;
        expect_classes(name, self.priors.as_deref(), classes.len())?;
        self.components(classes.len(), data.cols())?;
        let step = |done: u64| cx.check(Progress { stage: "products of rows", done, total: Some(3), objective: None });
        step(0)?;
        let mut scratch = Vec::new();
        let x = data.x.f64_rows(&mut scratch, name)?;
        let mut moments = ClassMoments::new(classes.len(), x.cols());
        moments.add(x, codes, data.weight);
        if !moments.is_finite() {
            data.x.refuse_non_finite(data.schema)?;
            return Err(Error::Numeric("the squares of the columns overflow; scale the columns down".into()));
        }
        let scatter = ClassScatter::of_columns(&moments);
        let free = self.divided_by(&scatter)?;
        let sd: Vec<f64> = scatter.diagonal.iter().map(|s| (s / free).sqrt()).map(|s| if s > 0.0 { s } else { 1.0 }).collect();
        let mut z = Mat::zeros(x.rows(), x.cols());
        for i in 0..x.rows() {
            let (k, root, row) = (codes[i] as usize, (data.weight_of(i) / free).sqrt(), z.row_mut(i));
            x.copy_row(i, row);
            let about = moments.mean().row(k).iter().zip(moments.mean_low().row(k)).zip(&sd);
            row.iter_mut().zip(about).for_each(|(v, ((m, l), s))| *v = root * (((*v - m) - l) / s));
        }
        step(1)?;
        let strips: Vec<Mat<f64>> = (0..z.rows().div_ceil(STRIP))
            .into_par_iter()
            .map(|s| {
                let rows = z.view().row_range(s * STRIP..((s + 1) * STRIP).min(z.rows()));
                let mut strip = Mat::zeros(rows.rows(), z.rows());
                matmul(1.0, rows, z.view().t(), 0.0, &mut strip);
                strip
            })
            .collect();
        let mut gram = Mat::zeros(0, z.rows());
        strips.into_iter().for_each(|s| gram.append_rows(s));
        let eigen = eigen_symmetric(gram.view())?;
        step(2)?;
        let cut = (self.tol * self.tol).max(100.0 * z.rows() as f64 * f64::EPSILON * eigen.values[0]);
        let rank = eigen.values.iter().take_while(|v| **v > cut).count();
        // V = Zᵀ U / s are the right singular vectors of Z, and V / s whitens it.
        let scaled = Mat::from_fn(rank, z.rows(), |k, i| eigen.vectors[(k, i)] / eigen.values[k]);
        let by_direction = product(scaled.view(), z.view());
        let matrix = Mat::from_fn(z.cols(), rank, |j, k| by_direction[(k, j)] / sd[j]);
        let reciprocal_condition = if rank > 0 { eigen.values[rank - 1] / eigen.values[0] } else { 1.0 };
        let whitening = Whitening { log_volume: log_volume(&matrix)?, matrix, reciprocal_condition };
        let labels: Vec<String> = (0..x.cols()).map(|j| column_label(data.schema, j)).collect();
        let notes = notes(&labels, &scatter, rank)?;
        let priors = priors(self.priors.as_deref(), &scatter.weight);
        let means = whitened(&scatter.mean, &center(&priors, &scatter.mean), &whitening.matrix);
        let (axes, shares) = self.axes(&means, &priors, scatter.total_weight())?;
        let directions = product(whitening.matrix.view(), axes.view().t());
        self.assemble(classes.to_vec(), &scatter, priors, whitening, Some((directions, shares)), None, notes)
    }
}
