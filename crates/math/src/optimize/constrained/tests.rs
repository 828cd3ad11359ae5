//! Against quadprog, OSQP and HiGHS on random programs, and against problems with known answers.

mod random;
mod small;
