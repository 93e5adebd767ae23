//! Definitions, patterns and expressions of a typed program.

use std::sync::Arc;

use warpwise_diag::Span;

use crate::syntax::ast::{Attr, Liftedness, Literal, PrimType, RangeBound};
use crate::syntax::session::Symbol;
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::ty::{ArrowType, ResultType, Size, Type, Uniqueness};

/// A checked program.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// All definitions of all files, in an order in which they can be evaluated.
    pub defs: Vec<Def>,
    /// All locals.
    pub locals: Vec<Local>,
    /// All type parameters.
    pub type_params: Vec<TypeParam>,
    /// All abstract types.
    pub abstracts: Vec<Abstract>,
    /// The entry points of the main file.
    pub entries: Vec<Entry>,
}

/// A definition at the top of a file or module.
#[derive(Clone, Debug)]
pub struct Def {
    /// Name, qualified by modules, for messages: `f32.sum`.
    pub name: String,
    /// Source position of the name.
    pub span: Span,
    /// `#[...]` before it, in order.
    pub attrs: Vec<Attr>,
    /// Parameters and body.
    pub function: Function,
    /// Curried type, over the parameters of the function's scheme.
    pub ty: Type,
    /// The parts of the result that share no memory with each other or with parameters that are only lent, annotated or not.
    pub fresh: Uniqueness,
}

impl Def {
    /// Makes all fresh parts of the result unique.
    pub fn grant_fresh(&mut self) {
        self.ty = with_unique_result(&self.ty, self.function.params.len(), &self.fresh);
        self.function.result.unique = self.fresh.clone();
    }
}

/// Returns a function type with the uniqueness of its innermost result replaced.
pub fn with_unique_result(ty: &Type, params: usize, unique: &Uniqueness) -> Type {
    let Type::Arrow(arrow) = ty else { return ty.clone() };
    let mut arrow = ArrowType::clone(arrow);
    if params == 1 {
        arrow.result.unique = unique.clone();
    } else {
        arrow.result.ty = with_unique_result(&arrow.result.ty, params - 1, unique);
    }
    Type::Arrow(Arc::new(arrow))
}

/// The function of a definition or a local function. A constant has no parameters.
#[derive(Clone, Debug)]
pub struct Function {
    /// Type and size parameters.
    pub scheme: Scheme,
    /// Parameters in order. Their patterns are irrefutable.
    pub params: Vec<Param>,
    /// Result after all arguments are given. May itself be a function.
    pub result: ResultType,
    /// The right-hand side, of type `result.ty` (its `exists` are bound by an `Open` in the body).
    pub body: Expr,
}

/// The parameters of a polymorphic value. Uses give their arguments in this order, types and sizes separately.
#[derive(Clone, Default, Debug)]
pub struct Scheme {
    /// Type parameters, declared or inferred.
    pub types: Vec<TypeParamId>,
    /// Size parameters, declared or inferred: locals of type `i64`.
    pub sizes: Vec<LocalId>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// The bound pattern.
    pub pattern: Pat,
    /// Parts of the parameter that the function consumes.
    pub consumes: Uniqueness,
}

/// A name bound inside a definition.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name in the source, or a generated one for a size without a name.
    pub name: Symbol,
    /// Source position of the binding.
    pub span: Span,
    /// Type; for a polymorphic local function, the curried type over its scheme.
    pub ty: Type,
}

/// A type parameter.
#[derive(Clone, Debug)]
pub struct TypeParam {
    /// Name in the source, or a generated one.
    pub name: Symbol,
    /// Source position of the binding.
    pub span: Span,
    /// The liftedness.
    pub liftedness: Liftedness,
}

/// A type whose definition a module type hides.
#[derive(Clone, Debug)]
pub struct Abstract {
    /// Name, for messages and entry points.
    pub name: Symbol,
    /// Source position at which the type is declared abstract.
    pub span: Span,
    /// The liftedness.
    pub liftedness: Liftedness,
    /// Parameters, bound in `definition`.
    pub params: Vec<AbstractParam>,
    /// Hidden sizes, bound in `definition`. Each value has its own.
    pub exists: Vec<LocalId>,
    /// The definition.
    pub definition: Type,
}

/// A parameter of an abstract type.
#[derive(Clone, Copy, Debug)]
pub enum AbstractParam {
    /// `[n]`.
    Size(LocalId),
    /// `'a`.
    Type(TypeParamId),
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name.
    pub name: Symbol,
    /// The definition.
    pub def: DefId,
    /// Parameters as written.
    pub params: Vec<EntryParam>,
    /// Result as written.
    pub result: SurfaceType,
}

/// A parameter of an entry point.
#[derive(Clone, Debug)]
pub struct EntryParam {
    /// Name, if it has one.
    pub name: Option<Symbol>,
    /// Type of the parameter.
    pub ty: SurfaceType,
}

