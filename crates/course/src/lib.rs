//! The theorems of a course in machine learning, each a function that runs it on data.
//!
//! A [`Theorem`] has a statement, parameters with defaults, and a function that checks its hypotheses on the data given, computes the two sides
//! of the statement and compares them. The verdict follows fixed rules ([`Relation`]): equal within a tolerance, an inequality, a mean
//! with its standard error, or a limit of which only a trend can be shown. Where a hypothesis fails the theorem says nothing, and neither does the
//! verdict: it is [`Verdict::NotApplicable`], never `holds`. A formula that a lecture note prints wrongly is a [`Misprint`] beside the theorem, refuted by
//! a number.
//!
//! ```
//! use ermine_course::{TheoremInput, Verdict, theorem};
//!
//! let t = theorem("T1.1")?;
//! let check = t.run(&TheoremInput::new().set("n", 50.0))?;
//! assert_eq!(check.verdict(), Verdict::Holds);
//! println!("{}", check.to_text());
//! # Ok::<(), ermine_core::Error>(())
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod algebra;
mod check;
mod classification;
mod data;
mod page;
mod theorem;

mod bandits;
mod constrained;
mod decision_processes;
mod evaluation;
mod generative;
mod gradient_methods;
mod kernels;
mod least_squares;
mod networks;
mod probability;
mod regularization;
mod trees;

pub use check::{Hypothesis, Misprint, Relation, TheoremCheck, TheoremSides, Verdict};
pub use data::TheoremData;
pub use page::reference_page;
pub use theorem::{Chapter, Theorem, TheoremInput, TheoremParam};

use ermine_core::{Error, Result};

/// The chapters, in order.
pub const CHAPTERS: &[Chapter] = &[
    least_squares::CHAPTER,
    gradient_methods::CHAPTER,
    regularization::CHAPTER,
    classification::CHAPTER,
    evaluation::CHAPTER,
    kernels::CHAPTER,
    constrained::CHAPTER,
    trees::CHAPTER,
    generative::CHAPTER,
    networks::CHAPTER,
    bandits::CHAPTER,
    decision_processes::CHAPTER,
    probability::CHAPTER,
];

/// All theorems, chapter by chapter.
pub fn theorems() -> impl Iterator<Item = &'static Theorem> {
    CHAPTERS.iter().flat_map(|c| c.theorems)
}

/// The theorem of an identifier such as `T3.10`; an unknown one is answered with the nearest.
pub fn theorem(id: &str) -> Result<&'static Theorem> {
    theorems().find(|t| t.id.eq_ignore_ascii_case(id)).ok_or_else(|| Error::unknown("theorem", id, theorems().map(|t| t.id)))
}

/// The chapter of a number; an unknown one is answered with those that exist.
pub fn chapter(number: u32) -> Result<&'static Chapter> {
    CHAPTERS.iter().find(|c| c.number == number).ok_or_else(|| {
        let known: Vec<String> = CHAPTERS.iter().map(|c| c.number.to_string()).collect();
        Error::unknown("chapter", &number.to_string(), known.iter().map(String::as_str))
    })
}
