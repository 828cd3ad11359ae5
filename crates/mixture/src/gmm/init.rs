//! Starting values given by the user.

use ermine_core::{Mat, Result};
use ermine_math::linalg::Cholesky;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{CovarianceType, Covariances, Gmm};

/// The parts of a start, and of a prior, that were given.
pub(super) struct GmmInit {
    pub(super) weights: Option<Vec<f64>>,
    pub(super) means: Option<Mat<f64>>,
    pub(super) covariances: Option<Covariances>,
    pub(super) prior: Option<PriorScatter>,
}

/// The scatter matrix of a prior as it was given.
pub(super) enum PriorScatter {
    Matrix(Mat<f64>),
    Number(f64),
}

impl GmmInit {
    /// Checks shapes and numbers; against the columns of the data once these are known.
    pub(super) fn new(learner: &Gmm, cols: Option<usize>) -> Result<Self> {
        let start = Self {
            weights: weights(learner)?,
            means: means(learner, cols)?,
            covariances: precisions(learner, cols)?,
            prior: prior(learner, cols)?,
        };
        if learner.choose.is_some() && (start.weights.is_some() || start.means.is_some() || start.covariances.is_some()) {
            let expected =
                "a start has its number of components; leave out choose, or weights_init, means_init and precisions_init";
            return Err(learner.refuse("choose", serde_json::json!(learner.choose), expected));
        }
        Ok(start)
    }
}

fn weights(learner: &Gmm) -> Result<Option<Vec<f64>>> {
    let Some(weights) = &learner.weights_init else { return Ok(None) };
    let (k, sum) = (learner.n_components, weights.iter().sum::<f64>());
    let refuse = |expected: String| Err(learner.refuse("weights_init", format!("{weights:?}"), expected));
    if weights.len() != k {
        return refuse(format!("there are {} weights, and n_components is {k}", weights.len()));
    }
    // Weights typed with a few digits are welcome.
    if (sum - 1.0).abs() > 1e-5 {
        return refuse(format!("the weights must sum to 1, and they sum to {sum}"));
    }
    Ok(Some(weights.iter().map(|w| w / sum).collect()))
}

fn means(learner: &Gmm, cols: Option<usize>) -> Result<Option<Mat<f64>>> {
    let Some(rows) = &learner.means_init else { return Ok(None) };
    let refuse = |expected: String| Err(learner.refuse("means_init", format!("{rows:?}"), expected));
    let k = learner.n_components;
    if rows.len() != k {
        return refuse(format!("it has {} means, and n_components is {k}", rows.len()));
    }
    let width = rows[0].len();
    if width == 0 || rows.iter().any(|r| r.len() != width) || rows.iter().flatten().any(|v| !v.is_finite()) {
        return refuse("its means must be finite numbers, the same count in each".into());
    }
    match cols {
        Some(p) if p != width => refuse(format!("its means have {width} numbers, and the data has {p} columns")),
        _ => Ok(Some(Mat::from_vec(k, width, rows.concat()))),
    }
}

/// A list of lists as a matrix.
fn matrix(rows: Vec<Vec<f64>>) -> Option<Mat<f64>> {
    let width = rows.first()?.len();
    rows.iter().all(|r| r.len() == width).then(|| Mat::from_vec(rows.len(), width, rows.concat()))
}

/// The inverse of a symmetric positive definite matrix.
fn inverse(m: &Mat<f64>) -> Option<Mat<f64>> {
    let p = m.cols();
    let symmetric = m.rows() == p
        && (0..p)
            .all(|i| (0..i).all(|j| (m[(i, j)] - m[(j, i)]).abs() <= 1e-8 * (m[(i, i)].abs().sqrt() * m[(j, j)].abs().sqrt())));
    if !symmetric { None } else { Cholesky::new(m.view()).ok().map(|c| c.inverse()) }
}

