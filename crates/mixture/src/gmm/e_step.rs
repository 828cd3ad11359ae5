//! The E step: the expected statistics of a block of rows.

use ermine_core::{DatasetRef, Error, Features, Mat, MatRef, Partial, Result};
use ermine_math::class_moments::ClassMoments;
use ermine_math::loss::posterior_block;
use ermine_math::moments::Moments;
use serde::{Deserialize, Serialize};

use super::components::{GaussianMixture, by_pattern};
use super::rows::{row_hashes, uniform};
use super::{GaussianEm, HashFold};
use crate::em::{Em, EmObjective};
use ermine_core::blocks::{check_finite, numbers};

/// Rows whose densities are in memory at a time: with their shares they fit into the L2 cache.
const CHUNK: usize = 2048;

/// Sums over rows, component by component.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum GmmSums {
    /// Weight, mean and scatter matrix of each component.
    Full(Vec<Moments>),
    /// Weight, mean and squares of the columns of each component.
    Diagonal(ClassMoments),
}

/// Sums of a pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GmmExpectation {
    pub(super) sums: GmmSums,
    /// For each component what the cells that are missing are expected to add to the scatter; empty where none is.
    pub(super) spread: Vec<Mat<f64>>,
    /// Σ w log p(x).
    pub(super) log_likelihood: f64,
    /// The same as EM climbs it: with penalties on the components, of hard steps the likelihood of the assignments.
    pub(super) climbed: f64,
    pub(super) weight: f64,
    /// The same of the rows that are held out.
    pub(super) held_out: f64,
    pub(super) held_out_weight: f64,
}

impl GmmExpectation {
    pub(super) fn new(full: bool, components: usize, cols: usize) -> Self {
        let sums = match full {
            true => GmmSums::Full(vec![Moments::new(cols, 0); components]),
            false => GmmSums::Diagonal(ClassMoments::new(components, cols)),
        };
        Self { sums, spread: Vec::new(), log_likelihood: 0.0, climbed: 0.0, weight: 0.0, held_out: 0.0, held_out_weight: 0.0 }
    }

    fn is_finite(&self) -> bool {
        match &self.sums {
            GmmSums::Full(all) => all.iter().all(Moments::is_finite),
            GmmSums::Diagonal(all) => all.is_finite(),
        }
    }
}

#[cfg(feature = "fit")]
impl Partial for GmmExpectation {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&mut self.sums, other.sums) {
            (GmmSums::Full(a), GmmSums::Full(b)) => a.iter_mut().zip(b).for_each(|(a, b)| a.merge(b)),
            (GmmSums::Diagonal(a), GmmSums::Diagonal(b)) => a.merge(b),
            _ => return Err(Error::Data("statistics of different mixtures".into())),
        }
        if self.spread.is_empty() {
            self.spread = other.spread;
        } else {
            for (a, b) in self.spread.iter_mut().zip(&other.spread) {
                a.as_mut_slice().iter_mut().zip(b.as_slice()).for_each(|(a, b)| *a += b);
            }
        }
        self.log_likelihood += other.log_likelihood;
        self.climbed += other.climbed;
        self.weight += other.weight;
        self.held_out += other.held_out;
        self.held_out_weight += other.held_out_weight;
        Ok(())
    }
}

/// The shares of components in rows: component after component, or one component per row.
enum Responsibilities<'a> {
    Soft(&'a [f64]),
    Hard(&'a [u32], &'a [f64]),
}

impl GmmSums {
    /// Takes in complete rows with their shares, which have the weights of the rows in them.
    fn add(&mut self, x: &Features<'_>, shares: &Responsibilities<'_>) -> Result<()> {
        let mut scratch = Vec::new();
        match x {
            Features::F64(x) => self.add_rows(*x, shares),
            Features::F32(x) => self.add_rows(*x, shares),
            other => self.add_rows(numbers(other, &mut scratch, "gmm")?, shares),
        }
        Ok(())
    }

