//! Evaluation of a tree for many rows at once, by comparing every node with all rows.
//!
//! When descending a tree, each node waits for the cell selected by the node before it. Here there is no such
//! dependency: cells are replaced by small codes, one byte each, and each node is compared with [`ROWS`] rows by a few
//! vector instructions. A node has a mask of the rows that reach it, and passes masks on to its children; the leaf of a
//! row, counted from the left, is the number of leaves to the left of its path. For trees of up to some two hundred
//! leaves that is several times faster than descending.

/// Rows processed together.
pub const ROWS: usize = 128;
/// Most tests a tree may have: a leaf must have a number in a byte.
pub const MAX_TESTS: usize = 254;

/// One byte per row.
pub type RowBytes = [i8; ROWS];

/// Most leaves for which this is faster than descending the tree, on this processor.
pub fn most_leaves() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if x86::has_avx512() {
            return 255;
        }
        if is_x86_feature_detected!("avx2") {
            return 128;
        }
    }
    64
}

/// An inner node. Its mask is at its own index among the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaskTest {
    /// Index of the column of codes.
    pub column: u32,
    /// Codes up to it go left.
    pub threshold: i8,
    /// Leaves of the left branch.
    pub left_leaves: u8,
    /// Index of the left child among the tests; the number of tests means a leaf.
    pub left: u16,
    /// Index of the right child among the tests; one more than the number of tests means a leaf.
    pub right: u16,
}

/// A tree as its tests, each after its parent, the first the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskTree {
    tests: Box<[MaskTest]>,
    /// Lanes of codes it needs.
    columns: usize,
}

/// Buffers kept between calls.
#[derive(Debug, Clone)]
pub struct MaskScratch(Box<[RowBytes; MAX_TESTS + 2]>);

impl Default for MaskScratch {
    fn default() -> Self {
        Self(Box::new([[0; ROWS]; MAX_TESTS + 2]))
    }
}

impl MaskTree {
    /// The tree of these tests.
    ///
    /// # Panics
    /// When there are more than [`MAX_TESTS`], or a child does not come after its parent or has no place of its own.
    pub fn new(tests: Vec<MaskTest>) -> Self {
        let n = tests.len();
        assert!(n <= MAX_TESTS, "{n} tests");
        for (i, t) in tests.iter().enumerate() {
            let place = |child: u16, leaf: usize| (i + 1..n).contains(&(child as usize)) || child as usize == leaf;
            assert!(place(t.left, n) && place(t.right, n + 1) && t.left != t.right, "test {i} of {n}: {t:?}");
        }
        let columns = tests.iter().map(|t| t.column as usize + 1).max().unwrap_or(0);
        Self { tests: tests.into(), columns }
    }

