//! Types as written.

use warpwise_diag::{Diagnostic, Span};

use crate::syntax::ast::{Ident, TypeDecl, TypeExpr, TypeKind};
use crate::tree::{Name, NamedType, Type, TypeId};

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
            TypeKind::Var(name) => match self.type_vars.get(*name) {
                Some(var) => Type::Var(var),
                None => {
                    self.unbound("M0203", "type variable", *name, ty.span, |resolver| &resolver.type_vars);
                    Type::Unknown
                }
            },
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

    fn named_type(&mut self, name: Ident, arguments: &[TypeExpr], span: Span) -> Type {
        let arguments: Vec<Type> = arguments.iter().map(|argument| self.ty(argument)).collect();
        let Some(id) = self.types.get(name.name) else {
            self.unbound("M0202", "type", name.name, name.span, |resolver| &resolver.types);
            return Type::Unknown;
        };
        let expected = self.program.types[id.0 as usize].parameters.len();
        if arguments.is_empty() && expected > 0 {
            // Unapplied, its arguments are to be found out.
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

    /// The type of a binding; the variables of its outermost `all`s are in scope from here on.
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
        self.program.types.push(NamedType { name, parameters, definition });
        let id = TypeId(self.program.types.len() as u32 - 1);
        self.types.bind(decl.name.name, id);
        id
    }

    /// Labels of one record are different.
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
