//! Sums of gradients and curvatures by bin.

use std::cell::RefCell;
use std::ops::Range;

use super::matrix::{Bin, BinMatrix, PANEL, Panel, Panels};

/// A gradient and a curvature in one word: the gradient in the upper half, the curvature, which is not negative, in the lower.
/// Words can be added and subtracted as long as both sums fit in their halves.
#[inline(always)]
pub fn pack(gradient: i32, curvature: u32) -> u64 {
    ((i64::from(gradient) << 32) + i64::from(curvature)) as u64
}

/// The halves of a word, or of a sum of words.
#[inline(always)]
pub fn unpack(word: u64) -> (i64, i64) {
    (word as i64 >> 32, i64::from(word as u32))
}

/// Sums by bin, of all columns.
#[derive(Debug, Clone, PartialEq)]
pub enum Histogram {
    /// Packed words.
    Narrow(Vec<u64>),
    /// Gradient and curvature.
    Wide(Vec<[i64; 2]>),
}

/// A part of a [`Histogram`].
#[derive(Debug, Clone, Copy)]
pub enum HistogramRef<'a> {
    /// Packed words.
    Narrow(&'a [u64]),
    /// Gradient and curvature.
    Wide(&'a [[i64; 2]]),
}

/// A part of a [`Histogram`] that can be written.
#[derive(Debug)]
pub enum HistogramMut<'a> {
    /// Packed words.
    Narrow(&'a mut [u64]),
    /// Gradient and curvature.
    Wide(&'a mut [[i64; 2]]),
}

impl Histogram {
    /// Zeros.
    pub fn zeros(narrow: bool, len: usize) -> Self {
        if narrow { Self::Narrow(vec![0; len]) } else { Self::Wide(vec![[0; 2]; len]) }
    }

    /// Whether the sums are packed.
    pub fn is_narrow(&self) -> bool {
        matches!(self, Self::Narrow(_))
    }

    /// A part.
    pub fn part(&self, range: Range<usize>) -> HistogramRef<'_> {
        match self {
            Self::Narrow(v) => HistogramRef::Narrow(&v[range]),
            Self::Wide(v) => HistogramRef::Wide(&v[range]),
        }
    }

    /// The parts between ascending edges, of which the first is 0 and the last the length.
    pub fn parts_mut(&mut self, edges: &[usize]) -> Vec<HistogramMut<'_>> {
        fn split_at_edges<'a, T>(mut rest: &'a mut [T], edges: &[usize]) -> Vec<&'a mut [T]> {
            let mut out = Vec::with_capacity(edges.len());
            for e in edges.windows(2) {
                let (part, after) = rest.split_at_mut(e[1] - e[0]);
                out.push(part);
                rest = after;
            }
            out
        }
        match self {
            Self::Narrow(v) => split_at_edges(v, edges).into_iter().map(HistogramMut::Narrow).collect(),
            Self::Wide(v) => split_at_edges(v, edges).into_iter().map(HistogramMut::Wide).collect(),
        }
    }
}

impl HistogramRef<'_> {
    /// Gradient and curvature of a bin.
    #[inline]
    pub fn get(&self, bin: usize) -> (i64, i64) {
        match self {
            Self::Narrow(v) => unpack(v[bin]),
            Self::Wide(v) => (v[bin][0], v[bin][1]),
        }
    }

    /// A part of the part.
    pub fn part(&self, range: Range<usize>) -> Self {
        match self {
            Self::Narrow(v) => Self::Narrow(&v[range]),
            Self::Wide(v) => Self::Wide(&v[range]),
        }
    }
}

impl HistogramMut<'_> {
    /// Makes all sums 0.
    pub fn clear(&mut self) {
        match self {
            Self::Narrow(v) => v.fill(0),
            Self::Wide(v) => v.fill([0; 2]),
        }
    }

    /// For reading.
    pub fn as_ref(&self) -> HistogramRef<'_> {
        match self {
            Self::Narrow(v) => HistogramRef::Narrow(v),
            Self::Wide(v) => HistogramRef::Wide(v),
        }
    }

    /// Adds another part of the same length.
    pub fn add(&mut self, other: HistogramRef<'_>) {
        match (self, other) {
            (Self::Narrow(a), HistogramRef::Narrow(b)) => a.iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_add(*b)),
            (Self::Wide(a), HistogramRef::Wide(b)) => a.iter_mut().zip(b).for_each(|(a, b)| {
                a[0] += b[0];
                a[1] += b[1];
            }),
            (Self::Wide(a), HistogramRef::Narrow(b)) => a.iter_mut().zip(b).for_each(|(a, b)| {
                let (g, h) = unpack(*b);
                a[0] += g;
                a[1] += h;
            }),
            (Self::Narrow(_), HistogramRef::Wide(_)) => unreachable!("wide sums do not fit in packed ones"),
        }
    }
}

