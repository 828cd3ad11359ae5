//! Distances of rows from each other, pairwise or one row against many.

use ermine_core::Mat;

use super::exact::{self, Metric};

/// Rows prepared for pairwise distances.
#[derive(Debug)]
pub struct PairDistances {
    /// Scaled by a power of two against overflow and underflow; of unit length for cosine distances.
    rows: Mat<f64>,
    metric: Metric,
    scale: f64,
    /// Rows of zeros, which have no direction.
    zero: Vec<bool>,
}

impl PairDistances {
    /// Of rows of finite numbers.
    pub fn new(mut rows: Mat<f64>, metric: Metric) -> Self {
        let most = rows.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let scale = exact::scale_of(most);
        let mut zero = Vec::new();
        for i in 0..rows.rows() {
            let factor = match metric {
                Metric::Cosine => {
                    let inverse = exact::inverse_norm(rows.row(i), scale);
                    zero.push(inverse == 0.0);
                    scale * inverse
                }
                _ => scale,
            };
            if factor != 1.0 {
                rows.row_mut(i).iter_mut().for_each(|v| *v *= factor);
            }
        }
        Self { rows, metric, scale, zero }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.rows()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.rows() == 0
    }

    /// The first row of zeros, where the metric is not defined for it.
    pub fn first_zero_row(&self) -> Option<usize> {
        self.zero.iter().position(|z| *z)
    }

    /// The distance of two rows; symmetric.
    #[inline]
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        if self.metric == Metric::Cosine {
            return match i == j {
                true => 0.0,
                false if self.zero[i] || self.zero[j] => 1.0,
                // Half the squared distance of unit rows is 1 - cos, without the digits that a difference loses.
                false => 0.5 * exact::distance_key(self.metric, self.rows.row(i), self.rows.row(j), 1.0, f64::INFINITY),
            };
        }
        let key = exact::distance_key(self.metric, self.rows.row(i), self.rows.row(j), 1.0, f64::INFINITY);
        self.metric.distance(key, self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ermine_core::RngStream;

    #[test]
    fn distances_follow_the_definition_on_any_scale() {
        let mut rng = RngStream::new(2, "test", 0);
        for factor in [1.0, 1e200, 1e-200] {
            let x = Mat::from_fn(7, 11, |_, _| rng.normal() * factor);
            let of = |metric: Metric, want: &dyn Fn(&[f64], &[f64]) -> f64| {
                let pairs = PairDistances::new(x.clone(), metric);
                for i in 0..7 {
                    for j in 0..7 {
                        let (a, b): (Vec<f64>, Vec<f64>) =
                            (x.row(i).iter().map(|v| v / factor).collect(), x.row(j).iter().map(|v| v / factor).collect());
                        let unit = if metric == Metric::Cosine { 1.0 } else { factor };
                        let (got, want) = (pairs.distance(i, j) / unit, want(&a, &b));
                        assert!((got - want).abs() <= 1e-13 * (1.0 + want), "{metric:?}: {got} for {want}");
                        assert_eq!(pairs.distance(i, j), pairs.distance(j, i));
                    }
                }
            };
            let differences = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect() };
            of(Metric::Euclidean, &|a, b| differences(a, b).iter().map(|d| d * d).sum::<f64>().sqrt());
            of(Metric::Manhattan, &|a, b| differences(a, b).iter().sum());
            of(Metric::Chebyshev, &|a, b| differences(a, b).into_iter().fold(0.0, f64::max));
            of(Metric::Minkowski(3.0), &|a, b| differences(a, b).iter().map(|d| d.powi(3)).sum::<f64>().cbrt());
            of(Metric::Cosine, &|a, b| {
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                1.0 - dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
            });
        }
        let pairs = PairDistances::new(Mat::from_vec(2, 1, vec![0.0, 1.0]), Metric::Cosine);
        assert_eq!((pairs.distance(0, 1), pairs.first_zero_row()), (1.0, Some(0)));
    }
}
