//! `#[derive(Elt)]`: makes structs and enums elements of Warpwise's arrays.
//!
//! ```text
//! #[derive(Clone, Elt)]                 struct ParticleExp { place: <[f32; 2] as Elt>::View, mass: Exp<f32> }
//! struct Particle {            ==>      impl Elt for Particle { type View = ParticleExp; ... }
//!     place: [f32; 2],                  impl IntoExp for ParticleExp { type Elt = Particle; ... }
//!     mass: f32,                        impl Operand<Particle> for ParticleExp { ... }
//! }                                     impl Operand<Particle> for Particle { ... }
//! ```
//!
//! A struct is stored as the components of its fields, in order. An enum is stored as a tag and slots; the number of slots of
//! each scalar type is that of the variant with the most fields of the type. The view of an enum is a struct `NameExp` with one
//! function per variant that makes it, and a method `cases` that takes one closure per variant.
//!
//! Absent: any knowledge of expressions; the generated code calls only `warpwise`.

mod enums;
mod renamed;
mod structs;

use proc_macro::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, parse_macro_input};

/// Makes a struct or an enum whose fields are elements an element. Where the crate `warpwise` has another name,
/// `#[elt(crate = "path::to::it")]` gives its path.
#[proc_macro_derive(Elt, attributes(elt))]
pub fn derive_elt(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let code = match &input.data {
        Data::Struct(data) => structs::derive(&input, data),
        Data::Enum(data) => enums::derive(&input, data),
        Data::Union(_) => {
            Err(syn::Error::new_spanned(&input.ident, "a union cannot be an element of an array"))
        }
    };
    let code = code.and_then(|mut code| {
        code.extend(constants(&input));
        let path = renamed::path(&input)?;
        Ok(match path {
            Some(path) => renamed::renamed(code, &path),
            None => code,
        })
    });
    code.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Generates conversions from values of the type to expressions.
fn constants(input: &DeriveInput) -> proc_macro2::TokenStream {
    let name = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics ::warpwise::IntoExp for #name #ty_generics #where_clause {
            type Elt = #name #ty_generics;

            #[track_caller]
            fn into_exp(self) -> ::warpwise::Exp<Self::Elt> {
                ::warpwise::Exp::constant(self)
            }
        }

        #[automatically_derived]
        impl #impl_generics ::warpwise::Operand<#name #ty_generics> for #name #ty_generics #where_clause {
            #[track_caller]
            fn operand(self) -> ::warpwise::Exp<#name #ty_generics> {
                ::warpwise::Exp::constant(self)
            }
        }
    }
}