    /// The leaf of each row, counted from the left.
    ///
    /// # Panics
    /// When a test looks at a lane of codes that is not there.
    pub fn leaves(&self, codes: &[RowBytes], masks: &mut MaskScratch, out: &mut [u8; ROWS]) {
        assert!(codes.len() >= self.columns, "{} lanes of codes, and {} are needed", codes.len(), self.columns);
        #[cfg(target_arch = "x86_64")]
        {
            if x86::has_avx512() {
                // SAFETY: the features are there, and the lanes too.
                return unsafe { x86::leaves_avx512(&self.tests, codes, masks, out) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the feature is there, and the lanes too.
                return unsafe { x86::leaves_avx2(&self.tests, codes, masks, out) };
            }
        }
        // SAFETY: the lanes are there.
        unsafe { run(&self.tests, codes, masks, out) }
    }
}

/// # Safety
/// The tests must be those of a [`MaskTree`] and every column they look at among the codes.
#[inline(always)]
unsafe fn run(tests: &[MaskTest], codes: &[RowBytes], masks: &mut MaskScratch, out: &mut [u8; ROWS]) {
    const WIDTH: usize = 32;
    *out = [0; ROWS];
    masks.0[0] = [-1; ROWS];
    let base = masks.0.as_mut_ptr();
    for (i, test) in tests.iter().enumerate() {
        // SAFETY: places of tests and leaves lie within the masks, which hold two more than the most tests a tree has; the
        // column is the caller's promise. Each part is read before it is written, so places may be near each other.
        unsafe {
            let code = codes.as_ptr().add(test.column as usize).cast::<i8>();
            let here = base.add(i).cast::<i8>();
            let (left, right) = (base.add(test.left as usize).cast::<i8>(), base.add(test.right as usize).cast::<i8>());
            for at in (0..ROWS).step_by(WIDTH) {
                let here: [i8; WIDTH] = here.add(at).cast::<[i8; WIDTH]>().read_unaligned();
                let code: [i8; WIDTH] = code.add(at).cast::<[i8; WIDTH]>().read_unaligned();
                let index = out.as_mut_ptr().add(at).cast::<[u8; WIDTH]>();
                let leaf: [u8; WIDTH] = index.read_unaligned();
                let goes: [i8; WIDTH] = std::array::from_fn(|k| if code[k] > test.threshold { here[k] } else { 0 });
                let stays: [i8; WIDTH] = std::array::from_fn(|k| here[k] & !goes[k]);
                let leaf: [u8; WIDTH] = std::array::from_fn(|k| leaf[k].wrapping_add(goes[k] as u8 & test.left_leaves));
                left.add(at).cast::<[i8; WIDTH]>().write_unaligned(stays);
                right.add(at).cast::<[i8; WIDTH]>().write_unaligned(goes);
                index.write_unaligned(leaf);
            }
        }
    }
}

/// Numbers that can be replaced by codes.
pub trait CodedNumber: Copy + PartialOrd + Default {
    /// Beyond every number that is not infinite.
    const INFINITY: Self;
    /// A bit for each of 16 numbers below this one.
    ///
    /// # Safety
    /// The processor must have AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[doc(hidden)]
    unsafe fn above_avx512(self, numbers: &[Self; 16]) -> u16;
}

impl CodedNumber for f32 {
    const INFINITY: Self = f32::INFINITY;
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn above_avx512(self, numbers: &[Self; 16]) -> u16 {
        use std::arch::x86_64::*;
        // SAFETY: the instructions are the caller's promise; 16 numbers are there.
        unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(_mm512_set1_ps(self), _mm512_loadu_ps(numbers.as_ptr())) }
    }
}

impl CodedNumber for f64 {
    const INFINITY: Self = f64::INFINITY;
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn above_avx512(self, numbers: &[Self; 16]) -> u16 {
        use std::arch::x86_64::*;
        // SAFETY: the instructions are the caller's promise; 16 numbers are there.
        unsafe {
            let v = _mm512_set1_pd(self);
            let low = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(v, _mm512_loadu_pd(numbers.as_ptr()));
            let high = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(v, _mm512_loadu_pd(numbers.as_ptr().add(8)));
            u16::from(low) | u16::from(high) << 8
        }
    }
}

/// Sorted thresholds, at most [`MAX_TESTS`], in a two-level layout for counting.
#[derive(Debug, Clone)]
pub struct CodeThresholds<T> {
    /// The last of every sixteen but the last sixteen, filled up with infinity.
    coarse: [T; 16],
    /// All, filled up with infinity.
    fine: Box<[[T; 16]; 16]>,
    /// Sixteens that hold a threshold.
    parts: usize,
}

impl<T: CodedNumber> CodeThresholds<T> {
    /// From ascending numbers.
    ///
    /// # Panics
    /// When there are more than [`MAX_TESTS`].
    pub fn new(sorted: &[T]) -> Self {
        assert!(sorted.len() <= MAX_TESTS, "{} thresholds", sorted.len());
        let at = |i: usize| sorted.get(i).copied().unwrap_or(T::INFINITY);
        let parts = sorted.len().div_ceil(16).max(1);
        Self {
            coarse: std::array::from_fn(|p| if p + 1 < parts { at(16 * p + 15) } else { T::INFINITY }),
            fine: Box::new(std::array::from_fn(|p| std::array::from_fn(|k| at(16 * p + k)))),
            parts,
        }
    }

