//! Types of entry points as callers see them: records with fields, sums with constructors, and arrays of these, each with its
//! component scalars and arrays.
//!
//! ```text
//! type shape [n] = #circle f32 | #path ([n]f32)
//! entry area [n] (s: shape [n])        s: opaque "shape" {"tag": u8, "0": f32, "1": []f32}
//!                                           sum {"circle" (f32 at 1), "path" ([]f32 at 2)}
//! ```
//!
//! A type is named as the source writes it at the entry point, without sizes. A type without a name there is named by its
//! structure. Types hidden by modules are shown, since callers are outside of all modules. [`sums`](super::sums) defines the
//! meaning of the components.

use std::collections::VecDeque;

use warpwise_ir::{EntryType, OpaqueForm, Variant};

use crate::lower::context::Session;
use crate::lower::sums::{Place, TAG, layout};
use crate::lower::types::{Extent, Repr, value_type};
use crate::syntax::ast::PrimType;
use crate::syntax::session::Symbol;
use crate::typed::ids::{AbstractId, LocalId, TypeParamId};
use crate::typed::map::{Map, map_type};
use crate::typed::tree::{AbstractParam, SurfaceType, WrittenType};
use crate::typed::ty::{Constructor, Size, Type, TypeArg};

impl Session<'_> {
    /// Returns the type of a parameter.
    pub fn interface_type(&self, surface: &SurfaceType) -> EntryType {
        self.type_outside(surface.written.as_ref(), &surface.ty)
    }

    /// Returns the types of the results. A tuple is unpacked one level; its name is returned if it has one.
    pub fn interface_results(&self, surface: &SurfaceType) -> (Option<String>, Vec<EntryType>) {
        let written = surface.written.as_ref();
        match &surface.ty {
            Type::Record(fields) if self.is_tuple(fields.iter().map(|field| field.name)) => {
                // What is written out has parts, other than a name.
                let name = written.filter(|written| written.parts.len() != fields.len());
                let parts = fields.iter().enumerate();
                let parts = parts.map(|(index, field)| self.type_outside(part(written, index), &field.ty));
                (name.map(|name| name.text.clone()), parts.collect())
            }
            ty => (None, vec![self.type_outside(written, ty)]),
        }
    }

    fn type_outside(&self, written: Option<&WrittenType>, ty: &Type) -> EntryType {
        let (mut rank, mut element, mut element_written) = (0, ty, written);
        while let Type::Array(array) = element {
            (rank, element, element_written) = (rank + 1, &array.element, part(element_written, 0));
        }
        let name = || written.map_or_else(|| self.bare_text(ty), |written| written.text.clone());
        match element {
            Type::Prim(prim) => leaf(*prim, rank),
            Type::Param(_)
            | Type::Abstract(..)
            | Type::Array(_)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_)
                if rank > 0 =>
            {
                let element = self.type_outside(element_written, element);
                let fields = flat_fields(&element, "", rank);
                EntryType::Opaque { name: name(), fields, form: OpaqueForm::Array(rank, Box::new(element)) }
            }
            Type::Record(record) => {
                let fields = record.iter().enumerate().map(|(index, field)| {
                    let name = self.input.names.text(field.name).to_string();
                    (name, self.type_outside(part(written, index), &field.ty))
                });
                EntryType::Opaque { name: name(), fields: fields.collect(), form: OpaqueForm::Record }
            }
            Type::Sum(constructors) => self.sum_outside(name(), constructors),
            Type::Abstract(id, args) => {
                match self.type_outside(None, &self.definition(*id, args)) {
                    EntryType::Opaque { fields, form, .. } => {
                        EntryType::Opaque { name: name(), fields, form }
                    }
                    // A hidden scalar or array is shown as such.
                    shown @ (EntryType::Scalar(_) | EntryType::Array(..)) => shown,
                }
            }
            // Entry points have no such types.
            Type::Param(_) | Type::Arrow(_) | Type::Array(_) => {
                EntryType::Opaque { name: name(), fields: Vec::new(), form: OpaqueForm::Record }
            }
        }
    }

    fn sum_outside(&self, name: String, constructors: &[Constructor]) -> EntryType {
        let shapes: Vec<Vec<Repr>> =
            constructors.iter().map(|constructor| self.payload(constructor)).collect();
        let (layout, slots) = layout(&shapes);
        let mut fields = vec![("tag".to_string(), leaf(TAG, 0))];
        let mut places = Vec::new();
        for (index, slot) in slots.iter().enumerate() {
            let start = fields.len();
            shape_fields(&index.to_string(), slot, 0, &mut fields);
            places.push((start..fields.len()).collect::<Vec<_>>());
        }
        let variants = constructors.iter().zip(layout.iter()).map(|(constructor, payload)| Variant {
            name: self.input.names.text(constructor.name).to_string(),
            payload: constructor
                .payload
                .iter()
                .zip(payload)
                .map(|(ty, place)| (self.type_outside(None, ty), leaves_at(place, &places)))
                .collect(),
        });
        EntryType::Opaque { name, form: OpaqueForm::Sum(variants.collect()), fields }
    }

    fn payload(&self, constructor: &Constructor) -> Vec<Repr> {
        constructor.payload.iter().map(|ty| self.bare_shape(ty)).collect()
    }

    /// Returns the shape of values of a type without type parameters; its sizes are unknown.
    fn bare_shape(&self, ty: &Type) -> Repr {
        match ty {
            Type::Prim(prim) => Repr::Scalar(*prim),
            Type::Array(array) => Repr::Array(Extent::Unknown, Box::new(self.bare_shape(&array.element))),
            Type::Record(fields) => {
                Repr::Record(fields.iter().map(|field| self.bare_shape(&field.ty)).collect())
            }
            Type::Sum(constructors) => {
                Repr::Sum(constructors.iter().map(|constructor| self.payload(constructor)).collect())
            }
            Type::Abstract(id, args) => self.bare_shape(&self.definition(*id, args)),
            Type::Param(_) | Type::Arrow(_) => Repr::Function,
        }
    }

    /// Returns a type in the language's syntax, without sizes.
    fn bare_text(&self, ty: &Type) -> String {
        match ty {
            Type::Prim(prim) => prim.name().to_string(),
            Type::Array(array) => format!("[]{}", self.bare_atom(&array.element)),
            Type::Record(fields) => {
                let is_tuple = self.is_tuple(fields.iter().map(|field| field.name));
                let parts = fields.iter().map(|field| match is_tuple {
                    true => self.bare_text(&field.ty),
                    false => format!("{}: {}", self.input.names.text(field.name), self.bare_text(&field.ty)),
                });
                let parts = parts.collect::<Vec<_>>().join(", ");
                if is_tuple { format!("({parts})") } else { format!("{{{parts}}}") }
            }
            Type::Sum(constructors) => {
                let one = |constructor: &Constructor| {
                    let payload = constructor.payload.iter().map(|ty| format!(" {}", self.bare_atom(ty)));
                    format!("#{}{}", self.input.names.text(constructor.name), payload.collect::<String>())
                };
                constructors.iter().map(one).collect::<Vec<_>>().join(" | ")
            }
            Type::Abstract(id, _) => {
                self.input.names.text(self.program.abstracts[id.index()].name).to_string()
            }
            Type::Param(_) | Type::Arrow(_) => "_".to_string(),
        }
    }

    fn bare_atom(&self, ty: &Type) -> String {
        let text = self.bare_text(ty);
        match ty {
            Type::Sum(_) => format!("({text})"),
            Type::Prim(_)
            | Type::Array(_)
            | Type::Record(_)
            | Type::Abstract(..)
            | Type::Param(_)
            | Type::Arrow(_) => text,
        }
    }

    /// Returns the definition of an abstract type with type arguments. Sizes are left as they are.
    fn definition(&self, id: AbstractId, args: &[TypeArg]) -> Type {
        let hidden = &self.program.abstracts[id.index()];
        let mut arguments = TypeArguments { params: &hidden.params, args };
        map_type(&hidden.definition, &mut arguments)
    }

    /// Whether these are the fields of a tuple (or of the unit value).
    fn is_tuple(&self, names: impl ExactSizeIterator<Item = Symbol>) -> bool {
        names.len() != 1 && names.enumerate().all(|(i, name)| self.input.names.text(name) == i.to_string())
    }
}

