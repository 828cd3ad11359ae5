//! Memory that goes back to the system.

/// Bytes from which on every allocator known to us asks the system for a block of its own. The GNU one keeps smaller blocks when they
/// are freed, and asks for more beside them.
const MMAP_BYTES: usize = (32 << 20) + (64 << 10);

/// Zeros in a block of memory that goes back to the system as soon as it is dropped: for what is large and does not last long. Of a
/// block that is longer than needed nothing but addresses are used.
pub fn mmap_zeros<T: Copy + Default>(len: usize) -> Vec<T> {
    let mut zeros = vec![T::default(); len.max(MMAP_BYTES / size_of::<T>().max(1))];
    zeros.truncate(len);
    zeros
}