fn precisions(learner: &Gmm, cols: Option<usize>) -> Result<Option<Covariances>> {
    let value = &learner.precisions_init;
    if value.is_null() {
        return Ok(None);
    }
    let k = learner.n_components;
    let (shape, covariances) = match learner.covariance_type {
        CovarianceType::Full => {
            let all = read::<Vec<Vec<Vec<f64>>>>(value).and_then(|v| v.into_iter().map(matrix).collect::<Option<Vec<_>>>());
            let all = all.and_then(|v| v.iter().map(inverse).collect::<Option<Vec<_>>>()).filter(|v| v.len() == k);
            ("a symmetric positive definite matrix for each component", all.map(Covariances::Full))
        }
        CovarianceType::Tied => {
            let one = read::<Vec<Vec<f64>>>(value).and_then(matrix).as_ref().and_then(inverse);
            ("a symmetric positive definite matrix", one.map(Covariances::Tied))
        }
        CovarianceType::Diag => {
            let all = read::<Vec<Vec<f64>>>(value).and_then(matrix).filter(|m| m.rows() == k && positive(m.as_slice()));
            ("numbers above 0, a list for each component", all.map(|m| Covariances::Diag(inverses(m))))
        }
        CovarianceType::Spherical => {
            let all = read::<Vec<f64>>(value).filter(|v| v.len() == k && positive(v));
            ("a number above 0 for each component", all.map(|v| Covariances::Spherical(v.iter().map(|v| 1.0 / v).collect())))
        }
        CovarianceType::TiedSpherical => {
            ("a number above 0", value.as_f64().filter(|v| positive(&[*v])).map(|v| Covariances::TiedSpherical(1.0 / v)))
        }
    };
    let width = |c: &Covariances| match c {
        Covariances::Full(all) => Some(all[0].cols()),
        Covariances::Tied(one) | Covariances::Diag(one) => Some(one.cols()),
        _ => None,
    };
    let even = |c: &Covariances| match c {
        Covariances::Full(all) => all.iter().all(|m| m.cols() == all[0].cols()),
        _ => true,
    };
    let Some(covariances) = covariances.filter(even) else {
        let expected = format!("with covariance_type {} it must be {shape}", serde_json::json!(learner.covariance_type));
        return Err(learner.refuse("precisions_init", value, expected));
    };
    match (width(&covariances), cols) {
        (Some(w), Some(p)) if w != p => {
            Err(learner.refuse("precisions_init", value, format!("it is for {w} columns, and the data has {p}")))
        }
        _ => Ok(Some(covariances)),
    }
}

fn prior(learner: &Gmm, cols: Option<usize>) -> Result<Option<PriorScatter>> {
    let value = &learner.covariance_prior;
    if let (Some(df), Some(p)) = (learner.degrees_of_freedom_prior, cols)
        && df <= p as f64 - 1.0
    {
        let expected = format!("with {p} columns it must be above {}", p - 1);
        return Err(learner.refuse("degrees_of_freedom_prior", df, expected));
    }
    let expected = "it must be a number above 0 or a symmetric positive definite matrix";
    match value {
        Value::Null => Ok(None),
        Value::Number(n) => match n.as_f64().filter(|v| positive(&[*v])) {
            Some(v) => Ok(Some(PriorScatter::Number(v))),
            None => Err(learner.refuse("covariance_prior", value, expected)),
        },
        _ => match read::<Vec<Vec<f64>>>(value).and_then(matrix).filter(|m| inverse(m).is_some()) {
            Some(m) if cols.is_none_or(|p| p == m.cols()) => Ok(Some(PriorScatter::Matrix(m))),
            Some(m) => {
                let p = cols.unwrap_or_default();
                Err(learner.refuse("covariance_prior", value, format!("it is for {} columns, and the data has {p}", m.cols())))
            }
            None => Err(learner.refuse("covariance_prior", value, expected)),
        },
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    Deserialize::deserialize(value).ok()
}

fn positive(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite() && *v > 0.0)
}

fn inverses(mut m: Mat<f64>) -> Mat<f64> {
    m.as_mut_slice().iter_mut().for_each(|v| *v = 1.0 / *v);
    m
}
