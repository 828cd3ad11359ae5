//! Sequential minimal optimization with working sets and shrinking.

use super::*;

pub(super) struct SmoResult {
    pub(super) alpha: Vec<f64>,
    pub(super) iterations: u64,
    pub(super) unbounded: Option<(usize, usize)>,
    pub(super) stopped: bool,
    /// Whether the convex hulls of both classes intersect.
    pub(super) met: bool,
}

/// The active variables and points.
pub(super) struct SmoSolver<'a, T: SmoKernels> {
    all: &'a [DualVariable],
    /// α of all variables.
    alpha: Vec<f64>,
    /// Indices of the active variables among all; their points are indices among the active points.
    active: Vec<u32>,
    variables: Vec<DualVariable>,
    points: Points<'a, T>,
    diagonal: Vec<f64>,
    f: Vec<f64>,
    cache: KernelCache<T>,
    flat: f64,
    plan: &'a SmoOptions,
}

impl<'a, T: SmoKernels> SmoSolver<'a, T> {
    pub(super) fn new(points: Points<'a, T>, all: &'a [DualVariable], alpha: &[f64], f: &[f64], plan: &'a SmoOptions) -> Self {
        let diagonal = points.diagonal();
        Self {
            all,
            alpha: alpha.to_vec(),
            active: (0..all.len() as u32).collect(),
            variables: all.to_vec(),
            cache: KernelCache::new(points.len(), plan.cache_bytes),
            points,
            flat: flat_curvature(&diagonal),
            diagonal,
            f: f.to_vec(),
            plan,
        }
    }

    pub(super) fn run(mut self, tol: f64, limit: u64, cx: &Context<'_>) -> Result<SmoResult> {
        let size = MAX_WORKING_SET.min(self.cache.capacity()).max(2);
        let mut working = WorkingSet::<T>::default();
        let mut kept: Vec<u32> = Vec::new();
        let (mut iterations, mut unbounded, mut stopped, mut met) = (0, None, false, false);
        for pass in 1.. {
            let (top, bottom) = self.kkt_gap_ends();
            let gap = top - bottom;
            cx.report(Progress { stage: "working sets", done: pass, total: None, objective: None })?;
            if gap <= tol || gap.is_nan() {
                break;
            }
            if self.is_unbounded() {
                met = true;
                break;
            }
            if cx.deadline_passed() || iterations >= limit {
                stopped = true;
                break;
            }
            if self.plan.shrinking && pass % SHRINK_EVERY == 0 {
                self.shrink(top, bottom, &mut kept);
            }
            let chosen = self.choose(size, &kept);
            self.fetch(&chosen)?;
            let columns = self.gather(&chosen, &mut working);
            let most = (limit - iterations).min(200 * size as u64);
            let (steps, ended) = working.run(chosen.len(), (0.5 * tol).max(0.1 * gap), most, self.flat, |i, out| {
                let row = self.cache.row(columns[i]);
                out.iter_mut().zip(&columns).for_each(|(o, &c)| *o = row[c as usize]);
            });
            iterations += steps;
            let moved = self.apply(&chosen, &working);
            if let PairStepsEnd::Unbounded(i, j) = ended {
                unbounded = Some((self.active[chosen[i] as usize] as usize, self.active[chosen[j] as usize] as usize));
                break;
            }
            if !moved {
                // The set is optimal though the whole is not: the rest is below the precision of the steps.
                break;
            }
            // The later half stays, so that variables that have just begun to move can continue.
            kept = if size < 8 { Vec::new() } else { chosen[chosen.len() / 2..].to_vec() };
        }
        Ok(SmoResult { alpha: self.alpha, iterations, unbounded, stopped, met })
    }

    /// Whether variables without bounds diverge: the hulls of both classes intersect. Then w, which is the difference
    /// of a point in each times the sum of the variables, stays small however they grow.
    fn is_unbounded(&self) -> bool {
        if !self.variables.iter().any(|v| v.bound == f64::INFINITY) {
            return false;
        }
        let (mut norm, mut total) = (0.0, 0.0);
        for (v, &id) in self.variables.iter().zip(&self.active) {
            let a = self.alpha[id as usize];
            norm += v.sign * a * self.f[v.base as usize];
            total += a;
        }
        let largest = self.diagonal.iter().copied().fold(0.0, f64::max);
        total > 0.0 && norm <= (0.25 * MIN_HULL_DISTANCE * MIN_HULL_DISTANCE) * largest * (0.5 * total).powi(2)
    }

    fn error(&self, v: &DualVariable) -> f64 {
        v.target - self.f[v.base as usize]
    }

    fn kkt_gap_ends(&self) -> (f64, f64) {
        let (mut top, mut bottom) = (f64::NEG_INFINITY, f64::INFINITY);
        for (v, &id) in self.variables.iter().zip(&self.active) {
            let (a, e) = (self.alpha[id as usize], self.error(v));
            if v.can_increase(a) && e > top {
                top = e;
            }
            if v.can_decrease(a) && e < bottom {
                bottom = e;
            }
        }
        (top, bottom)
    }

