//! Explanations for messages: where two large types differ, and where sizes come from.

use warpwise_diag::Diagnostic;

use crate::check::Checker;
use crate::check::infer::ty::{Node, Ty};
use crate::typed::ids::LocalId;
use crate::typed::tree::Local;
use crate::typed::ty::{Size, Type};

/// Maximum number of bytes of a type that is shown whole although it differs in one part only.
const LONGEST: usize = 48;

/// Whether one of two types is too large for a comparison at a glance.
pub fn are_large(expected: &str, found: &str) -> bool {
    expected.len().max(found.len()) > LONGEST
}

impl Checker<'_> {
    /// Returns the path to the first position where two types contain the given parts, in either order, and these parts in the
    /// order of the types. The path consists of field names, and `[]` for elements.
    pub fn path_to(&mut self, whole: [Ty; 2], parts: [Ty; 2]) -> Option<(String, [Ty; 2])> {
        let types = &mut self.infer.types;
        let whole = [types.find(whole[0]), types.find(whole[1])];
        if whole == parts || whole == [parts[1], parts[0]] {
            return Some((String::new(), whole));
        }
        match (types.node(whole[0]), types.node(whole[1])) {
            (Node::Array(a), Node::Array(b)) => {
                let (rest, found) = self.path_to([a, b], parts)?;
                Some((format!("[]{rest}"), found))
            }
            (Node::Record(names, a), Node::Record(others, b)) if names == others => {
                names.iter().zip(a.iter().zip(b.iter())).find_map(|(&name, (&a, &b))| {
                    let (rest, found) = self.path_to([a, b], parts)?;
                    Some((format!(".{}{rest}", self.text(name)), found))
                })
            }
            _ => None,
        }
    }

    /// Adds to an error where a size that has no name in the program comes from, and how to name it.
    pub fn explain_size(&self, error: Diagnostic, size: &Size, types: [&Type; 2]) -> Diagnostic {
        let Size::Local(local) = size else { return error };
        // A size that is not solved yet is no local of the program.
        let Some(&Local { name, span, .. }) = self.program.locals.get(local.index()) else { return error };
        let is_written = self.written(span).is_none_or(|text| text == self.text(name));
        let (Some(source), false) = (self.written(span), is_written) else { return error };
        let name = self.show_local(*local);
        let error = error.label(span, format!("`{name}` is the size of what this gives"));
        match types.into_iter().find_map(|ty| array_of(ty, *local)) {
            Some(ty) => {
                let ty = self.show_type(ty);
                error.hint(format!("to use the size, name it: `let [{name}] (xs: {ty}) = {source}`"))
            }
            None => error,
        }
    }
}

/// Returns the array type inside a type whose outermost size is `size`.
fn array_of(ty: &Type, size: LocalId) -> Option<&Type> {
    match ty {
        Type::Array(array) if matches!(array.size, Size::Local(local) if local == size) => Some(ty),
        Type::Array(array) => array_of(&array.element, size),
        Type::Record(fields) => fields.iter().find_map(|field| array_of(&field.ty, size)),
        Type::Prim(_) | Type::Param(_) | Type::Abstract(..) | Type::Sum(_) | Type::Arrow(_) => None,
    }
}

/// Reduces a message about two large types to the part in which they differ.
pub fn shorten(mut error: Diagnostic, path: &str, expected: &str, found: &str) -> Diagnostic {
    let part = path.trim_start_matches('.');
    let kind = if part.contains("[]") { "part" } else { "field" };
    error.message = format!("expected `{expected}`, found `{found}` in the {kind} `{part}`");
    error.at = format!("{kind} `{part}`: `{found}` here, `{expected}` there");
    error
}
