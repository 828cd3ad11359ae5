//! Plain loops, compiled once for each vector width.

/// An operation whose loops are vectorized. `run` must be marked `#[inline(always)]`, as must what it calls, or it is
/// compiled for the baseline processor.
pub trait VectorizedOp {
    /// The result.
    type Out;
    /// The operation.
    fn run(self) -> Self::Out;
}

/// Runs an operation with the widest vectors of this processor. Products and sums are rounded separately, so the bits
/// do not depend on the processor.
pub fn run_vectorized<W: VectorizedOp>(work: W) -> W::Out {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2")]
        fn run_avx512<W: VectorizedOp>(work: W) -> W::Out {
            work.run()
        }
        #[target_feature(enable = "avx2")]
        fn run_avx2<W: VectorizedOp>(work: W) -> W::Out {
            work.run()
        }
        let has = |wide: bool| {
            is_x86_feature_detected!("avx2")
                && (!wide
                    || is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512dq")
                        && is_x86_feature_detected!("avx512vl")
                        && is_x86_feature_detected!("avx512bw"))
        };
        if has(true) {
            // SAFETY: the features were found.
            return unsafe { run_avx512(work) };
        }
        if has(false) {
            // SAFETY: the feature was found.
            return unsafe { run_avx2(work) };
        }
    }
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Polynomial<'a>(&'a mut [f64]);

    impl VectorizedOp for Polynomial<'_> {
        type Out = f64;
        #[inline(always)]
        fn run(self) -> f64 {
            self.0.iter_mut().for_each(|v| *v = *v * *v * 0.3 + *v * 1.7 - 0.1);
            self.0[0]
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_width() {
        let start: Vec<f64> = (0..103).map(|i| (f64::from(i) * 0.37).sin()).collect();
        let (mut plain, mut wide) = (start.clone(), start);
        let first = Polynomial(&mut plain).run();
        assert_eq!(run_vectorized(Polynomial(&mut wide)), first);
        assert_eq!(plain, wide);
    }
}