    /// Number of thresholds below each cell, minus 128; 127 for a missing cell.
    pub fn code(&self, cells: &[T; ROWS], out: &mut RowBytes) {
        #[cfg(target_arch = "x86_64")]
        {
            if x86::has_avx512() {
                // SAFETY: the features are there.
                return unsafe { x86::code_avx512(self, cells, out) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the feature is there.
                return unsafe { x86::code_avx2(self, cells, out) };
            }
        }
        self.run(cells, out);
    }

    #[inline(always)]
    fn run(&self, cells: &[T; ROWS], out: &mut RowBytes) {
        let mut part = [0u8; ROWS];
        for t in &self.coarse[..self.parts - 1] {
            part.iter_mut().zip(cells).for_each(|(p, v)| *p += u8::from(v > t));
        }
        for ((v, &part), out) in cells.iter().zip(&part).zip(out) {
            let above: u32 = self.fine[part as usize & 15].iter().map(|t| u32::from(v > t)).sum();
            *out = finish(*v, 16 * u32::from(part) + above);
        }
    }
}

/// The code of a cell above so many thresholds.
#[inline(always)]
fn finish<T: CodedNumber>(cell: T, above: u32) -> i8 {
    // NaN is missing.
    if cell.partial_cmp(&cell).is_some() { (above as u8 ^ 0x80) as i8 } else { i8::MAX }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{CodeThresholds, CodedNumber, MAX_TESTS, MaskScratch, MaskTest, ROWS, RowBytes, finish, run};

    #[inline]
    pub(super) fn has_avx512() -> bool {
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("popcnt")
    }

    /// Masks are one bit per row here, and stay in mask registers; the leaves stay in vector registers.
    ///
    /// # Safety
    /// As for [`run`].
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn leaves_avx512(tests: &[MaskTest], codes: &[RowBytes], masks: &mut MaskScratch, out: &mut [u8; ROWS]) {
        const PARTS: usize = ROWS / 64;
        const { assert!(size_of::<[u64; PARTS]>() * (MAX_TESTS + 2) <= size_of::<[RowBytes; MAX_TESTS + 2]>()) };
        let bits = masks.0.as_mut_ptr().cast::<[u64; PARTS]>();
        let mut leaf = [_mm512_setzero_si512(); PARTS];
        // SAFETY: a place has 16 bytes of the 128 it has as a lane; see `run` for the places and columns.
        unsafe {
            bits.write_unaligned([u64::MAX; PARTS]);
            for (i, test) in tests.iter().enumerate() {
                let here = bits.add(i).read_unaligned();
                let code = codes.as_ptr().add(test.column as usize).cast::<__m512i>();
                let threshold = _mm512_set1_epi8(test.threshold);
                let count = _mm512_set1_epi8(test.left_leaves as i8);
                let (mut left, mut right) = ([0; PARTS], [0; PARTS]);
                for p in 0..PARTS {
                    right[p] = _mm512_mask_cmpgt_epi8_mask(here[p], _mm512_loadu_si512(code.add(p)), threshold);
                    left[p] = here[p] & !right[p];
                    leaf[p] = _mm512_mask_add_epi8(leaf[p], right[p], leaf[p], count);
                }
                bits.add(test.left as usize).write_unaligned(left);
                bits.add(test.right as usize).write_unaligned(right);
            }
            for (p, leaf) in leaf.into_iter().enumerate() {
                _mm512_storeu_si512(out.as_mut_ptr().cast::<__m512i>().add(p), leaf);
            }
        }
    }

    /// # Safety
    /// As for [`run`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn leaves_avx2(tests: &[MaskTest], codes: &[RowBytes], masks: &mut MaskScratch, out: &mut [u8; ROWS]) {
        // SAFETY: the caller's promise.
        unsafe { run(tests, codes, masks, out) }
    }

