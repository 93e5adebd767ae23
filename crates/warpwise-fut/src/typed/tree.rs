//! Definitions, patterns and expressions of a typed program.

use warpwise_diag::Span;

use crate::syntax::ast::{Attr, Liftedness, Literal, PrimType, RangeBound};
use crate::syntax::session::Symbol;
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::ty::{ResultType, Size, Type, Uniqueness};

/// A checked program.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// All definitions of all files in an order in which they can be evaluated.
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
    /// The name with the modules it lies in, for messages: `f32.sum`.
    pub name: String,
    /// The place of the name.
    pub span: Span,
    /// `#[...]` before it, in order.
    pub attrs: Vec<Attr>,
    /// Its function.
    pub function: Function,
    /// The curried type of the whole, over the parameters of the function's scheme.
    pub ty: Type,
}

/// A definition or a local function: parameters and a body. A constant has none.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its type and size parameters.
    pub scheme: Scheme,
    /// Parameters in order; refutable patterns do not occur.
    pub params: Vec<Param>,
    /// Its result once all arguments are given. May itself be a function.
    pub result: ResultType,
    /// The right-hand side, of type `result.ty` (its `exists` are bound by an `Open` in the body).
    pub body: Expr,
}

/// The parameters of a polymorphic value. Uses give arguments in this order, types and sizes apart.
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
    /// Which parts are consumed by the function.
    pub consumes: Uniqueness,
}

/// Something bound inside a definition.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name in the source, or one made up for sizes without a name.
    pub name: Symbol,
    /// Where it is bound.
    pub span: Span,
    /// The type; of a polymorphic local function the curried type over its scheme.
    pub ty: Type,
}

/// A type parameter.
#[derive(Clone, Debug)]
pub struct TypeParam {
    /// The name in the source, or one made up.
    pub name: Symbol,
    /// Where it is bound.
    pub span: Span,
    /// Its liftedness.
    pub liftedness: Liftedness,
}

/// A type whose definition a module type hides.
#[derive(Clone, Debug)]
pub struct Abstract {
    /// The name, for messages and entry points.
    pub name: Symbol,
    /// Where it is declared abstract.
    pub span: Span,
    /// Its liftedness.
    pub liftedness: Liftedness,
    /// Its parameters, bound in `definition`.
    pub params: Vec<AbstractParam>,
    /// The sizes that it hides, bound in `definition`: each value has its own.
    pub exists: Vec<LocalId>,
    /// Its definition.
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
    /// The parameters as written.
    pub params: Vec<EntryParam>,
    /// The result as written.
    pub result: SurfaceType,
}

/// A parameter of an entry point.
#[derive(Clone, Debug)]
pub struct EntryParam {
    /// The name if it has one.
    pub name: Option<Symbol>,
    /// The type.
    pub ty: SurfaceType,
}

/// A type as the source has it, for interfaces.
#[derive(Clone, Debug)]
pub struct SurfaceType {
    /// The type as written, if it was.
    pub written: Option<WrittenType>,
    /// The type.
    pub ty: Type,
}

/// A type in the source's words, without sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct WrittenType {
    /// The whole.
    pub text: String,
    /// Of a record the types of the fields by name, of a sum those of all payloads, of an array that of the element; nothing where
    /// the whole is a name.
    pub parts: Vec<WrittenType>,
}

// ---------------------------------------------------------------------------------------------
// Patterns

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// The place.
    pub span: Span,
    /// The type of what is matched.
    pub ty: Type,
    /// Its kind.
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
    /// Only this scalar; the literal has that type's variant. Stands in cases only.
    Literal(PrimType, Literal),
    /// Only values made with a constructor. Outside of cases it is the only one of its type.
    Construct {
        /// By position in the type of the pattern.
        constructor: usize,
        /// One pattern for each value that it carries.
        parts: Vec<Pat>,
    },
}

