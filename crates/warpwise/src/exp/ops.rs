//! Rust's operators on expressions, with constants on either side.

use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl,
    Shr, Sub, SubAssign,
};

use half::f16;
use warpwise_prim::{BinaryOp, UnaryOp, ValueType};

use super::Exp;
use crate::elt::{Bits, Integer, Num, Scalar, Signed};

/// The operator that a type family takes for an operation.
pub(super) fn choose<T: Scalar>(signed: BinaryOp, unsigned: BinaryOp, float: BinaryOp) -> BinaryOp {
    match T::VALUE_TYPE {
        ValueType::F16 | ValueType::F32 | ValueType::F64 => float,
        ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64 => signed,
        ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 | ValueType::Bool => unsigned,
    }
}

/// `$trait` for expressions and constants of the types bounded by `$bound`.
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
    Add add Num [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] Add Add FAdd;
    Sub sub Num [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] Sub Sub FSub;
    Mul mul Num [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] Mul Mul FMul;
    Div div Num [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] SQuot UDiv FDiv;
    Rem rem Num [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] SRem UMod FRem;
    BitAnd bitand Bits [bool i8 i16 i32 i64 u8 u16 u32 u64] And And And;
    BitOr bitor Bits [bool i8 i16 i32 i64 u8 u16 u32 u64] Or Or Or;
    BitXor bitxor Bits [bool i8 i16 i32 i64 u8 u16 u32 u64] Xor Xor Xor;
    Shl shl Integer [i8 i16 i32 i64 u8 u16 u32 u64] Shl Shl Shl;
    Shr shr Integer [i8 i16 i32 i64 u8 u16 u32 u64] AShr LShr LShr;
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
