//! Large tables: candidates meet on samples of growing size, and the better half goes on (successive halving; Jamieson,
//! Talwalkar: Non-stochastic best arm identification, 2016).

use std::time::{Duration, Instant};

use ermine_core::{Error, Result};
use ermine_eval::model_selection::{CvSplits, parallel_map};

use super::AutoRun;

/// Training rows of the first rung, and by what factor they grow.
const FIRST_RUNG: usize = 5000;
const GROWTH: usize = 4;
/// Rows on which the candidates of a rung are judged.
const JUDGES: usize = 4000;
/// Training rows from which a search without a deadline has rungs.
const MANY_ROWS: usize = 50_000;
/// Share of the time that all rungs may take.
const SHARE: f64 = 0.35;
/// Candidates that go on at least.
const LEAST: usize = 3;

impl AutoRun<'_> {
    /// The candidates in the order in which they are to be fitted to the rounds; those that lost on a sample are left out.
    pub fn ladder(&mut self, splits: &CvSplits, deadline: Option<Instant>) -> Result<Vec<usize>> {
        let mut open: Vec<usize> = (0..self.results.len()).filter(|&c| self.is_open(c)).collect();
        let (train, test) = splits.round(0);
        let many = match (self.total, self.boosting_seconds(train.len())) {
            (Some(total), Some(one)) => {
                let all = one * splits.len() as f64 / rayon::current_num_threads() as f64;
                train.len() > 4 * FIRST_RUNG && all > total / 8.0
            }
            _ => train.len() > MANY_ROWS,
        };
        if !many {
            return Ok(open);
        }
        let rungs: Vec<usize> =
            std::iter::successors(Some(FIRST_RUNG), |r| Some(r * GROWTH)).take_while(|r| 3 * r <= train.len()).collect();
        let judges = self.sample(&test, JUDGES, 2);
        let mut behind: Vec<usize> = Vec::new();
        let mut largest = None;
        for (k, &rows) in rungs.iter().enumerate() {
            if open.len() <= 1 || self.auto.fits.is_some_and(|most| self.fits + open.len() + splits.len() > most) {
                break;
            }
            let left = self.left(deadline);
            let seconds = self.total.map_or(f64::INFINITY, |t| (SHARE * t / rungs.len() as f64).min(0.5 * left));
            if deadline.is_some() && seconds <= 0.0 {
                break;
            }
            let measured = self.rung(&open, &self.sample(&train, rows, 3), &judges, seconds)?;
            largest = largest.max((!measured.is_empty()).then_some(rows));
            // Those that were not fitted go behind those that were.
            let mut order: Vec<(f64, usize)> = Vec::new();
            for c in open {
                match measured.contains(&c) {
                    true => order.push((self.results[c].sample.as_ref().map_or(f64::NAN, |s| s.1), c)),
                    false => behind.push(c),
                }
            }
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let keep = order.len().div_ceil(2).max(LEAST);
            for (_, c) in order.iter().skip(keep) {
                self.results[*c].cut = Some(format!("cut, as others were better on a sample of {rows} rows"));
            }
            open = order.into_iter().take(keep).map(|o| o.1).collect();
            if k + 1 == rungs.len() {
                break;
            }
        }
        if let Some(largest) = largest {
            self.notes.push(format!("candidates met on samples of {FIRST_RUNG} to {largest} rows first"));
        }
        open.extend(behind);
        Ok(open)
    }

    /// Fits candidates to a sample, as many as the time allows: those that were measured.
    fn rung(
        &mut self,
        open: &[usize],
        train: &ermine_core::OwnedDataset,
        judges: &ermine_core::OwnedDataset,
        seconds: f64,
    ) -> Result<Vec<usize>> {
        let began = Instant::now();
        let rows = train.view().rows();
        let threads = rayon::current_num_threads() as f64;
        let hard = seconds.is_finite().then(|| began + Duration::from_secs_f64(seconds));
        let each = seconds * threads / open.len().min(6) as f64;
        let fit = |_: usize, c: usize| {
            let candidate = &self.auto.candidates[c];
            let growth = candidate.growth();
            let left = hard.map_or(f64::INFINITY, |h| h.saturating_duration_since(Instant::now()).as_secs_f64());
            let predicted = self.results[c].cost.predict(rows, growth).unwrap_or(0.0);
            let over = seconds.is_finite() && left <= 0.05 * seconds;
            if over || (!growth.interruptible && predicted > left) {
                return (c, None);
            }
            let ends = hard.map(|h| if growth.interruptible { h.min(Instant::now() + Duration::from_secs_f64(each)) } else { h });
            let learner = candidate.learner(rows, self.rounds_within(c, rows, each.min(left)));
            (c, Some(self.fit_rows(&*learner, &train.view(), &judges.view(), self.seed(c, 1 << 20), ends)))
        };
        let mut measured = Vec::new();
        for (c, found) in parallel_map(open.to_vec(), fit) {
            match found {
                Some(Err(error @ Error::Stopped(_))) => return Err(error),
                Some(found) => {
                    self.fits += 1;
                    if found.is_ok() {
                        measured.push(c);
                    }
                    self.note_sample(c, rows, &*self.auto.candidates[c].learner(rows, None), found, judges);
                }
                None => {}
            }
        }
        Ok(measured)
    }
}
