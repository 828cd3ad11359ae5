//! What the macros read from attributes.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Type};

/// Where the items of the facade are: `::ermine`, or what `#[row(crate = "…")]` or `#[learner(crate = "…")]` says.
pub fn facade(path: Option<&LitStr>) -> syn::Result<TokenStream> {
    match path {
        None => Ok(quote!(::ermine)),
        Some(text) => {
            let path: syn::Path = text.parse()?;
            Ok(quote!(#path))
        }
    }
}

/// The documentation of an item: its first paragraph and the rest, each on one line.
pub fn documentation(attributes: &[Attribute]) -> (String, String) {
    let (mut first, mut rest, mut ended) = (Vec::new(), Vec::new(), false);
    for attribute in attributes {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { continue };
        if !pair.path.is_ident("doc") {
            continue;
        }
        for line in text.value().lines().map(str::trim).map(String::from).collect::<Vec<_>>() {
            match line.is_empty() {
                true => ended |= !first.is_empty(),
                false if ended => rest.push(line),
                false => first.push(line),
            }
        }
        if text.value().trim().is_empty() {
            ended |= !first.is_empty();
        }
    }
    (first.join(" "), rest.join(" "))
}

/// The type in `Option<…>`, if it is one.
pub fn optional(kind: &Type) -> Option<&Type> {
    let Type::Path(path) = kind else { return None };
    let last = path.path.segments.last()?;
    let syn::PathArguments::AngleBracketed(inner) = &last.arguments else { return None };
    match inner.args.first()? {
        syn::GenericArgument::Type(inner) if last.ident == "Option" => Some(inner),
        _ => None,
    }
}

/// The last name of a type: `f64` of `std::primitive::f64`.
pub fn last_name(kind: &Type) -> String {
    match kind {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    }
}
