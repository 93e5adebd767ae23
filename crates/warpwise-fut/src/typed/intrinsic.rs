//! Intrinsics: the members of the module `intrinsics`, which the compiler provides.
//!
//! Structural intrinsics have the types declared in `prelude/intrinsics.fut`. Scalar intrinsics are curried. Their names combine
//! the mnemonics of `warpwise_prim` with the language's scalar types:
//!
//! | name | type | for |
//! |---|---|---|
//! | `<op>_<t>` | `t -> t`, `t -> t -> t`, `t -> t -> t -> t` | unary, binary, ternary operators: `sqrt_f32`, `sdiv_i8`, `udiv_u8`, `fma_f64` |
//! | `<op>_<t>` | `t -> t -> bool` | comparisons: `slt_i32`, `ult_u8`, `ult_bool`, `feq` is `eq_f32` |
//! | `<op>_<from>_<to>` | `from -> to` | conversions: `sext_i8_u64`, `bitcast_f32_i32`, `isnan_f32_bool`, `bitcast_i32_u32` (which does nothing) |
//!
//! Each exists for exactly the types whose class and width the operator accepts. The sign in the name of the type matters only to
//! the checker.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, TernaryOp, UnaryOp};

use crate::syntax::ast::PrimType;

/// A member of `intrinsics`, or an operator of the language at one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    /// An operation on arrays; polymorphic.
    Structural(Structural),
    /// `t -> t`.
    Unary(UnaryOp, PrimType),
    /// `t -> t -> t`.
    Binary(BinaryOp, PrimType),
    /// `t -> t -> t -> t`.
    Ternary(TernaryOp, PrimType),
    /// `t -> t -> bool`.
    Compare {
        /// The comparison.
        op: CompareOp,
        /// Type of the operands.
        operand: PrimType,
        /// Whether the operands are swapped: `x > y` is `slt` swapped.
        swapped: bool,
    },
    /// `from -> to`.
    Convert {
        /// The conversion.
        op: ConvertOp,
        /// Type of the operand.
        from: PrimType,
        /// Type of the result.
        to: PrimType,
    },
    /// `t -> t -> bool`: the operator `==` (or `!=`) on values that are not scalar. `t` is the only type argument. Arrays of
    /// different shapes are unequal.
    Equal {
        /// Whether the operator is `!=`.
        negated: bool,
    },
}

/// Declares the structural intrinsics together with their names.
macro_rules! structural {
    ($($(#[$meta:meta])* $variant:ident = $name:literal,)*) => {
        /// The intrinsics that are not scalar operators.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Structural { $($(#[$meta])* $variant,)* }

        impl Structural {
            /// All structural intrinsics, in declaration order.
            pub const ALL: &'static [Structural] = &[$(Structural::$variant),*];

            /// Returns the name in `intrinsics`.
            pub fn name(self) -> &'static str {
                match self { $(Structural::$variant => $name,)* }
            }
        }
    };
}

structural! {
    /// `f xs`.
    Map = "map",
    /// `op neutral xs`.
    Reduce = "reduce",
    /// `reduce` with a commutative operator.
    ReduceComm = "reduce_comm",
    /// `op neutral xs`, inclusive.
    Scan = "scan",
    /// `op neutral xs`, exclusive: element `i` leaves `xs[i]` out.
    Exscan = "exscan",
    /// `predicate xs`.
    Filter = "filter",
    /// `predicate xs`: the elements that satisfy the predicate, then the rest.
    Partition = "partition",
    /// `first second xs`: the elements that satisfy `first`, then those that satisfy only `second`, then the rest.
    Partition2 = "partition2",
    /// `dest indices values`.
    Scatter = "scatter",
    /// `scatter` with pairs of indices.
    Scatter2d = "scatter_2d",
    /// `scatter` with triples of indices.
    Scatter3d = "scatter_3d",
    /// `dest op neutral indices values`.
    Hist = "hist_1d",
    /// `hist_1d` with pairs of indices.
    Hist2d = "hist_2d",
    /// `hist_1d` with triples of indices.
    Hist3d = "hist_3d",
    /// `f xs`: `f` takes the size of a chunk and the chunk.
    StreamMap = "stream_map",
    /// `op f neutral xs`: `f` takes the size of a chunk, the neutral element and the chunk.
    StreamRed = "stream_red",
    /// `f acc xs`: `f` takes the size of a chunk, the accumulator and the chunk.
    StreamSeq = "stream_seq",
    /// `xs ys`.
    Zip = "zip",
    /// `xys`.
    Unzip = "unzip",
    /// `xss`.
    Flatten = "flatten",
    /// `n m xs`.
    Unflatten = "unflatten",
    /// `xs ys`.
    Concat = "concat",
    /// `xss`.
    Transpose = "transpose",
    /// `n x`.
    Replicate = "replicate",
    /// `x`: a fresh copy.
    Copy = "copy",
    /// `x`: a fresh copy in its natural layout.
    Manifest = "manifest",
    /// `f xs` where the results of `f` are arrays of different sizes.
    Flatmap = "flatmap",
    /// `xs offset n1 s1 n2 s2`: element `[i, j]` is `xs[offset + i * s1 + j * s2]`.
    FlatIndex2d = "flat_index_2d",
    /// `flat_index_2d` with three dimensions.
    FlatIndex3d = "flat_index_3d",
    /// `flat_index_2d` with four dimensions.
    FlatIndex4d = "flat_index_4d",
    /// `dest offset s1 s2 xss`: writes to the places that `flat_index_2d` reads.
    FlatUpdate2d = "flat_update_2d",
    /// `flat_update_2d` with three dimensions.
    FlatUpdate3d = "flat_update_3d",
    /// `flat_update_2d` with four dimensions.
    FlatUpdate4d = "flat_update_4d",
    /// `dest f xs`: `f` writes into an accumulator for each element.
    ScatterStream = "scatter_stream",
    /// `dest op neutral f xs`: `f` adds to an accumulator for each element.
    HistStream = "hist_stream",
    /// `acc i x`.
    AccWrite = "acc_write",
}

impl Intrinsic {
    /// Returns the number of arguments; at least one.
    pub fn arity(self) -> usize {
        match self {
            Intrinsic::Structural(intrinsic) => intrinsic.arity(),
            Intrinsic::Unary(..) | Intrinsic::Convert { .. } => 1,
            Intrinsic::Binary(..) | Intrinsic::Compare { .. } | Intrinsic::Equal { .. } => 2,
            Intrinsic::Ternary(..) => 3,
        }
    }
}

impl Structural {
    /// Returns the number of arguments.
    pub fn arity(self) -> usize {
        use Structural::*;
        match self {
            Unzip | Flatten | Transpose | Copy | Manifest => 1,
            Map | Filter | Partition | StreamMap | Zip | Concat | Replicate | Flatmap => 2,
            Reduce | ReduceComm | Scan | Exscan | Partition2 | Scatter | Scatter2d | Scatter3d
            | StreamSeq | Unflatten | ScatterStream | AccWrite => 3,
            StreamRed => 4,
            Hist | Hist2d | Hist3d | HistStream | FlatUpdate2d => 5,
            FlatIndex2d | FlatUpdate3d => 6,
            FlatUpdate4d => 7,
            FlatIndex3d => 8,
            FlatIndex4d => 10,
        }
    }

    /// Returns the intrinsic with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Structural> {
        Structural::ALL.iter().copied().find(|intrinsic| intrinsic.name() == name)
    }
}
