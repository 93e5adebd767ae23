//! The two meanings of the names of a module type while it is laid over a module.
//!
//! The actual meaning is that for the module, whose types are known. The view is the meaning for users of the module, to whom
//! some of its types are abstract. As long as no type is abstract, both are the same.

use std::rc::Rc;

use crate::check::env::{Env, Frame, Members, Module, TypeDef, Value};
use crate::syntax::ast::Liftedness;
use crate::syntax::session::Symbol;
use crate::typed::ty::{Type, Uniqueness};

/// Both meanings of all names in scope.
#[derive(Clone)]
pub struct Scopes<'a> {
    actual: Env<'a>,
    /// `None` where it equals `actual`.
    view: Option<Env<'a>>,
}

/// A module in both meanings.
#[derive(Clone)]
pub struct Laid<'a> {
    /// The module with its own types.
    pub actual: Module<'a>,
    /// The module as its users see it; `None` if that is the same.
    pub view: Option<Module<'a>>,
}

impl<'a> Laid<'a> {
    /// Returns a module whose two meanings are the same.
    pub fn same(module: Module<'a>) -> Laid<'a> {
        Laid { actual: module, view: None }
    }

    /// Exchanges the two meanings.
    pub fn turned(self) -> Laid<'a> {
        match self.view {
            Some(view) => Laid { actual: view, view: Some(self.actual) },
            None => self,
        }
    }

    /// Returns the module as its users see it.
    pub fn into_view(self) -> Module<'a> {
        self.view.unwrap_or(self.actual)
    }
}

impl<'a> Scopes<'a> {
    /// Returns scopes in which both meanings are the same.
    pub fn single(env: Env<'a>) -> Scopes<'a> {
        Scopes { actual: env, view: None }
    }

    /// Returns the names as the module knows them.
    pub fn actual(&self) -> &Env<'a> {
        &self.actual
    }

    /// Returns the names as users of the module know them; `None` if they are the same.
    pub fn view(&self) -> Option<&Env<'a>> {
        self.view.as_ref()
    }

    /// Creates empty frames inside both environments.
    pub fn inside(&self) -> Scopes<'a> {
        Scopes { actual: Frame::inside(&self.actual), view: self.view.as_ref().map(Frame::inside) }
    }

    /// Exchanges the two meanings. An argument is made by the users of a module, for the module.
    pub fn turned(&self) -> Scopes<'a> {
        match &self.view {
            Some(view) => Scopes { actual: view.clone(), view: Some(self.actual.clone()) },
            None => self.clone(),
        }
    }

    /// Adds a type.
    pub fn insert_type(&mut self, name: Symbol, actual: Rc<TypeDef>, view: Rc<TypeDef>) {
        if !Rc::ptr_eq(&actual, &view) {
            self.split();
        }
        if let Some(env) = &mut self.view {
            Rc::make_mut(env).members.types.insert(name, view);
        }
        Rc::make_mut(&mut self.actual).members.types.insert(name, actual);
    }

    /// Adds a type that has errors, which are already reported. Its uses cause no further errors.
    pub fn insert_failed_type(&mut self, name: Symbol) {
        let failed = Rc::new(TypeDef {
            liftedness: Liftedness::Lifted,
            params: Vec::new(),
            exists: Vec::new(),
            ty: Type::unit(),
            uniqueness: Uniqueness::No,
            failed: true,
        });
        self.insert_type(name, failed.clone(), failed);
    }

    /// Adds a value.
    pub fn insert_value(&mut self, name: Symbol, actual: Value, view: Value) {
        if let Some(env) = &mut self.view {
            Rc::make_mut(env).members.insert_value(name, view);
        }
        Rc::make_mut(&mut self.actual).members.insert_value(name, actual);
    }

    /// Adds a module.
    pub fn insert_module(&mut self, name: Symbol, laid: Laid<'a>) {
        if laid.view.is_some() {
            self.split();
        }
        if let Some(env) = &mut self.view {
            let view = laid.view.unwrap_or_else(|| laid.actual.clone());
            Rc::make_mut(env).members.insert_module(name, view);
        }
        Rc::make_mut(&mut self.actual).members.insert_module(name, laid.actual);
    }

    /// Adds all members of the innermost frames of `other`.
    pub fn include(&mut self, other: &Scopes<'a>) {
        if other.view.is_some() {
            self.split();
        }
        if let Some(env) = &mut self.view {
            Rc::make_mut(env).members.include(&other.view.as_ref().unwrap_or(&other.actual).members);
        }
        Rc::make_mut(&mut self.actual).members.include(&other.actual.members);
    }

    /// Returns the innermost frames as a module.
    pub fn into_module(self) -> Laid<'a> {
        let module = |env: Env<'a>| {
            let members: Members<'a> = Rc::unwrap_or_clone(env).members;
            Module::Structure(Rc::new(members))
        };
        Laid { actual: module(self.actual), view: self.view.map(module) }
    }

    fn split(&mut self) {
        if self.view.is_none() {
            self.view = Some(Rc::new(Frame::clone(&self.actual)));
        }
    }
}
