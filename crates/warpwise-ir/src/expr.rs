//! Statements and expressions.

use warpwise_diag::Span;
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType, TernaryOp, UnaryOp, ValueType};

use crate::program::{FunctionId, Var};
use crate::segop::SegOp;
use crate::soac::{FlatMap, Hist, Partition, Scatter, Screma, Stream, WithAcc};
use crate::types::{Operand, Shape};

/// A list of statements and a result.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Body {
    /// Statements, executed in order.
    pub stms: Vec<Stm>,
    /// Values that the body yields.
    pub result: Vec<Operand>,
}

impl Body {
    /// Returns whether execution may fail: the body contains an assertion or a call at any depth.
    pub fn can_fail(&self) -> bool {
        self.stms.iter().any(|stm| stm.expr.can_fail())
    }
}

/// A statement, which binds the variables of `pattern` to the values of `expr`. A type in the pattern may mention earlier
/// variables of the same pattern (existential sizes and blocks).
#[derive(Clone, PartialEq, Debug)]
pub struct Stm {
    /// The bound variables.
    pub pattern: Vec<Var>,
    /// The expression whose values they are bound to.
    pub expr: Expr,
    /// Certificates of the assertions that this statement relies on: it may not move above them.
    pub certs: Vec<Var>,
    /// Source position.
    pub span: Span,
}

/// An anonymous function; may mention variables in scope where it stands.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Lambda {
    /// Parameters.
    pub params: Vec<Var>,
    /// Body.
    pub body: Body,
}

/// An expression, the right-hand side of a statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// The operand itself; for an array, an alias of it.
    Operand(Operand),
    /// `op x`.
    Unary(UnaryOp, Operand),
    /// `op x y`.
    Binary(BinaryOp, Operand, Operand),
    /// `op x y z`.
    Ternary(TernaryOp, Operand, Operand, Operand),
    /// `op x y`, a `bool`.
    Compare(CompareOp, Operand, Operand),
    /// `op x : type`.
    Convert(ConvertOp, Operand, ScalarType),
    /// `select c x y`: a choice between two scalars, both of which are computed in any case.
    Select(Operand, Operand, Operand),
    /// Fails the run with the message unless the condition holds; binds a certificate.
    Assert {
        /// Condition that must hold.
        cond: Operand,
        /// Message of the failure.
        message: Message,
    },

    /// `index a[i, j]`: an element, or an inner row as a view, selected by leading indices.
    /// In bounds by contract: checks are assertions whose certificates the statement names.
    Index {
        /// The array.
        array: Var,
        /// One `i64` per leading dimension.
        indices: Vec<Operand>,
    },
    /// `slice a[i, s:n:t]`: a view. One entry per dimension.
    Slice {
        /// The array.
        array: Var,
        /// Selected indices of each dimension.
        dims: Vec<SliceDim>,
    },
    /// `update a[...] = v`: consumes `a`, yields it with the slice overwritten.
    Update {
        /// The consumed array.
        array: Var,
        /// The slice that is overwritten.
        dims: Vec<SliceDim>,
        /// A scalar where all dimensions are fixed, else an array of the slice's shape.
        value: Operand,
    },
    /// `iota n x s`: `[x, x + s, ...]` of `n` integers of the type of `x`.
    Iota {
        /// Length.
        len: Operand,
        /// First value.
        start: Operand,
        /// Step.
        step: Operand,
    },
    /// An array of the given outer dimensions, every element `value` (scalar or array).
    Replicate {
        /// Outer dimensions added to the value.
        shape: Shape,
        /// The value.
        value: Operand,
    },
    /// `[x, y, z]`: one or more scalars or arrays, all of one type.
    ArrayLit(Vec<Operand>),
    /// Arrays joined along the outermost dimension; `len` is the sum of their outer sizes.
    Concat {
        /// One or more arrays of equal type except for the outer size.
        arrays: Vec<Var>,
        /// The outer size of the result.
        len: Operand,
    },
    /// Dimensions permuted, as a view: dimension `i` of the result is dimension `perm[i]` of the array.
    Rearrange {
        /// The array.
        array: Var,
        /// A permutation of its dimensions.
        perm: Vec<usize>,
    },
    /// The same elements in row-major order under another shape, as a view.
    Reshape {
        /// The array.
        array: Var,
        /// The new shape; its product equals that of the old shape.
        shape: Shape,
    },
    /// A fresh array of equal value.
    Copy(Var),
    /// A fresh array of equal value, stored with its dimensions in the order `perm`, outermost first.
    Manifest {
        /// The array.
        array: Var,
        /// Storage order.
        perm: Vec<usize>,
    },
    /// A fresh array of unspecified contents.
    Scratch {
        /// Element type.
        elem: ScalarType,
        /// Its shape.
        shape: Shape,
    },

    /// A choice between two bodies.
    If {
        /// A `bool`.
        cond: Operand,
        /// Taken when it holds.
        then_body: Body,
        /// Taken otherwise.
        else_body: Body,
        /// Known facts about the choice.
        branch: Branch,
    },
    /// A sequential loop; binds the final values of its parameters.
    Loop {
        /// Loop-carried values.
        params: Vec<LoopParam>,
        /// Number of iterations, or condition to continue.
        form: LoopForm,
        /// Body, which yields the parameters' next values.
        body: Body,
    },
    /// A call. Only recursive calls remain after inlining.
    Call {
        /// The callee.
        function: FunctionId,
        /// Its arguments.
        args: Vec<Operand>,
    },

    /// The general SOAC: map, then scans and reductions, then a second map.
    Screma(Box<Screma>),
    /// Filter and partition.
    Partition(Box<Partition>),
    /// Parallel writes at computed indices.
    Scatter(Box<Scatter>),
    /// Generalised histogram (`reduce_by_index`).
    Hist(Box<Hist>),
    /// A function applied to chunks of the inputs, for efficient sequentialisation.
    Stream(Box<Stream>),
    /// A lambda that uses arrays as accumulators.
    WithAcc(Box<WithAcc>),
    /// Adds `values` at `indices` of an accumulator; yields the accumulator. An update out of bounds has no effect.
    UpdateAcc {
        /// The consumed accumulator.
        acc: Var,
        /// One `i64` per dimension of the accumulator.
        indices: Vec<Operand>,
        /// One per element type.
        values: Vec<Operand>,
    },
    /// A map whose results have varying sizes and are concatenated.
    FlatMap(Box<FlatMap>),

    /// A segmented operation (levels `seg` and `mem`).
    Seg(Box<SegOp>),
    /// An `i64` parameter that is set when the program is loaded. All occurrences of one name have the same value.
    Tuned {
        /// Name by which it is set.
        name: String,
        /// Its value unless set.
        default: i64,
    },

    /// A fresh block of this many bytes (level `mem`); never merged with another.
    Alloc {
        /// Size, `i64`.
        bytes: Operand,
    },
}

