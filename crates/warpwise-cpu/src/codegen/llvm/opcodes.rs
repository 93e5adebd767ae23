//! The names of instructions and intrinsics, each with the kinds of its operands and its result.

use std::fmt;
use std::marker::PhantomData;

use super::types::{Float, Int};

/// An instruction that computes a value from two values of the same kind.
#[derive(Clone, Copy)]
pub(in crate::codegen) struct Opcode<K>(&'static str, PhantomData<K>);

/// The predicate of a comparison.
#[derive(Clone, Copy)]
pub(in crate::codegen) struct Predicate<K>(&'static str, PhantomData<K>);

/// A conversion from one kind to another.
#[derive(Clone, Copy)]
pub(in crate::codegen) struct Cast<From, To>(&'static str, PhantomData<(From, To)>);

/// An intrinsic of LLVM on `N` values, overloaded on their type.
#[derive(Clone, Copy)]
pub(in crate::codegen) struct Intrinsic<K, const N: usize>(&'static str, PhantomData<K>);

/// An intrinsic on integers whose second argument tells whether some results may be poison. Here none may.
#[derive(Clone, Copy)]
pub(in crate::codegen) struct Total(&'static str);

macro_rules! names {
    ($name:ident, $type:ty: $($CONSTANT:ident = $text:literal)*) => {
        $(pub const $CONSTANT: $type = $name($text, PhantomData);)*
    };
}

/// Names of operations on integers.
pub(in crate::codegen) mod int {
    use super::*;

    names! { Opcode, Opcode<Int>:
        ADD = "add" SUB = "sub" MUL = "mul" AND = "and" OR = "or" XOR = "xor" SHL = "shl" LSHR = "lshr" ASHR = "ashr"
        SDIV = "sdiv" SREM = "srem" UDIV = "udiv" UREM = "urem" ADD_NSW = "add nsw" ADD_NUW_NSW = "add nuw nsw"
    }
    names! { Predicate, Predicate<Int>:
        EQ = "eq" NE = "ne" SLT = "slt" SLE = "sle" SGT = "sgt" SGE = "sge" ULT = "ult" ULE = "ule" UGT = "ugt"
    }
    names! { Intrinsic, Intrinsic<Int, 2>: SMIN = "smin" SMAX = "smax" UMIN = "umin" UMAX = "umax" }
    names! { Intrinsic, Intrinsic<Int, 1>: CTPOP = "ctpop" }
    pub const ABS: Total = Total("abs");
    pub const CTLZ: Total = Total("ctlz");
    pub const CTTZ: Total = Total("cttz");
}

/// Names of operations on floats.
pub(in crate::codegen) mod float {
    use super::*;

    names! { Opcode, Opcode<Float>: ADD = "fadd" SUB = "fsub" MUL = "fmul" DIV = "fdiv" }
    names! { Predicate, Predicate<Float>:
        OEQ = "oeq" ONE = "one" UNE = "une" OLT = "olt" OLE = "ole" OGT = "ogt" OGE = "oge" ORD = "ord" UNO = "uno"
    }
    names! { Intrinsic, Intrinsic<Float, 1>:
        SQRT = "sqrt" FLOOR = "floor" CEIL = "ceil" TRUNC = "trunc" ROUNDEVEN = "roundeven" FABS = "fabs"
        FENCE = "arithmetic.fence"
    }
    names! { Intrinsic, Intrinsic<Float, 2>: MINNUM = "minnum" MAXNUM = "maxnum" }
    names! { Intrinsic, Intrinsic<Float, 3>: FMA = "fma" }
}

pub(in crate::codegen) mod cast {
    use super::*;

    names! { Cast, Cast<Int, Int>: SEXT = "sext" ZEXT = "zext" TRUNC = "trunc" }
    names! { Cast, Cast<Int, Float>: SITOFP = "sitofp" UITOFP = "uitofp" BITS_TO_FLOAT = "bitcast" }
    names! { Cast, Cast<Float, Int>: FPTOSI = "fptosi" FPTOUI = "fptoui" FLOAT_TO_BITS = "bitcast" }
    names! { Cast, Cast<Float, Float>: FPEXT = "fpext" FPTRUNC = "fptrunc" }
}

impl<K> fmt::Display for Opcode<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<K> fmt::Display for Predicate<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<From, To> fmt::Display for Cast<From, To> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<K, const N: usize> fmt::Display for Intrinsic<K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