/// A type with its source text, for interfaces.
#[derive(Clone, Debug)]
pub struct SurfaceType {
    /// Type as written, if it was written.
    pub written: Option<WrittenType>,
    /// Type with sizes.
    pub ty: Type,
}

/// A type in source syntax, without sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct WrittenType {
    /// Text of the whole type.
    pub text: String,
    /// Components: the types of a record's fields by name, of a sum's payloads, or of an array's elements. Empty if the type is
    /// only a name.
    pub parts: Vec<WrittenType>,
}

// ---------------------------------------------------------------------------------------------
// Patterns

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// Source position.
    pub span: Span,
    /// Type of the matched value.
    pub ty: Type,
    /// Form of the pattern.
    pub kind: PatKind,
}

/// The forms of a pattern.
#[derive(Clone, Debug)]
pub enum PatKind {
    /// `x`.
    Bind(LocalId),
    /// `_`.
    Wildcard,
    /// One pattern per field, in the order of the record type.
    Record(Vec<Pat>),
    /// Only this scalar; the literal has the variant of the type. Occurs only in cases.
    Literal(PrimType, Literal),
    /// Only values made with a constructor. Outside of cases, it is the only constructor of its type.
    Construct {
        /// Position of the constructor in the type of the pattern.
        constructor: usize,
        /// One pattern for each value of the payload.
        parts: Vec<Pat>,
    },
}

// ---------------------------------------------------------------------------------------------
// Expressions

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Source position.
    pub span: Span,
    /// Type of the value.
    pub ty: Type,
    /// Form of the expression.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A scalar of the given type; the literal has the variant of the type.
    Literal(PrimType, Literal),
    /// The bytes of a string.
    Bytes(Vec<u8>),
    /// A local, with the arguments for its scheme if it is a polymorphic local function.
    Local {
        /// The local.
        local: LocalId,
        /// Arguments for the scheme.
        instance: Instance,
    },
    /// A definition.
    Def {
        /// The definition.
        def: DefId,
        /// Arguments for the scheme.
        instance: Instance,
    },
    /// An intrinsic as a function value.
    Intrinsic {
        /// The intrinsic.
        intrinsic: Intrinsic,
        /// Arguments for the scheme, in the order of `prelude/intrinsics.fut`.
        instance: Instance,
    },
    /// One expression per field, in the order of the record type. Evaluated in that order.
    Record(Vec<Expr>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// A value of a sum type. Arguments are evaluated in order.
    Construct {
        /// Position of the constructor in the type of this node.
        constructor: usize,
        /// The payload.
        arguments: Vec<Expr>,
    },
    /// A field of a record.
    Project {
        /// The record.
        record: Box<Expr>,
        /// Position of the field in the record's type.
        field: usize,
    },
    /// `a[i, j:k]`. Fails if out of bounds.
    Index {
        /// The array.
        array: Box<Expr>,
        /// One index per dimension; dimensions without one stay whole.
        slice: Vec<DimIndex>,
    },
    /// `a with [i, j:k] = v`. Consumes the array.
    Update {
        /// The array.
        array: Box<Expr>,
        /// Indices, as in `Index`.
        slice: Vec<DimIndex>,
        /// The new value.
        value: Box<Expr>,
    },
    /// `???`: fails when it is evaluated. Its type is not a function type.
    Hole,
    /// `assert c e`.
    Assert {
        /// The condition.
        condition: Box<Expr>,
        /// Source position of the condition, for the message.
        condition_span: Span,
        /// The value.
        body: Box<Expr>,
    },
    /// An anonymous function. It may capture locals.
    Lambda(Box<Lambda>),
    /// A call with at least one argument. With fewer arguments than parameters it yields a function; with more, it applies the
    /// result. Arguments are evaluated last to first, then the function.
    Apply {
        /// The called function.
        function: Box<Expr>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `a..b..<c`; an array with elements of the start's type.
    Range {
        /// The first element.
        start: Box<Expr>,
        /// Second element, which determines the stride. Without it, the stride is 1, or -1 for `Above`.
        second: Option<Box<Expr>>,
        /// The kind of end.
        bound: RangeBound,
        /// The end.
        end: Box<Expr>,
    },
    /// Bindings, each of which sees the previous ones, and a result.
    Let {
        /// Bindings in order; at least one.
        bindings: Vec<Binding>,
        /// The result.
        body: Box<Expr>,
    },
    /// A conditional, including `&&` and `||`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// Value if the condition holds.
        then: Box<Expr>,
        /// Value if it does not hold.
        otherwise: Box<Expr>,
    },
    /// The body of the first case whose pattern matches. Some case always does.
    Match {
        /// The scrutinee.
        scrutinee: Box<Expr>,
        /// Cases; at least one.
        cases: Vec<Case>,
    },
    /// A loop; its type is that of its parameters.
    Loop(Box<Loop>),
    /// `e :> t`: the value of `body`, whose extents are checked to equal those of this node's type.
    Coerce(Box<Expr>),
    /// Binds sizes after evaluating the body; see the module documentation. The type of this node mentions `sizes`.
    Open {
        /// Sizes bound by this node.
        sizes: Vec<LocalId>,
        /// Body, whose type determines the sizes.
        body: Box<Expr>,
    },
    /// `#[attr] e`.
    Attr {
        /// The attribute.
        attr: Box<Attr>,
        /// The body.
        body: Box<Expr>,
    },
    /// `#[param(name)] e`: an `i64` that is set when the program is loaded, and is otherwise the value of `default`. As a size,
    /// it equals only the same expression.
    Tuned {
        /// Name of the parameter that sets the value.
        name: String,
        /// Value if the parameter is not set.
        default: Box<Expr>,
    },
}

