//! Declarations and module expressions.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Frame, Members, Module, ModuleType, Parametric, ParametricRest, Value};
use crate::syntax::ast::{Decl, DeclKind, Ident, ModuleDecl, ModuleExpr, ModuleExprKind, ModuleTypeExprKind};
use crate::syntax::session::Symbol;

/// How deep parametric modules may apply each other.
const MAX_APPLICATIONS: u32 = 64;

impl<'a> Checker<'a> {
    /// Checks declarations in the present frame.
    pub fn check_decls(&mut self, decls: &'a [Decl]) {
        let outer = std::mem::take(&mut self.declared);
        for decl in decls {
            self.check_decl(decl, false);
        }
        self.declared = outer;
    }

    /// Reports a second declaration of a name in one module, and operators that cannot be declared.
    fn check_name(&mut self, kind: &'static str, name: Ident) {
        let text = self.text(name.symbol).to_string();
        if kind == "value" && ["&&", "||"].contains(&text.as_str()) {
            self.report(Diagnostic::error("E0223", name.span, format!("`{text}` cannot be defined anew")));
        }
        if let Some(first) = self.declared.insert((kind, name.symbol), name.span) {
            self.duplicate(kind, &text, name.span, first);
        }
    }

    fn check_decl(&mut self, decl: &'a Decl, local: bool) {
        match &decl.kind {
            DeclKind::Value(value) => self.check_name("value", value.name.name),
            DeclKind::Type(ty) => self.check_name("type", ty.name),
            DeclKind::ModuleType(module_type) => self.check_name("module type", module_type.name),
            DeclKind::Module(module) => self.check_name("module", module.name),
            DeclKind::Open(_) | DeclKind::Import(_) | DeclKind::Local(_) => {}
        }
        match &decl.kind {
            DeclKind::Value(value) => {
                let checked = self.check_value(value, &decl.attrs);
                let name = value.name.name.symbol;
                if let Value::Def(def, _) = checked {
                    if self.is_entry(value) {
                        self.enter_entry(value, def, decl.span);
                    }
                    if self.in_prelude && self.prefix.is_empty() {
                        let pipe = ["|>", "<|"].iter().position(|pipe| *pipe == self.text(name));
                        pipe.into_iter().for_each(|pipe| self.pipes[pipe] = Some(def));
                    }
                }
                self.declare(local, |members| drop(members.values.insert(name, checked.clone())));
            }
            DeclKind::Type(ty) => {
                let def = self.check_type_decl(ty);
                self.declare(local, |members| drop(members.types.insert(ty.name.symbol, def.clone())));
            }
            DeclKind::ModuleType(module_type) => {
                let value = ModuleType { expr: &module_type.definition, env: self.env.clone() };
                let name = module_type.name.symbol;
                self.declare(local, |members| drop(members.module_types.insert(name, value.clone())));
            }
            DeclKind::Module(module) => {
                let checked = self.check_module_decl(module);
                self.declare(local, |members| {
                    drop(members.modules.insert(module.name.symbol, checked.clone()))
                });
            }
            DeclKind::Open(module) => {
                let opened = self.check_module(module);
                self.open_module(&opened, local, module.span);
            }
            DeclKind::Import(path) => {
                let imported = self.import(path);
                self.open_module(&imported, true, path.span);
            }
            DeclKind::Local(inner) => self.check_decl(inner, true),
        }
    }

    fn enter_entry(
        &mut self,
        value: &'a crate::syntax::ast::ValueDecl,
        def: crate::typed::ids::DefId,
        span: Span,
    ) {
        if !self.prefix.is_empty() {
            self.report(Diagnostic::error("E0215", span, "entry points cannot be inside a module"));
        } else if self.in_main {
            self.check_entry(value, def);
        }
    }