    fn add_rows<T: ermine_math::moments::Real + Default>(&mut self, x: MatRef<'_, T>, shares: &Responsibilities<'_>) {
        let rows = x.rows();
        match (self, shares) {
            (Self::Diagonal(all), Responsibilities::Soft(shares)) => all.add_shares(x, shares),
            (Self::Diagonal(all), Responsibilities::Hard(labels, weight)) => all.add(x, labels, Some(weight)),
            (Self::Full(all), _) => {
                for (c, moments) in all.iter_mut().enumerate() {
                    let share = |i: usize| match shares {
                        Responsibilities::Soft(shares) => shares[c * rows + i],
                        Responsibilities::Hard(labels, weight) if labels[i] as usize == c => weight[i],
                        Responsibilities::Hard(..) => 0.0,
                    };
                    let own: Vec<usize> = (0..rows).filter(|&i| share(i) > 0.0).collect();
                    match shares {
                        Responsibilities::Soft(shares) if 2 * own.len() > rows => {
                            moments.add(x, None, Some(&shares[c * rows..(c + 1) * rows]));
                        }
                        _ if own.is_empty() => {}
                        // Of groups far apart, each has share 0 in most rows.
                        _ => {
                            let weight: Vec<f64> = own.iter().map(|&i| share(i)).collect();
                            moments.add(x.take_rows(&own).view(), None, Some(&weight));
                        }
                    }
                }
            }
        }
    }
}

/// Rows of a chunk with what they count for.
struct ChunkWeights<'a> {
    /// In the statistics.
    weight: &'a [f64],
    /// In the likelihood of the rows held out.
    held_out: &'a [f64],
}

impl Em for GaussianEm {
    type Parameters = GaussianMixture;
    type Expected = GmmExpectation;

    fn empty(&self, at: &GaussianMixture) -> GmmExpectation {
        GmmExpectation::new(self.covariance_type.is_full(), at.components(), at.cols())
    }

    fn expect(&self, at: &GaussianMixture, sums: &mut GmmExpectation, rows: &DatasetRef<'_>) -> Result<()> {
        let penalties = self.penalties(at)?;
        self.by_chunks(rows, |x, weight, held_out| {
            if !self.incomplete {
                return self.complete(at, &penalties, sums, x, &ChunkWeights { weight, held_out });
            }
            let mut scratch = Vec::new();
            let all = numbers(x, &mut scratch, "gmm")?;
            let lacks = |i: &usize| (0..all.cols()).any(|j| all.at(*i, j).is_nan());
            let (lacking, whole): (Vec<usize>, Vec<usize>) = (0..all.rows()).partition(lacks);
            let of = |from: &[f64], rows: &[usize]| -> Vec<f64> { rows.iter().map(|&i| from[i]).collect() };
            if !whole.is_empty() {
                let (weight, held_out) = (of(weight, &whole), of(held_out, &whole));
                let x = all.take_rows(&whole);
                let rows = ChunkWeights { weight: &weight, held_out: &held_out };
                self.complete(at, &penalties, sums, &Features::F64(x.view()), &rows)?;
            }
            for (pattern, own) in by_pattern(all, &lacking) {
                let (weight, held_out) = (of(weight, &own), of(held_out, &own));
                let rows = ChunkWeights { weight: &weight, held_out: &held_out };
                self.lacking(at, &penalties, sums, &all.take_rows(&own), &pattern, &rows)?;
            }
            Ok(())
        })?;
        if sums.is_finite() && sums.climbed.is_finite() {
            return Ok(());
        }
        match self.incomplete {
            true => check_finite(&rows.x, rows.schema, &|_| true)?,
            false => rows.x.refuse_non_finite(rows.schema)?,
        }
        Err(Error::Numeric("the squares of the columns overflow; scale the columns down".into()))
    }

    fn objective(&self, at: &GaussianMixture, sums: &GmmExpectation) -> EmObjective {
        // The change of the likelihood by penalties and hard steps counts as the log prior; without them it is exactly 0.
        let log_prior = sums.climbed - sums.log_likelihood + self.log_prior(at);
        EmObjective { log_likelihood: sums.log_likelihood, log_prior, weight: sums.weight }
    }

    fn maximize(&self, at: &GaussianMixture, sums: GmmExpectation) -> Result<GaussianMixture> {
        self.estimate(Some(at), sums)
    }
}

