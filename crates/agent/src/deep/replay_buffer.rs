//! What was lived through, to be lived through again (Lin 1992).

use ermine_core::RngStream;

/// The last steps, in a ring.
pub(super) struct ReplayBuffer {
    width: usize,
    room: usize,
    seen: Vec<f32>,
    next: Vec<f32>,
    actions: Vec<u32>,
    rewards: Vec<f32>,
    /// 1 where something follows, 0 after an end.
    follows: Vec<f32>,
    /// Where the next step goes.
    at: usize,
}

/// Steps that were drawn from the memory.
pub(super) struct ReplayBatch {
    pub seen: Vec<f32>,
    pub next: Vec<f32>,
    pub actions: Vec<u32>,
    pub rewards: Vec<f32>,
    pub follows: Vec<f32>,
}

impl ReplayBuffer {
    pub fn new(width: usize, room: usize) -> Self {
        Self {
            width,
            room,
            seen: Vec::new(),
            next: Vec::new(),
            actions: Vec::new(),
            rewards: Vec::new(),
            follows: Vec::new(),
            at: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.actions.len()
    }

    pub fn push(&mut self, seen: &[f32], action: usize, reward: f64, next: &[f32], terminated: bool) {
        let (action, reward, follows) = (action as u32, reward as f32, f32::from(u8::from(!terminated)));
        if self.len() < self.room {
            self.seen.extend_from_slice(seen);
            self.next.extend_from_slice(next);
            self.actions.push(action);
            self.rewards.push(reward);
            self.follows.push(follows);
        } else {
            let span = self.at * self.width..(self.at + 1) * self.width;
            self.seen[span.clone()].copy_from_slice(seen);
            self.next[span].copy_from_slice(next);
            (self.actions[self.at], self.rewards[self.at], self.follows[self.at]) = (action, reward, follows);
        }
        self.at = (self.at + 1) % self.room;
    }

    /// Draws steps, each with the same probability.
    pub fn sample(&self, count: usize, rng: &mut RngStream, out: &mut ReplayBatch) {
        let width = self.width;
        for k in 0..count {
            let i = rng.below(self.len());
            out.seen[k * width..(k + 1) * width].copy_from_slice(&self.seen[i * width..(i + 1) * width]);
            out.next[k * width..(k + 1) * width].copy_from_slice(&self.next[i * width..(i + 1) * width]);
            (out.actions[k], out.rewards[k], out.follows[k]) = (self.actions[i], self.rewards[i], self.follows[i]);
        }
    }
}

impl ReplayBatch {
    pub fn new(width: usize, count: usize) -> Self {
        Self {
            seen: vec![0.0; width * count],
            next: vec![0.0; width * count],
            actions: vec![0; count],
            rewards: vec![0.0; count],
            follows: vec![0.0; count],
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
        assert_eq!(memory.seen, [4.0, 5.0, 2.0, 3.0]);
        let mut batch = ReplayBatch::new(1, 200);
        memory.sample(200, &mut RngStream::new(0, "draws", 0), &mut batch);
        for k in 0..200 {
            let i = batch.seen[k];
            assert!((2.0..=5.0).contains(&i));
            assert_eq!((batch.next[k], batch.rewards[k], batch.actions[k] as f32), (i + 0.5, i, i));
            assert_eq!(batch.follows[k], f32::from(u8::from(i != 5.0)));
        }
    }
}
