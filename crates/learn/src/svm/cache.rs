//! Rows of a Gram matrix, kept within a bound on memory.

use ermine_core::Result;
use ermine_math::kernel::{Number, Points};

/// Rows of the Gram matrix of some points; the ones used longest ago make room.
pub(super) struct Cache<T> {
    rows: Vec<Vec<T>>,
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
        Self { rows: Vec::new(), owner: Vec::new(), used: Vec::new(), place: vec![NOWHERE; points], now: 0, bytes }
    }

    /// How many rows there is room for; at least four, without which no step can be taken.
    pub fn most(&self) -> usize {
        let points = self.place.len();
        (self.bytes / (points * size_of::<T>()).max(1)).max(4).min(points.max(4))
    }

    /// The row of a point that was fetched last.
    pub fn row(&self, point: u32) -> &[T] {
        &self.rows[self.place[point as usize] as usize]
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
        let fresh = self.most().max(wanted.len()).saturating_sub(self.rows.len()).min(missing.len());
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
            slots.push(self.rows.len());
            self.rows.push(vec![T::default(); width]);
            self.owner.push(NOWHERE);
            self.used.push(0);
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
        for (slot, row) in self.rows.iter_mut().enumerate() {
            if next.next_if(|s| **s == slot).is_some() {
                out.push(row);
            }
        }
        points.gram_rows(&missing, &mut out)
    }

    /// Keeps the given points alone, in their order; `renumbered` is the new number of each old point.
    pub fn compact(&mut self, places: &[u32], renumbered: &[u32]) {
        let old = std::mem::take(&mut self.rows);
        let (owner, used) = (std::mem::take(&mut self.owner), std::mem::take(&mut self.used));
        self.place = vec![NOWHERE; places.len()];
        for ((mut row, owner), used) in old.into_iter().zip(owner).zip(used) {
            if owner == NOWHERE || renumbered[owner as usize] == NOWHERE {
                continue;
            }
            places.iter().enumerate().for_each(|(new, &old)| row[new] = row[old as usize]);
            row.truncate(places.len());
            row.shrink_to_fit();
            self.place[renumbered[owner as usize] as usize] = self.rows.len() as u32;
            self.rows.push(row);
            self.owner.push(renumbered[owner as usize]);
            self.used.push(used);
        }
    }
}