impl GaussianEm {
    /// Calls `each` with runs of rows, their weights and the weights of those that are held out. Rows of errors count from the block.
    fn by_chunks(&self, rows: &DatasetRef<'_>, mut each: impl FnMut(&Features<'_>, &[f64], &[f64]) -> Result<()>) -> Result<()> {
        for first in (0..rows.rows()).step_by(CHUNK) {
            let part = rows.row_range(first..rows.rows().min(first + CHUNK));
            let mut weight: Vec<f64> = (0..part.rows()).map(|i| part.weight_of(i)).collect();
            let mut held_out = Vec::new();
            if let Some(fold) = &self.fold {
                held_out = fold.split(&part.x, &mut weight)?;
            }
            held_out.resize(part.rows(), 0.0);
            each(&part.x, &weight, &held_out).map_err(|e| e.with_row(|row| row + first))?;
        }
        Ok(())
    }

    /// Densities of complete rows, then shares, then sums.
    fn complete(
        &self,
        at: &GaussianMixture,
        penalties: &[f64],
        sums: &mut GmmExpectation,
        x: &Features<'_>,
        rows: &ChunkWeights<'_>,
    ) -> Result<()> {
        let mut joint = vec![0.0; x.rows() * at.components()];
        at.log_joint(x, &mut Vec::new(), &mut joint)?;
        let shares = self.shares(penalties, sums, &mut joint, rows);
        match &shares {
            Some(labels) => sums.sums.add(x, &Responsibilities::Hard(labels, rows.weight)),
            None => sums.sums.add(x, &Responsibilities::Soft(&joint)),
        }
    }

    /// Rows that all lack the same cells: densities of the cells that are there; sums of the rows as they are expected to be, and of
    /// how far they may be from that.
    fn lacking(
        &self,
        at: &GaussianMixture,
        penalties: &[f64],
        sums: &mut GmmExpectation,
        x: &Mat<f64>,
        pattern: &[bool],
        rows: &ChunkWeights<'_>,
    ) -> Result<()> {
        let (missing, seen): (Vec<usize>, Vec<usize>) = (0..x.cols()).partition(|&j| pattern[j]);
        if seen.is_empty() {
            // A row whose cells are all missing does not inform the parameters.
            return Ok(());
        }
        let (n, k, p) = (x.rows(), at.components(), x.cols());
        let known = Mat::from_fn(n, seen.len(), |i, j| x[(i, seen[j])]);
        let (conditional, mut joint) = at.joint_of_seen(&known, &seen, &missing)?;
        if let Some(labels) = self.shares(penalties, sums, &mut joint, rows) {
            joint.fill(0.0);
            (0..n).for_each(|i| joint[labels[i] as usize * n + i] = rows.weight[i]);
        }
        if sums.spread.is_empty() {
            sums.spread = vec![Mat::zeros(p, p); k];
        }
        let mut completed = x.clone();
        let mut cells = vec![0.0; missing.len()];
        for c in 0..k {
            let shares = &joint[c * n..(c + 1) * n];
            let total: f64 = shares.iter().sum();
            if total == 0.0 {
                continue;
            }
            for i in 0..n {
                conditional.conditional_mean(at, c, &seen, known.row(i), &missing, &mut cells);
                missing.iter().zip(&cells).for_each(|(&m, v)| completed[(i, m)] = *v);
            }
            match &mut sums.sums {
                GmmSums::Full(all) => all[c].add(completed.view(), None, Some(shares)),
                GmmSums::Diagonal(all) => {
                    let mut one = vec![0.0; n * k];
                    one[c * n..(c + 1) * n].copy_from_slice(shares);
                    all.add_shares(completed.view(), &one);
                }
            }
            let left = conditional.conditional_covariance(c);
            for (i, &a) in missing.iter().enumerate() {
                for (j, &b) in missing.iter().enumerate() {
                    sums.spread[c][(a, b)] += total * left[(i, j)];
                }
            }
        }
        Ok(())
    }

    /// Turns joint log densities into shares times weights (or, of a hard E step, into one component per row) and adds up the likelihood.
    fn shares(
        &self,
        penalties: &[f64],
        sums: &mut GmmExpectation,
        joint: &mut [f64],
        rows: &ChunkWeights<'_>,
    ) -> Option<Vec<u32>> {
        let n = rows.weight.len();
        for (run, s) in joint.chunks_exact_mut(n).zip(penalties) {
            run.iter_mut().for_each(|v| *v -= s);
        }
        let mut totals = vec![0.0; n];
        let mut labels = None;
        let mut plain = vec![0.0; n];
        if self.hard {
            let labels = labels.insert(vec![0u32; n]);
            most_likely(joint, labels, &mut totals);
            posterior_block(joint, &mut plain);
        } else {
            posterior_block(joint, &mut totals);
            plain.copy_from_slice(&totals);
        }
        if !penalties.is_empty() {
            // The factor of the penalties in the density of a row: Σ shareₖ e^penaltyₖ, at any scale of the density.
            let mut factor = vec![0.0; n];
            for (run, s) in joint.chunks_exact(n).zip(penalties) {
                let e = s.exp();
                factor.iter_mut().zip(run).for_each(|(f, share)| *f += share * e);
            }
            plain.iter_mut().zip(&factor).for_each(|(p, f)| *p += f.ln());
        }
        for i in 0..n {
            let (w, h) = (rows.weight[i], rows.held_out[i]);
            if w > 0.0 {
                sums.climbed += w * totals[i];
                sums.log_likelihood += w * plain[i];
                sums.weight += w;
            }
            if h > 0.0 {
                sums.held_out += h * plain[i];
                sums.held_out_weight += h;
            }
        }
        if labels.is_none() {
            for run in joint.chunks_exact_mut(n) {
                for (share, &w) in run.iter_mut().zip(rows.weight) {
                    // A row without weight counts for nothing, even one so far away that its shares are not numbers.
                    *share = if w == 0.0 { 0.0 } else { *share * w };
                }
            }
        }
        labels
    }

    /// The weights of rows without those that are held out; none where nothing is.
    pub(super) fn weights_in_training(&self, rows: &DatasetRef<'_>) -> Result<Option<Vec<f64>>> {
        let Some(fold) = &self.fold else { return Ok(None) };
        let mut weight: Vec<f64> = (0..rows.rows()).map(|i| rows.weight_of(i)).collect();
        fold.split(&rows.x, &mut weight)?;
        Ok(Some(weight))
    }

    /// The statistics of rows whose shares are drawn: uniform numbers by what the rows hold, made to sum to 1.
    pub(super) fn scatter(
        &self,
        sums: &mut GmmExpectation,
        components: usize,
        rows: &DatasetRef<'_>,
        means: &[f64],
        seed: u64,
    ) -> Result<()> {
        self.by_chunks(rows, |x, weight, _| {
            let mut scratch = Vec::new();
            let x = numbers(x, &mut scratch, "gmm")?;
            let n = x.rows();
            let hashes = row_hashes(x, seed);
            let filled = Mat::from_fn(n, x.cols(), |i, j| if x.at(i, j).is_nan() { means[j] } else { *x.at(i, j) });
            let mut shares = vec![0.0; n * components];
            for i in 0..n {
                let draws: Vec<f64> = (0..components).map(|c| uniform(hashes[i], c as u64)).collect();
                let total: f64 = draws.iter().sum();
                (0..components).for_each(|c| shares[c * n + i] = weight[i] * draws[c] / total);
            }
            sums.sums.add(&Features::F64(filled.view()), &Responsibilities::Soft(&shares))
        })
    }
}

/// The component with the largest joint density of each row, the first of several, and that density.
fn most_likely(joint: &[f64], labels: &mut [u32], most: &mut [f64]) {
    let rows = labels.len();
    most.copy_from_slice(&joint[..rows]);
    for (c, run) in joint.chunks_exact(rows).enumerate().skip(1) {
        for i in 0..rows {
            if run[i] > most[i] {
                most[i] = run[i];
                labels[i] = c as u32;
            }
        }
    }
}

impl HashFold {
    /// Takes the rows of this fold out of `weight`; their weights are returned.
    fn split(&self, x: &Features<'_>, weight: &mut [f64]) -> Result<Vec<f64>> {
        let mut scratch = Vec::new();
        let hashes = row_hashes(numbers(x, &mut scratch, "gmm")?, self.seed);
        Ok(weight.iter_mut().zip(hashes).map(|(w, h)| if h % self.of == self.number { std::mem::take(w) } else { 0.0 }).collect())
    }
}
