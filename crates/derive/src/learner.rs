//! `#[derive(Learner)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Expr, Fields, LitFloat, LitInt, LitStr, Result, Token, Type, ext::IdentExt, parenthesized};

use crate::attributes::{documentation, facade, last_name, optional};

/// What `#[learner(…)]` says.
#[derive(Default)]
struct LearnerOptions {
    root: Option<LitStr>,
    name: Option<String>,
    objective: Option<String>,
    reference: String,
    /// The task, the wrapper of the facade, and the model.
    model: Option<(&'static str, &'static str, Type)>,
}

/// What `#[param(…)]` says.
#[derive(Default)]
struct ParamOptions {
    name: Option<String>,
    min: Option<f64>,
    above: Option<f64>,
    max: Option<f64>,
    log: bool,
    choices: Vec<LitStr>,
    range: Option<Expr>,
    search: Option<String>,
}

fn learner_options(input: &DeriveInput) -> Result<LearnerOptions> {
    let mut out = LearnerOptions::default();
    for attribute in input.attrs.iter().filter(|a| a.path().is_ident("learner")) {
        attribute.parse_nested_meta(|meta| {
            let is = |word: &str| meta.path.is_ident(word);
            let text = || -> Result<String> { Ok(meta.value()?.parse::<LitStr>()?.value()) };
            match () {
                () if is("crate") => out.root = Some(meta.value()?.parse()?),
                () if is("name") => out.name = Some(text()?),
                () if is("objective") => out.objective = Some(text()?),
                () if is("reference") => out.reference = text()?,
                () if is("regressor") => out.model = Some(("Regression", "RowRegressorModel", meta.value()?.parse()?)),
                () if is("classifier") => out.model = Some(("Classification", "RowClassifierModel", meta.value()?.parse()?)),
                () => {
                    return Err(
                        meta.error("Learner takes regressor = TYPE or classifier = TYPE, name, objective, reference, crate")
                    );
                }
            }
            Ok(())
        })?;
    }
    Ok(out)
}

/// A number with or without a point, and with a sign.
fn number(input: syn::parse::ParseStream<'_>) -> Result<f64> {
    let negative = input.parse::<Option<Token![-]>>()?.is_some();
    let size: f64 = match input.peek(LitInt) {
        true => input.parse::<LitInt>()?.base10_parse()?,
        false => input.parse::<LitFloat>()?.base10_parse()?,
    };
    Ok(if negative { -size } else { size })
}

fn param_options(field: &syn::Field) -> Result<ParamOptions> {
    let mut out = ParamOptions::default();
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") && meta.input.peek(Token![=]) {
                out.name = Some(meta.value()?.parse::<LitStr>()?.value());
            } else if meta.input.peek(Token![=]) {
                meta.value()?.parse::<Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                let inner;
                parenthesized!(inner in meta.input);
                inner.parse::<TokenStream>()?;
            }
            Ok(())
        })?;
    }
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("param")) {
        attribute.parse_nested_meta(|meta| {
            let is = |word: &str| meta.path.is_ident(word);
            match () {
                () if is("min") => out.min = Some(number(meta.value()?)?),
                () if is("above") => out.above = Some(number(meta.value()?)?),
                () if is("max") => out.max = Some(number(meta.value()?)?),
                () if is("log") => out.log = true,
                () if is("range") => out.range = Some(meta.value()?.parse()?),
                () if is("search") => out.search = Some(meta.value()?.parse::<LitStr>()?.value()),
                () if is("choices") => {
                    let words;
                    parenthesized!(words in meta.input);
                    out.choices = words.parse_terminated(|w| w.parse::<LitStr>(), Token![,])?.into_iter().collect();
                }
                () => return Err(meta.error("a parameter takes min, above, max, log, choices(…), range = …, search = \"…\"")),
            }
            Ok(())
        })?;
    }
    Ok(out)
}

