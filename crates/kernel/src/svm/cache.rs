//! Cache of Gram matrix rows, with a limit on memory.

use ermine_core::Result;
use ermine_core::parallel::prelude::*;
use ermine_math::kernel::{GramNumber, Points};
use ermine_math::memory::mmap_zeros;

/// Rows of the Gram matrix of some points; the least recently used are replaced.
pub(super) struct KernelCache<T> {
    /// Row after row, with room for as many as the limit allows; the system only allocates what is written to.
    cells: Vec<T>,
    /// The point of each row.
    owner: Vec<u32>,
    /// When each row was last used.
    used: Vec<u64>,
    /// The row of each point.
    place: Vec<u32>,
    now: u64,
}

const NO_SLOT: u32 = u32::MAX;

impl<T: GramNumber> KernelCache<T> {
    pub fn new(points: usize, bytes: usize) -> Self {
        // At least four rows, without which no step is possible.
        let rows = (bytes / (points * size_of::<T>()).max(1)).max(4).min(points.max(4));
        let (cells, place) = (mmap_zeros(rows * points), vec![NO_SLOT; points]);
        Self { cells, owner: Vec::new(), used: Vec::new(), place, now: 0 }
    }

    /// Number of rows in the cache.
    pub fn capacity(&self) -> usize {
        self.cells.len() / self.place.len().max(1)
    }

    /// The row of a cached point.
    pub fn row(&self, point: u32) -> &[T] {
        let (row, width) = (self.place[point as usize] as usize, self.place.len());
        &self.cells[row * width..][..width]
    }

    /// Computes the missing rows, all together. At most [`KernelCache::capacity`] are requested, each once.
    pub fn ensure_rows(&mut self, wanted: &[u32], points: &Points<'_, T>) -> Result<()> {
        self.now += 1;
        let mut missing = Vec::new();
        for &point in wanted {
            match self.place[point as usize] {
                NO_SLOT => missing.push(point),
                row => self.used[row as usize] = self.now,
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let fresh = self.capacity().saturating_sub(self.owner.len()).min(missing.len());
        let mut slots: Vec<usize> = Vec::with_capacity(missing.len());
        if missing.len() > fresh {
            // The oldest rows are replaced; ties go by place, so that the result is deterministic.
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
        while slots.len() < missing.len() {
            slots.push(self.owner.len());
            self.owner.push(NO_SLOT);
            self.used.push(0);
        }
        slots.sort_unstable();
        for (&slot, &point) in slots.iter().zip(&missing) {
            if self.owner[slot] != NO_SLOT {
                self.place[self.owner[slot] as usize] = NO_SLOT;
            }
            (self.owner[slot], self.used[slot], self.place[point as usize]) = (point, self.now, slot as u32);
        }
        let mut next = slots.iter().peekable();
        let mut out: Vec<&mut [T]> = Vec::with_capacity(missing.len());
        for (slot, row) in self.cells.chunks_exact_mut(self.place.len()).enumerate() {
            if next.next_if(|s| **s == slot).is_some() {
                out.push(row);
            }
        }
        points.gram_rows(&missing, &mut out)
    }

    /// Keeps only the given points, in their order; `renumbered` is the new number of each old point.
    pub fn retain(&mut self, places: &[u32], renumbered: &[u32]) {
        let (before, width) = (self.place.len(), places.len());
        let new = |owner: u32| if owner == NO_SLOT { NO_SLOT } else { renumbered[owner as usize] };
        self.cells.par_chunks_mut(before.max(1)).zip(&self.owner).for_each(|(row, owner)| {
            if new(*owner) != NO_SLOT {
                places.iter().enumerate().for_each(|(new, &old)| row[new] = row[old as usize]);
            }
        });
        let (owner, used) = (std::mem::take(&mut self.owner), std::mem::take(&mut self.used));
        self.place = vec![NO_SLOT; width];
        for (row, (owner, used)) in owner.into_iter().zip(used).enumerate() {
            let owner = new(owner);
            if owner != NO_SLOT {
                // The target is never behind the source.
                self.cells.copy_within(row * before..row * before + width, self.owner.len() * width);
                self.place[owner as usize] = self.owner.len() as u32;
                self.owner.push(owner);
                self.used.push(used);
            }
        }
    }
}
