//! The common checks that every learner of the catalogue must pass.
//!
//! [`run`] runs all checks on a learner, skipping those that do not apply to it (each with a reason). They run in our
//! own test suite for every entry of the catalogue, and are public for learners written elsewhere:
//!
//! ```ignore
//! for result in ermine_checks::run::<Mine>() {
//!     if let Verdict::Fail(how) = result.verdict {
//!         panic!("{}: {how}", result.check);
//!     }
//! }
//! ```
//!
//! The test data are made here, from fixed seeds, so a failure can be reproduced.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod by_row;
mod compare;
mod contract;
mod input_forms;
mod invariance;
mod joint;
mod leave_out;
mod scale;
mod synthetic;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ermine_core::{AnyLearner, Learner};

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The learner passes.
    Pass,
    /// It does not apply to the learner, and why.
    Skip(&'static str),
    /// The learner fails, and how.
    Fail(String),
}

/// One check on one learner.
#[derive(Debug, Clone)]
pub struct CheckResult {
    /// The learner.
    pub learner: &'static str,
    /// The check.
    pub check: &'static str,
    /// Its result.
    pub verdict: Verdict,
}

type Check = fn(&dyn AnyLearner) -> Verdict;

/// All checks by name.
pub const CHECKS: &[(&str, Check)] = &[
    ("parameters match the specification", contract::parameters_match),
    ("unknown or out-of-range parameter is refused", contract::parameters_refused),
    ("stop through the observer", contract::observer_stops),
    ("stop at the deadline", contract::deadline_stops),
    ("save and load give the same predictions", contract::save_and_load),
    ("wrong shapes are refused", contract::wrong_shapes),
    ("probabilities sum to one", contract::probabilities),
    ("same seed, same bytes", scale::same_seed),
    ("1, 2 and 7 threads, same bytes", scale::threads),
    ("any block split of a pass agrees", scale::blocks),
    ("a stream gives the bytes of memory", scale::stream),
    ("totals without a fold give the model of the other rows", leave_out::fold_sums),
    ("a row left out is predicted as by a fit to the others", leave_out::leave_one_out),
    ("settings fitted at once are the models of fits alone", joint::joint_fits),
    ("row order", invariance::row_order),
    ("column order", invariance::column_order),
    ("subset prediction is prediction of subset", invariance::subset),
    ("shift of x", invariance::shift),
    ("scale of x", invariance::scale),
    ("label renaming", invariance::labels),
    ("weight 2 is the row twice", invariance::weight_two),
    ("weight 0 is the row absent", invariance::weight_zero),
    ("one row", input_forms::one_row),
    ("one column", input_forms::one_column),
    ("constant column", input_forms::constant_column),
    ("one class", input_forms::one_class),
    ("NaN and infinity are refused by column", input_forms::not_finite),
    ("an error of a prediction names the row among all rows", input_forms::row_of_a_prediction),
    ("both memory layouts are equal", input_forms::layouts),
    ("f32 is close to f64", input_forms::f32_features),
    ("a row by itself has the bits of rows together", by_row::one_row_function),
    ("sparse rows equal dense rows", input_forms::sparse),
    ("a table of numbers equals a matrix", input_forms::table),
    ("categories are matched by name", input_forms::categories),
];

/// Runs all checks on a learner with its default parameters. A panic inside a check is a failure of it.
pub fn run<L: Learner>() -> Vec<CheckResult> {
    run_on(&L::default())
}

/// [`run`] on a learner of the catalogue, or with other parameters.
pub fn run_on(learner: &dyn AnyLearner) -> Vec<CheckResult> {
    let one = |(check, f): &(&'static str, Check)| {
        let verdict = catch_unwind(AssertUnwindSafe(|| f(learner))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            Verdict::Fail(format!("it panicked: {}", text.unwrap_or_default()))
        });
        CheckResult { learner: learner.spec().name, check, verdict }
    };
    CHECKS.iter().map(one).collect()
}

/// Turns an error into a failed verdict.
macro_rules! attempt {
    ($result:expr, $what:expr) => {
        match $result {
            Ok(value) => value,
            Err(e) => return crate::Verdict::Fail(format!("{}: {e}", $what)),
        }
    };
}

/// Fails with a message unless a condition holds.
macro_rules! require {
    ($condition:expr, $($message:tt)*) => {
        match $condition {
            true => {}
            false => return crate::Verdict::Fail(format!($($message)*)),
        }
    };
}

pub(crate) use {attempt, require};
