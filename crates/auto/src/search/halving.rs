//! Successive halving.

use super::*;

impl SearchRun<'_> {
    /// Successive halving: brackets of settings on few rows, of which the best third is continued.
    pub(super) fn halving(&mut self) -> Result<bool> {
        let least = (0..self.search.rounds.len()).map(|k| self.search.rounds.round(k).0.len()).min().unwrap_or(0);
        let mut rungs = 0;
        while least / FACTOR.pow(rungs as u32 + 1) >= FEWEST_ROWS && FACTOR.pow(rungs as u32 + 1) <= BRACKET {
            rungs += 1;
        }
        let mut next = 0;
        loop {
            let first = next;
            let mut plans: Vec<PlannedTrial> = Vec::new();
            while plans.len() < BRACKET && !self.out_of_trials(next) {
                let Some(params) = self.propose_even(next, &plans) else { break };
                plans.push(PlannedTrial { index: next, params, share: 1.0 });
                next += 1;
            }
            if plans.is_empty() {
                return Ok(self.search.space.count().is_some_and(|n| first >= n));
            }
            let mut settings: Vec<(usize, Map<String, Value>)> = plans.into_iter().map(|p| (p.index, p.params)).collect();
            for rung in (0..=rungs).rev() {
                let share = if rung == 0 { 1.0 } else { (FACTOR as f64).powi(-rung) };
                for batch in settings.chunks(BATCH) {
                    let plans = batch
                        .iter()
                        .map(|(index, params)| PlannedTrial { index: *index, params: params.clone(), share })
                        .collect();
                    if !self.run_batch(plans)? {
                        return Ok(false);
                    }
                }
                if rung > 0 {
                    // The best on this share are continued; the others end here.
                    let mut order: Vec<(f64, usize)> =
                        settings.iter().map(|(index, _)| (self.mean_loss(&self.trials[*index]), *index)).collect();
                    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    let stay: Vec<usize> = order[..settings.len().div_ceil(FACTOR)].iter().map(|o| o.1).collect();
                    for (index, _) in settings.iter().filter(|s| !stay.contains(&s.0)) {
                        if self.trials[*index].ended == TrialEnd::Complete {
                            self.trials[*index].ended = TrialEnd::Pruned;
                        }
                    }
                    settings.retain(|(index, _)| stay.contains(index));
                }
            }
        }
    }

    pub(super) fn propose_even(&self, index: usize, planned: &[PlannedTrial]) -> Option<Map<String, Value>> {
        let space = self.search.space;
        (0..200u64)
            .map(|again| space.at(&propose::low_discrepancy_point(space, self.cx.seed, index as u64 + again * 1_000_003)))
            .find(|params| !self.trials.iter().any(|t| t.params == *params) && !planned.iter().any(|p| p.params == *params))
    }
}
