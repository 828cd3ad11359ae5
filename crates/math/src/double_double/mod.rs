//! Double-double numbers: an unevaluated sum of two f64, about 32 decimal digits.
//!
//! Cross products of ill-conditioned data lose twice the digits the data themselves would lose. Summed in double-double
//! they still carry every digit that f64 can hold, they merge like any other sum, and so a table of rows that is read
//! only once, in blocks, can be solved as exactly as by an orthogonal factorization of the whole table.
//!
//! [`Dd`] is the scalar, [`DdGram`] the sums over rows, [`DdCholesky`] the pivoted factorization with its solves,
//! [`Residuals`] what corrects a solution that was found in f64.
//!
//! Algorithms: T. J. Dekker (1971), A floating-point technique for extending the available precision, Numerische
//! Mathematik 18; Y. Hida, X. S. Li, D. H. Bailey (2001), Algorithms for quad-double precision floating point
//! arithmetic, ARITH-15.

mod cholesky;
mod gram;
mod residuals;
mod scalar;

pub use cholesky::DdCholesky;
pub use gram::DdGram;
pub use residuals::Residuals;
pub(crate) use scalar::fused;
pub use scalar::{Dd, quick_two_sum, two_prod, two_sum};