// ---------------------------------------------------------------------------------------------
// Expressions

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The place.
    pub span: Span,
    /// The type of the value.
    pub ty: Type,
    /// Its kind.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A scalar of the type given; the literal has that type's variant.
    Literal(PrimType, Literal),
    /// The bytes of a string.
    Bytes(Vec<u8>),
    /// A local, at the arguments for its scheme if it is a polymorphic local function.
    Local {
        /// The local.
        local: LocalId,
        /// The arguments of the scheme.
        instance: Instance,
    },
    /// A definition.
    Def {
        /// The definition.
        def: DefId,
        /// The arguments of the scheme.
        instance: Instance,
    },
    /// An intrinsic as a function.
    Intrinsic {
        /// The intrinsic.
        intrinsic: Intrinsic,
        /// The arguments of the scheme: in the order of `prelude/intrinsics.fut`.
        instance: Instance,
    },
    /// One expression per field, in the order of the record type, evaluated in that order.
    Record(Vec<Expr>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// A value of a sum type. Arguments are evaluated in order.
    Construct {
        /// By position in the type of this node.
        constructor: usize,
        /// The payload.
        arguments: Vec<Expr>,
    },
    /// A field, by position in the type of the record.
    Project {
        /// The record.
        record: Box<Expr>,
        /// The position.
        field: usize,
    },
    /// `a[i, j:k]`. Out of bounds fails.
    Index {
        /// The array.
        array: Box<Expr>,
        /// One per dimension; fewer leave the rest whole.
        slice: Vec<DimIndex>,
    },
    /// `a with [i, j:k] = v`. Consumes the array.
    Update {
        /// The array.
        array: Box<Expr>,
        /// As in an index.
        slice: Vec<DimIndex>,
        /// The new value.
        value: Box<Expr>,
    },
    /// `???`: fails when it is evaluated. Its type is no function.
    Hole,
    /// `assert c e`.
    Assert {
        /// The condition.
        condition: Box<Expr>,
        /// The place of the condition as written, for the message.
        condition_span: Span,
        /// The value.
        body: Box<Expr>,
    },
    /// A function without name. It may capture locals.
    Lambda(Box<Lambda>),
    /// A call with at least one argument. Fewer than the parameters give a function, more apply the result.
    /// Arguments are evaluated last to first, then the function.
    Apply {
        /// The called function.
        function: Box<Expr>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `a..b..<c`; an array of the start's type.
    Range {
        /// The first element.
        start: Box<Expr>,
        /// The second element, which gives the stride; without one it is 1, or -1 for `Above`.
        second: Option<Box<Expr>>,
        /// The kind of end.
        bound: RangeBound,
        /// The end.
        end: Box<Expr>,
    },
    /// Bindings, each of which sees those before it, and a result.
    Let {
        /// In order; at least one.
        bindings: Vec<Binding>,
        /// The result.
        body: Box<Expr>,
    },
    /// Also `&&` and `||`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// When it holds.
        then: Box<Expr>,
        /// When it does not.
        otherwise: Box<Expr>,
    },
    /// The body of the first case whose pattern matches. Some case always does.
    Match {
        /// The scrutinee.
        scrutinee: Box<Expr>,
        /// At least one.
        cases: Vec<Case>,
    },
    /// A loop; its type is that of its parameters.
    Loop(Box<Loop>),
    /// `e :> t`: the value of `body`, whose extents are checked to be those of this node's type.
    Coerce(Box<Expr>),
    /// Binds sizes after evaluating the body; see the module documentation. The type of this node speaks of `sizes`.
    Open {
        /// Bound here.
        sizes: Vec<LocalId>,
        /// The body, whose type they are read off.
        body: Box<Expr>,
    },
    /// `#[attr] e`.
    Attr {
        /// The attribute.
        attr: Box<Attr>,
        /// The body.
        body: Box<Expr>,
    },
    /// `#[param(name)] e`: an `i64` that is set when the program is loaded, or else that of `default`. As a size it is
    /// equal to what it is written like alone.
    Tuned {
        /// The name of the parameter that sets it.
        name: String,
        /// Its value unless set.
        default: Box<Expr>,
    },
}