/// `out = parent - child`, where the difference fits in `out`.
pub fn difference(parent: HistogramRef<'_>, child: HistogramRef<'_>, out: &mut HistogramMut<'_>) {
    match (parent, child, out) {
        (HistogramRef::Narrow(p), HistogramRef::Narrow(c), HistogramMut::Narrow(o)) => {
            for ((o, p), c) in o.iter_mut().zip(p).zip(c) {
                *o = p.wrapping_sub(*c);
            }
        }
        (HistogramRef::Wide(p), HistogramRef::Wide(c), HistogramMut::Wide(o)) => {
            for ((o, p), c) in o.iter_mut().zip(p).zip(c) {
                *o = [p[0] - c[0], p[1] - c[1]];
            }
        }
        (HistogramRef::Wide(p), HistogramRef::Narrow(c), HistogramMut::Wide(o)) => {
            for ((o, p), c) in o.iter_mut().zip(p).zip(c) {
                let (g, h) = unpack(*c);
                *o = [p[0] - g, p[1] - h];
            }
        }
        (HistogramRef::Wide(p), child, HistogramMut::Narrow(o)) => {
            for (k, (o, p)) in o.iter_mut().zip(p).enumerate() {
                let (g, h) = child.get(k);
                *o = pack((p[0] - g) as i32, (p[1] - h) as u32);
            }
        }
        (HistogramRef::Narrow(_), _, _) => unreachable!("what is packed has packed parts"),
    }
}

/// The rows of a node.
#[derive(Debug, Clone)]
pub enum RowList<'a> {
    /// A run of rows.
    Run(Range<usize>),
    /// These rows.
    Some(&'a [u32]),
}

impl RowList<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Run(range) => range.len(),
            Self::Some(rows) => rows.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A part.
    pub fn part(&self, range: Range<usize>) -> RowList<'_> {
        match self {
            Self::Run(all) => RowList::Run(all.start + range.start..all.start + range.end),
            Self::Some(rows) => RowList::Some(&rows[range]),
        }
    }
}

