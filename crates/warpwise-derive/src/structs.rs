//! Structs: stored as the components of their fields, in order.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DataStruct, DeriveInput, Fields, Index, Result};

pub(crate) fn derive(input: &DeriveInput, data: &DataStruct) -> Result<TokenStream> {
    let (name, visibility) = (&input.ident, &input.vis);
    let view = format_ident!("{name}Exp");
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    let generics = &input.generics;
    let types: Vec<_> = data.fields.iter().map(|field| &field.ty).collect();
    let visibilities: Vec<_> = data.fields.iter().map(|field| &field.vis).collect();
    let docs = format!("The parts of an expression of type [`{name}`].");
    let members: Vec<TokenStream> = data
        .fields
        .iter()
        .enumerate()
        .map(|(at, field)| match &field.ident {
            Some(ident) => quote!(#ident),
            None => {
                let index = Index::from(at);
                quote!(#index)
            }
        })
        .collect();
    let readers: Vec<_> = (0..types.len()).map(|at| format_ident!("reader_{at}")).collect();
    let declaration = match &data.fields {
        Fields::Named(_) => quote! {
            #visibility struct #view #generics #where_clause {
                #(#[allow(missing_docs)] #visibilities #members: <#types as ::warpwise::Elt>::View,)*
            }
        },
        Fields::Unnamed(_) | Fields::Unit => quote! {
            #visibility struct #view #generics (
                #(#[allow(missing_docs)] #visibilities <#types as ::warpwise::Elt>::View,)*
            ) #where_clause;
        },
    };
    Ok(quote! {
        #[doc = #docs]
        #declaration

        #[automatically_derived]
        impl #impl_generics ::core::clone::Clone for #view #ty_generics #where_clause {
            fn clone(&self) -> Self {
                *self
            }
        }

        #[automatically_derived]
        impl #impl_generics ::core::marker::Copy for #view #ty_generics #where_clause {}

        #[automatically_derived]
        impl #impl_generics ::warpwise::Elt for #name #ty_generics #where_clause {
            type View = #view #ty_generics;

            fn components(into: &mut ::std::vec::Vec<::warpwise::derived::ValueType>) {
                #(<#types as ::warpwise::Elt>::components(into);)*
            }

            fn store(&self, into: &mut ::std::vec::Vec<::warpwise::derived::Scalar>) {
                #(::warpwise::Elt::store(&self.#members, into);)*
            }

            fn load(from: &mut ::warpwise::derived::Values<'_>) -> ::core::option::Option<Self> {
                ::core::option::Option::Some(Self { #(#members: <#types as ::warpwise::Elt>::load(from)?,)* })
            }

            fn write<'e>(
                elements: impl ::core::iter::Iterator<Item = &'e Self> + ::core::clone::Clone,
                columns: &mut ::warpwise::derived::ColumnsMut<'_>,
            ) {
                #(<#types as ::warpwise::Elt>::write(
                    ::core::iter::Iterator::map(::core::clone::Clone::clone(&elements), |element| &element.#members),
                    columns,
                );)*
            }

            #[allow(unused_mut)]
            fn reader(
                mut columns: &[::warpwise::derived::Column],
            ) -> ::core::option::Option<impl ::core::ops::Fn(usize) -> Self> {
                #(
                    let #readers =
                        <#types as ::warpwise::Elt>::reader(::warpwise::derived::split::<#types>(&mut columns))?;
                )*
                ::core::option::Option::Some(move |place: usize| Self { #(#members: #readers(place),)* })
            }

            #[allow(unused_assignments, unused_mut, unused_variables)]
            fn view(exp: ::warpwise::Exp<Self>) -> Self::View {
                let mut start = 0;
                #view {
                    #(#members: {
                        let part = exp.part::<#types>(start);
                        start += ::warpwise::derived::count::<#types>();
                        <#types as ::warpwise::Elt>::view(part)
                    },)*
                }
            }
        }

        #[automatically_derived]
        impl #impl_generics ::warpwise::IntoExp for #view #ty_generics #where_clause {
            type Elt = #name #ty_generics;

            #[track_caller]
            fn into_exp(self) -> ::warpwise::Exp<Self::Elt> {
                ::warpwise::Exp::join(::std::vec![#(::warpwise::IntoExp::into_exp(self.#members).node(),)*])
            }
        }

        #[automatically_derived]
        impl #impl_generics ::warpwise::Operand<#name #ty_generics> for #view #ty_generics #where_clause {
            #[track_caller]
            fn operand(self) -> ::warpwise::Exp<#name #ty_generics> {
                ::warpwise::IntoExp::into_exp(self)
            }
        }
    })
}
