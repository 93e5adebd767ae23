//! The meanings of the names of a module type while it is laid over a module.
//!
//! Every name has two meanings: for the module, whose types are known, and for those who see it through the module type, to whom
//! some are abstract. As long as nothing is abstract the two are one.

use std::rc::Rc;

use crate::check::env::{Env, Frame, Members, Module, TypeDef, Value};
use crate::syntax::ast::Liftedness;
use crate::syntax::session::Symbol;
use crate::typed::ty::{Type, Uniqueness};

/// The two meanings of all names in scope.
#[derive(Clone)]
pub struct Scopes<'a> {
    actual: Env<'a>,
    /// Only where it differs from `actual`.
    view: Option<Env<'a>>,
}

/// A module in its two meanings.
#[derive(Clone)]
pub struct Laid<'a> {
    /// With the types that it has.
    pub actual: Module<'a>,
    /// As it is seen; none if that is the same.
    pub view: Option<Module<'a>>,
}

impl<'a> Laid<'a> {
    /// A module that is the same for everybody.
    pub fn same(module: Module<'a>) -> Laid<'a> {
        Laid { actual: module, view: None }
    }

    /// The two meanings the other way round.
    pub fn turned(self) -> Laid<'a> {
        match self.view {
            Some(view) => Laid { actual: view, view: Some(self.actual) },
            None => self,
        }
    }

    /// The module as it is seen.
    pub fn into_view(self) -> Module<'a> {
        self.view.unwrap_or(self.actual)
    }
}

impl<'a> Scopes<'a> {
    /// Names that mean the same to everybody.
    pub fn single(env: Env<'a>) -> Scopes<'a> {
        Scopes { actual: env, view: None }
    }

    /// The names as the module knows them.
    pub fn actual(&self) -> &Env<'a> {
        &self.actual
    }

    /// The names as those know them who see the module; none if they are the same.
    pub fn view(&self) -> Option<&Env<'a>> {
        self.view.as_ref()
    }

    /// Empty frames inside both.
    pub fn inside(&self) -> Scopes<'a> {
        Scopes { actual: Frame::inside(&self.actual), view: self.view.as_ref().map(Frame::inside) }
    }

    /// The other way round: what is handed in is made by those who see the module, for the module.
    pub fn turned(&self) -> Scopes<'a> {
        match &self.view {
            Some(view) => Scopes { actual: view.clone(), view: Some(self.actual.clone()) },
            None => self.clone(),
        }
    }

    /// Enters a type.
    pub fn insert_type(&mut self, name: Symbol, actual: Rc<TypeDef>, view: Rc<TypeDef>) {
        if !Rc::ptr_eq(&actual, &view) {
            self.split();
        }
        if let Some(env) = &mut self.view {
            Rc::make_mut(env).members.types.insert(name, view);
        }
        Rc::make_mut(&mut self.actual).members.types.insert(name, actual);
    }

    /// Enters a type that has errors, which have been reported: uses of it are none.
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

    /// Enters a value.
    pub fn insert_value(&mut self, name: Symbol, actual: Value, view: Value) {
        if let Some(env) = &mut self.view {
            Rc::make_mut(env).members.insert_value(name, view);
        }
        Rc::make_mut(&mut self.actual).members.insert_value(name, actual);
    }

    /// Enters a module.
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

    /// Enters all that other innermost frames hold.
    pub fn include(&mut self, other: &Scopes<'a>) {
        if other.view.is_some() {
            self.split();
        }
        if let Some(env) = &mut self.view {
            Rc::make_mut(env).members.include(&other.view.as_ref().unwrap_or(&other.actual).members);
        }
        Rc::make_mut(&mut self.actual).members.include(&other.actual.members);
    }

    /// The innermost frames as a module.
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
