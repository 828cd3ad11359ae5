//! The data in units in which every column has a spread of about 1, so that any units will do.

use ermine_core::{Csr, Dataset, Features, Mat, Result};
use rayon::prelude::*;

use super::NAME;
use super::program::LpRows;
use crate::least_squares::{exponent_of, ldexp};

/// Rows of the data that are read at a time.
const BLOCK: usize = 1024;

/// Rows of weight above 0, by place: column j less `centre[j]` is `x 2^exponent - centre`.
pub struct ScaledData<'a> {
    data: Dataset<'a>,
    /// The rows of weight above 0.
    pub rows: Vec<usize>,
    /// Their weights, the largest being 1.
    pub weight: Vec<f64>,
    pub total: f64,
    pub exponent: Vec<i32>,
    pub centre: Vec<f64>,
    /// Columns that vary (or, without intercept, are not all 0).
    pub varying: Vec<usize>,
    pub y: Vec<f64>,
    pub y_exponent: i32,
    pub y_centre: f64,
}

/// Least and largest value and sum of a column.
#[derive(Clone, Copy)]
struct ColumnExtent {
    least: f64,
    most: f64,
    sum: f64,
}

const NOTHING: ColumnExtent = ColumnExtent { least: f64::INFINITY, most: f64::NEG_INFINITY, sum: 0.0 };

impl ColumnExtent {
    fn add(&mut self, v: f64) {
        self.least = self.least.min(v);
        self.most = self.most.max(v);
        self.sum += v;
    }

    fn merge(&mut self, other: &Self) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.sum += other.sum;
    }

    fn size(&self) -> f64 {
        self.least.abs().max(self.most.abs())
    }
}

impl<'a> ScaledData<'a> {
    pub fn new(data: &Dataset<'a>, fit_intercept: bool) -> Result<Self> {
        let rows: Vec<usize> = (0..data.rows()).filter(|&i| data.weight_of(i) > 0.0).collect();
        let largest = rows.iter().map(|&i| data.weight_of(i)).fold(0.0, f64::max);
        let weight: Vec<f64> = rows.iter().map(|&i| data.weight_of(i) / largest).collect();
        let total = weight.iter().sum();
        let y_raw = data.y.reals()?;
        let y_of = |i: usize| *y_raw.at(i, 0);
        let size = rows.iter().map(|&i| y_of(i).abs()).fold(0.0, f64::max);
        let first = -exponent_of(size);
        let y_mean = match fit_intercept {
            true => rows.iter().map(|&i| ldexp(y_of(i), first)).sum::<f64>() / rows.len() as f64,
            false => 0.0,
        };
        let spread = rows.iter().map(|&i| (ldexp(y_of(i), first) - y_mean).abs()).fold(0.0, f64::max);
        let more = if spread > 4.0 * f64::EPSILON * y_mean.abs() { -exponent_of(spread) } else { 0 };
        let (y_exponent, y_centre) = (first + more, ldexp(y_mean, more));
        let mut out = Self {
            data: *data,
            y: rows.iter().map(|&i| ldexp(y_of(i), y_exponent) - y_centre).collect(),
            rows,
            weight,
            total,
            exponent: vec![0; data.cols()],
            centre: vec![0.0; data.cols()],
            varying: Vec::new(),
            y_exponent,
            y_centre,
        };
        out.measure(fit_intercept)?;
        Ok(out)
    }

    /// Finds exponents and centres, and refuses cells that are not finite.
    fn measure(&mut self, fit_intercept: bool) -> Result<()> {
        let p = self.data.cols();
        let raw = self.extents()?;
        if raw.iter().any(|e| !e.size().is_finite() && e.least <= e.most) || raw.iter().any(|e| e.sum.is_nan()) {
            self.data.x.refuse_non_finite(self.data.schema)?;
        }
        self.exponent = raw.iter().map(|e| if e.least <= e.most { -exponent_of(e.size()) } else { 0 }).collect();
        let sparse = matches!(self.data.x, Features::Csr(_));
        if !fit_intercept || sparse {
            self.varying = (0..p).filter(|&j| raw[j].least <= raw[j].most && raw[j].size() > 0.0).collect();
            return Ok(());
        }
        let scaled = self.extents()?;
        for j in 0..p {
            let mean = (scaled[j].sum / self.rows.len() as f64).clamp(scaled[j].least, scaled[j].most);
            let spread = (scaled[j].most - mean).max(mean - scaled[j].least);
            if spread > 4.0 * f64::EPSILON * scaled[j].size() {
                let more = -exponent_of(spread);
                self.exponent[j] += more;
                self.centre[j] = ldexp(mean, more);
                self.varying.push(j);
            }
        }
        Ok(())
    }