thread_local! {
    /// Sums of one panel, zero between calls.
    static SCRATCH: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl BinMatrix {
    /// Sums the words of `rows` by the bins of the columns of one panel, overwriting `out`. No sum of words of up to
    /// `block` rows may overflow the halves of a word; for more rows `out` must be wide.
    ///
    /// # Panics
    /// When a row is outside the table or of `words`, or `out` has not the length of the panel's histograms.
    pub fn histogram(&self, panel: usize, rows: &RowList<'_>, words: &[u64], block: usize, out: &mut HistogramMut<'_>) {
        assert!(words.len() >= self.rows(), "one word per row");
        let bound = match rows {
            RowList::Run(range) => range.end,
            RowList::Some(rows) => rows.iter().copied().max().map_or(0, |r| r as usize + 1),
        };
        assert!(bound <= self.rows(), "row {bound} of {}", self.rows());
        assert!(matches!(out, HistogramMut::Wide(_)) || rows.len() <= block, "sums may outgrow packed words");
        match self.panels() {
            Panels::Small(panels) => {
                let panel = &panels[panel];
                self.in_blocks(panel, 256, rows, block, out, |rows, scratch| small(panel, rows, words, scratch));
            }
            Panels::Large(panels) => {
                let panel = &panels[panel];
                self.in_blocks(panel, 0, rows, block, out, |rows, scratch| self.large(panel, rows, words, scratch));
            }
        }
    }

    /// Runs `sum` over blocks of rows and moves its sums to `out`. The sums of the columns are `stride` apart in the scratch
    /// memory; 0 means as in `out`.
    fn in_blocks<T: Bin>(
        &self,
        panel: &Panel<T>,
        stride: usize,
        rows: &RowList<'_>,
        block: usize,
        out: &mut HistogramMut<'_>,
        mut sum: impl FnMut(RowList<'_>, &mut [u64]),
    ) {
        let base = self.offsets()[panel.first];
        let columns = panel.first..panel.first + panel.width;
        let len = if stride > 0 { PANEL * stride } else { self.offsets()[columns.end] - base };
        SCRATCH.with_borrow_mut(|scratch| {
            if scratch.len() < len {
                scratch.resize(len, 0);
            }
            let mut first = true;
            let mut at = 0;
            loop {
                let end = rows.len().min(at + block.max(1));
                sum(rows.part(at..end), &mut scratch[..len]);
                for (slot, j) in columns.clone().enumerate() {
                    let to = self.offsets()[j] - base..self.offsets()[j + 1] - base;
                    let from = if stride > 0 { slot * stride } else { to.start };
                    let sums = &mut scratch[from..from + to.len()];
                    match out {
                        HistogramMut::Narrow(out) => out[to].copy_from_slice(sums),
                        HistogramMut::Wide(out) => {
                            for (o, &word) in out[to].iter_mut().zip(&*sums) {
                                let (g, h) = unpack(word);
                                *o = if first { [g, h] } else { [o[0] + g, o[1] + h] };
                            }
                        }
                    }
                    sums.fill(0);
                }
                (first, at) = (false, end);
                if at >= rows.len() {
                    break;
                }
            }
        });
    }

    fn large(&self, panel: &Panel<u16>, rows: RowList<'_>, words: &[u64], sums: &mut [u64]) {
        let base = self.offsets()[panel.first];
        let starts: Vec<usize> = (0..panel.width).map(|k| self.offsets()[panel.first + k] - base).collect();
        let mut add = |row: usize| {
            let cells = &panel.cells[row * panel.width..(row + 1) * panel.width];
            for (cell, start) in cells.iter().zip(&starts) {
                let sum = &mut sums[start + cell.index()];
                *sum = sum.wrapping_add(words[row]);
            }
        };
        match rows {
            RowList::Run(range) => range.for_each(&mut add),
            RowList::Some(rows) => rows.iter().for_each(|&r| add(r as usize)),
        }
    }

    /// Counts rows by the bins of one column; `count` gives the multiplicity of a row.
    pub fn counts(&self, column: usize, rows: &RowList<'_>, count: impl Fn(usize) -> u64) -> Vec<u64> {
        let mut out = vec![0; self.columns()[column].missing() + 1];
        let (panel, slot) = self.place(column);
        let mut each = |row: usize| {
            let bin = match self.panels() {
                Panels::Small(panels) => panels[panel].get(row, slot),
                Panels::Large(panels) => panels[panel].get(row, slot),
            };
            out[bin] += count(row);
        };
        match rows {
            RowList::Run(range) => range.clone().for_each(&mut each),
            RowList::Some(rows) => rows.iter().for_each(|&r| each(r as usize)),
        }
        out
    }
}

/// The inner loop for one-byte cells; `rows` were checked to lie in the panel and in `words`.
fn small(panel: &Panel<u8>, rows: RowList<'_>, words: &[u64], sums: &mut [u64]) {
    macro_rules! widths {
        ($($w:literal)*) => {
            match panel.width {
                $($w => fixed::<$w>(panel, rows, words, sums),)*
                _ => unreachable!("panels have at most 16 columns"),
            }
        };
    }
    if panel.width > 0 {
        widths!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    }
}

/// Rows prefetched ahead.
const PREFETCH_ROWS: usize = 24;

#[inline(never)]
fn fixed<const W: usize>(panel: &Panel<u8>, rows: RowList<'_>, words: &[u64], sums: &mut [u64]) {
    assert!(sums.len() >= PANEL * 256 && W <= PANEL && panel.width == W);
    let (cells, words, sums) = (panel.cells.as_ptr(), words.as_ptr(), sums.as_mut_ptr());
    let one = |row: usize| {
        // SAFETY: the caller has checked that the row is in the panel and has a word; a cell is below 256, and there are 256 sums
        // for each of the W columns.
        unsafe {
            let word = *words.add(row);
            let cells = cells.add(row * W);
            for k in 0..W {
                let sum = sums.add(k * 256 + usize::from(*cells.add(k)));
                *sum = (*sum).wrapping_add(word);
            }
        }
    };
    match rows {
        RowList::Run(range) => range.for_each(one),
        RowList::Some(rows) => {
            let ahead = rows.len().saturating_sub(PREFETCH_ROWS);
            for i in 0..ahead {
                prefetch(cells.wrapping_add(rows[i + PREFETCH_ROWS] as usize * W));
                prefetch(words.wrapping_add(rows[i + PREFETCH_ROWS] as usize));
                one(rows[i] as usize);
            }
            rows[ahead..].iter().for_each(|&r| one(r as usize));
        }
    }
}

#[inline(always)]
fn prefetch<T>(at: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and cannot fault, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::ColumnBins;
    use ermine_core::RngStream;

    fn sample(rows: usize, cols: usize, bins: usize) -> (BinMatrix, Vec<u64>) {
        let columns: Vec<ColumnBins> =
            (0..cols).map(|j| ColumnBins::Numbers { cuts: (0..(bins - 1 - j % 3)).map(|k| k as f64).collect() }).collect();
        let mut s = RngStream::new(3, "histogram", 0);
        let values: Vec<f64> = (0..rows * cols).map(|_| if s.below(20) == 0 { f64::NAN } else { s.below(bins) as f64 }).collect();
        let mut m = BinMatrix::new(columns);
        m.append(rows, |j, first, out| out.iter_mut().enumerate().for_each(|(i, v)| *v = values[(first + i) * cols + j]));
        let words = (0..rows).map(|_| pack(s.below(60_001) as i32 - 30_000, s.below(30_000) as u32)).collect();
        (m, words)
    }

    #[test]
    fn words_hold_two_sums() {
        let mut s = RngStream::new(4, "words", 0);
        let (mut sum, mut g, mut h) = (0u64, 0i64, 0i64);
        for _ in 0..1000 {
            let (a, b) = (s.below(2_000_001) as i32 - 1_000_000, s.below(1_000_000) as u32);
            sum = sum.wrapping_add(pack(a, b));
            (g, h) = (g + i64::from(a), h + i64::from(b));
            assert_eq!(unpack(sum), (g, h));
        }
    }

    #[test]
    fn all_ways_give_the_sums_of_a_plain_loop() {
        for (cols, bins) in [(1, 5), (9, 255), (20, 40), (18, 400)] {
            let rows = 4000;
            let (m, words) = sample(rows, cols, bins);
            let list: Vec<u32> = (0..rows as u32).filter(|r| r % 3 != 1).collect();
            for (rows, plain) in [
                (RowList::Run(0..rows), (0..rows).collect::<Vec<_>>()),
                (RowList::Some(&list), list.iter().map(|&r| r as usize).collect()),
            ] {
                let total = *m.offsets().last().unwrap();
                let mut expected = vec![[0i64; 2]; total];
                for &r in &plain {
                    for j in 0..cols {
                        let (g, h) = unpack(words[r]);
                        let at = &mut expected[m.offsets()[j] + m.get(r, j)];
                        *at = [at[0] + g, at[1] + h];
                    }
                }
                let columns = m.panel_columns();
                let edges: Vec<usize> = columns.iter().map(|c| m.offsets()[c.start]).chain([total]).collect();
                for (narrow, block) in [(true, 65_535), (false, 65_535), (false, 17)] {
                    let mut narrow_result = Histogram::zeros(narrow, total);
                    for (panel, mut part) in narrow_result.parts_mut(&edges).into_iter().enumerate() {
                        m.histogram(panel, &rows, &words, block, &mut part);
                    }
                    let all = narrow_result.part(0..total);
                    assert!(
                        (0..total).all(|k| all.get(k) == (expected[k][0], expected[k][1])),
                        "{cols} columns, {narrow}, {block}"
                    );
                }
            }
            let counts = m.counts(cols - 1, &RowList::Some(&list), |_| 1);
            assert_eq!(counts.iter().sum::<u64>() as usize, list.len());
        }
    }

    #[test]
    fn a_sibling_is_the_difference() {
        let (m, words) = sample(3000, 6, 30);
        let total = *m.offsets().last().unwrap();
        let (left, right): (Vec<u32>, Vec<u32>) = (0..3000u32).partition(|r| m.get(*r as usize, 2) < 9);
        let sums = |rows: RowList<'_>, narrow: bool| {
            let mut out = Histogram::zeros(narrow, total);
            m.histogram(0, &rows, &words, 65_000, &mut out.parts_mut(&[0, total])[0]);
            out
        };
        for (p, c, s) in
            [(true, true, true), (false, true, true), (false, false, true), (false, true, false), (false, false, false)]
        {
            let (parent, child) = (sums(RowList::Run(0..3000), p), sums(RowList::Some(&left), c));
            let mut sibling = Histogram::zeros(s, total);
            difference(parent.part(0..total), child.part(0..total), &mut sibling.parts_mut(&[0, total])[0]);
            assert_eq!(sibling, sums(RowList::Some(&right), s));
        }
    }
}