    /// The most violating variables: those that were kept, then as many of the largest errors that may move up as of
    /// the least that may move down.
    fn choose(&self, size: usize, kept: &[u32]) -> Vec<u32> {
        let mut inside = vec![false; self.variables.len()];
        let mut chosen: Vec<u32> = kept.to_vec();
        kept.iter().for_each(|&k| inside[k as usize] = true);
        let [mut up, mut down]: [Vec<(f64, u32)>; 2] = Default::default();
        for (k, (v, &id)) in self.variables.iter().zip(&self.active).enumerate() {
            if inside[k] {
                continue;
            }
            let (a, e) = (self.alpha[id as usize], self.error(v));
            if v.can_increase(a) {
                up.push((-e, k as u32));
            }
            if v.can_decrease(a) {
                down.push((e, k as u32));
            }
        }
        for (side, room) in [(&mut up, (size - chosen.len()) / 2), (&mut down, size)] {
            let room = room.min(size - chosen.len());
            let by_error = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            // A variable may be on both sides; twice as many are examined, so that the second side is full
            // nevertheless.
            let look = (2 * size).min(side.len());
            if look == 0 {
                continue;
            }
            if look < side.len() {
                side.select_nth_unstable_by(look - 1, by_error);
            }
            side.truncate(look);
            side.sort_unstable_by(by_error);
            let before = chosen.len();
            for &(_, k) in side.iter() {
                if chosen.len() - before == room {
                    break;
                }
                if !inside[k as usize] {
                    inside[k as usize] = true;
                    chosen.push(k);
                }
            }
        }
        chosen
    }

    /// Brings the rows of the chosen variables into the cache.
    fn fetch(&mut self, chosen: &[u32]) -> Result<()> {
        let mut bases: Vec<u32> = chosen.iter().map(|&k| self.variables[k as usize].base).collect();
        bases.sort_unstable();
        bases.dedup();
        self.cache.ensure_rows(&bases, &self.points)
    }

    /// Fills the working set except its matrix; returns the point of each variable.
    fn gather(&self, chosen: &[u32], working: &mut WorkingSet<T>) -> Vec<u32> {
        working.resize(chosen.len());
        for (i, &k) in chosen.iter().enumerate() {
            let v = self.variables[k as usize];
            let alpha = self.alpha[self.active[k as usize] as usize];
            working.set(i, self.diagonal[v.base as usize], self.error(&v), alpha, v.sign, v.bound);
        }
        chosen.iter().map(|&k| self.variables[k as usize].base).collect()
    }

    /// Applies the changes of the steps; returns whether anything moved.
    fn apply(&mut self, chosen: &[u32], working: &WorkingSet<T>) -> bool {
        let mut deltas: Vec<(u32, f64)> = Vec::new();
        for (i, &k) in chosen.iter().enumerate() {
            let id = self.active[k as usize] as usize;
            let delta = working.alpha[i] - self.alpha[id];
            if delta != 0.0 {
                self.alpha[id] = working.alpha[i];
                deltas.push((self.variables[k as usize].base, self.variables[k as usize].sign * delta));
            }
        }
        // Both variables of a point share its row.
        deltas.sort_unstable_by_key(|d| d.0);
        deltas.dedup_by(|b, a| {
            let same = a.0 == b.0;
            if same {
                a.1 += b.1;
            }
            same
        });
        let rows: Vec<(f64, &[T])> = deltas.iter().map(|&(base, d)| (d, self.cache.row(base))).collect();
        add(&mut self.f, rows);
        !deltas.is_empty()
    }

    /// Shrinking: leaves out variables at a bound that are far from moving, once there are enough.
    fn shrink(&mut self, top: f64, bottom: f64, kept: &mut [u32]) {
        let mut stays = vec![false; self.variables.len()];
        kept.iter().for_each(|&k| stays[k as usize] = true);
        let mut alive = vec![false; self.points.len()];
        for (k, (v, &id)) in self.variables.iter().zip(&self.active).enumerate() {
            let (a, e) = (self.alpha[id as usize], self.error(v));
            let rests = match (v.can_increase(a), v.can_decrease(a)) {
                (true, true) => false,
                (true, false) => e < bottom,
                (false, true) => e > top,
                (false, false) => true,
            };
            stays[k] |= !rests;
            alive[v.base as usize] |= stays[k];
        }
        let left = alive.iter().filter(|a| **a).count();
        if left as f64 > 0.8 * self.points.len() as f64 {
            return;
        }
        let places: Vec<u32> = (0..self.points.len() as u32).filter(|&i| alive[i as usize]).collect();
        let mut renumbered = vec![u32::MAX; self.points.len()];
        places.iter().enumerate().for_each(|(new, &old)| renumbered[old as usize] = new as u32);
        self.cache.retain(&places, &renumbered);
        self.points.retain(&places);
        self.f = places.iter().map(|&i| self.f[i as usize]).collect();
        self.diagonal = places.iter().map(|&i| self.diagonal[i as usize]).collect();
        let mut variable_number = vec![u32::MAX; self.variables.len()];
        let (mut active, mut variables) = (Vec::new(), Vec::new());
        for (k, v) in self.variables.iter().enumerate() {
            if alive[v.base as usize] {
                variable_number[k] = variables.len() as u32;
                variables.push(DualVariable { base: renumbered[v.base as usize], ..*v });
                active.push(self.active[k]);
            }
        }
        kept.iter_mut().for_each(|k| *k = variable_number[*k as usize]);
        (self.active, self.variables) = (active, variables);
        debug_assert!(self.all.len() >= self.active.len());
    }
}
