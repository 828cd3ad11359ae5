//! Experience replay (Lin 1992).

use ermine_core::RngStream;

/// The last steps, in a ring buffer.
pub(super) struct ReplayBuffer {
    width: usize,
    capacity: usize,
    observations: Vec<f32>,
    next_observations: Vec<f32>,
    actions: Vec<u32>,
    rewards: Vec<f32>,
    /// 0 after a terminal step, else 1.
    not_terminal: Vec<f32>,
    /// Index of the next step to write.
    write_at: usize,
}

/// Sampled steps.
pub(super) struct ReplayBatch {
    pub observations: Vec<f32>,
    pub next_observations: Vec<f32>,
    pub actions: Vec<u32>,
    pub rewards: Vec<f32>,
    pub not_terminal: Vec<f32>,
}

impl ReplayBuffer {
    pub fn new(width: usize, capacity: usize) -> Self {
        Self {
            width,
            capacity,
            observations: Vec::new(),
            next_observations: Vec::new(),
            actions: Vec::new(),
            rewards: Vec::new(),
            not_terminal: Vec::new(),
            write_at: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.actions.len()
    }

    pub fn push(&mut self, observations: &[f32], action: usize, reward: f64, next_observations: &[f32], terminated: bool) {
        let (action, reward, not_terminal) = (action as u32, reward as f32, f32::from(u8::from(!terminated)));
        if self.len() < self.capacity {
            self.observations.extend_from_slice(observations);
            self.next_observations.extend_from_slice(next_observations);
            self.actions.push(action);
            self.rewards.push(reward);
            self.not_terminal.push(not_terminal);
        } else {
            let span = self.write_at * self.width..(self.write_at + 1) * self.width;
            self.observations[span.clone()].copy_from_slice(observations);
            self.next_observations[span].copy_from_slice(next_observations);
            (self.actions[self.write_at], self.rewards[self.write_at], self.not_terminal[self.write_at]) =
                (action, reward, not_terminal);
        }
        self.write_at = (self.write_at + 1) % self.capacity;
    }

    /// Samples steps uniformly.
    pub fn sample(&self, count: usize, rng: &mut RngStream, out: &mut ReplayBatch) {
        let width = self.width;
        for k in 0..count {
            let i = rng.below(self.len());
            out.observations[k * width..(k + 1) * width].copy_from_slice(&self.observations[i * width..(i + 1) * width]);
            out.next_observations[k * width..(k + 1) * width]
                .copy_from_slice(&self.next_observations[i * width..(i + 1) * width]);
            (out.actions[k], out.rewards[k], out.not_terminal[k]) = (self.actions[i], self.rewards[i], self.not_terminal[i]);
        }
    }
}

impl ReplayBatch {
    pub fn new(width: usize, count: usize) -> Self {
        Self {
            observations: vec![0.0; width * count],
            next_observations: vec![0.0; width * count],
            actions: vec![0; count],
            rewards: vec![0.0; count],
            not_terminal: vec![0.0; count],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_steps_make_room_for_new_ones() {
        let mut memory = ReplayBuffer::new(1, 4);
        for i in 0..6u8 {
            memory.push(&[f32::from(i)], i.into(), f64::from(i), &[f32::from(i) + 0.5], i == 5);
        }
        assert_eq!(memory.len(), 4);
        assert_eq!(memory.observations, [4.0, 5.0, 2.0, 3.0]);
        let mut batch = ReplayBatch::new(1, 200);
        memory.sample(200, &mut RngStream::new(0, "draws", 0), &mut batch);
        for k in 0..200 {
            let i = batch.observations[k];
            assert!((2.0..=5.0).contains(&i));
            assert_eq!((batch.next_observations[k], batch.rewards[k], batch.actions[k] as f32), (i + 0.5, i, i));
            assert_eq!(batch.not_terminal[k], f32::from(u8::from(i != 5.0)));
        }
    }
}
