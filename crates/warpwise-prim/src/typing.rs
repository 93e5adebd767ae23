//! Operand types of every operator. Result types follow: unary, binary and ternary operators yield their operands' type,
//! comparisons `bool`, conversions the type written beside them.

use crate::ops::{BinaryOp, CompareOp, ConvertOp, TernaryOp, UnaryOp};
use crate::types::{ScalarClass, ScalarType};

impl UnaryOp {
    /// Returns whether the operator takes an operand of this type.
    pub fn accepts(self, ty: ScalarType) -> bool {
        use UnaryOp::*;
        match self {
            Not => !ty.is_float(),
            Neg | Abs | Signum | PopCount | LeadingZeros | TrailingZeros => ty.is_int(),
            FNeg | FAbs | FSignum | Sqrt | Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 | Log1p
            | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | SinPi
            | CosPi | TanPi | AsinPi | AcosPi | AtanPi | Gamma | LogGamma | Erf | Erfc | Rsqrt
            | ApproxRsqrt | Floor | Ceil | Trunc | Round => ty.is_float(),
        }
    }
}

impl BinaryOp {
    /// Returns whether the operator takes operands of this type.
    pub fn accepts(self, ty: ScalarType) -> bool {
        use BinaryOp::*;
        match self {
            And | Or | Xor => !ty.is_float(),
            Add | Sub | Mul | SMulHigh | UMulHigh | SDiv | SMod | SQuot | SRem | UDiv | UMod | SMin
            | UMin | SMax | UMax | Pow | UPow | Shl | LShr | AShr => ty.is_int(),
            FAdd | FSub | FMul | FDiv | FMod | FRem | FMin | FMax | FPow | Atan2 | Atan2Pi | Hypot
            | CopySign | NextAfter | LdExp => ty.is_float(),
        }
    }
}

impl TernaryOp {
    /// Returns whether the operator takes operands of this type.
    pub fn accepts(self, ty: ScalarType) -> bool {
        match self {
            TernaryOp::Fma | TernaryOp::Mad | TernaryOp::Lerp => ty.is_float(),
        }
    }
}

impl CompareOp {
    /// Returns whether the operator takes operands of this type.
    pub fn accepts(self, ty: ScalarType) -> bool {
        use CompareOp::*;
        match self {
            Eq | Ne => true,
            SLt | SLe => ty.is_int(),
            ULt | ULe => !ty.is_float(),
            FLt | FLe => ty.is_float(),
        }
    }
}

impl ConvertOp {
    /// Returns whether a value of type `from` can be converted to type `to`.
    pub fn accepts(self, from: ScalarType, to: ScalarType) -> bool {
        use ConvertOp::*;
        let (source, target) = (from.class(), to.class());
        match self {
            SExt => from.is_int() && to.is_int() && from.bits() <= to.bits(),
            ZExt => !from.is_float() && to.is_int() && from.bits() <= to.bits(),
            Truncate => from.is_int() && to.is_int() && from.bits() >= to.bits(),
            ToBool => source != ScalarClass::Bool && to == ScalarType::Bool,
            SIToFP => from.is_int() && to.is_float(),
            UIToFP => !from.is_float() && to.is_float(),
            FPToSI | FPToUI => from.is_float() && to.is_int(),
            FPConvert => from.is_float() && to.is_float(),
            Bitcast => source != ScalarClass::Bool && target != ScalarClass::Bool && from.bits() == to.bits(),
            IsNan | IsInf => from.is_float() && to == ScalarType::Bool,
            ILogB => from.is_float() && to == ScalarType::I32,
        }
    }
}