    #[target_feature(enable = "avx512f,avx512bw,popcnt")]
    pub(super) fn code_avx512<T: CodedNumber>(thresholds: &CodeThresholds<T>, cells: &[T; ROWS], out: &mut RowBytes) {
        for (v, out) in cells.iter().zip(out) {
            // SAFETY: the features are there.
            let (part, above) = unsafe {
                let part = v.above_avx512(&thresholds.coarse).count_ones();
                (part, v.above_avx512(&thresholds.fine[part as usize & 15]).count_ones())
            };
            *out = finish(*v, 16 * part + above);
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn code_avx2<T: CodedNumber>(thresholds: &CodeThresholds<T>, cells: &[T; ROWS], out: &mut RowBytes) {
        thresholds.run(cells, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_count_the_thresholds_below() {
        for count in [0, 1, 15, 16, 17, 100, 254] {
            let sorted: Vec<f64> = (0..count).map(|i| f64::from(i) * 0.5).collect();
            let cells: [f64; ROWS] = std::array::from_fn(|k| match k {
                0 => f64::NAN,
                1 => f64::INFINITY,
                2 => f64::NEG_INFINITY,
                k => k as f64 * 1.25 - 10.0,
            });
            let mut out = [0; ROWS];
            CodeThresholds::new(&sorted).code(&cells, &mut out);
            let f32_thresholds: Vec<f32> = sorted.iter().map(|&t| t as f32).collect();
            let mut again = [0; ROWS];
            CodeThresholds::new(&f32_thresholds).code(&cells.map(|v| v as f32), &mut again);
            assert_eq!(out, again);
            CodeThresholds::new(&sorted).run(&cells, &mut again);
            assert_eq!(out, again);
            for (v, code) in cells.iter().zip(out) {
                let truth = if v.is_nan() { 255 } else { sorted.iter().filter(|&t| v > t).count() };
                assert_eq!(i64::from(code) + 128, truth as i64, "{v} among {count}");
            }
        }
    }

    #[test]
    fn every_row_finds_its_leaf() {
        // A root, a test on its right, a test on the left of that.
        let tests = [
            MaskTest { column: 0, threshold: -128, left_leaves: 1, left: 3, right: 1 },
            MaskTest { column: 1, threshold: 5, left_leaves: 2, left: 2, right: 4 },
            MaskTest { column: 0, threshold: -127, left_leaves: 1, left: 3, right: 4 },
        ];
        let codes: [RowBytes; 2] = [std::array::from_fn(|k| i8::MIN + (k % 3) as i8), std::array::from_fn(|k| (k / 3) as i8)];
        let truth: [u8; ROWS] = std::array::from_fn(|k| match (k % 3, k / 3) {
            (0, _) => 0,
            (_, 6..) => 3,
            (1, _) => 1,
            _ => 2,
        });
        let (mut out, mut masks) = ([9; ROWS], MaskScratch::default());
        let tree = MaskTree::new(tests.to_vec());
        tree.leaves(&codes, &mut masks, &mut out);
        assert_eq!(out, truth);
        // SAFETY: the tree was checked, and both lanes are there.
        unsafe { run(&tests, &codes, &mut masks, &mut out) };
        assert_eq!(out, truth);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            out = [9; ROWS];
            // SAFETY: as above, and the feature is there.
            unsafe { x86::leaves_avx2(&tests, &codes, &mut masks, &mut out) };
            assert_eq!(out, truth);
        }
        MaskTree::new(Vec::new()).leaves(&codes, &mut masks, &mut out);
        assert_eq!(out, [0; ROWS]);
    }
}
