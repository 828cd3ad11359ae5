//! Parting a sorted list in two, stably.

use super::sorted::SortedEntry;

/// One bit per row.
pub(super) struct RowBits(Vec<u64>);

impl RowBits {
    pub fn new(rows: usize) -> Self {
        Self(vec![0; rows.div_ceil(64)])
    }

    #[inline(always)]
    pub fn get(&self, id: usize) -> bool {
        self.0[id >> 6] >> (id & 63) & 1 == 1
    }

    #[inline(always)]
    pub fn set(&mut self, id: usize, value: bool) {
        let mask = 1 << (id & 63);
        let word = &mut self.0[id >> 6];
        *word = *word & !mask | if value { mask } else { 0 };
    }
}

/// Which children of a split need their part of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeepSide {
    Both,
    Left,
    Right,
}

/// Stable partition of a list: rows whose mark is set come first. The part of a child that is not kept is left in any
/// state.
pub(super) fn partition<S: SortedEntry>(
    list: &mut [S],
    left: usize,
    goes_left: &RowBits,
    keep: KeepSide,
    marked: bool,
    spare: &mut Vec<S>,
) {
    let right = list.len() - left;
    spare.resize(right + 1, S::default());
    match (keep, marked) {
        (KeepSide::Both, false) => both::<S, false>(list, goes_left, spare),
        (KeepSide::Both, true) => both::<S, true>(list, goes_left, spare),
        (KeepSide::Left, false) => keep_left::<S, false>(list, goes_left),
        (KeepSide::Left, true) => keep_left::<S, true>(list, goes_left),
        (KeepSide::Right, false) => keep_right::<S, false>(list, goes_left, spare),
        (KeepSide::Right, true) => keep_right::<S, true>(list, goes_left, spare),
    }
    if keep != KeepSide::Left {
        list[left..].copy_from_slice(&spare[..right]);
    }
}

// In the three loops below an entry is written whether it belongs there or not, and the place moves on only if it does:
// which side a row takes cannot be guessed, and a wrong guess costs more than a write. A new value begins on a side with
// the first entry that goes there at or after the first of its value.

fn both<S: SortedEntry, const MARKED: bool>(list: &mut [S], goes_left: &RowBits, spare: &mut [S]) {
    let (mut l, mut r) = (0, 0);
    let (mut new_left, mut new_right) = (true, true);
    for i in 0..list.len() {
        let e = list[i];
        let goes = goes_left.get(e.id());
        if MARKED {
            new_left |= e.starts();
            new_right |= e.starts();
        }
        list[l] = if MARKED { e.with_start(new_left) } else { e };
        spare[r] = if MARKED { e.with_start(new_right) } else { e };
        l += usize::from(goes);
        r += usize::from(!goes);
        new_left &= !goes;
        new_right &= goes;
    }
}

fn keep_left<S: SortedEntry, const MARKED: bool>(list: &mut [S], goes_left: &RowBits) {
    let mut l = 0;
    let mut new_left = true;
    for i in 0..list.len() {
        let e = list[i];
        let goes = goes_left.get(e.id());
        new_left |= e.starts();
        list[l] = if MARKED { e.with_start(new_left) } else { e };
        l += usize::from(goes);
        new_left &= !goes;
    }
}

fn keep_right<S: SortedEntry, const MARKED: bool>(list: &[S], goes_left: &RowBits, spare: &mut [S]) {
    let mut r = 0;
    let mut new_right = true;
    for &e in list {
        let goes = goes_left.get(e.id());
        new_right |= e.starts();
        spare[r] = if MARKED { e.with_start(new_right) } else { e };
        r += usize::from(!goes);
        new_right &= goes;
    }
}
