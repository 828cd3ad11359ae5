//! Double-double numbers: an unevaluated sum of two doubles, about 32 decimal digits.
//!
//! Cross products of ill-conditioned data lose twice the digits the data itself would lose. Summed in double-double
//! they still carry every digit that doubles can hold, they merge like any other total, and so a table of rows that
//! is only seen once, in blocks, can be solved as exactly as by an orthogonal factorisation of the whole table.
//!
//! [`Dd`] is the scalar, [`Gram`] the totals over rows, [`Cholesky`] the pivoted factorisation with its solves,
//! [`Residuals`] what corrects a solution that was found in doubles.
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
