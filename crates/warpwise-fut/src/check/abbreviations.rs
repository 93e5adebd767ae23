//! Type names of the program, for use in messages.
//!
//! Types are structural, so a value does not carry the name of its type. A record or sum whose structure has exactly one name in
//! scope is shown by that name.

use crate::check::Checker;
use crate::check::infer::ty::{Node, Ty};
use crate::syntax::session::Symbol;
use crate::typed::ty::{Type, TypeArg};

impl Checker<'_> {
    /// Returns the only name in scope of a record or sum type without sizes.
    pub fn abbreviated(&self, ty: Ty) -> Option<&str> {
        let is_named = match self.infer.types.peek(ty) {
            Node::Record(names, _) => names.first().is_some_and(|&name| self.text(name) != "0"),
            Node::Sum(_) => true,
            Node::Prim(_)
            | Node::Param(_)
            | Node::Abstract(..)
            | Node::Array(_)
            | Node::Arrow(..)
            | Node::Var(_)
            | Node::Link(_)
            | Node::Error => false,
        };
        if is_named { self.only_name(|definition| self.has_shape(definition, ty)) } else { None }
    }

    /// Returns the only name in scope of a record or sum type that has no sizes.
    pub fn abbreviated_type(&self, ty: &Type) -> Option<&str> {
        let is_named = match ty {
            Type::Record(fields) => fields.first().is_some_and(|field| self.text(field.name) != "0"),
            Type::Sum(_) => true,
            Type::Prim(_) | Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => false,
        };
        if is_named && !has_sizes(ty) { self.only_name(|definition| is_same(definition, ty)) } else { None }
    }

    /// Returns the name of the only type in scope that satisfies `is_it`.
    fn only_name(&self, is_it: impl Fn(&Type) -> bool) -> Option<&str> {
        let mut found: Option<Symbol> = None;
        let mut frame = Some(&self.env);
        while let Some(current) = frame.filter(|frame| !std::rc::Rc::ptr_eq(frame, &self.root)) {
            for (&name, definition) in &current.members.types {
                let is_plain = definition.params.is_empty() && !definition.failed;
                if is_plain && found != Some(name) && is_it(&definition.ty) {
                    if found.is_some() {
                        return None;
                    }
                    found = Some(name);
                }
            }
            frame = current.parent.as_ref();
        }
        found.map(|name| self.text(name))
    }

    /// Whether `ty`, ignoring its sizes, equals `shape`.
    fn has_shape(&self, ty: &Type, shape: Ty) -> bool {
        match (ty, self.infer.types.peek(shape)) {
            (Type::Prim(a), Node::Prim(b)) => a == b,
            (Type::Param(a), Node::Param(b)) => a == b,
            (Type::Array(array), Node::Array(element)) => self.has_shape(&array.element, *element),
            (Type::Record(fields), Node::Record(names, parts)) => {
                fields.len() == parts.len()
                    && fields.iter().zip(names.iter()).all(|(field, &name)| field.name == name)
                    && fields.iter().zip(parts.iter()).all(|(field, &part)| self.has_shape(&field.ty, part))
            }
            (Type::Sum(constructors), Node::Sum(others)) => {
                constructors.len() == others.len()
                    && constructors.iter().zip(others.iter()).all(|(constructor, (name, payload))| {
                        constructor.name == *name
                            && constructor.payload.len() == payload.len()
                            && constructor
                                .payload
                                .iter()
                                .zip(payload.iter())
                                .all(|(a, &b)| self.has_shape(a, b))
                    })
            }
            (Type::Abstract(a, args), Node::Abstract(b, parts)) => {
                let types = args.iter().filter_map(|arg| match arg {
                    TypeArg::Type(ty) => Some(ty),
                    TypeArg::Size(_) => None,
                });
                a == b && types.zip(parts.iter()).all(|(ty, &part)| self.has_shape(ty, part))
            }
            _ => false,
        }
    }
}

/// Whether a type contains arrays, functions, or abstract types with arguments.
fn has_sizes(ty: &Type) -> bool {
    match ty {
        Type::Prim(_) | Type::Param(_) => false,
        Type::Record(fields) => fields.iter().any(|field| has_sizes(&field.ty)),
        Type::Sum(constructors) => constructors.iter().flat_map(|c| c.payload.iter()).any(has_sizes),
        Type::Abstract(_, args) => !args.is_empty(),
        Type::Array(_) | Type::Arrow(_) => true,
    }
}

/// Whether two types without sizes are equal.
fn is_same(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Prim(a), Type::Prim(b)) => a == b,
        (Type::Param(a), Type::Param(b)) => a == b,
        (Type::Abstract(a, args), Type::Abstract(b, others)) => {
            a == b && args.is_empty() && others.is_empty()
        }
        (Type::Record(fields), Type::Record(others)) => {
            fields.len() == others.len()
                && fields.iter().zip(others.iter()).all(|(a, b)| a.name == b.name && is_same(&a.ty, &b.ty))
        }
        (Type::Sum(constructors), Type::Sum(others)) => {
            constructors.len() == others.len()
                && constructors.iter().zip(others.iter()).all(|(a, b)| {
                    a.name == b.name
                        && a.payload.len() == b.payload.len()
                        && a.payload.iter().zip(b.payload.iter()).all(|(a, b)| is_same(a, b))
                })
        }
        _ => false,
    }
}
