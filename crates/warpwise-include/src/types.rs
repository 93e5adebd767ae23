//! Maps the types of entry points to Rust types.
//!
//! ```text
//! f32                          f32
//! [n][m]f32                    Array<Dim2, f32>                       sizes are ranks
//! (i32, [n]f32)                (i32, Array<Dim1, f32>)
//! type point = {x: f32}        struct Point { pub x: f32 }            an element of arrays if its fields are
//! {x: f32, y: i32}             (f32, i32)                             a record without a name, in the order of fields' names
//! [n]point                     Array<Dim1, Point>
//! type shape = #a | #b f32     enum Shape { A, B(f32) }
//! ```
//!
//! Absent: arrays of elements that contain arrays, sum types or nothing, and sum types without a name; they are rejected.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use warpwise_ir::{EntryType, OpaqueForm, Variant};
use warpwise_prim::ValueType;

use crate::{declarations, names};

/// Maximum number of parts of a tuple that is passed.
const MOST_PARTS: usize = 12;

/// Maximum number of parts of a tuple that is an element of an array.
const MOST_ELEMENT_PARTS: usize = 8;

/// Maximum number of dimensions of an array.
const MOST_DIMENSIONS: usize = 6;

/// The named types of a program, and all names in use.
#[derive(Default)]
pub(crate) struct Types {
    named: Vec<Named>,
    taken: Vec<String>,
}

/// A type that is declared in Rust.
struct Named {
    source: EntryType,
    /// Name in the source.
    called: String,
    name: Ident,
}

impl Types {
    /// Records the named types within a type. All types must be known before any is generated, because a part may get its name
    /// elsewhere.
    pub fn collect(&mut self, ty: &EntryType) {
        let EntryType::Opaque { name, fields, form } = ty else { return };
        let is_declared = match form {
            OpaqueForm::Record => {
                fields.iter().for_each(|(_, ty)| self.collect(ty));
                !is_tuple(fields)
            }
            OpaqueForm::Array(_, element) => {
                self.collect(element);
                false
            }
            OpaqueForm::Sum(variants) => {
                let payload = variants.iter().flat_map(|variant| &variant.payload);
                payload.for_each(|(ty, _)| self.collect(ty));
                true
            }
        };
        if is_declared && is_word(name) && self.find(ty).is_none() {
            let rust = names::unused(names::ty(name), &mut self.taken);
            self.named.push(Named { source: ty.clone(), called: name.clone(), name: rust });
        }
    }

    /// Generates the declarations.
    pub fn declarations(&self) -> Result<Vec<TokenStream>, String> {
        self.named.iter().map(|named| self.declaration(named)).collect()
    }

    fn declaration(&self, Named { source, called, name }: &Named) -> Result<TokenStream, String> {
        let EntryType::Opaque { fields, form, .. } = source else { return Ok(TokenStream::new()) };
        match form {
            OpaqueForm::Record => self.record(called, name, fields),
            OpaqueForm::Sum(variants) => self.sum(called, name, source, variants),
            OpaqueForm::Array(..) => Ok(TokenStream::new()),
        }
        .map_err(|message| format!("type `{called}`: {message}"))
    }