    /// Makes a name visible, and a part of what the module offers unless it is local.
    fn declare(&mut self, local: bool, enter: impl Fn(&mut Members<'a>)) {
        enter(&mut Rc::make_mut(&mut self.env).members);
        if !local {
            enter(&mut self.exports);
        }
    }

    fn open_module(&mut self, module: &Module<'a>, local: bool, span: Span) {
        match module {
            Module::Structure(members) => {
                let members = members.clone();
                self.declare(local, |into| into.include(&members));
            }
            Module::Parametric(_) | Module::Intrinsics => {
                self.report(Diagnostic::error("E0221", span, "this module cannot be opened"));
            }
            Module::Failed => {}
        }
    }

    fn check_module_decl(&mut self, decl: &'a ModuleDecl) -> Module<'a> {
        let rest =
            ParametricRest { params: &decl.params, signature: decl.signature.as_ref(), body: &decl.body };
        self.in_module(decl.name, |checker| checker.instantiate_module(rest))
    }

    fn in_module<T>(&mut self, name: Ident, inside: impl FnOnce(&mut Self) -> T) -> T {
        let prefix = format!("{}{}.", self.prefix, self.text(name.symbol));
        let outer = std::mem::replace(&mut self.prefix, prefix);
        let result = inside(self);
        self.prefix = outer;
        result
    }

    /// A module with the parameters that remain: parametric if there are any.
    fn instantiate_module(&mut self, rest: ParametricRest<'a>) -> Module<'a> {
        if let Some((param, params)) = rest.params.split_first() {
            let rest = ParametricRest { params, ..rest };
            let (env, prefix) = (self.env.clone(), self.prefix.clone());
            return Module::Parametric(Rc::new(Parametric { param, rest, env, prefix }));
        }
        let module = self.check_module(rest.body);
        match rest.signature {
            Some(signature) => self.seal(&module, signature, rest.body.span, true),
            None => module,
        }
    }

    /// Checks a module expression.
    pub fn check_module(&mut self, expr: &'a ModuleExpr) -> Module<'a> {
        match &expr.kind {
            ModuleExprKind::Var(name) => self.lookup_module(name).unwrap_or(Module::Failed),
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
                self.apply_module(&function_module, argument_module, function.span, argument.span)
            }
            ModuleExprKind::Ascribe { module, signature } => {
                let checked = self.check_module(module);
                self.seal(&checked, signature, module.span, true)
            }
            ModuleExprKind::Lambda { param, signature, body } => {
                let rest = ParametricRest { params: &[], signature: signature.as_deref(), body };
                let (env, prefix) = (self.env.clone(), self.prefix.clone());
                Module::Parametric(Rc::new(Parametric { param, rest, env, prefix }))
            }
        }
    }

    fn apply_module(
        &mut self,
        function: &Module<'a>,
        argument: Module<'a>,
        span: Span,
        place: Span,
    ) -> Module<'a> {
        let Module::Parametric(function) = function else {
            if !matches!(function, Module::Failed) {
                self.report(Diagnostic::error("E0221", span, "this module is not parametric"));
            }
            return Module::Failed;
        };
        if let Module::Failed = argument {
            return Module::Failed;
        }
        if self.applications >= MAX_APPLICATIONS {
            self.limit(span, "parametric modules that apply each other this deeply");
            return Module::Failed;
        }
        self.applications += 1;
        let outer = (self.env.clone(), std::mem::replace(&mut self.prefix, function.prefix.clone()));
        self.env = Frame::inside(&function.env);
        let argument = self.seal(&argument, &function.param.signature, place, false);
        let name: Symbol = function.param.name.symbol;
        Rc::make_mut(&mut self.env).members.modules.insert(name, argument);
        let module = self.instantiate_module(function.rest);
        (self.env, self.prefix) = outer;
        self.applications -= 1;
        module
    }

    /// Seals a module with a module type. Without `hide`, types that the module type leaves abstract stay what they are.
    pub fn seal(
        &mut self,
        module: &Module<'a>,
        signature: &'a crate::syntax::ast::ModuleTypeExpr,
        span: Span,
        hide: bool,
    ) -> Module<'a> {
        match module {
            Module::Structure(members) => {
                let members = members.clone();
                let errors = self.n_errors();
                let sealed = self.seal_structure(&members, signature, span, hide);
                if self.n_errors() > errors { Module::Failed } else { Module::Structure(Rc::new(sealed)) }
            }
            Module::Parametric(parametric) => match &signature.kind {
                ModuleTypeExprKind::Arrow { .. } if !hide => Module::Parametric(parametric.clone()),
                _ => {
                    self.limit(signature.span, "module types of parametric modules");
                    Module::Failed
                }
            },
            Module::Intrinsics => {
                self.report(Diagnostic::error("E0221", span, "the module `intrinsics` cannot be sealed"));
                Module::Failed
            }
            Module::Failed => Module::Failed,
        }
    }
}
