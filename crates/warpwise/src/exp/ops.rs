//! Rust's operators on expressions, with constants on either side.

use std::iter::{Product, Sum};
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl,
    Shr, Sub, SubAssign,
};

use half::f16;
use warpwise_prim::{BinaryOp, UnaryOp, ValueType};

use super::Exp;
use crate::elt::{Bits, Integer, Num, Scalar, Signed};

/// Selects the operator for the type's family.
pub(super) fn choose<T: Scalar>(signed: BinaryOp, unsigned: BinaryOp, float: BinaryOp) -> BinaryOp {
    match T::VALUE_TYPE {
        ValueType::F16 | ValueType::F32 | ValueType::F64 => float,
        ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64 => signed,
        ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 | ValueType::Bool => unsigned,
    }
}

/// Implements `$trait` for expressions and constants of the types bounded by `$bound`.
macro_rules! operators {
    ($($trait:ident $method:ident $bound:ident [$($ty:ident)*] $signed:ident $unsigned:ident $float:ident;)*) => { $(
        impl<T: $bound> $trait for Exp<T> {
            type Output = Exp<T>;

            #[track_caller]
            fn $method(self, other: Exp<T>) -> Exp<T> {
                self.binary(choose::<T>(BinaryOp::$signed, BinaryOp::$unsigned, BinaryOp::$float), other)
            }
        }

        impl<T: $bound> $trait<T> for Exp<T> {
            type Output = Exp<T>;

            #[track_caller]
            fn $method(self, other: T) -> Exp<T> {
                $trait::$method(self, Exp::constant(other))
            }
        }

        $(impl $trait<Exp<$ty>> for $ty {
            type Output = Exp<$ty>;

            #[track_caller]
            fn $method(self, other: Exp<$ty>) -> Exp<$ty> {
                $trait::$method(Exp::constant(self), other)
            }
        })*
    )* };
}

operators! {
    Add add Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64] Add Add FAdd;
    Sub sub Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64] Sub Sub FSub;
    Mul mul Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64] Mul Mul FMul;
    Div div Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64] SQuot UDiv FDiv;
    Rem rem Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64] SRem UMod FRem;
    BitAnd bitand Bits [bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize] And And And;
    BitOr bitor Bits [bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize] Or Or Or;
    BitXor bitxor Bits [bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize] Xor Xor Xor;
    Shl shl Integer [i8 i16 i32 i64 isize u8 u16 u32 u64 usize] Shl Shl Shl;
    Shr shr Integer [i8 i16 i32 i64 isize u8 u16 u32 u64 usize] AShr LShr LShr;
}

macro_rules! assignments {
    ($($trait:ident $method:ident $operator:ident $name:ident;)*) => { $(
        impl<T: Num, R> $trait<R> for Exp<T>
        where
            Exp<T>: $operator<R, Output = Exp<T>>,
        {
            #[track_caller]
            fn $method(&mut self, other: R) {
                *self = $operator::$name(*self, other);
            }
        }
    )* };
}

assignments! {
    AddAssign add_assign Add add;
    SubAssign sub_assign Sub sub;
    MulAssign mul_assign Mul mul;
    DivAssign div_assign Div div;
    RemAssign rem_assign Rem rem;
}

impl<T: Signed> Neg for Exp<T> {
    type Output = Exp<T>;

    #[track_caller]
    fn neg(self) -> Exp<T> {
        let is_float = T::VALUE_TYPE.scalar().is_float();
        self.unary(if is_float { UnaryOp::FNeg } else { UnaryOp::Neg })
    }
}

impl<T: Bits> Not for Exp<T> {
    type Output = Exp<T>;

    #[track_caller]
    fn not(self) -> Exp<T> {
        self.unary(UnaryOp::Not)
    }
}

macro_rules! iterators {
    ($($trait:ident $method:ident $operator:ident $name:ident $neutral:literal;)*) => { $(
        impl<T: Num> $trait for Exp<T> {
            #[track_caller]
            fn $method<I: Iterator<Item = Exp<T>>>(parts: I) -> Exp<T> {
                parts.reduce(|x, y| $operator::$name(x, y)).unwrap_or_else(|| Exp::of($neutral))
            }
        }

        impl<'a, T: Num> $trait<&'a Exp<T>> for Exp<T> {
            #[track_caller]
            fn $method<I: Iterator<Item = &'a Exp<T>>>(parts: I) -> Exp<T> {
                $trait::$method(parts.copied())
            }
        }
    )* };
}

iterators! {
    Sum sum Add add 0.0;
    Product product Mul mul 1.0;
}