    /// Extents of the columns times 2^exponent, over the rows of weight above 0; of sparse rows, of what is stored.
    fn extents(&self) -> Result<Vec<ColumnExtent>> {
        let p = self.data.cols();
        let parts: Vec<Result<Vec<ColumnExtent>>> = self
            .blocks()
            .into_par_iter()
            .map(|(first, range)| {
                let mut out = vec![NOTHING; p];
                if let Features::Csr(x) = self.data.x {
                    for &i in &self.rows[range] {
                        let (indices, values) = x.row(i);
                        indices.iter().zip(values).for_each(|(&j, &v)| out[j as usize].add(ldexp(v, self.exponent[j as usize])));
                    }
                    return Ok(out);
                }
                let mut scratch = Vec::new();
                let last = self.rows[range.end - 1] + 1;
                let x = self.data.x.row_range(first..last).f64_rows(&mut scratch, NAME)?;
                for j in 0..p {
                    let e = self.exponent[j];
                    for &i in &self.rows[range.clone()] {
                        let v = *x.at(i - first, j);
                        out[j].add(if e == 0 { v } else { ldexp(v, e) });
                    }
                }
                Ok(out)
            })
            .collect();
        let mut all = vec![NOTHING; p];
        for part in parts {
            all.iter_mut().zip(&part?).for_each(|(a, b)| a.merge(b));
        }
        Ok(all)
    }

    /// Runs of places whose rows lie in one block of the data, with the first row of each.
    fn blocks(&self) -> Vec<(usize, std::ops::Range<usize>)> {
        (0..self.rows.len()).step_by(BLOCK).map(|a| (self.rows[a], a..(a + BLOCK).min(self.rows.len()))).collect()
    }

    /// Cell of a row as read, in scaled units.
    #[inline]
    fn cell(&self, v: f64, j: usize) -> f64 {
        let e = self.exponent[j];
        (if e == 0 { v } else { ldexp(v, e) }) - self.centre[j]
    }

    /// The rows at given places (ascending), in the given columns.
    pub fn take(&self, places: &[usize], columns: &[usize]) -> Result<LpRows> {
        if let Features::Csr(x) = self.data.x {
            let mut new = vec![u32::MAX; self.data.cols()];
            columns.iter().enumerate().for_each(|(k, &j)| new[j] = k as u32);
            let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for &place in places {
                let (from, stored) = x.row(self.rows[place]);
                for (&j, &v) in from.iter().zip(stored) {
                    if new[j as usize] != u32::MAX {
                        indices.push(new[j as usize]);
                        values.push(self.cell(v, j as usize));
                    }
                }
                indptr.push(values.len());
            }
            return Ok(LpRows::Sparse(Csr::new(indptr, indices, values, columns.len())?));
        }
        let mut out = Mat::zeros(places.len(), columns.len());
        let mut at = 0;
        let mut scratch = Vec::new();
        while at < places.len() {
            let first = self.rows[places[at]];
            let end = places[at..].partition_point(|&k| self.rows[k] < first + BLOCK) + at;
            let last = self.rows[places[end - 1]] + 1;
            let x = self.data.x.row_range(first..last).f64_rows(&mut scratch, NAME)?;
            for k in at..end {
                let i = self.rows[places[k]] - first;
                let row = out.row_mut(k);
                match x.row(i) {
                    Some(from) => row.iter_mut().zip(columns).for_each(|(o, &j)| *o = self.cell(from[j], j)),
                    None => row.iter_mut().zip(columns).for_each(|(o, &j)| *o = self.cell(*x.at(i, j), j)),
                }
            }
            at = end;
        }
        Ok(LpRows::Dense(out))
    }

