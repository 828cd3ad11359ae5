//! Rows of a Gram matrix, kept within a bound on memory.

use ermine_core::Result;
use ermine_math::kernel::{Number, Points};

/// Rows of the Gram matrix of some points; the ones used longest ago make room.
pub(super) struct Cache<T> {
    /// The rows one after the other. One block, since the system gets it back as soon as it is let go, which it does not of many
    /// small ones.
    rows: Vec<T>,
    /// The point of each row.
    owner: Vec<u32>,
    /// When each row was last asked for.
    used: Vec<u64>,
    /// The row of each point.
    place: Vec<u32>,
    now: u64,
    bytes: usize,
}

const NOWHERE: u32 = u32::MAX;

impl<T: Number> Cache<T> {
    pub fn new(points: usize, bytes: usize) -> Self {
        let mut cache =
            Self { rows: Vec::new(), owner: Vec::new(), used: Vec::new(), place: vec![NOWHERE; points], now: 0, bytes };
        // All at once where the system has it: pages that are never written take no memory, and those that are need not be cleared
        // again. Else it grows as it is used.
        let all = cache.most() * points;
        if Vec::<T>::new().try_reserve_exact(all).is_ok() {
            cache.rows = vec![T::default(); all];
        }
        cache
    }

    /// How many rows there is room for; at least four, without which no step can be taken.
    pub fn most(&self) -> usize {
        let points = self.place.len();
        (self.bytes / (points * size_of::<T>()).max(1)).max(4).min(points.max(4))
    }

    /// The row of a point that was fetched last.
    pub fn row(&self, point: u32) -> &[T] {
        let width = self.place.len();
        &self.rows[self.place[point as usize] as usize * width..][..width]
    }

    /// Computes the rows that are missing, all together. At most [`Cache::most`] are asked for, each once.
    pub fn fetch(&mut self, wanted: &[u32], points: &Points<'_, T>) -> Result<()> {
        self.now += 1;
        let mut missing = Vec::new();
        for &point in wanted {
            match self.place[point as usize] {
                NOWHERE => missing.push(point),
                row => self.used[row as usize] = self.now,
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let fresh = self.most().max(wanted.len()).saturating_sub(self.owner.len()).min(missing.len());
        let mut slots: Vec<usize> = Vec::with_capacity(missing.len());
        if missing.len() > fresh {
            // The oldest rows give way; ties go by place, so that nothing depends on chance.
            let mut old: Vec<(u64, usize)> =
                self.used.iter().copied().enumerate().filter(|u| u.1 != self.now).map(|(row, used)| (used, row)).collect();
            let count = missing.len() - fresh;
            if count < old.len() {
                old.select_nth_unstable(count - 1);
                old.truncate(count);
            }
            old.sort_unstable();
            slots.extend(old.iter().map(|o| o.1));
        }
        let width = self.place.len();
        while slots.len() < missing.len() {
            slots.push(self.owner.len());
            self.owner.push(NOWHERE);
            self.used.push(0);
        }
        let needed = self.owner.len() * width;
        if self.rows.len() < needed {
            // No more than is needed: the bound is one on memory.
            self.rows.reserve_exact(needed - self.rows.len());
            self.rows.resize(needed, T::default());
        }
        slots.sort_unstable();
        for (&slot, &point) in slots.iter().zip(&missing) {
            if self.owner[slot] != NOWHERE {
                self.place[self.owner[slot] as usize] = NOWHERE;
            }
            (self.owner[slot], self.used[slot], self.place[point as usize]) = (point, self.now, slot as u32);
        }
        let mut next = slots.iter().peekable();
        let mut out: Vec<&mut [T]> = Vec::with_capacity(missing.len());
        for (slot, row) in self.rows.chunks_exact_mut(width.max(1)).enumerate() {
            if next.next_if(|s| **s == slot).is_some() {
                out.push(row);
            }
        }
        points.gram_rows(&missing, &mut out)
    }

    /// Keeps the given points alone, in their order; `renumbered` is the new number of each old point.
    pub fn compact(&mut self, places: &[u32], renumbered: &[u32]) {
        let (before, after) = (self.place.len(), places.len());
        let (owner, used) = (std::mem::take(&mut self.owner), std::mem::take(&mut self.used));
        self.place = vec![NOWHERE; after];
        for (row, (owner, used)) in owner.into_iter().zip(used).enumerate() {
            if owner == NOWHERE || renumbered[owner as usize] == NOWHERE {
                continue;
            }
            let (from, to) = (row * before, self.owner.len() * after);
            // What is written lies before all that is still to be read.
            places.iter().enumerate().for_each(|(new, &old)| self.rows[to + new] = self.rows[from + old as usize]);
            self.place[renumbered[owner as usize] as usize] = self.owner.len() as u32;
            self.owner.push(renumbered[owner as usize]);
            self.used.push(used);
        }
    }
}