fn part(written: Option<&WrittenType>, index: usize) -> Option<&WrittenType> {
    written.and_then(|written| written.parts.get(index))
}

fn leaf(prim: PrimType, rank: usize) -> EntryType {
    array_of(value_type(prim), rank)
}

fn array_of(element: warpwise_prim::ValueType, rank: usize) -> EntryType {
    if rank == 0 { EntryType::Scalar(element) } else { EntryType::Array(element, rank) }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

/// Returns the components of arrays with `rank` dimensions of a type.
fn flat_fields(ty: &EntryType, path: &str, rank: usize) -> Vec<(String, EntryType)> {
    match ty {
        EntryType::Scalar(element) => vec![(path.to_string(), array_of(*element, rank))],
        EntryType::Array(element, inner) => vec![(path.to_string(), array_of(*element, rank + inner))],
        EntryType::Opaque { fields, .. } => {
            fields.iter().flat_map(|(name, ty)| flat_fields(ty, &below(path, name), rank)).collect()
        }
    }
}

/// Appends the components of a shape. A part without a name is named by its position.
fn shape_fields(path: &str, shape: &Repr, rank: usize, fields: &mut Vec<(String, EntryType)>) {
    let mut numbered = |shapes: &[Repr]| {
        for (index, shape) in shapes.iter().enumerate() {
            shape_fields(&below(path, &index.to_string()), shape, rank, fields);
        }
    };
    match shape {
        Repr::Scalar(prim) => fields.push((path.to_string(), leaf(*prim, rank))),
        Repr::Array(_, element) => shape_fields(path, element, rank + 1, fields),
        Repr::Record(shapes) => numbered(shapes),
        Repr::Sum(constructors) => {
            fields.push((below(path, "tag"), leaf(TAG, rank)));
            shape_fields(path, &Repr::Record(layout(constructors).1), rank, fields);
        }
        Repr::Function | Repr::Acc => {}
    }
}

/// Returns the components at a place among slots, given the components of each slot.
fn leaves_at(place: &Place, slots: &[Vec<usize>]) -> Vec<usize> {
    let mut leaves = Vec::new();
    let mut places = VecDeque::from([place]);
    while let Some(place) = places.pop_front() {
        match place {
            Place::Slot(slot) => leaves.extend(&slots[*slot]),
            Place::Record(fields) => fields.iter().rev().for_each(|field| places.push_front(field)),
            Place::Sum { tag, slots: inner, .. } => {
                let inner = [*tag].into_iter().chain(inner.iter().copied());
                leaves.extend(inner.flat_map(|slot| &slots[slot]));
            }
        }
    }
    leaves
}

/// A substitution of type arguments for parameters.
struct TypeArguments<'t> {
    params: &'t [AbstractParam],
    args: &'t [TypeArg],
}

impl Map for TypeArguments<'_> {
    fn local(&mut self, _: LocalId) -> Option<Size> {
        None
    }

    fn param(&mut self, param: TypeParamId) -> Option<Type> {
        let mut pairs = self.params.iter().zip(self.args);
        pairs.find_map(|pair| match pair {
            (AbstractParam::Type(other), TypeArg::Type(ty)) if *other == param => Some(ty.clone()),
            (AbstractParam::Type(_) | AbstractParam::Size(_), _) => None,
        })
    }
}
