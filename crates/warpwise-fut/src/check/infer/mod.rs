//! Inference without sizes: the meaning of every name and the shape of every value.
//!
//! Read in this order: [`ty`] (types and unification), [`scope`], [`exprs`], [`applications`], [`pats`]. Results lie in the side
//! tables of [`Inference`], by node id where the node has one and otherwise by source position. They hold for the definition
//! inferred last.

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
    /// The arena of types.
    pub types: Types,
    /// Locals and type parameters in scope.
    pub scope: Scope,
    /// Type of each expression, by id.
    pub exprs: FxHashMap<ExprId, Ty>,
    /// Meaning of the name or the operator of an expression.
    pub resolved: FxHashMap<ExprId, Resolved>,
    /// Meanings of names that denote values without being expressions: `{x}`, `loop x`.
    pub implied: FxHashMap<Span, Resolved>,
    /// Type of each pattern, and the local that it binds.
    pub pats: FxHashMap<PatId, (Ty, Option<LocalId>)>,
    /// Resolved type expressions, by source position.
    pub annotations: FxHashMap<Span, Annotation>,
    /// Sizes bound by `let [n]`, by source position.
    pub sizes: FxHashMap<Span, LocalId>,
    /// Type and size parameters of local functions.
    pub functions: FxHashMap<PatId, (Vec<TypeParamId>, Vec<LocalId>)>,
    /// Sizes in type expressions that are still to be filled in.
    pub pending: Vec<Pending<'a>>,
    /// Locals that get a warning if they are never used.
    pub watched: Vec<(LocalId, Ident)>,
    /// Locals that are used.
    pub used: FxHashSet<LocalId>,
    /// Whether the definition, or one that it uses, has an error.
    pub tainted: bool,
}

/// The meaning of one use of a name.
#[derive(Clone)]
pub struct Resolved {
    /// The used definition, local or intrinsic.
    pub head: Head,
    /// Fields taken from it, outermost first.
    pub fields: Vec<Symbol>,
}

/// The base of a resolved name.
#[derive(Clone)]
pub enum Head {
    /// A local and the arguments for its type parameters.
    Local(LocalId, Vec<Ty>),
    /// A member of a module and the arguments for its type parameters.
    Value(Value, Vec<Ty>),
    /// A built-in operator, with the type of its operands.
    Operator(Operator, Ty),
}

impl Inference<'_> {
    /// Forgets the previous definition.
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
