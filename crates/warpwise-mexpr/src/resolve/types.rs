//! Resolution of types as written.

use warpwise_diag::{Diagnostic, Span};

use crate::syntax::ast::{Ident, TypeDecl, TypeExpr, TypeKind};
use crate::syntax::names::Symbol;
use crate::tree::{Name, NamedType, Type, TypeId, TypeVar};

use super::Resolver;

impl Resolver<'_> {
    pub(super) fn ty(&mut self, ty: &TypeExpr) -> Type {
        match &ty.kind {
            TypeKind::Unknown => Type::Unknown,
            TypeKind::Bool => Type::Bool,
            TypeKind::Int => Type::Int,
            TypeKind::Float => Type::Float,
            TypeKind::Char => Type::Char,
            TypeKind::String => Type::Seq(Box::new(Type::Char)),
            TypeKind::Seq(element) => Type::Seq(Box::new(self.ty(element))),
            TypeKind::Tensor(element) => Type::Tensor(Box::new(self.ty(element))),
            TypeKind::Tuple(items) => {
                let fields = items.iter().enumerate();
                Type::Record(fields.map(|(index, item)| (self.index_label(index), self.ty(item))).collect())
            }
            TypeKind::Record(fields) => {
                self.check_labels(fields.iter().map(|(label, _)| *label));
                Type::Record(fields.iter().map(|(label, ty)| (label.name, self.ty(ty))).collect())
            }
            TypeKind::Var(name) => self.type_var(*name, ty.span).map_or(Type::Unknown, Type::Var),
            TypeKind::Apply(name, arguments) => {
                let arguments = arguments.iter().map(|argument| self.ty(argument)).collect();
                let var = self.type_var(name.name, name.span);
                var.map_or(Type::Unknown, |var| Type::Apply(var, arguments))
            }
            TypeKind::Named(name, arguments) => self.named_type(*name, arguments, ty.span),
            TypeKind::Arrow(from, to) => Type::Arrow(Box::new(self.ty(from)), Box::new(self.ty(to))),
            TypeKind::All(name, body) => self.scoped(|resolver| {
                let var = resolver.fresh_type_var(name.name);
                resolver.type_vars.bind(name.name, var);
                Type::All(var, Box::new(resolver.ty(body)))
            }),
            TypeKind::Use(name, body) => self.scoped(|resolver| {
                resolver.open_fragment(*name);
                resolver.ty(body)
            }),
        }
    }

    fn type_var(&mut self, name: Symbol, span: Span) -> Option<TypeVar> {
        let found = self.type_vars.get(name);
        if found.is_none() {
            self.unbound("M0203", "type variable", name, span, |resolver| &resolver.type_vars);
        }
        found
    }

    fn named_type(&mut self, name: Ident, arguments: &[TypeExpr], span: Span) -> Type {
        let Some(id) = self.types.get(name.name).or_else(|| self.later_type(name)) else {
            self.unbound("M0202", "type", name.name, name.span, |resolver| &resolver.types);
            return Type::Unknown;
        };
        let arguments: Vec<Type> = arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| {
                let is_applied = self.program.types[id.0 as usize].applied.contains(&index);
                if is_applied { self.unsaturated(argument) } else { self.ty(argument) }
            })
            .collect();
        let expected = self.program.types[id.0 as usize].parameters.len();
        if arguments.is_empty() && expected > 0 {
            // The arguments of an unapplied type are inferred.
            return Type::Named(id, vec![Type::Unknown; expected]);
        }
        if expected != arguments.len() {
            let message = format!(
                "the type `{}` has {expected} parameters, not {}",
                self.text(name.name),
                arguments.len()
            );
            self.error(Diagnostic::error("M0207", span, message));
            return Type::Unknown;
        }
        Type::Named(id, arguments)
    }

    /// Resolves a type that stands for a parameter with arguments: it may have fewer arguments than it has parameters.
    fn unsaturated(&mut self, ty: &TypeExpr) -> Type {
        if let TypeKind::Named(name, arguments) = &ty.kind
            && let Some(id) = self.types.get(name.name)
        {
            let arguments = arguments.iter().map(|argument| self.ty(argument)).collect();
            return Type::Named(id, arguments);
        }
        self.ty(ty)
    }

    /// Notes the parameters of a named type that `part` applies to types; `part` is a part of the type's definition, or the type
    /// that a constructor holds.
    pub(super) fn note_applied(&mut self, id: TypeId, parameters: &[Option<TypeVar>], part: &Type) {
        let mut applied = Vec::new();
        self.applied_vars(part, &mut applied);
        for (index, parameter) in parameters.iter().enumerate() {
            let known = &mut self.program.types[id.0 as usize].applied;
            if parameter.is_some_and(|parameter| applied.contains(&parameter)) && !known.contains(&index) {
                known.push(index);
            }
        }
    }

    fn applied_vars(&self, ty: &Type, found: &mut Vec<TypeVar>) {
        match ty {
            Type::Unknown | Type::Bool | Type::Int | Type::Float | Type::Char | Type::Var(_) => {}
            Type::Seq(inner) | Type::Tensor(inner) | Type::All(_, inner) => self.applied_vars(inner, found),
            Type::Record(fields) => fields.iter().for_each(|(_, ty)| self.applied_vars(ty, found)),
            Type::Arrow(from, to) => {
                self.applied_vars(from, found);
                self.applied_vars(to, found);
            }
            Type::Apply(var, arguments) => {
                found.push(*var);
                arguments.iter().for_each(|ty| self.applied_vars(ty, found));
            }
            Type::Named(id, arguments) => {
                for (index, argument) in arguments.iter().enumerate() {
                    match argument {
                        Type::Var(var) if self.program.types[id.0 as usize].applied.contains(&index) => {
                            found.push(*var);
                        }
                        argument => self.applied_vars(argument, found),
                    }
                }
            }
        }
    }

    /// Resolves the type of a binding; the variables of its outermost `all`s are in scope from here on.
    pub(super) fn binding_type(&mut self, ty: &TypeExpr) -> Type {
        let mut names = Vec::new();
        let mut inner = ty;
        while let TypeKind::All(name, body) = &inner.kind {
            let var = self.fresh_type_var(name.name);
            self.type_vars.bind(name.name, var);
            names.push(var);
            inner = body;
        }
        let body = self.ty(inner);
        names.into_iter().rev().fold(body, |body, var| Type::All(var, Box::new(body)))
    }

    pub(super) fn type_decl(&mut self, decl: &TypeDecl) -> TypeId {
        let (parameters, definition) = self.scoped(|resolver| {
            let mut parameters = Vec::new();
            for parameter in &decl.parameters {
                let var = resolver.fresh_type_var(parameter.name);
                resolver.type_vars.bind(parameter.name, var);
                parameters.push(var);
            }
            (parameters, decl.definition.as_ref().map(|definition| resolver.ty(definition)))
        });
        let name = Name { name: decl.name.name, span: decl.name.span };
        let known: Vec<Option<TypeVar>> = parameters.iter().copied().map(Some).collect();
        let ty = NamedType { name, parameters, applied: Vec::new(), definition: definition.clone() };
        self.program.types.push(ty);
        let id = TypeId(self.program.types.len() as u32 - 1);
        definition.iter().for_each(|definition| self.note_applied(id, &known, definition));
        self.types.bind(decl.name.name, id);
        id
    }

    /// Checks that the labels of a record are different.
    pub(super) fn check_labels(&mut self, labels: impl Iterator<Item = Ident>) {
        let mut seen: Vec<Ident> = Vec::new();
        for label in labels {
            if let Some(first) = seen.iter().find(|other| other.name == label.name) {
                let message = format!("the label `{}` is there twice", self.text(label.name));
                let error =
                    Diagnostic::error("M0208", label.span, message).label(first.span, "the first is here");
                self.error(error);
            }
            seen.push(label);
        }
    }
}
