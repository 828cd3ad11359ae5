//! The derive macros of Ermine. They are used from the facade: `use ermine::prelude::*;` brings `Row`, `Category` and `Learner`, each the
//! trait and the macro that writes it.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod attributes;
mod category;
mod learner;
mod row;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Columns of a table from the fields of a struct.
///
/// A field may be any type with `ermine::core::RowValue`: numbers, `bool`, `String`, `&str`, enums with `#[derive(Category)]`, and `Option` of these,
/// whose `None` is a missing cell. Attributes of a field: `#[row(target)]`, `#[row(weight)]`, `#[row(skip)]`, `#[row(name = "…")]`.
#[proc_macro_derive(Row, attributes(row))]
pub fn derive_row(input: TokenStream) -> TokenStream {
    expand(parse_macro_input!(input as DeriveInput), row::derive)
}

/// Names of a category from the variants of an enum without fields; `#[row(name = "…")]` gives a variant another name.
#[proc_macro_derive(Category, attributes(row))]
pub fn derive_category(input: TokenStream) -> TokenStream {
    expand(parse_macro_input!(input as DeriveInput), category::derive)
}

/// The declaration of a learner from a struct of parameters: its documentation becomes the summary and the notes, that of its fields the
/// description of the parameters, their types the ranges.
///
/// `#[learner(regressor = Model)]` or `#[learner(classifier = Model)]` names the type that fits and predicts (`ermine::core::RowRegressor`,
/// `ermine::core::RowClassifier`); `name`, `objective`, `reference` are texts. `#[param(min = 0.0)]`, `above`, `max`, `log`,
/// `choices("a", "b")`, `range = …` narrow the range of a field; `search = "1e-3..1e3:log"` is what a search varies by default.
#[proc_macro_derive(Learner, attributes(learner, param))]
pub fn derive_learner(input: TokenStream) -> TokenStream {
    expand(parse_macro_input!(input as DeriveInput), learner::derive)
}

fn expand(input: DeriveInput, derive: fn(&DeriveInput) -> syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    derive(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
