//! Generates Rust types for named records and sum types, and the code that passes their values.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use warpwise_ir::{EntryType, Variant};
use warpwise_prim::ValueType;

use crate::names;

/// Generates a struct for a record whose fields have these Rust types.
pub(crate) fn record(
    name: &str,
    rust: &Ident,
    fields: &[(String, EntryType)],
    types: &[TokenStream],
    is_element: bool,
) -> TokenStream {
    let mut taken = Vec::new();
    let members: Vec<Ident> =
        fields.iter().map(|(name, _)| names::unused(names::value(name), &mut taken)).collect();
    let element = is_element.then(|| quote!(, ::warpwise::Elt));
    let docs = format!("The type `{name}` of the program.");
    let field_docs = fields.iter().map(|(name, _)| format!("The field `{name}`."));
    let store = quote! {
        #(::warpwise::derived::HostValue::store(self.#members, into)?;)*
        ::core::result::Result::Ok(())
    };
    let load = quote! {
        #(let #members = <#types as ::warpwise::derived::HostValue>::load(from)?;)*
        ::core::result::Result::Ok(Self { #(#members),* })
    };
    let passing = passing(rust, &store, &load);
    quote! {
        #[doc = #docs]
        #[derive(Clone, PartialEq, Debug #element)]
        #[allow(non_camel_case_types, non_snake_case)]
        pub struct #rust {
            #(#[doc = #field_docs] pub #members: #types,)*
        }

        #passing
    }
}

/// Generates an enum for a sum type with these leaves, whose constructors have payloads of these Rust types.
pub(crate) fn sum(
    name: &str,
    rust: &Ident,
    leaves: &[(ValueType, usize)],
    variants: &[Variant],
    types: &[Vec<TokenStream>],
) -> TokenStream {
    let mut taken = Vec::new();
    let constructors: Vec<Ident> =
        variants.iter().map(|variant| names::unused(names::ty(&variant.name), &mut taken)).collect();
    let payloads = types.iter().map(|types| (!types.is_empty()).then(|| quote!((#(#types),*))));
    let docs = format!("The type `{name}` of the program.");
    let variant_docs = variants.iter().map(|variant| format!("The constructor `#{}`.", variant.name));
    let bindings: Vec<Vec<Ident>> =
        types.iter().map(|types| (0..types.len()).map(|i| format_ident!("part_{i}")).collect()).collect();
    let patterns: Vec<TokenStream> = constructors
        .iter()
        .zip(&bindings)
        .map(|(constructor, bindings)| match bindings.is_empty() {
            true => quote!(#rust::#constructor),
            false => quote!(#rust::#constructor(#(#bindings),*)),
        })
        .collect();
    let numbers: Vec<usize> = (0..variants.len()).collect();
    let layout = layout(leaves, variants);
    let store = quote! {
        #[allow(unused_mut)]
        let mut payload = ::std::vec::Vec::new();
        let number: usize = match self {
            #(#patterns => {
                #(::warpwise::derived::HostValue::store(#bindings, &mut payload)?;)*
                #numbers
            })*
        };
        (#layout).store(number, payload, into)
    };
    let load = quote! {
        let (number, mut payload) = (#layout).load(from)?;
        #[allow(unused_variables)]
        let from = &mut payload;
        match number {
            #(#numbers => {
                #(let #bindings = <#types as ::warpwise::derived::HostValue>::load(from)?;)*
                ::core::result::Result::Ok(#patterns)
            })*
            _ => ::core::result::Result::Err(::warpwise::derived::not_a_value()),
        }
    };
    let passing = passing(rust, &store, &load);
    quote! {
        #[doc = #docs]
        #[derive(Clone, PartialEq, Debug)]
        #[allow(non_camel_case_types)]
        pub enum #rust {
            #(#[doc = #variant_docs] #constructors #payloads,)*
        }

        #passing
    }
}

/// Generates the leaves of a sum type, and the leaves that each constructor's payload uses.
fn layout(leaves: &[(ValueType, usize)], variants: &[Variant]) -> TokenStream {
    let types = leaves.iter().map(|(ty, _)| format_ident!("{ty:?}"));
    let ranks = leaves.iter().map(|(_, rank)| *rank);
    let places = variants.iter().map(|variant| {
        let places = variant.payload.iter().flat_map(|(_, places)| places.iter().copied());
        quote!(&[#(#places),*])
    });
    quote! {
        ::warpwise::derived::SumLayout {
            leaves: &[#((::warpwise::derived::ValueType::#types, #ranks)),*],
            places: &[#(#places),*],
        }
    }
}

fn passing(rust: &Ident, store: &TokenStream, load: &TokenStream) -> TokenStream {
    quote! {
        impl ::warpwise::derived::HostValue for #rust {
            #[allow(unused_variables)]
            fn store(
                self,
                into: &mut ::std::vec::Vec<::warpwise::derived::ProgramValue>,
            ) -> ::core::result::Result<(), ::warpwise::Error> {
                #store
            }

            #[allow(unused_variables)]
            fn load(
                from: &mut ::warpwise::derived::ProgramValues,
            ) -> ::core::result::Result<Self, ::warpwise::Error> {
                #load
            }
        }
    }
}
