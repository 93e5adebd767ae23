//! The path by which generated code refers to the crate `warpwise`. `#[elt(crate = "some::path")]` sets it where a package
//! renames the dependency, or uses it through a library that re-exports it.
//!
//! ```text
//! impl ::warpwise::Elt for Point { .. }   ==>   impl some::path::Elt for Point { .. }
//! ```
//!
//! Code is generated with `::warpwise` everywhere; this path is replaced at the end.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{DeriveInput, Ident, LitStr, Path, Result};

/// Returns the path in `#[elt(crate = "...")]`.
pub(crate) fn path(input: &DeriveInput) -> Result<Option<Path>> {
    let mut found = None;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("elt")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("expected `crate = \"path\"`"));
            }
            found = Some(meta.value()?.parse::<LitStr>()?.parse()?);
            Ok(())
        })?;
    }
    Ok(found)
}

/// Replaces `::warpwise` in the code by this path.
pub(crate) fn renamed(code: TokenStream, path: &Path) -> TokenStream {
    let mut replaced = TokenStream::new();
    // A `::` is two colon tokens; both are held back until the next token is known.
    let mut colons: Vec<TokenTree> = Vec::new();
    // Whether the colons continue a path.
    let mut continues = false;
    for token in code {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => {
                colons.push(punct.into());
                if colons.len() > 2 {
                    // The first colon is that of a type annotation before an absolute path.
                    replaced.extend(colons.drain(..1));
                    continues = false;
                }
            }
            TokenTree::Ident(ident) if colons.len() == 2 && !continues && ident == "warpwise" => {
                colons.clear();
                path.to_tokens(&mut replaced);
                continues = true;
            }
            TokenTree::Group(group) => {
                replaced.extend(colons.drain(..));
                let mut inner = Group::new(group.delimiter(), renamed(group.stream(), path));
                inner.set_span(group.span());
                replaced.extend([TokenTree::from(inner)]);
                continues = false;
            }
            other => {
                replaced.extend(colons.drain(..));
                continues = begins_path(&other);
                replaced.extend([other]);
            }
        }
    }
    replaced.extend(colons);
    replaced
}

/// Returns whether `::` after this token continues a path. It does after names, but not after `impl` or `for`.
fn begins_path(token: &TokenTree) -> bool {
    let TokenTree::Ident(ident) = token else { return false };
    let is_name = syn::parse_str::<Ident>(&ident.to_string()).is_ok();
    is_name || ["crate", "self", "super", "Self"].iter().any(|word| ident == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn only_paths_that_begin_with_the_crate_are_replaced() {
        let code = quote! { impl ::warpwise::Elt for a::warpwise<::warpwise::Exp<u8>> { fn f(x: ::warpwise::B) -> ::core::C { [::warpwise::D] } } };
        let path = syn::parse_str("arrays::inner").unwrap();
        let wanted = quote! { impl arrays::inner::Elt for a::warpwise<arrays::inner::Exp<u8>> { fn f(x: arrays::inner::B) -> ::core::C { [arrays::inner::D] } } };
        assert_eq!(renamed(code, &path).to_string(), wanted.to_string());
    }
}
