//! Declarations, and the modules that they make.
//!
//! Read in this order: this file (declarations), [`expressions`], [`parametric`], [`module_types`] (well-formedness), [`laying`]
//! (a module seen through a module type), [`trial`]. The rules for single specifications are in
//! [`sealing`](crate::check::sealing).

pub mod expressions;
pub mod laying;
pub mod module_types;
pub mod parametric;
pub mod scopes;
pub mod trial;

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Members, Module, ModuleType, Value};
use crate::syntax::ast::{Decl, DeclKind, Ident, ValueDecl};
use crate::typed::ids::DefId;

/// Number of bytes of a declaration that count as one specification.
const BYTES_A_SPEC: u32 = 4;

/// A name space of declarations. A module may not declare two names of one space that are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameSpace {
    /// Values and modules.
    Term,
    /// Types.
    Type,
    /// Module types.
    ModuleType,
}

impl NameSpace {
    /// Returns a noun for the members of this name space.
    pub fn describe(self) -> &'static str {
        match self {
            NameSpace::Term => "value or module",
            NameSpace::Type => "type",
            NameSpace::ModuleType => "module type",
        }
    }
}

impl<'a> Checker<'a> {
    /// Checks declarations in the current frame.
    pub fn check_decls(&mut self, decls: &'a [Decl]) {
        let outer = std::mem::take(&mut self.declared);
        for (index, decl) in decls.iter().enumerate() {
            self.upcoming.push(&decls[index + 1..]);
            self.check_decl_name(decl);
            self.check_decl(decl, false);
            self.upcoming.pop();
        }
        self.declared = outer;
    }

    /// Reports the second declaration of a name in one module.
    fn check_name(&mut self, space: NameSpace, name: Ident) {
        if let Some(first) = self.declared.insert((space, name.symbol), name.span) {
            let text = self.text(name.symbol).to_string();
            self.duplicate(space.describe(), &text, name.span, first);
        }
    }

    /// Reports the declaration of an operator that cannot be redefined.
    fn check_operator(&mut self, name: Ident) {
        let text = self.text(name.symbol);
        if ["&&", "||"].contains(&text) {
            let message = format!("`{text}` cannot be defined anew");
            self.report(Diagnostic::error("E0223", name.span, message));
        }
    }

    /// Reports a name that the module already declares. Local declarations and opened names may be hidden by others.
    fn check_decl_name(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Value(value) => self.check_name(NameSpace::Term, value.name.name),
            DeclKind::Type(ty) => self.check_name(NameSpace::Type, ty.name),
            DeclKind::ModuleType(module_type) => self.check_name(NameSpace::ModuleType, module_type.name),
            DeclKind::Module(module) => self.check_name(NameSpace::Term, module.name),
            DeclKind::Open(_) | DeclKind::Import(_) | DeclKind::Local(_) => {}
        }
    }

    fn check_decl(&mut self, decl: &'a Decl, local: bool) {
        let cost = 1 + (decl.span.end - decl.span.start) / BYTES_A_SPEC;
        if self.is_in_application() && !self.afford(cost, decl.span) {
            return;
        }
        match &decl.kind {
            DeclKind::Value(value) => {
                self.check_operator(value.name.name);
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
                self.declare(local, |members| members.insert_value(name, checked.clone()));
            }
            DeclKind::Type(ty) => {
                let def = self.check_type_decl(ty);
                self.declare(local, |members| drop(members.types.insert(ty.name.symbol, def.clone())));
            }
            DeclKind::ModuleType(module_type) => {
                let expr = &module_type.definition;
                let failed = !self.check_module_type(expr);
                let value = ModuleType { expr, env: self.env.clone(), failed };
                let name = module_type.name.symbol;
                self.declare(local, |members| drop(members.module_types.insert(name, value.clone())));
            }
            DeclKind::Module(module) => {
                let checked = self.check_module_decl(module);
                self.declare(local, |members| members.insert_module(module.name.symbol, checked.clone()));
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

    fn enter_entry(&mut self, value: &'a ValueDecl, def: DefId, span: Span) {
        if !self.prefix.is_empty() {
            self.report(Diagnostic::error("E0215", span, "entry points cannot be inside a module"));
        } else if self.in_main {
            self.check_entry(value, def);
        }
    }

    /// Makes a name visible, and exports it from the module unless it is local.
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
}
