//! Name environments at the level of declarations: values, types, modules, module types.
//!
//! An [`Env`] is a chain of frames, one per open module body. A parametric module and a module type keep the chain that they were
//! written in. Locals of expressions are not here (see `infer`).

use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::check::modules::scopes::Scopes;
use crate::check::operators::Operator;
use crate::syntax::ast::{Ident, Liftedness, ModuleExpr, ModuleParam, ModuleTypeExpr};
use crate::syntax::session::Symbol;
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::tree::AbstractParam;
use crate::typed::ty::{Type, Uniqueness};

/// A table from names, in the order of their declaration.
pub type Names<T> = IndexMap<Symbol, T, FxBuildHasher>;

/// A chain of frames, innermost first.
pub type Env<'a> = Rc<Frame<'a>>;

/// The names of one module body, and the enclosing environment.
#[derive(Clone, Default)]
pub struct Frame<'a> {
    /// The names declared or opened here.
    pub members: Members<'a>,
    /// The enclosing environment.
    pub parent: Option<Env<'a>>,
}

/// The members of a module.
#[derive(Clone, Default)]
pub struct Members<'a> {
    /// Values.
    pub values: Names<Value>,
    /// Types.
    pub types: Names<Rc<TypeDef>>,
    /// Modules.
    pub modules: Names<Module<'a>>,
    /// Module types.
    pub module_types: Names<ModuleType<'a>>,
}

/// A value member of a module.
#[derive(Clone)]
pub enum Value {
    /// A definition.
    Def(DefId, Rc<Poly>),
    /// A member of `intrinsics`.
    Intrinsic(Intrinsic, Rc<Poly>),
    /// A built-in operator, which is overloaded.
    Operator(Operator),
    /// A definition with errors, which are already reported.
    Failed,
}

/// A polymorphic type.
#[derive(Clone, Debug)]
pub struct Poly {
    /// Type parameters.
    pub types: Vec<TypeParamId>,
    /// Size parameters.
    pub sizes: Vec<LocalId>,
    /// The type in terms of these parameters.
    pub ty: Type,
}

/// A type constructor.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The liftedness.
    pub liftedness: Liftedness,
    /// Type and size parameters.
    pub params: Vec<AbstractParam>,
    /// Existential sizes, which each use of the type leaves open.
    pub exists: Vec<LocalId>,
    /// The definition.
    pub ty: Type,
    /// The parts of the definition that have a star.
    pub uniqueness: Uniqueness,
    /// Whether the definition has errors, which are already reported.
    pub failed: bool,
}

/// A module.
#[derive(Clone)]
pub enum Module<'a> {
    /// A structure.
    Structure(Rc<Members<'a>>),
    /// A parametric module.
    Parametric(Rc<Parametric<'a>>),
    /// The module `intrinsics`, whose scalar members are made on demand.
    Intrinsics,
    /// A module with errors, which are already reported.
    Failed,
}

/// A parametric module.
pub enum Parametric<'a> {
    /// A parametric module in the source, checked anew for each application.
    Written {
        /// The first parameter.
        param: &'a ModuleParam,
        /// Further parameters, or the body.
        rest: ParametricRest<'a>,
        /// Environment that it was written in.
        env: Env<'a>,
        /// Name of the module, for messages.
        prefix: String,
    },
    /// A parametric module seen through a module type.
    Sealed {
        /// The parametric module that is sealed.
        function: Rc<Parametric<'a>>,
        /// Its module type.
        arrow: Arrow<'a>,
        /// Scopes in which the module type was laid over the module.
        scopes: Scopes<'a>,
    },
    /// A parametric module known only by its module type.
    Assumed {
        /// Its module type.
        arrow: Arrow<'a>,
        /// Environment that the module type was written in.
        env: Env<'a>,
    },
}

/// The type of a parametric module.
#[derive(Clone, Copy)]
pub struct Arrow<'a> {
    /// Name of the parameter, if the result refers to it.
    pub param: Option<Ident>,
    /// Module type of the argument.
    pub argument: &'a ModuleTypeExpr,
    /// Module type of the result.
    pub result: &'a ModuleTypeExpr,
}

/// The right-hand side of a parametric module.
#[derive(Clone, Copy)]
pub struct ParametricRest<'a> {
    /// More parameters.
    pub params: &'a [ModuleParam],
    /// Module type that the result is sealed with.
    pub signature: Option<&'a ModuleTypeExpr>,
    /// The result.
    pub body: &'a ModuleExpr,
}

/// A module type with the environment of its names.
#[derive(Clone)]
pub struct ModuleType<'a> {
    /// The module type as written.
    pub expr: &'a ModuleTypeExpr,
    /// Environment that it was written in.
    pub env: Env<'a>,
    /// Whether it has errors, which are already reported.
    pub failed: bool,
}

/// The meaning of a name of a value or module. Both share one name space.
pub enum Term<'m, 'a> {
    /// A value.
    Value(&'m Value),
    /// A module.
    Module(&'m Module<'a>),
}

impl<'a> Frame<'a> {
    /// Creates an empty frame inside `parent`.
    pub fn inside(parent: &Env<'a>) -> Env<'a> {
        Rc::new(Frame { members: Members::default(), parent: Some(parent.clone()) })
    }

    /// Returns the innermost member that `select` finds.
    pub fn find<'f, T>(&'f self, select: impl Fn(&'f Members<'a>) -> Option<T>) -> Option<T> {
        let mut frame = self;
        loop {
            if let Some(found) = select(&frame.members) {
                return Some(found);
            }
            frame = frame.parent.as_deref()?;
        }
    }
}

impl<'a> Members<'a> {
    /// Returns the value or module with this name.
    pub fn term(&self, name: Symbol) -> Option<Term<'_, 'a>> {
        let module = self.modules.get(&name).map(Term::Module);
        module.or_else(|| self.values.get(&name).map(Term::Value))
    }

    /// Adds a value, which hides a module of the same name.
    pub fn insert_value(&mut self, name: Symbol, value: Value) {
        self.modules.shift_remove(&name);
        self.values.insert(name, value);
    }

    /// Adds a module, which hides a value of the same name.
    pub fn insert_module(&mut self, name: Symbol, module: Module<'a>) {
        self.values.shift_remove(&name);
        self.modules.insert(name, module);
    }

    /// Adds all members of another module, which hide members of the same names.
    pub fn include(&mut self, other: &Members<'a>) {
        other.values.iter().for_each(|(name, value)| self.insert_value(*name, value.clone()));
        other.modules.iter().for_each(|(name, module)| self.insert_module(*name, module.clone()));
        self.types.extend(other.types.iter().map(|(name, ty)| (*name, ty.clone())));
        self.module_types.extend(other.module_types.iter().map(|(name, sig)| (*name, sig.clone())));
    }
}
