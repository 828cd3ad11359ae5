//! `#[derive(Row)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, LitStr, Result, ext::IdentExt};

use crate::attributes::facade;

/// What the attributes of a field say.
#[derive(Default)]
struct FieldOptions {
    name: Option<String>,
    skip: bool,
    role: Option<&'static str>,
}

fn options(field: &syn::Field) -> Result<FieldOptions> {
    let mut out = FieldOptions::default();
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("row")) {
        attribute.parse_nested_meta(|meta| {
            let role = |word: &str| meta.path.is_ident(word);
            match () {
                () if role("name") => out.name = Some(meta.value()?.parse::<LitStr>()?.value()),
                () if role("skip") => out.skip = true,
                () if role("target") => out.role = Some("Target"),
                () if role("weight") => out.role = Some("Weight"),
                () => return Err(meta.error("a field takes target, weight, skip or name = \"…\"")),
            }
            Ok(())
        })?;
    }
    Ok(out)
}

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => &fields.named,
            _ => return Err(Error::new_spanned(input, "Row needs named fields: their names are those of the columns")),
        },
        _ => return Err(Error::new_spanned(input, "Row is derived for structs; an enum is a Category")),
    };
    let mut root = None;
    for attribute in input.attrs.iter().filter(|a| a.path().is_ident("row")) {
        attribute.parse_nested_meta(|meta| match meta.path.is_ident("crate") {
            true => meta.value()?.parse::<LitStr>().map(|path| root = Some(path)),
            false => Err(meta.error("a struct takes crate = \"…\"")),
        })?;
    }
    let root = facade(root.as_ref())?;
    let (mut columns, mut arms, mut names, mut roles) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for field in fields {
        let FieldOptions { name, skip, role } = options(field)?;
        if skip {
            continue;
        }
        let ident = field.ident.as_ref().expect("the fields are named");
        let name = name.unwrap_or_else(|| ident.unraw().to_string());
        if names.contains(&name) {
            return Err(Error::new_spanned(field, format!("the name \"{name}\" occurs twice")));
        }
        let role = role.unwrap_or("Feature");
        if role != "Feature" && roles.contains(&role) {
            return Err(Error::new_spanned(field, "a row has one target and one weight"));
        }
        let (kind, at, variant) = (&field.ty, columns.len(), format_ident!("{role}"));
        columns.push(quote! {
            #root::core::RowField {
                name: #name,
                kind: <#kind as #root::core::RowValue>::KIND,
                optional: <#kind as #root::core::RowValue>::OPTIONAL,
                role: #root::core::RowRole::#variant,
            }
        });
        arms.push(quote!(#at => #root::core::RowValue::cell(&self.#ident)));
        names.push(name);
        roles.push(role);
    }
    let kind = &input.ident;
    let text = kind.to_string();
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics #root::core::Row for #kind #arguments #bounds {
            const NAME: &'static str = #text;
            const FIELDS: &'static [#root::core::RowField] = &[#(#columns),*];
            #[inline]
            fn cell(&self, field: usize) -> #root::core::RowCell<'_> {
                match field {
                    #(#arms,)*
                    _ => #root::core::RowCell::Missing,
                }
            }
        }
    })
}
