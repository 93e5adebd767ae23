//! The phase without sizes: what every name means and what shape every value has.
//!
//! Read in this order: [`ty`] (types and unification), [`scope`], [`exprs`], [`applications`], [`pats`].
//! Results lie in the side tables of [`Inference`], by node id where the node has one and else by place;
//! they hold for the definition inferred last.

pub mod applications;
pub mod exprs;
pub mod paths;
pub mod pats;
pub mod scope;
pub mod ty;
mod why;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;

use crate::check::env::Value;
use crate::check::infer::scope::Scope;
use crate::check::infer::ty::{Ty, Types};
use crate::check::operators::Operator;
use crate::check::type_exprs::{Annotation, Pending};
use crate::syntax::ast::Ident;
use crate::syntax::session::{ExprId, PatId, Symbol};
use crate::typed::ids::{LocalId, TypeParamId};

pub use why::Why;

/// The state and the results of this phase.
#[derive(Default)]
pub struct Inference<'a> {
    /// All types.
    pub types: Types,
    /// Locals and type parameters in scope.
    pub scope: Scope,
    /// The type of each expression, by id.
    pub exprs: FxHashMap<ExprId, Ty>,
    /// The meaning of the name or the operator of an expression.
    pub resolved: FxHashMap<ExprId, Resolved>,
    /// The meanings of names that stand for expressions without being one: `{x}`, `loop x`.
    pub implied: FxHashMap<Span, Resolved>,
    /// The type of each pattern and what it binds.
    pub pats: FxHashMap<PatId, (Ty, Option<LocalId>)>,
    /// Resolved type expressions, by place.
    pub annotations: FxHashMap<Span, Annotation>,
    /// Sizes bound by `let [n]`, by place.
    pub sizes: FxHashMap<Span, LocalId>,
    /// Type and size parameters of local functions.
    pub functions: FxHashMap<PatId, (Vec<TypeParamId>, Vec<LocalId>)>,
    /// Sizes in type expressions.
    pub pending: Vec<Pending<'a>>,
    /// Names whose use is looked for.
    pub watched: Vec<(LocalId, Ident)>,
    /// Locals that are used.
    pub used: FxHashSet<LocalId>,
    /// Whether something has an error, here or where it was defined.
    pub tainted: bool,
}

/// The meaning of a name where it is used.
#[derive(Clone)]
pub struct Resolved {
    /// The used definition, local or intrinsic.
    pub head: Head,
    /// Fields taken from it.
    pub fields: Vec<Symbol>,
}

/// A value that has a name.
#[derive(Clone)]
pub enum Head {
    /// A local and the arguments for its type parameters.
    Local(LocalId, Vec<Ty>),
    /// A member of a module and the arguments for its type parameters.
    Value(Value, Vec<Ty>),
    /// A built-in operator at a type of operands.
    Operator(Operator, Ty),
}

impl Inference<'_> {
    /// Forgets the definition before.
    pub fn clear(&mut self) {
        self.types.clear();
        self.scope.clear();
        self.exprs.clear();
        self.resolved.clear();
        self.implied.clear();
        self.pats.clear();
        self.annotations.clear();
        self.sizes.clear();
        self.functions.clear();
        self.pending.clear();
        self.watched.clear();
        self.used.clear();
        self.tainted = false;
    }
}
