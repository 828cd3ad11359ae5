//! The data in units in which every column has a spread of about 1, so that any units will do.

use std::ops::Range;

use ermine_core::parallel::prelude::*;
use ermine_core::{Csr, DatasetRef, Features, Mat, Result};

use super::NAME;
use super::program::LpRows;
use ermine_math::scale::{exponent_of, ldexp};

/// Rows of the data that are read at a time.
const BLOCK: usize = 1024;

/// Rows of weight above 0, by place: column j less `center[j]` is `x 2^exponent - center`.
pub struct ScaledData<'a> {
    data: DatasetRef<'a>,
    /// The rows of weight above 0.
    pub rows: Vec<usize>,
    /// Their weights, the largest being 1.
    pub weight: Vec<f64>,
    pub total: f64,
    pub exponent: Vec<i32>,
    pub center: Vec<f64>,
    /// Columns that vary (or, without intercept, are not all 0).
    pub varying: Vec<usize>,
    pub y: Vec<f64>,
    pub y_exponent: i32,
    pub y_center: f64,
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
    pub fn new(data: &DatasetRef<'a>, fit_intercept: bool) -> Result<Self> {
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
        let (y_exponent, y_center) = (first + more, ldexp(y_mean, more));
        let mut out = Self {
            data: *data,
            y: rows.iter().map(|&i| ldexp(y_of(i), y_exponent) - y_center).collect(),
            rows,
            weight,
            total,
            exponent: vec![0; data.cols()],
            center: vec![0.0; data.cols()],
            varying: Vec::new(),
            y_exponent,
            y_center,
        };
        out.measure(fit_intercept)?;
        Ok(out)
    }

    /// Finds exponents and centers, and refuses cells that are not finite.
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
                self.center[j] = ldexp(mean, more);
                self.varying.push(j);
            }
        }
        Ok(())
    }

    /// Extents of the columns times 2^exponent, over the rows of weight above 0; of sparse rows, of what is stored.
    fn extents(&self) -> Result<Vec<ColumnExtent>> {
        let parts = self.of_blocks(|range| {
            let mut out = vec![NOTHING; self.data.cols()];
            self.visit(range, |_, cells| cells.for_each(|j, v| out[j].add(self.scaled(v, j))))?;
            Ok(out)
        })?;
        let mut all = vec![NOTHING; self.data.cols()];
        parts.iter().for_each(|part| all.iter_mut().zip(part).for_each(|(a, b)| a.merge(b)));
        Ok(all)
    }

    /// Applies `of` to the places of each block of rows; results in order.
    fn of_blocks<T: Send>(&self, of: impl Fn(Range<usize>) -> Result<T> + Sync) -> Result<Vec<T>> {
        let count = self.rows.len();
        let starts: Vec<usize> = (0..count).step_by(BLOCK).collect();
        let parts: Vec<Result<T>> = starts.into_par_iter().map(|start| of(start..(start + BLOCK).min(count))).collect();
        parts.into_iter().collect()
    }

    /// Visits the rows at some places, which ascend and lie in one block of the data.
    fn visit(&self, places: impl IntoIterator<Item = usize>, mut each: impl FnMut(usize, Cells<'_>)) -> Result<()> {
        let places: Vec<usize> = places.into_iter().collect();
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return Ok(()) };
        if let Features::Csr(x) = self.data.x {
            places.into_iter().for_each(|place| each(place, Cells::Sparse(x.row(self.rows[place]))));
            return Ok(());
        }
        let (first, last) = (self.rows[first], self.rows[last] + 1);
        let mut scratch = Vec::new();
        let x = self.data.x.row_range(first..last).f64_rows(&mut scratch, NAME)?;
        let mut copied = vec![0.0; x.cols()];
        for place in places {
            let i = self.rows[place] - first;
            match x.row(i) {
                Some(cells) => each(place, Cells::Dense(cells)),
                None => {
                    x.copy_row(i, &mut copied);
                    each(place, Cells::Dense(&copied));
                }
            }
        }
        Ok(())
    }

    /// A cell as read, times 2^exponent.
    #[inline]
    fn scaled(&self, v: f64, j: usize) -> f64 {
        let e = self.exponent[j];
        if e == 0 { v } else { ldexp(v, e) }
    }

    /// A cell as read, in scaled units.
    #[inline]
    fn cell(&self, v: f64, j: usize) -> f64 {
        self.scaled(v, j) - self.center[j]
    }

    /// The rows at given places (ascending), in the given columns.
    pub fn take(&self, places: &[usize], columns: &[usize]) -> Result<LpRows> {
        let mut new = vec![u32::MAX; self.data.cols()];
        columns.iter().enumerate().for_each(|(k, &j)| new[j] = k as u32);
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut dense = Vec::new();
        // Rows of one block of the data at a time.
        let mut rest = places;
        while let Some(&first) = rest.first() {
            let (block, later) = rest.split_at(rest.partition_point(|&k| self.rows[k] < self.rows[first] + BLOCK));
            rest = later;
            self.visit(block.iter().copied(), |_, cells| match cells {
                Cells::Sparse((from, stored)) => {
                    for (&j, &v) in from.iter().zip(stored).filter(|(j, _)| new[**j as usize] != u32::MAX) {
                        indices.push(new[j as usize]);
                        values.push(self.cell(v, j as usize));
                    }
                    indptr.push(values.len());
                }
                Cells::Dense(from) => dense.extend(columns.iter().map(|&j| self.cell(from[j], j))),
            })?;
        }
        Ok(match self.data.x {
            Features::Csr(_) => LpRows::Sparse(Csr::new(indptr, indices, values, columns.len())?),
            _ => LpRows::Dense(Mat::from_vec(places.len(), columns.len(), dense)),
        })
    }

    /// Residuals of all rows at `b`, whose last element is the intercept.
    pub fn residuals(&self, columns: &[usize], b: &[f64]) -> Result<Vec<f64>> {
        let p = columns.len();
        // x 2^e - c, times b, is x times b 2^e less c b: no cell is scaled.
        let plain = columns.iter().all(|&j| self.exponent[j].abs() < 200);
        let factor: Vec<f64> = columns.iter().zip(b).map(|(&j, b)| ldexp(*b, self.exponent[j])).collect();
        let middle: f64 = columns.iter().zip(b).map(|(&j, b)| self.center[j] * b).sum::<f64>() - b[p];
        let mut dense = vec![0.0; self.data.cols()];
        columns.iter().zip(if plain { &factor[..] } else { b }).for_each(|(&j, f)| dense[j] = *f);
        let score = |cells: Cells<'_>| -> f64 {
            match (cells, plain) {
                (Cells::Sparse((indices, values)), true) => indices.iter().zip(values).map(|(&j, v)| v * dense[j as usize]).sum(),
                (Cells::Sparse((indices, values)), false) => {
                    let scaled = |(&j, &v): (&u32, &f64)| ldexp(v, self.exponent[j as usize]) * dense[j as usize];
                    indices.iter().zip(values).map(scaled).sum()
                }
                (Cells::Dense(cells), true) => dot(cells, &dense),
                (Cells::Dense(cells), false) => (0..cells.len()).map(|j| ldexp(cells[j], self.exponent[j]) * dense[j]).sum(),
            }
        };
        let parts = self.of_blocks(|range| {
            let mut out = Vec::with_capacity(range.len());
            self.visit(range, |place, cells| out.push(self.y[place] + middle - score(cells)))?;
            Ok(out)
        })?;
        Ok(parts.concat())
    }

    /// Σ f (row, target) in all columns, for each of the vectors f; the last two numbers of each are the sums of f y and of f.
    pub fn products(&self, factors: &[&[f64]]) -> Result<Vec<Vec<f64>>> {
        let p = self.data.cols();
        let parts = self.of_blocks(|range| {
            let mut out = vec![vec![0.0; p + 2]; factors.len()];
            self.visit(range, |place, cells| {
                for (f, out) in factors.iter().map(|f| f[place]).zip(&mut out).filter(|(f, _)| *f != 0.0) {
                    cells.for_each(|j, v| out[j] += f * self.cell(v, j));
                    out[p] += f * self.y[place];
                    out[p + 1] += f;
                }
            })?;
            Ok(out)
        })?;
        let mut all = vec![vec![0.0; p + 2]; factors.len()];
        for (k, sums) in parts.iter().flat_map(|part| part.iter().enumerate()) {
            all[k].iter_mut().zip(sums).for_each(|(a, b)| *a += b);
        }
        Ok(all)
    }

    /// A row in scaled units without its center, and its target, both exact.
    pub fn exact_row(&self, place: usize, columns: &[usize]) -> Result<(Vec<f64>, f64)> {
        let mut row = vec![0.0; self.data.cols()];
        // Values of a column that is stored twice add up.
        self.visit([place], |_, cells| cells.for_each(|j, v| row[j] += v))?;
        let y = *self.data.y.reals()?.at(self.rows[place], 0);
        Ok((columns.iter().map(|&j| ldexp(row[j], self.exponent[j])).collect(), ldexp(y, self.y_exponent)))
    }
}

/// The cells of a row as they are stored: columns and values of a sparse row, or all values.
#[derive(Clone, Copy)]
enum Cells<'a> {
    Sparse((&'a [u32], &'a [f64])),
    Dense(&'a [f64]),
}

impl Cells<'_> {
    #[inline]
    fn for_each(&self, mut each: impl FnMut(usize, f64)) {
        match self {
            Self::Sparse((indices, values)) => indices.iter().zip(*values).for_each(|(&j, &v)| each(j as usize, v)),
            Self::Dense(values) => values.iter().enumerate().for_each(|(j, &v)| each(j, v)),
        }
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
