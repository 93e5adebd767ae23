//! Module expressions.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Frame, Module, ParametricRest};
use crate::check::modules::laying::Seal;
use crate::check::modules::parametric::Application;
use crate::check::modules::scopes::Scopes;
use crate::syntax::ast::{Ident, ModuleDecl, ModuleExpr, ModuleExprKind, ModuleTypeExpr, QualName};

impl<'a> Checker<'a> {
    /// Checks a module declaration, and returns its module.
    pub fn check_module_decl(&mut self, decl: &'a ModuleDecl) -> Module<'a> {
        let rest =
            ParametricRest { params: &decl.params, signature: decl.signature.as_ref(), body: &decl.body };
        self.in_module(decl.name, |checker| match rest.params.split_first() {
            Some((param, params)) => checker.parametric(param, ParametricRest { params, ..rest }),
            None => checker.module_body(rest),
        })
    }

    fn in_module<T>(&mut self, name: Ident, inside: impl FnOnce(&mut Self) -> T) -> T {
        let prefix = format!("{}{}.", self.prefix, self.text(name.symbol));
        let outer = std::mem::replace(&mut self.prefix, prefix);
        let result = inside(self);
        self.prefix = outer;
        result
    }

    /// Checks a module expression, and seals the module if it has a signature.
    pub fn module_body(&mut self, rest: ParametricRest<'a>) -> Module<'a> {
        let module = self.check_module(rest.body);
        match rest.signature {
            Some(signature) => self.ascribe(module, signature, rest.body.span),
            None => module,
        }
    }

    /// Checks a module expression.
    pub fn check_module(&mut self, expr: &'a ModuleExpr) -> Module<'a> {
        match &expr.kind {
            ModuleExprKind::Var(name) => self.named_module(name),
            ModuleExprKind::Body(decls) => {
                let outer = self.env.clone();
                let exports = std::mem::take(&mut self.exports);
                self.env = Frame::inside(&outer);
                self.check_decls(decls);
                self.env = outer;
                Module::Structure(Rc::new(std::mem::replace(&mut self.exports, exports)))
            }
            ModuleExprKind::Import(path) => self.import(path),
            ModuleExprKind::Apply { function, argument } => {
                let function_module = self.check_module(function);
                let argument_module = self.check_module(argument);
                match function_module {
                    Module::Parametric(parametric) => {
                        let (function, argument) = (function.span, argument.span);
                        let place = Application { function, argument, subject: "the argument" };
                        self.apply_module(&parametric, argument_module, place)
                    }
                    Module::Structure(_) | Module::Intrinsics => {
                        let message = "this module is not parametric";
                        self.report(Diagnostic::error("E0221", function.span, message));
                        Module::Failed
                    }
                    Module::Failed => Module::Failed,
                }
            }
            ModuleExprKind::Ascribe { module, signature } => {
                let checked = self.check_module(module);
                self.ascribe(checked, signature, module.span)
            }
            ModuleExprKind::Lambda { param, signature, body } => {
                let rest = ParametricRest { params: &[], signature: signature.as_deref(), body };
                self.parametric(param, rest)
            }
        }
    }

    fn named_module(&mut self, name: &QualName) -> Module<'a> {
        match self.lookup_module(name) {
            Some(Module::Intrinsics) => {
                let message = "the module `intrinsics` may not be used in module expressions";
                self.report(Diagnostic::error("E0221", name.name.span, message));
                Module::Failed
            }
            Some(module @ (Module::Structure(_) | Module::Parametric(_) | Module::Failed)) => module,
            None => Module::Failed,
        }
    }

    /// Returns a module as seen through a module type.
    fn ascribe(&mut self, module: Module<'a>, signature: &'a ModuleTypeExpr, span: Span) -> Module<'a> {
        if !self.check_module_type(signature) {
            return Module::Failed;
        }
        let errors = self.n_errors();
        let scopes = Scopes::single(self.env.clone());
        let laid = self.lay(&Seal::new(span, true), Some(module), signature, &scopes);
        if self.n_errors() > errors { Module::Failed } else { laid.into_view() }
    }
}