/// Matches expressions by class: `exprs!(If, Loop, soac)` is a pattern for any `If`, `Loop` or SOAC.
///
/// It replaces wildcard arms: a new construct must be added to a class here, or else every `match` that it affects fails to
/// compile. A name is a variant of [`Expr`] or one of these classes:
/// - `scalar`: operators on scalars
/// - `view`: views of an array
/// - `fresh`: new arrays, except results of SOACs
/// - `array`: `view`, `fresh` and `Update`
/// - `soac`: all expressions with lambdas, at level `soac`
/// - `nested`: all expressions with bodies or lambdas
/// - `simple`: all others
#[macro_export]
macro_rules! exprs {
    (@scalar) => { $crate::exprs!(Unary, Binary, Ternary, Compare, Convert, Select) };
    (@view) => { $crate::exprs!(Index, Slice, Rearrange, Reshape) };
    (@fresh) => { $crate::exprs!(Iota, Replicate, ArrayLit, Concat, Copy, Manifest, Scratch) };
    (@array) => { $crate::exprs!(view, Update, fresh) };
    (@simple) => { $crate::exprs!(Operand, scalar, Assert, array, Call, UpdateAcc, Tuned, Alloc) };
    (@soac) => { $crate::exprs!(Screma, Partition, Scatter, Hist, Stream, WithAcc, FlatMap) };
    (@nested) => { $crate::exprs!(If, Loop, soac, Seg) };
    (@$variant:ident) => { $crate::Expr::$variant { .. } };
    ($($class:ident),+) => { $($crate::exprs!(@$class))|+ };
}

impl Expr {
    /// Returns whether evaluation may fail: the expression is, or contains at any depth, an assertion or a call.
    pub fn can_fail(&self) -> bool {
        let mut fails = matches!(self, Expr::Assert { .. } | Expr::Call { .. });
        self.for_each_body(|body| fails = fails || body.can_fail());
        fails
    }
}

/// The indices selected from one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SliceDim {
    /// One index; the dimension disappears.
    Fix(Operand),
    /// `len` indices from `start` on, `stride` apart; the stride may be negative or zero.
    Range {
        /// First index.
        start: Operand,
        /// Number of indices.
        len: Operand,
        /// Distance between successive indices.
        stride: Operand,
    },
}

impl SliceDim {
    /// Returns the index, if only one is selected.
    pub fn as_fixed(&self) -> Option<Operand> {
        match *self {
            SliceDim::Fix(index) => Some(index),
            SliceDim::Range { .. } => None,
        }
    }

    /// Returns the range of all `len` indices of a dimension.
    pub fn whole(len: Operand) -> SliceDim {
        SliceDim::Range { start: Operand::i64(0), len, stride: Operand::i64(1) }
    }
}

/// Known facts about a two-way choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Branch {
    /// No known facts.
    Plain,
    /// The else body is correct whatever the condition; the then body is a faster version for the case that the condition holds.
    /// Lanes take the then body only if all of them can.
    Specialised,
}

/// A loop-carried value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopParam {
    /// The variable in the loop body.
    pub var: Var,
    /// Its first value.
    pub init: Operand,
    /// Whether the loop may overwrite it.
    pub consumed: bool,
}

/// The form of a loop: counted or conditional.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopForm {
    /// `bound` iterations, with `index` counting from 0; none if the bound is negative. Both have the same integer type.
    For {
        /// Index of the iteration, from 0.
        index: Var,
        /// Number of iterations.
        bound: Operand,
    },
    /// Iterations as long as this `bool` loop parameter holds.
    While {
        /// One of the loop's parameters.
        cond: Var,
    },
}

/// An error message with values filled in at run time.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Message {
    /// Text and values in order.
    pub parts: Vec<MessagePart>,
    /// Call sites through which the function with the check was inlined, innermost first. Not printed.
    pub calls: Vec<Span>,
}

/// A part of an error message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessagePart {
    /// Literal text.
    Text(String),
    /// A scalar, printed as a value of this surface type.
    Value(Operand, ValueType),
}
