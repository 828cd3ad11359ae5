//! `#[derive(Category)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result};

use crate::attributes::facade;

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(input, "Category is derived for enums; a struct of columns derives Row"));
    };
    let mut root = None;
    for attribute in input.attrs.iter().filter(|a| a.path().is_ident("row")) {
        attribute.parse_nested_meta(|meta| match meta.path.is_ident("crate") {
            true => meta.value()?.parse::<LitStr>().map(|path| root = Some(path)),
            false => Err(meta.error("an enum takes crate = \"…\"")),
        })?;
    }
    let (mut names, mut arms): (Vec<String>, Vec<TokenStream>) = (Vec::new(), Vec::new());
    for (at, variant) in data.variants.iter().enumerate() {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "a category has a name and no fields"));
        }
        let mut name = variant.ident.to_string();
        for attribute in variant.attrs.iter().filter(|a| a.path().is_ident("row")) {
            attribute.parse_nested_meta(|meta| match meta.path.is_ident("name") {
                true => meta.value()?.parse::<LitStr>().map(|text| name = text.value()),
                false => Err(meta.error("a variant takes name = \"…\"")),
            })?;
        }
        if names.contains(&name) {
            return Err(Error::new_spanned(variant, format!("the name \"{name}\" occurs twice")));
        }
        let (ident, at) = (&variant.ident, at as u32);
        arms.push(quote!(Self::#ident => #at));
        names.push(name);
    }
    if names.is_empty() {
        return Err(Error::new_spanned(input, "an enum without variants has no value"));
    }
    let (kind, root) = (&input.ident, facade(root.as_ref())?);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics #root::core::RowValue for #kind #arguments #bounds {
            const KIND: #root::core::RowKind = #root::core::RowKind::Category(&[#(#names),*]);
            #[inline]
            fn cell(&self) -> #root::core::RowCell<'_> {
                #root::core::RowCell::Variant(match self { #(#arms),* })
            }
        }
    })
}
