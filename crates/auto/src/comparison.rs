//! Comparison of many learners on the same rounds, with fair shares of the time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ermine_core::{AnyLearner, Context, DatasetRef, Error, RngStream};

use ermine_eval::metrics::{Difference, corrected_t_test};
use ermine_eval::model_selection::{CvSplits, FoldScore, FoldScores, even_order, parallel_map, validate_once};

/// A learner in a comparison.
pub struct Contestant {
    /// Its name.
    pub name: String,
    /// The learner, with its preparation.
    pub learner: Box<dyn AnyLearner>,
}

/// Results of a learner so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContestantScores {
    /// The score of each round; none for incomplete rounds.
    pub rounds: Vec<Option<FoldScore>>,
    /// The error, if a fit failed.
    pub failed: Option<String>,
    /// Seconds after which it was stopped for the sake of the others, if it was.
    pub pruned: Option<f64>,
    /// Its result on a sample of the rows, tried first where time is short: training rows, the score.
    pub sample: Option<(usize, FoldScore)>,
}

impl ContestantScores {
    /// The values of a metric over the completed rounds.
    pub fn values(&self, metric: &str) -> Vec<f64> {
        self.rounds.iter().flatten().filter_map(|s| s.value(metric)).collect()
    }

    /// Mean and spread of a metric over the completed rounds.
    pub fn scores(&self, metric: &str) -> FoldScores {
        FoldScores::of(self.values(metric))
    }

    /// Number of completed rounds.
    pub fn done(&self) -> usize {
        self.rounds.iter().flatten().count()
    }

    /// The mean over the rounds of a number.
    pub fn mean_of(&self, of: impl Fn(&FoldScore) -> f64) -> f64 {
        self.rounds.iter().flatten().map(of).sum::<f64>() / self.done() as f64
    }

    /// The corrected t-test of the difference to another learner, on the rounds that both have completed. `None` with
    /// fewer than two of them.
    pub fn difference(&self, other: &Self, metric: &str, rounds: &CvSplits) -> Option<Difference> {
        let both = self.rounds.iter().zip(&other.rounds);
        let pairs = both.filter_map(|(a, b)| Some((a.as_ref()?.value(metric)?, b.as_ref()?.value(metric)?)));
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.unzip();
        corrected_t_test(&a, &b, rounds.test_over_train(), 1.0).ok()
    }
}

/// A comparison.
pub struct Comparison<'a> {
    /// The learners.
    pub entrants: &'a [Contestant],
    /// The rows.
    pub data: &'a DatasetRef<'a>,
    /// The rounds.
    pub rounds: &'a CvSplits,
    /// The context of the fits. With a deadline the time is shared.
    pub cx: Context<'a>,
}

/// Training and test rows of the sample that is tried first where time is short.
const SAMPLE_ROWS: usize = 1500;

/// Time used by a learner, and its allowance, in seconds of one thread.
#[derive(Clone, Copy, Default)]
struct TimeAccount {
    spent: f64,
    allowed: Option<f64>,
    last: f64,
    /// Completed rounds.
    ended: usize,
    closed: bool,
}

/// The allowance of a learner that starts now: an equal share, with all waiting ones, of the remaining thread seconds
/// that no other may still use. What a learner has not used after its `rounds` is shared again.
fn part(seconds: f64, accounts: &[TimeAccount], rounds: usize) -> f64 {
    let running = |a: &&TimeAccount| !a.closed && a.ended < rounds;
    let promised: f64 = accounts.iter().filter(running).filter_map(|a| a.allowed.map(|m| (m - a.spent).max(0.0))).sum();
    let waiting = accounts.iter().filter(running).filter(|a| a.allowed.is_none()).count().max(1);
    ((seconds - promised) / waiting as f64).max(0.0)
}

