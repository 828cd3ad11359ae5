//! Loops on all threads: rayon's, or, in a build without the feature `parallel`, the same loops on the calling thread.
//!
//! Results do not depend on the number of threads, so both give the same bits. Code that a predictor needs takes its loops from
//! here, and devices and servers that predict row by row need no thread pool.

#[cfg(feature = "parallel")]
pub use rayon::{current_num_threads, join, prelude};

#[cfg(not(feature = "parallel"))]
pub use sequential::{current_num_threads, join, prelude};

#[cfg(not(feature = "parallel"))]
mod sequential;
