//! Operators on floats. The exact operators on `f16` work on its bits; the others work on the `float` of its value and round at
//! the end.

use warpwise_prim::{BinaryOp, ScalarType, UnaryOp};

use super::helpers::Helper;
use super::printer::Printer;

impl Printer<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are functions, or refused by name")]
    pub(super) fn float_unary(&mut self, op: UnaryOp, ty: ScalarType, x: &str) -> Option<String> {
        if ty == ScalarType::F16 {
            if op == UnaryOp::FNeg {
                return Some(format!("{x} ^ 0x8000"));
            }
            if op == UnaryOp::FAbs {
                return Some(format!("{x} & 0x7fff"));
            }
        }
        let number = self.number(ty, x);
        let result = match op {
            UnaryOp::FNeg => format!("-{x}"),
            UnaryOp::FSignum => self.call(Helper::Signum(self.wide(ty)), &[&number]),
            UnaryOp::Rsqrt | UnaryOp::ApproxRsqrt if ty == ScalarType::F16 => {
                let root = self.rounded(ty, &format!("sqrt({number})"));
                format!("1.0f / {}", self.number(ty, &root))
            }
            UnaryOp::Rsqrt => format!("1 / sqrt({number})"),
            UnaryOp::ApproxRsqrt => format!("rsqrt({number})"),
            other => format!("{}({number})", unary_function(other)?),
        };
        Some(self.rounded(ty, &result))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are functions, or refused by name")]
    pub(super) fn float_binary(&mut self, op: BinaryOp, ty: ScalarType, x: &str, y: &str) -> Option<String> {
        if ty == ScalarType::F16 {
            if op == BinaryOp::CopySign {
                return Some(format!("({x} & 0x7fff) | ({y} & 0x8000)"));
            }
            if op == BinaryOp::NextAfter {
                return Some(self.call(Helper::HalfNextAfter, &[x, y]));
            }
        }
        let (a, b) = (self.number(ty, x), self.number(ty, y));
        let result = match op {
            BinaryOp::FAdd => format!("{a} + {b}"),
            BinaryOp::FSub => format!("{a} - {b}"),
            BinaryOp::FMul => format!("{a} * {b}"),
            BinaryOp::FDiv => format!("{a} / {b}"),
            BinaryOp::FMod => self.call(Helper::FloatModulo(self.wide(ty)), &[&a, &b]),
            BinaryOp::LdExp => {
                let exponent = self.saturated(ty, ScalarType::I32, true, y);
                format!("ldexp({a}, {exponent})")
            }
            other => format!("{}({a}, {b})", binary_function(other)?),
        };
        Some(self.rounded(ty, &result))
    }
}

/// Returns the built-in function for an operator on floats, if there is one.
fn unary_function(op: UnaryOp) -> Option<&'static str> {
    Some(match op {
        UnaryOp::FAbs => "fabs",
        UnaryOp::Sqrt => "sqrt",
        UnaryOp::Cbrt => "cbrt",
        UnaryOp::Exp => "exp",
        UnaryOp::Exp2 => "exp2",
        UnaryOp::Exp10 => "exp10",
        UnaryOp::Expm1 => "expm1",
        UnaryOp::Log => "log",
        UnaryOp::Log2 => "log2",
        UnaryOp::Log10 => "log10",
        UnaryOp::Log1p => "log1p",
        UnaryOp::Sin => "sin",
        UnaryOp::Cos => "cos",
        UnaryOp::Tan => "tan",
        UnaryOp::Asin => "asin",
        UnaryOp::Acos => "acos",
        UnaryOp::Atan => "atan",
        UnaryOp::Sinh => "sinh",
        UnaryOp::Cosh => "cosh",
        UnaryOp::Tanh => "tanh",
        UnaryOp::Asinh => "asinh",
        UnaryOp::Acosh => "acosh",
        UnaryOp::Atanh => "atanh",
        UnaryOp::SinPi => "sinpi",
        UnaryOp::CosPi => "cospi",
        UnaryOp::TanPi => "tanpi",
        UnaryOp::AsinPi => "asinpi",
        UnaryOp::AcosPi => "acospi",
        UnaryOp::AtanPi => "atanpi",
        UnaryOp::Gamma => "tgamma",
        UnaryOp::LogGamma => "lgamma",
        UnaryOp::Erf => "erf",
        UnaryOp::Erfc => "erfc",
        UnaryOp::Floor => "floor",
        UnaryOp::Ceil => "ceil",
        UnaryOp::Trunc => "trunc",
        UnaryOp::Round => "rint",
        UnaryOp::Neg
        | UnaryOp::Not
        | UnaryOp::Abs
        | UnaryOp::Signum
        | UnaryOp::PopCount
        | UnaryOp::LeadingZeros
        | UnaryOp::TrailingZeros
        | UnaryOp::FNeg
        | UnaryOp::FSignum
        | UnaryOp::Rsqrt
        | UnaryOp::ApproxRsqrt => return None,
    })
}

/// Returns the built-in function for an operator on two floats, if there is one.
fn binary_function(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::FRem => "fmod",
        BinaryOp::FMin => "fmin",
        BinaryOp::FMax => "fmax",
        BinaryOp::FPow => "pow",
        BinaryOp::Atan2 => "atan2",
        BinaryOp::Atan2Pi => "atan2pi",
        BinaryOp::Hypot => "hypot",
        BinaryOp::CopySign => "copysign",
        BinaryOp::NextAfter => "nextafter",
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::SMulHigh
        | BinaryOp::UMulHigh
        | BinaryOp::SDiv
        | BinaryOp::SMod
        | BinaryOp::SQuot
        | BinaryOp::SRem
        | BinaryOp::UDiv
        | BinaryOp::UMod
        | BinaryOp::SMin
        | BinaryOp::UMin
        | BinaryOp::SMax
        | BinaryOp::UMax
        | BinaryOp::Pow
        | BinaryOp::UPow
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FMod
        | BinaryOp::LdExp => return None,
    })
}
