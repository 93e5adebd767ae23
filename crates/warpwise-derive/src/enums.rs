//! Enums: a tag and slots that the variants share.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result, Type};

/// A variant with its fields.
struct Variant<'a> {
    name: &'a Ident,
    /// Name of the function that makes the variant.
    function: Ident,
    types: Vec<&'a Type>,
    /// Pattern that binds the fields, and also the expression that makes the variant.
    pattern: TokenStream,
    bindings: Vec<Ident>,
}

pub(crate) fn derive(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream> {
    if data.variants.is_empty() || data.variants.len() > usize::from(u8::MAX) {
        return Err(Error::new_spanned(&input.ident, "an element has between 1 and 255 variants"));
    }
    let name = &input.ident;
    let variants: Vec<Variant<'_>> = data.variants.iter().map(|variant| read(name, variant)).collect();
    let view = format_ident!("{name}Exp");
    let element = element(input, &view, &variants);
    let functions = functions(input, &view, &variants);
    Ok(quote!(#element #functions))
}

fn read<'a>(name: &Ident, variant: &'a syn::Variant) -> Variant<'a> {
    let bindings: Vec<Ident> = (0..variant.fields.len()).map(|at| format_ident!("field_{at}")).collect();
    let ident = &variant.ident;
    let pattern = match &variant.fields {
        Fields::Named(fields) => {
            let names = fields.named.iter().map(|field| &field.ident);
            quote!(#name::#ident { #(#names: #bindings,)* })
        }
        Fields::Unnamed(_) => quote!(#name::#ident(#(#bindings,)*)),
        Fields::Unit => quote!(#name::#ident),
    };
    let types = variant.fields.iter().map(|field| &field.ty).collect();
    Variant { name: ident, function: snake_case(ident), types, pattern, bindings }
}

/// Converts `TwoWords` to `two_words`.
fn snake_case(ident: &Ident) -> Ident {
    let mut text = String::new();
    for letter in ident.to_string().chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    syn::parse_str::<Ident>(&text).unwrap_or_else(|_| Ident::new_raw(&text, ident.span()))
}

/// Generates the view, and the impls that make the enum an element.
fn element(input: &DeriveInput, view: &Ident, variants: &[Variant<'_>]) -> TokenStream {
    let (name, visibility, generics) = (&input.ident, &input.vis, &input.generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let docs = format!(
        "An expression of type [`{name}`], made by a function per variant and taken apart by `cases`."
    );
    let numbers: Vec<u8> = (0..=u8::MAX).take(variants.len()).collect();
    let patterns: Vec<_> = variants.iter().map(|variant| &variant.pattern).collect();
    let all_types: Vec<_> = variants.iter().map(|variant| &variant.types).collect();
    let all_bindings: Vec<_> = variants.iter().map(|variant| &variant.bindings).collect();
    let types = all_types.iter().map(|types| {
        quote!({
            #[allow(unused_mut)]
            let mut into = ::std::vec::Vec::new();
            #(<#types as ::warpwise::Elt>::components(&mut into);)*
            into
        })
    });
    quote! {
        #[doc = #docs]
        #visibility struct #view #generics (::warpwise::Exp<#name #ty_generics>) #where_clause;

        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #view #ty_generics #where_clause {
            fn clone(&self) -> Self {
                *self
            }
        }

        #[automatically_derived]
        impl #impl_generics ::core::marker::Copy for #view #ty_generics #where_clause {}

        impl #impl_generics #view #ty_generics #where_clause {
            #[allow(clippy::vec_init_then_push)]
            fn variants() -> ::std::vec::Vec<::std::vec::Vec<::warpwise::derived::ValueType>> {
                ::std::vec![#(#types),*]
            }
        }

        #[automatically_derived]
        impl #impl_generics ::warpwise::Elt for #name #ty_generics #where_clause {
            type View = #view #ty_generics;

            fn components(into: &mut ::std::vec::Vec<::warpwise::derived::ValueType>) {
                ::warpwise::derived::enum_components(&<#view #ty_generics>::variants(), into);
            }

            fn store(&self, into: &mut ::std::vec::Vec<::warpwise::derived::Scalar>) {
                #[allow(unused_mut)]
                let mut values = ::std::vec::Vec::new();
                let tag: u8 = match self {
                    #(#patterns => {
                        #(::warpwise::Elt::store(#all_bindings, &mut values);)*
                        #numbers
                    })*
                };
                ::warpwise::derived::enum_store(tag, &values, &<#view #ty_generics>::variants(), into);
            }

            #[allow(unused_variables)]
            fn load(from: &mut ::warpwise::derived::Values<'_>) -> ::core::option::Option<Self> {
                let (tag, values) = ::warpwise::derived::enum_load(from, &<#view #ty_generics>::variants())?;
                let from = &mut values.iter();
                match tag {
                    #(#numbers => {
                        #(let #all_bindings = <#all_types as ::warpwise::Elt>::load(from)?;)*
                        ::core::option::Option::Some(#patterns)
                    })*
                    _ => ::core::option::Option::None,
                }
            }

            fn view(exp: ::warpwise::Exp<Self>) -> Self::View {
                #view(exp)
            }
        }

        #[automatically_derived]
        impl #impl_generics ::warpwise::IntoExp for #view #ty_generics #where_clause {
            type Elt = #name #ty_generics;

            fn into_exp(self) -> ::warpwise::Exp<Self::Elt> {
                self.0
            }
        }

        #[automatically_derived]
        impl #impl_generics ::warpwise::Operand<#name #ty_generics> for #view #ty_generics #where_clause {
            fn operand(self) -> ::warpwise::Exp<#name #ty_generics> {
                self.0
            }
        }
    }
}

/// Generates one function per variant, and `cases`.
fn functions(input: &DeriveInput, view: &Ident, variants: &[Variant<'_>]) -> TokenStream {
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let makers = variants.iter().zip(0_u8..).map(|(variant, number)| {
        let Variant { name, function, types, bindings, .. } = variant;
        let docs = format!("An expression of the variant `{name}`.");
        quote! {
            #[doc = #docs]
            #[track_caller]
            #[allow(dead_code)]
            pub fn #function(#(#bindings: impl ::warpwise::Operand<#types>),*) -> Self {
                let parts = ::std::vec![#(::warpwise::Operand::<#types>::operand(#bindings).node()),*];
                #view(::warpwise::derived::enum_make(#number, &Self::variants(), parts))
            }
        }
    });
    let results: Vec<Ident> = (0..variants.len()).map(|at| format_ident!("Result{at}")).collect();
    let first = &results[0];
    let parameters = variants.iter().zip(&results).map(|(variant, result)| {
        let (function, types) = (&variant.function, &variant.types);
        quote!(#function: impl ::core::ops::FnOnce(#(<#types as ::warpwise::Elt>::View),*) -> #result)
    });
    let bounds = results.iter().enumerate().map(|(at, result)| match at {
        0 => quote!(#result: ::warpwise::IntoExp),
        _ => quote!(#result: ::warpwise::Operand<#first::Elt>),
    });
    let calls: Vec<TokenStream> = variants
        .iter()
        .zip(0_u8..)
        .map(|(variant, number)| {
            let Variant { function, types, bindings, .. } = variant;
            let convert = if number == 0 {
                quote!(::warpwise::IntoExp::into_exp)
            } else {
                quote!(::warpwise::Operand::<#first::Elt>::operand)
            };
            quote!({
                #[allow(unused_parens)]
                let (#(#bindings,)*) =
                    ::warpwise::derived::enum_fields::<_, (#(#types,)*)>(self.0, #number, &variants).view();
                #convert(#function(#(#bindings),*))
            })
        })
        .collect();
    let (last, others) =
        calls.split_last().map_or((quote!(), &[][..]), |(last, others)| (last.clone(), others));
    let names: Vec<Ident> = (0..others.len()).map(|at| format_ident!("case_{at}")).collect();
    let nested = names.iter().enumerate().rev().fold(quote!(last), |rest, (at, case)| {
        let number = at as u8;
        quote!(::warpwise::IntoExp::into_exp(::warpwise::cond(tag.eq(#number), #case, #rest)))
    });
    quote! {
        impl #impl_generics #view #ty_generics #where_clause {
            #(#makers)*

            /// Applies the closure of the value's variant to its fields; only that closure's result is computed.
            #[track_caller]
            #[allow(dead_code, unused_variables)]
            pub fn cases<#(#bounds),*>(self, #(#parameters),*) -> <#first::Elt as ::warpwise::Elt>::View {
                let variants = Self::variants();
                let tag = self.0.part::<u8>(0);
                #(let #names = #others;)*
                let last = #last;
                (#nested).view()
            }
        }
    }
}
