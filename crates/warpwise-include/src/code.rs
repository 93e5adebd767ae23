//! Generates the Rust functions for entry points, and the program that they call.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use warpwise_ir::{EntryParam, EntryType};

use crate::names;
use crate::program::{Entry, Program};
use crate::types::Types;

/// Generates the whole expansion of `include_fut!`.
pub(crate) fn code(program: &Program) -> Result<TokenStream, String> {
    let mut types = Types::default();
    for entry in &program.entries {
        let params = entry.point.params.iter().map(|param| &param.ty);
        params.chain(entry.point.result_types()).for_each(|ty| types.collect(ty));
    }
    let included = names::constant(&program.files[0].name);
    let mut taken = Vec::new();
    let mut functions = Vec::new();
    for entry in &program.entries {
        let name = names::unused(names::value(&entry.point.name), &mut taken);
        functions.push(function(entry, &name, &included, &types).map_err(at(entry))?);
    }
    let declarations = types.declarations().map_err(|message| format!("not supported yet: {message}"))?;
    let embedded = embedded(program);
    Ok(quote! {
        #(#declarations)*

        #[doc(hidden)]
        static #included: ::warpwise::derived::Included = ::warpwise::derived::Included::new(#embedded);

        #(#functions)*
    })
}

/// Formats a limit as a message that names the entry point.
fn at(entry: &Entry) -> impl Fn(String) -> String {
    let start = format!("{}: entry point `{}`", entry.place, entry.point.name);
    move |message| format!("{start}: not supported yet: {message}")
}

fn function(entry: &Entry, name: &Ident, included: &Ident, types: &Types) -> Result<TokenStream, String> {
    let point = &entry.point;
    let mut taken = vec!["context".to_string()];
    let params: Vec<Ident> = point.params.iter().map(|param| parameter(param, &mut taken)).collect();
    let mut param_types = Vec::new();
    let mut values = Vec::new();
    for (param, name) in point.params.iter().zip(&params) {
        let ty = types.ty(&param.ty)?;
        let is_moved = param.consumed || matches!(param.ty, EntryType::Scalar(_));
        param_types.push(if is_moved { quote!(#ty) } else { quote!(&#ty) });
        values.push(if is_moved { quote!(#name) } else { quote!(::core::clone::Clone::clone(#name)) });
    }
    let result = match point.results.as_slice() {
        [only] => types.ty(&only.ty)?,
        _ => types.tuple(point.result_types())?,
    };
    let docs = format!("The entry point `{}` of `{}`.", point.name, entry.file());
    let entry_name = &point.name;
    Ok(quote! {
        #[doc = #docs]
        #[allow(dead_code, non_snake_case, clippy::too_many_arguments)]
        pub fn #name(
            context: &::warpwise::Context,
            #(#params: #param_types,)*
        ) -> ::core::result::Result<#result, ::warpwise::Error> {
            #[allow(unused_mut)]
            let mut arguments = ::std::vec::Vec::new();
            #(::warpwise::derived::HostValue::store(#values, &mut arguments)?;)*
            let mut results = #included.call(context, #entry_name, arguments)?;
            <#result as ::warpwise::derived::HostValue>::load(&mut results)
        }
    })
}

fn parameter(param: &EntryParam, taken: &mut Vec<String>) -> Ident {
    let name = match param.name.as_str() {
        "" => Ident::new("argument", Span::call_site()),
        name => names::value(name),
    };
    names::unused(name, taken)
}

/// Embeds the files in the executable; Rust recompiles when one of them changes.
fn embedded(program: &Program) -> TokenStream {
    let names = program.files.iter().map(|file| &file.name);
    let paths = program.files.iter().map(|file| file.path.display().to_string());
    let importing = program.imports.iter().map(|(importing, _, _)| importing);
    let said = program.imports.iter().map(|(_, path, _)| path);
    let imported = program.imports.iter().map(|(_, _, imported)| imported);
    quote! {
        ::warpwise::derived::Embedded {
            files: &[
                #(::warpwise::derived::EmbeddedFile { name: #names, text: include_str!(#paths) },)*
            ],
            imports: &[
                #(::warpwise::derived::EmbeddedImport {
                    importing: #importing,
                    path: #said,
                    imported: #imported,
                },)*
            ],
        }
    }
}
