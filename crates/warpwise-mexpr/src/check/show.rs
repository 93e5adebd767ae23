//! Types as messages show them.

use crate::syntax::names::{Names, Symbol};
use crate::tree::Program;

use super::types::{Node, Ty, Types};

/// Types nested deeper than this are cut in messages.
const DEEPEST: u32 = 12;

/// Returns a type as text; an unresolved type is `_`.
pub fn show(types: &Types, program: &Program, names: &Names, ty: Ty) -> String {
    let mut show = Show { types, program, names, text: String::new() };
    show.ty(ty, 0, Place::Open);
    show.text
}

struct Show<'a> {
    types: &'a Types,
    program: &'a Program,
    names: &'a Names,
    text: String,
}

/// The position of a type, which determines the parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A position where nothing around the type binds tighter.
    Open,
    /// Before an arrow.
    Before,
    /// Argument of a named type.
    Argument,
}

impl Show<'_> {
    fn ty(&mut self, ty: Ty, depth: u32, place: Place) {
        if depth > DEEPEST {
            return self.text.push_str("...");
        }
        match self.types.node(ty).clone() {
            Node::Bool => self.text.push_str("Bool"),
            Node::Int => self.text.push_str("Int"),
            Node::Float => self.text.push_str("Float"),
            Node::Char => self.text.push_str("Char"),
            Node::Seq(element) => {
                if *self.types.node(element) == Node::Char {
                    return self.text.push_str("String");
                }
                self.bracketed("[", element, depth);
            }
            Node::Tensor(element) => self.bracketed("Tensor[", element, depth),
            Node::Record(fields) => self.record(&fields, depth, false),
            Node::Arrow(from, to) => self.parenthesised(place != Place::Open, |show| {
                show.ty(from, depth + 1, Place::Before);
                show.text.push_str(" -> ");
                show.ty(to, depth + 1, Place::Open);
            }),
            Node::Named(id, arguments) => {
                let name = self.names.text(self.program.types[id.0 as usize].name.name);
                self.parenthesised(place == Place::Argument && !arguments.is_empty(), |show| {
                    show.text.push_str(name);
                    for argument in arguments.iter() {
                        show.text.push(' ');
                        show.ty(*argument, depth + 1, Place::Argument);
                    }
                });
            }
            Node::Apply(function, argument) => self.parenthesised(place == Place::Argument, |show| {
                show.ty(function, depth + 1, Place::Before);
                show.text.push(' ');
                show.ty(argument, depth + 1, Place::Argument);
            }),
            Node::Var(var) => self.text.push_str(self.names.text(self.program.type_vars[var.0 as usize])),
            Node::All(var, body) => self.parenthesised(place != Place::Open, |show| {
                let name = show.names.text(show.program.type_vars[var.0 as usize]);
                show.text.push_str(&format!("all {name}. "));
                show.ty(body, depth, Place::Open);
            }),
            Node::Meta(meta) => match self.types.open(meta).fields.clone() {
                Some(fields) => self.record(&fields, depth, true),
                None => self.text.push('_'),
            },
        }
    }

    fn parenthesised(&mut self, needed: bool, inner: impl FnOnce(&mut Self)) {
        if needed {
            self.text.push('(');
        }
        inner(self);
        if needed {
            self.text.push(')');
        }
    }

    fn bracketed(&mut self, open: &str, element: Ty, depth: u32) {
        self.text.push_str(open);
        self.ty(element, depth + 1, Place::Open);
        self.text.push(']');
    }

    fn record(&mut self, fields: &[(Symbol, Ty)], depth: u32, more: bool) {
        let component = |index: usize| {
            let label = index.to_string();
            fields.iter().find(|(name, _)| self.names.text(*name) == label).map(|(_, ty)| *ty)
        };
        let tuple: Option<Vec<Ty>> = (0..fields.len()).map(component).collect();
        match tuple {
            Some(items) if !more => {
                let single = items.len() == 1;
                self.text.push('(');
                self.list(items.into_iter().map(|ty| (String::new(), ty)), depth);
                self.text.push_str(if single { ",)" } else { ")" });
            }
            _ => {
                self.text.push('{');
                let fields =
                    fields.iter().map(|(label, ty)| (format!("{} : ", self.names.text(*label)), *ty));
                self.list(fields.collect::<Vec<_>>().into_iter(), depth);
                self.text.push_str(if more { ", ...}" } else { "}" });
            }
        }
    }

    fn list(&mut self, items: impl Iterator<Item = (String, Ty)>, depth: u32) {
        for (index, (label, ty)) in items.enumerate() {
            if index > 0 {
                self.text.push_str(", ");
            }
            self.text.push_str(&label);
            self.ty(ty, depth + 1, Place::Open);
        }
    }
}