/// The arguments for a [`Scheme`]. Empty where the value is not polymorphic.
#[derive(Clone, Default, Debug)]
pub struct Instance {
    /// One per type parameter.
    pub types: Vec<Type>,
    /// One per size parameter; evaluated before the value is used.
    pub sizes: Vec<Size>,
}

/// An index or slice of one dimension.
#[derive(Clone, Debug)]
pub struct DimIndex {
    /// The place.
    pub span: Span,
    /// Its kind.
    pub kind: DimIndexKind,
}

/// The forms of an index.
#[derive(Clone, Debug)]
// An index is the common case, so it is not boxed.
#[allow(clippy::large_enum_variant)]
pub enum DimIndexKind {
    /// `i`, of any integer type.
    Fix(Expr),
    /// `start:end:stride`, each an `i64` that may be left out.
    Slice {
        /// The first index.
        start: Option<Expr>,
        /// One past the last.
        end: Option<Expr>,
        /// The stride.
        stride: Option<Expr>,
    },
}

/// `\params -> body`.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// At least one.
    pub params: Vec<Param>,
    /// Its result once all arguments are given.
    pub result: ResultType,
    /// The result.
    pub body: Expr,
}

/// `case pattern -> body`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The place.
    pub span: Span,
    /// When.
    pub pattern: Pat,
    /// Then.
    pub body: Expr,
}

/// One binding of a `let`.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The place.
    pub span: Span,
    /// The kind of binding.
    pub kind: BindingKind,
}

/// The forms of a binding.
#[derive(Clone, Debug)]
pub enum BindingKind {
    /// `let [n] p = e`.
    Pattern {
        /// Sizes given a name: bound to the extents at which they stand in the pattern's type.
        sizes: Vec<LocalId>,
        /// The bound pattern.
        pattern: Pat,
        /// To what.
        value: Expr,
    },
    /// `let f x = e`. Not recursive.
    Function {
        /// The name.
        name: LocalId,
        /// The function.
        function: Box<Function>,
        /// Which attributes it has.
        attrs: Vec<Attr>,
    },
}

/// `loop pattern = initial form do body`.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Sizes that may change from one iteration to the next: bound, before each iteration and before the condition, to the extents at which they stand in the pattern's type.
    pub sizes: Vec<LocalId>,
    /// The loop parameters.
    pub pattern: Pat,
    /// Which parts of the loop parameters the body consumes.
    pub consumes: Uniqueness,
    /// Which parts have types written down: of those only what has a star may be consumed.
    pub kept: Uniqueness,
    /// Their first values.
    pub initial: Expr,
    /// How it ends.
    pub form: LoopForm,
    /// The values of the next iteration.
    pub body: Expr,
}

/// How a loop ends.
#[derive(Clone, Debug)]
pub enum LoopForm {
    /// `for i < n`.
    For {
        /// Counts from 0; has the type of the bound.
        index: LocalId,
        /// The number of iterations, an integer of any type.
        bound: Expr,
    },
    /// `for p in a`.
    ForIn {
        /// Matched with every element.
        pattern: Pat,
        /// The array.
        array: Expr,
    },
    /// `while c`.
    While(Expr),
}

impl Program {
    /// How much there is of everything.
    pub fn lengths(&self) -> [usize; 5] {
        let Program { defs, locals, type_params, abstracts, entries } = self;
        [defs.len(), locals.len(), type_params.len(), abstracts.len(), entries.len()]
    }

    /// Takes out what was added since the program had these lengths.
    pub fn truncate(&mut self, lengths: [usize; 5]) {
        self.defs.truncate(lengths[0]);
        self.locals.truncate(lengths[1]);
        self.type_params.truncate(lengths[2]);
        self.abstracts.truncate(lengths[3]);
        self.entries.truncate(lengths[4]);
    }
}

impl Function {
    /// Whether it is a constant: neither parameters nor scheme.
    pub fn is_constant(&self) -> bool {
        self.params.is_empty() && self.scheme.types.is_empty() && self.scheme.sizes.is_empty()
    }
}

impl Instance {
    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty() && self.sizes.is_empty()
    }
}
