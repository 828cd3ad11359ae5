//! Aligned buffers for kernels.

use super::Float;

/// Elements of a cache line of f32, and the unit that rows are padded to.
pub(super) const LINE: usize = 16;

/// One or two cache lines, and aligned to one.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine<T>([T; LINE]);

/// Numbers aligned to a cache line, with a line of zeros behind the last that kernels may read.
#[derive(Clone)]
pub struct AlignedBuffer<T: Float> {
    lines: Vec<CacheLine<T>>,
    len: usize,
}

impl<T: Float> AlignedBuffer<T> {
    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        Self { lines: vec![CacheLine([T::ZERO; LINE]); len.div_ceil(LINE) + 4], len }
    }

    /// A copy of numbers.
    pub fn from_slice(values: &[T]) -> Self {
        let mut out = Self::zeros(values.len());
        out.copy_from_slice(values);
        out
    }
}

impl<T: Float> Default for AlignedBuffer<T> {
    fn default() -> Self {
        Self { lines: Vec::new(), len: 0 }
    }
}

impl<T: Float> std::fmt::Debug for AlignedBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Float> PartialEq for AlignedBuffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Float> std::ops::Deref for AlignedBuffer<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: lines are arrays of T without gaps, at least as many as `len` needs.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Float> std::ops::DerefMut for AlignedBuffer<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