/// The arguments for a [`Scheme`]. Empty if the value is not polymorphic.
#[derive(Clone, Default, Debug)]
pub struct Instance {
    /// One type per type parameter.
    pub types: Vec<Type>,
    /// One size per size parameter, evaluated before the value is used.
    pub sizes: Vec<Size>,
}

/// An index or slice of one dimension.
#[derive(Clone, Debug)]
pub struct DimIndex {
    /// Source position.
    pub span: Span,
    /// Form of the index or slice.
    pub kind: DimIndexKind,
}

/// The forms of an index.
#[derive(Clone, Debug)]
// An index is the most frequent form, so it is not boxed.
#[allow(clippy::large_enum_variant)]
pub enum DimIndexKind {
    /// `i`, of any integer type.
    Fix(Expr),
    /// `start:end:stride`: optional `i64` expressions.
    Slice {
        /// The first index.
        start: Option<Expr>,
        /// One past the last index.
        end: Option<Expr>,
        /// The stride.
        stride: Option<Expr>,
    },
}

/// `\params -> body`.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Parameters; at least one.
    pub params: Vec<Param>,
    /// Result after all arguments are given.
    pub result: ResultType,
    /// Body of the lambda.
    pub body: Expr,
}

/// `case pattern -> body`.
#[derive(Clone, Debug)]
pub struct Case {
    /// Source position.
    pub span: Span,
    /// Pattern of the case.
    pub pattern: Pat,
    /// Value of the case.
    pub body: Expr,
}

/// One binding of a `let`.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Source position.
    pub span: Span,
    /// The kind of binding.
    pub kind: BindingKind,
}

/// The forms of a binding.
#[derive(Clone, Debug)]
pub enum BindingKind {
    /// `let [n] p = e`.
    Pattern {
        /// Named sizes, bound to the extents at which they occur in the pattern's type.
        sizes: Vec<LocalId>,
        /// The bound pattern.
        pattern: Pat,
        /// Value that the pattern is bound to.
        value: Expr,
    },
    /// `let f x = e`. Not recursive.
    Function {
        /// The name.
        name: LocalId,
        /// The function.
        function: Box<Function>,
        /// The attributes.
        attrs: Vec<Attr>,
    },
}

/// `loop pattern = initial form do body`.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Sizes that may change from one iteration to the next. They are bound, before each iteration and before the condition, to
    /// the extents at which they occur in the pattern's type.
    pub sizes: Vec<LocalId>,
    /// The loop parameters.
    pub pattern: Pat,
    /// Parts of the loop parameters that the body consumes.
    pub consumes: Uniqueness,
    /// Parts whose types are written. They may be consumed only if they have a star.
    pub kept: Uniqueness,
    /// Initial values.
    pub initial: Expr,
    /// The loop's form, which determines when it ends.
    pub form: LoopForm,
    /// Values for the next iteration.
    pub body: Expr,
}

/// The forms of a loop.
#[derive(Clone, Debug)]
pub enum LoopForm {
    /// `for i < n`.
    For {
        /// Index, which counts from 0 and has the type of the bound.
        index: LocalId,
        /// Number of iterations, an integer of any type.
        bound: Expr,
    },
    /// `for p in a`.
    ForIn {
        /// Pattern that is matched with every element.
        pattern: Pat,
        /// The array.
        array: Expr,
    },
    /// `while c`.
    While(Expr),
}

impl Program {
    /// Returns the lengths of all tables.
    pub fn lengths(&self) -> [usize; 5] {
        let Program { defs, locals, type_params, abstracts, entries } = self;
        [defs.len(), locals.len(), type_params.len(), abstracts.len(), entries.len()]
    }

    /// Removes entries added since the tables had these lengths.
    pub fn truncate(&mut self, lengths: [usize; 5]) {
        self.defs.truncate(lengths[0]);
        self.locals.truncate(lengths[1]);
        self.type_params.truncate(lengths[2]);
        self.abstracts.truncate(lengths[3]);
        self.entries.truncate(lengths[4]);
    }
}

impl Function {
    /// Whether it is a constant, without parameters and scheme.
    pub fn is_constant(&self) -> bool {
        self.params.is_empty() && self.scheme.types.is_empty() && self.scheme.sizes.is_empty()
    }
}

impl Instance {
    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty() && self.sizes.is_empty()
    }
}
