//! Distribution functions that tests and intervals need.
