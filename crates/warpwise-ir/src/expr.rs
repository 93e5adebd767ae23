//! Statements and expressions.

use warpwise_diag::Span;
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType, TernaryOp, UnaryOp, ValueType};

use crate::program::{FunctionId, Var};
use crate::segop::SegOp;
use crate::soac::{FlatMap, Hist, Partition, Scatter, Screma, Stream, WithAcc};
use crate::types::{Operand, Shape};

/// Statements in order, then a result.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Body {
    /// Executed in order.
    pub stms: Vec<Stm>,
    /// What the body yields.
    pub result: Vec<Operand>,
}

impl Body {
    /// Whether running it may fail: an assertion stands in it, however deep, or a call.
    pub fn can_fail(&self) -> bool {
        self.stms.iter().any(|stm| stm.expr.can_fail())
    }
}

/// Binds the variables of `pattern` to the values of `expr`. A type in the pattern may mention
/// earlier variables of the same pattern (existential sizes and blocks).
#[derive(Clone, PartialEq, Debug)]
pub struct Stm {
    /// The variables bound.
    pub pattern: Vec<Var>,
    /// What they are bound to.
    pub expr: Expr,
    /// Assertions this statement relies on: it may not move above them.
    pub certs: Vec<Var>,
    /// Where it came from.
    pub span: Span,
}

/// An anonymous function; may mention variables in scope where it stands.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Lambda {
    /// What it takes.
    pub params: Vec<Var>,
    /// What it does.
    pub body: Body,
}

/// What a statement can bind.
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
    /// `select c x y`: a choice between two scalars, both of which exist anyway.
    Select(Operand, Operand, Operand),
    /// Fails the run with the message unless the condition holds; binds a certificate.
    Assert {
        /// Must hold.
        cond: Operand,
        /// What to say otherwise.
        message: Message,
    },

    /// `index a[i, j]`: an element, or an inner row as a view, by leading indices.
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
        /// What is taken of each dimension.
        dims: Vec<SliceDim>,
    },
    /// `update a[...] = v`: consumes `a`, yields it with the slice overwritten.
    Update {
        /// Consumed.
        array: Var,
        /// The part overwritten.
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
        /// Dimensions put around the value.
        shape: Shape,
        /// The value.
        value: Operand,
    },
    /// `[x, y, z]` of at least one scalar or array, all of one type.
    ArrayLit(Vec<Operand>),
    /// Arrays joined along the outermost dimension; `len` is the sum of their outer sizes.
    Concat {
        /// One or more arrays, alike but for the outer size.
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
        /// The new shape; its product equals the old one's.
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
        /// What is known about the choice.
        branch: Branch,
    },
    /// A sequential loop; binds the final values of its parameters.
    Loop {
        /// Loop-carried values.
        params: Vec<LoopParam>,
        /// How often.
        form: LoopForm,
        /// Yields the parameters' next values.
        body: Body,
    },
    /// A call; gone after inlining, save recursive ones.
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
    /// Parallel writes at computed places.
    Scatter(Box<Scatter>),
    /// Generalised histogram (`reduce_by_index`).
    Hist(Box<Hist>),
    /// Efficient sequentialisation by chunks.
    Stream(Box<Stream>),
    /// Arrays as accumulators within a lambda.
    WithAcc(Box<WithAcc>),
    /// Adds `values` at `indices` of an accumulator; yields the accumulator. Out of bounds does nothing.
    UpdateAcc {
        /// Consumed.
        acc: Var,
        /// One `i64` per dimension of the accumulator.
        indices: Vec<Operand>,
        /// One per element type.
        values: Vec<Operand>,
    },
    /// A map whose results have sizes of their own, concatenated.
    FlatMap(Box<FlatMap>),

    /// A segmented operation (levels `seg` and `mem`).
    Seg(Box<SegOp>),
    /// An `i64` that is set when the program is loaded. It is the same wherever it stands in a program.
    Tuned {
        /// What it is set by.
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

/// A pattern for expressions by class: `exprs!(If, Loop, soac)` matches any `If`, `Loop` or SOAC.
///
/// It stands where a wildcard would: a construct that is new must be put in a class here, or else each `match` that it concerns
/// fails to compile. A name is a variant of [`Expr`] or one of these classes:
/// - `scalar`: operators on scalars
/// - `view`: other names and parts of an array
/// - `fresh`: new arrays, but those of SOACs
/// - `array`: both, and `Update`
/// - `soac`: all that hold lambdas, at level `soac`
/// - `nested`: all that hold bodies or lambdas
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
    /// Whether evaluating it may fail: it is an assertion or a call, or one stands in it, however deep.
    pub fn can_fail(&self) -> bool {
        let mut fails = matches!(self, Expr::Assert { .. } | Expr::Call { .. });
        self.for_each_body(|body| fails = fails || body.can_fail());
        fails
    }
}

/// What is taken of one dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SliceDim {
    /// One index; the dimension disappears.
    Fix(Operand),
    /// `len` indices from `start` on, `stride` apart (which may be negative or zero).
    Range {
        /// First index.
        start: Operand,
        /// How many.
        len: Operand,
        /// Distance.
        stride: Operand,
    },
}

impl SliceDim {
    /// All `len` indices of a dimension.
    pub fn whole(len: Operand) -> SliceDim {
        SliceDim::Range { start: Operand::i64(0), len, stride: Operand::i64(1) }
    }
}

/// What is known about a two-way choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Branch {
    /// Nothing.
    Plain,
    /// The else body is right whichever way the condition goes; the then body is a faster version
    /// for where the condition holds. Lanes take the then body only if all of them can.
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

/// How often a loop runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopForm {
    /// `bound` times, `index` counting from 0; no times where the bound is negative. Both have one integer type.
    For {
        /// Counts from 0.
        index: Var,
        /// How often.
        bound: Operand,
    },
    /// As long as this `bool` loop parameter holds.
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
    /// Where the function with the check was called before it was put there, innermost first. Not printed.
    pub calls: Vec<Span>,
}

/// A piece of an error message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MessagePart {
    /// As it stands.
    Text(String),
    /// A scalar, shown as a value of this surface type.
    Value(Operand, ValueType),
}