    /// Generates a Rust type.
    pub fn ty(&self, ty: &EntryType) -> Result<TokenStream, String> {
        match ty {
            EntryType::Scalar(ty) => Ok(scalar(*ty)),
            EntryType::Array(element, rank) => array(*rank, &scalar(*element)),
            EntryType::Opaque { name, fields, form } => match form {
                OpaqueForm::Array(rank, element) if self.is_element(element) => {
                    array(*rank, &self.ty(element)?)
                }
                OpaqueForm::Array(..) => Err(format!(
                    "arrays are passed if their elements are scalars, or tuples and records of those, but not `{name}`"
                )),
                OpaqueForm::Record => match self.find(ty) {
                    Some(name) => Ok(quote!(#name)),
                    None => self.tuple(fields.iter().map(|(_, ty)| ty)),
                },
                OpaqueForm::Sum(_) => match self.find(ty) {
                    Some(name) => Ok(quote!(#name)),
                    None => Err(format!("a sum type is passed if it has a name, but not `{name}`")),
                },
            },
        }
    }

    /// Generates a Rust tuple type.
    pub fn tuple<'t>(&self, parts: impl Iterator<Item = &'t EntryType>) -> Result<TokenStream, String> {
        let parts = parts.map(|ty| self.ty(ty)).collect::<Result<Vec<_>, _>>()?;
        match parts.len() {
            0..=MOST_PARTS => Ok(quote!((#(#parts,)*))),
            count => Err(format!("a tuple has at most {MOST_PARTS} parts, but this one {count}")),
        }
    }

    fn find(&self, ty: &EntryType) -> Option<&Ident> {
        self.named.iter().find(|named| is_same(&named.source, ty)).map(|named| &named.name)
    }

    /// Returns whether arrays store values of this type as one array per part.
    fn is_element(&self, ty: &EntryType) -> bool {
        match ty {
            EntryType::Scalar(_) => true,
            EntryType::Array(..) => false,
            EntryType::Opaque { fields, form: OpaqueForm::Record, .. } => {
                let is_written = self.find(ty).is_some() || fields.len() <= MOST_ELEMENT_PARTS;
                !fields.is_empty() && is_written && fields.iter().all(|(_, ty)| self.is_element(ty))
            }
            EntryType::Opaque { form: OpaqueForm::Array(..) | OpaqueForm::Sum(_), .. } => false,
        }
    }

    fn record(
        &self,
        name: &str,
        rust: &Ident,
        fields: &[(String, EntryType)],
    ) -> Result<TokenStream, String> {
        let types = fields.iter().map(|(_, ty)| self.ty(ty)).collect::<Result<Vec<_>, _>>()?;
        let is_element = !fields.is_empty() && fields.iter().all(|(_, ty)| self.is_element(ty));
        Ok(declarations::record(name, rust, fields, &types, is_element))
    }

    fn sum(
        &self,
        name: &str,
        rust: &Ident,
        ty: &EntryType,
        variants: &[Variant],
    ) -> Result<TokenStream, String> {
        let types = variants
            .iter()
            .map(|variant| variant.payload.iter().map(|(ty, _)| self.ty(ty)).collect::<Result<Vec<_>, _>>());
        Ok(declarations::sum(name, rust, &ty.leaves(), variants, &types.collect::<Result<Vec<_>, _>>()?))
    }
}

fn array(rank: usize, element: &TokenStream) -> Result<TokenStream, String> {
    match rank {
        0..=MOST_DIMENSIONS => {
            let dim = format_ident!("Dim{rank}");
            Ok(quote!(::warpwise::Array<::warpwise::#dim, #element>))
        }
        _ => Err(format!("an array has at most {MOST_DIMENSIONS} dimensions, but this one {rank}")),
    }
}

fn scalar(ty: ValueType) -> TokenStream {
    match ty {
        ValueType::F16 => quote!(::warpwise::f16),
        ValueType::Bool
        | ValueType::I8
        | ValueType::I16
        | ValueType::I32
        | ValueType::I64
        | ValueType::U8
        | ValueType::U16
        | ValueType::U32
        | ValueType::U64
        | ValueType::F32
        | ValueType::F64 => {
            let name = Ident::new(ty.name(), Span::call_site());
            quote!(#name)
        }
    }
}

fn is_tuple(fields: &[(String, EntryType)]) -> bool {
    fields.len() != 1 && fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string())
}

/// Returns whether a type's name is a name in the source, and not a type expression.
fn is_word(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && letters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\''))
}

/// Returns whether two types have the same structure, regardless of their names.
fn is_same(a: &EntryType, b: &EntryType) -> bool {
    let (EntryType::Opaque { fields, form, .. }, EntryType::Opaque { fields: others, form: other, .. }) =
        (a, b)
    else {
        return a == b;
    };
    let same_fields = fields.len() == others.len()
        && fields.iter().zip(others).all(|(a, b)| a.0 == b.0 && is_same(&a.1, &b.1));
    match (form, other) {
        (OpaqueForm::Record, OpaqueForm::Record) => same_fields,
        (OpaqueForm::Array(rank, element), OpaqueForm::Array(other_rank, other)) => {
            rank == other_rank && is_same(element, other)
        }
        (OpaqueForm::Sum(variants), OpaqueForm::Sum(others)) => {
            let pairs = || variants.iter().zip(others);
            let same_payload = |a: &Variant, b: &Variant| {
                let mut parts = a.payload.iter().zip(&b.payload);
                a.payload.len() == b.payload.len() && parts.all(|(a, b)| is_same(&a.0, &b.0))
            };
            same_fields
                && variants.len() == others.len()
                && pairs().all(|(a, b)| a.name == b.name && same_payload(a, b))
        }
        (OpaqueForm::Record | OpaqueForm::Array(..) | OpaqueForm::Sum(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, fields: &[(&str, EntryType)]) -> EntryType {
        let fields = fields.iter().map(|(name, ty)| (name.to_string(), ty.clone())).collect();
        EntryType::Opaque { name: name.to_string(), fields, form: OpaqueForm::Record }
    }

    fn array_of(element: &EntryType, rank: usize) -> EntryType {
        let (name, form) = ("[]t".to_string(), OpaqueForm::Array(rank, Box::new(element.clone())));
        EntryType::Opaque { name, fields: Vec::new(), form }
    }

    /// Returns the Rust type without spaces.
    fn written(ty: &EntryType) -> Result<String, String> {
        let mut types = Types::default();
        types.collect(ty);
        types.declarations()?;
        Ok(types.ty(ty)?.to_string().replace(' ', "").replace("::warpwise::", ""))
    }

    #[test]
    fn types_of_rust() {
        let (number, byte) = (EntryType::Scalar(ValueType::F16), EntryType::Scalar(ValueType::U8));
        let matrix = EntryType::Array(ValueType::I64, 2);
        let point = record("m.point", &[("x", number.clone()), ("y", byte.clone())]);
        let nameless = record("{a: []i64, b: u8}", &[("a", matrix.clone()), ("b", byte.clone())]);
        let pair = record("(f16, u8)", &[("0", number.clone()), ("1", byte.clone())]);
        assert_eq!(written(&number).unwrap(), "f16");
        assert_eq!(written(&matrix).unwrap(), "Array<Dim2,i64>");
        assert_eq!(written(&point).unwrap(), "MPoint");
        assert_eq!(written(&nameless).unwrap(), "(Array<Dim2,i64>,u8,)");
        assert_eq!(written(&array_of(&point, 3)).unwrap(), "Array<Dim3,MPoint>");
        assert_eq!(written(&array_of(&pair, 1)).unwrap(), "Array<Dim1,(f16,u8,)>");
        assert_eq!(written(&record("unit", &[])).unwrap(), "()");
    }

    #[test]
    fn what_has_no_type_is_refused() {
        let matrix = EntryType::Array(ValueType::I64, 2);
        let holder = record("holder", &[("a", matrix)]);
        assert!(written(&array_of(&holder, 1)).unwrap_err().contains("but not `[]t`"));
        assert!(written(&array_of(&record("()", &[]), 1)).is_err());
        assert!(written(&EntryType::Array(ValueType::I8, 7)).unwrap_err().contains("at most 6 dimensions"));
        let form = OpaqueForm::Sum(vec![Variant { name: "a".to_string(), payload: Vec::new() }]);
        let tag = ("tag".to_string(), EntryType::Scalar(ValueType::U8));
        let sum = |name: &str| EntryType::Opaque {
            name: name.to_string(),
            fields: vec![tag.clone()],
            form: form.clone(),
        };
        assert_eq!(written(&sum("shape")).unwrap(), "Shape");
        assert!(written(&sum("#a")).unwrap_err().contains("if it has a name"));
        assert!(written(&array_of(&sum("shape"), 1)).is_err());
    }
}
