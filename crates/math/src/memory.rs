//! Allocations that are returned to the system.

/// Size from which on all known allocators map a block of its own. The GNU one keeps smaller blocks when they are
/// freed, and requests more beside them.
const MMAP_BYTES: usize = (32 << 20) + (64 << 10);

/// Zeros in a block that is returned to the system as soon as it is dropped: for large, short-lived buffers. Of a block
/// that is longer than needed only address space is used.
pub fn mmap_zeros<T: Copy + Default>(len: usize) -> Vec<T> {
    let mut zeros = vec![T::default(); len.max(MMAP_BYTES / size_of::<T>().max(1))];
    zeros.truncate(len);
    zeros
}