impl Comparison<'_> {
    /// Runs all rounds of all learners in parallel. `on_round` is called with each: the index of the learner, the
    /// round, and its result.
    ///
    /// With a deadline each learner is first tried on a sample of the rows, and fast ones start first. Each gets an
    /// equal share of the time that is left when it starts; what fast ones do not use goes to slow ones. A learner that
    /// has used up its share is stopped; its completed rounds count.
    pub fn run(&self, on_round: impl Fn(usize, usize, Result<&FoldScore, &Error>) + Sync) -> Vec<ContestantScores> {
        let (m, k) = (self.entrants.len(), self.rounds.len());
        let standings: Mutex<Vec<ContestantScores>> =
            Mutex::new(vec![ContestantScores { rounds: vec![None; k], ..ContestantScores::default() }; m]);
        let order = self.cx.deadline.map_or_else(|| (0..m).collect(), |d| self.pilot_run(d, &standings));
        let accounts = Mutex::new(vec![TimeAccount::default(); m]);
        // Of the current pool; tasks run in pools of their own.
        let threads = rayon::current_num_threads() as f64;
        let tasks: Vec<(usize, usize)> = order.iter().flat_map(|&e| (0..k).map(move |r| (e, r))).collect();
        parallel_map(tasks, |_, (e, r)| {
            let Some(limit) = self.time_for_round(e, threads, &accounts, &standings) else { return };
            let deadline = match (self.cx.deadline, limit) {
                (Some(d), Some(l)) => Some(d.min(Instant::now() + l)),
                (d, _) => d,
            };
            let started = Instant::now();
            let (train, test) = self.rounds.round(r);
            let (train, test) = (self.data.take_rows(&train), self.data.take_rows(&test));
            let result = validate_once(&*self.entrants[e].learner, &train.view(), &test.view(), &Context { deadline, ..self.cx });
            let took = started.elapsed().as_secs_f64() * rayon::current_num_threads() as f64;
            {
                let mut accounts = accounts.lock().unwrap_or_else(PoisonError::into_inner);
                accounts[e].spent += took;
                accounts[e].last = accounts[e].last.max(took);
                accounts[e].ended += 1;
                accounts[e].closed |= result.is_err();
            }
            let mut standings = standings.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok((score, _)) => {
                    on_round(e, r, Ok(&score));
                    standings[e].rounds[r] = Some(score);
                }
                Err(error) => {
                    on_round(e, r, Err(&error));
                    let standing = &mut standings[e];
                    match error {
                        Error::Deadline(_) => standing.pruned = Some(standing.pruned.unwrap_or(0.0).max(took)),
                        // The rows of a round are not the rows of the table, but they are counted from 1 too.
                        other if standing.failed.is_none() => standing.failed = Some(other.with_row(|row| row + 1).to_string()),
                        _ => {}
                    }
                }
            }
        });
        standings.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a learner may start another round, and for how long; `Some(None)` without a limit.
    fn time_for_round(
        &self,
        e: usize,
        threads: f64,
        accounts: &Mutex<Vec<TimeAccount>>,
        standings: &Mutex<Vec<ContestantScores>>,
    ) -> Option<Option<Duration>> {
        let mut accounts = accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts[e].closed {
            return None;
        }
        let Some(deadline) = self.cx.deadline else { return Some(None) };
        let cut = |accounts: &mut Vec<TimeAccount>| {
            let spent = accounts[e].spent;
            accounts[e].closed = true;
            let mut standings = standings.lock().unwrap_or_else(PoisonError::into_inner);
            standings[e].pruned = Some(spent);
        };
        let Some(left) = deadline.checked_duration_since(Instant::now()).map(|d| d.as_secs_f64()) else {
            cut(&mut accounts);
            return None;
        };
        if accounts[e].allowed.is_none() {
            accounts[e].allowed = Some(part(left * threads, &accounts, self.rounds.len()));
        }
        let may = accounts[e].allowed.unwrap_or(0.0) - accounts[e].spent;
        if may <= 0.0 || may < 0.8 * accounts[e].last {
            cut(&mut accounts);
            return None;
        }
        Some(Some(Duration::from_secs_f64(may)))
    }

    /// Tries each learner on a sample and returns their indices, the fastest first.
    fn pilot_run(&self, deadline: Instant, standings: &Mutex<Vec<ContestantScores>>) -> Vec<usize> {
        let (train, test) = self.rounds.round(0);
        let mut stream = RngStream::new(self.cx.seed, "race", 0);
        let mut sample = |rows: &[usize]| {
            let mut some = even_order(&self.data.y, rows, &mut stream);
            some.truncate(SAMPLE_ROWS);
            some.sort_unstable();
            some
        };
        let whole = train.len() <= SAMPLE_ROWS;
        let (train, test) = (sample(&train), sample(&test));
        let (train, test) = (self.data.take_rows(&train), self.data.take_rows(&test));
        // No trial may take more than a tenth of an equal share.
        let left = deadline.saturating_duration_since(Instant::now());
        let each = left.div_f64(10.0 * self.entrants.len().max(1) as f64).mul_f64(rayon::current_num_threads() as f64);
        let tried = parallel_map((0..self.entrants.len()).collect(), |_, e: usize| {
            let started = Instant::now();
            let cx = Context { deadline: Some(deadline.min(started + each)), ..self.cx };
            let score = validate_once(&*self.entrants[e].learner, &train.view(), &test.view(), &cx).ok();
            (score, started.elapsed().as_secs_f64())
        });
        let mut order: Vec<(f64, usize)> = tried.iter().enumerate().map(|(e, t)| (t.1, e)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut standings = standings.lock().unwrap_or_else(PoisonError::into_inner);
        for (e, (found, _)) in tried.into_iter().enumerate() {
            standings[e].sample = found.filter(|_| !whole).map(|f| (train.view().rows(), f.0));
        }
        order.into_iter().map(|o| o.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use ermine_core::{Features, MatRef, Target};

    use super::*;
    use ermine_compose::baseline::Baseline;
    use ermine_eval::model_selection::k_fold;
    use ermine_linear::Ridge;
    use ermine_neighbors::Knn;
    use ermine_tree::tree::gradient_boosting::GradientBoosting;

    fn rows(n: usize) -> (Vec<f64>, Vec<f64>) {
        let mut s = RngStream::new(21, "race rows", 0);
        let x: Vec<f64> = (0..n * 5).map(|_| s.normal()).collect();
        let y = (0..n).map(|i| x[5 * i] + 0.5 * x[5 * i + 1] + 0.4 * s.normal()).collect();
        (x, y)
    }

    fn entrants(learners: Vec<Box<dyn AnyLearner>>) -> Vec<Contestant> {
        learners.into_iter().map(|learner| Contestant { name: learner.spec().name.to_owned(), learner }).collect()
    }

    #[test]
    fn without_a_deadline_all_run_to_the_end_and_differences_are_told() {
        let (x, y) = rows(300);
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 300, 5))).with_target(Target::Real(&y));
        let rounds = CvSplits::from(k_fold(300, 5, 0).unwrap());
        let field = entrants(vec![
            Box::new(Ridge::default()),
            Box::new(Baseline::default()),
            Box::new(Ridge { alpha: 1.01.into(), ..Ridge::default() }),
            Box::new(Knn { n_neighbors: 4000, ..Knn::default() }),
        ]);
        let race = Comparison { entrants: &field, data: &data, rounds: &rounds, cx: Context::default() };
        let results = race.run(|_, _, _| {});
        assert_eq!(results.iter().map(ContestantScores::done).collect::<Vec<_>>(), [5, 5, 5, 0]);
        assert!(results[3].failed.as_ref().unwrap().contains("n_neighbors"));
        // Errors of 0.4 and √(1 + 0.25 + 0.16). Each of 60 rows has a standard error of 1/√120 of itself, so that the difference of a fold has one of
        // 0.113, the mean of five 0.05 (four of them are allowed), and t is about 0.787 / (0.113 √(1/5 + 1/4)) = 10, of which p is 5e-4.
        let apart = results[0].difference(&results[1], "rmse", &rounds).unwrap();
        assert!((apart.mean - (0.4 - 1.41f64.sqrt())).abs() < 0.2, "{}", apart.mean);
        assert!(apart.high < 0.0 && apart.p_value < 5e-3, "{}", apart.p_value);
        let d: Vec<f64> = results[0].values("rmse").iter().zip(results[1].values("rmse")).map(|(a, b)| a - b).collect();
        let mean = d.iter().sum::<f64>() / 5.0;
        let variance = d.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 4.0;
        // Student's t with 4 degrees of freedom has a closed form: with u = t / √(1 + t²/4), P(|T| > t) = 1 - 3/4 u (1 - u²/12).
        let t = mean.abs() / ((1.0 / 5.0 + 1.0 / 4.0) * variance).sqrt();
        let u = t / (1.0 + t * t / 4.0).sqrt();
        assert!((apart.p_value - (1.0 - 0.75 * u * (1.0 - u * u / 12.0))).abs() < 1e-10, "{} {t}", apart.p_value);
        assert!(results[0].difference(&results[3], "rmse", &rounds).is_none());
        // Nearly the same learner: hardly any difference, and the test says what it can about it.
        assert!((results[0].scores("rmse").mean - results[2].scores("rmse").mean).abs() < 1e-4);
        // The same on one thread.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let one = pool.install(|| race.run(|_, _, _| {}));
        assert!((0..3).all(|e| one[e].values("rmse") == results[e].values("rmse")));
    }

    #[test]
    fn what_quick_ones_do_not_use_goes_to_the_slow_ones() {
        let mut accounts = vec![TimeAccount::default(); 4];
        // All wait: equal shares.
        assert_eq!(part(80.0, &accounts, 5), 20.0);
        // One has started, and may still use 15 of its 20 seconds.
        accounts[0] = TimeAccount { spent: 5.0, allowed: Some(20.0), last: 1.0, ended: 4, closed: false };
        assert_eq!(part(75.0, &accounts, 5), 20.0);
        // It has ended: its rest is shared.
        accounts[0].ended = 5;
        assert_eq!(part(75.0, &accounts, 5), 25.0);
        // So is the rest of one that was stopped or failed.
        accounts[1] = TimeAccount { spent: 3.0, allowed: Some(25.0), last: 3.0, ended: 1, closed: true };
        assert_eq!(part(72.0, &accounts, 5), 36.0);
        // The last has all that is left.
        accounts[2] = TimeAccount { spent: 2.0, allowed: Some(36.0), last: 0.4, ended: 5, closed: false };
        assert_eq!(part(70.0, &accounts, 5), 70.0);
        assert_eq!(part(-1.0, &accounts, 5), 0.0);
    }

    #[test]
    fn slow_ones_are_cut_and_quick_ones_are_not() {
        let (x, y) = rows(6000);
        let data = DatasetRef::new(Features::F64(MatRef::row_major(&x, 6000, 5))).with_target(Target::Real(&y));
        let rounds = CvSplits::from(k_fold(6000, 4, 0).unwrap());
        let slow = GradientBoosting { n_estimators: 200_000, ..GradientBoosting::default() };
        let field = entrants(vec![Box::new(slow), Box::new(Ridge::default()), Box::new(Baseline::default())]);
        let started = Instant::now();
        let cx = Context { deadline: Some(started + Duration::from_secs(4)), ..Context::default() };
        let results = Comparison { entrants: &field, data: &data, rounds: &rounds, cx }.run(|_, _, _| {});
        assert!(started.elapsed() < Duration::from_secs(12), "{:?}", started.elapsed());
        assert!(results[0].done() == 0 && results[0].pruned.is_some() && results[0].failed.is_none());
        assert!(results[1].done() == 4 && results[2].done() == 4);
        assert_eq!(results[1].sample.as_ref().map(|s| s.0), Some(SAMPLE_ROWS));
    }
}
