//! Definitions.

use warpwise_diag::Diagnostic;

use crate::builtins::Builtin;
use crate::syntax::ast::{self, DeclKind};
use crate::tree::{self, Con, ConId, Decl, Name, Type, TypeVar, VarId};

use super::{Resolver, Value};

impl Resolver<'_> {
    /// Resolves the definitions of all files.
    pub(super) fn top_decls(&mut self, decls: &[ast::Decl]) -> Vec<Decl> {
        self.decls(decls)
    }

    /// Resolves definitions; their names are bound from here on.
    pub(super) fn decls(&mut self, decls: &[ast::Decl]) -> Vec<Decl> {
        decls.iter().filter_map(|decl| Some(Decl { kind: self.decl(decl)?, span: decl.span })).collect()
    }

    fn decl(&mut self, decl: &ast::Decl) -> Option<tree::DeclKind> {
        match &decl.kind {
            DeclKind::Let(binding) => Some(tree::DeclKind::Let(self.binding(binding))),
            DeclKind::Recursive(bindings) => Some(tree::DeclKind::Recursive(self.recursive(bindings))),
            DeclKind::Type(ty) => {
                self.type_decl(ty);
                None
            }
            DeclKind::Con(con) => {
                self.con_decl(con);
                None
            }
            DeclKind::External(external) => self.external(external),
            DeclKind::Utest(utest) => Some(tree::DeclKind::Utest(Box::new(tree::Utest {
                actual: self.expr(&utest.actual),
                expected: self.expr(&utest.expected),
                using: utest.using.as_ref().map(|using| self.expr(using)),
                otherwise: utest.otherwise.as_ref().map(|otherwise| self.expr(otherwise)),
            }))),
            DeclKind::Lang(lang) => self.language(lang),
            DeclKind::Use(name) => {
                self.open_fragment(*name);
                None
            }
            DeclKind::Do(value) => Some(tree::DeclKind::Do(self.expr(value))),
            DeclKind::Match(parts) => {
                let value = self.expr(&parts.0);
                Some(tree::DeclKind::Match(value, self.pattern(&parts.1)))
            }
        }
    }

    fn binding(&mut self, binding: &ast::Binding) -> tree::Binding {
        let is_function = matches!(binding.body.kind, ast::ExprKind::Lambda(..));
        self.being_defined.extend(is_function.then_some(binding.name.name));
        let (ty, body) = self.typed_body(binding);
        self.being_defined.truncate(self.being_defined.len() - usize::from(is_function));
        let var = self.bind(binding.name.name, binding.name.span);
        tree::Binding { var, ty, body }
    }

    /// Resolves a binding's type and body. The variables of the type's outermost `all`s are in scope in the body.
    fn typed_body(&mut self, binding: &ast::Binding) -> (Option<Type>, tree::Expr) {
        self.scoped(|resolver| {
            let ty = binding.ty.as_ref().map(|ty| resolver.binding_type(ty));
            (ty, resolver.expr(&binding.body))
        })
    }

    fn recursive(&mut self, bindings: &[ast::Binding]) -> Vec<tree::Binding> {
        let vars: Vec<VarId> =
            bindings.iter().map(|binding| self.bind(binding.name.name, binding.name.span)).collect();
        let mut resolved = Vec::new();
        for (binding, var) in bindings.iter().zip(vars) {
            let (ty, body) = self.typed_body(binding);
            if !matches!(body.kind, tree::ExprKind::Lambda(..)) {
                let message = "the value of a recursive definition must be a function";
                let error = Diagnostic::error("M0211", body.span, message)
                    .hint("write the function out: `lam x. ...`");
                self.error(error);
            }
            resolved.push(tree::Binding { var, ty, body });
        }
        resolved
    }

    fn con_decl(&mut self, con: &ast::ConDecl) {
        let name = Name { name: con.name.name, span: con.name.span };
        let ty = match &con.ty {
            Some(ty) => self.ty(ty),
            None => {
                let message = format!("the constructor `{}` needs a type", self.text(name.name));
                let error = Diagnostic::error("M0212", name.span, message)
                    .hint("say what it holds and what it makes: `con C : Int -> T`");
                self.error(error);
                Type::Unknown
            }
        };
        self.define_con(name, ty);
    }

    /// Defines a constructor; its name is bound from here on.
    pub(super) fn define_con(&mut self, name: Name, ty: Type) -> ConId {
        let mut inner = &ty;
        while let Type::All(_, body) = inner {
            inner = body;
        }
        let makes_named = matches!(inner, Type::Arrow(_, result) if matches!(**result, Type::Named(..)));
        if !makes_named && !matches!(inner, Type::Unknown) {
            let message =
                format!("the constructor `{}` must make a value of a named type", self.text(name.name));
            let error = Diagnostic::error("M0212", name.span, message)
                .hint("say what it holds and what it makes: `con C : Int -> T`");
            self.error(error);
        }
        if let Type::Arrow(held, made) = inner
            && let Type::Named(made, arguments) = &**made
        {
            let variable = |ty: &Type| if let Type::Var(var) = ty { Some(*var) } else { None };
            let parameters: Vec<Option<TypeVar>> = arguments.iter().map(variable).collect();
            let (made, held) = (*made, held.clone());
            self.note_applied(made, &parameters, &held);
        }
        self.program.cons.push(Con { name, ty });
        let id = ConId(self.program.cons.len() as u32 - 1);
        self.cons.bind(name.name, id);
        id
    }

    fn external(&mut self, external: &ast::External) -> Option<tree::DeclKind> {
        let name = self.text(external.name.name).to_string();
        let ty = self.ty(&external.ty);
        let Some(builtin) = Builtin::external(&name) else {
            self.missing_external(external, ty);
            return None;
        };
        let var = self.bind(external.name.name, external.name.span);
        Some(tree::DeclKind::External(var, ty, builtin))
    }

    /// Declares an external function without an implementation; it is an error to use the name.
    fn missing_external(&mut self, external: &ast::External, ty: Type) {
        let var = self.fresh_var(external.name.name, external.name.span);
        self.values.bind(external.name.name, Value::Var(var));
        self.program.missing_externals.push((var, ty));
    }
}