    /// Residuals of all rows at `b`, whose last element is the intercept.
    pub fn residuals(&self, columns: &[usize], b: &[f64]) -> Result<Vec<f64>> {
        let p = columns.len();
        // x 2^e - c, times b, is x times b 2^e less c b: no cell is scaled.
        let plain = columns.iter().all(|&j| self.exponent[j].abs() < 200);
        let factor: Vec<f64> = columns.iter().zip(b).map(|(&j, b)| ldexp(*b, self.exponent[j])).collect();
        let middle: f64 = columns.iter().zip(b).map(|(&j, b)| self.centre[j] * b).sum::<f64>() - b[p];
        let mut dense = vec![0.0; self.data.cols()];
        columns.iter().zip(if plain { &factor[..] } else { b }).for_each(|(&j, f)| dense[j] = *f);
        let parts: Vec<Result<Vec<f64>>> = self
            .blocks()
            .into_par_iter()
            .map(|(first, range)| {
                if let Features::Csr(x) = self.data.x {
                    let score = |place: usize| -> f64 {
                        let (indices, values) = x.row(self.rows[place]);
                        let cells = indices.iter().zip(values);
                        match plain {
                            true => cells.map(|(&j, v)| v * dense[j as usize]).sum(),
                            false => cells.map(|(&j, &v)| ldexp(v, self.exponent[j as usize]) * dense[j as usize]).sum(),
                        }
                    };
                    return Ok(range.map(|k| self.y[k] + middle - score(k)).collect());
                }
                let mut scratch = Vec::new();
                let last = self.rows[range.end - 1] + 1;
                let x = self.data.x.row_range(first..last).f64_rows(&mut scratch, NAME)?;
                let mut row = vec![0.0; x.cols()];
                let mut out = Vec::with_capacity(range.len());
                for k in range {
                    let i = self.rows[k] - first;
                    let cells = match x.row(i) {
                        Some(cells) => cells,
                        None => {
                            x.copy_row(i, &mut row);
                            &row
                        }
                    };
                    let score: f64 = match plain {
                        true => dot(cells, &dense),
                        false => (0..cells.len()).map(|j| ldexp(cells[j], self.exponent[j]) * dense[j]).sum(),
                    };
                    out.push(self.y[k] + middle - score);
                }
                Ok(out)
            })
            .collect();
        let mut out = Vec::with_capacity(self.rows.len());
        for part in parts {
            out.extend(part?);
        }
        Ok(out)
    }

    /// Σ f (row, target) in all columns, for each of the vectors f; the last two numbers of each are the sums of f y and of f.
    pub fn products(&self, factors: &[&[f64]]) -> Result<Vec<Vec<f64>>> {
        let p = self.data.cols();
        let parts: Vec<Result<Vec<Vec<f64>>>> = self
            .blocks()
            .into_par_iter()
            .map(|(first, range)| {
                let mut out = vec![vec![0.0; p + 2]; factors.len()];
                let mut scratch = Vec::new();
                let x = match self.data.x {
                    Features::Csr(_) => None,
                    _ => {
                        let last = self.rows[range.end - 1] + 1;
                        Some(self.data.x.row_range(first..last).f64_rows(&mut scratch, NAME)?)
                    }
                };
                for k in range {
                    for (f, out) in factors.iter().zip(&mut out) {
                        let f = f[k];
                        if f == 0.0 {
                            continue;
                        }
                        match (&x, self.data.x) {
                            (None, Features::Csr(x)) => {
                                let (indices, values) = x.row(self.rows[k]);
                                indices.iter().zip(values).for_each(|(&j, &v)| out[j as usize] += f * self.cell(v, j as usize));
                            }
                            (Some(x), _) => {
                                let i = self.rows[k] - first;
                                (0..p).for_each(|j| out[j] += f * self.cell(*x.at(i, j), j));
                            }
                            _ => {}
                        }
                        out[p] += f * self.y[k];
                        out[p + 1] += f;
                    }
                }
                Ok(out)
            })
            .collect();
        let mut all = vec![vec![0.0; p + 2]; factors.len()];
        for part in parts {
            for (a, b) in all.iter_mut().zip(&part?) {
                a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            }
        }
        Ok(all)
    }

    /// A row in scaled units without its centre, and its target, both exact.
    pub fn exact_row(&self, place: usize, columns: &[usize]) -> Result<(Vec<f64>, f64)> {
        let i = self.rows[place];
        let mut scratch = Vec::new();
        let one = self.data.x.row_range(i..i + 1);
        let mut row = vec![0.0; self.data.cols()];
        match one {
            Features::Csr(x) => x.copy_row(0, &mut row),
            _ => one.f64_rows(&mut scratch, NAME)?.copy_row(0, &mut row),
        }
        let y = *self.data.y.reals()?.at(i, 0);
        Ok((columns.iter().map(|&j| ldexp(row[j], self.exponent[j])).collect(), ldexp(y, self.y_exponent)))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (ca, cb) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = ca.remainder().iter().zip(cb.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in ca.zip(cb) {
        for l in 0..8 {
            lanes[l] += a[l] * b[l];
        }
    }
    lanes.iter().sum::<f64>() + rest
}