/// The range of a parameter from its type and its attributes.
fn range(root: &TokenStream, kind: &Type, options: &ParamOptions) -> Result<TokenStream> {
    if let Some(range) = &options.range {
        return Ok(quote!(#range));
    }
    if let Some(inner) = optional(kind) {
        let inner = range(root, inner, options)?;
        return Ok(quote!(#root::core::Range::Optional(&#inner)));
    }
    if !options.choices.is_empty() {
        let words = &options.choices;
        return Ok(quote!(#root::core::Range::Choice(&[#(#words),*])));
    }
    let word = last_name(kind);
    Ok(match word.as_str() {
        "bool" => quote!(#root::core::Range::Bool),
        "f64" | "f32" => {
            let or = |value: Option<f64>, other: TokenStream| value.map_or(other, |v| quote!(#v));
            let least = or(options.above.or(options.min), quote!(f64::MIN));
            let (max, above, log) = (or(options.max, quote!(f64::MAX)), options.above.is_some(), options.log);
            quote!(#root::core::Range::Real { min: #least, max: #max, above: #above, log: #log })
        }
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => {
            let or = |value: Option<f64>, other: TokenStream| {
                value.map_or(other, |v| {
                    let whole = v as i64;
                    quote!(#whole)
                })
            };
            let other = if word.starts_with('u') { quote!(0) } else { quote!(i64::MIN) };
            let least = or(options.above.map(|v| v.floor() + 1.0).or(options.min.map(f64::ceil)), other);
            let max = or(options.max.map(f64::floor), quote!(i64::MAX));
            quote!(#root::core::Range::Int { min: #least, max: #max })
        }
        "String" => quote!(#root::core::Range::Text),
        _ => {
            return Err(Error::new_spanned(
                kind,
                "what values it may take is not known from this type: say choices(…) or range = …",
            ));
        }
    })
}

/// `MyLearner` as `my-learner`.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields: Vec<&syn::Field> = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => fields.named.iter().collect(),
            Fields::Unit => Vec::new(),
            Fields::Unnamed(_) => return Err(Error::new_spanned(input, "parameters have names: name the fields")),
        },
        _ => return Err(Error::new_spanned(input, "a learner is a struct of its parameters")),
    };
    let options = learner_options(input)?;
    let Some((task, wrapper, model)) = &options.model else {
        return Err(Error::new_spanned(&input.ident, "say #[learner(regressor = TYPE)] or #[learner(classifier = TYPE)]"));
    };
    let root = facade(options.root.as_ref())?;
    let (summary, notes) = documentation(&input.attrs);
    if summary.is_empty() {
        return Err(Error::new_spanned(&input.ident, "a learner is documented: the first paragraph is its summary"));
    }
    let summary = summary.trim_end_matches('.').to_owned();
    let name = options.name.unwrap_or_else(|| kebab(&input.ident.unraw().to_string()));
    let objective = options.objective.unwrap_or_else(|| summary.clone());
    let (mut params, mut spaces) = (Vec::new(), Vec::new());
    for field in fields {
        let own = param_options(field)?;
        let range = range(&root, &field.ty, &own)?;
        let ident = field.ident.as_ref().expect("the fields are named").unraw().to_string();
        let name = own.name.unwrap_or(ident);
        let (first, rest) = documentation(&field.attrs);
        let doc = [first, rest].join(" ").trim().to_owned();
        if doc.is_empty() {
            return Err(Error::new_spanned(field, "a parameter is documented: its text is what help and reference show"));
        }
        spaces.extend(own.search.map(|space| format!("{name}={space}")));
        params.push(quote!(#root::core::ParamSpec { name: #name, doc: #doc, range: #range }));
    }
    let (kind, reference) = (&input.ident, &options.reference);
    let task = syn::Ident::new(task, kind.span());
    let wrapper = syn::Ident::new(wrapper, kind.span());
    Ok(quote! {
        impl #root::core::Learner for #kind {
            type Model = #root::core::#wrapper<#model>;
            const SPEC: #root::core::Spec = #root::core::Spec {
                name: #name,
                summary: #summary,
                objective: #objective,
                notes: #notes,
                reference: #reference,
                family: #root::core::Family::Custom,
                tasks: &[#root::core::Task::#task],
                accepts: #root::core::Accepts::NUMBERS,
                params: &[#(#params),*],
            };
            const SEARCH_SPACE: &'static [&'static str] = &[#(#spaces),*];
            fn fit_rows(
                &self,
                data: &#root::core::DatasetRef<'_>,
                cx: &#root::core::Context<'_>,
            ) -> #root::core::Result<Self::Model> {
                #root::core::#wrapper::fit_rows(self, data, cx)
            }
            fn load(input: &#root::core::ModelReader) -> #root::core::Result<Self::Model> {
                #root::core::#wrapper::load(input)
            }
        }
    })
}
